/*
 * Triangles by levels.
 */
#include "base/alloc.h"
#include "base/checked.h"
#include "base/fault.h"
#include "base/macro.h"
#include "native/run.h"

#include <string.h>

#ifdef SB_TINY
enum { NARROW = 8 };
#else
enum { NARROW = 256 }; /* elements of a level that one block takes along */
#endif

enum { PTR, ROW, COL, FROM, DIAG_PTR, DIAG_FROM, VAL, DIAG, LEVEL, BAD, ARRAYS };

struct sb_native_tri {
    sb_device *device; /* held */
    int64_t rows, nnz, levels;
    sb_dtype type, index;
    bool conj, unit;
    sb_native_blocks blocks; /* 0 rows: of elements */
    int64_t *first;          /* levels + 1, on the host: rows of the order */
    void *array[ARRAYS];     /* on the device */
};

/* ---- order ------------------------------------------------------------------------------ */

/* The host's order, of rows after all that they need, turned into one of levels. */
typedef struct draft {
    const sb_tri *t;
    int64_t *level;     /* of each row */
    int64_t *order;     /* rows of the order: of t's */
    int64_t *place;     /* the way back, while entries move */
    void *array[LEVEL]; /* as on the device but for values, which are not there */
} draft;

static int64_t
find_levels(draft *d)
{
    const sb_tri *t = d->t;
    int64_t levels = 0;

    for (int64_t q = 0; q < t->rows; q++) {
        int64_t level = 0;

        for (int64_t p = t->ptr[q]; p < t->ptr[q + 1]; p++) {
            const int64_t below = d->level[sb_index(t->col, t->index, p)];

            level = below >= level ? below + !SB_FAULT(NATIVE_LEVEL) : level;
        }
        d->level[sb_index(t->row, t->index, q)] = level;
        levels = level >= levels ? level + 1 : levels;
    }
    return levels;
}

static void
sort_by_level(draft *d, int64_t *first, int64_t levels)
{
    const sb_tri *t = d->t;

    memset(first, 0, (size_t)(levels + 1) * sizeof *first);
    for (int64_t i = 0; i < t->rows; i++)
        first[d->level[i] + 1]++;
    for (int64_t l = 0; l < levels; l++)
        first[l + 1] += first[l];
    for (int64_t q = 0; q < t->rows; q++) {
        const int64_t at = first[d->level[sb_index(t->row, t->index, q)]]++;

        d->order[at] = q;
        d->place[q] = at;
    }
    for (int64_t l = levels; l > 0; l--)
        first[l] = first[l - 1];
    first[0] = 0;
}

/* Slots of the diagonal by rows of the order. */
static void
sort_diagonal(draft *d)
{
    const sb_tri *t = d->t;
    int64_t *ptr = d->array[DIAG_PTR];

    memset(ptr, 0, (size_t)(t->rows + 1) * sizeof *ptr);
    for (int64_t e = 0; e < t->diagonals; e++)
        ptr[d->place[sb_index(t->diag_row, t->index, e)] + 1]++;
    for (int64_t q = 0; q < t->rows; q++)
        ptr[q + 1] += ptr[q];
    for (int64_t e = 0; e < t->diagonals; e++) {
        const int64_t q = d->place[sb_index(t->diag_row, t->index, e)];

        sb_index_store(d->array[DIAG_FROM], t->index, ptr[q]++,
                       sb_index(t->diag_from, t->index, e));
    }
    for (int64_t q = t->rows; q > 0; q--)
        ptr[q] = ptr[q - 1];
    ptr[0] = 0;
}

