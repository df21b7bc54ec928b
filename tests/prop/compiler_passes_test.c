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
#include "irworld.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { PAIRS = 600, LINES1 = 3, LINES = 9 };

static int64_t pairs = PAIRS, first;

static uint64_t
roll(uint64_t *s, uint64_t n)
{
    *s = *s * 6364136223846793005u + 1442695040888963407u;
    return (*s >> 33) % n;
}

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
} counts[] = {{"sparse_reorder", 0, 0}, {"sparse_fuse", 0, 0}, {"sparse_merge", 0, 0},
              {"reorder", 0, 0},        {"split", 0, 0},       {"fuse", 0, 0},
              {"unroll", 0, 0},         {"vectorize", 0, 0},   {"parallel", 0, 0},
              {"cache_read", 0, 0},     {"cache_write", 0, 0}, {"rfactor", 0, 0},
              {"compute_at", 0, 0},     {"tensorize", 0, 0},   {"bind", 0, 0},
              {"annotate", 0, 0},       {"atomic", 0, 0},      {"prefetch", 0, 0},
              {"stream", 0, 0}};

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
    const uint64_t which = roll(s, 12);
    const char *rule;

    if (which < 2) {
        *p = ir_bench_parse(&sj->b, which == 0 ? ir_spmm_dia : ir_spmm_coo);
        return;
    }
    *p = ir_bench_parse(&sj->b, ops[roll(s, 4)]);
    rule = rules[roll(s, 5)];
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

        ir_world_make(&w, data, 1 + (int64_t)roll(&s, 7), (int64_t)roll(&s, 10),
                      1 + (int64_t)roll(&s, 8), 2);
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

/* ---- lines ----------------------------------------------------------------------------------- */

/* Names of all loops, each once. */
typedef struct names {
    const char *loop[64];
    int n;
    const char *inner;   /* a loop without loops inside */
    const char *pair[2]; /* loops side by side */
} names;

static void
collect(names *out, sb_body b)
{
    const sb_stmt *last = NULL;

    for (int q = 0; q < b.n; q++) {
        const sb_stmt *s = b.at[q];
        sb_body in[2];
        const int n = sb_stmt_bodies(s, in);
        bool known = s->kind != SB_STMT_FOR;

        for (int r = 0; r < out->n && !known; r++)
            known = strcmp(out->loop[r], s->u.loop.var->name) == 0;
        if (!known && out->n < 64)
            out->loop[out->n++] = s->u.loop.var->name;
        if (s->kind == SB_STMT_FOR) {
            out->inner = s->u.loop.var->name;
            if (last) {
                out->pair[0] = last->u.loop.var->name;
                out->pair[1] = s->u.loop.var->name;
            }
            last = s;
        }
        for (int r = 0; r < n; r++)
            collect(out, in[r]);
    }
}

static const char *
any_loop(const names *nm, uint64_t *s)
{
    return nm->n ? nm->loop[roll(s, (uint64_t)nm->n)] : "none";
}

static const char *
any_buf(const sb_prog *p, uint64_t *s, bool written)
{
    for (int tries = 0; tries < 16; tries++) {
        const sb_buf *b = p->buf[roll(s, (uint64_t)p->nbuf)];

        if (b->role != SB_BUF_AUX && (!written || b->role != SB_BUF_IN))
            return b->name;
    }
    return p->buf[0]->name;
}

typedef struct trips {
    const char *loop;
    int64_t n[3];
    int depth;
} trips;

/* Constant trip counts of the nest that starts at the loop called so. */
static void
find_trips(void *user, const sb_stmt *s)
{
    trips *t = user;

    if (s->kind != SB_STMT_FOR || t->depth == 3 ||
        (t->depth == 0 && strcmp(s->u.loop.var->name, t->loop) != 0) ||
        s->u.loop.hi->kind != SB_EXPR_INT)
        return;
    t->n[t->depth++] = s->u.loop.hi->u.i;
}

static void
tensor_line(char *out, size_t size, const sb_prog *p, const names *nm, const char *loop,
            uint64_t *s)
{
    trips t = {loop, {4, 4, 2}, 0};

    sb_body_stmts(p->body, find_trips, &t);
    for (int q = 0; q < nm->n && t.depth < 3; q++) {
        t.loop = nm->loop[q];
        t.depth = 0;
        sb_body_stmts(p->body, find_trips, &t);
    }
    for (int q = 2; q > 0; q--) { /* any of the three may be m, n or k */
        const int r = (int)roll(s, (uint64_t)q + 1);
        const int64_t was = t.n[q];

        t.n[q] = t.n[r];
        t.n[r] = was;
    }
    (void)snprintf(out, size, "tensorize %%%s mma_%dx%dx%d", t.loop, (int)t.n[0],
                   (int)t.n[1], (int)t.n[2]);
}

