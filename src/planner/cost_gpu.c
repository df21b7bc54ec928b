/*
 * The model of a GPU: bounds, and what was measured on an H100 where that is said. B's rows come through L2, what L2 does
 * not hold comes from memory, and a product is not done before its longest row, which one
 * group of lanes walks entry by entry. What pays is what the bounds say: fewer loads of B's
 * rows where rows share them, fewer bytes of A, shorter longest rows, tensor cores.
 */
#include "planner/candidates.h"
#include "planner/context.h"
#include "planner/rules.h"

#include "base/macro.h"

#include <math.h>

/*
 * A multiprocessor of each generation, in a clock: fused multiply-adds of f32 and f64 and, on
 * tensor cores, of f16 and bf16 summed in f32; bytes that it gets from L2. Multiply-adds are
 * those of NVIDIA's guide and data sheets; tensor cores as GeForce parts have them where
 * those are most (7.5, 8.6, 8.9, 12.0), and on 9.0 and 10.0 as 8.0, because the kernels use
 * mma.sync, which does not reach what newer instructions do. L2: two thirds of 8.0's 5120
 * bytes for 108 multiprocessors, on 9.0 what HP-SpMM reaches on an H800, elsewhere a guess
 * between. bf16 of 7.5 goes by shuffles.
 */
typedef struct generation {
    int cc;
    double fma, fma64, f16, bf16, l2;
} generation;

static const generation generations[] = {
    {75, 64, 2, 256, 8, 20},       {80, 64, 32, 1024, 1024, 32},
    {86, 128, 2, 256, 256, 16},    {89, 128, 2, 256, 256, 16},
    {90, 128, 64, 1024, 1024, 26}, {100, 128, 64, 1024, 1024, 26},
    {120, 128, 2, 256, 256, 16},
};

/* Values of 16 bits that a multiprocessor turns into f32 in a clock. */
static const double converted = 64;
static const double usual_clock = 1.7e9, mem_rate = 36e9;
static const double latency = 0.6e-6, launch_seconds = 2.5e-6;
/* Threads on a multiprocessor (SBG_KERNEL; kernels with sums of several rows may get fewer);
 * loads of a row until its first sum; entries of a row that no other waits for; columns that a
 * tensor core takes at once, and sums of a warp; sampled entries of a group under way at once;
 * share of L2 that is there for B; what a row of B costs that L1 still has. */
enum {
    THREADS = 512,
    CHAIN = 3,
    SECTOR = 32,
    ORDINARY = 32,
    DEPTH = 16,
    SUMS = 512,
    TOGETHER = 4
};
/* SpMV: threads of a block, entries of each under way in a long row; entries and row ends that
 * the blocks of a multiprocessor have at once. A lane that walks a row entry by entry waits for
 * an element of x each time: what slices of rows took on an H100. */
enum { BLOCK = 256, UNDER = 4, SHARED = 5 * 1024 };
static const double entry_latency = 0.3e-6;
static const double l2_share = 0.75, near_cost = 0.4;
/* What ranges take where strips take 1, measured on an H200. */
static const double range_cost = 1.2;

/* The newest that is not newer. */
static const generation *
generation_of(const sb_gpu_facts *g)
{
    const generation *at = generations;

    while (at + 1 < generations + SB_COUNT(generations) && at[1].cc <= g->cc)
        at++;
    return at;
}

/* Clocks of all multiprocessors in a second. */
static double
clocks(const sb_gpu_facts *g)
{
    return g->sms * (g->clock > 0 ? g->clock : usual_clock);
}

void
sb_gpu_target(sb_target *t, const sb_gpu_facts *facts)
{
    t->gpu = facts;
    t->step_seconds = launch_seconds;
    t->tile_seconds = 0;
    for (int op = 0; op < SB_OP_COUNT; op++)
        for (int q = 0; q < SB_CLASS_COUNT; q++)
            t->factor[op][q] = (sb_factor){1, 1, 1};
}

static bool
windows(const sb_part_choice *p)
{
    return p->kind == SB_PART_WIN || p->kind == SB_PART_SHARE;
}

