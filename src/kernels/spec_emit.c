/*
 * C text, signature and key of a program or of a spec. The key is made of the text, what it
 * includes with it, so whatever changes the code changes the key.
 */
#include "kernels/byhand.h"
#include "kernels/lower.h"
#include "kernels/recipe.h"
#include "kernels/spec.h"

#include <string.h>

void
sb_lower_signature(sb_strbuf *out, const sb_prog *p)
{
    for (int i = 0; i < p->nparam; i++)
        sb_strbuf_printf(out, i ? " %s" : "%s", p->param[i]->name);
    sb_strbuf_putc(out, ';');
    for (int i = 0; i < p->nbuf; i++)
        sb_strbuf_printf(out, i ? " %s" : "%s", p->buf[i]->name);
}

/* A kernel's symbol while its text, and with that its key, is not there. */
#define UNNAMED "sbk_00000000000000000000000000000000"

/* Rows of B that have copies of code: sixteen registers. */
#define CUT_BYTES 1024

/* Windows of SpMM hold so many sums that gcc stores rows of B to the stack to keep addresses in
 * vector registers, unless it allocates each loop by itself. */
static const char each_loop[] = "#if defined(__GNUC__) && !defined(__clang__)\n"
                                "#pragma GCC push_options\n"
                                "#pragma GCC optimize (\"ira-region=all\")\n"
                                "#endif\n";
static const char as_before[] = "#if defined(__GNUC__) && !defined(__clang__)\n"
                                "#pragma GCC pop_options\n"
                                "#endif\n";

/* Where the text of a spec's kernel begins. */
static size_t
begin(sb_strbuf *text, const sb_spec *s)
{
    const size_t from = text->len;

    if (s->op == SB_KOP_SPMM && s->kinds & 1U << SB_KIND_WIN)
        sb_strbuf_puts(text, each_loop);
    return from;
}

/* What follows a kernel's text once it is written behind `from`. */
static sb_status
finish(sb_strbuf *text, size_t from, const char *prelude, sb_strbuf *signature,
       sb_hash *key, const sb_prog *p)
{
    const sb_hash none = {0, 0};
    char hex[33];

    SB_TRY(sb_strbuf_status(text));
    if (strncmp(text->s + from, each_loop, strlen(each_loop)) == 0) {
        sb_strbuf_puts(text, as_before);
        SB_TRY(sb_strbuf_status(text));
    }
    *key = sb_hash_bytes(prelude, strlen(prelude), none);
    *key = sb_hash_bytes(text->s + from, text->len - from, *key);
    sb_hash_text(*key, hex);
    for (char *at = text->s + from; (at = strstr(at, UNNAMED)); at += strlen(UNNAMED))
        memcpy(at + strlen(UNNAMED) - 32, hex, 32);
    sb_lower_signature(signature, p);
    return sb_strbuf_status(signature);
}

/* Narrow operands without gaps, counted from 0, and C = A B: what a row takes besides its
 * entries weighs most there. */
static sb_status
emit_exact(sb_strbuf *text, sb_strbuf *signature, sb_hash *key, const sb_prog *p,
           const sb_spec *s, const char *name)
{
    const sb_emit_usual usual[] = {{.param = "base"},
                                   {.param = "ldb", .value = s->tile},
                                   {.param = "ldc", .value = s->tile},
                                   {.param = "alpha", .value = 1},
                                   {.param = "beta"},
                                   {.param = "ahead", .either = true}};
    const size_t from = begin(text, s);

    SB_TRY(sb_emit_c_usual(text, p, UNNAMED, name, usual, SB_COUNT(usual)));
    return finish(text, from, sb_emit_prelude(), signature, key, p);
}

/* One column: of what near caches hold nothing is asked for ahead, and no loop tests whether;
 * products ask once a buffer, windows once. */
static bool
is_near(const sb_spec *s)
{
    return s->op == SB_KOP_SPMV && s->kinds != 1U << SB_KIND_PROD;
}

