/*
 * Every operation of the table means its definition: the interpreter on the stage I
 * text, the interpreter on the lowered and scheduled program, the emitted C and plain
 * loops agree exactly on small integers, for types, index widths, semirings and element
 * functions, and RGMS over hyb as well as over compressed rows.
 *
 * ctest-cost: 30
 */
#include "kernels/operations.h"

#include "base/macro.h"
#include "gen.h"
#include "kernels/lower.h"
#include "named.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int compiled; /* programs whose C has run */

/* ---- a world ------------------------------------------------------------------------ */

/* Dimensions; matrices use m, k, n, d, tensors of three dimensions m, k, l. */
typedef struct world {
    named s;
    gen_rng rng;
    int64_t m, n, k, d, l, rel, batch, nnz, ni, nj;
    sb_operation_args args;
} world;

static double
small(world *w)
{
    const int64_t v = gen_between(&w->rng, -3, 3);

    return (double)(v ? v : 1);
}

static void
add_values(world *w, const char *name, int64_t count)
{
    void *data = named_new(&w->s, name, w->args.value, count);

    for (int64_t q = 0; q < count; q++)
        sb_value_store(w->args.value, data, q, (sb_value){small(w), 0});
}

/* rows rows of up to cols columns each, some empty: ptr and crd, returns entries. */
static int64_t
add_rows(world *w, const char *ptr, const char *crd, int64_t rows, int64_t cols,
         bool no_empty)
{
    void *p = named_new(&w->s, ptr, w->args.ptr, rows + 1);
    void *c = named_new(&w->s, crd, w->args.idx, rows * cols);
    int64_t at = 0;

    for (int64_t i = 0; i < rows; i++) {
        const int64_t start = at;
        const int64_t share = gen_below(&w->rng, 4);

        sb_value_store(w->args.ptr, p, i, (sb_value){(double)at, 0});
        for (int64_t j = 0; j < cols; j++)
            if (gen_below(&w->rng, 4) < share)
                sb_value_store(w->args.idx, c, at++, (sb_value){(double)j, 0});
        if (no_empty && at == start && cols > 0)
            sb_value_store(w->args.idx, c, at++, (sb_value){(double)(cols - 1), 0});
    }
    sb_value_store(w->args.ptr, p, rows, (sb_value){(double)at, 0});
    w->s.array[w->s.narray - 1].count = at;
    return at;
}

static int64_t
integer_at(const world *w, const char *name, int64_t at)
{
    return (int64_t)named_get(&w->s, name, at);
}

static void
put_sizes(world *w)
{
    const struct {
        const char *name;
        int64_t value;
    } all[] = {{"m", w->m},   {"n", w->n},        {"k", w->k},     {"d", w->d},
               {"l", w->l},   {"rel", w->rel},    {"nnz", w->nnz}, {"ni", w->ni},
               {"nj", w->nj}, {"batch", w->batch}};

    for (int q = 0; q < SB_COUNT(all); q++)
        named_put(&w->s, all[q].name, all[q].value);
}

/* ---- the definitions ------------------------------------------------------------------ */

/* The semirings and element functions of the cases, as C. */
static double
product(const char *mul, double a, double b)
{
    if (!mul)
        return a * b;
    if (strcmp(mul, "a + b") == 0)
        return a + b;
    if (strcmp(mul, "min(a, b)") == 0)
        return fmin(a, b);
    assert_string_equal(mul, "a * b * b - a");
    return a * b * b - a;
}

static double
mapped(const char *map, double a, double b)
{
    if (!map)
        return a;
    if (strcmp(map, "a * b") == 0)
        return a * b;
    assert_string_equal(map, "select(a > 0.0, a, 0.0) + b");
    return (a > 0 ? a : 0) + b;
}

static double
zero_of(const char *add)
{
    return !add || *add == '+' ? 0 : strcmp(add, "min") == 0 ? INFINITY : -INFINITY;
}

static double
sum_of(const char *add, double x, double y)
{
    return !add || *add == '+'       ? x + y
           : strcmp(add, "min") == 0 ? fmin(x, y)
                                     : fmax(x, y);
}

/* Row i of A's entries: [lo, hi). */
static void
row_range(const world *w, int64_t i, int64_t *lo, int64_t *hi)
{
    *lo = integer_at(w, "A_ptr", i);
    *hi = integer_at(w, "A_ptr", i + 1);
}

