/*
 * Coefficients from measurements. Nothing here knows what they mean.
 */
#ifndef SB_PLANNER_FIT_H
#define SB_PLANNER_FIT_H

#include "base/status.h"

#include <stdint.h>

/*
 * x >= 0 for which terms[q] . x comes nearest to seconds[q], in relative error, over all
 * samples. terms is samples x unknowns, row by row. x holds a guess on entry, where the
 * search begins: what no sample speaks of stays as it was. Samples that are not finite
 * and positive do not count. ENOMEM leaves x as it was.
 */
sb_status sb_fit_solve(double *x, int unknowns, const double *terms,
                       const double *seconds, int64_t samples);

/* Pearson's correlation of two series; 0 when one of them does not vary. */
double sb_fit_correlation(const double *x, const double *y, int64_t n);

#endif
