/*
 * One analysis from problem to plan.
 */
#include "planner/candidates.h"
#include "planner/context.h"
#include "planner/format_plan.h"
#include "planner/indices.h"
#include "planner/levels.h"
#include "planner/rules.h"
#include "planner/slabs.h"
#include "planner/staged.h"
#include "planner/wisdom.h"

#include "base/alloc.h"
#include "base/checked.h"
#include "base/clock.h"
#include "base/log.h"
#include "runtime/backend.h"
#include "runtime/device.h"
#include "runtime/sides.h"
#include "runtime/slab.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

/* Bytes of the caller's sparse arrays. */
static size_t
matrix_bytes(const sb_matrix *a)
{
    const int64_t unit = sb_matrix_block(a) * sb_matrix_block(a);
    const size_t entry =
        sb_dtype_size(a->val_type) * (size_t)unit +
        sb_dtype_size(a->idx_type) * (a->format == SB_FORMAT_COO ? 2u : 1u);
    size_t entries, offsets;

    if (!sb_bytes(a->nnz, entry, &entries) ||
        !sb_bytes(a->rows + 1, sb_dtype_size(SB_I64), &offsets))
        return SIZE_MAX / 4;
    return entries + offsets;
}

/* Whether there is one line of B and C at most for an entry. */
static bool
is_short(const sb_planner *pl)
{
    return pl->pb->op == SB_OP_SPMV ||
           (pl->pb->op == SB_OP_SPMM && pl->work.n * pl->work.b_size <= 64);
}

/* What others would take off an analysis that measures nothing, as seconds of one thread of which they take their
 * share: a tenth of what it takes, measured with two threads (docs/measured/analysis.md, A team that
 * sleeps). Whoever measures, or writes the plan, may take long. */
static double
shared_takes(const sb_planner *pl)
{
    const double look = (double)pl->work.m + (double)pl->work.nnz;

    if (pl->opt->effort != SB_EFFORT_ESTIMATE || pl->opt->plan)
        return 1;
    return (is_short(pl) ? 0.1e-9 : 0.3e-9) * look;
}

static void
planner_init(sb_planner *pl, const sb_problem *pb, const sb_options *opt, sb_diag *diag)
{
    const sb_backend *be = sb_backend_get();

    memset(pl, 0, offsetof(sb_planner, weighed)); /* cleared one by one as they come */
    memset(pl->weighed, 0, sizeof *pl->weighed);
    pl->pb = pb;
    pl->opt = opt;
    pl->target = sb_target_get();
    if (pb->device) {
        pb->device->ops->facts(pb->device, &pl->gpu);
        pl->gpu_target = *pl->target;
        sb_gpu_target(&pl->gpu_target, &pl->gpu);
        pl->target = &pl->gpu_target;
    }
    pl->diag = diag;
    /* A small matrix's plan is mostly fixed size: 64 KiB are always allowed. */
    pl->memory_limit = opt->memory_limit > 0 ? (size_t)opt->memory_limit
                                             : 3 * matrix_bytes(&pb->a) + 65536;
    sb_work_of(&pl->work, pb);
    pl->par = (sb_par){be->parallel, be->threads()};
    if (sb_backend_rests(shared_takes(pl)))
        pl->par.run = NULL;
}

/* Whether columns that rows hold together may decide: by position, where the values are in
 * place, they mostly lose to windows by runs (choose.c). */
static bool
held_decides(const sb_planner *pl)
{
    return pl->pb->device || pl->opt->plan || pl->opt->effort != SB_EFFORT_ESTIMATE ||
           !pl->view.crd_in_place || pl->view.pos ||
           (pl->opt->values_frozen && pl->pb->a.batch <= 1);
}

/* Whether few samples come first, and of short products a look that is brief in all. */
static unsigned
first_look(const sb_planner *pl)
{
    if (pl->opt->effort != SB_EFFORT_ESTIMATE || pl->opt->plan || pl->pb->device ||
        pl->view.block > 1)
        return 0;
    return is_short(pl) ? SB_STATS_BRIEF : SB_STATS_FIRST;
}

/* What decides without measuring; whoever measures SpMV may try blocks, too. One column
 * finds nothing in a cache again, but a device's groups of lanes do. */
static sb_stats_use
features(const sb_planner *pl)
{
    const bool estimate = pl->opt->effort == SB_EFFORT_ESTIMATE && !pl->opt->plan;
    const unsigned first = first_look(pl);

    if (pl->pb->op != SB_OP_SPMV)
        return SB_STATS_MATRIX | SB_STATS_REUSE |
               (held_decides(pl) && first != SB_STATS_FIRST ? SB_STATS_HELD : 0) |
               first;
    if (!estimate)
        return SB_STATS_ALL;
    return SB_STATS_VECTOR | (pl->pb->device ? SB_STATS_REUSE : 0) | first;
}

