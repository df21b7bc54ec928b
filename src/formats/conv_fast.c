/*
 * Fast paths for hot pairs: one table of source shape, target shape and function. Shapes
 * are read off the parsed structure, so any format that says the same takes the path.
 * Every result equals the general path's (tests/prop/formats_convert_test.c).
 */
#include "formats/conv_fast.h"

#include "base/alloc.h"
#include "base/checked.h"
#include "formats/conv_ops.h"
#include "formats/fmt_expr.h"

#include <string.h>

typedef enum shape {
    ROWS,
    COLUMNS,
    LIST,
    FULL_COLUMNS, /* only columns that hold something */
    BLOCKS,
    TILES,
    DIAGONALS,
    DIAGONALS_BY_COLUMN,
    SLOTS,
    NONE
} shape;

/* Levels as text: dimensions, "/" and "%" by a constant, "@" the slot of an element in
 * its row. merged: levels that are there once, up to trim's end. */
static const struct {
    shape shape;
    const char *levels;
    int merged, trim_lo, trim_hi;
} shapes[] = {
    {ROWS, "i j ", 1, 1, 1},           {COLUMNS, "j i ", 1, 1, 1},
    {LIST, "i j ", 0, 0, 1},           {FULL_COLUMNS, "j i ", 1, 0, 1},
    {BLOCKS, "i/ j/ i% j% ", 1, 1, 1}, {TILES, "i/ j/ i% j% ", 2, 2, 3},
    {DIAGONALS, "j-i i ", 0, 0, 0},    {DIAGONALS_BY_COLUMN, "j-i j ", 0, 0, 0},
    {SLOTS, "@ i j ", 0, 0, 0},
};

/* ---- Shapes -------------------------------------------------------------------------
 */

static bool
is_dim(const sb_fmt_expr *e, int64_t dim)
{
    return e->op == SB_FMT_DIM && e->value == dim;
}

static bool
is_map_of(const sb_fmt_map *m, int64_t dim)
{
    return m->n == 1 && is_dim(m->e[0], dim);
}

/* Elements of a row numbered by column, its zeros after them. */
static bool
is_row_slot(const sb_fmt_fn *fn)
{
    const sb_fmt_query *sum = fn->step[0], *count = fn->step[1];

    return fn->nstep == 2 && sum->op == SB_FMT_SUM && is_map_of(&sum->group, 0) &&
           sum->traverse.n == 0 && sum->ncase == 1 && sum->when[0].dim < 0 &&
           sum->when[0].cond == SB_FMT_NE && sum->when[0].literal == 0 &&
           sum->when[0].step < 0 && sum->when[0].result == 1 && sum->otherwise == 0 &&
           sum->otherwise_step < 0 && count->op == SB_FMT_ENUM &&
           is_map_of(&count->group, 0) && is_map_of(&count->traverse, 1) &&
           count->ncase == 1 && count->when[0].dim < 0 &&
           count->when[0].cond == SB_FMT_EQ && count->when[0].literal == 0 &&
           count->when[0].step == 0 && count->otherwise == 0 &&
           count->otherwise_step < 0;
}

static const char *
level_text(const sb_fmt *f, const sb_fmt_expr *e)
{
    static const char *const plain[] = {"i ", "j "}, *const quotient[] = {"i/ ", "j/ "},
                             *const rest[] = {"i% ", "j% "};

    if (e->op == SB_FMT_DIM)
        return plain[e->value];
    if (e->op == SB_FMT_INDIRECT && is_row_slot(f->fn[e->value]))
        return "@ ";
    if (e->op == SB_FMT_SUB && is_dim(e->a, 1) && is_dim(e->b, 0))
        return "j-i ";
    if ((e->op == SB_FMT_DIV || e->op == SB_FMT_MOD) && e->a->op == SB_FMT_DIM &&
        e->b->op == SB_FMT_CONST)
        return (e->op == SB_FMT_DIV ? quotient : rest)[e->a->value];
    return "? ";
}

