/* hostcuda: what a capture keeps, replays and refuses; graphs built by hand. */
#include "hostcuda_cases.h"

#if HC_CUDA >= 13
#define add_edges(graph, from, to, n) cudaGraphAddDependencies(graph, from, to, NULL, n)
#define get_deps(node, deps, n) cudaGraphNodeGetDependencies(node, deps, NULL, n)
#define capture_info(s, status, id, graph, deps, n) \
    cudaStreamGetCaptureInfo(s, status, id, graph, deps, NULL, n)
#else
#define add_edges(graph, from, to, n) cudaGraphAddDependencies(graph, from, to, n)
#define get_deps(node, deps, n) cudaGraphNodeGetDependencies(node, deps, n)
#define capture_info(s, status, id, graph, deps, n) \
    cudaStreamGetCaptureInfo_v2(s, status, id, graph, deps, n)
#endif

#define GLOBAL cudaStreamCaptureModeGlobal
#define RELAXED cudaStreamCaptureModeRelaxed

static int trace[16];
static int traced;

static void
note(void *data)
{
    trace[traced++] = *(int *)data;
}

static void
add_one(void *data)
{
    ++*(int *)data;
}

static enum cudaStreamCaptureStatus
status_of(cudaStream_t stream)
{
    enum cudaStreamCaptureStatus status;

    ok(cudaStreamIsCapturing(stream, &status));
    return status;
}

/* Everything that was captured happens at each launch, in order, and not before. */
static void
replays(void **state)
{
    cudaGraphExec_t exec;
    cudaGraph_t graph;
    cudaStream_t s;
    int host = 5;
    int back = 0;
    int *dev;

    (void)state;
    ok(cudaMalloc((void **)&dev, sizeof *dev));
    ok(cudaMemset(dev, 0, sizeof *dev));
    ok(cudaStreamCreate(&s));
    ok(cudaStreamBeginCapture(s, GLOBAL));
    assert_int_equal(status_of(s), cudaStreamCaptureStatusActive);
    ok(cudaMemcpyAsync(dev, &host, sizeof host, cudaMemcpyHostToDevice, s));
    ok(cudaLaunchHostFunc(s, add_one, dev));
    ok(cudaMemcpyAsync(&back, dev, sizeof host, cudaMemcpyDeviceToHost, s));
    ok(cudaMemsetAsync(dev, 0, sizeof *dev, s));
    assert_int_equal(*dev, 0);
    assert_int_equal(back, 0);
    ok(cudaStreamEndCapture(s, &graph));
    assert_int_equal(status_of(s), cudaStreamCaptureStatusNone);
    ok(cudaGraphInstantiate(&exec, graph, 0));
    ok(cudaGraphDestroy(graph)); /* the instance does not need it */
    assert_int_equal(back, 0);
    ok(cudaGraphUpload(exec, s));
    ok(cudaGraphLaunch(exec, s));
    assert_int_equal(back, 6);
    assert_int_equal(*dev, 0);
    host = 41; /* read at the launch */
    ok(cudaGraphLaunch(exec, 0));
    assert_int_equal(back, 42);
    expect(cudaGraphLaunch(exec, (cudaStream_t)&host), cudaErrorInvalidResourceHandle);
    ok(cudaGraphExecDestroy(exec));
    bad(cudaGraphExecDestroy(exec));
    bad(cudaGraphLaunch(exec, s));
    bad(cudaGraphDestroy(graph));
    ok(cudaStreamDestroy(s));
    ok(cudaFree(dev));
}

