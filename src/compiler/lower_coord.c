/*
 * Step 3 of lowering an iteration (SparseTIR 3.3.1): indices of accesses from
 * coordinates to positions, equations 1-5.
 *
 *   $A[%i, %j]  ->  $A[%i, %pj]      the buffer shares the iterator's axis: no search
 *   $B[%j, %c]  ->  $B[%j, %c]       dense axes: position is coordinate
 *   $X[%j, %i]  ->  let %fJ0 = find($crd, lo, hi, %i)
 *                   select(%fJ0 < 0, 0.0, $X[%j, %fJ0 - lo])
 */
#include "compiler/lower_iter.h"

#include "compiler/address.h"
#include "compiler/affine.h"
#include "compiler/rewrite.h"

#include <stdio.h>
#include <string.h>

/* State of one statement. */
typedef struct access {
    sb_lowering *lo;
    sb_list *out; /* where its lets go */
    int first;    /* lets of this statement start here in out */
} access;

/* Result of translating one access. */
typedef struct place {
    const sb_expr *pos[SB_MAXRANK];
    const sb_expr
        *absent; /* true when the element is not stored; NULL: always stored */
} place;

/* Place where axis x is open at this coordinate; -1 when it is nowhere. */
static int
place_of(const sb_lowering *lo, const sb_axis *x, const sb_expr *coord, int parent)
{
    for (int q = 0; q < 2 * lo->n; q++) {
        const sb_open_axis *o = sb_lower_axis(lo, q);

        if (o->axis == x && lo->at[q / 2].coord == coord &&
            (!x->parent || o->parent == parent))
            return q;
    }
    return -1;
}

/* The let of a search; one already made for this statement is used again. */
static const sb_var *
bind_find(access *ac, const sb_axis *x, const sb_expr *find)
{
    sb_ir *ir = ac->lo->ir;
    char name[64];
    const sb_var *v;

    for (int q = ac->first; q < ac->out->n; q++) {
        const sb_stmt *s = ac->out->at[q];

        if (s->kind == SB_STMT_LET && s->u.let.value == find)
            return s->u.let.var;
    }
    (void)snprintf(name, sizeof name, "f%.40s%d", x->name, ac->lo->nfind++);
    v = sb_var_new(ir, name, SB_I64);
    sb_list_push(ac->out, sb_stmt_let(ir, v, find));
    return v;
}

/* Equation 4, sparse case. */
static const sb_expr *
search(access *ac, const sb_axis *x, const sb_expr *parent, const sb_expr *coord,
       place *pl)
{
    sb_ir *ir = ac->lo->ir;
    const sb_expr *first, *last, *slot, *gone;

    if (!x->sorted || x->padded) {
        ac->lo->st = sb_diag_set(ir->diag, SB_ENOTSUP,
                                 "axis #%s would be searched, so it must be sorted and "
                                 "not padded",
                                 x->name);
        return NULL;
    }
    first = sb_axis_first(ir, x, parent);
    last = sb_expr_add(ir, first, sb_axis_extent(ir, x, parent));
    if (x->base)
        coord = sb_expr_add(ir, coord, x->base);
    slot = sb_expr_search(ir, SB_EXPR_FIND, x->crd, sb_expr_simplify(ir, first),
                          sb_expr_simplify(ir, last), coord);
    slot = sb_expr_var(ir, bind_find(ac, x, slot));
    gone = sb_expr_bin(ir, SB_EXPR_LT, slot, sb_expr_int(ir, 0));
    pl->absent = pl->absent ? sb_expr_bin(ir, SB_EXPR_OR, pl->absent, gone) : gone;
    return slot;
}

static void
translate(access *ac, const sb_buf *b, const sb_expr *const *coord, place *pl)
{
    sb_lowering *lo = ac->lo;
    const sb_expr *slot[SB_MAXRANK];
    int at[SB_MAXRANK];

    pl->absent = NULL;
    for (int d = 0; d < b->rank && lo->st == SB_OK; d++) {
        const sb_axis *x = b->axis[d];
        const int p = sb_buf_parent(b, d);
        const sb_expr *ps = p < 0 ? NULL : slot[p], *first;

        at[d] = place_of(lo, x, coord[d], p < 0 ? -1 : at[p]);
        if (at[d] >= 0) {
            pl->pos[d] = sb_lower_axis(lo, at[d])->pos;
            slot[d] = sb_lower_axis(lo, at[d])->slot;
            continue;
        }
        if (x->parent && p < 0) {
            lo->st = sb_diag_set(lo->ir->diag, SB_EINVAL,
                                 "buffer $%s lacks the parent of axis #%s", b->name,
                                 x->name);
            return;
        }
        first = sb_axis_first(lo->ir, x, ps);
        if (x->kind == SB_AXIS_SPARSE_FIXED || x->kind == SB_AXIS_SPARSE_VARIABLE) {
            slot[d] = search(ac, x, ps, coord[d], pl);
            pl->pos[d] = slot[d] ? sb_expr_sub(lo->ir, slot[d], first) : NULL;
        } else {
            slot[d] = sb_expr_add(lo->ir, first, coord[d]);
            pl->pos[d] = coord[d];
        }
    }
}

