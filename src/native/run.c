/*
 * See run.h.
 */
#include "native/run.h"

#include "native/text.h"

#include <string.h>

enum { BLOCKS_MAX = 1 << 20, SCAN_CHUNK = 1024, ALIGN = 16 };

sb_dtype
sb_native_carrier(size_t bytes)
{
    return bytes == 1   ? SB_I8
           : bytes == 2 ? SB_F16
           : bytes == 4 ? SB_I32
           : bytes == 8 ? SB_I64
                        : SB_C64;
}

sb_native_job
sb_native_job_of(const char *op, sb_dtype e, sb_dtype c, sb_dtype i, sb_dtype p)
{
    return (sb_native_job){.op = op,
                           .e = e,
                           .c = c,
                           .i = i,
                           .p = p,
                           .x = SB_DTYPE_COUNT,
                           .y = SB_DTYPE_COUNT};
}

void
sb_native_int(sb_native_job *j, int64_t v)
{
    j->args.param[j->args.nparam++].i = v;
}

void
sb_native_scalar_of(sb_native_job *j, sb_dtype t, sb_value v)
{
    sb_value_store(t, &j->args.param[j->args.nparam++], 0, v);
}

void
sb_native_array(sb_native_job *j, const void *array)
{
    j->args.buf[j->args.nbuf++] = (void *)(uintptr_t)array;
}

sb_status
sb_native_may_wait(const sb_native *n, const char *what)
{
    return n->device->ops->capturing(n->device, n->stream)
               ? sb_diag_set(n->diag, SB_ENOTSUP,
                             "%s, which cannot be while the stream is captured", what)
               : SB_OK;
}

/* ---- launches ------------------------------------------------------------------------- */

static sb_status
kernel_of(const sb_kernel **out, const sb_native *n, const sb_native_job *j)
{
    sb_device *d = n->device;
    char spec[SB_SPEC_MAX];
    sb_status st;

    sb_native_name(spec, j->op, (const sb_dtype[]){j->e, j->c, j->i, j->p, j->x, j->y});
    st = d->ops->kernel(out, d, spec, sb_native_maker, SB_KERNEL_RESIDENT, NULL);
    if (st != SB_ENOKERNEL)
        return st;
    SB_TRY(sb_native_may_wait(n, "the kernel of this call must be loaded first"));
    st = d->ops->kernel(out, d, spec, sb_native_maker, SB_KERNEL_COMPILE, n->diag);
    return st == SB_ENOKERNEL ? SB_ENOTSUP : st;
}

static sb_status
start(const sb_native *n, const sb_native_job *j, int64_t items, int64_t of_block)
{
    const int64_t blocks = (items - 1) / of_block + 1;
    const sb_kernel *k;

    if (items <= 0)
        return SB_OK;
    SB_TRY(kernel_of(&k, n, j));
    if (n->only_load)
        return SB_OK;
    return n->device->ops->start(n->device, n->stream, k, &j->args,
                                 blocks < BLOCKS_MAX ? blocks : BLOCKS_MAX, n->diag);
}

sb_status
sb_native_load(const sb_native *n, const sb_native_job *j)
{
    const sb_kernel *k;

    return kernel_of(&k, n, j);
}

sb_status
sb_native_threads(const sb_native *n, const sb_native_job *j, int64_t items)
{
    return start(n, j, items, SB_NATIVE_THREADS);
}

sb_status
sb_native_groups(const sb_native *n, const sb_native_job *j, int64_t items)
{
    return start(n, j, items, SB_NATIVE_THREADS / SB_NATIVE_LANES);
}

/* ---- offsets -------------------------------------------------------------------------- */

int64_t
sb_native_scan_total(int64_t n)
{
    return (n + SCAN_CHUNK - 1) / SCAN_CHUNK;
}

size_t
sb_native_scan_bytes(int64_t n)
{
    return (size_t)(sb_native_scan_total(n) + 1) * sizeof(int64_t);
}

