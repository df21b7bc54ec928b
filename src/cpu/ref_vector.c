/*
 * Operations on sparse vectors. Positions are decoded into short lines, so that kernels
 * need not know index types. Where Y is written, a piece of the work owns a range of it
 * and takes the slots that lie there in their order; so an index that occurs twice means
 * the same on any team. In ascending X a range's slots lie together; in any other every
 * thread looks through all indices, which costs less than following them.
 */
#include "cpu/ref_vector.h"

#include "base/fault.h"
#include "base/macro.h"
#include "cpu/ref_ops.h"
#include "formats/matrix.h"
#include "runtime/backend.h"

#include <string.h>

enum {
    LINE = 256,         /* slots decoded at a time */
    PIECES = 64,        /* at most; a function of X's length */
    PIECE_SLOTS = 4096, /* at least, if there are more pieces than one */
    SCALE_GRAIN = 1 << 16
};

/* ---- Kernels ------------------------------------------------------------------------ */

#define REAL_ADD(a, b) ((a) + (b))
#define REAL_SUB(a, b) ((a) - (b))
#define REAL_MUL(a, b) ((a) * (b))
#define SAME(v) (v)

#define ADD REAL_ADD
#define SUB REAL_SUB
#define MUL REAL_MUL
#define CONJ SAME

#define E float
#define C float
#define LOAD SAME
#define STORE SAME
#define OP(name) f32_##name
#include "cpu/ref_vector.inc"
#define E double
#define C double
#define LOAD SAME
#define STORE SAME
#define OP(name) f64_##name
#include "cpu/ref_vector.inc"
#define E uint16_t
#define C float
#define LOAD sb_f16_to_f32
#define STORE sb_f16_from_f32
#define OP(name) f16_##name
#include "cpu/ref_vector.inc"
#define E uint16_t
#define C float
#define LOAD sb_bf16_to_f32
#define STORE sb_bf16_from_f32
#define OP(name) bf16_##name
#include "cpu/ref_vector.inc"
#define E int8_t
#define C float
#define LOAD SAME
#define OP(name) i8_f32_##name
#include "cpu/ref_vector.inc"
#define E int8_t
#define C uint32_t /* sums wrap */
#define LOAD(v) ((uint32_t)(int32_t)(v))
#define OP(name) i8_i32_##name
#include "cpu/ref_vector.inc"

#undef ADD
#undef SUB
#undef MUL
#undef CONJ

typedef struct c32 {
    float re, im;
} c32;
typedef struct c64 {
    double re, im;
} c64;

#define COMPLEX_ARITHMETIC(t)                                             \
    static t t##_plus(t a, t b)                                           \
    {                                                                     \
        return (t){a.re + b.re, a.im + b.im};                             \
    }                                                                     \
    static t t##_minus(t a, t b)                                          \
    {                                                                     \
        return (t){a.re - b.re, a.im - b.im};                             \
    }                                                                     \
    static t t##_times(t a, t b)                                          \
    {                                                                     \
        return (t){a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re}; \
    }                                                                     \
    static t t##_conj(t a)                                                \
    {                                                                     \
        return (t){a.re, -a.im};                                          \
    }
COMPLEX_ARITHMETIC(c32)
COMPLEX_ARITHMETIC(c64)

#define ADD c32_plus
#define SUB c32_minus
#define MUL c32_times
#define CONJ c32_conj
#define E c32
#define C c32
#define LOAD SAME
#define STORE SAME
#define OP(name) c32_##name
#include "cpu/ref_vector.inc"
#undef ADD
#undef SUB
#undef MUL
#undef CONJ
#define ADD c64_plus
#define SUB c64_minus
#define MUL c64_times
#define CONJ c64_conj
#define E c64
#define C c64
#define LOAD SAME
#define STORE SAME
#define OP(name) c64_##name
#include "cpu/ref_vector.inc"

