/*
 * The fitter on times that are made up: coefficients come back exactly, and where the
 * samples say nothing the guess stays.
 */
#include "planner/fit.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

enum { N = 4, SAMPLES = 60 };

static double terms[SAMPLES * N], seconds[SAMPLES];

/* Terms of three orders of magnitude, seconds by the coefficients. */
static void
make(const double *x)
{
    unsigned seed = 1;

    for (int q = 0; q < SAMPLES; q++) {
        seconds[q] = 0;
        for (int j = 0; j < N; j++) {
            seed = seed * 1664525u + 1013904223u;
            terms[q * N + j] = 1e-6 * pow(10, (double)(seed >> 8) / 5592405.0);
            seconds[q] += terms[q * N + j] * x[j];
        }
    }
}

static void
near(double x, double y)
{
    assert_true(fabs(x - y) <= 1e-6 * (fabs(y) + 1e-3));
}

static void
test_recovers(void **state)
{
    const double truth[][N] = {{1, 1, 1, 1}, {0.3, 2.5, 0, 7}, {0, 0, 1.25, 0}};

    (void)state;
    for (int c = 0; c < 3; c++) {
        double x[N] = {1, 1, 1, 1};

        make(truth[c]);
        assert_int_equal(sb_fit_solve(x, N, terms, seconds, SAMPLES), SB_OK);
        for (int j = 0; j < N; j++)
            near(x[j], truth[c][j]);
    }
}

/* What would fit best below zero is zero, and the others make up for it. */
static void
test_never_negative(void **state)
{
    const double truth[N] = {2, -0.001, 1, 1};
    double x[N] = {1, 1, 1, 1};

    (void)state;
    make(truth);
    assert_int_equal(sb_fit_solve(x, N, terms, seconds, SAMPLES), SB_OK);
    assert_true(x[1] == 0);
    assert_true(fabs(x[0] - 2) < 0.05);
}

static void
test_silent(void **state)
{
    const double truth[N] = {2, 3, 4, 5};
    double x[N] = {0.5, 0.25, 8, 1};

    (void)state;
    assert_int_equal(sb_fit_solve(x, N, terms, seconds, 0), SB_OK);
    assert_true(x[0] == 0.5 && x[1] == 0.25 && x[2] == 8 && x[3] == 1);
    make(truth);
    for (int q = 0; q < SAMPLES; q++) { /* nothing about x[1] */
        seconds[q] -= 3 * terms[q * N + 1];
        terms[q * N + 1] = 0;
    }
    assert_int_equal(sb_fit_solve(x, N, terms, seconds, SAMPLES), SB_OK);
    assert_true(x[1] == 0.25);
    near(x[0], 2);
    near(x[3], 5);
}

/* Two terms that always come in the same proportion: only their sum is known. */
static void
test_collinear(void **state)
{
    const double truth[N] = {2, 3, 4, 5};
    double x[N] = {1, 1, 1, 1};

    (void)state;
    make(truth);
    for (int q = 0; q < SAMPLES; q++) {
        seconds[q] += 3 * (terms[q * N] - terms[q * N + 1]);
        terms[q * N + 1] = terms[q * N];
    }
    assert_int_equal(sb_fit_solve(x, N, terms, seconds, SAMPLES), SB_OK);
    near(x[0] + x[1], 5);
    near(x[2], 4);
}

static void
test_unusable(void **state)
{
    const double truth[N] = {1, 2, 3, 4};
    double x[N] = {1, 1, 1, 1};

    (void)state;
    make(truth);
    seconds[0] = NAN;
    seconds[1] = 0;
    seconds[2] = -1;
    seconds[3] = INFINITY;
    terms[4 * N] = NAN;
    terms[5 * N + 2] = INFINITY;
    assert_int_equal(sb_fit_solve(x, N, terms, seconds, SAMPLES), SB_OK);
    for (int j = 0; j < N; j++)
        near(x[j], truth[j]);
}

static void
test_correlation(void **state)
{
    const double x[] = {1, 2, 3, 4}, y[] = {10, 20, 30, 40}, z[] = {4, 3, 2, 1},
                 flat[] = {5, 5, 5, 5}, w[] = {1, -1, -1, 1};

    (void)state;
    near(sb_fit_correlation(x, y, 4), 1);
    near(sb_fit_correlation(x, z, 4), -1);
    assert_true(fabs(sb_fit_correlation(x, w, 4)) < 1e-12);
    assert_true(sb_fit_correlation(x, flat, 4) == 0);
    assert_true(sb_fit_correlation(x, y, 0) == 0);
    assert_true(sb_fit_correlation(x, y, 1) == 0);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_recovers), cmocka_unit_test(test_never_negative),
        cmocka_unit_test(test_silent),   cmocka_unit_test(test_collinear),
        cmocka_unit_test(test_unusable), cmocka_unit_test(test_correlation),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
