/*
 * Seconds that a part's bytes take: those of A's arrays, of the rows of B that its entries name, of
 * the rows of C that it writes.
 *
 * Bytes of B are the hard term. Entries whose column a neighbouring row has just used
 * (window_reuse) come from the level where a window of B's rows fits; the others from
 * where the previous window or, if fresh, where all of B's touched rows fit. Listing
 * rows by length destroys the neighbourhood, so rows of length buckets lose it.
 */
#include "planner/cost.h"
#include "planner/rules.h"

#include <math.h>

static double
positive(double x)
{
    return x > 0 ? x : 0;
}

/* A row from afar costs as if it were so much longer: its first line is waited for. */
enum { LATE_BYTES = 64 };

/* What rows from L3 and from memory have of the rates of those. */
typedef struct afar {
    double l3, memory;
} afar;

/* Bytes/s of whole-row gathers from a set of `bytes`: what fits a cache comes at its
 * rate, the rest from the next level. Short rows use a fraction of each line. The
 * nearest level is twice L1: rows come back before they are all pushed out. */
static double
gather_rate(const sb_target *t, double bytes, afar of)
{
    const double near = 2.0 * (double)t->l1, l2 = (double)t->l2, l3 = (double)t->l3;
    double in2, in3;

    if (bytes <= l2) {
        const double in1 = bytes <= near ? 1.0 : near / bytes;

        return 1.0 / (in1 / t->gather_l1 + (1.0 - in1) / t->gather_l2);
    }
    in2 = l2 / bytes;
    in3 = bytes <= l3 ? 1.0 : l3 / bytes;
    return 1.0 / (in2 / t->gather_l2 + positive(in3 - in2) / (of.l3 * t->gather_l3) +
                  (1.0 - in3) / (of.memory * t->gather_mem));
}

static double
stream_rate(const sb_target *t, double bytes)
{
    if (bytes <= (double)t->l2)
        return t->bw_l2;
    return bytes <= (double)t->l3 ? t->bw_l3 : t->bw_mem;
}

/* How likely the row next to an entry's stays next to it when rows are listed by length. */
static double
neighbours(const sb_stats *s)
{
    double sum = 0;

    for (int q = 0; q < SB_STATS_BUCKETS; q++)
        sum += (double)s->bucket_nnz[q] * (double)s->bucket_rows[q];
    return s->nnz > 0 ? sum / ((double)s->nnz * (double)s->rows) : 0;
}

/* On Zen 4 memory's rate is that of rows that are asked for ahead, and columns that neighbouring rows hold
 * side by side are foreseen: the more of them, the nearer to twice the rate. */
static afar
rates_afar(const sb_amounts *am, double kept, const sb_work *w, const sb_stats *s,
           const sb_target *t)
{
    const bool asked =
        !am->unasked && sb_rule_beyond(w, sb_work_footprint(w, s), s->strewn, 1, t);
    const double side = 1 + positive(kept * s->window_next - 0.4) / 0.6;

    return sb_target_zen4(t) ? (afar){side, asked ? side : side / 2} : (afar){1, 1};
}

/* Seconds to read B's rows for the entries of a part. */
static double
gather_seconds(const sb_part_choice *p, const sb_amounts *am, double together,
               const sb_work *w, const sb_stats *s, const sb_target *t, bool packed)
{
    const double width = w->op == SB_OP_SDDMM ? (double)w->k : (double)w->n;
    const double line = width * w->b_size < 16 ? 16 : width * w->b_size;
    const double all = sb_work_footprint(w, s) / am->partitions;
    const double window = s->window_cols * width * w->b_size;
    const double kept = sb_cost_class(p) != SB_CLASS_HYB ? 1 : neighbours(s);
    const double reuse = kept * (am->own_reuse ? am->reuse : s->window_reuse);
    const double fresh = 1 - kept * (1 - s->window_fresh);
    const double bytes = am->entries * line;
    /* rows kept in registers together share each load of B's row */
    const double rows = p->size > 0 ? fmin(together, p->size) : together;
    const afar from = rates_afar(am, kept, w, s, t);
    const double alone = sb_cost_windows(p) ? am->entries - am->slots : 0;
    const double near = (bytes - alone * line) / rows * reuse + alone * line * reuse;
    const double far = am->entries * (line + LATE_BYTES) * (1 - reuse);

    /* Each block of rows brings in what it touches of B, panel by panel, and reads and
     * writes its row of C, which L2 holds, in every segment; in place, a segment waits for
     * its first lines of values. Pieces of rows of B lie a row apart: they use as few sets
     * of a cache as if they took up whole rows. */
    if (p->kind == SB_PART_PANEL)
        return bytes / gather_rate(t,
                                   (sb_rule_half_panels(w, t) ? 2 : 1) * p->size * line,
                                   from) +
               fmin((double)sb_rule_blocks(w, t) * all, bytes) /
                   gather_rate(t, all, from) +
               am->units * (2.0 * width * w->c_size + (packed ? 0 : 256)) /
                   t->gather_l2;
    return near / gather_rate(t, window, from) +
           far * fresh / gather_rate(t, all, from) +
           far * (1 - fresh) / gather_rate(t, fmin(all, 2 * window), from);
}

