/*
 * A sparse matrix and a dense one as descriptors, for the conversions between them.
 */
#ifndef SB_TEST_DENSELAB_H
#define SB_TEST_DENSELAB_H

#include "call.h"

/* By way of a product's: of the call there are a and b. */
typedef struct pair {
    sb_problem pb;
    call c;
} pair;

/* call_end of p->c is due in any case. */
spblasStatus_t pair_begin(pair *p, const sb_matrix *a, const sb_dense *d);
/* The sparse descriptor's arrays become a's: of a CSR, CSC or COO. */
spblasStatus_t pair_point(const pair *p, const sb_matrix *a);

/* Where element (i, j) lies, and a's value of a slot added to it. */
void *dense_element(const sb_dense *d, int64_t i, int64_t j);
void dense_add(const sb_dense *d, int64_t i, int64_t j, const sb_matrix *a,
               int64_t slot);

#endif
