/*
 * Invariants of a program: declarations, then the body (verify_body.c). Holds for text
 * that was parsed as well as for what a pass built. The first violation is reported.
 */
#include "compiler/verify.h"

#include "compiler/compiler.h"
#include "compiler/parse.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

bool
sb_verify_fail(sb_verifier *v, const char *fmt, ...)
{
    char text[320];
    va_list ap;

    if (v->st != SB_OK)
        return false;
    va_start(ap, fmt);
    (void)vsnprintf(text, sizeof text, fmt, ap);
    va_end(ap);
    v->st = sb_diag_set(v->diag, SB_EVERIFY, "@%s: %s", v->prog->name, text);
    return false;
}

/* ---- scope --------------------------------------------------------------------------- */

bool
sb_verify_see_var(sb_verifier *v, const sb_var *x)
{
    for (int q = 0; q < v->nvar; q++) {
        if (strcmp(v->var[q]->name, x->name) == 0)
            return sb_verify_fail(v, "%%%s is declared twice in one scope", x->name);
    }
    if (v->nvar == SB_VERIFY_NAMES)
        return sb_verify_fail(v, "more than %d variables are in scope", v->nvar);
    v->var[v->nvar++] = x;
    return true;
}

bool
sb_verify_see_buf(sb_verifier *v, const sb_buf *b)
{
    for (int q = 0; q < v->nbuf; q++) {
        if (strcmp(v->buf[q]->name, b->name) == 0)
            return sb_verify_fail(v, "$%s is declared twice in one scope", b->name);
    }
    if (v->nbuf == SB_VERIFY_NAMES)
        return sb_verify_fail(v, "more than %d buffers are in scope", v->nbuf);
    v->buf[v->nbuf++] = b;
    return true;
}

static bool
var_in_scope(const sb_verifier *v, const sb_var *x)
{
    int q = v->nvar;

    while (q > 0 && v->var[q - 1] != x)
        q--;
    return q > 0;
}

static bool
buf_in_scope(const sb_verifier *v, const sb_buf *b)
{
    int q = v->nbuf;

    while (q > 0 && v->buf[q - 1] != b)
        q--;
    return q > 0;
}

/* ---- expressions --------------------------------------------------------------------- */

static bool
is_index(sb_dtype t)
{
    return t == SB_I32 || t == SB_I64;
}

static bool
is_arithmetic(sb_expr_kind k)
{
    return k == SB_EXPR_NEG || k == SB_EXPR_MUL || k == SB_EXPR_DIV ||
           k == SB_EXPR_MOD || k == SB_EXPR_ADD || k == SB_EXPR_SUB ||
           k == SB_EXPR_MIN || k == SB_EXPR_MAX || k == SB_EXPR_CONJ;
}

bool
sb_verify_access(sb_verifier *v, const sb_buf *b, int n, const sb_expr *const *idx)
{
    if (!buf_in_scope(v, b))
        return sb_verify_fail(v, "$%s is used but not declared before", b->name);
    if (n != b->rank)
        return sb_verify_fail(v,
                              "$%s has %d dimensions and is accessed with %d indices",
                              b->name, b->rank, n);
    for (int q = 0; q < n; q++) {
        if (!idx[q] || !is_index((sb_dtype)idx[q]->type))
            return sb_verify_fail(v, "an index of $%s is not i32 or i64", b->name);
        if (!sb_verify_expr(v, idx[q]))
            return false;
    }
    return true;
}

static bool
verify_find(sb_verifier *v, const sb_expr *e)
{
    const sb_buf *b = e->u.buf;

    if (!buf_in_scope(v, b))
        return sb_verify_fail(v, "$%s is used but not declared before", b->name);
    if (b->rank != 1 || !is_index(b->type))
        return sb_verify_fail(v, "%s searches $%s, which is no list of integers",
                              sb_expr_kind_text((sb_expr_kind)e->kind), b->name);
    return true;
}

