/*
 * Orders of entries.
 */
#include "native/run.h"

enum { CHUNK = 1024, DIGIT_BITS = 5, DIGITS = 1 << DIGIT_BITS, LINE = 64 };

/* Scratch: keys and orders, twice for a sort that goes back and forth; one more array of
 * entries; counts of digits, and the sums of those. */
typedef struct sorter {
    const sb_native *n;
    int64_t nnz, groups;
    int32_t *key[2], *order[2], *spare;
    int64_t *count, *sums;
    int at; /* which of the two holds the last result; -1: none yet */
} sorter;

static size_t
lines(size_t bytes)
{
    return (bytes + LINE - 1) & ~(size_t)(LINE - 1);
}

static int64_t
groups_of(int64_t nnz)
{
    return (nnz + CHUNK - 1) / CHUNK;
}

size_t
sb_native_order_scratch(int64_t nnz)
{
    const int64_t counts = DIGITS * groups_of(nnz);

    return 5 * lines((size_t)nnz * sizeof(int32_t)) +
           lines((size_t)(counts + 1) * sizeof(int64_t)) +
           lines(sb_native_scan_bytes(counts)) + LINE;
}

static sorter
sorter_of(const sb_native *n, int64_t nnz, void *scratch)
{
    char *at = (char *)(((uintptr_t)scratch + LINE - 1) & ~(uintptr_t)(LINE - 1));
    const size_t entries = lines((size_t)nnz * sizeof(int32_t));
    const int64_t counts = DIGITS * groups_of(nnz);
    sorter s = {.n = n, .nnz = nnz, .groups = groups_of(nnz), .at = -1};

    for (int q = 0; q < 2; q++) {
        s.key[q] = (int32_t *)(void *)at;
        s.order[q] = (int32_t *)(void *)(at + entries);
        at += 2 * entries;
    }
    s.spare = (int32_t *)(void *)at;
    s.count = (int64_t *)(void *)(at + entries);
    s.sums = (int64_t *)(void *)(at + entries +
                                 lines((size_t)(counts + 1) * sizeof(int64_t)));
    return s;
}

static sb_native_job
job_of(const char *op, int64_t count, int64_t base, int64_t more, int shift)
{
    sb_native_job j = sb_native_job_of(op, SB_DTYPE_COUNT, SB_DTYPE_COUNT,
                                       SB_DTYPE_COUNT, SB_DTYPE_COUNT);

    sb_native_int(&j, count);
    sb_native_int(&j, base);
    sb_native_int(&j, more);
    sb_native_int(&j, shift);
    j.args.nbuf = 5;
    return j;
}

static void
set(sb_native_job *j, int array, const void *at)
{
    j->args.buf[array] = (void *)(uintptr_t)at;
}

/* ---- sorting -------------------------------------------------------------------------- */

/* One digit of the keys, from where the last result is or from `key` (and its order). */
static sb_status
pass(sorter *s, const int32_t *key, const int32_t *order, int base, int shift)
{
    const int to = s->at == 0 ? 1 : 0;
    const int64_t counts = DIGITS * s->groups;
    sb_native_job j = job_of("digits", s->groups, base, s->nnz, shift);

    set(&j, 0, key);
    set(&j, 1, order);
    set(&j, 2, s->key[to]);
    set(&j, 3, s->order[to]);
    set(&j, 4, s->count);
    SB_TRY(sb_native_groups(s->n, &j, s->groups));
    SB_TRY(sb_native_scan_sums(s->n, s->count, counts, s->sums));
    SB_TRY(sb_native_scan_write(s->n, s->count, counts, s->sums, s->count, SB_I64, 0));
    j.op = "spread";
    SB_TRY(sb_native_groups(s->n, &j, s->groups));
    s->at = to;
    return SB_OK;
}

/* By keys base .. base + most, equal ones as they were; `order` goes along, NULL is 0, 1,
 * .. */
static sb_status
sort(sorter *s, const int32_t *key, const int32_t *order, int base, int64_t most)
{
    int shift = 0;

    do {
        SB_TRY(pass(s, shift ? s->key[s->at] : key, shift ? s->order[s->at] : order,
                    base, shift));
        shift += DIGIT_BITS;
    } while (most >> shift > 0);
    return SB_OK;
}

/* Entries of `area` elements of that size: to[q] = from[order[q]], or the way back; order
 * NULL is 0, 1, .. */
static sb_status
carry(const sb_native *n, void *to, const void *from, const int32_t *order,
      int64_t entries, size_t size, int64_t area, bool back)
{
    sb_native_job j = job_of("move", entries * area, area, back, 0);

    j.e = sb_native_carrier(size);
    set(&j, 0, from);
    set(&j, 1, order);
    set(&j, 3, to);
    return sb_native_threads(n, &j, entries * area);
}

