/*
 * The pipeline: passes in order, schedules of both stages in one text, dumps, refusals.
 */
#include "irworld.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

typedef struct dumps {
    int n;
    const char *name[16];
    int stage[16];
} dumps;

static void
note(void *user, const char *pass, const sb_prog *p)
{
    dumps *d = user;

    d->name[d->n] = pass;
    d->stage[d->n++] = p->stage;
}

static void
test_passes(void **state)
{
    static const int stages[] = {1, 2, 2, 3, 3, 3};
    const sb_prog *p, *q = NULL, *one;
    dumps d = {0};
    sb_strbuf a, c;
    ir_bench b;

    (void)state;
    ir_bench_open(&b);
    p = one = ir_bench_parse(&b, ir_spmm);
    assert_int_equal(sb_pipeline_run(&q, &b.ir, p,
                                     "sparse_reorder spmm %i %c %j\n"
                                     "split %c 4 -> %c0 %c1 tail\n"
                                     "cache_write $C at %c0 as $acc\n",
                                     note, &d),
                     SB_OK);
    assert_int_equal(d.n, 6);
    for (int k = 0; k < d.n; k++) {
        assert_string_equal(d.name[k], sb_pass_name(k));
        assert_int_equal(d.stage[k], stages[k]);
    }
    assert_null(sb_pass_name(6));
    assert_null(sb_pass_name(-1));
    for (int k = 0; sb_pass_name(k); k++) {
        assert_int_equal(sb_pass_run(&one, &b.ir, one, sb_pass_name(k),
                                     "sparse_reorder spmm %i %c %j\n"
                                     "split %c 4 -> %c0 %c1 tail\n"
                                     "cache_write $C at %c0 as $acc\n"),
                         SB_OK);
    }
    a = ir_text(q);
    c = ir_text(one);
    assert_string_equal(a.s, c.s);
    sb_strbuf_free(&a);
    sb_strbuf_free(&c);
    for (uint64_t seed = 0; seed < 8; seed++) {
        ir_world w;

        ir_world_make(&w, seed, 5, (int64_t)seed, 6, 1);
        assert_true(ir_world_same(&w, p, q));
        ir_world_free(&w);
    }
    ir_bench_close(&b);
}

static void
test_refusals(void **state)
{
    const sb_prog *p, *q;
    ir_bench b;

    (void)state;
    ir_bench_open(&b);
    p = ir_bench_parse(&b, ir_spmm);
    assert_int_equal(sb_pipeline_run(&q, &b.ir, p, "split %x 4 -> %a %b", NULL, NULL),
                     SB_EINVAL);
    assert_null(q);
    sb_diag_clear(&b.diag);
    assert_int_equal(sb_pass_run(&q, &b.ir, p, "polish", NULL), SB_EINVAL);
    assert_non_null(strstr(b.diag.text, "polish"));
    sb_diag_clear(&b.diag);
    assert_int_equal(sb_pass_run(&q, &b.ir, p, "lower_buf", NULL), SB_EINVAL);
    ir_bench_close(&b);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_passes),
        cmocka_unit_test(test_refusals),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
