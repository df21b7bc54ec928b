/*
 * The explanation says what the plan is: its text, its steps, its bytes, the candidates
 * and the reason; and says something for any number.
 */
#include "planner/context.h"

#include "base/alloc.h"
#include "gen.h"
#include "runtime/backend.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static int
threads(void)
{
    return 2;
}

static const sb_backend backend = {.name = "test", .threads = threads};

static sb_problem
problem(sb_format format)
{
    const gen_spec spec = {.family = GEN_UNIFORM,
                           .rows = 90,
                           .cols = 80,
                           .seed = 4,
                           .density = 0.1,
                           .format = format,
                           .ptr_type = SB_I32,
                           .idx_type = SB_I32,
                           .val_type = SB_F32};

    return (sb_problem){
        .op = SB_OP_SPMM,
        .a = gen_matrix(&spec),
        .b = {.rows = 80, .cols = 32, .ld = 32, .type = SB_F32, .batch = 1},
        .c = {.rows = 90, .cols = 32, .ld = 32, .type = SB_F32, .batch = 1},
        .compute = SB_F32,
        .alpha = {1, 0},
        .batch = 1};
}

static sb_plan *
create(const sb_problem *pb, const char *text)
{
    const sb_options opt = {.plan = text};
    sb_diag diag = {0};
    sb_plan *plan;

    if (sb_plan_create(&plan, pb, &opt, &diag) != SB_OK)
        fail_msg("%s", diag.text);
    return plan;
}

static int
count(const char *text, const char *what)
{
    int n = 0;

    for (; (text = strstr(text, what)) != NULL; text++)
        n++;
    return n;
}

static void
has(const sb_plan *plan, const char *what)
{
    if (!strstr(plan->explain, what))
        fail_msg("no \"%s\" in\n%s", what, plan->explain);
}

static void
test_says_what_it_is(void **state)
{
    sb_problem pb = problem(SB_FORMAT_CSR);
    sb_plan *plan = create(&pb, NULL);
    char line[400];
    int candidates = 0;

    (void)state;
    if (plan->nstep == 0)
        skip();
    (void)snprintf(line, sizeof line, "plan       %s\n", plan->text);
    assert_memory_equal(plan->explain, line, strlen(line));
    (void)snprintf(line, sizeof line, "matrix     90 x 80, %d entries;", (int)pb.a.nnz);
    has(plan, line);
    for (int q = 0; q < plan->nstep; q++) {
        (void)snprintf(line, sizeof line, "step %d     %d tiles%s: %s\n", q,
                       (int)(plan->step[q].tile_hi - plan->step[q].tile_lo),
                       plan->step[q].add ? ", adds" : "", plan->step[q].kernel->spec);
        has(plan, line);
    }
    (void)snprintf(line, sizeof line, "memory     %zu bytes of ", plan->bytes);
    has(plan, line);
    has(plan, "predicted  ");
    assert_null(strstr(plan->explain, ", measured "));
    assert_int_equal(count(plan->explain, "\nchosen  "), 1);
    assert_int_equal(count(plan->explain, "\nconsidered "), 7);
    while (sb_plan_candidate(&pb, NULL, candidates) != NULL)
        candidates++;
    (void)snprintf(line, sizeof line, "\n           and %d more\n", candidates - 8);
    has(plan, line);
    has(plan, "\nreason     cheapest by the model");
    assert_true(plan->explain[strlen(plan->explain) - 1] == '\n');
    sb_plan_release(plan);
    gen_free_matrix(&pb.a);
}

/* What rules set aside for good has a reason in place of a price, and comes last. */
static void
test_set_aside(void **state)
{
    sb_problem pb = problem(SB_FORMAT_CSC); /* which has few candidates */
    const char *at, *end;
    sb_plan *plan;

    (void)state;
    plan = create(&pb, NULL);
    at = strstr(plan->explain, "\nset aside  (plan ");
    if (plan->nstep == 0)
        skip();
    if (!at)
        fail_msg("%s", plan->explain);
    for (; at; at = strstr(end, "\nset aside  ")) {
        end = strchr(at + 1, '\n');
        assert_true(end && end[-1] == ')' && end[-2] != ')');
        assert_null(strstr(at, "\nconsidered "));
    }
    assert_null(strstr(plan->explain, "inf"));
    sb_plan_release(plan);
    gen_free_matrix(&pb.a);
}

