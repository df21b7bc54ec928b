/*
 * Arrays that end where memory does: a page that may not be touched follows.
 */
#ifndef SB_TESTS_FENCE_H
#define SB_TESTS_FENCE_H

#include "base/dtype.h"
#include "runtime/problem.h"

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

/* C <- A B, A of CSR with as many entries; all arrays are zeroes. */
typedef struct fenced_product {
    fenced ptr, crd, val, b, c;
    sb_problem pb;
} fenced_product;

void fence_product(fenced_product *p, sb_op op, int64_t rows, int64_t cols, int64_t n,
                   int64_t nnz, sb_dtype type, sb_dtype index);
void unfence_product(const fenced_product *p);

/* Element q of an array: i32, i64, f32, c32 and c64 (real parts), else f64; reading no integers. */
void put_element(void *at, sb_dtype type, int64_t q, double value);
double get_element(const void *at, sb_dtype type, int64_t q);

#endif
