/*
 * Every function of the driver's table fails, one at a time, in each phase of a program: what
 * fails says so, everything else computes what it should, and as soon as the function works
 * again so does the call.
 * ctest-labels: quick gpu-emu
 */
#include "base/macro.h"
#include "cachebox.h"
#include "gpu/emu.h"
#include "gpu/gpu.h"
#include "gpuworld.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* The driver of a world, whose entries are replaced while it is in use. */
static sb_driver table;
static const sb_driver *sound;
static int calls;

/* ---- the table ------------------------------------------------------------------------------ */

#pragma GCC diagnostic ignored "-Wunused-parameter"
#define CU(member, symbol, parameters)  \
    static int fail_##member parameters \
    {                                   \
        calls++;                        \
        return SB_CU_LAUNCH_FAILED;     \
    }
#define RTC CU
#include "gpu/driver.def"
#undef CU

typedef enum entry {
#define CU(member, symbol, parameters) ENTRY_##member,
#include "gpu/driver.def"
#undef CU
    ENTRY_COUNT
} entry;

static const char *const names[] = {
#define CU(member, symbol, parameters) #member,
#include "gpu/driver.def"
#undef CU
};

/* What gives something back tells of an earlier launch's error, after it has done so: the
 * context is current no more, copies under way have ended before their memory goes. */
#define LATE(member, type)            \
    static int late_##member(type of) \
    {                                 \
        (void)sound->member(of);      \
        return fail_##member(of);     \
    }
LATE(context_pop, sb_cu_ptr *)
LATE(stream_wait, sb_cu_ptr)
LATE(event_destroy, sb_cu_ptr)
LATE(module_unload, sb_cu_ptr)
LATE(free, sb_cu_mem)
LATE(rtc_destroy, sb_cu_ptr *)
#undef LATE

