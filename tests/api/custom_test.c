/*
 * Matrices over a caller's own arrays in a format of the language: the arrays of a
 * converted matrix make the same matrix again, arrays by hand compute, and what does not
 * fit the format is refused with its level.
 */
#include "base/alloc.h"
#include "call.h"
#include "gen.h"
#include "objects.h"
#include "oracle.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { LEVELS = 8 };

typedef struct arrays {
    int levels;
    spblasLevelInfo_t level[LEVELS];
    const void *values;
    int64_t count, stride;
} arrays;

static void
arrays_of(arrays *a, spblasConstSpMatDescr_t m)
{
    a->levels = 1;
    for (int q = 0; q < a->levels; q++) {
        a->level[q].structSize = sizeof a->level[q];
        objects_ok(spblasSpMatGetPartLevel(m, 0, q, &a->level[q]));
        a->levels = a->level[q].levels;
    }
    objects_ok(spblasSpMatGetPartValues(m, 0, &a->values, &a->count, &a->stride));
}

/* In the format, and again over the arrays that gave: it computes as the problem says. */
static void
round_trip(const char *text, sb_op op)
{
    const int64_t n = op == SB_OP_SPMV ? 1 : 3;
    sb_problem pb = {.op = op, .compute = SB_F32, .alpha = {2, 0}, .batch = 1};
    spblasSpMatDescr_t own, made, again;
    spblasFormatDescr_t format;
    char message[400];
    arrays a;
    oracle o;
    call c;

    pb.a = gen_matrix(
        &(gen_spec){.family = GEN_DIAGONALS, .rows = 8, .cols = 12, .integer = true});
    pb.b = gen_dense(&(gen_dense_spec){.rows = 12, .cols = n, .integer = true});
    pb.c = gen_dense(&(gen_dense_spec){.rows = 8, .cols = n, .integer = true});
    objects_ok(call_begin(&c, &pb));
    objects_ok(spblasCreateFormat(&format, text));
    objects_ok(spblasConvert(c.handle, c.a, format, &made));
    arrays_of(&a, made);
    objects_ok(spblasCreateCustom(&again, format, 8, 12, a.levels, a.level,
                                  (void *)(uintptr_t)a.values, a.stride, F32));
    objects_ok(spblasDestroyFormat(format));
    own = c.a;
    c.a = again;
    o = oracle_make(&pb);
    objects_ok(call_analyse(&c));
    objects_ok(call_run(&c));
    if (!oracle_check(&o, &pb, true, message, sizeof message))
        fail_msg("%s: %s", text, message);
    oracle_free(&o);
    c.a = own;
    objects_ok(spblasDestroySpMat(again));
    objects_ok(spblasDestroySpMat(made));
    call_end(&c);
    gen_free_matrix(&pb.a);
    gen_free_dense(&pb.b);
    gen_free_dense(&pb.c);
}

static void
round_trips(void **state)
{
    static const char *const texts[] = {
        "csr",
        "csc",
        "coo",
        "dok",
        "dcsr",
        "lil",
        "dia",
        "bsr<2>",
        "bsr<2, 3>",
        "csb<4>",
        "ell",
        "sell<4>",
        "ell_rows<4, 2>",
        "sr_bcrs",
        "ragged",
        "bdia",
        "bell",
        "format both (i, j) -> (j - i, i, j) merge(0) trim(0, 0) pack(1, 2)",
        "format block (i, j) -> (i, i/4, j) merge(0) trim(1, 2)"};

    (void)state;
    for (size_t q = 0; q < sizeof texts / sizeof *texts; q++) {
        round_trip(texts[q], SB_OP_SPMV);
        round_trip(texts[q], SB_OP_SPMM);
    }
}

/* ---- ELL by hand: 3 rows of 4 columns, two slots --------------------------------------- */

static int32_t columns[6];
static float values[6];
static spblasFormatDescr_t ell, csr, hyb, cisr, cube, dcsr;
static spblasLevelInfo_t level[3];
static spblasSpMatDescr_t m;

static void
reset(void)
{
    static const int32_t good[] = {0, 1, 2, 3, -1, -1};

    memcpy(columns, good, sizeof good);
    memset(level, 0, sizeof level);
    for (int q = 0; q < 3; q++)
        level[q].structSize = sizeof level[q];
    level[0].count = 2;
    level[2].idx = columns;
    level[2].idxStride = 1;
    level[2].idxType = I32;
}

static int
begin(void **state)
{
    /* Forty programs on a few elements: interpreted they take no time. */
    if (setenv("SPBLAS_JIT", "off", 1))
        return 1;
    objects_ok(spblasCreateFormat(&ell, "ell"));
    objects_ok(spblasCreateFormat(&csr, "csr"));
    objects_ok(spblasCreateFormat(&hyb, "hyb"));
    objects_ok(spblasCreateFormat(&cisr, "cisr"));
    objects_ok(spblasCreateFormat(&cube, "csf"));
    objects_ok(spblasCreateFormat(&dcsr, "dcsr"));
    return objects_make(state);
}