static bool
verify_node(sb_verifier *v, const sb_expr *e)
{
    const sb_expr_kind k = (sb_expr_kind)e->kind;

    if (k == SB_EXPR_LOAD)
        return sb_verify_access(v, e->u.buf, e->nargs, e->arg);
    if (k == SB_EXPR_VAR)
        return var_in_scope(v, e->u.var) ||
               sb_verify_fail(v, "%%%s is used but not declared before",
                              e->u.var->name);
    if (e->nargs != sb_expr_kind_arity(k))
        return sb_verify_fail(v, "%s has %d operands", sb_expr_kind_text(k), e->nargs);
    if (is_arithmetic(k) && sb_dtype_is_storage((sb_dtype)e->type))
        return sb_verify_fail(v,
                              "%s computes in %s, which is a storage type: cast first",
                              sb_expr_kind_text(k), sb_dtype_name((sb_dtype)e->type));
    if (sb_expr_is_search(e) && !verify_find(v, e))
        return false;
    for (int q = 0; q < e->nargs; q++) {
        if (!sb_verify_expr(v, e->arg[q]))
            return false;
    }
    return true;
}

/* Deeper than text may be, an expression could be printed but not read again. */
bool
sb_verify_expr(sb_verifier *v, const sb_expr *e)
{
    bool good;

    if (!e)
        return sb_verify_fail(v, "an expression is missing");
    if (v->height == SB_PARSE_CHAIN)
        return sb_verify_fail(v, "an expression is deeper than %d operators",
                              SB_PARSE_CHAIN);
    v->height++;
    good = verify_node(v, e);
    v->height--;
    return good;
}

static bool
is_size(const sb_verifier *v, const sb_expr *e)
{
    if (e->kind == SB_EXPR_LOAD || sb_expr_is_search(e))
        return false;
    if (e->kind == SB_EXPR_VAR) {
        for (int q = 0; q < v->prog->nparam; q++) {
            if (v->prog->param[q] == e->u.var)
                return true;
        }
        return false;
    }
    for (int q = 0; q < e->nargs; q++) {
        if (!is_size(v, e->arg[q]))
            return false;
    }
    return true;
}

bool
sb_verify_size(sb_verifier *v, const sb_expr *e, const char *what, const char *name)
{
    if (!e)
        return true;
    if (!is_index((sb_dtype)e->type))
        return sb_verify_fail(v, "%s of %s is not an integer", what, name);
    if (!is_size(v, e))
        return sb_verify_fail(v, "%s of %s depends on more than parameters", what,
                              name);
    return true;
}

/* ---- program ------------------------------------------------------------------------- */

/* Axes of a program must be declared in it. */
static bool
verify_buf(sb_verifier *v, const sb_buf *b)
{
    if (b->role == SB_BUF_LOCAL)
        return sb_verify_fail(v, "$%s is local but declared outside the body", b->name);
    if (v->prog->stage == 3 && (b->rank != 1 || b->axis[0] || b->stride[0]))
        return sb_verify_fail(v, "$%s is not flat: stage 3 has buffers of one extent",
                              b->name);
    return sb_verify_tensor(v, b) && sb_verify_see_buf(v, b);
}

static bool
verify_declarations(sb_verifier *v)
{
    const sb_prog *p = v->prog;

    if (p->stage < 1 || p->stage > 3)
        return sb_verify_fail(v, "stage %d does not exist", p->stage);
    for (int q = 0; q < p->nparam; q++) {
        if (!sb_verify_see_var(v, p->param[q]))
            return false;
    }
    if (p->stage == 3 && p->naxis > 0)
        return sb_verify_fail(v, "stage 3 has no axes, but #%s is declared",
                              p->axis[0]->name);
    for (int q = 0; q < p->nbuf; q++) {
        if (!verify_buf(v, p->buf[q]))
            return false;
    }
    for (int q = 0; q < p->naxis; q++) {
        if (!sb_verify_axis(v, q))
            return false;
    }
    for (int q = 0; q < p->nassume; q++) {
        if (!sb_verify_expr(v, p->assume[q]))
            return false;
        if (p->assume[q]->type != SB_BOOL)
            return sb_verify_fail(v, "assumption %d is not bool", q + 1);
    }
    return true;
}

sb_status
sb_prog_verify(const sb_prog *p, sb_diag *diag)
{
    sb_verifier v = {.prog = p, .diag = diag, .parallel_bufs = -1};

    if (verify_declarations(&v))
        (void)sb_verify_body(&v, p->body);
    return v.st;
}
