/*
 * How many entries of a row are taken together, and how: the table of docs/kernels.md,
 * SpMM rule 3: pairs, fours, eights, and rows one after the other.
 */
#include "planner/rules.h"

#include "kernels/spec.h"

#include <math.h>

/* Cores that gain from pairs of short rows' entries (docs/kernels.md, SpMM rule 3): those
 * whose gathers are fast. */
static bool
wide_rows(const sb_target *t)
{
    return t->isa == SB_ISA_V4G;
}

/* So many columns that 24 vectors of sums, of 16 registers 8, serve the dots of `rows`; of windows four, for
 * runs are short. */
static int
samples_unroll(const sb_target *t, double mean, int rows)
{
    const int dots = t->isa >= SB_ISA_V4 ? 24 : t->isa >= SB_ISA_V3 ? 4 : 2;
    int u = rows <= 1 && mean >= 24 ? 8 : 4;

    while (u > 1 && u * rows > dots)
        u /= 2;
    return u;
}

/* Three or four doubles on Zen 4: no pairs are built in, and eights are ahead of them. */
static bool
narrow_doubles(const sb_work *w, const sb_target *t)
{
    return sb_target_slow_gathers(t) && w->compute_size == 8 &&
           (w->n == 3 || w->n == 4) && w->b_size == 8;
}

int
sb_rule_unroll(const sb_work *w, const sb_target *t, double mean, int rows)
{
    const int64_t row = w->n * w->b_size;
    /* up to a line of B one entry at a time is one chain of additions, two are two; beyond, a
     * second set of two sums is cleared, added and mispredicted once a row */
    const bool doubled = row > 64 && row <= 128;
    const double pairs = row <= 64      ? (wide_rows(t) ? 7 : 6)
                         : wide_rows(t) ? (doubled ? 16 : 8)
                                        : 32;
    const double fours = row <= 16              ? 8
                         : narrow_doubles(w, t) ? pairs
                         : row <= 64            ? 40
                                                : INFINITY;

    if (w->op == SB_OP_SDDMM)
        return samples_unroll(t, mean, rows > 1 ? rows : 1);
    if (w->op != SB_OP_SPMM || w->col_major || sb_rule_many_lines(w, t))
        return 1;
    return mean >= fours ? 4 : mean >= pairs ? 2 : 1;
}

/* Whether groups have eight lanes a row: cores load more of x in the time that a chain of
 * additions takes than four lanes want (docs/measured/spmv-rows.md, Eight lanes a row),
 * with full registers of 64 bytes twice as much; shorter rows lose more by their last
 * vector. */
static bool
eight_lanes(const sb_work *w, const sb_target *t, double mean)
{
    if (w->op != SB_OP_SPMV || w->complex || sb_dtype_is_int(w->a_type))
        return false;
    if (t->wide)
        return w->compute_size <= 8 && mean >= SB_LONG_ROWS;
    return mean >= SB_LONG_ROWS_SHORT && w->compute_size <= (t->isa == SB_ISA_V4   ? 8
                                                             : t->isa == SB_ISA_V3 ? 4
                                                                                   : 0);
}

bool
sb_rule_flows(const sb_work *w, const sb_target *t)
{
    return t->isa >= SB_ISA_V3 && w->op == SB_OP_SPMV &&
           (w->a_type == SB_F32 || w->a_type == SB_F64) &&
           w->a_size == w->compute_size && w->b_size == w->compute_size;
}

/* Of all rows, from which on lengths are not foreseen. */
#define RAGGED 0.45

/* Rows of B side by side, of f32 or f64. */
static bool
plain_rows(const sb_work *w)
{
    return w->op == SB_OP_SPMM && !w->col_major &&
           (w->a_type == SB_F32 || w->a_type == SB_F64) && w->b_size == w->a_size &&
           w->compute_size == w->a_size;
}

