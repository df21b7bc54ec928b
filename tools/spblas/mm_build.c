/*
 * Entries in any order to CSR: a stable counting sort by row, then each row that is not
 * sorted yet is sorted by column (files sorted by column come out sorted by
 * themselves), then equal places are added in the order they came.
 */
#include "mm.h"

#include "mm_source.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { FIRST_CAP = 1 << 12 };

static int64_t
memory_limit(int64_t wanted)
{
    const int64_t pages = sysconf(_SC_PHYS_PAGES), size = sysconf(_SC_PAGESIZE);

    if (wanted > 0)
        return wanted;
    return pages > 0 && size > 0 ? pages * size : INT64_MAX;
}

/* count * size bytes, NULL beyond the limit. */
static void *
take(int64_t count, int64_t size, int64_t limit)
{
    if (count < 0 || count > limit / size)
        return NULL;
    return malloc(count ? (size_t)(count * size) : 1);
}

void
mm_builder_init(mm_builder *b, bool complex, int64_t max_bytes)
{
    memset(b, 0, sizeof *b);
    b->complex = complex;
    b->max_bytes = memory_limit(max_bytes);
}

void
mm_builder_free(mm_builder *b)
{
    free(b->row);
    free(b->col);
    free(b->val);
    b->row = b->col = NULL;
    b->val = NULL;
    b->count = b->cap = 0;
}

static bool
grow_array(void **array, int64_t cap, size_t size)
{
    void *p = realloc(*array, (size_t)cap * size);

    if (p)
        *array = p;
    return p != NULL;
}

static bool
grow(mm_builder *b)
{
    const size_t per_val = b->complex ? 2 * sizeof(double) : sizeof(double);
    const int64_t cap = b->cap ? b->cap * 2 : FIRST_CAP;

    if (cap > b->max_bytes / 16 || !grow_array((void **)&b->row, cap, sizeof *b->row) ||
        !grow_array((void **)&b->col, cap, sizeof *b->col) ||
        !grow_array((void **)&b->val, cap, per_val))
        return false;
    b->cap = cap;
    return true;
}

void
mm_builder_add(mm_builder *b, int64_t row, int64_t col, double re, double im)
{
    if (b->failed || (b->count == b->cap && !grow(b))) {
        b->failed = true;
        return;
    }
    b->row[b->count] = row;
    b->col[b->count] = col;
    if (b->complex) {
        b->val[2 * b->count] = re;
        b->val[2 * b->count + 1] = im;
    } else {
        b->val[b->count] = re;
    }
    b->count++;
}

/* Entries of b into m's arrays, row by row, in the order they came. */
static void
scatter_rows(const mm_builder *b, mm_matrix *m, int64_t *at)
{
    int64_t p, q;

    for (p = 0; p < b->count; p++)
        m->ptr[b->row[p] + 1]++;
    for (p = 0; p < m->rows; p++)
        m->ptr[p + 1] += m->ptr[p];
    if (m->rows)
        memcpy(at, m->ptr, (size_t)m->rows * sizeof *at);
    for (p = 0; p < b->count; p++) {
        q = at[b->row[p]]++;
        m->col[q] = b->col[p];
        if (b->complex) {
            m->val[2 * q] = b->val[2 * p];
            m->val[2 * q + 1] = b->val[2 * p + 1];
        } else {
            m->val[q] = b->val[p];
        }
    }
}

typedef struct entry {
    int64_t col, seq;
    double val[2];
} entry;

static int
compare_entries(const void *x, const void *y)
{
    const entry *a = x, *b = y;

    if (a->col != b->col)
        return a->col < b->col ? -1 : 1;
    return (a->seq > b->seq) - (a->seq < b->seq);
}

/* Sorts slots [lo, hi) through tmp, which has room for them. */
static void
sort_row(mm_matrix *m, int64_t lo, int64_t hi, entry *tmp, int width)
{
    int64_t p;

    for (p = lo; p < hi; p++) {
        tmp[p - lo].col = m->col[p];
        tmp[p - lo].seq = p;
        memcpy(tmp[p - lo].val, m->val + p * width, (size_t)width * sizeof(double));
    }
    qsort(tmp, (size_t)(hi - lo), sizeof *tmp, compare_entries);
    for (p = lo; p < hi; p++) {
        m->col[p] = tmp[p - lo].col;
        memcpy(m->val + p * width, tmp[p - lo].val, (size_t)width * sizeof(double));
    }
}

