/* Pointing sparse matrices at other arrays and making batches of them. */
#include "conform.h"

static enum conform_kind
pick_kind(void)
{
    return (enum conform_kind)PICK("descr", CONFORM_CSR, CONFORM_CSC, CONFORM_COO,
                                   CONFORM_BSR, CONFORM_BELL, CONFORM_SELL,
                                   CONFORM_DNMAT, CONFORM_NONE);
}

/* The arrays that the matrix has now, whatever its format. */
static void
answer(const char *function, int status, void *a)
{
    int64_t m, n, nnz;
    void *p = conform_kept, *q = conform_kept, *v = conform_kept;
    cusparseIndexType_t pt, qt;
    cusparseIndexBase_t base;
    cudaDataType type;

    if (cusparseCsrGet(a, &m, &n, &nnz, &p, &q, &v, &pt, &qt, &base, &type) &&
        cusparseCscGet(a, &m, &n, &nnz, &p, &q, &v, &pt, &qt, &base, &type) &&
        cusparseCooGet(a, &m, &n, &nnz, &p, &q, &v, &qt, &base, &type))
        (void)cusparseSpMatGetValues(a, &v);
    conform_row(function, status, "%s %s %s", conform_pointer(p), conform_pointer(q),
                conform_pointer(v));
}

static void
pointers(void)
{
    const enum conform_kind kind = pick_kind();
    void *const p = conform_array("offsets"), *const q = conform_array("indices");
    void *const v = conform_array("values");
    void *a = conform_make(kind);
    int status = CALL(cusparseCsrSetPointers(a, p, q, v));

    answer("cusparseCsrSetPointers", status, a);
    status = CALL(cusparseCscSetPointers(a, p, q, v));
    answer("cusparseCscSetPointers", status, a);
    status = CALL(cusparseCooSetPointers(a, p, q, v));
    answer("cusparseCooSetPointers", status, a);
    conform_end(kind, a);
    a = conform_make(kind);
    status = CALL(cusparseSpMatSetValues(a, v));
    answer("cusparseSpMatSetValues", status, a);
    conform_end(kind, a);
}

static void
batches(void)
{
    const enum conform_kind kind = pick_kind();
    const int count = (int)PICK("count", 3, 1, 0, -1, 70000, INT32_MAX);
    const int64_t s0 = PICK("stride0", 64, 4, 5, 6, 7, 3, 1, 0, -1, INT64_MAX);
    const int64_t s1 = PICK("stride1", 64, 4, 5, 6, 20, 19, 1, 0, -1, INT64_MAX);
    const int64_t s2 = PICK("stride2", 64, 4, 5, 6, 20, 19, 1, 0, -1, INT64_MAX);
    int got = -7;
    void *a = conform_make(kind);
    int status = CALL(cusparseCsrSetStridedBatch(a, count, s0, s1));

    (void)cusparseSpMatGetStridedBatch(a, &got);
    conform_row("cusparseCsrSetStridedBatch", status, "%d", got);
    status = CALL(cusparseCooSetStridedBatch(a, count, s0));
    (void)cusparseSpMatGetStridedBatch(a, &got);
    conform_row("cusparseCooSetStridedBatch", status, "%d", got);
    status = CALL(cusparseBsrSetStridedBatch(a, count, s0, s1, s2));
    (void)cusparseSpMatGetStridedBatch(a, &got);
    conform_row("cusparseBsrSetStridedBatch", status, "%d", got);
    conform_end(kind, a);
}

void
conform_setters(void)
{
    conform_explore(pointers);
    conform_explore(batches);
}
