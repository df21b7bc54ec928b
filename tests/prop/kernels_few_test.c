/*
 * Rows of few columns, eight or four entries at a time, and of one, four rows at a time, the
 * last entries masked: what the masks hide is read, but nothing behind the arrays, which end where a
 * page that may not be touched begins; an entry's own row gets exactly what it holds, and the
 * same bits wherever the row lies, at the end of the matrix, too.
 * Likewise of rows of B that end within a tile, by each number of vectors and size of the last,
 * and of lanes that a gather leaves out; and of rows that ask for the rows of B that last entries
 * name, which no array may be left for.
 *
 * ctest-cost: 60
 */
#include "base/macro.h"
#include "cpu/cpu.h"
#include "fence.h"
#include "kernels/spec.h"
#include "planner/planner.h"
#include "runtime/backend.h"
#include "runtime/target.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

enum { ROWS = 41, COLS = 30, WIDE = 8, LONGEST = 20 };

/* Rows from `from` on have the lengths and entries of those from 0 on. */
static int64_t
length(int64_t i)
{
    return i * 7 % (LONGEST + 1);
}

/* The last `rows` of ROWS rows. Values need not be integers. */
static void
make(fenced_product *p, sb_dtype type, sb_dtype index, int64_t n, int64_t rows,
     double scale)
{
    int64_t nnz = 0, at = 0;

    for (int64_t i = ROWS - rows; i < ROWS; i++)
        nnz += length(i);
    fence_product(p, SB_OP_SPMM, rows, COLS, n, nnz, type, index);
    p->pb.a.base = 1;
    put_element(p->ptr.at, index, 0, 1);
    for (int64_t i = ROWS - rows; i < ROWS; i++) {
        for (int64_t q = 0; q < length(i); q++, at++) {
            put_element(p->crd.at, index, at, (double)(1 + (q * 3 + i) % COLS));
            put_element(p->val.at, type, at, scale * (double)((q + i) % 5 - 2));
        }
        put_element(p->ptr.at, index, i - (ROWS - rows) + 1, (double)(1 + at));
    }
    for (int64_t q = 0; q < COLS * n; q++)
        put_element(p->b.at, type, q, scale * (double)(q % 7 - 3));
}

static void
run(fenced_product *p, int tile, int unroll)
{
    char text[64];
    const sb_options opt = {.plan = text};
    sb_plan *plan;

    (void)snprintf(text, sizeof text, "(plan spmm (part csr) (tile %d) (unroll %d))",
                   tile, unroll);
    assert_int_equal(sb_plan_create(&plan, &p->pb, &opt, NULL), SB_OK);
    assert_int_equal(sb_execute(plan, &p->pb, NULL), SB_OK);
    sb_plan_release(plan);
}

/* The product with one column, the rows as groups of four. */
static void
run_groups(fenced_product *p)
{
    const sb_options opt = {.plan = "(plan spmv (part seg) (tile 4))"};
    sb_plan *plan;

    p->pb.op = SB_OP_SPMV;
    assert_int_equal(sb_plan_create(&plan, &p->pb, &opt, NULL), SB_OK);
    assert_int_equal(sb_execute(plan, &p->pb, NULL), SB_OK);
    sb_plan_release(plan);
}

/* Whole numbers: sums are exact. */
static void
check(const fenced_product *p, sb_dtype type, int64_t n)
{
    for (int64_t i = 0; i < ROWS; i++)
        for (int64_t c = 0; c < n; c++) {
            double sum = 0;

            for (int64_t q = 0; q < length(i); q++)
                sum += (double)((q + i) % 5 - 2) *
                       (double)(((q * 3 + i) % COLS * n + c) % 7 - 3);
            assert_true(get_element(p->c.at, type, i * n + c) == sum);
        }
}

static const struct {
    sb_dtype type;
    int tile;
} forms[] = {
    {SB_F32, 4}, {SB_F32, 8},  {SB_F64, 2}, {SB_F64, 4}, {SB_F32, 16},
    {SB_F64, 8}, {SB_F32, 32}, {SB_F64, 16}}; /* the last two of halves, slim and fours alone */

