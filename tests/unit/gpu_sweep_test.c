/*
 * ctest-labels: full gpu-nvrtc
 *
 * All kernels that the planner's rules can ask for on a GPU (gpusweep.h), hundreds of
 * thousands, compile with NVRTC without spills. tests/golden/gpu_sweep.txt, where there is one,
 * says how many were, and what they took; where a line has all of its kernels, none takes more,
 * when NVRTC is of that version. ctest takes a few, for one architecture each in turn. By hand, in pieces of any size:
 *
 *   gpu_sweep_test [--every K] [--first J]     kernels J, J + K ..
 *                  [--only TEXT]               of these those with TEXT in their spec
 *                  [--arch 75,90]              for these architectures each
 *                  [--cache FILE]              what was compiled before is not again
 *   gpu_sweep_test --list                      the specs
 *   gpu_sweep_test --cache FILE --write        the table, of all that FILE holds
 */
#include "base/macro.h"
#include "gpusweep.h"
#include "kernels/recipe.h"
#include "sweepcache.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TABLE SB_SOURCE_DIR "/tests/golden/gpu_sweep.txt"

enum { FEW = 4001, FAMILIES = 2048 };

/* What a line of the table says: the kernels of one operation, set of kinds and types. */
typedef struct family {
    char name[80];
    int64_t kernels;
    struct {
        int64_t compiled;
        int registers, shared;
    } arch[NVRTC_ARCHS];
} family;

static family known[FAMILIES], found[FAMILIES];
static int nknown, nfound;
static bool comparable; /* the table is of this NVRTC */

static struct {
    int64_t every, first;
    const char *only, *cache;
    bool arch[NVRTC_ARCHS], turns, list, write;
} asked = {.every = FEW, .first = 1, .only = "", .turns = true};

static gpusweep sweep;

/* ---- families ------------------------------------------------------------------------------- */

/* "spmm bsr+pick f32f32f32/f32" of a spec. */
static void
name_of(char out[80], const char *spec)
{
    const char *end = spec;

    for (int q = 0; q < 3; q++)
        end += strcspn(end, " ") + 1;
    (void)snprintf(out, 80, "%.*s", (int)(end - 1 - spec), spec);
}

static family *
family_of(family *list, int n, const char *name)
{
    for (int q = n - 1; q >= 0; q--) /* specs come sorted */
        if (strcmp(list[q].name, name) == 0)
            return &list[q];
    return NULL;
}

static family *
family_new(family *list, int *n, const char *name)
{
    assert_true(*n < FAMILIES);
    (void)snprintf(list[*n].name, sizeof list->name, "%s", name);
    return &list[(*n)++];
}

/* "NAME KERNELS COMPILED:REGISTERS/SHARED ..", an architecture a column. */
static void
read_table(void)
{
    char line[400], head[64];
    FILE *f = fopen(TABLE, "r");

    (void)snprintf(head, sizeof head, "NVRTC %s,", nvrtc_version());
    if (!f)
        return;
    if (fgets(line, sizeof line, f))
        comparable = strncmp(line, head, strlen(head)) == 0;
    while (fgets(line, sizeof line, f)) {
        char name[80];
        family *w;
        char *at;

        name_of(name, line);
        w = family_new(known, &nknown, name);
        w->kernels = strtoll(line + strlen(name), &at, 10);
        for (int q = 0; q < NVRTC_ARCHS; q++) {
            w->arch[q].compiled = strtoll(at, &at, 10);
            w->arch[q].registers = (int)strtol(at + 1, &at, 10);
            w->arch[q].shared = (int)strtol(at + 1, &at, 10);
        }
    }
    (void)fclose(f);
}

