/*
 * Growing text without a locale. After a failed allocation the buffer ignores further
 * appends and sb_strbuf_status says ENOMEM, so callers check once at the end.
 */
#ifndef SB_BASE_STRBUF_H
#define SB_BASE_STRBUF_H

#include "base/macro.h"
#include "base/status.h"

#include <stddef.h>
#include <stdint.h>

typedef struct sb_strbuf {
    char *s; /* NUL-terminated, "" when empty; owned */
    size_t len, cap;
    sb_status st;
} sb_strbuf;

void sb_strbuf_init(sb_strbuf *b);
void sb_strbuf_free(sb_strbuf *b);
void sb_strbuf_clear(sb_strbuf *b);
void sb_strbuf_puts(sb_strbuf *b, const char *s);
void sb_strbuf_putn(sb_strbuf *b, const char *s, size_t n);
void sb_strbuf_putc(sb_strbuf *b, char c);
/* printf for %s %d %lld %zu %c %x and the like; use the calls below for floats. */
void sb_strbuf_printf(sb_strbuf *b, const char *fmt, ...) SB_PRINTF(2, 3);
void sb_strbuf_i64(sb_strbuf *b, int64_t v);
/* Shortest decimal that reads back to the same double, always with '.' or exponent;
 * inf, -inf, nan spelled so. Independent of the locale. */
void sb_strbuf_f64(sb_strbuf *b, double v);
sb_status sb_strbuf_status(const sb_strbuf *b);

/* Locale-free reader, the inverse of sb_strbuf_f64. *end is past the number; returns
 * EPARSE when no number starts at s. */
sb_status sb_parse_f64(const char *s, const char **end, double *out);
/* Decimal with optional sign; EPARSE on overflow or no digits. */
sb_status sb_parse_i64(const char *s, const char **end, int64_t *out);

#endif
