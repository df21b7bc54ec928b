/*
 * Statements. A body is a list in braces; a let, a local and a loop variable are seen by
 * what follows inside the same braces.
 */
#include "compiler/parse.h"

#include "compiler/rewrite.h"

#include <string.h>

static sb_stmt *
make(sb_parser *p, sb_stmt_kind kind)
{
    sb_stmt *s = sb_parse_ok(p) ? sb_stmt_new(p->ir, kind) : NULL;

    if (!s && sb_parse_ok(p))
        p->st = SB_ENOMEM;
    return s;
}

static const sb_stmt *
done(const sb_parser *p, const sb_stmt *s)
{
    return sb_parse_ok(p) ? s : NULL;
}

sb_body
sb_parse_rest(sb_parser *p, sb_scope mark)
{
    const sb_body nothing = {0, NULL};
    sb_list l;

    sb_list_init(&l, p->ir);
    if (!sb_parse_enter(p))
        return nothing;
    while (sb_parse_ok(p) && !sb_parse_is(p, "}")) {
        const sb_stmt *s = sb_parse_stmt(p);

        if (s)
            sb_list_push(&l, s);
    }
    sb_parse_expect(p, "}");
    sb_parse_leave(p);
    p->nvar = mark.nvar;
    p->nbuf = mark.nbuf;
    return sb_parse_ok(p) ? sb_list_body(&l) : nothing;
}

static sb_body
parse_body(sb_parser *p)
{
    sb_parse_expect(p, "{");
    return sb_parse_rest(p, sb_parse_mark(p));
}

/* ---- stage I ------------------------------------------------------------------------- */

/* %i : S #I, or %j : R #JA & #JB */
static void
parse_iterator(sb_parser *p, sb_iter *it, int group)
{
    const char *name = sb_parse_name(p, SB_TOKEN_VAR);

    it->group = group;
    it->var = name ? sb_var_new(p->ir, name, SB_I64) : NULL;
    sb_parse_expect(p, ":");
    if (sb_parse_accept(p, "R"))
        it->reduce = true;
    else
        sb_parse_expect(p, "S");
    it->axis = sb_parse_axis(p);
    if (sb_parse_accept(p, "&"))
        it->with = sb_parse_axis(p);
}

/* (%i : S #I, {%a : R #X, %b : R #Y}); braces are one loop, numbered from 1. */
static int
parse_iterators(sb_parser *p, sb_iter it[SB_PARSE_ITERS])
{
    int n = 0, groups = 0;
    bool inside = false;

    sb_parse_expect(p, "(");
    do {
        if (n == SB_PARSE_ITERS) {
            sb_parse_error(p, "more than %d axes in one iteration", SB_PARSE_ITERS);
            return 0;
        }
        if (!inside && sb_parse_accept(p, "{")) {
            inside = true;
            groups++;
        }
        parse_iterator(p, &it[n++], inside ? groups : 0);
        if (inside && sb_parse_accept(p, "}"))
            inside = false;
    } while (sb_parse_accept(p, ","));
    if (inside)
        sb_parse_error(p, "expected }");
    sb_parse_expect(p, ")");
    return n;
}

/* init { ... }, or `init` and one statement */
static sb_body
parse_init(sb_parser *p)
{
    const sb_stmt *s;
    sb_body none = {0, NULL};

    if (!sb_parse_accept(p, "init"))
        return none;
    if (sb_parse_is(p, "{"))
        return parse_body(p);
    s = sb_parse_stmt(p);
    return s ? sb_body_one(p->ir, s) : none;
}

static const sb_stmt *
parse_iter(sb_parser *p)
{
    const sb_scope mark = sb_parse_mark(p);
    sb_iter it[SB_PARSE_ITERS];
    sb_stmt *s = make(p, SB_STMT_ITER);

    if (!s)
        return NULL;
    memset(it, 0, sizeof it);
    sb_parse_advance(p);
    s->u.iter.name = sb_parse_name(p, SB_TOKEN_WORD);
    s->u.iter.n = parse_iterators(p, it);
    s->u.iter.it = sb_arena_copy(p->ir->arena, it, (size_t)s->u.iter.n * sizeof *it);
    if (!s->u.iter.it && sb_parse_ok(p))
        p->st = SB_ENOMEM;
    for (int q = 0; q < s->u.iter.n && sb_parse_ok(p); q++)
        sb_parse_see_var(p, it[q].var);
    sb_parse_expect(p, "{");
    s->u.iter.init = parse_init(p);
    s->u.iter.body = sb_parse_rest(p, mark);
    return done(p, s);
}

/* ---- loops --------------------------------------------------------------------------- */

