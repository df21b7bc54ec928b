/*
 * compiler/ir: equal expressions are one node, literals fold, types follow the table of
 * operators, and the table itself is sound and printed in docs/ir.md.
 */
#include "base/alloc.h"
#include "irprog.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const sb_expr *
named(ir_lab *lab, const char *name, sb_dtype t)
{
    return sb_expr_var(&lab->ir, sb_var_new(&lab->ir, name, t));
}

static void
equal_expressions_are_one_node(void **state)
{
    const sb_expr *a, *b, *sum;
    ir_lab lab;

    (void)state;
    ir_lab_init(&lab);
    a = named(&lab, "a", SB_I64);
    b = named(&lab, "a", SB_I64); /* another variable of the same name */
    sum = sb_expr_bin(&lab.ir, SB_EXPR_ADD, a, b);
    assert_ptr_not_equal(a, b);
    assert_ptr_equal(sum, sb_expr_bin(&lab.ir, SB_EXPR_ADD, a, b));
    assert_ptr_not_equal(sum, sb_expr_bin(&lab.ir, SB_EXPR_ADD, b, a));
    assert_ptr_equal(sb_expr_int(&lab.ir, 5), sb_expr_int_typed(&lab.ir, SB_I64, 5));
    assert_ptr_not_equal(sb_expr_int(&lab.ir, 5),
                         sb_expr_int_typed(&lab.ir, SB_I32, 5));
    assert_ptr_not_equal(sb_expr_float(&lab.ir, SB_F32, 0.0),
                         sb_expr_float(&lab.ir, SB_F32, -0.0));
    assert_ptr_not_equal(sb_expr_float(&lab.ir, SB_F32, 1.0),
                         sb_expr_float(&lab.ir, SB_F64, 1.0));
    for (int q = 0; q < 1000; q++) /* the table grows */
        (void)sb_expr_int(&lab.ir, 1000 + q);
    assert_ptr_equal(sum, sb_expr_bin(&lab.ir, SB_EXPR_ADD, a, b));
    assert_int_equal(sb_ir_status(&lab.ir), SB_OK);
    ir_lab_free(&lab);
}

static int64_t
folded(ir_lab *lab, sb_expr_kind k, int64_t a, int64_t b)
{
    const sb_expr *e =
        sb_expr_bin(&lab->ir, k, sb_expr_int(&lab->ir, a), sb_expr_int(&lab->ir, b));

    assert_non_null(e);
    assert_int_equal(e->kind, SB_EXPR_INT);
    return e->u.i;
}

static void
integer_literals_fold(void **state)
{
    const sb_expr *e;
    ir_lab lab;

    (void)state;
    ir_lab_init(&lab);
    assert_int_equal(folded(&lab, SB_EXPR_ADD, 2, 3), 5);
    assert_int_equal(folded(&lab, SB_EXPR_SUB, 2, 3), -1);
    assert_int_equal(folded(&lab, SB_EXPR_DIV, -7, 2), -4);
    assert_int_equal(folded(&lab, SB_EXPR_MOD, -7, 2), 1);
    assert_int_equal(folded(&lab, SB_EXPR_MIN, -7, 2), -7);
    assert_int_equal(folded(&lab, SB_EXPR_MAX, -7, 2), 2);
    /* no result: the node stays */
    e = sb_expr_bin(&lab.ir, SB_EXPR_ADD, sb_expr_int(&lab.ir, INT64_MAX),
                    sb_expr_int(&lab.ir, 1));
    assert_int_equal(e->kind, SB_EXPR_ADD);
    e = sb_expr_bin(&lab.ir, SB_EXPR_DIV, sb_expr_int(&lab.ir, 1),
                    sb_expr_int(&lab.ir, 0));
    assert_int_equal(e->kind, SB_EXPR_DIV);
    e = sb_expr_un(&lab.ir, SB_EXPR_NEG, sb_expr_int_typed(&lab.ir, SB_I32, INT32_MIN));
    assert_int_equal(e->kind, SB_EXPR_NEG);
    e = sb_expr_bin(&lab.ir, SB_EXPR_ADD, sb_expr_int_typed(&lab.ir, SB_I8, 100),
                    sb_expr_int_typed(&lab.ir, SB_I8, 100));
    assert_int_equal(e->kind, SB_EXPR_ADD);
    ir_lab_free(&lab);
}

