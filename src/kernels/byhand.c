/*
 * See byhand.h. A text is C11 and CUDA C behind the emitted kernels' prelude; names of
 * arguments, types and arithmetic are macros in front of it.
 */
#include "kernels/byhand.h"

#include "base/fault.h"
#include "base/macro.h"
#include "kernels/byhand_samples.h"
#include "kernels/recipe.h"

#include <string.h>

struct sb_byhand {
    sb_kernel_op op;
    unsigned kinds; /* one of these */
    bool (*fits)(const sb_spec *s);
    const char *(*text)(void);
    void (*macros)(sb_strbuf *out, const sb_spec *s);
    int threads, items; /* of a block; 0 items: strips of groups */
};

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
    /* elements of two parts may lie at multiples of one */
    sb_strbuf_printf(out, "#define READ_A(at) %s\n",
                     sb_dtype_is_complex(s->a) ? "(*(at))" : "SBG_READ(at)");
}

static bool
computes(sb_dtype t, sb_dtype sum)
{
    if (sum != SB_F32 && sum != SB_F64 && sum != SB_C32 && sum != SB_C64)
        return false;
    return t == sum || (sum == SB_F32 && (t == SB_F16 || t == SB_BF16)) ||
           (sum == SB_C32 && (t == SB_C16 || t == SB_CBF16));
}

/* ---- strips ----------------------------------------------------------------------------- */

enum { VECTORS = 2 }; /* of a lane */

static bool
strips_fit(const sb_spec *s)
{
    return !s->b_col && !s->c_col && !s->exact && !s->mma && !s->packed &&
           (s->even || s->kinds == 1U << SB_KIND_CSR) && s->tile <= 128 &&
           s->tile % (s->lanes * (s->vec > 1 ? s->vec : 1)) == 0 &&
           s->tile <= VECTORS * s->lanes * (s->vec > 1 ? s->vec : 1) &&
           computes(s->a, s->compute) && computes(s->b, s->compute) &&
           computes(s->c, s->compute);
}

static size_t
up(size_t bytes)
{
    return (bytes + 15) / 16 * 16;
}

/* Entries and row ends of a strip; ranges whose sums one group adds up. */
enum { STRIP = 32, WIDE_STRIP = 64, MANY = 32 };

static int
strip_of(const sb_spec *s)
{
    return s->lanes >= 16 ? WIDE_STRIP : STRIP;
}

/* UNDER: rows of B under way in a lane, as many as 80 registers hold beside the sums. */
static void
strips_macros(sb_strbuf *out, const sb_spec *s)
{
    const int vec = s->vec > 1 ? s->vec : 1, nv = s->tile / (s->lanes * vec);
    const int groups = SB_SPEC_THREADS / s->lanes;
    const int wide = nv * vec * (int)sb_dtype_size(s->compute);
    const int most = wide > 64 ? 1 : wide > 32 ? 2 : wide > 16 ? 4 : 8;
    const size_t sums = (size_t)groups * (size_t)s->tile * sb_dtype_size(s->compute);
    const size_t b = (size_t)vec * sb_dtype_size(s->b),
                 c = (size_t)vec * sb_dtype_size(s->c);
    const int strip = strip_of(s);
    const size_t at_last = up((size_t)(strip * groups) * sizeof(int)),
                 at_part = at_last + up((size_t)groups * sizeof(int)),
                 at_found = at_part + 2 * sums;

    sb_strbuf_printf(
        out,
        "#define LANES %d\n#define VEC %d\n#define NV %d\n"
        "#define UNDER %d\n#define ROWS_MAX %d\n"
        "#define AT_LAST %zu\n#define AT_PART %zu\n#define AT_FOUND %zu\n"
        "#define CARRIED %d\n#define FIT_B %zu\n#define FIT_C %zu\n"
        "#define WORDS_FIT %d\n#define MANY %d\n#define AT_MANY %zu\n"
        "#define SBG_SHARED_BYTES %zu\n",
        s->lanes, vec, nv, most < s->lanes ? most : s->lanes, strip * groups, at_last,
        at_part, at_found, SB_FAULT(GPU_CARRY) ? 0 : 1, b < 16 ? b : 16,
        c < 16 ? c : 16, b >= 4 && c >= 4, MANY, sums,
        s->kinds == 1U << SB_KIND_RANGE ? at_found + 16
                                        : sums + up((size_t)groups * sizeof(int)));
}

/* ---- samples ---------------------------------------------------------------------------- */

static bool
samples_fit(const sb_spec *s)
{
    return sb_samples_fit(s) && computes(s->a, s->compute) &&
           computes(s->b, s->compute) && computes(s->c, s->compute);
}

/* ---- products --------------------------------------------------------------------------- */

/* Of a block; entries that a thread takes at once. */
enum { THREADS = 256, EACH = 4, UNDER = 4 };

static bool
products_fit(const sb_spec *s)
{
    return computes(s->a, s->compute) && computes(s->b, s->compute) &&
           computes(s->c, s->compute);
}

/* As many threads of a multiprocessor as leave the registers that a kernel needs: on 9.0, and
 * elsewhere, where the same loops take more. */
