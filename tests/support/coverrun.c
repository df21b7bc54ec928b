/*
 * A cell in action: small integers through the routine, compared with == to the definition
 * over dense matrices.
 */
#include "call.h"
#include "coverlab.h"
#include "gen.h"
#include "oracle.h"
#include "places.h"
#include "spgemmlab.h"

#include <complex.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { SIDE = 12, WIDE = 3 };

typedef double complex number;

static void
must(spblasStatus_t st)
{
    if (st != SPBLAS_STATUS_SUCCESS)
        fail_msg("%s", spblasGetLastErrorMessage(NULL));
}

/* Fails the test: the cell, and what is wrong. */
static void
wrong(const char *routine, const cover_cell *c, const char *what)
{
    fail_msg("%s, %s, index types %d, operations %d %d, types %s %s: %s", routine,
             cover_format_name(c->format), c->index, c->op_a, c->op_b,
             cover_type_name(c->type[0]), cover_type_name(c->type[1]), what);
}

/* ---- operands ------------------------------------------------------------------------ */

gen_spec
cover_spec(const cover_cell *c, int operand, uint64_t seed)
{
    static const sb_format formats[] = {
        [COVER_CSR] = SB_FORMAT_CSR,   [COVER_CSC] = SB_FORMAT_CSC,
        [COVER_COO] = SB_FORMAT_COO,   [COVER_BSR] = SB_FORMAT_BSR,
        [COVER_BELL] = SB_FORMAT_BELL, [COVER_SELL] = SB_FORMAT_SELL,
        [COVER_CUSTOM] = SB_FORMAT_CSR};
    const bool wide_idx = c->index == COVER_64 || c->index == COVER_32_64;
    const bool wide_ptr = c->index == COVER_64 || c->index == COVER_64_32;

    return (gen_spec){.family = GEN_UNIFORM,
                      .rows = SIDE,
                      .cols = SIDE,
                      .density = 0.3,
                      .seed = seed,
                      .format = formats[c->format],
                      .idx_type = wide_idx ? SB_I64 : SB_I32,
                      .ptr_type = wide_ptr ? SB_I64 : SB_I32,
                      .val_type = cover_dtype(c->type[operand]),
                      .block = 2,
                      .base = c->index & 1,
                      .integer = true};
}

spblasSpMatDescr_t
cover_dress(const cover_cell *c, spblasHandle_t handle, spblasSpMatDescr_t *a)
{
    const spblasSpMatDescr_t plain = *a;
    spblasFormatDescr_t dia;

    if (c->format != COVER_CUSTOM)
        return NULL;
    must(spblasCreateFormat(&dia, "dia"));
    must(spblasConvert(handle, plain, dia, a));
    must(spblasDestroyFormat(dia));
    return plain;
}

static sb_dense
dense_of(const cover_cell *c, int operand, int64_t rows, int64_t cols,
         spblasOperation_t op)
{
    const bool turned = op != SPBLAS_OPERATION_NON_TRANSPOSE;

    return gen_dense(&(gen_dense_spec){.rows = turned ? cols : rows,
                                       .cols = turned ? rows : cols,
                                       .ld = (turned ? rows : cols) + 1,
                                       .type = cover_dtype(c->type[operand]),
                                       .seed = (uint64_t)operand + 7,
                                       .integer = true});
}

/* ---- products ------------------------------------------------------------------------ */

typedef struct copying {
    const sb_matrix *a;
    const places *from;
} copying;

static void
copy_value(void *user, int64_t i, int64_t j, int64_t slot)
{
    const copying *k = user;

    sb_value_store(k->a->val_type, k->a->val, slot,
                   k->from->value[i * k->from->cols + j]);
}

/* A converted matrix's values into the arrays the oracle looks at. */
static void
fetch_values(call *k, const sb_matrix *a)
{
    places p = places_read(k->handle, k->a);
    copying to = {a, &p};

    oracle_for_each(a, 0, copy_value, &to);
    places_free(&p);
}

