/*
 * spblas_legacy: cuSPARSE's older routines, which take matrices as plain arrays. One
 * function for each routine; cuSPARSE's letter (S, D, C, Z, H) is the argument `type`.
 * Argument order and meaning are cuSPARSE 12's otherwise.
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
SPBLAS_API spblasStatus_t spblasCsrgeam2_bufferSizeExt(
    spblasHandle_t handle, spblasDataType_t type, int m, int n, const void *alpha,
    const spblasMatDescr_t *descrA, int nnzA, const void *csrValA,
    const int *csrRowPtrA, const int *csrColIndA, const void *beta,
    const spblasMatDescr_t *descrB, int nnzB, const void *csrValB,
    const int *csrRowPtrB, const int *csrColIndB, const spblasMatDescr_t *descrC,
    const void *csrValC, const int *csrRowPtrC, const int *csrColIndC,
    size_t *bufferSize);
SPBLAS_API spblasStatus_t spblasCsrgeam2Nnz(
    spblasHandle_t handle, int m, int n, const spblasMatDescr_t *descrA, int nnzA,
    const int *csrRowPtrA, const int *csrColIndA, const spblasMatDescr_t *descrB,
    int nnzB, const int *csrRowPtrB, const int *csrColIndB,
    const spblasMatDescr_t *descrC, int *csrRowPtrC, int *nnzTotal, void *buffer);
SPBLAS_API spblasStatus_t spblasCsrgeam2(
    spblasHandle_t handle, spblasDataType_t type, int m, int n, const void *alpha,
    const spblasMatDescr_t *descrA, int nnzA, const void *csrValA,
    const int *csrRowPtrA, const int *csrColIndA, const void *beta,
    const spblasMatDescr_t *descrB, int nnzB, const void *csrValB,
    const int *csrRowPtrB, const int *csrColIndB, const spblasMatDescr_t *descrC,
    void *csrValC, const int *csrRowPtrC, int *csrColIndC, void *buffer);

#ifdef __cplusplus
}
#endif

#endif
