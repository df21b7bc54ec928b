/*
 * What a choice would cost, from statistics alone. The shape is STile's (section 3.2):
 * the latency of a piece of work is g = a R + b with R = max(bytes, flops / peak ratio),
 * the roofline in bytes; the coefficients per kind of part are one table in cost.c.
 * Nothing is built and no entry is read.
 */
#ifndef SB_PLANNER_COST_H
#define SB_PLANNER_COST_H

#include "formats/stats.h"
#include "planner/choice.h"
#include "runtime/target.h"

/* The operands as the model sees them; sizes in bytes. */
typedef struct sb_work {
    sb_op op;
    int64_t m, n, k, nnz; /* of the product, and A's entries */
    int a_size, b_size, c_size, compute_size, ptr_size, idx_size;
    sb_dtype a_type; /* of A's values */
    bool complex;
    bool by_position; /* the view has positions: no part is in place */
    bool col_major;   /* B or C is column-major */
    bool one_value;   /* all of A's have the same bits and are promised to stay */
} sb_work;

/* What a part's seconds are made of, before the factors of its class (target.h): at the
 * roofline, for its units, for its entries. */
typedef struct sb_terms {
    double roof, unit, entry;
} sb_terms;

/* Share of the entries per part of the choice, from the statistics. */
typedef struct sb_cost {
    double seconds;                  /* of one run */
    double making;                   /* of the parts, as far as choices differ by it */
    double steps, tiles;             /* barriers; tiles a thread dispatches */
    sb_terms terms[SB_CHOICE_PARTS]; /* all 0 for a part that would find nothing */
    double part[SB_CHOICE_PARTS];    /* seconds of each part */
    double share[SB_CHOICE_PARTS];   /* of the entries */
    double padding[SB_CHOICE_PARTS]; /* slots that hold no entry, as a share of slots */
    double bytes, flops;             /* moved and computed, whole run */
} sb_cost;

/* One part's amounts. A window's slots are the entries that its rows share. */
typedef struct sb_amounts {
    double entries, slots, units;
    double touches;    /* rows of C read or written, all phases */
    double partitions; /* column partitions */
    bool own_reuse;    /* reuse is this part's, not the matrix's */
    double reuse;      /* share of entries whose column the window had already */
    bool adds;         /* to rows of C that another part has written */
    bool cached;       /* C is not stored past the caches, whatever the rules say */
    bool unasked;      /* rows of B are not asked for ahead, whatever the rules say */
} sb_amounts;

/* Seconds of one part of these amounts, without barriers; its terms, and bytes and flops
 * added to `total`. */
double sb_cost_part(sb_terms *out, const sb_part_choice *p, const sb_amounts *am,
                    const sb_work *w, const sb_stats *s, const sb_target *t,
                    bool packed, sb_cost *total);
/* Seconds of barriers and of tiles to dispatch, added to the cost. */
void sb_cost_close(sb_cost *out, double steps, const sb_work *w, const sb_stats *s,
                   const sb_target *t);

/* Share of the entries that rows of a window (win, share) take together: by runs, or in
 * columns that half of them hold less the holes (GPU: that all of them hold). */
double sb_cost_shared(const sb_part_choice *p, const sb_stats *s, const sb_target *t);

/* The share of all entries that a selecting part takes where none has been before it: of
 * windows all. */
double sb_cost_taken(const sb_part_choice *p, const sb_stats *s);

/* cost_roof.c: bytes of A's arrays that one run of a part reads; seconds of such bytes, alone. */
double sb_cost_structure(const sb_part_choice *p, const sb_amounts *am,
                         const sb_work *w, bool packed);
double sb_cost_stream(const sb_work *w, const sb_stats *s, const sb_target *t,
                      double a_bytes);
/* And what rows by column partition or listed by length take longer than in A's order, whose pieces
 * nothing foresees: their first lines, and a row of C, or of the first factor. */
double sb_cost_apart(const sb_part_choice *p, const sb_amounts *am, const sb_work *w,
                     const sb_stats *s, const sb_target *t, double a_bytes);
/* Rows of C that are cleared on their own: those without entries, of coordinates and of rows by length. */
double sb_cost_cleared(const sb_part_choice *p, const sb_amounts *am,
                       const sb_stats *s);
