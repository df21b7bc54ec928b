/*
 * One operation on a sparse vector X and a dense vector Y, with the caller's arrays.
 *
 *   AXPBY    Y = alpha * X + beta * Y           ROT      (Y, X) = (c * Y - s * X, c * X + s * Y)
 *   GATHER   X = Y at X's indices               SPVV     result = op(X) . Y
 *   SCATTER  Y at X's indices = X
 */
#ifndef SB_RUNTIME_VECTOR_H
#define SB_RUNTIME_VECTOR_H

#include "base/dtype.h"

typedef enum sb_vector_op {
    SB_VECTOR_AXPBY,
    SB_VECTOR_GATHER,
    SB_VECTOR_SCATTER,
    SB_VECTOR_ROT,
    SB_VECTOR_SPVV
} sb_vector_op;

typedef struct sb_vector {
    sb_vector_op op;
    int64_t size, nnz; /* elements of Y and of X */
    const void *idx;   /* nnz, I32 or I64, counted from base */
    sb_dtype idx_type;
    int base;
    void *x, *y;            /* elements of the same type */
    size_t bytes;           /* of one element */
    sb_dtype type, compute; /* GATHER and SCATTER only copy: not looked at */
    bool conj;              /* SPVV: X is conjugated */
    sb_value alpha, beta;   /* AXPBY; ROT: c and s */
    sb_value result;        /* SPVV: written */
} sb_vector;

#endif
