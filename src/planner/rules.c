/*
 * The rules are small tables (docs/kernels.md); all else here is translation.
 */
#include "planner/rules.h"

#include "kernels/byhand.h"
#include "kernels/recipe.h"
#include "kernels/sample.h"
#include "planner/candidates.h"
#include "runtime/slab.h"

#include <math.h>
#include <string.h>

/* Part kinds of src/formats by the numbers kernels know them under, or -1. */
static int
kernel_kind(sb_part_kind kind)
{
#define X(name, text, doc) text,
    static const char *const kernels[] = {
#include "kernels/registry.def"
    };
#undef X

    for (int q = 0; q < SB_COUNT(kernels); q++)
        if (strcmp(kernels[q], sb_part_names[kind]) == 0)
            return q;
    return -1;
}

static sb_kernel_op
kernel_op(sb_op op)
{
    return op == SB_OP_SPMM   ? SB_KOP_SPMM
           : op == SB_OP_SPMV ? SB_KOP_SPMV
                              : SB_KOP_SDDMM;
}

bool
sb_problem_row_major(const sb_problem *pb)
{
    return pb->op == SB_OP_SPMM && !pb->c.col_major &&
           pb->b.col_major == (pb->trans_b != SB_TRANS_N);
}

#define MOST_COLUMNS (INT64_C(1) << 56)

void
sb_work_of(sb_work *out, const sb_problem *pb)
{
    const sb_matrix *a = &pb->a;

    memset(out, 0, sizeof *out);
    sb_problem_shape(pb, &out->m, &out->n, &out->k);
    /* rules go by bytes of a row of B, which have to fit */
    out->n = out->n < MOST_COLUMNS ? out->n : MOST_COLUMNS;
    out->k = out->k < MOST_COLUMNS ? out->k : MOST_COLUMNS;
    out->op = pb->op;
    out->nnz = a->nnz * sb_matrix_block(a) * sb_matrix_block(a);
    out->a_type = a->val_type;
    out->a_size = (int)sb_dtype_size(a->val_type);
    out->b_size = (int)sb_dtype_size(pb->op == SB_OP_SDDMM ? pb->c.type : pb->b.type);
    out->c_size = (int)sb_dtype_size(pb->op == SB_OP_SDDMM ? a->val_type : pb->c.type);
    out->compute_size = (int)sb_dtype_size(pb->compute);
    out->complex = sb_dtype_is_complex(pb->compute);
    out->col_major = pb->op == SB_OP_SPMM && !sb_problem_row_major(pb);
    out->idx_size = (int)sb_dtype_size(a->idx_type);
    out->ptr_size =
        (int)sb_dtype_size(a->format == SB_FORMAT_COO ? a->idx_type : a->ptr_type);
}

sb_work
sb_work_slab(const sb_work *w, int slab)
{
    sb_work one = *w;

    one.n = slab > 0 && slab < w->n ? slab : w->n;
    return one;
}

/* Zen, as its memory was measured (docs/measured/spmm-wide-rows.md, Wide rows on Zen
 * 4): rows of B of eight lines and more are read by the line, as far as L1 fetches
 * ahead by itself. */
bool
sb_rule_many_lines(const sb_work *w, const sb_target *t)
{
    return sb_target_zen(t) && w->n * w->b_size >= 512;
}

bool
sb_rule_windows(const sb_work *w, const sb_target *t, double mean)
{
    const int64_t row = w->n * w->b_size;

    if (t->isa == SB_ISA_V4G)
        return mean >= 40 || row < (w->compute_size > 4 ? 128 : 512) || row >= 2048;
    return mean >= 40 || row < 1024 || !sb_rule_many_lines(w, t) ||
           (t->wide && row >= 2048);
}

double
sb_rule_shared(const sb_work *w, const sb_target *t)
{
    return w->op == SB_OP_SPMM && sb_rule_many_lines(w, t) ? 0.7 : 0.5;
}

bool
sb_rule_positions(const sb_work *w, const sb_target *t, int rows)
{
    const double a = (double)w->nnz * (w->a_size + w->ptr_size);
    const int least = sb_rule_by_price(w, t) ? 2 : w->n < 64 ? 4 : 3;

    return (sb_target_slow_gathers(t) || (t->isa == SB_ISA_V4G && rows >= 4)) &&
           w->n >= 32 && rows >= least && a <= (double)t->l3 / 4;
}

