/*
 * Kernels of a device: in memory, made in the background, built in, on disk, compiled by
 * NVRTC from the maker's text, built in as PTX: the first that there is and that loads. A
 * file is named by text and architecture and says which NVRTC wrote it; another NVRTC
 * compiles anew, and where there is none any will do.
 */
#include "gpu/archive.h"
#include "gpu/device.h"
#include "gpu/nvrtc.h"

#include "base/alloc.h"
#include "base/clock.h"
#include "base/fault.h"
#include "base/log.h"
#include "base/macro.h"
#include "runtime/cache.h"

#include <stdio.h>
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
    char name[SB_NVRTC_NAME];
    header h = {{0}};

    sb_nvrtc_name(g->driver, name);
    (void)snprintf(h.writer, sizeof h.writer, "spblas GPU code, %s", name);
    return h;
}

/* Appends the image. SKIP: no file, or one to be written anew. */
static sb_status
read_file(sb_strbuf *out, const sb_gpu *g, const char *path)
{
    sb_diag why = {SB_OK, ""};
    sb_strbuf file;
    sb_status st;

    sb_strbuf_init(&file);
    st = sb_cache_read(&file, path, &why);
    if (st == SB_OK && sb_cache_sealed(&file) <= sizeof(header))
        st = sb_diag_set(&why, SB_EIO, "%s is damaged", path);
    if (st == SB_EIO)
        sb_log(SB_LOG_WARN, "GPU kernel: %s", why.text);
    if (st == SB_OK && g->driver->can_compile) {
        const header want = writer_of(g);

        if (memcmp(file.s, &want, sizeof want) != 0 && !SB_FAULT(GPU_WRITER))
            st = SB_SKIP;
    }
    if (st == SB_OK) {
        sb_strbuf_putn(out, file.s + sizeof(header),
                       sb_cache_sealed(&file) - sizeof(header));
        st = sb_strbuf_status(out);
    }
    sb_strbuf_free(&file);
    return st == SB_EIO ? SB_SKIP : st;
}

void
sb_gpu_keep(const sb_gpu *g, const sb_strbuf *image, const char *path)
{
    const header h = writer_of(g);
    sb_diag why = {SB_OK, ""};
    sb_strbuf file;

    sb_strbuf_init(&file);
    sb_strbuf_putn(&file, (const char *)&h, sizeof h);
    sb_strbuf_putn(&file, image->s, image->len);
    sb_cache_seal(&file);
    if (sb_strbuf_status(&file) != SB_OK ||
        sb_cache_replace(path, file.s, file.len, &why) != SB_OK)
        sb_log(SB_LOG_WARN, "GPU kernel is not kept: %s", why.text);
    sb_strbuf_free(&file);
}

/* ---- modules ------------------------------------------------------------------------------- */

