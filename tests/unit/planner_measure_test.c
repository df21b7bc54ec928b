/*
 * MEASURE and EXHAUSTIVE with kernels whose speed the test decides: the fastest by the
 * clock wins, hopeless ones are given up, the caller's numbers are not read, without
 * scratch memory the model decides, and what was measured is wisdom.
 */
#include "planner/search.h"
#include "planner/wisdom.h"

#include "base/alloc.h"
#include "base/clock.h"
#include "gen.h"
#include "runtime/backend.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const char *favourite;    /* kernels of this kind take FAST, others SLOW */
static int runs_fast, runs_slow; /* since the test began */
static bool touched;             /* an operand of the caller was bound */
static const void *callers[3];

#define FAST 1e-4
#define SLOW 1e-3

/* The library's clock in this program: it goes on where a kernel runs, a little at every look
 * and not when the machine is busy. */
static double now = 1;

double
sb_clock(void)
{
    return now += 1e-8;
}

static void
run_tiles(const sb_kernel *k, void *const *buf, const sb_param *param, int64_t lo,
          int64_t hi)
{
    const bool fast = strstr(k->spec, favourite) != NULL;

    (void)param;
    (void)lo;
    (void)hi;
    *(fast ? &runs_fast : &runs_slow) += 1;
    for (int q = 0; q < 5; q++)
        for (int c = 0; c < 3; c++)
            touched |= callers[c] && buf[q] == callers[c];
    now += fast ? FAST : SLOW;
}

static int
threads(void)
{
    return 1;
}

/* The team sleeps from when a test begins until something runs on it. */
static bool asleep;
static int runs_asleep;

static bool
rest(double seconds)
{
    (void)seconds;
    runs_asleep += asleep;
    return asleep;
}

static void
parallel(sb_range_fn fn, void *user, int64_t lo, int64_t hi, int64_t grain)
{
    (void)grain;
    asleep = false;
    fn(user, lo, hi);
}

static sb_status
reference(const sb_problem *pb, sb_diag *diag)
{
    (void)pb;
    (void)diag;
    return SB_OK;
}

static const sb_backend backend = {.name = "test",
                                   .threads = threads,
                                   .rest = rest,
                                   .run_tiles = run_tiles,
                                   .parallel = parallel,
                                   .reference = reference};

/* y = A x with rows of about four entries; values and vectors must not be read. */
static sb_problem
short_rows(void)
{
    static char nowhere[8]; /* reading beyond would show under the sanitizers */
    const gen_spec spec = {.family = GEN_UNIFORM,
                           .rows = 300,
                           .cols = 300,
                           .seed = 2,
                           .density = 0.013,
                           .ptr_type = SB_I32,
                           .idx_type = SB_I32,
                           .val_type = SB_F32};
    sb_problem pb = {.op = SB_OP_SPMV,
                     .a = gen_matrix(&spec),
                     .compute = SB_F32,
                     .alpha = {1, 0},
                     .batch = 1};

    pb.b = (sb_dense){.rows = 300, .cols = 1, .ld = 1, .type = SB_F32, .batch = 1};
    pb.c = pb.b;
    pb.b.data = nowhere;
    pb.c.data = nowhere + 4;
    callers[0] = pb.a.val;
    callers[1] = pb.b.data;
    callers[2] = pb.c.data;
    runs_fast = runs_slow = runs_asleep = 0;
    touched = false;
    asleep = true;
    sb_wisdom_forget();
    return pb;
}

/* NULL when this build has no kernels built in. */
static sb_plan *
plan_for(const sb_problem *pb, sb_effort effort)
{
    const sb_options opt = {.effort = effort};
    sb_diag diag = {0};
    sb_plan *plan;

    if (sb_plan_create(&plan, pb, &opt, &diag) != SB_OK)
        fail_msg("%s", diag.text);
    if (plan->nstep > 0)
        return plan;
    sb_plan_release(plan);
    return NULL;
}

static void
fastest_wins(sb_effort effort)
{
    static const char *const kinds[] = {" csr ", " rows ", " seg "};

    for (size_t q = 0; q < sizeof kinds / sizeof *kinds; q++) {
        sb_problem pb = short_rows();
        sb_plan *plan;

        favourite = kinds[q];
        plan = plan_for(&pb, effort);
        gen_free_matrix(&pb.a);
        if (!plan)
            skip();
        if (!strstr(plan->step[0].kernel->spec, kinds[q]))
            fail_msg("%s won over%s:\n%s", plan->text, kinds[q], plan->explain);
        assert_true(plan->measured >= FAST && plan->measured < SLOW);
        assert_non_null(strstr(plan->explain, "fastest of the measured candidates"));
        assert_false(touched);
        /* woken before the first run; the analysis itself asked */
        assert_false(asleep);
        assert_int_equal(runs_asleep, 1);
        assert_true(runs_fast >= 3);
        sb_plan_release(plan);
    }
}

