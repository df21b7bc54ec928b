/*
 * GPU kernel text on the host: compiled by the system compiler with SBG_EMULATE, loaded,
 * run over a grid in an order.
 */
#ifndef SB_TEST_EMULAB_H
#define SB_TEST_EMULAB_H

#include "base/strbuf.h"

#include <stddef.h>
#include <stdint.h>

/* sbg_grid of spblas_simt.h, which is for kernels only. */
typedef struct emu_grid {
    int64_t gx, gy, gz;
    int order;
    char *error;
    size_t error_size;
} emu_grid;
typedef void (*emu_kernel)(const void *args, const emu_grid *grid);

/* An order of lanes and blocks for each kind of trouble. */
enum { EMU_ORDERS = 4 };
extern const int emu_orders[EMU_ORDERS];

/* The kernel `symbol` of the text; NULL without a compiler. Lives until the process ends;
 * a text that does not compile fails the test. */
emu_kernel emu_load(const char *text, const char *symbol);
/* The same, watched: *watch(lanes) before a run of groups of so many lanes, and it fails when
 * a thread uses what another stores, with no wait of both between (emuwatch.inc); with 0
 * nothing is looked at. */
typedef void (*emu_watch)(int lanes);
emu_kernel emu_load_watched(const char *text, const char *symbol, emu_watch *watch);
/* A text as it is watched, and what the compiler needs for it (cpu/cc.h): its calls at each access, without
 * the sanitizer's library. */
void emu_watched_text(sb_strbuf *out, const char *text);
extern const char *const emu_watching[];
/* Runs it; fails the test with the shim's sentence. */
void emu_run(emu_kernel k, const char *what, const void *args, int64_t gx, int64_t gy,
             int order);

#endif
