/*
 * Slices of 16 neighbouring rows, taken apart by diagonals: a chunk is what the slice
 * holds of one diagonal, a bit mask of its rows, and its columns lie side by side. Where
 * diagonals are followed by several rows at a time neither columns nor positions of
 * single entries are read. A chunk has 16 slots for values, so that they too are loaded
 * side by side: spreading them by mask costs more than the bytes of the holes, which no
 * kernel computes with. Entries of diagonals with fewer than LEAST are left over: the
 * s-th of each row make a chunk, columns listed one by one. Where rows leave over more
 * than there is room for, diagonals of a few are chunks after all: refused when that
 * takes MOST slots an entry.
 * What is left over waits for its products to be stored and loaded again by mask, so few such
 * diagonals are cheaper as chunks (docs/measured/spmv-diagonals.md, Thin diagonals),
 * which they are when that is asked for.
 * With values in place a row's entries are met in the order they lie in, so every
 * diagonal is a chunk, in the order of their columns, and nothing is listed.
 * Source   HDIA (Barbieri, Cardellini, Filippone 2015), with masks for padding
 */
#include "formats/part.h"
#include "formats/sweep.h"

#include "base/alloc.h"

#include <string.h>

enum {
    LEAST = 4,
    MOST = 8,
    ROOM = 4,
    ROWS = SB_HDIA_ROWS,
    GRAIN = 16 /* slices at most */
};

/* One slice as it is cut: the left-over slots in the order they were met. */
typedef struct scan {
    sb_sweep by; /* diagonals */
    int64_t at[ROWS];
    int64_t slot[SB_HDIA_LEFT];
    int lane[SB_HDIA_LEFT];
    int least; /* rows of a diagonal that is a chunk */
    sb_hdia_slice size;
} scan;

static void
scan_begin(scan *sc, int64_t slice, int least)
{
    const sb_view *v = sc->by.v;
    const int64_t first = slice * ROWS;

    sc->size = (sb_hdia_slice){0};
    sc->least = least;
    for (int r = 0; r < ROWS; r++)
        sc->at[r] = first + r < v->rows ? sb_view_lo(v, first + r) : 0;
    sb_sweep_begin(&sc->by, first, ROWS);
}

/* The next diagonal that is a chunk, slot[r] where row r has it; what is not goes to the
 * entries left over. Who only counts passes NULL. */
SB_INLINE uint32_t
next_chunk(scan *sc, int64_t *col, int64_t *slot)
{
    uint32_t mask;

    while ((mask = sb_sweep_next(&sc->by, col)) != 0) {
        const int n = sb_sweep_count(mask);
        const bool chunk = n >= sc->least || sc->size.left + n > SB_HDIA_LEFT;

        for (uint32_t m = slot || !chunk ? mask : 0; m; m &= m - 1) {
            const int r = SB_LOWEST_BIT(m);

            if (slot)
                slot[r] = sc->at[r]++;
            if (!chunk) {
                sc->slot[sc->size.left] = slot ? slot[r] : 0;
                sc->lane[sc->size.left++] = r;
            }
        }
        if (chunk) {
            sc->size.full += n == ROWS;
            sc->size.some += n < ROWS;
            return mask;
        }
        sc->size.thin++;
    }
    return 0;
}

/* Chunks of entries left over: as many as one row has. */
static void
count_rest(scan *sc)
{
    int64_t n[ROWS] = {0};

    for (int64_t q = 0; q < sc->size.left; q++) {
        const int64_t have = ++n[sc->lane[q]];

        sc->size.rest = have > sc->size.rest ? have : sc->size.rest;
    }
}

/* What slices would take, each as if it were alone. */
static void
count_slice(sb_hdia_slice *out, scan *sc, int64_t slice)
{
    int64_t col;

    scan_begin(sc, slice, LEAST);
    while (next_chunk(sc, &col, NULL))
        ;
    count_rest(sc);
    *out = sc->size;
}

/* What a slice's thin diagonals cost as chunks beyond what they cost as entries left over: a chunk as
 * much as four entries or two steps of spreading them, and whoever has any waits for five chunks more. */
static int64_t
thin_costs(const sb_hdia_slice *s)
{
    return s->left > 0 ? 4 * s->thin - s->left - 2 * s->rest - 20 : 0;
}

