/*
 * Invariants of statements, by stage: which kinds may stand where, what may be stored,
 * how loops may be marked.
 */
#include "compiler/verify.h"

#include "compiler/mark.h"
#include "compiler/parse.h"
#include "compiler/rewrite.h"
#include "compiler/tensor.h"

#include <string.h>

static const char *const kind_name[] = {"iter",  "block",   "for", "let",
                                        "local", "a store", "if",  "prefetch"};

static bool
is_index(sb_dtype t)
{
    return t == SB_I32 || t == SB_I64;
}

/* A body with the names it declares out of sight afterwards. */
static bool
verify_inner(sb_verifier *v, sb_body b)
{
    const int nvar = v->nvar, nbuf = v->nbuf;
    bool good;

    if (v->nested == SB_PARSE_DEPTH)
        return sb_verify_fail(v, "statements are nested deeper than %d levels",
                              SB_PARSE_DEPTH);
    v->nested++;
    good = sb_verify_body(v, b);
    v->nested--;
    v->nvar = nvar;
    v->nbuf = nbuf;
    return good;
}

/* ---- stage I ------------------------------------------------------------------------- */

static bool
declared(const sb_verifier *v, const sb_axis *x)
{
    for (int q = 0; q < v->prog->naxis; q++) {
        if (v->prog->axis[q] == x)
            return true;
    }
    return false;
}

static bool
is_sparse(const sb_axis *x)
{
    return x->kind == SB_AXIS_SPARSE_FIXED || x->kind == SB_AXIS_SPARSE_VARIABLE;
}

/* A cursor walks along `with` while the loop walks along the iterator's own axis. */
static bool
verify_with(sb_verifier *v, const sb_stmt *s, int at)
{
    const sb_iter *it = &s->u.iter.it[at];
    const sb_axis *x = it->axis, *y = it->with;
    bool parent = y->parent == NULL;

    if (!declared(v, y))
        return sb_verify_fail(v, "iteration %s runs over #%s, which is not declared",
                              s->u.iter.name, y->name);
    for (int q = 0; q < at; q++)
        parent = parent || s->u.iter.it[q].axis == y->parent ||
                 s->u.iter.it[q].with == y->parent;
    if (!parent)
        return sb_verify_fail(v,
                              "iteration %s runs over #%s without its parent #%s "
                              "before",
                              s->u.iter.name, y->name, y->parent->name);
    if (x == y || it->group)
        return sb_verify_fail(v, "#%s cannot be iterated together with #%s", x->name,
                              y->name);
    if (!is_sparse(x) || !is_sparse(y) || !x->sorted || !y->sorted || !y->unique ||
        y->padded)
        return sb_verify_fail(v,
                              "#%s & #%s needs sorted sparse axes, the second unique "
                              "and not padded",
                              x->name, y->name);
    if (x->length != y->length)
        return sb_verify_fail(v, "#%s and #%s have different lengths", x->name,
                              y->name);
    return true;
}

static bool
verify_iterators(sb_verifier *v, const sb_stmt *s)
{
    const char *name = s->u.iter.name;

    for (int q = 0; q < s->u.iter.n; q++) {
        const sb_iter *it = &s->u.iter.it[q];
        int r = 0;

        if (!declared(v, it->axis))
            return sb_verify_fail(v,
                                  "iteration %s runs over #%s, which is not declared",
                                  name, it->axis->name);
        for (r = 0; it->axis->parent && r < q; r++) {
            if (s->u.iter.it[r].axis == it->axis->parent ||
                s->u.iter.it[r].with == it->axis->parent)
                break;
        }
        if (it->axis->parent && r == q)
            return sb_verify_fail(v,
                                  "iteration %s runs over #%s without its parent #%s "
                                  "before",
                                  name, it->axis->name, it->axis->parent->name);
        for (r = 0; it->group && r + 1 < q; r++) {
            if (s->u.iter.it[r].group == it->group &&
                s->u.iter.it[q - 1].group != it->group)
                return sb_verify_fail(
                    v, "iteration %s fuses axes that are not neighbours", name);
        }
        if ((it->with && !verify_with(v, s, q)) || !sb_verify_see_var(v, it->var))
            return false;
    }
    return true;
}

static bool
has_reduction(const sb_stmt *iter)
{
    for (int q = 0; q < iter->u.iter.n; q++) {
        if (iter->u.iter.it[q].reduce)
            return true;
    }
    return false;
}

