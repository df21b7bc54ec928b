/*
 * The parts of a decomposition as arrays: which entries, in which format, in which
 * order. Kernels and plans meet these arrays by name, so names and element types are a
 * contract with the rewrite rules in src/kernels:
 *
 *   I = type of the view's columns, P = the view's slot_type
 *   rows   rows_row I[u]  rows_lo P[u]  rows_hi P[u]     unit u: row, slots [lo, hi)
 *   ell    ell_row I[u]  ell_len I[u]  ell_crd I[u * width]  ell_pos P[u * width]
 *          only the first ell_len slots of a unit are entries
 *   bsr    bsr_ptr P[rows / b + 1]  bsr_crd I[blocks] (block columns)
 *          bsr_pos P[blocks * b * b], element (r, c) of block q at (q * b + r) * b + c
 *   pick   pick_row I[u]  pick_ptr P[u + 1] entries before a unit  pick_crd I[entries]
 *          pick_pos P[entries]; a row is one unit of a group at most
 *   dia    dia_off I64[d]  dia_pos P[rows * d], diagonal q of row i at i * d + q, or -1
 *   coo    coo_row I[u]  coo_crd I[u]  coo_pos P[u], sorted by row
 *   win    win_seg P[rows / b + 1] runs of a window  win_off P[runs + 1] slots before
 *          win_lo P[runs * b]: run s of row r of its window is in place at slots
 *          [win_lo[s * b + r], + win_off[s + 1] - win_off[s])
 *          win_crd I[slots + left] columns of the runs, then of what is left in rows
 *          win_left P[rows / b * b + 1] slots before a row in  win_rest P[..]: those in
 *          no run  win_row I[rows / b]: unit u is window win_row[u], of rows win_row[u] * b
 *          and following; rows of win_left are those of units
 *   share  share_seg P[rows / b + 1] columns that all rows of a window hold, before it
 *          share_left P[rows / b * b + 1] entries left over before a row
 *          share_crd I[shared + some + left] columns: of all rows, of some, then of what
 *          is left in rows
 *          share_pos P[(shared + some) * b + left]: column s in row r of its window at
 *          s * b + r, -1 where the row lacks it, then what is left, then SB_SHARE_SPARE
 *          times -1, so that the values of the last slot can be read as a vector.
 *          With holes: share_some P[rows / b + 1] columns that some rows lack, before a
 *          window  share_bits I32[some] bit r is set when row r of the window has it
 *   sell   sell_row I[rows]  sell_col P[slices + 1] columns before a slice
 *          sell_full P[slices] its first column that not all 16 rows have
 *          sell_ptr P[columns + 1] slots before a column  sell_crd I[nnz]
 *          sell_pos P[nnz]; lane r of slice g is row sell_row[g * 16 + r]; instead of
 *          sell_pos, with values in place: sell_lo P[rows], the row's first slot.
 *          Narrow: sell_crd i16[nnz], to which sell_base I[slices] is added; packed values
 *          that are all the same: sell_val V[1]
 *   panel  panel_row0 I[blocks + 1] rows before a block  panel_ptr P[blocks + 1] units
 *          before a block  panel_row I[u]  panel_lo P[u] first slot in place
 *          panel_off P[u + 1] slots before a unit  panel_crd I[nnz]; a unit is a segment
 *          of a row inside a panel, entry t of it column panel_crd[panel_off[u] + t],
 *          value in place at panel_lo[u] + t (packed: panel_val V[nnz] as panel_crd)
 *   mask   mask_ptr P[windows + 1] chunks before a window  mask_crd I[chunks] first of
 *          the chunk's 16 columns, all in the matrix  mask_bits I32[chunks * b], row r of its window at
 *          chunk * b + r: bit c is set when it holds column mask_crd + c. The window's
 *          rows are in place, the last window may be short
 *   hdia   hdia_seg P[slices * 3 + 1] chunks before a slice's full ones, its masked ones,
 *          its chunks of entries left over  hdia_ptr P[slices + 1] slots before a slice
 *          hdia_left P[slices + 1] entries left over before it
 *          hdia_col I[chunks] column of the chunk's diagonal in the slice's first row,
 *          outside the matrix where only other rows have it
 *          hdia_bits I32[chunks] bit r is set when row r of the slice has an entry
 *          hdia_crd I[left] columns of the entries left over, in the order of the chunks
 *          hdia_pos P[slots] by slice: 16 a diagonal, by row, -1 where the row has none;
 *          then what is left over, by chunk and row. With values in place: hdia_seg
 *          P[slices + 1] chunks before a slice, all masked, a slice's by diagonal
 *          hdia_ptr P[slices + 1] first slot of a slice  hdia_at I32[slices * 16] first of
 *          a row, counted from there  hdia_col, hdia_bits as above. Where values are
 *          looked up in n ranges: hdia_range I32[slices * n], the first slot of the slice's
 *          rows from 16 q / n (rounded up) on, counted from the slice's, and hdia_at from
 *          there; or -1 in all of a slice whose rows have more than is looked up, or behind
 *          which the matrix ends: its hdia_at is as above
 *   ubcsr  ubcsr_ptr P[windows + 1] blocks before a window of b rows  ubcsr_crd I[blocks] first of
 *          the block's w columns, all in the matrix  ubcsr_bits I32[blocks * b] as mask_bits
 *          ubcsr_val V[blocks * b * w] row by row, zero where there is no entry. The last window
 *          may be short
 *   csr, seg, prod, list  no arrays
 *   blocks  no arrays where the block rows of op(A) are the caller's; else
 *          A_ptr P[rows / b + 1]  A_crd I[blocks]  blocks_pos P[blocks], the number of the
 *          caller's block
 *
 * Packed values replace *_pos by *_val in the same layout (holes zero). All indices of
 * these arrays count from 0; coordinates in place (A_crd) keep the caller's base.
 */