/* A second stream joins by an event and is joined back. */
static void
forks(void **state)
{
    const cudaGraphNode_t *deps;
    cudaGraphNode_t nodes[4];
    cudaGraph_t graph;
    cudaStream_t s;
    cudaStream_t t;
    cudaEvent_t fork;
    cudaEvent_t join;
    cudaGraphExec_t exec;
    enum cudaStreamCaptureStatus status;
    unsigned long long id;
    size_t n = 4;
    int labels[] = {1, 2, 3};
    float ms;

    (void)state;
    ok(cudaStreamCreate(&s));
    ok(cudaStreamCreateWithFlags(&t, cudaStreamNonBlocking));
    ok(cudaEventCreate(&fork));
    ok(cudaEventCreate(&join));
    for (int joins = 0; joins < 2; joins++) {
        ok(cudaStreamBeginCapture(s, GLOBAL));
        ok(cudaLaunchHostFunc(s, note, &labels[0]));
        ok(cudaEventRecord(fork, s));
        ok(cudaStreamWaitEvent(t, fork, 0));
        assert_int_equal(status_of(t), cudaStreamCaptureStatusActive);
        ok(cudaLaunchHostFunc(t, note, &labels[1]));
        ok(cudaEventRecord(join, t));
        if (!joins) {
            expect(cudaStreamEndCapture(s, &graph), cudaErrorStreamCaptureUnjoined);
            assert_null(graph);
            assert_int_equal(status_of(t), cudaStreamCaptureStatusNone);
        }
    }
    ok(cudaStreamWaitEvent(s, join, 0));
    ok(capture_info(s, &status, &id, &graph, &deps, &n));
    assert_int_equal(n, 2);
    ok(cudaLaunchHostFunc(s, note, &labels[2]));
    expect(cudaEventQuery(fork), cudaErrorCapturedEvent);
    expect(cudaStreamEndCapture(s, &graph), cudaErrorStreamCaptureInvalidated);

    ok(cudaStreamBeginCapture(s, GLOBAL));
    ok(cudaLaunchHostFunc(s, note, &labels[0]));
    ok(cudaEventRecord(fork, s));
    ok(cudaStreamWaitEvent(t, fork, 0));
    ok(cudaLaunchHostFunc(t, note, &labels[1]));
    ok(cudaEventRecord(join, t));
    ok(cudaStreamWaitEvent(s, join, 0));
    ok(cudaLaunchHostFunc(s, note, &labels[2]));
    ok(cudaStreamEndCapture(s, &graph));
    n = 4;
    ok(cudaGraphGetNodes(graph, nodes, &n));
    assert_int_equal(n, 3);
    assert_null(nodes[3]);
    ok(get_deps(nodes[2], NULL, &n));
    assert_int_equal(n, 2);
    ok(cudaGraphInstantiateWithFlags(&exec, graph, 0));
    traced = 0;
    ok(cudaGraphLaunch(exec, s));
    assert_int_equal(traced, 3);
    assert_int_equal(trace[0] * 100 + trace[1] * 10 + trace[2], 123);
    expect(cudaEventElapsedTime(&ms, fork, join), cudaErrorCapturedEvent);
    expect(cudaStreamWaitEvent(s, fork, 0), cudaErrorCapturedEvent);
    ok(cudaGraphExecDestroy(exec));
    ok(cudaGraphDestroy(graph));
    ok(cudaEventRecord(fork, s)); /* an ordinary event again */
    ok(cudaEventSynchronize(fork));
    ok(cudaEventDestroy(fork));
    ok(cudaEventDestroy(join));
    ok(cudaStreamDestroy(s));
    ok(cudaStreamDestroy(t));
}

static cudaStream_t s;
static void *memory;
static cudaEvent_t event;
static cudaGraphExec_t empty_graph;

static void
callback(cudaStream_t stream, cudaError_t status, void *data)
{
    (void)stream, (void)status, (void)data;
}

static cudaError_t
wait_stream(void)
{
    return cudaStreamSynchronize(s);
}

static cudaError_t
query_stream(void)
{
    return cudaStreamQuery(s);
}

static cudaError_t
wait_device(void)
{
    return cudaDeviceSynchronize();
}

static cudaError_t
allocate(void)
{
    void *p;

    return cudaMalloc(&p, 8);
}

static cudaError_t
allocate_async(void)
{
    void *p;

    return cudaMallocAsync(&p, 8, s);
}

