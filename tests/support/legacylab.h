/*
 * The legacy routines under test: plain arrays as dense matrices, the six value types, and
 * buffers of just the bytes that a routine asked for.
 */
#ifndef SB_TEST_LEGACYLAB_H
#define SB_TEST_LEGACYLAB_H

#include "gen.h"

#include "spblas_legacy.h"

enum { LAB_TYPES = 6 };
extern const sb_dtype lab_dtypes[LAB_TYPES];
extern const spblasDataType_t lab_types[LAB_TYPES];
extern spblasHandle_t lab_handle;

/* For a group of tests: lab_handle, and objects.h's. */
int lab_begin(void **state);
int lab_end(void **state);

/* Fails the test with the sentence unless SUCCESS. */
void lab_ok(spblasStatus_t st);

spblasMatDescr_t lab_descr(int base);

/* Seeded CSR of small integers: family of gen_case(k), sorted columns without
 * duplicates. rows or cols < 0: that case's. */
sb_matrix lab_csr(uint64_t k, sb_dtype t, int64_t rows, int64_t cols, int base);

/* Row-major dense copies, from malloc: the sum of the entries of a place; how many. */
sb_value *lab_dense(const sb_matrix *a);
int *lab_stored(const sb_matrix *a);

bool lab_equal(sb_value a, sb_value b);
/* alpha * x + beta * y */
sb_value lab_combine(sb_value alpha, sb_value x, sb_value beta, sb_value y);
sb_value lab_mul(sb_value a, sb_value b);

/* A scalar as the routine of type t wants it, in 16 bytes. */
const void *lab_scalar(sb_dtype t, double *bytes, sb_value v);

/* `bytes` bytes, an error in the sanitizer build to go beyond. */
void *lab_buffer(size_t bytes);

/* The call with 0, 1, 2, ... allocations allowed until it succeeds: ALLOC_FAILED with a
 * sentence before, at least once, and as many blocks live as at its start when undone. */
void lab_sweep(spblasStatus_t (*call)(void *user), void (*undo)(void *user),
               void *user);

/* From here on on that many threads, if the build has a team. */
void lab_threads(int n);

#endif
