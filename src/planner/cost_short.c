/*
 * SpMV on Zen 3, the machine of level v3: registers of 32 bytes, gathers made of
 * loads, masks told by signs. Each form's seconds of one core, fitted to 22 to 33
 * matrices (docs/measured/model.md, SpMV on Zen 3).
 */
#include "planner/cost.h"
#include "planner/rules.h"

#include <math.h>

/* Lines of x that no row of the last six has read, as far as a quarter of L1, and L2, have not
 * kept them. */
typedef struct lines {
    double late, gone;
} lines;

static lines
lines_of(const sb_vector_part *p, const sb_stats *s, const sb_target *t)
{
    const double x = fmax(1, (double)s->cols * p->x_size);
    const double six = 6 * s->mask_fill[SB_STATS_MASKS - 1];
    const double n = six > 0 ? p->entries / fmax(1, six) : 0;

    return (lines){n * fmax(0, 1 - (double)t->l1 / 4 / x),
                   n * fmax(0, 1 - (double)t->l2 / x)};
}

/* Rows of which half are forgotten before they come again. */
enum { REMEMBERED = 40000 };

/* Seconds of a row (a slice), of a row whose length is not foreseen besides, of an entry (a
 * column of a slice), of lines as above. */
typedef struct pace {
    double unit, mixed, entry, late, gone;
} pace;

static const pace row[] = {{4.4e-9, 0.5e-9, 0.306e-9, 0.26e-9, 3e-9},
                           {5e-9, 0, 0.33e-9, 0.31e-9, 3e-9}},
                  group[] = {{3.3e-9, 1.9e-9, 0.297e-9, 0.1e-9, 3.3e-9},
                             {3.9e-9, 2.5e-9, 0.323e-9, 0.21e-9, 2.4e-9}},
                  eights[] = {{4.8e-9, 0.7e-9, 0.27e-9, 0.13e-9, 0.5e-9},
                              {6.5e-9, 0, 0.327e-9, 0.28e-9, 0}},
                  flow[] = {{1.6e-9, 3.5e-9, 0.286e-9, 0.17e-9, 2.1e-9},
                            {1.2e-9, 4.9e-9, 0.35e-9, 0.2e-9, 1.5e-9}},
                  product[] = {{0.5e-9, 1.8e-9, 0.385e-9, 0.38e-9, 4.7e-9},
                               {0.8e-9, 2.7e-9, 0.456e-9, 0.57e-9, 1.5e-9}},
                  slice[] = {{9e-9, 0, 7.8e-9, 0.3e-9, 3e-9},
                             {14e-9, 0, 7.6e-9, 0.2e-9, 1.4e-9}},
                  packed_slice[] = {{9.2e-9, 0, 4.4e-9, 0.36e-9, 2.4e-9},
                                    {11.8e-9, 0, 4.9e-9, 0.27e-9, 0.6e-9}},
                  diagonal_lines[] = {{0, 0, 0, 0.36e-9, 4e-9},
                                      {0, 0, 0, 0.27e-9, 4e-9}};

static void
paced(sb_terms *out, const pace *by, double units, double mixed, double entries,
      const sb_vector_part *p, const sb_stats *s, const sb_target *t)
{
    const lines l = lines_of(p, s, t);

    by += p->x_size > 4;
    out->unit = units * (by->unit + by->mixed * mixed);
    out->entry = entries * by->entry + l.late * by->late + l.gone * by->gone;
}

/* Bytes of an entry's column and place in slices. Seconds of a byte beyond a quarter of L3, the rest
 * of which may be others'. */
enum { COLUMN_AND_PLACE = 8 };
#define CROWDED 0.05e-9

/* Values in place are a second gather, dear as far as the near caches do not hold them, the more
 * the fewer of a row lie side by side. */
static void
slices(sb_terms *out, const sb_vector_part *p, const sb_stats *s, const sb_target *t,
       bool packed)
{
    const double columns = p->entries / fmax(1, s->sell_fill);
    const double values = p->entries * p->x_size;
    const double far = packed ? 0 : fmax(0, values - 2.0 * (double)t->l2);

    paced(out, packed ? packed_slice : slice, (double)s->rows / SB_SELL_ROWS, 0,
          columns, p, s, t);
    out->entry +=
        far * (p->x_size > 4 ? 0.03e-9 : 0.06e-9) * fmin(1, 6 / fmax(1, s->mean));
    if (!packed)
        out->entry += CROWDED * fmax(0, p->entries * (p->x_size + COLUMN_AND_PLACE) -
                                            (double)t->l3 / 4);
}

/* A chunk of a row: masks, and the more values the longer. */
static void
masks(sb_terms *out, const sb_vector_part *p, const sb_stats *s)
{
    static const double each[] = {2.4e-9, 5.8e-9}, value[] = {0.04e-9, 0.07e-9};
    const int w = p->x_size > 4;
    int height = 0;

    for (int q = 0; q < SB_STATS_MASKS; q++)
        if (sb_stats_mask_size[q] == p->choice->size)
            height = q;
    out->unit = (double)s->rows * (3e-9 + 5.6e-9 / p->choice->size);
    out->entry =
        p->entries / fmax(0.01, s->mask_fill[height]) * each[w] + p->entries * value[w];
}

