/* Printing for people: sizes, rates, facts about a matrix, plan texts. */
#ifndef SPBLAS_TOOL_REPORT_H
#define SPBLAS_TOOL_REPORT_H

#include "elem.h"
#include "mm.h"

/* "1.23 ms", "4.5 MiB" into a buffer that the next fourth call reuses. */
const char *show_seconds(double s);
const char *show_bytes(double bytes);

/* Two lines: sizes and file facts, row lengths and bandwidth. */
void show_matrix(const char *path, const mm_matrix *m);

/* Plan 0 of a matrix as its line of text and its explanation; to be freed. NULL when
 * there is none. */
char *plan_text(spblasConstSpMatDescr_t a);
char *plan_explanation(spblasConstSpMatDescr_t a);
/* Each line of text with `indent` before it. */
void show_indented(const char *indent, const char *text);

#endif
