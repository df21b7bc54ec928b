/*
 * The model. Per part: how many flops and how many bytes from which level (cost_roof.c), as effective
 * bytes at memory speed; then a R + b.
 */
#include "planner/cost.h"

#include "planner/rules.h"

#include <math.h>

/*
 * One line per class of tiles; sb_target.factor corrects it for the machine.
 *   unit   seconds per unit (row start, accumulator set-up and write-back)
 *   entry  seconds per entry besides its bytes and flops (index arithmetic, branches);
 *          a window's rows share it where they share columns
 *   rows   rows of C that share one load of B's row in registers
 */
typedef struct coef {
    double unit, entry, rows;
} coef;

static const coef table[SB_CLASS_COUNT] = {
    [SB_PART_CSR] = {4e-9, 0.5e-9, 1},
    [SB_PART_ROWS] = {4e-9, 0.5e-9, 1},
    [SB_PART_ELL] = {5e-9, 0.9e-9, 1},
    [SB_PART_BSR] = {8e-9, 0.4e-9, 3},
    [SB_PART_DIA] = {4e-9, 0.4e-9, 1},
    [SB_PART_COO] = {0.0, 4.0e-9, 1},
    [SB_PART_WIN] = {8e-9, 1.0e-9, 6},
    [SB_PART_SEG] = {160e-9, 0.4e-9, 1},
    [SB_PART_SELL] = {20e-9, 0.25e-9, 1}, /* SpMV only: cost_vector.c */
    [SB_PART_PANEL] = {3e-9, 0.4e-9, 1},
    [SB_PART_MASK] = {8e-9, 0.3e-9, 8},
    [SB_PART_BLOCKS] = {4e-9, 0.3e-9, 3},
    [SB_PART_LIST] = {0.0, 0.8e-9, 1},
    [SB_PART_SHARE] = {8e-9, 0.6e-9, 8},
    [SB_PART_HDIA] = {15e-9, 0.2e-9, 1}, /* SpMV only: cost_vector.c */
    [SB_PART_PICK] = {4e-9, 0.7e-9, 1},
    [SB_PART_PROD] = {160e-9, 0.4e-9, 1}, /* SpMV only: cost_vector.c */
    [SB_PART_ALIKE] = {40e-9, 0.4e-9, 1}, /* SpMV only: cost_vector.c */
    [SB_PART_UBCSR] = {8e-9, 0.3e-9, 1},  /* SpMV only: cost_vector.c */
    [SB_CLASS_HYB] = {5e-9, 0.5e-9, 1},
};

/* A row of y cleared on its own, on Zen 5 (docs/measured/spmv-rows.md, Rows without entries). */
static const double cleared_row = 1.1e-9;

/* Packed slices without values, of those with (docs/measured/spmv-slices.md, 16-bit
 * columns, one value). */
static const double one_value = 0.88;

static double
positive(double x)
{
    return x > 0 ? x : 0;
}

double
sb_work_footprint(const sb_work *w, const sb_stats *s)
{
    const double row = w->op == SB_OP_SDDMM ? (double)w->k : (double)w->n;

    return (double)s->distinct * row * w->b_size;
}

double
sb_work_width(const sb_work *w)
{
    const int64_t n = w->op == SB_OP_SPMV ? 1 : w->op == SB_OP_SDDMM ? w->k : w->n;

    return n > 1 ? (double)n : 1;
}

/* Below about 200k products one tile per thread is best. One column is slower
 * work, a load for each product. */
static bool
tile_a_thread(const sb_work *w, int64_t nnz)
{
    return w->op != SB_OP_SPMV && (double)nnz * sb_work_width(w) < 2e5;
}

/* Of one column some 3 us and less, a row as long as two entries (which forms that count rows have in
 * their units), in which a second thread hardly begins (docs/kernels.md, SpMV rule 8); of several columns
 * where rows of B and C, and 32 bytes a row for its own sake, come to so few bytes (docs/kernels.md, SpMM
 * rule 1), that registers of 32 bytes and more compute with as they are. */
static bool
tile_alone(const sb_work *w, int64_t nnz, sb_isa isa)
{
    const double rows = (double)nnz * w->b_size + (double)w->m * w->c_size;
    const bool fast = isa >= SB_ISA_V3 && w->b_size == w->compute_size && !w->complex;
    const double units = (double)nnz + (nnz > w->nnz ? 0 : 2.0 * (double)w->m);

    return w->op == SB_OP_SPMV ? units < 13000
                               : w->op == SB_OP_SPMM && fast &&
                                     rows * sb_work_width(w) + 32 * (double)w->m < 3e5;
}

