/*
 * Blocks cut anew, from rows to columns, and colours of rows.
 */
#include "api/error.h"
#include "api/legacy.h"
#include "api/types.h"
#include "base/alloc.h"
#include "planner/staged.h"

/* One call from blocks to blocks; a CSR has blocks of one element. */
typedef struct grid {
    const char *function;
    spblasHandle_t handle;
    bool typed;
    spblasDataType_t type;
    spblasDirection_t dirA;
    int mb, nb;                       /* blocks of A */
    int down, across, rowDim, colDim; /* blocks of A, of C */
    const spblasMatDescr_t *descrA, *descrC;
    bool asks; /* for the size: no C */
    const void *valA;
    const int *ptrA, *indA;
    void *valC;
    int *ptrC, *indC, *out; /* nnzTotal or bufferSize */
    bool numbers;           /* nnzTotal is wanted */
} grid;

static spblasStatus_t
check(const grid *k)
{
    const spblasHandle_t handle = k->handle;
    const spblasDataType_t type = k->typed ? k->type : SPBLAS_R_32F;
    const spblasDirection_t dirA = k->dirA;
    const int mb = k->mb, nb = k->nb;
    const int rowBlockDimA = k->down, colBlockDimA = k->across;
    const int rowBlockDim = k->rowDim, colBlockDim = k->colDim;
    const spblasMatDescr_t *descrA = k->descrA;
    const spblasMatDescr_t *descrC = k->asks ? k->descrA : k->descrC;
    const spblasStatus_t st =
        sb_legacy_check(handle, k->function,
                        (const sb_arg[]){SB_ARG_HANDLE,
                                         SB_ARG_TYPE,
                                         SB_ARG_ENUM(dirA, SPBLAS_DIRECTION_COLUMN),
                                         SB_ARG_COUNT(mb),
                                         SB_ARG_COUNT(nb),
                                         SB_ARG_DESCR(descrA),
                                         SB_ARG_MIN(rowBlockDimA, 1),
                                         SB_ARG_MIN(colBlockDimA, 1),
                                         SB_ARG_MIN(rowBlockDim, 1),
                                         SB_ARG_MIN(colBlockDim, 1),
                                         SB_ARG_DESCR(descrC),
                                         {0}});

    if (st == SPBLAS_STATUS_SUCCESS &&
        ((int64_t)mb * k->down > INT32_MAX || (int64_t)nb * k->across > INT32_MAX))
        return sb_api_end(handle, k->function, SB_ERESOURCES, NULL);
    return st;
}

static sb_regrid
regrid_of(const grid *k)
{
    return (sb_regrid){
        .m = (int64_t)k->mb * k->down,
        .n = (int64_t)k->nb * k->across,
        .size = k->typed ? sb_public_size(k->type) : 0,
        .by_columns = k->dirA == SPBLAS_DIRECTION_COLUMN,
        .a = {k->down, k->across, (int)k->descrA->base, k->ptrA,
              (int *)(uintptr_t)k->indA, (void *)(uintptr_t)k->valA},
        .c = {k->rowDim, k->colDim, (int)k->descrC->base, k->ptrC, k->indC, k->valC}};
}

static spblasStatus_t
ask(const grid *k)
{
    const spblasHandle_t handle = k->handle;
    const int *bufferSize = k->out;
    spblasStatus_t st = check(k);

    if (st == SPBLAS_STATUS_SUCCESS)
        st = sb_legacy_check(handle, k->function,
                             (const sb_arg[]){SB_ARG_THERE(bufferSize), {0}});
    if (st == SPBLAS_STATUS_SUCCESS)
        *k->out = 0;
    return st;
}

