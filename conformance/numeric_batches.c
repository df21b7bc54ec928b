/* Batches of SpMM and SDDMM: members one stride apart, and members that share an array. */
#include "numeric.h"

enum { MEMBERS = 3, M = 4, K = 6, N = 3, PER_ROW = 2, NNZ = M * PER_ROW };

/* Members with the same number of entries in each row, in other columns. */
typedef struct {
    matrix a[MEMBERS];
    int32_t ptr[MEMBERS][M + 1], row[MEMBERS][NNZ], col[MEMBERS][NNZ];
    number val[MEMBERS][NNZ];
} members;

static members
draw_members(cudaDataType type, bool shared)
{
    members all = {0};

    for (int q = 0; q < MEMBERS; q++) {
        all.a[q] = (matrix){.m = M, .n = K};
        for (int p = 0; p < NNZ; p++) {
            const int i = p / PER_ROW, j = p % PER_ROW * 3 + below(3);

            all.ptr[q][i + 1] = p + 1;
            all.row[q][p] = i;
            all.col[q][p] = j;
            all.val[q][p] = draw(type);
            all.a[q].at[i][j] = all.val[q][p];
        }
        if (shared) /* all are the first */
            all.a[q] = all.a[0];
    }
    return all;
}

/* values: where they are put. */
static cusparseSpMatDescr_t
describe(const members *all, format kind, cudaDataType type, bool shared, void **values)
{
    const cusparseIndexType_t i = CUSPARSE_INDEX_32I;
    const cusparseIndexBase_t base = CUSPARSE_INDEX_BASE_ZERO;
    void *const ptr = memory_new(all->ptr, sizeof all->ptr);
    void *const row = memory_new(all->row, sizeof all->row);
    void *const col = memory_new(all->col, sizeof all->col);
    void *const val = array_of(type, &all->val[0][0], (int64_t)MEMBERS * NNZ);
    cusparseSpMatDescr_t a = NULL;

    *values = val;
    if (kind == CSR) {
        (void)cusparseCreateCsr(&a, M, K, NNZ, ptr, col, val, i, i, base, type);
        (void)worked("CsrSetStridedBatch",
                     cusparseCsrSetStridedBatch(a, MEMBERS, shared ? 0 : M + 1,
                                                shared ? 0 : NNZ));
    } else {
        (void)cusparseCreateCoo(&a, M, K, NNZ, row, col, val, i, base, type);
        (void)worked("CooSetStridedBatch",
                     cusparseCooSetStridedBatch(a, MEMBERS, shared ? 0 : NNZ));
    }
    return a;
}

/* C_q = 2 A_q B_q + C_q by columns, or with one A for all members, or one B. */
static void
spmm(cudaDataType type, format kind, bool one_a, bool one_b)
{
    const members all = draw_members(type, one_a);
    const void *const alpha = scalar_of(type, 2), *const beta = scalar_of(type, 1);
    const cusparseOperation_t op = CUSPARSE_OPERATION_NON_TRANSPOSE;
    number b[MEMBERS][K * N], c[MEMBERS][M * N], got[MEMBERS][M * N];
    cusparseSpMatDescr_t a;
    cusparseDnMatDescr_t db = NULL, dc = NULL;
    void *place, *values;
    size_t size = 0;
    bool right = true;

    a = describe(&all, kind, type, one_a, &values);
    for (int q = 0; q < MEMBERS; q++) {
        for (int p = 0; p < K * N; p++)
            b[q][p] = draw(type);
        for (int p = 0; p < M * N; p++)
            c[q][p] = draw(type);
    }
    place = array_of(type, &c[0][0], (int64_t)MEMBERS * M * N);
    (void)cusparseCreateDnMat(&db, K, N, K,
                              array_of(type, &b[0][0], (int64_t)MEMBERS * K * N), type,
                              CUSPARSE_ORDER_COL);
    (void)cusparseCreateDnMat(&dc, M, N, M, place, type, CUSPARSE_ORDER_COL);
    (void)worked("DnMatSetStridedBatch",
                 cusparseDnMatSetStridedBatch(db, MEMBERS, one_b ? 0 : K * N));
    (void)worked("DnMatSetStridedBatch",
                 cusparseDnMatSetStridedBatch(dc, MEMBERS, M * N));
    if (worked("SpMM_bufferSize",
               cusparseSpMM_bufferSize(handle, op, op, alpha, a, db, beta, dc, type,
                                       CUSPARSE_SPMM_ALG_DEFAULT, &size)) &&
        worked("SpMM",
               cusparseSpMM(handle, op, op, alpha, a, db, beta, dc, type,
                            CUSPARSE_SPMM_ALG_DEFAULT, memory_new(NULL, size + 1)))) {
        array_read(type, &got[0][0], place, (int64_t)MEMBERS * M * N);
        for (int p = 0; p < MEMBERS * M * N; p++) {
            const int q = p / (M * N), i = p % M, j = p / M % N;
            number sum = 0;

            for (int k = 0; k < K; k++)
                sum += all.a[q].at[i][k] * b[one_b ? 0 : q][k + j * K];
            right = right && got[q][i + j * M] == 2 * sum + c[q][i + j * M];
        }
        verdict("SpMM of a batch", right, "type %d format %d shared %d %d", (int)type,
                (int)kind, one_a, one_b);
    }
    (void)cusparseDestroyDnMat(db);
    (void)cusparseDestroyDnMat(dc);
    (void)cusparseDestroySpMat(a);
    memory_reset();
}

