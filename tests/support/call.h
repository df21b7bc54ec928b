/*
 * A problem as public objects: one handle and the descriptors, over the problem's own
 * arrays.
 */
#ifndef SB_TEST_CALL_H
#define SB_TEST_CALL_H

#include "runtime/problem.h"

#include "spblas.h"

typedef struct call {
    const sb_problem *pb;
    spblasHandle_t handle;
    spblasSpMatDescr_t a;
    spblasDnMatDescr_t b, c;  /* SpMM, SDDMM */
    spblasDnVecDescr_t x, y;  /* SpMV */
    double alpha[2], beta[2]; /* of the compute type */
    void *buffer;             /* what call_run gives as externalBuffer */
} call;

/* The status of the first creation that failed; call_end is due in any case. */
spblasStatus_t call_begin(call *c, const sb_problem *pb);
void call_end(call *c);

/* The three functions of the problem's routine. call_run reads alpha and beta of the
 * problem anew. */
spblasStatus_t call_size(call *c, size_t *bytes);
spblasStatus_t call_analyse(call *c);
spblasStatus_t call_run(call *c);
/* Runs; fails the test, saying when, unless the result is the oracle's to the bit. */
void call_check(call *c, const char *when);

/* Checks as above with a buffer of so many bytes, which begins anywhere, and that nothing beside it
 * is written. Returns whether something in it is. */
bool call_uses(call *c, size_t bytes, const char *when);

/* Fails the test unless a size is 0, of a routine that wants a buffer on a GPU alone. Arrays
 * of the program do without one there too. */
void call_wants_no_buffer(size_t bytes);

/* A descriptor of one member of a matrix. */
spblasStatus_t call_sparse(spblasSpMatDescr_t *out, const sb_matrix *a);

/* Public codes of internal ones. */
spblasDataType_t call_type(sb_dtype t);
spblasIndexType_t call_index_type(sb_dtype t);

#endif
