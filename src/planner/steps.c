/*
 * Which kernel walks which groups, and in what order. Groups that touch rows first are
 * disjoint by construction and share step 0; every group that adds waits for all before
 * it. One fused kernel for all kinds of the plan is best, else steps are split by kind. Of several parts
 * that select, each has its own: two of one kind may differ in the size of blocks.
 */
#include "planner/build.h"

#include "base/alloc.h"
#include "planner/groups.h"
#include "planner/rules.h"
#include "planner/sampled.h"
#include "runtime/device.h"

/* A sampled product in place takes no notice of rows, so no tiles are cut for it. */
static bool
by_entries(const sb_build *b, unsigned kinds)
{
    return kinds == 1u << SB_PART_CSR && sb_sampled_by_entries(b->pl->pb);
}

/* Nor for rows in place that are all alike. Lanes of a row, or 0. */
static int
lanes_of(const sb_build *b, unsigned kinds)
{
    return kinds == 1u << SB_PART_CSR && b->choice.npart <= 1
               ? sb_groups_lanes(b->pl->pb, &b->pl->stats)
               : 0;
}

static sb_status
kernel(const sb_kernel **out, sb_build *b, unsigned kinds, sb_kernel_effort effort)
{
    const int lanes = lanes_of(b, kinds);

    if (by_entries(b, kinds))
        return sb_sampled_kernel(out, b->pl->pb, effort);
    if (lanes > 0)
        return sb_groups_kernel(out, b->pl->pb, lanes, effort);
    return sb_planner_kernel(out, b->pl->pb, &b->choice, kinds, b->pl->view.slot_type,
                             b->pl->view.crd_type, effort);
}

/* Kinds whose kernels a choice needs; coordinates leave rows to a cover of rows, and full windows
 * leave coordinates nothing. */
static unsigned
kinds_of(const sb_choice *ch, int64_t rows)
{
    unsigned kinds = 0;

    if (ch->npart == 2 && ch->part[0].kind == SB_PART_SHARE &&
        ch->part[1].kind == SB_PART_COO && rows > 0 && rows % ch->part[0].size == 0)
        return 1u << SB_PART_SHARE;
    for (int q = 0; q < ch->npart; q++)
        kinds |= 1u << ch->part[q].kind;
    if ((kinds >> SB_PART_COO & 1) && ch->op != SB_OP_SDDMM)
        kinds |= 1u << SB_PART_ROWS;
    return kinds;
}

/* The kernel of one part by itself. */
static sb_status
part_kernel(const sb_kernel **out, sb_build *b, sb_part_kind kind, int size,
            sb_kernel_effort effort)
{
    sb_choice alone = b->choice;

    alone.npart = 1;
    alone.part[0] = (sb_part_choice){.kind = kind, .size = size};
    return sb_planner_kernel(out, b->pl->pb, &alone, 1u << kind, b->pl->view.slot_type,
                             b->pl->view.crd_type, effort);
}

/* A kernel for each part of b->choice, and for rows that none of them touches. */
static bool
levels_exist(sb_build *b, unsigned kinds, sb_kernel_effort effort)
{
    const sb_kernel *k;

    for (int q = 0; q < b->choice.npart; q++)
        if (part_kernel(&k, b, b->choice.part[q].kind, b->choice.part[q].size,
                        effort) != SB_OK)
            return false;
    return !(kinds >> SB_PART_ROWS & 1) ||
           part_kernel(&k, b, SB_PART_ROWS, 0, effort) == SB_OK;
}

/* One kernel for all, or one for each. */
static bool
all_exist(sb_build *b, unsigned kinds, sb_kernel_effort effort)
{
    const sb_kernel *k;

    if (sb_choice_levels(&b->choice))
        return levels_exist(b, kinds, effort);

    if (kernel(&k, b, kinds, effort) == SB_OK)
        return true;
    for (int q = 0; q < SB_PART_COUNT; q++)
        if ((kinds >> q & 1) && kernel(&k, b, 1u << q, effort) != SB_OK)
            return false;
    return (kinds & (kinds - 1)) != 0;
}

