/*
 * See emulab.h.
 */
#include "emulab.h"

#include "base/strbuf.h"
#include "cpu/cc.h"
#include "runtime/cache.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

const int emu_orders[EMU_ORDERS] = {0, 1, 2, 77};

static const char plain[] = "#define SBG_EMULATE 1\n#pragma GCC optimize(\"O1\")\n";
/* memcpy is no access to the compiler: emuwatch.inc's says what it uses. */
static const char before[] = "#include <string.h>\n"
                             "void *emu_memcpy(void *, const void *, size_t);\n"
                             "#define memcpy emu_memcpy\n"
                             "void emu_launched(void);\n"
                             "#define SBG_LAUNCHED emu_launched\n";
static const char behind[] =
    "\n#include \"" SB_SOURCE_DIR "/tests/support/emuwatch.inc\"\n";

const char *const emu_watching[] = {"-fsanitize=thread", "-nodefaultlibs", "-lgcc",
                                    "-lc", NULL};

void
emu_watched_text(sb_strbuf *out, const char *text)
{
    sb_strbuf_printf(out, "%s%s%s", before, text, behind);
}

static void *
symbol_of(void *module, const char *name, const char *end)
{
    char text[80];
    void *at;

    (void)snprintf(text, sizeof text, "%s%s", name, end);
    at = dlsym(module, text);
    assert_non_null(at);
    return at;
}

static sb_status
compile(const char *source, const char *object, const char *const *more, sb_diag *diag)
{
    const char *const *was = sb_cc_options(more);
    const sb_status st = sb_cc_compile(source, object, SB_ISA_GENERIC, diag);

    (void)sb_cc_options(was);
    return st;
}

emu_kernel
emu_load_watched(const char *text, const char *symbol, emu_watch *watch)
{
    sb_strbuf dir, source, object, full;
    sb_diag diag = {SB_OK, ""};
    emu_kernel found = NULL;
    sb_status st;

    sb_strbuf_init(&dir);
    sb_strbuf_init(&source);
    sb_strbuf_init(&object);
    sb_strbuf_init(&full);
    assert_int_equal(sb_cache_temp(&dir, NULL, &diag), SB_OK);
    sb_strbuf_printf(&source, "%s/kernel.c", dir.s);
    sb_strbuf_printf(&object, "%s/kernel.so", dir.s);
    sb_strbuf_puts(&full, plain);
    if (watch)
        emu_watched_text(&full, text);
    else
        sb_strbuf_puts(&full, text);
    assert_int_equal(sb_cache_write(source.s, full.s, full.len, &diag), SB_OK);
    st = compile(source.s, object.s, watch ? emu_watching : NULL, &diag);
    if (st != SB_OK && st != SB_ENOKERNEL)
        fail_msg("%s: %s", symbol, diag.text);
    if (st == SB_OK) {
        void *const module = dlopen(object.s, RTLD_NOW | RTLD_LOCAL), *at;

        assert_non_null(module);
        at = symbol_of(module, symbol, "_run");
        memcpy(&found, &at, sizeof at);
        at = watch ? symbol_of(module, "emu_watch", "") : NULL;
        if (watch)
            memcpy(watch, &at, sizeof at);
    }
    sb_cache_remove(dir.s);
    sb_strbuf_free(&full);
    sb_strbuf_free(&object);
    sb_strbuf_free(&source);
    sb_strbuf_free(&dir);
    return found;
}

emu_kernel
emu_load(const char *text, const char *symbol)
{
    return emu_load_watched(text, symbol, NULL);
}

void
emu_run(emu_kernel k, const char *what, const void *args, int64_t gx, int64_t gy,
        int order)
{
    char error[256] = "";
    const emu_grid grid = {gx, gy, 1, order, error, sizeof error};

    k(args, &grid);
    if (error[0])
        fail_msg("%s, order %d: %s", what, order, error);
}
