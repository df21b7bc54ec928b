/*
 * From a choice to a plan: build the parts in order, put their groups into steps, find
 * the kernels, cut the tiles, move the arrays into the plan.
 */
#include "planner/build.h"

#include "base/alloc.h"
#include "base/fault.h"
#include "planner/candidates.h"
#include "planner/row_order.h"
#include "planner/rules.h"
#include "runtime/slab.h"

#include <stdio.h>
#include <string.h>

enum { ALIKE_AHEAD = 8192, WINDOW_AHEAD = 8192 /* bytes */ };

/* Windows of a matrix that has no other order keep theirs. */
static sb_status
windows(sb_build *b, sb_part *out, sb_part_choice *p)
{
    const bool listed = b->pl->pb->op == SB_OP_SPMM && !b->pl->pb->device;
    const sb_status st = p->k > 0 && listed ? sb_row_order_make(b->pl, p->size) : SB_OK;

    if (st != SB_OK && st != SB_SKIP)
        return st;
    if (st == SB_SKIP || !listed)
        p->k = 0;
    return sb_part_win_by(out, &b->cover, p->size, b->pl->stats.sorted,
                          p->k > 0 ? b->pl->order : NULL, &b->pl->par);
}

static sb_status
selecting_part(sb_build *b, sb_part_choice p)
{
    sb_part *out = &b->part[b->npart];
    const bool sorted = b->pl->stats.sorted;
    sb_status st;

    if (p.kind == SB_PART_BSR)
        st = sb_part_bsr(out, &b->cover, p.size, sorted, &b->pl->par);
    else if (p.kind == SB_PART_WIN)
        st = windows(b, out, &p);
    else if (p.kind == SB_PART_SHARE)
        st = sb_part_share(out, &b->cover, p.size, !b->pl->pb->device, sorted,
                           &b->pl->par);
    else
        st = sb_part_dia(out, &b->cover, p.size, sorted);
    if (st == SB_OK) {
        b->choice.part[b->choice.npart++] = p;
        b->npart++;
    }
    return st == SB_SKIP ? SB_OK : st;
}

/* Whether slots alone pass the limit, seen before they are allocated: every row with an
 * entry has a unit. */
static bool
ell_exceeds(const sb_build *b, int k)
{
    const sb_planner *pl = b->pl;
    const int64_t units = b->cover.rest < pl->view.nnz
                              ? b->cover.rest > 0
                              : pl->stats.rows - pl->stats.empty;
    const size_t slot =
        sb_dtype_size(pl->view.crd_type) + sb_dtype_size(pl->view.slot_type);

    return (double)units * (double)((int64_t)1 << k) * (double)slot >
           (double)pl->memory_limit;
}

/* Slices by diagonals, with what lookups in place need. */
static sb_status
diagonals(sb_build *b, sb_part *out)
{
    const sb_hdia form = !b->choice.packed                           ? SB_HDIA_IN_PLACE
                         : sb_rule_thin(&b->pl->work, b->pl->target) ? SB_HDIA_THIN
                                                                     : SB_HDIA_PACKED;
    const sb_status st =
        sb_part_hdia(out, &b->cover, form, b->pl->stats.sorted, &b->pl->par);

    if (st != SB_OK || b->choice.ranged == 0)
        return st;
    return sb_part_hdia_ranges(out, &b->pl->view, b->choice.ranged,
                               SB_RANGED_BYTES / b->pl->work.a_size);
}

/* Slices by diagonals, or unaligned blocks; else slices, which take any order and any columns. */
static sb_status
packed_rows(sb_build *b, sb_part *out, sb_part_choice *p)
{
    const sb_matrix *a = &b->pl->pb->a;
    const sb_ubcsr as = {p->size, p->c, a->val, a->val_type};
    const sb_status st =
        p->kind == SB_PART_HDIA
            ? diagonals(b, out)
            : sb_part_ubcsr(out, &b->cover, &as, b->pl->stats.sorted, &b->pl->par);

    if (st != SB_SKIP)
        return st;
    *p = (sb_part_choice){.kind = SB_PART_SELL};
    b->choice.ranged = 0;
    b->choice.narrow = sb_part_sell_narrows(&b->pl->view);
    return sb_part_sell(out, &b->cover, !b->choice.packed, b->choice.narrow,
                        &b->pl->par);
}

/* Rows of a matrix that has no other order keep theirs. */
static sb_status
picked_rows(sb_build *b, sb_part *out, sb_part_choice *p)
{
    const sb_status st = p->k > 0 ? sb_row_order_make(b->pl, 1) : SB_OK;

    if (st == SB_SKIP)
        p->k = 0;
    else if (st != SB_OK)
        return st;
    return sb_part_pick_by(out, &b->cover, p->k > 0 ? b->pl->order : NULL);
}

