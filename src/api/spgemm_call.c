/*
 * The road of every call about a product of sparse matrices: checks, then sizes of
 * buffers, or a step of the backend on them.
 */
#include "api/spgemm_call.h"

#include "api/error.h"
#include "api/place.h"
#include "api/spmat.h"
#include "api/types.h"
#include "api/view.h"
#include "base/checked.h"
#include "base/macro.h"
#include "formats/check.h"
#include "native/native.h"

#include <string.h>

/* ---- Buffers ------------------------------------------------------------------------ */

enum { LINE = 64 };

static int
n_buffers(const sb_spgemm_call *k)
{
    const sb_spgemm_facts *f = sb_spgemm_facts_of(k->step);
    int n = 0;

    while (n < SB_SPGEMM_BUFFERS && f->buffers[n])
        n++;
    return n;
}

static char *
aligned(void *p)
{
    return (char *)(((uintptr_t)p + LINE - 1) & ~(uintptr_t)(LINE - 1));
}

/* What a buffer holds: `fixed` bytes, then slots, all on lines. */
typedef struct need {
    size_t fixed, slot;
} need;

static size_t
rows_bytes(const sb_spgemm *g)
{
    return ((size_t)(g->a.rows + 1) * sizeof(int64_t) + LINE - 1) & ~(size_t)(LINE - 1);
}

static size_t
sums_bytes(const sb_spgemm *g)
{
    return (sb_native_spgemm_sums(g) + LINE - 1) & ~(size_t)(LINE - 1);
}

/* On a device: a row's table of columns, and sums of offsets, in addition. */
static sb_status
needs_on_device(need *out, int *most, sb_spgemm_step step, const sb_spgemm *g)
{
    const size_t rows = rows_bytes(g), sums = sums_bytes(g);
    size_t slot = 0;

    if (step != SB_SPGEMM_WORK && step != SB_SPGEMM_REUSE_WORK)
        SB_TRY(sb_native_spgemm_slot(g, &slot, most));
    switch (step) {
    case SB_SPGEMM_WORK:
    case SB_SPGEMM_REUSE_WORK:
        out[0].fixed = 2 * rows + sums;
        break;
    case SB_SPGEMM_COUNT:
        out[0] = (need){rows + sums, slot};
        break;
    case SB_SPGEMM_REUSE_COUNT:
        out[0] = (need){sums, slot};
        out[1].slot = slot;
        out[2].fixed = 3 * rows;
        break;
    case SB_SPGEMM_REUSE_COPY:
        out[0].slot = slot;
        break;
    case SB_SPGEMM_MEMORY:
    case SB_SPGEMM_COPY:
    case SB_SPGEMM_REUSE_VALUES:
        break;
    }
    return SB_OK;
}

/* What the buffers of a step hold, and how many slots are worth having. */
static sb_status
needs_of(need *out, int *most, sb_spgemm_step step, const sb_spgemm *g, bool device)
{
    const sb_spgemm_steps *backend = sb_backend_get()->spgemm;
    const size_t rows = rows_bytes(g);
    bool fits = true;

    memset(out, 0, SB_SPGEMM_BUFFERS * sizeof *out);
    if (g->a.rows > INT64_MAX / 64)
        return SB_ERESOURCES;
    *most = device ? 1 : sb_backend_get()->threads();
    if (device)
        return needs_on_device(out, most, step, g);
    switch (step) {
    case SB_SPGEMM_WORK:
    case SB_SPGEMM_REUSE_WORK:
        out[0].fixed = rows;
        break;
    case SB_SPGEMM_COUNT:
        out[0].fixed = rows;
        fits = backend->slot(g, true, &out[0].slot);
        break;
    case SB_SPGEMM_REUSE_COUNT:
        fits = backend->slot(g, false, &out[0].slot);
        out[1].slot = out[0].slot;
        out[2].fixed = 2 * rows;
        break;
    case SB_SPGEMM_REUSE_COPY:
        fits = backend->slot(g, true, &out[0].slot);
        break;
    case SB_SPGEMM_MEMORY:
    case SB_SPGEMM_COPY:
    case SB_SPGEMM_REUSE_VALUES:
        break;
    }
    return fits ? SB_OK : SB_ERESOURCES;
}

/* Bytes for that many slots, and for moving to a line. */
static sb_status
bytes_of(const need *n, int slots, size_t *out)
{
    size_t bytes;

    if (!sb_bytes(slots, n->slot, &bytes) || bytes > SIZE_MAX - n->fixed - LINE)
        return SB_ERESOURCES;
    *out = n->fixed + bytes + LINE;
    return SB_OK;
}

