/*
 * Register tiles: how many columns of C have sums in registers, of one row or of the rows of a
 * window or a block (docs/kernels.md, SpMM rule 2).
 */
#include "planner/rules.h"

/* 32 registers hold 24 vectors of sums: 64 columns of six rows. */
int
sb_rule_tall(const sb_work *w, const sb_target *t)
{
    return t->isa >= SB_ISA_V4 && w->compute_size == 4 ? 6 : 0;
}

/* As many vectors are 64 doubles of three. */
static int
tall_doubles(const sb_work *w)
{
    return w->compute_size == 8 ? 3 : 0;
}

/* Sixteen registers of 32 bytes have room for eight vectors of one row's sums, four of two rows',
 * two of up to six (docs/measured/spmm-windows.md, Windows on Zen 3). The list of
 * tiles: */
static int
sixteen_tile(const sb_work *w, int block)
{
    const bool wide = w->compute_size > 4;

    if (block <= 1)
        return wide ? 1 : 0;
    return (block == 2 ? 1 : 2) + (wide ? 1 : 0);
}

/* Widths that no tile has; Zen 3 was not measured. */
static bool
any_width(const sb_work *w, const sb_target *t)
{
    return t->isa >= SB_ISA_V4 && sb_rule_between(w);
}

/* Entries of a row of A from which on whole rows of B of sixteen registers are asked for as fast as those of
 * eight, which take more passes over A. */
enum { ASKS_TALL = 14 };

static bool
asks_tall(const sb_work *w, int prefetch)
{
    return prefetch >= SB_PREFETCH_WHOLE && prefetch < SB_PREFETCH_FAR &&
           w->nnz >= ASKS_TALL * w->m;
}

int
sb_rule_tile(const sb_work *w, const sb_target *t, int block, int prefetch, int rank)
{
    static const int lists[][5] = {{64, 32, 16, 8}, {32, 16, 64, 8},   {16, 8, 32, 64},
                                   {8, 16, 32, 64}, {16, 4, 8, 32},    {4, 16, 8, 32},
                                   {32, 16, 8, 4},  {128, 64, 32, 16}, {8, 4, 16, 32},
                                   {4, 8, 16, 32},  {2, 4, 8, 16, 32}};
    const int tall = sb_rule_tall(w, t);
    const bool roomy = (tall > 0 && block <= tall) ||
                       (sb_target_slow_gathers(t) && sb_rule_many_lines(w, t) &&
                        block <= tall_doubles(w));
    /* four vectors of columns: of 32 bytes, 16 doubles */
    const bool short_vectors = t->isa < SB_ISA_V4 && w->compute_size > 4;
    /* tiles of eight vectors that ask are not built in for columns of 64 bits */
    const bool sixteen = t->isa == SB_ISA_V3 && block <= 8 &&
                         (w->compute_size == 4 || w->compute_size == 8) &&
                         (block > 1 ? w->n * w->compute_size > 64
                                    : w->n >= (prefetch && w->idx_size < 8 ? 33 : 64));
    /* a tile cut short costs what its columns do (docs/measured/widths-between.md,
     * Tiles cut short) */
    const bool once = !block && (sb_target_slow_gathers(t) || any_width(w, t));
    /* Zen 5's prefetchers follow sixteen lines, where nothing else is asked for, or of long rows of A */
    const bool doubles = t->wide && !block && w->compute_size == 8 && w->n >= 128 &&
                         (!prefetch || asks_tall(w, prefetch));
    int list;

    if (rank < 0 || rank >= SB_COUNT(lists[0]))
        return 0;
    if (w->op == SB_OP_SPMV)
        list = t->isa == SB_ISA_V4G ? 8 : 5; /* docs/kernels.md, SpMV rules 1 and 2 */
    else if (w->op == SB_OP_SDDMM)
        list = w->k == 128 ? 7 : w->k == 64 ? 0 : 6;
    else if (w->col_major)
        list = 3;
    else if (sixteen)
        list = sixteen_tile(w, block);
    else if (block > 1 && block <= 8 && short_vectors && w->n > 8)
        list = 2;
    else if (w->n >= (once ? 33 : 64))
        list = doubles || (tall > 0 && w->n >= (once ? 65 : 128) && !block) ? 7
               : block >= 3 && !roomy                                       ? 1
                                                                            : 0;
    else
        list = w->n > 16 ? 1 : w->n > 8 ? 2 : w->n > 4 ? 3 : w->n > 2 ? 9 : 10;
    return lists[list][rank];
}