static sb_status
rest_part(sb_build *b, sb_part_choice p)
{
    sb_part *out = &b->part[b->npart];
    sb_status st;

    if (p.kind == SB_PART_ROWS && !b->pl->stats.sorted)
        p.c = 1; /* partitions are found by binary search */
    switch (p.kind) {
    case SB_PART_CSR:
    case SB_PART_SEG:
    case SB_PART_PROD:
        st = sb_part_in_place(out, &b->cover, p.kind);
        break;
    case SB_PART_ALIKE:
        st = sb_part_alike(out, &b->cover, &b->pl->par);
        break;
    case SB_PART_SELL:
        st = sb_part_sell(out, &b->cover, !b->choice.packed, b->choice.narrow,
                          &b->pl->par);
        break;
    case SB_PART_BLOCKS:
        st = sb_part_blocks(out, &b->cover);
        break;
    case SB_PART_LIST:
        st = sb_part_list(out, &b->cover);
        break;
    case SB_PART_MASK:
        st = sb_part_mask(out, &b->cover, p.size, b->pl->stats.sorted, &b->pl->par);
        if (st == SB_SKIP) { /* unsorted or too narrow: rows are always right */
            p = (sb_part_choice){.kind = SB_PART_ROWS, .c = 1, .k = -1};
            b->choice.joined = false;
            st = sb_part_rows(out, &b->cover, p.c, p.k, b->pl->stats.sorted);
        }
        break;
    case SB_PART_HDIA:
    case SB_PART_UBCSR:
        st = packed_rows(b, out, &p);
        break;
    case SB_PART_PANEL:
        st = sb_part_panel(out, &b->cover, p.size,
                           sb_rule_blocks(&b->pl->work, b->pl->target),
                           b->pl->stats.sorted, &b->pl->par);
        break;
    case SB_PART_ROWS:
        st = sb_part_rows(out, &b->cover, p.c, p.k, b->pl->stats.sorted);
        break;
    case SB_PART_ELL:
        if (ell_exceeds(b, p.k))
            return sb_diag_set(
                b->diag, SB_ERESOURCES,
                "slots of this width need more than the %zu bytes a plan "
                "may hold",
                b->pl->memory_limit);
        st = sb_part_ell(out, &b->cover, (int64_t)1 << p.k);
        break;
    case SB_PART_PICK:
        st = picked_rows(b, out, &p);
        break;
    default:
        st = sb_part_coo(out, &b->cover);
        break;
    }
    if (st == SB_SKIP)
        return sb_diag_set(b->diag, SB_ENOTSUP,
                           "this part reads rows in place, and the matrix has no "
                           "compressed rows of op(A) in memory");
    b->choice.part[b->choice.npart++] = p;
    if (st == SB_OK && out->ngroup > 0)
        b->npart++;
    else
        sb_part_free(out);
    return st;
}

/* Rows no part has touched still need beta: units without entries. */
static sb_status
cover_part(sb_build *b)
{
    const sb_view *v = &b->pl->view;
    sb_part *out = &b->part[b->npart];
    int64_t bare = 0, u = 0;
    void *row, *lo, *hi;

    if (b->pl->pb->op == SB_OP_SDDMM)
        return SB_OK;
    for (int64_t i = b->cover.whole; i < v->rows; i++)
        bare += sb_cover_bare(&b->cover, i);
    if (bare == 0)
        return SB_OK;
    out->kind = SB_PART_ROWS;
    row = sb_part_array_new(out, "rows_row", v->crd_type, bare);
    lo = sb_part_array_new(out, "rows_lo", v->slot_type, bare);
    hi = sb_part_array_new(out, "rows_hi", v->slot_type, bare);
    b->npart++;
    if (!row || !lo || !hi)
        return SB_ENOMEM;
    memset(lo, 0, (size_t)bare * sb_dtype_size(v->slot_type));
    memset(hi, 0, (size_t)bare * sb_dtype_size(v->slot_type));
    for (int64_t i = b->cover.whole; i < v->rows; i++)
        if (sb_cover_bare(&b->cover, i))
            sb_index_store(row, v->crd_type, u++, i);
    out->ngroup = 1;
    out->group[0] = (sb_part_group){0, bare, 0, 0, false};
    return SB_OK;
}

