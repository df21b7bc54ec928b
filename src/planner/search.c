/*
 * The wide search: STile's greedy choice with a local search of ratio r (section 3.3),
 * where the clock takes the place of the cost model. Compositions come in the model's
 * order, so that the best so far is good early; then whatever is one step away from a
 * plan within r of the fastest.
 */
#include "planner/search.h"

#include "base/clock.h"
#include "base/macro.h"
#include "planner/candidates.h"
#include "planner/levels.h"

enum { MAX_TILE = 256, MAX_UNROLL = 4, PERCENT = 20 };

typedef struct search {
    sb_bench bench;
    double begin;
    int tried;
    bool over; /* no time left, or the caller has enough */
} search;

/* Twice as much (up) or half; false where that leaves [lo, hi]. */
static bool
scaled(int *x, bool up, int lo, int hi)
{
    const int next = up ? *x * 2 : *x / 2;

    if (next == *x || next < lo || next > hi)
        return false;
    *x = next;
    return true;
}

static bool
stepped(int *x, int by, int lo, int hi)
{
    if (*x + by < lo || *x + by > hi)
        return false;
    *x += by;
    return true;
}

static bool
resized(sb_part_choice *p, bool up)
{
    switch (p->kind) {
    case SB_PART_BSR:
        return scaled(&p->size, up, 2, 32);
    case SB_PART_WIN:
    case SB_PART_SHARE:
        return stepped(&p->size, up ? 1 : -1, 2, 8);
    case SB_PART_UBCSR:
        return stepped(&p->size, up ? 1 : -1, 1, SB_UBCSR_ROWS);
    case SB_PART_MASK:
        return stepped(&p->size, up ? 1 : -1, 1, 8);
    case SB_PART_DIA:
        return stepped(&p->size, up ? PERCENT : -PERCENT, 1, 100);
    case SB_PART_PANEL:
        return scaled(&p->size, up, 16, 1 << 20);
    default:
        return false;
    }
}

static bool
rest_changed(sb_part_choice *p, int how)
{
    const bool buckets =
        p->kind == SB_PART_ELL || (p->kind == SB_PART_ROWS && p->k >= 0);

    if (how < 2)
        return p->kind == SB_PART_ROWS && scaled(&p->c, how == 0, 1, SB_PART_MAXC);
    return buckets && stepped(&p->k, how == 2 ? 1 : -1, 0, 30);
}

/* None, within a row of A, first lines, whole rows into L1 (the longer, the nearer), into L2. */
static bool
prefetch_changed(sb_choice *ch, bool up)
{
    static const int step[] = {0, 4, 8, 15, 16, 32, 56, 64};
    const int last = SB_COUNT(step) - 1;
    int q = 0;

    while (q < last && step[q] < ch->prefetch)
        q++;
    q += up && step[q] == ch->prefetch ? 1 : up ? 0 : -1;
    if (q < 0 || q > last)
        return false;
    ch->last = 0;
    ch->prefetch = step[q];
    return true;
}

/* Of plain rows; which rows of B are long enough: legal, below. */
static bool
last_changed(sb_choice *ch)
{
    ch->last = ch->last > 0 ? 0 : 8;
    ch->prefetch = 0;
    return ch->npart == 1 && ch->part[0].kind == SB_PART_CSR;
}

static bool
changed(sb_choice *ch, int how)
{
    switch (how) {
    case 0:
    case 1:
        return scaled(&ch->tile, how == 0, 4, MAX_TILE);
    case 2:
    case 3:
        return prefetch_changed(ch, how == 2);
    case 4:
    case 5:
        ch->unroll = ch->unroll < 1 ? 1 : ch->unroll;
        return scaled(&ch->unroll, how == 4, 1, MAX_UNROLL);
    case 6:
        ch->stream = !ch->stream;
        return true;
    case 7:
        return last_changed(ch);
    case 8:
    case 9:
        return resized(&ch->part[0], how == 8);
    case 10:
        ch->packed = !ch->packed;
        return sb_choice_packable(ch);
    default:
        return rest_changed(&ch->part[ch->npart - 1], how - 11);
    }
}

enum { STEPS = 15, SPMM_FIRST = 2, SPMM_LAST = 7 }; /* see changed */