/* Unrolling, streaming and prefetch are refinements: given up silently, in this order; but with
 * `keep` the last two are not. What asks for nothing takes `unasked` entries together. */
static bool
refined_exist(sb_build *b, unsigned kinds, const sb_choice *best, int unasked,
              bool keep, sb_kernel_effort effort)
{
    for (int without = 0; without < (keep ? 2 : 8); without++) {
        b->choice.unroll = without & 1 ? 1 : without & 4 ? unasked : best->unroll;
        b->choice.stream = !(without & 2) && best->stream;
        b->choice.prefetch = without & 4 ? 0 : best->prefetch;
        if (all_exist(b, kinds, effort))
            return true;
    }
    return false;
}

/* The tallest register tile of the parts. */
static int
rows_together(const sb_choice *ch)
{
    int rows = 0;

    for (int q = 0; q < ch->npart; q++) {
        const sb_part_choice *p = &ch->part[q];

        if ((p->kind == SB_PART_BSR || p->kind == SB_PART_WIN ||
             p->kind == SB_PART_SHARE || p->kind == SB_PART_MASK) &&
            p->size > rows)
            rows = p->size;
    }
    return rows;
}

/* How many entries of a row are taken together, where `want` does not say and nothing is asked for. */
static int
together(const sb_planner *pl, const sb_choice *want, bool alone, int block)
{
    const int unroll =
        sb_rule_together_slab(&pl->work, want->slab, pl->target, want->part[0].kind,
                              block, pl->stats.mean, pl->stats.ragged);
    const bool halves = unroll == SB_SPEC_HALVES || unroll == SB_SPEC_EIGHTS;

    if (want->unroll != 0)
        return want->unroll;
    if (alone)
        return 1;
    return halves && want->slab == 0 && sb_rule_slim(&pl->work, pl->target, &pl->stats)
               ? SB_SPEC_SLIM
               : unroll;
}

/* Whether fewer entries are taken together for it: of sampled products in rows, not in windows. */
static bool
asks(const sb_choice *best)
{
    return best->prefetch > 0 &&
           (best->op != SB_OP_SDDMM || best->part[0].kind == SB_PART_CSR);
}

/* A search for kernels: the best ones alone; those of the widest tile, and of half of it, that are
 * resident with all that concerns memory, which one that something else compiled may lack; any that
 * are resident; the best ones at what they cost. */
enum { BEST, WHOLE, RESIDENT, LAST, PASSES };

/* Rules for what `want` leaves open. The best form may be worth a file or a compilation;
 * the others only count when resident. */
