/*
 * Products in every format of the registry, and in formats nobody has a kernel for,
 * against a dense oracle: SpMV, SpMM and SDDMM, transposed operands, both layouts, beta
 * 0 (which finds NaN in C) and not, types, index widths. Data are small integers, so
 * results are compared with ==. Every program runs in the interpreter on every matrix,
 * compiled on some.
 *
 * ctest-cost: 60
 */
#include "planner/format_plan.h"

#include "base/alloc.h"
#include "base/macro.h"
#include "cpu/cpu.h"
#include "gen.h"
#include "runtime/backend.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Formats in one line that no file of the library knows. */
static const char *const unheard[] = {
    /* diagonals inside the blocks of BSR */
    "format dia_in_bsr<b=4> (i, j) -> (i/b, j/b, j%b - i%b, i%b)\n"
    "merge(0, 1, 2) trim(1, 2)",
    /* CISR by columns */
    "format cisr_columns<p=2> (i, j) -> (@bank(j), j, i)\n"
    "merge(0, 1) trim(1, 2) partition(0)\n"
    "where @bank = { sum(value) groupBy (j) with value ne 0 -> 1 | otherwise -> 0;\n"
    "  schedule(j, p) }",
    /* blocks of blocks, the inner ones in records */
    "format nested<b=4, c=2> (i, j) -> (i/b, j/b, i%b/c, j%b/c, i%c, j%c)\n"
    "merge(0, 1, 2, 3) trim(1, 3)",
    /* anti-diagonals */
    "format anti (i, j) -> (i + j, i) merge(0) trim(0, 1)",
    "format anti_dense (i, j) -> (i + j, j) merge(0) trim(0, 0)",
    /* packed records below blocks of rows */
    "format strips<b=3> (i, j) -> (i/b, j, i%b) merge(0) trim(1, 2) pack(1, 2)",
    /* as many levels as there can be, in records */
    "format deep (i, j) -> (i/4, j/4, i%4/2, j%4/2, i%2, j%2, i, j)\n"
    "merge(0, 1) trim(1, 5) pack(2, 7)",
    /* levels that follow from those above: marks as indices of an axis, before an index
     * below zero, as fields of records; above trim, with copies, in blocks, filled */
    "format dia_both (i, j) -> (j - i, i, j) merge(0) trim(0, 0)",
    "format dense_both (i, j) -> (i, j, j - i)",
    "format dia_records (i, j) -> (j - i, i, j) merge(0) trim(0, 0) pack(1, 2)",
    "format row_block (i, j) -> (i, i/4, j) merge(0, 1) trim(2, 2)",
    "format row_copies (i, j) -> (i, i/4, j) merge(0) trim(1, 2)",
    "format row_start (i, j) -> (i, i%2, j) merge(0, 1) trim(1, 2)",
    "format dia_blocks (i, j) -> (j/4 - i/4, i/4, j/4, j%4 - i%4, i%4) merge(0)\n"
    "trim(0, 0)",
    "format sum_runs (i, j) -> (i, j, i + j) merge(0, 1) trim(1, 2) fill(2)",
};

/* ---- one matrix ------------------------------------------------------------------------ */

typedef struct matrix_case {
    gen_family family;
    int64_t rows, cols;
    double density;
} matrix_case;

static const matrix_case cases[] = {
    {GEN_UNIFORM, 13, 9, 0.3},     {GEN_BANDED, 8, 12, 0},   {GEN_BLOCKS, 12, 20, 0},
    {GEN_EMPTY, 5, 7, 0},          {GEN_FULL, 1, 6, 0},      {GEN_FULL, 6, 1, 0},
    {GEN_DENSE_ROW, 17, 11, 0},    {GEN_DIAGONALS, 9, 9, 0}, {GEN_ROW_RUNS, 10, 21, 0},
    {GEN_POWER_LAW, 30, 25, 0.05}, {GEN_FULL, 1, 1, 0},      {GEN_UNIFORM, 3, 70, 0.1},
};

/* The matrix as a list for conversion and as dense doubles for the oracle. */
typedef struct world {
    int64_t m, k, n, nnz;
    int64_t *row, *col;
    void *val;
    sb_dtype type;
    double *dense;
    bool wide;
} world;

