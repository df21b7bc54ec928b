/*
 * Sequences of public calls: objects are made, changed, used and destroyed in the order
 * the input says, with right and wrong arguments mixed. Whatever comes, a call ends
 * with a status, a failure leaves a sentence, and nothing is read or written out of
 * bounds or lost (the sanitizers' business). Objects are alive and matrices validated:
 * the rest is undefined by the header. Input: one byte for the action, then bytes for
 * its arguments; 0 when they run out.
 */
#include "calls_world.h"

#include <stddef.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* ---- making ----------------------------------------------------------------------------- */

static void
put(int64_t *array, spblasIndexType_t t, int64_t p, int64_t value)
{
    if (t == SPBLAS_INDEX_64I)
        array[p] = value;
    else
        ((int32_t *)array)[p] = (int32_t)value;
}

static void
fill(world *w, double *val)
{
    const int seed = draw(w, 256);

    for (size_t q = 0; q < 2 * ROOM * sizeof *val; q++)
        ((uint8_t *)val)[q] = (uint8_t)((q * 37 + (size_t)seed) & 0x3f);
}

/* Majors of `minors` each, `each` entries in a major, in BATCH copies one after
 * another. */
static void
compress(sparse *s, spblasIndexType_t pt, spblasIndexType_t it, int base,
         int64_t majors, int64_t minors, int64_t each)
{
    for (int64_t q = 0; q < BATCH; q++) {
        for (int64_t i = 0; i <= majors; i++)
            put(s->ptr, pt, q * (majors + 1) + i, i * each + base);
        for (int64_t i = 0; i < majors; i++)
            for (int64_t k = 0; k < each; k++)
                put(s->idx, it, (q * majors + i) * each + k, (k + i) % minors + base);
    }
}

/* Rows as coordinates. */
static void
expand(sparse *s, spblasIndexType_t it, int base, int64_t rows, int64_t each)
{
    for (int64_t q = 0; q < BATCH; q++)
        for (int64_t i = 0; i < rows; i++)
            for (int64_t k = 0; k < each; k++)
                put(s->row, it, (q * rows + i) * each + k, i + base);
}

static void
end_sparse(world *w, int k)
{
    if (w->planned[0][k])
        return;
    ended(w, spblasDestroySpMat(w->s[k].d));
    w->s[k].d = NULL;
}

static spblasStatus_t
create_sparse(sparse *s, int format, int64_t m, int64_t n, int64_t each,
              spblasIndexType_t pt, spblasIndexType_t it, spblasIndexBase_t base,
              spblasDataType_t t, spblasOrder_t blocks)
{
    const bool csc = format == 1;
    const int64_t majors = csc ? n : m, minors = csc ? m : n;

    each = minors == 0 ? 0 : each > minors ? minors : each;
    compress(s, pt, it, (int)base, majors, minors > 0 ? minors : 1, each);
    expand(s, it, (int)base, m, each);
    switch (format) {
    case 0:
        return spblasCreateCsr(&s->d, m, n, m * each, s->ptr, s->idx, s->val, pt, it,
                               base, t);
    case 1:
        return spblasCreateCsc(&s->d, m, n, n * each, s->ptr, s->idx, s->val, pt, it,
                               base, t);
    case 2:
        return spblasCreateCoo(&s->d, m, n, m * each, s->row, s->idx, s->val, it, base,
                               t);
    case 3:
        return spblasCreateBsr(&s->d, m, n, m * each, 2, 2, s->ptr, s->idx, s->val, pt,
                               it, base, t, blocks);
    case 4:
        return spblasCreateBlockedEll(&s->d, m, n, 1, each, s->idx, s->val, it, base,
                                      t);
    default:
        return spblasCreateSlicedEll(&s->d, m, n, m * each, m * each, 1, s->ptr, s->idx,
                                     s->val, pt, it, base, t);
    }
}

/* So that a structure which no longer fits a result's size is found, and a search
 * ends soon. */
