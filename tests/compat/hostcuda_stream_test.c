/* hostcuda: device queries, errors, streams, events, host functions, device code. */
#include "hostcuda_cases.h"

#include <unistd.h>

static void
tells_device(void **state)
{
    device_properties prop;
    char text[32];
    int value = -1;
    int cores = -1;
    size_t limit;
    unsigned flags;

    (void)state;
    ok(cudaGetDeviceCount(&value));
    assert_int_equal(value, 1);
    ok(cudaSetDevice(0));
    ok(cudaGetDevice(&value));
    assert_int_equal(value, 0);
    expect(cudaSetDevice(1), cudaErrorInvalidDevice);
    expect(cudaSetDevice(-1), cudaErrorInvalidDevice);
    bad(cudaGetDevice(NULL));
    bad(cudaGetDeviceCount(NULL));
    ok(cudaInitDevice(0, 0, 0));
    ok(cudaChooseDevice(&value, &prop));
    bad(cudaChooseDevice(&value, NULL));
    value = 3;
    expect(cudaSetValidDevices(&value, 1), cudaErrorInvalidDevice);
    ok(cudaSetDeviceFlags(4));
    ok(cudaGetDeviceFlags(&flags));
    assert_int_equal(flags & 7, 4);
    bad(cudaSetDeviceFlags(0x1000));

    memset(&prop, 0x5a, sizeof prop);
    ok(cudaGetDeviceProperties(&prop, 0));
    assert_non_null(strstr(prop.name, "host CPU"));
    assert_int_equal(prop.warpSize, 32);
    assert_int_equal(prop.maxThreadsDim[2], 64);
    assert_int_equal(prop.major, 8);
    assert_int_equal(prop.managedMemory, 1);
    assert_int_equal(prop.maxBlocksPerMultiProcessor, 32);
    assert_int_equal(prop.unifiedFunctionPointers, 0);
    ok(cudaDeviceGetAttribute(&cores, cudaDevAttrMultiProcessorCount, 0));
    assert_int_equal(cores, sysconf(_SC_NPROCESSORS_ONLN));
    assert_int_equal(prop.multiProcessorCount, cores);
    assert_int_equal(prop.totalGlobalMem,
                     (size_t)sysconf(_SC_PHYS_PAGES) * (size_t)sysconf(_SC_PAGESIZE));
    expect(cudaGetDeviceProperties(&prop, 1), cudaErrorInvalidDevice);
    bad(cudaGetDeviceProperties(NULL, 0));
    bad(cudaDeviceGetAttribute(&value, 9999, 0));
    expect(cudaDeviceGetAttribute(&value, cudaDevAttrWarpSize, 2),
           cudaErrorInvalidDevice);

    ok(cudaRuntimeGetVersion(&value));
    assert_int_equal(value / 1000, HC_CUDA);
    ok(cudaDriverGetVersion(&cores));
    assert_true(cores >= value);
    bad(cudaRuntimeGetVersion(NULL));
    ok(cudaDeviceSetLimit(cudaLimitMallocHeapSize, 77));
    ok(cudaDeviceGetLimit(&limit, cudaLimitMallocHeapSize));
    assert_int_equal(limit, 77);
    expect(cudaDeviceGetLimit(&limit, 99), cudaErrorUnsupportedLimit);
    ok(cudaDeviceGetPCIBusId(text, sizeof text, 0));
    ok(cudaDeviceGetByPCIBusId(&value, text));
    bad(cudaDeviceGetPCIBusId(text, 3, 0));
    expect(cudaDeviceGetByPCIBusId(&value, "0000:ff:00.0"), cudaErrorInvalidDevice);
    ok(cudaDeviceCanAccessPeer(&value, 0, 0));
    assert_int_equal(value, 0);
    expect(cudaDeviceEnablePeerAccess(0, 0), cudaErrorInvalidDevice);
    expect(cudaDeviceDisablePeerAccess(0), cudaErrorPeerAccessNotEnabled);
    ok(cudaDeviceSetCacheConfig(1));
    ok(cudaDeviceSynchronize());
    ok(cudaProfilerStart());
    ok(cudaProfilerStop());
}

static void
keeps_last_error(void **state)
{
    (void)state;
    assert_int_equal(cudaSetDevice(5), cudaErrorInvalidDevice);
    assert_int_equal(cudaSetDevice(0), cudaSuccess); /* success does not clear it */
    assert_int_equal(cudaPeekAtLastError(), cudaErrorInvalidDevice);
    assert_int_equal(cudaGetLastError(), cudaErrorInvalidDevice);
    assert_int_equal(cudaPeekAtLastError(), cudaSuccess);
    assert_string_equal(cudaGetErrorName(cudaErrorInvalidDevice),
                        "cudaErrorInvalidDevice");
    assert_string_equal(cudaGetErrorString(cudaSuccess), "no error");
    assert_string_equal(cudaGetErrorName(123456), "unrecognized error code");
    assert_string_equal(cudaGetErrorString(-1), "unrecognized error code");
}

