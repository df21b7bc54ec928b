/*
 * The worker team: every piece exactly once and the same bits at any number of threads,
 * also from inside a parallel region.
 */
#include "cpu/exec.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
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

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_tile_once_and_same_bits),
        cmocka_unit_test(test_parallel_grain),
        cmocka_unit_test(test_inside_a_parallel_region),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
