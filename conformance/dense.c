/* Dense matrices: constructors, getters, setters, batches, ends. */
#include "conform.h"

static void
create(void)
{
    const int64_t m = conform_size("rows", 4), n = conform_size("cols", 6);
    const int64_t ld = conform_size("ld", 7);
    void *const v = conform_array("values");
    const cudaDataType type = conform_type();
    const cusparseOrder_t order = (cusparseOrder_t)PICK("order", 1, 2, 0, 3, -1);
    cusparseDnMatDescr_t a = (void *)conform_kept;
    cusparseConstDnMatDescr_t c = (void *)conform_kept;
    cusparseDnMatDescr_t *const to = conform_out("descr", &a);
    int status = CALL(cusparseCreateDnMat(to, m, n, ld, v, type, order));

    conform_row("cusparseCreateDnMat", status, "%s", conform_pointer(a));
    if (status == 0)
        (void)cusparseDestroyDnMat(a);
    status = CALL(cusparseCreateConstDnMat(to ? &c : NULL, m, n, ld, v, type, order));
    conform_row("cusparseCreateConstDnMat", status, "%s", conform_pointer(c));
    if (status == 0)
        (void)cusparseDestroyDnMat(c);
}

static enum conform_kind
pick_kind(void)
{
    return (enum conform_kind)PICK("descr", CONFORM_DNMAT, CONFORM_CSR, CONFORM_DNVEC,
                                   CONFORM_SPVEC, CONFORM_NONE);
}

static void
get(void)
{
    const enum conform_kind kind = pick_kind();
    void *const x = conform_make(kind);
    int64_t m = -7, n = -7, ld = -7;
    int64_t *const to_m = conform_out("rows", &m), *const to_n =
                                                       conform_out("cols", &n);
    int64_t *const to_ld = conform_out("ld", &ld);
    void *v = conform_kept;
    void **const to_v = conform_out("values", &v);
    cudaDataType type = (cudaDataType)99, *const to_type = conform_out("type", &type);
    cusparseOrder_t order = (cusparseOrder_t)99;
    cusparseOrder_t *const to_order = conform_out("order", &order);
    void *const other = conform_array("other");
    int status = CALL(cusparseDnMatGet(x, to_m, to_n, to_ld, to_v, to_type, to_order));

    conform_row("cusparseDnMatGet", status, "%lld %lld %lld %s %d %d", (long long)m,
                (long long)n, (long long)ld, conform_pointer(v), (int)type, (int)order);
    status = CALL(cusparseConstDnMatGet(x, to_m, to_n, to_ld, (const void **)to_v,
                                        to_type, to_order));
    conform_row("cusparseConstDnMatGet", status, "%lld %lld %lld %s %d %d",
                (long long)m, (long long)n, (long long)ld, conform_pointer(v),
                (int)type, (int)order);
    v = conform_kept;
    status = CALL(cusparseDnMatGetValues(x, to_v));
    conform_row("cusparseDnMatGetValues", status, "%s", conform_pointer(v));
    status = CALL(cusparseDnMatSetValues(x, other));
    conform_status("cusparseDnMatSetValues", status);
    status = CALL(cusparseConstDnMatGetValues(x, (const void **)to_v));
    conform_row("cusparseConstDnMatGetValues", status, "%s", conform_pointer(v));
    if (kind != CONFORM_DNMAT) {
        status = CALL(cusparseDestroyDnMat(x));
        conform_status("cusparseDestroyDnMat", status);
    }
    conform_end(kind, x);
}

static void
batch(void)
{
    const enum conform_kind kind = pick_kind();
    void *const x = conform_make(kind);
    const int count = (int)PICK("count", 3, 1, 0, -1, 70000, INT32_MAX);
    const int64_t stride = PICK("stride", 32, 31, 33, 0, 1, -1, INT64_MAX);
    int got = -7, *const to_count = conform_out("to_count", &got);
    int64_t far = -7, *const to_stride = conform_out("to_stride", &far);
    int status = CALL(cusparseDnMatSetStridedBatch(x, count, stride));

    conform_status("cusparseDnMatSetStridedBatch", status);
    status = CALL(cusparseDnMatGetStridedBatch(x, to_count, to_stride));
    conform_row("cusparseDnMatGetStridedBatch", status, "%d %lld", got, (long long)far);
    conform_end(kind, x);
}

void
conform_dense(void)
{
    conform_explore(create);
    conform_explore(get);
    conform_explore(batch);
}
