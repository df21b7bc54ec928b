/*
 * rfactor of a loop that has loops inside: one set of running sums becomes several, so
 * that consecutive terms do not wait for each other's addition.
 *
 *   for %p in 0 .. %n reduce { for %c in 0 .. 32 { $acc[%c] += $a[%p] * $b[%p, %c] } }
 *   with rfactor %p 2 -> %s as $part
 *   -> local $part : f32[2, 32]
 *      for %s in 0 .. 2 { for %c in 0 .. 32 { $part[%s, %c] = 0.0 } }
 *      for %p in 0 .. %n / 2 reduce { for %s in 0 .. 2 { for %c in 0 .. 32 {
 *        $part[%s, %c] += $a[%p * 2 + %s] * $b[%p * 2 + %s, %c] } } }
 *      for %p in %n / 2 * 2 .. %n reduce { for %c in 0 .. 32 { $part[0, %c] += .. } }
 *      for %c in 0 .. 32 { $acc[%c] += $part[0, %c] + $part[1, %c] }
 */
#include "compiler/affine.h"
#include "compiler/depend.h"
#include "compiler/mark.h"
#include "compiler/schedule.h"

typedef struct nest {
    sb_sched *sc;
    const sb_stmt *loop, *sum;
    const sb_buf *part;
    const sb_expr *set; /* which of the sums: first index of $part */
    bool bare;          /* loops and the store only: clearing and combining */
    sb_store_op op;
    const sb_expr *value; /* stored instead of the term, or NULL */
    const sb_buf *to;
} nest;

/* What the loops inside and the element summed into may not depend on. */
static void
refuse_use(nest *f, const sb_expr *e, const sb_var *v)
{
    if (sb_expr_uses(e, v))
        sb_sched_refuse(f->sc, "what is summed into inside %%%s depends on %%%s",
                        f->loop->u.loop.var->name, v->name);
}

static void
fixed(nest *f, const sb_expr *e, sb_body body)
{
    refuse_use(f, e, f->loop->u.loop.var);
    for (int q = 0; q < body.n; q++) {
        const sb_stmt *s = body.at[q];

        if (s->kind == SB_STMT_LET)
            refuse_use(f, e, s->u.let.var);
        else if (s->kind == SB_STMT_FOR)
            fixed(f, e, s->u.loop.body);
    }
}

static void
look(nest *f, sb_body body)
{
    const char *name = f->loop->u.loop.var->name;
    const sb_buf *bad;

    for (int q = 0; q < body.n; q++) {
        const sb_stmt *s = body.at[q];

        switch ((sb_stmt_kind)s->kind) {
        case SB_STMT_LET:
        case SB_STMT_PREFETCH:
            break;
        case SB_STMT_FOR:
            fixed(f, s->u.loop.lo, f->loop->u.loop.body);
            fixed(f, s->u.loop.hi, f->loop->u.loop.body);
            look(f, s->u.loop.body);
            if (!sb_loop_distinct(f->sc->ir, f->sc->in, s, &bad))
                sb_sched_refuse(f->sc, "%%%s inside %%%s adds to one element again",
                                s->u.loop.var->name, name);
            break;
        case SB_STMT_STORE:
            if (f->sum || s->u.store.op != SB_STORE_ADD ||
                s->u.store.buf->role != SB_BUF_LOCAL)
                sb_sched_refuse(f->sc, "the body of %%%s is not one sum into a local",
                                name);
            f->sum = s;
            break;
        default:
            sb_sched_refuse(f->sc, "the body of %%%s is not one sum", name);
        }
    }
}

static void
check(nest *f)
{
    const sb_buf *to;

    look(f, f->loop->u.loop.body);
    if (f->sc->st != SB_OK)
        return;
    if (!f->sum) {
        sb_sched_refuse(f->sc, "the body of %%%s is not one sum",
                        f->loop->u.loop.var->name);
        return;
    }
    if (f->sum->u.store.n + 1 > SB_MAXRANK) {
        sb_sched_refuse(f->sc, "$%s has too many dimensions",
                        f->sum->u.store.buf->name);
        return;
    }
    for (int d = 0; d < f->sum->u.store.n; d++)
        fixed(f, f->sum->u.store.idx[d], f->loop->u.loop.body);
    to = f->sum->u.store.buf;
    if (sb_body_loads(f->loop->u.loop.body, to))
        sb_sched_refuse(f->sc, "$%s is also read in %%%s", to->name,
                        f->loop->u.loop.var->name);
    else if (sb_loop_marked(f->loop))
        sb_sched_refuse(f->sc, "loop %%%s is marked already",
                        f->loop->u.loop.var->name);
    else if (sb_dtype_is_storage(to->type))
        sb_sched_refuse(f->sc, "sums into $%s would be computed in %s", to->name,
                        sb_dtype_name(to->type));
}

