/*
 * See driver.h.
 */
#include "gpu/driver.h"

#include "base/log.h"
#include "base/sync.h"

#include <dlfcn.h>
#include <string.h>

/* ISO C has no cast between the two kinds of pointer. */
static bool
find(void *lib, const char *symbol, void *member, size_t size)
{
    void *at = dlsym(lib, symbol);

    memcpy(member, &at, size);
    return at != NULL;
}

static const char *
open_driver(sb_driver *d, void *lib)
{
#define CU(member, symbol, parameters)                            \
    if (!find(lib, symbol, (void *)&d->member, sizeof d->member)) \
        return symbol;
#define RTC(member, symbol, parameters)
#include "gpu/driver.def"
#undef CU
#undef RTC
    return NULL;
}

static const char *
open_rtc(sb_driver *d, void *lib)
{
#define CU(member, symbol, parameters)
#define RTC(member, symbol, parameters)                           \
    if (!find(lib, symbol, (void *)&d->member, sizeof d->member)) \
        return symbol;
#include "gpu/driver.def"
#undef CU
#undef RTC
    return NULL;
}

sb_status
sb_driver_open_rtc(sb_driver *out, const char *const *names, int n, sb_diag *diag)
{
    const char *lacks;
    void *lib = NULL;

    for (int q = 0; q < n && !lib; q++)
        lib = dlopen(names[q], RTLD_NOW | RTLD_LOCAL);
    lacks = lib ? open_rtc(out, lib) : "libnvrtc";
    out->can_compile = !lacks;
    return lacks ? sb_diag_set(diag, SB_ENOTSUP,
                               "no GPU kernels can be compiled: no %s", lacks)
                 : SB_OK;
}

sb_status
sb_driver_open(sb_driver *out, const char *driver, const char *const *rtc, int nrtc,
               sb_diag *diag)
{
    void *lib = dlopen(driver, RTLD_NOW | RTLD_LOCAL);
    sb_diag why = {SB_OK, ""};
    const char *lacks;

    memset(out, 0, sizeof *out);
    if (!lib)
        return sb_diag_set(diag, SB_ENOTSUP, "no GPU driver: %s", dlerror());
    lacks = open_driver(out, lib);
    if (lacks)
        return sb_diag_set(diag, SB_ENOTSUP, "the GPU driver %s is too old: no %s",
                           driver, lacks);
    if (sb_driver_open_rtc(out, rtc, nrtc, &why) != SB_OK)
        sb_log(SB_LOG_WARN, "%s", why.text);
    return SB_OK;
}

const char *const sb_rtc_names[] = {"libnvrtc.so.13",
                                    "libnvrtc.so.12",
                                    "libnvrtc.so.11.2",
                                    "libnvrtc.so",
                                    "/usr/local/cuda/lib64/libnvrtc.so",
                                    NULL};

static sb_once once = SB_ONCE_INIT;
static sb_driver machine;
static sb_status machine_status;
static sb_diag machine_diag;

static void
open_machine(void)
{
    int count = 0, error, names = 0;

    while (sb_rtc_names[names])
        names++;
    machine_status =
        sb_driver_open(&machine, "libcuda.so.1", sb_rtc_names, names, &machine_diag);
    if (machine_status != SB_OK)
        return;
    error = machine.init(0);
    if (!error)
        error = machine.device_count(&count);
    if (!error && count > 0)
        return;
    (void)sb_driver_fail(&machine, error ? error : SB_CU_NO_DEVICE, "starting the GPU",
                         &machine_diag);
    machine_status = SB_ENOTSUP;
}

sb_status
sb_driver_get(const sb_driver **out, sb_diag *diag)
{
    sb_once_run(&once, open_machine);
    *out = machine_status == SB_OK ? &machine : NULL;
    return machine_status == SB_OK
               ? SB_OK
               : sb_diag_set(diag, machine_status, "%s", machine_diag.text);
}

sb_status
sb_driver_fail(const sb_driver *d, int error, const char *what, sb_diag *diag)
{
    const char *text = NULL;

    if (d->error_text(error, &text) != 0 || !text)
        text = "unknown error";
    return sb_diag_set(diag, error == SB_CU_OUT_OF_MEMORY ? SB_ENOMEM : SB_EIO,
                       "%s failed: %s (%d)", what, text, error);
}
