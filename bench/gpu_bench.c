/*
 * Products on a GPU: ours against every algorithm of the cuSPARSE that is installed, which
 * is opened at run time. Handles, descriptors and buffers persist, algorithms that gain
 * from it are preprocessed, results are checked first, and contestants take turns. Times
 * are of events: launches in a row (warm), each after the L2 was overwritten (flushed),
 * and replayed from a graph where a product takes less than 50 us.
 *
 *   gpu_bench [--backend gpu|emu] [--op spmm|spmv|sddmm] [--type f32] [--order row|col]
 *             [--beta 0|1] [--n 32,128] [--launches 100] [--seconds 500]
 *             [--explain TO] [--skip NAMES] [--plan TEXT] [FILE...]
 *
 * One line of JSON a contestant to stdout; times in seconds. TO: a file, to which our plans'
 * explanations are added. NAMES: contestants whose names hold one of
 * these words are left out. TEXT: a plan
 * that one more of ours is given. On stderr what is wrong
 * with ours and what there was no time for; without a file, the machine.
 */
#include "gpu_contest.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    WARM_UP = 20,
    REPEATED = 4,
    GRAPH_LAUNCHES = 100,
    WIDTHS_MAX = 8,
    CONTESTANTS_MAX = 12
};
static const double batch_ms = 1, graph_below_us = 50;

static const char *const op_names[] = {"spmm", "spmv", "sddmm"};

typedef struct options {
    bool emulated;
    contest of;   /* op, type, order, beta */
    int launches; /* at least, over all rounds */
    double seconds;
    const char *explain; /* file for plans' explanations, or NULL */
    char *skip; /* words, commas between; contestants whose names hold one, or NULL */
    int n[WIDTHS_MAX], widths;
} options;

static sb_cu_mem flush;
static size_t flush_bytes;

/* ---- time ------------------------------------------------------------------------------------- */

/* Seconds a product of `count` in a row; negative when one failed. */
static double
timed(contestant *k, int count)
{
    bool fine = true;
    float ms = 0;

    gpu_need(gpu.d->event_record(gpu.from, gpu.stream), "timing");
    for (int q = 0; q < count; q++)
        fine &= contestant_multiply(k);
    gpu_need(gpu.d->event_record(gpu.to, gpu.stream), "timing");
    gpu_need(gpu.d->event_wait(gpu.to), "a kernel");
    gpu_need(gpu.d->event_elapsed(&ms, gpu.from, gpu.to), "timing");
    return fine ? ms * 1e-3 / count : -1;
}

static double
flushed(contestant *k)
{
    gpu_need(gpu.d->fill(flush, 0, flush_bytes, gpu.stream), "flushing");
    return timed(k, 1);
}

static void
measure(contestant *k, int count, int launches)
{
    const int least = (launches + CONTEST_ROUNDS - 1) / CONTEST_ROUNDS;
    int batch[CONTESTANTS_MAX] = {0};

    for (int q = 0; q < count; q++) {
        const double t =
            k[q].takes_part ? timed(&k[q], launches < WARM_UP ? 1 : WARM_UP) : 0;

        batch[q] =
            t > 0 && batch_ms * 1e-3 / t > least ? (int)(batch_ms * 1e-3 / t) : least;
    }
    for (int r = 0; r < CONTEST_ROUNDS; r++)
        for (int q = 0; q < count; q++) {
            if (!k[q].takes_part)
                continue;
            k[q].warm[r] = timed(&k[q], batch[q]);
            k[q].flushed[r] = flushed(&k[q]);
        }
    for (int q = 0; q < count; q++)
        if (k[q].takes_part && k[q].warm[CONTEST_ROUNDS / 2] * 1e6 < graph_below_us) {
            const double t = gpu_replayed(contestant_multiply, &k[q],
                                          gpu.emulated ? 2 : GRAPH_LAUNCHES);

            k[q].graph = t > 0 ? t : 0;
        }
}

/* ---- a matrix --------------------------------------------------------------------------------- */

