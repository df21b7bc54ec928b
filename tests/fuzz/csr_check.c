/*
 * The validation attribute on arbitrary structure arrays: the check never reads out of
 * bounds, and what it accepts, the reference kernel computes without reading out of
 * bounds. Arrays are exactly as long as the descriptor says, so a sanitizer sees any
 * step beyond them.
 *
 * Input: format, rows, cols, nnz, base, widths, block, then index bytes.
 */
#include "cpu/ref.h"
#include "formats/check.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

typedef struct reader {
    const uint8_t *at, *end;
} reader;

static int
next(reader *r)
{
    return r->at < r->end ? *r->at++ : 0;
}

/* count indices of type t, each one signed byte; 0x80 and 0x7f stand for the extremes. */
static void *
indices(reader *r, sb_dtype t, int64_t count)
{
    void *p = malloc(count > 0 ? (size_t)count * sb_dtype_size(t) : 1);

    for (int64_t i = 0; p && i < count; i++) {
        const int v = (int8_t)next(r);

        if (t == SB_I64)
            ((int64_t *)p)[i] = v == -128 ? INT64_MIN : v == 127 ? INT64_MAX : v;
        else
            ((int32_t *)p)[i] = v == -128 ? INT32_MIN : v == 127 ? INT32_MAX : v;
    }
    return p;
}

/* y = A x with exact-size x and y. */
static void
multiply(const sb_matrix *a)
{
    float *x = calloc(a->cols > 0 ? (size_t)a->cols : 1, sizeof *x);
    float *y = calloc(a->rows > 0 ? (size_t)a->rows : 1, sizeof *y);
    const sb_problem pb = {.op = SB_OP_SPMV,
                           .a = *a,
                           .b = {.rows = a->cols,
                                 .cols = 1,
                                 .ld = 1,
                                 .type = SB_F32,
                                 .data = x,
                                 .batch = 1},
                           .c = {.rows = a->rows,
                                 .cols = 1,
                                 .ld = 1,
                                 .type = SB_F32,
                                 .data = y,
                                 .batch = 1},
                           .compute = SB_F32,
                           .alpha = {1.0, 0.0},
                           .batch = 1};

    if (x && y && sb_ref_run(&pb, NULL) != SB_OK)
        abort();
    free(x);
    free(y);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    reader r = {data, data + size};
    const sb_format format = (sb_format)(next(&r) % 4);
    const int64_t block = format == SB_FORMAT_BSR ? 1 + next(&r) % 3 : 1;
    const int64_t rows = next(&r) % 9, cols = next(&r) % 9, nnz = next(&r) % 17;
    const int flags = next(&r);
    const sb_dtype it = flags & 1 ? SB_I64 : SB_I32;
    const sb_dtype pt = format == SB_FORMAT_COO ? it : flags & 2 ? SB_I64 : SB_I32;
    const int64_t majors = format == SB_FORMAT_CSC ? cols : rows;
    sb_matrix a = {.format = format,
                   .rows = rows * block,
                   .cols = cols * block,
                   .nnz = nnz,
                   .ptr_type = pt,
                   .idx_type = it,
                   .val_type = SB_F32,
                   .base = flags >> 2 & 1,
                   .block = block,
                   .batch = 1};
    void *const ptr = indices(&r, pt, format == SB_FORMAT_COO ? nnz : majors + 1);
    void *const idx = indices(&r, it, nnz);
    float *val = calloc((size_t)(nnz * block * block) + 1, sizeof *val);
    sb_diag diag = {0};

    if (format == SB_FORMAT_COO)
        a.row = ptr;
    else
        a.ptr = ptr;
    a.idx = idx;
    a.val = val;
    if (ptr && idx && val) {
        if (sb_matrix_check(&a, &diag) == SB_OK)
            multiply(&a);
        else if (!strstr(diag.text, "malformed structure"))
            abort();
    }
    free(ptr);
    free(idx);
    free(val);
    return 0;
}