static spblasStatus_t
run_operators(call *k)
{
    const sb_problem *pb = k->pb;
    spblasSpMMOpPlan_t plan;
    size_t size;
    spblasStatus_t st = spblasSpMMOp_createPlan(
        k->handle, &plan, (spblasOperation_t)pb->trans_a,
        (spblasOperation_t)pb->trans_b, k->a, k->b, k->c, call_type(pb->compute),
        SPBLAS_SPMMOP_ALG_DEFAULT, NULL, NULL, NULL, "a + b", &size);

    if (st == SPBLAS_STATUS_SUCCESS)
        st = spblasSpMMOp(plan, NULL);
    (void)spblasSpMMOp_destroyPlan(plan);
    return st;
}

static void
run_problem(const char *name, const cover_cell *c, sb_problem *pb,
            spblasStatus_t (*run)(call *k))
{
    char message[300];
    spblasSpMatDescr_t plain;
    oracle o = oracle_make(pb);
    call k;

    must(call_begin(&k, pb));
    plain = cover_dress(c, k.handle, &k.a);
    if (run(&k) != SPBLAS_STATUS_SUCCESS)
        wrong(name, c, spblasGetLastErrorMessage(NULL));
    if (plain && pb->op == SB_OP_SDDMM)
        fetch_values(&k, &pb->a);
    if (!oracle_check(&o, pb, true, message, sizeof message))
        wrong(name, c, message);
    must(spblasDestroySpMat(plain));
    call_end(&k);
    oracle_free(&o);
    gen_free_matrix(&pb->a);
    gen_free_dense(&pb->b);
    gen_free_dense(&pb->c);
}

static void
run_product(const char *name, const cover_cell *c, sb_op op,
            spblasStatus_t (*run)(call *k))
{
    const gen_spec a = cover_spec(c, op == SB_OP_SDDMM ? 2 : 0, 5);
    const int64_t n = op == SB_OP_SPMV ? 1 : WIDE;
    sb_problem pb = {.op = op,
                     .trans_a = (sb_trans)c->op_a,
                     .trans_b = (sb_trans)c->op_b,
                     .compute = cover_dtype(c->type[3]),
                     .alpha = {1, 0},
                     .beta = {1, 0},
                     .batch = 1};

    pb.a = gen_matrix(&a);
    if (op == SB_OP_SDDMM) {
        pb.b = dense_of(c, 0, SIDE, n, c->op_a);
        pb.c = dense_of(c, 1, n, SIDE, c->op_b);
    } else {
        pb.b = dense_of(c, 1, SIDE, n, c->op_b);
        pb.c = dense_of(c, 2, SIDE, n, SPBLAS_OPERATION_NON_TRANSPOSE);
    }
    if (op == SB_OP_SPMV) { /* vectors have no gaps */
        gen_free_dense(&pb.b);
        gen_free_dense(&pb.c);
        pb.b = gen_dense(&(gen_dense_spec){
            .rows = SIDE, .cols = 1, .integer = true, .type = cover_dtype(c->type[1])});
        pb.c = gen_dense(&(gen_dense_spec){
            .rows = SIDE, .cols = 1, .integer = true, .type = cover_dtype(c->type[2])});
    }
    run_problem(name, c, &pb, run);
}

void
cover_run_spmv(const cover_cell *c)
{
    run_product("SpMV", c, SB_OP_SPMV, call_run);
}

void
cover_run_spmm(const cover_cell *c)
{
    run_product("SpMM", c, SB_OP_SPMM, call_run);
}

void
cover_run_spmm_op(const cover_cell *c)
{
    run_product("SpMMOp", c, SB_OP_SPMM, run_operators);
}

void
cover_run_sddmm(const cover_cell *c)
{
    run_product("SDDMM", c, SB_OP_SDDMM, call_run);
}

/* ---- dense copies -------------------------------------------------------------------- */

typedef struct table {
    number at[SIDE][SIDE];
} table;

typedef struct reading {
    const sb_matrix *a;
    table *t;
} reading;

static number
number_at(sb_dtype t, const void *array, int64_t p)
{
    const sb_value v = sb_value_load(t, array, p);

    return v.re + v.im * I;
}

static void
read_entry(void *user, int64_t i, int64_t j, int64_t slot)
{
    const reading *r = user;

    r->t->at[i][j] += number_at(r->a->val_type, r->a->val, slot);
}

static table
table_of(const sb_matrix *a)
{
    table t = {0};
    reading r = {a, &t};

    oracle_for_each(a, 0, read_entry, &r);
    return t;
}