/* How many slots a buffer of `size` holds, 0 when it is too small. */
static int
slots_in(const need *n, size_t size, int most)
{
    if (size < n->fixed + LINE || (n->slot && size - n->fixed - LINE < n->slot))
        return 0;
    if (n->slot && (size - n->fixed - LINE) / n->slot < (size_t)most)
        return (int)((size - n->fixed - LINE) / n->slot);
    return most;
}

/* ---- Steps -------------------------------------------------------------------------- */

static sb_status
validate(spblasConstSpMatDescr_t d, const sb_matrix *a, sb_diag *diag)
{
    return d->at.validate ? sb_matrix_check(a, diag) : SB_OK;
}

/* Writes C's number of entries into its descriptor. */
static sb_status
resize(const sb_spgemm_call *k, sb_spgemm *g, int64_t nnz, sb_diag *diag)
{
    sb_spmat draft = *k->c;

    draft.nnz = nnz;
    if (draft.ptr_type == SPBLAS_INDEX_32I && draft.nnz > INT32_MAX - (int)draft.base)
        return sb_diag_set(diag, SB_ERESOURCES,
                           "C has %lld entries, more than its 32-bit offsets can count",
                           (long long)draft.nnz);
    if (sb_spmat_change(k->function, k->c, &draft, true) != SPBLAS_STATUS_SUCCESS)
        return sb_diag_set(diag, SB_EINVAL, "argument matC has misaligned arrays");
    g->c.nnz = draft.nnz;
    return SB_OK;
}

static sb_status
count(const sb_spgemm_call *k, sb_spgemm *g, char *offsets, sb_diag *diag)
{
    g->ptr = (int64_t *)(void *)offsets;
    sb_backend_get()->spgemm->count(g);
    return resize(k, g, g->ptr[g->a.rows], diag);
}

/* SpGEMMreuse: what outlives buffer 1 goes to buffer 4. */
static sb_status
count_for_reuse(const sb_spgemm_call *k, sb_spgemm *g, sb_diag *diag)
{
    char *keep = aligned(k->lent[2].at);
    const size_t rows = rows_bytes(g);
    sb_status st;

    memmove(keep, g->work, rows);
    g->work = (int64_t *)(void *)keep;
    g->scratch = aligned(k->lent[0].at);
    st = count(k, g, keep + rows, diag);
    g->scratch = aligned(k->lent[1].at);
    return st;
}

/* Takes the step on a job that becomes the descriptor's if all goes well. Slots of `slot`
 * bytes are what the step's own buffer holds. */
static sb_status
take(const sb_spgemm_call *k, sb_spgemm *g, int slots, size_t slot, sb_diag *diag)
{
    const sb_spgemm_steps *backend = sb_backend_get()->spgemm;
    char *first = k->lent[0].at ? aligned(k->lent[0].at) : NULL;

    switch (k->step) {
    case SB_SPGEMM_WORK:
    case SB_SPGEMM_REUSE_WORK:
        SB_TRY(validate(k->a, &g->a, diag));
        SB_TRY(validate(k->b, &g->b, diag));
        g->work = (int64_t *)(void *)first;
        SB_TRY(backend->work(g));
        k->descr->products = g->work[g->a.rows];
        break;
    case SB_SPGEMM_COUNT:
        g->slots = slots;
        g->slot_bytes = slot;
        g->scratch = first + rows_bytes(g);
        return count(k, g, first, diag);
    case SB_SPGEMM_REUSE_COUNT:
        g->slots = slots;
        g->slot_bytes = slot;
        return count_for_reuse(k, g, diag);
    case SB_SPGEMM_COPY:
        backend->fill(g);
        break;
    case SB_SPGEMM_REUSE_COPY:
        backend->columns(g);
        g->slots = slots;
        g->slot_bytes = slot;
        g->scratch = first;
        break;
    case SB_SPGEMM_REUSE_VALUES:
        backend->values(g);
        break;
    case SB_SPGEMM_MEMORY:
        break;
    }
    return SB_OK;
}

/* ---- Steps on a device -------------------------------------------------------------- */

static sb_native
native_of(const sb_spgemm_call *k, sb_diag *diag)
{
    return (sb_native){k->handle->device, k->handle->stream, diag, false};
}