int64_t
sb_work_units(const sb_work *w, int64_t nnz)
{
    const bool mostly_rows = w->op == SB_OP_SPMV && w->m > w->nnz;

    return nnz + (tile_a_thread(w, nnz) || mostly_rows ? w->m : 0);
}

int64_t
sb_work_grain(const sb_work *w, int64_t nnz, sb_isa isa, int threads)
{
    /* A tile should never be so small that its dispatch shows. Of one column calls are shorter: a
     * thread that waits for the end of the other's last tile shows earlier than the dispatch
     * of many. */
    const double pieces = tile_a_thread(w, nnz) ? threads : 12.0 * threads;
    const double least = (w->op == SB_OP_SPMV ? 2e3 : 2e4) / sb_work_width(w);
    const double grain = (double)sb_work_units(w, nnz) / (pieces > 1 ? pieces : 1);

    if (tile_alone(w, nnz, isa))
        return SB_GRAIN_ALONE;
    return (int64_t)(grain > least ? grain : least) + 1;
}

int
sb_cost_class(const sb_part_choice *p)
{
    return p->kind == SB_PART_ROWS && p->k >= 0 ? SB_CLASS_HYB : (int)p->kind;
}

/* How many entries of a row plain rows, by position or not, take together. */
static int
together(const sb_part_choice *p, const sb_work *w, const sb_stats *s,
         const sb_target *t)
{
    const int class_ = sb_cost_class(p);
    const double b = sb_work_footprint(w, s);
    const int unroll =
        class_ == SB_PART_CSR || class_ == SB_PART_ROWS || class_ == SB_PART_PICK
            ? sb_rule_together(w, t, class_, 1, s->mean, s->ragged)
            : 1;

    if (sb_rule_alone(w, b, s->strewn, p->kind, t))
        return 1;

    /* fours ask for no rows of B ahead, so rows that do for each entry have none (steps.c) */
    return unroll == SB_SPEC_FOURS && sb_rule_asks_whole(w, b, s->strewn, t) &&
                   sb_rule_last(w, b, s->onward, t) == 0
               ? 1
               : unroll;
}

/* Zen: a column that rows share is one load of a vector or two and a multiply-add a row, and
 * a sum a row is chains enough, so that little is left beside them. */
static bool
narrow_windows(const sb_part_choice *p, const sb_work *w, const sb_target *t)
{
    return p->kind == SB_PART_WIN && sb_target_zen(t) && w->op == SB_OP_SPMM &&
           w->n * w->b_size <= 64;
}

/* Entries whose position and column are looked up: of rows that share them one does it,
 * the others wait for theirs. Where the sums of 64 columns do not fit the registers, wide
 * products look up twice as often; more than six row pointers are fetched again and again. */
static double
window_indices(const sb_part_choice *p, const sb_amounts *am, const sb_work *w,
               const sb_target *t, bool packed)
{
    const double alone = am->entries - am->slots, shared = am->slots / p->size;
    const double fit = w->n < 64 ? 6 : fmax(3, sb_rule_tall(w, t));
    const bool narrow = narrow_windows(p, w, t);
    /* windows of eight by runs: where they fetch their rows' pointers again, Zen 4 waits */
    const bool waits =
        sb_target_slow_gathers(t) && p->kind == SB_PART_WIN && p->size > 6;
    const double again = p->size <= fit || narrow ? 1 : waits && w->n >= 64 ? 4 : 2;
    /* Zen 5 takes eight doubles at a time */
    const bool whole = t->wide && w->op == SB_OP_SPMM && !w->complex &&
                       w->compute_size == 8 && w->n <= 8;
    const double position = whole                                     ? 0.25
                            : !sb_target_slow_gathers(t) || w->n < 32 ? 0.35
                            : w->n < 64                               ? 0.18
                                                                      : 0.1;

    if (p->kind == SB_PART_SHARE)
        return (whole ? 0.55 : 1) *
               (alone + (w->n < 64 ? 1 : again) *
                            (shared + (packed ? 0 : position * am->entries)));
    return (whole ? 0.42 : narrow ? 0.65 : again) * (2.5 * alone + shared);
}

/* A value in the caller's order, of A^T or of a CSC, beside a packed one, which follows the one
 * before. */
static const double scattered = 0.6e-9;