bool
sb_rule_runs_cut(const sb_target *t, const sb_stats *s, double shared)
{
    double runs = 0;

    for (int q = sb_stats_window(3); q < SB_STATS_WINDOWS; q++)
        runs = fmax(runs, s->win_share[q]);
    return t->isa != SB_ISA_V4G || (runs < 0.95 && shared >= 0.9);
}

bool
sb_rule_by_price(const sb_work *w, const sb_target *t)
{
    return sb_target_slow_gathers(t) && !t->gpu && w->op == SB_OP_SPMM && !w->complex &&
           !w->col_major && w->b_size == w->compute_size && w->n * w->b_size >= 128;
}

double
sb_rule_panel_run(const sb_work *w, const sb_target *t, int64_t width)
{
    const double row = (double)w->n * w->b_size;

    if (t->isa == SB_ISA_V3) { /* longer rows of B have slabs */
        if (row >= 256 && (double)w->k * row <= 0.75 * (double)t->l2)
            return INFINITY; /* L2 is near enough */
        return row >= 1024                          ? 10
               : row >= 256 && width * row <= 32768 ? 20
               : row >= 256                         ? 4
                                                    : 12 * fmax(1, width * row / 32768);
    }
    if (t->isa == SB_ISA_V4G && row < 256 && w->compute_size > 4 && !w->complex)
        return INFINITY; /* tiles of so few doubles lose by their masks */
    if (t->isa == SB_ISA_V4G && row >= 512) {
        const double b = (double)w->k * row, l2 = (double)t->l2;

        return b <= 0.4 * l2 ? INFINITY : b <= l2 ? 20 : 6; /* L2 is near enough */
    }
    /* none that was measured gained from panels where rows of A are so short */
    if (t->wide && w->nnz < 24 * w->m)
        return INFINITY;
    return sb_rule_many_lines(w, t) && row >= 2048 ? 20 : fmax(2, 768 / row);
}

bool
sb_rule_half_panels(const sb_work *w, const sb_target *t)
{
    const int64_t row = w->n * w->b_size;

    return t->isa == SB_ISA_V3 && (w->b_size == 4 || (row >= 512 && row < 1024));
}

bool
sb_rule_segments(const sb_work *w, const sb_target *t)
{
    const double a = (double)w->nnz * (w->a_size + w->idx_size);

    if (t->isa == SB_ISA_V4G && w->n * w->b_size < 512)
        return a <= 4.0 * (double)t->l2;
    return t->isa != SB_ISA_V3 || a <= (double)t->l3 / 4;
}

bool
sb_rule_local(const sb_target *t, double r4)
{
    return sb_target_zen(t) && r4 >= 1.15;
}

bool
sb_rule_partitions(const sb_work *w, const sb_target *t)
{
    const bool dots = w->op == SB_OP_SDDMM;
    const int64_t row = (dots ? w->k : w->n) * w->b_size;

    return (t->isa == SB_ISA_V4G || (t->wide && dots)) && !t->gpu &&
           w->op != SB_OP_SPMV && !w->complex && !w->col_major &&
           w->b_size == w->compute_size && row >= (t->wide ? 512 : 256) &&
           (dots || row < 2048);
}

bool
sb_rule_spread(const sb_stats *s, int parts)
{
    return s->sorted && s->r4 >= 1 && s->r4 < 1.2 && s->mean >= 6.0 * parts;
}

bool
sb_rule_scattered(const sb_view *v)
{
    return sb_view_span(v) > 0.5;
}

/* The power of two from `lo` to `hi` that is at least x. */
static int
power(double x, int lo, int hi)
{
    while (lo < hi && lo < x)
        lo *= 2;
    return lo;
}

int64_t
sb_rule_gpu_items(int64_t items, int most)
{
    const int64_t least = 256, each = items / 384 + 1;

    return each < least ? least : each > most ? most : each;
}