static const int unrolls[] = {SB_SPEC_FEW,    SB_SPEC_JOIN, SB_SPEC_HALVES,
                              SB_SPEC_EIGHTS, SB_SPEC_SLIM, SB_SPEC_FOURS};

static const sb_dtype indices[] = {SB_I32, SB_I64};

static void
check_sums(int unroll)
{
    const bool two_lines = unroll == SB_SPEC_HALVES || unroll >= SB_SPEC_SLIM;
    fenced_product p;

    for (int f = 0; f < SB_COUNT(forms) - (two_lines ? 0 : 2); f++)
        for (int x = 0; x < SB_COUNT(indices); x++)
            for (int64_t n = forms[f].tile; n <= 2 * forms[f].tile;
                 n += forms[f].tile) {
                make(&p, forms[f].type, indices[x], n, ROWS, 1);
                run(&p, forms[f].tile, unroll);
                check(&p, forms[f].type, n);
                unfence_product(&p);
            }
}

static void
test_sums(void **state)
{
    (void)state;
    for (int u = 0; u < SB_COUNT(unrolls); u++)
        check_sums(unrolls[u]);
}

/* The last rows by themselves, as many as there are: they lie near the arrays' end then. */
static void
check_same_bits(int unroll)
{
    const int wide = unroll == SB_SPEC_SLIM ? 2 * WIDE : WIDE;
    fenced_product all, last;

    make(&all, SB_F32, SB_I32, wide, ROWS, 0.1);
    run(&all, wide, unroll);
    for (int64_t rows = 1; rows < ROWS; rows++) {
        const size_t bytes = (size_t)(rows * wide) * sizeof(float);

        make(&last, SB_F32, SB_I32, wide, rows, 0.1);
        run(&last, wide, unroll);
        assert_memory_equal(last.c.at, all.c.at + (ROWS - rows) * wide * sizeof(float),
                            bytes);
        unfence_product(&last);
    }
    unfence_product(&all);
}

static void
test_same_bits(void **state)
{
    (void)state;
    for (int u = 0; u < SB_COUNT(unrolls); u++)
        check_same_bits(unrolls[u]);
}

/* More entries declared than the offsets reach: what lies beyond the last is not there. */
static void
test_declared(void **state)
{
    fenced_product p;

    (void)state;
    make(&p, SB_F32, SB_I32, WIDE, ROWS, 1);
    p.pb.a.nnz += 8;
    assert_int_equal(sb_execute(NULL, &p.pb, NULL), SB_OK);
    check(&p, SB_F32, WIDE);
    unfence_product(&p);
}

static void
test_groups(void **state)
{
    static const sb_dtype types[] = {SB_F32, SB_F64};
    fenced_product p;

    (void)state;
    for (int t = 0; t < SB_COUNT(types); t++)
        for (int x = 0; x < SB_COUNT(indices); x++) {
            make(&p, types[t], indices[x], 1, ROWS, 1);
            run_groups(&p);
            check(&p, types[t], 1);
            unfence_product(&p);
        }
}

/* In every place of a group, and at the end. */
static void
test_groups_same_bits(void **state)
{
    fenced_product all, last;

    (void)state;
    make(&all, SB_F64, SB_I32, 1, ROWS, 0.1);
    run_groups(&all);
    for (int64_t rows = 1; rows < ROWS; rows++) {
        make(&last, SB_F64, SB_I32, 1, rows, 0.1);
        run_groups(&last);
        assert_memory_equal(last.c.at, all.c.at + (ROWS - rows) * sizeof(double),
                            (size_t)rows * sizeof(double));
        unfence_product(&last);
    }
    unfence_product(&all);
}