/* Writes C's offsets and how many blocks there are. */
static spblasStatus_t
count(const grid *k, int64_t *total)
{
    const spblasHandle_t handle = k->handle;
    const int *ptrA = k->ptrA, *indA = k->indA, *ptrC = k->ptrC, *nnzTotal = k->out;
    spblasStatus_t st = check(k);
    bool device = false;
    sb_diag diag = {0};
    sb_regrid g;
    sb_status done;

    if (st == SPBLAS_STATUS_SUCCESS)
        st = sb_legacy_check_place(
            &device, handle, k->function,
            (const sb_arg[]){k->numbers ? (sb_arg)SB_ARG_SCALAR(nnzTotal)
                                        : (sb_arg)SB_ARG_COUNT(k->mb),
                             SB_ARG_ARRAY(ptrA, k->mb),
                             SB_ARG_THERE(ptrC),
                             SB_ARG_ARRAY(indA, 0),
                             {0}});
    if (st == SPBLAS_STATUS_SUCCESS && k->mb > 0 && !device)
        st = sb_legacy_check(
            handle, k->function,
            (const sb_arg[]){SB_ARG_ARRAY(indA, (int64_t)ptrA[k->mb] - ptrA[0]), {0}});
    if (st != SPBLAS_STATUS_SUCCESS)
        return st;
    g = regrid_of(k);
    if (device) {
        const sb_native on = {handle->device, handle->stream, &diag, false};

        return sb_api_end(handle, k->function, sb_native_regrid_count(&on, &g, total),
                          &diag);
    }
    done = sb_backend_get()->legacy->regrid_count(&g, k->ptrC + 1);
    if (done == SB_OK)
        done = sb_backend_get()->legacy->add_up(
            k->ptrC, (g.m + g.c.down - 1) / g.c.down, g.c.base, total);
    return sb_api_end(handle, k->function, done, NULL);
}

static spblasStatus_t
number(const grid *k)
{
    const spblasHandle_t handle = k->handle;
    grid numbers = *k;
    sb_diag diag = {0};
    int64_t total = 0;
    spblasStatus_t st;

    numbers.numbers = true;
    st = count(&numbers, &total);
    return st == SPBLAS_STATUS_SUCCESS
               ? sb_api_end(handle, k->function,
                            sb_legacy_give(handle, k->out, total, &diag), &diag)
               : st;
}

/* The blocks, where the offsets say how many; what the host can see it asks for. */
static spblasStatus_t
fill(const grid *k)
{
    const spblasHandle_t handle = k->handle;
    const void *valA = k->valA, *valC = k->valC;
    const int *ptrA = k->ptrA, *indA = k->indA, *ptrC = k->ptrC, *indC = k->indC;
    spblasStatus_t st = check(k);
    bool device = false;
    sb_diag diag = {0};
    int64_t stored;
    sb_regrid g;

    if (st == SPBLAS_STATUS_SUCCESS)
        st = sb_legacy_check_place(&device, handle, k->function,
                                   (const sb_arg[]){SB_ARG_ARRAY(ptrA, k->mb),
                                                    SB_ARG_ARRAY(ptrC, k->mb),
                                                    SB_ARG_ARRAY(valA, 0),
                                                    SB_ARG_ARRAY(indA, 0),
                                                    SB_ARG_ARRAY(valC, 0),
                                                    SB_ARG_ARRAY(indC, 0),
                                                    {0}});
    if (st != SPBLAS_STATUS_SUCCESS || k->mb == 0)
        return st;
    g = regrid_of(k);
    if (device) {
        const sb_native on = {handle->device, handle->stream, &diag, false};

        return sb_api_end(handle, k->function, sb_native_regrid_fill(&on, &g), &diag);
    }
    stored = (int64_t)ptrA[k->mb] - ptrA[0];
    st = sb_legacy_check(handle, k->function,
                         (const sb_arg[]){SB_ARG_ARRAY(valA, stored),
                                          SB_ARG_ARRAY(indA, stored),
                                          SB_ARG_ARRAY(valC, stored),
                                          SB_ARG_ARRAY(indC, stored),
                                          {0}});
    if (st != SPBLAS_STATUS_SUCCESS || stored == 0)
        return st;
    return sb_api_end(handle, k->function, sb_backend_get()->legacy->regrid_fill(&g),
                      NULL);
}

/* To CSR: offsets and all. */
static spblasStatus_t
open_blocks(const grid *k)
{
    int64_t total = 0;
    const spblasStatus_t st = count(k, &total);

    return st == SPBLAS_STATUS_SUCCESS ? fill(k) : st;
}

