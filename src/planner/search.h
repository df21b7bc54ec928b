/*
 * Timing plans while an analysis lasts (measure.c), and the wide search that EXHAUSTIVE
 * asks for (search.c).
 */
#ifndef SB_PLANNER_SEARCH_H
#define SB_PLANNER_SEARCH_H

#include "planner/context.h"

/* Scratch operands of the problem's shape, zero, and the race so far. */
typedef struct sb_bench {
    sb_planner *pl;
    sb_problem pb; /* the problem on scratch operands */
    void *a, *b, *c;
    double budget;      /* runs of the best plan that may be spent on one more */
    double spent, best; /* seconds; best 0: none yet */
} sb_bench;

/* False when memory is short; to be closed either way. */
bool sb_bench_open(sb_bench *bn, sb_planner *pl, double budget);
void sb_bench_close(sb_bench *bn);
/* Builds and times one of the planner's candidates. *best becomes its plan, and *won it,
 * if it is `gain` times as fast as the fastest so far, at least; else w->measured and
 * w->dropped say what became of it. */
void sb_bench_try(sb_bench *bn, sb_weighed *w, double gain, sb_plan **best,
                  const sb_weighed **won);

/*
 * EXHAUSTIVE: all candidates, wise ones first, then whatever is one step away from those
 * within SB_SEARCH_RATIO of the fastest, again and again until no step gains or the time is up
 * or the caller has enough (sb_options). *best stays NULL when none could be timed.
 */
#define SB_SEARCH_RATIO 1.2
sb_status sb_plan_search(sb_plan **best, sb_planner *pl, const sb_weighed **won);

/* The index-th choice one step away from `ch`; false past the end. Not every one is legal. */
bool sb_choice_neighbour(sb_choice *out, const sb_choice *ch, int index);

#endif