static void
settle(const world *w, spblasSpMatDescr_t d)
{
    const int yes = 1;
    const double soon = 1e-4;

    if (!d)
        return;
    ended(w, spblasSpMatSetAttribute(d, SPBLAS_SPMAT_VALIDATE, &yes, sizeof yes));
    ended(w, spblasSpMatSetAttribute(d, SPBLAS_SPMAT_TIME_LIMIT, &soon, sizeof soon));
}

static void
make_sparse(world *w)
{
    const int k = draw(w, KINDS), format = draw(w, 6);
    const int64_t m = side(w), n = side(w);
    const int64_t each = draw(w, SIDE + 1);
    const spblasIndexType_t pt = (spblasIndexType_t)(2 + mostly(w, 2));
    const spblasIndexType_t it = (spblasIndexType_t)(2 + mostly(w, 2));
    const spblasIndexBase_t base = (spblasIndexBase_t)draw(w, 2);
    const spblasDataType_t t = type(w);

    end_sparse(w, k);
    if (w->s[k].d)
        return;
    fill(w, w->s[k].val);
    ended(w, create_sparse(&w->s[k], format, m, n, each, pt, it, base, t, order(w)));
    settle(w, w->s[k].d);
}

static void
make_dense(world *w)
{
    const int k = draw(w, KINDS);
    const int64_t m = side(w), n = side(w);
    const int64_t ld = SIDE + mostly(w, 3) - draw(w, 2);
    const spblasDataType_t t = type(w);

    if (w->planned[1][k])
        return;
    ended(w, spblasDestroyDnMat(w->m[k].d));
    w->m[k].d = NULL;
    fill(w, w->m[k].val);
    ended(w, spblasCreateDnMat(&w->m[k].d, m, n, ld, w->m[k].val, t, order(w)));
}

static void
make_vector(world *w)
{
    const int k = draw(w, KINDS);

    ended(w, spblasDestroyDnVec(w->v[k].d));
    w->v[k].d = NULL;
    fill(w, w->v[k].val);
    ended(w, spblasCreateDnVec(&w->v[k].d, side(w), w->v[k].val, type(w)));
}

static void
make_sparse_vector(world *w)
{
    const spblasIndexType_t it = (spblasIndexType_t)(2 + mostly(w, 2));
    const int64_t n = side(w);

    ended(w, spblasDestroySpVec(w->x));
    w->x = NULL;
    for (int64_t p = 0; p < SIDE; p++)
        put(w->x_idx, it, p, (p * 3) % SIDE);
    ended(w, spblasCreateSpVec(&w->x, n, draw(w, (int)n + 2), w->x_idx, w->x_val, it,
                               SPBLAS_INDEX_BASE_ZERO, type(w)));
}

/* ---- changing --------------------------------------------------------------------------- */

static void
set_attribute(world *w)
{
    static const spblasSpMatAttribute_t which[] = {
        SPBLAS_SPMAT_FILL_MODE,   SPBLAS_SPMAT_DIAG_TYPE,   SPBLAS_SPMAT_VALUES_FROZEN,
        SPBLAS_SPMAT_DETERMINISM, SPBLAS_SPMAT_EFFORT,      SPBLAS_SPMAT_MEMORY_LIMIT,
        SPBLAS_SPMAT_PLAN_TEXT,   (spblasSpMatAttribute_t)7};
    static const char *const plans[] = {
        "csr", "(plan spmm (part ell 2) (part rows flat 1))", "(plan"};
    const spblasSpMatAttribute_t a = which[draw(w, 8)];
    const spblasSpMatDescr_t d = mat(w);
    const int64_t limit = draw(w, 256) * 64;
    const int value = draw(w, 3);
    const char *text = plans[draw(w, 3)];

    if (a == SPBLAS_SPMAT_PLAN_TEXT)
        ended(w, spblasSpMatSetAttribute(d, a, text, draw(w, 2) ? strlen(text) : 0));
    else if (a == SPBLAS_SPMAT_MEMORY_LIMIT)
        ended(w, spblasSpMatSetAttribute(d, a, &limit, sizeof limit));
    else
        ended(w, spblasSpMatSetAttribute(d, a, &value, draw(w, 16) ? sizeof value : 1));
}

