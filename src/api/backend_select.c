/*
 * The one file of src/api that names backends.
 */
#include "api/backend_select.h"

#include "base/log.h"
#include "base/sync.h"
#include "cpu/cpu.h"
#include "gpu/gpu.h"

#include <stdlib.h>
#include <string.h>

static sb_once once = SB_ONCE_INIT;

static void
publish(void)
{
    sb_backend_set(&sb_cpu_backend);
}

static sb_status
cpu(sb_device **out, sb_diag *diag)
{
    (void)diag;
    *out = NULL;
    return SB_OK;
}

/* The GPU if one answers. */
static sb_status
any(sb_device **out, sb_diag *diag)
{
    const sb_status st = sb_gpu_device(out, diag);

    if (st == SB_ENOTSUP)
        sb_log(SB_LOG_DEBUG, "a handle of the CPU: %s", diag->text);
    return st == SB_ENOTSUP ? SB_OK : st;
}

typedef struct row {
    const char *name;
    sb_status (*device)(sb_device **out, sb_diag *diag);
} row;

sb_status
sb_backend_select(const sb_backend **host, sb_device **device, const char *name,
                  sb_diag *diag)
{
    static const row rows[] = {
        {"", any}, {"cpu", cpu}, {"gpu", sb_gpu_device}, {"emu", sb_emu_device}};
    const char *own = getenv("SPBLAS_BACKEND");
    const char *want = name ? name : own ? own : "";
    sb_diag why = {SB_OK, ""};
    sb_status st;

    *host = NULL;
    *device = NULL;
    sb_once_run(&once, publish);
    for (size_t q = 0; q < sizeof rows / sizeof rows[0]; q++) {
        if (strcmp(want, rows[q].name) != 0)
            continue;
        st = rows[q].device(device, &why);
        if (st != SB_OK)
            return sb_diag_set(diag, st, "backend %s: %s", want,
                               why.text[0] ? why.text : sb_status_text(st));
        *host = sb_backend_get();
        return SB_OK;
    }
    return sb_diag_set(diag, SB_EINVAL,
                       "%s is \"%.40s\"; known backends are cpu, gpu, emu",
                       name ? "argument backend" : "SPBLAS_BACKEND", want);
}
