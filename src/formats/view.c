/*
 * Making a row-compressed view. Four cases: the caller's arrays as they are; a row
 * sorted COO, whose offsets alone are missing; compressed lines the other way round, one
 * counting sort; a stable counting sort by column and then by row of anything else.
 */
#include "formats/view.h"

#include "base/alloc.h"
#include "formats/tensor.h"

#include <string.h>

/* Coordinates on their way to a view; not owned. */
typedef struct pairs {
    int64_t n;
    const int64_t *row, *col;
} pairs;

/* Offsets of each key value: ptr[key] <- entries with a smaller key. */
static int64_t *
count_keys(const int64_t *key, int64_t n, int64_t range)
{
    int64_t *ptr = sb_alloc_array(range + 1, sizeof *ptr);
    int64_t sum = 0;

    if (!ptr)
        return NULL;
    memset(ptr, 0, (size_t)(range + 1) * sizeof *ptr);
    for (int64_t p = 0; p < n; p++)
        ptr[key[p]]++;
    for (int64_t i = 0; i <= range; i++) {
        const int64_t here = ptr[i];

        ptr[i] = sum;
        sum += here;
    }
    return ptr;
}

/* Stable: order[q] = index of the q-th entry by key; `before` orders them first. The
 * ptr array is advanced by one row: shifted back at the end. */
static int64_t *
sort_by(const int64_t *key, int64_t n, int64_t range, const int64_t *before,
        int64_t **ptr_out)
{
    int64_t *ptr = count_keys(key, n, range);
    int64_t *order = sb_alloc_array(n, sizeof *order);

    if (!ptr || !order) {
        sb_free(ptr);
        sb_free(order);
        return NULL;
    }
    for (int64_t q = 0; q < n; q++) {
        const int64_t p = before ? before[q] : q;

        order[ptr[key[p]]++] = p;
    }
    memmove(ptr + 1, ptr, (size_t)range * sizeof *ptr);
    ptr[0] = 0;
    *ptr_out = ptr;
    return order;
}

static sb_dtype
narrow(int64_t largest, sb_dtype callers)
{
    return callers == SB_I32 && largest <= INT32_MAX ? SB_I32 : SB_I64;
}

/* Takes the sorted order's arrays into the view. */
static sb_status
view_from_order(sb_view *v, const pairs *t, int64_t *ptr, int64_t *order,
                sb_dtype idx_type)
{
    v->crd_type = narrow(v->cols, idx_type);
    v->own_ptr = ptr;
    v->own_pos = order;
    v->own_crd = sb_alloc_array(t->n, sb_dtype_size(v->crd_type));
    if (!v->own_crd)
        return SB_ENOMEM;
    for (int64_t q = 0; q < t->n; q++)
        sb_index_store(v->own_crd, v->crd_type, q, t->col[order[q]]);
    v->ptr = ptr;
    v->ptr_type = SB_I64;
    v->crd = v->own_crd;
    v->pos = order;
    return SB_OK;
}

/* `sorted_by_col`: the pairs come in column order already (a transposition). */
static sb_status
view_sorted(sb_view *v, const pairs *t, sb_dtype idx_type, bool sorted_by_col)
{
    int64_t *ptr = NULL, *unused = NULL, *first = NULL, *order;
    sb_status st = SB_ENOMEM;

    if (!sorted_by_col) {
        first = sort_by(t->col, t->n, v->cols, NULL, &unused);
        sb_free(unused);
        if (!first)
            return SB_ENOMEM;
    }
    order = sort_by(t->row, t->n, v->rows, first, &ptr);
    if (order)
        st = view_from_order(v, t, ptr, order, idx_type);
    sb_free(first);
    return st;
}

static sb_status
outside(sb_diag *diag, const char *what, int64_t p, int64_t value, int64_t range)
{
    return sb_diag_set(diag, SB_EINVAL,
                       "%s %lld of the sparse matrix is %lld, outside [0, %lld)", what,
                       (long long)p, (long long)value, (long long)range);
}

/* Copies keys without their base and refuses what would leave our arrays. */
static sb_status
load_keys(int64_t *out, const void *idx, sb_dtype type, int base, int64_t n,
          int64_t range, const char *what, sb_diag *diag)
{
    for (int64_t p = 0; p < n; p++) {
        out[p] = sb_index(idx, type, p) - base;
        if (out[p] < 0 || out[p] >= range)
            return outside(diag, what, p, out[p], range);
    }
    return SB_OK;
}

/* ---- Turning compressed lines ------------------------------------------------------- */

enum { TURN_CHUNKS = 16, TURN_GRAIN = 1 << 15 };

/* Lines in chunks of about equal entries, each of which counts and places its own: chunk c
 * of key j begins at at[c * keys + j], so that the order is the lines' whoever runs. */
