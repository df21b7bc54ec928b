/*
 * Inside src/gpu: a context and what is loaded in it. device.c has its life and its copies,
 * code.c its kernels, launch.c its plans.
 */
#ifndef SB_GPU_DEVICE_H
#define SB_GPU_DEVICE_H

#include "base/strbuf.h"
#include "base/sync.h"
#include "gpu/driver.h"
#include "runtime/device.h"

/* A kernel and its module; `kernel` is what plans point to. One that the compiler or the
 * loader refused has no function, and is not asked for again. */
typedef struct sb_gpu_kernel {
    sb_kernel kernel;
    struct sb_gpu_kernel *next;
    sb_gpu_shape shape;
    sb_cu_ptr module, function;
    char *signature;
    char spec[SB_SPEC_MAX];
} sb_gpu_kernel;

typedef struct sb_gpu {
    sb_device device; /* first: the two are cast into each other */
    struct sb_gpu *next;
    const sb_driver *driver;
    int holders; /* under the lock of the list */
    sb_cu_ptr context;
    int ordinal;
    bool retained; /* the primary context, which we hold */
    char arch[16]; /* "sm_90" */
    bool warned;   /* that a kernel is neither stored nor can be compiled */
    sb_mutex lock; /* of that, the kernels and orders */
    sb_gpu_kernel *kernels;
    struct sb_gpu_order *orders;
} sb_gpu;

/*
 * The device of the calling thread's context, else of the first GPU's primary context;
 * held. Handles on one context share it. ENOTSUP: no context can be had; ENOMEM.
 */
sb_status sb_gpu_open(sb_device **out, const sb_driver *driver, sb_diag *diag);

/* Makes the context current until sb_gpu_leave, which is not called after a failure. */
sb_status sb_gpu_enter(const sb_gpu *g, sb_diag *diag);
void sb_gpu_leave(const sb_gpu *g);

/* 0 is OK, else the driver's sentence. */
sb_status sb_gpu_check(const sb_gpu *g, int error, const char *what, sb_diag *diag);

/* code.c: device.h's kernel, and the end of all kernels. */
sb_status sb_gpu_get_kernel(const sb_kernel **out, sb_device *d, const char *spec,
                            sb_kernel_maker maker, sb_kernel_effort effort,
                            sb_diag *diag);
void sb_gpu_drop_kernels(sb_gpu *g);

/* launch.c: device.h's start, launch and settle. */
sb_status sb_gpu_start(sb_device *d, void *stream, const sb_kernel *k,
                       const struct sb_binding *args, int64_t blocks, sb_diag *diag);
sb_status sb_gpu_launch(sb_device *d, const struct sb_launch *l,
                        const struct sb_problem *pb, sb_diag *diag);
sb_status sb_gpu_settle(sb_device *d, struct sb_plan *plan, sb_diag *diag);

/*
 * order.c: images made in the background, by the hash of their text. `put` begins to make
 * one unless that was done before; the texts are copied. `take` appends one that is there,
 * else answers SKIP; `wait`: one on its way is waited for. `drop` ends them all: waits for
 * the one being made.
 */
void sb_gpu_order_put(sb_gpu *g, const sb_strbuf *text, const char *path);
sb_status sb_gpu_order_take(sb_strbuf *out, sb_gpu *g, sb_hash key, bool wait);
void sb_gpu_drop_orders(sb_gpu *g);

/* code.c: keeps an image on disk; a failure is a line of the log. */
void sb_gpu_keep(const sb_gpu *g, const sb_strbuf *image, const char *path);

#endif
