/*
 * Every matrix of a folder under every plan that can be forced on it: SpMM in f32 and
 * f64, operands row- and column-major, A as it is and transposed, N = 1, 7, 32, 128,
 * 512; SDDMM with 32 and 128 columns. Values are small integers, so every sum is exact
 * and results must equal a plain double loop, whatever the order of summation.
 *
 *   matrices_test [--all] FILE...      without --all: N <= 32, files up to 120 000 entries
 *
 * Prints a line per matrix and "N passed, N failed"; exit status 1 on a failure.
 */
#include "cpu/cpu.h"
#include "mm.h"
#include "planner/planner.h"
#include "runtime/backend.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { QUICK_ENTRIES = 120000, QUICK_N = 32 };

typedef struct subject {
    const char *name;
    int64_t rows, cols, nnz;
    int32_t *ptr, *idx;
    void *val[2]; /* f32, f64: the same integers */
} subject;

typedef struct tally {
    long plans, failures;
} tally;

static const sb_dtype types[] = {SB_F32, SB_F64};

static void *
need(size_t bytes)
{
    void *p = malloc(bytes ? bytes : 1);

    if (!p) {
        fprintf(stderr, "out of memory\n");
        exit(2);
    }
    return p;
}

/* -3 .. 3 without 0, from the position. */
static double
integer_at(int64_t at)
{
    const uint64_t h = ((uint64_t)at + 1) * 0x9e3779b97f4a7c15u >> 40;

    return (double)(int64_t)(h % 3 + 1) * (h & 8 ? 1 : -1);
}

static void
subject_make(subject *s, const char *name, const mm_matrix *m)
{
    s->name = strrchr(name, '/') ? strrchr(name, '/') + 1 : name;
    s->rows = m->rows;
    s->cols = m->cols;
    s->nnz = m->nnz;
    s->ptr = need((size_t)(m->rows + 1) * sizeof *s->ptr);
    s->idx = need((size_t)m->nnz * sizeof *s->idx);
    for (int64_t i = 0; i <= m->rows; i++)
        s->ptr[i] = (int32_t)m->ptr[i];
    for (int64_t p = 0; p < m->nnz; p++)
        s->idx[p] = (int32_t)m->col[p];
    for (int t = 0; t < 2; t++) {
        s->val[t] = need((size_t)m->nnz * sb_dtype_size(types[t]));
        for (int64_t p = 0; p < m->nnz; p++)
            sb_value_store(types[t], s->val[t], p, (sb_value){integer_at(p), 0});
    }
}

static void
subject_free(subject *s)
{
    free(s->ptr);
    free(s->idx);
    free(s->val[0]);
    free(s->val[1]);
}

/* rows x cols integers; ld leaves a gap of 3. */
static sb_dense
dense_make(int64_t rows, int64_t cols, bool col_major, sb_dtype type)
{
    sb_dense d = {
        .rows = rows, .cols = cols, .col_major = col_major, .type = type, .batch = 1};
    const int64_t major = col_major ? cols : rows;

    d.ld = (col_major ? rows : cols) + 3;
    d.data = need((size_t)(major * d.ld) * sb_dtype_size(type));
    for (int64_t p = 0; p < major * d.ld; p++)
        sb_value_store(type, d.data, p, (sb_value){integer_at(p + 7), 0});
    return d;
}

static int64_t
at(const sb_dense *d, int64_t i, int64_t j)
{
    return d->col_major ? i + j * d->ld : i * d->ld + j;
}

static double
get(const sb_dense *d, int64_t i, int64_t j)
{
    return sb_value_load(d->type, d->data, at(d, i, j)).re;
}

/* C = 2 op(A) B - C by definition, C dense row-major rows x n in doubles. */
static double *
expect_spmm(const subject *s, const sb_problem *pb)
{
    const int64_t n = pb->c.cols;
    double *c = need((size_t)(pb->c.rows * n) * sizeof *c);
    double *row = need((size_t)n * sizeof *row);

    for (int64_t i = 0; i < pb->c.rows; i++)
        for (int64_t j = 0; j < n; j++)
            c[i * n + j] = -get(&pb->c, i, j);
    for (int64_t i = 0; i < s->rows; i++)
        for (int64_t p = s->ptr[i]; p < s->ptr[i + 1]; p++) {
            const bool t = pb->trans_a != SB_TRANS_N;
            const int64_t to = t ? s->idx[p] : i, from = t ? i : s->idx[p];
            const double a = 2 * integer_at(p);

            for (int64_t j = 0; j < n; j++)
                c[to * n + j] += a * get(&pb->b, from, j);
        }
    free(row);
    return c;
}

static long
differences(const sb_dense *c, const double *want)
{
    long bad = 0;

    for (int64_t i = 0; i < c->rows; i++)
        for (int64_t j = 0; j < c->cols; j++)
            bad += get(c, i, j) != want[i * c->cols + j];
    return bad;
}

/* Output of the problem: C, or A's values for SDDMM. */
static void *
output(const sb_problem *pb, size_t *bytes)
{
    const sb_dense *c = &pb->c;

    if (pb->op == SB_OP_SDDMM) {
        *bytes = (size_t)pb->a.nnz * sb_dtype_size(pb->a.val_type);
        return pb->a.val;
    }
    *bytes =
        (size_t)((c->col_major ? c->cols : c->rows) * c->ld) * sb_dtype_size(c->type);
    return c->data;
}

