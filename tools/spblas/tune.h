/*
 * Parts of `spblas tune`: timing forced plans, and what the samples say about the cost
 * model.
 */
#ifndef SPBLAS_TOOL_TUNE_H
#define SPBLAS_TOOL_TUNE_H

#include "mm.h"

#include "planner/cost.h"

/* What the model knows about a product. */
typedef struct tune_problem {
    sb_work work;
    sb_stats stats;
} tune_problem;

/* A forced plan of problem number `problem`, and the clock. */
typedef struct tune_sample {
    int64_t problem;
    bool chosen; /* what the planner takes without measuring */
    sb_choice choice;
    double seconds;
} tune_sample;

typedef struct tune_samples {
    tune_problem *problem;
    tune_sample *at;
    int64_t problems, count;
} tune_samples;

/* A product to time; its type is f32 or f64. */
typedef struct tune_case {
    sb_op op;
    int64_t n;
    bool f64;
} tune_case;

/* Adds a sample for every plan that can be forced on the problem and has a kernel, timed
 * in turns for about `each` seconds a plan. TOOL_OK, or TOOL_USAGE, having complained. */
int tune_measure(tune_samples *to, const mm_matrix *m, const tune_case *c, double each);
void tune_free(tune_samples *s);

/* Prints, per operation and class of tiles: samples, correlation and mean error of t's
 * predictions; then how fast the planner's choices are against the fastest plans. */
void tune_report(const tune_samples *s, const sb_target *t);
/* Prints every sample: problem, plan, seconds measured and predicted. */
void tune_list(const tune_samples *s, const sb_target *t);

/* Fits t's factors and rates to the samples, beginning with what t has. */
int tune_fit(sb_target *t, const tune_samples *s);
/* Mean logarithm of the factor between t's predictions and the clock, over plans that are
 * not far from their problem's fastest. */
double tune_error(const tune_samples *s, const sb_target *t);

#endif