/* Elements of a size, to be copied. */
typedef struct pair64 {
    uint64_t half[2];
} pair64;

#define COPIES(E, name)                                                       \
    static void gather_##name(void *yv, void *xv, const int64_t *at,          \
                              const int32_t *slot, int64_t n, const void *a,  \
                              const void *b)                                  \
    {                                                                         \
        const E *y = yv;                                                      \
        E *x = xv;                                                            \
                                                                              \
        (void)a;                                                              \
        (void)b;                                                              \
        for (int64_t c = 0; c < n; c++)                                       \
            x[slot[c]] = y[at[c]];                                            \
    }                                                                         \
    static void scatter_##name(void *yv, void *xv, const int64_t *at,         \
                               const int32_t *slot, int64_t n, const void *a, \
                               const void *b)                                 \
    {                                                                         \
        const E *x = xv;                                                      \
        E *y = yv;                                                            \
                                                                              \
        (void)a;                                                              \
        (void)b;                                                              \
        for (int64_t c = 0; c < n; c++)                                       \
            y[at[c]] = x[slot[c]];                                            \
    }
COPIES(uint8_t, 1)
COPIES(uint16_t, 2)
COPIES(uint32_t, 4)
COPIES(uint64_t, 8)
COPIES(pair64, 16)

/* A line of slots: x their values, a and b the scalars in the compute type. */
typedef void (*line_fn)(void *y, void *x, const int64_t *at, const int32_t *slot,
                        int64_t n, const void *a, const void *b);

typedef struct arithmetic {
    sb_dtype type, compute;
    line_fn add, rot;
    void (*scale)(void *y, int64_t n, const void *beta);
    void (*dot)(void *acc, const void *x, const void *y, const int64_t *at,
                const int32_t *slot, int64_t n, bool conj);
} arithmetic;

#define ROW(name) name##_add, name##_rot, name##_scale, name##_dot
static const arithmetic arithmetics[] = {
    {SB_F32, SB_F32, ROW(f32)},
    {SB_F64, SB_F64, ROW(f64)},
    {SB_C32, SB_C32, ROW(c32)},
    {SB_C64, SB_C64, ROW(c64)},
    {SB_F16, SB_F32, ROW(f16)},
    {SB_BF16, SB_F32, ROW(bf16)},
    {SB_I8, SB_F32, NULL, NULL, NULL, i8_f32_dot},
    {SB_I8, SB_I32, NULL, NULL, NULL, i8_i32_dot},
};

static const arithmetic *
arithmetic_of(const sb_vector *j)
{
    for (int i = 0; i < SB_COUNT(arithmetics); i++)
        if (arithmetics[i].type == j->type && arithmetics[i].compute == j->compute)
            return &arithmetics[i];
    return NULL;
}

static line_fn
line_of(const sb_vector *j, const arithmetic *ops)
{
    static const line_fn gathers[] = {[1] = gather_1,
                                      [2] = gather_2,
                                      [4] = gather_4,
                                      [8] = gather_8,
                                      [16] = gather_16};
    static const line_fn scatters[] = {[1] = scatter_1,
                                       [2] = scatter_2,
                                       [4] = scatter_4,
                                       [8] = scatter_8,
                                       [16] = scatter_16};

    switch (j->op) {
    case SB_VECTOR_GATHER:
        return gathers[j->bytes];
    case SB_VECTOR_SCATTER:
        return scatters[j->bytes];
    case SB_VECTOR_AXPBY:
        return ops ? ops->add : NULL;
    case SB_VECTOR_ROT:
        return ops ? ops->rot : NULL;
    case SB_VECTOR_SPVV:
        break;
    }
    return NULL;
}

/* ---- Pieces ------------------------------------------------------------------------- */

