/*
 * Why this plan: what the matrix looks like, what each part holds, what was considered
 * and what it would have cost.
 */
#include "planner/context.h"

#include "runtime/backend.h"
#include "runtime/sides.h"
#include "runtime/slab.h"

#include <math.h>

enum { LOSERS = 8 };

/* A quantity with three significant digits, without a locale; no more than 9e15, which
 * predictions for absurd shapes exceed. */
static void
put_scaled(sb_strbuf *out, double x, const char *unit)
{
    const int64_t milli = (int64_t)((x < 9e15 ? x : 9e15) * 1000 + 0.5);

    sb_strbuf_i64(out, milli / 1000);
    if (x < 100)
        sb_strbuf_printf(out, ".%03d", (int)(milli % 1000));
    sb_strbuf_puts(out, unit);
}

static void
put_time(sb_strbuf *out, double seconds)
{
    if (seconds < 1e-3)
        put_scaled(out, seconds * 1e6, " us");
    else
        put_scaled(out, seconds * 1e3, " ms");
}

static void
put_percent(sb_strbuf *out, double share)
{
    const int64_t tenth = (int64_t)(share * 1000 + 0.5);

    sb_strbuf_i64(out, tenth / 10);
    sb_strbuf_printf(out, ".%d%%", (int)(tenth % 10));
}

/* Those that were asked for. */
static void
put_features(sb_strbuf *out, const sb_stats *s)
{
    const char *next = "features   ";

    if (!s->brief) {
        sb_strbuf_printf(out, "%sbandwidth %lld", next, (long long)s->bandwidth);
        next = ", ";
    }
    if (s->r4 > 0) {
        sb_strbuf_printf(out, "%sreuse r4 ", next);
        put_scaled(out, s->r4, " r8 ");
        put_scaled(out, s->r8, ", on dense diagonals ");
        put_percent(out, s->diag_share);
        sb_strbuf_puts(out, ", in no order ");
        put_percent(out, s->strewn);
        next = ", ";
    }
    if (!s->brief)
        sb_strbuf_printf(out, ", columns touched %lld", (long long)s->distinct);
    if (sb_stats_panel_run(s, 512) > 0) {
        sb_strbuf_puts(out, ", a row in 512 columns ");
        put_scaled(out, sb_stats_panel_run(s, 512), "");
    }
    if (next[0] == ',')
        sb_strbuf_putc(out, '\n');
}

static void
put_matrix(sb_strbuf *out, const sb_planner *pl)
{
    const sb_stats *s = &pl->stats;

    sb_strbuf_puts(out, "matrix     ");
    sb_strbuf_i64(out, s->rows);
    sb_strbuf_puts(out, " x ");
    sb_strbuf_i64(out, s->cols);
    sb_strbuf_puts(out, ", ");
    sb_strbuf_i64(out, s->nnz);
    sb_strbuf_puts(out, " entries; rows: mean ");
    put_scaled(out, s->mean, ", cv ");
    put_scaled(out, s->cv, ", longest ");
    sb_strbuf_i64(out, s->longest);
    sb_strbuf_puts(out, ", empty ");
    sb_strbuf_i64(out, s->empty);
    sb_strbuf_puts(out, s->sorted ? "\n" : "; columns unsorted\n");
    put_features(out, s);
    if (pl->work.op == SB_OP_SPMV || (s->first & SB_STATS_OF_BLOCKS))
        return; /* they decide nothing there */
    sb_strbuf_puts(out, "blocks    ");
    for (int q = 0; q < SB_STATS_BLOCKS; q++) {
        sb_strbuf_printf(out, " b%d ", sb_stats_block_size[q]);
        put_percent(out, s->block_share[q]);
    }
    sb_strbuf_puts(out, " of the entries in full blocks\n");
}

static void
put_parts(sb_strbuf *out, const sb_plan *plan, const sb_stats *s, const sb_target *t,
          const sb_weighed *won)
{
    for (int q = 0; won && q < won->choice.npart; q++) {
        sb_strbuf_printf(out, "part       %-4s ",
                         sb_part_names[won->choice.part[q].kind]);
        put_percent(out, won->cost.share[q]);
        sb_strbuf_puts(out, " of the entries, padding ");
        put_percent(out, won->cost.padding[q]);
        if (won->choice.part[q].kind == SB_PART_WIN ||
            won->choice.part[q].kind == SB_PART_SHARE) {
            sb_strbuf_puts(out, ", shared ");
            put_percent(out, sb_cost_shared(&won->choice.part[q], s, t));
        }
        sb_strbuf_puts(out, ", predicted ");
        put_time(out, won->cost.part[q]);
        sb_strbuf_putc(out, '\n');
    }
    for (int q = 0; q < plan->nstep; q++)
        sb_strbuf_printf(out, "step %d     %lld tiles%s%s: %s\n", q,
                         (long long)(plan->step[q].tile_hi - plan->step[q].tile_lo),
                         plan->step[q].add ? ", adds" : "",
                         plan->step[q].alone ? ", one thread" : "",
                         plan->step[q].kernel->spec);
}