static bool
verify_iter(sb_verifier *v, const sb_stmt *s)
{
    const int nvar = v->nvar;
    bool good;

    if (v->iter)
        return sb_verify_fail(v, "iteration %s stands inside iteration %s",
                              s->u.iter.name, v->iter->u.iter.name);
    v->iter = s;
    v->init = true;
    good = verify_iterators(v, s) && verify_inner(v, s->u.iter.init);
    v->init = false;
    good = good && verify_inner(v, s->u.iter.body);
    v->iter = NULL;
    v->nvar = nvar;
    return good;
}

/* init runs before anything is reduced. */
static bool
verify_init_value(sb_verifier *v, const sb_expr *e)
{
    for (int q = 0; v->iter && v->init && q < v->iter->u.iter.n; q++) {
        const sb_iter *it = &v->iter->u.iter.it[q];

        if (it->reduce && sb_expr_uses(e, it->var))
            return sb_verify_fail(v, "init of iteration %s uses %%%s, which is reduced",
                                  v->iter->u.iter.name, it->var->name);
    }
    return true;
}

/* Stores of an iteration: a reduction only accumulates, and to a place that does not
 * depend on what is summed over; init knows no reduction iterator at all. */
static bool
verify_reduction(sb_verifier *v, const sb_stmt *s)
{
    const sb_stmt *iter = v->iter;

    if (!v->init && s->u.store.op == SB_STORE_SET && has_reduction(iter))
        return sb_verify_fail(v,
                              "iteration %s reduces, so $%s must be accumulated into",
                              iter->u.iter.name, s->u.store.buf->name);
    for (int q = 0; q < iter->u.iter.n; q++) {
        const sb_var *x = iter->u.iter.it[q].var;
        bool used = false;

        if (!iter->u.iter.it[q].reduce)
            continue;
        for (int d = 0; d < s->u.store.n; d++)
            used = used || sb_expr_uses(s->u.store.idx[d], x);
        if (used)
            return sb_verify_fail(v,
                                  "the place of $%s depends on %%%s, which is reduced",
                                  s->u.store.buf->name, x->name);
    }
    return verify_init_value(v, s->u.store.value);
}

/* ---- loops --------------------------------------------------------------------------- */

/* hi - lo where it is a constant. */
static bool
constant_trip(const sb_stmt *s, int64_t *trip)
{
    const sb_expr *lo = s->u.loop.lo, *hi = s->u.loop.hi;

    if (lo->kind == SB_EXPR_INT && hi->kind == SB_EXPR_INT)
        return !__builtin_sub_overflow(hi->u.i, lo->u.i, trip);
    if (hi->kind == SB_EXPR_ADD && hi->arg[0] == lo &&
        hi->arg[1]->kind == SB_EXPR_INT) {
        *trip = hi->arg[1]->u.i;
        return true;
    }
    return false;
}

static bool
verify_how(sb_verifier *v, const sb_stmt *s)
{
    const char *name = s->u.loop.var->name;
    int64_t trip = 0;
    const bool constant = constant_trip(s, &trip);

    switch ((sb_loop_how)s->u.loop.how) {
    case SB_LOOP_SERIAL:
        return true;
    case SB_LOOP_PARALLEL:
        return v->loops == 0 ||
               sb_verify_fail(v, "loop %%%s is parallel but not outermost", name);
    case SB_LOOP_UNROLL:
        return constant ||
               sb_verify_fail(v,
                              "loop %%%s is unrolled, but how often it runs "
                              "is not constant",
                              name);
    case SB_LOOP_VECTOR:
        if (s->u.loop.lanes < 1)
            return sb_verify_fail(v, "vector loop %%%s has %d lanes", name,
                                  s->u.loop.lanes);
        return !constant || trip <= s->u.loop.lanes ||
               sb_verify_fail(v, "vector loop %%%s runs %lld times in %d lanes", name,
                              (long long)trip, s->u.loop.lanes);
    }
    return sb_verify_fail(v, "loop %%%s has an unknown mark", name);
}

/* A bound loop's name is known and not taken by a loop around. */
static bool
verify_bind(sb_verifier *v, const sb_stmt *s)
{
    const char *name = s->u.loop.bind;

    if (!sb_bind_known(name))
        return sb_verify_fail(v, "loop %%%s is bound to %s, which does not exist",
                              s->u.loop.var->name, name);
    for (int q = 0; q < v->nbound; q++) {
        if (strcmp(v->bound[q]->u.loop.bind, name) == 0)
            return sb_verify_fail(v, "loops %%%s and %%%s are both bound to %s",
                                  v->bound[q]->u.loop.var->name, s->u.loop.var->name,
                                  name);
    }
    if (v->nbound < SB_VERIFY_BOUND)
        v->bound[v->nbound++] = s;
    return true;
}

