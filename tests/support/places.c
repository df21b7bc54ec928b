/*
 * Tables of places.
 */
#include "places.h"

#include "oracle.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

static places
empty(int64_t rows, int64_t cols)
{
    const size_t n = (size_t)(rows * cols) + 1;
    places p = {.rows = rows,
                .cols = cols,
                .stored = calloc(n, sizeof *p.stored),
                .value = calloc(n, sizeof *p.value)};

    assert_true(p.stored && p.value);
    return p;
}

void
places_free(places *p)
{
    free(p->stored);
    free(p->value);
}

static void
put(places *p, int64_t i, int64_t j, sb_value v)
{
    assert_true(i >= 0 && i < p->rows && j >= 0 && j < p->cols);
    assert_false(p->stored[i * p->cols + j]);
    p->stored[i * p->cols + j] = true;
    p->value[i * p->cols + j] = v;
    p->nnz++;
}

typedef struct visit {
    places *p;
    const sb_matrix *a;
} visit;

static void
put_slot(void *user, int64_t i, int64_t j, int64_t slot)
{
    const visit *v = user;

    put(v->p, i, j, sb_value_load(v->a->val_type, v->a->val, slot));
}

places
places_of(const sb_matrix *a)
{
    places p = empty(a->rows, a->cols);

    oracle_for_each(a, 0, put_slot, &(visit){&p, a});
    return p;
}

static sb_dtype
dtype(spblasDataType_t t)
{
    return t == SPBLAS_R_32F    ? SB_F32
           : t == SPBLAS_R_64F  ? SB_F64
           : t == SPBLAS_R_16F  ? SB_F16
           : t == SPBLAS_R_16BF ? SB_BF16
           : t == SPBLAS_R_8I   ? SB_I8
           : t == SPBLAS_R_32I  ? SB_I32
           : t == SPBLAS_C_16F  ? SB_C16
           : t == SPBLAS_C_16BF ? SB_CBF16
           : t == SPBLAS_C_32F  ? SB_C32
                                : SB_C64;
}

static void
must(spblasStatus_t st)
{
    if (st != SPBLAS_STATUS_SUCCESS)
        fail_msg("%s: %s", spblasGetErrorName(st), spblasGetLastErrorMessage(NULL));
}

places
places_read(spblasHandle_t h, spblasConstSpMatDescr_t a)
{
    spblasFormatDescr_t csr;
    spblasSpMatDescr_t c;
    sb_matrix m = {.format = SB_FORMAT_CSR, .batch = 1};
    spblasIndexType_t pt, it;
    spblasIndexBase_t base;
    spblasDataType_t type;
    void *ptr, *idx;
    places p;

    must(spblasCreateFormat(&csr, "csr"));
    must(spblasConvert(h, a, csr, &c));
    must(spblasDestroyFormat(csr));
    must(spblasCsrGet(c, &m.rows, &m.cols, &m.nnz, &ptr, &idx, &m.val, &pt, &it, &base,
                      &type));
    assert_int_equal(base, SPBLAS_INDEX_BASE_ZERO);
    m.ptr = ptr;
    m.idx = idx;
    m.ptr_type = pt == SPBLAS_INDEX_64I ? SB_I64 : SB_I32;
    m.idx_type = it == SPBLAS_INDEX_64I ? SB_I64 : SB_I32;
    m.val_type = dtype(type);
    p = places_of(&m);
    must(spblasDestroySpMat(c));
    return p;
}

static bool
is_zero(sb_value v)
{
    return v.re == 0 && v.im == 0;
}

bool
places_equal(const places *a, const places *b, bool zeros, char *message, size_t size)
{
    if (a->rows != b->rows || a->cols != b->cols) {
        snprintf(message, size, "%lld x %lld, not %lld x %lld", (long long)a->rows,
                 (long long)a->cols, (long long)b->rows, (long long)b->cols);
        return false;
    }
    for (int64_t q = 0; q < a->rows * a->cols; q++) {
        const sb_value x = a->value[q], y = b->value[q];
        const bool there = a->stored[q] && !(zeros && is_zero(x));
        const bool other = b->stored[q] && !(zeros && is_zero(y));

        if (there == other && (!there || (x.re == y.re && x.im == y.im)))
            continue;
        snprintf(message, size, "(%lld, %lld): %s %g %g, not %s %g %g",
                 (long long)(q / a->cols), (long long)(q % a->cols),
                 there ? "stored" : "nothing", x.re, x.im, other ? "stored" : "nothing",
                 y.re, y.im);
        return false;
    }
    return true;
}
