/*
 * Definitions of formats and hybrids, and references to registered ones:
 *
 *   text   := format | hybrid | ref
 *   format := "format" NAME [params] "(" NAME, .. ")" "->" "(" expr, .. ")" {clause} [where]
 *   params := "<" NAME "=" const { "," NAME "=" const } ">"
 *   clause := "merge" "(" INT, .. ")" | "fill" "(" INT, .. ")" | "trim" "(" INT "," INT ")"
 *           | "pack" "(" INT "," INT ")" | "partition" "(" INT ")"
 *   hybrid := "hybrid" NAME [params] "=" "{" part { "," part } "}"
 *             "by" query "threshold" number { "," number }
 *   part   := [series] ( ref | "(" format ")" )      number := [series] const
 *   series := "for" NAME "=" const ".." const ":"    what follows once for each value
 *   ref    := NAME [ "<" [NAME "="] const { "," [NAME "="] const } ">" ]
 *
 * A default may use the parameters before it.
 */
#include "formats/fmt_expr.h"
#include "formats/fmt_text.h"

#include <string.h>

/* The value of parameter q: an argument by name or place, else its default. */
static sb_status
set_param(sb_fmt_parser *ps, int q, int64_t otherwise)
{
    const sb_fmt_args *args = ps->args;

    ps->f->param[q] = otherwise;
    for (int k = 0; args && k < args->n; k++) {
        if (args->name[k] ? strcmp(args->name[k], ps->f->param_name[q]) == 0 : k == q)
            ps->f->param[q] = args->value[k];
    }
    return SB_OK;
}

static sb_status
parse_params(sb_fmt_parser *ps)
{
    sb_fmt *f = ps->f;

    if (!sb_fmt_take(ps, "<"))
        return SB_OK;
    do {
        const size_t at = ps->tok.at;
        const char *name;
        int64_t value;

        if (f->nparam == SB_FMT_PARAMS)
            return sb_fmt_fail(ps, SB_EPARSE, at, "a format has at most %d parameters",
                               SB_FMT_PARAMS);
        SB_TRY(sb_fmt_expect_name(&name, ps, "the name of a parameter"));
        for (int q = 0; q < f->nparam; q++) {
            if (strcmp(f->param_name[q], name) == 0)
                return sb_fmt_fail(ps, SB_EPARSE, at, "\"%s\" is there twice", name);
        }
        SB_TRY(sb_fmt_expect(ps, "="));
        SB_TRY(sb_fmt_parse_const(&value, ps, 0));
        f->param_name[f->nparam] = name;
        SB_TRY(set_param(ps, f->nparam, value));
        f->nparam++;
    } while (sb_fmt_take(ps, ","));
    return sb_fmt_expect(ps, ">");
}

static sb_status
parse_dims(sb_fmt_parser *ps)
{
    sb_fmt *f = ps->f;

    SB_TRY(sb_fmt_expect(ps, "("));
    do {
        const size_t at = ps->tok.at;
        const char *name;

        if (f->ndim == SB_FMT_DIMS)
            return sb_fmt_fail(ps, SB_EPARSE, at, "a format has at most %d dimensions",
                               SB_FMT_DIMS);
        SB_TRY(sb_fmt_expect_name(&name, ps, "the name of a dimension"));
        for (int q = 0; q < f->nparam; q++) {
            if (strcmp(f->param_name[q], name) == 0)
                return sb_fmt_fail(ps, SB_EPARSE, at, "\"%s\" is a parameter", name);
        }
        if (sb_fmt_find_dim(ps, name, strlen(name)) >= 0)
            return sb_fmt_fail(ps, SB_EPARSE, at, "\"%s\" is there twice", name);
        f->dim_name[f->ndim++] = name;
    } while (sb_fmt_take(ps, ","));
    return sb_fmt_expect(ps, ")");
}

static sb_status
parse_level(int *out, sb_fmt_parser *ps)
{
    if (ps->tok.kind != SB_FMT_INT)
        return sb_fmt_expected(ps, "the number of a level");
    if (ps->tok.value >= ps->f->nlevel)
        return sb_fmt_fail(ps, SB_EINVAL, ps->tok.at, "levels are 0 to %d",
                           ps->f->nlevel - 1);
    *out = (int)ps->tok.value;
    sb_fmt_next(ps);
    return SB_OK;
}

