/*
 * Memory may run out anywhere: every public function that allocates is run with 0, 1,
 * 2, ... allocations allowed until it succeeds. Until then it answers ALLOC_FAILED (analyses
 * may also succeed with a smaller plan), leaks nothing, leaves its objects usable.
 */
#include "base/alloc.h"
#include "call.h"
#include "oracle.h"
#include "problems.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

/* One function under test: does the call, and undoes it when it succeeded. */
typedef struct step {
    const char *name;
    spblasStatus_t (*run)(void *user);
    void (*undo)(void *user);
} step;

typedef struct world {
    call c;
    const char *text; /* of the format */
    spblasFormatDescr_t format;
    spblasHandle_t handle;
    spblasSpMatDescr_t made, sp;
    spblasConstSpMatDescr_t csp;
    spblasDnMatDescr_t dm;
    spblasConstDnMatDescr_t cdm;
    spblasDnVecDescr_t dv;
    spblasConstDnVecDescr_t cdv;
    spblasSpVecDescr_t sv;
    spblasConstSpVecDescr_t csv;
    spblasSpGEMMDescr_t spgemm;
    spblasSpGEAMDescr_t spgeam;
    spblasSpMMOpPlan_t plan;
    spblasLevelInfo_t level[4]; /* of the matrix made */
    sb_problem *pb;
} world;

static int32_t ptr[4], idx[4];
static float val[64];

#define I32 SPBLAS_INDEX_32I
#define Z SPBLAS_INDEX_BASE_ZERO
#define F32 SPBLAS_R_32F
#define ROW SPBLAS_ORDER_ROW

static spblasStatus_t
create_handle(void *user)
{
    return spblasCreate(&((world *)user)->handle);
}

static spblasStatus_t
create_on(void *user)
{
    return spblasCreateOn(&((world *)user)->handle, "cpu");
}

static spblasStatus_t
create_csr(void *user)
{
    return spblasCreateCsr(&((world *)user)->sp, 3, 4, 4, ptr, idx, val, I32, I32, Z,
                           F32);
}

static spblasStatus_t
create_const_csr(void *user)
{
    return spblasCreateConstCsr(&((world *)user)->csp, 3, 4, 4, ptr, idx, val, I32, I32,
                                Z, F32);
}

static spblasStatus_t
create_csc(void *user)
{
    return spblasCreateCsc(&((world *)user)->sp, 4, 3, 4, ptr, idx, val, I32, I32, Z,
                           F32);
}

static spblasStatus_t
create_const_csc(void *user)
{
    return spblasCreateConstCsc(&((world *)user)->csp, 4, 3, 4, ptr, idx, val, I32, I32,
                                Z, F32);
}

static spblasStatus_t
create_coo(void *user)
{
    return spblasCreateCoo(&((world *)user)->sp, 3, 4, 4, idx, idx, val, I32, Z, F32);
}

static spblasStatus_t
create_const_coo(void *user)
{
    return spblasCreateConstCoo(&((world *)user)->csp, 3, 4, 4, idx, idx, val, I32, Z,
                                F32);
}

static spblasStatus_t
create_bsr(void *user)
{
    return spblasCreateBsr(&((world *)user)->sp, 3, 4, 4, 2, 2, ptr, idx, val, I32, I32,
                           Z, F32, ROW);
}

static spblasStatus_t
create_const_bsr(void *user)
{
    return spblasCreateConstBsr(&((world *)user)->csp, 3, 4, 4, 2, 2, ptr, idx, val,
                                I32, I32, Z, F32, ROW);
}

static spblasStatus_t
create_bell(void *user)
{
    return spblasCreateBlockedEll(&((world *)user)->sp, 4, 4, 2, 4, idx, val, I32, Z,
                                  F32);
}

static spblasStatus_t
create_const_bell(void *user)
{
    return spblasCreateConstBlockedEll(&((world *)user)->csp, 4, 4, 2, 4, idx, val, I32,
                                       Z, F32);
}

