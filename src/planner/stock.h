/*
 * The GPU kernels worth making when the library is built: those of calls without analysis
 * and of plans that read rows in place, of the usual types, with 32-bit indices. By the
 * planner's own rules, so that there is no list to keep.
 */
#ifndef SB_PLANNER_STOCK_H
#define SB_PLANNER_STOCK_H

#include "runtime/kernel.h"

/* Calls each spec once, in a fixed order. */
void sb_stock_each(void (*each)(void *user, const char spec[SB_SPEC_MAX]), void *user);

#endif
