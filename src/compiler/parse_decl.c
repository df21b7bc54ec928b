/*
 * Declarations: `param`, `buf`, `axis`. Their expressions see parameters only, so that a
 * caller can size everything before the program runs.
 */
#include "compiler/parse.h"

#include <string.h>

static void
out_of_memory(sb_parser *p)
{
    if (p->st == SB_OK)
        p->st = SB_ENOMEM;
}

/* ---- tensors ------------------------------------------------------------------------- */

static void
parse_dims(sb_parser *p, sb_buf *b)
{
    const bool axes = p->tok.kind == SB_TOKEN_AXIS;

    do {
        if (b->rank == SB_MAXRANK) {
            sb_parse_error(p, "more than %d dimensions", SB_MAXRANK);
            return;
        }
        if (axes)
            b->axis[b->rank] = sb_parse_axis(p);
        else
            b->extent[b->rank] = sb_parse_expr_as(p, SB_I64);
        b->rank++;
    } while (sb_parse_accept(p, ","));
}

const sb_buf *
sb_parse_tensor(sb_parser *p, sb_buf_role role)
{
    sb_buf *b = sb_arena_alloc_zero(p->ir->arena, sizeof *b);
    const bool before = p->constant;

    if (!b) {
        out_of_memory(p);
        return NULL;
    }
    b->name = sb_parse_name(p, SB_TOKEN_BUF);
    b->role = role;
    b->id = p->ir->next_id++;
    sb_parse_expect(p, ":");
    b->type = sb_parse_type(p);
    sb_parse_expect(p, "[");
    p->constant = true;
    parse_dims(p, b);
    p->constant = before;
    sb_parse_expect(p, "]");
    return sb_parse_ok(p) ? b : NULL;
}

static sb_buf_role
parse_role(sb_parser *p)
{
    if (sb_parse_accept(p, "in"))
        return SB_BUF_IN;
    if (sb_parse_accept(p, "out"))
        return SB_BUF_OUT;
    if (sb_parse_accept(p, "inout"))
        return SB_BUF_INOUT;
    sb_parse_expect(p, "aux");
    return SB_BUF_AUX;
}

static void
parse_strides(sb_parser *p, sb_buf *b)
{
    const size_t at = p->tok.at;
    int n = 0;

    if (!sb_parse_accept(p, "strides"))
        return;
    sb_parse_expect(p, "(");
    while (sb_parse_ok(p) && n < b->rank) {
        b->stride[n++] = sb_parse_expr_as(p, SB_I64);
        if (!sb_parse_accept(p, ","))
            break;
    }
    sb_parse_expect(p, ")");
    if (n != b->rank)
        sb_parse_error_at(p, at, "%d strides for %d dimensions", n, b->rank);
}

static void
parse_buf_line(sb_parser *p)
{
    const sb_buf *made;
    sb_buf *b;

    sb_parse_advance(p);
    made = sb_parse_tensor(p, SB_BUF_IN);
    if (!made)
        return;
    b = sb_arena_copy(p->ir->arena, made, sizeof *made);
    if (!b) {
        out_of_memory(p);
        return;
    }
    b->role = parse_role(p);
    parse_strides(p, b);
    if (sb_parse_ok(p))
        sb_parse_see_buf(p, b);
}

/* ---- axes ---------------------------------------------------------------------------- */

static sb_axis_kind
parse_axis_kind(sb_parser *p)
{
    static const char *const text[] = {
        [SB_AXIS_DENSE_FIXED] = "dense_fixed",
        [SB_AXIS_DENSE_VARIABLE] = "dense_variable",
        [SB_AXIS_SPARSE_FIXED] = "sparse_fixed",
        [SB_AXIS_SPARSE_VARIABLE] = "sparse_variable",
    };

    for (int k = 0; k < SB_COUNT(text); k++) {
        if (sb_parse_accept(p, text[k]))
            return (sb_axis_kind)k;
    }
    sb_parse_error(p,
                   "expected an axis kind: dense_fixed, dense_variable, sparse_fixed "
                   "or sparse_variable");
    return SB_AXIS_DENSE_FIXED;
}

static void
parse_once(sb_parser *p, bool taken, const char *word)
{
    if (taken)
        sb_parse_error(p, "%s is given twice", word);
    sb_parse_advance(p);
}

/* One `word value` of the list. */
static void
parse_axis_arg(sb_parser *p, sb_axis *x)
{
    const struct {
        const char *word;
        const sb_expr **expr;
        const sb_buf **buf;
    } args[] = {
        {"width", &x->width, NULL}, {"nnz", &x->nnz, NULL}, {"ptr", NULL, &x->ptr},
        {"end", NULL, &x->end},     {"crd", NULL, &x->crd}, {"val", NULL, &x->val},
    };

    for (int q = 0; q < SB_COUNT(args); q++) {
        if (!sb_parse_is(p, args[q].word))
            continue;
        parse_once(p, args[q].expr ? *args[q].expr != NULL : *args[q].buf != NULL,
                   args[q].word);
        if (args[q].expr)
            *args[q].expr = sb_parse_expr_as(p, SB_I64);
        else
            *args[q].buf = sb_parse_buf(p);
        return;
    }
    sb_parse_error(p, "expected width, nnz, ptr, end, crd or val");
}

static void
parse_axis_flags(sb_parser *p, sb_axis *x)
{
    if (sb_parse_accept(p, "base"))
        x->base = sb_parse_expr_as(p, SB_I64);
    for (;;) {
        if (!x->sorted && sb_parse_accept(p, "sorted"))
            x->sorted = true;
        else if (!x->unique && sb_parse_accept(p, "unique"))
            x->unique = true;
        else if (!x->padded && sb_parse_accept(p, "padded"))
            x->padded = true;
        else
            return;
    }
}

static void
parse_axis_line(sb_parser *p)
{
    sb_axis *x = sb_arena_alloc_zero(p->ir->arena, sizeof *x);

    if (!x) {
        out_of_memory(p);
        return;
    }
    sb_parse_advance(p);
    x->name = sb_parse_name(p, SB_TOKEN_AXIS);
    x->id = p->ir->next_id++;
    sb_parse_expect(p, "=");
    x->kind = parse_axis_kind(p);
    sb_parse_expect(p, "(");
    if (p->tok.kind == SB_TOKEN_AXIS) {
        x->parent = sb_parse_axis(p);
        sb_parse_expect(p, ",");
    }
    x->length = sb_parse_expr_as(p, SB_I64);
    while (sb_parse_accept(p, ","))
        parse_axis_arg(p, x);
    sb_parse_expect(p, ")");
    parse_axis_flags(p, x);
    if (sb_parse_ok(p))
        sb_parse_see_axis(p, x);
}

/* ---- lines --------------------------------------------------------------------------- */

static void
parse_param_line(sb_parser *p)
{
    const char *name;
    sb_dtype type;

    sb_parse_advance(p);
    name = sb_parse_name(p, SB_TOKEN_VAR);
    sb_parse_expect(p, ":");
    type = sb_parse_type(p);
    if (sb_parse_ok(p))
        sb_parse_see_var(p, sb_var_new(p->ir, name, type));
}

bool
sb_parse_decl(sb_parser *p)
{
    const bool before = p->constant;
    bool found = true;

    p->constant = true;
    if (sb_parse_is(p, "param"))
        parse_param_line(p);
    else if (sb_parse_is(p, "buf"))
        parse_buf_line(p);
    else if (sb_parse_is(p, "axis"))
        parse_axis_line(p);
    else
        found = false;
    p->constant = before;
    return found;
}
