/*
 * Plans over tensors: element types, conjugation and batches against the oracle, beta
 * applied once however many parts and banks there are, padding that is marked, and what
 * is refused. Which formats compute is tests/prop/formats_compute_test.c's business.
 */
#include "planner/format_plan.h"

#include "base/alloc.h"
#include "base/macro.h"
#include "cachebox.h"
#include "compiler/compiler.h"
#include "cpu/cpu.h"
#include "gen.h"
#include "kernels/format_program.h"
#include "oracle.h"
#include "runtime/backend.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- helpers ---------------------------------------------------------------------------- */

typedef struct types {
    sb_dtype a, b, c, compute;
} types;

typedef struct fixture {
    sb_arena arena;
    sb_diag diag;
    const sb_fmt *f;
    sb_tensor t;
    sb_problem pb;
} fixture;

static void
open_fixture(fixture *fx, const char *format, const gen_spec *spec)
{
    sb_view v;

    sb_backend_set(&sb_cpu_backend);
    *fx = (fixture){.diag = {SB_OK, ""}};
    sb_arena_init(&fx->arena);
    if (sb_fmt_parse(&fx->f, &fx->arena, format, &fx->diag) != SB_OK)
        fail_msg("%s", fx->diag.text);
    fx->pb.a = gen_matrix(spec);
    fx->pb.batch = 1;
    assert_int_equal(sb_view_make(&v, &fx->pb.a, false, NULL), SB_OK);
    if (sb_tensor_from_view(&fx->t, fx->f, &v, fx->pb.a.val, fx->pb.a.val_type, false,
                            NULL, &fx->diag) != SB_OK)
        fail_msg("%s: %s", format, fx->diag.text);
    sb_view_free(&v);
}

static void
close_fixture(fixture *fx)
{
    sb_tensor_free(&fx->t);
    gen_free_matrix(&fx->pb.a);
    gen_free_dense(&fx->pb.b);
    gen_free_dense(&fx->pb.c);
    sb_arena_free(&fx->arena);
}

static void
check_against_oracle(fixture *fx, sb_kernel_effort effort)
{
    sb_format_plan *plan = NULL;
    char message[400];
    oracle o = oracle_make(&fx->pb);

    if (sb_format_plan_create(&plan, &fx->t, &fx->pb, effort, &fx->diag) != SB_OK ||
        sb_format_plan_run(plan, &fx->pb, &fx->diag) != SB_OK)
        fail_msg("%s: %s", fx->f->name, fx->diag.text);
    if (!oracle_check(&o, &fx->pb, true, message, sizeof message))
        fail_msg("%s: %s", fx->f->name, message);
    oracle_free(&o);
    sb_format_plan_release(plan);
}

/* ---- types ------------------------------------------------------------------------------ */

static const char *const sample[] = {"csr", "dok",  "dia",      "bsr<2>",
                                     "ell", "cisr", "bdia_csr", "csc"};

static void
run_types(const char *format, const types *ty, sb_trans ta, sb_trans tb, int64_t batch,
          sb_kernel_effort effort)
{
    const gen_spec a = {.family = GEN_UNIFORM,
                        .rows = 9,
                        .cols = 7,
                        .density = 0.3,
                        .seed = 3,
                        .val_type = ty->a,
                        .integer = true};
    const int64_t m = ta == SB_TRANS_N ? 9 : 7, k = 16 - m, n = 4;
    gen_dense_spec b = {.rows = tb == SB_TRANS_N ? k : n,
                        .cols = tb == SB_TRANS_N ? n : k,
                        .type = ty->b,
                        .seed = 4,
                        .integer = true,
                        .batch = batch};
    gen_dense_spec c = {.rows = m,
                        .cols = n,
                        .ld = n + 1,
                        .type = ty->c,
                        .seed = 5,
                        .integer = true,
                        .batch = batch};
    fixture fx;

    open_fixture(&fx, format, &a);
    fx.pb.op = SB_OP_SPMM;
    fx.pb.b = gen_dense(&b);
    fx.pb.c = gen_dense(&c);
    fx.pb.trans_a = ta;
    fx.pb.trans_b = tb;
    fx.pb.compute = ty->compute;
    fx.pb.alpha = (sb_value){2, sb_dtype_is_complex(ty->compute) ? 1 : 0};
    fx.pb.beta = (sb_value){3, 0};
    fx.pb.batch = batch;
    check_against_oracle(&fx, effort);
    close_fixture(&fx);
}