static void
put_line(const contest *c, contestant *k)
{
    const lab_csr *m = c->m;

    qsort(k->warm, CONTEST_ROUNDS, sizeof *k->warm, gpu_ascending);
    qsort(k->flushed, CONTEST_ROUNDS, sizeof *k->flushed, gpu_ascending);
    (void)printf("{\"matrix\": \"%s\", \"rows\": %lld, \"cols\": %lld, \"nnz\": %lld, "
                 "\"op\": \"%s\", \"type\": \"%s\", \"order\": \"%s\", \"beta\": %d, "
                 "\"n\": %d, \"who\": \"%s\", \"right\": %s, \"captured\": %s, "
                 "\"same\": %s, \"error\": %.3g",
                 m->name, (long long)m->rows, (long long)m->cols, (long long)m->nnz,
                 op_names[c->op], elem_name(c->type), c->col ? "col" : "row", c->beta,
                 c->n, k->name, k->right ? "true" : "false",
                 k->captured ? "true" : "false", k->same ? "true" : "false", k->worst);
    if (k->takes_part)
        (void)printf(", \"warm\": %.4g, \"warm05\": %.4g, \"warm95\": %.4g, "
                     "\"flushed\": %.4g, \"graph\": %.4g, \"cold\": %.4g, "
                     "\"buffer\": %zu",
                     k->warm[CONTEST_ROUNDS / 2], k->warm[CONTEST_ROUNDS / 20],
                     k->warm[CONTEST_ROUNDS - 1], k->flushed[CONTEST_ROUNDS / 2],
                     k->graph, k->cold, k->bytes);
    if (k->plan[0])
        (void)printf(", \"plan\": \"%s\"", k->plan);
    (void)printf("}\n");
    (void)fflush(stdout);
}

static bool
skipped(const options *o, const char *name)
{
    char word[32];

    for (const char *at = o->skip; at && *at;
         at += strcspn(at, ","), at += *at == ',') {
        const size_t n = strcspn(at, ",");

        if (n >= sizeof word)
            continue;
        memcpy(word, at, n);
        word[n] = '\0';
        if (strstr(name, word))
            return true;
    }
    return false;
}

static void
compete(const options *o, const lab_csr *m, int n, contest_library *ours,
        contest_library *peer)
{
    contestant k[CONTESTANTS_MAX] = {{0}};
    contest c = o->of;
    int count = 0;

    c.n = n;
    (void)snprintf(gpu.doing, sizeof gpu.doing, "%.90s %s %s n %d", m->name,
                   op_names[c.op], elem_name(c.type), n);
    contest_begin(&c, m);
    for (const contestant *from = contest_list(c.op); from->name; from++) {
        k[count] = *from;
        k[count].lib = strncmp(from->name, "ours", 4) == 0 ? ours : peer;
        count += k[count].lib && !skipped(o, from->name) &&
                 (from->effort != FORCED || c.plan);
    }
    for (int q = 0; q < count; q++) {
        contestant_prepare(&k[q], &c);
        contestant_repeat(&k[q], o->launches < WARM_UP ? 2 : REPEATED);
    }
    measure(k, count, o->launches);
    for (int q = 0; q < count; q++) {
        put_line(&c, &k[q]);
        if (o->explain)
            contestant_explain(&k[q], o->explain);
        contestant_end(&k[q]);
    }
    contest_end(&c);
}

/* ---- the program ------------------------------------------------------------------------------- */

static bool
one_option(options *o, const char *name, char *v)
{
    if (strcmp(name, "--backend") == 0) {
        o->emulated = strcmp(v, "emu") == 0;
    } else if (strcmp(name, "--launches") == 0) {
        o->launches = atoi(v);
    } else if (strcmp(name, "--seconds") == 0) {
        o->seconds = atof(v);
    } else if (strcmp(name, "--explain") == 0) {
        o->explain = v;
    } else if (strcmp(name, "--skip") == 0) {
        o->skip = v;
    } else if (strcmp(name, "--plan") == 0) {
        o->of.plan = v;
    } else if (strcmp(name, "--type") == 0) {
        return elem_parse(v, &o->of.type) && !elem_is_complex(o->of.type);
    } else if (strcmp(name, "--order") == 0) {
        o->of.col = strcmp(v, "col") == 0;
    } else if (strcmp(name, "--beta") == 0) {
        o->of.beta = atoi(v);
        return o->of.beta == 0 || o->of.beta == 1;
    } else if (strcmp(name, "--op") == 0) {
        for (int q = 0; q < 3; q++)
            if (strcmp(v, op_names[q]) == 0) {
                o->of.op = (contest_op)q;
                return true;
            }
        return false;
    } else if (strcmp(name, "--n") == 0) {
        for (o->widths = 0; *v && o->widths < WIDTHS_MAX; v += *v == ',')
            o->n[o->widths++] = (int)strtol(v, &v, 10);
    } else {
        return false;
    }
    return true;
}

