/*
 * The driver's table: where it comes from and what is said when it does not come; the
 * emulator behind it, and NVRTC itself where the machine has one.
 * ctest-labels: quick gpu-emu
 */
#include "cpu/cpu.h"
#include "gpu/emu.h"
#include "gpulab.h"

#include "base/macro.h"
#include "runtime/plan.h"

#include <dlfcn.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const sb_driver *d;

/* ---- opening ---------------------------------------------------------------------------- */

static void
test_missing(void **state)
{
    sb_diag diag = {SB_OK, ""};
    sb_driver none;

    (void)state;
    assert_int_equal(sb_driver_open(&none, "libspblas-none.so", NULL, 0, &diag),
                     SB_ENOTSUP);
    assert_non_null(strstr(diag.text, "libspblas-none.so"));
    sb_diag_clear(&diag);
    assert_int_equal(sb_driver_open(&none, "libm.so.6", NULL, 0, &diag), SB_ENOTSUP);
    assert_non_null(strstr(diag.text, "no cuInit"));
}

static void *
toolkit(const char *name)
{
    static const char *const folders[] = {"", "/usr/local/cuda/lib64/",
                                          "/usr/local/cuda/lib64/stubs/",
                                          "/usr/local/cuda/lib/stubs/"};
    char path[200];
    void *lib = NULL;

    for (int q = 0; q < SB_COUNT(folders) && !lib; q++) {
        (void)snprintf(path, sizeof path, "%s%s", folders[q], name);
        lib = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    }
    return lib;
}

/* The names of the table are the libraries' own. */
static void
test_symbols(void **state)
{
    void *driver = toolkit("libcuda.so"), *rtc = toolkit("libnvrtc.so");

    (void)state;
    if (!driver || !rtc)
        skip();
#define CU(member, symbol, parameters) assert_non_null(dlsym(driver, symbol));
#define RTC(member, symbol, parameters) assert_non_null(dlsym(rtc, symbol));
#include "gpu/driver.def"
#undef CU
#undef RTC
    (void)dlclose(driver);
}

static void
test_machine(void **state)
{
    const sb_driver *machine;
    sb_diag diag = {SB_OK, ""};
    const sb_status st = sb_driver_get(&machine, &diag);

    (void)state;
    assert_true(st == SB_OK ? machine != NULL && !diag.text[0]
                            : st == SB_ENOTSUP && !machine && diag.text[0]);
}

/* ---- memory --------------------------------------------------------------------------------- */

static void
test_memory(void **state)
{
    const int64_t live = sb_emu_count().blocks;
    const char text[] = "seven 7";
    const char *why;
    sb_cu_ptr stream;
    char back[8];
    sb_cu_mem m;
    int place = 0;

    (void)state;
    assert_int_equal(d->alloc(&m, 0), SB_CU_INVALID_VALUE);
    assert_int_equal(d->alloc(&m, SIZE_MAX), SB_CU_OUT_OF_MEMORY);
    assert_int_equal(d->alloc(&m, 8), 0);
    assert_int_equal(m % 256, 0);
    assert_int_equal(sb_emu_count().blocks, live + 1);
    assert_int_equal(d->upload(m, text, 8, NULL), 0);
    assert_int_equal(d->stream_create(&stream, 0), 0);
    assert_int_equal(d->download(back, m, 8, NULL), 0);
    assert_memory_not_equal(back, text, 8); /* it has not been waited for */
    assert_int_equal(d->stream_wait(stream), 0);
    assert_memory_not_equal(back, text, 8); /* but that was another stream */
    assert_int_equal(d->stream_wait(NULL), 0);
    assert_string_equal(back, text);
    assert_int_equal(d->download(back, m, 8, stream), 0);
    assert_int_equal(d->fill(m, 0, 8, stream), 0); /* comes after the copy */
    assert_int_equal(d->stream_wait(stream), 0);
    assert_string_equal(back, text);
    assert_int_equal(d->stream_destroy(stream), 0);
    assert_int_equal(d->place(&place, SB_CU_MEMORY_TYPE, m), 0);
    assert_int_equal(place, SB_CU_MEMORY_DEVICE);
    assert_int_equal(d->place(&place, SB_CU_MEMORY_TYPE, (uintptr_t)back), 0);
    assert_int_equal(place, SB_CU_MEMORY_UNIFIED);
    assert_int_equal(d->free(m + 1), SB_CU_INVALID_VALUE);
    ((char *)(uintptr_t)m)[-1] = 0;
    assert_int_equal(d->free(m), SB_CU_LAUNCH_FAILED);
    assert_int_equal(d->error_text(SB_CU_LAUNCH_FAILED, &why), 0);
    assert_non_null(strstr(why, "at byte -1"));
    assert_int_equal(sb_emu_count().blocks, live);
}