/* Rows of B of 16 or 32 bytes, as wide as a tile, and rows of A that are long or foreseen by
 * no predictor (docs/measured/spmm-entries-together.md, Eight entries at a time). Where
 * a register of 64 bytes is two of 32 inside, masks and permutations cost what they
 * save on rows in between. */
static bool
eights(const sb_work *w, const sb_target *t, double mean, double ragged)
{
    const int64_t row = w->n * w->b_size;
    const double is_long = wide_rows(t) ? 8 : narrow_doubles(w, t) ? 6 : 40;

    return plain_rows(w) && t->isa >= SB_ISA_V4 && (row == 16 || row == 32) &&
           (mean >= is_long || ragged >= RAGGED);
}

/* Rows of A whose lengths a predictor of Zen 5 keeps from one product to the next, of Zen 3 those
 * of short ones. */
#define REMEMBERED 32768

/* Rows one after the other on Zen 5 (docs/measured/spmm-few-columns.md, Few columns on
 * Zen 5): eights (fours, of doubles in rows of B of a line), the last ones masked, but
 * where rows are short and their lengths foreseen or remembered. */
static int
joined_wide(const sb_work *w, double mean, double ragged)
{
    const int64_t row = w->n * w->b_size;
    const bool unknown = ragged >= RAGGED && w->m >= REMEMBERED;
    const int masks = row < 64 || w->compute_size == 4 ? SB_SPEC_EIGHTS : SB_SPEC_JOIN;
    /* single entries of 16 bytes whose lengths are foreseen are as fast */
    const bool kept = w->m < REMEMBERED && (row > 16 || ragged >= RAGGED);
    const double least = kept ? 2.5 : 4;

    if (unknown ||
        (mean >= (row < 64 ? 8 : 16) && (masks == SB_SPEC_EIGHTS || ragged >= RAGGED)))
        return masks;
    return mean >= least ? SB_SPEC_HALVES : 0;
}

/* Rows one after the other on Zen 3 (docs/measured/spmm-few-columns.md, Few columns on
 * Zen 3), whose masks are vectors: they pay for rows of B of a register or less where
 * lengths are not foreseen; halves do where rows are longer, or foreseen. */
static int
joined_short(const sb_work *w, double mean, double ragged)
{
    const int64_t row = w->n * w->b_size;

    if (row == 128)
        return mean >= 6 ? SB_SPEC_HALVES : 0;
    if (row == 64 && ragged >= RAGGED && mean < 6.5)
        return 1;
    if (row == 64)
        return mean >= 4 ? SB_SPEC_HALVES : 0;
    return ragged >= RAGGED && mean < 40 && (mean >= 10 || w->m >= REMEMBERED)
               ? SB_SPEC_JOIN
           : mean >= 4 ? SB_SPEC_HALVES
                       : 0;
}

/* Rows of A, of fewer than 16 entries, whose lengths a predictor of Zen 4 keeps from one product to the
 * next. */
#define KEPT 49152

/* Rows one after the other on Zen 4 (docs/measured/spmm-few-columns.md, Few columns on
 * Zen 4): by masks where nobody foresees their lengths, of 16 floats by eights alone,
 * whose masks are compared; eights where rows are so long that what one costs by itself
 * does not show, of 32 bytes and from 100 entries on by `few`. 0: none. */
static int
joined_slow(const sb_work *w, double mean, double ragged)
{
    const int64_t row = w->n * w->b_size;
    const bool mixed = ragged >= RAGGED,
               unknown = mixed && (mean >= 16 || w->m >= KEPT);

    if (row == 128)
        return mean >= 6 ? SB_SPEC_HALVES : 0;
    if (mean >= 100 && row < 64)
        return 0;
    if (mean >= 16 &&
        (row == 64 ? w->b_size == 4 || mixed || mean >= 32 : row == 32 && unknown))
        return SB_SPEC_EIGHTS;
    if (unknown)
        return row == 64 && w->b_size == 4 ? SB_SPEC_EIGHTS : SB_SPEC_JOIN;
    return mean >= (mixed ? 3 : 4) ? SB_SPEC_HALVES : 0;
}

