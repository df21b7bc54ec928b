/*
 * The emulator's NVRTC and its modules: text becomes a shared object, whose bytes behind a
 * header are the image.
 */
#include "gpu/emu_table.h"

#include "base/alloc.h"
#include "base/strbuf.h"
#include "runtime/backend.h"
#include "runtime/cache.h"

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

enum { COMPILATION_FAILED = 6, RTC_OUT_OF_MEMORY = 1 }; /* nvrtcResult */

#define IMAGE_MAGIC "spblas emulated image\n"

/* What begins an image; the bytes follow. */
typedef struct header {
    char magic[24];
    uint64_t bytes;
} header;

typedef struct program {
    sb_strbuf text, log, image;
} program;

/* ---- NVRTC ---------------------------------------------------------------------------------- */

int
sb_emu_rtc_version(int *major, int *minor)
{
    *major = 0;
    *minor = 1;
    return 0;
}

int
sb_emu_rtc_create(sb_cu_ptr *out, const char *text, const char *name, int headers,
                  const char *const *header_text, const char *const *header_name)
{
    program *p = sb_alloc_zero(sizeof *p);

    (void)headers;
    (void)header_text;
    (void)header_name;
    *out = NULL;
    if (!p)
        return RTC_OUT_OF_MEMORY;
    sb_strbuf_init(&p->text);
    sb_strbuf_init(&p->log);
    sb_strbuf_init(&p->image);
    /* what runs once thread by thread is not worth the compiler's effort */
    sb_strbuf_printf(&p->text,
                     "#define SBG_EMULATE 1\n#pragma GCC optimize(0)\n#line 1 \"%s\"\n",
                     name);
    sb_strbuf_puts(&p->text, text);
    *out = p;
    if (sb_strbuf_status(&p->text) == SB_OK)
        return 0;
    (void)sb_emu_rtc_destroy(out);
    return RTC_OUT_OF_MEMORY;
}

int
sb_emu_rtc_destroy(sb_cu_ptr *out)
{
    program *p = *out;

    sb_strbuf_free(&p->text);
    sb_strbuf_free(&p->log);
    sb_strbuf_free(&p->image);
    sb_free(p);
    *out = NULL;
    return 0;
}

static sb_status
compile_in(program *p, const char *dir, sb_diag *diag)
{
    sb_strbuf source, object, bytes;
    header head = {IMAGE_MAGIC, 0};
    sb_status st;

    sb_strbuf_init(&source);
    sb_strbuf_init(&object);
    sb_strbuf_init(&bytes);
    sb_strbuf_printf(&source, "%s/kernel.c", dir);
    sb_strbuf_printf(&object, "%s/kernel.so", dir);
    if ((st = sb_strbuf_status(&source)) == SB_OK &&
        (st = sb_strbuf_status(&object)) == SB_OK &&
        (st = sb_cache_write(source.s, p->text.s, p->text.len, diag)) == SB_OK &&
        (st = sb_backend_get()->compile(source.s, object.s, SB_ISA_GENERIC, diag)) ==
            SB_OK &&
        (st = chmod(object.s, 0700) == 0 ? SB_OK : SB_EIO) == SB_OK &&
        (st = sb_cache_read(&bytes, object.s, diag)) == SB_OK) {
        head.bytes = bytes.len;
        sb_strbuf_putn(&p->image, (const char *)&head, sizeof head);
        sb_strbuf_putn(&p->image, bytes.s, bytes.len);
        st = sb_strbuf_status(&p->image);
    }
    sb_strbuf_free(&source);
    sb_strbuf_free(&object);
    sb_strbuf_free(&bytes);
    return st;
}

int
sb_emu_rtc_compile(sb_cu_ptr out, int options, const char *const *option)
{
    program *p = out;
    sb_diag diag = {SB_OK, ""};
    sb_strbuf dir;
    sb_status st;

    (void)options;
    (void)option;
    (void)sb_emu_note(SB_EMU_COMPILE);
    sb_strbuf_init(&dir);
    st = sb_cache_temp(&dir, NULL, &diag);
    if (st == SB_OK) {
        st = compile_in(p, dir.s, &diag);
        sb_cache_remove(dir.s);
    }
    sb_strbuf_free(&dir);
    if (st != SB_OK)
        sb_strbuf_puts(&p->log, diag.text);
    return st == SB_OK ? 0 : st == SB_ENOMEM ? RTC_OUT_OF_MEMORY : COMPILATION_FAILED;
}

int
sb_emu_rtc_log_size(sb_cu_ptr out, size_t *bytes)
{
    *bytes = ((program *)out)->log.len + 1;
    return 0;
}

int
sb_emu_rtc_log(sb_cu_ptr out, char *log)
{
    const program *p = out;

    memcpy(log, p->log.s, p->log.len + 1);
    return 0;
}

int
sb_emu_rtc_image_size(sb_cu_ptr out, size_t *bytes)
{
    *bytes = ((program *)out)->image.len;
    return 0;
}

int
sb_emu_rtc_image(sb_cu_ptr out, char *image)
{
    const program *p = out;

    memcpy(image, p->image.s, p->image.len);
    return 0;
}

/* There is one kind of image. */
int
sb_emu_rtc_ptx_size(sb_cu_ptr out, size_t *bytes)
{
    return sb_emu_rtc_image_size(out, bytes);
}

int
sb_emu_rtc_ptx(sb_cu_ptr out, char *image)
{
    return sb_emu_rtc_image(out, image);
}

/* ---- modules ---------------------------------------------------------------------------------- */

static int
load_in(sb_cu_ptr *out, const char *dir, const char *bytes, size_t n)
{
    sb_strbuf path;
    int code = SB_CU_OUT_OF_MEMORY;

    sb_strbuf_init(&path);
    sb_strbuf_printf(&path, "%s/kernel.so", dir);
    if (sb_strbuf_status(&path) == SB_OK) {
        code = SB_CU_INVALID_IMAGE;
        if (sb_cache_whole(bytes, n) && sb_cache_write(path.s, bytes, n, NULL) == SB_OK)
            *out = dlopen(path.s, RTLD_NOW | RTLD_LOCAL);
    }
    sb_strbuf_free(&path);
    return *out ? 0 : code;
}

int
sb_emu_module_load(sb_cu_ptr *out, const void *image)
{
    sb_strbuf dir;
    header head;
    int code = SB_CU_INVALID_IMAGE;

    *out = NULL;
    if (!sb_emu_note(SB_EMU_LOAD))
        return SB_CU_CAPTURE_UNSUPPORTED;
    memcpy(&head, image, sizeof head);
    if (memcmp(head.magic, IMAGE_MAGIC, sizeof IMAGE_MAGIC) != 0)
        return code;
    sb_strbuf_init(&dir);
    if (sb_cache_temp(&dir, NULL, NULL) == SB_OK) {
        code = load_in(out, dir.s, (const char *)image + sizeof head, head.bytes);
        sb_cache_remove(dir.s);
    }
    sb_strbuf_free(&dir);
    return code;
}

int
sb_emu_module_unload(sb_cu_ptr module)
{
    return dlclose(module) == 0 ? 0 : SB_CU_INVALID_VALUE;
}

int
sb_emu_module_function(sb_cu_ptr *out, sb_cu_ptr module, const char *name)
{
    char symbol[128];

    (void)snprintf(symbol, sizeof symbol, "%s_run", name);
    *out = dlsym(module, symbol);
    return *out ? 0 : SB_CU_NOT_FOUND;
}
