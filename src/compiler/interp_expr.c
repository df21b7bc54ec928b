/*
 * Values of expressions. Integers are exact and an overflow, a division by less than
 * one or a conversion that does not fit is an error; reals are computed in double and
 * rounded to the node's type, which for one operation equals rounding once.
 */
#include "compiler/interp.h"

#include <math.h>
#include <string.h>

static const sb_num zero = {0, 0.0, 0.0};

/* ---- memory -------------------------------------------------------------------------- */

sb_num
sb_num_load(const sb_storage *s, int64_t at)
{
    sb_num v = zero;
    sb_value x;

    switch (s->buf->type) {
    case SB_BOOL:
        v.i = ((const uint8_t *)s->data)[at] != 0;
        break;
    case SB_I8:
        v.i = ((const int8_t *)s->data)[at];
        break;
    case SB_I16:
        v.i = ((const int16_t *)s->data)[at];
        break;
    case SB_I32:
        v.i = ((const int32_t *)s->data)[at];
        break;
    case SB_I64:
        v.i = ((const int64_t *)s->data)[at];
        break;
    default:
        x = sb_value_load(s->buf->type, s->data, at);
        v.re = x.re;
        v.im = x.im;
        break;
    }
    return v;
}

void
sb_num_store(const sb_storage *s, int64_t at, sb_num v)
{
    const sb_value x = {v.re, v.im};

    switch (s->buf->type) {
    case SB_BOOL:
        ((uint8_t *)s->data)[at] = (uint8_t)v.i;
        break;
    case SB_I8:
        ((int8_t *)s->data)[at] = (int8_t)v.i;
        break;
    case SB_I16:
        ((int16_t *)s->data)[at] = (int16_t)v.i;
        break;
    case SB_I32:
        ((int32_t *)s->data)[at] = (int32_t)v.i;
        break;
    case SB_I64:
        ((int64_t *)s->data)[at] = v.i;
        break;
    default:
        sb_value_store(s->buf->type, s->data, at, x);
        break;
    }
}

/* ---- rounding ------------------------------------------------------------------------ */

/* A real number as the type holds it, rounded once: not by way of f32, which would
 * round a number close to a tie of f16 or bf16 twice. */
static double
round_real(sb_dtype t, double x)
{
    const sb_value wide = {x, 0.0};
    uint16_t half;

    switch (t) {
    case SB_F16:
    case SB_BF16:
        sb_value_store(t, &half, 0, wide);
        return sb_value_load(t, &half, 0).re;
    case SB_C16:
    case SB_CBF16:
        return round_real(t == SB_C16 ? SB_F16 : SB_BF16, x);
    case SB_F32:
    case SB_C32:
        return (double)(float)x;
    default:
        return x;
    }
}

static sb_num
number(sb_dtype t, double re, double im)
{
    const sb_num v = {0, round_real(t, re), round_real(t, im)};

    return v;
}

static sb_num
integer(sb_machine *m, sb_dtype t, int64_t i)
{
    const bool fits = t == SB_I8    ? i >= INT8_MIN && i <= INT8_MAX
                      : t == SB_I16 ? i >= INT16_MIN && i <= INT16_MAX
                      : t == SB_I32 ? i >= INT32_MIN && i <= INT32_MAX
                                    : true;
    const sb_num v = {i, 0.0, 0.0};

    if (!fits) {
        sb_machine_fail(m, SB_EINVAL, "%lld does not fit %s", (long long)i,
                        sb_dtype_name(t));
        return zero;
    }
    return v;
}

static sb_num
boolean(bool b)
{
    const sb_num v = {b, 0.0, 0.0};

    return v;
}

sb_num
sb_machine_cast(sb_machine *m, sb_num x, sb_dtype from, sb_dtype to)
{
    if (sb_dtype_is_int(from) && sb_dtype_is_int(to))
        return integer(m, to, x.i);
    if (sb_dtype_is_int(from)) /* f32 not through double: i64 has more bits */
        return number(
            to, to == SB_F32 || to == SB_C32 ? (double)(float)x.i : (double)x.i, 0.0);
    if (!sb_dtype_is_int(to))
        return number(to, x.re, sb_dtype_is_complex(to) ? x.im : 0.0);
    if (!(x.re >= -9223372036854775808.0 && x.re < 9223372036854775808.0)) {
        sb_machine_fail(m, SB_EINVAL, "%g does not fit %s", x.re, sb_dtype_name(to));
        return zero;
    }
    return integer(m, to, (int64_t)x.re);
}

