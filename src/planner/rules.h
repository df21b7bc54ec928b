/*
 * From a problem to the facts the model and the kernels' specs need, and the rules for
 * what is not searched: register tile, prefetch distance, streaming stores.
 */
#ifndef SB_PLANNER_RULES_H
#define SB_PLANNER_RULES_H

#include "formats/stats.h"
#include "kernels/spec.h"
#include "planner/choice.h"
#include "planner/cost.h"
#include "runtime/target.h"

/* Element types and shape of the product; by_position false. */
void sb_work_of(sb_work *out, const sb_problem *pb);

/* The work of one slab of so many columns, 0: all of it. Rules for what is stored or taken
 * together are asked about the whole. */
sb_work sb_work_slab(const sb_work *w, int slab);

/* The tile to try at position `rank` (0: best); 0 past the end. The kernel of the best
 * may not be at hand, then the next serves. `block` is the height of a bsr or win part,
 * else 0; `prefetch` how far rows of B are asked for ahead. */
int sb_rule_tile(const sb_work *w, const sb_target *t, int block, int prefetch,
                 int rank);

/* The height of windows up to which sums of 64 columns stay in registers; 0: windows of
 * more than two rows get fewer columns. */
int sb_rule_tall(const sb_work *w, const sb_target *t);

/* Whether registers hold the sums of so many rows in the best tile. */
bool sb_rule_holds(const sb_work *w, const sb_target *t, int rows);

/* Entries that a row has to have in a panel of so many columns: each segment reads and writes a
 * row of C. Infinite where none is enough: L2 of Zen 3 and of Emerald Rapids is near, or rows of Zen 5
 * have so few. */
double sb_rule_panel_run(const sb_work *w, const sb_target *t, int64_t width);

/* Whether panels are half as wide: a tile is half of a row of B, so that panels of it use half of
 * L1's sets (docs/measured/spmm-wide-rows.md, Wide rows on Zen 3). */
bool sb_rule_half_panels(const sb_work *w, const sb_target *t);

/* Whether a panel's segments may be read where they lie: each begins with lines of columns and
 * values that nothing foresees. */
bool sb_rule_segments(const sb_work *w, const sb_target *t);

/* Whether what windows and blocks share of B outweighs C, which only plain rows store past the
 * caches. */
bool sb_rule_windows(const sb_work *w, const sb_target *t, double mean);

/* Whether what windows and panels take is known well enough against plain rows (cost_rows.c) for
 * prices to decide where else shares and lengths do. */
bool sb_rule_by_price(const sb_work *w, const sb_target *t);

/* The least share of entries in runs or columns that rows of a window share: what is left over
 * reads B in pieces of a tile, plain rows in wider ones. */
double sb_rule_shared(const sb_work *w, const sb_target *t);

/* Whether columns that `rows` rows share gain over windows by runs though their values are
 * looked up by position (docs/measured/spmm-windows.md, Shared columns in place). */
bool sb_rule_positions(const sb_work *w, const sb_target *t, int rows);

/* Where gathers are fast, whether holes cut the runs of windows of three rows and more, of columns that
 * nearly all are `shared` by half of the rows: else these windows are as fast. Elsewhere always. */
bool sb_rule_runs_cut(const sb_target *t, const sb_stats *s, double shared);

/* Whether neighbours find each other's rows of B in the caches, whatever its size, by sb_stats.r4:
 * partitions of the columns then only read and write C once more each. */
bool sb_rule_local(const sb_target *t, double r4);

/* Whether rows in partitions of their columns, each of which L2 holds of B, are priced: where L3 is far
 * away, of rows of B of 256 to 2047 bytes, and of dots, whose second factor's columns are rows of B, from
 * 256 on; of dots on Zen 5, too, from 512 on (docs/measured/spmm-partitions.md, What a partition costs). Whether windows of rows share few
 * columns, which are in order, and rows have enough in each of `parts`. And whether a row's columns lie
 * all over B. */
bool sb_rule_partitions(const sb_work *w, const sb_target *t);
bool sb_rule_spread(const sb_stats *s, int parts);
bool sb_rule_scattered(const sb_view *v);

/* Whether rows of B are so many lines that Zen 4 reads them by the line. */
bool sb_rule_many_lines(const sb_work *w, const sb_target *t);

/* Entries taken together in rows of `mean` entries: two, so that the loads of one do not
 * wait for the other's sums; 1 where rows are too short to gain. SDDMM: columns whose dots
 * with the `rows` of a window, 0 or 1 without, are made at once (docs/kernels.md, SpMM
 * rule 3). */
