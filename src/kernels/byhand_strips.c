/*
 * What strips.inc, ranges.inc and strips_kernel.inc are compiled with: SpMM of B and C by rows,
 * where a group of lanes takes strips of rows and entries.
 */
#include "base/fault.h"
#include "kernels/byhand_text.h"
#include "kernels/recipe.h"

enum { VECTORS = 2 }; /* of a lane */

static bool
fits(const sb_spec *s)
{
    const int vec = s->vec > 1 ? s->vec : 1;

    return !s->b_col && !s->c_col && !s->exact && !s->mma && !s->packed &&
           (s->even || s->kinds == 1U << SB_KIND_CSR) && s->tile <= 128 &&
           s->tile % (s->lanes * vec) == 0 && s->tile <= VECTORS * s->lanes * vec;
}

/* Entries and row ends of a strip; ranges whose sums one group adds up. */
enum { STRIP = 64, MANY = 32 };

/* Vectors of C's columns that a lane has. */
static int
vectors(const sb_spec *s)
{
    return s->tile / (s->lanes * (s->vec > 1 ? s->vec : 1));
}

/* Two vectors of a plan's strips: eight rows of B under way and half as many threads were faster
 * than four (H200: 1.30 times cuSPARSE for 1.22, 24 matrices, f32, n = 128). */
static bool
deep(const sb_spec *s)
{
    return s->kinds == 1U << SB_KIND_CSR && vectors(s) > 1 &&
           (s->compute == SB_F32 || s->compute == SB_F64) && s->b == s->compute;
}

/* Threads on a multiprocessor: 80 registers, where more is under way or of 64 bits 96 or 128. */
static int
resident(const sb_spec *s)
{
    if (s->ptr == SB_I64 || s->idx == SB_I64 || s->compute == SB_C64 || deep(s))
        return 512;
    if (s->compute == SB_F32 && (s->a == SB_F32 || s->kinds == 1U << SB_KIND_CSR))
        return 768;
    return s->kinds == 1U << SB_KIND_RANGE ? 512 : 640;
}

/* UNDER: rows of B under way in a lane, as many as its registers hold beside the sums. */
static void
macros(sb_strbuf *out, const sb_spec *s)
{
    const int vec = s->vec > 1 ? s->vec : 1, nv = vectors(s);
    const int groups = SB_SPEC_THREADS / s->lanes;
    const int wide = nv * vec * (int)sb_dtype_size(s->compute);
    const int most = wide > 64 ? 1 : wide > 32 ? 2 : wide > 16 && !deep(s) ? 4 : 8;
    const size_t sums = (size_t)groups * (size_t)s->tile * sb_dtype_size(s->compute);
    const size_t b = (size_t)vec * sb_dtype_size(s->b),
                 c = (size_t)vec * sb_dtype_size(s->c);
    const size_t at_part = sb_byhand_up((size_t)(groups + 1) * sizeof(int)),
                 at_found = at_part + 2 * sums;

    sb_strbuf_printf(out,
                     "#define LANES %d\n#define VEC %d\n#define NV %d\n"
                     "#define UNDER %d\n"
                     "#define AT_PART %zu\n#define AT_FOUND %zu\n"
                     "#define CARRIED %d\n#define FIT_B %zu\n#define FIT_C %zu\n"
                     "#define WORDS_FIT %d\n#define MANY %d\n#define AT_MANY %zu\n"
                     "#define SBG_SHARED_BYTES %zu\n"
                     "#define ITEM %s\n" /* rows and entries together */
                     "#define U_TYPE %s\n",
                     s->lanes, vec, nv, most < s->lanes ? most : s->lanes, at_part,
                     at_found, SB_FAULT(GPU_CARRY) ? 0 : 1, b < 16 ? b : 16,
                     c < 16 ? c : 16, b >= 4 && c >= 4, MANY, sums,
                     s->kinds == 1U << SB_KIND_RANGE
                         ? at_found + 32
                         : sums + sb_byhand_up((size_t)groups * sizeof(int)),
                     s->ptr == SB_I64 || s->idx == SB_I64 ? "int64_t" : "uint32_t",
                     s->ptr == SB_I64 ? "uint64_t" : "uint32_t");
    sb_byhand_resident(out, resident(s), sb_dtype_size(s->b) < 4 ? 384 : 512);
    sb_strbuf_printf(out, "#define THREADS %d\n", SB_SPEC_THREADS);
}

static sb_byhand_cut
cut(const sb_spec *s)
{
    return (sb_byhand_cut){.threads = SB_SPEC_THREADS,
                           .tiles = s->kinds == 1U << SB_KIND_CSR ? 0 : 1,
                           .strip = STRIP,
                           .resident = resident(s)};
}

static void
put(sb_strbuf *out)
{
    sb_strbuf_puts(out, sb_byhand_text_strips());
    sb_strbuf_puts(out, sb_byhand_text_ranges());
    sb_strbuf_puts(out, sb_byhand_text_strips_kernel());
}

const sb_byhand sb_byhand_strips = {
    SB_KOP_SPMM, 1U << SB_KIND_CSR | 1U << SB_KIND_RANGE | 1U << SB_KIND_CARRY,
    fits,        cut,
    macros,      put};
