/*
 * The definition, written once more and independently of src/cpu: a walk over stored
 * places, long double sums. Slow and plain on purpose.
 */
#include "oracle.h"

#include "gen.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void *
take_zero(int64_t count, size_t size)
{
    void *p = calloc(count > 0 ? (size_t)count : 1, size);

    if (!p) {
        fprintf(stderr, "tests: out of memory (oracle of %lld elements)\n",
                (long long)count);
        exit(99);
    }
    return p;
}

/* ---- Walks --------------------------------------------------------------------------
 */

/* Formats with empty slots, element by element of the definition in matrix.h. */
static void
for_each_padded(const sb_matrix *a, oracle_visit fn, void *user)
{
    const int64_t b = a->block, ld = a->width * b;

    for (int64_t i = 0; i < a->rows && a->format == SB_FORMAT_BELL; i++)
        for (int64_t x = 0; x < ld; x++) {
            const int64_t at = sb_index(a->idx, a->idx_type, i / b * a->width + x / b);

            if (at >= 0)
                fn(user, i, (at - a->base) * b + x % b, i * ld + x);
        }
    for (int64_t i = 0; i < a->rows && a->format == SB_FORMAT_SELL; i++) {
        const int64_t s = i / a->width, r = i % a->width;
        const int64_t lo = sb_index(a->ptr, a->ptr_type, s) - a->base;
        const int64_t hi = sb_index(a->ptr, a->ptr_type, s + 1) - a->base;

        for (int64_t k = 0; k < (hi - lo) / a->width; k++) {
            const int64_t p = lo + k * a->width + r;
            const int64_t at = sb_index(a->idx, a->idx_type, p);

            if (at >= 0)
                fn(user, i, at - a->base, p);
        }
    }
}

void
oracle_for_each(const sb_matrix *a, int64_t q, oracle_visit fn, void *user)
{
    const int64_t b = a->format == SB_FORMAT_BSR ? a->block : 1;
    const int64_t is = q * a->idx_stride, ps = q * a->ptr_stride,
                  vs = q * a->val_stride;
    const bool by_col = a->format == SB_FORMAT_CSC;
    const int64_t majors = by_col ? a->cols : a->rows / b;

    if (sb_matrix_padded(a)) {
        for_each_padded(a, fn, user);
        return;
    }
    if (a->format == SB_FORMAT_COO) {
        for (int64_t p = 0; p < a->nnz; p++)
            fn(user, sb_index(a->row, a->idx_type, is + p) - a->base,
               sb_index(a->idx, a->idx_type, is + p) - a->base, vs + p);
        return;
    }
    for (int64_t u = 0; u < majors; u++) {
        const int64_t lo = sb_index(a->ptr, a->ptr_type, ps + u) - a->base;
        const int64_t hi = sb_index(a->ptr, a->ptr_type, ps + u + 1) - a->base;

        for (int64_t p = lo; p < hi; p++) {
            const int64_t v = sb_index(a->idx, a->idx_type, is + p) - a->base;

            for (int64_t e = 0; e < b * b; e++) {
                const int64_t r = a->block_col_major ? e % b : e / b;
                const int64_t c = a->block_col_major ? e / b : e % b;

                fn(user, (by_col ? v : u) * b + r, (by_col ? u : v) * b + c,
                   vs + p * b * b + e);
            }
        }
    }
}

static int64_t
dense_at(const sb_dense *d, int64_t q, int64_t i, int64_t j)
{
    return q * d->stride + (d->col_major ? i + j * d->ld : i * d->ld + j);
}

/* Element (i, j) of op(d). */
static sb_value
op_at(const sb_dense *d, sb_trans op, int64_t q, int64_t i, int64_t j)
{
    sb_value v;

    if (op == SB_TRANS_N)
        return sb_value_load(d->type, d->data, dense_at(d, q, i, j));
    v = sb_value_load(d->type, d->data, dense_at(d, q, j, i));
    if (op == SB_TRANS_H)
        v.im = -v.im;
    return v;
}

static double
modulus(sb_value v)
{
    return hypot(v.re, v.im);
}

