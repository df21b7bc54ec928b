/*
 * Random problems; every draw depends on the case number and the types alone.
 */
#include "problems.h"

#include <math.h>
#include <string.h>

enum { MM = 1u << SB_OP_SPMM, MV = 1u << SB_OP_SPMV, SD = 1u << SB_OP_SDDMM };

const problem_types problem_type_table[] = {
    {MM | MV | SD, SB_F32, SB_F32, SB_F32, SB_F32},
    {MM | MV | SD, SB_F64, SB_F64, SB_F64, SB_F64},
    {MM | MV | SD, SB_C32, SB_C32, SB_C32, SB_C32},
    {MM | MV | SD, SB_C64, SB_C64, SB_C64, SB_C64},
    {MM | MV | SD, SB_F16, SB_F16, SB_F16, SB_F32},
    {MM | MV, SB_F16, SB_F16, SB_F32, SB_F32},
    {MM | MV | SD, SB_BF16, SB_BF16, SB_BF16, SB_F32},
    {MM | MV, SB_BF16, SB_BF16, SB_F32, SB_F32},
    {MM | MV, SB_C16, SB_C16, SB_C16, SB_C32},
    {MM | MV, SB_CBF16, SB_CBF16, SB_CBF16, SB_C32},
    {MM | MV, SB_I8, SB_I8, SB_I32, SB_I32},
    {MM | MV, SB_I8, SB_I8, SB_F32, SB_F32},
    {MV, SB_F32, SB_F64, SB_F64, SB_F64},
    {MV, SB_F32, SB_C32, SB_C32, SB_C32},
    {MV, SB_F64, SB_C64, SB_C64, SB_C64},
    {SD, SB_F32, SB_F16, SB_F16, SB_F32},
    {SD, SB_F32, SB_BF16, SB_BF16, SB_F32},
};
const int problem_type_count = sizeof problem_type_table / sizeof problem_type_table[0];

/* op(result) is rows x cols. */
static sb_dense
operand(gen_rng *r, int64_t rows, int64_t cols, sb_trans op, sb_dtype type,
        bool integer, bool vector, int64_t batch)
{
    gen_dense_spec s = {.rows = op == SB_TRANS_N ? rows : cols,
                        .cols = op == SB_TRANS_N ? cols : rows,
                        .type = type,
                        .seed = gen_next(r),
                        .integer = integer,
                        .batch = batch};

    s.col_major = !vector && gen_below(r, 2);
    s.ld = (s.col_major ? s.rows : s.cols) + (vector ? 0 : gen_below(r, 4));
    return gen_dense(&s);
}

static sb_trans
draw_op(gen_rng *r, sb_dtype t)
{
    const sb_trans op = (sb_trans)gen_below(r, 3);

    return op == SB_TRANS_H && !sb_dtype_is_complex(t) ? SB_TRANS_T : op;
}

static int64_t
some(gen_rng *r, int64_t batch)
{
    return gen_below(r, 2) ? batch : 1;
}

/* Formats with empty slots have no batches. */
static sb_matrix
sparse(gen_rng *r, uint64_t k, sb_dtype type, bool integer, int64_t batch)
{
    gen_spec s = gen_case(k);

    s.format = (sb_format)gen_below(r, batch > 1 ? 4 : 6);
    s.idx_type = gen_below(r, 3) ? SB_I32 : SB_I64;
    s.ptr_type = s.format == SB_FORMAT_COO || gen_below(r, 3) ? s.idx_type : SB_I64;
    s.val_type = type;
    s.block = gen_between(r, 1, 4);
    s.block_col_major = gen_below(r, 2);
    s.integer = integer;
    s.batch = batch;
    return gen_matrix(&s);
}

sb_problem
problem_make(uint64_t k, sb_op op, const problem_types *t, bool integer)
{
    static const int64_t widths[] = {1, 2, 7, 17, 65, 33};
    gen_rng r = {k * 131 + (uint64_t)(t - problem_type_table)};
    sb_problem pb = {.op = op, .compute = t->c};
    const bool vector = op == SB_OP_SPMV, sddmm = op == SB_OP_SDDMM;
    const int64_t n = vector ? 1 : widths[gen_below(&r, 6)];

    pb.batch = vector || gen_below(&r, 4) ? 1 : 3;
    pb.a = sparse(&r, k, t->a, integer, sddmm ? pb.batch : some(&r, pb.batch));
    pb.trans_a = draw_op(&r, sddmm ? t->x : t->a);
    pb.trans_b = vector ? SB_TRANS_N : draw_op(&r, t->x);
    pb.alpha = gen_scalar(&r, t->c);
    if (gen_below(&r, 2))
        pb.beta = gen_scalar(&r, t->c);
    if (sddmm) {
        pb.b = operand(&r, pb.a.rows, n, pb.trans_a, t->x, integer, false,
                       some(&r, pb.batch));
        pb.c = operand(&r, n, pb.a.cols, pb.trans_b, t->x, integer, false,
                       some(&r, pb.batch));
    } else {
        const bool turned = pb.trans_a != SB_TRANS_N;

        pb.b = operand(&r, turned ? pb.a.rows : pb.a.cols, n, pb.trans_b, t->x, integer,
                       vector, some(&r, pb.batch));
        pb.c = operand(&r, turned ? pb.a.cols : pb.a.rows, n, SB_TRANS_N, t->y, integer,
                       vector, pb.batch);
    }
    return pb;
}

void
problem_free(sb_problem *pb)
{
    gen_free_matrix(&pb->a);
    gen_free_dense(&pb->b);
    gen_free_dense(&pb->c);
}

void
problem_poison_output(sb_problem *pb)
{
    const bool sddmm = pb->op == SB_OP_SDDMM;
    const sb_dtype t = sddmm ? pb->a.val_type : pb->c.type;
    void *data = sddmm ? pb->a.val : pb->c.data;
    const int64_t count =
        sddmm ? (pb->batch - 1) * pb->a.val_stride + gen_value_count(&pb->a)
              : gen_dense_extent(&pb->c);

    if (sb_dtype_is_int(t)) {
        memset(data, 0x7f, (size_t)count * sb_dtype_size(t));
        return;
    }
    for (int64_t p = 0; p < count; p++)
        sb_value_store(t, data, p, (sb_value){NAN, NAN});
}
