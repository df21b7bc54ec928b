/*
 * Arrays that end where memory does: a page that may not be touched follows.
 */
#ifndef SB_TESTS_FENCE_H
#define SB_TESTS_FENCE_H

#include "base/dtype.h"

#include <stddef.h>
#include <stdint.h>

typedef struct fenced {
    char *map, *at; /* `at` begins what was asked for */
    size_t size;    /* of the map */
} fenced;

/* Zeroes; `before`: the page is in front of the array. */
fenced fence(size_t bytes);
fenced fence_before(size_t bytes);
void unfence(const fenced *f);

/* Element q of an array: i32, i64, f32, else f64; reading: f32, else f64. */
void put_element(void *at, sb_dtype type, int64_t q, double value);
double get_element(const void *at, sb_dtype type, int64_t q);

#endif
