/* librsb: recursive sparse blocks. */
#include "peers.h"

#include <stdlib.h>

static struct {
    int (*init)(void *);
    void *(*from_csr)(const void *, const int *, const int *, int, char, int, int, int,
                      int, int, int *);
    int (*spmm)(int, const void *, const void *, int, int, const void *, int,
                const void *, void *, int);
    int (*spmv)(int, const void *, const void *, const void *, int, const void *,
                void *, int);
    void *(*free)(void *);
} rsb;

/* RSB_FLAG_DEFAULT_MATRIX_FLAGS of rsb.h. */
enum { NON_TRANSPOSE = 0x4E, ROW_MAJOR = 0, DEFAULT_FLAGS = 0x6102 };

typedef struct state {
    bench_problem pb;
    void *a;
} state;

static const char *
available(int threads)
{
    static const char *const symbols[] = {"rsb_lib_init",
                                          "rsb_mtx_alloc_from_csr_const", "rsb_spmm",
                                          "rsb_spmv", "rsb_mtx_free"};
    static const char *const names[] = {"librsb.so.0", "librsb.so", NULL};
    const char *why = peers_open(names, symbols, (void **)&rsb,
                                 (int)(sizeof symbols / sizeof *symbols));

    (void)threads;
    if (!why && rsb.init(NULL))
        why = "rsb_lib_init failed";
    return why;
}

static void *
prepare(const bench_problem *pb, bench_prepared *info, const char *arg)
{
    state *s;
    int bad = 0;

    (void)info;
    (void)arg;
    if (pb->op == BENCH_SDDMM || pb->by_columns || pb->nnz == 0 ||
        !(s = calloc(1, sizeof *s)))
        return NULL;
    s->pb = *pb;
    s->a = rsb.from_csr(pb->val, pb->ptr, pb->col, (int)pb->nnz,
                        pb->type == ELEM_F32 ? 'S' : 'D', (int)pb->rows, (int)pb->cols,
                        1, 1, 0, &bad);
    if (s->a && !bad)
        return s;
    free(s);
    return NULL;
}

static void
run(void *user)
{
    static const float one_s = 1.0f, zero_s = 0.0f;
    static const double one_d = 1.0, zero_d = 0.0;
    const state *s = user;
    const bool single = s->pb.type == ELEM_F32;
    const void *one = single ? (const void *)&one_s : &one_d;
    const void *zero = single ? (const void *)&zero_s : &zero_d;
    const int n = (int)s->pb.n;

    if (s->pb.op == BENCH_SPMV)
        rsb.spmv(NON_TRANSPOSE, one, s->a, s->pb.b, 1, zero, s->pb.c, 1);
    else
        rsb.spmm(NON_TRANSPOSE, one, s->a, n, ROW_MAJOR, s->pb.b, n, zero, s->pb.c, n);
}

static void
release(void *user)
{
    state *s = user;

    rsb.free(s->a);
    free(s);
}

const bench_peer peer_rsb = {.name = "librsb",
                             .available = available,
                             .prepare = prepare,
                             .run = run,
                             .free = release};
