/*
 * Compositions of several levels: which parts take what those before them leave. The
 * search is greedy (greedy.h) over parts, on a sample of the matrix's rows, with the
 * model's seconds for each part (cost.h). Only finalists are built on the whole matrix.
 */
#ifndef SB_PLANNER_LEVELS_H
#define SB_PLANNER_LEVELS_H

#include "planner/context.h"

/*
 * Adds what the search finds to the candidates, where the features promise something: full
 * blocks, and enough beside them. SpMM on a CPU only. ENOMEM; the candidates stay sound.
 */
sb_status sb_levels_search(sb_planner *pl);

/* What a choice costs: its parts built one after the other on the sample where there are
 * several that select, else by the statistics. */
void sb_levels_predict(sb_cost *out, const sb_planner *pl, const sb_choice *ch);

#endif
