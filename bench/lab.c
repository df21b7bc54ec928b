/*
 * Files, clock and MKL for the programs that time whole sparse operations.
 */
#include "lab.h"

#include "mm.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#ifdef _OPENMP
#include <omp.h>
#endif

lab_options
lab_read_options(int argc, char **argv, const char *name)
{
    lab_options o = {.threads = 2, .seconds = 0.2, .min_nnz = 100000, .max_work = 3e8};
    int k = 1;

    for (; k + 1 < argc && argv[k][0] == '-'; k += 2) {
        if (strcmp(argv[k], "--type") == 0)
            o.f32 = strcmp(argv[k + 1], "f32") == 0;
        else if (strcmp(argv[k], "--threads") == 0)
            o.threads = atoi(argv[k + 1]);
        else if (strcmp(argv[k], "--seconds") == 0)
            o.seconds = atof(argv[k + 1]);
        else if (strcmp(argv[k], "--min-nnz") == 0)
            o.min_nnz = atoll(argv[k + 1]);
        else if (strcmp(argv[k], "--max-work") == 0)
            o.max_work = atof(argv[k + 1]);
        else if (strcmp(argv[k], "--dump") == 0)
            o.dump = argv[k + 1];
        else if (strcmp(argv[k], "--only") == 0)
            o.only = argv[k + 1];
        else
            break;
    }
    if (k < argc && argv[k][0] != '-')
        o.first = k;
    else
        fprintf(stderr,
                "usage: %s [--type f32|f64] [--threads N] [--seconds S] [--min-nnz N] "
                "[--max-work W] [--dump FOLDER] [--only TEXT] FILE...\n",
                name);
    return o;
}

/* ---- Matrices ----------------------------------------------------------------------- */

static size_t
value_size(const lab_csr *a)
{
    return a->f32 ? sizeof(float) : sizeof(double);
}

static bool
make(lab_csr *a, int64_t rows, int64_t cols, int64_t nnz)
{
    a->rows = rows;
    a->cols = cols;
    a->nnz = nnz;
    a->ptr = calloc((size_t)rows + 2, sizeof *a->ptr);
    a->idx = malloc((size_t)(nnz + 1) * sizeof *a->idx);
    a->val = malloc((size_t)(nnz + 1) * value_size(a));
    return a->ptr && a->idx && a->val;
}

static void
set_value(lab_csr *a, int64_t p, double v)
{
    if (a->f32)
        ((float *)a->val)[p] = (float)v;
    else
        ((double *)a->val)[p] = v;
}

bool
lab_load(lab_csr *a, const char *path, const lab_options *opt)
{
    const char *base = strrchr(path, '/') ? strrchr(path, '/') + 1 : path;
    const mm_options plain = {0};
    mm_matrix m;
    mm_error err;
    bool fits;

    memset(a, 0, sizeof *a);
    a->f32 = opt->f32;
    snprintf(a->name, sizeof a->name, "%.*s", (int)strcspn(base, "."), base);
    if (mm_read(&m, path, &plain, &err) != MM_OK) {
        fprintf(stderr, "%s\n", err.text);
        return false;
    }
    fits = m.nnz >= opt->min_nnz && m.nnz < INT32_MAX && make(a, m.rows, m.cols, m.nnz);
    for (int64_t i = 0; fits && i <= m.rows; i++)
        a->ptr[i] = (int32_t)m.ptr[i];
    for (int64_t p = 0; fits && p < m.nnz; p++) {
        a->idx[p] = (int32_t)m.col[p];
        set_value(a, p, m.val[m.field == MM_COMPLEX ? 2 * p : p]);
    }
    mm_free(&m);
    if (!fits)
        lab_free(a);
    return fits;
}

bool
lab_transpose(lab_csr *t, const lab_csr *a)
{
    const size_t size = value_size(a);

    memset(t, 0, sizeof *t);
    t->f32 = a->f32;
    memcpy(t->name, a->name, sizeof t->name);
    if (!make(t, a->cols, a->rows, a->nnz)) {
        lab_free(t);
        return false;
    }
    for (int64_t p = 0; p < a->nnz; p++)
        t->ptr[a->idx[p] + 2]++;
    for (int64_t j = 0; j < a->cols; j++)
        t->ptr[j + 2] += t->ptr[j + 1];
    for (int64_t i = 0; i < a->rows; i++)
        for (int64_t p = a->ptr[i]; p < a->ptr[i + 1]; p++) {
            const int32_t at = t->ptr[a->idx[p] + 1]++;

            t->idx[at] = (int32_t)i;
            memcpy((char *)t->val + (size_t)at * size,
                   (const char *)a->val + (size_t)p * size, size);
        }
    return true;
}

void
lab_free(lab_csr *a)
{
    free(a->ptr);
    free(a->idx);
    free(a->val);
    memset(a, 0, sizeof *a);
}

static void
dump_array(const char *folder, const char *name, const char *what, const void *data,
           size_t bytes)
{
    char path[600];
    FILE *f;

    snprintf(path, sizeof path, "%s/%s.%s", folder, name, what);
    if ((f = fopen(path, "wb"))) {
        fwrite(data, 1, bytes, f);
        fclose(f);
    }
}

void
lab_dump(const char *folder, const lab_csr *a, const char *suffix)
{
    char name[300];

    snprintf(name, sizeof name, "%s%s", a->name, suffix);
    dump_array(folder, name, "ptr", a->ptr, (size_t)(a->rows + 1) * sizeof *a->ptr);
    dump_array(folder, name, "idx", a->idx, (size_t)a->nnz * sizeof *a->idx);
    dump_array(folder, name, "val", a->val, (size_t)a->nnz * value_size(a));
}

/* ---- Clock -------------------------------------------------------------------------- */

static double
now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

double
lab_least(double seconds, bool (*run)(void *user), void *user)
{
    double best = -1.0, total = 0.0;

    for (int round = 0; round < 3 || (total < seconds && round < 2000); round++) {
        const double start = now();
        double took;

        if (!run(user))
            return -1.0;
        took = now() - start;
        total += took;
        if (best < 0.0 || took < best)
            best = took;
    }
    return best;
}

void
lab_set_threads(int n)
{
#ifdef _OPENMP
    omp_set_num_threads(n);
#else
    (void)n;
#endif
}

/* ---- MKL ---------------------------------------------------------------------------- */

bool
lab_mkl(const char *const *names, void **symbols, int count)
{
    void *lib;

    setenv("MKL_THREADING_LAYER", "GNU", 0);
    setenv("MKL_INTERFACE_LAYER", "LP64", 0);
    lib = getenv("SPBLAS_MKL") ? dlopen(getenv("SPBLAS_MKL"), RTLD_NOW | RTLD_GLOBAL)
                               : NULL;
    for (int k = 0; lib && k < count; k++)
        if (!(symbols[k] = dlsym(lib, names[k])))
            return false;
    return lib != NULL;
}
