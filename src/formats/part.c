/*
 * What all parts share: their arrays, the cover they leave, packing of values.
 */
#include "formats/part.h"

#include "base/alloc.h"

#include <string.h>

const char *const sb_part_names[SB_PART_COUNT] = {
    [SB_PART_CSR] = "csr",     [SB_PART_ROWS] = "rows",   [SB_PART_ELL] = "ell",
    [SB_PART_BSR] = "bsr",     [SB_PART_DIA] = "dia",     [SB_PART_COO] = "coo",
    [SB_PART_WIN] = "win",     [SB_PART_SEG] = "seg",     [SB_PART_SELL] = "sell",
    [SB_PART_PANEL] = "panel", [SB_PART_MASK] = "mask",   [SB_PART_BLOCKS] = "blocks",
    [SB_PART_LIST] = "list",   [SB_PART_SHARE] = "share", [SB_PART_HDIA] = "hdia",
    [SB_PART_PICK] = "pick",   [SB_PART_PROD] = "prod",   [SB_PART_ALIKE] = "alike",
    [SB_PART_UBCSR] = "ubcsr"};

void
sb_cover_init(sb_cover *cv, const sb_view *v)
{
    memset(cv, 0, sizeof *cv);
    cv->v = v;
    cv->rest = v->nnz;
}

void
sb_cover_free(sb_cover *cv)
{
    sb_free(cv->taken);
    sb_free(cv->touched);
    cv->taken = cv->touched = NULL;
}

bool
sb_cover_begun(const sb_cover *cv)
{
    return cv->whole > 0 || cv->taken || cv->touched;
}

bool
sb_cover_bare(const sb_cover *cv, int64_t row)
{
    return row >= cv->whole && !(cv->touched && cv->touched[row]);
}

int64_t
sb_cover_rows(const sb_cover *cv, bool *add)
{
    int64_t n = 0;

    *add = cv->touched != NULL;
    if (!cv->touched)
        return cv->v->rows;
    while (n < cv->v->rows && cv->touched[n])
        n++;
    return n;
}

sb_status
sb_cover_open(sb_cover *cv)
{
    if (!cv->taken)
        cv->taken = sb_alloc_zero((size_t)cv->v->nnz);
    if (!cv->touched)
        cv->touched = sb_alloc_zero((size_t)cv->v->rows);
    if (!cv->taken || !cv->touched)
        return SB_ENOMEM;
    if (cv->whole > 0) {
        memset(cv->taken, 1, (size_t)sb_view_lo(cv->v, cv->whole));
        memset(cv->touched, 1, (size_t)cv->whole);
        cv->whole = 0;
    }
    return SB_OK;
}

sb_status
sb_cover_marks(sb_cover *cv)
{
    return sb_cover_begun(cv) ? sb_cover_open(cv) : SB_OK;
}

void
sb_cover_rows_done(sb_cover *cv, int64_t rows)
{
    if (rows == cv->v->rows || !sb_cover_begun(cv)) {
        cv->whole = rows;
    } else {
        memset(cv->taken, 1, (size_t)sb_view_lo(cv->v, rows));
        memset(cv->touched, 1, (size_t)rows);
    }
}

int64_t
sb_cover_free_entries(const sb_cover *cv, int64_t rows)
{
    const int64_t end = sb_view_lo(cv->v, rows);
    int64_t left = end;

    for (int64_t p = 0; cv->taken && p < end; p++)
        left -= cv->taken[p];
    return left;
}

void *
sb_part_array_new(sb_part *p, const char *name, sb_dtype type, int64_t count)
{
    sb_part_array *a = &p->array[p->narray];

    SB_ASSERT(p->narray < SB_PART_ARRAYS);
    a->data = sb_alloc_array(count, sb_dtype_size(type));
    if (!a->data)
        return NULL;
    a->name = name;
    a->type = type;
    a->count = count;
    p->narray++;
    return a->data;
}

const sb_part_array *
sb_part_find(const sb_part *p, const char *name)
{
    for (int q = 0; q < p->narray; q++)
        if (strcmp(p->array[q].name, name) == 0)
            return &p->array[q];
    return NULL;
}

