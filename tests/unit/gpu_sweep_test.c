/*
 * ctest-labels: full gpu-nvrtc
 *
 * All kernels that the planner's rules can ask for on a GPU (gpusweep.h), hundreds of
 * thousands, compile with NVRTC without spills. Those that stand for the others
 * (gpusweep_default) are listed with their registers and shared memory in
 * tests/golden/gpu_defaults.txt and need just that when NVRTC is of that version. ctest takes a few of all, and of
 * the listed ones others every day, for one architecture each in turn. By hand, in pieces of any size:
 *
 *   gpu_sweep_test [--every K] [--first J]     kernels J, J + K ..
 *                  [--defaults]                the listed ones
 *                  [--only TEXT]               of these those with TEXT in their spec
 *                  [--arch 75,90]              for these architectures each
 *                  [--cache FILE]              what was compiled before is not again
 *   gpu_sweep_test --list                      the specs
 *   gpu_sweep_test --cache FILE --write        the table, of what FILE holds
 */
#include "base/macro.h"
#include "gpusweep.h"
#include "sweepcache.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define TABLE SB_SOURCE_DIR "/tests/golden/gpu_defaults.txt"

/* Of all kernels, and of the listed ones, ctest takes one in so many. */
enum { FEW = 16001, FEW_LISTED = 24, DAY = 24 * 3600 };

static sb_strbuf table;
static bool comparable; /* it is of this NVRTC */

static struct {
    int64_t every, first;
    const char *only, *cache;
    bool arch[NVRTC_ARCHS], turns, list, write, defaults;
} asked = {.every = FEW, .first = 1, .only = "", .turns = true};

static gpusweep sweep;

/* ---- the table ------------------------------------------------------------------------------ */

static void
put_head(sb_strbuf *out)
{
    sb_strbuf_printf(out, "NVRTC %s: registers for sm_", nvrtc_version());
    for (int q = 0; q < NVRTC_ARCHS; q++)
        sb_strbuf_printf(out, q ? ", %d" : "%d", nvrtc_archs[q]);
    sb_strbuf_puts(out, " + bytes of shared memory a block\n");
}

/* "SPEC: REGISTERS .. + SHARED", an architecture a column; shared memory is the same in all. */
static void
put_line(sb_strbuf *out, const char *spec, const nvrtc_use use[NVRTC_ARCHS])
{
    sb_strbuf_printf(out, "%s:", spec);
    for (int q = 0; q < NVRTC_ARCHS; q++)
        sb_strbuf_printf(out, " %d", use[q].registers);
    if (use[0].shared)
        sb_strbuf_printf(out, " + %d", use[0].shared);
    sb_strbuf_puts(out, "\n");
}

static void
read_table(void)
{
    FILE *f = fopen(TABLE, "r");
    char block[4096];
    sb_strbuf head;
    size_t n;

    while (f && (n = fread(block, 1, sizeof block, f)) > 0)
        sb_strbuf_putn(&table, block, n);
    if (f)
        (void)fclose(f);
    sb_strbuf_init(&head);
    put_head(&head);
    comparable = table.len > 0 && strncmp(table.s, head.s, head.len) == 0;
    sb_strbuf_free(&head);
}

/* The numbers of a spec; NULL without a line. */
static const char *
listed(const char *spec)
{
    const size_t n = strlen(spec);

    for (const char *at = table.len ? strchr(table.s, '\n') : NULL; at;
         at = strchr(at + 1, '\n'))
        if (strncmp(at + 1, spec, n) == 0 && at[1 + n] == ':')
            return at + 1 + n + 1;
    return NULL;
}

/* Whether the table says so of a kernel for one architecture. */
static bool
as_listed(const char *numbers, int arch, nvrtc_use use)
{
    char line[80], *at = line;
    long registers = 0;

    (void)snprintf(line, sizeof line, "%.*s", (int)strcspn(numbers, "\n"), numbers);
    for (int q = 0; q < NVRTC_ARCHS; q++) {
        const long here = strtol(at, &at, 10);

        registers = q == arch ? here : registers;
    }
    at = strchr(at, '+');
    return registers == use.registers &&
           (at ? strtol(at + 1, NULL, 10) : 0) == use.shared;
}

/* ---- kernels -------------------------------------------------------------------------------- */

/* Whether a kernel needs what it may. */
static bool
fits(const char *spec, int arch, nvrtc_use use)
{
    const char *numbers = comparable ? listed(spec) : NULL;

    if (use.spills || use.registers == 0)
        print_error("%s for sm_%d: %d registers, %d bytes of spills\n", spec,
                    nvrtc_archs[arch], use.registers, use.spills);
    else if (numbers && !as_listed(numbers, arch, use))
        print_error("%s for sm_%d: %d registers, %d bytes shared, the table says%.*s\n",
                    spec, nvrtc_archs[arch], use.registers, use.shared,
                    (int)strcspn(numbers, "\n"), numbers);
    else
        return true;
    return false;
}

static int
one(const char *spec, int64_t index)
{
    sb_strbuf text;
    char why[NVRTC_WHY];
    sweep_entry *e;
    int failed = 0;

    sb_strbuf_init(&text);
    e = sweep_text(&text, spec, why);
    if (!e) {
        print_error("%s: %s\n", spec, why);
        sb_strbuf_free(&text);
        return 1;
    }
    for (int q = 0; q < NVRTC_ARCHS; q++) {
        if (asked.turns ? q != index % NVRTC_ARCHS : !asked.arch[q])
            continue;
        if (sweep_compile(e, &text, q, why)) {
            failed += !fits(spec, q, e->use[q]);
        } else {
            print_error("%s for sm_%d: %s\n", spec, nvrtc_archs[q], why);
            failed++;
        }
    }
    sb_strbuf_free(&text);
    return failed;
}