/* op(X)'s element. */
static number
seen(number plain, number turned, spblasOperation_t op)
{
    return op == SPBLAS_OPERATION_NON_TRANSPOSE ? plain
           : op == SPBLAS_OPERATION_TRANSPOSE   ? turned
                                                : conj(turned);
}

/* ---- triangular solves --------------------------------------------------------------- */

/* Solutions of op(A)'s unit lower triangle, from which the right sides are made. */
static number
solution(int64_t i, int64_t j)
{
    return (double)((i + 2 * j) % 3 - 1);
}

static number
right_side(const table *a, const cover_cell *c, int64_t i, int64_t j)
{
    number sum = solution(i, j);

    for (int64_t k = 0; k < SIDE; k++) {
        const number v =
            seen(k < i ? a->at[i][k] : 0, k > i ? a->at[k][i] : 0, c->op_a);

        sum += v * solution(k, j);
    }
    return c->op_b == SPBLAS_OPERATION_CONJUGATE_TRANSPOSE ? conj(sum) : sum;
}

static void
store(const sb_dense *d, int64_t i, int64_t j, number v)
{
    sb_value_store(d->type, d->data, i * d->ld + j, (sb_value){creal(v), cimag(v)});
}

static void
check_solution(const char *name, const cover_cell *c, const sb_dense *y)
{
    for (int64_t i = 0; i < SIDE; i++)
        for (int64_t j = 0; j < y->cols; j++)
            if (number_at(y->type, y->data, i * y->ld + j) != solution(i, j))
                wrong(name, c, "another solution");
}

static void
set_unit(spblasSpMatDescr_t a)
{
    const spblasDiagType_t unit = SPBLAS_DIAG_TYPE_UNIT;

    must(spblasSpMatSetAttribute(a, SPBLAS_SPMAT_DIAG_TYPE, &unit, sizeof unit));
}

static void
solve(const char *name, const cover_cell *c, bool vector)
{
    const gen_spec spec = cover_spec(c, 0, 3);
    const bool turned = c->op_b != SPBLAS_OPERATION_NON_TRANSPOSE;
    const int64_t n = vector ? 1 : WIDE;
    const spblasDataType_t t = c->type[3];
    sb_problem pb = {.op = vector ? SB_OP_SPMV : SB_OP_SPMM,
                     .a = gen_matrix(&spec),
                     .compute = cover_dtype(t),
                     .batch = 1};
    const table a = table_of(&pb.a);
    double alpha[2];
    spblasSpSVDescr_t sv;
    spblasSpSMDescr_t sm;
    call k;

    pb.b = gen_dense(&(gen_dense_spec){.rows = turned ? n : SIDE,
                                       .cols = turned ? SIDE : n,
                                       .type = cover_dtype(c->type[1])});
    pb.c = gen_dense(
        &(gen_dense_spec){.rows = SIDE, .cols = n, .type = cover_dtype(c->type[2])});
    for (int64_t i = 0; i < SIDE; i++)
        for (int64_t j = 0; j < n; j++)
            store(&pb.b, turned ? j : i, turned ? i : j, right_side(&a, c, i, j));
    must(call_begin(&k, &pb));
    set_unit(k.a);
    sb_value_store(cover_dtype(t), alpha, 0, (sb_value){1, 0});
    if (vector) {
        must(spblasSpSV_createDescr(&sv));
        must(spblasSpSV_analysis(k.handle, c->op_a, alpha, k.a, k.x, k.y, t,
                                 SPBLAS_SPSV_ALG_DEFAULT, sv, NULL));
        must(spblasSpSV_solve(k.handle, c->op_a, alpha, k.a, k.x, k.y, t,
                              SPBLAS_SPSV_ALG_DEFAULT, sv));
        must(spblasSpSV_destroyDescr(sv));
    } else {
        must(spblasSpSM_createDescr(&sm));
        must(spblasSpSM_analysis(k.handle, c->op_a, c->op_b, alpha, k.a, k.b, k.c, t,
                                 SPBLAS_SPSM_ALG_DEFAULT, sm, NULL));
        must(spblasSpSM_solve(k.handle, c->op_a, c->op_b, alpha, k.a, k.b, k.c, t,
                              SPBLAS_SPSM_ALG_DEFAULT, sm));
        must(spblasSpSM_destroyDescr(sm));
    }
    check_solution(name, c, &pb.c);
    call_end(&k);
    gen_free_matrix(&pb.a);
    gen_free_dense(&pb.b);
    gen_free_dense(&pb.c);
}

