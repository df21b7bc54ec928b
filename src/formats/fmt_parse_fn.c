/*
 * Indirect functions of format text:
 *
 *   where := "where" fn { "," fn }
 *   fn    := "@" NAME "=" "{" step { ";" step } "}"
 *   step  := [ NAME ":" ] query
 *   query := ("sum" | "enum") "(" "value" ")" [by] [with]
 *          | "reorder" "(" NAME ")" [by]
 *          | "schedule" "(" NAME "," const ")" [by]
 *   by    := [ "groupBy" map ] [ "traverseBy" map ]
 *   map   := [ "(" NAME, .. ")" "->" ] "(" expr, .. ")"
 *   with  := "with" { subject cond number "->" result "|" } "otherwise" "->" result
 *   subject := "value" | NAME      cond := "ne" | "eq" | "gt" | "ge" | "lt" | "le"
 *   result  := number | NAME of an earlier step
 */
#include "formats/fmt_expr.h"
#include "formats/fmt_text.h"

#include <string.h>

static const char *const query_names[] = {"sum", "enum", "reorder", "schedule"};

/* "value" is -1, a dimension its number. */
static sb_status
parse_subject(int *out, sb_fmt_parser *ps)
{
    const sb_fmt_token t = ps->tok;

    *out = -1;
    if (sb_fmt_take(ps, "value"))
        return SB_OK;
    if (t.kind == SB_FMT_WORD)
        *out = sb_fmt_find_dim(ps, ps->src + t.at, t.len);
    if (*out < 0)
        return sb_fmt_expected(ps, "\"value\" or a dimension");
    sb_fmt_next(ps);
    return SB_OK;
}

/* Dimensions in order, as the left side of a map repeats them. */
static bool
is_source(const sb_fmt_map *m, const sb_fmt *f)
{
    for (int q = 0; q < m->n && m->n == f->ndim; q++) {
        if (m->e[q]->op != SB_FMT_DIM || m->e[q]->value != q)
            return false;
    }
    return m->n == f->ndim;
}

static sb_status
parse_map(sb_fmt_map *out, sb_fmt_parser *ps)
{
    const size_t at = ps->tok.at;
    const bool outer = ps->direct;
    sb_status st;

    ps->direct = true;
    st = sb_fmt_parse_list(out, ps, SB_FMT_LEVELS);
    if (st == SB_OK && sb_fmt_take(ps, "->")) {
        if (!is_source(out, ps->f))
            st = sb_fmt_fail(ps, SB_EPARSE, at,
                             "the left side repeats the format's dimensions");
        else
            st = sb_fmt_parse_list(out, ps, SB_FMT_LEVELS);
    }
    ps->direct = outer;
    return st;
}

static sb_status
parse_cond(sb_fmt_cond *out, sb_fmt_parser *ps)
{
    static const struct {
        const char *name;
        sb_fmt_cond cond;
    } conds[] = {{"ne", SB_FMT_NE}, {"eq", SB_FMT_EQ}, {"gt", SB_FMT_GT},
                 {"bt", SB_FMT_GT}, {"ge", SB_FMT_GE}, {"be", SB_FMT_GE},
                 {"lt", SB_FMT_LT}, {"le", SB_FMT_LE}};

    for (size_t q = 0; q < sizeof conds / sizeof *conds; q++) {
        if (sb_fmt_take(ps, conds[q].name)) {
            *out = conds[q].cond;
            return SB_OK;
        }
    }
    return sb_fmt_expected(ps, "ne, eq, gt, ge, lt or le");
}

/* A number, or the label of a step before. */
static sb_status
parse_result(int64_t *value, int *step, sb_fmt_parser *ps, const sb_fmt_fn *fn)
{
    const sb_fmt_token t = ps->tok;

    *value = 0;
    *step = -1;
    for (int q = 0; fn && t.kind == SB_FMT_WORD && q < fn->nstep; q++) {
        const char *label = fn->step[q]->label;

        if (label && sb_fmt_take(ps, label)) {
            *step = q;
            return SB_OK;
        }
    }
    return sb_fmt_parse_const(value, ps, 0);
}

static sb_status
parse_with(sb_fmt_query *q, sb_fmt_parser *ps, const sb_fmt_fn *fn)
{
    while (!sb_fmt_take(ps, "otherwise")) {
        sb_fmt_case *c = &q->when[q->ncase];

        if (q->ncase == SB_FMT_CASES)
            return sb_fmt_fail(ps, SB_EPARSE, ps->tok.at,
                               "a value map has at most %d conditions", SB_FMT_CASES);
        SB_TRY(parse_subject(&c->dim, ps));
        SB_TRY(parse_cond(&c->cond, ps));
        SB_TRY(sb_fmt_parse_const(&c->literal, ps, -SB_FMT_CONST_MAX));
        SB_TRY(sb_fmt_expect(ps, "->"));
        SB_TRY(parse_result(&c->result, &c->step, ps, fn));
        SB_TRY(sb_fmt_expect(ps, "|"));
        q->ncase++;
    }
    SB_TRY(sb_fmt_expect(ps, "->"));
    return parse_result(&q->otherwise, &q->otherwise_step, ps, fn);
}

/* What each query needs and what it cannot have. */
static sb_status
parse_clauses(sb_fmt_query *q, sb_fmt_parser *ps, const sb_fmt_fn *fn)
{
    const bool counts = q->op == SB_FMT_SUM || q->op == SB_FMT_ENUM;

    if (sb_fmt_take(ps, "groupBy"))
        SB_TRY(parse_map(&q->group, ps));
    if (sb_fmt_take(ps, "traverseBy"))
        SB_TRY(parse_map(&q->traverse, ps));
    else if (q->op == SB_FMT_ENUM)
        return sb_fmt_expected(ps, "\"traverseBy\", the order to count in");
    if (counts && sb_fmt_take(ps, "with"))
        return parse_with(q, ps, fn);
    if (q->op == SB_FMT_SUM)
        return sb_fmt_expected(ps, "\"with\", what to sum");
    return SB_OK;
}