int sb_rule_unroll(const sb_work *w, const sb_target *t, double mean, int rows);

/* The same for a part of this kind, of rows of which `ragged` (sb_view_ragged) differ in length
 * from the one above: SB_SPEC_FEW where rows in place take so many at a time,
 * SB_SPEC_JOIN to SB_SPEC_FOURS where they go one after the other, SB_SPEC_FLOW where vectors of
 * SpMV's groups go on from row to row. */
int sb_rule_together(const sb_work *w, const sb_target *t, sb_part_kind kind, int rows,
                     double mean, double ragged);
/* sb_rule_tile of a part of this kind: of rows in place of all widths
 * (docs/measured/widths-between.md), and of SpMV's groups and products where vectors go
 * on from row to row. */
int sb_rule_tile_of(const sb_work *w, const sb_target *t, sb_part_kind kind, int block,
                    int prefetch, int rank);
/* Whether rows of B, of the type that sums them, are wider than two numbers, shorter than sixteen registers of 64 bytes, and no
 * kernel is for their width alone (docs/measured/widths-between.md). */
bool sb_rule_between(const sb_work *w);
/* Whether vectors of SpMV's groups go on from row to row
 * (docs/measured/spmv-past-the-ends.md): of elements that are computed with as they
 * are. */
bool sb_rule_flows(const sb_work *w, const sb_target *t);
/* Whether the answer for rows in place depends on `ragged`. */
bool sb_rule_asks_ragged(const sb_work *w, const sb_target *t);
/* Whether rows of B of 64 and 128 bytes go by registers of 32 bytes (SB_SPEC_SLIM) where they would by
 * SB_SPEC_HALVES or SB_SPEC_EIGHTS: on Zen 4, where L1 keeps what a row names for the next. */
bool sb_rule_slim(const sb_work *w, const sb_target *t, const sb_stats *s);
/* sb_rule_together by slabs of so many columns, 0: without. */
int sb_rule_together_slab(const sb_work *w, int slab, const sb_target *t,
                          sb_part_kind kind, int rows, double mean, double ragged);

/* For sb_rule_tile_of, how far rows of B are asked for, by each entry or, where they have 1024 bytes on Zen 5,
 * by the last one of a row of A. */
int sb_rule_tile_asks(const sb_work *w, const sb_target *t, int prefetch, int last);

/* Whether rows in such tiles can store C past the caches: on Zen 3 kernels of four vectors or fewer
 * store the last one of a tile that is cut short through them (but where the tile is cut short for
 * all of the row and kernels have copies), and a line half by one way, half by the other takes ten
 * times as long as a whole one. */
bool sb_rule_tile_streams(const sb_work *w, const sb_target *t, int tile);

/* Whether pairs are gathered whole, which groups and products do not
 * (docs/measured/complex-and-16-bit.md, Pairs). */
bool sb_rule_pairs(const sb_work *w);

/* How rows of `mean` entries are read in place without an analysis: SpMV takes several at a time (seg),
 * short ones by their products (prod), where that was measured; else csr. */
sb_part_kind sb_rule_in_place(const sb_work *w, const sb_target *t, double mean);

/* Whether groups of rows that follow each other by one column are looked for: on Zen 3, whose
 * registers are too short to look values up in, and of reals on Zen 4 and 5, if most rows do; where
 * gathers are fast, if nearly all do (docs/measured/spmv-diagonals.md, Rows that follow
 * each other). */
bool sb_rule_alike(const sb_work *w, const sb_target *t, const sb_stats *s);

/* Whether packed columns that rows share, a lane a row, may pay for SpMV: Zen 3, 4 and 5. */
bool sb_rule_packed_lanes(const sb_target *t);

/* Whether unaligned blocks may: where those do, and where gathers are fast. */
bool sb_rule_unaligned(const sb_target *t);

/* Ranges of 16 rows whose values of `size` bytes in place are looked up in two registers each; 0:
 * none, where rows have more or registers less than 64 bytes. */
enum { SB_RANGED_BYTES = 128 };
int sb_rule_ranged(int size, const sb_stats *s, const sb_target *t);

/* Whether packed slices have diagonals of a few rows as chunks where these are few: measured on
 * Zen 4 (docs/measured/spmv-diagonals.md, Thin diagonals). */
bool sb_rule_thin(const sb_work *w, const sb_target *t);