#define UNTYPED .function = __func__, .handle = handle, .dirA = dirA, .descrA = descrA
#define TYPED UNTYPED, .typed = true, .type = type
#define CSR \
    .mb = m, .nb = n, .down = 1, .across = 1, .ptrA = csrRowPtrA, .indA = csrColIndA
#define BLOCKS .mb = mb, .nb = nb, .ptrA = bsrRowPtrA, .indA = bsrColIndA
#define TO_BSR .descrC = descrC, .ptrC = (int *)(uintptr_t)bsrRowPtrC
#define TO_CSR                                                                       \
    .rowDim = 1, .colDim = 1, .descrC = descrC, .valC = csrValC, .ptrC = csrRowPtrC, \
    .indC = csrColIndC

spblasStatus_t
spblasXcsr2bsrNnz(spblasHandle_t handle, spblasDirection_t dirA, int m, int n,
                  const spblasMatDescr_t *descrA, const int *csrRowPtrA,
                  const int *csrColIndA, int blockDim, const spblasMatDescr_t *descrC,
                  int *bsrRowPtrC, int *nnzTotal)
{
    return number(&(grid){UNTYPED, CSR, .rowDim = blockDim, .colDim = blockDim, TO_BSR,
                          .out = nnzTotal});
}

spblasStatus_t
spblasXcsr2bsr(spblasHandle_t handle, spblasDataType_t type, spblasDirection_t dirA,
               int m, int n, const spblasMatDescr_t *descrA, const void *csrValA,
               const int *csrRowPtrA, const int *csrColIndA, int blockDim,
               const spblasMatDescr_t *descrC, void *bsrValC, const int *bsrRowPtrC,
               int *bsrColIndC)
{
    return fill(&(grid){TYPED, CSR, .valA = csrValA, .rowDim = blockDim,
                        .colDim = blockDim, TO_BSR, .valC = bsrValC,
                        .indC = bsrColIndC});
}

spblasStatus_t
spblasXbsr2csr(spblasHandle_t handle, spblasDataType_t type, spblasDirection_t dirA,
               int mb, int nb, const spblasMatDescr_t *descrA, const void *bsrValA,
               const int *bsrRowPtrA, const int *bsrColIndA, int blockDim,
               const spblasMatDescr_t *descrC, void *csrValC, int *csrRowPtrC,
               int *csrColIndC)
{
    return open_blocks(&(grid){TYPED, BLOCKS, .down = blockDim, .across = blockDim,
                               .valA = bsrValA, TO_CSR});
}

spblasStatus_t
spblasXgebsr2csr(spblasHandle_t handle, spblasDataType_t type, spblasDirection_t dirA,
                 int mb, int nb, const spblasMatDescr_t *descrA, const void *bsrValA,
                 const int *bsrRowPtrA, const int *bsrColIndA, int rowBlockDim,
                 int colBlockDim, const spblasMatDescr_t *descrC, void *csrValC,
                 int *csrRowPtrC, int *csrColIndC)
{
    return open_blocks(&(grid){TYPED, BLOCKS, .down = rowBlockDim,
                               .across = colBlockDim, .valA = bsrValA, TO_CSR});
}

spblasStatus_t
spblasXcsr2gebsr_bufferSize(spblasHandle_t handle, spblasDataType_t type,
                            spblasDirection_t dirA, int m, int n,
                            const spblasMatDescr_t *descrA, const void *csrValA,
                            const int *csrRowPtrA, const int *csrColIndA,
                            int rowBlockDim, int colBlockDim, int *bufferSize)
{
    return ask(&(grid){TYPED, CSR, .valA = csrValA, .rowDim = rowBlockDim,
                       .colDim = colBlockDim, .asks = true, .out = bufferSize});
}

