/*
 * See indices.h.
 */
#include "planner/indices.h"

#include "base/alloc.h"
#include "base/checked.h"
#include "base/macro.h"

#include <string.h>

enum { PIECES = 64, LEAST = 1 << 15 };

/* One array on its way, in pieces; `high` of a piece: what its numbers, moved up by 2^31, have
 * above 32 bits. */
typedef struct job {
    const int64_t *from;
    int32_t *to;
    int64_t count, pieces;
    uint64_t high[PIECES];
} job;

static void
shorten_pieces(void *user, int64_t first, int64_t last)
{
    job *j = user;

    for (int64_t q = first; q < last; q++) {
        const int64_t hi = (j->count / j->pieces + 1) * (q + 1);
        const int64_t end = hi < j->count ? hi : j->count;
        uint64_t seen = 0;

        for (int64_t p = (j->count / j->pieces + 1) * q; p < end; p++) {
            seen |= (uint64_t)j->from[p] + ((uint64_t)1 << 31);
            j->to[p] = (int32_t)j->from[p];
        }
        j->high[q] = seen >> 32;
    }
}

/* False: a number does not fit. */
static bool
shorten(int32_t *to, const int64_t *from, int64_t count, const sb_par *par)
{
    job j = {.from = from, .to = to, .count = count, .pieces = count / LEAST + 1};
    uint64_t high = 0;

    j.pieces = j.pieces < PIECES ? j.pieces : PIECES;
    sb_par_run(par, shorten_pieces, &j, 0, j.pieces, 1);
    for (int64_t q = 0; q < j.pieces; q++)
        high |= j.high[q];
    return high == 0;
}

/* Coordinates that are filled: a caller may have declared more. */
static int64_t
filled(const sb_matrix *a)
{
    const int64_t n = sb_matrix_offsets(a);
    const int64_t end = n > 0 ? sb_index(a->ptr, a->ptr_type, n - 1) - a->base : a->nnz;

    return end < 0 ? 0 : end < a->nnz ? end : a->nnz;
}

/* Whether numbers that are right fit, as far as sizes tell. */
static bool
small(const sb_matrix *a)
{
    return a->rows < INT32_MAX && a->cols < INT32_MAX && a->nnz < INT32_MAX;
}

/* The copy of one array, of which `used` elements are filled; *array is left alone. */
static bool
copy(sb_indices *out, const char *name, const void *array, int64_t used, int64_t count,
     const sb_par *par)
{
    int32_t *data = sb_alloc_array(count, sizeof *data);

    if (!data)
        return false;
    out->array[out->n].name = name;
    out->array[out->n].count = count;
    out->array[out->n++].data = data;
    memset(data + used, 0, (size_t)(count - used) * sizeof *data);
    return shorten(data, array, used, par);
}

/* Copies of all that are there and have 64 bits, in the order of `shorter`. */
static bool
copies(sb_indices *out, const sb_matrix *a, const sb_par *par)
{
    const int64_t n = sb_matrix_offsets(a), used = filled(a);

    if (a->ptr && n > 0 && a->ptr_type == SB_I64 &&
        !copy(out, "A_ptr", a->ptr, n, n, par))
        return false;
    if (a->idx_type != SB_I64)
        return true;
    return (!a->row || copy(out, "A_row", a->row, used, a->nnz, par)) &&
           (!a->idx || copy(out, "A_crd", a->idx, used, a->nnz, par));
}

static void
put(sb_matrix *a, const char *name, const void *data)
{
    if (strcmp(name, "A_ptr") == 0) {
        a->ptr = data;
        a->ptr_type = SB_I32;
        return;
    }
    if (strcmp(name, "A_row") == 0)
        a->row = data;
    else
        a->idx = data;
    a->idx_type = SB_I32;
}

static size_t
bytes_of(const sb_matrix *a)
{
    size_t bytes;
    int64_t all;

    if (!sb_mul_i64(a->nnz, a->row ? 2 : 1, &all) ||
        !sb_add_i64(all, sb_matrix_offsets(a), &all) ||
        !sb_bytes(all, sizeof(int32_t), &bytes))
        return SIZE_MAX;
    return bytes;
}

void
sb_indices_shorten(sb_indices *out, sb_problem *pb, size_t room, const sb_par *par)
{
    sb_matrix *a = &pb->a;
    const bool own = a->batch > 1 && (a->ptr_stride != 0 || a->idx_stride != 0);

    if (a->format == SB_FORMAT_TENSOR || own || !small(a) || a->nnz == 0 ||
        (a->ptr_type != SB_I64 && a->idx_type != SB_I64))
        return;
    out->bytes = bytes_of(a);
    if (out->bytes > room || !copies(out, a, par)) {
        sb_indices_free(out);
        return;
    }
    for (int q = 0; q < out->n; q++)
        put(a, out->array[q].name, out->array[q].data);
}

/* Whether a kernel with this signature (runtime/kernel.h) has a buffer of this name. */
static bool
reads(const char *signature, const char *name)
{
    const size_t len = strlen(name);
    const char *at = strchr(signature, ';');

    for (; at; at = strchr(at + 1, ' '))
        if (strncmp(at + 1, name, len) == 0 && (at[len + 1] == ' ' || !at[len + 1]))
            return true;
    return false;
}

/* Not where the plan has such an array of its own. */
static bool
wanted(const sb_plan *plan, const char *name)
{
    for (int q = 0; q < plan->narray; q++)
        if (strcmp(plan->array[q].name, name) == 0)
            return false;
    for (int q = 0; q < plan->nstep; q++)
        if (reads(plan->step[q].kernel->signature, name))
            return true;
    return false;
}

void
sb_indices_keep(sb_indices *x, sb_plan *plan)
{
    for (int q = 0; q < x->n; q++) {
        sb_plan_array *to = &plan->array[plan->narray];

        if (!wanted(plan, x->array[q].name))
            continue;
        SB_ASSERT(plan->narray < SB_PLAN_MAX_ARRAYS);
        *to = (sb_plan_array){
            .type = SB_I32, .count = x->array[q].count, .data = x->array[q].data};
        strncpy(to->name, x->array[q].name, sizeof to->name - 1);
        plan->narray++;
        plan->bytes += (size_t)to->count * sizeof(int32_t);
        x->array[q].data = NULL;
    }
    if (plan->source)
        sb_plan_name_sources(plan); /* A_ptr is another one now */
}

void
sb_indices_free(sb_indices *x)
{
    for (int q = 0; q < x->n; q++)
        sb_free(x->array[q].data);
    *x = (sb_indices){0};
}