static void
test_types(void **state)
{
    static const types all[] = {
        {SB_C32, SB_C32, SB_C32, SB_C32}, {SB_C64, SB_C64, SB_C64, SB_C64},
        {SB_F16, SB_F16, SB_F32, SB_F32}, {SB_BF16, SB_BF16, SB_BF16, SB_F32},
        {SB_C16, SB_C16, SB_C16, SB_C32}, {SB_I8, SB_I8, SB_I32, SB_I32},
        {SB_I8, SB_I8, SB_F32, SB_F32}};

    (void)state;
    for (int q = 0; q < SB_COUNT(all); q++)
        for (int k = 0; k < SB_COUNT(sample); k++) {
            const bool complex = sb_dtype_is_complex(all[q].compute);
            const sb_trans flip = complex ? SB_TRANS_H : SB_TRANS_T;

            run_types(sample[k], &all[q], SB_TRANS_N, SB_TRANS_N, 1,
                      SB_KERNEL_RESIDENT);
            run_types(sample[k], &all[q], flip, SB_TRANS_N, 1, SB_KERNEL_RESIDENT);
            run_types(sample[k], &all[q], SB_TRANS_N, flip, 3, SB_KERNEL_RESIDENT);
        }
}

/* Sums that are kept in C itself, of 16 bits. */
static void
test_compiled_halves(void **state)
{
    static const types all[] = {{SB_F16, SB_F16, SB_F16, SB_F32},
                                {SB_BF16, SB_BF16, SB_BF16, SB_F32},
                                {SB_C16, SB_C16, SB_C16, SB_C32},
                                {SB_CBF16, SB_CBF16, SB_CBF16, SB_C32}};

    (void)state;
    NEED_COMPILER();
    for (int q = 0; q < SB_COUNT(all); q++) {
        run_types("dia", &all[q], SB_TRANS_N, SB_TRANS_N, 1, SB_KERNEL_COMPILE);
        run_types("csr", &all[q], SB_TRANS_T, SB_TRANS_N, 1, SB_KERNEL_COMPILE);
    }
}

/* ---- steps ------------------------------------------------------------------------------ */

static void
check_steps(const char *format, gen_family family, int scales, int adds)
{
    const gen_spec a = {
        .family = family, .rows = 12, .cols = 10, .val_type = SB_F64, .integer = true};
    const gen_dense_spec x = {.rows = 10, .cols = 1, .type = SB_F64, .integer = true};
    const gen_dense_spec y = {.rows = 12, .cols = 1, .type = SB_F64, .integer = true};
    sb_format_plan *plan;
    sb_strbuf text;
    fixture fx;
    int got[2] = {0};

    open_fixture(&fx, format, &a);
    fx.pb.op = SB_OP_SPMV;
    fx.pb.compute = SB_F64;
    fx.pb.alpha = (sb_value){1, 0};
    fx.pb.beta = (sb_value){2, 0};
    fx.pb.b = gen_dense(&x);
    fx.pb.c = gen_dense(&y);
    assert_int_equal(
        sb_format_plan_create(&plan, &fx.t, &fx.pb, SB_KERNEL_RESIDENT, &fx.diag),
        SB_OK);
    sb_strbuf_init(&text);
    sb_format_plan_explain(&text, plan);
    for (const char *s = text.s; *s; s = strchr(s, '\n') + 1) {
        got[0] += strncmp(s, "scale", 5) == 0;
        got[1] += strcspn(s, "\n") > strcspn(s, ",") && strstr(s, ", adds") != NULL &&
                  strstr(s, ", adds") < strchr(s, '\n');
    }
    if (got[0] != scales || got[1] != adds)
        fail_msg("%s: %d scalings and %d steps that add, not %d and %d:\n%s", format,
                 got[0], got[1], scales, adds, text.s);
    sb_strbuf_free(&text);
    sb_format_plan_release(plan);
    check_against_oracle(&fx, SB_KERNEL_RESIDENT);
    close_fixture(&fx);
}

