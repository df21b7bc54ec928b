/*
 * Matrices with a rule: bands, stencils, pruned weights, attention masks.
 *
 * Source   Longformer (Beltagy 2020), BigBird (Zaheer 2020), strided attention (Child
 *          2019), LogSparse (Li 2019), butterfly blocks (Dao 2022), movement pruning
 *          (Sanh 2020)
 */
#include "gen.h"

#include <math.h>
#include <stdlib.h>

const char *
gen_banded(gen_options *opt, tool_rng *r, mm_builder *to)
{
    int64_t i, j;

    for (i = 0; i < opt->rows; i++)
        for (j = i - opt->window; j <= i + opt->window; j++)
            if (j >= 0 && j < opt->cols && (i == j || rng_unit(r) < opt->density))
                mm_builder_add(to, i, j, 1, 0);
    return NULL;
}

const char *
gen_block_pruned(gen_options *opt, tool_rng *r, mm_builder *to)
{
    const int64_t b = opt->block;
    int64_t i, j, u, v;

    if (b < 1 || opt->rows % b || opt->cols % b)
        return "--block divides --rows and --cols";
    for (i = 0; i < opt->rows; i += b)
        for (j = 0; j < opt->cols; j += b) {
            if (rng_unit(r) >= opt->density)
                continue;
            for (u = 0; u < b; u++)
                for (v = 0; v < b; v++)
                    mm_builder_add(to, i + u, j + v, 1, 0);
        }
    return NULL;
}

/* Movement pruning keeps some rows and columns nearly whole and empties others: the
 * chance of a place is a log-normal row factor times a log-normal column factor. */
const char *
gen_movement_pruned(gen_options *opt, tool_rng *r, mm_builder *to)
{
    double *row = tool_memory(opt->rows, sizeof *row);
    double *col = tool_memory(opt->cols, sizeof *col);
    double sum = 0.0, share;
    int64_t i, j;
    int k;

    for (i = 0; i < opt->rows; i++)
        row[i] = exp(1.2 * rng_normal(r));
    for (j = 0; j < opt->cols; j++)
        col[j] = exp(0.8 * rng_normal(r));
    share = opt->density;
    for (k = 0; k < 8; k++) {
        for (sum = 0.0, i = 0; i < opt->rows; i++)
            for (j = 0; j < opt->cols; j++)
                sum += fmin(1.0, share * row[i] * col[j]);
        share *= opt->density * (double)opt->rows * (double)opt->cols / sum;
    }
    for (i = 0; i < opt->rows; i++)
        for (j = 0; j < opt->cols; j++)
            if (rng_unit(r) < share * row[i] * col[j])
                mm_builder_add(to, i, j, 1, 0);
    free(row);
    free(col);
    return NULL;
}

const char *
gen_longformer(gen_options *opt, tool_rng *r, mm_builder *to)
{
    int64_t i, j;

    (void)r;
    opt->cols = opt->rows;
    for (i = 0; i < opt->rows; i++)
        for (j = 0; j < opt->cols; j++)
            if (i < opt->global || j < opt->global || llabs(i - j) <= opt->window)
                mm_builder_add(to, i, j, 1, 0);
    return NULL;
}

static void
add_block(mm_builder *to, int64_t bi, int64_t bj, int64_t b)
{
    int64_t u, v;

    for (u = 0; u < b; u++)
        for (v = 0; v < b; v++)
            mm_builder_add(to, bi * b + u, bj * b + v, 1, 0);
}

/* window, global and random count blocks. */
const char *
gen_bigbird(gen_options *opt, tool_rng *r, mm_builder *to)
{
    const int64_t b = opt->block, n = b > 0 ? opt->rows / b : 0;
    int64_t i, j, k;
    bool *kept;

    if (b < 1 || opt->rows % b)
        return "--block divides --rows";
    opt->cols = opt->rows;
    kept = tool_memory(n, sizeof *kept);
    for (i = 0; i < n; i++) {
        for (j = 0; j < n; j++)
            kept[j] = i < opt->global || j < opt->global || llabs(i - j) <= opt->window;
        for (k = 0; k < opt->random; k++)
            kept[rng_below(r, n)] = true;
        for (j = 0; j < n; j++)
            if (kept[j])
                add_block(to, i, j, b);
    }
    free(kept);
    return NULL;
}

const char *
gen_strided(gen_options *opt, tool_rng *r, mm_builder *to)
{
    int64_t i, j;

    (void)r;
    if (opt->window < 1)
        return "--window is at least 1";
    opt->cols = opt->rows;
    for (i = 0; i < opt->rows; i++)
        for (j = 0; j <= i; j++)
            if (i - j < opt->window || (i - j) % opt->window == 0)
                mm_builder_add(to, i, j, 1, 0);
    return NULL;
}