static sb_status
work_there(const sb_spgemm_call *k, sb_spgemm *g, char *first, sb_diag *diag)
{
    const sb_native n = native_of(k, diag);
    const size_t rows = rows_bytes(g);

    if (k->a->at.validate)
        SB_TRY(sb_place_check(k->handle, &g->a, diag));
    if (k->b->at.validate)
        SB_TRY(sb_place_check(k->handle, &g->b, diag));
    g->work = (int64_t *)(void *)first;
    g->table = (int64_t *)(void *)(first + rows);
    SB_TRY(sb_native_spgemm_work(&n, g, (int64_t *)(void *)(first + 2 * rows),
                                 &k->descr->products));
    k->descr->device = k->handle->device;
    return SB_OK;
}

static sb_status
count_there(const sb_spgemm_call *k, sb_spgemm *g, char *offsets, char *sums,
            sb_diag *diag)
{
    const sb_native n = native_of(k, diag);
    int64_t nnz;

    g->ptr = (int64_t *)(void *)offsets;
    g->scratch = sums + sums_bytes(g);
    SB_TRY(sb_native_spgemm_count(&n, g, (int64_t *)(void *)sums, &nnz));
    return resize(k, g, nnz, diag);
}

/* The kernel reads a far scalar in the type of sums, so one of 16-bit floats is fetched. */
static sb_status
scalar_there(sb_native_scalar *out, const sb_spgemm_call *k, const void *at,
             sb_diag *diag)
{
    const sb_dtype type = sb_public_dtype(k->compute);
    sb_param value;

    if (!sb_dtype_is_half(type)) {
        *out = sb_place_native_scalar(k->handle, at, type);
        return SB_OK;
    }
    SB_TRY(sb_place_scalar(&value, k->handle, at, sb_dtype_size(type), diag));
    *out = (sb_native_scalar){sb_value_load(type, &value, 0), NULL};
    return SB_OK;
}

static sb_status
values_there(const sb_spgemm_call *k, const sb_spgemm *g, sb_diag *diag)
{
    const sb_native n = native_of(k, diag);
    sb_native_scalar alpha, beta;

    SB_TRY(scalar_there(&alpha, k, k->alpha, diag));
    SB_TRY(scalar_there(&beta, k, k->beta, diag));
    return sb_native_spgemm_values(&n, g, alpha, beta);
}

static sb_status
take_there(const sb_spgemm_call *k, sb_spgemm *g, int slots, size_t slot, sb_diag *diag)
{
    const sb_native n = native_of(k, diag);
    char *first = k->lent[0].at ? aligned(k->lent[0].at) : NULL;
    char *keep;

    if (slot > 0) {
        g->slots = slots;
        g->slot_bytes = slot;
    }
    switch (k->step) {
    case SB_SPGEMM_WORK:
    case SB_SPGEMM_REUSE_WORK:
        return work_there(k, g, first, diag);
    case SB_SPGEMM_COUNT:
        return count_there(k, g, first, first + rows_bytes(g), diag);
    case SB_SPGEMM_REUSE_COUNT:
        keep = aligned(k->lent[2].at);
        SB_TRY(sb_native_spgemm_keep(&n, g, (int64_t *)(void *)keep));
        SB_TRY(count_there(k, g, keep + 2 * rows_bytes(g), first, diag));
        g->scratch = aligned(k->lent[1].at);
        break;
    case SB_SPGEMM_COPY:
        SB_TRY(sb_native_spgemm_columns(&n, g));
        return values_there(k, g, diag);
    case SB_SPGEMM_REUSE_COPY:
        SB_TRY(sb_native_spgemm_columns(&n, g));
        g->scratch = first;
        break;
    case SB_SPGEMM_REUSE_VALUES:
        return values_there(k, g, diag);
    case SB_SPGEMM_MEMORY:
        break;
    }
    return SB_OK;
}

/* ---- The road ----------------------------------------------------------------------- */

static sb_status
answer_sizes(const sb_spgemm_call *k, const need *n, int slots)
{
    size_t bytes[SB_SPGEMM_BUFFERS];

    for (int q = 0; q < n_buffers(k); q++)
        SB_TRY(bytes_of(&n[q], slots, &bytes[q]));
    for (int q = 0; q < n_buffers(k); q++)
        *k->lent[q].size = bytes[q];
    return SB_OK;
}