static int
parse_lanes(sb_parser *p)
{
    int lanes = 0;

    sb_parse_expect(p, "(");
    if (p->tok.kind == SB_TOKEN_INT && p->tok.n <= 5) {
        for (size_t q = 0; q < p->tok.n; q++)
            lanes = lanes * 10 + (p->tok.text[q] - '0');
    }
    if (lanes < 1 || lanes > SB_PARSE_LANES)
        sb_parse_error(p, "lanes are 1 to %d", SB_PARSE_LANES);
    sb_parse_advance(p);
    sb_parse_expect(p, ")");
    return lanes;
}

/* A word or a number, as it stands. */
static const char *
parse_note_value(sb_parser *p)
{
    const char *text;

    if (p->tok.kind != SB_TOKEN_INT)
        return sb_parse_name(p, SB_TOKEN_WORD);
    text = sb_arena_strndup(p->ir->arena, p->tok.text, p->tok.n);
    if (!text)
        p->st = SB_ENOMEM;
    sb_parse_advance(p);
    return text;
}

/* [bind(name)] { note(key, value) } */
static void
parse_marks(sb_parser *p, sb_stmt *s)
{
    sb_note note[SB_PARSE_NOTES];
    int n = 0;

    if (sb_parse_accept(p, "bind")) {
        sb_parse_expect(p, "(");
        s->u.loop.bind = sb_parse_name(p, SB_TOKEN_WORD);
        sb_parse_expect(p, ")");
    }
    while (sb_parse_accept(p, "note")) {
        if (n == SB_PARSE_NOTES) {
            sb_parse_error(p, "more than %d notes at one loop", SB_PARSE_NOTES);
            return;
        }
        sb_parse_expect(p, "(");
        note[n].key = sb_parse_name(p, SB_TOKEN_WORD);
        sb_parse_expect(p, ",");
        note[n++].value = parse_note_value(p);
        sb_parse_expect(p, ")");
    }
    if (n == 0 || !sb_parse_ok(p))
        return;
    s->u.loop.nnote = n;
    s->u.loop.note = sb_arena_copy(p->ir->arena, note, (size_t)n * sizeof *note);
    if (!s->u.loop.note)
        p->st = SB_ENOMEM;
}

static void
parse_how(sb_parser *p, sb_stmt *s)
{
    if (sb_parse_accept(p, "parallel")) {
        s->u.loop.how = SB_LOOP_PARALLEL;
    } else if (sb_parse_accept(p, "unroll")) {
        s->u.loop.how = SB_LOOP_UNROLL;
    } else if (sb_parse_accept(p, "vector")) {
        s->u.loop.how = SB_LOOP_VECTOR;
        s->u.loop.lanes = parse_lanes(p);
    }
    s->u.loop.reduce = sb_parse_accept(p, "reduce");
    parse_marks(p, s);
}

static const sb_stmt *
parse_for(sb_parser *p)
{
    const sb_scope mark = sb_parse_mark(p);
    sb_stmt *s = make(p, SB_STMT_FOR);
    const char *name;
    sb_dtype type = SB_I64;

    if (!s)
        return NULL;
    sb_parse_advance(p);
    name = sb_parse_name(p, SB_TOKEN_VAR);
    if (sb_parse_accept(p, ":"))
        type = sb_parse_type(p);
    sb_parse_expect(p, "in");
    s->u.loop.lo = sb_parse_expr(p);
    sb_parse_expect(p, "..");
    s->u.loop.hi = sb_parse_expr(p);
    parse_how(p, s);
    if (!sb_parse_ok(p))
        return NULL;
    s->u.loop.var = sb_var_new(p->ir, name, type);
    sb_parse_see_var(p, s->u.loop.var);
    sb_parse_expect(p, "{");
    s->u.loop.body = sb_parse_rest(p, mark);
    return done(p, s);
}

static const sb_stmt *
parse_block(sb_parser *p)
{
    sb_stmt *s = make(p, SB_STMT_BLOCK);

    if (!s)
        return NULL;
    sb_parse_advance(p);
    s->u.block.name = sb_parse_name(p, SB_TOKEN_WORD);
    s->u.block.body = parse_body(p);
    return done(p, s);
}

/* tensor NAME { the loops that the intrinsic stands for } */
static const sb_stmt *
parse_tensor(sb_parser *p)
{
    const sb_stmt *s = parse_block(p);

    if (s)
        ((sb_stmt *)s)->u.block.tensor = true;
    return s;
}

static const sb_stmt *
parse_if(sb_parser *p)
{
    sb_stmt *s = make(p, SB_STMT_IF);

    if (!s)
        return NULL;
    sb_parse_advance(p);
    s->u.cond.cond = sb_parse_expr_as(p, SB_BOOL);
    s->u.cond.then = parse_body(p);
    if (sb_parse_accept(p, "else"))
        s->u.cond.els = parse_body(p);
    return done(p, s);
}

/* ---- straight lines ------------------------------------------------------------------ */

