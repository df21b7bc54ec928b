/*
 * Entries of the driver's table that fail: a kernel that cannot be had costs speed, short
 * memory and failing copies cost the analysis, and nothing is left behind.
 * ctest-labels: quick gpu-emu
 */
#include "base/log.h"
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

static const sb_driver *d;
static const float two = 2, nought = 0;

static int calls_left;

static bool
due(void)
{
    return calls_left-- == 0;
}

static int
bad_alloc(sb_cu_mem *out, size_t bytes)
{
    return due() ? SB_CU_OUT_OF_MEMORY : d->alloc(out, bytes);
}

static int
bad_upload(sb_cu_mem to, const void *from, size_t bytes, sb_cu_ptr stream)
{
    return due() ? SB_CU_LAUNCH_FAILED : d->upload(to, from, bytes, stream);
}

static int
bad_download(void *to, sb_cu_mem from, size_t bytes, sb_cu_ptr stream)
{
    return due() ? SB_CU_LAUNCH_FAILED : d->download(to, from, bytes, stream);
}

static int
bad_event(sb_cu_ptr event, sb_cu_ptr stream)
{
    return due() ? SB_CU_LAUNCH_FAILED : d->event_record(event, stream);
}

static int
bad_load(sb_cu_ptr *module, const void *image)
{
    (void)image;
    *module = NULL;
    return SB_CU_INVALID_IMAGE;
}

static int
bad_function(sb_cu_ptr *function, sb_cu_ptr module, const char *name)
{
    (void)module;
    (void)name;
    *function = NULL;
    return SB_CU_NOT_FOUND;
}

static int
bad_compile(sb_cu_ptr program, int options, const char *const *option)
{
    (void)program;
    (void)options;
    (void)option;
    return 6;
}

static int
bad_launch(sb_cu_ptr function, unsigned grid_x, unsigned grid_y, unsigned grid_z,
           unsigned block_x, unsigned block_y, unsigned block_z, unsigned shared_bytes,
           sb_cu_ptr stream, void **parameters, void **extra)
{
    (void)function;
    (void)grid_x;
    (void)grid_y;
    (void)grid_z;
    (void)block_x;
    (void)block_y;
    (void)block_z;
    (void)shared_bytes;
    (void)stream;
    (void)parameters;
    (void)extra;
    return SB_CU_LAUNCH_FAILED;
}

static int
bad_retain(sb_cu_ptr *context, int device)
{
    (void)context;
    (void)device;
    return SB_CU_OUT_OF_MEMORY;
}

/* What only makes a kernel unavailable: the analysis succeeds, and the product goes
 * through host memory. */
static void
falls_back(const sb_driver *broken)
{
    spblasPlanInfo_t info = {.structSize = sizeof info};
    world w;

    sb_emu_device_driver(broken);
    world_open(&w);
    world_must(world_analyse(&w));
    world_must(spblasSpMatGetPlanInfo(w.a, 0, &info));
    assert_int_equal(info.parts, 0);
    world_forget(&w);
    world_must(world_multiply(&w, &two, &nought));
    world_check(&w, 2);
    world_close(&w);
    sb_emu_device_driver(NULL);
    assert_int_equal(sb_emu_count().blocks + sb_emu_count().contexts, 0);
}

static int warnings;

static void
count_warnings(sb_log_level level, const char *text, void *user)
{
    (void)user;
    warnings += level == SB_LOG_WARN && strstr(text, "GPU kernel \"") != NULL;
}

/* What is said of a kernel that cannot be had is said once, not at every product. */
static void
test_said_once(void **state)
{
    sb_driver broken = *d;
    int before;
    world w;

    (void)state;
    world_empty_cache();
    broken.rtc_compile = bad_compile;
    sb_emu_device_driver(&broken);
    world_open(&w);
    warnings = 0;
    sb_log_set(SB_LOG_WARN, count_warnings, NULL);
    world_must(world_multiply(&w, &two, &nought));
    before = warnings;
    for (int q = 0; q < 3; q++)
        world_must(world_multiply(&w, &two, &nought));
    sb_log_set(SB_LOG_OFF, NULL, NULL);
    assert_true(before > 0);
    assert_int_equal(warnings, before);
    world_close(&w);
    sb_emu_device_driver(NULL);
}

static void
test_no_kernel(void **state)
{
    sb_driver broken = *d;

    (void)state;
    broken.can_compile = false;
    world_empty_cache();
    falls_back(&broken);
    broken = *d;
    broken.rtc_compile = bad_compile;
    falls_back(&broken);
    broken = *d;
    broken.module_load = bad_load;
    falls_back(&broken);
    broken = *d;
    broken.module_function = bad_function;
    falls_back(&broken);
}

