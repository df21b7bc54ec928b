/* The arrays of a sparse matrix of any format, part by part and level by level, as the
 * public interface shows them. */
#ifndef SPBLAS_TOOL_ARRAYS_H
#define SPBLAS_TOOL_ARRAYS_H

#include "elem.h"

#include <stdio.h>

/* Numbers (indices, offsets, values) in all arrays, and their bytes; records count once. */
void arrays_count(spblasConstSpMatDescr_t a, elem type, int64_t *numbers,
                  double *bytes);
/* A paragraph a part: levels with lengths and bytes, values; the first `max` parts. */
void arrays_report(FILE *to, spblasConstSpMatDescr_t a, elem type, int max);
/* All numbers. */
void arrays_print(FILE *to, spblasConstSpMatDescr_t a, elem type);

/* Text of a part's format, -1: the whole; to be freed. */
char *arrays_format(spblasConstSpMatDescr_t a, int part);

#endif