static void
test_reasons(void **state)
{
    sb_problem pb = problem(SB_FORMAT_CSR);
    sb_plan *plan = create(&pb, "(plan spmm (part csr))");

    (void)state;
    has(plan, plan->nstep > 0 ? "reason     forced by plan text\n"
                              : "but no kernel is at hand: reference kernel\n");
    sb_plan_release(plan);
    plan = create(&pb, "(plan spmm (reference))");
    has(plan, "reason     forced by plan text\n");
    assert_int_equal(plan->nstep, 0);
    sb_plan_release(plan);
    pb.a.val_type = SB_F64; /* times f32: no kernel is built in */
    plan = create(&pb, NULL);
    has(plan, "reason     no kernel is resident or stored for these types");
    has(plan, "(no kernel at hand)");
    sb_plan_release(plan);
    pb.a.val_type = SB_F32;
    pb.a.batch = pb.batch = 2;
    pb.a.idx_stride = 1;
    plan = create(&pb, NULL); /* rows in place serve them all */
    assert_null(strstr(plan->explain, "every batch member"));
    sb_plan_release(plan);
    pb.trans_a = SB_TRANS_T;
    plan = create(&pb, NULL);
    has(plan, "reason     every batch member has its own structure, none");
    assert_null(strstr(plan->explain, "matrix  ")); /* not looked at */
    sb_plan_release(plan);
    gen_free_matrix(&pb.a);
}

/* A plan text may ask for more than there is; it is refused before it is built. */
static void
test_absurd_width(void **state)
{
    const sb_options opt = {.plan = "(plan spmm (part ell 30) (tile 32))"};
    sb_problem pb = problem(SB_FORMAT_CSR);
    sb_diag diag = {0};
    sb_plan *plan;
    const sb_status st = sb_plan_create(&plan, &pb, &opt, &diag);

    (void)state;
    gen_free_matrix(&pb.a);
    if (st == SB_OK) { /* no kernel: nothing would be built anyway */
        assert_int_equal(plan->nstep, 0);
        sb_plan_release(plan);
        skip();
    }
    assert_int_equal(st, SB_ENOTSUP);
    assert_null(plan);
    assert_non_null(strstr(diag.text, "more than the"));
}

static double
predicted(const sb_problem *pb, const char *text)
{
    sb_plan *plan = create(pb, text);
    const double seconds = plan->nstep > 0 ? plan->predicted : 0;

    sb_plan_release(plan);
    return seconds;
}

static bool
near(double x, double y)
{
    return fabs(x - y) <= 0.01 * y;
}

/* What is predicted is the time of a call: of all slabs, the last one of which may have fewer
 * columns, and of the whole batch. */
static void
test_times_are_of_calls(void **state)
{
    static const char text[] = "(plan spmm (part csr) (tile 16) (slab 16))";
    sb_problem pb = problem(SB_FORMAT_CSR);
    double slab, one;

    (void)state;
    pb.b.col_major = pb.c.col_major = true;
    pb.b.ld = 80;
    pb.c.ld = 90;
    pb.b.cols = pb.c.cols = 16;
    slab = predicted(&pb, text);
    pb.b.cols = pb.c.cols = 64;
    assert_true(near(predicted(&pb, text), 4 * slab));
    pb.b.cols = pb.c.cols = 33;
    assert_true(near(predicted(&pb, text), 3 * slab));
    gen_free_matrix(&pb.a);

    pb = problem(SB_FORMAT_CSR);
    one = predicted(&pb, "(plan spmm (part csr) (tile 32))");
    pb.batch = pb.b.batch = pb.c.batch = 3;
    pb.b.stride = 80 * 32;
    pb.c.stride = 90 * 32;
    assert_true(near(predicted(&pb, "(plan spmm (part csr) (tile 32))"), 3 * one));
    gen_free_matrix(&pb.a);
    if (slab == 0 || one == 0)
        skip();
}