#ifndef SB_FORMATS_PART_H
#define SB_FORMATS_PART_H

#include "base/diag.h"
#include "base/status.h"
#include "formats/par.h"
#include "formats/view.h"

typedef enum sb_part_kind {
    SB_PART_CSR,
    SB_PART_ROWS,
    SB_PART_ELL,
    SB_PART_BSR,
    SB_PART_DIA,
    SB_PART_COO,
    SB_PART_WIN,
    SB_PART_SEG,
    SB_PART_SELL,
    SB_PART_PANEL,
    SB_PART_MASK,
    SB_PART_BLOCKS,
    SB_PART_LIST,
    SB_PART_SHARE,
    SB_PART_HDIA,
    SB_PART_PICK,
    SB_PART_PROD,
    SB_PART_ALIKE,
    SB_PART_UBCSR,
    SB_PART_COUNT
} sb_part_kind;

/* What texts call them: plans, explanations, kernels, the cost model's file. */
extern const char *const sb_part_names[SB_PART_COUNT];

/* as src/kernels/{seg,prod,alike,sell,mask,hdia,share}.c */
enum { SB_SEG_ROWS = 8, SB_PROD_ROWS = 64, SB_ALIKE_ROWS = 16, SB_SHARE_SPARE = 3 };
enum { SB_ALIKE_RUN = 128, SB_ALIKE_ENTRIES = 2048 }; /* of a run, whole steps */
enum {
    SB_SELL_ROWS = 16,
    SB_MASK_COLS = 16,
    SB_UBCSR_ROWS = 4 /* of a block at most */
};
enum {
    SB_HDIA_ROWS = 16,
    SB_HDIA_LEFT = 512
}; /* entries left over in a slice at most */
enum {
    SB_SELL_WINDOW = 512,  /* rows that sell orders by length */
    SB_SELL_NARROW = 65536 /* columns that 16 bits tell apart */
};
enum { SB_PART_ARRAYS = 8, SB_PART_GROUPS = 24, SB_PART_MAXC = 16 };

typedef struct sb_part_array {
    const char *name; /* static */
    sb_dtype type;
    int64_t count;
    void *data; /* owned by the part until somebody takes it and sets NULL */
} sb_part_array;