/* Index of $part for the element the sum goes to. */
static void
part_index(const nest *f, const sb_expr *set, const sb_expr **idx)
{
    idx[0] = set;
    for (int d = 0; d < f->sum->u.store.n; d++)
        idx[d + 1] = f->sum->u.store.idx[d];
}

static bool
rewrite(sb_mapper *m, sb_list *out, const sb_stmt *s)
{
    nest *f = m->user;
    const sb_expr *idx[SB_MAXRANK];

    if (s->kind == SB_STMT_LET || s->kind == SB_STMT_PREFETCH)
        return f->bare;
    if (s->kind != SB_STMT_STORE)
        return false;
    part_index(f, f->set, idx);
    sb_list_push(out,
                 sb_stmt_store(m->ir, f->to, f->to == f->part ? idx : s->u.store.idx,
                               f->op, f->value ? f->value : s->u.store.value));
    return true;
}

/* The body with the loop's variable replaced (NULL: loops and store only), its store
 * going as f says. */
static sb_body
copy(nest *f, const sb_expr *at)
{
    sb_mapper m = {f->sc->ir, f, NULL, rewrite};
    sb_body b = f->loop->u.loop.body;

    f->bare = !at;
    if (at)
        b = sb_body_replace(f->sc->ir, b, f->loop->u.loop.var, at);
    return sb_map_body(&m, b);
}

/* Adjacent halves are added until one is left: the order of the sum is fixed. */
static const sb_expr *
total(nest *f)
{
    sb_ir *ir = f->sc->ir;
    const sb_expr *v[SB_RFACTOR_SETS], *idx[SB_MAXRANK];

    for (int q = 0; q < f->sc->number; q++) {
        part_index(f, sb_expr_int(ir, q), idx);
        v[q] = sb_expr_load(ir, f->part, f->part->rank, idx);
    }
    for (int64_t half = f->sc->number / 2; half > 0; half /= 2)
        for (int q = 0; q < half; q++)
            v[q] = sb_expr_bin(ir, SB_EXPR_ADD, v[q], v[q + half]);
    return v[0];
}

static bool
make_part(nest *f)
{
    const sb_buf *b = f->sum->u.store.buf;
    int64_t extent[SB_MAXRANK] = {f->sc->number};

    for (int d = 0; d < b->rank; d++)
        extent[d + 1] = b->extent[d]->u.i;
    f->part =
        sb_sched_local(f->sc, f->sc->name[2], (sb_dtype)b->type, b->rank + 1, extent);
    return f->part != NULL;
}

void
sb_sched_rfactor_nest(sb_sched *sc, sb_list *out, const sb_stmt *loop)
{
    nest f = {.sc = sc, .loop = loop};
    sb_ir *ir = sc->ir;
    const sb_var *v = loop->u.loop.var, *set = sc->var[0];
    const sb_expr *w = sb_expr_int(ir, sc->number), *zero = sb_expr_int(ir, 0);
    const sb_expr *lo = loop->u.loop.lo, *p = sb_expr_var(ir, v);
    const sb_expr *e = sb_loop_extent(ir, loop), *blocks, *at;

    if (sc->number > SB_RFACTOR_SETS)
        sb_sched_refuse(sc, "at most %d sets of sums around a loop", SB_RFACTOR_SETS);
    else
        check(&f);
    if (sc->st != SB_OK || !make_part(&f))
        return;
    blocks = sb_expr_simplify(ir, sb_expr_bin(ir, SB_EXPR_DIV, e, w));
    f.to = f.part;
    f.set = sb_expr_var(ir, set);
    f.op = SB_STORE_SET;
    f.value = sb_dtype_is_int((sb_dtype)f.part->type)
                  ? sb_expr_cast(ir, (sb_dtype)f.part->type, zero)
                  : sb_expr_float(ir, (sb_dtype)f.part->type, 0.0);
    sb_list_push(out, sb_stmt_local(ir, f.part));
    sb_list_push(out, sb_stmt_for(ir, set, zero, w, false, copy(&f, NULL)));

    f.op = SB_STORE_ADD;
    f.value = NULL;
    at = sb_expr_add(ir, lo, sb_expr_add(ir, sb_expr_mul(ir, p, w), f.set));
    sb_list_push(
        out,
        sb_stmt_for(ir, v, zero, blocks, true,
                    sb_body_one(ir, sb_stmt_for(ir, set, zero, w, false,
                                                copy(&f, sb_expr_simplify(ir, at))))));
    f.set = zero;
    at = sb_expr_simplify(ir, sb_expr_add(ir, lo, sb_expr_mul(ir, blocks, w)));
    sb_list_push(out, sb_stmt_for(ir, v, at, loop->u.loop.hi, true, copy(&f, p)));

    f.to = f.sum->u.store.buf;
    f.value = total(&f);
    sb_list_append(out, copy(&f, NULL));
}
