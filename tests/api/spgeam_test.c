/*
 * SpGEAM against the dense sum: formats, types, index and offset types, bases, scalars that
 * are 0, a second sum without counting; bad arguments and calls out of order.
 */
#include "call.h"
#include "gen.h"
#include "objects.h"
#include "places.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define GEAM SPBLAS_SPGEAM_ALG_DEFAULT

typedef struct lab {
    spblasHandle_t handle;
    spblasSpGEAMDescr_t d;
    sb_matrix m[3]; /* A, B, C; C's arrays are made here */
    spblasSpMatDescr_t s[3];
    sb_value scale[2];
    double bytes[2][2];
    void *buffer;
    spblasDataType_t compute;
} lab;

static void *
plain(const void *p)
{
    return (void *)(uintptr_t)p;
}

static void
describe(lab *l, int q)
{
    const sb_matrix *a = &l->m[q];

    objects_ok((a->format == SB_FORMAT_CSC ? spblasCreateCsc : spblasCreateCsr)(
        &l->s[q], a->rows, a->cols, a->nnz, plain(a->ptr), plain(a->idx), a->val,
        call_index_type(a->ptr_type), call_index_type(a->idx_type),
        (spblasIndexBase_t)a->base, call_type(a->val_type)));
}

static void
set_scalars(lab *l, double alpha, double beta)
{
    const sb_dtype t = l->m[0].val_type;
    const sb_dtype sum = t == SB_F16 || t == SB_BF16 ? SB_F32 : t;

    l->scale[0] = (sb_value){alpha, sb_dtype_is_complex(t) ? 1 - alpha : 0};
    l->scale[1] = (sb_value){beta, 0};
    l->compute = call_type(sum);
    for (int q = 0; q < 2; q++)
        sb_value_store(sum, l->bytes[q], 0, l->scale[q]);
}

/* A and B of case k; C has offsets alone. */
static lab
begin(uint64_t k)
{
    static const sb_dtype types[] = {SB_F32, SB_F64, SB_C32, SB_C64, SB_F16, SB_BF16};
    gen_rng r = {k};
    lab l = {0};
    gen_spec s = gen_case(k);
    int64_t majors;

    s.format = k / 6 % 2 ? SB_FORMAT_CSC : SB_FORMAT_CSR;
    s.val_type = types[k % 6];
    s.idx_type = gen_below(&r, 2) ? SB_I64 : SB_I32;
    s.integer = true;
    s.unsorted = s.duplicates = false;
    for (int q = 0; q < 2; q++) {
        s.ptr_type = gen_below(&r, 2) ? SB_I64 : SB_I32;
        s.base = (int)gen_below(&r, 2);
        s.family = (gen_family)gen_below(&r, GEN_FAMILY_COUNT);
        s.seed = gen_next(&r);
        l.m[q] = gen_matrix(&s);
    }
    l.m[2] = (sb_matrix){.format = s.format,
                         .rows = l.m[0].rows,
                         .cols = l.m[0].cols,
                         .ptr_type = gen_below(&r, 2) ? SB_I64 : SB_I32,
                         .idx_type = s.idx_type,
                         .val_type = s.val_type,
                         .base = (int)gen_below(&r, 2),
                         .block = 1,
                         .batch = 1};
    majors = s.format == SB_FORMAT_CSC ? l.m[2].cols : l.m[2].rows;
    l.m[2].ptr = malloc((size_t)(majors + 1) * sizeof(int64_t));
    objects_ok(spblasCreate(&l.handle));
    objects_ok(spblasSpGEAM_createDescr(&l.d));
    for (int q = 0; q < 3; q++)
        describe(&l, q);
    set_scalars(&l, 2, -1);
    return l;
}

static void
end(lab *l)
{
    for (int q = 0; q < 3; q++)
        objects_ok(spblasDestroySpMat(l->s[q]));
    objects_ok(spblasSpGEAM_destroyDescr(l->d));
    objects_ok(spblasDestroy(l->handle));
    gen_free_matrix(&l->m[0]);
    gen_free_matrix(&l->m[1]);
    free(l->buffer);
    free(plain(l->m[2].ptr));
    free(plain(l->m[2].idx));
    free(l->m[2].val);
}

static void
count(lab *l)
{
    size_t bytes = 1;
    int64_t rows, cols;

    objects_ok(spblasSpGEAM_bufferSize(l->handle, N, N, NULL, l->s[0], NULL, l->s[1],
                                       l->s[2], l->compute, GEAM, l->d, &bytes));
    free(l->buffer);
    l->buffer = bytes > 0 ? malloc(bytes) : NULL; /* a GPU's handle wants one */
    objects_ok(spblasSpGEAM_nnz(l->handle, N, N, NULL, l->s[0], NULL, l->s[1], l->s[2],
                                l->compute, GEAM, l->d, l->buffer));
    objects_ok(spblasSpMatGetSize(l->s[2], &rows, &cols, &l->m[2].nnz));
    l->m[2].idx = malloc((size_t)(l->m[2].nnz + 1) * sizeof(int64_t));
    l->m[2].val = malloc((size_t)(l->m[2].nnz + 1) * sizeof(double[2]));
    objects_ok(
        (l->m[2].format == SB_FORMAT_CSC ? spblasCscSetPointers : spblasCsrSetPointers)(
            l->s[2], plain(l->m[2].ptr), plain(l->m[2].idx), l->m[2].val));
}