/*
 * Units [lo, hi) that may run at the same time. Units are what tiles count: rows (csr,
 * dia), list entries (rows, ell, pick), block rows (bsr, blocks), windows (win, share, mask, ubcsr), groups of
 * SB_SEG_ROWS (seg) or SB_PROD_ROWS rows (prod), of rows as listed (alike), slices (sell, hdia), blocks of rows (panel), slots (coo), the caller's
 * entries (list). Units of
 * one row are adjacent, and a tile must own all of them.
 *   add    rows were touched before: beta = 1
 *   phase  groups of a later phase may touch rows of an earlier one (column partitions,
 *          splits, rests): a barrier lies between
 */
typedef struct sb_part_group {
    int64_t lo, hi, nnz;
    int phase;
    bool add;
} sb_part_group;

typedef struct sb_part {
    sb_part_kind kind;
    int narray, ngroup;
    sb_part_array array[SB_PART_ARRAYS];
    sb_part_group group[SB_PART_GROUPS];
    /* ell: slots per unit; sell: columns, hdia: chunks, of all slices; bsr, blocks, win, share, mask, ubcsr: rows together; dia: diagonals; panel: columns
     * of a panel */
    int64_t width;
    int64_t nnz;   /* entries of A covered */
    int64_t slots; /* slots stored or, for rows, what SparseTIR's buckets would store */
} sb_part;

/*
 * What the parts built so far have covered.
 *   whole    rows [0, whole) are touched and all their entries taken, marked or not: a mark an
 *            entry costs more than most parts' arrays (a fresh page some microseconds)
 *   taken    by slot, NULL while no part has taken single entries out of a row
 *   touched  by row, set once a step writes the row of C; NULL while none is
 * The arrays are owned. `rest` counts the entries not yet covered.
 */
typedef struct sb_cover {
    const sb_view *v;
    int64_t whole;
    uint8_t *taken, *touched;
    int64_t rest;
} sb_cover;

void sb_cover_init(sb_cover *cv, const sb_view *v);
void sb_cover_free(sb_cover *cv);
/* Whether any part has touched anything. */
bool sb_cover_begun(const sb_cover *cv);
/* Whether a row is not touched. */
bool sb_cover_bare(const sb_cover *cv, int64_t row);

/* Every builder fills *out from what the cover leaves, and updates the cover. ENOMEM
 * leaves *out empty. `sorted`: columns strictly increase in every row. A part that selects
 * (bsr, win, share, dia) owns all rows of its full units when it is the first; later ones
 * add, and take nothing from rows beyond those that the first has touched. */

/* For those builders: rows [0, n) that the part may take from, and whether it adds. */
int64_t sb_cover_rows(const sb_cover *cv, bool *add);
/* Room to mark entries and rows, once it is known that there is something to take; what is
 * whole is marked. */
sb_status sb_cover_open(sb_cover *cv);
/* The same for a part that reads marks, where any part has been before it. */
sb_status sb_cover_marks(sb_cover *cv);
/* Rows [0, rows) are touched and nothing is left of them: without marks where there are none. */
void sb_cover_rows_done(sb_cover *cv, int64_t rows);
/* Entries of rows [0, rows) that no part has. */
int64_t sb_cover_free_entries(const sb_cover *cv, int64_t rows);

/* All rows in place; SB_SKIP unless nothing is covered and the view's arrays are the
 * caller's. */
sb_status sb_part_csr(sb_part *out, sb_cover *cv);
/* The same in units of so many rows: csr, seg, prod; alike adds its own. */
sb_status sb_part_in_place(sb_part *out, sb_cover *cv, sb_part_kind kind);
/* All rows in place, SB_SEG_ROWS at a time (the last group may be short); conditions of
 * sb_part_csr. */
sb_status sb_part_seg(sb_part *out, sb_cover *cv);
/* The same, SB_PROD_ROWS at a time. */
sb_status sb_part_prod(sb_part *out, sb_cover *cv);
/* Rows in place that a unit of this kind has: csr, seg, prod; else 1. */
int64_t sb_part_rows_of_unit(sb_part_kind kind);
/* All rows in slices of SB_SELL_ROWS, columns copied, values in place or (else) by
 * position, to be packed; SB_SKIP unless nothing is covered, and where values in place
 * are asked for and a view has positions. narrow: columns of 16 bits, only where
 * sb_part_sell_narrows. par may be NULL. */