static sb_status
pack_values(sb_build *b)
{
    const sb_matrix *a = &b->pl->pb->a;
    sb_status st = SB_OK;

    if (b->choice.packed && !b->pl->opt->values_frozen)
        return sb_diag_set(b->diag, SB_ENOTSUP,
                           "packed values need the promise that A's values stay");
    if (SB_FAULT(FROZEN_VALUES))
        b->choice.packed = true;
    if (!b->choice.packed)
        return SB_OK;
    if (a->batch > 1)
        return sb_diag_set(b->diag, SB_ENOTSUP,
                           "packed values hold one matrix, not a batch");
    for (int q = 0; q < b->npart && st == SB_OK; q++)
        if (b->part[q].kind != SB_PART_COO)
            st = sb_part_pack(&b->part[q], a->val, a->val_type, &b->pl->par);
    if (st == SB_SKIP)
        return sb_diag_set(b->diag, SB_ENOTSUP,
                           "a packed diagonal cannot tell a stored zero from a hole");
    b->plan->values_frozen = true;
    return st == SB_OK && b->choice.one ? sb_part_sell_one(&b->part[0]) : st;
}

/* What a forced text may ask of a format that cannot give it. */
static sb_status
fits(const sb_build *b, const sb_choice *want)
{
    const sb_problem *pb = b->pl->pb;
    const int kind = (int)want->part[0].kind;

    if ((kind == SB_PART_BLOCKS) != (pb->a.format == SB_FORMAT_BSR))
        return sb_diag_set(b->diag, SB_ENOTSUP,
                           "part blocks is for block matrices, and they have no other");
    if (kind == SB_PART_LIST && pb->a.format != SB_FORMAT_COO)
        return sb_diag_set(b->diag, SB_ENOTSUP, "part list is for coordinates");
    if (sb_problem_own_structures(pb) && kind != sb_problem_as_is(pb))
        return sb_diag_set(b->diag, SB_ENOTSUP,
                           "every batch member has its own structure, so only a part "
                           "without arrays serves them all");
    return SB_OK;
}

static sb_status
build_parts(sb_build *b, const sb_choice *want)
{
    sb_cover_init(&b->cover, &b->pl->view);
    SB_TRY(fits(b, want));
    for (int q = 0; q + 1 < want->npart; q++)
        SB_TRY(selecting_part(b, want->part[q]));
    SB_TRY(rest_part(b, want->part[want->npart - 1]));
    SB_TRY(cover_part(b));
#ifndef NDEBUG
    if (!SB_FAULT(LOST_ROW))
        SB_TRY(sb_parts_check(b->part, b->npart, &b->pl->view, b->diag));
#endif
    return pack_values(b);
}

/* NAME, and NAME@L where each level has names of its own. */
static void
at_level(char *out, size_t size, const char *name, int level)
{
    (void)snprintf(out, size, level > 0 ? "%s@%d" : "%s", name, level);
}

/* Moves a part's arrays into the plan. */
static sb_status
take_arrays(sb_build *b, sb_part *p, int level)
{
    sb_plan *plan = b->plan;

    for (int q = 0; q < p->narray; q++) {
        sb_plan_array *to = &plan->array[plan->narray];

        if (plan->narray == SB_PLAN_MAX_ARRAYS)
            return SB_EINTERNAL;
        at_level(to->name, sizeof to->name, p->array[q].name, level);
        to->type = p->array[q].type;
        to->count = p->array[q].count;
        to->data = p->array[q].data;
        p->array[q].data = NULL;
        plan->narray++;
        plan->bytes += (size_t)to->count * sb_dtype_size(to->type);
    }
    return SB_OK;
}

static void
add_int(sb_plan *plan, const char *name, int64_t value)
{
    sb_plan_int *to = &plan->integer[plan->nint++];

    SB_ASSERT(plan->nint <= SB_PLAN_MAX_INTS);
    strncpy(to->name, name, sizeof to->name - 1);
    to->value = value;
}

/* How many values ahead alike rows ask: on Zen 5 of floats that fill more than the second caches of
 * all threads, of doubles that fill half as much, which are half as many a line; on Zen 4 where
 * other forms ask. */
static int64_t
alike_ahead(const sb_build *b)
{
    const sb_target *t = b->pl->target;
    const sb_work *w = &b->pl->work;
    const int64_t size = (int64_t)w->a_size;
    const double near = (double)t->l2 * t->threads * 4, nnz = (double)b->pl->view.nnz;
    const bool far =
        t->wide ? nnz * (double)(size * size) > near
                : sb_target_zen4(t) &&
                      sb_target_ahead(t, nnz * (double)(size + w->idx_size),
                                      (size_t)size, (double)w->k * w->b_size) > 0;

    return far ? ALIKE_AHEAD / size : 0;
}