static bool
verify_for(sb_verifier *v, const sb_stmt *s)
{
    const sb_var *x = s->u.loop.var;
    const sb_stmt *vector = v->vector;
    const int nvar = v->nvar, outside = v->parallel_bufs, nbound = v->nbound;
    bool good;

    if (!sb_verify_expr(v, s->u.loop.lo) || !sb_verify_expr(v, s->u.loop.hi))
        return false;
    if (vector)
        return sb_verify_fail(v, "vector loop %%%s contains loop %%%s",
                              vector->u.loop.var->name, x->name);
    if (!is_index(x->type))
        return sb_verify_fail(v, "loop variable %%%s is not i32 or i64", x->name);
    if (!sb_dtype_widens((sb_dtype)s->u.loop.lo->type, x->type) ||
        !sb_dtype_widens((sb_dtype)s->u.loop.hi->type, x->type))
        return sb_verify_fail(v, "a bound of loop %%%s is not %s", x->name,
                              sb_dtype_name(x->type));
    if (!verify_how(v, s) || (s->u.loop.bind && !verify_bind(v, s)) ||
        !sb_verify_see_var(v, x))
        return false;
    v->loops++;
    if (s->u.loop.how == SB_LOOP_PARALLEL)
        v->parallel_bufs = v->nbuf;
    if (s->u.loop.how == SB_LOOP_VECTOR)
        v->vector = s;
    good = verify_inner(v, s->u.loop.body);
    v->parallel_bufs = outside;
    v->vector = vector;
    v->loops--;
    v->nvar = nvar;
    v->nbound = nbound;
    return good;
}

/* ---- straight lines ------------------------------------------------------------------ */

static bool
verify_let(sb_verifier *v, const sb_stmt *s)
{
    const sb_var *x = s->u.let.var;

    if (!sb_verify_expr(v, s->u.let.value))
        return false;
    if (!sb_dtype_widens((sb_dtype)s->u.let.value->type, x->type))
        return sb_verify_fail(v, "%%%s is %s, its value %s", x->name,
                              sb_dtype_name(x->type),
                              sb_dtype_name((sb_dtype)s->u.let.value->type));
    return sb_verify_see_var(v, x);
}

static bool
verify_local(sb_verifier *v, const sb_stmt *s)
{
    const sb_buf *b = s->u.local.buf;

    if (b->role != SB_BUF_LOCAL || !sb_verify_tensor(v, b))
        return sb_verify_fail(v, "$%s is declared in a body but is not local", b->name);
    for (int d = 0; d < b->rank; d++) {
        if (!b->extent[d] || b->extent[d]->kind != SB_EXPR_INT || b->extent[d]->u.i < 1)
            return sb_verify_fail(v, "local $%s needs constant positive extents",
                                  b->name);
    }
    if (v->prog->stage == 3 && b->rank != 1)
        return sb_verify_fail(v, "local $%s is not flat: stage 3 has one extent",
                              b->name);
    return sb_verify_see_buf(v, b);
}

/* Is b a local declared outside the parallel loop around? */
static bool
shared_local(const sb_verifier *v, const sb_buf *b)
{
    int q = v->parallel_bufs;

    while (q > 0 && v->buf[q - 1] != b)
        q--;
    return q > 0 && b->role == SB_BUF_LOCAL;
}

static bool
verify_atomic(sb_verifier *v, const sb_stmt *s)
{
    const sb_buf *b = s->u.store.buf;

    if (s->u.store.op == SB_STORE_SET)
        return sb_verify_fail(v, "an atomic store to $%s must be an update", b->name);
    if (!sb_atomic_type(b->type) || b->role == SB_BUF_LOCAL)
        return sb_verify_fail(v, "$%s cannot be updated atomically", b->name);
    if (v->vector)
        return sb_verify_fail(v, "vector loop %%%s updates $%s atomically",
                              v->vector->u.loop.var->name, b->name);
    return true;
}

