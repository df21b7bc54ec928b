/* Keeping calls for graphs: see capture.h. */
#include "capture.h"

#include "cudart.h"
#include "log.h"
#include "object.h"

#include <stdlib.h>
#include <string.h>

/* ---- Operands of a kept call, and how they are copied ------------------------------- */

typedef struct job {
    const char *name;
    spblasStatus_t (*run)(const struct job *job);
    spblasHandle_t handle;
    spblasSpMatDescr_t sparse;
    spblasDnMatDescr_t b, c;
    spblasSpVecDescr_t x;
    spblasDnVecDescr_t v, y;
    spblasOperation_t op_a, op_b;
    spblasDataType_t compute;
    int alg;
    const void *alpha, *beta; /* the caller's of the device, or these: */
    char scalar[2][16];
    void *result, *buffer;
} job;

static void
job_free(void *data)
{
    job *j = data;

    (void)spblasDestroySpMat(j->sparse);
    (void)spblasDestroyDnMat(j->b);
    (void)spblasDestroyDnMat(j->c);
    (void)spblasDestroySpVec(j->x);
    (void)spblasDestroyDnVec(j->v);
    (void)spblasDestroyDnVec(j->y);
    (void)spblasDestroy(j->handle);
    free(j);
}

static void
job_run(void *data)
{
    const job *j = data;

    /* Nobody asks a graph how its work ended, so a failure is said aloud. */
    (void)sb_log_end(j->name, sb_refused((cusparseStatus_t)j->run(j)), 0, NULL);
}

/* NULL: no memory. */
static job *
job_new(cusparseHandle_t handle, const char *name,
        spblasStatus_t (*run)(const struct job *job))
{
    spblasPointerMode_t mode = SPBLAS_POINTER_MODE_HOST;
    job *j = calloc(1, sizeof *j);

    if (!j)
        return NULL;
    j->name = name;
    j->run = run;
    if (spblasCreate(&j->handle) || spblasGetPointerMode(sb_core(handle), &mode) ||
        spblasSetPointerMode(j->handle, mode)) {
        job_free(j);
        return NULL;
    }
    return j;
}

/* Bytes of a scalar of that type. */
static size_t
scalar_size(cudaDataType type)
{
    switch ((int)type) {
    case CUDA_R_16F:
    case CUDA_R_16BF:
        return 2;
    case CUDA_R_64F:
    case CUDA_C_32F:
        return 8;
    case CUDA_C_64F:
        return 16;
    default:
        return 4;
    }
}

/* The scalar type of vector operations: they compute 16-bit elements in 32 bits. */
static cudaDataType
vector_scalar(spblasConstDnVecDescr_t y)
{
    spblasDataType_t type = SPBLAS_R_32F;
    const void *values;
    int64_t size;

    (void)spblasConstDnVecGet(y, &size, &values, &type);
    if (type == SPBLAS_R_16F || type == SPBLAS_R_16BF)
        return CUDA_R_32F;
    return type == SPBLAS_C_16F || type == SPBLAS_C_16BF ? CUDA_C_32F
                                                         : (cudaDataType)type;
}

/* INVALID_VALUE of NULL. */
static spblasStatus_t
keep_scalars(job *j, const void *alpha, const void *beta, cudaDataType type)
{
    spblasPointerMode_t mode = SPBLAS_POINTER_MODE_HOST;

    if (!alpha || !beta)
        return SPBLAS_STATUS_INVALID_VALUE;
    j->alpha = alpha;
    j->beta = beta;
    (void)spblasGetPointerMode(j->handle, &mode);
    if (mode != SPBLAS_POINTER_MODE_HOST)
        return SPBLAS_STATUS_SUCCESS;
    memcpy(j->scalar[0], alpha, scalar_size(type));
    memcpy(j->scalar[1], beta, scalar_size(type));
    j->alpha = j->scalar[0];
    j->beta = j->scalar[1];
    return SPBLAS_STATUS_SUCCESS;
}

/* Copies of descriptors; the arrays stay the caller's. */
static spblasStatus_t
copy_dnvec(spblasDnVecDescr_t *out, spblasConstDnVecDescr_t from)
{
    int64_t size;
    const void *values;
    spblasDataType_t type;
    const spblasStatus_t st = spblasConstDnVecGet(from, &size, &values, &type);

    return st ? st : spblasCreateDnVec(out, size, (void *)values, type);
}

