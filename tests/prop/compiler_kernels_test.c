/*
 * Random programs under random schedules as C: one file of many kernels, compiled once,
 * each against the interpreter.
 *
 *   prop_compiler_kernels --kernels N [S]    N kernels, from number S
 */
#include "base/macro.h"
#include "cpu/cc.h"
#include "irrand.h"
#include "irsched.h"
#include "irworld.h"
#include "runtime/target.h"

#include <dlfcn.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

enum { KERNELS = 48, LINES1 = 3, LINES = 9 };

static int kernels = KERNELS, first;

typedef struct kernel {
    ir_rand made;
    ir_bench b;
    const sb_prog *prog; /* stage III */
    char log[1024];
} kernel;

static const sb_prog *
try_line(kernel *k, const sb_prog *p, const char *line)
{
    const sb_prog *next = NULL;

    sb_diag_clear(&k->b.diag);
    if (sb_schedule_apply(&next, &k->b.ir, p, line) != SB_OK)
        return p;
    (void)strncat(k->log, line, sizeof k->log - strlen(k->log) - 2);
    (void)strcat(k->log, "\n");
    return next;
}

/* False for a program that cannot be lowered or emitted. */
static bool
make_kernel(kernel *k, uint64_t seed)
{
    static const char *const pass[] = {"lower_buf", "hoist", "narrow"};
    uint64_t s = seed * 2654435761u + 777;
    const sb_prog *p, *q = NULL;
    char line[160];

    memset(k, 0, sizeof *k);
    ir_bench_open(&k->b);
    ir_rand_make(&k->made, seed);
    p = ir_bench_parse(&k->b, k->made.text.s);
    for (int r = 0; r < LINES1; r++) {
        ir_random_line1(line, sizeof line, p, &s);
        p = try_line(k, p, line);
    }
    sb_diag_clear(&k->b.diag);
    if (sb_pass_run(&q, &k->b.ir, p, "lower_iter", NULL) != SB_OK)
        return false;
    for (int r = 0; r < LINES; r++) {
        ir_random_line(line, sizeof line, q, &s, r);
        q = try_line(k, q, line);
    }
    for (int r = 0; r < SB_COUNT(pass); r++) {
        sb_diag_clear(&k->b.diag);
        if (sb_pass_run(&q, &k->b.ir, q, pass[r], NULL) != SB_OK)
            fail_msg("%s%s", k->log, k->b.diag.text);
    }
    k->prog = q;
    return true;
}

static void
drop_kernel(kernel *k)
{
    ir_rand_free(&k->made);
    ir_bench_close(&k->b);
}

/* Appends the kernel's C; false when the emitter does not take it. */
static bool
emit(sb_strbuf *out, const kernel *k, int at)
{
    char symbol[32];
    sb_strbuf c;
    bool good;

    (void)snprintf(symbol, sizeof symbol, "k_%d", at);
    sb_strbuf_init(&c);
    good = sb_emit_c(&c, k->prog, symbol, NULL) == SB_OK;
    if (good)
        sb_strbuf_puts(out, c.s);
    sb_strbuf_free(&c);
    return good;
}

static void *
compile(const sb_strbuf *text)
{
    char source[300], object[300], log[320];
    sb_diag diag = {SB_OK, ""};
    sb_status st;
    void *lib;
    FILE *f;

    (void)snprintf(source, sizeof source, "/tmp/spblas-kernels-%d.c", (int)getpid());
    (void)snprintf(object, sizeof object, "/tmp/spblas-kernels-%d.so", (int)getpid());
    (void)snprintf(log, sizeof log, "%s.log", object);
    f = fopen(source, "w");
    assert_non_null(f);
    assert_true(fputs(text->s, f) >= 0);
    assert_int_equal(fclose(f), 0);
    st = sb_cc_compile(source, object, sb_target_get()->isa, &diag);
    (void)unlink(source);
    (void)unlink(log);
    if (st == SB_ENOKERNEL)
        return NULL;
    if (st != SB_OK)
        fail_msg("%s", diag.text);
    lib = dlopen(object, RTLD_NOW | RTLD_LOCAL);
    assert_non_null(lib);
    (void)unlink(object);
    return lib;
}

static sb_kernel_fn
symbol_of(void *lib, int at)
{
    char symbol[32];
    sb_kernel_fn fn;
    void *p;

    (void)snprintf(symbol, sizeof symbol, "k_%d", at);
    p = dlsym(lib, symbol);
    assert_non_null(p);
    memcpy(&fn, &p, sizeof fn);
    return fn;
}

static void
test_random_kernels(void **state)
{
    kernel *all = calloc((size_t)kernels, sizeof *all);
    sb_strbuf text;
    void *lib;
    int n = 0;

    (void)state;
    assert_non_null(all);
    sb_strbuf_init(&text);
    sb_strbuf_puts(&text, sb_emit_prelude());
    for (int q = 0; q < kernels; q++) {
        if (make_kernel(&all[n], (uint64_t)(first + q)) && emit(&text, &all[n], n))
            n++;
        else
            drop_kernel(&all[n]);
    }
    assert_true(n > kernels / 2);
    lib = compile(&text);
    for (int q = 0; lib && q < n; q++) {
        for (uint64_t seed = 0; seed < 3; seed++) {
            if (!ir_rand_kernel_same(&all[q].made, seed, all[q].prog,
                                     symbol_of(lib, q)))
                fail_msg("schedule\n%s", all[q].log);
        }
    }
    if (lib)
        (void)dlclose(lib);
    for (int q = 0; q < n; q++)
        drop_kernel(&all[q]);
    sb_strbuf_free(&text);
    free(all);
}

int
main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_random_kernels)};

    if (argc >= 3 && strcmp(argv[1], "--kernels") == 0)
        kernels = (int)strtol(argv[2], NULL, 10);
    if (argc >= 4)
        first = (int)strtol(argv[3], NULL, 10);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
