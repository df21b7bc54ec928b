/*
 * Sort: lexicographic order of a coordinate list. The levels are packed into as few
 * 64-bit keys as hold them, most often one, and each key is sorted by a stable radix
 * sort, 11 bits a pass, chunks in parallel. Lists that are in order are not moved.
 */
#include "formats/conv_ops.h"

#include "base/alloc.h"
#include "base/checked.h"

#include <string.h>

enum { DIGIT = 11, BUCKETS = 1 << DIGIT, CHUNKS = 32, CHUNK_MIN = 1 << 15 };

/* ---- Radix sort ---------------------------------------------------------------------
 */

typedef struct radix {
    const uint64_t *key_in;
    const int64_t *order_in;
    uint64_t *key_out;
    int64_t *order_out;
    int64_t n, chunk;
    int shift;
    int64_t (*count)[BUCKETS]; /* by chunk, then where its entries go */
} radix;

static void
count_chunks(void *user, int64_t lo, int64_t hi)
{
    const radix *r = user;

    for (int64_t c = lo; c < hi; c++) {
        const int64_t stop = (c + 1) * r->chunk < r->n ? (c + 1) * r->chunk : r->n;

        memset(r->count[c], 0, sizeof r->count[c]);
        for (int64_t p = c * r->chunk; p < stop; p++)
            r->count[c][r->key_in[p] >> r->shift & (BUCKETS - 1)]++;
    }
}

static void
move_chunks(void *user, int64_t lo, int64_t hi)
{
    const radix *r = user;

    for (int64_t c = lo; c < hi; c++) {
        const int64_t stop = (c + 1) * r->chunk < r->n ? (c + 1) * r->chunk : r->n;

        for (int64_t p = c * r->chunk; p < stop; p++) {
            const uint64_t key = r->key_in[p];
            const int64_t w = r->count[c][key >> r->shift & (BUCKETS - 1)]++;

            r->key_out[w] = key;
            r->order_out[w] = r->order_in[p];
        }
    }
}

/* False when one bucket holds everything: nothing would move. */
static bool
place_chunks(radix *r, int64_t chunks)
{
    int64_t at = 0;

    for (int b = 0; b < BUCKETS; b++) {
        const int64_t before = at;

        for (int64_t c = 0; c < chunks; c++) {
            const int64_t n = r->count[c][b];

            r->count[c][b] = at;
            at += n;
        }
        if (at - before == r->n)
            return false;
    }
    return true;
}

static sb_status
radix_sort(int64_t *order, uint64_t *key, int64_t n, int bits, const sb_par *par)
{
    uint64_t *key2 = sb_alloc_array(n, sizeof *key2), *k = key;
    int64_t *order2 = sb_alloc_array(n, sizeof *order2), *o = order;
    radix r = {.n = n, .chunk = (n + CHUNKS - 1) / CHUNKS};
    int64_t chunks;

    if (r.chunk < CHUNK_MIN)
        r.chunk = CHUNK_MIN;
    chunks = (n + r.chunk - 1) / r.chunk;
    r.count = sb_alloc_array(chunks, sizeof *r.count);
    if (!key2 || !order2 || !r.count) {
        sb_free(key2);
        sb_free(order2);
        sb_free(r.count);
        return SB_ENOMEM;
    }
    for (r.shift = 0; r.shift < bits; r.shift += DIGIT) {
        r.key_in = k;
        r.order_in = o;
        r.key_out = k == key ? key2 : key;
        r.order_out = o == order ? order2 : order;
        sb_par_run(par, count_chunks, &r, 0, chunks, 1);
        if (!place_chunks(&r, chunks))
            continue;
        sb_par_run(par, move_chunks, &r, 0, chunks, 1);
        k = r.key_out;
        o = r.order_out;
    }
    if (o != order)
        memcpy(order, o, (size_t)n * sizeof *order);
    sb_free(key2);
    sb_free(order2);
    sb_free(r.count);
    return SB_OK;
}

