/*
 * What asks for no memory: computing, and every public function that neither makes nor
 * analyses anything, each called with no allocation allowed. Together with the functions
 * that other tests run short of memory these are all that the header declares.
 */
#include "base/alloc.h"
#include "call.h"
#include "objects.h"
#include "oracle.h"
#include "problems.h"

#include <ctype.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* Run with 0, 1, 2, .. allocations elsewhere. */
static const char *const swept[] = {
    /* allocation_test.c */
    "spblasCreate",
    "spblasCreateOn",
    "spblasCreateCsr",
    "spblasCreateConstCsr",
    "spblasCreateCsc",
    "spblasCreateConstCsc",
    "spblasCreateCoo",
    "spblasCreateConstCoo",
    "spblasCreateBsr",
    "spblasCreateConstBsr",
    "spblasCreateBlockedEll",
    "spblasCreateConstBlockedEll",
    "spblasCreateSlicedEll",
    "spblasCreateConstSlicedEll",
    "spblasCreateDnMat",
    "spblasCreateConstDnMat",
    "spblasCreateDnVec",
    "spblasCreateConstDnVec",
    "spblasCreateSpVec",
    "spblasCreateConstSpVec",
    "spblasSpGEMM_createDescr",
    "spblasSpGEAM_createDescr",
    "spblasSpMatSetAttribute",
    "spblasSpMM_analysis",
    "spblasSpMV_analysis",
    "spblasSDDMM_analysis",
    "spblasCreateFormat",
    "spblasConvert",
    "spblasFormatGetText",
    "spblasFormatGetArrays",
    "spblasSpMatGetFormatText",
    "spblasSpMatGetPartLevel",
    "spblasSpMatGetPartValues",
    "spblasCreateCustom",
    "spblasCreateConstCustom",
    "spblasSpMMOp_createPlan",
    "spblasSpMMOp",
    "spblasExportWisdom",
    "spblasImportWisdom",
    "spblasExportWisdomToFile",
    "spblasImportWisdomFromFile",
    /* the same functions under cuSPARSE's name */
    "spblasSpMM_preprocess",
    "spblasSpMV_preprocess",
    "spblasSDDMM_preprocess",
    /* tri_test.c */
    "spblasSpSV_createDescr",
    "spblasSpSM_createDescr",
    "spblasSpSV_analysis",
    "spblasSpSM_analysis",
};

/* Functions that were called without memory. */
static char called[256][64];
static int ncalled;

/* Notes the function a call names; true the first time. */
static void
note(const char *call)
{
    size_t n = 0;

    while (isalnum((unsigned char)call[n]) || call[n] == '_')
        n++;
    assert_true(ncalled < 256 && n < sizeof called[0]);
    memcpy(called[ncalled], call, n);
    called[ncalled++][n] = '\0';
}

