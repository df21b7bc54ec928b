/*
 * Emitted C means what the interpreter says: stage III programs of every shape the
 * schedules make, compiled for each level this CPU has, against sb_interp on small
 * integers, which no rounding touches. Elements around each array show overruns.
 * All kernels of a compiler and level are one file, so the compiler starts few times.
 */
#include "compiler/compiler.h"

#include "cpu/cc.h"
#include "operands.h"
#include "runtime/kernel.h"
#include "runtime/target.h"

#include <dlfcn.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

enum { KERNELS = 64 };

/* A program under test with what it is run on; texts live for the whole test. */
typedef struct kernel {
    const char *name;
    const sb_prog *prog;
    void (*run)(const struct kernel *k, sb_kernel_fn fn);
    int tile;
} kernel;

static kernel kernels[KERNELS];
static int nkernel;
static sb_arena arena;
static sb_ir ir;
static char dir[256];

static void
add(const char *name, int tile, void (*run)(const kernel *, sb_kernel_fn),
    const char *text)
{
    sb_diag diag = {SB_OK, ""};
    kernel *k = &kernels[nkernel++];

    assert_true(nkernel <= KERNELS);
    ir.diag = &diag;
    k->name = name;
    k->run = run;
    k->tile = tile;
    if (sb_prog_parse(&k->prog, &ir, text, strlen(text)) != SB_OK)
        fail_msg("%s: %s\n%s", name, diag.text, text);
    ir.diag = NULL;
}

/* ---- SpMM over compressed rows: accumulators, masked tail, all types ----------------------- */

static const char spmm_head[] =
    "prog @spmm stage 3 {\n  param %%m : i64\n  param %%n : i64\n  param %%k : i64\n"
    "  param %%nnz : i64\n  param %%base : i64\n  param %%ldb : i64\n"
    "  param %%ldc : i64\n  param %%alpha : %s\n  param %%beta : %s\n"
    "  param %%t0 : i64\n  param %%t1 : i64\n"
    "  buf $A_ptr : i32[%%m + 1] aux\n  buf $A_crd : i32[%%nnz] aux\n"
    "  buf $A : %s[%%nnz] in\n  buf $B : %s[%%k * %%ldb] in\n"
    "  buf $C : %s[%%m * %%ldc + %%n * %%ldc] inout\n"
    "  for %%i in %%t0 .. %%t1 parallel {\n";

typedef struct types {
    const char *a, *b, *c, *compute;
    bool conj, stream, col;
} types;

static void
cast_text(char *out, size_t size, const char *x, const char *from, const char *to)
{
    if (strcmp(from, to) == 0)
        (void)snprintf(out, size, "%s", x);
    else
        (void)snprintf(out, size, "cast(%s, %s)", to, x);
}

/* One column tile: clear, accumulate, write back; `lanes` is the loop's bound. */
static void
put_tile(sb_strbuf *s, const types *t, int tile, const char *lanes, int q)
{
    const char *at =
        t->col ? "%i + (%c0 * T + %c1) * %ldc" : "%i * %ldc + (%c0 * T + %c1)";
    char index[80], c[120], old[160], a[80], row[80], b[120], value[400], zero[24];
    size_t n = 0;

    for (const char *p = at; *p; p++)
        n += (size_t)(*p == 'T' ? snprintf(index + n, sizeof index - n, "%d", tile)
                                : snprintf(index + n, sizeof index - n, "%c", *p));
    (void)snprintf(c, sizeof c, "$C[%s]", index);
    cast_text(old, sizeof old, c, t->c, t->compute);
    cast_text(a, sizeof a, "$A[%p]", t->a, t->compute);
    (void)snprintf(row, sizeof row,
                   t->conj ? "conj($B[%%j * %%ldb + (%%c0 * %d + %%c1)])"
                           : "$B[%%j * %%ldb + (%%c0 * %d + %%c1)]",
                   tile);
    cast_text(b, sizeof b, row, t->b, t->compute);
    (void)snprintf(zero, sizeof zero, "%s:%s", t->compute[0] == 'i' ? "0" : "0.0",
                   t->compute);
    (void)snprintf(value, sizeof value,
                   "%%alpha * $acc%d[%%c1] + select(%%beta == %s, %s, %%beta * %s)", q,
                   zero, zero, old);
    sb_strbuf_printf(s, "local $acc%d : %s[%d]\n", q, t->compute, tile);
    sb_strbuf_printf(s, "for %%c1 in 0 .. %s vector(%d) { $acc%d[%%c1] = %s }\n", lanes,
                     tile, q, zero);
    sb_strbuf_printf(s,
                     "for %%p in cast(i64, $A_ptr[%%i]) - %%base .. cast(i64, "
                     "$A_ptr[%%i + 1]) - %%base reduce {\n"
                     "let %%j = cast(i64, $A_crd[%%p]) - %%base\nlet %%a = %s\n"
                     "for %%c1 in 0 .. %s vector(%d) { $acc%d[%%c1] += %%a * %s }\n}\n",
                     a, lanes, tile, q, b);
    sb_strbuf_printf(s, "for %%c1 in 0 .. %s vector(%d) { $C[%s] = ", lanes, tile,
                     index);
    if (strcmp(t->c, t->compute) == 0)
        sb_strbuf_puts(s, value);
    else
        sb_strbuf_printf(s, "cast(%s, %s)", t->c, value);
    sb_strbuf_puts(s, t->stream ? " stream }\n" : " }\n");
}