/* The n-th call of the entry fails: the analysis says so and leaves nothing behind. */
static void
fails_cleanly(const sb_driver *broken, int most, spblasStatus_t expect_status)
{
    int failed = 0;

    sb_emu_device_driver(broken);
    for (int n = 0; n < most; n++) {
        spblasStatus_t st;
        int plans;
        world w;

        calls_left = -1;
        world_open(&w);
        calls_left = n;
        st = world_analyse(&w);
        calls_left = -1;
        world_must(spblasSpMatGetPlanCount(w.a, &plans));
        assert_int_equal(plans, st == SPBLAS_STATUS_SUCCESS);
        if (st != SPBLAS_STATUS_SUCCESS) {
            assert_int_equal(st, expect_status);
            assert_true(spblasGetLastErrorMessage(w.h)[0] != '\0');
            failed++;
        }
        world_forget(&w);
        world_must(world_multiply(&w, &two, &nought));
        world_check(&w, 2);
        world_close(&w);
        assert_int_equal(sb_emu_count().blocks + sb_emu_count().contexts, 0);
    }
    sb_emu_device_driver(NULL);
    assert_true(failed > 0 && failed < most);
}

static void
test_short_memory(void **state)
{
    sb_driver broken = *d;

    (void)state;
    if (!sb_box_compiler())
        skip();
    broken.alloc = bad_alloc;
    fails_cleanly(&broken, 3, SPBLAS_STATUS_ALLOC_FAILED);
}

static void
test_copies(void **state)
{
    sb_driver broken = *d;

    (void)state;
    if (!sb_box_compiler())
        skip();
    broken.upload = bad_upload;
    fails_cleanly(&broken, 3, SPBLAS_STATUS_EXECUTION_FAILED);
    broken = *d;
    broken.download = bad_download;
    fails_cleanly(&broken, 4, SPBLAS_STATUS_EXECUTION_FAILED);
}

/* What fails while plans are timed costs the race a plan, and nothing is left behind. */
static void
measures_anyway(const sb_driver *broken, int most)
{
    const spblasEffort_t effort = SPBLAS_EFFORT_MEASURE;
    int measured = 0;

    sb_emu_device_driver(broken);
    for (int n = 0; n < most; n += 3) {
        spblasPlanInfo_t info = {.structSize = sizeof info};
        spblasStatus_t st;
        world w;

        calls_left = -1;
        world_must(spblasForgetWisdom());
        world_open(&w);
        world_must(
            spblasSpMatSetAttribute(w.a, SPBLAS_SPMAT_EFFORT, &effort, sizeof effort));
        calls_left = n;
        st = world_analyse(&w);
        calls_left = -1;
        if (st == SPBLAS_STATUS_SUCCESS) {
            world_must(spblasSpMatGetPlanInfo(w.a, 0, &info));
            measured += info.measuredSeconds > 0;
        }
        world_forget(&w);
        world_must(world_multiply(&w, &two, &nought));
        world_check(&w, 2);
        world_close(&w);
        assert_int_equal(sb_emu_count().blocks + sb_emu_count().contexts, 0);
    }
    world_must(spblasForgetWisdom());
    sb_emu_device_driver(NULL);
    assert_true(measured > 0);
}

static void
test_measuring(void **state)
{
    sb_driver broken = *d;

    (void)state;
    if (!sb_box_compiler())
        skip();
    broken.alloc = bad_alloc;
    measures_anyway(&broken, 12);
    broken = *d;
    broken.event_record = bad_event;
    measures_anyway(&broken, 30);
}

static void
test_launch(void **state)
{
    sb_driver broken = *d;
    world w;

    (void)state;
    if (!sb_box_compiler())
        skip();
    broken.launch = bad_launch;
    sb_emu_device_driver(&broken);
    world_open(&w);
    world_must(world_analyse(&w));
    assert_int_equal(world_multiply(&w, &two, &nought), SPBLAS_STATUS_EXECUTION_FAILED);
    assert_non_null(
        strstr(spblasGetLastErrorMessage(w.h), "launching a kernel failed"));
    world_close(&w);
    sb_emu_device_driver(NULL);
}

static void
test_no_context(void **state)
{
    sb_driver broken = *d;
    spblasHandle_t h;

    (void)state;
    broken.primary_retain = bad_retain;
    sb_emu_device_driver(&broken);
    assert_int_equal(spblasCreateOn(&h, "emu"), SPBLAS_STATUS_NOT_SUPPORTED);
    assert_null(h);
    assert_non_null(strstr(spblasGetLastErrorMessage(NULL), "starting the GPU failed"));
    sb_emu_device_driver(NULL);
    assert_int_equal(spblasCreateOn(&h, "tpu"), SPBLAS_STATUS_INVALID_VALUE);
    assert_non_null(strstr(spblasGetLastErrorMessage(NULL), "known backends"));
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_no_kernel),    cmocka_unit_test(test_said_once),
        cmocka_unit_test(test_short_memory), cmocka_unit_test(test_copies),
        cmocka_unit_test(test_launch),       cmocka_unit_test(test_no_context),
        cmocka_unit_test(test_measuring),
    };
    int failed;

    if (!sb_box_open(SB_BINARY_DIR))
        return 1;
    d = sb_emu_driver();
    failed = cmocka_run_group_tests(tests, NULL, NULL);
    sb_box_close();
    return failed;
}
