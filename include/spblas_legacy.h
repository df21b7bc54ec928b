/*
 * spblas_legacy: cuSPARSE's older routines, which take matrices as plain arrays. One
 * function for each routine: X stands for cuSPARSE's letter (S, D, C, Z, H), which is the
 * argument `type`. Names, argument orders and meanings are cuSPARSE 12's otherwise.
 *
 * Rules for every function here, on top of those in spblas.h
 *
 *   Types    `type` is R_32F, R_64F, C_32F, C_64F, R_16F or R_16BF: of all value arrays
 *            and of scalars, except that scalars of 16-bit routines are floats. Another
 *            one is NOT_SUPPORTED.
 *   Indices  32 bits, from the base of the matrix's description. Unless a routine says
 *            otherwise, columns ascend in each row.
 *   Shapes   CSR: ptr[m + 1], ind[nnz], val[nnz]. BSR: the same over blocks of
 *            blockDim x blockDim elements (GEBSR: rowBlockDim x colBlockDim); mb, nb,
 *            nnzb count blocks; val[nnzb * blockDim^2], in a block by rows or by columns
 *            as dir says. Dense matrices lie by columns.
 *   Buffers  *_bufferSizeExt tells the bytes, which may be 0; the caller's buffer of as
 *            many bytes, at an address divisible by 8, is scratch during the call that
 *            takes it, and may be NULL if they are 0.
 *   Errors   INVALID_VALUE a NULL argument that is needed, a negative size, an unknown
 *            enumerator; MATRIX_TYPE_NOT_SUPPORTED a description that is not GENERAL.
 *            Each routine lists only what comes on top.
 *   Memory   ALLOC_FAILED leaves the outputs undefined and every object as before.
 *   GPU      All compute there with arrays in its memory, csrcolor through the host's. Scalars,
 *            numbers of entries and positions may lie on either side. What writes such a
 *            number, or offsets that are counted, waits, and takes memory for as long as it
 *            does where it has no buffer; so does csr2csr_compress. Analyses, zeroPivot and
 *            csrcolor wait, too. An info keeps the GPU's memory of an analysis, or of
 *            csru2csr's order, until it is destroyed or used again; solves, factors and
 *            csr2csru then want arrays of the same GPU (else INVALID_VALUE), take no memory
 *            and do not wait.
 *   Threads  The same call on the same data gives the same bits, at any number of threads.
 */
#ifndef SPBLAS_LEGACY_H
#define SPBLAS_LEGACY_H

#include "spblas.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Descriptions ---------------------------------------------------------------- */

typedef enum {
    SPBLAS_MATRIX_TYPE_GENERAL = 0,
    SPBLAS_MATRIX_TYPE_SYMMETRIC = 1,
    SPBLAS_MATRIX_TYPE_HERMITIAN = 2,
    SPBLAS_MATRIX_TYPE_TRIANGULAR = 3
} spblasMatrixType_t;

/* What cuSPARSE's MatDescr holds. All zero is its state at first. */
typedef struct {
    spblasMatrixType_t type;
    spblasFillMode_t fill; /* triangular solves only */
    spblasDiagType_t diag; /* triangular solves only */
    spblasIndexBase_t base;
} spblasMatDescr_t;

/* ---- State between calls --------------------------------------------------------- */

/* What one call leaves for another: cuSPARSE's csrilu02Info_t, bsrsv2Info_t, ... are all
 * this. It serves one routine at a time. */
typedef struct spblasLegacyInfo *spblasLegacyInfo_t;

/* Writes   *info, NULL on failure; Destroy ends one, NULL is SUCCESS
 * Errors   INVALID_VALUE info NULL, or no info; ALLOC_FAILED
 * Source   cusparseCreate<routine>Info, cusparseDestroy<routine>Info */
SPBLAS_API spblasStatus_t spblasCreateLegacyInfo(spblasLegacyInfo_t *info);
SPBLAS_API spblasStatus_t spblasDestroyLegacyInfo(spblasLegacyInfo_t info);

/* ---- Sums ------------------------------------------------------------------------ */

/*
 * C = alpha * A + beta * B. C's pattern is the union of A's and B's, whatever the values
 * and scalars. First the size of the buffer, then Nnz, which writes C's offsets, then the
 * caller makes ind and val, then the sum.
 *
 * Shapes   A, B, C m x n CSR, each with a base of its own
 * Reads    alpha, beta; A and B, of a matrix whose scalar is 0 only the structure
 * Writes   Nnz: csrRowPtrC and *nnzTotal; the sum: csrColIndC, csrValC
 * Errors   INSUFFICIENT_RESOURCES more than 2^31 - 2 entries in C
 * Source   cusparse<t>csrgeam2 and relatives
 */
SPBLAS_API spblasStatus_t spblasXcsrgeam2_bufferSizeExt(
    spblasHandle_t handle, spblasDataType_t type, int m, int n, const void *alpha,
    const spblasMatDescr_t *descrA, int nnzA, const void *csrValA,
    const int *csrRowPtrA, const int *csrColIndA, const void *beta,
    const spblasMatDescr_t *descrB, int nnzB, const void *csrValB,
    const int *csrRowPtrB, const int *csrColIndB, const spblasMatDescr_t *descrC,
    const void *csrValC, const int *csrRowPtrC, const int *csrColIndC,
    size_t *bufferSize);
SPBLAS_API spblasStatus_t spblasXcsrgeam2Nnz(
    spblasHandle_t handle, int m, int n, const spblasMatDescr_t *descrA, int nnzA,
    const int *csrRowPtrA, const int *csrColIndA, const spblasMatDescr_t *descrB,
    int nnzB, const int *csrRowPtrB, const int *csrColIndB,
    const spblasMatDescr_t *descrC, int *csrRowPtrC, int *nnzTotal, void *buffer);