/* Real data skips the imaginary products: infinity times their 0 would be NaN. */
static void
add_product(oracle *o, bool is_complex, int64_t at, sb_value a, sb_value b)
{
    o->re[at] += (long double)a.re * b.re;
    if (is_complex) {
        o->re[at] -= (long double)a.im * b.im;
        o->im[at] += (long double)a.re * b.im + (long double)a.im * b.re;
    }
    o->mag[at] += modulus(a) * modulus(b);
    o->len[at]++;
}

/* expected = alpha * sum + beta * old; old is not looked at when beta is 0. */
static void
scale(oracle *o, const sb_problem *pb, int64_t at, sb_dtype type, const void *data,
      int64_t slot)
{
    const bool is_complex = sb_dtype_is_complex(pb->compute);
    const sb_value al = pb->alpha, be = pb->beta;
    const long double re = o->re[at], im = o->im[at];
    sb_value old;

    o->re[at] = al.re * re;
    if (is_complex) {
        o->re[at] -= al.im * im;
        o->im[at] = al.re * im + al.im * re;
    }
    o->mag[at] *= modulus(al);
    if (be.re == 0.0 && be.im == 0.0)
        return;
    old = sb_value_load(type, data, slot);
    o->re[at] += (long double)be.re * old.re;
    if (is_complex) {
        o->re[at] -= (long double)be.im * old.im;
        o->im[at] += (long double)be.re * old.im + (long double)be.im * old.re;
    }
    o->mag[at] += modulus(be) * modulus(old);
}

/* An empty slot stays as it is. */
static void
keep(oracle *o, int64_t at, sb_dtype type, const void *data, int64_t slot)
{
    const sb_value old = sb_value_load(type, data, slot);

    o->re[at] = old.re;
    o->im[at] = old.im;
}

typedef struct walk {
    oracle *o;
    const sb_problem *pb;
    int64_t q, m, n, k; /* batch member; C is m x n */
    int64_t first;      /* index of the member's first output in the oracle */
    bool *touched;      /* SDDMM: which outputs are entries */
} walk;

static int64_t
member(int64_t q, int64_t batch)
{
    return batch > 1 ? q : 0;
}

static void
visit_spmm(void *user, int64_t i, int64_t j, int64_t slot)
{
    const walk *w = user;
    const sb_problem *pb = w->pb;
    const bool swap = pb->trans_a != SB_TRANS_N;
    const int64_t row = swap ? j : i, col = swap ? i : j;
    const int64_t qb = member(w->q, pb->b.batch);
    const bool is_complex = sb_dtype_is_complex(pb->compute);
    sb_value a = sb_value_load(pb->a.val_type, pb->a.val, slot);

    if (pb->trans_a == SB_TRANS_H)
        a.im = -a.im;
    for (int64_t c = 0; c < w->n; c++)
        add_product(w->o, is_complex, w->first + row * w->n + c, a,
                    op_at(&pb->b, pb->trans_b, qb, col, c));
}

static void
visit_sddmm(void *user, int64_t i, int64_t j, int64_t slot)
{
    const walk *w = user;
    const sb_problem *pb = w->pb;
    const int64_t at = w->first + slot - w->q * pb->a.val_stride;
    const int64_t qx = member(w->q, pb->b.batch), qy = member(w->q, pb->c.batch);

    w->touched[at] = true;
    for (int64_t k = 0; k < w->k; k++)
        add_product(w->o, sb_dtype_is_complex(pb->compute), at,
                    op_at(&pb->b, pb->trans_a, qx, i, k),
                    op_at(&pb->c, pb->trans_b, qy, k, j));
}

/* ---- Expectation --------------------------------------------------------------------
 */

static int64_t
outputs_per_member(const sb_problem *pb)
{
    return pb->op == SB_OP_SDDMM ? gen_value_count(&pb->a) : pb->c.rows * pb->c.cols;
}

static size_t
output_bytes(const sb_problem *pb)
{
    int64_t count;

    if (pb->op != SB_OP_SDDMM)
        return (size_t)gen_dense_extent(&pb->c) * sb_dtype_size(pb->c.type);
    count = (pb->batch - 1) * pb->a.val_stride + gen_value_count(&pb->a);
    return (size_t)count * sb_dtype_size(pb->a.val_type);
}

