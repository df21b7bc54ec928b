/*
 * Operands of a contest and what is right: gpu_contest.h.
 */
#include "gpu_contest.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CHECKED = 400 }; /* rows that are looked at */

static void *
room(int64_t count, size_t size)
{
    void *p = malloc((size_t)count * size + 1);

    if (!p) {
        (void)fputs("gpu_bench: no memory\n", stderr);
        exit(1);
    }
    return p;
}

/* Numbers in [-1, 1) that the type holds. */
static double *
random_numbers(elem type, int64_t count, uint64_t seed)
{
    double *x = room(count, sizeof *x), im;
    char one[16];

    for (int64_t q = 0; q < count; q++) {
        seed = seed * 6364136223846793005u + 1442695040888963407u;
        elem_put(type, one, 0, (double)(seed >> 40) * 0x1p-23 - 1, 0);
        elem_get(type, one, 0, &x[q], &im);
    }
    return x;
}

static sb_cu_mem
numbers_to_gpu(elem type, const double *x, int64_t count)
{
    void *host = room(count, elem_size(type));
    sb_cu_mem m;

    for (int64_t q = 0; q < count; q++)
        elem_put(type, host, q, x[q], 0);
    m = gpu_copy(host, (size_t)count * elem_size(type));
    free(host);
    return m;
}

static sb_cu_mem
row_indices(const lab_csr *m)
{
    int32_t *row = room(m->nnz, sizeof *row);
    sb_cu_mem at;

    for (int64_t i = 0; i < m->rows; i++)
        for (int32_t p = m->ptr[i]; p < m->ptr[i + 1]; p++)
            row[p] = (int32_t)i;
    at = gpu_copy(row, (size_t)m->nnz * sizeof *row);
    free(row);
    return at;
}

/* ---- blocks of 4 by 4 ------------------------------------------------------------------------- */

/* Columns of blocks of block row r, ascending as the columns are in each row; *count of
 * them. seen: of the columns, all below r. */
static void
blocks_of_row(const lab_csr *m, int64_t r, int32_t *seen, int32_t *out, int64_t *count)
{
    *count = 0;
    for (int32_t p = m->ptr[4 * r]; p < m->ptr[4 * r + 4]; p++) {
        const int32_t j = m->idx[p] / 4;
        int64_t at;

        if (seen[j] == r + 1)
            continue;
        seen[j] = (int32_t)r + 1;
        for (at = (*count)++; at > 0 && out[at - 1] > j; at--)
            out[at] = out[at - 1];
        out[at] = j;
    }
}

/* Only where half of what is stored would be entries. */
static void
make_blocks(contest *c)
{
    const lab_csr *m = c->m;
    const int64_t rows = m->rows / 4;
    int32_t *seen, *idx, *ptr;
    double *val;
    int64_t n = 0, in_row;

    if (m->rows % 4 || m->cols % 4 || m->nnz == 0)
        return;
    seen = room(m->cols / 4, sizeof *seen);
    memset(seen, 0, (size_t)(m->cols / 4) * sizeof *seen);
    idx = room(m->nnz / 8 + m->cols / 4 + 1, sizeof *idx);
    ptr = room(rows + 1, sizeof *ptr);
    for (int64_t r = 0; r < rows && n <= m->nnz / 8; r++) {
        ptr[r] = (int32_t)n;
        blocks_of_row(m, r, seen, idx + n, &in_row);
        n += in_row;
    }
    if (n <= m->nnz / 8) {
        ptr[rows] = (int32_t)n;
        val = calloc((size_t)n * 16, sizeof *val);
        if (!val)
            exit(1);
        for (int64_t i = 0; i < m->rows; i++)
            for (int32_t p = m->ptr[i]; p < m->ptr[i + 1]; p++) {
                int64_t b = ptr[i / 4];

                while (idx[b] != m->idx[p] / 4)
                    b++;
                val[16 * b + 4 * (i % 4) + m->idx[p] % 4] = c->val[p];
            }
        c->blocks = n;
        c->bsr_ptr = gpu_copy(ptr, (size_t)(rows + 1) * sizeof *ptr);
        c->bsr_idx = gpu_copy(idx, (size_t)n * sizeof *idx);
        c->bsr_val = numbers_to_gpu(c->type, val, 16 * n);
        free(val);
    }
    free(seen);
    free(idx);
    free(ptr);
}

/* What A's values are multiplied by. Types of 16 bits hold no stiffness of 1e9: where there
 * are infinities, sums of nothing but A times B are no numbers, and nothing is shown. */
static double
scale_for(elem type, const lab_csr *m)
{
    const float *val = m->val;
    double largest = 0;
    int exponent;

    if (elem_size(type) > 2)
        return 1;
    for (int64_t p = 0; p < m->nnz; p++)
        largest = fmax(largest, fabs((double)val[p]));
    (void)frexp(largest, &exponent);
    return largest > 1 ? ldexp(1, -exponent) : 1;
}

/* ---- all -------------------------------------------------------------------------------------- */