/* ---- compiling and launching ---------------------------------------------------------------- */

enum { ROWS = 70, COLS = 9, NNZ = 2 * ROWS };
static struct tables {
    int ptr[ROWS + 1], crd[NNZ];
    float a[NNZ], b[ROWS * COLS], c[ROWS * COLS], expect[ROWS * COLS];
    sb_tile tile[2];
} t;

typedef struct arguments {
    sb_param p[7];
    void *b[6];
    int64_t t0, t1;
} arguments;

static arguments
example(float *c)
{
    for (int i = 0; i < ROWS; i++) {
        t.ptr[i + 1] = 2 * (i + 1);
        for (int q = 2 * i; q < 2 * i + 2; q++) {
            t.crd[q] = (i * 7 + q) % ROWS;
            t.a[q] = (float)(q % 5 - 2);
        }
    }
    for (int q = 0; q < ROWS * COLS; q++)
        t.b[q] = (float)(q % 11 - 5);
    for (int i = 0; i < ROWS; i++)
        for (int j = 0; j < COLS; j++)
            t.expect[i * COLS + j] =
                0 + 3 * (t.a[2 * i] * t.b[t.crd[2 * i] * COLS + j] +
                         t.a[2 * i + 1] * t.b[t.crd[2 * i + 1] * COLS + j]);
    t.tile[0] = (sb_tile){0, 0, 40, 0};
    t.tile[1] = (sb_tile){0, 40, ROWS, 0};
    return (arguments){{{.i = ROWS},
                        {.i = COLS},
                        {.i = COLS},
                        {.i = COLS},
                        {.f = {3}},
                        {.f = {0}},
                        {.i = 0}},
                       {t.ptr, t.crd, t.a, t.b, c, t.tile},
                       0,
                       2};
}

static int
compile(const sb_driver *with, const char *text, const char *option, char **image)
{
    sb_cu_ptr program;
    size_t bytes;
    int code;

    assert_int_equal(with->rtc_create(&program, text, "gpulab", 0, NULL, NULL), 0);
    code = with->rtc_compile(program, option ? 1 : 0, &option);
    if (code) {
        assert_int_equal(with->rtc_log_size(program, &bytes), 0);
    } else {
        assert_int_equal(with->rtc_image_size(program, &bytes), 0);
        assert_true(bytes > 0);
    }
    *image = calloc(1, bytes);
    assert_non_null(*image);
    assert_int_equal((code ? with->rtc_log : with->rtc_image)(program, *image), 0);
    assert_int_equal(with->rtc_destroy(&program), 0);
    return code;
}

/* The kernel as the emulator has it; NULL without a compiler. */
static sb_cu_ptr
load(sb_cu_ptr *module, bool wrong)
{
    sb_cu_ptr function = NULL;
    sb_strbuf text;
    char *image;

    sb_strbuf_init(&text);
    gpulab_text(&text, "sbk_1", wrong);
    if (compile(d, text.s, NULL, &image) == 0) {
        assert_int_equal(d->module_load(module, image), 0);
        assert_int_equal(d->module_function(&function, *module, "sbk_2"),
                         SB_CU_NOT_FOUND);
        assert_int_equal(d->module_function(&function, *module, "sbk_1"), 0);
    } else {
        assert_non_null(strstr(image, "no C compiler"));
    }
    free(image);
    sb_strbuf_free(&text);
    return function;
}

static int
launch(sb_cu_ptr f, arguments *a, sb_cu_ptr stream)
{
    size_t bytes = sizeof *a;
    void *extra[] = {SB_CU_EXTRA_BUFFER, a, SB_CU_EXTRA_SIZE, &bytes, SB_CU_EXTRA_END};

    return d->launch(f, 2, 2, 1, 32, 1, 1, 0, stream, NULL, extra);
}

static void
test_launch(void **state)
{
    static const char *const orders[] = {"forward", "reverse", "random:5"};
    arguments a = example(t.c);
    sb_cu_ptr module, f = load(&module, false);
    const char *why;

    (void)state;
    if (!f)
        skip();
    for (int q = 0; q < SB_COUNT(orders); q++) {
        assert_int_equal(setenv("SPBLAS_EMU_ORDER", orders[q], 1), 0);
        memset(t.c, 0xff, sizeof t.c);
        assert_int_equal(launch(f, &a, NULL), 0);
        assert_memory_equal(t.c, t.expect, sizeof t.c);
    }
    assert_int_equal(setenv("SPBLAS_EMU_ORDER", "sideways", 1), 0);
    assert_int_equal(launch(f, &a, NULL), SB_CU_LAUNCH_FAILED);
    assert_int_equal(d->error_text(SB_CU_LAUNCH_FAILED, &why), 0);
    assert_non_null(strstr(why, "SPBLAS_EMU_ORDER"));
    assert_int_equal(unsetenv("SPBLAS_EMU_ORDER"), 0);
    assert_int_equal(d->launch(f, 1, 70000, 1, 32, 1, 1, 0, NULL, NULL, NULL),
                     SB_CU_INVALID_VALUE);
    assert_int_equal(d->module_unload(module), 0);
}