void
cover_run_spsv(const cover_cell *c)
{
    solve("SpSV", c, true);
}

void
cover_run_spsm(const cover_cell *c)
{
    solve("SpSM", c, false);
}

/* ---- products and sums of sparse matrices ----------------------------------------------- */

static void
check_table(const char *name, const cover_cell *c, const sb_matrix *got,
            const table *want)
{
    const table t = table_of(got);

    for (int64_t i = 0; i < SIDE; i++)
        for (int64_t j = 0; j < SIDE; j++)
            if (t.at[i][j] != want->at[i][j])
                wrong(name, c, "another value");
}

static void
multiply(const char *name, const cover_cell *c, bool reuse)
{
    const gen_spec a = cover_spec(c, 0, 5), b = cover_spec(c, 1, 6);
    const sb_dtype t = cover_dtype(c->type[reuse ? 0 : 3]);
    spgemm_lab l = spgemm_begin(&a, &b, a.ptr_type, a.idx_type, 1);
    const table x = table_of(&l.a), y = table_of(&l.b);
    table want = {0};

    l.compute = call_type(t);
    sb_value_store(t, l.alpha, 0, (sb_value){1, 0});
    sb_value_store(t, l.beta, 0, (sb_value){0, 0});
    if (reuse) {
        spgemm_prepare_reuse(&l);
        must(spgemm_reuse_compute(&l));
    } else {
        spgemm_multiply(&l);
    }
    for (int64_t i = 0; i < SIDE; i++)
        for (int64_t j = 0; j < SIDE; j++)
            for (int64_t k = 0; k < SIDE; k++)
                want.at[i][j] += x.at[i][k] * y.at[k][j];
    check_table(name, c, &l.c, &want);
    spgemm_end(&l);
}

void
cover_run_spgemm(const cover_cell *c)
{
    multiply("SpGEMM", c, false);
}

void
cover_run_spgemm_reuse(const cover_cell *c)
{
    multiply("SpGEMMreuse", c, true);
}

void
cover_run_spgeam(const cover_cell *c)
{
    const gen_spec specs[] = {cover_spec(c, 0, 5), cover_spec(c, 1, 6)};
    sb_matrix m[3] = {gen_matrix(&specs[0]), gen_matrix(&specs[1])};
    const sb_dtype t = cover_dtype(c->type[3]);
    const table x = table_of(&m[0]), y = table_of(&m[1]);
    double one[2];
    int64_t ptr[SIDE + 1], idx[SIDE * SIDE], rows, cols;
    _Alignas(16) number val[SIDE * SIDE];
    spblasSpMatDescr_t s[3];
    spblasSpGEAMDescr_t d;
    spblasHandle_t handle;
    table want;

    must(spblasCreate(&handle));
    must(spblasSpGEAM_createDescr(&d));
    m[2] = m[0];
    m[2].nnz = 0;
    m[2].ptr = ptr;
    m[2].idx = idx;
    m[2].val = val;
    for (int q = 0; q < 3; q++)
        must(call_sparse(&s[q], &m[q]));
    sb_value_store(t, one, 0, (sb_value){1, 0});
    must(spblasSpGEAM_nnz(handle, c->op_a, c->op_b, one, s[0], one, s[1], s[2],
                          c->type[3], SPBLAS_SPGEAM_ALG_DEFAULT, d, NULL));
    must(spblasSpMatGetSize(s[2], &rows, &cols, &m[2].nnz));
    must(spblasSpGEAM(handle, c->op_a, c->op_b, one, s[0], one, s[1], s[2], c->type[3],
                      SPBLAS_SPGEAM_ALG_DEFAULT, d, NULL));
    for (int64_t i = 0; i < SIDE; i++)
        for (int64_t j = 0; j < SIDE; j++)
            want.at[i][j] = x.at[i][j] + y.at[i][j];
    check_table("SpGEAM", c, &m[2], &want);
    for (int q = 0; q < 3; q++)
        must(spblasDestroySpMat(s[q]));
    must(spblasSpGEAM_destroyDescr(d));
    must(spblasDestroy(handle));
    gen_free_matrix(&m[0]);
    gen_free_matrix(&m[1]);
}