sb_status sb_part_sell(sb_part *out, sb_cover *cv, bool in_place, bool narrow,
                       const sb_par *par);
/* Whether the columns of each SB_SELL_WINDOW rows lie close enough; O(nnz) for matrices of
 * more than SB_SELL_NARROW columns, else O(1). */
bool sb_part_sell_narrows(const sb_view *v);
/* Of packed values, at least one, that all have the same bits, keeps the first. ENOMEM
 * leaves all. */
sb_status sb_part_sell_one(sb_part *p);
/* Columns of the slices of the window-th SB_SELL_WINDOW rows. */
int64_t sb_part_sell_columns(const sb_view *v, int64_t window);
/* hyb(c, k), nothing copied: see part_rows.c; k < 0: rows in the matrix's order. Takes
 * every rest entry and touches every row. SB_SKIP when values are not in place, or for c > 1 when !sorted. */
sb_status sb_part_rows(sb_part *out, sb_cover *cv, int c, int k, bool sorted);
/* Rest rows packed to `width` slots; longer rows take several units. Touches all rows.
 */
sb_status sb_part_ell(sb_part *out, sb_cover *cv, int64_t width);
/* All rows in segments of `width` columns, in `blocks` blocks, whose number does not
 * change the order of a row's sum; rows need not be sorted, and are walked faster where they are
 * known to be; par may be NULL. SB_SKIP unless nothing is covered
 * and values are in place, and when there would be far more panels than entries. */
sb_status sb_part_panel(sb_part *out, sb_cover *cv, int64_t width, int64_t blocks,
                        bool sorted, const sb_par *par);
/* Completely full, aligned b x b blocks. SB_SKIP when !sorted or there are none. par may be NULL. */
sb_status sb_part_bsr(sb_part *out, sb_cover *cv, int64_t b, bool sorted,
                      const sb_par *par);
/* All windows of b neighbouring rows, read in place by runs of shared columns; b <= 8.
 * SB_SKIP when !sorted, values are not in place, or no run is shared. par may be NULL. */
sb_status sb_part_win(sb_part *out, sb_cover *cv, int b, bool sorted,
                      const sb_par *par);
/* The same in an order of all windows, and of the rows behind them if there are some; NULL: as they lie. */
sb_status sb_part_win_by(sb_part *out, sb_cover *cv, int b, bool sorted,
                         const int32_t *order, const sb_par *par);
/* Slots per row that part win would share in one window of sorted rows. */
int64_t sb_part_win_shared(const sb_view *v, int64_t window, int b, int64_t *runs);
/* All windows of b neighbouring rows, by the columns that all of them hold, and with holes
 * by those that half of them hold; b <= 8. SB_SKIP when !sorted or there is no such column.
 * par may be NULL. */
sb_status sb_part_share(sb_part *out, sb_cover *cv, int b, bool holes, bool sorted,
                        const sb_par *par);
/* Adds to *all the columns that all rows of each of n windows of sorted rows hold, to *held
 * the entries in columns that half of them hold, these included, less the holes there. */
void sb_part_share_columns(const sb_view *v, const int64_t *window, int64_t n, int b,
                           int64_t *all, int64_t *held);
/* What such an array of offsets ends with; 0 where the part has none of that name. */
int64_t sb_part_total(const sb_part *p, const char *name);
/* All rows in groups: runs of up to SB_ALIKE_RUN that follow each other by one column, and up to
 * SB_ALIKE_ROWS others; conditions of sb_part_csr. par may be NULL. */
sb_status sb_part_alike(sb_part *out, sb_cover *cv, const sb_par *par);
/* Whether row i > 0 has the columns of the row above, one further. */
bool sb_part_follows(const sb_view *v, int64_t i);
/* All rows, b <= 8 a window, by masks of columns; SB_SKIP when !sorted, when values are
 * not in place, when something is covered, or with less than SB_MASK_COLS columns. par may
 * be NULL. */
sb_status sb_part_mask(sb_part *out, sb_cover *cv, int b, bool sorted,
                       const sb_par *par);
