/*
 * Intel MKL's inspector-executor routines. The library is libmkl_rt, named by
 * SPBLAS_MKL or found by the loader.
 *
 * The version line names the kernel library that was really loaded (mkl_vendor.c).
 * MKL_ENABLE_INSTRUCTIONS=AVX2 in the environment keeps it from AVX-512.
 *
 * Its GNU threading layer is asked for, so that all peers share one OpenMP runtime and
 * no second team of threads spins while another peer is timed.
 */
#include "peers.h"

#include "problem.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    NON_TRANSPOSE = 10,
    TRANSPOSE = 11,
    GENERAL = 20,
    ROW_MAJOR = 101,
    COL_MAJOR = 102,
    AGGRESSIVE = 81
};

typedef struct descr {
    int type, mode, diag;
} descr;

/* MKL_Complex8 and MKL_Complex16 are passed as C's own complex numbers are. */
typedef float _Complex complex32;
typedef double _Complex complex64;
typedef int (*create)(void **, int, int, int, int *, int *, int *, void *);
#define MM(scalar)                                                                   \
    int (*)(int, scalar, void *, descr, int, const void *, int, int, scalar, void *, \
            int)
#define MV(scalar) int (*)(int, scalar, void *, descr, const void *, scalar, void *)

/* One function a type, in the order s, d, c, z. */
static struct {
    create create[4];
    void (*mm[4])(void), (*mv[4])(void); /* MM and MV of the type */
    int (*mm_hint)(void *, int, descr, int, int, int);
    int (*mv_hint)(void *, int, descr, int);
    int (*memory_hint)(void *, int);
    int (*optimize)(void *);
    int (*destroy)(void *);
    void (*set_threads)(int);
    void (*version)(char *, int);
} mkl;

typedef struct state {
    bench_problem pb;
    void *a;
} state;

static const char *
available(int threads)
{
    static const char *const symbols[] = {"mkl_sparse_s_create_csr",
                                          "mkl_sparse_d_create_csr",
                                          "mkl_sparse_c_create_csr",
                                          "mkl_sparse_z_create_csr",
                                          "mkl_sparse_s_mm",
                                          "mkl_sparse_d_mm",
                                          "mkl_sparse_c_mm",
                                          "mkl_sparse_z_mm",
                                          "mkl_sparse_s_mv",
                                          "mkl_sparse_d_mv",
                                          "mkl_sparse_c_mv",
                                          "mkl_sparse_z_mv",
                                          "mkl_sparse_set_mm_hint",
                                          "mkl_sparse_set_mv_hint",
                                          "mkl_sparse_set_memory_hint",
                                          "mkl_sparse_optimize",
                                          "mkl_sparse_destroy",
                                          "MKL_Set_Num_Threads",
                                          "MKL_Get_Version_String"};
    const char *names[] = {getenv("SPBLAS_MKL"), "libmkl_rt.so.3", "libmkl_rt.so.2",
                           "libmkl_rt.so", NULL};
    static const char *why;
    static bool opened;

    if (opened)
        return why;
    opened = true;
    setenv("MKL_THREADING_LAYER", "GNU", 0);
    setenv("MKL_INTERFACE_LAYER", "LP64", 0);
    why = peers_open(names[0] ? names : names + 1, symbols, (void **)&mkl,
                     (int)(sizeof symbols / sizeof *symbols));
    if (!why)
        mkl.set_threads(threads);
    return why;
}

static int
layout(const bench_problem *pb)
{
    return pb->by_columns ? COL_MAJOR : ROW_MAJOR;
}

static int
operation(const bench_problem *pb)
{
    return pb->transposed ? TRANSPOSE : NON_TRANSPOSE;
}

/* Place of a type in the tables; -1: MKL does not have it. */
static int
kind(elem type)
{
    return type == ELEM_F32   ? 0
           : type == ELEM_F64 ? 1
           : type == ELEM_C32 ? 2
           : type == ELEM_C64 ? 3
                              : -1;
}

