/*
 * base/sync and base/clock: a counter under the mutex, a hand-over through the
 * condition, an initialiser that runs once. Under tsan this proves the wrappers lock.
 * ctest-labels: quick tsan
 */
#include "base/sync.h"

#include "base/alloc.h"
#include "base/clock.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

enum { THREADS = 4, ROUNDS = 2000 };

static sb_mutex lock = SB_MUTEX_INIT;
static sb_cond changed = SB_COND_INIT;
static sb_once once = SB_ONCE_INIT;
static int counter, initialised, turn;

static void
initialise(void)
{
    initialised++;
}

static void *
count(void *arg)
{
    sb_once_run(&once, initialise);
    for (int i = 0; i < ROUNDS; i++) {
        void *p;

        sb_mutex_lock(&lock);
        counter++;
        sb_mutex_unlock(&lock);
        p = sb_alloc(1);
        sb_free(p);
    }
    return arg;
}

static void *
take_turns(void *arg)
{
    const int *mine = arg;

    sb_mutex_lock(&lock);
    while (turn != *mine)
        sb_cond_wait(&changed, &lock);
    turn++;
    sb_cond_broadcast(&changed);
    sb_mutex_unlock(&lock);
    return NULL;
}

static void
the_mutex_excludes(void **state)
{
    const int64_t before = sb_alloc_live();
    pthread_t thread[THREADS];

    (void)state;
    for (int i = 0; i < THREADS; i++)
        assert_int_equal(pthread_create(&thread[i], NULL, count, NULL), 0);
    for (int i = 0; i < THREADS; i++)
        assert_int_equal(pthread_join(thread[i], NULL), 0);
    assert_int_equal(counter, THREADS * ROUNDS);
    assert_int_equal(initialised, 1);
    assert_int_equal(sb_alloc_live(), before);
}

static void
the_condition_hands_over(void **state)
{
    static const int order[THREADS] = {3, 2, 1, 0};
    pthread_t thread[THREADS];

    (void)state;
    for (int i = 0; i < THREADS; i++)
        assert_int_equal(
            pthread_create(&thread[i], NULL, take_turns, (void *)&order[i]), 0);
    for (int i = 0; i < THREADS; i++)
        assert_int_equal(pthread_join(thread[i], NULL), 0);
    assert_int_equal(turn, THREADS);
}

static void
the_clock_goes_forward(void **state)
{
    const double start = sb_clock();
    double now = start;

    (void)state;
    assert_true(start > 0.0);
    for (int i = 0; i < 10000000 && now == start; i++)
        now = sb_clock();
    assert_true(now > start);
    assert_true(now - start < 60.0);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_mutex_excludes),
        cmocka_unit_test(the_condition_hands_over),
        cmocka_unit_test(the_clock_goes_forward),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