typedef struct turn {
    const sb_matrix *a;
    sb_view *v;
    int64_t keys, lines, chunks;
    int64_t line[TURN_CHUNKS + 1]; /* of each chunk, the first */
    int64_t bad[TURN_CHUNKS];      /* an entry whose key is outside, or -1 */
    int64_t *at;
} turn;

static int64_t
offset(const sb_matrix *a, int64_t i)
{
    return sb_index(a->ptr, a->ptr_type, i) - a->base;
}

/* Offsets that rise from 0 to nnz; only they are followed later. */
static sb_status
turn_lines(turn *t, int threads, sb_diag *diag)
{
    const sb_matrix *a = t->a;
    const int64_t most = threads < TURN_CHUNKS ? threads : TURN_CHUNKS;
    const int64_t worth = a->nnz / (t->keys + TURN_GRAIN);
    int64_t before = 0;

    t->chunks = worth < most ? worth + 1 : most;
    for (int64_t i = 0, c = 1; i < t->lines; i++) {
        const int64_t hi = offset(a, i + 1);

        if (hi < before || hi > a->nnz)
            return outside(diag, "offset", i + 1, hi, a->nnz + 1);
        for (; c < t->chunks && hi >= a->nnz / t->chunks * c; c++)
            t->line[c] = i + 1;
        before = hi;
    }
    t->line[t->chunks] = t->lines;
    return before == a->nnz ? SB_OK
                            : outside(diag, "last offset", t->lines, before, a->nnz);
}

/* The entries of a chunk: its first line's offset is taken for 0 where it is line 0. */
static int64_t
turn_first(const turn *t, int64_t c)
{
    return t->line[c] > 0 ? offset(t->a, t->line[c]) : 0;
}

static void
turn_count(void *user, int64_t lo, int64_t hi)
{
    turn *t = user;

    for (int64_t c = lo; c < hi; c++) {
        int64_t *count = t->at + c * t->keys;
        const int64_t end = turn_first(t, c + 1);

        memset(count, 0, (size_t)t->keys * sizeof *count);
        t->bad[c] = -1;
        for (int64_t p = turn_first(t, c); p < end; p++) {
            const int64_t j = sb_index(t->a->idx, t->a->idx_type, p) - t->a->base;

            if (j < 0 || j >= t->keys) {
                t->bad[c] = p;
                break;
            }
            count[j]++;
        }
    }
}

static void
turn_place(void *user, int64_t lo, int64_t hi)
{
    turn *t = user;
    sb_view *v = t->v;

    for (int64_t c = lo; c < hi; c++) {
        int64_t *at = t->at + c * t->keys, p = turn_first(t, c);

        for (int64_t i = t->line[c]; i < t->line[c + 1]; i++)
            for (const int64_t end = offset(t->a, i + 1); p < end; p++) {
                const int64_t j = sb_index(t->a->idx, t->a->idx_type, p) - t->a->base;
                const int64_t q = at[j]++;

                sb_index_store(v->own_crd, v->crd_type, q, i);
                v->own_pos[q] = p;
            }
    }
}

/* Counts become where each chunk of each key begins, and the keys' offsets. */
static void
turn_begin(turn *t, int64_t *ptr)
{
    int64_t sum = 0;

    for (int64_t j = 0; j < t->keys; j++) {
        ptr[j] = sum;
        for (int64_t c = 0; c < t->chunks; c++) {
            const int64_t here = t->at[c * t->keys + j];

            t->at[c * t->keys + j] = sum;
            sum += here;
        }
    }
    ptr[t->keys] = sum;
}

static sb_status
turn_run(turn *t, const sb_par *par, sb_diag *diag)
{
    sb_par_run(par, turn_count, t, 0, t->chunks, 1);
    for (int64_t c = 0; c < t->chunks; c++)
        if (t->bad[c] >= 0)
            return outside(diag, "coordinate", t->bad[c],
                           sb_index(t->a->idx, t->a->idx_type, t->bad[c]) - t->a->base,
                           t->keys);
    turn_begin(t, t->v->own_ptr);
    sb_par_run(par, turn_place, t, 0, t->chunks, 1);
    return SB_OK;
}

/* CSR or BSR transposed, or CSC as it is: the inner coordinate becomes the row. */
static sb_status
view_turned(sb_view *v, const sb_matrix *a, const sb_par *par, sb_diag *diag)
{
    turn t = {.a = a, .v = v, .keys = v->rows, .lines = v->cols};
    sb_status st = SB_ENOMEM;

    SB_TRY(turn_lines(&t, par ? par->threads : 1, diag));
    v->crd_type = narrow(v->cols, a->idx_type);
    v->own_ptr = sb_alloc_array(v->rows + 1, sizeof *v->own_pos);
    v->own_crd = sb_alloc_array(a->nnz, sb_dtype_size(v->crd_type));
    v->own_pos = sb_alloc_array(a->nnz, sizeof *v->own_pos);
    t.at = sb_alloc_array(t.chunks * t.keys, sizeof *t.at);
    if (v->own_ptr && v->own_crd && v->own_pos && t.at)
        st = turn_run(&t, par, diag);
    sb_free(t.at);
    v->ptr = v->own_ptr;
    v->ptr_type = SB_I64;
    v->crd = v->own_crd;
    v->pos = v->own_pos;
    return st;
}