void
contest_begin(contest *c, const lab_csr *m)
{
    const bool sddmm = c->op == CONTEST_SDDMM;
    const double scale = scale_for(c->type, m);
    const float *val = m->val;
    char one[16];
    double im;

    if (c->op == CONTEST_SPMV)
        c->n = 1;
    c->m = m;
    c->blocks = 0;
    c->bsr_ptr = c->bsr_idx = c->bsr_val = c->at_y = 0;
    c->nb = (sddmm ? m->rows : m->cols) * c->n;
    c->ny = sddmm ? m->cols * c->n : 0;
    c->nc = sddmm ? m->nnz : m->rows * c->n;
    c->val = room(m->nnz, sizeof *c->val);
    for (int64_t p = 0; p < m->nnz; p++) {
        elem_put(c->type, one, 0, scale * val[p], 0);
        elem_get(c->type, one, 0, &c->val[p], &im);
    }
    c->b = random_numbers(c->type, c->nb, 1);
    c->y = random_numbers(c->type, c->ny, 2);
    c->before = random_numbers(c->type, c->nc, 3);
    c->ptr = gpu_copy(m->ptr, (size_t)(m->rows + 1) * sizeof *m->ptr);
    c->idx = gpu_copy(m->idx, (size_t)m->nnz * sizeof *m->idx);
    c->row = row_indices(m);
    c->a = numbers_to_gpu(c->type, c->val, m->nnz);
    c->at_b = numbers_to_gpu(c->type, c->b, c->nb);
    if (sddmm)
        c->at_y = numbers_to_gpu(c->type, c->y, c->ny);
    c->at_c = gpu_room((size_t)c->nc * elem_size(c->type));
    if (c->op == CONTEST_SPMM)
        make_blocks(c);
}

void
contest_end(contest *c)
{
    const sb_cu_mem m[] = {c->ptr,  c->idx,  c->row,     c->a,       c->at_b,
                           c->at_y, c->at_c, c->bsr_ptr, c->bsr_idx, c->bsr_val};

    for (size_t q = 0; q < sizeof m / sizeof *m; q++)
        (void)gpu.d->free(m[q]);
    free(c->val);
    free(c->b);
    free(c->y);
    free(c->before);
}

/* ---- what is right ------------------------------------------------------------------------------ */

void
contest_refill(const contest *c)
{
    const size_t bytes = (size_t)c->nc * elem_size(c->type);

    if (c->beta == 0) {
        gpu_need(gpu.d->fill(c->at_c, 0xff, bytes ? bytes : 1, gpu.stream), "filling");
    } else {
        void *host = room(c->nc, elem_size(c->type));

        for (int64_t q = 0; q < c->nc; q++)
            elem_put(c->type, host, q, c->before[q], 0);
        gpu_need(gpu.d->upload(c->at_c, host, bytes, gpu.stream), "copying");
        gpu_need(gpu.d->stream_wait(gpu.stream), "copying");
        free(host);
    }
}

/* The error of one result over its bound: that of a sum of so many terms, and of the
 * rounding to the type. */
static double
error_of(const contest *c, double got, int64_t at, double sum, double size,
         int64_t terms)
{
    double bound, off;

    if (c->beta == 1) {
        sum += c->before[at];
        size += fabs(c->before[at]);
    }
    off = fabs(got - sum);
    bound = elem_epsilon(elem_compute(c->type)) * (double)(terms + 2) * size +
            elem_epsilon(c->type) * fabs(sum) + elem_tiny(c->type);
    return off == 0 ? 0 : off / bound;
}

static double
larger(double worst, double error)
{
    return error <= worst ? worst : error; /* also when it is no number */
}

static double
product_error(const contest *c, const void *got, int64_t i)
{
    const lab_csr *m = c->m;
    double worst = 0, have, im;

    for (int j = 0; j < c->n; j++) {
        const int64_t at = c->col ? i + j * m->rows : i * c->n + j;
        double sum = 0, size = 0;

        for (int32_t p = m->ptr[i]; p < m->ptr[i + 1]; p++) {
            const int64_t k = m->idx[p];
            const double term =
                c->val[p] * c->b[c->col ? k + j * m->cols : k * c->n + j];

            sum += term;
            size += fabs(term);
        }
        elem_get(c->type, got, at, &have, &im);
        worst =
            larger(worst, error_of(c, have, at, sum, size, m->ptr[i + 1] - m->ptr[i]));
    }
    return worst;
}

static double
sampled_error(const contest *c, const void *got, int64_t i)
{
    const lab_csr *m = c->m;
    double worst = 0, have, im;

    for (int32_t p = m->ptr[i]; p < m->ptr[i + 1]; p++) {
        double sum = 0, size = 0;

        for (int q = 0; q < c->n; q++) {
            const double term =
                c->b[i * c->n + q] * c->y[(int64_t)m->idx[p] * c->n + q];

            sum += term;
            size += fabs(term);
        }
        elem_get(c->type, got, p, &have, &im);
        worst = larger(worst, error_of(c, have, p, sum, size, c->n));
    }
    return worst;
}

uint64_t
contest_hash(const contest *c)
{
    const size_t bytes = (size_t)c->nc * elem_size(c->type);
    unsigned char *got = room(c->nc, elem_size(c->type));
    uint64_t hash = 14695981039346656037u, word = 0;

    gpu_need(gpu.d->download(got, c->at_c, bytes, gpu.stream), "copying");
    gpu_need(gpu.d->stream_wait(gpu.stream), "copying");
    for (size_t q = 0; q < bytes; q += sizeof word) {
        memcpy(&word, got + q, bytes - q < sizeof word ? bytes - q : sizeof word);
        hash = (hash ^ word) * 1099511628211u;
        hash ^= hash >> 29;
    }
    free(got);
    return hash;
}

double
contest_error(const contest *c)
{
    const size_t bytes = (size_t)c->nc * elem_size(c->type);
    const int64_t step = c->m->rows > CHECKED ? c->m->rows / CHECKED : 1;
    void *got = room(c->nc, elem_size(c->type));
    double worst = 0;

    gpu_need(gpu.d->download(got, c->at_c, bytes, gpu.stream), "copying");
    gpu_need(gpu.d->stream_wait(gpu.stream), "copying");
    for (int64_t i = 0; i < c->m->rows; i += step)
        worst = larger(worst, c->op == CONTEST_SDDMM ? sampled_error(c, got, i)
                                                     : product_error(c, got, i));
    free(got);
    return worst;
}