/* What is read for the next rows does not reach this one. */
static void
check_finite(int64_t column)
{
    fenced_product p;

    make(&p, SB_F32, SB_I32, 1, ROWS, 1);
    put_element(p.b.at, SB_F32, column, INFINITY);
    run_groups(&p);
    for (int64_t i = 0; i < ROWS; i++) {
        bool has = false;

        for (int64_t q = 0; q < length(i); q++)
            has |= (q * 3 + i) % COLS == column;
        assert_true(has || isfinite(get_element(p.c.at, SB_F32, i)));
    }
    unfence_product(&p);
}

static void
test_groups_infinite(void **state)
{
    (void)state;
    for (int64_t column = 0; column < COLS; column++)
        check_finite(column);
}

/* Counted from 0, as kernels have code of their own for. */
static void
count_from_0(fenced_product *p)
{
    int32_t *ptr = (void *)p->ptr.at, *crd = (void *)p->crd.at;

    for (int64_t i = 0; i <= p->pb.a.rows; i++)
        ptr[i]--;
    for (int64_t q = 0; q < p->pb.a.nnz; q++)
        crd[q]--;
    p->pb.a.base = 0;
}

/* Rows of B that end within a tile, by rows and by windows, scaled or not. */
static void
check_cut_short(sb_dtype type, int64_t n, int way)
{
    const int most = type == SB_F32 ? 64 : 32; /* as many vectors of both */
    const int tile = n <= 8 ? 8 : n <= 16 ? 16 : n <= 32 ? 32 : most;
    char text[64];
    const sb_options opt = {.plan = text};
    sb_plan *plan = NULL;
    fenced_product p;

    make(&p, type, SB_I32, n, ROWS, 1);
    if (way & 1)
        count_from_0(&p);
    (void)snprintf(text, sizeof text,
                   "(plan spmm (part win 3) (part rows flat 1) (tile %d))", tile);
    if (way & 2)
        assert_int_equal(sb_plan_create(&plan, &p.pb, &opt, NULL), SB_OK);
    assert_int_equal(sb_execute(plan, &p.pb, NULL), SB_OK);
    check(&p, type, n);
    sb_plan_release(plan);
    unfence_product(&p);
}

static void
test_cut_short(void **state)
{
    static const sb_dtype types[] = {SB_F32, SB_F64};

    (void)state;
    for (int t = 0; t < SB_COUNT(types); t++)
        for (int way = 0; way < 4; way++) {
            for (int64_t n = 1; n <= 33; n++)
                check_cut_short(types[t], n, way);
            for (int64_t n = 34; n <= 148; n += 6) /* each number of vectors */
                check_cut_short(types[t], n + way, way);
        }
}

/* What C has between its rows stays. `usual`: columns count from 0, C = A B, whatever C had. */
static void
check_width(const char *plan, sb_dtype type, int64_t n, int64_t gap, bool usual)
{
    const sb_options opt = {.plan = plan};
    const int64_t ld = n + gap;
    sb_plan *created;
    fenced_product p;

    make(&p, type, SB_I32, ld, ROWS, 1);
    p.pb.b.cols = p.pb.c.cols = n;
    if (usual)
        count_from_0(&p);
    p.pb.alpha = (sb_value){usual ? 1 : 2, 0};
    p.pb.beta = (sb_value){usual ? 0 : -1, 0};
    for (int64_t q = 0; q < ROWS * ld; q++)
        put_element(p.c.at, type, q, usual && q % ld < n ? NAN : (double)(q % 11 - 5));
    assert_int_equal(sb_plan_create(&created, &p.pb, &opt, NULL), SB_OK);
    assert_int_equal(sb_execute(created, &p.pb, NULL), SB_OK);
    sb_plan_release(created);
    for (int64_t i = 0; i < ROWS; i++)
        for (int64_t c = 0; c < ld; c++) {
            const double was = (double)((i * ld + c) % 11 - 5);
            double sum = 0;

            for (int64_t q = 0; c < n && q < length(i); q++)
                sum += (double)((q + i) % 5 - 2) *
                       (double)(((q * 3 + i) % COLS * ld + c) % 7 - 3);
            assert_true(get_element(p.c.at, type, i * ld + c) == (c >= n ? was
                                                                  : usual
                                                                      ? sum
                                                                      : 2 * sum - was));
        }
    unfence_product(&p);
}

