/*
 * The older routines over plain arrays and the conversions, timed on 1 .. threads threads:
 * ours, from the caller's arrays to others, and MKL's nearest. Extents are
 * padded with empty rows and columns to multiples of the blocks. One line of JSON a
 * matrix, routine and thread count; bench/run_sparse adds SciPy and makes the table.
 *
 *   legacy_bench [--threads N] [--seconds S] [--min-nnz N] [--max-work ELEMENTS]
 *                [--dump FOLDER] [--only TEXT] FILE...
 *
 * max-work: of a dense matrix. only: routines whose names have TEXT in them.
 */
#include "legacy.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- Memory ------------------------------------------------------------------------- */

static struct loan {
    void *p;
    size_t bytes;
    bool out;
} loans[64];
enum { LOANS = sizeof loans / sizeof *loans };

void *
legacy_lend(size_t bytes)
{
    struct loan *best = NULL, *spare = NULL;

    for (int k = 0; k < LOANS; k++) {
        struct loan *l = &loans[k];

        if (!l->out && l->bytes >= bytes && (!best || l->bytes < best->bytes))
            best = l;
        if (!l->out && (!spare || l->bytes < spare->bytes))
            spare = l;
    }
    if (!best && spare) {
        free(spare->p);
        spare->p = malloc(bytes + 64);
        spare->bytes = spare->p ? bytes : 0;
        best = spare->p ? spare : NULL;
    }
    if (!best)
        return NULL;
    best->out = true;
    return best->p;
}

void
legacy_give(void *p)
{
    for (int k = 0; k < LOANS; k++)
        if (loans[k].p == p)
            loans[k].out = false;
}

static void
forget_loans(void)
{
    for (int k = 0; k < LOANS; k++) {
        free(loans[k].p);
        loans[k] = (struct loan){0};
    }
}

/* ---- Operands ----------------------------------------------------------------------- */

static void *
array(int64_t n, size_t size)
{
    return calloc((size_t)n + 1, size);
}

static int64_t
random_below(int64_t n)
{
    static uint64_t state = 88172645463325252u;

    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return (int64_t)(state % (uint64_t)n);
}

/* Columns of each row, and entries of the list, in no order. */
static bool
shuffle(legacy_job *j)
{
    const lab_csr *a = &j->a;
    int32_t *at = array(a->nnz, sizeof *at);

    j->row = array(a->nnz, sizeof *j->row);
    j->col = array(a->nnz, sizeof *j->col);
    j->any = array(a->nnz, sizeof *j->any);
    j->rows = array(a->nnz, sizeof *j->rows);
    j->mixed = array(a->nnz, sizeof *j->mixed);
    if (!at || !j->row || !j->col || !j->any || !j->rows || !j->mixed) {
        free(at);
        return false;
    }
    memcpy(j->mixed, a->idx, (size_t)a->nnz * sizeof *a->idx);
    for (int64_t i = 0; i < a->rows; i++)
        for (int64_t lo = a->ptr[i], p = lo; p < a->ptr[i + 1]; p++) {
            const int64_t q = lo + random_below(p - lo + 1);
            const int32_t c = j->mixed[q];

            j->mixed[q] = j->mixed[p];
            j->mixed[p] = c;
            j->rows[p] = (int32_t)i;
        }
    for (int64_t p = 0; p < a->nnz; p++) {
        const int64_t q = random_below(p + 1);

        at[p] = at[q];
        at[q] = (int32_t)p;
    }
    for (int64_t p = 0; p < a->nnz; p++) {
        j->row[p] = j->rows[at[p]];
        j->col[p] = a->idx[at[p]];
        j->any[p] = ((const double *)a->val)[at[p]];
    }
    free(at);
    return true;
}

