/* Constructors of sparse matrices, and the size that each reports. */
#include "conform.h"

static void
answer(const char *function, int status, void *made)
{
    int64_t size[3] = {-7, -7, -7};

    if (status == CUSPARSE_STATUS_SUCCESS && made && made != conform_kept)
        (void)cusparseSpMatGetSize(made, &size[0], &size[1], &size[2]);
    conform_row(function, status, "%s %lld %lld %lld", conform_pointer(made),
                (long long)size[0], (long long)size[1], (long long)size[2]);
    if (status == CUSPARSE_STATUS_SUCCESS)
        (void)cusparseDestroySpMat(made);
}

/* The non-const and the const constructor of one format, same arguments. */
#define CREATE(format, ...)                                                      \
    do {                                                                         \
        cusparseSpMatDescr_t a = (void *)conform_kept;                           \
        cusparseConstSpMatDescr_t c = (void *)conform_kept;                      \
        cusparseSpMatDescr_t *const to = conform_out("descr", &a);               \
        int status = CALL(cusparseCreate##format(to, __VA_ARGS__));              \
                                                                                 \
        answer("cusparseCreate" #format, status, a);                             \
        status = CALL(cusparseCreateConst##format(to ? &c : NULL, __VA_ARGS__)); \
        answer("cusparseCreateConst" #format, status, (void *)(uintptr_t)c);     \
    } while (0)

static void
compressed(void)
{
    const int64_t m = conform_size("rows", 4), n = conform_size("cols", 6);
    const int64_t nnz = conform_size("nnz", 3);
    void *const p = conform_array("offsets"), *const q = conform_array("indices");
    void *const v = conform_array("values");
    const cusparseIndexType_t pt = conform_index("offsetsType");
    const cusparseIndexType_t qt = conform_index("indexType");
    const cusparseIndexBase_t base = conform_base();
    const cudaDataType type = conform_type();

    CREATE(Csr, m, n, nnz, p, q, v, pt, qt, base, type);
}

static void
compressed_columns(void)
{
    const int64_t m = conform_size("rows", 4), n = conform_size("cols", 6);
    const int64_t nnz = conform_size("nnz", 3);
    void *const p = conform_array("offsets"), *const q = conform_array("indices");
    void *const v = conform_array("values");
    const cusparseIndexType_t pt = conform_index("offsetsType");
    const cusparseIndexType_t qt = conform_index("indexType");
    const cusparseIndexBase_t base = conform_base();
    const cudaDataType type = conform_type();

    CREATE(Csc, m, n, nnz, p, q, v, pt, qt, base, type);
}

static void
coordinates(void)
{
    const int64_t m = conform_size("rows", 4), n = conform_size("cols", 6);
    const int64_t nnz = conform_size("nnz", 3);
    void *const p = conform_array("rowsArray"), *const q = conform_array("indices");
    void *const v = conform_array("values");
    const cusparseIndexType_t type = conform_index("indexType");
    const cusparseIndexBase_t base = conform_base();
    const cudaDataType value = conform_type();

    CREATE(Coo, m, n, nnz, p, q, v, type, base, value);
}

static void
blocks(void)
{
    const int64_t m = conform_size("brows", 4), n = conform_size("bcols", 6);
    const int64_t nnz = conform_size("bnnz", 3);
    const int64_t rb = PICK("rowBlock", 2, 1, 3, 0, -1, INT32_MAX);
    const int64_t cb = PICK("colBlock", 2, 1, 3, 0, -1, INT32_MAX);
    void *const p = conform_array("offsets"), *const q = conform_array("indices");
    void *const v = conform_array("values");
    const cusparseIndexType_t pt = conform_index("offsetsType");
    const cusparseIndexType_t qt = conform_index("indexType");
    const cusparseIndexBase_t base = conform_base();
    const cudaDataType type = conform_type();
    const cusparseOrder_t order = (cusparseOrder_t)PICK("order", 1, 2, 0, 3, -1);

    CREATE(Bsr, m, n, nnz, rb, cb, p, q, v, pt, qt, base, type, order);
}

static void
blocked_ell(void)
{
    const int64_t m = conform_size("rows", 4), n = conform_size("cols", 6);
    const int64_t block = PICK("block", 2, 1, 3, 0, -1, INT32_MAX);
    const int64_t width = PICK("ellCols", 4, 0, 2, 3, 6, 8, -2, INT64_MAX);
    void *const q = conform_array("indices"), *const v = conform_array("values");
    const cusparseIndexType_t type = conform_index("indexType");
    const cusparseIndexBase_t base = conform_base();
    const cudaDataType value = conform_type();

    CREATE(BlockedEll, m, n, block, width, q, v, type, base, value);
}

static void
sliced_ell(void)
{
    const int64_t m = conform_size("rows", 4), n = conform_size("cols", 6);
    const int64_t nnz = conform_size("nnz", 3), room = conform_size("slots", 8);
    const int64_t slice = PICK("slice", 2, 1, 0, 3, -1, 100, INT64_MAX);
    void *const p = conform_array("offsets"), *const q = conform_array("indices");
    void *const v = conform_array("values");
    const cusparseIndexType_t pt = conform_index("offsetsType");
    const cusparseIndexType_t qt = conform_index("indexType");
    const cusparseIndexBase_t base = conform_base();
    const cudaDataType type = conform_type();

    CREATE(SlicedEll, m, n, nnz, room, slice, p, q, v, pt, qt, base, type);
}

void
conform_create(void)
{
    conform_explore(compressed);
    conform_explore(compressed_columns);
    conform_explore(coordinates);
    conform_explore(blocks);
    conform_explore(blocked_ell);
    conform_explore(sliced_ell);
}