static const void *
output_data(const sb_problem *pb)
{
    return pb->op == SB_OP_SDDMM ? pb->a.val : pb->c.data;
}

static sb_dtype
output_type(const sb_problem *pb)
{
    return pb->op == SB_OP_SDDMM ? pb->a.val_type : pb->c.type;
}

/* Where output number e of member q lies in the output array. */
static int64_t
output_slot(const sb_problem *pb, int64_t q, int64_t e)
{
    if (pb->op == SB_OP_SDDMM)
        return q * pb->a.val_stride + e;
    return dense_at(&pb->c, q, e / pb->c.cols, e % pb->c.cols);
}

oracle
oracle_make(const sb_problem *pb)
{
    const int64_t per = outputs_per_member(pb);
    oracle o = {.count = per * pb->batch, .before_bytes = output_bytes(pb)};
    walk w = {.o = &o, .pb = pb};

    o.re = take_zero(o.count, sizeof *o.re);
    o.im = take_zero(o.count, sizeof *o.im);
    o.mag = take_zero(o.count, sizeof *o.mag);
    o.len = take_zero(o.count, sizeof *o.len);
    o.before = gen_copy_bytes(output_data(pb), o.before_bytes);
    if (pb->op == SB_OP_SDDMM) {
        w.k = pb->trans_a == SB_TRANS_N ? pb->b.cols : pb->b.rows;
        w.touched = take_zero(o.count, sizeof *w.touched);
    } else {
        w.m = pb->c.rows;
        w.n = pb->c.cols;
    }
    for (int64_t q = 0; q < pb->batch; q++) {
        w.q = pb->op == SB_OP_SDDMM ? q : member(q, pb->a.batch);
        w.first = q * per;
        if (pb->op == SB_OP_SDDMM) {
            oracle_for_each(&pb->a, q, visit_sddmm, &w);
        } else {
            const int64_t qa = w.q;

            w.q = q;
            oracle_for_each(&pb->a, qa, visit_spmm, &w);
        }
        for (int64_t e = 0; e < per; e++)
            if (w.touched && !w.touched[w.first + e])
                keep(&o, w.first + e, output_type(pb), output_data(pb),
                     output_slot(pb, q, e));
            else
                scale(&o, pb, w.first + e, output_type(pb), output_data(pb),
                      output_slot(pb, q, e));
    }
    free(w.touched);
    return o;
}

void
oracle_free(oracle *o)
{
    free(o->re);
    free(o->im);
    free(o->mag);
    free(o->len);
    free(o->before);
    memset(o, 0, sizeof *o);
}

/* ---- Comparison ---------------------------------------------------------------------
 */

static double
epsilon(sb_dtype t)
{
    switch (t) {
    case SB_F32:
    case SB_C32:
        return FLT_EPSILON;
    case SB_F64:
    case SB_C64:
        return DBL_EPSILON;
    case SB_F16:
    case SB_C16:
        return 0x1p-10;
    case SB_BF16:
    case SB_CBF16:
        return 0x1p-7;
    case SB_BOOL:
    case SB_I8:
    case SB_I16:
    case SB_I32:
    case SB_I64:
    case SB_DTYPE_COUNT:
        break;
    }
    return 0.0;
}

/* Half the smallest positive number: what underflow at one operation can cost. */
static double
underflow(sb_dtype t)
{
    return t == SB_F16 || t == SB_C16      ? 0x1p-24
           : t == SB_BF16 || t == SB_CBF16 ? 0x1p-133
           : t == SB_F32 || t == SB_C32    ? (double)FLT_TRUE_MIN
           : sb_dtype_is_int(t)            ? 0.0
                                           : DBL_TRUE_MIN;
}

static double
bound(const oracle *o, const sb_problem *pb, int64_t at)
{
    const sb_dtype out = output_type(pb);
    const double len = (double)o->len[at];
    double b = ORACLE_C * epsilon(pb->compute) * (len + 2) * o->mag[at];

    if (out != pb->compute)
        b += 0.5 * epsilon(out) * hypot((double)o->re[at], (double)o->im[at]);
    return b + underflow(out) + (len + 2) * underflow(pb->compute);
}

