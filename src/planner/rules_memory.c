/*
 * What leaves the caches: whether rows of B are asked for ahead of their turn, and C is stored past
 * the caches (docs/kernels.md, SpMM rule 4; SpMM rule 5).
 */
#include "planner/rules.h"

#include <math.h>

double
sb_rule_bytes(const sb_work *w, double footprint)
{
    const int64_t row = w->op == SB_OP_SDDMM ? w->k * w->b_size : w->n * w->c_size;

    return footprint + (double)w->m * (double)row +
           (double)w->nnz * (w->a_size + w->idx_size);
}

/* Of L3, what A's values take up where other programs leave no room for them; of SpMV, which reads
 * nothing else but x. */
#define VALUES_L3 0.4
#define VALUES_VECTOR_L3 1

bool
sb_rule_values_leave(const sb_work *w, const sb_target *t)
{
    const double share = w->op == SB_OP_SPMV ? VALUES_VECTOR_L3 : VALUES_L3;

    return (double)w->nnz * w->a_size > share * (double)t->l3;
}

bool
sb_rule_window_asks(const sb_work *w, const sb_target *t)
{
    return t->wide && w->op != SB_OP_SDDMM && sb_rule_values_leave(w, t);
}

/* Times that a row of B, or of C where those are more, is asked for; SDDMM's are columns of Y. */
static double
asked_for(const sb_work *w)
{
    const int64_t columns = w->op == SB_OP_SDDMM ? w->n : w->k;

    return (double)w->nnz / (double)(w->m > columns ? w->m : columns);
}

/* Of entries, those that lie in no order; of L3, what A, B and C exceed then, for other programs have
 * the rest; times that a row of B is asked for, from which on it is found near. */
#define STREWN 0.85
#define STREWN_L3 0.45
#define STREWN_ASKED 40
#define STREWN_ASKED_WIDE 30
/* Zen 5: entries for each row of B of which most find it in a cache, and of L3 what B takes up by itself where
 * they do not. */
#define MANY 20
/* Of sampled products, bytes of long dots, and entries for each column of Y from which on asking for these loses. */
#define DOTS_LONG 1024
#define MANY_DOTS 17
#define FAR_L3 0.45
/* Where fewer do: of entries, and of L3. */
#define PARTLY_STREWN 0.5
#define PARTLY_STREWN_L3 0.6
/* Of entries, where dots of less than 512 bytes gain from asking, on Zen 5 all dots, sooner. */
#define HARDLY_STREWN 0.2

/* Rows of B that keep Zen 5 busy for so long that asking for each is not in the way; longer ones push out
 * what is in use. */
static bool
wide_rows(const sb_work *w)
{
    const int64_t row = w->n * w->b_size;

    return row >= 256 && row < 2048;
}

/* Zen 5: whether most of what is named comes from beyond L2, however often it is, for B is so large and at
 * least half of it is named in no order. */
static bool
far_off(const sb_work *w, double footprint, double strewn, const sb_target *t)
{
    const int64_t row = w->n * w->b_size;

    return t->wide && row >= 128 && row < 2048 && strewn >= PARTLY_STREWN &&
           footprint > FAR_L3 * (double)t->l3;
}

static bool
plain_types(const sb_work *w)
{
    return w->op == SB_OP_SPMM && (w->a_type == SB_F32 || w->a_type == SB_F64) &&
           w->a_size == w->compute_size && w->b_size == w->compute_size;
}

bool
sb_rule_strewn(const sb_work *w, double footprint, double strewn, const sb_target *t)
{
    const double asked = asked_for(w);

    return sb_target_slow_gathers(t) && plain_types(w) && !w->col_major &&
           (far_off(w, footprint, strewn, t) ||
            (strewn >= STREWN && (t->wide ? wide_rows(w) && asked < STREWN_ASKED_WIDE
                                          : asked < STREWN_ASKED))) &&
           footprint > 1.5 * (double)t->l2 &&
           sb_rule_bytes(w, footprint) > STREWN_L3 * (double)t->l3;
}

