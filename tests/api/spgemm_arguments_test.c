/*
 * SpGEMM and SpGEMMreuse against every bad argument: all calls of a routine, one line for
 * each mistake; then calls out of order, missing arrays, structure that is malformed.
 */
#include "objects.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

#define H SPBLAS_OPERATION_CONJUGATE_TRANSPOSE
#define G SPBLAS_SPGEMM_DEFAULT
#define ALG6 ((spblasSpGEMMAlg_t)6)

static int32_t ptr_b[5] = {0, 1, 2, 3, 4}, idx_b[4] = {0, 1, 0, 1};
static float val_b[4] = {1, 2, 3, 4};
static size_t z1, z2, z3, z4, z5;
static char memory[5][1 << 16];
static spblasSpGEMMDescr_t d, no_d;
static spblasSpMatDescr_t W, P, P64,
    V; /* 4 x 2, products 3 x 2 of f32 and f64, batch */

#define SPGEMM(expect, named, hh, oa, ob, al, a, b, be, c, ct, alg, dd)               \
    TRY(expect, named,                                                                \
        spblasSpGEMM_workEstimation(hh, oa, ob, al, a, b, be, c, ct, alg, dd, &z1,    \
                                    NULL));                                           \
    TRY(expect, named,                                                                \
        spblasSpGEMM_estimateMemory(hh, oa, ob, al, a, b, be, c, ct, alg, dd, 1, &z3, \
                                    NULL, &z2));                                      \
    TRY(expect, named,                                                                \
        spblasSpGEMM_compute(hh, oa, ob, al, a, b, be, c, ct, alg, dd, &z2, NULL));   \
    TRY(expect, named, spblasSpGEMM_copy(hh, oa, ob, al, a, b, be, c, ct, alg, dd));  \
    TRY(expect, named,                                                                \
        spblasSpGEMMreuse_compute(hh, oa, ob, al, a, b, be, c, ct, alg, dd))
#define REUSE(expect, named, hh, oa, ob, a, b, c, alg, dd)                             \
    TRY(expect, named,                                                                 \
        spblasSpGEMMreuse_workEstimation(hh, oa, ob, a, b, c, alg, dd, &z1, NULL));    \
    TRY(expect, named,                                                                 \
        spblasSpGEMMreuse_nnz(hh, oa, ob, a, b, c, alg, dd, &z2, NULL, &z3, NULL, &z4, \
                              NULL));                                                  \
    TRY(expect, named, spblasSpGEMMreuse_copy(hh, oa, ob, a, b, c, alg, dd, &z5, NULL))
#define BOTH(expect, named, hh, oa, ob, a, b, c, alg, dd)                 \
    SPGEMM(expect, named, hh, oa, ob, &one, a, b, &one, c, F32, alg, dd); \
    REUSE(expect, named, hh, oa, ob, a, b, c, alg, dd)

static int
make(void **state)
{
    (void)objects_make(state);
    objects_ok(spblasCreateCsr(&W, 4, 2, 4, ptr_b, idx_b, val_b, I32, I32, Z, F32));
    objects_ok(spblasCreateCsr(&P, 3, 2, 0, NULL, NULL, NULL, I32, I32, Z, F32));
    objects_ok(spblasCreateCsr(&P64, 3, 2, 0, NULL, NULL, NULL, I32, I32, Z, F64));
    objects_ok(spblasCreateCsr(&V, 3, 4, 3, ptr, idx, val, I32, I32, Z, F32));
    objects_ok(spblasCsrSetStridedBatch(V, 2, 0, 3));
    objects_ok(spblasSpGEMM_createDescr(&d));
    return 0;
}

static int
end(void **state)
{
    objects_ok(spblasSpGEMM_destroyDescr(d));
    objects_ok(spblasDestroySpMat(W));
    objects_ok(spblasDestroySpMat(P));
    objects_ok(spblasDestroySpMat(P64));
    objects_ok(spblasDestroySpMat(V));
    return objects_end(state);
}

