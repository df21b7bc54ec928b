/*
 * Matching of nests with intrinsics, declared in tensor.h. Structure only: no new
 * expression is made, so the verifier can ask as well.
 */
#include "compiler/tensor.h"

#include "compiler/address.h"
#include "compiler/rewrite.h"

#include <string.h>

enum { LOOPS = 3, SIDE_MAX = 64 };

/* "mma_4x8x2": the `count` sizes behind `family`. */
static bool
read_sizes(const char *name, const char *family, int count, int64_t size[])
{
    const char *s = name + strlen(family);

    if (strncmp(name, family, strlen(family)) != 0)
        return false;
    for (int q = 0; q < count; q++) {
        size[q] = 0;
        while (*s >= '0' && *s <= '9' && size[q] <= SIDE_MAX)
            size[q] = size[q] * 10 + (*s++ - '0');
        if (size[q] < 1 || size[q] > SIDE_MAX || *s != (q + 1 < count ? 'x' : '\0'))
            return false;
        s++;
    }
    return true;
}

/* Is e a sum in which v is multiplied by what no loop moves? */
static bool
linear(const sb_expr *e, const sb_var *v, const sb_var *const *all)
{
    bool constant = true;

    switch ((sb_expr_kind)e->kind) {
    case SB_EXPR_VAR:
        return true;
    case SB_EXPR_CAST:
    case SB_EXPR_NEG:
        return linear(e->arg[0], v, all);
    case SB_EXPR_ADD:
    case SB_EXPR_SUB:
        return linear(e->arg[0], v, all) && linear(e->arg[1], v, all);
    case SB_EXPR_MUL:
        for (int q = 0; q < 2; q++) {
            constant = true;
            for (int r = 0; r < LOOPS; r++)
                constant = constant && !sb_expr_uses(e->arg[q], all[r]);
            if (constant)
                return linear(e->arg[1 - q], v, all);
        }
        return false;
    default:
        return !sb_expr_uses(e, v);
    }
}

/* Each index moves linearly, and none under which another level's rows lie. */
static bool
regular(const sb_buf *b, const sb_expr *const *idx, const sb_var *const *v)
{
    if (sb_buf_val(b))
        return false;
    for (int d = 0; d < b->rank; d++) {
        for (int q = 0; q < LOOPS; q++) {
            if (!linear(idx[d], v[q], v) ||
                (b->axis[d] && !sb_buf_leaf(b, d) && sb_expr_uses(idx[d], v[q])))
                return false;
        }
    }
    return true;
}

static bool
moves(const sb_buf *b, const sb_expr *const *idx, const sb_var *v)
{
    for (int d = 0; d < b->rank; d++) {
        if (sb_expr_uses(idx[d], v))
            return true;
    }
    return false;
}

/* The `count` loops, outermost first, and the statement inside. */
static const sb_stmt *
open_nest(sb_body b, int count, const sb_var *v[], int64_t trip[])
{
    for (int q = 0; q < count; q++) {
        const sb_stmt *s = b.n == 1 ? b.at[0] : NULL;

        if (!s || s->kind != SB_STMT_FOR || s->u.loop.how != SB_LOOP_SERIAL ||
            !sb_expr_is_int(s->u.loop.lo, 0) || s->u.loop.hi->kind != SB_EXPR_INT)
            return NULL;
        v[q] = s->u.loop.var;
        trip[q] = s->u.loop.hi->u.i;
        b = s->u.loop.body;
    }
    return b.n == 1 && b.at[0]->kind == SB_STMT_STORE ? b.at[0] : NULL;
}

static void
set_operand(sb_tensor_operand *o, const sb_buf *b, const sb_expr *const *idx, int row,
            int col)
{
    o->buf = b;
    o->idx = idx;
    o->step[0] = row;
    o->step[1] = col;
}

/* One way to name the loops i, j, k and the factors A, B. */
static bool
fits(sb_tensor *t, const sb_stmt *s, const sb_expr *a, const sb_expr *b,
     const int64_t size[LOOPS])
{
    for (int q = 0; q < LOOPS; q++) {
        if (t->trip[q] != size[q])
            return false;
    }
    if (moves(s->u.store.buf, s->u.store.idx, t->var[2]) ||
        moves(a->u.buf, a->arg, t->var[1]) || moves(b->u.buf, b->arg, t->var[0]))
        return false;
    set_operand(&t->c, s->u.store.buf, s->u.store.idx, 0, 1);
    set_operand(&t->a, a->u.buf, a->arg, 0, 2);
    set_operand(&t->b, b->u.buf, b->arg, 2, 1);
    return true;
}

