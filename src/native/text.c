/*
 * See text.h. A text is C11 and CUDA C, behind the names of the emitted kernels' prelude and
 * of head.inc; types and arithmetic are macros in front of it.
 */
#include "native/text.h"

#include "base/dtype.h"
#include "base/fault.h"
#include "base/macro.h"
#include "base/tiny.h"
#include "compiler/compiler.h"

#include <stdio.h>
#include <string.h>

enum { WORDS = 8, LEAST = 6 };

typedef struct text {
    const char *op;
    const char
        *types; /* of the name: T a type stored and one computed with, S one type for
                          both, E a type that is copied, I, P, X, Y */
    const char *(*text)(void);
    int params, bufs;
} text;

static const text texts[] = {
    {"scan", "P", sb_native_text_scan, 3, 3},
    {"gather", "EI", sb_native_text_vector, 8, 7},
    {"scatter", "EI", sb_native_text_vector, 8, 7},
    {"scale", "TI", sb_native_text_vector, 8, 7},
    {"axpy", "TI", sb_native_text_vector, 8, 7},
    {"rot", "TI", sb_native_text_vector, 8, 7},
    {"dot", "TI", sb_native_text_vector, 8, 7},
    {"sum", "TI", sb_native_text_vector, 8, 7},
    {"clear", "T", sb_native_text_dense, 12, 5},
    {"place", "TIP", sb_native_text_dense, 12, 5},
    {"list", "TIP", sb_native_text_dense, 12, 5},
    {"count", "T", sb_native_text_dense, 12, 5},
    {"fill", "TIP", sb_native_text_dense, 12, 5},
    {"solve", "SI", sb_native_text_tri, 10, 9},
    {"chain", "SI", sb_native_text_tri, 10, 9},
    {"solve_blocks", "S", sb_native_text_tri_block, 16, 12},
    {"pack", "SI", sb_native_text_tri, 10, 9},
    {"diagonal", "SI", sb_native_text_tri, 10, 9},
    {"products", "", sb_native_text_spgemm, 10, 14},
    {"entries", "I", sb_native_text_spgemm, 10, 14},
    {"columns", "I", sb_native_text_spgemm, 10, 14},
    {"values", "TI", sb_native_text_spgemm, 10, 14},
    {"long_entries", "I", sb_native_text_spgemm, 10, 14},
    {"long_columns", "I", sb_native_text_spgemm, 10, 14},
    {"long_values", "TI", sb_native_text_spgemm, 10, 14},
    {"offsets", "", sb_native_text_spgemm, 10, 14},
    {"keep", "", sb_native_text_spgemm, 10, 14},
    {"joint", "I", sb_native_text_geam, 7, 12},
    {"add", "TI", sb_native_text_geam, 7, 12},
    {"kept", "T", sb_native_text_filter, 7, 8},
    {"sift", "T", sb_native_text_filter, 7, 8},
    {"numbers", "", sb_native_text_filter, 7, 8},
    {"blocks", "", sb_native_text_grid, 10, 7},
    {"recut", "E", sb_native_text_grid, 10, 7},
    {"eliminate", "S", sb_native_text_band, 7, 8},
    {"backward", "S", sb_native_text_band, 7, 8},
    {"lower", "S", sb_native_text_factor, 11, 7},
    {"root", "S", sb_native_text_factor, 11, 7},
    {"lower_blocks", "S", sb_native_text_factor, 11, 7},
    {"root_blocks", "S", sb_native_text_factor, 11, 7},
    {"gemvi", "T", sb_native_text_product, 8, 9},
    {"masked", "T", sb_native_text_product, 8, 9},
    {"slices", "TIPXY", sb_native_text_slots, 21, 9},
    {"bricks", "TIPXY", sb_native_text_slots, 21, 9},
    {"carries", "TIPXY", sb_native_text_slots, 21, 9},
    {"sampled", "TIPXY", sb_native_text_slots, 21, 9},
    {"listed", "IP", sb_native_text_slots, 21, 9},
    {"by_rows", "E", sb_native_text_sides, 13, 4},
    {"by_columns", "T", sb_native_text_sides, 13, 4},
    {"digits", "", sb_native_text_order, 4, 5},
    {"spread", "", sb_native_text_order, 4, 5},
    {"rows", "", sb_native_text_order, 4, 5},
    {"bounds", "", sb_native_text_order, 4, 5},
    {"identity", "", sb_native_text_order, 4, 5},
    {"narrow", "", sb_native_text_order, 4, 5},
    {"move", "E", sb_native_text_order, 4, 5},
    {"tally", "T", sb_native_text_order, 4, 5},
    {"choose", "", sb_native_text_order, 4, 5},
    {"canonical", "", sb_native_text_canon, 4, 3},
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
    for (int q = n; q < WORDS; q++)
        out[q] = (word){"-", 1};
    return (n == LEAST || n == WORDS) && out[0].n == 6 &&
           memcmp(out[0].s, "native", 6) == 0;
}

