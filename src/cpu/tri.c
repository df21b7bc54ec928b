/*
 * The order of a triangular solve. Rows have levels: one more than the highest of the rows
 * they need. Where levels are large, rows are solved level by level and threads share each
 * large one; where they are small, one thread in the rows' own order is faster than any
 * number that wait for each other. Several right sides are shared by threads instead.
 *
 * Source   Anderson, Saad: Solving sparse triangular systems on parallel computers, 1989
 */
#include "cpu/tri.h"

#include "base/alloc.h"
#include "base/fault.h"
#include "base/sync.h"
#include "cpu/exec.h"
#include "formats/tensor.h"
#include "formats/view.h"

#include <string.h>

#ifdef SB_TINY
enum { WIDE_WORK = 8, PIECE_WORK = 4, SHARED_WORK = 8 };
#else
enum {
    WIDE_WORK = 8192,   /* entries and rows of a level that threads share */
    PIECE_WORK = 2048,  /* the same of what a thread takes of it, at least */
    SHARED_WORK = 20000 /* the same, times right sides, of a solve worth a team */
};
#endif
enum {
    ROW_WORK = 4,  /* a row's own, in entries */
    PATIENCE = 200 /* looks before a waiting thread makes room */
};

/* A triangle on its way: a view of op(A), levels and numbers of its rows. */
typedef struct draft {
    sb_view v;
    bool lower;
    int64_t *level; /* rows: from 0 */
    int64_t *place; /* rows: in the order */
    int64_t levels;
} draft;

static bool
beside(const draft *d, int64_t i, int64_t j)
{
    return d->lower ? j < i : j > i;
}

static void
count_entries(sb_tri *t, const draft *d)
{
    t->nnz = t->diagonals = 0;
    for (int64_t i = 0; i < t->rows; i++)
        for (int64_t p = sb_view_lo(&d->v, i); p < sb_view_lo(&d->v, i + 1); p++) {
            const int64_t j = sb_view_col(&d->v, p);

            t->nnz += beside(d, i, j);
            t->diagonals += i == j;
        }
}

static void
find_levels(const sb_tri *t, draft *d)
{
    d->levels = 0;
    for (int64_t q = 0; q < t->rows; q++) {
        const int64_t i = d->lower ? q : t->rows - 1 - q;
        int64_t level = 0;

        for (int64_t p = sb_view_lo(&d->v, i); p < sb_view_lo(&d->v, i + 1); p++) {
            const int64_t j = sb_view_col(&d->v, p);

            if (beside(d, i, j) && d->level[j] >= level)
                level = SB_FAULT(TRI_LEVEL) ? d->level[j] == 0 : d->level[j] + 1;
        }
        d->level[i] = level;
        d->levels = level >= d->levels ? level + 1 : d->levels;
    }
}

/* ---- Order -------------------------------------------------------------------------- */

/* Rows one after another, the work of one thread. */
static sb_status
order_by_row(sb_tri *t, draft *d)
{
    for (int64_t i = 0; i < t->rows; i++)
        d->place[i] = d->lower ? i : t->rows - 1 - i;
    t->stage = sb_alloc(sizeof *t->stage);
    if (!t->stage)
        return SB_ENOMEM;
    t->stages = 1;
    t->stage[0] = (sb_tri_stage){t->rows, false};
    return SB_OK;
}

/* Appends a level; small ones run together. */
static void
add_stage(sb_tri *t, int64_t hi, int64_t work)
{
    const bool wide = work >= WIDE_WORK;

    if (!wide && t->stages > 0 && !t->stage[t->stages - 1].wide)
        t->stages--;
    t->stage[t->stages++] = (sb_tri_stage){hi, wide};
}

/* Rows, and work, of each level; first has one more. */
static void
weigh_levels(const sb_tri *t, const draft *d, int64_t *first, int64_t *work)
{
    memset(first, 0, (size_t)(d->levels + 1) * sizeof *first);
    memset(work, 0, (size_t)d->levels * sizeof *work);
    for (int64_t i = 0; i < t->rows; i++) {
        first[d->level[i] + 1]++;
        work[d->level[i]] += ROW_WORK + sb_view_lo(&d->v, i + 1) - sb_view_lo(&d->v, i);
    }
    for (int64_t l = 0; l < d->levels; l++)
        first[l + 1] += first[l];
}

/* Whether most of the work lies in levels that threads can share. */
static bool
worth_sharing(const draft *d, const int64_t *work)
{
    int64_t shared = 0, all = 0;

    for (int64_t l = 0; l < d->levels; l++) {
        shared += work[l] >= WIDE_WORK ? work[l] : 0;
        all += work[l];
    }
    return sb_exec_threads() > 1 && shared > all / 2;
}