static bool
coo_sorted(const sb_matrix *a)
{
    for (int64_t p = 1; p < a->nnz; p++)
        if (sb_index(a->row, a->idx_type, p) < sb_index(a->row, a->idx_type, p - 1))
            return false;
    return true;
}

static sb_status
view_coo_in_place(sb_view *v, const sb_matrix *a, sb_diag *diag)
{
    int64_t *row = sb_alloc_array(a->nnz, sizeof *row);
    sb_status st = SB_ENOMEM;

    if (row && (st = load_keys(row, a->row, a->idx_type, a->base, a->nnz, v->rows,
                               "row", diag)) == SB_OK) {
        v->own_ptr = count_keys(row, a->nnz, v->rows);
        st = v->own_ptr ? SB_OK : SB_ENOMEM;
    }
    sb_free(row);
    v->ptr = v->own_ptr;
    v->ptr_type = SB_I64;
    v->crd = a->idx;
    v->crd_type = a->idx_type;
    v->crd_base = a->base;
    v->crd_in_place = true;
    return st;
}

static sb_status
view_coo(sb_view *v, const sb_matrix *a, bool transpose, sb_diag *diag)
{
    int64_t *row = NULL, *col = NULL;
    sb_status st = SB_ENOMEM;

    if (!transpose && coo_sorted(a))
        return view_coo_in_place(v, a, diag);
    row = sb_alloc_array(a->nnz, sizeof *row);
    col = sb_alloc_array(a->nnz, sizeof *col);
    if (row && col &&
        (st = load_keys(row, a->row, a->idx_type, a->base, a->nnz, a->rows, "row",
                        diag)) == SB_OK &&
        (st = load_keys(col, a->idx, a->idx_type, a->base, a->nnz, a->cols, "column",
                        diag)) == SB_OK) {
        const pairs t = {a->nnz, transpose ? col : row, transpose ? row : col};

        st = view_sorted(v, &t, a->idx_type, false);
    }
    sb_free(row);
    sb_free(col);
    return st;
}

/* Padded formats and blocks: the elements of slots that are not empty, in the rows'
 * order. */
static sb_status
load_slots(int64_t *row, int64_t *col, int64_t *pos, int64_t most, int64_t *count,
           const sb_matrix *a, sb_diag *diag)
{
    const int64_t b = sb_matrix_block(a);
    int64_t n = 0;

    for (int64_t i = 0; i < a->rows; i++) {
        const sb_slots s = sb_matrix_slots(a, i / b);

        if (s.lo < 0 || s.hi > a->nnz)
            return outside(diag, "the last slot of row", i, s.hi, a->nnz + 1);
        for (int64_t p = s.lo; p < s.hi; p += s.step) {
            const int64_t j = sb_index(a->idx, a->idx_type, p) - a->base;

            if (j >= a->cols / b)
                return outside(diag, "column", p, j, a->cols / b);
            if (n + b > most)
                return outside(diag, "the last slot of row", i, s.hi, s.lo + 1);
            for (int64_t c = 0; c < b && j >= 0; c++, n++) {
                row[n] = i;
                col[n] = j * b + c;
                pos[n] = sb_matrix_value(a, p, i % b, c);
            }
        }
    }
    *count = n;
    return SB_OK;
}

static sb_status
view_padded(sb_view *v, const sb_matrix *a, bool transpose, sb_diag *diag)
{
    const int64_t most = a->nnz * sb_matrix_block(a) * sb_matrix_block(a);
    int64_t *row = sb_alloc_array(most, sizeof *row);
    int64_t *col = sb_alloc_array(most, sizeof *col);
    int64_t *pos = sb_alloc_array(most, sizeof *pos);
    sb_status st = SB_ENOMEM;

    if (row && col && pos &&
        (st = load_slots(row, col, pos, most, &v->nnz, a, diag)) == SB_OK) {
        const pairs t = {v->nnz, transpose ? col : row, transpose ? row : col};

        st = view_sorted(v, &t, a->idx_type, transpose);
    }
    for (int64_t q = 0; q < v->nnz && st == SB_OK; q++)
        v->own_pos[q] = pos[v->own_pos[q]];
    sb_free(row);
    sb_free(col);
    sb_free(pos);
    return st;
}

