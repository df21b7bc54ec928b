/*
 * What SpSV and SpSM share: one record of a call's arguments and the three things it can
 * ask for.
 */
#ifndef SB_API_TRI_CALL_H
#define SB_API_TRI_CALL_H

#include "api/object.h"
#include "native/native.h"

/* Behind both public descriptors; the tag tells them apart. */
typedef struct sb_tri_descr {
    uint32_t tag;
    sb_trans trans;        /* of the analysis */
    sb_tri *tri;           /* owned; NULL before one */
    sb_native_tri *native; /* owned; of an analysis on a GPU: tri then has no arrays */
} sb_tri_descr;
struct spblasSpSVDescr {
    sb_tri_descr in;
};
struct spblasSpSMDescr {
    sb_tri_descr in;
};

/* *out: the new descriptor, NULL on failure. */
spblasStatus_t sb_tri_descr_create(const char *function, sb_tri_descr **out,
                                   uint32_t tag);
spblasStatus_t sb_tri_descr_destroy(const char *function, sb_tri_descr *descr,
                                    uint32_t tag);

typedef enum sb_tri_want {
    SB_TRI_SIZE,
    SB_TRI_ANALYSIS,
    SB_TRI_SOLVE,
    SB_TRI_UPDATE
} sb_tri_want;

typedef struct sb_tri_call {
    const char *function;
    uint32_t tag;
    sb_tri_want want;
    spblasHandle_t handle;
    spblasOperation_t op_a, op_b; /* SpSV: op_b NON_TRANSPOSE */
    const void *alpha;
    spblasConstSpMatDescr_t a;
    spblasConstDnVecDescr_t x, y; /* SpSV */
    spblasConstDnMatDescr_t b, c; /* SpSM */
    spblasDataType_t compute;
    int alg;
    sb_tri_descr *descr;
    size_t *size;
    const void *values; /* SB_TRI_UPDATE, which has handle, descr and these alone */
    int part;
} sb_tri_call;

/* A dense operand by its rows and columns; a vector is a column. */
typedef struct sb_tri_shape {
    int64_t rows, cols;
    spblasDataType_t type;
    int batch;
    const void *values;
} sb_tri_shape;
sb_tri_shape sb_tri_x(const sb_tri_call *call);
sb_tri_shape sb_tri_y(const sb_tri_call *call);
sb_trans sb_tri_trans(const sb_tri_call *call, spblasOperation_t op);

sb_status sb_tri_check(const sb_tri_call *call, sb_diag *diag);

/* Checks and does it. */
spblasStatus_t sb_tri_run(const sb_tri_call *call);

#endif
