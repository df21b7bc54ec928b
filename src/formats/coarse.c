/*
 * Two passes over the longest row of each window: windows of columns are counted, then
 * listed. Columns of one window follow each other, so an entry is new where a column lies
 * outside the last one's.
 */
#include "formats/coarse.h"

#include "base/alloc.h"

#include <string.h>

enum { GRAIN = 256 /* windows */ };

/* What threads share: windows are looked at apart from each other, first to count, then to fill. */
typedef struct job {
    const sb_view *v;
    int32_t window, *ptr, *crd; /* crd: NULL while entries are counted */
    int64_t columns;            /* atomic */
} job;

/* The slots [*lo, *hi) of the longest row of window w. */
static void
longest(const job *j, int64_t w, int64_t *lo, int64_t *hi)
{
    const int64_t first = w * j->window, past = first + j->window;
    const int64_t last = past < j->v->rows ? past : j->v->rows;

    *lo = *hi = 0;
    for (int64_t i = first; i < last; i++) {
        const int64_t at = sb_view_lo(j->v, i), end = sb_view_lo(j->v, i + 1);

        if (end - at > *hi - *lo) {
            *lo = at;
            *hi = end;
        }
    }
}

static void
look_at_windows(void *user, int64_t from, int64_t to)
{
    job *j = user;
    int64_t columns = 0;

    for (int64_t w = from; w < to; w++) {
        int64_t lo, hi, first = 0, past = 0; /* columns of the entry at hand */
        int32_t n = j->crd ? j->ptr[w] : 0;

        longest(j, w, &lo, &hi);
        columns += hi - lo;
        for (int64_t p = lo; p < hi; p++) {
            const int64_t c = sb_view_col(j->v, p);

            if (c >= first && c < past)
                continue;
            first = c / j->window * j->window;
            past = first + j->window;
            if (j->crd)
                j->crd[n] = (int32_t)(c / j->window);
            n++;
        }
        if (!j->crd)
            j->ptr[w] = n;
    }
    if (!j->crd)
        __atomic_fetch_add(&j->columns, columns, __ATOMIC_RELAXED);
}

sb_status
sb_coarse_make(sb_coarse *out, const sb_view *v, int window, const sb_par *par)
{
    const int64_t n = (v->rows + window - 1) / window;
    job j = {.v = v, .window = window};
    int32_t total = 0;

    memset(out, 0, sizeof *out);
    if (v->rows != v->cols || v->block > 1 || v->rows >= INT32_MAX ||
        v->nnz >= INT32_MAX)
        return SB_SKIP;
    j.ptr = sb_alloc_array(n + 1, sizeof *j.ptr);
    if (!j.ptr)
        return SB_ENOMEM;
    sb_par_run(par, look_at_windows, &j, 0, n, GRAIN);
    for (int64_t w = 0; w < n; w++) {
        const int32_t here = j.ptr[w];

        j.ptr[w] = total;
        total += here;
    }
    j.ptr[n] = total;
    j.crd = sb_alloc_array(total, sizeof *j.crd);
    if (!j.crd) {
        sb_free(j.ptr);
        return SB_ENOMEM;
    }
    sb_par_run(par, look_at_windows, &j, 0, n, GRAIN);
    out->v = (sb_view){.rows = n,
                       .cols = n,
                       .nnz = total,
                       .block = 1,
                       .ptr = j.ptr,
                       .crd = j.crd,
                       .ptr_type = SB_I32,
                       .crd_type = SB_I32,
                       .slot_type = SB_I32,
                       .own_ptr = j.ptr,
                       .own_crd = j.crd};
    out->columns = total > 0 ? (double)j.columns / total : 1;
    return SB_OK;
}

void
sb_coarse_free(sb_coarse *c)
{
    sb_view_free(&c->v);
}
