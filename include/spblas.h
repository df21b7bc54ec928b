/*
 * spblas: sparse matrix products with cuSPARSE's generic interface, planned per matrix.
 *
 *   spblasSpMM    C = alpha * op(A) * op(B) + beta * C          A sparse, B and C dense
 *   spblasSpMV    y = alpha * op(A) * x     + beta * y          A sparse, x, y vectors
 *   spblasSDDMM   C = alpha * (op(A) * op(B)) o spy(C) + beta * C
 *                                                               C sparse, A and B dense
 *   spblasSpGEMM  C = alpha * A * B + beta * C                  all three sparse
 *   spblasSpGEAM  C = alpha * A + beta * B              all three sparse
 *   spblasSpSV    op(A) * y = alpha * x                         A a sparse triangle
 *   spblasSpSM    op(A) * C = alpha * op(B)                     A a sparse triangle
 *
 * Names, argument orders and enumerator values follow cuSPARSE 12, so a program is
 * moved over by renaming. What we add: *_analysis studies a matrix once and keeps a
 * plan beside its descriptor; compute calls that match a plan use it, all others are
 * right without one. Attributes steer the analysis, queries explain its result.
 *
 * The usual road:
 *
 *     spblasCreate(&h);
 *     spblasCreateCsr(&A, m, k, nnz, ptr, col, val, SPBLAS_INDEX_32I, SPBLAS_INDEX_32I,
 *                     SPBLAS_INDEX_BASE_ZERO, SPBLAS_R_32F);
 *     spblasCreateDnMat(&B, k, n, n, b, SPBLAS_R_32F, SPBLAS_ORDER_ROW);
 *     spblasCreateDnMat(&C, m, n, n, c, SPBLAS_R_32F, SPBLAS_ORDER_ROW);
 *     spblasSpMM_analysis(h, N, N, &alpha, A, B, &beta, C, SPBLAS_R_32F, alg, NULL);
 *     for (...) spblasSpMM(h, N, N, &alpha, A, B, &beta, C, SPBLAS_R_32F, alg, NULL);
 *     spblasDestroySpMat(A); ... spblasDestroy(h);
 *
 * Rules that hold for every function
 *
 *   Status   Every function returns spblasStatus_t unless it says otherwise. A function
 *            that fails writes none of its outputs, except that a Create* function sets
 *            *descr to NULL when the descriptor could not be made. Whatever fails
 *            leaves a sentence that names the argument and the rule it broke:
 *            spblasGetLastErrorMessage. Nothing is ever printed; nothing aborts.
 *   NULL     A NULL handle, descriptor or output pointer is INVALID_VALUE. Arrays may
 *            be NULL at creation, also with nonzero counts; they must be there when a
 *            compute call reads them. Destroy functions accept NULL.
 *   Arrays   belong to the caller and are never copied or freed, but for those that
 *            spblasConvert makes. Those that have elements are aligned to them (a complex
 *            double to 16 bytes). Sizes and strides count elements, buffer sizes bytes.
 *   Memory   "host" below means memory this process can read. On the CPU backend all
 *            arrays are host memory, and so are scalars in both pointer modes. On a GPU
 *            an analysis copies the structure to the host, reads it and waits for the
 *            stream; a product with a plan (by columns, and with externalBuffer too), or
 *            with externalBuffer, or of rows, blocks, slots and sampled coordinates where
 *            they are, neither copies, allocates nor waits (but one of a CUSTOM matrix
 *            without a plan), so it may be captured into a graph, once its kernels are
 *            there: bufferSize, an analysis or a first product loads them. Scalars in the
 *            GPU's memory are read when the product runs. What no kernel of the GPU serves goes through
 *            host memory: right, but slow, and not under capture.
 *            Routines without plans compute on the GPU when an array lies in
 *            its memory alone, and wait where their notes say so; their buffers then are
 *            the GPU's, and a call whose kernel cannot be had is NOT_SUPPORTED.
 *   Threads  A handle belongs to one thread at a time. A descriptor may be used by many
 *            threads through functions that take it const (spblasConst*Descr_t);
 *            functions that take it non-const need it alone. Calls want 256 KiB of stack.
 *   Process  A forked child computes on the CPU, with its parent's handles and plans too;
 *            alone, where the parent had several threads and the library is built by GCC.
 *            The library stays loaded after dlclose. Analyses of SpMM, SpMV and SDDMM
 *            leave the calling thread's floating-point environment as it was (a search's
 *            hook is called without traps); products raise what their sums raise.
 *   Order    Compute calls have finished when they return on the CPU backend; on a GPU
 *            they are in order on the handle's stream. The same
 *            call on the same data gives the same bits, at any number of threads.
 */
#ifndef SPBLAS_H
#define SPBLAS_H

#include <stddef.h>
#include <stdint.h>

#define SPBLAS_VERSION_MAJOR 0
#define SPBLAS_VERSION_MINOR 1
#define SPBLAS_VERSION_PATCH 0
/* One number that grows: major * 1000 + minor * 100 + patch, as spblasGetVersion. */
#define SPBLAS_VERSION \
    (SPBLAS_VERSION_MAJOR * 1000 + SPBLAS_VERSION_MINOR * 100 + SPBLAS_VERSION_PATCH)

/* Marks what the shared library exports; everything else is hidden. */
#if defined(__GNUC__)
#define SPBLAS_API __attribute__((visibility("default")))
#else
#define SPBLAS_API
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Enumerations: values are cuSPARSE's and part of the binary interface -------- */

/* How a call ended. */
typedef enum {
    SPBLAS_STATUS_SUCCESS = 0,
    SPBLAS_STATUS_NOT_INITIALIZED = 1, /* the backend cannot be started */
    SPBLAS_STATUS_ALLOC_FAILED = 2,    /* memory is short; every object is as before */
    SPBLAS_STATUS_INVALID_VALUE = 3,   /* an argument breaks a rule of the call */
    SPBLAS_STATUS_ARCH_MISMATCH = 4,   /* this machine lacks a needed feature */
    SPBLAS_STATUS_MAPPING_ERROR = 5,
    SPBLAS_STATUS_EXECUTION_FAILED = 6, /* a kernel or a file failed at run time */
    SPBLAS_STATUS_INTERNAL_ERROR = 7,   /* an error of the library: please report it */
    SPBLAS_STATUS_MATRIX_TYPE_NOT_SUPPORTED = 8,
    SPBLAS_STATUS_ZERO_PIVOT = 9,
    SPBLAS_STATUS_NOT_SUPPORTED = 10, /* legal, but this combination is not offered */
    SPBLAS_STATUS_INSUFFICIENT_RESOURCES = 11
} spblasStatus_t;

/* Element types, with cudaDataType's values. C types are pairs (real, imaginary).
 * Descriptors accept all of them; each routine lists those it computes with. */
typedef enum {
    SPBLAS_R_32F = 0,
    SPBLAS_R_64F = 1,
    SPBLAS_R_16F = 2, /* IEEE binary16 */
    SPBLAS_R_8I = 3,
    SPBLAS_C_32F = 4,
    SPBLAS_C_64F = 5,
    SPBLAS_C_16F = 6,
    SPBLAS_R_32I = 10,
    SPBLAS_R_16BF = 14, /* the upper half of a binary32 */
    SPBLAS_C_16BF = 15
} spblasDataType_t;

/* Integer types of index arrays. 16U may be stored in a descriptor; no routine computes
 * with it. */
typedef enum {
    SPBLAS_INDEX_16U = 1,
    SPBLAS_INDEX_32I = 2,
    SPBLAS_INDEX_64I = 3
} spblasIndexType_t;

/* What the first row or column is called in index arrays, offsets included. */
typedef enum {
    SPBLAS_INDEX_BASE_ZERO = 0,
    SPBLAS_INDEX_BASE_ONE = 1
} spblasIndexBase_t;

/* op(X): X, its transpose, its conjugate transpose. On real types the last two agree.
 * Descriptors always describe X, not op(X). */
typedef enum {
    SPBLAS_OPERATION_NON_TRANSPOSE = 0,
    SPBLAS_OPERATION_TRANSPOSE = 1,
    SPBLAS_OPERATION_CONJUGATE_TRANSPOSE = 2
} spblasOperation_t;

/* Dense layout: element (i, j) at i + j * ld (COL) or i * ld + j (ROW). The same words
 * order the elements inside a BSR block. */
typedef enum { SPBLAS_ORDER_COL = 1, SPBLAS_ORDER_ROW = 2 } spblasOrder_t;

/* Sparse formats; see the Create functions for their arrays. Values from 100 on are ours. */
typedef enum {
    SPBLAS_FORMAT_CSR = 1,
    SPBLAS_FORMAT_CSC = 2,
    SPBLAS_FORMAT_COO = 3,
    SPBLAS_FORMAT_BLOCKED_ELL = 5,
    SPBLAS_FORMAT_BSR = 6,
    SPBLAS_FORMAT_SLICED_ELLPACK = 7,
    SPBLAS_FORMAT_CUSTOM = 100 /* any other of the format language: spblasConvert */
} spblasFormat_t;

/* Where alpha and beta live. On the CPU backend both mean host memory. */
typedef enum {
    SPBLAS_POINTER_MODE_HOST = 0,
    SPBLAS_POINTER_MODE_DEVICE = 1
} spblasPointerMode_t;

/* Which part of a triangular matrix is stored, and whether its diagonal is implied.
 * Triangular solves go by both; products ignore them. */
typedef enum {
    SPBLAS_FILL_MODE_LOWER = 0,
    SPBLAS_FILL_MODE_UPPER = 1
} spblasFillMode_t;
typedef enum {
    SPBLAS_DIAG_TYPE_NON_UNIT = 0,
    SPBLAS_DIAG_TYPE_UNIT = 1
} spblasDiagType_t;

/* Pieces of the version number. */
typedef enum {
    SPBLAS_MAJOR_VERSION = 0,
    SPBLAS_MINOR_VERSION = 1,
    SPBLAS_PATCH_LEVEL = 2
} spblasLibraryPropertyType_t;

/*
 * Algorithms. They are accepted for compatibility and checked against the format (a COO
 * algorithm on a CSR matrix is NOT_SUPPORTED); the choice of kernels is the plan's, and
 * every result is deterministic under each of them. CSR names serve CSC too.
 */
typedef enum {
    SPBLAS_SPMV_ALG_DEFAULT = 0,
    SPBLAS_SPMV_COO_ALG1 = 1,
    SPBLAS_SPMV_CSR_ALG1 = 2,
    SPBLAS_SPMV_CSR_ALG2 = 3,
    SPBLAS_SPMV_COO_ALG2 = 4,
    SPBLAS_SPMV_SELL_ALG1 = 5,
    SPBLAS_SPMV_BSR_ALG1 = 6
} spblasSpMVAlg_t;

typedef enum {
    SPBLAS_SPMM_ALG_DEFAULT = 0,
    SPBLAS_SPMM_COO_ALG1 = 1,
    SPBLAS_SPMM_COO_ALG2 = 2,
    SPBLAS_SPMM_COO_ALG3 = 3,
    SPBLAS_SPMM_CSR_ALG1 = 4,
    SPBLAS_SPMM_COO_ALG4 = 5,
    SPBLAS_SPMM_CSR_ALG2 = 6,
    SPBLAS_SPMM_CSR_ALG3 = 12,
    SPBLAS_SPMM_BLOCKED_ELL_ALG1 = 13,
    SPBLAS_SPMM_BSR_ALG1 = 14
} spblasSpMMAlg_t;

typedef enum { SPBLAS_SDDMM_ALG_DEFAULT = 0 } spblasSDDMMAlg_t;

typedef enum { SPBLAS_SPMMOP_ALG_DEFAULT = 0 } spblasSpMMOpAlg_t;

typedef enum { SPBLAS_SPARSETODENSE_ALG_DEFAULT = 0 } spblasSparseToDenseAlg_t;
typedef enum { SPBLAS_DENSETOSPARSE_ALG_DEFAULT = 0 } spblasDenseToSparseAlg_t;

/* All of them are one algorithm here; DETERMINITIC is cuSPARSE's spelling. */
typedef enum {
    SPBLAS_SPGEMM_DEFAULT = 0,
    SPBLAS_SPGEMM_CSR_ALG_DETERMINITIC = 1,
    SPBLAS_SPGEMM_CSR_ALG_NONDETERMINITIC = 2,
    SPBLAS_SPGEMM_ALG1 = 3,
    SPBLAS_SPGEMM_ALG2 = 4,
    SPBLAS_SPGEMM_ALG3 = 5
} spblasSpGEMMAlg_t;

typedef enum {
    SPBLAS_SPGEAM_ALG_DEFAULT = 0,
    SPBLAS_SPGEAM_ALG1 = 1
} spblasSpGEAMAlg_t;

typedef enum { SPBLAS_SPSV_ALG_DEFAULT = 0 } spblasSpSVAlg_t;
typedef enum { SPBLAS_SPSM_ALG_DEFAULT = 0 } spblasSpSMAlg_t;

/* Which values spblasSpSV_updateMatrix and spblasSpSM_updateMatrix replace. */
typedef enum {
    SPBLAS_SPSV_UPDATE_GENERAL = 0, /* all: an array as the matrix's */
    SPBLAS_SPSV_UPDATE_DIAGONAL = 1 /* the diagonal: an array of its rows' length */
} spblasSpSVUpdate_t;
typedef enum {
    SPBLAS_SPSM_UPDATE_GENERAL = 0,
    SPBLAS_SPSM_UPDATE_DIAGONAL = 1
} spblasSpSMUpdate_t;

