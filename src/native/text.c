/*
 * See text.h. A text is C11 and CUDA C, behind the names of the emitted kernels' prelude and
 * of head.inc; types and arithmetic are macros in front of it.
 */
#include "native/text.h"

#include "base/dtype.h"
#include "base/macro.h"
#include "compiler/compiler.h"

#include <string.h>

enum { WORDS = 6 };

typedef struct text {
    const char *op;
    const char *(*text)(void);
    int params, bufs;
} text;

static const text texts[] = {
    {"scan", sb_native_text_scan, 3, 3},
    {"gather", sb_native_text_vector, 8, 7},
    {"scatter", sb_native_text_vector, 8, 7},
    {"scale", sb_native_text_vector, 8, 7},
    {"axpy", sb_native_text_vector, 8, 7},
    {"rot", sb_native_text_vector, 8, 7},
    {"dot", sb_native_text_vector, 8, 7},
    {"sum", sb_native_text_vector, 8, 7},
    {"clear", sb_native_text_dense, 12, 5},
    {"place", sb_native_text_dense, 12, 5},
    {"list", sb_native_text_dense, 12, 5},
    {"count", sb_native_text_dense, 12, 5},
    {"fill", sb_native_text_dense, 12, 5},
    {"solve", sb_native_text_tri, 10, 9},
    {"chain", sb_native_text_tri, 10, 9},
    {"pack", sb_native_text_tri, 10, 9},
    {"diagonal", sb_native_text_tri, 10, 9},
    {"products", sb_native_text_spgemm, 10, 14},
    {"entries", sb_native_text_spgemm, 10, 14},
    {"columns", sb_native_text_spgemm, 10, 14},
    {"values", sb_native_text_spgemm, 10, 14},
    {"offsets", sb_native_text_spgemm, 10, 14},
    {"keep", sb_native_text_spgemm, 10, 14},
    {"joint", sb_native_text_geam, 7, 12},
    {"add", sb_native_text_geam, 7, 12},
    {"digits", sb_native_text_order, 4, 5},
    {"spread", sb_native_text_order, 4, 5},
    {"rows", sb_native_text_order, 4, 5},
    {"bounds", sb_native_text_order, 4, 5},
    {"identity", sb_native_text_order, 4, 5},
    {"copy", sb_native_text_order, 4, 5},
};

/* ---- names ---------------------------------------------------------------------------- */

typedef struct word {
    const char *s;
    size_t n;
} word;

static bool
split(word out[WORDS], const char *spec)
{
    int n = 0;

    for (const char *at = spec; *at && n < WORDS; n++) {
        out[n] = (word){at, strcspn(at, " ")};
        at += out[n].n;
        at += *at == ' ';
        if (n == WORDS - 1 && *at)
            return false;
    }
    return n == WORDS && out[0].n == 6 && memcmp(out[0].s, "native", 6) == 0;
}

static const text *
text_of(word op)
{
    for (int q = 0; q < SB_COUNT(texts); q++)
        if (strlen(texts[q].op) == op.n && memcmp(texts[q].op, op.s, op.n) == 0)
            return &texts[q];
    return NULL;
}

/* ---- types ---------------------------------------------------------------------------- */

static const char *
c_name(sb_dtype t)
{
    static const char *const names[SB_DTYPE_COUNT] = {
        [SB_I8] = "int8_t",   [SB_I32] = "int32_t",   [SB_I64] = "int64_t",
        [SB_F16] = "sbk_f16", [SB_BF16] = "sbk_bf16", [SB_F32] = "float",
        [SB_F64] = "double",  [SB_C32] = "sbk_c32",   [SB_C64] = "sbk_c64"};

    return t < SB_DTYPE_COUNT ? names[t] : NULL;
}

static bool
put_type(sb_strbuf *out, const char *name, word w)
{
    const sb_dtype t = sb_dtype_parse(w.s, w.n);

    if (w.n == 1 && *w.s == '-')
        return true;
    if (!c_name(t))
        return false;
    sb_strbuf_printf(out, "typedef %s %s;\n", c_name(t), name);
    if (*name == 'I')
        sb_strbuf_printf(out, "#define native_swap native_swap_%s\n", sb_dtype_name(t));
    return true;
}

