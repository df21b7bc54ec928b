/*
 * Programs: tokens, errors, scopes and the outline `prog @f stage n { ... }`. The
 * grammar is docs/ir.md; declarations, expressions and statements have a file each.
 */
#include "compiler/parse.h"

#include "compiler/compiler.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* ---- errors -------------------------------------------------------------------------- */

static void
fail(sb_parser *p, sb_status st)
{
    p->st = st;
    p->tok.kind = SB_TOKEN_END; /* every loop over tokens ends here */
    p->tok.n = 0;
}

static void
record(sb_parser *p, size_t at, const char *fmt, va_list ap)
{
    char text[240];

    if (p->st != SB_OK)
        return;
    (void)vsnprintf(text, sizeof text, fmt, ap);
    sb_diag_at(p->diag, SB_EPARSE, p->lex.src, p->lex.len, at, "%s", text);
    fail(p, SB_EPARSE);
}

void
sb_parse_error_at(sb_parser *p, size_t at, const char *fmt, ...)
{
    va_list ap;

    va_start(ap, fmt);
    record(p, at, fmt, ap);
    va_end(ap);
}

void
sb_parse_error(sb_parser *p, const char *fmt, ...)
{
    va_list ap;

    va_start(ap, fmt);
    record(p, p->tok.at, fmt, ap);
    va_end(ap);
}

bool
sb_parse_ok(const sb_parser *p)
{
    return p->st == SB_OK;
}

/* ---- tokens -------------------------------------------------------------------------- */

void
sb_parse_advance(sb_parser *p)
{
    if (p->st != SB_OK)
        return;
    p->tok = sb_lex_next(&p->lex);
    if (p->tok.kind == SB_TOKEN_BAD)
        sb_parse_error(p, "%s", p->tok.why);
}

bool
sb_parse_is(const sb_parser *p, const char *text)
{
    return p->st == SB_OK && sb_token_is(&p->tok, text);
}

bool
sb_parse_accept(sb_parser *p, const char *text)
{
    if (!sb_parse_is(p, text))
        return false;
    sb_parse_advance(p);
    return true;
}

void
sb_parse_expect(sb_parser *p, const char *text)
{
    if (!sb_parse_accept(p, text))
        sb_parse_error(p, "expected %s", text);
}

const char *
sb_parse_name(sb_parser *p, sb_token_kind kind)
{
    static const char *const wanted[] = {[SB_TOKEN_WORD] = "a name",
                                         [SB_TOKEN_VAR] = "a variable %name",
                                         [SB_TOKEN_BUF] = "a buffer $name",
                                         [SB_TOKEN_AXIS] = "an axis #name",
                                         [SB_TOKEN_FUNC] = "a program @name"};
    const char *name;

    if (p->st != SB_OK)
        return NULL;
    if (p->tok.kind != kind) {
        sb_parse_error(p, "expected %s", wanted[kind]);
        return NULL;
    }
    name = sb_arena_strndup(p->ir->arena, p->tok.text, p->tok.n);
    if (!name) {
        fail(p, SB_ENOMEM);
        return NULL;
    }
    sb_parse_advance(p);
    return name;
}

sb_dtype
sb_parse_type(sb_parser *p)
{
    sb_dtype t = SB_DTYPE_COUNT;

    if (p->st == SB_OK && p->tok.kind == SB_TOKEN_WORD)
        t = sb_dtype_parse(p->tok.text, p->tok.n);
    if (t == SB_DTYPE_COUNT)
        sb_parse_error(p, "expected a type");
    sb_parse_advance(p);
    return t;
}

/* ---- scopes -------------------------------------------------------------------------- */

/* Is the token this name, of this kind? */
static bool
named(const sb_parser *p, sb_token_kind kind, const char *name)
{
    return p->st == SB_OK && p->tok.kind == kind && strlen(name) == p->tok.n &&
           memcmp(name, p->tok.text, p->tok.n) == 0;
}

static void
not_found(sb_parser *p, sb_token_kind kind, const char *sort)
{
    if (p->tok.kind != kind)
        sb_parse_error(p, "expected a %s", sort);
    else
        sb_parse_error(p, "no %s of this name is declared here", sort);
}

const sb_var *
sb_parse_var(sb_parser *p)
{
    const sb_token_kind kind = p->bare ? SB_TOKEN_WORD : SB_TOKEN_VAR;
    int q = p->nvar - 1;

    while (q >= 0 && !named(p, kind, p->var[q]->name))
        q--;
    if (q < 0) {
        not_found(p, kind, "variable");
        return NULL;
    }
    sb_parse_advance(p);
    return p->var[q];
}

const sb_buf *
sb_parse_buf(sb_parser *p)
{
    int q = p->nbuf - 1;

    while (q >= 0 && !named(p, SB_TOKEN_BUF, p->buf[q]->name))
        q--;
    if (q < 0) {
        not_found(p, SB_TOKEN_BUF, "buffer");
        return NULL;
    }
    sb_parse_advance(p);
    return p->buf[q];
}

const sb_axis *
sb_parse_axis(sb_parser *p)
{
    int q = p->naxis - 1;

    while (q >= 0 && !named(p, SB_TOKEN_AXIS, p->axis[q]->name))
        q--;
    if (q < 0) {
        not_found(p, SB_TOKEN_AXIS, "axis");
        return NULL;
    }
    sb_parse_advance(p);
    return p->axis[q];
}

/* A constructor gave NULL outside expressions: only memory can be the reason. */
static bool
have_node(sb_parser *p, const void *node)
{
    if (!node && p->st == SB_OK)
        fail(p, SB_ENOMEM);
    return node != NULL;
}