/* How much an analysis may cost. */
typedef enum {
    SPBLAS_EFFORT_ESTIMATE = 0,  /* a model chooses; about ten executions at most */
    SPBLAS_EFFORT_MEASURE = 1,   /* the best few are built, compiled and timed */
    SPBLAS_EFFORT_EXHAUSTIVE = 2 /* a wide search; minutes unless there is a limit */
} spblasEffort_t;

/* How far an exhaustive analysis has come. */
typedef struct {
    size_t structSize;     /* bytes of this structure */
    double elapsedSeconds; /* since the search began */
    double limitSeconds;   /* SPBLAS_SPMAT_TIME_LIMIT, 0: none */
    int tried;             /* plans built and timed so far, or found impossible */
    int known;             /* plans to try so far; more may come */
    double bestSeconds;    /* one execution of the fastest plan, 0: none yet */
    const char *bestText;  /* its text, or NULL; valid until the callback returns */
} spblasSearchProgress_t;

/* Called by the thread that analyses, before each plan that is tried. Not 0: enough, the
 * analysis ends with the best plan so far. It must not use the matrix. */
typedef int (*spblasSearchCallback_t)(const spblasSearchProgress_t *progress,
                                      void *userData);

/* SPBLAS_SPMAT_SEARCH_HOOK's value; callback NULL: nobody is called. */
typedef struct {
    spblasSearchCallback_t callback;
    void *userData;
} spblasSearchHook_t;

/* Whether the same call must give the same bits. */
typedef enum {
    SPBLAS_DETERMINISM_REQUIRED = 0,
    SPBLAS_DETERMINISM_RELAXED = 1 /* a plan may add in any order */
} spblasDeterminism_t;

/*
 * What a GPU's tensor cores may make of factors of SPBLAS_R_32F in products whose compute
 * type is SPBLAS_R_32F; sums are in 32 bits always. Kernels that do not go to tensor cores,
 * and all on the host, multiply exactly whatever is allowed.
 */
typedef enum {
    SPBLAS_MATH_EXACT = 0,  /* nothing */
    SPBLAS_MATH_TF32X3 = 1, /* sums of two TF32: 21 bits of a fraction count */
    SPBLAS_MATH_TF32 = 2    /* rounded to TF32: ten bits of a fraction count */
} spblasMathMode_t;

/*
 * Attributes of a sparse matrix: identifier, type of *data, meaning. The first two are
 * cuSPARSE's, stored and returned as given. The others steer every later *_analysis.
 */
typedef enum {
    SPBLAS_SPMAT_FILL_MODE = 0, /* spblasFillMode_t, LOWER at first */
    SPBLAS_SPMAT_DIAG_TYPE = 1, /* spblasDiagType_t, NON_UNIT at first */

    /* spblasEffort_t, ESTIMATE at first. */
    SPBLAS_SPMAT_EFFORT = 100,
    /* int, 0 at first. 1 promises that the values stay as they are at the analysis, so
     * plans may hold packed copies; they are dropped by SetValues and by setting 0. */
    SPBLAS_SPMAT_VALUES_FROZEN = 101,
    /* spblasDeterminism_t, REQUIRED at first. */
    SPBLAS_SPMAT_DETERMINISM = 102,
    /* int64_t, bytes one plan may hold; 0 (at first): three times the matrix. On the CPU a
     * plan of 64-bit indices holds those it reads as 32-bit ones, where all of them fit and
     * take a quarter of the limit at most. */
    SPBLAS_SPMAT_MEMORY_LIMIT = 103,
    /* char[dataSize], a plan text as spblasSpMatGetPlanText gives; with or without the
     * final NUL; dataSize 0 (data may be NULL) returns to the planner's own choice.
     * spblasSpMatGetAttribute wants room for the text and its NUL. The text is read at
     * the analysis: there a malformed one is INVALID_VALUE with its position, an
     * impossible one (any, for a CUSTOM matrix) NOT_SUPPORTED. */
    SPBLAS_SPMAT_PLAN_TEXT = 104,
    /* int, 0 at first. 1: *_analysis, and compute calls that have no plan, first check
     * the whole structure (offsets start at the base, never fall and end at nnz;
     * indices in range) in O(nnz) and answer INVALID_VALUE with the position of the
     * first fault. Without it a malformed structure is undefined behaviour. Setting it
     * drops plans made before. */
    SPBLAS_SPMAT_VALIDATE = 105,
    /* double, seconds that the search of an EXHAUSTIVE analysis may take, 0 (at first): no
     * limit. The plan under way when the time is up is finished; what was best then is
     * taken. */
    SPBLAS_SPMAT_TIME_LIMIT = 106,
    /* spblasSearchHook_t, all NULL at first: who hears of an EXHAUSTIVE analysis while it
     * lasts and may end it. */
    SPBLAS_SPMAT_SEARCH_HOOK = 107,
    /* spblasMathMode_t, EXACT at first: SpMM and SDDMM with this matrix. Another than
     * before drops plans made before. */
    SPBLAS_SPMAT_MATH_MODE = 108,
    /* int, 0 at first. 1 promises that the rows of a COO ascend, as cuSPARSE has them: on a
     * GPU an SpMM or SpMV of A without an analysis need not sort then, and wants a smaller
     * buffer (ask bufferSize after setting it). Other formats and calls do not look at it;
     * VALIDATE does. A broken promise is a wrong result. */
    SPBLAS_SPMAT_ROWS_ASCEND = 109
} spblasSpMatAttribute_t;

/* ---- Objects --------------------------------------------------------------------- */

/* A connection to one backend: stream, pointer mode, last error. */
typedef struct spblasContext *spblasHandle_t;

/* Matrices and vectors, sparse and dense: sizes, types and the caller's
 * pointers. The Const forms never write through the pointers. */
typedef struct spblasSpMatDescr *spblasSpMatDescr_t;
typedef struct spblasDnMatDescr *spblasDnMatDescr_t;
typedef struct spblasDnVecDescr *spblasDnVecDescr_t;
typedef struct spblasSpVecDescr *spblasSpVecDescr_t;
typedef const struct spblasSpMatDescr *spblasConstSpMatDescr_t;
typedef const struct spblasDnMatDescr *spblasConstDnMatDescr_t;
typedef const struct spblasDnVecDescr *spblasConstDnVecDescr_t;
typedef const struct spblasSpVecDescr *spblasConstSpVecDescr_t;

/* A format: how a matrix is laid out in arrays. Never changes. */
typedef struct spblasFormatDescr *spblasFormatDescr_t;
typedef const struct spblasFormatDescr *spblasConstFormatDescr_t;

/* An SpMM over operators of the caller's. */
typedef struct spblasSpMMOpPlan *spblasSpMMOpPlan_t;

/* Where a product of sparse matrices stands between its calls. */
typedef struct spblasSpGEMMDescr *spblasSpGEMMDescr_t;

/* Of a sum of sparse matrices. */
typedef struct spblasSpGEAMDescr *spblasSpGEAMDescr_t;

/* What an analysis of a triangle found. */
typedef struct spblasSpSVDescr *spblasSpSVDescr_t;
typedef struct spblasSpSMDescr *spblasSpSMDescr_t;

/* ---- Library and handle ---------------------------------------------------------- */

/*
 * Makes a handle on a backend: "cpu", "gpu" (the GPU of the calling thread's current CUDA
 * context, else the first one) or "emu" (a GPU emulated on the host, for tests). Create,
 * and CreateOn with NULL, take the one that SPBLAS_BACKEND in the environment names, else
 * the GPU if one answers, else the CPU. A program may have handles of each.
 *
 * A handle on a GPU computes products there when the operands lie in memory the GPU knows
 * (device, managed or pinned), on the handle's stream, and with host arrays on the host.
 * Products and sums of sparse matrices, triangular solves, conversions between dense and sparse
 * and sparse vectors compute there when an array lies in the GPU's memory alone, on the host
 * with arrays that both can read (managed). Some routines of spblas_legacy.h are the host's:
 * with the GPU's arrays NOT_SUPPORTED.
 *
 * Writes   *handle; NULL on failure
 * Errors   INVALID_VALUE handle is NULL, or an unknown backend name; NOT_SUPPORTED a
 *          backend this machine lacks, with the reason; ALLOC_FAILED
 * Memory   released by spblasDestroy
 * Threads  any; different threads use different handles
 * Source   cusparseCreate
 */
SPBLAS_API spblasStatus_t spblasCreate(spblasHandle_t *handle);
SPBLAS_API spblasStatus_t spblasCreateOn(spblasHandle_t *handle, const char *backend);

/*
 * Ends a handle. Descriptors and their plans live on; they belong to no handle.
 *
 * Errors   INVALID_VALUE not a handle; NULL is SUCCESS
 * Source   cusparseDestroy
 */
SPBLAS_API spblasStatus_t spblasDestroy(spblasHandle_t handle);

/*
 * The version of the library that runs, as SPBLAS_VERSION (100 for 0.1.0), or one piece
 * of it. GetProperty needs no handle.
 *
 * Errors   INVALID_VALUE a NULL argument or an unknown type
 * Source   cusparseGetVersion, cusparseGetProperty
 */
SPBLAS_API spblasStatus_t spblasGetVersion(spblasHandle_t handle, int *version);
SPBLAS_API spblasStatus_t spblasGetProperty(spblasLibraryPropertyType_t type,
                                            int *value);

/*
 * A status as its enumerator ("SPBLAS_STATUS_SUCCESS") and as words ("success"); both
 * "unrecognized error code" for other numbers. Static text, never NULL.
 *
 * Source   cusparseGetErrorName, cusparseGetErrorString
 */
SPBLAS_API const char *spblasGetErrorName(spblasStatus_t status);
SPBLAS_API const char *spblasGetErrorString(spblasStatus_t status);

/*
 * The sentence of the last call that failed: function, argument, rule. With a handle:
 * of the last failed call that had this handle; with NULL: of the last failed call of
 * this thread, whatever it had. "" when nothing failed yet; successes do not clear it.
 *
 * Memory   valid until the next failing call on the handle (or thread), or Destroy
 * Threads  the handle's owner
 */
SPBLAS_API const char *spblasGetLastErrorMessage(spblasHandle_t handle);

/*
 * The stream that work is put on: a cudaStream_t as a pointer, kept and returned as
 * given, NULL at first. The CPU backend works in the calling thread and ignores it.
 *
 * Errors   INVALID_VALUE a NULL handle or output
 * Source   cusparseSetStream, cusparseGetStream
 */
SPBLAS_API spblasStatus_t spblasSetStream(spblasHandle_t handle, void *stream);
SPBLAS_API spblasStatus_t spblasGetStream(spblasHandle_t handle, void **stream);

/*
 * Where compute calls find alpha and beta; HOST at first.
 *
 * Errors   INVALID_VALUE a NULL handle or output, or an unknown mode
 * Source   cusparseSetPointerMode, cusparseGetPointerMode
 */
SPBLAS_API spblasStatus_t spblasSetPointerMode(spblasHandle_t handle,
                                               spblasPointerMode_t mode);
SPBLAS_API spblasStatus_t spblasGetPointerMode(spblasHandle_t handle,
                                               spblasPointerMode_t *mode);

/* ---- Dense vectors --------------------------------------------------------------- */

/*
 * A vector of `size` elements, one after another.
 *
 * Reads    nothing; `values` is kept
 * Errors   INVALID_VALUE descr NULL, size negative, unknown type, misaligned values,
 *          or more bytes than an address can hold; ALLOC_FAILED
 * Memory   descriptor released by spblasDestroyDnVec; values stay the caller's
 * Threads  any
 * Source   cusparseCreateDnVec
 */
SPBLAS_API spblasStatus_t spblasCreateDnVec(spblasDnVecDescr_t *dnVecDescr,
                                            int64_t size, void *values,
                                            spblasDataType_t valueType);
SPBLAS_API spblasStatus_t spblasCreateConstDnVec(spblasConstDnVecDescr_t *dnVecDescr,
                                                 int64_t size, const void *values,
                                                 spblasDataType_t valueType);

/* Ends a vector's description. NULL is SUCCESS. */
SPBLAS_API spblasStatus_t spblasDestroyDnVec(spblasConstDnVecDescr_t dnVecDescr);

/*
 * What the vector was made with; SetValues points it elsewhere (NULL is fine).
 *
 * Errors   INVALID_VALUE any pointer but SetValues' values is NULL, or values
 *          misaligned
 * Source   cusparseDnVecGet and relatives
 */
SPBLAS_API spblasStatus_t spblasDnVecGet(spblasDnVecDescr_t dnVecDescr, int64_t *size,
                                         void **values, spblasDataType_t *valueType);
SPBLAS_API spblasStatus_t spblasConstDnVecGet(spblasConstDnVecDescr_t dnVecDescr,
                                              int64_t *size, const void **values,
                                              spblasDataType_t *valueType);
SPBLAS_API spblasStatus_t spblasDnVecGetValues(spblasDnVecDescr_t dnVecDescr,
                                               void **values);
SPBLAS_API spblasStatus_t spblasConstDnVecGetValues(spblasConstDnVecDescr_t dnVecDescr,
                                                    const void **values);
SPBLAS_API spblasStatus_t spblasDnVecSetValues(spblasDnVecDescr_t dnVecDescr,
                                               void *values);

/* ---- Sparse vectors -------------------------------------------------------------- */

/*
 * A vector of `size` elements that stores nnz of them: values[p] at place indices[p],
 * counted from idxBase, in any order.
 *
 * Shapes   indices and values nnz
 * Reads    nothing; the pointers are kept
 * Errors   INVALID_VALUE descr NULL, a negative size, nnz > size, unknown type or base,
 *          a misaligned array, a size that does not fit the index type; ALLOC_FAILED
 * Memory   descriptor released by spblasDestroySpVec; arrays stay the caller's
 * Threads  any
 * Source   cusparseCreateSpVec
 */
