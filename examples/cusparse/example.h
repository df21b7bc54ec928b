/*
 * What the examples share: checks, copies to and from the device, and one small matrix in
 * every format of cuSPARSE:
 *
 *         1 . 2 .
 *     A = . 3 . .     B = the numbers 1, 2, 3, ... by rows, with three columns
 *         4 . 5 6
 *         . 7 . 8
 *
 * All numbers are small integers, so every result is exact and is compared with ==.
 */
#ifndef EXAMPLE_H
#define EXAMPLE_H

/* Axpby, Rot and SpVV are to go some day. */
#define DISABLE_CUSPARSE_DEPRECATED

#include <cuda_runtime_api.h>
#include <cusparse.h>

#include <stdio.h>
#include <stdlib.h>

enum { N = 4, NNZ = 8, COLS = 3 };

#define CUDA(call)                                                              \
    do {                                                                        \
        const cudaError_t error_ = (call);                                      \
        if (error_ != cudaSuccess) {                                            \
            (void)fprintf(stderr, "%s:%d: %s: %s\n", __FILE__, __LINE__, #call, \
                          cudaGetErrorString(error_));                          \
            exit(EXIT_FAILURE);                                                 \
        }                                                                       \
    } while (0)

#define SPARSE(call)                                                            \
    do {                                                                        \
        const cusparseStatus_t status_ = (call);                                \
        if (status_ != CUSPARSE_STATUS_SUCCESS) {                               \
            (void)fprintf(stderr, "%s:%d: %s: %s\n", __FILE__, __LINE__, #call, \
                          cusparseGetErrorString(status_));                     \
            exit(EXIT_FAILURE);                                                 \
        }                                                                       \
    } while (0)

/* Device memory with a copy of `size` bytes; with zeros where there is no source. */
static inline void *
to_device(const void *host, size_t size)
{
    void *device = NULL;

    CUDA(cudaMalloc(&device, size));
    if (host)
        CUDA(cudaMemcpy(device, host, size, cudaMemcpyHostToDevice));
    else
        CUDA(cudaMemset(device, 0, size));
    return device;
}
#define DEVICE(array) to_device(array, sizeof(array))

/* Counts differences between n floats on the device and what they should be. */
static inline int
differences(const char *what, const void *device, const float *wanted, int n)
{
    float got[64];
    int wrong = 0;

    CUDA(cudaMemcpy(got, device, (size_t)n * sizeof *got, cudaMemcpyDeviceToHost));
    for (int i = 0; i < n; i++)
        wrong += got[i] != wanted[i];
    (void)printf("%s: %s\n", what, wrong ? "FAILED" : "passed");
    return wrong;
}

/* The same for n ints. */
static inline int
int_differences(const char *what, const void *device, const int *wanted, int n)
{
    int got[64];
    int wrong = 0;

    CUDA(cudaMemcpy(got, device, (size_t)n * sizeof *got, cudaMemcpyDeviceToHost));
    for (int i = 0; i < n; i++)
        wrong += got[i] != wanted[i];
    (void)printf("%s: %s\n", what, wrong ? "FAILED" : "passed");
    return wrong;
}

/* ---- A and B ------------------------------------------------------------------------ */

static const float dense_a[N][N] = {
    {1, 0, 2, 0}, {0, 3, 0, 0}, {4, 0, 5, 6}, {0, 7, 0, 8}};
static const float dense_b[N][COLS] = {{1, 2, 3}, {4, 5, 6}, {7, 8, 9}, {10, 11, 12}};

/* C = alpha A B + beta C, all by rows. */
static inline void
multiply(float alpha, const float *b, float beta, float *c, int columns)
{
    for (int i = 0; i < N; i++) {
        for (int j = 0; j < columns; j++) {
            float sum = 0;

            for (int k = 0; k < N; k++)
                sum += dense_a[i][k] * b[k * columns + j];
            c[i * columns + j] = alpha * sum + beta * c[i * columns + j];
        }
    }
}

/* A on the device: up to three arrays and a descriptor of them. */
typedef struct {
    void *first, *second, *values;
    cusparseSpMatDescr_t descr;
} matrix;