static void
open_world(world *w, const matrix_case *mc, sb_dtype type, uint64_t seed)
{
    gen_spec spec = {.family = mc->family,
                     .rows = mc->rows,
                     .cols = mc->cols,
                     .density = mc->density,
                     .seed = seed,
                     .format = SB_FORMAT_COO,
                     .ptr_type = SB_I64,
                     .idx_type = SB_I64,
                     .val_type = type,
                     .unsorted = seed % 2 == 1,
                     .integer = true};
    sb_matrix a = gen_matrix(&spec);

    *w = (world){.m = a.rows, .k = a.cols, .n = 5, .nnz = a.nnz, .type = type};
    w->wide = seed % 3 == 2;
    w->row = calloc((size_t)a.nnz + 1, sizeof *w->row);
    w->col = calloc((size_t)a.nnz + 1, sizeof *w->col);
    w->val = calloc((size_t)a.nnz + 1, sb_dtype_size(type));
    w->dense = calloc((size_t)(a.rows * a.cols) + 1, sizeof *w->dense);
    assert_true(w->row && w->col && w->val && w->dense);
    for (int64_t p = 0; p < a.nnz; p++) {
        const double v = fabs(sb_value_load(type, a.val, p).re); /* SDDMM: see below */

        w->row[p] = sb_index(a.row, SB_I64, p);
        w->col[p] = sb_index(a.idx, SB_I64, p);
        sb_value_store(type, w->val, p, (sb_value){v, 0});
        w->dense[w->row[p] * w->k + w->col[p]] = v;
    }
    gen_free_matrix(&a);
}

static void
close_world(world *w)
{
    free(w->row);
    free(w->col);
    free(w->val);
    free(w->dense);
}

static bool
store(sb_tensor *out, const world *w, const sb_fmt *f, sb_diag *diag)
{
    const sb_tensor_coo coo = {2,      {w->m, w->k}, w->nnz, {w->row, w->col},
                               w->val, w->type};

    return sb_tensor_from_coo(out, f, &coo, w->wide, NULL, diag) == SB_OK;
}

/* ---- products --------------------------------------------------------------------------- */

typedef struct product {
    sb_op op;
    sb_trans trans_a;
    bool b_col, c_col;
    double alpha, beta;
} product;

static const product products[] = {
    {SB_OP_SPMV, SB_TRANS_N, false, false, 1, 0},
    {SB_OP_SPMV, SB_TRANS_T, false, false, -2, 3},
    {SB_OP_SPMM, SB_TRANS_N, false, false, 2, 0},
    {SB_OP_SPMM, SB_TRANS_T, true, false, 1, 1},
    {SB_OP_SPMM, SB_TRANS_N, false, true, -1, 2},
    {SB_OP_SDDMM, SB_TRANS_N, false, false, 1, 0},
    {SB_OP_SDDMM, SB_TRANS_N, true, true, 2, 1},
};

static sb_dense
operand(int64_t rows, int64_t cols, sb_dtype type, bool col, uint64_t seed, bool poison)
{
    const gen_dense_spec spec = {.rows = rows,
                                 .cols = cols,
                                 .ld = cols == 1 && !col ? 1 : (col ? rows : cols) + 2,
                                 .col_major = col,
                                 .type = type,
                                 .seed = seed,
                                 .integer = true,
                                 .poison = poison};

    return gen_dense(&spec);
}

static double
at(const sb_dense *d, int64_t i, int64_t j)
{
    return sb_value_load(d->type, d->data, d->col_major ? i + j * d->ld : i * d->ld + j)
        .re;
}

static double
element(const world *w, sb_trans t, int64_t i, int64_t j)
{
    return t == SB_TRANS_N ? w->dense[i * w->k + j] : w->dense[j * w->k + i];
}

