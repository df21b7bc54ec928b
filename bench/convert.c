/*
 * Conversion between formats, timed: ours on 1 .. threads threads, MKL's routines where
 * it has the pair, and a plain copy that moves as many bytes as the conversion reads and
 * writes. One line of JSON a matrix and pair; bench/run_convert adds SciPy and makes the
 * table.
 *
 *   convert_bench [--type f32|f64] [--threads N] [--seconds S] [--min-nnz N]
 *                 [--dump FOLDER] FILE...
 *
 * Indices are i32. Times are the least of as many runs as fit S seconds.
 * --dump writes the matrices as raw arrays (NAME.ptr, NAME.idx, NAME.val) for SciPy.
 */
#include "base/alloc.h"
#include "base/clock.h"
#include "cpu/exec.h"
#include "formats/conv.h"
#include "mm.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#ifdef _OPENMP
#include <omp.h>
#endif

typedef struct call {
    sb_dtype type;
    int threads;
    double seconds;
    int64_t min_nnz;
    const char *dump;
} call;

enum { MKL_NONE, MKL_CSC, MKL_CSR, MKL_BSR };

static const struct {
    const char *from, *to;
    int mkl;
} pairs[] = {
    {"csr", "csc", MKL_CSC},      {"coo", "csr", MKL_CSR},
    {"csr", "coo", MKL_NONE},     {"csr", "bsr<4>", MKL_BSR},
    {"coo", "dia", MKL_NONE},     {"coo", "ell", MKL_NONE},
    {"dcsc", "bsr<4>", MKL_NONE}, {"csb<64>", "dia_variant", MKL_NONE},
};

/* ---- Clock --------------------------------------------------------------------------
 */

/* Least time of a run; negative when it fails. */
static double
least(const call *c, bool (*run)(void *user), void *user)
{
    double best = -1.0, total = 0.0;

    for (int round = 0; round < 3 || (total < c->seconds && round < 2000); round++) {
        const double start = sb_clock();
        double took;

        if (!run(user))
            return -1.0;
        took = sb_clock() - start;
        total += took;
        if (best < 0.0 || took < best)
            best = took;
    }
    return best;
}

/* ---- Copy ---------------------------------------------------------------------------
 */

typedef struct copying {
    char *to;
    const char *from;
    int64_t bytes;
    sb_par par;
} copying;

static void
copy_range(void *user, int64_t lo, int64_t hi)
{
    const copying *j = user;

    memcpy(j->to + lo, j->from + lo, (size_t)(hi - lo));
}

static bool
copy(void *user)
{
    copying *j = user;

    j->to = sb_alloc((size_t)j->bytes); /* results are new memory too */
    if (!j->to)
        return false;
    sb_par_run(&j->par, copy_range, j, 0, j->bytes, 1 << 20);
    sb_free(j->to);
    return true;
}

/* ---- Ours ---------------------------------------------------------------------------
 */

typedef struct ours {
    const sb_tensor *in;
    const sb_fmt *to;
    sb_par par;
    size_t bytes;
    sb_diag diag;
} ours;

static bool
convert(void *user)
{
    ours *j = user;
    sb_tensor out;

    if (sb_tensor_convert(&out, j->in, j->to, &j->par, NULL, &j->diag) != SB_OK)
        return false;
    j->bytes = sb_tensor_bytes(j->in) + sb_tensor_bytes(&out);
    sb_tensor_free(&out);
    return true;
}

/* ---- MKL ----------------------------------------------------------------------------
 */

static struct {
    int (*create_csr)(void **, int, int, int, int *, int *, int *, void *);
    int (*create_coo)(void **, int, int, int, int, int *, int *, void *);
    int (*to_csr)(void *, int, void **);
    int (*to_bsr)(void *, int, int, int, void **);
    int (*destroy)(void *);
    void (*set_threads)(int);
} mkl;