static bool
read_options(options *o, int argc, char **argv, int *first)
{
    int k = 1;

    for (; k + 1 < argc && argv[k][0] == '-'; k += 2)
        if (!one_option(o, argv[k], argv[k + 1]))
            return false;
    *first = k;
    if (o->of.op == CONTEST_SPMV)
        o->widths = 1;
    return (k == argc || argv[k][0] != '-') && o->launches > 0 && o->widths > 0;
}

/* What times are worth little without. */
static void
put_machine(bool has_peer, int version)
{
    const char *kernels = getenv("SPBLAS_GPU_KERNELS");
    char name[128] = "?";
    int driver = 0, major = 0, minor = 0;

    (void)gpu.d->device_name(name, sizeof name, 0);
    (void)gpu.d->driver_version(&driver);
    if (gpu.d->can_compile)
        (void)gpu.d->rtc_version(&major, &minor);
    (void)fprintf(stderr, "%s (%s), driver for CUDA %d.%d, NVRTC ", name, gpu.arch,
                  driver / 1000, driver % 1000 / 10);
    (void)(major ? fprintf(stderr, "%d.%d", major, minor) : fputs("none", stderr));
    (void)fprintf(stderr, ", file of kernels %s, cuSPARSE ",
                  kernels ? kernels : "beside the library");
    (void)(has_peer ? fprintf(stderr, "%d\n", version) : fputs("none\n", stderr));
}

/* All widths of a matrix; false: it cannot be read. */
static bool
one_matrix(const options *o, const char *file, double deadline, contest_library *ours,
           contest_library *peer)
{
    const lab_options lab = {.f32 = true};
    lab_csr m;

    if (!lab_load(&m, file, &lab))
        return false;
    for (int q = 0; q < o->widths; q++) {
        if (gpu_now() < deadline)
            compete(o, &m, o->n[q], ours, peer);
        else
            (void)fprintf(stderr, "time is up: %s n %d left out\n", m.name, o->n[q]);
    }
    lab_free(&m);
    return true;
}

int
main(int argc, char **argv)
{
    options opt = {.launches = 100, .seconds = 500, .n = {32, 128}, .widths = 2};
    contest_library *ours, *peer = NULL;
    const double begin = gpu_now();
    bool read = true;
    int first, version = 0;

    if (!read_options(&opt, argc, argv, &first)) {
        (void)fprintf(stderr,
                      "usage: gpu_bench [--backend gpu|emu] [--op spmm|spmv|sddmm] "
                      "[--type f32]\n                 [--order row|col] [--beta 0|1] "
                      "[--n N,N..] [--launches L] [--seconds S]\n                 "
                      "[--explain TO] [--skip NAMES] [--plan TEXT] [FILE...]\n");
        return 2;
    }
    gpu_open(opt.emulated);
    flush_bytes = 2 * (size_t)(gpu.l2_bytes > 0 ? gpu.l2_bytes : 1);
    flush = gpu_room(flush_bytes);
    ours = contest_ours(opt.emulated);
    if (!ours)
        return 1;
    if (!opt.emulated)
        peer = contest_cusparse(&version);
    if (first == argc)
        put_machine(peer != NULL, version);
    for (int f = first; f < argc && read; f++)
        read = one_matrix(&opt, argv[f], begin + opt.seconds, ours, peer);
    contest_close(ours);
    contest_close(peer);
    (void)gpu.d->free(flush);
    gpu_close();
    return !read;
}
