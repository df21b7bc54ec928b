/* What the two readers, Matrix Market and triples, share. */
#ifndef SPBLAS_TOOL_MM_READ_H
#define SPBLAS_TOOL_MM_READ_H

#include "mm_source.h"

/* Read everything into `to` and the facts (rows, cols, field, symmetry, stored,
 * relations) into m. */
mm_status mm_read_market(mm_source *s, mm_matrix *m, mm_builder *to);
mm_status mm_read_triples(mm_source *s, mm_matrix *m, mm_builder *to);

/* A whole number >= 0; `what` completes "expected ...". */
mm_status mm_read_count(mm_source *s, const char **at, const char *end,
                        const char *what, int64_t *out);
/* Fails unless only blanks are left; `after` completes "'x' after ...". */
mm_status mm_read_line_end(mm_source *s, const char *at, const char *end,
                           const char *after);

#endif
