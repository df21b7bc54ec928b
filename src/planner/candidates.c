/*
 * Every composition worth naming for a problem, in a fixed order. Which ones are legal
 * depends on the operation, the format and the transposition; whether they are wise is
 * the model's business.
 */
#include "planner/candidates.h"

#include "planner/context.h"
#include "planner/rules.h"

#include <math.h>
#include <string.h>

enum { PANEL_BYTES = 65536, PANEL_BYTES_SHORT = PANEL_BYTES / 2 };

/* One line per composition; n is the number of selecting parts. */
typedef struct line {
    sb_part_choice select, rest;
    bool selects;
} line;

#define REST(kind_, c_, k_)                              \
    {                                                    \
        .rest = {.kind = (kind_), .c = (c_), .k = (k_) } \
    }
#define MASKS(size_)                                     \
    {                                                    \
        .rest = {.kind = SB_PART_MASK, .size = (size_) } \
    }
#define UBCSR(rows_, columns_)                                             \
    {                                                                      \
        .rest = {.kind = SB_PART_UBCSR, .c = (columns_), .size = (rows_) } \
    }
#define WITH(sel_, size_, kind_, c_, k_)                                 \
    {                                                                    \
        .select = {.kind = (sel_), .size = (size_)},                     \
        .rest = {.kind = (kind_), .c = (c_), .k = (k_)}, .selects = true \
    }

/* k of hyb and ell lines counts from the mean: sb_mean_k + k. Of panels there are two widths. */
static const line in_place[] = {
    REST(SB_PART_CSR, 0, 0),
    REST(SB_PART_SEG, 0, 0),
    REST(SB_PART_PROD, 0, 0),
    REST(SB_PART_ALIKE, 0, 0),
    REST(SB_PART_PANEL, 0, 0),
    REST(SB_PART_PANEL, 0, 1),
    MASKS(1),
    MASKS(2),
    MASKS(3),
    MASKS(4),
    MASKS(6),
    REST(SB_PART_ROWS, 1, -1),
    REST(SB_PART_ROWS, 2, -1),
    REST(SB_PART_ROWS, 4, -1),
    REST(SB_PART_ROWS, 8, -1),
    REST(SB_PART_ROWS, 16, -1),
    REST(SB_PART_ROWS, 1, SB_K_MEAN),
    REST(SB_PART_ROWS, 2, SB_K_MEAN),
    REST(SB_PART_ROWS, 4, SB_K_MEAN),
    REST(SB_PART_ROWS, 8, SB_K_MEAN),
    REST(SB_PART_ROWS, 16, SB_K_MEAN),
    REST(SB_PART_ROWS, 1, SB_K_MEAN + 1),
    REST(SB_PART_ROWS, 1, SB_K_MEAN + 2),
    WITH(SB_PART_BSR, 4, SB_PART_ROWS, 1, -1),
    WITH(SB_PART_BSR, 2, SB_PART_ROWS, 1, -1),
    WITH(SB_PART_BSR, 3, SB_PART_ROWS, 1, -1),
    WITH(SB_PART_BSR, 8, SB_PART_ROWS, 1, -1),
    WITH(SB_PART_BSR, 16, SB_PART_ROWS, 1, -1),
    WITH(SB_PART_BSR, 32, SB_PART_ROWS, 1, -1),
    WITH(SB_PART_BSR, 4, SB_PART_ROWS, 2, SB_K_MEAN),
    WITH(SB_PART_WIN, 2, SB_PART_ROWS, 1, -1),
    WITH(SB_PART_WIN, 3, SB_PART_ROWS, 1, -1),
    WITH(SB_PART_WIN, 4, SB_PART_ROWS, 1, -1),
    WITH(SB_PART_WIN, 6, SB_PART_ROWS, 1, -1),
    WITH(SB_PART_WIN, 8, SB_PART_ROWS, 1, -1),
    WITH(SB_PART_SHARE, 2, SB_PART_ROWS, 1, -1),
    WITH(SB_PART_SHARE, 3, SB_PART_ROWS, 1, -1),
    WITH(SB_PART_SHARE, 4, SB_PART_ROWS, 1, -1),
    WITH(SB_PART_SHARE, 6, SB_PART_ROWS, 1, -1),
    WITH(SB_PART_SHARE, 8, SB_PART_ROWS, 1, -1),
    WITH(SB_PART_DIA, 60, SB_PART_ROWS, 1, -1),
    WITH(SB_PART_DIA, 90, SB_PART_ROWS, 1, SB_K_MEAN),
};
static const line anywhere[] = {
    REST(SB_PART_BLOCKS, 0, 0),
    REST(SB_PART_LIST, 0, 0),
    REST(SB_PART_SELL, 0, 0),
    REST(SB_PART_HDIA, 0, 0),
    UBCSR(1, 4),
    UBCSR(2, 4),
    UBCSR(3, 4),
    UBCSR(4, 4),
    UBCSR(1, 8),
    UBCSR(2, 8),
    UBCSR(3, 8),
    UBCSR(4, 8),
    REST(SB_PART_ELL, 0, SB_K_MEAN),
    REST(SB_PART_ELL, 0, SB_K_MEAN + 1),
    REST(SB_PART_PICK, 0, 0),
    REST(SB_PART_PICK, 0, 1),
    REST(SB_PART_COO, 0, 0),
    WITH(SB_PART_BSR, 4, SB_PART_ELL, 0, SB_K_MEAN),
    WITH(SB_PART_BSR, 2, SB_PART_ELL, 0, SB_K_MEAN),
    WITH(SB_PART_BSR, 8, SB_PART_ELL, 0, SB_K_MEAN),
    WITH(SB_PART_BSR, 32, SB_PART_ELL, 0, SB_K_MEAN),
    WITH(SB_PART_BSR, 4, SB_PART_COO, 0, 0),
    WITH(SB_PART_SHARE, 2, SB_PART_COO, 0, 0),
    WITH(SB_PART_SHARE, 3, SB_PART_COO, 0, 0),
    WITH(SB_PART_SHARE, 4, SB_PART_COO, 0, 0),
    WITH(SB_PART_SHARE, 6, SB_PART_COO, 0, 0),
    WITH(SB_PART_SHARE, 8, SB_PART_COO, 0, 0),
    WITH(SB_PART_DIA, 60, SB_PART_ELL, 0, SB_K_MEAN),
    WITH(SB_PART_DIA, 60, SB_PART_COO, 0, 0),
};

