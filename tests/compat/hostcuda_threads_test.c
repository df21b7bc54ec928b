/* hostcuda: threads with streams of their own, and one event and one buffer list that all
 * look at. ctest-labels: quick tsan */
#include "hostcuda_cases.h"

#include <pthread.h>

enum { THREADS = 4, ROUNDS = 60 };

static void *shared;

static void
add_one(void *data)
{
    ++*(int *)data;
}

/* 0 when every call did what it should. */
static int
round_trip(int seed)
{
    struct cudaPointerAttributes a;
    cudaGraphExec_t exec;
    cudaGraph_t graph;
    cudaStream_t s;
    int *p;
    int back = 0;
    int wrong = 0;

    wrong |= cudaMallocAsync((void **)&p, sizeof *p, 0);
    wrong |= cudaMemcpy(p, &seed, sizeof seed, cudaMemcpyHostToDevice);
    wrong |= cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking);
    wrong |= cudaStreamBeginCapture(s, cudaStreamCaptureModeRelaxed);
    wrong |= cudaLaunchHostFunc(s, add_one, p);
    wrong |= cudaMemcpyAsync(&back, p, sizeof back, cudaMemcpyDeviceToHost, s);
    wrong |= cudaStreamEndCapture(s, &graph);
    wrong |= cudaGraphInstantiate(&exec, graph, 0);
    wrong |= cudaGraphLaunch(exec, s);
    wrong |= cudaGraphLaunch(exec, s);
    wrong |= cudaStreamSynchronize(s) | (back != seed + 2);
    wrong |= cudaPointerGetAttributes(&a, shared) | (a.type != cudaMemoryTypeDevice);
    wrong |=
        cudaGraphExecDestroy(exec) | cudaGraphDestroy(graph) | cudaStreamDestroy(s);
    wrong |= cudaFree(p) | cudaPeekAtLastError();
    wrong |= cudaSetDevice(9) != cudaErrorInvalidDevice; /* this thread's alone */
    wrong |= cudaGetLastError() != cudaErrorInvalidDevice;
    return wrong;
}

static void *
run(void *data)
{
    int *result = data;

    for (int i = 0; i < ROUNDS; i++)
        *result |= round_trip(i);
    return NULL;
}

static void
threads_are_apart(void **state)
{
    pthread_t threads[THREADS];
    int results[THREADS] = {0};

    (void)state;
    ok(cudaMalloc(&shared, 64));
    for (int i = 0; i < THREADS; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, run, &results[i]), 0);
    for (int i = 0; i < THREADS; i++) {
        assert_int_equal(pthread_join(threads[i], NULL), 0);
        assert_int_equal(results[i], 0);
    }
    ok(cudaFree(shared));
}

static void *
end_elsewhere(void *data)
{
    cudaGraph_t graph;
    void *p;

    /* Errors are a thread's own. */
    if (cudaPeekAtLastError())
        return data;
    /* Another thread's global capture forbids allocations here as well. */
    if (cudaMalloc(&p, 8) != cudaErrorStreamCaptureUnsupported)
        return data;
    return cudaStreamEndCapture(data, &graph) == cudaErrorStreamCaptureWrongThread
               ? NULL
               : data;
}

static void
capture_stays_in_its_thread(void **state)
{
    pthread_t other;
    cudaGraph_t graph;
    cudaStream_t s;
    void *result;

    (void)state;
    ok(cudaStreamCreate(&s));
    ok(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
    assert_int_equal(cudaSetDevice(9), cudaErrorInvalidDevice);
    assert_int_equal(pthread_create(&other, NULL, end_elsewhere, s), 0);
    assert_int_equal(pthread_join(other, &result), 0);
    assert_null(result);
    assert_int_equal(cudaGetLastError(), cudaErrorInvalidDevice);
    expect(cudaStreamEndCapture(s, &graph), cudaErrorStreamCaptureInvalidated);
    ok(cudaStreamDestroy(s));
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(threads_are_apart),
        cmocka_unit_test(capture_stays_in_its_thread),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
