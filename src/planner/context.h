/*
 * One analysis under way: the problem, the policy, the machine, and what has been found
 * out about the matrix. Lives on the stack of sb_plan_create.
 */
#ifndef SB_PLANNER_CONTEXT_H
#define SB_PLANNER_CONTEXT_H

#include "formats/stats.h"
#include "formats/view.h"
#include "kernels/spec.h"
#include "planner/choice.h"
#include "planner/cost.h"
#include "planner/planner.h"
#include "runtime/kernel.h"
#include "runtime/target.h"

enum { SB_WEIGHED_MAX = 512 }; /* EXHAUSTIVE's search adds to the candidates */

/* A candidate and its fate. */
typedef struct sb_weighed {
    sb_choice choice;
    sb_choice built;      /* once timed: as it was built, rules spelled out */
    bool tried, expanded; /* it was built or could not be; so was all one step away */
    bool finalist;        /* of the search over levels */
    sb_cost cost;
    double measured;     /* seconds, 0 when not timed */
    const char *dropped; /* why it is out of the race, or NULL */
    int order;           /* of the candidate, to break ties */
} sb_weighed;

typedef struct sb_planner {
    const sb_problem *pb;
    const sb_options *opt;
    const sb_problem *far; /* the same with the device's own arrays; NULL on the host */
    const sb_target *target;
    sb_target gpu_target; /* what `target` is on a device, of these facts */
    sb_gpu_facts gpu;
    sb_diag *diag;
    sb_par par;
    sb_view view;
    sb_stats stats;
    sb_work work;
    size_t memory_limit;
    bool remembered;       /* the plan came from wisdom */
    bool cut_short;        /* a search that time or the caller ended */
    double searched;       /* seconds of the search over levels, 0: none */
    int rounds, withdrawn; /* of it */
    int slab;              /* columns that are turned at a time: `pb` is of those */
    bool by_ranges;        /* on a device: no plan is the best plan */
    int32_t *order;        /* rows by communities, or windows, once made; owned */
    int order_window;      /* rows of such a window; 1: they are rows */
    double order_ratio;    /* what they take over rows as they are, 0: not looked at */
    int nweighed;
    sb_weighed weighed[SB_WEIGHED_MAX];
} sb_planner;

/* ---- build.c ---- */

/*
 * Parts, kernels, steps and tiles of a choice. Looks for kernels within `effort`.
 * ENOTSUP: the choice does not fit the matrix; ENOKERNEL: no kernel at this effort;
 * ERESOURCES: over the memory limit; each with a sentence in `diag`. The plan's text is
 * the choice as it was built: parts that found no entry are gone, rules are spelled out.
 */
sb_status sb_plan_build(sb_plan **out, sb_planner *pl, const sb_choice *choice,
                        sb_kernel_effort effort, sb_diag *diag);
/* Nothing but the reference kernel. */
sb_status sb_plan_reference(sb_plan **out, sb_planner *pl);

/* ---- kernel.c ---- */

/* A kernel for this set of kinds; ENOKERNEL, or ENOTSUP for a spec nobody can make. */
sb_status sb_planner_kernel(const sb_kernel **out, const sb_problem *pb,
                            const sb_choice *ch, unsigned kinds, sb_dtype ptr,
                            sb_dtype idx, sb_kernel_effort effort);
/* A device's kernel of a spec whose tile is settled: lanes are filled in. */
sb_status sb_planner_device_kernel(const sb_kernel **out, struct sb_device *d,
                                   sb_spec *spec, sb_kernel_effort effort);

/* ---- tiles.c ---- */

/* Descriptors of one group, cut by cost at row boundaries. Appends to tile[*n], which
 * has room for `cap`; with tile NULL only counts. */
void sb_tiles_cut(sb_tile *tile, int64_t *n, const sb_part *p, const sb_part_group *g,
                  const sb_view *v, int kind, int64_t grain);

/* strips.c: the same of rows in place, for groups of lanes of the planner's GPU: rows lo .. hi
 * whose `base` >> 16 entries begin with entry `kind` (0: the offsets say), or part `base` & 255 of
 * `base` >> 8 & 255 of a long row, which lie beside each other in a block; all tiles of a block
 * have such a count or none. `first`: where the step's tiles begin. */
void sb_strips_cut(sb_tile *tile, int64_t *n, const sb_planner *pl,
                   const sb_part_group *g, const sb_gpu_shape *s, int64_t first);

/* Tiles of rows in place say instead of what they cost where their entries are: `base` of them
 * from entry `kind` on, or none, then the offsets say. */
void sb_strips_place(sb_tile *tile, int64_t n, const sb_planner *pl);

/* What all units of a part cost, where offsets say it: chunks of many entries come to less than
 * their entries. Else its entries. */
int64_t sb_tiles_total(const sb_part *p);

/* How long a tile keeps a block of so many groups of lanes, in entries of all of them. */
int64_t sb_tile_cost(const sb_tile *t, const sb_part *p, const sb_view *v,
                     int64_t groups);
/* tile_order.c: `base` of each is its cost and becomes 0. */
void sb_tiles_longest_first(sb_tile *tile, int64_t n, int64_t grain);

/* ---- choose.c, measure.c, measure_device.c, see also search.h ---- */

/* The plan of the cheapest candidate, and which one that was. */
sb_status sb_plan_choose(sb_plan **out, sb_planner *pl, const sb_weighed **won);

/* Times plans of the weighed candidates on scratch operands; *best stays NULL when none
 * could be timed. */
sb_status sb_plan_measure(sb_plan **best, sb_planner *pl, const sb_weighed **won);

/* cost_gpu.c: why the model should not be asked about a candidate on a device, or NULL. */
const char *sb_gpu_unwise(const sb_planner *pl, const sb_weighed *w);
/* What a composition's seconds are multiplied by. */
double sb_gpu_beside_strips(const sb_planner *pl, const sb_choice *ch);
/* Predicted seconds of the path without a plan (even.h) in the caller's buffer; infinite
 * where it has no ranges. */
double sb_gpu_ranges(const sb_planner *pl);

/* ---- explain.c ---- */

/* Fills plan->explain. `won` may be NULL; `why` is the closing sentence. */
sb_status sb_plan_explain(sb_plan *plan, const sb_planner *pl, const sb_weighed *won,
                          const char *why);

/* ---- maker.c ---- */

extern const sb_kernel_maker sb_planner_maker;
extern const sb_kernel_maker sb_planner_gpu_maker; /* of specs with lanes */

#endif
