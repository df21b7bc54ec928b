/*
 * Expressions by precedence climbing over the table of expr.def. A real literal without
 * suffix takes the type of what it meets; integer literals are i64.
 */
#include "compiler/parse.h"

#include "base/strbuf.h"

#include <math.h>
#include <string.h>

typedef enum form { LEAF, PREFIX, INFIX, CALL, LOAD } form;
typedef enum typing { SELF, SAME, BOOL, LOGIC, SEL, CAST, FIND } typing;

typedef struct entry {
    const char *text;
    uint8_t form, prec, typing;
    int8_t arity;
} entry;

static const entry table[SB_EXPR_COUNT] = {
#define X(kind, text, form, arity, prec, typing, doc) {text, form, prec, typing, arity},
#include "compiler/expr.def"
#undef X
};

/* A parsed expression: where it starts, its depth, and whether it is a real literal
 * whose type is still open. */
typedef struct operand {
    const sb_expr *e;
    size_t at;
    int height;
    bool open;
} operand;

static operand parse_level(sb_parser *p, int prec);

/* ---- results ------------------------------------------------------------------------- */

/* What a constructor gave; NULL becomes an error at `at` with the constructor's words. */
static operand
result(sb_parser *p, const sb_expr *e, size_t at, int height)
{
    const operand r = {e, at, height + 1, false};

    if (p->st != SB_OK)
        return r;
    if (!e && p->inner.st != SB_OK)
        sb_parse_error_at(p, at, "%s", p->inner.text);
    else if (!e)
        p->st = SB_ENOMEM;
    else if (r.height > SB_PARSE_CHAIN)
        sb_parse_error_at(p, at, "expression deeper than %d operators", SB_PARSE_CHAIN);
    return r;
}

static int
higher(int a, int b)
{
    return a > b ? a : b;
}

/* Gives an open literal the type of its partner. */
static void
adapt(sb_parser *p, operand *x, const sb_expr *partner)
{
    const sb_dtype t = partner ? (sb_dtype)partner->type : SB_DTYPE_COUNT;

    if (!x->open || !x->e || !(sb_dtype_is_real(t) || sb_dtype_is_complex(t)))
        return;
    *x = result(p, sb_expr_float(p->ir, t, x->e->u.f), x->at, 0);
}

static void
adapt_pair(sb_parser *p, operand *a, operand *b)
{
    if (a->open && !b->open)
        adapt(p, a, b->e);
    else if (b->open && !a->open)
        adapt(p, b, a->e);
}

/* ---- literals ------------------------------------------------------------------------ */

/* `: type` after a literal. */
static bool
parse_suffix(sb_parser *p, sb_dtype *type)
{
    if (!sb_parse_accept(p, ":"))
        return false;
    *type = sb_parse_type(p);
    return true;
}

static bool
int_fits(sb_dtype t, int64_t v)
{
    switch (t) {
    case SB_I8:
        return v >= INT8_MIN && v <= INT8_MAX;
    case SB_I16:
        return v >= INT16_MIN && v <= INT16_MAX;
    case SB_I32:
        return v >= INT32_MIN && v <= INT32_MAX;
    default:
        return t == SB_I64;
    }
}

/* The token with its sign as a NUL-terminated string. */
static void
spell(char out[SB_NUMBER_MAX + 2], const sb_token *t, bool negative)
{
    if (negative)
        *out++ = '-';
    memcpy(out, t->text, t->n);
    out[t->n] = '\0';
}

static operand
parse_int(sb_parser *p, bool negative)
{
    const size_t at = p->tok.at;
    char text[SB_NUMBER_MAX + 2];
    sb_dtype type = SB_I64;
    const char *end;
    int64_t v = 0;

    spell(text, &p->tok, negative);
    if (sb_parse_i64(text, &end, &v) != SB_OK)
        sb_parse_error(p, "this integer does not fit 64 bits");
    sb_parse_advance(p);
    (void)parse_suffix(p, &type);
    if (!int_fits(type, v))
        sb_parse_error_at(p, at, "this integer is no %s", sb_dtype_name(type));
    return result(p, sb_expr_int_typed(p->ir, type, v), at, 0);
}

static operand
parse_float(sb_parser *p, bool negative)
{
    const size_t at = p->tok.at;
    char text[SB_NUMBER_MAX + 2];
    sb_dtype type = p->real;
    const char *end;
    double v = 0.0;
    operand r;
    bool typed;

    spell(text, &p->tok, negative);
    if (sb_parse_f64(text, &end, &v) != SB_OK)
        sb_parse_error(p, "this is no number");
    sb_parse_advance(p);
    typed = parse_suffix(p, &type);
    if (!sb_dtype_is_real(type) && !sb_dtype_is_complex(type))
        sb_parse_error_at(p, at, "a real literal cannot be %s", sb_dtype_name(type));
    r = result(p, sb_expr_float(p->ir, type, v), at, 0);
    r.open = !typed;
    return r;
}