static bool
by_rule(sb_build *b, const sb_choice *want, unsigned kinds)
{
    const sb_planner *pl = b->pl;
    const sb_part_kind first = want->part[0].kind;
    const int block =
        first == SB_PART_BLOCKS ? (int)pl->view.block : rows_together(want);
    const sb_work narrow = sb_work_slab(&pl->work, want->slab);
    const double bytes = sb_work_footprint(&pl->work, &pl->stats);
    /* of slabs in no order there is a rule of its own */
    const double strewn = want->slab == 0 ? pl->stats.strewn : 0;
    const bool alone = sb_rule_alone(&pl->work, bytes, strewn, first, pl->target);
    const bool ordered = first == SB_PART_PICK && want->part[0].k > 0;
    /* rows of B that a row of A brings: C is less beside more of them */
    const double brought =
        pl->stats.mean / (first == SB_PART_WIN && pl->target->wide ? block : 1);
    sb_choice best = *want;
    bool stream, past = false;
    int widest, unasked, asked;

    if (best.prefetch == 0 && best.last == 0 && want->slab == 0 &&
        kinds == 1U << SB_PART_CSR) {
        best.last = sb_rule_last(&pl->work, bytes, pl->stats.onward, pl->target);
        past = best.last > 0 && sb_rule_stream_last(pl->pb, &pl->work, pl->target);
    }
    stream =
        want->stream ||
        (sb_cost_once(want) &&
         (sb_rule_stream(pl->pb, &pl->work, brought, pl->target) ||
          (ordered && sb_rule_stream_order(pl->pb, &pl->work, pl->target)) || past));
    if (best.prefetch == 0 && first == SB_PART_CSR)
        best.prefetch =
            sb_rule_slab_prefetch(&pl->work, want->slab, pl->stats.strewn, pl->target);
    if (best.prefetch == 0 && best.last == 0 &&
        (best.op != SB_OP_SDDMM || first == SB_PART_CSR) &&
        !sb_rule_dots_near(&pl->work, pl->stats.onward, pl->target) &&
        sb_rule_slab_asks(&pl->work, want->slab, pl->target))
        best.prefetch = sb_rule_nearer(
            sb_rule_prefetch(pl->pb, bytes, strewn, block, stream, pl->target), first,
            narrow.n * narrow.b_size, pl->target);
    if (best.prefetch == 0 && first == SB_PART_WIN)
        best.prefetch = sb_rule_dots_window(&pl->work, bytes, strewn, pl->target);
    if (best.prefetch >= SB_SPEC_FAR && best.prefetch < SB_PREFETCH_WHOLE &&
        kinds != 1U << SB_PART_CSR) /* rows in place alone ask for first lines */
        best.prefetch = want->prefetch;
    unasked = best.unroll = together(pl, want, alone, block);
    if (want->unroll == 0 && asks(&best))
        best.unroll = sb_rule_asking(&pl->work, pl->target, unasked);
    asked = sb_rule_tile_asks(&pl->work, pl->target, best.prefetch, best.last);
    widest = sb_rule_tile_of(&narrow, pl->target, first, block, asked, 0);
    for (int pass = b->effort == SB_KERNEL_COMPILE ? BEST : WHOLE; pass < PASSES;
         pass++) {
        const bool resident = pass == WHOLE || pass == RESIDENT;
        const sb_kernel_effort effort = resident ? SB_KERNEL_RESIDENT : b->effort;

        for (int rank = 0; rank == 0 || resident; rank++) {
            best.tile = sb_rule_tile_of(&narrow, pl->target, first, block, asked, rank);
            if (best.tile == 0)
                break;
            if ((pass == WHOLE || (first != SB_PART_BLOCKS && block > 1)) &&
                2 * best.tile < widest)
                continue; /* parts lose to plain rows in so many passes */
            if (pass == WHOLE && best.tile > widest)
                continue;
            if (want->slab > 0 && best.tile > want->slab)
                continue;
            /* one that stands in for narrower ones is cut short, by masks, which no store past
             * the caches has */
            best.stream = stream && (best.tile <= widest || best.tile <= narrow.n) &&
                          sb_rule_tile_streams(&pl->work, pl->target, best.tile);
            b->choice = best;
            if (best.tile * pl->work.b_size < 256)
                b->choice.last = 0;
            if (resident
                    ? refined_exist(b, kinds, &best, unasked, pass == WHOLE, effort)
                    : all_exist(b, kinds, effort))
                return true;
        }
    }
    return false;
}

/* A kernel of a device is compiled for seconds, and parts that find no entry need none: the
 * steps ask for those they need. Only what the background is to make is asked for before. */
static bool
asked_by_steps(const sb_build *b)
{
    return b->pl->pb->device &&
           (b->effort == SB_KERNEL_STORED || b->effort == SB_KERNEL_COMPILE);
}

