/*
 * The one backend of the process, set before the first plan.
 */
#include "runtime/backend.h"

#include <stddef.h>

static const sb_backend *current;

void
sb_backend_set(const sb_backend *b)
{
    __atomic_store_n(&current, b, __ATOMIC_RELEASE);
}

const sb_backend *
sb_backend_get(void)
{
    return __atomic_load_n(&current, __ATOMIC_ACQUIRE);
}
