/*
 * From four expressions to one program. Each is parsed by itself, so it can neither leave
 * its place nor name anything but its operands; its canonical text then stands in the
 * program with the operands filled in.
 */
#include "kernels/semiring.h"

#include "base/macro.h"
#include "compiler/parse.h"
#include "compiler/print.h"
#include "kernels/ops.h"

#include <string.h>

/* The program adds some levels, and texts may be 64 deep. */
enum { TEXT_MAX = 4096, DEPTH_MAX = 24 };

typedef enum part { ADD, ZERO, MUL, EPILOGUE, PARTS } part;

static const char *const part_name[PARTS] = {"sum", "zero", "product", "epilogue"};

typedef struct maker {
    sb_ir *ir;
    const sb_spec *spec;
    bool by_position;
    const sb_var *a, *b;
    char *text[PARTS]; /* canonical, operands as %a and %b */
} maker;

/* ---- what is refused ----------------------------------------------------------------- */

/* The first thing of an expression that no operator may have; NULL: none. */
static const char *
objection(const sb_expr *e, int depth)
{
    const bool integer = sb_dtype_is_int((sb_dtype)e->type);
    const sb_expr_kind kind = (sb_expr_kind)e->kind;

    if (depth > DEPTH_MAX)
        return "it is more than 24 operators deep";
    if (kind == SB_EXPR_ONES)
        return "ones() is not for operators";
    if ((kind == SB_EXPR_DIV || kind == SB_EXPR_MOD) && integer &&
        (e->arg[1]->kind != SB_EXPR_INT || e->arg[1]->u.i <= 0))
        return "an integer is divided by something else than a positive number";
    if (kind == SB_EXPR_CAST && integer && !sb_dtype_is_int((sb_dtype)e->arg[0]->type))
        return "a real is cast to an integer, which not all have";
    for (int q = 0; q < e->nargs; q++) {
        const char *why = objection(e->arg[q], depth + 1);

        if (why)
            return why;
    }
    return NULL;
}

/* ---- expressions --------------------------------------------------------------------- */

static sb_status
refuse(const maker *mk, part q, sb_status st, const char *why)
{
    return sb_diag_set(mk->ir->diag, st, "the %s: %s", part_name[q], why);
}

static sb_status
keep(maker *mk, part q, const sb_expr *e)
{
    sb_strbuf s;
    sb_status st;

    sb_strbuf_init(&s);
    sb_expr_print(&s, e);
    st = sb_strbuf_status(&s);
    if (st == SB_OK) {
        mk->text[q] = sb_arena_strndup(mk->ir->arena, s.s, s.len);
        st = mk->text[q] ? SB_OK : SB_ENOMEM;
    }
    sb_strbuf_free(&s);
    return st;
}

static sb_status
read_part(maker *mk, part q, const char *text)
{
    const sb_var *const var[] = {mk->a, mk->b};
    sb_diag *const diag = mk->ir->diag;
    const sb_expr *e = NULL;
    sb_diag why = {SB_OK, ""};
    const char *bad;
    sb_status st;

    if (strlen(text) > TEXT_MAX)
        return refuse(mk, q, SB_EINVAL, "it is longer than 4096 bytes");
    mk->ir->diag = &why;
    st = sb_expr_parse(&e, mk->ir, text, mk->spec->compute, q == ZERO ? 0 : 2, var);
    mk->ir->diag = diag;
    if (st != SB_OK)
        return refuse(mk, q, st, st == SB_ENOMEM ? "memory is short" : why.text);
    bad = objection(e, 0);
    if (bad)
        return refuse(mk, q, SB_EINVAL, bad);
    return keep(mk, q, e);
}

/* The sum of nothing where the caller did not say. */
static sb_status
known_zero(maker *mk)
{
    static const struct {
        const char *sum[2], *integer, *real;
    } known[] = {{{"%a + %b", "%b + %a"}, "0:i32", "0.0"},
                 {{"%a * %b", "%b * %a"}, "1:i32", "1.0"},
                 {{"min(%a, %b)", "min(%b, %a)"}, "2147483647:i32", "inf"},
                 {{"max(%a, %b)", "max(%b, %a)"}, "-2147483648:i32", "-inf"}};

    for (int q = 0; q < SB_COUNT(known); q++)
        if (strcmp(mk->text[ADD], known[q].sum[0]) == 0 ||
            strcmp(mk->text[ADD], known[q].sum[1]) == 0)
            return read_part(mk, ZERO,
                             sb_dtype_is_int(mk->spec->compute) ? known[q].integer
                                                                : known[q].real);
    return refuse(mk, ADD, SB_EINVAL,
                  "its zero must be given, as it is not a known one");
}

static sb_status
read_parts(maker *mk, const sb_semiring *ring)
{
    mk->a = sb_var_new(mk->ir, "a", mk->spec->compute);
    mk->b = sb_var_new(mk->ir, "b", mk->spec->compute);
    SB_TRY(sb_ir_status(mk->ir));
    SB_TRY(read_part(mk, ADD, ring->add ? ring->add : "a + b"));
    SB_TRY(read_part(mk, MUL, ring->mul ? ring->mul : "a * b"));
    SB_TRY(read_part(mk, EPILOGUE, ring->epilogue ? ring->epilogue : "a"));
    return ring->zero ? read_part(mk, ZERO, ring->zero) : known_zero(mk);
}

/* ---- program ------------------------------------------------------------------------- */

/* The operator's text with operands, in parentheses. */
static void
put_operator(sb_strbuf *out, const char *text, const char *a, const char *b)
{
    sb_strbuf_putc(out, '(');
    for (; *text; text++) {
        if (*text == '%')
            sb_strbuf_puts(out, *++text == 'a' ? a : b);
        else
            sb_strbuf_putc(out, *text);
    }
    sb_strbuf_putc(out, ')');
}

