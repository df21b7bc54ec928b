/*
 * Tridiagonal and pentadiagonal systems: what was found, multiplied back, of diagonals so
 * small that exchanges are needed; an exact one; every arrangement of batches; bad
 * arguments.
 */
#include "legacylab.h"
#include "objects.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { PLAIN, NOPIVOT, STRIDED, INTERLEAVED, FIVE, KINDS };

typedef struct band {
    int kind, w, m, batch, sides, ldb, stride;
    spblasDataType_t type;
    sb_dtype t;
    void *diag[5], *x, *b; /* b: the right sides as they were */
} band;

static int64_t
place(const band *s, int i, int system, int side)
{
    if (s->kind >= INTERLEAVED)
        return (int64_t)i * s->batch + system;
    return (int64_t)i + (int64_t)system * s->stride + (int64_t)side * s->ldb;
}

static sb_value
draw(gen_rng *r, sb_dtype t, double size)
{
    sb_value v = {size * (2 * gen_unit(r) - 1), 0};

    if (sb_dtype_is_complex(t))
        v.im = size * (2 * gen_unit(r) - 1);
    return v;
}

/* Small diagonals, so that without exchanges much accuracy would be lost. */
static band
make(uint64_t k, int kind)
{
    gen_rng r = {k + 1};
    band s = {.kind = kind,
              .w = kind == FIVE ? 2 : 1,
              .m = (int)(k % 11) + 1,
              .batch = kind >= STRIDED ? (int)(k % 40) + 1 : 1,
              .sides = kind >= STRIDED ? 1 : (int)(k % 3) + 1,
              .type = lab_types[k % 4],
              .t = lab_dtypes[k % 4]};
    int64_t n;

    s.ldb = s.m + 1;
    s.stride = s.m + 2;
    n = (int64_t)(s.m + 2) * (s.batch + s.sides);
    for (int q = 0; q <= 2 * s.w; q++) {
        s.diag[q] = malloc(16 * (size_t)n);
        memset(s.diag[q], 0xff, 16 * (size_t)n); /* NaN outside the matrix */
        for (int system = 0; system < s.batch; system++)
            for (int i = 0; i < s.m; i++)
                if (i - s.w + q >= 0 && i - s.w + q < s.m)
                    sb_value_store(s.t, s.diag[q], place(&s, i, system, 0),
                                   draw(&r, s.t, q == s.w ? 1e-3 : 1));
    }
    s.x = malloc(16 * (size_t)n);
    memset(s.x, 0xff, 16 * (size_t)n);
    for (int system = 0; system < s.batch; system++)
        for (int side = 0; side < s.sides; side++)
            for (int i = 0; i < s.m; i++)
                sb_value_store(s.t, s.x, place(&s, i, system, side), draw(&r, s.t, 1));
    s.b = gen_copy_bytes(s.x, 16 * (size_t)n);
    return s;
}

static void
drop(band *s)
{
    for (int q = 0; q < 5; q++)
        free(s->diag[q]);
    free(s->x), free(s->b);
}

static void
solve(band *s, int algo)
{
    void *const *g = s->diag;
    size_t bytes = 0;
    void *buffer = NULL;

    for (int pass = 0; pass < 2; pass++) {
        if (s->kind == PLAIN)
            lab_ok(pass ? spblasXgtsv2(lab_handle, s->type, s->m, s->sides, g[0], g[1],
                                       g[2], s->x, s->ldb, buffer)
                        : spblasXgtsv2_bufferSizeExt(lab_handle, s->type, s->m,
                                                     s->sides, g[0], g[1], g[2], s->x,
                                                     s->ldb, &bytes));
        else if (s->kind == NOPIVOT)
            lab_ok(pass ? spblasXgtsv2_nopivot(lab_handle, s->type, s->m, s->sides,
                                               g[0], g[1], g[2], s->x, s->ldb, buffer)
                        : spblasXgtsv2_nopivot_bufferSizeExt(lab_handle, s->type, s->m,
                                                             s->sides, g[0], g[1], g[2],
                                                             s->x, s->ldb, &bytes));
        else if (s->kind == STRIDED)
            lab_ok(pass ? spblasXgtsv2StridedBatch(lab_handle, s->type, s->m, g[0],
                                                   g[1], g[2], s->x, s->batch,
                                                   s->stride, buffer)
                        : spblasXgtsv2StridedBatch_bufferSizeExt(
                              lab_handle, s->type, s->m, g[0], g[1], g[2], s->x,
                              s->batch, s->stride, &bytes));
        else if (s->kind == INTERLEAVED)
            lab_ok(pass ? spblasXgtsvInterleavedBatch(lab_handle, s->type, algo, s->m,
                                                      g[0], g[1], g[2], s->x, s->batch,
                                                      buffer)
                        : spblasXgtsvInterleavedBatch_bufferSizeExt(
                              lab_handle, s->type, algo, s->m, g[0], g[1], g[2], s->x,
                              s->batch, &bytes));
        else
            lab_ok(pass ? spblasXgpsvInterleavedBatch(lab_handle, s->type, 0, s->m,
                                                      g[0], g[1], g[2], g[3], g[4],
                                                      s->x, s->batch, buffer)
                        : spblasXgpsvInterleavedBatch_bufferSizeExt(
                              lab_handle, s->type, 0, s->m, g[0], g[1], g[2], g[3],
                              g[4], s->x, s->batch, &bytes));
        if (!pass)
            buffer = lab_buffer(bytes);
    }
    free(buffer);
}