static int
products_resident(const sb_spec *s, bool cc90)
{
    const size_t size = sb_dtype_size(s->compute);

    if (size > 8 || s->kinds == 1U << SB_KIND_CARRY)
        return 512;
    if (s->ptr == SB_I64 || s->idx == SB_I64)
        return size > 4 && !cc90 ? 512 : 768;
    if (cc90 && s->kinds == 1U << SB_KIND_CSR)
        return size > 4 ? 1024 : 1536;
    return (size > 4 ? 768 : 1024) + (cc90 && s->even ? 256 : 0);
}

static void
products_macros(sb_strbuf *out, const sb_spec *s)
{
    const size_t items = THREADS * EACH, warps = THREADS / 32,
                 at_first = items * sb_dtype_size(s->compute),
                 at_begin = at_first + up(warps * sb_dtype_size(s->compute)),
                 at_begins = at_begin + items * sizeof(int),
                 at_head = at_begins + up(warps * sizeof(int)),
                 at_found = at_head + items;

    sb_strbuf_printf(out,
                     "#define LANES 32\n#define EACH %d\n#define UNDER %d\n"
                     "#define SHFL_P(v, from) SBG_WARP_SHFL(%s, v, from, 32)\n"
                     "#define AT_PROD 0\n#define AT_FIRST %zu\n#define AT_BEGIN %zu\n"
                     "#define AT_BEGINS %zu\n#define AT_HEAD %zu\n"
                     "#define AT_FOUND %zu\n#define CARRIED %d\n#define BEHIND %d\n"
                     "#define SBG_SHARED_BYTES %zu\n"
                     "#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ == 900\n"
                     "#define SBG_RESIDENT %d\n#else\n"
                     "#define SBG_RESIDENT %d\n#endif\n",
                     EACH, UNDER, sb_dtype_name(s->ptr), at_first, at_begin, at_begins,
                     at_head, at_found, SB_FAULT(GPU_CARRY) ? 0 : 1,
                     SB_FAULT(GPU_BEHIND) ? 0 : 1, at_found + 32,
                     products_resident(s, true), products_resident(s, false));
}

/* ---- all -------------------------------------------------------------------------------- */

static const sb_byhand texts[] = {
    {SB_KOP_SPMM, 1U << SB_KIND_CSR | 1U << SB_KIND_RANGE | 1U << SB_KIND_CARRY,
     strips_fit, sb_byhand_text_strips, strips_macros, SB_SPEC_THREADS, 0},
    {SB_KOP_SDDMM, 1U << SB_KIND_RANGE, samples_fit, sb_byhand_text_samples,
     sb_samples_macros, SB_SPEC_THREADS, 0},
    {SB_KOP_SPMV,
     1U << SB_KIND_CSR | 1U << SB_KIND_RANGE | 1U << SB_KIND_CARRY |
         1U << SB_KIND_WHOLE,
     products_fit, sb_byhand_text_products, products_macros, THREADS, THREADS *EACH},
};

const sb_byhand *
sb_byhand_of(const sb_spec *s)
{
    const bool one = (s->kinds & (s->kinds - 1)) == 0;

    for (int q = 0; q < SB_COUNT(texts); q++)
        if (s->lanes > 0 && one && texts[q].op == s->op && texts[q].kinds & s->kinds &&
            texts[q].fits(s))
            return &texts[q];
    return NULL;
}

int
sb_byhand_strip(const sb_byhand *h, const sb_spec *s)
{
    return h->items > 0 ? 0 : strip_of(s);
}

/* Threads on a multiprocessor, on the GPU that was measured: 80 registers, where numbers of 64
 * bits need more 96 or 128; all others have 128. */
static int
resident(const sb_spec *s)
{
    if (s->ptr == SB_I64 || s->idx == SB_I64 || s->compute == SB_C64)
        return 512;
    if (s->compute == SB_F32 && s->a == SB_F32)
        return 768;
    return s->kinds == 1U << SB_KIND_RANGE ? 512 : 640;
}

int
sb_byhand_items(const sb_byhand *h)
{
    return h->items;
}

/* Carries of products are a warp's each. */
int
sb_byhand_threads(const sb_byhand *h, const sb_spec *s)
{
    return h->items > 0 && s->kinds == 1U << SB_KIND_CARRY ? 32 : h->threads;
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
    if (s->op == SB_KOP_SPMM)
        sb_strbuf_printf(out,
                         "#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ == 900\n"
                         "#define SBG_RESIDENT %d\n#else\n"
                         "#define SBG_RESIDENT 512\n#endif\n",
                         resident(s));
    if (s->op != SB_KOP_SDDMM)
        sb_strbuf_printf(out, "#define THREADS %d\n", sb_byhand_threads(h, s));
    sb_strbuf_puts(out, sb_emit_gpu_prelude());
    put_types(out, s);
    sb_strbuf_printf(out, "#define KIND_%s 1\n%s#define SYMBOL %s\n",
                     sb_recipe_get(kind)->name, s->even ? "#define EVEN 1\n" : "",
                     symbol);
    (s->op == SB_KOP_SDDMM ? sb_samples_put : sb_strbuf_puts)(out, h->text());
    return sb_strbuf_status(out);
}

sb_hash
sb_byhand_hash(const sb_byhand *h, sb_hash key)
{
    const char *text = h->text();

    return sb_hash_bytes(text, strlen(text), key);
}
