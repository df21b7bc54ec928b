/*
 * Every matrix of a folder under every plan that can be forced on it, values packed and
 * not, and without a plan: SpMM in f32 and f64, operands row- and column-major, A as it
 * is and transposed, N = 1, 7, 32, 128, 512; SpMV; SDDMM over 32 and 128 columns, both
 * factors in both layouts. All numbers are small integers (exact.h), so results must
 * equal those of integer arithmetic bit for bit, gaps between rows included.
 *
 * C <- 2 op(A) B - C gives C back when applied twice: every other plan starts from the
 * result of the one before, and nothing is copied in between.
 *
 *   matrices_test [--all] FILE...
 *
 * Without --all: files up to 3 000 entries, in f32 with N = 32 by rows, in f64 with N = 7 by
 * columns, and SpMM with N = 1 as planned alone; most of the time goes into compiling kernels, which every type, width
 * and layout needs of its own.
 *
 * For all of a folder on two cores, each file is a process of one thread:
 *   find FOLDER -name '*.gz' | OMP_NUM_THREADS=1 xargs -P2 -n1 matrices_test --all
 *
 * Prints a line per matrix and "N passed, N failed"; exit status 1 on a failure. Plans
 * that came out the same as one before are not run again; those, plans the planner
 * refuses and plans that lacked a kernel are counted in the matrix's line.
 */
#include "exact.h"

#include "base/clock.h"
#include "base/hash.h"
#include "cpu/cpu.h"
#include "planner/planner.h"
#include "runtime/backend.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { QUICK_ENTRIES = 3000, QUICK_N = 32, PLANS_MAX = 256 };

/* 2 * 9 * entries + 3 must be exact in f32. */
static const int64_t exact_entries = 900000;

typedef struct tally {
    long plans, failures, refused, reference, same;
} tally;

/* Texts, by hash. */
typedef struct set {
    bool closed; /* nothing is added any more */
    int n;
    sb_hash hash[PLANS_MAX];
} set;

/* One problem, its array to be written, and what that holds before and after. */
typedef struct trial {
    sb_problem pb;
    void *out;
    const void *before, *after;
    size_t bytes;
    sb_dtype type;
    bool flipped; /* `after` is there now */
    tally *t;
    set done;   /* texts of finished plans that were run */
    set *twins; /* candidates that come out as others do, for this op(A) */
    bool learn; /* twins are to be found, not taken from before */
    bool alone; /* what the planner chooses alone */
} trial;

/* Runs a plan (NULL: the path without one) and compares. */
static void
run_plan(trial *tr, const sb_plan *plan, const char *text)
{
    const void *want = tr->flipped ? tr->before : tr->after;
    sb_diag diag = {0};
    const sb_status st = sb_execute(plan, &tr->pb, &diag);
    const long wrong = exact_differences(tr->out, want, tr->bytes, tr->type);

    tr->t->plans++;
    tr->flipped = !tr->flipped;
    if (st == SB_OK && wrong == 0)
        return;
    printf("  FAILED %s: %ld wrong, %s %s\n", text, wrong, sb_status_name(st),
           diag.text);
    tr->t->failures++;
    memcpy(tr->out, tr->before, tr->bytes);
    tr->flipped = false;
}

static bool
has(const set *s, const char *text)
{
    const sb_hash h = sb_hash_bytes(text, strlen(text), (sb_hash){0, 0});

    for (int q = 0; q < s->n; q++)
        if (s->hash[q].a == h.a && s->hash[q].b == h.b)
            return true;
    return false;
}

static void
put(set *s, const char *text)
{
    if (s->n < PLANS_MAX)
        s->hash[s->n++] = sb_hash_bytes(text, strlen(text), (sb_hash){0, 0});
}

