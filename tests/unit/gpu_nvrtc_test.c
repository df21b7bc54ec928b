/*
 * ctest-labels: full gpu-nvrtc
 *
 * Every GPU kernel compiles with NVRTC, where the machine has it, spills nothing and needs
 * the registers and shared memory that tests/golden/gpu_resources.txt says, when it is the
 * version of that table. ctest takes every sixth kernel, others every day, for one architecture
 * each in turn;
 *
 *   gpu_nvrtc_test --all     takes all
 *   gpu_nvrtc_test --write   makes the table anew
 */
#include "base/macro.h"
#include "kernels/spec.h"
#include "nvrtclab.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

static const char *const specs[] = {
#define X(spec) spec,
#define Q(spec) spec,
#define AFTER(spec) spec,
#include "gpu_recipes.def"
#undef X
#undef Q
#undef AFTER
};

#define TABLE SB_SOURCE_DIR "/tests/golden/gpu_resources.txt"

enum { SHARE = 6, DAY = 24 * 3600 }; /* ctest takes one kernel in so many */

static bool all, writes, known;
static int day;
static sb_strbuf table;

static void
print_use(sb_strbuf *out, int arch, nvrtc_use u)
{
    sb_strbuf_printf(out, " sm_%d %d/%d", arch, u.registers, u.shared);
}

/* What the table says of a spec and architecture; NULL when it does not. */
static const char *
listed(const char *spec, int arch)
{
    char name[16];
    const char *line = table.s, *end, *at;

    while (line && (strncmp(line, spec, strlen(spec)) != 0 ||
                    strncmp(line + strlen(spec), " sm_", 4) != 0))
        line = strchr(line, '\n') ? strchr(line, '\n') + 1 : NULL;
    end = line ? strchr(line, '\n') : NULL;
    (void)snprintf(name, sizeof name, " sm_%d ", arch);
    at = line ? strstr(line, name) : NULL;
    return at && end && at < end ? at : NULL;
}

static void
compiles(void **state)
{
    const int index = (int)(intptr_t)*state;
    const char *spec = specs[index];
    sb_strbuf text, signature, line;
    sb_diag diag = {SB_OK, ""};
    sb_gpu_shape shape;
    sb_hash key;

    sb_strbuf_init(&text);
    sb_strbuf_init(&signature);
    sb_strbuf_init(&line);
    if (sb_spec_emit_gpu(&text, &signature, &key, &shape, spec, &diag) != SB_OK)
        fail_msg("%s: %s", spec, diag.text);
    sb_strbuf_puts(&table, writes ? spec : "");
    for (int q = 0; q < NVRTC_ARCHS; q++) {
        nvrtc_use use;
        const char *was;

        if (!all && q != (index + day) / SHARE % NVRTC_ARCHS)
            continue;
        use = nvrtc_compile(text.s, spec, nvrtc_archs[q]);
        if (use.spills || use.registers == 0)
            fail_msg("%s for sm_%d: %d registers, %d bytes of spills", spec,
                     nvrtc_archs[q], use.registers, use.spills);
        if (writes) {
            print_use(&table, nvrtc_archs[q], use);
            continue;
        }
        sb_strbuf_clear(&line);
        print_use(&line, nvrtc_archs[q], use);
        was = known ? listed(spec, nvrtc_archs[q]) : line.s;
        if (!was || strncmp(was, line.s, line.len) != 0 ||
            (was[line.len] >= '0' && was[line.len] <= '9'))
            fail_msg("%s needs%s registers/shared, the table says%.16s", spec, line.s,
                     was ? was : " nothing");
    }
    sb_strbuf_puts(&table, writes ? "\n" : "");
    sb_strbuf_free(&line);
    sb_strbuf_free(&signature);
    sb_strbuf_free(&text);
}

/* "SPEC sm_75 REGISTERS/SHARED sm_80 ..", a line a kernel. */
static void
read_table(void)
{
    char head[64], block[4096];
    FILE *f = fopen(TABLE, "r");
    size_t n;

    while (f && (n = fread(block, 1, sizeof block, f)) > 0)
        sb_strbuf_putn(&table, block, n);
    if (f)
        (void)fclose(f);
    (void)snprintf(head, sizeof head, "NVRTC %s\n", nvrtc_version());
    known = table.len > 0 && strstr(table.s, head) == table.s;
}

int
main(int argc, char **argv)
{
    struct CMUnitTest tests[SB_COUNT(specs)] = {{0}};
    int failed, n = 0;
    FILE *f;

    day = (int)(time(NULL) / DAY);
    writes = argc > 1 && strcmp(argv[1], "--write") == 0;
    all = writes || (argc > 1 && strcmp(argv[1], "--all") == 0);
    if (!nvrtc_open()) {
        (void)puts("skipped: this machine has no NVRTC");
        return 77;
    }
    sb_strbuf_init(&table);
    if (writes)
        sb_strbuf_printf(&table, "NVRTC %s\n", nvrtc_version());
    else
        read_table();
    for (int q = all ? 0 : day % SHARE; q < SB_COUNT(specs); q += all ? 1 : SHARE)
        tests[n++] = (struct CMUnitTest){.name = specs[q],
                                         .test_func = compiles,
                                         .initial_state = (void *)(intptr_t)q};
    failed = _cmocka_run_group_tests("gpu_nvrtc", tests, (size_t)n, NULL, NULL);
    if (writes && !failed && (f = fopen(TABLE, "w"))) {
        (void)fwrite(table.s, 1, table.len, f);
        failed += fclose(f) != 0;
    }
    sb_strbuf_free(&table);
    return failed;
}
