/*
 * See byhand.h. A text is C11 and CUDA C behind the emitted kernels' prelude; names of
 * arguments, types and arithmetic are macros in front of it.
 */
#include "kernels/byhand.h"

#include "kernels/byhand_text.h"
#include "kernels/recipe.h"

#include <string.h>

/* ---- types ---------------------------------------------------------------------------- */

static const char *
c_name(sb_dtype t)
{
    static const char *const names[SB_DTYPE_COUNT] = {
        [SB_I32] = "int32_t",   [SB_I64] = "int64_t",     [SB_F16] = "sbk_f16",
        [SB_BF16] = "sbk_bf16", [SB_F32] = "float",       [SB_F64] = "double",
        [SB_C16] = "sbk_c16",   [SB_CBF16] = "sbk_cbf16", [SB_C32] = "sbk_c32",
        [SB_C64] = "sbk_c64"};

    return names[t];
}

/* NAME_TYPE, and LOAD_NAME and STORE_NAME between it and the type of sums. */
static void
put_type(sb_strbuf *out, char name, sb_dtype t, sb_dtype sum)
{
    const char *from = sb_dtype_name(t), *to = sb_dtype_name(sum);

    sb_strbuf_printf(out, "#define %c_TYPE %s\n", name, c_name(t));
    if (t == sum)
        sb_strbuf_printf(out, "#define LOAD_%c(v) (v)\n#define STORE_%c(v) (v)\n", name,
                         name);
    else
        sb_strbuf_printf(out,
                         "#define LOAD_%c(v) sbk_cvt_%s_%s(v)\n"
                         "#define STORE_%c(v) sbk_cvt_%s_%s(v)\n",
                         name, from, to, name, to, from);
}

static void
put_conj(sb_strbuf *out, char name, sb_dtype sum, bool conj)
{
    sb_strbuf_printf(out, "#define CONJ_%c(v) ", name);
    if (conj && sb_dtype_is_complex(sum))
        sb_strbuf_printf(out, "sbk_conj_%s(v)\n", sb_dtype_name(sum));
    else
        sb_strbuf_puts(out, "(v)\n");
}

static void
put_types(sb_strbuf *out, const sb_spec *s)
{
    const char *sum = sb_dtype_name(s->compute);

    put_type(out, 'A', s->a, s->compute);
    put_type(out, 'B', s->b, s->compute);
    put_type(out, 'C', s->c, s->compute);
    put_conj(out, 'A', s->compute, s->a_conj);
    put_conj(out, 'B', s->compute, s->b_conj);
    put_conj(out, 'C', s->compute, s->c_conj);
    sb_strbuf_printf(out,
                     "#define S_TYPE %s\n"
                     "#define SHFL_S(v, from) SBG_WARP_SHFL(%s, v, from, LANES)\n"
                     "#define I_TYPE %s\n"
                     "#define SHFL_I(v, from) SBG_WARP_SHFL(%s, v, from, LANES)\n"
                     "#define P_TYPE %s\n"
                     "#define SCALAR(p, far) sbg_scalar_%s(p, far)\n",
                     c_name(s->compute), sum, c_name(s->idx), sb_dtype_name(s->idx),
                     c_name(s->ptr), sum);
    if (sb_dtype_is_complex(s->compute))
        sb_strbuf_printf(out,
                         "#define ADD(a, b) sbk_add_%s(a, b)\n"
                         "#define MUL(a, b) sbk_mul_%s(a, b)\n"
                         "#define ZERO sbk_mk_%s(0, 0)\n"
                         "#define IS_ZERO(v) ((v).re == 0 && (v).im == 0)\n"
                         "#define IS_ONE(v) ((v).re == 1 && (v).im == 0)\n"
                         "#define ONE sbk_mk_%s(1, 0)\n",
                         sum, sum, sum, sum);
    else
        sb_strbuf_puts(out, "#define ADD(a, b) ((a) + (b))\n"
                            "#define MUL(a, b) ((a) * (b))\n"
                            "#define ZERO ((S_TYPE)0)\n"
                            "#define IS_ZERO(v) ((v) == 0)\n"
                            "#define IS_ONE(v) ((v) == 1)\n"
                            "#define ONE ((S_TYPE)1)\n");
    sb_strbuf_printf(out, "#define READ_B sbg_read_%s\n",
                     s->b == SB_F64 || s->b == SB_C64 ? "doubles" : "words");
    /* elements of two parts may lie at multiples of one */
    sb_strbuf_printf(out, "#define READ_A(at) %s\n",
                     sb_dtype_is_complex(s->a) ? "(*(at))" : "SBG_READ(at)");
}

