/*
 * Scalar expressions as C. Precedences of the IR are C's, so parentheses go where the
 * printer of the IR puts them, and around && inside ||. An operand of type i32 in an
 * i64 operation is widened before it.
 */
#include "compiler/emit_simt.h"

#include <math.h>
#include <string.h>

const char *
sb_emit_ctype(sb_dtype t)
{
    switch (t) {
    case SB_BOOL:
        return "int";
    case SB_I8:
        return "int8_t";
    case SB_I16:
        return "int16_t";
    case SB_I32:
        return "int32_t";
    case SB_I64:
        return "int64_t";
    case SB_F16:
        return "sbk_f16";
    case SB_BF16:
        return "sbk_bf16";
    case SB_F32:
        return "float";
    case SB_F64:
        return "double";
    case SB_C16:
        return "sbk_c16";
    case SB_CBF16:
        return "sbk_cbf16";
    case SB_C32:
        return "sbk_c32";
    case SB_C64:
        return "sbk_c64";
    case SB_DTYPE_COUNT:
        break;
    }
    return "?";
}

/* IR names are C names except for these, which get an underscore; no name of the
 * emitter's own ends in a single one otherwise. */
static bool
reserved(const char *s)
{
    static const char *const words[] = {
        "auto",     "break",     "case",      "char",     "const",    "continue",
        "default",  "do",        "double",    "else",     "enum",     "extern",
        "float",    "for",       "goto",      "if",       "inline",   "int",
        "long",     "register",  "restrict",  "return",   "short",    "signed",
        "sizeof",   "static",    "struct",    "switch",   "typedef",  "union",
        "unsigned", "void",      "volatile",  "while",    "asm",      "typeof",
        "linux",    "unix",      "buf",       "param",    "t0",       "t1",
        "int8_t",   "int16_t",   "int32_t",   "int64_t",  "main",     "sb_kparam",
        "args",     "class",     "new",       "delete",   "this",     "template",
        "operator", "private",   "public",    "try",      "catch",    "throw",
        "virtual",  "protected", "namespace", "using",    "true",     "false",
        "bool",     "friend",    "explicit",  "export",   "typename", "mutable",
        "and",      "or",        "not",       "xor",      "compl",    "threadIdx",
        "blockIdx", "blockDim",  "gridDim",   "warpSize", "noexcept", "decltype",
        "nullptr"};

    for (size_t q = 0; q < sizeof words / sizeof words[0]; q++)
        if (strcmp(s, words[q]) == 0)
            return true;
    return strncmp(s, "sbk_", 4) == 0 || strncmp(s, "SBK_", 4) == 0 ||
           strncmp(s, "sbg_", 4) == 0 || strncmp(s, "SBG_", 4) == 0 || s[0] == '_' ||
           (s[0] != '\0' && s[strlen(s) - 1] == '_');
}

static void
name_text(sb_emit *cx, const char *name)
{
    for (const char *s = name; *s; s++)
        sb_strbuf_putc(cx->out, *s == '.' ? '_' : *s);
    if (reserved(name))
        sb_strbuf_puts(cx->out, "_");
}

void
sb_emit_buf(sb_emit *cx, const sb_buf *b)
{
    name_text(cx, b->name);
}

/* A scalar may have a buffer's name in the IR, not in C. */
void
sb_emit_var(sb_emit *cx, const sb_var *v)
{
    bool clash = false;

    for (int q = 0; q < cx->prog->nbuf; q++)
        clash |= strcmp(cx->prog->buf[q]->name, v->name) == 0;
    for (int q = 0; q < cx->nlocal; q++)
        clash |= strcmp(cx->local[q].buf->name, v->name) == 0;
    if (cx->tiled && (strcmp(v->name, "t0") == 0 || strcmp(v->name, "t1") == 0))
        sb_strbuf_puts(cx->out, v->name);
    else
        name_text(cx, v->name);
    if (clash)
        sb_strbuf_puts(cx->out, "_v_");
}