/* Parts that sb_rule_lanes gives to tensor cores. */
static bool
on_tensor_cores(const sb_part_choice *p, const sb_work *w)
{
    const bool half = w->a_type == SB_F16 || w->a_type == SB_BF16;

    return half && w->op == SB_OP_SPMM && w->b_size == 2 && w->compute_size == 4 &&
           (p->kind == SB_PART_SHARE
                ? p->size == 8
                : p->kind == SB_PART_BSR && p->size >= 8 && p->size <= 32);
}

/* Seconds of multiply-adds. Tensor cores take whole steps of shared columns; what 16-bit rows
 * share with none is turned into f32 first. */
static double
arithmetic(const sb_gpu_part *p, const sb_work *w, double width, const sb_gpu_facts *g)
{
    const generation *gen = generation_of(g);
    const bool tensor = on_tensor_cores(p->choice, w), half = w->b_size == 2;
    const double real = w->compute_size > (w->complex ? 8 : 4) ? gen->fma64 : gen->fma;
    const double plain = half ? fmin(real, converted) : real;
    const double together = tensor ? p->slots : 0, rows = p->choice->size;
    const double steps = together > 0 ? p->units * rows * DEPTH / 2 : 0;
    const double fast = w->a_type == SB_BF16 ? gen->bf16 : gen->f16;

    return width * ((together + steps) / fast + (p->entries - together) / plain) *
           (w->complex ? 4 : 1) / clocks(g);
}

/* Loads of a row of B. */
static double
loads(const sb_gpu_part *p)
{
    const sb_part_choice *c = p->choice;

    if (windows(c))
        return p->entries - p->slots + p->slots / c->size;
    return c->kind == SB_PART_BSR      ? p->entries / c->size
           : c->kind == SB_PART_BLOCKS ? p->entries / 3
                                       : p->entries;
}

/* Sampled entries are shared out equally, whatever rows they are of. */
static bool
by_entries(const sb_part_choice *c, const sb_work *w)
{
    return w->op == SB_OP_SDDMM && (c->kind == SB_PART_CSR || c->kind == SB_PART_LIST ||
                                    c->kind == SB_PART_COO);
}

/* SpMV of rows in place: blocks of equal numbers of entries (src/kernels/products.inc). */
static bool
shared_out(const sb_part_choice *p, const sb_work *w)
{
    return p->kind == SB_PART_CSR && w->op == SB_OP_SPMV;
}

/* Chains of loads that a group waits for: rows of a window that share little are walked one
 * by one. */
static double
chains(const sb_gpu_part *p, const sb_work *w)
{
    const sb_part_choice *c = p->choice;
    const double alone = p->entries > 0 ? 1 - p->slots / p->entries : 1;

    if (c->kind == SB_PART_CSR && by_entries(c, w))
        return p->entries / TOGETHER;
    return p->units * (windows(c) ? 1 + (c->size - 1) * alone : 1);
}

/* Bytes that a load brings: whole sectors, of one column those that neighbours share. */
static double
line(const sb_work *w, const sb_stats *s)
{
    const double width = w->op == SB_OP_SDDMM ? (double)w->k : (double)w->n;

    if (w->op == SB_OP_SPMV)
        return s->mask_fill[0] > 2 ? SECTOR * 2 / s->mask_fill[0] : SECTOR;
    return fmax(width * w->b_size, SECTOR);
}

/* Rows in place whose entries the groups of a block share out (kernels/strips.inc). */
static bool
in_strips(const sb_part_choice *p, const sb_work *w)
{
    return p->kind == SB_PART_CSR && w->op == SB_OP_SPMM && !w->col_major;
}

/* Seconds that one group of lanes takes for the longest row; short ones are all alike. */
static double
walk(const sb_gpu_part *p, const sb_work *w, const sb_stats *s)
{
    const sb_part_choice *c = p->choice;
    double row = (double)s->longest;

    if (by_entries(c, w))
        return 0;
    if (shared_out(c, w)) /* by the threads of a block, several entries each at once */
        return row / (BLOCK * UNDER) * latency;
    if (w->op == SB_OP_SPMV && c->kind == SB_PART_SELL) /* a lane's, entry by entry */
        return row * entry_latency;
    if (w->op == SB_OP_SPMV && c->kind != SB_PART_SELL)
        row /= sb_rule_gpu_tile(w, s->mean);
    if (c->kind == SB_PART_BSR || (windows(c) && p->slots > 0.5 * p->entries))
        row /= 2;
    if (in_strips(c, w)) /* groups of a block, and entries that each has under way */
        return row / (w->n > 32 ? 8 * 8 : 16 * 8) * latency;
    return fmax(0, row - ORDINARY) * latency / sb_rule_gpu_unroll(w, s->mean, 1);
}

