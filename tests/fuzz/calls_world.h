/*
 * What a sequence of calls works on, how it draws its arguments from the input, and what
 * every call must leave behind.
 */
#ifndef SB_FUZZ_CALLS_WORLD_H
#define SB_FUZZ_CALLS_WORLD_H

#include "spblas.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* SIDE^2 entries at most, in at most BATCH members, of at most 16 bytes. */
enum { KINDS = 3, SIDE = 4, BATCH = 3, ROOM = 192, LENT = 1 << 16, CALLS = 60 };

typedef struct sparse {
    spblasSpMatDescr_t d;
    int64_t ptr[ROOM], idx[ROOM], row[ROOM];
    _Alignas(16) double val[2 * ROOM];
} sparse;

typedef struct dense {
    spblasDnMatDescr_t d;
    _Alignas(16) double val[2 * ROOM];
} dense;

typedef struct vector {
    spblasDnVecDescr_t d;
    _Alignas(16) double val[2 * ROOM];
} vector;

typedef struct world {
    const uint8_t *at, *end;
    spblasHandle_t h;
    sparse s[KINDS];
    dense m[KINDS];
    vector v[KINDS];
    spblasSpVecDescr_t x;
    int64_t x_idx[SIDE];
    _Alignas(16) double x_val[2 * SIDE];
    spblasSpSVDescr_t sv;
    spblasSpSMDescr_t sm;
    spblasSpGEMMDescr_t gemm;
    spblasSpGEAMDescr_t geam;
    spblasFormatDescr_t format;
    spblasSpMMOpPlan_t plan;
    bool planned[2][KINDS]; /* sparse, dense objects that the plan looks at */
    _Alignas(64) char lent[5][LENT];
} world;

/* ---- draws ----------------------------------------------------------------------------- */

static inline int
draw(world *w, int n)
{
    return w->at < w->end ? *w->at++ % n : 0;
}

/* Rarely something else than the first. */
static inline int
mostly(world *w, int n)
{
    const int q = draw(w, 32);

    return q < n ? q : 0;
}

static inline spblasDataType_t
type(world *w)
{
    static const spblasDataType_t types[] = {
        SPBLAS_R_32F, SPBLAS_R_64F,  SPBLAS_C_32F, SPBLAS_C_64F, SPBLAS_R_16F,
        SPBLAS_R_8I,  SPBLAS_R_16BF, SPBLAS_R_32I, SPBLAS_C_16F, (spblasDataType_t)9};

    return types[mostly(w, 10)];
}

/* Now and then none that exists. */
static inline spblasOperation_t
op(world *w)
{
    const int q = draw(w, 16);

    return (spblasOperation_t)(q == 15 ? 3 : q % 3);
}

/* Mostly one size, so that shapes fit. */
static inline int64_t
side(world *w)
{
    const int q = draw(w, 16);

    return q <= SIDE ? q : SIDE;
}

static inline spblasOrder_t
order(world *w)
{
    return (spblasOrder_t)(1 + draw(w, 2));
}

/* A live object most of the time; NULL else. */
static inline spblasSpMatDescr_t
mat(world *w)
{
    return w->s[draw(w, KINDS)].d;
}

static inline spblasDnMatDescr_t
dn(world *w)
{
    return w->m[draw(w, KINDS)].d;
}

static inline spblasDnVecDescr_t
vec(world *w)
{
    return w->v[draw(w, KINDS)].d;
}

/* ---- judging ---------------------------------------------------------------------------- */

static inline void
ended(const world *w, spblasStatus_t st)
{
    if (st == SPBLAS_STATUS_INTERNAL_ERROR)
        abort();
    if (st != SPBLAS_STATUS_SUCCESS &&
        strncmp(spblasGetLastErrorMessage(NULL), "spblas", 6) != 0)
        abort();
    (void)w;
}

#endif