int
sb_rule_gpu_tile(const sb_work *w, double mean)
{
    if (w->op == SB_OP_SPMV)
        return power(mean, 4, 32);
    if (w->op == SB_OP_SDDMM) /* more than 32: of lanes with vectors */
        return power((double)w->k, 4, 256);
    return power((double)w->n, 4, w->col_major ? 32 : 128);
}

int
sb_rule_gpu_unroll(const sb_work *w, double mean, int rows)
{
    if (w->op != SB_OP_SPMM || w->col_major || mean < 4)
        return 1;
    return rows > 1 ? 2 : 4; /* beside the sums of several rows four spill */
}

void
sb_rule_gpu_rest(sb_choice *ch, const sb_stats *s)
{
    sb_part_choice *rest = &ch->part[ch->npart - 1];
    bool runs = sb_choice_levels(ch);

    if (ch->npart == 0 || ch->op == SB_OP_SDDMM)
        return;
    for (int q = 0; q + 1 < ch->npart; q++)
        runs |= ch->part[q].kind == SB_PART_BSR || ch->part[q].kind == SB_PART_DIA;
    if ((rest->kind == SB_PART_ROWS && runs) ||
        (rest->kind == SB_PART_ELL && (runs || s->longest > (int64_t)1 << rest->k)))
        *rest = (sb_part_choice){.kind = SB_PART_PICK};
}

bool
sb_rule_gpu_suits(const sb_choice *ch)
{
    for (int q = 0; q < ch->npart; q++)
        if (ch->part[q].kind == SB_PART_PANEL || ch->part[q].kind == SB_PART_SEG ||
            ch->part[q].kind == SB_PART_PROD || ch->part[q].kind == SB_PART_ALIKE ||
            ch->part[q].kind == SB_PART_HDIA || ch->part[q].kind == SB_PART_UBCSR)
            return false;
    return true;
}

/* Registers for the sums of a window's rows in a lane: of columns beside each other, of all.
 * Columns of a chunk of SpMV's windows: more lanes would each hold all sums. */
enum { WINDOW_VECTOR = 16, WINDOW_SUMS = 32, CHUNK = 16 };

/* Windows and blocks of 16-bit values, and of f32 where the caller allows it, on tensor cores: as
 * many columns as a warp's sums leave. What other windows' rows share is staged, in f32. */
static void
window_rules(sb_spec *s, sb_mma mma)
{
    const bool share = s->kinds & 1U << SB_PART_SHARE,
               bsr = s->kinds & 1U << SB_PART_BSR;
    sb_spec t = *s;

    t.mma = mma;
    t.exact = false;
    t.lanes = 32;
    for (t.tile = 64; t.tile >= 16; t.tile /= 2) {
        t.vec = t.tile == 64 && s->op == SB_KOP_SPMM ? 2 : 1;
        if ((share || bsr) && (t.tile == 16 || t.tile / 2 < s->tile) &&
            sb_spec_check(&t, NULL) == SB_OK) {
            *s = t;
            return;
        }
    }
    if (share && s->compute == SB_F32 && s->op == SB_KOP_SPMM)
        s->stage = 8;
}

/* Terms of a dot: a lane for each, or for 16 bytes where the kernel by hand loads so many. */
static void
sample_rules(sb_spec *s)
{
    const size_t b = sb_dtype_size(s->b), c = sb_dtype_size(s->c);
    const int fit = (int)(16 / (b > c ? b : c));
    sb_spec t = *s;

    t.lanes = power((double)s->tile / fit, 2, 32);
    t.tile = t.lanes * fit;
    if (sb_byhand_of(&t)) {
        *s = t;
        return;
    }
    s->tile = s->tile < 32 ? s->tile : 32;
    s->lanes = s->tile;
}