/* Groups of a block wait for the longest row among theirs, unless entries are shared out, or rows
 * listed by length, which on the other hand are no neighbours: what that costs in the rows of B that
 * L1 has, gather says. */
static double
waiting(const sb_gpu_part *p, const sb_work *w, const sb_stats *s)
{
    return by_entries(p->choice, w) || shared_out(p->choice, w) ||
                   in_strips(p->choice, w) || sb_cost_class(p->choice) == SB_CLASS_HYB
               ? 1
               : 1 + 0.2 * fmin(s->cv, 3);
}

/* Share of so many bytes that room of L2 cannot hold. */
static double
beyond(double bytes, double room)
{
    return bytes > room ? 1 - room / bytes : 0;
}

void
sb_gpu_terms(sb_terms *out, const sb_gpu_part *p, const sb_work *w, const sb_stats *s,
             const sb_target *t, sb_cost *total)
{
    const sb_gpu_facts *g = t->gpu;
    const double width = w->op == SB_OP_SDDMM ? (double)w->k : (double)w->n;
    const bool tensor = on_tensor_cores(p->choice, w);
    const double widest = sb_rule_gpu_tile(w, s->mean);
    const double tile = tensor ? fmin(widest, SUMS / p->choice->size) : widest;
    const double tiles = w->op == SB_OP_SPMM ? ceil(width / tile) : 1;
    const double rows = loads(p), bytes = rows * line(w, s);
    /* column tiles run one after another, and partitions */
    const double kept = sb_work_footprint(w, s) / tiles / p->partitions;
    const double room = l2_share * (double)g->l2;
    const double missed = beyond(kept, room), again = beyond(kept + p->bytes, room);
    const double reuse = sb_cost_class(p->choice) == SB_CLASS_HYB ? 0 : s->window_reuse;
    const double far = bytes * (1 - reuse) * s->window_fresh * missed;
    const double c_bytes =
        1.5 * p->touches * (w->op == SB_OP_SDDMM ? 0 : width) * w->c_size;
    const double mem = g->mem_rate > 0 ? g->mem_rate : mem_rate * g->sms;
    const double moved =
        (1 + (tiles - 1) * again) * p->bytes + c_bytes + sb_work_footprint(w, s) + far;
    const double flops = 2 * p->entries * width * (w->complex ? 4 : 1);
    const double through = waiting(p, w, s) * bytes * (1 - (1 - near_cost) * reuse) /
                           (generation_of(g)->l2 * clocks(g));
    const double lanes =
        tensor ? 32 : fmin(32, fmax(4, w->op == SB_OP_SPMV ? tile : tile / 4));
    const double groups = g->sms * THREADS / lanes;

    out->roof = fmax(fmax(through, moved / mem), arithmetic(p, w, width, g));
    out->unit = tiles * chains(p, w) * CHAIN * latency / groups;
    if (shared_out(p->choice, w))
        out->unit = (p->units + p->entries) * CHAIN * latency / (g->sms * SHARED);
    out->entry = fmax(0, walk(p, w, s) - out->roof - out->unit);
    total->bytes += moved;
    total->flops += flops;
}

double
sb_gpu_ranges(const sb_planner *pl)
{
    static const sb_choice rows = {.npart = 1, .part = {{.kind = SB_PART_CSR}}};
    sb_cost cost;

    if (sb_problem_as_is(pl->pb) != SB_PART_CSR || pl->pb->op == SB_OP_SDDMM ||
        sb_rule_gpu_whole(pl->pb))
        return INFINITY;
    sb_cost_predict(&cost, &rows, &pl->work, &pl->stats, pl->target);
    return range_cost * (cost.terms[0].roof + cost.terms[0].unit) + 2 * launch_seconds;
}