static sb_status
parse_set(unsigned *out, sb_fmt_parser *ps)
{
    SB_TRY(sb_fmt_expect(ps, "("));
    do {
        int level = 0;

        SB_TRY(parse_level(&level, ps));
        *out |= 1u << level;
    } while (sb_fmt_take(ps, ","));
    return sb_fmt_expect(ps, ")");
}

static sb_status
parse_range(int *lo, int *hi, sb_fmt_parser *ps)
{
    size_t at;

    SB_TRY(sb_fmt_expect(ps, "("));
    SB_TRY(parse_level(lo, ps));
    SB_TRY(sb_fmt_expect(ps, ","));
    at = ps->tok.at;
    SB_TRY(parse_level(hi, ps));
    if (*hi < *lo)
        return sb_fmt_fail(ps, SB_EINVAL, at, "the last level comes before the first");
    return sb_fmt_expect(ps, ")");
}

static sb_status
parse_clauses(sb_fmt_parser *ps, sb_fmt_places *at)
{
    static const char *const names[] = {"merge", "trim", "fill", "pack", "partition"};
    size_t *const place[] = {&at->merge, &at->trim, &at->fill, &at->pack,
                             &at->partition};
    sb_fmt *f = ps->f;

    for (;;) {
        int q = 0;

        while (q < 5 && !sb_fmt_is(ps, names[q]))
            q++;
        if (q == 5)
            return SB_OK;
        if (*place[q] > 0)
            return sb_fmt_fail(ps, SB_EPARSE, ps->tok.at, "\"%s\" is there twice",
                               names[q]);
        *place[q] = ps->tok.at;
        sb_fmt_next(ps);
        if (q == 0 || q == 2) {
            SB_TRY(parse_set(q == 0 ? &f->merge : &f->fill, ps));
        } else if (q == 1) {
            SB_TRY(parse_range(&f->trim_lo, &f->trim_hi, ps));
        } else if (q == 3) {
            SB_TRY(parse_range(&f->pack_lo, &f->pack_hi, ps));
        } else {
            SB_TRY(sb_fmt_expect(ps, "("));
            SB_TRY(parse_level(&f->partition, ps));
            SB_TRY(sb_fmt_expect(ps, ")"));
        }
    }
}

static sb_status
parse_plain(sb_fmt_parser *ps)
{
    sb_fmt *f = ps->f;
    sb_fmt_places at = {0};
    sb_fmt_map map = {0};

    SB_TRY(sb_fmt_expect_name(&f->name, ps, "the name of the format"));
    SB_TRY(parse_params(ps));
    SB_TRY(parse_dims(ps));
    SB_TRY(sb_fmt_expect(ps, "->"));
    at.map = ps->tok.at;
    SB_TRY(sb_fmt_parse_list(&map, ps, SB_FMT_LEVELS));
    f->nlevel = map.n;
    memcpy(f->level, map.e, sizeof f->level);
    SB_TRY(parse_clauses(ps, &at));
    SB_TRY(sb_fmt_parse_where(ps));
    return sb_fmt_check(ps, &at);
}

/* One item of a list, or what a series in front of it makes of it: `item` reads the same
 * text once for each value of the variable. */
static sb_status
parse_series(sb_fmt_parser *ps, sb_status (*item)(sb_fmt_parser *, int *), int *count)
{
    int64_t lo, hi;
    size_t start;
    sb_status st;

    if (!sb_fmt_take(ps, "for"))
        return item(ps, count);
    if (ps->var)
        return sb_fmt_expected(ps, "no series inside a series");
    SB_TRY(sb_fmt_expect_name(&ps->var, ps, "the name of a variable"));
    SB_TRY(sb_fmt_expect(ps, "="));
    ps->var_value = 0;
    SB_TRY(sb_fmt_parse_const(&lo, ps, 0));
    SB_TRY(sb_fmt_expect(ps, ".."));
    SB_TRY(sb_fmt_parse_const(&hi, ps, 0));
    SB_TRY(sb_fmt_expect(ps, ":"));
    start = ps->tok.at;
    ps->var_value = lo;
    do {
        sb_fmt_seek(ps, start);
        st = item(ps, count);
    } while (st == SB_OK && ps->var_value != hi &&
             (ps->var_value += hi < lo ? -1 : 1, true));
    ps->var = NULL;
    return st;
}

