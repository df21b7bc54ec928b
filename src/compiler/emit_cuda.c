/*
 * The CUDA text of a kernel: sizes of its argument, prelude, one function that unpacks
 * it, finds its place in the block and says the program's body.
 */
#include "compiler/compiler.h"
#include "compiler/emit_simt.h"

static void
head(sb_emit *cx, const char *key, const char *prelude)
{
    const sb_prog *p = cx->prog;
    const int nparam = p->nparam - (cx->tiled ? 2 : 0);

    if (key)
        sb_emit_comment(cx->out, key);
    sb_strbuf_printf(cx->out, "#define SBG_MAX_PARAM %d\n#define SBG_MAX_BUF %d\n",
                     nparam > 0 ? nparam : 1, p->nbuf > 0 ? p->nbuf : 1);
    if (cx->simt->resident)
        sb_strbuf_printf(cx->out, "#define SBG_RESIDENT %d\n", cx->simt->resident);
    if (cx->simt->nshared > 0)
        sb_strbuf_printf(cx->out, "#define SBG_SHARED_BYTES %d\n",
                         (int)cx->simt->shared_at[cx->simt->nshared]);
    sb_strbuf_puts(cx->out, prelude ? prelude : "#include \"spblas_gpu.h\"\n");
}

/* What the program does, in a function of its own or the kernel itself. */
static void
body(sb_emit *cx)
{
    const sb_emit_simt *s = cx->simt;
    int nparam, nbuf;

    sb_simt_shared_arrays(cx);
    sb_emit_unpack(cx, &nparam, &nbuf);
    if (cx->tiled)
        sb_strbuf_puts(cx->out, "    const int64_t t0 = args.t0, t1 = args.t1;\n");
    sb_strbuf_printf(cx->out,
                     "    const int x_ = SBG_TID %% %d, y_ = SBG_TID / %d;\n"
                     "    (void)x_, (void)y_;\n\n",
                     s->lanes, s->lanes);
    cx->indent = 1;
    sb_emit_body(cx, cx->prog->body);
    sb_strbuf_puts(cx->out, "}\n");
}

/* The body is written first: only then it is known what it asks of the arrays. If nothing,
 * it is written again without. */
static void
function(sb_emit *cx, const char *symbol)
{
    sb_strbuf *const out = cx->out;
    sb_strbuf text;

    sb_strbuf_init(&text);
    cx->out = &text;
    cx->simt->vectors = true;
    body(cx);
    if (cx->simt->fit.nbuf == 0) {
        sb_strbuf_clear(&text);
        cx->simt->vectors = false;
        body(cx);
    }
    cx->out = out;
    if (!cx->simt->vectors) {
        sb_strbuf_printf(out, "\nSBG_KERNEL(%s, %d)(SBG_ARGS args)\n{\n", symbol,
                         cx->simt->threads);
        sb_strbuf_putn(out, text.s, text.len);
    } else {
        sb_strbuf_printf(
            out, "\nSBK_FN void\n%s_for(SBG_ARGS args, const int fit_)\n{\n", symbol);
        sb_strbuf_putn(out, text.s, text.len);
        sb_strbuf_printf(out, "\nSBG_KERNEL(%s, %d)(SBG_ARGS args)\n{\n", symbol,
                         cx->simt->threads);
        sb_simt_ask(cx);
        sb_strbuf_printf(out,
                         "    if (fit)\n        %s_for(args, 1);\n"
                         "    else\n        %s_for(args, 0);\n}\n",
                         symbol, symbol);
    }
    if (sb_strbuf_status(&text) != SB_OK)
        cx->st = sb_strbuf_status(&text);
    sb_strbuf_free(&text);
}

sb_status
sb_emit_cuda(sb_strbuf *out, const sb_prog *p, const char *symbol, const char *key,
             const char *prelude)
{
    sb_emit_simt simt = {0};
    sb_emit *cx;
    sb_arena arena;
    sb_ir ir;
    sb_status st = SB_ENOMEM;

    if (p->stage != 3)
        return SB_EINVAL;
    sb_arena_init(&arena);
    cx = sb_arena_alloc_zero(&arena, sizeof *cx);
    if (cx) {
        sb_ir_init(&ir, &arena, NULL);
        cx->ir = &ir;
        cx->out = out;
        cx->prog = p;
        cx->simt = &simt;
        cx->tiled = sb_emit_is_tiled(p);
        sb_emit_mark_uses(cx);
        if (cx->st == SB_OK)
            sb_simt_scan(cx);
        if (cx->st == SB_OK) {
            head(cx, key, prelude);
            function(cx, symbol);
        }
        st = cx->st == SB_OK ? sb_strbuf_status(out) : cx->st;
    }
    sb_arena_free(&arena);
    return st;
}
