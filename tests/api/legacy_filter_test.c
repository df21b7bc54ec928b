/*
 * Elements by magnitude against plain loops: numbers of nonzeros, compression, pruning by
 * a threshold and by a percentage, from dense and from sparse; bad arguments.
 */
#include "call.h"
#include "legacylab.h"
#include "objects.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* A matrix both ways: CSR, and dense by columns with a gap of NaN below. */
typedef struct both {
    sb_matrix a;
    spblasDataType_t type;
    int m, n, lda;
    void *dense;
    sb_value *v; /* row-major */
    int *stored;
} both;

static both
make(uint64_t k)
{
    both b = {.a = lab_csr(k, lab_dtypes[k % LAB_TYPES], -1, -1, (int)(k / 2 % 2)),
              .type = lab_types[k % LAB_TYPES]};
    const size_t size = sb_dtype_size(b.a.val_type);

    b.m = (int)b.a.rows;
    b.n = (int)b.a.cols;
    b.lda = b.m + 2;
    b.v = lab_dense(&b.a);
    b.stored = lab_stored(&b.a);
    b.dense = malloc((size_t)b.lda * (size_t)(b.n + 1) * size);
    memset(b.dense, 0xff, (size_t)b.lda * (size_t)(b.n + 1) * size);
    for (int i = 0; i < b.m; i++)
        for (int j = 0; j < b.n; j++)
            sb_value_store(b.a.val_type, b.dense, i + (int64_t)j * b.lda,
                           b.v[i * b.n + j]);
    return b;
}

static void
drop(both *b)
{
    free(b->dense), free(b->v), free(b->stored);
    gen_free_matrix(&b->a);
}

static double
size_of(sb_value v)
{
    return hypot(v.re, v.im);
}

/* C holds just the elements above the bound (of a sparse source: the stored ones). */
static void
is_filtered(const both *b, bool sparse, double bound, int base, const int *at,
            const int *col, const void *val, int nnz)
{
    int q = 0;

    for (int i = 0; i < b->m; i++) {
        assert_int_equal(at[i], q + base);
        for (int j = 0; j < b->n; j++) {
            const sb_value v = b->v[i * b->n + j];

            if ((sparse && !b->stored[i * b->n + j]) || size_of(v) <= bound)
                continue;
            assert_true(q < nnz);
            assert_int_equal(col[q], j + base);
            assert_true(lab_equal(sb_value_load(b->a.val_type, val, q), v));
            q++;
        }
    }
    assert_int_equal(at[b->m], q + base);
    assert_int_equal(nnz, q);
}

static void
numbers(void **state)
{
    (void)state;
    for (uint64_t k = 0; k < 60; k++) {
        both b = make(k);
        const spblasMatDescr_t d = lab_descr(0);

        lab_threads((int)(k % 4) + 1);
        for (int dir = 0; dir < 2; dir++) {
            const int lines = dir ? b.n : b.m, other = dir ? b.m : b.n;
            int *count = malloc(4 * (size_t)lines + 4), total = -1, sum = 0;

            lab_ok(spblasXnnz(lab_handle, b.type, (spblasDirection_t)dir, b.m, b.n, &d,
                              b.dense, b.lda, count, &total));
            for (int i = 0; i < lines; i++) {
                int n = 0;

                for (int j = 0; j < other; j++)
                    n += size_of(b.v[dir ? j * b.n + i : i * b.n + j]) > 0;
                assert_int_equal(count[i], n);
                sum += n;
            }
            assert_int_equal(total, sum);
            free(count);
        }
        drop(&b);
    }
}

static void
compression(void **state)
{
    (void)state;
    for (uint64_t k = 0; k < 60; k++) {
        both b = make(k);
        const spblasMatDescr_t d = lab_descr(b.a.base);
        const double tol = (double)(k % 4);
        int *count = malloc(4 * (size_t)b.m + 4), *at = malloc(4 * (size_t)b.m + 4);
        int *col = malloc(4 * (size_t)b.a.nnz + 4), nnz = -1;
        void *val = malloc(16 * (size_t)b.a.nnz + 16);

        lab_ok(spblasXnnz_compress(lab_handle, b.type, b.m, &d, b.a.val, b.a.ptr, count,
                                   &nnz, tol));
        lab_ok(spblasXcsr2csr_compress(lab_handle, b.type, b.m, b.n, &d, b.a.val,
                                       b.a.idx, b.a.ptr, (int)b.a.nnz, count, val, col,
                                       at, tol));
        is_filtered(&b, true, tol, b.a.base, at, col, val, nnz);
        free(count), free(at), free(col), free(val);
        drop(&b);
    }
}