spblasStatus_t
spblasXcsr2gebsrNnz(spblasHandle_t handle, spblasDirection_t dirA, int m, int n,
                    const spblasMatDescr_t *descrA, const int *csrRowPtrA,
                    const int *csrColIndA, const spblasMatDescr_t *descrC,
                    int *bsrRowPtrC, int rowBlockDim, int colBlockDim, int *nnzTotal,
                    void *buffer)
{
    (void)buffer;
    return number(&(grid){UNTYPED, CSR, .rowDim = rowBlockDim, .colDim = colBlockDim,
                          TO_BSR, .out = nnzTotal});
}

spblasStatus_t
spblasXcsr2gebsr(spblasHandle_t handle, spblasDataType_t type, spblasDirection_t dirA,
                 int m, int n, const spblasMatDescr_t *descrA, const void *csrValA,
                 const int *csrRowPtrA, const int *csrColIndA,
                 const spblasMatDescr_t *descrC, void *bsrValC, const int *bsrRowPtrC,
                 int *bsrColIndC, int rowBlockDim, int colBlockDim, void *buffer)
{
    (void)buffer;
    return fill(&(grid){TYPED, CSR, .valA = csrValA, .rowDim = rowBlockDim,
                        .colDim = colBlockDim, TO_BSR, .valC = bsrValC,
                        .indC = bsrColIndC});
}

spblasStatus_t
spblasXgebsr2gebsr_bufferSize(spblasHandle_t handle, spblasDataType_t type,
                              spblasDirection_t dirA, int mb, int nb, int nnzb,
                              const spblasMatDescr_t *descrA, const void *bsrValA,
                              const int *bsrRowPtrA, const int *bsrColIndA,
                              int rowBlockDimA, int colBlockDimA, int rowBlockDimC,
                              int colBlockDimC, int *bufferSize)
{
    const spblasStatus_t st = SB_LEGACY_CHECK(SB_ARG_HANDLE, SB_ARG_COUNT(nnzb));

    if (st != SPBLAS_STATUS_SUCCESS)
        return st;
    return ask(&(grid){TYPED, BLOCKS, .down = rowBlockDimA, .across = colBlockDimA,
                       .valA = bsrValA, .rowDim = rowBlockDimC, .colDim = colBlockDimC,
                       .asks = true, .out = bufferSize});
}

spblasStatus_t
spblasXgebsr2gebsrNnz(spblasHandle_t handle, spblasDirection_t dirA, int mb, int nb,
                      int nnzb, const spblasMatDescr_t *descrA, const int *bsrRowPtrA,
                      const int *bsrColIndA, int rowBlockDimA, int colBlockDimA,
                      const spblasMatDescr_t *descrC, int *bsrRowPtrC, int rowBlockDimC,
                      int colBlockDimC, int *nnzTotal, void *buffer)
{
    const spblasStatus_t st = SB_LEGACY_CHECK(SB_ARG_HANDLE, SB_ARG_COUNT(nnzb));

    (void)buffer;
    if (st != SPBLAS_STATUS_SUCCESS)
        return st;
    return number(&(grid){UNTYPED, BLOCKS, .down = rowBlockDimA, .across = colBlockDimA,
                          .rowDim = rowBlockDimC, .colDim = colBlockDimC, TO_BSR,
                          .out = nnzTotal});
}

spblasStatus_t
spblasXgebsr2gebsr(spblasHandle_t handle, spblasDataType_t type, spblasDirection_t dirA,
                   int mb, int nb, int nnzb, const spblasMatDescr_t *descrA,
                   const void *bsrValA, const int *bsrRowPtrA, const int *bsrColIndA,
                   int rowBlockDimA, int colBlockDimA, const spblasMatDescr_t *descrC,
                   void *bsrValC, const int *bsrRowPtrC, int *bsrColIndC,
                   int rowBlockDimC, int colBlockDimC, void *buffer)
{
    const spblasStatus_t st = SB_LEGACY_CHECK(SB_ARG_HANDLE, SB_ARG_COUNT(nnzb));

    (void)buffer;
    if (st != SPBLAS_STATUS_SUCCESS)
        return st;
    return fill(&(grid){TYPED, BLOCKS, .down = rowBlockDimA, .across = colBlockDimA,
                        .valA = bsrValA, .rowDim = rowBlockDimC, .colDim = colBlockDimC,
                        TO_BSR, .valC = bsrValC, .indC = bsrColIndC});
}

