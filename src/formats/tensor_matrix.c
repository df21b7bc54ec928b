/*
 * Matrices as callers give them, on the way into the format language. Arrays that are
 * what a format says (counted from 0, ascending, nothing twice) are converted where they
 * lie; all others become a coordinate list first, which conversion sorts. Zeros inside
 * BSR's blocks are padding, as in every format that pads.
 */
#include "formats/tensor.h"

#include "base/alloc.h"
#include "base/fault.h"
#include "formats/check.h"
#include "formats/conv_ops.h"

#include <stdatomic.h>
#include <string.h>

/* ---- Formats ------------------------------------------------------------------------ */

enum {
    BLOCK_MAX = 1 << 30, /* a parameter's largest value */
    SCAN_GRAIN = 1 << 13
};

static void
put_format(sb_strbuf *text, const sb_matrix *a)
{
    static const char *const names[] = {
        [SB_FORMAT_CSR] = "csr", [SB_FORMAT_CSC] = "csc", [SB_FORMAT_COO] = "coo"};

    if (a->format != SB_FORMAT_BSR)
        sb_strbuf_puts(text, names[a->format]);
    else
        sb_strbuf_printf(text,
                         a->block_col_major
                             ? "format bsr_columns<b=%lld> "
                               "(i, j) -> (i/b, j/b, j%%b, i%%b) merge(0, 1) trim(1, 1)"
                             : "bsr<%lld>",
                         (long long)a->block);
}

sb_status
sb_fmt_of_matrix(const sb_fmt **out, sb_arena *ar, const sb_matrix *a, sb_diag *diag)
{
    sb_strbuf text;
    sb_status st;

    *out = NULL;
    if (a->format == SB_FORMAT_TENSOR) {
        *out = a->tensor->fmt;
        return SB_OK;
    }
    if (sb_matrix_padded(a))
        return sb_diag_set(diag, SB_ENOTSUP,
                           "the arrays of a Blocked-ELL or Sliced-ELL matrix are no "
                           "format's of the language; spblasConvert makes such arrays");
    if (a->format == SB_FORMAT_BSR && a->block > BLOCK_MAX)
        return sb_diag_set(diag, SB_ENOTSUP,
                           "blocks of %lld rows are beyond the format language",
                           (long long)a->block);
    sb_strbuf_init(&text);
    put_format(&text, a);
    st = sb_strbuf_status(&text);
    if (st == SB_OK)
        st = sb_fmt_parse(out, ar, text.s, diag);
    sb_strbuf_free(&text);
    return st;
}

/* ---- Borrowing ---------------------------------------------------------------------- */

static sb_tensor_array
borrowed(const void *data)
{
    return (sb_tensor_array){(void *)(uintptr_t)data, 1};
}

static int64_t
majors_of(const sb_matrix *a)
{
    return a->format == SB_FORMAT_CSC
               ? a->cols
               : a->rows / (a->format == SB_FORMAT_BSR ? a->block : 1);
}

sb_tensor
sb_tensor_borrow_matrix(const sb_fmt *f, const sb_matrix *a)
{
    const int64_t b = a->format == SB_FORMAT_BSR ? a->block : 1;
    const bool list = a->format == SB_FORMAT_COO;
    sb_tensor t = {
        .fmt = f,
        .extent = {a->rows, a->cols},
        .val_type = a->val_type,
        .idx_type = a->idx_type,
        .ptr_type = list ? a->idx_type : a->ptr_type,
        .count = {list ? a->nnz : majors_of(a), a->nnz, a->nnz * b, a->nnz * b * b},
        .idx = {borrowed(list ? a->row : NULL), borrowed(a->idx)},
        .ptr = {{NULL, 0}, borrowed(list ? NULL : a->ptr)},
        .val = borrowed(a->val),
        .nnz = a->nnz * b * b};

    if (a->format == SB_FORMAT_TENSOR)
        return *a->tensor;
    for (int q = 0; q < f->nlevel; q++) {
        int64_t hi;

        sb_fmt_range(&t.lo[q], &hi, f, q, t.extent);
        t.size[q] = hi - t.lo[q];
    }
    return t;
}

/* ---- Sound and in order ------------------------------------------------------------- */

typedef struct scan {
    const sb_matrix *a;
    int64_t majors, minors;
    atomic_bool bad;
} scan;