/* Whether they may where they were not looked at, or, by position, after all: rows that share
 * half of their entries by threes or more read a column 1.3 times and more by fours, and short
 * ones (choose.c) are left alone. */
static bool
held_decides_later(const sb_planner *pl)
{
    return pl->pb->op == SB_OP_SPMM && pl->view.block <= 1 && pl->stats.r4 >= 1.3 &&
           pl->stats.mean >= 8 &&
           (held_decides(pl) || sb_rule_positions(&pl->work, pl->target, 8));
}

/* Whether packed columns of rows that share them may be SpMV's: pairs share runs already. */
static bool
lanes_decide(const sb_planner *pl)
{
    return pl->pb->op == SB_OP_SPMV && !pl->pb->device && pl->opt->values_frozen &&
           pl->pb->a.batch <= 1 && pl->view.block <= 1 && !pl->work.complex &&
           sb_rule_packed_lanes(pl->target) && pl->stats.win_share[0] >= 0.3;
}

/* Whether unaligned blocks may be: chunks of sixteen columns hold two entries of a row. Whoever
 * measures has looked. */
static bool
blocks_decide(const sb_planner *pl)
{
    return pl->pb->op == SB_OP_SPMV && pl->stats.brief && pl->opt->values_frozen &&
           pl->pb->a.batch <= 1 && pl->view.block <= 1 && !pl->work.complex &&
           sb_rule_unaligned(pl->target) && pl->stats.mask_fill[0] >= 2;
}

/* Whether all values have the same bits: pattern matrices, graphs without weights. Others are known by
 * their first two. */
static bool
same_values(const sb_matrix *a)
{
    const size_t size = sb_dtype_size(a->val_type);

    return (a->format == SB_FORMAT_CSR || a->format == SB_FORMAT_CSC ||
            a->format == SB_FORMAT_COO) &&
           a->nnz > 0 &&
           memcmp(a->val, (const char *)a->val + size, (size_t)(a->nnz - 1) * size) ==
               0;
}

static sb_status
look(sb_planner *pl)
{
    SB_TRY(sb_view_make_on(&pl->view, &pl->pb->a, sb_problem_transposes(pl->pb),
                           &pl->par, pl->diag));
    SB_TRY(sb_stats_collect(&pl->stats, &pl->view, features(pl), &pl->par));
    if (pl->view.block > 1)
        sb_stats_expand(&pl->stats, pl->view.block);
    pl->work.by_position = pl->view.pos != NULL;
    pl->work.one_value = pl->pb->op == SB_OP_SPMV && !pl->pb->device &&
                         pl->opt->values_frozen && pl->pb->a.batch <= 1 &&
                         same_values(&pl->pb->a);
    if (held_decides_later(pl) || lanes_decide(pl))
        sb_stats_hold(&pl->stats, &pl->view, &pl->par);
    if (blocks_decide(pl))
        sb_stats_unalign(&pl->stats, &pl->view, &pl->par);
    return SB_OK;
}

/* The plan the caller wrote. A kernel nobody can make is no error: the reference kernel
 * computes the same, and says so. */
static sb_status
forced(sb_plan **out, sb_planner *pl)
{
    const char *text = pl->opt->plan;
    sb_weighed *w = &pl->weighed[0];
    sb_diag why = {0};
    sb_status st;

    SB_TRY(sb_choice_parse(&w->choice, text, strlen(text), pl->diag));
    if (w->choice.op != pl->pb->op)
        return sb_diag_set(pl->diag, SB_EINVAL,
                           "the plan text is for another operation: %s", text);
    if (!sb_parts_computable(pl->pb, &w->choice))
        return sb_diag_set(pl->diag, SB_ENOTSUP,
                           "a part of this plan cannot compute the operation: %s",
                           text);
    pl->nweighed = 1;
    if (pl->pb->device)
        sb_rule_gpu_rest(&w->choice, &pl->stats);
    sb_levels_predict(&w->cost, pl, &w->choice);
    st = sb_plan_build(out, pl, &w->choice, SB_KERNEL_COMPILE, &why);
    if (st == SB_ENOKERNEL) {
        w->dropped = "no kernel and no compiler";
        sb_log(SB_LOG_WARN, "forced plan %s: %s; reference kernel", text, why.text);
        return sb_plan_reference(out, pl);
    }
    if (st != SB_OK)
        return sb_diag_set(pl->diag, st == SB_ERESOURCES ? SB_ENOTSUP : st, "%s",
                           why.text);
    (*out)->predicted = w->cost.seconds;
    return sb_choice_parse(&w->choice, (*out)->text, strlen((*out)->text), NULL);
}

