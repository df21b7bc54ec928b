/*
 * Sparse vectors and their operations against every bad argument, one line each.
 */
#include "call.h"
#include "objects.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static spblasSpVecDescr_t v, v16, v64, v_bare, no_v;
static spblasConstSpVecDescr_t no_cv;
static spblasDnVecDescr_t bare, opaque;
static spblasSpVecDescr_t v_opaque;
static float result;
static double both[2];

static int64_t i0, i1;
static void *p0, *p1;
static const void *q0, *q1;
static spblasIndexType_t t0;
static spblasIndexBase_t ib;
static spblasDataType_t dt;
static size_t bytes;

#define WHOLE SPBLAS_R_32I

static void
make(void)
{
    objects_ok(spblasCreateSpVec(&v, 4, 3, idx, val, I32, Z, F32));
    objects_ok(spblasCreateSpVec(&v16, 4, 3, idx, val, U16, Z, F32));
    objects_ok(spblasCreateSpVec(&v64, 4, 3, idx, wide, I32, Z, F64));
    objects_ok(spblasCreateSpVec(&v_bare, 4, 3, NULL, NULL, I32, Z, F32));
    objects_ok(spblasCreateSpVec(&v_opaque, 4, 3, idx, val, I32, Z, WHOLE));
    objects_ok(spblasCreateDnVec(&bare, 4, NULL, F32));
    objects_ok(spblasCreateDnVec(&opaque, 4, dense, WHOLE));
}

static void
end(void)
{
    objects_ok(spblasDestroySpVec(v));
    objects_ok(spblasDestroySpVec(v16));
    objects_ok(spblasDestroySpVec(v64));
    objects_ok(spblasDestroySpVec(v_bare));
    objects_ok(spblasDestroySpVec(v_opaque));
    objects_ok(spblasDestroyDnVec(bare));
    objects_ok(spblasDestroyDnVec(opaque));
}

static void
creation(void)
{
    TRY(BAD, "spVecDescr", spblasCreateSpVec(NULL, 4, 3, idx, val, I32, Z, F32));
    TRY(BAD, "size", spblasCreateSpVec(&no_v, -1, 3, idx, val, I32, Z, F32));
    TRY(BAD, "nnz", spblasCreateSpVec(&no_v, 4, -1, idx, val, I32, Z, F32));
    TRY(BAD, "nnz", spblasCreateSpVec(&no_v, 4, 5, idx, val, I32, Z, F32));
    TRY(BAD, "size", spblasCreateSpVec(&no_v, INT32_MAX, 3, idx, val, I32, ONE, F32));
    TRY(BAD, "nnz",
        spblasCreateSpVec(&no_v, MAX - 1, MAX / 4, NULL, NULL, I64, Z, F32));
    TRY(BAD, "idxType",
        spblasCreateSpVec(&no_v, 4, 3, idx, val, (spblasIndexType_t)0, Z, F32));
    TRY(BAD, "idxBase",
        spblasCreateSpVec(&no_v, 4, 3, idx, val, I32, (spblasIndexBase_t)2, F32));
    TRY(BAD, "valueType", spblasCreateSpVec(&no_v, 4, 3, idx, val, I32, Z, TYPE9));
    TRY(BAD, "indices", spblasCreateSpVec(&no_v, 4, 3, odd, val, I32, Z, F32));
    TRY(BAD, "values", spblasCreateSpVec(&no_v, 4, 3, idx, odd, I32, Z, F32));
    TRY(BAD, "spVecDescr", spblasCreateConstSpVec(NULL, 4, 3, idx, val, I32, Z, F32));
    TRY(BAD, "nnz", spblasCreateConstSpVec(&no_cv, 4, 5, idx, val, I32, Z, F32));
    TRY(BAD, "spVecDescr", spblasDestroySpVec((spblasConstSpVecDescr_t)(void *)x));
}