/* One forced plan: 1 if it gave the expected result, 0 if not, -1 if it was refused. */
static int
try_plan(sb_problem *pb, const char *text, const double *want)
{
    const sb_options opt = {.plan = text};
    sb_diag diag = {0};
    sb_plan *plan = NULL;
    size_t bytes;
    void *out = output(pb, &bytes), *before = need(bytes);
    sb_status st = sb_plan_create(&plan, pb, &opt, &diag);
    long bad = 0;

    memcpy(before, out, bytes);
    if (st == SB_OK)
        st = sb_execute(plan, pb, &diag);
    if (st == SB_OK && pb->op == SB_OP_SDDMM)
        for (int64_t p = 0; p < pb->a.nnz; p++)
            bad += sb_value_load(pb->a.val_type, out, p).re != want[p];
    else if (st == SB_OK)
        bad = differences(&pb->c, want);
    memcpy(out, before, bytes);
    free(before);
    sb_plan_release(plan);
    if (bad || (st != SB_OK && st != SB_SKIP && st != SB_ENOTSUP))
        printf("  FAILED %s: %ld wrong, %s %s\n", text, bad, sb_status_name(st),
               diag.text);
    return bad || (st != SB_OK && st != SB_SKIP && st != SB_ENOTSUP) ? 0
           : st == SB_OK                                             ? 1
                                                                     : -1;
}

static void
try_all(sb_problem *pb, const double *want, tally *t)
{
    const char *text;

    for (int q = 0; (text = sb_plan_candidate(pb, NULL, q)) != NULL; q++) {
        char copy[256];
        int good;

        (void)snprintf(copy, sizeof copy, "%s", text);
        good = try_plan(pb, copy, want);
        t->plans += good >= 0;
        t->failures += good == 0;
    }
}

static sb_matrix
sparse_of(const subject *s, int type)
{
    return (sb_matrix){.format = SB_FORMAT_CSR,
                       .rows = s->rows,
                       .cols = s->cols,
                       .nnz = s->nnz,
                       .ptr = s->ptr,
                       .idx = s->idx,
                       .val = s->val[type],
                       .ptr_type = SB_I32,
                       .idx_type = SB_I32,
                       .val_type = types[type],
                       .batch = 1};
}

static void
spmm_case(const subject *s, int type, int64_t n, bool col, bool trans, tally *t)
{
    sb_problem pb = {.op = SB_OP_SPMM,
                     .a = sparse_of(s, type),
                     .compute = types[type],
                     .trans_a = trans ? SB_TRANS_T : SB_TRANS_N,
                     .alpha = {2, 0},
                     .beta = {-1, 0},
                     .batch = 1};
    double *want;

    pb.b = dense_make(trans ? s->rows : s->cols, n, col, types[type]);
    pb.c = dense_make(trans ? s->cols : s->rows, n, col, types[type]);
    want = expect_spmm(s, &pb);
    try_all(&pb, want, t);
    free(want);
    free(pb.b.data);
    free(pb.c.data);
}

/* A = 2 (X Y) o spy(A) - A, Y column-major so that its columns are contiguous, or not. */
static void
sddmm_case(const subject *s, int type, int64_t k, bool y_col, tally *t)
{
    sb_problem pb = {.op = SB_OP_SDDMM,
                     .a = sparse_of(s, type),
                     .compute = types[type],
                     .alpha = {2, 0},
                     .beta = {-1, 0},
                     .batch = 1};
    double *want = need((size_t)s->nnz * sizeof *want);

    pb.b = dense_make(s->rows, k, false, types[type]);
    pb.c = dense_make(k, s->cols, y_col, types[type]);
    for (int64_t i = 0; i < s->rows; i++)
        for (int64_t p = s->ptr[i]; p < s->ptr[i + 1]; p++) {
            double sum = 0;

            for (int64_t l = 0; l < k; l++)
                sum += get(&pb.b, i, l) * get(&pb.c, l, s->idx[p]);
            want[p] = 2 * sum - integer_at(p);
        }
    try_all(&pb, want, t);
    free(want);
    free(pb.b.data);
    free(pb.c.data);
}

static void
run(const subject *s, bool all, tally *t)
{
    static const int64_t ns[] = {1, 7, 32, 128, 512}, ks[] = {32, 128};

    for (int type = 0; type < 2; type++) {
        for (int q = 0; q < SB_COUNT(ns); q++)
            for (int form = 0; form < 4; form++)
                if (all || ns[q] <= QUICK_N)
                    spmm_case(s, type, ns[q], form & 1, form & 2, t);
        for (int q = 0; q < SB_COUNT(ks); q++)
            for (int form = 0; form < 2; form++)
                if (all || ks[q] <= QUICK_N)
                    sddmm_case(s, type, ks[q], form, t);
    }
}

static void
run_file(const char *path, bool all, tally *sum)
{
    mm_matrix m;
    mm_error err;
    subject s;
    tally t = {0, 0};

    if (mm_read(&m, path, NULL, &err) != MM_OK) {
        printf("%s\n", err.text);
        sum->failures++;
        return;
    }
    if (all || m.nnz <= QUICK_ENTRIES) {
        subject_make(&s, path, &m);
        run(&s, all, &t);
        printf("%-28s %9lld entries: %ld runs, %ld wrong\n", s.name, (long long)s.nnz,
               t.plans, t.failures);
        fflush(stdout);
        subject_free(&s);
    }
    sum->plans += t.plans;
    sum->failures += t.failures;
    mm_free(&m);
}

int
main(int argc, char **argv)
{
    const bool all = argc > 1 && strcmp(argv[1], "--all") == 0;
    tally sum = {0, 0};

    sb_backend_set(&sb_cpu_backend);
    for (int q = 1 + all; q < argc; q++)
        run_file(argv[q], all, &sum);
    printf("%ld passed, %ld failed\n", sum.plans - sum.failures, sum.failures);
    return sum.failures ? 1 : 0;
}