static void
set_batch(world *w)
{
    const int k = draw(w, KINDS), n = 1 + draw(w, BATCH) - !draw(w, 16);
    spblasFormat_t format;
    int64_t rows, cols, nnz;

    if (draw(w, 2)) {
        ended(w, spblasDnMatSetStridedBatch(dn(w), n, draw(w, 2) ? 0 : 2 * 3 * SIDE));
        return;
    }
    if (spblasSpMatGetFormat(w->s[k].d, &format) != SPBLAS_STATUS_SUCCESS ||
        spblasSpMatGetSize(w->s[k].d, &rows, &cols, &nnz) != SPBLAS_STATUS_SUCCESS)
        return;
    if (format == SPBLAS_FORMAT_COO)
        ended(w, spblasCooSetStridedBatch(w->s[k].d, n, draw(w, 2) ? nnz : 0));
    else
        ended(w, spblasCsrSetStridedBatch(
                     w->s[k].d, n,
                     draw(w, 2) ? (format == SPBLAS_FORMAT_CSC ? cols : rows) + 1 : 0,
                     draw(w, 2) ? nnz : 0));
}

static void
set_values(world *w)
{
    const int k = draw(w, KINDS);

    if (draw(w, 2))
        ended(w, spblasSpMatSetValues(w->s[k].d, draw(w, 4) ? w->s[k].val : NULL));
    else
        ended(w, spblasDnMatSetValues(w->m[k].d, draw(w, 4) ? w->m[k].val : NULL));
}

static void
set_mode(world *w)
{
    ended(w, spblasSetPointerMode(w->h, (spblasPointerMode_t)draw(w, 3)));
    ended(w, spblasSetStream(w->h, NULL));
}

static void
ask(world *w)
{
    const spblasSpMatDescr_t d = mat(w);
    spblasPlanInfo_t info = {.structSize = sizeof info};
    spblasLevelInfo_t level = {.structSize = sizeof level};
    char text[64];
    size_t size = (size_t)draw(w, (int)sizeof text);
    int n;

    ended(w, spblasSpMatGetPlanCount(d, &n));
    ended(w, spblasSpMatGetPlanInfo(d, draw(w, 3), &info));
    ended(w, spblasSpMatGetPlanText(d, draw(w, 2), text, &size));
    ended(w, spblasSpMatGetPartLevel(d, draw(w, 2), draw(w, 3), &level));
    size = 0;
    ended(w, spblasSpMatGetPlanExplanation(d, draw(w, 2), NULL, &size));
    size = sizeof text;
    ended(w, spblasSpMatGetFormatText(d, draw(w, 3) - 1, text, &size));
}

/* ---- formats ---------------------------------------------------------------------------- */

static void
make_format(world *w)
{
    static const char *const texts[] = {
        "csr",    "dia",   "ell", "hyb<2, 1>",
        "bsr<2>", "coo",   "lil", "format f (i, j) -> (j, i) merge(0) trim(1, 1)",
        "format", "bsr<0>"};

    ended(w, spblasDestroyFormat(w->format));
    w->format = NULL;
    ended(w, spblasCreateFormat(&w->format, texts[draw(w, 10)]));
}

static void
convert(world *w)
{
    const spblasSpMatDescr_t from = mat(w);
    const int k = draw(w, KINDS);
    spblasSpMatDescr_t made;

    ended(w, spblasConvert(w->h, from, w->format, &made));
    if (!made)
        return;
    end_sparse(w, k);
    if (w->s[k].d)
        ended(w, spblasDestroySpMat(made));
    else
        w->s[k].d = made;
}

static void
to_dense(world *w)
{
    ended(w, spblasSparseToDense(w->h, mat(w), dn(w), SPBLAS_SPARSETODENSE_ALG_DEFAULT,
                                 NULL));
}

