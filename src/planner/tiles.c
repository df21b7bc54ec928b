/*
 * Cutting a group of units into tiles of about equal cost. A unit costs its entries and
 * two more for its row of C. Cuts follow the order of units, so tile tables are the same
 * in every run, and never separate two units of one row: a tile owns its rows.
 */
#include "planner/context.h"

/* The array a kind lists its rows in, or NULL where units are rows already. */
static const sb_part_array *
row_list(const sb_part *p)
{
    switch (p->kind) {
    case SB_PART_ROWS:
        return sb_part_find(p, "rows_row");
    case SB_PART_ELL:
        return sb_part_find(p, "ell_row");
    case SB_PART_COO:
        return sb_part_find(p, "coo_row");
    default:
        return NULL;
    }
}

/*
 * What one unit reads its cost from: cost * scale + fixed, with cost = hi[u] - lo[u], or
 * lo[u + 1] - lo[u] where hi is NULL. via: lo counts runs, columns or units, and this
 * their slots. also: entries more, of `rows` rows a unit, each twice as dear.
 */
typedef struct costs {
    const sb_part_array *lo, *hi, *via, *some, *also;
    int64_t scale, fixed, rows;
} costs;

static costs
costs_of(const sb_part *p)
{
    costs c = {.scale = 1, .fixed = 2};

    switch (p->kind) {
    case SB_PART_ROWS:
        c.lo = sb_part_find(p, "rows_lo");
        c.hi = sb_part_find(p, "rows_hi");
        break;
    case SB_PART_ELL:
        c.hi = sb_part_find(p, "ell_len");
        break;
    case SB_PART_BSR:
        c.lo = sb_part_find(p, "bsr_ptr");
        c.scale = p->width * p->width;
        c.fixed = 2 * p->width;
        break;
    case SB_PART_WIN:
        c.lo = sb_part_find(p, "win_seg");
        c.via = sb_part_find(p, "win_off");
        c.also = sb_part_find(p, "win_left");
        c.rows = p->width;
        c.scale = p->width;
        c.fixed = 2 * p->width;
        break;
    case SB_PART_SHARE:
        c.lo = sb_part_find(p, "share_seg");
        c.some = sb_part_find(p, "share_some");
        c.also = sb_part_find(p, "share_left");
        c.rows = p->width;
        c.scale = p->width;
        c.fixed = 2 * p->width;
        break;
    case SB_PART_SELL:
        c.lo = sb_part_find(p, "sell_col");
        c.via = sb_part_find(p, "sell_ptr");
        c.fixed = 2 * SB_SELL_ROWS;
        break;
    case SB_PART_HDIA:
        c.lo = sb_part_find(p, "hdia_ptr");
        c.fixed = 2 * SB_HDIA_ROWS;
        break;
    case SB_PART_ALIKE:
        c.lo = sb_part_find(p, "alike_lo");
        c.fixed = 2 * SB_ALIKE_ROWS;
        break;
    case SB_PART_PICK:
        c.lo = sb_part_find(p, "pick_ptr");
        break;
    case SB_PART_PANEL:
        c.lo = sb_part_find(p, "panel_ptr");
        c.via = sb_part_find(p, "panel_off");
        break;
    case SB_PART_MASK: /* a chunk of a row costs about three entries */
        c.lo = sb_part_find(p, "mask_ptr");
        c.scale = 3 * p->width;
        c.fixed = 2 * p->width;
        break;
    case SB_PART_UBCSR: /* a row of a block about two entries */
        c.lo = sb_part_find(p, "ubcsr_ptr");
        c.scale = 2 * p->width + 2;
        c.fixed = 2 * p->width + 4;
        break;
    case SB_PART_DIA:
        c.fixed = p->width + 2;
        break;
    default:
        c.fixed = 1; /* coo */
        break;
    }
    return c;
}

static int64_t
at(const sb_part_array *a, int64_t u)
{
    return sb_index(a->data, a->type, u);
}