/* Smallest first, as the percentage counts; all places of a dense source. */
static int
by_size(const void *x, const void *y)
{
    const double a = *(const double *)x, b = *(const double *)y;

    return a < b ? -1 : a > b;
}

static double
bound_at(const both *b, bool sparse, float percentage)
{
    const int all = b->m * b->n;
    double *mag = malloc((size_t)(all + 1) * sizeof *mag), bound;
    int count = 0, at;

    for (int q = 0; q < all; q++)
        if (!sparse || b->stored[q])
            mag[count++] = size_of(b->v[q]);
    qsort(mag, (size_t)count, sizeof *mag, by_size);
    at = (int)ceil(count * ((double)percentage / 100)) - 1;
    at = at > count - 1 ? count - 1 : at;
    bound = count ? mag[at > 0 ? at : 0] : 0;
    free(mag);
    return bound;
}

static void
prune_dense(const both *b, int base, double bound)
{
    const spblasMatDescr_t d = lab_descr(base);
    int *at = malloc(4 * (size_t)b->m + 4),
        *col = malloc(4 * (size_t)(b->m * b->n) + 4);
    void *val = malloc(16 * (size_t)(b->m * b->n) + 16);
    double t[2];
    size_t bytes = 1;
    int nnz = -1;

    sb_value_store(b->a.val_type, t, 0, (sb_value){bound, 0});
    lab_ok(spblasXpruneDense2csr_bufferSizeExt(lab_handle, b->type, b->m, b->n,
                                               b->dense, b->lda, t, &d, val, at, col,
                                               &bytes));
    call_wants_no_buffer(bytes);
    lab_ok(spblasXpruneDense2csrNnz(lab_handle, b->type, b->m, b->n, b->dense, b->lda,
                                    t, &d, at, &nnz, NULL));
    lab_ok(spblasXpruneDense2csr(lab_handle, b->type, b->m, b->n, b->dense, b->lda, t,
                                 &d, val, at, col, NULL));
    is_filtered(b, false, bound, base, at, col, val, nnz);
    free(at), free(col), free(val);
}

static void
prune_sparse(const both *b, int base, double bound)
{
    const spblasMatDescr_t da = lab_descr(b->a.base), d = lab_descr(base);
    int *at = malloc(4 * (size_t)b->m + 4), *col = malloc(4 * (size_t)b->a.nnz + 4);
    void *val = malloc(16 * (size_t)b->a.nnz + 16);
    double t[2];
    size_t bytes = 1;
    int nnz = -1;

    sb_value_store(b->a.val_type, t, 0, (sb_value){bound, 0});
    lab_ok(spblasXpruneCsr2csr_bufferSizeExt(lab_handle, b->type, b->m, b->n,
                                             (int)b->a.nnz, &da, b->a.val, b->a.ptr,
                                             b->a.idx, t, &d, val, at, col, &bytes));
    lab_ok(spblasXpruneCsr2csrNnz(lab_handle, b->type, b->m, b->n, (int)b->a.nnz, &da,
                                  b->a.val, b->a.ptr, b->a.idx, t, &d, at, &nnz, NULL));
    lab_ok(spblasXpruneCsr2csr(lab_handle, b->type, b->m, b->n, (int)b->a.nnz, &da,
                               b->a.val, b->a.ptr, b->a.idx, t, &d, val, at, col,
                               NULL));
    is_filtered(b, true, bound, base, at, col, val, nnz);
    free(at), free(col), free(val);
}

