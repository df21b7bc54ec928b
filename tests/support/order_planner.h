/* A planner that has weighed rows, windows and an order of rows, and what it makes of orders. */
#ifndef SB_TEST_ORDER_PLANNER_H
#define SB_TEST_ORDER_PLANNER_H

#include "base/alloc.h"
#include "pattern.h"
#include "planner/planner.h"
#include "planner/row_order.h"
#include "planner/rules.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

/* Rows of B that the two caches of these tests hold. */
enum { NEAR_ROWS = 64, FAR_ROWS = 256 };

/* Before anything is weighed. */
static inline sb_planner *
planner_new(sb_problem *pb, const sb_options *opt, const pattern *p,
            const sb_target *target, int64_t n, int64_t gap)
{
    sb_planner *pl = calloc(1, sizeof *pl);
    uint16_t *named = calloc((size_t)p->v.cols + 1, sizeof *named);

    *pb =
        (sb_problem){.op = SB_OP_SPMM,
                     .a = {.format = SB_FORMAT_CSR,
                           .rows = p->v.rows,
                           .cols = p->v.cols,
                           .nnz = p->v.nnz,
                           .ptr_type = SB_I32,
                           .idx_type = SB_I32,
                           .val_type = SB_F32},
                     .b = {.rows = p->v.cols, .cols = n, .ld = n, .type = SB_F32},
                     .c = {.rows = p->v.rows, .cols = n, .ld = n + gap, .type = SB_F32},
                     .compute = SB_F32};
    pl->pb = pb;
    pl->opt = opt;
    pl->target = target;
    pl->view = p->v;
    for (int64_t q = 0; q < p->v.nnz; q++)
        pl->stats.distinct += !named[p->crd[q]]++;
    free(named);
    pl->stats.mean = 8;
    sb_work_of(&pl->work, pb);
    return pl;
}

static inline void
planner_free(sb_planner *pl)
{
    sb_free(pl->order);
    free(pl);
}

/* What a machine with slow gathers and caches of NEAR_ROWS and FAR_ROWS rows of 1024 bytes makes
 * of it: the candidates after it was weighed, csr first. */
static inline const char *
weighed(const pattern *p, const sb_target *target, int64_t n, int64_t gap,
        sb_effort effort, double *seconds)
{
    const sb_options opt = {.effort = effort};
    sb_problem pb;
    sb_planner *pl = planner_new(&pb, &opt, p, target, n, gap);
    const char *why;

    pl->nweighed = 2;
    pl->weighed[0].choice = (sb_choice){.npart = 1, .part = {{.kind = SB_PART_CSR}}};
    pl->weighed[0].cost.seconds = 1;
    pl->weighed[1].choice =
        (sb_choice){.npart = 1, .part = {{.kind = SB_PART_PICK, .k = 1}}};
    pl->weighed[1].cost.seconds = 1;
    pl->weighed[1].dropped = "not looked at";
    assert_int_equal(sb_row_order_weigh(pl), SB_OK);
    why = pl->weighed[1].dropped;
    *seconds = pl->weighed[1].cost.seconds;
    planner_free(pl);
    return why;
}

/* Rows by themselves, windows of two sizes, of which the first take 1, and those by slabs, 0: 0.9 of what is
 * cheaper. */
typedef struct priced {
    double rows;
    int size, other;
    double slab;
} priced;

/* Windows beside rows, and cheaper by slabs; how many were listed in an order, and what the first take. */
static inline int
lists_windows(const pattern *p, const sb_target *target, int64_t n, priced of,
              double *seconds)
{
    const sb_options opt = {.effort = SB_EFFORT_ESTIMATE};
    const sb_part_choice win = {.kind = SB_PART_WIN, .size = of.size},
                         rest = {.kind = SB_PART_ROWS, .k = -1, .c = 1};
    sb_problem pb;
    sb_planner *pl = planner_new(&pb, &opt, p, target, n, 0);
    int listed;

    pl->nweighed = 4;
    for (int q = 0; q < 4; q++) {
        pl->weighed[q].choice = (sb_choice){.npart = 2, .part = {win, rest}};
        pl->weighed[q].cost.seconds = 1;
    }
    pl->weighed[0].choice = (sb_choice){.npart = 1, .part = {{.kind = SB_PART_CSR}}};
    pl->weighed[0].cost.seconds = of.rows;
    pl->weighed[2].choice.part[0].size = of.other;
    pl->weighed[2].cost.seconds = 1.5;
    pl->weighed[3].choice.slab = 64;
    pl->weighed[3].cost.seconds = of.slab > 0 ? of.slab : fmin(0.9, 0.9 * of.rows);
    assert_int_equal(sb_row_order_weigh(pl), SB_OK);
    listed = pl->nweighed - 4;
    *seconds = pl->weighed[listed > 0 ? 4 : 1].cost.seconds;
    for (int q = 0; q < 4; q++)
        assert_int_equal(pl->weighed[q].choice.part[0].k, 0); /* stay as they are */
    for (int q = 4; q < pl->nweighed; q++) {
        assert_int_equal(pl->weighed[q].choice.part[0].k, 1);
        assert_int_equal(pl->weighed[q].choice.part[0].size,
                         q == 4 ? of.size : of.other);
        assert_true(pl->weighed[q].cost.seconds < 1);
    }
    planner_free(pl);
    return listed;
}

#endif