static const char *
type_name(sb_dtype t)
{
    return t < SB_DTYPE_COUNT ? sb_dtype_name(t) : "-";
}

void
sb_native_name(char spec[SB_SPEC_MAX], const char *op, const sb_dtype type[6])
{
    int n = snprintf(spec, SB_SPEC_MAX, "native %s %s %s %s %s", op, type_name(type[0]),
                     type_name(type[1]), type_name(type[2]), type_name(type[3]));

    if (type[4] < SB_DTYPE_COUNT)
        (void)snprintf(spec + n, SB_SPEC_MAX - (size_t)n, " %s %s", type_name(type[4]),
                       type_name(type[5]));
}

static const text *
text_of(word op)
{
    for (int q = 0; q < SB_COUNT(texts); q++)
        if (strlen(texts[q].op) == op.n && memcmp(texts[q].op, op.s, op.n) == 0)
            return &texts[q];
    return NULL;
}

/* Whether the name has those types that its operation wants. */
static bool
fits(const text *t, const word w[WORDS])
{
    static const char *const wanted[] = {"TSE", "TS", "I", "P", "X", "Y"};

    for (int q = 0; q < SB_COUNT(wanted); q++) {
        const word type = w[WORDS - SB_COUNT(wanted) + q];
        const bool none = type.n == 1 && *type.s == '-';

        if (none == (strpbrk(t->types, wanted[q]) != NULL))
            return false;
    }
    return true;
}

/* ---- types ---------------------------------------------------------------------------- */

