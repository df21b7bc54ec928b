/*
 * Sums of sparse matrices in the memory of the emulated GPU, SpGEAM and csrgeam2: the host's
 * bits, of rows in order, out of order and with repeated columns, long enough for several
 * turns of the lanes, in several orders of blocks and threads; scalars on either side; the
 * sum waits for nothing.
 * ctest-labels: quick gpu-emu
 */
#include "base/macro.h"
#include "cachebox.h"
#include "call.h"
#include "gen.h"
#include "gpu/emu.h"
#include "gpuworld.h"

#include "spblas_legacy.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define N SPBLAS_OPERATION_NON_TRANSPOSE
#define GEAM SPBLAS_SPGEAM_ALG_DEFAULT

/* One side: a handle, and memory for it. */
typedef struct side {
    spblasHandle_t handle;
    void *(*copy)(const void *from, size_t bytes);
    void (*give)(void *array);
    bool far; /* scalars in its memory too */
} side;

static side gpu, cpu;

static void *
copy_here(const void *from, size_t bytes)
{
    return memcpy(malloc(bytes + 1), from, bytes);
}

static void *
copy_there(const void *from, size_t bytes)
{
    void *padded = calloc(bytes + 1, 1), *at;

    memcpy(padded, from, bytes);
    at = world_device(padded, bytes + (bytes == 0));
    free(padded);
    return at;
}

static void
give_there(void *array)
{
    world_free(array);
}

static void *
blank(const side *s, size_t bytes)
{
    void *host = malloc(bytes + 1), *at;

    memset(host, 0x5a, bytes + 1);
    at = s->copy(host, bytes);
    free(host);
    return at;
}

static void
order_of(uint64_t k)
{
    static const char *const orders[] = {"forward", "reverse", "random:7"};

    assert_int_equal(setenv("SPBLAS_EMU_ORDER", orders[k % 3], 1), 0);
}

/* A sum: A and B of case k, what C's arrays and scalars are. */
typedef struct sum {
    sb_matrix m[2];
    sb_dtype sum, c_ptr;
    int c_base;
    double scale[2][2];
} sum;

static gen_spec
spec_of(uint64_t k, bool narrow)
{
    static const sb_dtype types[] = {SB_F32, SB_F64, SB_C32, SB_C64, SB_F16, SB_BF16};
    gen_spec s = gen_case(k);

    s.format = k % 4 == 3 ? SB_FORMAT_CSC : SB_FORMAT_CSR;
    s.val_type = types[k % 6];
    s.idx_type = k / 2 % 2 ? SB_I64 : SB_I32;
    s.integer = false;
    s.unsorted = s.duplicates = false;
    if (narrow || k % 7 == 0) { /* SpGEAM's C has no more entries than places */
        s.unsorted = k % 5 == 4;
        s.duplicates = k % 5 >= 3;
    }
    if (k % 7 == 0) { /* rows of several turns */
        s.family = GEN_UNIFORM;
        s.rows = 9;
        s.cols = 300;
        s.density = 0.3;
    }
    return s;
}

static sum
sum_of(uint64_t k, bool narrow)
{
    gen_spec s = spec_of(k, narrow);
    sum q = {.c_base = (int)(k / 3 % 2),
             .c_ptr = !narrow && k % 3 == 1 ? SB_I64 : SB_I32};

    for (int i = 0; i < 2; i++) {
        s.base = (int)(k >> i & 1);
        s.ptr_type = !narrow && (k >> i) % 3 == 2 ? SB_I64 : SB_I32;
        if (narrow) {
            s.idx_type = SB_I32;
            s.format = SB_FORMAT_CSR;
        }
        s.seed += (uint64_t)i;
        q.m[i] = gen_matrix(&s);
    }
    q.sum = s.val_type == SB_F16 || s.val_type == SB_BF16 ? SB_F32 : s.val_type;
    sb_value_store(q.sum, q.scale[0], 0, (sb_value){k % 8 == 5 ? 0 : 1.75, 0.5});
    sb_value_store(q.sum, q.scale[1], 0, (sb_value){k % 8 == 6 ? 0 : -0.625, 0});
    return q;
}

static size_t
majors_of(const sb_matrix *a)
{
    return (size_t)(a->format == SB_FORMAT_CSC ? a->cols : a->rows);
}

