/*
 * What intrinsics match, and kernels with calls of them, with searches and with atomic
 * updates: compiled C against the interpreter; atomic updates also from several threads.
 */
#include "compiler/tensor.h"

#include "cpu/cc.h"
#include "irprog.h"
#include "operands.h"
#include "runtime/target.h"

#include <dlfcn.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

/* ---- matching -------------------------------------------------------------------------------- */

#define MMA_HEAD                                                                  \
    "prog @p stage 3 {\n  param %ld : i64\n  param %at : i64\n"                   \
    "  buf $C : f32[100] inout\n  buf $A : f32[100] in\n  buf $B : f32[100] in\n" \
    "  buf $h : f16[100] in\n  buf $list : i64[100] aux\n"                        \
    "  for %i in 0 .. 4 {\n    for %j in 0 .. 3 {\n      for %k in 0 .. 2 {\n"
#define MMA_TAIL "      }\n    }\n  }\n}\n"

static const struct {
    const char *name, *store, *why; /* NULL: it matches */
} nests[] = {
    {"mma_4x3x2", "$C[%i * %ld + %j] += $A[%i * 2 + %k] * $B[%k * %ld + %j]", NULL},
    {"mma_3x4x2", "$C[%i * %ld + %j] += $A[%i * 2 + %k] * $B[%k * %ld + %j]", NULL},
    {"mma_4x3x2", "$C[%i * 3 + %j] += $B[(%at + %j) * %ld + %k] * $A[%i + %k * 4]",
     NULL},
    {"mma_4x3x2", "$C[$list[%at] + %i * 3 + %j] += $A[%i] * $B[%j]", NULL},
    {"mma_4x2x3", "$C[%i * 2 + %k] += $A[%i + %j] * $B[%k + %j]", NULL},
    {"mma_4x3x4", "$C[%i * 3 + %j] += $A[%i + %k] * $B[%k + %j]", "form"},
    {"mma_4x3", "$C[%i * 3 + %j] += $A[%i + %k] * $B[%k + %j]", "no such"},
    {"mma_4x3x0", "$C[%i * 3 + %j] += $A[%i + %k] * $B[%k + %j]", "no such"},
    {"fma_4x3x2", "$C[%i * 3 + %j] += $A[%i + %k] * $B[%k + %j]", "no such"},
    {"mma_4x3x2", "$C[%i * 3 + %j] = $A[%i + %k] * $B[%k + %j]", "product"},
    {"mma_4x3x2", "$C[%i * 3 + %j] += $A[%i + %k] * $B[%k + %j] atomic", "product"},
    {"mma_4x3x2", "$C[%i * 3 + %j] += $A[%i + %k] + $B[%k + %j]", "product"},
    {"mma_4x3x2", "$C[%i * 3 + %j] += $A[%i + %k] * 2.0", "product"},
    {"mma_4x3x2", "$C[%i * 3 + %j] += $A[%i] * $C[%k]", "also a factor"},
    {"mma_4x3x2", "$C[%i * 3 + %j] += $A[$list[%i] + %k] * $B[%k + %j]", "linear"},
    {"mma_4x3x2", "$C[%i / 2 + %j] += $A[%i + %k] * $B[%k + %j]", "linear"},
    {"mma_4x3x2", "$C[%i * %j] += $A[%i + %k] * $B[%k + %j]", "linear"},
    {"mma_4x3x2", "$C[%i + %j + %k] += $A[%i + %k] * $B[%k + %j]", "form"},
    {"mma_4x3x2", "$C[%i + %j] += $A[%i + %j] * $B[%k + %j]", "form"},
};

static void
test_matching(void **state)
{
    (void)state;
    for (size_t q = 0; q < sizeof nests / sizeof *nests; q++) {
        const char *why = "";
        char text[1200];
        const sb_prog *p;
        sb_tensor t;
        ir_lab lab;

        ir_lab_init(&lab);
        (void)snprintf(text, sizeof text, "%s%s\n%s", MMA_HEAD, nests[q].store,
                       MMA_TAIL);
        p = ir_lab_parse(&lab, text, true);
        if (sb_tensor_match(&t, nests[q].name, p->body, &why) != !nests[q].why)
            fail_msg("%s %s: %s", nests[q].name, nests[q].store, why);
        if (nests[q].why && !strstr(why, nests[q].why))
            fail_msg("%s: %s", nests[q].store, why);
        if (!nests[q].why)
            assert_string_equal(t.c.buf->name, "C");
        ir_lab_free(&lab);
    }
}