static sb_problem
problem(const world *w, const product *p)
{
    const bool sddmm = p->op == SB_OP_SDDMM, flip = p->trans_a != SB_TRANS_N;
    const int64_t n = p->op == SB_OP_SPMV ? 1 : w->n, m = flip ? w->k : w->m;
    const int64_t k = flip ? w->m : w->k;
    sb_problem pb = {.op = p->op,
                     .a = {.rows = w->m, .cols = w->k, .val_type = w->type, .batch = 1},
                     .trans_a = p->trans_a,
                     .compute = w->type,
                     .alpha = {p->alpha, 0},
                     .beta = {p->beta, 0},
                     .batch = 1};

    pb.b = sddmm ? operand(w->m, n, w->type, p->b_col, 3, false)
                 : operand(k, n, w->type, p->b_col, 3, false);
    pb.c = sddmm ? operand(n, w->k, w->type, p->c_col, 4, false)
                 : operand(m, n, w->type, p->c_col, 4, p->beta == 0);
    return pb;
}

/* Positive factors, so that no sampled value is zero and vanishes into padding. */
static void
make_positive(sb_dense *d)
{
    for (int64_t q = 0; q < gen_dense_extent(d); q++) {
        const double v = sb_value_load(d->type, d->data, q).re;

        if (v == v)
            sb_value_store(d->type, d->data, q, (sb_value){fabs(v), 0});
    }
}

/* ---- checks ------------------------------------------------------------------------------ */

typedef struct check {
    const world *w;
    const product *p;
    const char *format, *how;
} check;

static void
wrong(const check *c, int64_t i, int64_t j, double got, double want)
{
    fail_msg("%s, %s, op %d, trans %d, %lld x %lld: (%lld, %lld) is %g, not %g",
             c->format, c->how, (int)c->p->op, (int)c->p->trans_a, (long long)c->w->m,
             (long long)c->w->k, (long long)i, (long long)j, got, want);
}

static void
check_product(const check *c, const sb_problem *pb, const sb_dense *before)
{
    for (int64_t i = 0; i < pb->c.rows; i++)
        for (int64_t j = 0; j < pb->c.cols; j++) {
            double want = 0;

            for (int64_t k = 0; k < pb->b.rows; k++)
                want += element(c->w, pb->trans_a, i, k) * at(&pb->b, k, j);
            want = c->p->alpha * want +
                   (c->p->beta == 0 ? 0 : c->p->beta * at(before, i, j));
            if (at(&pb->c, i, j) != want)
                wrong(c, i, j, at(&pb->c, i, j), want);
        }
}

/* What the tensor now reads as: each stored place once, elements all there. */
static void
check_sampled(const check *c, const sb_problem *pb, const sb_tensor *t)
{
    const world *w = c->w;
    int64_t *coord[SB_FMT_DIMS] = {NULL}, nnz;
    double *seen = calloc((size_t)(w->m * w->k) + 1, sizeof *seen);
    void *val = NULL;

    assert_non_null(seen);
    assert_int_equal(sb_tensor_coords(coord, &val, &nnz, t), SB_OK);
    for (int64_t p = 0; p < nnz; p++) {
        const int64_t i = coord[0][p], j = coord[1][p];
        const double got = sb_value_load(w->type, val, p).re;
        double want = 0;

        for (int64_t q = 0; q < pb->b.cols; q++)
            want += at(&pb->b, i, q) * at(&pb->c, q, j);
        want = c->p->alpha * want + c->p->beta * w->dense[i * w->k + j];
        if (got != want)
            wrong(c, i, j, got, want);
        if (seen[i * w->k + j]++ > 0)
            fail_msg("%s: (%lld, %lld) is there twice", c->format, (long long)i,
                     (long long)j);
    }
    for (int64_t p = 0; p < w->nnz; p++)
        if (seen[w->row[p] * w->k + w->col[p]] == 0)
            wrong(c, w->row[p], w->col[p], 0, 1);
    for (int q = 0; q < SB_FMT_DIMS; q++)
        sb_free(coord[q]);
    sb_free(val);
    free(seen);
}

/* ---- one format on one matrix -------------------------------------------------------------- */

static int interpreted, compiled;