static bool
is_sorted(const int64_t *col, int64_t lo, int64_t hi)
{
    for (lo++; lo < hi; lo++)
        if (col[lo - 1] > col[lo])
            return false;
    return true;
}

/* Sorts every row; false when memory for the longest unsorted one is short. */
static bool
sort_rows(mm_matrix *m, int width, int64_t limit)
{
    int64_t i, longest = 0;
    entry *tmp;

    for (i = 0; i < m->rows; i++)
        if (m->ptr[i + 1] - m->ptr[i] > longest &&
            !is_sorted(m->col, m->ptr[i], m->ptr[i + 1]))
            longest = m->ptr[i + 1] - m->ptr[i];
    if (longest == 0)
        return true;
    if (!(tmp = take(longest, sizeof *tmp, limit)))
        return false;
    for (i = 0; i < m->rows; i++)
        if (!is_sorted(m->col, m->ptr[i], m->ptr[i + 1]))
            sort_row(m, m->ptr[i], m->ptr[i + 1], tmp, width);
    free(tmp);
    return true;
}

/* Adds neighbours at the same place, closing the gaps. */
static void
add_duplicates(mm_matrix *m, int width)
{
    int64_t i, p, lo = 0, to = 0;
    int w;

    for (i = 0; i < m->rows; i++) {
        const int64_t first = to, hi = m->ptr[i + 1];

        for (p = lo; p < hi; p++) {
            if (to > first && m->col[to - 1] == m->col[p]) {
                for (w = 0; w < width; w++)
                    m->val[(to - 1) * width + w] += m->val[p * width + w];
                m->duplicates++;
                continue;
            }
            m->col[to] = m->col[p];
            for (w = 0; w < width; w++)
                m->val[to * width + w] = m->val[p * width + w];
            to++;
        }
        lo = hi;
        m->ptr[i + 1] = to;
    }
    m->nnz = to;
}

mm_status
mm_builder_finish(mm_builder *b, int64_t rows, int64_t cols, mm_matrix *out,
                  mm_error *err)
{
    const int width = b->complex ? 2 : 1;
    int64_t *at = NULL;
    mm_matrix m = {0};
    mm_status st = MM_EMEMORY;

    memset(out, 0, sizeof *out);
    m.rows = rows;
    m.cols = cols;
    m.nnz = b->count;
    m.field = b->complex ? MM_COMPLEX : MM_REAL;
    if (b->failed || rows == INT64_MAX ||
        !(m.ptr = take(rows + 1, sizeof *m.ptr, b->max_bytes)) ||
        !(m.col = take(m.nnz, sizeof *m.col, b->max_bytes)) ||
        !(m.val = take(m.nnz * width, sizeof *m.val, b->max_bytes)) ||
        !(at = take(rows, sizeof *at, b->max_bytes)))
        goto done;
    memset(m.ptr, 0, (size_t)(rows + 1) * sizeof *m.ptr);
    scatter_rows(b, &m, at);
    mm_builder_free(b);
    if (!sort_rows(&m, width, b->max_bytes))
        goto done;
    add_duplicates(&m, width);
    *out = m;
    memset(&m, 0, sizeof m);
    st = MM_OK;
done:
    free(at);
    mm_builder_free(b);
    mm_free(&m);
    if (st != MM_OK)
        mm_fail("matrix", err, 0,
                "%lld x %lld with %lld entries does not fit into memory "
                "(limit %lld MiB an array)",
                (long long)rows, (long long)cols, (long long)b->count,
                (long long)(b->max_bytes >> 20));
    return st;
}

void
mm_free(mm_matrix *m)
{
    free(m->ptr);
    free(m->col);
    free(m->val);
    memset(m, 0, sizeof *m);
}
