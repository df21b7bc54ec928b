/*
 * Windows and panels against plain rows on Zen 5, in entries of these: fitted to timings of both
 * (docs/measured/model.md, Forms against plain rows on Zen 5). What widths between cost besides, on
 * Zen 4 and 5.
 * Columns of the tables are the bytes of a row of B: 128, 256 .. 4096.
 */
#include "planner/cost.h"
#include "planner/rules.h"

#include <math.h>

enum { LONGS = 6 };

/* A row of A; of those of a window besides what they hold, less where it is packed. */
static const double plain_row[LONGS] = {4, 33, 2, 2, 2, 2};
static const double window_row[LONGS] = {4.8, 32, 4.1, 4.3, 1, 1};
/* A column that a window's rows share, by their number; more for a run of such columns. */
static const double column[][LONGS] = {[2] = {1.77, 0.95, 1.38, 1.39, 2.06, 2.75},
                                       [3] = {2.12, 0.95, 1.54, 1.44, 2.12, 2.75},
                                       [4] = {2.33, 1.02, 1.62, 1.62, 2.34, 3.3},
                                       [5] = {2.7, 1.08, 1.8, 1.8, 2.7, 3.7},
                                       [6] = {2.7, 1, 1.92, 1.68, 2.8, 3.8},
                                       [7] = {3.4, 1.26, 2.4, 2.1, 3.7, 4.7},
                                       [8] = {4.18, 1.53, 2.88, 2.5, 4.47, 5.3}};
static const double run[] = {
    [2] = 0.6, [3] = 1.5, [4] = 8, [5] = 10, [6] = 12, [7] = 14, [8] = 16};
/* An entry that they do not share, of two and three rows; of more, and where it is packed. */
static const double left[LONGS] = {1.33, 1.6, 1.05, 1.06, 1.35, 1.45};
#define LEFT_TALL 0.93
#define LEFT_PACKED 0.94
/* Of rows of B of two and of four lines from beyond L2: windows ask for fewer at a time. */
static const double afar[] = {1.1, 1.15};

static int
at_of(const sb_work *w)
{
    const double row = (double)w->n * w->b_size;

    return (int)fmin(LONGS - 1, floor(log2(row / 128)));
}

/* Plain rows find in L1 what the rows above have read, if it has room for what a row names: as a
 * factor of their time, above 1 where it has not, by the entries that rows share. */
static double
kept(const sb_work *w, const sb_stats *s, const sb_target *t, double by)
{
    const double row = (double)w->n * w->b_size;
    const double over = log2(fmax(1, s->mean * row) / (double)t->l1);

    return exp(by * fmax(-1, fmin(1, over)) * (1 - 1 / fmax(1, s->r4)));
}

double
sb_rows_wide_windows(const sb_part_choice *p, const sb_amounts *am, const sb_work *w,
                     const sb_stats *s, const sb_target *t, bool packed)
{
    static const double again[LONGS] = {0, 0, 0.3, 0.12, 0.9, 0.95};
    const int at = at_of(w);
    const double runs = s->win_run[sb_stats_window(p->size)];
    const double begin = p->kind == SB_PART_WIN && runs > 0 ? run[p->size] / runs : 0;
    const double rows = fmax(1, am->touches), shared = am->slots / p->size;
    const double alone = am->entries - am->slots;
    const double pass =
        rows * (window_row[at] - packed) + shared * (column[p->size][at] + begin) +
        alone * left[at] * (p->size > 3 ? LEFT_TALL : 1) * (packed ? LEFT_PACKED : 1);

    const bool beyond = at < 2 && sb_work_footprint(w, s) > 3 * (double)t->l2;

    return (beyond ? afar[at] : 1) * pass / (am->entries + rows * plain_row[at]) /
           kept(w, s, t, again[at]);
}

/* A dot of a window of three, four, and more rows, over one of plain rows, of 128, 256, 512 bytes and more,
 * where L1 has room for what a row names; how much less where it has not. */
static const double dot[][LONGS] = {{0.88, 0.93, 0.97, 0.95, 0.95, 0.95},
                                    {0.82, 0.82, 0.85, 0.8, 0.8, 0.8},
                                    {0.84, 0.9, 0.88, 0.82, 0.82, 0.82}};
