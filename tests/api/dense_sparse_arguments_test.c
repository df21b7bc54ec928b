/*
 * Dense to sparse and back against every bad argument, one line each.
 */
#include "objects.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#define SA SPBLAS_SPARSETODENSE_ALG_DEFAULT
#define DA SPBLAS_DENSETOSPARSE_ALG_DEFAULT
#define SA1 ((spblasSparseToDenseAlg_t)1)
#define DA1 ((spblasDenseToSparseAlg_t)1)

static size_t bytes;
static spblasDnMatDescr_t M, M64, bare, many;
static spblasSpMatDescr_t bare_csr, bare_coo;

/* A, O and the others here are 3 x 4. */
static void
make(void)
{
    objects_ok(spblasCreateDnMat(&M, 3, 4, 4, dense, F32, ROW));
    objects_ok(spblasCreateDnMat(&M64, 3, 4, 4, wide, F64, ROW));
    objects_ok(spblasCreateDnMat(&bare, 3, 4, 4, NULL, F32, ROW));
    objects_ok(spblasCreateDnMat(&many, 3, 4, 4, dense, F32, ROW));
    objects_ok(spblasDnMatSetStridedBatch(many, 2, 12));
    objects_ok(spblasCreateCsr(&bare_csr, 3, 4, 3, NULL, NULL, NULL, I32, I32, Z, F32));
    objects_ok(spblasCreateCoo(&bare_coo, 3, 4, 3, NULL, NULL, NULL, I32, Z, F32));
}

static void
end(void)
{
    objects_ok(spblasDestroyDnMat(M));
    objects_ok(spblasDestroyDnMat(M64));
    objects_ok(spblasDestroyDnMat(bare));
    objects_ok(spblasDestroyDnMat(many));
    objects_ok(spblasDestroySpMat(bare_csr));
    objects_ok(spblasDestroySpMat(bare_coo));
}

/* Through all functions of the routine. */
#define TO_DENSE(expect, named, hh, a, b, alg)                                 \
    TRY(expect, named, spblasSparseToDense_bufferSize(hh, a, b, alg, &bytes)); \
    TRY(expect, named, spblasSparseToDense(hh, a, b, alg, NULL))
#define TO_SPARSE(expect, named, hh, a, b, alg)                                \
    TRY(expect, named, spblasDenseToSparse_bufferSize(hh, a, b, alg, &bytes)); \
    TRY(expect, named, spblasDenseToSparse_analysis(hh, a, b, alg, NULL));     \
    TRY(expect, named, spblasDenseToSparse_convert(hh, a, b, alg, NULL))

static void
to_dense(void)
{
    TO_DENSE(BAD, "handle", no_h, A, M, SA);
    TO_DENSE(BAD, "matA", h, no_sp, M, SA);
    TO_DENSE(BAD, "matB", h, A, no_dm, SA);
    TO_DENSE(BAD, "alg", h, A, M, SA1);
    TO_DENSE(BAD, "matB", h, A, B, SA);
    TO_DENSE(BAD, "matB", h, R, M, SA);
    TO_DENSE(UNS, "matA", h, H16, M, SA);
    TO_DENSE(UNS, "matB", h, A, M64, SA);
    TO_DENSE(UNS, "matB", h, A, many, SA);
    objects_ok(spblasCsrSetStridedBatch(A, 2, 0, 0));
    TO_DENSE(UNS, "matA", h, A, M, SA);
    objects_ok(spblasCsrSetStridedBatch(A, 1, 0, 0));
    TRY(BAD, "bufferSize", spblasSparseToDense_bufferSize(h, A, M, SA, NULL));
    TRY(BAD, "matA", spblasSparseToDense(h, bare_csr, M, SA, NULL));
    TRY(BAD, "matA", spblasSparseToDense(h, bare_coo, M, SA, NULL));
    TRY(BAD, "matB", spblasSparseToDense(h, A, bare, SA, NULL));
}

static void
to_sparse(void)
{
    TO_SPARSE(BAD, "handle", no_h, M, A, DA);
    TO_SPARSE(BAD, "matA", h, no_dm, A, DA);
    TO_SPARSE(BAD, "matB", h, M, no_sp, DA);
    TO_SPARSE(BAD, "alg", h, M, A, DA1);
    TO_SPARSE(BAD, "matA", h, B, A, DA);
    TO_SPARSE(UNS, "matB", h, M, H16, DA);
    TO_SPARSE(UNS, "matA", h, M64, A, DA);
    TO_SPARSE(UNS, "matA", h, many, A, DA);
    TRY(BAD, "bufferSize", spblasDenseToSparse_bufferSize(h, M, A, DA, NULL));
    TRY(BAD, "matB", spblasDenseToSparse_analysis(h, M, bare_csr, DA, NULL));
    TRY(BAD, "matB", spblasDenseToSparse_convert(h, M, bare_csr, DA, NULL));
    TRY(BAD, "matB", spblasDenseToSparse_convert(h, M, bare_coo, DA, NULL));
    TRY(BAD, "matA", spblasDenseToSparse_analysis(h, bare, A, DA, NULL));
    TRY(BAD, "matA", spblasDenseToSparse_convert(h, bare, A, DA, NULL));
}

/* Formats that cannot be a target, and a batch. */
static void
targets(void)
{
    spblasDnMatDescr_t six;
    spblasFormatDescr_t f;
    spblasSpMatDescr_t made;

    objects_ok(spblasCreateDnMat(&six, 6, 8, 8, dense, F32, ROW));
    TO_SPARSE(UNS, "matB", h, six, Q, DA);
    objects_ok(spblasCreateBlockedEll(&made, 6, 8, 2, 4, NULL, val, I32, Z, F32));
    TRY(BAD, "matB", spblasDenseToSparse_convert(h, six, made, DA, NULL));
    objects_ok(spblasDestroySpMat(made));
    objects_ok(
        spblasCreateSlicedEll(&made, 6, 8, 3, 6, 3, ptr, idx, val, I32, I32, Z, F32));
    TO_SPARSE(UNS, "matB", h, six, made, DA);
    objects_ok(spblasDestroySpMat(made));
    objects_ok(spblasDestroyDnMat(six));
    objects_ok(spblasCreateFormat(&f, "csr"));
    objects_ok(spblasConvert(h, A, f, &made));
    TO_SPARSE(UNS, "matB", h, M, made, DA);
    objects_ok(spblasDestroySpMat(made));
    objects_ok(spblasDestroyFormat(f));
    objects_ok(spblasCsrSetStridedBatch(A, 2, 0, 0));
    TO_SPARSE(UNS, "matB", h, M, A, DA);
    objects_ok(spblasCsrSetStridedBatch(A, 1, 0, 0));
}

#define DENSE_CASE(fill)                 \
    static void try_##fill(void **state) \
    {                                    \
        (void)state;                     \
        make();                          \
        fill();                          \
        objects_judge();                 \
        end();                           \
    }

DENSE_CASE(to_dense)
DENSE_CASE(to_sparse)
DENSE_CASE(targets)

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(try_to_dense),
        cmocka_unit_test(try_to_sparse),
        cmocka_unit_test(try_targets),
    };

    return cmocka_run_group_tests(tests, objects_make, objects_end);
}
