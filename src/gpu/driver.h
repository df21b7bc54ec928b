/*
 * The one way to a GPU: a table of the functions of the CUDA driver and of NVRTC that we
 * call, filled from the shared libraries when the process first asks. emu.h fills the same
 * table with functions that compute on the host; tests replace entries by ones that fail.
 */
#ifndef SB_GPU_DRIVER_H
#define SB_GPU_DRIVER_H

#include "base/diag.h"

#include <stdbool.h>
#include <stddef.h>

typedef void *sb_cu_ptr;              /* CUcontext, CUstream, CUmodule, ...: a handle */
typedef unsigned long long sb_cu_mem; /* CUdeviceptr */

typedef struct sb_driver {
    const char *arch; /* what kernels are compiled for; NULL: the device's sm_XY */
    bool can_compile; /* the rtc members are there */
#define CU(member, symbol, parameters) int(*member) parameters;
#define RTC(member, symbol, parameters) int(*member) parameters;
#include "gpu/driver.def"
#undef CU
#undef RTC
} sb_driver;

/* The values of cuda.h that we use. */
enum {
    SB_CU_INVALID_VALUE = 1, /* CUresult */
    SB_CU_OUT_OF_MEMORY = 2,
    SB_CU_NO_DEVICE = 100,
    SB_CU_INVALID_IMAGE = 200,
    SB_CU_NOT_FOUND = 500,
    SB_CU_LAUNCH_FAILED = 719,
    SB_CU_CAPTURE_UNSUPPORTED = 900,

    SB_CU_CLOCK_KHZ = 13, /* CUdevice_attribute */
    SB_CU_SM_COUNT = 16,
    SB_CU_MEMORY_KHZ = 36,
    SB_CU_MEMORY_BITS = 37, /* of the bus */
    SB_CU_L2_BYTES = 38,
    SB_CU_CC_MAJOR = 75,
    SB_CU_CC_MINOR = 76,

    SB_CU_MEMORY_TYPE = 2, /* CUpointer_attribute */
    SB_CU_IS_MANAGED = 8,
    SB_CU_MEMORY_HOST = 1, /* CUmemorytype */
    SB_CU_MEMORY_DEVICE = 2,
    SB_CU_MEMORY_UNIFIED = 4,

    SB_CU_DYNAMIC_SHARED_MAX = 8, /* CUfunction_attribute */

    SB_CU_CAPTURE_RELAXED = 2, /* CUstreamCaptureMode */
    SB_CU_STREAM_NON_BLOCKING = 1
};

/* Names that end cuLaunchKernel's `extra`: one buffer of all arguments. */
#define SB_CU_EXTRA_END ((void *)0)
#define SB_CU_EXTRA_BUFFER ((void *)1)
#define SB_CU_EXTRA_SIZE ((void *)2)

/*
 * Fills the table from a driver library and, where one of rtc[0..nrtc) opens, from NVRTC;
 * a NVRTC that is missing or lacks a function leaves can_compile false. ENOTSUP with a
 * sentence: no such driver, or one without a function that we need. The libraries stay
 * open for the life of the process.
 */
sb_status sb_driver_open(sb_driver *out, const char *driver, const char *const *rtc,
                         int nrtc, sb_diag *diag);

/* The rtc members alone, of the first of names[0..n) that opens, for a machine that makes
 * kernels for others. ENOTSUP with a sentence: none does. */
sb_status sb_driver_open_rtc(sb_driver *out, const char *const *names, int n,
                             sb_diag *diag);

/* Where NVRTC is looked for; ends with NULL. */
extern const char *const sb_rtc_names[];

/* The table of this machine, opened once; thread-safe. Errors as above. */
sb_status sb_driver_get(const sb_driver **out, sb_diag *diag);

/* "cuLaunchKernel failed: an illegal memory access was encountered (700)": sets the
 * sentence of a driver's error. ENOMEM for want of memory, else EIO. */
sb_status sb_driver_fail(const sb_driver *d, int error, const char *what,
                         sb_diag *diag);

#endif