static sb_status
parse_part(sb_fmt_parser *ps, int *count)
{
    const size_t at = ps->tok.at;
    const bool inner = sb_fmt_take(ps, "(");
    sb_fmt *f = ps->f;
    const sb_fmt *part;

    if (*count == SB_FMT_PARTS)
        return sb_fmt_fail(ps, SB_EPARSE, at, "a hybrid has at most %d parts",
                           SB_FMT_PARTS);
    SB_TRY(sb_fmt_parse_format(&part, ps));
    if (inner)
        SB_TRY(sb_fmt_expect(ps, ")"));
    if (part->npart > 0)
        return sb_fmt_fail(ps, SB_EINVAL, at, "a part of a hybrid is no hybrid");
    if (*count > 0 && part->ndim != f->ndim)
        return sb_fmt_fail(ps, SB_EINVAL, at, "parts with %d and %d dimensions",
                           f->ndim, part->ndim);
    f->ndim = part->ndim;
    f->part[(*count)++] = part;
    return SB_OK;
}

static sb_status
parse_threshold(sb_fmt_parser *ps, int *count)
{
    const size_t at = ps->tok.at;

    if (*count == ps->f->npart - 1)
        return sb_fmt_fail(ps, SB_EPARSE, at,
                           "every part but the last has a threshold, so there are %d",
                           ps->f->npart - 1);
    return sb_fmt_parse_const(&ps->f->threshold[(*count)++], ps, -SB_FMT_CONST_MAX);
}

static sb_status
parse_hybrid(sb_fmt_parser *ps)
{
    sb_fmt *f = ps->f;
    int nthreshold = 0;

    SB_TRY(sb_fmt_expect_name(&f->name, ps, "the name of the hybrid"));
    SB_TRY(parse_params(ps));
    SB_TRY(sb_fmt_expect(ps, "="));
    SB_TRY(sb_fmt_expect(ps, "{"));
    do {
        SB_TRY(parse_series(ps, parse_part, &f->npart));
    } while (sb_fmt_take(ps, ","));
    SB_TRY(sb_fmt_expect(ps, "}"));
    memcpy(f->dim_name, f->part[0]->dim_name, sizeof f->dim_name);
    SB_TRY(sb_fmt_expect(ps, "by"));
    if (!sb_fmt_is(ps, "sum"))
        return sb_fmt_expected(ps, "sum, what an element's group holds");
    SB_TRY(sb_fmt_parse_query(&f->query, ps, NULL));
    if (f->npart == 1)
        return SB_OK;
    SB_TRY(sb_fmt_expect(ps, "threshold"));
    do {
        SB_TRY(parse_series(ps, parse_threshold, &nthreshold));
    } while (sb_fmt_take(ps, ","));
    return nthreshold == f->npart - 1 ? SB_OK
                                      : sb_fmt_expected(ps, "a threshold for each part "
                                                            "but the last");
}

static sb_status
parse_args(sb_fmt_args *out, sb_fmt_parser *ps)
{
    if (!sb_fmt_take(ps, "<"))
        return SB_OK;
    do {
        const sb_fmt_token t = ps->tok;
        bool named;

        if (out->n == SB_FMT_PARAMS)
            return sb_fmt_fail(ps, SB_EPARSE, t.at,
                               "a format has at most %d parameters", SB_FMT_PARAMS);
        sb_fmt_next(ps);
        named = t.kind == SB_FMT_WORD && sb_fmt_is(ps, "=");
        sb_fmt_seek(ps, t.at);
        out->at[out->n] = t.at;
        if (named) {
            SB_TRY(sb_fmt_expect_name(&out->name[out->n], ps, "a parameter"));
            sb_fmt_next(ps);
        }
        SB_TRY(sb_fmt_parse_const(&out->value[out->n], ps, 0));
        out->n++;
    } while (sb_fmt_take(ps, ","));
    return sb_fmt_expect(ps, ">");
}

/* Every argument is some parameter of the format that was made, and only once. */
static sb_status
check_args(sb_fmt_parser *ps, const sb_fmt_args *args, const sb_fmt *f)
{
    bool given[SB_FMT_PARAMS] = {false};

    for (int k = 0; k < args->n; k++) {
        int q = 0;

        while (q < f->nparam &&
               (args->name[k] ? strcmp(args->name[k], f->param_name[q]) != 0 : q != k))
            q++;
        if (q == f->nparam || given[q])
            return sb_fmt_fail(ps, SB_EPARSE, args->at[k], "%s has %d parameters%s",
                               f->name, f->nparam,
                               q < f->nparam   ? ", this one is given twice"
                               : args->name[k] ? ", none of this name"
                                               : "");
        given[q] = true;
    }
    return SB_OK;
}

