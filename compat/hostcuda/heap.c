/* The heap and the lock of hostcuda. Each piece of device memory is an allocation of its
 * own, so that tools which watch the heap watch device memory as well. */
#include "internal.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

enum { ALIGNMENT = 256 }; /* what cudaMalloc promises at least */

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static _Atomic long countdown;

static bool
fails_now(void)
{
    return atomic_load(&countdown) > 0 && atomic_fetch_sub(&countdown, 1) == 1;
}

void
hc_fail_allocation(long n)
{
    atomic_store(&countdown, n);
}

void *
hc_alloc(size_t size)
{
    return fails_now() ? NULL : calloc(1, size ? size : 1);
}

void *
hc_alloc_aligned(size_t size)
{
    if (size > SIZE_MAX - ALIGNMENT || fails_now())
        return NULL;
    return aligned_alloc(ALIGNMENT, (size + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT);
}

bool
hc_grow(void **array, size_t *cap, size_t need, size_t item)
{
    size_t to = *cap ? *cap : 8;
    void *grown;

    if (need <= *cap)
        return true;
    while (to < need)
        to += to / 2;
    if (to > SIZE_MAX / item || fails_now())
        return false;
    grown = realloc(*array, to * item);
    if (!grown)
        return false;
    *array = grown;
    *cap = to;
    return true;
}

void
hc_release(void *ptr)
{
    free(ptr);
}

void
hc_lock(void)
{
    pthread_mutex_lock(&lock);
}

void
hc_unlock(void)
{
    pthread_mutex_unlock(&lock);
}
