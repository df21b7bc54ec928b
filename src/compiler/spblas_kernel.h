/*
 * What an emitted kernel may use; compiled into tests and embedded in the library as
 * text for run-time compilation. Written and kept by the emitter.
 */
#ifndef SPBLAS_KERNEL_H
#define SPBLAS_KERNEL_H

#include <stdint.h>

/* One parameter of a kernel, by the type the program gives it. */
typedef union sb_kparam {
    int64_t i;
    int32_t i32;
    float f[2];
    double d[2];
} sb_kparam;

#endif