static int64_t
unit_cost(const costs *c, int64_t u)
{
    int64_t lo, hi, more = 0;

    if (!c->lo)
        return (c->hi ? at(c->hi, u) : 0) + c->fixed;
    lo = at(c->lo, u);
    hi = c->hi ? at(c->hi, u) : at(c->lo, u + 1);
    if (c->via) {
        lo = at(c->via, lo);
        hi = at(c->via, hi);
    }
    if (c->some)
        hi += at(c->some, u + 1) - at(c->some, u);
    if (c->also)
        more = 2 * (at(c->also, (u + 1) * c->rows) - at(c->also, u * c->rows));
    return (hi - lo) * c->scale + more + c->fixed;
}

/* Units that only add and have no entries: left out where so many follow each other. */
enum { GAP = 4 };

/* End of the tile that starts at unit u. An adding tile ends where a gap begins. */
static int64_t
next_cut(const costs *c, const sb_part_array *rows, int64_t u, int64_t end,
         int64_t grain, bool add)
{
    int64_t sum = 0, idle = 0;

    while (u < end && sum < grain && idle < GAP) {
        const int64_t cost = unit_cost(c, u++);

        idle = add && c->lo && cost == c->fixed ? idle + 1 : 0;
        sum += cost;
    }
    if (idle == GAP)
        return u - GAP;
    while (rows && u < end && at(rows, u) == at(rows, u - 1))
        u++;
    return u;
}

void
sb_tiles_cut(sb_tile *tile, int64_t *n, const sb_part *p, const sb_part_group *g,
             const sb_view *v, int kind, int64_t grain)
{
    const costs c = costs_of(p);
    const sb_part_array *list = row_list(p);

    for (int64_t u = g->lo, hi; u < g->hi; u = hi) {
        if (p->kind == SB_PART_CSR || p->kind == SB_PART_SEG ||
            p->kind == SB_PART_PROD || p->kind == SB_PART_BLOCKS) {
            const int64_t rows = sb_part_rows_of_unit(p->kind), i = u * rows;
            const int64_t b2 = v->block * v->block, some = (grain + b2 - 1) / b2;

            hi = (sb_view_row_at(v, i + sb_view_lo(v, i) + some) + rows - 1) / rows;
            hi = hi <= u ? u + 1 : hi > g->hi ? g->hi : hi;
        } else {
            if (g->add && c.lo && unit_cost(&c, u) == c.fixed) {
                hi = u + 1;
                continue;
            }
            hi = next_cut(&c, list, u, g->hi, grain, g->add);
        }
        if (tile)
            tile[*n] = (sb_tile){kind, u, hi, 0};
        (*n)++;
    }
}

/* Slots, and entries more, below a unit; sums of units' costs are differences of these. */
static int64_t
cost_below(const costs *c, int64_t u)
{
    int64_t slots = at(c->lo, u);

    if (c->via)
        slots = at(c->via, slots);
    if (c->some)
        slots += at(c->some, u);
    return slots * c->scale + (c->also ? 2 * at(c->also, u * c->rows) : 0);
}

int64_t
sb_tiles_total(const sb_part *p)
{
    const costs c = costs_of(p);
    int64_t sum = 0;

    if (!c.lo || c.hi)
        return p->nnz;
    for (int q = 0; q < p->ngroup; q++) {
        const sb_part_group *g = &p->group[q];

        sum +=
            cost_below(&c, g->hi) - cost_below(&c, g->lo) + (g->hi - g->lo) * c.fixed;
    }
    return sum;
}

int64_t
sb_tile_cost(const sb_tile *t, const sb_part *p, const sb_view *v, int64_t groups)
{
    const costs c = costs_of(p);
    const bool rows = p->kind == SB_PART_CSR || p->kind == SB_PART_BLOCKS;
    const int64_t b2 = v->block * v->block;
    int64_t sum = 0, most = 0;

    if (p->kind == SB_PART_SEG || p->kind == SB_PART_PROD || p->kind == SB_PART_LIST ||
        p->kind == SB_PART_COO)
        return 0; /* equal as they are */
    for (int64_t u = t->lo; u < t->hi; u++) {
        const int64_t cost = rows ? (sb_view_lo(v, u + 1) - sb_view_lo(v, u)) * b2 + 2
                                  : unit_cost(&c, u);

        sum += cost;
        most = cost > most ? cost : most;
    }
    return most > sum / groups ? most * groups : sum;
}