/* All slices without entries left over, where that is cheaper in sum, else those that it is for; none
 * where it takes more than ROOM slots an entry. */
static void
take_thin(sb_hdia_slice *s, int64_t slices, int64_t nnz)
{
    int64_t sum = 0, all = 0, cheap = 0;
    bool every;

    for (int64_t g = 0; g < slices; g++) {
        const int64_t before = (s[g].full + s[g].some) * ROWS + s[g].left;
        const int64_t after = (s[g].full + s[g].some + s[g].thin) * ROWS;

        sum += thin_costs(&s[g]);
        all += after;
        cheap += thin_costs(&s[g]) <= 0 ? after : before;
    }
    every = sum <= 0 && all / ROOM <= nnz;
    if (!every && cheap / ROOM > nnz)
        return;
    for (int64_t g = 0; g < slices; g++)
        if (every || thin_costs(&s[g]) <= 0) {
            s[g].some += s[g].thin;
            s[g].thin = s[g].left = s[g].rest = 0;
        }
}

void
sb_part_hdia_count(sb_hdia_slice *out, const sb_view *v, const int64_t *slice,
                   int64_t n)
{
    scan sc;

    sb_sweep_init(&sc.by, v, NULL, 1);
    for (int64_t q = 0; q < n; q++)
        count_slice(&out[q], &sc, slice[q]);
}

/* The part's arrays, in the order they are made; the later ones of values in place. */
enum { SEG, PTR, LEFT, COL, BITS, CRD, POS, AT = LEFT };

static void
store(sb_part *out, int array, int64_t at, int64_t value)
{
    sb_index_store(out->array[array].data, out->array[array].type, at, value);
}

/* A diagonal's slots are its rows', holes included. */
static void
put_diagonal(sb_part *out, const sb_view *v, int64_t chunk, int64_t at, uint32_t mask,
             int64_t col, const int64_t slot[ROWS])
{
    store(out, COL, chunk, col);
    store(out, BITS, chunk, mask);
    if (v->slot_type == SB_I64) {
        int64_t *pos = (int64_t *)out->array[POS].data + at;

        for (int r = 0; r < ROWS; r++)
            pos[r] = mask >> r & 1 ? sb_view_pos(v, slot[r]) : -1;
    } else {
        int32_t *pos = (int32_t *)out->array[POS].data + at;

        for (int r = 0; r < ROWS; r++)
            pos[r] = mask >> r & 1 ? (int32_t)sb_view_pos(v, slot[r]) : -1;
    }
}

/* Entries left over, chunk by chunk without holes. */
static void
put_rest(sb_part *out, const scan *sc, int64_t chunk, int64_t at, int64_t crd)
{
    int16_t list[ROWS][SB_HDIA_LEFT]; /* of what was met, by row */
    int64_t n[ROWS] = {0};

    for (int64_t q = 0; q < sc->size.left; q++)
        list[sc->lane[q]][n[sc->lane[q]]++] = (int16_t)q;
    for (int64_t s = 0; s < sc->size.rest; s++, chunk++) {
        uint32_t mask = 0;

        for (int r = 0; r < ROWS; r++)
            if (n[r] > s) {
                const int64_t slot = sc->slot[list[r][s]];

                mask |= 1u << r;
                store(out, CRD, crd++, sb_view_col(sc->by.v, slot));
                store(out, POS, at++, sb_view_pos(sc->by.v, slot));
            }
        store(out, COL, chunk, 0);
        store(out, BITS, chunk, mask);
    }
}

static int64_t
load(const sb_part *out, int array, int64_t at)
{
    return sb_index(out->array[array].data, out->array[array].type, at);
}

static void
fill_slice(sb_part *out, scan *sc, int64_t slice, bool leaves)
{
    const sb_view *v = sc->by.v;
    const int64_t first = load(out, SEG, slice * 3), at = load(out, PTR, slice);
    int64_t full = first, some = load(out, SEG, slice * 3 + 1), col, slot[ROWS];
    uint32_t mask;

    scan_begin(sc, slice, leaves ? LEAST : 1);
    while ((mask = next_chunk(sc, &col, slot)) != 0) {
        int64_t *chunk = mask == (1u << ROWS) - 1 ? &full : &some;

        put_diagonal(out, v, *chunk, at + (*chunk - first) * ROWS, mask, col, slot);
        (*chunk)++;
    }
    count_rest(sc);
    put_rest(out, sc, some, at + (some - first) * ROWS, load(out, LEFT, slice));
}

