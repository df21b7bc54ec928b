/*
 * Kernels that come from elsewhere than a compiler that is waited for: the file made with
 * the library, and the thread in the background.
 * ctest-labels: quick gpu-emu tsan
 */
#include "base/alloc.h"
#include "base/log.h"
#include "base/macro.h"
#include "cachebox.h"
#include "call.h"
#include "gpu/archive.h"
#include "gpu/emu.h"
#include "gpu/gpu.h"
#include "gpu/nvrtc.h"
#include "gpuworld.h"
#include "native/text.h"
#include "planner/context.h"
#include "planner/stock.h"
#include "problems.h"

#include "spblas_legacy.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

static const sb_driver *d;
static const float two = 2, nought = 0;

static void
environment(const char *name, const char *value)
{
    assert_int_equal(value ? setenv(name, value, 1) : unsetenv(name), 0);
}

/* ---- the file ----------------------------------------------------------------------------- */

static char file[320];

/* ---- a product from the file ---------------------------------------------------------------- */

/* The texts that the compiler is asked for. */
static sb_strbuf asked[8];
static int nasked;

static int
note_create(sb_cu_ptr *program, const char *text, const char *name, int headers,
            const char *const *header_text, const char *const *header_name)
{
    if (nasked < SB_COUNT(asked)) {
        sb_strbuf_clear(&asked[nasked]);
        sb_strbuf_puts(&asked[nasked], text);
    }
    nasked++;
    return d->rtc_create(program, text, name, headers, header_text, header_name);
}

/* The file with what an analysis asked for; with other code in it when `stale`. */
static void
keep_asked(bool stale)
{
    sb_archive_item i = {.arch = "emu"};

    assert_int_equal(nasked, 1);
    sb_strbuf_init(&i.image);
    i.text = sb_archive_key(&asked[0]);
    if (stale)
        sb_strbuf_puts(&i.image, "this is no image of the emulator, whatever its key");
    else
        assert_int_equal(sb_nvrtc_compile(&i.image, d, "emu", asked[0].s, NULL), SB_OK);
    assert_int_equal(sb_archive_write(file, "NVRTC 0.1", &i, 1, NULL), SB_OK);
    sb_strbuf_free(&i.image);
}

/* With the files that there are. */
static int64_t
compiles_again(void)
{
    const int64_t before = sb_emu_count().compiles;
    spblasPlanInfo_t info = {.structSize = sizeof info};
    world w;

    world_open(&w);
    world_must(world_analyse(&w));
    world_must(spblasSpMatGetPlanInfo(w.a, 0, &info));
    assert_int_equal(info.parts, 1);
    world_forget(&w);
    world_must(world_multiply(&w, &two, &nought));
    world_check(&w, 2);
    world_close(&w);
    return sb_emu_count().compiles - before;
}

static int64_t
compiles_of_a_product(void)
{
    sb_archive_forget();
    world_empty_cache();
    return compiles_again();
}

static int
other_version(int *major, int *minor)
{
    *major = 7;
    *minor = 5;
    return 0;
}

/* A file of another NVRTC serves only where nothing can be compiled. */
static void
test_writer(void **state)
{
    sb_driver other = *d;

    (void)state;
    NEED_COMPILER();
    other.rtc_version = other_version;
    assert_int_equal(compiles_of_a_product(), 1);
    assert_int_equal(compiles_again(), 0);
    sb_emu_device_driver(&other);
    assert_int_equal(compiles_again(), 1);
    assert_int_equal(compiles_again(), 0);
    sb_emu_device_driver(NULL);
    assert_int_equal(compiles_again(), 1);
    other.can_compile = false;
    sb_emu_device_driver(&other);
    assert_int_equal(compiles_again(), 0);
    sb_emu_device_driver(NULL);
}

static void
test_file(void **state)
{
    sb_driver noting = *d;

    (void)state;
    NEED_COMPILER();
    noting.rtc_create = note_create;
    sb_emu_device_driver(&noting);
    environment("SPBLAS_GPU_KERNELS", "off");
    nasked = 0;
    assert_int_equal(compiles_of_a_product(), 1);
    sb_emu_device_driver(NULL);
    keep_asked(false);
    environment("SPBLAS_GPU_KERNELS", file);
    assert_int_equal(compiles_of_a_product(), 0);
    environment("SPBLAS_JIT", "off");
    assert_int_equal(compiles_of_a_product(), 0);
    environment("SPBLAS_JIT", NULL);
    keep_asked(true); /* the driver does not load it: the next source serves */
    assert_int_equal(compiles_of_a_product(), 1);
    assert_int_equal(remove(file), 0);
    assert_int_equal(compiles_of_a_product(), 1);
    environment("SPBLAS_GPU_KERNELS", "off");
    sb_archive_forget();
}