static void
mark_line(char *out, size_t size, const sb_prog *p, const char *a, uint64_t *s,
          int line)
{
    static const char *const bound[] = {"block_x", "thread_x", "lane", "sky"};

    switch (roll(s, 6)) {
    case 0:
        (void)snprintf(out, size, "unroll %%%s", a);
        break;
    case 1:
        (void)snprintf(out, size, "parallel %%%s", a);
        break;
    case 2:
        (void)snprintf(out, size, "bind %%%s %s", a, bound[roll(s, 4)]);
        break;
    case 3:
        (void)snprintf(out, size, "annotate %%%s %s %d", a, roll(s, 9) ? "key" : "9",
                       line);
        break;
    case 4:
        (void)snprintf(out, size, "%s $%s", roll(s, 2) ? "atomic" : "stream",
                       any_buf(p, s, true));
        break;
    default:
        (void)snprintf(out, size, "vectorize %%%s", a);
    }
}

static void
random_line(char *out, size_t size, const sb_prog *p, uint64_t *s, int line)
{
    names nm = {{NULL}, 0, NULL, {NULL, NULL}};
    const char *a, *b, *c;

    collect(&nm, p->body);
    a = any_loop(&nm, s);
    b = any_loop(&nm, s);
    c = any_loop(&nm, s);
    switch (roll(s, 14)) {
    case 0:
    case 1:
        (void)snprintf(out, size, "split %%%s %d -> %%x%d %%y%d%s", a,
                       1 << roll(s, 3) | (int)roll(s, 2), line, line,
                       roll(s, 2) ? " tail" : "");
        break;
    case 2:
    case 3:
        (void)snprintf(out, size, "reorder %%%s %%%s", a, b);
        break;
    case 4:
        (void)snprintf(out, size, "reorder %%%s %%%s %%%s", a, b, c);
        break;
    case 5:
        (void)snprintf(out, size, "cache_write $%s at %%%s as $acc%d",
                       any_buf(p, s, true), a, line);
        break;
    case 6:
        (void)snprintf(out, size, "rfactor %%%s %d -> %%l%d as $part%d", a,
                       2 << roll(s, 2), line, line);
        break;
    case 7:
        (void)snprintf(out, size, "cache_read $%s at %%%s as $read%d",
                       any_buf(p, s, false), a, line);
        break;
    case 8:
        (void)snprintf(out, size, "fuse %%%s %%%s -> %%f%d", a, b, line);
        break;
    case 9:
        (void)snprintf(out, size, "compute_at %%%s at %%%s",
                       nm.pair[0] ? nm.pair[0] : a, nm.pair[0] ? nm.pair[1] : b);
        break;
    case 10:
        tensor_line(out, size, p, &nm, a, s);
        break;
    case 11:
        (void)snprintf(out, size, "%s %%%s", roll(s, 4) ? "vectorize" : "parallel",
                       nm.inner ? nm.inner : a);
        break;
    case 12:
        mark_line(out, size, p, a, s, line);
        break;
    default:
        (void)snprintf(out, size, "prefetch $%s at %%%s ahead %d", any_buf(p, s, false),
                       a, 1 + (int)roll(s, 5));
    }
}

/* Mostly a sparse iterator and another sparse axis. */
static void
merge_line(char *out, size_t size, const sb_prog *p, const sb_stmt *it, uint64_t *s)
{
    const sb_iter *iter = it->u.iter.it;
    const sb_axis *x = p->axis[0];

    for (int tries = 0; tries < 4 && !iter->axis->crd; tries++)
        iter = &it->u.iter.it[roll(s, (uint64_t)it->u.iter.n)];
    for (int tries = 0; tries < 8 && (!x->crd || x == iter->axis); tries++)
        x = p->axis[roll(s, (uint64_t)p->naxis)];
    (void)snprintf(out, size, "sparse_merge %s %%%s #%s", it->u.iter.name,
                   iter->var->name, x->name);
}

/* A line for a stage I program. */
static void
random_line1(char *out, size_t size, const sb_prog *p, uint64_t *s)
{
    const sb_stmt *it = p->body.at[roll(s, (uint64_t)p->body.n)];
    const int n = it->u.iter.n;
    int at[16];

    for (int q = 0; q < n; q++) {
        const int r = (int)roll(s, (uint64_t)q + 1);

        at[q] = at[r];
        at[r] = q;
    }
    switch (roll(s, 3)) {
    case 0:
        merge_line(out, size, p, it, s);
        return;
    case 1:
        (void)snprintf(out, size, "sparse_reorder %s", it->u.iter.name);
        break;
    default:
        (void)snprintf(out, size, "sparse_fuse %s", it->u.iter.name);
        for (int q = 0; q < n; q++)
            at[q] = q;
        at[n] = (int)roll(s, (uint64_t)n);
        for (int q = at[n]; q < at[n] + 1 + (int)roll(s, 3) && q < n; q++) {
            (void)strncat(out, " %", size - strlen(out) - 1);
            (void)strncat(out, it->u.iter.it[q].var->name, size - strlen(out) - 1);
        }
        return;
    }
    for (int q = 0; q < n; q++) {
        (void)strncat(out, " %", size - strlen(out) - 1);
        (void)strncat(out, it->u.iter.it[at[q]].var->name, size - strlen(out) - 1);
    }
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
        random_line1(line, sizeof line, p, &s);
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
        random_line(line, sizeof line, p2, &s, q);
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