/* Counted and filled at once, so that no structure is left half made. */
static void
to_sparse(world *w)
{
    const spblasDenseToSparseAlg_t alg = (spblasDenseToSparseAlg_t)mostly(w, 2);
    const int k = draw(w, KINDS);
    const spblasDnMatDescr_t m = dn(w);
    spblasStatus_t st;

    if (w->planned[0][k])
        return;
    ended(w, spblasSpMatSetValues(w->s[k].d, w->s[k].val));
    st = spblasDenseToSparse_analysis(w->h, m, w->s[k].d, alg, NULL);
    ended(w, st);
    if (st == SPBLAS_STATUS_SUCCESS &&
        spblasDenseToSparse_convert(w->h, m, w->s[k].d, alg, NULL) != st)
        abort();
}

/* ---- computing -------------------------------------------------------------------------- */

/* 2 and 0 in every type's first bytes would be too tame: small numbers of the bytes. */
static const double *
scalar(world *w)
{
    static _Alignas(16) double s[4][2];

    s[1][0] = 1;
    memcpy(&s[2][0], &(float){2}, sizeof(float));
    memcpy(&s[3][0], &(int32_t){3}, sizeof(int32_t));
    return draw(w, 16) ? s[draw(w, 4)] : NULL;
}

static void
spmm(world *w)
{
    const spblasOperation_t a = op(w), b = op(w);
    const spblasSpMatDescr_t s = mat(w);
    const spblasDnMatDescr_t x = dn(w), y = dn(w);
    const spblasDataType_t t = type(w);
    const spblasSpMMAlg_t alg = (spblasSpMMAlg_t)mostly(w, 16);
    const double *alpha = scalar(w), *beta = scalar(w);
    size_t size;

    ended(w, spblasSpMM_bufferSize(w->h, a, b, alpha, s, x, beta, y, t, alg, &size));
    if (draw(w, 2))
        ended(w, spblasSpMM_analysis(w->h, a, b, alpha, s, x, beta, y, t, alg, NULL));
    ended(w, spblasSpMM(w->h, a, b, alpha, s, x, beta, y, t, alg, NULL));
}

static void
spmv(world *w)
{
    const spblasOperation_t a = op(w);
    const spblasSpMatDescr_t s = mat(w);
    const spblasDnVecDescr_t x = vec(w), y = vec(w);
    const spblasDataType_t t = type(w);
    const spblasSpMVAlg_t alg = (spblasSpMVAlg_t)mostly(w, 8);
    const double *alpha = scalar(w), *beta = scalar(w);

    if (draw(w, 2))
        ended(w, spblasSpMV_preprocess(w->h, a, alpha, s, x, beta, y, t, alg, NULL));
    ended(w, spblasSpMV(w->h, a, alpha, s, x, beta, y, t, alg, NULL));
}

static void
sddmm(world *w)
{
    const spblasOperation_t a = op(w), b = op(w);
    const spblasDnMatDescr_t x = dn(w), y = dn(w);
    const spblasSpMatDescr_t s = mat(w);
    const spblasDataType_t t = type(w);
    const double *alpha = scalar(w), *beta = scalar(w);

    if (draw(w, 2))
        ended(w, spblasSDDMM_analysis(w->h, a, b, alpha, x, y, beta, s, t,
                                      SPBLAS_SDDMM_ALG_DEFAULT, NULL));
    ended(w, spblasSDDMM(w->h, a, b, alpha, x, y, beta, s, t, SPBLAS_SDDMM_ALG_DEFAULT,
                         NULL));
}

static void
end_plan(world *w)
{
    ended(w, spblasSpMMOp_destroyPlan(w->plan));
    w->plan = NULL;
    memset(w->planned, 0, sizeof w->planned);
}

static void
make_plan(world *w)
{
    static const char *const texts[] = {NULL, "min(a, b)", "a * b", "b - a", "a +"};
    const int s = draw(w, KINDS), x = draw(w, KINDS), y = draw(w, KINDS);
    size_t size;

    end_plan(w);
    ended(w,
          spblasSpMMOp_createPlan(w->h, &w->plan, op(w), op(w), w->s[s].d, w->m[x].d,
                                  w->m[y].d, type(w), (spblasSpMMOpAlg_t)mostly(w, 2),
                                  texts[draw(w, 5)], draw(w, 4) ? NULL : "0.5",
                                  texts[draw(w, 4)], texts[draw(w, 4)], &size));
    w->planned[0][s] = w->planned[1][x] = w->planned[1][y] = w->plan != NULL;
}

