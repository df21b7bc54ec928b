/*
 * Each structure of the batch has its rows, cut into tiles of about equal work; members
 * are run one by one. What the program asks for is bound by name.
 */
#include "planner/semiring_plan.h"

#include "base/alloc.h"
#include "base/macro.h"
#include "formats/stats.h"
#include "formats/view.h"
#include "planner/coded.h"
#include "planner/rules.h"

#include <string.h>

enum { TILES = 64 };

/* The rows of one structure. */
typedef struct walk {
    sb_view v;
    sb_plan_array array[3];
    sb_plan_int integer[4];
    sb_tile tile[TILES];
    int64_t tiles;
} walk;

struct sb_semiring_plan {
    sb_arena arena;
    sb_plan key; /* for matching alone: it has neither steps nor arrays */
    int64_t count;
    walk *walk;        /* owned: count of them, one a member or one for all */
    sb_coded coded[2]; /* values in place, by position; made where a walk needs it */
};

/* ---- members ------------------------------------------------------------------------- */

static void *
past(const void *data, sb_dtype t, int64_t elements)
{
    return data ? (char *)(uintptr_t)data + elements * (int64_t)sb_dtype_size(t) : NULL;
}

static sb_dense
dense_member(const sb_dense *d, int64_t q)
{
    sb_dense one = *d;

    one.batch = 1;
    one.data = past(d->data, d->type, d->batch > 1 ? q * d->stride : 0);
    return one;
}

/* Product q as a problem of its own. */
static sb_problem
member(const sb_problem *pb, int64_t q)
{
    const int64_t at = pb->a.batch > 1 ? q : 0;
    sb_problem one = *pb;
    sb_matrix *a = &one.a;

    a->ptr = past(a->ptr, a->ptr_type, at * a->ptr_stride);
    a->idx = past(a->idx, a->idx_type, at * a->idx_stride);
    a->row = past(a->row, a->idx_type, at * a->idx_stride);
    a->val = past(a->val, a->val_type, at * a->val_stride);
    a->batch = one.batch = 1;
    one.b = dense_member(&pb->b, q);
    one.c = dense_member(&pb->c, q);
    return one;
}

/* ---- making -------------------------------------------------------------------------- */

static void
bind_names(walk *w, const sb_matrix *a)
{
    const sb_view *v = &w->v;
    const int64_t values = a->nnz * sb_matrix_block(a) * sb_matrix_block(a);
    const sb_plan_array array[] = {
        {"R_ptr", v->ptr_type, v->rows + 1, (void *)(uintptr_t)v->ptr},
        {"R_crd", v->crd_type, v->nnz, (void *)(uintptr_t)v->crd},
        {"R_pos", SB_I64, v->nnz, v->own_pos}};
    const sb_plan_int integer[] = {{"R_nnz", v->nnz},
                                   {"R_values", values},
                                   {"R_ptr_base", v->ptr_base},
                                   {"R_crd_base", v->crd_base}};

    memcpy(w->array, array, sizeof array);
    memcpy(w->integer, integer, sizeof integer);
}

static void
cut_tiles(walk *w)
{
    const int64_t rows = w->v.rows, n = rows < TILES ? rows : TILES;
    const int64_t work = rows + w->v.nnz;
    int64_t row = 0, at = 0;

    for (int64_t q = 1; q <= n; q++) {
        const int64_t end =
            q == n ? rows : sb_view_row_at(&w->v, work / n * q + work % n * q / n);

        if (end > row)
            w->tile[at++] = (sb_tile){0, row, end, 0};
        row = end > row ? end : row;
    }
    w->tiles = at;
}

static sb_status
make_code(sb_semiring_plan *plan, const sb_problem *pb, const sb_view *v,
          const sb_semiring *ring, sb_diag *diag)
{
    const bool by_position = v->pos != NULL;
    const sb_choice none = {.op = pb->op};
    const sb_prog *prog = NULL;
    sb_spec spec;
    sb_ir ir;

    if (plan->coded[by_position].prog)
        return SB_OK;
    sb_spec_of(&spec, pb, &none, 0, v->ptr_type, v->crd_type);
    sb_ir_init(&ir, &plan->arena, diag);
    SB_TRY(sb_semiring_lowered(&prog, &ir, &spec, ring, by_position));
    return sb_coded_make(&plan->coded[by_position], &plan->arena, prog, "semiring",
                         SB_KERNEL_COMPILE);
}

static sb_status
build(sb_semiring_plan *plan, const sb_problem *pb, const sb_semiring *ring,
      sb_diag *diag)
{
    const sb_matrix *a = &pb->a;
    const bool own = a->batch > 1 && (a->ptr_stride != 0 || a->idx_stride != 0);
    const int64_t count = own ? a->batch : 1;

    plan->walk = sb_alloc_array(count, sizeof *plan->walk);
    if (!plan->walk)
        return SB_ENOMEM;
    for (; plan->count < count; plan->count++) {
        const sb_problem one = member(pb, plan->count);
        walk *w = &plan->walk[plan->count];

        SB_TRY(sb_view_make_elements(&w->v, &one.a, sb_problem_transposes(&one), diag));
        bind_names(w, &one.a);
        cut_tiles(w);
    }
    for (int64_t q = 0; q < count; q++)
        SB_TRY(make_code(plan, pb, &plan->walk[q].v, ring, diag));
    return SB_OK;
}

sb_status
sb_semiring_plan_create(sb_semiring_plan **out, const sb_problem *pb,
                        const sb_semiring *ring, sb_diag *diag)
{
    sb_semiring_plan *plan = sb_alloc_zero(sizeof *plan);
    sb_status st;

    *out = NULL;
    if (!plan)
        return SB_ENOMEM;
    sb_arena_init(&plan->arena);
    plan->key.key = *pb;
    st = build(plan, pb, ring, diag);
    if (st == SB_OK)
        *out = plan;
    else
        sb_semiring_plan_release(plan);
    return st;
}

void
sb_semiring_plan_release(sb_semiring_plan *plan)
{
    if (!plan)
        return;
    for (int64_t q = 0; q < plan->count; q++)
        sb_view_free(&plan->walk[q].v);
    sb_free(plan->walk);
    sb_arena_free(&plan->arena);
    sb_free(plan);
}

/* ---- use ----------------------------------------------------------------------------- */

bool
sb_semiring_plan_matches(const sb_semiring_plan *plan, const sb_problem *pb)
{
    return sb_plan_matches(&plan->key, pb);
}

sb_status
sb_semiring_plan_run(const sb_semiring_plan *plan, const sb_problem *pb, sb_diag *diag)
{
    for (int64_t q = 0; q < pb->batch; q++) {
        const walk *w = &plan->walk[plan->count > 1 ? q : 0];
        const sb_coded *code = &plan->coded[w->v.pos != NULL];
        const sb_step step = {.kernel = code->kernel, .tile_hi = w->tiles};
        const sb_launch launch = {.nstep = 1,
                                  .step = &step,
                                  .tile = w->tile,
                                  .narray = SB_COUNT(w->array),
                                  .nint = SB_COUNT(w->integer),
                                  .array = w->array,
                                  .integer = w->integer};
        const sb_problem one = member(pb, q);

        SB_TRY(sb_coded_run(code, &launch, &one, diag));
    }
    return SB_OK;
}
