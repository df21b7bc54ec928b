/*
 * Dense to sparse and back in the memory of the emulated GPU: every format and order, some
 * types and index widths, against the definition entry by entry, in several orders of blocks
 * and threads; buffers of exactly the size asked for; what is refused.
 * ctest-labels: quick gpu-emu
 */
#include "base/macro.h"
#include "cachebox.h"
#include "denselab.h"
#include "gen.h"
#include "gpu/emu.h"
#include "gpuworld.h"
#include "oracle.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static spblasHandle_t handle;

static const struct {
    sb_dtype val, ptr, idx;
} kinds[] = {{SB_F32, SB_I32, SB_I32},
             {SB_I8, SB_I64, SB_I32},
             {SB_C64, SB_I64, SB_I64},
             {SB_BF16, SB_I32, SB_I32},
             {SB_C16, SB_I32, SB_I32}};
enum { KINDS = sizeof kinds / sizeof kinds[0] };

static void
order_of(uint64_t k)
{
    static const char *const orders[] = {"forward", "reverse", "random:7"};

    assert_int_equal(setenv("SPBLAS_EMU_ORDER", orders[k % 3], 1), 0);
}

static gen_dense_spec
shape_of(const sb_matrix *a, uint64_t k)
{
    const bool col_major = k % 2 == 1;

    return (gen_dense_spec){.rows = a->rows,
                            .cols = a->cols,
                            .ld = (col_major ? a->rows : a->cols) + (int64_t)(k % 3),
                            .col_major = col_major,
                            .type = a->val_type,
                            .seed = k,
                            .integer = true};
}

typedef struct walk {
    const sb_matrix *a;
    const sb_dense *b;
    int64_t seen, major, minor;
} walk;

/* ---- sparse to dense ------------------------------------------------------------------ */

static void
add_entry(void *user, int64_t i, int64_t j, int64_t slot)
{
    const walk *w = user;

    dense_add(w->b, i, j, w->a, slot);
}

/* Every third entry of a list is where the one before it is. */
static void
repeat(const sb_matrix *a)
{
    int32_t *row = (int32_t *)(uintptr_t)a->row, *col = (int32_t *)(uintptr_t)a->idx;

    for (int64_t p = 1; p < a->nnz; p += 3) {
        row[p] = row[p - 1];
        col[p] = col[p - 1];
    }
}

static void
to_dense(const gen_spec *spec, uint64_t k)
{
    sb_matrix a = gen_matrix(spec), there;
    const gen_dense_spec shape = shape_of(&a, k);
    sb_dense want = gen_dense(&shape), got = world_dense(&want);
    walk w = {.a = &a, .b = &want};
    pair p;

    if (spec->format == SB_FORMAT_COO)
        repeat(&a);
    there = world_matrix(&a);
    for (int64_t i = 0; i < want.rows; i++)
        for (int64_t j = 0; j < want.cols; j++)
            sb_value_store(want.type, dense_element(&want, i, j), 0, (sb_value){0, 0});
    oracle_for_each(&a, 0, add_entry, &w);
    order_of(k);
    world_must(pair_begin(&p, &there, &got));
    world_must(spblasSparseToDense(handle, p.c.a, p.c.b,
                                   SPBLAS_SPARSETODENSE_ALG_DEFAULT, NULL));
    if (got.data &&
        memcmp(got.data, want.data,
               (size_t)gen_dense_extent(&want) * sb_dtype_size(want.type)) != 0)
        fail_msg("to dense, case %llu, format %d", (unsigned long long)k, spec->format);
    call_end(&p.c);
    world_free(got.data);
    world_free_matrix(&there);
    gen_free_dense(&want);
    gen_free_matrix(&a);
}