/* On a device the rules leave nothing open. */
static void
device_rule(sb_build *b, unsigned kinds)
{
    b->choice.tile = sb_rule_gpu_tile(&b->pl->work, b->pl->stats.mean);
    b->choice.unroll = kinds >> SB_PART_BLOCKS & 1
                           ? 1
                           : sb_rule_gpu_unroll(&b->pl->work, b->pl->stats.mean,
                                                rows_together(&b->choice));
    b->choice.prefetch = 0;
    b->choice.stream = false;
}

sb_status
sb_build_kernels_exist(sb_build *b, const sb_choice *want)
{
    const unsigned kinds = kinds_of(want, b->pl->view.rows);
    bool exist;

    /* sb_spec_of reads block sizes from the parts; restored by build_parts. */
    b->choice = *want;
    if (b->pl->pb->device && want->tile == 0)
        device_rule(b, kinds);
    if (asked_by_steps(b))
        exist = true;
    else if (want->tile > 0 || b->pl->pb->device)
        exist = all_exist(b, kinds, b->effort);
    else
        exist = by_rule(b, want, kinds);
    if (exist) {
        b->choice.npart = 0;
        return SB_OK;
    }
    return sb_diag_set(b->diag, SB_ENOKERNEL, "no kernel for these parts is at hand");
}

/* ---- steps --------------------------------------------------------------------- */

/* Groups that run together. */
typedef struct batch {
    unsigned kinds;
    int n;
    struct {
        int part, group;
    } at[SB_CHOICE_PARTS + 1];
    bool add;
    int level;
} batch;

static int
rank_in(unsigned kinds, sb_part_kind kind)
{
    int rank = 0;

    for (int q = 0; q < (int)kind; q++)
        rank += kinds >> q & 1;
    return rank;
}

/* Of one column tiles are cut by what their part costs: chunks of masked rows cost a fifth of their
 * places. What costs too little for a second thread is one. A partition's step has four a thread. */
static int64_t
grain_of_part(const sb_build *b, const sb_part *p, int64_t grain)
{
    const sb_work *w = &b->pl->work;
    const bool vector = w->op == SB_OP_SPMV;
    int64_t own;

    if (b->pl->pb->device || (!vector && (p->kind != SB_PART_ROWS || p->ngroup < 4)))
        return grain;
    own = sb_work_grain(w, vector ? sb_tiles_total(p) : 3 * p->nnz / p->ngroup,
                        b->pl->target->isa, b->pl->par.threads);
    return own < grain || (vector && b->npart == 1 && own == SB_GRAIN_ALONE) ? own
                                                                             : grain;
}

/* A block of a GPU is busy with as many rows as its kernel says. */
static int64_t
grain_of(const sb_build *b, const sb_kernel *k, int64_t grain)
{
    const sb_device *d = b->pl->pb->device;
    const sb_work *w = &b->pl->work;
    sb_gpu_shape s;

    if (!d)
        return grain;
    s = d->ops->shape(k);
    return s.items > 0 ? sb_rule_gpu_items(w->m + w->nnz, s.items)
                       : (int64_t)(s.rows_per_tile * (b->pl->stats.mean + 2));
}

/* Groups of a block that have rows of their own. */
static int64_t
groups_of(const sb_build *b, const sb_kernel *k)
{
    const sb_gpu_shape s = b->pl->pb->device->ops->shape(k);

    return s.items > 0 ? 1 : s.rows_per_tile;
}

/* Whether groups of lanes have tiles of their own. */
static bool
by_strips(const sb_build *b, const sb_kernel *k)
{
    const sb_device *d = b->pl->pb->device;

    return d && d->ops->shape(k).strip > 0;
}

