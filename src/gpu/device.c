/*
 * Contexts as devices: found or retained, shared by all handles on them, entered for each
 * call; places and copies.
 */
#include "gpu/device.h"

#include "base/alloc.h"
#include "base/fault.h"
#include "gpu/emu.h"
#include "gpu/gpu.h"
#include "runtime/plan.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

static sb_mutex lock = SB_MUTEX_INIT;
static sb_gpu *all;

static const sb_gpu *
gpu_of(const sb_device *d)
{
    return (const sb_gpu *)d;
}

sb_status
sb_gpu_check(const sb_gpu *g, int error, const char *what, sb_diag *diag)
{
    return error ? sb_driver_fail(g->driver, error, what, diag) : SB_OK;
}

/* ---- being current ---------------------------------------------------------------------- */

sb_status
sb_gpu_enter(const sb_gpu *g, sb_diag *diag)
{
    return sb_gpu_check(g, g->driver->context_push(g->context), "entering the context",
                        diag);
}

void
sb_gpu_leave(const sb_gpu *g)
{
    sb_cu_ptr was;

    if (!SB_FAULT(GPU_CONTEXT))
        (void)g->driver->context_pop(&was);
}

/* ---- life ------------------------------------------------------------------------------- */

static void
hold(sb_device *d)
{
    sb_mutex_lock(&lock);
    ((sb_gpu *)d)->holders++;
    sb_mutex_unlock(&lock);
}

static void
drop(sb_gpu *g)
{
    sb_gpu_drop_orders(g);
    if (sb_gpu_enter(g, NULL) == SB_OK) {
        sb_gpu_drop_kernels(g);
        sb_gpu_leave(g);
    }
    if (g->retained)
        (void)g->driver->primary_release(g->ordinal);
    sb_free(g);
}

static void
release(sb_device *d)
{
    sb_gpu *g = (sb_gpu *)d;
    bool last;

    sb_mutex_lock(&lock);
    last = --g->holders == 0;
    if (last) {
        sb_gpu **at = &all;

        while (*at != g)
            at = &(*at)->next;
        *at = g->next;
    }
    sb_mutex_unlock(&lock);
    if (last)
        drop(g);
}

/* The thread's context, else one that is ours to give back. */
static int
find_context(sb_gpu *g)
{
    const sb_driver *d = g->driver;
    int code = d->context_current(&g->context);

    if (!code && g->context)
        return d->context_device(&g->ordinal);
    if (!code)
        code = d->device_get(&g->ordinal, 0);
    if (!code)
        code = d->primary_retain(&g->context, g->ordinal);
    g->retained = !code;
    return code;
}

static int
name_arch(sb_gpu *g)
{
    const sb_driver *d = g->driver;
    int major = 0, minor = 0, code;

    code = d->device_attribute(&major, SB_CU_CC_MAJOR, g->ordinal);
    if (!code)
        code = d->device_attribute(&minor, SB_CU_CC_MINOR, g->ordinal);
    if (d->arch)
        (void)snprintf(g->arch, sizeof g->arch, "%s", d->arch);
    else
        (void)snprintf(g->arch, sizeof g->arch, "sm_%d%d", major, minor);
    return code;
}

static const sb_device_ops ops;

static sb_gpu *
find(const sb_gpu *like)
{
    sb_gpu *g = all;

    while (g && (g->driver != like->driver || g->context != like->context))
        g = g->next;
    return g;
}

sb_status
sb_gpu_open(sb_device **out, const sb_driver *driver, sb_diag *diag)
{
    sb_gpu *g = sb_alloc_zero(sizeof *g), *known;
    int code;

    *out = NULL;
    if (!g)
        return SB_ENOMEM;
    g->driver = driver;
    code = find_context(g);
    if (!code)
        code = name_arch(g);
    if (code) {
        (void)sb_driver_fail(driver, code, "starting the GPU", diag);
        if (g->retained)
            (void)driver->primary_release(g->ordinal);
        sb_free(g);
        return SB_ENOTSUP;
    }
    g->device.ops = &ops;
    g->lock = (sb_mutex)SB_MUTEX_INIT;
    sb_mutex_lock(&lock);
    known = find(g);
    if (!known) {
        g->next = all;
        all = g;
    }
    (known ? known : g)->holders++;
    sb_mutex_unlock(&lock);
    if (known)
        drop(g);
    *out = known ? &known->device : &g->device;
    return SB_OK;
}