static void
neutral_elements_vanish_unless_they_widen(void **state)
{
    const sb_expr *a, *q, *zero, *one;
    ir_lab lab;

    (void)state;
    ir_lab_init(&lab);
    a = named(&lab, "a", SB_I64);
    q = named(&lab, "q", SB_I32);
    zero = sb_expr_int(&lab.ir, 0);
    one = sb_expr_int(&lab.ir, 1);
    assert_ptr_equal(sb_expr_bin(&lab.ir, SB_EXPR_ADD, a, zero), a);
    assert_ptr_equal(sb_expr_bin(&lab.ir, SB_EXPR_ADD, zero, a), a);
    assert_ptr_equal(sb_expr_bin(&lab.ir, SB_EXPR_SUB, a, zero), a);
    assert_ptr_equal(sb_expr_bin(&lab.ir, SB_EXPR_MUL, one, a), a);
    assert_ptr_equal(sb_expr_bin(&lab.ir, SB_EXPR_DIV, a, one), a);
    assert_int_equal(sb_expr_bin(&lab.ir, SB_EXPR_SUB, zero, a)->kind, SB_EXPR_SUB);
    assert_int_equal(sb_expr_bin(&lab.ir, SB_EXPR_ADD, q, zero)->type, SB_I64);
    assert_ptr_equal(sb_expr_cast(&lab.ir, SB_I64, a), a);
    ir_lab_free(&lab);
}

static void
types_follow_the_table(void **state)
{
    const sb_expr *a, *q, *x, *z, *p;
    ir_lab lab;

    (void)state;
    ir_lab_init(&lab);
    a = named(&lab, "a", SB_I64);
    q = named(&lab, "q", SB_I32);
    x = named(&lab, "x", SB_F32);
    z = named(&lab, "z", SB_C64);
    p = named(&lab, "p", SB_BOOL);
    assert_int_equal(sb_expr_bin(&lab.ir, SB_EXPR_MUL, q, a)->type, SB_I64);
    assert_int_equal(sb_expr_bin(&lab.ir, SB_EXPR_MUL, q, q)->type, SB_I32);
    assert_int_equal(sb_expr_bin(&lab.ir, SB_EXPR_LT, q, a)->type, SB_BOOL);
    assert_int_equal(sb_expr_un(&lab.ir, SB_EXPR_CONJ, z)->type, SB_C64);
    assert_int_equal(sb_expr_select(&lab.ir, p, q, a)->type, SB_I64);
    assert_int_equal(sb_expr_bin(&lab.ir, SB_EXPR_EQ, z, z)->type, SB_BOOL);
    assert_int_equal(sb_ir_status(&lab.ir), SB_OK);
    assert_null(sb_expr_bin(&lab.ir, SB_EXPR_ADD, x, a));
    assert_int_equal(sb_ir_status(&lab.ir), SB_EVERIFY);
    assert_string_equal(lab.diag.text, "operands of +: types differ");
    assert_null(sb_expr_bin(&lab.ir, SB_EXPR_LT, z, z));
    assert_null(sb_expr_bin(&lab.ir, SB_EXPR_AND, p, a));
    assert_null(sb_expr_bin(&lab.ir, SB_EXPR_ADD, p, p));
    assert_null(sb_expr_bin(&lab.ir, SB_EXPR_MOD, x, x));
    assert_null(sb_expr_un(&lab.ir, SB_EXPR_NOT, a));
    assert_null(sb_expr_select(&lab.ir, a, a, a));
    assert_null(sb_expr_cast(&lab.ir, SB_F32, p));
    assert_null(sb_expr_bin(&lab.ir, SB_EXPR_ADD, NULL, a));
    ir_lab_free(&lab);
}

