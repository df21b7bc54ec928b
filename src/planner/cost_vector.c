/*
 * The model for one column. Nothing is reused there: what counts is how many vectors of
 * x are put together from single elements (gathers), how many are loaded whole, and how
 * often a row or slice begins, against the bytes of A. Coefficients are seconds of one
 * core, fitted to the measurements of docs/measured/README.md.
 */
#include "planner/cost.h"
#include "planner/rules.h"

#include <math.h>

/* Zen 4, whose level has coefficients of its own (docs/measured/model.md). */
static bool
zen(const sb_target *t)
{
    return sb_target_slow_gathers(t);
}

/* Sixteen elements of x from anywhere. */
static double
gather(const sb_target *t)
{
    static const double seconds[SB_ISA_COUNT] = {14e-9, 12e-9, 9e-9, 7e-9, 5.2e-9};

    return seconds[t->isa];
}

/* Vectors of eight of a part's rows, the last of a row as dear as a full one. */
static double
eights(const sb_vector_part *p, const sb_stats *s)
{
    double vectors = 0;

    for (int q = 1; q < SB_STATS_BUCKETS; q++)
        vectors += q <= 4
                       ? (double)s->bucket_rows[q]
                       : (double)s->bucket_nnz[q] / 8 + (double)s->bucket_rows[q] / 2;
    return vectors * p->entries / (s->nnz > 0 ? (double)s->nnz : 1);
}

double
sb_vector_mixed(const sb_stats *s)
{
    double same = 0, few = 0;

    for (int q = 0; q <= 4; q++)
        few += (double)s->bucket_rows[q];
    for (int q = 4; q < SB_STATS_BUCKETS; q++) {
        const double share =
            (q == 4 ? few : (double)s->bucket_rows[q]) / fmax(1, (double)s->rows);

        same += share * share;
    }
    return 1 - same;
}

/* Masks of six rows count the lines. */
double
sb_vector_lines(const sb_vector_part *p, const sb_stats *s, double held)
{
    const double x = fmax(1, (double)s->cols * p->x_size);
    const double six = 6 * s->mask_fill[SB_STATS_MASKS - 1];

    return six > 0 ? p->entries / fmax(1, six) * fmax(0, 1 - held / x) : 0;
}

double
sb_vector_late(const sb_vector_part *p, const sb_stats *s, const sb_target *t)
{
    return sb_vector_lines(p, s, (double)t->l1 / 4) *
           (p->x_size > 4 ? 0.25e-9 : 0.15e-9);
}

/* Row by row: with a fast gather eight lanes; else four, loaded one by one. */
static void
rows_terms(sb_terms *out, const sb_vector_part *p, const sb_stats *s,
           const sb_target *t)
{
    const bool fast = t->isa >= SB_ISA_V4G;

    if (zen(t)) {
        out->unit = p->rows * (p->x_size > 4 ? 4.4e-9 : 3.7e-9);
        out->entry = p->entries * (p->x_size > 4 ? 0.255e-9 : 0.215e-9) +
                     sb_vector_late(p, s, t);
        return;
    }
    out->unit = p->rows * (fast ? 2.5e-9 + 6.4e-9 * sb_vector_mixed(s) : 5e-9);
    out->entry = fast ? eights(p, s) * gather(t) * 0.42 : p->entries * gather(t) / 16;
}

/* Whether four rows at a time are ahead of one without AVX: registers of 16 bytes hold two
 * doubles. */
static bool
in_fours(const sb_target *t, int x_size)
{
    return t->isa == SB_ISA_V2 && x_size == 4;
}

double
sb_vector_forgotten(const sb_vector_part *p, const sb_stats *s, double remembered)
{
    return s->ragged * p->rows / (p->rows + remembered);
}

/* Rows of which Zen 4 forgets half before they come again. */
enum { REMEMBERED = 50000 };

/* Seconds of a row, of one whose length is mixed, or forgotten, besides, of one that goes by itself, of an
 * entry; lines of x that are new. */
typedef struct row_pace {
    double row, mixed, forgotten, alone, entry, late;
} row_pace;

/* Zen 4's, of floats and of doubles. */
static const row_pace flow_four[] = {{2e-9, 0, 1.7e-9, 0, 0.188e-9, 0.8},
                                     {2.1e-9, 0, 2.6e-9, 0, 0.212e-9, 1.45}},
                      products_four[] = {
                          {0.72e-9, 0.9e-9, 1e-9, 3.6e-9, 0.249e-9, 1.22},
                          {0.75e-9, 0.8e-9, 0.4e-9, 1.3e-9, 0.345e-9, 1.62}};

/* Rows that products take alone: of more than 32 entries. */
static double
alone(const sb_stats *s)
{
    double rows = 0;

    for (int q = sb_stats_bucket(32) + 1; q < SB_STATS_BUCKETS; q++)
        rows += (double)s->bucket_rows[q];
    return rows;
}