void
sb_rule_lanes(sb_spec *s)
{
    const int fit = (int)(16 / sb_dtype_size(s->b));
    const sb_mma mma = s->mma ? s->mma : SB_MMA_HALF;
    const int words = (int)sb_dtype_size(s->compute) / 4;
    const sb_byhand *h;

    s->mma = SB_MMA_NONE;
    s->vec = 1;
    if (s->kinds & 1U << SB_KIND_SELL) /* a lane a row */
        s->tile = SB_SELL_ROWS;
    if (s->op == SB_KOP_SPMM && !s->b_col && !s->c_col)
        s->vec = power(fit < s->tile / 4 ? fit : s->tile / 4, 1, 8);
    while (s->vec * s->block * words > WINDOW_VECTOR && s->vec > 1)
        s->vec /= 2;
    s->lanes = s->tile / s->vec < 32 ? s->tile / s->vec : 32;
    if (s->op == SB_KOP_SDDMM)
        sample_rules(s);
    if (s->op == SB_KOP_SPMV && s->lanes > CHUNK &&
        s->kinds & (1U << SB_KIND_MASK | 1U << SB_KIND_WIN))
        s->lanes = CHUNK;
    while (s->op == SB_KOP_SPMM && s->tile > 32 &&
           s->tile / s->lanes * s->block * words > WINDOW_SUMS)
        s->tile /= 2;
    if (s->op != SB_KOP_SPMV)
        window_rules(s, mma);
    if ((h = sb_byhand_of(s))) { /* which takes as many entries at once as it likes */
        s->unroll = 1;
        if (s->op == SB_KOP_SPMV && sb_byhand_cut_of(h, s).items > 0)
            s->tile = s->lanes = 32; /* and shares them out as it likes */
        if (s->kinds == 1U << SB_KIND_CSR && s->lanes > 16 &&
            s->tile / s->vec == s->lanes)
            s->lanes = 16; /* two vectors each; ranges have not the registers */
    }
}

/* So many rows are other than those whose lengths a processor has learnt. */
enum { UNLEARNT = 40000 };

/* Where gathers are loads one by one: groups of four rows, products of short ones where a
 * vector holds as many as help (docs/kernels.md, SpMV rule 3). */
static sb_part_kind
loaded_in_place(const sb_work *w, const sb_target *t, double mean)
{
    const bool longer = (w->compute_size == 4 && w->idx_size == 4) || w->m >= UNLEARNT;
    const double least = longer ? 14 : sb_target_zen4(t) ? 9 : 7;

    if (sb_rule_together(w, t, SB_PART_SEG, 0, mean, 0) == SB_SPEC_FLOW)
        return mean < least ? SB_PART_PROD : SB_PART_SEG;
    if (sb_target_slow_gathers(t))
        return mean < (w->compute_size == 4 ? 24 : 14) ? SB_PART_PROD : SB_PART_SEG;
    if (t->isa == SB_ISA_V3)
        return mean < (w->compute_size == 4 ? 16 : 14) ? SB_PART_PROD : SB_PART_SEG;
    if (t->isa == SB_ISA_V2 && w->compute_size == 4)
        return mean < 12 ? SB_PART_PROD : SB_PART_SEG;
    return SB_PART_CSR; /* registers of 16 bytes hold two doubles */
}

bool
sb_rule_pairs(const sb_work *w)
{
    return w->complex && w->a_size == w->compute_size && w->b_size == w->compute_size;
}

sb_part_kind
sb_rule_in_place(const sb_work *w, const sb_target *t, double mean)
{
    if (w->op != SB_OP_SPMV || (sb_rule_pairs(w) && w->idx_size == 4))
        return SB_PART_CSR;
    if (t->isa != SB_ISA_V4G)
        return loaded_in_place(w, t, mean);
    if (sb_rule_flows(w, t))
        return mean < (w->compute_size == 4 ? 12 : 9) ? SB_PART_PROD : SB_PART_SEG;
    if (mean >= 128 || w->idx_size > 4) /* by 64-bit columns: not measured of these */
        return SB_PART_CSR;
    return mean < 4.5 && w->compute_size == 4 ? SB_PART_PROD : SB_PART_SEG;
}

int64_t
sb_rule_blocks(const sb_work *w, const sb_target *t)
{
    const double c = (double)w->m * (double)w->n * w->c_size / t->threads;
    const double rounds = ceil(c / ((double)t->l2 / 2));

    return t->threads * (rounds < 1 ? 1 : (int64_t)rounds);
}

/* The few rows that windows of shared columns leave at the end of a matrix: not worth a kernel
 * that streams or asks ahead. */
