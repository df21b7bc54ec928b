/*
 * compiler/interp: programs of every stage and format against a dense loop, absent
 * elements, padding, empty reductions, and every error it must catch. Values and places
 * have tests of their own.
 */
#include "base/alloc.h"
#include "gen.h"
#include "irprog.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

/* An m x k matrix in every format the samples use, B (k x n), C (m x n) and what C must
 * become. Integers, so that sums are exact. */
enum { M = 6, K = 8, N = 3, CELLS = M * K, DIAS = M + K - 1 };

typedef struct fixture {
    float a[M][K], b[K][N], c[M][N];
    float alpha, beta;
    int base, nnz, width, blocks;
    int32_t ptr[M + 1], crd[CELLS], lo[M], hi[M], row[M];
    float val[CELLS];
    int32_t ell_len[M], ell_crd[CELLS];
    int64_t ell_pos[CELLS];
    int32_t bsr_ptr[M / 2 + 1], bsr_crd[CELLS];
    float bsr_val[CELLS];
    int64_t dia_off[DIAS];
    int32_t dia_pos[DIAS * M];
    float want[M][N];
} fixture;

static float
small(gen_rng *r)
{
    return (float)gen_between(r, -3, 3);
}

static void
fill_rows(fixture *f)
{
    f->nnz = f->width = 0;
    for (int i = 0; i < M; i++) {
        f->ptr[i] = f->nnz + f->base;
        for (int j = 0; j < K; j++) {
            if (f->a[i][j] == 0.0F)
                continue;
            f->crd[f->nnz] = j + f->base;
            f->val[f->nnz++] = f->a[i][j];
        }
        f->row[M - 1 - i] = i; /* any order */
        f->lo[M - 1 - i] = f->ptr[i] - f->base;
        f->hi[M - 1 - i] = f->nnz;
        if (f->nnz + f->base - f->ptr[i] > f->width)
            f->width = f->nnz + f->base - f->ptr[i];
    }
    f->ptr[M] = f->nnz + f->base;
}

static void
fill_ell(fixture *f)
{
    for (int i = 0; i < M; i++)
        for (int s = 0; s < f->width; s++) {
            const int p = f->ptr[i] - f->base + s, at = i * f->width + s;
            const bool used = p < f->ptr[i + 1] - f->base;

            f->ell_crd[at] = used ? f->crd[p] - f->base : -1;
            f->ell_pos[at] = used ? p : -1;
            f->ell_len[i] = f->ptr[i + 1] - f->ptr[i];
        }
}

static void
fill_blocks(fixture *f)
{
    f->blocks = 0;
    for (int i = 0; i < M / 2; i++) {
        f->bsr_ptr[i] = f->blocks;
        for (int j = 0; j < K / 2; j++) {
            float *v = f->bsr_val + 4 * (ptrdiff_t)f->blocks;

            for (int q = 0; q < 4; q++)
                v[q] = f->a[2 * i + q / 2][2 * j + q % 2];
            if (v[0] != 0 || v[1] != 0 || v[2] != 0 || v[3] != 0)
                f->bsr_crd[f->blocks++] = j;
        }
    }
    f->bsr_ptr[M / 2] = f->blocks;
}

static void
fill_diagonals(fixture *f)
{
    for (int d = 0; d < DIAS; d++) {
        f->dia_off[d] = d - (M - 1);
        for (int i = 0; i < M; i++)
            f->dia_pos[d * M + i] = -1;
    }
    for (int i = 0; i < M; i++)
        for (int p = f->ptr[i] - f->base; p < f->ptr[i + 1] - f->base; p++)
            f->dia_pos[(f->crd[p] - f->base - i + M - 1) * M + i] = p;
}

static void
make_fixture(fixture *f, uint64_t seed)
{
    gen_rng r = {seed};

    memset(f, 0, sizeof *f);
    f->base = (int)(seed % 2);
    f->alpha = 2.0F;
    f->beta = (float)(seed % 3);
    for (int i = 0; i < M; i++)
        for (int j = 0; j < K; j++) /* a row without entries among them */
            f->a[i][j] = i == 2 || gen_below(&r, 3) ? 0.0F : small(&r);
    for (int j = 0; j < K; j++)
        for (int c = 0; c < N; c++)
            f->b[j][c] = small(&r);
    for (int i = 0; i < M; i++)
        for (int c = 0; c < N; c++) {
            f->c[i][c] = f->beta == 0.0F ? NAN : small(&r); /* beta 0 must not read */
            f->want[i][c] = f->beta == 0.0F ? 0.0F : f->beta * f->c[i][c];
            for (int j = 0; j < K; j++)
                f->want[i][c] += f->alpha * f->a[i][j] * f->b[j][c];
        }
    fill_rows(f);
    fill_ell(f);
    fill_blocks(f);
    fill_diagonals(f);
}

