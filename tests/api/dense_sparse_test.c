/*
 * Dense to sparse and back: every format, type, order, index width and base against the
 * definition, entry by entry; there and back again; the same bits on any team.
 * ctest-labels: quick tsan
 */
#include "base/alloc.h"
#include "denselab.h"
#include "gen.h"
#include "oracle.h"
#include "team.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const sb_dtype types[] = {SB_F32,  SB_F64, SB_C32,   SB_C64, SB_F16,
                                 SB_BF16, SB_C16, SB_CBF16, SB_I8,  SB_I32};
enum { TYPES = sizeof types / sizeof types[0] };
static const int teams[] = {1, 2, 5};

static spblasHandle_t handle;

static int
open_handle(void **state)
{
    (void)state;
    return (int)spblasCreate(&handle);
}

static int
close_handle(void **state)
{
    (void)state;
    return (int)spblasDestroy(handle);
}

/* ---- Sparse to dense ---------------------------------------------------------------- */

typedef struct sum {
    const sb_matrix *a;
    const sb_dense *d;
} sum;

static void
add_entry(void *user, int64_t i, int64_t j, int64_t slot)
{
    const sum *s = user;

    dense_add(s->d, i, j, s->a, slot);
}

static void
take_entry(void *user, int64_t i, int64_t j, int64_t slot)
{
    const sum *s = user;
    const size_t size = sb_dtype_size(s->d->type);

    memcpy((char *)s->a->val + slot * (int64_t)size, dense_element(s->d, i, j), size);
}

static void
define_dense(const sb_dense *d, const sb_matrix *a)
{
    sum s = {a, d};

    for (int64_t i = 0; i < d->rows; i++)
        for (int64_t j = 0; j < d->cols; j++)
            sb_value_store(d->type, dense_element(d, i, j), 0, (sb_value){0, 0});
    oracle_for_each(a, 0, add_entry, &s);
}

/* The whole extent, so that gaps count. */
static void
same_dense(const sb_dense *got, const sb_dense *want, const char *what, uint64_t k)
{
    const size_t bytes = (size_t)gen_dense_extent(want) * sb_dtype_size(want->type);

    if (bytes > 0 && memcmp(got->data, want->data, bytes) != 0)
        fail_msg("%s, case %llu", what, (unsigned long long)k);
}

static void
check_to_dense(const sb_matrix *a, const gen_dense_spec *spec, uint64_t k)
{
    sb_dense want = gen_dense(spec);

    define_dense(&want, a);
    for (int t = 0; t < 3; t++) {
        sb_dense got = gen_dense(spec);
        size_t bytes = 9;
        pair p;

        omp_set_num_threads(teams[t]);
        assert_int_equal(pair_begin(&p, a, &got), SPBLAS_STATUS_SUCCESS);
        assert_int_equal(
            spblasSparseToDense_bufferSize(handle, p.c.a, p.c.b,
                                           SPBLAS_SPARSETODENSE_ALG_DEFAULT, &bytes),
            SPBLAS_STATUS_SUCCESS);
        call_wants_no_buffer(bytes);
        (void)sb_alloc_fail_after(0);
        assert_int_equal(spblasSparseToDense(handle, p.c.a, p.c.b,
                                             SPBLAS_SPARSETODENSE_ALG_DEFAULT, NULL),
                         SPBLAS_STATUS_SUCCESS);
        assert_int_equal(sb_alloc_fail_after(-1), 0);
        call_end(&p.c);
        same_dense(&got, &want, "sparse to dense", k);
        gen_free_dense(&got);
    }
    gen_free_dense(&want);
}

static gen_dense_spec
dense_spec(const sb_matrix *a, uint64_t k)
{
    const bool col_major = k / 2 % 2 == 1;

    return (gen_dense_spec){.rows = a->rows,
                            .cols = a->cols,
                            .ld = (col_major ? a->rows : a->cols) + (int64_t)(k % 3),
                            .col_major = col_major,
                            .type = a->val_type,
                            .seed = k,
                            .integer = true};
}