/* ---- arithmetic ---------------------------------------------------------------------- */

int64_t
sb_machine_add(sb_machine *m, int64_t a, int64_t b)
{
    int64_t r = 0;

    if (!__builtin_add_overflow(a, b, &r))
        return r;
    sb_machine_fail(m, SB_EINVAL, "%lld + %lld overflows", (long long)a, (long long)b);
    return 0;
}

int64_t
sb_machine_mul(sb_machine *m, int64_t a, int64_t b)
{
    int64_t r = 0;

    if (!__builtin_mul_overflow(a, b, &r))
        return r;
    sb_machine_fail(m, SB_EINVAL, "%lld * %lld overflows", (long long)a, (long long)b);
    return 0;
}

static int64_t
combine_int(sb_machine *m, sb_expr_kind k, int64_t a, int64_t b)
{
    int64_t r = 0;

    switch (k) {
    case SB_EXPR_ADD:
        return sb_machine_add(m, a, b);
    case SB_EXPR_MUL:
        return sb_machine_mul(m, a, b);
    case SB_EXPR_SUB:
        if (__builtin_sub_overflow(a, b, &r))
            sb_machine_fail(m, SB_EINVAL, "%lld - %lld overflows", (long long)a,
                            (long long)b);
        return r;
    case SB_EXPR_MIN:
        return a < b ? a : b;
    case SB_EXPR_MAX:
        return a > b ? a : b;
    case SB_EXPR_ONES:
        if (b < 0 || b > 63)
            sb_machine_fail(m, SB_EINVAL, "ones(.., %lld): there is no such bit",
                            (long long)b);
        return __builtin_popcountll((uint64_t)a & ((UINT64_C(1) << (b & 63)) - 1));
    default:
        break;
    }
    if (b <= 0) {
        sb_machine_fail(m, SB_EINVAL, "%lld is divided by %lld", (long long)a,
                        (long long)b);
        return 0;
    }
    r = a / b - (a % b < 0);
    return k == SB_EXPR_DIV ? r : a - r * b;
}

static double
combine_real(sb_expr_kind k, double a, double b)
{
    switch (k) {
    case SB_EXPR_ADD:
        return a + b;
    case SB_EXPR_SUB:
        return a - b;
    case SB_EXPR_MUL:
        return a * b;
    case SB_EXPR_DIV:
        return a / b;
    case SB_EXPR_MIN:
        return a < b ? a : b;
    default:
        return a > b ? a : b;
    }
}

static sb_num
combine_complex(sb_expr_kind k, sb_dtype t, sb_num a, sb_num b)
{
    double norm, re, im;

    switch (k) {
    case SB_EXPR_ADD:
        return number(t, a.re + b.re, a.im + b.im);
    case SB_EXPR_SUB:
        return number(t, a.re - b.re, a.im - b.im);
    case SB_EXPR_MUL:
        return number(t, round_real(t, a.re * b.re) - round_real(t, a.im * b.im),
                      round_real(t, a.re * b.im) + round_real(t, a.im * b.re));
    default:
        norm = b.re * b.re + b.im * b.im;
        re = (a.re * b.re + a.im * b.im) / norm;
        im = (a.im * b.re - a.re * b.im) / norm;
        return number(t, re, im);
    }
}

sb_num
sb_machine_combine(sb_machine *m, sb_expr_kind k, sb_dtype t, sb_num a, sb_num b)
{
    if (sb_dtype_is_int(t))
        return integer(m, t, combine_int(m, k, a.i, b.i));
    if (sb_dtype_is_complex(t))
        return combine_complex(k, t, a, b);
    return number(t, combine_real(k, a.re, b.re), 0.0);
}

static bool
compare(sb_expr_kind k, sb_dtype t, sb_num a, sb_num b)
{
    const bool whole = sb_dtype_is_int(t) || t == SB_BOOL;

    switch (k) {
    case SB_EXPR_LT:
        return whole ? a.i < b.i : a.re < b.re;
    case SB_EXPR_LE:
        return whole ? a.i <= b.i : a.re <= b.re;
    case SB_EXPR_GT:
        return whole ? a.i > b.i : a.re > b.re;
    case SB_EXPR_GE:
        return whole ? a.i >= b.i : a.re >= b.re;
    case SB_EXPR_EQ:
        return whole ? a.i == b.i : a.re == b.re && a.im == b.im;
    default:
        return whole ? a.i != b.i : a.re != b.re || a.im != b.im;
    }
}

/* ---- nodes --------------------------------------------------------------------------- */