static const char *
reason(const sb_planner *pl, const sb_plan *plan, const sb_weighed *won)
{
    if (pl->opt->plan)
        return plan->nstep > 0 || !won || won->choice.npart == 0 ? "forced by plan text"
               : pl->pb->device
                   ? "forced by plan text, but it has no GPU kernel: through host "
                     "memory"
                   : "forced by plan text, but no kernel is at hand: reference kernel";
    if (pl->by_ranges)
        return "a row is so long that equal ranges in the call's externalBuffer, which "
               "need no plan, are predicted to be faster";
    if (pl->pb->device && plan->nstep == 0)
        return "no GPU kernel can be had: through host memory";
    if (pl->remembered)
        return "measured before on this structure (wisdom)";
    if (plan->nstep == 0)
        return "no kernel is resident or stored for these types: reference kernel";
    if (plan->measured > 0)
        return pl->cut_short ? "fastest of those measured before the search was ended"
                             : "fastest of the measured candidates";
    return won == &pl->weighed[0]
               ? "cheapest by the model"
               : "cheapest by the model of those whose kernels are at hand";
}

/* The plan that was measured for this key before; *out stays NULL where there is none or
 * it cannot be built here. */
static void
recall(sb_plan **out, sb_planner *pl, const char *key)
{
    const sb_kernel_effort effort =
        pl->opt->effort == SB_EFFORT_ESTIMATE ? SB_KERNEL_STORED : SB_KERNEL_COMPILE;
    sb_weighed *w = &pl->weighed[0];
    double seconds = 0;
    sb_strbuf text;

    sb_strbuf_init(&text);
    if (sb_wisdom_recall(&text, &seconds, key, pl->opt->effort) &&
        sb_choice_parse(&w->choice, text.s, text.len, NULL) == SB_OK &&
        w->choice.op == pl->pb->op && sb_parts_computable(pl->pb, &w->choice) &&
        (!w->choice.packed || pl->opt->values_frozen) &&
        sb_plan_build(out, pl, &w->choice, effort, NULL) == SB_OK) {
        sb_levels_predict(&w->cost, pl, &w->choice);
        w->measured = (*out)->measured = seconds;
        (*out)->predicted = w->cost.seconds;
        pl->nweighed = 1;
        pl->remembered = true;
    }
    sb_strbuf_free(&text);
}

/* By wisdom, or by a race whose measured winner is wisdom from then on. */
static sb_status
choose(sb_plan **out, sb_planner *pl, const sb_weighed **won)
{
    sb_strbuf key;
    sb_status st = SB_OK;

    sb_strbuf_init(&key);
    if (sb_wisdom_wanted(pl->opt->effort))
        sb_wisdom_key(&key, pl->pb, pl->opt, pl->par.threads);
    if (key.len > 0 && key.st == SB_OK)
        recall(out, pl, key.s);
    if (!*out)
        st = sb_plan_choose(out, pl, won);
    if (st == SB_OK && !pl->remembered && (*out)->measured > 0 && key.len > 0 &&
        key.st == SB_OK)
        sb_wisdom_remember(key.s, (*out)->text,
                           pl->cut_short ? SB_EFFORT_MEASURE : pl->opt->effort,
                           (*out)->measured);
    sb_strbuf_free(&key);
    return st;
}

static sb_status
analyse(sb_plan **out, sb_planner *pl, const sb_weighed **won)
{
    *won = &pl->weighed[0];
    SB_TRY(look(pl));
    if (pl->opt->plan)
        return forced(out, pl);
    return choose(out, pl, won);
}

/* The same of 32-bit indices, which leave the plan's parts so much less room. */
static sb_status
analyse_short(sb_plan **out, sb_planner *pl, const sb_weighed **won, sb_indices *x,
              sb_problem *pb)
{
    sb_status st;

    if (!pb->device)
        sb_indices_shorten(x, pb, pl->memory_limit / 4, &pl->par);
    pl->memory_limit -= x->bytes;
    sb_work_of(&pl->work, pb);
    st = analyse(out, pl, won);
    pl->memory_limit += x->bytes;
    if (st == SB_OK)
        sb_indices_keep(x, *out);
    return st;
}

/* The steps of a plan whose kernels are a device's move there, unless it was timed there. */
static sb_status
settle(sb_plan *plan, sb_diag *diag)
{
    sb_device *d = plan->key.device;

    return plan->nstep > 0 && !plan->engine ? d->ops->settle(d, plan, diag) : SB_OK;
}

