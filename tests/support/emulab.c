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

emu_kernel
emu_load(const char *text, const char *symbol)
{
    sb_strbuf dir, source, object, full;
    sb_diag diag = {SB_OK, ""};
    char name[80];
    union {
        void *data;
        emu_kernel code;
    } found = {NULL};
    void *module;
    sb_status st;

    sb_strbuf_init(&dir);
    sb_strbuf_init(&source);
    sb_strbuf_init(&object);
    sb_strbuf_init(&full);
    assert_int_equal(sb_cache_temp(&dir, NULL, &diag), SB_OK);
    sb_strbuf_printf(&source, "%s/kernel.c", dir.s);
    sb_strbuf_printf(&object, "%s/kernel.so", dir.s);
    sb_strbuf_printf(&full, "#define SBG_EMULATE 1\n#pragma GCC optimize(\"O0\")\n%s",
                     text);
    assert_int_equal(sb_cache_write(source.s, full.s, full.len, &diag), SB_OK);
    st = sb_cc_compile(source.s, object.s, SB_ISA_GENERIC, &diag);
    if (st != SB_OK && st != SB_ENOKERNEL)
        fail_msg("%s: %s", symbol, diag.text);
    if (st == SB_OK) {
        module = dlopen(object.s, RTLD_NOW | RTLD_LOCAL);
        assert_non_null(module);
        (void)snprintf(name, sizeof name, "%s_run", symbol);
        found.data = dlsym(module, name);
        assert_non_null(found.data);
    }
    sb_cache_remove(dir.s);
    sb_strbuf_free(&full);
    sb_strbuf_free(&object);
    sb_strbuf_free(&source);
    sb_strbuf_free(&dir);
    return found.code;
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
