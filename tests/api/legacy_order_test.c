/*
 * Orders of entries against stable sorts written down plainly: CSR to CSC for values of
 * every size, offsets, sorts of COO, CSR and CSC with and without a permutation, there and
 * back of csru2csr, the same bits on several threads; bad arguments and short memory.
 */
#include "legacylab.h"
#include "objects.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define NUM SPBLAS_ACTION_NUMERIC
#define ALG SPBLAS_CSR2CSC_ALG_DEFAULT

/* ---- Rows to columns ---------------------------------------------------------------- */

typedef struct csc {
    int *ptr, *row;
    char *val;
} csc;

static csc
flip(const sb_matrix *a, spblasDataType_t type, spblasAction_t action)
{
    const spblasIndexBase_t base = a->base ? ONE : Z;
    const int m = (int)a->rows, n = (int)a->cols, nnz = (int)a->nnz;
    const size_t size = 16 * (size_t)nnz + 1;
    csc c = {malloc(((size_t)n + 1) * sizeof(int)), malloc(4 * (size_t)nnz + 1),
             malloc(size)};
    size_t bytes;
    void *buffer;

    memset(c.val, 7, size);
    lab_ok(spblasCsr2cscEx2_bufferSize(lab_handle, m, n, nnz, a->val, a->ptr, a->idx,
                                       c.val, c.ptr, c.row, type, action, base, ALG,
                                       &bytes));
    buffer = lab_buffer(bytes);
    lab_ok(spblasCsr2cscEx2(lab_handle, m, n, nnz, a->val, a->ptr, a->idx, c.val, c.ptr,
                            c.row, type, action, base, ALG, buffer));
    free(buffer);
    return c;
}

static void
drop(csc *c)
{
    free(c->ptr);
    free(c->row);
    free(c->val);
}

/* Walks A by rows: every entry must be the next of its column. */
static void
is_flipped(const csc *c, const sb_matrix *a, size_t size)
{
    int *next = malloc(((size_t)a->cols + 1) * sizeof *next);

    memcpy(next, c->ptr, ((size_t)a->cols + 1) * sizeof *next);
    assert_int_equal(c->ptr[0], a->base);
    assert_int_equal(c->ptr[a->cols], a->nnz + a->base);
    for (int64_t i = 0; i < a->rows; i++) {
        const sb_slots s = sb_matrix_slots(a, i);

        for (int64_t p = s.lo; p < s.hi; p++) {
            const int j = ((const int *)a->idx)[p] - a->base;
            const int q = next[j]++ - a->base;

            assert_true(q < c->ptr[j + 1] - a->base);
            assert_int_equal(c->row[q], i + a->base);
            assert_memory_equal(c->val + (size_t)q * size,
                                (const char *)a->val + (size_t)p * size, size);
        }
    }
    free(next);
}

static sb_matrix
unsorted_csr(uint64_t k, sb_dtype t, int base)
{
    gen_spec spec = gen_case(k);

    spec.format = SB_FORMAT_CSR;
    spec.ptr_type = spec.idx_type = SB_I32;
    spec.val_type = t;
    spec.base = base;
    spec.unsorted = true;
    spec.duplicates = k % 2;
    spec.integer = true;
    spec.batch = 1;
    return gen_matrix(&spec);
}

static void
columns(void **state)
{
    static const sb_dtype types[] = {SB_F32, SB_F64, SB_C64, SB_F16, SB_I8, SB_C32};
    static const spblasDataType_t codes[] = {SPBLAS_R_32F, SPBLAS_R_64F, SPBLAS_C_64F,
                                             SPBLAS_R_16F, SPBLAS_R_8I,  SPBLAS_C_32F};

    (void)state;
    for (uint64_t k = 0; k < 120; k++) {
        sb_matrix a = unsorted_csr(k, types[k % 6], (int)(k / 6 % 2));
        csc c = flip(&a, codes[k % 6], NUM);

        is_flipped(&c, &a, sb_dtype_size(types[k % 6]));
        drop(&c);
        c = flip(&a, codes[k % 6], SPBLAS_ACTION_SYMBOLIC);
        is_flipped(&c, &a, 0);
        assert_int_equal(c.val[0], 7);
        drop(&c);
        gen_free_matrix(&a);
    }
}

static sb_matrix
large(bool unsorted)
{
    return gen_matrix(&(gen_spec){.family = GEN_POWER_LAW,
                                  .rows = 3000,
                                  .cols = 1500,
                                  .val_type = SB_F32,
                                  .ptr_type = SB_I32,
                                  .idx_type = SB_I32,
                                  .unsorted = unsorted,
                                  .seed = 5});
}

