/*
 * gpuimage: the library's GPU kernels as one file (src/gpu/archive.h), for
 * cmake/gpuimage.cmake. Needs NVRTC and no GPU.
 *
 *   gpuimage [--nvrtc LIBRARY] [--arch sm_90,compute_75] [--emulated] OUT [SPEC...]
 *   gpuimage [--nvrtc LIBRARY] --arch sm_90 --bare OUT SPEC
 *   gpuimage --list
 *
 * Without specs it takes those of src/planner/stock.c and src/native. What OUT already holds of the same
 * NVRTC stays, so that only changed kernels are compiled. --emulated makes code for the
 * emulated GPU. --bare writes the one image itself, for who takes it apart (tools/gpu_sass),
 * and its maker's name to the standard output.
 */
#include "base/alloc.h"
#include "base/macro.h"
#include "cpu/cpu.h"
#include "gpu/archive.h"
#include "gpu/emu.h"
#include "gpu/nvrtc.h"
#include "kernels/spec.h"
#include "native/text.h"
#include "planner/stock.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SPECS_MAX = 4096, ARCHS_MAX = 16, NO_NVRTC = 77 };

/* Code for GPUs of these generations; PTX of the oldest for those between and of the
 * newest for those to come. */
static const char all_archs[] =
    "sm_75,sm_80,sm_86,sm_90,sm_100,sm_120,compute_75,compute_120";

static struct {
    char spec[SPECS_MAX][SB_SPEC_MAX];
    int n;
} specs;

static char arch[ARCHS_MAX][SB_ARCH_MAX];
static int archs;

static void
take_spec(void *user, const char spec[SB_SPEC_MAX])
{
    (void)user;
    if (specs.n < SPECS_MAX)
        (void)snprintf(specs.spec[specs.n++], SB_SPEC_MAX, "%s", spec);
}

static void
take_stock(void)
{
    sb_stock_each(take_spec, NULL);
    sb_native_stock(take_spec, NULL);
}

static void
take_archs(const char *list)
{
    while (*list && archs < ARCHS_MAX) {
        const int n = (int)strcspn(list, ",;");

        (void)snprintf(arch[archs++], SB_ARCH_MAX, "%.*s", n, list);
        list += n + (list[n] != '\0');
    }
}

/* The source of one spec, of the planner's or written by hand. */
static sb_status
source_of(sb_kernel_source *out, const char *spec, sb_diag *diag)
{
    return strncmp(spec, "native ", 7) == 0
               ? sb_native_maker.make(out, spec, NULL)
               : sb_spec_emit_gpu(&out->text, &out->signature, &out->key, &out->shape,
                                  spec, diag);
}

/* Fills the items of one spec, one an architecture. */
static sb_status
make(sb_archive_item *item, const sb_driver *d, const sb_archive *old, const char *spec,
     sb_diag *diag)
{
    sb_kernel_source src = {.key = {0, 0}};
    sb_status st;

    sb_strbuf_init(&src.text);
    sb_strbuf_init(&src.signature);
    st = source_of(&src, spec, diag);
    for (int q = 0; q < archs && st == SB_OK; q++) {
        item[q].text = sb_archive_key(&src.text);
        memcpy(item[q].arch, arch[q], SB_ARCH_MAX);
        st = old ? sb_archive_read(&item[q].image, old, item[q].text, arch[q], NULL)
                 : SB_SKIP;
        if (st != SB_OK) {
            sb_strbuf_clear(&item[q].image);
            st = sb_nvrtc_compile(&item[q].image, d, arch[q], src.text.s, diag);
        }
    }
    sb_strbuf_free(&src.text);
    sb_strbuf_free(&src.signature);
    return st;
}

static int
write_bare(const char *out, const char *writer, const sb_strbuf *image)
{
    FILE *f = fopen(out, "wb");
    bool whole = f && fwrite(image->s, 1, image->len, f) == image->len;

    whole = (!f || fclose(f) == 0) && whole;
    (void)printf("%s\n", writer);
    return !whole;
}