static void
count_call(void *data)
{
    ++*(int *)data;
}

static void
stream_call(cudaStream_t stream, cudaError_t status, void *data)
{
    assert_non_null(stream);
    assert_int_equal(status, cudaSuccess);
    ++*(int *)data;
}

static void
streams(void **state)
{
    cudaStream_t s;
    cudaStream_t t;
    unsigned long long id[2];
    unsigned flags;
    int least;
    int greatest;
    int value;
    int calls = 0;

    (void)state;
    ok(cudaDeviceGetStreamPriorityRange(&least, &greatest));
    assert_true(greatest < least);
    ok(cudaStreamCreate(&s));
    ok(cudaStreamCreateWithPriority(&t, cudaStreamNonBlocking, greatest - 9));
    bad(cudaStreamCreateWithFlags(&t, 77));
    bad(cudaStreamCreate(NULL));
    ok(cudaStreamGetFlags(t, &flags));
    assert_int_equal(flags, cudaStreamNonBlocking);
    ok(cudaStreamGetPriority(t, &value));
    assert_int_equal(value, greatest);
    ok(cudaStreamGetId(s, &id[0]));
    ok(cudaStreamGetId(t, &id[1]));
    assert_true(id[0] != id[1]);
    ok(cudaStreamCopyAttributes(t, s));
    bad(cudaStreamGetFlags(t, NULL));
    ok(cudaStreamSynchronize(s));
    ok(cudaStreamQuery(s));
    ok(cudaStreamSynchronize(0));
    ok(cudaLaunchHostFunc(s, count_call, &calls));
    ok(cudaStreamAddCallback(s, stream_call, &calls, 0));
    assert_int_equal(calls, 2);
    bad(cudaLaunchHostFunc(s, NULL, &calls));
    bad(cudaStreamAddCallback(s, NULL, &calls, 0));
    bad(cudaStreamAddCallback(s, stream_call, &calls, 1));
    ok(cudaStreamAttachMemAsync(s, &calls, 0, 4));
    bad(cudaStreamAttachMemAsync(s, &calls, 0, 3));
    ok(cudaStreamDestroy(s));
    ok(cudaStreamDestroy(t));
    expect(cudaStreamDestroy(s), cudaErrorInvalidResourceHandle);
    expect(cudaStreamDestroy(0), cudaErrorInvalidResourceHandle);
    expect(cudaStreamSynchronize(s), cudaErrorInvalidResourceHandle);
    expect(cudaLaunchHostFunc(s, count_call, &calls), cudaErrorInvalidResourceHandle);
    assert_int_equal(calls, 2);
}

static void
events(void **state)
{
    cudaEvent_t a;
    cudaEvent_t b;
    cudaEvent_t untimed;
    float ms = -1;

    (void)state;
    ok(cudaEventCreate(&a));
    ok(cudaEventCreate(&b));
    ok(cudaEventCreateWithFlags(&untimed, cudaEventDisableTiming));
    bad(cudaEventCreateWithFlags(&untimed, 64));
    bad(cudaEventCreate(NULL));
    expect(cudaEventElapsedTime(&ms, a, b), cudaErrorInvalidResourceHandle);
    ok(cudaEventRecord(a, 0));
    usleep(20000);
    ok(cudaEventRecordWithFlags(b, 0, 0));
    ok(cudaEventSynchronize(b));
    ok(cudaEventQuery(b));
    ok(cudaEventElapsedTime(&ms, a, b));
    assert_true(ms >= 20 && ms < 20000);
    ok(cudaEventElapsedTime(&ms, b, a));
    assert_true(ms < 0);
    ok(cudaEventRecord(untimed, 0));
    expect(cudaEventElapsedTime(&ms, a, untimed), cudaErrorInvalidResourceHandle);
    bad(cudaEventElapsedTime(NULL, a, b));
    bad(cudaEventRecordWithFlags(b, 0, 9));
    ok(cudaStreamWaitEvent(0, a, 0));
    bad(cudaStreamWaitEvent(0, a, 9));
    ok(cudaEventDestroy(a));
    expect(cudaEventDestroy(a), cudaErrorInvalidResourceHandle);
    expect(cudaEventRecord(a, 0), cudaErrorInvalidResourceHandle);
    expect(cudaEventQuery(NULL), cudaErrorInvalidResourceHandle);
    expect(cudaStreamWaitEvent(0, a, 0), cudaErrorInvalidResourceHandle);
    expect(cudaEventRecord(b, (cudaStream_t)&ms), cudaErrorInvalidResourceHandle);
    ok(cudaEventDestroy(b));
    ok(cudaEventDestroy(untimed));
}

