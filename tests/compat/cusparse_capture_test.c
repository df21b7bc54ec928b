/*
 * cuSPARSE calls on a stream that captures: those of the table are kept and give at every
 * launch what they give at once; the others are refused and leave no graph.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include <cuda_runtime_api.h>
#include <cusparse.h>

#define ok(call) assert_int_equal(call, 0)
#define OP CUSPARSE_OPERATION_NON_TRANSPOSE
#define F32 CUDA_R_32F

/* Operands of every routine: A is 3 x 3 in four formats, with the entries 1 .. 4. */
static int offsets[] = {0, 1, 3, 4}, columns[] = {1, 0, 2, 2}, rows[] = {0, 1, 1, 2};
static int ell_columns[] = {0, 1, 2}, places[] = {0, 2}, sell_offsets[] = {0, 6};
static int sell_columns[] = {1, 0, 2, -1, 2, -1};
static float values[] = {1, 2, 3, 4}, x[] = {1, 2, 3}, s[] = {5, 7};
static float ell_values[] = {1, 2, 3, 4, 5, 6, 7, 8, 9},
             sell_values[] = {1, 2, 4, 0, 3, 0};
static float b[] = {1, 2, 3, 4, 5, 6}, start[16] = {9, 8, 7, 6, 5, 4, 3, 2, 1};
static float y[16], alpha = 2, beta = 3, result;
static char buffer[4096];

static cusparseHandle_t handle;
static cudaStream_t stream;
static cusparseSpMatDescr_t csr, csc, coo, bell, bsr, sell, sampled;
static cusparseDnMatDescr_t mb, mc, square, mt;
static cusparseDnVecDescr_t vx, vy;
static cusparseSpVecDescr_t vs;

static void
make(void)
{
    const cusparseIndexType_t i = CUSPARSE_INDEX_32I;
    const cusparseIndexBase_t z = CUSPARSE_INDEX_BASE_ZERO;
    const cusparseOrder_t r = CUSPARSE_ORDER_ROW;

    ok(cudaStreamCreate(&stream));
    ok(cusparseCreate(&handle));
    ok(cusparseSetStream(handle, stream));
    ok(cusparseCreateCsr(&csr, 3, 3, 4, offsets, columns, values, i, i, z, F32));
    ok(cusparseCreateCsc(&csc, 3, 3, 4, offsets, columns, values, i, i, z, F32));
    ok(cusparseCreateCoo(&coo, 3, 3, 4, rows, columns, values, i, z, F32));
    ok(cusparseCreateBlockedEll(&bell, 3, 3, 1, 1, ell_columns, ell_values, i, z, F32));
    ok(cusparseCreateBsr(&bsr, 3, 3, 4, 1, 1, offsets, columns, values, i, i, z, F32,
                         r));
    ok(cusparseCreateSlicedEll(&sell, 3, 3, 4, 6, 3, sell_offsets, sell_columns,
                               sell_values, i, i, z, F32));
    ok(cusparseCreateCsr(&sampled, 3, 3, 4, offsets, columns, y, i, i, z, F32));
    ok(cusparseCreateDnMat(&mb, 3, 2, 2, b, F32, r));
    ok(cusparseCreateDnMat(&mt, 2, 3, 3, b, F32, r));
    ok(cusparseCreateDnMat(&mc, 3, 2, 2, y, F32, r));
    ok(cusparseCreateDnMat(&square, 3, 3, 3, y, F32, r));
    ok(cusparseCreateDnVec(&vx, 3, x, F32));
    ok(cusparseCreateDnVec(&vy, 3, y, F32));
    ok(cusparseCreateSpVec(&vs, 3, 2, places, s, i, z, F32));
}