static void
run_spmm(const kernel *k, sb_kernel_fn fn)
{
    const int n_of[] = {
        1, 3, 7, k->tile, k->tile + 5, 2 * k->tile + 3, 3 * k->tile - 1};

    for (size_t q = 0; q < sizeof n_of / sizeof n_of[0]; q++) {
        const int m = 6, cols = 9, n = n_of[q], base = (int)(q % 2);
        sb_operands o = {.param = {{m, 0},
                                   {n, 0},
                                   {cols, 0},
                                   {0, 0},
                                   {base, 0},
                                   {n + 2, 0},
                                   {n + 3 + 6, 0},
                                   {2, 1},
                                   {(double)(q % 3), 0},
                                   {1, 0},
                                   {m, 0}}};
        int at = base;

        o.count[0] = m + 1;
        o.count[1] = o.count[2] = m * cols;
        o.count[3] = cols * (n + 2);
        o.count[4] = (m + n) * (n + 9);
        o.param[3].re = m * cols;
        if (!sb_dtype_is_complex(k->prog->param[7]->type))
            o.param[7].im = 0;
        sb_operands_fill(k->prog, &o);
        for (int i = 0; i <= m; i++) {
            sb_operands_set(k->prog, &o, 0, i, at);
            at += i < m ? i * 2 % cols : 0;
        }
        for (int i = 0; i < m * cols; i++)
            sb_operands_set(k->prog, &o, 1, i, base + sb_draw(cols));
        sb_operands_compare(k->name, k->prog, &o, fn);
    }
}

static void
add_spmm(const char *name, const types *t, int tile)
{
    sb_strbuf s;
    char full[16], rest[32];

    sb_strbuf_init(&s);
    sb_strbuf_printf(&s, spmm_head, t->compute, t->compute, t->a, t->b, t->c);
    (void)snprintf(full, sizeof full, "%d", tile);
    (void)snprintf(rest, sizeof rest, "%%n mod %d", tile);
    sb_strbuf_printf(&s, "for %%c0 in 0 .. %%n / %d {\n", tile);
    put_tile(&s, t, tile, full, 0);
    sb_strbuf_printf(&s, "}\nfor %%c0 in %%n / %d .. (%%n + %d) / %d {\n", tile,
                     tile - 1, tile);
    put_tile(&s, t, tile, rest, 1);
    sb_strbuf_puts(&s, "}\n}\n}\n");
    assert_int_equal(sb_strbuf_status(&s), SB_OK);
    add(name, tile, run_spmm, s.s);
    sb_strbuf_free(&s);
}

