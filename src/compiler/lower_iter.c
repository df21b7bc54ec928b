/*
 * Stage I -> stage II (SparseTIR 3.3.1): every sparse iteration becomes nested loops
 * over positions. Auxiliary buffers are declared in stage I already; regions are read
 * off the accesses when a schedule needs them. Holds afterwards: no iterations, every
 * access by positions, coordinates are explicit loads.
 *
 *   iter spmm (%i : S #I, %j : R #J) {        for %i in 0 .. %m {
 *     init $y[%i] = 0.0                         $y[%i] = 0.0
 *     $y[%i] += $A[%i, %j] * $x[%j]             for %pj in 0 .. $ptr[%i + 1] - $ptr[%i] reduce {
 *   }                                             let %j = $crd[$ptr[%i] + %pj]
 *                                                 $y[%i] += $A[%i, %pj] * $x[%j] } }
 *
 * init runs in a nest of its own in front of the outermost reduction loop, over the
 * spatial iterators that lie inside it. A block marks a loop whose extent depends on
 * data chosen by another such loop.
 */
#include "compiler/lower_iter.h"

#include "compiler/address.h"
#include "compiler/affine.h"
#include "compiler/compiler.h"
#include "compiler/rewrite.h"

#include <stdio.h>
#include <string.h>

static bool
is_sparse(const sb_axis *x)
{
    return x->kind == SB_AXIS_SPARSE_FIXED || x->kind == SB_AXIS_SPARSE_VARIABLE;
}

static bool
is_variable(const sb_axis *x)
{
    return x->kind == SB_AXIS_DENSE_VARIABLE || x->kind == SB_AXIS_SPARSE_VARIABLE;
}

/* ---- one level -------------------------------------------------------------------------- */

static bool
name_taken(const sb_lowering *lo, const char *name)
{
    for (int q = 0; q < lo->prog->nparam; q++) {
        if (strcmp(lo->prog->param[q]->name, name) == 0)
            return true;
    }
    for (int k = 0; k < lo->n; k++) {
        if (strcmp(lo->at[k].it->var->name, name) == 0)
            return true;
    }
    return false;
}

const sb_var *
sb_lower_var(const sb_lowering *lo, const char *prefix, const sb_iter *it)
{
    char name[80];

    (void)snprintf(name, sizeof name, "%.4s%.64s", prefix, it->var->name);
    while (name_taken(lo, name))
        (void)strncat(name, "_", sizeof name - strlen(name) - 1);
    return sb_var_new(lo->ir, name, SB_I64);
}

const sb_open_axis *
sb_lower_axis(const sb_lowering *lo, int place)
{
    return place < 0 ? NULL : &lo->at[place / 2].at[place % 2];
}

static const sb_expr *
parent_slot(const sb_lowering *lo, const sb_level *l)
{
    const sb_open_axis *p = sb_lower_axis(lo, l->at[0].parent);

    return p ? p->slot : NULL;
}

/* Number of positions of level k, its parent being open. */
static const sb_expr *
level_extent(const sb_lowering *lo, int k)
{
    const sb_level *l = &lo->at[k];
    const sb_expr *e = sb_axis_extent(lo->ir, l->it->axis, parent_slot(lo, l));

    return e ? sb_expr_simplify(lo->ir, e) : NULL;
}

/* Opens level k at a position: slot and coordinate follow. */
static void
open_level(sb_lowering *lo, int k, const sb_expr *pos)
{
    sb_level *l = &lo->at[k];
    const sb_axis *x = l->it->axis;
    const bool own = pos && pos->kind == SB_EXPR_VAR && pos->u.var == l->it->var;

    const sb_expr *slot =
        sb_expr_add(lo->ir, sb_axis_first(lo->ir, x, parent_slot(lo, l)), pos);

    l->at[0].pos = pos;
    l->at[0].slot = slot ? sb_expr_simplify(lo->ir, slot) : NULL;
    if (is_sparse(x))
        l->coord = sb_expr_var(lo->ir, l->it->var);
    else
        l->coord =
            own || sb_expr_is_int(pos, 0) ? pos : sb_expr_var(lo->ir, l->it->var);
}