static void
write_table(void)
{
    int64_t sum[NVRTC_ARCHS] = {0};
    FILE *f = fopen(TABLE, "w");

    assert_non_null(f);
    for (int k = 0; k < nfound; k++)
        for (int q = 0; q < NVRTC_ARCHS; q++)
            sum[q] += found[k].arch[q].compiled;
    (void)fprintf(f, "NVRTC %s, %lld kernels; compiled:registers/shared for",
                  nvrtc_version(), (long long)sweep.n);
    for (int q = 0; q < NVRTC_ARCHS; q++)
        (void)fprintf(f, " sm_%d (%lld)", nvrtc_archs[q], (long long)sum[q]);
    (void)fputc('\n', f);
    for (int k = 0; k < nfound; k++) {
        (void)fprintf(f, "%s %lld", found[k].name, (long long)found[k].kernels);
        for (int q = 0; q < NVRTC_ARCHS; q++)
            (void)fprintf(f, " %lld:%d/%d", (long long)found[k].arch[q].compiled,
                          found[k].arch[q].registers, found[k].arch[q].shared);
        (void)fputc('\n', f);
    }
    assert_int_equal(fclose(f), 0);
}

/* ---- kernels -------------------------------------------------------------------------------- */

/* Whether a kernel needs what it may. */
static bool
fits(const char *spec, int arch, nvrtc_use use)
{
    char name[80];
    const family *w;

    name_of(name, spec);
    w = comparable ? family_of(known, nknown, name) : NULL;
    if (use.spills || use.registers == 0)
        print_error("%s for sm_%d: %d registers, %d bytes of spills\n", spec,
                    nvrtc_archs[arch], use.registers, use.spills);
    else if (comparable && !w)
        print_error("%s: the table has no such family\n", spec);
    else if (w && w->arch[arch].compiled == w->kernels &&
             (use.registers > w->arch[arch].registers ||
              use.shared > w->arch[arch].shared))
        print_error(
            "%s for sm_%d: %d registers, %d bytes shared, the table says %d, %d\n",
            spec, nvrtc_archs[arch], use.registers, use.shared, w->arch[arch].registers,
            w->arch[arch].shared);
    else
        return true;
    return false;
}

/* Counts what the caches hold of it as a line of the table. */
static void
account(family *w, const sweep_entry *e)
{
    for (int q = 0; q < NVRTC_ARCHS; q++)
        if (e->use[q].registers) {
            w->arch[q].compiled++;
            if (e->use[q].registers > w->arch[q].registers)
                w->arch[q].registers = e->use[q].registers;
            if (e->use[q].shared > w->arch[q].shared)
                w->arch[q].shared = e->use[q].shared;
        }
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
    read_table();
    for (int64_t k = asked.first; k < sweep.n; k += asked.every)
        if (strstr(sweep.spec[k], asked.only))
            failed += one(sweep.spec[k], taken++);
    print_message("%lld of %lld kernels\n", (long long)taken, (long long)sweep.n);
    assert_true(taken > 0);
    assert_int_equal(failed, 0);
}

static void
test_write(void **state)
{
    (void)state;
    for (int64_t k = 0; k < sweep.n; k++) {
        char name[80];
        const sweep_entry *e = sweep_known(sweep.spec[k]);
        family *w;

        name_of(name, sweep.spec[k]);
        w = family_of(found, nfound, name);
        if (!w)
            w = family_new(found, &nfound, name);
        w->kernels++;
        if (e)
            account(w, e);
    }
    write_table();
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
    const struct CMUnitTest compiles[] = {cmocka_unit_test(test_compiles)};
    const struct CMUnitTest writes[] = {cmocka_unit_test(test_write)};
    int failed = 0;

    for (int q = 1; q < argc; q++) {
        if (strcmp(argv[q], "--list") == 0)
            asked.list = true;
        else if (strcmp(argv[q], "--write") == 0)
            asked.write = true;
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
        failed = asked.write ? cmocka_run_group_tests(writes, NULL, NULL)
                             : cmocka_run_group_tests(compiles, NULL, NULL);
        sweep_close();
    }
    gpusweep_free(&sweep);
    return failed;
}
