/*
 * Analyses that estimate, measure and search, of every operation, format, type and
 * layout, with every attribute that steers them: products after them have the oracle's
 * bits, again where the wisdom that they left is found. No kernel is compiled, which
 * would take minutes: `api_efforts --compile [CASES]` does.
 */
#include "call.h"
#include "problems.h"

#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static uint64_t cases = 12;

static void
must(spblasStatus_t st, const char *what, uint64_t k)
{
    if (st != SPBLAS_STATUS_SUCCESS)
        fail_msg("%s, case %llu: %s: %s", what, (unsigned long long)k,
                 spblasGetErrorName(st), spblasGetLastErrorMessage(NULL));
}

static void
set(const call *c, spblasSpMatAttribute_t a, const void *value, size_t size, uint64_t k)
{
    must(spblasSpMatSetAttribute(c->a, a, value, size), "attribute", k);
}

static int
enough(const spblasSearchProgress_t *p, void *most)
{
    return p->tried >= *(const int *)most;
}

static void
steer(const call *c, gen_rng *r, int *most, uint64_t k)
{
    const spblasEffort_t effort = (spblasEffort_t)gen_below(r, 3);
    const int frozen = (int)gen_below(r, 2), validate = (int)gen_below(r, 2);
    const spblasDeterminism_t relaxed = (spblasDeterminism_t)gen_below(r, 2);
    const int64_t memory = gen_below(r, 3) ? 0 : gen_below(r, 20000);
    const double seconds = gen_below(r, 2) ? 0.01 : 0.1;
    const spblasSearchHook_t hook = {enough, most};

    *most = (int)gen_below(r, 12);
    set(c, SPBLAS_SPMAT_EFFORT, &effort, sizeof effort, k);
    set(c, SPBLAS_SPMAT_VALUES_FROZEN, &frozen, sizeof frozen, k);
    set(c, SPBLAS_SPMAT_VALIDATE, &validate, sizeof validate, k);
    set(c, SPBLAS_SPMAT_DETERMINISM, &relaxed, sizeof relaxed, k);
    set(c, SPBLAS_SPMAT_MEMORY_LIMIT, &memory, sizeof memory, k);
    set(c, SPBLAS_SPMAT_TIME_LIMIT, &seconds, sizeof seconds, k);
    if (gen_below(r, 2))
        set(c, SPBLAS_SPMAT_SEARCH_HOOK, &hook, sizeof hook, k);
}

static void
one(sb_op op, const problem_types *t, uint64_t k)
{
    sb_problem pb = problem_make(k, op, t, true);
    gen_rng r = {k};
    int most;
    call c;

    assert_int_equal(call_begin(&c, &pb), SPBLAS_STATUS_SUCCESS);
    steer(&c, &r, &most, k);
    must(call_analyse(&c), "analysis", k);
    call_check(&c, "after a search");
    must(call_analyse(&c), "again", k);
    call_check(&c, "by wisdom");
    call_end(&c);
    problem_free(&pb);
}

static void
sweep(sb_op op)
{
    for (int t = 0; t < problem_type_count; t++)
        for (uint64_t k = 0; k < cases && problem_type_table[t].ops & 1u << op; k++)
            one(op, &problem_type_table[t], k * 7 + (uint64_t)t);
    assert_int_equal(spblasForgetWisdom(), SPBLAS_STATUS_SUCCESS);
}

static void
test_spmm(void **state)
{
    (void)state;
    sweep(SB_OP_SPMM);
}

static void
test_spmv(void **state)
{
    (void)state;
    sweep(SB_OP_SPMV);
}

static void
test_sddmm(void **state)
{
    (void)state;
    sweep(SB_OP_SDDMM);
}

/* On as much stack as include/spblas.h asks for, where frames are a release's. */
static void *
run_all(void *failed)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_spmm),
        cmocka_unit_test(test_spmv),
        cmocka_unit_test(test_sddmm),
    };

    *(int *)failed = cmocka_run_group_tests(tests, NULL, NULL);
    return NULL;
}

int
main(int argc, char **argv)
{
    const bool compile = argc > 1 && strcmp(argv[1], "--compile") == 0;
    pthread_attr_t attr;
    pthread_t thread;
    int failed = 1;

    if (!compile && setenv("SPBLAS_JIT", "off", 1) != 0)
        return 1;
    if (argc > 2)
        cases = (uint64_t)atoll(argv[2]);
    if (pthread_attr_init(&attr) != 0)
        return 1;
#if defined(NDEBUG) && !defined(__clang__)
    if (pthread_attr_setstacksize(&attr, 256 << 10) != 0)
        return 1;
#endif
    if (pthread_create(&thread, &attr, run_all, &failed) != 0 ||
        pthread_join(thread, NULL) != 0)
        return 1;
    return failed;
}
