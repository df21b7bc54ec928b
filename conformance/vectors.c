/* Dense and sparse vectors: constructors, getters, setters, ends. */
#include "conform.h"

static void
create_dense(void)
{
    const int64_t size = conform_size("size", 5);
    void *const v = conform_array("values");
    const cudaDataType type = conform_type();
    cusparseDnVecDescr_t a = (void *)conform_kept;
    cusparseConstDnVecDescr_t c = (void *)conform_kept;
    cusparseDnVecDescr_t *const to = conform_out("descr", &a);
    int status = CALL(cusparseCreateDnVec(to, size, v, type));

    conform_row("cusparseCreateDnVec", status, "%s", conform_pointer(a));
    if (status == 0)
        (void)cusparseDestroyDnVec(a);
    status = CALL(cusparseCreateConstDnVec(to ? &c : NULL, size, v, type));
    conform_row("cusparseCreateConstDnVec", status, "%s", conform_pointer(c));
    if (status == 0)
        (void)cusparseDestroyDnVec(c);
}

static void
create_sparse(void)
{
    const int64_t size = conform_size("size", 5), nnz = conform_size("nnz", 3);
    void *const q = conform_array("indices"), *const v = conform_array("values");
    const cusparseIndexType_t index = conform_index("indexType");
    const cusparseIndexBase_t base = conform_base();
    const cudaDataType type = conform_type();
    cusparseSpVecDescr_t a = (void *)conform_kept;
    cusparseConstSpVecDescr_t c = (void *)conform_kept;
    cusparseSpVecDescr_t *const to = conform_out("descr", &a);
    int status = CALL(cusparseCreateSpVec(to, size, nnz, q, v, index, base, type));

    conform_row("cusparseCreateSpVec", status, "%s", conform_pointer(a));
    if (status == 0)
        (void)cusparseDestroySpVec(a);
    status = CALL(
        cusparseCreateConstSpVec(to ? &c : NULL, size, nnz, q, v, index, base, type));
    conform_row("cusparseCreateConstSpVec", status, "%s", conform_pointer(c));
    if (status == 0)
        (void)cusparseDestroySpVec(c);
}

/* A vector, a matrix in its place, and none. Not the other kind of vector: the real
 * library takes one for the other and reads what lies there. */
static enum conform_kind
pick_kind(enum conform_kind ordinary)
{
    return (enum conform_kind)PICK("descr", ordinary, CONFORM_CSR, CONFORM_DNMAT,
                                   CONFORM_NONE);
}

static void
dense(void)
{
    const enum conform_kind kind = pick_kind(CONFORM_DNVEC);
    void *const x = conform_make(kind);
    int64_t size = -7, *const to_size = conform_out("size", &size);
    void *v = conform_kept;
    void **const to_values = conform_out("values", &v);
    cudaDataType type = (cudaDataType)99, *const to_type = conform_out("type", &type);
    void *const other = conform_array("other");
    int status = CALL(cusparseDnVecGet(x, to_size, to_values, to_type));

    conform_row("cusparseDnVecGet", status, "%lld %s %d", (long long)size,
                conform_pointer(v), (int)type);
    status = CALL(cusparseConstDnVecGet(x, to_size, (const void **)to_values, to_type));
    conform_row("cusparseConstDnVecGet", status, "%lld %s %d", (long long)size,
                conform_pointer(v), (int)type);
    v = conform_kept;
    status = CALL(cusparseDnVecGetValues(x, to_values));
    conform_row("cusparseDnVecGetValues", status, "%s", conform_pointer(v));
    status = CALL(cusparseDnVecSetValues(x, other));
    conform_status("cusparseDnVecSetValues", status);
    status = CALL(cusparseConstDnVecGetValues(x, (const void **)to_values));
    conform_row("cusparseConstDnVecGetValues", status, "%s", conform_pointer(v));
    if (kind != CONFORM_DNVEC) {
        status = CALL(cusparseDestroyDnVec(x));
        conform_status("cusparseDestroyDnVec", status);
    }
    conform_end(kind, x);
}

static void
sparse(void)
{
    const enum conform_kind kind = pick_kind(CONFORM_SPVEC);
    void *const x = conform_make(kind);
    int64_t size = -7, nnz = -7;
    int64_t *const to_size = conform_out("size", &size);
    int64_t *const to_nnz = conform_out("nnz", &nnz);
    void *q = conform_kept, *v = conform_kept;
    void **const to_q = conform_out("indices", &q);
    void **const to_v = conform_out("values", &v);
    cusparseIndexType_t it = (cusparseIndexType_t)99;
    cusparseIndexType_t *const to_it = conform_out("indexType", &it);
    cusparseIndexBase_t base = (cusparseIndexBase_t)99;
    cusparseIndexBase_t *const to_base = conform_out("base", &base);
    cudaDataType type = (cudaDataType)99, *const to_type = conform_out("type", &type);
    void *const other = conform_array("other");
    int status =
        CALL(cusparseSpVecGet(x, to_size, to_nnz, to_q, to_v, to_it, to_base, to_type));

    conform_row("cusparseSpVecGet", status, "%lld %lld %s %s %d %d %d", (long long)size,
                (long long)nnz, conform_pointer(q), conform_pointer(v), (int)it,
                (int)base, (int)type);
    status = CALL(cusparseConstSpVecGet(x, to_size, to_nnz, (const void **)to_q,
                                        (const void **)to_v, to_it, to_base, to_type));
    conform_row("cusparseConstSpVecGet", status, "%lld %lld %s %s %d %d %d",
                (long long)size, (long long)nnz, conform_pointer(q), conform_pointer(v),
                (int)it, (int)base, (int)type);
    base = (cusparseIndexBase_t)99;
    status = CALL(cusparseSpVecGetIndexBase(x, to_base));
    conform_row("cusparseSpVecGetIndexBase", status, "%d", (int)base);
    v = conform_kept;
    status = CALL(cusparseSpVecGetValues(x, to_v));
    conform_row("cusparseSpVecGetValues", status, "%s", conform_pointer(v));
    status = CALL(cusparseSpVecSetValues(x, other));
    conform_status("cusparseSpVecSetValues", status);
    status = CALL(cusparseConstSpVecGetValues(x, (const void **)to_v));
    conform_row("cusparseConstSpVecGetValues", status, "%s", conform_pointer(v));
    if (kind != CONFORM_SPVEC) {
        status = CALL(cusparseDestroySpVec(x));
        conform_status("cusparseDestroySpVec", status);
    }
    conform_end(kind, x);
}

void
conform_vectors(void)
{
    conform_explore(create_dense);
    conform_explore(create_sparse);
    conform_explore(dense);
    conform_explore(sparse);
}