static sb_status
order(sb_tri *t, draft *d)
{
    int64_t *first = sb_alloc_array(d->levels + 1, sizeof *first);
    int64_t *work = sb_alloc_array(d->levels, sizeof *work);
    sb_status st = SB_ENOMEM;

    if (first && work) {
        weigh_levels(t, d, first, work);
        if (!worth_sharing(d, work)) {
            st = order_by_row(t, d);
        } else if ((t->stage = sb_alloc_array(d->levels, sizeof *t->stage))) {
            for (int64_t l = 0; l < d->levels; l++)
                add_stage(t, first[l + 1], work[l]);
            for (int64_t i = 0; i < t->rows; i++)
                d->place[i] = first[d->level[i]]++;
            st = SB_OK;
        }
    }
    sb_free(first);
    sb_free(work);
    return st;
}

/* ---- Arrays ------------------------------------------------------------------------- */

static sb_status
make_arrays(sb_tri *t)
{
    const size_t index = sb_dtype_size(t->index), value = sb_dtype_size(t->type);

    t->ptr = sb_alloc_array(t->rows + 1, sizeof *t->ptr);
    t->row = sb_alloc_array(t->rows, index);
    t->col = sb_alloc_array(t->nnz, index);
    t->from = sb_alloc_array(t->nnz, index);
    t->diag_row = sb_alloc_array(t->diagonals, index);
    t->diag_from = sb_alloc_array(t->diagonals, index);
    t->val = sb_alloc_array(t->nnz, value);
    t->diag = sb_alloc_array(t->rows, value);
    return t->ptr && t->row && t->col && t->from && t->diag_row && t->diag_from &&
                   t->val && t->diag
               ? SB_OK
               : SB_ENOMEM;
}

static void
fill_structure(sb_tri *t, const draft *d)
{
    int64_t at = 0, e = 0;

    for (int64_t i = 0; i < t->rows; i++)
        sb_index_store(t->row, t->index, d->place[i], i);
    t->ptr[0] = 0;
    for (int64_t q = 0; q < t->rows; q++) {
        const int64_t i = sb_index(t->row, t->index, q);

        for (int64_t p = sb_view_lo(&d->v, i); p < sb_view_lo(&d->v, i + 1); p++) {
            const int64_t j = sb_view_col(&d->v, p), from = sb_view_pos(&d->v, p);

            if (beside(d, i, j)) {
                sb_index_store(t->col, t->index, at, j);
                sb_index_store(t->from, t->index, at++, from);
            } else if (i == j) {
                sb_index_store(t->diag_row, t->index, e, q);
                sb_index_store(t->diag_from, t->index, e++, from);
            }
        }
        t->ptr[q + 1] = at;
    }
}

static void
release(sb_tri *t)
{
    if (!t)
        return;
    sb_free(t->ptr);
    sb_free(t->row);
    sb_free(t->col);
    sb_free(t->from);
    sb_free(t->diag_row);
    sb_free(t->diag_from);
    sb_free(t->val);
    sb_free(t->diag);
    sb_free(t->stage);
    sb_free(t);
}

static sb_status
build(sb_tri *t, draft *d)
{
    d->level = sb_alloc_array(t->rows, sizeof *d->level);
    d->place = sb_alloc_array(t->rows, sizeof *d->place);
    if (!d->level || !d->place)
        return SB_ENOMEM;
    count_entries(t, d);
    find_levels(t, d);
    SB_TRY(order(t, d));
    SB_TRY(make_arrays(t));
    fill_structure(t, d);
    return SB_OK;
}

/* Elements of the caller's values. */
static int64_t
slots(const sb_matrix *a)
{
    if (a->format == SB_FORMAT_TENSOR)
        return sb_tensor_is_list(a->tensor) ? 0 : sb_tensor_slots(a->tensor);
    return a->nnz * sb_matrix_block(a) * sb_matrix_block(a);
}

