/*
 * Sparse vectors in the memory of the emulated GPU: every operation and type against its
 * definition in integers, in several orders of blocks and threads; scalars and results on
 * both sides; what a call may ask of the driver; what is refused.
 * ctest-labels: quick gpu-emu
 */
#include "base/macro.h"
#include "cachebox.h"
#include "call.h"
#include "gpu/emu.h"
#include "gpuworld.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

typedef enum operation { AXPBY, GATHER, SCATTER, ROT, SPVV } operation;

enum { SIZE = 2500, NNZ = 1800 };

typedef struct vectors {
    spblasHandle_t h;
    sb_dtype type, compute;
    bool i64;
    int base;
    void *idx, *x, *y, *scalar, *buffer; /* the device's */
    size_t bytes;
    sb_value a, b;
    sb_value xs[NNZ], ys[SIZE], result;
    spblasSpVecDescr_t vx;
    spblasDnVecDescr_t vy;
} vectors;

static const sb_driver *d;

/* Distinct, in no order. */
static int64_t
place_of(int64_t p)
{
    return p * 7 % SIZE;
}

static sb_value
small(int64_t p, sb_dtype t)
{
    return (sb_value){(double)(p % 5 - 2),
                      sb_dtype_is_complex(t) ? (double)(p % 3 - 1) : 0};
}

static void *
device_values(sb_value *keep, sb_dtype t, int64_t n, int64_t from)
{
    char *host = calloc((size_t)n, 16);
    void *at;

    for (int64_t p = 0; p < n; p++) {
        keep[p] = small(p + from, t);
        sb_value_store(t, host, p, keep[p]);
    }
    at = world_device(host, (size_t)n * sb_dtype_size(t));
    free(host);
    return at;
}

static void
fill(vectors *v)
{
    int64_t *idx = calloc(NNZ, 8);

    for (int64_t p = 0; p < NNZ; p++)
        if (v->i64)
            idx[p] = place_of(p) + v->base;
        else
            ((int32_t *)idx)[p] = (int32_t)(place_of(p) + v->base);
    v->idx = world_device(idx, NNZ * (v->i64 ? 8 : 4));
    free(idx);
    v->x = device_values(v->xs, v->type, NNZ, 0);
    v->y = device_values(v->ys, v->type, SIZE, 3);
}

static void
open_vectors(vectors *v, sb_dtype type, sb_dtype compute, bool i64)
{
    double both[4] = {0};

    *v = (vectors){.type = type, .compute = compute, .i64 = i64, .base = i64};
    fill(v);
    v->a = (sb_value){2, sb_dtype_is_complex(compute) ? 1 : 0};
    v->b = (sb_value){-1, sb_dtype_is_complex(compute) ? 2 : 0};
    sb_value_store(compute, both, 0, v->a);
    sb_value_store(compute, both + 2, 0, v->b);
    v->scalar = world_device(both, sizeof both);
    world_must(spblasCreateOn(&v->h, "emu"));
    world_must(spblasCreateSpVec(&v->vx, SIZE, NNZ, v->idx, v->x,
                                 i64 ? SPBLAS_INDEX_64I : SPBLAS_INDEX_32I,
                                 (spblasIndexBase_t)v->base, call_type(type)));
    world_must(spblasCreateDnVec(&v->vy, SIZE, v->y, call_type(type)));
}

static void
close_vectors(vectors *v)
{
    void *const all[] = {v->idx, v->x, v->y, v->scalar, v->buffer};

    world_must(spblasDestroySpVec(v->vx));
    world_must(spblasDestroyDnVec(v->vy));
    world_must(spblasDestroy(v->h));
    for (int q = 0; q < SB_COUNT(all); q++)
        if (all[q])
            assert_int_equal(d->free((uintptr_t)all[q]), 0);
}

