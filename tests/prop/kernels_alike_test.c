/*
 * ctest-labels: quick
 *
 * SpMV along diagonals of rows that follow each other (alike): rows of every length, runs of
 * every length, alone and beside each other, columns in any order. Whole numbers, so sums are
 * exact; arrays end where memory does; an infinite element of x stays with the rows that have its
 * column; and which rows are groups.
 */
#include "base/macro.h"
#include "cpu/cpu.h"
#include "fence.h"
#include "formats/part.h"
#include "planner/planner.h"
#include "runtime/backend.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { LONGEST = 20 };

/* Runs of `run` rows of `length` entries, the q-th in column step * q of the run's first row and
 * one further in each; between two runs `loose` rows of other columns. `more`: columns that the
 * last row leaves behind its own. */
typedef struct shape {
    int64_t rows, run, loose, length, step, more;
    bool falling; /* columns of a row */
} shape;

static int64_t
length(const shape *s, int64_t i)
{
    const int64_t in = i % (s->run + s->loose);

    return in < s->run ? s->length : (s->length + in) % (LONGEST / 2);
}

static int64_t
column(const shape *s, int64_t i, int64_t q)
{
    const int64_t period = s->run + s->loose, in = i % period;
    const int64_t p = s->falling ? length(s, i) - 1 - q : q;

    if (in >= s->run) /* no two such rows follow each other */
        return (p * 3 + (in % 2 ? 0 : 2 * s->run)) % (s->step * LONGEST + s->run);
    return s->step * p + in;
}

static int64_t
columns(const shape *s)
{
    int64_t most = 0;

    for (int64_t i = 0; i < s->rows; i++)
        for (int64_t q = 0; q < length(s, i); q++)
            most = column(s, i, q) > most ? column(s, i, q) : most;
    return most + 1 + s->more;
}

static double
value(int64_t i, int64_t q)
{
    return (double)((q * 3 + i) % 7 - 3);
}

static double
element(int64_t j)
{
    return (double)(j % 11 - 5);
}

static double
before(int64_t i)
{
    return (double)(i % 9 - 4);
}

static void
make(fenced_product *p, const shape *s, sb_dtype type, sb_dtype index, int64_t base)
{
    const int64_t cols = columns(s);
    int64_t nnz = 0, at = 0;

    for (int64_t i = 0; i < s->rows; i++)
        nnz += length(s, i);
    fence_product(p, SB_OP_SPMV, s->rows, cols, 1, nnz, type, index);
    p->pb.a.base = (int)base;
    put_element(p->ptr.at, index, 0, (double)base);
    for (int64_t i = 0; i < s->rows; i++) {
        for (int64_t q = 0; q < length(s, i); q++, at++) {
            put_element(p->crd.at, index, at, (double)(base + column(s, i, q)));
            put_element(p->val.at, type, at, value(i, q));
        }
        put_element(p->ptr.at, index, i + 1, (double)(base + at));
        put_element(p->c.at, type, i, before(i));
    }
    for (int64_t j = 0; j < cols; j++)
        put_element(p->b.at, type, j, element(j));
}

static void
run(fenced_product *p)
{
    const sb_options opt = {.plan = "(plan spmv (part alike))"};
    sb_plan *plan;

    assert_int_equal(sb_plan_create(&plan, &p->pb, &opt, NULL), SB_OK);
    assert_int_equal(sb_execute(plan, &p->pb, NULL), SB_OK);
    sb_plan_release(plan);
}

static double
sum(const shape *s, int64_t i)
{
    double all = 0;

    for (int64_t q = 0; q < length(s, i); q++)
        all += value(i, q) * element(column(s, i, q));
    return all;
}

static const sb_dtype types[] = {SB_F32, SB_F64};
static const sb_dtype indices[] = {SB_I32, SB_I64};

static void
check(const shape *s, sb_dtype type, sb_dtype index, int64_t base, double alpha,
      double beta)
{
    fenced_product p;

    make(&p, s, type, index, base);
    p.pb.alpha.re = alpha;
    p.pb.beta.re = beta;
    if (beta == 0) /* what C holds is not read */
        for (int64_t i = 0; i < s->rows; i++)
            put_element(p.c.at, type, i, NAN);
    run(&p);
    for (int64_t i = 0; i < s->rows; i++)
        assert_true(get_element(p.c.at, type, i) ==
                    alpha * sum(s, i) + (beta == 0 ? 0 : beta * before(i)));
    unfence_product(&p);
}

static void
check_all(const shape *s)
{
    for (int t = 0; t < SB_COUNT(types); t++)
        for (int x = 0; x < SB_COUNT(indices); x++) {
            check(s, types[t], indices[x], x, 1, 0);
            check(s, types[t], indices[x], 1 - x, -2, 3);
            check(s, types[t], indices[x], x, 0, 2);
        }
}

/* Of every length, whole groups and a part of one, with columns to spare and without. */
static void
test_lengths(void **state)
{
    (void)state;
    for (int64_t n = 0; n <= LONGEST; n++)
        for (int64_t more = 0; more < 20; more += 15) {
            const shape s = {75, 60, 3, n, 2, more, n % 2 == 1};

            check_all(&s);
        }
}

/* Of every number of rows, beside one row and several that do not follow. */
static void
test_runs(void **state)
{
    (void)state;
    for (int64_t r = 1; r <= 36; r++)
        for (int64_t loose = 0; loose < 4; loose++) {
            const shape s = {150, r, loose, 5, 1 + r % 3, 20, false};

            check_all(&s);
        }
}

