/*
 * The worker team: every piece exactly once and the same bits at any number of threads,
 * also from inside a parallel region.
 */
#include "cpu/exec.h"

#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#ifdef _OPENMP
#include <omp.h>
#endif

#include <cmocka.h>

enum { TILES = 5000 };

static int count[TILES];
static float sum[TILES];

static void
set_threads(int n)
{
#ifdef _OPENMP
    omp_set_num_threads(n);
#else
    (void)n;
#endif
}

/* Tile t: a sum whose rounding depends on its order. */
static void
kernel(void *const *buf, const sb_param *param, int64_t t0, int64_t t1)
{
    float *out = buf[0];

    for (int64_t t = t0; t < t1; t++) {
        float s = param[0].f[0];

        for (int q = 1; q < 40; q++)
            s += 1.0f / (float)(q * (t + 3));
        out[t] = s;
        __atomic_fetch_add(&count[t], 1, __ATOMIC_RELAXED);
    }
}

static const sb_kernel k = {.spec = "test", .signature = "alpha;C", .fn = kernel};

static void
run(int64_t lo, int64_t hi)
{
    void *buf[1] = {sum};
    const sb_param param[1] = {{.f = {0.1f, 0}}};

    memset(count, 0, sizeof count);
    sb_exec_tiles(&k, buf, param, lo, hi);
    for (int64_t t = 0; t < TILES; t++)
        assert_int_equal(count[t], t >= lo && t < hi);
}

static void
test_every_tile_once_and_same_bits(void **state)
{
    static const int threads[] = {1, 2, 3, 5, 8};
    static float first[TILES];

    (void)state;
    for (size_t q = 0; q < sizeof threads / sizeof threads[0]; q++) {
        set_threads(threads[q]);
        run(0, TILES);
        if (q == 0)
            memcpy(first, sum, sizeof sum);
        assert_memory_equal(sum, first, sizeof sum);
        run(7, 7);
        run(7, 8);
        run(7, 9);
        run(100, 100 + 2 * threads[q] + 1);
        run(3, 1003);
    }
}

static void
add_range(void *user, int64_t lo, int64_t hi)
{
    (void)user;
    for (int64_t t = lo; t < hi; t++)
        __atomic_fetch_add(&count[t], 1, __ATOMIC_RELAXED);
}

static void
test_parallel_grain(void **state)
{
    static const int64_t grain[] = {0, 1, 7, 999, 2500, 5000, 9000};

    (void)state;
    for (int threads = 1; threads <= 4; threads++) {
        set_threads(threads);
        for (size_t q = 0; q < sizeof grain / sizeof grain[0]; q++) {
            memset(count, 0, sizeof count);
            sb_exec_parallel(add_range, NULL, 1, TILES - 1, grain[q]);
            for (int64_t t = 0; t < TILES; t++)
                assert_int_equal(count[t], t > 0 && t < TILES - 1);
        }
        sb_exec_parallel(add_range, NULL, 5, 5, 1);
        assert_int_equal(count[5], 1);
    }
}

/* A caller with a team of its own gets no second one: each member does its call alone. */
static void
test_inside_a_parallel_region(void **state)
{
    int inner = 1;

    (void)state;
    set_threads(3);
    memset(count, 0, sizeof count);
#pragma omp parallel reduction(max : inner)
    {
        inner = sb_exec_threads();
        sb_exec_parallel(add_range, NULL, 0, TILES, 1);
    }
    assert_int_equal(inner, 1);
    assert_true(count[0] >= 1);
    for (int64_t t = 1; t < TILES; t++)
        assert_int_equal(count[t], count[0]);
    assert_true(sb_exec_threads() >= 1);
}

/* Long enough for any team to sleep. */
static void
wait_for_sleep(void)
{
    const struct timespec pause = {.tv_nsec = 300000000};

    (void)nanosleep(&pause, NULL);
}

/* How often in a row the team is left asleep after a pause. */
static int
times_alone(double seconds)
{
    int alone = 0;

    wait_for_sleep();
    while (alone < 1000 && sb_exec_rest(seconds))
        alone++;
    return alone;
}

#ifdef _OPENMP
static bool
rests_after_the_team(void)
{
    sb_exec_parallel(add_range, NULL, 0, TILES, 1);
    return sb_exec_rest(1e-6);
}

static void *
rests(void *answer)
{
    set_threads(2);
    *(int *)answer = sb_exec_rest(1e-6);
    return NULL;
}

/* After a pause short work is the caller's until others would have saved as much as waking them
 * costs; then, and after the team has run, the team's. Another thread has a team, and a
 * pause, of its own. Who loses his core has a pause, too: tried again. */