SPBLAS_API spblasStatus_t spblasCreateSpVec(spblasSpVecDescr_t *spVecDescr,
                                            int64_t size, int64_t nnz, void *indices,
                                            void *values, spblasIndexType_t idxType,
                                            spblasIndexBase_t idxBase,
                                            spblasDataType_t valueType);
SPBLAS_API spblasStatus_t spblasCreateConstSpVec(
    spblasConstSpVecDescr_t *spVecDescr, int64_t size, int64_t nnz, const void *indices,
    const void *values, spblasIndexType_t idxType, spblasIndexBase_t idxBase,
    spblasDataType_t valueType);

/* Ends a vector's description. NULL is SUCCESS. */
SPBLAS_API spblasStatus_t spblasDestroySpVec(spblasConstSpVecDescr_t spVecDescr);

/*
 * What the vector was made with; SetValues points its values elsewhere (NULL is fine).
 *
 * Errors   INVALID_VALUE any pointer but SetValues' values is NULL, or values
 *          misaligned
 * Source   cusparseSpVecGet and relatives
 */
SPBLAS_API spblasStatus_t spblasSpVecGet(spblasSpVecDescr_t spVecDescr, int64_t *size,
                                         int64_t *nnz, void **indices, void **values,
                                         spblasIndexType_t *idxType,
                                         spblasIndexBase_t *idxBase,
                                         spblasDataType_t *valueType);
SPBLAS_API spblasStatus_t spblasConstSpVecGet(spblasConstSpVecDescr_t spVecDescr,
                                              int64_t *size, int64_t *nnz,
                                              const void **indices, const void **values,
                                              spblasIndexType_t *idxType,
                                              spblasIndexBase_t *idxBase,
                                              spblasDataType_t *valueType);
SPBLAS_API spblasStatus_t spblasSpVecGetIndexBase(spblasConstSpVecDescr_t spVecDescr,
                                                  spblasIndexBase_t *idxBase);
SPBLAS_API spblasStatus_t spblasSpVecGetValues(spblasSpVecDescr_t spVecDescr,
                                               void **values);
SPBLAS_API spblasStatus_t spblasConstSpVecGetValues(spblasConstSpVecDescr_t spVecDescr,
                                                    const void **values);
SPBLAS_API spblasStatus_t spblasSpVecSetValues(spblasSpVecDescr_t spVecDescr,
                                               void *values);

/* ---- Dense matrices -------------------------------------------------------------- */

/*
 * A rows x cols matrix: element (i, j) at i + j * ld (ORDER_COL, ld >= rows) or at
 * i * ld + j (ORDER_ROW, ld >= cols).
 *
 * Reads    nothing; `values` is kept
 * Errors   INVALID_VALUE descr NULL, a negative size, ld too small, unknown type or
 *          order, misaligned values, or an extent of more bytes than an address can
 *          hold; ALLOC_FAILED
 * Memory   descriptor released by spblasDestroyDnMat; values stay the caller's
 * Threads  any
 * Source   cusparseCreateDnMat
 */
SPBLAS_API spblasStatus_t spblasCreateDnMat(spblasDnMatDescr_t *dnMatDescr,
                                            int64_t rows, int64_t cols, int64_t ld,
                                            void *values, spblasDataType_t valueType,
                                            spblasOrder_t order);
SPBLAS_API spblasStatus_t spblasCreateConstDnMat(spblasConstDnMatDescr_t *dnMatDescr,
                                                 int64_t rows, int64_t cols, int64_t ld,
                                                 const void *values,
                                                 spblasDataType_t valueType,
                                                 spblasOrder_t order);

/* Ends a matrix's description. NULL is SUCCESS. */
SPBLAS_API spblasStatus_t spblasDestroyDnMat(spblasConstDnMatDescr_t dnMatDescr);

/*
 * What the matrix was made with; SetValues points it elsewhere (NULL is fine).
 *
 * Errors   INVALID_VALUE any pointer but SetValues' values is NULL, or values
 *          misaligned
 * Source   cusparseDnMatGet and relatives
 */
SPBLAS_API spblasStatus_t spblasDnMatGet(spblasDnMatDescr_t dnMatDescr, int64_t *rows,
                                         int64_t *cols, int64_t *ld, void **values,
                                         spblasDataType_t *type, spblasOrder_t *order);
SPBLAS_API spblasStatus_t spblasConstDnMatGet(spblasConstDnMatDescr_t dnMatDescr,
                                              int64_t *rows, int64_t *cols, int64_t *ld,
                                              const void **values,
                                              spblasDataType_t *type,
                                              spblasOrder_t *order);
SPBLAS_API spblasStatus_t spblasDnMatGetValues(spblasDnMatDescr_t dnMatDescr,
                                               void **values);
SPBLAS_API spblasStatus_t spblasConstDnMatGetValues(spblasConstDnMatDescr_t dnMatDescr,
                                                    const void **values);
SPBLAS_API spblasStatus_t spblasDnMatSetValues(spblasDnMatDescr_t dnMatDescr,
                                               void *values);

/*
 * Makes it batchCount matrices of the same shape; the next one begins batchStride
 * elements on. Stride 0 shares one matrix (operands that are read only).
 *
 * Errors   INVALID_VALUE batchCount < 1; with several members: batchStride negative, or
 *          between 0 and the elements of one matrix (ld * cols or ld * rows)
 * Source   cusparseDnMatSetStridedBatch
 */
SPBLAS_API spblasStatus_t spblasDnMatSetStridedBatch(spblasDnMatDescr_t dnMatDescr,
                                                     int batchCount,
                                                     int64_t batchStride);
SPBLAS_API spblasStatus_t spblasDnMatGetStridedBatch(spblasConstDnMatDescr_t dnMatDescr,
                                                     int *batchCount,
                                                     int64_t *batchStride);

/* ---- Sparse matrices ------------------------------------------------------------- */

/*
 * CSR: row i's entries are slots csrRowOffsets[i] .. csrRowOffsets[i + 1] of csrColInd
 * and csrValues, offsets and columns counted from idxBase. Columns in a row may come in
 * any order; entries at the same place add up.
 *
 * Shapes   csrRowOffsets rows + 1; csrColInd and csrValues nnz
 * Reads    nothing; the pointers are kept
 * Errors   INVALID_VALUE descr NULL, a negative size, nnz > rows * cols, unknown type
 *          or base, a misaligned array, sizes that do not fit the index type;
 *          NOT_SUPPORTED a 16-bit index type beside a wider one; ALLOC_FAILED. Unlike
 *          cuSPARSE, 64-bit offsets with 32-bit columns (and the reverse) are accepted
 * Memory   descriptor released by spblasDestroySpMat; arrays stay the caller's
 * Threads  any
 * Source   cusparseCreateCsr
 */
SPBLAS_API spblasStatus_t
spblasCreateCsr(spblasSpMatDescr_t *spMatDescr, int64_t rows, int64_t cols, int64_t nnz,
                void *csrRowOffsets, void *csrColInd, void *csrValues,
                spblasIndexType_t csrRowOffsetsType, spblasIndexType_t csrColIndType,
                spblasIndexBase_t idxBase, spblasDataType_t valueType);
SPBLAS_API spblasStatus_t spblasCreateConstCsr(
    spblasConstSpMatDescr_t *spMatDescr, int64_t rows, int64_t cols, int64_t nnz,
    const void *csrRowOffsets, const void *csrColInd, const void *csrValues,
    spblasIndexType_t csrRowOffsetsType, spblasIndexType_t csrColIndType,
    spblasIndexBase_t idxBase, spblasDataType_t valueType);

/*
 * CSC: as CSR with the roles of rows and columns exchanged.
 *
 * Shapes   cscColOffsets cols + 1; cscRowInd and cscValues nnz
 * Errors   as spblasCreateCsr
 * Source   cusparseCreateCsc
 */
SPBLAS_API spblasStatus_t
spblasCreateCsc(spblasSpMatDescr_t *spMatDescr, int64_t rows, int64_t cols, int64_t nnz,
                void *cscColOffsets, void *cscRowInd, void *cscValues,
                spblasIndexType_t cscColOffsetsType, spblasIndexType_t cscRowIndType,
                spblasIndexBase_t idxBase, spblasDataType_t valueType);
SPBLAS_API spblasStatus_t spblasCreateConstCsc(
    spblasConstSpMatDescr_t *spMatDescr, int64_t rows, int64_t cols, int64_t nnz,
    const void *cscColOffsets, const void *cscRowInd, const void *cscValues,
    spblasIndexType_t cscColOffsetsType, spblasIndexType_t cscRowIndType,
    spblasIndexBase_t idxBase, spblasDataType_t valueType);

/*
 * COO: entry p is (cooRowInd[p], cooColInd[p], cooValues[p]), in any order; entries at
 * the same place add up.
 *
 * Shapes   all three arrays nnz
 * Errors   as spblasCreateCsr
 * Source   cusparseCreateCoo
 */
SPBLAS_API spblasStatus_t spblasCreateCoo(spblasSpMatDescr_t *spMatDescr, int64_t rows,
                                          int64_t cols, int64_t nnz, void *cooRowInd,
                                          void *cooColInd, void *cooValues,
                                          spblasIndexType_t cooIdxType,
                                          spblasIndexBase_t idxBase,
                                          spblasDataType_t valueType);
SPBLAS_API spblasStatus_t
spblasCreateConstCoo(spblasConstSpMatDescr_t *spMatDescr, int64_t rows, int64_t cols,
                     int64_t nnz, const void *cooRowInd, const void *cooColInd,
                     const void *cooValues, spblasIndexType_t cooIdxType,
                     spblasIndexBase_t idxBase, spblasDataType_t valueType);

/*
 * BSR: a CSR of dense square blocks. The matrix has brows * rowBlockSize rows and
 * bcols * colBlockSize columns; block p's elements start at bsrValues[p * block^2] and
 * are ordered by `order`.
 *
 * Shapes   bsrRowOffsets brows + 1; bsrColInd bnnz block columns; bsrValues
 *          bnnz * rowBlockSize * colBlockSize
 * Errors   as spblasCreateCsr; INVALID_VALUE also for a block that is not square or is
 *          empty, and for an unknown order
 * Source   cusparseCreateBsr
 */
SPBLAS_API spblasStatus_t spblasCreateBsr(
    spblasSpMatDescr_t *spMatDescr, int64_t brows, int64_t bcols, int64_t bnnz,
    int64_t rowBlockSize, int64_t colBlockSize, void *bsrRowOffsets, void *bsrColInd,
    void *bsrValues, spblasIndexType_t bsrRowOffsetsType,
    spblasIndexType_t bsrColIndType, spblasIndexBase_t idxBase,
    spblasDataType_t valueType, spblasOrder_t order);
SPBLAS_API spblasStatus_t spblasCreateConstBsr(
    spblasConstSpMatDescr_t *spMatDescr, int64_t brows, int64_t bcols, int64_t bnnz,
    int64_t rowBlockSize, int64_t colBlockSize, const void *bsrRowOffsets,
    const void *bsrColInd, const void *bsrValues, spblasIndexType_t bsrRowOffsetsType,
    spblasIndexType_t bsrColIndType, spblasIndexBase_t idxBase,
    spblasDataType_t valueType, spblasOrder_t order);

/*
 * Blocked-ELL: as many square blocks in each row of blocks. Block row u has the block
 * columns ellColInd[u * w] .. ellColInd[u * w + w - 1], w = ellCols / ellBlockSize, counted
 * from idxBase; a negative one says that the slot is empty. Values lie by whole rows:
 * those of row i in ellValue[i * ellCols] .. , block after block. What an empty slot holds
 * is never read or written. Blocks at the same place add up.
 *
 * Shapes   ellColInd rows / ellBlockSize * w; ellValue rows * ellCols
 * Errors   as spblasCreateCsr; INVALID_VALUE also for rows, cols or ellCols that are not
 *          multiples of ellBlockSize, ellCols > cols, and empty blocks (but of no columns)
 * Memory   a plan holds a column and a position for each element of a block
 * Source   cusparseCreateBlockedEll (whose products take fewer types and operations)
 */
SPBLAS_API spblasStatus_t spblasCreateBlockedEll(
    spblasSpMatDescr_t *spMatDescr, int64_t rows, int64_t cols, int64_t ellBlockSize,
    int64_t ellCols, void *ellColInd, void *ellValue, spblasIndexType_t ellIdxType,
    spblasIndexBase_t idxBase, spblasDataType_t valueType);
SPBLAS_API spblasStatus_t spblasCreateConstBlockedEll(
    spblasConstSpMatDescr_t *spMatDescr, int64_t rows, int64_t cols,
    int64_t ellBlockSize, int64_t ellCols, const void *ellColInd, const void *ellValue,
    spblasIndexType_t ellIdxType, spblasIndexBase_t idxBase,
    spblasDataType_t valueType);

/*
 * Sliced-ELL: slices of sliceSize rows, of which the last may stick out below the matrix.
 * The slots of slice s are sellSliceOffsets[s] .. sellSliceOffsets[s + 1], by columns: its
 * r-th row has every sliceSize-th from the r-th on. A negative column says that the slot
 * is empty; its value is never read or written. Entries at the same place add up.
 *
 * Shapes   sellSliceOffsets rows / sliceSize (rounded up) + 1; sellColInd and sellValues
 *          sellValuesSize, of which nnz are not empty
 * Errors   as spblasCreateCsr; INVALID_VALUE also for sellValuesSize < nnz and sliceSize
 *          < 0; 0 makes a matrix that products refuse
 * Memory   a plan holds a column and a position for each entry
 * Source   cusparseCreateSlicedEll
 */
