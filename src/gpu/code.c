/*
 * Kernels of a device: in memory, else on disk, else compiled by NVRTC from the maker's
 * text. A file is named by text and architecture and says which NVRTC wrote it; another
 * NVRTC compiles anew, and where there is none any will do.
 */
#include "gpu/device.h"

#include "base/alloc.h"
#include "base/log.h"
#include "base/macro.h"
#include "runtime/cache.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SHARED_WITHOUT_ASKING = 48 * 1024 };

/* What begins a file; the image follows, the seal ends it. */
typedef struct header {
    char writer[64];
} header;

/* ---- files ------------------------------------------------------------------------------ */

static sb_status
path_of(sb_strbuf *out, const sb_gpu *g, const sb_strbuf *text)
{
    const sb_hash none = {0, 0};
    char hex[33];

    SB_TRY(sb_cache_dir(out, NULL));
    sb_hash_text(sb_hash_bytes(text->s, text->len,
                               sb_hash_bytes(g->arch, strlen(g->arch) + 1, none)),
                 hex);
    sb_strbuf_printf(out, "/%s.%s", hex, g->arch);
    return sb_strbuf_status(out);
}

static header
writer_of(const sb_gpu *g)
{
    int major = 0, minor = 0;
    header h = {{0}};

    (void)g->driver->rtc_version(&major, &minor);
    (void)snprintf(h.writer, sizeof h.writer, "spblas GPU code, NVRTC %d.%d", major,
                   minor);
    return h;
}

/* SKIP: no file, or one to be written anew. */
static sb_status
read_file(sb_strbuf *out, const sb_gpu *g, const char *path)
{
    sb_diag why = {SB_OK, ""};
    sb_status st = sb_cache_read(out, path, &why);

    if (st == SB_OK && sb_cache_sealed(out) <= sizeof(header))
        st = sb_diag_set(&why, SB_EIO, "%s is damaged", path);
    if (st == SB_EIO)
        sb_log(SB_LOG_WARN, "GPU kernel: %s", why.text);
    if (st == SB_OK && g->driver->can_compile) {
        const header want = writer_of(g);

        if (memcmp(out->s, &want, sizeof want) != 0)
            st = SB_SKIP;
    }
    return st == SB_EIO ? SB_SKIP : st;
}

static void
write_file(const sb_strbuf *image, const char *path)
{
    sb_diag why = {SB_OK, ""};
    sb_strbuf file;

    sb_strbuf_init(&file);
    sb_strbuf_putn(&file, image->s, image->len);
    sb_cache_seal(&file);
    if (sb_strbuf_status(&file) != SB_OK ||
        sb_cache_replace(path, file.s, file.len, &why) != SB_OK)
        sb_log(SB_LOG_WARN, "GPU kernel is not kept: %s", why.text);
    sb_strbuf_free(&file);
}

/* ---- NVRTC ---------------------------------------------------------------------------------- */

/* First line of the log that names an error, else its first. */
static sb_status
complain(const sb_driver *d, sb_cu_ptr program, sb_diag *diag)
{
    const char *line;
    size_t bytes = 0;
    char *log;

    if (d->rtc_log_size(program, &bytes) != 0 || !(log = sb_alloc_zero(bytes + 1)))
        return sb_diag_set(diag, SB_EIO, "NVRTC failed");
    (void)d->rtc_log(program, log);
    line = strstr(log, "error");
    while (line && line > log && line[-1] != '\n')
        line--;
    line = line ? line : log;
    (void)sb_diag_set(diag, SB_EIO, "NVRTC failed: %.*s", (int)strcspn(line, "\n"),
                      line);
    sb_free(log);
    return SB_EIO;
}

/* Appends the image. */
static sb_status
take_image(sb_strbuf *out, const sb_driver *d, sb_cu_ptr program, sb_diag *diag)
{
    size_t bytes = 0;
    char *image;

    if (d->rtc_image_size(program, &bytes) != 0 || bytes == 0)
        return sb_diag_set(diag, SB_EIO, "NVRTC made no code for this GPU");
    image = sb_alloc(bytes);
    if (!image)
        return SB_ENOMEM;
    if (d->rtc_image(program, image) == 0)
        sb_strbuf_putn(out, image, bytes);
    else
        (void)sb_diag_set(diag, SB_EIO, "NVRTC kept its code");
    sb_free(image);
    return out->len > sizeof(header) ? sb_strbuf_status(out) : SB_EIO;
}