static void
one_by_one(void)
{
    int64_t products;

    BOTH(BAD, "handle", no_h, N, N, A, W, P, G, d);
    BOTH(BAD, "opA", h, OP3, N, A, W, P, G, d);
    BOTH(BAD, "opB", h, N, OP3, A, W, P, G, d);
    BOTH(UNS, "opA", h, T, N, A, W, P, G, d);
    BOTH(UNS, "opB", h, N, H, A, W, P, G, d);
    BOTH(BAD, "matA", h, N, N, no_sp, W, P, G, d);
    BOTH(BAD, "matB", h, N, N, A, no_sp, P, G, d);
    BOTH(BAD, "matC", h, N, N, A, W, no_sp, G, d);
    BOTH(BAD, "alg", h, N, N, A, W, P, ALG6, d);
    BOTH(BAD, "spgemmDescr", h, N, N, A, W, P, G, no_d);
    BOTH(UNS, "matA", h, N, N, O, W, P, G, d);
    BOTH(UNS, "matB", h, N, N, A, Q, P, G, d);
    BOTH(UNS, "matC", h, N, N, A, W, R, G, d);
    BOTH(BAD, "matB", h, N, N, A, A, P, G, d);
    BOTH(BAD, "matC", h, N, N, A, W, W, G, d);
    BOTH(UNS, "matA", h, N, N, H16, W, P, G, d);
    BOTH(UNS, "matA", h, N, N, V, W, P, G, d);
    BOTH(UNS, "matC", h, N, N, A, W, P64, G, d);
    SPGEMM(BAD, "computeType", h, N, N, &one, A, W, &one, P, TYPE9, G, d);
    SPGEMM(UNS, "computeType", h, N, N, &one, A, W, &one, P, F64, G, d);
    TRY(BAD, "alpha", spblasSpGEMM_copy(h, N, N, NULL, A, W, &one, P, F32, G, d));
    TRY(BAD, "beta", spblasSpGEMM_copy(h, N, N, &one, A, W, NULL, P, F32, G, d));
    TRY(BAD, "alpha",
        spblasSpGEMMreuse_compute(h, N, N, NULL, A, W, &one, P, F32, G, d));
    TRY(BAD, "beta",
        spblasSpGEMMreuse_compute(h, N, N, &one, A, W, NULL, P, F32, G, d));
    TRY(BAD, "descr", spblasSpGEMM_createDescr(NULL));
    TRY(BAD, "descr", spblasSpGEMM_destroyDescr((spblasSpGEMMDescr_t)h));
    TRY(BAD, "spgemmDescr", spblasSpGEMM_getNumProducts(no_d, &products));
    TRY(BAD, "num_prods", spblasSpGEMM_getNumProducts(d, NULL));
}

#define WORK(size, buffer) \
    spblasSpGEMM_workEstimation(h, N, N, &one, A, W, &one, P, F32, G, d, size, buffer)
#define MEMORY(part, s3, b3, s2)                                                       \
    spblasSpGEMM_estimateMemory(h, N, N, &one, A, W, &one, P, F32, G, d, part, s3, b3, \
                                s2)
#define COUNT(size, buffer) \
    spblasSpGEMM_compute(h, N, N, &one, A, W, &one, P, F32, G, d, size, buffer)
#define COPY() spblasSpGEMM_copy(h, N, N, &one, A, W, &one, P, F32, G, d)
#define REUSE_WORK(size, buffer) \
    spblasSpGEMMreuse_workEstimation(h, N, N, A, W, P, G, d, size, buffer)
#define REUSE_COUNT(s2, s3, s4, buffer)                           \
    spblasSpGEMMreuse_nnz(h, N, N, A, W, P, G, d, s2, buffer, s3, \
                          buffer ? memory[2] : NULL, s4, buffer ? memory[3] : NULL)
#define REUSE_COPY(size, buffer) \
    spblasSpGEMMreuse_copy(h, N, N, A, W, P, G, d, size, buffer)
#define REUSE_VALUES() \
    spblasSpGEMMreuse_compute(h, N, N, &one, A, W, &one, P, F32, G, d)