static bool
over_axes(const sb_buf *b)
{
    return b->rank > 0 && b->axis[0] != NULL;
}

static const sb_expr *
zero_of(sb_ir *ir, sb_dtype t)
{
    if (sb_dtype_is_real(t) || sb_dtype_is_complex(t))
        return sb_expr_float(ir, t, 0.0);
    return sb_expr_cast(ir, t, sb_expr_int(ir, 0));
}

static const sb_expr *
lower_expr(sb_mapper *m, const sb_expr *e)
{
    access *ac = m->user;
    const sb_expr *out;
    place pl;

    if (e->kind == SB_EXPR_VAR) {
        for (int k = 0; k < ac->lo->n; k++) {
            if (ac->lo->at[k].it->var == e->u.var && ac->lo->at[k].coord)
                return ac->lo->at[k].coord;
        }
        return e;
    }
    if (e->kind != SB_EXPR_LOAD || !over_axes(e->u.buf))
        return e;
    translate(ac, e->u.buf, e->arg, &pl);
    if (ac->lo->st != SB_OK)
        return e;
    out = sb_expr_load(m->ir, e->u.buf, e->nargs, pl.pos);
    if (!pl.absent)
        return out;
    return sb_expr_select(m->ir, pl.absent, zero_of(m->ir, e->u.buf->type), out);
}

static void
lower_store(sb_mapper *m, sb_list *out, const sb_stmt *s)
{
    access *ac = m->user;
    const sb_expr *coord[SB_MAXRANK], *value;
    const sb_stmt *t;
    place pl = {{NULL}, NULL};

    value = sb_map_expr(m, s->u.store.value);
    for (int d = 0; d < s->u.store.n; d++)
        coord[d] = pl.pos[d] = sb_map_expr(m, s->u.store.idx[d]);
    if (over_axes(s->u.store.buf))
        translate(ac, s->u.store.buf, coord, &pl);
    if (ac->lo->st != SB_OK)
        return;
    t = sb_stmt_store(m->ir, s->u.store.buf, pl.pos, (sb_store_op)s->u.store.op, value);
    if (pl.absent)
        t = sb_stmt_if(m->ir, sb_expr_un(m->ir, SB_EXPR_NOT, pl.absent),
                       sb_body_one(m->ir, t));
    sb_list_push(out, t);
}

static bool
lower_stmt(sb_mapper *m, sb_list *out, const sb_stmt *s)
{
    access *ac = m->user;
    const access saved = *ac;
    sb_stmt *t;

    ac->out = out;
    ac->first = out->n;
    if (s->kind == SB_STMT_STORE) {
        lower_store(m, out, s);
    } else if (s->kind == SB_STMT_IF) {
        t = sb_stmt_copy(m->ir, s);
        if (t) {
            t->u.cond.cond = sb_map_expr(m, s->u.cond.cond);
            t->u.cond.then = sb_map_body(m, s->u.cond.then);
            t->u.cond.els = sb_map_body(m, s->u.cond.els);
        }
        sb_list_push(out, t);
    } else {
        ac->lo->st = sb_diag_set(m->ir->diag, SB_ENOTSUP,
                                 "iteration %s: only stores and ifs can be lowered",
                                 ac->lo->iter->u.iter.name);
    }
    *ac = saved;
    return true;
}

sb_body
sb_lower_accesses(sb_lowering *lo, sb_body b)
{
    access ac = {lo, NULL, 0};
    sb_mapper m = {lo->ir, &ac, lower_expr, lower_stmt};

    return sb_map_body(&m, b);
}

bool
sb_lower_positions(const sb_lowering *lo, const sb_buf *b,
                   const sb_expr *pos[SB_MAXRANK], int *last)
{
    *last = -1;
    for (int d = 0; d < b->rank; d++) {
        const sb_open_axis *o = NULL;
        int q = 0;

        while (q < 2 * lo->n &&
               ((o = sb_lower_axis(lo, q))->axis != b->axis[d] || !o->pos))
            q++;
        if (q == 2 * lo->n)
            return false;
        pos[d] = o->pos;
        *last = q / 2 > *last ? q / 2 : *last;
    }
    return true;
}
