/*
 * ctest-labels: quick gpu-emu
 * ctest-cost: 30
 *
 * The SIMT shim: what it lets through, and that it says so when threads part at a
 * collective, a result hangs on their order, a wait is missing or, watched, threads meet in
 * memory. What tensor cores sum.
 */
#include "compiler/compiler.h"
#include "emulab.h"
#include "kernels/spec.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

enum { THREADS = 64, BLOCKS = 3, ALL = THREADS * BLOCKS };

typedef struct args {
    int64_t param;
    int64_t pad;
    void *buf;
    int64_t t0, t1;
} args;

/* Runs the body of a kernel over 3 blocks; its sentence, or NULL without a compiler. `out`
 * is one i32 a thread, `at` its place; lanes: of the groups that are watched, or 0. */
static const char *
run_watched(const char *body, int lanes, int order, int32_t *out)
{
    static char error[256];
    const emu_grid grid = {BLOCKS, 1, 1, order, error, sizeof error};
    const args a = {.buf = out};
    emu_watch watch;
    emu_kernel k;
    sb_strbuf text;

    sb_strbuf_init(&text);
    sb_strbuf_printf(
        &text,
        "#define SBG_SHARED_BYTES 256\n%s\nSBG_KERNEL(k, %d)(SBG_ARGS args)\n{\n"
        "    int32_t *out = (int32_t *)args.buf[0], v = SBG_TID;\n"
        "    const int64_t at = SBG_BX * %d + SBG_TID;\n    %s\n"
        "    __asm__ volatile(\"\" : : \"r\"(v));\n}\n", /* or its load is none */
        sb_emit_gpu_prelude(), THREADS, THREADS, body);
    k = emu_load_watched(text.s, "k", lanes > 0 ? &watch : NULL);
    sb_strbuf_free(&text);
    if (!k)
        return NULL;
    memset(out, 0, ALL * sizeof *out);
    if (lanes > 0)
        watch(lanes);
    k(&a, &grid);
    return error;
}

static const char *
run(const char *body, int order, int32_t *out)
{
    return run_watched(body, 0, order, out);
}

/* What run's sentence has to be: none. */
static void
ran(const char *why)
{
    if (!why)
        skip();
    assert_string_equal(why, "");
}

static const char apart[] = "not all threads of a collective came to it";

static void
stopped(const char *why, const char *reason, const char *place)
{
    if (!why)
        skip();
    assert_non_null(strstr(why, reason));
    assert_non_null(strstr(why, place));
}

static void
exchanges(void **state)
{
    int32_t out[ALL];

    (void)state;
    for (int o = 0; o < EMU_ORDERS; o++) {
        const char *why = run("v = SBG_DOWN(i32, v, 1, 8);\n"
                              "    v += SBG_SHFL(i32, v, 2, 4) * 100;\n"
                              "    out[at] = v;",
                              emu_orders[o], out);

        ran(why);
        for (int q = 0; q < ALL; q++) {
            const int t = q % THREADS, s = t / 4 * 4 + 2;

            assert_int_equal(out[q], t + (t % 8 < 7) + (s + (s % 8 < 7)) * 100);
        }
    }
}

/* Groups go their own ways; only those of one group must agree. */
static void
groups_differ(void **state)
{
    int32_t out[ALL];
    const char *why = run("for (int q = 0; q < SBG_TID / 8; q++)\n"
                          "        v = SBG_SHFL(i32, v, q, 8) + 1;\n    out[at] = v;",
                          77, out);

    (void)state;
    ran(why);
    assert_int_equal(out[7], 7);
    assert_int_equal(out[8], 9);
    assert_int_equal(out[THREADS + 17], 18);
}

static void
missing_lane(void **state)
{
    int32_t out[ALL];
    const char *why = run("if (SBG_TID != 11)\n        v = SBG_SHFL(i32, v, 0, 8);\n"
                          "    out[at] = v;",
                          0, out);

    (void)state;
    stopped(why, apart, "thread 8 of block 0, 0");
}

static void
two_places(void **state)
{
    int32_t out[ALL];
    const char *why = run("if (SBG_TID % 2)\n        v = SBG_SHFL(i32, v, 0, 8);\n"
                          "    else\n        v = SBG_SHFL(i32, v, 0, 8);\n"
                          "    out[at] = v;",
                          1, out);

    (void)state;
    stopped(why, apart, "of block 2, 0"); /* blocks backward, too */
}

