/*
 * MKL's nearest to what legacy_bench times: the inspector-executor's conversions, which
 * make new matrices; the older ?dnscsr and ?csrilu0; LAPACK's ?gtsv.
 */
#include "legacy.h"

#include <stdlib.h>
#include <string.h>

enum { PLAIN = 10, TURNED = 11, GENERAL = 20, ROWS = 101, COLUMNS = 102 };

typedef struct descr {
    int type, mode, diag;
} descr;
static const descr general = {GENERAL, 0, 0};

static struct {
    int (*create_csr)(void **, int, int, int, int *, int *, int *, double *);
    int (*create_coo)(void **, int, int, int, int, int *, int *, double *);
    int (*create_bsr)(void **, int, int, int, int, int, int *, int *, int *, double *);
    int (*to_csr)(void *, int, void **);
    int (*to_bsr)(void *, int, int, int, void **);
    int (*order)(void *);
    int (*add)(int, void *, double, void *, void **);
    int (*mv)(int, double, void *, descr, const double *, double, double *);
    int (*mm)(int, double, void *, descr, int, const double *, int, int, double,
              double *, int);
    int (*destroy)(void *);
    void (*dnscsr)(const int *, const int *, const int *, double *, const int *,
                   double *, int *, int *, int *);
    void (*ilu)(const int *, const double *, const int *, const int *, double *,
                const int *, const double *, int *);
    void (*gtsv)(const int *, const int *, double *, double *, double *, double *,
                 const int *, int *);
    void (*set_threads)(int);
} mkl;

bool
mkl_begin(void)
{
    static const char *const names[] = {"mkl_sparse_d_create_csr",
                                        "mkl_sparse_d_create_coo",
                                        "mkl_sparse_d_create_bsr",
                                        "mkl_sparse_convert_csr",
                                        "mkl_sparse_convert_bsr",
                                        "mkl_sparse_order",
                                        "mkl_sparse_d_add",
                                        "mkl_sparse_d_mv",
                                        "mkl_sparse_d_mm",
                                        "mkl_sparse_destroy",
                                        "mkl_ddnscsr",
                                        "dcsrilu0",
                                        "dgtsv_",
                                        "MKL_Set_Num_Threads"};

    return lab_mkl(names, (void **)&mkl, sizeof names / sizeof *names);
}

bool
mkl_threads(int n)
{
    mkl.set_threads(n);
    return true;
}

/* A handle over arrays that stay the caller's; NULL: MKL did not want them. */
static void *
handle_of(const lab_csr *a, int32_t *idx)
{
    void *h = NULL;

    (void)mkl.create_csr(&h, 0, (int)a->rows, (int)a->cols, a->ptr, a->ptr + 1, idx,
                         a->val);
    return h;
}

static void *
handle_of_blocks(const legacy_job *j)
{
    void *h = NULL;

    (void)mkl.create_bsr(&h, 0, ROWS, (int)j->a.rows / BLOCK, (int)j->a.cols / BLOCK,
                         BLOCK, j->bptr, j->bptr + 1, j->bidx, j->bval);
    return h;
}

static bool
drop(void *h, bool good)
{
    if (h)
        mkl.destroy(h);
    return good;
}

bool
mkl_csr2csc(void *job)
{
    const legacy_job *j = job;
    void *h = handle_of(&j->a, j->a.idx), *c = NULL;
    const bool good = h && !mkl.to_csr(h, TURNED, &c);

    return drop(h, drop(c, good));
}

/* Into rows, or columns, and those into order. */
static bool
sort_list(const legacy_job *j, int op)
{
    void *h = NULL, *c = NULL;
    const bool good = !mkl.create_coo(&h, 0, (int)j->a.rows, (int)j->a.cols,
                                      (int)j->a.nnz, j->row, j->col, j->any) &&
                      !mkl.to_csr(h, op, &c) && !mkl.order(c);

    return drop(h, drop(c, good));
}

bool
mkl_by_row(void *job)
{
    return sort_list(job, PLAIN);
}

bool
mkl_by_column(void *job)
{
    return sort_list(job, TURNED);
}

/* In place, so a copy is made for each run. */
bool
mkl_csrsort(void *job)
{
    const legacy_job *j = job;
    const size_t n = (size_t)j->a.nnz;
    lab_csr copy = j->a;
    bool good;

    copy.idx = legacy_lend(n * sizeof *copy.idx);
    copy.val = legacy_lend(n * sizeof(double));
    good = copy.idx && copy.val;
    if (good) {
        void *h;

        memcpy(copy.idx, j->mixed, n * sizeof *copy.idx);
        memcpy(copy.val, j->a.val, n * sizeof(double));
        h = handle_of(&copy, copy.idx);
        good = drop(h, h && !mkl.order(h));
    }
    legacy_give(copy.idx);
    legacy_give(copy.val);
    return good;
}

