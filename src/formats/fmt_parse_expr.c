/*
 * Expressions of format text:
 *
 *   expr   := term { ("+" | "-") term }
 *   term   := power { ("*" | "/" | "%") power }
 *   power  := factor [ "**" power ]                   constants only
 *   factor := INT | NAME | "-" factor | "(" expr ")" | "@" NAME "(" expr {"," expr} ")"
 *
 * Parameters are constants, and operations on constants are done here, so that the tree
 * holds numbers only. A product has a constant factor; divisors are positive constants.
 */
#include "formats/fmt_expr.h"
#include "formats/fmt_text.h"

#include <string.h>

static sb_status parse_sum(const sb_fmt_expr **out, sb_fmt_parser *ps);

int
sb_fmt_find_dim(const sb_fmt_parser *ps, const char *name, size_t n)
{
    for (int q = 0; q < ps->f->ndim; q++) {
        if (strlen(ps->f->dim_name[q]) == n && memcmp(ps->f->dim_name[q], name, n) == 0)
            return q;
    }
    return -1;
}

static bool
find_constant(int64_t *out, const sb_fmt_parser *ps, const char *name, size_t n)
{
    const sb_fmt *f = ps->f;

    if (ps->var && strlen(ps->var) == n && memcmp(ps->var, name, n) == 0) {
        *out = ps->var_value;
        return true;
    }
    for (int q = 0; f && q < f->nparam; q++) {
        if (strlen(f->param_name[q]) == n && memcmp(f->param_name[q], name, n) == 0) {
            *out = f->param[q];
            return true;
        }
    }
    return false;
}

static sb_status
make(const sb_fmt_expr **out, sb_fmt_parser *ps, sb_fmt_op op, int64_t value,
     const sb_fmt_expr *a, const sb_fmt_expr *b)
{
    if (++ps->nodes > SB_FMT_NODES)
        return sb_fmt_fail(ps, SB_EPARSE, ps->tok.at,
                           "the expressions have more than %d nodes", SB_FMT_NODES);
    *out = sb_fmt_expr_new(ps->ar, op, value, a, b);
    return *out ? SB_OK : SB_ENOMEM;
}

static sb_status
make_const(const sb_fmt_expr **out, sb_fmt_parser *ps, int64_t value, size_t at)
{
    if (value > SB_FMT_CONST_MAX || value < -SB_FMT_CONST_MAX)
        return sb_fmt_fail(ps, SB_EPARSE, at, "constants are at most %d",
                           SB_FMT_CONST_MAX);
    return make(out, ps, SB_FMT_CONST, value, NULL, NULL);
}

/* Operands of constants are bounded by SB_FMT_CONST_MAX, so nothing overflows. */
static sb_status
make_binary(const sb_fmt_expr **out, sb_fmt_parser *ps, sb_fmt_op op,
            const sb_fmt_expr *a, const sb_fmt_expr *b, size_t at)
{
    const bool ca = a->op == SB_FMT_CONST, cb = b->op == SB_FMT_CONST;

    if ((op == SB_FMT_DIV || op == SB_FMT_MOD) && (!cb || b->value < 1))
        return sb_fmt_fail(ps, SB_EPARSE, at, "a divisor is a positive constant");
    if (op == SB_FMT_MUL && !ca && !cb)
        return sb_fmt_fail(ps, SB_EPARSE, at, "one factor must be a constant");
    if (!ca || !cb)
        return make(out, ps, op, 0, a, b);
    switch (op) {
    case SB_FMT_ADD:
        return make_const(out, ps, a->value + b->value, at);
    case SB_FMT_SUB:
        return make_const(out, ps, a->value - b->value, at);
    case SB_FMT_MUL:
        return make_const(out, ps, a->value * b->value, at);
    case SB_FMT_DIV:
        return make_const(out, ps, sb_fmt_floor_div(a->value, b->value), at);
    default:
        return make_const(out, ps, sb_fmt_floor_mod(a->value, b->value), at);
    }
}

