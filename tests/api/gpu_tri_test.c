/*
 * Triangular solves in the memory of the emulated GPU: SpSV and SpSM over formats, types,
 * triangles, operations and layouts, in several orders of blocks and threads, where small
 * integers must come back with ==; long levels and short ones; values taken anew; what a
 * solve may ask of the driver; failures of memory and of copies.
 * ctest-labels: quick gpu-emu
 */
#include "base/alloc.h"
#include "cachebox.h"
#include "gpu/emu.h"
#include "gpu/gpu.h"
#include "gpuworld.h"
#include "oracle.h"
#include "trilab.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const sb_driver *d;

/* The lab's arrays on the device, in its descriptors. */
typedef struct there {
    sb_matrix a;
    sb_dense b, c;
} there;

static there at; /* of the lab at hand */

static size_t
bytes_of(const sb_dense *m)
{
    return (size_t)gen_dense_extent(m) * sb_dtype_size(m->type);
}

static void *
copy(const void *from, int64_t count, size_t size)
{
    return from && count > 0 ? world_device(from, (size_t)count * size) : NULL;
}

/* Offsets and slots as generous as the lab's; CSR, CSC and COO. */
static void
move(tri_lab *l)
{
    const size_t size = sb_dtype_size(l->index);
    spblasFormat_t format;

    world_must(spblasSpMatGetFormat(l->A, &format));
    at.a.ptr = format == SPBLAS_FORMAT_COO ? NULL : copy(l->ptr, l->n + 1, size);
    at.a.row = format == SPBLAS_FORMAT_CSR ? NULL : copy(l->row, l->nnz, size);
    at.a.idx = format == SPBLAS_FORMAT_CSC ? NULL : copy(l->col, l->nnz, size);
    at.a.val = copy(l->val, l->nnz, sb_dtype_size(l->type));
    if (format == SPBLAS_FORMAT_CSR)
        world_must(spblasCsrSetPointers(l->A, (void *)(uintptr_t)at.a.ptr,
                                        (void *)(uintptr_t)at.a.idx, at.a.val));
    else if (format == SPBLAS_FORMAT_CSC)
        world_must(spblasCscSetPointers(l->A, (void *)(uintptr_t)at.a.ptr,
                                        (void *)(uintptr_t)at.a.row, at.a.val));
    else
        world_must(spblasCooSetPointers(l->A, (void *)(uintptr_t)at.a.row,
                                        (void *)(uintptr_t)at.a.idx, at.a.val));
    at.b = world_dense(&l->b);
    at.c = l->in_place ? at.b : world_dense(&l->c);
    if (l->vector) {
        world_must(spblasDnVecSetValues(l->x, at.b.data));
        world_must(spblasDnVecSetValues(l->y, at.c.data));
    } else {
        world_must(spblasDnMatSetValues(l->B, at.b.data));
        world_must(spblasDnMatSetValues(l->C, at.c.data));
    }
}

static void
leave(const tri_lab *l)
{
    world_free_matrix(&at.a);
    world_free(at.b.data);
    if (!l->in_place)
        world_free(at.c.data);
}

/* Right side there, solve, solution back. */
static spblasStatus_t
solve_there(tri_lab *l)
{
    spblasStatus_t st;

    if (at.b.data)
        memcpy(at.b.data, l->b.data, bytes_of(&l->b));
    st = tri_solve(l);
    if (at.c.data)
        memcpy(l->c.data, at.c.data, bytes_of(&l->c));
    return st;
}

static tri_lab
lab_of(uint64_t k, gen_rng *r)
{
    tri_lab l = tri_make(k, true, r);

    l.solve = solve_there;
    return l;
}

static bool
listed(const tri_lab *l)
{
    spblasFormat_t format;

    world_must(spblasSpMatGetFormat(l->A, &format));
    return format == SPBLAS_FORMAT_CSR || format == SPBLAS_FORMAT_CSC ||
           format == SPBLAS_FORMAT_COO;
}