SPBLAS_API spblasStatus_t spblasXcsrgeam2(
    spblasHandle_t handle, spblasDataType_t type, int m, int n, const void *alpha,
    const spblasMatDescr_t *descrA, int nnzA, const void *csrValA,
    const int *csrRowPtrA, const int *csrColIndA, const void *beta,
    const spblasMatDescr_t *descrB, int nnzB, const void *csrValB,
    const int *csrRowPtrB, const int *csrColIndB, const spblasMatDescr_t *descrC,
    void *csrValC, const int *csrRowPtrC, int *csrColIndC, void *buffer);

/* ---- Dense and sparse by size ---------------------------------------------------- */

typedef enum {
    SPBLAS_DIRECTION_ROW = 0,
    SPBLAS_DIRECTION_COLUMN = 1
} spblasDirection_t;

/*
 * How many elements of a dense matrix are not 0, of each row or each column and in all.
 *
 * Shapes   A m x n by columns, lda >= m; nnzPerRowCol m (ROW) or n (COLUMN)
 * Errors   INSUFFICIENT_RESOURCES more than 2^31 - 1 of them
 * Source   cusparse<t>nnz
 */
SPBLAS_API spblasStatus_t spblasXnnz(spblasHandle_t handle, spblasDataType_t type,
                                     spblasDirection_t dirA, int m, int n,
                                     const spblasMatDescr_t *descrA, const void *A,
                                     int lda, int *nnzPerRowCol, int *nnzTotal);

/*
 * Drops the entries of a CSR whose magnitude is at most tol (NaN stays): first their
 * numbers, then C with A's base. tol must not be negative.
 *
 * Writes   nnzPerRow[m], *nnzC; csrRowPtrC[m + 1], csrColIndC, csrValC
 * Source   cusparse<t>nnz_compress, cusparse<t>csr2csr_compress (tol: its real part)
 */
SPBLAS_API spblasStatus_t spblasXnnz_compress(
    spblasHandle_t handle, spblasDataType_t type, int m, const spblasMatDescr_t *descr,
    const void *csrValA, const int *csrRowPtrA, int *nnzPerRow, int *nnzC, double tol);
SPBLAS_API spblasStatus_t spblasXcsr2csr_compress(
    spblasHandle_t handle, spblasDataType_t type, int m, int n,
    const spblasMatDescr_t *descrA, const void *csrValA, const int *csrColIndA,
    const int *csrRowPtrA, int nnzA, const int *nnzPerRow, void *csrValC,
    int *csrColIndC, int *csrRowPtrC, double tol);

/*
 * A CSR of the elements of a dense or sparse matrix whose magnitude is larger than
 * *threshold, one element of `type` (NaN stays). First the size of the buffer, then Nnz,
 * which writes C's offsets, then C.
 *
 * ByPercentage takes as threshold the magnitude that comes at place
 * ceil(count * percentage / 100) among all, counted from 1 from the smallest; info carries
 * it from Nnz to the call that makes C.
 *
 * Shapes   dense A m x n by columns, lda >= m
 * Errors   INVALID_VALUE percentage outside 0 .. 100, or info without Nnz;
 *          INSUFFICIENT_RESOURCES more entries in C than 32 bits count
 * Source   cusparse<t>pruneDense2csr, pruneCsr2csr and relatives
 */
SPBLAS_API spblasStatus_t spblasXpruneDense2csr_bufferSizeExt(
    spblasHandle_t handle, spblasDataType_t type, int m, int n, const void *A, int lda,
    const void *threshold, const spblasMatDescr_t *descrC, const void *csrValC,
    const int *csrRowPtrC, const int *csrColIndC, size_t *bufferSize);
SPBLAS_API spblasStatus_t spblasXpruneDense2csrNnz(
    spblasHandle_t handle, spblasDataType_t type, int m, int n, const void *A, int lda,
    const void *threshold, const spblasMatDescr_t *descrC, int *csrRowPtrC,
    int *nnzTotal, void *buffer);
SPBLAS_API spblasStatus_t spblasXpruneDense2csr(
    spblasHandle_t handle, spblasDataType_t type, int m, int n, const void *A, int lda,
    const void *threshold, const spblasMatDescr_t *descrC, void *csrValC,
    const int *csrRowPtrC, int *csrColIndC, void *buffer);
SPBLAS_API spblasStatus_t spblasXpruneCsr2csr_bufferSizeExt(
    spblasHandle_t handle, spblasDataType_t type, int m, int n, int nnzA,
    const spblasMatDescr_t *descrA, const void *csrValA, const int *csrRowPtrA,
    const int *csrColIndA, const void *threshold, const spblasMatDescr_t *descrC,
    const void *csrValC, const int *csrRowPtrC, const int *csrColIndC,
    size_t *bufferSize);
SPBLAS_API spblasStatus_t spblasXpruneCsr2csrNnz(
    spblasHandle_t handle, spblasDataType_t type, int m, int n, int nnzA,
    const spblasMatDescr_t *descrA, const void *csrValA, const int *csrRowPtrA,
    const int *csrColIndA, const void *threshold, const spblasMatDescr_t *descrC,
    int *csrRowPtrC, int *nnzTotal, void *buffer);
SPBLAS_API spblasStatus_t spblasXpruneCsr2csr(
    spblasHandle_t handle, spblasDataType_t type, int m, int n, int nnzA,
    const spblasMatDescr_t *descrA, const void *csrValA, const int *csrRowPtrA,
    const int *csrColIndA, const void *threshold, const spblasMatDescr_t *descrC,
    void *csrValC, const int *csrRowPtrC, int *csrColIndC, void *buffer);
