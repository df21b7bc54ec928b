/*
 * What the files of hostcuda share. The model: there is one device, the host's processor,
 * and everything a stream is given happens at once, in the caller's thread, before the
 * call returns; so all streams are always idle and events are instants. Only while a
 * stream is capturing is work not done but kept, as nodes of a graph.
 *
 * One lock guards all tables and objects; it is never held while work runs.
 */
#ifndef HOSTCUDA_INTERNAL_H
#define HOSTCUDA_INTERNAL_H

#include "hostcuda.h"

#include <stdbool.h>
#include <stdint.h>
#include <time.h>

/* An entry point that a program built with a default stream for each thread calls. As
 * nothing is ever pending, it differs in name only. */
#define HC_PER_THREAD(name, suffix) \
    extern __typeof__(name) name##suffix __attribute__((alias(#name)))

/* ---- errors (error.c) ---- */

/* Notes `error`, unless success, as the last one of this thread; returns it. */
cudaError_t hc_result(cudaError_t error);
/* One line on stderr, "spblas LEVEL: hostcuda: TEXT", as SPBLAS_LOG says; where that is
 * not set, errors are shown. */
enum { HC_LOG_OFF, HC_LOG_ERROR, HC_LOG_WARN };
void hc_log(int level, const char *text, const char *name);
/* For what needs a GPU: a log line, then cudaErrorNotSupported. */
cudaError_t hc_unsupported(const char *name);

/* ---- heap (heap.c) ---- */

void *hc_alloc(size_t size);         /* zeroed; NULL when short */
void *hc_alloc_aligned(size_t size); /* on 256 bytes, not cleared */
bool hc_grow(void **array, size_t *cap, size_t need, size_t item);
void hc_release(void *ptr);
/* Tests: the n-th allocation from now (1 = next) fails, once; 0 = none. */
void hc_fail_allocation(long n);

void hc_lock(void);
void hc_unlock(void);

/* ---- tables of address ranges (table.c); callers hold the lock ---- */

typedef enum {
    HC_DEVICE,
    HC_MANAGED,
    HC_HOST,
    HC_REGISTERED,
    HC_STREAM,
    HC_EVENT,
    HC_GRAPH,
    HC_NODE,
    HC_EXEC,
    HC_USER_OBJECT
} hc_kind;

typedef struct {
    uintptr_t lo;
    size_t size;
    hc_kind kind;
    unsigned flags;
} hc_range;

typedef struct {
    hc_range *at; /* sorted, disjoint */
    size_t n, cap;
} hc_table;

/* The range that holds ptr, or NULL; valid until the table changes. */
hc_range *hc_table_find(const hc_table *table, const void *ptr);
/* cudaErrorMemoryAllocation, or cudaErrorHostMemoryAlreadyRegistered on an overlap. */
cudaError_t hc_table_add(hc_table *table, hc_range range);
void hc_table_remove(hc_table *table, const hc_range *range);

/* Live objects. hc_object_new registers a zeroed object; hc_object_is tells whether a
 * handle is one of a kind, whatever the caller passed. Callers hold the lock. */
extern hc_table hc_objects;
cudaError_t hc_object_new(void **out, size_t size, hc_kind kind);
bool hc_object_is(const void *object, hc_kind kind);
void hc_object_free(void *object);

/* ---- work (work.c) ---- */

/* A copy or a fill of a box of bytes, or a function of the host's. */
typedef struct {
    enum cudaGraphNodeType type; /* Memcpy, Memset, Host, Graph or Empty */
    char *dst;
    const char *src;
    size_t dpitch, dslice, spitch, sslice; /* bytes from row to row, plane to plane */
    size_t width, height, depth;           /* bytes, rows, planes */
    unsigned value, element; /* fill: value of `element` bytes, 1, 2 or 4 */
    cudaHostFn_t fn;
    void *data;
    cudaGraph_t child; /* the node's own copy */
} hc_work;

/* Checks pitches, sizes and ends of known allocations. */
cudaError_t hc_work_check(const hc_work *work);
void hc_work_run(const hc_work *work);
/* The work of a 3-D copy. */
cudaError_t hc_work_from_parms(hc_work *work, const struct cudaMemcpy3DParms *parms);
/* The way of all work: kept where the stream is capturing, else run now. */
cudaError_t hc_submit(cudaStream_t stream, const hc_work *work);