int
sb_mean_k(int64_t rows, int64_t nnz)
{
    int k = 0;

    while (k < 20 && rows > 0 && (rows << k) < nnz)
        k++;
    return k;
}

/* Row-sorted coordinates are rows in place once their offsets are counted. */
static bool
coo_by_row(const sb_matrix *a)
{
    for (int64_t p = 1; p < a->nnz; p++)
        if (sb_index(a->row, a->idx_type, p) < sb_index(a->row, a->idx_type, p - 1))
            return false;
    return true;
}

bool
sb_problem_in_place(const sb_problem *pb)
{
    const bool t = sb_problem_transposes(pb);

    switch (pb->a.format) {
    case SB_FORMAT_CSR:
        return !t;
    case SB_FORMAT_CSC:
        return t;
    case SB_FORMAT_COO:
        return !t && coo_by_row(&pb->a);
    default:
        return false;
    }
}

bool
sb_problem_own_structures(const sb_problem *pb)
{
    return pb->a.batch > 1 && (pb->a.ptr_stride != 0 || pb->a.idx_stride != 0);
}

int
sb_problem_as_is(const sb_problem *pb)
{
    const bool t = sb_problem_transposes(pb);

    switch (pb->a.format) {
    case SB_FORMAT_CSR:
        return t ? -1 : SB_PART_CSR;
    case SB_FORMAT_CSC:
        return t ? SB_PART_CSR : -1;
    case SB_FORMAT_BSR:
        return t ? -1 : SB_PART_BLOCKS;
    case SB_FORMAT_COO:
        return pb->op == SB_OP_SDDMM ? SB_PART_LIST : -1;
    default:
        return -1;
    }
}

static int
resolve(int k, int mean_k)
{
    return k >= SB_K_MEAN - 8 ? mean_k + (k - SB_K_MEAN) : k;
}

/* Columns of a panel: so many that their rows of B, as far as one register tile reads
 * them, take PANEL_BYTES or half of it; of a wider one twice as many. Those of PANEL_BYTES are
 * cut to what Zen 5's L1 holds. */