/* ---- Rows to columns of blocks ------------------------------------------------------ */

spblasStatus_t
spblasXgebsr2gebsc_bufferSize(spblasHandle_t handle, spblasDataType_t type, int mb,
                              int nb, int nnzb, const void *bsrVal,
                              const int *bsrRowPtr, const int *bsrColInd,
                              int rowBlockDim, int colBlockDim, int *bufferSize)
{
    const spblasStatus_t st =
        SB_LEGACY_CHECK(SB_ARG_HANDLE, SB_ARG_TYPE, SB_ARG_COUNT(mb), SB_ARG_COUNT(nb),
                        SB_ARG_COUNT(nnzb), SB_ARG_MIN(rowBlockDim, 1),
                        SB_ARG_MIN(colBlockDim, 1), SB_ARG_THERE(bufferSize));
    size_t bytes;

    (void)bsrVal, (void)bsrRowPtr, (void)bsrColInd;
    if (st != SPBLAS_STATUS_SUCCESS)
        return st;
    bytes = sb_backend_get()->legacy->flip_scratch(nb, nnzb);
    if (handle->device && sb_native_order_scratch(nnzb) > bytes)
        bytes = sb_native_order_scratch(nnzb);
    if (bytes > INT32_MAX)
        return sb_api_end(handle, __func__, SB_ERESOURCES, NULL);
    *bufferSize = (int)bytes;
    return st;
}

spblasStatus_t
spblasXgebsr2gebsc(spblasHandle_t handle, spblasDataType_t type, int mb, int nb,
                   int nnzb, const void *bsrVal, const int *bsrRowPtr,
                   const int *bsrColInd, int rowBlockDim, int colBlockDim, void *bscVal,
                   int *bscRowInd, int *bscColPtr, spblasAction_t copyValues,
                   spblasIndexBase_t idxBase, void *buffer)
{
    const int values = copyValues == SPBLAS_ACTION_NUMERIC ? nnzb : 0;
    const sb_flip job = {.m = mb,
                         .n = nb,
                         .nnz = nnzb,
                         .base = (int)idxBase,
                         .size = values ? sb_public_size(type) : 0,
                         .area = (int64_t)rowBlockDim * colBlockDim,
                         .ptr = bsrRowPtr,
                         .idx = bsrColInd,
                         .val = bsrVal,
                         .to_ptr = bscColPtr,
                         .to_idx = bscRowInd,
                         .to_val = bscVal,
                         .scratch = buffer};
    sb_diag diag = {0};
    bool device, same;
    spblasStatus_t st = SB_LEGACY_PLACE(
        &device, SB_ARG_HANDLE, SB_ARG_TYPE, SB_ARG_COUNT(mb), SB_ARG_COUNT(nb),
        SB_ARG_COUNT(nnzb), SB_ARG_ARRAY(bsrVal, values), SB_ARG_ARRAY(bsrRowPtr, nnzb),
        SB_ARG_ARRAY(bsrColInd, nnzb), SB_ARG_MIN(rowBlockDim, 1),
        SB_ARG_MIN(colBlockDim, 1), SB_ARG_ARRAY(bscVal, values),
        SB_ARG_ARRAY(bscRowInd, nnzb), SB_ARG_THERE(bscColPtr),
        SB_ARG_ENUM(copyValues, SPBLAS_ACTION_NUMERIC),
        SB_ARG_ENUM(idxBase, SPBLAS_INDEX_BASE_ONE));

    if (st == SPBLAS_STATUS_SUCCESS)
        st = SB_LEGACY_PLACE(
            &same,
            SB_ARG_BUFFER(device ? (size_t)nnzb
                                 : sb_backend_get()->legacy->flip_scratch(nb, nnzb)),
            SB_ARG_THERE(bscColPtr));
    if (st == SPBLAS_STATUS_SUCCESS && device) {
        const sb_native on = {handle->device, handle->stream, &diag, false};

        return sb_api_end(handle, __func__, sb_native_flip(&on, &job), &diag);
    }
    if (st == SPBLAS_STATUS_SUCCESS)
        sb_backend_get()->legacy->flip(&job);
    return st;
}