/* A matrix on one side. */
static sb_matrix
move(const side *s, const sb_matrix *a)
{
    sb_matrix b = *a;

    b.ptr = s->copy(a->ptr, (majors_of(a) + 1) * sb_dtype_size(a->ptr_type));
    b.idx = s->copy(a->idx, (size_t)a->nnz * sb_dtype_size(a->idx_type));
    b.val = s->copy(a->val, (size_t)a->nnz * sb_dtype_size(a->val_type));
    return b;
}

static void
drop(const side *s, const sb_matrix *a)
{
    s->give((void *)(uintptr_t)a->ptr);
    s->give((void *)(uintptr_t)a->idx);
    s->give(a->val);
}

static spblasSpMatDescr_t
describe(const sb_matrix *a)
{
    spblasSpMatDescr_t d;

    world_must((a->format == SB_FORMAT_CSC ? spblasCreateCsc : spblasCreateCsr)(
        &d, a->rows, a->cols, a->nnz, (void *)(uintptr_t)a->ptr,
        (void *)(uintptr_t)a->idx, a->val, call_index_type(a->ptr_type),
        call_index_type(a->idx_type), (spblasIndexBase_t)a->base,
        call_type(a->val_type)));
    return d;
}

/* C without entries: offsets alone. */
static sb_matrix
empty(const side *s, const sum *q)
{
    sb_matrix c = q->m[0];

    c.ptr_type = q->c_ptr;
    c.base = q->c_base;
    c.nnz = 0;
    c.ptr = blank(s, (majors_of(&c) + 1) * sb_dtype_size(c.ptr_type));
    c.idx = c.val = NULL;
    return c;
}

/* Scalars where the side has them. */
static void
scalars(const side *s, const sum *q, const void *out[2])
{
    for (int i = 0; i < 2; i++)
        out[i] = s->far ? s->copy(q->scale[i], sizeof q->scale[i]) : q->scale[i];
    world_must(spblasSetPointerMode(s->handle, s->far ? SPBLAS_POINTER_MODE_DEVICE
                                                      : SPBLAS_POINTER_MODE_HOST));
}

static void
scalars_end(const side *s, const void *at[2])
{
    for (int i = 0; i < 2 && s->far; i++)
        s->give((void *)(uintptr_t)at[i]);
}

static void
make_entries(const side *s, sb_matrix *c)
{
    c->idx = blank(s, (size_t)c->nnz * sb_dtype_size(c->idx_type));
    c->val = blank(s, (size_t)c->nnz * sb_dtype_size(c->val_type));
}

static sb_matrix
generic(const side *s, const sum *q)
{
    const spblasDataType_t compute = call_type(q->sum);
    sb_matrix a = move(s, &q->m[0]), b = move(s, &q->m[1]), c = empty(s, q);
    spblasSpMatDescr_t d[3] = {describe(&a), describe(&b), describe(&c)};
    const void *scale[2];
    spblasSpGEAMDescr_t g;
    sb_emu_counts before, after;
    int64_t rows, cols;
    void *buffer;
    size_t bytes;

    scalars(s, q, scale);
    world_must(spblasSpGEAM_createDescr(&g));
    world_must(spblasSpGEAM_bufferSize(s->handle, N, N, NULL, d[0], NULL, d[1], d[2],
                                       compute, GEAM, g, &bytes));
    buffer = blank(s, bytes);
    world_must(spblasSpGEAM_nnz(s->handle, N, N, NULL, d[0], NULL, d[1], d[2], compute,
                                GEAM, g, buffer));
    world_must(spblasSpMatGetSize(d[2], &rows, &cols, &c.nnz));
    make_entries(s, &c);
    world_must(
        (c.format == SB_FORMAT_CSC ? spblasCscSetPointers : spblasCsrSetPointers)(
            d[2], (void *)(uintptr_t)c.ptr, (void *)(uintptr_t)c.idx, c.val));
    before = sb_emu_count();
    world_must(spblasSpGEAM(s->handle, N, N, scale[0], d[0], scale[1], d[1], d[2],
                            compute, GEAM, g, buffer));
    after = sb_emu_count();
    assert_int_equal(after.waits, before.waits);
    assert_int_equal(after.copies, before.copies);
    assert_int_equal(after.allocs, before.allocs);
    world_must(spblasSpGEAM_destroyDescr(g));
    for (int i = 0; i < 3; i++)
        world_must(spblasDestroySpMat(d[i]));
    scalars_end(s, scale);
    s->give(buffer);
    drop(s, &a);
    drop(s, &b);
    return c;
}