/* LOAD and STORE, between what is stored and what is computed with. */
static void
put_moves(sb_strbuf *out, sb_dtype e, sb_dtype c)
{
    if (e == c)
        sb_strbuf_puts(out, "#define LOAD(v) (v)\n#define STORE(v) (v)\n");
    else if (sb_dtype_is_int(e))
        sb_strbuf_printf(
            out, "#define LOAD(v) ((C)(v))\n#define STORE(v) NATIVE_CLIP(v, %s)\n",
            e == SB_I8 ? "127" : "0x7fffffffll");
    else
        sb_strbuf_printf(out,
                         "#define LOAD(v) sbk_cvt_%s_%s(v)\n"
                         "#define STORE(v) sbk_cvt_%s_%s(v)\n",
                         sb_dtype_name(e), sb_dtype_name(c), sb_dtype_name(c),
                         sb_dtype_name(e));
}

static void
put_arithmetic(sb_strbuf *out, sb_dtype c)
{
    static const char real[] = "#define ADD(a, b) ((a) + (b))\n"
                               "#define SUB(a, b) ((a) - (b))\n"
                               "#define MUL(a, b) ((a) * (b))\n"
                               "#define DIV(a, b) ((a) / (b))\n"
                               "#define CONJ(v) (v)\n"
                               "#define ZERO ((C)0)\n"
                               "#define NONZERO(v) ((v) != 0)\n";
    static const char wraps[] =
        "#define ADD(a, b) ((C)((uint32_t)(a) + (uint32_t)(b)))\n"
        "#define MUL(a, b) ((C)((uint32_t)(a) * (uint32_t)(b)))\n"
        "#define CONJ(v) (v)\n"
        "#define ZERO 0\n"
        "#define NONZERO(v) ((v) != 0)\n";
    const char *t = sb_dtype_name(c);

    sb_strbuf_puts(out, "#define COMPUTES 1\n");
    if (sb_dtype_is_complex(c))
        sb_strbuf_printf(out,
                         "#define COMPLEX 1\n"
                         "#define ADD(a, b) sbk_add_%s(a, b)\n"
                         "#define SUB(a, b) sbk_sub_%s(a, b)\n"
                         "#define MUL(a, b) sbk_mul_%s(a, b)\n"
                         "#define DIV(a, b) native_div(a, b)\n"
                         "#define CONJ(v) sbk_conj_%s(v)\n"
                         "#define ZERO sbk_mk_%s(0, 0)\n"
                         "#define NONZERO(v) ((v).re != 0 || (v).im != 0)\n",
                         t, t, t, t, t);
    else
        sb_strbuf_puts(out, c == SB_I32 ? wraps : real);
    sb_strbuf_printf(out,
                     "#define LANE(v, from) SBG_SHFL(%s, v, from, 32)\n"
                     "#define BELOW(v, by) SBG_DOWN(%s, v, by, 32)\n",
                     t, t);
}

/* ---- the whole ------------------------------------------------------------------------ */

static sb_status
put_head(sb_strbuf *out, const text *t, const word w[WORDS])
{
    const sb_dtype e = sb_dtype_parse(w[2].s, w[2].n),
                   c = sb_dtype_parse(w[3].s, w[3].n);

    sb_strbuf_printf(out, "#define SBG_MAX_PARAM %d\n#define SBG_MAX_BUF %d\n",
                     t->params, t->bufs);
    sb_strbuf_puts(out, sb_emit_gpu_prelude());
    if (!put_type(out, "E", w[2]) || !put_type(out, "C", w[3]) ||
        !put_type(out, "I", w[4]) || !put_type(out, "P", w[5]))
        return SB_EINVAL;
    sb_strbuf_printf(out, "#define OP_%.*s 1\n#define NATIVE_THREADS %d\n", (int)w[1].n,
                     w[1].s, SB_NATIVE_THREADS);
    if (c_name(c)) {
        put_arithmetic(out, c);
        if (c_name(e))
            put_moves(out, e, c);
    }
    sb_strbuf_puts(out, sb_native_text_head());
    return sb_strbuf_status(out);
}

static sb_status
make(sb_kernel_source *out, const char *spec, const void *user)
{
    char symbol[SB_KERNEL_SYMBOL_MAX];
    const text *t;
    word w[WORDS];

    (void)user;
    t = split(w, spec) ? text_of(w[1]) : NULL;
    if (!t)
        return SB_EINVAL;
    SB_TRY(put_head(&out->text, t, w));
    out->key = sb_hash_bytes(spec, strlen(spec), (sb_hash){0, 0});
    sb_kernel_symbol(out->key, symbol);
    sb_strbuf_printf(&out->text, "#define NATIVE_NAME %s\n", symbol);
    sb_strbuf_puts(&out->text, t->text());
    sb_strbuf_puts(&out->signature, ";");
    out->shape = (sb_gpu_shape){.threads = SB_NATIVE_THREADS};
    SB_TRY(sb_strbuf_status(&out->signature));
    return sb_strbuf_status(&out->text);
}

const sb_kernel_maker sb_native_maker = {make, NULL};