static void
try_plan(trial *tr, const char *text, bool frozen)
{
    const sb_options opt = {
        .plan = text, .values_frozen = frozen, .memory_limit = INT64_MAX / 2};
    sb_diag diag = {0};
    sb_plan *plan = NULL;
    sb_status st;

    if (text && !tr->learn && has(tr->twins, text)) {
        tr->t->same++;
        return;
    }
    st = sb_plan_create(&plan, &tr->pb, &opt, &diag);
    if (st == SB_SKIP || st == SB_ENOTSUP) {
        tr->t->refused++;
    } else if (st != SB_OK) {
        printf("  FAILED %s: %s %s\n", text, sb_status_name(st), diag.text);
        tr->t->plans++;
        tr->t->failures++;
    } else if (has(&tr->done, plan->text)) {
        tr->t->same++;
        if (text && tr->learn)
            put(tr->twins, text);
    } else {
        put(&tr->done, plan->text);
        tr->t->reference += plan->nstep == 0;
        run_plan(tr, plan, text ? text : "planner's choice");
    }
    sb_plan_release(plan);
}

/* Packed values are copies of what A holds, which a sampled product changes. */
static void
try_all(trial *tr)
{
    const bool frozen = tr->pb.op != SB_OP_SDDMM;
    const sb_options opt = {.values_frozen = frozen};
    const char *text;

    run_plan(tr, NULL, "no plan");
    try_plan(tr, NULL, false);
    for (int q = 0; !tr->alone && (text = sb_plan_candidate(&tr->pb, &opt, q)) != NULL;
         q++) {
        char copy[256];

        (void)snprintf(copy, sizeof copy, "%s", text);
        try_plan(tr, copy, frozen);
    }
}

static sb_problem
problem_of(const exact *x, sb_op op, int type)
{
    return (sb_problem){.op = op,
                        .a = {.format = SB_FORMAT_CSR,
                              .rows = x->rows,
                              .cols = x->cols,
                              .nnz = x->nnz,
                              .ptr = x->ptr,
                              .idx = x->idx,
                              .val = x->val[type],
                              .ptr_type = SB_I32,
                              .idx_type = SB_I32,
                              .val_type = exact_types[type],
                              .batch = 1},
                        .compute = exact_types[type],
                        .alpha = {2, 0},
                        .beta = {-1, 0},
                        .batch = 1};
}

/* op(A) is the one x->product was made with. */
static void
product_case(const exact *x, sb_op op, int type, int64_t n, bool col, bool trans,
             bool alone, set *twins, tally *t)
{
    const int64_t m = trans ? x->cols : x->rows, k = trans ? x->rows : x->cols;
    const int64_t gap = op == SB_OP_SPMM ? 3 : 0;
    const sb_dtype dt = exact_types[type];
    sb_dense before = exact_dense(x, EXACT_C, m, n, col, dt, gap);
    sb_dense after = exact_dense(x, EXACT_WANT, m, n, col, dt, gap);
    trial tr = {.pb = problem_of(x, op, type),
                .before = before.data,
                .after = after.data,
                .bytes = exact_bytes(&before),
                .type = dt,
                .twins = twins,
                .learn = !twins->closed,
                .alone = alone,
                .t = t};

    tr.pb.trans_a = trans ? SB_TRANS_T : SB_TRANS_N;
    tr.pb.b = exact_dense(x, EXACT_B, k, n, col, dt, gap);
    tr.pb.c = before;
    tr.out = tr.pb.c.data = exact_need((int64_t)tr.bytes, 1);
    memcpy(tr.out, before.data, tr.bytes);
    try_all(&tr);
    twins->closed = true;
    free(tr.out);
    free(tr.pb.b.data);
    free(before.data);
    free(after.data);
}

/* A = 2 (X Y) o spy(A) - A, for the length of sums behind sample[which]. */
static void
sddmm_case(exact *x, int type, int which, int64_t k, int layouts, tally *t)
{
    const sb_dtype dt = exact_types[type];
    const size_t bytes = (size_t)x->nnz * sb_dtype_size(dt);
    void *after = exact_sample_want(x, which, dt);
    set none = {0};
    trial tr = {.pb = problem_of(x, SB_OP_SDDMM, type),
                .before = x->val[type],
                .after = after,
                .bytes = bytes,
                .type = dt,
                .twins = &none,
                .t = t};

    tr.pb.b = exact_dense(x, EXACT_B, x->rows, k, layouts & 1, dt, 3);
    tr.pb.c = exact_dense(x, EXACT_Y, k, x->cols, layouts & 2, dt, 3);
    tr.out = tr.pb.a.val = exact_need(x->nnz, sb_dtype_size(dt));
    memcpy(tr.out, tr.before, bytes);
    try_all(&tr);
    free(tr.out);
    free(tr.pb.b.data);
    free(tr.pb.c.data);
    free(after);
}

