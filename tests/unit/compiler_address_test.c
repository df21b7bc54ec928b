/*
 * Where elements lie (equations 6-8): every element of a buffer has a place of its own,
 * also where the trees of its axes interleave, and stages I and III agree on it.
 */
#include "irprog.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "compiler/address.h"

#define HEAD                                                                     \
    "  param %m : i64\n  param %k : i64\n  param %n : i64\n  param %nnz : i64\n" \
    "  buf $ptr : i32[%m + 1] aux\n  buf $crd : i32[%nnz] aux\n"                 \
    "  axis #I = dense_fixed(%m)\n"                                              \
    "  axis #J = sparse_variable(#I, %k, nnz %nnz, ptr $ptr, crd $crd) sorted\n" \
    "  buf $wide : i32[%nnz * 2] aux\n"                                          \
    "  axis #W = sparse_fixed(#J, %n, width 2, crd $wide)\n"                     \
    "  axis #K = dense_fixed(%n)\n  axis #L = dense_fixed(2)\n"

/* $A over these axes; every element gets a number of its own. */
static const char *const shapes[] = {
    "#I, #J, #K",     "#I, #K, #J",     "#K, #I, #J",     "#K, #I, #L, #J",
    "#I, #L, #J, #K", "#I, #K, #J, #W", "#I, #J, #K, #W", "#I, #K, #J, #L, #W",
};

static void
make_text(char *out, size_t size, const char *axes)
{
    const bool w = strstr(axes, "#W"), k = strstr(axes, "#K"), l = strstr(axes, "#L");
    char index[64] = "";

    for (const char *s = axes; *s; s++) {
        if (*s == '#') {
            char one[8];

            (void)snprintf(one, sizeof one, "%s%%%c", *index ? ", " : "",
                           s[1] == 'I'   ? 'i'
                           : s[1] == 'J' ? 'j'
                           : s[1] == 'K' ? 'c'
                           : s[1] == 'L' ? 'l'
                                         : 'w');
            (void)strcat(index, one);
        }
    }
    (void)snprintf(out, size,
                   "prog @p stage 1 {\n%s  buf $A : i64[%s] inout\n"
                   "  iter fill (%%i : S #I, %%j : S #J%s%s%s) {\n"
                   "    $A[%s] += %%i * 1000 + %%j * 100%s%s%s + 1\n  }\n}\n",
                   HEAD, axes, w ? ", %w : S #W" : "", k ? ", %c : S #K" : "",
                   l ? ", %l : S #L" : "", index, w ? " + %w * 10000" : "",
                   k ? " + %c * 10" : "", l ? " + %l" : "");
}

static void
run_shape(const char *axes)
{
    int32_t ptr[] = {0, 2, 2, 5}, crd[] = {0, 2, 1, 2, 3};
    int32_t wide[] = {0, 1, 0, 1, 1, 2, 0, 2, 0, 1};
    int64_t a[200] = {0}, b[200] = {0}, n = 5;
    const sb_prog *p, *q = NULL;
    char text[1500];
    ir_lab lab;

    ir_lab_init(&lab);
    make_text(text, sizeof text, axes);
    p = ir_lab_parse(&lab, text, true);
    n *= strstr(axes, "#W") ? 2 : 1;
    n *= strstr(axes, "#K") ? 3 : 1;
    n *= strstr(axes, "#L") ? 2 : 1;
    for (int r = 0; r < 2; r++) {
        const ir_bind bind[] = {IR_PARAM("m", 3),           IR_PARAM("k", 4),
                                IR_PARAM("n", 3),           IR_PARAM("nnz", 5),
                                IR_ARRAY("ptr", ptr, 4),    IR_ARRAY("crd", crd, 5),
                                IR_ARRAY("wide", wide, 10), IR_ARRAY("A", r ? b : a, n),
                                {NULL, 0, NULL, 0}};

        if (ir_run(&lab, r ? q : p, bind) != SB_OK)
            fail_msg("%s: %s", axes, lab.diag.text);
        if (r == 0 && (sb_pass_lower_iter(&q, &lab.ir, p) != SB_OK ||
                       sb_pass_lower_buf(&q, &lab.ir, q) != SB_OK))
            fail_msg("%s: %s", axes, lab.diag.text);
    }
    for (int64_t r = 0; r < n; r++) {
        assert_int_not_equal(a[r], 0); /* each place once ... */
        assert_int_equal(a[r], b[r]);  /* ... the same in both */
        for (int64_t s = 0; s < r; s++)
            assert_int_not_equal(a[r], a[s]); /* ... by one element only */
    }
    ir_lab_free(&lab);
}

static void
test_every_element_has_its_place(void **state)
{
    (void)state;
    for (size_t q = 0; q < sizeof shapes / sizeof *shapes; q++)
        run_shape(shapes[q]);
}

static void
test_siblings_are_refused(void **state)
{
    static const char text[] =
        "prog @p stage 1 {\n" HEAD
        "  axis #J2 = sparse_variable(#I, %k, nnz %nnz, ptr $ptr, crd $crd)\n"
        "  buf $A : f32[#I, #J, #J2] in\n}\n";
    const sb_prog *p;
    ir_lab lab;

    (void)state;
    ir_lab_init(&lab);
    p = ir_lab_parse(&lab, text, false);
    assert_int_equal(sb_prog_verify(p, &lab.diag), SB_EVERIFY);
    assert_non_null(strstr(lab.diag.text, "axes #J and #J2 of $A have one parent"));
    ir_lab_free(&lab);
}

static void
test_trees(void **state)
{
    static const char text[] =
        "prog @p stage 1 {\n" HEAD "  buf $A : f32[#I, #K, #J, #L, #W] in\n}\n";
    static const int parent[] = {-1, -1, 0, -1, 2}, root[] = {0, 1, 0, 3, 0};
    static const bool leaf[] = {false, true, false, true, true};
    const sb_buf *b = NULL;
    const sb_prog *p;
    ir_lab lab;

    (void)state;
    ir_lab_init(&lab);
    p = ir_lab_parse(&lab, text, true);
    for (int q = 0; q < p->nbuf; q++)
        b = strcmp(p->buf[q]->name, "A") == 0 ? p->buf[q] : b;
    for (int d = 0; d < 5; d++) {
        assert_int_equal(sb_buf_parent(b, d), parent[d]);
        assert_int_equal(sb_buf_root(b, d), root[d]);
        assert_int_equal(sb_buf_leaf(b, d), leaf[d]);
    }
    assert_string_equal(sb_buf_tree(b, 0)->name, "W");
    assert_string_equal(sb_buf_tree(b, 1)->name, "K");
    ir_lab_free(&lab);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_element_has_its_place),
        cmocka_unit_test(test_siblings_are_refused),
        cmocka_unit_test(test_trees),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