#define LANES "32"
/* Columns of C are taken so many at a time, sums of them kept in registers. */
#define COLUMNS \
    "for %c in 0 .. min(" LANES ", %n - %c0 * " LANES ") vector(" LANES ") {\n"
#define COLUMN "%c0 * " LANES " + %c"

static void
put_head(sb_strbuf *out, const maker *mk)
{
    const char *compute = sb_dtype_name(mk->spec->compute);
    static const char *const sizes[] = {
        "m", "n", "k", "ldb", "ldc", "R_nnz", "R_values", "R_ptr_base", "R_crd_base"};

    sb_strbuf_puts(out, "prog @semiring stage 2 {\n");
    for (int q = 0; q < SB_COUNT(sizes); q++)
        sb_strbuf_printf(out, "  param %%%s : i64\n", sizes[q]);
    sb_strbuf_printf(out, "  buf $R_ptr : %s[%%m + 1] aux\n",
                     sb_dtype_name(mk->spec->ptr));
    sb_strbuf_printf(out, "  buf $R_crd : %s[%%R_nnz] aux\n",
                     sb_dtype_name(mk->spec->idx));
    if (mk->by_position)
        sb_strbuf_puts(out, "  buf $R_pos : i64[%R_nnz] aux\n");
    sb_strbuf_puts(out, "  axis #I = dense_fixed(%m)\n");
    sb_ops_operands(out, mk->spec, "%R_values");
    sb_strbuf_puts(out, "  for %i in 0 .. %m parallel {\n"
                        "  for %c0 in 0 .. (%n + 31) / " LANES " {\n");
    sb_strbuf_printf(out, "  local $acc : %s[" LANES "]\n", compute);
}

/* OPERATOR(a, b), b of type `from` in memory. */
static void
put_term(sb_strbuf *out, const maker *mk, part q, const char *a, const char *b,
         sb_dtype from, bool conj)
{
    sb_strbuf operand;

    sb_strbuf_init(&operand);
    sb_ops_operand(&operand, mk->spec, b, from, conj);
    if (operand.st == SB_OK)
        put_operator(out, mk->text[q], a, operand.s);
    else
        out->st = operand.st;
    sb_strbuf_free(&operand);
}

static void
put_products(sb_strbuf *out, const maker *mk)
{
    const sb_spec *s = mk->spec;
    sb_strbuf product;

    sb_strbuf_puts(out, "for %p in cast(i64, $R_ptr[%i]) - %R_ptr_base .. "
                        "cast(i64, $R_ptr[%i + 1]) - %R_ptr_base {\n"
                        "let %j : i64 = cast(i64, $R_crd[%p]) - %R_crd_base\n"
                        "let %x = ");
    sb_ops_operand(out, s, mk->by_position ? "$A[$R_pos[%p]]" : "$A[%p]", s->a,
                   s->a_conj);
    sb_strbuf_puts(out, "\n" COLUMNS "$acc[%c] = ");
    sb_strbuf_init(&product);
    put_term(&product, mk, MUL, "%x", "$B[%j, " COLUMN "]", s->b, s->b_conj);
    if (product.st == SB_OK)
        put_operator(out, mk->text[ADD], "$acc[%c]", product.s);
    else
        out->st = product.st;
    sb_strbuf_free(&product);
    sb_strbuf_puts(out, "\n}\n}\n");
}

static void
put_result(sb_strbuf *out, const maker *mk)
{
    const sb_spec *s = mk->spec;
    const bool cast = s->c != s->compute;

    sb_strbuf_puts(out, COLUMNS "$C[%i, " COLUMN "] = ");
    if (cast)
        sb_strbuf_printf(out, "cast(%s, ", sb_dtype_name(s->c));
    put_term(out, mk, EPILOGUE, "$acc[%c]", "$C[%i, " COLUMN "]", s->c, false);
    sb_strbuf_puts(out, cast ? ")\n}\n" : "\n}\n");
}

static void
put_program(sb_strbuf *out, const maker *mk)
{
    put_head(out, mk);
    sb_strbuf_puts(out, COLUMNS "$acc[%c] = ");
    sb_strbuf_puts(out, mk->text[ZERO]);
    sb_strbuf_puts(out, "\n}\n");
    put_products(out, mk);
    put_result(out, mk);
    sb_strbuf_puts(out, "}\n}\n}\n");
}

/* ---- lowering ------------------------------------------------------------------------ */

static sb_status
lower(const sb_prog **out, sb_ir *ir, const char *text)
{
    const sb_prog *p = NULL;

    SB_TRY(sb_prog_parse(&p, ir, text, strlen(text)));
    SB_TRY(sb_prog_verify(p, ir->diag));
    SB_TRY(sb_pass_lower_buf(&p, ir, p));
    SB_TRY(sb_pass_hoist(&p, ir, p));
    SB_TRY(sb_pass_narrow(&p, ir, p));
    return sb_pass_fuse(out, ir, "kernel", 1, &p);
}

sb_status
sb_semiring_lowered(const sb_prog **out, sb_ir *ir, const sb_spec *spec,
                    const sb_semiring *ring, bool by_position)
{
    maker mk = {.ir = ir, .spec = spec, .by_position = by_position};
    sb_strbuf text;
    sb_status st;

    *out = NULL;
    SB_TRY(read_parts(&mk, ring));
    sb_strbuf_init(&text);
    put_program(&text, &mk);
    st = sb_strbuf_status(&text);
    if (st == SB_OK)
        st = lower(out, ir, text.s);
    sb_strbuf_free(&text);
    return sb_ir_status(ir) != SB_OK ? sb_ir_status(ir) : st;
}
