/*
 * Whether a sparse matrix's structure is what its descriptor says: the optional
 * validation, for structure that comes from files or strangers.
 */
#ifndef SB_FORMATS_CHECK_H
#define SB_FORMATS_CHECK_H

#include "base/diag.h"
#include "formats/matrix.h"

/*
 * Offsets start at the base, never fall, and end at nnz + base; every index lies in
 * [base, base + limit). All batch members. EINVAL with a sentence that names the first
 * fault's array, position and value. Reads nothing but the index arrays, in O(nnz);
 * never reads an index that the offsets do not cover. Arrays may be NULL where their
 * length is 0. Duplicates and unsorted indices are fine.
 * A tensor's arrays are ours and not looked at.
 */
sb_status sb_matrix_check(const sb_matrix *a, sb_diag *diag);

#endif
