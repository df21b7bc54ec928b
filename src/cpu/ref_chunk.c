/*
 * See ref_chunk.h. Slots that follow each other and are all wanted, which is what CSR has, are
 * taken as they are; all else entry by entry, which is passed over where it is not wanted before
 * anything but its place is read.
 */
#include "cpu/ref_chunk.h"

#include "base/macro.h"

#include <string.h>

enum { PIECE = 16 }; /* entries looked at together */

/* An index of the caller's. */
#define AT(array, p) \
    (wide ? ((const int64_t *)(array))[p] : (int64_t)((const int32_t *)(array))[p])

/* An index without its base; an empty slot is -1, whatever says so. */
SB_INLINE int64_t
minor_of(int64_t index, int64_t base)
{
    return index < base ? -1 : index - base;
}

/* [p, p + n) of an index array, without its base; none of them is below it. */
static void
indices(int64_t *to, const void *array, sb_dtype type, int64_t p, int64_t n,
        int64_t base)
{
    if (type == SB_I64)
        for (int64_t q = 0; q < n; q++)
            to[q] = ((const int64_t *)array)[p + q] - base;
    else
        for (int64_t q = 0; q < n; q++)
            to[q] = ((const int32_t *)array)[p + q] - base;
}

static void
minors(sb_ref_chunk *c, const sb_ref_sparse *a, int64_t p, int64_t n,
       const sb_ref_wanted *w)
{
    if (!w->raw)
        indices(c->minor, a->m.idx, a->m.idx_type, p, n, a->m.base);
    else if (n > 0)
        c->idx = (const char *)a->m.idx + p * (a->m.idx_type == SB_I64 ? 8 : 4);
}

/* n values, contiguous, become those of the chunk. */
static void
values(sb_ref_chunk *c, const sb_ref_sparse *a, const void *from, int64_t n)
{
    c->val = a->plain ? from : c->copy;
    if (a->plain)
        return;
    if (a->loops)
        a->loops->widen(c->copy, from, n, a->conj);
    else
        a->load(c->copy, from, 0, 1, n, a->conj);
}

#define PICK(bytes)                 \
    for (int64_t q = 0; q < n; q++) \
    memcpy(to + q * (bytes), from + c->at[q] * (bytes), bytes)

/* Those at c->at, side by side. */
static void
picked(sb_ref_chunk *c, const sb_ref_sparse *a, int64_t n)
{
    const char *from = a->m.val;
    char *to = (char *)c->side;

    switch (a->size) {
    case 1:
        PICK(1);
        break;
    case 2:
        PICK(2);
        break;
    case 4:
        PICK(4);
        break;
    case 8:
        PICK(8);
        break;
    default:
        PICK(16);
    }
    values(c, a, to, n);
}

/* How many of n indices are wanted. */
SB_INLINE int64_t
count_wide(const void *array, int64_t p, int64_t n, uint64_t first, uint64_t all,
           bool wide)
{
    int64_t count = 0;

    for (int64_t q = 0; q < n; q++)
        count += (uint64_t)AT(array, p + q) - first < all;
    return count;
}

/* The same of 32 bits, where `all` ends within them: vectors of comparisons. */
static int64_t
count_narrow(const int32_t *array, int64_t n, uint32_t first, uint32_t all)
{
    int32_t count = 0;

    for (int64_t q = 0; q < n; q++)
        count += (uint32_t)array[q] - first < all;
    return count;
}

static int64_t
count(const sb_ref_sparse *a, const void *array, int64_t p, int64_t n,
      const sb_ref_wanted *w)
{
    const uint64_t first = (uint64_t)(w->lo + a->m.base);
    const uint64_t all = (uint64_t)(w->hi - w->lo);

    if (n == 0)
        return 0; /* arrays may be NULL */
    if (a->m.idx_type == SB_I64)
        return count_wide(array, p, n, first, all, true);
    if (w->hi <= INT32_MAX)
        return count_narrow((const int32_t *)array + p, n, (uint32_t)first,
                            (uint32_t)all);
    return count_wide(array, p, n, first, all, false);
}

/* ---- Lists -------------------------------------------------------------------------- */

/* Of slots [p, p + n) those that are wanted, behind the k that are there; majors are not those of
 * runs yet. An index that is not wanted may be any number. */