static void
test_compiles(void **state)
{
    int64_t taken = 0;
    int failed = 0;

    (void)state;
    for (int64_t k = asked.first; k < sweep.n; k += asked.every)
        if (strstr(sweep.spec[k], asked.only) &&
            (!asked.defaults || gpusweep_default(sweep.spec[k])))
            failed += one(sweep.spec[k], taken++);
    print_message("%lld of %lld kernels\n", (long long)taken, (long long)sweep.n);
    assert_true(taken > 0);
    assert_int_equal(failed, 0);
}

/* Other ones every day, in other pairs with architectures. */
static void
test_listed(void **state)
{
    const int64_t day = (int64_t)(time(NULL) / DAY);
    int64_t n = 0;
    int failed = 0;

    (void)state;
    for (int64_t k = 0; k < sweep.n && asked.turns; k++)
        if (gpusweep_default(sweep.spec[k]) && n++ % FEW_LISTED == day % FEW_LISTED)
            failed += one(sweep.spec[k], n / FEW_LISTED + day / FEW_LISTED);
    assert_int_equal(failed, 0);
}

/* The table has lines of what stands for the others alone. */
static void
test_lines(void **state)
{
    int64_t lines = -1, found = 0, n = 0;

    (void)state;
    for (const char *at = table.s; at && (at = strchr(at, '\n')); at++)
        lines++;
    for (int64_t k = 0; k < sweep.n; k++)
        if (gpusweep_default(sweep.spec[k])) {
            n++;
            found += listed(sweep.spec[k]) != NULL;
        }
    print_message("%lld of %lld are listed\n", (long long)found, (long long)n);
    if (lines < 0)
        skip();
    assert_int_equal(lines, found);
}

static void
test_write(void **state)
{
    sb_strbuf out;
    FILE *f;

    (void)state;
    sb_strbuf_init(&out);
    put_head(&out);
    for (int64_t k = 0; k < sweep.n; k++) {
        const sweep_entry *e =
            gpusweep_default(sweep.spec[k]) ? sweep_known(sweep.spec[k]) : NULL;
        int n = 0;

        for (int q = 0; q < NVRTC_ARCHS && e; q++) {
            n += e->use[q].registers > 0;
            if (e->use[q].spills)
                fail_msg("%s for sm_%d: %d bytes of spills", sweep.spec[k],
                         nvrtc_archs[q], e->use[q].spills);
        }
        if (n == NVRTC_ARCHS)
            put_line(&out, sweep.spec[k], e->use);
    }
    f = fopen(TABLE, "w");
    assert_non_null(f);
    assert_int_equal(fwrite(out.s, 1, out.len, f), out.len);
    assert_int_equal(fclose(f), 0);
    sb_strbuf_free(&out);
}

/* ---- what is asked for ------------------------------------------------------------------------ */

static bool
take_option(const char *name, const char *value)
{
    if (strcmp(name, "--every") == 0)
        return (asked.every = atoll(value)) > 0;
    if (strcmp(name, "--first") == 0)
        return (asked.first = atoll(value)) >= 0;
    if (strcmp(name, "--only") == 0)
        return (asked.only = value) != NULL;
    if (strcmp(name, "--cache") == 0)
        return (asked.cache = value) != NULL;
    if (strcmp(name, "--arch") != 0)
        return false;
    asked.turns = false;
    for (int q = 0; q < NVRTC_ARCHS; q++) {
        char number[8];
        const char *at;

        (void)snprintf(number, sizeof number, "%d", nvrtc_archs[q]);
        at = strstr(value, number);
        asked.arch[q] = at && (at == value || at[-1] == ',');
    }
    return true;
}

int
main(int argc, char **argv)
{
    const struct CMUnitTest compiles[] = {cmocka_unit_test(test_lines),
                                          cmocka_unit_test(test_listed),
                                          cmocka_unit_test(test_compiles)};
    const struct CMUnitTest writes[] = {cmocka_unit_test(test_write)};
    int failed = 0;

    for (int q = 1; q < argc; q++) {
        if (strcmp(argv[q], "--list") == 0)
            asked.list = true;
        else if (strcmp(argv[q], "--write") == 0)
            asked.write = true;
        else if (strcmp(argv[q], "--defaults") == 0)
            asked.defaults = true;
        else if (q + 1 == argc || !take_option(argv[q], argv[q + 1]))
            return 2;
        else
            q++;
    }
    if (!asked.list && !nvrtc_open()) {
        (void)puts("skipped: this machine has no NVRTC");
        return 77;
    }
    gpusweep_make(&sweep);
    for (int64_t k = 0; asked.list && k < sweep.n; k++)
        (void)puts(sweep.spec[k]);
    if (!asked.list) {
        sweep_open(&sweep, asked.cache);
        sb_strbuf_init(&table);
        if (!asked.write)
            read_table();
        failed = asked.write ? cmocka_run_group_tests(writes, NULL, NULL)
                             : cmocka_run_group_tests(compiles, NULL, NULL);
        sb_strbuf_free(&table);
        sweep_close();
    }
    gpusweep_free(&sweep);
    return failed;
}