sb_status
sb_sort_keys(int64_t *order, const uint64_t *key, int64_t n, int bits,
             const sb_par *par)
{
    uint64_t *copy = sb_alloc_array(n, sizeof *copy);
    sb_status st;

    if (!copy)
        return SB_ENOMEM;
    for (int64_t p = 0; p < n; p++)
        copy[p] = key[order[p]];
    st = radix_sort(order, copy, n, bits, par);
    sb_free(copy);
    return st;
}

/* ---- Keys of levels -----------------------------------------------------------------
 */

typedef struct key_job {
    const sb_tree *t;
    const int64_t *lo;
    const int *bits;
    int from, to; /* levels of this key */
    uint64_t *key;
} key_job;

static void
key_range(void *user, int64_t lo, int64_t hi)
{
    const key_job *j = user;

    for (int64_t p = lo; p < hi; p++) {
        uint64_t key = 0;

        for (int q = j->from; q < j->to; q++)
            key = (j->bits[q] < 64 ? key << j->bits[q] : 0) |
                  ((uint64_t)j->t->at[q].idx[p] - (uint64_t)j->lo[q]);
        j->key[p] = key;
    }
}

static void
level_bits(const sb_tree *t, int level, int64_t *lo, int *bits)
{
    const int64_t *idx = t->at[level].idx, n = t->at[0].count;
    int64_t least = n ? idx[0] : 0, most = least;

    for (int64_t p = 0; p < n; p++) {
        least = idx[p] < least ? idx[p] : least;
        most = idx[p] > most ? idx[p] : most;
    }
    *lo = least;
    *bits = 0;
    for (uint64_t w = (uint64_t)most - (uint64_t)least; w > 0; w >>= 1)
        ++*bits;
}

/* Sign of node a against node b. */
static int
compare(const sb_tree *t, int levels, int64_t a, int64_t b)
{
    for (int q = 0; q < levels; q++)
        if (t->at[q].idx[a] != t->at[q].idx[b])
            return t->at[q].idx[a] < t->at[q].idx[b] ? -1 : 1;
    return 0;
}

static bool
in_order(const sb_tree *t, int levels)
{
    for (int64_t p = 1; p < t->at[0].count; p++)
        if (compare(t, levels, p - 1, p) > 0)
            return false;
    return true;
}

static sb_status
sort_levels(int64_t *order, const sb_tree *t, int levels, const sb_par *par)
{
    const int64_t n = t->at[0].count;
    int64_t lo[SB_TREE_LEVELS];
    int bits[SB_TREE_LEVELS], sum;
    key_job j = {.t = t, .lo = lo, .bits = bits, .to = levels};
    sb_status st = SB_OK;

    j.key = sb_alloc_array(n, sizeof *j.key);
    if (!j.key)
        return SB_ENOMEM;
    for (int q = 0; q < levels; q++)
        level_bits(t, q, &lo[q], &bits[q]);
    for (; j.to > 0 && st == SB_OK; j.to = j.from) {
        sum = 0;
        for (j.from = j.to; j.from > 0 && sum + bits[j.from - 1] <= 64; j.from--)
            sum += bits[j.from - 1];
        sb_par_run(par, key_range, &j, 0, n, 1 << 14);
        st = j.to == levels ? radix_sort(order, j.key, n, sum, par)
                            : sb_sort_keys(order, j.key, n, sum, par);
    }
    sb_free(j.key);
    return st;
}

sb_status
sb_conv_order(int64_t **order, int64_t *twice, const sb_tree *t, int levels,
              const sb_par *par)
{
    const int64_t n = t->at[0].count;

    *order = NULL;
    *twice = -1;
    if (!in_order(t, levels)) {
        *order = sb_alloc_array(n, sizeof **order);
        if (!*order)
            return SB_ENOMEM;
        for (int64_t p = 0; p < n; p++)
            (*order)[p] = p;
        if (sort_levels(*order, t, levels, par) != SB_OK) {
            sb_free(*order);
            *order = NULL;
            return SB_ENOMEM;
        }
    }
    for (int64_t p = 1; p < n && *twice < 0; p++)
        if (compare(t, levels, *order ? (*order)[p - 1] : p - 1,
                    *order ? (*order)[p] : p) == 0)
            *twice = *order ? (*order)[p] : p;
    return SB_OK;
}