static void
run_product(const world *w, const sb_fmt *f, const product *p, sb_kernel_effort effort)
{
    check c = {w, p, f->name, "interpreted"};
    sb_problem pb = problem(w, p);
    sb_dense before;
    sb_diag diag = {SB_OK, ""};
    sb_format_plan *plan = NULL;
    sb_strbuf text;
    sb_tensor t;

    if (!store(&t, w, f, &diag))
        fail_msg("%s: %s", f->name, diag.text);
    if (p->op == SB_OP_SDDMM) {
        make_positive(&pb.b);
        make_positive(&pb.c);
    }
    before = gen_copy_dense(&pb.c);
    if (sb_format_plan_create(&plan, &t, &pb, effort, &diag) != SB_OK)
        fail_msg("%s, op %d: %s", f->name, (int)p->op, diag.text);
    sb_strbuf_init(&text);
    sb_format_plan_explain(&text, plan);
    if (!strstr(text.s, "interpreter"))
        c.how = "compiled";
    compiled += *c.how == 'c';
    interpreted += *c.how == 'i';
    if (sb_format_plan_run(plan, &pb, &diag) != SB_OK)
        fail_msg("%s, op %d: %s", f->name, (int)p->op, diag.text);
    if (p->op == SB_OP_SDDMM)
        check_sampled(&c, &pb, &t);
    else
        check_product(&c, &pb, &before);
    sb_format_plan_release(plan);
    sb_strbuf_free(&text);
    sb_tensor_free(&t);
    gen_free_dense(&before);
    gen_free_dense(&pb.b);
    gen_free_dense(&pb.c);
}

static void
run_format(const char *text, sb_kernel_effort effort)
{
    static const sb_dtype types[] = {SB_F64, SB_F32};
    const int step = effort == SB_KERNEL_COMPILE ? 4 : 1; /* of matrices */
    sb_diag diag = {SB_OK, ""};
    const sb_fmt *f = NULL;
    sb_arena ar;

    sb_arena_init(&ar);
    if (sb_fmt_parse(&f, &ar, text, &diag) != SB_OK)
        fail_msg("%s", diag.text);
    for (int q = 0; q < SB_COUNT(cases) && f->ndim == 2; q += step) {
        world w;

        open_world(&w, &cases[q], effort == SB_KERNEL_COMPILE ? SB_F32 : types[q % 2],
                   effort == SB_KERNEL_COMPILE ? 0 : (uint64_t)q);
        for (int r = 0; r < SB_COUNT(products); r += step / 2 + 1)
            run_product(&w, f, &products[r], effort);
        close_world(&w);
    }
    sb_arena_free(&ar);
}

/* The format given as argument alone, or all. */
static const char *only;

static void
run_all(sb_kernel_effort effort)
{
    sb_backend_set(&sb_cpu_backend);
    if (only) {
        run_format(only, effort);
        return;
    }
    for (int q = 0; sb_fmt_registry(q); q++)
        run_format(sb_fmt_registry(q)->name, effort);
    for (int q = 0; q < SB_COUNT(unheard); q++)
        run_format(unheard[q], effort);
}

static void
test_interpreted(void **state)
{
    (void)state;
    run_all(SB_KERNEL_RESIDENT);
    assert_int_equal(compiled, 0);
}

static void
test_compiled(void **state)
{
    (void)state;
    interpreted = 0;
    run_all(SB_KERNEL_COMPILE);
    print_message("%d products compiled, %d interpreted\n", compiled, interpreted);
}

/* ---- random formats ------------------------------------------------------------------ */

enum { RANDOM = 600, LEVELS = 5, EXPR = 120 };

/* A map that swaps, skews and tiles have made, so that it has an inverse. */
static int
random_map(gen_rng *r, char level[LEVELS][EXPR])
{
    int n = 2;

    (void)snprintf(level[0], EXPR, "i");
    (void)snprintf(level[1], EXPR, "j");
    for (int64_t steps = gen_below(r, 5); steps > 0; steps--) {
        const int a = (int)gen_below(r, n), b = (int)gen_below(r, n);
        const int c = (int)gen_between(r, 2, 4);
        char old[EXPR / 3], other[EXPR / 3];

        if (strlen(level[a]) >= sizeof old || strlen(level[b]) >= sizeof other)
            continue;
        (void)snprintf(old, sizeof old, "%s", level[a]);
        (void)snprintf(other, sizeof other, "%s", level[b]);
        if (gen_below(r, 3) == 0) {
            (void)snprintf(level[a], EXPR, "%s", other);
            (void)snprintf(level[b], EXPR, "%s", old);
        } else if (a != b && !strpbrk(old, "/%") && !strpbrk(other, "/%")) {
            (void)snprintf(level[a], EXPR, "%s %c (%s)", old,
                           gen_below(r, 2) ? '+' : '-', other);
        } else if (n < LEVELS && !strchr(old, '%')) {
            (void)snprintf(level[a], EXPR, "(%s)/%d", old, c);
            (void)snprintf(level[n++], EXPR, "(%s)%%%d", old, c);
        }
    }
    return n;
}

