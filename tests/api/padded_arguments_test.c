/*
 * Blocked-ELL and Sliced-ELL descriptors: every bad argument, one line each; what they
 * answer; where products and conversions refuse them.
 */
#include "objects.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

/* 4 x 6 in blocks of 2, of which 4 columns are stored; 3 x 4 in slices of 2. */
static int32_t blocks[4] = {1, -1, 0, 2}, offsets[3] = {0, 4, 6};
static int32_t columns[6] = {0, 1, 3, -1, 2, -1};
static float slots[16];
static spblasSpMatDescr_t E, L;
static spblasConstSpMatDescr_t no_csp;

static int64_t i0, i1, i2, i3;
static void *p0, *p1, *p2;
static const void *q0, *q1;
static spblasIndexType_t t0, t1;
static spblasIndexBase_t ib;
static spblasDataType_t dt;

static void
make(void)
{
    objects_ok(spblasCreateBlockedEll(&E, 4, 6, 2, 4, blocks, slots, I32, Z, F32));
    objects_ok(spblasCreateSlicedEll(&L, 3, 4, 4, 6, 2, offsets, columns, slots, I32,
                                     I32, Z, F32));
}

static void
end(void)
{
    objects_ok(spblasDestroySpMat(E));
    objects_ok(spblasDestroySpMat(L));
}

#define BELL(expect, named, m, n, b, w, idx, val, it, base, t)              \
    TRY(expect, named,                                                      \
        spblasCreateBlockedEll(&no_sp, m, n, b, w, idx, val, it, base, t)); \
    TRY(expect, named,                                                      \
        spblasCreateConstBlockedEll(&no_csp, m, n, b, w, idx, val, it, base, t))
#define SELL(expect, named, m, n, z, v, c, ptr, idx, val, pt, it, base, t)             \
    TRY(expect, named,                                                                 \
        spblasCreateSlicedEll(&no_sp, m, n, z, v, c, ptr, idx, val, pt, it, base, t)); \
    TRY(expect, named,                                                                 \
        spblasCreateConstSlicedEll(&no_csp, m, n, z, v, c, ptr, idx, val, pt, it,      \
                                   base, t))

static void
creation_of_blocks(void)
{
    TRY(BAD, "spMatDescr",
        spblasCreateBlockedEll(NULL, 4, 6, 2, 4, blocks, slots, I32, Z, F32));
    BELL(BAD, "rows", -2, 6, 2, 4, blocks, slots, I32, Z, F32);
    BELL(BAD, "cols", 4, -2, 2, 0, blocks, slots, I32, Z, F32);
    BELL(BAD, "ellBlockSize", 4, 6, 0, 4, blocks, slots, I32, Z, F32);
    BELL(BAD, "ellBlockSize", 4, 6, -2, 4, blocks, slots, I32, Z, F32);
    BELL(BAD, "rows", 5, 6, 2, 4, blocks, slots, I32, Z, F32);
    BELL(BAD, "cols", 4, 7, 2, 4, blocks, slots, I32, Z, F32);
    BELL(BAD, "ellCols", 4, 6, 2, 3, blocks, slots, I32, Z, F32);
    BELL(BAD, "ellCols", 4, 6, 2, 8, blocks, slots, I32, Z, F32);
    BELL(BAD, "ellCols", 4, 6, 2, -2, blocks, slots, I32, Z, F32);
    BELL(BAD, "ellIdxType", 4, 6, 2, 4, blocks, slots, (spblasIndexType_t)0, Z, F32);
    BELL(BAD, "idxBase", 4, 6, 2, 4, blocks, slots, I32, (spblasIndexBase_t)2, F32);
    BELL(BAD, "valueType", 4, 6, 2, 4, blocks, slots, I32, Z, TYPE9);
    BELL(BAD, "ellColInd", 4, 6, 2, 4, odd, slots, I32, Z, F32);
    BELL(BAD, "ellValue", 4, 6, 2, 4, blocks, odd, I32, Z, F32);
    BELL(BAD, "rows", MAX - 1, 6, 2, 4, blocks, slots, I64, Z, F32);
}

