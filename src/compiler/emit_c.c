/*
 * The C text of a kernel: comment, include, one function that unpacks its arguments and
 * then says the program's body. See spblas_kernel.h for what it may call.
 */
#include "compiler/compiler.h"
#include "compiler/emit.h"

#include <stdio.h>
#include <string.h>

const char *
sb_emit_version(void)
{
    return "1";
}

sb_status
sb_emit_fail(sb_emit *cx, const char *why)
{
    if (cx->st == SB_OK)
        cx->st = sb_diag_set(cx->diag, SB_ENOTSUP, "cannot emit @%s: %s",
                             cx->prog->name, why);
    return cx->st;
}

void
sb_emit_comment(sb_strbuf *out, const char *key)
{
    sb_strbuf_puts(out, "/* ");
    for (const char *s = key; *s; s++)
        if (!(s[0] == '*' && s[1] == '/'))
            sb_strbuf_putc(out, *s);
    sb_strbuf_puts(out, " */\n");
}

/* The bit of sbg_args.far that says whether a parameter is an address; 0: it never is. */
static int
far_bit(const sb_emit *cx, const sb_var *v)
{
    const bool known = v->type == SB_I32 || v->type == SB_F32 || v->type == SB_F64 ||
                       v->type == SB_C32 || v->type == SB_C64;

    return !cx->simt || !known             ? 0
           : strcmp(v->name, "alpha") == 0 ? 1
           : strcmp(v->name, "beta") == 0  ? 2
                                           : 0;
}

static void
scalar_param(sb_emit *cx, const sb_var *v, int at)
{
    const int far = far_bit(cx, v);
    sb_strbuf *out = cx->out;
    char from[32];

    if (far)
        (void)snprintf(from, sizeof from, "%s_", v->name);
    else
        (void)snprintf(from, sizeof from, cx->simt ? "args.param[%d]" : "param[%d]",
                       at);
    if (far)
        sb_strbuf_printf(out,
                         "    const sb_kparam %s = "
                         "sbg_scalar_%s(args.param[%d], args.far & %d);\n",
                         from, sb_dtype_name((sb_dtype)v->type), at, far);
    sb_strbuf_printf(out, "    const %s ", sb_emit_ctype(v->type));
    sb_emit_var(cx, v);
    switch (v->type) {
    case SB_F32:
        sb_strbuf_printf(out, " = %s.f[0];\n", from);
        break;
    case SB_F64:
        sb_strbuf_printf(out, " = %s.d[0];\n", from);
        break;
    case SB_C32:
        sb_strbuf_printf(out, " = sbk_mk_c32(%s.f[0], %s.f[1]);\n", from, from);
        break;
    case SB_C64:
        sb_strbuf_printf(out, " = sbk_mk_c64(%s.d[0], %s.d[1]);\n", from, from);
        break;
    case SB_F16:
    case SB_BF16:
        sb_strbuf_printf(out, " = sbk_cvt_f32_%s(%s.f[0]);\n", sb_dtype_name(v->type),
                         from);
        break;
    case SB_I64:
        sb_strbuf_printf(out, " = %s.i;\n", from);
        break;
    default:
        sb_strbuf_printf(out, " = (%s)%s.i32;\n", sb_emit_ctype(v->type), from);
        break;
    }
}

static void
buffer_param(sb_emit *cx, const sb_buf *b, int at)
{
    const bool read_only = b->role == SB_BUF_IN || b->role == SB_BUF_AUX;
    const char *as = read_only ? "const " : "", *type = sb_emit_ctype(b->type);

    sb_strbuf_printf(cx->out, "    %s%s *restrict ", as, type);
    sb_emit_buf(cx, b);
    if (cx->simt)
        sb_strbuf_printf(cx->out, " = (%s%s *)args.buf[%d];\n", as, type, at);
    else
        sb_strbuf_printf(cx->out, " = buf[%d];\n", at);
}

void
sb_emit_unpack(sb_emit *cx, int *nparam, int *nbuf)
{
    const sb_prog *p = cx->prog;

    *nparam = *nbuf = 0;
    for (int q = 0; q < p->nbuf; q++)
        if (sb_emit_is_used(cx, p->buf[q])) {
            buffer_param(cx, p->buf[q], q);
            ++*nbuf;
        }
    for (int q = 0; q < p->nparam - (cx->tiled ? 2 : 0); q++)
        if (sb_emit_is_used(cx, p->param[q])) {
            scalar_param(cx, p->param[q], q);
            ++*nparam;
        }
}

static void
unpack(sb_emit *cx)
{
    const sb_prog *p = cx->prog;
    int nparam, nbuf;

    sb_emit_unpack(cx, &nparam, &nbuf);
    sb_strbuf_puts(cx->out, nbuf == 0 ? "    (void)buf;\n" : "");
    sb_strbuf_puts(cx->out, nparam == 0 ? "    (void)param;\n" : "");
    if (!cx->tiled || !sb_emit_is_used(cx, p->param[p->nparam - 2]))
        sb_strbuf_puts(cx->out, "    (void)t0;\n");
    if (!cx->tiled || !sb_emit_is_used(cx, p->param[p->nparam - 1]))
        sb_strbuf_puts(cx->out, "    (void)t1;\n");
    sb_strbuf_puts(cx->out, "\n");
}

bool
sb_emit_is_tiled(const sb_prog *p)
{
    const sb_var *a = p->nparam >= 2 ? p->param[p->nparam - 2] : NULL;
    const sb_var *b = p->nparam >= 2 ? p->param[p->nparam - 1] : NULL;

    return a && strcmp(a->name, "t0") == 0 && strcmp(b->name, "t1") == 0 &&
           a->type == SB_I64 && b->type == SB_I64;
}

static void
function(sb_emit *cx, const char *symbol)
{
    static const char args[] =
        "(void *const *buf, const sb_kparam *param, int64_t t0, int64_t t1)";

    sb_strbuf_printf(cx->out, "void %s%s;\n\nvoid\n%s%s\n{\n", symbol, args, symbol,
                     args);
    unpack(cx);
    cx->indent = 1;
    sb_emit_body(cx, cx->prog->body);
    if (cx->streams)
        sb_strbuf_puts(cx->out, "    SBK_FENCE();\n");
    sb_strbuf_puts(cx->out, "}\n");
}

sb_status
sb_emit_c(sb_strbuf *out, const sb_prog *p, const char *symbol, const char *key)
{
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
        cx->width = 16;
        cx->tiled = sb_emit_is_tiled(p);
        sb_emit_mark_uses(cx);
        if (cx->st == SB_OK)
            sb_emit_scan(cx);
        if (cx->st == SB_OK) {
            if (key)
                sb_emit_comment(out, key);
            sb_strbuf_puts(out,
                           "#ifndef SPBLAS_KERNEL_H\n#include \"spblas_kernel.h\"\n"
                           "#endif\n\n");
            function(cx, symbol);
        }
        st = cx->st == SB_OK ? sb_strbuf_status(out) : cx->st;
    }
    sb_arena_free(&arena);
    return st;
}
