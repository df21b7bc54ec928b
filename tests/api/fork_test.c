/*
 * Forked children compute: with a plan and a handle of the parent's, with an analysis
 * of their own, and their children too, whether the parent had a team, other threads or
 * neither; and while threads of the parent analyse, log and measure, whose locks a
 * child would find held.
 */
#include "base/log.h"
#include "base/worker.h"
#include "call.h"
#include "oracle.h"
#include "planner/wisdom.h"
#include "problems.h"
#include "runtime/cache.h"
#include "team.h"

#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

enum { LIMIT = 60 /* seconds until a child that waits for nobody ends */, FORKS = 60 };

/* 4000 rows are large enough for a team. */
static sb_problem
problem(sb_op op, int64_t cols, int64_t rows)
{
    const gen_spec a = {.family = GEN_UNIFORM,
                        .rows = rows,
                        .cols = rows,
                        .density = 12.0 / (double)rows,
                        .seed = 3,
                        .val_type = SB_F32,
                        .ptr_type = SB_I32,
                        .idx_type = SB_I32,
                        .integer = true};
    const gen_dense_spec b = {
        .rows = rows, .cols = cols, .type = SB_F32, .seed = 5, .integer = true};

    return (sb_problem){.op = op,
                        .a = gen_matrix(&a),
                        .b = gen_dense(&b),
                        .c = gen_dense(&b),
                        .compute = SB_F32,
                        .alpha = {2, 0},
                        .batch = 1};
}

/* Without assertions: whether the problem, analysed if asked to, gives the oracle's
 * bits. */
static bool
right(call *c, bool analyse, spblasEffort_t effort)
{
    oracle o = oracle_make(c->pb);
    char message[300];
    bool fine = true;

    if (analyse)
        fine = spblasSpMatSetAttribute(c->a, SPBLAS_SPMAT_EFFORT, &effort,
                                       sizeof effort) == SPBLAS_STATUS_SUCCESS &&
               call_analyse(c) == SPBLAS_STATUS_SUCCESS;
    fine = fine && call_run(c) == SPBLAS_STATUS_SUCCESS &&
           oracle_check(&o, c->pb, true, message, sizeof message);
    oracle_free(&o);
    return fine;
}

/* The same with a handle and descriptors of its own. */
static bool
right_anew(sb_op op, int64_t cols, bool analyse, spblasEffort_t effort)
{
    sb_problem pb = problem(op, cols, 4000);
    bool fine = false;
    call c;

    if (call_begin(&c, &pb) == SPBLAS_STATUS_SUCCESS)
        fine = right(&c, analyse, effort);
    call_end(&c);
    problem_free(&pb);
    return fine;
}

static void
must_end_well(pid_t child)
{
    int status = -1;

    assert_true(child > 0);
    assert_int_equal(waitpid(child, &status, 0), child);
    if (!WIFEXITED(status) || WEXITSTATUS(status) != 0)
        fail_msg("a child ended with %x", (unsigned)status);
}

static bool
all_right(call *c)
{
    return right(c, false, SPBLAS_EFFORT_ESTIMATE) &&
           right(c, true, SPBLAS_EFFORT_MEASURE) &&
           right_anew(SB_OP_SPMM, 40, false, SPBLAS_EFFORT_ESTIMATE) &&
           right_anew(SB_OP_SPMM, 40, true, SPBLAS_EFFORT_ESTIMATE) &&
           right_anew(SB_OP_SPMV, 1, true, SPBLAS_EFFORT_ESTIMATE);
}

/* In a child, and in a child of it. */
static void
check_children(call *c)
{
    pid_t child = fork();

    if (child == 0) {
        int status = 0;

        (void)alarm(LIMIT);
        if (!all_right(c))
            _exit(1);
        child = fork();
        if (child == 0) {
            (void)alarm(LIMIT);
            _exit(all_right(c) ? 0 : 2);
        }
        _exit(waitpid(child, &status, 0) == child
                  ? WEXITSTATUS(status) || WIFSIGNALED(status)
                  : 3);
    }
    must_end_well(child);
}

static void
test_children(void **state)
{
    sb_problem pb = problem(SB_OP_SPMM, 32, 4000);
    call c;

    (void)state;
    assert_int_equal(call_begin(&c, &pb), SPBLAS_STATUS_SUCCESS);
    check_children(&c); /* before there is a team */
    omp_set_num_threads(3);
    assert_true(right(&c, true, SPBLAS_EFFORT_ESTIMATE));
    check_children(&c);
    assert_true(right(&c, true, SPBLAS_EFFORT_ESTIMATE)); /* the parent keeps its own */
    check_children(&c);
    call_end(&c);
    problem_free(&pb);
}