static const double dot_far[LONGS] = {0.53, 0.53, 0.53, 0.4, 0.4, 0.4};
/* Where columns are asked for; of dots that a window's rows do not share. */
#define DOT_ASKED 0.8
#define DOT_ALONE 1.1
/* Where results leave L3, for a window writes in as many places as it has rows, or columns in order do, which
 * plain rows read as fast: asked for or up to 256 bytes, and else. */
static const double dot_left[] = {1.15, 1.3};

double
sb_rows_wide_dots(const sb_part_choice *p, const sb_amounts *am, const sb_work *w,
                  const sb_stats *s, const sb_target *t)
{
    const double row = (double)w->k * w->b_size;
    const int at = (int)fmax(0, fmin(LONGS - 1, floor(log2(row / 128))));
    const double over = log2(fmax(1, s->mean * row) / (double)t->l1) + 0.5;
    const double far = dot_far[at] * fmax(0, fmin(1, over / 1.2));
    const double y = sb_work_footprint(w, s);
    const bool asks = sb_rule_dots_window(w, y, s->strewn, t) > 0;
    const double shared = dot[p->size <= 3   ? 0
                              : p->size == 4 ? 1
                                             : 2][at] *
                          (1 - far) * (asks ? DOT_ASKED : 1);
    const bool leaves = sb_rule_values_leave(w, t) || (!asks && y > (double)t->l3);
    const double leave = leaves ? dot_left[!asks && row > 256] : 1;

    return leave * (am->slots * shared + (am->entries - am->slots) * DOT_ALONE) /
           am->entries;
}

/* An entry of a panel whose rows of B L1 holds, that take 64 KiB, 128, or more; a segment; both
 * packed, as a share. */
static const double entry[][LONGS] = {{0.82, 0.65, 0.5, 0.59, 0.8, 0.9},
                                      {0.91, 0.75, 0.52, 0.6, 0.8, 0.9},
                                      {0.93, 0.84, 0.67, 0.77, 0.85, 0.95},
                                      {1, 1, 0.8, 0.9, 0.94, 1.05}};
static const double segment[LONGS] = {2.3, 1.74, 1.79, 2.2, 1.3, 0.86};
static const double packed_segment[LONGS] = {0.62, 0.87, 0.94, 0.92, 0.95, 0.97};
/* Of an entry of plain rows, what it costs less where L1 has its row of B, and more where L2 has
 * not. */
static const double near[LONGS] = {0.18, 0.35, 0.5, 0.3, 0.4, 0.4};
static const double beyond[LONGS] = {0.7, 0.38, 0.33, 0.6, 0.38, 0.31};

/* From so many entries a column on eight rows are those of a mesh, whose next eight share most of theirs. */
#define LOCAL 2.5

/* How often one of eight rows, or of four, has left plain rows' next row of B in L1: of short rows
 * of B if that has room for all they name, of others less often where what one names is most of it. */
static double
found(const sb_work *w, const sb_stats *s, const sb_target *t)
{
    const double row = (double)w->n * w->b_size, named = s->mean * row / (double)t->l1;
    const double r4 = fmax(1, s->r4), r8 = fmax(1, s->r8);

    if (row < 512 && 8 * named <= r8)
        return r8 >= LOCAL ? 4 * r8 : r8;
    if (row < 512)
        return 4 * named <= r4 ? r4 : 1;
    return 1 + (r8 - 1) * fmin(1, fmax(0, (1.2 - named) / 0.5));
}

/* Bytes of B that plain rows near each other name: of a band its width, where L1 has room for what
 * one names. */
static double
reach(const sb_work *w, const sb_stats *s, const sb_target *t)
{
    const double row = (double)w->n * w->b_size, all = fmax(1, sb_work_footprint(w, s));

    return s->mean * row <= (double)t->l1
               ? fmin(all, (double)(2 * s->bandwidth + 1) * row)
               : all;
}

/* Of entries, those that name a row of B first, which no order brings sooner, where these are more than
 * what panels were fitted to. */
