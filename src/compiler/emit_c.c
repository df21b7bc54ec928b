/*
 * The C text of a kernel: comment, include, one function that unpacks its arguments and
 * then says the program's body. See spblas_kernel.h for what it may call.
 */
#include "compiler/compiler.h"
#include "compiler/emit.h"

#include <stdio.h>
#include <string.h>

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
    case SB_C16:
    case SB_CBF16:
        sb_strbuf_printf(out, " = sbk_cvt_c32_%s(sbk_mk_c32(%s.f[0], %s.f[1]));\n",
                         sb_dtype_name(v->type), from, from);
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

/* The usual value of parameter q, NULL when it has none or is not used. */
static const sb_emit_usual *
usual_of(const sb_emit *cx, int q)
{
    const sb_var *v = cx->prog->param[q];
    const bool plain = v->type == SB_I64 || v->type == SB_F32 || v->type == SB_F64;

    for (int u = 0; u < cx->nusual; u++)
        if (plain && cx->usual[u].below == 0 &&
            strcmp(v->name, cx->usual[u].param) == 0)
            return sb_emit_is_used(cx, v) ? &cx->usual[u] : NULL;
    return NULL;
}

static bool
is_ranged(const sb_emit *cx)
{
    for (int u = 0; u < cx->nusual; u++)
        if (cx->usual[u].below > 0)
            return true;
    return false;
}

/* Parameter q as it is given, or its usual value. */
static void
argument(sb_emit *cx, int q, bool given)
{
    const sb_dtype type = (sb_dtype)cx->prog->param[q]->type;
    const char *member = type == SB_F32   ? "f[0]"
                         : type == SB_F64 ? "d[0]"
                                          : "i",
               *suffix = type == SB_F32   ? ".0f"
                         : type == SB_F64 ? ".0"
                                          : "";

    if (given)
        sb_strbuf_printf(cx->out, "param[%d].%s", q, member);
    else
        sb_strbuf_printf(cx->out, "%lld%s", (long long)usual_of(cx, q)->value, suffix);
}

