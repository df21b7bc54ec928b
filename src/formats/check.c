/*
 * Offsets first, in full, so that indices are looked at only where they are known to
 * be; then every index against its dimension.
 */
#include "formats/check.h"

#include "formats/tensor.h"

#include <inttypes.h>

/* Where a fault is, for the sentence: names of the arrays, member of a batch or -1. */
typedef struct place {
    const char *ptr, *idx;
    int64_t member;
} place;

static sb_status
fault(sb_diag *diag, const place *w, const char *array, int64_t at, int64_t value,
      const char *rule, int64_t bound)
{
    if (w->member < 0)
        return sb_diag_set(diag, SB_EINVAL,
                           "malformed structure: %s[%" PRId64 "] is %" PRId64
                           ", but it must be %s %" PRId64,
                           array, at, value, rule, bound);
    return sb_diag_set(diag, SB_EINVAL,
                       "malformed structure: batch member %" PRId64 ": %s[%" PRId64
                       "] is %" PRId64 ", but it must be %s %" PRId64,
                       w->member, array, at, value, rule, bound);
}

static sb_status
check_ptr(const sb_matrix *a, const place *w, int64_t first, int64_t majors,
          sb_diag *diag)
{
    int64_t before, now;

    if (majors == 0 && !a->ptr)
        return SB_OK;
    before = sb_index(a->ptr, a->ptr_type, first);
    if (before != a->base)
        return fault(diag, w, w->ptr, 0, before, "the index base,", a->base);
    for (int64_t i = 1; i <= majors; i++, before = now) {
        now = sb_index(a->ptr, a->ptr_type, first + i);
        if (now < before)
            return fault(diag, w, w->ptr, i, now, "at least the offset before it,",
                         before);
        if (now - a->base > a->nnz)
            return fault(diag, w, w->ptr, i, now, "at most nnz plus the base,",
                         a->nnz + a->base);
    }
    if (before - a->base != a->nnz)
        return fault(diag, w, w->ptr, majors, before, "nnz plus the base,",
                     a->nnz + a->base);
    return SB_OK;
}

/* A negative index is that of an empty slot, where there may be some. */
static sb_status
check_idx(const sb_matrix *a, const place *w, const void *array, const char *name,
          int64_t first, int64_t limit, sb_diag *diag)
{
    for (int64_t p = 0; p < a->nnz; p++) {
        const int64_t v = sb_index(array, a->idx_type, first + p);

        if (v < 0 && sb_matrix_padded(a))
            continue;
        if (v < a->base)
            return fault(diag, w, name, p, v, "at least the index base,", a->base);
        if (v - a->base >= limit)
            return fault(diag, w, name, p, v, "less than", limit + a->base);
    }
    return SB_OK;
}

/* Slices have as many slots in each row. */
static sb_status
check_slices(const sb_matrix *a, const place *w, sb_diag *diag)
{
    const int64_t slices =
        a->rows > 0 ? a->rows / a->width + (a->rows % a->width > 0) : 0;

    SB_TRY(check_ptr(a, w, 0, slices, diag));
    for (int64_t i = 1; i <= slices; i++) {
        const int64_t now = sb_index(a->ptr, a->ptr_type, i) - a->base;

        if (now % a->width != 0)
            return fault(diag, w, w->ptr, i, now + a->base,
                         "the index base plus a multiple of the slice size,", a->width);
    }
    return SB_OK;
}

/* What was promised of a list's rows. */
static sb_status
check_order(const sb_matrix *a, const place *w, int64_t i0, sb_diag *diag)
{
    for (int64_t p = 1; p < a->nnz && a->rows_ascend; p++) {
        const int64_t last = sb_index(a->row, a->idx_type, i0 + p - 1);
        const int64_t now = sb_index(a->row, a->idx_type, i0 + p);

        if (now < last)
            return fault(diag, w, w->ptr, p, now, "at least", last);
    }
    return SB_OK;
}

static sb_status
check_member(const sb_matrix *a, const place *w, int64_t q, sb_diag *diag)
{
    const int64_t p0 = q * a->ptr_stride, i0 = q * a->idx_stride;
    const int64_t b = sb_matrix_block(a);
    sb_status st = SB_OK;

    if (a->format == SB_FORMAT_COO) {
        SB_TRY(check_idx(a, w, a->row, w->ptr, i0, a->rows, diag));
        SB_TRY(check_order(a, w, i0, diag));
        return check_idx(a, w, a->idx, w->idx, i0, a->cols, diag);
    }
    if (a->format == SB_FORMAT_CSC) {
        st = check_ptr(a, w, p0, a->cols, diag);
        return st != SB_OK ? st : check_idx(a, w, a->idx, w->idx, i0, a->rows, diag);
    }
    if (a->format == SB_FORMAT_SELL)
        st = check_slices(a, w, diag);
    else if (a->format != SB_FORMAT_BELL)
        st = check_ptr(a, w, p0, a->rows / b, diag);
    return st != SB_OK ? st : check_idx(a, w, a->idx, w->idx, i0, a->cols / b, diag);
}

sb_status
sb_matrix_check(const sb_matrix *a, sb_diag *diag)
{
    static const place names[] = {
        [SB_FORMAT_CSR] = {"row offsets", "column index", -1},
        [SB_FORMAT_CSC] = {"column offsets", "row index", -1},
        [SB_FORMAT_COO] = {"row index", "column index", -1},
        [SB_FORMAT_BSR] = {"block row offsets", "block column index", -1},
        [SB_FORMAT_BELL] = {"", "block column index", -1},
        [SB_FORMAT_SELL] = {"slice offsets", "column index", -1}};
    const bool shared = a->ptr_stride == 0 && a->idx_stride == 0;
    const int64_t members = shared ? 1 : a->batch;
    place w;
    sb_status st = SB_OK;

    if (a->format == SB_FORMAT_TENSOR)
        return sb_tensor_check(a->tensor, diag);
    w = names[a->format];
    for (int64_t q = 0; q < members && st == SB_OK; q++) {
        w.member = members > 1 ? q : -1;
        st = check_member(a, &w, q, diag);
    }
    return st;
}