static void
diagonals(sb_terms *out, const sb_vector_part *p, const sb_stats *s, const sb_target *t,
          bool packed)
{
    static const double begin[] = {10e-9, 15e-9}, full[] = {1.35e-9, 2.2e-9},
                        some[] = {2.2e-9, 3.9e-9}, rest[] = {2.45e-9, 3.24e-9},
                        left[] = {0.2e-9, 0.2e-9};
    static const double in_place[] = {10e-9, 13.5e-9}, chunk[] = {8.1e-9, 15.4e-9};
    const int w = p->x_size > 4;
    const double count = p->rows / SB_HDIA_ROWS;
    const double *n = s->hdia;

    if (packed) {
        paced(out, diagonal_lines, 0, 0, 0, p, s, t);
        out->unit = count * begin[w];
        out->entry +=
            p->entries *
            (n[SB_STATS_HDIA_FULL] * full[w] + n[SB_STATS_HDIA_SOME] * some[w] +
             n[SB_STATS_HDIA_REST] * rest[w] + n[SB_STATS_HDIA_LEFT] * left[w]);
        return;
    }
    out->unit = count * in_place[w];
    out->entry =
        p->entries * chunk[w] *
        (n[SB_STATS_HDIA_FULL] + n[SB_STATS_HDIA_SOME] + n[SB_STATS_HDIA_THIN]);
}

/* Rows, runs, columns that so many rows share, and what is left over. */
static void
windows(sb_terms *out, const sb_vector_part *p, const sb_stats *s)
{
    static const double begin[] = {5.2e-9, 4.5e-9}, each[] = {5.5e-9, 7e-9},
                        left[] = {1.1e-9, 1.6e-9};
    static const double column[][9] = {
        {0, 0, 0.16e-9, 0.25e-9, 0.28e-9, 0.37e-9, 0.48e-9, 0.65e-9, 0.83e-9},
        {0, 0, 0.25e-9, 0.43e-9, 0.53e-9, 0.75e-9, 0.97e-9, 1.23e-9, 1.5e-9}};
    const int w = p->x_size > 4, rows = p->choice->size;
    const double run = fmax(1, s->win_run[sb_stats_window(rows)]);

    out->unit = p->rows * begin[w];
    out->entry = p->slots / rows * (column[w][rows] + each[w] / run) +
                 (p->entries - p->slots) * left[w];
}

static void
shares(sb_terms *out, const sb_vector_part *p, const sb_stats *s, const sb_target *t)
{
    static const pace far[] = {{0, 0, 0, 0.14e-9, 1.35e-9}, {0, 0, 0, 0.23e-9, 2.4e-9}};
    static const sb_lane_pace lane[] = {
        {5e-9,
         {0, 0, 0.55e-9, 0.5e-9, 0.52e-9, 0.75e-9, 0.75e-9, 0.75e-9, 0.75e-9},
         1.3e-9,
         1.8e-9},
        {4e-9,
         {0, 0, 0.57e-9, 0.6e-9, 0.64e-9, 1.1e-9, 1.1e-9, 1.05e-9, 1.05e-9},
         1.5e-9,
         2.2e-9}};
    sb_terms lines;

    paced(&lines, far, 0, 0, 0, p, s, t);
    sb_vector_lanes(out, p, s, &lane[p->x_size > 4]);
    out->entry += lines.entry;
}

double
sb_vector_alike(const sb_vector_part *p, const sb_stats *s)
{
    const double runs = 1 - s->follows - s->lone;

    return p->rows * ((1 - s->lone) / SB_ALIKE_ROWS + runs / 2);
}

/* Steps of rows that follow each other; lone rows. */
static void
alike(sb_terms *out, const sb_vector_part *p, const sb_stats *s, const sb_target *t)
{
    static const double begin[] = {12e-9, 15e-9}, diagonal[] = {2e-9, 3e-9};
    /* two loops in turns are foreseen less well; where rows follow each other, those that do not are
     * the longer ones */
    const double jump = 1.4, lone = s->lone * (2 - s->lone);
    const double steps = sb_vector_alike(p, s);
    const double mixed = sb_vector_mixed(s);
    const int w = p->x_size > 4;

    paced(out, row, p->rows, mixed, p->entries, p, s, t);
    out->unit = steps * begin[w] + jump * s->lone * out->unit;
    out->entry = steps * s->mean * diagonal[w] + lone * out->entry;
}

void
sb_vector_short(sb_terms *out, const sb_vector_part *p, const sb_stats *s,
                const sb_target *t, bool packed)
{
    const double mixed = sb_vector_mixed(s);
    const double forgotten = sb_vector_forgotten(p, s, REMEMBERED);

    switch (p->choice->kind) {
    case SB_PART_CSR:
    case SB_PART_ROWS:
        paced(out, row, p->rows, mixed, p->entries, p, s, t);
        return;
    case SB_PART_SEG:
        if (p->unroll == SB_SPEC_FLOW)
            paced(out, flow, p->rows, forgotten, p->entries, p, s, t);
        else
            paced(out, p->unroll > 1 ? eights : group, p->rows, mixed, p->entries, p, s,
                  t);
        return;
    case SB_PART_PROD:
        paced(out, product, p->rows, forgotten, p->entries, p, s, t);
        return;
    case SB_PART_ALIKE:
        alike(out, p, s, t);
        return;
    case SB_PART_SELL:
        slices(out, p, s, t, packed);
        return;
    case SB_PART_MASK:
        masks(out, p, s);
        return;
    case SB_PART_HDIA:
        diagonals(out, p, s, t, packed);
        return;
    case SB_PART_WIN:
        windows(out, p, s);
        return;
    case SB_PART_SHARE:
        shares(out, p, s, t);
        return;
    default:
        return;
    }
}