static void
fill(draft *d)
{
    const sb_tri *t = d->t;
    int64_t *ptr = d->array[PTR], at = 0;

    ptr[0] = 0;
    for (int64_t q = 0; q < t->rows; q++) {
        const int64_t was = d->order[q];

        sb_index_store(d->array[ROW], t->index, q, sb_index(t->row, t->index, was));
        for (int64_t p = t->ptr[was]; p < t->ptr[was + 1]; p++, at++) {
            sb_index_store(d->array[COL], t->index, at, sb_index(t->col, t->index, p));
            sb_index_store(d->array[FROM], t->index, at,
                           sb_index(t->from, t->index, p));
        }
        ptr[q + 1] = at;
    }
    sort_diagonal(d);
}

static int64_t
count_of(const sb_tri *t, int array)
{
    return array == PTR || array == DIAG_PTR               ? t->rows + 1
           : array == ROW || array == DIAG                 ? t->rows
           : array == COL || array == FROM || array == VAL ? t->nnz
                                                           : t->diagonals;
}

static size_t
size_of(const sb_tri *t, int array)
{
    return array == PTR || array == DIAG_PTR ? sizeof(int64_t)
           : array == VAL || array == DIAG   ? sb_dtype_size(t->type)
                                             : sb_dtype_size(t->index);
}

static sb_status
draw(draft *d, sb_native_tri *out)
{
    const sb_tri *t = d->t;

    d->level = sb_alloc_array(t->rows, sizeof *d->level);
    d->order = sb_alloc_array(t->rows, sizeof *d->order);
    d->place = sb_alloc_array(t->rows, sizeof *d->place);
    if (!d->level || !d->order || !d->place)
        return SB_ENOMEM;
    for (int q = 0; q < VAL; q++)
        if (!(d->array[q] = sb_alloc_array(count_of(t, q), size_of(t, q))))
            return SB_ENOMEM;
    out->levels = find_levels(d);
    out->first = sb_alloc_array(out->levels + 1, sizeof *out->first);
    if (!out->first)
        return SB_ENOMEM;
    sort_by_level(d, out->first, out->levels);
    fill(d);
    return SB_OK;
}

static void
draft_free(draft *d)
{
    sb_free(d->level);
    sb_free(d->order);
    sb_free(d->place);
    for (int q = 0; q < VAL; q++)
        sb_free(d->array[q]);
}

/* ---- life ------------------------------------------------------------------------------- */

void
sb_native_tri_release(sb_native_tri *t)
{
    if (!t)
        return;
    for (int q = 0; q < ARRAYS; q++)
        t->device->ops->free(t->device, t->array[q]);
    t->device->ops->release(t->device);
    sb_free(t->first);
    sb_free(t);
}

const sb_device *
sb_native_tri_device(const sb_native_tri *t)
{
    return t->device;
}

static sb_status
move(sb_native_tri *t, int array, const sb_native *n, const void *from, int64_t count,
     size_t size)
{
    sb_device *d = n->device;
    size_t bytes;

    if (!sb_bytes(count, size, &bytes))
        return SB_ENOMEM;
    SB_TRY(d->ops->alloc(d, &t->array[array], bytes, n->diag));
    return from ? d->ops->upload(d, n->stream, t->array[array], from, bytes, n->diag)
                : SB_OK;
}

static sb_native_job
job_of(const sb_native_tri *t, const char *op)
{
    return sb_native_job_of(op, t->type, t->type, t->index, SB_DTYPE_COUNT);
}

static sb_native_job
block_job(const sb_native_tri *t)
{
    return sb_native_job_of("solve_blocks", t->type, t->type, SB_DTYPE_COUNT,
                            SB_DTYPE_COUNT);
}

static sb_status
build_structure(sb_native_tri *out, draft *d, const sb_native *n)
{
    SB_TRY(draw(d, out));
    for (int q = 0; q < VAL; q++)
        SB_TRY(move(out, q, n, d->array[q], count_of(d->t, q), size_of(d->t, q)));
    return move(out, LEVEL, n, out->first, out->levels + 1, sizeof *out->first);
}

