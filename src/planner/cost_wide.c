/*
 * SpMV on Zen 5, a machine of level v4 whose operations on 64 bytes are one: where
 * the model's terms for Zen 4 name what is to be done, each form is so much faster at
 * it; rows and groups, packed slices by diagonals and unaligned blocks have terms of
 * their own. Fitted to 28 matrices (docs/measured/model.md, SpMV on Zen 5).
 */
#include "planner/cost.h"
#include "planner/rules.h"

#include <math.h>

/* Of Zen 4's seconds for rows or slices, for entries, and for new lines of x. */
typedef struct pace {
    double unit, entry, late;
} pace;

/* Rows of which half are forgotten before they come again. */
enum { REMEMBERED = 50000 };

/* Seconds of a row, of one whose length is not foreseen besides, of an entry; new lines. */
typedef struct row_pace {
    double row, mixed, entry, late;
} row_pace;

static void
scale(sb_terms *out, const pace *by, double late, double counted)
{
    out->unit *= by->unit;
    out->entry = (out->entry - counted * late) * by->entry + late * by->late;
}

static void
rows_wide(sb_terms *out, const sb_vector_part *p, const sb_stats *s, const sb_target *t)
{
    static const row_pace one[] = {{2.2e-9, 1e-9, 0.185e-9, 0.6},
                                   {2.9e-9, 0.8e-9, 0.145e-9, 0.4}},
                          group[] = {{1.9e-9, 1.2e-9, 0.145e-9, 0.4},
                                     {2.1e-9, 1.2e-9, 0.117e-9, 0.35}},
                          eights[] = {{3e-9, 1.3e-9, 0.14e-9, 0.85},
                                      {3.2e-9, 0.6e-9, 0.095e-9, 0.75}},
                          flow[] = {{0.95e-9, 1.3e-9, 0.13e-9, 0.8},
                                    {0.75e-9, 2e-9, 0.127e-9, 0.5}},
                          products[] = {{0.39e-9, 1.1e-9, 0.178e-9, 1.1},
                                        {0.41e-9, 1.2e-9, 0.185e-9, 0.8}};
    const sb_part_kind kind = p->choice->kind;
    const bool flows = kind == SB_PART_SEG && p->unroll == SB_SPEC_FLOW;
    const row_pace *const table = kind == SB_PART_PROD  ? products
                                  : kind != SB_PART_SEG ? one
                                  : flows               ? flow
                                  : p->unroll > 1       ? eights
                                                        : group;
    const row_pace *by = &table[p->x_size > 4];
    /* what Zen 5 foresees of the rows whose lengths are others than the last one's */
    const double mixed =
        flows ? sb_vector_forgotten(p, s, REMEMBERED) : sb_vector_mixed(s);

    out->unit = p->rows * (by->row + by->mixed * mixed);
    out->entry = p->entries * by->entry + by->late * sb_vector_late(p, s, t);
}

/* Entries of rows so much longer than most that samples of slices miss them: each is a diagonal of its
 * own. */
static double
lone_entries(const sb_stats *s)
{
    double n = 0;

    for (int q = 1; q < SB_STATS_BUCKETS; q++)
        if (ldexp(1, q - 2) >= 8 * s->mean)
            n += (double)s->bucket_nnz[q];
    return n;
}

/* Chunks that have as many slots as rows, and what is left over, are dear as far as the near
 * caches do not hold them. */
static void
diagonals_wide(sb_terms *out, const sb_vector_part *p, const sb_stats *s,
               const sb_target *t)
{
    static const double slice[] = {1.5e-9, 3e-9}, full[] = {0.75e-9, 0.8e-9},
                        some[] = {0.92e-9, 1.9e-9}, rest[] = {1.55e-9, 2.1e-9},
                        left[] = {0.22e-9, 0.25e-9};
    const int w = p->x_size > 4;
    const double *n = s->hdia;
    const double bytes = p->entries * p->x_size *
                         (SB_HDIA_ROWS * n[SB_STATS_HDIA_SOME] + n[SB_STATS_HDIA_LEFT]);

    out->unit = p->rows / SB_HDIA_ROWS * slice[w];
    out->entry =
        p->entries *
            (n[SB_STATS_HDIA_FULL] * full[w] + n[SB_STATS_HDIA_SOME] * some[w] +
             n[SB_STATS_HDIA_REST] * rest[w] + n[SB_STATS_HDIA_LEFT] * left[w]) +
        fmax(0, bytes - 2.0 * (double)t->l2) * 0.045e-9 + lone_entries(s) * 1.5e-9;
}