SPBLAS_API spblasStatus_t spblasCreateSlicedEll(
    spblasSpMatDescr_t *spMatDescr, int64_t rows, int64_t cols, int64_t nnz,
    int64_t sellValuesSize, int64_t sliceSize, void *sellSliceOffsets, void *sellColInd,
    void *sellValues, spblasIndexType_t sellSliceOffsetsType,
    spblasIndexType_t sellColIndType, spblasIndexBase_t idxBase,
    spblasDataType_t valueType);
SPBLAS_API spblasStatus_t spblasCreateConstSlicedEll(
    spblasConstSpMatDescr_t *spMatDescr, int64_t rows, int64_t cols, int64_t nnz,
    int64_t sellValuesSize, int64_t sliceSize, const void *sellSliceOffsets,
    const void *sellColInd, const void *sellValues,
    spblasIndexType_t sellSliceOffsetsType, spblasIndexType_t sellColIndType,
    spblasIndexBase_t idxBase, spblasDataType_t valueType);

/*
 * Ends a sparse matrix's description and frees its plans, and its arrays if
 * spblasConvert made them. NULL is SUCCESS. No call may be using the matrix.
 */
SPBLAS_API spblasStatus_t spblasDestroySpMat(spblasConstSpMatDescr_t spMatDescr);

/*
 * Facts of any sparse matrix. Sizes count elements: a BSR matrix reports its expanded
 * rows and columns and bnnz * block^2, a Blocked-ELL one rows * ellCols; a CUSTOM one the elements that were converted,
 * padding not counted; a batch reports one member.
 *
 * Errors   INVALID_VALUE a NULL argument
 * Source   cusparseSpMatGetFormat and relatives
 */
SPBLAS_API spblasStatus_t spblasSpMatGetFormat(spblasConstSpMatDescr_t spMatDescr,
                                               spblasFormat_t *format);
SPBLAS_API spblasStatus_t spblasSpMatGetIndexBase(spblasConstSpMatDescr_t spMatDescr,
                                                  spblasIndexBase_t *idxBase);
SPBLAS_API spblasStatus_t spblasSpMatGetSize(spblasConstSpMatDescr_t spMatDescr,
                                             int64_t *rows, int64_t *cols,
                                             int64_t *nnz);

/*
 * Values of any sparse matrix. SetValues points it at another array of the same length
 * and type (NULL is fine) and keeps its plans, unless values were promised frozen
 * (SPBLAS_SPMAT_VALUES_FROZEN), in which case the plans are dropped. What a converted
 * matrix owns it frees when it is destroyed, wherever SetValues pointed it meanwhile.
 *
 * Errors   INVALID_VALUE a NULL argument (but SetValues' values), misaligned values;
 *          NOT_SUPPORTED a CUSTOM matrix in parts or with values in records
 * Source   cusparseSpMatGetValues and relatives
 */
SPBLAS_API spblasStatus_t spblasSpMatGetValues(spblasSpMatDescr_t spMatDescr,
                                               void **values);
SPBLAS_API spblasStatus_t spblasConstSpMatGetValues(spblasConstSpMatDescr_t spMatDescr,
                                                    const void **values);
SPBLAS_API spblasStatus_t spblasSpMatSetValues(spblasSpMatDescr_t spMatDescr,
                                               void *values);

/*
 * All facts of a matrix of that very format (a CSR getter refuses CSC). nnz of one
 * batch member. BSR and Sliced-ELL have no getter, as in cuSPARSE.
 *
 * Errors   INVALID_VALUE a NULL argument, or another format
 * Source   cusparseCsrGet and relatives
 */
SPBLAS_API spblasStatus_t
spblasCsrGet(spblasSpMatDescr_t spMatDescr, int64_t *rows, int64_t *cols, int64_t *nnz,
             void **csrRowOffsets, void **csrColInd, void **csrValues,
             spblasIndexType_t *csrRowOffsetsType, spblasIndexType_t *csrColIndType,
             spblasIndexBase_t *idxBase, spblasDataType_t *valueType);
SPBLAS_API spblasStatus_t spblasConstCsrGet(
    spblasConstSpMatDescr_t spMatDescr, int64_t *rows, int64_t *cols, int64_t *nnz,
    const void **csrRowOffsets, const void **csrColInd, const void **csrValues,
    spblasIndexType_t *csrRowOffsetsType, spblasIndexType_t *csrColIndType,
    spblasIndexBase_t *idxBase, spblasDataType_t *valueType);
SPBLAS_API spblasStatus_t
spblasCscGet(spblasSpMatDescr_t spMatDescr, int64_t *rows, int64_t *cols, int64_t *nnz,
             void **cscColOffsets, void **cscRowInd, void **cscValues,
             spblasIndexType_t *cscColOffsetsType, spblasIndexType_t *cscRowIndType,
             spblasIndexBase_t *idxBase, spblasDataType_t *valueType);
SPBLAS_API spblasStatus_t spblasConstCscGet(
    spblasConstSpMatDescr_t spMatDescr, int64_t *rows, int64_t *cols, int64_t *nnz,
    const void **cscColOffsets, const void **cscRowInd, const void **cscValues,
    spblasIndexType_t *cscColOffsetsType, spblasIndexType_t *cscRowIndType,
    spblasIndexBase_t *idxBase, spblasDataType_t *valueType);
SPBLAS_API spblasStatus_t spblasBlockedEllGet(
    spblasSpMatDescr_t spMatDescr, int64_t *rows, int64_t *cols, int64_t *ellBlockSize,
    int64_t *ellCols, void **ellColInd, void **ellValue, spblasIndexType_t *ellIdxType,
    spblasIndexBase_t *idxBase, spblasDataType_t *valueType);
SPBLAS_API spblasStatus_t spblasConstBlockedEllGet(
    spblasConstSpMatDescr_t spMatDescr, int64_t *rows, int64_t *cols,
    int64_t *ellBlockSize, int64_t *ellCols, const void **ellColInd,
    const void **ellValue, spblasIndexType_t *ellIdxType, spblasIndexBase_t *idxBase,
    spblasDataType_t *valueType);
SPBLAS_API spblasStatus_t spblasCooGet(spblasSpMatDescr_t spMatDescr, int64_t *rows,
                                       int64_t *cols, int64_t *nnz, void **cooRowInd,
                                       void **cooColInd, void **cooValues,
                                       spblasIndexType_t *idxType,
                                       spblasIndexBase_t *idxBase,
                                       spblasDataType_t *valueType);
SPBLAS_API spblasStatus_t
spblasConstCooGet(spblasConstSpMatDescr_t spMatDescr, int64_t *rows, int64_t *cols,
                  int64_t *nnz, const void **cooRowInd, const void **cooColInd,
                  const void **cooValues, spblasIndexType_t *idxType,
                  spblasIndexBase_t *idxBase, spblasDataType_t *valueType);

/*
 * Points a matrix of that format at other arrays of the same lengths (NULL is fine).
 * Its plans are dropped; batch and attributes stay. Call it too after changing a
 * structure in place.
 *
 * Errors   INVALID_VALUE descr NULL or of another format, a misaligned array
 * Source   cusparseCsrSetPointers and relatives
 */
SPBLAS_API spblasStatus_t spblasCsrSetPointers(spblasSpMatDescr_t spMatDescr,
                                               void *csrRowOffsets, void *csrColInd,
                                               void *csrValues);
SPBLAS_API spblasStatus_t spblasCscSetPointers(spblasSpMatDescr_t spMatDescr,
                                               void *cscColOffsets, void *cscRowInd,
                                               void *cscValues);
SPBLAS_API spblasStatus_t spblasCooSetPointers(spblasSpMatDescr_t spMatDescr,
                                               void *cooRows, void *cooColumns,
                                               void *cooValues);

/*
 * Makes it batchCount matrices of the same shape and nnz. Member q's arrays begin q
 * strides on; stride 0 shares the array. CSR's functions serve CSC too. Plans are
 * dropped.
 *
 * Errors   INVALID_VALUE another format, batchCount < 1, a stride that is negative or
 *          between 0 and the length of its array; NOT_SUPPORTED a matrix that
 *          spblasConvert made
 * Source   cusparseCsrSetStridedBatch and relatives
 */
SPBLAS_API spblasStatus_t spblasCooSetStridedBatch(spblasSpMatDescr_t spMatDescr,
                                                   int batchCount, int64_t batchStride);
SPBLAS_API spblasStatus_t spblasCsrSetStridedBatch(spblasSpMatDescr_t spMatDescr,
                                                   int batchCount,
                                                   int64_t offsetsBatchStride,
                                                   int64_t columnsValuesBatchStride);
SPBLAS_API spblasStatus_t spblasBsrSetStridedBatch(spblasSpMatDescr_t spMatDescr,
                                                   int batchCount,
                                                   int64_t offsetsBatchStride,
                                                   int64_t columnsBatchStride,
                                                   int64_t valuesBatchStride);
SPBLAS_API spblasStatus_t spblasSpMatGetStridedBatch(spblasConstSpMatDescr_t spMatDescr,
                                                     int *batchCount);

/*
 * Attributes; spblasSpMatAttribute_t lists them with their types.
 *
 * Units    dataSize is the size of the attribute's type in bytes
 * Errors   INVALID_VALUE a NULL argument, unknown attribute, another dataSize, or (from
 *          SPBLAS_SPMAT_EFFORT on) a value outside the type; ALLOC_FAILED (PLAN_TEXT)
 * Memory   data is copied
 * Source   cusparseSpMatSetAttribute
 */
SPBLAS_API spblasStatus_t spblasSpMatGetAttribute(spblasConstSpMatDescr_t spMatDescr,
                                                  spblasSpMatAttribute_t attribute,
                                                  void *data, size_t dataSize);
SPBLAS_API spblasStatus_t spblasSpMatSetAttribute(spblasSpMatDescr_t spMatDescr,
                                                  spblasSpMatAttribute_t attribute,
                                                  const void *data, size_t dataSize);

/* ---- Formats as text ------------------------------------------------------------- */
/*
 * A format is a line of text: how the coordinates of an element become levels of a tree,
 * and which of its nodes are there. From it follow the arrays, conversion and kernels
 * (docs/formats.md has the language):
 *
 *     format bdia<b=3> (i, j) -> (i/b, j - i, i%b) merge(0) trim(1, 1)
 *
 *     spblasCreateFormat(&f, "bdia<16>");       a registered name with arguments
 *     spblasConvert(h, A, f, &B);               A's elements in that format
 *     spblasSpMV(h, N, &alpha, B, x, ...);      computes as with any matrix
 */

/*
 * A format from a definition, or from a registered name with arguments ("bsr<8>",
 * "sell<c=32>", "csr"). The text is NUL-terminated and copied.
 *
 * Writes   *formatDescr; NULL on failure
 * Errors   INVALID_VALUE a NULL argument; a text that is no format, or one that says
 *          nothing storable: the sentence has line, column and a caret. ALLOC_FAILED
 * Memory   released by spblasDestroyFormat
 * Threads  any; a format may be shared freely
 * Source   UniSparse (Liu et al., OOPSLA 2024), section 4
 */
SPBLAS_API spblasStatus_t spblasCreateFormat(spblasFormatDescr_t *formatDescr,
                                             const char *text);

/* Ends a format. NULL is SUCCESS. Matrices made with it keep what they need of it. */
SPBLAS_API spblasStatus_t spblasDestroyFormat(spblasConstFormatDescr_t formatDescr);

/*
 * The canonical text (of several lines where the format is long), which makes the same
 * format again; and what is stored, a level each: "i: size; j: ptr idx" (parts of a
 * hybrid separated by " | ").
 *
 * Reads    *size: bytes at `text`; with text NULL it is not read
 * Writes   *size: bytes of the text with its NUL; text, when that is large enough
 * Errors   INVALID_VALUE a NULL argument but text; INSUFFICIENT_RESOURCES *size too
 *          small (*size then says what is needed); ALLOC_FAILED
 */
SPBLAS_API spblasStatus_t spblasFormatGetText(spblasConstFormatDescr_t formatDescr,
                                              char *text, size_t *size);
SPBLAS_API spblasStatus_t spblasFormatGetArrays(spblasConstFormatDescr_t formatDescr,
                                                char *text, size_t *size);

/*
 * A new matrix with matA's elements in `format`. It owns its arrays. Where the storage
 * is exactly that of CSR, CSC, COO or square row-ordered BSR (of whole blocks only), the
 * matrix is of that very format, index base 0, and everything above serves it; else its
 * format is SPBLAS_FORMAT_CUSTOM. Attributes, plans and later changes of matA do not
 * come along.
 *
 * In blocks and diagonals, those of BSR too, a stored zero cannot be told from padding: it
 * counts as none, and converting on drops it. Indices are 64I if one of matA's arrays is or a
 * number asks for it, else 32I.
 *
 * Reads    all of matA: CSR, CSC, COO, BSR (any base, indices in any order) or CUSTOM.
 *          Its structure is checked first, as SPBLAS_SPMAT_VALIDATE does
 * Writes   *matB; NULL on failure
 * Errors   INVALID_VALUE a NULL argument, a foreign descriptor, missing arrays, a
 *          malformed structure, a format that is not one of matrices, two elements at one
 *          place, a result that would be almost only padding (more than 2^26 slots and
 *          more than 256 for each element); NOT_SUPPORTED a batch, 16-bit indices, a
 *          function of the data that counts zeros; ALLOC_FAILED
 * Memory   released by spblasDestroySpMat
 * GPU      a matrix in its memory is converted by the host, which waits; CSR, CSC, COO and BSR
 *          go back there, other storage stays the host's and is computed with there
 * Threads  one handle per thread; matA and format may be shared. Works on the team
 * Source   UniSparse, section 5
 */