static void
put_race(sb_strbuf *out, const sb_planner *pl, const sb_weighed *won)
{
    int shown = 0;

    for (int q = 0; q < pl->nweighed && shown < LOSERS; q++) {
        const sb_weighed *w = &pl->weighed[q];

        sb_strbuf_puts(out, w == won                 ? "chosen     "
                            : isinf(w->cost.seconds) ? "set aside"
                                                     : "considered ");
        if (!isinf(w->cost.seconds))
            put_time(out, w->cost.seconds);
        if (w->measured > 0) {
            sb_strbuf_puts(out, ", measured ");
            put_time(out, w->measured);
        }
        if (w->cost.making > 0) {
            sb_strbuf_puts(out, ", made in ");
            put_time(out, w->cost.making);
        }
        sb_strbuf_puts(out, "  ");
        sb_choice_print(out, &w->choice);
        if (w->dropped)
            sb_strbuf_printf(out, "  (%s)", w->dropped);
        sb_strbuf_putc(out, '\n');
        shown++;
    }
    if (pl->nweighed > shown)
        sb_strbuf_printf(out, "           and %d more\n", pl->nweighed - shown);
}

static void
put_batch(sb_strbuf *out, const sb_plan *plan)
{
    const bool columns = plan->op != plan->key.op;
    const sb_problem *pb = &plan->key;
    const int64_t batch =
        columns ? sb_problem_by_rows(&plan->key).batch : plan->key.batch;

    if (plan->slab > 0 && sb_slab_turns(pb))
        sb_strbuf_printf(
            out,
            "slabs      %lld of %lld columns at a time, put by rows in the "
            "caller's buffer; parts and candidates are of one\n",
            (long long)plan->slab, (long long)pb->c.cols);
    if (pb->device && sb_sides_width(pb) > 0)
        sb_strbuf_printf(
            out,
            "by columns %lld of %lld columns at a time, put by rows in the "
            "caller's buffer and back; parts and candidates are by rows\n",
            (long long)sb_sides_width(pb), (long long)pb->c.cols);
    if (batch > 1)
        sb_strbuf_printf(
            out, "batch      %lld products%s; parts and candidates are of one\n",
            (long long)batch, columns ? ", one for each column of C" : "");
}

sb_status
sb_plan_explain(sb_plan *plan, const sb_planner *pl, const sb_weighed *won,
                const char *why)
{
    sb_strbuf out;

    sb_strbuf_init(&out);
    sb_strbuf_printf(&out, "plan       %s\n", plan->text);
    if (pl->gpu.sms > 0)
        sb_strbuf_printf(&out,
                         "device     %s, %s, %d multiprocessors; what is predicted are "
                         "bounds\n",
                         pl->gpu.name, pl->gpu.arch, pl->gpu.sms);
    if (pl->stats.rows > 0)
        put_matrix(&out, pl);
    put_batch(&out, plan);
    put_parts(&out, plan, &pl->stats, pl->target, won);
    sb_strbuf_printf(&out, "memory     %zu bytes of %zu allowed\n", plan->bytes,
                     pl->memory_limit);
    if (plan->predicted > 0) {
        sb_strbuf_puts(&out, "predicted  ");
        put_time(&out, plan->predicted);
        if (plan->measured > 0) {
            sb_strbuf_puts(&out, ", measured ");
            put_time(&out, plan->measured);
        }
        sb_strbuf_putc(&out, '\n');
    }
    put_race(&out, pl, won);
    if (pl->searched > 0) {
        sb_strbuf_printf(&out, "levels     %d rounds, %d parts withdrawn, searched in ",
                         pl->rounds, pl->withdrawn);
        put_time(&out, pl->searched);
        sb_strbuf_putc(&out, '\n');
    }
    if (pl->order_ratio > 0 && !isinf(pl->order_ratio)) {
        sb_strbuf_puts(&out,
                       "order      rows, or windows of them, by communities take ");
        put_scaled(&out, pl->order_ratio, " of the time of the matrix's own order\n");
    }
    sb_strbuf_puts(&out, "analysis   ");
    put_time(&out, plan->analysis);
    sb_strbuf_printf(&out, "\nreason     %s\n", why);
    if (sb_strbuf_status(&out) != SB_OK) {
        sb_strbuf_free(&out);
        return SB_ENOMEM;
    }
    plan->explain = out.s; /* ownership moves */
    return SB_OK;
}