/* Entries a row from which SpMV's groups have eight lanes on a wide machine; on Zen 4, floats on
 * Zen 3. Of values that vectors past the ends of rows (sb_rule_flows) take, neither. */
enum { SB_LONG_ROWS = 64, SB_LONG_ROWS_SHORT = 100 };

/* Whether masks make the sums of a window's rows together. */
bool sb_rule_joined(const sb_work *w, const sb_target *t, int rows);

/* The same on a GPU: the columns of C that lanes take together, of a reduction the
 * entries; the entries taken together, `rows` as for sb_rule_unroll; and how many lanes, with
 * how many columns each, the tile of a spec goes to: 16 bytes of B to a lane, but at least
 * four lanes. `mma` is then what multiplies; before, what the caller allows beside 16-bit
 * factors. Not measured yet. */
/* Rows and entries of a block that takes up to `most`, of `items` in all: fewer where there would
 * be few blocks. The same on all GPUs, as the order of sums is of them. */
int64_t sb_rule_gpu_items(int64_t items, int most);

/* Whether ranges without analysis are of rows that one block finishes, as a plan's tiles are: no
 * sums are left, and nothing is needed for them. */
bool sb_rule_gpu_whole(const sb_problem *pb);

int sb_rule_gpu_tile(const sb_work *w, double mean);
int sb_rule_gpu_unroll(const sb_work *w, double mean, int rows);
void sb_rule_lanes(sb_spec *s);
/* False for parts made for the caches and vectors of a CPU; hdia's slices would lie in a GPU's
 * local memory. */
bool sb_rule_gpu_suits(const sb_choice *ch);
/* What a GPU takes instead of a rest that lists a row more than once in a step (runs
 * between blocks or diagonals, pieces of rows): groups of lanes would add to it at once. */
void sb_rule_gpu_rest(sb_choice *ch, const sb_stats *s);

/* Zen 4, and Zen 5 for rows of B of 256 to 2047 bytes, of a large B from 128 on: whether rows of B are named
 * in no order, of entries `strewn` (sb_view_strewn), and A, B and C exceed what other programs leave of L3;
 * and whether the entries of a part go one by one for that, however many its rows have. */
bool sb_rule_strewn(const sb_work *w, double footprint, double strewn,
                    const sb_target *t);
bool sb_rule_alone(const sb_work *w, double footprint, double strewn, sb_part_kind kind,
                   const sb_target *t);

/* How many entries are taken together where rows of B are asked for ahead, of `unroll` otherwise: forms that
 * go from row to row do not ask, and sampled products that take eight take four where they ask, on Zen 4 and 5. */
int sb_rule_asking(const sb_work *w, const sb_target *t, int unroll);

/* How many entries ahead rows of B are asked for, 0: none; the distance says how (spec.h). Only where what
 * the product touches leaves the last-level cache, but for sb_rule_first: `footprint` bytes of B, and on Zen 4 and 5
 * C and A with them, `rows` rows of A asking together; on Zen 3 a share of it; elsewhere only where C is not
 * streamed, first lines on Emerald Rapids only where it is (docs/kernels.md, SpMM rule 4). SDDMM's are columns of Y, C its X. On Zen 5 short
 * rows of B by themselves, too, on Zen 4 where they are `strewn`. */
int sb_rule_prefetch(const sb_problem *pb, double footprint, double strewn, int rows,
                     bool stream, const sb_target *t);

/* That distance, of parts of a kind and rows of B (or of a slab) of so many bytes: windows, whose shared
 * columns are one list, ask for these into L1 on Zen 5. */
int sb_rule_nearer(int prefetch, sb_part_kind kind, int64_t row, const sb_target *t);

/* Whether the first line of each row of B is asked for where no more is, by 32-bit indices, since they are named
 * in no order: Zen 5, of four lines each, Emerald Rapids, of four to 31 by short rows of A, where L2 does not hold B. */
bool sb_rule_first(const sb_work *w, double footprint, double strewn,
                   const sb_target *t);

/* Whether rows of B are asked for in a slab of so many columns, 0: in place. L2 of Zen 3 and of
 * Emerald Rapids has them; of doubles it was timed there alone. */
bool sb_rule_slab_asks(const sb_work *w, int slab, const sb_target *t);
/* How far ahead rows of a slab are that L2 does not hold, whose columns are named in no order; 0: not. */
int sb_rule_slab_prefetch(const sb_work *w, int slab, double strewn,
                          const sb_target *t);