/* A step without a table of tiles. */
static void
put_untiled(sb_build *b, const sb_kernel *k)
{
    const sb_problem *pb = b->pl->pb;
    sb_plan *plan = b->plan;
    sb_plan_int *integer = plan->integer + plan->nint;
    int64_t tiles;

    if (!plan->tile) /* the first round counts tiles */
        return;
    SB_ASSERT(plan->nstep == 0 && plan->nint + SB_SAMPLED_INTS <= SB_PLAN_MAX_INTS);
    if (pb->op == SB_OP_SDDMM) {
        tiles = sb_sampled_tiles(integer, pb, k);
        plan->nint += SB_SAMPLED_INTS;
    } else {
        tiles = sb_groups_tiles(integer, pb, k);
        plan->nint++;
    }
    plan->step[plan->nstep++] = (sb_step){.kernel = k, .tile_hi = tiles};
}

/* Tiles of the batch's groups of the given kinds, as one step of kernel k. */
static sb_status
put_step(sb_build *b, const batch *bt, unsigned kinds, const sb_kernel *k,
         unsigned fused, int64_t grain)
{
    sb_plan *plan = b->plan;
    const int64_t lo = plan->ntile;
    const sb_device *d = b->pl->pb->device;
    int64_t cut = 0, entries = 0; /* groups that were, and what they hold */

    if (by_entries(b, kinds) || lanes_of(b, kinds) > 0) {
        put_untiled(b, k);
        return SB_OK;
    }
    grain = grain_of(b, k, grain);
    for (int q = 0; q < bt->n; q++) {
        const sb_part *p = &b->part[bt->at[q].part];
        const int64_t before = plan->ntile;

        if (!(kinds >> p->kind & 1))
            continue;
        if (d && b->pl->pb->op != SB_OP_SDDMM &&
            sb_part_repeats(p, &p->group[bt->at[q].group]))
            return sb_diag_set(
                b->diag, SB_EINTERNAL,
                "a row is in several units of a part, which a GPU's block "
                "would add to at once");
        if (by_strips(b, k)) {
            const sb_gpu_shape s = d->ops->shape(k);

            sb_strips_cut(plan->tile, &plan->ntile, b->pl, &p->group[bt->at[q].group],
                          &s, lo);
            continue;
        }
        sb_tiles_cut(plan->tile, &plan->ntile, p, &p->group[bt->at[q].group],
                     &b->pl->view, rank_in(fused, p->kind), grain_of_part(b, p, grain));
        cut++;
        entries += p->group[bt->at[q].group].nnz;
        for (int64_t t = before; d && plan->tile && t < plan->ntile; t++)
            plan->tile[t].base =
                sb_tile_cost(&plan->tile[t], p, &b->pl->view, groups_of(b, k));
    }
    if (d && plan->tile && !by_strips(b, k))
        sb_tiles_longest_first(plan->tile + lo, plan->ntile - lo, grain);
    if (d && plan->tile && d->ops->shape(k).items > 0)
        sb_strips_place(plan->tile + lo, plan->ntile - lo, b->pl);
    if (!plan->tile || plan->ntile == lo)
        return SB_OK;
    if (plan->nstep == SB_PLAN_MAX_STEPS)
        return sb_diag_set(b->diag, SB_ENOTSUP, "the plan would have too many steps");
    plan->level[plan->nstep] = (uint8_t)bt->level;
    /* groups of a tile each may be less than a tile together */
    plan->step[plan->nstep++] =
        (sb_step){k, lo, plan->ntile, bt->add,
                  !d && cut > 1 && plan->ntile - lo == cut && entries <= grain};
    return SB_OK;
}

/* A batch of several parts that select: a step for each part. */
static sb_status
put_levels(sb_build *b, const batch *bt, int64_t grain)
{
    for (int q = 0; q < bt->n; q++) {
        const sb_part *p = &b->part[bt->at[q].part];
        const unsigned kind = 1u << p->kind;
        const sb_kernel *k;
        batch one = *bt;

        if (part_kernel(&k, b, p->kind, (int)p->width, b->effort) != SB_OK)
            return sb_diag_set(b->diag, SB_ENOKERNEL, "a part has no kernel at hand");
        one.n = 1;
        one.at[0] = bt->at[q];
        one.level = bt->at[q].part + 1;
        SB_TRY(put_step(b, &one, kind, k, kind, grain));
    }
    return SB_OK;
}

