/*
 * ctest-labels: full gpu-nvrtc
 *
 * The kernels that are written by hand compile with NVRTC, where the machine has it, spill
 * nothing and need the registers that tests/golden/gpu_native_resources.txt says, when it is
 * the version of that table. ctest takes every third, others every day, for one architecture in turn;
 *
 *   gpu_native_test --all     takes all
 *   gpu_native_test --write   makes the table anew
 *
 * And every kernel that the maker refuses is no kernel.
 */
#include "base/macro.h"
#include "native/text.h"
#include "nvrtclab.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

enum { SHARE = 3, DAY = 24 * 3600 }; /* ctest takes one kernel in so many */

static const char *const specs[] = {
#define X(spec) spec,
#include "gpu_native.def"
#undef X
};

#define TABLE SB_SOURCE_DIR "/tests/golden/gpu_native_resources.txt"

static bool all, writes;
static sb_strbuf was, now;

static void
source_of(sb_kernel_source *out, const char *spec)
{
    sb_strbuf_init(&out->text);
    sb_strbuf_init(&out->signature);
    if (sb_native_maker.make(out, spec, NULL) != SB_OK)
        fail_msg("%s is no kernel", spec);
}

static void
source_free(sb_kernel_source *s)
{
    sb_strbuf_free(&s->text);
    sb_strbuf_free(&s->signature);
}

/* " sm_90 REGISTERS", and whether the table's line of the spec has it. */
static void
compare(const char *spec, const char *entry)
{
    const char *line = strstr(was.s, spec), *at = line ? strstr(line, entry) : NULL;

    if (!at || at > line + strcspn(line, "\n") ||
        (at[strlen(entry)] >= '0' && at[strlen(entry)] <= '9'))
        fail_msg("%s needs%s registers; is that what you want? (--write)", spec, entry);
}

static void
compiles(const char *spec, int index, bool known)
{
    sb_kernel_source src = {.key = {0, 0}};

    source_of(&src, spec);
    sb_strbuf_puts(&now, spec);
    for (int q = 0; q < NVRTC_ARCHS; q++) {
        nvrtc_use use;
        char entry[40];

        if (!all && q != index % NVRTC_ARCHS)
            continue;
        use = nvrtc_compile(src.text.s, spec, nvrtc_archs[q]);
        if (use.spills || (use.shared && !strstr(spec, "native by_")) ||
            use.registers == 0)
            fail_msg("%s for sm_%d: %d registers, %d bytes of spills, %d shared", spec,
                     nvrtc_archs[q], use.registers, use.spills, use.shared);
        (void)snprintf(entry, sizeof entry, " sm_%d %d", nvrtc_archs[q], use.registers);
        sb_strbuf_puts(&now, entry);
        if (known && !writes)
            compare(spec, entry);
    }
    sb_strbuf_putc(&now, '\n');
    source_free(&src);
}

static void
read_table(void)
{
    char block[4096];
    FILE *f = fopen(TABLE, "r");
    size_t n;

    while (f && (n = fread(block, 1, sizeof block, f)) > 0)
        sb_strbuf_putn(&was, block, n);
    if (f)
        (void)fclose(f);
}

static void
test_nvrtc(void **state)
{
    FILE *f;

    (void)state;
    if (!nvrtc_open())
        skip();
    sb_strbuf_init(&was);
    sb_strbuf_init(&now);
    read_table();
    sb_strbuf_printf(&now, "NVRTC %s\n", nvrtc_version());
    {
        const bool known = was.s && strncmp(was.s, now.s, now.len) == 0;
        const int day = (int)(time(NULL) / DAY), step = all ? 1 : SHARE;

        for (int q = day % step; q < SB_COUNT(specs); q += step)
            compiles(specs[q], (q + day) / step, known);
    }
    if (writes) {
        f = fopen(TABLE, "w");
        assert_non_null(f);
        (void)fwrite(now.s, 1, now.len, f);
        assert_int_equal(fclose(f), 0);
    }
    sb_strbuf_free(&was);
    sb_strbuf_free(&now);
}

static void
test_refused(void **state)
{
    static const char *const wrong[] = {"",
                                        "native",
                                        "native dot f32 f32 i32",
                                        "native dot f32 f32 i32 - -",
                                        "native dots f32 f32 i32 -",
                                        "naive dot f32 f32 i32 -",
                                        "native dot f33 f32 i32 -",
                                        "native dot f32 bool i32 -"};

    (void)state;
    for (int q = 0; q < SB_COUNT(wrong); q++) {
        sb_kernel_source src = {.key = {0, 0}};

        sb_strbuf_init(&src.text);
        sb_strbuf_init(&src.signature);
        if (sb_native_maker.make(&src, wrong[q], NULL) != SB_EINVAL)
            fail_msg("\"%s\" is a kernel", wrong[q]);
        source_free(&src);
    }
}

int
main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_refused),
                                       cmocka_unit_test(test_nvrtc)};

    writes = argc > 1 && strcmp(argv[1], "--write") == 0;
    all = writes || (argc > 1 && strcmp(argv[1], "--all") == 0);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