static const sb_expr *
not_negative(sb_ir *ir, const sb_buf *b, const sb_expr *at)
{
    return sb_expr_bin(ir, SB_EXPR_GE, sb_load_i64(ir, b, at), sb_expr_int(ir, 0));
}

/* A dense axis with holes: tested where the buffer's last level opens. */
static sb_body
skip_holes(sb_lowering *lo, int k, sb_body b)
{
    for (int q = 0; q < lo->prog->nbuf; q++) {
        const sb_buf *buf = lo->prog->buf[q];
        const sb_buf *val = sb_buf_val(buf);
        const sb_axis *x = buf->rank ? buf->axis[buf->rank - 1] : NULL;
        const sb_expr *pos[SB_MAXRANK];
        int last;

        if (!val || !x->val || !x->padded || is_sparse(x) ||
            !sb_lower_positions(lo, buf, pos, &last) || last != k)
            continue;
        return sb_body_one(
            lo->ir,
            sb_stmt_if(lo->ir,
                       not_negative(lo->ir, val, sb_buf_offset(lo->ir, buf, pos)), b));
    }
    return b;
}

/* Coordinate of level k in front of b, and the tests for empty slots around both. */
static sb_body
with_coord(sb_lowering *lo, int k, sb_body b)
{
    const sb_level *l = &lo->at[k];
    const sb_axis *x = l->it->axis;
    sb_list out;

    if (l->it->with)
        b = sb_lower_merge(lo, k, b);
    sb_list_init(&out, lo->ir);
    if (is_sparse(x) && sb_body_uses(b, l->it->var))
        sb_list_push(&out, sb_stmt_let(lo->ir, l->it->var,
                                       sb_axis_coord(lo->ir, x, l->at[0].slot)));
    else if (!is_sparse(x) && l->coord != l->at[0].pos && sb_body_uses(b, l->it->var))
        sb_list_push(&out, sb_stmt_let(lo->ir, l->it->var, l->at[0].pos));
    sb_list_append(&out, b);
    b = sb_list_body(&out);
    if (is_sparse(x) && x->padded && !x->end)
        b = sb_body_one(
            lo->ir, sb_stmt_if(lo->ir, not_negative(lo->ir, x->crd, l->at[0].slot), b));
    return skip_holes(lo, k, b);
}

static bool
needs_block(const sb_lowering *lo, const sb_level *l)
{
    const sb_open_axis *p = sb_lower_axis(lo, l->at[0].parent);

    return is_variable(l->it->axis) && p && is_variable(p->axis);
}

/* The loop of levels [k, last] around b; none when the extent is the constant 1. */
static sb_body
with_loop(sb_lowering *lo, int k, int last, const sb_expr *extent, sb_body b)
{
    const sb_level *l = &lo->at[last];
    bool reduce = false;
    sb_stmt *s;

    if (sb_expr_is_int(extent, 1))
        return b;
    for (int q = k; q <= last; q++)
        reduce = reduce || lo->at[q].it->reduce;
    s = sb_stmt_for(lo->ir, l->loop, sb_expr_int(lo->ir, 0), extent, reduce, b);
    b = sb_body_one(lo->ir, s);
    if (needs_block(lo, &lo->at[k])) {
        sb_stmt *block = sb_stmt_new(lo->ir, SB_STMT_BLOCK);
        char name[80];

        (void)snprintf(name, sizeof name, "%.60s%d", lo->iter->u.iter.name,
                       lo->nblock++);
        if (block) {
            block->u.block.name = sb_arena_strndup(lo->ir->arena, name, strlen(name));
            block->u.block.body = b;
        }
        b = sb_body_one(lo->ir, block);
    }
    return b;
}

/* ---- the nest --------------------------------------------------------------------------- */

static int
group_end(const sb_lowering *lo, int k)
{
    const int g = lo->at[k].it->group;

    while (g && k + 1 < lo->n && lo->at[k + 1].it->group == g)
        k++;
    return k;
}

static bool
group_varies(const sb_lowering *lo, int k, int last)
{
    while (k < last && !is_variable(lo->at[k + 1].it->axis))
        k++;
    return k < last;
}

/* Positions of a fused group from one loop over the slots of its last axis: each
 * level's slot is that of the level below divided by its width. Returns the extent. */
