/* SpSV and SpSM: triangles with diagonals of 1 and -1, so that solutions are integers. */
#include "numeric.h"

static const cudaDataType types[] = {CUDA_R_32F, CUDA_R_64F, CUDA_C_32F, CUDA_C_64F};

typedef struct {
    format kind;
    cudaDataType type;
    cusparseOperation_t opA, opB;
    cusparseFillMode_t fill;
    cusparseDiagType_t diag;
    cusparseOrder_t orderB, orderC;
    cusparseIndexType_t index;
    cusparseIndexBase_t base;
} problem;

#define PROBLEM \
    "format %d type %d op %d %d fill %d diag %d order %d %d index %d base %d"
#define PROBLEM_OF(p)                                                             \
    (int)(p)->kind, (int)(p)->type, (int)(p)->opA, (int)(p)->opB, (int)(p)->fill, \
        (int)(p)->diag, (int)(p)->orderB, (int)(p)->orderC, (int)(p)->index,      \
        (int)(p)->base

enum { M = 6, RIGHT = 3 };

/* What is stored: also the other side, which is not to be read. */
static matrix
draw_stored(const problem *p)
{
    matrix a = draw_matrix(p->type, M, M, 40);

    for (int i = 0; i < M; i++) {
        a.in[i][i] = true;
        a.at[i][i] = p->diag == CUSPARSE_DIAG_TYPE_UNIT ? 7 : below(2) ? 1 : -1;
    }
    return a;
}

/* The triangle meant. */
static matrix
triangle_of(const problem *p, const matrix *a)
{
    matrix t = *a;

    for (int i = 0; i < M; i++) {
        for (int j = 0; j < M; j++) {
            if (i == j && p->diag == CUSPARSE_DIAG_TYPE_UNIT)
                t.at[i][j] = 1;
            else if (p->fill == CUSPARSE_FILL_MODE_LOWER ? j > i : j < i)
                t.at[i][j] = 0;
        }
    }
    return t;
}

static void
attributes(const problem *p, sparse *s)
{
    cusparseFillMode_t fill = p->fill;
    cusparseDiagType_t diag = p->diag;

    (void)cusparseSpMatSetAttribute(s->descr, CUSPARSE_SPMAT_FILL_MODE, &fill,
                                    sizeof fill);
    (void)cusparseSpMatSetAttribute(s->descr, CUSPARSE_SPMAT_DIAG_TYPE, &diag,
                                    sizeof diag);
}

/* Right sides 2 op(A) X of a solution X, which alpha = 1/2 turns back: exact. */
static void
spsv(const problem *p)
{
    const cusparseSpSVAlg_t alg = CUSPARSE_SPSV_ALG_DEFAULT;
    const matrix a = draw_stored(p), t = triangle_of(p, &a), op = op_of(&t, p->opA);
    const matrix x = draw_matrix(p->type, M, 1, 100);
    const matrix b = multiply(2, &op, &x, 0, NULL);
    number right[M], got[M];
    sparse s = (below(2) ? sparse_of : sparse_const_of)(&a, p->kind, p->type, p->index,
                                                        p->base);
    cusparseDnVecDescr_t vb, vx;
    cusparseSpSVDescr_t d = NULL;
    const void *const alpha = scalar_of(p->type, 0.5);
    void *bs, *xs;
    size_t size = 0;
    bool equal = true;

    attributes(p, &s);
    for (int i = 0; i < M; i++)
        right[i] = b.at[i][0];
    bs = array_of(p->type, right, M);
    xs = memory_new(NULL, sizeof right);
    (void)cusparseCreateDnVec(&vb, M, bs, p->type);
    (void)cusparseCreateDnVec(&vx, M, xs, p->type);
    (void)cusparseSpSV_createDescr(&d);
    if (worked("SpSV_bufferSize",
               cusparseSpSV_bufferSize(handle, p->opA, alpha, s.descr, vb, vx, p->type,
                                       alg, d, &size)) &&
        worked("SpSV_analysis",
               cusparseSpSV_analysis(handle, p->opA, alpha, s.descr, vb, vx, p->type,
                                     alg, d, size ? memory_new(NULL, size) : NULL)) &&
        worked("SpSV_solve", cusparseSpSV_solve(handle, p->opA, alpha, s.descr, vb, vx,
                                                p->type, alg, d))) {
        array_read(p->type, got, xs, M);
        for (int i = 0; i < M; i++)
            equal = equal && got[i] == x.at[i][0];
        verdict("SpSV", equal, PROBLEM, PROBLEM_OF(p));

        /* All values of the matrix doubled: half the solution. */
        {
            number twice[4 * SIDE * SIDE];

            array_read(p->type, twice, s.values, s.count);
            for (int64_t k = 0; k < s.count; k++)
                twice[k] *= 2;
            equal = p->diag == CUSPARSE_DIAG_TYPE_NON_UNIT;
            if (equal &&
                worked("SpSV_updateMatrix",
                       cusparseSpSV_updateMatrix(handle, d,
                                                 array_of(p->type, twice, s.count),
                                                 CUSPARSE_SPSV_UPDATE_GENERAL)) &&
                worked("SpSV_solve", cusparseSpSV_solve(handle, p->opA, alpha, s.descr,
                                                        vb, vx, p->type, alg, d))) {
                array_read(p->type, got, xs, M);
                for (int i = 0; i < M; i++)
                    equal = equal && 2 * got[i] == x.at[i][0];
                verdict("SpSV after update", equal, PROBLEM, PROBLEM_OF(p));
            }
        }
    }
    (void)cusparseSpSV_destroyDescr(d);
    (void)cusparseDestroyDnVec(vb);
    (void)cusparseDestroyDnVec(vx);
    (void)cusparseDestroySpMat(s.descr);
    memory_reset();
}

