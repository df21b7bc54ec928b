/*
 * Tokens of format text: words, decimal integers, punctuation; `#` starts a comment that
 * runs to the end of its line.
 */
#include "formats/fmt_text.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static bool
is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static bool
is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

static void
skip_blank(sb_fmt_parser *ps)
{
    while (ps->at < ps->len) {
        const char c = ps->src[ps->at];

        if (c == '#') {
            while (ps->at < ps->len && ps->src[ps->at] != '\n')
                ps->at++;
        } else if (c == ' ' || c == '\t' || c == '\n' || c == '\r') {
            ps->at++;
        } else {
            return;
        }
    }
}

static size_t
punct_length(const char *s, size_t left)
{
    static const char *const two[] = {"->", "**", ".."};

    for (size_t q = 0; q < sizeof two / sizeof *two; q++) {
        if (left >= 2 && memcmp(s, two[q], 2) == 0)
            return 2;
    }
    return *s != '\0' && strchr("()<>{},:;=|@+-*/%", *s) ? 1 : 0;
}

void
sb_fmt_next(sb_fmt_parser *ps)
{
    const char *s;
    size_t n = 0, left;
    int64_t value = 0;

    skip_blank(ps);
    s = ps->src + ps->at;
    left = ps->len - ps->at;
    ps->tok = (sb_fmt_token){SB_FMT_END, ps->at, 0, 0};
    if (left == 0)
        return;
    if (is_letter(*s)) {
        while (n < left && (is_letter(s[n]) || is_digit(s[n])))
            n++;
        ps->tok.kind = SB_FMT_WORD;
    } else if (is_digit(*s)) {
        for (; n < left && is_digit(s[n]); n++) {
            if (value <= SB_FMT_CONST_MAX)
                value = 10 * value + (s[n] - '0');
        }
        ps->tok.kind = n < left && is_letter(s[n]) ? SB_FMT_BAD : SB_FMT_INT;
    } else {
        n = punct_length(s, left);
        ps->tok.kind = n > 0 ? SB_FMT_PUNCT : SB_FMT_BAD;
    }
    ps->tok.len = n;
    ps->tok.value = value;
    ps->at += n;
}

void
sb_fmt_seek(sb_fmt_parser *ps, size_t at)
{
    ps->at = at;
    sb_fmt_next(ps);
}

void
sb_fmt_parser_init(sb_fmt_parser *ps, const char *text, size_t len, sb_arena *ar,
                   sb_diag *diag)
{
    memset(ps, 0, sizeof *ps);
    ps->src = text;
    ps->len = len;
    ps->ar = ar;
    ps->diag = diag;
    sb_fmt_next(ps);
}

bool
sb_fmt_is(const sb_fmt_parser *ps, const char *text)
{
    return (ps->tok.kind == SB_FMT_WORD || ps->tok.kind == SB_FMT_PUNCT) &&
           strlen(text) == ps->tok.len &&
           memcmp(ps->src + ps->tok.at, text, ps->tok.len) == 0;
}

bool
sb_fmt_take(sb_fmt_parser *ps, const char *text)
{
    if (!sb_fmt_is(ps, text))
        return false;
    sb_fmt_next(ps);
    return true;
}

sb_status
sb_fmt_fail(sb_fmt_parser *ps, sb_status st, size_t at, const char *fmt, ...)
{
    char text[160];
    va_list ap;

    va_start(ap, fmt);
    (void)vsnprintf(text, sizeof text, fmt, ap);
    va_end(ap);
    return sb_diag_at(ps->diag, st, ps->src, ps->len, at, "%s", text);
}

sb_status
sb_fmt_expected(sb_fmt_parser *ps, const char *what)
{
    const sb_fmt_token *t = &ps->tok;
    const int shown = t->len < SB_FMT_NAME ? (int)t->len : SB_FMT_NAME;

    switch (t->kind) {
    case SB_FMT_END:
        return sb_fmt_fail(ps, SB_EPARSE, t->at, "expected %s, not the end", what);
    case SB_FMT_BAD:
        return sb_fmt_fail(ps, SB_EPARSE, t->at,
                           "expected %s; this character means nothing here", what);
    default:
        return sb_fmt_fail(ps, SB_EPARSE, t->at, "expected %s, not \"%.*s\"", what,
                           shown, ps->src + t->at);
    }
}

sb_status
sb_fmt_expect(sb_fmt_parser *ps, const char *text)
{
    char what[40];

    if (sb_fmt_take(ps, text))
        return SB_OK;
    (void)snprintf(what, sizeof what, "\"%s\"", text);
    return sb_fmt_expected(ps, what);
}

/* Words of the grammar, which cannot be names. */
static bool
is_reserved(const sb_fmt_parser *ps)
{
    static const char *const words[] = {
        "format",   "hybrid",     "by",   "threshold", "for", "where", "merge",
        "trim",     "fill",       "pack", "partition", "sum", "enum",  "reorder",
        "schedule", "value",      "with", "otherwise", "ne",  "eq",    "gt",
        "groupBy",  "traverseBy", "ge",   "lt",        "le",  "bt",    "be"};

    for (size_t q = 0; q < sizeof words / sizeof *words; q++) {
        if (sb_fmt_is(ps, words[q]))
            return true;
    }
    return false;
}

sb_status
sb_fmt_expect_name(const char **out, sb_fmt_parser *ps, const char *what)
{
    *out = NULL;
    if (ps->tok.kind != SB_FMT_WORD || is_reserved(ps))
        return sb_fmt_expected(ps, what);
    if (ps->tok.len > SB_FMT_NAME)
        return sb_fmt_fail(ps, SB_EPARSE, ps->tok.at, "a name has at most %d bytes",
                           SB_FMT_NAME);
    *out = sb_arena_strndup(ps->ar, ps->src + ps->tok.at, ps->tok.len);
    if (!*out)
        return SB_ENOMEM;
    sb_fmt_next(ps);
    return SB_OK;
}