/* The sentence of a diagnosis, without its place in a text nobody has written here. */
static sb_status
fail_inside(sb_fmt_parser *ps, size_t at, const sb_diag *why)
{
    const char *s = strstr(why->text, ": ");
    const size_t n = s ? strcspn(s, "\n") : 0;

    return sb_fmt_fail(ps, why->st, at, "with these parameters%.*s", (int)n,
                       s ? s : "");
}

/* The registered text is read by a parser of its own; a failure there, which only the
 * arguments can cause, is told at the reference. */
static sb_status
parse_reference(const sb_fmt **out, sb_fmt_parser *ps)
{
    const sb_fmt_token t = ps->tok;
    const char *text = sb_fmt_registered(ps->src + t.at, t.len);
    sb_fmt_args args = {0};
    sb_fmt_parser inner;
    sb_diag why = {0};
    sb_status st;

    if (!text)
        return sb_fmt_expected(ps, "\"format\", \"hybrid\" or the name of a format");
    sb_fmt_next(ps);
    SB_TRY(parse_args(&args, ps));
    sb_fmt_parser_init(&inner, text, strlen(text), ps->ar, &why);
    inner.args = &args;
    inner.depth = ps->depth;
    st = sb_fmt_parse_format(out, &inner);
    if (st == SB_ENOMEM)
        return st;
    if (st != SB_OK)
        return fail_inside(ps, t.at, &why);
    return check_args(ps, &args, *out);
}

/* What a definition starts with, and what belongs to the one around it. */
static sb_status
parse_definition(const sb_fmt **out, sb_fmt_parser *ps, bool hybrid)
{
    const sb_fmt_parser outer = *ps;
    sb_fmt *f = sb_arena_alloc_zero(ps->ar, sizeof *f);
    sb_status st;

    if (!f)
        return SB_ENOMEM;
    f->trim_lo = f->trim_hi = f->pack_lo = f->pack_hi = f->partition = -1;
    ps->f = f;
    ps->nfn = ps->nodes = 0;
    ps->var = NULL;
    sb_fmt_next(ps);
    st = hybrid ? parse_hybrid(ps) : parse_plain(ps);
    ps->f = outer.f;
    ps->nfn = outer.nfn;
    ps->nodes = outer.nodes;
    ps->args = outer.args;
    ps->var = outer.var;
    ps->var_value = outer.var_value;
    *out = st == SB_OK ? f : NULL;
    return st;
}

sb_status
sb_fmt_parse_format(const sb_fmt **out, sb_fmt_parser *ps)
{
    const size_t at = ps->tok.at;
    sb_status st;

    *out = NULL;
    if (ps->depth == SB_FMT_DEPTH)
        return sb_fmt_fail(ps, SB_EPARSE, at, "nested more than %d deep", SB_FMT_DEPTH);
    ps->depth++;
    if (sb_fmt_is(ps, "format") || sb_fmt_is(ps, "hybrid"))
        st = parse_definition(out, ps, sb_fmt_is(ps, "hybrid"));
    else
        st = parse_reference(out, ps);
    ps->depth--;
    return st;
}

/* Canonical text, longer where a series repeats, can be read back: it is no longer than
 * what may be read. */
static sb_status
check_length(const sb_fmt *f, sb_fmt_parser *ps)
{
    sb_strbuf b;
    sb_status st;

    sb_strbuf_init(&b);
    sb_fmt_print(&b, f);
    st = sb_strbuf_status(&b);
    if (st == SB_OK && b.len > SB_FMT_TEXT)
        st = sb_fmt_fail(ps, SB_EPARSE, 0, "written out, this has more than %d bytes",
                         SB_FMT_TEXT);
    sb_strbuf_free(&b);
    return st;
}

sb_status
sb_fmt_parse(const sb_fmt **out, sb_arena *ar, const char *text, sb_diag *diag)
{
    const size_t len = strlen(text);
    sb_fmt_parser ps;
    const sb_fmt *f;

    *out = NULL;
    if (len > SB_FMT_TEXT)
        return sb_diag_at(diag, SB_EPARSE, text, len, SB_FMT_TEXT,
                          "a format has at most %d bytes", SB_FMT_TEXT);
    sb_fmt_parser_init(&ps, text, len, ar, diag);
    SB_TRY(sb_fmt_parse_format(&f, &ps));
    if (ps.tok.kind != SB_FMT_END)
        return sb_fmt_expected(&ps, "the end");
    SB_TRY(check_length(f, &ps));
    *out = f;
    return SB_OK;
}