/* Pieces of rows are cut by themselves. */
static void
test_pieces(void **state)
{
    const shape s = {2500, 2500, 0, 4, 9, 0, false}, t = {2100, 45, 2, 3, 30, 16, true};

    (void)state;
    check_all(&s);
    check_all(&t);
}

/* Rows that a step of 16 has more entries of than a run may, and runs of empty ones. */
static void
test_long(void **state)
{
    const shape s = {70, 40, 0, 131, 1, 20, false}, t = {70, 33, 2, 129, 2, 0, true};
    const shape empty = {300, 300, 0, 0, 1, 20, false};

    (void)state;
    check_all(&s);
    check_all(&t);
    check_all(&empty);
}

static void
test_infinite(void **state)
{
    const shape s = {90, 37, 2, 5, 6, 16, false};

    (void)state;
    for (int t = 0; t < SB_COUNT(types); t++)
        for (int64_t j = 0; j < columns(&s); j += 5) {
            fenced_product p;

            make(&p, &s, types[t], SB_I32, 0);
            put_element(p.b.at, types[t], j, INFINITY);
            run(&p);
            for (int64_t i = 0; i < s.rows; i++) {
                bool has = false;

                for (int64_t q = 0; q < length(&s, i); q++)
                    has |= column(&s, i, q) == j;
                assert_true(has || get_element(p.c.at, types[t], i) == sum(&s, i));
            }
            unfence_product(&p);
        }
}

/* Groups: first row, and the entries of a run's rows. */
static void
check_groups(const shape *s, const int64_t *first, const int *len, int n)
{
    sb_part part;
    sb_cover cv;
    sb_view v;
    fenced_product p;

    make(&p, s, SB_F32, SB_I32, 1);
    assert_int_equal(sb_view_make(&v, &p.pb.a, false, NULL), SB_OK);
    sb_cover_init(&cv, &v);
    assert_int_equal(sb_part_alike(&part, &cv, NULL), SB_OK);
    assert_int_equal(part.group[0].hi, n);
    for (int g = 0; g < n; g++) {
        assert_int_equal(((const int32_t *)part.array[0].data)[g], first[g]);
        assert_int_equal(((const int32_t *)part.array[2].data)[g], len[g]);
    }
    sb_part_free(&part);
    sb_cover_free(&cv);
    sb_view_free(&v);
    unfence_product(&p);
}

static void
test_groups(void **state)
{
    /* a step that would read beyond the values or the columns goes by rows */
    static const int64_t whole[] = {0, 32}, full[] = {0};
    static const int len_whole[] = {3, 0}, len_full[] = {3};
    /* a run, two rows that do not follow, runs again: of one row, a lone one */
    static const int64_t broken[] = {0, 20, 22, 38, 42, 44};
    static const int len_broken[] = {3, 0, 3, 0, 0, 0};
    /* 128 rows at most, and 2048 entries */
    static const int64_t many[] = {0, 128, 256}, wide[] = {0, 96, 192};
    static const int len_many[] = {3, 3, 3}, len_wide[] = {20, 20, 20};
    const shape a = {40, 40, 0, 3, 1, 20, false}, b = {50, 20, 2, 3, 2, 20, false},
                c = {40, 40, 0, 3, 1, 0, true}, d = {32, 32, 0, 3, 1, 0, true},
                e = {384, 384, 0, 3, 1, 0, true}, f = {288, 288, 0, 20, 2, 0, true};

    (void)state;
    check_groups(&a, whole, len_whole, 2);
    check_groups(&c, whole, len_whole, 2);
    check_groups(&d, full, len_full, 1);
    check_groups(&b, broken, len_broken, 6);
    check_groups(&e, many, len_many, 3);
    check_groups(&f, wide, len_wide, 3);
}

/* The check of parts sees a run of rows of another length. */
static void
test_check(void **state)
{
    const shape s = {40, 40, 0, 3, 1, 20, false};
    sb_part part;
    sb_cover cv;
    sb_view v;
    fenced_product p;
    int32_t *len;

    (void)state;
    make(&p, &s, SB_F32, SB_I32, 0);
    assert_int_equal(sb_view_make(&v, &p.pb.a, false, NULL), SB_OK);
    sb_cover_init(&cv, &v);
    assert_int_equal(sb_part_alike(&part, &cv, NULL), SB_OK);
    assert_int_equal(sb_parts_check(&part, 1, &v, NULL), SB_OK);
    len = part.array[2].data;
    for (int n = -1; n < 5; n++)
        if (n != 3 && n != 0) {
            len[0] = n;
            assert_int_not_equal(sb_parts_check(&part, 1, &v, NULL), SB_OK);
        }
    len[0] = 3;
    assert_int_equal(sb_parts_check(&part, 1, &v, NULL), SB_OK);
    sb_part_free(&part);
    sb_cover_free(&cv);
    sb_view_free(&v);
    unfence_product(&p);
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
        cmocka_unit_test(test_lengths), cmocka_unit_test(test_runs),
        cmocka_unit_test(test_pieces),  cmocka_unit_test(test_infinite),
        cmocka_unit_test(test_groups),  cmocka_unit_test(test_long),
        cmocka_unit_test(test_check),
    };

    return cmocka_run_group_tests(tests, start, NULL);
}