static void
every_format_to_dense(void **state)
{
    (void)state;
    for (uint64_t k = 0; k < 960; k++) {
        gen_spec spec = gen_case(k / 8);
        sb_matrix a;
        gen_dense_spec d;

        spec.format = (sb_format)(k % 6);
        spec.val_type = types[k / 6 % TYPES];
        spec.ptr_type = k / 3 % 2 ? SB_I64 : SB_I32;
        spec.idx_type =
            spec.format == SB_FORMAT_COO || k / 5 % 2 ? spec.ptr_type : SB_I32;
        spec.block_col_major = k / 16 % 2;
        spec.integer = true;
        a = gen_matrix(&spec);
        d = dense_spec(&a, k);
        check_to_dense(&a, &d, k);
        gen_free_matrix(&a);
    }
}

/* Long lists, sorted and not: places are shared among threads. */
static void
long_lists_to_dense(void **state)
{
    (void)state;
    for (uint64_t k = 0; k < 8; k++) {
        const gen_spec spec = {.family = GEN_UNIFORM,
                               .rows = 300,
                               .cols = 200,
                               .density = 0.4,
                               .seed = k,
                               .format = k % 4 == 3 ? SB_FORMAT_CSC : SB_FORMAT_COO,
                               .ptr_type = SB_I32,
                               .idx_type = SB_I32,
                               .val_type = SB_F32,
                               .unsorted = k % 2 == 1,
                               .duplicates = true,
                               .integer = true};
        sb_matrix a = gen_matrix(&spec);
        const gen_dense_spec d = dense_spec(&a, k);

        check_to_dense(&a, &d, k);
        gen_free_matrix(&a);
    }
}

/* ---- Dense to sparse ---------------------------------------------------------------- */

/* A target of the format without entries yet; its offsets are allocated. */
static sb_matrix
empty_target(const sb_dense *d, sb_format format, uint64_t k)
{
    const int64_t majors = format == SB_FORMAT_CSC ? d->cols : d->rows;
    sb_matrix b = {.format = format,
                   .rows = d->rows,
                   .cols = d->cols,
                   .ptr_type = k / 2 % 2 ? SB_I64 : SB_I32,
                   .val_type = d->type,
                   .base = (int)(k % 2),
                   .block = 1,
                   .batch = 1};

    b.idx_type = format == SB_FORMAT_COO || k / 4 % 2 ? b.ptr_type : SB_I32;
    if (format != SB_FORMAT_COO)
        b.ptr = calloc((size_t)majors + 1, 8);
    return b;
}

/* Analysis, arrays, conversion; b then is the result, its arrays from malloc. */
static void
convert(sb_matrix *b, const sb_dense *d)
{
    const spblasDenseToSparseAlg_t alg = SPBLAS_DENSETOSPARSE_ALG_DEFAULT;
    int64_t rows, cols;
    size_t bytes = 9;
    pair p;

    assert_int_equal(pair_begin(&p, b, d), SPBLAS_STATUS_SUCCESS);
    (void)sb_alloc_fail_after(0);
    assert_int_equal(spblasDenseToSparse_bufferSize(handle, p.c.b, p.c.a, alg, &bytes),
                     SPBLAS_STATUS_SUCCESS);
    call_wants_no_buffer(bytes);
    assert_int_equal(spblasDenseToSparse_analysis(handle, p.c.b, p.c.a, alg, NULL),
                     SPBLAS_STATUS_SUCCESS);
    assert_int_equal(spblasSpMatGetSize(p.c.a, &rows, &cols, &b->nnz), 0);
    b->idx = calloc((size_t)b->nnz + 1, 8);
    b->row = calloc((size_t)b->nnz + 1, 8);
    b->val = calloc((size_t)b->nnz + 1, 16);
    assert_int_equal(pair_point(&p, b), SPBLAS_STATUS_SUCCESS);
    assert_int_equal(spblasDenseToSparse_convert(handle, p.c.b, p.c.a, alg, NULL),
                     SPBLAS_STATUS_SUCCESS);
    assert_int_equal(sb_alloc_fail_after(-1), 0);
    call_end(&p.c);
}

