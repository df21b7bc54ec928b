/* Matrices of small integers, in every format. */
#include "numeric.h"

#include <string.h>

static uint64_t state;

void
seed(uint64_t of)
{
    state = (of + 1) * 0x9e3779b97f4a7c15U; /* neighbours far apart */
}

int
below(int n)
{
    state = state * 6364136223846793005U + 1442695040888963407U;
    return (int)((state >> 33) % (uint64_t)n);
}

number
draw(cudaDataType type)
{
    const int re = below(2) ? 1 + below(3) : -1 - below(3);

    return (double)re + (type_complex(type) ? (double)(below(5) - 2) * I : 0);
}

matrix
draw_matrix(cudaDataType type, int m, int n, int percent)
{
    matrix a = {.m = m, .n = n};

    for (int i = 0; i < m; i++) {
        for (int j = 0; j < n; j++) {
            a.in[i][j] = below(100) < percent;
            a.at[i][j] = a.in[i][j] ? draw(type) : 0;
        }
    }
    return a;
}

matrix
op_of(const matrix *a, cusparseOperation_t op)
{
    matrix t = {.m = a->n, .n = a->m};

    if (op == CUSPARSE_OPERATION_NON_TRANSPOSE)
        return *a;
    for (int i = 0; i < a->m; i++) {
        for (int j = 0; j < a->n; j++) {
            t.at[j][i] =
                op == CUSPARSE_OPERATION_TRANSPOSE ? a->at[i][j] : conj(a->at[i][j]);
            t.in[j][i] = a->in[i][j];
        }
    }
    return t;
}

matrix
multiply(number alpha, const matrix *a, const matrix *b, number beta, const matrix *c)
{
    matrix r = {.m = a->m, .n = b->n};

    for (int i = 0; i < r.m; i++) {
        for (int j = 0; j < r.n; j++) {
            number sum = 0;

            for (int k = 0; k < a->n; k++) {
                sum += a->at[i][k] * b->at[k][j];
                r.in[i][j] |= a->in[i][k] && b->in[k][j];
            }
            r.at[i][j] = alpha * sum + (c ? beta * c->at[i][j] : 0);
        }
    }
    return r;
}

bool
same(const matrix *a, const matrix *b)
{
    bool equal = a->m == b->m && a->n == b->n;

    for (int i = 0; equal && i < a->m; i++) {
        for (int j = 0; j < a->n; j++)
            equal = equal && a->at[i][j] == b->at[i][j];
    }
    return equal;
}

void
widen(matrix *a)
{
    for (int i = 0; i < a->m; i += 2) {
        for (int j = 0; j < a->n; j += 2) {
            const bool any = a->in[i][j] || a->in[i + 1][j] || a->in[i][j + 1] ||
                             a->in[i + 1][j + 1];

            a->in[i][j] = a->in[i + 1][j] = any;
            a->in[i][j + 1] = a->in[i + 1][j + 1] = any;
        }
    }
}

/* ---- Sparse formats ----------------------------------------------------------------- */

enum { ROOM = 4 * SIDE * SIDE };

/* Arrays being written: offsets, indices, and which element each value is. */
typedef struct {
    int64_t ptr[SIDE + 2], idx[ROOM], idx2[ROOM];
    int ptrs, idxs;
    sparse *to;
} writer;

static void
value(writer *w, int i, int j)
{
    w->to->row[w->to->count] = i;
    w->to->column[w->to->count++] = j;
}

/* CSR, of the transpose CSC, and COO with both indices. */
static void
write_lists(writer *w, const matrix *a, format kind)
{
    const int outer = kind == CSC ? a->n : a->m, inner = kind == CSC ? a->m : a->n;

    for (int u = 0; u < outer; u++) {
        for (int v = 0; v < inner; v++) {
            const int i = kind == CSC ? v : u, j = kind == CSC ? u : v;

            if (a->in[i][j]) {
                w->idx2[w->idxs] = u;
                w->idx[w->idxs++] = v;
                value(w, i, j);
            }
        }
        w->ptr[u + 1] = w->idxs;
    }
    w->ptrs = outer + 1;
}

static void
write_bsr(writer *w, const matrix *a)
{
    for (int u = 0; u < a->m / 2; u++) {
        for (int v = 0; v < a->n / 2; v++) {
            if (!a->in[2 * u][2 * v])
                continue;
            w->idx[w->idxs++] = v;
            for (int e = 0; e < 4; e++)
                value(w, 2 * u + e / 2, 2 * v + e % 2);
        }
        w->ptr[u + 1] = w->idxs;
    }
    w->ptrs = a->m / 2 + 1;
}