/* What one part takes of all threads, no barriers. */
static void
part_terms(sb_terms *out, const sb_part_choice *p, const sb_amounts *am,
           const sb_work *w, const sb_stats *s, const sb_target *t, bool packed,
           sb_cost *total)
{
    const coef *co = &table[sb_cost_class(p)];
    const double share = 1.0 / (t->threads > 0 ? t->threads : 1);
    const double width = w->op == SB_OP_SDDMM ? (double)w->k : (double)w->n;
    const double flops = 2.0 * am->entries * width * (w->complex ? 4 : 1);
    const double peak = t->flops * 4.0 / (w->compute_size / (w->complex ? 2 : 1));
    /* blocks of more than four rows spill sums (docs/planner.md, Cost model) */
    const double tall = p->kind == SB_PART_BSR && p->size > 4 ? log2(p->size / 4.0) : 0;
    const int unroll = together(p, w, s, t);
    const double indexed = sb_cost_windows(p) ? window_indices(p, am, w, t, packed)
                                              : am->entries * (1 + 0.15 * tall);

    if (t->gpu) {
        const sb_gpu_part one = {p,
                                 am->entries,
                                 am->slots,
                                 am->units,
                                 am->touches,
                                 am->partitions,
                                 sb_cost_structure(p, am, w, packed)};

        sb_gpu_terms(out, &one, w, s, t, total);
        return;
    }
    total->flops += flops;
    if (w->op == SB_OP_SPMV) {
        const sb_vector_part one = {
            .choice = p,
            .entries = am->entries,
            .slots = am->slots,
            .rows = am->touches,
            .x_size = w->b_size,
            .unroll = sb_rule_together(w, t, p->kind, 0, s->mean, s->ragged),
            .flows = sb_rule_flows(w, t),
            .complex = w->complex};
        const double a_bytes = sb_cost_structure(p, am, w, packed);
        const bool no_values = p->kind == SB_PART_SELL && packed && w->one_value;

        sb_vector_terms(out, &one, s, t, packed);
        out->unit += sb_cost_cleared(p, am, s) * cleared_row;
        if (no_values)
            out->entry *= one_value;
        sb_vector_far(out, &one, s, t,
                      a_bytes - (no_values ? am->entries * w->a_size : 0), packed);
        out->roof = sb_cost_stream(w, s, t, a_bytes);
        total->bytes += a_bytes;
    } else {
        sb_roof roof;

        sb_cost_roof(&roof, p, am, w, s, t, packed, co->rows);
        out->roof =
            sb_cost_roof_pace(p, w, t, unroll) * fmax(roof.caches, flops / peak) +
            roof.memory;
        out->unit = am->units * co->unit;
        if (w->op == SB_OP_SPMM)
            out->unit += sb_cost_cleared(p, am, s) * table[SB_PART_CSR].unit;
        out->entry = sb_cost_entry_pace(w, t, unroll) * indexed * co->entry;
        if (w->op == SB_OP_SPMM && w->by_position && !packed)
            out->entry += am->entries * scattered;
        total->bytes += roof.bytes + am->entries * width * w->b_size;
    }
    out->roof += sb_cost_apart(p, am, w, s, t, sb_cost_structure(p, am, w, packed));
    out->unit *= share;
    out->entry *= share;
}

double
sb_cost_part(sb_terms *out, const sb_part_choice *p, const sb_amounts *am,
             const sb_work *w, const sb_stats *s, const sb_target *t, bool packed,
             sb_cost *total)
{
    const sb_factor *f = &t->factor[w->op][sb_cost_class(p)];
    const double by = sb_rows_wide_between(p, w, t) *
                      sb_rows_wide_unasked(p, w, t, packed) *
                      sb_cost_panels_spilt(p, w, s, t, packed);
    double ratio;

    if (sb_cost_rows_ratio(&ratio, p, am, w, s, t, packed)) {
        const sb_part_choice plain = {.kind = SB_PART_CSR};
        const double touches = fmin(am->touches, (double)s->rows);
        const sb_amounts rows = {.entries = am->entries,
                                 .slots = am->entries,
                                 .units = touches,
                                 .touches = touches,
                                 .partitions = 1,
                                 .cached = am->cached,
                                 .unasked = am->unasked};

        part_terms(out, &plain, &rows, w, s, t, packed, total);
        *out = (sb_terms){ratio * out->roof, ratio * out->unit, ratio * out->entry};
    } else {
        part_terms(out, p, am, w, s, t, packed, total);
    }
    *out = (sb_terms){by * out->roof, by * out->unit, by * out->entry};
    return f->roof * out->roof + f->unit * out->unit + f->entry * out->entry;
}