static cudaError_t
free_memory(void)
{
    return cudaFree(memory);
}

static cudaError_t
free_async(void)
{
    return cudaFreeAsync(memory, s);
}

static cudaError_t
add_callback(void)
{
    return cudaStreamAddCallback(s, callback, NULL, 0);
}

static cudaError_t
launch_graph(void)
{
    return cudaGraphLaunch(empty_graph, s);
}

static cudaError_t
copy_now(void)
{
    return cudaMemcpy(memory, memory, 8, cudaMemcpyDeviceToDevice);
}

static cudaError_t
fill_legacy(void)
{
    return cudaMemsetAsync(memory, 0, 8, 0);
}

static cudaError_t
begin_again(void)
{
    return cudaStreamBeginCapture(s, GLOBAL);
}

static cudaError_t
wait_outside(void)
{
    return cudaStreamWaitEvent(s, event, 0);
}

static cudaError_t
record_external(void)
{
    return cudaEventRecordWithFlags(event, s, 1);
}

/* What cannot be kept is refused, and the capture gives no graph. */
static void
refuses(void **state)
{
    static const struct {
        cudaError_t (*call)(void);
        cudaError_t error;
    } table[] = {
        {wait_stream, cudaErrorStreamCaptureUnsupported},
        {query_stream, cudaErrorStreamCaptureUnsupported},
        {wait_device, cudaErrorStreamCaptureUnsupported},
        {allocate, cudaErrorStreamCaptureUnsupported},
        {allocate_async, cudaErrorStreamCaptureUnsupported},
        {free_memory, cudaErrorStreamCaptureUnsupported},
        {free_async, cudaErrorStreamCaptureUnsupported},
        {add_callback, cudaErrorStreamCaptureUnsupported},
        {launch_graph, cudaErrorStreamCaptureUnsupported},
        {record_external, cudaErrorStreamCaptureUnsupported},
        {copy_now, cudaErrorStreamCaptureImplicit},
        {fill_legacy, cudaErrorStreamCaptureImplicit},
        {begin_again, cudaErrorIllegalState},
        {wait_outside, cudaErrorStreamCaptureIsolation},
    };
    cudaGraph_t graph;

    (void)state;
    ok(cudaMalloc(&memory, 8));
    ok(cudaStreamCreate(&s));
    ok(cudaEventCreate(&event));
    ok(cudaEventRecord(event, s));
    ok(cudaGraphCreate(&graph, 0));
    ok(cudaGraphInstantiate(&empty_graph, graph, 0));
    ok(cudaGraphDestroy(graph));
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        ok(cudaStreamBeginCapture(s, GLOBAL));
        ok(cudaMemsetAsync(memory, 1, 8, s));
        expect(table[i].call(), table[i].error);
        assert_int_equal(status_of(s), cudaStreamCaptureStatusInvalidated);
        expect(cudaMemsetAsync(memory, 2, 8, s), cudaErrorStreamCaptureInvalidated);
        graph = (cudaGraph_t)memory;
        expect(cudaStreamEndCapture(s, &graph), cudaErrorStreamCaptureInvalidated);
        assert_null(graph);
        ok(cudaStreamSynchronize(s)); /* all is as before */
    }
    expect(cudaStreamEndCapture(s, &graph), cudaErrorIllegalState);
    expect(cudaStreamBeginCapture(0, GLOBAL), cudaErrorStreamCaptureUnsupported);
    bad(cudaStreamBeginCapture(s, (enum cudaStreamCaptureMode)7));
    bad(cudaStreamEndCapture(s, NULL));
    bad(cudaStreamIsCapturing(s, NULL));
    ok(cudaGraphExecDestroy(empty_graph));
    ok(cudaEventDestroy(event));
    ok(cudaStreamDestroy(s));
    ok(cudaFree(memory));
}