static void
creation_of_slices(void)
{
    TRY(BAD, "spMatDescr",
        spblasCreateSlicedEll(NULL, 3, 4, 4, 6, 2, offsets, columns, slots, I32, I32, Z,
                              F32));
    SELL(BAD, "rows", -1, 4, 4, 6, 2, offsets, columns, slots, I32, I32, Z, F32);
    SELL(BAD, "cols", 3, -1, 4, 6, 2, offsets, columns, slots, I32, I32, Z, F32);
    SELL(BAD, "nnz", 3, 4, -1, 6, 2, offsets, columns, slots, I32, I32, Z, F32);
    SELL(BAD, "sellValuesSize", 3, 4, 4, 3, 2, offsets, columns, slots, I32, I32, Z,
         F32);
    SELL(BAD, "sliceSize", 3, 4, 4, 6, -1, offsets, columns, slots, I32, I32, Z, F32);
    SELL(BAD, "sellValuesSize", 3, 4, 4, INT32_MAX, 2, NULL, NULL, NULL, I32, I32, ONE,
         F32);
    SELL(BAD, "sellSliceOffsetsType", 3, 4, 4, 6, 2, offsets, columns, slots,
         (spblasIndexType_t)9, I32, Z, F32);
    SELL(BAD, "sellColIndType", 3, 4, 4, 6, 2, offsets, columns, slots, I32,
         (spblasIndexType_t)0, Z, F32);
    SELL(UNS, "sellColIndType", 3, 4, 4, 6, 2, offsets, columns, slots, I32, U16, Z,
         F32);
    SELL(BAD, "idxBase", 3, 4, 4, 6, 2, offsets, columns, slots, I32, I32,
         (spblasIndexBase_t)2, F32);
    SELL(BAD, "valueType", 3, 4, 4, 6, 2, offsets, columns, slots, I32, I32, Z, TYPE9);
    SELL(BAD, "sellSliceOffsets", 3, 4, 4, 6, 2, odd, columns, slots, I32, I32, Z, F32);
    SELL(BAD, "sellColInd", 3, 4, 4, 6, 2, offsets, odd, slots, I32, I32, Z, F32);
    SELL(BAD, "sellValues", 3, 4, 4, 6, 2, offsets, columns, odd, I32, I32, Z, F32);
    SELL(BAD, "nnz", 3, 4, 4, MAX / 2, 2, offsets, columns, slots, I64, I64, Z, F32);
}

#define BLOCKS_OF(d, a, b, c, e, f, g, t, s, v) \
    spblasBlockedEllGet(d, a, b, c, e, f, g, t, s, v)

static void
access(void)
{
    TRY(BAD, "spMatDescr",
        BLOCKS_OF(no_sp, &i0, &i1, &i2, &i3, &p0, &p1, &t0, &ib, &dt));
    TRY(BAD, "format", BLOCKS_OF(A, &i0, &i1, &i2, &i3, &p0, &p1, &t0, &ib, &dt));
    TRY(BAD, "format", BLOCKS_OF(L, &i0, &i1, &i2, &i3, &p0, &p1, &t0, &ib, &dt));
    TRY(BAD, "output", BLOCKS_OF(E, NULL, &i1, &i2, &i3, &p0, &p1, &t0, &ib, &dt));
    TRY(BAD, "output", BLOCKS_OF(E, &i0, NULL, &i2, &i3, &p0, &p1, &t0, &ib, &dt));
    TRY(BAD, "output", BLOCKS_OF(E, &i0, &i1, NULL, &i3, &p0, &p1, &t0, &ib, &dt));
    TRY(BAD, "output", BLOCKS_OF(E, &i0, &i1, &i2, NULL, &p0, &p1, &t0, &ib, &dt));
    TRY(BAD, "output", BLOCKS_OF(E, &i0, &i1, &i2, &i3, NULL, &p1, &t0, &ib, &dt));
    TRY(BAD, "output", BLOCKS_OF(E, &i0, &i1, &i2, &i3, &p0, NULL, &t0, &ib, &dt));
    TRY(BAD, "output", BLOCKS_OF(E, &i0, &i1, &i2, &i3, &p0, &p1, NULL, &ib, &dt));
    TRY(BAD, "output", BLOCKS_OF(E, &i0, &i1, &i2, &i3, &p0, &p1, &t0, NULL, &dt));
    TRY(BAD, "output",
        spblasConstBlockedEllGet(E, &i0, &i1, &i2, &i3, &q0, &q1, &t0, &ib, NULL));
    TRY(BAD, "format",
        spblasCsrGet(E, &i0, &i1, &i2, &p0, &p1, &p2, &t0, &t1, &ib, &dt));
    TRY(BAD, "format", spblasCsrSetPointers(L, offsets, columns, slots));
    TRY(BAD, "format", spblasCsrSetStridedBatch(L, 2, 0, 0));
    TRY(BAD, "format", spblasBsrSetStridedBatch(E, 2, 0, 0, 0));
    TRY(BAD, "ellValue", spblasSpMatSetValues(E, odd));
    TRY(BAD, "sellValues", spblasSpMatSetValues(L, odd));
}