static spblasStatus_t
create_sell(void *user)
{
    return spblasCreateSlicedEll(&((world *)user)->sp, 4, 4, 3, 4, 2, ptr, idx, val,
                                 I32, I32, Z, F32);
}

static spblasStatus_t
create_const_sell(void *user)
{
    return spblasCreateConstSlicedEll(&((world *)user)->csp, 4, 4, 3, 4, 2, ptr, idx,
                                      val, I32, I32, Z, F32);
}

static spblasStatus_t
create_dnmat(void *user)
{
    return spblasCreateDnMat(&((world *)user)->dm, 4, 4, 4, val, F32, ROW);
}

static spblasStatus_t
create_const_dnmat(void *user)
{
    return spblasCreateConstDnMat(&((world *)user)->cdm, 4, 4, 4, val, F32, ROW);
}

static spblasStatus_t
create_dnvec(void *user)
{
    return spblasCreateDnVec(&((world *)user)->dv, 4, val, F32);
}

static spblasStatus_t
create_const_dnvec(void *user)
{
    return spblasCreateConstDnVec(&((world *)user)->cdv, 4, val, F32);
}

static spblasStatus_t
create_spvec(void *user)
{
    return spblasCreateSpVec(&((world *)user)->sv, 4, 4, idx, val, I32, Z, F32);
}

static spblasStatus_t
create_const_spvec(void *user)
{
    return spblasCreateConstSpVec(&((world *)user)->csv, 4, 4, idx, val, I32, Z, F32);
}

static spblasStatus_t
create_spgemm(void *user)
{
    return spblasSpGEMM_createDescr(&((world *)user)->spgemm);
}

static spblasStatus_t
create_spgeam(void *user)
{
    return spblasSpGEAM_createDescr(&((world *)user)->spgeam);
}

static spblasStatus_t
set_plan_text(void *user)
{
    return spblasSpMatSetAttribute(((world *)user)->c.a, SPBLAS_SPMAT_PLAN_TEXT, "csr",
                                   3);
}

static spblasStatus_t
analyse(void *user)
{
    return call_analyse(&((world *)user)->c);
}

static void
undo_creation(void *user)
{
    world *w = user;

    (void)spblasDestroy(w->handle);
    (void)spblasDestroySpMat(w->sp);
    (void)spblasDestroySpMat(w->csp);
    (void)spblasDestroyDnMat(w->dm);
    (void)spblasDestroyDnMat(w->cdm);
    (void)spblasDestroyDnVec(w->dv);
    (void)spblasDestroyDnVec(w->cdv);
    (void)spblasDestroySpVec(w->sv);
    (void)spblasDestroySpVec(w->csv);
    (void)spblasSpGEMM_destroyDescr(w->spgemm);
    (void)spblasSpGEAM_destroyDescr(w->spgeam);
    w->spgemm = NULL;
    w->spgeam = NULL;
    w->handle = NULL;
    w->sp = NULL;
    w->csp = NULL;
    w->dm = NULL;
    w->cdm = NULL;
    w->dv = NULL;
    w->cdv = NULL;
    w->sv = NULL;
    w->csv = NULL;
}

static void
undo_plan_text(void *user)
{
    (void)spblasSpMatSetAttribute(((world *)user)->c.a, SPBLAS_SPMAT_PLAN_TEXT, NULL,
                                  0);
}

/* Drops the plans: the pointers stay the same. */
static void
undo_analysis(void *user)
{
    world *w = user;
    const int no = 0;

    (void)spblasSpMatSetAttribute(w->c.a, SPBLAS_SPMAT_VALUES_FROZEN, &no, sizeof no);
}

