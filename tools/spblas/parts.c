/* Parts of a plan, entry by entry. */
#include "parts.h"

#include "tool.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FREE = 255, WIN_MAX = 8 };

static int
new_part(parts_map *p, const char *name)
{
    if (p->count == PARTS_MAX)
        return PARTS_MAX - 1;
    snprintf(p->name[p->count], sizeof p->name[0], "%s", name);
    return p->count++;
}

/* Slot of column j in row i, or -1. */
static int64_t
find(const mm_matrix *m, int64_t i, int64_t j)
{
    int64_t lo = m->ptr[i], hi = m->ptr[i + 1];

    while (lo < hi) {
        const int64_t mid = lo + (hi - lo) / 2;

        if (m->col[mid] < j)
            lo = mid + 1;
        else
            hi = mid;
    }
    return lo < m->ptr[i + 1] && m->col[lo] == j ? lo : -1;
}

/* Whether row i has free entries at all columns [j, j + b). */
static bool
has_run(const parts_map *p, const mm_matrix *m, int64_t i, int64_t j, int64_t b)
{
    const int64_t at = find(m, i, j);
    int64_t q;

    if (at < 0 || at + b > m->ptr[i + 1])
        return false;
    for (q = 0; q < b; q++)
        if (m->col[at + q] != j + q || p->of[at + q] != FREE)
            return false;
    return true;
}

static void
take_blocks(parts_map *p, const mm_matrix *m, int64_t b, int id)
{
    int64_t i, r, q, at;

    for (i = 0; i + b <= p->rows; i += b)
        for (q = m->ptr[i]; q < m->ptr[i + 1]; q++) {
            const int64_t j = m->col[q];

            if (j % b != 0 || j + b > m->cols)
                continue;
            for (r = 0; r < b && has_run(p, m, i + r, j, b); r++)
                ;
            if (r < b)
                continue;
            for (r = 0; r < b; r++) {
                at = find(m, i + r, j);
                memset(p->of + at, id, (size_t)b);
            }
        }
}

static void
take_diagonals(parts_map *p, const mm_matrix *m, int64_t percent, int id)
{
    int64_t *count = tool_memory(m->rows + m->cols, sizeof *count), i, q;

    for (i = 0; i < m->rows; i++)
        for (q = m->ptr[i]; q < m->ptr[i + 1]; q++)
            count[m->col[q] - i + m->rows] += p->of[q] == FREE;
    for (i = 0; i < m->rows; i++)
        for (q = m->ptr[i]; q < m->ptr[i + 1]; q++) {
            const int64_t off = m->col[q] - i;
            const int64_t rows = m->rows + (off < 0 ? off : 0);
            const int64_t cols = m->cols - (off > 0 ? off : 0);
            const int64_t len = rows < cols ? rows : cols;

            if (p->of[q] == FREE && 100 * count[off + m->rows] >= percent * len)
                p->of[q] = (uint8_t)id;
        }
    free(count);
}

/* Moves at[] to the next column that all rows hold free; false at the end. */
static bool
align(const parts_map *p, const mm_matrix *m, int64_t i, int64_t b, int64_t *at)
{
    int64_t want = -1, r, agree = 0;

    for (r = 0; agree < b; r = (r + 1) % b) {
        while (at[r] < m->ptr[i + r + 1] &&
               (m->col[at[r]] < want || p->of[at[r]] != FREE))
            at[r]++;
        if (at[r] == m->ptr[i + r + 1])
            return false;
        agree = m->col[at[r]] == want ? agree + 1 : 1;
        want = m->col[at[r]];
    }
    return true;
}

/* Whether the b rows from i on hold the same columns in `run` neighbouring free slots. */
static bool
shares_run(const parts_map *p, const mm_matrix *m, int64_t i, int64_t b, int64_t run)
{
    int64_t at[WIN_MAX], r, len;

    for (r = 0; r < b; r++)
        at[r] = m->ptr[i + r];
    while (align(p, m, i, b, at)) {
        for (len = run, r = 0; r < b; r++)
            while (len > 0 && (at[r] + len > m->ptr[i + r + 1] ||
                               m->col[at[r] + len - 1] != m->col[at[0] + len - 1] ||
                               p->of[at[r] + len - 1] != FREE))
                len--;
        if (len == run)
            return true;
        for (r = 0; r < b; r++)
            at[r]++;
    }
    return false;
}

/* All free entries of all full windows, if one of them shares a run so long; of shared
 * columns (run 1) in any case: a finished plan names the part only where there are some. */
static void
take_windows(parts_map *p, const mm_matrix *m, int64_t b, int64_t run, int id)
{
    const int64_t end = b <= WIN_MAX ? p->rows / b * b : 0;
    int64_t i = 0, q;

    while (run > 1 && i < end && !shares_run(p, m, i, b, run))
        i += b;
    for (q = 0; i < end && q < m->ptr[end]; q++)
        if (p->of[q] == FREE)
            p->of[q] = (uint8_t)id;
}