static const sb_expr *
open_group(sb_lowering *lo, int k, int last)
{
    const sb_expr *extent = level_extent(lo, k);
    const sb_expr *pos[SB_MAXITER], *at;

    for (int q = k; q <= last; q++)
        pos[q] = sb_expr_int(lo->ir, 0);
    while (k < last && sb_expr_is_int(extent, 1)) {
        open_level(lo, k, pos[k]);
        extent = sb_expr_i64(lo->ir, lo->at[++k].it->axis->width);
    }
    for (int q = k + 1; q <= last; q++)
        extent = sb_expr_mul(lo->ir, extent, lo->at[q].it->axis->width);
    at = sb_expr_is_int(extent, 1) ? pos[k] : sb_expr_var(lo->ir, lo->at[last].loop);
    for (int q = last; q > k; q--) {
        const sb_expr *w = sb_expr_i64(lo->ir, lo->at[q].it->axis->width);

        if (sb_expr_is_int(w, 1))
            continue;
        pos[q] = sb_expr_bin(lo->ir, SB_EXPR_MOD, at, w);
        at = sb_expr_bin(lo->ir, SB_EXPR_DIV, at, w);
    }
    pos[k] = at;
    for (int q = k; q <= last; q++)
        open_level(lo, q, pos[q]);
    return extent;
}

static int
first_reduction(const sb_lowering *lo)
{
    int k = 0;

    while (k < lo->n && !lo->at[k].it->reduce)
        k++;
    return k;
}

static void
close_levels(sb_lowering *lo, int k)
{
    for (; k < lo->n; k++) {
        lo->at[k].coord = NULL;
        for (int r = 0; r < 2; r++)
            lo->at[k].at[r].pos = lo->at[k].at[r].slot = NULL;
    }
}

static sb_body make_nest(sb_lowering *lo, int k, bool init);

static bool
parent_open(sb_lowering *lo, int k)
{
    for (int r = 0; r < 2; r++) {
        const sb_open_axis *x = &lo->at[k].at[r], *p = sb_lower_axis(lo, x->parent);

        if (!x->axis || !p || p->slot)
            continue;
        lo->st = sb_diag_set(lo->ir->diag, SB_ENOTSUP,
                             "init cannot run over axis #%s: its parent is a reduction",
                             x->axis->name);
        return false;
    }
    return true;
}

static sb_body
make_level(sb_lowering *lo, int k, bool init)
{
    const int last = group_end(lo, k);
    const sb_expr *extent;
    sb_body b = {0, NULL};
    sb_list out, lets;

    if (!parent_open(lo, k))
        return b;
    sb_list_init(&lets, lo->ir);
    extent = group_varies(lo, k, last) ? sb_lower_fused(lo, k, last, &lets)
                                       : open_group(lo, k, last);
    if (!extent || lo->ir->failed)
        return b;
    sb_list_init(&out, lo->ir);
    if (lo->at[k].it->with) {
        sb_lower_merge_start(lo, k, &out);
        sb_lower_merge_open(lo, k);
    }
    b = make_nest(lo, last + 1, init);
    if (lo->st != SB_OK)
        return b;
    for (int q = last; q >= k; q--)
        b = with_coord(lo, q, b);
    sb_list_append(&lets, b);
    sb_list_append(&out, with_loop(lo, k, last, extent, sb_list_body(&lets)));
    return sb_list_body(&out);
}

/* Loops from level k inwards: of init (spatial levels only) or of the computation. */
static sb_body
make_nest(sb_lowering *lo, int k, bool init)
{
    const sb_body start = lo->iter->u.iter.init;
    sb_list out;

    sb_list_init(&out, lo->ir);
    while (init && k < lo->n && lo->at[k].it->reduce)
        k++;
    close_levels(lo, k);
    if (!init && k == first_reduction(lo) && start.n > 0) {
        sb_list_append(&out, make_nest(lo, k, true));
        close_levels(lo, k);
    }
    if (lo->st != SB_OK)
        return sb_list_body(&out);
    if (k < lo->n)
        sb_list_append(&out, make_level(lo, k, init));
    else
        sb_list_append(&out,
                       sb_lower_accesses(lo, init ? start : lo->iter->u.iter.body));
    return sb_list_body(&out);
}