/* Seconds of a part's bytes in the caches, and of memory beside those; bytes of A and C. */
typedef struct sb_roof {
    double caches, memory, bytes;
} sb_roof;
/* Of SpMM and SDDMM; so many rows of C share a load of B's in registers. */
void sb_cost_roof(sb_roof *out, const sb_part_choice *p, const sb_amounts *am,
                  const sb_work *w, const sb_stats *s, const sb_target *t, bool packed,
                  double together);

/* The class of a part's tiles: its line of sb_target.factor. */
int sb_cost_class(const sb_part_choice *p);

void sb_cost_predict(sb_cost *out, const sb_choice *ch, const sb_work *w,
                     const sb_stats *s, const sb_target *t);

/* Mean entries of a row in a panel as wide as a power of two, or as three quarters of one. */
double sb_cost_panel_run(const sb_stats *s, int64_t width);

/* Seconds of making such a part, where they decide: so many runs bear them. */
enum { SB_COST_RUNS = 1000 };
double sb_cost_making(const sb_part_choice *p, const sb_amounts *am, const sb_work *w,
                      const sb_target *t);

/* cost_pace.c: whether a part's slots are entries that the rows of a window share; and factors of
 * time at the roofline, and of time per entry, of which a row has `unroll` taken together
 * (sb_rule_together). */
bool sb_cost_windows(const sb_part_choice *p);
/* Whether one part writes all rows of C but the last few. What other parts leave is added
 * to rows that stores past the caches would have taken out of them (docs/kernels.md,
 * SpMM rule 5). */
bool sb_cost_once(const sb_choice *ch);
/* cost_rows.c: time of windows, blocks, panels and partitions over that of plain rows of their entries,
 * where that is known. */
bool sb_cost_rows_ratio(double *ratio, const sb_part_choice *p, const sb_amounts *am,
                        const sb_work *w, const sb_stats *s, const sb_target *t,
                        bool packed);
/* cost_parts.c, where sb_rule_partitions holds: time of rows in `parts` partitions of B's columns over that
 * of plain rows, where all rows of B are `bytes` in rows of `row`; and time of an entry whose row of B comes
 * from so many bytes over that of one that L2 has. */
double sb_cost_partitions(int parts, double bytes, double row, const sb_stats *s,
                          const sb_target *t);
double sb_cost_spilt(double bytes, double row, const sb_stats *s, const sb_target *t);
/* ... and as a factor of panels' seconds, what they gain where rows wait for L3. */
double sb_cost_panels_spilt(const sb_part_choice *p, const sb_work *w,
                            const sb_stats *s, const sb_target *t, bool packed);
/* cost_rows_wide.c: the same of windows and of panels on Zen 5, whose prices are its own. */
double sb_rows_wide_dots(const sb_part_choice *p, const sb_amounts *am,
                         const sb_work *w, const sb_stats *s, const sb_target *t);
double sb_rows_wide_windows(const sb_part_choice *p, const sb_amounts *am,
                            const sb_work *w, const sb_stats *s, const sb_target *t,
                            bool packed);
double sb_rows_wide_panels(const sb_part_choice *p, const sb_amounts *am,
                           const sb_work *w, const sb_stats *s, const sb_target *t,
                           bool packed);
/* ... and as a factor of their seconds where rows of B end within a tile. */
double sb_rows_wide_between(const sb_part_choice *p, const sb_work *w,
                            const sb_target *t);
/* ... and of shared columns and blocks that wait for what windows ask for. */
double sb_rows_wide_unasked(const sb_part_choice *p, const sb_work *w,
                            const sb_target *t, bool packed);
double sb_cost_roof_pace(const sb_part_choice *p, const sb_work *w, const sb_target *t,
                         int unroll);
double sb_cost_entry_pace(const sb_work *w, const sb_target *t, int unroll);

/* A part of SpMV: entries, slots stored and rows of C touched. */
typedef struct sb_vector_part {
    const sb_part_choice *choice;
    double entries, slots, rows;
    int x_size; /* bytes of an element of x */
    int unroll; /* of groups: sb_rule_together */
    bool flows; /* sb_rule_flows */
    bool complex;
} sb_vector_part;

/* cost_vector.c: seconds of one core for its rows or slices and for its entries. */
void sb_vector_terms(sb_terms *out, const sb_vector_part *p, const sb_stats *s,
                     const sb_target *t, bool packed);