/* Runs a sample on the fixture, C replaced by `out`. */
static void
run_sample(const char *name, fixture *f, float *out, float *x, float *y)
{
    const bool blocks = strcmp(name, "spmm_bsr") == 0;
    const ir_bind bind[] = {
        IR_PARAM("m", M),
        IR_PARAM("n", N),
        IR_PARAM("k", K),
        IR_PARAM("nnz", f->nnz),
        IR_PARAM("alpha", f->alpha),
        IR_PARAM("beta", f->beta),
        IR_PARAM("base", f->base),
        IR_PARAM("width", f->width),
        IR_PARAM("rows", M),
        IR_PARAM("blocks", f->blocks),
        IR_PARAM("dia", DIAS),
        IR_ARRAY("A_ptr", f->ptr, M + 1),
        IR_ARRAY("A_crd", f->crd, f->nnz),
        IR_ARRAY("E_len", f->ell_len, M),
        IR_ARRAY("E_crd", f->ell_crd, M * f->width),
        IR_ARRAY("E_pos", f->ell_pos, M * f->width),
        IR_ARRAY("P_ptr", f->bsr_ptr, M / 2 + 1),
        IR_ARRAY("P_crd", f->bsr_crd, f->blocks),
        IR_ARRAY("row", f->row, M),
        IR_ARRAY("lo", f->lo, M),
        IR_ARRAY("hi", f->hi, M),
        IR_ARRAY("off", f->dia_off, DIAS),
        IR_ARRAY("pos", f->dia_pos, DIAS * M),
        IR_ARRAY("A", blocks ? f->bsr_val : f->val, blocks ? 4 * f->blocks : f->nnz),
        IR_ARRAY("B", f->b, K * N),
        IR_ARRAY("C", out, M * N),
        IR_ARRAY("D", out, M * K),
        IR_ARRAY("x", x, K),
        IR_ARRAY("X", x, M * N),
        IR_ARRAY("y", y, M),
        IR_ARRAY("Y", y, N * K),
        {NULL, 0.0, NULL, 0},
    };
    ir_lab lab;

    ir_lab_init(&lab);
    if (ir_run(&lab, ir_lab_parse(&lab, ir_sample_text(name), true), bind) != SB_OK)
        fail_msg("%s: %s", name, lab.diag.text);
    ir_lab_free(&lab);
}

static void
check_equal(const char *name, uint64_t seed, const float *got, const float *want, int n)
{
    for (int q = 0; q < n; q++) {
        if (got[q] != want[q])
            fail_msg("%s, seed %d: element %d is %g, not %g", name, (int)seed, q,
                     (double)got[q], (double)want[q]);
    }
}

static void
spmm_equals_the_dense_loop(void **state)
{
    static const char *const names[] = {"spmm_csr", "spmm_ell",  "spmm_rows",
                                        "spmm_bsr", "spmm_csr2", "spmm_csr3"};

    (void)state;
    for (uint64_t seed = 1; seed <= 20; seed++) {
        for (size_t q = 0; q < sizeof names / sizeof *names; q++) {
            fixture f;

            make_fixture(&f, seed);
            run_sample(names[q], &f, &f.c[0][0], NULL, NULL);
            check_equal(names[q], seed, &f.c[0][0], &f.want[0][0], M * N);
        }
    }
}

static void
spmv_equals_the_dense_loop(void **state)
{
    static const char *const names[] = {"spmv_csr", "spmv_dia", "spmv_ell_len"};

    (void)state;
    for (uint64_t seed = 1; seed <= 20; seed++) {
        for (size_t q = 0; q < sizeof names / sizeof *names; q++) {
            float x[K], y[M], want[M];
            fixture f;

            make_fixture(&f, seed);
            for (int j = 0; j < K; j++)
                x[j] = f.b[j][0];
            for (int i = 0; i < M; i++) {
                y[i] = f.c[i][0];
                want[i] = f.want[i][0];
            }
            run_sample(names[q], &f, NULL, x, y);
            check_equal(names[q], seed, y, want, M);
        }
    }
}