/* The locks of the address sanitizer's allocator stay held in a child. */
#if defined(__SANITIZE_ADDRESS__)
#define BUSY 0
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define BUSY 0
#endif
#endif
#ifndef BUSY
#define BUSY 1
#endif

static int over, mistakes; /* atomic */

/* A matrix with a plan that a thread of the parent's goes on using, and the child
 * too. */
static void *
use(void *user)
{
    call *c = user;

    while (!__atomic_load_n(&over, __ATOMIC_RELAXED))
        (void)call_run(c);
    return NULL;
}

static void
test_shared(void **state)
{
    sb_problem pb, own;
    pthread_t thread;
    call c, mine;

    (void)state;
    if (!BUSY)
        skip();
    omp_set_num_threads(1);
    pb = own = problem(SB_OP_SPMM, 1, 40);
    own.c = gen_copy_dense(&pb.c);
    assert_int_equal(call_begin(&c, &pb), SPBLAS_STATUS_SUCCESS);
    assert_int_equal(call_begin(&mine, &own), SPBLAS_STATUS_SUCCESS);
    assert_int_equal(spblasDestroySpMat(mine.a), SPBLAS_STATUS_SUCCESS);
    mine.a = c.a;
    assert_int_equal(call_analyse(&c), SPBLAS_STATUS_SUCCESS);
    assert_int_equal(pthread_create(&thread, NULL, use, &c), 0);
    for (int q = 0; q < FORKS; q++) {
        const pid_t child = fork();

        if (child == 0) {
            (void)alarm(LIMIT);
            _exit(right(&mine, false, SPBLAS_EFFORT_ESTIMATE) ? 0 : 1);
        }
        must_end_well(child);
    }
    __atomic_store_n(&over, 1, __ATOMIC_RELAXED);
    assert_int_equal(pthread_join(thread, NULL), 0);
    __atomic_store_n(&over, 0, __ATOMIC_RELAXED);
    mine.a = NULL;
    call_end(&mine);
    gen_free_dense(&own.c);
    call_end(&c);
    problem_free(&pb);
}

/* ---- among threads ----------------------------------------------------------------------- */

static void
ignore(sb_log_level level, const char *text, void *user)
{
    (void)level, (void)text, (void)user;
}

/* Takes every lock of the process. */
static void *
lock_all(void *user)
{
    do {
        sb_log_set(SB_LOG_DEBUG, ignore, NULL);
        (void)sb_kernel_get_stats();
        (void)sb_wisdom_wanted(SB_EFFORT_ESTIMATE);
        sb_worker_wait(user);
    } while (!__atomic_load_n(&over, __ATOMIC_RELAXED));
    return NULL;
}

static void *
work(void *user)
{
    const sb_op op = *(const sb_op *)user;

    while (!__atomic_load_n(&over, __ATOMIC_RELAXED))
        if (!right_anew(op, op == SB_OP_SPMV ? 1 : 8, true, SPBLAS_EFFORT_MEASURE))
            __atomic_add_fetch(&mistakes, 1, __ATOMIC_RELAXED);
    return NULL;
}

static void
test_busy(void **state)
{
    sb_op ops[2] = {SB_OP_SPMM, SB_OP_SPMV};
    pthread_t threads[3];

    (void)state;
    if (!BUSY)
        skip();
    for (int q = 0; q < 2; q++)
        assert_int_equal(pthread_create(&threads[q], NULL, work, &ops[q]), 0);
    assert_int_equal(pthread_create(&threads[2], NULL, lock_all, &over), 0);
    for (int q = 0; q < FORKS; q++) {
        const pid_t child = fork();

        if (child == 0) {
            (void)alarm(LIMIT);
            __atomic_store_n(&over, 1, __ATOMIC_RELAXED);
            (void)lock_all(&over);
            _exit(right_anew(SB_OP_SPMM, 8, true, SPBLAS_EFFORT_MEASURE) ? 0 : 1);
        }
        must_end_well(child);
    }
    __atomic_store_n(&over, 1, __ATOMIC_RELAXED);
    for (int q = 0; q < 3; q++)
        assert_int_equal(pthread_join(threads[q], NULL), 0);
    assert_int_equal(mistakes, 0);
    sb_log_set(SB_LOG_OFF, NULL, NULL);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_children),
        cmocka_unit_test(test_shared),
        cmocka_unit_test(test_busy),
    };

    if (setenv("SPBLAS_JIT", "off", 1) != 0) /* compilers take longer than LIMIT */
        return 1;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