/* Who comes last wins: forward and backward must not agree. */
static void
order_shows(void **state)
{
    int32_t forward[ALL], backward[ALL];

    (void)state;
    if (!run("out[0] = (int32_t)at + v;", 0, forward))
        skip();
    assert_string_equal(run("out[0] = (int32_t)at + v;", 1, backward), "");
    assert_int_equal(forward[0], ALL - 1 + THREADS - 1);
    assert_int_equal(backward[0], 0);
}

/* Lane 7 of every eight reads what lane 0 has stored, with and without a wait. */
static const char *
hand_over(const char *wait, int order, int32_t *out)
{
    char body[512];

    (void)snprintf(body, sizeof body,
                   "SBG_SHARED(int32_t, s, %d, 0);\n    s[SBG_TID] = v;\n    %s\n"
                   "    out[at] = s[SBG_TID ^ 7];",
                   THREADS, wait);
    return run(body, order, out);
}

static void
shared_memory(void **state)
{
    int32_t out[ALL];

    (void)state;
    for (int o = 0; o < EMU_ORDERS; o++) {
        const char *why = hand_over("SBG_SYNC(8);", emu_orders[o], out);

        ran(why);
        for (int q = 0; q < ALL; q++)
            assert_int_equal(out[q], (q % THREADS) ^ 7);
    }
}

/* Who comes first finds poison, in every block anew. */
static void
missing_wait(void **state)
{
    int32_t out[ALL];

    (void)state;
    if (!hand_over("", 0, out))
        skip();
    assert_int_equal(out[0], -1);
    assert_int_equal(out[THREADS], -1);
    assert_int_equal(out[7], 0);
}

static void
wait_apart(void **state)
{
    int32_t out[ALL];
    const char *why = hand_over("if (SBG_TID != 11)\n        SBG_SYNC(8);", 0, out);

    (void)state;
    stopped(why, apart, "thread 8 of block 0, 0");
}

static void
not_aligned(void **state)
{
    int32_t out[ALL];
    const char *why = run("int32_t w[4];\n    if (SBG_TID == 5)\n"
                          "        sbg_ld16(w, out + 1 + ((uint64_t)out & 4) / 4);\n"
                          "    out[at] = v;",
                          0, out);

    (void)state;
    stopped(why, "an address that is not aligned", "thread 5 of block 0, 0");
}

/* What groups of eight lanes do to memory, and what is said of it; nothing where it comes
 * out right whatever the order of threads. */
static void
threads_meet(void **state)
{
    static const char race[] = "a thread uses what another stores";
    static const struct {
        const char *body, *says;
    } cases[] = {
        {"out[at] = v;", ""},
        {"out[at / 8 * 8] += at % 8 == 0;", race}, /* lanes of a group */
        {"if (at % 8 == 0) out[at] = 5; SBG_SYNC(8); v = out[at / 8 * 8];", ""},
        {"if (at % 8 == 0) out[at] = 5; v = SBG_SHFL(i32, v, 0, 8) + out[at / 8 * 8];",
         race},
        {"v = out[at / 8 * 8]; SBG_SYNC(8); if (at % 8 == 0) out[at] = v;", ""},
        {"v = out[at / 8 * 8]; if (at % 8 == 7) out[at - 7] = v;", race},
        {"((char *)out)[at] = 1;", ""},
        {"v = out[0]; if (at == 0) out[0] = 5;", race}, /* what others have loaded */
        {"if (at == 0) out[0] = 5; v = out[0];", race}, /* what another has stored */
        {"out[0] = 5;", race},
        {"out[SBG_TID] = 5;", race}, /* blocks, not groups of one */
        {"if (SBG_BX == 0) out[SBG_TID ^ 8] = out[SBG_TID];", race},
        {"out[at] = v; SBG_SYNC(8); v = out[at ^ 8];", race}, /* another group's wait */
        {"out[at] = v; sbg_meet(__LINE__, 0, 64); v = out[at ^ 8];", ""},
        {"v = out[at / 64 * 64]; sbg_meet(__LINE__, 0, 64); if (v == 0) out[at] = v;",
         ""},
        {"v = out[at / 64 * 64]; if (SBG_TID == 63) out[at - 63] = v;", race},
        {"int32_t w[4] = {0}; sbg_st16(out + 4 - ((uint64_t)out & 15) / 4, w);", race},
        {"((char *)out)[at / 16] = 1;", race},
        {"SBG_SHARED(int32_t, s, 64, 0); s[SBG_TID] = v; SBG_SYNC(8); v = s[SBG_TID ^ "
         "7];",
         ""},
        {"SBG_SHARED(int32_t, s, 64, 0); s[SBG_TID] = v; SBG_SYNC(8); v = s[SBG_TID ^ "
         "8];",
         race},
        {"__atomic_compare_exchange_n(out, &v, 1, 0, 0, 0);", ""},
        {"__atomic_compare_exchange_n(out, &v, 1, 0, 0, 0); v = out[0];", race},
    };
    int32_t out[ALL];

    (void)state;
    for (size_t q = 0; q < sizeof cases / sizeof cases[0]; q++) {
        const char *why = run_watched(cases[q].body, 8, 0, out);

        if (!why)
            skip();
        if (!strstr(why, cases[q].says) || (why[0] && !cases[q].says[0]))
            fail_msg("%s: %s", cases[q].body, why);
    }
}