/* Slots of a tensor that lie in the matrix, by their numbers in place of values: those of
 * padding too, as of blocks. */
static sb_status
view_numbered(sb_view *v, const sb_tensor *t, double *number, int64_t slots,
              bool transpose)
{
    sb_tensor numbered = *t;
    int64_t *coord[SB_FMT_DIMS] = {NULL}, n = 0, kept = 0;
    void *at = NULL;
    sb_status st;

    for (int64_t q = 0; q < slots; q++)
        number[q] = (double)(q + 1);
    numbered.val = (sb_tensor_array){number, 1};
    numbered.val_type = SB_F64;
    numbered.nnz = slots;
    st = sb_tensor_coords(coord, &at, &n, &numbered);
    for (int64_t e = 0; e < n && st == SB_OK; e++) {
        const int64_t i = coord[0][e], j = coord[1][e];

        if (i < 0 || j < 0 || i >= t->extent[0] || j >= t->extent[1])
            continue;
        coord[0][kept] = i;
        coord[1][kept] = j;
        ((double *)at)[kept++] = ((const double *)at)[e];
    }
    v->nnz = kept;
    if (st == SB_OK) {
        const pairs p = {kept, coord[transpose ? 1 : 0], coord[transpose ? 0 : 1]};

        st = view_sorted(v, &p, t->idx_type, false);
    }
    for (int64_t q = 0; q < kept && st == SB_OK; q++)
        v->own_pos[q] = (int64_t)((const double *)at)[v->own_pos[q]] - 1;
    sb_free(coord[0]);
    sb_free(coord[1]);
    sb_free(at);
    return st;
}

static sb_status
view_tensor(sb_view *v, const sb_tensor *t, bool transpose, sb_diag *diag)
{
    double *number;
    sb_status st = SB_ENOMEM;

    if (sb_tensor_is_list(t) || t->val.stride != 1)
        return sb_diag_set(diag, SB_ENOTSUP,
                           "a CUSTOM matrix in parts or with values in records has no "
                           "one array of values");
    number = sb_alloc_array(sb_tensor_slots(t), sizeof *number);
    if (number)
        st = view_numbered(v, t, number, sb_tensor_slots(t), transpose);
    sb_free(number);
    return st;
}

static void
view_in_place(sb_view *v, const sb_matrix *a)
{
    v->ptr = a->ptr;
    v->ptr_type = a->ptr_type;
    v->ptr_base = a->base;
    v->crd = a->idx;
    v->crd_type = a->idx_type;
    v->crd_base = a->base;
    v->ptr_in_place = v->crd_in_place = true;
}

static sb_status
make(sb_view *out, const sb_matrix *a, bool transpose, bool elements, const sb_par *par,
     sb_diag *diag)
{
    const bool coo = a->format == SB_FORMAT_COO, bsr = a->format == SB_FORMAT_BSR;
    sb_status st = SB_OK;

    memset(out, 0, sizeof *out);
    out->block = bsr && !elements ? a->block : 1;
    out->rows = (transpose ? a->cols : a->rows) / out->block;
    out->cols = (transpose ? a->rows : a->cols) / out->block;
    out->nnz = a->nnz;
    out->ptr_type = out->crd_type = SB_I64;
    if (a->format == SB_FORMAT_TENSOR)
        st = view_tensor(out, a->tensor, transpose, diag);
    else if (coo)
        st = view_coo(out, a, transpose, diag);
    else if (sb_matrix_padded(a) || (bsr && elements))
        st = view_padded(out, a, transpose, diag);
    else if ((a->format == SB_FORMAT_CSC) == transpose)
        view_in_place(out, a);
    else
        st = view_turned(out, a, par, diag);
    out->slot_type =
        out->ptr_in_place ? a->ptr_type : narrow(out->nnz, coo ? a->idx_type : SB_I32);
    if (st != SB_OK) {
        sb_view_free(out);
        if (st == SB_ENOMEM)
            sb_diag_set(diag, st, "no memory for a row-compressed view of the matrix");
    }
    return st;
}

sb_status
sb_view_make(sb_view *out, const sb_matrix *a, bool transpose, sb_diag *diag)
{
    return make(out, a, transpose, false, NULL, diag);
}

sb_status
sb_view_make_on(sb_view *out, const sb_matrix *a, bool transpose, const sb_par *par,
                sb_diag *diag)
{
    return make(out, a, transpose, false, par, diag);
}

sb_status
sb_view_make_elements(sb_view *out, const sb_matrix *a, bool transpose, sb_diag *diag)
{
    return make(out, a, transpose, true, NULL, diag);
}

void
sb_view_free(sb_view *v)
{
    sb_free(v->own_ptr);
    sb_free(v->own_crd);
    sb_free(v->own_pos);
    memset(v, 0, sizeof *v);
}
