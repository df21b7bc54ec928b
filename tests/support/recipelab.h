/*
 * One problem cut into the parts of a spec's kinds, for tests that run its kernel by hand:
 * interpreter, compiled C, emulated GPU. Data are small integers; beta == 0 finds NaN in
 * the output.
 */
#ifndef SB_TEST_RECIPELAB_H
#define SB_TEST_RECIPELAB_H

#include "formats/part.h"
#include "gen.h"
#include "kernels/spec.h"
#include "oracle.h"
#include "runtime/plan.h"

typedef struct recipe_case {
    gen_family family;
    int64_t rows, cols, n;
    int base;
    double alpha, beta;
} recipe_case;

/* Matrices that break sparse code. */
enum { RECIPE_CASES = 10 };
extern const recipe_case recipe_cases[RECIPE_CASES];

enum { RECIPE_PARTS = 3, RECIPE_STEPS = 64, RECIPE_LAST = 3 };

typedef struct recipe_fixture {
    const char *text;
    sb_spec spec;
    recipe_case mc;
    sb_problem pb;
    sb_view view;
    sb_part part[RECIPE_PARTS];
    int npart;
    sb_plan_array array[SB_PLAN_MAX_ARRAYS];
    sb_plan_int integer[SB_PLAN_MAX_INTS];
    int narray, nint, nstep;
    sb_tile tile[RECIPE_STEPS];
    bool add[RECIPE_STEPS];
    bool repeats
        [RECIPE_STEPS]; /* units of the step are of one row: no GPU's plan has it */
    void *start;        /* the output as it was before any run */
    void *scratch, *scratch_row; /* of range: the sums that are left, and rows */
    oracle want;
} recipe_fixture;

void recipe_make(recipe_fixture *fx, const char *spec, const recipe_case *mc);
void recipe_free(recipe_fixture *fx);

/* The kind of kernel of a part. */
int recipe_kind(const sb_part *p);

/* The output, and its bytes. */
void *recipe_output(const recipe_fixture *fx);
size_t recipe_output_bytes(const recipe_fixture *fx);

/* The interpreter over one tile; NULL: a program without tiles. */
void recipe_interpret(recipe_fixture *fx, const sb_prog *p, const sb_tile *tile,
                      sb_value beta);
/* Arrays and counts of kinds that took no entry: the kernel names them, no tile does. */
void recipe_add_absent(recipe_fixture *fx, const sb_prog *p);
/* Exactly what the oracle says, or the test fails; the output is then as before. */
void recipe_check(const recipe_fixture *fx, const char *how);

#endif