/* Products of a 16 x k and a k x 8 matrix of small integers, by what each lane has. */
static void
products(const char *type, const char *of, int k, const char *call, int order)
{
    int32_t out[ALL];
    const char *why;
    char body[2048];
    const int r = k / 4;

    (void)snprintf(
        body, sizeof body,
        "const int l = SBG_TID %% 32, g = l / 4, t = l %% 4;\n"
        "    %s a[%d], b[%d];\n    float d[4] = {1, 2, 3, 4};\n    int bad = 0;\n"
        "    for (int r = 0; r < %d; r++) {\n"
        "        const int q = t * %d + r;\n"
        "        for (int h = 0; h < 2; h++)\n"
        "            a[r * 2 + h] = %s((g + 8 * h) * 3 %% 7 + q);\n"
        "        b[r] = %s(q * 5 %% 11 - g);\n    }\n    %s\n"
        "    for (int c = 0; c < 4; c++) {\n"
        "        const int i = g + c / 2 * 8, j = t * 2 + c %% 2;\n"
        "        float sum = c + 1;\n"
        "        for (int q = 0; q < %d; q++)\n"
        "            sum += (float)((i * 3 %% 7 + q) * (q * 5 %% 11 - j));\n"
        "        bad += d[c] != sum;\n    }\n    out[at] = bad;",
        type, 2 * r, r, r, r, of, of, call, k);
    why = run(body, order, out);
    ran(why);
    for (int q = 0; q < ALL; q++)
        assert_int_equal(out[q], 0);
}

static void
tensor_cores(void **state)
{
    (void)state;
    products("sbk_f16", "sbk_cvt_f64_f16", 16, "SBG_MMA(f16, 16, d, a, 2, b);", 77);
    products("sbk_bf16", "sbk_cvt_f64_bf16", 8, "SBG_MMA(bf16, 8, d, a, 2, b);", 1);
    products("float", "(float)", 8, "SBG_MMA(f32x1, 8, d, a, 2, b);", 0);
    products("sbk_bf16", "sbk_cvt_f64_bf16", 16, "sbg_plain_bf16(d, a, 2, b, 4);", 77);
    products("float", "(float)", 8, "sbg_plain_tf32(d, a, 2, b, 2);", 77);
    products("float", "(float)", 8, "SBG_MMA(f32x3, 8, d, a, 2, b);", 1);
}

/* One lane's warp goes without it. */
static void
parted_warp(void **state)
{
    int32_t out[ALL];
    const char *why = run("float d[4] = {0}, a[4] = {0}, b[2] = {0};\n"
                          "    if (SBG_TID != 40)\n"
                          "        SBG_MMA(f32x1, 8, d, a, 2, b);\n"
                          "    out[at] = (int)d[0];",
                          0, out);

    (void)state;
    stopped(why, apart, "thread 32 of block 0, 0");
}

/* 1 + 2^-11 + 2^-20 loses the end of its fraction, but not as a sum of two. */
static void
tf32_rounds(void **state)
{
    int32_t out[ALL];
    const char *why = run(
        "const float v1 = 1 + 0x1p-11f + 0x1p-20f, a[4] = {v1, 0, 0, 0};\n"
        "    const float b[2] = {SBG_TID % 4 == 0, 0};\n"
        "    float one[4] = {0}, three[4] = {0};\n"
        "    SBG_MMA(f32x1, 8, one, a, 2, b);\n    SBG_MMA(f32x3, 8, three, a, 2, b);\n"
        "    out[at] = (one[0] == 1 + 0x1p-10f) + 2 * (three[0] == v1);",
        0, out);

    (void)state;
    ran(why);
    for (int q = 0; q < ALL; q++)
        assert_int_equal(out[q], 3);
}

