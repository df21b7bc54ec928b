/*
 * The parts of a decomposition as arrays: which entries, in which format, in which
 * order. Kernels and plans meet these arrays by name, so names and element types are a
 * contract with the rewrite rules in src/kernels:
 *
 *   I = type of the view's columns, P = type of slot numbers (I32 when nnz fits and the
 *   caller's offsets are I32)
 *   rows   rows_row I[u]  rows_lo P[u]  rows_hi P[u]     row u owns slots [lo, hi)
 *   ell    ell_row I[u]  ell_len I[u]  ell_crd I[u * ell_width]  ell_pos P[same]
 *          int ell_width: slots per unit; only the first ell_len of a unit are set
 *   bsr    bsr_ptr P[rows / b + 1]  bsr_crd I[blocks] (block columns)
 *          bsr_pos P[blocks * b * b], element (r, c) of block q at (q * b + r) * b + c
 *   dia    dia_off I64[d]  dia_pos P[rows * d], diagonal q of row i at i * d + q, -1:
 * hole int dia_count: d coo    coo_row I[u]  coo_crd I[u]  coo_pos P[u], sorted by row
 * Packed values replace *_pos by *_val in the same layout (holes zero). All indices of
 * these arrays count from 0. Coordinates in place (A_crd) keep the caller's base.
 */
#ifndef SB_FORMATS_PART_H
#define SB_FORMATS_PART_H

#include "base/diag.h"
#include "base/status.h"
#include "formats/view.h"

typedef enum sb_part_kind {
    SB_PART_CSR,
    SB_PART_ROWS,
    SB_PART_ELL,
    SB_PART_BSR,
    SB_PART_DIA,
    SB_PART_COO,
    SB_PART_COUNT
} sb_part_kind;

#define SB_PART_ARRAYS 6
#define SB_PART_GROUPS 512

typedef struct sb_part_array {
    const char *name; /* static */
    sb_dtype type;
    int64_t count;
    void *data; /* owned by the part until taken */
} sb_part_array;

/*
 * Units [lo, hi) that may run at the same time. Units are what tiles count: rows (csr,
 * dia), list entries (rows, ell), block rows (bsr), slots (coo).
 *   add    rows were touched before: beta = 1
 *   phase  groups of a later phase may touch rows of an earlier one (column partitions,
 *          splits): a barrier lies between
 */
typedef struct sb_part_group {
    int64_t lo, hi;
    int64_t nnz;
    int phase;
    bool add;
} sb_part_group;

typedef struct sb_part {
    sb_part_kind kind;
    int narray, ngroup;
    sb_part_array array[SB_PART_ARRAYS];
    sb_part_group group[SB_PART_GROUPS];
    int64_t width; /* ell_width, block size, number of diagonals */
    int64_t nnz;   /* entries of A covered */
    int64_t slots; /* slots stored, padding included */
} sb_part;

#endif