static bool
verify_store(sb_verifier *v, const sb_stmt *s)
{
    const sb_buf *b = s->u.store.buf;

    if (!sb_verify_access(v, b, s->u.store.n, s->u.store.idx) ||
        !sb_verify_expr(v, s->u.store.value))
        return false;
    if (b->role == SB_BUF_IN || b->role == SB_BUF_AUX)
        return sb_verify_fail(v, "$%s is read only but stored to", b->name);
    if (!sb_dtype_widens((sb_dtype)s->u.store.value->type, b->type))
        return sb_verify_fail(v, "$%s holds %s but %s is stored", b->name,
                              sb_dtype_name(b->type),
                              sb_dtype_name((sb_dtype)s->u.store.value->type));
    if ((s->u.store.op == SB_STORE_MIN || s->u.store.op == SB_STORE_MAX) &&
        (sb_dtype_is_complex(b->type) || b->type == SB_BOOL))
        return sb_verify_fail(v, "$%s holds %s, which has no order", b->name,
                              sb_dtype_name(b->type));
    if (s->u.store.op == SB_STORE_ADD && b->type == SB_BOOL)
        return sb_verify_fail(v, "$%s holds bool, which has no sum", b->name);
    if (shared_local(v, b))
        return sb_verify_fail(
            v, "local $%s is shared by the iterations of a parallel loop", b->name);
    if (s->u.store.atomic && !verify_atomic(v, s))
        return false;
    return !v->iter || verify_reduction(v, s);
}

static bool
verify_block(sb_verifier *v, const sb_stmt *s)
{
    const char *why = NULL;

    if (!verify_inner(v, s->u.block.body))
        return false;
    if (s->u.block.tensor && !sb_tensor_is(s->u.block.name, s->u.block.body, &why))
        return sb_verify_fail(v, "tensor %s: %s", s->u.block.name, why);
    return true;
}

static bool
verify_if(sb_verifier *v, const sb_stmt *s)
{
    if (!sb_verify_expr(v, s->u.cond.cond))
        return false;
    if (s->u.cond.cond->type != SB_BOOL)
        return sb_verify_fail(v, "the condition of an if is %s, not bool",
                              sb_dtype_name((sb_dtype)s->u.cond.cond->type));
    return verify_init_value(v, s->u.cond.cond) && verify_inner(v, s->u.cond.then) &&
           verify_inner(v, s->u.cond.els);
}

/* ---- all ----------------------------------------------------------------------------- */

static bool
allowed_here(sb_verifier *v, const sb_stmt *s)
{
    const sb_stmt_kind k = (sb_stmt_kind)s->kind;
    const int stage = v->prog->stage;

    if (k > SB_STMT_PREFETCH)
        return sb_verify_fail(v, "a statement has an unknown kind");
    if (stage == 1 && k != SB_STMT_ITER && k != SB_STMT_STORE && k != SB_STMT_IF)
        return sb_verify_fail(v, "stage 1 has no %s", kind_name[k]);
    if (stage == 1 && k != SB_STMT_ITER && !v->iter)
        return sb_verify_fail(v, "%s stands outside an iteration", kind_name[k]);
    if (stage > 1 && k == SB_STMT_ITER)
        return sb_verify_fail(v, "stage %d has no iteration, but %s is one", stage,
                              s->u.iter.name);
    if (stage == 3 && k == SB_STMT_BLOCK && !s->u.block.tensor)
        return sb_verify_fail(v, "stage 3 has no block, but %s is one",
                              s->u.block.name);
    return true;
}

static bool
verify_stmt(sb_verifier *v, const sb_stmt *s)
{
    switch ((sb_stmt_kind)s->kind) {
    case SB_STMT_ITER:
        return verify_iter(v, s);
    case SB_STMT_BLOCK:
        return verify_block(v, s);
    case SB_STMT_FOR:
        return verify_for(v, s);
    case SB_STMT_LET:
        return verify_let(v, s);
    case SB_STMT_LOCAL:
        return verify_local(v, s);
    case SB_STMT_STORE:
        return verify_store(v, s);
    case SB_STMT_IF:
        return verify_if(v, s);
    case SB_STMT_PREFETCH:
        return sb_verify_access(v, s->u.prefetch.buf, s->u.prefetch.n,
                                s->u.prefetch.idx);
    }
    return false;
}

bool
sb_verify_body(sb_verifier *v, sb_body b)
{
    for (int q = 0; q < b.n; q++) {
        if (!allowed_here(v, b.at[q]) || !verify_stmt(v, b.at[q]))
            return false;
    }
    return true;
}
