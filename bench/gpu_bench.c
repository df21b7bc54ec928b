/*
 * SpMM on a GPU: ours against every algorithm of the cuSPARSE that is installed, which is
 * opened at run time. Handles, descriptors and buffers persist, algorithms that gain from
 * it are preprocessed, B and C lie by rows, results are checked first, and contestants
 * take turns. Times are of events: launches in a row (warm), each after the L2 was
 * overwritten (flushed), and replayed from a graph where a product takes less than 50 us.
 *
 *   gpu_bench [--backend gpu|emu] [--n 32,128] [--launches 100] [--seconds 500] FILE...
 *
 * One line of JSON a contestant to stdout; times in seconds.
 */
#include "base/macro.h"
#include "gpu/emu.h"
#include "lab.h"

#include "spblas.h"

#include <dlfcn.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { WARM_UP = 20, ROUNDS = 15, GRAPH_LAUNCHES = 100, WIDTHS_MAX = 8, CHECKED = 400 };
static const double batch_ms = 1, graph_below_us = 50;

typedef struct options {
    bool emulated;
    int launches; /* at least, over all rounds */
    double seconds;
    int n[WIDTHS_MAX], widths;
} options;

static const sb_driver *d;

/* ---- libraries ------------------------------------------------------------------------------ */

/* The functions both have, with ours' types: the binary interface is the same. */
#define FUNCTIONS(X)    \
    X(SetStream);       \
    X(CreateCsr);       \
    X(CreateCoo);       \
    X(DestroySpMat);    \
    X(CreateDnMat);     \
    X(DestroyDnMat);    \
    X(SpMM_bufferSize); \
    X(SpMM_preprocess); \
    X(SpMM);            \
    X(Destroy);         \
    X(GetVersion);

typedef struct library {
    spblasHandle_t handle;
#define X(name) __typeof__(spblas##name) *name
    FUNCTIONS(X)
#undef X
} library;

static bool
open_ours(library *l, bool emulated)
{
#define X(name) l->name = spblas##name
    FUNCTIONS(X)
#undef X
    if (spblasCreateOn(&l->handle, emulated ? "emu" : "gpu") == SPBLAS_STATUS_SUCCESS)
        return true;
    fprintf(stderr, "%s\n", spblasGetLastErrorMessage(NULL));
    return false;
}

static bool
symbol(void *lib, const char *name, void *to)
{
    void *at = dlsym(lib, name);

    memcpy(to, &at, sizeof at);
    return at != NULL;
}