#define SUMS_HEAD                                                         \
    "prog @p stage 3 {\n  buf $C : f32[64] inout\n  local $s : f32[64]\n" \
    "  local $d : f64[64]\n  local $p : f32[64]\n"                        \
    "  for %q in 0 .. 4 {\n    for %l in 0 .. 16 {\n"

static const struct {
    const char *name, *store, *why;
} sums[] = {
    {"sums_4x16", "$s[%q] += $p[%q * 16 + %l]", NULL},
    {"sums_4x8", "$s[%q] += $p[%q * 16 + %l]", "trips"},
    {"sums_4x15", "$s[%q] += $p[%q * 15 + %l]", "no such"},
    {"sums_33x16", "$s[%q] += $p[%q * 16 + %l]", "no such"},
    {"sums_4x16", "$s[%q] = $p[%q * 16 + %l]", "lanes of local"},
    {"sums_4x16", "$s[%q] += $p[%q * 8 + %l]", "lanes of local"},
    {"sums_4x16", "$s[%l] += $p[%q * 16 + %l]", "lanes of local"},
    {"sums_4x16", "$C[%q] += $p[%q * 16 + %l]", "lanes of local"},
    {"sums_4x16", "$s[%q] += $s[%q * 16 + %l]", "lanes of local"},
    {"sums_4x16", "$d[%q] += $d[%q * 16 + %l]", "lanes of local"},
    {"sums_4x16", "$d[%q] += cast(f64, $p[%q * 16 + %l])", "lanes of local"},
};

static void
test_matching_sums(void **state)
{
    (void)state;
    for (size_t q = 0; q < sizeof sums / sizeof *sums; q++) {
        const char *why = "";
        char text[600];
        const sb_prog *p;
        sb_tensor_sums t;
        sb_body nest;
        ir_lab lab;

        ir_lab_init(&lab);
        (void)snprintf(text, sizeof text, "%s%s\n    }\n  }\n}\n", SUMS_HEAD,
                       sums[q].store);
        p = ir_lab_parse(&lab, text, false);
        nest = (sb_body){1, p->body.at + p->body.n - 1};
        if (sb_tensor_match_sums(&t, sums[q].name, nest, &why) != !sums[q].why)
            fail_msg("%s %s: %s", sums[q].name, sums[q].store, why);
        if (sums[q].why && !strstr(why, sums[q].why))
            fail_msg("%s: %s", sums[q].store, why);
        if (!sums[q].why)
            assert_int_equal(t.count * 100 + t.lanes, 416);
        ir_lab_free(&lab);
    }
}

/* A program that only says so does not verify. */
static void
test_claim(void **state)
{
    static const char text[] = "prog @p stage 3 {\n  buf $C : f32[4] inout\n"
                               "  tensor mma_4x1x1 {\n    for %i in 0 .. 4 {\n      "
                               "$C[%i] += 1.0\n    }\n  }\n"
                               "}\n";
    const sb_prog *p;
    ir_lab lab;

    (void)state;
    ir_lab_init(&lab);
    p = ir_lab_parse(&lab, text, false);
    assert_int_equal(sb_prog_verify(p, &lab.diag), SB_EVERIFY);
    assert_non_null(strstr(lab.diag.text, "tensor mma_4x1x1: the body"));
    ir_lab_free(&lab);
}

/* ---- compiled -------------------------------------------------------------------------------- */

static const char product[] =
    "prog @product stage 3 {\n"
    "  param %ld : i64\n  param %t0 : i64\n  param %t1 : i64\n"
    "  buf $A : TYPE[64] in\n  buf $B : TYPE[%ld * 16] in\n"
    "  buf $C : TYPE[%ld * 32] inout\n  buf $crd : i32[16] aux\n"
    "  for %t in %t0 .. %t1 parallel {\n"
    "    local $a : TYPE[8]\n"
    "    for %q in 0 .. 8 { $a[%q] = $A[%t * 8 + %q] }\n"
    "    tensor mma_4x5x2 {\n"
    "      for %i in 0 .. 4 {\n        for %k in 0 .. 2 {\n          for %j in 0 .. 5 "
    "{\n"
    "            $C[(%t * 4 + %i) * %ld + %j] += $a[%i * 2 + %k] * "
    "$B[(cast(i64, $crd[%t]) * 2 + %k) * %ld + %j]\n"
    "          }\n        }\n      }\n    }\n  }\n}\n";