/* Whether all of a row in place that is cut short is one tile of sixteen registers on Zen 5, of floats on
 * Zen 4 and Emerald Rapids, which with the tail's own registers is faster than two, unless rows of B are
 * asked for; then where rows are short and whole lines, which C takes past the caches (not on Zen 4, which
 * does not by such tiles; docs/measured/widths-between.md). */
static bool
single_tile(const sb_work *w, const sb_target *t, int prefetch)
{
    const int64_t row = w->n * w->compute_size;

    return any_width(w, t) && (t->wide || w->compute_size == 4) && row > 512 &&
           (!prefetch || (row % 64 == 0 && w->nnz < 8 * w->m && !sb_target_zen4(t)));
}

/* Zen 5: as many registers of floats as of doubles, of rows in place. */
static bool
long_floats(const sb_work *w, const sb_target *t, int prefetch)
{
    return t->wide && w->op == SB_OP_SPMM && !w->col_major && w->a_type == SB_F32 &&
           w->b_size == 4 && w->compute_size == 4 && w->n >= 256 &&
           (!prefetch || asks_tall(w, prefetch));
}

/* Emerald Rapids: all of a row of B of 1024 bytes at once where L2 holds B, rows in place. */
static bool
near_lines(const sb_work *w, const sb_target *t, int prefetch)
{
    return t->isa == SB_ISA_V4G && w->op == SB_OP_SPMM && !w->col_major && !prefetch &&
           (w->a_type == SB_F32 || w->a_type == SB_F64) && w->b_size == w->a_size &&
           w->compute_size == w->a_size && w->n * w->b_size == 1024 &&
           (double)w->k * 1024 <= (double)t->l2;
}

/* Zen 5: windows that ask take 512 bytes of a row of B at once, whatever registers there are for the sums
 * (docs/measured/spmm-windows.md, Windows beyond the near caches on Zen 5). */
static bool
asking_windows(const sb_work *w, const sb_target *t, sb_part_kind kind, int block,
               int prefetch)
{
    return t->wide && kind == SB_PART_WIN && block <= 4 && prefetch > 0 &&
           w->op == SB_OP_SPMM && !w->col_major && w->n * w->compute_size >= 512 &&
           w->b_size == w->compute_size && !w->complex;
}

int
sb_rule_tile_asks(const sb_work *w, const sb_target *t, int prefetch, int last)
{
    return t->wide && last > 0 && w->n * w->compute_size >= 1024 ? last : prefetch;
}

int
sb_rule_tile_of(const sb_work *w, const sb_target *t, sb_part_kind kind, int block,
                int prefetch, int rank)
{
    const int single = kind == SB_PART_CSR && (single_tile(w, t, prefetch) ||
                                               long_floats(w, t, prefetch) ||
                                               near_lines(w, t, prefetch))
                           ? 1024 / w->compute_size
                       : asking_windows(w, t, kind, block, prefetch)
                           ? 512 / w->compute_size
                           : 0;

    if (t->isa == SB_ISA_V3 && kind != SB_PART_CSR)
        prefetch = 0; /* no kernel in tiles for it is built in */
    if (t->isa == SB_ISA_V4G && sb_rule_flows(w, t) &&
        (kind == SB_PART_SEG || kind == SB_PART_PROD)) /* others' are of eight */
        return rank == 0 ? 4 : rank == 1 ? 8 : 0;
    if (single == 0)
        return sb_rule_tile(w, t, block, prefetch, rank);
    return rank >= 0 && rank <= 3 ? single >> rank : 0;
}

bool
sb_rule_tile_streams(const sb_work *w, const sb_target *t, int tile)
{
    const int64_t cut = w->n % tile;

    return t->isa != SB_ISA_V3 || tile * w->compute_size > 128 || cut == 0 ||
           (w->n < tile && 2 * w->n > tile);
}

/* As many bytes as 31 registers of 64 bytes have (one holds B), or 16 of 32, of which two rows'
 * values and B take some. */
bool
sb_rule_holds(const sb_work *w, const sb_target *t, int rows)
{
    const int room = t->isa >= SB_ISA_V4 ? 1984 : t->isa == SB_ISA_V3 ? 448 : 512;

    return rows * sb_rule_tile(w, t, rows, 0, 0) * w->compute_size <= room;
}
