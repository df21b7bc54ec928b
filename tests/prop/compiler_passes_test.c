/*
 * Random schedules on random computations: whatever the scheduler accepts means the same
 * as before, primitive by primitive and pass by pass, down to stage III and back through
 * the text; iterations of loops marked as independent also run backwards. What it refuses
 * leaves the program as it was.
 *
 *   prop_compiler_passes --pairs N [S]    N pairs of program and schedule, from number S
 *   SB_SEED=n prop_compiler_passes        the one pair again
 */
#include "compiler/rewrite.h"
#include "irrand.h"
#include "irsched.h"
#include "irworld.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { PAIRS = 1600, LINES1 = 3, LINES = 9 };

#ifdef SB_TINY /* under sanitizers a pair takes ten times as long */
static int64_t pairs = PAIRS / 4, first;
#else
static int64_t pairs = PAIRS, first;
#endif

/* ---- subjects -------------------------------------------------------------------------------- */

/* A stage I program with data to run it on. */
typedef struct subject {
    uint64_t seed;
    bool random; /* of irrand.h, else one of irworld.h */
    ir_rand made;
    ir_bench b;
    char log[4096];
} subject;

/* Lines by primitive; every one must be taken and refused, or the test tests nothing. */
static struct {
    const char *name;
    int accepted, refused;
} counts[] = {{"sparse_reorder", 0, 0}, {"sparse_fuse", 0, 0},   {"sparse_merge", 0, 0},
              {"reorder", 0, 0},        {"split", 0, 0},         {"fuse", 0, 0},
              {"unroll", 0, 0},         {"vectorize", 0, 0},     {"parallel", 0, 0},
              {"cache_read", 0, 0},     {"cache_write", 0, 0},   {"rfactor", 0, 0},
              {"compute_at", 0, 0},     {"tensorize", 0, 0},     {"bind", 0, 0},
              {"annotate", 0, 0},       {"atomic", 0, 0},        {"prefetch", 0, 0},
              {"prefetch_last", 0, 0},  {"prefetch_list", 0, 0}, {"stream", 0, 0}};

static void
count_line(const char *line, bool accepted)
{
    for (int q = 0; q < SB_COUNT(counts); q++) {
        const size_t n = strlen(counts[q].name);

        if (strncmp(line, counts[q].name, n) == 0 && line[n] == ' ')
            *(accepted ? &counts[q].accepted : &counts[q].refused) += 1;
    }
}

static void
open_world(subject *sj, uint64_t *s, const sb_prog **p)
{
    static const char *const ops[] = {ir_spmm, ir_spmm, ir_spmv, ir_sddmm};
    static const char *const rules[] = {NULL, ir_rule_rows, ir_rule_ell, ir_rule_pad,
                                        ir_rule_bsr};
    const uint64_t which = ir_roll(s, 12);
    const char *rule;

    if (which < 2) {
        *p = ir_bench_parse(&sj->b, which == 0 ? ir_spmm_dia : ir_spmm_coo);
        return;
    }
    *p = ir_bench_parse(&sj->b, ops[ir_roll(s, 4)]);
    rule = rules[ir_roll(s, 5)];
    if (rule && sb_pass_decompose(p, &sj->b.ir, *p, rule, false) != SB_OK)
        fail_msg("%s", sj->b.diag.text);
}

static const sb_prog *
open_subject(subject *sj, uint64_t seed, uint64_t *s)
{
    const sb_prog *p = NULL;

    memset(sj, 0, sizeof *sj);
    sj->seed = seed;
    sj->random = seed % 3 != 0;
    ir_bench_open(&sj->b);
    if (!sj->random) {
        open_world(sj, s, &p);
        return p;
    }
    ir_rand_make(&sj->made, seed);
    return ir_bench_parse(&sj->b, sj->made.text.s);
}

static void
close_subject(subject *sj)
{
    if (sj->random)
        ir_rand_free(&sj->made);
    ir_bench_close(&sj->b);
}

/* Does p mean what q means, on data number n? */
static void
check_same(const subject *sj, uint64_t n, const sb_prog *p, const sb_prog *q)
{
    const uint64_t data = sj->seed * 7 + n;
    uint64_t s = data;
    bool same;

    if (sj->random) {
        same = ir_rand_same(&sj->made, data, p, q);
    } else {
        ir_world w;

        ir_world_make(&w, data, 1 + (int64_t)ir_roll(&s, 7), (int64_t)ir_roll(&s, 10),
                      1 + (int64_t)ir_roll(&s, 8), 2);
        same = ir_world_same(&w, p, q);
        ir_world_free(&w);
    }
    if (!same)
        fail_msg("seed %llu, schedule\n%s", (unsigned long long)sj->seed, sj->log);
}

/* ---- independent iterations ------------------------------------------------------------------ */

/* for v in lo .. hi, marked as independent, with v counted from hi. */
static bool
turn_loop(sb_mapper *m, sb_list *out, const sb_stmt *s)
{
    const bool marked =
        s->kind == SB_STMT_FOR && (s->u.loop.how == SB_LOOP_PARALLEL ||
                                   s->u.loop.how == SB_LOOP_VECTOR || s->u.loop.bind);
    const sb_expr *v;
    sb_stmt *t;

    if (!marked)
        return false;
    t = sb_stmt_copy(m->ir, sb_map_parts(m, s));
    v = sb_expr_bin(m->ir, SB_EXPR_ADD, t->u.loop.lo, t->u.loop.hi);
    v = sb_expr_bin(m->ir, SB_EXPR_SUB, v, sb_expr_int(m->ir, 1));
    v = sb_expr_bin(m->ir, SB_EXPR_SUB, v, sb_expr_var(m->ir, s->u.loop.var));
    t->u.loop.body = sb_body_subst(m->ir, t->u.loop.body, s->u.loop.var, v);
    sb_list_push(out, t);
    return true;
}

