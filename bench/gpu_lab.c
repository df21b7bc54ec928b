/*
 * See gpu_lab.h.
 */
#include "gpu_lab.h"

#include "gpu/emu.h"
#include "gpu/nvrtc.h"
#include "runtime/backend.h"

#include "cpu/cpu.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { ROUNDS = 9 };

gpu_lab gpu;

double
gpu_now(void)
{
    struct timespec t;

    (void)clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

int
gpu_ascending(const void *x, const void *y)
{
    const double a = *(const double *)x, b = *(const double *)y;

    return a < b ? -1 : a > b;
}

void
gpu_need(int code, const char *what)
{
    const char *text = NULL;

    if (code == 0)
        return;
    (void)gpu.d->error_text(code, &text);
    (void)fprintf(stderr, "%s%s%s: %s (%d)\n", gpu.doing, *gpu.doing ? ": " : "", what,
                  text ? text : "?", code);
    exit(1);
}

void
gpu_open(bool emulated)
{
    sb_diag diag = {SB_OK, ""};
    int device = 0, major = 0, minor = 0;
    sb_cu_ptr context;

    gpu.emulated = emulated;
    sb_backend_set(&sb_cpu_backend); /* whose compiler the emulator uses */
    gpu.d = sb_emu_driver();
    if (!emulated && sb_driver_get(&gpu.d, &diag) != SB_OK) {
        (void)fprintf(stderr, "%s\n", diag.text);
        exit(1);
    }
    gpu_need(gpu.d->device_get(&device, 0), "the device");
    gpu_need(gpu.d->primary_retain(&context, device), "the context");
    gpu_need(gpu.d->context_push(context), "the context");
    gpu_need(gpu.d->device_attribute(&gpu.l2_bytes, SB_CU_L2_BYTES, device), "the L2");
    gpu_need(gpu.d->device_attribute(&gpu.sms, SB_CU_SM_COUNT, device), "the SMs");
    gpu_need(gpu.d->device_attribute(&major, SB_CU_CC_MAJOR, device), "the device");
    gpu_need(gpu.d->device_attribute(&minor, SB_CU_CC_MINOR, device), "the device");
    (void)snprintf(gpu.arch, sizeof gpu.arch, "sm_%d%d", major, minor);
    gpu_need(gpu.d->stream_create(&gpu.stream, SB_CU_STREAM_NON_BLOCKING), "a stream");
    gpu_need(gpu.d->event_create(&gpu.from, 0), "an event");
    gpu_need(gpu.d->event_create(&gpu.to, 0), "an event");
}

void
gpu_close(void)
{
    sb_cu_ptr was;

    (void)gpu.d->event_destroy(gpu.from);
    (void)gpu.d->event_destroy(gpu.to);
    (void)gpu.d->stream_destroy(gpu.stream);
    (void)gpu.d->context_pop(&was);
}

sb_cu_mem
gpu_copy(const void *from, size_t bytes)
{
    sb_cu_mem m;

    gpu_need(gpu.d->alloc(&m, bytes ? bytes : 1), "allocating");
    if (bytes && from)
        gpu_need(gpu.d->upload(m, from, bytes, NULL), "copying");
    gpu_need(gpu.d->stream_wait(NULL), "copying");
    return m;
}

sb_cu_mem
gpu_room(size_t bytes)
{
    return gpu_copy(NULL, bytes);
}

sb_cu_ptr
gpu_kernel(const char *text, const char *name)
{
    sb_cu_ptr module, function = NULL;
    sb_diag diag = {SB_OK, ""};
    sb_strbuf image;

    sb_strbuf_init(&image);
    if (sb_nvrtc_compile(&image, gpu.d, gpu.emulated ? "emu" : gpu.arch, text, &diag) ==
        SB_OK) {
        gpu_need(gpu.d->module_load(&module, image.s), "loading a kernel");
        if (gpu.d->module_function(&function, module, name) != 0)
            function = NULL;
    } else {
        (void)fprintf(stderr, "%s: %s\n", name, diag.text);
    }
    sb_strbuf_free(&image);
    return function;
}

/* ---- time ------------------------------------------------------------------------------------ */

static double
between(int count)
{
    float ms = 0;

    gpu_need(gpu.d->event_record(gpu.to, gpu.stream), "timing");
    gpu_need(gpu.d->event_wait(gpu.to), "a kernel");
    gpu_need(gpu.d->event_elapsed(&ms, gpu.from, gpu.to), "timing");
    return ms * 1e-3 / count;
}

double
gpu_seconds(bool (*call)(void *user), void *user, int count)
{
    double t[ROUNDS];

    for (int r = -1; r < ROUNDS; r++) { /* the first warms up */
        bool fine = true;

        gpu_need(gpu.d->event_record(gpu.from, gpu.stream), "timing");
        for (int q = 0; q < count && fine; q++)
            fine = call(user);
        t[r < 0 ? 0 : r] = between(count);
        if (!fine)
            return -1;
    }
    qsort(t, ROUNDS, sizeof *t, gpu_ascending);
    return t[ROUNDS / 2];
}

/* A graph of so many calls, which is there after a failure too, or NULL. */
static bool
capture(sb_cu_ptr *graph, bool (*call)(void *user), void *user, int count)
{
    bool fine = true;

    *graph = NULL;
    if (gpu.d->capture_begin(gpu.stream, SB_CU_CAPTURE_RELAXED) != 0)
        return false;
    for (int q = 0; q < count && fine; q++)
        fine = call(user);
    fine &= gpu.d->capture_end(gpu.stream, graph) == 0;
    return fine;
}

bool
gpu_captures(bool (*call)(void *user), void *user)
{
    sb_cu_ptr graph;
    const bool fine = capture(&graph, call, user, 1);

    if (graph)
        (void)gpu.d->graph_destroy(graph);
    return fine;
}

double
gpu_replayed(bool (*call)(void *user), void *user, int count)
{
    sb_cu_ptr graph, exec = NULL;
    double t[ROUNDS];
    bool fine = capture(&graph, call, user, count);

    fine = fine && gpu.d->graph_make(&exec, graph, 0) == 0;
    for (int r = -1; r < ROUNDS && fine; r++) {
        gpu_need(gpu.d->event_record(gpu.from, gpu.stream), "timing");
        gpu_need(gpu.d->graph_launch(exec, gpu.stream), "a graph");
        t[r < 0 ? 0 : r] = between(count);
    }
    if (exec)
        (void)gpu.d->graph_exec_destroy(exec);
    if (graph)
        (void)gpu.d->graph_destroy(graph);
    if (!fine)
        return -1;
    qsort(t, ROUNDS, sizeof *t, gpu_ascending);
    return t[ROUNDS / 2];
}
