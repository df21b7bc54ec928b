/*
 * Kernels made in the background (device.h). The thread compiles and writes the file; it
 * needs no context. Whoever asks next loads the image.
 */
#include "gpu/archive.h"
#include "gpu/device.h"
#include "gpu/nvrtc.h"

#include "base/alloc.h"
#include "base/fault.h"
#include "base/log.h"
#include "base/worker.h"

enum { WAITING, READY, OVER };

typedef struct sb_gpu_order {
    sb_job job; /* first */
    struct sb_gpu_order *next;
    sb_gpu *gpu;
    sb_hash key;
    sb_strbuf text, path;
    sb_strbuf image; /* this and state: under the device's lock */
    int state;
} order;

static void
settle(order *o, int state, sb_strbuf *image)
{
    sb_mutex_lock(&o->gpu->lock);
    if (image) {
        o->image = *image;
        sb_strbuf_init(image);
    }
    o->state = state;
    sb_mutex_unlock(&o->gpu->lock);
}

static void
run(sb_job *job)
{
    order *o = (order *)job;
    sb_diag why = {SB_OK, ""};
    sb_strbuf image;
    sb_status st;

    sb_strbuf_init(&image);
    st = sb_nvrtc_compile(&image, o->gpu->driver, o->gpu->arch, o->text.s, &why);
    if (st == SB_OK && o->path.len > 0)
        sb_gpu_keep(o->gpu, &image, o->path.s);
    if (st != SB_OK)
        sb_log(SB_LOG_WARN, "GPU kernel in the background: %s",
               why.text[0] ? why.text : sb_status_text(st));
    settle(o, st == SB_OK ? READY : OVER, st == SB_OK ? &image : NULL);
    sb_strbuf_free(&image);
}

static void
drop(sb_job *job)
{
    settle((order *)job, OVER, NULL);
}

static void
destroy(order *o)
{
    sb_strbuf_free(&o->text);
    sb_strbuf_free(&o->path);
    sb_strbuf_free(&o->image);
    sb_free(o);
}

/* Under the lock. */
static order *
find(const sb_gpu *g, sb_hash key)
{
    order *o = g->orders;

    while (o && !sb_hash_equal(o->key, key))
        o = o->next;
    return o;
}

void
sb_gpu_order_put(sb_gpu *g, const sb_strbuf *text, const char *path)
{
    order *o = sb_alloc_zero(sizeof *o);
    bool known;

    if (!o)
        return;
    o->job = (sb_job){.owner = g, .run = run, .drop = drop};
    o->gpu = g;
    o->key = sb_archive_key(text);
    sb_strbuf_init(&o->text);
    sb_strbuf_init(&o->path);
    sb_strbuf_init(&o->image);
    sb_strbuf_putn(&o->text, text->s, text->len);
    sb_strbuf_puts(&o->path, path);
    if (sb_strbuf_status(&o->text) != SB_OK || sb_strbuf_status(&o->path) != SB_OK) {
        destroy(o);
        return;
    }
    sb_mutex_lock(&g->lock);
    known = find(g, o->key) != NULL;
    if (!known) {
        o->next = g->orders;
        g->orders = o;
    }
    sb_mutex_unlock(&g->lock);
    if (known)
        destroy(o);
    else if (!sb_worker_put(&o->job))
        settle(o, OVER, NULL);
}

sb_status
sb_gpu_order_take(sb_strbuf *out, sb_gpu *g, sb_hash key, bool wait)
{
    sb_status st = SB_SKIP;
    order *o;

    sb_mutex_lock(&g->lock);
    o = find(g, key);
    if (o && o->state == WAITING && wait) {
        sb_mutex_unlock(&g->lock);
        sb_worker_wait(g);
        sb_mutex_lock(&g->lock);
    }
    if (o && o->state == READY) { /* lives as long as the device */
        sb_strbuf_putn(out, o->image.s, o->image.len);
        st = sb_strbuf_status(out);
    }
    sb_mutex_unlock(&g->lock);
    return st;
}

void
sb_gpu_drop_orders(sb_gpu *g)
{
    if (!SB_FAULT(GPU_ORDER))
        sb_worker_end(g);
    while (g->orders) {
        order *o = g->orders;

        g->orders = o->next;
        destroy(o);
    }
}