int64_t
sb_part_total(const sb_part *p, const char *name)
{
    const sb_part_array *a = sb_part_find(p, name);

    return a ? sb_index(a->data, a->type, a->count - 1) : 0;
}

bool
sb_part_repeats(const sb_part *p, const sb_part_group *g)
{
    const sb_part_array *row = p->kind == SB_PART_ROWS  ? sb_part_find(p, "rows_row")
                               : p->kind == SB_PART_ELL ? sb_part_find(p, "ell_row")
                                                        : NULL;

    for (int64_t u = g->lo + 1; row && u < g->hi; u++)
        if (sb_index(row->data, row->type, u) == sb_index(row->data, row->type, u - 1))
            return true;
    return false;
}

void
sb_part_free(sb_part *p)
{
    for (int q = 0; q < p->narray; q++)
        sb_free(p->array[q].data);
    memset(p, 0, sizeof *p);
}

/* Everything as `units` units of the caller's arrays, where these serve. */
static sb_status
whole(sb_part *out, sb_cover *cv, sb_part_kind kind, int64_t units, bool serve)
{
    const sb_view *v = cv->v;

    memset(out, 0, sizeof *out);
    out->kind = kind;
    if (!serve || sb_cover_begun(cv))
        return SB_SKIP;
    out->width = v->block;
    out->nnz = out->slots = v->nnz;
    out->ngroup = units > 0;
    out->group[0] = (sb_part_group){0, units, v->nnz, 0, false};
    sb_cover_rows_done(cv, v->rows);
    cv->rest = 0;
    return SB_OK;
}

static bool
rows_in_place(const sb_view *v)
{
    return v->ptr_in_place && v->crd_in_place && !v->pos;
}

int64_t
sb_part_rows_of_unit(sb_part_kind kind)
{
    return kind == SB_PART_SEG ? SB_SEG_ROWS : kind == SB_PART_PROD ? SB_PROD_ROWS : 1;
}

sb_status
sb_part_in_place(sb_part *out, sb_cover *cv, sb_part_kind kind)
{
    const int64_t rows = sb_part_rows_of_unit(kind);

    return whole(out, cv, kind, (cv->v->rows + rows - 1) / rows,
                 rows_in_place(cv->v) && cv->v->block == 1);
}

sb_status
sb_part_csr(sb_part *out, sb_cover *cv)
{
    return sb_part_in_place(out, cv, SB_PART_CSR);
}

sb_status
sb_part_seg(sb_part *out, sb_cover *cv)
{
    return sb_part_in_place(out, cv, SB_PART_SEG);
}

sb_status
sb_part_prod(sb_part *out, sb_cover *cv)
{
    return sb_part_in_place(out, cv, SB_PART_PROD);
}

sb_status
sb_part_list(sb_part *out, sb_cover *cv)
{
    return whole(out, cv, SB_PART_LIST, cv->v->nnz, cv->v->block == 1);
}

/* The view's own structure under the names of the caller's. */
static sb_status
copy_blocks(sb_part *out, const sb_view *v)
{
    void *ptr = sb_part_array_new(out, "A_ptr", v->slot_type, v->rows + 1);
    void *crd = sb_part_array_new(out, "A_crd", v->crd_type, v->nnz);
    void *pos = sb_part_array_new(out, "blocks_pos", v->slot_type, v->nnz);

    if (!ptr || !crd || !pos)
        return SB_ENOMEM;
    for (int64_t i = 0; i <= v->rows; i++)
        sb_index_store(ptr, v->slot_type, i, sb_view_lo(v, i));
    for (int64_t p = 0; p < v->nnz; p++) {
        sb_index_store(crd, v->crd_type, p, sb_view_col(v, p));
        sb_index_store(pos, v->slot_type, p, v->pos[p]);
    }
    return SB_OK;
}

sb_status
sb_part_blocks(sb_part *out, sb_cover *cv)
{
    const sb_view *v = cv->v;
    sb_status st = whole(out, cv, SB_PART_BLOCKS, v->rows, v->block > 1);

    if (st == SB_OK && !rows_in_place(v))
        st = copy_blocks(out, v);
    if (st == SB_ENOMEM)
        sb_part_free(out);
    return st;
}

