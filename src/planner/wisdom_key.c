/*
 * Under what wisdom is kept: structure, machine, problem.
 */
#include "planner/wisdom.h"

#include "base/fault.h"
#include "base/hash.h"
#include "runtime/device.h"

/* `n` entries of each member from array[q * stride] on; a stride of 0 is one array. */
static sb_hash
add_array(sb_hash h, const void *array, sb_dtype type, int64_t n, int64_t stride,
          int64_t members)
{
    const size_t size = sb_dtype_size(type);

    for (int64_t q = 0; array && q < (stride ? members : 1); q++)
        h = sb_hash_bytes((const char *)array + (size_t)(q * stride) * size,
                          (size_t)n * size, h);
    return h;
}

static sb_hash
structure(const sb_matrix *a)
{
    const int64_t members = a->batch > 1 ? a->batch : 1;
    const int64_t facts[] = {
        a->format,          a->rows, a->cols, a->nnz,      sb_matrix_block(a),
        a->block_col_major, a->base, members, a->ptr_type, a->idx_type};
    sb_hash h = {0, 0};

    h = sb_hash_bytes(facts, sizeof facts, h);
    if (sb_matrix_padded(a))
        h = sb_hash_bytes(&a->width, sizeof a->width, h);
    if (a->format != SB_FORMAT_COO)
        h = add_array(h, a->ptr, a->ptr_type, sb_matrix_offsets(a), a->ptr_stride,
                      members);
    else
        h = add_array(h, a->row, a->idx_type, a->nnz, a->idx_stride, members);
    if (SB_FAULT(WISDOM_BLIND))
        return h;
    return add_array(h, a->idx, a->idx_type, a->nnz, a->idx_stride, members);
}

/* "NVIDIA-H200/sm_90/132 ": a word without white space. */
static void
put_device(sb_strbuf *out, struct sb_device *d)
{
    sb_gpu_facts g;

    d->ops->facts(d, &g);
    for (char *c = g.name; *c; c++)
        if (*c <= ' ' || *c == '/' || *c > '~')
            *c = '-';
    sb_strbuf_printf(out, "%s/%s/%d ", g.name[0] ? g.name : "-", g.arch, g.sms);
}

void
sb_wisdom_key(sb_strbuf *out, const sb_problem *pb, const sb_options *opt, int threads)
{
    static const char *const op[] = {
        [SB_OP_SPMM] = "spmm", [SB_OP_SPMV] = "spmv", [SB_OP_SDDMM] = "sddmm"};
    static const char trans[] = {
        [SB_TRANS_N] = 'n', [SB_TRANS_T] = 't', [SB_TRANS_H] = 'h'};
    const sb_target *t = sb_target_get();
    int64_t m, n, k;
    char hex[33];

    sb_hash_text(structure(&pb->a), hex);
    sb_strbuf_printf(out, "%s ", hex);
    if (pb->device)
        put_device(out, pb->device);
    else
        sb_strbuf_printf(out, "%s/%d/%lld/%lld/%lld ", sb_target_level(t), threads,
                         (long long)t->l1, (long long)t->l2, (long long)t->l3);
    sb_problem_shape(pb, &m, &n, &k);
    sb_strbuf_printf(out, "%s/%c%c/%s%s%s%s/%s%s/%c%c/%lld/%lld/%lld/%s", op[pb->op],
                     trans[pb->trans_a], trans[pb->trans_b],
                     sb_dtype_name(pb->a.val_type), sb_dtype_name(pb->b.type),
                     sb_dtype_name(pb->c.type), sb_dtype_name(pb->compute),
                     sb_dtype_name(pb->a.ptr_type), sb_dtype_name(pb->a.idx_type),
                     pb->b.col_major ? 'c' : 'r', pb->c.col_major ? 'c' : 'r',
                     (long long)n, (long long)k,
                     (long long)(pb->batch > 1 ? pb->batch : 1),
                     opt->values_frozen ? "frozen" : "open");
    if (pb->device && pb->math != SB_MATH_EXACT)
        sb_strbuf_puts(out, pb->math == SB_MATH_TF32 ? "/tf32" : "/tf32x3");
}
