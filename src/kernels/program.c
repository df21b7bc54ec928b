/*
 * A spec's program: text of operation, rule and schedule through the passes. Which kind
 * does what is the recipes' business; here is only the order of the steps.
 */
#include "kernels/ops.h"
#include "kernels/recipe.h"
#include "kernels/sample.h"
#include "kernels/schedule.h"

const sb_recipe *
sb_recipe_get(int kind)
{
    static const sb_recipe *const recipes[] = {
#define X(name, text, doc) &sb_recipe_##name,
#include "kernels/registry.def"
#undef X
    };

    return recipes[kind];
}

static sb_status
parse(const sb_prog **out, sb_ir *ir, const sb_strbuf *text)
{
    const sb_status st = sb_strbuf_status(text);

    return st == SB_OK ? sb_prog_parse(out, ir, text->s, text->len) : st;
}

/* Stage I, rewritten by the rule. */
static sb_status
rewrite(const sb_prog **out, sb_ir *ir, const sb_spec *s, const sb_recipe *r)
{
    sb_strbuf text;
    const sb_prog *p = NULL;
    sb_status st;

    sb_strbuf_init(&text);
    sb_ops_stage1(&text, s);
    st = parse(&p, ir, &text);
    if (st == SB_OK && r->rule) {
        sb_strbuf_clear(&text);
        r->rule(&text, s);
        st = sb_strbuf_status(&text);
        if (st == SB_OK)
            st = sb_pass_decompose(&p, ir, p, text.s, false);
    }
    sb_strbuf_free(&text);
    *out = p;
    return st;
}

sb_status
sb_spec_source(const sb_prog **out, sb_ir *ir, const sb_spec *s, int kind)
{
    const sb_recipe *r = sb_recipe_get(kind);
    void (*const program)(sb_strbuf *, const sb_spec *) =
        sb_sample_grouped(s) ? r->sample : r->program;
    sb_strbuf text;
    sb_status st;

    if (!program)
        return rewrite(out, ir, s, r);
    sb_strbuf_init(&text);
    program(&text, s);
    st = parse(out, ir, &text);
    sb_strbuf_free(&text);
    return st;
}

sb_status
sb_spec_schedule(sb_strbuf *out, const sb_spec *s, int kind)
{
    const sb_recipe *r = sb_recipe_get(kind);

    (sb_sample_grouped(s) ? sb_sample_schedule : r->schedule)(out, s);
    if (s->lanes > 0)
        sb_schedule_gpu(out, s, r->unit[s->op], r->ordered >> s->op & 1U, r->column);
    return sb_strbuf_status(out);
}

/* What sb_pipeline_run does, from stage II on. */
static sb_status
lower_loops(const sb_prog **out, sb_ir *ir, const sb_prog *p, const char *schedule)
{
    sb_status st = sb_prog_verify(p, ir->diag);

    if (st == SB_OK)
        st = sb_schedule_apply(&p, ir, p, schedule);
    if (st == SB_OK)
        st = sb_pass_lower_buf(&p, ir, p);
    if (st == SB_OK)
        st = sb_pass_hoist(&p, ir, p);
    if (st == SB_OK)
        st = sb_pass_narrow(&p, ir, p);
    if (st == SB_OK)
        st = sb_prog_verify(p, ir->diag);
    *out = p;
    return st;
}

sb_status
sb_spec_lowered(const sb_prog **out, sb_ir *ir, const sb_spec *s, int kind)
{
    const sb_prog *source = NULL;
    sb_strbuf schedule;
    sb_status st = sb_spec_check(s, ir->diag);

    if (st != SB_OK)
        return st;
    sb_strbuf_init(&schedule);
    st = sb_spec_schedule(&schedule, s, kind);
    if (st == SB_OK)
        st = sb_spec_source(&source, ir, s, kind);
    if (st == SB_OK)
        st = source->stage == 1
                 ? sb_pipeline_run(out, ir, source, schedule.s, NULL, NULL)
                 : lower_loops(out, ir, source, schedule.s);
    sb_strbuf_free(&schedule);
    return st;
}

sb_status
sb_spec_program(const sb_prog **out, sb_ir *ir, const sb_spec *s)
{
    const sb_prog *part[SB_KIND_COUNT] = {NULL};
    sb_status st = SB_OK;
    int n = 0;

    for (int q = 0; q < SB_KIND_COUNT && st == SB_OK; q++)
        if (s->kinds >> q & 1U)
            st = sb_spec_lowered(&part[n++], ir, s, q);
    if (st != SB_OK)
        return st;
    return s->even ? sb_pass_even(out, ir, "kernel", part[0])
                   : sb_pass_fuse(out, ir, "kernel", n, part);
}
