/*
 * Csrgeam2 against dense sums: every type and base, scalars that are 0, values that must
 * not be read, sizes that cut rows into many pieces on several threads; bad arguments.
 */
#include "legacylab.h"
#include "objects.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* C of alpha * a + beta * b, from malloc. */
static sb_matrix
add(spblasDataType_t type, const sb_matrix *a, const sb_matrix *b, sb_value alpha,
    sb_value beta, int base)
{
    const int m = (int)a->rows, n = (int)a->cols;
    const spblasMatDescr_t da = lab_descr(a->base), db = lab_descr(b->base),
                           dc = lab_descr(base);
    const sb_dtype t = a->val_type;
    double x[2], y[2];
    int *at = malloc((size_t)(m + 1) * sizeof *at), nnz = -1, *col;
    size_t bytes = 1;
    void *v;

    (void)lab_scalar(t, x, alpha);
    (void)lab_scalar(t, y, beta);
    lab_ok(spblasXcsrgeam2_bufferSizeExt(
        lab_handle, type, m, n, x, &da, (int)a->nnz, a->val, a->ptr, a->idx, y, &db,
        (int)b->nnz, b->val, b->ptr, b->idx, &dc, NULL, at, NULL, &bytes));
    lab_ok(spblasXcsrgeam2Nnz(lab_handle, m, n, &da, (int)a->nnz, a->ptr, a->idx, &db,
                              (int)b->nnz, b->ptr, b->idx, &dc, at, &nnz, NULL));
    assert_int_equal(at[0], base);
    assert_int_equal(at[m], base + nnz);
    col = malloc((size_t)nnz * sizeof *col + 1);
    v = malloc((size_t)nnz * sb_dtype_size(t) + 1);
    lab_ok(spblasXcsrgeam2(lab_handle, type, m, n, x, &da, (int)a->nnz, a->val, a->ptr,
                           a->idx, y, &db, (int)b->nnz, b->val, b->ptr, b->idx, &dc, v,
                           at, col, NULL));
    return (sb_matrix){.format = SB_FORMAT_CSR,
                       .rows = m,
                       .cols = n,
                       .nnz = nnz,
                       .ptr = at,
                       .idx = col,
                       .val = v,
                       .ptr_type = SB_I32,
                       .idx_type = SB_I32,
                       .val_type = t,
                       .base = base};
}

static void
drop(sb_matrix *c)
{
    free((void *)(uintptr_t)c->ptr);
    free((void *)(uintptr_t)c->idx);
    free(c->val);
}

static void
ascending(const sb_matrix *c)
{
    const int *col = c->idx;

    for (int64_t i = 0; i < c->rows; i++) {
        const sb_slots s = sb_matrix_slots(c, i);

        for (int64_t p = s.lo + 1; p < s.hi; p++)
            assert_true(col[p - 1] < col[p]);
    }
}

static void
is_sum(const sb_matrix *c, const sb_matrix *a, const sb_matrix *b, sb_value alpha,
       sb_value beta)
{
    sb_value *x = lab_dense(a), *y = lab_dense(b), *z = lab_dense(c);
    int *sx = lab_stored(a), *sy = lab_stored(b), *sz = lab_stored(c);

    for (int64_t q = 0; q < a->rows * a->cols; q++) {
        assert_int_equal(sz[q], sx[q] || sy[q]);
        assert_true(lab_equal(z[q], lab_combine(alpha, x[q], beta, y[q])));
    }
    free(x), free(y), free(z), free(sx), free(sy), free(sz);
}

static void
sums(void **state)
{
    static const sb_value scalars[] = {{1, 0}, {2, 0}, {-3, 0}, {0, 0}, {-1, 2}};

    (void)state;
    for (uint64_t k = 0; k < 240; k++) {
        const sb_dtype t = lab_dtypes[k % LAB_TYPES];
        sb_matrix a = lab_csr(k, t, -1, -1, (int)(k / 2 % 2)), c;
        sb_matrix b = lab_csr(k + 7, t, a.rows, a.cols, (int)(k / 3 % 2));
        sb_value alpha = scalars[k % 5], beta = scalars[k / 5 % 5];

        if (!sb_dtype_is_complex(t))
            alpha.im = beta.im = 0;
        c = add(lab_types[k % LAB_TYPES], &a, &b, alpha, beta, (int)(k / 5 % 2));
        ascending(&c);
        is_sum(&c, &a, &b, alpha, beta);
        drop(&c);
        gen_free_matrix(&a);
        gen_free_matrix(&b);
    }
}

/* Values that are not numbers do not come through a scalar of 0. */
static void
unread(void **state)
{
    sb_matrix a = lab_csr(21, SB_F32, 9, 9, 0), b = lab_csr(22, SB_F32, 9, 9, 0), c;

    (void)state;
    memset(b.val, 0xff, (size_t)b.nnz * sizeof(float));
    c = add(SPBLAS_R_32F, &a, &b, (sb_value){1, 0}, (sb_value){0, 0}, 0);
    for (int64_t p = 0; p < c.nnz; p++)
        assert_true(((float *)c.val)[p] == ((float *)c.val)[p]);
    drop(&c);
    gen_free_matrix(&a);
    gen_free_matrix(&b);
}

