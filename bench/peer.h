/*
 * What a benchmark case is, and what a peer must offer to take part. Peers are opened
 * at run time; one that is not installed says so and the table is made without it.
 */
#ifndef SPBLAS_BENCH_PEER_H
#define SPBLAS_BENCH_PEER_H

#include "elem.h"
#include "mm.h"

typedef enum bench_op { BENCH_SPMV, BENCH_SPMM, BENCH_SDDMM } bench_op;

/*
 * One problem; everything is packed, base 0, int32 indices, alpha 1, beta 0, and by rows,
 * but for B and C of an SpMM by_columns.
 *   SpMV   c[rows] = A b[cols]                    n = 1
 *   SpMM   c[rows x n] = A b[cols x n]
 *   SDDMM  c[nnz] = (x[rows x n] b[cols x n]^T) at A's places
 * transposed: A^T for A in SpMV and SpMM, c has cols rows and b rows rows; ptr, col and val are A's.
 * Peers write c only, and all of it.
 */
typedef struct bench_problem {
    bench_op op;
    elem type;
    int64_t rows, cols, nnz, n;
    const int32_t *ptr, *col;
    const void *val, *x, *b;
    void *c;
    int threads;
    bool by_columns, transposed;
} bench_problem;

/* What prepare found out; zeroed before. */
typedef struct bench_prepared {
    double analysis_seconds; /* 0: the time of prepare itself counts */
    double predicted_seconds;
    char text[256]; /* ours: the plan */
} bench_prepared;

typedef struct bench_peer {
    const char *name;
    bool ours;
    /* Called once. NULL when the peer can be used, else the reason why not. */
    const char *(*available)(int threads);
    /* NULL: the peer does not do this problem. arg is bench_peer.arg. */
    void *(*prepare)(const bench_problem *pb, bench_prepared *info, const char *arg);
    void (*run)(void *state);
    void (*free)(void *state);
    /* One line about the version that was opened, or NULL. After available. */
    const char *(*version)(void);
    const char *arg;
    bool general; /* it is asked for A^T and for types beside F32 and F64, too */
} bench_peer;

/* All peers but forced plans, in the order of the table. */
extern const bench_peer *const bench_peers[];
extern const int bench_peer_count;

/* A peer that runs ours with this plan text. */
bench_peer bench_forced_plan(const char *name, const char *text);

#endif