static void
sddmm_equals_the_dense_loop(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 20; seed++) {
        float x[M * N], y[N * K], want[CELLS];
        gen_rng r = {seed + 99};
        fixture f;

        make_fixture(&f, seed);
        for (int q = 0; q < M * N; q++)
            x[q] = small(&r);
        for (int q = 0; q < N * K; q++)
            y[q] = small(&r);
        for (int i = 0; i < M; i++)
            for (int p = f.ptr[i] - f.base; p < f.ptr[i + 1] - f.base; p++) {
                want[p] = f.beta * f.val[p];
                for (int c = 0; c < N; c++)
                    want[p] += f.alpha * x[i * N + c] * y[c * K + f.crd[p] - f.base];
            }
        run_sample("sddmm_csr", &f, NULL, x, y);
        check_equal("sddmm_csr", seed, f.val, want, f.nnz);
    }
}

static void
what_is_not_stored_reads_as_zero(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 5; seed++) {
        float d[CELLS];
        fixture f;

        make_fixture(&f, seed);
        for (int q = 0; q < CELLS; q++)
            d[q] = 0.0F;
        run_sample("add_csr", &f, d, NULL, NULL);
        check_equal("add_csr", seed, d, &f.a[0][0], CELLS);
    }
}

/* Slots that share a coordinate count one by one, also where the index is the iterator. */
static void
duplicates_are_summed(void **state)
{
    int32_t ptr[] = {0, 3}, crd[] = {1, 1, 0};
    float a[] = {1, 10, 100}, x[] = {2, 3}, y[] = {NAN};
    const ir_bind bind[] = {
        IR_PARAM("m", 1),     IR_PARAM("n", 1),          IR_PARAM("k", 2),
        IR_PARAM("nnz", 3),   IR_PARAM("alpha", 1),      IR_PARAM("beta", 0),
        IR_PARAM("base", 0),  IR_ARRAY("A_ptr", ptr, 2), IR_ARRAY("A_crd", crd, 3),
        IR_ARRAY("A", a, 3),  IR_ARRAY("x", x, 2),       IR_ARRAY("y", y, 1),
        {NULL, 0.0, NULL, 0},
    };
    ir_lab lab;

    (void)state;
    ir_lab_init(&lab);
    assert_int_equal(
        ir_run(&lab, ir_lab_parse(&lab, ir_sample_text("spmv_csr"), true), bind),
        SB_OK);
    assert_true(y[0] == 1 * 3 + 10 * 3 + 100 * 2);
    ir_lab_free(&lab);
}

/* ---- everything ----------------------------------------------------------------------- */

static void
one_of_everything_runs(void **state)
{
    uint16_t h[4];
    int32_t list[4] = {2, 4, 6, 8};
    double d[4] = {9, 9, 9, 9}, w[8] = {1, 2, 3, 4, 5, 6, 7, 8};
    int64_t s[4];
    const ir_bind bind[] = {IR_PARAM("n", 4),    IR_PARAM("q", 6),
                            IR_PARAM("on", 1),   IR_PARAM("z", 2),
                            IR_ARRAY("h", h, 4), IR_ARRAY("list", list, 4),
                            IR_ARRAY("d", d, 4), IR_ARRAY("w", w, 4),
                            IR_ARRAY("s", s, 4), {NULL, 0.0, NULL, 0}};
    ir_lab lab;

    (void)state;
    for (int q = 0; q < 4; q++)
        h[q] = sb_f16_from_f32(0.5F * (float)q);
    ir_lab_init(&lab);
    assert_int_equal(
        ir_run(&lab, ir_lab_parse(&lab, ir_sample_text("zoo"), true), bind), SB_OK);
    assert_true(d[0] == 0.0); /* max(-0 / -3, 0) */
    assert_true(d[1] == 0.5); /* the else side: min(9, 0.5) */
    assert_true(d[2] == 1.0 && d[3] == 1.5);
    assert_true(w[0] == 0.5 && w[1] == 6.0); /* w + 2 w - 2.5, real part only */
    assert_true(s[0] == 2 + 7 * -2 && s[3] == 2 + 4 * -2);
    ir_lab_free(&lab);
}

