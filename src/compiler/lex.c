/*
 * Tokens of the program text, declared in lex.h. Reads bytes only inside the source,
 * which need not end in NUL and may hold any byte.
 */
#include "compiler/lex.h"

#include <string.h>

void
sb_lex_init(sb_lex *lx, const char *src, size_t len)
{
    lx->src = src;
    lx->len = len;
    lx->at = 0;
    lx->semicolon = false;
}

bool
sb_token_is(const sb_token *t, const char *text)
{
    return (t->kind == SB_TOKEN_WORD || t->kind == SB_TOKEN_PUNCT) &&
           strlen(text) == t->n && memcmp(t->text, text, t->n) == 0;
}

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

/* The byte `ahead` of the reading position, 0 past the end. */
static char
peek(const sb_lex *lx, size_t ahead)
{
    return ahead < lx->len - lx->at ? lx->src[lx->at + ahead] : '\0';
}

static void
skip_blank(sb_lex *lx)
{
    while (lx->at < lx->len) {
        const char c = lx->src[lx->at];

        if (c == ';' && !lx->semicolon) {
            while (lx->at < lx->len && lx->src[lx->at] != '\n')
                lx->at++;
        } else if (c == ' ' || c == '\t' || c == '\n' || c == '\r') {
            lx->at++;
        } else {
            return;
        }
    }
}

static sb_token
take(sb_lex *lx, sb_token_kind kind, size_t sigil, size_t n)
{
    const sb_token t = {kind, lx->at, sigil + n, lx->src + lx->at + sigil, n, NULL};

    lx->at += sigil + n;
    return t;
}

static sb_token
refuse(sb_lex *lx, size_t len, const char *why)
{
    sb_token t = take(lx, SB_TOKEN_BAD, 0, len);

    t.why = why;
    return t;
}

static sb_token
lex_name(sb_lex *lx, sb_token_kind kind, size_t sigil)
{
    size_t n = 0;

    if (!is_letter(peek(lx, sigil)))
        return refuse(lx, 1, "a name must follow");
    while (is_letter(peek(lx, sigil + n)) || is_digit(peek(lx, sigil + n)))
        n++;
    if (n > SB_NAME_MAX)
        return refuse(lx, sigil + n, "this name is too long");
    return take(lx, kind, sigil, n);
}

/* digits [. digits] [e [sign] digits]; `0 .. 5` may be written 0..5. */
static sb_token
lex_number(sb_lex *lx)
{
    sb_token_kind kind = SB_TOKEN_INT;
    size_t n = 0;

    while (is_digit(peek(lx, n)))
        n++;
    if (peek(lx, n) == '.' && is_digit(peek(lx, n + 1))) {
        kind = SB_TOKEN_FLOAT;
        n++;
        while (is_digit(peek(lx, n)))
            n++;
    }
    if (peek(lx, n) == 'e' || peek(lx, n) == 'E') {
        const size_t sign = peek(lx, n + 1) == '+' || peek(lx, n + 1) == '-';

        if (is_digit(peek(lx, n + 1 + sign))) {
            kind = SB_TOKEN_FLOAT;
            n += 1 + sign;
            while (is_digit(peek(lx, n)))
                n++;
        }
    }
    if (n > SB_NUMBER_MAX)
        return refuse(lx, n, "this number is too long");
    if (is_letter(peek(lx, n)))
        return refuse(lx, n + 1, "a letter cannot follow a number");
    return take(lx, kind, 0, n);
}

static sb_token
lex_punct(sb_lex *lx)
{
    static const char *const two[] = {
        "..", "+=", "==", "!=", "<=", ">=", "&&", "||", "->"};
    const char c = peek(lx, 0);

    for (size_t q = 0; q < sizeof two / sizeof *two; q++) {
        if (c == two[q][0] && peek(lx, 1) == two[q][1])
            return take(lx, SB_TOKEN_PUNCT, 0, 2);
    }
    if (c != '\0' && strchr("()[]{},:=+-*/<>!;&", c))
        return take(lx, SB_TOKEN_PUNCT, 0, 1);
    return refuse(lx, 1, "this character means nothing here");
}

sb_token
sb_lex_next(sb_lex *lx)
{
    skip_blank(lx);
    if (lx->at == lx->len)
        return take(lx, SB_TOKEN_END, 0, 0);
    switch (peek(lx, 0)) {
    case '%':
        return lex_name(lx, SB_TOKEN_VAR, 1);
    case '$':
        return lex_name(lx, SB_TOKEN_BUF, 1);
    case '#':
        return lex_name(lx, SB_TOKEN_AXIS, 1);
    case '@':
        return lex_name(lx, SB_TOKEN_FUNC, 1);
    default:
        break;
    }
    if (is_letter(peek(lx, 0)))
        return lex_name(lx, SB_TOKEN_WORD, 0);
    if (is_digit(peek(lx, 0)))
        return lex_number(lx);
    return lex_punct(lx);
}