static const sb_prog *
turned(subject *sj, const sb_prog *p)
{
    sb_mapper m = {&sj->b.ir, NULL, NULL, turn_loop};
    sb_prog *q = sb_prog_copy(&sj->b.ir, p);

    q->body = sb_map_body(&m, p->body);
    return q;
}

/* ---- schedules ------------------------------------------------------------------------------- */

/* One line; the program after it, or p when it is refused. */
static const sb_prog *
try_line(subject *sj, const sb_prog *p, const char *line)
{
    sb_strbuf before = ir_text(p), after;
    const sb_prog *next = NULL;

    sb_diag_clear(&sj->b.diag);
    if (sb_schedule_apply(&next, &sj->b.ir, p, line) != SB_OK) {
        assert_null(next);
        if (!strstr(sj->b.diag.text, "schedule line 1: ") || sj->b.ir.failed)
            fail_msg("seed %llu: %s: %s", (unsigned long long)sj->seed, line,
                     sj->b.diag.text);
        next = p;
    } else {
        (void)strncat(sj->log, line, sizeof sj->log - strlen(sj->log) - 2);
        (void)strcat(sj->log, "\n");
    }
    count_line(line, next != p);
    after = ir_text(p);
    assert_string_equal(before.s, after.s);
    sb_strbuf_free(&before);
    sb_strbuf_free(&after);
    if (next == p)
        return p;
    sb_diag_clear(&sj->b.diag);
    if (sb_prog_verify(next, &sj->b.diag) != SB_OK)
        fail_msg("seed %llu, after\n%s%s", (unsigned long long)sj->seed, sj->log,
                 sj->b.diag.text);
    check_same(sj, 0, p, next);
    return next;
}

static const sb_prog *
reparse(subject *sj, const sb_prog *p)
{
    sb_strbuf text = ir_text(p);
    const sb_prog *q = ir_bench_parse(&sj->b, text.s);

    sb_strbuf_free(&text);
    return q;
}

/* Every pass from p on, each compared with the one before. */
static const sb_prog *
run_passes(subject *sj, const sb_prog *p)
{
    static const char *const pass[] = {"lower_buf", "hoist", "narrow"};

    for (int q = 0; q < SB_COUNT(pass); q++) {
        const sb_prog *next = NULL;

        sb_diag_clear(&sj->b.diag);
        if (sb_pass_run(&next, &sj->b.ir, p, pass[q], NULL) != SB_OK)
            fail_msg("seed %llu, %s of\n%s%s", (unsigned long long)sj->seed, pass[q],
                     sj->log, sj->b.diag.text);
        check_same(sj, 1, p, next);
        p = next;
    }
    return reparse(sj, p);
}

static void
run_pair(uint64_t seed)
{
    uint64_t s = seed * 2654435761u + 12345;
    const sb_prog *p1, *p, *p2 = NULL, *p3;
    char line[160];
    subject *sj = malloc(sizeof *sj);

    assert_non_null(sj);
    p = p1 = open_subject(sj, seed, &s);
    for (int q = 0; q < LINES1; q++) {
        ir_random_line1(line, sizeof line, p, &s);
        p = try_line(sj, p, line);
    }
    sb_diag_clear(&sj->b.diag);
    if (sb_pass_run(&p2, &sj->b.ir, p, "lower_iter", NULL) != SB_OK) {
        /* The one thing random programs may ask for in vain. */
        if (!strstr(sj->b.diag.text, "would be searched") &&
            !strstr(sj->b.diag.text, "init cannot run over"))
            fail_msg("seed %llu\n%s%s", (unsigned long long)seed, sj->log,
                     sj->b.diag.text);
        close_subject(sj);
        free(sj);
        return;
    }
    check_same(sj, 0, p, p2);
    for (int q = 0; q < LINES; q++) {
        ir_random_line(line, sizeof line, p2, &s, q);
        p2 = try_line(sj, p2, line);
    }
    p2 = reparse(sj, p2);
    p3 = run_passes(sj, p2);
    for (uint64_t n = 2; n < 4; n++) {
        check_same(sj, n, p1, p2);
        check_same(sj, n, p1, p3);
        check_same(sj, n, p1, turned(sj, p2));
        check_same(sj, n, p1, turned(sj, p3));
    }
    close_subject(sj);
    free(sj);
}

static void
test_random_schedules(void **state)
{
    const char *one = getenv("SB_SEED");

    (void)state;
    if (one) {
        run_pair(strtoull(one, NULL, 10));
        return;
    }
    for (int64_t seed = first; seed < first + pairs; seed++)
        run_pair((uint64_t)seed);
    for (int q = 0; q < SB_COUNT(counts); q++) {
        print_message("%-15s %6d accepted %6d refused\n", counts[q].name,
                      counts[q].accepted, counts[q].refused);
        if (pairs >= PAIRS)
            assert_true(counts[q].accepted > 0 && counts[q].refused > 0);
    }
}

int
main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_random_schedules)};

    if (argc >= 3 && strcmp(argv[1], "--pairs") == 0)
        pairs = strtoll(argv[2], NULL, 10);
    if (argc >= 4)
        first = strtoll(argv[3], NULL, 10);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