static spblasStatus_t
sum(lab *l)
{
    memset(l->m[2].val, 0xff, (size_t)l->m[2].nnz * sb_dtype_size(l->m[2].val_type));
    return spblasSpGEAM(l->handle, N, N, l->bytes[0], l->s[0], l->bytes[1], l->s[1],
                        l->s[2], l->compute, SPBLAS_SPGEAM_ALG1, l->d, NULL);
}

static void
check(const lab *l, uint64_t k)
{
    places a = places_of(&l->m[0]), b = places_of(&l->m[1]), c = places_of(&l->m[2]);

    for (int64_t e = 0; e < c.rows * c.cols; e++) {
        const sb_value x = a.value[e], y = b.value[e], s = l->scale[0];
        sb_value want = {0, 0};

        if (a.stored[e] && (s.re != 0 || s.im != 0))
            want = (sb_value){s.re * x.re - s.im * x.im, s.re * x.im + s.im * x.re};
        if (b.stored[e] && l->scale[1].re != 0) {
            want.re += l->scale[1].re * y.re;
            want.im += l->scale[1].re * y.im;
        }
        if (c.stored[e] != (a.stored[e] || b.stored[e]) ||
            (c.stored[e] && (c.value[e].re != want.re || c.value[e].im != want.im)))
            fail_msg("case %d, place %d of %d x %d: %g, not %g", (int)k, (int)e,
                     (int)c.rows, (int)c.cols, c.value[e].re, want.re);
    }
    places_free(&a);
    places_free(&b);
    places_free(&c);
}

static void
test_sums(void **state)
{
    (void)state;
    for (uint64_t k = 0; k < 200; k++) {
        lab l = begin(k);
        const bool none_of_a = k % 3 == 1, none_of_b = k % 3 == 2;

        count(&l);
        objects_ok(sum(&l));
        check(&l, k);
        set_scalars(&l, none_of_a ? 0 : 3, none_of_b ? 0 : 1); /* not counted again */
        l.scale[0].im = none_of_a ? 0 : l.scale[0].im;
        sb_value_store(l.m[0].val_type == SB_F16 || l.m[0].val_type == SB_BF16
                           ? SB_F32
                           : l.m[0].val_type,
                       l.bytes[0], 0, l.scale[0]);
        if (none_of_a) /* not read: NaN */
            memset(l.m[0].val, 0xff,
                   (size_t)l.m[0].nnz * sb_dtype_size(l.m[0].val_type));
        objects_ok(sum(&l));
        check(&l, k);
        end(&l);
    }
}

/* Entries that are repeated stay so, unless C would have more than it has places. */
static void
test_repeated_entries(void **state)
{
    static int32_t two[] = {0, 2}, one_entry[] = {0, 1}, at[2], col[] = {0, 0};
    static int32_t last[] = {1};
    static float v[] = {1, 2};
    spblasSpMatDescr_t a, b, other, c;
    spblasSpGEAMDescr_t g;
    int64_t rows, cols, nnz;

    (void)state;
    objects_ok(spblasCreateCsr(&a, 1, 2, 2, two, col, v, I32, I32, Z, F32));
    objects_ok(spblasCreateCsr(&b, 1, 2, 1, one_entry, col, v, I32, I32, Z, F32));
    objects_ok(spblasCreateCsr(&other, 1, 2, 1, one_entry, last, v, I32, I32, Z, F32));
    objects_ok(spblasCreateCsr(&c, 1, 2, 0, at, NULL, NULL, I32, I32, Z, F32));
    objects_ok(spblasSpGEAM_createDescr(&g));
    objects_ok(spblasSpGEAM_nnz(h, N, N, &one, a, &one, b, c, F32, GEAM, g, NULL));
    objects_ok(spblasSpMatGetSize(c, &rows, &cols, &nnz));
    assert_int_equal(nnz, 2);
    assert_int_equal(
        spblasSpGEAM_nnz(h, N, N, &one, a, &one, other, c, F32, GEAM, g, NULL), BAD);
    assert_non_null(strstr(spblasGetLastErrorMessage(h), "argument matC"));
    objects_ok(spblasSpMatGetSize(c, &rows, &cols, &nnz));
    assert_int_equal(nnz, 2);
    objects_ok(spblasSpGEAM_destroyDescr(g));
    objects_ok(spblasDestroySpMat(a));
    objects_ok(spblasDestroySpMat(b));
    objects_ok(spblasDestroySpMat(other));
    objects_ok(spblasDestroySpMat(c));
}

static spblasSpGEAMDescr_t d, no_d;