static void
test_beta_once(void **state)
{
    (void)state;
    check_steps("csr", GEN_UNIFORM, 0, 0);   /* in the program */
    check_steps("dia", GEN_DIAGONALS, 0, 0); /* its rows go first */
    check_steps("coo", GEN_UNIFORM, 1, 1);
    check_steps("c2sr", GEN_UNIFORM, 1, 2); /* two banks */
    check_steps("c2sr", GEN_EMPTY, 1, 2);
    check_steps("cisr", GEN_EMPTY, 1, 2);
    check_steps("bdia_csr<3, 2>", GEN_DIAGONALS, 1, 2);
    check_steps("hyb<8, 1>", GEN_UNIFORM, 1, 2);
}

/* ---- padding ---------------------------------------------------------------------------- */

/* ELL by hand: slots whose index is negative hold garbage and are passed over. */
static void
test_marked_padding(void **state)
{
    static int32_t col[2 * 3] = {0, 1, 2, 3, -1, -1};
    static float val[2 * 3] = {1, 2, 3, 4, NAN, NAN};
    float x[4] = {1, 10, 100, 1000}, y[3] = {NAN, NAN, NAN};
    const float want[3] = {4001, 20, 300};
    sb_problem pb = {.op = SB_OP_SPMV,
                     .a = {.rows = 3, .cols = 4, .val_type = SB_F32, .batch = 1},
                     .b = {4, 1, 1, false, SB_F32, x, 1, 0},
                     .c = {3, 1, 1, false, SB_F32, y, 1, 0},
                     .compute = SB_F32,
                     .alpha = {1, 0},
                     .batch = 1};
    sb_diag diag = {SB_OK, ""};
    sb_tensor t = {.extent = {3, 4},
                   .val_type = SB_F32,
                   .idx_type = SB_I32,
                   .ptr_type = SB_I32,
                   .count = {2, 6, 6},
                   .size = {2, 3, 0},
                   .val = {val, 1},
                   .nnz = 4};
    sb_arena ar;

    (void)state;
    sb_backend_set(&sb_cpu_backend);
    sb_arena_init(&ar);
    assert_int_equal(sb_fmt_parse(&t.fmt, &ar, "ell", &diag), SB_OK);
    t.idx[2] = (sb_tensor_array){col, 1};
    if (sb_format_compute(&t, &pb, &diag) != SB_OK)
        fail_msg("%s", diag.text);
    for (int i = 0; i < 3; i++)
        assert_true(y[i] == want[i]);
    sb_arena_free(&ar);
}

/* Sampled over a pattern whose values are zeros, into zeros: every entry of the pattern is
 * still there, and nothing else. */
