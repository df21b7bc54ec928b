/*
 * The same call on the host and on the emulated GPU: arrays of either side, freed together,
 * and scalars or numbers where the side is to have them.
 */
#ifndef SB_TEST_GPUSIDES_H
#define SB_TEST_GPUSIDES_H

#include "gpuworld.h"

/* Side 0 is the host's, 1 the device's. */
typedef struct side_pool {
    int side, n;
    void *at[24];
} side_pool;

/* For a program's main: handles, and kernels in a folder under that one; false: not to be
 * had. */
bool sides_open(const char *folder);
/* How much is wrong at the end: handles that do not end, memory left on the device. */
int sides_close(void);

spblasHandle_t side_handle(const side_pool *p);
/* A copy there, of junk where there is nothing to copy. */
void *side_copy(side_pool *p, const void *from, size_t bytes);
void side_drop(side_pool *p);
/* A scalar or number, on the device if it is that side's and `far`; sets the pointer mode. */
void *side_scalar(side_pool *p, bool far, void *value, size_t bytes);

/* One of three orders of blocks and threads. */
void side_order(uint64_t k);

#endif
