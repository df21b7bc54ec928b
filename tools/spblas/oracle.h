/*
 * What a product must be: sums in extended precision of the very operands the library
 * was given, and the bound an honest computation keeps:
 *
 *     |err| <= 2 eps (len + 2) (|alpha| sum |a||b| + |beta| |c|) + half a unit of the
 *              stored type
 *
 * (complex numbers: |re| + |im| in place of the absolute value, and twice that).
 */
#ifndef SPBLAS_TOOL_ORACLE_H
#define SPBLAS_TOOL_ORACLE_H

#include "job.h"

typedef struct oracle_result {
    double worst;     /* largest |error| / bound; the result is right up to 1 */
    double largest;   /* largest |error| */
    int64_t row, col; /* where; SDDMM: the entry's place */
} oracle_result;

/* Compares j->c, computed from what job_reset left there. */
oracle_result oracle_compare(job *j);

#endif
