/*
 * Horizontal fusion: n stage III programs become one that walks tiles.
 *
 *   for %t in %t0 .. %t1 parallel {
 *     let %tile_kind = $tile[%t * 4]  let %tile_lo = $tile[%t * 4 + 1]  ...
 *     if %tile_kind == 0 { for %i in %tile_lo .. %tile_hi { first program's body } }
 *     else { for %u in %tile_lo .. %tile_hi { second program's body } } }
 *
 * Holds afterwards: parameters and buffers are those of all programs, each name once,
 * then t0, t1 and tile. Whoever cuts the tiles sees to it that tiles of one call store
 * to different elements.
 */
#include "base/fault.h"
#include "compiler/affine.h"
#include "compiler/compiler.h"
#include "compiler/rewrite.h"

#include <string.h>

enum { ITEMS_MAX = 128 };

typedef struct fusion {
    sb_ir *ir;
    const sb_var *param[ITEMS_MAX];
    const sb_buf *buf[ITEMS_MAX];
    int nparam, nbuf;
    /* of the program being merged */
    const sb_var *base; /* its tile_base, NULL without */
    const sb_var *tile_base;
    const sb_var *units; /* of a tile, where there is no table of them */
    sb_status st;
} fusion;

static const sb_var *
param_named(const fusion *f, const char *name)
{
    for (int q = 0; q < f->nparam; q++) {
        if (strcmp(f->param[q]->name, name) == 0)
            return f->param[q];
    }
    return NULL;
}

static int
buf_named(const fusion *f, const char *name)
{
    int q = 0;

    while (q < f->nbuf && strcmp(f->buf[q]->name, name) != 0)
        q++;
    return q < f->nbuf ? q : -1;
}

/* Names of the other programs' things become the merged ones. */
static const sb_expr *
merge_expr(sb_mapper *m, const sb_expr *e)
{
    fusion *f = m->user;
    int q;

    switch ((sb_expr_kind)e->kind) {
    case SB_EXPR_VAR:
        if (e->u.var == f->base)
            return sb_expr_var(m->ir, f->tile_base);
        for (q = 0; q < f->nparam; q++) {
            if (strcmp(f->param[q]->name, e->u.var->name) == 0)
                return sb_expr_var(m->ir, f->param[q]);
        }
        return e;
    case SB_EXPR_LOAD:
        q = buf_named(f, e->u.buf->name);
        return q < 0 ? e : sb_expr_load(m->ir, f->buf[q], e->nargs, e->arg);
    case SB_EXPR_FIND:
    case SB_EXPR_SEEK:
    case SB_EXPR_REACH:
        q = buf_named(f, e->u.buf->name);
        return q < 0 ? e
                     : sb_expr_search(m->ir, (sb_expr_kind)e->kind, f->buf[q],
                                      e->arg[0], e->arg[1], e->arg[2]);
    default:
        return e;
    }
}

static bool
merge_stmt(sb_mapper *m, sb_list *out, const sb_stmt *s)
{
    fusion *f = m->user;
    const bool store = s->kind == SB_STMT_STORE;
    const sb_buf *b = store                         ? s->u.store.buf
                      : s->kind == SB_STMT_PREFETCH ? s->u.prefetch.buf
                                                    : NULL;
    const int q = b ? buf_named(f, b->name) : -1;
    sb_stmt *t;

    if (q < 0)
        return false;
    s = sb_map_parts(m, s);
    t = s ? sb_stmt_copy(m->ir, s) : NULL;
    if (t && store)
        t->u.store.buf = f->buf[q];
    else if (t)
        t->u.prefetch.buf = f->buf[q];
    sb_list_push(out, t);
    return true;
}

static void
merge_params(fusion *f, const sb_prog *p)
{
    for (int q = 0; q < p->nparam && f->st == SB_OK; q++) {
        const sb_var *v = p->param[q], *have = param_named(f, v->name);

        if (strcmp(v->name, "tile_base") == 0)
            f->base = v;
        else if (have && have->type != v->type)
            f->st = sb_diag_set(f->ir->diag, SB_EINVAL,
                                "parameter %%%s has two types in the fused programs",
                                v->name);
        else if (!have && f->nparam == ITEMS_MAX)
            f->st = sb_diag_set(f->ir->diag, SB_EINVAL, "too many parameters to fuse");
        else if (!have)
            f->param[f->nparam++] = v;
    }
}

static const sb_buf *
with_extent(fusion *f, const sb_buf *b, const sb_expr *extent)
{
    sb_buf *c = sb_arena_copy(f->ir->arena, b, sizeof *b);

    if (!c) {
        f->ir->failed = true;
        return b;
    }
    c->extent[0] = extent;
    c->id = f->ir->next_id++;
    return c;
}

