/*
 * GPUs as devices (runtime/device.h).
 */
#ifndef SB_GPU_GPU_H
#define SB_GPU_GPU_H

#include "runtime/device.h"

/* The GPU of this machine: of the calling thread's context, else the first one's primary
 * context. ENOTSUP with a sentence: no driver, no GPU. Held by the caller. */
sb_status sb_gpu_device(sb_device **out, sb_diag *diag);

/* The emulated one (emu.h). */
sb_status sb_emu_device(sb_device **out, sb_diag *diag);

/* For tests: the table of emulated devices opened from now on; NULL: the emulator's. */
struct sb_driver;
void sb_emu_device_driver(const struct sb_driver *driver);

#endif
