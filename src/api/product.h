/*
 * What SpMM, SpMV and SDDMM share: one record of a call's arguments, the argument
 * table's predicates, and the three things a call can ask for.
 */
#ifndef SB_API_PRODUCT_H
#define SB_API_PRODUCT_H

#include "api/object.h"
#include "api/rule.h"

/* The roles of a routine's arguments; each routine's names differ. */
typedef enum sb_product_role {
    SB_ROLE_HANDLE,
    SB_ROLE_OP_A,
    SB_ROLE_OP_B,
    SB_ROLE_ALPHA,
    SB_ROLE_SPARSE, /* matA; SDDMM: matC */
    SB_ROLE_X,      /* matB, vecX; SDDMM: matA */
    SB_ROLE_BETA,
    SB_ROLE_Y, /* matC, vecY; SDDMM: matB */
    SB_ROLE_COMPUTE,
    SB_ROLE_ALG,
    SB_ROLE_SIZE,
    SB_PRODUCT_ROLES
} sb_product_role;

typedef enum sb_product_want {
    SB_WANT_SIZE,
    SB_WANT_PLAN,
    SB_WANT_RESULT
} sb_product_want;

/* One call. Vectors come as vec_x and vec_y, matrices as mat_x and mat_y. */
typedef struct sb_product {
    const char *function;
    sb_op op;
    sb_product_want want;
    spblasHandle_t handle;
    spblasOperation_t op_a, op_b;
    const void *alpha, *beta;
    spblasConstSpMatDescr_t sparse;
    spblasConstDnMatDescr_t mat_x, mat_y;
    spblasConstDnVecDescr_t vec_x, vec_y;
    spblasDataType_t compute;
    /* Formats the algorithm serves, bits of 1 << spblasFormat_t; 0 for an unknown one. */
    unsigned alg_formats;
    size_t *size; /* SB_WANT_SIZE */
    void *buffer; /* SB_WANT_RESULT: externalBuffer */
} sb_product;

#define SB_ANY_FORMAT (~0u)

/* Checks arguments; *out: the problem they make. names: by sb_product_role. */
sb_status sb_product_check(sb_problem *out, const sb_product *p,
                           const char *const *names, sb_diag *diag);

/* Checks, then answers the size, makes and keeps a plan, or computes. */
spblasStatus_t sb_product_run(const sb_product *p, const char *const *names);

#endif