static int
hint(void *a, const bench_problem *pb, descr d)
{
    const int calls = 1000;

    return (pb->op == BENCH_SPMV
                ? mkl.mv_hint(a, operation(pb), d, calls)
                : mkl.mm_hint(a, operation(pb), d, layout(pb), (int)pb->n, calls)) ||
           mkl.memory_hint(a, AGGRESSIVE) || mkl.optimize(a);
}

/* arg "opt": with hints and optimize. */
static void *
prepare(const bench_problem *pb, bench_prepared *info, const char *arg)
{
    const descr d = {GENERAL, 0, 0};
    int *ptr = (int *)pb->ptr, *col = (int *)pb->col;
    state *s;

    (void)info;
    if (pb->op == BENCH_SDDMM || kind(pb->type) < 0 || !(s = calloc(1, sizeof *s)))
        return NULL;
    s->pb = *pb;
    if (mkl.create[kind(pb->type)](&s->a, 0, (int)pb->rows, (int)pb->cols, ptr, ptr + 1,
                                   col, (void *)pb->val) ||
        (arg && hint(s->a, pb, d))) {
        free(s);
        return NULL;
    }
    return s;
}

#define MV_OF(scalar, q) \
    ((MV(scalar))mkl.mv[q])(operation(pb), 1, s->a, d, pb->b, 0, pb->c)
#define MM_OF(scalar, q)                                                             \
    ((MM(scalar))mkl.mm[q])(operation(pb), 1, s->a, d, layout(pb), pb->b, n, ldb, 0, \
                            pb->c, ldc)

static void
run(void *user)
{
    const state *s = user;
    const bench_problem *pb = &s->pb;
    const descr d = {GENERAL, 0, 0};
    const int n = (int)pb->n;
    const int ldb = pb->by_columns ? (int)problem_depth(pb) : n;
    const int ldc = pb->by_columns ? (int)problem_rows(pb) : n;
    const bool vector = pb->op == BENCH_SPMV;

    switch (kind(pb->type)) {
    case 0:
        (void)(vector ? MV_OF(float, 0) : MM_OF(float, 0));
        break;
    case 1:
        (void)(vector ? MV_OF(double, 1) : MM_OF(double, 1));
        break;
    case 2:
        (void)(vector ? MV_OF(complex32, 2) : MM_OF(complex32, 2));
        break;
    default:
        (void)(vector ? MV_OF(complex64, 3) : MM_OF(complex64, 3));
    }
}

static void
release(void *user)
{
    state *s = user;

    mkl.destroy(s->a);
    free(s);
}

/* Of "... /libmkl_avx512.so.3" the part "avx512"; what is loaded, by the kernel. */
static void
loaded_kernels(char *to, int size)
{
    static const char *const sets[] = {"avx512", "avx10", "avx2", "mc3", "def"};
    FILE *maps = fopen("/proc/self/maps", "r");
    char line[512], name[32];
    size_t k;

    snprintf(to, (size_t)size, "unknown");
    while (maps && fgets(line, sizeof line, maps))
        for (k = 0; k < sizeof sets / sizeof *sets; k++) {
            snprintf(name, sizeof name, "libmkl_%s.", sets[k]);
            if (strstr(line, name))
                snprintf(to, (size_t)size, "%s", sets[k]);
        }
    if (maps)
        fclose(maps);
}

static const char *
version(void)
{
    static char text[320];
    char number[200] = "", kernels[16];

    mkl.version(number, sizeof number - 1);
    loaded_kernels(kernels, sizeof kernels);
    snprintf(text, sizeof text, "%s; kernels: %s", number, kernels);
    return text;
}

const bench_peer peer_mkl = {.name = "mkl",
                             .available = available,
                             .prepare = prepare,
                             .run = run,
                             .free = release,
                             .version = version,
                             .general = true};
const bench_peer peer_mkl_opt = {.name = "mkl-opt",
                                 .available = available,
                                 .prepare = prepare,
                                 .run = run,
                                 .free = release,
                                 .arg = "opt",
                                 .general = true};