static void
random_text(gen_rng *r, char *text, size_t size)
{
    char level[LEVELS][EXPR];
    const int n = random_map(r, level), lo = (int)gen_below(r, n);
    const int hi = (int)gen_between(r, lo, n - 1);
    size_t at = (size_t)snprintf(text, size, "format x (i, j) -> (");

    for (int q = 0; q < n; q++)
        at += (size_t)snprintf(text + at, size - at, "%s%s", q ? ", " : "", level[q]);
    at += (size_t)snprintf(text + at, size - at, ")");
    if (gen_below(r, 4) > 0)
        at +=
            (size_t)snprintf(text + at, size - at, " merge(%d)", (int)gen_below(r, n));
    if (gen_below(r, 8) > 0)
        at += (size_t)snprintf(text + at, size - at, " trim(%d, %d)", lo, hi);
    if (gen_below(r, 4) == 0)
        at += (size_t)snprintf(text + at, size - at, " pack(%d, %d)",
                               (int)gen_below(r, n), n - 1);
    if (gen_below(r, 6) == 0)
        (void)snprintf(text + at, size - at, " partition(%d)", (int)gen_below(r, 2));
}

static void
test_random(void **state)
{
    gen_rng r = {11};
    int ran = 0;

    (void)state;
    sb_backend_set(&sb_cpu_backend);
    for (int q = 0; q < RANDOM; q++) {
        const product *p = &products[q % SB_COUNT(products)];
        const sb_fmt *f = NULL;
        char text[900];
        sb_arena ar;
        sb_tensor t;
        world w;

        sb_arena_init(&ar);
        random_text(&r, text, sizeof text);
        open_world(&w, &cases[gen_below(&r, SB_COUNT(cases))], SB_F64, (uint64_t)q);
        if (sb_fmt_parse(&f, &ar, text, NULL) == SB_OK && store(&t, &w, f, NULL)) {
            sb_tensor_free(&t);
            run_product(&w, f, p, SB_KERNEL_RESIDENT);
            ran++;
        }
        close_world(&w);
        sb_arena_free(&ar);
    }
    print_message("%d of %d random formats\n", ran, (int)RANDOM);
    assert_true(ran > RANDOM / 4);
}

/* ---- the page -------------------------------------------------------------------------- */

/* The table of docs/formats.md says what ran: products of matrices here, sums over 3-D
 * tensors in formats_contract_test.c. */
static void
test_table(void **state)
{
    FILE *in = fopen(SB_SOURCE_DIR "/docs/formats.md", "rb");
    char *text = calloc(1, 1 << 18);

    (void)state;
    assert_true(in && text);
    assert_true(fread(text, 1, (1 << 18) - 1, in) > 0);
    (void)fclose(in);
    for (int q = 0; sb_fmt_registry(q); q++) {
        sb_diag diag = {SB_OK, ""};
        const sb_fmt *f;
        const char *row, *said;
        char head[60];
        sb_arena ar;

        sb_arena_init(&ar);
        assert_int_equal(sb_fmt_parse(&f, &ar, sb_fmt_registry(q)->name, &diag), SB_OK);
        said = f->ndim == 2 ? "| SpMV, SpMM, SDDMM |\n" : "| MTTKRP, TTV, RGMS |\n";
        (void)snprintf(head, sizeof head, "\n| %s | `", sb_fmt_registry(q)->name);
        row = strstr(text, head);
        if (!row ||
            strncmp(strchr(row + 1, '\n') + 1 - strlen(said), said, strlen(said)) != 0)
            fail_msg("docs/formats.md: the row of %s should end in %s",
                     sb_fmt_registry(q)->name, said);
        sb_arena_free(&ar);
    }
    free(text);
}

int
main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_interpreted),
        cmocka_unit_test(test_compiled),
        cmocka_unit_test(test_random),
        cmocka_unit_test(test_table),
    };

    only = argc > 1 ? argv[1] : NULL;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
