/*
 * Reads format rewrite rules with the program parser's own declarations and expressions:
 *
 *   rule NAME for $A [same] [as $NEW] {
 *     param, buf and axis lines; axes named in `axes` become the dimensions, in this order
 *     map (%i, %j) -> (new coordinates)      inv (%r, %e) -> (old coordinates)
 *     axes #I -> #R ; #J -> #E
 *   }
 */
#include "compiler/rule.h"

#include "compiler/address.h"
#include "compiler/parse.h"

#include <stdio.h>
#include <string.h>

static void
see_program(sb_parser *ps, const sb_prog *p)
{
    for (int q = 0; q < p->nparam; q++)
        sb_parse_see_var(ps, p->param[q]);
    for (int q = 0; q < p->nbuf; q++)
        sb_parse_see_buf(ps, p->buf[q]);
    for (int q = 0; q < p->naxis; q++)
        sb_parse_see_axis(ps, p->axis[q]);
}

/* ( %i, %j ) -> ( e, e ): nin names, nout expressions that see them. */
static void
read_map(sb_parser *ps, int nin, const sb_var **in, int nout, const sb_expr **out)
{
    const int mark = ps->nvar;
    const size_t at = ps->tok.at;
    int n = 0;

    sb_parse_advance(ps);
    sb_parse_expect(ps, "(");
    do {
        const char *name = sb_parse_name(ps, SB_TOKEN_VAR);

        if (n < nin && name) {
            in[n] = sb_var_new(ps->ir, name, SB_I64);
            sb_parse_see_var(ps, in[n]);
        }
        n++;
    } while (sb_parse_accept(ps, ","));
    sb_parse_expect(ps, ")");
    if (n != nin)
        sb_parse_error_at(ps, at, "the map takes %d coordinates, not %d", nin, n);
    sb_parse_expect(ps, "->");
    sb_parse_expect(ps, "(");
    n = 0;
    do {
        const sb_expr *e = sb_parse_expr_as(ps, SB_I64);

        if (n < nout)
            out[n] = e;
        n++;
    } while (sb_parse_accept(ps, ","));
    sb_parse_expect(ps, ")");
    if (n != nout)
        sb_parse_error_at(ps, at, "the map gives %d coordinates, not %d", nout, n);
    ps->nvar = mark;
}

/* Dimension of the rewritten buffer whose axis the token names; its name may be used
 * again by a new axis, so the old one is looked up there. */
static int
old_dim(sb_parser *ps, const sb_rule *r)
{
    for (int d = 0; d < r->from->rank; d++) {
        const char *name = r->from->axis[d]->name;

        if (ps->tok.kind == SB_TOKEN_AXIS && strlen(name) == ps->tok.n &&
            memcmp(name, ps->tok.text, ps->tok.n) == 0) {
            sb_parse_advance(ps);
            return d;
        }
    }
    sb_parse_error(ps, "expected an axis of $%s", r->from->name);
    return 0;
}

/* axes #I -> #O, #R ; #J -> #E, the word being the current token. */
static void
read_axes(sb_parser *ps, sb_rule *r, const sb_axis *const *declared, int n)
{
    const sb_axis *axis[SB_MAXRANK];
    int owner[SB_MAXRANK], have = 0;

    ps->lex.semicolon = true;
    sb_parse_advance(ps);
    do {
        const int d = old_dim(ps, r);

        sb_parse_expect(ps, "->");
        do {
            const sb_axis *x = sb_parse_axis(ps);

            if (have == SB_MAXRANK) {
                sb_parse_error(ps, "more than %d new axes", SB_MAXRANK);
                break;
            }
            axis[have] = x;
            owner[have++] = d;
        } while (sb_parse_accept(ps, ","));
    } while (sb_parse_accept(ps, ";"));
    ps->lex.semicolon = false;
    for (int q = 0; q < n; q++) {
        for (int s = 0; s < have; s++) {
            if (axis[s] != declared[q])
                continue;
            r->axis[r->naxis] = axis[s];
            r->owner[r->naxis++] = owner[s];
            break;
        }
    }
    if (sb_parse_ok(ps) && r->naxis != have)
        sb_parse_error(ps,
                       "the new axes must be declared in the rule, each named once");
}

/* Maps come before or after `axes` in the text, but need the number of new axes: the
 * rule is read twice, the first time for the axes only. */
static void
skip_map(sb_parser *ps)
{
    int open = 0, pairs = 0;

    sb_parse_advance(ps);
    while (sb_parse_ok(ps) && pairs < 2 && ps->tok.kind != SB_TOKEN_END) {
        open += sb_parse_is(ps, "(") - sb_parse_is(ps, ")");
        pairs += open == 0 && sb_parse_is(ps, ")");
        sb_parse_advance(ps);
    }
}

typedef struct place {
    sb_lex lex;
    sb_token tok;
    bool found;
} place;

static place
mark_map(sb_parser *ps)
{
    const place p = {ps->lex, ps->tok, true};

    skip_map(ps);
    return p;
}

