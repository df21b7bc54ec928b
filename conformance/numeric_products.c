/* SpMV, SpMM and SDDMM: formats, operations, orders, types, index types and bases. */
#include "numeric.h"

/* Types of A and B, of C, and of the sums. */
typedef struct {
    cudaDataType in, out, sum;
} types;
static const types lists[] = {
    {CUDA_R_32F, CUDA_R_32F, CUDA_R_32F},  {CUDA_R_64F, CUDA_R_64F, CUDA_R_64F},
    {CUDA_C_32F, CUDA_C_32F, CUDA_C_32F},  {CUDA_C_64F, CUDA_C_64F, CUDA_C_64F},
    {CUDA_R_8I, CUDA_R_32I, CUDA_R_32I},   {CUDA_R_8I, CUDA_R_32F, CUDA_R_32F},
    {CUDA_R_16F, CUDA_R_32F, CUDA_R_32F},  {CUDA_R_16F, CUDA_R_16F, CUDA_R_32F},
    {CUDA_R_16BF, CUDA_R_32F, CUDA_R_32F}, {CUDA_R_16BF, CUDA_R_16BF, CUDA_R_32F},
    {CUDA_C_16F, CUDA_C_16F, CUDA_C_32F},  {CUDA_C_16BF, CUDA_C_16BF, CUDA_C_32F},
};
enum { LISTS = sizeof lists / sizeof *lists };

/* The product asked for, and the alternatives that all three routines walk through. */
typedef struct {
    format kind;
    types t;
    cusparseOperation_t opA, opB;
    cusparseOrder_t orderB, orderC;
    cusparseIndexType_t index;
    cusparseIndexBase_t base;
    number beta;
} problem;

static const char *
name_of(format kind)
{
    static const char *const names[] = {"CSR", "CSC", "COO", "BSR", "BELL", "SELL"};

    return names[kind];
}

#define PROBLEM "%s types %d %d %d op %d %d order %d %d index %d base %d"
#define PROBLEM_OF(p)                                                     \
    name_of((p)->kind), (int)(p)->t.in, (int)(p)->t.out, (int)(p)->t.sum, \
        (int)(p)->opA, (int)(p)->opB, (int)(p)->orderB, (int)(p)->orderC, \
        (int)(p)->index, (int)(p)->base

/* A matrix whose op is m x n, in whole blocks where the format wants them. */
static matrix
operand(const problem *p, cusparseOperation_t op, int m, int n, int percent)
{
    const bool plain = op == CUSPARSE_OPERATION_NON_TRANSPOSE;
    matrix a = draw_matrix(p->t.in, plain ? m : n, plain ? n : m, percent);

    if (p->kind == BSR || p->kind == BELL)
        widen(&a);
    return a;
}

static void *
buffer_of(size_t size)
{
    return size ? memory_new(NULL, size) : NULL;
}

static void
spmv(const problem *p)
{
    const matrix a = operand(p, p->opA, 6, 8, 40);
    const matrix op = op_of(&a, p->opA);
    const matrix x = draw_matrix(p->t.in, op.n, 1, 100);
    const matrix y = draw_matrix(p->t.out, op.m, 1, 100);
    const matrix want = multiply(2, &op, &x, p->beta, &y);
    sparse s = (below(2) ? sparse_of : sparse_const_of)(&a, p->kind, p->t.in, p->index,
                                                        p->base);
    number flat[SIDE];
    void *xv, *yv;
    cusparseConstDnVecDescr_t vx;
    cusparseDnVecDescr_t vy;
    const void *const alpha = scalar_of(p->t.sum, 2);
    const void *const beta = scalar_of(p->t.sum, p->beta);
    const cusparseSpMVAlg_t alg = CUSPARSE_SPMV_ALG_DEFAULT;
    size_t size = 0;
    matrix got = {.m = op.m, .n = 1};
    void *buffer;

    for (int i = 0; i < op.n; i++)
        flat[i] = x.at[i][0];
    xv = array_of(p->t.in, flat, op.n);
    for (int i = 0; i < op.m; i++)
        flat[i] = y.at[i][0];
    yv = array_of(p->t.out, flat, op.m);
    (void)cusparseCreateConstDnVec(&vx, op.n, xv, p->t.in);
    (void)cusparseCreateDnVec(&vy, op.m, yv, p->t.out);
    if (worked("SpMV_bufferSize",
               cusparseSpMV_bufferSize(handle, p->opA, alpha, s.descr, vx, beta, vy,
                                       p->t.sum, alg, &size))) {
        buffer = buffer_of(size);
        if (below(2))
            (void)worked("SpMV_preprocess",
                         cusparseSpMV_preprocess(handle, p->opA, alpha, s.descr, vx,
                                                 beta, vy, p->t.sum, alg, buffer));
        if (worked("SpMV", cusparseSpMV(handle, p->opA, alpha, s.descr, vx, beta, vy,
                                        p->t.sum, alg, buffer))) {
            array_read(p->t.out, flat, yv, op.m);
            for (int i = 0; i < op.m; i++)
                got.at[i][0] = flat[i];
            verdict("SpMV", same(&got, &want), PROBLEM, PROBLEM_OF(p));
        }
    }
    (void)cusparseDestroyDnVec(vx);
    (void)cusparseDestroyDnVec(vy);
    (void)cusparseDestroySpMat(s.descr);
    memory_reset();
}