static void
drop(void)
{
    const cusparseSpMatDescr_t matrices[] = {csr, csc, coo, bell, bsr, sell, sampled};

    for (size_t i = 0; i < sizeof matrices / sizeof *matrices; i++)
        ok(cusparseDestroySpMat(matrices[i]));
    ok(cusparseDestroyDnMat(mb));
    ok(cusparseDestroyDnMat(mt));
    ok(cusparseDestroyDnMat(mc));
    ok(cusparseDestroyDnMat(square));
    ok(cusparseDestroyDnVec(vx));
    ok(cusparseDestroyDnVec(vy));
    ok(cusparseDestroySpVec(vs));
    ok(cusparseDestroy(handle));
}

static cusparseStatus_t
spmv(cusparseSpMatDescr_t a)
{
    ok(cusparseSpMV_preprocess(handle, OP, &alpha, a, vx, &beta, vy, F32,
                               CUSPARSE_SPMV_ALG_DEFAULT, buffer));
    return cusparseSpMV(handle, OP, &alpha, a, vx, &beta, vy, F32,
                        CUSPARSE_SPMV_ALG_DEFAULT, buffer);
}

static cusparseStatus_t
spmv_csr(void)
{
    return spmv(csr);
}

static cusparseStatus_t
spmv_csc(void)
{
    return spmv(csc);
}

static cusparseStatus_t
spmv_coo(void)
{
    return spmv(coo);
}

static cusparseStatus_t
spmm(void)
{
    return cusparseSpMM(handle, OP, OP, &alpha, csr, mb, &beta, mc, F32,
                        CUSPARSE_SPMM_ALG_DEFAULT, buffer);
}

static cusparseStatus_t
spmm_blocked_ell(void)
{
    return cusparseSpMM(handle, OP, OP, &alpha, bell, mb, &beta, mc, F32,
                        CUSPARSE_SPMM_ALG_DEFAULT, buffer);
}

static cusparseStatus_t
sddmm(void)
{
    return cusparseSDDMM(handle, OP, OP, &alpha, mb, mt, &beta, sampled, F32,
                         CUSPARSE_SDDMM_ALG_DEFAULT, buffer);
}

static cusparseStatus_t
expand(void)
{
    return cusparseSparseToDense(handle, csr, square,
                                 CUSPARSE_SPARSETODENSE_ALG_DEFAULT, buffer);
}

static cusparseStatus_t
axpby(void)
{
    return cusparseAxpby(handle, &alpha, vs, &beta, vy);
}

static cusparseStatus_t
rot(void)
{
    return cusparseRot(handle, &alpha, &beta, vs, vy);
}

static cusparseStatus_t
gather(void)
{
    return cusparseGather(handle, vy, vs);
}

static cusparseStatus_t
scatter(void)
{
    return cusparseScatter(handle, vs, vy);
}

static cusparseStatus_t
spvv(void)
{
    return cusparseSpVV(handle, OP, vs, vx, &result, F32, buffer);
}

static cusparseStatus_t (*const kept[])(void) = {
    spmv_csr, spmv_csc, spmv_coo, spmm,   spmm_blocked_ell, sddmm,
    expand,   axpby,    rot,      gather, scatter,          spvv,
};

enum { KEPT = sizeof kept / sizeof *kept };

/* Everything that a call may write. */
typedef struct {
    float y[16], s[2], result;
} written;

static void
set(const written *from)
{
    memcpy(y, from->y, sizeof y);
    memcpy(s, from->s, sizeof s);
    result = from->result;
}

static written
get(void)
{
    written w;

    memcpy(w.y, y, sizeof y);
    memcpy(w.s, s, sizeof s);
    w.result = result;
    return w;
}