SB_INLINE int64_t
sieve_list(sb_ref_chunk *c, const sb_ref_sparse *a, int64_t p, int64_t n, int64_t k,
           const sb_ref_wanted *w, bool wide)
{
    const void *tested = w->by_major ? a->m.row : a->m.idx;
    const uint64_t base = (uint64_t)a->m.base, first = (uint64_t)w->lo + base;
    const uint64_t all = (uint64_t)(w->hi - w->lo);

    for (int64_t q = p; q < p + n; q++) {
        c->major[k] = (int64_t)((uint64_t)AT(a->m.row, q) - base);
        c->minor[k] = (int64_t)((uint64_t)AT(a->m.idx, q) - base);
        c->at[k] = q;
        k += (uint64_t)AT(tested, q) - first < all;
    }
    return k;
}

/* A piece, of which mostly nothing is wanted. */
static int64_t
piece_of_list(sb_ref_chunk *c, const sb_ref_sparse *a, int64_t p, int64_t n, int64_t k,
              const sb_ref_wanted *w)
{
    if (count(a, w->by_major ? a->m.row : a->m.idx, p, n, w) == 0)
        return k;
    return a->m.idx_type == SB_I64 ? sieve_list(c, a, p, n, k, w, true)
                                   : sieve_list(c, a, p, n, k, w, false);
}

/* Slots that follow each other and have one major, whatever the others are that are wanted. `major`
 * may be c->major itself. */
SB_INLINE void
runs_of(sb_ref_chunk *c, const void *major, int64_t n, uint64_t base, bool wide,
        bool holes)
{
    int64_t r = 0;

    for (int64_t e = 0; e + 1 < n; e++) {
        c->end[r] = e + 1;
        r +=
            AT(major, e) != AT(major, e + 1) || (holes && c->at[e + 1] != c->at[e] + 1);
    }
    c->end[r] = n;
    c->runs = r + 1;
    for (r = 0; r < c->runs; r++)
        c->major[r] = (int64_t)((uint64_t)AT(major, c->end[r] - 1) - base);
}

static bool
next_of_list(sb_ref_chunk *c, const sb_ref_sparse *a, sb_ref_cursor *cursor,
             const sb_ref_wanted *w)
{
    const int64_t p = cursor->place, left = a->m.nnz - p;
    const int64_t n = left < SB_REF_CHUNK ? left : SB_REF_CHUNK;
    const bool wide = a->m.idx_type == SB_I64;
    int64_t some;

    if (n <= 0)
        return false;
    cursor->place = p + n;
    c->runs = 0;
    some = w->all || w->raw ? n : count(a, w->by_major ? a->m.row : a->m.idx, p, n, w);
    if (some == 0)
        return true;
    if (some == n) {
        c->row = (const char *)a->m.row + p * (wide ? 8 : 4);
        if (w->raw && !w->by_major) {
            c->runs = 1;
            c->end[0] = n;
        } else if (wide) {
            runs_of(c, c->row, n, (uint64_t)a->m.base, true, false);
        } else {
            runs_of(c, c->row, n, (uint64_t)a->m.base, false, false);
        }
        minors(c, a, p, n, w);
        values(c, a, (const char *)a->m.val + p * (int64_t)a->size, n);
    } else {
        for (int64_t q = p, k = 0; k < some; q += PIECE)
            k = piece_of_list(c, a, q, p + n - q < PIECE ? p + n - q : PIECE, k, w);
        runs_of(c, c->major, some, 0, true, true);
        picked(c, a, some);
    }
    return true;
}

/* ---- Rows --------------------------------------------------------------------------- */

/* Of slots [p, p + n) those that are wanted, behind the k that are there. */
SB_INLINE int64_t
sieve_row(sb_ref_chunk *c, const sb_ref_sparse *a, int64_t p, int64_t n, int64_t k,
          const sb_ref_wanted *w, bool wide)
{
    const uint64_t base = (uint64_t)a->m.base, first = (uint64_t)w->lo + base;
    const uint64_t all = (uint64_t)(w->hi - w->lo);

    for (int64_t q = p; q < p + n; q++) {
        c->minor[k] = (int64_t)((uint64_t)AT(a->m.idx, q) - base);
        c->at[k] = q;
        k += (uint64_t)AT(a->m.idx, q) - first < all;
    }
    return k;
}