/* Rows of A, of fewer than 16 entries, whose lengths a predictor of Emerald Rapids keeps from one
 * product to the next. */
#define KEPT_FAST 8192

/* Rows one after the other on Emerald Rapids (docs/measured/spmm-few-columns.md, Few
 * columns on Emerald Rapids): halves where lengths are foreseen or remembered and rows not long;
 * elsewhere eights, the last ones masked, of doubles in rows of B of a line fours until
 * rows of A are long. 0: none. */
static int
joined_fast(const sb_work *w, double mean, double ragged)
{
    const int64_t row = w->n * w->b_size;
    const bool mixed = ragged >= RAGGED, doubles = w->compute_size > 4;
    const bool kept = !mixed || (w->m < KEPT_FAST && (row > 16 || mean < 8));
    const double is_long = mixed || row == 16 || (row == 32 && !doubles) ? 16 : 32;
    const double least = w->m < KEPT_FAST && row <= 32 ? 2.5 : 4;

    if (row == 128)
        return mean >= 6 && mean < 16 && w->m < KEPT_FAST ? SB_SPEC_FOURS : 0;
    if (kept && mean < is_long)
        return mean >= least ? SB_SPEC_HALVES : 1;
    return row == 64 && doubles && mean < 40 ? SB_SPEC_JOIN : SB_SPEC_EIGHTS;
}

/* Of such rows as are mixed here Zen 4 and 5 forget the lengths before they come again. */
#define MIXED 0.5
#define FORGOTTEN 12288

static bool
forgotten(const sb_work *w, double mean, double ragged)
{
    return ragged >= MIXED && w->m >= (mean >= 16 ? FORGOTTEN : REMEMBERED);
}

/* Entries of a row from which on eights of a width between are ahead of fours on Zen 5. */
#define LONG_BETWEEN 20

/* Rows one after the other on Zen 5, rows of B of two lines or of any width that is not a tile's, and
 * those on Zen 4 and Emerald Rapids (docs/measured/widths-between.md): fours, but where rows are
 * short or their lengths unknown; these are eights' up to a line, long ones up to half of one. 0: as
 * where nothing is joined. */
static int
joined_any(const sb_work *w, const sb_target *t, double mean, double ragged)
{
    const int64_t row = w->n * w->b_size;
    const bool is_long = mean >= 16;

    if (forgotten(w, mean, ragged))
        return row > 64 ? 1 : row <= 32 || !is_long ? SB_SPEC_EIGHTS : 0;
    if (t->wide && row <= 32 && mean >= LONG_BETWEEN)
        return SB_SPEC_EIGHTS;
    if (row == 128 && !is_long && (mean < 12 || ragged < RAGGED))
        return mean >= 6 ? SB_SPEC_HALVES : 0;
    if (row < 32 && mean >= 32 && t->isa == SB_ISA_V4G)
        return 0;
    return mean >= 4 && row <= 512 ? SB_SPEC_FOURS : 1;
}

bool
sb_rule_between(const sb_work *w)
{
    const int64_t row = w->n * w->b_size;

    return plain_rows(w) && w->n >= 3 && row < 1024 && (row & (row - 1)) != 0;
}

/* Widths between by fours; on Zen 4 doubles in rows of B of more than two lines have more from pairs. */
static bool
by_width(const sb_work *w, const sb_target *t)
{
    if (sb_target_zen4(t) && w->compute_size == 8 && w->n * w->b_size > 128)
        return false;
    return (t->wide && plain_rows(w) && w->n * w->b_size == 128) ||
           (t->isa >= SB_ISA_V4 && sb_rule_between(w));
}

/* Rows one after the other (docs/measured/spmm-entries-together.md, Rows one after the
 * other), where it was measured; 0: not. */