/* C_q = 2 A_q B_q + C_q where C_q stores something, A and B by columns. */
static void
sddmm(cudaDataType type, bool one_b)
{
    const members all = draw_members(type, false);
    const void *const alpha = scalar_of(type, 2), *const beta = scalar_of(type, 1);
    const cusparseOperation_t op = CUSPARSE_OPERATION_NON_TRANSPOSE;
    number a[MEMBERS][M * N], b[MEMBERS][N * K], got[MEMBERS][NNZ];
    cusparseConstDnMatDescr_t da = NULL, db = NULL;
    void *values;
    cusparseSpMatDescr_t c = describe(&all, CSR, type, false, &values);
    size_t size = 0;
    bool right = true;

    for (int q = 0; q < MEMBERS; q++) {
        for (int p = 0; p < M * N; p++)
            a[q][p] = draw(type);
        for (int p = 0; p < N * K; p++)
            b[q][p] = draw(type);
    }
    (void)cusparseCreateConstDnMat(&da, M, N, M,
                                   array_of(type, &a[0][0], (int64_t)MEMBERS * M * N),
                                   type, CUSPARSE_ORDER_COL);
    (void)cusparseCreateConstDnMat(&db, N, K, N,
                                   array_of(type, &b[0][0], (int64_t)MEMBERS * N * K),
                                   type, CUSPARSE_ORDER_COL);
    (void)worked("DnMatSetStridedBatch",
                 cusparseDnMatSetStridedBatch((cusparseDnMatDescr_t)(uintptr_t)da,
                                              MEMBERS, M * N));
    (void)worked("DnMatSetStridedBatch",
                 cusparseDnMatSetStridedBatch((cusparseDnMatDescr_t)(uintptr_t)db,
                                              MEMBERS, one_b ? 0 : N * K));
    if (worked("SDDMM_bufferSize",
               cusparseSDDMM_bufferSize(handle, op, op, alpha, da, db, beta, c, type,
                                        CUSPARSE_SDDMM_ALG_DEFAULT, &size)) &&
        worked("SDDMM",
               cusparseSDDMM(handle, op, op, alpha, da, db, beta, c, type,
                             CUSPARSE_SDDMM_ALG_DEFAULT, memory_new(NULL, size + 1)))) {
        array_read(type, &got[0][0], values, (int64_t)MEMBERS * NNZ);
        for (int q = 0; q < MEMBERS; q++)
            for (int p = 0; p < NNZ; p++) {
                const int i = all.row[q][p], j = all.col[q][p];
                number sum = 0;

                for (int k = 0; k < N; k++)
                    sum += a[q][i + k * M] * b[one_b ? 0 : q][k + j * N];
                right = right && got[q][p] == 2 * sum + all.val[q][p];
            }
        verdict("SDDMM of a batch", right, "type %d shared %d", (int)type, one_b);
    }
    (void)cusparseDestroyDnMat(da);
    (void)cusparseDestroyDnMat(db);
    (void)cusparseDestroySpMat(c);
    memory_reset();
}

void
numeric_batches(void)
{
    static const cudaDataType types[] = {CUDA_R_32F, CUDA_R_64F, CUDA_C_32F,
                                         CUDA_C_64F};

    for (int k = 0; k < 4 * 2 * 4; k++)
        if (case_begin("SpMM of a batch %d", k))
            spmm(types[k % 4], k / 4 % 2 ? COO : CSR, k / 8 % 2, k / 16 % 2);
    for (int k = 0; k < 4 * 2; k++)
        if (case_begin("SDDMM of a batch %d", k))
            sddmm(types[k % 4], k / 4 % 2);
}
