/* The operators that a conversion goes through, from inside the library: the one file of
 * the tool that looks there, because the steps are of interest to people only. */
#ifndef SPBLAS_TOOL_STEPS_H
#define SPBLAS_TOOL_STEPS_H

#include "mm.h"

/* One operator a line, of the general path from `from` to `to`; to be freed. NULL:
 * *fault says why, in fault_size bytes. */
char *steps_of(const mm_matrix *m, const char *from, const char *to, char *fault,
               size_t fault_size);

#endif