/* As many blocks in each row of blocks as the longest has; returns the columns. */
static int
write_bell(writer *w, const matrix *a)
{
    int width = 0;

    for (int pass = 0; pass < 2; pass++) {
        for (int u = 0; u < a->m / 2; u++) {
            int blocks[SIDE], count = 0;

            for (int v = 0; v < a->n / 2; v++) {
                if (a->in[2 * u][2 * v])
                    blocks[count++] = v;
            }
            width = count > width ? count : width;
            for (int s = 0; pass && s < width; s++)
                w->idx[w->idxs++] = s < count ? blocks[s] : -1;
            for (int e = 0; pass && e < 4 * width; e++) {
                const int s = e % (2 * width) / 2, r = e / (2 * width);

                value(w, s < count ? 2 * u + r : -1,
                      s < count ? 2 * blocks[s] + e % 2 : -1);
            }
        }
    }
    return 2 * width;
}

/* Slices of two rows, by columns of the slice. */
static void
write_sell(writer *w, const matrix *a)
{
    for (int u = 0; u < a->m; u += 2) {
        int list[2][SIDE], count[2] = {0, 0};

        for (int r = 0; r < 2; r++) {
            for (int j = 0; j < a->n; j++) {
                if (a->in[u + r][j])
                    list[r][count[r]++] = j;
            }
        }
        for (int s = 0; s < count[0] || s < count[1]; s++) {
            for (int r = 0; r < 2; r++) {
                w->idx[w->idxs++] = s < count[r] ? list[r][s] : -1;
                value(w, s < count[r] ? u + r : -1, s < count[r] ? list[r][s] : -1);
            }
        }
        w->ptr[u / 2 + 1] = w->idxs;
    }
    w->ptrs = a->m / 2 + 1;
}

/* Index arrays in their type and base; -1 marks an empty slot in any base. */
static void *
indices(const int64_t *list, int count, cusparseIndexType_t type, int base)
{
    int32_t narrow[ROOM];
    int64_t wide[ROOM];

    for (int p = 0; p < count; p++) {
        wide[p] = list[p] < 0 ? -1 : list[p] + base;
        narrow[p] = (int32_t)wide[p];
    }
    return type == CUSPARSE_INDEX_32I ? memory_new(narrow, (size_t)count * 4)
                                      : memory_new(wide, (size_t)count * 8);
}

/* Arrays of a matrix as its Create function wants them. */
typedef struct {
    const matrix *a;
    void *ptr, *idx, *row;
    int width;
    cudaDataType type;
    cusparseIndexType_t it;
    cusparseIndexBase_t base;
} parts;

static int64_t
entries(const sparse *s)
{
    int64_t nnz = 0;

    for (int64_t k = 0; k < s->count; k++)
        nnz += s->row[k] >= 0;
    return nnz;
}

static void
create(sparse *s, const parts *p)
{
    const int64_t m = p->a->m, n = p->a->n;
    cusparseSpMatDescr_t *const out = &s->descr;

    if (s->kind == CSR)
        (void)cusparseCreateCsr(out, m, n, s->count, p->ptr, p->idx, s->values, p->it,
                                p->it, p->base, p->type);
    else if (s->kind == CSC)
        (void)cusparseCreateCsc(out, m, n, s->count, p->ptr, p->idx, s->values, p->it,
                                p->it, p->base, p->type);
    else if (s->kind == COO)
        (void)cusparseCreateCoo(out, m, n, s->count, p->row, p->idx, s->values, p->it,
                                p->base, p->type);
    else if (s->kind == BSR)
        (void)cusparseCreateBsr(out, m / 2, n / 2, s->count / 4, 2, 2, p->ptr, p->idx,
                                s->values, p->it, p->it, p->base, p->type,
                                CUSPARSE_ORDER_ROW);
    else if (s->kind == BELL)
        (void)cusparseCreateBlockedEll(out, m, n, 2, p->width, p->idx, s->values, p->it,
                                       p->base, p->type);
    else
        (void)cusparseCreateSlicedEll(out, m, n, entries(s), s->count, 2, p->ptr,
                                      p->idx, s->values, p->it, p->it, p->base,
                                      p->type);
}

