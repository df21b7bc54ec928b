/*
 * CSR, CSC and COO into each other: a look at the arrays, then a sort, a search or copies.
 */
#include "native/run.h"
#include "native/text.h"

#include <string.h>

#ifdef SB_TINY
enum { GROUPS_MAX = 8 };
#else
enum { GROUPS_MAX = 1024 };
#endif
enum { GROUPS_OF_BLOCK = 8, PTR = 0, IDX = 1, VAL = 2 };

/* ---- a look ----------------------------------------------------------------------------- */

static int64_t
lines_of(const sb_matrix *a)
{
    return a->format == SB_FORMAT_CSC ? a->cols : a->rows;
}

/* Flags of groups, each with a share of the lines or entries; how many there are. */
static sb_status
look(const sb_native *n, const sb_matrix *a, int64_t *flag, int64_t groups)
{
    const bool list = a->format == SB_FORMAT_COO;
    sb_native_job j = sb_native_job_of("canonical", SB_DTYPE_COUNT, SB_DTYPE_COUNT,
                                       SB_DTYPE_COUNT, SB_DTYPE_COUNT);

    sb_native_int(&j, list ? a->nnz : lines_of(a));
    sb_native_int(&j, a->format == SB_FORMAT_CSC ? a->rows : a->cols);
    sb_native_int(&j, a->nnz);
    sb_native_int(&j, list ? a->rows : 0);
    sb_native_array(&j, list ? a->row : a->ptr);
    sb_native_array(&j, a->idx);
    sb_native_array(&j, flag);
    return sb_native_groups(n, &j, groups);
}

/* SKIP: a fault was found. Waits. */
static sb_status
look_closely(const sb_native *n, const sb_matrix *a)
{
    const int64_t items =
        a->format == SB_FORMAT_COO ? a->nnz / SB_NATIVE_LANES + 1 : lines_of(a);
    const int64_t wanted = items < GROUPS_MAX ? items : GROUPS_MAX;
    const int64_t groups =
        (wanted + GROUPS_OF_BLOCK - 1) / GROUPS_OF_BLOCK * GROUPS_OF_BLOCK;
    int64_t *flag, bad = 0;
    void *own;
    sb_status st = sb_native_counts_begin(n, groups, NULL, &own, &flag);

    if (st == SB_OK)
        st = look(n, a, flag, groups);
    if (st == SB_OK)
        st = sb_native_counts_offsets(n, flag, groups, NULL, SB_I64, 0, &bad);
    n->device->ops->free(n->device, own);
    return st == SB_OK && bad > 0 ? SB_SKIP : st;
}

/* ---- arrays ----------------------------------------------------------------------------- */

typedef struct job {
    const sb_native *n;
    const sb_matrix *a;
    sb_format to;
    void **out;
    void *scratch; /* of a sort, and offsets in front of it */
} job;

static size_t
offset_bytes(int64_t lines)
{
    const size_t bytes = (size_t)(lines + 1) * sizeof(int32_t);

    return (bytes + 63) & ~(size_t)63;
}

static sb_status
take_room(job *j)
{
    const sb_matrix *a = j->a;
    const sb_device_ops *ops = j->n->device->ops;
    const size_t index = sizeof(int32_t), nnz = (size_t)a->nnz;
    const int64_t lines = j->to == SB_FORMAT_CSC ? a->cols : a->rows;
    const size_t bytes[3] = {[PTR] = index *
                                     (j->to == SB_FORMAT_COO ? nnz : (size_t)lines + 1),
                             [IDX] = index * nnz,
                             [VAL] = sb_dtype_size(a->val_type) * nnz};

    for (int q = 0; q < 3; q++)
        SB_TRY(ops->alloc(j->n->device, &j->out[q], bytes[q], j->n->diag));
    return ops->alloc(j->n->device, &j->scratch,
                      offset_bytes(a->rows) + sb_native_order_scratch(a->nnz),
                      j->n->diag);
}