/* ---- the iteration ---------------------------------------------------------------------- */

static sb_status
check_group(const sb_lowering *lo, int k, int last)
{
    for (int q = k + 1; q <= last; q++) {
        const sb_axis *x = lo->at[q].it->axis;

        if (lo->at[q].at[0].parent != 2 * (q - 1) || x->end)
            return sb_diag_set(lo->ir->diag, SB_ENOTSUP,
                               "fused axis #%s must be a child of #%s, without end",
                               x->name, lo->at[q - 1].it->axis->name);
        if (lo->at[q].it->reduce != lo->at[k].it->reduce && lo->iter->u.iter.init.n > 0)
            return sb_diag_set(lo->ir->diag, SB_ENOTSUP,
                               "iteration %s fuses spatial and reduction axes, so it "
                               "cannot have an init",
                               lo->iter->u.iter.name);
    }
    return SB_OK;
}

/* Nearest place before level k where axis x is; -1 when it is nowhere. */
static int
place_of(const sb_lowering *lo, int k, const sb_axis *x)
{
    for (int q = 2 * k - 1; x && q >= 0; q--) {
        if (sb_lower_axis(lo, q)->axis == x)
            return q;
    }
    return -1;
}

static sb_status
start_levels(sb_lowering *lo)
{
    sb_ir *ir = lo->ir;

    for (int k = 0; k < lo->n; k++) {
        sb_level *l = &lo->at[k];

        memset(l, 0, sizeof *l);
        l->it = &lo->iter->u.iter.it[k];
        l->at[0].axis = l->it->axis;
        l->at[1].axis = l->it->with;
    }
    for (int k = 0; k < lo->n; k++) {
        sb_level *l = &lo->at[k];
        const sb_axis *x = l->it->axis;

        l->at[0].parent = place_of(lo, k, x->parent);
        if (l->at[1].axis)
            l->at[1].parent = place_of(lo, k, l->at[1].axis->parent);
        if (x->parent && l->at[0].parent < 0)
            return sb_diag_set(
                ir->diag, SB_EINVAL,
                "iteration %s: axis #%s comes without its parent #%s before",
                lo->iter->u.iter.name, x->name, x->parent->name);
        l->loop =
            is_sparse(x) || l->it->group ? sb_lower_var(lo, "p", l->it) : l->it->var;
    }
    for (int k = 0; k < lo->n; k = group_end(lo, k) + 1) {
        const sb_status st = check_group(lo, k, group_end(lo, k));

        if (st != SB_OK)
            return st;
    }
    return SB_OK;
}

static bool
lower_stmt(sb_mapper *m, sb_list *out, const sb_stmt *s)
{
    sb_lowering *lo = m->user;

    if (s->kind != SB_STMT_ITER || lo->st != SB_OK)
        return false;
    lo->iter = s;
    lo->n = s->u.iter.n;
    lo->nfind = lo->nblock = 0;
    if (lo->n > SB_MAXITER)
        lo->st =
            sb_diag_set(m->ir->diag, SB_ENOTSUP, "iteration %s has more than %d axes",
                        s->u.iter.name, SB_MAXITER);
    else
        lo->st = start_levels(lo);
    if (lo->st == SB_OK)
        sb_list_append(out, make_nest(lo, 0, false));
    return true;
}

sb_status
sb_pass_lower_iter(const sb_prog **out, sb_ir *ir, const sb_prog *in)
{
    sb_lowering *lo = sb_arena_alloc_zero(ir->arena, sizeof *lo);
    sb_mapper m = {ir, lo, NULL, lower_stmt};
    sb_prog *p;

    *out = NULL;
    if (in->stage != 1)
        return sb_diag_set(ir->diag, SB_EINVAL,
                           "lower_iter takes stage 1, not stage %d", in->stage);
    p = sb_prog_copy(ir, in);
    if (!lo || !p)
        return SB_ENOMEM;
    lo->ir = ir;
    lo->prog = in;
    p->stage = 2;
    p->body = sb_map_body(&m, in->body);
    if (lo->st != SB_OK)
        return lo->st;
    if (sb_ir_status(ir) == SB_OK)
        *out = p;
    return sb_ir_status(ir);
}
