/*
 * `spblas tune`: the planner's cost model meets this machine. Rates by probes, then every
 * plan that can be forced on generated matrices, timed, and a fit of what the model says
 * about them; the result is a file that every later process reads.
 */
#include "tune.h"

#include "gen.h"
#include "probe.h"
#include "tool.h"

#include "runtime/model.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#ifdef _OPENMP
#include <omp.h>
#endif

typedef struct tune_call {
    bool report, quick, dry, list, compile, help;
    int64_t threads;
    double limit; /* seconds of timing */
    const char *op;
} tune_call;

/* A generated matrix: shapes such that each kind of part finds its entries, sizes such that
 * B's rows of one width or another lie in each level of the caches (few rows of many columns
 * for the last), and a product takes milliseconds at most (too_large). */
typedef struct recipe {
    const char *kind;
    gen_options opt;
} recipe;

static const recipe recipes[] = {
    {"uniform", {.rows = 3000, .cols = 500, .degree = 15}},
    {"uniform", {.rows = 10000, .degree = 11}},
    {"uniform", {.rows = 4000, .cols = 200000, .degree = 24}},
    {"uniform", {.rows = 120000, .degree = 8}},
    {"rmat", {.rows = 8192, .degree = 12}},
    {"knn", {.rows = 7000, .degree = 16}},
    {"banded", {.rows = 20000, .window = 8}},
    {"banded", {.rows = 1500, .window = 15}},
    {"stencil5", {.rows = 22500}},
    {"stencil27", {.rows = 12000}},
    {"block-pruned", {.rows = 1536, .cols = 768, .block = 16, .density = 0.04}},
    {"block-pruned", {.rows = 3000, .cols = 3000, .block = 3, .density = 0.005}},
    {"movement-pruned", {.rows = 1536, .cols = 768, .density = 0.1}},
    {"longformer", {.rows = 1024, .window = 96, .global = 8}},
    {"bigbird", {.rows = 2048, .block = 32}},
};
static const recipe small[] = {
    {"uniform", {.rows = 300, .degree = 6}},
    {"banded", {.rows = 200, .window = 3}},
    {"block-pruned", {.rows = 96, .cols = 96, .block = 4, .density = 0.2}},
};

static const tune_case cases[] = {
    {SB_OP_SPMV, 1, false},    {SB_OP_SPMV, 1, true},    {SB_OP_SPMM, 8, false},
    {SB_OP_SPMM, 8, true},     {SB_OP_SPMM, 32, false},  {SB_OP_SPMM, 32, true},
    {SB_OP_SPMM, 128, false},  {SB_OP_SPMM, 128, true},  {SB_OP_SPMM, 512, false},
    {SB_OP_SPMM, 512, true},   {SB_OP_SDDMM, 32, false}, {SB_OP_SDDMM, 32, true},
    {SB_OP_SDDMM, 128, false},
};
enum { CASES = sizeof cases / sizeof *cases, LIMIT = 240 };
static const tune_case small_cases[] = {
    {SB_OP_SPMV, 1, false}, {SB_OP_SPMM, 32, false}, {SB_OP_SDDMM, 32, false}};

/* What is timed: cases on matrices. */
typedef struct campaign {
    mm_matrix *matrix;
    int matrices;
    const tune_case *cases;
    int ncase;
    double each, limit; /* seconds a plan, and of all timing (0: no limit) */
    bool bounded;       /* by limit: without products that are too large */
    const char *op;     /* only this operation, or NULL */
} campaign;

static int
get_matrices(campaign *c, const recipe *made, int nmade, const char *const *files,
             int nfile)
{
    int code = TOOL_OK;

    c->matrix = tool_memory(nmade + nfile, sizeof *c->matrix);
    for (int q = 0; q < nmade + nfile && code == TOOL_OK; q++) {
        mm_matrix *m = &c->matrix[q];

        code = q < nmade ? gen_make(m, made[q].kind, made[q].opt)
                         : tool_read(m, files[q - nmade]);
        c->matrices += code == TOOL_OK;
    }
    return code;
}

static void
free_matrices(campaign *c)
{
    for (int q = 0; q < c->matrices; q++)
        mm_free(&c->matrix[q]);
    free(c->matrix);
}

