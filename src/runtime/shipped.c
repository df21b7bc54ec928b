/*
 * The cost model's coefficients until `spblas tune` has run: in proportion to threads,
 * a set for each kind of core that was measured (docs/measured/model.md): Sapphire
 * Rapids, Zen 3, 4 and 5, and one for others. Only ratios decide between plans.
 */
#include "runtime/target.h"

static double
least(double a, double b)
{
    return a < b ? a : b;
}

/* Multiply-adds, streaming and gathers of whole rows, per level of the caches, a
 * thread's. Of Zen 4 and 5 those of rows fit what products take
 * (docs/measured/model.md, Rates of Zen 4, Rates of Zen 5); from memory, of rows
 * that are asked for ahead. */
typedef struct rates {
    double flops, bw_l2, bw_l3, bw_mem, gather_l1, gather_l2, gather_l3, gather_mem,
        step;
} rates;

static rates
rates_of(const sb_target *t)
{
    static const rates zen3 = {100e9, 95e9, 75e9, 18e9, 125e9, 60e9, 40e9, 10e9, 1e-6},
                       fast = {80e9, 100e9, 60e9, 16e9, 118e9, 53e9, 20e9, 4.5e9, 2e-6},
                       zen4 = {118e9, 80e9, 55e9, 18e9, 150e9, 110e9, 40e9, 25e9, 1e-6},
                       zen5 = {180e9, 120e9, 120e9, 24e9, 330e9,
                               150e9, 60e9,  40e9,  1e-6},
                       others = {0, 80e9, 55e9, 18e9, 100e9, 45e9, 27e9, 9e9, 1e-6};
    static const double flops[SB_ISA_COUNT] = {
        [SB_ISA_GENERIC] = 10e9, [SB_ISA_V2] = 35e9};
    rates r = t->isa == SB_ISA_V3    ? zen3
              : t->isa == SB_ISA_V4G ? fast
              : sb_target_zen4(t)    ? zen4
              : t->isa == SB_ISA_V4  ? zen5
                                     : others;

    if (r.flops == 0)
        r.flops = flops[t->isa];
    return r;
}

static void
set_rates(sb_target *t)
{
    const double n = t->threads;
    const rates r = rates_of(t);

    t->flops = r.flops * n;
    t->bw_l2 = r.bw_l2 * n;
    t->bw_l3 = r.bw_l3 * n;
    t->bw_mem = least(r.bw_mem * n, 200e9);
    t->gather_l1 = r.gather_l1 * n;
    t->gather_l2 = r.gather_l2 * n;
    t->gather_l3 = r.gather_l3 * n;
    t->gather_mem = least(r.gather_mem * n, 120e9);
    t->tile_seconds = 20e-9;
    t->step_seconds = t->threads > 1 ? r.step : 20e-9;
}

/* Sapphire Rapids; SpMV's windows, unaligned blocks and rows that follow each other Emerald
 * Rapids: terms of their own (cost_fast.c), of windows without bytes, as fitted within L3.
 * Classes that are not named are taken for plain rows. That of shared columns is set by
 * hand: predictions for five matrices were 0.7 to 1.2 of the clock. */
static const sb_factor fast_spmm[SB_CLASS_COUNT] = {
    [SB_PART_CSR] = {1.23, 0.6, 1.3}, [SB_PART_ROWS] = {1.23, 0.6, 1.3},
    [SB_PART_BSR] = {1.5, 0, 1.25},   [SB_PART_DIA] = {0.7, 1.2, 0.4},
    [SB_PART_WIN] = {1.4, 0.3, 0.38}, [SB_PART_PANEL] = {1.35, 1.35, 1.6},
    [SB_PART_SHARE] = {1, 1, 1},
};
static const sb_factor fast_spmv[SB_CLASS_COUNT] = {
    [SB_PART_CSR] = {0.5, 1, 1},        [SB_PART_ROWS] = {0.5, 1, 1},
    [SB_PART_BSR] = {0.5, 0, 1.27},     [SB_PART_DIA] = {0, 0.3, 0.83},
    [SB_PART_WIN] = {0, 1, 1},          [SB_PART_SEG] = {0.5, 1, 1},
    [SB_PART_SELL] = {1.2, 0.55, 0.72}, [SB_PART_MASK] = {0.45, 0.8, 0.8},
    [SB_PART_HDIA] = {0.3, 0.5, 1},     [SB_PART_PROD] = {0.5, 1, 1},
    [SB_PART_UBCSR] = {0, 0.85, 0.85},  [SB_PART_ALIKE] = {0, 1, 1},
};
static const sb_factor fast_sddmm[SB_CLASS_COUNT] = {
    [SB_PART_CSR] = {1.5, 0.5, 3.9},
    [SB_PART_ROWS] = {1.5, 0.5, 3.9},
};

