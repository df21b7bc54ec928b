/*
 * Products of sparse matrices.
 */
#include "base/alloc.h"
#include "base/checked.h"
#include "base/tiny.h"
#include "native/run.h"
#include "native/text.h"

#ifdef SB_TINY
enum { BUDGET = 1 << 12, LINE = 64 };
#else
enum {
    BUDGET = 1 << 29,
    LINE = 64
}; /* bytes of scratch that a size asks for at most */
#endif
enum { BLOCKS = 2048 }; /* that look for long rows */

/* Bytes of scratch for one column: two places of the table, or a sum. */
static size_t
unit_of(const sb_spgemm *g)
{
    const size_t table = 2 * sb_dtype_size(g->b.idx_type);
    const size_t sum = sb_dtype_size(sb_dtype_sum(g->b.val_type));

    return table > sum ? table : sum;
}

static int
wide(const sb_spgemm *g)
{
    return (g->a.ptr_type == SB_I64) | (g->a.idx_type == SB_I64) << 1 |
           (g->b.ptr_type == SB_I64) << 2 | (g->c.ptr_type == SB_I64) << 3 |
           (g->c.idx_type == SB_I64) << 4;
}

static sb_native_job
job_of(const char *op, const sb_spgemm *g, bool values)
{
    sb_native_job j =
        sb_native_job_of(op, values ? g->b.val_type : SB_DTYPE_COUNT,
                         values ? sb_dtype_sum(g->b.val_type) : SB_DTYPE_COUNT,
                         g->b.idx_type, SB_DTYPE_COUNT);
    const void *const array[] = {g->a.ptr,   g->a.idx, g->a.val, g->b.ptr,
                                 g->b.idx,   g->b.val, g->table, g->ptr,
                                 g->scratch, g->c.ptr, g->c.idx, g->c.val};

    sb_native_int(&j, 0);
    sb_native_int(&j, g->a.rows);
    sb_native_int(&j, wide(g));
    sb_native_int(&j, g->a.base);
    sb_native_int(&j, g->b.base);
    sb_native_int(&j, g->c.base);
    sb_native_int(&j, g->b.cols);
    sb_native_int(&j, (int64_t)unit_of(g));
    j.args.nparam = 10;
    for (size_t q = 0; q < sizeof array / sizeof array[0]; q++)
        sb_native_array(&j, array[q]);
    j.args.nbuf = 14;
    return j;
}

size_t
sb_native_spgemm_sums(const sb_spgemm *g)
{
    return sb_native_scan_bytes(g->a.rows);
}

/* ---- before the columns ---------------------------------------------------------------- */

sb_status
sb_native_spgemm_work(const sb_native *n, sb_spgemm *g, int64_t *sums,
                      int64_t *products)
{
    const int64_t rows = g->a.rows;
    int64_t *const total = sums + sb_native_scan_total(rows);
    sb_native_job j = job_of("products", g, false);

    SB_TRY(sb_native_may_wait(n, "the number of products is waited for"));
    j.i = SB_DTYPE_COUNT;
    j.args.buf[7] = g->work;
    SB_TRY(sb_native_groups(n, &j, rows));
    SB_TRY(sb_native_scan_most(n, g->table, rows, sums));
    SB_TRY(sb_native_read(n, &g->table_most, total));
    SB_TRY(sb_native_scan_sums(n, g->table, rows, sums));
    SB_TRY(sb_native_read(n, &g->table_all, total));
    SB_TRY(sb_native_scan_write(n, g->table, rows, sums, g->table, SB_I64, 0));
    SB_TRY(sb_native_scan_sums(n, g->work, rows, sums));
    SB_TRY(sb_native_read(n, products, total));
    return sb_native_scan_write(n, g->work, rows, sums, g->work, SB_I64, 0);
}

sb_status
sb_native_spgemm_slot(const sb_spgemm *g, size_t *bytes, int *slots)
{
    size_t row, all, most;

    if (!sb_bytes(g->table_most, unit_of(g), &row) || row > SIZE_MAX / 2 ||
        !sb_bytes(g->table_all, unit_of(g), &all))
        return SB_ERESOURCES;
    row = row < LINE ? LINE : (row + LINE - 1) & ~(size_t)(LINE - 1);
    most = all < BUDGET ? all : BUDGET;
    *bytes = row;
    *slots = most > row ? (int)((most - 1) / row + 1) : 1;
    return SB_OK;
}

