/*
 * A GPU, a driver and a file of kernels that are not of one age: the driver takes machine code
 * of its GPU's generation that is not newer, and PTX that is not newer than itself. Which image
 * is taken, what is said of the others, and who computes where none is.
 * ctest-labels: quick gpu-emu
 */
#include "base/log.h"
#include "base/macro.h"
#include "cachebox.h"
#include "gpu/archive.h"
#include "gpu/emu.h"
#include "gpu/gpu.h"
#include "gpu/nvrtc.h"
#include "gpuworld.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum {
    TAG = 16,
    NO_BINARY_FOR_GPU = 209,
    UNSUPPORTED_PTX_VERSION = 222,
    BAD_OPTION = 5
};

static const sb_driver *d;
static const float two = 2, nought = 0;

/* One case. */
typedef struct scene {
    const char *gpu; /* its architecture */
    const char
        *file;   /* architectures of the images in the file, or what is wrong with it */
    int nvrtc;   /* the newest architecture that it knows; 0: there is none */
    int driver;  /* the newest whose PTX it knows */
    bool strict; /* it refuses machine code */
    const char *taken,
        *said; /* the image, NULL: host memory; of what the log says, or NULL */
} scene;

static const scene scenes[] = {
    {"sm_90", "sm_80 sm_90 compute_75", 0, 130, false, "sm_90", NULL},
    {"sm_89", "sm_80 sm_86 sm_90", 0, 130, false, "sm_86", NULL},
    /* newer than all machine code */
    {"sm_130", "sm_90 sm_120 compute_75 compute_120", 0, 130, false, "compute_120",
     NULL},
    {"sm_130", "sm_120 compute_120", 120, 130, false, "compute_120", "sm_130"},
    {"sm_130", "sm_120 compute_120", 130, 130, false, "sm_130", NULL},
    {"sm_130", "sm_120", 0, 130, false, NULL, "no NVRTC"},
    /* between two generations */
    {"sm_110", "sm_100 sm_120 compute_75 compute_120", 0, 130, false, "compute_75",
     NULL},
    /* machine code that the driver does not load */
    {"sm_90", "sm_90 compute_75", 0, 130, true, "compute_75", "(209)"},
    {"sm_90", "sm_90", 120, 130, true, NULL, "(209)"},
    /* a driver older than the PTX */
    {"sm_130", "sm_120 compute_120", 0, 75, false, NULL, "(222)"},
    {"sm_90", "sm_90 compute_120", 0, 75, false, "sm_90", NULL},
    /* the file */
    {"sm_90", "missing", 120, 130, false, "sm_90", "names no file"},
    {"sm_90", "missing", 0, 130, false, NULL, "names no file"},
    {"sm_90", "short", 120, 130, false, "sm_90", "is no archive of GPU kernels"},
    {"sm_90", "short", 0, 130, false, NULL, "is no archive of GPU kernels"},
    {"sm_90", "older", 120, 130, false, "sm_90", "is no archive of GPU kernels"},
    {"sm_90", "damaged", 120, 130, false, "sm_90", "or damaged"},
    {"sm_90", "damaged", 0, 130, false, NULL, "or damaged"},
};

static const scene *now;
static char taken[TAG], compiled_for[TAG], file[320], said[8000];
static sb_strbuf text; /* the first that was compiled */

static void
listen(sb_log_level level, const char *line, void *user)
{
    (void)level;
    (void)user;
    if (strlen(said) + strlen(line) + 2 < sizeof said)
        strcat(strcat(said, line), "\n");
}

/* ---- NVRTC and the driver ----------------------------------------------------------------- */

static int
number(const char *arch)
{
    return (int)strtol(strchr(arch, '_') + 1, NULL, 10);
}

static int
create(sb_cu_ptr *program, const char *s, const char *name, int headers,
       const char *const *header_text, const char *const *header_name)
{
    if (text.len == 0)
        sb_strbuf_puts(&text, s);
    return d->rtc_create(program, s, name, headers, header_text, header_name);
}

static int
compile(sb_cu_ptr program, int options, const char *const *option)
{
    assert_memory_equal(option[0], "--gpu-architecture=", 19);
    (void)snprintf(compiled_for, TAG, "%s", option[0] + 19);
    if (now && number(compiled_for) > now->nvrtc)
        return BAD_OPTION;
    return d->rtc_compile(program, options, option);
}