/* cuSPARSE makes blocks and slices of nothing; there is nothing to compute with. */
static void
nothing(void)
{
    spblasDnMatDescr_t b, c;
    spblasSpMatDescr_t e, l;

    objects_ok(spblasCreateDnMat(&b, 6, 2, 2, dense, F32, ROW));
    objects_ok(spblasCreateDnMat(&c, 4, 2, 2, dense + 32, F32, ROW));
    objects_ok(spblasCreateBlockedEll(&e, 4, 6, 0, 0, NULL, NULL, I32, Z, F32));
    objects_ok(spblasSpMM(h, N, N, &one, e, b, &one, c, F32, MM, NULL));
    objects_ok(spblasSpMM_analysis(h, T, N, &one, e, c, &one, b, F32, MM, NULL));
    objects_ok(spblasDestroySpMat(e));
    objects_ok(spblasCreateSlicedEll(&l, 3, 4, 0, 6, 0, offsets, columns, slots, I32,
                                     I32, Z, F32));
    TRY(BAD, "matA", spblasSpMV(h, N, &one, l, x, &one, y, F32, MV, NULL));
    TRY(BAD, "matA", spblasSpMV_analysis(h, N, &one, l, x, &one, y, F32, MV, NULL));
    objects_ok(spblasDestroySpMat(l));
    objects_ok(spblasDestroyDnMat(b));
    objects_ok(spblasDestroyDnMat(c));
}

/* Algorithms of other formats, and arrays that are missing. */
static void
products(void)
{
    const spblasSpMMAlg_t bell = SPBLAS_SPMM_BLOCKED_ELL_ALG1;
    const spblasSpMVAlg_t sell = SPBLAS_SPMV_SELL_ALG1;
    spblasDnMatDescr_t b, c;
    spblasSpMatDescr_t e, l;

    objects_ok(spblasCreateDnMat(&b, 6, 2, 2, dense, F32, ROW));
    objects_ok(spblasCreateDnMat(&c, 4, 2, 2, dense + 32, F32, ROW));
    objects_ok(spblasCreateBlockedEll(&e, 4, 6, 2, 4, NULL, slots, I32, Z, F32));
    objects_ok(spblasCreateSlicedEll(&l, 3, 4, 4, 6, 2, NULL, columns, slots, I32, I32,
                                     Z, F32));
    TRY(UNS, "alg", spblasSpMM(h, N, N, &one, A, B, &one, C, F32, bell, NULL));
    TRY(UNS, "alg", spblasSpMV(h, N, &one, A, x, &one, y, F32, sell, NULL));
    TRY(UNS, "alg",
        spblasSpMM(h, N, N, &one, E, b, &one, c, F32, SPBLAS_SPMM_BSR_ALG1, NULL));
    TRY(BAD, "matA", spblasSpMM(h, N, N, &one, e, b, &one, c, F32, MM, NULL));
    TRY(BAD, "matA", spblasSpMV(h, N, &one, l, x, &one, y, F32, MV, NULL));
    objects_ok(spblasSpMatSetValues(E, NULL));
    objects_ok(spblasSpMM_analysis(h, N, N, &one, E, b, &one, c, F32, bell, NULL));
    TRY(BAD, "matA", spblasSpMM(h, N, N, &one, E, b, &one, c, F32, bell, NULL));
    objects_ok(spblasSpMatSetValues(E, slots));
    objects_ok(spblasSpMM(h, N, N, &one, E, b, &one, c, F32, bell, NULL));
    objects_ok(spblasSpMV(h, N, &one, L, x, &one, y, F32, sell, NULL));
    objects_ok(spblasDestroyDnMat(b));
    objects_ok(spblasDestroyDnMat(c));
    objects_ok(spblasDestroySpMat(e));
    objects_ok(spblasDestroySpMat(l));
}