sb_status
sb_native_spgemm_keep(const sb_native *n, sb_spgemm *g, int64_t *to)
{
    const int64_t count = g->a.rows + 1;
    sb_native_job j = job_of("keep", g, false);

    j.i = SB_DTYPE_COUNT;
    j.args.param[1].i = count;
    j.args.buf[7] = g->work;
    j.args.buf[9] = to;
    SB_TRY(sb_native_threads(n, &j, count));
    j.args.buf[7] = g->table;
    j.args.buf[9] = to + count;
    SB_TRY(sb_native_threads(n, &j, count));
    g->work = to;
    g->table = to + count;
    return SB_OK;
}

/* ---- rows in batches ------------------------------------------------------------------- */

/* The first row past lo with which the scratch is too small. */
static int64_t
cut(const sb_spgemm *g, const int64_t *table, int64_t lo, int64_t room)
{
    int64_t hi = g->a.rows, low = lo + 1;

    while (low < hi) {
        const int64_t mid = low + (hi - low + 1) / 2;

        if (table[mid] - table[lo] <= room)
            low = mid;
        else
            hi = mid - 1;
    }
    return low;
}

/* The step on `rows` of them: long ones by blocks, where there may be any. */
static sb_status
step(const sb_native *n, const sb_spgemm *g, const sb_native_job *j,
     const char *of_long, int64_t rows)
{
    sb_native_job longer = *j;

    SB_TRY(sb_native_groups(n, j, rows));
    if (g->table_most < SB_NATIVE_LONG_ROW)
        return SB_OK;
    longer.op = of_long;
    return sb_native_threads(n, &longer,
                             (rows < BLOCKS ? rows : BLOCKS) * SB_NATIVE_THREADS);
}

/* The step on all rows, each batch as large as the scratch allows. */
static sb_status
run(const sb_native *n, const sb_spgemm *g, sb_native_job *j, const char *of_long)
{
    const int64_t room = (int64_t)((size_t)g->slots * g->slot_bytes / unit_of(g));
    sb_status st = SB_OK;
    int64_t *table;

    if (g->table_all <= room)
        return step(n, g, j, of_long, g->a.rows);
    SB_TRY(sb_native_may_wait(n, "rows in batches are cut by the host"));
    table = sb_alloc_array(g->a.rows + 1, sizeof *table);
    if (!table)
        return SB_ENOMEM;
    st = n->device->ops->download(n->device, n->stream, table, g->table,
                                  (size_t)(g->a.rows + 1) * sizeof *table, n->diag);
    for (int64_t lo = 0, hi; lo < g->a.rows && st == SB_OK; lo = hi) {
        hi = cut(g, table, lo, room);
        j->args.param[0].i = lo;
        j->args.param[1].i = hi;
        st = step(n, g, j, of_long, hi - lo);
    }
    sb_free(table);
    return st;
}

/* ---- columns and values ---------------------------------------------------------------- */

sb_status
sb_native_spgemm_count(const sb_native *n, const sb_spgemm *g, int64_t *sums,
                       int64_t *nnz)
{
    const int64_t rows = g->a.rows;
    sb_native_job j = job_of("entries", g, false);

    SB_TRY(sb_native_may_wait(n, "the number of entries is waited for"));
    SB_TRY(run(n, g, &j, "long_entries"));
    SB_TRY(sb_native_scan_sums(n, g->ptr, rows, sums));
    SB_TRY(sb_native_read(n, nnz, sums + sb_native_scan_total(rows)));
    return sb_native_scan_write(n, g->ptr, rows, sums, g->ptr, SB_I64, 0);
}

sb_status
sb_native_spgemm_columns(const sb_native *n, const sb_spgemm *g)
{
    sb_native_job j = job_of("offsets", g, false);

    j.i = SB_DTYPE_COUNT;
    j.args.param[1].i = g->a.rows + 1;
    SB_TRY(sb_native_threads(n, &j, g->c.ptr ? g->a.rows + 1 : 0));
    j = job_of("columns", g, false);
    return run(n, g, &j, "long_columns");
}

sb_status
sb_native_spgemm_values(const sb_native *n, const sb_spgemm *g, sb_native_scalar alpha,
                        sb_native_scalar beta)
{
    sb_native_job j = job_of("values", g, true);

    sb_value_store(j.c, &j.args.param[8], 0, alpha.value);
    sb_value_store(j.c, &j.args.param[9], 0, beta.value);
    j.args.buf[12] = (void *)(uintptr_t)alpha.at;
    j.args.buf[13] = (void *)(uintptr_t)beta.at;
    return run(n, g, &j, "long_values");
}
