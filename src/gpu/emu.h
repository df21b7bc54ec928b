/*
 * The emulated GPU: driver.h's table on the host. Memory is heap blocks between red zones,
 * NVRTC is the system C compiler, which compiles the very text a GPU gets with
 * SBG_EMULATE defined, a module is the shared object it wrote, and a launch calls
 * `<kernel>_run` there, which walks the grid thread by thread.
 *
 *   SPBLAS_EMU_ORDER  forward, reverse or random:SEED: in which order blocks and threads run
 *
 * Everything has been done when a call returns, but for copies to the host, which come
 * when they are waited for. Stricter than a GPU: what could wait or allocate is refused
 * while any stream captures, damage around a block fails the launch that did it. Memory that is not the emulator's counts as unified, so programs run with
 * arrays of their own.
 */
#ifndef SB_GPU_EMU_H
#define SB_GPU_EMU_H

#include "gpu/driver.h"

#include <stdint.h>

const sb_driver *sb_emu_driver(void);

/* For tests: what the program asked for since it started; `blocks` and `contexts` are those
 * it still holds. */
typedef struct sb_emu_counts {
    int64_t allocs, blocks, contexts, waits, copies, compiles, loads, launches;
} sb_emu_counts;
sb_emu_counts sb_emu_count(void);

/* What an emulated kernel is called with, apart from its arguments; error:
 * error_size bytes, "" unless the kernel breaks a rule of the machine. order: 0 forward, 1
 * reverse, 2 + seed. The layout of sbg_grid in the kernels' prelude. */
enum { SB_EMU_ERROR = 256 };
typedef struct sb_emu_grid {
    int64_t gx, gy, gz;
    int order;
    char *error;
    size_t error_size;
} sb_emu_grid;
typedef void (*sb_emu_kernel)(const void *args, const sb_emu_grid *grid);

#endif