static void
columns_on_threads(void **state)
{
    sb_matrix a = large(true);
    csc c, d;

    (void)state;
    assert_true(a.nnz > 50000);
    lab_threads(1);
    c = flip(&a, F32, NUM);
    is_flipped(&c, &a, sizeof(float));
    lab_threads(7);
    d = flip(&a, F32, NUM);
    assert_memory_equal(c.row, d.row, (size_t)a.nnz * sizeof(int));
    assert_memory_equal(c.val, d.val, (size_t)a.nnz * sizeof(float));
    drop(&c);
    drop(&d);
    gen_free_matrix(&a);
}

/* ---- Sorts -------------------------------------------------------------------------- */

typedef struct entry {
    int major, minor, at;
} entry;

static int
by_place(const void *x, const void *y)
{
    const entry *a = x, *b = y;

    if (a->major != b->major)
        return a->major < b->major ? -1 : 1;
    if (a->minor != b->minor)
        return a->minor < b->minor ? -1 : 1;
    return a->at < b->at ? -1 : a->at > b->at;
}

/* Sorts by the library: as COO either way or as rows; compares with qsort. */
static void
sort_one(const sb_matrix *a, bool by_row, bool as_rows, bool with_perm)
{
    const int m = (int)a->rows, n = (int)a->cols, nnz = (int)a->nnz;
    const spblasMatDescr_t d = lab_descr(a->base);
    int *row = malloc(4 * (size_t)nnz + 4), *col = malloc(4 * (size_t)nnz + 4);
    int *perm = malloc(4 * (size_t)nnz + 4);
    entry *e = malloc((size_t)(nnz + 1) * sizeof *e);
    size_t bytes;
    void *buffer;

    lab_ok(spblasXcsr2coo(lab_handle, a->ptr, nnz, m, row, d.base));
    memcpy(col, a->idx, 4 * (size_t)nnz);
    if (!as_rows) /* away from the rows' order */
        for (int p = 0; p + 7 < nnz; p += 3) {
            const int i = row[p], j = col[p];

            row[p] = row[nnz - 1 - p], col[p] = col[nnz - 1 - p];
            row[nnz - 1 - p] = i, col[nnz - 1 - p] = j;
        }
    for (int p = 0; p < nnz; p++)
        e[p] = by_row ? (entry){row[p], col[p], p} : (entry){col[p], row[p], p};
    qsort(e, (size_t)nnz, sizeof *e, by_place);
    lab_ok(spblasCreateIdentityPermutation(lab_handle, nnz, perm));
    lab_ok(
        as_rows
            ? spblasXcsrsort_bufferSizeExt(lab_handle, m, n, nnz, a->ptr, col, &bytes)
            : spblasXcoosort_bufferSizeExt(lab_handle, m, n, nnz, row, col, &bytes));
    buffer = lab_buffer(bytes);
    lab_ok(as_rows  ? spblasXcsrsort(lab_handle, m, n, nnz, &d, a->ptr, col,
                                    with_perm ? perm : NULL, buffer)
           : by_row ? spblasXcoosortByRow(lab_handle, m, n, nnz, row, col,
                                          with_perm ? perm : NULL, buffer)
                    : spblasXcoosortByColumn(lab_handle, m, n, nnz, row, col,
                                             with_perm ? perm : NULL, buffer));
    for (int p = 0; p < nnz; p++) {
        assert_int_equal(e[p].major, by_row ? row[p] : col[p]);
        assert_int_equal(e[p].minor, by_row ? col[p] : row[p]);
        assert_int_equal(perm[p], with_perm ? e[p].at : p);
    }
    free(row), free(col), free(perm), free(e), free(buffer);
}

static void
sorts(void **state)
{
    (void)state;
    for (uint64_t k = 0; k < 90; k++) {
        sb_matrix a = unsorted_csr(k, SB_F32, (int)(k / 2 % 2));

        sort_one(&a, true, false, k % 3 != 0);
        sort_one(&a, false, false, k % 3 != 0);
        sort_one(&a, true, true, k % 3 != 0);
        gen_free_matrix(&a);
    }
}

/* Long rows, and every team. */
static void
sorts_on_threads(void **state)
{
    sb_matrix a = large(true);

    (void)state;
    for (int team = 1; team < 8; team += 3) {
        lab_threads(team);
        sort_one(&a, true, false, true);
        sort_one(&a, false, false, true);
        sort_one(&a, true, true, true);
    }
    gen_free_matrix(&a);
}