static int
panel_width(const sb_problem *pb, bool wider)
{
    const sb_target *t = sb_target_get();
    sb_work w;
    int width = 1, bytes;

    sb_work_of(&w, pb);
    bytes = !pb->device && sb_rule_half_panels(&w, t) ? PANEL_BYTES_SHORT : PANEL_BYTES;
    while (width < 4096 && width * w.b_size * fmin((double)w.n, 128) < bytes)
        width *= 2;
    if (wider)
        return 2 * width;
    return !pb->device && t->wide ? width / 4 * 3 : width;
}

static void
fill(sb_choice *out, const line *l, const sb_problem *pb, int mean_k)
{
    sb_part_choice *p = &out->part[l->selects];

    out->npart = l->selects + 1;
    if (l->selects)
        out->part[0] = l->select;
    *p = l->rest;
    p->k = resolve(l->rest.k, mean_k);
    if (p->kind == SB_PART_PANEL) {
        p->size = panel_width(pb, p->k > 0);
        p->k = 0;
    }
}

bool
sb_choice_packable(const sb_choice *ch)
{
    for (int q = 0; q < ch->npart; q++)
        if (ch->part[q].kind == SB_PART_ELL || ch->part[q].kind == SB_PART_BSR ||
            ch->part[q].kind == SB_PART_DIA || ch->part[q].kind == SB_PART_SELL ||
            ch->part[q].kind == SB_PART_PANEL || ch->part[q].kind == SB_PART_SHARE ||
            ch->part[q].kind == SB_PART_HDIA || ch->part[q].kind == SB_PART_PICK ||
            ch->part[q].kind == SB_PART_UBCSR)
            return true;
    return false;
}

static bool
legal(const sb_choice *ch, const sb_problem *pb, bool in)
{
    const sb_part_kind first = ch->part[0].kind;

    if ((first == SB_PART_BLOCKS) != (pb->a.format == SB_FORMAT_BSR) ||
        (first == SB_PART_LIST && pb->a.format != SB_FORMAT_COO))
        return false;
    if (sb_problem_own_structures(pb) && (int)first != sb_problem_as_is(pb))
        return false;
    /* A_ptr of a row-sorted COO would be the plan's own: rows do without it. */
    if ((first == SB_PART_CSR || first == SB_PART_SEG || first == SB_PART_PROD ||
         first == SB_PART_ALIKE || first == SB_PART_MASK) &&
        pb->a.format == SB_FORMAT_COO)
        return false;
    /* Rows in place are the better rest, and there is hardly any. */
    if (in && first == SB_PART_SHARE && ch->part[1].kind == SB_PART_COO)
        return false;
    /* Slices read values in place unless they are packed. */
    if ((first == SB_PART_SELL || first == SB_PART_HDIA) && !in && !ch->packed)
        return false;
    if (first == SB_PART_UBCSR && (!ch->packed || pb->device))
        return false;
    if (first == SB_PART_ALIKE && pb->device)
        return false;
    /* No GPU has shown that positions kept by lane pay. */
    if (first == SB_PART_HDIA && !ch->packed && pb->device)
        return false;
    /* Rows of B are what an order of rows finds in the caches. */
    if (first == SB_PART_PICK && ch->part[0].k > 0 &&
        (pb->op != SB_OP_SPMM || pb->device || pb->a.rows != pb->a.cols))
        return false;
    /* Pairs share too little, eight rows leave no registers for the dots of a group. */
    if (pb->op == SB_OP_SDDMM && !pb->device && first == SB_PART_WIN &&
        (ch->part[0].size < 3 || ch->part[0].size > 6))
        return false;
    return sb_parts_computable(pb, ch);
}

bool
sb_candidate_next(sb_choice *out, const sb_problem *pb, bool in, bool packed,
                  int mean_k, int *line)
{
    const int lines = (in ? SB_COUNT(in_place) : 0) + SB_COUNT(anywhere);

    for (; *line < (1 + packed) * lines; ++*line) {
        const int q = *line % lines, first = lines - SB_COUNT(anywhere);

        *out = (sb_choice){.op = pb->op, .packed = *line >= lines};
        fill(out, q < first ? &in_place[q] : &anywhere[q - first], pb, mean_k);
        if (legal(out, pb, in) && (!out->packed || sb_choice_packable(out))) {
            ++*line;
            return true;
        }
    }
    return false;
}

bool
sb_candidate(sb_choice *out, const sb_problem *pb, bool in, bool packed, int mean_k,
             int index)
{
    int line = 0;

    while (sb_candidate_next(out, pb, in, packed, mean_k, &line))
        if (index-- == 0)
            return true;
    return false;
}