bool
sb_choice_neighbour(sb_choice *out, const sb_choice *ch, int index)
{
    for (int how = 0, seen = 0; how < STEPS && ch->npart > 0; how++) {
        if (how >= SPMM_FIRST && how <= SPMM_LAST && ch->op != SB_OP_SPMM)
            continue;
        *out = *ch;
        if (changed(out, how) && seen++ == index)
            return true;
    }
    return false;
}

/* Before each plan: is there time, and does the caller want more? */
static bool
go_on(search *s)
{
    const sb_options *opt = s->bench.pl->opt;
    const sb_search_state state = {
        .elapsed = sb_clock() - s->begin,
        .limit = opt->time_limit,
        .tried = s->tried,
        .known = s->bench.pl->nweighed,
        .best = sb_bench_best(&s->bench),
        .text = s->bench.finalists > 0 ? s->bench.final[0].plan->text : NULL};

    /* the first is had in any case: without it there would be no plan */
    s->over |= s->tried > 0 && opt->time_limit > 0 && state.elapsed > opt->time_limit;
    if (!s->over && opt->progress)
        s->over = !opt->progress(opt->progress_user, &state);
    return !s->over;
}

static bool
try_one(search *s, sb_weighed *w)
{
    if (!go_on(s))
        return false;
    sb_bench_try(&s->bench, w);
    s->tried++;
    return true;
}

static bool
known(const sb_planner *pl, const sb_choice *ch)
{
    for (int q = 0; q < pl->nweighed; q++)
        if (sb_choice_equal(&pl->weighed[q].choice, ch) ||
            sb_choice_equal(&pl->weighed[q].built, ch))
            return true;
    return false;
}

static bool
legal(const sb_planner *pl, const sb_choice *ch)
{
    /* other kernels would be the same again */
    const bool asks =
        !pl->pb->device && ch->tile * pl->work.b_size >= 256 && ch->prefetch == 0;

    return (!ch->packed || pl->opt->values_frozen) && (ch->last == 0 || asks) &&
           sb_parts_computable(pl->pb, ch);
}

static void
expand(search *s, sb_weighed *from)
{
    sb_planner *pl = s->bench.pl;
    sb_choice ch;

    from->expanded = true;
    for (int q = 0; sb_choice_neighbour(&ch, &from->built, q); q++) {
        sb_weighed *w = &pl->weighed[pl->nweighed];

        if (pl->nweighed == SB_WEIGHED_MAX)
            return;
        if (known(pl, &ch) || !legal(pl, &ch))
            continue;
        *w = (sb_weighed){.choice = ch, .order = pl->nweighed};
        sb_levels_predict(&w->cost, pl, &ch);
        pl->nweighed++;
        if (!try_one(s, w)) {
            pl->nweighed--;
            return;
        }
    }
}

/* The fastest that is near enough to the best and has not been looked around yet. */
static sb_weighed *
next(search *s)
{
    sb_planner *pl = s->bench.pl;
    sb_weighed *found = NULL;

    for (int q = 0; q < pl->nweighed; q++) {
        sb_weighed *w = &pl->weighed[q];

        if (!w->expanded && w->measured > 0 &&
            w->measured <= SB_SEARCH_RATIO * sb_bench_best(&s->bench) &&
            (!found || w->measured < found->measured))
            found = w;
    }
    return found;
}

static void
around(search *s)
{
    for (sb_weighed *w = next(s); w && !s->over; w = next(s))
        expand(s, w);
}

sb_status
sb_plan_search(sb_plan **best, sb_planner *pl, const sb_weighed **won)
{
    const int listed = pl->nweighed;
    search s = {.begin = sb_clock()};

    *best = NULL;
    if (sb_bench_open(&s.bench, pl)) {
        /* wise ones, their surroundings, then those that rules would leave out */
        for (int unwise = 0; unwise < 2; unwise++) {
            for (int q = 0; q < listed && !s.over; q++) {
                sb_weighed *w = &pl->weighed[q];

                if (!w->tried && !w->dropped == !unwise)
                    (void)try_one(&s, w);
            }
            around(&s);
        }
    }
    pl->cut_short = s.over;
    sb_bench_decide(&s.bench, SB_ROUNDS_MAX, best, won);
    sb_bench_close(&s.bench);
    return SB_OK; /* without scratch the model decides */
}
