/*
 * What the calls of a product of sparse matrices share: one record of a call's arguments,
 * and the steps that a descriptor goes through.
 */
#ifndef SB_API_SPGEMM_CALL_H
#define SB_API_SPGEMM_CALL_H

#include "api/object.h"

enum { SB_SPGEMM_BUFFERS = 3 };

/* The calls; those of SpGEMMreuse begin at SB_SPGEMM_REUSE_WORK. */
typedef enum sb_spgemm_step {
    SB_SPGEMM_WORK,
    SB_SPGEMM_MEMORY,
    SB_SPGEMM_COUNT,
    SB_SPGEMM_COPY,
    SB_SPGEMM_REUSE_WORK,
    SB_SPGEMM_REUSE_COUNT,
    SB_SPGEMM_REUSE_COPY,
    SB_SPGEMM_REUSE_VALUES
} sb_spgemm_step;

/* How far a descriptor has come. */
typedef enum sb_spgemm_stage {
    SB_SPGEMM_NEW,
    SB_SPGEMM_WORKED,  /* products of each row are known */
    SB_SPGEMM_COUNTED, /* and C's offsets */
    SB_SPGEMM_COPIED   /* and C's columns: SpGEMMreuse only */
} sb_spgemm_stage;

struct spblasSpGEMMDescr {
    uint32_t tag;
    sb_spgemm_stage stage;
    bool reuse;
    sb_spgemm job; /* operands of the last call; memory in the caller's buffers */
    int64_t products;
    const sb_device *device; /* of the first call; NULL: the host's */
};

/* Memory that a call lends. */
typedef struct sb_spgemm_lent {
    size_t *size;
    void *at;
} sb_spgemm_lent;

typedef struct sb_spgemm_call {
    const char *function;
    sb_spgemm_step step;
    spblasHandle_t handle;
    spblasOperation_t op_a, op_b;
    const void *alpha, *beta; /* with compute, where the call has them */
    spblasConstSpMatDescr_t a, b;
    spblasSpMatDescr_t c;
    spblasDataType_t compute;
    spblasSpGEMMAlg_t alg;
    spblasSpGEMMDescr_t descr;
    float fraction;                         /* SB_SPGEMM_MEMORY */
    size_t *estimate;                       /* SB_SPGEMM_MEMORY: size of compute's */
    sb_spgemm_lent lent[SB_SPGEMM_BUFFERS]; /* in the order of the arguments */
} sb_spgemm_call;

/* What a step asks for and reaches. */
typedef struct sb_spgemm_facts {
    sb_spgemm_stage from, to; /* the least the descriptor has been through; then */
    const char *buffers[SB_SPGEMM_BUFFERS]; /* names of their sizes */
    bool scalars;                           /* has alpha, beta, computeType */
    bool writes, values;                    /* wants C's arrays; all matrices' values */
} sb_spgemm_facts;
const sb_spgemm_facts *sb_spgemm_facts_of(sb_spgemm_step step);

static inline bool
sb_spgemm_is_reuse(sb_spgemm_step step)
{
    return step >= SB_SPGEMM_REUSE_WORK;
}

/* Arguments, operands and the order of calls. */
sb_status sb_spgemm_check(const sb_spgemm_call *call, sb_diag *diag);

/* Checks, then answers the sizes or takes the step. */
spblasStatus_t sb_spgemm_run(const sb_spgemm_call *call);

#endif