bool
mkl_geam(void *job)
{
    const legacy_job *j = job;
    void *a = handle_of(&j->a, j->a.idx), *b = handle_of(&j->t, j->t.idx), *c = NULL;
    const bool good = a && b && !mkl.add(PLAIN, a, 1.0, b, &c);

    return drop(a, drop(b, drop(c, good)));
}

bool
mkl_csr2bsr(void *job)
{
    const legacy_job *j = job;
    void *h = handle_of(&j->a, j->a.idx), *c = NULL;
    const bool good = h && !mkl.to_bsr(h, BLOCK, ROWS, PLAIN, &c);

    return drop(h, drop(c, good));
}

bool
mkl_bsr2csr(void *job)
{
    void *h = handle_of_blocks(job), *c = NULL;
    const bool good = h && !mkl.to_csr(h, PLAIN, &c);

    return drop(h, drop(c, good));
}

static bool
dense(const legacy_job *j, const int task[6], double *d, double *val, int32_t *idx,
      int32_t *ptr)
{
    const int m = (int)j->a.rows, n = (int)j->a.cols;
    int info = 0;

    mkl.dnscsr(task, &m, &n, d, &n, val, idx, ptr, &info);
    return info == 0;
}

bool
mkl_to_dense(void *job)
{
    static const int task[6] = {1, 0, 0, 2, 0, 1};
    const legacy_job *j = job;
    /* It writes what is stored alone. */
    const size_t bytes = (size_t)(j->a.rows * j->a.cols) * sizeof(double);
    double *d = legacy_lend(bytes);
    bool good = d;

    if (good) {
        memset(d, 0, bytes);
        good = dense(j, task, d, j->a.val, j->a.idx, j->a.ptr);
    }

    legacy_give(d);
    return good;
}

/* First the rows' numbers, then the rest, as ours. */
bool
mkl_from_dense(void *job)
{
    const legacy_job *j = job;
    const int count[6] = {0, 0, 0, 2, (int)j->a.nnz, 0};
    const int fill[6] = {0, 0, 0, 2, (int)j->a.nnz, 1};
    int32_t *ptr = legacy_lend((size_t)(j->a.rows + 1) * sizeof *ptr), *idx = NULL;
    double *val = NULL;
    bool good = ptr && dense(j, count, j->dense, NULL, NULL, ptr);

    if (good) {
        idx = legacy_lend((size_t)j->a.nnz * sizeof *idx);
        val = legacy_lend((size_t)j->a.nnz * sizeof *val);
        good = idx && val && dense(j, fill, j->dense, val, idx, ptr);
    }
    legacy_give(ptr);
    legacy_give(idx);
    legacy_give(val);
    return good;
}

bool
mkl_ilu(void *job)
{
    static const int ipar[128] = {[1] = 6, [5] = 0, [30] = 1};
    static const double dpar[128] = {[30] = 1e-16, [31] = 1e-10};
    const legacy_job *j = job;
    const int n = (int)j->a.rows;
    double *c = legacy_lend((size_t)j->a.nnz * sizeof *c);
    int bad = 0;

    if (c)
        mkl.ilu(&n, j->strong, j->ones_ptr, j->ones, c, ipar, dpar, &bad);
    legacy_give(c);
    return c && bad == 0;
}

bool
mkl_bsrmv(void *job)
{
    const legacy_job *j = job;
    void *h = handle_of_blocks(j);

    return drop(h, h && !mkl.mv(PLAIN, 1.0, h, general, j->x, 0.0, j->y));
}

bool
mkl_bsrmm(void *job)
{
    const legacy_job *j = job;
    void *h = handle_of_blocks(j);

    return drop(h, h && !mkl.mm(PLAIN, 1.0, h, general, COLUMNS, j->x, SIDES,
                                (int)j->a.cols, 0.0, j->y, (int)j->a.rows));
}

static bool
solve_band(const legacy_job *j, int sides)
{
    const int m = (int)j->a.rows;
    const size_t n = (size_t)m;
    double *c = legacy_lend(n * (size_t)(3 + sides) * sizeof *c);
    int info = 1;

    if (c) {
        memcpy(c, j->band + 1, (3 * n - 1) * sizeof *c);
        memcpy(c + 3 * n, j->y, n * (size_t)sides * sizeof *c);
        mkl.gtsv(&m, &sides, c, c + m - 1, c + 2 * n - 1, c + 3 * n, &m, &info);
    }
    legacy_give(c);
    return info == 0;
}

bool
mkl_gtsv(void *job)
{
    return solve_band(job, 1);
}

bool
mkl_gtsv_many(void *job)
{
    return solve_band(job, SIDES);
}
