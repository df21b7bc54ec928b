/*
 * Contractions over tensors in many formats against loops over the elements: MTTKRP, TTV
 * and RGMS of three dimensions (RGMS over hyb too, SparseTIR 4.4), products of matrices
 * in a semiring, where a stored zero must not take part. Interpreter before and after
 * lowering and, for one tensor, the emitted C; data are small integers, compared with ==.
 *
 * ctest-cost: 30
 */
#include "kernels/format_program.h"

#include "base/macro.h"
#include "gen.h"
#include "kernels/lower.h"
#include "named.h"
#include "planner/format_names.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- a tensor and its dense operands ------------------------------------------------- */

typedef struct world {
    int ndim;
    int64_t extent[3], n, d, nnz;
    bool compile;
    int64_t *coord[3];
    double *val;
    named s;
} world;

static void
add_values(world *w, gen_rng *r, const char *name, int64_t count)
{
    double *v = named_new(&w->s, name, SB_F64, count);

    for (int64_t q = 0; q < count; q++)
        v[q] = (double)gen_between(r, -3, 3);
}

static void
open_world(world *w, int ndim, uint64_t seed)
{
    static const int64_t sizes[][3] = {{5, 7, 6}, {1, 4, 9}, {8, 3, 1}, {4, 9, 13}};
    gen_rng r = {seed};
    int64_t all = 1;

    *w = (world){.ndim = ndim, .n = 3, .d = 2, .compile = seed == 0};
    for (int d = 0; d < 3; d++) {
        w->extent[d] = sizes[seed % 4][d];
        all *= d < ndim ? w->extent[d] : 1;
    }
    w->val = calloc((size_t)all + 1, sizeof *w->val);
    for (int d = 0; d < 3; d++)
        w->coord[d] = calloc((size_t)all + 1, sizeof **w->coord);
    for (int64_t p = 0; p < all && seed != 3; p++) {
        int64_t at = p;

        if (gen_below(&r, 4) > 0)
            continue;
        for (int d = ndim - 1; d >= 0; at /= w->extent[d--])
            w->coord[d][w->nnz] = at % w->extent[d];
        w->val[w->nnz++] = (double)gen_between(&r, 1, 4);
    }
    add_values(w, &r, "B", 100);
    add_values(w, &r, "X", 100);
    add_values(w, &r, "W", 200);
    add_values(w, &r, "V", 20);
    named_put(&w->s, "n", w->n);
    named_put(&w->s, "d", w->d);
}

static void
close_world(world *w)
{
    for (int d = 0; d < 3; d++)
        free(w->coord[d]);
    free(w->val);
    named_free(&w->s);
}

/* ---- the sums -------------------------------------------------------------------------- */

typedef struct sum {
    const char *name, *output;
    int ndim;
    const char *extent[3]; /* names of the extents */
    int64_t (*size)(const world *w);
    void (*add)(const world *w, double *out, const int64_t *at, double v);
    const char *plus, *times;
} sum;

static double
get(const world *w, const char *name, int64_t at)
{
    return named_get(&w->s, name, at);
}

static int64_t
size_rows(const world *w)
{
    return w->extent[0] * w->n;
}

static int64_t
size_middle(const world *w)
{
    return w->extent[1] * w->n;
}

static int64_t
size_pairs(const world *w)
{
    return w->extent[0] * w->extent[1];
}

static void
add_mttkrp(const world *w, double *out, const int64_t *at, double v)
{
    for (int64_t c = 0; c < w->n; c++)
        out[at[0] * w->n + c] +=
            v * get(w, "B", at[1] * w->n + c) * get(w, "C", at[2] * w->n + c);
}

static void
add_ttv(const world *w, double *out, const int64_t *at, double v)
{
    out[at[0] * w->extent[1] + at[1]] += v * get(w, "V", at[2]);
}

static void
add_rgms(const world *w, double *out, const int64_t *at, double v)
{
    for (int64_t e = 0; e < w->d; e++)
        for (int64_t c = 0; c < w->n; c++)
            out[at[1] * w->n + c] += v * get(w, "X", at[2] * w->d + e) *
                                     get(w, "W", (at[0] * w->d + e) * w->n + c);
}

static void
add_spmm(const world *w, double *out, const int64_t *at, double v)
{
    for (int64_t c = 0; c < w->n; c++) {
        double *o = &out[at[0] * w->n + c];
        const double x = v + get(w, "B", at[1] * w->n + c);

        *o = x < *o ? x : *o;
    }
}