static bool
mkl_open(sb_dtype type)
{
    const bool f32 = type == SB_F32;
    const char *const names[] = {
        f32 ? "mkl_sparse_s_create_csr" : "mkl_sparse_d_create_csr",
        f32 ? "mkl_sparse_s_create_coo" : "mkl_sparse_d_create_coo",
        "mkl_sparse_convert_csr",
        "mkl_sparse_convert_bsr",
        "mkl_sparse_destroy",
        "MKL_Set_Num_Threads"};
    void **at = (void **)&mkl;
    void *lib;

    setenv("MKL_THREADING_LAYER", "GNU", 0);
    setenv("MKL_INTERFACE_LAYER", "LP64", 0);
    lib = getenv("SPBLAS_MKL") ? dlopen(getenv("SPBLAS_MKL"), RTLD_NOW | RTLD_GLOBAL)
                               : NULL;
    for (size_t k = 0; lib && k < sizeof names / sizeof names[0]; k++)
        if (!(at[k] = dlsym(lib, names[k])))
            return false;
    return lib != NULL;
}

typedef struct mkl_job {
    void *a;
    int kind;
} mkl_job;

static bool
mkl_convert(void *user)
{
    enum { PLAIN = 10, TRANSPOSE = 11, ROW_MAJOR = 101 };
    mkl_job *j = user;
    void *out = NULL;
    const int bad =
        j->kind == MKL_BSR
            ? mkl.to_bsr(j->a, 4, ROW_MAJOR, PLAIN, &out)
            : mkl.to_csr(j->a, j->kind == MKL_CSC ? TRANSPOSE : PLAIN, &out);

    if (!bad)
        mkl.destroy(out);
    return !bad;
}

static double
mkl_time(const call *c, const sb_tensor *in, int kind, int threads)
{
    const int m = (int)in->extent[0], n = (int)in->extent[1];
    mkl_job j = {NULL, kind};
    double seconds;
    int bad;

    mkl.set_threads(threads);
    if (kind == MKL_CSR)
        bad = mkl.create_coo(&j.a, 0, m, n, (int)in->nnz, in->idx[0].data,
                             in->idx[1].data, in->val.data);
    else
        bad = mkl.create_csr(&j.a, 0, m, n, in->ptr[1].data, (int *)in->ptr[1].data + 1,
                             in->idx[1].data, in->val.data);
    if (bad)
        return -1.0;
    seconds = least(c, mkl_convert, &j);
    mkl.destroy(j.a);
    return seconds;
}

/* ---- A matrix -----------------------------------------------------------------------
 */

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

static void
measure(const call *c, const char *name, const sb_tensor *csr, int k)
{
    sb_arena ar;
    const sb_fmt *from, *to;
    sb_tensor in = {0};
    sb_diag diag = {0};

    sb_arena_init(&ar);
    if (sb_fmt_parse(&from, &ar, pairs[k].from, &diag) != SB_OK ||
        sb_fmt_parse(&to, &ar, pairs[k].to, &diag) != SB_OK ||
        sb_tensor_convert(&in, csr, from, NULL, NULL, &diag) != SB_OK) {
        fprintf(stderr, "convert_bench: %s: %s\n", name, diag.text);
        sb_arena_free(&ar);
        return;
    }
    for (int threads = 1; threads <= c->threads; threads *= 2) {
        ours j = {.in = &in, .to = to, .par = {sb_exec_parallel, threads}};
        copying copy_job = {.par = {sb_exec_parallel, threads}};
        double seconds, copied, peer = -1.0;
        void *from_memory;

#ifdef _OPENMP
        omp_set_num_threads(threads);
#endif
        seconds = least(c, convert, &j);
        if (seconds < 0.0) {
            fprintf(stderr, "convert_bench: %s, %s to %s: %s\n", name, pairs[k].from,
                    pairs[k].to, j.diag.text);
            break;
        }
        copy_job.bytes = (int64_t)j.bytes / 2;
        from_memory = sb_alloc_zero((size_t)copy_job.bytes);
        copy_job.from = from_memory;
        copied = from_memory ? least(c, copy, &copy_job) : -1.0;
        sb_free(from_memory);
        if (pairs[k].mkl && mkl.destroy)
            peer = mkl_time(c, &in, pairs[k].mkl, threads);
        printf("{\"matrix\": \"%s\", \"rows\": %lld, \"cols\": %lld, \"nnz\": %lld, "
               "\"type\": \"%s\", \"from\": \"%s\", \"to\": \"%s\", \"threads\": %d, "
               "\"bytes\": %zu, "
               "\"ours\": %.4g, \"copy\": %.4g, \"mkl\": %.4g}\n",
               name, (long long)csr->extent[0], (long long)csr->extent[1],
               (long long)csr->nnz, c->type == SB_F32 ? "f32" : "f64", pairs[k].from,
               pairs[k].to, threads, j.bytes, seconds, copied, peer);
        fflush(stdout);
    }
    sb_tensor_free(&in);
    sb_arena_free(&ar);
}