static bool
last_rows(const sb_choice *ch, unsigned kinds)
{
    return ch->npart == 2 && ch->part[0].kind == SB_PART_SHARE &&
           kinds == 1U << SB_PART_ROWS;
}

void
sb_spec_of(sb_spec *out, const sb_problem *pb, const sb_choice *ch, unsigned kinds,
           sb_dtype ptr, sb_dtype idx)
{
    const bool sddmm = pb->op == SB_OP_SDDMM,
               complex = sb_dtype_is_complex(pb->compute);
    const unsigned packs = 1u << SB_PART_ELL | 1u << SB_PART_BSR | 1u << SB_PART_DIA |
                           1u << SB_PART_SELL | 1u << SB_PART_PANEL |
                           1u << SB_PART_SHARE | 1u << SB_PART_HDIA |
                           1u << SB_PART_PICK | 1u << SB_PART_UBCSR;
    const sb_trans of_b = sddmm ? pb->trans_a : pb->trans_b;
    const sb_trans of_c = sddmm ? pb->trans_b : SB_TRANS_N;

    memset(out, 0, sizeof *out);
    out->op = kernel_op(pb->op);
    for (int q = 0; q < SB_PART_COUNT; q++)
        if (kinds >> q & 1)
            out->kinds |= kernel_kind((sb_part_kind)q) < 0
                              ? 1u << 31
                              : 1u << kernel_kind((sb_part_kind)q);
    out->a = pb->a.val_type;
    out->b = pb->b.type;
    out->c = pb->c.type;
    out->compute = pb->compute;
    out->ptr = ptr;
    out->idx = idx;
    if (pb->device && pb->math != SB_MATH_EXACT && pb->b.type == SB_F32)
        out->mma = pb->math == SB_MATH_TF32 ? SB_MMA_TF32 : SB_MMA_TF32X3;
    out->b_col = pb->b.col_major != (of_b != SB_TRANS_N);
    out->c_col = pb->c.col_major != (of_c != SB_TRANS_N);
    out->a_conj = complex && !sddmm && pb->trans_a == SB_TRANS_H;
    out->b_conj = complex && of_b == SB_TRANS_H;
    out->c_conj = complex && of_c == SB_TRANS_H;
    out->block = ch->ranged;
    out->unroll = ch->joined ? 4 : kinds == 1u << SB_PART_SEG ? ch->unroll : 0;
    if ((kinds & ~(1u << SB_PART_ROWS)) == 1u << SB_PART_WIN && ch->unroll == 2 &&
        !complex && !pb->device)
        out->unroll = 2;
    if (kinds >> SB_PART_BSR & 1 || kinds >> SB_PART_WIN & 1 ||
        kinds >> SB_PART_SHARE & 1 || kinds >> SB_PART_MASK & 1 ||
        kinds == 1u << SB_PART_UBCSR)
        out->block = ch->part[0].size;
    if (kinds == 1u << SB_PART_UBCSR)
        out->unroll = ch->part[0].c;
    if (kinds >> SB_PART_BLOCKS & 1) {
        out->block = pb->a.block <= SB_SPEC_BLOCK_MAX ? (int)pb->a.block : 1;
        out->turned = out->block > 1 && sb_problem_turns_blocks(pb);
    }
    out->packed = (ch->packed && (kinds & packs)) ||
                  (kinds >> SB_PART_BLOCKS & 1 && !sb_problem_transposes(pb));
    out->narrow = ch->narrow && kinds == 1u << SB_PART_SELL;
    out->one = ch->one && kinds == 1u << SB_PART_SELL;
    out->tile = ch->tile;
    if (pb->op == SB_OP_SPMM && !out->b_col && !out->c_col) {
        out->unroll = ch->unroll;
        out->prefetch = last_rows(ch, kinds) ? 0 : ch->prefetch;
        out->stream = ch->stream && !last_rows(ch, kinds);
    }
    if (sddmm && !pb->device) {
        out->unroll = ch->unroll;
        out->unroll = sb_sample_can(out) ? ch->unroll : 0;
        out->prefetch =
            (kinds == 1U << SB_PART_CSR || kinds >> SB_PART_WIN & 1) && out->unroll > 1
                ? ch->prefetch
                : 0;
    }
    if (pb->op == SB_OP_SPMV)
        out->b_col = out->c_col = false;
}