static void
scan_rows(void *user, int64_t lo, int64_t hi)
{
    scan *s = user;
    const sb_matrix *a = s->a;
    bool bad = false;

    for (int64_t i = lo; i < hi && !bad; i++) {
        const int64_t end = sb_index(a->ptr, a->ptr_type, i + 1);
        int64_t p = sb_index(a->ptr, a->ptr_type, i), before = -1;

        bad = p < 0 || p > end || end > a->nnz;
        for (; p < end && !bad; p++) {
            const int64_t j = sb_index(a->idx, a->idx_type, p);

            bad = j <= before || j >= s->minors;
            before = j;
        }
    }
    if (bad)
        atomic_store_explicit(&s->bad, true, memory_order_relaxed);
}

static void
scan_list(void *user, int64_t lo, int64_t hi)
{
    scan *s = user;
    const sb_matrix *a = s->a;
    int64_t row = lo > 0 ? sb_index(a->row, a->idx_type, lo - 1) : 0;
    int64_t col = lo > 0 ? sb_index(a->idx, a->idx_type, lo - 1) : -1;
    bool bad = false;

    for (int64_t p = lo; p < hi && !bad; p++) {
        const int64_t i = sb_index(a->row, a->idx_type, p);
        const int64_t j = sb_index(a->idx, a->idx_type, p);

        bad = i < row || i >= s->majors || j < 0 || j >= s->minors ||
              (i == row && j <= col);
        row = i;
        col = j;
    }
    if (bad)
        atomic_store_explicit(&s->bad, true, memory_order_relaxed);
}

/* Whether the arrays are those of the matrix's format. */
static bool
is_canonical(const sb_matrix *a, const sb_par *par)
{
    const int64_t b = a->format == SB_FORMAT_BSR ? a->block : 1;
    const bool list = a->format == SB_FORMAT_COO;
    scan s = {.a = a,
              .majors = majors_of(a),
              .minors = a->format == SB_FORMAT_CSC ? a->rows : a->cols / b};

    if (a->base != 0 || !a->idx || !a->val || !(list ? a->row : a->ptr))
        return false;
    if (!list && (sb_index(a->ptr, a->ptr_type, 0) != 0 ||
                  sb_index(a->ptr, a->ptr_type, s.majors) != a->nnz))
        return false;
    atomic_init(&s.bad, false);
    if (list)
        sb_par_run(par, scan_list, &s, 0, a->nnz, SCAN_GRAIN);
    else
        sb_par_run(par, scan_rows, &s, 0, s.majors, SCAN_GRAIN);
    return !atomic_load_explicit(&s.bad, memory_order_relaxed);
}

static sb_status
convert_in_place(sb_tensor *out, const sb_fmt *f, const sb_matrix *a, const sb_par *par,
                 sb_diag *diag)
{
    const sb_fmt *from;
    sb_arena ar;
    sb_status st;

    sb_arena_init(&ar);
    st = sb_fmt_of_matrix(&from, &ar, a, diag);
    if (st == SB_OK) {
        sb_tensor in = sb_tensor_borrow_matrix(from, a);

        if (a->format == SB_FORMAT_BSR)
            in.nnz = sb_tree_nonzeros(a->val, 1, in.nnz, a->val_type);
        st = sb_tensor_convert(out, &in, f, par, NULL, diag);
    }
    sb_arena_free(&ar);
    return st;
}

/* ---- Lists -------------------------------------------------------------------------- */

typedef struct list {
    const sb_matrix *a;
    size_t size;
    int64_t n;
    int64_t *row, *col;
    char *val;
} list;

static void
put(list *l, int64_t i, int64_t j, int64_t p)
{
    l->row[l->n] = i;
    l->col[l->n] = j;
    memcpy(l->val + (size_t)l->n * l->size,
           (const char *)l->a->val + (size_t)p * l->size, l->size);
    l->n++;
}

static void
put_block(list *l, int64_t i, int64_t j, int64_t p)
{
    const sb_matrix *a = l->a;
    const int64_t b = a->block;

    for (int64_t x = 0; x < b * b; x++) {
        const int64_t major = x / b, minor = x % b;
        const sb_value v = sb_value_load(a->val_type, a->val, p * b * b + x);

        if (v.re != 0 || v.im != 0)
            put(l, i * b + (a->block_col_major ? minor : major),
                j * b + (a->block_col_major ? major : minor), p * b * b + x);
    }
}