SPBLAS_API spblasStatus_t spblasXpruneDense2csrByPercentage_bufferSizeExt(
    spblasHandle_t handle, spblasDataType_t type, int m, int n, const void *A, int lda,
    float percentage, const spblasMatDescr_t *descrC, const void *csrValC,
    const int *csrRowPtrC, const int *csrColIndC, spblasLegacyInfo_t info,
    size_t *bufferSize);
SPBLAS_API spblasStatus_t spblasXpruneDense2csrNnzByPercentage(
    spblasHandle_t handle, spblasDataType_t type, int m, int n, const void *A, int lda,
    float percentage, const spblasMatDescr_t *descrC, int *csrRowPtrC, int *nnzTotal,
    spblasLegacyInfo_t info, void *buffer);
SPBLAS_API spblasStatus_t spblasXpruneDense2csrByPercentage(
    spblasHandle_t handle, spblasDataType_t type, int m, int n, const void *A, int lda,
    float percentage, const spblasMatDescr_t *descrC, void *csrValC,
    const int *csrRowPtrC, int *csrColIndC, spblasLegacyInfo_t info, void *buffer);
SPBLAS_API spblasStatus_t spblasXpruneCsr2csrByPercentage_bufferSizeExt(
    spblasHandle_t handle, spblasDataType_t type, int m, int n, int nnzA,
    const spblasMatDescr_t *descrA, const void *csrValA, const int *csrRowPtrA,
    const int *csrColIndA, float percentage, const spblasMatDescr_t *descrC,
    const void *csrValC, const int *csrRowPtrC, const int *csrColIndC,
    spblasLegacyInfo_t info, size_t *bufferSize);
SPBLAS_API spblasStatus_t spblasXpruneCsr2csrNnzByPercentage(
    spblasHandle_t handle, spblasDataType_t type, int m, int n, int nnzA,
    const spblasMatDescr_t *descrA, const void *csrValA, const int *csrRowPtrA,
    const int *csrColIndA, float percentage, const spblasMatDescr_t *descrC,
    int *csrRowPtrC, int *nnzTotal, spblasLegacyInfo_t info, void *buffer);
SPBLAS_API spblasStatus_t spblasXpruneCsr2csrByPercentage(
    spblasHandle_t handle, spblasDataType_t type, int m, int n, int nnzA,
    const spblasMatDescr_t *descrA, const void *csrValA, const int *csrRowPtrA,
    const int *csrColIndA, float percentage, const spblasMatDescr_t *descrC,
    void *csrValC, const int *csrRowPtrC, int *csrColIndC, spblasLegacyInfo_t info,
    void *buffer);

/* ---- Order of entries ------------------------------------------------------------ */

typedef enum { SPBLAS_ACTION_SYMBOLIC = 0, SPBLAS_ACTION_NUMERIC = 1 } spblasAction_t;
typedef enum { SPBLAS_CSR2CSC_ALG_DEFAULT = 1 } spblasCsr2CscAlg_t;

/*
 * From CSR to CSC, which is also the transpose as CSR. valType is any element type;
 * SYMBOLIC leaves values alone. Rows ascend in each column, equal entries stay in order;
 * columns may come in any order.
 *
 * Shapes   A m x n with base idxBase on both sides
 * Writes   cscColPtr[n + 1], cscRowInd[nnz], cscVal[nnz] (NUMERIC)
 * Source   cusparseCsr2cscEx2
 */
SPBLAS_API spblasStatus_t spblasCsr2cscEx2_bufferSize(
    spblasHandle_t handle, int m, int n, int nnz, const void *csrVal,
    const int *csrRowPtr, const int *csrColInd, void *cscVal, int *cscColPtr,
    int *cscRowInd, spblasDataType_t valType, spblasAction_t copyValues,
    spblasIndexBase_t idxBase, spblasCsr2CscAlg_t alg, size_t *bufferSize);
SPBLAS_API spblasStatus_t spblasCsr2cscEx2(
    spblasHandle_t handle, int m, int n, int nnz, const void *csrVal,
    const int *csrRowPtr, const int *csrColInd, void *cscVal, int *cscColPtr,
    int *cscRowInd, spblasDataType_t valType, spblasAction_t copyValues,
    spblasIndexBase_t idxBase, spblasCsr2CscAlg_t alg, void *buffer);

/*
 * Sorted row indices to offsets, and back; m rows, both of base idxBase.
 *
 * Source   cusparseXcoo2csr, cusparseXcsr2coo
 */
SPBLAS_API spblasStatus_t spblasXcoo2csr(spblasHandle_t handle, const int *cooRowInd,
                                         int nnz, int m, int *csrRowPtr,
                                         spblasIndexBase_t idxBase);
SPBLAS_API spblasStatus_t spblasXcsr2coo(spblasHandle_t handle, const int *csrRowPtr,
                                         int nnz, int m, int *cooRowInd,
                                         spblasIndexBase_t idxBase);

/* p[i] = i. Source: cusparseCreateIdentityPermutation */
SPBLAS_API spblasStatus_t spblasCreateIdentityPermutation(spblasHandle_t handle, int n,
                                                          int *p);

/*
 * Entries into order, in place: of COO by (row, column) or (column, row), of CSR (CSC) by
 * columns (rows) in each row (column). Equal ones keep their order. P, which may be NULL,
 * is moved along: begun as the identity it tells where each entry was. Indices of COO are
 * of base 0 or 1.
 *
 * Source   cusparseXcoosortByRow, ByColumn, cusparseXcsrsort, cusparseXcscsort
 */
SPBLAS_API spblasStatus_t spblasXcoosort_bufferSizeExt(spblasHandle_t handle, int m,
                                                       int n, int nnz,
                                                       const int *cooRowsA,
                                                       const int *cooColsA,
                                                       size_t *bufferSize);
SPBLAS_API spblasStatus_t spblasXcoosortByRow(spblasHandle_t handle, int m, int n,
                                              int nnz, int *cooRowsA, int *cooColsA,
                                              int *P, void *buffer);