/* ---- Colours ------------------------------------------------------------------------ */

/* Colours through host memory: each depends on all rows above. */
static sb_status
color_there(spblasHandle_t h, const sb_coloring *c, int nnz, int *ncolors,
            sb_diag *diag)
{
    const spblasMatDescr_t descr = {.base = (spblasIndexBase_t)c->base};
    const size_t bytes = (size_t)c->m * sizeof(int32_t);
    const sb_device_ops *ops = h->device->ops;
    sb_problem pb = {.a = sb_legacy_csr(SB_F32, (int)c->m, (int)c->m, nnz, &descr, NULL,
                                        c->ptr, c->idx),
                     .batch = 1,
                     .device = h->device,
                     .stream = h->stream};
    int32_t *rows = sb_alloc_array(2 * c->m, sizeof *rows), colors = 0;
    sb_coloring here = *c;
    sb_staged staged = {0};
    sb_status st = rows ? sb_staged_structure(&staged, &pb, false, diag) : SB_ENOMEM;

    here.ptr = pb.a.ptr;
    here.idx = pb.a.idx;
    here.color = rows;
    here.order = c->order ? rows + c->m : NULL;
    if (st == SB_OK)
        st = sb_backend_get()->legacy->color(&here, &colors);
    if (st == SB_OK && c->m > 0)
        st = ops->upload(h->device, h->stream, c->color, rows, bytes, diag);
    if (st == SB_OK && c->m > 0 && c->order)
        st = ops->upload(h->device, h->stream, c->order, here.order, bytes, diag);
    if (st == SB_OK)
        st = sb_legacy_give(h, ncolors, colors, diag);
    sb_staged_free(&staged);
    sb_free(rows);
    return st;
}

spblasStatus_t
spblasXcsrcolor(spblasHandle_t handle, spblasDataType_t type, int m, int nnz,
                const spblasMatDescr_t *descrA, const void *csrValA,
                const int *csrRowPtrA, const int *csrColIndA,
                const void *fractionToColor, int *ncolors, int *coloring,
                int *reordering, spblasLegacyInfo_t info)
{
    bool device;
    const spblasStatus_t st = SB_LEGACY_PLACE(
        &device, SB_ARG_HANDLE, SB_ARG_TYPE, SB_ARG_COUNT(m), SB_ARG_COUNT(nnz),
        SB_ARG_DESCR(descrA), SB_ARG_ARRAY(csrRowPtrA, m),
        SB_ARG_ARRAY(csrColIndA, nnz), SB_ARG_SCALAR(fractionToColor),
        SB_ARG_SCALAR(ncolors), SB_ARG_ARRAY(coloring, m), SB_ARG_ARRAY(reordering, 0),
        SB_ARG_INFO);
    const bool wide = type == SPBLAS_R_64F || type == SPBLAS_C_64F;
    sb_coloring job;
    sb_diag diag = {0};
    sb_param fraction;
    sb_status done;

    (void)csrValA;
    if (st != SPBLAS_STATUS_SUCCESS)
        return st;
    done = sb_legacy_read(&fraction, handle, fractionToColor, wide ? 8 : 4, &diag);
    if (done != SB_OK)
        return sb_api_end(handle, __func__, done, &diag);
    job = (sb_coloring){.m = m,
                        .base = (int)descrA->base,
                        .ptr = csrRowPtrA,
                        .idx = csrColIndA,
                        .fraction = wide ? fraction.d[0] : (double)fraction.f[0],
                        .color = coloring,
                        .order = reordering};
    if (!(job.fraction >= 0 && job.fraction <= 1))
        return sb_api_fail(__func__, SB_EINVAL,
                           "argument fractionToColor must be in 0 .. 1");
    done = device ? color_there(handle, &job, nnz, ncolors, &diag)
                  : sb_backend_get()->legacy->color(&job, ncolors);
    return sb_api_end(handle, __func__, done, &diag);
}
