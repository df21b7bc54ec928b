/*
 * Stage I -> II: the same meaning for every kind of axis, and the shape of the loops.
 */
#include "irworld.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

static void
check_worlds(const sb_prog *a, const sb_prog *b)
{
    for (uint64_t seed = 0; seed < 12; seed++) {
        ir_world w;

        ir_world_make(&w, seed, 1 + (int64_t)(seed % 6), (int64_t)(seed % 5),
                      1 + (int64_t)(seed % 7), 2);
        assert_true(ir_world_same(&w, a, b));
        ir_world_free(&w);
    }
}

/* Lowers text (after the rules, may be NULL) and checks the meaning. */
static const sb_prog *
lower(ir_bench *b, const char *text, const char *rules, const char *schedule)
{
    const sb_prog *p = ir_bench_parse(b, text), *q = NULL, *r = NULL;

    if (rules)
        assert_int_equal(sb_pass_decompose(&p, &b->ir, p, rules, false), SB_OK);
    if (schedule)
        assert_int_equal(sb_schedule_apply(&p, &b->ir, p, schedule), SB_OK);
    if (sb_pass_lower_iter(&q, &b->ir, p) != SB_OK ||
        sb_prog_verify(q, &b->diag) != SB_OK ||
        sb_pass_lower_buf(&r, &b->ir, q) != SB_OK ||
        sb_prog_verify(r, &b->diag) != SB_OK)
        fail_msg("%s", b->diag.text);
    assert_int_equal(q->stage, 2);
    assert_int_equal(r->stage, 3);
    check_worlds(p, q);
    check_worlds(p, r);
    return q;
}

static void
assert_in_order(const sb_prog *p, const char *const *lines)
{
    sb_strbuf text = ir_text(p);
    const char *at = text.s;

    for (; *lines; lines++) {
        const char *found = strstr(at, *lines);

        if (!found)
            fail_msg("no '%s' in the rest of\n%s", *lines, text.s);
        at = found + 1;
    }
    sb_strbuf_free(&text);
}

static void
test_csr_loops(void **state)
{
    static const char *const lines[] = {
        "for %i in 0 .. %m {",
        "for %c in 0 .. %n {",
        "$C[%i, %c] = select(",
        "for %pj in 0 .. ",
        "reduce {",
        "let %j",
        "for %c in 0 .. %n {",
        "$C[%i, %c] += %alpha * $A[%i, %pj] * $B[%j, %c]",
        NULL};
    ir_bench b;

    (void)state;
    ir_bench_open(&b);
    assert_in_order(lower(&b, ir_spmm, NULL, NULL), lines);
    ir_bench_close(&b);
}

static void
test_reordered_init(void **state)
{
    static const char *const lines[] = {"for %i in 0 .. %m {",  "for %c in 0 .. %n {",
                                        "$C[%i, %c] = select(", "for %pj in 0 .. ",
                                        "$C[%i, %c] += ",       NULL};
    ir_bench b;

    (void)state;
    ir_bench_open(&b);
    assert_in_order(lower(&b, ir_spmm, NULL, "sparse_reorder spmm %i %c %j\n"), lines);
    ir_bench_close(&b);
}

static void
test_every_format(void **state)
{
    static const char *const ops[] = {ir_spmm, ir_spmv, ir_sddmm};
    static const char *const rules[] = {NULL, ir_rule_rows, ir_rule_ell, ir_rule_pad,
                                        ir_rule_bsr};
    ir_bench b;

    (void)state;
    ir_bench_open(&b);
    for (int o = 0; o < 3; o++) {
        for (int r = 0; r < 5; r++)
            lower(&b, ops[o], rules[r], NULL);
    }
    lower(&b, ir_spmm_dia, NULL, NULL);
    lower(&b, ir_spmm_coo, NULL, NULL);
    ir_bench_close(&b);
}