static shape
shape_of(const sb_fmt *f)
{
    char levels[8 * SB_FMT_LEVELS];
    size_t len = 0;
    int merged = 0;

    if (f->ndim != 2 || f->npart > 0 || f->fill || f->pack_lo >= 0 || f->partition >= 0)
        return NONE;
    for (int q = 0; q < f->nlevel; q++) {
        const char *text = level_text(f, f->level[q]);

        memcpy(levels + len, text, strlen(text));
        len += strlen(text);
        if (f->merge >> q & 1 && q < f->trim_hi)
            merged = q + 1;
    }
    if (f->nlevel == 4 && f->level[0]->op == SB_FMT_DIV &&
        f->level[2]->op == SB_FMT_MOD && f->level[3]->op == SB_FMT_MOD &&
        f->level[1]->op == SB_FMT_DIV &&
        (f->level[0]->b->value != f->level[2]->b->value ||
         f->level[1]->b->value != f->level[3]->b->value))
        return NONE;
    for (int k = 0; k < SB_COUNT(shapes); k++)
        if (shapes[k].trim_lo == f->trim_lo && shapes[k].trim_hi == f->trim_hi &&
            shapes[k].merged == merged && strlen(shapes[k].levels) == len &&
            memcmp(shapes[k].levels, levels, len) == 0)
            return shapes[k].shape;
    return NONE;
}

bool
sb_fmt_is_matrix(const sb_fmt *f, sb_format *format, int64_t *block)
{
    const shape s = shape_of(f);

    *block = 1;
    *format = s == ROWS ? SB_FORMAT_CSR : s == COLUMNS ? SB_FORMAT_CSC : SB_FORMAT_COO;
    if (s != BLOCKS)
        return s == ROWS || s == COLUMNS || s == LIST;
    *format = SB_FORMAT_BSR;
    *block = f->level[0]->b->value;
    return *block == f->level[1]->b->value;
}

enum { TOUCH = 2 << 20 }; /* bytes of a huge page */

/* ---- Making results -----------------------------------------------------------------
 */

typedef struct fast {
    const sb_tensor *in;
    const sb_fmt *target;
    const sb_fast_kernels *k;
    const sb_par *par;
    sb_diag *diag;
    size_t index, value; /* bytes */
    sb_rows rows;        /* of the matrix, or of its transpose */
    void *own[4];        /* arrays made on the way */
    int nown;
} fast;

static bool
fits(const sb_tensor *t, const fast *x)
{
    for (int q = 0; q < x->target->nlevel; q++)
        if (t->lo[q] < INT32_MIN || t->size[q] > INT32_MAX ||
            t->lo[q] > INT32_MAX - t->size[q])
            return false;
    return x->in->nnz <= INT32_MAX;
}

/* Ranges and types; SKIP where the result needs another index type than the source. */
static sb_status
begin(sb_tensor *out, const fast *x)
{
    const sb_tensor *in = x->in;

    out->fmt = x->target;
    memcpy(out->extent, in->extent, sizeof out->extent);
    out->val_type = in->val_type;
    out->idx_type = out->ptr_type = in->idx_type;
    for (int q = 0; q < x->target->nlevel; q++) {
        int64_t hi;

        sb_fmt_range(&out->lo[q], &hi, x->target, q, in->extent);
        if (out->lo[q] == INT64_MIN)
            return SB_SKIP;
        out->size[q] = hi - out->lo[q];
    }
    return in->idx_type == SB_I64 || fits(out, x) ? SB_OK : SB_SKIP;
}

static void *
array(sb_tensor_array *a, int64_t n, size_t size)
{
    *a = (sb_tensor_array){sb_alloc_array(n, size), 1};
    return a->data;
}

/* n values a node of the padded target; counts elements. */
static sb_status
bound(const fast *x, int64_t nodes, int64_t each)
{
    const sb_tree t = {.elements = x->in->nnz};
    int64_t slots;

    if (!sb_mul_i64(nodes, each, &slots))
        slots = INT64_MAX;
    return sb_tree_bound(&t, slots, "padding", x->diag);
}

/* ---- Sources ------------------------------------------------------------------------
 */

/* Freed at the end. */
static void *
own(fast *x, int64_t n, size_t size)
{
    return x->own[x->nown++] = sb_alloc_array(n, size);
}

static sb_status
rows_of_list(fast *x)
{
    void *ptr = own(x, x->rows.m + 1, x->index);

    if (!ptr)
        return SB_ENOMEM;
    x->k->row_ptr(ptr, x->in->idx[0].data, x->in->nnz, x->rows.m, x->par);
    x->rows.ptr = ptr;
    return SB_OK;
}