/* Every width of the narrow tiles, of wider ones each number of vectors and size of the last.
 * Stored past the caches in groups, each tile in one of the types. */
static void
test_widths(void **state)
{
    static const char *const more[] = {"(unroll 1)", "(unroll 256)", "(unroll 64)",
                                       "(unroll 1) (stream)", "(unroll 256) (stream)"};
    static const sb_dtype types[] = {SB_F32, SB_F64};
    char text[80];

    (void)state;
    for (int tile = 4, turn = 0; tile <= 128; tile *= 2, turn = !turn)
        for (int k = 0; k < SB_COUNT(more); k++) {
            if (k == 2 && tile > 16)
                continue;
            (void)snprintf(text, sizeof text, "(plan spmm (part csr) (tile %d) %s)",
                           tile, more[k]);
            for (int64_t n = tile / 2 + 1; n <= tile + 1;
                 n += tile <= 32 ? 1 : 2 + n % 2)
                for (int way = 0; way < 4; way++)
                    if ((k < 4 || way / 2 == turn) &&
                        (tile < 128 || way < 2 || (k == 0 && n % 16 < 2)))
                        check_width(text, types[way / 2], n, n % 3, way % 2);
        }
}

/* The last rows by themselves have the bits that they have behind others. */
static void
check_tails(int64_t n, int tile, int unroll)
{
    fenced_product all, last;

    make(&all, SB_F32, SB_I64, n, ROWS, 0.1);
    run(&all, tile, unroll);
    for (int64_t rows = 1; rows < ROWS; rows += 3) {
        make(&last, SB_F32, SB_I64, n, rows, 0.1);
        run(&last, tile, unroll);
        assert_memory_equal(last.c.at,
                            all.c.at + (size_t)((ROWS - rows) * n) * sizeof(float),
                            (size_t)(rows * n) * sizeof(float));
        unfence_product(&last);
    }
    unfence_product(&all);
}

static void
test_widths_same_bits(void **state)
{
    static const int widths[] = {3, 7, 11, 14, 20, 24, 31, 40, 48, 57, 100};

    (void)state;
    for (int q = 0; q < SB_COUNT(widths); q++) {
        const int64_t n = widths[q];
        const int tile = n <= 4    ? 4
                         : n <= 8  ? 8
                         : n <= 16 ? 16
                         : n <= 32 ? 32
                         : n <= 64 ? 64
                                   : 128;

        check_tails(n, tile, SB_SPEC_FOURS);
        if (tile <= 16)
            check_tails(n, tile, SB_SPEC_EIGHTS);
    }
}

/* x moves to where memory begins. */
static void
move_b(fenced_product *p, size_t bytes)
{
    const fenced f = fence_before(bytes);

    memcpy(f.at, p->b.at, bytes);
    unfence(&p->b);
    p->b = f;
    p->pb.b.data = f.at;
}

/* Gathers of some lanes: none of the others reads before x or behind it. */
static void
test_some_lanes(void **state)
{
    static const char *const plans[] = {
        "(plan spmv (part csr) (tile 4))",  "(plan spmv (part csr) (tile 8))",
        "(plan spmv (part csr) (tile 16))", "(plan spmv (part seg) (tile 8))",
        "(plan spmv (part prod) (tile 8))", "(plan spmv (part prod) (tile 4))",
        "(plan spmv (part sell) (tile 4))", "(plan spmv (part sell) (packed))",
        "(plan spmv (part hdia) (tile 4))", "(plan spmv (part hdia) (packed))",
        "(plan spmv (part ell 5) (tile 8))"};
    static const sb_dtype types[] = {SB_F32, SB_F64, SB_C32, SB_C64};
    fenced_product p;

    (void)state;
    for (int q = 0; q < SB_COUNT(plans); q++)
        for (int t = 0;
             t < (strstr(plans[q], "csr") || strstr(plans[q], "sell") ? 4 : 2); t++)
            for (int way = 0; way < 4; way++) {
                const sb_options opt = {.plan = plans[q], .values_frozen = true};
                sb_plan *plan;

                make(&p, types[t], SB_I32, 1, ROWS, 1);
                p.pb.op = SB_OP_SPMV;
                if (way & 1)
                    count_from_0(&p);
                if (way & 2)
                    move_b(&p, COLS * sb_dtype_size(types[t]));
                assert_int_equal(sb_plan_create(&plan, &p.pb, &opt, NULL), SB_OK);
                assert_int_equal(sb_execute(plan, &p.pb, NULL), SB_OK);
                check(&p, types[t], 1);
                sb_plan_release(plan);
                unfence_product(&p);
            }
}