static void
run_plan(world *w)
{
    ended(w, spblasSpMMOp(w->plan, NULL));
}

static void
spsv(world *w)
{
    const spblasOperation_t a = op(w);
    const spblasSpMatDescr_t s = mat(w);
    const spblasDnVecDescr_t x = vec(w), y = vec(w);
    const spblasDataType_t t = type(w);
    const spblasSpSVAlg_t alg = SPBLAS_SPSV_ALG_DEFAULT;

    if (draw(w, 3))
        ended(w, spblasSpSV_analysis(w->h, a, NULL, s, x, y, t, alg, w->sv, NULL));
    ended(w, spblasSpSV_solve(w->h, a, scalar(w), s, x, y, t, alg, w->sv));
    if (draw(w, 2))
        ended(w, spblasSpSV_updateMatrix(w->h, w->sv, w->s[0].val,
                                         (spblasSpSVUpdate_t)draw(w, 3)));
}

static void
spsm(world *w)
{
    const spblasOperation_t a = op(w), b = op(w);
    const spblasSpMatDescr_t s = mat(w);
    const spblasDnMatDescr_t x = dn(w), y = dn(w);
    const spblasDataType_t t = type(w);
    const spblasSpSMAlg_t alg = SPBLAS_SPSM_ALG_DEFAULT;

    if (draw(w, 3))
        ended(w, spblasSpSM_analysis(w->h, a, b, NULL, s, x, y, t, alg, w->sm, NULL));
    ended(w, spblasSpSM_solve(w->h, a, b, scalar(w), s, x, y, t, alg, w->sm));
}

/* One of the five steps, in any order; sizes are those of the memory. */
static void
spgemm(world *w)
{
    const spblasOperation_t n = (spblasOperation_t)mostly(w, 2);
    const spblasSpMatDescr_t a = mat(w), b = mat(w), c = mat(w);
    const spblasDataType_t t = type(w);
    const spblasSpGEMMAlg_t g = (spblasSpGEMMAlg_t)mostly(w, 7);
    const double *x = scalar(w), *y = scalar(w);
    size_t z[5] = {LENT, LENT, LENT, LENT, LENT};
    char *at[5];

    if (a == c || b == c) /* overlapping arrays */
        return;
    for (int q = 0; q < 5; q++)
        at[q] = draw(w, 4) ? w->lent[q] : NULL;
    switch (draw(w, 8)) {
    case 0:
        ended(w, spblasSpGEMM_workEstimation(w->h, n, n, x, a, b, y, c, t, g, w->gemm,
                                             &z[0], at[0]));
        break;
    case 1:
        ended(w, spblasSpGEMM_compute(w->h, n, n, x, a, b, y, c, t, g, w->gemm, &z[1],
                                      at[1]));
        break;
    case 2:
        ended(w, spblasSpGEMM_copy(w->h, n, n, x, a, b, y, c, t, g, w->gemm));
        break;
    case 3:
        ended(w, spblasSpGEMMreuse_workEstimation(w->h, n, n, a, b, c, g, w->gemm,
                                                  &z[0], at[0]));
        break;
    case 4:
        ended(w, spblasSpGEMMreuse_nnz(w->h, n, n, a, b, c, g, w->gemm, &z[1], at[1],
                                       &z[2], at[2], &z[3], at[3]));
        break;
    case 5:
        ended(w, spblasSpGEMMreuse_copy(w->h, n, n, a, b, c, g, w->gemm, &z[4], at[4]));
        break;
    case 6:
        ended(w, spblasSpGEMMreuse_compute(w->h, n, n, x, a, b, y, c, t, g, w->gemm));
        break;
    default: /* begins anew */
        ended(w, spblasSpGEMM_destroyDescr(w->gemm));
        ended(w, spblasSpGEMM_createDescr(&w->gemm));
        break;
    }
}