static const char *
check_parts(const sb_stmt *s, const sb_var *const *v)
{
    const sb_expr *x = s->u.store.value;
    const sb_dtype t = s->u.store.buf->type;

    if (s->u.store.op != SB_STORE_ADD || s->u.store.atomic || x->kind != SB_EXPR_MUL ||
        x->arg[0]->kind != SB_EXPR_LOAD || x->arg[1]->kind != SB_EXPR_LOAD)
        return "the body is not the sum of one product of two loads";
    if (t != SB_F32 && t != SB_F64 && t != SB_I32 && t != SB_I64)
        return "the type is not f32, f64, i32 or i64";
    if (x->arg[0]->type != t || x->arg[1]->type != t)
        return "the types differ";
    if (x->arg[0]->u.buf == s->u.store.buf || x->arg[1]->u.buf == s->u.store.buf)
        return "the result is also a factor";
    if (!regular(s->u.store.buf, s->u.store.idx, v) ||
        !regular(x->arg[0]->u.buf, x->arg[0]->arg, v) ||
        !regular(x->arg[1]->u.buf, x->arg[1]->arg, v))
        return "an index is not linear in the loops";
    return NULL;
}

bool
sb_tensor_match(sb_tensor *out, const char *name, sb_body body, const char **why)
{
    static const int order[6][LOOPS] = {{0, 1, 2}, {0, 2, 1}, {1, 0, 2},
                                        {1, 2, 0}, {2, 0, 1}, {2, 1, 0}};
    const sb_var *v[LOOPS];
    int64_t trip[LOOPS], size[LOOPS];
    const sb_stmt *s;
    sb_tensor t;

    *why = "there is no such intrinsic";
    if (!read_sizes(name, "mma_", LOOPS, size))
        return false;
    *why = "the body is not three nested loops of constant trip counts from 0";
    if (!(s = open_nest(body, LOOPS, v, trip)) || (*why = check_parts(s, v)) != NULL)
        return false;
    *why = "the loops and places do not have the form of the intrinsic";
    for (int q = 0; q < 12; q++) {
        const sb_expr *a = s->u.store.value->arg[q % 2];
        const sb_expr *b = s->u.store.value->arg[1 - q % 2];

        for (int r = 0; r < LOOPS; r++) {
            t.var[r] = v[order[q / 2][r]];
            t.trip[r] = trip[order[q / 2][r]];
        }
        if (!fits(&t, s, a, b, size))
            continue;
        if (out)
            *out = t;
        *why = NULL;
        return true;
    }
    return false;
}

/* ---- tensor cores ------------------------------------------------------------------- */

/* select(.., OPERAND, 0.0) or what is loaded: of f16 or bf16 and cast, or of f32. */
static bool
core_operand(const sb_expr *e, const sb_var *free_of, const sb_buf *c, sb_dtype *type)
{
    const sb_expr *load;

    if (e->type != SB_F32 || sb_expr_uses(e, free_of) || sb_expr_loads(e, c))
        return false;
    for (; e->kind == SB_EXPR_SELECT; e = e->arg[1])
        if (e->arg[2]->kind != SB_EXPR_FLOAT || e->arg[2]->u.f != 0)
            return false;
    load = e->kind == SB_EXPR_CAST ? e->arg[0] : e;
    *type = (sb_dtype)load->type;
    return load->kind == SB_EXPR_LOAD &&
           (*type == SB_F16 || *type == SB_BF16 || *type == SB_F32) &&
           (e->kind == SB_EXPR_CAST) == (*type != SB_F32);
}

static const char *
check_core(sb_tensor_core *t, const sb_stmt *s, bool tf32)
{
    const sb_expr *x = s->u.store.value;
    sb_dtype other;

    t->c = s->u.store.buf;
    t->idx = s->u.store.idx;
    if (s->u.store.op != SB_STORE_ADD || s->u.store.atomic || t->c->type != SB_F32 ||
        x->kind != SB_EXPR_MUL || x->type != SB_F32)
        return "the body is not the sum of one product in f32";
    t->a = x->arg[0];
    t->b = x->arg[1];
    if (moves(t->c, t->idx, t->var[2]) ||
        !core_operand(t->a, t->var[1], t->c, &t->type) ||
        !core_operand(t->b, t->var[0], t->c, &other) || other != t->type ||
        tf32 != (other == SB_F32))
        return "a factor does not have the form of the intrinsic";
    return NULL;
}

