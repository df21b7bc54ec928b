/*
 * Descriptor statuses against the real libcusparse.so.12, whose descriptor layer works
 * without a GPU: thousands of random calls, the same status from both. Skips where the
 * loader does not find the library; SPBLAS_CUSPARSE may name it. Differences we chose are
 * written down in chosen_difference().
 *
 * The real functions are called through our own prototypes: the enumerators have the
 * same values and all are int-sized.
 */
#include "gen.h"
#include "spblas.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

static void *real;

typedef spblasStatus_t (*create_csr)(spblasSpMatDescr_t *, int64_t, int64_t, int64_t,
                                     void *, void *, void *, spblasIndexType_t,
                                     spblasIndexType_t, spblasIndexBase_t,
                                     spblasDataType_t);
typedef spblasStatus_t (*create_coo)(spblasSpMatDescr_t *, int64_t, int64_t, int64_t,
                                     void *, void *, void *, spblasIndexType_t,
                                     spblasIndexBase_t, spblasDataType_t);
typedef spblasStatus_t (*create_bsr)(spblasSpMatDescr_t *, int64_t, int64_t, int64_t,
                                     int64_t, int64_t, void *, void *, void *,
                                     spblasIndexType_t, spblasIndexType_t,
                                     spblasIndexBase_t, spblasDataType_t,
                                     spblasOrder_t);
typedef spblasStatus_t (*create_dnmat)(spblasDnMatDescr_t *, int64_t, int64_t, int64_t,
                                       void *, spblasDataType_t, spblasOrder_t);
typedef spblasStatus_t (*create_dnvec)(spblasDnVecDescr_t *, int64_t, void *,
                                       spblasDataType_t);
typedef spblasStatus_t (*create_spvec)(spblasSpVecDescr_t *, int64_t, int64_t, void *,
                                       void *, spblasIndexType_t, spblasIndexBase_t,
                                       spblasDataType_t);
typedef spblasStatus_t (*create_bell)(spblasSpMatDescr_t *, int64_t, int64_t, int64_t,
                                      int64_t, void *, void *, spblasIndexType_t,
                                      spblasIndexBase_t, spblasDataType_t);
typedef spblasStatus_t (*create_sell)(spblasSpMatDescr_t *, int64_t, int64_t, int64_t,
                                      int64_t, int64_t, void *, void *, void *,
                                      spblasIndexType_t, spblasIndexType_t,
                                      spblasIndexBase_t, spblasDataType_t);
typedef spblasStatus_t (*destroy_any)(const void *);
typedef spblasStatus_t (*batch_coo)(spblasSpMatDescr_t, int, int64_t);
typedef spblasStatus_t (*batch_csr)(spblasSpMatDescr_t, int, int64_t, int64_t);
typedef spblasStatus_t (*batch_bsr)(spblasSpMatDescr_t, int, int64_t, int64_t, int64_t);
typedef spblasStatus_t (*batch_dnmat)(spblasDnMatDescr_t, int, int64_t);
typedef spblasStatus_t (*get_size)(spblasConstSpMatDescr_t, int64_t *, int64_t *,
                                   int64_t *);
typedef const char *(*status_text)(spblasStatus_t);

/* A function of the real library as the given type; object and function pointers have
 * one size wherever dlsym exists. */
static void
find(void *fn, const char *name)
{
    void *p = dlsym(real, name);

    if (!p)
        fail_msg("the real library lacks %s", name);
    memcpy(fn, &p, sizeof p);
}

/* The real library prints each refusal to stderr: silence it meanwhile. */
static int saved_stderr = -1;

static int
open_real(void **state)
{
    const char *name = getenv("SPBLAS_CUSPARSE");
    int null;

    (void)state;
    real = dlopen(name ? name : "libcusparse.so.12", RTLD_NOW | RTLD_LOCAL);
    if (!real)
        return 0;
    saved_stderr = dup(STDERR_FILENO);
    null = open("/dev/null", O_WRONLY);
    if (null >= 0) {
        (void)dup2(null, STDERR_FILENO);
        (void)close(null);
    }
    return 0;
}