static void
paced(sb_terms *out, const row_pace *by, const sb_vector_part *p, const sb_stats *s,
      const sb_target *t)
{
    by += p->x_size > 4;
    out->unit = p->rows * (by->row + by->mixed * sb_vector_mixed(s) +
                           by->forgotten * sb_vector_forgotten(p, s, REMEMBERED)) +
                by->alone * alone(s);
    out->entry = p->entries * by->entry + by->late * sb_vector_late(p, s, t);
}

/* Several rows at a time: their gathers overlap, and what is left of a row's cost is its length,
 * where that was not foreseen. */
void
sb_vector_groups(sb_terms *out, const sb_vector_part *p, const sb_stats *s,
                 const sb_target *t)
{
    const bool fast = t->isa >= SB_ISA_V4G;
    const int loads = in_fours(t, p->x_size) ? 20 : 8;

    if (p->unroll == SB_SPEC_FLOW && sb_target_zen4(t)) {
        paced(out, flow_four, p, s, t);
        return;
    }
    if (zen(t)) {
        const bool eight = s->mean >= SB_LONG_ROWS_SHORT && p->x_size == 4;

        out->unit = p->rows * 3e-9;
        out->entry = p->entries * (eight ? 0.185e-9 : 0.2e-9) + sb_vector_late(p, s, t);
        return;
    }
    out->unit = p->rows * (fast ? 1.2e-9 + 4.5e-9 * sb_vector_mixed(s) : 3.5e-9);
    out->entry =
        fast ? eights(p, s) * gather(t) * 0.42 : p->entries * gather(t) / loads;
}

/* Full vectors of products, then a vector or more a row from L1; on Zen 4 four entries of
 * sixteen rows together, as often as the longest has some. There x shares L1 with them. */
static void
products_terms(sb_terms *out, const sb_vector_part *p, const sb_stats *s,
               const sb_target *t)
{
    if (zen(t)) {
        paced(out, products_four, p, s, t);
        return;
    }
    out->unit = p->rows * (2e-9 + 1.2e-9 * sb_vector_mixed(s));
    out->entry = p->entries * gather(t) /
                 (t->isa >= SB_ISA_V4G     ? 16
                  : in_fours(t, p->x_size) ? 20
                                           : 13);
}

/* A column of a slice costs the same however few rows have it; values in place are a
 * second gather, of neighbours, whose order no prefetcher knows: on Zen 4 what the near
 * caches do not hold of them is dear, the more the fewer of a row lie side by side. */
static void
slices_terms(sb_terms *out, const sb_vector_part *p, const sb_stats *s,
             const sb_target *t, bool packed)
{
    const double columns = p->entries / fmax(1, s->sell_fill);
    const double slices = (double)s->rows / SB_SELL_ROWS;

    if (zen(t)) {
        const bool wide = p->x_size > 4;
        const double values = p->entries * p->x_size;
        const double far = packed ? 0 : fmax(0, values - 2.0 * (double)t->l2);

        out->unit = slices * (packed ? (wide ? 10e-9 : 8e-9) : wide ? 14e-9 : 11.5e-9);
        out->entry = columns * (packed ? (wide ? 3.3e-9 : 3.7e-9)
                                : wide ? 6.4e-9
                                       : 7e-9) +
                     far * 0.05e-9 * fmin(1, 6 / fmax(1, s->mean)) +
                     sb_vector_late(p, s, t);
        return;
    }
    out->unit = slices * (packed ? 20e-9 : 25e-9);
    out->entry = columns * gather(t) * (packed ? 1 : 1.5);
}

/* Seconds of a mask in windows of sb_stats_mask_size[height] rows, which share a load of
 * x and its column. */
static double
one_mask(const sb_target *t, int height)
{
    static const double fast[SB_STATS_MASKS] = {2.2e-9, 1.7e-9, 1.45e-9, 1.45e-9,
                                                1.5e-9};
    static const double slow[SB_STATS_MASKS] = {1.23e-9, 0.99e-9, 0.93e-9, 0.92e-9,
                                                0.94e-9};

    if (t->isa == SB_ISA_V4G)
        return fast[height];
    if (zen(t))
        return slow[height];
    return 0.7e-9 / sb_stats_mask_size[height] + 16e-9;
}

/* Elements of 8 bytes take two vectors. Sums that a window's rows make together cost it the
 * same however many these are. */
