/* hostcuda: allocations, registration, pointers, copies and fills. */
#include "hostcuda_cases.h"

#include <stdlib.h>

static void
allocates(void **state)
{
    size_t free0;
    size_t free1;
    size_t total;
    char *p = NULL;
    void *none = &p;

    (void)state;
    ok(cudaMalloc((void **)&p, 1000));
    assert_non_null(p);
    assert_int_equal((uintptr_t)p % 256, 0);
    memset(p, 1, 1000);
    ok(cudaMalloc(&none, 0));
    assert_null(none);
    ok(cudaFree(NULL));
    bad(cudaFree(p + 1));
    bad(cudaFree(&none));
    bad(cudaFreeHost(p));
    ok(cudaFree(p));
    bad(cudaFree(p)); /* twice */
    bad(cudaMalloc(NULL, 8));
    ok(cudaMemGetInfo(&free0, &total));
    assert_true(free0 <= total);
    expect(cudaMalloc(&none, total + 1), cudaErrorMemoryAllocation);
    expect(cudaMalloc(&none, SIZE_MAX), cudaErrorMemoryAllocation);
    assert_null(none);
    bad(cudaMemGetInfo(&free1, NULL));
    bad(cudaMemGetInfo(NULL, &total));
}

static void
allocates_other_kinds(void **state)
{
    struct cudaPitchedPtr box;
    size_t pitch = 0;
    unsigned flags = 0;
    char *p;
    char *dev;

    (void)state;
    ok(cudaMallocHost((void **)&p, 64));
    bad(cudaFree(p));
    ok(cudaHostGetDevicePointer((void **)&dev, p, 0));
    assert_ptr_equal(p, dev);
    bad(cudaHostGetDevicePointer((void **)&dev, p, 1));
    ok(cudaFreeHost(p));
    bad(cudaHostGetDevicePointer((void **)&dev, p, 0));
    ok(cudaHostAlloc((void **)&p, 64, 3));
    ok(cudaHostGetFlags(&flags, p));
    assert_int_equal(flags, 3);
    bad(cudaHostGetFlags(NULL, p));
    ok(cudaFreeHost(p));
    bad(cudaHostGetFlags(&flags, p));
    bad(cudaHostAlloc((void **)&p, 64, 64));
    ok(cudaMallocManaged((void **)&p, 64, 1));
    ok(cudaFree(p));
    bad(cudaMallocManaged((void **)&p, 64, 0));
    bad(cudaMallocManaged((void **)&p, 0, 1));
    ok(cudaMallocPitch((void **)&p, &pitch, 100, 3));
    assert_true(pitch >= 100);
    memset(p, 2, pitch * 3);
    ok(cudaFree(p));
    expect(cudaMallocPitch((void **)&p, &pitch, SIZE_MAX - 3, 2),
           cudaErrorMemoryAllocation);
    expect(cudaMallocPitch((void **)&p, &pitch, SIZE_MAX / 4, 9),
           cudaErrorMemoryAllocation);
    bad(cudaMallocPitch((void **)&p, NULL, 4, 4));
    ok(cudaMalloc3D(&box, (struct cudaExtent){10, 3, 2}));
    assert_int_equal(box.xsize, 10);
    assert_int_equal(box.ysize, 3);
    memset(box.ptr, 3, box.pitch * 6);
    ok(cudaFree(box.ptr));
    expect(cudaMalloc3D(&box, (struct cudaExtent){512, SIZE_MAX / 2, 4}),
           cudaErrorMemoryAllocation);
    ok(cudaMallocAsync((void **)&p, 64, 0));
    ok(cudaFreeAsync(p, cudaStreamPerThread));
    bad(cudaFreeAsync(p, 0));
    expect(cudaMallocAsync((void **)&p, 64, (cudaStream_t)&flags),
           cudaErrorInvalidResourceHandle);
}