static int
close_real(void **state)
{
    (void)state;
    if (saved_stderr >= 0)
        (void)dup2(saved_stderr, STDERR_FILENO);
    return 0; /* the library stays loaded: it does not like to be unloaded */
}

/* ---- Draws: mostly legal, often at an edge ------------------------------------------ */

static int64_t
draw_size(gen_rng *r)
{
    static const int64_t edges[] = {-1,
                                    0,
                                    0,
                                    1,
                                    2,
                                    5,
                                    7,
                                    INT32_MAX - 1,
                                    INT32_MAX,
                                    (int64_t)INT32_MAX + 1,
                                    (int64_t)1 << 40,
                                    INT64_MAX};
    const int64_t at = gen_below(r, 24);

    return at < 12 ? edges[at] : gen_between(r, 1, 8);
}

static int64_t
draw_small(gen_rng *r)
{
    return gen_between(r, -1, 9);
}

static void *
draw_array(gen_rng *r)
{
    static _Alignas(64) double room[64];
    static const int64_t shifts[] = {0, 0, 0, 0, 16, 8, 4, 2, 1};

    return gen_below(r, 3) ? (char *)(void *)room + shifts[gen_below(r, 9)] : NULL;
}

static spblasIndexType_t
draw_index(gen_rng *r)
{
    return (spblasIndexType_t)(gen_below(r, 8) ? gen_between(r, 2, 3)
                                               : gen_between(r, 0, 4));
}

static spblasDataType_t
draw_type(gen_rng *r)
{
    return (spblasDataType_t)(gen_below(r, 3) ? gen_between(r, 0, 1)
                                              : gen_between(r, -1, 36));
}

static spblasIndexBase_t
draw_base(gen_rng *r)
{
    return (spblasIndexBase_t)(gen_below(r, 10) ? gen_below(r, 2)
                                                : gen_between(r, -1, 3));
}

static spblasOrder_t
draw_order(gen_rng *r)
{
    return (spblasOrder_t)(gen_below(r, 10) ? gen_between(r, 1, 2)
                                            : gen_between(r, 0, 3));
}

/* Ours accepts 32-bit next to 64-bit indices; both arrays' sizes are checked against
 * their own width. Ours refuses sizes in bytes beyond 63 bits at creation. Theirs does
 * not look at the offsets of a BSR or Sliced-ELL matrix without columns, nor at the other
 * arrays of a Sliced-ELL matrix that has only empty slots. */
static bool
chosen_difference(spblasStatus_t ours, spblasStatus_t theirs, spblasIndexType_t p,
                  spblasIndexType_t i)
{
    const char *why = spblasGetLastErrorMessage(NULL);

    if (p != i) /* mixed widths: theirs has none */
        return theirs != SPBLAS_STATUS_SUCCESS;
    return ours == SPBLAS_STATUS_INVALID_VALUE &&
           (strstr(why, "63 bits") || strstr(why, "bsrRowOffsets must be aligned") ||
            strstr(why, "sellSliceOffsets must be aligned") ||
            strstr(why, "sellColInd must be aligned") ||
            strstr(why, "sellValues must be aligned"));
}

static void
compare(const char *what, uint64_t k, spblasStatus_t ours, spblasStatus_t theirs,
        spblasIndexType_t p, spblasIndexType_t i)
{
    if (ours == theirs || chosen_difference(ours, theirs, p, i))
        return;
    (void)close_real(NULL); /* so that the message is seen */
    fail_msg("%s, case %llu: ours %d, theirs %d (%s)", what, (unsigned long long)k,
             ours, theirs, spblasGetLastErrorMessage(NULL));
}

enum { CASES = 20000 };

/* ---- Cases -------------------------------------------------------------------------- */

static void
same_size(spblasConstSpMatDescr_t ours, spblasConstSpMatDescr_t theirs)
{
    int64_t a[3], b[3];
    get_size size;

    find(&size, "cusparseSpMatGetSize");
    assert_int_equal(spblasSpMatGetSize(ours, &a[0], &a[1], &a[2]), 0);
    assert_int_equal(size(theirs, &b[0], &b[1], &b[2]), 0);
    assert_memory_equal(a, b, sizeof a);
}