static sb_status
load(sb_gpu_kernel *k, const sb_gpu *g, const sb_strbuf *image, sb_diag *diag)
{
    const sb_driver *d = g->driver;
    char symbol[SB_KERNEL_SYMBOL_MAX];
    int code;

    SB_TRY(sb_gpu_enter(g, diag));
    sb_kernel_symbol(k->kernel.key, symbol);
    code = d->module_load(&k->module, image->s);
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

/* ---- where an image comes from ------------------------------------------------------------- */

typedef struct wanted {
    sb_gpu *g;
    const char *spec;
    const sb_strbuf *text;
    const char *path; /* on disk; "" where nothing is kept */
    sb_kernel_effort effort;
} wanted;

static bool
may_compile(const sb_gpu *g)
{
    return g->driver->can_compile && sb_jit_mode() != SB_JIT_OFF;
}

typedef sb_status (*source)(sb_strbuf *out, const wanted *w, sb_diag *diag);

static sb_status
from_order(sb_strbuf *out, const wanted *w, sb_diag *diag)
{
    (void)diag;
    return sb_gpu_order_take(out, w->g, sb_archive_key(w->text),
                             w->effort == SB_KERNEL_COMPILE);
}

static sb_status
from_archive(sb_strbuf *out, const wanted *w, sb_diag *diag)
{
    const sb_archive *a = sb_archive_installed();

    return a ? sb_archive_for(out, a, sb_archive_key(w->text), w->g->arch, false, diag)
             : SB_SKIP;
}

static sb_status
from_disk(sb_strbuf *out, const wanted *w, sb_diag *diag)
{
    (void)diag;
    return w->path[0] ? read_file(out, w->g, w->path) : SB_SKIP;
}

static sb_status
from_nvrtc(sb_strbuf *out, const wanted *w, sb_diag *diag)
{
    const double begin = sb_clock();
    sb_status st;

    if (w->effort != SB_KERNEL_COMPILE || !may_compile(w->g))
        return SB_SKIP;
    st = sb_nvrtc_compile(out, w->g->driver, w->g->arch, w->text->s, diag);
    if (st == SB_OK && w->path[0])
        sb_gpu_keep(w->g, out, w->path);
    sb_log(SB_LOG_INFO, "GPU kernel \"%s\": NVRTC took %.3f s", w->spec,
           sb_clock() - begin);
    return st;
}

/* For a GPU newer than the archive, and than NVRTC if there is one. */
static sb_status
from_ptx(sb_strbuf *out, const wanted *w, sb_diag *diag)
{
    const sb_archive *a = sb_archive_installed();

    return a ? sb_archive_for(out, a, sb_archive_key(w->text), w->g->arch, true, diag)
             : SB_SKIP;
}

/* Without NVRTC every kernel that is not stored is missing: said of the first. */
static void
warn_once(sb_gpu *g, const char *spec, const char *why)
{
    bool first;

    sb_mutex_lock(&g->lock);
    first = !g->warned;
    g->warned = true;
    sb_mutex_unlock(&g->lock);
    if (first)
        sb_log(SB_LOG_WARN, "GPU kernel \"%s\": %s", spec, why);
}

/* Fills k->module from the first source that has an image the driver loads. */
static sb_status
obtain(sb_gpu_kernel *k, const wanted *w, sb_diag *diag)
{
    static const char helpless[] =
        "no stored kernel, and there is no NVRTC to compile with";
    static const source sources[] = {from_order, from_archive, from_disk, from_nvrtc,
                                     from_ptx};
    sb_diag first = {SB_OK, ""};
    sb_status st = SB_SKIP;
    sb_strbuf image;

    sb_strbuf_init(&image);
    for (int q = 0; q < SB_COUNT(sources) && (st == SB_SKIP || st == SB_EIO); q++) {
        sb_diag why = {SB_OK, ""};

        sb_strbuf_clear(&image);
        st = sources[q](&image, w, &why);
        if (st == SB_OK)
            st = load(k, w->g, &image, &why);
        if (st == SB_EIO) {
            sb_log(SB_LOG_WARN, "GPU kernel \"%s\": %s", k->spec, why.text);
            (void)sb_diag_set(&first, SB_EIO, "%s", why.text);
        }
    }
    sb_strbuf_free(&image);
    if (st != SB_SKIP)
        return st;
    if (first.st != SB_OK)
        return sb_diag_set(diag, SB_EIO, "%s", first.text);
    if (w->effort == SB_KERNEL_ORDER && may_compile(w->g)) {
        sb_gpu_order_put(w->g, w->text, w->path);
        return sb_diag_set(diag, SB_ENOKERNEL,
                           "no stored kernel; one is made in the background");
    }
    if (w->g->driver->can_compile)
        return sb_diag_set(diag, SB_ENOKERNEL,
                           "no stored kernel, and compiling is off or not wanted here");
    if (w->effort == SB_KERNEL_COMPILE)
        warn_once(w->g, k->spec, helpless);
    return sb_diag_set(diag, SB_ENOKERNEL, "%s", helpless);
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
make(sb_gpu_kernel *k, sb_gpu *g, sb_kernel_maker maker, sb_kernel_effort effort,
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
        st = obtain(k, &(wanted){g, k->spec, &src.text, path.s, effort}, diag);
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