static sb_status
take(const sorter *s, void *to, const void *from, const int32_t *order, size_t size)
{
    return carry(s->n, to, from, order, s->nnz, size, 1, false);
}

sb_status
sb_native_copy(const sb_native *n, void *to, const void *from, int64_t count,
               size_t size)
{
    return carry(n, to, from, NULL, count, size, 1, false);
}

/* ---- rows and offsets ----------------------------------------------------------------- */

static sb_status
rows(const sb_native *n, int32_t *row, const int32_t *ptr, const int32_t *order,
     int64_t nnz, int64_t m, int base)
{
    sb_native_job j = job_of("rows", nnz, base, m, 0);

    set(&j, 0, ptr);
    set(&j, 1, order);
    set(&j, 3, row);
    return sb_native_threads(n, &j, nnz);
}

sb_status
sb_native_rows(const sb_native *n, int32_t *row, const int32_t *ptr, int64_t nnz,
               int64_t m, int base)
{
    return rows(n, row, ptr, NULL, nnz, m, base);
}

sb_status
sb_native_offsets(const sb_native *n, int32_t *ptr, const int32_t *row, int64_t nnz,
                  int64_t m, int base)
{
    sb_native_job j = job_of("bounds", m + 1, base, nnz, 0);

    set(&j, 0, row);
    set(&j, 3, ptr);
    return sb_native_threads(n, &j, m + 1);
}

sb_status
sb_native_identity(const sb_native *n, int32_t *p, int64_t count)
{
    sb_native_job j = job_of("identity", count, 0, 0, 0);

    set(&j, 3, p);
    return sb_native_threads(n, &j, count);
}

sb_status
sb_native_narrow(const sb_native *n, int32_t *to, const int64_t *from, int64_t count)
{
    sb_native_job j = job_of("narrow", count, 0, 0, 0);

    set(&j, 0, from);
    set(&j, 3, to);
    return sb_native_threads(n, &j, count);
}

/* ---- the routines --------------------------------------------------------------------- */

sb_status
sb_native_flip(const sb_native *n, const sb_flip *f)
{
    sorter s;
    const int32_t *order;

    if (f->nnz == 0)
        return sb_native_offsets(n, f->to_ptr, NULL, 0, f->n, f->base);
    s = sorter_of(n, f->nnz, f->scratch);
    SB_TRY(sort(&s, f->idx, NULL, f->base, f->n));
    order = s.order[s.at];
    SB_TRY(sb_native_offsets(n, f->to_ptr, s.key[s.at], f->nnz, f->n, f->base));
    SB_TRY(f->row ? take(&s, f->to_idx, f->row, order, sizeof *order)
                  : rows(n, f->to_idx, f->ptr, order, f->nnz, f->m, f->base));
    if (f->to_order)
        SB_TRY(take(&s, f->to_order, order, NULL, sizeof *order));
    return f->size > 0 ? carry(n, f->to_val, f->val, order, f->nnz, f->size,
                               f->area > 1 ? f->area : 1, false)
                       : SB_OK;
}

sb_status
sb_native_permute(const sb_native *n, void *array, void *spare, const int32_t *perm,
                  int64_t count, size_t size, bool back)
{
    spare = (void *)(((uintptr_t)spare + LINE - 1) & ~(uintptr_t)(LINE - 1));
    SB_TRY(carry(n, spare, array, back ? NULL : perm, count, size, 1, false));
    return carry(n, array, spare, back ? perm : NULL, count, size, 1, back);
}

/* An array moved by the order, through the spare one. */
static sb_status
move(const sorter *s, int32_t *array, const int32_t *order)
{
    return sb_native_permute(s->n, array, s->spare, order, s->nnz, sizeof *array,
                             false);
}

/* By minors, then by majors as they now stand. */
sb_status
sb_native_order(const sb_native *n, const sb_order *o)
{
    sorter s = sorter_of(n, o->nnz, o->scratch);
    const int32_t *order;

    SB_TRY(sort(&s, o->minor, NULL, 0, o->n + 1));
    order = s.order[s.at];
    SB_TRY(o->major ? take(&s, s.spare, o->major, order, sizeof *order)
                    : rows(n, s.spare, o->ptr, order, o->nnz, o->m, o->base));
    SB_TRY(sort(&s, s.spare, order, 0, o->m + 1));
    order = s.order[s.at];
    if (o->major)
        SB_TRY(move(&s, o->major, order));
    if (o->perm)
        SB_TRY(move(&s, o->perm, order));
    return move(&s, o->minor, order);
}
