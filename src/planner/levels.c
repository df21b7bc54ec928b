/*
 * Greedy by average cost over parts (greedy.h), each level's parts built on a sample
 * (levels_sample.h).
 *
 * SPBLAS_LEVELS has the switches of the paper's ablations (tables 6 and 7), e.g.
 * "withdraw=0 ratio=100 levels=1 win=0"; only=1 leaves what the search found, gate=0 lets it
 * run whatever the features say, search=0 not at all.
 */
#include "planner/levels.h"

#include "planner/candidates.h"
#include "planner/greedy.h"
#include "planner/levels_sample.h"
#include "planner/rules.h"
#include "planner/search.h"

#include "base/alloc.h"
#include "base/clock.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define SEARCH_SECONDS 1e-3 /* about */

enum {
    LEAST_ENTRIES = 50000, /* smaller matrices have no time to search */
    RESTS = 100            /* ids of parts that take all that is left */
};

/* What may be selected, in the order of ids. */
static const sb_part_choice selectable[] = {
    {.kind = SB_PART_BSR, .size = 2},  {.kind = SB_PART_BSR, .size = 3},
    {.kind = SB_PART_BSR, .size = 4},  {.kind = SB_PART_BSR, .size = 8},
    {.kind = SB_PART_WIN, .size = 2},  {.kind = SB_PART_WIN, .size = 3},
    {.kind = SB_PART_WIN, .size = 4},  {.kind = SB_PART_SHARE, .size = 2},
    {.kind = SB_PART_SHARE, .size = 3}};

typedef struct switches {
    sb_greedy_rule rule;
    bool search, only, gate;
    unsigned without; /* kinds */
} switches;

typedef struct levels {
    sb_level_sample on;
    switches sw;
    bool blocks_first; /* windows only take what blocks leave */
    int rest_k;        /* of ell: log2 of the slots */
} levels;

/* ---- switches ------------------------------------------------------------------------ */

static int64_t
word_of(const char *text, const char *name, int64_t otherwise)
{
    const size_t len = strlen(name);

    for (const char *at = text; at && (at = strstr(at, name)); at += len)
        if ((at == text || at[-1] == ' ') && at[len] == '=')
            return strtol(at + len + 1, NULL, 10);
    return otherwise;
}

static void
read_switches(switches *sw)
{
    static const sb_part_kind kinds[] = {SB_PART_BSR, SB_PART_WIN, SB_PART_SHARE,
                                         SB_PART_ELL, SB_PART_ROWS};
    const char *text = getenv("SPBLAS_LEVELS");

    sw->rule.withdraw = word_of(text, "withdraw", 1) != 0;
    sw->rule.ratio = (double)word_of(text, "ratio", 120) / 100;
    sw->rule.levels = (int)word_of(text, "levels", SB_CHOICE_PARTS - 1);
    if (sw->rule.levels < 0 || sw->rule.levels > SB_CHOICE_PARTS - 1)
        sw->rule.levels = SB_CHOICE_PARTS - 1;
    sw->search = word_of(text, "search", 1) != 0;
    sw->only = word_of(text, "only", 0) != 0;
    sw->gate = word_of(text, "gate", 1) != 0;
    sw->without = 0;
    for (int q = 0; q < SB_COUNT(kinds); q++)
        if (word_of(text, sb_part_names[kinds[q]], 1) == 0)
            sw->without |= 1u << kinds[q];
}

/* ---- search ---------------------------------------------------------------------------- */

static bool
worth_trying(const levels *lv, const sb_part_choice *c, bool first)
{
    const sb_stats *s = &lv->on.pl->stats;

    if ((lv->sw.without >> c->kind & 1) ||
        (first && lv->blocks_first && c->kind != SB_PART_BSR))
        return false;
    if (c->kind == SB_PART_WIN)
        return s->win_share[sb_stats_window(c->size)] >= 0.2;
    if (c->kind == SB_PART_SHARE)
        return s->held_share[sb_stats_window(c->size)] >= 0.2;
    for (int q = 0; q < SB_STATS_BLOCKS; q++)
        if (sb_stats_block_size[q] == c->size)
            return s->block_share[q] >= 0.1;
    return false;
}

static sb_status
cover_of(const levels *lv, sb_cover *cv, const uint64_t *covered, bool first)
{
    sb_cover_init(cv, &lv->on.v);
    if (first)
        return SB_OK;
    if (sb_cover_open(cv) != SB_OK)
        return SB_ENOMEM;
    memset(cv->touched, 1, (size_t)lv->on.v.rows);
    for (int64_t p = 0; p < lv->on.v.nnz; p++)
        cv->taken[p] = covered[p / 64] >> p % 64 & 1;
    return SB_OK;
}

