/*
 * Operations on sparse vectors. Positions are decoded into short lines, so that kernels
 * need not know index types. Where Y is written its places are shared (formats/share.h);
 * where it is only read, X is cut by its length alone.
 */
#include "cpu/ref_vector.h"

#include "base/macro.h"
#include "cpu/ref_ops.h"
#include "formats/share.h"
#include "runtime/backend.h"

#include <string.h>

enum { LINE = 256 /* slots decoded at a time */, SCALE_GRAIN = 1 << 16 };

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

/* Pairs of 16-bit floats, computed with as c32. */
typedef struct half_pair {
    uint16_t re, im;
} half_pair;

#define HALF_PAIR(t, part)                                                          \
    static c32 t##_load(half_pair v)                                                \
    {                                                                               \
        return (c32){sb_##part##_to_f32(v.re), sb_##part##_to_f32(v.im)};           \
    }                                                                               \
    static half_pair t##_store(c32 v)                                               \
    {                                                                               \
        return (half_pair){sb_##part##_from_f32(v.re), sb_##part##_from_f32(v.im)}; \
    }
HALF_PAIR(c16, f16)
HALF_PAIR(cbf16, bf16)

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
#define E half_pair
#define C c32
#define LOAD c16_load
#define STORE c16_store
#define OP(name) c16_##name
#include "cpu/ref_vector.inc"
#define E half_pair
#define C c32
#define LOAD cbf16_load
#define STORE cbf16_store
#define OP(name) cbf16_##name
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
    {SB_C16, SB_C32, ROW(c16)},
    {SB_CBF16, SB_C32, ROW(cbf16)},
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
    sb_par par;
    sb_share share; /* of Y, where it is written; else its number of pieces of X */
    sb_ref_scalar alpha, beta;
    sb_ref_scalar sum[SB_SHARE_PIECES]; /* SPVV, of each piece */
} work;

/* Those of the slots [p, p + n) that lie in [lo, hi): where, and which from p on. No
 * branch on data: it would be missed every other time. */
static int64_t
decode(int64_t *at, int32_t *slot, const sb_vector *j, int64_t p, int64_t n, int64_t lo,
       int64_t hi)
{
    int64_t count = 0;

    for (int64_t c = 0; c < n; c++) {
        const int64_t i = sb_index(j->idx, j->idx_type, p + c) - j->base;

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
    const int64_t nnz = w->j->nnz, pieces = w->share.pieces;

    for (int64_t t = first; t < last; t++)
        run_slots(w, sb_share_cut(nnz, pieces, t), sb_share_cut(nnz, pieces, t + 1), 0,
                  w->j->size, &w->sum[t]);
}

static void
run_by_owner(void *user, int64_t first, int64_t last)
{
    work *w = user;

    for (int64_t t = first; t < last; t++) {
        const sb_share_piece r = sb_share_of(&w->share, t);

        run_slots(w, r.p, r.end, r.lo, r.hi, NULL);
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

/* ---- Operations --------------------------------------------------------------------- */

/* AXPBY's sum, SCATTER, ROT. */
static void
write_y(work *w)
{
    sb_share_plan(&w->share, &w->par);
    sb_par_run(&w->par, run_by_owner, w, 0, w->share.pieces, 1);
}

static void
read_y(work *w, sb_vector *job)
{
    sb_value sum = {0.0, 0.0};

    w->share.pieces = sb_share_count(job->nnz);
    sb_par_run(&w->par, run_by_slot, w, 0, w->share.pieces, 1);
    for (int64_t t = 0; t < w->share.pieces && !w->line; t++) {
        const sb_value part = sb_value_load(job->compute, &w->sum[t], 0);

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
    const sb_backend *backend = sb_backend_get();
    work w = {.j = job,
              .ops = copies ? NULL : arithmetic_of(job),
              .share = {.idx = job->idx,
                        .type = job->idx_type,
                        .base = job->base,
                        .nnz = job->nnz,
                        .size = job->size}};

    if (backend)
        w.par = (sb_par){backend->parallel, backend->threads()};
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
        sb_par_run(&w.par, scale_range, &w, 0, job->size, SCALE_GRAIN);
    if (job->op == SB_VECTOR_GATHER || job->op == SB_VECTOR_SPVV)
        read_y(&w, job);
    else
        write_y(&w);
    return SB_OK;
}
