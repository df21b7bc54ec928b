/*
 * From tensor to steps: leaves are the tensors that have arrays (parts of hybrids, banks
 * of partitions), codes the distinct programs of their formats. A leaf's arrays and sizes
 * go by name into a launch of its own, so the same code serves every bank.
 */
#include "planner/format_plan.h"

#include "base/alloc.h"
#include "formats/fmt_expr.h"
#include "kernels/format_program.h"
#include "planner/coded.h"
#include "planner/context.h"
#include "planner/format_names.h"
#include "planner/rules.h"
#include "runtime/plan.h"

#include <string.h>

enum { TILES = 256, CODES = 2 * SB_FMT_PARTS + 1 };

/* A program for a format and the index types of its tensor. */
typedef struct code {
    const sb_fmt *fmt;
    sb_dtype ptr, idx;
    sb_format_facts facts;
    sb_coded coded;
} code;

typedef struct step {
    const code *code;
    const sb_tensor *leaf; /* NULL: C = beta * C */
    sb_step step;
    sb_launch launch;
} step;

struct sb_format_plan {
    sb_arena arena;
    int ncode, nstep;
    code code[CODES];
    step *step;
};

typedef struct maker {
    sb_format_plan *plan;
    const sb_problem *pb;
    sb_kernel_effort effort;
    sb_diag *diag;
} maker;

/* ---- codes ----------------------------------------------------------------------------- */

static sb_format_op
operation(const sb_problem *pb, const code *c, sb_dtype values)
{
    const sb_choice none = {.op = pb->op};
    sb_format_op op = {.fmt = c->fmt};

    sb_spec_of(&op.spec, pb, &none, 0, c->ptr, c->idx);
    op.spec.a = values;
    op.trans = sb_problem_transposes(pb);
    return op;
}

/* The code of a tensor's format, made if it is new. */
static sb_status
find_code(const code **out, maker *mk, const sb_tensor *t)
{
    sb_format_plan *plan = mk->plan;
    const sb_fmt *f = t ? t->fmt : NULL;
    const sb_dtype ptr = t ? t->ptr_type : SB_I32, idx = t ? t->idx_type : SB_I32;
    const sb_dtype values = t ? t->val_type : mk->pb->a.val_type;
    const sb_prog *prog = NULL;
    sb_format_op op;
    code *c;
    sb_ir ir;

    for (int q = 0; q < plan->ncode; q++) {
        c = &plan->code[q];
        *out = c;
        if (c->fmt == f && c->ptr == ptr && c->idx == idx)
            return SB_OK;
    }
    *out = NULL;
    if (plan->ncode == CODES)
        return sb_diag_set(mk->diag, SB_ENOTSUP, "more than %d programs", CODES);
    c = &plan->code[plan->ncode++];
    *c = (code){.fmt = f, .ptr = ptr, .idx = idx};
    op = operation(mk->pb, c, values);
    sb_ir_init(&ir, &plan->arena, mk->diag);
    SB_TRY(sb_format_lowered(&prog, &c->facts, &ir, &op));
    *out = c;
    return sb_coded_make(&c->coded, &plan->arena, prog,
                         f ? "format part" : "format scale", mk->effort);
}

static sb_status
name_leaf(sb_launch *out, maker *mk, const sb_tensor *t)
{
    sb_arena *ar = &mk->plan->arena;
    sb_format_names *n = sb_arena_alloc(ar, sizeof *n);

    if (!n)
        return SB_ENOMEM;
    sb_format_names_of(n, t);
    out->array = n->array;
    out->narray = n->narray;
    out->integer = n->integer;
    out->nint = n->nint;
    return SB_OK;
}

/* ---- steps ----------------------------------------------------------------------------- */

/* Trips of the tiled loop. */
static int64_t
outer_extent(const maker *mk, const step *s)
{
    const sb_format_facts *f = &s->code->facts;
    int64_t m, n, k;

    sb_problem_shape(mk->pb, &m, &n, &k);
    return f->rows ? m : s->leaf->count[f->outer];
}

static sb_status
cut_tiles(step *s, maker *mk)
{
    const int64_t extent = outer_extent(mk, s);
    const int64_t n = !s->code->facts.split ? extent > 0
                      : extent < TILES      ? extent
                                            : TILES;
    sb_tile *tile = sb_arena_array(&mk->plan->arena, n > 0 ? n : 1, sizeof *tile);

    if (!tile)
        return SB_ENOMEM;
    for (int64_t q = 0; q < n; q++)
        tile[q] = (sb_tile){0, extent / n * q + extent % n * q / n,
                            extent / n * (q + 1) + extent % n * (q + 1) / n, 0};
    s->launch.tile = tile;
    s->step.tile_hi = n;
    return SB_OK;
}

/* A level without a list that starts elsewhere than its program was written for; what a
 * function answers is in no coordinate. */
static sb_status
check_starts(const sb_tensor *t, sb_diag *diag)
{
    for (int q = 0; t && q < t->fmt->nlevel; q++) {
        if (t->idx[q].data || t->lo[q] == 0 || sb_fmt_expr_indirect(t->fmt->level[q]) ||
            sb_format_level_shifted(t->fmt, q))
            continue;
        return sb_diag_set(diag, SB_EINVAL, "level %d of format %s begins at %lld", q,
                           t->fmt->name, (long long)t->lo[q]);
    }
    return SB_OK;
}