static const char *
unwise_selection(const sb_planner *pl, const sb_weighed *w)
{
    const sb_part_choice *p = &w->choice.part[0];
    const sb_stats *s = &pl->stats;

    if (p->kind == SB_PART_BSR && w->cost.share[0] < (p->size == 2 ? 0.6 : 0.5))
        return "too few full blocks";
    if (p->kind == SB_PART_WIN && s->win_share[sb_stats_window(p->size)] < 0.5)
        return "too few runs shared by neighbouring rows";
    if (p->kind == SB_PART_SHARE && s->held_share[sb_stats_window(p->size)] < 0.5)
        return "too few columns shared by neighbouring rows";
    if (p->kind == SB_PART_DIA && (pl->pb->op != SB_OP_SPMV || w->cost.share[0] < 0.6))
        return "too few entries on dense diagonals, or columns enough";
    return NULL;
}

/* Whether every row of C comes from one part in one piece. Windows leave only rows that they
 * do not touch; blocks that hold all of the sample leave next to nothing. */
static bool
written_once(const sb_weighed *w)
{
    const sb_part_choice *p = &w->choice.part[0], *last = p + w->choice.npart - 1;

    if (last->kind == SB_PART_COO || (last->kind == SB_PART_ROWS && last->c > 1))
        return false;
    return w->choice.npart == 1 || (w->choice.npart == 2 && windows(p)) ||
           (p->kind == SB_PART_BSR && w->cost.share[0] >= 1);
}

/*
 * How much longer than strips other compositions of SpMM take beside what the bounds say,
 * measured on an H100 (bench/results/h100-first.md): windows and blocks wait for their loads with few
 * threads on a multiprocessor, and listed rows are walked one by one.
 */
double
sb_gpu_beside_strips(const sb_planner *pl, const sb_choice *ch)
{
    const sb_part_choice *p = &ch->part[0];

    if (pl->pb->op != SB_OP_SPMM || pl->work.col_major || !pl->view.crd_in_place ||
        pl->view.pos || (ch->npart == 1 && p->kind == SB_PART_CSR) ||
        on_tensor_cores(p, &pl->work))
        return 1;
    return windows(p) || p->kind == SB_PART_BSR ? 6 : 2;
}

/* What the bounds do not see. */
const char *
sb_gpu_unwise(const sb_planner *pl, const sb_weighed *w)
{
    const sb_part_choice *p = &w->choice.part[0], *last = p + w->choice.npart - 1;
    const bool in = pl->view.crd_in_place && !pl->view.pos;
    const sb_stats *s = &pl->stats;
    const char *why = w->choice.npart > 1 ? unwise_selection(pl, w) : NULL;

    if (why)
        return why;
    if (pl->work.c_size < pl->work.compute_size && !written_once(w))
        return "C would be rounded between two pieces";
    if (in && pl->pb->op == SB_OP_SPMV &&
        (windows(p) || p->kind == SB_PART_MASK)) /* H100: 1.9 to 5 times as long */
        return "rows in place are shared out by entries";
    /* lists of rows by length took 2.6 to 8.2 times as long (H200); tensor cores nobody timed */
    if (pl->pb->op == SB_OP_SDDMM && sb_problem_as_is(pl->pb) == SB_PART_CSR &&
        !(w->choice.npart == 1 && p->kind == SB_PART_CSR))
        return "entries in place are shared out equally";
    if (!sb_rule_gpu_suits(&w->choice))
        return "made for a CPU";
    if (in &&
        (p->kind == SB_PART_ELL || p->kind == SB_PART_PICK || p->kind == SB_PART_COO))
        return "rows in place need no positions";
    if (last->kind == SB_PART_ROWS && last->c > 1 &&
        (sb_work_footprint(&pl->work, s) < 4 * (double)pl->target->gpu->l2 ||
         (double)s->nnz < 8 * (double)s->distinct || s->mean < 4.0 * last->c ||
         last->c > 4))
        return "columns too local or too few for partitions";
    if (p->kind == SB_PART_ROWS && p->k < 0 && p->c == 1)
        return "rows in place need no list";
    return NULL;
}