/* The place of a function's name among those seen; a new one is added. */
static sb_status
find_function(int *out, sb_fmt_parser *ps)
{
    const size_t at = ps->tok.at;
    const char *name;

    SB_TRY(sb_fmt_expect_name(&name, ps, "the name of an indirect function"));
    for (*out = 0; *out < ps->nfn; ++*out) {
        if (strcmp(ps->fn_name[*out], name) == 0)
            return SB_OK;
    }
    if (ps->nfn == SB_FMT_QUERIES)
        return sb_fmt_fail(ps, SB_EPARSE, at,
                           "a format has at most %d indirect functions",
                           SB_FMT_QUERIES);
    ps->fn_name[ps->nfn] = name;
    ps->fn_at[ps->nfn++] = at;
    return SB_OK;
}

static sb_status
parse_call(const sb_fmt_expr **out, sb_fmt_parser *ps)
{
    const size_t at = ps->tok.at;
    sb_fmt_expr call = {.op = SB_FMT_INDIRECT};
    sb_fmt_map args = {0};
    int fn;

    sb_fmt_next(ps);
    if (ps->direct || ps->constant)
        return sb_fmt_fail(ps, SB_EPARSE, at,
                           "an indirect function cannot be used here");
    SB_TRY(find_function(&fn, ps));
    ps->direct = true;
    SB_TRY(sb_fmt_parse_list(&args, ps, SB_FMT_DIMS));
    ps->direct = false;
    call.value = fn;
    call.narg = args.n;
    memcpy(call.arg, args.e, sizeof call.arg);
    if (++ps->nodes > SB_FMT_NODES)
        return sb_fmt_fail(ps, SB_EPARSE, at, "too many expressions");
    *out = sb_arena_copy(ps->ar, &call, sizeof call);
    return *out ? SB_OK : SB_ENOMEM;
}

static sb_status
parse_name(const sb_fmt_expr **out, sb_fmt_parser *ps)
{
    const sb_fmt_token t = ps->tok;
    const char *name = ps->src + t.at;
    const int dim = ps->constant ? -1 : sb_fmt_find_dim(ps, name, t.len);
    int64_t value;

    if (dim < 0 && !find_constant(&value, ps, name, t.len))
        return sb_fmt_fail(ps, SB_EPARSE, t.at,
                           ps->constant ? "\"%.*s\" is not a parameter"
                                        : "\"%.*s\" is no dimension or parameter",
                           t.len < SB_FMT_NAME ? (int)t.len : SB_FMT_NAME, name);
    sb_fmt_next(ps);
    return dim >= 0 ? make(out, ps, SB_FMT_DIM, dim, NULL, NULL)
                    : make_const(out, ps, value, t.at);
}

/* - factor: a negative constant, or 0 - factor. */
static sb_status
parse_minus(const sb_fmt_expr **out, sb_fmt_parser *ps,
            sb_status (*operand)(const sb_fmt_expr **, sb_fmt_parser *))
{
    const size_t at = ps->tok.at;
    const sb_fmt_expr *zero = NULL, *e;

    sb_fmt_next(ps);
    SB_TRY(operand(&e, ps));
    if (e->op == SB_FMT_CONST)
        return make_const(out, ps, -e->value, at);
    SB_TRY(make_const(&zero, ps, 0, at));
    return make(out, ps, SB_FMT_SUB, 0, zero, e);
}

static sb_status
parse_factor(const sb_fmt_expr **out, sb_fmt_parser *ps)
{
    const size_t at = ps->tok.at;
    sb_status st;

    *out = NULL;
    if (ps->depth == SB_FMT_DEPTH)
        return sb_fmt_fail(ps, SB_EPARSE, at, "nested more than %d deep", SB_FMT_DEPTH);
    ps->depth++;
    if (ps->tok.kind == SB_FMT_INT) {
        st = make_const(out, ps, ps->tok.value, at);
        if (st == SB_OK)
            sb_fmt_next(ps);
    } else if (ps->tok.kind == SB_FMT_WORD) {
        st = parse_name(out, ps);
    } else if (sb_fmt_is(ps, "@")) {
        st = parse_call(out, ps);
    } else if (sb_fmt_is(ps, "-")) {
        st = parse_minus(out, ps, parse_factor);
    } else if (sb_fmt_take(ps, "(")) {
        st = parse_sum(out, ps);
        if (st == SB_OK)
            st = sb_fmt_expect(ps, ")");
    } else {
        st = sb_fmt_expected(ps, "an expression");
    }
    ps->depth--;
    return st;
}