/* Every step wants the one before, of its own routine. */
static void
order_of_calls(void)
{
    int32_t ptr_c[4], idx_c[6];
    float val_c[6] = {0};

    TRY(BAD, "bufferSize1", WORK(NULL, NULL));
    TRY(BAD, "spgemmDescr", MEMORY(1, &z3, NULL, &z2));
    TRY(BAD, "spgemmDescr", COUNT(&z2, NULL));
    TRY(BAD, "spgemmDescr", COPY());
    TRY(BAD, "bufferSize1", REUSE_WORK(NULL, NULL));
    TRY(BAD, "spgemmDescr", REUSE_COUNT(&z2, &z3, &z4, NULL));
    objects_ok(WORK(&z1, NULL));
    TRY(BAD, "spgemmDescr", COUNT(&z2, NULL));
    objects_ok(WORK(&z1, memory[0]));
    TRY(BAD, "chunk_fraction", MEMORY(0, &z3, NULL, &z2));
    TRY(BAD, "chunk_fraction", MEMORY(1.5f, &z3, NULL, &z2));
    TRY(BAD, "bufferSize3", MEMORY(1, NULL, NULL, &z2));
    TRY(BAD, "bufferSize2", MEMORY(1, &z3, memory[3], NULL));
    assert_int_equal(MEMORY(1, &z3, NULL, NULL), SPBLAS_STATUS_SUCCESS);
    TRY(BAD, "bufferSize2", COUNT(NULL, NULL));
    TRY(BAD, "spgemmDescr", COPY());
    TRY(BAD, "spgemmDescr", REUSE_COUNT(&z2, &z3, &z4, NULL));
    objects_ok(COUNT(&z2, NULL));
    objects_ok(COUNT(&z2, memory[1]));
    TRY(BAD, "matC", COPY()); /* has no arrays */
    objects_ok(spblasCsrSetPointers(P, ptr_c, idx_c, NULL));
    TRY(BAD, "matC", COPY()); /* has no values */
    objects_ok(spblasCsrSetPointers(P, ptr_c, idx_c, val_c));
    TRY(BAD, "spgemmDescr", REUSE_VALUES());
    objects_ok(COPY());
    objects_ok(REUSE_WORK(&z1, NULL));
    objects_ok(REUSE_WORK(&z1, memory[0]));
    TRY(BAD, "spgemmDescr", COUNT(&z2, memory[1]));
    TRY(BAD, "bufferSize2", REUSE_COUNT(NULL, &z3, &z4, NULL));
    TRY(BAD, "bufferSize3", REUSE_COUNT(&z2, NULL, &z4, NULL));
    TRY(BAD, "bufferSize4", REUSE_COUNT(&z2, &z3, NULL, NULL));
    TRY(BAD, "spgemmDescr", REUSE_COPY(&z5, NULL));
    objects_ok(REUSE_COUNT(&z2, &z3, &z4, NULL));
    z3 = 64;
    TRY(11, "bufferSize3", REUSE_COUNT(&z2, &z3, &z4, memory[1]));
    objects_ok(REUSE_COUNT(&z2, &z3, &z4, NULL));
    objects_ok(REUSE_COUNT(&z2, &z3, &z4, memory[1]));
    TRY(BAD, "bufferSize5", REUSE_COPY(NULL, NULL));
    TRY(BAD, "spgemmDescr", REUSE_VALUES());
    objects_ok(REUSE_COPY(&z5, NULL));
    objects_ok(REUSE_COPY(&z5, memory[4]));
    objects_ok(REUSE_VALUES());
    objects_ok(spblasSpMatSetValues(A, NULL));
    TRY(BAD, "matA", REUSE_VALUES());
    objects_ok(spblasSpMatSetValues(A, val));
    objects_ok(spblasSpMatSetValues(W, NULL));
    TRY(BAD, "matB", REUSE_VALUES());
    objects_ok(spblasSpMatSetValues(W, val_b));
}

/* Other sizes than before, and structure that is missing or wrong. */
static void
operands_stay(void)
{
    static int32_t ptr_short[5] = {0, 1, 2, 3, 3}, far[3] = {0, 4, 1};
    const int yes = 1;
    spblasSpMatDescr_t fewer, bare, wrong;

    objects_ok(
        spblasCreateCsr(&fewer, 4, 2, 3, ptr_short, idx_b, val_b, I32, I32, Z, F32));
    objects_ok(spblasCreateCsr(&bare, 3, 4, 3, NULL, NULL, NULL, I32, I32, Z, F32));
    objects_ok(spblasCreateCsr(&wrong, 3, 4, 3, ptr, far, val, I32, I32, Z, F32));
    objects_ok(spblasSpMatSetAttribute(wrong, SPBLAS_SPMAT_VALIDATE, &yes, sizeof yes));
    objects_ok(WORK(&z1, memory[0]));
    TRY(BAD, "matB",
        spblasSpGEMM_compute(h, N, N, &one, A, fewer, &one, P, F32, G, d, &z2, NULL));
    TRY(BAD, "matA",
        spblasSpGEMM_compute(h, N, N, &one, bare, W, &one, P, F32, G, d, &z2, NULL));
    TRY(BAD, "malformed",
        spblasSpGEMM_workEstimation(h, N, N, &one, wrong, W, &one, P, F32, G, d, &z1,
                                    memory[0]));
    TRY(BAD, "spgemmDescr", COUNT(&z2, NULL));
    objects_judge();
    objects_ok(spblasDestroySpMat(fewer));
    objects_ok(spblasDestroySpMat(bare));
    objects_ok(spblasDestroySpMat(wrong));
}

OBJECTS_CASE(bad_arguments, one_by_one)
OBJECTS_CASE(calls_out_of_order, order_of_calls)
OBJECTS_CASE(other_operands, operands_stay)

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bad_arguments),
        cmocka_unit_test(calls_out_of_order),
        cmocka_unit_test(other_operands),
    };

    return cmocka_run_group_tests(tests, make, end);
}