static spblasStatus_t
copy_spvec(spblasSpVecDescr_t *out, spblasConstSpVecDescr_t from)
{
    int64_t size;
    int64_t nnz;
    const void *indices;
    const void *values;
    spblasIndexType_t index;
    spblasIndexBase_t base;
    spblasDataType_t type;
    const spblasStatus_t st =
        spblasConstSpVecGet(from, &size, &nnz, &indices, &values, &index, &base, &type);

    return st ? st
              : spblasCreateSpVec(out, size, nnz, (void *)indices, (void *)values,
                                  index, base, type);
}

static spblasStatus_t
copy_dnmat(spblasDnMatDescr_t *out, spblasConstDnMatDescr_t from)
{
    int64_t rows;
    int64_t cols;
    int64_t ld;
    int64_t stride;
    int count;
    const void *values;
    spblasDataType_t type;
    spblasOrder_t order;
    spblasStatus_t st =
        spblasConstDnMatGet(from, &rows, &cols, &ld, &values, &type, &order);

    if (!st)
        st = spblasDnMatGetStridedBatch(from, &count, &stride);
    if (!st)
        st = spblasCreateDnMat(out, rows, cols, ld, (void *)values, type, order);
    return st ? st : spblasDnMatSetStridedBatch(*out, count, stride);
}

static spblasStatus_t
copy_compressed(spblasSpMatDescr_t *out, spblasConstSpMatDescr_t from, bool columns)
{
    int64_t rows;
    int64_t cols;
    int64_t nnz;
    const void *ptr;
    const void *idx;
    const void *val;
    spblasIndexType_t ptr_type;
    spblasIndexType_t idx_type;
    spblasIndexBase_t base;
    spblasDataType_t type;
    const spblasStatus_t st =
        columns ? spblasConstCscGet(from, &rows, &cols, &nnz, &ptr, &idx, &val,
                                    &ptr_type, &idx_type, &base, &type)
                : spblasConstCsrGet(from, &rows, &cols, &nnz, &ptr, &idx, &val,
                                    &ptr_type, &idx_type, &base, &type);

    if (st)
        return st;
    return (columns ? spblasCreateCsc
                    : spblasCreateCsr)(out, rows, cols, nnz, (void *)ptr, (void *)idx,
                                       (void *)val, ptr_type, idx_type, base, type);
}

static spblasStatus_t
copy_coo(spblasSpMatDescr_t *out, spblasConstSpMatDescr_t from)
{
    int64_t rows;
    int64_t cols;
    int64_t nnz;
    const void *row;
    const void *idx;
    const void *val;
    spblasIndexType_t index;
    spblasIndexBase_t base;
    spblasDataType_t type;
    const spblasStatus_t st = spblasConstCooGet(from, &rows, &cols, &nnz, &row, &idx,
                                                &val, &index, &base, &type);

    return st ? st
              : spblasCreateCoo(out, rows, cols, nnz, (void *)row, (void *)idx,
                                (void *)val, index, base, type);
}

static spblasStatus_t
copy_blocked_ell(spblasSpMatDescr_t *out, spblasConstSpMatDescr_t from)
{
    int64_t rows;
    int64_t cols;
    int64_t block;
    int64_t ell_cols;
    const void *idx;
    const void *val;
    spblasIndexType_t index;
    spblasIndexBase_t base;
    spblasDataType_t type;
    const spblasStatus_t st = spblasConstBlockedEllGet(
        from, &rows, &cols, &block, &ell_cols, &idx, &val, &index, &base, &type);

    return st ? st
              : spblasCreateBlockedEll(out, rows, cols, block, ell_cols, (void *)idx,
                                       (void *)val, index, base, type);
}

/* NOT_SUPPORTED of what has no getter: blocks, slices, strides of a batch. */
static spblasStatus_t
copy_spmat(spblasSpMatDescr_t *out, spblasConstSpMatDescr_t from)
{
    spblasFormat_t format;
    int batch = 1;
    spblasStatus_t st = spblasSpMatGetFormat(from, &format);

    if (!st)
        st = spblasSpMatGetStridedBatch(from, &batch);
    if (st || batch > 1)
        return st ? st : SPBLAS_STATUS_NOT_SUPPORTED;
    switch ((int)format) {
    case SPBLAS_FORMAT_CSR:
        return copy_compressed(out, from, false);
    case SPBLAS_FORMAT_CSC:
        return copy_compressed(out, from, true);
    case SPBLAS_FORMAT_COO:
        return copy_coo(out, from);
    case SPBLAS_FORMAT_BLOCKED_ELL:
        return copy_blocked_ell(out, from);
    default:
        return SPBLAS_STATUS_NOT_SUPPORTED;
    }
}

