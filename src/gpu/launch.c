/*
 * Plans on a device: arrays and tiles moved there once, steps launched at each run. All
 * arguments of a kernel are one block of bytes, laid out as sbg_args in the kernels'
 * prelude.
 */
#include "gpu/device.h"

#include "base/alloc.h"
#include "base/checked.h"
#include "base/fault.h"
#include "runtime/plan.h"

#include <string.h>

enum { GRID_X_MAX = INT32_MAX, GRID_Y_MAX = 65535 };

/* A plan's engine: a launch whose arrays are the device's. */
typedef struct state {
    sb_gpu *gpu; /* held */
    sb_launch launch;
    sb_step step[SB_PLAN_MAX_STEPS];
    uint8_t level[SB_PLAN_MAX_STEPS];
    sb_plan_array array[SB_PLAN_MAX_ARRAYS];
    sb_plan_int integer[SB_PLAN_MAX_INTS];
} state;

/* ---- launching ------------------------------------------------------------------------------ */

enum { ARGS_MAX = SB_BIND_MAX * (sizeof(sb_param) + sizeof(void *)) + 24 };

static size_t
pack(unsigned char out[ARGS_MAX], const sb_binding *b, int64_t t0, int64_t t1)
{
    const size_t params = (size_t)(b->nparam ? b->nparam : 1) * sizeof b->param[0];
    const size_t bufs = (size_t)(b->nbuf ? b->nbuf : 1) * sizeof b->buf[0];

    memcpy(out, b->param, params);
    memcpy(out + params, b->buf, bufs);
    memcpy(out + params + bufs, &t0, sizeof t0);
    memcpy(out + params + bufs + sizeof t0, &t1, sizeof t1);
    memcpy(out + params + bufs + 2 * sizeof t0, &b->far, sizeof b->far);
    return params + bufs + 3 * sizeof t0;
}

/* Blocks in y for n columns; at least one. A kernel steps on where there are more columns
 * than a grid has. */
static int64_t
grid_y(const sb_gpu_shape *s, int64_t n)
{
    const int64_t all =
        s->grid_y_columns > 0 && n > 0 ? (n - 1) / s->grid_y_columns + 1 : 1;

    return all < GRID_Y_MAX ? all : GRID_Y_MAX;
}

/* Tiles that a block has. */
static int64_t
tiles_of_block(const sb_gpu_shape *s)
{
    return s->strip > 0 ? s->rows_per_tile : 1;
}

static int
launch(const sb_gpu *g, const sb_gpu_kernel *k, const sb_binding *b, int64_t t0,
       int64_t t1, int64_t n, void *stream)
{
    const int64_t each = tiles_of_block(&k->shape), most = GRID_X_MAX / each * each;
    unsigned char args[ARGS_MAX];
    int code = 0;

    while (t0 < t1 && !code) {
        const int64_t hi = t1 - t0 > most ? t0 + most : t1;
        size_t bytes = pack(args, b, t0, hi);
        void *extra[] = {SB_CU_EXTRA_BUFFER, args, SB_CU_EXTRA_SIZE, &bytes,
                         SB_CU_EXTRA_END};

        code = g->driver->launch(k->function, (unsigned)((hi - t0 + each - 1) / each),
                                 (unsigned)grid_y(&k->shape, n), 1,
                                 (unsigned)k->shape.threads, 1, 1,
                                 (unsigned)k->shape.shared_bytes, stream, NULL, extra);
        t0 = hi;
    }
    return code;
}

sb_status
sb_gpu_start(sb_device *d, void *stream, const sb_kernel *k, const sb_binding *args,
             int64_t blocks, sb_diag *diag)
{
    const sb_gpu *g = (const sb_gpu *)d;
    int code;

    SB_TRY(sb_gpu_enter(g, diag));
    code = launch(g, (const sb_gpu_kernel *)k, args, 0, blocks, 0, stream);
    sb_gpu_leave(g);
    return sb_gpu_check(g, code, "launching a kernel", diag);
}

static sb_status
run_step(const sb_gpu *g, const sb_launch *l, int at, const sb_problem *pb, int64_t n,
         int64_t member, sb_diag *diag)
{
    const sb_step *step = &l->step[at];
    const sb_gpu_kernel *k = (const sb_gpu_kernel *)step->kernel;
    sb_binding b = {0};

    SB_TRY(sb_launch_bind(&b, l, pb, k->spec, k->signature, at, member, diag));
    return sb_gpu_check(g,
                        launch(g, k, &b, step->tile_lo, step->tile_hi, n,
                               SB_FAULT(GPU_STREAM) ? NULL : pb->stream),
                        "launching a kernel", diag);
}