static void
registers(void **state)
{
    char *p = malloc(100);
    char *dev;

    (void)state;
    ok(cudaHostRegister(p, 100, 2));
    expect(cudaHostRegister(p + 10, 10, 0), cudaErrorHostMemoryAlreadyRegistered);
    ok(cudaHostGetDevicePointer((void **)&dev, p + 7, 0));
    assert_ptr_equal(dev, p + 7);
    expect(cudaHostUnregister(p + 10), cudaErrorHostMemoryNotRegistered);
    ok(cudaHostUnregister(p));
    expect(cudaHostUnregister(p), cudaErrorHostMemoryNotRegistered);
    bad(cudaHostUnregister(NULL));
    bad(cudaHostRegister(NULL, 100, 0));
    bad(cudaHostRegister(p, 0, 0));
    bad(cudaHostRegister(p, 100, 64));
    free(p);
}

static void
tells_pointers(void **state)
{
    struct {
        struct cudaPointerAttributes a;
        uint64_t guard;
    } got = {.guard = 0x5aa5};
    char *p;
    int local;

    (void)state;
    ok(cudaMalloc((void **)&p, 64));
    ok(cudaPointerGetAttributes(&got.a, p + 63));
    assert_int_equal(got.a.type, cudaMemoryTypeDevice);
    assert_int_equal(got.a.device, 0);
    assert_ptr_equal(got.a.devicePointer, p + 63);
    assert_null(got.a.hostPointer);
    ok(cudaFree(p));
    ok(cudaMallocManaged((void **)&p, 64, 1));
    ok(cudaPointerGetAttributes(&got.a, p));
    assert_int_equal(got.a.type, cudaMemoryTypeManaged);
    assert_ptr_equal(got.a.hostPointer, p);
    ok(cudaFree(p));
    ok(cudaPointerGetAttributes(&got.a, &local));
    assert_int_equal(got.a.type, cudaMemoryTypeUnregistered);
    assert_null(got.a.devicePointer);
    assert_ptr_equal(got.a.hostPointer, &local);
    bad(cudaPointerGetAttributes(NULL, &local));
    assert_int_equal(got.guard, 0x5aa5);
}

static void
places(void **state)
{
    char *p;
    char *q;

    (void)state;
    ok(cudaMallocManaged((void **)&p, 64, 1));
    ok(cudaMalloc((void **)&q, 64));
#if HC_CUDA >= 13
    const struct cudaMemLocation dev = {1, 0};
    const struct cudaMemLocation no = {1, 7};

    ok(cudaMemPrefetchAsync(p, 64, dev, 0, 0));
    expect(cudaMemPrefetchAsync(p, 64, no, 0, 0), cudaErrorInvalidDevice);
    bad(cudaMemPrefetchAsync(p, 65, dev, 0, 0));
    bad(cudaMemPrefetchAsync(q, 64, dev, 0, 0));
    ok(cudaMemAdvise(p, 64, cudaMemAdviseSetReadMostly, dev));
    bad(cudaMemAdvise(p, 64, 77, dev));
#else
    ok(cudaMemPrefetchAsync(p, 64, 0, 0));
    ok(cudaMemPrefetchAsync(p, 64, -1, 0));
    expect(cudaMemPrefetchAsync(p, 64, 7, 0), cudaErrorInvalidDevice);
    bad(cudaMemPrefetchAsync(p, 65, 0, 0));
    bad(cudaMemPrefetchAsync(q, 64, 0, 0));
    ok(cudaMemPrefetchAsync_v2(p, 64, (struct cudaMemLocation){2, 0}, 0, 0));
    ok(cudaMemAdvise(p, 64, cudaMemAdviseSetReadMostly, 0));
    ok(cudaMemAdvise_v2(p, 64, cudaMemAdviseSetReadMostly,
                        (struct cudaMemLocation){1, 0}));
    bad(cudaMemAdvise(p, 64, 77, 0));
#endif
    ok(cudaFree(p));
    ok(cudaFree(q));
}