static sb_num
eval_var(const sb_machine *m, const sb_expr *e)
{
    int q = m->nvar - 1;

    while (q > 0 && m->var[q].var != e->u.var)
        q--;
    return m->var[q].value; /* the verifier saw the declaration */
}

static sb_num
eval_load(sb_machine *m, const sb_expr *e)
{
    const sb_storage *s = sb_machine_storage(m, e->u.buf);
    const int64_t at = sb_machine_place(m, s, e->nargs, e->arg);

    return at < 0 ? zero : sb_num_load(s, at);
}

static sb_num
eval_find(sb_machine *m, const sb_expr *e)
{
    const int64_t lo = sb_machine_int(m, e->arg[0]), hi = sb_machine_int(m, e->arg[1]);
    const int64_t x = sb_machine_int(m, e->arg[2]);
    sb_num r = {-1, 0.0, 0.0};

    for (int64_t p = lo; p < hi && sb_machine_ok(m); p++) {
        if (sb_machine_entry(m, e->u.buf, p) == x) {
            r.i = p;
            return r;
        }
    }
    return r;
}

static sb_num
eval_seek(sb_machine *m, const sb_expr *e)
{
    const int64_t lo = sb_machine_int(m, e->arg[0]), hi = sb_machine_int(m, e->arg[1]);
    const int64_t x = sb_machine_int(m, e->arg[2]);
    sb_num r = {lo, 0.0, 0.0};

    while (r.i < hi && sb_machine_ok(m) &&
           sb_machine_entry(m, e->u.buf, r.i) + (e->kind == SB_EXPR_REACH ? r.i : 0) <
               x)
        r.i++;
    r.i = r.i > hi ? hi : r.i;
    return r;
}

static sb_num
eval_unary(sb_machine *m, const sb_expr *e)
{
    const sb_dtype t = (sb_dtype)e->type;
    const sb_num x = sb_machine_eval(m, e->arg[0]);

    switch ((sb_expr_kind)e->kind) {
    case SB_EXPR_NOT:
        return boolean(!x.i);
    case SB_EXPR_CAST:
        return sb_machine_cast(m, x, (sb_dtype)e->arg[0]->type, t);
    case SB_EXPR_CONJ:
        if (!sb_dtype_is_complex(t))
            return x;
        return number(t, x.re, -x.im);
    default:
        break;
    }
    if (sb_dtype_is_int(t))
        return integer(m, t, combine_int(m, SB_EXPR_SUB, 0, x.i));
    return number(t, -x.re, sb_dtype_is_complex(t) ? -x.im : 0.0);
}

static sb_num
eval_binary(sb_machine *m, const sb_expr *e)
{
    const sb_num a = sb_machine_eval(m, e->arg[0]), b = sb_machine_eval(m, e->arg[1]);
    const sb_expr_kind k = (sb_expr_kind)e->kind;

    if (!sb_machine_ok(m))
        return zero;
    if (k == SB_EXPR_AND)
        return boolean(a.i && b.i);
    if (k == SB_EXPR_OR)
        return boolean(a.i || b.i);
    if (e->type == SB_BOOL)
        return boolean(compare(k, (sb_dtype)e->arg[0]->type, a, b));
    return sb_machine_combine(m, k, (sb_dtype)e->type, a, b);
}

static sb_num
eval_literal(const sb_expr *e)
{
    const sb_num whole = {e->u.i, 0.0, 0.0};

    return e->kind == SB_EXPR_INT ? whole : number((sb_dtype)e->type, e->u.f, 0.0);
}

sb_num
sb_machine_eval(sb_machine *m, const sb_expr *e)
{
    if (!sb_machine_ok(m))
        return zero;
    switch ((sb_expr_kind)e->kind) {
    case SB_EXPR_INT:
    case SB_EXPR_FLOAT:
        return eval_literal(e);
    case SB_EXPR_VAR:
        return eval_var(m, e);
    case SB_EXPR_LOAD:
        return eval_load(m, e);
    case SB_EXPR_FIND:
        return eval_find(m, e);
    case SB_EXPR_SEEK:
    case SB_EXPR_REACH:
        return eval_seek(m, e);
    case SB_EXPR_SELECT:
        return sb_machine_eval(m,
                               sb_machine_eval(m, e->arg[0]).i ? e->arg[1] : e->arg[2]);
    default:
        return e->nargs == 1 ? eval_unary(m, e) : eval_binary(m, e);
    }
}

int64_t
sb_machine_int(sb_machine *m, const sb_expr *e)
{
    return e ? sb_machine_eval(m, e).i : 0;
}