static const step steps[] = {
    {"Create", create_handle, undo_creation},
    {"CreateOn", create_on, undo_creation},
    {"CreateCsr", create_csr, undo_creation},
    {"CreateConstCsr", create_const_csr, undo_creation},
    {"CreateCsc", create_csc, undo_creation},
    {"CreateConstCsc", create_const_csc, undo_creation},
    {"CreateCoo", create_coo, undo_creation},
    {"CreateConstCoo", create_const_coo, undo_creation},
    {"CreateBsr", create_bsr, undo_creation},
    {"CreateConstBsr", create_const_bsr, undo_creation},
    {"CreateBlockedEll", create_bell, undo_creation},
    {"CreateConstBlockedEll", create_const_bell, undo_creation},
    {"CreateSlicedEll", create_sell, undo_creation},
    {"CreateConstSlicedEll", create_const_sell, undo_creation},
    {"CreateDnMat", create_dnmat, undo_creation},
    {"CreateConstDnMat", create_const_dnmat, undo_creation},
    {"CreateDnVec", create_dnvec, undo_creation},
    {"CreateConstDnVec", create_const_dnvec, undo_creation},
    {"CreateSpVec", create_spvec, undo_creation},
    {"CreateConstSpVec", create_const_spvec, undo_creation},
    {"SpGEMM_createDescr", create_spgemm, undo_creation},
    {"SpGEAM_createDescr", create_spgeam, undo_creation},
    {"SetAttribute", set_plan_text, undo_plan_text},
    {"analysis", analyse, undo_analysis},
};

/* ---- Formats ------------------------------------------------------------------------ */

static spblasStatus_t
create_format(void *user)
{
    world *w = user;

    return spblasCreateFormat(&w->format, w->text);
}

static void
undo_format(void *user)
{
    world *w = user;

    (void)spblasDestroyFormat(w->format);
    w->format = NULL;
}

/* `format` and the matrix in it are there from here on. */
static spblasStatus_t
convert(void *user)
{
    world *w = user;

    return spblasConvert(w->c.handle, w->c.a, w->format, &w->made);
}

static void
undo_conversion(void *user)
{
    world *w = user;

    (void)spblasDestroySpMat(w->made);
    w->made = NULL;
}

static spblasStatus_t
create_custom(void *user)
{
    world *w = user;

    return spblasCreateCustom(&w->sp, w->format, 9, 9, w->level[0].levels, w->level,
                              val, 1, F32);
}

static spblasStatus_t
create_const_custom(void *user)
{
    world *w = user;

    return spblasCreateConstCustom(&w->csp, w->format, 9, 9, w->level[0].levels,
                                   w->level, val, 1, F32);
}

static spblasStatus_t
show_format(void *user)
{
    const world *w = user;
    size_t size;
    const spblasStatus_t st = spblasFormatGetText(w->format, NULL, &size);

    return st ? st : spblasFormatGetArrays(w->format, NULL, &size);
}

static spblasStatus_t
show_part(void *user)
{
    spblasLevelInfo_t info = {.structSize = sizeof info};
    const world *w = user;
    const void *values;
    int64_t count, stride;
    size_t size;
    spblasStatus_t st = spblasSpMatGetPartLevel(w->c.a, 0, 0, &info);

    if (!st)
        st = spblasSpMatGetPartValues(w->c.a, 0, &values, &count, &stride);
    return st ? st : spblasSpMatGetFormatText(w->c.a, 0, NULL, &size);
}

static spblasStatus_t
compute(void *user)
{
    return call_run(&((world *)user)->c);
}

static void
undo_nothing(void *user)
{
    (void)user;
}

static spblasStatus_t
exchange_wisdom(void *user)
{
    char text[200];
    size_t size = sizeof text;
    const spblasStatus_t st = spblasExportWisdom(text, &size);

    (void)user;
    return st ? st : spblasImportWisdom(text);
}

/* A file of this process: two faults are tried at a time (tests/mutation). */
static spblasStatus_t
exchange_files(void *user)
{
    char path[64];
    spblasStatus_t st;

    (void)user;
    (void)snprintf(path, sizeof path, "allocation_wisdom.%ld", (long)getpid());
    st = spblasExportWisdomToFile(path);
    st = st ? st : spblasImportWisdomFromFile(path);
    (void)remove(path);
    (void)remove(strcat(path, ".lock"));
    return st;
}