static void
mask_terms(sb_terms *out, const sb_vector_part *p, const sb_stats *s,
           const sb_target *t)
{
    const double vectors = p->x_size > 4 ? 2 : 1;
    int height = 0;

    for (int q = 0; q < SB_STATS_MASKS; q++)
        if (sb_stats_mask_size[q] == p->choice->size)
            height = q;
    out->unit = (double)s->rows * (zen(t) ? 2.6e-9 : 4e-9);
    if (zen(t) && p->x_size == 4 && p->choice->size > 2) /* sb_rule_joined */
        out->unit = (double)s->rows * (0.6e-9 + 5.5e-9 / p->choice->size);
    out->entry =
        vectors * p->entries / fmax(0.01, s->mask_fill[height]) * one_mask(t, height);
}

/* Products of what is left over go through a buffer, from which masks spread them. */
static void
hdia_terms(sb_terms *out, const sb_vector_part *p, const sb_stats *s,
           const sb_target *t)
{
    const double vectors = p->x_size > 4 ? 2 : 1;
    const bool masks = t->isa >= SB_ISA_V4, fast = t->isa == SB_ISA_V4G;
    const double full = fast ? 1.8e-9 : !masks ? 2e-9 : vectors > 1 ? 0.7e-9 : 1e-9;
    const double some = fast ? 1.9e-9 : zen(t) ? 0.6e-9 : 16e-9;
    const double *n = s->hdia;
    const double each =
        vectors * (n[SB_STATS_HDIA_FULL] * full + n[SB_STATS_HDIA_SOME] * some +
                   n[SB_STATS_HDIA_REST] * (fast    ? 1.7e-9
                                            : masks ? 1.9e-9
                                                    : 16e-9)) +
        n[SB_STATS_HDIA_LEFT] * (zen(t) ? 0.4e-9 : gather(t) / 16);

    out->unit = p->rows / SB_HDIA_ROWS * (zen(t) ? 6e-9 : 15e-9);
    out->entry = p->entries * each;
}

/* Every diagonal a chunk, its values looked up in registers or gathered; in ranges, a
 * permutation each. */
static void
hdia_in_place_terms(sb_terms *out, const sb_vector_part *p, const sb_stats *s,
                    const sb_target *t)
{
    const bool masks = t->isa >= SB_ISA_V4, wide = p->x_size > 4;
    const bool looked_up = !wide && s->mean * SB_HDIA_ROWS <= 128;
    /* where gathers are fast of elements alone that are computed with as they are */
    const int ranges =
        t->isa != SB_ISA_V4G || p->flows ? sb_rule_ranged(p->x_size, s, t) : 0;
    const double slices = p->rows / SB_HDIA_ROWS;
    const double *n = s->hdia;
    const double chunks = p->entries * (n[SB_STATS_HDIA_FULL] + n[SB_STATS_HDIA_SOME] +
                                        n[SB_STATS_HDIA_THIN]);
    const double gathered = sb_target_zen4(t) ? (wide ? 3.7e-9 : 6e-9)
                            : zen(t)          ? 4.4e-9
                                              : 0.75 * gather(t);
    const double uneven = sb_target_zen4(t) ? 28e-9 : 20e-9;

    if (ranges > 0) {
        /* rows of all lengths leave slices of as many diagonals, and of some without ranges */
        out->unit =
            slices * ((wide ? 4e-9 : 3e-9 + ranges * 1e-9) + uneven * fmin(1, s->cv));
        out->entry = chunks * ((wide ? 2e-9 : 0.6e-9) + ranges * 0.15e-9);
        return;
    }
    out->unit = slices * (zen(t) ? 3e-9 : 10e-9);
    out->entry = chunks * (!masks      ? 16e-9
                           : looked_up ? (zen(t) ? 3.4e-9 : 3e-9)
                                       : gathered * (wide ? 2 : 1));
}

void
sb_vector_lanes(sb_terms *out, const sb_vector_part *p, const sb_stats *s,
                const sb_lane_pace *by)
{
    const int rows = p->choice->size, at = sb_stats_window(rows);
    const double all = p->entries * s->held_share[at];

    out->unit = p->rows / rows * by->window;
    out->entry = all / rows * by->column[rows] +
                 fmax(0, p->slots - all) / rows * 2 * by->some +
                 (p->entries - p->slots) * by->left;
}

static void
lanes_terms(sb_terms *out, const sb_vector_part *p, const sb_stats *s,
            const sb_target *t)
{
    static const sb_lane_pace lane[] = {
        {4.2e-9,
         {0, 0, 0.45e-9, 0.43e-9, 0.4e-9, 0.65e-9, 0.65e-9, 0.48e-9, 0.48e-9},
         0.7e-9,
         1e-9},
        {3.3e-9,
         {0, 0, 0.47e-9, 0.48e-9, 0.45e-9, 0.8e-9, 0.8e-9, 0.7e-9, 0.7e-9},
         0.8e-9,
         1.1e-9}};

    sb_vector_lanes(out, p, s, &lane[p->x_size > 4]);
    out->entry += sb_vector_late(p, s, t);
}