static double
firsts(const sb_stats *s)
{
    const double share = (double)s->distinct / fmax(1, (double)s->nnz);

    return fmax(0, fmin(1, share) - 0.1) / 0.9;
}

/* Of others, those that are not among the columns that their row, and so those near it, names most: by
 * panels that a row meets, of half of those it would meet if it named them in no order. */
static double
abroad(const sb_stats *s)
{
    const double panel = 512, mean = fmax(1, s->mean);
    const double met = mean / fmax(1, sb_stats_panel_run(s, (int64_t)panel));

    return fmin(1, 2 * met / fmin(mean, ceil((double)s->cols / panel)));
}

/* What a segment costs more where it waits for its first values from beyond L3: 4 ns, as much as A, B
 * and C are larger, where an entry takes 2 for each 256 bytes. */
static double
waits(const sb_work *w, const sb_stats *s, const sb_target *t)
{
    const double row = (double)w->n * w->b_size;
    const double all = sb_rule_bytes(w, sb_work_footprint(w, s)) / (double)t->l3;

    return 2 * fmin(2, fmax(0, all - 1.2)) * 256 / row;
}

double
sb_rows_wide_panels(const sb_part_choice *p, const sb_amounts *am, const sb_work *w,
                    const sb_stats *s, const sb_target *t, bool packed)
{
    const int at = at_of(w);
    const double bytes = (double)w->n * w->b_size * p->size;
    const int level = bytes <= (double)t->l1 ? 0
                      : bytes <= 65536       ? 1
                      : bytes <= 131072      ? 2
                                             : 3;
    const double all = reach(w, s, t), again = found(w, s, t);
    const double far = fmax(0, 1 - (double)t->l1 / all) / again;
    const double first = firsts(s);
    const double farther =
        (1 - first) * abroad(s) * fmax(0, 1 - (double)t->l2 / all) / again;
    const double each =
        packed ? segment[at] * packed_segment[at] : segment[at] + waits(w, s, t);
    const double pass =
        am->entries * (first + (1 - first) * entry[level][at]) + am->units * each;

    return pass / (am->entries * (1 - near[at] * (1 - far) + beyond[at] * farther));
}

/* Rows of B of widths between, by kernels that cut tiles short with masks, or run a second tile for
 * what one leaves: of windows, of blocks and of panels; Zen 4 and 5. */
double
sb_rows_wide_between(const sb_part_choice *p, const sb_work *w, const sb_target *t)
{
    const int64_t row = w->n * w->b_size;

    if (!sb_target_slow_gathers(t) || t->gpu || !sb_rule_between(w))
        return 1;
    if (p->kind == SB_PART_BSR)
        return row >= 128 ? 1.3 : 1;
    if (p->kind == SB_PART_PANEL)
        return row >= 128 ? 1.08 : 1;
    if (!sb_cost_windows(p))
        return 1;
    if (w->n > sb_rule_tile(w, t, p->size, 0, 0))
        return row < 256 ? 1.2 : 1.15;
    return row <= 64 ? 0.8 : row < 128 && p->kind == SB_PART_SHARE ? 1.2 : 1;
}

/* Shared columns and blocks with values in place do not ask for them where windows do; what long rows of
 * B take hides some of it. Kernels of blocks
 * that are built in ask for nothing, of columns of more than three rows neither do they nor store past
 * the caches, which shows where A, B and C leave most of L3, and L3. */
double
sb_rows_wide_unasked(const sb_part_choice *p, const sb_work *w, const sb_target *t,
                     bool packed)
{
    const bool blocks = p->kind == SB_PART_BSR;
    const int64_t row = w->n * w->b_size;
    const double all = sb_rule_bytes(w, (double)w->k * (double)row);
    double by = 1;

    if (t->gpu || !t->wide || w->op != SB_OP_SPMM || w->col_major ||
        (p->kind != SB_PART_SHARE && !blocks))
        return 1;
    if (!packed && sb_rule_values_leave(w, t))
        by = row <= 256 ? 1.8 : 1.3;
    if (blocks && all > 0.8 * (double)t->l3)
        by = fmax(by, 1.4);
    if (!blocks && p->size > 3 && row > 256 && all > (double)t->l3)
        by = fmax(by, 1.3);
    return by;
}