typedef struct work {
    const sb_vector *j;
    const arithmetic *ops;
    line_fn line;
    int64_t pieces;
    bool ascending; /* else pieces are equal ranges of Y */
    sb_ref_scalar alpha, beta;
    union {
        bool falls[PIECES];        /* a slot whose successor has a smaller index */
        sb_ref_scalar sum[PIECES]; /* SPVV */
    } part;
} work;

/* The first slot (of nnz) or element (of size) of piece t. */
static int64_t
cut(int64_t count, int64_t pieces, int64_t t)
{
    const int64_t rest = count % pieces;

    return count / pieces * t + (t < rest ? t : rest);
}

static int64_t
index_of(const sb_vector *j, int64_t p)
{
    return sb_index(j->idx, j->idx_type, p) - j->base;
}

/* Those of the slots [p, p + n) that lie in [lo, hi): where, and which from p on. No
 * branch on data: it would be missed every other time. */
static int64_t
decode(int64_t *at, int32_t *slot, const sb_vector *j, int64_t p, int64_t n, int64_t lo,
       int64_t hi)
{
    int64_t count = 0;

    for (int64_t c = 0; c < n; c++) {
        const int64_t i = index_of(j, p + c);

        at[count] = i;
        slot[count] = (int32_t)c;
        count += (i >= lo) & (i < hi);
    }
    return count;
}

/* Slots [p, end), as far as they lie in the elements [lo, hi). */
static void
run_slots(const work *w, int64_t p, int64_t end, int64_t lo, int64_t hi,
          sb_ref_scalar *sum)
{
    const sb_vector *j = w->j;
    int64_t at[LINE];
    int32_t slot[LINE];

    for (; p < end; p += LINE) {
        const int64_t n = end - p < LINE ? end - p : LINE;
        const int64_t count = decode(at, slot, j, p, n, lo, hi);
        char *x = (char *)j->x + p * (int64_t)j->bytes;

        if (w->line)
            w->line(j->y, x, at, slot, count, &w->alpha, &w->beta);
        else
            w->ops->dot(sum, x, j->y, at, slot, count, j->conj);
    }
}

/* Pieces of X: what only reads Y. */
static void
run_by_slot(void *user, int64_t first, int64_t last)
{
    work *w = user;
    const sb_vector *j = w->j;

    for (int64_t t = first; t < last; t++) {
        if (!w->line)
            memset(&w->part.sum[t], 0, sizeof w->part.sum[t]);
        run_slots(w, cut(j->nnz, w->pieces, t), cut(j->nnz, w->pieces, t + 1), 0,
                  j->size, &w->part.sum[t]);
    }
}

/* The first slot of an ascending X whose index is not below i. */
static int64_t
find(const sb_vector *j, int64_t i)
{
    int64_t lo = 0, hi = j->nnz;

    while (lo < hi) {
        const int64_t mid = lo + (hi - lo) / 2;

        if (index_of(j, mid) < i)
            lo = mid + 1;
        else
            hi = mid;
    }
    return lo;
}

/* Where piece t of Y begins: with ascending X such that pieces have as many slots. */
static int64_t
bound(const work *w, int64_t t)
{
    const sb_vector *j = w->j;
    int64_t at;

    if (t == 0 || t == w->pieces)
        return t == 0 ? 0 : j->size;
    at = w->ascending ? index_of(j, cut(j->nnz, w->pieces, t))
                      : cut(j->size, w->pieces, t);
    return at < 0 ? 0 : at < j->size ? at : j->size;
}

static void
run_by_owner(void *user, int64_t first, int64_t last)
{
    const work *w = user;

    for (int64_t t = first; t < last; t++) {
        const bool shared = SB_FAULT(VECTOR_OWNER) && t + 1 < w->pieces;
        const int64_t lo = bound(w, t), hi = bound(w, t + 1) + shared;

        if (w->ascending)
            run_slots(w, find(w->j, lo), find(w->j, hi), lo, hi, NULL);
        else
            run_slots(w, 0, w->j->nnz, lo, hi, NULL);
    }
}