static void
read_map_at(sb_parser *ps, const place *at, const char *what, int nin,
            const sb_var **in, int nout, const sb_expr **out)
{
    const sb_lex lex = ps->lex;
    const sb_token tok = ps->tok;

    if (!at->found)
        sb_parse_error(ps, "the rule has no %s", what);
    if (!sb_parse_ok(ps))
        return;
    ps->lex = at->lex;
    ps->tok = at->tok;
    read_map(ps, nin, in, nout, out);
    if (!sb_parse_ok(ps))
        return;
    ps->lex = lex;
    ps->tok = tok;
}

/* The buffer over the new axes. */
static void
make_target(sb_parser *ps, sb_rule *r)
{
    sb_buf *to = sb_arena_copy(ps->ir->arena, r->from, sizeof *to);
    char name[160];

    if (!to || !sb_parse_ok(ps))
        return;
    (void)snprintf(name, sizeof name, "%.63s_%.63s", r->from->name, r->name);
    if (!r->same)
        to->name = r->to_name ? r->to_name
                              : sb_arena_strndup(ps->ir->arena, name, strlen(name));
    to->id = ps->ir->next_id++;
    to->rank = (uint8_t)r->naxis;
    memset(to->axis, 0, sizeof to->axis);
    for (int q = 0; q < r->naxis; q++)
        to->axis[q] = r->axis[q];
    r->to = to;
}

/* Values by position lie in the old array: its length goes with the new axis that has
 * `val`. The axis was made by this parse and nobody else has seen it. */
static void
complete_val(sb_parser *ps, sb_rule *r)
{
    for (int q = 0; q < r->naxis; q++) {
        sb_axis *x = (sb_axis *)r->axis[q];

        if (r->same && x->val && !x->nnz)
            x->nnz = sb_buf_elements(ps->ir, r->from);
    }
}

static void
read_body(sb_parser *ps, sb_rule *r)
{
    const int nvar = ps->nvar, nbuf = ps->nbuf, naxis = ps->naxis;
    place map = {0}, inv = {0};

    sb_parse_expect(ps, "{");
    while (sb_parse_ok(ps) && !sb_parse_is(ps, "}")) {
        if (sb_parse_decl(ps))
            continue;
        if (sb_parse_is(ps, "map"))
            map = mark_map(ps);
        else if (sb_parse_is(ps, "inv"))
            inv = mark_map(ps);
        else if (sb_parse_accept(ps, "same"))
            r->same = true;
        else if (sb_parse_is(ps, "axes") && r->naxis == 0)
            read_axes(ps, r, ps->axis + naxis, ps->naxis - naxis);
        else
            sb_parse_error(ps, "expected param, buf, axis, map, inv, axes or }");
    }
    if (sb_parse_ok(ps) && r->naxis == 0)
        sb_parse_error(ps, "the rule has no axes");
    read_map_at(ps, &map, "map", r->from ? r->from->rank : 0, r->old_at, r->naxis,
                r->map);
    read_map_at(ps, &inv, "inv", r->naxis, r->new_at, r->from ? r->from->rank : 0,
                r->inv);
    if (ps->nvar - nvar > SB_RULE_ITEMS || ps->nbuf - nbuf > SB_RULE_ITEMS)
        sb_parse_error(ps, "more than %d declarations", SB_RULE_ITEMS);
    if (!sb_parse_ok(ps))
        return;
    for (int q = nvar; q < ps->nvar; q++)
        r->param[r->nparam++] = ps->var[q];
    for (int q = nbuf; q < ps->nbuf; q++)
        r->buf[r->nbuf++] = ps->buf[q];
    sb_parse_expect(ps, "}");
    complete_val(ps, r);
    make_target(ps, r);
}

static void
read_rule(sb_parser *ps, sb_rule *r)
{
    sb_parse_expect(ps, "rule");
    r->name = sb_parse_name(ps, SB_TOKEN_WORD);
    sb_parse_expect(ps, "for");
    r->from = sb_parse_buf(ps);
    if (r->from && !r->from->axis[0])
        sb_parse_error(ps, "$%s is not a buffer over axes", r->from->name);
    r->same = sb_parse_accept(ps, "same");
    if (sb_parse_accept(ps, "as"))
        r->to_name = sb_parse_name(ps, SB_TOKEN_BUF);
    if (sb_parse_ok(ps))
        read_body(ps, r);
}

sb_status
sb_rules_parse(sb_rule *out, int *n, sb_ir *ir, const sb_prog *p, const char *text)
{
    sb_parser *ps = sb_parse_begin(ir, text, strlen(text));

    *n = 0;
    if (!ps)
        return SB_ENOMEM;
    see_program(ps, p);
    while (sb_parse_ok(ps) && ps->tok.kind != SB_TOKEN_END) {
        if (*n == SB_RULES_MAX) {
            sb_parse_error(ps, "more than %d rules", SB_RULES_MAX);
            break;
        }
        memset(&out[*n], 0, sizeof *out);
        read_rule(ps, &out[(*n)++]);
    }
    if (*n == 0)
        sb_parse_error(ps, "there is no rule");
    return sb_parse_end(ps);
}