/* Whether each row of C is written once, by whoever adds it up. */
static bool
rows_once(const sb_part_choice *p)
{
    return p->kind == SB_PART_CSR || p->kind == SB_PART_SEG ||
           p->kind == SB_PART_PICK ||
           (p->kind == SB_PART_ROWS && p->k < 0 && p->c <= 1) || sb_cost_windows(p);
}

/* Rows of C that are added to beside what a row is written first. */
static double
rows_again(const sb_part_choice *p, const sb_amounts *am, const sb_stats *s)
{
    const double rows = (double)s->rows, filled = rows - (double)s->empty;

    if (p->kind == SB_PART_COO)
        return fmin(am->touches, filled);
    if (am->adds)
        return am->touches;
    if (p->kind == SB_PART_ROWS) /* by length without the empty ones */
        return positive(am->touches - (p->k < 0 ? rows : filled));
    return rows_once(p) || p->kind == SB_PART_PANEL || sb_part_selects(p->kind)
               ? 0
               : positive(am->touches - rows) * filled / fmax(1, rows);
}

double
sb_cost_cleared(const sb_part_choice *p, const sb_amounts *am, const sb_stats *s)
{
    const bool leaves_out =
        p->kind == SB_PART_COO || (p->kind == SB_PART_ROWS && p->k >= 0);

    return leaves_out && !am->adds ? (double)s->empty : 0;
}

/* Bytes/s of rows of C that another core has written, a thread's. */
static const double other_core = 30e9;

/* Seconds that A, and C where the caches do not hold it, take of memory: beside the rows of B from there,
 * for all come by one road. A row comes before it is written, unless it is stored past the caches, and once
 * more where it is added to. Those that another core has written come from there. Of a sampled product rows
 * of X are read. */
static double
memory_seconds(const sb_part_choice *p, const sb_amounts *am, const sb_work *w,
               const sb_stats *s, const sb_target *t, double a_bytes)
{
    const bool dots = w->op == SB_OP_SDDMM;
    const double row = dots ? (double)w->k * w->b_size : (double)w->n * w->c_size;
    const double c = (double)s->rows * row;
    const double whole = a_bytes + c + sb_work_footprint(w, s);
    const double beyond = positive(1 - (double)t->l3 / fmax(whole, 1));
    const double l2 = positive(1 - (double)t->l2 / fmax(c, 1));
    const bool past = rows_once(p) && !am->cached && sb_rule_past(w, s->mean, t);
    const double first = am->adds ? 0 : (past ? 1 : 2) * c;
    const double again = 2 * row * rows_again(p, am, s);

    if (dots)
        return beyond * (a_bytes + am->touches * row) / t->bw_mem;
    if (p->kind == SB_PART_COO) /* entries of a row follow each other */
        return beyond * (a_bytes + first + again) / t->bw_mem;
    return beyond * (a_bytes + first) / t->bw_mem +
           positive(l2 - beyond) * again / (other_core * t->threads) +
           beyond * again / t->bw_mem;
}