static void
test_rest(void **state)
{
    int tries = 20, alone = 0;
    pthread_t other;

    (void)state;
    set_threads(2);
    wait_for_sleep();
    assert_false(sb_exec_rest(1)); /* long work */
    while (tries-- > 0 && (alone < 20 || alone > 80))
        alone = times_alone(3e-6);
    assert_in_range(alone, 20, 80);
    assert_true(times_alone(2e-5) < alone);
    set_threads(1);
    assert_int_equal(times_alone(3e-6), 0); /* there is none */
    set_threads(2);
    for (tries = 20; tries > 0 && rests_after_the_team();)
        tries--;
    assert_true(tries > 0);
    assert_int_equal(pthread_create(&other, NULL, rests, &alone), 0);
    assert_int_equal(pthread_join(other, NULL), 0);
    assert_int_equal(alone, true);
}

/* What a process of its own answers, where this variable says how long threads turn. */
static bool
rests_with(const char *name, const char *value)
{
    int status = -1;
    const pid_t child = fork();

    assert_true(child >= 0);
    if (child == 0) {
        set_threads(2);
        _exit(setenv(name, value, 1) != 0 ? 2 : sb_exec_rest(1e-6) ? 1 : 0);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) < 2);
    return WEXITSTATUS(status) == 1;
}

/* Nothing rests where it is said how long threads turn. Asked once a process. */
static void
test_told(void **state)
{
    (void)state;
    assert_true(rests_with("SPBLAS_NOTHING", "1"));
    assert_false(rests_with("OMP_WAIT_POLICY", "passive"));
    assert_false(rests_with("OMP_WAIT_POLICY", "active"));
    assert_false(rests_with("GOMP_SPINCOUNT", "infinite"));
    assert_false(rests_with("KMP_BLOCKTIME", "infinite"));
}
#endif

#ifdef _OPENMP
static int
threads_of_child(void)
{
    int status = -1;
    const pid_t child = fork();

    assert_true(child >= 0);
    if (child == 0)
        _exit(sb_exec_threads());
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    return WEXITSTATUS(status);
}

/* GCC's runtime cannot give a team to the child of a process that has one; LLVM's begins
 * with what the environment says. */
static void
test_children(void **state)
{
#ifdef __clang__
    const int before = atoi(getenv("OMP_NUM_THREADS")), after = before;
#else
    const int before = 3, after = 1;
#endif
    struct stat tasks;

    (void)state;
    set_threads(3);
    assert_int_equal(stat("/proc/self/task", &tasks), 0);
    if (tasks.st_nlink == 3) /* no sanitizer's thread either */
        assert_int_equal(threads_of_child(), before);
    sb_exec_parallel(add_range, NULL, 0, TILES, 1);
    assert_int_equal(threads_of_child(), after);
    assert_int_equal(sb_exec_threads(), 3);
}
#endif

/* Without a team nobody is asked. */
static void
test_rest_alone(void **state)
{
    (void)state;
    set_threads(1);
    assert_int_equal(times_alone(1e-6), 0);
}

/* From the core that is asked for, to another one if there are as many as threads, and free to come back. */
static void
test_leave(void **state)
{
    cpu_set_t before, after, one;
    int moved = 0;

    (void)state;
    assert_int_equal(sched_getaffinity(0, sizeof before, &before), 0);
    for (int round = 0; round < 100; round++) {
        const int core = sched_getcpu();

        sb_exec_leave(core, 2);
        moved += sched_getcpu() != core;
        assert_int_equal(sched_getaffinity(0, sizeof after, &after), 0);
        assert_true(CPU_EQUAL(&before, &after));
    }
    assert_true(moved > 50 || CPU_COUNT(&before) < 2);
    sb_exec_leave(-1, 2);
    CPU_ZERO(&one); /* nowhere to go */
    CPU_SET(sched_getcpu(), &one);
    if (sched_setaffinity(0, sizeof one, &one) != 0)
        skip();
    for (int team = 1; team < 3; team++) {
        sb_exec_leave(sched_getcpu(), team);
        assert_int_equal(sched_getaffinity(0, sizeof after, &after), 0);
        assert_true(CPU_EQUAL(&one, &after));
    }
    assert_int_equal(sched_setaffinity(0, sizeof before, &before), 0);
}

int
main(int argc, char **argv)
{
    /* tests run with threads that do not turn, to leave each other the cores */
    const int failed = unsetenv("OMP_WAIT_POLICY");
    const struct CMUnitTest tests[] = {
#ifdef _OPENMP
        cmocka_unit_test(test_told), /* before anything asks, and has a team */
        cmocka_unit_test(test_children),
        cmocka_unit_test(test_rest),
#endif
        cmocka_unit_test(test_rest_alone),
        cmocka_unit_test(test_every_tile_once_and_same_bits),
        cmocka_unit_test(test_leave),
        cmocka_unit_test(test_parallel_grain),
        cmocka_unit_test(test_inside_a_parallel_region),
    };

    (void)argc;
    if (!getenv("OMP_NUM_THREADS") && setenv("OMP_NUM_THREADS", "2", 1) == 0)
        (void)execv("/proc/self/exe", argv); /* no quota that this runs under counts */
    return failed ? 1 : cmocka_run_group_tests(tests, NULL, NULL);
}