/* Whether by a kernel that asks, not by the reference, which serves where none can be had. */
static bool
run_last(fenced_product *p, int tile, int unroll, int ahead)
{
    bool asks;
    char text[96];
    const sb_options opt = {.plan = text};
    sb_plan *plan;

    (void)snprintf(text, sizeof text,
                   "(plan spmm (part csr) (tile %d) (last %d) (unroll %d))", tile,
                   ahead, unroll);
    assert_int_equal(sb_plan_create(&plan, &p->pb, &opt, NULL), SB_OK);
    asks = plan->nstep > 0;
    assert_true(!asks || (plan->last == ahead &&
                          strstr(plan->step[0].kernel->signature, " last")));
    assert_int_equal(sb_execute(plan, &p->pb, NULL), SB_OK);
    sb_plan_release(plan);
    return asks;
}

/* As many rows ahead as there are, and more; of empty rows, and of a matrix of them. */
static void
test_last(void **state)
{
    static const struct {
        sb_dtype type;
        int tile, n;
    } wide[] = {{SB_F32, 64, 64},   {SB_F32, 64, 67},   {SB_F32, 128, 128},
                {SB_F32, 256, 200}, {SB_F64, 32, 32},   {SB_F64, 64, 70},
                {SB_F64, 128, 128}, {SB_F64, 128, 256}, {SB_F32, 64, 40}};
    static const int ahead[] = {1, 8, ROWS - 1, 64};
    static const int together[] = {1, SB_SPEC_FOURS};
    int asked = 0;
    fenced_product p;

    (void)state;
    for (int q = 0; q < SB_COUNT(wide); q++)
        for (int a = 0; a < SB_COUNT(ahead); a++)
            for (int u = 0; u < SB_COUNT(together); u++) {
                const sb_dtype index = indices[q % SB_COUNT(indices)];

                make(&p, wide[q].type, index, wide[q].n, ROWS, 1);
                if (u && index == SB_I32)
                    count_from_0(&p);
                asked += run_last(&p, wide[q].tile, together[u], ahead[a]);
                check(&p, wide[q].type, wide[q].n);
                unfence_product(&p);
                fence_product(&p, SB_OP_SPMM, ROWS, COLS, wide[q].n, 0, wide[q].type,
                              index);
                for (int64_t c = 0; c < ROWS * wide[q].n; c++)
                    put_element(p.c.at, wide[q].type, c, NAN);
                (void)run_last(&p, wide[q].tile, together[u], ahead[a]);
                for (int64_t c = 0; c < ROWS * wide[q].n; c++)
                    assert_true(get_element(p.c.at, wide[q].type, c) == 0);
                unfence_product(&p);
            }
    if (asked == 0)
        skip(); /* no kernels are built in */
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
        cmocka_unit_test(test_same_bits),
        cmocka_unit_test(test_declared),
        cmocka_unit_test(test_cut_short),
        cmocka_unit_test(test_widths),
        cmocka_unit_test(test_widths_same_bits),
        cmocka_unit_test(test_groups),
        cmocka_unit_test(test_groups_same_bits),
        cmocka_unit_test(test_groups_infinite),
        cmocka_unit_test(test_some_lanes),
        cmocka_unit_test(test_last),
    };

    return cmocka_run_group_tests(tests, start, NULL);
}
