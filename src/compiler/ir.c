/*
 * Constructors of the IR: interned expressions with the typing of expr.def and folding
 * of literals, empty statements, bodies. Everything lives in the compile's arena.
 */
#include "compiler/ir.h"

#include "base/tiny.h"

#include <math.h>
#include <string.h>

typedef enum typing { SELF, SAME, BOOL, LOGIC, SEL, CAST, FIND } typing;

typedef struct fact {
    const char *text;
    int8_t arity, prec;
    uint8_t typing;
} fact;

static const fact facts[SB_EXPR_COUNT] = {
#define X(kind, text, form, arity, prec, typing, doc) {text, arity, prec, typing},
#include "compiler/expr.def"
#undef X
};

const char *
sb_expr_kind_text(sb_expr_kind k)
{
    return k < SB_EXPR_COUNT ? facts[k].text : "?";
}

int
sb_expr_kind_arity(sb_expr_kind k)
{
    return k < SB_EXPR_COUNT ? facts[k].arity : 0;
}

int
sb_expr_kind_prec(sb_expr_kind k)
{
    return k < SB_EXPR_COUNT ? facts[k].prec : 0;
}

bool
sb_expr_is_search(const sb_expr *e)
{
    return e->kind == SB_EXPR_FIND || e->kind == SB_EXPR_SEEK ||
           e->kind == SB_EXPR_REACH;
}

void
sb_ir_init(sb_ir *ir, sb_arena *arena, sb_diag *diag)
{
    memset(ir, 0, sizeof *ir);
    ir->arena = arena;
    ir->diag = diag;
    ir->next_id = 1;
}

sb_status
sb_ir_status(const sb_ir *ir)
{
    if (!ir->failed)
        return SB_OK;
    return ir->diag && ir->diag->st != SB_OK ? ir->diag->st : SB_ENOMEM;
}

static void *
take(sb_ir *ir, size_t bytes)
{
    void *p = sb_arena_alloc_zero(ir->arena, bytes);

    if (!p)
        ir->failed = true;
    return p;
}

/* ---- interning ----------------------------------------------------------------------- */

static uint64_t
payload(const sb_expr *e)
{
    uint64_t bits = 0;

    switch ((sb_expr_kind)e->kind) {
    case SB_EXPR_INT:
        return (uint64_t)e->u.i;
    case SB_EXPR_FLOAT:
        memcpy(&bits, &e->u.f, sizeof bits); /* -0.0 is not 0.0 */
        return bits;
    case SB_EXPR_VAR:
        return (uint64_t)(uintptr_t)e->u.var;
    case SB_EXPR_LOAD:
    case SB_EXPR_FIND:
    case SB_EXPR_SEEK:
    case SB_EXPR_REACH:
        return (uint64_t)(uintptr_t)e->u.buf;
    default:
        return 0;
    }
}

static bool
same(const sb_expr *x, const sb_expr *y)
{
    return x->kind == y->kind && x->type == y->type && x->nargs == y->nargs &&
           payload(x) == payload(y) &&
           (x->nargs == 0 || memcmp(x->arg, y->arg, x->nargs * sizeof *x->arg) == 0);
}

static uint64_t
hash(const sb_expr *e)
{
    uint64_t h = 1469598103934665603u ^ ((uint64_t)e->kind << 8 | e->type);

    h = (h ^ payload(e)) * 1099511628211u;
    for (int q = 0; q < e->nargs; q++)
        h = (h ^ e->arg[q]->id) * 1099511628211u;
    return h ^ h >> 29;
}

static bool
grow(sb_ir *ir)
{
    const int64_t cap = ir->cap ? 2 * ir->cap : SB_TABLE_FIRST;
    const sb_expr **table = sb_arena_array(ir->arena, cap, sizeof *table);

    if (!table) {
        ir->failed = true;
        return false;
    }
    memset(table, 0, (size_t)cap * sizeof *table);
    for (int64_t q = 0; q < ir->cap; q++)
        if (ir->table[q]) {
            uint64_t at = hash(ir->table[q]) & (uint64_t)(cap - 1);

            while (table[at])
                at = (at + 1) & (uint64_t)(cap - 1);
            table[at] = ir->table[q];
        }
    ir->table = table;
    ir->cap = cap;
    return true;
}