static void
forget(sb_matrix *b)
{
    free((void *)(uintptr_t)b->ptr);
    free((void *)(uintptr_t)b->idx);
    free((void *)(uintptr_t)b->row);
    free(b->val);
}

/* What an entry must be that follows another. */
typedef struct walk {
    const sb_matrix *b;
    const sb_dense *d;
    int64_t seen, major, minor;
} walk;

static void
check_entry(void *user, int64_t i, int64_t j, int64_t slot)
{
    walk *w = user;
    const bool csc = w->b->format == SB_FORMAT_CSC;
    const int64_t major = csc ? j : i, minor = csc ? i : j;
    const size_t size = sb_dtype_size(w->d->type);
    const char *val = (const char *)w->b->val + slot * (int64_t)size;

    assert_true(slot == w->seen);
    assert_true(major > w->major || (major == w->major && minor > w->minor));
    assert_memory_equal(val, dense_element(w->d, i, j), size);
    w->seen++;
    w->major = major;
    w->minor = minor;
}

static int64_t
count_nonzeros(const sb_dense *d)
{
    int64_t n = 0;

    for (int64_t i = 0; i < d->rows; i++)
        for (int64_t j = 0; j < d->cols; j++) {
            const sb_value v = sb_value_load(d->type, dense_element(d, i, j), 0);

            n += v.re != 0.0 || v.im != 0.0;
        }
    return n;
}

/* In order, every entry the dense element's bits, none missing. */
static void
check_to_sparse(const sb_dense *d, sb_format format, uint64_t k)
{
    const int64_t n = count_nonzeros(d);

    for (int t = 0; t < 3; t++) {
        sb_matrix b = empty_target(d, format, k);
        walk w = {.b = &b, .d = d, .major = -1, .minor = -1};

        omp_set_num_threads(teams[t]);
        convert(&b, d);
        oracle_for_each(&b, 0, check_entry, &w);
        if (b.nnz != n || w.seen != n)
            fail_msg("case %llu: %lld entries, walked %lld, want %lld",
                     (unsigned long long)k, (long long)b.nnz, (long long)w.seen,
                     (long long)n);
        forget(&b);
    }
}

/* Zeros of both signs, numbers, infinities and NaN. */
static void
roughen(const sb_dense *d, uint64_t seed, int64_t one_in)
{
    static const double odd[] = {-0.0, 1.0, -2.5, INFINITY, NAN, -0.0};
    const bool real = !sb_dtype_is_int(d->type);
    gen_rng r = {seed};

    for (int64_t i = 0; i < d->rows; i++)
        for (int64_t j = 0; j < d->cols; j++) {
            const double v = gen_below(&r, one_in)
                                 ? 0.0
                                 : odd[real ? gen_below(&r, 6) : gen_between(&r, 1, 2)];
            const bool im = sb_dtype_is_complex(d->type) && gen_below(&r, 2);

            sb_value_store(d->type, dense_element(d, i, j), 0,
                           im ? (sb_value){-0.0, v} : (sb_value){v, 0.0});
        }
}

static void
every_type_to_sparse(void **state)
{
    static const int64_t shapes[][2] = {{0, 5},  {5, 0}, {1, 1},   {1, 90},
                                        {90, 1}, {7, 9}, {70, 65}, {33, 130}};

    (void)state;
    for (uint64_t k = 0; k < 600; k++) {
        const sb_matrix shape = {.rows = shapes[k % 8][0],
                                 .cols = shapes[k % 8][1],
                                 .val_type = types[k / 8 % TYPES]};
        const gen_dense_spec spec = dense_spec(&shape, k / 7);
        sb_dense d = gen_dense(&spec);

        roughen(&d, k, (int64_t)(k % 4 + 1));
        check_to_sparse(&d, (sb_format)(k % 3), k / 3);
        gen_free_dense(&d);
    }
}