/* base ** exponent, of small constants. */
static sb_status
parse_power(const sb_fmt_expr **out, sb_fmt_parser *ps)
{
    const sb_fmt_expr *e;
    int64_t value = 1;
    size_t at;

    SB_TRY(parse_factor(out, ps));
    at = ps->tok.at;
    if (!sb_fmt_take(ps, "**"))
        return SB_OK;
    SB_TRY(parse_factor(&e, ps));
    if ((*out)->op != SB_FMT_CONST || e->op != SB_FMT_CONST)
        return sb_fmt_fail(ps, SB_EPARSE, at, "powers are for constants");
    if (e->value < 0 || e->value > 30)
        return sb_fmt_fail(ps, SB_EPARSE, at, "exponents are 0 to 30");
    for (int64_t q = 0; q < e->value; q++) {
        value *= (*out)->value;
        if (value > SB_FMT_CONST_MAX || value < -SB_FMT_CONST_MAX)
            break;
    }
    return make_const(out, ps, value, at);
}

static sb_status
parse_product(const sb_fmt_expr **out, sb_fmt_parser *ps)
{
    SB_TRY(parse_power(out, ps));
    for (;;) {
        const size_t at = ps->tok.at;
        const sb_fmt_expr *b;
        sb_fmt_op op;

        if (sb_fmt_take(ps, "*"))
            op = SB_FMT_MUL;
        else if (sb_fmt_take(ps, "/"))
            op = SB_FMT_DIV;
        else if (sb_fmt_take(ps, "%"))
            op = SB_FMT_MOD;
        else
            return SB_OK;
        SB_TRY(parse_power(&b, ps));
        SB_TRY(make_binary(out, ps, op, *out, b, at));
    }
}

static sb_status
parse_sum(const sb_fmt_expr **out, sb_fmt_parser *ps)
{
    SB_TRY(parse_product(out, ps));
    for (;;) {
        const size_t at = ps->tok.at;
        const sb_fmt_expr *b;
        sb_fmt_op op;

        if (sb_fmt_take(ps, "+"))
            op = SB_FMT_ADD;
        else if (sb_fmt_is(ps, "-"))
            op = SB_FMT_SUB, sb_fmt_next(ps);
        else
            return SB_OK;
        SB_TRY(parse_product(&b, ps));
        SB_TRY(make_binary(out, ps, op, *out, b, at));
    }
}

sb_status
sb_fmt_parse_expr(const sb_fmt_expr **out, sb_fmt_parser *ps)
{
    return parse_sum(out, ps);
}

sb_status
sb_fmt_parse_const(int64_t *out, sb_fmt_parser *ps, int64_t lo)
{
    const size_t at = ps->tok.at;
    const bool outer = ps->constant;
    const sb_fmt_expr *e = NULL;
    sb_status st;

    *out = 0;
    ps->constant = true;
    st = parse_sum(&e, ps);
    ps->constant = outer;
    SB_TRY(st);
    if (e->value < lo)
        return sb_fmt_fail(ps, SB_EPARSE, at, "this number is at least %lld",
                           (long long)lo);
    *out = e->value;
    return SB_OK;
}

sb_status
sb_fmt_parse_list(sb_fmt_map *out, sb_fmt_parser *ps, int max)
{
    out->n = 0;
    SB_TRY(sb_fmt_expect(ps, "("));
    do {
        if (out->n == max)
            return sb_fmt_fail(ps, SB_EPARSE, ps->tok.at, "at most %d expressions here",
                               max);
        SB_TRY(parse_sum(&out->e[out->n], ps));
        out->n++;
    } while (sb_fmt_take(ps, ","));
    return sb_fmt_expect(ps, ")");
}