static const sum sums[] = {
    {"mttkrp", "D", 3, {"m", "k", "l"}, size_rows, add_mttkrp, NULL, NULL},
    {"ttv", "Z", 3, {"m", "k", "l"}, size_pairs, add_ttv, NULL, NULL},
    {"rgms", "Y", 3, {"rel", "m", "k"}, size_middle, add_rgms, NULL, NULL},
    {"spmm", "C", 2, {"m", "k", "unused"}, size_rows, add_spmm, "min", "a + b"},
};

/* ---- one sum over one tensor --------------------------------------------------------- */

typedef struct run {
    const world *w;
    const sum *sum;
    const char *how;
    named s; /* operands of the world; then those of a leaf */
    int nint, narray;
    bool first, lowered, compiled;
} run;

static void
put_array(run *r, const char *name, sb_dtype type, int64_t count, void *data)
{
    named_array *a = &r->s.array[r->s.narray++];

    assert_true(r->s.narray <= NAMED_MAX);
    *a = (named_array){.type = type, .count = count, .data = data};
    (void)snprintf(a->name, sizeof a->name, "%s", name);
}

static void
use_names(run *r, const sb_tensor *t)
{
    const int64_t slots = sb_tensor_slots(t);
    sb_format_names n;

    sb_format_names_of(&n, t);
    r->s.nint = r->nint;
    r->s.narray = r->narray;
    for (int q = 0; q < n.nint; q++)
        named_put(&r->s, n.integer[q].name, n.integer[q].value);
    for (int q = 0; q < n.narray; q++)
        put_array(r, n.array[q].name, n.array[q].type, n.array[q].count,
                  n.array[q].data);
    put_array(r, "A", t->val_type, slots > 0 ? (slots - 1) * t->val.stride + 1 : 0,
              t->val.data);
}

static void
run_leaf(run *r, const sb_tensor *t)
{
    const sb_operation_args args = {SB_F64,       t->ptr_type,   t->idx_type,
                                    r->sum->plus, r->sum->times, NULL};
    sb_diag diag = {SB_OK, ""};
    const sb_prog *p = NULL;
    sb_strbuf text;
    sb_arena ar;
    sb_ir ir;

    sb_arena_init(&ar);
    sb_ir_init(&ir, &ar, &diag);
    sb_strbuf_init(&text);
    if (sb_format_contract(&text, t->fmt, r->sum->name, &args, r->first, &diag) !=
            SB_OK ||
        sb_prog_parse(&p, &ir, text.s, text.len) != SB_OK ||
        (r->lowered && sb_lower_wished(&p, &ir, p, "parallel %e0\n", NULL) != SB_OK))
        fail_msg("%s over %s: %s\n%s", r->sum->name, t->fmt->name, diag.text, text.s);
    use_names(r, t);
    if (!r->compiled || !named_compile_run(&r->s, p))
        named_interpret(&r->s, p);
    r->first = false;
    sb_strbuf_free(&text);
    sb_arena_free(&ar);
}

static void
run_leaves(run *r, const sb_tensor *t)
{
    if (t->nbank == 0)
        run_leaf(r, t);
    for (int q = 0; q < t->nbank; q++)
        run_leaves(r, &t->bank[q]);
}

static void
run_sum(const world *w, const sb_tensor *t, const sum *sm, double *want)
{
    static const char *const how[] = {"stage 1", "stage 3", "C"};
    const int64_t size = sm->size(w);

    for (int64_t q = 0; q < size; q++)
        want[q] = sm->plus ? INFINITY : 0;
    for (int64_t p = 0; p < w->nnz; p++) {
        const int64_t at[3] = {w->coord[0][p], w->coord[1][p], w->coord[2][p]};

        sm->add(w, want, at, w->val[p]);
    }
    for (int q = 0; q < (w->compile ? 3 : 2); q++) {
        run r = {.w = w,
                 .sum = sm,
                 .how = how[q],
                 .s = w->s,
                 .first = true,
                 .lowered = q > 0,
                 .compiled = q > 1};
        double *out;

        for (int d = 0; d < 3; d++)
            named_put(&r.s, sm->extent[d], w->extent[d]);
        r.s.narray -= strcmp(sm->output, "C") == 0 && named_find(&w->s, "C") != NULL;
        out = named_new(&r.s, sm->output, SB_F64, size);
        named_poison(&r.s, sm->output);
        r.nint = r.s.nint;
        r.narray = r.s.narray;
        run_leaves(&r, t);
        for (int64_t k = 0; k < size; k++)
            if (out[k] != want[k])
                fail_msg("%s over %s, %s: element %lld is %g, not %g", sm->name,
                         t->fmt->name, r.how, (long long)k, out[k], want[k]);
        free(out);
    }
}