/* The one expression equal to *key, whose arg array may be the caller's. */
static const sb_expr *
intern(sb_ir *ir, const sb_expr *key)
{
    uint64_t at;
    sb_expr *e;

    if (2 * (ir->used + 1) > ir->cap && !grow(ir))
        return NULL;
    at = hash(key) & (uint64_t)(ir->cap - 1);
    for (; ir->table[at]; at = (at + 1) & (uint64_t)(ir->cap - 1))
        if (same(ir->table[at], key))
            return ir->table[at];
    e = take(ir, sizeof *e);
    if (!e)
        return NULL;
    *e = *key;
    e->arg = NULL;
    if (key->nargs) {
        e->arg = sb_arena_copy(ir->arena, key->arg, key->nargs * sizeof *key->arg);
        if (!e->arg) {
            ir->failed = true;
            return NULL;
        }
    }
    e->id = ir->next_id++;
    ir->table[at] = e;
    ir->used++;
    return e;
}

/* ---- leaves -------------------------------------------------------------------------- */

const sb_var *
sb_var_new(sb_ir *ir, const char *name, sb_dtype type)
{
    sb_var *v = take(ir, sizeof *v);

    if (!v || !(v->name = sb_arena_strndup(ir->arena, name, strlen(name)))) {
        ir->failed = true;
        return NULL;
    }
    v->type = type;
    v->id = ir->next_id++;
    return v;
}

const sb_expr *
sb_expr_int_typed(sb_ir *ir, sb_dtype type, int64_t value)
{
    const sb_expr key = {.kind = SB_EXPR_INT, .type = (uint8_t)type, .u.i = value};

    return intern(ir, &key);
}

const sb_expr *
sb_expr_int(sb_ir *ir, int64_t value)
{
    return sb_expr_int_typed(ir, SB_I64, value);
}

const sb_expr *
sb_expr_float(sb_ir *ir, sb_dtype type, double value)
{
    const sb_expr key = {.kind = SB_EXPR_FLOAT, .type = (uint8_t)type, .u.f = value};

    return intern(ir, &key);
}

const sb_expr *
sb_expr_var(sb_ir *ir, const sb_var *v)
{
    sb_expr key = {.kind = SB_EXPR_VAR, .u.var = v};

    if (!v)
        return NULL;
    key.type = (uint8_t)v->type;
    return intern(ir, &key);
}

/* ---- typing -------------------------------------------------------------------------- */

static const sb_expr *
mistyped(sb_ir *ir, sb_expr_kind k, const char *why)
{
    sb_diag_set(ir->diag, SB_EVERIFY, "operands of %s: %s", facts[k].text, why);
    ir->failed = true;
    return NULL;
}

static bool
is_index(sb_dtype t)
{
    return t == SB_I32 || t == SB_I64;
}

/* Type that both operands have or widen to; SB_DTYPE_COUNT when there is none. */
static sb_dtype
join(sb_dtype a, sb_dtype b)
{
    if (a == b)
        return a;
    return is_index(a) && is_index(b) ? SB_I64 : SB_DTYPE_COUNT;
}

static bool
ordered(sb_expr_kind k)
{
    return k == SB_EXPR_LT || k == SB_EXPR_LE || k == SB_EXPR_GT || k == SB_EXPR_GE ||
           k == SB_EXPR_MIN || k == SB_EXPR_MAX;
}

static const char *
ill_typed(sb_expr_kind k, sb_dtype t)
{
    if (t == SB_DTYPE_COUNT)
        return "types differ";
    if (facts[k].typing == LOGIC)
        return t == SB_BOOL ? NULL : "must be bool";
    if (t == SB_BOOL && k != SB_EXPR_EQ && k != SB_EXPR_NE)
        return "must not be bool";
    if (ordered(k) && sb_dtype_is_complex(t))
        return "complex numbers have no order";
    if ((k == SB_EXPR_MOD || k == SB_EXPR_ONES) && !sb_dtype_is_int(t))
        return "must be integers";
    return NULL;
}

