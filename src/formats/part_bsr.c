/*
 * Completely full, aligned b x b blocks. Only whole blocks are taken, so nothing is
 * ever padded (0 * Inf must not appear) and every element of a block has a position.
 * Rows whose number is not a multiple of b at the end of the matrix have no block.
 *
 * The part owns all block rows in one group: those without a block only apply beta. After
 * another part it adds, and a block counts as full where nobody has taken of it.
 */
#include "formats/part.h"

#include "base/alloc.h"

#include <string.h>

enum { MAXB = 64, GRAIN = 64 /* block rows at most */ };

typedef struct scan {
    const sb_view *v;
    const uint8_t *taken;
    int64_t b, at[MAXB], end[MAXB];
} scan;

static bool
run_at(const scan *sc, int64_t r, int64_t j)
{
    const int64_t p = sc->at[r], b = sc->b;
    bool full = p + b <= sc->end[r] && sb_view_col(sc->v, p) == j &&
                sb_view_col(sc->v, p + b - 1) == j + b - 1;

    for (int64_t c = 0; full && sc->taken && c < b; c++)
        full = !sc->taken[p + c];
    return full;
}

static void
scan_begin(scan *sc, const sb_view *v, const uint8_t *taken, int64_t block_row,
           int64_t b)
{
    sc->v = v;
    sc->taken = taken;
    sc->b = b;
    for (int64_t r = 0; r < b; r++) {
        sc->at[r] = sb_view_lo(v, block_row * b + r);
        sc->end[r] = sb_view_lo(v, block_row * b + r + 1);
    }
}

/* The next full block: its column, or -1 at the end. Its element (r, c) is slot
 * at[r] - b + c: columns are strictly sorted. */
static int64_t
scan_next(scan *sc)
{
    const int64_t b = sc->b;

    while (sc->at[0] < sc->end[0]) {
        const int64_t j = sb_view_col(sc->v, sc->at[0]);
        bool full = j % b == 0 && run_at(sc, 0, j);

        for (int64_t r = 1; r < b && full; r++) {
            while (sc->at[r] < sc->end[r] && sb_view_col(sc->v, sc->at[r]) < j)
                sc->at[r]++;
            full = run_at(sc, r, j);
        }
        if (full) {
            for (int64_t r = 0; r < b; r++)
                sc->at[r] += b;
            return j / b;
        }
        sc->at[0]++;
    }
    return -1;
}

/* What threads share: they look at block rows apart from each other, first to count, then to fill. */
typedef struct job {
    const sb_view *v;
    const uint8_t *taken; /* by parts before this one, or NULL */
    uint8_t *mark;        /* what is taken here */
    int64_t b;
    void *ptr, *crd, *pos;
} job;

/* Blocks of each block row, where those before it will stand. */
static void
count_blocks(void *user, int64_t from, int64_t to)
{
    const job *j = user;

    for (int64_t i = from; i < to; i++) {
        int64_t n = 0;
        scan sc;

        scan_begin(&sc, j->v, j->taken, i, j->b);
        while (scan_next(&sc) >= 0)
            n++;
        sb_index_store(j->ptr, j->v->slot_type, i, n);
    }
}

/* From blocks of each block row, the first `used` of which have some, to blocks before it; returns all. */
static int64_t
add_up(const job *j, int64_t used)
{
    const sb_view *v = j->v;
    int64_t total = 0;

    for (int64_t i = 0; i <= v->rows / j->b; i++) {
        const int64_t n = i < used ? sb_index(j->ptr, v->slot_type, i) : 0;

        sb_index_store(j->ptr, v->slot_type, i, total);
        total += n;
    }
    return total;
}

static void
fill_blocks(void *user, int64_t from, int64_t to)
{
    const job *j = user;
    const sb_view *v = j->v;
    int64_t q = sb_index(j->ptr, v->slot_type, from), s = q * j->b * j->b;

    for (int64_t i = from; i < to; i++) {
        scan sc;

        scan_begin(&sc, j->v, j->taken, i, j->b);
        for (int64_t col = scan_next(&sc); col >= 0; col = scan_next(&sc)) {
            sb_index_store(j->crd, v->crd_type, q++, col);
            for (int64_t r = 0; r < j->b; r++)
                for (int64_t p = sc.at[r] - j->b; p < sc.at[r]; p++) {
                    sb_index_store(j->pos, v->slot_type, s++, sb_view_pos(v, p));
                    j->mark[p] = 1;
                }
        }
    }
}

static sb_status
build(sb_part *out, sb_cover *cv, int64_t b, const sb_par *par)
{
    const sb_view *v = cv->v;
    bool add;
    const sb_status st = sb_cover_marks(cv);
    const int64_t used = sb_cover_rows(cv, &add) / b;
    const int64_t grain = sb_par_piece(v->nnz, v->rows / b, GRAIN);
    job j = {.v = v, .taken = cv->taken, .b = b};
    int64_t blocks;

    j.ptr = sb_part_array_new(out, "bsr_ptr", v->slot_type, v->rows / b + 1);
    if (!j.ptr || st != SB_OK)
        return SB_ENOMEM;
    sb_par_run(par, count_blocks, &j, 0, used, grain);
    blocks = add_up(&j, used);
    if (blocks == 0)
        return SB_SKIP;
    j.crd = sb_part_array_new(out, "bsr_crd", v->crd_type, blocks);
    j.pos = sb_part_array_new(out, "bsr_pos", v->slot_type, blocks * b * b);
    if (!j.crd || !j.pos || sb_cover_open(cv) != SB_OK)
        return SB_ENOMEM;
    j.mark = cv->taken;
    sb_par_run(par, fill_blocks, &j, 0, used, grain);
    memset(cv->touched, 1, (size_t)(used * b));
    out->nnz = out->slots = blocks * b * b;
    cv->rest -= out->nnz;
    out->ngroup = 1;
    out->group[0] = (sb_part_group){0, used, out->nnz, add, add};
    return SB_OK;
}

sb_status
sb_part_bsr(sb_part *out, sb_cover *cv, int64_t b, bool sorted, const sb_par *par)
{
    sb_status st;

    memset(out, 0, sizeof *out);
    out->kind = SB_PART_BSR;
    out->width = b;
    if (!sorted || b < 2 || b > MAXB)
        return SB_SKIP;
    st = build(out, cv, b, par);
    if (st != SB_OK)
        sb_part_free(out);
    return st;
}
