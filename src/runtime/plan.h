/*
 * A plan: which kernels walk which tiles over which arrays. Immutable once made; shared
 * by any number of threads; the caller's values, B, C, alpha and beta are read at each
 * run, the structure was read when the plan was made.
 */
#ifndef SB_RUNTIME_PLAN_H
#define SB_RUNTIME_PLAN_H

#include "base/diag.h"
#include "base/status.h"
#include "runtime/kernel.h"
#include "runtime/problem.h"

#include <stddef.h>

/* An array of the plan's own, bound to kernel buffers by name. Several parts of one kind have
 * arrays of one name: at level L it is NAME@L, and steps of that level alone see it. */
typedef struct sb_plan_array {
    char name[24];
    sb_dtype type;
    int64_t count;
    void *data; /* owned by the plan */
} sb_plan_array;

/* An integer of the plan, bound to kernel parameters by name. */
typedef struct sb_plan_int {
    char name[24];
    int64_t value;
} sb_plan_int;

/* Tile descriptors as the kernels read them. */
typedef struct sb_tile {
    int64_t kind, lo, hi, base;
} sb_tile;

/* Tiles [lo, hi) are independent of each other; a step begins when the one before has
 * ended. The first step on a row applies beta, later ones add (beta = 1). */
typedef struct sb_step {
    const sb_kernel *kernel;
    int64_t tile_lo, tile_hi;
    bool add;
    bool alone; /* so little work that it is the caller's, all of it */
} sb_step;

/* Who runs a plan whose steps are more than the arrays below can say: all of a tensor's
 * parts (planner/format_plan.h). `state` does not change once made. */
typedef struct sb_plan_engine {
    sb_status (*run)(const void *state, const sb_problem *pb, sb_diag *diag);
    void (*release)(void *state);
} sb_plan_engine;

#define SB_BIND_MAX 64
/* Where the names of a kernel's signature are found, as numbers (binding.c). */
typedef struct sb_sources {
    uint8_t nparam, nbuf;
    uint8_t param[SB_BIND_MAX], buf[SB_BIND_MAX];
} sb_sources;

#define SB_PLAN_MAX_ARRAYS 32
#define SB_PLAN_MAX_INTS 24
#define SB_PLAN_MAX_STEPS 64

typedef struct sb_plan {
    sb_problem key; /* shapes, types, layouts and structure pointers it was made for */
    sb_op op;       /* of its kernels: SpMV serves some SpMM (sb_problem_by_rows) */
    int narray, nint, nstep;
    sb_plan_array array[SB_PLAN_MAX_ARRAYS];
    sb_plan_int integer[SB_PLAN_MAX_INTS];
    sb_step step[SB_PLAN_MAX_STEPS];  /* nstep 0: the reference kernel */
    uint8_t level[SB_PLAN_MAX_STEPS]; /* of a step; 0: of a plan with one level */
    sb_sources *source; /* of each step; owned; NULL: looked up by name at each run */
    const sb_plan_engine *engine; /* NULL; else it runs nstep steps of its own */
    void *state;                  /* the engine's; owned */
    sb_tile *tile;                /* owned */
    int64_t ntile;
    int64_t slab;  /* columns of B that are copied side by side; 0: none */
    bool together; /* threads share each slab, instead of having slabs of their own */
    int64_t last;  /* kernels' parameter %last, rows of A; 0: nothing is asked for */
    bool values_frozen; /* packed values were copied under the caller's promise */
    size_t bytes;       /* memory the plan holds */
    char *text;    /* plan text; feeding it back gives the same plan; owned. NULL: of an
                   engine, which takes none */
    char *explain; /* several lines: parts, shares, predictions, why; owned */
    double predicted, measured, analysis; /* seconds per run; measured 0 if not timed */
} sb_plan;

void sb_plan_release(sb_plan *plan); /* NULL is fine */

/* True when the plan may serve this problem: same op, types, layouts, shapes, structure
 * arrays. Values, B, C pointers, alpha, beta are free. */
bool sb_plan_matches(const sb_plan *plan, const sb_problem *pb);

/*
 * Runs the plan on the problem's arrays; the problem is put by rows (problem.h). Allocates nothing, compiles nothing. ENOTSUP
 * when a kernel names a parameter or buffer that neither problem nor plan has
 * (a broken plan: tests only).
 */
sb_status sb_plan_run(const sb_plan *plan, const sb_problem *pb, sb_diag *diag);

/* Steps with tiles and arrays given directly, no plan object: the path without analysis
 * keeps its few tiles on the stack. */
typedef struct sb_launch {
    int nstep;
    const sb_step *step;
    const sb_tile *tile;
    int narray, nint;
    const sb_plan_array *array;
    const sb_plan_int *integer;
    const uint8_t *level; /* by step, or NULL: 0 */
    int64_t slab;         /* as a plan's; where the problem's buffer holds none, none */
    int64_t last;         /* as a plan's */
    bool together;        /* as a plan's */
    const sb_sources *source; /* by step, or NULL */
} sb_launch;
sb_status sb_launch_run(const sb_launch *l, const sb_problem *pb, sb_diag *diag);
/* A plan's steps and arrays, which stay the plan's. */
sb_launch sb_plan_launch(const sb_plan *plan);

/* Looks up the names of all steps of a plan for kernels on the host, whose steps, integers and
 * arrays are then to stay. Without memory for it, or where a name is unknown, runs look. */
void sb_plan_name_sources(sb_plan *plan);

/*
 * What a kernel with this signature (kernel.h) is called with for batch member `member`:
 * param[] and buf[] in its order, at most SB_BIND_MAX of each, in step `step` of the launch. For
 * whoever runs a program by other means; ENOTSUP as above, `spec` names the culprit.
 */
typedef struct sb_binding {
    int nparam, nbuf;
    int64_t far; /* bit 0: alpha is an address, bit 1: beta is */
    sb_param param[SB_BIND_MAX];
    void *buf[SB_BIND_MAX];
} sb_binding;
sb_status sb_launch_bind(sb_binding *out, const sb_launch *l, const sb_problem *pb,
                         const char *spec, const char *signature, int step,
                         int64_t member, sb_diag *diag);

#endif