static void
test_sampled_zeros(void **state)
{
    static const char *const exact[] = {
        "ell",
        "sell<c=2>",
        "ell_rows<w=4, r=2>",
        "hyb<w=4, k=1>",
        "serpens",
        "coo",
        "format dia_both (i, j) -> (j - i, i, j) merge(0) trim(0, 0)",
        "format lists (i, j) -> (@slot(j), i, j, j - i) merge(0) trim(0, 0) pack(2, "
        "3)\n"
        "where @slot = { n: sum(value) groupBy (i) with value ne 0 -> 1 | otherwise -> "
        "0; "
        "enum(value) groupBy (i) traverseBy (j) with value eq 0 -> n | otherwise -> 0 "
        "}",
    };
    static int64_t row[] = {0, 0, 1, 3, 3, 3, 3}, col[] = {1, 4, 0, 0, 1, 3, 5};
    static const double zero[7] = {0};
    const sb_tensor_coo coo = {2, {4, 6}, 7, {row, col}, zero, SB_F64};
    double x[4] = {1, -1, 5, 2}, y[6] = {3, 1, 0, 0, 7, 4};

    (void)state;
    sb_backend_set(&sb_cpu_backend);
    for (int q = 0; q < SB_COUNT(exact); q++) {
        sb_problem pb = {.op = SB_OP_SDDMM,
                         .a = {.rows = 4, .cols = 6, .val_type = SB_F64, .batch = 1},
                         .b = {4, 1, 1, false, SB_F64, x, 1, 0},
                         .c = {1, 6, 6, false, SB_F64, y, 1, 0},
                         .compute = SB_F64,
                         .alpha = {1, 0},
                         .beta = {1, 0},
                         .batch = 1};
        int64_t *coord[SB_FMT_DIMS], nnz;
        sb_diag diag = {SB_OK, ""};
        const sb_fmt *f;
        sb_tensor t;
        void *val;
        sb_arena ar;

        sb_arena_init(&ar);
        assert_int_equal(sb_fmt_parse(&f, &ar, exact[q], &diag), SB_OK);
        assert_int_equal(sb_tensor_from_coo(&t, f, &coo, false, NULL, &diag), SB_OK);
        assert_int_equal(t.nnz, 7);
        for (int twice = 0; twice < 2; twice++) /* zeros are the first sums at (3, 3) */
            if (sb_format_compute(&t, &pb, &diag) != SB_OK)
                fail_msg("%s", diag.text);
        assert_int_equal(sb_tensor_coords(coord, &val, &nnz, &t), SB_OK);
        if (nnz != 7)
            fail_msg("%s: %lld entries", exact[q], (long long)nnz);
        for (int64_t p = 0; p < nnz; p++) {
            double want = -1;

            for (int e = 0; e < 7; e++)
                if (row[e] == coord[0][p] && col[e] == coord[1][p])
                    want = 2 * x[row[e]] * y[col[e]];
            if (((double *)val)[p] != want)
                fail_msg("%s: (%lld, %lld) is %g, not %g", exact[q],
                         (long long)coord[0][p], (long long)coord[1][p],
                         ((double *)val)[p], want);
        }
        sb_free(coord[0]);
        sb_free(coord[1]);
        sb_free(val);
        sb_tensor_free(&t);
        sb_arena_free(&ar);
    }
}

/* Sums over a format with marks are kept in an accumulator of their own, below the test
 * for an empty slot, also where values are of 16 bits. */
static void
test_accumulates(void **state)
{
    sb_format_op op = {.spec = {.op = SB_KOP_SDDMM,
                                .a = SB_F16,
                                .b = SB_F16,
                                .c = SB_F16,
                                .compute = SB_F32,
                                .ptr = SB_I32,
                                .idx = SB_I32}};
    sb_diag diag = {SB_OK, ""};
    sb_format_facts facts;
    const sb_prog *p;
    sb_strbuf text;
    sb_arena ar;
    sb_ir ir;

    (void)state;
    sb_arena_init(&ar);
    sb_strbuf_init(&text);
    assert_int_equal(sb_fmt_parse(&op.fmt, &ar, "ell", &diag), SB_OK);
    sb_ir_init(&ir, &ar, &diag);
    if (sb_format_lowered(&p, &facts, &ir, &op) != SB_OK)
        fail_msg("%s", diag.text);
    sb_prog_print(&text, p);
    assert_non_null(strstr(text.s, "$acc : f32"));
    sb_strbuf_free(&text);
    sb_arena_free(&ar);
}

/* What no slot holds is not multiplied: an infinite x at an empty column. */
static void
test_absent_column(void **state)
{
    static const char *const trimmed[] = {"csr",    "coo", "dcsr", "csc",
                                          "csb<4>", "lil", "cisr", "ragged"};
    static int64_t row[] = {0, 1, 2, 2}, col[] = {0, 2, 0, 2};
    static double val[] = {1, 2, 3, 4};
    const sb_tensor_coo coo = {2, {3, 3}, 4, {row, col}, val, SB_F64};

    (void)state;
    sb_backend_set(&sb_cpu_backend);
    for (int q = 0; q + 1 < SB_COUNT(trimmed); q++) {
        double x[3] = {1, INFINITY, 10}, y[3] = {0};
        sb_problem pb = {.op = SB_OP_SPMV,
                         .a = {.rows = 3, .cols = 3, .val_type = SB_F64, .batch = 1},
                         .b = {3, 1, 1, false, SB_F64, x, 1, 0},
                         .c = {3, 1, 1, false, SB_F64, y, 1, 0},
                         .compute = SB_F64,
                         .alpha = {1, 0},
                         .batch = 1};
        sb_diag diag = {SB_OK, ""};
        sb_tensor t;
        const sb_fmt *f;
        sb_arena ar;

        sb_arena_init(&ar);
        assert_int_equal(sb_fmt_parse(&f, &ar, trimmed[q], &diag), SB_OK);
        assert_int_equal(sb_tensor_from_coo(&t, f, &coo, false, NULL, &diag), SB_OK);
        if (sb_format_compute(&t, &pb, &diag) != SB_OK)
            fail_msg("%s", diag.text);
        if (!(y[0] == 1 && y[1] == 20 && y[2] == 43))
            fail_msg("%s: %g %g %g", trimmed[q], y[0], y[1], y[2]);
        sb_tensor_free(&t);
        sb_arena_free(&ar);
    }
}