static void
test_to_dense(void **state)
{
    (void)state;
    NEED_COMPILER();
    for (uint64_t k = 0; k < 72; k++) {
        gen_spec spec = gen_case(k + 3);

        spec.format = (sb_format)(k % 6);
        spec.val_type = kinds[k / 6 % 2].val;
        spec.ptr_type = kinds[k / 6 % 2].ptr;
        spec.idx_type = spec.format == SB_FORMAT_COO ? SB_I32 : kinds[k / 6 % 2].idx;
        if (spec.format == SB_FORMAT_COO)
            spec.ptr_type = SB_I32;
        spec.block_col_major = k / 12 % 2;
        /* of a list only those that come one after another add up: repeat() */
        spec.unsorted = spec.unsorted && spec.format != SB_FORMAT_COO;
        spec.duplicates = spec.duplicates && spec.format != SB_FORMAT_COO;
        spec.integer = true;
        to_dense(&spec, k);
    }
}

/* ---- dense to sparse ------------------------------------------------------------------ */

static void
check_entry(void *user, int64_t i, int64_t j, int64_t slot)
{
    walk *w = user;
    const bool csc = w->a->format == SB_FORMAT_CSC;
    const int64_t major = csc ? j : i, minor = csc ? i : j;
    const size_t size = sb_dtype_size(w->b->type);

    assert_true(slot == w->seen);
    assert_true(major > w->major || (major == w->major && minor > w->minor));
    assert_memory_equal((const char *)w->a->val + slot * (int64_t)size,
                        dense_element(w->b, i, j), size);
    w->seen++;
    w->major = major;
    w->minor = minor;
}

/* Zeros of both signs, numbers, infinities and NaN. Returns how many are not zero. */
static int64_t
roughen(const sb_dense *b, uint64_t seed)
{
    static const double odd[] = {-0.0, 1.0, -2.5, INFINITY, NAN, 0.0};
    const bool real = !sb_dtype_is_int(b->type);
    gen_rng r = {seed};
    int64_t n = 0;

    for (int64_t i = 0; i < b->rows; i++)
        for (int64_t j = 0; j < b->cols; j++) {
            const double v = gen_below(&r, (int64_t)(seed % 4 + 1))
                                 ? 0.0
                                 : odd[real ? gen_below(&r, 6) : gen_between(&r, 1, 2)];
            const bool im = sb_dtype_is_complex(b->type) && gen_below(&r, 2);
            void *const at = dense_element(b, i, j);
            sb_value back;

            sb_value_store(b->type, at, 0,
                           im ? (sb_value){-0.0, v} : (sb_value){v, 0.0});
            back = sb_value_load(b->type, at, 0);
            n += back.re != 0.0 || back.im != 0.0;
        }
    return n;
}

static void *
blank(size_t bytes)
{
    void *host = malloc(bytes), *at;

    memset(host, 0x7f, bytes);
    at = world_device(host, bytes);
    free(host);
    return at;
}

static void
convert(sb_matrix *b, const sb_dense *there, bool other_buffer)
{
    const spblasDenseToSparseAlg_t alg = SPBLAS_DENSETOSPARSE_ALG_DEFAULT;
    int64_t rows, cols;
    size_t bytes = 0;
    void *buffer;
    pair p;

    world_must(pair_begin(&p, b, there));
    world_must(spblasDenseToSparse_bufferSize(handle, p.c.b, p.c.a, alg, &bytes));
    assert_true(bytes > 0);
    buffer = blank(bytes);
    world_must(spblasDenseToSparse_analysis(handle, p.c.b, p.c.a, alg, buffer));
    if (other_buffer)
        memset(buffer, 0x7f, bytes);
    world_must(spblasSpMatGetSize(p.c.a, &rows, &cols, &b->nnz));
    b->idx = blank((size_t)(b->nnz + 1) * sb_dtype_size(b->idx_type));
    b->row = b->format == SB_FORMAT_COO ? blank((size_t)(b->nnz + 1) * 8) : NULL;
    b->val = blank((size_t)(b->nnz + 1) * 16);
    world_must(pair_point(&p, b));
    world_must(spblasDenseToSparse_convert(handle, p.c.b, p.c.a, alg, buffer));
    call_end(&p.c);
    world_free(buffer);
}