static void
access(void)
{
    TRY(BAD, "spVecDescr", spblasSpVecGet(no_v, &i0, &i1, &p0, &p1, &t0, &ib, &dt));
    TRY(BAD, "output", spblasSpVecGet(v, NULL, &i1, &p0, &p1, &t0, &ib, &dt));
    TRY(BAD, "output", spblasSpVecGet(v, &i0, NULL, &p0, &p1, &t0, &ib, &dt));
    TRY(BAD, "output", spblasSpVecGet(v, &i0, &i1, NULL, &p1, &t0, &ib, &dt));
    TRY(BAD, "output", spblasSpVecGet(v, &i0, &i1, &p0, NULL, &t0, &ib, &dt));
    TRY(BAD, "output", spblasSpVecGet(v, &i0, &i1, &p0, &p1, NULL, &ib, &dt));
    TRY(BAD, "output", spblasSpVecGet(v, &i0, &i1, &p0, &p1, &t0, NULL, &dt));
    TRY(BAD, "output", spblasConstSpVecGet(v, &i0, &i1, &q0, &q1, &t0, &ib, NULL));
    TRY(BAD, "spVecDescr", spblasSpVecGetIndexBase(no_v, &ib));
    TRY(BAD, "output", spblasSpVecGetIndexBase(v, NULL));
    TRY(BAD, "spVecDescr", spblasSpVecGetValues(no_v, &p0));
    TRY(BAD, "output", spblasSpVecGetValues(v, NULL));
    TRY(BAD, "output", spblasConstSpVecGetValues(v, NULL));
    TRY(BAD, "spVecDescr", spblasSpVecSetValues(no_v, val));
    TRY(BAD, "values", spblasSpVecSetValues(v, odd));
}

/* x has 4 elements as v, y has 3. */
static void
operations(void)
{
    TRY(BAD, "handle", spblasAxpby(no_h, &one, v, &one, x));
    TRY(BAD, "alpha", spblasAxpby(h, NULL, v, &one, x));
    TRY(BAD, "vecX", spblasAxpby(h, &one, no_v, &one, x));
    TRY(BAD, "beta", spblasAxpby(h, &one, v, NULL, x));
    TRY(BAD, "vecY", spblasAxpby(h, &one, v, &one, no_dv));
    TRY(BAD, "vecY", spblasAxpby(h, &one, v, &one, y));
    TRY(UNS, "vecX", spblasAxpby(h, &one, v16, &one, x));
    TRY(UNS, "vecY", spblasAxpby(h, &one, v64, &one, x));
    TRY(UNS, "vecX", spblasAxpby(h, both, v_opaque, both, opaque));
    TRY(BAD, "vecX", spblasAxpby(h, &one, v_bare, &one, x));
    TRY(BAD, "vecY", spblasAxpby(h, &one, v, &one, bare));
    TRY(BAD, "handle", spblasGather(no_h, x, v));
    TRY(BAD, "vecY", spblasGather(h, no_dv, v));
    TRY(BAD, "vecX", spblasGather(h, x, no_v));
    TRY(BAD, "vecY", spblasGather(h, y, v));
    TRY(UNS, "vecX", spblasGather(h, x, v16));
    TRY(UNS, "vecY", spblasGather(h, x, v64));
    TRY(BAD, "vecX", spblasGather(h, x, v_bare));
    TRY(BAD, "vecY", spblasGather(h, bare, v));
    TRY(BAD, "handle", spblasScatter(no_h, v, x));
    TRY(BAD, "vecX", spblasScatter(h, no_v, x));
    TRY(BAD, "vecY", spblasScatter(h, v, no_dv));
    TRY(BAD, "vecY", spblasScatter(h, v, y));
    TRY(UNS, "vecX", spblasScatter(h, v16, x));
    TRY(UNS, "vecY", spblasScatter(h, v64, x));
    TRY(BAD, "handle", spblasRot(no_h, &one, &one, v, x));
    TRY(BAD, "c_coeff", spblasRot(h, NULL, &one, v, x));
    TRY(BAD, "s_coeff", spblasRot(h, &one, NULL, v, x));
    TRY(BAD, "vecX", spblasRot(h, &one, &one, no_v, x));
    TRY(BAD, "vecY", spblasRot(h, &one, &one, v, no_dv));
    TRY(BAD, "vecY", spblasRot(h, &one, &one, v, y));
    TRY(UNS, "vecX", spblasRot(h, both, both, v_opaque, opaque));
}

/* Every argument but the result and the size, through both functions. */
#define SPVV(expect, named, hh, op, xx, yy, ct)                                     \
    TRY(expect, named, spblasSpVV_bufferSize(hh, op, xx, yy, &result, ct, &bytes)); \
    TRY(expect, named, spblasSpVV(hh, op, xx, yy, &result, ct, NULL))

