/*
 * Incomplete factors by levels.
 */
#include "base/alloc.h"
#include "base/checked.h"
#include "native/run.h"

#include <string.h>

#ifdef SB_TINY
enum { NARROW = 2 };
#else
enum { NARROW = 32 }; /* rows of a level that one block takes along */
#endif

enum { ORDER, DIAGONAL, LEVEL, BAD, ARRAYS };

struct sb_native_factor {
    sb_device *device; /* held */
    int64_t rows, levels;
    int64_t *first;      /* levels + 1, on the host: rows of the order */
    void *array[ARRAYS]; /* on the device */
};

/* ---- order ------------------------------------------------------------------------------ */

typedef struct draft {
    int32_t *level, *order, *diagonal; /* of rows */
} draft;

/* Levels and slots of diagonals; how many levels. */
static int64_t
look(const draft *d, const sb_incomplete *f)
{
    int64_t levels = 0;

    for (int64_t i = 0; i < f->m; i++) {
        int32_t level = 0;

        d->diagonal[i] = -1;
        for (int64_t p = f->ptr[i] - f->base; p < f->ptr[i + 1] - f->base; p++) {
            const int64_t k = f->idx[p] - f->base;

            if (k == i)
                d->diagonal[i] = (int32_t)p;
            else if (k < i && d->level[k] >= level)
                level = d->level[k] + 1;
        }
        d->level[i] = level;
        levels = level >= levels ? level + 1 : levels;
    }
    return levels;
}

static void
sort_by_level(const draft *d, int64_t rows, int64_t *first, int64_t levels)
{
    memset(first, 0, (size_t)(levels + 1) * sizeof *first);
    for (int64_t i = 0; i < rows; i++)
        first[d->level[i] + 1]++;
    for (int64_t l = 0; l < levels; l++)
        first[l + 1] += first[l];
    for (int64_t i = 0; i < rows; i++)
        d->order[first[d->level[i]]++] = (int32_t)i;
    for (int64_t l = levels; l > 0; l--)
        first[l] = first[l - 1];
    first[0] = 0;
}

/* ---- life ------------------------------------------------------------------------------- */

static sb_native_job
job_of(const sb_incomplete *f)
{
    static const char *const ops[2][2] = {{"lower", "root"},
                                          {"lower_blocks", "root_blocks"}};

    return sb_native_job_of(ops[f->block > 1][f->cholesky], f->type, f->type,
                            SB_DTYPE_COUNT, SB_DTYPE_COUNT);
}

void
sb_native_factor_release(sb_native_factor *f)
{
    if (!f)
        return;
    for (int q = 0; q < ARRAYS; q++)
        f->device->ops->free(f->device, f->array[q]);
    f->device->ops->release(f->device);
    sb_free(f->first);
    sb_free(f);
}

const sb_device *
sb_native_factor_device(const sb_native_factor *f)
{
    return f->device;
}

static sb_status
build(sb_native_factor *out, const draft *d, const sb_native *n, const sb_incomplete *f)
{
    const sb_native_job j = job_of(f);
    const size_t rows = (size_t)f->m * sizeof(int32_t);
    const void *from[ARRAYS] = {[ORDER] = d->order, [DIAGONAL] = d->diagonal};
    size_t bytes[ARRAYS] = {
        [ORDER] = rows, [DIAGONAL] = rows, [BAD] = sb_native_counts_bytes(f->m)};

    out->levels = look(d, f);
    out->first = sb_alloc_array(out->levels + 1, sizeof *out->first);
    if (!out->first)
        return SB_ENOMEM;
    sort_by_level(d, f->m, out->first, out->levels);
    from[LEVEL] = out->first;
    bytes[LEVEL] = (size_t)(out->levels + 1) * sizeof *out->first;
    for (int q = 0; q < ARRAYS; q++) {
        SB_TRY(n->device->ops->alloc(n->device, &out->array[q], bytes[q], n->diag));
        if (from[q])
            SB_TRY(n->device->ops->upload(n->device, n->stream, out->array[q], from[q],
                                          bytes[q], n->diag));
    }
    SB_TRY(sb_native_first_load(n));
    return sb_native_load(n, &j);
}

sb_status
sb_native_factor_create(sb_native_factor **out, const sb_native *n,
                        const sb_incomplete *f)
{
    draft d = {sb_alloc_array(f->m, sizeof *d.level),
               sb_alloc_array(f->m, sizeof *d.order),
               sb_alloc_array(f->m, sizeof *d.diagonal)};
    sb_native_factor *made = sb_alloc_zero(sizeof *made);
    sb_status st = SB_ENOMEM;

    *out = NULL;
    if (made) {
        made->device = n->device;
        n->device->ops->hold(n->device);
        made->rows = f->m;
        if (d.level && d.order && d.diagonal)
            st = build(made, &d, n, f);
    }
    sb_free(d.level);
    sb_free(d.order);
    sb_free(d.diagonal);
    if (st == SB_OK)
        *out = made;
    else
        sb_native_factor_release(made);
    return st;
}

/* ---- factors ---------------------------------------------------------------------------- */

static int64_t
rows_of(const sb_native_factor *f, int64_t level)
{
    return f->first[level + 1] - f->first[level];
}

static sb_status
levels(const sb_native_factor *f, const sb_native *n, sb_native_job *j)
{
    for (int64_t l = 0, end; l < f->levels; l = end) {
        const bool few = rows_of(f, l) <= NARROW;

        end = l + 1;
        while (few && end < f->levels && rows_of(f, end) <= NARROW)
            end++;
        j->args.param[0].i = few ? l : f->first[l];
        j->args.param[1].i = few ? end : f->first[end];
        j->args.param[3].i = few;
        SB_TRY(sb_native_groups(n, j, few ? 1 : f->first[end] - f->first[l]));
    }
    return SB_OK;
}

sb_status
sb_native_factor_run(const sb_native_factor *f, const sb_native *n,
                     const sb_incomplete *job)
{
    sb_native_job j = job_of(job);

    sb_native_int(&j, 0);
    sb_native_int(&j, 0);
    sb_native_int(&j, job->base);
    sb_native_int(&j, 0);
    sb_native_int(&j, f->rows);
    sb_native_int(&j, job->boosts);
    sb_native_scalar_of(&j, SB_F64, (sb_value){job->tol, 0});
    sb_native_scalar_of(&j, job->type, job->boost);
    sb_native_int(&j, job->block);
    sb_native_int(&j, job->by_columns ? 1 : job->block);
    sb_native_int(&j, job->by_columns ? job->block : 1);
    sb_native_array(&j, job->ptr);
    sb_native_array(&j, job->idx);
    sb_native_array(&j, job->val);
    sb_native_array(&j, f->array[ORDER]);
    sb_native_array(&j, f->array[DIAGONAL]);
    sb_native_array(&j, sb_native_counts_in(f->array[BAD]));
    sb_native_array(&j, f->array[LEVEL]);
    return levels(f, n, &j);
}

sb_status
sb_native_factor_first(const sb_native_factor *f, const sb_native *n, int64_t *at)
{
    int64_t *const bad = sb_native_counts_in(f->array[BAD]);

    return sb_native_first(n, bad, f->rows, bad + f->rows + 1, at);
}
