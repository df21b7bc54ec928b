/*
 * The one file of src/api that names backends.
 */
#include "api/backend_select.h"

#include "base/sync.h"
#include "cpu/cpu.h"

#include <stdlib.h>
#include <string.h>

static sb_once once = SB_ONCE_INIT;

static void
publish(void)
{
    sb_backend_set(&sb_cpu_backend);
}

sb_status
sb_backend_select(const sb_backend **out, sb_diag *diag)
{
    const char *name = getenv("SPBLAS_BACKEND");

    *out = NULL;
    if (name && (strcmp(name, "gpu") == 0 || strcmp(name, "emu") == 0))
        return sb_diag_set(diag, SB_ENOTSUP,
                           "SPBLAS_BACKEND asks for \"%s\", which this build does not "
                           "have; use cpu",
                           name);
    if (name && name[0] && strcmp(name, "cpu") != 0)
        return sb_diag_set(
            diag, SB_EINVAL,
            "SPBLAS_BACKEND is \"%.40s\"; known backends are cpu, gpu, emu", name);
    sb_once_run(&once, publish);
    *out = sb_backend_get();
    return SB_OK;
}
