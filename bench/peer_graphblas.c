/*
 * SuiteSparse:GraphBLAS. Its fast way to multiply by a full matrix is C += A * B into a
 * full C (the plain assignment is several times slower), so c gathers sums here; it is
 * cleared before the first run, which is the one that is compared with the oracle.
 * Opaque handles are void pointers, prototypes follow the C API.
 */
#include "peers.h"

#include <stdlib.h>
#include <string.h>

typedef void *object;

static struct {
    int (*init)(int mode);
    int (*new)(object *, object type, uint64_t rows, uint64_t cols);
    int (*free)(object *);
    int (*import_csr)(object *, object type, uint64_t, uint64_t, uint64_t **,
                      uint64_t **, void **, uint64_t, uint64_t, uint64_t, bool, bool,
                      object);
    int (*import_full)(object *, object type, uint64_t, uint64_t, void **, uint64_t,
                       bool, object);
    int (*mxm)(object c, object mask, object accum, object ring, object a, object b,
               object desc);
    int (*set)(int field, ...);
    int (*wait)(object, int);
    int (*export_csr)(object *, object *type, uint64_t *, uint64_t *, uint64_t **,
                      uint64_t **, void **, uint64_t *, uint64_t *, uint64_t *, bool *,
                      bool *, object);
    object *fp32, *fp64, *plus32, *plus64, *ring32, *ring64, *desc_st1;
} gb;

enum { GLOBAL_NTHREADS = 5, NONBLOCKING = 0, MATERIALIZE = 1 };

typedef struct state {
    bench_problem pb;
    object a, b, x, c;
    object accum, ring;
    void *full; /* C's array, owned by the full matrix c */
    bool first;
} state;

static const char *
available(int threads)
{
    static const char *const symbols[] = {"GrB_init",
                                          "GrB_Matrix_new",
                                          "GrB_Matrix_free",
                                          "GxB_Matrix_import_CSR",
                                          "GxB_Matrix_import_FullR",
                                          "GrB_mxm",
                                          "GxB_Global_Option_set",
                                          "GrB_Matrix_wait",
                                          "GxB_Matrix_export_CSR",
                                          "GrB_FP32",
                                          "GrB_FP64",
                                          "GrB_PLUS_FP32",
                                          "GrB_PLUS_FP64",
                                          "GrB_PLUS_TIMES_SEMIRING_FP32",
                                          "GrB_PLUS_TIMES_SEMIRING_FP64",
                                          "GrB_DESC_ST1"};
    static const char *const names[] = {"libgraphblas.so.9", "libgraphblas.so.8",
                                        "libgraphblas.so.7", "libgraphblas.so", NULL};
    const char *why = peers_open(names, symbols, (void **)&gb,
                                 (int)(sizeof symbols / sizeof *symbols));

    if (why)
        return why;
    if (gb.init(NONBLOCKING))
        return "GrB_init failed";
    gb.set(GLOBAL_NTHREADS, threads);
    return NULL;
}

/* A copy that GraphBLAS will own. */
static void *
own(const void *from, size_t bytes)
{
    void *p = malloc(bytes ? bytes : 1);

    if (p)
        memcpy(p, from, bytes);
    return p;
}

static uint64_t *
widen(const int32_t *from, int64_t count)
{
    uint64_t *to = malloc((size_t)(count ? count : 1) * sizeof *to);
    int64_t p;

    for (p = 0; to && p < count; p++)
        to[p] = (uint64_t)from[p];
    return to;
}

static bool
import_sparse(state *s)
{
    const bench_problem *pb = &s->pb;
    const size_t size = elem_size(pb->type);
    uint64_t *ptr = widen(pb->ptr, pb->rows + 1), *col = widen(pb->col, pb->nnz);
    void *val = own(pb->val, (size_t)pb->nnz * size);
    object type = pb->type == ELEM_F32 ? *gb.fp32 : *gb.fp64;

    return ptr && col && val &&
           gb.import_csr(&s->a, type, (uint64_t)pb->rows, (uint64_t)pb->cols, &ptr,
                         &col, &val, (uint64_t)(pb->rows + 1) * 8,
                         (uint64_t)pb->nnz * 8, (uint64_t)pb->nnz * size, false, false,
                         NULL) == 0;
}

static bool
import_full(state *s, object *out, const void *from, int64_t rows, int64_t cols,
            void **array)
{
    const size_t bytes = (size_t)(rows * cols) * elem_size(s->pb.type);
    object type = s->pb.type == ELEM_F32 ? *gb.fp32 : *gb.fp64;
    void *copy = from ? own(from, bytes) : calloc(bytes ? bytes : 1, 1);

    if (array)
        *array = copy;
    return copy && gb.import_full(out, type, (uint64_t)rows, (uint64_t)cols, &copy,
                                  bytes, false, NULL) == 0;
}

static void
release(void *user)
{
    state *s = user;

    gb.free(&s->a);
    gb.free(&s->b);
    gb.free(&s->x);
    gb.free(&s->c);
    free(s);
}

static void *
prepare(const bench_problem *pb, bench_prepared *info, const char *arg)
{
    const bool single = pb->type == ELEM_F32;
    state *s = calloc(1, sizeof *s);
    bool good;

    (void)info;
    (void)arg;
    if (!s || pb->by_columns) {
        free(s);
        return NULL;
    }
    s->pb = *pb;
    s->accum = single ? *gb.plus32 : *gb.plus64;
    s->ring = single ? *gb.ring32 : *gb.ring64;
    s->first = true;
    good = import_sparse(s) && import_full(s, &s->b, pb->b, pb->cols, pb->n, NULL);
    if (good && pb->op == BENCH_SDDMM)
        good = import_full(s, &s->x, pb->x, pb->rows, pb->n, NULL) &&
               gb.new(&s->c, single ? *gb.fp32 : *gb.fp64, (uint64_t)pb->rows,
                      (uint64_t)pb->cols) == 0;
    else if (good)
        good = import_full(s, &s->c, NULL, pb->rows, pb->n, &s->full);
    if (good)
        return s;
    release(s);
    return NULL;
}

/* Copies the first result out, for the oracle. */
static void
show(state *s)
{
    const size_t size = elem_size(s->pb.type);
    uint64_t rows, cols, *ptr, *col, sizes[3];
    bool iso, jumbled;
    object type;
    void *val;

    s->first = false;
    if (s->pb.op != BENCH_SDDMM) {
        memcpy(s->pb.c, s->full, (size_t)(s->pb.rows * s->pb.n) * size);
        return;
    }
    if (gb.export_csr(&s->c, &type, &rows, &cols, &ptr, &col, &val, &sizes[0],
                      &sizes[1], &sizes[2], &iso, &jumbled, NULL))
        return;
    if (!iso && !jumbled && (int64_t)ptr[rows] == s->pb.nnz)
        memcpy(s->pb.c, val, (size_t)s->pb.nnz * size);
    gb.import_csr(&s->c, type, rows, cols, &ptr, &col, &val, sizes[0], sizes[1],
                  sizes[2], iso, jumbled, NULL);
}

static void
run(void *user)
{
    state *s = user;

    if (s->pb.op == BENCH_SDDMM)
        gb.mxm(s->c, s->a, NULL, s->ring, s->x, s->b, *gb.desc_st1);
    else
        gb.mxm(s->c, NULL, s->accum, s->ring, s->a, s->b, NULL);
    gb.wait(s->c, MATERIALIZE);
    if (s->first)
        show(s);
}

const bench_peer peer_graphblas = {.name = "graphblas",
                                   .available = available,
                                   .prepare = prepare,
                                   .run = run,
                                   .free = release};