static sb_value
times(sb_value a, sb_value b)
{
    return (sb_value){a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
}

static sb_value
plus(sb_value a, sb_value b)
{
    return (sb_value){a.re + b.re, a.im + b.im};
}

/* What must become of X, Y and the result. */
static void
define(vectors *v, operation op, bool conj)
{
    v->result = (sb_value){0, 0};
    for (int64_t i = 0; op == AXPBY && i < SIZE; i++)
        v->ys[i] = times(v->b, v->ys[i]);
    for (int64_t p = 0; p < NNZ; p++) {
        sb_value *x = &v->xs[p], *y = &v->ys[place_of(p)];
        const sb_value u = *x, w = *y;

        if (op == AXPBY)
            *y = plus(w, times(v->a, u));
        else if (op == GATHER)
            *x = w;
        else if (op == SCATTER)
            *y = u;
        else if (op == SPVV)
            v->result =
                plus(v->result, times((sb_value){u.re, conj ? -u.im : u.im}, w));
        else {
            *y = plus(times(v->a, w), times((sb_value){-v->b.re, -v->b.im}, u));
            *x = plus(times(v->a, u), times(v->b, w));
        }
    }
}

static spblasStatus_t
run(vectors *v, operation op, bool conj, const void *a, const void *b, void *result)
{
    const spblasOperation_t t =
        conj ? SPBLAS_OPERATION_CONJUGATE_TRANSPOSE : SPBLAS_OPERATION_NON_TRANSPOSE;

    switch (op) {
    case AXPBY:
        return spblasAxpby(v->h, a, v->vx, b, v->vy);
    case GATHER:
        return spblasGather(v->h, v->vy, v->vx);
    case SCATTER:
        return spblasScatter(v->h, v->vx, v->vy);
    case ROT:
        return spblasRot(v->h, a, b, v->vx, v->vy);
    case SPVV:
        break;
    }
    if (!v->buffer) {
        world_must(spblasSpVV_bufferSize(v->h, t, v->vx, v->vy, result,
                                         call_type(v->compute), &v->bytes));
        assert_true(v->bytes > 0);
        v->buffer = malloc(v->bytes);
        memset(v->buffer, 0xff, v->bytes);
        {
            void *const host = v->buffer;

            v->buffer = world_device(host, v->bytes);
            free(host);
        }
    }
    return spblasSpVV(v->h, t, v->vx, v->vy, result, call_type(v->compute), v->buffer);
}

static void
compare(const vectors *v, operation op, const void *result)
{
    for (int64_t p = 0; p < NNZ; p++) {
        const sb_value got = sb_value_load(v->type, v->x, p);

        if (got.re != v->xs[p].re || got.im != v->xs[p].im)
            fail_msg("operation %d, %s: X %lld is (%g, %g), want (%g, %g)", op,
                     sb_dtype_name(v->type), (long long)p, got.re, got.im, v->xs[p].re,
                     v->xs[p].im);
    }
    for (int64_t i = 0; i < SIZE; i++) {
        const sb_value got = sb_value_load(v->type, v->y, i);

        if (got.re != v->ys[i].re || got.im != v->ys[i].im)
            fail_msg("operation %d, %s: Y %lld is (%g, %g), want (%g, %g)", op,
                     sb_dtype_name(v->type), (long long)i, got.re, got.im, v->ys[i].re,
                     v->ys[i].im);
    }
    if (op == SPVV) {
        const sb_value got = sb_value_load(v->compute, result, 0);

        if (got.re != v->result.re || got.im != v->result.im)
            fail_msg("%s: result (%g, %g), want (%g, %g)", sb_dtype_name(v->type),
                     got.re, got.im, v->result.re, v->result.im);
    }
}

/* ---- against the definition ----------------------------------------------------------- */

static void
one(operation op, sb_dtype type, sb_dtype compute, bool i64, const char *order)
{
    double a[2], b[2], result[2] = {9, 9};
    const bool conj = op == SPVV && sb_dtype_is_complex(type);
    vectors *v = malloc(sizeof *v);

    assert_int_equal(setenv("SPBLAS_EMU_ORDER", order, 1), 0);
    open_vectors(v, type, compute, i64);
    define(v, op, conj);
    sb_value_store(compute, a, 0, v->a);
    sb_value_store(compute, b, 0, v->b);
    world_must(run(v, op, conj, a, b, result));
    compare(v, op, result);
    close_vectors(v);
    free(v);
}

static void
test_operations(void **state)
{
    (void)state;
    NEED_COMPILER();
    one(AXPBY, SB_F32, SB_F32, false, "forward");
    one(AXPBY, SB_C64, SB_C64, true, "random:5");
    one(AXPBY, SB_BF16, SB_F32, false, "reverse");
    one(AXPBY, SB_C16, SB_C32, true, "random:6");
    one(GATHER, SB_F32, SB_F32, true, "reverse");
    one(GATHER, SB_C64, SB_C64, false, "random:1");
    one(SCATTER, SB_I8, SB_I32, false, "random:2");
    one(SCATTER, SB_F64, SB_F64, true, "reverse");
    one(ROT, SB_F64, SB_F64, false, "random:3");
    one(ROT, SB_C32, SB_C32, false, "reverse");
    one(ROT, SB_CBF16, SB_C32, false, "random:7");
    one(SPVV, SB_F32, SB_F32, false, "random:4");
    one(SPVV, SB_C32, SB_C32, true, "reverse");
    one(SPVV, SB_I8, SB_I32, false, "forward");
    one(SPVV, SB_F16, SB_F32, false, "reverse");
    one(SPVV, SB_C16, SB_C32, false, "random:8");
    assert_int_equal(unsetenv("SPBLAS_EMU_ORDER"), 0);
}

/* ---- scalars, the driver -------------------------------------------------------------- */

/* With all on the device a call waits for nothing and a graph may hold it. */
static void
test_captured(void **state)
{
    vectors *v = malloc(sizeof *v);
    float zero[2] = {0, 0}, *result = world_device(zero, sizeof zero);
    sb_emu_counts before, after;
    sb_cu_ptr stream, graph;

    (void)state;
    NEED_COMPILER();
    open_vectors(v, SB_F32, SB_F32, false);
    world_must(spblasSetPointerMode(v->h, SPBLAS_POINTER_MODE_DEVICE));
    define(v, AXPBY, false);
    world_must(run(v, AXPBY, false, v->scalar, (char *)v->scalar + 16, NULL));
    compare(v, AXPBY, NULL);
    define(v, SPVV, false);
    world_must(run(v, SPVV, false, NULL, NULL, result));
    compare(v, SPVV, result);
    *result = 0;
    assert_int_equal(d->stream_create(&stream, 0), 0);
    world_must(spblasSetStream(v->h, stream));
    before = sb_emu_count();
    assert_int_equal(d->capture_begin(stream, SB_CU_CAPTURE_RELAXED), 0);
    world_must(run(v, SPVV, false, NULL, NULL, result));
    world_must(spblasSetPointerMode(v->h, SPBLAS_POINTER_MODE_HOST));
    assert_int_equal(spblasSpVV(v->h, SPBLAS_OPERATION_NON_TRANSPOSE, v->vx, v->vy,
                                zero, SPBLAS_R_32F, v->buffer),
                     SPBLAS_STATUS_NOT_SUPPORTED);
    assert_int_equal(spblasGather(v->h, v->vy, v->vx), SPBLAS_STATUS_NOT_SUPPORTED);
    assert_int_equal(d->capture_end(stream, &graph), 0);
    after = sb_emu_count();
    assert_int_equal(after.allocs, before.allocs);
    assert_int_equal(after.waits, before.waits);
    assert_int_equal(after.copies, before.copies);
    compare(v, GATHER, NULL); /* untouched */
    assert_int_equal(d->graph_destroy(graph), 0);
    world_must(spblasSetStream(v->h, NULL));
    assert_int_equal(d->stream_destroy(stream), 0);
    assert_int_equal(d->free((uintptr_t)result), 0);
    close_vectors(v);
    free(v);
}

static void
test_refused(void **state)
{
    vectors *v = malloc(sizeof *v);
    float result;

    (void)state;
    open_vectors(v, SB_F32, SB_F32, false);
    assert_int_equal(spblasSpVV(v->h, SPBLAS_OPERATION_NON_TRANSPOSE, v->vx, v->vy,
                                &result, SPBLAS_R_32F, NULL),
                     SPBLAS_STATUS_INVALID_VALUE);
    assert_non_null(strstr(spblasGetLastErrorMessage(v->h), "externalBuffer"));
    assert_int_equal(setenv("SPBLAS_JIT", "off", 1), 0);
    world_empty_cache();
    assert_int_equal(spblasScatter(v->h, v->vx, v->vy), SPBLAS_STATUS_NOT_SUPPORTED);
    assert_int_equal(unsetenv("SPBLAS_JIT"), 0);
    close_vectors(v);
    free(v);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_operations),
        cmocka_unit_test(test_captured),
        cmocka_unit_test(test_refused),
    };
    int failed;

    if (!sb_box_open(SB_BINARY_DIR))
        return 1;
    d = sb_emu_driver();
    failed = cmocka_run_group_tests(tests, NULL, NULL);
    sb_box_close();
    return failed;
}