static int
joined(const sb_work *w, const sb_target *t, double mean, double ragged)
{
    const int64_t row = w->n * w->b_size;

    if (!plain_rows(w) || t->isa < SB_ISA_V3)
        return 0;
    if (by_width(w, t))
        return joined_any(w, t, mean, ragged);
    if (row != 16 && row != 32 && row != 64 && row != 128)
        return 0;
    if (t->isa == SB_ISA_V3)
        return joined_short(w, mean, ragged);
    if (t->isa == SB_ISA_V4G)
        return joined_fast(w, mean, ragged);
    return t->wide ? joined_wide(w, mean, ragged) : joined_slow(w, mean, ragged);
}

bool
sb_rule_asks_ragged(const sb_work *w, const sb_target *t)
{
    const int64_t row = w->n * w->b_size;

    if (by_width(w, t))
        return row == 128 || (row <= 512 && w->m >= FORGOTTEN);
    return w->op == SB_OP_SPMM && row <= 64;
}

bool
sb_rule_slim(const sb_work *w, const sb_target *t, const sb_stats *s)
{
    const double row = (double)w->n * w->b_size;

    return t->isa == SB_ISA_V4 && !t->wide && plain_rows(w) &&
           (row == 64 || row == 128) && s->r4 >= 1.9 &&
           s->mean * row <= 0.6 * (double)t->l1;
}

int
sb_rule_together(const sb_work *w, const sb_target *t, sb_part_kind kind, int rows,
                 double mean, double ragged)
{
    if (kind == SB_PART_BLOCKS)
        return 1;
    if (kind == SB_PART_SEG)
        return sb_rule_flows(w, t) ? SB_SPEC_FLOW : eight_lanes(w, t, mean) ? 2 : 1;
    if (kind == SB_PART_WIN && w->op == SB_OP_SPMV) /* sixteen want more registers */
        return t->isa == SB_ISA_V3 && !w->complex && rows > 2 ? 2 : 1;
    if (kind == SB_PART_CSR && joined(w, t, mean, ragged))
        return joined(w, t, mean, ragged);
    if (kind == SB_PART_ROWS && by_width(w, t) && sb_rule_between(w) &&
        forgotten(w, mean, ragged))
        return 1;
    if (kind == SB_PART_ROWS && (t->isa == SB_ISA_V3 || t->wide) &&
        joined(w, t, mean, ragged) == 1)
        return 1; /* as plain rows */
    /* plain rows that joined() leaves alone on Zen 5 are remembered there; of listed rows no kernel is
     * built in (nor on Zen, where that was not timed) */
    if (((kind == SB_PART_CSR && !t->wide) ||
         (kind == SB_PART_ROWS && t->isa != SB_ISA_V4G)) &&
        eights(w, t, mean, ragged))
        return SB_SPEC_FEW;
    /* four vectors of sums are chains enough for Zen 5 */
    if (t->wide && w->op == SB_OP_SPMM && w->n * w->b_size > 128)
        return 1;
    return sb_rule_unroll(w, t, mean, rows);
}

int
sb_rule_asking(const sb_work *w, const sb_target *t, int unroll)
{
    if (w->op == SB_OP_SDDMM)
        return sb_target_slow_gathers(t) && unroll > 4 ? 4 : unroll;
    return unroll > SB_SPEC_FEW || t->isa == SB_ISA_V4G ? 1 : unroll;
}

int
sb_rule_together_slab(const sb_work *w, int slab, const sb_target *t, sb_part_kind kind,
                      int rows, double mean, double ragged)
{
    const sb_work narrow = sb_work_slab(w, slab);
    const bool known = kind == SB_PART_PANEL || t->isa == SB_ISA_V3 ||
                       (t->isa == SB_ISA_V4 && !t->wide); /* measured there */

    return sb_rule_together(known ? &narrow : w, t, kind, rows, mean, ragged);
}