static void
literal_float(sb_emit *cx, sb_dtype t, double v)
{
    if (isnan(v))
        sb_strbuf_puts(cx->out, "__builtin_nan(\"\")");
    else if (isinf(v))
        sb_strbuf_puts(cx->out, v > 0 ? "__builtin_inf()" : "(-__builtin_inf())");
    else
        sb_strbuf_f64(cx->out, v);
    if (t == SB_F32 && !isnan(v) && !isinf(v))
        sb_strbuf_puts(cx->out, "f");
}

static void
literal(sb_emit *cx, const sb_expr *e)
{
    const sb_dtype t = (sb_dtype)e->type;

    if (e->kind == SB_EXPR_INT) {
        if (e->u.i == INT64_MIN)
            sb_strbuf_puts(cx->out, "INT64_MIN");
        else
            sb_strbuf_i64(cx->out, e->u.i);
        if (e->u.i != INT64_MIN && (e->u.i > INT32_MAX || e->u.i < -INT32_MAX))
            sb_strbuf_puts(cx->out, "ll");
    } else if (sb_dtype_is_half(t)) {
        sb_strbuf_printf(cx->out,
                         sb_dtype_is_complex(t) ? "sbk_cvt_c64_%s(sbk_mk_c64("
                                                : "sbk_cvt_f64_%s(",
                         sb_dtype_name(t));
        literal_float(cx, SB_F64, e->u.f);
        sb_strbuf_puts(cx->out, sb_dtype_is_complex(t) ? ", 0))" : ")");
    } else if (sb_dtype_is_complex(t)) {
        sb_strbuf_printf(cx->out, "sbk_mk_%s(", sb_dtype_name(t));
        literal_float(cx, t == SB_C32 ? SB_F32 : SB_F64, e->u.f);
        sb_strbuf_puts(cx->out, ", 0)");
    } else {
        literal_float(cx, t, e->u.f);
    }
}

void
sb_emit_element(sb_emit *cx, const sb_buf *b, const sb_expr *idx)
{
    const sb_emit_local *l = sb_emit_find_local(cx, b);

    if (cx->simt && l && l->vector) {
        sb_simt_element(cx, l, idx);
        return;
    }
    if (!l || !l->vector) {
        sb_emit_buf(cx, b);
        sb_strbuf_puts(cx->out, "[");
        sb_emit_expr(cx, idx, 0);
        sb_strbuf_puts(cx->out, "]");
        return;
    }
    if (sb_dtype_is_complex((sb_dtype)b->type)) {
        sb_strbuf_printf(cx->out, "SBK_V(get_%s, ", sb_dtype_name((sb_dtype)b->type));
        sb_emit_lanes(cx, l->cls);
        sb_strbuf_puts(cx->out, ")(");
    }
    sb_emit_buf(cx, b);
    sb_strbuf_puts(cx->out, "[");
    sb_emit_expr(cx, idx, 8);
    sb_strbuf_puts(cx->out, " / ");
    sb_emit_lanes(cx, l->cls);
    sb_strbuf_puts(cx->out, sb_dtype_is_complex((sb_dtype)b->type) ? "], " : "][");
    sb_emit_expr(cx, idx, 8);
    sb_strbuf_puts(cx->out, " % ");
    sb_emit_lanes(cx, l->cls);
    sb_strbuf_puts(cx->out, sb_dtype_is_complex((sb_dtype)b->type) ? ")" : "]");
}

/* An operand of an operation of type t. */
static void
operand(sb_emit *cx, const sb_expr *e, sb_dtype t, int prec)
{
    if (t == SB_I64 && e->type != SB_I64 && e->type != SB_BOOL) {
        sb_strbuf_puts(cx->out, "(int64_t)");
        prec = 9;
    }
    sb_emit_expr(cx, e, prec);
}

static void
call(sb_emit *cx, const char *fn, const sb_expr *e)
{
    sb_strbuf_printf(cx->out, "sbk_%s_%s(", fn, sb_dtype_name((sb_dtype)e->type));
    for (int q = 0; q < e->nargs; q++) {
        if (q)
            sb_strbuf_puts(cx->out, ", ");
        operand(cx, e->arg[q], (sb_dtype)e->type, 0);
    }
    sb_strbuf_puts(cx->out, ")");
}