static bool
open_cusparse(library *l)
{
    static const char *const names[] = {"libcusparse.so.12", "libcusparse.so.13",
                                        "libcusparse.so"};
    __typeof__(spblasCreate) *create;
    void *lib = NULL;

    for (int q = 0; q < SB_COUNT(names) && !lib; q++)
        lib = dlopen(names[q], RTLD_NOW | RTLD_LOCAL);
    if (!lib || !symbol(lib, "cusparseCreate", (void *)&create))
        return false;
#define X(name)                                           \
    if (!symbol(lib, "cusparse" #name, (void *)&l->name)) \
    return false
    FUNCTIONS(X)
#undef X
    return create(&l->handle) == SPBLAS_STATUS_SUCCESS;
}

/* ---- a case --------------------------------------------------------------------------------- */

typedef struct place {
    sb_cu_mem ptr, idx, row, val, b, c, flush;
    size_t flush_bytes;
    sb_cu_ptr stream, from, to;
} place;

typedef struct contestant {
    const char *name;
    library *lib;
    spblasSpMMAlg_t alg;
    bool coo;
    spblasSpMatDescr_t a;
    spblasDnMatDescr_t b, c;
    sb_cu_mem buffer;
    size_t bytes;
    bool takes_part;
    double cold, warm[ROUNDS], flushed[ROUNDS], graph; /* seconds */
    double worst;                                      /* error over its bound */
} contestant;

static const float one = 1, zero = 0;
static const int none = SPBLAS_OPERATION_NON_TRANSPOSE;

static double
now(void)
{
    struct timespec t;

    (void)clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void
need(int code, const char *what)
{
    const char *text = NULL;

    if (code == 0)
        return;
    (void)d->error_text(code, &text);
    fprintf(stderr, "gpu_bench: %s: %s (%d)\n", what, text ? text : "?", code);
    exit(1);
}

static sb_cu_mem
device_copy(const void *from, size_t bytes)
{
    sb_cu_mem m;

    need(d->alloc(&m, bytes ? bytes : 1), "allocating");
    if (bytes && from)
        need(d->upload(m, from, bytes, NULL), "copying");
    need(d->stream_wait(NULL), "copying");
    return m;
}

static void *
pointer(sb_cu_mem m)
{
    return (void *)(uintptr_t)m;
}

static bool
multiply(const contestant *k)
{
    return k->lib->SpMM(k->lib->handle, none, none, &one, k->a, k->b, &zero, k->c,
                        SPBLAS_R_32F, k->alg,
                        pointer(k->buffer)) == SPBLAS_STATUS_SUCCESS;
}

/* Descriptors, buffer, preprocessing and the first product. */
static bool
prepare(contestant *k, const place *at, const lab_csr *m, int n)
{
    library *l = k->lib;
    const double begin = now();
    bool fine;

    fine = l->SetStream(l->handle, at->stream) == SPBLAS_STATUS_SUCCESS;
    fine &= (k->coo ? l->CreateCoo(&k->a, m->rows, m->cols, m->nnz, pointer(at->row),
                                   pointer(at->idx), pointer(at->val), SPBLAS_INDEX_32I,
                                   SPBLAS_INDEX_BASE_ZERO, SPBLAS_R_32F)
                    : l->CreateCsr(&k->a, m->rows, m->cols, m->nnz, pointer(at->ptr),
                                   pointer(at->idx), pointer(at->val), SPBLAS_INDEX_32I,
                                   SPBLAS_INDEX_32I, SPBLAS_INDEX_BASE_ZERO,
                                   SPBLAS_R_32F)) == SPBLAS_STATUS_SUCCESS;
    fine &= l->CreateDnMat(&k->b, m->cols, n, n, pointer(at->b), SPBLAS_R_32F,
                           SPBLAS_ORDER_ROW) == SPBLAS_STATUS_SUCCESS;
    fine &= l->CreateDnMat(&k->c, m->rows, n, n, pointer(at->c), SPBLAS_R_32F,
                           SPBLAS_ORDER_ROW) == SPBLAS_STATUS_SUCCESS;
    fine = fine &&
           l->SpMM_bufferSize(l->handle, none, none, &one, k->a, k->b, &zero, k->c,
                              SPBLAS_R_32F, k->alg, &k->bytes) == SPBLAS_STATUS_SUCCESS;
    if (!fine || (k->bytes && d->alloc(&k->buffer, k->bytes) != 0))
        return false;
    /* what an algorithm does not preprocess it says, and goes without */
    (void)l->SpMM_preprocess(l->handle, none, none, &one, k->a, k->b, &zero, k->c,
                             SPBLAS_R_32F, k->alg, pointer(k->buffer));
    fine = multiply(k) && d->stream_wait(at->stream) == 0;
    k->cold = now() - begin;
    return fine;
}

static void
end(contestant *k)
{
    if (k->a)
        (void)k->lib->DestroySpMat(k->a);
    if (k->b)
        (void)k->lib->DestroyDnMat(k->b);
    if (k->c)
        (void)k->lib->DestroyDnMat(k->c);
    (void)d->free(k->buffer);
}

/* ---- correctness ------------------------------------------------------------------------------ */

/* The largest error of some rows, in units of eps * (length + 2) * sum |a| |b|. */
static double
error_of(const lab_csr *m, const float *b, const float *c, int n)
{
    const int64_t step = m->rows > CHECKED ? m->rows / CHECKED : 1;
    const float *val = m->val;
    double worst = 0;

    for (int64_t i = 0; i < m->rows; i += step)
        for (int j = 0; j < n; j++) {
            double sum = 0, size = 0, off;

            for (int32_t p = m->ptr[i]; p < m->ptr[i + 1]; p++) {
                const double term = (double)val[p] * b[(int64_t)m->idx[p] * n + j];

                sum += term;
                size += fabs(term);
            }
            off = fabs(c[i * n + j] - sum);
            if (!(off == 0)) {
                off /= 0x1p-24 * (m->ptr[i + 1] - m->ptr[i] + 2) * size;
                worst = off <= worst ? worst : off; /* also when it is no number */
            }
        }
    return worst;
}

/* ---- time ------------------------------------------------------------------------------------- */

/* Seconds a product of `count` in a row; negative when one failed. */
static double
timed(const contestant *k, const place *at, int count)
{
    bool fine = true;
    float ms = 0;

    need(d->event_record(at->from, at->stream), "timing");
    for (int q = 0; q < count; q++)
        fine &= multiply(k);
    need(d->event_record(at->to, at->stream), "timing");
    need(d->event_wait(at->to), "a kernel");
    need(d->event_elapsed(&ms, at->from, at->to), "timing");
    return fine ? ms * 1e-3 / count : -1;
}

static double
flushed(const contestant *k, const place *at)
{
    need(d->fill(at->flush, 0, at->flush_bytes, at->stream), "flushing");
    return timed(k, at, 1);
}

/* Seconds a product in a replayed graph; 0 when it cannot be captured. */
static double
replayed(const contestant *k, const place *at)
{
    sb_cu_ptr graph = NULL, exec = NULL;
    bool fine = true;
    float ms = 0;

    if (d->capture_begin(at->stream, SB_CU_CAPTURE_RELAXED) != 0)
        return 0;
    for (int q = 0; q < GRAPH_LAUNCHES && fine; q++)
        fine = multiply(k);
    if (d->capture_end(at->stream, &graph) != 0 || !fine ||
        d->graph_make(&exec, graph, 0) != 0) {
        if (graph)
            (void)d->graph_destroy(graph);
        return 0;
    }
    for (int q = 0; q < 2; q++) { /* the first is a warm-up */
        need(d->event_record(at->from, at->stream), "timing");
        need(d->graph_launch(exec, at->stream), "a graph");
        need(d->event_record(at->to, at->stream), "timing");
        need(d->event_wait(at->to), "a graph");
        need(d->event_elapsed(&ms, at->from, at->to), "timing");
    }
    (void)d->graph_exec_destroy(exec);
    (void)d->graph_destroy(graph);
    return ms * 1e-3 / GRAPH_LAUNCHES;
}

static int
ascending(const void *x, const void *y)
{
    const double a = *(const double *)x, b = *(const double *)y;

    return a < b ? -1 : a > b;
}

/* ---- a matrix --------------------------------------------------------------------------------- */

static void
put_line(const lab_csr *m, int n, contestant *k)
{
    qsort(k->warm, ROUNDS, sizeof *k->warm, ascending);
    qsort(k->flushed, ROUNDS, sizeof *k->flushed, ascending);
    printf("{\"matrix\": \"%s\", \"rows\": %lld, \"cols\": %lld, \"nnz\": %lld, "
           "\"n\": %d, \"who\": \"%s\", \"right\": %s, \"error\": %.3g",
           m->name, (long long)m->rows, (long long)m->cols, (long long)m->nnz, n,
           k->name, k->takes_part ? "true" : "false", k->worst);
    if (k->takes_part)
        printf(", \"warm\": %.4g, \"warm05\": %.4g, \"warm95\": %.4g, "
               "\"flushed\": %.4g, \"graph\": %.4g, \"cold\": %.4g, \"buffer\": %zu",
               k->warm[ROUNDS / 2], k->warm[ROUNDS / 20], k->warm[ROUNDS - 1],
               k->flushed[ROUNDS / 2], k->graph, k->cold, k->bytes);
    printf("}\n");
    (void)fflush(stdout);
}

static void
measure(contestant *k, int count, const place *at, int launches)
{
    int batch[16] = {0};

    for (int q = 0; q < count; q++) {
        const int least = (launches + ROUNDS - 1) / ROUNDS;
        double t =
            k[q].takes_part ? timed(&k[q], at, launches < WARM_UP ? 1 : WARM_UP) : 0;

        batch[q] =
            t > 0 && batch_ms * 1e-3 / t > least ? (int)(batch_ms * 1e-3 / t) : least;
    }
    for (int r = 0; r < ROUNDS; r++)
        for (int q = 0; q < count; q++) {
            if (!k[q].takes_part)
                continue;
            k[q].warm[r] = timed(&k[q], at, batch[q]);
            k[q].flushed[r] = flushed(&k[q], at);
        }
    for (int q = 0; q < count; q++)
        if (k[q].takes_part && k[q].warm[ROUNDS / 2] * 1e6 < graph_below_us)
            k[q].graph = replayed(&k[q], at);
}

static void
compete(const lab_csr *m, int n, place *at, library *ours, library *peer,
        const float *b, float *c, const options *opt)
{
    contestant k[] = {
        {.name = "ours", .lib = ours, .alg = SPBLAS_SPMM_ALG_DEFAULT},
        {.name = "cusparse default", .lib = peer, .alg = SPBLAS_SPMM_ALG_DEFAULT},
        {.name = "cusparse csr1", .lib = peer, .alg = SPBLAS_SPMM_CSR_ALG1},
        {.name = "cusparse csr2", .lib = peer, .alg = SPBLAS_SPMM_CSR_ALG2},
        {.name = "cusparse csr3", .lib = peer, .alg = SPBLAS_SPMM_CSR_ALG3},
        {.name = "cusparse coo4",
         .lib = peer,
         .alg = SPBLAS_SPMM_COO_ALG4,
         .coo = true},
    };
    const size_t bytes = (size_t)m->rows * (size_t)n * sizeof *c;

    for (int q = 0; q < SB_COUNT(k); q++) {
        need(d->fill(at->c, 0xff, bytes ? bytes : 1, at->stream), "filling");
        k[q].takes_part = k[q].lib && prepare(&k[q], at, m, n);
        if (k[q].takes_part) {
            need(d->download(c, at->c, bytes, at->stream), "copying");
            need(d->stream_wait(at->stream), "copying");
            k[q].worst = error_of(m, b, c, n);
            k[q].takes_part = k[q].worst <= 2;
        }
    }
    measure(k, SB_COUNT(k), at, opt->launches);
    for (int q = 0; q < SB_COUNT(k); q++)
        if (k[q].lib) {
            put_line(m, n, &k[q]);
            end(&k[q]);
        }
}

static int32_t *
row_indices(const lab_csr *m)
{
    int32_t *row = malloc((size_t)(m->nnz + 1) * sizeof *row);

    for (int64_t i = 0; row && i < m->rows; i++)
        for (int32_t p = m->ptr[i]; p < m->ptr[i + 1]; p++)
            row[p] = (int32_t)i;
    return row;
}

static void
one_matrix(const lab_csr *m, int n, place *at, library *ours, library *peer,
           const options *opt)
{
    const size_t b_bytes = (size_t)m->cols * (size_t)n * sizeof(float);
    const size_t c_bytes = (size_t)m->rows * (size_t)n * sizeof(float);
    float *b = malloc(b_bytes + 1), *c = malloc(c_bytes + 1);
    int32_t *row = row_indices(m);
    uint64_t s = 1;

    if (!b || !c || !row) {
        fprintf(stderr, "gpu_bench: no memory for %s\n", m->name);
        exit(1);
    }
    for (size_t q = 0; q < b_bytes / sizeof *b; q++) {
        s = s * 6364136223846793005u + 1442695040888963407u;
        b[q] = (float)(s >> 40) * 0x1p-23f - 1;
    }
    at->ptr = device_copy(m->ptr, (size_t)(m->rows + 1) * sizeof *m->ptr);
    at->idx = device_copy(m->idx, (size_t)m->nnz * sizeof *m->idx);
    at->row = device_copy(row, (size_t)m->nnz * sizeof *row);
    at->val = device_copy(m->val, (size_t)m->nnz * sizeof(float));
    at->b = device_copy(b, b_bytes);
    at->c = device_copy(NULL, c_bytes);
    compete(m, n, at, ours, peer, b, c, opt);
    (void)d->free(at->ptr);
    (void)d->free(at->idx);
    (void)d->free(at->row);
    (void)d->free(at->val);
    (void)d->free(at->b);
    (void)d->free(at->c);
    free(row);
    free(b);
    free(c);
}

/* ---- the program ------------------------------------------------------------------------------- */

static bool
read_options(options *o, int argc, char **argv, int *first)
{
    int k = 1;

    for (; k + 1 < argc && argv[k][0] == '-'; k += 2) {
        char *v = argv[k + 1];

        if (strcmp(argv[k], "--backend") == 0)
            o->emulated = strcmp(v, "emu") == 0;
        else if (strcmp(argv[k], "--launches") == 0)
            o->launches = atoi(v);
        else if (strcmp(argv[k], "--seconds") == 0)
            o->seconds = atof(v);
        else if (strcmp(argv[k], "--n") == 0)
            for (o->widths = 0; *v && o->widths < WIDTHS_MAX; v += *v == ',')
                o->n[o->widths++] = (int)strtol(v, &v, 10);
        else
            return false;
    }
    *first = k;
    return k < argc && argv[k][0] != '-' && o->launches > 0 && o->widths > 0;
}

static void
open_place(place *at)
{
    sb_cu_ptr context;
    int device = 0, l2 = 0;

    need(d->device_get(&device, 0), "the device");
    need(d->primary_retain(&context, device), "the context");
    need(d->context_push(context), "the context");
    need(d->device_attribute(&l2, SB_CU_L2_BYTES, device), "the device");
    need(d->stream_create(&at->stream, SB_CU_STREAM_NON_BLOCKING), "a stream");
    need(d->event_create(&at->from, 0), "an event");
    need(d->event_create(&at->to, 0), "an event");
    at->flush_bytes = 2 * (size_t)(l2 > 0 ? l2 : 1);
    at->flush = device_copy(NULL, at->flush_bytes);
}

int
main(int argc, char **argv)
{
    const lab_options lab = {.f32 = true};
    options opt = {.launches = 100, .seconds = 500, .n = {32, 128}, .widths = 2};
    library ours = {0}, cusparse = {0}, *peer = NULL;
    const double begin = now();
    sb_diag diag = {SB_OK, ""};
    int first, version = 0;
    place at = {0};

    if (!read_options(&opt, argc, argv, &first)) {
        fprintf(stderr, "usage: gpu_bench [--backend gpu|emu] [--n N,N..] "
                        "[--launches L] [--seconds S] FILE...\n");
        return 2;
    }
    d = sb_emu_driver();
    if (!opt.emulated && sb_driver_get(&d, &diag) != SB_OK) {
        fprintf(stderr, "gpu_bench: %s\n", diag.text);
        return 1;
    }
    open_place(&at);
    if (!open_ours(&ours, opt.emulated))
        return 1;
    if (!opt.emulated && open_cusparse(&cusparse))
        peer = &cusparse;
    if (peer)
        (void)peer->GetVersion(peer->handle, &version);
    fprintf(stderr, "gpu_bench: cuSPARSE %d\n", version);
    for (int f = first; f < argc; f++) {
        lab_csr m;

        if (!lab_load(&m, argv[f], &lab))
            return 1;
        for (int q = 0; q < opt.widths && now() - begin < opt.seconds; q++)
            one_matrix(&m, opt.n[q], &at, &ours, peer, &opt);
        lab_free(&m);
    }
    (void)ours.Destroy(ours.handle);
    if (peer)
        (void)peer->Destroy(peer->handle);
    (void)d->free(at.flush);
    (void)d->event_destroy(at.from);
    (void)d->event_destroy(at.to);
    (void)d->stream_destroy(at.stream);
    return 0;
}
