/*
 * What samples.inc is compiled with: SDDMM by ranges of entries where a dot's terms lie side by
 * side in both operands. Measured on an H100 (docs/gpu.md): four entries under way in a group
 * and as many threads as a multiprocessor takes beat eight and fewer; blocks of 512 threads
 * have neighbouring rows in L1 at a time, which pays where a warp has one entry at a time.
 */
#include "base/fault.h"
#include "base/macro.h"
#include "kernels/byhand_text.h"
#include "kernels/recipe.h"

#include <string.h>

static bool
fits(const sb_spec *s)
{
    return !s->b_col && s->c_col && !s->exact && !s->mma && s->unroll <= 1 &&
           s->lanes >= 2 && s->lanes <= 32;
}

/* Entries under way in a group. */
static int
under(const sb_spec *s)
{
    const int most = sb_dtype_size(s->compute) > 8 ? 2 : 4;

    return most < s->lanes ? most : s->lanes;
}

/* Whether 64 registers do. */
static bool
is_small(const sb_spec *s)
{
    return s->compute == SB_F32 && s->b == SB_F32 && s->c == SB_F32 &&
           s->ptr == SB_I32 && s->idx == SB_I32;
}

/* Threads that leave registers for the sums, what is converted, and indices of 64 bits; but
 * for 9.0 and 10.0 ptxas finds no way with as few. */
static void
put_resident(sb_strbuf *out, const sb_spec *s)
{
    const size_t sum = sb_dtype_size(s->compute);
    const bool wide = s->ptr == SB_I64 || s->idx == SB_I64;
    const bool most = sum > 8 || (wide && (sum > 4 || sb_dtype_size(s->b) < 4));

    sb_strbuf_printf(out,
                     "#if defined(__CUDA_ARCH__) && "
                     "(__CUDA_ARCH__ < 900 || __CUDA_ARCH__ >= 1200)\n"
                     "#define SBG_RESIDENT 512\n#else\n#define SBG_RESIDENT %d\n"
                     "#endif\n",
                     most          ? 512
                     : is_small(s) ? 1024
                                   : 768);
}

static int
threads(const sb_spec *s)
{
    return s->lanes < 32 ? SB_SPEC_THREADS : is_small(s) ? 512 : 256;
}

static sb_byhand_cut
cut(const sb_spec *s)
{
    return (sb_byhand_cut){.threads = threads(s),
                           .tiles = threads(s) / 32, /* a range for each warp */
                           .least = s->lanes < 32 ? 32 : 2 * under(s)};
}

static void
macros(sb_strbuf *out, const sb_spec *s)
{
    const size_t x = sb_dtype_size(s->b), y = sb_dtype_size(s->c);
    const size_t vec = 16 / (x > y ? x : y);

    put_resident(out, s);
    sb_strbuf_printf(out,
                     "#define THREADS %d\n#define LANES %d\n#define UNDER %d\n"
                     "#define VEC %zu\n#define FIT_X %zu\n#define FIT_Y %zu\n"
                     "#define NAME_OF_SUMS %s\n#define NAME_OF_INDICES %s\n"
                     "#define NAME_OF_PLACES %s\n#define ROW uint%d_t\n"
                     "#define PLACE uint%d_t\n",
                     threads(s), s->lanes, under(s), vec, vec * x, vec * y,
                     sb_dtype_name(s->compute), sb_dtype_name(s->idx),
                     sb_dtype_name(s->ptr), s->idx == SB_I64 ? 64 : 32,
                     s->ptr == SB_I64 ? 64 : 32);
}

#ifdef SPBLAS_FAULTS
static const struct {
    sb_fault fault;
    const char *right, *wrong; /* of the text */
} changes[] = {
    {SB_FAULT_GPU_SAMPLE_ROW, "31, 32) > place)", "31, 32) >= place)"},
    {SB_FAULT_GPU_SAMPLE_GAP, "w->ptr[mid] <= place)", "w->ptr[mid] < place)"},
    {SB_FAULT_GPU_SAMPLE_GIVEN, "upper ? sum[q] : sum[q + half]",
     "upper ? sum[q + half] : sum[q]"},
    {SB_FAULT_GPU_SAMPLE_ONE, "SBG_ANY(r != last)", "0"},
    {SB_FAULT_GPU_SAMPLE_END, "if (own < end) {", "if (own <= end) {"},
};

/* What of the text is in front of its seeded faults, and those; returns the rest. */
static const char *
put_faults(sb_strbuf *out, const char *text)
{
    for (int q = 0; q < SB_COUNT(changes); q++) {
        const char *at = strstr(text, changes[q].right);

        if (at && sb_fault_active(changes[q].fault)) {
            sb_strbuf_putn(out, text, (size_t)(at - text));
            sb_strbuf_puts(out, changes[q].wrong);
            text = at + strlen(changes[q].right);
        }
    }
    return text;
}
#endif

static void
put(sb_strbuf *out)
{
    const char *text = sb_byhand_text_samples();

#ifdef SPBLAS_FAULTS
    text = put_faults(out, text);
#endif
    sb_strbuf_puts(out, text);
}

const sb_byhand sb_byhand_samples = {
    SB_KOP_SDDMM, 1U << SB_KIND_RANGE, fits, cut, macros, put};