static double
dot(const world *w, int64_t i, int64_t j, int64_t len, int64_t cols, int64_t x,
    int64_t y, bool semiring)
{
    const sb_operation_args *r = &w->args;
    double sum = semiring ? zero_of(r->add) : 0;

    for (int64_t c = 0; c < len; c++) {
        const double a = named_get(&w->s, "X", x + i * len + c);
        const double b = named_get(&w->s, "Y", y + c * cols + j);

        sum = semiring ? sum_of(r->add, sum, product(r->mul, a, b)) : sum + a * b;
    }
    return sum;
}

static void
expect_products(const world *w, double *out, bool fused)
{
    const sb_operation_args *r = &w->args;
    const int64_t n = w->n ? w->n : 1;

    for (int64_t q = 0; q < w->batch; q++)
        for (int64_t i = 0; i < w->m; i++)
            for (int64_t c = 0; c < n; c++) {
                double sum = zero_of(r->add);
                int64_t lo, hi;

                row_range(w, i, &lo, &hi);
                for (int64_t p = lo; p < hi; p++) {
                    const int64_t j = integer_at(w, "A_crd", p);
                    double a = named_get(&w->s, "A", q * w->nnz + p);

                    if (fused)
                        a = mapped(r->map, dot(w, i, j, w->d, w->k, 0, 0, false), a);
                    sum =
                        sum_of(r->add, sum,
                               product(r->mul, a,
                                       named_get(&w->s, "B", (q * w->k + j) * n + c)));
                }
                out[(q * w->m + i) * n + c] = sum;
            }
}

static void
expect_product(const world *w, double *out)
{
    expect_products(w, out, false);
}

static void
expect_fused(const world *w, double *out)
{
    expect_products(w, out, true);
}

static void
expect_sampled(const world *w, double *out)
{
    for (int64_t q = 0; q < w->batch; q++)
        for (int64_t i = 0; i < w->m; i++) {
            int64_t lo, hi;

            row_range(w, i, &lo, &hi);
            for (int64_t p = lo; p < hi; p++) {
                const double s = dot(w, i, integer_at(w, "A_crd", p), w->k, w->n,
                                     q * w->m * w->k, q * w->k * w->n, true);

                out[q * w->nnz + p] =
                    w->batch > 1 ? s : mapped(w->args.map, s, named_get(&w->s, "A", p));
            }
        }
}

static void
expect_rgms(const world *w, double *out)
{
    memset(out, 0, (size_t)(w->m * w->n) * sizeof *out);
    for (int64_t r = 0; r < w->rel; r++)
        for (int64_t i = 0; i < w->m; i++) {
            int64_t lo, hi;

            row_range(w, r * w->m + i, &lo, &hi);
            for (int64_t p = lo; p < hi; p++)
                for (int64_t e = 0; e < w->d; e++)
                    for (int64_t l = 0; l < w->n; l++)
                        out[i * w->n + l] +=
                            named_get(&w->s, "A", p) *
                            named_get(&w->s, "X",
                                      integer_at(w, "A_crd", p) * w->d + e) *
                            named_get(&w->s, "W", (r * w->d + e) * w->n + l);
        }
}

/* Calls fn for each element of the CSF tensor. */
typedef void (*fiber_fn)(const world *w, double *out, int64_t i, int64_t q, int64_t p);

static void
for_each_fiber(const world *w, double *out, fiber_fn fn)
{
    for (int64_t u = 0; u < w->ni; u++)
        for (int64_t q = integer_at(w, "J_ptr", u); q < integer_at(w, "J_ptr", u + 1);
             q++)
            for (int64_t p = integer_at(w, "L_ptr", q);
                 p < integer_at(w, "L_ptr", q + 1); p++)
                fn(w, out, integer_at(w, "I_crd", u), q, p);
}

static void
add_mttkrp(const world *w, double *out, int64_t i, int64_t q, int64_t p)
{
    const int64_t j = integer_at(w, "J_crd", q), l = integer_at(w, "L_crd", p);

    for (int64_t c = 0; c < w->n; c++)
        out[i * w->n + c] += named_get(&w->s, "A", p) *
                             named_get(&w->s, "B", j * w->n + c) *
                             named_get(&w->s, "C", l * w->n + c);
}

static void
add_ttv(const world *w, double *out, int64_t i, int64_t q, int64_t p)
{
    (void)i;
    out[q] +=
        named_get(&w->s, "A", p) * named_get(&w->s, "V", integer_at(w, "L_crd", p));
}