static void
csr_and_csc_agree(void **state)
{
    create_csr make[2];
    destroy_any destroy;
    batch_csr batch;

    (void)state;
    if (!real)
        skip();
    find(&make[0], "cusparseCreateCsr");
    find(&make[1], "cusparseCreateCsc");
    find(&destroy, "cusparseDestroySpMat");
    find(&batch, "cusparseCsrSetStridedBatch");
    for (uint64_t k = 0; k < CASES; k++) {
        gen_rng r = {k};
        const int64_t m = draw_size(&r), n = draw_size(&r), z = draw_size(&r);
        void *const p = draw_array(&r), *const q = draw_array(&r),
                    *const v = draw_array(&r);
        const spblasIndexType_t pt = draw_index(&r);
        const spblasIndexType_t it = gen_below(&r, 4) ? pt : draw_index(&r);
        const spblasIndexBase_t base = draw_base(&r);
        const spblasDataType_t t = draw_type(&r);
        const int count = (int)draw_small(&r);
        const int64_t s0 = draw_small(&r), s1 = draw_small(&r);
        spblasSpMatDescr_t a = NULL, b = NULL;
        const spblasStatus_t sb = make[k % 2](&b, m, n, z, p, q, v, pt, it, base, t);
        const spblasStatus_t sa =
            k % 2 ? spblasCreateCsc(&a, m, n, z, p, q, v, pt, it, base, t)
                  : spblasCreateCsr(&a, m, n, z, p, q, v, pt, it, base, t);

        compare("CSR or CSC", k, sa, sb, pt, it);
        if (sa == SPBLAS_STATUS_SUCCESS && sb == SPBLAS_STATUS_SUCCESS) {
            same_size(a, b);
            /* Theirs measures CSC's offsets by rows. */
            if (k % 2 == 0 || m == n)
                compare("CSR batch", k, spblasCsrSetStridedBatch(a, count, s0, s1),
                        batch(b, count, s0, s1), pt, it);
        }
        (void)spblasDestroySpMat(a);
        if (sb == SPBLAS_STATUS_SUCCESS)
            (void)destroy(b);
    }
}

static void
coo_agrees(void **state)
{
    create_coo make;
    destroy_any destroy;
    batch_coo batch;

    (void)state;
    if (!real)
        skip();
    find(&make, "cusparseCreateCoo");
    find(&destroy, "cusparseDestroySpMat");
    find(&batch, "cusparseCooSetStridedBatch");
    for (uint64_t k = 0; k < CASES; k++) {
        gen_rng r = {k + 1000000};
        const int64_t m = draw_size(&r), n = draw_size(&r), z = draw_size(&r);
        void *const p = draw_array(&r), *const q = draw_array(&r),
                    *const v = draw_array(&r);
        const spblasIndexType_t it = draw_index(&r);
        const spblasIndexBase_t base = draw_base(&r);
        const spblasDataType_t t = draw_type(&r);
        const int count = (int)draw_small(&r);
        const int64_t s0 = draw_small(&r);
        spblasSpMatDescr_t a = NULL, b = NULL;
        const spblasStatus_t sb = make(&b, m, n, z, p, q, v, it, base, t);
        const spblasStatus_t sa = spblasCreateCoo(&a, m, n, z, p, q, v, it, base, t);

        compare("COO", k, sa, sb, it, it);
        if (sa == SPBLAS_STATUS_SUCCESS && sb == SPBLAS_STATUS_SUCCESS) {
            same_size(a, b);
            compare("COO batch", k, spblasCooSetStridedBatch(a, count, s0),
                    batch(b, count, s0), it, it);
        }
        (void)spblasDestroySpMat(a);
        if (sb == SPBLAS_STATUS_SUCCESS)
            (void)destroy(b);
    }
}

