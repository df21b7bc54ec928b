/*
 * Neighbouring rows of which each has the columns of the row above, one further, in groups of up
 * to 16: their diagonals are followed with the values in place and without a column but the
 * first row's. Grids, stencils and bands of any length. Rows that follow no other are groups as
 * well, read one by one, and so are groups at the end of the matrix, where a group of 16 would
 * read beyond its arrays.
 */
#include "formats/part.h"

#include "base/alloc.h"
#include "base/fault.h"

enum { MOST = SB_ALIKE_ROWS, PIECE = 1024 /* rows */ };

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

enum { ROW, LO, IS }; /* the part's arrays */

/* Rows from i on that are one group, of those before `end`. */
static int64_t
group_at(const job *j, int64_t i, int64_t end, bool *alike)
{
    int64_t n = 1;

    end = i + MOST < end ? i + MOST : end;
    *alike = i + 1 < end && j->follows[i + 1];
    while (i + n < end && j->follows[i + n] == *alike)
        n++;
    /* the last of rows that follow none begins those that do */
    return !*alike && i + n < end ? n - 1 : n;
}

/* Whether 16 rows like the first may be read. */
static bool
inside(const sb_view *v, int64_t i)
{
    const int64_t lo = sb_view_lo(v, i), n = sb_view_lo(v, i + 1) - lo;
    int64_t last = 0;

    if (lo + n * MOST > v->nnz)
        return SB_FAULT(ALIKE_ROOM);
    for (int64_t q = 0; q < n; q++) {
        const int64_t col = sb_view_col(v, lo + q);

        last = col > last ? col : last;
    }
    return last + MOST <= v->cols;
}

static void
cut(void *user, int64_t lo, int64_t hi)
{
    const job *j = user;
    const sb_view *v = j->v;

    for (int64_t p = lo; p < hi; p++) {
        const int64_t end = (p + 1) * PIECE < v->rows ? (p + 1) * PIECE : v->rows;
        int64_t g = j->out ? j->groups[p] : 0, n;
        bool alike;

        for (int64_t i = p * PIECE; i < end; i += n, g++) {
            n = group_at(j, i, end, &alike);
            if (!j->out)
                continue;
            sb_index_store(j->out->array[ROW].data, v->crd_type, g, i);
            sb_index_store(j->out->array[LO].data, v->slot_type, g, sb_view_lo(v, i));
            ((int32_t *)j->out->array[IS].data)[g] = alike && inside(v, i);
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
        !sb_part_array_new(out, "alike_is", SB_I32, all))
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