static void
test_fastest_wins(void **state)
{
    (void)state;
    fastest_wins(SB_EFFORT_MEASURE);
}

static void
test_exhaustive(void **state)
{
    (void)state;
    fastest_wins(SB_EFFORT_EXHAUSTIVE);
}

typedef struct witness {
    int calls, stop; /* calls after which it has enough; 0: never */
    double best;
    bool falls, counts, texts; /* bestSeconds never rises, tried counts, texts come */
} witness;

static bool
watch(void *user, const sb_search_state *s)
{
    witness *w = user;

    w->falls &= w->best == 0 || s->best <= w->best;
    w->counts &= s->tried == w->calls && s->known >= s->tried && s->elapsed >= 0;
    w->texts &= (s->best > 0) == (s->text != NULL);
    w->best = s->best;
    return ++w->calls != w->stop;
}

/* The rules' tile is not the favourite's: only the steps around the winner find it. */
static void
test_search_steps(void **state)
{
    witness w = {.falls = true, .counts = true, .texts = true};
    const sb_options opt = {
        .effort = SB_EFFORT_EXHAUSTIVE, .progress = watch, .progress_user = &w};
    sb_options forced = {.effort = SB_EFFORT_ESTIMATE};
    sb_problem pb = short_rows();
    sb_plan *plan, *rule;
    bool wide;

    (void)state;
    favourite = " csr ";
    rule = plan_for(&pb, SB_EFFORT_MEASURE);
    if (!rule) {
        gen_free_matrix(&pb.a);
        skip();
    }
    wide = strstr(rule->text, "(tile 8)") != NULL;
    forced.plan =
        wide ? "(plan spmv (part csr) (tile 16))" : "(plan spmv (part csr) (tile 8))";
    sb_plan_release(rule);
    assert_int_equal(sb_plan_create(&rule, &pb, &forced, NULL), SB_OK);
    if (rule->nstep == 0) { /* nor has this build its kernel */
        sb_plan_release(rule);
        gen_free_matrix(&pb.a);
        skip();
    }
    favourite = wide ? " t16 " : " t8 ";
    sb_wisdom_forget();
    assert_int_equal(sb_plan_create(&plan, &pb, &opt, NULL), SB_OK);
    gen_free_matrix(&pb.a);
    if (!strstr(plan->step[0].kernel->spec, favourite))
        fail_msg("%s won over %s\n%s", plan->text, favourite, plan->explain);
    assert_true(w.falls && w.counts && w.texts);
    assert_true(w.calls > 5);
    sb_plan_release(plan);
    sb_plan_release(rule);
}

/* Whoever has enough gets the best so far; at once, the model's choice. */
static void
test_search_ends(void **state)
{
    static const int stop[] = {1, 2, 4};

    (void)state;
    favourite = " rows ";
    for (int q = 0; q < 4; q++) {
        witness w = {.stop = q < 3 ? stop[q] : 0};
        const sb_options opt = {.effort = SB_EFFORT_EXHAUSTIVE,
                                .time_limit = q < 3 ? 0 : 1e-9,
                                .progress = watch,
                                .progress_user = &w};
        sb_problem pb = short_rows();
        sb_plan *plan;

        assert_int_equal(sb_plan_create(&plan, &pb, &opt, NULL), SB_OK);
        gen_free_matrix(&pb.a);
        if (plan->nstep > 0) {
            assert_int_equal(w.calls, q < 3 ? stop[q] : 1);
            assert_int_equal(plan->measured > 0, q > 0);
            assert_int_equal(strstr(plan->explain, "search was ended") != NULL, q > 0);
        }
        sb_plan_release(plan);
    }
}

/* Every step changes something and can be taken back. */
static void
test_steps_are_undone(void **state)
{
    static const char *const texts[] = {
        "(plan spmm (part bsr 4) (part rows hyb 2 3) (tile 32) (prefetch 8))",
        "(plan spmm (part win 3) (part rows flat 2) (tile 64) (stream))",
        "(plan spmm (part panel 128) (tile 16) (packed))",
        "(plan spmm (part csr) (tile 64))",
        "(plan spmm (part csr) (tile 128) (last 8) (stream))",
        "(plan spmv (part mask 2) (tile 8))"};

    (void)state;
    for (size_t q = 0; q < sizeof texts / sizeof *texts; q++) {
        sb_choice ch, near, back;
        int n = 0;

        assert_int_equal(sb_choice_parse(&ch, texts[q], strlen(texts[q]), NULL), SB_OK);
        for (; sb_choice_neighbour(&near, &ch, n); n++) {
            bool undone = false;

            assert_false(sb_choice_equal(&near, &ch));
            for (int r = 0; !undone && sb_choice_neighbour(&back, &near, r); r++)
                undone = sb_choice_equal(&back, &ch);
            assert_true(undone || near.unroll != ch.unroll);
        }
        assert_in_range(n, 3, 14);
    }
}