static void
keeps(void **state)
{
    static const written first = {.y = {9, 8, 7, 6, 5, 4, 3, 2, 1}, .s = {5, 7}};
    const float host[] = {alpha, beta};
    cudaGraphExec_t exec[KEPT];
    cudaGraph_t graph;
    written once[KEPT];

    (void)state;
    make();
    for (int i = 0; i < KEPT; i++) {
        set(&first);
        ok(kept[i]());
        once[i] = get();
        assert_memory_not_equal(&once[i], &first, sizeof first);
        set(&first);
        ok(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
        ok(kept[i]());
        ok(cudaStreamEndCapture(stream, &graph));
        ok(cudaGraphInstantiate(&exec[i], graph, 0));
        ok(cudaGraphDestroy(graph));
        assert_memory_equal(y, first.y, sizeof y); /* nothing ran */
    }
    drop(); /* the graphs need neither descriptors nor handle, nor the host's scalars */
    alpha = beta = -1;
    for (int i = 0; i < 2 * KEPT; i++) {
        const written *wanted = &once[i % KEPT];

        set(&first);
        ok(cudaGraphLaunch(exec[i % KEPT], stream));
        assert_memory_equal(y, wanted->y, sizeof y);
        assert_memory_equal(s, wanted->s, sizeof s);
        assert_memory_equal(&result, &wanted->result, sizeof result);
    }
    for (int i = 0; i < KEPT; i++)
        ok(cudaGraphExecDestroy(exec[i]));
    ok(cudaStreamDestroy(stream));
    alpha = host[0];
    beta = host[1];
}

static cusparseStatus_t
spmv_bsr(void)
{
    return spmv(bsr);
}

static cusparseStatus_t
spmv_sliced_ell(void)
{
    return spmv(sell);
}

static cusparseStatus_t
spmm_batched(void)
{
    cusparseStatus_t st;

    ok(cusparseCsrSetStridedBatch(csr, 2, 0, 0));
    ok(cusparseDnMatSetStridedBatch(mb, 2, 0));
    ok(cusparseDnMatSetStridedBatch(mc, 2, 6));
    st = spmm();
    ok(cusparseCsrSetStridedBatch(csr, 1, 0, 0));
    return st;
}

static cusparseStatus_t
dense_to_sparse(void)
{
    return cusparseDenseToSparse_analysis(handle, square, csr,
                                          CUSPARSE_DENSETOSPARSE_ALG_DEFAULT, buffer);
}

static cusparseStatus_t
solve(void)
{
    return cusparseSpSV_solve(handle, OP, &alpha, csr, vx, vy, F32,
                              CUSPARSE_SPSV_ALG_DEFAULT, NULL);
}

static cusparseStatus_t
on_default_stream(void)
{
    cusparseStatus_t st;

    ok(cusparseSetStream(handle, NULL));
    st = spmv(csr);
    ok(cusparseSetStream(handle, stream));
    return st;
}

static cusparseStatus_t (*const refused[])(void) = {
    spmv_bsr, spmv_sliced_ell, spmm_batched, dense_to_sparse, solve, on_default_stream,
};

static void
refuses(void **state)
{
    cudaGraph_t graph;

    (void)state;
    make();
    memcpy(y, start, sizeof y);
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
        ok(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
        assert_int_equal(refused[i](), CUSPARSE_STATUS_NOT_SUPPORTED);
        assert_int_equal(cudaStreamEndCapture(stream, &graph),
                         cudaErrorStreamCaptureInvalidated);
        assert_null(graph);
        assert_memory_equal(y, start, sizeof y);
    }
    (void)cudaGetLastError();

    /* A wrong argument is one, and the capture goes on. */
    ok(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
    assert_int_equal(cusparseSpMV(handle, OP, NULL, csr, vx, &beta, vy, F32,
                                  CUSPARSE_SPMV_ALG_DEFAULT, buffer),
                     CUSPARSE_STATUS_INVALID_VALUE);
    assert_int_equal(cusparseAxpby(handle, NULL, vs, &beta, vy),
                     CUSPARSE_STATUS_INVALID_VALUE);
    assert_int_equal(cusparseGather(handle, NULL, vs), CUSPARSE_STATUS_INVALID_VALUE);
    ok(cudaStreamEndCapture(stream, &graph));
    ok(cudaGraphDestroy(graph));
    drop();
    ok(cudaStreamDestroy(stream));
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(keeps),
        cmocka_unit_test(refuses),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