/* Lanes 0 .. LANES of COUNT vectors, which the lanes of $A fill. */
static const char across[] =
    "prog @across stage 3 {\n"
    "  param %t0 : i64\n  param %t1 : i64\n"
    "  buf $A : TYPE[2048] in\n  buf $C : TYPE[128] inout\n"
    "  for %t in %t0 .. %t1 parallel {\n"
    "    local $p : TYPE[WHOLE]\n    local $s : TYPE[COUNT]\n"
    "    for %e in 0 .. COUNT { $s[%e] = 1.0:TYPE }\n"
    "    for %l in 0 .. WHOLE vector(WHOLE) {\n"
    "      $p[%l] = $A[%t * 512 + %l]\n    }\n"
    "    tensor sums_COUNTxLANES {\n"
    "      for %q in 0 .. COUNT {\n        for %u in 0 .. LANES reduce {\n"
    "          $s[%q] += $p[%q * LANES + %u]\n        }\n      }\n    }\n"
    "    for %e in 0 .. COUNT { $C[%t * 32 + %e] = $s[%e] }\n  }\n}\n";

static const char search[] =
    "prog @search stage 3 {\n"
    "  param %n : i64\n  param %t0 : i64\n  param %t1 : i64\n"
    "  buf $a : i32[%n] aux\n  buf $b : i64[%n] aux\n  buf $O : i64[%n * 4] inout\n"
    "  for %i in %t0 .. %t1 parallel {\n"
    "    $O[%i * 4] = seek($a, 0, %n, %i)\n"
    "    $O[%i * 4 + 1] = seek($b, %i / 2, %n, %i * 3)\n"
    "    $O[%i * 4 + 2] = seek($a, %i, %i, %i) * 10 + reach($b, %i, %n, %i * 2)\n"
    "    $O[%i * 4 + 3] = find($b, 0, %n, %i)\n"
    "  }\n}\n";

static const char updates[] =
    "prog @updates stage 3 {\n"
    "  param %n : i64\n  param %t0 : i64\n  param %t1 : i64\n"
    "  buf $x : i32[%n] aux\n"
    "  buf $F : f32[4] inout\n  buf $D : f64[4] inout\n  buf $I : i32[4] inout\n"
    "  buf $L : i64[4] inout\n  buf $Z : c32[4] inout\n  buf $W : c64[4] inout\n"
    "  for %i in %t0 .. %t1 parallel {\n"
    "    let %at = %i mod 4\n    let %v : i32 = $x[%i]\n"
    "    $F[%at] += cast(f32, %v) atomic\n    $D[%at] += cast(f64, %v) atomic\n"
    "    $I[%at] += %v atomic\n    $L[%at] max= cast(i64, %v) atomic\n"
    "    $Z[%at] += cast(c32, %v) atomic\n    $W[%at] += cast(c64, %v) atomic\n"
    "  }\n}\n";

/* The program compiled for machines of a level; NULL where there is no compiler. */
static void *
compile_for(const sb_prog *p, sb_isa isa, sb_kernel_fn *fn)
{
    char source[300], object[300], log[320];
    sb_diag diag = {SB_OK, ""};
    sb_strbuf text;
    sb_status st;
    void *lib, *at;
    FILE *f;

    (void)snprintf(source, sizeof source, "/tmp/spblas-tensor-%d.c", (int)getpid());
    (void)snprintf(object, sizeof object, "/tmp/spblas-tensor-%d.so", (int)getpid());
    (void)snprintf(log, sizeof log, "%s.log", object);
    sb_strbuf_init(&text);
    sb_strbuf_puts(&text, sb_emit_prelude());
    assert_int_equal(sb_emit_c(&text, p, "kernel", NULL), SB_OK);
    f = fopen(source, "w");
    assert_non_null(f);
    assert_true(fputs(text.s, f) >= 0);
    assert_int_equal(fclose(f), 0);
    sb_strbuf_free(&text);
    st = sb_cc_compile(source, object, isa, &diag);
    (void)unlink(source);
    (void)unlink(log);
    if (st == SB_ENOKERNEL)
        return NULL;
    if (st != SB_OK)
        fail_msg("%s", diag.text);
    lib = dlopen(object, RTLD_NOW | RTLD_LOCAL);
    assert_non_null(lib);
    at = dlsym(lib, "kernel");
    assert_non_null(at);
    memcpy(fn, &at, sizeof at);
    (void)unlink(object);
    return lib;
}

