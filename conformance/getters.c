/* What sparse matrices say about themselves, and what every other object says instead. */
#include "conform.h"

static enum conform_kind
pick_kind(void)
{
    return (enum conform_kind)PICK(
        "descr", CONFORM_CSR, CONFORM_CSC, CONFORM_COO, CONFORM_BSR, CONFORM_BELL,
        CONFORM_SELL, CONFORM_DNMAT, CONFORM_DNVEC, CONFORM_SPVEC, CONFORM_NONE);
}

static void
common(void)
{
    const enum conform_kind kind = pick_kind();
    void *const a = conform_make(kind);
    int64_t m = -7, n = -7, nnz = -7;
    int64_t *const to_m = conform_out("rows", &m), *const to_n =
                                                       conform_out("cols", &n);
    int64_t *const to_nnz = conform_out("nnz", &nnz);
    cusparseFormat_t format = (cusparseFormat_t)99;
    cusparseFormat_t *const to_format = conform_out("format", &format);
    cusparseIndexBase_t base = (cusparseIndexBase_t)99;
    cusparseIndexBase_t *const to_base = conform_out("base", &base);
    int count = -7, *const to_count = conform_out("count", &count);
    void *v = conform_kept;
    void **const to_v = conform_out("values", &v);
    int status = CALL(cusparseSpMatGetSize(a, to_m, to_n, to_nnz));

    conform_row("cusparseSpMatGetSize", status, "%lld %lld %lld", (long long)m,
                (long long)n, (long long)nnz);
    status = CALL(cusparseSpMatGetFormat(a, to_format));
    conform_row("cusparseSpMatGetFormat", status, "%d", (int)format);
    status = CALL(cusparseSpMatGetIndexBase(a, to_base));
    conform_row("cusparseSpMatGetIndexBase", status, "%d", (int)base);
    status = CALL(cusparseSpMatGetStridedBatch(a, to_count));
    conform_row("cusparseSpMatGetStridedBatch", status, "%d", count);
    status = CALL(cusparseSpMatGetValues(a, to_v));
    conform_row("cusparseSpMatGetValues", status, "%s", conform_pointer(v));
    v = conform_kept;
    status = CALL(cusparseConstSpMatGetValues(a, (const void **)to_v));
    conform_row("cusparseConstSpMatGetValues", status, "%s", conform_pointer(v));
    if (kind >= CONFORM_DNMAT) {
        status = CALL(cusparseDestroySpMat(a));
        conform_status("cusparseDestroySpMat", status);
    }
    conform_end(kind, a);
}

static void
attributes(void)
{
    const enum conform_kind kind = pick_kind();
    void *const a = conform_make(kind);
    const cusparseSpMatAttribute_t which =
        (cusparseSpMatAttribute_t)PICK("attribute", 0, 1, 2, -1);
    const size_t set_size = (size_t)PICK("size", 4, 0, 1, 3, 5, 8);
    const size_t get_size = (size_t)PICK("get_size", 4, 0, 1, 3, 5, 8);
    int32_t set[2] = {(int32_t)PICK("value", 1, 0, 2, 7, -1), 0};
    int32_t got[2] = {-7, -7};
    void *const from = conform_out("from", set);
    void *const to = conform_out("to", got);
    int status = CALL(cusparseSpMatGetAttribute(a, which, to, get_size));

    conform_row("cusparseSpMatGetAttribute", status, "%d", got[0]);
    status = CALL(cusparseSpMatSetAttribute(a, which, from, set_size));
    conform_status("cusparseSpMatSetAttribute", status);
    status = CALL(cusparseSpMatGetAttribute(a, which, to, get_size));
    conform_row("cusparseSpMatGetAttribute", status, "%d", got[0]);
    conform_end(kind, a);
}

/* The outputs that CSR's, CSC's and COO's getters share. */
struct outputs {
    int64_t m, n, nnz;
    void *p, *q, *v;
    cusparseIndexType_t pt, qt;
    cusparseIndexBase_t base;
    cudaDataType type;
};
struct places {
    int64_t *m, *n, *nnz;
    void **p, **q, **v;
    cusparseIndexType_t *pt, *qt;
    cusparseIndexBase_t *base;
    cudaDataType *type;
};

static struct places
pick_places(struct outputs *o)
{
    struct places at;

    at.m = conform_out("rows", &o->m), at.n = conform_out("cols", &o->n);
    at.nnz = conform_out("nnz", &o->nnz), at.p = conform_out("offsets", &o->p);
    at.q = conform_out("indices", &o->q), at.v = conform_out("values", &o->v);
    at.pt = conform_out("offsetsType", &o->pt);
    at.qt = conform_out("indexType", &o->qt);
    at.base = conform_out("base", &o->base), at.type = conform_out("type", &o->type);
    return at;
}

static void
answer(const char *function, int status, struct outputs *o)
{
    conform_row(function, status, "%lld %lld %lld %s %s %s %d %d %d %d",
                (long long)o->m, (long long)o->n, (long long)o->nnz,
                conform_pointer(o->p), conform_pointer(o->q), conform_pointer(o->v),
                (int)o->pt, (int)o->qt, (int)o->base, (int)o->type);
}

static const struct outputs fresh = {-7,
                                     -7,
                                     -7,
                                     conform_kept,
                                     conform_kept,
                                     conform_kept,
                                     (cusparseIndexType_t)99,
                                     (cusparseIndexType_t)99,
                                     (cusparseIndexBase_t)99,
                                     (cudaDataType)99};

/* A getter with the places of CSR, where both index types are reported. */
#define COMPRESSED(name, pointer)                                                    \
    do {                                                                             \
        o = fresh;                                                                   \
        status =                                                                     \
            CALL(cusparse##name(a, at.m, at.n, at.nnz, (pointer)at.p, (pointer)at.q, \
                                (pointer)at.v, at.pt, at.qt, at.base, at.type));     \
        answer("cusparse" #name, status, &o);                                        \
    } while (0)

/* A getter with the places of COO or Blocked-ELL. */
#define SINGLE(name, ...)                                                       \
    do {                                                                        \
        o = fresh;                                                              \
        status = CALL(cusparse##name(a, at.m, at.n, at.nnz, __VA_ARGS__, at.qt, \
                                     at.base, at.type));                        \
        answer("cusparse" #name, status, &o);                                   \
    } while (0)

static void
by_format(void)
{
    const enum conform_kind kind = pick_kind();
    void *const a = conform_make(kind);
    struct outputs o = fresh;
    const struct places at = pick_places(&o);
    int64_t width = -7, *const to_width = conform_out("ellCols", &width);
    int status;

    COMPRESSED(CsrGet, void **);
    COMPRESSED(ConstCsrGet, const void **);
    COMPRESSED(CscGet, void **);
    COMPRESSED(ConstCscGet, const void **);
    SINGLE(CooGet, at.p, at.q, at.v);
    SINGLE(ConstCooGet, (const void **)at.p, (const void **)at.q, (const void **)at.v);
    SINGLE(BlockedEllGet, to_width, at.q, at.v);
    SINGLE(ConstBlockedEllGet, to_width, (const void **)at.q, (const void **)at.v);
    conform_row("cusparseBlockedEllGet", 0, "%lld", (long long)width);
    conform_end(kind, a);
}

void
conform_getters(void)
{
    conform_explore(common);
    conform_explore(attributes);
    conform_explore(by_format);
}