/* Whether a product would take too much of the campaign, which lives from many of them, or
 * too much memory. */
static bool
too_large(const mm_matrix *m, const tune_case *c)
{
    const double most_work = 4e7, most_bytes = 256 << 20;

    return (double)m->nnz * (double)c->n > most_work ||
           (double)(m->rows + m->cols) * (double)c->n * (c->f64 ? 8 : 4) > most_bytes;
}

static const char *const op_names[] = {
    [SB_OP_SPMM] = "spmm", [SB_OP_SPMV] = "spmv", [SB_OP_SDDMM] = "sddmm"};

static bool
known_op(const char *op)
{
    for (int q = 0; q < SB_COUNT(op_names); q++)
        if (strcmp(op, op_names[q]) == 0)
            return true;
    return false;
}

/* Seconds left, by what was done in `spent`. */
static double
left_of(const campaign *c, double spent, int done, int total)
{
    const double all = done > 0 ? spent / done * (total - done) : c->limit;

    return c->limit > 0 && spent + all > c->limit ? c->limit - spent : all;
}

/* Matrix after matrix, each time with another case, so that a campaign that is cut short
 * has seen all matrices and all cases about as often. */
static int
measure(tune_samples *to, const campaign *c)
{
    const int total = c->matrices * c->ncase;
    const double begin = tool_seconds();
    double spent = 0;
    int code = TOOL_OK, q;

    for (q = 0; q < total && code == TOOL_OK; q++) {
        const mm_matrix *m = &c->matrix[q % c->matrices];
        const tune_case *of = &c->cases[(q / c->matrices + q % c->matrices) % c->ncase];
        char what[64];

        spent = tool_seconds() - begin;
        if (c->limit > 0 && spent > c->limit)
            break;
        snprintf(what, sizeof what, "timing plans, about %.0f s left,",
                 left_of(c, spent, q, total));
        tool_progress(what, q, total);
        if ((!c->op || strcmp(c->op, op_names[of->op]) == 0) &&
            !(c->bounded && too_large(m, of)))
            code = tune_measure(to, m, of, c->each);
    }
    tool_progress_end();
    if (code == TOOL_OK)
        printf("timed %lld plans of %lld products in %.0f s%s\n", (long long)to->count,
               (long long)to->problems, tool_seconds() - begin,
               q < total ? ", not all that were meant to" : "");
    return code;
}

/* ---- Rates ----------------------------------------------------------------------- */

/* Rows of a size that prefetchers have found after their first lines. */
enum { GATHERED_ROW = 512 };

/* The machine's rates; sizes well inside a level, or well outside of all. */
static void
probe_rates(sb_target *t, double seconds)
{
    const int n = t->threads;
    const int64_t beyond =
        4 * t->l3 < INT64_C(256) << 20 ? 4 * t->l3 : INT64_C(256) << 20;
    const int64_t in_l3 = t->l3 / 4 > 4 * n * t->l2 ? t->l3 / 4 : t->l3 / 2;

    t->flops = probe_fma(4, n, seconds);
    t->bw_l2 = probe_read(n * t->l2 / 2, n, seconds);
    t->bw_l3 = probe_read(in_l3, n, seconds);
    t->bw_mem = probe_read(beyond, n, seconds);
    t->gather_l1 = probe_gather(t->l1 / 2, GATHERED_ROW, n, seconds);
    t->gather_l2 = probe_gather(t->l2 / 2, GATHERED_ROW, n, seconds);
    t->gather_l3 = probe_gather(in_l3, GATHERED_ROW, n, seconds);
    t->gather_mem = probe_gather(beyond, GATHERED_ROW, n, seconds);
}

static void
show_rates(const sb_target *t)
{
    printf(
        "rates  %.0f GFLOP/s; read %.0f, %.0f, %.0f GB/s from L2, L3, memory; gather "
        "%.0f, %.0f, %.0f, %.0f from L1, L2, L3, memory\n",
        1e-9 * t->flops, 1e-9 * t->bw_l2, 1e-9 * t->bw_l3, 1e-9 * t->bw_mem,
        1e-9 * t->gather_l1, 1e-9 * t->gather_l2, 1e-9 * t->gather_l3,
        1e-9 * t->gather_mem);
}

