/*
 * See slab.h.
 */
#include "runtime/slab.h"

#include "base/checked.h"
#include "base/fault.h"
#include "base/macro.h"
#include "base/transpose.h"
#include "runtime/backend.h"

#include <string.h>

enum { LINE = 64, ROWS = 256, AHEAD = 24 };

/* One product; of a batch, one member. */
typedef struct job {
    const sb_launch *launch;
    sb_problem pb;
    int64_t m, n, k;
    int64_t slabs, width; /* of all but the last, which may be narrower */
    int64_t workers;      /* who have a region each; 0: all share the first */
    size_t region;        /* bytes, C's after B's */
    size_t at_c;          /* where C's begin */
    char *at;             /* the first region */
    int64_t slab;         /* that all are at */
} job;

/* Whether a row of op(B) lies all over it. */
static bool
turns_b(const sb_problem *pb)
{
    return pb->b.col_major == (pb->trans_b == SB_TRANS_N);
}

bool
sb_slab_turns(const sb_problem *pb)
{
    return turns_b(pb) || pb->c.col_major;
}

bool
sb_slab_serves(const sb_problem *pb, int64_t width)
{
    const int64_t n = pb->c.cols;

    if (pb->op != SB_OP_SPMM || pb->device || pb->a.tensor || width < 1)
        return false;
    /* kernels may be for one width alone, and only a C of the buffer's own can be padded */
    return turns_b(pb) && !pb->c.col_major ? n > 0 && (n < width || n % width == 0)
           : pb->c.col_major               ? n > 0
                                           : n > width;
}

bool
sb_slab_even(const sb_problem *pb, int64_t width)
{
    return !sb_slab_turns(pb) && sb_slab_serves(pb, width) && pb->c.cols % width == 0;
}

sb_problem
sb_slab_in_place(const sb_problem *pb, int64_t from, int64_t width)
{
    sb_problem one = *pb;

    one.b.data = (char *)one.b.data + (size_t)from * sb_dtype_size(one.b.type);
    one.c.data = (char *)one.c.data + (size_t)from * sb_dtype_size(one.c.type);
    *(one.trans_b == SB_TRANS_N ? &one.b.cols : &one.b.rows) = width;
    one.c.cols = width;
    return one;
}

/* Bytes of so many rows of a slab, in whole lines; false: too many. */
static bool
lines(size_t *bytes, int64_t rows, int64_t width, sb_dtype type)
{
    int64_t elements;

    if (!sb_mul_i64(rows, width, &elements) ||
        !sb_bytes(elements, sb_dtype_size(type), bytes) || *bytes > SIZE_MAX / 4)
        return false;
    *bytes = (*bytes + LINE - 1) & ~(size_t)(LINE - 1);
    return true;
}

/* Bytes of one slab's B, and of C where it is turned; 0: none, or too many. */
static size_t
region_bytes(const sb_problem *pb, int64_t width, size_t *of_b)
{
    int64_t m, n, k;
    size_t of_c = 0;

    sb_problem_shape(pb, &m, &n, &k);
    return lines(of_b, k, width, pb->b.type) &&
                   (!pb->c.col_major || lines(&of_c, m, width, pb->c.type))
               ? *of_b + of_c
               : 0;
}

sb_problem
sb_slab_alone(const sb_problem *pb, int64_t width)
{
    sb_problem one = *pb;
    int64_t m, n, k;

    sb_problem_shape(pb, &m, &n, &k);
    width = width < n ? width : n;
    *(one.trans_b == SB_TRANS_N ? &one.b.cols : &one.b.rows) = width;
    one.b.col_major = one.trans_b != SB_TRANS_N;
    one.b.stride = one.b.batch > 1 ? k * width : 0;
    one.c.cols = one.b.ld = one.c.ld = width;
    one.c.col_major = false;
    one.c.stride = one.c.batch > 1 ? m * width : 0;
    one.b.data = one.c.data = one.scratch = NULL;
    one.room = 0;
    return one;
}