/* How many slots ahead packed values are asked for (sb_target_ahead). */
static int64_t
packed_ahead(const sb_build *b, int64_t slots, size_t column)
{
    const sb_work *w = &b->pl->work;

    return sb_target_ahead(b->pl->target,
                           (double)slots * ((double)w->a_size + (double)column),
                           (size_t)w->a_size, (double)w->k * w->b_size);
}

/* How many values ahead windows and packed shared columns ask. */
static int64_t
window_ahead(const sb_build *b)
{
    for (int q = 0; q < b->choice.npart; q++)
        if (b->choice.part[q].kind == SB_PART_WIN && b->choice.part[q].k > 0)
            return 0; /* what lies behind is not what comes next */
    return sb_rule_window_asks(&b->pl->work, b->pl->target)
               ? WINDOW_AHEAD / (int64_t)b->pl->work.a_size
               : 0;
}

/* Values of a chunk on average, in whole lines. */
static int64_t
mask_each(const sb_build *b, const sb_part *p)
{
    const int64_t line = 64 / (int64_t)b->pl->work.a_size, chunks = p->array[1].count;

    return b->pl->target->wide && chunks > 0
               ? (p->nnz + chunks * line - 1) / (chunks * line) * line
               : 0;
}

/* The sizes kernels ask for by name. */
static void
add_sizes(const sb_build *b, const sb_part *p)
{
    sb_plan *plan = b->plan;
    const sb_part_array *a = p->narray > 0 ? &p->array[0] : NULL;

    switch (p->kind) {
    case SB_PART_ROWS:
        add_int(plan, "rows_count", a->count);
        break;
    case SB_PART_ELL:
        add_int(plan, "ell_count", a->count);
        add_int(plan, "ell_width", p->width);
        break;
    case SB_PART_BSR:
        add_int(plan, "bsr_count", p->nnz / (p->width * p->width));
        break;
    case SB_PART_WIN:
        add_int(plan, "win_count", sb_part_find(p, "win_off")->count - 1);
        add_int(plan, "win_slots", sb_part_total(p, "win_off"));
        add_int(plan, "win_ahead", window_ahead(b));
        add_int(plan, "win_left_over", sb_part_find(p, "win_rest")->count);
        break;
    case SB_PART_ALIKE:
        add_int(plan, "alike_count", a->count - 1);
        add_int(plan, "alike_ahead", alike_ahead(b));
        break;
    case SB_PART_SHARE:
        add_int(plan, "share_count", sb_part_total(p, "share_seg"));
        add_int(plan, "share_most", sb_part_total(p, "share_some"));
        add_int(plan, "share_rest", sb_part_total(p, "share_left"));
        add_int(plan, "share_ahead", window_ahead(b));
        break;
    case SB_PART_SELL:
        add_int(plan, "sell_count", (a->count + SB_SELL_ROWS - 1) / SB_SELL_ROWS);
        add_int(plan, "sell_cols", p->width);
        add_int(plan, "sell_ahead", packed_ahead(b, p->nnz, sizeof(int16_t)));
        break;
    case SB_PART_PANEL:
        add_int(plan, "panel_blocks", a->count - 1);
        add_int(plan, "panel_count", sb_part_find(p, "panel_row")->count);
        break;
    case SB_PART_MASK:
        add_int(plan, "mask_count", p->array[1].count);
        add_int(plan, "mask_each", mask_each(b, p));
        break;
    case SB_PART_UBCSR:
        add_int(plan, "ubcsr_count", sb_part_find(p, "ubcsr_crd")->count);
        break;
    case SB_PART_HDIA:
        add_int(plan, "hdia_count", p->width);
        if (!sb_part_find(p, "hdia_crd")) /* values in place */
            break;
        add_int(plan, "hdia_rest", sb_part_find(p, "hdia_crd")->count);
        add_int(plan, "hdia_slots", p->slots);
        /* which Zen 4 loses by (docs/measured/spmv-asking-ahead.md) */
        add_int(plan, "hdia_ahead",
                sb_target_zen4(b->pl->target) ? 0 : packed_ahead(b, p->slots, 0));
        break;
    case SB_PART_BLOCKS:
        if (a)
            add_int(plan, "base", 0); /* of the arrays that replace the caller's */
        break;
    case SB_PART_PICK:
        add_int(plan, "pick_count", a->count - 1);
        add_int(plan, "pick_entries", p->nnz);
        break;
    case SB_PART_DIA:
        add_int(plan, "dia_count", p->width);
        break;
    case SB_PART_COO:
        add_int(plan, "coo_count", a->count);
        break;
    default:
        break;
    }
}

