/*
 * Any sparse operand as compressed rows of op(A): rows, columns, row offsets, and for
 * every slot the position of its value in the caller's array. In place wherever the
 * caller's arrays already say so; else a transposed, sorted or expanded copy of the
 * structure (never of the values: those may change after analysis). A block matrix is
 * seen as rows of blocks: `block` is their size, and everything else counts blocks. A tensor
 * with one array of values (else ENOTSUP) is seen with its padding, as blocks are.
 */
#ifndef SB_FORMATS_VIEW_H
#define SB_FORMATS_VIEW_H

#include "base/diag.h"
#include "base/status.h"
#include "formats/matrix.h"
#include "formats/par.h"

/*
 * Slot p of row i: ptr(i) <= p < ptr(i + 1), column crd(p), value val[pos(p)].
 *   ptr   rows + 1 offsets of ptr_type, minus ptr_base
 *   crd   nnz columns of crd_type, minus crd_base
 *   pos   nnz positions, or NULL: slot p's value is val[p]
 * crd_in_place: crd is the caller's array, so kernels may read A_crd[p] and (pos NULL)
 * A[p]. ptr_in_place: ptr is the caller's, so kernels may read A_ptr.
 */
typedef struct sb_view {
    int64_t rows, cols, nnz;
    int64_t block; /* 1 unless the matrix is BSR */
    const void *ptr, *crd;
    const int64_t *pos;
    sb_dtype ptr_type, crd_type;
    int ptr_base, crd_base;
    bool ptr_in_place, crd_in_place;
    sb_dtype slot_type;      /* for slot numbers and positions in a plan's arrays */
    void *own_ptr, *own_crd; /* owned, or NULL */
    int64_t *own_pos;
} sb_view;

/*
 * transpose: rows of A^T instead of A. Memory O(rows + nnz) when a copy is needed;
 * ENOMEM, or EINVAL when an offset or a coordinate of the caller lies outside the
 * matrix (checked only where following it would leave our arrays: copies).
 */
sb_status sb_view_make(sb_view *out, const sb_matrix *a, bool transpose, sb_diag *diag);
/* The same, with threads where lines are turned; the view does not depend on them. */
sb_status sb_view_make_on(sb_view *out, const sb_matrix *a, bool transpose,
                          const sb_par *par, sb_diag *diag);
/* The same with the elements of BSR's blocks one by one: `block` is 1, crd counts columns,
 * pos is there. */
sb_status sb_view_make_elements(sb_view *out, const sb_matrix *a, bool transpose,
                                sb_diag *diag);
void sb_view_free(sb_view *v); /* an all-zero view is fine */

/* Where row i's slots start; i = rows gives nnz. */
static inline int64_t
sb_view_lo(const sb_view *v, int64_t i)
{
    return sb_index(v->ptr, v->ptr_type, i) - v->ptr_base;
}

static inline int64_t
sb_view_col(const sb_view *v, int64_t p)
{
    return sb_index(v->crd, v->crd_type, p) - v->crd_base;
}

static inline int64_t
sb_view_pos(const sb_view *v, int64_t p)
{
    return v->pos ? v->pos[p] : p;
}

#endif