/* ---- memory (memory.c) ---- */

/* A range that starts in a known allocation must end there; unknown memory is the
 * host's and passes. */
bool hc_memory_fits(const void *ptr, size_t size);
void hc_memory_reset(void);
size_t hc_memory_used(void);

/* ---- device (device.c) ---- */

typedef struct {
    int cores, l2;
    size_t memory; /* bytes of the machine */
    char name[256];
} hc_machine;

const hc_machine *hc_machine_get(void);
bool hc_device_ok(int device);

/* ---- streams, events, capture, graphs ---- */

typedef struct hc_capture hc_capture;

/* A capture in progress, made in capture.c and owned by its origin stream. */
struct hc_capture {
    hc_capture *next;
    cudaGraph_t graph;
    cudaStream_t origin;
    enum cudaStreamCaptureMode mode;
    bool invalid, foreign_graph; /* broken by an error; graph is the caller's */
    uintptr_t thread;
    unsigned long long id;
};

/* What captured work of a stream, or a captured event, comes after. */
typedef struct {
    cudaGraphNode_t *at;
    size_t n, cap;
} hc_nodes;

struct CUstream_st {
    unsigned flags;
    int priority;
    unsigned long long id;
    hc_capture *capture;
    hc_nodes last;
};

struct CUevent_st {
    unsigned flags;
    bool recorded, captured; /* last in a stream; last in a capturing one */
    struct timespec time;
    hc_capture *capture; /* while that capture lasts */
    hc_nodes last;
};

struct CUgraphNode_st {
    cudaGraph_t graph;
    hc_work work;
    hc_nodes deps;
    size_t mark; /* scratch of one walk: position, pending edges */
};

/* References to objects of the caller's that live as long as a graph. */
typedef struct {
    struct hc_held {
        cudaUserObject_t object;
        unsigned count;
    } * at;
    size_t n, cap;
} hc_held_list;

struct CUgraph_st {
    hc_nodes nodes; /* in the order they were added */
    hc_held_list held;
};

bool hc_nodes_add(hc_nodes *nodes, cudaGraphNode_t node); /* once; false: no memory */
/* Adds without looking whether it is there. */
bool hc_nodes_push(hc_nodes *nodes, cudaGraphNode_t node);
/* Whether all are live nodes of the graph. Lock held. */
bool hc_nodes_in(const hc_nodes *nodes, cudaGraph_t graph);
bool hc_nodes_copy(hc_nodes *to, const hc_nodes *from);
void hc_nodes_clear(hc_nodes *nodes);

/* 0 and the two special handles are good; others must be live. Lock held. */
bool hc_stream_ok(cudaStream_t stream);
/* The stream's capture or NULL. Lock held. */
hc_capture *hc_stream_capture(cudaStream_t stream);

/* Lock not held. What CUDA answers to calls that do not go well with a capture in
 * progress, which they break: those that allocate, free or wait for the device; work on
 * the legacy stream, which would wait for a capturing stream; both. */
cudaError_t hc_refuse_unsafe(void);
cudaError_t hc_refuse_legacy(cudaStream_t stream);
cudaError_t hc_refuse_synchronous(void);
/* Lock held. Marks the capture as broken; returns `error`. */
cudaError_t hc_capture_break(hc_capture *capture, cudaError_t error);
/* Lock held. Appends work to a capturing stream. */
cudaError_t hc_capture_add(cudaStream_t stream, const hc_work *work);
/* Lock held. A stream that dies breaks what it captures. */
void hc_capture_leave(cudaStream_t stream);

/* Lock held. */
cudaError_t hc_graph_new(cudaGraph_t *out);
void hc_graph_free(cudaGraph_t graph);
cudaError_t hc_graph_add(cudaGraphNode_t *out, cudaGraph_t graph, const hc_work *work,
                         const hc_nodes *deps);
cudaError_t hc_graph_clone(cudaGraph_t *out, cudaGraph_t graph);

/* User objects (userobject.c), lock held. */
bool hc_hold(hc_held_list *list, cudaUserObject_t object, unsigned count);
bool hc_hold_all(hc_held_list *to, const hc_held_list *from);
void hc_let_go(hc_held_list *list);
/* Lock not held: destroys what nobody refers to any more. */
void hc_bury(void);

#endif
