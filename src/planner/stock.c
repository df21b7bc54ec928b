/*
 * See stock.h.
 */
#include "planner/stock.h"

#include "base/macro.h"
#include "kernels/byhand.h"
#include "kernels/recipe.h"
#include "planner/rules.h"

typedef struct family {
    sb_kernel_op op;
    sb_kind kind;
    bool even; /* for calls without analysis (even.h), else for a plan's tiles */
    int tile_lo, tile_hi; /* what sb_rule_gpu_tile answers */
    const char *layouts;  /* of B and C, pairs */
    int types;            /* the first so many */
} family;

/* Without analysis rows go by ranges where there is a buffer for their sums. */
static const family families[] = {
    {SB_KOP_SPMM, SB_KIND_CSR, false, 4, 128, "rr", 6},
    {SB_KOP_SPMM, SB_KIND_CSR, false, 4, 32, "rccrcc", 2},
    {SB_KOP_SPMM, SB_KIND_CSR, true, 4, 128, "rr", 4},
    {SB_KOP_SPMM, SB_KIND_RANGE, true, 4, 128, "rr", 6},
    {SB_KOP_SPMM, SB_KIND_CARRY, true, 4, 128, "rr", 6},
    {SB_KOP_SPMV, SB_KIND_CSR, false, 32, 32, "rr", 4},
    {SB_KOP_SPMV, SB_KIND_CSR, true, 4, 32, "rr", 4},
    {SB_KOP_SPMV, SB_KIND_WHOLE, true, 32, 32, "rr", 4},
    {SB_KOP_SPMV, SB_KIND_RANGE, true, 32, 32, "rr", 4},
    {SB_KOP_SPMV, SB_KIND_CARRY, true, 32, 32, "rr", 4},
    {SB_KOP_SDDMM, SB_KIND_RANGE, true, 4, 256, "rc", 4},
};

/* Elements of A and B, sums, elements of C: the last two when C is by columns (sides.h). */
static const sb_dtype types[][3] = {
    {SB_F32, SB_F32, SB_F32},   {SB_F64, SB_F64, SB_F64}, {SB_F16, SB_F32, SB_F16},
    {SB_BF16, SB_F32, SB_BF16}, {SB_F16, SB_F32, SB_F32}, {SB_BF16, SB_F32, SB_F32}};

/* Entries taken together in rows that are not short. */
static int
together(const family *f, const sb_dtype type[3], const char *layout, int tile)
{
    const sb_work w = {.op = f->op == SB_KOP_SPMM   ? SB_OP_SPMM
                             : f->op == SB_KOP_SPMV ? SB_OP_SPMV
                                                    : SB_OP_SDDMM,
                       .n = tile,
                       .b_size = (int)sb_dtype_size(type[0]),
                       .col_major = layout[0] == 'c' || layout[1] == 'c'};

    return sb_rule_gpu_unroll(&w, 32, 1);
}

/* One spec; those that no kernel has are left out. Whether it is the same for any unroll. */
static bool
put(const family *f, const sb_dtype type[3], const char *layout, int tile, int unroll,
    void (*each)(void *user, const char spec[SB_SPEC_MAX]), void *user)
{
    char text[SB_SPEC_MAX];
    sb_spec s = {.op = f->op,
                 .kinds = 1u << f->kind,
                 .even = f->even,
                 .a = type[0],
                 .b = type[0],
                 .c = type[2],
                 .compute = type[1],
                 .ptr = SB_I32,
                 .idx = SB_I32,
                 .b_col = layout[0] == 'c',
                 .c_col = layout[1] == 'c',
                 .tile = tile,
                 .unroll = unroll};

    sb_rule_lanes(&s);
    if (f->op == SB_KOP_SDDMM && s.tile != tile) /* as another */
        return true;
    if (sb_spec_print(text, sizeof text, &s) == SB_OK)
        each(user, text);
    return sb_byhand_of(&s) != NULL;
}

void
sb_stock_each(void (*each)(void *user, const char spec[SB_SPEC_MAX]), void *user)
{
    for (int q = 0; q < SB_COUNT(families) * SB_COUNT(types); q++) {
        const family *f = &families[q / SB_COUNT(types)];
        const int type = q % SB_COUNT(types);

        for (const char *layout = f->layouts; *layout && type < f->types; layout += 2)
            for (int tile = f->tile_lo; tile <= f->tile_hi; tile *= 2) {
                const int unroll = together(f, types[type], layout, tile);
                const bool same = put(f, types[type], layout, tile, 1, each, user);

                if (unroll > 1 && !same)
                    (void)put(f, types[type], layout, tile, unroll, each, user);
            }
    }
}