static sb_status
compile(sb_strbuf *out, const sb_gpu *g, const char *text, sb_diag *diag)
{
    const sb_driver *d = g->driver;
    const header h = writer_of(g);
    const char *options[2];
    char arch[40];
    sb_cu_ptr program;
    sb_status st;

    (void)snprintf(arch, sizeof arch, "--gpu-architecture=%s", g->arch);
    options[0] = arch;
    options[1] = "--std=c++14";
    if (d->rtc_create(&program, text, "spblas.cu", 0, NULL, NULL) != 0)
        return sb_diag_set(diag, SB_ENOMEM, "NVRTC could not begin");
    sb_strbuf_clear(out);
    sb_strbuf_putn(out, (const char *)&h, sizeof h);
    st = d->rtc_compile(program, SB_COUNT(options), options) == 0
             ? take_image(out, d, program, diag)
             : complain(d, program, diag);
    (void)d->rtc_destroy(&program);
    return st;
}

/* ---- modules ------------------------------------------------------------------------------- */

static sb_status
load(sb_gpu_kernel *k, const sb_gpu *g, const sb_strbuf *file, sb_diag *diag)
{
    const sb_driver *d = g->driver;
    char symbol[SB_KERNEL_SYMBOL_MAX];
    int code;

    SB_TRY(sb_gpu_enter(g, diag));
    sb_kernel_symbol(k->kernel.key, symbol);
    code = d->module_load(&k->module, file->s + sizeof(header));
    if (!code)
        code = d->module_function(&k->function, k->module, symbol);
    if (!code && k->shape.shared_bytes > SHARED_WITHOUT_ASKING)
        code = d->function_set(k->function, SB_CU_DYNAMIC_SHARED_MAX,
                               k->shape.shared_bytes);
    if (code && k->module)
        (void)d->module_unload(k->module);
    sb_gpu_leave(g);
    if (code)
        k->module = k->function = NULL;
    return sb_gpu_check(g, code, "loading a kernel", diag);
}

static bool
may_compile(const sb_gpu *g, sb_kernel_effort effort)
{
    const char *jit = getenv("SPBLAS_JIT");

    return effort == SB_KERNEL_COMPILE && g->driver->can_compile &&
           !(jit && (strcmp(jit, "off") == 0 || strcmp(jit, "0") == 0));
}

/* Fills k->module from the disk or from NVRTC; path is "" where nothing is kept. */
static sb_status
obtain(sb_gpu_kernel *k, const sb_gpu *g, const sb_strbuf *text, const char *path,
       sb_kernel_effort effort, sb_diag *diag)
{
    sb_diag why = {SB_OK, ""};
    sb_strbuf file;
    sb_status st;

    sb_strbuf_init(&file);
    st = path[0] ? read_file(&file, g, path) : SB_SKIP;
    if (st == SB_OK && (st = load(k, g, &file, &why)) == SB_EIO) {
        sb_log(SB_LOG_WARN, "GPU kernel %s: %s", path, why.text);
        st = SB_SKIP;
    }
    if (st == SB_SKIP && !may_compile(g, effort)) {
        st = sb_diag_set(diag, SB_ENOKERNEL, "no stored kernel, and %s",
                         g->driver->can_compile ? "compiling is off or not wanted here"
                                                : "there is no NVRTC to compile with");
    } else if (st == SB_SKIP) {
        st = compile(&file, g, text->s, diag);
        if (st == SB_OK)
            st = load(k, g, &file, diag);
        if (st == SB_OK && path[0])
            write_file(&file, path);
    }
    sb_strbuf_free(&file);
    return st;
}

/* The range of tiles, last of the parameters of what was fused, has a place of its own in
 * the kernel's argument. */