static void
test_integers(void **state)
{
    static const char *const orders[] = {"forward", "reverse", "random:9"};

    (void)state;
    NEED_COMPILER();
    for (uint64_t k = 0; k < 120; k++) {
        gen_rng r = {k};
        tri_lab l = lab_of(k - k % 4 + k % 2 * 2, &r); /* f32 and c32 */

        if (listed(&l)) {
            assert_int_equal(setenv("SPBLAS_EMU_ORDER", orders[k % 3], 1), 0);
            move(&l);
            tri_ok(tri_analyse(&l));
            tri_check_exact(&l, &r);
            for (int64_t p = 0; p < l.nnz; p++)
                l.e[p].v = tri_draw(&r, l.type, true, l.e[p].i == l.e[p].j);
            tri_store_values(&l);
            if (at.a.val)
                memcpy(at.a.val, l.val, (size_t)l.nnz * sb_dtype_size(l.type));
            tri_ok(tri_update(&l, at.a.val, false));
            tri_check_exact(&l, &r);
            leave(&l);
        }
        tri_end(&l);
    }
    assert_int_equal(unsetenv("SPBLAS_EMU_ORDER"), 0);
}

/* ---- levels --------------------------------------------------------------------------- */

enum { TALL = 1200 };

/* Two thirds in wide levels, then rows that follow each other. */
static tri_lab
tall(int64_t cols)
{
    gen_rng r = {77};
    tri_lab l = {.n = TALL,
                 .cols = cols,
                 .type = SB_F64,
                 .index = SB_I32,
                 .vector = cols == 1,
                 .alpha = {1, 0},
                 .solve = solve_there};

    l.e = malloc((size_t)l.n * 5 * sizeof *l.e);
    for (int64_t i = 0; i < l.n; i++) {
        const int64_t below = i * 3 / TALL * (TALL / 3);

        l.e[l.nnz++] = (tri_entry){i, i, tri_draw(&r, l.type, true, true)};
        for (int k = 0; k < 4 && below > 0; k++)
            l.e[l.nnz++] =
                (tri_entry){i, gen_below(&r, below), tri_draw(&r, l.type, true, false)};
        if (i > TALL - 50) {
            l.e[l.nnz - 1].j = i - 1;
            l.e[l.nnz - 1].v = (sb_value){i % 2 ? 1 : 0, 0}; /* sums stay exact */
        }
    }
    tri_dress(&l, SPBLAS_FORMAT_CSR);
    tri_make_dense(&l, &r);
    tri_begin(&l);
    return l;
}

static void
test_levels(void **state)
{
    (void)state;
    NEED_COMPILER();
    for (int64_t cols = 1; cols <= 3; cols += 2) {
        tri_lab l = tall(cols);
        sb_emu_counts before, after;
        gen_rng r = {5};

        move(&l);
        tri_ok(tri_analyse(&l));
        before = sb_emu_count();
        tri_check_exact(&l, &r);
        after = sb_emu_count();
        /* two wide levels, those of the rows that follow each other together */
        assert_in_range(after.launches - before.launches, 2, 8);
        after.launches = before.launches;
        assert_memory_equal(&after, &before, sizeof after);
        leave(&l);
        tri_end(&l);
    }
}

/* ---- the diagonal, scalars, who computes ---------------------------------------------- */

static void
test_diagonal(void **state)
{
    (void)state;
    NEED_COMPILER();
    for (uint64_t k = 0; k < 24; k++) {
        gen_rng r = {k + 9000};
        tri_lab l = lab_of(k * 4, &r);
        char diagonal[64 * 16];
        void *there_too;

        if (listed(&l) && l.n > 0 && l.n < 64) {
            move(&l);
            tri_ok(tri_analyse(&l));
            for (int64_t p = 0; p < l.nnz; p++)
                if (l.e[p].i == l.e[p].j) {
                    l.e[p].v = tri_draw(&r, l.type, true, true);
                    sb_value_store(l.type, diagonal, l.e[p].i, l.e[p].v);
                }
            there_too = world_device(diagonal, (size_t)l.n * sb_dtype_size(l.type));
            tri_ok(tri_update(&l, there_too, true));
            world_free(there_too);
            tri_check_exact(&l, &r);
            leave(&l);
        }
        tri_end(&l);
    }
}