static void
create_const(sparse *s, const parts *p)
{
    const int64_t m = p->a->m, n = p->a->n;
    cusparseConstSpMatDescr_t made = NULL;

    if (s->kind == CSR)
        (void)cusparseCreateConstCsr(&made, m, n, s->count, p->ptr, p->idx, s->values,
                                     p->it, p->it, p->base, p->type);
    else if (s->kind == CSC)
        (void)cusparseCreateConstCsc(&made, m, n, s->count, p->ptr, p->idx, s->values,
                                     p->it, p->it, p->base, p->type);
    else if (s->kind == COO)
        (void)cusparseCreateConstCoo(&made, m, n, s->count, p->row, p->idx, s->values,
                                     p->it, p->base, p->type);
    else if (s->kind == BSR)
        (void)cusparseCreateConstBsr(&made, m / 2, n / 2, s->count / 4, 2, 2, p->ptr,
                                     p->idx, s->values, p->it, p->it, p->base, p->type,
                                     CUSPARSE_ORDER_ROW);
    else if (s->kind == BELL)
        (void)cusparseCreateConstBlockedEll(&made, m, n, 2, p->width, p->idx, s->values,
                                            p->it, p->base, p->type);
    else
        (void)cusparseCreateConstSlicedEll(&made, m, n, entries(s), s->count, 2, p->ptr,
                                           p->idx, s->values, p->it, p->it, p->base,
                                           p->type);
    s->descr = (cusparseSpMatDescr_t)(uintptr_t)made;
}

static sparse
arrays_of(const matrix *a, format kind, cudaDataType type, cusparseIndexType_t it,
          cusparseIndexBase_t base, void (*make)(sparse *s, const parts *p))
{
    sparse s = {.kind = kind};
    writer w = {.to = &s};
    parts p = {.a = a, .type = type, .it = it, .base = base};
    number x[ROOM];

    if (kind <= COO)
        write_lists(&w, a, kind);
    else if (kind == BSR)
        write_bsr(&w, a);
    else if (kind == BELL)
        p.width = write_bell(&w, a);
    else
        write_sell(&w, a);
    for (int64_t k = 0; k < s.count; k++)
        x[k] = s.row[k] < 0 ? 0 : a->at[s.row[k]][s.column[k]];
    p.ptr = indices(w.ptr, w.ptrs, it, (int)base);
    p.idx = indices(w.idx, w.idxs, it, (int)base);
    p.row = indices(w.idx2, w.idxs, it, (int)base);
    s.values = array_of(type, x, s.count);
    make(&s, &p);
    return s;
}

sparse
sparse_of(const matrix *a, format kind, cudaDataType type, cusparseIndexType_t it,
          cusparseIndexBase_t base)
{
    return arrays_of(a, kind, type, it, base, create);
}

sparse
sparse_const_of(const matrix *a, format kind, cudaDataType type, cusparseIndexType_t it,
                cusparseIndexBase_t base)
{
    return arrays_of(a, kind, type, it, base, create_const);
}

matrix
sparse_read(const sparse *s, const matrix *like, cudaDataType type)
{
    matrix a = *like;
    number x[ROOM];

    memset(a.at, 0, sizeof a.at);
    array_read(type, x, s->values, s->count);
    for (int64_t k = 0; k < s->count; k++) {
        if (s->row[k] >= 0)
            a.at[s->row[k]][s->column[k]] = x[k];
    }
    return a;
}

/* ---- Dense -------------------------------------------------------------------------- */

static int64_t
place(int i, int j, int ld, cusparseOrder_t order)
{
    return order == CUSPARSE_ORDER_COL ? i + (int64_t)j * ld : (int64_t)i * ld + j;
}

static dense
values_of(const matrix *a, cudaDataType type, cusparseOrder_t order)
{
    const bool by_columns = order == CUSPARSE_ORDER_COL;
    dense d = {.order = order, .ld = (by_columns ? a->m : a->n) + 1};
    number x[ROOM] = {0};

    for (int i = 0; i < a->m; i++) {
        for (int j = 0; j < a->n; j++)
            x[place(i, j, d.ld, order)] = a->at[i][j];
    }
    d.values = array_of(type, x, (int64_t)d.ld * (by_columns ? a->n : a->m));
    return d;
}

dense
dense_of(const matrix *a, cudaDataType type, cusparseOrder_t order)
{
    dense d = values_of(a, type, order);

    (void)cusparseCreateDnMat(&d.descr, a->m, a->n, d.ld, d.values, type, order);
    return d;
}

dense
dense_const_of(const matrix *a, cudaDataType type, cusparseOrder_t order)
{
    dense d = values_of(a, type, order);
    cusparseConstDnMatDescr_t made = NULL;

    (void)cusparseCreateConstDnMat(&made, a->m, a->n, d.ld, d.values, type, order);
    d.descr = (cusparseDnMatDescr_t)(uintptr_t)made;
    return d;
}

matrix
dense_read(const dense *d, int m, int n, cudaDataType type)
{
    matrix a = {.m = m, .n = n};
    number x[ROOM];

    array_read(type, x, d->values,
               (int64_t)d->ld * (d->order == CUSPARSE_ORDER_COL ? n : m));
    for (int i = 0; i < m; i++) {
        for (int j = 0; j < n; j++)
            a.at[i][j] = x[place(i, j, d->ld, d->order)];
    }
    return a;
}