void
sb_parse_see_var(sb_parser *p, const sb_var *v)
{
    if (!have_node(p, v))
        return;
    if (p->nvar == SB_PARSE_VARS)
        sb_parse_error(p, "more than %d variables are visible", SB_PARSE_VARS);
    else
        p->var[p->nvar++] = v;
}

void
sb_parse_see_buf(sb_parser *p, const sb_buf *b)
{
    if (!have_node(p, b))
        return;
    if (p->nbuf == SB_PARSE_BUFS)
        sb_parse_error(p, "more than %d buffers are visible", SB_PARSE_BUFS);
    else
        p->buf[p->nbuf++] = b;
}

void
sb_parse_see_axis(sb_parser *p, const sb_axis *x)
{
    if (!have_node(p, x))
        return;
    if (p->naxis == SB_PARSE_AXES)
        sb_parse_error(p, "more than %d axes", SB_PARSE_AXES);
    else
        p->axis[p->naxis++] = x;
}

sb_scope
sb_parse_mark(const sb_parser *p)
{
    const sb_scope mark = {p->nvar, p->nbuf};

    return mark;
}

bool
sb_parse_enter(sb_parser *p)
{
    if (p->depth == SB_PARSE_DEPTH) {
        sb_parse_error(p, "nested deeper than %d levels", SB_PARSE_DEPTH);
        return false;
    }
    p->depth++;
    return p->st == SB_OK;
}

void
sb_parse_leave(sb_parser *p)
{
    p->depth--;
}

/* ---- beginning and end --------------------------------------------------------------- */

sb_parser *
sb_parse_begin(sb_ir *ir, const char *text, size_t len)
{
    sb_parser *p = sb_arena_alloc_zero(ir->arena, sizeof *p);

    if (!p) {
        ir->failed = true;
        return NULL;
    }
    p->ir = ir;
    p->diag = ir->diag;
    p->failed_before = ir->failed;
    p->real = SB_F32;
    ir->diag = &p->inner;
    sb_diag_clear(&p->inner);
    sb_lex_init(&p->lex, text, len);
    if (len > SB_PARSE_BYTES)
        sb_parse_error(p, "the text is longer than %d bytes", SB_PARSE_BYTES);
    sb_parse_advance(p);
    return p;
}

sb_status
sb_parse_end(sb_parser *p)
{
    p->ir->diag = p->diag;
    if (p->st == SB_OK && p->ir->failed)
        p->st = SB_ENOMEM;
    if (p->st == SB_EPARSE)
        p->ir->failed = p->failed_before;
    else if (p->st == SB_ENOMEM)
        p->ir->failed = true;
    return p->st;
}

/* ---- program ------------------------------------------------------------------------- */

static void
parse_assume(sb_parser *p)
{
    const sb_expr *e;

    sb_parse_advance(p);
    e = sb_parse_expr_as(p, SB_BOOL);
    if (p->nassume == SB_PARSE_ASSUMES)
        sb_parse_error(p, "more than %d assumptions", SB_PARSE_ASSUMES);
    else if (e)
        p->assume[p->nassume++] = e;
}

static int
parse_stage(sb_parser *p)
{
    int stage = 0;

    sb_parse_expect(p, "stage");
    if (p->st == SB_OK && p->tok.kind == SB_TOKEN_INT && p->tok.n == 1)
        stage = p->tok.text[0] - '0';
    if (stage < 1 || stage > 3)
        sb_parse_error(p, "the stage is 1, 2 or 3");
    sb_parse_advance(p);
    return stage;
}

static const void *
keep(sb_parser *p, int n, const void *list, size_t size)
{
    const void *copy = sb_arena_copy(p->ir->arena, list, (size_t)n * size);

    if (!copy && n > 0)
        fail(p, SB_ENOMEM);
    return copy;
}

static sb_prog *
parse_prog(sb_parser *p)
{
    sb_prog *prog = sb_arena_alloc_zero(p->ir->arena, sizeof *prog);

    if (!have_node(p, prog))
        return NULL;
    sb_parse_expect(p, "prog");
    prog->name = sb_parse_name(p, SB_TOKEN_FUNC);
    prog->stage = parse_stage(p);
    sb_parse_expect(p, "{");
    while (p->st == SB_OK) {
        if (sb_parse_is(p, "assume"))
            parse_assume(p);
        else if (!sb_parse_decl(p))
            break;
    }
    prog->nparam = p->nvar;
    prog->nbuf = p->nbuf;
    prog->naxis = p->naxis;
    prog->nassume = p->nassume;
    prog->param = keep(p, p->nvar, p->var, sizeof *p->var);
    prog->buf = keep(p, p->nbuf, p->buf, sizeof *p->buf);
    prog->axis = keep(p, p->naxis, p->axis, sizeof *p->axis);
    prog->assume = keep(p, p->nassume, p->assume, sizeof *p->assume);
    prog->body = sb_parse_rest(p, sb_parse_mark(p));
    if (p->st == SB_OK && p->tok.kind != SB_TOKEN_END)
        sb_parse_error(p, "nothing may follow the program");
    return prog;
}

sb_status
sb_prog_parse(const sb_prog **out, sb_ir *ir, const char *text, size_t len)
{
    sb_parser *p = sb_parse_begin(ir, text, len);
    const sb_prog *prog;
    sb_status st;

    *out = NULL;
    if (!p)
        return SB_ENOMEM;
    prog = parse_prog(p);
    st = sb_parse_end(p);
    if (st == SB_OK)
        *out = prog;
    return st;
}