/* Any double has a text; sanitizers watch the conversions. */
static void
test_absurd_numbers(void **state)
{
    static const double seconds[] = {0,    1e-12, 9.994e-4, 1,  1e9,
                                     1e18, 1e300, INFINITY, NAN};
    sb_plan plan = {.text = "(plan spmm (part csr))"};
    const sb_target target = {.threads = 1};
    sb_planner *pl = calloc(1, sizeof *pl);

    (void)state;
    assert_non_null(pl);
    pl->target = &target;
    pl->nweighed = 1;
    pl->weighed[0].choice =
        (sb_choice){.op = SB_OP_SPMM, .npart = 1, .part = {{.kind = SB_PART_CSR}}};
    pl->stats.rows = INT64_MAX;
    pl->stats.mean = 1e300;
    for (size_t q = 0; q < sizeof seconds / sizeof *seconds; q++) {
        plan.predicted = plan.measured = plan.analysis = seconds[q];
        pl->weighed[0].cost.seconds = pl->weighed[0].measured = seconds[q];
        pl->weighed[0].cost.part[0] = seconds[q];
        assert_int_equal(sb_plan_explain(&plan, pl, &pl->weighed[0], "why"), SB_OK);
        assert_int_equal(count(plan.explain, "reason     why\n"), 1);
        assert_null(strstr(plan.explain, " -"));
        if (seconds[q] == 9.994e-4)
            has(&plan, "predicted  999 us, measured 999 us\n");
        if (seconds[q] == 1)
            has(&plan, "analysis   1000 ms\n");
        sb_free(plan.explain);
    }
    free(pl);
}

static int
start(void **state)
{
    (void)state;
    sb_backend_set(&backend);
    return setenv("SPBLAS_JIT", "off", 1);
}

/* Short rows of doubles by products where registers have 64 bytes and x stays near, and only there; on
 * level v3 they are as dear as vectors past the ends of rows. */
static void
test_short_rows_of_doubles(void **state)
{
    const gen_spec spec = {.family = GEN_UNIFORM,
                           .rows = 4000,
                           .cols = 500,
                           .seed = 4,
                           .density = 0.01,
                           .format = SB_FORMAT_CSR,
                           .ptr_type = SB_I32,
                           .idx_type = SB_I32,
                           .val_type = SB_F64};
    const sb_dense x = {.rows = 500, .cols = 1, .ld = 1, .type = SB_F64, .batch = 1};
    const sb_dense y = {.rows = 4000, .cols = 1, .ld = 1, .type = SB_F64, .batch = 1};
    sb_problem pb = {.op = SB_OP_SPMV,
                     .a = gen_matrix(&spec),
                     .b = x,
                     .c = y,
                     .compute = SB_F64,
                     .alpha = {1, 0},
                     .batch = 1};
    sb_plan *plan = create(&pb, NULL);
    const bool taken = plan->nstep > 0 && strstr(plan->text, "prod") != NULL;

    (void)state;
    if (plan->nstep > 0 && sb_target_get()->isa != SB_ISA_V3)
        assert_int_equal(taken, sb_target_get()->isa >= SB_ISA_V4);
    sb_plan_release(plan);
    gen_free_matrix(&pb.a);
}

enum { HOLED = 400 };

/* Rows alike but for a hole in every twenty columns, which moves by a column a row. */
static sb_problem
holed(int32_t *ptr, int32_t *crd, float *val)
{
    sb_problem pb = {
        .op = SB_OP_SPMM,
        .a = {.format = SB_FORMAT_CSR, .rows = HOLED, .cols = HOLED, .batch = 1},
        .b = {.rows = HOLED, .cols = 32, .ld = 32, .type = SB_F32, .batch = 1},
        .compute = SB_F32,
        .alpha = {1, 0},
        .batch = 1};

    pb.c = pb.b;
    for (int i = 0; i < HOLED; i++) {
        for (int j = 0; j < HOLED; j++)
            if ((j + i) % 20 != 0) {
                val[pb.a.nnz] = 1;
                crd[pb.a.nnz++] = j;
            }
        ptr[i + 1] = (int32_t)pb.a.nnz;
    }
    pb.a.ptr_type = pb.a.idx_type = SB_I32;
    pb.a.val_type = SB_F32;
    pb.a.ptr = ptr;
    pb.a.idx = crd;
    pb.a.val = val;
    return pb;
}