static bool
at_float(const sb_parser *p)
{
    return p->tok.kind == SB_TOKEN_FLOAT || sb_parse_is(p, "inf") ||
           sb_parse_is(p, "nan");
}

/* ---- calls and loads ----------------------------------------------------------------- */

static operand
no_operand(const sb_parser *p)
{
    const operand r = {NULL, p->tok.at, 0, false};

    return r;
}

static operand
make_call(sb_parser *p, sb_expr_kind k, sb_dtype type, const sb_buf *buf, operand *arg,
          size_t at)
{
    int height = 0;
    const sb_expr *e;

    for (int q = 0; q < table[k].arity; q++) {
        height = higher(height, arg[q].height);
        if (!arg[q].e)
            return no_operand(p);
    }
    switch (k) {
    case SB_EXPR_CAST:
        e = sb_expr_cast(p->ir, type, arg[0].e);
        break;
    case SB_EXPR_FIND:
    case SB_EXPR_SEEK:
    case SB_EXPR_REACH:
        e = sb_expr_search(p->ir, k, buf, arg[0].e, arg[1].e, arg[2].e);
        break;
    case SB_EXPR_SELECT:
        adapt_pair(p, &arg[1], &arg[2]);
        e = sb_expr_select(p->ir, arg[0].e, arg[1].e, arg[2].e);
        break;
    default:
        if (table[k].arity == 1) {
            e = sb_expr_un(p->ir, k, arg[0].e);
        } else {
            adapt_pair(p, &arg[0], &arg[1]);
            e = sb_expr_bin(p->ir, k, arg[0].e, arg[1].e);
        }
        break;
    }
    return result(p, e, at, height);
}

/* name(args): `cast` starts with a type, `find`, `seek` and `reach` with a buffer. */
static operand
parse_call(sb_parser *p, sb_expr_kind k)
{
    const size_t at = p->tok.at;
    operand arg[3] = {{NULL, 0, 0, false}};
    const sb_buf *buf = NULL;
    sb_dtype type = SB_DTYPE_COUNT;

    sb_parse_advance(p);
    sb_parse_expect(p, "(");
    if (k == SB_EXPR_CAST) {
        type = sb_parse_type(p);
        sb_parse_expect(p, ",");
    } else if (table[k].typing == FIND) {
        buf = sb_parse_buf(p);
        sb_parse_expect(p, ",");
        if (p->constant)
            sb_parse_error_at(p, at, "a declaration depends on parameters only");
    }
    for (int q = 0; q < table[k].arity && sb_parse_ok(p); q++) {
        if (q > 0)
            sb_parse_expect(p, ",");
        arg[q] = parse_level(p, 0);
    }
    sb_parse_expect(p, ")");
    return sb_parse_ok(p) ? make_call(p, k, type, buf, arg, at) : no_operand(p);
}

/* The indices and the depth of the deepest. */
static int
parse_indices(sb_parser *p, const sb_expr *idx[SB_MAXRANK], int *height)
{
    int n = 0;

    *height = 0;
    sb_parse_expect(p, "[");
    while (sb_parse_ok(p)) {
        const operand x = parse_level(p, 0);

        if (n == SB_MAXRANK)
            sb_parse_error_at(p, x.at, "more than %d indices", SB_MAXRANK);
        else
            idx[n++] = x.e;
        *height = higher(*height, x.height);
        if (!sb_parse_accept(p, ","))
            break;
    }
    sb_parse_expect(p, "]");
    return sb_parse_ok(p) ? n : 0;
}

static operand
parse_load(sb_parser *p)
{
    const size_t at = p->tok.at;
    const sb_buf *b = sb_parse_buf(p);
    const sb_expr *idx[SB_MAXRANK];
    int height;
    const int n = parse_indices(p, idx, &height);

    if (p->constant)
        sb_parse_error_at(p, at, "a declaration depends on parameters only");
    if (!sb_parse_ok(p))
        return no_operand(p);
    return result(p, sb_expr_load(p->ir, b, n, idx), at, height);
}

/* ---- levels -------------------------------------------------------------------------- */

