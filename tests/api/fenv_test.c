/*
 * The caller's floating-point environment: on data whose sums are exact no call raises
 * division by zero, invalid or overflow, which ends programs that trap them; after each
 * the rounding and the traps are what they were, also where an analysis is asked to
 * measure.
 */
#include "call.h"
#include "problems.h"
#include "team.h"

#include <fenv.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

enum { CASES = 60, CAUGHT = FE_DIVBYZERO | FE_INVALID | FE_OVERFLOW };

static void
must_be_clean(spblasStatus_t st, const char *what, const call *c, int64_t k)
{
    const sb_problem *pb = c->pb;
    const int raised = fetestexcept(CAUGHT);

    if (st != SPBLAS_STATUS_SUCCESS)
        fail_msg("%s: %s", what, spblasGetLastErrorMessage(c->handle));
    if (raised || fegetround() != FE_TONEAREST)
        fail_msg("%s raises %x, rounds %x: case %lld, op %d, format %d, %lld x %lld, "
                 "%lld entries, "
                 "%lld columns, compute %s",
                 what, (unsigned)raised, (unsigned)fegetround(), (long long)k, pb->op,
                 pb->a.format, (long long)pb->a.rows, (long long)pb->a.cols,
                 (long long)pb->a.nnz, (long long)pb->b.cols,
                 sb_dtype_name(pb->compute));
}

static void
one(sb_problem *pb, int64_t k)
{
    size_t bytes = 0;
    call c;

    assert_int_equal(call_begin(&c, pb), SPBLAS_STATUS_SUCCESS);
    assert_int_equal(feclearexcept(FE_ALL_EXCEPT), 0);
    must_be_clean(call_size(&c, &bytes), "bufferSize", &c, k);
    c.buffer = bytes ? malloc(bytes) : NULL;
    must_be_clean(call_run(&c), "without analysis", &c, k);
    must_be_clean(call_analyse(&c), "analysis", &c, k);
    must_be_clean(call_run(&c), "after analysis", &c, k);
    free(c.buffer);
    call_end(&c);
}

static void
test_flags(void **state)
{
    (void)state;
    for (int op = 0; op <= SB_OP_SDDMM; op++)
        for (int t = 0; t < problem_type_count; t++)
            for (int64_t k = 0; k < CASES && problem_type_table[t].ops & 1u << op;
                 k++) {
                sb_problem pb = problem_make((uint64_t)(k * 7 + t), (sb_op)op,
                                             &problem_type_table[t], true);

                one(&pb, k * 7 + t);
                problem_free(&pb);
            }
}

/* Every family in rows, from none to many, against few and many columns. */
static void
test_sizes(void **state)
{
    static const int64_t sizes[][3] = {{0, 0, 0},     {0, 5, 3},       {5, 0, 3},
                                       {5, 5, 0},     {1, 1, 1},       {300, 300, 1},
                                       {300, 300, 8}, {300, 300, 40},  {900, 2, 4},
                                       {2, 900, 32},  {5000, 5000, 32}};

    (void)state;
    for (int q = 0; q < (int)(sizeof sizes / sizeof sizes[0]) * GEN_FAMILY_COUNT; q++) {
        const int64_t *size = sizes[q / GEN_FAMILY_COUNT];
        const gen_spec a = {.family = (gen_family)(q % GEN_FAMILY_COUNT),
                            .rows = size[0],
                            .cols = size[1],
                            .density = size[0] > 1000 ? 0.002 : 0.1,
                            .seed = 3,
                            .val_type = SB_F32,
                            .ptr_type = SB_I32,
                            .idx_type = SB_I32,
                            .integer = true};
        gen_dense_spec b = {.rows = size[1],
                            .cols = size[2],
                            .type = SB_F32,
                            .seed = 5,
                            .integer = true};
        sb_problem pb = {.op = size[2] == 1 && q % 2 ? SB_OP_SPMV : SB_OP_SPMM,
                         .compute = SB_F32,
                         .alpha = {2, 0},
                         .batch = 1};

        if (a.family == GEN_FULL && size[0] > 1000)
            continue;
        pb.a = gen_matrix(&a);
        pb.b = gen_dense(&b);
        b.rows = size[0];
        pb.c = gen_dense(&b);
        one(&pb, q);
        problem_free(&pb);
    }
}

/* A program that traps: an analysis that measures does what it does, and the traps
 * stay. */
static void
test_traps(void **state)
{
    const problem_types *t = &problem_type_table[0];
    call c;

    (void)state;
    if (feenableexcept(CAUGHT) == -1)
        skip(); /* a CPU without traps */
    for (uint64_t k = 0; k < 20; k++) {
        sb_problem pb = problem_make(k, SB_OP_SPMM, t, true);
        spblasEffort_t effort = SPBLAS_EFFORT_MEASURE;

        assert_int_equal(call_begin(&c, &pb), SPBLAS_STATUS_SUCCESS);
        assert_int_equal(
            spblasSpMatSetAttribute(c.a, SPBLAS_SPMAT_EFFORT, &effort, sizeof effort),
            SPBLAS_STATUS_SUCCESS);
        assert_int_equal(call_analyse(&c), SPBLAS_STATUS_SUCCESS);
        assert_int_equal(fegetexcept(), CAUGHT);
        call_check(&c, "measured");
        call_end(&c);
        problem_free(&pb);
    }
    assert_int_not_equal(fedisableexcept(CAUGHT), -1);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_flags),
        cmocka_unit_test(test_sizes),
        cmocka_unit_test(test_traps),
    };

    omp_set_num_threads(1); /* flags are a thread's own */
    if (setenv("SPBLAS_JIT", "off", 1) != 0)
        return 1;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