/* Blocks are read in place; room to find the first one without a pivot. */
static sb_status
build_blocks(sb_native_tri *out, draft *d, const sb_native *n)
{
    const sb_native_job solve = block_job(out);

    SB_TRY(build_structure(out, d, n));
    SB_TRY(move(out, BAD, n, NULL, (int64_t)sb_native_counts_bytes(out->rows), 1));
    SB_TRY(sb_native_first_load(n));
    return sb_native_load(n, &solve);
}

static sb_status
build(sb_native_tri *out, draft *d, const sb_native *n, const void *values)
{
    const sb_native_job solve = job_of(out, "solve"), chain = job_of(out, "chain");

    SB_TRY(build_structure(out, d, n));
    for (int q = VAL; q < LEVEL; q++)
        SB_TRY(move(out, q, n, NULL, count_of(d->t, q), size_of(d->t, q)));
    SB_TRY(sb_native_load(n, &solve));
    SB_TRY(sb_native_load(n, &chain));
    if (!out->unit) { /* the kernel of an update of the diagonal alone */
        const sb_native_job pack = job_of(out, "pack");

        SB_TRY(sb_native_load(n, &pack));
    }
    return sb_native_tri_update(out, n, values, false);
}

static sb_status
create(sb_native_tri **out, const sb_native *n, const sb_tri *t, const void *values,
       const sb_native_blocks *blocks)
{
    draft d = {.t = t};
    sb_native_tri *made;
    sb_status st;

    *out = NULL;
    SB_TRY(sb_native_may_wait(n, "an analysis waits for the matrix"));
    made = sb_alloc_zero(sizeof *made);
    if (!made)
        return SB_ENOMEM;
    made->device = n->device;
    n->device->ops->hold(n->device);
    made->rows = t->rows;
    made->nnz = t->nnz;
    made->type = t->type;
    made->index = t->index;
    made->conj = t->conj;
    made->unit = t->unit;
    if (blocks)
        made->blocks = *blocks;
    st = blocks ? build_blocks(made, &d, n) : build(made, &d, n, values);
    draft_free(&d);
    if (st == SB_OK)
        *out = made;
    else
        sb_native_tri_release(made);
    return st;
}

sb_status
sb_native_tri_create(sb_native_tri **out, const sb_native *n, const sb_tri *t,
                     const void *values)
{
    return create(out, n, t, values, NULL);
}

sb_status
sb_native_tri_create_blocks(sb_native_tri **out, const sb_native *n, const sb_tri *t,
                            const sb_native_blocks *b)
{
    return create(out, n, t, NULL, b);
}

/* ---- steps ------------------------------------------------------------------------------ */

static sb_status
pack(const sb_native_tri *t, const sb_native *n, const char *op, int64_t count, int ptr,
     int from, const void *values, int to)
{
    sb_native_job j = job_of(t, op);

    sb_native_int(&j, count);
    sb_native_int(&j, t->conj);
    j.args.nparam = 10;
    sb_native_array(&j, t->array[ptr]);
    sb_native_array(&j, t->array[from]);
    sb_native_array(&j, values);
    sb_native_array(&j, t->array[to]);
    j.args.nbuf = 9;
    return sb_native_threads(n, &j, count);
}

sb_status
sb_native_tri_update(const sb_native_tri *t, const sb_native *n, const void *values,
                     bool diagonal)
{
    if (!diagonal)
        SB_TRY(pack(t, n, "pack", t->nnz, PTR, FROM, values, VAL));
    if (t->unit)
        return SB_OK;
    return diagonal
               ? pack(t, n, "pack", t->rows, PTR, ROW, values, DIAG)
               : pack(t, n, "diagonal", t->rows, DIAG_PTR, DIAG_FROM, values, DIAG);
}