/* bare: of the first spec and architecture, an image by itself. */
static int
make_all(const sb_driver *d, const char *out, bool bare)
{
    sb_archive_item *item = calloc((size_t)(specs.n * archs + 1), sizeof *item);
    char writer[SB_NVRTC_NAME];
    sb_diag first = {SB_OK, ""};
    sb_archive *old = NULL;
    int failed = 0;

    if (!item)
        return 1;
    for (int q = 0; q < specs.n * archs; q++)
        sb_strbuf_init(&item[q].image);
    sb_nvrtc_name(d, writer);
    if (!bare && sb_archive_open(&old, out, NULL) == SB_OK &&
        strcmp(sb_archive_writer(old), writer) != 0) {
        sb_archive_close(old);
        old = NULL;
    }
#pragma omp parallel for schedule(dynamic)
    for (int q = 0; q < specs.n; q++) {
        sb_diag why = {SB_OK, ""};
        const sb_status st = make(&item[q * archs], d, old, specs.spec[q], &why);

        if (st != SB_OK) {
#pragma omp critical
            {
                (void)fprintf(stderr, "gpuimage: %s: %s\n", specs.spec[q],
                              why.text[0] ? why.text : sb_status_text(st));
                failed++;
            }
        }
    }
    sb_archive_close(old);
    if (!failed && bare)
        failed += write_bare(out, writer, &item[0].image);
    else if (!failed &&
             sb_archive_write(out, writer, item, specs.n * archs, &first) != SB_OK) {
        (void)fprintf(stderr, "gpuimage: %s\n", first.text);
        failed++;
    }
    for (int q = 0; q < specs.n * archs; q++)
        sb_strbuf_free(&item[q].image);
    free(item);
    return failed > 0;
}

static bool
open_table(sb_driver *d, const char *nvrtc, bool emulated)
{
    const char *const *names = nvrtc ? &nvrtc : sb_rtc_names;
    sb_diag diag = {SB_OK, ""};
    int n = 1;

    if (emulated) {
        sb_backend_set(&sb_cpu_backend); /* whose compiler the emulator uses */
        *d = *sb_emu_driver();
        return true;
    }
    while (!nvrtc && names[n])
        n++;
    if (sb_driver_open_rtc(d, names, n, &diag) == SB_OK)
        return true;
    (void)fprintf(stderr, "gpuimage: %s\n", diag.text);
    return false;
}

int
main(int argc, char **argv)
{
    const char *nvrtc = NULL, *list = all_archs;
    sb_driver d = {0};
    bool emulated = false, bare = false;
    int k = 1;

    if (argc == 2 && strcmp(argv[1], "--list") == 0) {
        take_stock();
        for (int q = 0; q < specs.n; q++)
            (void)puts(specs.spec[q]);
        return 0;
    }
    for (; k < argc && argv[k][0] == '-'; k++) {
        if (strcmp(argv[k], "--emulated") == 0)
            emulated = true, list = "emu";
        else if (strcmp(argv[k], "--bare") == 0)
            bare = true;
        else if (strcmp(argv[k], "--nvrtc") == 0 && k + 1 < argc)
            nvrtc = argv[++k];
        else if (strcmp(argv[k], "--arch") == 0 && k + 1 < argc)
            list = argv[++k];
        else
            k = argc;
    }
    if (k >= argc) {
        (void)fprintf(stderr,
                      "usage: gpuimage [--nvrtc LIBRARY] [--arch LIST] [--emulated] "
                      "OUT [SPEC...]\n       gpuimage --arch ARCH --bare OUT SPEC\n"
                      "       gpuimage --list\n");
        return 2;
    }
    take_archs(list);
    for (int q = k + 1; q < argc; q++)
        take_spec(NULL, argv[q]);
    if (specs.n == 0)
        take_stock();
    return open_table(&d, nvrtc, emulated) ? make_all(&d, argv[k], bare) : NO_NVRTC;
}