/* Alpha on the device, a graph of a solve; a handle of the CPU cannot. */
static void
test_captured(void **state)
{
    gen_rng r = {3};
    sb_cu_ptr stream, graph;
    spblasHandle_t own, cpu;
    tri_lab l;
    void *alpha;

    (void)state;
    NEED_COMPILER();
    l = tall(1);
    own = l.handle;
    alpha = world_device(l.alpha_bytes, sizeof l.alpha_bytes);
    move(&l);
    assert_int_equal(d->stream_create(&stream, 0), 0);
    world_must(spblasSetStream(l.handle, stream));
    assert_int_equal(d->capture_begin(stream, SB_CU_CAPTURE_RELAXED), 0);
    assert_int_equal(tri_analyse(&l), SPBLAS_STATUS_NOT_SUPPORTED);
    assert_int_equal(d->capture_end(stream, &graph), 0);
    assert_int_equal(d->graph_destroy(graph), 0);
    tri_ok(tri_analyse(&l));
    assert_int_equal(d->capture_begin(stream, SB_CU_CAPTURE_RELAXED), 0);
    world_must(spblasSetPointerMode(l.handle, SPBLAS_POINTER_MODE_DEVICE));
    world_must(spblasSpSV_solve(l.handle, l.op, alpha, l.A, l.x, l.y, SPBLAS_R_64F,
                                SPBLAS_SPSV_ALG_DEFAULT, l.sv));
    world_must(tri_update(&l, at.a.val, false));
    assert_int_equal(d->capture_end(stream, &graph), 0);
    assert_int_equal(d->graph_destroy(graph), 0);
    world_must(spblasSetPointerMode(l.handle, SPBLAS_POINTER_MODE_HOST));
    tri_check_exact(&l, &r);
    world_must(spblasCreateOn(&cpu, "cpu"));
    l.handle = cpu;
    assert_int_equal(tri_solve(&l), SPBLAS_STATUS_INVALID_VALUE);
    l.handle = own;
    world_must(spblasDestroy(cpu));
    world_must(spblasSetStream(l.handle, NULL));
    assert_int_equal(d->stream_destroy(stream), 0);
    world_free(alpha);
    leave(&l);
    tri_end(&l);
}

/* ---- failures ------------------------------------------------------------------------- */

static int calls_left;

static int
bad_alloc(sb_cu_mem *out, size_t bytes)
{
    return calls_left-- == 0 ? SB_CU_OUT_OF_MEMORY : d->alloc(out, bytes);
}

static int
bad_upload(sb_cu_mem to, const void *from, size_t bytes, sb_cu_ptr stream)
{
    return calls_left-- == 0 ? SB_CU_LAUNCH_FAILED : d->upload(to, from, bytes, stream);
}

static int
bad_download(void *to, sb_cu_mem from, size_t bytes, sb_cu_ptr stream)
{
    return calls_left-- == 0 ? SB_CU_LAUNCH_FAILED
                             : d->download(to, from, bytes, stream);
}

/* Until an analysis gets through; each that does not leaves the one before. */
static void
fail_until(tri_lab *l, gen_rng *r, spblasStatus_t status)
{
    const int64_t blocks = sb_emu_count().blocks;
    bool done = false;

    for (int n = 0; !done; n++) {
        spblasStatus_t st;

        calls_left = n;
        st = tri_analyse(l);
        calls_left = -1;
        done = st == SPBLAS_STATUS_SUCCESS;
        if (!done)
            assert_int_equal(st, status);
        assert_int_equal(sb_emu_count().blocks, blocks);
        tri_check_exact(l, r);
    }
}

static void
test_failures(void **state)
{
    sb_driver broken = *d;
    gen_rng r = {11};
    tri_lab l;

    (void)state;
    NEED_COMPILER();
    calls_left = -1;
    broken.alloc = bad_alloc;
    sb_emu_device_driver(&broken);
    l = tall(1);
    sb_emu_device_driver(NULL);
    move(&l);
    tri_ok(tri_analyse(&l));
    fail_until(&l, &r, SPBLAS_STATUS_ALLOC_FAILED);
    broken.alloc = d->alloc;
    broken.upload = bad_upload;
    fail_until(&l, &r, SPBLAS_STATUS_EXECUTION_FAILED);
    broken.upload = d->upload;
    broken.download = bad_download;
    fail_until(&l, &r, SPBLAS_STATUS_EXECUTION_FAILED);
    broken.download = d->download;
    for (int64_t n = 0, done = 0; !done; n++) { /* the host's memory */
        spblasStatus_t st;

        (void)sb_alloc_fail_after(n);
        st = tri_analyse(&l);
        (void)sb_alloc_fail_after(-1);
        done = st == SPBLAS_STATUS_SUCCESS;
        assert_true(done || st == SPBLAS_STATUS_ALLOC_FAILED);
        tri_check_exact(&l, &r);
    }
    leave(&l);
    tri_end(&l);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_integers), cmocka_unit_test(test_levels),
        cmocka_unit_test(test_diagonal), cmocka_unit_test(test_captured),
        cmocka_unit_test(test_failures),
    };

    d = sb_emu_driver();
    return world_run(SB_BINARY_DIR, tests, sizeof tests / sizeof *tests);
}