/* Zen 4: classes of SpMV that the rules set aside, and of SDDMM, fitted to what
 * they took (docs/measured/model.md, Rates of Zen 4). Of SpMV Zen 5 too. */
static const sb_factor zen_spmv[SB_CLASS_COUNT] = {
    [SB_PART_ELL] = {0.5, 0.7, 0.2},
    [SB_PART_PICK] = {0.7, 0.8, 0.25},
    [SB_PART_COO] = {1.5, 0.45, 0},
    [SB_PART_ALIKE] = {0, 1, 1},
};
static const sb_factor zen4_sddmm[SB_CLASS_COUNT] = {
    [SB_PART_CSR] = {1.06, 1, 1.7},
    [SB_PART_ROWS] = {1.33, 1.5, 1.5},
    [SB_CLASS_HYB] = {1.2, 2.5, 2},
    [SB_PART_WIN] = {1.46, 4, 0.19},
};

/* Zen 5, which begins rows and takes entries faster. */
static const sb_factor zen5_spmm[SB_CLASS_COUNT] = {
    [SB_PART_CSR] = {1, 0.7, 0.7},   [SB_PART_ROWS] = {1, 0.7, 0.7},
    [SB_PART_ELL] = {1, 0.7, 0.7},   [SB_PART_BSR] = {1.1, 0.8, 0.8},
    [SB_PART_WIN] = {1, 0.7, 0.7},   [SB_PART_PANEL] = {1, 0.7, 0.7},
    [SB_PART_SHARE] = {1, 0.7, 0.7}, [SB_PART_PICK] = {1, 0.7, 0.7},
    [SB_CLASS_HYB] = {1, 0.7, 0.7},
};
static const sb_factor zen5_sddmm[SB_CLASS_COUNT] = {
    [SB_CLASS_HYB] = {0.8, 1, 0.8},
};

/* Other cores: all classes as they are but those of SpMM that Zen 4 showed to be
 * dearer against plain rows than the model says (docs/measured/model.md). */
static sb_factor
other_factor(int op, int class, const sb_target *t)
{
    const sb_isa isa = t->isa;
    double f = 1;

    if (op == SB_OP_SPMV && class == SB_PART_UBCSR) /* holes are bytes, too */
        return (sb_factor){isa == SB_ISA_V3 ? 1 : t->wide ? 0.1 : 0.65, 1, 1};
    if (op == SB_OP_SPMV && /* bytes are among what was fitted */
        (isa == SB_ISA_V3 || (isa == SB_ISA_V4 && class == SB_PART_SHARE)))
        return (sb_factor){0.2, 1, 1};
    if (op == SB_OP_SPMV && isa < SB_ISA_V4 &&
        (class == SB_PART_CSR || class == SB_PART_ROWS)) /* Zen 4 */
        return (sb_factor){0.5, 1.3, 0.8};
    if (op == SB_OP_SPMV) /* its bytes are read while it computes: half of that shows */
        return (sb_factor){0.5, 1, 1};
    if (op == SB_OP_SPMM && class == SB_PART_PANEL)
        f = isa == SB_ISA_V3 || isa == SB_ISA_V4 ? 1 : 1.3;
    if (op == SB_OP_SPMM && class == SB_PART_BSR)
        f = isa == SB_ISA_V3 ? 1 : 1.1;
    return (sb_factor){f, f, f};
}

static void
set_factors(sb_target *t)
{
    static const sb_factor *const fast[SB_OP_COUNT] = {
        [SB_OP_SPMM] = fast_spmm, [SB_OP_SPMV] = fast_spmv, [SB_OP_SDDMM] = fast_sddmm};
    static const sb_factor *const zen4[SB_OP_COUNT] = {
        [SB_OP_SPMV] = zen_spmv, [SB_OP_SDDMM] = zen4_sddmm};
    static const sb_factor *const zen5[SB_OP_COUNT] = {
        [SB_OP_SPMM] = zen5_spmm, [SB_OP_SPMV] = zen_spmv, [SB_OP_SDDMM] = zen5_sddmm};

    for (int op = 0; op < SB_OP_COUNT; op++)
        for (int q = 0; q < SB_CLASS_COUNT; q++) {
            const sb_factor *const *set = t->isa == SB_ISA_V4G  ? fast
                                          : sb_target_zen4(t)   ? zen4
                                          : t->isa == SB_ISA_V4 ? zen5
                                                                : NULL;
            const sb_factor *f = set && set[op] ? &set[op][q] : NULL;

            t->factor[op][q] = f && f->roof + f->unit + f->entry > 0 ? *f
                               : t->isa == SB_ISA_V4G ? fast[op][SB_PART_CSR]
                                                      : other_factor(op, q, t);
        }
}

void
sb_target_defaults(sb_target *t)
{
    set_rates(t);
    set_factors(t);
}