SPBLAS_API spblasStatus_t spblasXcoosortByColumn(spblasHandle_t handle, int m, int n,
                                                 int nnz, int *cooRowsA, int *cooColsA,
                                                 int *P, void *buffer);
SPBLAS_API spblasStatus_t spblasXcsrsort_bufferSizeExt(spblasHandle_t handle, int m,
                                                       int n, int nnz,
                                                       const int *csrRowPtrA,
                                                       const int *csrColIndA,
                                                       size_t *bufferSize);
SPBLAS_API spblasStatus_t spblasXcsrsort(spblasHandle_t handle, int m, int n, int nnz,
                                         const spblasMatDescr_t *descrA,
                                         const int *csrRowPtrA, int *csrColIndA, int *P,
                                         void *buffer);
SPBLAS_API spblasStatus_t spblasXcscsort_bufferSizeExt(spblasHandle_t handle, int m,
                                                       int n, int nnz,
                                                       const int *cscColPtrA,
                                                       const int *cscRowIndA,
                                                       size_t *bufferSize);
SPBLAS_API spblasStatus_t spblasXcscsort(spblasHandle_t handle, int m, int n, int nnz,
                                         const spblasMatDescr_t *descrA,
                                         const int *cscColPtrA, int *cscRowIndA, int *P,
                                         void *buffer);

/*
 * Columns and values of an unsorted CSR into order, in place; info keeps where they were,
 * with which csr2csru puts them back.
 *
 * Errors   INVALID_VALUE csr2csru: info holds no order of nnz entries; ALLOC_FAILED
 * Source   cusparse<t>csru2csr, cusparse<t>csr2csru
 */
SPBLAS_API spblasStatus_t spblasXcsru2csr_bufferSizeExt(
    spblasHandle_t handle, spblasDataType_t type, int m, int n, int nnz, void *csrVal,
    const int *csrRowPtr, int *csrColInd, spblasLegacyInfo_t info, size_t *bufferSize);
SPBLAS_API spblasStatus_t spblasXcsru2csr(spblasHandle_t handle, spblasDataType_t type,
                                          int m, int n, int nnz,
                                          const spblasMatDescr_t *descrA, void *csrVal,
                                          const int *csrRowPtr, int *csrColInd,
                                          spblasLegacyInfo_t info, void *buffer);
SPBLAS_API spblasStatus_t spblasXcsr2csru(spblasHandle_t handle, spblasDataType_t type,
                                          int m, int n, int nnz,
                                          const spblasMatDescr_t *descrA, void *csrVal,
                                          const int *csrRowPtr, int *csrColInd,
                                          spblasLegacyInfo_t info, void *buffer);

/* ---- Products -------------------------------------------------------------------- */

/*
 * y = alpha * op(A) * x + beta * y with A in BSR.
 *
 * Shapes   A mb x nb blocks; x and y of the elements of op(A)'s columns and rows
 * Reads    y unless *beta is 0
 * Source   cusparse<t>bsrmv
 */
SPBLAS_API spblasStatus_t spblasXbsrmv(spblasHandle_t handle, spblasDataType_t type,
                                       spblasDirection_t dirA, spblasOperation_t transA,
                                       int mb, int nb, int nnzb, const void *alpha,
                                       const spblasMatDescr_t *descrA,
                                       const void *bsrValA, const int *bsrRowPtrA,
                                       const int *bsrColIndA, int blockDim,
                                       const void *x, const void *beta, void *y);

/*
 * The same for the block rows that a mask lists, each once; the rest of y stays. Block row
 * i lies from bsrRowPtrA[i] to bsrEndPtrA[i]; mask and offsets have A's base.
 *
 * Errors   NOT_SUPPORTED transA not NON_TRANSPOSE
 * Source   cusparse<t>bsrxmv
 */
SPBLAS_API spblasStatus_t spblasXbsrxmv(
    spblasHandle_t handle, spblasDataType_t type, spblasDirection_t dirA,
    spblasOperation_t transA, int sizeOfMask, int mb, int nb, int nnzb,
    const void *alpha, const spblasMatDescr_t *descrA, const void *bsrValA,
    const int *bsrMaskPtrA, const int *bsrRowPtrA, const int *bsrEndPtrA,
    const int *bsrColIndA, int blockDim, const void *x, const void *beta, void *y);

/*
 * C = alpha * op(A) * op(B) + beta * C with A in BSR.
 *
 * Shapes   A mb x kb blocks; op(B) has n columns; B and C by columns, ldb and ldc at least
 *          their rows
 * Source   cusparse<t>bsrmm
 */
SPBLAS_API spblasStatus_t
spblasXbsrmm(spblasHandle_t handle, spblasDataType_t type, spblasDirection_t dirA,
             spblasOperation_t transA, spblasOperation_t transB, int mb, int n, int kb,
             int nnzb, const void *alpha, const spblasMatDescr_t *descrA,
             const void *bsrValA, const int *bsrRowPtrA, const int *bsrColIndA,
             int blockSize, const void *B, int ldb, const void *beta, void *C, int ldc);

/*
 * y = alpha * op(A) * x + beta * y with A dense and x sparse.
 *
 * Shapes   A m x n by columns, lda >= m; x nnz entries of base idxBase
 * Source   cusparse<t>gemvi
 */
SPBLAS_API spblasStatus_t spblasXgemvi_bufferSize(spblasHandle_t handle,
                                                  spblasDataType_t type,
                                                  spblasOperation_t transA, int m,
                                                  int n, int nnz, int *bufferSize);
SPBLAS_API spblasStatus_t spblasXgemvi(spblasHandle_t handle, spblasDataType_t type,
                                       spblasOperation_t transA, int m, int n,
                                       const void *alpha, const void *A, int lda,
                                       int nnz, const void *xVal, const int *xInd,
                                       const void *beta, void *y,
                                       spblasIndexBase_t idxBase, void *buffer);