/* ---- memory ------------------------------------------------------------------------------ */

/* Every allocation failing in turn: ENOMEM or the right result, and nothing is left. */
static void
test_short_memory(void **state)
{
    static const char *const formats[] = {"csr", "bdia_csr<3, 2>", "c2sr", "dok",
                                          "ell"};
    const gen_spec a = {.family = GEN_UNIFORM,
                        .rows = 6,
                        .cols = 5,
                        .density = 0.3,
                        .val_type = SB_F64,
                        .integer = true};
    const gen_dense_spec x = {.rows = 5, .cols = 1, .type = SB_F64, .integer = true};
    const gen_dense_spec y = {.rows = 6, .cols = 1, .type = SB_F64, .integer = true};

    (void)state;
    for (int q = 0; q < SB_COUNT(formats); q++) {
        sb_status st = SB_ENOMEM;
        int64_t live;
        fixture fx;

        open_fixture(&fx, formats[q], &a);
        fx.pb.op = SB_OP_SPMV;
        fx.pb.compute = SB_F64;
        fx.pb.alpha = (sb_value){1, 0};
        fx.pb.b = gen_dense(&x);
        fx.pb.c = gen_dense(&y);
        live = sb_alloc_live();
        for (int n = 0; st != SB_OK; n += 1 + n / 16) {
            sb_format_plan *plan = NULL;

            (void)sb_alloc_fail_after(n);
            st = sb_format_plan_create(&plan, &fx.t, &fx.pb, SB_KERNEL_RESIDENT, NULL);
            if (st == SB_OK)
                st = sb_format_plan_run(plan, &fx.pb, NULL);
            (void)sb_alloc_fail_after(-1);
            assert_true(st == SB_OK || st == SB_ENOMEM);
            sb_format_plan_release(plan);
            assert_int_equal(sb_alloc_live(), live);
        }
        close_fixture(&fx);
    }
}

/* ---- refusals ---------------------------------------------------------------------------- */

static void
test_refused(void **state)
{
    const gen_spec a = {
        .family = GEN_UNIFORM, .rows = 4, .cols = 4, .val_type = SB_F32};
    sb_format_plan *plan;
    sb_fmt three;
    fixture fx;

    (void)state;
    open_fixture(&fx, "csr", &a);
    fx.pb.compute = SB_F32;
    fx.pb.a.rows = 5;
    assert_int_equal(
        sb_format_plan_create(&plan, &fx.t, &fx.pb, SB_KERNEL_RESIDENT, &fx.diag),
        SB_EINVAL);
    assert_null(plan);
    assert_string_equal(fx.diag.text, "the tensor is 4 x 4, the problem's A 5 x 4");
    fx.pb.a.rows = 4;
    fx.diag = (sb_diag){SB_OK, ""};
    three = *fx.f;
    three.ndim = 3;
    fx.t.fmt = &three;
    assert_int_equal(
        sb_format_plan_create(&plan, &fx.t, &fx.pb, SB_KERNEL_RESIDENT, &fx.diag),
        SB_EINVAL);
    assert_string_equal(fx.diag.text, "format csr is not one of matrices");
    fx.t.fmt = fx.f;
    close_fixture(&fx);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_types),         cmocka_unit_test(test_compiled_halves),
        cmocka_unit_test(test_beta_once),     cmocka_unit_test(test_marked_padding),
        cmocka_unit_test(test_absent_column), cmocka_unit_test(test_short_memory),
        cmocka_unit_test(test_refused),       cmocka_unit_test(test_sampled_zeros),
        cmocka_unit_test(test_accumulates),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