/* ---- in the background ----------------------------------------------------------------------- */

static int pause_ms;

static int
slow_compile(sb_cu_ptr program, int options, const char *const *option)
{
    const struct timespec pause = {0, pause_ms * 1000000L};

    (void)nanosleep(&pause, NULL);
    return d->rtc_compile(program, options, option);
}

static void
plan_text(const world *w, char *out, size_t size)
{
    world_must(spblasSpMatGetPlanText(w->a, 0, out, &size));
}

/* An analysis of a new matrix; its plan computes. */
static void
analysed(char *text, size_t size)
{
    world w;

    world_open(&w);
    world_must(world_analyse(&w));
    plan_text(&w, text, size);
    world_forget(&w);
    world_must(world_multiply(&w, &two, &nought));
    world_check(&w, 2);
    world_close(&w);
}

static int
refuse_rows(sb_cu_ptr program, int options, const char *const *option)
{
    const char *spec = asked[nasked - 1].s; /* begins the text */

    return strncmp(spec, "/* spmm csr ", 12) == 0
               ? 6
               : d->rtc_compile(program, options, option);
}

/* Keeps on disk the kernel of the composition that an analysis takes where rows in place
 * cannot be had. */
static void
keep_other(char *text, size_t size)
{
    sb_driver refusing = *d;

    refusing.rtc_create = note_create;
    refusing.rtc_compile = refuse_rows;
    nasked = 0;
    sb_emu_device_driver(&refusing);
    world_empty_cache();
    analysed(text, size);
    sb_emu_device_driver(NULL);
}

/* A composition that is at hand serves until the better one has been made. A plan stays
 * what it is, and so does what an analysis answers where nobody asked for this. */
static void
test_background(void **state)
{
    char best[200], other[200], first[200], now[200] = "";
    sb_driver slow = *d;
    world w;

    (void)state;
    NEED_COMPILER();
    slow.rtc_compile = slow_compile;
    world_empty_cache();
    analysed(best, sizeof best);
    keep_other(other, sizeof other);
    assert_string_not_equal(other, best);
    analysed(now, sizeof now);
    assert_string_equal(now, best);

    keep_other(other, sizeof other);
    sb_emu_device_driver(&slow);
    pause_ms = 50;
    environment("SPBLAS_JIT", "background");
    world_open(&w); /* holds the device, and with it what is made for it */
    world_must(world_analyse(&w));
    plan_text(&w, first, sizeof first);
    assert_string_equal(first, other);
    for (int tries = 0; tries < 500; tries++) {
        analysed(now, sizeof now);
        if (strcmp(now, best) == 0)
            break;
        assert_string_equal(now, first);
        (void)nanosleep(&(struct timespec){0, 10000000}, NULL);
    }
    assert_string_equal(now, best);
    plan_text(&w, now, sizeof now);
    assert_string_equal(now, first);
    world_close(&w);

    /* nothing is at hand: the analysis waits for what it ordered, once */
    pause_ms = 0;
    world_empty_cache();
    nasked = 0;
    slow.rtc_create = note_create;
    analysed(now, sizeof now);
    assert_string_equal(now, best);
    assert_int_equal(nasked, 1);
    environment("SPBLAS_JIT", NULL);
    sb_emu_device_driver(NULL);
}

/* The device ends while a kernel is being made for it. */
static void
test_end(void **state)
{
    sb_driver slow = *d;
    char text[200];
    int64_t live;

    (void)state;
    NEED_COMPILER();
    keep_other(text, sizeof text);
    live = sb_alloc_live();
    slow.rtc_compile = slow_compile;
    sb_emu_device_driver(&slow);
    environment("SPBLAS_JIT", "background");
    pause_ms = 50;
    for (int q = 0; q < 3; q++)
        analysed(text, sizeof text);
    environment("SPBLAS_JIT", NULL);
    sb_emu_device_driver(NULL);
    assert_int_equal(sb_emu_count().blocks + sb_emu_count().contexts, 0);
    assert_int_equal(sb_alloc_live(), live);
}

/* ---- what the library is made with ------------------------------------------------------------ */

static int
no_compile(sb_cu_ptr program, int options, const char *const *option)
{
    (void)program;
    (void)options;
    (void)option;
    return 6;
}

static char stock[400][SB_SPEC_MAX];
static int nstock;