/* The call, with no allocation allowed: it asks for none and answers SUCCESS. */
#define FREE(call)                                                      \
    do {                                                                \
        note(#call);                                                    \
        (void)sb_alloc_fail_after(0);                                   \
        if ((call) != SPBLAS_STATUS_SUCCESS)                            \
            fail_msg("%s: %s", #call, spblasGetLastErrorMessage(NULL)); \
        if (sb_alloc_fail_after(-1) != 0)                               \
            fail_msg("%s asks for memory", #call);                      \
    } while (0)

/* ---- Objects ------------------------------------------------------------------------ */

static int64_t i64[6];
static int number;
static size_t bytes;
static void *p[4];
static const void *cp[4];
static spblasDataType_t type;
static spblasIndexType_t it[2];
static spblasIndexBase_t base;
static spblasOrder_t order;
static float scalar[2] = {1, 1};

static void
management(void)
{
    spblasPointerMode_t mode;
    spblasHandle_t other;

    FREE(spblasGetVersion(h, &number));
    FREE(spblasGetProperty(SPBLAS_MAJOR_VERSION, &number));
    FREE(spblasSetStream(h, NULL));
    FREE(spblasGetStream(h, &p[0]));
    FREE(spblasSetPointerMode(h, SPBLAS_POINTER_MODE_HOST));
    FREE(spblasGetPointerMode(h, &mode));
    FREE(spblasForgetWisdom());
    objects_ok(spblasCreate(&other));
    FREE(spblasDestroy(other));
    note("spblasGetErrorName");
    note("spblasGetErrorString");
    note("spblasGetLastErrorMessage");
    (void)sb_alloc_fail_after(0);
    assert_non_null(spblasGetErrorName(SPBLAS_STATUS_SUCCESS));
    assert_non_null(spblasGetErrorString(SPBLAS_STATUS_SUCCESS));
    assert_non_null(spblasGetLastErrorMessage(h));
    assert_int_equal(sb_alloc_fail_after(-1), 0);
}

static void
dense_objects(void)
{
    spblasDnVecDescr_t v;
    spblasDnMatDescr_t m;
    int n;

    objects_ok(spblasCreateDnVec(&v, 4, dense, F32));
    objects_ok(spblasCreateDnMat(&m, 4, 2, 2, dense, F32, ROW));
    FREE(spblasDnVecGet(v, &i64[0], &p[0], &type));
    FREE(spblasConstDnVecGet(v, &i64[0], &cp[0], &type));
    FREE(spblasDnVecGetValues(v, &p[0]));
    FREE(spblasConstDnVecGetValues(v, &cp[0]));
    FREE(spblasDnVecSetValues(v, dense));
    FREE(spblasDnMatGet(m, &i64[0], &i64[1], &i64[2], &p[0], &type, &order));
    FREE(spblasConstDnMatGet(m, &i64[0], &i64[1], &i64[2], &cp[0], &type, &order));
    FREE(spblasDnMatGetValues(m, &p[0]));
    FREE(spblasConstDnMatGetValues(m, &cp[0]));
    FREE(spblasDnMatSetValues(m, dense));
    FREE(spblasDnMatSetStridedBatch(m, 2, 8));
    FREE(spblasDnMatGetStridedBatch(m, &n, &i64[0]));
    FREE(spblasDestroyDnVec(v));
    FREE(spblasDestroyDnMat(m));
}

static void
sparse_vectors(void)
{
    spblasSpVecDescr_t v;

    objects_ok(spblasCreateSpVec(&v, 4, 3, idx, val, I32, Z, F32));
    FREE(spblasSpVecGet(v, &i64[0], &i64[1], &p[0], &p[1], &it[0], &base, &type));
    FREE(
        spblasConstSpVecGet(v, &i64[0], &i64[1], &cp[0], &cp[1], &it[0], &base, &type));
    FREE(spblasSpVecGetIndexBase(v, &base));
    FREE(spblasSpVecGetValues(v, &p[0]));
    FREE(spblasConstSpVecGetValues(v, &cp[0]));
    FREE(spblasSpVecSetValues(v, val));
    FREE(spblasAxpby(h, scalar, v, scalar, x));
    FREE(spblasGather(h, x, v));
    FREE(spblasScatter(h, v, x));
    FREE(spblasRot(h, scalar, scalar, v, x));
    FREE(spblasSpVV_bufferSize(h, N, v, x, scalar, F32, &bytes));
    FREE(spblasSpVV(h, N, v, x, scalar, F32, NULL));
    FREE(spblasDestroySpVec(v));
}

static void
sparse_matrices(void)
{
    static int32_t ell[2] = {0, 1};
    spblasSpMatDescr_t e, b;
    spblasFormat_t format;
    int fill;

    objects_ok(spblasCreateBlockedEll(&e, 4, 4, 2, 2, ell, val, I32, Z, F32));
    objects_ok(
        spblasCreateBsr(&b, 3, 4, 3, 1, 1, ptr, idx, val, I32, I32, Z, F32, ROW));
#define ARRAYS &i64[0], &i64[1], &i64[2], &p[0], &p[1], &p[2]
#define CONST_ARRAYS &i64[0], &i64[1], &i64[2], &cp[0], &cp[1], &cp[2]
    FREE(spblasSpMatGetFormat(A, &format));
    FREE(spblasSpMatGetIndexBase(A, &base));
    FREE(spblasSpMatGetSize(A, &i64[0], &i64[1], &i64[2]));
    FREE(spblasSpMatGetValues(A, &p[0]));
    FREE(spblasConstSpMatGetValues(A, &cp[0]));
    FREE(spblasSpMatSetValues(A, val));
    FREE(spblasCsrGet(A, ARRAYS, &it[0], &it[1], &base, &type));
    FREE(spblasConstCsrGet(A, CONST_ARRAYS, &it[0], &it[1], &base, &type));
    FREE(spblasCscGet(R, ARRAYS, &it[0], &it[1], &base, &type));
    FREE(spblasConstCscGet(R, CONST_ARRAYS, &it[0], &it[1], &base, &type));
    FREE(spblasCooGet(O, ARRAYS, &it[0], &base, &type));
    FREE(spblasConstCooGet(O, CONST_ARRAYS, &it[0], &base, &type));
    FREE(spblasBlockedEllGet(e, &i64[0], &i64[1], &i64[2], &i64[3], &p[0], &p[1],
                             &it[0], &base, &type));
    FREE(spblasConstBlockedEllGet(e, &i64[0], &i64[1], &i64[2], &i64[3], &cp[0], &cp[1],
                                  &it[0], &base, &type));
    FREE(spblasCsrSetPointers(A, ptr, idx, val));
    FREE(spblasCscSetPointers(R, ptr, idx, val));
    FREE(spblasCooSetPointers(O, rows, idx, val));
    FREE(spblasSpMatGetStridedBatch(A, &number));
    FREE(spblasSpMatGetAttribute(A, SPBLAS_SPMAT_FILL_MODE, &fill, sizeof fill));
    FREE(spblasSpMatGetPlanCount(A, &number));
    FREE(spblasSpMatGetPartCount(A, &number));
    FREE(spblasCsrSetStridedBatch(A, 1, 0, 0));
    FREE(spblasCooSetStridedBatch(O, 1, 0));
    FREE(spblasBsrSetStridedBatch(b, 1, 0, 0, 0));
    FREE(spblasDestroySpMat(e));
    FREE(spblasDestroySpMat(b));
}

static void
plans_and_formats(void)
{
    spblasPlanInfo_t info = {.structSize = sizeof info};
    spblasFormatDescr_t format;

    objects_ok(spblasSpMM_analysis(h, N, N, &one, A, B, &one, C, F32, MM, NULL));
    FREE(spblasSpMatGetPlanInfo(A, 0, &info));
    FREE(spblasSpMatGetPlanText(A, 0, NULL, &bytes));
    FREE(spblasSpMatGetPlanExplanation(A, 0, NULL, &bytes));
    objects_ok(spblasCreateFormat(&format, "csr"));
    FREE(spblasDestroyFormat(format));
}

static void
products(void)
{
    FREE(spblasSpMM_bufferSize(h, N, N, &one, A, B, &one, C, F32, MM, &bytes));
    FREE(spblasSpMM(h, N, N, &one, A, B, &one, C, F32, MM, NULL));
    FREE(spblasSpMV_bufferSize(h, N, &one, A, x, &one, y, F32, MV, &bytes));
    FREE(spblasSpMV(h, N, &one, A, x, &one, y, F32, MV, NULL));
    FREE(spblasSDDMM_bufferSize(h, N, N, &one, X, Y, &one, S, F32, SD, &bytes));
    FREE(spblasSDDMM(h, N, N, &one, X, Y, &one, S, F32, SD, NULL));
    FREE(spblasSpMMOp_destroyPlan(NULL));
}

static void
dense_and_sparse(void)
{
    static int32_t at[5], col[8];
    static float v[8];
    spblasSpMatDescr_t to;

    objects_ok(spblasCreateCsr(&to, 4, 2, 0, at, col, v, I32, I32, Z, F32));
    FREE(spblasSparseToDense_bufferSize(h, S, C, SPBLAS_SPARSETODENSE_ALG_DEFAULT,
                                        &bytes));
    FREE(spblasSparseToDense(h, S, C, SPBLAS_SPARSETODENSE_ALG_DEFAULT, NULL));
    FREE(spblasDenseToSparse_bufferSize(h, B, to, SPBLAS_DENSETOSPARSE_ALG_DEFAULT,
                                        &bytes));
    FREE(
        spblasDenseToSparse_analysis(h, B, to, SPBLAS_DENSETOSPARSE_ALG_DEFAULT, NULL));
    FREE(spblasDenseToSparse_convert(h, B, to, SPBLAS_DENSETOSPARSE_ALG_DEFAULT, NULL));
    FREE(spblasDestroySpMat(to));
}

/* A triangle of one. */
static void
triangles(void)
{
    static int32_t at[2] = {0, 1}, col[1] = {0};
    static float v[1] = {2};
    spblasSpMatDescr_t t;
    spblasDnVecDescr_t b;
    spblasDnMatDescr_t m;
    spblasSpSVDescr_t sv;
    spblasSpSMDescr_t sm;

    objects_ok(spblasCreateCsr(&t, 1, 1, 1, at, col, v, I32, I32, Z, F32));
    objects_ok(spblasCreateDnVec(&b, 1, dense, F32));
    objects_ok(spblasCreateDnMat(&m, 1, 1, 1, dense, F32, ROW));
    objects_ok(spblasSpSV_createDescr(&sv));
    objects_ok(spblasSpSM_createDescr(&sm));
    FREE(spblasSpSV_bufferSize(h, N, &one, t, b, b, F32, SPBLAS_SPSV_ALG_DEFAULT, sv,
                               &bytes));
    FREE(spblasSpSM_bufferSize(h, N, N, &one, t, m, m, F32, SPBLAS_SPSM_ALG_DEFAULT, sm,
                               &bytes));
    objects_ok(spblasSpSV_analysis(h, N, &one, t, b, b, F32, SPBLAS_SPSV_ALG_DEFAULT,
                                   sv, NULL));
    objects_ok(spblasSpSM_analysis(h, N, N, &one, t, m, m, F32, SPBLAS_SPSM_ALG_DEFAULT,
                                   sm, NULL));
    FREE(spblasSpSV_solve(h, N, &one, t, b, b, F32, SPBLAS_SPSV_ALG_DEFAULT, sv));
    FREE(spblasSpSM_solve(h, N, N, &one, t, m, m, F32, SPBLAS_SPSM_ALG_DEFAULT, sm));
    FREE(spblasSpSV_updateMatrix(h, sv, v, SPBLAS_SPSV_UPDATE_GENERAL));
    FREE(spblasSpSM_updateMatrix(h, sm, v, SPBLAS_SPSM_UPDATE_DIAGONAL));
    FREE(spblasSpSV_destroyDescr(sv));
    FREE(spblasSpSM_destroyDescr(sm));
    objects_ok(spblasDestroySpMat(t));
    objects_ok(spblasDestroyDnVec(b));
    objects_ok(spblasDestroyDnMat(m));
}

/* A * A and A + A of one element, with memory lent. */
static void
sparse_results(void)
{
    static int32_t at[2] = {0, 1}, col[1] = {0}, to[2], to_col[2];
    static float v[1] = {2}, to_v[2];
    static char lent[5][1 << 17];
    const spblasSpGEMMAlg_t alg = SPBLAS_SPGEMM_DEFAULT;
    const spblasSpGEAMAlg_t sum = SPBLAS_SPGEAM_ALG_DEFAULT;
    spblasSpMatDescr_t a, c;
    spblasSpGEMMDescr_t d, r;
    spblasSpGEAMDescr_t g;
    size_t n[5] = {sizeof lent[0], sizeof lent[0], sizeof lent[0], sizeof lent[0],
                   sizeof lent[0]};

    objects_ok(spblasCreateCsr(&a, 1, 1, 1, at, col, v, I32, I32, Z, F32));
    objects_ok(spblasCreateCsr(&c, 1, 1, 0, to, to_col, to_v, I32, I32, Z, F32));
    objects_ok(spblasSpGEMM_createDescr(&d));
    objects_ok(spblasSpGEMM_createDescr(&r));
    objects_ok(spblasSpGEAM_createDescr(&g));
#define MUL h, N, N, &one, a, a, &one, c, F32, alg
    FREE(spblasSpGEMM_workEstimation(MUL, d, &n[0], lent[0]));
    FREE(spblasSpGEMM_getNumProducts(d, &i64[0]));
    FREE(spblasSpGEMM_estimateMemory(MUL, d, 0.5f, &n[2], lent[2], &n[3]));
    FREE(spblasSpGEMM_compute(MUL, d, &n[1], lent[1]));
    FREE(spblasSpGEMM_copy(MUL, d));
    FREE(spblasSpGEMM_destroyDescr(d));
    n[2] = n[3] = sizeof lent[0];
    FREE(spblasSpGEMMreuse_workEstimation(h, N, N, a, a, c, alg, r, &n[0], lent[0]));
    FREE(spblasSpGEMMreuse_nnz(h, N, N, a, a, c, alg, r, &n[1], lent[1], &n[2], lent[2],
                               &n[3], lent[3]));
    FREE(spblasSpGEMMreuse_copy(h, N, N, a, a, c, alg, r, &n[4], lent[4]));
    FREE(spblasSpGEMMreuse_compute(MUL, r));
    objects_ok(spblasSpGEMM_destroyDescr(r));
#define ADD h, N, N, &one, a, &one, a, c, F32, sum, g
    FREE(spblasSpGEAM_bufferSize(ADD, &bytes));
    FREE(spblasSpGEAM_nnz(ADD, NULL));
    FREE(spblasSpGEAM(ADD, NULL));
    FREE(spblasSpGEAM_destroyDescr(g));
    objects_ok(spblasDestroySpMat(a));
    objects_ok(spblasDestroySpMat(c));
}

/* ---- Completeness ------------------------------------------------------------------- */

static bool
known(const char *name)
{
    for (size_t q = 0; q < sizeof swept / sizeof swept[0]; q++)
        if (strcmp(swept[q], name) == 0)
            return true;
    for (int q = 0; q < ncalled; q++)
        if (strcmp(called[q], name) == 0)
            return true;
    return false;
}

/* The whole file, from malloc. */
static char *
read_text(const char *path)
{
    FILE *f = fopen(path, "rb");
    char *text = calloc(1, 1 << 20);

    assert_non_null(f);
    assert_non_null(text);
    (void)fread(text, 1, (1 << 20) - 1, f);
    (void)fclose(f);
    return text;
}

/* Functions of spblas.h; other headers have tests of their own. */
static void
no_function_is_forgotten(void)
{
    char *exported = read_text(SB_SOURCE_DIR "/tests/lint/exported-symbols.txt");
    char *header = read_text(SB_SOURCE_DIR "/include/spblas.h");
    int seen = 0;

    for (char *name = strtok(exported, "\n"); name; name = strtok(NULL, "\n")) {
        char declared[80];

        (void)snprintf(declared, sizeof declared, " %s(", name);
        if (!strstr(header, declared))
            continue;
        seen++;
        if (!known(name))
            fail_msg("%s is in no test of short memory", name);
    }
    assert_true(seen > 100);
    free(exported);
    free(header);
}

static void
functions_allocate_nothing(void **state)
{
    (void)state;
    management();
    dense_objects();
    sparse_vectors();
    sparse_matrices();
    plans_and_formats();
    products();
    dense_and_sparse();
    triangles();
    sparse_results();
    no_function_is_forgotten();
}

/* ---- Products ----------------------------------------------------------------------- */

/* Computing allocates nothing, with and without a plan. */
static void
products_allocate_nothing(void **state)
{
    (void)state;
    for (uint64_t k = 0; k < 60; k++) {
        sb_problem pb =
            problem_make(k, (sb_op)(k % 3), &problem_type_table[k % 4], true);
        char message[400];
        call c;

        objects_ok(call_begin(&c, &pb));
        for (int analysed = 0; analysed < 2; analysed++) {
            oracle o = oracle_make(&pb);

            (void)sb_alloc_fail_after(0);
            objects_ok(call_run(&c));
            assert_int_equal(sb_alloc_fail_after(-1), 0);
            if (!oracle_check(&o, &pb, true, message, sizeof message))
                fail_msg("%s", message);
            oracle_free(&o);
            objects_ok(call_analyse(&c));
        }
        call_end(&c);
        problem_free(&pb);
    }
}

/* Whatever is made is freed. */
static void
nothing_is_left(void **state)
{
    const int64_t live = sb_alloc_live();
    sb_problem pb = problem_make(5, SB_OP_SPMM, &problem_type_table[0], true);
    spblasFormatDescr_t format;
    spblasSpMatDescr_t made;
    call c;

    (void)state;
    objects_ok(call_begin(&c, &pb));
    objects_ok(call_run(&c));
    objects_ok(spblasCreateFormat(&format, "bdia_csr<3, 2>"));
    objects_ok(spblasConvert(c.handle, c.a, format, &made));
    objects_ok(spblasDestroyFormat(format));
    objects_ok(spblasDestroySpMat(made));
    call_end(&c);
    problem_free(&pb);
    assert_int_equal(sb_alloc_live(), live);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(functions_allocate_nothing),
        cmocka_unit_test(products_allocate_nothing),
        cmocka_unit_test(nothing_is_left),
    };

    return cmocka_run_group_tests(tests, objects_make, objects_end);
}