/* Bucket of a row: the smallest l with len <= 2^l, at most k. */
static int
bucket_of(int64_t len, int64_t k)
{
    int l;

    for (l = 0; l < k && l < 39 && (INT64_C(1) << l) < len; l++)
        ;
    return l;
}

/* The rest by length of row; rows above 2^k are in the last bucket, as hyb splits them
 * into pieces of that length. */
static void
take_buckets(parts_map *p, const mm_matrix *m, int64_t k)
{
    bool seen[40] = {false};
    int id[40], l;
    int64_t i, q;
    char name[64];

    for (i = 0; i < m->rows; i++)
        for (q = m->ptr[i]; q < m->ptr[i + 1]; q++)
            if (p->of[q] == FREE)
                seen[bucket_of(m->ptr[i + 1] - m->ptr[i], k)] = true;
    for (l = 0; l < 40; l++) {
        snprintf(name, sizeof name, "rows up to %lld%s", (long long)(INT64_C(1) << l),
                 l == k ? " and longer" : "");
        id[l] = seen[l] ? new_part(p, name) : 0;
    }
    for (i = 0; i < m->rows; i++)
        for (q = m->ptr[i]; q < m->ptr[i + 1]; q++)
            if (p->of[q] == FREE)
                p->of[q] = (uint8_t)id[bucket_of(m->ptr[i + 1] - m->ptr[i], k)];
}

static void
take_rest(parts_map *p, const mm_matrix *m, const char *name)
{
    const int id = new_part(p, name);
    int64_t q;

    for (q = 0; q < m->nnz; q++)
        if (p->of[q] == FREE)
            p->of[q] = (uint8_t)id;
}

/* Panels take all; neighbours are told apart. */
static void
take_panels(parts_map *p, const mm_matrix *m, int64_t width)
{
    const int even = new_part(p, "even panels"), odd = new_part(p, "odd panels");
    int64_t q;

    for (q = 0; q < m->nnz; q++)
        p->of[q] = (uint8_t)(m->col[q] / width % 2 ? odd : even);
}

/* Later parts add to rows that the first has touched: its full units, of dia all. */
static void
touch(parts_map *p, const mm_matrix *m, int64_t unit, int id)
{
    if (memchr(p->of, id, (size_t)m->nnz) == NULL || (p->touched && unit > 1))
        return;
    p->rows = m->rows / unit * unit;
    p->touched = true;
}

static void
take_selected(parts_map *p, const mm_matrix *m, const char *kind, int64_t size, int id)
{
    if (strcmp(kind, "bsr") == 0)
        take_blocks(p, m, size, id);
    else if (strcmp(kind, "dia") == 0)
        take_diagonals(p, m, size, id);
    else
        take_windows(p, m, size, strcmp(kind, "win") == 0 ? 2 : 1, id);
    touch(p, m, strcmp(kind, "dia") == 0 ? 1 : size, id);
}

static void
take_part(parts_map *p, const mm_matrix *m, const char *text)
{
    char kind[16] = "", rule[16] = "", name[64];
    long long a = 0, b = 0;

    if (sscanf(text, "(part rows hyb %lld %lld", &a, &b) == 2) {
        take_buckets(p, m, b);
        return;
    }
    if (sscanf(text, "(part %15[a-z] %15[a-z0-9]", kind, rule) < 1)
        return;
    a = strtoll(rule, NULL, 10);
    snprintf(name, sizeof name, "%s%s%s", kind, rule[0] ? " " : "", rule);
    if (a > 0 && (strcmp(kind, "bsr") == 0 || strcmp(kind, "dia") == 0 ||
                  strcmp(kind, "win") == 0 || strcmp(kind, "share") == 0))
        take_selected(p, m, kind, a, new_part(p, name));
    else if (strcmp(kind, "panel") == 0 && a > 0)
        take_panels(p, m, a);
    else
        take_rest(p, m, name);
}

void
parts_assign(parts_map *out, const mm_matrix *m, const char *text)
{
    int64_t q;

    memset(out, 0, sizeof *out);
    out->rows = m->rows;
    out->of = tool_memory(m->nnz, 1);
    memset(out->of, FREE, (size_t)m->nnz);
    for (; text && (text = strstr(text, "(part ")); text++)
        take_part(out, m, text);
    for (q = 0; q < m->nnz && out->of[q] != FREE; q++)
        ;
    if (q < m->nnz)
        take_rest(out, m, out->count ? "rest" : "all entries");
    for (q = 0; q < m->nnz; q++)
        out->entries[out->of[q]]++;
}

void
parts_free(parts_map *p)
{
    free(p->of);
    memset(p, 0, sizeof *p);
}