/* x->rows are the columns: turn them over. */
static sb_status
turn(fast *x)
{
    const sb_rows c = x->rows;
    void *ptr = own(x, c.n + 1, x->index), *idx = own(x, c.nnz, x->index),
         *val = own(x, c.nnz, x->value);

    if (!ptr || !idx || !val)
        return SB_ENOMEM;
    x->rows = (sb_rows){c.n, c.m, c.nnz, ptr, idx, val};
    return x->k->transpose(ptr, idx, val, &c, x->par);
}

static sb_status
rows_of_full_columns(fast *x)
{
    const sb_tensor *in = x->in;
    const int64_t n = x->rows.m;
    void *ptr = own(x, n + 1, x->index);
    int64_t next = 0;

    if (!ptr)
        return SB_ENOMEM;
    for (int64_t k = 0; k <= in->count[0]; k++) {
        const int64_t stop =
            k < in->count[0] ? sb_tensor_at(&in->idx[0], in->idx_type, k) : n;

        for (const int64_t at = sb_tensor_at(&in->ptr[1], in->ptr_type, k);
             next <= stop; next++) {
            if (x->index == sizeof(int64_t))
                ((int64_t *)ptr)[next] = at;
            else
                ((int32_t *)ptr)[next] = (int32_t)at;
        }
    }
    x->rows.ptr = ptr;
    return turn(x);
}

/* The source as it lies. */
static void
open_source(fast *x, shape from)
{
    const sb_tensor *in = x->in;
    const bool columns = from == COLUMNS || from == FULL_COLUMNS;

    x->rows = (sb_rows){.m = in->extent[columns],
                        .n = in->extent[!columns],
                        .nnz = in->nnz,
                        .ptr = in->ptr[1].data,
                        .idx = in->idx[1].data,
                        .val = in->val.data};
}

/* The matrix as rows, whatever the source. */
static sb_status
open_rows(fast *x, shape from)
{
    return from == LIST           ? rows_of_list(x)
           : from == FULL_COLUMNS ? rows_of_full_columns(x)
           : from == COLUMNS      ? turn(x)
                                  : SB_OK;
}

/* ---- Targets ------------------------------------------------------------------------
 */

/* The major dimension of a compressed target. */
static sb_status
begin_compressed(sb_tensor *out, const fast *x, int64_t major)
{
    SB_TRY(begin(out, x));
    out->count[0] = major;
    out->count[1] = out->nnz = x->in->nnz;
    return array(&out->ptr[1], major + 1, x->index) &&
                   array(&out->idx[1], x->in->nnz, x->index) &&
                   array(&out->val, x->in->nnz, x->value)
               ? SB_OK
               : SB_ENOMEM;
}

/* The matrix as the source has it turned over: rows of columns, columns of the rest. */
static sb_status
transposed(sb_tensor *out, fast *x, shape from)
{
    if (from == LIST)
        SB_TRY(rows_of_list(x));
    SB_TRY(begin_compressed(out, x, x->rows.n));
    return x->k->transpose(out->ptr[1].data, out->idx[1].data, out->val.data, &x->rows,
                           x->par);
}

typedef struct copy_job {
    char *to;
    const char *from;
    size_t size;
} copy_job;

static void
copy_range(void *user, int64_t lo, int64_t hi)
{
    const copy_job *j = user;

    memcpy(j->to + (size_t)lo * j->size, j->from + (size_t)lo * j->size,
           (size_t)(hi - lo) * j->size);
}

static void
copy(const fast *x, void *to, const void *from, size_t size)
{
    copy_job j = {to, from, size};

    sb_par_run(x->par, copy_range, &j, 0, x->in->nnz, 1 << 16);
}

static sb_status
list_to_rows(sb_tensor *out, fast *x, shape from)
{
    (void)from;
    SB_TRY(begin_compressed(out, x, x->rows.m));
    x->k->row_ptr(out->ptr[1].data, x->in->idx[0].data, x->in->nnz, x->rows.m, x->par);
    copy(x, out->idx[1].data, x->rows.idx, x->index);
    copy(x, out->val.data, x->rows.val, x->value);
    return SB_OK;
}

static sb_status
rows_to_list(sb_tensor *out, fast *x, shape from)
{
    (void)from;
    SB_TRY(begin(out, x));
    out->count[0] = out->count[1] = out->nnz = x->in->nnz;
    if (!array(&out->idx[0], out->nnz, x->index) ||
        !array(&out->idx[1], out->nnz, x->index) ||
        !array(&out->val, out->nnz, x->value))
        return SB_ENOMEM;
    x->k->row_list(out->idx[0].data, &x->rows, x->par);
    copy(x, out->idx[1].data, x->rows.idx, x->index);
    copy(x, out->val.data, x->rows.val, x->value);
    return SB_OK;
}