static double
component_error(long double want, double got)
{
    if (isnan(want))
        return isnan(got) ? 0.0 : INFINITY;
    if (isnan(got))
        return INFINITY;
    if ((double)want == got)
        return 0.0;
    return (double)fabsl(want - got);
}

static double
element_error(const oracle *o, int64_t at, sb_value got)
{
    const double re = component_error(o->re[at], got.re);
    const double im = component_error(o->im[at], got.im);

    return re > im ? (im > 0 ? hypot(re, im) : re) : (re > 0 ? hypot(re, im) : im);
}

/* The expectation as the output type holds it. */
static sb_value
rounded(const oracle *o, int64_t at, sb_dtype t)
{
    const sb_value want = {(double)o->re[at], (double)o->im[at]};
    unsigned char one[16];

    if (t == SB_I32) /* sums wrap */
        return (sb_value){(int32_t)(uint32_t)(int64_t)want.re, 0.0};
    sb_value_store(t, one, 0, want);
    return sb_value_load(t, one, 0);
}

static bool
same(double x, double y)
{
    return x == y || (isnan(x) && isnan(y));
}

static bool
element_right(const oracle *o, const sb_problem *pb, int64_t at, sb_value got,
              bool exact)
{
    const sb_value want = rounded(o, at, output_type(pb));

    if (exact || sb_dtype_is_int(output_type(pb)))
        return same(want.re, got.re) && same(want.im, got.im);
    return element_error(o, at, got) <= bound(o, pb, at) ||
           (same(want.re, got.re) && same(want.im, got.im));
}

/* Marks outputs in a byte map; whatever is left must be as before. */
static bool
gaps_untouched(const oracle *o, const sb_problem *pb, char *message, size_t size)
{
    const size_t width = sb_dtype_size(output_type(pb));
    const size_t slots = o->before_bytes / width;
    const int64_t per = outputs_per_member(pb);
    unsigned char *is_output = take_zero((int64_t)slots, 1);
    bool ok = true;

    for (int64_t q = 0; q < pb->batch; q++)
        for (int64_t e = 0; e < per; e++)
            is_output[output_slot(pb, q, e)] = 1;
    for (size_t s = 0; s < slots && ok; s++) {
        const char *now = (const char *)output_data(pb) + s * width;

        ok = is_output[s] ||
             memcmp(now, (const char *)o->before + s * width, width) == 0;
        if (!ok)
            snprintf(message, size, "slot %zu, which is no output, was written", s);
    }
    free(is_output);
    return ok;
}

bool
oracle_check(const oracle *o, const sb_problem *pb, bool exact, char *message,
             size_t size)
{
    const int64_t per = outputs_per_member(pb);

    for (int64_t at = 0; at < o->count; at++) {
        const int64_t q = at / per, e = at % per;
        const sb_value got =
            sb_value_load(output_type(pb), output_data(pb), output_slot(pb, q, e));
        const int64_t cols = pb->op == SB_OP_SDDMM ? per : pb->c.cols;

        if (element_right(o, pb, at, got, exact))
            continue;
        snprintf(
            message, size,
            "member %lld, element (%lld, %lld): got %.17g%+.17gi, want %.17Lg%+.17Lgi,"
            " error %.3g, bound %.3g, %lld products",
            (long long)q, (long long)(e / cols), (long long)(e % cols), got.re, got.im,
            o->re[at], o->im[at], element_error(o, at, got),
            exact ? 0.0 : bound(o, pb, at), (long long)o->len[at]);
        return false;
    }
    return gaps_untouched(o, pb, message, size);
}

double
oracle_worst(const oracle *o, const sb_problem *pb)
{
    const int64_t per = outputs_per_member(pb);
    double worst = 0.0;

    for (int64_t at = 0; at < o->count; at++) {
        const sb_value got = sb_value_load(output_type(pb), output_data(pb),
                                           output_slot(pb, at / per, at % per));
        const double err = element_error(o, at, got);

        if (err > 0.0 && err / bound(o, pb, at) > worst)
            worst = err / bound(o, pb, at);
    }
    return worst;
}