/* ---- Triangular solves ----------------------------------------------------------- */

/* USE_LEVEL asks of a solve that its analysis said so too; no more. */
typedef enum {
    SPBLAS_SOLVE_POLICY_NO_LEVEL = 0,
    SPBLAS_SOLVE_POLICY_USE_LEVEL = 1
} spblasSolvePolicy_t;

/*
 * op(A) * x = alpha * f and op(A) * op(X) = alpha * op(B), A a triangle in BSR as fill and
 * diag of its description say: of the blocks on the diagonal only that half counts.
 * First the size of the buffer, then the analysis of the structure, then any number of
 * solves, each with the values of its call. x may be f, and X B (ldx = ldb).
 *
 * zeroPivot: after an analysis the first block row without a block on the diagonal, after
 * a solve also one with a 0 on the diagonal of that block, as ZERO_PIVOT and its index in
 * A's base; else SUCCESS and -1. Never with diag UNIT.
 *
 * Shapes   A mb x mb blocks; X and B mb * blockSize x n by columns, or transposed
 * Types    16-bit ones are NOT_SUPPORTED
 * Errors   INVALID_VALUE a solve whose info has no analysis of these arguments;
 *          NOT_SUPPORTED transXY CONJUGATE_TRANSPOSE; ALLOC_FAILED
 * Source   cusparse<t>bsrsv2_*, cusparse<t>bsrsm2_*
 */
SPBLAS_API spblasStatus_t spblasXbsrsv2_bufferSize(
    spblasHandle_t handle, spblasDataType_t type, spblasDirection_t dirA,
    spblasOperation_t transA, int mb, int nnzb, const spblasMatDescr_t *descrA,
    void *bsrValA, const int *bsrRowPtrA, const int *bsrColIndA, int blockDim,
    spblasLegacyInfo_t info, int *bufferSize);
SPBLAS_API spblasStatus_t spblasXbsrsv2_analysis(
    spblasHandle_t handle, spblasDataType_t type, spblasDirection_t dirA,
    spblasOperation_t transA, int mb, int nnzb, const spblasMatDescr_t *descrA,
    const void *bsrValA, const int *bsrRowPtrA, const int *bsrColIndA, int blockDim,
    spblasLegacyInfo_t info, spblasSolvePolicy_t policy, void *buffer);
SPBLAS_API spblasStatus_t spblasXbsrsv2_solve(
    spblasHandle_t handle, spblasDataType_t type, spblasDirection_t dirA,
    spblasOperation_t transA, int mb, int nnzb, const void *alpha,
    const spblasMatDescr_t *descrA, const void *bsrValA, const int *bsrRowPtrA,
    const int *bsrColIndA, int blockDim, spblasLegacyInfo_t info, const void *f,
    void *x, spblasSolvePolicy_t policy, void *buffer);
SPBLAS_API spblasStatus_t spblasXbsrsv2_zeroPivot(spblasHandle_t handle,
                                                  spblasLegacyInfo_t info,
                                                  int *position);
SPBLAS_API spblasStatus_t spblasXbsrsm2_bufferSize(
    spblasHandle_t handle, spblasDataType_t type, spblasDirection_t dirA,
    spblasOperation_t transA, spblasOperation_t transXY, int mb, int n, int nnzb,
    const spblasMatDescr_t *descrA, void *bsrVal, const int *bsrRowPtr,
    const int *bsrColInd, int blockSize, spblasLegacyInfo_t info, int *bufferSize);
SPBLAS_API spblasStatus_t spblasXbsrsm2_analysis(
    spblasHandle_t handle, spblasDataType_t type, spblasDirection_t dirA,
    spblasOperation_t transA, spblasOperation_t transXY, int mb, int n, int nnzb,
    const spblasMatDescr_t *descrA, const void *bsrVal, const int *bsrRowPtr,
    const int *bsrColInd, int blockSize, spblasLegacyInfo_t info,
    spblasSolvePolicy_t policy, void *buffer);
SPBLAS_API spblasStatus_t spblasXbsrsm2_solve(
    spblasHandle_t handle, spblasDataType_t type, spblasDirection_t dirA,
    spblasOperation_t transA, spblasOperation_t transXY, int mb, int n, int nnzb,
    const void *alpha, const spblasMatDescr_t *descrA, const void *bsrVal,
    const int *bsrRowPtr, const int *bsrColInd, int blockSize, spblasLegacyInfo_t info,
    const void *B, int ldb, void *X, int ldx, spblasSolvePolicy_t policy, void *buffer);
SPBLAS_API spblasStatus_t spblasXbsrsm2_zeroPivot(spblasHandle_t handle,
                                                  spblasLegacyInfo_t info,
                                                  int *position);

/* ---- Tridiagonal and pentadiagonal systems --------------------------------------- */

/*
 * Solves A * X = B in place, by elimination with row exchanges in every routine, those
 * named nopivot as well. A singular A gives infinities or NaN.
 *
 *   gtsv2          one A of three diagonals, n right sides by columns, ldb >= m
 *   StridedBatch   batchCount systems, element i of the k-th at k * batchStride + i
 *   Interleaved    element i of the k-th at i * batchCount + k; algo 0, 1 or 2 (gpsv: 0)
 *                  is one algorithm, and the diagonals stay as they are
 *   gpsv           five diagonals
 *
 * Shapes   m equations; each diagonal has m elements, of which those outside A are not
 *          read: element i of dl (ds) is left of d's by one (two), of du (dw) right of it
 * Types    16-bit ones are NOT_SUPPORTED
 * Errors   INSUFFICIENT_RESOURCES a buffer that an address cannot hold
 * Source   cusparse<t>gtsv2 and relatives, cusparse<t>gpsvInterleavedBatch
 */