/* The part of an id: of those that take all, what serves the rest of this sample. */
static sb_part_choice
part_of(const levels *lv, int id)
{
    if (id < RESTS)
        return selectable[id];
    if (id == RESTS)
        return (sb_part_choice){.kind = SB_PART_CSR};
    if (id == RESTS + 1)
        return (sb_part_choice){.kind = SB_PART_ROWS, .c = 1, .k = -1};
    return (sb_part_choice){.kind = SB_PART_ELL, .k = lv->rest_k};
}

static int
rest_pieces(levels *lv, const sb_cover *cv, const uint64_t *covered, bool first,
            sb_piece *out)
{
    const bool in = lv->on.v.crd_in_place;
    const int from = in ? (first ? 0 : 1) : 2;
    sb_amounts am;
    int n = 0;

    sb_level_rest(&lv->on, &am, cv, &(sb_part_choice){.kind = SB_PART_ELL, .k = 0});
    lv->rest_k = sb_mean_k(lv->on.v.rows, (int64_t)am.entries);
    for (int q = from; q < (first && in ? 1 : 3); q++) {
        const sb_part_choice c = part_of(lv, RESTS + q);
        sb_cost total = {0};

        if ((lv->sw.without >> c.kind & 1) && !(q == 2 && n == 0))
            continue;
        sb_level_rest(&lv->on, &am, cv, &c);
        out[n].id = RESTS + q;
        out[n].alone = first;
        sb_level_points(&lv->on, out[n].points, NULL, covered);
        am.adds = !first;
        out[n].cost = sb_level_seconds(&lv->on, &total, 0, &c, am, out[n].points) +
                      (first ? 0 : lv->on.pl->target->step_seconds);
        n++;
    }
    return n;
}

static int
pieces(void *user, const uint64_t *covered, int selected, sb_piece *out)
{
    levels *lv = user;
    const bool first = selected == 0;
    int n = 0;
    sb_cover cv;

    if (cover_of(lv, &cv, covered, first) != SB_OK)
        goto none;
    n = rest_pieces(lv, &cv, covered, first, out);
    sb_cover_free(&cv);
    for (int q = 0; q < SB_COUNT(selectable) && selected < lv->sw.rule.levels; q++) {
        const sb_part_choice *c = &selectable[q];
        sb_cost total = {0};
        sb_amounts am;
        sb_status st;

        if (!worth_trying(lv, c, first))
            continue;
        if (cover_of(lv, &cv, covered, first) != SB_OK)
            goto none;
        st = sb_level_select(&lv->on, &am, &cv, c);
        if (st == SB_OK) {
            out[n].id = q;
            out[n].alone = first;
            sb_level_points(&lv->on, out[n].points, &cv, covered);
            am.adds = !first;
            out[n].cost = sb_level_seconds(&lv->on, &total, 0, c, am, out[n].points) +
                          (first ? 0 : lv->on.pl->target->step_seconds);
            n++;
        }
        sb_cover_free(&cv);
        if (st == SB_ENOMEM)
            return -1;
    }
    return n;
none:
    sb_cover_free(&cv);
    return -1;
}

/* The selection as a choice; false for plain rows, which are a candidate anyway. */
static bool
choice_of(const levels *lv, sb_choice *out, const sb_selection *sel)
{
    *out = (sb_choice){.op = lv->on.pl->pb->op, .packed = lv->on.packed};
    if (sel->n == 1 && sel->id[0] == RESTS && !lv->sw.only)
        return false;
    for (int q = 0; q < sel->n; q++) {
        if (sel->id[q] < RESTS && out->npart == lv->sw.rule.levels)
            continue; /* local search took more than may be: the rest takes it */
        out->part[out->npart++] = part_of(lv, sel->id[q]);
        if (sel->id[q] >= RESTS)
            return true;
    }
    /* windows took all: rows at the end of the matrix are in none */
    out->part[out->npart++] =
        lv->on.v.crd_in_place ? (sb_part_choice){.kind = SB_PART_ROWS, .c = 1, .k = -1}
                              : (sb_part_choice){.kind = SB_PART_COO};
    return true;
}

static bool
possible(const sb_planner *pl)
{
    return pl->pb->op == SB_OP_SPMM && !pl->pb->device &&
           pl->stats.nnz >= LEAST_ENTRIES && pl->work.c_size >= pl->work.compute_size &&
           !sb_problem_own_structures(pl->pb);
}

