/*
 * The model for one column: shapes of small matrices, and what a part of a plan costs on them.
 */
#ifndef SB_TEST_VECTOR_COST_H
#define SB_TEST_VECTOR_COST_H

#include "formats/view.h"
#include "planner/cost.h"
#include "planner/rules.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

enum { ROWS = 1024, COLS = 4096, MOST = ROWS * 200 };

/* Where an entry of a row is, and how many there are. */
typedef struct shape {
    int64_t (*length)(int64_t i);
    int64_t (*column)(int64_t i, int64_t q);
} shape;

static inline sb_stats
collect(const shape *s)
{
    static int32_t ptr[ROWS + 1], crd[MOST];
    static float val[MOST];
    sb_stats out;
    sb_view v;
    int32_t nnz = 0;

    for (int64_t i = 0; i < ROWS; i++) {
        ptr[i] = nnz;
        for (int64_t q = 0; q < s->length(i); q++)
            crd[nnz++] = (int32_t)s->column(i, q);
    }
    ptr[ROWS] = nnz;
    {
        const sb_matrix a = {.format = SB_FORMAT_CSR,
                             .rows = ROWS,
                             .cols = COLS,
                             .nnz = nnz,
                             .ptr_type = SB_I32,
                             .idx_type = SB_I32,
                             .val_type = SB_F32,
                             .ptr = ptr,
                             .idx = crd,
                             .val = val};

        assert_int_equal(sb_view_make(&v, &a, false, NULL), SB_OK);
        assert_int_equal(sb_stats_collect(&out, &v, SB_STATS_ALL, NULL), SB_OK);
        sb_view_free(&v);
    }
    return out;
}

/* The machine's. */
static sb_isa level = SB_ISA_V4;
static bool wide;
static bool one_value, half; /* A's values are f16 */
static int64_t l2 = 1 << 20, l3 = 32 << 20;

/* What a plan's part costs on that machine. */
static inline sb_cost
predict(const char *part, const sb_stats *s, int size, const sb_target *t)
{
    const sb_work w = {.op = SB_OP_SPMV,
                       .m = s->rows,
                       .n = 1,
                       .k = s->cols,
                       .nnz = s->nnz,
                       .a_size = half ? 2 : size,
                       .b_size = size,
                       .c_size = size,
                       .compute_size = size,
                       .ptr_size = 4,
                       .idx_size = 4,
                       .a_type = half        ? SB_F16
                                 : size == 4 ? SB_F32
                                             : SB_F64,
                       .one_value = one_value};
    char plan[64];
    sb_choice ch;
    sb_cost cost;

    (void)snprintf(plan, sizeof plan, "(plan spmv (part %s))", part);
    assert_int_equal(sb_choice_parse(&ch, plan, strlen(plan), NULL), SB_OK);
    sb_cost_predict(&cost, &ch, &w, s, t);
    return cost;
}

static inline sb_target
machine(void)
{
    return (sb_target){.isa = level,
                       .wide = wide,
                       .threads = 1,
                       .l1 = 32 << 10,
                       .l2 = l2,
                       .l3 = l3,
                       .bw_mem = 24e9};
}

/* Nanoseconds a row of a plan's part, beside what streams while it computes. */
static inline double
of(const char *part, const sb_stats *s, int size)
{
    sb_target t = machine();
    sb_cost cost;

    for (int q = 0; q < SB_CLASS_COUNT; q++)
        t.factor[SB_OP_SPMV][q] = (sb_factor){0, 1, 1};
    cost = predict(part, s, size, &t);
    return (cost.terms[0].unit + cost.terms[0].entry) / (double)s->rows * 1e9;
}

/* By at least so many times, or the test says by how many. */
static inline void
expect(const char *less, const char *more, double times, const sb_stats *s, int size)
{
    const double a = of(less, s, size), b = of(more, s, size);

    if (!(times * a < b))
        fail_msg("%s %.2f ns a row, %s %.2f, %d bytes", less, a, more, b, size);
}

static inline int64_t
scattered(int64_t i, int64_t q)
{
    return (q * 19 + i * 37 % 19) % COLS;
}

/* No two rows of six have a line of x in common. */
static inline int64_t
all_over(int64_t i, int64_t q)
{
    return (q * 199 + i * 37 % 199) % COLS;
}

static inline int64_t
side_by_side(int64_t i, int64_t q)
{
    return i / 16 * 16 + q;
}

static inline int64_t
of_stencil(int64_t i, int64_t q)
{
    static const int64_t at[] = {0, 64, 1000, 1064, 2000};

    return i + at[q];
}

static inline int64_t
one(int64_t i)
{
    (void)i;
    return 1;
}

static inline int64_t
four(int64_t i)
{
    (void)i;
    return 4;
}

static inline int64_t
five(int64_t i)
{
    (void)i;
    return 5;
}

static inline int64_t
twelve(int64_t i)
{
    (void)i;
    return 12;
}

static inline int64_t
twenty(int64_t i)
{
    (void)i;
    return 20;
}

static inline int64_t
sixty(int64_t i)
{
    (void)i;
    return 60;
}

static inline int64_t
two_hundred(int64_t i)
{
    (void)i;
    return 200;
}

/* None or ten, as links of a network are. */
static inline int64_t
none_or_ten(int64_t i)
{
    return i * 7 % 4 == 3 ? 10 : 0;
}

/* Of 5 entries in the mean, short and long. */
static inline int64_t
three_or_nineteen(int64_t i)
{
    return i * 5 % 8 == 3 ? 19 : 3;
}

/* One row of 512 is long: a slice of its own. */
static inline int64_t
two_or_two_hundred(int64_t i)
{
    return i % 512 == 0 ? 200 : 2;
}

static const int sizes[] = {4, 8};

#endif