static void
add_all_spmm(void)
{
    static const struct {
        const char *name;
        types t;
        int tile;
    } row[] = {
        {"f32_t4", {"f32", "f32", "f32", "f32", 0, 0, 0}, 4},
        {"f32_t8", {"f32", "f32", "f32", "f32", 0, 0, 0}, 8},
        {"f32_t24", {"f32", "f32", "f32", "f32", 0, 0, 0}, 24},
        {"f32_t64", {"f32", "f32", "f32", "f32", 0, 0, 0}, 64},
        {"f32_nt", {"f32", "f32", "f32", "f32", 0, 1, 0}, 16},
        {"f32_col", {"f32", "f32", "f32", "f32", 0, 0, 1}, 16},
        {"f64_t16", {"f64", "f64", "f64", "f64", 0, 0, 0}, 16},
        {"f16_f32", {"f16", "f16", "f32", "f32", 0, 0, 0}, 32},
        {"f16_f16", {"f16", "f16", "f16", "f32", 0, 1, 0}, 16},
        {"bf16_bf16", {"bf16", "bf16", "bf16", "f32", 0, 0, 0}, 16},
        {"bf16_f32", {"bf16", "bf16", "f32", "f32", 0, 0, 0}, 8},
        {"c32_t16", {"c32", "c32", "c32", "c32", 0, 0, 0}, 16},
        {"c32_conj", {"c32", "c32", "c32", "c32", 1, 1, 0}, 8},
        {"c32_col", {"c32", "c32", "c32", "c32", 0, 0, 1}, 8},
        {"c64_t8", {"c64", "c64", "c64", "c64", 1, 0, 0}, 8},
        {"i8_i32", {"i8", "i8", "i32", "i32", 0, 0, 0}, 16},
        {"i8_f32", {"i8", "i8", "f32", "f32", 0, 0, 0}, 32},
    };

    for (size_t q = 0; q < sizeof row / sizeof row[0]; q++)
        add_spmm(row[q].name, &row[q].t, row[q].tile);
}

/* ---- dot products: gathered operand, remainder, tree sum ----------------------------------- */

/* The summand is not 0 where the operands are: lanes missing from the remainder must keep
 * what they have. */
static void
run_dot(const kernel *k, sb_kernel_fn fn)
{
    for (int len = 0; len < 3 * k->tile; len++) {
        const int m = 3, cols = 11;
        sb_operands o = {.param = {{m, 0}, {cols, 0}, {len, 0}, {0, 0}, {m, 0}},
                         .count = {m * len, m * len, cols, m}};

        sb_operands_fill(k->prog, &o);
        for (int i = 0; i < m * len; i++)
            sb_operands_set(k->prog, &o, 0, i, sb_draw(cols));
        sb_operands_compare(k->name, k->prog, &o, fn);
    }
}

static void
add_dot(const char *name, const char *type, const char *index, int lanes)
{
    sb_strbuf s;

    sb_strbuf_init(&s);
    sb_strbuf_printf(&s,
                     "prog @dot stage 3 {\n  param %%m : i64\n  param %%k : i64\n"
                     "  param %%len : i64\n  param %%t0 : i64\n  param %%t1 : i64\n"
                     "  buf $crd : %s[%%m * %%len] aux\n  buf $A : %s[%%m * %%len] in\n"
                     "  buf $B : %s[%%k] in\n  buf $C : %s[%%m] inout\n"
                     "  for %%i in %%t0 .. %%t1 parallel {\n    local $part : %s[%d]\n"
                     "    for %%l in 0 .. %d vector(%d) { $part[%%l] = 0.0:%s }\n",
                     index, type, type, type, type, lanes, lanes, lanes, type);
    for (int q = 0; q < 2; q++) {
        const char *p = q ? "(%len / N * N + %l)" : "(%p * N + %l)";
        char at[80];
        size_t n = 0;

        for (const char *c = p; *c; c++)
            n += (size_t)(*c == 'N' ? snprintf(at + n, sizeof at - n, "%d", lanes)
                                    : snprintf(at + n, sizeof at - n, "%c", *c));
        if (q == 0)
            sb_strbuf_printf(&s, "    for %%p in 0 .. %%len / %d {\n", lanes);
        sb_strbuf_printf(&s,
                         q ? "    for %%l in 0 .. %%len mod %d vector(%d) {\n"
                           : "    for %%l in 0 .. %d vector(%d) {\n",
                         lanes, lanes);
        sb_strbuf_printf(&s,
                         "      let %%x = %%i * %%len + %s\n"
                         "      let %%j = cast(i64, $crd[%%x])\n"
                         "      $part[%%l] += $A[%%x] * $B[%%j] + 1.0:%s\n    }\n%s",
                         at, type, q ? "" : "    }\n");
    }
    for (int h = lanes / 2; h >= 1; h /= 2)
        sb_strbuf_printf(&s,
                         "    for %%l in 0 .. %d vector(%d) { $part[%%l] += "
                         "$part[%%l + %d] }\n",
                         h, h, h);
    sb_strbuf_puts(&s, "    $C[%i] += $part[0]\n  }\n}\n");
    assert_int_equal(sb_strbuf_status(&s), SB_OK);
    add(name, lanes, run_dot, s.s);
    sb_strbuf_free(&s);
}