SPBLAS_API spblasStatus_t spblasXgtsv2_bufferSizeExt(
    spblasHandle_t handle, spblasDataType_t type, int m, int n, const void *dl,
    const void *d, const void *du, const void *B, int ldb, size_t *bufferSize);
SPBLAS_API spblasStatus_t spblasXgtsv2(spblasHandle_t handle, spblasDataType_t type,
                                       int m, int n, const void *dl, const void *d,
                                       const void *du, void *B, int ldb, void *buffer);
SPBLAS_API spblasStatus_t spblasXgtsv2_nopivot_bufferSizeExt(
    spblasHandle_t handle, spblasDataType_t type, int m, int n, const void *dl,
    const void *d, const void *du, const void *B, int ldb, size_t *bufferSize);
SPBLAS_API spblasStatus_t spblasXgtsv2_nopivot(spblasHandle_t handle,
                                               spblasDataType_t type, int m, int n,
                                               const void *dl, const void *d,
                                               const void *du, void *B, int ldb,
                                               void *buffer);
SPBLAS_API spblasStatus_t spblasXgtsv2StridedBatch_bufferSizeExt(
    spblasHandle_t handle, spblasDataType_t type, int m, const void *dl, const void *d,
    const void *du, const void *x, int batchCount, int batchStride, size_t *bufferSize);
SPBLAS_API spblasStatus_t spblasXgtsv2StridedBatch(
    spblasHandle_t handle, spblasDataType_t type, int m, const void *dl, const void *d,
    const void *du, void *x, int batchCount, int batchStride, void *buffer);
SPBLAS_API spblasStatus_t spblasXgtsvInterleavedBatch_bufferSizeExt(
    spblasHandle_t handle, spblasDataType_t type, int algo, int m, const void *dl,
    const void *d, const void *du, const void *x, int batchCount, size_t *bufferSize);
SPBLAS_API spblasStatus_t spblasXgtsvInterleavedBatch(spblasHandle_t handle,
                                                      spblasDataType_t type, int algo,
                                                      int m, void *dl, void *d,
                                                      void *du, void *x, int batchCount,
                                                      void *buffer);
SPBLAS_API spblasStatus_t spblasXgpsvInterleavedBatch_bufferSizeExt(
    spblasHandle_t handle, spblasDataType_t type, int algo, int m, const void *ds,
    const void *dl, const void *d, const void *du, const void *dw, const void *x,
    int batchCount, size_t *bufferSize);
SPBLAS_API spblasStatus_t spblasXgpsvInterleavedBatch(
    spblasHandle_t handle, spblasDataType_t type, int algo, int m, void *ds, void *dl,
    void *d, void *du, void *dw, void *x, int batchCount, void *buffer);

/* ---- Incomplete factors ---------------------------------------------------------- */

/*
 * A = L * U and A = L * L^H in the pattern of A, in place. ilu02: L's diagonal of ones is
 * not stored. ic02: L takes the lower triangle, the upper one is neither read nor written,
 * nor are imaginary parts on the diagonal read. Of BSR, blocks keep all their elements:
 * the factors are those of the matrix of elements. First the size of the buffer, then the
 * analysis of the structure, then any number of factors, each of the values of its call.
 *
 * numericBoost: pivots of magnitude at most *tol become *boost_val (enable_boost not 0);
 * both are read at that call. zeroPivot: after an analysis the first row (block row) that
 * has no diagonal, after a factor also one whose pivot is 0, or for ic02 not positive, as
 * ZERO_PIVOT and its index in A's base; else SUCCESS and -1.
 *
 * Shapes   A m x m, or mb x mb blocks
 * Types    16-bit ones are NOT_SUPPORTED
 * Errors   INVALID_VALUE a factor whose info has no analysis of these arguments;
 *          INSUFFICIENT_RESOURCES rows or elements that cannot be counted
 * Source   cusparse<t>csrilu02 and csric02, bsrilu02, bsric02 with relatives
 */
SPBLAS_API spblasStatus_t spblasXcsrilu02_numericBoost(spblasHandle_t handle,
                                                       spblasDataType_t type,
                                                       spblasLegacyInfo_t info,
                                                       int enable_boost, double *tol,
                                                       void *boost_val);
SPBLAS_API spblasStatus_t spblasXcsrilu02_bufferSize(
    spblasHandle_t handle, spblasDataType_t type, int m, int nnz,
    const spblasMatDescr_t *descrA, void *csrVal, const int *csrRowPtr,
    const int *csrColInd, spblasLegacyInfo_t info, int *bufferSize);
SPBLAS_API spblasStatus_t spblasXcsrilu02_analysis(
    spblasHandle_t handle, spblasDataType_t type, int m, int nnz,
    const spblasMatDescr_t *descrA, const void *csrVal, const int *csrRowPtr,
    const int *csrColInd, spblasLegacyInfo_t info, spblasSolvePolicy_t policy,
    void *buffer);
SPBLAS_API spblasStatus_t spblasXcsrilu02(spblasHandle_t handle, spblasDataType_t type,
                                          int m, int nnz,
                                          const spblasMatDescr_t *descrA, void *csrVal,
                                          const int *csrRowPtr, const int *csrColInd,
                                          spblasLegacyInfo_t info,
                                          spblasSolvePolicy_t policy, void *buffer);
SPBLAS_API spblasStatus_t spblasXcsrilu02_zeroPivot(spblasHandle_t handle,
                                                    spblasLegacyInfo_t info,
                                                    int *position);
SPBLAS_API spblasStatus_t spblasXbsrilu02_numericBoost(spblasHandle_t handle,
                                                       spblasDataType_t type,
                                                       spblasLegacyInfo_t info,
                                                       int enable_boost, double *tol,
                                                       void *boost_val);