double
sb_cost_structure(const sb_part_choice *p, const sb_amounts *am, const sb_work *w,
                  bool packed)
{
    const double value = w->a_size, pos = packed ? 0 : w->ptr_size;
    const double b2 = (double)p->size * p->size;

    switch (p->kind) {
    case SB_PART_CSR:
    case SB_PART_SEG:
    case SB_PART_PROD:
        return am->entries * (value + w->idx_size) + am->touches * w->ptr_size;
    case SB_PART_ALIKE: /* of a run only the first row's columns, and no offsets */
        return am->entries * value + am->slots * w->idx_size +
               am->touches * w->ptr_size * am->slots / fmax(1, am->entries);
    case SB_PART_ROWS:
        return am->entries * (value + w->idx_size) +
               am->units * (2.0 * w->ptr_size + w->idx_size);
    case SB_PART_ELL:
        return am->entries * value + am->slots * (w->idx_size + pos) +
               am->units * 2.0 * w->idx_size;
    case SB_PART_SELL: /* windows of wide matrices may be narrow, too: not known yet */
        return am->entries * (value + (w->k <= SB_SELL_NARROW ? 2 : w->idx_size)) +
               am->touches * (w->idx_size + pos);
    case SB_PART_MASK:
        return am->entries * value + am->touches * w->ptr_size +
               am->slots * (4 + (double)w->idx_size / p->size);
    case SB_PART_HDIA:
        return packed ? am->slots * (value + (4.0 + w->idx_size) / SB_HDIA_ROWS) +
                            am->units * 5.0 * w->ptr_size
                      : am->entries * value +
                            am->slots * (4.0 + w->idx_size) / SB_HDIA_ROWS +
                            am->units * (2.0 * w->ptr_size + 4.0 * SB_HDIA_ROWS);
    case SB_PART_UBCSR: /* the bits stay where they are */
        return am->slots * (value + (double)w->idx_size / (p->size * p->c)) +
               am->touches / p->size * w->ptr_size;
    case SB_PART_PANEL:
        return am->entries * (value + w->idx_size) +
               am->units * (2.0 * w->ptr_size + w->idx_size);
    case SB_PART_WIN:
        return am->entries * value + am->slots * w->idx_size / p->size +
               (am->entries - am->slots) * (w->idx_size + w->ptr_size) +
               am->units * (4.0 + p->size) * w->ptr_size;
    case SB_PART_SHARE:
        return am->entries * (value + pos) + am->slots * w->idx_size / p->size +
               (am->entries - am->slots) * w->idx_size +
               am->units * (1.0 + p->size) * w->ptr_size;
    case SB_PART_BSR:
        return am->entries * (value + pos + w->idx_size / b2) + am->units * w->ptr_size;
    case SB_PART_BLOCKS:
        return am->entries * value + am->units * w->ptr_size;
    case SB_PART_PICK:
        return am->entries * (value + pos + w->idx_size) +
               am->units * (double)(w->ptr_size + w->idx_size);
    case SB_PART_LIST:
        return am->entries * (value + 2.0 * w->idx_size);
    case SB_PART_DIA:
        return am->slots * ((packed ? value : 0) + pos) +
               (packed ? 0 : am->entries * value);
    default:
        return am->entries * (value + pos + 2.0 * w->idx_size);
    }
}

/* Where a piece of a row that follows none of its neighbours begins, a line of columns, one of
 * values, and those beside them. */
enum { PIECE_BYTES = 256 };

double
sb_cost_apart(const sb_part_choice *p, const sb_amounts *am, const sb_work *w,
              const sb_stats *s, const sb_target *t, double a_bytes)
{
    const double row = w->op == SB_OP_SPMV    ? 0
                       : w->op == SB_OP_SDDMM ? (double)w->k * w->b_size
                                              : (double)w->n * w->c_size;
    const double whole = a_bytes + (double)s->rows * row + sb_work_footprint(w, s);
    const double empty = p->k < 0 && !am->adds ? (double)s->empty : 0;
    const afar near = {1, 1};

    if (!sb_target_zen4(t) || p->kind != SB_PART_ROWS || (p->k < 0 && p->c <= 1))
        return 0;
    return (am->units - empty) *
           (PIECE_BYTES / gather_rate(t, a_bytes, near) +
            (row > 0 ? row + LATE_BYTES : 0) / gather_rate(t, whole, near));
}

double
sb_cost_stream(const sb_work *w, const sb_stats *s, const sb_target *t, double a_bytes)
{
    const double whole = a_bytes + sb_work_footprint(w, s);

    /* what L3 does not hold has a price of its own there: sb_vector_far */
    return a_bytes / stream_rate(t, sb_target_slow_gathers(t)
                                        ? fmin(whole, (double)t->l3)
                                        : whole);
}

void
sb_cost_roof(sb_roof *out, const sb_part_choice *p, const sb_amounts *am,
             const sb_work *w, const sb_stats *s, const sb_target *t, bool packed,
             double together)
{
    const bool spmm = w->op == SB_OP_SPMM;
    const double a = sb_cost_structure(p, am, w, packed);
    const double row = spmm ? (double)w->n * w->c_size : 0;
    const double filled = (double)(s->rows - s->empty);
    const double c = 2 * (am->touches + sb_cost_cleared(p, am, s)) * row;
    /* what comes back to its row of C for each entry finds it in L1 */
    const double back =
        p->kind != SB_PART_COO ? 0 : positive(2 * (am->touches - filled) * row);
    const double whole = a + (double)s->rows * row + sb_work_footprint(w, s);
    const double stream = (a + c - back) / stream_rate(t, fmin(whole, (double)t->l3));

    /* A and C come and go beside the rows of B, as far ahead as need be */
    out->caches = fmax(stream, gather_seconds(p, am, together, w, s, t, packed) +
                                   back / t->gather_l1);
    out->memory = memory_seconds(p, am, w, s, t, a);
    out->bytes = a + c;
}