/* ---- blocks: rows unrolled, accumulators indexed by row and lane ----------------------------- */

static const char blocks[] =
    "prog @blocks stage 3 {\n"
    "  param %m : i64\n  param %n : i64\n  param %t0 : i64\n  param %t1 : i64\n"
    "  buf $A : f32[%m * 12] in\n  buf $B : f32[4 * %n] in\n  buf $C : f32[%m * 3 * "
    "%n] inout\n"
    "  for %w in %t0 .. %t1 parallel {\n"
    "    for %c0 in 0 .. (%n + 15) / 16 {\n"
    "      local $acc : f32[48]\n"
    "      for %r in 0 .. 3 unroll { for %c1 in 0 .. min(16, %n - %c0 * 16) vector(16) "
    "{ $acc[%r * 16 + %c1] = 0.0 } }\n"
    "      for %q in 0 .. 4 reduce {\n"
    "        for %r in 0 .. 3 unroll {\n"
    "          let %a = $A[(%w * 3 + %r) * 4 + %q]\n"
    "          for %c1 in 0 .. min(16, %n - %c0 * 16) vector(16) { $acc[%r * 16 + %c1] "
    "+= "
    "%a * $B[%q * %n + (%c0 * 16 + %c1)] }\n"
    "        }\n      }\n"
    "      for %r in 0 .. 3 unroll { for %c1 in 0 .. min(16, %n - %c0 * 16) vector(16) "
    "{ $C[(%w * 3 + %r) * %n + (%c0 * 16 + %c1)] += $acc[%r * 16 + %c1] } }\n"
    "    }\n  }\n}\n";

static void
run_blocks(const kernel *k, sb_kernel_fn fn)
{
    for (int n = 1; n < 40; n += 3) {
        const int m = 4;
        sb_operands o = {.param = {{m, 0}, {n, 0}, {0, 0}, {m, 0}},
                         .count = {m * 12, 4 * n, m * 3 * n}};

        sb_operands_fill(k->prog, &o);
        sb_operands_compare(k->name, k->prog, &o, fn);
    }
}

/* ---- the scalar language ------------------------------------------------------------------------ */

static const char scalars[] =
    "prog @scalars stage 3 {\n"
    "  param %int : i64\n  param %C : f64\n  param %t0 : i64\n  param %t1 : i64\n"
    "  buf $for : i32[8] aux\n  buf $C : i64[64] inout\n  buf $D : f64[16] inout\n"
    "  buf $H : f16[4] inout\n  buf $Z : c64[4] inout\n"
    "  for %i in %t0 .. %t1 parallel {\n"
    "    let %x = %i - 5\n    let %y = cast(i64, $for[%i mod 8])\n"
    "    $C[%i] = %x / 4 + 100 * (%x mod 4) + 10000 * (%x / 3) + 1000000 * (%x mod 3)\n"
    "    $C[%i] += min(%x, %y) * 7 - max(%x, -%y) * (2 - %int)\n"
    "    if %x < 3 && (%y > 0 || !(%x == -2)) {\n      $C[%i + 16] max= %x * %x\n"
    "    } else {\n      $C[%i + 16] min= -(%x - 3 - (1 - %y))\n    }\n"
    "    $C[%i + 32] = select(%x >= 0, find($for, 0, 8, %x), select(%x != %y, 1, 0))\n"
    "    $D[%i] = cast(f64, %x) / 4.0:f64 - cast(f64, $H[%i mod 4]) * -%C\n"
    "    local $v : f64[3]\n"
    "    for %q in 0 .. 3 unroll { $v[%q] = $D[%i] + cast(f64, %q) }\n"
    "    for %q in 0 .. 3 { $D[%i] += $v[2 - %q] }\n"
    "    $H[%i mod 4] = cast(f16, $v[1])\n"
    "    $Z[3] = conj($Z[0]) * cast(c64, %C) - $Z[1] * -$Z[2]\n    $Z[3] += $Z[0]\n"
    "  }\n}\n";