/* ---- Capturing ---------------------------------------------------------------------- */

static void *
stream_of(cusparseHandle_t handle)
{
    void *stream = NULL;

    (void)spblasGetStream(sb_core(handle), &stream);
    return stream;
}

bool
sb_capturing(cusparseHandle_t handle)
{
    const sb_cudart *cuda = sb_handle_live(handle) ? sb_cudart_get() : NULL;
    int status = 0;

    if (!cuda)
        return false;
    return cuda->is_capturing(stream_of(handle), &status) == SB_CUDA_CAPTURE_IMPLICIT ||
           status != 0;
}

cusparseStatus_t
sb_capture_refuse(cusparseHandle_t handle)
{
    /* Asking a capturing stream whether it is idle is what breaks its capture. */
    (void)sb_cudart_get()->query(stream_of(handle));
    return sb_refuse(CUSPARSE_STATUS_NOT_SUPPORTED,
                     "cannot be kept by a stream capture on the CPU");
}

/* The same for want of memory. */
static cusparseStatus_t
no_memory(cusparseHandle_t handle)
{
    (void)sb_capture_refuse(handle);
    return sb_refuse(CUSPARSE_STATUS_ALLOC_FAILED, "no memory to keep the call");
}

static int
graph_of(void **graph, void *stream)
{
    const sb_cudart *cuda = sb_cudart_get();
    int status = 0;
    unsigned long long id;
    const void *deps;
    size_t count;

    *graph = NULL;
    return cuda->info_v2 ? cuda->info_v2(stream, &status, &id, graph, &deps, &count)
                         : cuda->info(stream, &status, &id, graph, &deps, NULL, &count);
}

/* Adds the call to the graph, which owns it from then on. */
static cusparseStatus_t
submit(cusparseHandle_t handle, job *j)
{
    const sb_cudart *cuda = sb_cudart_get();
    void *stream = stream_of(handle);
    void *graph;
    void *object;

    if (graph_of(&graph, stream) || !graph ||
        cuda->object_create(&object, j, job_free, 1, 1)) {
        job_free(j);
        return sb_capture_refuse(handle);
    }
    if (cuda->graph_retain(graph, object, 1, 1)) {
        (void)cuda->object_release(object, 1);
        return sb_capture_refuse(handle);
    }
    return cuda->launch_host(stream, job_run, j) ? sb_capture_refuse(handle)
                                                 : CUSPARSE_STATUS_SUCCESS;
}

/* Ends every sb_keep_*: `st` tells how the copies went. */
static cusparseStatus_t
finish(cusparseHandle_t handle, job *j, spblasStatus_t st)
{
    if (!st)
        return submit(handle, j);
    job_free(j);
    if (st == SPBLAS_STATUS_INVALID_VALUE)
        return sb_refused((cusparseStatus_t)st);
    return st == SPBLAS_STATUS_ALLOC_FAILED ? no_memory(handle)
                                            : sb_capture_refuse(handle);
}

/* ---- One pair for each function: what runs, and how it is kept ---------------------- */

