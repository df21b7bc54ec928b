/*
 * Squares of one line of 64 bytes a side, so that every line read or written is done with
 * while L1 has it; in them squares of one register a side, which L - 1 rounds of interleaving
 * turn (rows i and i + L/2 become rows 2i and 2i + 1, log2 L times).
 */
#include "base/transpose.h"

#include "base/macro.h"

enum { LINE = 64 };

#define LOW2 0, 2
#define HIGH2 1, 3
#define LOW4 0, 4, 1, 5
#define HIGH4 2, 6, 3, 7
#define LOW8 0, 8, 1, 9, 2, 10, 3, 11
#define HIGH8 4, 12, 5, 13, 6, 14, 7, 15

/* NAME(to, to_ld, from, from_ld): a square of L lines, L a power of two. */
#define SQUARE(name, type, L)                                                       \
    typedef SB_LANES(type, 16) name##_lanes;                                        \
    SB_INLINE void name(type *to, int64_t to_ld, const type *from, int64_t from_ld) \
    {                                                                               \
        name##_lanes row[L], next[L];                                               \
                                                                                    \
        for (int q = 0; q < L; q++)                                                 \
            row[q] = *(const name##_lanes *)(from + q * from_ld);                   \
        for (int round = 1; round < L; round *= 2) {                                \
            for (int q = 0; q < L / 2; q++) {                                       \
                next[2 * q] = SB_INTERLEAVE(row[q], row[q + L / 2], LOW##L);        \
                next[2 * q + 1] = SB_INTERLEAVE(row[q], row[q + L / 2], HIGH##L);   \
            }                                                                       \
            for (int q = 0; q < L; q++)                                             \
                row[q] = next[q];                                                   \
        }                                                                           \
        for (int q = 0; q < L; q++)                                                 \
            *(name##_lanes *)(to + q * to_ld) = row[q];                             \
    }

/* NAME_all: whole squares, then what is left of lines and elements one by one. */
#define ALL(name, type, L)                                                             \
    static void name##_some(type *to, int64_t to_ld, const type *from,                 \
                            int64_t from_ld, int64_t lines, int64_t count)             \
    {                                                                                  \
        for (int64_t q = 0; q < lines; q++)                                            \
            for (int64_t e = 0; e < count; e++)                                        \
                to[e * to_ld + q] = from[q * from_ld + e];                             \
    }                                                                                  \
                                                                                       \
    static void name##_all(type *to, int64_t to_ld, const type *from, int64_t from_ld, \
                           int64_t lines, int64_t count)                               \
    {                                                                                  \
        const int64_t side = LINE / (int64_t)sizeof(type);                             \
        const int64_t whole = lines - lines % L, full = count - count % L;             \
                                                                                       \
        for (int64_t q0 = 0; q0 < whole; q0 += side)                                   \
            for (int64_t e0 = 0; e0 < full; e0 += side)                                \
                for (int64_t e = e0; e < full && e < e0 + side; e += L)                \
                    for (int64_t q = q0; q < whole && q < q0 + side; q += L)           \
                        name(to + e * to_ld + q, to_ld, from + q * from_ld + e,        \
                             from_ld);                                                 \
        name##_some(to + full * to_ld, to_ld, from + full, from_ld, whole,             \
                    count - full);                                                     \
        name##_some(to + whole, to_ld, from + whole * from_ld, from_ld, lines - whole, \
                    count);                                                            \
    }

typedef struct wide {
    uint64_t half[2];
} wide;

SB_INLINE void
byte(uint8_t *to, int64_t to_ld, const uint8_t *from, int64_t from_ld)
{
    (void)to_ld;
    (void)from_ld;
    *to = *from;
}

SB_INLINE void
quad(wide *to, int64_t to_ld, const wide *from, int64_t from_ld)
{
    (void)to_ld;
    (void)from_ld;
    *to = *from;
}

SQUARE(half, uint16_t, 8)
SQUARE(word, uint32_t, 4)
SQUARE(pair, uint64_t, 2)
ALL(byte, uint8_t, 1)
ALL(half, uint16_t, 8)
ALL(word, uint32_t, 4)
ALL(pair, uint64_t, 2)
ALL(quad, wide, 1)

void
sb_transpose(void *to, int64_t to_ld, const void *from, int64_t from_ld, int64_t lines,
             int64_t count, size_t size)
{
    switch (size) {
    case 1:
        byte_all(to, to_ld, from, from_ld, lines, count);
        break;
    case 2:
        half_all(to, to_ld, from, from_ld, lines, count);
        break;
    case 4:
        word_all(to, to_ld, from, from_ld, lines, count);
        break;
    case 8:
        pair_all(to, to_ld, from, from_ld, lines, count);
        break;
    default:
        quad_all(to, to_ld, from, from_ld, lines, count);
        break;
    }
}