static void
expect_mttkrp(const world *w, double *out)
{
    memset(out, 0, (size_t)(w->m * w->n) * sizeof *out);
    for_each_fiber(w, out, add_mttkrp);
}

static void
expect_ttv(const world *w, double *out)
{
    memset(out, 0, (size_t)w->nj * sizeof *out);
    for_each_fiber(w, out, add_ttv);
}

/* ---- operands ------------------------------------------------------------------------- */

static void
fill_matrix(world *w)
{
    const int64_t n = w->n ? w->n : 1;

    w->nnz = add_rows(w, "A_ptr", "A_crd", w->m, w->k, false);
    add_values(w, "A", w->batch * w->nnz);
    add_values(w, "B", w->batch * w->k * n);
    add_values(w, "X", w->m * w->d);
    add_values(w, "Y", w->d * w->k);
    (void)named_new(&w->s, "S", w->args.value, w->nnz);
    (void)named_new(&w->s, "C", w->args.value, w->batch * w->m * n);
}

static void
fill_sampled(world *w)
{
    w->nnz = add_rows(w, "A_ptr", "A_crd", w->m, w->n, false);
    add_values(w, "A", w->nnz);
    add_values(w, "X", w->batch * w->m * w->k);
    add_values(w, "Y", w->batch * w->k * w->n);
    (void)named_new(&w->s, "S", w->args.value, w->batch * w->nnz);
}

/* The rows of every relation in buckets of width 1, 2 and 4, long rows in pieces. */
static void
add_hyb(world *w, int width, int longest)
{
    char name[4][24];
    void *ptr, *row, *crd, *val;
    int64_t at = 0;

    (void)snprintf(name[0], sizeof name[0], "hyb%d_ptr", width);
    (void)snprintf(name[1], sizeof name[1], "hyb%d_row", width);
    (void)snprintf(name[2], sizeof name[2], "hyb%d_crd", width);
    (void)snprintf(name[3], sizeof name[3], "hyb%d_val", width);
    ptr = named_new(&w->s, name[0], w->args.ptr, w->rel + 1);
    row = named_new(&w->s, name[1], w->args.idx, w->rel * w->m * w->k);
    crd = named_new(&w->s, name[2], w->args.idx, w->rel * w->m * w->k * width);
    val = named_new(&w->s, name[3], w->args.value, w->rel * w->m * w->k * width);
    for (int64_t r = 0; r < w->rel; r++) {
        for (int64_t i = 0; i < w->m; i++) {
            int64_t lo, hi;

            row_range(w, r * w->m + i, &lo, &hi);
            for (int64_t p = lo; p < hi; p += longest) {
                const int64_t len = hi - p < longest ? hi - p : longest;

                if (len > width || 2 * len <= width)
                    continue; /* of another bucket */
                sb_value_store(w->args.idx, row, at, (sb_value){(double)i, 0});
                for (int64_t e = 0; e < width; e++) {
                    const bool real = e < len;

                    sb_value_store(
                        w->args.idx, crd, at * width + e,
                        (sb_value){real ? (double)integer_at(w, "A_crd", p + e) : -1,
                                   0});
                    sb_value_store(
                        w->args.value, val, at * width + e,
                        (sb_value){real ? named_get(&w->s, "A", p + e) : 99, 0});
                }
                at++;
            }
        }
        sb_value_store(w->args.ptr, ptr, r + 1, (sb_value){(double)at, 0});
    }
    (void)snprintf(name[0], sizeof name[0], "hyb%d", width);
    named_put(&w->s, name[0], at);
    w->s.array[w->s.narray - 3].count = at;
    w->s.array[w->s.narray - 2].count = at * width;
    w->s.array[w->s.narray - 1].count = at * width;
}

static void
fill_rgms(world *w)
{
    w->nnz = add_rows(w, "A_ptr", "A_crd", w->rel * w->m, w->k, false);
    add_values(w, "A", w->nnz);
    add_values(w, "X", w->k * w->d);
    add_values(w, "W", w->rel * w->d * w->n);
    (void)named_new(&w->s, "Y", w->args.value, w->m * w->n);
    for (int width = 1; width <= 4; width *= 2)
        add_hyb(w, width, 4);
}