static void
spgeam(world *w)
{
    const spblasOperation_t n = (spblasOperation_t)mostly(w, 2);
    const spblasSpMatDescr_t a = mat(w), b = mat(w), c = mat(w);
    const spblasDataType_t t = type(w);
    const double *x = scalar(w), *y = scalar(w);
    const spblasSpGEAMAlg_t g = (spblasSpGEAMAlg_t)mostly(w, 3);
    spblasStatus_t st;

    if (a == c || b == c)
        return;
    st = spblasSpGEAM_nnz(w->h, n, n, x, a, y, b, c, t, g, w->geam, NULL);
    ended(w, st);
    if (st == SPBLAS_STATUS_SUCCESS)
        ended(w, spblasSpGEAM(w->h, n, n, x, a, y, b, c, t, g, w->geam, NULL));
}

static void
vectors(world *w)
{
    _Alignas(16) double result[2];
    const spblasDnVecDescr_t y = vec(w);
    const double *a = scalar(w), *b = scalar(w);

    switch (draw(w, 5)) {
    case 0:
        ended(w, spblasAxpby(w->h, a, w->x, b, y));
        break;
    case 1:
        ended(w, spblasGather(w->h, y, w->x));
        break;
    case 2:
        ended(w, spblasScatter(w->h, w->x, y));
        break;
    case 3:
        ended(w, spblasRot(w->h, a, b, w->x, y));
        break;
    default:
        ended(w, spblasSpVV(w->h, op(w), w->x, y, result, type(w), NULL));
        break;
    }
}

/* ---- the sequence ----------------------------------------------------------------------- */

static void (*const actions[])(world *) = {
    make_sparse,   make_sparse, make_dense, make_dense, make_vector, make_sparse_vector,
    set_attribute, set_batch,   set_values, set_mode,   ask,         make_format,
    convert,       to_dense,    to_sparse,  spmm,       spmm,        spmv,
    sddmm,         make_plan,   run_plan,   end_plan,   spsv,        spsm,
    spgemm,        spgemm,      spgemm,     spgeam,     vectors};

enum { ACTIONS = (int)(sizeof actions / sizeof actions[0]) };

/* Everything is there, of one shape and type. */
static void
begin(world *w)
{
    for (int k = 0; k < KINDS; k++) {
        ended(w, create_sparse(&w->s[k], k, SIDE, SIDE, 2, SPBLAS_INDEX_32I,
                               SPBLAS_INDEX_32I, SPBLAS_INDEX_BASE_ZERO, SPBLAS_R_32F,
                               SPBLAS_ORDER_ROW));
        settle(w, w->s[k].d);
        ended(w, spblasCreateDnMat(&w->m[k].d, SIDE, SIDE, SIDE, w->m[k].val,
                                   SPBLAS_R_32F, SPBLAS_ORDER_ROW));
        ended(w, spblasCreateDnVec(&w->v[k].d, SIDE, w->v[k].val, SPBLAS_R_32F));
    }
    ended(w, spblasCreate(&w->h));
    ended(w, spblasSpSV_createDescr(&w->sv));
    ended(w, spblasSpSM_createDescr(&w->sm));
    ended(w, spblasSpGEMM_createDescr(&w->gemm));
    ended(w, spblasSpGEAM_createDescr(&w->geam));
}

static void
end(world *w)
{
    end_plan(w);
    for (int k = 0; k < KINDS; k++) {
        end_sparse(w, k);
        ended(w, spblasDestroyDnMat(w->m[k].d));
        ended(w, spblasDestroyDnVec(w->v[k].d));
    }
    ended(w, spblasDestroySpVec(w->x));
    ended(w, spblasDestroyFormat(w->format));
    ended(w, spblasSpSV_destroyDescr(w->sv));
    ended(w, spblasSpSM_destroyDescr(w->sm));
    ended(w, spblasSpGEMM_destroyDescr(w->gemm));
    ended(w, spblasSpGEAM_destroyDescr(w->geam));
    ended(w, spblasDestroy(w->h));
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static world w;

    memset(&w, 0, offsetof(world, lent));
    w.at = data;
    w.end = data + size;
    begin(&w);
    for (int n = 0; n < CALLS && w.at < w.end; n++)
        actions[draw(&w, ACTIONS)](&w);
    end(&w);
    return 0;
}