static void
prune_ranked(const both *b, bool sparse, int base, float percentage)
{
    const spblasMatDescr_t da = lab_descr(b->a.base), d = lab_descr(base);
    const int count = sparse ? (int)b->a.nnz : b->m * b->n;
    int *at = malloc(4 * (size_t)b->m + 4), *col = malloc(4 * (size_t)count + 4), nnz;
    void *val = malloc(16 * (size_t)count + 16), *buffer;
    spblasLegacyInfo_t info;
    size_t bytes;

    lab_ok(spblasCreateLegacyInfo(&info));
    if (sparse) {
        lab_ok(spblasXpruneCsr2csrByPercentage_bufferSizeExt(
            lab_handle, b->type, b->m, b->n, count, &da, b->a.val, b->a.ptr, b->a.idx,
            percentage, &d, val, at, col, info, &bytes));
        buffer = lab_buffer(bytes);
        lab_ok(spblasXpruneCsr2csrNnzByPercentage(
            lab_handle, b->type, b->m, b->n, count, &da, b->a.val, b->a.ptr, b->a.idx,
            percentage, &d, at, &nnz, info, buffer));
        lab_ok(spblasXpruneCsr2csrByPercentage(
            lab_handle, b->type, b->m, b->n, count, &da, b->a.val, b->a.ptr, b->a.idx,
            percentage, &d, val, at, col, info, buffer));
    } else {
        lab_ok(spblasXpruneDense2csrByPercentage_bufferSizeExt(
            lab_handle, b->type, b->m, b->n, b->dense, b->lda, percentage, &d, val, at,
            col, info, &bytes));
        buffer = lab_buffer(bytes);
        lab_ok(spblasXpruneDense2csrNnzByPercentage(lab_handle, b->type, b->m, b->n,
                                                    b->dense, b->lda, percentage, &d,
                                                    at, &nnz, info, buffer));
        lab_ok(spblasXpruneDense2csrByPercentage(lab_handle, b->type, b->m, b->n,
                                                 b->dense, b->lda, percentage, &d, val,
                                                 at, col, info, buffer));
    }
    is_filtered(b, sparse, bound_at(b, sparse, percentage), base, at, col, val, nnz);
    lab_ok(spblasDestroyLegacyInfo(info));
    free(at), free(col), free(val), free(buffer);
}

static void
pruning(void **state)
{
    static const float percentages[] = {0, 20, 33.3f, 50, 99, 100};

    (void)state;
    for (uint64_t k = 0; k < 60; k++) {
        both b = make(k);

        lab_threads((int)(k % 3) + 1);
        prune_dense(&b, (int)(k / 3 % 2), (double)(k % 4));
        prune_sparse(&b, (int)(k / 3 % 2), (double)(k % 4));
        prune_ranked(&b, false, (int)(k % 2), percentages[k / 6 % 6]);
        prune_ranked(&b, true, (int)(k % 2), percentages[k / 6 % 6]);
        drop(&b);
    }
}

/* What is not a number is not dropped. */
static void
not_a_number(void **state)
{
    const float v[] = {1, NAN, 0}, t = 5;
    const spblasMatDescr_t d = {0};
    int at[2], nnz;

    (void)state;
    lab_ok(
        spblasXpruneDense2csrNnz(lab_handle, F32, 1, 3, v, 1, &t, &d, at, &nnz, NULL));
    assert_int_equal(nnz, 1);
}

