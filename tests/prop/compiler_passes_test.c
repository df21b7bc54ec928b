/*
 * Random schedules on random formats: whatever the scheduler accepts means the same as
 * stage I, down to stage III and back through the text.
 */
#include "irworld.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { CASES = 400, LINES = 9 };

static uint64_t
roll(uint64_t *s, uint64_t n)
{
    *s = *s * 6364136223846793005u + 1442695040888963407u;
    return (*s >> 33) % n;
}

/* Names of all loops, each once. */
typedef struct names {
    const char *loop[64];
    int n;
} names;

static void
collect(names *out, sb_body b)
{
    for (int q = 0; q < b.n; q++) {
        const sb_stmt *s = b.at[q];
        bool known = false;

        if (s->kind == SB_STMT_IF) {
            collect(out, s->u.cond.then);
            collect(out, s->u.cond.els);
        }
        if (s->kind != SB_STMT_FOR)
            continue;
        for (int r = 0; r < out->n; r++)
            known = known || strcmp(out->loop[r], s->u.loop.var->name) == 0;
        if (!known && out->n < 64)
            out->loop[out->n++] = s->u.loop.var->name;
        collect(out, s->u.loop.body);
    }
}

static const char *
any_loop(const names *nm, uint64_t *s)
{
    return nm->n ? nm->loop[roll(s, (uint64_t)nm->n)] : "none";
}

static void
random_line(char *out, size_t size, const sb_prog *p, uint64_t *s, int line)
{
    static const char *const bufs[] = {"A", "B", "C"};
    names nm = {{NULL}, 0};
    const char *a, *b, *c;

    collect(&nm, p->body);
    a = any_loop(&nm, s);
    b = any_loop(&nm, s);
    c = any_loop(&nm, s);
    switch (roll(s, 10)) {
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
                       bufs[roll(s, 2) * 2], a, line);
        break;
    case 6:
        (void)snprintf(out, size, "rfactor %%%s %d -> %%l%d as $part%d", a,
                       2 << roll(s, 2), line, line);
        break;
    case 7:
        (void)snprintf(out, size, "%s %%%s",
                       roll(s, 3) == 0   ? "unroll"
                       : roll(s, 2) == 0 ? "parallel"
                                         : "vectorize",
                       a);
        break;
    case 8:
        (void)snprintf(out, size, "fuse %%%s %%%s -> %%f%d", a, b, line);
        break;
    default:
        (void)snprintf(out, size, "prefetch $%s at %%%s ahead %d", bufs[roll(s, 2)], a,
                       1 + (int)roll(s, 5));
    }
}

/* Random lines, the accepted ones applied. Counts accepted lines. */
static const sb_prog *
random_schedule(ir_bench *b, const sb_prog *p, uint64_t *s, char *log, size_t size,
                int *accepted)
{
    for (int q = 0; q < LINES; q++) {
        const sb_prog *next = NULL;
        char line[128];

        random_line(line, sizeof line, p, s, q);
        sb_diag_clear(&b->diag);
        if (sb_schedule_apply(&next, &b->ir, p, line) != SB_OK) {
            assert_null(next);
            continue;
        }
        (void)strncat(log, line, size - strlen(log) - 1);
        (void)strncat(log, "\n", size - strlen(log) - 1);
        sb_diag_clear(&b->diag);
        if (sb_prog_verify(next, &b->diag) != SB_OK)
            fail_msg("after\n%s%s", log, b->diag.text);
        p = next;
        (*accepted)++;
    }
    return p;
}

static const sb_prog *
reparse(ir_bench *b, const sb_prog *p)
{
    sb_strbuf text = ir_text(p);
    const sb_prog *q = ir_bench_parse(b, text.s);

    sb_strbuf_free(&text);
    return q;
}

static const sb_prog *
random_stage1(ir_bench *b, uint64_t *s)
{
    static const char *const ops[] = {ir_spmm, ir_spmm, ir_spmv, ir_sddmm};
    static const char *const rules[] = {NULL, ir_rule_rows, ir_rule_ell, ir_rule_pad,
                                        ir_rule_bsr};
    const uint64_t which = roll(s, 12);
    const char *rule;
    const sb_prog *p;

    if (which == 0)
        return ir_bench_parse(b, ir_spmm_dia);
    if (which == 1)
        return ir_bench_parse(b, ir_spmm_coo);
    p = ir_bench_parse(b, ops[roll(s, 4)]);
    rule = rules[roll(s, 5)];
    if (rule && sb_pass_decompose(&p, &b->ir, p, rule, false) != SB_OK)
        fail_msg("%s", b->diag.text);
    return p;
}

static void
run_case(uint64_t seed, int *accepted)
{
    uint64_t s = seed * 2654435761u + 12345;
    const sb_prog *p1, *p2 = NULL, *p3 = NULL;
    char log[2048] = "";
    ir_bench b;

    ir_bench_open(&b);
    p1 = random_stage1(&b, &s);
    if (sb_pass_lower_iter(&p2, &b.ir, p1) != SB_OK)
        fail_msg("seed %llu: %s", (unsigned long long)seed, b.diag.text);
    p2 = random_schedule(&b, p2, &s, log, sizeof log, accepted);
    p2 = reparse(&b, p2);
    sb_diag_clear(&b.diag);
    if (sb_pass_lower_buf(&p3, &b.ir, p2) != SB_OK ||
        sb_prog_verify(p3, &b.diag) != SB_OK ||
        sb_pass_hoist(&p3, &b.ir, p3) != SB_OK ||
        sb_prog_verify(p3, &b.diag) != SB_OK || sb_pass_narrow(&p3, &b.ir, p3) != SB_OK)
        fail_msg("seed %llu\n%s%s", (unsigned long long)seed, log, b.diag.text);
    p3 = reparse(&b, p3);
    for (uint64_t q = 0; q < 3; q++) {
        ir_world w;

        ir_world_make(&w, seed * 3 + q, 1 + (int64_t)roll(&s, 7), (int64_t)roll(&s, 10),
                      1 + (int64_t)roll(&s, 8), 2);
        if (!ir_world_same(&w, p1, p2) || !ir_world_same(&w, p1, p3))
            fail_msg("seed %llu, schedule\n%s", (unsigned long long)seed, log);
        ir_world_free(&w);
    }
    ir_bench_close(&b);
}

/* SB_SEED=n runs the one case again. */
static void
test_random_schedules(void **state)
{
    const char *one = getenv("SB_SEED");
    int accepted = 0;

    (void)state;
    if (one) {
        run_case(strtoull(one, NULL, 10), &accepted);
        return;
    }
    for (uint64_t seed = 0; seed < CASES; seed++)
        run_case(seed, &accepted);
    /* Most random lines cannot fit; enough must, or the test tests nothing. */
    assert_true(accepted > CASES);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_random_schedules)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