/* One loop over all entries, the row loaded. */
static void
test_fused(void **state)
{
    static const char *const lines[] = {"for %pj in 0 .. %coo_count",
                                        "let %r",
                                        "$coo_row[%pj]",
                                        "let %j",
                                        "$coo_crd[%pj]",
                                        NULL};
    ir_bench b;

    (void)state;
    ir_bench_open(&b);
    assert_in_order(lower(&b, ir_spmm_coo, NULL, "sparse_fuse spmm %o %r %j\n"), lines);
    lower(&b, ir_spmm_coo, NULL, "sparse_fuse spmm %r %j\n");
    ir_bench_close(&b);
}

/* Reading A at coordinates that are not its iterators searches; absent entries are 0. */
static void
test_search(void **state)
{
    static const char text[] =
        "prog @transpose stage 1 {\n"
        "  param %m : i64\n  param %k : i64\n  param %nnz : i64\n  param %base : i64\n"
        "  buf $A_ptr : i32[%m + 1] aux\n"
        "  buf $A_crd : i32[%nnz] aux\n"
        "  axis #I = dense_fixed(%m)\n"
        "  axis #J = sparse_variable(#I, %k, nnz %nnz, ptr $A_ptr, crd $A_crd) base "
        "%base sorted unique\n"
        "  axis #L = dense_fixed(%m)\n"
        "  buf $A : f64[#I, #J] in\n"
        "  buf $C : f64[#L] inout\n"
        "  iter spread (%i : R #I, %l : S #L) {\n"
        "    $C[%l] += $A[%i, %l / 2] * $A[%l, %i / 2]\n"
        "  }\n"
        "}\n";
    static const char *const lines[] = {"find($A_crd", "find($A_crd", "select(", NULL};
    ir_bench b;
    const sb_prog *p, *q = NULL;

    (void)state;
    ir_bench_open(&b);
    p = ir_bench_parse(&b, text);
    assert_int_equal(sb_pass_lower_iter(&q, &b.ir, p), SB_OK);
    assert_int_equal(sb_prog_verify(q, &b.diag), SB_OK);
    assert_in_order(q, lines);
    for (uint64_t seed = 0; seed < 10; seed++) {
        ir_world w;

        ir_world_make(&w, seed, 4, 2, 6, 1);
        assert_true(ir_world_same(&w, p, q));
        ir_world_free(&w);
    }
    ir_bench_close(&b);
}

static void
test_refusals(void **state)
{
    ir_bench b;
    const sb_prog *p, *q = NULL;
    char text[2048];
    char *sorted;

    (void)state;
    ir_bench_open(&b);
    p = ir_bench_parse(&b, ir_spmm);
    assert_int_equal(sb_pass_lower_buf(&q, &b.ir, p), SB_EINVAL);
    assert_null(q);
    assert_non_null(strstr(b.diag.text, "stage"));
    sb_diag_clear(&b.diag);
    assert_int_equal(sb_pass_lower_iter(&q, &b.ir, p), SB_OK);
    assert_int_equal(sb_pass_lower_iter(&p, &b.ir, q), SB_EINVAL);
    sb_diag_clear(&b.diag);

    /* A search in an axis that is not sorted. */
    (void)strcpy(text, ir_spmm);
    sorted = strstr(text, "sorted unique");
    memset(sorted, ' ', strlen("sorted unique"));
    sorted = strstr(text, "$A[%i, %j]");
    memcpy(sorted, "$A[%i, %c]", strlen("$A[%i, %c]"));
    p = ir_bench_parse(&b, text);
    assert_int_equal(sb_pass_lower_iter(&q, &b.ir, p), SB_ENOTSUP);
    assert_null(q);
    assert_non_null(strstr(b.diag.text, "sorted"));
    ir_bench_close(&b);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_csr_loops),    cmocka_unit_test(test_reordered_init),
        cmocka_unit_test(test_every_format), cmocka_unit_test(test_fused),
        cmocka_unit_test(test_search),       cmocka_unit_test(test_refusals),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