static sb_native_job
scan(sb_dtype p, int64_t items, int base, int phase, const int64_t *count,
     int64_t *sums, void *out)
{
    sb_native_job j =
        sb_native_job_of("scan", SB_DTYPE_COUNT, SB_DTYPE_COUNT, SB_DTYPE_COUNT, p);

    sb_native_int(&j, items);
    sb_native_int(&j, base);
    sb_native_int(&j, phase);
    sb_native_array(&j, count);
    sb_native_array(&j, sums);
    sb_native_array(&j, out);
    return j;
}

/* A phase of all groups, and the one after it. */
static sb_status
two_phases(const sb_native *n, const int64_t *count, int64_t items, int64_t *sums,
           int phase)
{
    const sb_native_job first = scan(SB_I64, items, 0, phase, count, sums, NULL);
    const sb_native_job second = scan(SB_I64, items, 0, phase + 1, count, sums, NULL);

    SB_TRY(sb_native_groups(n, &first, sb_native_scan_total(items)));
    return sb_native_groups(n, &second, 1);
}

sb_status
sb_native_scan_sums(const sb_native *n, const int64_t *count, int64_t items,
                    int64_t *sums)
{
    return two_phases(n, count, items, sums, 0);
}

sb_status
sb_native_scan_most(const sb_native *n, const int64_t *count, int64_t items,
                    int64_t *sums)
{
    return two_phases(n, count, items, sums, 3);
}

sb_status
sb_native_scan_write(const sb_native *n, const int64_t *count, int64_t items,
                     int64_t *sums, void *out, sb_dtype p, int base)
{
    const sb_native_job j = scan(p, items, base, 2, count, sums, out);
    const int64_t groups = sb_native_scan_total(items);

    return sb_native_groups(n, &j, groups > 0 ? groups : 1);
}

sb_status
sb_native_read(const sb_native *n, int64_t *out, const int64_t *at)
{
    return n->device->ops->download(n->device, n->stream, out, at, sizeof *out,
                                    n->diag);
}

sb_status
sb_native_first(const sb_native *n, const int64_t *bad, int64_t rows, int64_t *sums,
                int64_t *at)
{
    int64_t most;

    SB_TRY(sb_native_may_wait(n, "the first zero pivot is waited for"));
    SB_TRY(sb_native_scan_most(n, bad, rows, sums));
    SB_TRY(sb_native_read(n, &most, sums + sb_native_scan_total(rows)));
    *at = most > 0 ? rows - most : -1;
    return SB_OK;
}

sb_status
sb_native_first_load(const sb_native *n)
{
    sb_native load = *n;

    load.only_load = true;
    return sb_native_scan_most(&load, NULL, 1, NULL);
}

size_t
sb_native_counts_bytes(int64_t items)
{
    return (size_t)(items + 1) * sizeof(int64_t) + sb_native_scan_bytes(items) + ALIGN;
}

int64_t *
sb_native_counts_in(void *buffer)
{
    return (int64_t *)(void *)(((uintptr_t)buffer + ALIGN - 1) &
                               ~(uintptr_t)(ALIGN - 1));
}

sb_status
sb_native_counts_begin(const sb_native *n, int64_t items, void *buffer, void **own,
                       int64_t **at)
{
    *own = NULL;
    SB_TRY(sb_native_may_wait(n, "the number of entries is waited for"));
    if (!buffer)
        SB_TRY(n->device->ops->alloc(n->device, own, sb_native_counts_bytes(items),
                                     n->diag));
    *at = sb_native_counts_in(buffer ? buffer : *own);
    return SB_OK;
}

sb_status
sb_native_counts_offsets(const sb_native *n, int64_t *count, int64_t items, void *out,
                         sb_dtype p, int base, int64_t *total)
{
    int64_t *const sums = count + items + 1;

    SB_TRY(sb_native_scan_sums(n, count, items, sums));
    SB_TRY(sb_native_read(n, total, sums + sb_native_scan_total(items)));
    if (p == SB_I32 && *total > INT32_MAX - base)
        return SB_ERESOURCES;
    return out ? sb_native_scan_write(n, count, items, sums, out, p, base) : SB_OK;
}