static void
fill(list *l)
{
    const sb_matrix *a = l->a;
    int64_t major = 0;

    for (int64_t p = 0; p < a->nnz; p++) {
        const int64_t minor =
            sb_index(a->idx, a->idx_type, p) - (SB_FAULT(CONVERT_BASE) ? 0 : a->base);

        if (a->format == SB_FORMAT_COO)
            major = sb_index(a->row, a->idx_type, p) - a->base;
        else
            while (sb_index(a->ptr, a->ptr_type, major + 1) - a->base <= p)
                major++;
        if (a->format == SB_FORMAT_BSR)
            put_block(l, major, minor, p);
        else if (a->format == SB_FORMAT_CSC)
            put(l, minor, major, p);
        else
            put(l, major, minor, p);
    }
}

static sb_status
convert_list(sb_tensor *out, const sb_fmt *f, const sb_matrix *a, const sb_par *par,
             sb_diag *diag)
{
    const int64_t b = a->format == SB_FORMAT_BSR ? a->block : 1;
    const bool wide = a->idx_type == SB_I64 || a->ptr_type == SB_I64;
    const int64_t most = a->nnz * b * b;
    list l = {.a = a,
              .size = sb_dtype_size(a->val_type),
              .row = sb_alloc_array(most, sizeof *l.row),
              .col = sb_alloc_array(most, sizeof *l.col),
              .val = sb_alloc_array(most, sb_dtype_size(a->val_type))};
    sb_status st = SB_ENOMEM;

    if (l.row && l.col && l.val) {
        fill(&l);

        const sb_tensor_coo coo = {.ndim = 2,
                                   .extent = {a->rows, a->cols},
                                   .nnz = l.n,
                                   .coord = {l.row, l.col},
                                   .val = l.val,
                                   .val_type = a->val_type};

        st = sb_tensor_from_coo(out, f, &coo, wide, par, diag);
    }
    sb_free(l.row);
    sb_free(l.col);
    sb_free(l.val);
    return st;
}

/* Formats that pad: by the rows of a view, whose positions leave the padding out. */
static sb_status
convert_padded(sb_tensor *out, const sb_fmt *f, const sb_matrix *a, const sb_par *par,
               sb_diag *diag)
{
    const bool wide = a->idx_type == SB_I64 || a->ptr_type == SB_I64;
    sb_view v;
    sb_status st;

    SB_TRY(sb_matrix_check(a, diag));
    SB_TRY(sb_view_make(&v, a, false, diag));
    st = sb_tensor_from_view(out, f, &v, a->val, a->val_type, wide, par, diag);
    sb_view_free(&v);
    return st;
}

sb_status
sb_tensor_from_matrix(sb_tensor *out, const sb_fmt *f, const sb_matrix *a,
                      const sb_par *par, sb_diag *diag)
{
    memset(out, 0, sizeof *out);
    if (a->format == SB_FORMAT_TENSOR)
        return sb_tensor_convert(out, a->tensor, f, par, NULL, diag);
    if (sb_matrix_padded(a))
        return convert_padded(out, f, a, par, diag);
    if (is_canonical(a, par))
        return convert_in_place(out, f, a, par, diag);
    SB_TRY(sb_matrix_check(a, diag));
    return convert_list(out, f, a, par, diag);
}

/* ---- Leaves ------------------------------------------------------------------------- */

int64_t
sb_tensor_leaves(const sb_tensor *t)
{
    int64_t n = 0;

    if (!sb_tensor_is_list(t))
        return 1;
    if (t->fmt->npart == 0)
        return t->nbank;
    for (int q = 0; q < t->nbank; q++)
        n += sb_tensor_leaves(&t->bank[q]);
    return n;
}

const sb_tensor *
sb_tensor_leaf(const sb_tensor *t, int64_t index)
{
    if (index < 0 || index >= sb_tensor_leaves(t))
        return NULL;
    if (!sb_tensor_is_list(t))
        return t;
    if (t->fmt->npart == 0)
        return &t->bank[index];
    for (int q = 0; q < t->nbank; q++) {
        const int64_t n = sb_tensor_leaves(&t->bank[q]);

        if (index < n)
            return sb_tensor_leaf(&t->bank[q], index);
        index -= n;
    }
    return NULL;
}

int64_t
sb_tensor_slots(const sb_tensor *leaf)
{
    return leaf->count[leaf->fmt->nlevel - 1];
}