SPBLAS_API spblasStatus_t spblasConvert(spblasHandle_t handle,
                                        spblasConstSpMatDescr_t matA,
                                        spblasConstFormatDescr_t format,
                                        spblasSpMatDescr_t *matB);

/*
 * One level of a part: `count` nodes.
 *   idx  index of each node at idx[p * idxStride]; NULL: every index from lo to
 *        lo + size under each parent, in order (where there is ptr: from lo, as many as
 *        the parent has nodes). lo - 1 marks a node as empty, in levels that are not
 *        trimmed (the columns of ELL: -1)
 *   ptr  ptr[p] is the first node under node p of the level above, ptr[p + 1] the end
 *        (the root counts as one node); NULL: each parent has count / parents nodes
 */
typedef struct {
    size_t structSize; /* set by the caller to sizeof(spblasLevelInfo_t) */
    int levels;        /* of the part */
    int64_t count, lo, size;
    const void *idx, *ptr;
    int64_t ptrCount;             /* entries of ptr: parents + 1, or 0 */
    int64_t idxStride, ptrStride; /* elements between entries, 0 without the array; 1
                                     but in the records of pack */
    spblasIndexType_t idxType, ptrType;
} spblasLevelInfo_t;

/*
 * The arrays of any matrix. Parts are what has arrays of its own: parts of a hybrid,
 * banks of a partition, nested ones depth first; any other matrix is one part. Levels
 * are those of the part's format, from 0 at the top. The arrays of CSR, CSC, COO and BSR
 * are the matrix's own (of one member), their numbers counted from its index base.
 *
 * PartValues: value of leaf p at values[p * stride], `count` of them, padding (zero)
 * included. They are read at each compute call, and SDDMM writes them.
 *
 * FormatText: of a part's format, or with part -1 of the whole matrix's; text and size
 * as in spblasFormatGetText.
 *
 * Writes   the outputs; of *info the members up to info->structSize, except structSize
 * Errors   INVALID_VALUE a NULL argument but text, no such part or level, structSize too
 *          small for one member; NOT_SUPPORTED blocks of more than 2^30 rows;
 *          INSUFFICIENT_RESOURCES as in spblasFormatGetText; ALLOC_FAILED
 * Memory   arrays are the matrix's: valid until it is destroyed or pointed elsewhere
 * Threads  any
 */
SPBLAS_API spblasStatus_t spblasSpMatGetPartCount(spblasConstSpMatDescr_t spMatDescr,
                                                  int *count);
SPBLAS_API spblasStatus_t spblasSpMatGetPartLevel(spblasConstSpMatDescr_t spMatDescr,
                                                  int part, int level,
                                                  spblasLevelInfo_t *info);
SPBLAS_API spblasStatus_t spblasSpMatGetPartValues(spblasConstSpMatDescr_t spMatDescr,
                                                   int part, const void **values,
                                                   int64_t *count, int64_t *stride);
SPBLAS_API spblasStatus_t spblasSpMatGetFormatText(spblasConstSpMatDescr_t spMatDescr,
                                                   int part, char *text, size_t *size);

/*
 * A matrix over the caller's own arrays in `format`: those that spblasFormatGetArrays
 * names, a level each, as spblasSpMatGetPartLevel gives them. Of level[q] are read idx,
 * ptr, idxStride (1 but in the records of pack) and the types, which are the same for all
 * idx and for all ptr, 32I or 64I, counted from 0; and count, which may be 0 where ptr or
 * the levels above say it. Storage of CSR, CSC, COO or square BSR gives a matrix of that
 * format, else it is SPBLAS_FORMAT_CUSTOM.
 *
 * Shapes   rows x cols elements; values[p * valueStride] of node p of the last level,
 *          padding included, which should be zero; valueStride is 1 unless pack puts
 *          the values into the records
 * Reads    all of the structure, which is checked: offsets, ranges, order, and that the
 *          levels of an element agree; values where a format pads without marks, for nnz.
 *          SPBLAS_SPMAT_VALIDATE checks it again at each analysis and call
 * Writes   *spMatDescr; NULL on failure
 * Errors   INVALID_VALUE a NULL argument, a format that is not one of matrices, negative
 *          sizes, an unknown type, another number of levels, arrays missing, too many or
 *          misaligned, a malformed structure (the sentence has the level); NOT_SUPPORTED a
 *          hybrid or a partition, whose parts have arrays of their own (convert to them),
 *          16-bit indices; ALLOC_FAILED
 * Memory   the arrays stay the caller's; format may be destroyed
 * Threads  any
 */
SPBLAS_API spblasStatus_t spblasCreateCustom(spblasSpMatDescr_t *spMatDescr,
                                             spblasConstFormatDescr_t format,
                                             int64_t rows, int64_t cols, int levels,
                                             const spblasLevelInfo_t *level,
                                             void *values, int64_t valueStride,
                                             spblasDataType_t valueType);
SPBLAS_API spblasStatus_t spblasCreateConstCustom(
    spblasConstSpMatDescr_t *spMatDescr, spblasConstFormatDescr_t format, int64_t rows,
    int64_t cols, int levels, const spblasLevelInfo_t *level, const void *values,
    int64_t valueStride, spblasDataType_t valueType);

/* ---- Operations on sparse vectors -------------------------------------------------- */
/*
 * X sparse and Y dense, of the same size and value type. Nothing is kept between calls
 * and nothing allocated; long vectors are spread over the team.
 *
 * An index that occurs several times counts each time: Axpby adds all its values, SpVV
 * multiplies all, Gather fills all, Scatter leaves the last, Rot takes one after
 * another. Indices outside the vector are passed over: nothing is read or written for
 * them.
 *
 * Types that compute: R_32F, R_64F, C_32F, C_64F with themselves; R_16F and R_16BF with
 * R_32F; C_16F and C_16BF with C_32F; in SpVV also R_8I with R_32I (which wraps) or R_32F.
 * Gather and Scatter take any value type.
 *
 * Errors that all share
 *   INVALID_VALUE    NULL handle, descriptor, scalar or output pointer; a foreign
 *                    descriptor; sizes that differ; an array that is NULL although its
 *                    length is not 0; an unknown operation or type
 *   NOT_SUPPORTED    value types that differ or do not compute; 16-bit indices
 */

/*
 * Axpby    Y = alpha * X + beta * Y; beta == 0 never reads Y. A 16-bit Y is rounded when
 *          it is scaled (beta neither 0 nor 1) and at each addition
 * Gather   X's values = Y at X's indices
 * Scatter  Y at X's indices = X's values
 * Rot      at each index of X: Y = c * Y - s * X and X = c * X + s * Y, from the values
 *          before
 *
 * Reads    the scalars in the compute type; what stands on the right
 * Memory   X and Y must not overlap
 * GPU      nothing waits; an index must not come twice, but in Gather
 * Threads  one handle per thread; what is read may be shared
 * Source   cusparseAxpby, cusparseGather, cusparseScatter, cusparseRot
 */
SPBLAS_API spblasStatus_t spblasAxpby(spblasHandle_t handle, const void *alpha,
                                      spblasConstSpVecDescr_t vecX, const void *beta,
                                      spblasDnVecDescr_t vecY);
SPBLAS_API spblasStatus_t spblasGather(spblasHandle_t handle,
                                       spblasConstDnVecDescr_t vecY,
                                       spblasSpVecDescr_t vecX);
SPBLAS_API spblasStatus_t spblasScatter(spblasHandle_t handle,
                                        spblasConstSpVecDescr_t vecX,
                                        spblasDnVecDescr_t vecY);
SPBLAS_API spblasStatus_t spblasRot(spblasHandle_t handle, const void *c_coeff,
                                    const void *s_coeff, spblasSpVecDescr_t vecX,
                                    spblasDnVecDescr_t vecY);

/*
 * *result = op(X) . Y, the sum of products; CONJUGATE_TRANSPOSE conjugates X, TRANSPOSE
 * changes nothing. bufferSize answers 0 on the CPU backend, and its `result` is not looked
 * at.
 *
 * Writes   *result, of computeType
 * GPU      nothing waits when the result is the GPU's; the sum is the same every time, but
 *          in another order than the host's
 * Threads  one handle per thread; X and Y may be shared
 * Source   cusparseSpVV
 */
SPBLAS_API spblasStatus_t spblasSpVV_bufferSize(
    spblasHandle_t handle, spblasOperation_t opX, spblasConstSpVecDescr_t vecX,
    spblasConstDnVecDescr_t vecY, const void *result, spblasDataType_t computeType,
    size_t *bufferSize);
SPBLAS_API spblasStatus_t spblasSpVV(spblasHandle_t handle, spblasOperation_t opX,
                                     spblasConstSpVecDescr_t vecX,
                                     spblasConstDnVecDescr_t vecY, void *result,
                                     spblasDataType_t computeType,
                                     void *externalBuffer);

/* ---- Between dense and sparse ---------------------------------------------------- */
/*
 * Values are copied as they are; both matrices have the same value type, any. A dense
 * matrix may have either order and any ld. bufferSize answers 0 on the CPU backend, and
 * externalBuffer may then be NULL.
 *
 * Errors that all share
 *   INVALID_VALUE    NULL handle, descriptor or output pointer; a foreign descriptor; an
 *                    unknown algorithm; shapes that differ; an array that is NULL
 *                    although its length is not 0
 *   NOT_SUPPORTED    value types that differ; 16-bit indices; a batch; a format that is
 *                    not listed
 */

/*
 * B = A, in any sparse format: zeros where A stores nothing. Entries of A at the same
 * place add up in A's order, in double precision and rounded to the type each time
 * (integers saturate).
 *
 * Reads    A.  Writes B; gaps of ld stay
 * Errors   ALLOC_FAILED a CUSTOM A; with SPBLAS_SPMAT_VALIDATE INVALID_VALUE for a
 *          malformed structure
 * Memory   A and B must not overlap. Allocates nothing, but for a CUSTOM A
 * GPU      nothing waits (but for VALIDATE). Entries of a COO at the same place add up only
 *          where they follow each other; a CUSTOM A is the host's
 * Threads  one handle per thread; A may be shared, B not. Works on the team
 * Source   cusparseSparseToDense
 */
SPBLAS_API spblasStatus_t spblasSparseToDense_bufferSize(spblasHandle_t handle,
                                                         spblasConstSpMatDescr_t matA,
                                                         spblasDnMatDescr_t matB,
                                                         spblasSparseToDenseAlg_t alg,
                                                         size_t *bufferSize);
SPBLAS_API spblasStatus_t spblasSparseToDense(spblasHandle_t handle,
                                              spblasConstSpMatDescr_t matA,
                                              spblasDnMatDescr_t matB,
                                              spblasSparseToDenseAlg_t alg,
                                              void *externalBuffer);

/*
 * B = the non-zeros of A (-0 is a zero, NaN is none), B a CSR, CSC or COO that was made
 * with any nnz, or a Blocked-ELL:
 *
 *     _analysis    counts them: B's nnz is set (spblasSpMatGetSize), and B's offsets,
 *                  which must be there, are written
 *     B's other arrays are made that long and named with spblas*SetPointers
 *     _convert     writes indices and values: row after row (CSC: column after column),
 *                  in order inside. A must be as it was at the analysis
 *
 * A Blocked-ELL B has its block columns already: the analysis has nothing to do, and
 * _convert writes the values of its blocks. What A holds elsewhere is left out, and
 * values of empty slots stay.
 *
 * Reads    A; _convert also B's offsets
 * Errors   INVALID_VALUE from _analysis: too many non-zeros for B's index type, B's
 *          offsets are then undefined; from _convert: A or the offsets have changed, B's
 *          arrays are then undefined. NOT_SUPPORTED B of another format, or made by
 *          spblasConvert
 * Memory   allocates nothing. _analysis drops B's plans
 * GPU      _analysis waits for the number, _convert for nothing: it does not say that A has
 *          changed, but writes nothing outside of B's arrays. The buffer need not hold
 *          between the two
 * Threads  one handle per thread; A may be shared, B not. Works on the team
 * Source   cusparseDenseToSparse
 */
SPBLAS_API spblasStatus_t spblasDenseToSparse_bufferSize(spblasHandle_t handle,
                                                         spblasConstDnMatDescr_t matA,
                                                         spblasSpMatDescr_t matB,
                                                         spblasDenseToSparseAlg_t alg,
                                                         size_t *bufferSize);
SPBLAS_API spblasStatus_t spblasDenseToSparse_analysis(spblasHandle_t handle,
                                                       spblasConstDnMatDescr_t matA,
                                                       spblasSpMatDescr_t matB,
                                                       spblasDenseToSparseAlg_t alg,
                                                       void *externalBuffer);
SPBLAS_API spblasStatus_t spblasDenseToSparse_convert(spblasHandle_t handle,
                                                      spblasConstDnMatDescr_t matA,
                                                      spblasSpMatDescr_t matB,
                                                      spblasDenseToSparseAlg_t alg,
                                                      void *externalBuffer);

/* ---- Plans ----------------------------------------------------------------------- */

/* Facts about one plan. */
typedef struct {
    size_t structSize;       /* set by the caller to sizeof(spblasPlanInfo_t) */
    double predictedSeconds; /* of one execution, by the model; 0 if it did not say */
    double measuredSeconds;  /* of one execution; 0 if it was not timed */
    double analysisSeconds;  /* what the analysis cost */
    int64_t bytes;           /* memory the plan holds */
    int parts;               /* kernel launches one after another; 0: the plain path */
} spblasPlanInfo_t;

