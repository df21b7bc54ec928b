/*
 * Which seeded bug is on, if the build has them.
 */
#include "base/fault.h"

#ifdef SPBLAS_FAULTS
#include <stdlib.h>
#include <string.h>

static const char *const names[] = {
#define X(name, text, tests) #name,
#include "base/fault.def"
#undef X
};

int
sb_fault_active(sb_fault f)
{
    const char *on = getenv("SPBLAS_FAULT");

    return on != NULL && strcmp(on, names[f]) == 0;
}
#else
typedef int sb_fault_unused; /* ISO C wants a declaration in every file */
#endif