static void
to_sparse(sb_format format, int64_t rows, int64_t cols, uint64_t k)
{
    const sb_matrix shape = {
        .rows = rows, .cols = cols, .val_type = kinds[k % KINDS].val};
    const gen_dense_spec spec = shape_of(&shape, k / 4);
    const int64_t majors = format == SB_FORMAT_CSC ? cols : rows;
    sb_dense host = gen_dense(&spec), there;
    const int64_t n = roughen(&host, k);
    sb_matrix b = {.format = format,
                   .rows = rows,
                   .cols = cols,
                   .ptr_type = kinds[k % KINDS].ptr,
                   .idx_type = kinds[k % KINDS].idx,
                   .val_type = kinds[k % KINDS].val,
                   .base = (int)(k % 2),
                   .block = 1,
                   .batch = 1};
    walk w = {.a = &b, .b = &host, .major = -1, .minor = -1};

    there = world_dense(&host);
    if (format == SB_FORMAT_COO)
        b.ptr_type = b.idx_type;
    else
        b.ptr = blank((size_t)(majors + 1) * sb_dtype_size(b.ptr_type));
    order_of(k);
    convert(&b, &there, k % 2 == 1);
    oracle_for_each(&b, 0, check_entry, &w);
    if (b.nnz != n || w.seen != n)
        fail_msg("case %llu: %lld entries, walked %lld, want %lld",
                 (unsigned long long)k, (long long)b.nnz, (long long)w.seen,
                 (long long)n);
    world_free(there.data);
    world_free_matrix(&b);
    gen_free_dense(&host);
}

static void
test_to_sparse(void **state)
{
    static const int64_t shapes[][2] = {{0, 5}, {1, 1}, {1, 90}, {90, 1}, {70, 65}};

    (void)state;
    NEED_COMPILER();
    for (uint64_t k = 0; k < 60; k++) {
        const int64_t *const s = shapes[k / 12];

        to_sparse((sb_format)(k % 3), s[0], s[1], k / 3);
    }
    to_sparse(SB_FORMAT_CSR, 2100, 3, 0); /* several groups of the scan */
    to_sparse(SB_FORMAT_COO, 1025, 2, 4);
}

/* ---- what is refused ------------------------------------------------------------------ */

static void
test_refused(void **state)
{
    const spblasDenseToSparseAlg_t alg = SPBLAS_DENSETOSPARSE_ALG_DEFAULT;
    const gen_dense_spec spec = {.rows = 4, .cols = 3, .type = SB_F32};
    sb_dense host = gen_dense(&spec), there = world_dense(&host);
    sb_matrix b = {.format = SB_FORMAT_CSR,
                   .rows = 4,
                   .cols = 3,
                   .ptr = blank(5 * 4),
                   .ptr_type = SB_I32,
                   .idx_type = SB_I32,
                   .val_type = SB_F32,
                   .block = 1,
                   .batch = 1};
    pair p;

    (void)state;
    world_must(pair_begin(&p, &b, &there));
    assert_int_equal(spblasDenseToSparse_analysis(handle, p.c.b, p.c.a, alg, NULL),
                     SPBLAS_STATUS_INVALID_VALUE);
    assert_non_null(strstr(spblasGetLastErrorMessage(handle), "externalBuffer"));
    call_end(&p.c);
    world_free(there.data);
    world_free_matrix(&b);
    gen_free_dense(&host);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_to_dense),
        cmocka_unit_test(test_to_sparse),
        cmocka_unit_test(test_refused),
    };
    int failed;

    if (!sb_box_open(SB_BINARY_DIR) || spblasCreateOn(&handle, "emu") != 0)
        return 1;
    failed = cmocka_run_group_tests(tests, NULL, NULL);
    failed += spblasDestroy(handle) != 0;
    failed += sb_emu_count().blocks != 0;
    sb_box_close();
    return failed;
}