/* ---- The operator -------------------------------------------------------------------
 */

typedef struct pick {
    const int64_t *order, *src;
    int64_t *dst;
} pick;

static void
pick_range(void *user, int64_t lo, int64_t hi)
{
    const pick *k = user;

    for (int64_t p = lo; p < hi; p++)
        k->dst[p] = k->src[k->order[p]];
}

static sb_status
reorder_columns(sb_conv *cx, const int64_t *order)
{
    sb_tree *t = &cx->t;

    for (int q = 0; q < t->n; q++) {
        pick k = {order, t->at[q].idx, sb_alloc_array(t->at[q].count, sizeof(int64_t))};

        if (!k.dst)
            return SB_ENOMEM;
        sb_par_run(cx->par, pick_range, &k, 0, t->at[q].count, 1 << 14);
        sb_free(t->at[q].idx);
        t->at[q].idx = k.dst;
    }
    return sb_tree_leaves(t, order, t->at[0].count, cx->par);
}

/* Levels from here on are remainders that the target keeps whole: they are vectors from
 * birth, so that no padding is made only to be trimmed (the paper's COO to BDIA). */
static int
born_vectors(const sb_conv *cx)
{
    const sb_fmt *f = cx->target;
    int q = f->nlevel;

    while (q > 0 && q - 1 > f->trim_hi && f->level[q - 1]->op == SB_FMT_MOD &&
           !sb_conv_determined(cx, q - 1))
        q--;
    return q;
}

/* Slot of node p in its vector of levels from .. n - 1. */
static int64_t
slot_of(const sb_tree *t, int from, int64_t p)
{
    int64_t slot = 0;

    for (int q = from; q < t->n; q++)
        slot = slot * t->at[q].size + t->at[q].idx[p] - t->at[q].lo;
    return slot;
}

/* Nodes equal in the levels before `from` share a vector. */
static sb_status
gather_vectors(sb_conv *cx, int from)
{
    sb_tree *t = &cx->t;
    const size_t size = sb_dtype_size(t->type);
    const int64_t n = t->at[0].count;
    int64_t leaves = from == 0, vector = 1, slots, w = -1;
    char *val;

    for (int64_t p = 0; p < n && from > 0; p++)
        leaves += p == 0 || compare(t, from, p - 1, p) != 0;
    for (int q = from; q < t->n; q++)
        if (vector == INT64_MAX || !sb_mul_i64(vector, t->at[q].size, &vector))
            vector = INT64_MAX;
    if (!sb_mul_i64(vector, leaves, &slots))
        slots = INT64_MAX;
    SB_TRY(sb_tree_bound(t, slots, "padding", cx->diag));
    val = sb_alloc_zero((size_t)slots * size);
    if (!val)
        return SB_ENOMEM;
    for (int64_t p = 0; p < n; p++) {
        if (w < 0 || compare(t, from, p - 1, p) != 0) {
            w++;
            for (int q = 0; q < from; q++)
                t->at[q].idx[w] = t->at[q].idx[p];
        }
        memcpy(val + (size_t)(w * vector + slot_of(t, from, p)) * size,
               (char *)t->val + (size_t)p * size, size);
    }
    for (int q = 0; q < t->n; q++) {
        t->at[q].count = leaves;
        if (q >= from) {
            sb_free(t->at[q].idx);
            t->at[q].idx = NULL;
        }
    }
    sb_free(t->val);
    t->val = val;
    t->end = from - 1;
    return SB_OK;
}

sb_status
sb_conv_sort(sb_conv *cx, const sb_conv_op *op)
{
    sb_tree *t = &cx->t;
    const int from = op->arg[0] ? born_vectors(cx) : t->n;
    int64_t *order, twice;
    sb_status st = sb_conv_order(&order, &twice, t, t->n, cx->par);

    if (st == SB_OK && twice >= 0)
        st = sb_diag_set(cx->diag, SB_EINVAL, "entry %lld has the place of another",
                         (long long)twice);
    if (st == SB_OK && order)
        st = reorder_columns(cx, order);
    sb_free(order);
    return st == SB_OK && from < t->n ? gather_vectors(cx, from) : st;
}
