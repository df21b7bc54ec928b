/*
 * What the tests of hostcuda share. They are built with our header for CUDA 12 and 13,
 * and with the toolkit's header, where one is installed, against our library: that shows
 * the binary interface.
 */
#ifndef HOSTCUDA_CASES_H
#define HOSTCUDA_CASES_H

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#ifdef HC_TOOLKIT
#include <cuda_profiler_api.h>
#include <cuda_runtime_api.h>
#define HC_CUDA (CUDART_VERSION / 1000)
typedef struct cudaDeviceProp device_properties;
#else
#include "hostcuda.h"
#if HC_CUDA >= 13
typedef struct hc_properties_13 device_properties;
#else
typedef struct hc_properties_12 device_properties;
#define cudaGetDeviceProperties cudaGetDeviceProperties_v2
#endif
#endif

/* The call answers this, and an error is the thread's last one exactly then. */
#define expect(call, error)                                \
    do {                                                   \
        (void)cudaGetLastError();                          \
        assert_int_equal(call, error);                     \
        assert_int_equal(cudaGetLastError(), error);       \
        assert_int_equal(cudaGetLastError(), cudaSuccess); \
    } while (0)
#define ok(call) expect(call, cudaSuccess)
#define bad(call) expect(call, cudaErrorInvalidValue)

#endif
