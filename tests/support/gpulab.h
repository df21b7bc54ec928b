/*
 * A GPU kernel written by hand.
 */
#ifndef SB_TEST_GPULAB_H
#define SB_TEST_GPULAB_H

#include "base/strbuf.h"

#include <stdbool.h>

/* C = alpha A B + beta C of f32 rows in place (CSR, i32), B and C by rows, 32 threads, 8
 * columns of C to a block in y: one text for NVRTC and for the emulator. `wrong`: it writes
 * past C's last row. */
extern const char gpulab_signature[];
void gpulab_text(sb_strbuf *out, const char *symbol, bool wrong);

#endif