/* All rows, some a window (up to SB_UBCSR_ROWS), in blocks of 4 or 8 columns that begin anywhere, with
 * a copy of the values. SB_SKIP when !sorted, when something is covered, for views of blocks, with
 * less columns than a block has, and where blocks would have far more slots than entries. par
 * may be NULL. */
typedef struct sb_ubcsr {
    int rows, cols; /* of a block */
    const void *val;
    sb_dtype type;
} sb_ubcsr;
sb_status sb_part_ubcsr(sb_part *out, sb_cover *cv, const sb_ubcsr *as, bool sorted,
                        const sb_par *par);
/* All rows in slices of SB_HDIA_ROWS neighbours, by diagonals; values by position, to be
 * packed, or in place. Thin: packed, and diagonals of a few rows are no entries left over where
 * they are cheaper as chunks. SB_SKIP when !sorted, when something is covered, for views of
 * blocks, when hardly any diagonal is followed (packed), and when values are not in place or
 * more than 2^31 (in place). par may be NULL. */
typedef enum sb_hdia { SB_HDIA_PACKED, SB_HDIA_THIN, SB_HDIA_IN_PLACE } sb_hdia;
sb_status sb_part_hdia(sb_part *out, sb_cover *cv, sb_hdia form, bool sorted,
                       const sb_par *par);
/* To slices by diagonals in place: where each n-th of a slice's rows looks values up, in `entries`
 * slots from its first on. ENOMEM alone. */
sb_status sb_part_hdia_ranges(sb_part *p, const sb_view *v, int n, int entries);
/* Chunks of a slice that hold all its rows, some, and what is left over; entries left, and
 * of how many diagonals. */
typedef struct sb_hdia_slice {
    int64_t full, some, rest, left, thin;
} sb_hdia_slice;
/* Of n slices, out[q] of slice[q]. */
void sb_part_hdia_count(sb_hdia_slice *out, const sb_view *v, const int64_t *slice,
                        int64_t n);
/* Diagonals at least `percent` full. SB_SKIP when !sorted or there are none. */
sb_status sb_part_dia(sb_part *out, sb_cover *cv, int percent, bool sorted);
/* The rest row by row, a unit each; touches every row. */
sb_status sb_part_pick(sb_part *out, sb_cover *cv);
/* The same in an order of all rows, NULL: theirs. */
sb_status sb_part_pick_by(sb_part *out, sb_cover *cv, const int32_t *order);
/* The rest as coordinates. Touches only rows that have an entry left. */
sb_status sb_part_coo(sb_part *out, sb_cover *cv);

/* All block rows of a view of blocks: nothing copied, or structure and positions of the
 * transposed blocks; SB_SKIP for other views, and when something is covered. */
sb_status sb_part_blocks(sb_part *out, sb_cover *cv);
/* All entries in the caller's order, which need not be the view's. SDDMM only: nothing is
 * said about rows. SB_SKIP when something is covered. */
sb_status sb_part_list(sb_part *out, sb_cover *cv);

/* Replaces positions by a copy of the values found there. SB_SKIP, and nothing changed,
 * for diagonals with a stored zero: packed, it would be taken for a hole, and 0 * Inf is
 * not 0. par may be NULL. */
sb_status sb_part_pack(sb_part *p, const void *val, sb_dtype type, const sb_par *par);
/* The array of that name, or NULL. */
const sb_part_array *sb_part_find(const sb_part *p, const char *name);
/* Whether units of a group, neighbours then, are of one row: what runs units at once would
 * add to it at once. Coordinates are units that tiles keep together: false. */
bool sb_part_repeats(const sb_part *p, const sb_part_group *g);
void sb_part_free(sb_part *p); /* an all-zero part is fine */

/*
 * Exact cover: every stored entry of the view in exactly one of the parts, at the right
 * row and column. EINTERNAL with a sentence naming the first entry that is not. Meant
 * for debug builds and tests: O(nnz) time and memory.
 */
sb_status sb_parts_check(const sb_part *part, int n, const sb_view *v, sb_diag *diag);

/* For the builders: a new array of the part; NULL when memory is short. */
void *sb_part_array_new(sb_part *p, const char *name, sb_dtype type, int64_t count);

#endif
