/*
 * A sample of a matrix's rows as a matrix of its own, on which parts are tried one after the
 * other. Shared by levels_sample.c and levels.c only.
 */
#ifndef SB_PLANNER_LEVELS_SAMPLE_H
#define SB_PLANNER_LEVELS_SAMPLE_H

#include "planner/context.h"

typedef struct sb_level_sample {
    const sb_planner *pl;
    sb_view v;               /* its pos is NULL: values are not looked at */
    double by_row, by_entry; /* from the sample to the matrix */
    bool packed;
    int64_t *above; /* by slot: the one before it in its column and window, or -1 */
} sb_level_sample;

/* SB_SKIP: nothing to be seen (blocks, unsorted columns, too few rows). To be freed
 * whatever comes. */
sb_status sb_level_sample_take(sb_level_sample *out, const sb_planner *pl);
void sb_level_sample_free(sb_level_sample *ls);

/* A part that selects takes its entries from the cover; SB_SKIP when it finds none. */
sb_status sb_level_select(const sb_level_sample *ls, sb_amounts *am, sb_cover *cv,
                          const sb_part_choice *c);
/* What is left, as a part that takes it all. */
void sb_level_rest(const sb_level_sample *ls, sb_amounts *am, const sb_cover *cv,
                   const sb_part_choice *c);
/* points: a bit for each slot that the cover has taken and `covered` has not; cv NULL: all
 * that is left. */
void sb_level_points(const sb_level_sample *ls, uint64_t *points, const sb_cover *cv,
                     const uint64_t *covered);
/* Seconds on the whole matrix of a part of these points; what it is made of goes to place
 * `at` of the total. */
double sb_level_seconds(const sb_level_sample *ls, sb_cost *total, int at,
                        const sb_part_choice *c, sb_amounts am, const uint64_t *points);
/* All parts of a choice one after the other. ENOMEM. */
sb_status sb_level_replay(const sb_level_sample *ls, sb_cost *out, const sb_choice *ch);

#endif