/* Declares `j` or leaves the function. */
#define JOB(name, run)                                     \
    job *const j = job_new(handle, "cusparse" #name, run); \
    if (!j)                                                \
    return no_memory(handle)

/* Leaves the function unless the arguments are good. */
#define CHECK(call)                                       \
    do {                                                  \
        const spblasStatus_t checked = (call);            \
        if (checked)                                      \
            return sb_refused((cusparseStatus_t)checked); \
    } while (0)

#define ALSO(st, call) ((st) ? (st) : (call))
#define SPMAT(d) ((spblasConstSpMatDescr_t)(d))
#define DNMAT(d) ((spblasConstDnMatDescr_t)(d))
#define SPVEC(d) ((spblasConstSpVecDescr_t)(d))
#define DNVEC(d) ((spblasConstDnVecDescr_t)(d))

static spblasStatus_t
run_axpby(const job *j)
{
    return spblasAxpby(j->handle, j->alpha, j->x, j->beta, j->y);
}

cusparseStatus_t
sb_keep_Axpby(cusparseHandle_t handle, const void *alpha,
              cusparseConstSpVecDescr_t vecX, const void *beta,
              cusparseDnVecDescr_t vecY)
{
    spblasStatus_t st;
    JOB(Axpby, run_axpby);

    st = copy_spvec(&j->x, SPVEC(vecX));
    st = ALSO(st, copy_dnvec(&j->y, DNVEC(vecY)));
    return finish(handle, j,
                  ALSO(st, keep_scalars(j, alpha, beta, vector_scalar(j->y))));
}

static spblasStatus_t
run_rot(const job *j)
{
    return spblasRot(j->handle, j->alpha, j->beta, j->x, j->y);
}

cusparseStatus_t
sb_keep_Rot(cusparseHandle_t handle, const void *c_coeff, const void *s_coeff,
            cusparseSpVecDescr_t vecX, cusparseDnVecDescr_t vecY)
{
    spblasStatus_t st;
    JOB(Rot, run_rot);

    st = copy_spvec(&j->x, SPVEC(vecX));
    st = ALSO(st, copy_dnvec(&j->y, DNVEC(vecY)));
    return finish(handle, j,
                  ALSO(st, keep_scalars(j, c_coeff, s_coeff, vector_scalar(j->y))));
}

static spblasStatus_t
run_gather(const job *j)
{
    return spblasGather(j->handle, j->y, j->x);
}

cusparseStatus_t
sb_keep_Gather(cusparseHandle_t handle, cusparseConstDnVecDescr_t vecY,
               cusparseSpVecDescr_t vecX)
{
    spblasStatus_t st;
    JOB(Gather, run_gather);

    st = copy_spvec(&j->x, SPVEC(vecX));
    return finish(handle, j, ALSO(st, copy_dnvec(&j->y, DNVEC(vecY))));
}

static spblasStatus_t
run_scatter(const job *j)
{
    return spblasScatter(j->handle, j->x, j->y);
}

cusparseStatus_t
sb_keep_Scatter(cusparseHandle_t handle, cusparseConstSpVecDescr_t vecX,
                cusparseDnVecDescr_t vecY)
{
    spblasStatus_t st;
    JOB(Scatter, run_scatter);

    st = copy_spvec(&j->x, SPVEC(vecX));
    return finish(handle, j, ALSO(st, copy_dnvec(&j->y, DNVEC(vecY))));
}

static spblasStatus_t
run_spvv(const job *j)
{
    return spblasSpVV(j->handle, j->op_a, j->x, j->y, j->result, j->compute, j->buffer);
}

cusparseStatus_t
sb_keep_SpVV(cusparseHandle_t handle, cusparseOperation_t opX,
             cusparseConstSpVecDescr_t vecX, cusparseConstDnVecDescr_t vecY,
             void *result, cudaDataType computeType, void *externalBuffer)
{
    size_t size;
    spblasStatus_t st;

    CHECK(spblasSpVV_bufferSize(sb_core(handle), (spblasOperation_t)opX, SPVEC(vecX),
                                DNVEC(vecY), result, (spblasDataType_t)computeType,
                                &size));
    JOB(SpVV, run_spvv);
    j->op_a = (spblasOperation_t)opX;
    j->compute = (spblasDataType_t)computeType;
    j->result = result;
    j->buffer = externalBuffer;
    st = copy_spvec(&j->x, SPVEC(vecX));
    return finish(handle, j, ALSO(st, copy_dnvec(&j->y, DNVEC(vecY))));
}

static spblasStatus_t
run_spmv(const job *j)
{
    return spblasSpMV(j->handle, j->op_a, j->alpha, j->sparse, j->v, j->beta, j->y,
                      j->compute, (spblasSpMVAlg_t)j->alg, j->buffer);
}

cusparseStatus_t
sb_keep_SpMV(cusparseHandle_t handle, cusparseOperation_t opA, const void *alpha,
             cusparseConstSpMatDescr_t matA, cusparseConstDnVecDescr_t vecX,
             const void *beta, cusparseDnVecDescr_t vecY, cudaDataType computeType,
             cusparseSpMVAlg_t alg, void *externalBuffer)
{
    size_t size;
    spblasStatus_t st;

    CHECK(spblasSpMV_bufferSize(sb_core(handle), (spblasOperation_t)opA, alpha,
                                SPMAT(matA), DNVEC(vecX), beta,
                                (spblasDnVecDescr_t)vecY, (spblasDataType_t)computeType,
                                (spblasSpMVAlg_t)alg, &size));
    JOB(SpMV, run_spmv);
    j->op_a = (spblasOperation_t)opA;
    j->compute = (spblasDataType_t)computeType;
    j->alg = (int)alg;
    j->buffer = externalBuffer;
    st = keep_scalars(j, alpha, beta, computeType);
    st = ALSO(st, copy_spmat(&j->sparse, SPMAT(matA)));
    st = ALSO(st, copy_dnvec(&j->v, DNVEC(vecX)));
    return finish(handle, j, ALSO(st, copy_dnvec(&j->y, DNVEC(vecY))));
}

static spblasStatus_t
run_spmm(const job *j)
{
    return spblasSpMM(j->handle, j->op_a, j->op_b, j->alpha, j->sparse, j->b, j->beta,
                      j->c, j->compute, (spblasSpMMAlg_t)j->alg, j->buffer);
}

cusparseStatus_t
sb_keep_SpMM(cusparseHandle_t handle, cusparseOperation_t opA, cusparseOperation_t opB,
             const void *alpha, cusparseConstSpMatDescr_t matA,
             cusparseConstDnMatDescr_t matB, const void *beta,
             cusparseDnMatDescr_t matC, cudaDataType computeType, cusparseSpMMAlg_t alg,
             void *externalBuffer)
{
    size_t size;
    spblasStatus_t st;

    CHECK(spblasSpMM_bufferSize(
        sb_core(handle), (spblasOperation_t)opA, (spblasOperation_t)opB, alpha,
        SPMAT(matA), DNMAT(matB), beta, (spblasDnMatDescr_t)matC,
        (spblasDataType_t)computeType, (spblasSpMMAlg_t)alg, &size));
    JOB(SpMM, run_spmm);
    j->op_a = (spblasOperation_t)opA;
    j->op_b = (spblasOperation_t)opB;
    j->compute = (spblasDataType_t)computeType;
    j->alg = (int)alg;
    j->buffer = externalBuffer;
    st = keep_scalars(j, alpha, beta, computeType);
    st = ALSO(st, copy_spmat(&j->sparse, SPMAT(matA)));
    st = ALSO(st, copy_dnmat(&j->b, DNMAT(matB)));
    return finish(handle, j, ALSO(st, copy_dnmat(&j->c, DNMAT(matC))));
}

static spblasStatus_t
run_sddmm(const job *j)
{
    return spblasSDDMM(j->handle, j->op_a, j->op_b, j->alpha, j->b, j->c, j->beta,
                       j->sparse, j->compute, (spblasSDDMMAlg_t)j->alg, j->buffer);
}

cusparseStatus_t
sb_keep_SDDMM(cusparseHandle_t handle, cusparseOperation_t opA, cusparseOperation_t opB,
              const void *alpha, cusparseConstDnMatDescr_t matA,
              cusparseConstDnMatDescr_t matB, const void *beta,
              cusparseSpMatDescr_t matC, cudaDataType computeType,
              cusparseSDDMMAlg_t alg, void *externalBuffer)
{
    size_t size;
    spblasStatus_t st;

    CHECK(spblasSDDMM_bufferSize(
        sb_core(handle), (spblasOperation_t)opA, (spblasOperation_t)opB, alpha,
        DNMAT(matA), DNMAT(matB), beta, (spblasSpMatDescr_t)matC,
        (spblasDataType_t)computeType, (spblasSDDMMAlg_t)alg, &size));
    JOB(SDDMM, run_sddmm);
    j->op_a = (spblasOperation_t)opA;
    j->op_b = (spblasOperation_t)opB;
    j->compute = (spblasDataType_t)computeType;
    j->alg = (int)alg;
    j->buffer = externalBuffer;
    st = keep_scalars(j, alpha, beta, computeType);
    st = ALSO(st, copy_spmat(&j->sparse, SPMAT(matC)));
    st = ALSO(st, copy_dnmat(&j->b, DNMAT(matA)));
    return finish(handle, j, ALSO(st, copy_dnmat(&j->c, DNMAT(matB))));
}

static spblasStatus_t
run_expand(const job *j)
{
    return spblasSparseToDense(j->handle, j->sparse, j->b,
                               (spblasSparseToDenseAlg_t)j->alg, j->buffer);
}

cusparseStatus_t
sb_keep_SparseToDense(cusparseHandle_t handle, cusparseConstSpMatDescr_t matA,
                      cusparseDnMatDescr_t matB, cusparseSparseToDenseAlg_t alg,
                      void *externalBuffer)
{
    size_t size;
    spblasStatus_t st;

    CHECK(spblasSparseToDense_bufferSize(sb_core(handle), SPMAT(matA),
                                         (spblasDnMatDescr_t)matB,
                                         (spblasSparseToDenseAlg_t)alg, &size));
    JOB(SparseToDense, run_expand);
    j->alg = (int)alg;
    j->buffer = externalBuffer;
    st = copy_spmat(&j->sparse, SPMAT(matA));
    return finish(handle, j, ALSO(st, copy_dnmat(&j->b, DNMAT(matB))));
}
