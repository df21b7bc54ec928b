/*
 * Formats in tests: parsed into an arena of the lab, shown as text.
 */
#ifndef SB_TEST_FMTLAB_H
#define SB_TEST_FMTLAB_H

#include "formats/fmt.h"

typedef struct fmt_lab {
    sb_arena ar;
    sb_diag diag; /* of the last fmt_lab_try */
} fmt_lab;

void fmt_lab_open(fmt_lab *lab);
void fmt_lab_close(fmt_lab *lab);
/* The diagnosis is in the lab; NULL unless SB_OK. */
sb_status fmt_lab_try(const sb_fmt **out, fmt_lab *lab, const char *text);
/* Fails the test where the text is refused. */
const sb_fmt *fmt_lab_parse(fmt_lab *lab, const char *text);
/* Texts live in the lab. */
const char *fmt_lab_print(fmt_lab *lab, const sb_fmt *f);
const char *fmt_lab_arrays(fmt_lab *lab, const sb_fmt *f);
/* "i = e0*4 + e2; j = e1" */
const char *fmt_lab_inverse(fmt_lab *lab, const sb_fmt *f);

#endif