static void
copies(void **state)
{
    char host[64];
    char back[64] = {0};
    char *p;

    (void)state;
    for (int i = 0; i < 64; i++)
        host[i] = (char)i;
    ok(cudaMalloc((void **)&p, 64));
    ok(cudaMemcpy(p, host, 64, cudaMemcpyHostToDevice));
    ok(cudaMemcpyAsync(back, p, 64, cudaMemcpyDeviceToHost, cudaStreamPerThread));
    assert_memory_equal(host, back, 64);
    ok(cudaMemcpyPeer(p, 0, host + 8, 0, 8));
    ok(cudaMemcpyPeerAsync(p + 8, 0, host, 0, 8, 0));
    ok(cudaMemcpy(back, p, 16, cudaMemcpyDefault));
    assert_memory_equal(back, host + 8, 8);
    assert_memory_equal(back + 8, host, 8);
    expect(cudaMemcpyPeer(p, 1, host, 0, 8), cudaErrorInvalidDevice);
    expect(cudaMemcpyPeerAsync(p, 0, host, 1, 8, 0), cudaErrorInvalidDevice);
    expect(cudaMemcpy(p, host, 8, 5), cudaErrorInvalidMemcpyDirection);
    bad(cudaMemcpy(NULL, host, 8, cudaMemcpyDefault));
    bad(cudaMemcpy(p, NULL, 8, cudaMemcpyDefault));
    ok(cudaMemcpy(NULL, NULL, 0, cudaMemcpyDefault));
    bad(cudaMemcpy(p, host, 65, cudaMemcpyHostToDevice)); /* past the end */
    bad(cudaMemcpy(back, p + 60, 5, cudaMemcpyDeviceToHost));
    bad(cudaMemcpy(p, host, SIZE_MAX, cudaMemcpyHostToDevice));
    expect(cudaMemcpyAsync(p, host, 8, cudaMemcpyHostToDevice, (cudaStream_t)host),
           cudaErrorInvalidResourceHandle);
    ok(cudaFree(p));
}

static void
copies_boxes(void **state)
{
    char host[6][10];
    char back[6][7] = {{0}};
    struct cudaMemcpy3DParms box = {0};
    size_t pitch;
    char *p;

    (void)state;
    for (int i = 0; i < 60; i++)
        host[i / 10][i % 10] = (char)(i + 1);
    ok(cudaMallocPitch((void **)&p, &pitch, 7, 6));
    ok(cudaMemcpy2D(p, pitch, host, 10, 7, 6, cudaMemcpyHostToDevice));
    ok(cudaMemcpy2DAsync(back, 7, p, pitch, 7, 6, cudaMemcpyDeviceToHost, 0));
    for (int i = 0; i < 6; i++)
        assert_memory_equal(host[i], back[i], 7);
    expect(cudaMemcpy2D(p, 6, host, 10, 7, 6, cudaMemcpyDefault),
           cudaErrorInvalidPitchValue);
    expect(cudaMemcpy2D(p, pitch, host, 6, 7, 6, cudaMemcpyDefault),
           cudaErrorInvalidPitchValue);
    bad(cudaMemcpy2D(p, SIZE_MAX / 2, host, 10, 7, 6, cudaMemcpyDefault));
    bad(cudaMemcpy2D(p, pitch, host, 10, 7, 7, cudaMemcpyDefault));

    /* Planes 1 and 2 of three planes of two rows, from column 3 on. */
    box.srcPtr = (struct cudaPitchedPtr){host, 10, 10, 2};
    box.srcPos = (struct cudaPos){3, 0, 1};
    box.dstPtr = (struct cudaPitchedPtr){back, 7, 7, 2};
    box.extent = (struct cudaExtent){4, 2, 2};
    box.kind = cudaMemcpyDefault;
    memset(back, 0, sizeof back);
    ok(cudaMemcpy3D(&box));
    for (int i = 0; i < 4; i++) {
        assert_memory_equal(back[i], host[i + 2] + 3, 4);
        assert_int_equal(back[i][4], 0);
    }
    memset(back, 0, sizeof back);
    ok(cudaMemcpy3DAsync(&box, cudaStreamLegacy));
    assert_memory_equal(back[3], host[5] + 3, 4);
    bad(cudaMemcpy3D(NULL));
    box.srcPos.z = SIZE_MAX / 2;
    bad(cudaMemcpy3DAsync(&box, 0));
    ok(cudaFree(p));
}

