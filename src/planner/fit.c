/*
 * Least squares without negative coefficients, one coordinate after the other: the
 * normal equations are few and their columns are of one size, so this is short and ends
 * quickly. An error counts relative to the larger of prediction and measurement, which
 * takes rounds: a prediction too high by a factor would else outweigh one too low by the
 * same.
 */
#include "planner/fit.h"

#include "base/alloc.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

enum { ROUNDS = 6, SWEEPS = 500 };

typedef struct equations {
    int n, used;
    double *gram, *right; /* n x n, n */
    int *use;             /* the unknowns that samples speak of */
} equations;

static double
dot(const double *x, const double *y, int n)
{
    double sum = 0;

    for (int q = 0; q < n; q++)
        sum += x[q] * y[q];
    return sum;
}

static bool
counts(const double *row, double seconds, int n)
{
    return seconds > 0 && isfinite(seconds) && isfinite(dot(row, row, n));
}

static void
add_sample(equations *s, const double *row, double seconds, double weight)
{
    const double w2 = weight * weight;

    for (int j = 0; j < s->n; j++) {
        if (row[j] == 0)
            continue;
        s->right[j] += w2 * row[j] * seconds;
        for (int k = 0; k < s->n; k++)
            s->gram[j * s->n + k] += w2 * row[j] * row[k];
    }
}

/* One pass over the coordinates; the largest change, relative to what it makes up. */
static double
sweep(const equations *s, double *x)
{
    double most = 0;

    for (int q = 0; q < s->used; q++) {
        const int j = s->use[q];
        const double *row = s->gram + j * s->n;
        double rest = s->right[j], next;

        for (int k = 0; k < s->used; k++)
            rest -= row[s->use[k]] * x[s->use[k]];
        next = x[j] + rest / row[j];
        next = next > 0 ? next : 0;
        most = fmax(most, fabs(next - x[j]) * sqrt(row[j]));
        x[j] = next;
    }
    return most;
}

static void
list_used(equations *s)
{
    s->used = 0;
    for (int j = 0; j < s->n; j++)
        if (s->gram[j * s->n + j] > 0)
            s->use[s->used++] = j;
}

static void
solve(equations *s, double *x, const double *terms, const double *seconds,
      int64_t samples)
{
    for (int round = 0; round < ROUNDS; round++) {
        memset(s->gram, 0, sizeof *s->gram * (size_t)(s->n * s->n));
        memset(s->right, 0, sizeof *s->right * (size_t)s->n);
        for (int64_t q = 0; q < samples; q++) {
            const double *row = terms + q * s->n;

            if (counts(row, seconds[q], s->n))
                add_sample(
                    s, row, seconds[q],
                    1 / (round ? fmax(seconds[q], dot(row, x, s->n)) : seconds[q]));
        }
        list_used(s);
        for (int k = 0; k < SWEEPS && sweep(s, x) > 1e-10; k++)
            ;
    }
}

sb_status
sb_fit_solve(double *x, int unknowns, const double *terms, const double *seconds,
             int64_t samples)
{
    const size_t n = (size_t)unknowns;
    equations s = {.n = unknowns};
    double *room = sb_alloc_array(unknowns, (n + 1) * sizeof *room);
    sb_status st;

    if (!room)
        return SB_ENOMEM;
    s.gram = room;
    s.right = room + n * n;
    s.use = sb_alloc_array(unknowns, sizeof *s.use);
    if (s.use)
        solve(&s, x, terms, seconds, samples);
    st = s.use ? SB_OK : SB_ENOMEM;
    sb_free(room);
    sb_free(s.use);
    return st;
}

double
sb_fit_correlation(const double *x, const double *y, int64_t n)
{
    double mx = 0, my = 0, xx = 0, yy = 0, xy = 0;

    for (int64_t q = 0; q < n; q++) {
        mx += x[q] / (double)n;
        my += y[q] / (double)n;
    }
    for (int64_t q = 0; q < n; q++) {
        xx += (x[q] - mx) * (x[q] - mx);
        yy += (y[q] - my) * (y[q] - my);
        xy += (x[q] - mx) * (y[q] - my);
    }
    return xx > 0 && yy > 0 ? xy / sqrt(xx * yy) : 0;
}