/* Slots that every buffer of the step holds. */
static sb_status
fit(const sb_spgemm_call *k, const need *n, int most, int *slots, sb_diag *diag)
{
    *slots = most;
    for (int q = 0; q < n_buffers(k); q++) {
        const int holds = slots_in(&n[q], *k->lent[q].size, *slots);

        if (holds == 0)
            return sb_diag_set(diag, SB_ERESOURCES,
                               "argument %s is %zu, which is not what was asked for",
                               sb_spgemm_facts_of(k->step)->buffers[q],
                               *k->lent[q].size);
        *slots = holds;
    }
    return SB_OK;
}

/* What compute wants for that share of the slots, one at least. */
static sb_status
estimate(const sb_spgemm_call *k, const sb_spgemm *g, bool device)
{
    need n[SB_SPGEMM_BUFFERS];
    int most, share;

    SB_TRY(needs_of(n, &most, SB_SPGEMM_COUNT, g, device));
    share = (int)(k->fraction * (float)most);
    return bytes_of(&n[0], share > 0 ? share : 1, k->estimate);
}

static bool
asks_sizes(const sb_spgemm_call *k)
{
    for (int q = 0; q < n_buffers(k); q++)
        if (!k->lent[q].at)
            return true;
    return false;
}

static sb_status
proceed(const sb_spgemm_call *k, bool device, sb_diag *diag)
{
    const sb_spgemm_facts *f = sb_spgemm_facts_of(k->step);
    sb_spgemm g = k->descr->job;
    need n[SB_SPGEMM_BUFFERS];
    int slots, most;

    g.a = sb_view_sparse(k->a);
    g.b = sb_view_sparse(k->b);
    g.c = sb_view_sparse(k->c);
    SB_TRY(needs_of(n, &most, k->step, &g, device));
    if (asks_sizes(k))
        return answer_sizes(k, n, most);
    SB_TRY(fit(k, n, most, &slots, diag));
    if (k->step == SB_SPGEMM_MEMORY)
        return estimate(k, &g, device);
    if (f->values && !device) {
        g.alpha = sb_value_load(sb_public_dtype(k->compute), k->alpha, 0);
        g.beta = sb_value_load(sb_public_dtype(k->compute), k->beta, 0);
    }
    k->descr->stage = f->from; /* what comes next would be lost if this fails */
    SB_TRY((device ? take_there : take)(k, &g, slots, n[0].slot, diag));
    k->descr->job = g;
    k->descr->stage = f->to;
    k->descr->reuse = sb_spgemm_is_reuse(k->step);
    return SB_OK;
}

static bool
begins(const sb_spgemm_call *k)
{
    return k->step == SB_SPGEMM_WORK || k->step == SB_SPGEMM_REUSE_WORK;
}

/* The first call looks where the operands lie, the others follow it. */
static sb_status
place(bool *device, const sb_spgemm_call *k, sb_diag *diag)
{
    const sb_matrix a = sb_view_sparse(k->a), b = sb_view_sparse(k->b),
                    c = sb_view_sparse(k->c);
    const void *const operand[] = {a.ptr, a.idx, a.val, b.ptr, b.idx,
                                   b.val, c.ptr, c.idx, c.val};
    const void *host[SB_SPGEMM_BUFFERS + 2] = {k->alpha, k->beta};
    const sb_spgemm_facts *f = sb_spgemm_facts_of(k->step);

    SB_TRY(sb_place_on_device(device, k->handle, operand, SB_COUNT(operand), diag));
    if (begins(k) && !asks_sizes(k))
        k->descr->device = NULL; /* until the step has been taken */
    if (!begins(k) && (k->descr->device != (*device ? k->handle->device : NULL)))
        return sb_diag_set(diag, SB_EINVAL,
                           "the first call for this descriptor was on %s",
                           *device ? "the host" : "a GPU, where all operands must lie");
    for (int q = 0; q < SB_SPGEMM_BUFFERS; q++) {
        host[q + 2] = k->lent[q].at;
        if (*device && k->lent[q].at)
            SB_TRY(sb_place_buffer(k->handle, k->lent[q].at, f->buffers[q], diag));
    }
    if (*device)
        return SB_OK;
    SB_TRY(sb_place_on_host(k->handle, operand, SB_COUNT(operand), diag));
    return sb_place_on_host(k->handle, host, SB_COUNT(host), diag);
}

spblasStatus_t
sb_spgemm_run(const sb_spgemm_call *k)
{
    sb_diag diag = {0};
    sb_status st = sb_spgemm_check(k, &diag);
    bool device = false;

    if (st == SB_OK)
        st = place(&device, k, &diag);
    if (st == SB_OK)
        st = proceed(k, device, &diag);
    return sb_api_end(k->handle, k->function, st, &diag);
}