static void
run_format(const char *text)
{
    sb_diag diag = {SB_OK, ""};
    const sb_fmt *f = NULL;
    sb_arena ar;

    sb_arena_init(&ar);
    if (sb_fmt_parse(&f, &ar, text, &diag) != SB_OK)
        fail_msg("%s", diag.text);
    for (uint64_t seed = 0; seed < 4; seed++) {
        double want[400];
        sb_tensor t;
        world w;

        open_world(&w, f->ndim, seed);
        {
            const sb_tensor_coo coo = {w.ndim, {w.extent[0], w.extent[1], w.extent[2]},
                                       w.nnz,  {w.coord[0], w.coord[1], w.coord[2]},
                                       w.val,  SB_F64};

            if (sb_tensor_from_coo(&t, f, &coo, seed % 2 == 1, NULL, &diag) != SB_OK)
                fail_msg("%s: %s", f->name, diag.text);
        }
        if (f->ndim == 3)
            (void)named_values(&w.s, "C", SB_F64, 100,
                               (const double *)named_find(&w.s, "W")->data);
        for (int q = 0; q < SB_COUNT(sums); q++)
            if (sums[q].ndim == f->ndim)
                run_sum(&w, &t, &sums[q], want);
        sb_tensor_free(&t);
        close_world(&w);
    }
    sb_arena_free(&ar);
}

static void
test_tensors(void **state)
{
    static const char *const formats[] = {
        "hyb3<2>",
        "ell_rows3<2>",
        "format coo3 (i, j, k) -> (i, j, k) trim(0, 2)",
        "format csf_kij (i, j, k) -> (k, i, j) merge(0, 1) trim(0, 2)",
        "format dense3 (i, j, k) -> (i, j, k)",
        ("format blocks3<b=2> (i, j, k) -> (i/b, j/b, k/b, i%b, j%b, k%b)\n"
         "merge(0, 1, 2) trim(1, 2)"),
        "format slanted (i, j, k) -> (j - i, i, k) merge(0, 1) trim(0, 2) pack(2, 2)",
    };

    (void)state;
    for (int q = 0; sb_fmt_registry(q); q++) {
        sb_diag diag = {SB_OK, ""};
        const sb_fmt *f;
        sb_arena ar;

        sb_arena_init(&ar);
        assert_int_equal(sb_fmt_parse(&f, &ar, sb_fmt_registry(q)->name, &diag), SB_OK);
        if (f->ndim == 3)
            run_format(sb_fmt_registry(q)->name);
        sb_arena_free(&ar);
    }
    for (int q = 0; q < SB_COUNT(formats); q++)
        run_format(formats[q]);
}

static void
test_semiring(void **state)
{
    static const char *const formats[] = {"csr", "coo",       "bsr<2>",         "dia",
                                          "ell", "hyb<4, 1>", "bdia_csr<2, 2>", "cisr",
                                          "dok"};

    (void)state;
    for (int q = 0; q < SB_COUNT(formats); q++)
        run_format(formats[q]);
}

static void
test_refused(void **state)
{
    static const struct {
        const char *format, *name, *say;
    } bad[] = {
        {"csr", "mttkrp", "mttkrp is over 3 dimensions, format csr has 2"},
        {"csr", "spmspm", "no contraction \"spmspm\""},
        {"bdia_csr", "spmm", "format bdia_csr is a hybrid: its parts have programs"}};
    const sb_operation_args args = {SB_F64, SB_I32, SB_I32, NULL, NULL, NULL};

    (void)state;
    for (int q = 0; q < SB_COUNT(bad); q++) {
        sb_diag diag = {SB_OK, ""};
        const sb_fmt *f;
        sb_strbuf text;
        sb_arena ar;

        sb_arena_init(&ar);
        sb_strbuf_init(&text);
        assert_int_equal(sb_fmt_parse(&f, &ar, bad[q].format, &diag), SB_OK);
        assert_int_equal(sb_format_contract(&text, f, bad[q].name, &args, true, &diag),
                         SB_EINVAL);
        assert_string_equal(diag.text, bad[q].say);
        sb_strbuf_free(&text);
        sb_arena_free(&ar);
    }
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_tensors),
        cmocka_unit_test(test_semiring),
        cmocka_unit_test(test_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
