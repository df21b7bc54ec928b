/*
 * How the runtime, which knows only source text, gets the source of a spec.
 */
#include "base/log.h"
#include "kernels/spec.h"
#include "planner/context.h"

static sb_status
make(sb_kernel_source *out, const char *spec, const void *user)
{
    sb_strbuf body;
    sb_status st;

    (void)user;
    sb_strbuf_init(&body);
    st = sb_spec_emit(&body, &out->signature, &out->key, spec, NULL);
    if (st == SB_OK) {
        sb_strbuf_puts(&out->text, sb_emit_prelude());
        sb_strbuf_putn(&out->text, body.s, body.len);
        st = sb_strbuf_status(&out->text);
    }
    if (st == SB_OK)
        st = sb_strbuf_status(&out->signature);
    if (st == SB_OK)
        st = sb_strbuf_status(&body);
    sb_strbuf_free(&body);
    return st;
}

static sb_status
make_gpu(sb_kernel_source *out, const char *spec, const void *user)
{
    sb_diag why = {SB_OK, ""};
    sb_status st;

    (void)user;
    st = sb_spec_emit_gpu(&out->text, &out->signature, &out->key, &out->shape, spec,
                          &why);
    if (st != SB_OK && why.text[0]) /* which a maker cannot hand back */
        sb_log(SB_LOG_WARN, "\"%s\" cannot be had on a GPU: %s", spec, why.text);
    return st == SB_OK ? sb_strbuf_status(&out->text) : st;
}

const sb_kernel_maker sb_planner_maker = {make, NULL};
const sb_kernel_maker sb_planner_gpu_maker = {make_gpu, NULL};