/* Backward error of each row: |A x - b| <= c m eps (|A| |x| + |b|). */
static void
is_solved(const band *s)
{
    const double eps = s->t == SB_F32 || s->t == SB_C32 ? 0x1p-23 : 0x1p-52;

    for (int system = 0; system < s->batch; system++)
        for (int side = 0; side < s->sides; side++) {
            double most = 0;

            for (int i = 0; i < s->m; i++) {
                const sb_value v = sb_value_load(s->t, s->x, place(s, i, system, side));

                most = fmax(most, hypot(v.re, v.im));
            }
            for (int i = 0; i < s->m; i++) {
                const sb_value b = sb_value_load(s->t, s->b, place(s, i, system, side));
                sb_value sum = {-b.re, -b.im};
                double size = hypot(b.re, b.im);

                for (int q = 0; q <= 2 * s->w; q++) {
                    const int j = i - s->w + q;
                    sb_value a, x;

                    if (j < 0 || j >= s->m)
                        continue;
                    a = sb_value_load(s->t, s->diag[q], place(s, i, system, 0));
                    x = sb_value_load(s->t, s->x, place(s, j, system, side));
                    sum = lab_combine((sb_value){1, 0}, sum, a, x);
                    size += most * 2; /* growth within a band: entries are at most 2 */
                }
                assert_true(hypot(sum.re, sum.im) <= 16 * s->m * eps * size);
            }
        }
}

static void
systems(void **state)
{
    (void)state;
    for (uint64_t k = 0; k < 88; k++)
        for (int kind = 0; kind < KINDS; kind++) {
            band s = make(k, kind);

            lab_threads((int)(k % 4) + 1);
            solve(&s, (int)(k % 3));
            is_solved(&s);
            drop(&s);
        }
}

/* 0 1 0 / 1 0 1 / 0 1 1: every pivot comes from below. */
static void
exchanges(void **state)
{
    const double dl[] = {NAN, 1, 1}, d[] = {0, 0, 1}, du[] = {1, 1, NAN};
    double x[] = {2, 4, 5};
    void *buffer;
    size_t bytes;

    (void)state;
    lab_ok(spblasXgtsv2_bufferSizeExt(lab_handle, F64, 3, 1, dl, d, du, x, 3, &bytes));
    buffer = lab_buffer(bytes);
    lab_ok(spblasXgtsv2(lab_handle, F64, 3, 1, dl, d, du, x, 3, buffer));
    assert_true(x[0] == 1 && x[1] == 2 && x[2] == 3);
    free(buffer);
}

static void
arguments(void)
{
    static double buffer[512];
    size_t bytes;

#define GTSV(expect, named, hh, ty, m, n, l, c, u, b, ldb, buf)           \
    TRY(expect, named, spblasXgtsv2(hh, ty, m, n, l, c, u, b, ldb, buf)); \
    TRY(expect, named, spblasXgtsv2_nopivot(hh, ty, m, n, l, c, u, b, ldb, buf))
    GTSV(BAD, "handle", no_h, F32, 3, 1, val, val, val, dense, 3, buffer);
    GTSV(BAD, "type", h, TYPE9, 3, 1, val, val, val, dense, 3, buffer);
    GTSV(UNS, "type", h, SPBLAS_R_16F, 3, 1, val, val, val, dense, 3, buffer);
    GTSV(BAD, "m", h, F32, -3, 1, val, val, val, dense, 3, buffer);
    GTSV(BAD, "n", h, F32, 3, -1, val, val, val, dense, 3, buffer);
    GTSV(BAD, "dl", h, F32, 3, 1, NULL, val, val, dense, 3, buffer);
    GTSV(BAD, "d", h, F32, 3, 1, val, NULL, val, dense, 3, buffer);
    GTSV(BAD, "du", h, F32, 3, 1, val, val, NULL, dense, 3, buffer);
    GTSV(BAD, "x", h, F32, 3, 1, val, val, val, NULL, 3, buffer);
    GTSV(BAD, "ldb", h, F32, 3, 1, val, val, val, dense, 2, buffer);
    GTSV(BAD, "buffer", h, F32, 3, 1, val, val, val, dense, 3, NULL);
    TRY(BAD, "bufferSize",
        spblasXgtsv2_bufferSizeExt(h, F32, 3, 1, val, val, val, dense, 3, NULL));
    TRY(BAD, "batchStride",
        spblasXgtsv2StridedBatch(h, F32, 3, val, val, val, dense, 2, 2, buffer));
    TRY(BAD, "batchCount",
        spblasXgtsv2StridedBatch(h, F32, 3, val, val, val, dense, -1, 3, buffer));
    TRY(BAD, "algo",
        spblasXgtsvInterleavedBatch(h, F32, 3, 3, dense, dense, dense, wide, 2,
                                    buffer));
    TRY(BAD, "algo",
        spblasXgpsvInterleavedBatch(h, F32, 1, 3, val, val, val, val, val, wide, 2,
                                    buffer));
    TRY(BAD, "ds",
        spblasXgpsvInterleavedBatch(h, F32, 0, 3, NULL, val, val, val, val, wide, 2,
                                    buffer));
    TRY(BAD, "dw",
        spblasXgpsvInterleavedBatch(h, F32, 0, 3, val, val, val, val, NULL, wide, 2,
                                    buffer));
    objects_ok(
        spblasXgtsv2_bufferSizeExt(h, F32, 0, 1, NULL, NULL, NULL, NULL, 1, &bytes));
    objects_ok(spblasXgtsv2(h, F32, 0, 1, NULL, NULL, NULL, NULL, 1, NULL));
}
OBJECTS_CASE(bad_arguments, arguments)

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(systems),
        cmocka_unit_test(exchanges),
        cmocka_unit_test(bad_arguments),
    };

    return cmocka_run_group_tests_name("api.legacy_band", tests, lab_begin, lab_end);
}