/* ---- folding ------------------------------------------------------------------------- */

static bool
fits(sb_dtype type, int64_t v)
{
    if (type == SB_I8)
        return v >= INT8_MIN && v <= INT8_MAX;
    if (type == SB_I16)
        return v >= INT16_MIN && v <= INT16_MAX;
    return type == SB_I64 || (type == SB_I32 && v >= INT32_MIN && v <= INT32_MAX);
}

static bool
is_literal(const sb_expr *e, int64_t v)
{
    return e->kind == SB_EXPR_INT && e->u.i == v;
}

static int64_t
floor_div(int64_t a, int64_t b)
{
    return a / b - (a % b != 0 && a < 0);
}

/* Integer a op b as a literal; false where it has none (overflow, divisor <= 0). */
static bool
fold_int(sb_expr_kind k, int64_t a, int64_t b, int64_t *out)
{
    switch (k) {
    case SB_EXPR_ADD:
        return !__builtin_add_overflow(a, b, out);
    case SB_EXPR_SUB:
        return !__builtin_sub_overflow(a, b, out);
    case SB_EXPR_MUL:
        return !__builtin_mul_overflow(a, b, out);
    case SB_EXPR_DIV:
        *out = b > 0 ? floor_div(a, b) : 0;
        return b > 0;
    case SB_EXPR_MOD:
        *out = b > 0 ? a - floor_div(a, b) * b : 0;
        return b > 0;
    case SB_EXPR_MIN:
        *out = a < b ? a : b;
        return true;
    case SB_EXPR_MAX:
        *out = a > b ? a : b;
        return true;
    default:
        return false;
    }
}

/* Neutral elements of integer operations: x + 0, x * 1, x / 1, x - 0; NULL if none. A
 * dropped literal must not have widened the result. */
static const sb_expr *
fold_neutral(sb_expr_kind k, sb_dtype type, const sb_expr *a, const sb_expr *b)
{
    const bool right = is_literal(b, k == SB_EXPR_MUL || k == SB_EXPR_DIV);

    if ((k == SB_EXPR_ADD || k == SB_EXPR_SUB || k == SB_EXPR_MUL ||
         k == SB_EXPR_DIV) &&
        right && a->type == type)
        return a;
    if (((k == SB_EXPR_ADD && is_literal(a, 0)) ||
         (k == SB_EXPR_MUL && is_literal(a, 1))) &&
        b->type == type)
        return b;
    return NULL;
}

/* ---- operators ----------------------------------------------------------------------- */

const sb_expr *
sb_expr_un(sb_ir *ir, sb_expr_kind k, const sb_expr *x)
{
    sb_expr key = {.kind = (uint8_t)k, .nargs = 1, .arg = &x};
    const char *why;

    if (!x)
        return NULL;
    if ((why = ill_typed(k, (sb_dtype)x->type)) != NULL)
        return mistyped(ir, k, why);
    if (k == SB_EXPR_NEG && x->kind == SB_EXPR_INT && x->u.i != INT64_MIN &&
        fits((sb_dtype)x->type, -x->u.i))
        return sb_expr_int_typed(ir, (sb_dtype)x->type, -x->u.i);
    if (k == SB_EXPR_NEG && x->kind == SB_EXPR_FLOAT)
        return sb_expr_float(ir, (sb_dtype)x->type, -x->u.f);
    key.type = x->type;
    return intern(ir, &key);
}

const sb_expr *
sb_expr_bin(sb_ir *ir, sb_expr_kind k, const sb_expr *a, const sb_expr *b)
{
    const sb_expr *arg[2] = {a, b}, *neutral;
    sb_expr key = {.kind = (uint8_t)k, .nargs = 2, .arg = arg};
    sb_dtype type;
    const char *why;
    int64_t v;

    if (!a || !b)
        return NULL;
    type = join((sb_dtype)a->type, (sb_dtype)b->type);
    if ((why = ill_typed(k, type)) != NULL)
        return mistyped(ir, k, why);
    if (facts[k].typing == SAME && sb_dtype_is_int(type)) {
        if (a->kind == SB_EXPR_INT && b->kind == SB_EXPR_INT &&
            fold_int(k, a->u.i, b->u.i, &v) && fits(type, v))
            return sb_expr_int_typed(ir, type, v);
        if ((neutral = fold_neutral(k, type, a, b)) != NULL)
            return neutral;
    }
    key.type = (uint8_t)(facts[k].typing == SAME ? type : SB_BOOL);
    return intern(ir, &key);
}