bool
sb_tensor_is_core(const char *name)
{
    return strncmp(name, "tc_", 3) == 0 || strncmp(name, "tf32", 4) == 0;
}

bool
sb_tensor_match_core(sb_tensor_core *out, const char *name, sb_body body,
                     const char **why)
{
    const bool three = strncmp(name, "tf32x3_", 7) == 0, tc = name[1] == 'c';
    int64_t size[LOOPS];
    const sb_stmt *s;
    sb_tensor_core t;

    *why = "there is no such intrinsic";
    if (!read_sizes(name,
                    tc      ? "tc_"
                    : three ? "tf32x3_"
                            : "tf32_",
                    LOOPS, size) ||
        size[0] % 16 != 0 || size[1] % 8 != 0 ||
        !(size[2] == 8 || (size[2] == 16 && tc)))
        return false;
    *why = "the body is not three nested loops of those trips from 0";
    if (!(s = open_nest(body, LOOPS, t.var, t.trip)) ||
        memcmp(size, t.trip, sizeof size) != 0 ||
        (*why = check_core(&t, s, !tc)) != NULL)
        return false;
    t.three = three;
    if (out)
        *out = t;
    return true;
}

/* ---- sums across lanes -------------------------------------------------------------- */

/* Is the place loaded from [%v[0], %v[1]], or flat %v[0] * lanes + %v[1]? */
static bool
is_lane(const sb_expr *x, const sb_var *const v[2], int64_t lanes)
{
    const sb_expr *e = x->arg[0], *left = e->nargs == 2 ? e->arg[0] : NULL;

    if (x->nargs == 2)
        return e->kind == SB_EXPR_VAR && e->u.var == v[0] &&
               x->arg[1]->kind == SB_EXPR_VAR && x->arg[1]->u.var == v[1] &&
               sb_expr_is_int(x->u.buf->extent[1], lanes);
    return x->nargs == 1 && e->kind == SB_EXPR_ADD && e->arg[1]->kind == SB_EXPR_VAR &&
           e->arg[1]->u.var == v[1] && left->kind == SB_EXPR_MUL &&
           left->arg[0]->kind == SB_EXPR_VAR && left->arg[0]->u.var == v[0] &&
           sb_expr_is_int(left->arg[1], lanes);
}

bool
sb_tensor_match_sums(sb_tensor_sums *out, const char *name, sb_body body,
                     const char **why)
{
    int64_t size[2], trip[2];
    const sb_var *v[2];
    const sb_expr *x;
    const sb_stmt *s;
    sb_dtype type;

    *why = "there is no such intrinsic";
    if (!read_sizes(name, "sums_", 2, size) || size[0] > 32 ||
        (size[1] & (size[1] - 1)) != 0)
        return false;
    *why = "the body is not two nested loops of those trips from 0";
    if (!(s = open_nest(body, 2, v, trip)) || memcmp(size, trip, sizeof size) != 0)
        return false;
    *why = "the body is not a sum of lanes of local arrays";
    x = s->u.store.value;
    type = s->u.store.buf->type;
    if (s->u.store.op != SB_STORE_ADD || s->u.store.atomic ||
        s->u.store.buf->role != SB_BUF_LOCAL || s->u.store.n != 1 ||
        s->u.store.idx[0]->kind != SB_EXPR_VAR || s->u.store.idx[0]->u.var != v[0] ||
        x->kind != SB_EXPR_LOAD || x->u.buf->role != SB_BUF_LOCAL ||
        x->u.buf == s->u.store.buf || !is_lane(x, v, size[1]))
        return false;
    *why = "the lanes are not f32 or f64 of at most 64 bytes";
    if ((type != SB_F32 && type != SB_F64) || x->u.buf->type != type ||
        size[1] * (int64_t)sb_dtype_size(type) > 64)
        return false;
    if (out)
        *out = (sb_tensor_sums){(int)size[0], (int)size[1], s->u.store.buf, x->u.buf};
    *why = NULL;
    return true;
}

bool
sb_tensor_is(const char *name, sb_body body, const char **why)
{
    if (strncmp(name, "sums_", 5) == 0)
        return sb_tensor_match_sums(NULL, name, body, why);
    return sb_tensor_is_core(name) ? sb_tensor_match_core(NULL, name, body, why)
                                   : sb_tensor_match(NULL, name, body, why);
}