/*
 * Number of plans beside a matrix. They are numbered from the one an analysis made last
 * (0) to the oldest; an analysis of the same problem replaces its plan.
 *
 * Errors   INVALID_VALUE a NULL argument
 * Threads  any, also while others compute or analyse with the matrix
 */
SPBLAS_API spblasStatus_t spblasSpMatGetPlanCount(spblasConstSpMatDescr_t spMatDescr,
                                                  int *count);

/*
 * Facts about plan `index`.
 *
 * Writes   the members of *info up to info->structSize bytes, except structSize
 * Errors   INVALID_VALUE a NULL argument, no such plan, structSize too small for one
 *          member
 * Threads  as spblasSpMatGetPlanCount
 */
SPBLAS_API spblasStatus_t spblasSpMatGetPlanInfo(spblasConstSpMatDescr_t spMatDescr,
                                                 int index, spblasPlanInfo_t *info);

/*
 * Plan `index` as one line of text that SPBLAS_SPMAT_PLAN_TEXT accepts, or its
 * explanation for people: parts, their shares, predictions, reasons; several lines.
 *
 * Reads    *size: bytes at `text`; with text NULL it is not read
 * Writes   *size: bytes of the text with its NUL; text, when that is large enough
 * Errors   INVALID_VALUE a NULL argument but text, no such plan;
 *          INSUFFICIENT_RESOURCES *size too small (*size then says what is needed);
 *          NOT_SUPPORTED the text of a CUSTOM matrix's plan, which its format determines
 * Threads  as spblasSpMatGetPlanCount
 */
SPBLAS_API spblasStatus_t spblasSpMatGetPlanText(spblasConstSpMatDescr_t spMatDescr,
                                                 int index, char *text, size_t *size);
SPBLAS_API spblasStatus_t spblasSpMatGetPlanExplanation(
    spblasConstSpMatDescr_t spMatDescr, int index, char *text, size_t *size);

/* ---- Wisdom ---------------------------------------------------------------------- */

/*
 * Plans whose speed an analysis has measured (SPBLAS_SPMAT_EFFORT above ESTIMATE) are
 * remembered by the process: the next analysis of the same structure, for the same
 * operation, types, layouts, sizes and machine, takes the plan again without measuring,
 * whatever its effort up to that one, and its explanation says so. A plan is built anew
 * on the matrix at hand, so wisdom decides speed, never results.
 *
 * Export and import: all of it as text, a line an entry, with a checksum at the end.
 * Importing adds; of two entries for one thing that of the larger effort stays, or else
 * the faster. Forget: an analysis measures again.
 *
 * ToFile, FromFile: the same with a file that processes may share. ToFile adds to what
 * the file has, under a lock (path with ".lock" behind it, which stays), and replaces it
 * at once, so readers see all of the old one or all of the new one. With the environment
 * variable SPBLAS_WISDOM the library does both by itself: the named file is read at the
 * first analysis and added to after each that measured.
 *
 * Reads    text, NUL-terminated; *size as spblasFormatGetText does
 * Writes   text and *size as spblasFormatGetText does; the file
 * Errors   INVALID_VALUE a NULL argument but Export's text; a text or file that is no
 *          wisdom, was cut off or changed (the sentence has the line): nothing of it is
 *          taken, and such a file is not written over. INSUFFICIENT_RESOURCES *size too
 *          small. EXECUTION_FAILED a file that cannot be read, locked or written, or that
 *          others than this user may write. ALLOC_FAILED: nothing has changed
 * Memory   at most 16384 entries are kept, some 200 bytes each; the oldest leaves
 * Threads  any
 * Source   FFTW's wisdom
 */
SPBLAS_API spblasStatus_t spblasExportWisdom(char *text, size_t *size);
SPBLAS_API spblasStatus_t spblasImportWisdom(const char *text);
SPBLAS_API spblasStatus_t spblasForgetWisdom(void);
SPBLAS_API spblasStatus_t spblasExportWisdomToFile(const char *path);
SPBLAS_API spblasStatus_t spblasImportWisdomFromFile(const char *path);

/* ---- Products -------------------------------------------------------------------- */
/*
 * Each product has the same four functions.
 *
 *   X_bufferSize  bytes of scratch that the others want; on the CPU backend 0 but for a
 *                 wide SpMM, one by columns, and an SpMV by A^T or a CSC, see there.
 *                 Reads no array. alpha and beta are not looked at and may be NULL. On a
 *                 GPU it makes kernels ready.
 *   X_analysis    studies the sparse structure and keeps a plan beside the sparse
 *                 descriptor, for this combination of shapes, types, layouts and
 *                 operations. Reads the structure arrays; of values, dense arrays and
 *                 scalars nothing (except, with VALUES_FROZEN, the sparse values).
 *                 Costs what SPBLAS_SPMAT_EFFORT says. May run while other threads
 *                 compute with the same descriptor.
 *   X_preprocess  the same function under cuSPARSE's name.
 *   X             computes. Uses the plan made for such a call if there is one. The
 *                 structure must be as it was at the analysis; values, dense arrays and
 *                 scalars are read anew. Allocates nothing, compiles nothing; but see
 *                 CUSTOM below.
 *
 * computeType is the type of alpha, beta and all sums; results are rounded once, when
 * stored. Integer sums wrap. beta == 0 never reads the output, which may hold NaN.
 * alpha == 0 still multiplies (0 * NaN is NaN).
 *
 * externalBuffer may be NULL when bufferSize is 0, and on the CPU backend always; else it
 * has as many bytes as bufferSize said. Nothing is kept in it afterwards, so each call may
 * have another. On a GPU a product without an analysis is also right with
 * NULL, but a long row keeps it waiting; a buffer in host memory is INVALID_VALUE there.
 *
 * CUSTOM matrices: the program that a format says is compiled at the analysis, whatever
 * the effort; MEMORY_LIMIT and VALUES_FROZEN have nothing to decide. Without
 * an analysis every call makes the program anew, which allocates and may compile: right,
 * but slow. Where there is no C compiler it is interpreted, slower by far, and allocates.
 * A product is spread over threads where the rows of its C lead the levels (CSR, DIA,
 * BSR; CSC transposed); others (COO, hyb, most transposed ones) run on one. Where they do
 * not, and in blocks, sums are kept in C itself, so one of 16 bits is rounded at each
 * addition. Padding takes part in nothing, and SDDMM leaves it as it is.
 *
 * Batches: every operand is single or has as many members as the output; a single
 * operand serves every member. An output with several members needs nonzero strides.
 *
 * Errors that all share
 *   INVALID_VALUE    NULL handle, descriptor, scalar (compute only) or output pointer;
 *                    a foreign descriptor; an unknown operation, type or algorithm;
 *                    shapes or batches that do not fit; an array that is NULL although
 *                    its length is not 0; with SPBLAS_SPMAT_VALIDATE a malformed
 *                    structure
 *   NOT_SUPPORTED    a type combination outside the table; an algorithm of another
 *                    format; 16-bit indices
 *   ALLOC_FAILED     analysis only; compute calls with a CUSTOM matrix as said above
 */

/*
 * C = alpha * op(A) * op(B) + beta * C
 *
 * Shapes   op(A) m x k sparse (any format); op(B) k x n; C m x n. B and C in
 *          either order, independently
 * Types    A, B, C all R_32F, R_64F, C_32F or C_64F with the same computeType;
 *          A, B R_8I -> C R_32I with R_32I;  A, B R_8I -> C R_32F with R_32F;
 *          A, B R_16F -> C R_16F or R_32F with R_32F;  R_16BF likewise;
 *          A, B, C all C_16F or C_16BF with C_32F
 *          (Blocked-ELL of R_16F alone: all R_16F with R_16F too, which is the scalars'
 *          type; sums are R_32F)
 * Reads    A, B; C unless beta is 0.  Writes C; ld gaps stay untouched
 * Memory   B and C must not overlap
 * Buffer   on the CPU about as many bytes as B has, where its rows are long and A has many
 *          entries a row, by sizes and types alone; else 0. Columns of B are copied there
 *          side by side, some at a time. The plan's bits are those without a buffer; those
 *          of a call without a plan may be others. Where B or C lies by columns, about as
 *          many bytes as both, at most 64 MiB or a few columns: some at a time are put by
 *          rows there, which is several times as fast; without it the bits may be others. Of one
 *          column what spblasSpMV wants. A
 *          PLAN_TEXT with a slab counts from when it is set, so ask after setting it.
 *          On a GPU sums of rows that blocks share, and where B or C lies by columns about as
 *          many bytes as these have (C's of computeType), at most 1 GiB or 32 columns of them:
 *          they are put by rows there, and a plan is not used without it.
 *          Calls from several threads want a buffer each
 * Threads  one handle per thread; A and B may be shared, C not
 * Source   cusparseSpMM; SparseTIR (Ye et al., ASPLOS 2023) for the plans' hyb(c, k)
 */
SPBLAS_API spblasStatus_t spblasSpMM_bufferSize(
    spblasHandle_t handle, spblasOperation_t opA, spblasOperation_t opB,
    const void *alpha, spblasConstSpMatDescr_t matA, spblasConstDnMatDescr_t matB,
    const void *beta, spblasDnMatDescr_t matC, spblasDataType_t computeType,
    spblasSpMMAlg_t alg, size_t *bufferSize);
SPBLAS_API spblasStatus_t spblasSpMM_analysis(
    spblasHandle_t handle, spblasOperation_t opA, spblasOperation_t opB,
    const void *alpha, spblasConstSpMatDescr_t matA, spblasConstDnMatDescr_t matB,
    const void *beta, spblasDnMatDescr_t matC, spblasDataType_t computeType,
    spblasSpMMAlg_t alg, void *externalBuffer);
SPBLAS_API spblasStatus_t spblasSpMM_preprocess(
    spblasHandle_t handle, spblasOperation_t opA, spblasOperation_t opB,
    const void *alpha, spblasConstSpMatDescr_t matA, spblasConstDnMatDescr_t matB,
    const void *beta, spblasDnMatDescr_t matC, spblasDataType_t computeType,
    spblasSpMMAlg_t alg, void *externalBuffer);
SPBLAS_API spblasStatus_t spblasSpMM(spblasHandle_t handle, spblasOperation_t opA,
                                     spblasOperation_t opB, const void *alpha,
                                     spblasConstSpMatDescr_t matA,
                                     spblasConstDnMatDescr_t matB, const void *beta,
                                     spblasDnMatDescr_t matC,
                                     spblasDataType_t computeType, spblasSpMMAlg_t alg,
                                     void *externalBuffer);

/*
 * y = alpha * op(A) * x + beta * y
 *
 * Shapes   op(A) m x k sparse (any format), without batch; x k and y m elements
 * Types    those of spblasSpMM (A for A, x for B, y for C), and
 *          A R_32F, x and y R_64F with R_64F;
 *          A R_32F, x and y C_32F with C_32F;  A R_64F, x and y C_64F with C_64F
 * Reads    A, x; y unless beta is 0.  Writes y
 * Memory   x and y must not overlap
 * Buffer   on the CPU, where op(A) is A^T or A^H of a CSR or COO, or A of a CSC, room for 2 to 8
 *          times y in the compute type (by sizes, from 20 000 entries and two an element of y
 *          on); else 0. With it as many threads, at most, read A in a call without a plan;
 *          with NULL one does, or, where y is of 16 bits, each reads all of A. Last bits of y
 *          depend on whether it was there, not on the number of threads. Calls from several
 *          threads want a buffer each
 * Threads  one handle per thread; A and x may be shared, y not
 * Source   cusparseSpMV
 */
SPBLAS_API spblasStatus_t spblasSpMV_bufferSize(
    spblasHandle_t handle, spblasOperation_t opA, const void *alpha,
    spblasConstSpMatDescr_t matA, spblasConstDnVecDescr_t vecX, const void *beta,
    spblasDnVecDescr_t vecY, spblasDataType_t computeType, spblasSpMVAlg_t alg,
    size_t *bufferSize);
SPBLAS_API spblasStatus_t spblasSpMV_analysis(
    spblasHandle_t handle, spblasOperation_t opA, const void *alpha,
    spblasConstSpMatDescr_t matA, spblasConstDnVecDescr_t vecX, const void *beta,
    spblasDnVecDescr_t vecY, spblasDataType_t computeType, spblasSpMVAlg_t alg,
    void *externalBuffer);
SPBLAS_API spblasStatus_t spblasSpMV_preprocess(
    spblasHandle_t handle, spblasOperation_t opA, const void *alpha,
    spblasConstSpMatDescr_t matA, spblasConstDnVecDescr_t vecX, const void *beta,
    spblasDnVecDescr_t vecY, spblasDataType_t computeType, spblasSpMVAlg_t alg,
    void *externalBuffer);
SPBLAS_API spblasStatus_t spblasSpMV(spblasHandle_t handle, spblasOperation_t opA,
                                     const void *alpha, spblasConstSpMatDescr_t matA,
                                     spblasConstDnVecDescr_t vecX, const void *beta,
                                     spblasDnVecDescr_t vecY,
                                     spblasDataType_t computeType, spblasSpMVAlg_t alg,
                                     void *externalBuffer);

/*
 * C = alpha * (op(A) * op(B)) o spy(C) + beta * C, where o spy(C) keeps the places that
 * C stores: each stored value becomes alpha times a dot product plus beta times itself.
 *
 * Shapes   op(A) m x k dense, op(B) k x n dense, C m x n sparse (any format). A
 *          and B in either order. A place that C stores twice is computed twice
 * Types    A, B, C all R_32F, R_64F, C_32F or C_64F with the same computeType;
 *          A, B R_16F -> C R_16F or R_32F with R_32F;  R_16BF likewise
 * Reads    A, B, C's structure; C's values unless beta is 0.  Writes C's values
 * Memory   C's values must not overlap A or B
 * Threads  one handle per thread; A and B may be shared, C not
 * Source   cusparseSDDMM (which has neither CSC nor COO nor conjugation here)
 */