bool
sb_rule_alone(const sb_work *w, double footprint, double strewn, sb_part_kind kind,
              const sb_target *t)
{
    return (kind == SB_PART_CSR || kind == SB_PART_ROWS || kind == SB_PART_PICK) &&
           sb_rule_strewn(w, footprint, strewn, t);
}

/* Zen 5, of L3, what a product takes up where several rows of A ask for a row of B at once; more, the
 * more often others ask for it again. */
#define TOGETHER_L3 0.8
#define TOGETHER_ASKED 16

/* Zen 5: of L3, what a product takes up where asking pays. */
static double
least_wide(bool dots, int64_t row, double strewn)
{
    if (!dots)
        return strewn >= PARTLY_STREWN ? 1 : 1.6;
    if (row >= DOTS_LONG)
        return 1.3;
    if (strewn >= STREWN)
        return row < 256 ? 0.8 : 0.45;
    if (strewn >= HARDLY_STREWN)
        return row < 256 ? 0.9 : 1;
    return row < 256 ? INFINITY : row < 512 ? 1.5 : 1.2;
}

bool
sb_rule_beyond(const sb_work *w, double footprint, double strewn, int rows,
               const sb_target *t)
{
    const bool dots = w->op == SB_OP_SDDMM;
    const int64_t row = (dots ? w->k : w->n) * w->b_size;
    const double all = sb_rule_bytes(w, footprint);
    const double asked = asked_for(w) / (rows > 1 ? rows : 1);
    const bool zen3 =
        t->isa == SB_ISA_V3; /* docs/measured/spmm-streaming.md, What is left of L3 */
    const bool partly = sb_target_zen4(t) && !dots && strewn >= PARTLY_STREWN;
    double least = t->wide         ? least_wide(dots, row, strewn)
                   : zen3 && !dots ? 0.375
                   : partly        ? PARTLY_STREWN_L3
                                   : 0.9;

    if (t->wide && !dots && rows > 1)
        return row >= 128 &&
               all > (TOGETHER_L3 + asked / TOGETHER_ASKED) * (double)t->l3;
    if (dots && row < 512 && !t->wide)
        least =
            zen3 || (sb_target_zen4(t) && strewn >= HARDLY_STREWN) ? 0.45 : INFINITY;
    return row >= (zen3 && !dots ? 32 : 128) &&
           (all > (least + asked / 64) * (double)t->l3 ||
            (rows <= 1 && sb_rule_strewn(w, footprint, strewn, t)));
}

bool
sb_rule_leaves(const sb_problem *pb, double footprint, double strewn, int rows,
               const sb_target *t)
{
    sb_work w;

    if (!sb_target_zen(t) || (pb->op != SB_OP_SDDMM && !sb_problem_row_major(pb)))
        return false;
    sb_work_of(&w, pb);
    return sb_rule_beyond(&w, footprint, strewn, rows, t);
}

/* On Zen 3 and 5 long rows that come before they are used push out what is in use, the more the
 * more often one is asked for; those that several rows of A ask for at once, or named in no order, do not. */
static bool
too_long(const sb_work *w, int rows, bool strewn, const sb_target *t)
{
    const int64_t row = (w->op == SB_OP_SDDMM ? w->k : w->n) * w->b_size;
    const double asked = asked_for(w);

    if (!(t->wide || t->isa == SB_ISA_V3) || rows > 1 || strewn)
        return false;
    return w->op == SB_OP_SDDMM ? row >= DOTS_LONG && (!t->wide || asked >= MANY_DOTS)
                                : (t->wide && asked >= MANY) ||
                                      (row >= 2048 && (row >= 4096 || asked >= 11));
}

bool
sb_rule_asks_whole(const sb_work *w, double footprint, double strewn,
                   const sb_target *t)
{
    return sb_rule_beyond(w, footprint, strewn, 1, t) &&
           !too_long(w, 1, sb_rule_strewn(w, footprint, strewn, t), t);
}

