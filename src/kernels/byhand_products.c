/*
 * What products.inc is compiled with: SpMV where a block shares rows and entries out among
 * its threads, whatever the rows.
 */
#include "base/fault.h"
#include "kernels/byhand_text.h"
#include "kernels/recipe.h"

/* Of a block; entries that a thread takes at once. */
enum { THREADS = 256, EACH = 4, UNDER = 4 };

static bool
fits(const sb_spec *s)
{
    (void)s;
    return true;
}

/* As many threads of a multiprocessor as leave the registers that a kernel needs: on 9.0, and
 * elsewhere, where the same loops take more. */
static int
resident(const sb_spec *s, bool cc90)
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

/* Carries are a warp's each. */
static sb_byhand_cut
cut(const sb_spec *s)
{
    return (sb_byhand_cut){.threads = s->kinds == 1U << SB_KIND_CARRY ? 32 : THREADS,
                           .tiles = s->kinds == 1U << SB_KIND_CSR ? 32 : 1,
                           .items = THREADS * EACH};
}

static void
macros(sb_strbuf *out, const sb_spec *s)
{
    const size_t items = THREADS * EACH, warps = THREADS / 32,
                 at_first = items * sb_dtype_size(s->compute),
                 at_begin = at_first + sb_byhand_up(warps * sb_dtype_size(s->compute)),
                 at_begins = at_begin + items * sizeof(int),
                 at_head = at_begins + sb_byhand_up(warps * sizeof(int)),
                 at_found = at_head + items;

    sb_strbuf_printf(out,
                     "#define LANES 32\n#define EACH %d\n#define UNDER %d\n"
                     "#define SHFL_P(v, from) SBG_WARP_SHFL(%s, v, from, 32)\n"
                     "#define AT_PROD 0\n#define AT_FIRST %zu\n#define AT_BEGIN %zu\n"
                     "#define AT_BEGINS %zu\n#define AT_HEAD %zu\n"
                     "#define AT_FOUND %zu\n#define CARRIED %d\n#define BEHIND %d\n"
                     "#define SBG_SHARED_BYTES %zu\n",
                     EACH, UNDER, sb_dtype_name(s->ptr), at_first, at_begin, at_begins,
                     at_head, at_found, SB_FAULT(GPU_CARRY) ? 0 : 1,
                     SB_FAULT(GPU_BEHIND) ? 0 : 1, at_found + 32);
    if (sb_dtype_size(s->compute) <= 4) /* wider sums would spill */
        sb_strbuf_puts(out, "#define PLACED 1\n");
    sb_byhand_resident(out, resident(s, true), resident(s, false));
    sb_strbuf_printf(out, "#define THREADS %d\n", cut(s).threads);
}

static void
put(sb_strbuf *out)
{
    sb_strbuf_puts(out, sb_byhand_text_products());
}

const sb_byhand sb_byhand_products = {SB_KOP_SPMV,
                                      1U << SB_KIND_CSR | 1U << SB_KIND_RANGE |
                                          1U << SB_KIND_CARRY | 1U << SB_KIND_WHOLE,
                                      fits,
                                      cut,
                                      macros,
                                      put};
