/*
 * Text buffer that doubles. An empty buffer points at a shared NUL, so that `s` can be
 * read at any time without an allocation.
 */
#include "base/strbuf.h"

#include "base/alloc.h"
#include "base/tiny.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

static char empty[1]; /* never written: cap 0 forces a growth first */

void
sb_strbuf_init(sb_strbuf *b)
{
    b->s = empty;
    b->len = b->cap = 0;
    b->st = SB_OK;
}

void
sb_strbuf_free(sb_strbuf *b)
{
    if (b->cap)
        sb_free(b->s);
    sb_strbuf_init(b);
}

/* The text that a failed append damaged is gone too, so the status is fresh again. */
void
sb_strbuf_clear(sb_strbuf *b)
{
    b->len = 0;
    b->st = SB_OK;
    if (b->cap)
        b->s[0] = '\0';
}

/* Room for n more bytes and the NUL. */
static bool
reserve(sb_strbuf *b, size_t n)
{
    size_t cap = b->cap ? b->cap : SB_STRBUF_FIRST;
    char *s;

    if (b->st != SB_OK)
        return false;
    if (b->cap > b->len && b->cap - b->len - 1 >= n)
        return true;
    while (cap - b->len - 1 < n && cap <= SIZE_MAX / 4)
        cap *= 2;
    s = cap - b->len - 1 >= n ? sb_alloc(cap) : NULL;
    if (!s) {
        b->st = SB_ENOMEM;
        return false;
    }
    memcpy(s, b->s, b->len);
    s[b->len] = '\0';
    if (b->cap)
        sb_free(b->s);
    b->s = s;
    b->cap = cap;
    return true;
}

void
sb_strbuf_putn(sb_strbuf *b, const char *s, size_t n)
{
    if (n == 0 || !reserve(b, n))
        return;
    memcpy(b->s + b->len, s, n);
    b->len += n;
    b->s[b->len] = '\0';
}

void
sb_strbuf_puts(sb_strbuf *b, const char *s)
{
    sb_strbuf_putn(b, s, strlen(s));
}

void
sb_strbuf_putc(sb_strbuf *b, char c)
{
    sb_strbuf_putn(b, &c, 1);
}

void
sb_strbuf_printf(sb_strbuf *b, const char *fmt, ...)
{
    va_list ap, again;
    int n;

    va_start(ap, fmt);
    va_copy(again, ap);
    n = vsnprintf(NULL, 0, fmt, ap);
    va_end(ap);
    if (n < 0) {
        b->st = b->st == SB_OK ? SB_EINTERNAL : b->st;
    } else if (n > 0 && reserve(b, (size_t)n)) {
        (void)vsnprintf(b->s + b->len, (size_t)n + 1, fmt, again);
        b->len += (size_t)n;
    }
    va_end(again);
}

void
sb_strbuf_i64(sb_strbuf *b, int64_t v)
{
    sb_strbuf_printf(b, "%" PRId64, v);
}

sb_status
sb_strbuf_status(const sb_strbuf *b)
{
    return b->st;
}