/* ---- errors -------------------------------------------------------------------------- */

static const struct {
    const char *body, *message;
} wrong[] = {
    {"for %i in 0 .. %n + 1 { $y[%i] = 0.0 }", "$y: index 4, extent 4"},
    {"$y[-1] = 0.0", "$y: index -1, extent 4"},
    {"$y[0] = $x[4]", "$x: index 4, extent 4"},
    {"$g[1, 2] = 1.0", "$g: index 2 of dimension 2, extent 2"},
    {"$y[0] = $short[2]", "$short: index 2, extent 2"},
    {"local $t : f32[3] $t[3] = 1.0", "$t: index 3, extent 3"},
    {"let %f = find($list, 0, 5, 77)", "$list: index 4, extent 4"},
    {"let %z = 9223372036854775807 + %n", "9223372036854775807 + 4 overflows"},
    {"let %z = -9223372036854775807 - %n", "overflows"},
    {"let %z = 4611686018427387904 * %n", "overflows"},
    {"let %z = cast(i32, %n) * 1073741824:i32", "4294967296 does not fit i32"},
    {"let %z = cast(i32, %n + 2147483647)", "2147483651 does not fit i32"},
    {"let %z = 3 / (%n - 4)", "3 is divided by 0"},
    {"let %z = 3 mod -%n", "3 is divided by -4"},
    {"let %z = cast(i64, nan)", "nan does not fit i64"},
    {"for %i in 0 .. %n vector(3) { $y[%i] = 0.0 }", "runs from 0 to 4 in 3 lanes"},
};

static void
errors_name_the_culprit(void **state)
{
    float x[4] = {0}, y[4], g[4];
    int32_t list[4] = {0};
    const ir_bind bind[] = {IR_PARAM("n", 4),        IR_ARRAY("x", x, 4),
                            IR_ARRAY("y", y, 4),     IR_ARRAY("g", g, 4),
                            IR_ARRAY("short", x, 2), IR_ARRAY("list", list, 4),
                            {NULL, 0.0, NULL, 0}};

    (void)state;
    for (size_t q = 0; q < sizeof wrong / sizeof *wrong; q++) {
        char text[600];
        ir_lab lab;

        (void)snprintf(
            text, sizeof text,
            "prog @f stage 2 { param %%n : i64 buf $x : f32[%%n] in buf $y : "
            "f32[%%n] out buf $g : f32[2, 2] out buf $short : f32[%%n] in buf "
            "$list : i32[%%n] aux %s }",
            wrong[q].body);
        ir_lab_init(&lab);
        assert_int_equal(ir_run(&lab, ir_lab_parse(&lab, text, true), bind), SB_EINVAL);
        if (!strstr(lab.diag.text, wrong[q].message))
            fail_msg("%s\ngives: %s\nnot: %s", wrong[q].body, lab.diag.text,
                     wrong[q].message);
        ir_lab_free(&lab);
    }
}

/* The same mistake over axes, by coordinates and by positions. */
static void
positions_are_checked_too(void **state)
{
    int32_t ptr[] = {0, 1, 2}, crd[] = {0, 5};
    float a[] = {1, 1}, x[] = {1, 1}, y[] = {0, 0};
    ir_bind bind[] = {
        IR_PARAM("m", 2),     IR_PARAM("n", 1),          IR_PARAM("k", 2),
        IR_PARAM("nnz", 2),   IR_PARAM("alpha", 1),      IR_PARAM("beta", 0),
        IR_PARAM("base", 0),  IR_ARRAY("A_ptr", ptr, 3), IR_ARRAY("A_crd", crd, 2),
        IR_ARRAY("A", a, 2),  IR_ARRAY("x", x, 2),       IR_ARRAY("y", y, 2),
        {NULL, 0.0, NULL, 0},
    };
    ir_lab lab;
    const sb_prog *p;

    (void)state;
    ir_lab_init(&lab);
    p = ir_lab_parse(&lab, ir_sample_text("spmv_csr"), true);
    assert_int_equal(ir_run(&lab, p, bind), SB_EINVAL);
    assert_string_equal(lab.diag.text, "@spmv_csr: axis #J: coordinate 5, length 2");
    crd[1] = 1;
    ptr[2] = 3;
    assert_int_equal(ir_run(&lab, p, bind), SB_EINVAL);
    assert_string_equal(lab.diag.text, "@spmv_csr: $A_crd: index 2, extent 2");
    ptr[2] = 2;
    bind[9].count = 1;
    assert_int_equal(ir_run(&lab, p, bind), SB_EINVAL);
    assert_string_equal(lab.diag.text, "@spmv_csr: $A: index 1, extent 1");
    bind[9].count = 2;
    assert_int_equal(ir_run(&lab, p, bind), SB_OK);
    assert_true(y[0] == 1 && y[1] == 1);
    p = ir_lab_parse(&lab,
                     "prog @g stage 2 { param %m:i64 param %k:i64 param %nnz:i64 buf "
                     "$A_ptr:i32[%m+1] aux buf $A_crd:i32[%nnz] aux axis #I = "
                     "dense_fixed(%m) axis #J = sparse_variable(#I, %k, nnz %nnz, ptr "
                     "$A_ptr, crd $A_crd) buf $A : f32[#I,#J] inout $A[0, 1] = 2.0 }",
                     true);
    assert_int_equal(ir_run(&lab, p, bind), SB_EINVAL);
    assert_string_equal(lab.diag.text, "@g: $A: index 1 of dimension 2, extent 1");
    ir_lab_free(&lab);
}

