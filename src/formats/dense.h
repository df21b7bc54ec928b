/*
 * Between dense and sparse matrices, arrays of the caller on both sides. Values are
 * copied as they are; both sides have the same type. Nothing is allocated but for tensors.
 */
#ifndef SB_FORMATS_DENSE_H
#define SB_FORMATS_DENSE_H

#include "base/diag.h"
#include "formats/matrix.h"
#include "formats/par.h"

/*
 * B = A: zeros where A stores nothing; entries at the same place add up in A's order,
 * in double precision, rounded to the type at each (integers saturate). Gaps of ld stay.
 *
 * Errors   ENOMEM (tensors only)
 * Threads  works on `par`; results do not depend on it
 */
sb_status sb_dense_from_matrix(const sb_dense *b, const sb_matrix *a, const sb_par *par,
                               sb_diag *diag);

/*
 * The structure that holds A's non-zeros (-0 is a zero, NaN is none), first pass: *nnz,
 * and unless the offsets' type is too small for it (EINVAL) those of a CSR or CSC b.
 * Second pass: indices (of each row or column in order, COO by rows) and values. It reads
 * the offsets that the first one wrote; EINVAL where A has changed since, with b half
 * written.
 */
sb_status sb_dense_count(int64_t *nnz, const sb_dense *a, const sb_matrix *b,
                         const sb_par *par, sb_diag *diag);
sb_status sb_dense_to_matrix(const sb_dense *a, const sb_matrix *b, const sb_par *par,
                             sb_diag *diag);

/* A's elements at the places that a compressed or Blocked-ELL b has: its values. */
void sb_dense_sample(const sb_dense *a, const sb_matrix *b, const sb_par *par);

#endif
