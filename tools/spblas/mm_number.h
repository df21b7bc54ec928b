/*
 * Numbers of a text span, by hand and independent of the locale. Each function takes
 * the unread span in *at .. end and moves *at behind the number on success.
 */
#ifndef SPBLAS_TOOL_MM_NUMBER_H
#define SPBLAS_TOOL_MM_NUMBER_H

#include <stdbool.h>
#include <stdint.h>

typedef enum mm_number {
    MM_NUMBER_OK,
    MM_NUMBER_NONE,  /* no number here, or one that runs into other characters */
    MM_NUMBER_RANGE, /* too large for the type */
    MM_NUMBER_END    /* nothing but blanks left */
} mm_number;

static inline bool
mm_is_blank(char c)
{
    return c == ' ' || c == '\t';
}

mm_number mm_number_int(const char **at, const char *end, int64_t *out);
/* Correctly rounded; inf and nan in any case; exponent letter e, E, d or D. A number
 * below the smallest double is 0. */
mm_number mm_number_real(const char **at, const char *end, double *out);

/* Copies the word at `at` for a message, cut to `size`, unprintable bytes as '?'. */
void mm_word(const char *at, const char *end, char *out, int size);

/* The shortest decimal that reads back as x, into at least 32 bytes; its length. */
int mm_number_print(double x, char *out);

#endif