SPBLAS_API spblasStatus_t spblasSDDMM_bufferSize(
    spblasHandle_t handle, spblasOperation_t opA, spblasOperation_t opB,
    const void *alpha, spblasConstDnMatDescr_t matA, spblasConstDnMatDescr_t matB,
    const void *beta, spblasSpMatDescr_t matC, spblasDataType_t computeType,
    spblasSDDMMAlg_t alg, size_t *bufferSize);
SPBLAS_API spblasStatus_t spblasSDDMM_analysis(
    spblasHandle_t handle, spblasOperation_t opA, spblasOperation_t opB,
    const void *alpha, spblasConstDnMatDescr_t matA, spblasConstDnMatDescr_t matB,
    const void *beta, spblasSpMatDescr_t matC, spblasDataType_t computeType,
    spblasSDDMMAlg_t alg, void *externalBuffer);
SPBLAS_API spblasStatus_t spblasSDDMM_preprocess(
    spblasHandle_t handle, spblasOperation_t opA, spblasOperation_t opB,
    const void *alpha, spblasConstDnMatDescr_t matA, spblasConstDnMatDescr_t matB,
    const void *beta, spblasSpMatDescr_t matC, spblasDataType_t computeType,
    spblasSDDMMAlg_t alg, void *externalBuffer);
SPBLAS_API spblasStatus_t spblasSDDMM(spblasHandle_t handle, spblasOperation_t opA,
                                      spblasOperation_t opB, const void *alpha,
                                      spblasConstDnMatDescr_t matA,
                                      spblasConstDnMatDescr_t matB, const void *beta,
                                      spblasSpMatDescr_t matC,
                                      spblasDataType_t computeType,
                                      spblasSDDMMAlg_t alg, void *externalBuffer);

/* ---- Products over operators of the caller's -------------------------------------- */
/*
 * C[i, c] = epilogue(op(A)[i, j1] mul op(B)[j1, c] add op(A)[i, j2] mul op(B)[j2, c] ..,
 *                    C[i, c])
 *
 * over the entries that A stores. The operators are expressions in the computeType over a
 * and b:
 *
 *   addOperation   a: the sum so far, b: the next product         NULL: "a + b"
 *   addZero        what a sum begins with, and what a row without entries has; may be NULL
 *                  where addOperation is a + b, a * b, min(a, b) or max(a, b): 0, 1, the
 *                  largest, the smallest value
 *   mulOperation   a: an element of op(A), b: of op(B)            NULL: "a * b"
 *   epilogue       a: the sum, b: C's old value, which is not read without b; NULL: "a"
 *
 *     spblasSpMMOp_createPlan(h, &plan, N, N, A, B, C, SPBLAS_R_32F, alg,
 *                             "min(a, b)", NULL, "a + b", "min(a, b)", &size);
 *     for (...) spblasSpMMOp(plan, NULL);                  one step of shortest paths
 *     spblasSpMMOp_destroyPlan(plan);
 *
 * Expressions have + - * /, comparisons, && || !, min, max, select(condition, a, b),
 * conj(a), cast(type, a) and literals (0.5, inf; of integers 3:i32), docs/ir.md has the
 * language; up to 24 operators deep and 4096 bytes. What depends on the operands to be
 * defined is refused: a quotient of integers by anything but a positive literal, a real
 * cast to an integer. Integers must not overflow.
 *
 * Sums go by the entries of a row, in the order of storage in CSR (CSC transposed), by
 * columns in other matrices; entries at one place come one after another. Results are
 * rounded once.
 *
 * createPlan reads the structure and compiles; without a C compiler the program is
 * interpreted: slower by far, and every execution allocates. SpMMOp reads the operands of
 * createPlan as they are then: values, B's and C's included, may change and may be pointed
 * elsewhere, structure may not.
 *
 * Shapes   as spblasSpMM, batches as well
 * Types    as spblasSpMM; 16-bit and 8-bit elements are converted first
 * Reads    A, B; C if the epilogue has b.  Writes C; ld gaps stay untouched
 * Writes   createPlan: *plan (NULL on failure), *SpMMWorkspaceSize (0)
 * Errors   as spblasSpMM, and INVALID_VALUE for a text that is no such expression, with
 *          the operator and the place in it, and for an operand that has another shape,
 *          type, batch or structure array than at createPlan; NOT_SUPPORTED a CUSTOM A,
 *          whose stored zeros are not to be told from padding, which an operator must not
 *          see; ALLOC_FAILED createPlan, and SpMMOp that interprets
 * Memory   handle and descriptors must live as long as the plan. It holds its program
 *          and, but for CSR (CSC transposed), a copy of the structure: 8 m + (8 + i) nnz.
 *          Arrays are the host's or managed; of a GPU's memory alone: NOT_SUPPORTED
 * Threads  one handle per thread; several plans may share A and B
 * Source   cusparseSpMMOp, whose operators are compiled code
 */
SPBLAS_API spblasStatus_t spblasSpMMOp_createPlan(
    spblasHandle_t handle, spblasSpMMOpPlan_t *plan, spblasOperation_t opA,
    spblasOperation_t opB, spblasConstSpMatDescr_t matA, spblasConstDnMatDescr_t matB,
    spblasDnMatDescr_t matC, spblasDataType_t computeType, spblasSpMMOpAlg_t alg,
    const char *addOperation, const char *addZero, const char *mulOperation,
    const char *epilogue, size_t *SpMMWorkspaceSize);
SPBLAS_API spblasStatus_t spblasSpMMOp(spblasSpMMOpPlan_t plan, void *externalBuffer);
/* NULL is SUCCESS. */
SPBLAS_API spblasStatus_t spblasSpMMOp_destroyPlan(spblasSpMMOpPlan_t plan);

/* ---- Products of sparse matrices ------------------------------------------------- */
/*
 * C = alpha * A * B + beta * C, all three CSR: C's pattern is every place that a product
 * of entries falls on, its columns ascend in a row. Two passes: compute counts, which
 * tells C's size, copy multiplies into the caller's arrays.
 *
 *     spblasSpGEMM_createDescr(&d);
 *     spblasSpGEMM_workEstimation(h, ..., d, &size1, NULL);      size of buffer 1
 *     spblasSpGEMM_workEstimation(h, ..., d, &size1, buffer1);   counts products
 *     spblasSpGEMM_compute(h, ..., d, &size2, NULL);             size of buffer 2
 *     spblasSpGEMM_compute(h, ..., d, &size2, buffer2);          counts C's entries
 *     spblasSpMatGetSize(C, &m, &n, &nnz);  ... allocate C's arrays ...
 *     spblasCsrSetPointers(C, ptr, idx, val);
 *     spblasSpGEMM_copy(h, ..., d);                              multiplies
 *     spblasSpGEMM_destroyDescr(d);
 *
 * and where only values change from product to product, SpGEMMreuse:
 *
 *     spblasSpGEMMreuse_workEstimation  twice, with buffer 1
 *     spblasSpGEMMreuse_nnz             twice, with buffers 2, 3, 4: counts C's entries;
 *                                       buffers 1 and 2 are free
 *     ... allocate C's arrays, spblasCsrSetPointers ...
 *     spblasSpGEMMreuse_copy            twice, with buffer 5: writes C's offsets and
 *                                       columns; buffer 3 is free
 *     spblasSpGEMMreuse_compute         any number of times: writes C's values, nothing
 *                                       is counted, listed or sorted again
 *
 * A function with a buffer argument only says its size when the buffer is NULL (of
 * several: when one is), and estimateMemory then needs no bufferSize2. Sizes are never 0.
 *
 * Shapes   A m x k, B k x n, C m x n. C is made with nnz 0 and NULL arrays (or whatever it
 *          has); compute and nnz set its nnz
 * Types    A, B, C all R_32F, R_64F, C_32F or C_64F with the same computeType; all R_16F
 *          with R_16F or R_32F, summed in R_32F and rounded once; R_16BF likewise, C_16F and
 *          C_16BF with C_32F for R_32F. Any index types and bases, of each matrix its own
 * Reads    A's and B's structure, their values and C's (unless beta is 0) from copy on,
 *          alpha and beta there too. Columns of A and B may come in any order; entries at
 *          one place add up. The structure must stay as it is between the calls; for
 *          compute of SpGEMMreuse C's too. The matrices may have other descriptors
 * Writes   copy: C's offsets, columns and values; they may not overlap A, B or a buffer.
 *          beta not 0: C's old values stand, in order, at the places that are written
 * Errors   INVALID_VALUE a NULL or foreign argument, an unknown operation, type or
 *          algorithm, shapes that do not fit, a missing array, calls out of order or with
 *          matrices of other sizes or types than before, chunk_fraction not in (0, 1],
 *          with SPBLAS_SPMAT_VALIDATE a malformed A or B; NOT_SUPPORTED an operation but
 *          NON_TRANSPOSE, a format but CSR, batches, 16-bit indices, a type combination
 *          not above; INSUFFICIENT_RESOURCES a buffer too small for one thread (sizes
 *          are read when the buffer is there), more entries of C than its offsets can count,
 *          more than 2^63 products; ALLOC_FAILED createDescr only
 * Memory   nothing is allocated but the descriptor, and no array of all products is made.
 *          Bytes, with r the most products of a row (at most n), i of an index, v of a sum:
 *            buffer 1     8 (m + 1)
 *            buffer 2     8 (m + 1) + threads * (n (1 + v + 1/8 + 1/512) + i (r + 1))
 *          Matrices of more than 2^20 columns whose rows all have at most 1024 products
 *          need 2048 (8 + v) in place of n (...). Reuse: buffer 1 the same; 2 and 3 a
 *          thread's share without sums (v = 0), 4 16 (m + 1), 5 shares with sums. Arrays
 *          begin on lines of 64 bytes. A buffer that holds the share of fewer threads, one
 *          at least, is taken, and fewer work: estimateMemory says what compute wants for
 *          chunk_fraction of the threads. Buffers 1 and 2 are needed until copy has
 *          returned, 4 and 5 of SpGEMMreuse as long as compute is called
 * GPU      workEstimation, compute and nnz wait for what they count. Bytes, with t the sum
 *          over rows of the products or, if fewer, n, and u = max(2 i, v): buffer 1
 *          16 (m + 1); 2 8 (m + 1) + at least the row's share of u t that is largest, at most
 *          512 MiB are asked for; reuse: 2, 3, 5 such shares, 4 24 (m + 1); and 1/128 of m
 *          words in 1 and 2 for sums. Rows that do not fit go batch after batch, and then copy
 *          and reuse's copy and compute wait too. estimateMemory gives a share of that.
 *          Sums are in the order of A's entries
 * Threads  one handle and one descriptor a thread; A and B may be shared, C not
 * Source   cusparseSpGEMM, cusparseSpGEMMreuse; Gustavson, ACM TOMS 4(3), 1978
 */

/* A descriptor, and its end; NULL ends well. */
SPBLAS_API spblasStatus_t spblasSpGEMM_createDescr(spblasSpGEMMDescr_t *descr);
SPBLAS_API spblasStatus_t spblasSpGEMM_destroyDescr(spblasSpGEMMDescr_t descr);

SPBLAS_API spblasStatus_t spblasSpGEMM_workEstimation(
    spblasHandle_t handle, spblasOperation_t opA, spblasOperation_t opB,
    const void *alpha, spblasConstSpMatDescr_t matA, spblasConstSpMatDescr_t matB,
    const void *beta, spblasSpMatDescr_t matC, spblasDataType_t computeType,
    spblasSpGEMMAlg_t alg, spblasSpGEMMDescr_t spgemmDescr, size_t *bufferSize1,
    void *externalBuffer1);
/* Products of entries, known after workEstimation; 0 before. */
SPBLAS_API spblasStatus_t spblasSpGEMM_getNumProducts(spblasSpGEMMDescr_t spgemmDescr,
                                                      int64_t *num_prods);
SPBLAS_API spblasStatus_t spblasSpGEMM_estimateMemory(
    spblasHandle_t handle, spblasOperation_t opA, spblasOperation_t opB,
    const void *alpha, spblasConstSpMatDescr_t matA, spblasConstSpMatDescr_t matB,
    const void *beta, spblasSpMatDescr_t matC, spblasDataType_t computeType,
    spblasSpGEMMAlg_t alg, spblasSpGEMMDescr_t spgemmDescr, float chunk_fraction,
    size_t *bufferSize3, void *externalBuffer3, size_t *bufferSize2);
SPBLAS_API spblasStatus_t spblasSpGEMM_compute(
    spblasHandle_t handle, spblasOperation_t opA, spblasOperation_t opB,
    const void *alpha, spblasConstSpMatDescr_t matA, spblasConstSpMatDescr_t matB,
    const void *beta, spblasSpMatDescr_t matC, spblasDataType_t computeType,
    spblasSpGEMMAlg_t alg, spblasSpGEMMDescr_t spgemmDescr, size_t *bufferSize2,
    void *externalBuffer2);
SPBLAS_API spblasStatus_t spblasSpGEMM_copy(
    spblasHandle_t handle, spblasOperation_t opA, spblasOperation_t opB,
    const void *alpha, spblasConstSpMatDescr_t matA, spblasConstSpMatDescr_t matB,
    const void *beta, spblasSpMatDescr_t matC, spblasDataType_t computeType,
    spblasSpGEMMAlg_t alg, spblasSpGEMMDescr_t spgemmDescr);

