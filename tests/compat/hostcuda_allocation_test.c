/* hostcuda: each of its allocations fails in turn; the answer is cudaErrorMemoryAllocation
 * or a broken capture, and the tables are as before. */
#include "hostcuda_cases.h"

#include "internal.h"

static void
nothing(void *data)
{
    (void)data;
}

/* A bit of everything; tells whether any call ran out of memory. Cleans up after itself. */
static bool
work(void)
{
    char host[64];
    const cudaGraphNode_t none = NULL;
    const struct cudaHostNodeParams params = {nothing, NULL};
    cudaUserObject_t object = NULL;
    cudaGraphNode_t node;
    cudaGraphExec_t exec = NULL;
    cudaStream_t s = NULL;
    cudaEvent_t e = NULL;
    cudaGraph_t graph = NULL;
    cudaGraph_t built = NULL;
    cudaGraph_t clone = NULL;
    void *p = NULL;
    bool moved = false;
    bool fine;

    fine = !cudaMalloc(&p, 64) && !cudaHostRegister(host, 64, 0) &&
           !cudaStreamCreate(&s) && !cudaEventCreate(&e) &&
           !cudaStreamBeginCapture(s, 0) && !cudaMemsetAsync(p, 0, 64, s) &&
           !cudaEventRecord(e, s) && !cudaLaunchHostFunc(s, nothing, NULL);
    if (s && cudaStreamEndCapture(s, &graph))
        assert_null(graph);
    fine = fine && graph && !cudaGraphCreate(&built, 0) &&
           !cudaUserObjectCreate(&object, NULL, nothing, 1, 1) &&
           !cudaGraphRetainUserObject(built, object, 1, 1);
    moved = fine;
    fine = fine && !cudaGraphAddHostNode(&node, built, &none, 0, &params) &&
           !cudaGraphAddChildGraphNode(&node, built, &node, 1, graph) &&
           !cudaGraphClone(&clone, built) && !cudaGraphInstantiate(&exec, clone, 0) &&
           !cudaGraphLaunch(exec, s);
    if (object && !moved)
        ok(cudaUserObjectRelease(object, 1));
    (void)cudaGraphExecDestroy(exec);
    (void)cudaGraphDestroy(clone);
    (void)cudaGraphDestroy(built);
    (void)cudaGraphDestroy(graph);
    (void)cudaEventDestroy(e);
    (void)cudaStreamDestroy(s);
    (void)cudaHostUnregister(host);
    (void)cudaFree(p);
    return !fine;
}

static void
each_fails(void **state)
{
    long n = 1;

    (void)state;
    for (bool failed = true; failed; n++) {
        hc_fail_allocation(n);
        failed = work();
        assert_int_equal(hc_objects.n, 0);
        assert_int_equal(hc_memory_used(), 0);
    }
    assert_true(n > 20);
    hc_fail_allocation(0);
    assert_false(work());
}

int
main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(each_fails)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