/* ---- Command --------------------------------------------------------------------- */

/* Stores t, or (really false) looks whether there is a place to store it in. */
static int
store(const sb_target *t, bool really)
{
    sb_diag why = {SB_OK, ""};
    sb_strbuf path;
    sb_status st;
    int code = TOOL_OK;

    sb_strbuf_init(&path);
    st = really ? sb_model_store(t, &path, &why) : sb_model_path(&path, t, &why);
    if (st != SB_OK)
        code = tool_complain("not stored: %s",
                             why.text[0] ? why.text : sb_status_text(st));
    else if (really)
        printf("stored in %s\n", path.s);
    sb_strbuf_free(&path);
    return code;
}

static int
tune(const tune_call *call, const campaign *c)
{
    sb_target t = *sb_target_get();
    const bool keep = !call->report && !call->dry;
    tune_samples s = {0};
    int code;

    if (keep && store(&t, false))
        return TOOL_USAGE;
    if (!call->report) {
        sb_target_defaults(&t);
        probe_rates(&t, call->quick ? 0.01 : 0.3);
        show_rates(&t);
    }
    code = measure(&s, c);
    if (code == TOOL_OK && !call->report) {
        puts("before");
        tune_report(&s, sb_target_get());
        code = tune_fit(&t, &s);
        puts("after");
    }
    if (code == TOOL_OK && call->list)
        tune_list(&s, &t);
    if (code == TOOL_OK)
        tune_report(&s, &t);
    if (code == TOOL_OK && keep)
        code = store(&t, true);
    tune_free(&s);
    return code;
}

int
tool_tune(int argc, char **argv)
{
    tune_call call = {0};
    const arg_spec specs[] = {
        {"--report", ARG_FLAG, &call.report,
         "only compare the model with the clock, on the matrices given"},
        {"--quick", ARG_FLAG, &call.quick, "seconds instead of minutes, for tests"},
        {"--list", ARG_FLAG, &call.list, "every plan with its times as well"},
        {"--compile", ARG_FLAG, &call.compile,
         "also plans whose kernels are neither built in nor stored: hours"},
        {"--op", ARG_TEXT, &call.op, "only spmm, spmv or sddmm"},
        {"--limit", ARG_REAL, &call.limit, "seconds of timing (240; --report: none)"},
        {"--dry-run", ARG_FLAG, &call.dry, "store nothing"},
        {"--threads", ARG_INT, &call.threads, "OpenMP threads (all cores)"},
        {"--help", ARG_FLAG, &call.help, "this text"},
        {NULL, ARG_FLAG, NULL, NULL},
    };
    enum { FILES = 256 };
    const char *files[FILES];
    campaign c = {.cases = cases, .ncase = CASES, .each = 0.01};
    const recipe *made = recipes;
    int nmade = sizeof recipes / sizeof *recipes, nfile, code;

    if (arg_parse(argc, argv, specs, files, FILES, &nfile))
        return TOOL_USAGE;
    if (call.help) {
        puts("usage: spblas tune [--report] [FILE.mtx ...] [options]");
        arg_help(specs);
        return TOOL_OK;
    }
    if (call.threads < 0 || call.threads > 1024)
        return tool_complain("--threads %lld: 1 .. 1024", (long long)call.threads);
    if (call.op && !known_op(call.op))
        return tool_complain("--op %s: spmm, spmv or sddmm", call.op);
#ifdef _OPENMP
    if (call.threads > 0)
        omp_set_num_threads((int)call.threads);
#endif
    if (!call.compile)
        setenv("SPBLAS_JIT", "off", 1);
    if (call.quick) {
        made = small;
        nmade = sizeof small / sizeof *small;
        c.cases = small_cases;
        c.ncase = sizeof small_cases / sizeof *small_cases;
        c.each = 1e-4;
    }
    if (call.report)
        nmade = 0;
    if (call.report && nfile == 0)
        return tool_complain("--report wants matrix files");
    c.limit = call.limit > 0 ? call.limit : call.report ? 0 : LIMIT;
    c.bounded = c.limit > 0;
    c.op = call.op;
    code = get_matrices(&c, made, nmade, files, nfile);
    if (code == TOOL_OK)
        code = tune(&call, &c);
    free_matrices(&c);
    return code;
}