static void *
compile(const sb_prog *p, sb_kernel_fn *fn)
{
    return compile_for(p, SB_ISA_GENERIC, fn);
}

static void
run_across(sb_isa isa, const char *type, int count, int lanes)
{
    sb_operands o = {.param = {{0, 0}, {4, 0}}, .count = {2048, 128}};
    char text[2000], *out = text;
    const sb_prog *p;
    sb_kernel_fn fn;
    sb_strbuf c;
    ir_lab lab;
    void *lib;

    for (const char *s = across; *s;) {
        const char *const word[] = {"TYPE", "COUNT", "LANES", "WHOLE"};
        const int value[] = {0, count, lanes, count * lanes};
        int q = 0;

        while (q < 4 && strncmp(s, word[q], strlen(word[q])) != 0)
            q++;
        out += q == 4  ? sprintf(out, "%c", *s)
               : q > 0 ? sprintf(out, "%d", value[q])
                       : sprintf(out, "%s", type);
        s += q == 4 ? 1 : strlen(word[q]);
    }
    ir_lab_init(&lab);
    p = ir_lab_parse(&lab, text, true);
    sb_strbuf_init(&c);
    assert_int_equal(sb_emit_c(&c, p, "kernel", NULL), SB_OK);
    assert_non_null(strstr(c.s, "SBK_V(sums_"));
    sb_strbuf_free(&c);
    lib = compile_for(p, isa, &fn);
    if (lib) {
        sb_operands_fill(p, &o);
        sb_operands_compare(type, p, &o, fn);
        (void)dlclose(lib);
    }
    ir_lab_free(&lab);
}

/* Groups of more vectors than one holds lanes, of as many and of fewer, at each level. */
static void
test_sums(void **state)
{
    (void)state;
    for (int isa = SB_ISA_GENERIC; isa <= (int)sb_target_get()->isa; isa++) {
        run_across((sb_isa)isa, "f32", 1, 16);
        run_across((sb_isa)isa, "f32", 8, 16);
        run_across((sb_isa)isa, "f32", 12, 16);
        run_across((sb_isa)isa, "f64", 2, 8);
        run_across((sb_isa)isa, "f64", 8, 8);
    }
}

static void
run_product(const char *type)
{
    sb_operands o = {.param = {{7, 0}, {0, 0}, {8, 0}}, .count = {64, 112, 224, 16}};
    char text[2000], *out = text;
    const sb_prog *p;
    sb_kernel_fn fn;
    sb_strbuf c;
    ir_lab lab;
    void *lib;

    for (const char *s = product; *s; s += strncmp(s, "TYPE", 4) == 0 ? 4 : 1)
        out += strncmp(s, "TYPE", 4) == 0 ? sprintf(out, "%s", type)
                                          : sprintf(out, "%c", *s);
    ir_lab_init(&lab);
    p = ir_lab_parse(&lab, text, true);
    sb_strbuf_init(&c);
    assert_int_equal(sb_emit_c(&c, p, "kernel", NULL), SB_OK);
    assert_non_null(strstr(c.s, "(4, 5, 2, C + "));
    sb_strbuf_free(&c);
    lib = compile(p, &fn);
    if (lib) {
        sb_operands_fill(p, &o);
        for (int q = 0; q < 16; q++)
            sb_operands_set(p, &o, 3, q, q * 3 % 8);
        sb_operands_compare(type, p, &o, fn);
        (void)dlclose(lib);
    }
    ir_lab_free(&lab);
}

static void
test_products(void **state)
{
    (void)state;
    run_product("f32");
    run_product("f64");
    run_product("i32");
    run_product("i64");
}