static void
look_for_falls(void *user, int64_t first, int64_t last)
{
    work *w = user;
    const sb_vector *j = w->j;

    for (int64_t t = first; t < last; t++) {
        const int64_t hi = cut(j->nnz, w->pieces, t + 1);
        int64_t p = cut(j->nnz, w->pieces, t);

        while (p < hi && (p + 1 == j->nnz || index_of(j, p) <= index_of(j, p + 1)))
            p++;
        w->part.falls[t] = p < hi;
    }
}

static void
scale_range(void *user, int64_t lo, int64_t hi)
{
    const work *w = user;
    const sb_vector *j = w->j;
    char *y = (char *)j->y + lo * (int64_t)j->bytes;

    if (j->beta.re == 0.0 && j->beta.im == 0.0)
        memset(y, 0, (size_t)(hi - lo) * j->bytes);
    else
        w->ops->scale(y, hi - lo, &w->beta);
}

static void
spread(sb_range_fn fn, work *w, int64_t count, int64_t grain)
{
    const sb_backend *backend = sb_backend_get();

    if (backend && count > grain)
        backend->parallel(fn, w, 0, count, grain);
    else if (count > 0)
        fn(w, 0, count);
}

/* ---- Operations --------------------------------------------------------------------- */

static int64_t
threads(void)
{
    const sb_backend *backend = sb_backend_get();

    return backend ? backend->threads() : 1;
}

/* AXPBY's sum, SCATTER, ROT. */
static void
write_y(work *w)
{
    const int64_t team = threads();

    w->ascending = w->pieces > 1 && team > 1;
    if (w->ascending) {
        spread(look_for_falls, w, w->pieces, 1);
        for (int64_t t = 0; t < w->pieces; t++)
            w->ascending = w->ascending && !w->part.falls[t];
    }
    if (!w->ascending)
        w->pieces = w->pieces > 1 ? team : 1;
    spread(run_by_owner, w, w->pieces, 1);
}

static void
read_y(work *w, sb_vector *job)
{
    sb_value sum = {0.0, 0.0};

    spread(run_by_slot, w, w->pieces, 1);
    if (w->line)
        return;
    for (int64_t t = 0; t < w->pieces; t++) {
        const sb_value part = sb_value_load(job->compute, &w->part.sum[t], 0);

        sum = (sb_value){sum.re + part.re, sum.im + part.im};
    }
    if (job->compute == SB_I32) /* sums wrap */
        sum.re = (int32_t)(uint32_t)(int64_t)sum.re;
    job->result = sum;
}

sb_status
sb_ref_vector(sb_vector *job, sb_diag *diag)
{
    const bool copies = job->op == SB_VECTOR_GATHER || job->op == SB_VECTOR_SCATTER;
    const bool reads = job->op == SB_VECTOR_GATHER || job->op == SB_VECTOR_SPVV;
    const int64_t share = job->nnz / PIECE_SLOTS;
    work w = {.j = job,
              .ops = copies ? NULL : arithmetic_of(job),
              .pieces = share < 1        ? 1
                        : share < PIECES ? share
                                         : PIECES};

    w.line = line_of(job, w.ops);
    if (!w.line && (job->op != SB_VECTOR_SPVV || !w.ops))
        return sb_diag_set(diag, SB_ENOTSUP,
                           "no arithmetic for vectors of %s with compute type %s",
                           sb_dtype_name(job->type), sb_dtype_name(job->compute));
    if (!copies) {
        sb_value_store(job->compute, &w.alpha, 0, job->alpha);
        sb_value_store(job->compute, &w.beta, 0, job->beta);
    }
    if (job->op == SB_VECTOR_AXPBY && (job->beta.re != 1.0 || job->beta.im != 0.0))
        spread(scale_range, &w, job->size, SCALE_GRAIN);
    if (reads)
        read_y(&w, job);
    else
        write_y(&w);
    return SB_OK;
}