/* Only the first can cost all runs while it is the best; the price is bounded. */
static void
test_price(void **state)
{
    sb_problem pb = short_rows();
    sb_plan *plan;

    (void)state;
    favourite = " csr ";
    plan = plan_for(&pb, SB_EFFORT_MEASURE);
    gen_free_matrix(&pb.a);
    if (!plan)
        skip();
    sb_plan_release(plan);
    assert_in_range(runs_fast, 3, 16);
    assert_in_range(runs_slow, 1, 16 + 3 * 3); /* five in all */
}

/* Equals run a final in turns, and all of it stays within the price. */
static void
test_final(void **state)
{
    sb_problem pb = short_rows();
    sb_plan *plan;

    (void)state;
    favourite = "";
    plan = plan_for(&pb, SB_EFFORT_MEASURE);
    gen_free_matrix(&pb.a);
    if (!plan)
        skip();
    sb_plan_release(plan);
    assert_in_range(runs_fast, 3 * 7 + 3 * 15, 100);
    assert_int_equal(runs_slow, 0);
}

/* Rows as they are run also where the model ranks five others before them: here blocks and
 * windows of all sizes. */
static void
test_as_is(void **state)
{
    static char nowhere[8];
    const gen_spec spec = {
        .family = GEN_BLOCKS, .rows = 256, .cols = 256, .seed = 3, .block = 16};
    sb_problem pb = {.op = SB_OP_SPMM,
                     .a = gen_matrix(&spec),
                     .compute = SB_F32,
                     .alpha = {1, 0},
                     .batch = 1};
    sb_plan *plan;

    (void)state;
    pb.b = (sb_dense){.rows = 256, .cols = 32, .ld = 32, .type = SB_F32, .batch = 1};
    pb.c = pb.b;
    pb.b.data = nowhere;
    pb.c.data = nowhere + 4;
    favourite = " csr ";
    runs_fast = runs_slow = 0;
    sb_wisdom_forget();
    plan = plan_for(&pb, SB_EFFORT_MEASURE);
    gen_free_matrix(&pb.a);
    if (!plan)
        skip();
    if (!strstr(plan->step[0].kernel->spec, favourite))
        fail_msg("%s won over csr:\n%s", plan->text, plan->explain);
    sb_plan_release(plan);
}

/* Under ESTIMATE nothing runs. */
static void
test_estimate_runs_nothing(void **state)
{
    sb_problem pb = short_rows();
    sb_plan *plan;

    (void)state;
    favourite = " csr ";
    plan = plan_for(&pb, SB_EFFORT_ESTIMATE);
    gen_free_matrix(&pb.a);
    assert_int_equal(runs_fast + runs_slow, 0);
    if (!plan)
        skip();
    assert_true(plan->measured == 0 && plan->predicted > 0);
    sb_plan_release(plan);
}

/* Operands too large to have a copy: the model decides. */
static void
test_no_scratch(void **state)
{
    sb_problem pb = short_rows();
    sb_plan *plan;

    (void)state;
    favourite = " csr ";
    pb.op = SB_OP_SPMM;
    pb.b.cols = pb.c.cols = 2;
    pb.b.ld = pb.c.ld = INT64_MAX / 4;
    plan = plan_for(&pb, SB_EFFORT_MEASURE);
    gen_free_matrix(&pb.a);
    assert_int_equal(runs_fast + runs_slow, 0);
    if (!plan)
        skip();
    assert_true(plan->measured == 0);
    assert_non_null(strstr(plan->explain, "by the model"));
    sb_plan_release(plan);
}

/* Any allocation may fail: a status or a plan, and nothing lost. */
static void
test_out_of_memory(void **state)
{
    sb_problem pb = short_rows();
    const sb_options opt = {.effort = SB_EFFORT_MEASURE};
    const int64_t live = sb_alloc_live();
    bool enough = false;

    (void)state;
    favourite = " "; /* all fast */
    for (int64_t n = 0; !enough; n++) {
        sb_plan *plan;
        sb_status st;

        sb_wisdom_forget();
        (void)sb_alloc_fail_after(n);
        st = sb_plan_create(&plan, &pb, &opt, NULL);
        enough = sb_alloc_fail_after(-1) <= n;
        assert_true(st == SB_OK || st == SB_ENOMEM);
        assert_true((st == SB_OK) == (plan != NULL));
        sb_plan_release(plan);
        assert_true(n < 1000);
    }
    sb_wisdom_forget();
    assert_int_equal(sb_alloc_live(), live);
    gen_free_matrix(&pb.a);
}

/* ---- wisdom ------------------------------------------------------------------------- */

static const char again[] = "measured before on this structure (wisdom)";