static void
run_scalars(const kernel *k, sb_kernel_fn fn)
{
    sb_operands o = {.param = {{4, 0}, {0.5, 0}, {0, 0}, {16, 0}},
                     .count = {8, 64, 16, 4, 4}};

    sb_operands_fill(k->prog, &o);
    for (int i = 0; i < 8; i++)
        sb_operands_set(k->prog, &o, 0, i, i * 2 - 1);
    sb_operands_compare(k->name, k->prog, &o, fn);
}

/* Lanes that differ in kind, in width and in what they choose. */
static const char lanes[] =
    "prog @lanes stage 3 {\n"
    "  param %n : i64\n  param %t0 : i64\n  param %t1 : i64\n"
    "  buf $x : i32[%n] aux\n  buf $F : f32[%n] in\n  buf $G : f64[%n] in\n"
    "  buf $O : f64[%n * 2] inout\n  buf $P : f32[%n] inout\n  buf $Q : i32[%n] inout\n"
    "  for %i in %t0 .. %t1 parallel {\n"
    "    for %l in 0 .. min(16, %n - %i * 16) vector(16) {\n"
    "      let %at = %i * 16 + %l\n      let %f = $F[%at] * 2.0\n"
    "      let %s = select($x[%at] < 0, -%f, %f + cast(f32, %l))\n"
    "      $O[%at * 2] = cast(f64, %s) + $G[%n - 1 - %at]\n"
    "      $P[%at] max= min(%f, cast(f32, $x[%at] mod 3)) / 2.0\n"
    "      $Q[%at] min= $x[%at] * 3:i32 - cast(i32, %at)\n"
    "    }\n  }\n}\n";

static void
run_lanes(const kernel *k, sb_kernel_fn fn)
{
    for (int n = 1; n < 50; n += 6) {
        sb_operands o = {.param = {{n, 0}, {0, 0}, {(n + 15) / 16, 0}},
                         .count = {n, n, n, 2 * n, n, n}};

        sb_operands_fill(k->prog, &o);
        sb_operands_compare(k->name, k->prog, &o, fn);
    }
}

/* ---- compilers and levels ------------------------------------------------------------------------ */

static void
make_kernels(void)
{
    sb_arena_init(&arena);
    sb_ir_init(&ir, &arena, NULL);
    add_all_spmm();
    add_dot("dot_f32_16", "f32", "i32", 16);
    add_dot("dot_f32_4", "f32", "i32", 4);
    add_dot("dot_f64_8", "f64", "i32", 8);
    add_dot("dot_c32_8", "c32", "i32", 8);
    add_dot("dot_c64_4", "c64", "i32", 4);
    add_dot("dot_f32_16h", "f32", "i16", 16);
    add_dot("dot_f64_8h", "f64", "i16", 8);
    add("blocks", 16, run_blocks, blocks);
    add("scalars", 1, run_scalars, scalars);
    add("lanes", 16, run_lanes, lanes);
}

static void
write_source(const char *path)
{
    FILE *f = fopen(path, "w");

    assert_true(f && fputs(sb_emit_prelude(), f) >= 0);
    for (int q = 0; q < nkernel; q++) {
        char symbol[64];
        sb_strbuf s;

        sb_strbuf_init(&s);
        (void)snprintf(symbol, sizeof symbol, "k_%s", kernels[q].name);
        assert_int_equal(sb_emit_c(&s, kernels[q].prog, symbol, kernels[q].name),
                         SB_OK);
        assert_true(fputs(s.s, f) >= 0);
        sb_strbuf_free(&s);
    }
    assert_int_equal(fclose(f), 0);
}

static sb_kernel_fn
symbol_of(void *lib, const char *name)
{
    char symbol[64];
    sb_kernel_fn fn;
    void *p;

    (void)snprintf(symbol, sizeof symbol, "k_%s", name);
    p = dlsym(lib, symbol);
    assert_non_null(p);
    memcpy(&fn, &p, sizeof fn);
    return fn;
}