/* By the height of a window: sb_stats_mask_size. */
static const pace masks[SB_STATS_MASKS][2] = {{{0.81, 0.65, 0}, {0.97, 0.58, 0}},
                                              {{0.65, 0.6, 0}, {0.71, 0.58, 0}},
                                              {{0.63, 0.585, 0}, {0.6, 0.565, 0}},
                                              {{0.615, 0.535, 0}, {0.655, 0.545, 0}},
                                              {{0.63, 0.51, 0}, {0.553, 0.56, 0}}};

static void
masks_wide(sb_terms *out, const sb_vector_part *p)
{
    for (int q = 0; q < SB_STATS_MASKS; q++)
        if (sb_stats_mask_size[q] == p->choice->size)
            scale(out, &masks[q][p->x_size > 4], 0, 0);
}

/* A group of rows; a block of 16, 32 or 64 bytes a row, and each of its rows. */
static void
unaligned_wide(sb_terms *out, const sb_vector_part *p, const sb_stats *s,
               const sb_target *t)
{
    static const double block[] = {0.06e-9, 0.1e-9, 0.32e-9},
                        row[] = {0.18e-9, 0.225e-9, 0.36e-9};
    const int rows = p->choice->size, bytes = p->choice->c * p->x_size;
    const int q = bytes <= 16 ? 0 : bytes <= 32 ? 1 : 2;
    const double blocks = p->slots / (rows * p->choice->c);

    out->unit = p->rows / rows * (2.2e-9 + 1e-9 * sb_vector_mixed(s));
    out->entry = blocks * (block[q] + rows * row[q]) + 1.5 * sb_vector_late(p, s, t) +
                 fmax(0, p->slots * p->x_size - 2.0 * (double)t->l2) * 0.005e-9;
}

static void
alike_wide(sb_terms *out, const sb_vector_part *p, const sb_stats *s,
           const sb_target *t)
{
    static const double begin[] = {2e-9, 1e-9}, diagonal[] = {0.88e-9, 1.53e-9};
    const double steps = sb_vector_alike(p, s);
    const int w = p->x_size > 4;

    rows_wide(out, p, s, t);
    out->unit = steps * begin[w] + s->lone * out->unit;
    out->entry = steps * s->mean * diagonal[w] + s->lone * out->entry;
}

void
sb_vector_wide(sb_terms *out, const sb_vector_part *p, const sb_stats *s,
               const sb_target *t, bool packed)
{
    static const pace slices[] = {{0.57, 0.7, 0}, {0.58, 0.6, 0.39}},
                      packed_slices[] = {{1, 0.68, 0.14}, {0.715, 0.61, 0.78}},
                      diagonals[] = {{0.5, 0.74, 0}, {0.55, 0.53, 0}};
    static const pace windows[] = {{0.5, 0.5, 0}, {0.65, 0.65, 0}},
                      lanes[] = {{0.67, 0.67, 0}, {0.62, 0.62, 0}};
    const int w = p->x_size > 4;

    switch (p->choice->kind) {
    case SB_PART_CSR:
    case SB_PART_ROWS:
    case SB_PART_SEG:
    case SB_PART_PROD:
        rows_wide(out, p, s, t);
        return;
    case SB_PART_SELL:
        scale(out, packed ? &packed_slices[w] : &slices[w], sb_vector_late(p, s, t), 1);
        if (!packed) /* a slice without entries is soon over */
            out->unit *= 1 - 0.5 * (double)s->empty / fmax(1, (double)s->rows);
        return;
    case SB_PART_MASK:
        masks_wide(out, p);
        return;
    case SB_PART_HDIA:
        if (packed)
            diagonals_wide(out, p, s, t);
        else
            scale(out, &diagonals[w], 0, 0);
        return;
    case SB_PART_WIN:
        scale(out, &windows[w], 0, 0);
        return;
    case SB_PART_SHARE:
        scale(out, &lanes[w], 0, 0);
        return;
    case SB_PART_UBCSR:
        unaligned_wide(out, p, s, t);
        return;
    case SB_PART_ALIKE:
        alike_wide(out, p, s, t);
        return;
    default:
        return;
    }
}