static sb_status
emit_near(sb_strbuf *text, sb_strbuf *signature, sb_hash *key, const sb_prog *p,
          const char *name)
{
    const sb_emit_usual usual[] = {{.param = "ahead"},
                                   {.param = "alike_ahead"},
                                   {.param = "hdia_ahead"},
                                   {.param = "sell_ahead"}};
    const size_t from = text->len;

    SB_TRY(sb_emit_c_usual(text, p, UNNAMED, name, usual, SB_COUNT(usual)));
    return finish(text, from, sb_emit_prelude(), signature, key, p);
}

/* Operands of fewer columns than a tile but more than half, which the tile was chosen for, of
 * windows, listed rows and rows in place by pairs: without tests for each entry of which vectors there are. Rows of B begin anywhere then: a
 * vector of 64 bytes lies on two lines, and of what it loads half may be masked; windows load
 * them for several rows, and of longer ones less is masked
 * (docs/measured/widths-between.md, Rows of B that end within a tile). */
static sb_status
emit_cut(sb_strbuf *text, sb_strbuf *signature, sb_hash *key, const sb_prog *p,
         const sb_spec *s, const char *name)
{
    const bool whole = s->kinds & 1U << SB_KIND_WIN ||
                       (size_t)s->tile * sb_dtype_size(s->compute) > 128;
    const sb_emit_usual usual[] = {
        {.param = "n", .value = s->tile / 2, .below = s->tile, .bytes = whole ? 0 : 32},
        {.param = "base"},
        {.param = "alpha", .value = 1},
        {.param = "beta"}};
    const size_t from = begin(text, s);

    SB_TRY(sb_emit_c_usual(text, p, UNNAMED, name, usual, SB_COUNT(usual)));
    return finish(text, from, sb_emit_prelude(), signature, key, p);
}

/* The same of rows in place, an entry at a time, by fours or eights: copies for each number of vectors and
 * size of the last, of 32 bytes at most where a row of B has 64 or less, which is one vector of eights. */
static sb_status
emit_cuts(sb_strbuf *text, sb_strbuf *signature, sb_hash *key, const sb_prog *p,
          const sb_spec *s, const char *name)
{
    const bool narrow = s->unroll != SB_SPEC_EIGHTS &&
                        (size_t)s->tile * sb_dtype_size(s->compute) <= 64;
    const sb_emit_usual usual[] = {{.param = "n",
                                    .value = s->tile / 2,
                                    .below = s->tile,
                                    .bytes = narrow ? 32 : 0,
                                    .cut = true},
                                   {.param = "base"},
                                   {.param = "alpha", .value = 1},
                                   {.param = "beta"}};
    /* of wide rows what else there is to one weighs little */
    const int known = s->tile <= 32 ? SB_COUNT(usual) : 1;
    const size_t from = begin(text, s);

    SB_TRY(sb_emit_c_usual(text, p, UNNAMED, name, usual, known));
    return finish(text, from, sb_emit_prelude(), signature, key, p);
}

static bool
is_plain(const sb_spec *s)
{
    return !s->exact && !s->b_col && !s->c_col && s->tile >= 4 &&
           (s->compute == SB_F32 || s->compute == SB_F64);
}

/* Of one register there is one copy, which emit_cut has. */
static bool
has_cuts(const sb_spec *s)
{
    const int64_t row = s->tile * (int64_t)sb_dtype_size(s->compute);

    const bool eights = s->unroll == SB_SPEC_EIGHTS && row <= 64,
               tailed = s->unroll == SB_SPEC_FOURS || eights;

    return is_plain(s) && (row > 32 || tailed) && row <= CUT_BYTES &&
           s->kinds == 1U << SB_KIND_CSR && (s->unroll <= 1 || tailed) &&
           s->a == s->compute && s->b == s->compute;
}

static bool
is_cut(const sb_spec *s)
{
    const unsigned rows = 1U << SB_KIND_CSR | 1U << SB_KIND_ROWS | 1U << SB_KIND_WIN;

    return is_plain(s) && !(s->kinds & ~rows) && s->prefetch == 0 && !s->stream;
}