const sb_expr *
sb_expr_select(sb_ir *ir, const sb_expr *c, const sb_expr *a, const sb_expr *b)
{
    const sb_expr *arg[3] = {c, a, b};
    sb_expr key = {.kind = SB_EXPR_SELECT, .nargs = 3, .arg = arg};
    sb_dtype type;

    if (!c || !a || !b)
        return NULL;
    type = join((sb_dtype)a->type, (sb_dtype)b->type);
    if (c->type != SB_BOOL)
        return mistyped(ir, SB_EXPR_SELECT, "the condition must be bool");
    if (type == SB_DTYPE_COUNT)
        return mistyped(ir, SB_EXPR_SELECT, "types differ");
    key.type = (uint8_t)type;
    return intern(ir, &key);
}

const sb_expr *
sb_expr_cast(sb_ir *ir, sb_dtype type, const sb_expr *x)
{
    sb_expr key = {.kind = SB_EXPR_CAST, .type = (uint8_t)type, .nargs = 1, .arg = &x};

    if (!x)
        return NULL;
    if (x->type == SB_BOOL || type == SB_BOOL)
        return mistyped(ir, SB_EXPR_CAST, "bool does not convert");
    if (x->type == type)
        return x;
    if (x->kind == SB_EXPR_INT && is_index(type) && fits(type, x->u.i))
        return sb_expr_int_typed(ir, type, x->u.i);
    return intern(ir, &key);
}

/* Indices must be integers. */
static const char *
bad_index(int n, const sb_expr *const *idx)
{
    for (int q = 0; q < n; q++)
        if (!is_index((sb_dtype)idx[q]->type))
            return "indices must be i32 or i64";
    return NULL;
}

const sb_expr *
sb_expr_load(sb_ir *ir, const sb_buf *b, int n, const sb_expr *const *idx)
{
    sb_expr key = {.kind = SB_EXPR_LOAD, .u.buf = b, .nargs = (uint16_t)n, .arg = idx};
    const char *why;

    if (!b || n < 0 || n > SB_MAXRANK)
        return NULL;
    for (int q = 0; q < n; q++)
        if (!idx[q])
            return NULL;
    if ((why = bad_index(n, idx)) != NULL)
        return mistyped(ir, SB_EXPR_LOAD, why);
    key.type = (uint8_t)b->type;
    return intern(ir, &key);
}

const sb_expr *
sb_expr_search(sb_ir *ir, sb_expr_kind kind, const sb_buf *crd, const sb_expr *lo,
               const sb_expr *hi, const sb_expr *x)
{
    const sb_expr *arg[3] = {lo, hi, x};
    const sb_expr key = {
        .kind = (uint8_t)kind, .type = SB_I64, .nargs = 3, .arg = arg, .u.buf = crd};
    const char *why;

    if (!crd || !lo || !hi || !x)
        return NULL;
    if ((why = bad_index(3, arg)) != NULL)
        return mistyped(ir, kind, why);
    return intern(ir, &key);
}

/* ---- statements ---------------------------------------------------------------------- */

sb_stmt *
sb_stmt_new(sb_ir *ir, sb_stmt_kind kind)
{
    sb_stmt *s = take(ir, sizeof *s);

    if (s) {
        s->kind = (uint8_t)kind;
        s->id = ir->next_id++;
    }
    return s;
}

sb_body
sb_body_copy(sb_ir *ir, int n, const sb_stmt *const *at)
{
    sb_body b = {0, NULL};

    if (n <= 0)
        return b;
    b.at = sb_arena_copy(ir->arena, at, (size_t)n * sizeof *at);
    if (!b.at)
        ir->failed = true;
    else
        b.n = n;
    return b;
}
