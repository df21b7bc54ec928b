/*
 * LIBXSMM: one small dense product a block, made by its code generator, in a plain loop
 * over block rows. It takes part where blocks of 4 .. 32 are at least 70 % full; holes
 * are zeros. Row-major c = a b is column-major c^T = b^T a^T, hence the order of
 * operands. Source: libxsmm's manual, dispatch of small matrix multiplications.
 */
#include "peers.h"

#include <libxsmm.h>
#include <stdlib.h>
#include <string.h>

typedef struct state {
    bench_problem pb;
    int64_t b, blocks;
    int64_t *ptr; /* rows / b + 1 */
    int32_t *col; /* block columns */
    float *val;   /* b x b a block */
    libxsmm_smmfunction kernel;
} state;

static const char *
available(int threads)
{
    (void)threads;
    libxsmm_init();
    return NULL;
}

static void
release(void *user)
{
    state *s = user;

    free(s->ptr);
    free(s->col);
    free(s->val);
    free(s);
}

/* Blocks of edge b that hold an entry. slot: one per block column, 0 on entry. With
 * s->val NULL only counts; then fills. */
static void
walk(state *s, int64_t *slot)
{
    const bench_problem *pb = &s->pb;
    const float *val = pb->val;
    int64_t count = 0;

    for (int64_t i = 0; i < pb->rows; i++) {
        const int64_t first = s->ptr[i / s->b]; /* blocks of the rows above */

        for (int32_t p = pb->ptr[i]; p < pb->ptr[i + 1]; p++) {
            const int64_t j = pb->col[p] / s->b;

            /* slot - 1 is the number of the last block met in this block column. */
            if (slot[j] <= first) {
                if (s->val)
                    s->col[count] = (int32_t)j;
                slot[j] = ++count;
            }
            if (s->val)
                s->val[((slot[j] - 1) * s->b + i % s->b) * s->b + pb->col[p] % s->b] =
                    val[p];
        }
        s->ptr[i / s->b + 1] = count;
    }
    s->blocks = count;
}

/* Converts with this block edge; false when too empty or memory is short. */
static bool
convert(state *s, int64_t b)
{
    const bench_problem *pb = &s->pb;
    const int64_t cols = pb->cols / b;
    int64_t *slot = calloc((size_t)cols, sizeof *slot);
    bool good;

    s->b = b;
    s->ptr = calloc((size_t)(pb->rows / b + 1), sizeof *s->ptr);
    good = slot && s->ptr;
    if (good)
        walk(s, slot);
    good = good && (double)pb->nnz >= 0.7 * (double)(s->blocks * b * b);
    if (good) {
        s->col = malloc((size_t)s->blocks * sizeof *s->col);
        s->val = calloc((size_t)(s->blocks * b * b), sizeof *s->val);
        good = s->col && s->val;
    }
    if (good) {
        memset(slot, 0, (size_t)cols * sizeof *slot);
        walk(s, slot);
    }
    free(slot);
    if (!good) {
        free(s->ptr);
        free(s->col);
        free(s->val);
        s->ptr = NULL;
        s->col = NULL;
        s->val = NULL;
    }
    return good;
}

static void *
prepare(const bench_problem *pb, bench_prepared *info, const char *arg)
{
    const float one = 1.0f;
    state *s;
    int64_t b;

    (void)info;
    (void)arg;
    if (pb->op != BENCH_SPMM || pb->by_columns || pb->type != ELEM_F32 ||
        pb->nnz == 0 || !(s = calloc(1, sizeof *s)))
        return NULL;
    s->pb = *pb;
    for (b = 32; b >= 4; b /= 2)
        if (pb->rows % b == 0 && pb->cols % b == 0 && convert(s, b))
            break;
    if (b >= 4) {
        const int n = (int)pb->n, edge = (int)b;

        s->kernel =
            libxsmm_smmdispatch(n, edge, edge, &n, &edge, &n, &one, &one, NULL, NULL);
        if (s->kernel)
            return s;
    }
    release(s);
    return NULL;
}

static void
run(void *user)
{
    const state *s = user;
    const float *b = s->pb.b;
    const int64_t n = s->pb.n, edge = s->b, rows = s->pb.rows / edge;
    float *c = s->pb.c;

#pragma omp parallel for schedule(dynamic, 8) num_threads(s->pb.threads)
    for (int64_t i = 0; i < rows; i++) {
        memset(c + i * edge * n, 0, (size_t)(edge * n) * sizeof *c);
        for (int64_t q = s->ptr[i]; q < s->ptr[i + 1]; q++)
            s->kernel(b + s->col[q] * edge * n, s->val + q * edge * edge,
                      c + i * edge * n);
    }
}

const bench_peer peer_xsmm = {.name = "libxsmm-bsr",
                              .available = available,
                              .prepare = prepare,
                              .run = run,
                              .free = release};