/* The first merge decides a buffer's identity, so extents are settled before bodies. */
static void
merge_bufs(fusion *f, const sb_prog *p)
{
    sb_mapper m = {f->ir, f, merge_expr, NULL};

    for (int q = 0; q < p->nbuf && f->st == SB_OK; q++) {
        const sb_buf *b = p->buf[q];
        const sb_expr *extent = sb_map_expr(&m, b->extent[0]);
        const int at = buf_named(f, b->name);

        if (at < 0 && f->nbuf == ITEMS_MAX)
            f->st = sb_diag_set(f->ir->diag, SB_EINVAL, "too many buffers to fuse");
        else if (at < 0)
            f->buf[f->nbuf++] = with_extent(f, b, extent);
        else if (f->buf[at]->type != b->type || f->buf[at]->role != b->role)
            f->st = sb_diag_set(f->ir->diag, SB_EINVAL,
                                "buffer $%s differs in the fused programs", b->name);
        else if (f->buf[at]->extent[0] != extent)
            f->buf[at] = with_extent(
                f, b, sb_expr_bin(f->ir, SB_EXPR_MAX, f->buf[at]->extent[0], extent));
    }
}

static bool
fusible(fusion *f, const sb_prog *p)
{
    const bool one = p->body.n == 1 && p->body.at[0]->kind == SB_STMT_FOR &&
                     (p->body.at[0]->u.loop.how == SB_LOOP_PARALLEL ||
                      p->body.at[0]->u.loop.how == SB_LOOP_SERIAL);

    if (p->stage != 3 || !one)
        f->st =
            sb_diag_set(f->ir->diag, SB_EINVAL,
                        "program @%s is not one outermost loop of stage 3", p->name);
    return f->st == SB_OK;
}

static const sb_expr *
field(fusion *f, const sb_buf *tile, const sb_var *t, int64_t which)
{
    sb_ir *ir = f->ir;
    const sb_expr *at = sb_expr_mul(ir, sb_expr_var(ir, t), sb_expr_int(ir, 4));

    at = sb_expr_add(ir, at, sb_expr_int(ir, which));
    return sb_expr_load(ir, tile, 1, &at);
}

/* Program q's loop over the tile's range. */
static const sb_stmt *
tile_loop(fusion *f, const sb_prog *p, const sb_var *lo, const sb_var *hi)
{
    sb_mapper m = {f->ir, f, merge_expr, merge_stmt};
    sb_stmt *s = sb_stmt_copy(f->ir, p->body.at[0]);

    f->base = NULL;
    for (int q = 0; q < p->nparam; q++) {
        if (strcmp(p->param[q]->name, "tile_base") == 0)
            f->base = p->param[q];
    }
    if (!s)
        return NULL;
    s->u.loop.lo = sb_expr_var(f->ir, lo);
    s->u.loop.hi = sb_expr_var(f->ir, hi);
    s->u.loop.how = SB_LOOP_SERIAL;
    s->u.loop.body = sb_map_body(&m, p->body.at[0]->u.loop.body);
    return s;
}

/* The t-th of equal pieces of the program's loop. */
static sb_body
even_body(fusion *f, const sb_prog *p, const sb_var *t)
{
    sb_ir *ir = f->ir;
    sb_mapper m = {ir, f, merge_expr, NULL};
    const sb_var *lo = sb_var_new(ir, "tile_lo", SB_I64);
    const sb_var *hi = sb_var_new(ir, "tile_hi", SB_I64);
    const sb_expr *units = sb_expr_var(ir, f->units);
    const sb_expr *end = sb_expr_add(ir, sb_expr_var(ir, lo), units);
    sb_list l;

    end = sb_expr_bin(ir, SB_EXPR_MIN, end, sb_map_expr(&m, p->body.at[0]->u.loop.hi));
    sb_list_init(&l, ir);
    sb_list_push(&l, sb_stmt_let(ir, lo, sb_expr_mul(ir, sb_expr_var(ir, t), units)));
    sb_list_push(&l, sb_stmt_let(ir, hi, end));
    sb_list_push(&l, tile_loop(f, p, lo, hi));
    return sb_list_body(&l);
}

static sb_body
tile_body(fusion *f, int n, const sb_prog *const *in, const sb_buf *tile,
          const sb_var *t)
{
    static const char *const name[4] = {"tile_kind", "tile_lo", "tile_hi", "tile_base"};
    const sb_var *v[4];
    sb_list l;
    sb_body chain = {0, NULL};
    bool based = false;

    sb_list_init(&l, f->ir);
    for (int q = 0; q < n; q++) {
        for (int r = 0; r < in[q]->nparam; r++)
            based = based || strcmp(in[q]->param[r]->name, "tile_base") == 0;
    }
    for (int q = 0; q < 4; q++) {
        v[q] = sb_var_new(f->ir, name[q], SB_I64);
        if ((q != 0 || n > 1) && (q != 3 || based))
            sb_list_push(&l, sb_stmt_let(f->ir, v[q], field(f, tile, t, q)));
    }
    f->tile_base = v[3];
    for (int q = n - 1; q >= 0; q--) {
        const sb_stmt *loop = tile_loop(f, in[q], v[1], v[2]);
        const sb_expr *is = sb_expr_bin(f->ir, SB_EXPR_EQ, sb_expr_var(f->ir, v[0]),
                                        sb_expr_int(f->ir, q + SB_FAULT(FUSE_KIND)));
        sb_stmt *s = n > 1 ? sb_stmt_new(f->ir, SB_STMT_IF) : NULL;

        if (s) {
            s->u.cond.cond = is;
            s->u.cond.then = sb_body_one(f->ir, loop);
            s->u.cond.els = chain;
        }
        chain = sb_body_one(f->ir, n > 1 ? s : loop);
    }
    sb_list_append(&l, chain);
    return sb_list_body(&l);
}