sb_status
sb_lower_emit(sb_strbuf *text, sb_strbuf *signature, sb_hash *key, const sb_prog *p,
              const char *name)
{
    const size_t from = text->len;

    SB_TRY(sb_emit_c(text, p, UNNAMED, name));
    return finish(text, from, sb_emit_prelude(), signature, key, p);
}

/* One text for all values of parameters. */
static sb_status
emit_plain(sb_strbuf *text, sb_strbuf *signature, sb_hash *key, const sb_prog *p,
           const sb_spec *s, const char *name)
{
    const size_t from = begin(text, s);

    SB_TRY(sb_emit_c(text, p, UNNAMED, name));
    return finish(text, from, sb_emit_prelude(), signature, key, p);
}

static sb_status
emit_gpu(sb_strbuf *text, sb_strbuf *signature, sb_hash *key, const sb_prog *p,
         const sb_spec *s, const char *name)
{
    const sb_byhand *h = sb_byhand_of(s);
    const size_t from = text->len;

    if (h)
        SB_TRY(sb_byhand_emit(text, h, p, s, UNNAMED, name));
    else
        SB_TRY(sb_emit_cuda(text, p, UNNAMED, name, sb_emit_gpu_prelude()));
    return finish(text, from, "", signature, key, p);
}

static sb_status
emit(sb_strbuf *text, sb_strbuf *signature, sb_hash *key, sb_spec *spec,
     const char *spec_text, bool gpu, sb_diag *diag)
{
    const sb_prog *p = NULL;
    sb_arena arena;
    sb_ir ir;
    sb_status st;

    sb_arena_init(&arena);
    sb_ir_init(&ir, &arena, diag);
    st = sb_spec_parse(spec, spec_text, diag);
    if (st == SB_OK && gpu != (spec->lanes > 0))
        st = sb_diag_set(diag, SB_EINVAL, "spec \"%s\" is not %s", spec_text,
                         gpu ? "a GPU's" : "the CPU's");
    if (st == SB_OK)
        st = sb_spec_program(&p, &ir, spec);
    if (st == SB_OK && !gpu && spec->op == SB_KOP_SPMM && has_cuts(spec))
        st = emit_cuts(text, signature, key, p, spec, spec_text);
    else if (st == SB_OK && !gpu && spec->op == SB_KOP_SPMM && spec->tile <= 32 &&
             ((spec->exact && spec->kinds == 1U << SB_KIND_CSR) || is_cut(spec)))
        st = (spec->exact ? emit_exact : emit_cut)(text, signature, key, p, spec,
                                                   spec_text);
    else if (st == SB_OK && !gpu && is_near(spec))
        st = emit_near(text, signature, key, p, spec_text);
    else if (st == SB_OK)
        st = (gpu ? emit_gpu : emit_plain)(text, signature, key, p, spec, spec_text);
    sb_arena_free(&arena);
    return st;
}

sb_status
sb_spec_emit(sb_strbuf *text, sb_strbuf *signature, sb_hash *key, const char *spec_text,
             sb_diag *diag)
{
    sb_spec spec;

    return emit(text, signature, key, &spec, spec_text, false, diag);
}

sb_status
sb_spec_emit_gpu(sb_strbuf *text, sb_strbuf *signature, sb_hash *key,
                 sb_gpu_shape *shape, const char *spec_text, sb_diag *diag)
{
    sb_spec spec = {0};
    const sb_status st = emit(text, signature, key, &spec, spec_text, true, diag);
    const sb_byhand *h = st == SB_OK ? sb_byhand_of(&spec) : NULL;
    bool columns = false;

    for (int q = 0; q < SB_KIND_COUNT; q++)
        columns |= (spec.kinds >> q & 1U) && sb_recipe_get(q)->column;
    columns &= spec.op == SB_KOP_SPMM && !spec.exact;
    *shape = (sb_gpu_shape){0};
    if (st == SB_OK)
        *shape = (sb_gpu_shape){.threads = SB_SPEC_THREADS,
                                .grid_y_columns = columns ? spec.tile : 0,
                                .rows_per_tile = SB_SPEC_THREADS / spec.lanes};
    if (h)
        sb_byhand_shape(shape, h, &spec);
    return st;
}