static sb_status
analyse(sb_tri **out, const sb_matrix *a, const sb_tri_part *part, sb_diag *diag)
{
    const bool turned = part->trans != SB_TRANS_N;
    draft d = {.lower = part->upper == turned};
    sb_tri *t = sb_alloc_zero(sizeof *t);
    sb_status st = SB_ENOMEM;

    *out = NULL;
    if (t && (st = sb_view_make_elements(&d.v, a, turned, diag)) == SB_OK) {
        t->rows = a->rows;
        t->type = a->val_type;
        t->index = a->rows <= INT32_MAX && slots(a) <= INT32_MAX ? SB_I32 : SB_I64;
        t->conj = part->trans == SB_TRANS_H;
        t->unit = part->unit && !SB_FAULT(TRI_UNIT);
        st = build(t, &d);
        sb_view_free(&d.v);
    }
    if (st == SB_OK) {
        if (a->val)
            sb_tri_kernels_of(t)->pack(t, a->val);
        *out = t;
        t = NULL;
    }
    sb_free(d.level);
    sb_free(d.place);
    release(t);
    return st;
}

static void
update(sb_tri *t, const void *values, bool diagonal)
{
    if (SB_FAULT(TRI_STALE))
        return;
    if (diagonal)
        sb_tri_kernels_of(t)->pack_diagonal(t, values);
    else
        sb_tri_kernels_of(t)->pack(t, values);
}

/* ---- Solve -------------------------------------------------------------------------- */

typedef struct job {
    const sb_tri *t;
    const sb_tri_solve *s;
    int64_t chunk; /* right sides of a piece */
    int threads;
    int64_t next, done; /* atomic: pieces of stages that are taken, that are solved */
} job;

/* Pieces of a stage of rows lo .. hi. */
static int64_t
pieces_of(const job *j, const sb_tri_stage *stage, int64_t lo)
{
    const int64_t work =
        j->t->ptr[stage->hi] - j->t->ptr[lo] + ROW_WORK * (stage->hi - lo);
    const int64_t most = 4 * (int64_t)j->threads, n = work / PIECE_WORK;

    if (!stage->wide || n < 1)
        return 1;
    return n < most ? n : most;
}

static void
wait_for(job *j, int64_t pieces)
{
    for (int looks = 0; __atomic_load_n(&j->done, __ATOMIC_ACQUIRE) < pieces;)
        if (++looks % PATIENCE == 0)
            sb_yield();
}

/*
 * Takes pieces of the stages in order until none is left. A piece waits for all of earlier
 * stages, which others have taken and are at, so one worker alone never waits.
 */
static void
take_pieces(job *j)
{
    const sb_tri *t = j->t;
    int64_t piece = __atomic_fetch_add(&j->next, 1, __ATOMIC_RELAXED);
    int64_t lo = 0, first = 0;

    for (int k = 0; k < t->stages; k++) {
        const int64_t n = pieces_of(j, &t->stage[k], lo), rows = t->stage[k].hi - lo;

        while (piece < first + n) {
            const int64_t q = piece - first;

            wait_for(j, first);
            sb_tri_kernels_of(t)->rows(t, j->s, lo + rows * q / n,
                                       lo + rows * (q + 1) / n, 0, j->s->cols);
            (void)__atomic_fetch_add(&j->done, 1, __ATOMIC_RELEASE);
            piece = __atomic_fetch_add(&j->next, 1, __ATOMIC_RELAXED);
        }
        first += n;
        lo = t->stage[k].hi;
    }
}

static void
run_workers(void *user, int64_t lo, int64_t hi)
{
    for (; lo < hi; lo++)
        take_pieces(user);
}

static void
all_of_columns(void *user, int64_t lo, int64_t hi)
{
    const job *j = user;

    for (int64_t k = lo; k < hi; k++) {
        const int64_t c = k * j->chunk, end = c + j->chunk;

        sb_tri_kernels_of(j->t)->rows(j->t, j->s, 0, j->t->rows, c,
                                      end < j->s->cols ? end : j->s->cols);
    }
}

static void
solve(const sb_tri *t, const sb_tri_solve *s)
{
    const int threads = sb_exec_threads();
    const double work = (double)(t->nnz + ROW_WORK * t->rows) * (double)s->cols;
    job j = {t, s, (s->cols + threads - 1) / threads, threads, 0, 0};

    if (threads == 1 || work < SHARED_WORK || (s->cols < threads && t->stages == 1)) {
        sb_tri_kernels_of(t)->rows(t, s, 0, t->rows, 0, s->cols);
    } else if (s->cols >= threads) {
        j.chunk = j.chunk < SB_TRI_LINE ? j.chunk : SB_TRI_LINE;
        sb_exec_parallel(all_of_columns, &j, 0, (s->cols + j.chunk - 1) / j.chunk, 1);
    } else {
        sb_exec_parallel(run_workers, &j, 0, threads, 1);
    }
}

const sb_tri_steps sb_cpu_tri = {analyse, update, solve, release};
