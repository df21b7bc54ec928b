/*
 * What a launch of a GPU kernel needs to know beside its text; made by who writes the text
 * (src/kernels), used by who launches it (src/gpu).
 */
#ifndef SB_BASE_GPU_SHAPE_H
#define SB_BASE_GPU_SHAPE_H

#include <stdint.h>

typedef struct sb_gpu_shape {
    int threads;      /* of a block */
    int shared_bytes; /* dynamic shared memory */
    int64_t
        grid_y_columns; /* columns of C that one step of grid y covers; 0: grid y is 1 */
    int rows_per_tile;  /* rows, or what stands for them, that busy all of a block */
    int strip; /* rows and entries that a group of lanes takes, where tiles are of groups, not
                  of blocks, and rows_per_tile is how many groups a block has; 0: of blocks */
    int resident; /* threads that a multiprocessor of 9.0 holds at once; 0: as may be */
    int items; /* rows and entries that a block takes together, at most; 0: groups take rows */
} sb_gpu_shape;

#endif
