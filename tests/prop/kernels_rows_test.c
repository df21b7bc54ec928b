/*
 * SpMV by products whose sums are taken sixteen rows at a time (prod, tile 4) and by groups whose
 * vectors go on from row to row (seg, unroll 4): lengths on both sides of every step, rows that go
 * alone, groups that leave the buffer by 64 rows and by 16, the last rows. Whole numbers, so sums
 * are exact; arrays end where memory does; an infinite element of x stays with the rows that have
 * its column; bits do not depend on the rows beside, of groups on those that follow.
 */
#include "base/macro.h"
#include "cpu/cpu.h"
#include "fence.h"
#include "planner/planner.h"
#include "runtime/backend.h"
#include "team.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { COLS = 97 };

/* What a matrix is made by: rows, and the length of each. */
typedef struct shape {
    int64_t rows;
    int64_t (*length)(int64_t i);
} shape;

/* 0 to 40: every step, and rows that go alone; 64 rows mostly leave the buffer. */
static int64_t
every_length(int64_t i)
{
    return i * 7 % 41;
}

static int64_t
few_entries(int64_t i)
{
    return i * 5 % 7;
}

static int64_t
none(int64_t i)
{
    (void)i;
    return 0;
}

/* Sixteen rows leave the buffer, others behind them do not. */
static int64_t
one_heavy(int64_t i)
{
    return i == 70 ? 1500 : i % 16 == 3 ? 90 : i % 3;
}

/* Exactly 1024 entries and one more, from a multiple of a vector on and not. */
static int64_t
brim(int64_t i)
{
    return i < 64    ? 16
           : i < 128 ? 16 + (i == 100)
           : i < 192 ? (i % 64 < 63 ? 15 : 64)
                     : 3;
}

static const shape shapes[] = {
    {203, every_length}, {64, few_entries}, {271, few_entries}, {80, none},
    {191, one_heavy},    {210, brim},       {1, every_length},  {16, every_length}};

static int64_t
column(int64_t i, int64_t q)
{
    return (q * 5 + i * 3) % COLS;
}

static double
value(int64_t i, int64_t q)
{
    return (double)((q + i) % 5 - 2);
}

static double
element(int64_t j)
{
    return (double)(j % 7 - 3);
}

static double
before(int64_t i)
{
    return (double)(i % 9 - 4);
}

/* scale: 1 for exact sums, else what is not exact. */
static void
make(fenced_product *p, const shape *s, sb_dtype type, sb_dtype index, int64_t base,
     double scale)
{
    int64_t nnz = 0, at = 0;

    for (int64_t i = 0; i < s->rows; i++)
        nnz += s->length(i);
    fence_product(p, SB_OP_SPMV, s->rows, COLS, 1, nnz, type, index);
    p->pb.a.base = (int)base;
    put_element(p->ptr.at, index, 0, (double)base);
    for (int64_t i = 0; i < s->rows; i++) {
        for (int64_t q = 0; q < s->length(i); q++, at++) {
            put_element(p->crd.at, index, at, (double)(base + column(i, q)));
            put_element(p->val.at, type, at, scale * value(i, q));
        }
        put_element(p->ptr.at, index, i + 1, (double)(base + at));
        put_element(p->c.at, type, i, before(i));
    }
    for (int64_t j = 0; j < COLS; j++)
        put_element(p->b.at, type, j, scale * element(j));
}

#define PRODUCTS "(plan spmv (part prod) (tile 4))"
#define GROUPS "(plan spmv (part seg) (tile 4) (unroll 4))"

static const char *plans[] = {PRODUCTS, GROUPS};

static void
run(fenced_product *p, const char *text)
{
    const sb_options opt = {.plan = text};
    sb_plan *plan;

    assert_int_equal(sb_plan_create(&plan, &p->pb, &opt, NULL), SB_OK);
    assert_int_equal(sb_execute(plan, &p->pb, NULL), SB_OK);
    sb_plan_release(plan);
}

static double
sum(const shape *s, int64_t i)
{
    double all = 0;

    for (int64_t q = 0; q < s->length(i); q++)
        all += value(i, q) * element(column(i, q));
    return all;
}

static const sb_dtype types[] = {SB_F32, SB_F64};
static const sb_dtype indices[] = {SB_I32, SB_I64};

static void
check(const char *text, const shape *s, sb_dtype type, sb_dtype index, int64_t base,
      double alpha, double beta)
{
    fenced_product p;

    make(&p, s, type, index, base, 1);
    p.pb.alpha.re = alpha;
    p.pb.beta.re = beta;
    if (beta == 0) /* what C holds is not read */
        for (int64_t i = 0; i < s->rows; i++)
            put_element(p.c.at, type, i, NAN);
    run(&p, text);
    for (int64_t i = 0; i < s->rows; i++)
        assert_true(get_element(p.c.at, type, i) ==
                    alpha * sum(s, i) + (beta == 0 ? 0 : beta * before(i)));
    unfence_product(&p);
}

static void
test_sums(void **state)
{
    (void)state;
    for (int k = 0; k < SB_COUNT(shapes) * SB_COUNT(plans); k++)
        for (int t = 0; t < SB_COUNT(types); t++)
            for (int x = 0; x < SB_COUNT(indices); x++)
                for (int64_t base = 0; base < 2; base++) {
                    check(plans[k % 2], &shapes[k / 2], types[t], indices[x], base, 1,
                          0);
                    check(plans[k % 2], &shapes[k / 2], types[t], indices[x], base, -2,
                          3);
                }
}