static int
end(void **state)
{
    objects_ok(spblasDestroyFormat(ell));
    objects_ok(spblasDestroyFormat(csr));
    objects_ok(spblasDestroyFormat(hyb));
    objects_ok(spblasDestroyFormat(cisr));
    objects_ok(spblasDestroyFormat(cube));
    objects_ok(spblasDestroyFormat(dcsr));
    return objects_end(state);
}

#define MAKE(format, levels) \
    spblasCreateCustom(&m, format, 3, 4, levels, level, values, 1, F32)
/* One thing is wrong. */
#define WRONG(named, change)           \
    do {                               \
        reset();                       \
        change;                        \
        TRY(BAD, named, MAKE(ell, 3)); \
        assert_null(m);                \
    } while (0)

static void
arguments(void **state)
{
    (void)state;
    reset();
    TRY(BAD, "spMatDescr",
        spblasCreateCustom(NULL, ell, 3, 4, 3, level, values, 1, F32));
    TRY(BAD, "format", MAKE(NULL, 3));
    TRY(BAD, "dimensions", MAKE(cube, 3));
    TRY(BAD, "levels", MAKE(ell, 2));
    TRY(UNS, "parts", MAKE(hyb, 3));
    TRY(UNS, "parts", MAKE(cisr, 3));
    TRY(BAD, "rows", spblasCreateCustom(&m, ell, -1, 4, 3, level, values, 1, F32));
    TRY(BAD, "level", spblasCreateCustom(&m, ell, 3, 4, 3, NULL, values, 1, F32));
    TRY(BAD, "values are", spblasCreateCustom(&m, ell, 3, 4, 3, level, NULL, 1, F32));
    TRY(BAD, "values", spblasCreateCustom(&m, ell, 3, 4, 3, level, odd, 1, F32));
    TRY(BAD, "values", spblasCreateCustom(&m, ell, 3, 4, 3, level, values, 2, F32));
    TRY(BAD, "valueType",
        spblasCreateCustom(&m, ell, 3, 4, 3, level, values, 1, TYPE9));
    WRONG("level 1: structSize", level[1].structSize = 8);
    WRONG("level 0: the count", level[0].count = -1);
    WRONG("level 1: the count", level[1].count = 5);
    WRONG("level 2: the indices are missing", level[2].idx = NULL);
    WRONG("level 1: indices are given", level[1].idx = columns; level[1].idxType = I32);
    WRONG("level 1: offsets are given", level[1].ptr = columns; level[1].ptrType = I32);
    WRONG("level 2: the distance", level[2].idxStride = 2);
    WRONG("level 2: an array is not aligned", level[2].idx = odd);
    WRONG("level 2: an index out of range", columns[1] = 4);
    WRONG("level 2: an index out of range", columns[5] = -2);
    reset();
    level[2].idxType = U16;
    TRY(UNS, "level 2: indices must be 32I or 64I", MAKE(ell, 3));
    objects_judge();
}

static void
malformed(void **state)
{
    static int32_t row[2], col[3], ptr[3];
    spblasLevelInfo_t l[2] = {{.structSize = sizeof *l,
                               .count = 2,
                               .idx = row,
                               .idxStride = 1,
                               .idxType = I32},
                              {.structSize = sizeof *l,
                               .idx = col,
                               .idxStride = 1,
                               .idxType = I32,
                               .ptr = ptr,
                               .ptrType = I32}};
    const int32_t good_row[] = {0, 2}, good_col[] = {1, 3, 0}, good_ptr[] = {0, 2, 3};

    (void)state;
#define LIST(named, change)            \
    memcpy(row, good_row, sizeof row); \
    memcpy(col, good_col, sizeof col); \
    memcpy(ptr, good_ptr, sizeof ptr); \
    change;                            \
    TRY(BAD, named, spblasCreateCustom(&m, dcsr, 3, 4, 2, l, values, 1, F32))
    LIST("level 1: the first offset", ptr[0] = 1);
    LIST("level 1: an offset beyond", ptr[1] = 4);
    LIST("level 1: an offset below", ptr[1] = -1);
    LIST("level 0: indices are not in", row[1] = 0);
    LIST("level 0: an index out of range", row[1] = 3);
    LIST("level 1: indices are not in", col[1] = 1);
    LIST("level 1: an index out of range", col[2] = -1);
    objects_judge();
    memcpy(ptr, good_ptr, sizeof ptr);
    memcpy(row, good_row, sizeof row);
    memcpy(col, good_col, sizeof col);
    objects_ok(spblasCreateCustom(&m, dcsr, 3, 4, 2, l, values, 1, F32));
    objects_ok(spblasDestroySpMat(m));
}