/* Values of all segments in their order, in the place of where they begin. */
static sb_status
pack_panel(sb_part *p, const void *val, sb_dtype type)
{
    const sb_part_array *off = sb_part_find(p, "panel_off");
    sb_part_array *lo = (sb_part_array *)sb_part_find(p, "panel_lo");
    const size_t size = sb_dtype_size(type);
    char *out = sb_alloc_array(p->nnz, size);

    if (!out)
        return SB_ENOMEM;
    for (int64_t u = 0; u < lo->count; u++) {
        const int64_t to = sb_index(off->data, off->type, u);
        const int64_t from = sb_index(lo->data, lo->type, u);
        const int64_t len = sb_index(off->data, off->type, u + 1) - to;

        memcpy(out + (size_t)to * size, (const char *)val + (size_t)from * size,
               (size_t)len * size);
    }
    sb_free(lo->data);
    *lo = (sb_part_array){"panel_val", type, p->nnz, out};
    return SB_OK;
}

/* Whether an entry's value is zero, as a packed diagonal's holes are. */
static bool
hides_entry(const sb_part_array *pos, const void *val, sb_dtype type)
{
    for (int64_t s = 0; s < pos->count; s++) {
        const int64_t at = sb_index(pos->data, pos->type, s);
        const sb_value v = at < 0 ? (sb_value){1, 0} : sb_value_load(type, val, at);

        if (v.re == 0 && v.im == 0)
            return true;
    }
    return false;
}

enum { PACK_GRAIN = 16384 };

/* What threads share of a copy of the values. */
typedef struct copying {
    const sb_part_array *pos;
    const char *val;
    char *out;
    size_t size;
} copying;

/* Values in the order of their positions; zero where there is none. Constant `size` and
 * `wide` where this is inlined make copies loads. */
SB_INLINE void
gather_values(const copying *c, int64_t lo, int64_t hi, size_t size, bool wide)
{
    static const char zero[2 * sizeof(double)] = {0};
    const int32_t *p32 = c->pos->data;
    const int64_t *p64 = c->pos->data;

    for (int64_t s = lo; s < hi; s++) {
        const int64_t at = wide ? p64[s] : p32[s];

        /* a choice of addresses: where holes are no branch would foresee */
        memcpy(c->out + (size_t)s * size, at < 0 ? zero : c->val + (size_t)at * size,
               size);
    }
}

static void
copy_values(void *user, int64_t lo, int64_t hi)
{
    const copying *c = user;
    const bool wide = c->pos->type == SB_I64;

    if (c->size == 4 && !wide)
        gather_values(c, lo, hi, 4, false);
    else if (c->size == 8 && !wide)
        gather_values(c, lo, hi, 8, false);
    else if (!wide)
        gather_values(c, lo, hi, c->size, false);
    else
        gather_values(c, lo, hi, c->size, true);
}

sb_status
sb_part_pack(sb_part *p, const void *val, sb_dtype type, const sb_par *par)
{
    static const char *const to[SB_PART_COUNT] = {
        [SB_PART_ELL] = "ell_val",   [SB_PART_BSR] = "bsr_val",
        [SB_PART_DIA] = "dia_val",   [SB_PART_COO] = "coo_val",
        [SB_PART_SELL] = "sell_val", [SB_PART_SHARE] = "share_val",
        [SB_PART_HDIA] = "hdia_val", [SB_PART_PICK] = "pick_val"};
    const size_t size = sb_dtype_size(type);

    if (p->kind == SB_PART_PANEL)
        return pack_panel(p, val, type);
    for (int q = 0; q < p->narray && to[p->kind]; q++) {
        sb_part_array *a = &p->array[q];
        copying c = {a, val, NULL, size};

        if (!strstr(a->name, "_pos"))
            continue;
        if (p->kind == SB_PART_DIA && hides_entry(a, val, type))
            return SB_SKIP;
        c.out = sb_alloc_array(a->count, size);
        if (!c.out)
            return SB_ENOMEM;
        sb_par_run(par, copy_values, &c, 0, a->count, PACK_GRAIN);
        sb_free(a->data);
        a->data = c.out;
        a->type = type;
        a->name = to[p->kind];
    }
    return SB_OK;
}
