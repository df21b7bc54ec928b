/*
 * spblas itself: without analysis, with the default analysis, with values
 * promised to stay, with measured analysis (and both); the first three on 64-bit indices
 * as well; and with a plan forced by text.
 */
#include "peers.h"

#include "problem.h"
#include "tool.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct state {
    bench_problem pb;
    spblasHandle_t handle;
    spblasConstSpMatDescr_t a;
    spblasSpMatDescr_t out; /* SDDMM */
    spblasConstDnMatDescr_t x, b;
    spblasDnMatDescr_t c;
    spblasConstDnVecDescr_t vec_x;
    spblasDnVecDescr_t vec_y;
    spblasOperation_t op; /* of A */
    spblasDataType_t type, sums;
    void *buffer;       /* of SpMM */
    int64_t *ptr, *col; /* of 64 bits, where they are asked for; owned */
} state;

static const char *
available(int threads)
{
    (void)threads;
    return NULL;
}

static void
release(void *user)
{
    state *s = user;

    if (!s)
        return;
    spblasDestroySpMat(s->a);
    spblasDestroySpMat(s->out);
    spblasDestroyDnMat(s->x);
    spblasDestroyDnMat(s->b);
    spblasDestroyDnMat(s->c);
    spblasDestroyDnVec(s->vec_x);
    spblasDestroyDnVec(s->vec_y);
    spblasDestroy(s->handle);
    free(s->buffer);
    free(s->ptr);
    free(s->col);
    free(s);
}

static int64_t *
widened(const int32_t *x, int64_t count)
{
    int64_t *y = tool_memory(count, sizeof *y);

    for (int64_t p = 0; p < count; p++)
        y[p] = x[p];
    return y;
}

/* Descriptors; nonzero on failure. */
static int
describe(state *s, bool wide)
{
    const bench_problem *pb = &s->pb;
    const spblasIndexType_t index = wide ? SPBLAS_INDEX_64I : SPBLAS_INDEX_32I;
    const void *ptr = pb->ptr, *idx = pb->col;
    const spblasIndexBase_t zero = SPBLAS_INDEX_BASE_ZERO;
    const spblasOrder_t row = SPBLAS_ORDER_ROW, col = SPBLAS_ORDER_COL;
    const spblasOrder_t order = pb->by_columns ? col : row;
    const int64_t rows = problem_rows(pb), depth = problem_depth(pb);

    s->op =
        pb->transposed ? SPBLAS_OPERATION_TRANSPOSE : SPBLAS_OPERATION_NON_TRANSPOSE;
    s->type = elem_type(pb->type);
    s->sums = elem_type(elem_compute(pb->type));
    if (spblasCreate(&s->handle))
        return 1;
    if (wide) {
        ptr = s->ptr = widened(pb->ptr, pb->rows + 1);
        idx = s->col = widened(pb->col, pb->nnz);
    }
    if (pb->op == BENCH_SDDMM)
        return spblasCreateCsr(&s->out, pb->rows, pb->cols, pb->nnz, (void *)ptr,
                               (void *)idx, pb->c, index, index, zero, s->type) ||
               spblasCreateConstDnMat(&s->x, pb->rows, pb->n, pb->n, pb->x, s->type,
                                      row) ||
               spblasCreateConstDnMat(&s->b, pb->n, pb->cols, pb->n, pb->b, s->type,
                                      col);
    if (spblasCreateConstCsr(&s->a, pb->rows, pb->cols, pb->nnz, ptr, idx, pb->val,
                             index, index, zero, s->type))
        return 1;
    if (pb->op == BENCH_SPMV)
        return spblasCreateConstDnVec(&s->vec_x, depth, pb->b, s->type) ||
               spblasCreateDnVec(&s->vec_y, rows, pb->c, s->type);
    return spblasCreateConstDnMat(&s->b, depth, pb->n, pb->by_columns ? depth : pb->n,
                                  pb->b, s->type, order) ||
           spblasCreateDnMat(&s->c, rows, pb->n, pb->by_columns ? rows : pb->n, pb->c,
                             s->type, order);
}

enum { CALL_ANALYSIS, CALL_COMPUTE };

static spblasStatus_t
call(state *s, int what)
{
    static const float one_s[2] = {1.0f, 0.0f}, zero_s[2];
    static const double one_d[2] = {1.0, 0.0}, zero_d[2];
    const bool single =
        s->sums == SPBLAS_R_32F || s->sums == SPBLAS_C_32F; /* else of 64 bits */
    const void *one = single ? (const void *)one_s : one_d;
    const void *zero = single ? (const void *)zero_s : zero_d;
    const spblasOperation_t plain = SPBLAS_OPERATION_NON_TRANSPOSE;

    if (s->pb.op == BENCH_SPMV)
        return (what == CALL_ANALYSIS ? spblasSpMV_analysis : spblasSpMV)(
            s->handle, s->op, one, s->a, s->vec_x, zero, s->vec_y, s->sums,
            SPBLAS_SPMV_ALG_DEFAULT, s->buffer);
    if (s->pb.op == BENCH_SPMM)
        return (what == CALL_ANALYSIS ? spblasSpMM_analysis : spblasSpMM)(
            s->handle, s->op, plain, one, s->a, s->b, zero, s->c, s->sums,
            SPBLAS_SPMM_ALG_DEFAULT, s->buffer);
    return (what == CALL_ANALYSIS ? spblasSDDMM_analysis : spblasSDDMM)(
        s->handle, plain, plain, one, s->x, s->b, zero, s->out, s->sums,
        SPBLAS_SDDMM_ALG_DEFAULT, NULL);
}