sb_status
sb_gpu_device(sb_device **out, sb_diag *diag)
{
    const sb_driver *driver;

    *out = NULL;
    SB_TRY(sb_driver_get(&driver, diag));
    return sb_gpu_open(out, driver, diag);
}

static const sb_driver *emulated;

void
sb_emu_device_driver(const sb_driver *driver)
{
    emulated = driver;
}

sb_status
sb_emu_device(sb_device **out, sb_diag *diag)
{
    return sb_gpu_open(out, emulated ? emulated : sb_emu_driver(), diag);
}

/* ---- places and copies -------------------------------------------------------------------- */

static sb_place
place(sb_device *d, const void *array)
{
    const sb_gpu *g = gpu_of(d);
    const sb_cu_mem at = (uintptr_t)array;
    int type = 0, managed = 0;

    if (g->driver->place(&type, SB_CU_MEMORY_TYPE, at) != 0)
        return SB_PLACE_HOST;
    if (type != SB_CU_MEMORY_DEVICE)
        return SB_PLACE_BOTH;
    if (g->driver->place(&managed, SB_CU_IS_MANAGED, at) == 0 && managed)
        return SB_PLACE_BOTH;
    return SB_PLACE_DEVICE;
}

static bool
capturing(sb_device *d, void *stream)
{
    const sb_gpu *g = gpu_of(d);
    int status = 0;

    if (SB_FAULT(GPU_CAPTURE))
        return false;
    return g->driver->stream_capturing(stream, &status) == 0 && status != 0;
}

static sb_status
wait_for(sb_device *d, void *stream, sb_diag *diag)
{
    const sb_gpu *g = gpu_of(d);
    sb_status st;

    SB_TRY(sb_gpu_enter(g, diag));
    st =
        sb_gpu_check(g, g->driver->stream_wait(stream), "waiting for the stream", diag);
    sb_gpu_leave(g);
    return st;
}

/* One of the two pointers is the device's. */
static sb_status
copy(sb_device *d, void *stream, void *to, const void *from, size_t bytes, bool down,
     sb_diag *diag)
{
    const sb_gpu *g = gpu_of(d);
    int code;

    if (bytes == 0)
        return SB_OK;
    SB_TRY(sb_gpu_enter(g, diag));
    code = down ? g->driver->download(to, (uintptr_t)from, bytes, stream)
                : g->driver->upload((uintptr_t)to, from, bytes, stream);
    if (!code && !SB_FAULT(GPU_WAIT))
        code = g->driver->stream_wait(stream);
    sb_gpu_leave(g);
    return sb_gpu_check(g, code, down ? "copying from the GPU" : "copying to the GPU",
                        diag);
}

static sb_status
download(sb_device *d, void *stream, void *to, const void *from, size_t bytes,
         sb_diag *diag)
{
    return copy(d, stream, to, from, bytes, true, diag);
}

static sb_status
upload(sb_device *d, void *stream, void *to, const void *from, size_t bytes,
       sb_diag *diag)
{
    return copy(d, stream, to, from, bytes, false, diag);
}

static sb_status
alloc(sb_device *d, void **out, size_t bytes, sb_diag *diag)
{
    const sb_gpu *g = gpu_of(d);
    sb_cu_mem at = 0;
    int code;

    *out = NULL;
    SB_TRY(sb_gpu_enter(g, diag));
    code = bytes > 0 ? g->driver->alloc(&at, bytes) : 0;
    sb_gpu_leave(g);
    if (!code)
        *out = (void *)(uintptr_t)at;
    return sb_gpu_check(g, code, "allocating memory of the GPU", diag);
}