static sb_status
parse_head(sb_fmt_query *q, sb_fmt_parser *ps)
{
    const size_t at = ps->tok.at;
    int op = 0;
    bool counts;

    while (op < 4 && !sb_fmt_is(ps, query_names[op]))
        op++;
    if (op == 4)
        return sb_fmt_expected(ps, "sum, enum, reorder or schedule");
    q->op = (sb_fmt_query_op)op;
    counts = q->op == SB_FMT_SUM || q->op == SB_FMT_ENUM;
    sb_fmt_next(ps);
    SB_TRY(sb_fmt_expect(ps, "("));
    SB_TRY(parse_subject(&q->dim, ps));
    if (counts != (q->dim < 0))
        return sb_fmt_fail(ps, SB_EPARSE, at, "%s is of %s", query_names[op],
                           counts ? "\"value\"" : "a dimension");
    if (q->op == SB_FMT_SCHEDULE) {
        SB_TRY(sb_fmt_expect(ps, ","));
        SB_TRY(sb_fmt_parse_const(&q->buckets, ps, 1));
    }
    return sb_fmt_expect(ps, ")");
}

sb_status
sb_fmt_parse_query(const sb_fmt_query **out, sb_fmt_parser *ps, const sb_fmt_fn *fn)
{
    sb_fmt_query *q = sb_arena_alloc_zero(ps->ar, sizeof *q);

    *out = q;
    if (!q)
        return SB_ENOMEM;
    q->otherwise_step = -1;
    SB_TRY(parse_head(q, ps));
    return parse_clauses(q, ps, fn);
}

/* "n: ", looked at with the token after the name. */
static sb_status
parse_label(const char **out, sb_fmt_parser *ps, const sb_fmt_fn *fn)
{
    const sb_fmt_token t = ps->tok;
    bool labelled;

    *out = NULL;
    sb_fmt_next(ps);
    labelled = sb_fmt_is(ps, ":");
    sb_fmt_seek(ps, t.at);
    if (t.kind != SB_FMT_WORD || !labelled)
        return SB_OK;
    SB_TRY(sb_fmt_expect_name(out, ps, "a label"));
    for (int q = 0; q < fn->nstep; q++) {
        if (fn->step[q]->label && strcmp(fn->step[q]->label, *out) == 0)
            return sb_fmt_fail(ps, SB_EPARSE, t.at, "\"%s\" is the label of step %d",
                               *out, q);
    }
    return sb_fmt_expect(ps, ":");
}

static sb_status
parse_step(sb_fmt_fn *fn, sb_fmt_parser *ps)
{
    const sb_fmt_query *query;
    const char *label;
    sb_fmt_query *q;
    bool summed = false;
    const size_t at = ps->tok.at;

    if (fn->nstep == SB_FMT_QUERIES)
        return sb_fmt_fail(ps, SB_EPARSE, at, "a function has at most %d steps",
                           SB_FMT_QUERIES);
    SB_TRY(parse_label(&label, ps, fn));
    SB_TRY(sb_fmt_parse_query(&query, ps, fn));
    for (int k = 0; k < fn->nstep; k++)
        summed = summed || fn->step[k]->op == SB_FMT_SUM;
    if (query->op >= SB_FMT_REORDER && !summed)
        return sb_fmt_fail(ps, SB_EPARSE, at, "%s goes by a sum before it",
                           query_names[query->op]);
    q = sb_arena_copy(ps->ar, query, sizeof *query);
    if (!q)
        return SB_ENOMEM;
    q->label = label;
    fn->step[fn->nstep++] = q;
    return SB_OK;
}

static sb_status
parse_fn(sb_fmt_parser *ps)
{
    sb_fmt_fn *fn = sb_arena_alloc_zero(ps->ar, sizeof *fn);
    const size_t at = ps->tok.at;
    int place = 0;

    if (!fn)
        return SB_ENOMEM;
    SB_TRY(sb_fmt_expect(ps, "@"));
    SB_TRY(sb_fmt_expect_name(&fn->name, ps, "the name of an indirect function"));
    while (place < ps->nfn && strcmp(ps->fn_name[place], fn->name) != 0)
        place++;
    if (place == ps->nfn)
        return sb_fmt_fail(ps, SB_EPARSE, at, "the map does not use @%s", fn->name);
    if (ps->f->fn[place])
        return sb_fmt_fail(ps, SB_EPARSE, at, "@%s is there twice", fn->name);
    SB_TRY(sb_fmt_expect(ps, "="));
    SB_TRY(sb_fmt_expect(ps, "{"));
    do {
        SB_TRY(parse_step(fn, ps));
    } while (sb_fmt_take(ps, ";"));
    ps->f->fn[place] = fn;
    return sb_fmt_expect(ps, "}");
}

sb_status
sb_fmt_parse_where(sb_fmt_parser *ps)
{
    if (sb_fmt_take(ps, "where")) {
        do {
            SB_TRY(parse_fn(ps));
        } while (sb_fmt_take(ps, ","));
    }
    ps->f->nfn = ps->nfn;
    for (int q = 0; q < ps->nfn; q++) {
        if (!ps->f->fn[q])
            return sb_fmt_fail(ps, SB_EPARSE, ps->fn_at[q], "@%s is not defined",
                               ps->fn_name[q]);
    }
    return SB_OK;
}