/* An infinite element of x reaches the rows that have its column, and no other; of these one that
 * has it once is infinite, as it is NaN that a product of nothing with it would be. */
static void
check_infinite(const char *text, const shape *s, sb_dtype type, sb_dtype index,
               int64_t base, int64_t j)
{
    fenced_product p;

    make(&p, s, type, index, base, 1);
    put_element(p.b.at, type, j, INFINITY);
    run(&p, text);
    for (int64_t i = 0; i < s->rows; i++) {
        const double c = get_element(p.c.at, type, i);
        double of = 0;
        int has = 0;

        for (int64_t q = 0; q < s->length(i); q++)
            if (column(i, q) == j) {
                has++;
                of = value(i, q);
            }
        assert_true(has > 0 || c == sum(s, i));
        assert_true(has != 1 || of == 0 || c == of * (double)INFINITY);
    }
    unfence_product(&p);
}

static void
test_infinite(void **state)
{
    (void)state;
    for (int t = 0; t < SB_COUNT(types) * SB_COUNT(plans); t++)
        for (int x = 0; x < SB_COUNT(indices); x++)
            for (int64_t j = 0; j < COLS; j++) {
                check_infinite(plans[t % 2], &shapes[0], types[t / 2], indices[x],
                               j & 1, j);
                check_infinite(plans[t % 2], &shapes[2], types[t / 2], indices[x], 1,
                               j);
            }
}

/* The first rows by themselves, fewer beside them and another end of the buffer. */
static int64_t
moderate(int64_t i)
{
    return i * 11 % 14;
}

static int64_t
moderate_beside_long(int64_t i)
{
    return i % 16 == 15 ? 31 : moderate(i);
}

static void
test_same_bits(void **state)
{
    const shape plain = {128, moderate}, beside = {128, moderate_beside_long};
    fenced_product a, b;

    (void)state;
    for (int k = 0; k < SB_COUNT(types) * SB_COUNT(indices); k++) {
        const sb_dtype type = types[k / 2], index = indices[k % 2];

        make(&a, &plain, type, index, 0, 0.1);
        make(&b, &beside, type, index, 0, 0.1);
        run(&a, PRODUCTS);
        run(&b, PRODUCTS);
        for (int64_t i = 0; i < plain.rows; i++)
            if (i % 16 != 15)
                assert_true(get_element(a.c.at, type, i) ==
                            get_element(b.c.at, type, i));
        unfence_product(&a);
        unfence_product(&b);
    }
}

/* The same rows at the same places of A, others behind them, so that tiles end elsewhere and a
 * group goes on from the one before it or begins. */
static int64_t
moderate_before_long(int64_t i)
{
    return i < 128 ? moderate(i) : i * 13 % 37;
}

static void
test_same_bits_before_others(void **state)
{
    const shape alone = {128, moderate}, few = {203, moderate_before_long},
                many = {4099, moderate_before_long};
    fenced_product a, b, c;

    (void)state;
    for (int k = 0; k < SB_COUNT(types) * SB_COUNT(indices); k++) {
        const sb_dtype type = types[k / 2], index = indices[k % 2];

        make(&a, &alone, type, index, 0, 0.1);
        make(&b, &few, type, index, 0, 0.1);
        make(&c, &many, type, index, 0, 0.1);
        run(&a, GROUPS);
        run(&b, GROUPS);
        run(&c, GROUPS);
        for (int64_t i = 0; i < few.rows - 16; i++) {
            const double of_b = get_element(b.c.at, type, i);

            assert_true(of_b == get_element(c.c.at, type, i));
            assert_true(i >= alone.rows - 16 || of_b == get_element(a.c.at, type, i));
        }
        unfence_product(&a);
        unfence_product(&b);
        unfence_product(&c);
    }
}

/* The same bits where tiles come from the last one to the first, in one call of the kernel, so that
 * none goes on where the one before it ended. */
static void
test_tiles_backwards(void **state)
{
    const shape many = {4099, moderate_before_long};
    const sb_options opt = {.plan = GROUPS};

    (void)state;
    omp_set_num_threads(1);
    for (int k = 0; k < SB_COUNT(types) * SB_COUNT(indices); k++) {
        const sb_dtype type = types[k / 2], index = indices[k % 2];
        fenced_product a, b;
        sb_plan *plan;

        make(&a, &many, type, index, 0, 0.1);
        make(&b, &many, type, index, 0, 0.1);
        run(&a, GROUPS);
        assert_int_equal(sb_plan_create(&plan, &b.pb, &opt, NULL), SB_OK);
        assert_true(plan->ntile > 2);
        for (int64_t q = 0; q < plan->ntile / 2; q++) {
            const sb_tile first = plan->tile[q];

            plan->tile[q] = plan->tile[plan->ntile - 1 - q];
            plan->tile[plan->ntile - 1 - q] = first;
        }
        assert_int_equal(sb_execute(plan, &b.pb, NULL), SB_OK);
        sb_plan_release(plan);
        for (int64_t i = 0; i < many.rows; i++)
            assert_true(get_element(a.c.at, type, i) == get_element(b.c.at, type, i));
        unfence_product(&a);
        unfence_product(&b);
    }
}

static int
start(void **state)
{
    (void)state;
    sb_backend_set(&sb_cpu_backend);
    return 0;
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sums),
        cmocka_unit_test(test_infinite),
        cmocka_unit_test(test_same_bits),
        cmocka_unit_test(test_same_bits_before_others),
        cmocka_unit_test(test_tiles_backwards),
    };

    return cmocka_run_group_tests(tests, start, NULL);
}