/* How likely two rows differ in their number of vectors: the branch predictor's part. */
double sb_vector_mixed(const sb_stats *s);
/* The share of rows whose lengths it has forgotten, where it keeps half of `remembered` rows' from one
 * product to the next. */
double sb_vector_forgotten(const sb_vector_part *p, const sb_stats *s,
                           double remembered);
/* Lines of x that no row of the last six has read, of which so many bytes are held. */
double sb_vector_lines(const sb_vector_part *p, const sb_stats *s, double held);
/* On Zen 4, seconds for lines of x that no row of the last six has read, and that L1 mostly has
 * not kept beside A: what loads wait for where columns are scattered. */
double sb_vector_late(const sb_vector_part *p, const sb_stats *s, const sb_target *t);
/* Packed columns that rows share, a lane a row: seconds of a window, of a column that all its rows
 * hold (by their number), of one that some lack, of an entry left over. */
typedef struct sb_lane_pace {
    double window, column[9], some, left;
} sb_lane_pace;
/* Columns that some lack are not counted: holes are, as many as half of the rows and fewer. Lines
 * of x are the caller's. */
void sb_vector_lanes(sb_terms *out, const sb_vector_part *p, const sb_stats *s,
                     const sb_lane_pace *by);
/* Steps of SB_ALIKE_ROWS rows that follow each other, of which a run's last is half full. */
double sb_vector_alike(const sb_vector_part *p, const sb_stats *s);
/* cost_short.c: the same of Zen 3, but of blocks, which cost what they do elsewhere. */
void sb_vector_short(sb_terms *out, const sb_vector_part *p, const sb_stats *s,
                     const sb_target *t, bool packed);
/* cost_wide.c: makes what v4 takes of what a wide one takes. */
void sb_vector_wide(sb_terms *out, const sb_vector_part *p, const sb_stats *s,
                    const sb_target *t, bool packed);
/* cost_fast.c: groups and products of whole vectors, slices, unaligned blocks, rows that follow each
 * other and windows of two to four rows where gathers are fast. */
void sb_vector_fast(sb_terms *out, const sb_vector_part *p, const sb_stats *s,
                    const sb_target *t, bool packed);
/* cost_vector.c: several rows at a time. */
void sb_vector_groups(sb_terms *out, const sb_vector_part *p, const sb_stats *s,
                      const sb_target *t);
/* cost_far.c: adds what x beyond L2 and A beyond half of L3 cost on Zen 3, 4 and 5, alike rows on Zen 3 and
 * 4 from a quarter on, as do masks and diagonals in place on Zen 3; elsewhere nothing. */
void sb_vector_far(sb_terms *out, const sb_vector_part *p, const sb_stats *s,
                   const sb_target *t, double a_bytes, bool packed);

/* A part on a GPU. */
typedef struct sb_gpu_part {
    const sb_part_choice *choice;
    double entries, slots, units, touches, partitions; /* as on the CPU */
    double bytes;                                      /* of A's arrays */
} sb_gpu_part;

/* cost_gpu.c: the same for a GPU, all of it; bytes and flops are added to `total`. */
void sb_gpu_terms(sb_terms *out, const sb_gpu_part *p, const sb_work *w,
                  const sb_stats *s, const sb_target *t, sb_cost *total);
/* Makes a CPU's target that of a GPU. */
void sb_gpu_target(sb_target *t, const sb_gpu_facts *facts);

/* Bytes of B (SDDMM: of Y) that the entries touch. */
double sb_work_footprint(const sb_work *w, const sb_stats *s);

/* Multiplications an entry: columns of C, of a sampled product the reduction's length; 1 at least. */
double sb_work_width(const sb_work *w);

/* What tiles are cut by: entries, and rows as well where each thread is to have one tile, lest a third
 * begins, and for SpMV of fewer entries than rows. */
int64_t sb_work_units(const sb_work *w, int64_t nnz);
/* Size of the tile table's pieces, in these: see tiles.c. The caller's alone: more than anything costs. */
#define SB_GRAIN_ALONE (INT64_MAX / 8)
int64_t sb_work_grain(const sb_work *w, int64_t nnz, sb_isa isa, int threads);

#endif