/* Of L3, what B takes up where rows of it of half a line or a line are asked for. */
#define SHORT_L3 0.6

/* Such rows, of f32 and f64, where few entries ask for each, or in no order: these then go one by one
 * (docs/measured/spmm-asking-ahead.md, Rows of B of half a line; Columns in no order). */
static bool
asks_short(const sb_work *w, double footprint, double strewn, int rows,
           const sb_target *t)
{
    const int64_t row = w->n * w->b_size;

    if (w->op != SB_OP_SPMM || w->complex || w->a_size != w->compute_size ||
        w->b_size != w->compute_size || rows > 1)
        return false;
    if (!t->wide && sb_rule_strewn(w, footprint, strewn, t))
        return row == 32 || row == 64 || (row >= 96 && row < 128);
    return t->wide && (row == 32 || row == 64) && asked_for(w) < MANY &&
           footprint > SHORT_L3 * (double)t->l3;
}

/* An order of rows in which each names a column beyond those of the row before: one that was not
 * named yet, and the others were; on Zen 4 all of them, as diagonals do, and not for the longest rows of
 * B. */
#define ONWARD 0.7
#define ONWARD_ZEN4 0.95
/* Of L3, what A, B and C take up then. */
#define LAST_L3 1.2
/* Entries a row of A: Zen 5 asks for what each of fewer names. */
#define FEW_WIDE 4

static bool
goes_on(const sb_work *w, double footprint, double onward, const sb_target *t)
{
    const int64_t row = w->n * w->b_size;

    if (sb_target_zen4(t))
        return onward >= ONWARD_ZEN4 && row < (w->nnz < 16 * w->m ? 1024 : 2048);
    return t->wide && onward >= ONWARD &&
           (w->nnz >= FEW_WIDE * w->m || row >= 4096 ||
            !sb_rule_beyond(w, footprint, 0, 1, t));
}

int
sb_rule_last(const sb_work *w, double footprint, double onward, const sb_target *t)
{
    return goes_on(w, footprint, onward, t) && w->op == SB_OP_SPMM && !w->col_major &&
                   !w->complex && w->b_size == w->compute_size &&
                   w->n * w->b_size >= 256 &&
                   sb_rule_bytes(w, footprint) > LAST_L3 * (double)t->l3
               ? 8
               : 0;
}

bool
sb_rule_dots_near(const sb_work *w, double onward, const sb_target *t)
{
    return sb_target_slow_gathers(t) && w->op == SB_OP_SDDMM && onward >= ONWARD_ZEN4;
}

/* Zen 3: widths between those of 32, 64 and 128 bytes. */
static bool
not_measured(const sb_work *w)
{
    const int64_t row = w->n * w->b_size;

    return row < 128 && row != 32 && row != 64;
}

/* How many entries ahead. On Zen 5 some 16 KiB of rows of B are under way into L1, twice as many where
 * half of them are there already; elsewhere, and of rows of A together, what is asked for goes into L2. */
static int
distance(const sb_work *w, double strewn, int rows, const sb_target *t)
{
    const bool dots = w->op == SB_OP_SDDMM;
    const int64_t row = (dots ? w->k : w->n) * w->b_size;
    const int64_t near = dots || strewn >= PARTLY_STREWN ? row : row / 2;

    if (!t->wide || rows > 1)
        return SB_PREFETCH_FAR;
    return near <= 256 ? 56 : near <= 512 || (dots && row < DOTS_LONG) ? 32 : 16;
}

/* Of entries, those in no order where first lines alone are asked for, on Zen 5 and beside rows of C that go
 * past the caches of Emerald Rapids; and how far ahead. */
#define FIRST_STREWN 0.8
#define FIRST_STREWN_FAST 0.45
#define FIRST 15

