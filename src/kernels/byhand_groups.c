/*
 * What groups.inc is compiled with: SpMV of rows of about one length.
 */
#include "kernels/byhand_text.h"
#include "kernels/recipe.h"

enum { THREADS = 256, UNDER = 2 };

/* Wider specs are those that share entries out (byhand_products.c). */
static bool
fits(const sb_spec *s)
{
    return s->even && s->lanes == s->tile && s->lanes < 32;
}

static int
resident(const sb_spec *s)
{
    const bool wide = s->ptr == SB_I64 || s->idx == SB_I64;

    return sb_dtype_size(s->compute) > 8 || wide ? 1024 : 1536;
}

static sb_byhand_cut
cut(const sb_spec *s)
{
    return (sb_byhand_cut){
        .threads = THREADS, .tiles = THREADS / s->lanes, .resident = resident(s)};
}

static void
macros(sb_strbuf *out, const sb_spec *s)
{
    sb_strbuf_printf(out, "#define LANES %d\n#define UNDER %d\n#define THREADS %d\n",
                     s->lanes, UNDER, THREADS);
    sb_byhand_resident(out, resident(s), 1024);
}

static void
put(sb_strbuf *out)
{
    sb_strbuf_puts(out, sb_byhand_text_groups());
}

const sb_byhand sb_byhand_groups = {SB_KOP_SPMV, 1U << SB_KIND_CSR, fits, cut, macros,
                                    put};