/* Regions beyond one are no more than so many bytes. */
#define MOST ((size_t)64 << 20)

size_t
sb_slab_bytes(const sb_problem *pb, int64_t width)
{
    size_t of_b;
    const size_t one = sb_slab_serves(pb, width) ? region_bytes(pb, width, &of_b) : 0;
    int64_t regions;

    if (one == 0)
        return 0;
    regions = one < MOST ? (int64_t)(MOST / one) : 1;
    if (regions > (pb->c.cols - 1) / width + 1)
        regions = (pb->c.cols - 1) / width + 1;
    return (size_t)regions * one + LINE;
}

size_t
sb_slab_bytes_shared(const sb_problem *pb, int64_t width)
{
    size_t of_b;
    const size_t one = sb_slab_serves(pb, width) ? region_bytes(pb, width, &of_b) : 0;

    return one > 0 ? one + LINE : 0;
}

/* Where the buffer's first line begins, and what is left of it from there. */
static char *
lines_of(const sb_problem *pb, size_t *bytes)
{
    const size_t skip = (LINE - (uintptr_t)pb->scratch % LINE) % LINE;

    *bytes = pb->scratch && pb->room > skip ? pb->room - skip : 0;
    return pb->scratch ? (char *)pb->scratch + skip : NULL;
}

bool
sb_slab_fits(const sb_problem *pb, int64_t width)
{
    size_t of_b, bytes;
    const size_t one = sb_slab_serves(pb, width) ? region_bytes(pb, width, &of_b) : 0;

    (void)lines_of(pb, &bytes);
    return one > 0 && (one <= bytes || (bytes > 0 && SB_FAULT(SLAB_ROOM)));
}

/* Rows of `bytes` each, `ld` apart, to `to`, `step` apart; `left` more follow the last. */
typedef struct rows {
    const char *from;
    char *to;
    size_t ld, step, bytes;
    int64_t count, left;
} rows;

/* Rows lie too far apart for prefetchers: each is asked for while those before it are copied
 * (docs/measured/spmm-slabs.md). */
SB_INLINE void
copy_body(const rows *r)
{
    const size_t whole = r->bytes & ~(size_t)(LINE - 1);
    const int64_t last = r->count + r->left - 1;

    for (int64_t i = 0; i < r->count; i++) {
        const char *row = r->from + (size_t)i * r->ld;
        const char *next =
            r->from + (size_t)(i + AHEAD < last ? i + AHEAD : last) * r->ld;
        char *out = r->to + (size_t)i * r->step;

        for (size_t q = 0; q < whole;
             q += LINE) { /* known lengths are moves, not calls */
            SB_PREFETCH_READ(next + q);
            memcpy(out + q, row + q, LINE);
        }
        if (r->bytes > whole)
            memcpy(out + whole, row + whole, r->bytes - whole);
    }
}

static SB_FOR_AVX2 void
copy_avx2(const rows *r)
{
    copy_body(r);
}

static void
copy_plain(const rows *r)
{
    copy_body(r);
}

static int64_t
columns(const job *j, int64_t s)
{
    const int64_t left = j->n - s * j->width;

    return left < j->width ? left : j->width;
}

/* What kernels are told: all slabs of a C that is turned are of one width. */
static int64_t
computed(const job *j, int64_t s)
{
    return j->pb.c.col_major ? columns(j, 0) : columns(j, s);
}

/* The rest of rows [lo, hi) of a narrower last slab. */
static void
pad(const job *j, int64_t s, char *at, int64_t lo, int64_t hi)
{
    const size_t size = sb_dtype_size(j->pb.b.type), step = (size_t)j->width * size;
    const size_t n = (size_t)columns(j, s) * size;
    const size_t all = (size_t)computed(j, s) * size;

    for (int64_t i = lo; n < all && i < hi; i++)
        memset(at + (size_t)i * step + n, 0, all - n);
}