static const char *
c_name(sb_dtype t)
{
    static const char *const names[SB_DTYPE_COUNT] = {
        [SB_I8] = "int8_t",   [SB_I32] = "int32_t",   [SB_I64] = "int64_t",
        [SB_F16] = "sbk_f16", [SB_BF16] = "sbk_bf16", [SB_F32] = "float",
        [SB_F64] = "double",  [SB_C16] = "sbk_c16",   [SB_CBF16] = "sbk_cbf16",
        [SB_C32] = "sbk_c32", [SB_C64] = "sbk_c64"};

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

/* LOAD and STORE of elements of a type, with a suffix of its own, between what is stored and
 * what is computed with. */
static void
put_moves(sb_strbuf *out, const char *suffix, sb_dtype e, sb_dtype c)
{
    const char *const from = sb_dtype_name(e), *const to = sb_dtype_name(c);
    const bool plain = sb_dtype_is_int(e) || e == SB_F32 || e == SB_F64;

    if (!c_name(e))
        return;
    if (e == c)
        sb_strbuf_printf(out, "#define LOAD%s(v) (v)\n#define STORE%s(v) (v)\n", suffix,
                         suffix);
    else if (plain && sb_dtype_is_complex(c))
        sb_strbuf_printf(out, "#define LOAD%s(v) sbk_mk_%s(v, 0)\n", suffix, to);
    else if (plain)
        sb_strbuf_printf(
            out, "#define LOAD%s(v) ((C)(v))\n#define STORE%s(v) NATIVE_CLIP(v, %s)\n",
            suffix, suffix, e == SB_I8 ? "127" : "0x7fffffffll");
    else
        sb_strbuf_printf(out,
                         "#define LOAD%s(v) sbk_cvt_%s_%s(v)\n"
                         "#define STORE%s(v) sbk_cvt_%s_%s(v)\n",
                         suffix, from, to, suffix, to, from);
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

/* ---- seeded faults --------------------------------------------------------------------- */

#ifdef SPBLAS_FAULTS
static const struct {
    sb_fault fault;
    const char *right, *wrong; /* of a text */
} changes[] = {
    {SB_FAULT_NATIVE_SCAN, "lane >= by ? t : 0", "lane > by ? t : 0"},
    {SB_FAULT_NATIVE_BALLOT, "native_ballot(there)", "native_ballot(1)"},
    {SB_FAULT_NATIVE_MERGE, "reach(s, s.n, j, 0)", "reach(s, s.n, j, 1)"},
    {SB_FAULT_NATIVE_TABLE, "return was == -1;", "return 1;"},
    {SB_FAULT_NATIVE_SORT,
     "                    }\n                }\n            }\n"
     "            meet();",
     "}}}"},
    {SB_FAULT_NATIVE_TURN, "at += SBG_SHFL(i64, before, 31, 32);", ""},
    {SB_FAULT_NATIVE_WIDE, "if (j * wide < past)", "if (j == y / wide)"},
    {SB_FAULT_NATIVE_PIVOT, "] = (unsigned char)at;", "] = 0;"},
    {SB_FAULT_NATIVE_EDGE,
     "!(native_magnitude(LOAD(v)) <= ", "!(native_magnitude(LOAD(v)) < "},
    {SB_FAULT_NATIVE_FILL, "slot(args, p + 1, end, ", "slot(args, p + 2, end, "},
    {SB_FAULT_NATIVE_BLOCK, "t < s; t += lanes", "t < s - 1; t += lanes"},
    {SB_FAULT_NATIVE_HALF, "t % b <= t / b", "t % b < t / b"},
    {SB_FAULT_NATIVE_AREA, "area + i % area] =", "area] ="},
    {SB_FAULT_NATIVE_RANK, "k >> shift >> 5 == higher", "1"},
    {SB_FAULT_NATIVE_BACK, "(back ? other : q)", "(q)"},
    {SB_FAULT_NATIVE_SHARE, "from == begin)\n                put(",
     "1)\n                put("},
    {SB_FAULT_NATIVE_EMPTY, "if (v < 0)", "if (0)"},
    {SB_FAULT_NATIVE_LEVEL_WAIT,
     "element_of_many(&args, alpha, lo, i);\n        NATIVE_BARRIER();",
     "element_of_many(&args, alpha, lo, i);"},
    {SB_FAULT_NATIVE_ROW_WAIT,
     "finish(args, alpha, q, s, 0, sum);\n        NATIVE_MEET();",
     "finish(args, alpha, q, s, 0, sum);"},
    {SB_FAULT_NATIVE_SUM_WAIT, "sum[s] = ZERO;\n    meet();", "sum[s] = ZERO;"},
    {SB_FAULT_NATIVE_TEAM_WAIT, "if (GROUPS > 1)\n                meet();", ""},
    {SB_FAULT_NATIVE_PLACE_WAIT, "native_scan(own);\n    NATIVE_MEET();",
     "native_scan(own);"},
    {SB_FAULT_NATIVE_UPPER_WAIT,
     "C at = *element(args, d, k, k);\n\n        NATIVE_MEET();",
     "C at = *element(args, d, k, k);"},
    {SB_FAULT_NATIVE_ROOT_WAIT, "pivot = *on;\n        NATIVE_MEET();", "pivot = *on;"},
    {SB_FAULT_NATIVE_TWICE,
     "g < (n); \\\n         g += SBG_GX * (NATIVE_THREADS / 32))",
     "g < (n); g += SBG_GX)"},
    {SB_FAULT_NATIVE_FIRST, "SBG_TID & 31) < args", "SBG_TID & 15) < args"},
    {SB_FAULT_NATIVE_ASCEND, "p > begin ? idx[p - 1] : -1", "-1"},
    {SB_FAULT_NATIVE_DIVIDE, "args->param[8].i ? sum", "1 ? sum"},
};

static void
put_text(sb_strbuf *out, const char *text)
{
    for (int q = 0; q < SB_COUNT(changes); q++) {
        const char *at = strstr(text, changes[q].right);

        if (at && sb_fault_active(changes[q].fault)) {
            sb_strbuf_putn(out, text, (size_t)(at - text));
            sb_strbuf_puts(out, changes[q].wrong);
            text = at + strlen(changes[q].right);
        }
    }
    sb_strbuf_puts(out, text);
}
#else
#define put_text sb_strbuf_puts
#endif

/* ---- the whole ------------------------------------------------------------------------ */

/* What sides.inc turns at once, and its shared memory. */
static void
put_piece(sb_strbuf *out, sb_dtype t)
{
    const int bits = sb_native_piece_bits(sb_dtype_size(t));

    sb_strbuf_printf(
        out,
        "#define NATIVE_PIECE_BITS %d\n#define SBG_RESIDENT 1024\n"
        "#define SBG_SHARED_BYTES %zu\n",
        bits, (((size_t)1 << bits) + ((size_t)1 << bits) / 8) * sb_dtype_size(t));
}

static sb_status
put_head(sb_strbuf *out, const text *t, const word w[WORDS])
{
    const sb_dtype e = sb_dtype_parse(w[2].s, w[2].n),
                   c = sb_dtype_parse(w[3].s, w[3].n);

    sb_strbuf_printf(out, "#define SBG_MAX_PARAM %d\n#define SBG_MAX_BUF %d\n",
                     t->params, t->bufs);
    if (t->text == sb_native_text_sides)
        put_piece(out, c_name(c) ? c : e);
    sb_strbuf_puts(out, sb_emit_gpu_prelude());
    if (!put_type(out, "E", w[2]) || !put_type(out, "C", w[3]) ||
        !put_type(out, "I", w[4]) || !put_type(out, "P", w[5]) ||
        !put_type(out, "X", w[6]) || !put_type(out, "Y", w[7]))
        return SB_EINVAL;
    sb_strbuf_printf(out, "#define OP_%.*s 1\n#define NATIVE_THREADS %d\n", (int)w[1].n,
                     w[1].s, SB_NATIVE_THREADS);
    if (t->text == sb_native_text_spgemm)
        sb_strbuf_printf(out, "#define NATIVE_LONG_ROW %d\n", SB_NATIVE_LONG_ROW);
    if (strchr(t->types, 'X'))
        sb_strbuf_printf(out, "#define NATIVE_BRICK_ROWS %d\n", SB_NATIVE_BRICK_ROWS);
    if (c_name(c)) {
        put_arithmetic(out, c);
        put_moves(out, "", e, c);
        put_moves(out, "_X", sb_dtype_parse(w[6].s, w[6].n), c);
        put_moves(out, "_Y", sb_dtype_parse(w[7].s, w[7].n), c);
    }
    put_text(out, sb_native_text_head());
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
    if (!t || !fits(t, w))
        return SB_EINVAL;
    sb_strbuf_printf(&out->text, "/* %s */\n", spec);
    SB_TRY(put_head(&out->text, t, w));
    out->key = sb_hash_bytes(spec, strlen(spec), (sb_hash){0, 0});
    sb_kernel_symbol(out->key, symbol);
    sb_strbuf_printf(&out->text, "#define NATIVE_NAME %s\n", symbol);
    put_text(&out->text, t->text());
    sb_strbuf_puts(&out->signature, ";");
    out->shape = (sb_gpu_shape){.threads = SB_NATIVE_THREADS};
    SB_TRY(sb_strbuf_status(&out->signature));
    return sb_strbuf_status(&out->text);
}

const sb_kernel_maker sb_native_maker = {make, NULL};

/* ---- stock ----------------------------------------------------------------------------- */

/* The name with those types, where the operation has them. */
static void
offer(const text *t, sb_dtype e, sb_dtype c, sb_dtype p,
      void (*each)(void *user, const char spec[SB_SPEC_MAX]), void *user)
{
    const struct {
        const char *who;
        sb_dtype type;
    } of[] = {{"TSE", e}, {"TS", c}, {"I", SB_I32}, {"P", p}, {"X", e}, {"Y", e}};
    sb_dtype type[SB_COUNT(of)];
    char spec[SB_SPEC_MAX];

    for (int q = 0; q < SB_COUNT(of); q++)
        type[q] = strpbrk(t->types, of[q].who) ? of[q].type : SB_DTYPE_COUNT;
    sb_native_name(spec, t->op, type);
    each(user, spec);
}

void
sb_native_stock(void (*each)(void *user, const char spec[SB_SPEC_MAX]), void *user)
{
    static const sb_dtype computed[][2] = {
        {SB_F32, SB_F32}, {SB_F64, SB_F64}, {SB_F16, SB_F32}, {SB_BF16, SB_F32}};
    static const sb_dtype copied[][2] = {
        {SB_I32, SB_I32}, {SB_I64, SB_I64}, {SB_F16, SB_F16}};

    for (int q = 0; q < SB_COUNT(texts); q++) {
        const text *t = &texts[q];
        const bool copies = strchr(t->types, 'E');
        const int n = strchr(t->types, 'T')   ? SB_COUNT(computed)
                      : strchr(t->types, 'S') ? 2
                      : copies                ? SB_COUNT(copied)
                                              : 1;

        for (int k = 0; k < n; k++) {
            const sb_dtype *type = copies ? copied[k] : computed[k];

            offer(t, type[0], type[1], SB_I32, each, user);
            if (strchr(t->types, 'P'))
                offer(t, type[0], type[1], SB_I64, each, user);
        }
    }
}
