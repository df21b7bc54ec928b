/*
 * Computing with a matrix in any format of the language (UniSparse 5.3): a stage I
 * program with one axis a level, logical coordinates restored by the inverse of the
 * format's map, and a test where padding can lie outside the matrix. The dense operands
 * are reached by those coordinates (case II of the paper); levels of which a node has
 * exactly one child are one loop (its case a).
 *
 *   format bdia<b=3> (i, j) -> (i/3, j - i, i%3) merge(0) trim(1,1)
 *
 *     axis #L0 = dense_fixed(%L0_size)
 *     axis #L1 = sparse_variable(#L0, %L1_size, nnz %L1_count, ptr $L1_ptr,
 *                                end $L1_end, crd $L1_idx) base %L1_lo
 *     axis #L2 = dense_fixed(3)
 *     iter spmv (%e0 : S #L0, %e1 : R #L1, %e2 : S #L2) {
 *       if %e0 * 3 + %e2 < %m && ... {
 *         $C[%e0 * 3 + %e2] += $A[%e0, %e1, %e2] * $B[...] } }
 *
 * What is computed: every stored slot whose coordinates lie in the matrix is an element,
 * also one whose value is zero, as in BSR. Empty are slots outside or the image of no
 * element, and those below a marked index (sb_tensor_marks: ELL's columns): they take part
 * in nothing. The names a program is bound by:
 *
 *   parameters  m n k lda ldb ldc alpha beta as in docs/kernels.md; of level q: Lq_size,
 *               length of its index range, Lq_lo, first index, Lq_count, nodes, Lq_width,
 *               children of a parent, Lq_step, elements between entries of Lq_idx;
 *               A_step, elements between values
 *   buffers     A B C X Y; of level q: Lq_ptr, Lq_end (Lq_ptr from its second entry on),
 *               Lq_idx
 */
#ifndef SB_KERNELS_FORMAT_PROGRAM_H
#define SB_KERNELS_FORMAT_PROGRAM_H

#include "base/arena.h"
#include "formats/fmt.h"
#include "kernels/operations.h"
#include "kernels/spec.h"

/*
 * fmt    no hybrid, two dimensions; NULL: C = beta * C alone (SpMV, SpMM)
 * spec   op, types, layouts, conjugation; kinds, block, packed, tile.. are not read
 * trans  SpMV, SpMM: the product is with the transpose
 */
typedef struct sb_format_op {
    const sb_fmt *fmt;
    sb_spec spec;
    bool trans;
} sb_format_op;

/* Facts of a program its caller needs. */
typedef struct sb_format_facts {
    bool beta;  /* C = beta * C is part of it; else somebody has done so before */
    bool split; /* any cut of the tiles into ranges may run at once */
    bool rows;  /* the tiled loop runs over the rows of C */
    int outer;  /* else over the nodes of this level */
} sb_format_facts;

/*
 * Stage I text and a schedule of wishes (kernels/lower.h). EINVAL when the format is a
 * hybrid or has no two dimensions.
 */
sb_status sb_format_text(sb_strbuf *text, sb_strbuf *wishes, sb_format_facts *facts,
                         const sb_format_op *op, sb_diag *diag);

/* Stage III over tiles: lowered, scheduled, fused. facts->split says whether the tiled
 * loop is parallel. */
sb_status sb_format_lowered(const sb_prog **out, sb_format_facts *facts, sb_ir *ir,
                            const sb_format_op *op);

/*
 * Stage I text of a contraction (contractions.def: spmv and spmm with a semiring, mttkrp,
 * ttv, rgms) with a tensor in format f, of any number of dimensions. It is over elements:
 * in formats that store zeros, those are skipped, as no semiring but (+, *) forgives
 * them. first: with the iteration that clears the result, which the first of a hybrid's
 * parts and of a partition's banks needs. EINVAL: no such contraction, other dimensions,
 * a hybrid, a bad semiring.
 */
sb_status sb_format_contract(sb_strbuf *out, const sb_fmt *f, const char *name,
                             const sb_operation_args *args, bool first, sb_diag *diag);

/* Does the level's index start at `lo`, a parameter, instead of 0? And does it have a
 * size of its own, or a constant one (returned)? For whoever binds. */
bool sb_format_level_shifted(const sb_fmt *f, int level);

#endif