static void
take_spec(void *user, const char spec[SB_SPEC_MAX])
{
    (void)user;
    assert_true(nstock < SB_COUNT(stock));
    memcpy(stock[nstock++], spec, SB_SPEC_MAX);
}

/* Every kernel that was asked for is in stock. */
static void
all_in_stock(void)
{
    assert_true(nasked > 0 && nasked <= SB_COUNT(asked));
    for (int k = 0; k < nasked; k++) {
        char spec[SB_SPEC_MAX];
        bool found = false;
        const char *end = strstr(asked[k].s, " */");

        assert_memory_equal(asked[k].s, "/* ", 3); /* the text begins with its spec */
        (void)snprintf(spec, sizeof spec, "%.*s", (int)(end - asked[k].s - 3),
                       asked[k].s + 3);
        for (int q = 0; q < nstock; q++)
            found |= strcmp(stock[q], spec) == 0;
        if (!found)
            fail_msg("\"%s\" is not made with the library (src/planner/stock.c)", spec);
    }
}

/* Asking for the buffer, which makes the kernels of a call without analysis ready; such a
 * call without a buffer; a plan that reads rows in place. */
static void
one_in_stock(sb_problem pb)
{
    static const char *const plan[] = {[SB_OP_SPMM] = "(plan spmm (part csr))",
                                       [SB_OP_SPMV] = "(plan spmv (part csr))",
                                       [SB_OP_SDDMM] = "(plan sddmm (part csr))"};
    size_t bytes;
    call c;

    nasked = 0;
    world_must(call_begin(&c, &pb));
    world_must(call_size(&c, &bytes));
    world_must(call_run(&c));
    world_must(spblasSpMatSetAttribute(c.a, SPBLAS_SPMAT_PLAN_TEXT, plan[pb.op],
                                       strlen(plan[pb.op]) + 1));
    world_must(call_analyse(&c));
    call_end(&c);
    all_in_stock();
    problem_free(&pb);
}

static sb_problem
ordinary(sb_op op, sb_dtype t, int n, bool b_col, bool c_col, double density)
{
    const bool sampled = op == SB_OP_SDDMM;
    sb_problem pb = {.op = op,
                     .compute = t == SB_F64 ? SB_F64 : SB_F32,
                     .alpha = {1, 0},
                     .batch = 1};

    pb.a = gen_matrix(&(gen_spec){.family = GEN_UNIFORM,
                                  .rows = 40,
                                  .cols = 30,
                                  .val_type = t,
                                  .density = density,
                                  .integer = true});
    pb.b = gen_dense(&(gen_dense_spec){.rows = sampled ? 40 : 30,
                                       .cols = op == SB_OP_SPMV ? 1 : n,
                                       .type = t,
                                       .col_major = b_col,
                                       .integer = true});
    pb.c = gen_dense(&(gen_dense_spec){.rows = sampled ? n : 40,
                                       .cols = sampled            ? 30
                                               : op == SB_OP_SPMV ? 1
                                                                  : n,
                                       .type = t,
                                       .col_major = c_col,
                                       .integer = true});
    return pb;
}

/* Ordinary products find their kernels in the file made with the library. */
static void
test_stock(void **state)
{
    static const sb_dtype types[] = {SB_F32, SB_F64, SB_F16, SB_BF16};
    static const int widths[] = {1, 7, 32, 100, 300};
    static const double densities[] = {0.05, 0.4};
    sb_driver noting = *d;

    (void)state;
    noting.rtc_create = note_create;
    noting.rtc_compile = no_compile;
    sb_emu_device_driver(&noting);
    world_empty_cache();
    sb_stock_each(take_spec, NULL);
    for (int q = 0; q < 4 * 5 * 2 * 3; q++) {
        const sb_op op = (sb_op[]){SB_OP_SPMM, SB_OP_SPMV, SB_OP_SDDMM}[q % 3];

        one_in_stock(ordinary(op, types[q / 3 % 4], widths[q / 12 % 5], false,
                              op == SB_OP_SDDMM, densities[q / 60]));
    }
    sb_emu_device_driver(NULL);
}