/* ---- Operators ---------------------------------------------------------------------- */

static spblasStatus_t
create_plan(void *user)
{
    world *w = user;
    const sb_problem *pb = w->pb;
    size_t size;

    return spblasSpMMOp_createPlan(
        w->c.handle, &w->plan, (spblasOperation_t)pb->trans_a,
        (spblasOperation_t)pb->trans_b, w->c.a, w->c.b, w->c.c, F32,
        SPBLAS_SPMMOP_ALG_DEFAULT, "max(a, b)", NULL, NULL, "a - b", &size);
}

static void
undo_plan(void *user)
{
    world *w = user;

    (void)spblasSpMMOp_destroyPlan(w->plan);
    w->plan = NULL;
}

static spblasStatus_t
run_plan(void *user)
{
    return spblasSpMMOp(((world *)user)->plan, NULL);
}

/* ---- The sweep ---------------------------------------------------------------------- */

/* The product is still right: the objects are usable. */
static void
still_computes(world *w)
{
    oracle o = oracle_make(w->pb);
    char message[400];

    assert_int_equal(call_run(&w->c), SPBLAS_STATUS_SUCCESS);
    if (!oracle_check(&o, w->pb, true, message, sizeof message))
        fail_msg("%s", message);
    oracle_free(&o);
}

/* The first run of anything may fill process-wide caches, which stay. */
static void
sweep(world *w, const step *s)
{
    spblasStatus_t st = SPBLAS_STATUS_ALLOC_FAILED;
    int64_t refused = 0, live, asked = 0;
    bool enough = false;

    assert_int_equal(s->run(w), SPBLAS_STATUS_SUCCESS);
    s->undo(w);
    live = sb_alloc_live();
    for (int64_t allowed = 0; !enough; allowed++) {
        assert_in_range(allowed, 0, 20000);
        (void)sb_alloc_fail_after(allowed);
        st = s->run(w);
        asked = sb_alloc_fail_after(-1);
        enough = asked <= allowed;
        if (st == SPBLAS_STATUS_ALLOC_FAILED) {
            refused++;
            assert_true(strlen(spblasGetLastErrorMessage(NULL)) > 10);
        } else {
            if (st != SPBLAS_STATUS_SUCCESS)
                fail_msg("%s with %lld allocations: %s", s->name, (long long)allowed,
                         spblasGetLastErrorMessage(NULL));
            s->undo(w);
        }
        if (sb_alloc_live() != live)
            fail_msg("%s with %lld allocations: %lld blocks leaked", s->name,
                     (long long)allowed, (long long)(sb_alloc_live() - live));
    }
    assert_int_equal(st, SPBLAS_STATUS_SUCCESS);
    if (refused == 0)
        fail_msg("%s never asked for memory, or succeeded without", s->name);
    still_computes(w);
}

/* Conversion, and then products with the converted matrix in the place of the problem's;
 * their programs are interpreted, as where there is no compiler. */