static void
threads(void **state)
{
    const gen_spec spec = {.family = GEN_POWER_LAW,
                           .rows = 900,
                           .cols = 700,
                           .val_type = SB_F32,
                           .ptr_type = SB_I32,
                           .idx_type = SB_I32,
                           .integer = true,
                           .seed = 3};
    gen_spec other = spec;
    sb_matrix a = gen_matrix(&spec), b, c, d;

    (void)state;
    other.family = GEN_UNIFORM;
    b = gen_matrix(&other);
    lab_threads(1);
    c = add(SPBLAS_R_32F, &a, &b, (sb_value){2, 0}, (sb_value){1, 0}, 1);
    lab_threads(7);
    d = add(SPBLAS_R_32F, &a, &b, (sb_value){2, 0}, (sb_value){1, 0}, 1);
    is_sum(&d, &a, &b, (sb_value){2, 0}, (sb_value){1, 0});
    assert_int_equal(c.nnz, d.nnz);
    assert_true(c.nnz > 1 << 16);
    assert_memory_equal(c.ptr, d.ptr, 901 * sizeof(int));
    assert_memory_equal(c.idx, d.idx, (size_t)c.nnz * sizeof(int));
    assert_memory_equal(c.val, d.val, (size_t)c.nnz * sizeof(float));
    drop(&c);
    drop(&d);
    gen_free_matrix(&a);
    gen_free_matrix(&b);
}

/* Together more entries than 32 bits count: offsets alone tell, nothing is read. */
static void
too_many(void **state)
{
    const int big[2] = {0, INT32_MAX}, none[2] = {0, 0};
    const spblasMatDescr_t d = lab_descr(1), d0 = lab_descr(0);
    int at[2], nnz;

    (void)state;
    assert_int_equal(spblasXcsrgeam2Nnz(lab_handle, 1, INT32_MAX, &d0, INT32_MAX, big,
                                        none, &d0, 0, none, NULL, &d, at, &nnz, NULL),
                     SPBLAS_STATUS_INSUFFICIENT_RESOURCES);
}

static void
arguments(void)
{
    const spblasMatDescr_t d = {0}, sym = {.type = SPBLAS_MATRIX_TYPE_SYMMETRIC},
                           odd_base = {.base = (spblasIndexBase_t)2};
    static int at[4], nnz, col[8];
    size_t bytes;

#define GEAM(expect, named, hh, ty, m, n, da, na, pa, db, dc)                         \
    TRY(expect, named,                                                                \
        spblasXcsrgeam2_bufferSizeExt(hh, ty, m, n, &one, da, na, val, pa, idx, &one, \
                                      db, 3, val, ptr, idx, dc, val, at, col,         \
                                      &bytes));                                       \
    TRY(expect, named,                                                                \
        spblasXcsrgeam2(hh, ty, m, n, &one, da, na, val, pa, idx, &one, db, 3, val,   \
                        ptr, idx, dc, dense, at, col, NULL))
    GEAM(BAD, "handle", no_h, F32, 3, 4, &d, 3, ptr, &d, &d);
    GEAM(BAD, "type", h, TYPE9, 3, 4, &d, 3, ptr, &d, &d);
    GEAM(UNS, "type", h, SPBLAS_R_8I, 3, 4, &d, 3, ptr, &d, &d);
    GEAM(BAD, "m", h, F32, -1, 4, &d, 3, ptr, &d, &d);
    GEAM(BAD, "n", h, F32, 3, -4, &d, 3, ptr, &d, &d);
    GEAM(BAD, "nnzA", h, F32, 3, 4, &d, -1, ptr, &d, &d);
    GEAM(BAD, "descrA", h, F32, 3, 4, NULL, 3, ptr, &d, &d);
    GEAM(8, "descrA", h, F32, 3, 4, &sym, 3, ptr, &d, &d);
    GEAM(BAD, "descrB", h, F32, 3, 4, &d, 3, ptr, &odd_base, &d);
    GEAM(BAD, "descrC", h, F32, 3, 4, &d, 3, ptr, &d, NULL);
    TRY(BAD, "csrRowPtrA",
        spblasXcsrgeam2(h, F32, 3, 4, &one, &d, 3, val, NULL, idx, &one, &d, 3, val,
                        ptr, idx, &d, dense, at, col, NULL));
    TRY(BAD, "csrValB",
        spblasXcsrgeam2(h, F32, 3, 4, &one, &d, 3, val, ptr, idx, &one, &d, 3, NULL,
                        ptr, idx, &d, dense, at, col, NULL));
    TRY(BAD, "alpha",
        spblasXcsrgeam2(h, F32, 3, 4, NULL, &d, 3, val, ptr, idx, &one, &d, 3, val, ptr,
                        idx, &d, dense, at, col, NULL));
    TRY(BAD, "csrColIndC",
        spblasXcsrgeam2(h, F32, 3, 4, &one, &d, 3, val, ptr, idx, &one, &d, 3, val, ptr,
                        idx, &d, dense, at, NULL, NULL));
#define NNZ(named, pa, ib, pc, total)                                              \
    TRY(BAD, named,                                                                \
        spblasXcsrgeam2Nnz(h, 3, 4, &d, 3, pa, idx, &d, 3, ptr, ib, &d, pc, total, \
                           NULL))
    NNZ("csrRowPtrA", NULL, idx, at, &nnz);
    NNZ("csrColIndB", ptr, NULL, at, &nnz);
    NNZ("csrRowPtrC", ptr, idx, NULL, &nnz);
    NNZ("nnzTotal", ptr, idx, at, NULL);
}
OBJECTS_CASE(bad_arguments, arguments)

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sums),          cmocka_unit_test(unread),
        cmocka_unit_test(threads),       cmocka_unit_test(too_many),
        cmocka_unit_test(bad_arguments),
    };

    return cmocka_run_group_tests_name("api.legacy_geam", tests, lab_begin, lab_end);
}