#define EACH(expect, named, hh, oa, ob, a, b, c, ct, alg, dd)                          \
    TRY(expect, named,                                                                 \
        spblasSpGEAM_bufferSize(hh, oa, ob, &one, a, &one, b, c, ct, alg, dd, &size)); \
    TRY(expect, named,                                                                 \
        spblasSpGEAM_nnz(hh, oa, ob, &one, a, &one, b, c, ct, alg, dd, NULL));         \
    TRY(expect, named, spblasSpGEAM(hh, oa, ob, &one, a, &one, b, c, ct, alg, dd, NULL))

static void
bad_arguments(void)
{
    static int32_t at[4] = {0, 1, 2, 2};
    static int64_t at64[4], idx64[3];
    static float v[3];
    spblasSpMatDescr_t c, c64, wide_index, batch, made;
    spblasFormatDescr_t csr;
    size_t size;

    objects_ok(spblasSpGEAM_createDescr(&d));
    objects_ok(spblasCreateCsr(&c, 3, 4, 3, at, idx, v, I32, I32, Z, F32));
    objects_ok(spblasCreateCsr(&c64, 3, 4, 3, at, idx, wide, I32, I32, Z, F64));
    objects_ok(spblasCreateCsr(&wide_index, 3, 4, 3, at64, idx64, v, I64, I64, Z, F32));
    objects_ok(spblasCreateCsr(&batch, 3, 4, 3, at, idx, v, I32, I32, Z, F32));
    objects_ok(spblasCsrSetStridedBatch(batch, 2, 0, 3));
    objects_ok(spblasCreateFormat(&csr, "csr"));
    objects_ok(spblasConvert(h, A, csr, &made));
    TRY(BAD, "descr", spblasSpGEAM_createDescr(NULL));
    EACH(BAD, "handle", no_h, N, N, A, A, c, F32, GEAM, d);
    EACH(BAD, "opA", h, OP3, N, A, A, c, F32, GEAM, d);
    EACH(BAD, "opB", h, N, OP3, A, A, c, F32, GEAM, d);
    EACH(BAD, "matA", h, N, N, no_sp, A, c, F32, GEAM, d);
    EACH(BAD, "matB", h, N, N, A, no_sp, c, F32, GEAM, d);
    EACH(BAD, "matC", h, N, N, A, A, no_sp, F32, GEAM, d);
    EACH(BAD, "computeType", h, N, N, A, A, c, TYPE9, GEAM, d);
    EACH(BAD, "alg", h, N, N, A, A, c, F32, (spblasSpGEAMAlg_t)2, d);
    EACH(BAD, "spgeamDescr", h, N, N, A, A, c, F32, GEAM, no_d);
    EACH(UNS, "opA", h, T, N, A, A, c, F32, GEAM, d);
    EACH(UNS, "opB", h, N, T, A, A, c, F32, GEAM, d);
    EACH(UNS, "matA", h, N, N, O, A, c, F32, GEAM, d);
    EACH(UNS, "matB", h, N, N, A, R, c, F32, GEAM, d);
    EACH(UNS, "matC", h, N, N, A, A, O, F32, GEAM, d);
    EACH(UNS, "matC", h, N, N, A, A, made, F32, GEAM, d);
    EACH(BAD, "matB", h, N, N, A, S, c, F32, GEAM, d);
    EACH(BAD, "matC", h, N, N, A, A, S, F32, GEAM, d);
    EACH(UNS, "matB", h, N, N, A, batch, c, F32, GEAM, d);
    EACH(UNS, "matA", h, N, N, H16, A, c, F32, GEAM, d);
    EACH(UNS, "matB", h, N, N, A, wide_index, c, F32, GEAM, d);
    EACH(UNS, "matC", h, N, N, A, A, c64, F32, GEAM, d);
    EACH(UNS, "computeType", h, N, N, A, A, c, F64, GEAM, d);
    TRY(BAD, "bufferSize",
        spblasSpGEAM_bufferSize(h, N, N, &one, A, &one, A, c, F32, GEAM, d, NULL));
    TRY(BAD, "alpha", spblasSpGEAM(h, N, N, NULL, A, &one, A, c, F32, GEAM, d, NULL));
    TRY(BAD, "beta", spblasSpGEAM(h, N, N, &one, A, NULL, A, c, F32, GEAM, d, NULL));
    TRY(BAD, "matC", spblasSpGEAM(h, N, N, &one, A, &one, A, c, F32, GEAM, d, NULL));
    objects_ok(spblasDestroyFormat(csr));
    objects_ok(spblasDestroySpMat(c));
    objects_ok(spblasDestroySpMat(c64));
    objects_ok(spblasDestroySpMat(wide_index));
    objects_ok(spblasDestroySpMat(batch));
    objects_ok(spblasDestroySpMat(made));
    objects_ok(spblasSpGEAM_destroyDescr(d));
    objects_ok(spblasSpGEAM_destroyDescr(NULL));
}
OBJECTS_CASE(test_bad_arguments, bad_arguments)

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sums),
        cmocka_unit_test(test_repeated_entries),
        cmocka_unit_test(test_bad_arguments),
    };

    return cmocka_run_group_tests(tests, objects_make, objects_end);
}
