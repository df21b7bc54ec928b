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

#include "spblas_legacy.h"

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
    SORTED,   /* csru2csr: memory for the order */
    LEVELS,   /* bsrsv2's analysis */
    SOLVED,   /* its solve */
    PIVOT,    /* its zero pivot, to the GPU's memory */
    PHASES
} phase;

static const char *const phase_names[PHASES] = {
    "create", "size",   "analyse", "measure", "planned", "captured", "bare",
    "turned", "staged", "sorted",  "levels",  "solved",  "pivot"};

static const float two = 2, nought = 0;

typedef struct subject {
    world w;
    sb_cu_mem buffer;
    sb_cu_ptr stream;
    spblasLegacyInfo_t info;
    void *block[6]; /* of a triangle: offsets, columns, values; f, x, position */
} subject;

/* ---- older routines ------------------------------------------------------------------------- */

static const spblasMatDescr_t plain = {
    SPBLAS_MATRIX_TYPE_GENERAL, SPBLAS_FILL_MODE_LOWER, SPBLAS_DIAG_TYPE_NON_UNIT,
    SPBLAS_INDEX_BASE_ZERO};

static spblasStatus_t
sort_there(const subject *s)
{
    return spblasXcsru2csr(s->w.h, SPBLAS_R_32F, WORLD_M, WORLD_K, WORLD_NNZ, &plain,
                           s->w.array[2], s->w.array[0], s->w.array[1], s->info,
                           (void *)(uintptr_t)s->buffer);
}

static spblasStatus_t
levels(const subject *s)
{
    return spblasXbsrsv2_analysis(s->w.h, SPBLAS_R_32F, SPBLAS_DIRECTION_ROW,
                                  SPBLAS_OPERATION_NON_TRANSPOSE, 2, 3, &plain,
                                  s->block[2], s->block[0], s->block[1], 2, s->info,
                                  SPBLAS_SOLVE_POLICY_USE_LEVEL, NULL);
}

static spblasStatus_t
solve(const subject *s)
{
    return spblasXbsrsv2_solve(
        s->w.h, SPBLAS_R_32F, SPBLAS_DIRECTION_ROW, SPBLAS_OPERATION_NON_TRANSPOSE, 2,
        3, &two, &plain, s->block[2], s->block[0], s->block[1], 2, s->info, s->block[3],
        s->block[4], SPBLAS_SOLVE_POLICY_USE_LEVEL, NULL);
}

/* Blocks [1 0; 1 1], [1 1; 1 1], [1 0; 1 0]: the last element has no pivot. */
static void
open_blocks(subject *s, phase p)
{
    static const int ptr[] = {0, 1, 3}, col[] = {0, 0, 1}, none[] = {-1};
    static const float val[] = {1, 0, 1, 1, 1, 1, 1, 1, 1, 0, 1, 0}, f[] = {1, 1, 3, 3};
    const void *const from[] = {ptr, col, val, f, f, none};
    const size_t bytes[] = {sizeof ptr, sizeof col, sizeof val,
                            sizeof f,   sizeof f,   sizeof none};

    for (int q = 0; q < SB_COUNT(from); q++)
        s->block[q] = world_device(from[q], bytes[q]);
    world_must(spblasCreateLegacyInfo(&s->info));
    if (p == LEVELS || p == SOLVED || p == PIVOT) /* kernels stay */
        world_must(levels(s));
    if (p == PIVOT)
        world_must(solve(s));
}

static void
close_blocks(subject *s)
{
    for (int q = 0; q < SB_COUNT(s->block); q++)
        world_free(s->block[q]);
    world_must(spblasDestroyLegacyInfo(s->info));
}

static void
check_blocks(const subject *s, phase p)
{
    const float *x = s->block[4];

    if (p == SOLVED)
        assert_true(x[0] == 2 && x[1] == 0 && x[2] == 4);
    if (p == PIVOT)
        assert_int_equal(*(const int *)s->block[5], 1);
    if (p == SORTED)
        assert_memory_equal(s->w.array[1], world_crd, WORLD_NNZ * sizeof *world_crd);
}

/* ---- products ------------------------------------------------------------------------------- */

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
    case SORTED:
        return sort_there(s);
    case LEVELS:
        return levels(s);
    case SOLVED:
        return solve(s);
    case PIVOT:
        st = spblasXbsrsv2_zeroPivot(s->w.h, s->info, s->block[5]);
        return st == SPBLAS_STATUS_ZERO_PIVOT ? SPBLAS_STATUS_SUCCESS : st;
    default:
        return world_multiply(&s->w, &two, &nought);
    }
}

/* What a call that succeeded has left. */
static void
check(const subject *s, phase p)
{
    const float *b = s->w.array[3];

    if (p == PLANNED || p == BARE)
        world_check(&s->w, 2);
    for (int i = 0; i < WORLD_K * WORLD_N && (p == TURNED || p == STAGED); i++)
        assert_true(b[i] == 0); /* of C, which is */
    check_blocks(s, p);
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
    open_blocks(s, p);
    if (p == TURNED || p == SORTED) {
        world_must(p == TURNED ? size_of(&s->w, &bytes)
                               : spblasXcsru2csr_bufferSizeExt(
                                     s->w.h, SPBLAS_R_32F, WORLD_M, WORLD_K, WORLD_NNZ,
                                     NULL, NULL, NULL, s->info, &bytes));
        assert_int_equal(sound->alloc(&s->buffer, bytes), 0);
    }
    if (p == SORTED) { /* kernels stay, the order goes */
        world_must(sort_there(s));
        world_must(spblasDestroyLegacyInfo(s->info));
        world_must(spblasCreateLegacyInfo(&s->info));
    }
    if (p == PLANNED || p == CAPTURED)
        world_must(world_analyse(&s->w));
}

static void
close_subject(subject *s)
{
    if (s->buffer)
        assert_int_equal(sound->free(s->buffer), 0);
    close_blocks(s);
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
                           IN(BARE) | IN(TURNED) | IN(STAGED) | IN(SORTED) |
                           IN(LEVELS) | IN(SOLVED) | IN(PIVOT),
    [ENTRY_place] =
        IN(SOLVED), /* arrays are taken for the host's, the analysis is not */
    [ENTRY_launch] = IN(PLANNED) | IN(CAPTURED) | IN(BARE) | IN(TURNED) | IN(SORTED) |
                     IN(SOLVED) | IN(PIVOT),
    [ENTRY_alloc] = IN(ANALYSE) | IN(MEASURE) | IN(SORTED) | IN(LEVELS),
    [ENTRY_upload] = IN(ANALYSE) | IN(STAGED) | IN(LEVELS) | IN(PIVOT),
    [ENTRY_download] = IN(ANALYSE) | IN(MEASURE) | IN(STAGED) | IN(LEVELS) | IN(PIVOT),
    [ENTRY_stream_wait] =
        IN(ANALYSE) | IN(MEASURE) | IN(STAGED) | IN(LEVELS) | IN(PIVOT),
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