static sb_status
copy_entries(const job *j)
{
    const sb_matrix *a = j->a;

    SB_TRY(sb_native_copy(j->n, j->out[IDX], a->idx, a->nnz, sizeof(int32_t)));
    return sb_native_copy(j->n, j->out[VAL], a->val, a->nnz,
                          sb_dtype_size(a->val_type));
}

/* By the other dimension; offsets to `ptr`. */
static sb_status
turn(const job *j, int32_t *ptr)
{
    const sb_matrix *a = j->a;
    const bool columns = a->format == SB_FORMAT_CSC;
    const sb_flip f = {.m = columns ? a->cols : a->rows,
                       .n = columns ? a->rows : a->cols,
                       .nnz = a->nnz,
                       .size = sb_dtype_size(a->val_type),
                       .ptr = a->format == SB_FORMAT_COO ? NULL : a->ptr,
                       .row = a->format == SB_FORMAT_COO ? a->row : NULL,
                       .idx = a->idx,
                       .val = a->val,
                       .to_ptr = ptr,
                       .to_idx = j->out[IDX],
                       .to_val = j->out[VAL],
                       .scratch = (char *)j->scratch + offset_bytes(a->rows)};

    return sb_native_flip(j->n, &f);
}

static sb_status
to_lines(const job *j)
{
    const sb_matrix *a = j->a;
    int32_t *ptr = j->out[PTR];

    if (a->format == j->to) {
        SB_TRY(sb_native_copy(j->n, ptr, a->ptr, lines_of(a) + 1, sizeof *ptr));
        return copy_entries(j);
    }
    if (a->format != SB_FORMAT_COO || j->to == SB_FORMAT_CSC)
        return turn(j, ptr);
    SB_TRY(sb_native_offsets(j->n, ptr, a->row, a->nnz, a->rows, 0));
    return copy_entries(j);
}

static sb_status
to_list(const job *j)
{
    const sb_matrix *a = j->a;
    int32_t *row = j->out[PTR], *ptr = j->scratch;

    if (a->format == SB_FORMAT_CSC) {
        SB_TRY(turn(j, ptr));
        return sb_native_rows(j->n, row, ptr, a->nnz, a->rows, 0);
    }
    if (a->format == SB_FORMAT_COO)
        SB_TRY(sb_native_copy(j->n, row, a->row, a->nnz, sizeof *row));
    else
        SB_TRY(sb_native_rows(j->n, row, a->ptr, a->nnz, a->rows, 0));
    return copy_entries(j);
}

/* ---- the whole -------------------------------------------------------------------------- */

static bool
is_plain(sb_format f)
{
    return f == SB_FORMAT_CSR || f == SB_FORMAT_CSC || f == SB_FORMAT_COO;
}

static bool
serves(const sb_matrix *a, sb_format to)
{
    return is_plain(a->format) && is_plain(to) && a->base == 0 && a->nnz > 0 &&
           a->idx_type == SB_I32 &&
           (a->format == SB_FORMAT_COO || a->ptr_type == SB_I32);
}

sb_status
sb_native_convert(const sb_native *n, void *out[3], const sb_matrix *a, sb_format to)
{
    const sb_device_ops *ops = n->device->ops;
    job j = {n, a, to, out, NULL};
    sb_status st;

    memset(out, 0, 3 * sizeof *out);
    if (!serves(a, to))
        return SB_SKIP;
    SB_TRY(look_closely(n, a));
    st = take_room(&j);
    if (st == SB_OK)
        st = to == SB_FORMAT_COO ? to_list(&j) : to_lines(&j);
    if (st == SB_OK)
        st = ops->wait(n->device, n->stream, n->diag);
    ops->free(n->device, j.scratch);
    for (int q = 0; q < 3 && st != SB_OK; q++) {
        ops->free(n->device, out[q]);
        out[q] = NULL;
    }
    return st;
}