static sb_native_job
solve_job(const sb_native_tri *t, const sb_tri_solve *s, sb_native_scalar alpha)
{
    static const int arrays[] = {PTR, ROW, COL, VAL, DIAG};
    sb_native_job j = job_of(t, "");

    sb_native_int(&j, 0);
    sb_native_int(&j, 0);
    sb_native_int(&j, s->cols);
    sb_native_int(&j, s->b_row);
    sb_native_int(&j, s->b_col);
    sb_native_int(&j, s->c_row);
    sb_native_int(&j, s->c_col);
    sb_native_int(&j, s->b_conj);
    sb_native_int(&j, t->unit);
    sb_native_scalar_of(&j, t->type, alpha.value);
    for (int q = 0; q < 5; q++)
        sb_native_array(&j, t->array[arrays[q]]);
    sb_native_array(&j, s->b);
    sb_native_array(&j, s->c);
    sb_native_array(&j, alpha.at);
    sb_native_array(&j, t->array[LEVEL]);
    return j;
}

/* Whether a block does it in a few turns. */
static bool
narrow(const sb_native_tri *t, int64_t level, int64_t cols)
{
    const int64_t rows = t->first[level + 1] - t->first[level];

    return cols == 1 ? rows <= NARROW / 8 : rows <= NARROW * 4 / cols;
}

/* What a launch of these rows, or of this chain of levels, is called and told. */
static void
name_launch(const sb_native_tri *t, sb_native_job *j, bool chain)
{
    if (t->blocks.rows > 0)
        j->args.param[7].i = chain;
    else
        j->op = chain ? "chain" : "solve";
}

static sb_status
launch(const sb_native_tri *t, const sb_native *n, sb_native_job *j, int64_t cols)
{
    for (int64_t l = 0, end; l < t->levels; l = end) {
        const bool few = narrow(t, l, cols);
        int64_t rows;

        end = l + 1;
        while (few && end < t->levels && narrow(t, end, cols))
            end++;
        rows = t->first[end] - t->first[l];
        name_launch(t, j, few);
        j->args.param[0].i = few ? l : t->first[l];
        j->args.param[1].i = few ? end : t->first[end];
        SB_TRY(few         ? sb_native_groups(n, j, 1)
               : cols == 1 ? sb_native_groups(n, j, rows)
                           : sb_native_threads(n, j, rows * cols));
    }
    return SB_OK;
}

sb_status
sb_native_tri_solve(const sb_native_tri *t, const sb_native *n, const sb_tri_solve *s,
                    sb_native_scalar alpha)
{
    sb_native_job j = solve_job(t, s, alpha);

    return launch(t, n, &j, s->cols);
}

sb_status
sb_native_tri_solve_blocks(const sb_native_tri *t, const sb_native *n,
                           const sb_tri_solve *s, sb_native_scalar alpha,
                           const void *values)
{
    const sb_native_blocks *b = &t->blocks;
    const int64_t numbers[] = {0,        0,        s->cols, s->b_row, s->b_col,
                               s->c_row, s->c_col, 0,       t->unit};
    const int64_t more[] = {b->rows, b->down, b->across, b->lower, t->conj, t->rows};
    sb_native_job j = block_job(t);

    for (int q = 0; q < SB_COUNT(numbers); q++)
        sb_native_int(&j, numbers[q]);
    sb_native_scalar_of(&j, t->type, alpha.value);
    for (int q = 0; q < SB_COUNT(more); q++)
        sb_native_int(&j, more[q]);
    for (int q = PTR; q <= DIAG_FROM; q++)
        sb_native_array(&j, t->array[q]);
    sb_native_array(&j, values);
    sb_native_array(&j, s->b);
    sb_native_array(&j, s->c);
    sb_native_array(&j, alpha.at);
    sb_native_array(&j, t->array[LEVEL]);
    sb_native_array(&j, sb_native_counts_in(t->array[BAD]));
    return launch(t, n, &j, s->cols);
}

sb_status
sb_native_tri_first(const sb_native_tri *t, const sb_native *n, int64_t *at)
{
    int64_t *const bad = sb_native_counts_in(t->array[BAD]);

    return sb_native_first(n, bad, t->rows, bad + t->rows + 1, at);
}