/* What NVRTC says then; the emulator's has nothing to say. */
static int
log_size(sb_cu_ptr program, size_t *bytes)
{
    (void)program;
    *bytes = 80;
    return 0;
}

static int
log_text(sb_cu_ptr program, char *log)
{
    (void)program;
    (void)snprintf(log, 80, "nvrtc: error: invalid value for --gpu-architecture (%s)",
                   compiled_for);
    return 0;
}

/* An image says in front what it is for. */
static int
image_size(sb_cu_ptr program, size_t *bytes)
{
    const int code = d->rtc_image_size(program, bytes);

    *bytes += TAG;
    return code;
}

static int
image(sb_cu_ptr program, char *out)
{
    memset(out, 0, TAG);
    memcpy(out, compiled_for, strlen(compiled_for));
    return d->rtc_image(program, out + TAG);
}

static int
load(sb_cu_ptr *out, const void *at)
{
    const char *arch = at;
    const int of = number(arch), own = number(now->gpu);

    *out = NULL;
    if (strncmp(arch, "compute_", 8) == 0) {
        if (of > now->driver)
            return UNSUPPORTED_PTX_VERSION;
        if (of > own)
            return NO_BINARY_FOR_GPU;
    } else if (now->strict || of > own || of / 10 != own / 10) {
        return NO_BINARY_FOR_GPU;
    }
    (void)snprintf(taken, TAG, "%s", arch);
    return d->module_load(out, arch + TAG);
}

static sb_driver
table(void)
{
    sb_driver t = *d;

    t.rtc_create = create;
    t.rtc_compile = compile;
    t.rtc_log_size = log_size;
    t.rtc_log = log_text;
    t.rtc_image_size = t.rtc_ptx_size = image_size;
    t.rtc_image = t.rtc_ptx = image;
    t.module_load = load;
    return t;
}

/* ---- the file ----------------------------------------------------------------------------- */

static void
spoil(const char *how)
{
    FILE *f = fopen(file, "r+b");
    long bytes;

    assert_non_null(f);
    assert_int_equal(fseek(f, 0, SEEK_END), 0);
    bytes = ftell(f);
    /* the version ends the first word; an image is what the file ends with */
    assert_int_equal(fseek(f, strcmp(how, "older") == 0 ? 15 : bytes - 40, SEEK_SET),
                     0);
    assert_int_equal(fwrite("0", 1, 1, f), 1);
    assert_int_equal(fclose(f), 0);
    if (strcmp(how, "short") == 0) {
        f = fopen(file, "wb");
        assert_int_equal(fwrite("spblas", 1, 6, f), 6);
        assert_int_equal(fclose(f), 0);
    }
}

/* The kernel of `text` for each architecture that the scene's file has. */
static void
write_file(const sb_driver *rtc, const char *archs)
{
    const bool spoilt = !strchr(archs, '_');
    sb_archive_item item[8];
    int n = 0;

    (void)remove(file);
    if (strcmp(archs, "missing") == 0)
        return;
    for (const char *at = spoilt ? "sm_90" : archs; *at; n++) {
        const int len = (int)strcspn(at, " ");

        item[n].text = sb_archive_key(&text);
        (void)snprintf(item[n].arch, SB_ARCH_MAX, "%.*s", len, at);
        at += len + (at[len] == ' ');
    }
    for (int q = 0; q < n; q++) {
        sb_strbuf_init(&item[q].image);
        assert_int_equal(
            sb_nvrtc_compile(&item[q].image, rtc, item[q].arch, text.s, NULL), SB_OK);
    }
    assert_int_equal(sb_archive_write(file, "NVRTC 0.1", item, n, NULL), SB_OK);
    for (int q = 0; q < n; q++)
        sb_strbuf_free(&item[q].image);
    if (spoilt)
        spoil(archs);
}

/* ---- the scenes --------------------------------------------------------------------------- */

/* An analysis and a product; how many parts the plan has: none where no kernel serves it. */
static int
parts_of_a_plan(void)
{
    spblasPlanInfo_t info = {.structSize = sizeof info};
    world w;

    world_open(&w);
    world_must(world_analyse(&w));
    world_must(spblasSpMatGetPlanInfo(w.a, 0, &info));
    world_forget(&w);
    world_must(world_multiply(&w, &two, &nought));
    world_check(&w, 2);
    world_close(&w);
    return info.parts;
}

