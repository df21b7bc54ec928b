/*
 * The CUDA types in cuSPARSE's prototypes: from the toolkit's headers where the compiler
 * finds them, else the same layouts and values here.
 */
#ifndef SPBLAS_CUSPARSE_CUDA_TYPES_H
#define SPBLAS_CUSPARSE_CUDA_TYPES_H

#if defined(__has_include)
#if __has_include(<cuComplex.h>) && __has_include(<library_types.h>) && \
    __has_include(<cuda_runtime_api.h>)
#define SPBLAS_CUSPARSE_TOOLKIT
#endif
#endif

#if defined(SPBLAS_CUSPARSE_TOOLKIT)
#include <cuComplex.h>
#include <cuda_runtime_api.h>
#include <library_types.h>
#else

typedef enum cudaDataType_t {
    CUDA_R_32F = 0,
    CUDA_R_64F = 1,
    CUDA_R_16F = 2,
    CUDA_R_8I = 3,
    CUDA_C_32F = 4,
    CUDA_C_64F = 5,
    CUDA_C_16F = 6,
    CUDA_C_8I = 7,
    CUDA_R_8U = 8,
    CUDA_C_8U = 9,
    CUDA_R_32I = 10,
    CUDA_C_32I = 11,
    CUDA_R_32U = 12,
    CUDA_C_32U = 13,
    CUDA_R_16BF = 14,
    CUDA_C_16BF = 15
} cudaDataType;

typedef enum libraryPropertyType_t {
    MAJOR_VERSION,
    MINOR_VERSION,
    PATCH_LEVEL
} libraryPropertyType;

typedef struct CUstream_st *cudaStream_t;

/* A pair (real, imaginary), aligned as a whole: passed in vector registers. */
typedef struct float2 {
    float x, y;
} __attribute__((aligned(8))) cuComplex;
typedef cuComplex cuFloatComplex;
typedef struct double2 {
    double x, y;
} __attribute__((aligned(16))) cuDoubleComplex;

#endif

/* binary16 has no type in C, only pointers to it are passed. */
#if defined(__cplusplus)
struct __half;
#define SPBLAS_CUSPARSE_HALF struct __half
#else
#define SPBLAS_CUSPARSE_HALF void
#endif

#endif
