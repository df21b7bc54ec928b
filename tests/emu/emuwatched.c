/*
 * Linked into a test of the interface: where SPBLAS_TEST_WATCH is set, kernels of the emulated
 * GPU are watched in it (emuwatch.inc). No test knows of it: the emulator's table is
 * replaced before main, by one that is the same but for what compiles and finds.
 */
#include "cpu/cc.h"
#include "emulab.h"
#include "gpu/emu.h"
#include "gpu/gpu.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

enum { LANES = 32 }; /* of a group of a kernel written by hand */

static sb_driver table;

static int
create(sb_cu_ptr *program, const char *text, const char *name, int headers,
       const char *const *header_text, const char *const *header_name)
{
    sb_strbuf full;
    int code;

    sb_strbuf_init(&full);
    emu_watched_text(&full, text);
    code = sb_emu_driver()->rtc_create(program, full.s, name, headers, header_text,
                                       header_name);
    sb_strbuf_free(&full);
    return code;
}

static int
compile(sb_cu_ptr program, int options, const char *const *option)
{
    const char *const *was = sb_cc_options(emu_watching);
    const int code = sb_emu_driver()->rtc_compile(program, options, option);

    (void)sb_cc_options(was);
    return code;
}

static int
function(sb_cu_ptr *out, sb_cu_ptr module, const char *name)
{
    const int code = sb_emu_driver()->module_function(out, module, name);
    void *const at = dlsym(module, "emu_watch");
    emu_watch watch;

    if (!at)
        abort();
    memcpy(&watch, &at, sizeof at);
    watch(LANES);
    return code;
}

__attribute__((constructor)) static void
begin(void)
{
    if (!getenv("SPBLAS_TEST_WATCH"))
        return;
    table = *sb_emu_driver();
    table.arch = "watched"; /* whose images are others */
    table.rtc_create = create;
    table.rtc_compile = compile;
    table.module_function = function;
    sb_emu_device_driver(&table);
}