/* Enough for several pieces, in both orders; and back. */
static void
large_there_and_back(void **state)
{
    (void)state;
    for (uint64_t k = 0; k < 12; k++) {
        const sb_matrix shape = {.rows = 400, .cols = 330, .val_type = SB_F64};
        const gen_dense_spec spec = dense_spec(&shape, k);
        sb_dense d = gen_dense(&spec), back = gen_dense(&spec);
        sb_matrix b = empty_target(&d, (sb_format)(k % 3), k);
        pair p;

        for (int64_t i = 0; i < d.rows; i++)
            for (int64_t j = 0; j < d.cols; j++)
                if ((i * 7 + j * 13) % 5)
                    memset(dense_element(&d, i, j), 0, 8);
        check_to_sparse(&d, (sb_format)(k % 3), k);
        convert(&b, &d);
        assert_int_equal(pair_begin(&p, &b, &back), SPBLAS_STATUS_SUCCESS);
        assert_int_equal(spblasSparseToDense(handle, p.c.a, p.c.b,
                                             SPBLAS_SPARSETODENSE_ALG_DEFAULT, NULL),
                         SPBLAS_STATUS_SUCCESS);
        same_dense(&back, &d, "there and back", k);
        call_end(&p.c);
        forget(&b);
        gen_free_dense(&d);
        gen_free_dense(&back);
    }
}

/* Into the blocks that are there, and only into them. */
static void
blocks_are_filled(void **state)
{
    (void)state;
    for (uint64_t k = 0; k < 60; k++) {
        gen_spec spec = gen_case(k);
        gen_dense_spec shape;
        sb_matrix a, want;
        sb_dense d;
        size_t bytes;
        sum s;
        pair p;

        spec.format = SB_FORMAT_BELL;
        spec.val_type = types[k % TYPES];
        spec.block = 1 + (int64_t)(k % 4);
        spec.idx_type = k % 3 ? SB_I32 : SB_I64;
        a = gen_matrix(&spec);
        want = a;
        bytes = (size_t)gen_value_count(&a) * sb_dtype_size(a.val_type);
        want.val = gen_copy_bytes(a.val, bytes);
        shape = dense_spec(&a, k);
        d = gen_dense(&shape);
        s = (sum){&want, &d};
        oracle_for_each(&want, 0, take_entry, &s);
        assert_int_equal(pair_begin(&p, &a, &d), SPBLAS_STATUS_SUCCESS);
        omp_set_num_threads(teams[k % 3]);
        assert_int_equal(spblasDenseToSparse_analysis(handle, p.c.b, p.c.a,
                                                      SPBLAS_DENSETOSPARSE_ALG_DEFAULT,
                                                      NULL),
                         SPBLAS_STATUS_SUCCESS);
        assert_int_equal(spblasDenseToSparse_convert(handle, p.c.b, p.c.a,
                                                     SPBLAS_DENSETOSPARSE_ALG_DEFAULT,
                                                     NULL),
                         SPBLAS_STATUS_SUCCESS);
        if (bytes > 0)
            assert_memory_equal(a.val, want.val, bytes);
        call_end(&p.c);
        free(want.val);
        gen_free_matrix(&a);
        gen_free_dense(&d);
    }
}

