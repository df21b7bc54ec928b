/* SparseToDense and DenseToSparse. */
#include "numeric.h"

static const cudaDataType types[] = {CUDA_R_8I,  CUDA_R_16F, CUDA_R_16BF,
                                     CUDA_R_32F, CUDA_R_64F, CUDA_C_32F,
                                     CUDA_C_64F, CUDA_C_16F, CUDA_C_16BF};

static void
to_dense(cudaDataType type, format kind, cusparseOrder_t order)
{
    const cusparseSparseToDenseAlg_t alg = CUSPARSE_SPARSETODENSE_ALG_DEFAULT;
    const matrix a = draw_matrix(type, 6, 8, 40), zero = {.m = 6, .n = 8};
    sparse s =
        sparse_of(&a, kind, type, below(2) ? CUSPARSE_INDEX_32I : CUSPARSE_INDEX_64I,
                  (cusparseIndexBase_t)below(2));
    dense d = dense_of(&zero, type, order);
    size_t size = 0;

    if (worked("SparseToDense_bufferSize", cusparseSparseToDense_bufferSize(
                                               handle, s.descr, d.descr, alg, &size)) &&
        worked("SparseToDense", cusparseSparseToDense(handle, s.descr, d.descr, alg,
                                                      memory_new(NULL, size + 1)))) {
        const matrix got = dense_read(&d, 6, 8, type);

        verdict("SparseToDense", same(&got, &a), "type %d format %d order %d",
                (int)type, (int)kind, (int)order);
    }
    (void)cusparseDestroyDnMat(d.descr);
    (void)cusparseDestroySpMat(s.descr);
    memory_reset();
}

/* The way back is checked by going forth again. */
static void
to_sparse(cudaDataType type, format kind, cusparseOrder_t order)
{
    const cusparseDenseToSparseAlg_t alg = CUSPARSE_DENSETOSPARSE_ALG_DEFAULT;
    const cusparseIndexType_t it = CUSPARSE_INDEX_32I;
    const cusparseIndexBase_t base = (cusparseIndexBase_t)below(2);
    const matrix a = draw_matrix(type, 6, 8, 40), zero = {.m = 6, .n = 8};
    dense d = dense_of(&a, type, order), back = dense_of(&zero, type, order);
    cusparseSpMatDescr_t s = NULL;
    int64_t m, n, nnz = 0, stored = 0;
    void *const p = memory_new(NULL, (SIDE + 1) * 4);
    void *const q = memory_new(NULL, SIDE * SIDE * 4);
    void *const r = memory_new(NULL, SIDE * SIDE * 4);
    void *const v = memory_new(NULL, SIDE * SIDE * 16);
    void *buffer;
    size_t size = 0;
    bool ok;

    for (int i = 0; i < 6; i++) {
        for (int j = 0; j < 8; j++)
            stored += a.in[i][j];
    }
    if (kind == CSR)
        (void)cusparseCreateCsr(&s, 6, 8, 0, p, NULL, NULL, it, it, base, type);
    else if (kind == CSC)
        (void)cusparseCreateCsc(&s, 6, 8, 0, p, NULL, NULL, it, it, base, type);
    else
        (void)cusparseCreateCoo(&s, 6, 8, 0, NULL, NULL, NULL, it, base, type);
    ok = worked("DenseToSparse_bufferSize",
                cusparseDenseToSparse_bufferSize(handle, d.descr, s, alg, &size));
    buffer = memory_new(NULL, size + 1);
    ok = ok && worked("DenseToSparse_analysis",
                      cusparseDenseToSparse_analysis(handle, d.descr, s, alg, buffer));
    ok = ok && worked("SpMatGetSize", cusparseSpMatGetSize(s, &m, &n, &nnz));
    verdict("DenseToSparse_analysis", !ok || nnz == stored, "type %d format %d",
            (int)type, (int)kind);
    if (kind == CSR)
        (void)cusparseCsrSetPointers(s, p, q, v);
    else if (kind == CSC)
        (void)cusparseCscSetPointers(s, p, q, v);
    else
        (void)cusparseCooSetPointers(s, r, q, v);
    ok = ok && worked("DenseToSparse_convert",
                      cusparseDenseToSparse_convert(handle, d.descr, s, alg, buffer));
    ok = ok && worked("SparseToDense",
                      cusparseSparseToDense(handle, s, back.descr,
                                            CUSPARSE_SPARSETODENSE_ALG_DEFAULT,
                                            memory_new(NULL, 4096)));
    if (ok) {
        const matrix got = dense_read(&back, 6, 8, type);

        verdict("DenseToSparse", same(&got, &a), "type %d format %d order %d",
                (int)type, (int)kind, (int)order);
    }
    (void)cusparseDestroyDnMat(d.descr);
    (void)cusparseDestroyDnMat(back.descr);
    (void)cusparseDestroySpMat(s);
    memory_reset();
}

void
numeric_conversions(void)
{
    for (int t = 0; t < (int)(sizeof types / sizeof *types); t++) {
        for (int k = 0; k < 6; k++) {
            const cusparseOrder_t order =
                k % 2 ? CUSPARSE_ORDER_ROW : CUSPARSE_ORDER_COL;

            if (case_begin("conversions of type %d, %d", (int)types[t], k)) {
                to_dense(types[t], (format)(k / 2), order);
                to_sparse(types[t], (format)(k / 2), order);
            }
        }
    }
}