static void
test_red_zone(void **state)
{
    sb_cu_ptr module, f = load(&module, true);
    arguments a;
    const char *why;
    sb_cu_mem c;

    (void)state;
    if (!f)
        skip();
    assert_int_equal(d->alloc(&c, sizeof t.c), 0);
    a = example((float *)(uintptr_t)c);
    assert_int_equal(launch(f, &a, NULL), SB_CU_LAUNCH_FAILED);
    assert_int_equal(d->error_text(SB_CU_LAUNCH_FAILED, &why), 0);
    assert_non_null(strstr(why, "written past its ends, at byte 25"));
    assert_int_equal(d->free(c), SB_CU_LAUNCH_FAILED);
    assert_int_equal(d->module_unload(module), 0);
}

/* What could wait is refused while a stream captures; a graph does it all again. */
static void
test_capture(void **state)
{
    arguments a = example(t.c);
    sb_cu_ptr module, f = load(&module, false), stream, graph, exec;
    int capturing = 0;
    sb_cu_mem m;

    (void)state;
    if (!f)
        skip();
    assert_int_equal(d->stream_create(&stream, SB_CU_STREAM_NON_BLOCKING), 0);
    assert_int_equal(d->capture_begin(NULL, 0), SB_CU_INVALID_VALUE);
    assert_int_equal(d->capture_begin(stream, 0), 0);
    assert_int_equal(d->stream_capturing(stream, &capturing), 0);
    assert_true(capturing);
    memset(t.c, 0, sizeof t.c);
    assert_int_equal(launch(f, &a, stream), 0);
    assert_true(t.c[0] == 0);
    assert_int_equal(d->alloc(&m, 1), SB_CU_CAPTURE_UNSUPPORTED);
    assert_int_equal(d->stream_wait(stream), SB_CU_CAPTURE_UNSUPPORTED);
    assert_int_equal(d->fill(0, 0, 0, stream), SB_CU_CAPTURE_UNSUPPORTED);
    assert_int_equal(d->capture_end(stream, &graph), 0);
    assert_int_equal(d->graph_make(&exec, graph, 0), 0);
    assert_int_equal(d->graph_destroy(graph), 0);
    for (int q = 0; q < 2; q++) {
        memset(t.c, 0, sizeof t.c);
        assert_int_equal(d->graph_launch(exec, stream), 0);
        assert_memory_equal(t.c, t.expect, sizeof t.c);
    }
    assert_int_equal(d->graph_exec_destroy(exec), 0);
    assert_int_equal(d->stream_destroy(stream), 0);
    assert_int_equal(d->module_unload(module), 0);
}

static void
test_bad_text(void **state)
{
    const char garbage[64] = "no image";
    sb_cu_ptr module;
    char *log;

    (void)state;
    assert_int_not_equal(compile(d, "int f( {\n", NULL, &log), 0);
    assert_true(log[0] != '\0');
    free(log);
    assert_int_equal(d->module_load(&module, garbage), SB_CU_INVALID_IMAGE);
    assert_null(module);
}

/* The same text is CUDA C. */
static void
test_nvrtc(void **state)
{
    void *lib = toolkit("libnvrtc.so");
    sb_driver rtc = *d;
    sb_strbuf text;
    char *image;

    (void)state;
    if (!lib)
        skip();
#define CU(member, symbol, parameters)
#define RTC(member, symbol, parameters)              \
    {                                                \
        void *at = dlsym(lib, symbol);               \
                                                     \
        memcpy((void *)&rtc.member, &at, sizeof at); \
    }
#include "gpu/driver.def"
#undef CU
#undef RTC
    sb_strbuf_init(&text);
    gpulab_text(&text, "sbk_1", false);
    assert_int_equal(compile(&rtc, text.s, "--gpu-architecture=sm_90", &image), 0);
    assert_memory_equal(image, "\177ELF", 4);
    free(image);
    sb_strbuf_free(&text);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_missing), cmocka_unit_test(test_symbols),
        cmocka_unit_test(test_machine), cmocka_unit_test(test_memory),
        cmocka_unit_test(test_launch),  cmocka_unit_test(test_red_zone),
        cmocka_unit_test(test_capture), cmocka_unit_test(test_bad_text),
        cmocka_unit_test(test_nvrtc),
    };

    sb_backend_set(&sb_cpu_backend);
    d = sb_emu_driver();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