/* Whether threads take one slab after the other together, for all would leave too little of L3, and L2 holds
 * none. */
bool sb_rule_slab_shared(const sb_work *w, int slab, const sb_target *t);

/* How many rows of A ahead the row of B that a row's last entry names is asked for, 0: none. Where
 * A, B and C leave the last-level cache, rows of B have 256 bytes, and of A's rows so many,
 * `onward` (sb_view_onward), go on to a column that none before has named; then nothing else is
 * asked for. Zen 5, where rows of A have four entries or each is not asked for, and Zen 4, there of rows of B
 * of less than 1024 bytes, from 16 entries on of 2048. */
int sb_rule_last(const sb_work *w, double footprint, double onward, const sb_target *t);

/* Zen 4 and 5: whether columns of Y of a sampled product come from caches, however large it is: rows of A go on
 * as those on diagonals do; then rows ask for nothing. */
bool sb_rule_dots_near(const sb_work *w, double onward, const sb_target *t);

/* Cores on which windows of sampled products were timed, from dots of 128 bytes on. */
bool sb_rule_dots_timed(const sb_target *t);

/* How many columns of Y ahead windows of sampled products ask for, 0 none: where L2 does not hold Y and
 * some of its columns are in no order, or four L2s do not and they are long. */
int sb_rule_dots_window(const sb_work *w, double footprint, double strewn,
                        const sb_target *t);

/* Whether values of A do not stay in what other programs leave of L3 (of one column: in all of it); and
 * whether windows in place, on Zen 5, ask for the values of windows to come for that. */
bool sb_rule_values_leave(const sb_work *w, const sb_target *t);
bool sb_rule_window_asks(const sb_work *w, const sb_target *t);

/* Bytes of A, of B, of which `footprint` are asked for, and of C; SDDMM's are columns of Y, C its X. */
double sb_rule_bytes(const sb_work *w, double footprint);

/* Whether B and C lie by rows. */
bool sb_problem_row_major(const sb_problem *pb);

/* Whether A, B and C leave the last-level cache, on Zen 3 a share of it, on Zen 4 and 5 one where they are `strewn`,
 * `rows` rows of A asking together for rows of B. */
bool sb_rule_beyond(const sb_work *w, double footprint, double strewn, int rows,
                    const sb_target *t);

/* Whether plain rows ask for each row of B, whole, for that (sb_rule_beyond, too). */
bool sb_rule_asks_whole(const sb_work *w, double footprint, double strewn,
                        const sb_target *t);
/* Whether A, B and C do, on Zen 3, 4 and 5, and rows of B are long enough to be asked for: far
 * enough that it pays, or, where rows are too long for it, that an order of rows may. */
bool sb_rule_leaves(const sb_problem *pb, double footprint, double strewn, int rows,
                    const sb_target *t);

/* Whether C is so large that it had better not go through the caches, rows having `mean` entries. */
bool sb_rule_past(const sb_work *w, double mean, const sb_target *t);

/* Whether C is stored past the caches: larger than all L2 and rows short, or several lines a
 * row where it would leave the last cache before it is read; whole lines alone (rule 5). */
bool sb_rule_stream(const sb_problem *pb, const sb_work *w, double mean,
                    const sb_target *t);

/* Whether it is where rows of C come in an order of communities, whatever its size: Emerald Rapids,
 * rows of 128 bytes and more, whole lines. */
bool sb_rule_stream_order(const sb_problem *pb, const sb_work *w, const sb_target *t);

/* Whether it is where rows ask for what their last entries name (sb_rule_last), whatever its size: Zen 4,
 * whole lines, none of them cut short by the tile. */
bool sb_rule_stream_last(const sb_problem *pb, const sb_work *w, const sb_target *t);

/* Blocks of rows of a panel part: one a thread, or so many that the rows of C of a block
 * stay in half of L2 while it visits the panels. */
int64_t sb_rule_blocks(const sb_work *w, const sb_target *t);

/* The kernel for a set of part kinds (bit per sb_part_kind) under a choice. */
void sb_spec_of(sb_spec *out, const sb_problem *pb, const sb_choice *ch, unsigned kinds,
                sb_dtype ptr, sb_dtype idx);

/* Whether a kernel for exactly this many columns would fit, of all or of slabs of one width. */
bool sb_spec_exact(const sb_spec *s, const sb_problem *pb, int slab);

/* False when only the reference kernel computes this problem, with the reason. */
bool sb_problem_planable(const sb_problem *pb, const char **why);

#endif