static void
format_survives(const char *text, sb_op op)
{
    static const step made[] = {{"Convert", convert, undo_conversion},
                                {"FormatGetText", show_format, undo_nothing},
                                {"GetPart..", show_part, undo_nothing}};
    static const step custom[] = {{"custom compute", compute, undo_nothing},
                                  {"custom analysis", analyse, undo_analysis}};
    const int64_t n = op == SB_OP_SPMV ? 1 : 3;
    sb_problem pb = {.op = op, .compute = SB_F32, .alpha = {1, 0}, .batch = 1};
    world w = {.pb = &pb, .text = text};
    spblasSpMatDescr_t own;

    pb.a = gen_matrix(
        &(gen_spec){.family = GEN_DIAGONALS, .rows = 9, .cols = 9, .integer = true});
    pb.b = gen_dense(&(gen_dense_spec){.rows = 9, .cols = n, .integer = true});
    pb.c = gen_dense(&(gen_dense_spec){.rows = 9, .cols = n, .integer = true});
    assert_int_equal(call_begin(&w.c, &pb), SPBLAS_STATUS_SUCCESS);
    sweep(&w, &(step){"CreateFormat", create_format, undo_format});
    assert_int_equal(create_format(&w), SPBLAS_STATUS_SUCCESS);
    for (size_t i = 0; i < sizeof made / sizeof made[0]; i++)
        sweep(&w, &made[i]);
    assert_int_equal(convert(&w), SPBLAS_STATUS_SUCCESS);
    own = w.c.a;
    w.c.a = w.made;
    for (size_t i = 0; i < sizeof custom / sizeof custom[0]; i++)
        sweep(&w, &custom[i]);
    w.c.a = own;
    if (strcmp(text, "lil") == 0) {
        for (int q = 0; q < 4; q++) {
            w.level[q].structSize = sizeof w.level[q];
            (void)spblasSpMatGetPartLevel(w.made, 0, q, &w.level[q]);
        }
        sweep(&w, &(step){"CreateCustom", create_custom, undo_creation});
        sweep(&w, &(step){"CreateConstCustom", create_const_custom, undo_creation});
    }
    undo_conversion(&w);
    undo_format(&w);
    call_end(&w.c);
    problem_free(&pb);
}

static void
formats_survive(void **state)
{
    static const char *const texts[] = {"bdia_csr<3, 2>", "lil", "ell", "cisr",
                                        "hyb<4, 1>"};

    (void)state;
    assert_int_equal(setenv("SPBLAS_JIT", "off", 1), 0);
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        format_survives(texts[i], SB_OP_SPMV);
        format_survives(texts[i], SB_OP_SPMM);
    }
    assert_int_equal(unsetenv("SPBLAS_JIT"), 0);
}

/* Interpreted, as where there is no compiler; several formats, whose structure is copied. */
static void
operators_survive(void **state)
{
    (void)state;
    assert_int_equal(setenv("SPBLAS_JIT", "off", 1), 0);
    for (uint64_t k = 20; k < 26; k++) {
        sb_problem pb = problem_make(k, SB_OP_SPMM, &problem_type_table[0], true);
        world w = {.pb = &pb};

        pb.beta = (sb_value){0.0, 0.0};
        assert_int_equal(call_begin(&w.c, &pb), SPBLAS_STATUS_SUCCESS);
        sweep(&w, &(step){"SpMMOp_createPlan", create_plan, undo_plan});
        assert_int_equal(create_plan(&w), SPBLAS_STATUS_SUCCESS);
        if (pb.c.rows > 0 && pb.c.cols > 0)
            sweep(&w, &(step){"SpMMOp", run_plan, undo_nothing});
        undo_plan(&w);
        call_end(&w.c);
        problem_free(&pb);
    }
    assert_int_equal(unsetenv("SPBLAS_JIT"), 0);
}

static void
every_function_survives(void **state)
{
    static const sb_op ops[] = {SB_OP_SPMM, SB_OP_SPMV, SB_OP_SDDMM};

    (void)state;
    for (int op = 0; op < 3; op++) {
        sb_problem pb = problem_make(5, ops[op], &problem_type_table[0], true);
        world w = {.pb = &pb};

        pb.beta = (sb_value){0.0, 0.0}; /* many runs: values must not grow */
        assert_int_equal(call_begin(&w.c, &pb), SPBLAS_STATUS_SUCCESS);
        still_computes(&w);
        for (size_t i = 0; i < sizeof steps / sizeof steps[0]; i++)
            sweep(&w, &steps[i]);
        sweep(&w, &(step){"Wisdom", exchange_wisdom, undo_nothing});
        sweep(&w, &(step){"Wisdom in files", exchange_files, undo_nothing});
        call_end(&w.c);
        problem_free(&pb);
    }
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_function_survives),
        cmocka_unit_test(formats_survive),
        cmocka_unit_test(operators_survive),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
