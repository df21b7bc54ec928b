/*
 * See pack.h. Packed bytes are pairs: a count of new bytes and these; a length and a
 * distance back to copy from. Numbers are seven bits a byte, lowest first. The last pair
 * may lack its copy.
 */
#include "base/pack.h"

#include <stdint.h>
#include <string.h>

enum { SHORTEST = 5, SLOT_BITS = 14 };

/* ---- packing ------------------------------------------------------------------------------ */

static void
put_number(sb_strbuf *out, size_t v)
{
    for (; v >= 128; v >>= 7)
        sb_strbuf_putc(out, (char)((v & 127) | 128));
    sb_strbuf_putc(out, (char)v);
}

static unsigned
slot_of(const unsigned char *p)
{
    uint32_t v;

    memcpy(&v, p, sizeof v);
    return v * 2654435761u >> (32 - SLOT_BITS);
}

void
sb_pack(sb_strbuf *out, const void *bytes, size_t n)
{
    uint32_t last[1 << SLOT_BITS] = {0}; /* where four bytes were seen, + 1 */
    const unsigned char *s = bytes;
    size_t from = 0, at = 0;

    while (n <= UINT32_MAX && at + SHORTEST <= n) {
        uint32_t *slot = &last[slot_of(s + at)];
        const size_t before = *slot;
        size_t same = 0;

        *slot = (uint32_t)at + 1;
        while (before && at + same < n && s[before - 1 + same] == s[at + same])
            same++;
        if (same < SHORTEST) {
            at++;
            continue;
        }
        put_number(out, at - from);
        sb_strbuf_putn(out, (const char *)s + from, at - from);
        put_number(out, same);
        put_number(out, at - (before - 1));
        at += same;
        from = at;
    }
    put_number(out, n - from);
    sb_strbuf_putn(out, (const char *)s + from, n - from);
}

/* ---- unpacking ---------------------------------------------------------------------------- */

typedef struct reader {
    const unsigned char *p, *end;
} reader;

static bool
get_number(reader *r, size_t *out)
{
    size_t v = 0;

    for (int shift = 0; r->p < r->end && shift < 63; shift += 7) {
        const unsigned char c = *r->p++;

        v |= (size_t)(c & 127) << shift;
        if (c < 128) {
            *out = v;
            return true;
        }
    }
    return false;
}

bool
sb_unpack(void *out, size_t n, const void *packed, size_t size)
{
    reader r = {packed, (const unsigned char *)packed + size};
    unsigned char *to = out;
    size_t at = 0, count, back;

    for (;;) {
        if (!get_number(&r, &count) || count > n - at || count > (size_t)(r.end - r.p))
            return false;
        memcpy(to + at, r.p, count);
        r.p += count;
        at += count;
        if (r.p == r.end)
            return at == n;
        if (!get_number(&r, &count) || count > n - at || !get_number(&r, &back) ||
            back == 0 || back > at)
            return false;
        for (; count > 0; count--, at++) /* may overlap itself */
            to[at] = to[at - back];
    }
}
