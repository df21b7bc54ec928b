/*
 * Timing plans while an analysis lasts (measure.c, measure_device.c), and the wide search that EXHAUSTIVE
 * asks for (search.c).
 */
#ifndef SB_PLANNER_SEARCH_H
#define SB_PLANNER_SEARCH_H

#include "planner/context.h"

/* Plans within this ratio of the fastest are worth a second look (STile's r). */
#define SB_SEARCH_RATIO 1.2
enum { SB_FINALISTS = 3, SB_ROUNDS_MAX = 31 };
/* Candidates that MEASURE takes from the model. */
enum { SB_FEW = 5 };

typedef struct sb_finalist {
    sb_plan *plan; /* owned */
    sb_weighed *w;
} sb_finalist;

/* Scratch operands of the problem's shape, zero, and the race so far. */
typedef struct sb_bench {
    sb_planner *pl;
    sb_problem pb; /* the problem on scratch operands */
    void *a, *b, *c;
    void *copy; /* what the caller lends for slabs, or NULL */
    size_t room;
    double spent; /* seconds */
    int finalists;
    sb_finalist final[SB_FINALISTS]; /* the fastest first */
} sb_bench;

/* False when memory is short; to be closed either way. */
bool sb_bench_open(sb_bench *bn, sb_planner *pl);
void sb_bench_close(sb_bench *bn);
/* Seconds of the fastest plan, 0: none yet. */
double sb_bench_best(const sb_bench *bn);
/* Builds and times one of the planner's candidates; w->measured and w->dropped say what
 * became of it. */
void sb_bench_try(sb_bench *bn, sb_weighed *w);
/* The same of a plan of it, which becomes the bench's; NULL: it could not be built. */
void sb_bench_run(sb_bench *bn, sb_weighed *w, sb_plan *plan);
/* Those that read the caller's arrays as they are, whatever the model thinks of them: no
 * measured plan may be slower than none. */
void sb_bench_as_is(sb_bench *bn);
/* measure_device.c: tries SB_FEW candidates and the arrays as they are, on a device. */
void sb_bench_device(sb_bench *bn);
/* The finalists' runs in turns, and who won: the caller's plan from then on. Leaves *best
 * alone when there is none. */
void sb_bench_decide(sb_bench *bn, int rounds, sb_plan **best, const sb_weighed **won);

/*
 * EXHAUSTIVE: all candidates, wise ones first, then whatever is one step away from those
 * within SB_SEARCH_RATIO of the fastest, again and again until no step gains or the time is up
 * or the caller has enough (sb_options). *best stays NULL when none could be timed.
 */
sb_status sb_plan_search(sb_plan **best, sb_planner *pl, const sb_weighed **won);

/* The index-th choice one step away from `ch`; false past the end. Not every one is legal. */
bool sb_choice_neighbour(sb_choice *out, const sb_choice *ch, int index);

#endif