/* Seconds of the cheapest candidate so far, 0: none. */
static double
cheapest(const sb_planner *pl)
{
    double best = 0;

    for (int q = 0; q < pl->nweighed; q++)
        if (!pl->weighed[q].dropped &&
            (best == 0 || pl->weighed[q].cost.seconds < best))
            best = pl->weighed[q].cost.seconds;
    return best;
}

/* Full blocks, so that there is a first level, and something beside them for a second.
 * ESTIMATE looks only where an execution takes as long as the search, about. */
static bool
promising(const sb_planner *pl)
{
    const bool estimate = pl->opt->effort == SB_EFFORT_ESTIMATE;
    const double most = estimate ? 0.95 : 0.99;
    /* a second level is not to look where what is left over decides */
    const double shared = sb_rule_shared(&pl->work, pl->target);
    const double least = shared > 0.5 ? shared : 0.3;
    const sb_stats *s = &pl->stats;
    double blocks = 0;

    for (int q = 0; q < SB_STATS_BLOCKS; q++)
        if (s->block_share[q] > blocks)
            blocks = s->block_share[q];
    return s->mean >= 12 && blocks >= least && blocks <= most &&
           (!estimate || cheapest(pl) >= SEARCH_SECONDS);
}

static void
add_candidate(sb_planner *pl, const sb_weighed *found, bool only)
{
    const double best = cheapest(pl);
    int q;

    for (q = 0;
         q < pl->nweighed && !sb_choice_equal(&pl->weighed[q].choice, &found->choice);
         q++)
        ;
    if (q == SB_WEIGHED_MAX)
        return;
    pl->weighed[q].finalist = true;
    if (q == pl->nweighed) {
        pl->weighed[q] = *found;
        pl->weighed[q].order = q;
        pl->nweighed++;
        if (found->cost.seconds > SB_SEARCH_RATIO * best)
            pl->weighed[q].dropped = "no gain from another level";
    } else if (isinf(pl->weighed[q].cost.seconds)) {
        pl->weighed[q].cost = found->cost; /* set aside without one */
    }
    for (int k = 0; only && k < pl->nweighed; k++)
        pl->weighed[k].dropped = k == q ? NULL : "SPBLAS_LEVELS leaves one";
}

static sb_status
search(levels *lv, sb_planner *pl)
{
    const sb_covering space = {lv->on.v.nnz, pieces, lv};
    sb_weighed found = {.finalist = true};
    sb_selection sel;
    sb_greedy_rule rule = lv->sw.rule;

    rule.levels = 0; /* a part beyond the last level takes all that is left */
    SB_TRY(sb_greedy_cover(&sel, &space, &rule));
    pl->rounds += sel.rounds;
    pl->withdrawn += sel.withdrawn;
    if (!choice_of(lv, &found.choice, &sel))
        return SB_OK;
    SB_TRY(sb_level_replay(&lv->on, &found.cost, &found.choice));
    add_candidate(pl, &found, lv->sw.only);
    if (pl->opt->values_frozen && pl->pb->a.batch <= 1 && !lv->sw.only &&
        sb_choice_packable(&found.choice)) {
        found.choice.packed = lv->on.packed = true;
        SB_TRY(sb_level_replay(&lv->on, &found.cost, &found.choice));
        add_candidate(pl, &found, false);
    }
    return SB_OK;
}

sb_status
sb_levels_search(sb_planner *pl)
{
    const double begin = sb_clock();
    switches sw;
    sb_status st;
    levels lv;

    read_switches(&sw);
    if (!sw.search || !possible(pl) || (sw.gate && !promising(pl)))
        return SB_OK;
    sb_stats_hold(&pl->stats, &pl->view, &pl->par);
    st = sb_level_sample_take(&lv.on, pl);
    lv.sw = sw;
    lv.blocks_first = false;
    if (st == SB_OK)
        st = search(&lv, pl);
    if (st == SB_OK && !lv.sw.only && lv.on.v.crd_in_place &&
        pl->opt->effort != SB_EFFORT_ESTIMATE) {
        /* the model thinks better of windows than the clock may */
        lv.blocks_first = true;
        lv.on.packed = false;
        st = search(&lv, pl);
    }
    sb_level_sample_free(&lv.on);
    pl->searched = sb_clock() - begin;
    return st == SB_ENOMEM ? st : SB_OK;
}
