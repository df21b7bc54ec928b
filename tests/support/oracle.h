/*
 * What a problem's result must be: every output element in extended precision, straight
 * from the definition, and how far an honest computation may be away from it:
 *
 *     |err| <= c * eps * (len + 2) * (|alpha| |A| |B| + |beta| |C|)  + rounding at the
 * store
 *
 * with eps of the compute type, len the number of products in the element's sum and
 * c = ORACLE_C, here and nowhere else. Integer-valued data is compared with ==.
 *
 *     oracle o = oracle_make(&pb);       before the run: beta needs the old C
 *     ... run pb ...
 *     assert_true(oracle_check(&o, &pb, exact, message, sizeof message));
 *     oracle_free(&o);
 */
#ifndef SB_TEST_ORACLE_H
#define SB_TEST_ORACLE_H

#include "runtime/problem.h"

#define ORACLE_C 2.0

typedef struct oracle {
    int64_t count;        /* output elements of all members */
    long double *re, *im; /* expected */
    double *mag;          /* |alpha| sum |a||b| + |beta||c| */
    int64_t *len;         /* products in the sum */
    void *before;         /* C's whole allocation, to see that gaps stay */
    size_t before_bytes;
} oracle;

oracle oracle_make(const sb_problem *pb);
void oracle_free(oracle *o);

/* True when every element is right and nothing else was written; else message names the
 * first wrong element. exact: the expected value rounded to the output type must be
 * met. */
bool oracle_check(const oracle *o, const sb_problem *pb, bool exact, char *message,
                  size_t size);

/* The largest |err| / bound of the elements, 0 when all are exact. */
double oracle_worst(const oracle *o, const sb_problem *pb);

/* Calls fn for each stored place of batch member q: row, column, index into val. */
typedef void (*oracle_visit)(void *user, int64_t i, int64_t j, int64_t slot);
void oracle_for_each(const sb_matrix *a, int64_t q, oracle_visit fn, void *user);

#endif