bool
sb_rule_first(const sb_work *w, double footprint, double strewn, const sb_target *t)
{
    const int64_t row = w->n * w->b_size;

    if (!plain_types(w) || w->col_major || w->idx_size == 8)
        return false;
    /* one tile of floats that is cut short has no kernel that asks */
    if (t->isa == SB_ISA_V4G)
        return row >= 256 && row < 2048 && w->nnz < 16 * w->m &&
               (w->b_size > 4 || row <= 512 || row >= 1024) &&
               strewn >= FIRST_STREWN_FAST && footprint > (double)t->l2;
    return t->wide && row == 256 && strewn >= FIRST_STREWN &&
           footprint > 0.5 * (double)t->l2;
}

int
sb_rule_prefetch(const sb_problem *pb, double footprint, double strewn, int rows,
                 bool stream, const sb_target *t)
{
    const bool dots = pb->op == SB_OP_SDDMM;
    sb_work w;

    sb_work_of(&w, pb);
    /* short rows have more from being joined (docs/measured/spmm-few-columns.md, Few
     * columns on Emerald Rapids) */
    if (t->isa == SB_ISA_V4G && w.n * w.b_size < 128)
        return 0;
    if (!sb_target_zen(t) && stream)
        return rows <= 1 && sb_rule_first(&w, footprint, strewn, t) ? FIRST : 0;
    if (!sb_target_zen(t))
        return !dots && sb_problem_row_major(pb) && footprint > (double)t->l3 / 2 ? 8
                                                                                  : 0;
    if (t->isa == SB_ISA_V3 && !dots && not_measured(&w))
        return 0;
    if (sb_problem_row_major(pb) && asks_short(&w, footprint, strewn, rows, t))
        return distance(&w, strewn, rows, t);
    return sb_rule_leaves(pb, footprint, strewn, rows, t) &&
                   !too_long(&w, rows, sb_rule_strewn(&w, footprint, strewn, t), t)
               ? distance(&w, strewn, rows, t)
           : rows <= 1 && sb_rule_first(&w, footprint, strewn, t) ? FIRST
                                                                  : 0;
}

/* Of entries, those in no order where windows of sampled products ask, but where dots are long; L2s that Y
 * exceeds then; columns ahead. */
#define DOTS_STREWN 0.1
#define DOTS_L2 1
#define DOTS_LONG_L2 4
#define DOTS_NEAR 16

bool
sb_rule_dots_timed(const sb_target *t)
{
    return t->wide || t->isa == SB_ISA_V4G;
}

int
sb_rule_dots_window(const sb_work *w, double footprint, double strewn,
                    const sb_target *t)
{
    const double l2s = footprint / (double)t->l2;
    const bool wants = (strewn >= DOTS_STREWN && l2s > DOTS_L2) ||
                       (w->k * w->b_size >= DOTS_LONG && l2s > DOTS_LONG_L2);

    return sb_rule_dots_timed(t) && w->op == SB_OP_SDDMM && wants ? DOTS_NEAR : 0;
}

/* Columns of a window ahead, by bytes of a row of B. */
enum { WINDOW_LONG = 1024, WINDOW_HALF = 512 };

int
sb_rule_nearer(int prefetch, sb_part_kind kind, int64_t row, const sb_target *t)
{
    if (!t->wide || kind != SB_PART_WIN || prefetch != SB_PREFETCH_FAR)
        return prefetch;
    return row >= WINDOW_LONG ? 16 : row >= WINDOW_HALF ? 24 : 32;
}

/* Zen 5: of L3, a slab whose rows are asked for; slabs of all threads, beyond which these have one at a
 * time together. */
#define SLAB_ASKS 0.1
#define SLABS_APART 0.2

int
sb_rule_slab_prefetch(const sb_work *w, int slab, double strewn, const sb_target *t)
{
    const sb_work narrow = sb_work_slab(w, slab);

    return t->wide && slab > 0 && plain_types(w) && strewn >= STREWN &&
                   (double)w->k * slab * w->b_size > SLAB_ASKS * (double)t->l3
               ? distance(&narrow, strewn, 1, t)
               : 0;
}