static void
fills(void **state)
{
    struct cudaPitchedPtr box;
    size_t pitch;
    char *p;

    (void)state;
    ok(cudaMallocPitch((void **)&p, &pitch, 8, 3));
    memset(p, 9, pitch * 3);
    ok(cudaMemset2D(p, pitch, 1, 5, 2));
    assert_int_equal(p[4], 1);
    assert_int_equal(p[5], 9);
    assert_int_equal(p[pitch + 4], 1);
    assert_int_equal(p[2 * pitch], 9);
    ok(cudaMemset2DAsync(p, pitch, 2, 5, 2, 0));
    assert_int_equal(p[pitch + 4], 2);
    ok(cudaMemset(p, 0x1ff, 3));
    assert_int_equal((unsigned char)p[2], 0xff);
    assert_int_equal(p[3], 2);
    ok(cudaMemsetAsync(p, 7, 1, cudaStreamPerThread));
    assert_int_equal(p[0], 7);
    bad(cudaMemset(NULL, 0, 1));
    bad(cudaMemset(p, 0, 3 * pitch + 1));
    expect(cudaMemset2D(p, 4, 0, 5, 2), cudaErrorInvalidPitchValue);
    ok(cudaMemset(NULL, 0, 0));
    ok(cudaFree(p));
    ok(cudaMalloc3D(&box, (struct cudaExtent){4, 3, 2}));
    memset(box.ptr, 9, box.pitch * 6);
    ok(cudaMemset3D(box, 1, (struct cudaExtent){4, 2, 2}));
    p = box.ptr;
    assert_int_equal(p[box.pitch * 4 + 3], 1);
    assert_int_equal(p[box.pitch * 2], 9);
    ok(cudaMemset3DAsync(box, 2, (struct cudaExtent){4, 3, 2}, 0));
    assert_int_equal(p[box.pitch * 5 + 3], 2);
    ok(cudaFree(p));
}

static void
pools(void **state)
{
    uint64_t mark = 123;
    int flag = -1;
    cudaMemPool_t pool;
    void *p;

    (void)state;
    ok(cudaDeviceGetDefaultMemPool(&pool, 0));
    expect(cudaDeviceGetMemPool(&pool, 1), cudaErrorInvalidDevice);
    ok(cudaDeviceSetMemPool(0, pool));
    bad(cudaDeviceSetMemPool(0, (cudaMemPool_t)&mark));
    ok(cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &mark));
    mark = 0;
    ok(cudaMemPoolGetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &mark));
    assert_int_equal(mark, 123);
    ok(cudaMemPoolGetAttribute(pool, cudaMemPoolReuseAllowOpportunistic, &flag));
    assert_int_equal(flag, 1);
    ok(cudaMallocFromPoolAsync(&p, 4096, pool, 0));
    ok(cudaMemPoolGetAttribute(pool, cudaMemPoolAttrUsedMemCurrent, &mark));
    assert_true(mark >= 4096);
    bad(cudaMemPoolSetAttribute(pool, cudaMemPoolAttrUsedMemHigh, &mark));
    bad(cudaMemPoolSetAttribute(pool, cudaMemPoolAttrUsedMemCurrent, &mark));
    bad(cudaMemPoolGetAttribute(pool, 99, &mark));
    ok(cudaFreeAsync(p, 0));
    ok(cudaMemPoolTrimTo(pool, 0));
    bad(cudaMemPoolTrimTo(NULL, 0));
    bad(cudaMallocFromPoolAsync(&p, 4096, NULL, 0));
}

static void
resets(void **state)
{
    void *p;

    (void)state;
    ok(cudaMalloc(&p, 64));
    ok(cudaDeviceReset());
    bad(cudaFree(p));
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(allocates),    cmocka_unit_test(allocates_other_kinds),
        cmocka_unit_test(registers),    cmocka_unit_test(tells_pointers),
        cmocka_unit_test(places),       cmocka_unit_test(copies),
        cmocka_unit_test(copies_boxes), cmocka_unit_test(fills),
        cmocka_unit_test(pools),        cmocka_unit_test(resets),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