/* Relaxed captures, relaxed threads and non-blocking streams let unrelated work pass. */
static void
lets_pass(void **state)
{
    enum cudaStreamCaptureMode mode = RELAXED;
    enum cudaStreamCaptureStatus status;
    cudaGraph_t graph;
    cudaStream_t t;
    cudaStream_t u;
    cudaEvent_t e;
    void *p;

    (void)state;
    ok(cudaStreamCreate(&s));
    ok(cudaStreamCreateWithFlags(&t, cudaStreamNonBlocking));
    ok(cudaStreamBeginCapture(t, RELAXED));
    ok(cudaMalloc(&p, 8));
    ok(cudaMemset(p, 0, 8));
    ok(cudaStreamSynchronize(s));
    ok(cudaDeviceSynchronize());
    ok(cudaStreamEndCapture(t, &graph));
    ok(cudaGraphDestroy(graph));

    ok(cudaStreamBeginCapture(t, GLOBAL));
    ok(cudaThreadExchangeStreamCaptureMode(&mode));
    assert_int_equal(mode, GLOBAL);
    ok(cudaFree(p));
    ok(cudaThreadExchangeStreamCaptureMode(&mode));
    assert_int_equal(mode, RELAXED);
    mode = 9;
    bad(cudaThreadExchangeStreamCaptureMode(&mode));
    ok(cudaStreamIsCapturing(0, &status));
    assert_int_equal(status, cudaStreamCaptureStatusNone);

    /* Two captures do not mix; the wrong stream does not end one. */
    ok(cudaStreamBeginCapture(s, GLOBAL));
    expect(cudaStreamIsCapturing(0, &status), cudaErrorStreamCaptureImplicit);
    assert_int_equal(status_of(s), cudaStreamCaptureStatusActive);
    ok(cudaEventCreate(&e));
    ok(cudaEventRecord(e, s));
    ok(cudaStreamCreate(&u));
    ok(cudaStreamWaitEvent(u, e, 0));
    expect(cudaStreamEndCapture(u, &graph), cudaErrorStreamCaptureUnmatched);
    expect(cudaStreamEndCapture(s, &graph), cudaErrorStreamCaptureInvalidated);
    ok(cudaStreamBeginCapture(s, GLOBAL));
    ok(cudaEventRecord(e, s));
    expect(cudaStreamWaitEvent(t, e, 0), cudaErrorStreamCaptureMerge);
    expect(cudaStreamEndCapture(t, &graph), cudaErrorStreamCaptureInvalidated);
    ok(cudaStreamDestroy(s)); /* in the middle of a capture */
    ok(cudaStreamDestroy(u));
    ok(cudaStreamDestroy(t));
    ok(cudaEventDestroy(e));
}