/* Of each run those that are wanted; slots begin at p. Of a piece mostly nothing is. */
static void
sieve_rows(sb_ref_chunk *c, const sb_ref_sparse *a, int64_t p, const sb_ref_wanted *w)
{
    int64_t k = 0;

    for (int64_t r = 0, q = 0; r < c->runs; r++) {
        for (int64_t n; q < c->end[r]; q += n) {
            n = c->end[r] - q < PIECE ? c->end[r] - q : PIECE;
            if (count(a, a->m.idx, p + q, n, w) > 0)
                k = a->m.idx_type == SB_I64 ? sieve_row(c, a, p + q, n, k, w, true)
                                            : sieve_row(c, a, p + q, n, k, w, false);
        }
        c->end[r] = k;
    }
}

/* Slots of a row follow those of the row before. */
static bool
next_of_slots(sb_ref_chunk *c, const sb_ref_sparse *a, sb_ref_cursor *cursor,
              int64_t most, const sb_ref_wanted *w)
{
    const int64_t p = sb_matrix_slots(&a->m, cursor->row).lo + cursor->place;
    int64_t n = 0, some;

    for (c->runs = 0; cursor->row < cursor->rows && c->runs < most; c->runs++) {
        const int64_t end = sb_index(a->m.ptr, a->m.ptr_type, cursor->row + 1);
        const int64_t hi = end - a->m.base - p;
        const bool fits = hi <= SB_REF_CHUNK;

        if (!fits && c->runs > 0)
            break;
        n = !fits ? SB_REF_CHUNK : hi > n ? hi : n;
        c->major[c->runs] = cursor->row;
        c->end[c->runs] = n;
        cursor->place = fits ? 0 : cursor->place + n;
        cursor->row += fits;
        if (!fits) {
            c->runs++;
            break;
        }
    }
    some = w->all || w->raw ? n : count(a, a->m.idx, p, n, w);
    if (some == n) {
        minors(c, a, p, n, w);
        if (n > 0)
            values(c, a, (const char *)a->m.val + p * (int64_t)a->size, n);
        return true;
    }
    if (some == 0) {
        c->runs = 0;
        return true;
    }
    sieve_rows(c, a, p, w);
    picked(c, a, some);
    return true;
}

/* Elements of a row with slots s, wanted or not. */
static int64_t
length(const sb_ref_sparse *a, const sb_slots *s)
{
    const int64_t slots =
        s->step == 1 ? s->hi - s->lo : (s->hi - s->lo + s->step - 1) / s->step;

    return s->hi > s->lo ? slots * a->block : 0;
}

/* A row, of which slots s are blocks or may be empty: element row r of them. */
typedef struct places {
    const sb_slots *s;
    int64_t r, place; /* elements of it are taken */
} places;

/* Elements become entries behind the k that are there, those that are wanted or, which is a
 * constant, all. Returns how many there are then. */
SB_INLINE int64_t
blocks(sb_ref_chunk *c, const sb_ref_sparse *a, places *at, int64_t k,
       const sb_ref_wanted *w, bool wide, bool all)
{
    const sb_slots *s = at->s;
    const int64_t b = a->block, base = a->m.base;
    const bool turned = a->m.format == SB_FORMAT_BSR && a->m.block_col_major;
    const int64_t step = turned ? b : 1, far = a->padded ? b : b * b;
    const int64_t value = s->lo < s->hi ? sb_matrix_value(&a->m, s->lo, at->r, 0) : 0;
    const void *idx = a->m.idx;
    int64_t from = at->place == 0 ? 0 : at->place % b;
    int64_t p = at->place == 0 ? s->lo : s->lo + at->place / b;

    while (p < s->hi && k < SB_REF_CHUNK) {
        const int64_t room = SB_REF_CHUNK - k, left = b - from;
        const int64_t part = left < room ? left : room;
        const int64_t v = minor_of(AT(idx, p), base);
        const int64_t first = v < 0 ? -1 : v * b + from;
        const int64_t there = value + (p - s->lo) * far + from * step;

        at->place += part;
        p += part == left;
        from = part == left ? 0 : from + part;
        if (v < 0 || (!all && (first >= w->hi || first + part <= w->lo)))
            continue;
        for (int64_t q = 0; q < part; q++) {
            const int64_t to = all ? k + q : k;

            c->minor[to] = first + q;
            c->at[to] = there + q * step;
            k += !all && first + q >= w->lo && first + q < w->hi;
        }
        k += all ? part : 0;
    }
    return k;
}

