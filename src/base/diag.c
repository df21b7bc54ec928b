/*
 * One sentence of fixed size: reporting a failure never allocates. Positions in a text
 * become line and column (both from 1) and a window of the line with a caret under it.
 */
#include "base/diag.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { WINDOW = 64, LEFT_OF_CARET = 48, SENTENCE = 320 };

void
sb_diag_clear(sb_diag *d)
{
    if (!d)
        return;
    d->st = SB_OK;
    d->text[0] = '\0';
}

sb_status
sb_diag_set(sb_diag *d, sb_status st, const char *fmt, ...)
{
    va_list ap;

    if (!d || d->st != SB_OK)
        return st;
    d->st = st;
    va_start(ap, fmt);
    (void)vsnprintf(d->text, sizeof d->text, fmt, ap);
    va_end(ap);
    return st;
}

typedef struct place {
    size_t line, column; /* from 1 */
    size_t lo, hi;       /* the line's bytes in the source, without its newline */
} place;

static place
locate(const char *src, size_t len, size_t at)
{
    place pl = {1, 1, 0, 0};

    for (size_t i = 0; i < at; i++) {
        if (src[i] == '\n') {
            pl.line++;
            pl.lo = i + 1;
        }
    }
    pl.column = at - pl.lo + 1;
    pl.hi = pl.lo;
    while (pl.hi < len && src[pl.hi] != '\n' && src[pl.hi] != '\r')
        pl.hi++;
    return pl;
}

/* "\n<window of the line>\n<blanks>^"; tabs count as one column on both lines. */
static void
append_caret(char *to, size_t room, const char *src, place pl, size_t at)
{
    const size_t lo = at - pl.lo > LEFT_OF_CARET ? at - LEFT_OF_CARET : pl.lo;
    const size_t hi = pl.hi > lo + WINDOW ? lo + WINDOW : pl.hi;
    size_t n = 0;

    if (room < 2 * WINDOW + 4)
        return;
    to[n++] = '\n';
    for (size_t i = lo; i < hi; i++) {
        const unsigned char c = (unsigned char)src[i];
        to[n++] = c == '\t' ? ' ' : c < 0x20 || c == 0x7f ? '?' : src[i];
    }
    to[n++] = '\n';
    for (size_t i = lo; i < at; i++)
        to[n++] = ' ';
    to[n++] = '^';
    to[n] = '\0';
}

sb_status
sb_diag_at(sb_diag *d, sb_status st, const char *src, size_t len, size_t at,
           const char *fmt, ...)
{
    va_list ap;
    place pl;
    size_t n;

    if (!d || d->st != SB_OK)
        return st;
    if (at > len)
        at = len;
    pl = locate(src, len, at);
    d->st = st;
    (void)snprintf(d->text, SENTENCE, "line %zu, column %zu: ", pl.line, pl.column);
    n = strlen(d->text);
    va_start(ap, fmt);
    (void)vsnprintf(d->text + n, SENTENCE - n, fmt, ap);
    va_end(ap);
    n = strlen(d->text);
    append_caret(d->text + n, sizeof d->text - n, src, pl, at);
    return st;
}