static void
products(void)
{
    SPVV(BAD, "handle", no_h, N, v, x, F32);
    SPVV(BAD, "opX", h, OP3, v, x, F32);
    SPVV(BAD, "vecX", h, N, no_v, x, F32);
    SPVV(BAD, "vecY", h, N, v, no_dv, F32);
    SPVV(BAD, "vecY", h, N, v, y, F32);
    SPVV(BAD, "computeType", h, N, v, x, TYPE9);
    SPVV(UNS, "computeType", h, N, v, x, F64);
    SPVV(UNS, "computeType", h, N, v_opaque, opaque, F32);
    SPVV(UNS, "vecX", h, N, v16, x, F32);
    SPVV(UNS, "vecY", h, N, v64, x, F32);
    TRY(BAD, "bufferSize", spblasSpVV_bufferSize(h, N, v, x, &result, F32, NULL));
    TRY(BAD, "result", spblasSpVV(h, N, v, x, NULL, F32, NULL));
    TRY(BAD, "vecX", spblasSpVV(h, N, v_bare, x, &result, F32, NULL));
    TRY(BAD, "vecY", spblasSpVV(h, N, v, bare, &result, F32, NULL));
}

#define VECTORS_CASE(fill)               \
    static void try_##fill(void **state) \
    {                                    \
        (void)state;                     \
        make();                          \
        fill();                          \
        objects_judge();                 \
        assert_null(no_v);               \
        assert_null(no_cv);              \
        end();                           \
    }

VECTORS_CASE(creation)
VECTORS_CASE(access)
VECTORS_CASE(operations)
VECTORS_CASE(products)

/* What is not refused: NULL arrays that nobody reads, no arrays at all, any type's copy. */
static void
legal_oddities(void **state)
{
    spblasSpVecDescr_t none;
    spblasDnVecDescr_t nothing;

    (void)state;
    make();
    objects_ok(spblasSpVV_bufferSize(h, N, v_bare, bare, NULL, F32, &bytes));
    call_wants_no_buffer(bytes);
    objects_ok(spblasGather(h, opaque, v_opaque));
    objects_ok(spblasScatter(h, v_opaque, opaque));
    objects_ok(spblasCreateSpVec(&none, 0, 0, NULL, NULL, I64, ONE, F32));
    objects_ok(spblasCreateDnVec(&nothing, 0, NULL, F32));
    result = 7.0f;
    objects_ok(spblasSpVV(h, N, none, nothing, &result, F32, NULL));
    assert_true(result == 0.0f);
    objects_ok(spblasAxpby(h, &one, none, &one, nothing));
    objects_ok(spblasGather(h, nothing, none));
    objects_ok(spblasScatter(h, none, nothing));
    objects_ok(spblasRot(h, &one, &one, none, nothing));
    objects_ok(spblasDestroySpVec(none));
    objects_ok(spblasDestroyDnVec(nothing));
    objects_ok(spblasDestroySpVec(NULL));
    end();
}

/* A descriptor says what it was made with. */
static void
getters_answer(void **state)
{
    (void)state;
    make();
    objects_ok(spblasSpVecGet(v64, &i0, &i1, &p0, &p1, &t0, &ib, &dt));
    assert_int_equal(i0, 4);
    assert_int_equal(i1, 3);
    assert_ptr_equal(p0, idx);
    assert_ptr_equal(p1, wide);
    assert_int_equal(t0, I32);
    assert_int_equal(ib, Z);
    assert_int_equal(dt, F64);
    objects_ok(spblasSpVecSetValues(v64, both));
    objects_ok(spblasConstSpVecGet(v64, &i0, &i1, &q0, &q1, &t0, &ib, &dt));
    assert_ptr_equal(q0, idx);
    assert_ptr_equal(q1, both);
    objects_ok(spblasSpVecGetValues(v64, &p1));
    assert_ptr_equal(p1, both);
    ib = ONE;
    objects_ok(spblasSpVecGetIndexBase(v64, &ib));
    assert_int_equal(ib, Z);
    end();
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(try_creation),   cmocka_unit_test(try_access),
        cmocka_unit_test(try_operations), cmocka_unit_test(try_products),
        cmocka_unit_test(legal_oddities), cmocka_unit_test(getters_answer),
    };

    return cmocka_run_group_tests(tests, objects_make, objects_end);
}