/* Whether all three types are converted to the sums' and back. */
static bool
computes(const sb_spec *s)
{
    const sb_dtype type[] = {s->a, s->b, s->c}, sum = s->compute;

    if (sum != SB_F32 && sum != SB_F64 && sum != SB_C32 && sum != SB_C64)
        return false;
    for (int q = 0; q < 3; q++)
        if (type[q] != sum &&
            !(sum == SB_F32 && (type[q] == SB_F16 || type[q] == SB_BF16)) &&
            !(sum == SB_C32 && (type[q] == SB_C16 || type[q] == SB_CBF16)))
            return false;
    return true;
}

/* ---- what texts share ---------------------------------------------------------------- */

size_t
sb_byhand_up(size_t bytes)
{
    return (bytes + 15) / 16 * 16;
}

void
sb_byhand_resident(sb_strbuf *out, int cc90, int elsewhere)
{
    sb_strbuf_printf(out,
                     "#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ == 900\n"
                     "#define SBG_RESIDENT %d\n#else\n"
                     "#define SBG_RESIDENT %d\n#endif\n",
                     cc90, elsewhere);
}

/* ---- texts ------------------------------------------------------------------------------ */

/* The first that fits. */
static const sb_byhand *const texts[] = {&sb_byhand_strips, &sb_byhand_samples,
                                         &sb_byhand_groups, &sb_byhand_products};

const sb_byhand *
sb_byhand_of(const sb_spec *s)
{
    const bool one = (s->kinds & (s->kinds - 1)) == 0;

    for (int q = 0; q < SB_COUNT(texts); q++)
        if (s->lanes > 0 && one && texts[q]->op == s->op &&
            texts[q]->kinds & s->kinds && computes(s) && texts[q]->fits(s))
            return texts[q];
    return NULL;
}

sb_byhand_cut
sb_byhand_cut_of(const sb_byhand *h, const sb_spec *s)
{
    return h->cut(s);
}

void
sb_byhand_shape(sb_gpu_shape *shape, const sb_byhand *h, const sb_spec *s)
{
    const sb_byhand_cut cut = h->cut(s);

    shape->threads = cut.threads;
    shape->rows_per_tile = cut.tiles > 0 ? cut.tiles : shape->rows_per_tile;
    shape->strip = s->even ? 0 : cut.strip;
    shape->resident = cut.resident;
    shape->items = cut.items;
}

/* PARAM_name and BUF_name, the places of the program's arguments. */
static void
put_arguments(sb_strbuf *out, const sb_prog *p)
{
    int n = 0;

    for (int q = 0; q < p->nparam; q++)
        if (strcmp(p->param[q]->name, "t0") != 0 &&
            strcmp(p->param[q]->name, "t1") != 0)
            sb_strbuf_printf(out, "#define PARAM_%s %d\n", p->param[q]->name, n++);
    for (int q = 0; q < p->nbuf; q++)
        sb_strbuf_printf(out, "#define BUF_%s %d\n", p->buf[q]->name, q);
    sb_strbuf_printf(out,
                     "#define ARG(name) (args->param[PARAM_##name].i)\n"
                     "#define ARRAY(type, name) ((type *)args->buf[BUF_##name])\n"
                     "#define SBG_MAX_PARAM %d\n#define SBG_MAX_BUF %d\n",
                     n, p->nbuf);
}

sb_status
sb_byhand_emit(sb_strbuf *out, const sb_byhand *h, const sb_prog *p, const sb_spec *s,
               const char *symbol, const char *name)
{
    int kind = 0;

    while (!(s->kinds >> kind & 1U))
        kind++;
    sb_strbuf_printf(out, "/* %s */\n", name);
    put_arguments(out, p);
    h->macros(out, s);
    sb_strbuf_puts(out, sb_emit_gpu_prelude());
    put_types(out, s);
    sb_strbuf_printf(out, "#define KIND_%s 1\n%s#define SYMBOL %s\n",
                     sb_recipe_get(kind)->name, s->even ? "#define EVEN 1\n" : "",
                     symbol);
    h->put(out);
    return sb_strbuf_status(out);
}