/* Its arrays are no format's of the language; validation knows them. */
static void
structure(void)
{
    const int yes = 1;
    spblasLevelInfo_t info = {.structSize = sizeof info};

    TRY(UNS, "format", spblasSpMatGetPartLevel(E, 0, 0, &info));
    TRY(UNS, "format", spblasSpMatGetPartLevel(L, 0, 0, &info));
    objects_ok(spblasSpMatSetAttribute(L, SPBLAS_SPMAT_VALIDATE, &yes, sizeof yes));
    objects_ok(spblasSpMV(h, N, &one, L, x, &one, y, F32, MV, NULL));
    columns[2] = 4;
    TRY(BAD, "column index[2] is 4",
        spblasSpMV(h, N, &one, L, x, &one, y, F32, MV, NULL));
    columns[2] = 3;
    offsets[1] = 3;
    TRY(BAD, "slice offsets[1] is 3",
        spblasSpMV(h, N, &one, L, x, &one, y, F32, MV, NULL));
    offsets[1] = 4;
}

#define PADDED_CASE(fill)                \
    static void try_##fill(void **state) \
    {                                    \
        (void)state;                     \
        make();                          \
        fill();                          \
        objects_judge();                 \
        assert_null(no_csp);             \
        end();                           \
    }

PADDED_CASE(creation_of_blocks)
PADDED_CASE(creation_of_slices)
PADDED_CASE(access)
PADDED_CASE(nothing)
PADDED_CASE(products)
PADDED_CASE(structure)

static void
getters_answer(void **state)
{
    spblasFormat_t f;

    (void)state;
    make();
    objects_ok(BLOCKS_OF(E, &i0, &i1, &i2, &i3, &p0, &p1, &t0, &ib, &dt));
    assert_true(i0 == 4 && i1 == 6 && i2 == 2 && i3 == 4);
    assert_ptr_equal(p0, blocks);
    assert_ptr_equal(p1, slots);
    assert_true(t0 == I32 && ib == Z && dt == F32);
    objects_ok(spblasSpMatGetSize(E, &i0, &i1, &i2));
    assert_true(i0 == 4 && i1 == 6 && i2 == 16);
    objects_ok(spblasSpMatGetFormat(E, &f));
    assert_int_equal(f, SPBLAS_FORMAT_BLOCKED_ELL);
    objects_ok(spblasSpMatGetSize(L, &i0, &i1, &i2));
    assert_true(i0 == 3 && i1 == 4 && i2 == 4);
    objects_ok(spblasSpMatGetFormat(L, &f));
    assert_int_equal(f, SPBLAS_FORMAT_SLICED_ELLPACK);
    objects_ok(spblasSpMatGetValues(L, &p0));
    assert_ptr_equal(p0, slots);
    end();
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(try_creation_of_blocks),
        cmocka_unit_test(try_creation_of_slices),
        cmocka_unit_test(try_access),
        cmocka_unit_test(try_nothing),
        cmocka_unit_test(try_products),
        cmocka_unit_test(try_structure),
        cmocka_unit_test(getters_answer),
    };

    return cmocka_run_group_tests(tests, objects_make, objects_end);
}
