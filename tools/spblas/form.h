/* The matrix of a job in the format that the library is to get. */
#ifndef SPBLAS_TOOL_FORM_H
#define SPBLAS_TOOL_FORM_H

#include "job.h"

/* "csr", "csc", "coo" or "bsr" and its block size ("bsr3"); false for anything else. */
bool form_parse(const char *word, job_format *format, int64_t *block);

/* Fills j->major, minor, place and count from j->ptr and j->col. */
void form_make(job *j);
/* The values, given in the order of the rows, in the order of the format; zeros between
 * the entries of a block. */
void form_values(const job *j, void *to, const void *from);
/* The descriptor of the format over these values. */
spblasStatus_t form_describe(job *j, void *values);
void form_free(job *j);

#endif
