/*
 * What the model's terms leave out: how much slower or faster than the roofline, and than an entry
 * of plain rows one by one, a form runs on the machines that were measured.
 */
#include "planner/cost.h"
#include "planner/rules.h"

#include <math.h>

bool
sb_cost_windows(const sb_part_choice *p)
{
    return p->kind == SB_PART_WIN || p->kind == SB_PART_SHARE;
}

bool
sb_cost_once(const sb_choice *ch)
{
    return ch->npart == 1 || (ch->npart == 2 && sb_cost_windows(&ch->part[0]));
}

/* Rows long enough for two entries at a time keep more of B in flight, which shows while
 * a row of B is but a few lines (docs/measured/spmm-rows.md, Rows on Sapphire Rapids).
 * A run of shared columns begins anew for each window, which shows where there is
 * little else to do. Sums of 64 columns of six rows leave Zen 4 too few registers for
 * what else a shared column needs (docs/measured/spmm-windows.md, Shared columns in
 * place on Zen 4). */
static double
slowdown(const sb_part_choice *p, const sb_work *w, const sb_target *t, int unroll)
{
    const int64_t row = w->n * w->b_size;

    if (p->kind == SB_PART_WIN && row <= 32 && !sb_target_slow_gathers(t))
        return t->isa != SB_ISA_V4G               ? 1.3
               : row <= 16 || w->compute_size > 4 ? 1.2
                                                  : 1.12;
    /* rows that go together gain what the roofline does not know, while B is near */
    if (p->kind == SB_PART_WIN && w->op == SB_OP_SPMM && row <= 128 &&
        (double)w->k * (double)row <= (double)t->l2 && t->isa == SB_ISA_V4G)
        return p->size == 2 ? 1.3 : 1.12;
    /* their indices are less of the time, the longer rows of B are */
    if (p->kind == SB_PART_SHARE && t->isa == SB_ISA_V4G && row > 64)
        return 1.33;
    if (p->kind == SB_PART_PANEL && t->isa == SB_ISA_V3 && row >= 256 && row < 1024)
        return row < 512 ? 0.95 : 0.88;
    /* longer rows share sets of L1, which slabs cure */
    if (p->kind == SB_PART_PANEL && t->isa == SB_ISA_V4G && row >= 1536)
        return 1.3;
    /* what cost_rows.c does not price; Zen 5 waits more for L2 beside L1 than Zen 4, which shows while
     * segments are not most of it */
    if (p->kind == SB_PART_PANEL && sb_target_slow_gathers(t))
        return t->wide && row >= 256 && row < 1024 ? 0.94 : 1.3;
    if (p->kind == SB_PART_BSR && sb_target_zen4(t) && sb_rule_by_price(w, t))
        return row < 512 ? 1.15 : 1.3;
    if (p->kind == SB_PART_SHARE && p->size >= 6 && w->n >= 64 &&
        w->compute_size == 4 && sb_target_slow_gathers(t))
        return p->size == 6 ? 1.3 : 0.95;
    if (unroll == SB_SPEC_FEW) /* Zen 4: 1.07 times as fast as fours on long rows */
        return t->isa == SB_ISA_V4G ? 0.68 : 0.78;
    /* rows one after the other: 1.12 times as fast as eights, 1.17 as pairs; of two vectors
     * 1.08 as one by one, 1.03 as pairs */
    if (unroll > SB_SPEC_FEW && row <= 32 && t->isa >= SB_ISA_V4)
        return t->isa == SB_ISA_V4G ? 0.66 : 0.7;
    if (unroll > SB_SPEC_FEW && row > 64)
        return w->nnz < 32 * w->m ? 0.92 : 0.8;
    return unroll > 1 && row <= 256 ? 0.82 : 1;
}

/* What is left of the cost of an entry where a row of B is a line at most: most of it is
 * the chain of additions, which entries taken together do not have in common. */
static double
unchained(const sb_work *w, const sb_target *t, int unroll)
{
    if (unroll == SB_SPEC_FEW)
        return t->isa == SB_ISA_V4G ? 0.33 : 0.38;
    if (unroll > SB_SPEC_FEW && w->n * w->b_size <= 32 && t->isa >= SB_ISA_V4)
        return t->isa == SB_ISA_V4G ? 0.32 : 0.34;
    return unroll > 1 && w->n * w->b_size <= 64 ? 0.4 : 1;
}

/* Zen 5: rows one after the other gain more than windows do from loads and operations of 64 bytes
 * (docs/measured/spmm-few-columns.md, Few columns on Zen 5). */
static double
joined_rows(const sb_work *w, const sb_target *t, int unroll)
{
    const int64_t row = w->n * w->b_size;

    return t->wide && unroll > SB_SPEC_FEW && row <= (w->compute_size > 4 ? 64 : 32)
               ? (w->compute_size > 4 ? 0.8 : 0.87)
               : 1;
}

double
sb_cost_roof_pace(const sb_part_choice *p, const sb_work *w, const sb_target *t,
                  int unroll)
{
    return joined_rows(w, t, unroll) * slowdown(p, w, t, unroll);
}

double
sb_cost_entry_pace(const sb_work *w, const sb_target *t, int unroll)
{
    return joined_rows(w, t, unroll) * unchained(w, t, unroll);
}