/* Values of which factors exist: small ones, and a diagonal that outweighs them. */
static bool
strengthen(legacy_job *j)
{
    const lab_csr *a = &j->a;
    int64_t diagonals = 0;

    j->strong = array(a->nnz, sizeof *j->strong);
    j->ones = array(a->nnz, sizeof *j->ones);
    j->ones_ptr = array(a->rows, sizeof *j->ones_ptr);
    if (!j->strong || !j->ones || !j->ones_ptr)
        return false;
    for (int64_t i = 0; i <= a->rows; i++)
        j->ones_ptr[i] = a->ptr[i] + 1;
    for (int64_t i = 0; i < a->rows; i++)
        for (int64_t p = a->ptr[i]; p < a->ptr[i + 1]; p++) {
            const double n = (double)(a->ptr[i + 1] - a->ptr[i]);

            diagonals += a->idx[p] == i;
            j->strong[p] = a->idx[p] == i ? 2.0 : 0.5 / n;
            j->ones[p] = a->idx[p] + 1;
        }
    j->square = a->rows == a->cols;
    j->full = j->square && diagonals == a->rows;
    return true;
}

static bool
make_dense(legacy_job *j, double most)
{
    const lab_csr *a = &j->a;
    const int64_t longest = a->rows > a->cols ? a->rows : a->cols;

    j->x = array(longest * SIDES, sizeof *j->x);
    j->y = array(longest * SIDES, sizeof *j->y);
    j->band = array(a->rows * 3, sizeof *j->band);
    if (!j->x || !j->y || !j->band)
        return false;
    for (int64_t k = 0; k < longest * SIDES; k++)
        j->x[k] = j->y[k] = 1.0 + (double)(k % 7);
    for (int64_t i = 0; i < a->rows; i++) {
        j->band[i] = i > 0 ? 1.0 : 0.0;
        j->band[a->rows + i] = 4.0;
        j->band[2 * a->rows + i] = i + 1 < a->rows ? 1.0 : 0.0;
    }
    if ((double)a->rows * (double)a->cols > most)
        return true;
    j->dense = array(a->rows * a->cols, sizeof *j->dense);
    for (int64_t p = 0; j->dense && p < a->nnz; p++)
        j->dense[j->rows[p] * a->cols + a->idx[p]] = ((const double *)a->val)[p];
    return j->dense;
}

/* Empty rows and columns, with a diagonal where the others have one. */
static bool
pad(lab_csr *a)
{
    const int64_t rows = (a->rows + WIDE_COLS - 1) / WIDE_COLS * WIDE_COLS;
    int32_t *ptr = realloc(a->ptr, (size_t)(rows + 2) * sizeof *ptr);
    int32_t *idx = realloc(a->idx, (size_t)(a->nnz + WIDE_COLS) * sizeof *idx);
    double *val = realloc(a->val, (size_t)(a->nnz + WIDE_COLS) * sizeof *val);
    const bool square = a->rows == a->cols;

    a->ptr = ptr ? ptr : a->ptr;
    a->idx = idx ? idx : a->idx;
    a->val = val ? val : a->val;
    if (!ptr || !idx || !val)
        return false;
    for (; a->rows < rows; a->rows++) {
        if (square) {
            idx[a->nnz] = (int32_t)a->rows;
            val[a->nnz++] = 1.0;
        }
        ptr[a->rows + 1] = (int32_t)a->nnz;
    }
    a->cols = (a->cols + WIDE_COLS - 1) / WIDE_COLS * WIDE_COLS;
    for (int64_t p = 0; p < a->nnz; p++)
        if (val[p] == 0.0)
            val[p] = 1.0;
    return true;
}

static void
end(legacy_job *j)
{
    void *const arrays[] = {j->row, j->col, j->any,   j->mixed, j->rows,     j->ones,
                            j->x,   j->y,   j->dense, j->band,  j->ones_ptr, j->strong};

    for (size_t k = 0; k < sizeof arrays / sizeof *arrays; k++)
        free(arrays[k]);
    forget_loans();
    lab_free(&j->a);
    lab_free(&j->t);
    (void)spblasDestroyLegacyInfo(j->lu);
    (void)spblasDestroyLegacyInfo(j->root);
    (void)spblasDestroy(j->handle);
}

/* ---- Measuring ---------------------------------------------------------------------- */