/* Integer quotient or remainder, rounding down: shifts and masks do that for powers of
 * two. */
static void
divide(sb_emit *cx, const sb_expr *e)
{
    const bool div = e->kind == SB_EXPR_DIV;
    const sb_expr *by = e->arg[1];
    int shift = 0;

    if (by->kind == SB_EXPR_INT && by->u.i > 0 && (by->u.i & (by->u.i - 1)) == 0) {
        while (INT64_C(1) << shift < by->u.i)
            shift++;
        sb_strbuf_puts(cx->out, "(");
        operand(cx, e->arg[0], (sb_dtype)e->type, 9);
        sb_strbuf_puts(cx->out, div ? " >> " : " & ");
        sb_strbuf_i64(cx->out, div ? shift : by->u.i - 1);
        sb_strbuf_puts(cx->out, ")");
        return;
    }
    if (e->type != SB_I64)
        sb_strbuf_printf(cx->out, "(%s)", sb_emit_ctype((sb_dtype)e->type));
    sb_strbuf_puts(cx->out, div ? "sbk_div_i64(" : "sbk_mod_i64(");
    sb_emit_expr(cx, e->arg[0], 0);
    sb_strbuf_puts(cx->out, ", ");
    sb_emit_expr(cx, by, 0);
    sb_strbuf_puts(cx->out, ")");
}

static bool
is_lane_var(const sb_emit *cx, const sb_expr *e)
{
    return cx->cur && e->kind == SB_EXPR_VAR && e->u.var == cx->cur->st->u.loop.var;
}

/* Two counts would take as many instructions as the sums it guards. */
static void
test_bit(sb_emit *cx, const sb_expr *below)
{
    sb_strbuf_puts(cx->out, "(");
    operand(cx, below->arg[0], SB_I64, 9);
    sb_strbuf_puts(cx->out, " >> ");
    sb_emit_expr(cx, below->arg[1], 7);
    sb_strbuf_puts(cx->out, " & 1)");
}

static void
infix(sb_emit *cx, const sb_expr *e, int prec)
{
    const char *text = sb_expr_kind_text((sb_expr_kind)e->kind);
    const int own = sb_expr_kind_prec((sb_expr_kind)e->kind);
    const sb_expr *a = e->arg[0], *b = e->arg[1];
    sb_dtype t = (sb_dtype)e->type;

    if (sb_emit_tested(e) && !cx->simt) {
        test_bit(cx, sb_emit_tested(e));
        return;
    }
    if (t == SB_BOOL) /* compare in the wider type */
        t = a->type == SB_I64 || b->type == SB_I64 ? SB_I64 : (sb_dtype)a->type;
    if (cx->at_zero && e->kind == SB_EXPR_ADD &&
        (is_lane_var(cx, a) || is_lane_var(cx, b))) {
        operand(cx, is_lane_var(cx, a) ? b : a, t, prec);
        return;
    }
    if (own < prec)
        sb_strbuf_puts(cx->out, "(");
    operand(cx, a, t, e->kind == SB_EXPR_OR ? 4 : own);
    sb_strbuf_printf(cx->out, " %s ", text);
    operand(cx, b, t, e->kind == SB_EXPR_OR ? 4 : own + 1);
    if (own < prec)
        sb_strbuf_puts(cx->out, ")");
}

static void
complex_op(sb_emit *cx, const sb_expr *e)
{
    switch ((sb_expr_kind)e->kind) {
    case SB_EXPR_NEG:
        call(cx, "neg", e);
        break;
    case SB_EXPR_ADD:
        call(cx, "add", e);
        break;
    case SB_EXPR_SUB:
        call(cx, "sub", e);
        break;
    case SB_EXPR_MUL:
        call(cx, "mul", e);
        break;
    case SB_EXPR_DIV:
        call(cx, "div", e);
        break;
    case SB_EXPR_CONJ:
        call(cx, "conj", e);
        break;
    default:
        sb_emit_fail(cx, "an operator that complex numbers do not have");
    }
}