static void
fill_fibers(world *w)
{
    void *i_crd = named_new(&w->s, "I_crd", w->args.idx, w->m);

    for (int64_t i = 0; i < w->m; i++)
        if (gen_below(&w->rng, 3) > 0)
            sb_value_store(w->args.idx, i_crd, w->ni++, (sb_value){(double)i, 0});
    w->s.array[0].count = w->ni;
    w->nj = add_rows(w, "J_ptr", "J_crd", w->ni, w->k, true);
    w->nnz = add_rows(w, "L_ptr", "L_crd", w->nj, w->l, true);
    add_values(w, "A", w->nnz);
    add_values(w, "B", w->k * w->n);
    add_values(w, "C", w->l * w->n);
    add_values(w, "V", w->l);
    (void)named_new(&w->s, "D", w->args.value, w->m * w->n);
    (void)named_new(&w->s, "Z", w->args.value, w->nj);
}

/* ---- cases ------------------------------------------------------------------------------ */

typedef struct operation_case {
    const char *op;
    void (*fill)(world *w);
    void (*expect)(const world *w, double *out);
    const char *output;
    const char *add, *mul, *map;
    int64_t batch;
    bool hyb;
} operation_case;

static const operation_case cases[] = {
    {"spmv", fill_matrix, expect_product, "C", NULL, NULL, NULL, 1, false},
    {"spmv", fill_matrix, expect_product, "C", "min", "a + b", NULL, 1, false},
    {"spmm", fill_matrix, expect_product, "C", NULL, NULL, NULL, 1, false},
    {"spmm", fill_matrix, expect_product, "C", "max", "min(a, b)", NULL, 1, false},
    {"spmm", fill_matrix, expect_product, "C", "+", "a * b * b - a", NULL, 1, false},
    {"sddmm", fill_sampled, expect_sampled, "S", NULL, NULL, "a * b", 1, false},
    {"sddmm", fill_sampled, expect_sampled, "S", "max", "a + b", NULL, 1, false},
    {"fusedmm", fill_matrix, expect_fused, "C", NULL, NULL, NULL, 1, false},
    {"fusedmm", fill_matrix, expect_fused, "C", NULL, NULL,
     "select(a > 0.0, a, 0.0) + b", 1, false},
    {"fusedmm", fill_matrix, expect_fused, "C", "max", "a + b", "a * b", 1, false},
    {"spmm_batched", fill_matrix, expect_product, "C", NULL, NULL, NULL, 3, false},
    {"sddmm_batched", fill_sampled, expect_sampled, "S", NULL, NULL, NULL, 3, false},
    {"rgms", fill_rgms, expect_rgms, "Y", NULL, NULL, NULL, 1, false},
    {"rgms", fill_rgms, expect_rgms, "Y", NULL, NULL, NULL, 1, true},
    {"mttkrp", fill_fibers, expect_mttkrp, "D", NULL, NULL, NULL, 1, false},
    {"ttv", fill_fibers, expect_ttv, "Z", NULL, NULL, NULL, 1, false},
};

static const int64_t sizes[][6] = {
    /* m n k d l rel */
    {7, 5, 6, 4, 5, 2},    {1, 1, 1, 1, 1, 1},  {13, 37, 9, 3, 4, 3},
    {20, 2, 31, 11, 8, 1}, {5, 70, 3, 2, 2, 4}, {9, 3, 0, 2, 3, 2},
};

static const sb_prog *
stage1(sb_ir *ir, const operation_case *oc, const sb_operation_args *args)
{
    static const int width[] = {1, 2, 4};
    sb_strbuf text;
    const sb_prog *p = NULL;

    sb_strbuf_init(&text);
    assert_int_equal(sb_operation_text(&text, oc->op, args, ir->diag), SB_OK);
    if (sb_prog_parse(&p, ir, text.s, text.len) != SB_OK)
        fail_msg("%s\n%s", ir->diag->text, text.s);
    if (oc->hyb) {
        sb_strbuf_clear(&text);
        sb_operation_hyb_rules(&text, args, width, 3);
        if (sb_pass_decompose(&p, ir, p, text.s, false) != SB_OK)
            fail_msg("%s\n%s", ir->diag->text, text.s);
    }
    sb_strbuf_free(&text);
    return p;
}

static void
check(const world *w, const operation_case *oc, const double *want, const char *what)
{
    const named_array *out = named_find(&w->s, oc->output);

    for (int64_t q = 0; q < out->count; q++)
        if (named_get(&w->s, oc->output, q) != want[q])
            fail_msg("%s, %s, %s: element %lld of %lld is %g, not %g", oc->op,
                     sb_dtype_name(w->args.value), what, (long long)q,
                     (long long)out->count, named_get(&w->s, oc->output, q), want[q]);
}