static sb_status
finish(sb_build *b)
{
    sb_plan *plan = b->plan;
    sb_strbuf text;
    sb_status st;

    for (int q = 0; q < b->npart; q++) {
        const int level = sb_choice_levels(&b->choice) ? q + 1 : 0;
        const int before = plan->nint;

        add_sizes(b, &b->part[q]); /* reads arrays */
        SB_TRY(take_arrays(b, &b->part[q], level));
        for (int i = before; i < plan->nint; i++) {
            const sb_plan_int was = plan->integer[i];

            at_level(plan->integer[i].name, sizeof was.name, was.name, level);
        }
    }
    if (!b->pl->pb->device)
        sb_plan_name_sources(plan);
    plan->bytes += sizeof *plan + (size_t)plan->ntile * sizeof *plan->tile +
                   (size_t)plan->nstep * sizeof *plan->source;
    if (plan->bytes > b->pl->memory_limit)
        return sb_diag_set(b->diag, SB_ERESOURCES,
                           "the plan would hold %zu bytes, the limit is %zu",
                           plan->bytes, b->pl->memory_limit);
    if (b->pl->slab > 0)
        b->choice.slab = b->pl->slab;
    plan->slab = b->choice.slab;
    /* what is turned is a slab already (create.c) */
    plan->together = b->pl->slab == 0 &&
                     sb_rule_slab_shared(&b->pl->work, b->choice.slab, b->pl->target);
    plan->last = b->choice.last;
    sb_strbuf_init(&text);
    sb_choice_print(&text, &b->choice);
    st = sb_strbuf_status(&text);
    if (st == SB_OK)
        plan->text = text.s; /* ownership moves */
    else
        sb_strbuf_free(&text);
    return st;
}

static sb_status
run(sb_build *b, const sb_choice *want)
{
    SB_TRY(sb_build_kernels_exist(b, want));
    SB_TRY(build_parts(b, want));
    SB_TRY(sb_build_steps(b, want));
    return finish(b);
}

/* Which form of slices the matrix allows is known before kernels are looked for. */
static void
settle_slices(sb_choice *want, const sb_planner *pl)
{
    const sb_part_kind kind = sb_choice_rest(want)->kind;

    want->ranged = 0;
    if (kind == SB_PART_HDIA && !want->packed &&
        (pl->work.a_type == SB_F32 || pl->work.a_type == SB_F64) &&
        pl->work.a_size == pl->work.compute_size)
        want->ranged = sb_rule_ranged(pl->work.a_size, &pl->stats, pl->target);
    want->joined = kind == SB_PART_MASK && !pl->pb->device &&
                   sb_rule_joined(&pl->work, pl->target, sb_choice_rest(want)->size);
    if (kind != SB_PART_SELL)
        return;
    want->narrow = sb_part_sell_narrows(&pl->view);
    want->one = want->packed && pl->work.one_value;
}

sb_status
sb_plan_build(sb_plan **out, sb_planner *pl, const sb_choice *choice,
              sb_kernel_effort effort, sb_diag *diag)
{
    sb_build b = {.pl = pl, .effort = effort, .diag = diag, .choice = *choice};
    sb_choice want = *choice;
    sb_status st = SB_ENOMEM;

    *out = NULL;
    if (choice->npart == 0)
        return sb_plan_reference(out, pl);
    if (pl->pb->device)
        sb_rule_gpu_rest(&want, &pl->stats);
    settle_slices(&want, pl);
    if (!sb_slab_serves(pl->pb, want.slab))
        want.slab = 0;
    b.choice.npart = 0;
    b.plan = sb_alloc_zero(sizeof *b.plan);
    if (b.plan)
        st = run(&b, &want);
    for (int q = 0; q < SB_COUNT(b.part); q++)
        sb_part_free(&b.part[q]);
    sb_cover_free(&b.cover);
    if (st != SB_OK) {
        sb_plan_release(b.plan);
        b.plan = NULL;
    }
    *out = b.plan;
    return st;
}

sb_status
sb_plan_reference(sb_plan **out, sb_planner *pl)
{
    static const char *const ops[] = {"spmm", "spmv", "sddmm"};
    sb_plan *plan = sb_alloc_zero(sizeof *plan);
    sb_strbuf text;

    *out = NULL;
    if (!plan)
        return SB_ENOMEM;
    sb_strbuf_init(&text);
    sb_strbuf_printf(&text, "(plan %s (reference))", ops[pl->pb->op]);
    if (sb_strbuf_status(&text) != SB_OK) {
        sb_strbuf_free(&text);
        sb_plan_release(plan);
        return SB_ENOMEM;
    }
    plan->text = text.s;
    plan->bytes = sizeof *plan;
    *out = plan;
    return SB_OK;
}