/* Slots of buckets up to 2^k: rows of bucket q padded to 2^(q - 1), longer rows split. */
static double
bucket_slots(const sb_stats *s, int k)
{
    double slots = 0;

    for (int q = 1; q < SB_STATS_BUCKETS; q++) {
        const double full = (double)((int64_t)1 << (q - 1 < k ? q - 1 : k));

        if (q - 1 <= k)
            slots += (double)s->bucket_rows[q] * full;
        else
            slots += (double)s->bucket_nnz[q] + (double)s->bucket_rows[q] * full / 2;
    }
    return slots;
}

/* Slots of one common width 2^k. */
static double
ell_units(const sb_stats *s, int k)
{
    const double width = (double)((int64_t)1 << k);
    double units = 0;

    for (int q = 0; q < SB_STATS_BUCKETS; q++) {
        const double rows = (double)s->bucket_rows[q];

        units +=
            fmax(rows, (double)s->bucket_nnz[q] / width + (q - 1 > k ? rows / 2 : 0));
    }
    return units;
}

static double
block_share(const sb_stats *s, int b)
{
    for (int q = 0; q < SB_STATS_BLOCKS; q++)
        if (sb_stats_block_size[q] == b)
            return s->block_share[q];
    return 0;
}

/* Masks of 16 columns, one a row of each chunk. */
static double
mask_slots(const sb_stats *s, int rows)
{
    for (int q = 0; q < SB_STATS_MASKS; q++)
        if (sb_stats_mask_size[q] == rows && s->mask_fill[q] > 0)
            return (double)s->nnz / s->mask_fill[q];
    return (double)s->nnz;
}

double
sb_cost_shared(const sb_part_choice *p, const sb_stats *s, const sb_target *t)
{
    const double *share = p->kind == SB_PART_WIN ? s->win_share
                          : t->gpu               ? s->held_share
                                                 : s->half_share;

    return share[sb_stats_window(p->size)];
}

double
sb_cost_taken(const sb_part_choice *p, const sb_stats *s)
{
    return p->kind == SB_PART_BSR ? block_share(s, p->size)
           : sb_cost_windows(p)   ? 1
                                  : s->diag_share;
}

/* A selecting part's amounts when `left` of the entries is left to it; returns its share. Full
 * blocks contain those of their divisors; else parts are taken to be independent. */
static double
selected(sb_amounts *am, const sb_choice *ch, int at, const sb_stats *s,
         const sb_target *t, double left)
{
    const sb_part_choice *p = &ch->part[at];
    double share = sb_cost_taken(p, s) * left;

    for (int q = 0; q < at && p->kind == SB_PART_BSR; q++)
        if (ch->part[q].kind == SB_PART_BSR && ch->part[q].size % p->size == 0)
            share = fmin(left, positive(block_share(s, p->size) -
                                        block_share(s, ch->part[q].size)));
    am->entries = share * (double)s->nnz;
    am->slots = p->kind == SB_PART_DIA ? (double)s->diag_count * (double)s->rows
                : sb_cost_windows(p)   ? sb_cost_shared(p, s, t) * am->entries
                                       : am->entries;
    am->units = (double)s->rows / (p->kind == SB_PART_DIA ? 1 : p->size);
    am->touches = (double)s->rows;
    am->partitions = 1;
    return share;
}

/* How many column partitions a row meets: of its entries in panels as wide as those, one. */
static double
parts_met(const sb_part_choice *p, const sb_stats *s)
{
    const double run = p->c > 1 ? sb_stats_panel_run(s, s->cols / p->c) : 0;
    const double mean = (double)s->nnz / fmax(1, (double)(s->rows - s->empty));

    return p->c > 1 ? fmin(p->c, fmax(1, run > 0 ? mean / run : mean)) : 1;
}

double
sb_cost_panel_run(const sb_stats *s, int64_t width)
{
    return (sb_stats_panel_run(s, width) + sb_stats_panel_run(s, width * 2 / 3)) / 2;
}