/* Compiles all kernels for the level and runs each; skips where there is no compiler. */
static void
run_all(const char *compiler, sb_isa isa)
{
    char source[300], object[300];
    sb_diag diag = {SB_OK, ""};
    sb_status st;
    void *lib;

    if (isa > sb_target_get()->isa)
        skip();
    (void)snprintf(source, sizeof source, "%s/k.c", dir);
    (void)snprintf(object, sizeof object, "%s/%s-%d.so", dir, compiler, (int)isa);
    write_source(source);
    assert_int_equal(setenv("SPBLAS_CC", compiler, 1), 0);
    st = sb_cc_compile(source, object, isa, &diag);
    (void)unsetenv("SPBLAS_CC");
    if (st == SB_ENOKERNEL)
        skip();
    if (st != SB_OK)
        fail_msg("%s", diag.text);
    lib = dlopen(object, RTLD_NOW | RTLD_LOCAL);
    assert_non_null(lib);
    for (int q = 0; q < nkernel; q++)
        kernels[q].run(&kernels[q], symbol_of(lib, kernels[q].name));
    (void)dlclose(lib);
}

static void
test_generic(void **state)
{
    (void)state;
    run_all("gcc", SB_ISA_GENERIC);
}

static void
test_v3(void **state)
{
    (void)state;
    run_all("gcc", SB_ISA_V3);
}

static void
test_v4(void **state)
{
    (void)state;
    run_all("gcc", SB_ISA_V4);
    run_all("gcc", SB_ISA_V4G);
}

static void
test_clang_v3(void **state)
{
    (void)state;
    run_all("clang", SB_ISA_V3);
}

/* As strict as our own code, with the warnings that need data flow. */
static void
test_warnings(void **state)
{
    static const char *const compilers[] = {"gcc", "clang"};
    char source[300], command[700];

    (void)state;
    (void)snprintf(source, sizeof source, "%s/w.c", dir);
    write_source(source);
    for (size_t q = 0; q < 2; q++) {
        (void)snprintf(command, sizeof command, "command -v %s >/dev/null",
                       compilers[q]);
        if (system(command) != 0)
            continue;
        (void)snprintf(command, sizeof command,
                       "%s -std=c11 -O1 -Wall -Wextra -Werror -c %s -o %s/w.o",
                       compilers[q], source, dir);
        assert_int_equal(system(command), 0);
    }
}

/* ---- refusals ------------------------------------------------------------------------------------- */

static void
test_refused(void **state)
{
    static const char stage2[] = "prog @x stage 2 {\n  param %n : i64\n"
                                 "  buf $a : f32[%n] out\n"
                                 "  for %i in 0 .. %n { $a[%i] = 0.0 }\n}\n";
    const sb_prog *p;
    sb_strbuf s;

    (void)state;
    sb_strbuf_init(&s);
    assert_int_equal(sb_prog_parse(&p, &ir, stage2, sizeof stage2 - 1), SB_OK);
    assert_int_equal(sb_emit_c(&s, p, "f", NULL), SB_EINVAL);
    sb_strbuf_free(&s);
}

static void
test_accumulators_are_vectors(void **state)
{
    sb_strbuf s;

    (void)state;
    sb_strbuf_init(&s);
    assert_int_equal(sb_emit_c(&s, kernels[3].prog, "f", "key */ x"), SB_OK);
    assert_non_null(strstr(s.s, "/* key / x */"));
    assert_non_null(strstr(s.s, "SBK_V(f32, SBK_N4_16) acc0[64 / SBK_N4_16];"));
    assert_non_null(strstr(s.s, "const float *restrict B = buf[3];"));
    assert_null(strstr(s.s, "nnz")); /* not used, so not unpacked */
    sb_strbuf_free(&s);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_generic),
        cmocka_unit_test(test_v3),
        cmocka_unit_test(test_v4),
        cmocka_unit_test(test_clang_v3),
        cmocka_unit_test(test_warnings),
        cmocka_unit_test(test_refused),
        cmocka_unit_test(test_accumulators_are_vectors),
    };
    char command[300];
    int failed;

    (void)snprintf(dir, sizeof dir, "%s/emit-test.XXXXXX", SB_BINARY_DIR);
    if (!mkdtemp(dir))
        return 1;
    make_kernels();
    failed = cmocka_run_group_tests(tests, NULL, NULL);
    sb_arena_free(&arena);
    (void)snprintf(command, sizeof command, "/bin/rm -r %s", dir);
    return system(command) != 0 || failed;
}