/* Rows [lo, hi) of B's columns of slab s, side by side. */
static void
copy(const job *j, int64_t s, char *at, int64_t lo, int64_t hi)
{
    const size_t size = sb_dtype_size(j->pb.b.type);
    const size_t ld = (size_t)j->pb.b.ld * size, step = (size_t)j->width * size;
    const char *from = j->pb.b.data;
    const rows r = {.from = from + (size_t)(s * j->width) * size + (size_t)lo * ld,
                    .to = at + (size_t)lo * step,
                    .ld = ld,
                    .step = step,
                    .bytes =
                        (size_t)(SB_FAULT(SLAB_WIDE) ? j->width : columns(j, s)) * size,
                    .count = hi - lo,
                    .left = j->k - hi};

    if (turns_b(&j->pb))
        sb_transpose(r.to, j->width,
                     from + (size_t)(s * j->width) * ld + (size_t)lo * size, j->pb.b.ld,
                     columns(j, s), r.count, size);
    else if (SB_HAS_AVX2)
        copy_avx2(&r);
    else
        copy_plain(&r);
    pad(j, s, at, lo, hi);
}

/* Rows [lo, hi) of C's columns of slab s, where C is turned: what beta scales is brought, and
 * what came out is put back. */
static void
exchange(const job *j, int64_t s, char *at, bool back, int64_t lo, int64_t hi)
{
    const size_t size = sb_dtype_size(j->pb.c.type);
    const int64_t ld = j->pb.c.ld, n = columns(j, s);
    char *c = (char *)j->pb.c.data + (size_t)(s * j->width * ld + lo) * size;
    char *mine = at + j->at_c + (size_t)(lo * j->width) * size;

    if (back)
        sb_transpose(c, ld, mine, j->width, hi - lo, n, size);
    else
        sb_transpose(mine, j->width, c, ld, n, hi - lo, size);
}

static bool
brings_c(const job *j)
{
    const sb_value beta = j->pb.beta;

    return j->pb.c.col_major && !(beta.re == 0 && beta.im == 0) && !SB_FAULT(SLAB_BETA);
}

/* The product of slab s alone, on its copy. */
static sb_problem
slab_of(const job *j, int64_t s, char *at)
{
    const int64_t first = s * j->width;
    const int64_t cols = computed(j, s);
    sb_problem one = j->pb;

    one.b.data = at;
    one.b.ld = j->width;
    one.b.col_major = one.trans_b != SB_TRANS_N;
    *(one.trans_b == SB_TRANS_N ? &one.b.cols : &one.b.rows) = cols;
    if (one.c.col_major) {
        one.c.data = at + j->at_c;
        one.c.ld = j->width;
        one.c.col_major = false;
    } else {
        one.c.data = (char *)one.c.data + (size_t)first * sb_dtype_size(one.c.type);
    }
    one.c.cols = cols;
    one.scratch = NULL;
    one.room = 0;
    return one;
}

static sb_status
bind(sb_binding *out, const job *j, const sb_problem *one, int step, sb_diag *diag)
{
    const sb_kernel *k = j->launch->step[step].kernel;

    return sb_launch_bind(out, j->launch, one, k->spec, k->signature, step, 0, diag);
}

/* All steps of slab s, copied, on this thread; that they bind is known. */
static void
run_alone(const job *j, int64_t s, char *at)
{
    const sb_problem one = slab_of(j, s, at);
    sb_binding b;

    if (brings_c(j))
        exchange(j, s, at, false, 0, j->m);
    for (int q = 0; q < j->launch->nstep; q++) {
        const sb_step *step = &j->launch->step[q];

        if (bind(&b, j, &one, q, NULL) == SB_OK)
            step->kernel->fn(b.buf, b.param, step->tile_lo, step->tile_hi);
    }
    if (j->pb.c.col_major)
        exchange(j, s, at, true, 0, j->m);
}