/* Up to so many columns a block that has a row of all of them is done about as soon as a second
 * kernel could begin. */
enum { WHOLE_COLUMNS = 1 << 16 };

bool
sb_rule_gpu_whole(const sb_problem *pb)
{
    const sb_choice rows = {
        .op = SB_OP_SPMV, .npart = 1, .part = {{.kind = SB_PART_CSR}}, .tile = 32};
    int64_t m, n, k;
    sb_spec s;

    if (pb->op != SB_OP_SPMV || sb_problem_as_is(pb) != SB_PART_CSR)
        return false;
    sb_problem_shape(pb, &m, &n, &k);
    sb_spec_of(&s, pb, &rows, 1u << SB_PART_CSR, pb->a.ptr_type, pb->a.idx_type);
    s.kinds = 1u << SB_KIND_WHOLE;
    s.lanes = 32;
    return k <= WHOLE_COLUMNS && sb_byhand_of(&s);
}

bool
sb_spec_exact(const sb_spec *s, const sb_problem *pb, int slab)
{
    const int64_t n = slab > 0 && sb_slab_even(pb, slab) ? slab : pb->c.cols;

    if (s->op == SB_KOP_SDDMM) {
        const int64_t k = pb->trans_a == SB_TRANS_N ? pb->b.cols : pb->b.rows;

        return !s->b_col && s->c_col && k == s->tile;
    }
    return s->op == SB_KOP_SPMM && !s->b_col && !s->c_col && n == s->tile;
}

bool
sb_problem_planable(const sb_problem *pb, const char **why)
{
    const bool planable = !sb_problem_own_structures(pb) || sb_problem_as_is(pb) >= 0;

    *why = planable ? NULL
                    : "every batch member has its own structure, none of it by rows of "
                      "op(A)";
    return planable;
}

/* Whether X and Y of a sampled product are what tensor cores take, and the part too. */
static bool
samples_on_cores(const sb_problem *pb, const sb_choice *ch, const sb_part_choice *p)
{
    const bool half = pb->b.type == SB_F16 || pb->b.type == SB_BF16;
    const bool tf32 = pb->b.type == SB_F32 && pb->math != SB_MATH_EXACT;

    return pb->device && pb->op == SB_OP_SDDMM && !ch->packed &&
           pb->c.type == pb->b.type && (half || tf32) &&
           (p->size == 8 || (p->kind == SB_PART_BSR && p->size % 16 == 0));
}

/* Whether kinds that sample only several entries at once may take part. */
static bool
samples_together(const sb_problem *pb, const sb_choice *ch)
{
    sb_choice pairs = *ch;
    unsigned kinds = 0;
    sb_spec s;

    for (int q = 0; q < ch->npart; q++)
        kinds |= 1u << ch->part[q].kind;
    pairs.unroll = 2;
    sb_spec_of(&s, pb, &pairs, kinds, SB_I32, SB_I32);
    return sb_sample_grouped(&s);
}

/* Whether columns that rows share, or unaligned blocks, may be SpMV's. */
static bool
lanes_computable(const sb_problem *pb, const sb_choice *ch)
{
    return !pb->device && ch->packed && !sb_dtype_is_complex(pb->compute);
}

bool
sb_parts_computable(const sb_problem *pb, const sb_choice *ch)
{
    const bool together = pb->op == SB_OP_SDDMM && samples_together(pb, ch);

    for (int q = 0; q < ch->npart; q++) {
        const int kind = kernel_kind(ch->part[q].kind);
        const sb_recipe *r = kind < 0 ? NULL : sb_recipe_get(kind);

        if ((ch->part[q].kind == SB_PART_UBCSR ||
             (ch->part[q].kind == SB_PART_SHARE && pb->op == SB_OP_SPMV)) &&
            !lanes_computable(pb, ch))
            return false;
        if (!r ||
            !((together && r->sample) ||
              (samples_on_cores(pb, ch, &ch->part[q]) ? r->ops | r->tensor : r->ops) >>
                      kernel_op(pb->op) &
                  1))
            return false;
    }
    return true;
}