static void
give_back(sb_device *d, void *memory)
{
    const sb_gpu *g = gpu_of(d);

    if (!memory || sb_gpu_enter(g, NULL) != SB_OK)
        return;
    (void)g->driver->free((uintptr_t)memory);
    sb_gpu_leave(g);
}

static sb_status
clear(sb_device *d, void *stream, void *memory, size_t bytes, sb_diag *diag)
{
    const sb_gpu *g = gpu_of(d);
    int code;

    SB_TRY(sb_gpu_enter(g, diag));
    code = bytes > 0 ? g->driver->fill((uintptr_t)memory, 0, bytes, stream) : 0;
    sb_gpu_leave(g);
    return sb_gpu_check(g, code, "zeroing memory of the GPU", diag);
}

/* ---- facts and times --------------------------------------------------------------------- */

static int
attribute(const sb_gpu *g, int which)
{
    int value = 0;

    return g->driver->device_attribute(&value, which, g->ordinal) == 0 ? value : 0;
}

/* Two transfers a clock. */
static void
facts(sb_device *d, sb_gpu_facts *out)
{
    const sb_gpu *g = gpu_of(d);
    const int sms = attribute(g, SB_CU_SM_COUNT);

    *out = (sb_gpu_facts){
        .sms = sms > 0 ? sms : 1,
        .l2 = attribute(g, SB_CU_L2_BYTES),
        .mem_rate =
            2e3 * attribute(g, SB_CU_MEMORY_KHZ) * attribute(g, SB_CU_MEMORY_BITS) / 8,
        .cc = 10 * attribute(g, SB_CU_CC_MAJOR) + attribute(g, SB_CU_CC_MINOR),
        .clock = 1e3 * attribute(g, SB_CU_CLOCK_KHZ)};
    memcpy(out->arch, g->arch, sizeof out->arch);
    if (g->driver->device_name(out->name, sizeof out->name, g->ordinal) != 0)
        out->name[0] = '\0';
}

static int
time_between(double *seconds, const sb_driver *driver, sb_cu_ptr begin, sb_cu_ptr end)
{
    float ms = 0;
    int code = driver->event_wait(end);

    if (!code)
        code = driver->event_elapsed(&ms, begin, end);
    *seconds = (double)ms * 1e-3;
    return code;
}

static sb_status
timed(sb_device *d, double *seconds, const sb_plan *plan, const sb_problem *pb,
      sb_diag *diag)
{
    const sb_gpu *g = gpu_of(d);
    const sb_driver *driver = g->driver;
    sb_cu_ptr begin = NULL, end = NULL;
    sb_status st = SB_OK;
    int code;

    *seconds = 0;
    SB_TRY(sb_gpu_enter(g, diag));
    code = driver->event_create(&begin, 0);
    if (!code)
        code = driver->event_create(&end, 0);
    if (!code)
        code = driver->event_record(begin, pb->stream);
    if (!code)
        st = sb_plan_run(plan, pb, diag);
    if (!code)
        code = driver->event_record(end, pb->stream);
    if (!code)
        code = time_between(seconds, driver, begin, end);
    if (begin)
        (void)driver->event_destroy(begin);
    if (end)
        (void)driver->event_destroy(end);
    sb_gpu_leave(g);
    return st == SB_OK ? sb_gpu_check(g, code, "timing a plan", diag) : st;
}

static sb_gpu_shape
shape(const sb_kernel *k)
{
    return ((const sb_gpu_kernel *)k)->shape;
}

static const sb_device_ops ops = {.hold = hold,
                                  .release = release,
                                  .place = place,
                                  .capturing = capturing,
                                  .wait = wait_for,
                                  .download = download,
                                  .upload = upload,
                                  .kernel = sb_gpu_get_kernel,
                                  .shape = shape,
                                  .facts = facts,
                                  .alloc = alloc,
                                  .free = give_back,
                                  .clear = clear,
                                  .time = timed,
                                  .start = sb_gpu_start,
                                  .launch = sb_gpu_launch,
                                  .settle = sb_gpu_settle};