static void
assumptions_are_checked(void **state)
{
    const ir_bind bind[] = {IR_PARAM("n", 3), {NULL, 0.0, NULL, 0}};
    ir_lab lab;

    (void)state;
    ir_lab_init(&lab);
    assert_int_equal(
        ir_run(&lab,
               ir_lab_parse(&lab,
                            "prog @f stage 3 { param %n : i64 assume %n > 2 "
                            "assume %n mod 2 == 0 }",
                            true),
               bind),
        SB_EINVAL);
    assert_string_equal(lab.diag.text, "@f: assume %n mod 2 == 0 does not hold");
    ir_lab_free(&lab);
}

static void
a_program_that_does_not_verify_does_not_run(void **state)
{
    float x[1] = {0};
    const ir_bind bind[] = {IR_ARRAY("x", x, 1), {NULL, 0.0, NULL, 0}};
    ir_lab lab;

    (void)state;
    ir_lab_init(&lab);
    assert_int_equal(
        ir_run(&lab,
               ir_lab_parse(&lab, "prog @f stage 3 { buf $x:f32[1] in $x[0] = 1.0 }",
                            false),
               bind),
        SB_EVERIFY);
    assert_true(x[0] == 0.0F);
    ir_lab_free(&lab);
}

static void
memory_that_runs_out_is_reported(void **state)
{
    float x[4] = {0};
    sb_arg buf = {x, 4};
    const sb_interp_args args = {NULL, &buf};
    sb_status st = SB_ENOMEM;
    const sb_prog *p;
    ir_lab lab;

    (void)state;
    ir_lab_init(&lab);
    p = ir_lab_parse(
        &lab,
        "prog @f stage 3 { buf $x : f32[4] out for %i in 0 .. 4 { local $t : "
        "f64[40000] $t[%i] = 2.0 $x[%i] = cast(f32, $t[%i]) } }",
        true);
    for (int64_t n = 0; st != SB_OK; n++) {
        const int64_t live = sb_alloc_live();

        (void)sb_alloc_fail_after(n);
        st = sb_interp(p, &args, NULL);
        (void)sb_alloc_fail_after(-1);
        assert_true(st == SB_OK || st == SB_ENOMEM);
        assert_int_equal(sb_alloc_live(), live);
    }
    assert_true(x[3] == 2.0F);
    ir_lab_free(&lab);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(spmm_equals_the_dense_loop),
        cmocka_unit_test(spmv_equals_the_dense_loop),
        cmocka_unit_test(sddmm_equals_the_dense_loop),
        cmocka_unit_test(what_is_not_stored_reads_as_zero),
        cmocka_unit_test(duplicates_are_summed),
        cmocka_unit_test(one_of_everything_runs),
        cmocka_unit_test(errors_name_the_culprit),
        cmocka_unit_test(positions_are_checked_too),
        cmocka_unit_test(assumptions_are_checked),
        cmocka_unit_test(a_program_that_does_not_verify_does_not_run),
        cmocka_unit_test(memory_that_runs_out_is_reported),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