static void
bsr_agrees(void **state)
{
    create_bsr make;
    destroy_any destroy;
    batch_bsr batch;

    (void)state;
    if (!real)
        skip();
    find(&make, "cusparseCreateBsr");
    find(&destroy, "cusparseDestroySpMat");
    find(&batch, "cusparseBsrSetStridedBatch");
    for (uint64_t k = 0; k < CASES; k++) {
        gen_rng r = {k + 2000000};
        const int64_t m = draw_size(&r), n = draw_size(&r), z = draw_small(&r);
        const int64_t b0 = gen_between(&r, -1, 4);
        const int64_t b1 = gen_below(&r, 6) ? b0 : gen_between(&r, -1, 4);
        void *const p = draw_array(&r), *const q = draw_array(&r),
                    *const v = draw_array(&r);
        const spblasIndexType_t pt = draw_index(&r);
        const spblasIndexBase_t base = draw_base(&r);
        const spblasDataType_t t = draw_type(&r);
        const spblasOrder_t order = draw_order(&r);
        const int count = (int)draw_small(&r);
        const int64_t s0 = draw_small(&r), s1 = draw_small(&r), s2 = 8 * draw_small(&r);
        spblasSpMatDescr_t a = NULL, b = NULL;
        const spblasStatus_t sb =
            make(&b, m, n, z, b0, b1, p, q, v, pt, pt, base, t, order);
        const spblasStatus_t sa =
            spblasCreateBsr(&a, m, n, z, b0, b1, p, q, v, pt, pt, base, t, order);

        compare("BSR", k, sa, sb, pt, pt);
        if (sa == SPBLAS_STATUS_SUCCESS && sb == SPBLAS_STATUS_SUCCESS) {
            same_size(a, b);
            compare("BSR batch", k, spblasBsrSetStridedBatch(a, count, s0, s1, s2),
                    batch(b, count, s0, s1, s2), pt, pt);
        }
        (void)spblasDestroySpMat(a);
        if (sb == SPBLAS_STATUS_SUCCESS)
            (void)destroy(b);
    }
}

static void
dense_agrees(void **state)
{
    create_dnmat make;
    create_dnvec make_vec;
    destroy_any destroy, destroy_vec;
    batch_dnmat batch;

    (void)state;
    if (!real)
        skip();
    find(&make, "cusparseCreateDnMat");
    find(&make_vec, "cusparseCreateDnVec");
    find(&destroy, "cusparseDestroyDnMat");
    find(&destroy_vec, "cusparseDestroyDnVec");
    find(&batch, "cusparseDnMatSetStridedBatch");
    for (uint64_t k = 0; k < CASES; k++) {
        gen_rng r = {k + 3000000};
        const int64_t m = draw_size(&r), n = draw_size(&r), ld = draw_size(&r);
        void *const v = draw_array(&r);
        const spblasDataType_t t = draw_type(&r);
        const spblasOrder_t order = draw_order(&r);
        const int count = (int)draw_small(&r);
        const int64_t s0 = gen_between(&r, -1, 40);
        spblasDnMatDescr_t a = NULL, b = NULL;
        spblasDnVecDescr_t x = NULL, y = NULL;
        const spblasStatus_t sb = make(&b, m, n, ld, v, t, order);
        const spblasStatus_t sa = spblasCreateDnMat(&a, m, n, ld, v, t, order);
        spblasStatus_t vb;

        compare("DnMat", k, sa, sb, SPBLAS_INDEX_32I, SPBLAS_INDEX_32I);
        if (sa == SPBLAS_STATUS_SUCCESS && sb == SPBLAS_STATUS_SUCCESS)
            compare("DnMat batch", k, spblasDnMatSetStridedBatch(a, count, s0),
                    batch(b, count, s0), SPBLAS_INDEX_32I, SPBLAS_INDEX_32I);
        vb = make_vec(&y, m, v, t);
        compare("DnVec", k, spblasCreateDnVec(&x, m, v, t), vb, SPBLAS_INDEX_32I,
                SPBLAS_INDEX_32I);
        (void)spblasDestroyDnMat(a);
        (void)spblasDestroyDnVec(x);
        if (sb == SPBLAS_STATUS_SUCCESS)
            (void)destroy(b);
        if (vb == SPBLAS_STATUS_SUCCESS)
            (void)destroy_vec(y);
    }
}