static sb_matrix
older(const side *s, const sum *q)
{
    const spblasMatDescr_t da = {.base = (spblasIndexBase_t)q->m[0].base},
                           db = {.base = (spblasIndexBase_t)q->m[1].base},
                           dc = {.base = (spblasIndexBase_t)q->c_base};
    const spblasDataType_t type = call_type(q->m[0].val_type);
    sb_matrix a = move(s, &q->m[0]), b = move(s, &q->m[1]), c = empty(s, q);
    const int m = (int)a.rows, n = (int)a.cols, na = (int)a.nnz, nb = (int)b.nnz;
    int *ptr = (int *)(uintptr_t)c.ptr, nnz = -1;
    int *total = s->far ? s->copy(&nnz, sizeof nnz) : &nnz;
    const void *scale[2];
    void *buffer;
    size_t bytes;

    scalars(s, q, scale);
    world_must(spblasXcsrgeam2_bufferSizeExt(
        s->handle, type, m, n, scale[0], &da, na, a.val, a.ptr, a.idx, scale[1], &db,
        nb, b.val, b.ptr, b.idx, &dc, NULL, ptr, NULL, &bytes));
    buffer = blank(s, bytes);
    world_must(spblasXcsrgeam2Nnz(s->handle, m, n, &da, na, a.ptr, a.idx, &db, nb,
                                  b.ptr, b.idx, &dc, ptr, total, buffer));
    c.nnz = *total;
    make_entries(s, &c);
    world_must(spblasXcsrgeam2(s->handle, type, m, n, scale[0], &da, na, a.val, a.ptr,
                               a.idx, scale[1], &db, nb, b.val, b.ptr, b.idx, &dc,
                               c.val, ptr, (int *)(uintptr_t)c.idx, buffer));
    if (s->far)
        s->give(total);
    scalars_end(s, scale);
    s->give(buffer);
    drop(s, &a);
    drop(s, &b);
    return c;
}

/* The same on both sides. */
static void
compare(uint64_t k, bool narrow, sb_matrix (*add)(const side *, const sum *))
{
    const sum q = sum_of(k, narrow);
    sb_matrix want, got;

    order_of(k);
    gpu.far = k % 4 == 1;
    want = add(&cpu, &q);
    got = add(&gpu, &q);
    assert_int_equal(got.nnz, want.nnz);
    assert_memory_equal(got.ptr, want.ptr,
                        (majors_of(&want) + 1) * sb_dtype_size(want.ptr_type));
    assert_memory_equal(got.idx, want.idx,
                        (size_t)want.nnz * sb_dtype_size(want.idx_type));
    assert_memory_equal(got.val, want.val,
                        (size_t)want.nnz * sb_dtype_size(want.val_type));
    drop(&gpu, &got);
    drop(&cpu, &want);
    gen_free_matrix((sb_matrix *)(uintptr_t)&q.m[0]);
    gen_free_matrix((sb_matrix *)(uintptr_t)&q.m[1]);
}

static void
test_spgeam(void **state)
{
    (void)state;
    NEED_COMPILER();
    for (uint64_t k = 0; k < 60; k++)
        compare(k, false, generic);
}

static void
test_csrgeam2(void **state)
{
    (void)state;
    NEED_COMPILER();
    for (uint64_t k = 0; k < 40; k++)
        compare(k, true, older);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_spgeam),
                                       cmocka_unit_test(test_csrgeam2)};
    int failed;

    if (!sb_box_open(SB_BINARY_DIR) || spblasCreateOn(&gpu.handle, "emu") != 0 ||
        spblasCreateOn(&cpu.handle, "cpu") != 0)
        return 1;
    gpu.copy = copy_there;
    gpu.give = give_there;
    cpu.copy = copy_here;
    cpu.give = free;
    failed = cmocka_run_group_tests(tests, NULL, NULL);
    failed += spblasDestroy(gpu.handle) != 0 || spblasDestroy(cpu.handle) != 0;
    failed += sb_emu_count().blocks != 0;
    sb_box_close();
    return failed;
}