static const sb_stmt *
parse_let(sb_parser *p)
{
    sb_stmt *s = make(p, SB_STMT_LET);
    sb_dtype type = SB_DTYPE_COUNT;
    const char *name;

    if (!s)
        return NULL;
    sb_parse_advance(p);
    name = sb_parse_name(p, SB_TOKEN_VAR);
    if (sb_parse_accept(p, ":"))
        type = sb_parse_type(p);
    sb_parse_expect(p, "=");
    if (!sb_parse_ok(p))
        return NULL;
    s->u.let.value =
        type == SB_DTYPE_COUNT ? sb_parse_expr(p) : sb_parse_expr_as(p, type);
    if (!s->u.let.value)
        return NULL;
    if (type == SB_DTYPE_COUNT)
        type = (sb_dtype)s->u.let.value->type;
    s->u.let.var = sb_var_new(p->ir, name, type);
    sb_parse_see_var(p, s->u.let.var);
    return done(p, s);
}

static const sb_stmt *
parse_local(sb_parser *p)
{
    sb_stmt *s = make(p, SB_STMT_LOCAL);

    if (!s)
        return NULL;
    sb_parse_advance(p);
    s->u.local.buf = sb_parse_tensor(p, SB_BUF_LOCAL);
    if (s->u.local.buf) {
        ((sb_buf *)s->u.local.buf)->shared = sb_parse_accept(p, "shared");
        sb_parse_see_buf(p, s->u.local.buf);
    }
    return done(p, s);
}

/* Indices copied to the arena. */
static const sb_expr *const *
parse_index_list(sb_parser *p, int *n)
{
    const sb_expr *idx[SB_MAXRANK];
    const sb_expr *const *copy;
    const size_t at = p->tok.at;

    *n = sb_parse_index(p, idx);
    for (int q = 0; q < *n; q++) {
        if (!sb_dtype_widens((sb_dtype)idx[q]->type, SB_I64))
            sb_parse_error_at(p, at, "indices must be i32 or i64");
    }
    if (!sb_parse_ok(p))
        return NULL;
    copy = sb_arena_copy(p->ir->arena, idx, (size_t)*n * sizeof *idx);
    if (!copy)
        p->st = SB_ENOMEM;
    return copy;
}

static const sb_stmt *
parse_prefetch(sb_parser *p)
{
    sb_stmt *s = make(p, SB_STMT_PREFETCH);

    if (!s)
        return NULL;
    sb_parse_advance(p);
    s->u.prefetch.far = sb_parse_accept(p, "far");
    s->u.prefetch.buf = sb_parse_buf(p);
    s->u.prefetch.idx = parse_index_list(p, &s->u.prefetch.n);
    return done(p, s);
}

static sb_store_op
parse_store_op(sb_parser *p)
{
    if (sb_parse_accept(p, "+="))
        return SB_STORE_ADD;
    if (sb_parse_accept(p, "min")) {
        sb_parse_expect(p, "=");
        return SB_STORE_MIN;
    }
    if (sb_parse_accept(p, "max")) {
        sb_parse_expect(p, "=");
        return SB_STORE_MAX;
    }
    if (!sb_parse_accept(p, "="))
        sb_parse_error(p, "expected =, +=, min= or max=");
    return SB_STORE_SET;
}

static const sb_stmt *
parse_store(sb_parser *p)
{
    sb_stmt *s = make(p, SB_STMT_STORE);

    if (!s)
        return NULL;
    s->u.store.buf = sb_parse_buf(p);
    s->u.store.idx = parse_index_list(p, &s->u.store.n);
    s->u.store.op = (uint8_t)parse_store_op(p);
    if (!sb_parse_ok(p))
        return NULL;
    s->u.store.value = sb_parse_expr_as(p, s->u.store.buf->type);
    s->u.store.stream = sb_parse_accept(p, "stream");
    s->u.store.atomic = sb_parse_accept(p, "atomic");
    return done(p, s);
}

/* ---- all ----------------------------------------------------------------------------- */

const sb_stmt *
sb_parse_stmt(sb_parser *p)
{
    static const struct {
        const char *word;
        const sb_stmt *(*parse)(sb_parser *p);
    } forms[] = {
        {"iter", parse_iter},         {"block", parse_block},   {"for", parse_for},
        {"let", parse_let},           {"local", parse_local},   {"if", parse_if},
        {"prefetch", parse_prefetch}, {"tensor", parse_tensor},
    };

    if (sb_parse_ok(p) && p->tok.kind == SB_TOKEN_BUF)
        return parse_store(p);
    for (int q = 0; q < SB_COUNT(forms); q++) {
        if (sb_parse_is(p, forms[q].word))
            return forms[q].parse(p);
    }
    sb_parse_error(p, "expected a statement or }");
    return NULL;
}
