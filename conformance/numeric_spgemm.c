/* SpGEMM under its algorithms, and SpGEMMreuse with new values. */
#include "numeric.h"

/* The first four have SpGEMMreuse too. */
static const cudaDataType types[] = {CUDA_R_32F, CUDA_R_64F,  CUDA_C_32F, CUDA_C_64F,
                                     CUDA_R_16F, CUDA_R_16BF, CUDA_C_16F, CUDA_C_16BF};
static const cusparseOperation_t N = CUSPARSE_OPERATION_NON_TRANSPOSE;

enum { MAX_ENTRIES = SIDE * SIDE };

/* A CSR with room for any result, and a fresh one without arrays. */
typedef struct {
    cusparseSpMatDescr_t descr;
    void *ptr, *idx, *val;
} result;

static result
result_new(cudaDataType type, int m, int n)
{
    result c = {0};

    c.ptr = memory_new(NULL, (SIDE + 1) * 4);
    c.idx = memory_new(NULL, MAX_ENTRIES * 4);
    c.val = memory_new(NULL, MAX_ENTRIES * 16);
    (void)cusparseCreateCsr(&c.descr, m, n, 0, c.ptr, NULL, NULL, CUSPARSE_INDEX_32I,
                            CUSPARSE_INDEX_32I, CUSPARSE_INDEX_BASE_ZERO, type);
    return c;
}

/* Whether C stores exactly what `want` does, columns in order. */
static bool
right(const result *c, const matrix *want, cudaDataType type)
{
    int32_t ptr[SIDE + 1], idx[MAX_ENTRIES];
    number val[MAX_ENTRIES];
    int p = 0;
    int64_t m, n, nnz;

    (void)cusparseSpMatGetSize(c->descr, &m, &n, &nnz);
    memory_read(ptr, c->ptr, (size_t)(want->m + 1) * 4);
    memory_read(idx, c->idx, (size_t)nnz * 4);
    array_read(type, val, c->val, nnz);
    for (int i = 0; i < want->m; i++) {
        if (ptr[i] != p)
            return false;
        for (int j = 0; j < want->n; j++) {
            if (!want->in[i][j])
                continue;
            if (p >= nnz || idx[p] != j || val[p] != want->at[i][j])
                return false;
            p++;
        }
    }
    return ptr[want->m] == p && nnz == p;
}

/* A function that says the bytes it wants with a NULL buffer and is then called again. */
#define TWICE(name, ...)                                                      \
    do {                                                                      \
        size = 0;                                                             \
        ok = ok && worked(#name, cusparse##name(__VA_ARGS__, &size, NULL));   \
        ok = ok && worked(#name, cusparse##name(__VA_ARGS__, &size,           \
                                                memory_new(NULL, size + 1))); \
    } while (0)

static void
once(cudaDataType type, cusparseSpGEMMAlg_t alg)
{
    const matrix a = draw_matrix(type, 6, 8, 35), b = draw_matrix(type, 8, 5, 35);
    const matrix want = multiply(2, &a, &b, 0, NULL);
    sparse sa = sparse_of(&a, CSR, type, CUSPARSE_INDEX_32I, CUSPARSE_INDEX_BASE_ZERO);
    sparse sb = sparse_of(&b, CSR, type, CUSPARSE_INDEX_32I, CUSPARSE_INDEX_BASE_ZERO);
    result c = result_new(type, 6, 5);
    const void *const alpha = scalar_of(type, 2), *const beta = scalar_of(type, 0);
    cusparseSpGEMMDescr_t d = NULL;
    int64_t products = -1, expected = 0, m, n, nnz = 0;
    size_t size, estimate = 0;
    bool ok = worked("SpGEMM_createDescr", cusparseSpGEMM_createDescr(&d));

    TWICE(SpGEMM_workEstimation, handle, N, N, alpha, sa.descr, sb.descr, beta, c.descr,
          type, alg, d);
    if (alg == CUSPARSE_SPGEMM_ALG2 || alg == CUSPARSE_SPGEMM_ALG3) {
        for (int i = 0; i < 6; i++) {
            for (int k = 0; k < 8; k++) {
                for (int j = 0; j < 5; j++)
                    expected += a.in[i][k] && b.in[k][j];
            }
        }
        ok = ok && worked("SpGEMM_getNumProducts",
                          cusparseSpGEMM_getNumProducts(d, &products));
        verdict("SpGEMM_getNumProducts", !ok || products == expected, "alg %d",
                (int)alg);
        size = 0;
        ok = ok && worked("SpGEMM_estimateMemory",
                          cusparseSpGEMM_estimateMemory(
                              handle, N, N, alpha, sa.descr, sb.descr, beta, c.descr,
                              type, alg, d, 0.5F, &size, NULL, NULL));
        ok = ok &&
             worked("SpGEMM_estimateMemory",
                    cusparseSpGEMM_estimateMemory(
                        handle, N, N, alpha, sa.descr, sb.descr, beta, c.descr, type,
                        alg, d, 0.5F, &size, memory_new(NULL, size + 1), &estimate));
    }
    if (estimate > 0) /* asked for before */
        ok = ok && worked("SpGEMM_compute",
                          cusparseSpGEMM_compute(
                              handle, N, N, alpha, sa.descr, sb.descr, beta, c.descr,
                              type, alg, d, &estimate, memory_new(NULL, estimate)));
    else
        TWICE(SpGEMM_compute, handle, N, N, alpha, sa.descr, sb.descr, beta, c.descr,
              type, alg, d);
    ok = ok && worked("SpMatGetSize", cusparseSpMatGetSize(c.descr, &m, &n, &nnz));
    ok = ok &&
         worked("CsrSetPointers", cusparseCsrSetPointers(c.descr, c.ptr, c.idx, c.val));
    ok = ok && worked("SpGEMM_copy",
                      cusparseSpGEMM_copy(handle, N, N, alpha, sa.descr, sb.descr, beta,
                                          c.descr, type, alg, d));
    if (ok)
        verdict("SpGEMM", right(&c, &want, type), "type %d alg %d", (int)type,
                (int)alg);
    (void)cusparseSpGEMM_destroyDescr(d);
    (void)cusparseDestroySpMat(sa.descr);
    (void)cusparseDestroySpMat(sb.descr);
    (void)cusparseDestroySpMat(c.descr);
    memory_reset();
}