/* On a terminal, what is being done now. */
static void
progress(const char *name, const char *op, int64_t n)
{
    if (isatty(STDERR_FILENO))
        fprintf(stderr, "\r\033[K%s: %s %lld", name, op, (long long)n);
}

static bool
wanted(bool all, int type, int64_t n, bool by_columns)
{
    const bool f64 = type == 1;

    return all || (n <= QUICK_N && f64 == (n == 7) && f64 == by_columns);
}

/* The widest product first: which plans are the same depends on A alone and on rules
 * that tell most apart where N is large, so the others need not build them to see it. */
static void
run_products(exact *x, const char *name, bool all, tally *t)
{
    static const int64_t ns[] = {512, 128, 32, 7, 1};

    for (int trans = 0; trans < 2; trans++) {
        set products = {0}, vectors = {0};

        exact_multiply(x, trans);
        for (int q = 0; q < SB_COUNT(ns); q++)
            for (int form = 0; form < 4; form++) {
                if (!wanted(all, form / 2, ns[q], form % 2))
                    continue;
                progress(name, "spmm", ns[q]);
                product_case(x, SB_OP_SPMM, form / 2, ns[q], form % 2, trans,
                             !all && ns[q] == 1, &products, t);
            }
        for (int type = 0; type < EXACT_TYPES; type++) {
            progress(name, "spmv", 1);
            product_case(x, SB_OP_SPMV, type, 1, false, trans, false, &vectors, t);
        }
    }
}

static void
run(exact *x, const char *name, bool all, tally *t)
{
    static const int64_t ks[] = {32, 128};

    run_products(x, name, all, t);
    exact_sample(x, ks);
    for (int type = 0; type < EXACT_TYPES; type++)
        for (int q = 0; q < SB_COUNT(ks); q++)
            for (int layouts = 0; layouts < 4; layouts++) {
                if (!wanted(all, type, ks[q], layouts == 3))
                    continue;
                progress(name, "sddmm", ks[q]);
                sddmm_case(x, type, q, ks[q], layouts, t);
            }
}

/* Voxels and points are data for kernel maps and graphs, not matrices. */
static bool
is_points(const char *name)
{
    return strstr(name, ".voxels.") || strstr(name, ".xyz.");
}

static void
run_file(const char *path, bool all, tally *sum)
{
    const char *name = strrchr(path, '/') ? strrchr(path, '/') + 1 : path;
    const double begin = sb_clock();
    tally t = {0};
    mm_matrix m;
    mm_error err;
    exact x;

    if (is_points(name))
        return;
    if (mm_read(&m, path, NULL, &err) != MM_OK) {
        printf("%s\n", err.text);
        sum->failures++;
        return;
    }
    if (all || m.nnz <= QUICK_ENTRIES) {
        exact_open(&x, &m);
        if (x.longest > exact_entries) {
            printf("  FAILED %s: rows too long for exact sums\n", name);
            t.failures++;
        } else {
            run(&x, name, all, &t);
        }
        exact_close(&x);
        progress("", "", 0);
        printf("%-28s %9lld entries: %6.1f s, %ld runs, %ld the same, %ld refused, "
               "%ld by the reference, %ld wrong\n",
               name, (long long)m.nnz, sb_clock() - begin, t.plans, t.same, t.refused,
               t.reference, t.failures);
        (void)fflush(stdout);
    }
    sum->plans += t.plans;
    sum->failures += t.failures;
    mm_free(&m);
}

int
main(int argc, char **argv)
{
    const bool all = argc > 1 && strcmp(argv[1], "--all") == 0;
    tally sum = {0};

    sb_backend_set(&sb_cpu_backend);
    for (int q = 1 + all; q < argc; q++)
        run_file(argv[q], all, &sum);
    printf("%ld passed, %ld failed\n", sum.plans - sum.failures, sum.failures);
    return sum.failures ? 1 : 0;
}