/* The kernel fused from all kinds of the plan, else from those of the step, else one
 * step for each kind. */
static sb_status
put_batch(sb_build *b, const batch *bt, unsigned all, const sb_kernel *fused,
          int64_t grain)
{
    const sb_kernel *k = fused;

    if (bt->n == 0)
        return SB_OK;
    if (sb_choice_levels(&b->choice))
        return put_levels(b, bt, grain);
    if (fused)
        return put_step(b, bt, bt->kinds, fused, all, grain);
    if (kernel(&k, b, bt->kinds, b->effort) == SB_OK)
        return put_step(b, bt, bt->kinds, k, bt->kinds, grain);
    for (int q = 0; q < SB_PART_COUNT; q++) {
        if (!(bt->kinds >> q & 1))
            continue;
        if (kernel(&k, b, 1u << q, b->effort) != SB_OK)
            return sb_diag_set(b->diag, SB_ENOKERNEL, "a part has no kernel at hand");
        SB_TRY(put_step(b, bt, 1u << q, k, 1u << q, grain));
    }
    return SB_OK;
}

static void
join(batch *bt, const sb_build *b, int part, int group)
{
    bt->at[bt->n].part = part;
    bt->at[bt->n].group = group;
    bt->n++;
    bt->kinds |= 1u << b->part[part].kind;
}

/* All batches in order; run once to count tiles and once to place them. */
static sb_status
put_batches(sb_build *b, unsigned all, const sb_kernel *fused, int64_t grain)
{
    batch first = {.add = false};

    for (int p = 0; p < b->npart; p++)
        for (int g = 0; g < b->part[p].ngroup; g++)
            if (!b->part[p].group[g].add)
                join(&first, b, p, g);
    SB_TRY(put_batch(b, &first, all, fused, grain));
    for (int p = 0; p < b->npart; p++)
        for (int g = 0; g < b->part[p].ngroup; g++) {
            batch one = {.add = b->pl->pb->op != SB_OP_SDDMM};

            if (!b->part[p].group[g].add)
                continue;
            join(&one, b, p, g);
            SB_TRY(put_batch(b, &one, all, fused, grain));
        }
    return SB_OK;
}

/* Kernels for the parts that there are: those that exist for all that were wanted may not for these
 * alone, then the rules are asked again. */
static void
settle_again(sb_build *b, const sb_choice *want, unsigned kinds)
{
    sb_choice built = b->choice, before = b->choice;

    if (b->pl->pb->device || want->tile > 0 ||
        kinds == kinds_of(want, b->pl->view.rows) || all_exist(b, kinds, b->effort))
        return;
    built.tile = want->tile;
    built.unroll = want->unroll;
    built.stream = want->stream;
    built.prefetch = want->prefetch;
    built.last = want->last;
    if (!by_rule(b, &built, kinds))
        b->choice = before;
}

sb_status
sb_build_steps(sb_build *b, const sb_choice *want)
{
    const int64_t grain = sb_work_grain(&b->pl->work, b->pl->work.nnz,
                                        b->pl->target->isa, b->pl->par.threads);
    const sb_kernel *fused = NULL;
    unsigned all = 0;

    for (int q = 0; q < b->npart; q++)
        all |= 1u << b->part[q].kind;
    if (all == 0)
        return SB_OK;
    settle_again(b, want, all);
    if (sb_choice_levels(&b->choice) || kernel(&fused, b, all, b->effort) != SB_OK)
        fused = NULL;
    SB_TRY(put_batches(b, all, fused, grain));
    b->plan->tile = sb_alloc_array(b->plan->ntile, sizeof *b->plan->tile);
    if (!b->plan->tile)
        return SB_ENOMEM;
    b->plan->ntile = 0;
    return put_batches(b, all, fused, grain);
}