static void
play(const scene *s, sb_driver *t)
{
    int parts;

    now = NULL;
    t->can_compile = true;
    write_file(t, s->file);
    now = s;
    t->arch = s->gpu;
    t->can_compile = s->nvrtc > 0;
    taken[0] = said[0] = '\0';
    world_empty_cache();
    sb_archive_forget();
    sb_emu_device_driver(t);
    parts = parts_of_a_plan();
    if (parts != (s->taken ? 1 : 0))
        fail_msg("%s with \"%s\": %d parts, and in the log:\n%s", s->gpu, s->file,
                 parts, said);
    sb_emu_device_driver(NULL);
    assert_string_equal(taken, s->taken ? s->taken : "");
    if (s->said && !strstr(said, s->said))
        fail_msg("%s with \"%s\": the log lacks \"%s\":\n%s", s->gpu, s->file, s->said,
                 said);
    if (!s->said && said[0])
        fail_msg("%s with \"%s\" says %s", s->gpu, s->file, said);
}

static void
test_scenes(void **state)
{
    static const scene any = {"sm_90", "", 90, 90, false, NULL, NULL};
    sb_driver t = table();

    (void)state;
    NEED_COMPILER();
    /* which text an analysis asks for */
    now = &any;
    t.arch = any.gpu;
    assert_int_equal(setenv("SPBLAS_GPU_KERNELS", "off", 1), 0);
    sb_archive_forget();
    world_empty_cache();
    sb_emu_device_driver(&t);
    assert_int_equal(parts_of_a_plan(), 1);
    sb_emu_device_driver(NULL);
    assert_int_equal(setenv("SPBLAS_GPU_KERNELS", file, 1), 0);
    sb_log_set(SB_LOG_WARN, listen, NULL);
    for (int q = 0; q < SB_COUNT(scenes); q++)
        play(&scenes[q], &t);
    sb_log_set(SB_LOG_OFF, NULL, NULL);
    assert_int_equal(setenv("SPBLAS_GPU_KERNELS", "off", 1), 0);
    sb_archive_forget();
}

/* A routine that the device alone can compute says what is missing. */
static void
test_no_fallback(void **state)
{
    static const scene bare = {"sm_130", "missing", 0, 75, false, NULL, NULL};
    sb_driver t = table();
    sb_driver apart;
    spblasHandle_t h;
    spblasDnVecDescr_t y;
    spblasSpVecDescr_t x;
    void *idx, *val, *dense;

    (void)state;
    now = &bare;
    t.arch = bare.gpu;
    t.can_compile = false;
    apart = t;
    apart.place = world_host_alone;
    world_empty_cache();
    sb_emu_device_driver(&apart);
    world_must(spblasCreateOn(&h, "emu"));
    idx = world_device(world_crd, 2 * sizeof(int32_t));
    val = world_device(world_val, 2 * sizeof(float));
    dense = world_device(world_val, WORLD_NNZ * sizeof(float));
    world_must(spblasCreateSpVec(&x, WORLD_NNZ, 2, idx, val, SPBLAS_INDEX_32I,
                                 SPBLAS_INDEX_BASE_ZERO, SPBLAS_R_32F));
    world_must(spblasCreateDnVec(&y, WORLD_NNZ, dense, SPBLAS_R_32F));
    assert_int_equal(spblasScatter(h, x, y), SPBLAS_STATUS_NOT_SUPPORTED);
    assert_non_null(strstr(spblasGetLastErrorMessage(h), "no NVRTC"));
    world_must(spblasDestroySpVec(x));
    world_must(spblasDestroyDnVec(y));
    world_free(idx);
    world_free(val);
    world_free(dense);
    world_must(spblasDestroy(h));
    sb_emu_device_driver(NULL);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_scenes),
                                       cmocka_unit_test(test_no_fallback)};
    int failed;

    if (setenv("SPBLAS_BACKEND", "emu", 1) != 0 || !sb_box_open(SB_BINARY_DIR))
        return 1;
    d = sb_emu_driver();
    sb_strbuf_init(&text);
    (void)snprintf(file, sizeof file, "%s/kernels.gpu", sb_box.root);
    failed = cmocka_run_group_tests(tests, NULL, NULL);
    failed += sb_emu_count().blocks != 0;
    sb_strbuf_free(&text);
    sb_box_close();
    return failed;
}