/* Equality of complex numbers. */
static void
complex_eq(sb_emit *cx, const sb_expr *e)
{
    sb_strbuf_printf(cx->out, e->kind == SB_EXPR_NE ? "!sbk_eq_%s(" : "sbk_eq_%s(",
                     sb_dtype_name((sb_dtype)e->arg[0]->type));
    sb_emit_expr(cx, e->arg[0], 0);
    sb_strbuf_puts(cx->out, ", ");
    sb_emit_expr(cx, e->arg[1], 0);
    sb_strbuf_puts(cx->out, ")");
}

/* The operand in the type its values are computed in. */
static void
cast_operand(sb_emit *cx, const sb_expr *x)
{
    const sb_dtype from = (sb_dtype)x->type;
    const bool half = sb_dtype_is_half(from);

    if (half)
        sb_strbuf_printf(cx->out, "sbk_cvt_%s_%s(", sb_dtype_name(from),
                         sb_dtype_name(sb_dtype_sum(from)));
    sb_emit_expr(cx, x, half ? 0 : 9);
    if (half)
        sb_strbuf_puts(cx->out, ")");
}

/* Real value of the operand as an expression of C arithmetic type. */
static void
cast_real_operand(sb_emit *cx, const sb_expr *x)
{
    cast_operand(cx, x);
    if (sb_dtype_is_complex((sb_dtype)x->type))
        sb_strbuf_puts(cx->out, ".re");
}

/* From any type but `to`; a pair of 16-bit floats from c32, exactly, or from c64. */
static void
cast_to_complex(sb_emit *cx, const sb_expr *x, sb_dtype to)
{
    const sb_dtype from = sb_dtype_sum((sb_dtype)x->type);
    const bool pair = sb_dtype_is_complex(from);
    const sb_dtype made = pair ? from : sb_dtype_is_half(to) ? SB_C64 : to;

    if (made != to)
        sb_strbuf_printf(cx->out, "sbk_cvt_%s_%s(", sb_dtype_name(made),
                         sb_dtype_name(to));
    if (!pair)
        sb_strbuf_printf(cx->out, "sbk_mk_%s((%s)", sb_dtype_name(made),
                         made == SB_C32 ? "float" : "double");
    cast_operand(cx, x);
    if (!pair)
        sb_strbuf_puts(cx->out, ", 0)");
    if (made != to)
        sb_strbuf_puts(cx->out, ")");
}

static void
cast(sb_emit *cx, const sb_expr *e)
{
    const sb_expr *x = e->arg[0];
    const sb_dtype to = (sb_dtype)e->type, from = (sb_dtype)x->type;

    if (to == from) {
        sb_emit_expr(cx, x, 9);
    } else if (sb_dtype_is_complex(to)) {
        cast_to_complex(cx, x, to);
    } else if (sb_dtype_is_half(to)) {
        sb_strbuf_printf(cx->out, "sbk_cvt_%s_%s(", from == SB_F32 ? "f32" : "f64",
                         sb_dtype_name(to));
        cast_real_operand(cx, x);
        sb_strbuf_puts(cx->out, ")");
    } else {
        sb_strbuf_printf(cx->out, "(%s)", sb_emit_ctype(to));
        cast_real_operand(cx, x);
    }
}

static void
search(sb_emit *cx, const sb_expr *e)
{
    sb_strbuf_printf(cx->out, "sbk_%s_%s(", sb_expr_kind_text((sb_expr_kind)e->kind),
                     sb_dtype_name((sb_dtype)e->u.buf->type));
    sb_emit_buf(cx, e->u.buf);
    for (int q = 0; q < 3; q++) {
        sb_strbuf_puts(cx->out, ", ");
        sb_emit_expr(cx, e->arg[q], 0);
    }
    sb_strbuf_puts(cx->out, ")");
}

static void
select_op(sb_emit *cx, const sb_expr *e)
{
    sb_strbuf_puts(cx->out, "(");
    sb_emit_expr(cx, e->arg[0], 2);
    sb_strbuf_puts(cx->out, " ? ");
    operand(cx, e->arg[1], (sb_dtype)e->type, 2);
    sb_strbuf_puts(cx->out, " : ");
    operand(cx, e->arg[2], (sb_dtype)e->type, 2);
    sb_strbuf_puts(cx->out, ")");
}

