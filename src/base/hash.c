/*
 * Two 64-bit lanes; each 16-byte step multiplies one word into either lane and lets the
 * lanes see each other, the end mixes the length in and avalanches. Bytes are read
 * little-endian on every machine.
 */
#include "base/hash.h"

#include <string.h>

static const uint64_t mul_a = 0x9E3779B97F4A7C15u; /* 2^64 / golden ratio, odd */
static const uint64_t mul_b = 0xD1342543DE82EF95u; /* a full-period LCG multiplier */

static uint64_t
rotate(uint64_t x, int by)
{
    return (x << by) | (x >> (64 - by));
}

static uint64_t
read_word(const unsigned char *p)
{
    return (uint64_t)p[0] | (uint64_t)p[1] << 8 | (uint64_t)p[2] << 16 |
           (uint64_t)p[3] << 24 | (uint64_t)p[4] << 32 | (uint64_t)p[5] << 40 |
           (uint64_t)p[6] << 48 | (uint64_t)p[7] << 56;
}

static sb_hash
step(sb_hash h, const unsigned char *p)
{
    const uint64_t a = (h.a ^ read_word(p)) * mul_a;
    const uint64_t b = (h.b ^ read_word(p + 8)) * mul_b;

    return (sb_hash){rotate(a, 29) + b, rotate(b, 31) ^ a};
}

/* Every input bit reaches every output bit. */
static uint64_t
avalanche(uint64_t x)
{
    x = (x ^ (x >> 32)) * mul_a;
    x = (x ^ (x >> 29)) * mul_b;
    return x ^ (x >> 32);
}

sb_hash
sb_hash_bytes(const void *p, size_t n, sb_hash seed)
{
    const unsigned char *s = p;
    unsigned char tail[16] = {0};
    sb_hash h = {seed.a ^ mul_b, seed.b + mul_a};
    size_t at;

    for (at = 0; n - at >= 16; at += 16)
        h = step(h, s + at);
    if (at < n) {
        memcpy(tail, s + at, n - at);
        h = step(h, tail);
    }
    h.a ^= (uint64_t)n * mul_b;
    h.a = avalanche(h.a + rotate(h.b, 17));
    h.b = avalanche(h.b ^ h.a);
    h.a += h.b;
    return h;
}

int
sb_hash_equal(sb_hash x, sb_hash y)
{
    return x.a == y.a && x.b == y.b;
}

void
sb_hash_text(sb_hash h, char out[33])
{
    static const char digits[] = "0123456789abcdef";

    for (int i = 0; i < 16; i++) {
        out[i] = digits[h.a >> (60 - 4 * i) & 15];
        out[16 + i] = digits[h.b >> (60 - 4 * i) & 15];
    }
    out[32] = '\0';
}