static void
fill_in_place(sb_part *out, scan *sc, int64_t slice)
{
    int64_t chunk = load(out, SEG, slice), col;
    uint32_t mask;

    scan_begin(sc, slice, 1);
    for (int r = 0; r < ROWS; r++)
        store(out, AT, slice * ROWS + r,
              slice * ROWS + r < sc->by.v->rows ? sc->at[r] - sc->at[0] : 0);
    for (; (mask = sb_sweep_next(&sc->by, &col)) != 0; chunk++) {
        store(out, COL, chunk, col);
        store(out, BITS, chunk, mask);
    }
}

/* What threads share: slices are counted and filled apart from each other. */
typedef struct job {
    sb_part *out;
    const sb_view *v;
    sb_hdia_slice *size;
    sb_hdia form;
} job;

static void
count_slices(void *user, int64_t lo, int64_t hi)
{
    const job *j = user;
    scan sc;

    sb_sweep_init(&sc.by, j->v, NULL, 1);
    for (int64_t g = lo; g < hi; g++)
        count_slice(&j->size[g], &sc, g);
}

static void
fill_slices(void *user, int64_t lo, int64_t hi)
{
    const job *j = user;
    scan sc;

    sb_sweep_init(&sc.by, j->v, NULL, 1);
    for (int64_t g = lo; g < hi; g++)
        if (j->form == SB_HDIA_IN_PLACE)
            fill_in_place(j->out, &sc, g);
        else
            fill_slice(j->out, &sc, g, j->size[g].left > 0);
}

/* Offsets of all slices; the sizes of the lists in *sum. */
static void
place_slices(const job *j, int64_t slices, sb_hdia_slice *sum)
{
    sb_part *out = j->out;
    int64_t chunk = 0;

    out->slots = 0;
    for (int64_t g = 0; g < slices; g++) {
        const sb_hdia_slice one = j->size[g];

        store(out, PTR, g, out->slots);
        out->slots += (one.full + one.some) * ROWS + one.left;
        store(out, LEFT, g, sum->left);
        store(out, SEG, g * 3, chunk);
        store(out, SEG, g * 3 + 1, chunk + one.full);
        store(out, SEG, g * 3 + 2, chunk + one.full + one.some);
        chunk += one.full + one.some + one.rest;
        sum->full += one.full;
        sum->some += one.some;
        sum->rest += one.rest;
        sum->left += one.left;
    }
    store(out, PTR, slices, out->slots);
    store(out, LEFT, slices, sum->left);
    store(out, SEG, slices * 3, chunk);
}

static sb_status
build_packed(sb_part *out, job *j, int64_t slices, const sb_par *par)
{
    const sb_view *v = j->v;
    sb_hdia_slice sum = {0};

    if (!sb_part_array_new(out, "hdia_seg", v->slot_type, slices * 3 + 1) ||
        !sb_part_array_new(out, "hdia_ptr", v->slot_type, slices + 1) ||
        !sb_part_array_new(out, "hdia_left", v->slot_type, slices + 1))
        return SB_ENOMEM;
    place_slices(j, slices, &sum);
    if (out->slots / MOST > v->nnz)
        return SB_SKIP;
    out->width = sum.full + sum.some + sum.rest;
    if (!sb_part_array_new(out, "hdia_col", v->crd_type, out->width) ||
        !sb_part_array_new(out, "hdia_bits", SB_I32, out->width) ||
        !sb_part_array_new(out, "hdia_crd", v->crd_type, sum.left) ||
        !sb_part_array_new(out, "hdia_pos", v->slot_type, out->slots))
        return SB_ENOMEM;
    sb_par_run(par, fill_slices, j, 0, slices, sb_par_piece(v->nnz, slices, GRAIN));
    return SB_OK;
}