/* A block loads its column and x, and the values of each row, registers of 16 to 64 bytes; three of 16
 * lie across lines. Zen 3 takes for a block what its other forms take, as that level's kernels are to
 * each other on Zen 4; the end of a window, where eight lanes are added up, was timed there. */
static void
unaligned_terms(sb_terms *out, const sb_vector_part *p, const sb_stats *s,
                const sb_target *t)
{
    const int rows = p->choice->size, row = p->choice->c * p->x_size;
    const double blocks = p->slots / (rows * p->choice->c);
    const double pace = row < 32 ? (rows == 3 ? 1.1 : 0.9) : row < 64 ? 1 : 1.85;
    const bool zen3 = t->isa == SB_ISA_V3;
    const double slow = zen3 ? 1.5 : 1;
    const double end = zen3 && row == 32 && p->x_size == 4 ? 4.5e-9 : 0;

    out->unit = p->rows / rows * (slow * 4.5e-9 + end);
    out->entry =
        slow * blocks * (rows + 1.5) * pace * 0.08e-9 + sb_vector_late(p, s, t);
}

/* Steps of sixteen rows that follow each other, each of their diagonals; lone rows, their entries. */
static void
alike_terms(sb_terms *out, const sb_vector_part *p, const sb_stats *s)
{
    static const double step[] = {2.2e-9, 5.1e-9}, diagonal[] = {1.72e-9, 3.25e-9},
                        row[] = {6.4e-9, 7e-9}, entry[] = {0.25e-9, 0.34e-9};
    const int w = p->x_size > 4;
    const double steps = sb_vector_alike(p, s);

    out->unit = steps * step[w] + s->lone * p->rows * row[w];
    out->entry = steps * s->mean * diagonal[w] + s->lone * p->entries * entry[w];
}

static void
terms_of(sb_terms *out, const sb_vector_part *p, const sb_stats *s, const sb_target *t,
         bool packed)
{
    switch (p->choice->kind) {
    case SB_PART_CSR:
    case SB_PART_ROWS:
        rows_terms(out, p, s, t);
        return;
    case SB_PART_SEG:
        sb_vector_groups(out, p, s, t);
        return;
    case SB_PART_PROD:
        products_terms(out, p, s, t);
        return;
    case SB_PART_SELL:
        slices_terms(out, p, s, t, packed);
        return;
    case SB_PART_MASK:
        mask_terms(out, p, s, t);
        return;
    case SB_PART_HDIA:
        if (packed)
            hdia_terms(out, p, s, t);
        else
            hdia_in_place_terms(out, p, s, t);
        return;
    case SB_PART_WIN:
        if (zen(t)) {
            const bool four = sb_target_zen4(t); /* the other's are scaled from these */

            out->unit = p->rows * (four ? 3.5e-9 : 5.9e-9);
            out->entry =
                p->slots * 0.13e-9 + (p->entries - p->slots) * (four ? 1e-9 : 0.63e-9);
            return;
        }
        out->unit = p->rows * 2e-9;
        out->entry = p->slots * 0.4e-9 + (p->entries - p->slots) * 2e-9;
        return;
    case SB_PART_SHARE:
        if (zen(t)) {
            lanes_terms(out, p, s, t);
            return;
        }
        out->unit = p->rows * 5e-9;
        out->entry = p->slots * 1.2e-9 + (p->entries - p->slots) * 2e-9;
        return;
    case SB_PART_UBCSR:
        unaligned_terms(out, p, s, t);
        return;
    case SB_PART_BLOCKS:
        out->unit = p->rows * 4e-9;
        out->entry = p->entries * 0.5e-9;
        return;
    case SB_PART_BSR:
        if (zen(t)) {
            out->unit = p->rows * 2e-9;
            out->entry = p->entries * 0.3e-9;
            return;
        }
        out->unit = p->rows * 4e-9;
        out->entry = p->entries * (packed ? 0.5e-9 : 1e-9);
        return;
    default:
        if (p->choice->kind == SB_PART_ALIKE && zen(t)) {
            alike_terms(out, p, s);
            return;
        }
        out->unit = p->rows * 5e-9;
        out->entry = p->slots * (packed ? 1.2e-9 : 2e-9);
    }
}

void
sb_vector_terms(sb_terms *out, const sb_vector_part *p, const sb_stats *s,
                const sb_target *t, bool packed)
{
    terms_of(out, p, s, t, packed);
    if (t->wide)
        sb_vector_wide(out, p, s, t, packed);
    if (t->isa == SB_ISA_V4G)
        sb_vector_fast(out, p, s, t, packed);
    if (t->isa == SB_ISA_V3)
        sb_vector_short(out, p, s, t, packed);
}
