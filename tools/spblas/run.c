/*
 * `spblas run`: one matrix through analysis, computation, comparison with the oracle
 * and timing, against the same call without analysis and the plain CSR loop.
 */
#include "naive.h"
#include "oracle.h"
#include "probe.h"
#include "report.h"
#include "spec.h"
#include "timing.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#ifdef _OPENMP
#include <omp.h>
#endif

typedef struct run_call {
    spec_words words;
    int64_t threads, repeat;
    bool help;
} run_call;

static int
threads_of(void)
{
#ifdef _OPENMP
    return omp_get_max_threads();
#else
    return 1;
#endif
}

static void
show_problem(const job *j)
{
    const char *const trans[] = {"N", "T", "H"};
    const char *const formats[] = {"csr", "csc", "coo", "bsr"};

    printf("problem   %s, %s, n %lld, %s, %s-major, op %s, %d-bit indices, alpha %g, "
           "beta %g, %d threads\n",
           job_op_name(j->spec.op), formats[j->spec.format], (long long)j->spec.n,
           elem_name(j->spec.type), j->spec.col_major ? "column" : "row",
           trans[j->spec.trans], j->spec.wide ? 64 : 32, j->spec.alpha, j->spec.beta,
           threads_of());
    if (j->count != j->nnz)
        printf("          %lld values stored in blocks of %lld x %lld\n",
               (long long)j->count, (long long)j->spec.block, (long long)j->spec.block);
    if (j->scale != 1.0 && j->val)
        printf("          values times %g, so that %s holds the sums\n", j->scale,
               elem_name(j->spec.type));
}

static void
show_plan(const job *j)
{
    char *text = plan_text(j->a), *why = plan_explanation(j->a);

    printf("plan      %s\n", text ? text : "none: the call runs without one");
    /* The explanation begins with the plan itself. */
    if (why)
        show_indented("          ", strncmp(why, "plan ", 5) == 0
                                        ? why + strcspn(why, "\n") + 1
                                        : why);
    free(text);
    free(why);
}

/* The oracle's verdict on what the library computed; TOOL_OK or TOOL_WRONG. */
static int
check(job *j)
{
    oracle_result r;

    job_reset(j);
    if (job_compute(j))
        return TOOL_USAGE;
    r = oracle_compare(j);
    printf("error     largest %.3g; at (%lld, %lld) %.3g of what rounding explains: "
           "%s\n",
           r.largest, (long long)r.row, (long long)r.col, r.worst,
           r.worst <= 1.0 ? "PASS" : "FAIL");
    return r.worst <= 1.0 ? TOOL_OK : TOOL_WRONG;
}

/* ---- The plain loop -------------------------------------------------------------- */

typedef struct plain {
    naive_job job;
    void *owned[6];
    int threads;
    bool sddmm, made;
} plain;

/* The same product on op(A) by rows, 32-bit indices, row-major, packed; values and
 * dense operands are as random as ours. False: there is no loop for it. */
static bool
make_plain(plain *p, const job *j)
{
    const bool sddmm = j->spec.op == JOB_SDDMM;
    const bool turned = !sddmm && j->spec.trans != SPBLAS_OPERATION_NON_TRANSPOSE;
    const size_t size = elem_size(j->spec.type);
    int32_t *ptr, *col;
    int64_t i, q, *at;

    memset(p, 0, sizeof *p);
    if (!naive_has(j->spec.type) || j->nnz > INT32_MAX || j->m > INT32_MAX - 1 ||
        j->k > INT32_MAX - 1)
        return false;
    ptr = p->owned[0] = tool_memory(j->m + 2, sizeof *ptr);
    col = p->owned[1] = tool_memory(j->nnz, sizeof *col);
    at = tool_memory(j->m + 1, sizeof *at);
    for (q = 0; q < j->nnz && turned; q++)
        ptr[job_index(j, j->col, q) + 1]++;
    for (i = 0; i < j->m; i++)
        ptr[i + 1] =
            turned ? ptr[i + 1] + ptr[i] : (int32_t)job_index(j, j->ptr, i + 1);
    for (i = 0; i < j->m; i++)
        at[i] = ptr[i];
    for (i = 0; i < j->rows; i++)
        for (q = job_index(j, j->ptr, i); q < job_index(j, j->ptr, i + 1); q++) {
            if (turned)
                col[at[job_index(j, j->col, q)]++] = (int32_t)i;
            else
                col[q] = (int32_t)job_index(j, j->col, q);
        }
    free(at);
    p->job = (naive_job){.type = j->spec.type, .rows = j->m, .n = j->spec.n};
    p->job.ptr = ptr;
    p->job.col = col;
    p->job.val = j->val;
    p->job.x = j->x;
    p->job.b = j->b;
    p->job.c = p->owned[2] = tool_memory(j->c_count, size);
    p->threads = threads_of();
    p->sddmm = sddmm;
    p->made = true;
    return true;
}

static void
free_plain(plain *p)
{
    size_t k;

    for (k = 0; k < sizeof p->owned / sizeof *p->owned; k++)
        free(p->owned[k]);
}

static void
run_plain(void *user)
{
    const plain *p = user;

    if (p->sddmm)
        naive_sddmm(&p->job, p->threads);
    else
        naive_spmm(&p->job, p->threads);
}

static void
run_job(void *user)
{
    /* A failure was seen and told of at the check before. */
    (void)job_compute(user);
}

/* ---- Speed ----------------------------------------------------------------------- */