static void
reuse(cudaDataType type)
{
    const cusparseSpGEMMAlg_t alg = CUSPARSE_SPGEMM_DEFAULT;
    matrix a = draw_matrix(type, 6, 8, 35);
    const matrix b = draw_matrix(type, 8, 5, 35);
    sparse sa = sparse_of(&a, CSR, type, CUSPARSE_INDEX_32I, CUSPARSE_INDEX_BASE_ZERO);
    sparse sb = sparse_of(&b, CSR, type, CUSPARSE_INDEX_32I, CUSPARSE_INDEX_BASE_ZERO);
    result c = result_new(type, 6, 5);
    const void *const alpha = scalar_of(type, 2), *const beta = scalar_of(type, 0);
    cusparseSpGEMMDescr_t d = NULL;
    size_t size, s2 = 0, s3 = 0, s4 = 0;
    number values[4 * SIDE * SIDE];
    bool ok = worked("SpGEMM_createDescr", cusparseSpGEMM_createDescr(&d));

    TWICE(SpGEMMreuse_workEstimation, handle, N, N, sa.descr, sb.descr, c.descr, alg,
          d);
    ok = ok && worked("SpGEMMreuse_nnz",
                      cusparseSpGEMMreuse_nnz(handle, N, N, sa.descr, sb.descr, c.descr,
                                              alg, d, &s2, NULL, &s3, NULL, &s4, NULL));
    ok = ok && worked("SpGEMMreuse_nnz",
                      cusparseSpGEMMreuse_nnz(handle, N, N, sa.descr, sb.descr, c.descr,
                                              alg, d, &s2, memory_new(NULL, s2 + 1),
                                              &s3, memory_new(NULL, s3 + 1), &s4,
                                              memory_new(NULL, s4 + 1)));
    ok = ok &&
         worked("CsrSetPointers", cusparseCsrSetPointers(c.descr, c.ptr, c.idx, c.val));
    TWICE(SpGEMMreuse_copy, handle, N, N, sa.descr, sb.descr, c.descr, alg, d);
    for (int round = 0; ok && round < 2; round++) {
        const matrix want = multiply(2, &a, &b, 0, NULL);

        ok = worked("SpGEMMreuse_compute",
                    cusparseSpGEMMreuse_compute(handle, N, N, alpha, sa.descr, sb.descr,
                                                beta, c.descr, type, alg, d));
        if (ok)
            verdict("SpGEMMreuse", right(&c, &want, type), "type %d round %d",
                    (int)type, round);
        for (int64_t k = 0; k < sa.count; k++) {
            number *const at = &a.at[sa.row[k]][sa.column[k]];

            *at *= -2;
            values[k] = *at;
        }
        (void)cusparseSpMatSetValues(sa.descr, array_of(type, values, sa.count));
    }
    (void)cusparseSpGEMM_destroyDescr(d);
    (void)cusparseDestroySpMat(sa.descr);
    (void)cusparseDestroySpMat(sb.descr);
    (void)cusparseDestroySpMat(c.descr);
    memory_reset();
}

void
numeric_spgemm(void)
{
    static const cusparseSpGEMMAlg_t algs[] = {
        CUSPARSE_SPGEMM_DEFAULT, CUSPARSE_SPGEMM_ALG1, CUSPARSE_SPGEMM_ALG2,
        CUSPARSE_SPGEMM_ALG3};

    for (int t = 0; t < 8; t++) {
        for (int k = 0; k < 8; k++)
            if (case_begin("SpGEMM type %d alg %d", (int)types[t], (int)algs[k % 4]))
                once(types[t], algs[k % 4]);
        if (t < 4 && case_begin("SpGEMMreuse type %d", (int)types[t]))
            reuse(types[t]);
    }
}