SPBLAS_API spblasStatus_t spblasSpGEMMreuse_workEstimation(
    spblasHandle_t handle, spblasOperation_t opA, spblasOperation_t opB,
    spblasConstSpMatDescr_t matA, spblasConstSpMatDescr_t matB, spblasSpMatDescr_t matC,
    spblasSpGEMMAlg_t alg, spblasSpGEMMDescr_t spgemmDescr, size_t *bufferSize1,
    void *externalBuffer1);
SPBLAS_API spblasStatus_t spblasSpGEMMreuse_nnz(
    spblasHandle_t handle, spblasOperation_t opA, spblasOperation_t opB,
    spblasConstSpMatDescr_t matA, spblasConstSpMatDescr_t matB, spblasSpMatDescr_t matC,
    spblasSpGEMMAlg_t alg, spblasSpGEMMDescr_t spgemmDescr, size_t *bufferSize2,
    void *externalBuffer2, size_t *bufferSize3, void *externalBuffer3,
    size_t *bufferSize4, void *externalBuffer4);
SPBLAS_API spblasStatus_t spblasSpGEMMreuse_copy(
    spblasHandle_t handle, spblasOperation_t opA, spblasOperation_t opB,
    spblasConstSpMatDescr_t matA, spblasConstSpMatDescr_t matB, spblasSpMatDescr_t matC,
    spblasSpGEMMAlg_t alg, spblasSpGEMMDescr_t spgemmDescr, size_t *bufferSize5,
    void *externalBuffer5);
SPBLAS_API spblasStatus_t spblasSpGEMMreuse_compute(
    spblasHandle_t handle, spblasOperation_t opA, spblasOperation_t opB,
    const void *alpha, spblasConstSpMatDescr_t matA, spblasConstSpMatDescr_t matB,
    const void *beta, spblasSpMatDescr_t matC, spblasDataType_t computeType,
    spblasSpGEMMAlg_t alg, spblasSpGEMMDescr_t spgemmDescr);

/* ---- Sums of sparse matrices ------------------------------------------------------- */
/*
 * C = alpha * A + beta * B, all three CSR or all three CSC. C's pattern is every place that
 * A or B stores, whatever the scalars are.
 *
 *     spblasSpGEAM_createDescr(&d);
 *     spblasSpGEAM_bufferSize(h, ..., d, &size);             0, but for a GPU's handle
 *     spblasSpGEAM_nnz(h, ..., d, buffer);                   C's offsets and its nnz
 *     spblasSpMatGetSize(C, &m, &n, &nnz);  ... allocate C's arrays ...
 *     spblasCsrSetPointers(C, ptr, idx, val);
 *     spblasSpGEAM(h, ..., d, buffer);                       C's indices and values
 *     spblasSpGEAM_destroyDescr(d);
 *
 * nnz may be left out where C has the offsets and the size of the sum already: then values
 * change, or scalars, and the structure of A and B does not.
 *
 * Shapes   A, B, C m x n; C is made with its offsets, any nnz, and nothing else
 * Types    A, B, C all R_32F, R_64F, C_32F or C_64F with the same computeType; all R_16F
 *          with R_16F or R_32F, summed in R_32F and rounded once; R_16BF likewise. Indices
 *          of one type, offsets of any, bases of any
 * Reads    nnz: structure of A and B. SpGEAM: all of A and B, values of a matrix only if its
 *          scalar is not 0; C's offsets. Indices ascend in a row (CSC: column), where one is
 *          repeated so it is in C; unsorted ones give a C that has each entry, not in order
 * Writes   nnz: C's offsets, and its nnz. SpGEAM: C's indices, which ascend, and values; they
 *          may not overlap A or B
 * Errors   INVALID_VALUE a NULL or foreign argument, an unknown operation, type or
 *          algorithm, shapes that differ, a missing array, C's offsets not ending at its
 *          nnz, more entries than C has places (some are repeated); with
 *          SPBLAS_SPMAT_VALIDATE a malformed A or B. NOT_SUPPORTED an operation but
 *          NON_TRANSPOSE, other or different formats, a C that spblasConvert made, batches,
 *          16-bit indices, a type combination not above. INSUFFICIENT_RESOURCES from nnz:
 *          more entries than C's offsets can count; they are then undefined. ALLOC_FAILED
 *          createDescr only
 * Memory   nothing is allocated but the descriptor; a buffer of 0 bytes may be NULL. nnz
 *          drops C's plans
 * GPU      nnz waits and takes the buffer, SpGEAM neither; C's offsets are not looked at
 * Threads  one handle per thread; A and B may be shared, C not
 * Source   cusparseSpGEAM
 */

/* A descriptor, and its end; NULL ends well. */
SPBLAS_API spblasStatus_t spblasSpGEAM_createDescr(spblasSpGEAMDescr_t *descr);
SPBLAS_API spblasStatus_t spblasSpGEAM_destroyDescr(spblasSpGEAMDescr_t descr);

SPBLAS_API spblasStatus_t spblasSpGEAM_bufferSize(
    spblasHandle_t handle, spblasOperation_t opA, spblasOperation_t opB,
    const void *alpha, spblasConstSpMatDescr_t matA, const void *beta,
    spblasConstSpMatDescr_t matB, spblasSpMatDescr_t matC, spblasDataType_t computeType,
    spblasSpGEAMAlg_t alg, spblasSpGEAMDescr_t spgeamDescr, size_t *bufferSize);
SPBLAS_API spblasStatus_t spblasSpGEAM_nnz(
    spblasHandle_t handle, spblasOperation_t opA, spblasOperation_t opB,
    const void *alpha, spblasConstSpMatDescr_t matA, const void *beta,
    spblasConstSpMatDescr_t matB, spblasSpMatDescr_t matC, spblasDataType_t computeType,
    spblasSpGEAMAlg_t alg, spblasSpGEAMDescr_t spgeamDescr, void *externalBuffer);
SPBLAS_API spblasStatus_t spblasSpGEAM(
    spblasHandle_t handle, spblasOperation_t opA, spblasOperation_t opB,
    const void *alpha, spblasConstSpMatDescr_t matA, const void *beta,
    spblasConstSpMatDescr_t matB, spblasSpMatDescr_t matC, spblasDataType_t computeType,
    spblasSpGEAMAlg_t alg, spblasSpGEAMDescr_t spgeamDescr, void *externalBuffer);

/* ---- Triangular solves ----------------------------------------------------------- */
/*
 *   SpSV   op(A) * y = alpha * x
 *   SpSM   op(A) * C = alpha * op(B)
 *
 * A is the triangle of matA that SPBLAS_SPMAT_FILL_MODE names; entries on the other side
 * are passed over. With SPBLAS_SPMAT_DIAG_TYPE UNIT the diagonal is 1 whatever is stored.
 * Entries at one place add up.
 *
 *     spblasSpSV_createDescr(&d);
 *     spblasSpSV_bufferSize(h, op, &alpha, A, x, y, type, alg, d, &size);     0
 *     spblasSpSV_analysis(h, op, &alpha, A, x, y, type, alg, d, buffer);
 *     for (...) spblasSpSV_solve(h, op, &alpha, A, x, y, type, alg, d);
 *     spblasSpSV_updateMatrix(h, d, values, SPBLAS_SPSV_UPDATE_GENERAL);
 *     for (...) spblasSpSV_solve(h, op, &alpha, A, x, y, type, alg, d);
 *     spblasSpSV_destroyDescr(d);
 *
 * The analysis reads structure, values and the two attributes, and keeps copies of them:
 * solve reads nothing of matA, and new values come by updateMatrix or another analysis. It
 * also orders the rows: by levels that threads share where those are large, else as they
 * are. A solve of several right sides shares these among the threads. The bits of the
 * result depend on neither.
 *
 * A pivot that is zero or not stored is divided by: Inf and NaN come out as of any other
 * division, and the status is SUCCESS.
 *
 * Shapes   A m x m (any format); x and y m elements; op(B) and C m x n, each in either
 *          order
 * Types    A, B and C (x and y) all R_32F, R_64F, C_32F or C_64F with the same computeType
 * Reads    bufferSize: nothing. analysis: A; dense operands and alpha may be NULL in both.
 *          solve: x (B), alpha. updateMatrix: the new values, as many as matA's, in its
 *          order, or m for the diagonal, whose order is the rows'; UNIT passes over it
 * Writes   solve: y (C); it may be x (B), if each element of alpha * op(B) and C at the
 *          same row and column then lies at the same place; else they must not overlap
 * Errors   INVALID_VALUE a NULL or foreign argument (but as said above), an unknown
 *          operation, type, algorithm or part, shapes that do not fit, a matrix that is not
 *          square, a missing array, solve or updateMatrix without analysis, solve with
 *          another operation, size or type than analysed; with SPBLAS_SPMAT_VALIDATE a
 *          malformed structure; NOT_SUPPORTED a CUSTOM matrix in parts or with values in
 *          records (analysis), batches, 16-bit indices, a type combination not above; ALLOC_FAILED createDescr and analysis
 * Memory   the buffer is not used and may be NULL. The descriptor holds, in bytes, with v
 *          of a value and i = 4 (8 where m or nnz is 2^31 or more): nnz (2 i + v) +
 *          m (8 + i + v), two i more for each entry on the diagonal. analysis needs for a
 *          while 16 m, and unless matA is CSR with op N or CSC with another op, up to
 *          32 nnz + 8 m (56 nnz + 8 m for blocks and formats with empty slots). nnz
 *          counts elements of blocks, and of Sliced-ELL and CUSTOM slots
 * GPU      who analysed computes: with A in the GPU's memory the analysis waits, reads A on
 *          the host and allocates on the GPU; solve and updateMatrix then do neither, take
 *          the GPU's arrays, and may be captured
 * Threads  one handle per thread; matA may be shared. Many threads may solve with one
 *          descriptor, each with right sides of its own; analysis and updateMatrix need it
 *          alone
 * Source   cusparseSpSV, cusparseSpSM
 */

/* Descriptors, and their ends; NULL ends well. */
SPBLAS_API spblasStatus_t spblasSpSV_createDescr(spblasSpSVDescr_t *descr);
SPBLAS_API spblasStatus_t spblasSpSV_destroyDescr(spblasSpSVDescr_t descr);
SPBLAS_API spblasStatus_t spblasSpSM_createDescr(spblasSpSMDescr_t *descr);
SPBLAS_API spblasStatus_t spblasSpSM_destroyDescr(spblasSpSMDescr_t descr);

SPBLAS_API spblasStatus_t spblasSpSV_bufferSize(
    spblasHandle_t handle, spblasOperation_t opA, const void *alpha,
    spblasConstSpMatDescr_t matA, spblasConstDnVecDescr_t vecX, spblasDnVecDescr_t vecY,
    spblasDataType_t computeType, spblasSpSVAlg_t alg, spblasSpSVDescr_t spsvDescr,
    size_t *bufferSize);
SPBLAS_API spblasStatus_t spblasSpSV_analysis(
    spblasHandle_t handle, spblasOperation_t opA, const void *alpha,
    spblasConstSpMatDescr_t matA, spblasConstDnVecDescr_t vecX, spblasDnVecDescr_t vecY,
    spblasDataType_t computeType, spblasSpSVAlg_t alg, spblasSpSVDescr_t spsvDescr,
    void *externalBuffer);
SPBLAS_API spblasStatus_t spblasSpSV_solve(
    spblasHandle_t handle, spblasOperation_t opA, const void *alpha,
    spblasConstSpMatDescr_t matA, spblasConstDnVecDescr_t vecX, spblasDnVecDescr_t vecY,
    spblasDataType_t computeType, spblasSpSVAlg_t alg, spblasSpSVDescr_t spsvDescr);
SPBLAS_API spblasStatus_t spblasSpSV_updateMatrix(spblasHandle_t handle,
                                                  spblasSpSVDescr_t spsvDescr,
                                                  void *newValues,
                                                  spblasSpSVUpdate_t updatePart);

SPBLAS_API spblasStatus_t spblasSpSM_bufferSize(
    spblasHandle_t handle, spblasOperation_t opA, spblasOperation_t opB,
    const void *alpha, spblasConstSpMatDescr_t matA, spblasConstDnMatDescr_t matB,
    spblasDnMatDescr_t matC, spblasDataType_t computeType, spblasSpSMAlg_t alg,
    spblasSpSMDescr_t spsmDescr, size_t *bufferSize);
SPBLAS_API spblasStatus_t spblasSpSM_analysis(
    spblasHandle_t handle, spblasOperation_t opA, spblasOperation_t opB,
    const void *alpha, spblasConstSpMatDescr_t matA, spblasConstDnMatDescr_t matB,
    spblasDnMatDescr_t matC, spblasDataType_t computeType, spblasSpSMAlg_t alg,
    spblasSpSMDescr_t spsmDescr, void *externalBuffer);
SPBLAS_API spblasStatus_t spblasSpSM_solve(
    spblasHandle_t handle, spblasOperation_t opA, spblasOperation_t opB,
    const void *alpha, spblasConstSpMatDescr_t matA, spblasConstDnMatDescr_t matB,
    spblasDnMatDescr_t matC, spblasDataType_t computeType, spblasSpSMAlg_t alg,
    spblasSpSMDescr_t spsmDescr);
SPBLAS_API spblasStatus_t spblasSpSM_updateMatrix(spblasHandle_t handle,
                                                  spblasSpSMDescr_t spsmDescr,
                                                  void *newValues,
                                                  spblasSpSMUpdate_t updatePart);

#ifdef __cplusplus
}
#endif

#endif
