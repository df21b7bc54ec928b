/* Machine limits at a grid of sizes. */
#include "limits.h"

#include "probe.h"

#include <math.h>

void
limits_measure(bench_limits *out, int threads, double seconds)
{
    static const int64_t row_bytes[LIMIT_ROWS] = {4, 32, 64, 128, 256, 512, 1024, 2048};
    int k, r;

    out->threads = threads;
    out->fma_f32 = probe_fma(4, threads, 4 * seconds);
    out->fma_f64 = probe_fma(8, threads, 4 * seconds);
    for (r = 0; r < LIMIT_ROWS; r++)
        out->row_bytes[r] = row_bytes[r];
    for (k = 0; k < LIMIT_SIZES; k++) {
        out->bytes[k] = (int64_t)256 << (10 + 2 * k);
        out->read[k] = probe_read(out->bytes[k], threads, 2 * seconds);
        out->triad[k] = probe_triad(out->bytes[k], threads, 2 * seconds);
        for (r = 0; r < LIMIT_ROWS; r++)
            out->gather[k][r] =
                probe_gather(out->bytes[k], row_bytes[r], threads, seconds);
    }
}

/* The grid point whose logarithm is next to x. */
static int
next_to(const int64_t *grid, int count, int64_t x)
{
    int k, best = 0;

    for (k = 1; k < count; k++)
        if (fabs(log((double)grid[k] / (double)(x > 0 ? x : 1))) <
            fabs(log((double)grid[best] / (double)(x > 0 ? x : 1))))
            best = k;
    return best;
}

double
limits_read(const bench_limits *m, int64_t bytes)
{
    return m->read[next_to(m->bytes, LIMIT_SIZES, bytes)];
}

double
limits_gather(const bench_limits *m, int64_t bytes, int64_t row_bytes)
{
    return m->gather[next_to(m->bytes, LIMIT_SIZES, bytes)]
                    [next_to(m->row_bytes, LIMIT_ROWS, row_bytes)];
}

void
limits_print(const bench_limits *m, FILE *to)
{
    int k, r;

    fprintf(to, "{\"fma_f32\": %.4g, \"fma_f64\": %.4g, \"sizes\": [", m->fma_f32,
            m->fma_f64);
    for (k = 0; k < LIMIT_SIZES; k++) {
        fprintf(
            to,
            "%s\n    {\"bytes\": %lld, \"read\": %.4g, \"triad\": %.4g, \"gather\": {",
            k ? "," : "", (long long)m->bytes[k], m->read[k], m->triad[k]);
        for (r = 0; r < LIMIT_ROWS; r++)
            fprintf(to, "%s\"%lld\": %.4g", r ? ", " : "", (long long)m->row_bytes[r],
                    m->gather[k][r]);
        fputs("}}", to);
    }
    fputs("]}", to);
}