static void
spmm(const problem *p)
{
    const matrix a = operand(p, p->opA, 6, 8, 40);
    const matrix opA = op_of(&a, p->opA);
    const bool plain = p->opB == CUSPARSE_OPERATION_NON_TRANSPOSE;
    const matrix b = draw_matrix(p->t.in, plain ? opA.n : 4, plain ? 4 : opA.n, 100);
    const matrix opB = op_of(&b, p->opB);
    const matrix c = draw_matrix(p->t.out, opA.m, 4, 100);
    const matrix want = multiply(2, &opA, &opB, p->beta, &c);
    sparse s = (below(2) ? sparse_of : sparse_const_of)(&a, p->kind, p->t.in, p->index,
                                                        p->base);
    dense db = (below(2) ? dense_of : dense_const_of)(&b, p->t.in, p->orderB);
    dense dc = dense_of(&c, p->t.out, p->orderC);
    const void *const alpha = scalar_of(p->t.sum, 2);
    const void *const beta = scalar_of(p->t.sum, p->beta);
    const cusparseSpMMAlg_t alg = CUSPARSE_SPMM_ALG_DEFAULT;
    size_t size = 0;
    void *buffer;

    if (worked("SpMM_bufferSize",
               cusparseSpMM_bufferSize(handle, p->opA, p->opB, alpha, s.descr, db.descr,
                                       beta, dc.descr, p->t.sum, alg, &size))) {
        buffer = buffer_of(size);
        if (below(2))
            (void)worked("SpMM_preprocess",
                         cusparseSpMM_preprocess(handle, p->opA, p->opB, alpha, s.descr,
                                                 db.descr, beta, dc.descr, p->t.sum,
                                                 alg, buffer));
        if (worked("SpMM",
                   cusparseSpMM(handle, p->opA, p->opB, alpha, s.descr, db.descr, beta,
                                dc.descr, p->t.sum, alg, buffer))) {
            const matrix got = dense_read(&dc, want.m, want.n, p->t.out);

            verdict("SpMM", same(&got, &want), PROBLEM, PROBLEM_OF(p));
        }
    }
    (void)cusparseDestroyDnMat(db.descr);
    (void)cusparseDestroyDnMat(dc.descr);
    (void)cusparseDestroySpMat(s.descr);
    memory_reset();
}