static void
arguments(void)
{
    static int out[8];
    static double scratch[8192];
    const spblasMatDescr_t d = {0}, sym = {.type = SPBLAS_MATRIX_TYPE_HERMITIAN};
    spblasLegacyInfo_t info, none = NULL;
    size_t bytes;
    int n;

    objects_ok(spblasCreateLegacyInfo(&info));
#define XNNZ(expect, named, hh, ty, dir, m, n_, dd, a, lda, o, t) \
    TRY(expect, named, spblasXnnz(hh, ty, dir, m, n_, dd, a, lda, o, t))
    XNNZ(BAD, "handle", no_h, F32, (spblasDirection_t)0, 3, 4, &d, dense, 3, out, &n);
    XNNZ(BAD, "type", h, TYPE9, (spblasDirection_t)0, 3, 4, &d, dense, 3, out, &n);
    XNNZ(BAD, "dirA", h, F32, (spblasDirection_t)2, 3, 4, &d, dense, 3, out, &n);
    XNNZ(BAD, "m", h, F32, (spblasDirection_t)0, -3, 4, &d, dense, 3, out, &n);
    XNNZ(BAD, "n", h, F32, (spblasDirection_t)0, 3, -4, &d, dense, 3, out, &n);
    XNNZ(8, "descrA", h, F32, (spblasDirection_t)0, 3, 4, &sym, dense, 3, out, &n);
    XNNZ(BAD, "A", h, F32, (spblasDirection_t)0, 3, 4, &d, NULL, 3, out, &n);
    XNNZ(BAD, "lda", h, F32, (spblasDirection_t)0, 3, 4, &d, dense, 2, out, &n);
    XNNZ(BAD, "nnzPerRowCol", h, F32, (spblasDirection_t)1, 3, 4, &d, dense, 3, NULL,
         &n);
    XNNZ(BAD, "nnzTotal", h, F32, (spblasDirection_t)1, 3, 4, &d, dense, 3, out, NULL);
    TRY(BAD, "tol", spblasXnnz_compress(h, F32, 3, &d, val, ptr, out, &n, -1));
    TRY(BAD, "csrValA", spblasXnnz_compress(h, F32, 3, &d, NULL, ptr, out, &n, 1));
    TRY(BAD, "nnzC", spblasXnnz_compress(h, F32, 3, &d, val, ptr, out, NULL, 1));
    TRY(BAD, "tol",
        spblasXcsr2csr_compress(h, F32, 3, 4, &d, val, idx, ptr, 3, out, val, out, out,
                                (double)NAN));
    TRY(BAD, "nnzPerRow",
        spblasXcsr2csr_compress(h, F32, 3, 4, &d, val, idx, ptr, 3, NULL, val, out, out,
                                1));
#define DENSE(named, hh, ty, m, lda, a, t, dc, pc)                            \
    TRY(BAD, named,                                                           \
        spblasXpruneDense2csrNnz(hh, ty, m, 4, a, lda, t, dc, pc, &n, NULL)); \
    TRY(BAD, named,                                                           \
        spblasXpruneDense2csr(hh, ty, m, 4, a, lda, t, dc, val, pc, out, NULL))
    DENSE("handle", no_h, F32, 3, 3, dense, &one, &d, out);
    DENSE("type", h, TYPE9, 3, 3, dense, &one, &d, out);
    DENSE("m", h, F32, -3, 3, dense, &one, &d, out);
    DENSE("lda", h, F32, 3, 2, dense, &one, &d, out);
    DENSE("A", h, F32, 3, 3, NULL, &one, &d, out);
    DENSE("threshold", h, F32, 3, 3, dense, NULL, &d, out);
    DENSE("descrC", h, F32, 3, 3, dense, &one, NULL, out);
    DENSE("csrRowPtrC", h, F32, 3, 3, dense, &one, &d, NULL);
    TRY(BAD, "nnzTotal",
        spblasXpruneDense2csrNnz(h, F32, 3, 4, dense, 3, &one, &d, out, NULL, NULL));
    TRY(BAD, "descrA",
        spblasXpruneCsr2csrNnz(h, F32, 3, 4, 3, NULL, val, ptr, idx, &one, &d, out, &n,
                               NULL));
    TRY(BAD, "csrColIndA",
        spblasXpruneCsr2csrNnz(h, F32, 3, 4, 3, &d, val, ptr, NULL, &one, &d, out, &n,
                               NULL));
    TRY(BAD, "bufferSize",
        spblasXpruneDense2csr_bufferSizeExt(h, F32, 3, 4, dense, 3, &one, &d, val, out,
                                            out, NULL));
#define RANKED(named, p, i, b)                                                        \
    TRY(BAD, named,                                                                   \
        spblasXpruneDense2csrNnzByPercentage(h, F32, 3, 4, dense, 3, p, &d, out, &n,  \
                                             i, b));                                  \
    TRY(BAD, named,                                                                   \
        spblasXpruneCsr2csrNnzByPercentage(h, F32, 3, 4, 3, &d, val, ptr, idx, p, &d, \
                                           out, &n, i, b))
    RANKED("percentage", -1, info, scratch);
    RANKED("percentage", 101, info, scratch);
    RANKED("percentage", NAN, info, scratch);
    RANKED("info", 50, none, scratch);
    RANKED("buffer", 50, info, NULL);
    TRY(BAD, "info",
        spblasXpruneDense2csrByPercentage(h, F32, 3, 4, dense, 3, 50, &d, val, out, out,
                                          info, scratch));
    TRY(BAD, "info",
        spblasXpruneDense2csrByPercentage_bufferSizeExt(h, F32, 3, 4, dense, 3, 50, &d,
                                                        val, out, out, none, &bytes));
    objects_ok(spblasDestroyLegacyInfo(info));
}
OBJECTS_CASE(bad_arguments, arguments)

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers),       cmocka_unit_test(compression),
        cmocka_unit_test(pruning),       cmocka_unit_test(not_a_number),
        cmocka_unit_test(bad_arguments),
    };

    return cmocka_run_group_tests_name("api.legacy_filter", tests, lab_begin, lab_end);
}
