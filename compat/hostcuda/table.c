/* Sorted, disjoint address ranges: device memory in one table, live objects in another. */
#include "internal.h"

#include <string.h>

hc_table hc_objects;

/* How many ranges start at or below `at`. */
static size_t
upto(const hc_table *table, uintptr_t at)
{
    size_t lo = 0;
    size_t hi = table->n;

    while (lo < hi) {
        const size_t mid = lo + (hi - lo) / 2;

        if (table->at[mid].lo <= at)
            lo = mid + 1;
        else
            hi = mid;
    }
    return lo;
}

hc_range *
hc_table_find(const hc_table *table, const void *ptr)
{
    const uintptr_t at = (uintptr_t)ptr;
    const size_t i = upto(table, at);

    if (i == 0 || at - table->at[i - 1].lo >= table->at[i - 1].size)
        return NULL;
    return &table->at[i - 1];
}

cudaError_t
hc_table_add(hc_table *table, hc_range range)
{
    const size_t i = upto(table, range.lo);
    void *grown = table->at;

    if (i > 0 && range.lo - table->at[i - 1].lo < table->at[i - 1].size)
        return cudaErrorHostMemoryAlreadyRegistered;
    if (i < table->n && table->at[i].lo - range.lo < range.size)
        return cudaErrorHostMemoryAlreadyRegistered;
    if (!hc_grow(&grown, &table->cap, table->n + 1, sizeof *table->at))
        return cudaErrorMemoryAllocation;
    table->at = grown;
    memmove(table->at + i + 1, table->at + i, (table->n - i) * sizeof *table->at);
    table->at[i] = range;
    table->n++;
    return cudaSuccess;
}

void
hc_table_remove(hc_table *table, const hc_range *range)
{
    const size_t i = (size_t)(range - table->at);

    table->n--;
    memmove(table->at + i, table->at + i + 1, (table->n - i) * sizeof *table->at);
}

cudaError_t
hc_object_new(void **out, size_t size, hc_kind kind)
{
    void *object = hc_alloc(size);
    cudaError_t st = cudaErrorMemoryAllocation;

    *out = NULL;
    if (object)
        st = hc_table_add(&hc_objects, (hc_range){(uintptr_t)object, size, kind, 0});
    if (st) {
        hc_release(object);
        return st;
    }
    *out = object;
    return cudaSuccess;
}

bool
hc_object_is(const void *object, hc_kind kind)
{
    const hc_range *range = hc_table_find(&hc_objects, object);

    return range && range->lo == (uintptr_t)object && range->kind == kind;
}

void
hc_object_free(void *object)
{
    hc_table_remove(&hc_objects, hc_table_find(&hc_objects, object));
    hc_release(object);
}