/* Work of a pitched fill, a box copy, a child and an edge added late. */
static void
builds(void **state)
{
    struct cudaMemsetParams fill = {0};
    struct cudaMemcpy3DParms copy = {0};
    struct cudaHostNodeParams host = {note, NULL};
    cudaGraphInstantiateParams params = {0};
    cudaGraphNode_t node[6];
    cudaGraphNode_t roots[6];
    cudaGraph_t graph;
    cudaGraph_t child;
    cudaGraph_t clone;
    cudaGraphExec_t exec;
    enum cudaGraphNodeType type;
    unsigned short to[3][4] = {{0}};
    unsigned short from[3][4] = {{0}};
    int labels[] = {1, 2};
    size_t n;

    (void)state;
    ok(cudaGraphCreate(&graph, 0));
    ok(cudaGraphCreate(&child, 0));
    fill.dst = from;
    fill.pitch = 8;
    fill.value = 0x1234;
    fill.elementSize = 2;
    fill.width = 2;
    fill.height = 3;
    ok(cudaGraphAddMemsetNode(&node[0], graph, NULL, 0, &fill));
    copy.srcPtr = (struct cudaPitchedPtr){from, 8, 8, 3};
    copy.dstPtr = (struct cudaPitchedPtr){to, 8, 8, 3};
    copy.extent = (struct cudaExtent){4, 3, 1};
    copy.kind = cudaMemcpyDefault;
    ok(cudaGraphAddMemcpyNode(&node[1], graph, node, 1, &copy));
    host.userData = &labels[1];
    ok(cudaGraphAddHostNode(&node[2], graph, NULL, 0, &host));
    host.userData = &labels[0];
    ok(cudaGraphAddHostNode(&node[5], child, NULL, 0, &host));
    ok(cudaGraphAddChildGraphNode(&node[3], graph, NULL, 0, child));
    ok(cudaGraphAddEmptyNode(&node[4], graph, node, 4));
    ok(add_edges(graph, &node[3], &node[2], 1)); /* the child before its elder */
    ok(cudaGraphGetNodes(graph, NULL, &n));
    assert_int_equal(n, 5);
    n = 6;
    ok(cudaGraphGetRootNodes(graph, roots, &n));
    assert_int_equal(n, 2);
    assert_ptr_equal(roots[0], node[0]);
    assert_ptr_equal(roots[1], node[3]);
    ok(cudaGraphNodeGetType(node[3], &type));
    assert_int_equal(type, cudaGraphNodeTypeGraph);
    ok(cudaGraphClone(&clone, graph));
    ok(cudaGraphDestroy(graph));
    ok(cudaGraphDestroy(child));
    ok(cudaGraphInstantiateWithParams(&exec, clone, &params));
    assert_int_equal(params.result_out, 0);
    traced = 0;
    ok(cudaGraphLaunch(exec, 0));
    assert_int_equal(traced, 2);
    assert_int_equal(trace[0], 1);
    assert_int_equal(trace[1], 2);
    for (int i = 0; i < 3; i++) {
        assert_int_equal(to[i][1], 0x1234);
        assert_int_equal(to[i][2], 0);
    }

    ok(cudaGraphExecDestroy(exec));
    ok(cudaGraphDestroy(clone));
}

/* An update takes the work of a graph of the same shape. */
static void
updates(void **state)
{
    struct cudaHostNodeParams host = {add_one, NULL};
    cudaGraphExecUpdateResultInfo info;
    cudaGraphNode_t node;
    cudaGraphExec_t exec;
    cudaGraph_t graph;
    cudaGraph_t other;
    int calls[2] = {0};

    (void)state;
    ok(cudaGraphCreate(&graph, 0));
    ok(cudaGraphCreate(&other, 0));
    host.userData = &calls[0];
    ok(cudaGraphAddHostNode(&node, graph, NULL, 0, &host));
    ok(cudaGraphInstantiate(&exec, graph, 0));
    bad(cudaGraphExecUpdate(exec, NULL, &info));
    bad(cudaGraphExecUpdate(exec, graph, NULL));
    expect(cudaGraphExecUpdate(exec, other, &info), cudaErrorGraphExecUpdateFailure);
    assert_int_equal(info.result, cudaGraphExecUpdateErrorTopologyChanged);
    ok(cudaGraphLaunch(exec, 0)); /* as it was */
    host.userData = &calls[1];
    ok(cudaGraphAddHostNode(&node, other, NULL, 0, &host));
    ok(cudaGraphExecUpdate(exec, other, &info));
    assert_int_equal(info.result, cudaGraphExecUpdateSuccess);
    ok(cudaGraphLaunch(exec, 0));
    assert_int_equal(calls[0], 1);
    assert_int_equal(calls[1], 1);
    ok(cudaGraphDestroy(other));
    ok(cudaGraphCreate(&other, 0));
    ok(cudaGraphAddEmptyNode(&node, other, NULL, 0));
    expect(cudaGraphExecUpdate(exec, other, &info), cudaErrorGraphExecUpdateFailure);
    assert_int_equal(info.result, cudaGraphExecUpdateErrorNodeTypeChanged);
    ok(cudaGraphExecDestroy(exec));
    ok(cudaGraphDestroy(graph));
    ok(cudaGraphDestroy(other));
}

