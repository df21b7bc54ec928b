/*
 * The report. A peer's time is its median; a row's limit is the larger of operations
 * over the FMA rate and compulsory bytes over the read rate at that footprint, its
 * gather limit the gathered bytes over the gather rate.
 */
#include "report.h"

#include "problem.h"
#include "tool.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { VERSIONS = 64 };

struct report {
    FILE *to;
    bool own;
    int rows, versions;
    const char *name[VERSIONS];
    const char *(*version[VERSIONS])(void);
    char cpu[128];
};

static void
put_text(FILE *to, const char *text)
{
    fputc('"', to);
    for (; *text; text++) {
        if (*text == '"' || *text == '\\')
            fputc('\\', to);
        fputc((unsigned char)*text < ' ' ? ' ' : *text, to);
    }
    fputc('"', to);
}

static void
find_cpu(char *out, size_t size)
{
    FILE *info = fopen("/proc/cpuinfo", "r");
    char line[256];
    const char *colon;

    snprintf(out, size, "unknown");
    while (info && fgets(line, sizeof line, info))
        if (strncmp(line, "model name", 10) == 0 && (colon = strchr(line, ':'))) {
            snprintf(out, size, "%.100s", colon + 2);
            out[strcspn(out, "\n")] = '\0';
            break;
        }
    if (info)
        fclose(info);
}

report *
report_open(const char *path, int threads)
{
    report *r = tool_memory(1, sizeof *r);
    char day[32] = "";
    time_t now = time(NULL);
    struct tm when;

    r->to = path ? fopen(path, "w") : stdout;
    r->own = path != NULL;
    if (!r->to) {
        tool_complain("%s: cannot be written: %s", path, strerror(errno));
        free(r);
        return NULL;
    }
    find_cpu(r->cpu, sizeof r->cpu);
    if (gmtime_r(&now, &when))
        strftime(day, sizeof day, "%Y-%m-%d", &when);
    fprintf(r->to, "{\"date\": \"%s\", \"cpu\": ", day);
    put_text(r->to, r->cpu);
    fprintf(r->to, ", \"threads\": %d,\n\"rows\": [", threads);
    return r;
}

void
report_version(report *r, const char *peer, const char *(*version)(void))
{
    if (r->versions == VERSIONS || !version)
        return;
    r->name[r->versions] = peer;
    r->version[r->versions++] = version;
}

static double
limit_seconds(const bench_problem *pb, const bench_limits *m)
{
    const double bytes = problem_bytes(pb);
    const double compute =
        problem_flops(pb) /
        (elem_epsilon(elem_compute(pb->type)) > 0x1p-30 ? m->fma_f32 : m->fma_f64);
    const double move = bytes / limits_read(m, (int64_t)bytes);

    return compute > move ? compute : move;
}

static double
gather_seconds(const bench_problem *pb, const bench_limits *m)
{
    const int64_t row = pb->n * (int64_t)elem_size(pb->type);

    return (double)(pb->nnz * row) / limits_gather(m, problem_depth(pb) * row, row);
}

static void
put_peer(FILE *to, const report_peer *p)
{
    fputs("\n    {\"name\": ", to);
    put_text(to, p->name);
    fprintf(to, ", \"ours\": %s, \"status\": \"%s\"", p->ours ? "true" : "false",
            p->status);
    if (p->text[0]) {
        fputs(", \"text\": ", to);
        put_text(to, p->text);
    }
    if (p->error > 0.0 && p->error < 1e300)
        fprintf(to, ", \"error\": %.3g", p->error);
    if (p->predicted > 0.0)
        fprintf(to, ", \"predicted\": %.4g", p->predicted);
    if (p->median > 0.0)
        fprintf(to,
                ", \"time\": %.5g, \"best\": %.5g, \"q1\": %.5g, \"q3\": %.5g, "
                "\"clean\": %lld, \"analysis\": %.4g, \"analysis_runs\": %.3g",
                p->median, p->best, p->q1, p->q3, (long long)p->clean, p->analysis,
                p->analysis / p->median);
    if (p->noisy)
        fputs(", \"noisy\": true", to);
    fputc('}', to);
}

/* One line for whoever watches. */
static void
show_row(const report_row *row, const char *op)
{
    int k;

    fprintf(stderr, "%-28s %-5s %-4s %4lld ", row->matrix, op, elem_name(row->pb->type),
            (long long)row->pb->n);
    for (k = 0; k < row->peers; k++) {
        if (row->peer[k].median > 0.0)
            fprintf(stderr, " %s %.1f", row->peer[k].name,
                    1e-9 * problem_flops(row->pb) / row->peer[k].median);
        else if (strcmp(row->peer[k].status, "does not apply") != 0)
            fprintf(stderr, " %s %s", row->peer[k].name, row->peer[k].status);
    }
    fputs(" GF/s\n", stderr);
}

void
report_add(report *r, const report_row *row, const bench_limits *limits)
{
    static const char *const ops[] = {"spmv", "spmm", "sddmm"};
    const bench_problem *pb = row->pb;
    int k;

    fprintf(r->to, "%s\n  {\"matrix\": ", r->rows++ ? "," : "");
    put_text(r->to, row->matrix);
    fprintf(r->to,
            ", \"m\": %lld, \"k\": %lld, \"nnz\": %lld, \"op\": \"%s\", \"n\": %lld, "
            "\"type\": \"%s\", \"transposed\": %s, \"flops\": %.6g, \"bytes\": %.6g",
            (long long)pb->rows, (long long)pb->cols, (long long)pb->nnz, ops[pb->op],
            (long long)pb->n, elem_name(pb->type), pb->transposed ? "true" : "false",
            problem_flops(pb), problem_bytes(pb));
    if (limits->threads > 0)
        fprintf(r->to, ", \"limit\": %.5g, \"gather_limit\": %.5g",
                limit_seconds(pb, limits), gather_seconds(pb, limits));
    fputs(", \"peers\": [", r->to);
    for (k = 0; k < row->peers; k++) {
        if (k)
            fputc(',', r->to);
        put_peer(r->to, &row->peer[k]);
    }
    fputs("]}", r->to);
    fflush(r->to);
    show_row(row, ops[pb->op]);
}

void
report_close(report *r, const bench_limits *limits)
{
    int k;

    fputs("\n],\n\"versions\": {", r->to);
    for (k = 0; k < r->versions; k++) {
        fprintf(r->to, "%s\n  ", k ? "," : "");
        put_text(r->to, r->name[k]);
        fputs(": ", r->to);
        put_text(r->to, r->version[k]());
    }
    fputs("}", r->to);
    if (limits) {
        fputs(",\n\"limits\": ", r->to);
        limits_print(limits, r->to);
    }
    fputs("}\n", r->to);
    if (r->own)
        fclose(r->to);
    free(r);
}