static void
measure_file(const call *c, const char *path)
{
    const char *base = strrchr(path, '/') ? strrchr(path, '/') + 1 : path;
    const mm_options opt = {0};
    mm_matrix m;
    mm_error err;
    sb_arena ar;
    const sb_fmt *f;
    sb_tensor csr = {0};
    sb_view v = {0};
    char name[200];
    char *val = NULL;

    snprintf(name, sizeof name, "%.*s", (int)strcspn(base, "."), base);
    if (mm_read(&m, path, &opt, &err) != MM_OK) {
        fprintf(stderr, "convert_bench: %s\n", err.text);
        return;
    }
    sb_arena_init(&ar);
    val = malloc((size_t)(m.nnz + 1) * sb_dtype_size(c->type));
    for (int64_t p = 0; val && p < m.nnz; p++)
        sb_value_store(c->type, val, p,
                       (sb_value){m.val[m.field == MM_COMPLEX ? 2 * p : p], 0});
    v = (sb_view){.rows = m.rows,
                  .cols = m.cols,
                  .nnz = m.nnz,
                  .ptr = m.ptr,
                  .crd = m.col,
                  .ptr_type = SB_I64,
                  .crd_type = SB_I64};
    if (val && m.nnz >= c->min_nnz && sb_fmt_parse(&f, &ar, "csr", NULL) == SB_OK &&
        sb_tensor_from_view(&csr, f, &v, val, c->type, false, NULL, NULL) == SB_OK) {
        if (c->dump) {
            dump_array(c->dump, name, "ptr", csr.ptr[1].data,
                       (size_t)(m.rows + 1) * sizeof(int32_t));
            dump_array(c->dump, name, "idx", csr.idx[1].data,
                       (size_t)m.nnz * sizeof(int32_t));
            dump_array(c->dump, name, "val", csr.val.data,
                       (size_t)m.nnz * sb_dtype_size(c->type));
        }
        for (size_t k = 0; k < sizeof pairs / sizeof pairs[0]; k++)
            measure(c, name, &csr, (int)k);
    }
    sb_tensor_free(&csr);
    sb_arena_free(&ar);
    free(val);
    mm_free(&m);
}

int
main(int argc, char **argv)
{
    call c = {.type = SB_F64, .threads = 2, .seconds = 0.2, .min_nnz = 100000};
    int k = 1;

    for (; k + 1 < argc && argv[k][0] == '-'; k += 2) {
        if (strcmp(argv[k], "--type") == 0)
            c.type = strcmp(argv[k + 1], "f32") == 0 ? SB_F32 : SB_F64;
        else if (strcmp(argv[k], "--threads") == 0)
            c.threads = atoi(argv[k + 1]);
        else if (strcmp(argv[k], "--seconds") == 0)
            c.seconds = atof(argv[k + 1]);
        else if (strcmp(argv[k], "--min-nnz") == 0)
            c.min_nnz = atoll(argv[k + 1]);
        else if (strcmp(argv[k], "--dump") == 0)
            c.dump = argv[k + 1];
        else
            break;
    }
    if (k >= argc) {
        fputs("usage: convert_bench [--type f32|f64] [--threads N] [--seconds S] "
              "[--min-nnz N] [--dump FOLDER] FILE...\n",
              stderr);
        return 2;
    }
    if (!mkl_open(c.type)) {
        memset(&mkl, 0, sizeof mkl);
        fputs("convert_bench: no MKL (SPBLAS_MKL)\n", stderr);
    }
    for (; k < argc; k++)
        measure_file(&c, argv[k]);
    return 0;
}