SPBLAS_API spblasStatus_t spblasXbsrilu02_bufferSize(
    spblasHandle_t handle, spblasDataType_t type, spblasDirection_t dirA, int mb,
    int nnzb, const spblasMatDescr_t *descrA, void *bsrVal, const int *bsrRowPtr,
    const int *bsrColInd, int blockDim, spblasLegacyInfo_t info, int *bufferSize);
SPBLAS_API spblasStatus_t spblasXbsrilu02_analysis(
    spblasHandle_t handle, spblasDataType_t type, spblasDirection_t dirA, int mb,
    int nnzb, const spblasMatDescr_t *descrA, const void *bsrVal, const int *bsrRowPtr,
    const int *bsrColInd, int blockDim, spblasLegacyInfo_t info,
    spblasSolvePolicy_t policy, void *buffer);
SPBLAS_API spblasStatus_t spblasXbsrilu02(spblasHandle_t handle, spblasDataType_t type,
                                          spblasDirection_t dirA, int mb, int nnzb,
                                          const spblasMatDescr_t *descrA, void *bsrVal,
                                          const int *bsrRowPtr, const int *bsrColInd,
                                          int blockDim, spblasLegacyInfo_t info,
                                          spblasSolvePolicy_t policy, void *buffer);
SPBLAS_API spblasStatus_t spblasXbsrilu02_zeroPivot(spblasHandle_t handle,
                                                    spblasLegacyInfo_t info,
                                                    int *position);
SPBLAS_API spblasStatus_t spblasXcsric02_bufferSize(
    spblasHandle_t handle, spblasDataType_t type, int m, int nnz,
    const spblasMatDescr_t *descrA, void *csrVal, const int *csrRowPtr,
    const int *csrColInd, spblasLegacyInfo_t info, int *bufferSize);
SPBLAS_API spblasStatus_t spblasXcsric02_analysis(
    spblasHandle_t handle, spblasDataType_t type, int m, int nnz,
    const spblasMatDescr_t *descrA, const void *csrVal, const int *csrRowPtr,
    const int *csrColInd, spblasLegacyInfo_t info, spblasSolvePolicy_t policy,
    void *buffer);
SPBLAS_API spblasStatus_t spblasXcsric02(spblasHandle_t handle, spblasDataType_t type,
                                         int m, int nnz, const spblasMatDescr_t *descrA,
                                         void *csrVal, const int *csrRowPtr,
                                         const int *csrColInd, spblasLegacyInfo_t info,
                                         spblasSolvePolicy_t policy, void *buffer);
SPBLAS_API spblasStatus_t spblasXcsric02_zeroPivot(spblasHandle_t handle,
                                                   spblasLegacyInfo_t info,
                                                   int *position);
SPBLAS_API spblasStatus_t spblasXbsric02_bufferSize(
    spblasHandle_t handle, spblasDataType_t type, spblasDirection_t dirA, int mb,
    int nnzb, const spblasMatDescr_t *descrA, void *bsrVal, const int *bsrRowPtr,
    const int *bsrColInd, int blockDim, spblasLegacyInfo_t info, int *bufferSize);
SPBLAS_API spblasStatus_t spblasXbsric02_analysis(
    spblasHandle_t handle, spblasDataType_t type, spblasDirection_t dirA, int mb,
    int nnzb, const spblasMatDescr_t *descrA, const void *bsrVal, const int *bsrRowPtr,
    const int *bsrColInd, int blockDim, spblasLegacyInfo_t info,
    spblasSolvePolicy_t policy, void *buffer);
SPBLAS_API spblasStatus_t spblasXbsric02(spblasHandle_t handle, spblasDataType_t type,
                                         spblasDirection_t dirA, int mb, int nnzb,
                                         const spblasMatDescr_t *descrA, void *bsrVal,
                                         const int *bsrRowPtr, const int *bsrColInd,
                                         int blockDim, spblasLegacyInfo_t info,
                                         spblasSolvePolicy_t policy, void *buffer);
SPBLAS_API spblasStatus_t spblasXbsric02_zeroPivot(spblasHandle_t handle,
                                                   spblasLegacyInfo_t info,
                                                   int *position);

/* ---- Blocks ---------------------------------------------------------------------- */

/*
 * From CSR to blocks, back, and from blocks to others. Every stored element, zeros too,
 * keeps its place; a block that holds one is stored, its other elements 0. Nnz writes C's
 * offsets, with which the caller calls for C; those to CSR write the offsets themselves.
 *
 * Shapes   CSR m x n; blocks of C cover it, those at the end beyond it; of blocks to
 *          others m = mb * rowBlockDimA, n = nb * colBlockDimA
 * Errors   INSUFFICIENT_RESOURCES rows or blocks that 32 bits do not count; ALLOC_FAILED
 * Source   cusparse<t>csr2bsr, bsr2csr, csr2gebsr, gebsr2csr, gebsr2gebsr with relatives
 */
SPBLAS_API spblasStatus_t spblasXcsr2bsrNnz(
    spblasHandle_t handle, spblasDirection_t dirA, int m, int n,
    const spblasMatDescr_t *descrA, const int *csrRowPtrA, const int *csrColIndA,
    int blockDim, const spblasMatDescr_t *descrC, int *bsrRowPtrC, int *nnzTotal);
SPBLAS_API spblasStatus_t spblasXcsr2bsr(spblasHandle_t handle, spblasDataType_t type,
                                         spblasDirection_t dirA, int m, int n,
                                         const spblasMatDescr_t *descrA,
                                         const void *csrValA, const int *csrRowPtrA,
                                         const int *csrColIndA, int blockDim,
                                         const spblasMatDescr_t *descrC, void *bsrValC,
                                         const int *bsrRowPtrC, int *bsrColIndC);