static void
show_limits(const job *j, double seconds)
{
    const int threads = threads_of();
    const int size =
        elem_size(elem_compute(j->spec.type)) / (elem_is_complex(j->spec.type) + 1) == 8
            ? 8
            : 4;
    const int64_t row = j->spec.n * (int64_t)elem_size(j->spec.type);
    const double bytes = job_bytes(j), gathered = (double)j->nnz * (double)row;
    const double read = probe_read((int64_t)bytes, threads, 0.1);
    const double fma = probe_fma(size, threads, 0.05);
    const double gather = probe_gather(j->k * row, row, threads, 0.1);
    const double compute = job_flops(j) / fma, move = bytes / read;
    const double limit = compute > move ? compute : move;

    printf("limit     %s: %s; this is %.0f %% of it\n", show_seconds(limit),
           compute > move ? "multiply-adds" : "moving every byte once",
           100.0 * limit / seconds);
    printf(
        "          measured now: read %.1f GB/s (%s), gather %.1f GB/s (rows of %lld "
        "B), %.0f GFLOP/s\n",
        1e-9 * read, show_bytes(bytes), 1e-9 * gather, (long long)row, 1e-9 * fma);
    printf("          fetching each row of B anew would take %s\n",
           show_seconds(gathered / gather));
}

static void
show_speed(const char *name, const timed *t, const job *j)
{
    printf("%-9s %s (%s .. %s), %.3g GFLOP/s, %.3g GB/s\n", name,
           show_seconds(t->median), show_seconds(t->q1), show_seconds(t->q3),
           1e-9 * job_flops(j) / t->median, 1e-9 * job_bytes(j) / t->median);
}

static void
show_analysis(const job *j, double wall, double each)
{
    spblasPlanInfo_t info = {.structSize = sizeof info};

    if (spblasSpMatGetPlanInfo(j->a, 0, &info))
        return;
    printf("analysis  %s = %.1f executions; the plan holds %s", show_seconds(wall),
           wall / each, show_bytes((double)info.bytes));
    if (info.predictedSeconds > 0.0)
        printf("; predicted %s", show_seconds(info.predictedSeconds));
    putchar('\n');
}

static int
measure(const run_call *c, job *j, const mm_matrix *m, double analysis)
{
    timed what[3] = {{.run = run_job, .user = j}};
    job_spec bare = j->spec;
    job direct;
    plain loop;
    int code, count = 1;

    bare.plan = NULL;
    bare.frozen = false;
    if ((code = job_make(&direct, &bare, m))) {
        job_free(&direct);
        return code;
    }
    what[count++] = (timed){.run = run_job, .user = &direct};
    if (make_plain(&loop, j))
        what[count++] = (timed){.run = run_plain, .user = &loop};
    time_interleaved(what, count, c->repeat, 1.0, "timing");
    show_analysis(j, analysis, what[0].median);
    show_speed("time", &what[0], j);
    show_speed("direct", &what[1], j);
    printf("          without analysis: %.2f times as long\n",
           what[1].median / what[0].median);
    if (loop.made) {
        show_speed("plain", &what[2], j);
        printf("          the plain CSR loop: %.2f times as long\n",
               what[2].median / what[0].median);
    }
    show_limits(j, what[0].median);
    free_plain(&loop);
    job_free(&direct);
    return TOOL_OK;
}

static int
run_matrix(const run_call *c, const char *path, const job_spec *spec)
{
    mm_matrix m;
    double begin;
    job j;
    int code;

    if (tool_read(&m, path))
        return TOOL_USAGE;
    show_matrix(path, &m);
    if ((code = job_make(&j, spec, &m)) == TOOL_OK) {
        show_problem(&j);
        fflush(stdout);
        begin = tool_seconds();
        code = job_analyse(&j) ? TOOL_USAGE : TOOL_OK;
        begin = tool_seconds() - begin;
        if (code == TOOL_OK) {
            show_plan(&j);
            fflush(stdout);
            code = check(&j);
        }
        if (code == TOOL_OK && c->repeat >= 0)
            code = measure(c, &j, &m, begin);
    }
    job_free(&j);
    mm_free(&m);
    return code;
}

int
tool_run(int argc, char **argv)
{
    run_call c = {.threads = 0};
    const arg_spec specs[] = {
        SPEC_ARGS(&c.words),
        {"--threads", ARG_INT, &c.threads, "OpenMP threads (all cores)"},
        {"--repeat", ARG_INT, &c.repeat,
         "timed rounds (0: for about a second; -1: none, only the check)"},
        {"--help", ARG_FLAG, &c.help, "this text"},
        {NULL, ARG_FLAG, NULL, NULL},
    };
    const char *file[1] = {NULL};
    job_spec spec;
    int count;

    spec_defaults(&c.words);
    if (arg_parse(argc, argv, specs, file, 1, &count))
        return TOOL_USAGE;
    if (c.help) {
        puts("usage: spblas run FILE.mtx[.gz] [options]");
        arg_help(specs);
        return TOOL_OK;
    }
    if (count == 0)
        return tool_complain("run wants a matrix file");
    if (spec_read(&c.words, &spec))
        return TOOL_USAGE;
    if (c.threads < 0 || c.threads > 1024)
        return tool_complain("--threads %lld: 1 .. 1024", (long long)c.threads);
#ifdef _OPENMP
    if (c.threads > 0)
        omp_set_num_threads((int)c.threads);
#endif
    return run_matrix(&c, file[0], &spec);
}
