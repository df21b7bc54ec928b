/*
 * Element types of operands: sizes, roundings, conversion from and to pairs of doubles.
 */
#ifndef SPBLAS_TOOL_ELEM_H
#define SPBLAS_TOOL_ELEM_H

#include "spblas.h"

#include <stdbool.h>

typedef enum elem {
    ELEM_F32,
    ELEM_F64,
    ELEM_F16,
    ELEM_BF16,
    ELEM_C32,
    ELEM_C64,
    ELEM_COUNT
} elem;

const char *elem_name(elem e);
bool elem_parse(const char *name, elem *out);
size_t elem_size(elem e);
bool elem_is_complex(elem e);
spblasDataType_t elem_type(elem e);
/* The type of scalars and sums. */
elem elem_compute(elem e);
/* Half the distance from 1 to the next number; the smallest number above 0. */
double elem_epsilon(elem e);
double elem_tiny(elem e);

/* Element p of array x as (re, im); im is 0 for real types. */
void elem_get(elem e, const void *x, int64_t p, double *re, double *im);
/* Rounds to nearest even. */
void elem_put(elem e, void *x, int64_t p, double re, double im);

#endif