/* The same of slots that are no blocks. */
SB_INLINE int64_t
sliced(sb_ref_chunk *c, const sb_ref_sparse *a, places *at, int64_t k,
       const sb_ref_wanted *w, bool wide)
{
    const int64_t step = at->s->step, hi = at->s->hi, base = a->m.base;
    const int64_t first = w->all ? 0 : w->lo;
    const uint64_t all = w->all ? INT64_MAX : (uint64_t)(w->hi - first);
    int64_t p = at->s->lo + at->place * step;

    for (; p < hi && k < SB_REF_CHUNK; p += step) {
        const int64_t v = minor_of(AT(a->m.idx, p), base);

        c->minor[k] = v;
        c->at[k] = p;
        k += (uint64_t)(v - first) < all; /* and not negative */
        at->place++;
    }
    return k;
}

static int64_t
take(sb_ref_chunk *c, const sb_ref_sparse *a, places *at, int64_t k,
     const sb_ref_wanted *w)
{
    const bool wide = a->m.idx_type == SB_I64;

    if (a->block == 1)
        return wide ? sliced(c, a, at, k, w, true) : sliced(c, a, at, k, w, false);
    if (w->all)
        return wide ? blocks(c, a, at, k, w, true, true)
                    : blocks(c, a, at, k, w, false, true);
    return wide ? blocks(c, a, at, k, w, true, false)
                : blocks(c, a, at, k, w, false, false);
}

static bool
next_of_places(sb_ref_chunk *c, const sb_ref_sparse *a, sb_ref_cursor *cursor,
               int64_t most, const sb_ref_wanted *w)
{
    int64_t k = 0;

    for (c->runs = 0; cursor->row < cursor->rows && c->runs < most; c->runs++) {
        const int64_t i = cursor->row, u = a->block == 1 ? i : i / a->block;
        const sb_slots s = sb_matrix_slots(&a->m, u);
        const int64_t all = length(a, &s);
        places at = {&s, i - u * a->block, cursor->place};

        if (c->runs > 0 && k + all > SB_REF_CHUNK)
            break;
        k = take(c, a, &at, k, w);
        c->major[c->runs] = i;
        c->end[c->runs] = k;
        cursor->place = at.place;
        if (cursor->place < all) {
            c->runs++;
            break;
        }
        cursor->place = 0;
        cursor->row++;
    }
    if (k > 0)
        picked(c, a, k);
    return true;
}

int64_t
sb_ref_chunk_slice(sb_ref_chunk *c, const sb_ref_sparse *a, sb_ref_cursor *cursor)
{
    const int64_t width = a->m.width, slice = cursor->row / width;
    const int64_t past =
        (slice + 1) * width < cursor->rows ? (slice + 1) * width : cursor->rows;
    const int64_t wanted = past - cursor->row;
    const int64_t rows = wanted < SB_REF_CHUNK ? wanted : SB_REF_CHUNK;
    const sb_slots s = sb_matrix_slots(&a->m, cursor->row);
    const int64_t p = s.lo + cursor->place * width;
    const int64_t left = s.hi > p ? (s.hi - p + width - 1) / width : 0;
    const int64_t room = SB_REF_CHUNK / rows, columns = left < room ? left : room;

    for (int64_t k = 0, e = 0; k < columns; k++)
        for (int64_t r = 0; r < rows; r++, e++) {
            c->at[e] = p + k * width + r;
            c->minor[e] =
                minor_of(sb_index(a->m.idx, a->m.idx_type, c->at[e]), a->m.base);
        }
    if (rows == width && columns > 0) /* side by side */
        values(c, a, (const char *)a->m.val + p * (int64_t)a->size, rows * columns);
    else
        picked(c, a, rows * columns);
    c->runs = columns;
    for (int64_t k = 0; k < columns; k++)
        c->end[k] = (k + 1) * rows;
    cursor->place += columns;
    if (columns == left) {
        cursor->row += rows;
        cursor->place = 0;
    }
    return rows;
}

bool
sb_ref_chunk_next(sb_ref_chunk *c, const sb_ref_sparse *a, sb_ref_cursor *cursor,
                  int64_t most, const sb_ref_wanted *w)
{
    most = most < SB_REF_CHUNK ? most : SB_REF_CHUNK;
    if (a->listed)
        return next_of_list(c, a, cursor, w);
    if (cursor->row >= cursor->rows)
        return false;
    if (a->block > 1 || a->padded)
        return next_of_places(c, a, cursor, most, w);
    return next_of_slots(c, a, cursor, most, w);
}