/* Bad arguments; a cycle. */
static void
refuses_nodes(void **state)
{
    struct cudaMemsetParams fill = {0};
    cudaGraphNode_t node[2] = {NULL, NULL};
    cudaGraphExec_t exec;
    cudaGraph_t graph;
    char to[8];
    char from[8] = {0};

    (void)state;
    ok(cudaGraphCreate(&graph, 0));
    bad(cudaGraphAddEmptyNode(&node[0], graph, &node[1], 1));
    bad(cudaGraphAddHostNode(&node[0], graph, NULL, 0, NULL));
    bad(cudaGraphAddMemcpyNode1D(&node[0], graph, NULL, 0, NULL, from, 8, 4));
    expect(cudaGraphAddMemcpyNode1D(&node[0], graph, NULL, 0, to, from, 8, 9),
           cudaErrorInvalidMemcpyDirection);
    fill.dst = to;
    fill.elementSize = 3;
    fill.width = fill.height = 1;
    bad(cudaGraphAddMemsetNode(&node[0], graph, NULL, 0, &fill));
    bad(cudaGraphAddEmptyNode(NULL, graph, NULL, 0));
    bad(cudaGraphAddChildGraphNode(&node[0], graph, NULL, 0, NULL));
    bad(cudaGraphCreate(NULL, 0));
    bad(cudaGraphCreate(&graph, 1));
    ok(cudaGraphAddMemcpyNode1D(&node[0], graph, NULL, 0, to, from, 8, 4));
    ok(cudaGraphAddEmptyNode(&node[1], graph, node, 1));
    ok(add_edges(graph, &node[1], &node[0], 1));
    bad(add_edges(graph, &node[1], &node[1], 1));
    bad(cudaGraphInstantiate(&exec, graph, 0));
    ok(cudaGraphDestroy(graph));
}

/* An object that a graph holds dies with the last of graph, instance and caller. */
static void
holds_objects(void **state)
{
    cudaUserObject_t object;
    cudaGraphExec_t exec;
    cudaGraph_t graph;
    cudaGraph_t clone;
    int dead = 0;

    (void)state;
    ok(cudaUserObjectCreate(&object, &dead, add_one, 1, 1));
    ok(cudaGraphCreate(&graph, 0));
    ok(cudaGraphRetainUserObject(graph, object, 1, cudaGraphUserObjectMove));
    ok(cudaGraphInstantiate(&exec, graph, 0));
    ok(cudaGraphClone(&clone, graph));
    ok(cudaGraphDestroy(graph));
    ok(cudaGraphDestroy(clone));
    assert_int_equal(dead, 0);
    ok(cudaGraphExecDestroy(exec));
    assert_int_equal(dead, 1);
    bad(cudaUserObjectRelease(object, 1));

    ok(cudaUserObjectCreate(&object, &dead, add_one, 2, 1));
    ok(cudaUserObjectRetain(object, 1));
    ok(cudaGraphCreate(&graph, 0));
    ok(cudaGraphRetainUserObject(graph, object, 2, 0));
    bad(cudaGraphReleaseUserObject(graph, object, 3));
    ok(cudaGraphReleaseUserObject(graph, object, 2));
    bad(cudaUserObjectRelease(object, 4));
    ok(cudaUserObjectRelease(object, 3));
    assert_int_equal(dead, 2);
    bad(cudaUserObjectCreate(&object, &dead, add_one, 0, 1));
    bad(cudaUserObjectCreate(&object, &dead, NULL, 1, 1));
    bad(cudaUserObjectCreate(&object, &dead, add_one, 1, 0));
    bad(cudaGraphRetainUserObject(graph, object, 1, 0));
    ok(cudaGraphDestroy(graph));
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(replays),       cmocka_unit_test(forks),
        cmocka_unit_test(refuses),       cmocka_unit_test(lets_pass),
        cmocka_unit_test(builds),        cmocka_unit_test(updates),
        cmocka_unit_test(refuses_nodes), cmocka_unit_test(holds_objects),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