/* One of a copy that is for parameters within bounds. */
static void
either_param(sb_emit *cx, int q)
{
    sb_strbuf_printf(cx->out, "    const %s ",
                     sb_emit_ctype((sb_dtype)cx->prog->param[q]->type));
    sb_emit_var(cx, cx->prog->param[q]);
    sb_strbuf_puts(cx->out, " = ");
    if (cx->cut) {
        sb_strbuf_puts(cx->out, "usual_ ? ");
        argument(cx, q, false);
        sb_strbuf_puts(cx->out, " : ");
    }
    argument(cx, q, !cx->within);
    sb_strbuf_puts(cx->out, ";\n");
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
        if (sb_emit_is_used(cx, p->param[q]) && !usual_of(cx, q)) {
            scalar_param(cx, p->param[q], q);
            ++*nparam;
        } else if (usual_of(cx, q) && is_ranged(cx)) {
            either_param(cx, q);
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

#define ARGS "void *const *buf, const sb_kparam *param, int64_t t0, int64_t t1"

static void
body(sb_emit *cx)
{
    unpack(cx);
    sb_emit_flow_state(cx);
    cx->indent = 1;
    sb_emit_body(cx, cx->prog->body);
    if (cx->streams)
        sb_strbuf_puts(cx->out, "    SBK_FENCE();\n");
    sb_strbuf_puts(cx->out, "}\n");
}

/* Which of the parameters with usual values are known to have them. */
typedef enum known { GIVEN, SIZES, MOST, ALL } known;

static bool
is_known(const sb_emit *cx, int q, known k)
{
    const sb_emit_usual *u = usual_of(cx, q);

    return u && (k == ALL ||
                 (!u->either &&
                  (k == MOST || (k == SIZES && cx->prog->param[q]->type == SB_I64))));
}

static int
count_known(const sb_emit *cx, known k)
{
    int n = 0;

    for (int q = 0; q < cx->prog->nparam; q++)
        n += is_known(cx, q, k);
    return n;
}

/* Whether parameters lie where they usually do. */
static void
within(sb_emit *cx)
{
    const char *before = "";

    for (int u = 0; u < cx->nusual; u++)
        for (int q = 0; q < cx->prog->nparam; q++)
            if (cx->usual[u].below > 0 &&
                strcmp(cx->prog->param[q]->name, cx->usual[u].param) == 0) {
                sb_strbuf_printf(cx->out, "%sparam[%d].i > %lld && param[%d].i < %lld",
                                 before, q, (long long)cx->usual[u].value, q,
                                 (long long)cx->usual[u].below);
                before = " && ";
            }
}

/* Whether parameters have the values they usually have, after `before` and " && " each: unless told
 * to expect that, a compiler takes each test for even odds and aligns no loop behind seven. */
static void
tests(sb_emit *cx, const char *before, known k)
{
    for (int q = 0; q < cx->prog->nparam; q++)
        if (is_known(cx, q, k)) {
            sb_strbuf_printf(cx->out, "%s__builtin_expect(", before);
            argument(cx, q, true);
            sb_strbuf_puts(cx->out, " == ");
            argument(cx, q, false);
            sb_strbuf_puts(cx->out, ", 1)");
            before = " && ";
        }
}

/* if (what is known is so) call with it; the last call is for the rest. */
static void
one_way(sb_emit *cx, const char *symbol, known k)
{
    tests(cx, "    if (", k);
    sb_strbuf_printf(cx->out, "%s        %s_for(buf, param, t0, t1",
                     k == GIVEN ? "" : ")\n", symbol);
    for (int q = 0; q < cx->prog->nparam; q++)
        if (usual_of(cx, q)) {
            sb_strbuf_puts(cx->out, ", ");
            argument(cx, q, !is_known(cx, q, k));
        }
    sb_strbuf_puts(cx->out, k == GIVEN ? ");\n" : ");\n    else\n");
}

/* The body as a function with parameters more, and who calls it with constants or not. */
static void
ways(sb_emit *cx, const char *symbol)
{
    const int sizes = count_known(cx, SIZES), most = count_known(cx, MOST),
              all = count_known(cx, ALL);
    sb_strbuf *out = cx->out;

    sb_strbuf_printf(out, "SBK_FN void\n%s_for(" ARGS, symbol);
    for (int q = 0; q < cx->prog->nparam; q++)
        if (usual_of(cx, q)) {
            sb_strbuf_printf(out, ", const %s ",
                             sb_emit_ctype((sb_dtype)cx->prog->param[q]->type));
            sb_emit_var(cx, cx->prog->param[q]);
        }
    sb_strbuf_puts(out, ")\n{\n");
    body(cx);
    sb_strbuf_printf(out, "\nvoid %s(" ARGS ");\n\nvoid\n%s(" ARGS ")\n{\n", symbol,
                     symbol);
    if (all > most)
        one_way(cx, symbol, ALL);
    if (most > sizes)
        one_way(cx, symbol, MOST);
    if (sizes > 0)
        one_way(cx, symbol, SIZES);
    one_way(cx, symbol, GIVEN);
    sb_strbuf_puts(out, "}\n");
}

static void
body_within(sb_emit *cx)
{
    for (int u = 0; u < cx->nusual; u++)
        cx->bytes = cx->usual[u].below > 0 ? cx->usual[u].bytes : cx->bytes;
    cx->within = true;
    body(cx);
    cx->within = false;
    cx->bytes = 0;
}

/* A copy for parameters within bounds, and the body as it is without copies. */
static void
ways_within(sb_emit *cx, const char *symbol)
{
    sb_strbuf *out = cx->out;

    sb_strbuf_printf(out, "void %s(" ARGS ");\n\nSBK_FN void\n%s_within(" ARGS ")\n{\n",
                     symbol, symbol);
    body_within(cx);
    sb_strbuf_printf(out, "\nvoid\n%s(" ARGS ")\n{\n    if (", symbol);
    within(cx);
    tests(cx, " && ", ALL);
    sb_strbuf_printf(
        out, ") {\n        %s_within(buf, param, t0, t1);\n        return;\n    }\n",
        symbol);
    body(cx);
}

/* The usual value of a parameter that copies are made of for each number of vectors. */
static const sb_emit_usual *
cut_usual(const sb_emit *cx)
{
    for (int u = 0; u < cx->nusual; u++)
        if (cx->usual[u].cut)
            return &cx->usual[u];
    return NULL;
}

/* A copy by constants that SBK_CUTS gives, and the body as it is without copies. */
static void
ways_cut(sb_emit *cx, const char *symbol, const sb_emit_usual *n)
{
    const sb_emit_loop *l = NULL;
    sb_strbuf *out = cx->out;
    int at = 0;

    for (int q = 0; q < cx->nloop; q++)
        l = cx->loop[q].vector && cx->loop[q].masked ? &cx->loop[q] : l;
    while (at < cx->prog->nparam && strcmp(cx->prog->param[at]->name, n->param) != 0)
        at++;
    if (!l || at == cx->prog->nparam) {
        (void)sb_emit_fail(cx, "no lanes that may be missing by that parameter");
        return;
    }
    sb_strbuf_printf(out,
                     "void %s(" ARGS ");\n\nSBK_FN void\n%s_cut(" ARGS
                     ", const int w_, const int tail_, const int usual_)\n{\n    "
                     "(void)w_, (void)tail_, (void)usual_;\n",
                     symbol, symbol);
    cx->cut = true;
    cx->bytes = n->bytes;
    body(cx);
    sb_strbuf_printf(out, "\nvoid\n%s(" ARGS ")\n{\n", symbol);
    for (int known = count_known(cx, ALL) > 0; known >= 0; known--) {
        if (known) {
            tests(cx, "    if (", ALL);
            sb_strbuf_puts(out, ") {\n");
        }
        sb_strbuf_printf(out, "    SBK_CUTS(%s_cut, param[%d].i, %lld, ", symbol, at,
                         (long long)n->below);
        sb_emit_lanes(cx, l->cls);
        sb_strbuf_printf(out, ", %d, %d)\n", l->cls.bytes, known);
        if (known)
            sb_strbuf_puts(out, "    }\n");
    }
    cx->cut = false;
    cx->bytes = 0;
    body(cx);
}

static void
function(sb_emit *cx, const char *symbol)
{
    if (cut_usual(cx)) {
        ways_cut(cx, symbol, cut_usual(cx));
        return;
    }
    if (is_ranged(cx)) {
        ways_within(cx, symbol);
        return;
    }
    if (count_known(cx, ALL) > 0) {
        ways(cx, symbol);
        return;
    }
    sb_strbuf_printf(cx->out, "void %s(" ARGS ");\n\nvoid\n%s(" ARGS ")\n{\n", symbol,
                     symbol);
    body(cx);
}

sb_status
sb_emit_c(sb_strbuf *out, const sb_prog *p, const char *symbol, const char *key)
{
    return sb_emit_c_usual(out, p, symbol, key, NULL, 0);
}

sb_status
sb_emit_c_usual(sb_strbuf *out, const sb_prog *p, const char *symbol, const char *key,
                const sb_emit_usual *usual, int n)
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
        cx->usual = usual;
        cx->nusual = n;
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