static inline matrix
make_csr(void)
{
    const int offsets[] = {0, 2, 3, 6, 8};
    const int columns[] = {0, 2, 1, 0, 2, 3, 1, 3};
    const float values[] = {1, 2, 3, 4, 5, 6, 7, 8};
    matrix m = {DEVICE(offsets), DEVICE(columns), DEVICE(values), NULL};

    SPARSE(cusparseCreateCsr(&m.descr, N, N, NNZ, m.first, m.second, m.values,
                             CUSPARSE_INDEX_32I, CUSPARSE_INDEX_32I,
                             CUSPARSE_INDEX_BASE_ZERO, CUDA_R_32F));
    return m;
}

static inline matrix
make_csc(void)
{
    const int offsets[] = {0, 2, 4, 6, 8};
    const int rows[] = {0, 2, 1, 3, 0, 2, 2, 3};
    const float values[] = {1, 4, 3, 7, 2, 5, 6, 8};
    matrix m = {DEVICE(offsets), DEVICE(rows), DEVICE(values), NULL};

    SPARSE(cusparseCreateCsc(&m.descr, N, N, NNZ, m.first, m.second, m.values,
                             CUSPARSE_INDEX_32I, CUSPARSE_INDEX_32I,
                             CUSPARSE_INDEX_BASE_ZERO, CUDA_R_32F));
    return m;
}

/* Indices from 1 and of 64 bits, for a change. */
static inline matrix
make_coo(void)
{
    const int64_t rows[] = {1, 1, 2, 3, 3, 3, 4, 4};
    const int64_t columns[] = {1, 3, 2, 1, 3, 4, 2, 4};
    const float values[] = {1, 2, 3, 4, 5, 6, 7, 8};
    matrix m = {DEVICE(rows), DEVICE(columns), DEVICE(values), NULL};

    SPARSE(cusparseCreateCoo(&m.descr, N, N, NNZ, m.first, m.second, m.values,
                             CUSPARSE_INDEX_64I, CUSPARSE_INDEX_BASE_ONE, CUDA_R_32F));
    return m;
}

/* Blocks of 2 x 2, each by rows; all four are there. */
static inline matrix
make_bsr(void)
{
    const int offsets[] = {0, 2, 4};
    const int columns[] = {0, 1, 0, 1};
    const float values[] = {1, 0, 0, 3, 2, 0, 0, 0, 4, 0, 0, 7, 5, 6, 0, 8};
    matrix m = {DEVICE(offsets), DEVICE(columns), DEVICE(values), NULL};

    SPARSE(cusparseCreateBsr(&m.descr, N / 2, N / 2, 4, 2, 2, m.first, m.second,
                             m.values, CUSPARSE_INDEX_32I, CUSPARSE_INDEX_32I,
                             CUSPARSE_INDEX_BASE_ZERO, CUDA_R_32F, CUSPARSE_ORDER_ROW));
    return m;
}

/* Slices of two rows, each stored column by column and filled up with column -1. */
static inline matrix
make_sliced_ell(void)
{
    const int offsets[] = {0, 4, 10};
    const int columns[] = {0, 1, 2, -1, 0, 1, 2, 3, 3, -1};
    const float values[] = {1, 3, 2, 0, 4, 7, 5, 8, 6, 0};
    matrix m = {DEVICE(offsets), DEVICE(columns), DEVICE(values), NULL};

    SPARSE(cusparseCreateSlicedEll(&m.descr, N, N, NNZ, 10, 2, m.first, m.second,
                                   m.values, CUSPARSE_INDEX_32I, CUSPARSE_INDEX_32I,
                                   CUSPARSE_INDEX_BASE_ZERO, CUDA_R_32F));
    return m;
}

/* Two blocks of 2 x 2 in every row of blocks; the values lie by rows of the matrix. */
static inline matrix
make_blocked_ell(void)
{
    const int columns[] = {0, 1, 0, 1};
    matrix m = {NULL, DEVICE(columns), DEVICE(dense_a), NULL};

    SPARSE(cusparseCreateBlockedEll(&m.descr, N, N, 2, N, m.second, m.values,
                                    CUSPARSE_INDEX_32I, CUSPARSE_INDEX_BASE_ZERO,
                                    CUDA_R_32F));
    return m;
}

static inline void
drop(matrix m)
{
    SPARSE(cusparseDestroySpMat(m.descr));
    CUDA(cudaFree(m.first));
    CUDA(cudaFree(m.second));
    CUDA(cudaFree(m.values));
}

#endif