static int64_t
nonzeros(const fast *x)
{
    return sb_tree_nonzeros(x->in->val.data, 1, x->in->nnz, x->in->val_type);
}

static sb_status
fill_blocks(sb_tensor *out, const fast *x, sb_blocks *b)
{
    const int64_t rows = (x->rows.m + b->b1 - 1) / b->b1;

    if (!array(&out->ptr[1], rows + 1, x->index))
        return SB_ENOMEM;
    SB_TRY(x->k->list_blocks(out->ptr[1].data, b, &x->rows, x->par));
    out->count[0] = rows;
    out->count[1] = sb_tensor_at(&out->ptr[1], out->ptr_type, rows);
    SB_TRY(bound(x, out->count[1], b->b1 * b->b2));
    out->count[2] = out->count[1] * b->b1;
    out->count[3] = out->count[2] * b->b2;
    out->nnz = nonzeros(x);
    if (!array(&out->idx[1], out->count[1], x->index) ||
        !array(&out->val, out->count[3], x->value))
        return SB_ENOMEM;
    x->k->fill_blocks(out->idx[1].data, out->val.data, out->ptr[1].data, b, &x->rows,
                      x->par);
    return SB_OK;
}

static sb_status
to_blocks(sb_tensor *out, fast *x, shape from)
{
    sb_blocks b = {.b1 = x->target->level[0]->b->value,
                   .b2 = x->target->level[1]->b->value};
    sb_status st;

    SB_TRY(begin(out, x));
    SB_TRY(open_rows(x, from));
    st = fill_blocks(out, x, &b);
    sb_free(b.lists);
    sb_free(b.at);
    return st;
}

static void
touch_range(void *user, int64_t lo, int64_t hi)
{
    for (int64_t page = lo; page < hi; page++)
        ((volatile char *)user)[page * TOUCH] = 0;
}

/* n values of a padded result, none of them there yet: says whether they are zeros. */
static sb_status
padded(sb_tensor *out, const fast *x, int64_t n, bool *blank)
{
    size_t bytes;

    if (!sb_bytes(n, x->value, &bytes))
        return SB_ENOMEM;
    *blank = bytes >= SB_ALLOC_FRESH;
    out->val = (sb_tensor_array){*blank ? sb_alloc_blank(bytes) : sb_alloc(bytes), 1};
    if (!out->val.data)
        return SB_ENOMEM;
    /* two threads that touch a page first at the same time both clear one */
    if (*blank)
        sb_par_run(x->par, touch_range, out->val.data, 0, (int64_t)(bytes / TOUCH), 4);
    return SB_OK;
}

/* Offsets of numbered diagonals. */
static void
put_offsets(sb_tensor *out, const int64_t *number)
{
    for (int64_t d = 0; d < out->size[0]; d++) {
        if (number[d] < 0)
            continue;
        if (out->idx_type == SB_I64)
            ((int64_t *)out->idx[0].data)[number[d]] = out->lo[0] + d;
        else
            ((int32_t *)out->idx[0].data)[number[d]] = (int32_t)(out->lo[0] + d);
    }
}

/* Arrays of n diagonals of `length`. */
static sb_status
begin_diagonals(sb_tensor *out, const fast *x, int64_t n, int64_t length, bool *blank)
{
    if (n < 0)
        return SB_ENOMEM;
    SB_TRY(bound(x, n, length));
    out->count[0] = n;
    out->count[1] = n * length;
    out->nnz = nonzeros(x);
    return array(&out->idx[0], n, x->index) ? padded(out, x, n * length, blank)
                                            : SB_ENOMEM;
}

static sb_status
to_diagonals(sb_tensor *out, fast *x, shape from)
{
    int64_t *number, n;
    bool blank;
    sb_status st;

    SB_TRY(begin(out, x));
    SB_TRY(open_rows(x, from));
    number = sb_alloc_array(out->size[0], sizeof *number);
    if (!number)
        return SB_ENOMEM;
    n = x->k->count_diagonals(number, &x->rows, x->par);
    st = begin_diagonals(out, x, n, x->rows.m, &blank);
    if (st == SB_OK) {
        put_offsets(out, number);
        x->k->fill_diagonals(out->val.data, number, n, blank, &x->rows, x->par);
    }
    sb_free(number);
    return st;
}