/* A + A there, older and plain: counts, offsets of both widths, the sum. */
static void
add_there(spblasHandle_t h)
{
    const spblasMatDescr_t descr = {.base = SPBLAS_INDEX_BASE_ZERO};
    const size_t rows = (WORLD_M + 1) * sizeof(int32_t), nnz = WORLD_NNZ;
    int *ptr = world_device(world_ptr, rows), *to = world_device(world_ptr, rows);
    int *col = world_device(world_crd, nnz * 4), *j = world_device(world_crd, nnz * 4);
    float *val = world_device(world_val, nnz * 4),
          *v = world_device(world_val, nnz * 4);
    void *buffer, *host;
    size_t bytes;
    int total;

    world_must(spblasXcsrgeam2_bufferSizeExt(
        h, SPBLAS_R_32F, WORLD_M, WORLD_K, &two, &descr, WORLD_NNZ, val, ptr, col, &two,
        &descr, WORLD_NNZ, val, ptr, col, &descr, v, to, j, &bytes));
    host = calloc(1, bytes);
    buffer = world_device(host, bytes);
    free(host);
    world_must(spblasXcsrgeam2Nnz(h, WORLD_M, WORLD_K, &descr, WORLD_NNZ, ptr, col,
                                  &descr, WORLD_NNZ, ptr, col, &descr, to, &total,
                                  buffer));
    assert_int_equal(total, WORLD_NNZ);
    world_must(spblasXcsrgeam2(h, SPBLAS_R_32F, WORLD_M, WORLD_K, &two, &descr,
                               WORLD_NNZ, val, ptr, col, &two, &descr, WORLD_NNZ, val,
                               ptr, col, &descr, v, to, j, buffer));
    assert_true(v[0] == 4 * world_val[0]);
    world_free(buffer);
    for (int q = 0; q < 6; q++)
        world_free((void *[]){ptr, to, col, j, val, v}[q]);
}

/* So do routines whose kernels are written by hand; every one of the list can be made. */
static void
test_native_stock(void **state)
{
    sb_driver noting = *d;
    spblasHandle_t h;

    (void)state;
    NEED_COMPILER();
    nstock = 0;
    sb_native_stock(take_spec, NULL);
    for (int q = 0; q < nstock; q++) {
        sb_kernel_source src = {.key = {0, 0}};

        sb_strbuf_init(&src.text);
        sb_strbuf_init(&src.signature);
        assert_int_equal(sb_native_maker.make(&src, stock[q], NULL), SB_OK);
        sb_strbuf_free(&src.text);
        sb_strbuf_free(&src.signature);
    }
    noting.rtc_create = note_create;
    sb_emu_device_driver(&noting);
    world_empty_cache();
    nasked = 0;
    world_must(spblasCreateOn(&h, "emu"));
    add_there(h);
    world_must(spblasDestroy(h));
    assert_int_equal(nasked, 4);
    all_in_stock();
    sb_emu_device_driver(NULL);
}

/* ---- what no GPU has -------------------------------------------------------------------------- */

static char said[4000];

static void
listen(sb_log_level level, const char *text, void *user)
{
    (void)level;
    (void)user;
    if (strlen(said) + strlen(text) + 2 < sizeof said) {
        strcat(said, text);
        strcat(said, "\n");
    }
}

/* A spec that cannot be had on a GPU says why, in the log. */
static void
test_refused(void **state)
{
    sb_kernel_source out = {.key = {0, 0}};

    (void)state;
    sb_strbuf_init(&out.text);
    sb_strbuf_init(&out.signature);
    sb_log_set(SB_LOG_WARN, listen, NULL);
    assert_int_equal(sb_planner_gpu_maker.make(
                         &out, "spmm seg f32f32f32/f32 i32i32 rr t16 p0 g16", NULL),
                     SB_ENOTSUP);
    sb_log_set(SB_LOG_OFF, NULL, NULL);
    assert_non_null(
        strstr(said, "cannot be had on a GPU: spec: seg has no spmm kernel"));
    sb_strbuf_free(&out.text);
    sb_strbuf_free(&out.signature);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_writer),     cmocka_unit_test(test_file),
        cmocka_unit_test(test_background), cmocka_unit_test(test_end),
        cmocka_unit_test(test_stock),      cmocka_unit_test(test_native_stock),
        cmocka_unit_test(test_refused),
    };
    int failed;

    if (setenv("SPBLAS_BACKEND", "emu", 1) != 0 || !sb_box_open(SB_BINARY_DIR))
        return 1;
    d = sb_emu_driver();
    (void)snprintf(file, sizeof file, "%s/kernels.gpu", sb_box.root);
    for (int q = 0; q < SB_COUNT(asked); q++)
        sb_strbuf_init(&asked[q]);
    failed = cmocka_run_group_tests(tests, NULL, NULL);
    for (int q = 0; q < SB_COUNT(asked); q++)
        sb_strbuf_free(&asked[q]);
    sb_box_close();
    return failed;
}