/* C stores `a`'s pattern; A is orderB, B orderC. */
static void
sddmm(const problem *p)
{
    const bool plainA = p->opA == CUSPARSE_OPERATION_NON_TRANSPOSE;
    const bool plainB = p->opB == CUSPARSE_OPERATION_NON_TRANSPOSE;
    matrix c = draw_matrix(p->t.out, 6, 8, 40);
    const matrix a = draw_matrix(p->t.in, plainA ? 6 : 4, plainA ? 4 : 6, 100);
    const matrix b = draw_matrix(p->t.in, plainB ? 4 : 8, plainB ? 8 : 4, 100);
    const matrix opA = op_of(&a, p->opA), opB = op_of(&b, p->opB);
    const void *const alpha = scalar_of(p->t.sum, 2);
    const void *const beta = scalar_of(p->t.sum, p->beta);
    const cusparseSDDMMAlg_t alg = CUSPARSE_SDDMM_ALG_DEFAULT;
    dense da = dense_const_of(&a, p->t.in, p->orderB);
    dense db = dense_const_of(&b, p->t.in, p->orderC);
    matrix want;
    sparse s;
    size_t size = 0;
    void *buffer;

    if (p->kind == BSR)
        widen(&c);
    want = multiply(2, &opA, &opB, p->beta, &c);
    for (int i = 0; i < c.m; i++) {
        for (int j = 0; j < c.n; j++)
            want.at[i][j] = c.in[i][j] ? want.at[i][j] : 0;
    }
    s = sparse_of(&c, p->kind, p->t.out, p->index, p->base);
    if (worked("SDDMM_bufferSize",
               cusparseSDDMM_bufferSize(handle, p->opA, p->opB, alpha, da.descr,
                                        db.descr, beta, s.descr, p->t.sum, alg,
                                        &size))) {
        buffer = buffer_of(size);
        if (below(2))
            (void)worked("SDDMM_preprocess",
                         cusparseSDDMM_preprocess(handle, p->opA, p->opB, alpha,
                                                  da.descr, db.descr, beta, s.descr,
                                                  p->t.sum, alg, buffer));
        if (worked("SDDMM",
                   cusparseSDDMM(handle, p->opA, p->opB, alpha, da.descr, db.descr,
                                 beta, s.descr, p->t.sum, alg, buffer))) {
            const matrix got = sparse_read(&s, &c, p->t.out);

            verdict("SDDMM", same(&got, &want), PROBLEM, PROBLEM_OF(p));
        }
    }
    (void)cusparseDestroyDnMat(da.descr);
    (void)cusparseDestroyDnMat(db.descr);
    (void)cusparseDestroySpMat(s.descr);
    memory_reset();
}

/* What the documentation offers; the rest of the walk is left out. */
static bool
spmv_offered(const problem *p)
{
    return p->kind != BELL &&
           (p->kind != BSR || p->opA == CUSPARSE_OPERATION_NON_TRANSPOSE);
}

static bool
spmm_offered(const problem *p)
{
    if (p->kind == SELL)
        return false;
    if (p->kind == BELL)
        return p->opA == CUSPARSE_OPERATION_NON_TRANSPOSE &&
               p->opB != CUSPARSE_OPERATION_CONJUGATE_TRANSPOSE &&
               p->index == CUSPARSE_INDEX_32I && !type_complex(p->t.in) &&
               p->t.in != CUDA_R_8I;
    return p->kind != BSR || p->opA == CUSPARSE_OPERATION_NON_TRANSPOSE;
}

static bool
sddmm_offered(const problem *p)
{
    const bool uniform = p->t.in == p->t.out && p->t.in == p->t.sum;

    return (p->kind == CSR || p->kind == BSR) && (uniform || p->t.in == CUDA_R_16F) &&
           p->opA != CUSPARSE_OPERATION_CONJUGATE_TRANSPOSE &&
           p->opB != CUSPARSE_OPERATION_CONJUGATE_TRANSPOSE;
}

/* Formats, types and operations in full; orders, index types, bases and beta by turns. */
void
numeric_products(void)
{
    for (int k = 0; k < FORMATS * LISTS * 9; k++) {
        const int ops = k % 9, kind = k / 9 % FORMATS, list = k / 9 / FORMATS;

        for (int turn = 0; turn < 4; turn++) {
            seed((uint64_t)(4 * k + turn));

            const problem p = {
                .kind = (format)kind,
                .t = lists[list],
                .opA = (cusparseOperation_t)(ops % 3),
                .opB = (cusparseOperation_t)(ops / 3),
                .orderB = turn & 1 ? CUSPARSE_ORDER_ROW : CUSPARSE_ORDER_COL,
                .orderC = turn & 2 ? CUSPARSE_ORDER_ROW : CUSPARSE_ORDER_COL,
                .index =
                    below(3) || kind == BELL ? CUSPARSE_INDEX_32I : CUSPARSE_INDEX_64I,
                .base = (cusparseIndexBase_t)below(2),
                .beta = below(3) - 1,
            };

            if (spmv_offered(&p) && p.opB == CUSPARSE_OPERATION_NON_TRANSPOSE &&
                case_begin("SpMV " PROBLEM, PROBLEM_OF(&p)))
                spmv(&p);
            if (spmm_offered(&p) && case_begin("SpMM " PROBLEM, PROBLEM_OF(&p)))
                spmm(&p);
            if (sddmm_offered(&p) && case_begin("SDDMM " PROBLEM, PROBLEM_OF(&p)))
                sddmm(&p);
        }
    }
}