sb_status
sb_gpu_launch(sb_device *d, const sb_launch *l, const sb_problem *pb, sb_diag *diag)
{
    const sb_gpu *g = (const sb_gpu *)d;
    const int64_t batch = pb->batch > 1 ? pb->batch : 1;
    sb_status st = SB_OK;
    int64_t m, n, k;

    sb_problem_shape(pb, &m, &n, &k);
    SB_TRY(sb_gpu_enter(g, diag));
    for (int64_t q = 0; q < batch && st == SB_OK; q++)
        for (int i = 0; i < l->nstep && st == SB_OK; i++)
            st = run_step(g, l, i, pb, n, q, diag);
    sb_gpu_leave(g);
    return st;
}

static sb_status
run(const void *of, const sb_problem *pb, sb_diag *diag)
{
    const state *s = of;

    return sb_gpu_launch(&s->gpu->device, &s->launch, pb, diag);
}

/* ---- settling -------------------------------------------------------------------------------- */

static void
release(void *of)
{
    state *s = of;
    sb_gpu *g = s->gpu;

    if (sb_gpu_enter(g, NULL) == SB_OK) {
        for (int q = 0; q < s->launch.narray; q++)
            (void)g->driver->free((uintptr_t)s->array[q].data);
        (void)g->driver->free((uintptr_t)s->launch.tile);
        sb_gpu_leave(g);
    }
    g->device.ops->release(&g->device);
    sb_free(s);
}

static const sb_plan_engine engine = {run, release};

/* A copy of the bytes on the device; NULL for none. */
static sb_status
move(void **out, const sb_gpu *g, const void *from, int64_t count, size_t size,
     sb_diag *diag)
{
    sb_cu_mem at = 0;
    size_t bytes;
    int code;

    *out = NULL;
    if (!sb_bytes(count, size, &bytes))
        return SB_ENOMEM;
    if (bytes == 0)
        return SB_OK;
    code = g->driver->alloc(&at, bytes);
    if (code)
        return sb_gpu_check(g, code, "allocating a plan's array", diag);
    code = g->driver->upload(at, from, bytes, NULL);
    if (!code)
        code = g->driver->stream_wait(NULL);
    if (code)
        (void)g->driver->free(at);
    else
        *out = (void *)(uintptr_t)at;
    return sb_gpu_check(g, code, "copying a plan's array", diag);
}

static sb_status
move_all(state *s, const sb_plan *plan, sb_diag *diag)
{
    void *tile = NULL;

    for (int q = 0; q < plan->narray; q++) {
        s->array[q] = plan->array[q];
        SB_TRY(move(&s->array[q].data, s->gpu, plan->array[q].data,
                    plan->array[q].count, sb_dtype_size(plan->array[q].type), diag));
        s->launch.narray++;
    }
    SB_TRY(move(&tile, s->gpu, plan->tile, plan->ntile, sizeof *plan->tile, diag));
    s->launch.tile = tile;
    return SB_OK;
}

/* The plan's own copies are on the device now. */
static void
drop_host(sb_plan *plan)
{
    for (int q = 0; q < plan->narray; q++)
        sb_free(plan->array[q].data);
    plan->narray = 0;
    sb_free(plan->tile);
    plan->tile = NULL;
    plan->ntile = 0;
}

sb_status
sb_gpu_settle(sb_device *d, sb_plan *plan, sb_diag *diag)
{
    state *s;
    sb_status st;

    s = sb_alloc_zero(sizeof *s);
    if (!s)
        return SB_ENOMEM;
    s->gpu = (sb_gpu *)d;
    d->ops->hold(d);
    memcpy(s->step, plan->step, sizeof s->step);
    memcpy(s->level, plan->level, sizeof s->level);
    memcpy(s->integer, plan->integer, sizeof s->integer);
    s->launch = (sb_launch){.nstep = plan->nstep,
                            .step = s->step,
                            .level = s->level,
                            .nint = plan->nint,
                            .array = s->array,
                            .integer = s->integer};
    st = sb_gpu_enter(s->gpu, diag);
    if (st == SB_OK) {
        st = move_all(s, plan, diag);
        sb_gpu_leave(s->gpu);
    }
    if (st != SB_OK) {
        release(s);
        return st;
    }
    drop_host(plan);
    plan->engine = &engine;
    plan->state = s;
    return SB_OK;
}