/* What products ask for, which attributes decide; nonzero on failure. */
static int
lend(state *s)
{
    const double one[2] = {1}, zero[2] = {0}; /* of any type: not read */
    size_t bytes = 0;

    if (s->pb.op == BENCH_SPMV &&
        spblasSpMV_bufferSize(s->handle, s->op, one, s->a, s->vec_x, zero, s->vec_y,
                              s->sums, SPBLAS_SPMV_ALG_DEFAULT, &bytes))
        return 1;
    if (s->pb.op == BENCH_SPMM &&
        spblasSpMM_bufferSize(s->handle, s->op, SPBLAS_OPERATION_NON_TRANSPOSE, one,
                              s->a, s->b, zero, s->c, s->sums, SPBLAS_SPMM_ALG_DEFAULT,
                              &bytes))
        return 1;
    s->buffer = bytes > 0 ? malloc(bytes) : NULL;
    return bytes > 0 && !s->buffer;
}

static spblasConstSpMatDescr_t
sparse(const state *s)
{
    return s->a ? s->a : s->out;
}

/* The attributes that arg names: frozen, measure, both, or a plan text. */
static int
set_attributes(state *s, const char *arg)
{
    /* The descriptor is ours alone; Const only keeps the arrays from being written. */
    const spblasSpMatDescr_t a = (spblasSpMatDescr_t)sparse(s);
    const spblasEffort_t measure = SPBLAS_EFFORT_MEASURE;
    const int yes = 1;

    (void)spblasForgetWisdom(); /* an estimate is not to know what was measured */
    if ((strstr(arg, "frozen") || strstr(arg, "(packed)")) &&
        spblasSpMatSetAttribute(a, SPBLAS_SPMAT_VALUES_FROZEN, &yes, sizeof yes))
        return 1;
    if (strstr(arg, "measure"))
        return spblasSpMatSetAttribute(a, SPBLAS_SPMAT_EFFORT, &measure,
                                       sizeof measure);
    if (arg[0] == '(')
        return spblasSpMatSetAttribute(a, SPBLAS_SPMAT_PLAN_TEXT, arg, strlen(arg));
    return 0;
}

static void
describe_plan(const state *s, bench_prepared *info)
{
    spblasPlanInfo_t plan = {.structSize = sizeof plan};
    size_t size = sizeof info->text;

    if (spblasSpMatGetPlanInfo(sparse(s), 0, &plan) == SPBLAS_STATUS_SUCCESS) {
        info->analysis_seconds = plan.analysisSeconds;
        info->predicted_seconds = plan.predictedSeconds;
    }
    if (spblasSpMatGetPlanText(sparse(s), 0, info->text, &size))
        info->text[0] = '\0';
}

static void *
prepare(const bench_problem *pb, bench_prepared *info, const char *arg)
{
    const bool analysed = arg && !strstr(arg, "direct");
    state *s = calloc(1, sizeof *s);

    if (!s)
        return NULL;
    s->pb = *pb;
    if (describe(s, arg && strstr(arg, "i64")) ||
        (analysed && set_attributes(s, arg)) || lend(s) ||
        (analysed && call(s, CALL_ANALYSIS))) {
        snprintf(info->text, sizeof info->text, "%.250s",
                 spblasGetLastErrorMessage(NULL));
        release(s);
        return NULL;
    }
    if (analysed)
        describe_plan(s, info);
    return s;
}

static void
run(void *user)
{
    call(user, CALL_COMPUTE);
}

static const char *
version(void)
{
    static char text[32];

    snprintf(text, sizeof text, "%d.%d.%d", SPBLAS_VERSION_MAJOR, SPBLAS_VERSION_MINOR,
             SPBLAS_VERSION_PATCH);
    return text;
}

#define OURS(arg_, name_)                                                             \
    {                                                                                 \
        .name = name_, .ours = true, .available = available, .prepare = prepare,      \
        .run = run, .free = release, .version = version, .arg = arg_, .general = true \
    }

const bench_peer peer_ours_direct = OURS(NULL, "ours-direct");
const bench_peer peer_ours_plan = OURS("plan", "ours-plan");
const bench_peer peer_ours_frozen = OURS("frozen", "ours-frozen");
const bench_peer peer_ours_measure = OURS("measure", "ours-measure");
const bench_peer peer_ours_measure_frozen =
    OURS("measure frozen", "ours-measure-frozen");
const bench_peer peer_ours_direct_i64 = OURS("direct i64", "ours-direct-i64");
const bench_peer peer_ours_plan_i64 = OURS("plan i64", "ours-plan-i64");
const bench_peer peer_ours_frozen_i64 = OURS("frozen i64", "ours-frozen-i64");

bench_peer
bench_forced_plan(const char *name, const char *text)
{
    bench_peer p = peer_ours_plan;

    p.name = name;
    p.arg = text;
    return p;
}
