/*
 * From the caller's words to the problem: types translated, conjugation of real operands
 * turned into plain transposition, single operands given stride 0.
 */
#include "api/view.h"

#include "api/spmat.h"
#include "api/types.h"

sb_matrix
sb_view_sparse(spblasConstSpMatDescr_t d)
{
    static const sb_format formats[] = {[SPBLAS_FORMAT_CSR] = SB_FORMAT_CSR,
                                        [SPBLAS_FORMAT_CSC] = SB_FORMAT_CSC,
                                        [SPBLAS_FORMAT_COO] = SB_FORMAT_COO,
                                        [SPBLAS_FORMAT_BSR] = SB_FORMAT_BSR,
                                        [SPBLAS_FORMAT_BLOCKED_ELL] = SB_FORMAT_BELL,
                                        [SPBLAS_FORMAT_SLICED_ELLPACK] =
                                            SB_FORMAT_SELL};
    const bool bell = d->format == SPBLAS_FORMAT_BLOCKED_ELL;
    const int64_t block = bell && d->ell_block > 0 ? d->ell_block : d->row_block;
    const bool many = d->batch > 1, custom = d->format == SPBLAS_FORMAT_CUSTOM;

    return (sb_matrix){.format = custom ? SB_FORMAT_TENSOR : formats[d->format],
                       .rows = d->rows * d->row_block,
                       .cols = d->cols * d->col_block,
                       .nnz = custom ? d->nnz : sb_spmat_idx_count(d),
                       .ptr = d->ptr,
                       .idx = d->idx,
                       .row = d->row,
                       .val = d->val,
                       .ptr_type = sb_public_index_dtype(d->ptr_type),
                       .idx_type = sb_public_index_dtype(d->idx_type),
                       .val_type = sb_public_dtype(d->type),
                       .base = (int)d->base,
                       .block = block,
                       .width = bell ? d->width / block : d->width,
                       .rows_ascend = d->at.rows_ascend,
                       .block_col_major = d->order == SPBLAS_ORDER_COL,
                       .batch = d->batch,
                       .ptr_stride = many ? d->ptr_stride : 0,
                       .idx_stride = many ? d->idx_stride : 0,
                       .val_stride = many ? d->val_stride : 0,
                       .tensor = custom ? &d->made->tensor : NULL};
}

bool
sb_view_lacks_structure(const sb_matrix *a)
{
    const bool coo = a->format == SB_FORMAT_COO;
    const int64_t majors = a->format == SB_FORMAT_CSC ? a->cols : a->rows;

    if (a->format == SB_FORMAT_TENSOR)
        return false;
    if (a->format == SB_FORMAT_SELL && a->width == 0)
        return a->rows > 0;
    return (a->nnz > 0 && (!a->idx || (coo && !a->row))) ||
           (!coo && a->format != SB_FORMAT_BELL && majors > 0 && !a->ptr);
}

bool
sb_view_lacks_values(const sb_matrix *a)
{
    const sb_tensor *t = a->tensor;

    if (t)
        return !sb_tensor_is_list(t) && sb_tensor_slots(t) > 0 && !t->val.data;
    return a->nnz > 0 && !a->val;
}

sb_dense
sb_view_dense(spblasConstDnMatDescr_t d)
{
    return (sb_dense){.rows = d->rows,
                      .cols = d->cols,
                      .ld = d->ld,
                      .col_major = d->order == SPBLAS_ORDER_COL,
                      .type = sb_public_dtype(d->type),
                      .data = d->values,
                      .batch = d->batch,
                      .stride = d->batch > 1 ? d->stride : 0};
}

static sb_dense
view_vector(spblasConstDnVecDescr_t d)
{
    return (sb_dense){.rows = d->size,
                      .cols = 1,
                      .ld = 1,
                      .type = sb_public_dtype(d->type),
                      .data = d->values,
                      .batch = 1};
}

sb_trans
sb_view_op(spblasOperation_t op, sb_dtype t)
{
    if (op == SPBLAS_OPERATION_NON_TRANSPOSE)
        return SB_TRANS_N;
    return op == SPBLAS_OPERATION_TRANSPOSE || !sb_dtype_is_complex(t) ? SB_TRANS_T
                                                                       : SB_TRANS_H;
}

/* cuSPARSE has it for Blocked-ELL alone; here it says the type of the scalars. */
static bool
sums_in_half(const sb_problem *pb)
{
    return pb->op == SB_OP_SPMM && pb->compute == SB_F16 &&
           pb->a.format == SB_FORMAT_BELL && pb->a.val_type == SB_F16 &&
           pb->b.type == SB_F16 && pb->c.type == SB_F16;
}

sb_problem
sb_view_problem(const sb_product *p)
{
    static const sb_math maths[] = {[SPBLAS_MATH_EXACT] = SB_MATH_EXACT,
                                    [SPBLAS_MATH_TF32X3] = SB_MATH_TF32X3,
                                    [SPBLAS_MATH_TF32] = SB_MATH_TF32};
    sb_problem pb = {.op = p->op,
                     .a = sb_view_sparse(p->sparse),
                     .b = p->mat_x ? sb_view_dense(p->mat_x) : view_vector(p->vec_x),
                     .c = p->mat_y ? sb_view_dense(p->mat_y) : view_vector(p->vec_y),
                     .compute = sb_public_dtype(p->compute),
                     .math = maths[p->sparse->at.math]};
    const bool sddmm = p->op == SB_OP_SDDMM;

    pb.trans_a = sb_view_op(p->op_a, sddmm ? pb.b.type : pb.a.val_type);
    pb.trans_b = sb_view_op(p->op_b, sddmm ? pb.c.type : pb.b.type);
    pb.batch = sddmm ? pb.a.batch : pb.c.batch;
    if (sums_in_half(&pb))
        pb.compute = SB_F32;
    return pb;
}