/* Workers [lo, hi): each takes neighbouring slabs, one after the other in its region. Slabs of
 * different workers share no line of C but at two ends. */
static void
run_workers(void *user, int64_t lo, int64_t hi)
{
    const job *j = user;

    for (int64_t w = lo; w < hi; w++) {
        char *at = j->at + (size_t)w * j->region;

        for (int64_t s = j->slabs * w / j->workers; s < j->slabs * (w + 1) / j->workers;
             s++) {
            if (!SB_FAULT(SLAB_STALE) || s == j->slabs * w / j->workers)
                copy(j, s, at, 0, j->k);
            run_alone(j, s, at);
        }
    }
}

static void
copy_rows(void *user, int64_t lo, int64_t hi)
{
    const job *j = user;

    copy(j, j->slab, j->at, lo, hi);
}

static void
bring_rows(void *user, int64_t lo, int64_t hi)
{
    const job *j = user;

    exchange(j, j->slab, j->at, false, lo, hi);
}

static void
put_rows(void *user, int64_t lo, int64_t hi)
{
    const job *j = user;

    exchange(j, j->slab, j->at, true, lo, hi);
}

static sb_status
run_shared(job *j, sb_diag *diag)
{
    const sb_backend *be = sb_backend_get();
    sb_binding b;

    for (j->slab = 0; j->slab < j->slabs; j->slab++) {
        const sb_problem one = slab_of(j, j->slab, j->at);

        be->parallel(copy_rows, j, 0, j->k, ROWS);
        if (brings_c(j))
            be->parallel(bring_rows, j, 0, j->m, ROWS);
        for (int q = 0; q < j->launch->nstep; q++) {
            const sb_step *step = &j->launch->step[q];

            SB_TRY(bind(&b, j, &one, q, diag));
            if (step->tile_hi > step->tile_lo)
                be->run_tiles(step->kernel, b.buf, b.param, step->tile_lo,
                              step->tile_hi);
        }
        if (j->pb.c.col_major)
            be->parallel(put_rows, j, 0, j->m, ROWS);
    }
    return SB_OK;
}

/* As many workers as threads, if they are to have slabs of their own, the buffer has regions for them
 * and hardly anyone would wait for the last slabs; else 0. */
static int64_t
workers(const job *j, size_t bytes)
{
    const int64_t threads = sb_backend_get()->threads();
    const int64_t rounds = (j->slabs + threads - 1) / threads;

    return !j->launch->together && bytes / j->region >= (size_t)threads &&
                   rounds * threads * 7 <= j->slabs * 8
               ? threads
               : 0;
}

static sb_status
run_member(job *j, sb_diag *diag)
{
    const sb_problem one = slab_of(j, 0, j->at);
    sb_binding b;

    if (j->workers == 0)
        return run_shared(j, diag);
    for (int q = 0; q < j->launch->nstep; q++)
        SB_TRY(bind(&b, j, &one, q, diag));
    sb_backend_get()->parallel(run_workers, j, 0, j->workers, 1);
    return SB_OK;
}

sb_status
sb_slab_run(const sb_launch *l, const sb_problem *pb, sb_diag *diag)
{
    const int64_t batch = pb->batch > 1 ? pb->batch : 1;
    job j = {.launch = l, .width = l->slab};
    size_t bytes;

    sb_problem_shape(pb, &j.m, &j.n, &j.k);
    j.at = lines_of(pb, &bytes);
    j.region = region_bytes(pb, l->slab, &j.at_c);
    j.slabs = (j.n - 1) / j.width + 1;
    j.workers = workers(&j, bytes);
    for (int64_t q = 0; q < batch; q++) {
        j.pb = sb_problem_member(pb, q);
        SB_TRY(run_member(&j, diag));
    }
    return SB_OK;
}