/* Whether the analysis took wisdom; it runs nothing then. */
static bool
remembers(const sb_problem *pb, sb_effort effort)
{
    sb_plan *plan;
    bool yes;

    runs_fast = runs_slow = 0;
    plan = plan_for(pb, effort);
    assert_non_null(plan);
    yes = strstr(plan->explain, again) != NULL;
    if (yes) {
        assert_int_equal(runs_fast + runs_slow, 0);
        assert_true(plan->measured > 0);
        assert_non_null(strstr(plan->explain, "chosen"));
    } else {
        assert_true(effort == SB_EFFORT_ESTIMATE || runs_fast + runs_slow > 0);
    }
    sb_plan_release(plan);
    return yes;
}

static void
test_wisdom(void **state)
{
    sb_problem pb = short_rows(), other, wider;
    sb_plan *plan;
    char text[200];

    (void)state;
    favourite = " rows ";
    plan = plan_for(&pb, SB_EFFORT_ESTIMATE);
    if (!plan) {
        gen_free_matrix(&pb.a);
        skip();
    }
    sb_plan_release(plan);
    assert_false(remembers(&pb, SB_EFFORT_ESTIMATE)); /* an estimate is no wisdom */
    assert_false(remembers(&pb, SB_EFFORT_MEASURE));
    plan = plan_for(&pb, SB_EFFORT_MEASURE);
    (void)snprintf(text, sizeof text, "%s", plan->text);
    assert_non_null(strstr(plan->step[0].kernel->spec, favourite));
    sb_plan_release(plan);
    assert_true(remembers(&pb, SB_EFFORT_MEASURE));
    assert_true(remembers(&pb, SB_EFFORT_ESTIMATE));
    /* What follows is another problem, or asks for more. */
    wider = pb;
    wider.op = SB_OP_SPMM;
    wider.b.cols = wider.c.cols = 2;
    wider.b.ld = wider.c.ld = INT64_MAX / 4;
    plan = plan_for(&wider, SB_EFFORT_ESTIMATE);
    assert_true(!plan || !strstr(plan->explain, again));
    sb_plan_release(plan);
    assert_false(remembers(&pb, SB_EFFORT_EXHAUSTIVE));
    assert_true(remembers(&pb, SB_EFFORT_EXHAUSTIVE));
    other = pb;
    ((int32_t *)(uintptr_t)other.a.idx)[7] ^= 1;
    assert_false(remembers(&other, SB_EFFORT_ESTIMATE));
    ((int32_t *)(uintptr_t)other.a.idx)[7] ^= 1;
    sb_wisdom_forget();
    assert_false(remembers(&pb, SB_EFFORT_ESTIMATE));
    gen_free_matrix(&pb.a);
}

/* Wisdom that does not fit the matrix, or is not allowed, is passed over. */
static void
test_foolish(void **state)
{
    static const char *const plans[] = {"(plan spmv (part list))",
                                        "(plan spmv (part csr) (packed))",
                                        "(plan spmm (part csr))", "nonsense"};
    sb_problem pb = short_rows();
    const sb_options opt = {.effort = SB_EFFORT_ESTIMATE};
    sb_strbuf key;

    (void)state;
    favourite = " csr ";
    sb_strbuf_init(&key);
    sb_wisdom_key(&key, &pb, &opt, 1);
    for (size_t q = 0; q < sizeof plans / sizeof *plans; q++) {
        sb_diag diag = {0};
        sb_plan *plan;

        sb_wisdom_forget();
        sb_wisdom_remember(key.s, plans[q], SB_EFFORT_MEASURE, 1e-5);
        if (sb_plan_create(&plan, &pb, &opt, &diag) != SB_OK)
            fail_msg("%s: %s", plans[q], diag.text);
        if (strstr(plan->explain, again))
            fail_msg("%s", plan->explain);
        sb_plan_release(plan);
    }
    sb_wisdom_forget();
    sb_strbuf_free(&key);
    gen_free_matrix(&pb.a);
}

static int
start(void **state)
{
    (void)state;
    sb_backend_set(&backend);
    return setenv("SPBLAS_JIT", "off", 1);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_fastest_wins),
        cmocka_unit_test(test_exhaustive),
        cmocka_unit_test(test_search_steps),
        cmocka_unit_test(test_search_ends),
        cmocka_unit_test(test_steps_are_undone),
        cmocka_unit_test(test_price),
        cmocka_unit_test(test_final),
        cmocka_unit_test(test_as_is),
        cmocka_unit_test(test_estimate_runs_nothing),
        cmocka_unit_test(test_no_scratch),
        cmocka_unit_test(test_out_of_memory),
        cmocka_unit_test(test_wisdom),
        cmocka_unit_test(test_foolish),
    };

    return cmocka_run_group_tests(tests, start, NULL);
}