static void
csc_is_sorted_as_csr(void **state)
{
    int at[] = {1, 3, 4}, row[] = {5, 2, 1}, perm[] = {0, 1, 2};
    const spblasMatDescr_t d = lab_descr(1);
    size_t bytes;
    void *buffer;

    (void)state;
    lab_ok(spblasXcscsort_bufferSizeExt(lab_handle, 5, 2, 3, at, row, &bytes));
    buffer = lab_buffer(bytes);
    lab_ok(spblasXcscsort(lab_handle, 5, 2, 3, &d, at, row, perm, buffer));
    assert_memory_equal(row, ((int[]){2, 5, 1}), sizeof row);
    assert_memory_equal(perm, ((int[]){1, 0, 2}), sizeof perm);
    free(buffer);
}

/* ---- Offsets ------------------------------------------------------------------------ */

static void
offsets(void **state)
{
    (void)state;
    for (uint64_t k = 0; k < 60; k++) {
        sb_matrix a = unsorted_csr(k, SB_F32, (int)(k % 2));
        const int m = (int)a.rows, nnz = (int)a.nnz;
        int *row = malloc(4 * (size_t)nnz + 4), *back = malloc(4 * (size_t)m + 4);

        lab_threads((int)(k % 3) + 1);
        lab_ok(spblasXcsr2coo(lab_handle, a.ptr, nnz, m, row, a.base ? ONE : Z));
        lab_ok(spblasXcoo2csr(lab_handle, row, nnz, m, back, a.base ? ONE : Z));
        assert_memory_equal(back, a.ptr, 4 * (size_t)m + 4);
        free(row), free(back);
        gen_free_matrix(&a);
    }
}

/* ---- There and back ----------------------------------------------------------------- */

typedef struct csru {
    sb_matrix a;
    spblasDataType_t type;
    spblasLegacyInfo_t info;
    void *buffer;
} csru;

static spblasStatus_t
sort_csru(void *user)
{
    csru *u = user;
    const spblasMatDescr_t d = lab_descr(u->a.base);

    return spblasXcsru2csr(lab_handle, u->type, (int)u->a.rows, (int)u->a.cols,
                           (int)u->a.nnz, &d, u->a.val, u->a.ptr,
                           (int *)(uintptr_t)u->a.idx, u->info, u->buffer);
}

static spblasStatus_t
unsort_csru(csru *u)
{
    const spblasMatDescr_t d = lab_descr(u->a.base);

    return spblasXcsr2csru(lab_handle, u->type, (int)u->a.rows, (int)u->a.cols,
                           (int)u->a.nnz, &d, u->a.val, u->a.ptr,
                           (int *)(uintptr_t)u->a.idx, u->info, u->buffer);
}

static csru
csru_of(uint64_t k)
{
    csru u = {.a = unsorted_csr(k, lab_dtypes[k % LAB_TYPES], (int)(k % 2)),
              .type = lab_types[k % LAB_TYPES]};
    size_t bytes;

    lab_ok(spblasCreateLegacyInfo(&u.info));
    lab_ok(spblasXcsru2csr_bufferSizeExt(lab_handle, u.type, (int)u.a.rows,
                                         (int)u.a.cols, (int)u.a.nnz, u.a.val, u.a.ptr,
                                         (int *)(uintptr_t)u.a.idx, u.info, &bytes));
    u.buffer = lab_buffer(bytes);
    return u;
}

static void
csru_end(csru *u)
{
    lab_ok(spblasDestroyLegacyInfo(u->info));
    free(u->buffer);
    gen_free_matrix(&u->a);
}

static void
there_and_back(void **state)
{
    (void)state;
    for (uint64_t k = 0; k < 60; k++) {
        csru u = csru_of(k);
        const size_t cols = 4 * (size_t)u.a.nnz;
        const size_t vals = (size_t)u.a.nnz * sb_dtype_size(u.a.val_type);
        int *col = gen_copy_bytes(u.a.idx, cols);
        char *v = gen_copy_bytes(u.a.val, vals);
        sb_value *before = lab_dense(&u.a), *after;

        lab_ok(sort_csru(&u));
        after = lab_dense(&u.a);
        for (int64_t q = 0; q < u.a.rows * u.a.cols; q++)
            assert_true(lab_equal(before[q], after[q]));
        for (int64_t i = 0; i < u.a.rows; i++)
            for (int64_t p = sb_matrix_slots(&u.a, i).lo + 1;
                 p < sb_matrix_slots(&u.a, i).hi; p++)
                assert_true(((const int *)u.a.idx)[p - 1] <= ((const int *)u.a.idx)[p]);
        lab_ok(unsort_csru(&u));
        assert_memory_equal(u.a.idx, col, cols);
        assert_memory_equal(u.a.val, v, vals);
        free(before), free(after), free(col), free(v);
        csru_end(&u);
    }
}