static void
memory_that_runs_out_stays_noticed(void **state)
{
    ir_lab lab;

    (void)state;
    ir_lab_init(&lab);
    (void)sb_alloc_fail_after(0);
    assert_null(sb_expr_int(&lab.ir, 1));
    (void)sb_alloc_fail_after(-1);
    assert_int_equal(sb_ir_status(&lab.ir), SB_ENOMEM);
    ir_lab_free(&lab);
}

/* ---- the table ----------------------------------------------------------------------- */

typedef struct row {
    const char *kind, *text, *form, *typing, *doc;
    int arity, prec;
} row;

static const row rows[] = {
#define X(kind, text, form, arity, prec, typing, doc) \
    {#kind, text, #form, #typing, doc, arity, prec},
#include "compiler/expr.def"
#undef X
};

static void
the_table_is_sound(void **state)
{
    (void)state;
    assert_int_equal(sizeof rows / sizeof *rows, SB_EXPR_COUNT);
    for (int q = 0; q < SB_EXPR_COUNT; q++) {
        const row *r = &rows[q];
        const bool infix = strcmp(r->form, "INFIX") == 0;

        assert_string_equal(sb_expr_kind_text((sb_expr_kind)q), r->text);
        assert_int_equal(sb_expr_kind_arity((sb_expr_kind)q), r->arity);
        assert_int_equal(sb_expr_kind_prec((sb_expr_kind)q), r->prec);
        assert_true(r->arity <= 3); /* the parser's and the verifier's room */
        assert_true(!infix || (r->arity == 2 && r->prec < 8));
        assert_true(strcmp(r->form, "PREFIX") != 0 || (r->arity == 1 && r->prec == 8));
        assert_true(strcmp(r->form, "CALL") != 0 || r->arity >= 1);
        for (int s = 0; s < q; s++) /* `-` is prefix and infix, nothing else twice */
            assert_true(strcmp(rows[s].text, r->text) != 0 ||
                        strcmp(rows[s].form, r->form) != 0);
    }
}

/* The table as docs/ir.md shows it; `|` is escaped for the table's sake. */
static void
print_rows(sb_strbuf *out)
{
    sb_strbuf_puts(out,
                   "| operator | form | operands | precedence | typing | meaning |\n"
                   "|---|---|---|---|---|---|\n");
    for (int q = 0; q < SB_EXPR_COUNT; q++) {
        const row *r = &rows[q];

        sb_strbuf_puts(out, "| `");
        for (const char *c = r->text; *c; c++)
            sb_strbuf_printf(out, *c == '|' ? "\\%c" : "%c", *c);
        sb_strbuf_printf(out, "` | %s | ", r->form);
        if (r->arity < 0)
            sb_strbuf_puts(out, "rank");
        else
            sb_strbuf_printf(out, "%d", r->arity);
        sb_strbuf_printf(out, " | %d | %s | %s |\n", r->prec, r->typing, r->doc);
    }
}

static void
the_reference_shows_the_table(void **state)
{
    const char *const path = SB_SOURCE_DIR "/docs/ir.md";
    FILE *f = fopen(path, "rb");
    char *text = calloc(1, 1 << 18);
    sb_strbuf want;

    (void)state;
    assert_non_null(f);
    assert_non_null(text);
    assert_true(fread(text, 1, (1 << 18) - 1, f) > 0);
    (void)fclose(f);
    sb_strbuf_init(&want);
    print_rows(&want);
    assert_int_equal(sb_strbuf_status(&want), SB_OK);
    if (!strstr(text, want.s))
        fail_msg("docs/ir.md must contain:\n%s", want.s);
    sb_strbuf_free(&want);
    free(text);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(equal_expressions_are_one_node),
        cmocka_unit_test(integer_literals_fold),
        cmocka_unit_test(neutral_elements_vanish_unless_they_widen),
        cmocka_unit_test(types_follow_the_table),
        cmocka_unit_test(memory_that_runs_out_stays_noticed),
        cmocka_unit_test(the_table_is_sound),
        cmocka_unit_test(the_reference_shows_the_table),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
