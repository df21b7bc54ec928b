/*
 * A library in NVIDIA's place, for the tests of forwarding: objects of its own, which it
 * recognises by a mark, and one routine that takes all three kinds of them. fake_seen says
 * what it was called with.
 */
#include "fake_real.h"

#include <stdlib.h>

enum { HANDLE = 0x111, DESCR = 0x222, INFO = 0x333 };

struct cusparseContext {
    int mark;
    cudaStream_t stream;
    cusparsePointerMode_t mode;
};
struct cusparseMatDescr {
    int mark, field[4];
};
struct csrilu02Info {
    int mark;
};

#define EXPORT __attribute__((visibility("default")))

static struct fake_seen seen;

EXPORT struct fake_seen
fake_seen(void)
{
    return seen;
}

static void *
make(size_t size, int mark)
{
    int *const object = calloc(1, size);

    if (object) {
        *object = mark;
        seen.live++;
    }
    return object;
}

static cusparseStatus_t
end(void *object)
{
    seen.live -= object != NULL;
    free(object);
    return CUSPARSE_STATUS_SUCCESS;
}

EXPORT cusparseStatus_t
cusparseCreate(cusparseHandle_t *handle)
{
    *handle = make(sizeof **handle, HANDLE);
    return *handle ? CUSPARSE_STATUS_SUCCESS : CUSPARSE_STATUS_ALLOC_FAILED;
}

EXPORT cusparseStatus_t
cusparseDestroy(cusparseHandle_t handle)
{
    return end(handle);
}

EXPORT cusparseStatus_t
cusparseSetStream(cusparseHandle_t handle, cudaStream_t stream)
{
    handle->stream = stream;
    return CUSPARSE_STATUS_SUCCESS;
}

EXPORT cusparseStatus_t
cusparseSetPointerMode(cusparseHandle_t handle, cusparsePointerMode_t mode)
{
    handle->mode = mode;
    return CUSPARSE_STATUS_SUCCESS;
}

EXPORT cusparseStatus_t
cusparseCreateMatDescr(cusparseMatDescr_t *descr)
{
    *descr = make(sizeof **descr, DESCR);
    return *descr ? CUSPARSE_STATUS_SUCCESS : CUSPARSE_STATUS_ALLOC_FAILED;
}

EXPORT cusparseStatus_t
cusparseDestroyMatDescr(cusparseMatDescr_t descr)
{
    return end(descr);
}

EXPORT cusparseStatus_t
cusparseSetMatType(cusparseMatDescr_t descr, cusparseMatrixType_t type)
{
    descr->field[0] = (int)type;
    return CUSPARSE_STATUS_SUCCESS;
}

EXPORT cusparseStatus_t
cusparseSetMatFillMode(cusparseMatDescr_t descr, cusparseFillMode_t fill)
{
    descr->field[1] = (int)fill;
    return CUSPARSE_STATUS_SUCCESS;
}

EXPORT cusparseStatus_t
cusparseSetMatDiagType(cusparseMatDescr_t descr, cusparseDiagType_t diag)
{
    descr->field[2] = (int)diag;
    return CUSPARSE_STATUS_SUCCESS;
}

EXPORT cusparseStatus_t
cusparseSetMatIndexBase(cusparseMatDescr_t descr, cusparseIndexBase_t base)
{
    descr->field[3] = (int)base;
    return CUSPARSE_STATUS_SUCCESS;
}

EXPORT cusparseStatus_t
cusparseCreateCsrilu02Info(csrilu02Info_t *info)
{
    *info = make(sizeof **info, INFO);
    return *info ? CUSPARSE_STATUS_SUCCESS : CUSPARSE_STATUS_ALLOC_FAILED;
}

EXPORT cusparseStatus_t
cusparseDestroyCsrilu02Info(csrilu02Info_t info)
{
    return end(info);
}

EXPORT cusparseStatus_t
cusparseDcsrilu02_analysis(cusparseHandle_t handle, int m, int nnz,
                           const cusparseMatDescr_t descrA, const double *csrVal,
                           const int *csrRowPtr, const int *csrColInd,
                           csrilu02Info_t info, cusparseSolvePolicy_t policy,
                           void *buffer)
{
    seen.calls++;
    seen.own = handle && handle->mark == HANDLE && descrA && descrA->mark == DESCR &&
               info && info->mark == INFO;
    if (!seen.own)
        return CUSPARSE_STATUS_INTERNAL_ERROR;
    seen.stream = handle->stream;
    seen.mode = (int)handle->mode;
    for (int i = 0; i < 4; i++)
        seen.field[i] = descrA->field[i];
    seen.m = m, seen.nnz = nnz, seen.policy = (int)policy;
    seen.value = csrVal, seen.row = csrRowPtr, seen.column = csrColInd;
    seen.buffer = buffer;
    return CUSPARSE_STATUS_ZERO_PIVOT; /* which nothing else answers here */
}
