/*
 * How the runtime, which knows only source text, gets the source of a spec.
 */
#include "kernels/spec.h"
#include "planner/context.h"

sb_status
sb_planner_maker(sb_kernel_source *out, const char *spec)
{
    sb_strbuf body;
    sb_status st;

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
