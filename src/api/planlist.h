/*
 * The plans beside one sparse descriptor, newest first, under a lock of their own: an
 * analysis may publish while other threads compute. A plan in use outlives its removal
 * from the list.
 */
#ifndef SB_API_PLANLIST_H
#define SB_API_PLANLIST_H

#include "runtime/plan.h"

typedef struct sb_planlist sb_planlist;
typedef struct sb_planref sb_planref; /* one plan, held */

sb_status sb_planlist_create(sb_planlist **out);
/* NULL is fine. No plan may be held. */
void sb_planlist_release(sb_planlist *list);

/* Puts a plan in front and takes it over, also on failure (ENOMEM). Plans that serve
 * the problem it was made for leave the list. */
sb_status sb_planlist_put_take(sb_planlist *list, sb_plan *plan);
/* Empties the list. */
void sb_planlist_drop(sb_planlist *list);
int sb_planlist_count(sb_planlist *list);

/* The plan for this problem, or number `index`; NULL when there is none. Hold it no
 * longer than a call. Allocates nothing. */
sb_planref *sb_planlist_find(sb_planlist *list, const sb_problem *pb);
sb_planref *sb_planlist_at(sb_planlist *list, int index);
const sb_plan *sb_planref_plan(const sb_planref *ref);       /* NULL for NULL */
void sb_planlist_unhold(sb_planlist *list, sb_planref *ref); /* NULL ref is fine */

#endif