/* The rest's amounts when `share` of the entries is left to it. */
static void
rest(sb_amounts *am, const sb_part_choice *p, const sb_stats *s, const sb_target *t,
     double share)
{
    const double filled = (double)(s->rows - s->empty);
    const double rows =
        share < 1 ? fmin(filled, share * (double)s->nnz) : (double)s->rows;
    /* a row that others took entries from is left in runs */
    const double runs = share < 1 ? fmin(4, fmax(1, share * s->mean / 2)) : 1;

    am->entries = am->slots = share * (double)s->nnz;
    am->units = am->touches = rows;
    am->partitions = 1;
    if (p->kind == SB_PART_ROWS) {
        /* rows without entries are in one partition, and in a list by length all together
         * (sb_cost_cleared); of a GPU nobody looked */
        const double empty = p->k >= 0 ? 0 : positive(rows - filled);
        const double met = fmax(parts_met(p, s), runs);

        am->partitions = p->c;
        am->units = am->touches =
            t->gpu ? rows * met : empty + fmin(rows, filled) * met;
        if (p->k >= 0)
            am->slots = share * bucket_slots(s, p->k);
    }
    if (p->kind == SB_PART_ELL) {
        am->units = am->touches = fmax(rows, share * ell_units(s, p->k));
        am->slots = am->units * (double)((int64_t)1 << p->k);
    }
    if (p->kind ==
        SB_PART_ALIKE) { /* columns and offsets of runs are their first rows' */
        const double run = fmax(SB_ALIKE_ROWS, SB_ALIKE_ENTRIES / fmax(s->mean, 1));

        am->units = ceil((double)s->rows / SB_ALIKE_ROWS);
        am->slots = am->entries * fmin(1, 1 - s->follows + 1 / fmin(SB_ALIKE_RUN, run));
    }
    if (p->kind == SB_PART_SEG || p->kind == SB_PART_PROD)
        am->units = ceil((double)s->rows / (double)sb_part_rows_of_unit(p->kind));
    if (p->kind == SB_PART_SELL)
        am->units = ceil((double)s->rows / SB_SELL_ROWS);
    if (p->kind == SB_PART_HDIA) {
        am->units = ceil((double)s->rows / SB_HDIA_ROWS);
        am->slots = am->entries * (SB_HDIA_ROWS * (s->hdia[SB_STATS_HDIA_FULL] +
                                                   s->hdia[SB_STATS_HDIA_SOME]) +
                                   2 * s->hdia[SB_STATS_HDIA_LEFT]);
    }
    if (p->kind == SB_PART_PANEL)
        am->units = am->entries / fmax(1, sb_cost_panel_run(s, p->size));
    if (p->kind == SB_PART_MASK)
        am->slots = share * mask_slots(s, p->size);
    if (p->kind == SB_PART_UBCSR)
        am->slots = am->entries / fmax(0.01, sb_stats_unaligned(s, p->size, p->c));
    if (p->kind == SB_PART_COO)
        am->touches = am->entries; /* every entry reads and writes its row of C */
}

static double
padding(const sb_amounts *am)
{
    return am->slots > 0 ? positive(1 - am->entries / am->slots) : 0;
}

void
sb_cost_close(sb_cost *out, double steps, const sb_work *w, const sb_stats *s,
              const sb_target *t)
{
    out->steps = steps;
    out->tiles = (double)sb_work_units(w, s->nnz) /
                 (double)sb_work_grain(w, s->nnz, t->isa, t->threads) /
                 (t->threads > 0 ? t->threads : 1);
    out->seconds += steps * t->step_seconds + out->tiles * t->tile_seconds;
}

void
sb_cost_predict(sb_cost *out, const sb_choice *ch, const sb_work *w, const sb_stats *s,
                const sb_target *t)
{
    const bool named = ch->tile > 0; /* what rules leave open else */
    double left = 1, steps = 1;

    *out = (sb_cost){0};
    for (int q = 0; q < ch->npart; q++) {
        const sb_part_choice *p = &ch->part[q];
        const bool takes_rest = q + 1 == ch->npart;
        sb_amounts am = {0};

        if (takes_rest)
            rest(&am, p, s, t, left);
        else
            left -= selected(&am, ch, q, s, t, left);
        out->share[q] = s->nnz ? am.entries / (double)s->nnz : 0;
        out->padding[q] = padding(&am);
        am.adds = q > 0;
        am.cached = named ? !ch->stream : !sb_cost_once(ch);
        am.unasked = named && ch->prefetch == 0 &&
                     (w->op != SB_OP_SDDMM || p->kind == SB_PART_CSR);
        if (am.entries > 0 || ch->npart == 1) {
            out->part[q] =
                sb_cost_part(&out->terms[q], p, &am, w, s, t, ch->packed, out);
        }
        out->seconds += out->part[q];
        out->making += sb_cost_making(p, &am, w, t);
        if (q > 0 && am.entries > 0)
            steps += 1;
        if (!sb_rule_partitions(w, t) || p->k >= 0) /* else their price has them */
            steps += am.partitions - 1;
    }
    sb_cost_close(out, steps, w, s, t);
}
