/* Device code. A program that has some registers it before main, which must succeed; there
 * is nothing here that could run it, so launching it, or asking about it, is the error that
 * CUDA gives for a device that the program was not built for. */
#include "internal.h"

#include <stdatomic.h>

static cudaError_t
no_image(const char *name)
{
    static atomic_flag told = ATOMIC_FLAG_INIT;

    if (!atomic_flag_test_and_set(&told))
        hc_log(HC_LOG_ERROR, "this program has kernels of its own; they need a GPU",
               name);
    return hc_result(cudaErrorNoKernelImageForDevice);
}

cudaError_t
cudaLaunchKernel(const void *func, dim3 grid, dim3 block, void **args, size_t shared,
                 cudaStream_t stream)
{
    (void)func, (void)grid, (void)block, (void)args, (void)shared, (void)stream;
    return no_image("cudaLaunchKernel");
}
HC_PER_THREAD(cudaLaunchKernel, _ptsz);

cudaError_t
cudaLaunchCooperativeKernel(const void *func, dim3 grid, dim3 block, void **args,
                            size_t shared, cudaStream_t stream)
{
    (void)func, (void)grid, (void)block, (void)args, (void)shared, (void)stream;
    return no_image("cudaLaunchCooperativeKernel");
}
HC_PER_THREAD(cudaLaunchCooperativeKernel, _ptsz);

cudaError_t
cudaLaunchKernelExC(const void *config, const void *func, void **args)
{
    (void)config, (void)func, (void)args;
    return no_image("cudaLaunchKernelExC");
}
HC_PER_THREAD(cudaLaunchKernelExC, _ptsz);

cudaError_t
cudaFuncGetAttributes(void *attributes, const void *func)
{
    (void)func;
    return attributes ? no_image("cudaFuncGetAttributes")
                      : hc_result(cudaErrorInvalidValue);
}

cudaError_t
cudaFuncSetAttribute(const void *func, int attr, int value)
{
    (void)func, (void)attr, (void)value;
    return no_image("cudaFuncSetAttribute");
}

cudaError_t
cudaFuncSetCacheConfig(const void *func, int config)
{
    (void)func, (void)config;
    return no_image("cudaFuncSetCacheConfig");
}

/* ---- what nvcc's start-up code calls ---- */

void **
__cudaRegisterFatBinary(void *binary)
{
    static void *handle;

    (void)binary;
    return &handle;
}

void
__cudaRegisterFatBinaryEnd(void **handle)
{
    (void)handle;
}

void
__cudaUnregisterFatBinary(void **handle)
{
    (void)handle;
}

void
__cudaRegisterFunction(void **handle, const char *host, char *device, const char *name,
                       int limit, void *tid, void *bid, void *bdim, void *gdim,
                       int *wsize)
{
    (void)handle, (void)host, (void)device, (void)name, (void)limit, (void)tid,
        (void)bid;
    (void)bdim, (void)gdim, (void)wsize;
}

void
__cudaRegisterVar(void **handle, char *host, char *device, const char *name,
                  int external, size_t size, int constant, int global)
{
    (void)handle, (void)host, (void)device, (void)name, (void)external, (void)size;
    (void)constant, (void)global;
}

void
__cudaRegisterManagedVar(void **handle, void **host, char *device, const char *name,
                         int external, size_t size, int constant, int global)
{
    (void)handle, (void)host, (void)device, (void)name, (void)external, (void)size;
    (void)constant, (void)global;
}

void
__cudaRegisterHostVar(void **handle, const char *name, char *host, size_t size)
{
    (void)handle, (void)name, (void)host, (void)size;
}

char
__cudaInitModule(void **handle)
{
    (void)handle;
    return 1;
}

static _Thread_local struct {
    dim3 grid, block;
    size_t shared;
    void *stream;
} configuration;

unsigned
__cudaPushCallConfiguration(dim3 grid, dim3 block, size_t shared, void *stream)
{
    configuration.grid = grid;
    configuration.block = block;
    configuration.shared = shared;
    configuration.stream = stream;
    return 0;
}

cudaError_t
__cudaPopCallConfiguration(dim3 *grid, dim3 *block, size_t *shared, void *stream)
{
    *grid = configuration.grid;
    *block = configuration.block;
    *shared = configuration.shared;
    *(void **)stream = configuration.stream;
    return cudaSuccess;
}
