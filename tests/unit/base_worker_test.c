/*
 * The thread in the background: order, owners, the end of an owner, of a process, and of
 * a process that was forked.
 * ctest-labels: quick tsan
 */
#include "base/worker.h"

#include "base/macro.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

/* The thread sanitizer asks: children here start threads of their own, and cannot join
 * what their parent had. */
const char *__tsan_default_options(void);
const char *
__tsan_default_options(void)
{
    return "die_after_fork=0:report_thread_leaks=0";
}

/* Each job is a number; what was run and dropped, in order. */
typedef struct work {
    sb_job job;
    int number, pause; /* milliseconds */
} work;

static int ran[64], dropped[64], nran,
    ndropped; /* those of a finished owner are read */
static char owner[2];

static void
run(sb_job *job)
{
    const work *w = (work *)job;
    const struct timespec pause = {0, w->pause * 1000000L};

    (void)nanosleep(&pause, NULL);
    ran[__atomic_fetch_add(&nran, 1, __ATOMIC_RELAXED)] = w->number;
}

static void
drop(sb_job *job)
{
    dropped[__atomic_fetch_add(&ndropped, 1, __ATOMIC_RELAXED)] = ((work *)job)->number;
}

static void
put(work *w, int number, int pause, int of)
{
    *w = (work){{.owner = &owner[of], .run = run, .drop = drop}, number, pause};
    assert_true(sb_worker_put(&w->job));
}

static void
test_order(void **state)
{
    work w[40];

    (void)state;
    nran = ndropped = 0;
    for (int q = 0; q < SB_COUNT(w); q++)
        put(&w[q], q, 0, 0);
    sb_worker_wait(&owner[0]);
    assert_int_equal(nran, SB_COUNT(w));
    for (int q = 0; q < nran; q++)
        assert_int_equal(ran[q], q);
    for (int q = 0; q < 10; q++) { /* the thread ended, or is about to */
        put(&w[q], 100, 0, 0);
        sb_worker_wait(&owner[0]);
    }
    assert_int_equal(nran, SB_COUNT(w) + 10);
}

/* The end of one owner leaves the other's jobs alone and waits for its own. */
static void
test_end(void **state)
{
    work w[5];

    (void)state;
    nran = ndropped = 0;
    put(&w[0], 0, 20, 0);
    put(&w[1], 1, 0, 1);
    put(&w[2], 2, 0, 0);
    put(&w[3], 3, 0, 0);
    sb_worker_end(&owner[0]);
    sb_worker_end(&owner[0]);
    sb_worker_wait(&owner[1]);
    assert_int_equal(nran + ndropped, 4);
    for (int q = 0; q < ndropped; q++)
        assert_int_not_equal(dropped[q], 1);
    put(&w[4], 4, 0, 0);
    sb_worker_wait(&owner[0]);
    assert_int_equal(ran[nran - 1], 4);
}

static int
status_of(pid_t child)
{
    int status;

    assert_true(child > 0);
    assert_int_equal(waitpid(child, &status, 0), child);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 100;
}

/* A process ends while a job runs and others wait. */
static void
test_exit(void **state)
{
    static work w[3];
    const pid_t child = fork();

    (void)state;
    if (child == 0) {
        for (int q = 0; q < SB_COUNT(w); q++)
            put(&w[q], q, 30, 0);
        exit(7);
    }
    assert_int_equal(status_of(child), 7);
}

/* A child begins without its parent's jobs and has a thread of its own. */
static void
test_fork(void **state)
{
    static work w[3];
    pid_t child;

    (void)state;
    nran = ndropped = 0;
    put(&w[0], 0, 30, 0);
    put(&w[1], 1, 0, 0);
    child = fork();
    if (child == 0) {
        const int before = nran;

        sb_worker_wait(&owner[0]);
        put(&w[2], 2, 0, 0);
        sb_worker_wait(&owner[0]);
        exit(nran == before + 1 && ran[before] == 2 && ndropped == 0 ? 8 : 9);
    }
    sb_worker_wait(&owner[0]);
    assert_int_equal(nran, 2);
    assert_int_equal(ndropped, 0);
    assert_int_equal(status_of(child), 8);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_order),
        cmocka_unit_test(test_end),
        cmocka_unit_test(test_exit),
        cmocka_unit_test(test_fork),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