static sb_status
add_step(maker *mk, const sb_tensor *leaf, bool add)
{
    step *s = &mk->plan->step[mk->plan->nstep];

    memset(s, 0, sizeof *s);
    s->leaf = leaf;
    SB_TRY(check_starts(leaf, mk->diag));
    SB_TRY(find_code(&s->code, mk, leaf));
    s->step.kernel = s->code->coded.kernel;
    s->step.add = add;
    SB_TRY(name_leaf(&s->launch, mk, leaf));
    SB_TRY(cut_tiles(s, mk));
    s->launch.step = &s->step;
    s->launch.nstep = 1;
    mk->plan->nstep++;
    return SB_OK;
}

/* Leaves in order; the first one's program may apply beta. */
static sb_status
add_leaves(maker *mk, const sb_tensor *t, bool bank)
{
    const bool sddmm = mk->pb->op == SB_OP_SDDMM;
    const code *c;

    if (!bank && (t->fmt->npart > 0 || t->fmt->partition >= 0)) {
        for (int q = 0; q < t->nbank; q++)
            SB_TRY(add_leaves(mk, &t->bank[q], t->bank[q].fmt == t->fmt));
        return SB_OK;
    }
    SB_TRY(find_code(&c, mk, t));
    if (mk->plan->nstep == 0 && !c->facts.beta)
        SB_TRY(add_step(mk, NULL, false));
    return add_step(mk, t, mk->plan->nstep > 0 && !sddmm);
}

static sb_status
check_shapes(const sb_tensor *t, const sb_problem *pb, sb_diag *diag)
{
    if (t->fmt->ndim != 2)
        return sb_diag_set(diag, SB_EINVAL, "format %s is not one of matrices",
                           t->fmt->name);
    if (t->extent[0] != pb->a.rows || t->extent[1] != pb->a.cols)
        return sb_diag_set(diag, SB_EINVAL,
                           "the tensor is %lld x %lld, the problem's A %lld x %lld",
                           (long long)t->extent[0], (long long)t->extent[1],
                           (long long)pb->a.rows, (long long)pb->a.cols);
    return SB_OK;
}

static sb_status
build(maker *mk, const sb_tensor *t)
{
    const int64_t leaves = sb_tensor_leaves(t);

    SB_TRY(check_shapes(t, mk->pb, mk->diag));
    mk->plan->step =
        sb_arena_array(&mk->plan->arena, leaves + 1, sizeof *mk->plan->step);
    if (!mk->plan->step)
        return SB_ENOMEM;
    SB_TRY(add_leaves(mk, t, false));
    if (mk->plan->nstep == 0 && mk->pb->op != SB_OP_SDDMM)
        return add_step(mk, NULL, false);
    return SB_OK;
}

sb_status
sb_format_plan_create(sb_format_plan **out, const sb_tensor *t, const sb_problem *pb,
                      sb_kernel_effort effort, sb_diag *diag)
{
    maker mk = {sb_alloc_zero(sizeof *mk.plan), pb, effort, diag};
    sb_status st;

    *out = NULL;
    if (!mk.plan)
        return SB_ENOMEM;
    sb_arena_init(&mk.plan->arena);
    st = build(&mk, t);
    if (st == SB_OK)
        *out = mk.plan;
    else
        sb_format_plan_release(mk.plan);
    return st;
}

void
sb_format_plan_release(sb_format_plan *plan)
{
    if (!plan)
        return;
    sb_arena_free(&plan->arena);
    sb_free(plan);
}

/* ---- running --------------------------------------------------------------------------- */

/* Values are those the leaf has now. */
static sb_status
run_step(const step *s, const sb_problem *pb, sb_diag *diag)
{
    sb_problem mine = *pb;

    mine.a.val = s->leaf ? s->leaf->val.data : NULL;
    return sb_coded_run(&s->code->coded, &s->launch, &mine, diag);
}

sb_status
sb_format_plan_run(const sb_format_plan *plan, const sb_problem *pb, sb_diag *diag)
{
    for (int q = 0; q < plan->nstep; q++)
        SB_TRY(run_step(&plan->step[q], pb, diag));
    return SB_OK;
}

int
sb_format_plan_steps(const sb_format_plan *plan)
{
    return plan->nstep;
}

size_t
sb_format_plan_bytes(const sb_format_plan *plan)
{
    return sizeof *plan + sb_arena_bytes(&plan->arena);
}

void
sb_format_plan_explain(sb_strbuf *out, const sb_format_plan *plan)
{
    for (int q = 0; q < plan->nstep; q++) {
        const step *s = &plan->step[q];

        sb_strbuf_printf(out, "%s: %lld tiles%s, %s\n",
                         s->leaf ? s->leaf->fmt->name : "scale",
                         (long long)s->step.tile_hi, s->step.add ? ", adds" : "",
                         s->code->coded.kernel ? s->code->coded.spec : "interpreter");
    }
}

sb_status
sb_format_compute(const sb_tensor *t, const sb_problem *pb, sb_diag *diag)
{
    sb_format_plan *plan = NULL;

    SB_TRY(sb_format_plan_create(&plan, t, pb, SB_KERNEL_COMPILE, diag));
    {
        const sb_status st = sb_format_plan_run(plan, pb, diag);

        sb_format_plan_release(plan);
        return st;
    }
}