static void
spsm(const problem *p)
{
    const cusparseSpSMAlg_t alg = CUSPARSE_SPSM_ALG_DEFAULT;
    const matrix a = draw_stored(p), t = triangle_of(p, &a), op = op_of(&t, p->opA);
    const matrix x = draw_matrix(p->type, M, RIGHT, 100), zero = {.m = M, .n = RIGHT};
    const matrix right = multiply(2, &op, &x, 0, NULL), b = op_of(&right, p->opB);
    sparse s = sparse_of(&a, p->kind, p->type, p->index, p->base);
    dense db = dense_of(&b, p->type, p->orderB),
          dc = dense_of(&zero, p->type, p->orderC);
    cusparseSpSMDescr_t d = NULL;
    const void *const alpha = scalar_of(p->type, 0.5);
    size_t size = 0;

    attributes(p, &s);
    (void)cusparseSpSM_createDescr(&d);
    if (worked("SpSM_bufferSize",
               cusparseSpSM_bufferSize(handle, p->opA, p->opB, alpha, s.descr, db.descr,
                                       dc.descr, p->type, alg, d, &size)) &&
        worked("SpSM_analysis",
               cusparseSpSM_analysis(handle, p->opA, p->opB, alpha, s.descr, db.descr,
                                     dc.descr, p->type, alg, d,
                                     size ? memory_new(NULL, size) : NULL)) &&
        worked("SpSM_solve", cusparseSpSM_solve(handle, p->opA, p->opB, alpha, s.descr,
                                                db.descr, dc.descr, p->type, alg, d))) {
        const matrix got = dense_read(&dc, M, RIGHT, p->type);

        verdict("SpSM", same(&got, &x), PROBLEM, PROBLEM_OF(p));
    }
    (void)cusparseSpSM_destroyDescr(d);
    (void)cusparseDestroyDnMat(db.descr);
    (void)cusparseDestroyDnMat(dc.descr);
    (void)cusparseDestroySpMat(s.descr);
    memory_reset();
}

void
numeric_solves(void)
{
    static const format kinds[] = {CSR, COO, CSC, SELL};

    for (int k = 0; k < 4 * 4 * 3 * 2 * 2 * 2; k++) {
        const cudaDataType type = types[k % 4];
        const int opA = k / 16 % 3;

        seed((uint64_t)k);

        const problem p = {
            .kind = kinds[k / 4 % 4],
            .type = type,
            /* H is refused for real types by the real library. */
            .opA = (cusparseOperation_t)(opA == 2 && !type_complex(type) ? 1 : opA),
            .opB = (cusparseOperation_t)below(2),
            .fill = (cusparseFillMode_t)(k / 48 % 2),
            .diag = (cusparseDiagType_t)(k / 96 % 2),
            .orderB = below(2) ? CUSPARSE_ORDER_ROW : CUSPARSE_ORDER_COL,
            .orderC = below(2) ? CUSPARSE_ORDER_ROW : CUSPARSE_ORDER_COL,
            .index = below(2) ? CUSPARSE_INDEX_32I : CUSPARSE_INDEX_64I,
            .base = (cusparseIndexBase_t)below(2),
        };

        if (case_begin("SpSV " PROBLEM, PROBLEM_OF(&p)))
            spsv(&p);
        if (p.kind != SELL && case_begin("SpSM " PROBLEM, PROBLEM_OF(&p)))
            spsm(&p);
    }
}
