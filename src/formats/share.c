/*
 * Ranges of places for the pieces of a list.
 */
#include "formats/share.h"

#include "base/fault.h"

enum { PIECE_ENTRIES = 4096 };

int64_t
sb_share_count(int64_t nnz)
{
    const int64_t n = nnz / PIECE_ENTRIES;

    return n < 1 ? 1 : n < SB_SHARE_PIECES ? n : SB_SHARE_PIECES;
}

int64_t
sb_share_cut(int64_t count, int64_t pieces, int64_t t)
{
    const int64_t rest = count % pieces;

    return count / pieces * t + (t < rest ? t : rest);
}

static int64_t
index_of(const sb_share *s, int64_t p)
{
    return sb_index(s->idx, s->type, p) - s->base;
}

typedef struct look {
    const sb_share *s;
    bool falls[SB_SHARE_PIECES]; /* an entry whose successor has a smaller index */
} look;

static void
look_for_falls(void *user, int64_t first, int64_t last)
{
    look *l = user;
    const sb_share *s = l->s;

    for (int64_t t = first; t < last; t++) {
        const int64_t hi = sb_share_cut(s->nnz, s->pieces, t + 1);
        int64_t p = sb_share_cut(s->nnz, s->pieces, t);

        while (p < hi && (p + 1 == s->nnz || index_of(s, p) <= index_of(s, p + 1)))
            p++;
        l->falls[t] = p < hi;
    }
}

void
sb_share_plan(sb_share *s, const sb_par *par)
{
    const int threads = par ? par->threads : 1;
    look l = {.s = s};

    s->pieces = threads > 1 ? sb_share_count(s->nnz) : 1;
    s->ascending = s->pieces > 1;
    if (s->pieces == 1)
        return;
    sb_par_run(par, look_for_falls, &l, 0, s->pieces, 1);
    for (int64_t t = 0; t < s->pieces; t++)
        s->ascending = s->ascending && !l.falls[t];
    if (!s->ascending)
        s->pieces = threads;
}

/* The first entry of an ascending list whose index is not below i. */
static int64_t
find(const sb_share *s, int64_t i)
{
    int64_t lo = 0, hi = s->nnz;

    while (lo < hi) {
        const int64_t mid = lo + (hi - lo) / 2;

        if (index_of(s, mid) < i)
            lo = mid + 1;
        else
            hi = mid;
    }
    return lo;
}

/* Where piece t begins: in an ascending list such that pieces have as many entries. */
static int64_t
bound(const sb_share *s, int64_t t)
{
    int64_t at;

    if (t == 0 || t == s->pieces)
        return t == 0 ? 0 : s->size;
    at = s->ascending ? index_of(s, sb_share_cut(s->nnz, s->pieces, t))
                      : sb_share_cut(s->size, s->pieces, t);
    return at < 0 ? 0 : at < s->size ? at : s->size;
}

sb_share_piece
sb_share_of(const sb_share *s, int64_t t)
{
    const bool both = SB_FAULT(SHARE_OWNER) && t + 1 < s->pieces;
    const int64_t lo = bound(s, t), hi = bound(s, t + 1) + both;

    if (!s->ascending)
        return (sb_share_piece){lo, hi, 0, s->nnz};
    return (sb_share_piece){lo, hi, find(s, lo), find(s, hi)};
}