static bool
has_square(const legacy_job *j)
{
    return j->square;
}

static bool
has_diagonal(const legacy_job *j)
{
    return j->full;
}

static bool
has_dense(const legacy_job *j)
{
    return j->dense;
}

static const legacy_routine routines[] = {
    {"csr2csc", ours_csr2csc, mkl_csr2csc, NULL},
    {"coo2csr", ours_coo2csr, NULL, NULL},
    {"csr2coo", ours_csr2coo, NULL, NULL},
    {"coosort by row", ours_by_row, mkl_by_row, NULL},
    {"coosort by column", ours_by_column, mkl_by_column, NULL},
    {"csrsort", ours_csrsort, mkl_csrsort, NULL},
    {"csrgeam2", ours_geam, mkl_geam, has_square},
    {"csr2bsr", ours_csr2bsr, mkl_csr2bsr, NULL},
    {"bsr2csr", ours_bsr2csr, mkl_bsr2csr, NULL},
    {"csr2gebsr", ours_csr2gebsr, NULL, NULL},
    {"nnz", ours_nnz, NULL, has_dense},
    {"SparseToDense", ours_to_dense, mkl_to_dense, has_dense},
    {"DenseToSparse", ours_from_dense, mkl_from_dense, has_dense},
    {"csrilu02", ours_ilu, mkl_ilu, has_diagonal},
    {"csric02", ours_ic, NULL, has_diagonal},
    {"bsrmv", ours_bsrmv, mkl_bsrmv, NULL},
    {"bsrmm", ours_bsrmm, mkl_bsrmm, NULL},
    {"gtsv2", ours_gtsv, mkl_gtsv, NULL},
    {"gtsv2, 32 sides", ours_gtsv_many, mkl_gtsv_many, NULL},
    {"csrcolor", ours_color, NULL, has_square},
};

static void
measure(const lab_options *opt, legacy_job *j, bool peer)
{
    for (size_t k = 0; k < sizeof routines / sizeof *routines; k++)
        for (int threads = 1; threads <= opt->threads; threads *= 2) {
            const legacy_routine *r = &routines[k];
            double ours = -1.0, theirs = -1.0;

            if ((r->fits && !r->fits(j)) || (opt->only && !strstr(r->name, opt->only)))
                continue;
            lab_set_threads(threads);
            ours = lab_least(opt->seconds, r->ours, j);
            if (peer && r->mkl && mkl_threads(threads))
                theirs = lab_least(opt->seconds, r->mkl, j);
            printf("{\"matrix\": \"%s\", \"rows\": %lld, \"cols\": %lld, "
                   "\"nnz\": %lld, \"type\": \"f64\", \"routine\": \"%s\", "
                   "\"threads\": %d, \"ours\": %.4g, \"mkl\": %.4g}\n",
                   j->a.name, (long long)j->a.rows, (long long)j->a.cols,
                   (long long)j->a.nnz, r->name, threads, ours, theirs);
            fflush(stdout);
        }
}

int
main(int argc, char **argv)
{
    lab_options opt = lab_read_options(argc, argv, "legacy_bench");
    const bool peer = opt.first && mkl_begin();

    if (!opt.first)
        return 2;
    opt.f32 = false;
    opt.max_work = opt.max_work > 3e7 ? 3e7 : opt.max_work;
    if (!peer)
        fputs("legacy_bench: no MKL (SPBLAS_MKL)\n", stderr);
    for (int k = opt.first; k < argc; k++) {
        legacy_job j = {.handle = NULL};

        if (lab_load(&j.a, argv[k], &opt) && pad(&j.a) && lab_transpose(&j.t, &j.a) &&
            shuffle(&j) && strengthen(&j) && make_dense(&j, opt.max_work) &&
            spblasCreate(&j.handle) == SPBLAS_STATUS_SUCCESS && legacy_prepare(&j)) {
            if (opt.dump)
                lab_dump(opt.dump, &j.a, "");
            measure(&opt, &j, peer);
        }
        end(&j);
    }
    return 0;
}
