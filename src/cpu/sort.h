/*
 * Columns of a row into ascending order, none twice: a short list by comparisons, a long
 * one by setting bits in a map of all columns and reading them back. cpu/sort.inc has the
 * functions, for one index type.
 */
#ifndef SB_CPU_SORT_H
#define SB_CPU_SORT_H

#include <stdint.h>

#ifdef SB_TINY
enum { SB_SORT_COMPARED = 4 };
#else
enum { SB_SORT_COMPARED = 32 }; /* columns of a list sorted by comparisons */
#endif

/* Zero before and after. NULL: there is none, all lists are sorted by comparisons. */
typedef struct sb_sort_map {
    uint64_t *bits;  /* [columns / 64], rounded up */
    uint64_t *words; /* [columns / 4096], rounded up: words of bits that are not zero */
} sb_sort_map;

#endif