SPBLAS_API spblasStatus_t spblasXbsr2csr(spblasHandle_t handle, spblasDataType_t type,
                                         spblasDirection_t dirA, int mb, int nb,
                                         const spblasMatDescr_t *descrA,
                                         const void *bsrValA, const int *bsrRowPtrA,
                                         const int *bsrColIndA, int blockDim,
                                         const spblasMatDescr_t *descrC, void *csrValC,
                                         int *csrRowPtrC, int *csrColIndC);
SPBLAS_API spblasStatus_t spblasXgebsr2csr(
    spblasHandle_t handle, spblasDataType_t type, spblasDirection_t dirA, int mb,
    int nb, const spblasMatDescr_t *descrA, const void *bsrValA, const int *bsrRowPtrA,
    const int *bsrColIndA, int rowBlockDim, int colBlockDim,
    const spblasMatDescr_t *descrC, void *csrValC, int *csrRowPtrC, int *csrColIndC);
SPBLAS_API spblasStatus_t spblasXcsr2gebsr_bufferSize(
    spblasHandle_t handle, spblasDataType_t type, spblasDirection_t dirA, int m, int n,
    const spblasMatDescr_t *descrA, const void *csrValA, const int *csrRowPtrA,
    const int *csrColIndA, int rowBlockDim, int colBlockDim, int *bufferSize);
SPBLAS_API spblasStatus_t spblasXcsr2gebsrNnz(
    spblasHandle_t handle, spblasDirection_t dirA, int m, int n,
    const spblasMatDescr_t *descrA, const int *csrRowPtrA, const int *csrColIndA,
    const spblasMatDescr_t *descrC, int *bsrRowPtrC, int rowBlockDim, int colBlockDim,
    int *nnzTotal, void *buffer);
SPBLAS_API spblasStatus_t
spblasXcsr2gebsr(spblasHandle_t handle, spblasDataType_t type, spblasDirection_t dirA,
                 int m, int n, const spblasMatDescr_t *descrA, const void *csrValA,
                 const int *csrRowPtrA, const int *csrColIndA,
                 const spblasMatDescr_t *descrC, void *bsrValC, const int *bsrRowPtrC,
                 int *bsrColIndC, int rowBlockDim, int colBlockDim, void *buffer);
SPBLAS_API spblasStatus_t spblasXgebsr2gebsr_bufferSize(
    spblasHandle_t handle, spblasDataType_t type, spblasDirection_t dirA, int mb,
    int nb, int nnzb, const spblasMatDescr_t *descrA, const void *bsrValA,
    const int *bsrRowPtrA, const int *bsrColIndA, int rowBlockDimA, int colBlockDimA,
    int rowBlockDimC, int colBlockDimC, int *bufferSize);
SPBLAS_API spblasStatus_t spblasXgebsr2gebsrNnz(
    spblasHandle_t handle, spblasDirection_t dirA, int mb, int nb, int nnzb,
    const spblasMatDescr_t *descrA, const int *bsrRowPtrA, const int *bsrColIndA,
    int rowBlockDimA, int colBlockDimA, const spblasMatDescr_t *descrC, int *bsrRowPtrC,
    int rowBlockDimC, int colBlockDimC, int *nnzTotal, void *buffer);
SPBLAS_API spblasStatus_t spblasXgebsr2gebsr(
    spblasHandle_t handle, spblasDataType_t type, spblasDirection_t dirA, int mb,
    int nb, int nnzb, const spblasMatDescr_t *descrA, const void *bsrValA,
    const int *bsrRowPtrA, const int *bsrColIndA, int rowBlockDimA, int colBlockDimA,
    const spblasMatDescr_t *descrC, void *bsrValC, const int *bsrRowPtrC,
    int *bsrColIndC, int rowBlockDimC, int colBlockDimC, void *buffer);

/*
 * From rows to columns of blocks, which move as they are.
 *
 * Writes   bscColPtr[nb + 1], bscRowInd[nnzb], bscVal (NUMERIC)
 * Source   cusparse<t>gebsr2gebsc
 */
SPBLAS_API spblasStatus_t spblasXgebsr2gebsc_bufferSize(
    spblasHandle_t handle, spblasDataType_t type, int mb, int nb, int nnzb,
    const void *bsrVal, const int *bsrRowPtr, const int *bsrColInd, int rowBlockDim,
    int colBlockDim, int *bufferSize);
SPBLAS_API spblasStatus_t spblasXgebsr2gebsc(
    spblasHandle_t handle, spblasDataType_t type, int mb, int nb, int nnzb,
    const void *bsrVal, const int *bsrRowPtr, const int *bsrColInd, int rowBlockDim,
    int colBlockDim, void *bscVal, int *bscRowInd, int *bscColPtr,
    spblasAction_t copyValues, spblasIndexBase_t idxBase, void *buffer);

/* ---- Colours --------------------------------------------------------------------- */

/*
 * Colours the rows of a CSR of symmetric pattern so that neighbours differ, each row with
 * the lowest colour that those above it leave free. The lowest colours that together have
 * the fraction of all rows stay; each row beyond them gets a colour of its own, in order.
 *
 * Reads    fractionToColor, a float or double as type's parts are; the structure
 * Writes   *ncolors, coloring[m]; reordering[m] (NULL: not wanted): rows in the order of
 *          their colours
 * Errors   INVALID_VALUE a fraction outside 0 .. 1; ALLOC_FAILED
 * Source   cusparse<t>csrcolor
 */
SPBLAS_API spblasStatus_t spblasXcsrcolor(
    spblasHandle_t handle, spblasDataType_t type, int m, int nnz,
    const spblasMatDescr_t *descrA, const void *csrValA, const int *csrRowPtrA,
    const int *csrColIndA, const void *fractionToColor, int *ncolors, int *coloring,
    int *reordering, spblasLegacyInfo_t info);

#ifdef __cplusplus
}
#endif

#endif