/* More non-zeros, fewer, or offsets that nobody wrote: refused, nothing out of bounds. */
static void
changes_are_noticed(void **state)
{
    const spblasDenseToSparseAlg_t alg = SPBLAS_DENSETOSPARSE_ALG_DEFAULT;
    float a[12] = {0, 1, 0, 2, 0, 0, 3, 0, 0, 0, 0, 4}, val[4];
    int32_t ptr[4], idx[4], row[4];

    (void)state;
    for (int format = 0; format < 3; format++)
        for (int change = 0; change < 4; change++) {
            const sb_dense d = {
                .rows = 3, .cols = 4, .ld = 4, .type = SB_F32, .data = a, .batch = 1};
            sb_matrix b = {.format = (sb_format)format,
                           .rows = 3,
                           .cols = 4,
                           .ptr = (int32_t[5]){0},
                           .val_type = SB_F32,
                           .ptr_type = SB_I32,
                           .idx_type = SB_I32,
                           .block = 1,
                           .batch = 1};
            const float keep = a[change];
            pair p;

            assert_int_equal(pair_begin(&p, &b, &d), SPBLAS_STATUS_SUCCESS);
            assert_int_equal(
                spblasDenseToSparse_analysis(handle, p.c.b, p.c.a, alg, NULL),
                SPBLAS_STATUS_SUCCESS);
            b.idx = idx;
            b.row = row;
            b.val = val;
            if (change == 3 && format == SB_FORMAT_CSR)
                b.ptr = memset(ptr, 0x7f, sizeof ptr);
            assert_int_equal(pair_point(&p, &b), SPBLAS_STATUS_SUCCESS);
            a[change] = keep == 0 ? 9.0f : 0.0f;
            assert_int_equal(
                spblasDenseToSparse_convert(handle, p.c.b, p.c.a, alg, NULL),
                SPBLAS_STATUS_INVALID_VALUE);
            a[change] = keep;
            call_end(&p.c);
        }
}

/* ---- Formats of the language -------------------------------------------------------- */

static void
custom_formats_to_dense(void **state)
{
    static const char *const texts[] = {"dcsr", "ell",  "hyb<8, 2>", "bdia<3>",
                                        "lil",  "cisr", "bell<2>"};
    const gen_spec spec = {
        .family = GEN_POWER_LAW, .rows = 23, .cols = 19, .seed = 3, .integer = true};
    sb_matrix a = gen_matrix(&spec);
    const gen_dense_spec d = dense_spec(&a, 1);
    sb_dense want = gen_dense(&d);

    (void)state;
    define_dense(&want, &a);
    for (size_t k = 0; k < sizeof texts / sizeof texts[0]; k++) {
        sb_dense got = gen_dense(&d);
        spblasFormatDescr_t f;
        spblasSpMatDescr_t made;
        spblasStatus_t st = SPBLAS_STATUS_ALLOC_FAILED;
        int64_t live;
        pair p;

        assert_int_equal(pair_begin(&p, &a, &got), SPBLAS_STATUS_SUCCESS);
        assert_int_equal(spblasCreateFormat(&f, texts[k]), SPBLAS_STATUS_SUCCESS);
        assert_int_equal(spblasConvert(handle, p.c.a, f, &made), SPBLAS_STATUS_SUCCESS);
        live = sb_alloc_live();
        for (int64_t n = 0; st == SPBLAS_STATUS_ALLOC_FAILED; n++) {
            (void)sb_alloc_fail_after(n);
            st = spblasSparseToDense(handle, made, p.c.b,
                                     SPBLAS_SPARSETODENSE_ALG_DEFAULT, NULL);
            (void)sb_alloc_fail_after(-1);
            assert_int_equal(sb_alloc_live(), live);
        }
        assert_int_equal(st, SPBLAS_STATUS_SUCCESS);
        same_dense(&got, &want, texts[k], k);
        (void)spblasDestroySpMat(made);
        (void)spblasDestroyFormat(f);
        call_end(&p.c);
        gen_free_dense(&got);
    }
    gen_free_dense(&want);
    gen_free_matrix(&a);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_format_to_dense),
        cmocka_unit_test(long_lists_to_dense),
        cmocka_unit_test(every_type_to_sparse),
        cmocka_unit_test(large_there_and_back),
        cmocka_unit_test(blocks_are_filled),
        cmocka_unit_test(changes_are_noticed),
        cmocka_unit_test(custom_formats_to_dense),
    };

    return cmocka_run_group_tests(tests, open_handle, close_handle);
}