/* A product whose sums lie at `place`, cleared by lanes at `own`. */
static sb_status
emit_sums(const char *place, const char *own)
{
    const sb_prog *p = NULL;
    sb_strbuf text, out;
    sb_arena arena;
    sb_ir ir;
    sb_status st;

    sb_arena_init(&arena);
    sb_ir_init(&ir, &arena, NULL);
    sb_strbuf_init(&text);
    sb_strbuf_init(&out);
    sb_strbuf_printf(&text,
                     "prog @p stage 3 {\n  buf $A : f16[256] in\n"
                     "  buf $B : f16[128] in\n"
                     "  for %%w in 0 .. 1 parallel note(lanes, 32) {\n"
                     "    local $acc : f32[128]\n"
                     "    for %%x in 0 .. 32 bind(lane) {\n"
                     "      for %%s in 0 .. 4 unroll { $acc[%s] = 0.0 }\n    }\n"
                     "    tensor tc_16x8x16 {\n      for %%i in 0 .. 16 {\n"
                     "        for %%j in 0 .. 8 {\n          for %%u in 0 .. 16 {\n"
                     "            $acc[%s] += cast(f32, $A[%%i * 16 + %%u]) * "
                     "cast(f32, $B[%%u * 8 + %%j])\n          }\n        }\n      }\n"
                     "    }\n  }\n}\n",
                     own, place);
    assert_int_equal(sb_prog_parse(&p, &ir, text.s, text.len), SB_OK);
    assert_int_equal(sb_prog_verify(p, NULL), SB_OK);
    st = sb_emit_cuda(&out, p, "k", NULL, NULL);
    sb_strbuf_free(&out);
    sb_strbuf_free(&text);
    sb_arena_free(&arena);
    return st;
}

/* What is not proved is refused. */
static void
places(void **state)
{
    static const char right[] =
        "(%i mod 2 * 2 + %j mod 2) * 32 + (%i / 2 * 4 + %j / 2)";

    (void)state;
    assert_int_equal(emit_sums(right, "%s * 32 + %x"), SB_OK);
    assert_int_not_equal(emit_sums(right, "%s + %x * 4"), SB_OK);
    assert_int_not_equal(emit_sums("%i * 8 + %j", "%s * 32 + %x"), SB_OK);
}

/* Two stages under way: what is copied for the next one is not waited for before this one
 * is used, and there is one wait a stage. */
static void
stages_overlap(void **state)
{
    static const char spec[] =
        "spmm share f32f32f32/f32 i32i32 rr b8 packed t32 p0 g32 s8";
    const char *copy, *use, *wait;
    sb_strbuf text, signature;
    sb_diag diag = {SB_OK, ""};
    sb_gpu_shape shape;
    sb_hash key;

    (void)state;
    sb_strbuf_init(&text);
    sb_strbuf_init(&signature);
    assert_int_equal(sb_spec_emit_gpu(&text, &signature, &key, &shape, spec, &diag),
                     SB_OK);
    copy = strstr(text.s, "&columns_next[");
    assert_non_null(copy);
    use = strstr(copy, "= columns[");
    wait = strstr(copy, "SBG_COPIED();");
    assert_non_null(use);
    assert_non_null(wait);
    assert_true(use < wait);
    copy = strstr(wait, "&columns[");
    use = strstr(wait, "= columns_next[");
    wait = strstr(wait + 1, "SBG_COPIED();");
    assert_true(copy && use && wait && copy < use && use < wait);
    sb_strbuf_free(&signature);
    sb_strbuf_free(&text);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(exchanges),     cmocka_unit_test(groups_differ),
        cmocka_unit_test(missing_lane),  cmocka_unit_test(two_places),
        cmocka_unit_test(order_shows),   cmocka_unit_test(shared_memory),
        cmocka_unit_test(missing_wait),  cmocka_unit_test(wait_apart),
        cmocka_unit_test(not_aligned),   cmocka_unit_test(threads_meet),
        cmocka_unit_test(tensor_cores),  cmocka_unit_test(parted_warp),
        cmocka_unit_test(tf32_rounds),   cmocka_unit_test(places),
        cmocka_unit_test(stages_overlap)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
