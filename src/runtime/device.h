/*
 * A device with memory of its own, as planner and API see it; src/gpu makes the one kind
 * there is, a context of a GPU, real or emulated. A device is counted: handles and plans
 * hold it, and what it has loaded goes when the last lets go. Every call makes its context
 * current for as long as it takes. Thread-safe.
 */
#ifndef SB_RUNTIME_DEVICE_H
#define SB_RUNTIME_DEVICE_H

#include "base/diag.h"
#include "runtime/kernel.h"
#include "runtime/target.h"

#include <stddef.h>

/* Where an array lies. */
typedef enum sb_place {
    SB_PLACE_HOST,  /* the device knows nothing of it */
    SB_PLACE_BOTH,  /* both sides read and write it: managed or pinned */
    SB_PLACE_DEVICE /* the host cannot read it */
} sb_place;

struct sb_binding;
struct sb_launch;
struct sb_plan;
struct sb_problem;
typedef struct sb_device sb_device;

typedef struct sb_device_ops {
    void (*hold)(sb_device *d);
    void (*release)(sb_device *d);
    sb_place (*place)(sb_device *d, const void *array);
    bool (*capturing)(sb_device *d, void *stream);
    /* Until all work on the stream has ended. */
    sb_status (*wait)(sb_device *d, void *stream, sb_diag *diag);
    /* Copies after the work on the stream; have ended when they return. */
    sb_status (*download)(sb_device *d, void *stream, void *to, const void *from,
                          size_t bytes, sb_diag *diag);
    sb_status (*upload)(sb_device *d, void *stream, void *to, const void *from,
                        size_t bytes, sb_diag *diag);
    /* As sb_kernel_get, and COMPILE is with NVRTC. The kernel lives as long as the device
     * and runs in plans that were settled on it. */
    sb_status (*kernel)(const sb_kernel **out, sb_device *d, const char *spec,
                        sb_kernel_maker maker, sb_kernel_effort effort, sb_diag *diag);
    sb_gpu_shape (*shape)(const sb_kernel *k);
    void (*facts)(sb_device *d, sb_gpu_facts *out);
    /* Memory of the device; nothing is there after a failure (ENOMEM, EIO). Not while a
     * stream is captured. */
    sb_status (*alloc)(sb_device *d, void **out, size_t bytes, sb_diag *diag);
    void (*free)(sb_device *d, void *memory); /* NULL is fine */
    /* Puts a kernel with those arguments on the stream, `blocks` of the shape's threads.
     * No allocation, no waiting. */
    sb_status (*start)(sb_device *d, void *stream, const sb_kernel *k,
                       const struct sb_binding *args, int64_t blocks, sb_diag *diag);
    /* Zeroes, after the work on the stream. */
    sb_status (*clear)(sb_device *d, void *stream, void *memory, size_t bytes,
                       sb_diag *diag);
    /* Seconds that a plan which was settled took once, by the device's clock; waits. */
    sb_status (*time)(sb_device *d, double *seconds, const struct sb_plan *plan,
                      const struct sb_problem *pb, sb_diag *diag);
    /* Launches the steps of arrays, and tiles if any, that are on the device: on the
     * problem's stream, without allocating, waiting or copying, so that a graph may
     * capture it. EIO with a sentence. */
    sb_status (*launch)(sb_device *d, const struct sb_launch *l,
                        const struct sb_problem *pb, sb_diag *diag);
    /*
     * Moves the arrays and tiles of a plan whose steps have kernels of the device there,
     * and gives it the engine that launches them as above. On failure (ENOMEM, EIO) the
     * plan is as before.
     */
    sb_status (*settle)(sb_device *d, struct sb_plan *plan, sb_diag *diag);
} sb_device_ops;

struct sb_device {
    const sb_device_ops *ops;
};

#endif