static sb_status
build_in_place(sb_part *out, job *j, int64_t slices, const sb_par *par)
{
    const sb_view *v = j->v;

    if (v->nnz > INT32_MAX) /* positions are counted from their slice */
        return SB_SKIP;
    if (!sb_part_array_new(out, "hdia_seg", v->slot_type, slices + 1) ||
        !sb_part_array_new(out, "hdia_ptr", v->slot_type, slices + 1) ||
        !sb_part_array_new(out, "hdia_at", SB_I32, slices * ROWS))
        return SB_ENOMEM;
    for (int64_t g = 0; g < slices; g++) {
        const sb_hdia_slice one = j->size[g];

        store(out, PTR, g, sb_view_lo(v, g * ROWS));
        store(out, SEG, g, out->width);
        out->width += one.full + one.some + one.thin;
    }
    store(out, PTR, slices, v->nnz);
    store(out, SEG, slices, out->width);
    if (!sb_part_array_new(out, "hdia_col", v->crd_type, out->width) ||
        !sb_part_array_new(out, "hdia_bits", SB_I32, out->width))
        return SB_ENOMEM;
    sb_par_run(par, fill_slices, j, 0, slices, sb_par_piece(v->nnz, slices, GRAIN));
    out->slots = v->nnz;
    return SB_OK;
}

static sb_status
build(sb_part *out, sb_cover *cv, job *j, const sb_par *par)
{
    const sb_view *v = cv->v;
    const int64_t slices = (v->rows + ROWS - 1) / ROWS;

    if (!(j->size = sb_alloc_array(slices, sizeof *j->size)))
        return SB_ENOMEM;
    sb_par_run(par, count_slices, j, 0, slices, sb_par_piece(v->nnz, slices, GRAIN));
    if (j->form == SB_HDIA_THIN)
        take_thin(j->size, slices, v->nnz);
    SB_TRY(j->form == SB_HDIA_IN_PLACE ? build_in_place(out, j, slices, par)
                                       : build_packed(out, j, slices, par));
    sb_cover_rows_done(cv, v->rows);
    out->nnz = v->nnz;
    out->ngroup = slices > 0;
    out->group[0] = (sb_part_group){0, slices, v->nnz, 0, false};
    cv->rest = 0;
    return SB_OK;
}

sb_status
sb_part_hdia(sb_part *out, sb_cover *cv, sb_hdia form, bool sorted, const sb_par *par)
{
    job j = {out, cv->v, NULL, form};
    sb_status st;

    memset(out, 0, sizeof *out);
    out->kind = SB_PART_HDIA;
    if (!sorted || cv->v->block > 1 || sb_cover_begun(cv) ||
        (form == SB_HDIA_IN_PLACE && cv->v->pos))
        return SB_SKIP;
    st = build(out, cv, &j, par);
    sb_free(j.size);
    if (st != SB_OK) {
        sb_part_free(out);
        sb_cover_free(cv);
    }
    return st;
}

/* The first row of a slice in its q-th of n ranges. */
static int64_t
range_begin(int64_t slice, int q, int n)
{
    return slice * ROWS + (q * ROWS + n - 1) / n;
}

/* Whether each of n ranges of a slice's rows lies within `entries` slots that there are. */
static bool
in_ranges(const sb_view *v, int64_t slice, int n, int entries)
{
    if ((slice + 1) * ROWS > v->rows)
        return false;
    for (int q = 0; q < n; q++) {
        const int64_t lo = sb_view_lo(v, range_begin(slice, q, n));

        if (sb_view_lo(v, range_begin(slice, q + 1, n)) > lo + entries ||
            lo + entries > v->nnz)
            return false;
    }
    return true;
}

sb_status
sb_part_hdia_ranges(sb_part *p, const sb_view *v, int n, int entries)
{
    const int64_t slices = (v->rows + ROWS - 1) / ROWS;
    int32_t *range = sb_part_array_new(p, "hdia_range", SB_I32, slices * n);
    int32_t *at = p->array[AT].data;

    if (!range)
        return SB_ENOMEM;
    for (int64_t g = 0; g < slices; g++) {
        const bool in = in_ranges(v, g, n, entries);

        for (int q = 0; q < n; q++) {
            const int64_t first = range_begin(g, q, n), end = range_begin(g, q + 1, n);

            range[g * n + q] = in ? at[first] : -1;
            for (int64_t r = first; in && r < end; r++)
                at[r] -= range[g * n + q];
        }
    }
    return SB_OK;
}
