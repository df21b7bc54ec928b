/*
 * The program's text goes to the kernel cache under its hash; without a kernel its names
 * are bound as the kernel's would be.
 */
#include "planner/coded.h"

#include "kernels/lower.h"

#include <stdio.h>

static sb_status
make_source(sb_kernel_source *out, const char *spec, const void *user)
{
    sb_strbuf body;
    sb_status st;

    sb_strbuf_init(&body);
    st = sb_lower_emit(&body, &out->signature, &out->key, user, spec);
    if (st == SB_OK) {
        sb_strbuf_puts(&out->text, sb_emit_prelude());
        sb_strbuf_putn(&out->text, body.s, body.len);
        st = sb_strbuf_status(&out->text);
    }
    sb_strbuf_free(&body);
    return st;
}

sb_status
sb_coded_make(sb_coded *out, sb_arena *ar, const sb_prog *prog, const char *label,
              sb_kernel_effort effort)
{
    sb_strbuf signature;
    char hex[33];
    sb_status st;
    sb_hash h;

    *out = (sb_coded){.prog = prog};
    SB_TRY(sb_prog_hash(&h, prog));
    sb_hash_text(h, hex);
    (void)snprintf(out->spec, sizeof out->spec, "%s %s", label, hex);
    sb_strbuf_init(&signature);
    sb_lower_signature(&signature, prog);
    out->signature = sb_arena_strndup(ar, signature.s, signature.len);
    sb_strbuf_free(&signature);
    if (!out->signature)
        return SB_ENOMEM;
    st = sb_kernel_get(&out->kernel, out->spec, (sb_kernel_maker){make_source, prog},
                       effort);
    return st == SB_ENOKERNEL ? SB_OK : st;
}

static sb_status
interpret(const sb_coded *c, const sb_launch *l, const sb_problem *pb, int64_t member,
          sb_diag *diag)
{
    const sb_step *step = &l->step[0];
    sb_value param[SB_BIND_MAX];
    sb_arg buf[SB_BIND_MAX];
    const sb_interp_args args = {param, buf};
    sb_binding b;

    SB_TRY(sb_launch_bind(&b, l, pb, c->spec, c->signature, 0, member, diag));
    for (int q = 0; q < b.nparam; q++)
        param[q] = sb_value_load(c->prog->param[q]->type, &b.param[q], 0);
    for (int q = 0; q < b.nbuf; q++)
        buf[q] = (sb_arg){b.buf[q], INT64_MAX};
    param[b.nparam - 2] = (sb_value){(double)step->tile_lo, 0};
    param[b.nparam - 1] = (sb_value){(double)step->tile_hi, 0};
    return sb_interp(c->prog, &args, diag);
}

sb_status
sb_coded_run(const sb_coded *c, const sb_launch *l, const sb_problem *pb, sb_diag *diag)
{
    const int64_t batch = pb->batch > 1 ? pb->batch : 1;

    if (c->kernel)
        return sb_launch_run(l, pb, diag);
    for (int64_t q = 0; q < batch; q++)
        SB_TRY(interpret(c, l, pb, q, diag));
    return SB_OK;
}