static sb_status
build(sb_prog **out, fusion *f, const char *name, int n, const sb_prog *const *in)
{
    sb_ir *ir = f->ir;
    sb_prog *p = sb_arena_alloc_zero(ir->arena, sizeof *p);
    const sb_var *t = sb_var_new(ir, "t", SB_I64);
    const sb_var *t0 = sb_var_new(ir, "t0", SB_I64), *t1 = sb_var_new(ir, "t1", SB_I64);
    sb_buf *tile = sb_arena_alloc_zero(ir->arena, sizeof *tile);
    sb_stmt *loop;

    if (!p || !tile || f->nparam + 3 > ITEMS_MAX || f->nbuf + 1 > ITEMS_MAX)
        return SB_ENOMEM;
    tile->name = "tile";
    tile->type = SB_I64;
    tile->role = SB_BUF_AUX;
    tile->rank = 1;
    tile->id = ir->next_id++;
    tile->extent[0] = sb_expr_mul(ir, sb_expr_var(ir, t1), sb_expr_int(ir, 4));
    loop =
        sb_stmt_for(ir, t, sb_expr_var(ir, t0), sb_expr_var(ir, t1), false,
                    f->units ? even_body(f, in[0], t) : tile_body(f, n, in, tile, t));
    if (loop)
        loop->u.loop.how = SB_LOOP_PARALLEL;
    if (f->units)
        f->param[f->nparam++] = f->units;
    f->param[f->nparam++] = t0;
    f->param[f->nparam++] = t1;
    if (!f->units)
        f->buf[f->nbuf++] = tile;
    p->name = sb_arena_strndup(ir->arena, name, strlen(name));
    p->stage = 3;
    p->nparam = f->nparam;
    p->nbuf = f->nbuf;
    p->param = sb_arena_copy(ir->arena, f->param, (size_t)f->nparam * sizeof *f->param);
    p->buf = sb_arena_copy(ir->arena, f->buf, (size_t)f->nbuf * sizeof *f->buf);
    p->body = sb_body_one(ir, loop);
    if (!p->name || !p->param || !p->buf)
        return SB_ENOMEM;
    *out = p;
    return sb_ir_status(ir);
}

/* Facts of all programs, each once. */
static sb_status
merge_facts(sb_prog *p, fusion *f, int n, const sb_prog *const *in)
{
    sb_mapper m = {f->ir, f, merge_expr, NULL};
    const sb_expr **all;
    int total = 0, kept = 0;

    for (int q = 0; q < n; q++)
        total += in[q]->nassume;
    all = sb_arena_array(f->ir->arena, total ? total : 1, sizeof *all);
    if (!all)
        return SB_ENOMEM;
    f->base = NULL;
    for (int q = 0; q < n; q++) {
        for (int r = 0; r < in[q]->nassume; r++) {
            const sb_expr *e = sb_map_expr(&m, in[q]->assume[r]);
            int s = 0;

            while (s < kept && all[s] != e)
                s++;
            if (s == kept)
                all[kept++] = e;
        }
    }
    p->nassume = kept;
    p->assume = all;
    return sb_ir_status(f->ir);
}

static sb_status
fuse(const sb_prog **out, sb_ir *ir, const char *name, int n, const sb_prog *const *in,
     bool even)
{
    fusion *f = sb_arena_alloc_zero(ir->arena, sizeof *f);
    sb_prog *p = NULL;
    sb_status st;

    *out = NULL;
    if (!f)
        return SB_ENOMEM;
    f->ir = ir;
    f->units = even ? sb_var_new(ir, "tile_units", SB_I64) : NULL;
    if (n < 1)
        return sb_diag_set(ir->diag, SB_EINVAL, "nothing to fuse");
    for (int q = 0; q < n && fusible(f, in[q]); q++) {
        merge_params(f, in[q]);
        merge_bufs(f, in[q]);
    }
    if (f->st != SB_OK)
        return f->st;
    if (param_named(f, "t0") || param_named(f, "t1") || param_named(f, "tile_units") ||
        buf_named(f, "tile") >= 0)
        return sb_diag_set(ir->diag, SB_EINVAL,
                           "%%t0, %%t1, %%tile_units and $tile are made by fusion");
    if ((st = build(&p, f, name, n, in)) != SB_OK ||
        (st = merge_facts(p, f, n, in)) != SB_OK)
        return st;
    *out = p;
    return SB_OK;
}

sb_status
sb_pass_fuse(const sb_prog **out, sb_ir *ir, const char *name, int n,
             const sb_prog *const *in)
{
    return fuse(out, ir, name, n, in, false);
}

sb_status
sb_pass_even(const sb_prog **out, sb_ir *ir, const char *name, const sb_prog *in)
{
    return fuse(out, ir, name, 1, &in, true);
}