static sb_status
tiles_to_diagonals(sb_tensor *out, fast *x, shape from)
{
    const sb_tensor *in = x->in;
    const sb_tiles t = {.m = in->extent[0],
                        .n = in->extent[1],
                        .nnz = in->nnz,
                        .b1 = in->fmt->level[0]->b->value,
                        .b2 = in->fmt->level[1]->b->value,
                        .ptr = in->ptr[2].data,
                        .row = in->idx[2].data,
                        .col = in->idx[3].data,
                        .val = in->val.data};
    int64_t *number, n;
    bool blank;
    sb_status st;

    (void)from;
    SB_TRY(begin(out, x));
    number = sb_alloc_array(out->size[0], sizeof *number);
    if (!number)
        return SB_ENOMEM;
    n = x->k->count_tile_diagonals(number, &t, x->par);
    st = begin_diagonals(out, x, n, t.n, &blank);
    if (st == SB_OK) {
        put_offsets(out, number);
        x->k->fill_tile_diagonals(out->val.data, number, n, blank, &t, x->par);
    }
    sb_free(number);
    return st;
}

static sb_status
to_slots(sb_tensor *out, fast *x, shape from)
{
    int64_t slots;
    bool blank;

    SB_TRY(open_rows(x, from));
    slots = x->k->longest_row(&x->rows);
    SB_TRY(begin(out, x));
    SB_TRY(bound(x, slots, x->rows.m));
    out->count[0] = out->size[0] = slots;
    out->count[1] = out->count[2] = slots * x->rows.m;
    out->nnz = x->in->nnz;
    if (!array(&out->idx[2], out->count[2], x->index))
        return SB_ENOMEM;
    SB_TRY(padded(out, x, out->count[2], &blank));
    x->k->fill_slots(out->idx[2].data, out->val.data, slots, blank, &x->rows, x->par);
    return SB_OK;
}

/* ---- The table ----------------------------------------------------------------------
 */

static const struct {
    shape from, to;
    sb_status (*run)(sb_tensor *out, fast *x, shape from);
} paths[] = {
    {ROWS, COLUMNS, transposed},       {COLUMNS, ROWS, transposed},
    {LIST, COLUMNS, transposed},       {LIST, ROWS, list_to_rows},
    {ROWS, LIST, rows_to_list},        {ROWS, BLOCKS, to_blocks},
    {LIST, BLOCKS, to_blocks},         {COLUMNS, BLOCKS, to_blocks},
    {FULL_COLUMNS, BLOCKS, to_blocks}, {ROWS, DIAGONALS, to_diagonals},
    {LIST, DIAGONALS, to_diagonals},   {TILES, DIAGONALS_BY_COLUMN, tiles_to_diagonals},
    {ROWS, SLOTS, to_slots},           {LIST, SLOTS, to_slots},
};

/* Sums and small multiples of extents do not overflow. */
static const int64_t EXTENT_MAX = (int64_t)1 << 48;

sb_status
sb_conv_fast(sb_tensor *out, const sb_tensor *in, const sb_fmt *target, bool wide,
             const sb_par *par, sb_diag *diag)
{
    const shape from = shape_of(in->fmt), to = shape_of(target);
    fast x = {.in = in,
              .target = target,
              .par = par,
              .diag = diag,
              .index = sb_dtype_size(in->idx_type),
              .value = sb_dtype_size(in->val_type)};
    sb_status st = SB_SKIP;

    x.k = sb_fast_kernels_for(in->idx_type, x.value);
    if (from == NONE || to == NONE || !x.k || wide != (in->idx_type == SB_I64) ||
        (from != LIST && in->ptr_type != in->idx_type) || in->nnz == 0 ||
        in->extent[0] > EXTENT_MAX || in->extent[1] > EXTENT_MAX)
        return SB_SKIP;
    memset(out, 0, sizeof *out);
    open_source(&x, from);
    for (int k = 0; k < SB_COUNT(paths); k++)
        if (paths[k].from == from && paths[k].to == to)
            st = paths[k].run(out, &x, from);
    for (int k = 0; k < x.nown; k++)
        sb_free(x.own[k]);
    if (st != SB_OK)
        sb_tensor_free(out);
    return st;
}