static spblasStatus_t
make_info(void *user)
{
    return spblasCreateLegacyInfo(user);
}

static void
end_info(void *user)
{
    lab_ok(spblasDestroyLegacyInfo(*(spblasLegacyInfo_t *)user));
}

/* The order goes with its info, so that each round begins without one. */
static void
forget(void *user)
{
    csru *u = user;

    lab_ok(unsort_csru(u));
    lab_ok(spblasDestroyLegacyInfo(u->info));
    lab_ok(spblasCreateLegacyInfo(&u->info));
}

static void
short_memory(void **state)
{
    spblasLegacyInfo_t info;
    csru u = csru_of(15);

    (void)state;
    lab_sweep(make_info, end_info, &info);
    assert_int_equal(unsort_csru(&u), SPBLAS_STATUS_INVALID_VALUE);
    lab_sweep(sort_csru, forget, &u);
    csru_end(&u);
}

/* ---- Arguments ---------------------------------------------------------------------- */

static void
arguments(void)
{
    static int out[8];
    static double scratch[256];
    const spblasMatDescr_t d = {0}, tri = {.type = SPBLAS_MATRIX_TYPE_TRIANGULAR};
    spblasLegacyInfo_t info, no_info = NULL;
    size_t bytes;

    objects_ok(spblasCreateLegacyInfo(&info));
#define FLIP(expect, named, hh, m, n, nnz, pv, pp, pi, ty, act, base, alg)          \
    TRY(expect, named,                                                              \
        spblasCsr2cscEx2(hh, m, n, nnz, pv, pp, pi, dense, out, out, ty, act, base, \
                         alg, scratch));                                            \
    TRY(expect, named,                                                              \
        spblasCsr2cscEx2(hh, m, n, nnz, dense, out, out, (void *)pv, (int *)pp,     \
                         (int *)pi, ty, act, base, alg, scratch))
    FLIP(BAD, "handle", no_h, 3, 4, 3, val, ptr, idx, F32, NUM, Z, ALG);
    FLIP(BAD, "m", h, -3, 4, 3, val, ptr, idx, F32, NUM, Z, ALG);
    FLIP(BAD, "n", h, 3, -4, 3, val, ptr, idx, F32, NUM, Z, ALG);
    FLIP(BAD, "nnz", h, 3, 4, -3, val, ptr, idx, F32, NUM, Z, ALG);
    FLIP(BAD, "Val", h, 3, 4, 3, NULL, ptr, idx, F32, NUM, Z, ALG);
    FLIP(BAD, "Ptr", h, 3, 4, 3, val, NULL, idx, F32, NUM, Z, ALG);
    FLIP(BAD, "Ind", h, 3, 4, 3, val, ptr, NULL, F32, NUM, Z, ALG);
    FLIP(BAD, "valType", h, 3, 4, 3, val, ptr, idx, TYPE9, NUM, Z, ALG);
    FLIP(BAD, "copyValues", h, 3, 4, 3, val, ptr, idx, F32, (spblasAction_t)2, Z, ALG);
    FLIP(BAD, "idxBase", h, 3, 4, 3, val, ptr, idx, F32, NUM, (spblasIndexBase_t)2,
         ALG);
    FLIP(BAD, "alg", h, 3, 4, 3, val, ptr, idx, F32, NUM, Z, (spblasCsr2CscAlg_t)2);
    FLIP(BAD, "alg", h, 3, 4, 3, val, ptr, idx, F32, NUM, Z, (spblasCsr2CscAlg_t)0);
    TRY(BAD, "buffer",
        spblasCsr2cscEx2(h, 3, 4, 3, val, ptr, idx, dense, out, out, F32, NUM, Z, ALG,
                         NULL));
    TRY(BAD, "bufferSize",
        spblasCsr2cscEx2_bufferSize(h, 3, 4, 3, val, ptr, idx, dense, out, out, F32,
                                    NUM, Z, ALG, NULL));
    TRY(BAD, "handle", spblasXcoo2csr(no_h, rows, 3, 3, out, Z));
    TRY(BAD, "nnz", spblasXcoo2csr(h, rows, -1, 3, out, Z));
    TRY(BAD, "m", spblasXcoo2csr(h, rows, 3, -1, out, Z));
    TRY(BAD, "cooRowInd", spblasXcoo2csr(h, NULL, 3, 3, out, Z));
    TRY(BAD, "csrRowPtr", spblasXcoo2csr(h, rows, 3, 3, NULL, Z));
    TRY(BAD, "idxBase", spblasXcoo2csr(h, rows, 3, 3, out, (spblasIndexBase_t)2));
    TRY(BAD, "csrRowPtr", spblasXcsr2coo(h, NULL, 3, 3, out, Z));
    TRY(BAD, "cooRowInd", spblasXcsr2coo(h, ptr, 3, 3, NULL, Z));
    TRY(BAD, "idxBase", spblasXcsr2coo(h, ptr, 3, 3, out, (spblasIndexBase_t)2));
    TRY(BAD, "n", spblasCreateIdentityPermutation(h, -1, out));
    TRY(BAD, "p", spblasCreateIdentityPermutation(h, 2, NULL));
    TRY(BAD, "bufferSize", spblasXcoosort_bufferSizeExt(h, 3, 4, 3, rows, idx, NULL));
    TRY(BAD, "m", spblasXcoosortByRow(h, -3, 4, 3, rows, idx, NULL, scratch));
    TRY(BAD, "cooRowsA", spblasXcoosortByRow(h, 3, 4, 3, NULL, idx, NULL, scratch));
    TRY(BAD, "cooColsA", spblasXcoosortByColumn(h, 3, 4, 3, rows, NULL, NULL, scratch));
    TRY(BAD, "buffer", spblasXcoosortByColumn(h, 3, 4, 3, rows, idx, NULL, NULL));
    TRY(BAD, "buffer", spblasXcoosortByRow(h, 3, 4, 3, rows, idx, NULL, odd));
    TRY(BAD, "bufferSize", spblasXcsrsort_bufferSizeExt(h, 3, 4, 3, ptr, idx, NULL));
    TRY(BAD, "nnz", spblasXcscsort_bufferSizeExt(h, 3, 4, -3, ptr, idx, &bytes));
    TRY(BAD, "descrA", spblasXcsrsort(h, 3, 4, 3, NULL, ptr, idx, NULL, scratch));
    TRY(8, "descrA", spblasXcsrsort(h, 3, 4, 3, &tri, ptr, idx, NULL, scratch));
    TRY(BAD, "csrRowPtrA", spblasXcsrsort(h, 3, 4, 3, &d, NULL, idx, NULL, scratch));
    TRY(BAD, "cscColPtrA", spblasXcscsort(h, 3, 4, 3, &d, NULL, idx, NULL, scratch));
    TRY(BAD, "buffer", spblasXcscsort(h, 3, 4, 3, &d, ptr, idx, NULL, NULL));
    TRY(BAD, "info", spblasCreateLegacyInfo(NULL));
    TRY(BAD, "info", spblasDestroyLegacyInfo((spblasLegacyInfo_t)(void *)h));
    TRY(BAD, "info",
        spblasXcsru2csr_bufferSizeExt(h, F32, 3, 4, 3, val, ptr, idx, no_info, &bytes));
    TRY(BAD, "bufferSize",
        spblasXcsru2csr_bufferSizeExt(h, F32, 3, 4, 3, val, ptr, idx, info, NULL));
    TRY(BAD, "type",
        spblasXcsru2csr(h, TYPE9, 3, 4, 3, &d, val, ptr, idx, info, scratch));
    TRY(BAD, "csrVal",
        spblasXcsru2csr(h, F32, 3, 4, 3, &d, NULL, ptr, idx, info, scratch));
    TRY(BAD, "info",
        spblasXcsru2csr(h, F32, 3, 4, 3, &d, val, ptr, idx, no_info, scratch));
    TRY(BAD, "buffer", spblasXcsru2csr(h, F32, 3, 4, 3, &d, val, ptr, idx, info, NULL));
    TRY(BAD, "info",
        spblasXcsr2csru(h, F32, 3, 4, 3, &d, val, ptr, idx, info, scratch));
    objects_ok(spblasDestroyLegacyInfo(info));
    objects_ok(spblasDestroyLegacyInfo(NULL));
}
OBJECTS_CASE(bad_arguments, arguments)

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(columns),
        cmocka_unit_test(columns_on_threads),
        cmocka_unit_test(sorts),
        cmocka_unit_test(sorts_on_threads),
        cmocka_unit_test(csc_is_sorted_as_csr),
        cmocka_unit_test(offsets),
        cmocka_unit_test(there_and_back),
        cmocka_unit_test(short_memory),
        cmocka_unit_test(bad_arguments),
    };

    return cmocka_run_group_tests_name("api.legacy_order", tests, lab_begin, lab_end);
}