/* Holes cut the runs that windows want, shared columns by position do not mind: without
 * measuring they are taken where they were measured. */
static void
test_holes(void **state)
{
    static int32_t ptr[HOLED + 1], crd[HOLED * HOLED];
    static float val[HOLED * HOLED];
    const sb_problem pb = holed(ptr, crd, val);
    sb_plan *six = create(&pb, "(plan spmm (part share 6) (part rows flat 1))");
    sb_plan *eight = create(&pb, "(plan spmm (part share 8) (part rows flat 1))");
    const bool at_hand = six->nstep > 0 && eight->nstep > 0;
    sb_plan *plan = create(&pb, NULL);

    (void)state;
    if (sb_target_get()->isa < SB_ISA_V4)
        assert_null(strstr(plan->text, "part share"));
    else if (at_hand)
        assert_non_null(strstr(plan->text, "part share"));
    sb_plan_release(six);
    sb_plan_release(eight);
    sb_plan_release(plan);
}

/* Runs that two rows share and four do not. A first look takes the windows of more rows for
 * as good; whoever might win by that is looked at again, so that what is predicted is what
 * all samples say, as they are taken for a plan by text. */
static void
first_look(sb_op op, int64_t n, const char *part)
{
    enum { ROWS = 30, RUN = 16, COLS = 1024 };
    static int32_t ptr[ROWS + 1], idx[ROWS * 2 * RUN];
    static float val[ROWS * 2 * RUN];
    const sb_problem pb = {
        .op = op,
        .a = {.format = SB_FORMAT_CSR,
              .rows = ROWS,
              .cols = COLS,
              .nnz = ROWS * 2 * RUN,
              .ptr = ptr,
              .idx = idx,
              .val = val,
              .ptr_type = SB_I32,
              .idx_type = SB_I32,
              .val_type = SB_F32,
              .batch = 1},
        .b = {.rows = COLS, .cols = n, .ld = n, .type = SB_F32, .batch = 1},
        .c = {.rows = ROWS, .cols = n, .ld = n, .type = SB_F32, .batch = 1},
        .compute = SB_F32,
        .alpha = {1, 0},
        .batch = 1};
    sb_plan *plan, *forced;

    for (int i = 0; i < ROWS; i++) {
        ptr[i + 1] = ptr[i] + 2 * RUN;
        for (int q = 0; q < 2 * RUN; q++)
            idx[ptr[i] + q] = q / RUN * (COLS / 2) + i / 2 * 2 * RUN + q % RUN;
    }
    plan = create(&pb, NULL);
    if (plan->nstep == 0)
        skip();
    forced = create(&pb, plan->text);
    has(plan, part);
    assert_float_equal(plan->predicted, forced->predicted, 1e-15);
    assert_int_equal(count(plan->explain, "bandwidth"), op == SB_OP_SPMV ? 0 : 1);
    has(forced, "\nfeatures   bandwidth ");
    has(forced, ", columns touched ");
    sb_plan_release(plan);
    sb_plan_release(forced);
}

static void
test_first_look(void **state)
{
    (void)state;
    first_look(SB_OP_SPMV, 1, "(part mask");
}

/* Of a wide product, which is looked at in full but for what windows and blocks share. */
static void
test_first_look_wide(void **state)
{
    (void)state;
    first_look(SB_OP_SPMM, 64, "(part ");
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_first_look),
        cmocka_unit_test(test_first_look_wide),
        cmocka_unit_test(test_says_what_it_is),
        cmocka_unit_test(test_set_aside),
        cmocka_unit_test(test_reasons),
        cmocka_unit_test(test_times_are_of_calls),
        cmocka_unit_test(test_absurd_width),
        cmocka_unit_test(test_absurd_numbers),
        cmocka_unit_test(test_short_rows_of_doubles),
        cmocka_unit_test(test_holes),
    };

    return cmocka_run_group_tests(tests, start, NULL);
}