static void
test_searches(void **state)
{
    enum { N = 40 };
    const sb_prog *p;
    sb_kernel_fn fn;
    ir_lab lab;
    void *lib;

    (void)state;
    ir_lab_init(&lab);
    p = ir_lab_parse(&lab, search, true);
    lib = compile(p, &fn);
    for (int step = 0; lib && step < 4; step++) {
        sb_operands o = {.param = {{N, 0}, {0, 0}, {N, 0}}, .count = {N, N, 4 * N}};

        sb_operands_fill(p, &o);
        for (int q = 0; q < N; q++) {
            sb_operands_set(p, &o, 0, q, q * step / 2);
            sb_operands_set(p, &o, 1, q, q * (step + 1));
        }
        sb_operands_compare("search", p, &o, fn);
    }
    if (lib)
        (void)dlclose(lib);
    ir_lab_free(&lab);
}

/* ---- from several threads ---------------------------------------------------------------------- */

/* Threads that happen not to meet prove nothing: the text says what is emitted. */
static void
test_updates_are_atomic(void **state)
{
    static const char *const call[] = {"add_f32(&F", "add_f64(&D", "add_i32(&I",
                                       "max_i64(&L", "add_c32(&Z", "add_c64(&W"};
    const sb_prog *p;
    sb_strbuf text;
    ir_lab lab;

    (void)state;
    ir_lab_init(&lab);
    p = ir_lab_parse(&lab, updates, true);
    sb_strbuf_init(&text);
    assert_int_equal(sb_emit_c(&text, p, "kernel", NULL), SB_OK);
    for (size_t q = 0; q < sizeof call / sizeof call[0]; q++) {
        char want[40];

        (void)snprintf(want, sizeof want, "sbk_atomic_%s", call[q]);
        assert_non_null(strstr(text.s, want));
    }
    sb_strbuf_free(&text);
    ir_lab_free(&lab);
}

enum { ENTRIES = 200000, THREADS = 4 };

typedef struct job {
    sb_kernel_fn fn;
    void *const *buf;
    const sb_param *param;
    int64_t t0, t1;
} job;

static void *
work(void *arg)
{
    const job *j = arg;

    j->fn(j->buf, j->param, j->t0, j->t1);
    return NULL;
}

static void
test_updates_meet(void **state)
{
    static int32_t x[ENTRIES], i32[4];
    static float f32[4], c32[8];
    static double f64[4], c64[8];
    static int64_t i64[4];
    void *const buf[] = {x, f32, f64, i32, i64, c32, c64};
    const sb_param param[3] = {{.i = ENTRIES}, {.i = 0}, {.i = ENTRIES}};
    pthread_t thread[THREADS];
    job jobs[THREADS];
    const sb_prog *p;
    sb_kernel_fn fn;
    ir_lab lab;
    void *lib;

    (void)state;
    ir_lab_init(&lab);
    p = ir_lab_parse(&lab, updates, true);
    lib = compile(p, &fn);
    for (int q = 0; q < ENTRIES; q++)
        x[q] = q % 3;
    for (int q = 0; lib && q < THREADS; q++) {
        const job one = {fn, buf, param, ENTRIES / THREADS * q,
                         ENTRIES / THREADS * (q + 1)};

        jobs[q] = one;
        assert_int_equal(pthread_create(&thread[q], NULL, work, &jobs[q]), 0);
    }
    for (int q = 0; lib && q < THREADS; q++)
        assert_int_equal(pthread_join(thread[q], NULL), 0);
    for (int q = 0; lib && q < 4; q++) {
        int64_t sum = 0;

        for (int e = q; e < ENTRIES; e += 4)
            sum += x[e];
        assert_true(f32[q] == (float)sum && f64[q] == (double)sum && i32[q] == sum);
        assert_true(i64[q] == 2 && c32[2 * q] == (float)sum &&
                    c64[2 * q] == (double)sum);
    }
    if (lib)
        (void)dlclose(lib);
    ir_lab_free(&lab);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_matching),           cmocka_unit_test(test_claim),
        cmocka_unit_test(test_matching_sums),      cmocka_unit_test(test_sums),
        cmocka_unit_test(test_products),           cmocka_unit_test(test_searches),
        cmocka_unit_test(test_updates_are_atomic), cmocka_unit_test(test_updates_meet),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