static void
drop_range(char *signature)
{
    static const char range[] = "t0 t1";
    const size_t n = sizeof range - 1;
    char *end = strchr(signature, ';');
    char *at = end && (size_t)(end - signature) >= n ? end - n : NULL;

    if (!at || memcmp(at, range, n) != 0)
        return;
    at -= at > signature;
    memmove(at, end, strlen(end) + 1);
}

static sb_status
make(sb_gpu_kernel *k, const sb_gpu *g, sb_kernel_maker maker, sb_kernel_effort effort,
     sb_diag *diag)
{
    sb_kernel_source src = {.key = {0, 0}};
    sb_strbuf path;
    sb_status st;

    sb_strbuf_init(&src.text);
    sb_strbuf_init(&src.signature);
    sb_strbuf_init(&path);
    st = maker.make(&src, k->spec, maker.user);
    if (st == SB_OK) {
        k->kernel.key = src.key;
        k->shape = src.shape;
        if (path_of(&path, g, &src.text) != SB_OK)
            sb_strbuf_clear(&path);
        st = obtain(k, g, &src.text, path.s, effort, diag);
    }
    if (st == SB_OK) { /* ownership moves */
        drop_range(src.signature.s);
        k->kernel.signature = k->signature = src.signature.s;
        sb_strbuf_init(&src.signature);
    }
    sb_strbuf_free(&src.text);
    sb_strbuf_free(&src.signature);
    sb_strbuf_free(&path);
    return st;
}

/* ---- the list -------------------------------------------------------------------------------- */

static sb_gpu_kernel *
find(const sb_gpu *g, const char *spec)
{
    sb_gpu_kernel *k = g->kernels;

    while (k && strcmp(k->spec, spec) != 0)
        k = k->next;
    return k;
}

static void
drop(const sb_gpu *g, sb_gpu_kernel *k)
{
    if (k->module)
        (void)g->driver->module_unload(k->module);
    sb_free(k->signature);
    sb_free(k);
}

/* Two threads may make the same kernel; the first to come is kept. */
static const sb_gpu_kernel *
insert(sb_gpu *g, sb_gpu_kernel *k)
{
    sb_gpu_kernel *known;

    sb_mutex_lock(&g->lock);
    known = find(g, k->spec);
    if (!known) {
        k->next = g->kernels;
        g->kernels = k;
    }
    sb_mutex_unlock(&g->lock);
    if (!known)
        return k;
    if (sb_gpu_enter(g, NULL) == SB_OK) {
        drop(g, k);
        sb_gpu_leave(g);
    }
    return known;
}

sb_status
sb_gpu_get_kernel(const sb_kernel **out, sb_device *d, const char *spec,
                  sb_kernel_maker maker, sb_kernel_effort effort, sb_diag *diag)
{
    sb_gpu *g = (sb_gpu *)d;
    const sb_gpu_kernel *known;
    sb_gpu_kernel *k;
    sb_status st;

    *out = NULL;
    if (strlen(spec) >= SB_SPEC_MAX)
        return SB_EINVAL;
    sb_mutex_lock(&g->lock);
    known = find(g, spec);
    sb_mutex_unlock(&g->lock);
    if (!known && effort == SB_KERNEL_RESIDENT)
        return sb_diag_set(diag, SB_ENOKERNEL, "kernel \"%s\" is not loaded", spec);
    if (!known) {
        k = sb_alloc_zero(sizeof *k);
        if (!k)
            return SB_ENOMEM;
        memcpy(k->spec, spec, strlen(spec) + 1);
        k->kernel.spec = k->spec;
        st = make(k, g, maker, effort, diag);
        if (st == SB_ENOMEM || st == SB_ENOKERNEL) {
            sb_free(k);
            return st;
        }
        known = insert(g, k);
    }
    if (!known->function)
        return sb_diag_set(diag, SB_ENOKERNEL, "kernel \"%s\" was refused before",
                           spec);
    *out = &known->kernel;
    return SB_OK;
}

void
sb_gpu_drop_kernels(sb_gpu *g)
{
    while (g->kernels) {
        sb_gpu_kernel *k = g->kernels;

        g->kernels = k->next;
        drop(g, k);
    }
}