const char *
gen_logsparse(gen_options *opt, tool_rng *r, mm_builder *to)
{
    int64_t i, j, step;

    (void)r;
    opt->cols = opt->rows;
    for (i = 0; i < opt->rows; i++) {
        for (j = i > opt->window ? i - opt->window : 0; j <= i; j++)
            mm_builder_add(to, i, j, 1, 0);
        for (step = 1; step <= i; step *= 2)
            if (step > opt->window)
                mm_builder_add(to, i, i - step, 1, 0);
    }
    return NULL;
}

const char *
gen_butterfly(gen_options *opt, tool_rng *r, mm_builder *to)
{
    const int64_t b = opt->block, n = b > 0 ? opt->rows / b : 0;
    int64_t i, step;

    (void)r;
    if (b < 1 || opt->rows % b || (n & (n - 1)))
        return "--rows is --block times a power of two";
    opt->cols = opt->rows;
    for (i = 0; i < n; i++) {
        add_block(to, i, i, b);
        for (step = 1; step < n; step *= 2)
            add_block(to, i, i ^ step, b);
    }
    return NULL;
}

/* Blocks at random block columns of every block row, crossed by full rows and columns of
 * scattered places and by scattered places of every row: whatever rows and columns are
 * picked, blocks and the rest intersect (STile, figure 12). */
const char *
gen_crossed(gen_options *opt, tool_rng *r, mm_builder *to)
{
    const int64_t b = opt->block, across = b > 0 ? opt->cols / b : 0;
    int64_t i, j, q;

    if (b < 1 || opt->rows % b || opt->cols % b || opt->degree > across)
        return "--rows and --cols are multiples of --block, --degree blocks fit beside "
               "each other";
    for (i = 0; i < opt->rows / b; i++)
        for (j = rng_below(r, across), q = 0; q < opt->degree; q++) {
            add_block(to, i, j, b);
            j = (j + 1 + rng_below(r, across / opt->degree)) % across;
        }
    for (i = 0; i < opt->rows; i++)
        for (q = 0; q < opt->random; q++)
            mm_builder_add(to, i, rng_below(r, opt->cols), 1, 0);
    for (q = 0; q < opt->global; q++) {
        const int64_t row = rng_below(r, opt->rows), col = rng_below(r, opt->cols);

        for (j = 0; j < opt->cols; j++)
            if (rng_unit(r) < opt->density)
                mm_builder_add(to, row, j, 1, 0);
        for (i = 0; i < opt->rows; i++)
            if (rng_unit(r) < opt->density)
                mm_builder_add(to, i, col, 1, 0);
    }
    return NULL;
}

/* Whether a neighbour at this offset belongs to the stencil: corners only in the full
 * ones. */
static bool
in_stencil(int64_t points, int64_t x, int64_t y, int64_t z)
{
    const int64_t off = llabs(x) + llabs(y) + llabs(z);

    if (points == 5 || points == 9)
        return z == 0 && (points == 9 || off <= 1);
    return points == 27 || off <= 1;
}

const char *
gen_stencil(gen_options *opt, tool_rng *r, mm_builder *to)
{
    const int64_t points = opt->degree;
    const bool flat = points == 5 || points == 9;
    const double root = flat ? sqrt((double)opt->rows) : cbrt((double)opt->rows);
    const int64_t side = (int64_t)(root + 0.5) > 0 ? (int64_t)(root + 0.5) : 1;
    const int64_t depth = flat ? 1 : side;
    int64_t x, y, z, u, v, w;

    (void)r;
    if (points != 5 && points != 7 && points != 9 && points != 27)
        return "--degree is 5, 7, 9 or 27";
    opt->rows = opt->cols = side * side * depth;
    for (z = 0; z < depth; z++)
        for (y = 0; y < side; y++)
            for (x = 0; x < side; x++)
                for (w = z - 1; w <= z + 1; w++)
                    for (v = y - 1; v <= y + 1; v++)
                        for (u = x - 1; u <= x + 1; u++) {
                            const int64_t i = (z * side + y) * side + x;

                            if (u < 0 || v < 0 || w < 0 || u >= side || v >= side ||
                                w >= depth || !in_stencil(points, u - x, v - y, w - z))
                                continue;
                            if (u == x && v == y && w == z)
                                mm_builder_add(to, i, i, (double)(points - 1), 0);
                            else
                                mm_builder_add(to, i, (w * side + v) * side + u, -1, 0);
                        }
    return NULL;
}