/* Marked slots hold garbage and are passed over; the attribute looks again. */
static void
by_hand(void **state)
{
    static const float given[] = {1, 2, 3, 4, 99, 99};
    static float in[] = {1, 10, 100, 1000};
    const float zero = 0;
    const int yes = 1;
    float out[3];
    int64_t nnz, r, k;
    spblasConstDnVecDescr_t v;
    spblasDnVecDescr_t w;
    spblasSpMatDescr_t back;

    (void)state;
    reset();
    memcpy(values, given, sizeof values);
    objects_ok(MAKE(ell, 3));
    objects_ok(spblasSpMatGetSize(m, &r, &k, &nnz));
    assert_int_equal(nnz, 4);
    objects_ok(spblasCreateConstDnVec(&v, 4, in, F32));
    objects_ok(spblasCreateDnVec(&w, 3, out, F32));
    objects_ok(spblasSpMV_analysis(h, N, &one, m, v, &zero, w, F32, MV, NULL));
    objects_ok(spblasSpMV(h, N, &one, m, v, &zero, w, F32, MV, NULL));
    assert_true(out[0] == 4001 && out[1] == 20 && out[2] == 300);
    objects_ok(spblasConvert(h, m, csr, &back)); /* without the garbage */
    objects_ok(spblasSpMatGetSize(back, &r, &k, &nnz));
    assert_int_equal(nnz, 4);
    objects_ok(spblasDestroySpMat(back));
    objects_ok(spblasSpMatSetAttribute(m, SPBLAS_SPMAT_VALIDATE, &yes, sizeof yes));
    objects_ok(spblasSpMV(h, N, &one, m, v, &zero, w, F32, MV, NULL));
    columns[0] = 4;
    TRY(BAD, "level 2", spblasSpMV(h, N, &one, m, v, &zero, w, F32, MV, NULL));
    objects_judge();
    objects_ok(spblasDestroyDnVec(v));
    objects_ok(spblasDestroyDnVec(w));
    objects_ok(spblasDestroySpMat(m));
}

/* Any allocation may fail: a status or a matrix, and nothing lost. */
static void
short_memory(void **state)
{
    const int64_t live = sb_alloc_live();
    bool enough = false;

    (void)state;
    reset();
    for (int64_t n = 0; !enough; n++) {
        spblasStatus_t st;

        (void)sb_alloc_fail_after(n);
        st = MAKE(ell, 3);
        enough = sb_alloc_fail_after(-1) <= n;
        assert_true(st == SPBLAS_STATUS_SUCCESS || st == SPBLAS_STATUS_ALLOC_FAILED);
        assert_true((st == SPBLAS_STATUS_SUCCESS) == (m != NULL));
        objects_ok(spblasDestroySpMat(m));
        assert_int_equal(sb_alloc_live(), live);
    }
}

/* Values that lie outside of the matrix are no elements, whoever wrote them. */
static void
outside(void **state)
{
    static float band[6];
    static int32_t offset[] = {-1, 1};
    spblasLevelInfo_t l[2] = {{.structSize = sizeof *l,
                               .count = 2,
                               .idx = offset,
                               .idxStride = 1,
                               .idxType = I32},
                              {.structSize = sizeof *l}};
    spblasFormatDescr_t dia, list;
    spblasSpMatDescr_t back;
    int64_t r, k, nnz;

    (void)state;
    for (int q = 0; q < 6; q++)
        band[q] = 7;
    objects_ok(spblasCreateFormat(&dia, "dia"));
    objects_ok(spblasCreateFormat(
        &list, "format list (i, j) -> (j - i, i) merge(0) trim(0, 1)"));
    objects_ok(spblasCreateCustom(&m, dia, 3, 3, 2, l, band, 1, F32));
    objects_ok(spblasConvert(h, m, csr, &back));
    objects_ok(spblasSpMatGetSize(back, &r, &k, &nnz));
    assert_int_equal(nnz, 4);
    objects_ok(spblasDestroySpMat(back));
    objects_ok(spblasConvert(h, m, list, &back));
    objects_ok(spblasSpMatGetSize(back, &r, &k, &nnz));
    assert_int_equal(nnz, 4);
    objects_ok(spblasDestroySpMat(back));
    objects_ok(spblasDestroySpMat(m));
    objects_ok(spblasDestroyFormat(dia));
    objects_ok(spblasDestroyFormat(list));
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(round_trips), cmocka_unit_test(arguments),
        cmocka_unit_test(malformed),   cmocka_unit_test(by_hand),
        cmocka_unit_test(outside),     cmocka_unit_test(short_memory),
    };

    return cmocka_run_group_tests(tests, begin, end);
}