static void
padded_formats_agree(void **state)
{
    create_bell make_bell;
    create_sell make_sell;
    destroy_any destroy;

    (void)state;
    if (!real)
        skip();
    find(&make_bell, "cusparseCreateBlockedEll");
    find(&make_sell, "cusparseCreateSlicedEll");
    find(&destroy, "cusparseDestroySpMat");
    for (uint64_t k = 0; k < CASES; k++) {
        gen_rng r = {k + 5000000};
        const int64_t e = gen_between(&r, -1, 3);
        const int64_t m = gen_below(&r, 3) ? e * draw_small(&r) : draw_size(&r);
        const int64_t n = gen_below(&r, 3) ? e * draw_small(&r) : draw_size(&r);
        const int64_t w = gen_below(&r, 4) ? e * draw_small(&r) : draw_small(&r);
        const int64_t z = draw_small(&r), slots = gen_between(&r, -1, 40);
        void *const p = draw_array(&r), *const q = draw_array(&r),
                    *const v = draw_array(&r);
        const spblasIndexType_t pt = draw_index(&r);
        const spblasIndexType_t it = gen_below(&r, 4) ? pt : draw_index(&r);
        const spblasIndexBase_t base = draw_base(&r);
        const spblasDataType_t t = draw_type(&r);
        spblasSpMatDescr_t a = NULL, b = NULL;
        spblasStatus_t sb = make_bell(&b, m, n, e, w, q, v, it, base, t);
        const spblasStatus_t sa =
            spblasCreateBlockedEll(&a, m, n, e, w, q, v, it, base, t);

        /* Theirs has no blocks in a matrix without rows, and 32-bit sizes only. */
        if ((m > 0 || e <= 0) && m < INT32_MAX && n < INT32_MAX)
            compare("Blocked-ELL", k, sa, sb, it, it);
        (void)spblasDestroySpMat(a);
        if (sb == SPBLAS_STATUS_SUCCESS)
            (void)destroy(b);
        sb = make_sell(&b, m, n, z, slots, e, p, q, v, pt, it, base, t);
        compare("Sliced-ELL", k,
                spblasCreateSlicedEll(&a, m, n, z, slots, e, p, q, v, pt, it, base, t),
                sb, pt, it);
        (void)spblasDestroySpMat(a);
        if (sb == SPBLAS_STATUS_SUCCESS)
            (void)destroy(b);
    }
}

static void
sparse_vectors_agree(void **state)
{
    create_spvec make;
    destroy_any destroy;

    (void)state;
    if (!real)
        skip();
    find(&make, "cusparseCreateSpVec");
    find(&destroy, "cusparseDestroySpVec");
    for (uint64_t k = 0; k < CASES; k++) {
        gen_rng r = {k + 4000000};
        const int64_t n = draw_size(&r), z = draw_size(&r);
        void *const q = draw_array(&r), *const v = draw_array(&r);
        const spblasIndexType_t it = draw_index(&r);
        const spblasIndexBase_t base = draw_base(&r);
        const spblasDataType_t t = draw_type(&r);
        spblasSpVecDescr_t a = NULL, b = NULL;
        const spblasStatus_t sb = make(&b, n, z, q, v, it, base, t);

        compare("SpVec", k, spblasCreateSpVec(&a, n, z, q, v, it, base, t), sb, it, it);
        (void)spblasDestroySpVec(a);
        if (sb == SPBLAS_STATUS_SUCCESS)
            (void)destroy(b);
    }
}

static void
words_agree(void **state)
{
    status_text words, name;

    (void)state;
    if (!real)
        skip();
    find(&words, "cusparseGetErrorString");
    find(&name, "cusparseGetErrorName");
    for (int s = -1; s < 14; s++) {
        const spblasStatus_t st = (spblasStatus_t)s;
        const char *ours = spblasGetErrorName(st), *theirs = name(st);

        assert_string_equal(spblasGetErrorString(st), words(st));
        if (s >= 0 && s <= 11)
            assert_string_equal(ours + strlen("SPBLAS"), theirs + strlen("CUSPARSE"));
        else
            assert_string_equal(ours, theirs);
    }
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(csr_and_csc_agree),    cmocka_unit_test(coo_agrees),
        cmocka_unit_test(bsr_agrees),           cmocka_unit_test(dense_agrees),
        cmocka_unit_test(padded_formats_agree), cmocka_unit_test(sparse_vectors_agree),
        cmocka_unit_test(words_agree),
    };

    return cmocka_run_group_tests(tests, open_real, close_real);
}