static void
refuses_kernels(void **state)
{
    const dim3 one = {1, 1, 1};
    char attributes[512];

    (void)state;
    expect(cudaLaunchKernel(&one, one, one, NULL, 0, 0),
           cudaErrorNoKernelImageForDevice);
    expect(cudaLaunchCooperativeKernel(&one, one, one, NULL, 0, 0),
           cudaErrorNoKernelImageForDevice);
    expect(cudaFuncGetAttributes((void *)attributes, &one),
           cudaErrorNoKernelImageForDevice);
    expect(cudaFuncSetAttribute(&one, 8, 0), cudaErrorNoKernelImageForDevice);
    expect(cudaFuncSetCacheConfig(&one, 0), cudaErrorNoKernelImageForDevice);
    bad(cudaFuncGetAttributes(NULL, &one));
}

#ifndef HC_TOOLKIT
static void
loads_kernels(void **state)
{
    const dim3 grid = {1, 2, 3};
    const dim3 block = {4, 5, 6};
    dim3 got[2];
    size_t shared = 0;
    void *stream = NULL;
    void **handle = __cudaRegisterFatBinary(NULL);

    (void)state;
    assert_non_null(handle);
    __cudaRegisterFunction(handle, "f", NULL, "f", 0, NULL, NULL, NULL, NULL, NULL);
    __cudaRegisterVar(handle, NULL, NULL, "v", 0, 4, 0, 0);
    __cudaRegisterManagedVar(handle, NULL, NULL, "v", 0, 4, 0, 0);
    __cudaRegisterHostVar(handle, "v", NULL, 4);
    __cudaRegisterFatBinaryEnd(handle);
    assert_int_equal(__cudaInitModule(handle), 1);
    assert_int_equal(__cudaPushCallConfiguration(grid, block, 7, cudaStreamPerThread),
                     0);
    assert_int_equal(__cudaPopCallConfiguration(&got[0], &got[1], &shared, &stream), 0);
    assert_memory_equal(&got[0], &grid, sizeof grid);
    assert_memory_equal(&got[1], &block, sizeof block);
    assert_int_equal(shared, 7);
    assert_ptr_equal(stream, cudaStreamPerThread);
    __cudaUnregisterFatBinary(handle);
}

cudaError_t cudaCreateTextureObject(void *, void *, void *, void *);
cudaError_t cudaStreamBeginCapture_ptsz(cudaStream_t, enum cudaStreamCaptureMode);

/* Names without use here exist and say so. */
static void
answers_all_names(void **state)
{
    (void)state;
    expect(cudaCreateTextureObject(NULL, NULL, NULL, NULL), cudaErrorNotSupported);
    expect(cudaStreamBeginCapture_ptsz(NULL, 0), cudaErrorStreamCaptureUnsupported);
}
#endif

#if !defined(HC_TOOLKIT) && HC_CUDA < 13
#undef cudaGetDeviceProperties

/* Under the plain name a program of CUDA 11 gets the fields that it has room for. */
static void
fills_old_layout(void **state)
{
    enum { OLD = offsetof(device_properties, hostRegisterSupported) };
    device_properties prop;
    unsigned char guard[sizeof prop - OLD];

    (void)state;
    memset(&prop, 0x5a, sizeof prop);
    memset(guard, 0x5a, sizeof guard);
    ok(cudaGetDeviceProperties(&prop, 0));
    assert_int_equal(prop.maxBlocksPerMultiProcessor, 32);
    assert_memory_equal((char *)&prop + OLD, guard, sizeof guard);
    bad(cudaGetDeviceProperties(NULL, 0));
    ok(cudaThreadSynchronize());
    ok(cudaThreadExit());
}
#endif

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tells_device),
        cmocka_unit_test(keeps_last_error),
        cmocka_unit_test(streams),
        cmocka_unit_test(events),
        cmocka_unit_test(refuses_kernels),
#ifndef HC_TOOLKIT
        cmocka_unit_test(loads_kernels),
        cmocka_unit_test(answers_all_names),
#if HC_CUDA < 13
        cmocka_unit_test(fills_old_layout),
#endif
#endif
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