/* The problem as plans see it. A text for SpMM is taken for columns, too. */
static sb_problem
planned(const sb_problem *pb, const char *text, int slab)
{
    sb_problem r = sb_problem_by_rows(pb);
    const int64_t sides = pb->device ? sb_sides_width(pb) : 0;
    sb_choice ch;

    if (sides > 0) {
        r = sb_sides_part(pb, 0, sides, NULL);
        return sb_problem_by_rows(&r);
    }
    if (slab > 0) {
        r = sb_problem_by_rows_alone(pb);
        return sb_slab_alone(&r, slab);
    }
    if (pb->op != SB_OP_SPMM || r.op != SB_OP_SPMV || !text ||
        sb_choice_parse(&ch, text, strlen(text), NULL) != SB_OK || ch.op != SB_OP_SPMM)
        return r;
    r = sb_problem_by_rows_alone(pb);
    r.op = SB_OP_SPMM;
    return r;
}

/* What was predicted and timed of one slab is of all, what was predicted of one product is of
 * the batch. */
static void
scale(sb_plan *plan, const sb_problem *pb, const sb_problem *planned)
{
    const double slabs =
        planned->op == pb->op ? ceil((double)pb->c.cols / (double)planned->c.cols) : 1;

    plan->predicted *= slabs * (double)(planned->batch > 1 ? planned->batch : 1);
    plan->measured *= slabs;
}

sb_status
sb_plan_create(sb_plan **out, const sb_problem *pb, const sb_options *opt,
               sb_diag *diag)
{
    static const sb_options defaults = {0};
    const int slab = sb_slab_turning(pb, opt ? opt->plan : NULL);
    sb_problem by_rows = planned(pb, opt ? opt->plan : NULL, slab);
    const sb_problem far = by_rows;
    const double begin = sb_clock();
    const sb_weighed *won = NULL;
    sb_planner *pl;
    const char *why = NULL;
    sb_staged staged = {0};
    sb_indices short_ones = {0};
    sb_status st = SB_OK;

    *out = NULL;
    opt = opt ? opt : &defaults;
    if (pb->a.format == SB_FORMAT_TENSOR && opt->plan)
        return sb_diag_set(diag, SB_ENOTSUP,
                           "a matrix in a format of the language takes no plan text");
    if (pb->a.format == SB_FORMAT_TENSOR && !pb->device)
        return sb_format_analyse(out, pb, diag);
    pl = sb_alloc(sizeof *pl);
    if (!pl)
        return sb_diag_set(diag, SB_ENOMEM, "no memory for the analysis");
    planner_init(pl, &by_rows, opt, diag);
    pl->far = pb->device ? &far : NULL;
    pl->slab = slab;
    if (pb->device)
        st = sb_staged_structure(&staged, &by_rows, opt->values_frozen, diag);
    if (st == SB_OK && pb->a.format == SB_FORMAT_TENSOR)
        why = "formats of the language go through host memory";
    if (st == SB_OK && (why || !sb_problem_planable(&by_rows, &why)))
        st = sb_plan_reference(out, pl);
    else if (st == SB_OK)
        st = analyse_short(out, pl, &won, &short_ones, &by_rows);
    if (st == SB_OK) {
        (*out)->key = *pb;
        (*out)->op = by_rows.op;
        scale(*out, pb, &by_rows);
        if (pb->device)
            st = settle(*out, diag);
    }
    if (st == SB_OK) {
        (*out)->analysis = sb_clock() - begin;
        st = sb_plan_explain(*out, pl, won, why ? why : reason(pl, *out, won));
    }
    if (st == SB_OK && pb->a.format == SB_FORMAT_TENSOR) { /* which takes none */
        sb_free((*out)->text);
        (*out)->text = NULL;
    }
    if (st != SB_OK) {
        sb_plan_release(*out);
        *out = NULL;
        sb_diag_set(diag, st, "analysis failed: %s", sb_status_text(st));
    }
    sb_free(pl->order);
    sb_view_free(&pl->view);
    sb_staged_free(&staged);
    sb_indices_free(&short_ones);
    sb_free(pl);
    return st;
}

const char *
sb_plan_candidate(const sb_problem *asked, const sb_options *opt, int index)
{
    static _Thread_local char text[256];
    const sb_problem by_rows = planned(asked, NULL, 0), *pb = &by_rows;
    const char *why;
    const int64_t rows = sb_problem_transposes(pb) ? pb->a.cols : pb->a.rows;
    const bool packed = opt && opt->values_frozen && pb->a.batch <= 1;
    sb_choice ch;
    sb_strbuf out;
    sb_work w;

    if (!sb_problem_planable(pb, &why) || index < 0)
        return NULL;
    sb_work_of(&w, pb);
    if (!sb_candidate(&ch, pb, sb_problem_in_place(pb), packed, sb_mean_k(rows, w.nnz),
                      index))
        return NULL;
    sb_strbuf_init(&out);
    sb_choice_print(&out, &ch);
    if (sb_strbuf_status(&out) != SB_OK || out.len >= sizeof text) {
        sb_strbuf_free(&out);
        return NULL;
    }
    memcpy(text, out.s, out.len + 1);
    sb_strbuf_free(&out);
    return text;
}