static operand
parse_primary(sb_parser *p)
{
    const size_t at = p->tok.at;
    operand r;

    if (p->tok.kind == SB_TOKEN_INT)
        return parse_int(p, false);
    if (at_float(p))
        return parse_float(p, false);
    if (p->tok.kind == SB_TOKEN_VAR) {
        const sb_var *v = sb_parse_var(p);

        return result(p, sb_expr_var(p->ir, v), at, 0);
    }
    if (p->tok.kind == SB_TOKEN_BUF)
        return parse_load(p);
    if (sb_parse_accept(p, "(")) {
        r = parse_level(p, 0);
        sb_parse_expect(p, ")");
        return r;
    }
    for (int k = 0; k < SB_EXPR_COUNT; k++) {
        if (table[k].form == CALL && sb_parse_is(p, table[k].text))
            return parse_call(p, (sb_expr_kind)k);
    }
    if (p->bare && p->tok.kind == SB_TOKEN_WORD)
        return result(p, sb_expr_var(p->ir, sb_parse_var(p)), at, 0);
    sb_parse_error(p, "expected an expression");
    return no_operand(p);
}

/* Operator of the given form at the current token, SB_EXPR_COUNT without. */
static sb_expr_kind
operator_here(const sb_parser *p, form f)
{
    int k = 0;

    while (k < SB_EXPR_COUNT && !(table[k].form == f && sb_parse_is(p, table[k].text)))
        k++;
    return (sb_expr_kind)k;
}

static operand
parse_unary(sb_parser *p)
{
    const size_t at = p->tok.at;
    const sb_expr_kind k = operator_here(p, PREFIX);
    operand x;

    if (!sb_parse_ok(p) || !sb_parse_enter(p))
        return no_operand(p);
    if (k == SB_EXPR_COUNT) {
        x = parse_primary(p);
        sb_parse_leave(p);
        return x;
    }
    sb_parse_advance(p);
    if (k == SB_EXPR_NEG && p->tok.kind == SB_TOKEN_INT) {
        x = parse_int(p, true);
    } else if (k == SB_EXPR_NEG && at_float(p)) {
        x = parse_float(p, true);
    } else {
        const operand inner = parse_unary(p);

        x = inner.e ? result(p, sb_expr_un(p->ir, k, inner.e), at, inner.height)
                    : inner;
        x.open = inner.open && x.e && x.e->kind == SB_EXPR_FLOAT;
    }
    sb_parse_leave(p);
    return x;
}

/* Operators that bind at least as strongly as prec, to the left. */
static operand
parse_level(sb_parser *p, int prec)
{
    operand a = parse_unary(p);

    while (sb_parse_ok(p)) {
        const sb_expr_kind k = operator_here(p, INFIX);
        const size_t at = p->tok.at;
        operand b;
        int height;

        if (k == SB_EXPR_COUNT || table[k].prec < prec)
            break;
        sb_parse_advance(p);
        b = parse_level(p, table[k].prec + 1);
        if (!sb_parse_ok(p))
            break;
        if (table[k].typing != LOGIC)
            adapt_pair(p, &a, &b);
        height = higher(a.height, b.height);
        a = result(p, sb_expr_bin(p->ir, k, a.e, b.e), at, height);
    }
    return a;
}

/* ---- from outside -------------------------------------------------------------------- */

const sb_expr *
sb_parse_expr(sb_parser *p)
{
    const operand x = parse_level(p, 0);

    return sb_parse_ok(p) ? x.e : NULL;
}

bool
sb_dtype_widens(sb_dtype from, sb_dtype to)
{
    return from == to || (from == SB_I32 && to == SB_I64);
}

const sb_expr *
sb_parse_expr_as(sb_parser *p, sb_dtype t)
{
    operand x = parse_level(p, 0);

    if (!sb_parse_ok(p))
        return NULL;
    if (x.open && (sb_dtype_is_real(t) || sb_dtype_is_complex(t)))
        x = result(p, sb_expr_float(p->ir, t, x.e->u.f), x.at, 0);
    if (x.e && !sb_dtype_widens((sb_dtype)x.e->type, t))
        sb_parse_error_at(p, x.at, "this is %s where %s is wanted",
                          sb_dtype_name((sb_dtype)x.e->type), sb_dtype_name(t));
    return sb_parse_ok(p) ? x.e : NULL;
}

sb_status
sb_expr_parse(const sb_expr **out, sb_ir *ir, const char *text, sb_dtype t, int n,
              const sb_var *const *var)
{
    sb_parser *p = sb_parse_begin(ir, text, strlen(text));
    sb_status st;

    *out = NULL;
    if (!p)
        return SB_ENOMEM;
    p->bare = true;
    if (!sb_dtype_is_int(t))
        p->real = t;
    for (int q = 0; q < n; q++)
        sb_parse_see_var(p, var[q]);
    *out = sb_parse_expr_as(p, t);
    if (sb_parse_ok(p) && p->tok.kind != SB_TOKEN_END)
        sb_parse_error(p, "expected an operator or the end of the expression");
    st = sb_parse_end(p);
    if (st != SB_OK)
        *out = NULL;
    return st;
}

int
sb_parse_index(sb_parser *p, const sb_expr *idx[SB_MAXRANK])
{
    int height;

    return parse_indices(p, idx, &height);
}