static void
prefix(sb_emit *cx, const sb_expr *e, const char *op, int prec)
{
    sb_strbuf_puts(cx->out, prec > 8 ? "(" : "");
    sb_strbuf_puts(cx->out, op);
    operand(cx, e->arg[0], (sb_dtype)e->type, 9);
    sb_strbuf_puts(cx->out, prec > 8 ? ")" : "");
}

static void
arithmetic(sb_emit *cx, const sb_expr *e, int prec)
{
    if (sb_dtype_is_complex((sb_dtype)e->type))
        complex_op(cx, e);
    else if (e->kind == SB_EXPR_NEG)
        prefix(cx, e, "-", prec);
    else if (e->kind == SB_EXPR_CONJ)
        sb_emit_expr(cx, e->arg[0], prec);
    else if (e->kind == SB_EXPR_MOD ||
             (e->kind == SB_EXPR_DIV && sb_dtype_is_int((sb_dtype)e->type)))
        divide(cx, e);
    else
        infix(cx, e, prec);
}

void
sb_emit_expr(sb_emit *cx, const sb_expr *e, int prec)
{
    switch ((sb_expr_kind)e->kind) {
    case SB_EXPR_INT:
    case SB_EXPR_FLOAT:
        if (prec > 6 && (e->kind == SB_EXPR_INT ? e->u.i < 0 : signbit(e->u.f))) {
            sb_strbuf_puts(cx->out, "(");
            literal(cx, e);
            sb_strbuf_puts(cx->out, ")");
        } else {
            literal(cx, e);
        }
        break;
    case SB_EXPR_VAR:
        if (cx->at_zero && is_lane_var(cx, e))
            sb_strbuf_puts(cx->out, "0");
        else
            sb_emit_var(cx, e->u.var);
        break;
    case SB_EXPR_LOAD:
        if (e->nargs != 1)
            sb_emit_fail(cx, "a load with several indices: buffers must be flat");
        else if (!cx->simt || !sb_simt_loaded(cx, e))
            sb_emit_element(cx, e->u.buf, e->arg[0]);
        break;
    case SB_EXPR_NOT:
        prefix(cx, e, "!", prec);
        break;
    case SB_EXPR_NEG:
    case SB_EXPR_MUL:
    case SB_EXPR_DIV:
    case SB_EXPR_MOD:
    case SB_EXPR_ADD:
    case SB_EXPR_SUB:
    case SB_EXPR_CONJ:
        arithmetic(cx, e, prec);
        break;
    case SB_EXPR_EQ:
    case SB_EXPR_NE:
        if (sb_dtype_is_complex((sb_dtype)e->arg[0]->type)) {
            complex_eq(cx, e);
            break;
        }
        infix(cx, e, prec);
        break;
    case SB_EXPR_LT:
    case SB_EXPR_LE:
    case SB_EXPR_GT:
    case SB_EXPR_GE:
    case SB_EXPR_AND:
    case SB_EXPR_OR:
        infix(cx, e, prec);
        break;
    case SB_EXPR_MIN:
        call(cx, "min", e);
        break;
    case SB_EXPR_MAX:
        call(cx, "max", e);
        break;
    case SB_EXPR_ONES:
        sb_strbuf_puts(cx->out, "sbk_ones(");
        sb_emit_expr(cx, e->arg[0], 0);
        sb_strbuf_puts(cx->out, ", ");
        sb_emit_expr(cx, e->arg[1], 0);
        sb_strbuf_puts(cx->out, ")");
        break;
    case SB_EXPR_SELECT:
        select_op(cx, e);
        break;
    case SB_EXPR_CAST:
        cast(cx, e);
        break;
    case SB_EXPR_FIND:
    case SB_EXPR_SEEK:
    case SB_EXPR_REACH:
        search(cx, e);
        break;
    case SB_EXPR_COUNT:
        break;
    }
}