static void
replace(entry e, bool fails)
{
    switch (e) {
#define CU(member, symbol, parameters)                        \
    case ENTRY_##member:                                      \
        table.member = fails ? fail_##member : sound->member; \
        break;
#include "gpu/driver.def"
#undef CU
#undef RTC
    case ENTRY_COUNT:
        break;
    }
#define LATE(member)                  \
    if (e == ENTRY_##member && fails) \
        table.member = late_##member;
    LATE(context_pop)
    LATE(stream_wait)
    LATE(event_destroy)
    LATE(module_unload)
    LATE(free)
    LATE(rtc_destroy)
#undef LATE
}

/* ---- phases --------------------------------------------------------------------------------- */

typedef enum phase {
    CREATE,   /* another handle, when the device is open */
    SIZE,     /* bufferSize: loads or compiles kernels */
    ANALYSE,  /* kernels, structure to the host, a plan to the device */
    MEASURE,  /* the same, timed */
    PLANNED,  /* a product with a plan */
    CAPTURED, /* the same while the stream is captured */
    BARE,     /* a product without one */
    TURNED,   /* A^T, in a buffer */
    STAGED,   /* A^T without: through host memory */
    PHASES
} phase;

static const char *const phase_names[PHASES] = {"create",  "size",    "analyse",
                                                "measure", "planned", "captured",
                                                "bare",    "turned",  "staged"};

static const float two = 2, nought = 0;

typedef struct subject {
    world w;
    sb_cu_mem buffer;
    sb_cu_ptr stream;
} subject;

static spblasStatus_t
transposed(const world *w, void *buffer)
{
    return spblasSpMM(w->h, SPBLAS_OPERATION_TRANSPOSE, SPBLAS_OPERATION_NON_TRANSPOSE,
                      &two, w->a, w->c, &nought, w->b, SPBLAS_R_32F,
                      SPBLAS_SPMM_ALG_DEFAULT, buffer);
}

static spblasStatus_t
size_of(const world *w, size_t *bytes)
{
    return spblasSpMM_bufferSize(
        w->h, SPBLAS_OPERATION_TRANSPOSE, SPBLAS_OPERATION_NON_TRANSPOSE, &two, w->a,
        w->c, &nought, w->b, SPBLAS_R_32F, SPBLAS_SPMM_ALG_DEFAULT, bytes);
}

static void
effort(const world *w, spblasEffort_t e)
{
    world_must(spblasForgetWisdom());
    world_must(spblasSpMatSetAttribute(w->a, SPBLAS_SPMAT_EFFORT, &e, sizeof e));
}

static spblasStatus_t
run(subject *s, phase p)
{
    spblasHandle_t another;
    spblasStatus_t st;
    sb_cu_ptr graph;
    size_t bytes;

    switch (p) {
    case CREATE:
        st = spblasCreateOn(&another, "emu");
        if (st == SPBLAS_STATUS_SUCCESS)
            world_must(spblasDestroy(another));
        return st;
    case SIZE:
        return size_of(&s->w, &bytes);
    case ANALYSE:
    case MEASURE:
        return world_analyse(&s->w);
    case CAPTURED:
        assert_int_equal(sound->capture_begin(s->stream, 0), 0);
        st = world_multiply(&s->w, &two, &nought);
        assert_int_equal(sound->capture_end(s->stream, &graph), 0);
        assert_int_equal(sound->graph_destroy(graph), 0);
        return st;
    case TURNED:
        return transposed(&s->w, (void *)(uintptr_t)s->buffer);
    case STAGED:
        return transposed(&s->w, NULL);
    default:
        return world_multiply(&s->w, &two, &nought);
    }
}

/* What a call that succeeded has left, B or C. */
static void
check(const subject *s, phase p)
{
    const float *b = s->w.array[3];

    if (p == PLANNED || p == BARE)
        world_check(&s->w, 2);
    for (int i = 0; i < WORLD_K * WORLD_N && (p == TURNED || p == STAGED); i++)
        assert_true(b[i] == 0); /* of C, which is */
}

static void
open_subject(subject *s, phase p)
{
    size_t bytes;

    world_open(&s->w);
    assert_int_equal(sound->stream_create(&s->stream, 0), 0);
    world_must(spblasSetStream(s->w.h, s->stream));
    effort(&s->w, p == MEASURE ? SPBLAS_EFFORT_MEASURE : SPBLAS_EFFORT_ESTIMATE);
    s->buffer = 0;
    if (p == TURNED) {
        world_must(size_of(&s->w, &bytes));
        assert_int_equal(sound->alloc(&s->buffer, bytes), 0);
    }
    if (p == PLANNED || p == CAPTURED)
        world_must(world_analyse(&s->w));
}

static void
close_subject(subject *s)
{
    if (s->buffer)
        assert_int_equal(sound->free(s->buffer), 0);
    world_close(&s->w);
    assert_int_equal(sound->stream_destroy(s->stream), 0);
    world_must(spblasForgetWisdom());
}

/* ---- who may fail where --------------------------------------------------------------------- */

/* Bits of phases in which a call says that it failed; everywhere else it succeeds, by another
 * road where it must. Plans that cannot be moved are not timed, and what is left of a race
 * goes through host memory. */
#define IN(p) (1u << (p))
static const unsigned fails_in[ENTRY_COUNT] = {
    [ENTRY_context_current] = IN(CREATE),
    [ENTRY_device_get] = IN(CREATE),
    [ENTRY_device_attribute] = IN(CREATE),
    [ENTRY_primary_retain] = IN(CREATE),
    [ENTRY_context_push] = IN(ANALYSE) | IN(MEASURE) | IN(PLANNED) | IN(CAPTURED) |
                           IN(BARE) | IN(TURNED) | IN(STAGED),
    [ENTRY_launch] = IN(PLANNED) | IN(CAPTURED) | IN(BARE) | IN(TURNED),
    [ENTRY_alloc] = IN(ANALYSE) | IN(MEASURE),
    [ENTRY_upload] = IN(ANALYSE) | IN(STAGED),
    [ENTRY_download] = IN(ANALYSE) | IN(MEASURE) | IN(STAGED),
    [ENTRY_stream_wait] = IN(ANALYSE) | IN(MEASURE) | IN(STAGED),
};

/* What fails is not undone: memory, modules and contexts stay. */
static bool
leaks(entry e)
{
    return e == ENTRY_free || e == ENTRY_module_unload || e == ENTRY_primary_release;
}

static void
one(entry e, phase p)
{
    const sb_emu_counts before = sb_emu_count();
    spblasStatus_t st;
    subject s;

    open_subject(&s, p);
    world_forget(&s.w);
    if (p == TURNED || p == STAGED)
        memset(s.w.array[4], 0, WORLD_M * WORLD_N * sizeof(float));
    replace(e, true);
    st = run(&s, p);
    replace(e, false);
    if ((st != SPBLAS_STATUS_SUCCESS) != (fails_in[e] >> p & 1))
        fail_msg("%s in %s: %s, %s", names[e], phase_names[p], spblasGetErrorName(st),
                 spblasGetLastErrorMessage(s.w.h));
    if (st == SPBLAS_STATUS_SUCCESS)
        check(&s, p);
    else if (!spblasGetLastErrorMessage(p == CREATE ? NULL : s.w.h)[0])
        fail_msg("%s in %s: not a word", names[e], phase_names[p]);
    world_forget(&s.w);
    if (p == TURNED || p == STAGED)
        memset(s.w.array[4], 0, WORLD_M * WORLD_N * sizeof(float));
    world_must(run(&s, p));
    check(&s, p);
    close_subject(&s);
    if (!leaks(e) && (sb_emu_count().blocks != before.blocks ||
                      sb_emu_count().contexts != before.contexts))
        fail_msg("%s in %s: something is left behind", names[e], phase_names[p]);
}

static void
test_every_function(void **state)
{
    int used = 0;

    (void)state;
    NEED_COMPILER();
    sound = sb_emu_driver();
    table = *sound;
    sb_emu_device_driver(&table);
    for (int e = 0; e < ENTRY_COUNT; e++) {
        const int was = calls;

        for (int p = 0; p < PHASES; p++)
            one((entry)e, (phase)p);
        used += calls > was;
    }
    sb_emu_device_driver(NULL);
    assert_true(used > 20); /* others are those of programs, and of the end */
}

int
main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_every_function)};
    int failed;

    if (setenv("SPBLAS_BACKEND", "emu", 1) != 0 || !sb_box_open(SB_BINARY_DIR))
        return 1;
    failed = cmocka_run_group_tests(tests, NULL, NULL);
    sb_box_close();
    return failed;
}
