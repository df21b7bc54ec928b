/*
 * Runs of neighbouring rows of which each has the columns of the row above, one further: grids,
 * stencils and bands. Their diagonals are followed with the values in place, 16 rows at a time, and
 * without a column but the first row's. Rows that follow no other are groups as well, read one by
 * one, and so are rows at the end of the matrix, where 16 would read beyond its arrays.
 */
#include "formats/part.h"

#include "base/alloc.h"
#include "base/fault.h"

enum { STEP = SB_ALIKE_ROWS, PIECE = 1024 /* rows */ };

/* Whether n columns from `to` on are those from `from` on and one more each. */
#define FOLLOW(bits)                                                                \
    SB_INLINE bool follow##bits(const int##bits##_t *from, const int##bits##_t *to, \
                                int64_t n)                                          \
    {                                                                               \
        const uint##bits##_t by = SB_FAULT(ALIKE_SAME) ? 0 : 1;                     \
        uint##bits##_t differ = 0;                                                  \
                                                                                    \
        for (int64_t q = 0; q < n; q++)                                             \
            differ |= (uint##bits##_t)to[q] - (uint##bits##_t)from[q] - by;         \
        return differ == 0;                                                         \
    }

FOLLOW(32)
FOLLOW(64)

bool
sb_part_follows(const sb_view *v, int64_t i)
{
    const int64_t from = sb_view_lo(v, i - 1), to = sb_view_lo(v, i), n = to - from;

    if (sb_view_lo(v, i + 1) - to != n)
        return false;
    return v->crd_type == SB_I64 ? follow64((const int64_t *)v->crd + from,
                                            (const int64_t *)v->crd + to, n)
                                 : follow32((const int32_t *)v->crd + from,
                                            (const int32_t *)v->crd + to, n);
}

/* What threads share: pieces of rows are cut by themselves, counted, then written. */
typedef struct job {
    const sb_view *v;
    uint8_t *follows; /* of each row */
    int64_t *groups;  /* of each piece, then those before it */
    sb_part *out;     /* NULL: count */
} job;

enum { ROW, LO, LEN }; /* the part's arrays */

/* The most rows of a run whose rows have n entries: whole steps, several runs for threads to share.
 * Empty rows are read one by one. */
static int64_t
most(int64_t n)
{
    const int64_t rows = n > 0 ? SB_ALIKE_ENTRIES / n / STEP * STEP : STEP;

    return rows < STEP ? STEP : rows > SB_ALIKE_RUN ? SB_ALIKE_RUN : rows;
}

/* Whether as many rows like row i as `rows` take, in steps, may be read. */
static bool
inside(const sb_view *v, int64_t i, int64_t rows)
{
    const int64_t lo = sb_view_lo(v, i), n = sb_view_lo(v, i + 1) - lo;
    const int64_t read = (rows + STEP - 1) / STEP * STEP;
    int64_t last = 0;

    if (lo + n * read > v->nnz)
        return SB_FAULT(ALIKE_ROOM);
    for (int64_t q = 0; q < n; q++) {
        const int64_t col = sb_view_col(v, lo + q);

        last = col > last ? col : last;
    }
    return last + read <= v->cols;
}

/* Rows from i on that are one group, of those before `end`; the entries of each in a run, else
 * none. */
static int64_t
group_at(const job *j, int64_t i, int64_t end, int64_t *len)
{
    const bool run = i + 1 < end && j->follows[i + 1];
    const int64_t each = sb_view_lo(j->v, i + 1) - sb_view_lo(j->v, i);
    const int64_t limit = run ? most(each) : STEP;
    int64_t n = 1;

    end = i + limit < end ? i + limit : end;
    while (i + n < end && j->follows[i + n] == run)
        n++;
    *len = run ? each : 0;
    if (!run) /* the last of rows that follow none begins those that do */
        return i + n < end ? n - 1 : n;
    if (n % STEP != 0 && !inside(j->v, i, n)) {
        if (n > STEP)
            return n - n % STEP;
        *len = 0;
    }
    return n;
}

static void
cut(void *user, int64_t lo, int64_t hi)
{
    const job *j = user;
    const sb_view *v = j->v;

    for (int64_t p = lo; p < hi; p++) {
        const int64_t end = (p + 1) * PIECE < v->rows ? (p + 1) * PIECE : v->rows;
        int64_t g = j->out ? j->groups[p] : 0, n, len;

        for (int64_t i = p * PIECE; i < end; i += n, g++) {
            n = group_at(j, i, end, &len);
            if (!j->out)
                continue;
            sb_index_store(j->out->array[ROW].data, v->crd_type, g, i);
            sb_index_store(j->out->array[LO].data, v->slot_type, g, sb_view_lo(v, i));
            sb_index_store(j->out->array[LEN].data, v->slot_type, g, len);
        }
        if (!j->out)
            j->groups[p] = g;
    }
}

static void
look(void *user, int64_t lo, int64_t hi)
{
    const job *j = user;

    for (int64_t i = lo; i < hi; i++)
        j->follows[i] = i > 0 && sb_part_follows(j->v, i);
}

static sb_status
build(sb_part *out, job *j, const sb_par *par)
{
    const sb_view *v = j->v;
    const int64_t pieces = (v->rows + PIECE - 1) / PIECE;
    int64_t all = 0;

    j->follows = sb_alloc_array(v->rows, 1);
    j->groups = sb_alloc_array(pieces, sizeof *j->groups);
    if (!j->follows || !j->groups)
        return SB_ENOMEM;
    sb_par_run(par, look, j, 0, v->rows, PIECE);
    sb_par_run(par, cut, j, 0, pieces, 1);
    for (int64_t p = 0; p < pieces; p++) {
        const int64_t n = j->groups[p];

        j->groups[p] = all;
        all += n;
    }
    if (!sb_part_array_new(out, "alike_row", v->crd_type, all + 1) ||
        !sb_part_array_new(out, "alike_lo", v->slot_type, all + 1) ||
        !sb_part_array_new(out, "alike_len", v->slot_type, all))
        return SB_ENOMEM;
    j->out = out;
    sb_par_run(par, cut, j, 0, pieces, 1);
    sb_index_store(out->array[ROW].data, v->crd_type, all, v->rows);
    sb_index_store(out->array[LO].data, v->slot_type, all, v->nnz);
    out->group[0].hi = all;
    return SB_OK;
}

sb_status
sb_part_alike(sb_part *out, sb_cover *cv, const sb_par *par)
{
    job j = {.v = cv->v};
    sb_status st = sb_part_in_place(out, cv, SB_PART_ALIKE);

    if (st != SB_OK)
        return st;
    st = build(out, &j, par);
    sb_free(j.follows);
    sb_free(j.groups);
    if (st != SB_OK) {
        sb_part_free(out);
        sb_cover_free(cv);
    }
    return st;
}