bool
sb_rule_slab_shared(const sb_work *w, int slab, const sb_target *t)
{
    const double bytes = (double)w->k * slab * w->b_size;

    return t->wide && bytes > 2.0 * (double)t->l2 &&
           bytes * t->threads > SLABS_APART * (double)t->l3;
}

bool
sb_rule_slab_asks(const sb_work *w, int slab, const sb_target *t)
{
    return slab == 0 || (t->isa != SB_ISA_V3 && t->isa != SB_ISA_V4G && w->b_size <= 4);
}

/* Emerald Rapids, whose L3 is so far that C is in the way of B and A from two L2s on, of rows of two
 * lines where it has them itself (docs/measured/spmm-streaming.md, Streaming on Emerald
 * Rapids). Not by threads: what is stored past the caches is summed by other
 * kernels. */
static bool
in_the_way(const sb_work *w, double c, double all, const sb_target *t)
{
    const double two = 2 * (double)t->l2;

    return w->n * w->c_size >= 256 ? all > two && c > two / 8 : c > two;
}

/* Zen 4: a tile wider than C, whose last line of a row of C is cut short by masks; whole lines are not. */
static bool
cut_short(const sb_work *w, const sb_target *t)
{
    return sb_target_zen4(t) && w->op == SB_OP_SPMM && w->n * w->c_size % 64 != 0 &&
           sb_rule_tile_of(w, t, SB_PART_CSR, 0, 0, 0) > w->n;
}

bool
sb_rule_past(const sb_work *w, double mean, const sb_target *t)
{
    const double c = (double)w->m * (double)w->n * w->c_size;
    const double l2 = (double)t->l2 * t->threads;
    const double all = c + (double)w->k * (double)w->n * w->b_size +
                       (double)w->nnz * (w->a_size + w->idx_size);
    const bool wide = sb_target_slow_gathers(t) && w->n * w->c_size >= 256;

    if (mean >= 16 && !sb_rule_many_lines(w, t))
        return false;
    if (cut_short(w, t)) /* docs/measured/spmm-streaming.md */
        return false;
    if (t->isa == SB_ISA_V3) /* docs/measured/spmm-streaming.md, What is left of L3 */
        return all > (w->n * w->c_size >= 128 ? 0.5 : 0.8) * (double)t->l3;
    if (t->isa == SB_ISA_V4G && w->op == SB_OP_SPMM && w->n * w->c_size >= 128)
        return in_the_way(w, c, all, t);
    if (t->wide && w->n * w->c_size >= 128 && all > 0.7 * (double)t->l3)
        return true;
    return c > fmin(8 * l2, 16 << 20) || (wide && all > (double)t->l3 / 2);
}

/* Whether rows of C are whole lines: parts of one would be read first, and half of one go each way
 * (sb_rule_tile_streams). */
static bool
whole_lines(const sb_problem *pb, const sb_work *w, const sb_target *t)
{
    return sb_problem_row_major(pb) && pb->c.ld * w->c_size % 64 == 0 &&
           (t->isa != SB_ISA_V3 || w->n * w->c_size % 64 < 32);
}

bool
sb_rule_stream(const sb_problem *pb, const sb_work *w, double mean, const sb_target *t)
{
    return whole_lines(pb, w, t) && sb_rule_past(w, mean, t);
}

bool
sb_rule_stream_order(const sb_problem *pb, const sb_work *w, const sb_target *t)
{
    return t->isa == SB_ISA_V4G && w->n * w->c_size >= 128 && whole_lines(pb, w, t);
}

bool
sb_rule_stream_last(const sb_problem *pb, const sb_work *w, const sb_target *t)
{
    return sb_target_zen4(t) && whole_lines(pb, w, t) && !cut_short(w, t);
}