static void
run_case(const operation_case *oc, const int64_t *size, int variant)
{
    static const sb_dtype types[][3] = {
        {SB_F64, SB_I32, SB_I32}, {SB_F32, SB_I64, SB_I64}, {SB_F32, SB_I64, SB_I32}};
    const sb_dtype *t = types[variant % 3];
    world w = {.m = size[0],
               .n = size[1],
               .k = size[2],
               .d = size[3],
               .l = size[4],
               .rel = size[5],
               .batch = oc->batch,
               .args = {t[0], t[1], t[2], oc->add, oc->mul, oc->map}};
    sb_diag diag = {SB_OK, ""};
    const sb_prog *p, *flat = NULL;
    sb_arena arena;
    sb_ir ir;
    double *want;

    w.rng.state = (uint64_t)variant + 1;
    if (strcmp(oc->op, "spmv") == 0)
        w.n = 0;
    oc->fill(&w);
    put_sizes(&w);
    want = calloc((size_t)named_find(&w.s, oc->output)->count + 1, sizeof *want);
    assert_non_null(want);
    oc->expect(&w, want);
    sb_arena_init(&arena);
    sb_ir_init(&ir, &arena, &diag);
    p = stage1(&ir, oc, &w.args);
    named_poison(&w.s, oc->output);
    named_interpret(&w.s, p);
    check(&w, oc, want, "stage 1");
    if (sb_lower_wished(&flat, &ir, p, sb_operation_schedule(oc->op), NULL) != SB_OK)
        fail_msg("%s: %s", oc->op, diag.text);
    named_poison(&w.s, oc->output);
    named_interpret(&w.s, flat);
    check(&w, oc, want, "stage 3");
    named_poison(&w.s, oc->output);
    if (named_compile_run(&w.s, flat)) {
        check(&w, oc, want, "C");
        compiled++;
    }
    sb_arena_free(&arena);
    free(want);
    named_free(&w.s);
}

static void
test_operations(void **state)
{
    (void)state;
    for (int q = 0; q < SB_COUNT(cases); q++)
        for (int k = 0; k < SB_COUNT(sizes); k++)
            run_case(&cases[q], sizes[k], k);
    print_message("%d of %d programs compiled\n", compiled,
                  SB_COUNT(cases) * SB_COUNT(sizes));
}

/* Every line of the schedules fits some program: none is there by mistake. */
static void
test_schedules(void **state)
{
    const sb_operation_args args = {SB_F32, SB_I32, SB_I32, NULL, NULL, NULL};

    (void)state;
    for (int q = 0; sb_operation_name(q); q++) {
        const operation_case oc = {.op = sb_operation_name(q)};
        sb_diag diag = {SB_OK, ""};
        sb_arena arena;
        sb_ir ir;
        const sb_prog *flat;
        sb_strbuf taken;

        sb_arena_init(&arena);
        sb_ir_init(&ir, &arena, &diag);
        sb_strbuf_init(&taken);
        assert_int_equal(sb_lower_wished(&flat, &ir, stage1(&ir, &oc, &args),
                                         sb_operation_schedule(oc.op), &taken),
                         SB_OK);
        assert_string_equal(taken.s, sb_operation_schedule(oc.op));
        sb_strbuf_free(&taken);
        sb_arena_free(&arena);
    }
}

static void
test_refused(void **state)
{
    static const struct {
        const char *op, *add, *mul, *say;
    } bad[] = {
        {"spvv", "+", NULL, "no operation \"spvv\""},
        {"spmm", "*", NULL, "none of +, min, max"},
        {"spmm", "+", "a * b } }", "has no '}'"},
        {"spmm", "+", "$B[0]", "has no '$'"},
        {"spmm", "+", "a) * (b", "do not match"},
        {"spmm", "+", "(a * b", "do not match"},
    };

    (void)state;
    for (int q = 0; q < SB_COUNT(bad); q++) {
        const sb_operation_args args = {SB_F32,     SB_I32,     SB_I32,
                                        bad[q].add, bad[q].mul, NULL};
        sb_diag diag = {SB_OK, ""};
        sb_strbuf text;

        sb_strbuf_init(&text);
        assert_int_equal(sb_operation_text(&text, bad[q].op, &args, &diag), SB_EINVAL);
        if (!strstr(diag.text, bad[q].say))
            fail_msg("\"%s\" does not say \"%s\"", diag.text, bad[q].say);
        sb_strbuf_free(&text);
    }
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_operations),
        cmocka_unit_test(test_schedules),
        cmocka_unit_test(test_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
