/* What the library in NVIDIA's place was called with. */
#ifndef FAKE_REAL_H
#define FAKE_REAL_H

#include <cusparse.h>

#include <stdbool.h>

struct fake_seen {
    int calls, live; /* of the routine; of the objects */
    bool own;        /* its handle, description and state were its own */
    cudaStream_t stream;
    int mode, field[4], m, nnz, policy;
    const void *value, *row, *column, *buffer;
};

#endif
