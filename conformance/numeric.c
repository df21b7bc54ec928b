/* Memory of the routines, and numbers of their types in it. */
#include "numeric.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- Memory ------------------------------------------------------------------------- */

static int (*cuda_malloc)(void **, size_t), (*cuda_free)(void *);
static int (*cuda_copy)(void *, const void *, size_t, int);

enum { ARRAYS = 256, TO_DEVICE = 1, FROM_DEVICE = 2 };
static void *arrays[ARRAYS];
static int array_count;

void
need(bool ok, const char *what)
{
    if (!ok) {
        (void)fprintf(stderr, "%s\n", what);
        exit(2);
    }
}

void
memory_open(const char *path)
{
    void *const runtime = path ? dlopen(path, RTLD_NOW) : NULL;

    if (!path)
        return;
    need(runtime != NULL, "CONFORM_CUDART cannot be loaded");
    *(void **)&cuda_malloc = dlsym(runtime, "cudaMalloc");
    *(void **)&cuda_free = dlsym(runtime, "cudaFree");
    *(void **)&cuda_copy = dlsym(runtime, "cudaMemcpy");
    need(cuda_malloc && cuda_free && cuda_copy, "CONFORM_CUDART lacks a function");
}

void *
memory_new(const void *host, size_t bytes)
{
    void *zeros = NULL, *p = NULL;

    need(array_count < ARRAYS, "too many arrays");
    if (!cuda_malloc) {
        p = aligned_alloc(256, (bytes + 511) / 256 * 256);
        need(p != NULL, "memory");
        if (host)
            memcpy(p, host, bytes);
        else
            memset(p, 0, bytes);
    } else {
        if (!host)
            host = zeros = calloc(1, bytes + 1);
        need(cuda_malloc(&p, bytes + 256) == 0 &&
                 cuda_copy(p, host, bytes, TO_DEVICE) == 0,
             "device memory");
        free(zeros);
    }
    return arrays[array_count++] = p;
}

void
memory_read(void *host, const void *from, size_t bytes)
{
    if (cuda_copy)
        need(cuda_copy(host, from, bytes, FROM_DEVICE) == 0, "copy from the device");
    else
        memcpy(host, from, bytes);
}

void
memory_reset(void)
{
    while (array_count > 0) {
        void *const p = arrays[--array_count];

        if (cuda_free)
            (void)cuda_free(p);
        else
            free(p);
    }
}

/* ---- Types -------------------------------------------------------------------------- */

size_t
type_size(cudaDataType type)
{
    switch ((int)type) {
    case CUDA_R_8I:
        return 1;
    case CUDA_R_16F:
    case CUDA_R_16BF:
        return 2;
    case CUDA_R_32F:
    case CUDA_R_32I:
    case CUDA_C_16F:
    case CUDA_C_16BF:
        return 4;
    case CUDA_C_64F:
        return 16;
    default:
        return 8;
    }
}

bool
type_complex(cudaDataType type)
{
    return type == CUDA_C_32F || type == CUDA_C_64F || type == CUDA_C_16F ||
           type == CUDA_C_16BF;
}

/* binary16 of an integer of at most 2^11, and the way back; no rounding occurs. */
static uint16_t
half_of(float f)
{
    uint32_t bits;

    memcpy(&bits, &f, sizeof bits);
    if (f == 0)
        return (uint16_t)(bits >> 16);
    return (uint16_t)((bits >> 16 & 0x8000) |
                      (((bits >> 23 & 0xff) - 112) << 10 | (bits >> 13 & 0x3ff)));
}

static float
half_to(uint16_t h)
{
    const uint32_t bits =
        (uint32_t)(h & 0x8000) << 16 | (((h & 0x7fffU) << 13) + (112U << 23));
    float f;

    memcpy(&f, &bits, sizeof f);
    return h & 0x7fff ? f : 0.0F;
}

void
put(cudaDataType type, void *array, int64_t i, number x)
{
    char *const at = (char *)array + (size_t)i * type_size(type);
    const float f[2] = {(float)creal(x), (float)cimag(x)};
    const double d[2] = {creal(x), cimag(x)};
    const int32_t n = (int32_t)creal(x);
    const int8_t b = (int8_t)n;
    const uint16_t h[2] = {half_of(f[0]), half_of(f[1])};

    if (type == CUDA_R_8I) {
        memcpy(at, &b, 1);
    } else if (type == CUDA_R_32I) {
        memcpy(at, &n, 4);
    } else if (type == CUDA_R_16F || type == CUDA_C_16F) {
        memcpy(at, h, type_size(type));
    } else if (type == CUDA_R_16BF || type == CUDA_C_16BF) {
        memcpy(at, (const char *)f + 2, 2);
        if (type_complex(type))
            memcpy(at + 2, (const char *)(f + 1) + 2, 2);
    } else if (type == CUDA_R_32F || type == CUDA_C_32F) {
        memcpy(at, f, type_size(type));
    } else {
        memcpy(at, d, type_size(type));
    }
}

number
get(cudaDataType type, const void *array, int64_t i)
{
    const char *const at = (const char *)array + (size_t)i * type_size(type);
    float f[2] = {0};
    double d[2] = {0};
    int32_t n;
    uint16_t h[2] = {0};

    if (type == CUDA_R_8I)
        return (double)*(const int8_t *)at;
    if (type == CUDA_R_32I) {
        memcpy(&n, at, 4);
        return (double)n;
    }
    if (type == CUDA_R_16F || type == CUDA_C_16F) {
        memcpy(h, at, type_size(type));
        return (double)half_to(h[0]) + (double)half_to(h[1]) * I;
    }
    if (type == CUDA_R_16BF || type == CUDA_C_16BF) {
        memcpy((char *)f + 2, at, 2);
        if (type_complex(type))
            memcpy((char *)(f + 1) + 2, at + 2, 2);
        return (double)f[0] + (double)f[1] * I;
    }
    if (type == CUDA_R_32F || type == CUDA_C_32F) {
        memcpy(f, at, type_size(type));
        return (double)f[0] + (double)f[1] * I;
    }
    memcpy(d, at, type_size(type));
    return d[0] + d[1] * I;
}

void *
array_of(cudaDataType type, const number *x, int64_t count)
{
    _Alignas(16) char host[4 * SIDE * SIDE * 16];

    for (int64_t i = 0; i < count; i++)
        put(type, host, i, x[i]);
    return memory_new(host, (size_t)count * type_size(type));
}

void
array_read(cudaDataType type, number *x, const void *from, int64_t count)
{
    _Alignas(16) char host[4 * SIDE * SIDE * 16];

    memory_read(host, from, (size_t)count * type_size(type));
    for (int64_t i = 0; i < count; i++)
        x[i] = get(type, host, i);
}

void *
scalar_of(cudaDataType type, number x)
{
    static _Alignas(16) char host[8][16];
    static int turn;
    cusparsePointerMode_t mode;
    char *const at = host[turn++ % 8];

    (void)cusparseGetPointerMode(handle, &mode);
    put(type, at, 0, x);
    return mode == CUSPARSE_POINTER_MODE_HOST ? at : memory_new(at, 16);
}
