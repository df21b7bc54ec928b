/* The plain CSR loop as a peer. */
#include "peers.h"

#include "naive.h"

#include <stdlib.h>

typedef struct state {
    naive_job job;
    int threads;
    bool sddmm;
} state;

static const char *
available(int threads)
{
    (void)threads;
    return NULL;
}

static void *
prepare(const bench_problem *pb, bench_prepared *info, const char *arg)
{
    state *s = calloc(1, sizeof *s);

    (void)info;
    (void)arg;
    if (!s || pb->by_columns || pb->transposed || !naive_has(pb->type)) {
        free(s);
        return NULL;
    }
    s->job = (naive_job){pb->type, pb->rows, pb->n, pb->ptr, pb->col,
                         pb->val,  pb->x,    pb->b, pb->c};
    s->threads = pb->threads;
    s->sddmm = pb->op == BENCH_SDDMM;
    return s;
}

static void
run(void *user)
{
    const state *s = user;

    if (s->sddmm)
        naive_sddmm(&s->job, s->threads);
    else
        naive_spmm(&s->job, s->threads);
}

const bench_peer peer_naive = {.name = "naive",
                               .available = available,
                               .prepare = prepare,
                               .run = run,
                               .free = free,
                               .general = true};
