/* Makes A sparse from a dense matrix by rows: in CSR, CSC and COO, whose size is found on
 * the way, and in Blocked-ELL, whose blocks are given. */
#include "example.h"

typedef enum { CSR, CSC, COO, BLOCKED_ELL } format;

/* Arrays for `nnz` entries behind a descriptor that was made without. */
static matrix
allocate(matrix a, format f, int64_t nnz)
{
    const size_t n = (size_t)nnz;

    CUDA(cudaMalloc(&a.second, n * sizeof(int)));
    CUDA(cudaMalloc(&a.values, n * sizeof(float)));
    if (f == COO) {
        CUDA(cudaMalloc(&a.first, n * sizeof(int)));
        SPARSE(cusparseCooSetPointers(a.descr, a.first, a.second, a.values));
    } else if (f == CSR) {
        SPARSE(cusparseCsrSetPointers(a.descr, a.first, a.second, a.values));
    } else {
        SPARSE(cusparseCscSetPointers(a.descr, a.first, a.second, a.values));
    }
    return a;
}

static matrix
empty(format f)
{
    const cusparseIndexType_t type = CUSPARSE_INDEX_32I;
    const cusparseIndexBase_t base = CUSPARSE_INDEX_BASE_ZERO;
    matrix a = {NULL, NULL, NULL, NULL};

    if (f == CSR || f == CSC)
        a.first = to_device(NULL, (N + 1) * sizeof(int));
    if (f == CSR)
        SPARSE(cusparseCreateCsr(&a.descr, N, N, 0, a.first, NULL, NULL, type, type,
                                 base, CUDA_R_32F));
    if (f == CSC)
        SPARSE(cusparseCreateCsc(&a.descr, N, N, 0, a.first, NULL, NULL, type, type,
                                 base, CUDA_R_32F));
    if (f == COO)
        SPARSE(cusparseCreateCoo(&a.descr, N, N, 0, NULL, NULL, NULL, type, base,
                                 CUDA_R_32F));
    if (f == BLOCKED_ELL) {
        a = make_blocked_ell();
        CUDA(cudaMemset(a.values, 0, sizeof dense_a));
    }
    return a;
}

static int
convert(cusparseHandle_t handle, const char *name, format f, const float *values,
        int count)
{
    const cusparseDenseToSparseAlg_t alg = CUSPARSE_DENSETOSPARSE_ALG_DEFAULT;
    matrix a = empty(f);
    void *dense = DEVICE(dense_a);
    void *buffer = NULL;
    cusparseDnMatDescr_t from;
    int64_t rows;
    int64_t cols;
    int64_t nnz;
    size_t size;
    int wrong;

    SPARSE(cusparseCreateDnMat(&from, N, N, N, dense, CUDA_R_32F, CUSPARSE_ORDER_ROW));
    SPARSE(cusparseDenseToSparse_bufferSize(handle, from, a.descr, alg, &size));
    CUDA(cudaMalloc(&buffer, size));
    SPARSE(cusparseDenseToSparse_analysis(handle, from, a.descr, alg, buffer));
    SPARSE(cusparseSpMatGetSize(a.descr, &rows, &cols, &nnz));
    if (f != BLOCKED_ELL)
        a = allocate(a, f, nnz);
    SPARSE(cusparseDenseToSparse_convert(handle, from, a.descr, alg, buffer));
    wrong = f != BLOCKED_ELL && nnz != NNZ;
    if (!wrong)
        wrong = differences(name, a.values, values, count);
    SPARSE(cusparseDestroyDnMat(from));
    CUDA(cudaFree(buffer));
    CUDA(cudaFree(dense));
    drop(a);
    return wrong;
}

int
main(void)
{
    const float by_rows[NNZ] = {1, 2, 3, 4, 5, 6, 7, 8};
    const float by_columns[NNZ] = {1, 4, 3, 7, 2, 5, 6, 8};
    cusparseHandle_t handle;
    int wrong = 0;

    SPARSE(cusparseCreate(&handle));
    wrong += convert(handle, "DenseToSparse CSR", CSR, by_rows, NNZ);
    wrong += convert(handle, "DenseToSparse CSC", CSC, by_columns, NNZ);
    wrong += convert(handle, "DenseToSparse COO", COO, by_rows, NNZ);
    wrong +=
        convert(handle, "DenseToSparse Blocked-ELL", BLOCKED_ELL, dense_a[0], N * N);
    SPARSE(cusparseDestroy(handle));
    return wrong ? EXIT_FAILURE : EXIT_SUCCESS;
}
