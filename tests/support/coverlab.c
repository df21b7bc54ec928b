/*
 * Empty operands of every type, asked about in all combinations.
 */
#include "coverlab.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

enum { SIDE = 12, BLOCK = 2 };

#define COUNT(a) ((int)(sizeof(a) / sizeof((a)[0])))

static const struct {
    spblasDataType_t code;
    sb_dtype type;
    const char *name;
} types[COVER_TYPES] = {
    {SPBLAS_R_32F, SB_F32, "R_32F"}, {SPBLAS_R_64F, SB_F64, "R_64F"},
    {SPBLAS_C_32F, SB_C32, "C_32F"}, {SPBLAS_C_64F, SB_C64, "C_64F"},
    {SPBLAS_R_16F, SB_F16, "R_16F"}, {SPBLAS_R_16BF, SB_BF16, "R_16BF"},
    {SPBLAS_R_8I, SB_I8, "R_8I"},    {SPBLAS_R_32I, SB_I32, "R_32I"},
    {SPBLAS_C_16F, SB_C16, "C_16F"}, {SPBLAS_C_16BF, SB_CBF16, "C_16BF"},
};

static const char *const format_names[] = {
    "CSR", "CSC", "COO", "BSR", "Blocked-ELL", "Sliced-ELL", "CUSTOM", "vector"};

static const struct {
    spblasIndexType_t ptr, idx;
    const char *name;
} indices[COVER_INDICES] = {{SPBLAS_INDEX_32I, SPBLAS_INDEX_32I, "32"},
                            {SPBLAS_INDEX_64I, SPBLAS_INDEX_64I, "64"},
                            {SPBLAS_INDEX_64I, SPBLAS_INDEX_32I, "64/32"},
                            {SPBLAS_INDEX_32I, SPBLAS_INDEX_64I, "32/64"}};

static int
type_number(spblasDataType_t t)
{
    int q = 0;

    while (q < COVER_TYPES - 1 && types[q].code != t)
        q++;
    return q;
}

const char *
cover_type_name(spblasDataType_t t)
{
    return types[type_number(t)].name;
}

sb_dtype
cover_dtype(spblasDataType_t t)
{
    return types[type_number(t)].type;
}

const char *
cover_format_name(cover_format f)
{
    return format_names[f];
}

/* ---- operands ------------------------------------------------------------------------ */

static int64_t zeros[SIDE + 1];
static _Alignas(16) double dense[2 * SIDE * SIDE];

/* Whether the format has both kinds of index, as 64/32 says. */
static bool
has_index(cover_format f, cover_index i)
{
    return i < COVER_64_32 ||
           (f != COVER_COO && f != COVER_BELL && f != COVER_CUSTOM && f != COVER_SPVEC);
}

static spblasStatus_t
make_custom(cover_lab *l, spblasSpMatDescr_t *out, spblasConstSpMatDescr_t csr)
{
    spblasFormatDescr_t dia;
    spblasStatus_t st = spblasCreateFormat(&dia, "dia");

    if (st == SPBLAS_STATUS_SUCCESS)
        st = spblasConvert(l->handle, csr, dia, out);
    (void)spblasDestroyFormat(dia);
    return st;
}

/* NULL where the format does not have it. */
static void
make_sparse(cover_lab *l, cover_format f, cover_index i, spblasDataType_t t)
{
    spblasSpMatDescr_t *out = &l->sparse[f][i][type_number(t)];
    const spblasIndexType_t p = indices[i].ptr, x = indices[i].idx;
    const spblasIndexBase_t z = SPBLAS_INDEX_BASE_ZERO;
    const int64_t n = SIDE, b = BLOCK;

    switch (f) {
    case COVER_CSR:
        (void)spblasCreateCsr(out, n, n, 0, zeros, NULL, NULL, p, x, z, t);
        break;
    case COVER_CSC:
        (void)spblasCreateCsc(out, n, n, 0, zeros, NULL, NULL, p, x, z, t);
        break;
    case COVER_COO:
        (void)spblasCreateCoo(out, n, n, 0, NULL, NULL, NULL, x, z, t);
        break;
    case COVER_BSR:
        (void)spblasCreateBsr(out, n / b, n / b, 0, b, b, zeros, NULL, NULL, p, x, z, t,
                              SPBLAS_ORDER_ROW);
        break;
    case COVER_BELL:
        (void)spblasCreateBlockedEll(out, n, n, b, 0, NULL, NULL, x, z, t);
        break;
    case COVER_SELL:
        (void)spblasCreateSlicedEll(out, n, n, 0, 0, b, zeros, NULL, NULL, p, x, z, t);
        break;
    case COVER_CUSTOM:
        (void)make_custom(l, out, l->sparse[COVER_CSR][i][type_number(t)]);
        break;
    case COVER_SPVEC:
    case COVER_FORMATS:
        break;
    }
}

void
cover_begin(cover_lab *l)
{
    memset(l, 0, sizeof *l);
    assert_int_equal(spblasCreate(&l->handle), 0);
    assert_int_equal(spblasSpSV_createDescr(&l->sv), 0);
    assert_int_equal(spblasSpSM_createDescr(&l->sm), 0);
    assert_int_equal(spblasSpGEMM_createDescr(&l->gemm), 0);
    assert_int_equal(spblasSpGEAM_createDescr(&l->geam), 0);
    for (int t = 0; t < COVER_TYPES; t++) {
        assert_int_equal(spblasCreateDnMat(&l->dnmat[t], SIDE, SIDE, SIDE, dense,
                                           types[t].code, SPBLAS_ORDER_ROW),
                         0);
        assert_int_equal(spblasCreateDnVec(&l->dnvec[t], SIDE, dense, types[t].code),
                         0);
        for (int i = 0; i < COVER_INDICES; i++) {
            for (int f = 0; f <= COVER_CUSTOM; f++)
                if (has_index((cover_format)f, (cover_index)i))
                    make_sparse(l, (cover_format)f, (cover_index)i, types[t].code);
            (void)spblasCreateSpVec(&l->spvec[i][t], SIDE, 0, NULL, NULL,
                                    indices[i].idx, SPBLAS_INDEX_BASE_ZERO,
                                    types[t].code);
        }
    }
}

void
cover_end(cover_lab *l)
{
    for (int t = 0; t < COVER_TYPES; t++) {
        (void)spblasDestroyDnMat(l->dnmat[t]);
        (void)spblasDestroyDnVec(l->dnvec[t]);
        for (int i = 0; i < COVER_INDICES; i++) {
            for (int f = 0; f <= COVER_CUSTOM; f++)
                (void)spblasDestroySpMat(l->sparse[f][i][t]);
            (void)spblasDestroySpVec(l->spvec[i][t]);
        }
    }
    (void)spblasSpSV_destroyDescr(l->sv);
    (void)spblasSpSM_destroyDescr(l->sm);
    (void)spblasSpGEMM_destroyDescr(l->gemm);
    (void)spblasSpGEAM_destroyDescr(l->geam);
    (void)spblasDestroy(l->handle);
}

/* ---- questions ----------------------------------------------------------------------- */

static spblasSpMatDescr_t
sparse(cover_lab *l, const cover_cell *c, int operand)
{
    return l->sparse[c->format][c->index][type_number(c->type[operand])];
}

static spblasDnMatDescr_t
dnmat(cover_lab *l, const cover_cell *c, int operand)
{
    return l->dnmat[type_number(c->type[operand])];
}

static spblasDnVecDescr_t
dnvec(cover_lab *l, const cover_cell *c, int operand)
{
    return l->dnvec[type_number(c->type[operand])];
}

static spblasSpVecDescr_t
spvec(cover_lab *l, const cover_cell *c)
{
    return l->spvec[c->index][type_number(c->type[0])];
}

static spblasStatus_t
ask_spmv(cover_lab *l, const cover_cell *c)
{
    size_t size;

    return spblasSpMV_bufferSize(l->handle, c->op_a, NULL, sparse(l, c, 0),
                                 dnvec(l, c, 1), NULL, dnvec(l, c, 2), c->type[3],
                                 SPBLAS_SPMV_ALG_DEFAULT, &size);
}

static spblasStatus_t
ask_spmm(cover_lab *l, const cover_cell *c)
{
    size_t size;

    return spblasSpMM_bufferSize(l->handle, c->op_a, c->op_b, NULL, sparse(l, c, 0),
                                 dnmat(l, c, 1), NULL, dnmat(l, c, 2), c->type[3],
                                 SPBLAS_SPMM_ALG_DEFAULT, &size);
}

/* The operators are looked at last: where one that is no text is noticed, all else is
 * accepted, and no program was made. */
static spblasStatus_t
ask_spmm_op(cover_lab *l, const cover_cell *c)
{
    spblasSpMMOpPlan_t plan;
    size_t size;
    const spblasStatus_t st =
        spblasSpMMOp_createPlan(l->handle, &plan, c->op_a, c->op_b, sparse(l, c, 0),
                                dnmat(l, c, 1), dnmat(l, c, 2), c->type[3],
                                SPBLAS_SPMMOP_ALG_DEFAULT, NULL, NULL, "", NULL, &size);

    return st == SPBLAS_STATUS_INVALID_VALUE &&
                   strstr(spblasGetLastErrorMessage(l->handle), "the product:")
               ? SPBLAS_STATUS_SUCCESS
               : st;
}

static spblasStatus_t
ask_sddmm(cover_lab *l, const cover_cell *c)
{
    size_t size;

    return spblasSDDMM_bufferSize(l->handle, c->op_a, c->op_b, NULL, dnmat(l, c, 0),
                                  dnmat(l, c, 1), NULL, sparse(l, c, 2), c->type[3],
                                  SPBLAS_SDDMM_ALG_DEFAULT, &size);
}

static spblasStatus_t
ask_spsv(cover_lab *l, const cover_cell *c)
{
    size_t size;

    return spblasSpSV_bufferSize(l->handle, c->op_a, NULL, sparse(l, c, 0),
                                 dnvec(l, c, 1), dnvec(l, c, 2), c->type[3],
                                 SPBLAS_SPSV_ALG_DEFAULT, l->sv, &size);
}

static spblasStatus_t
ask_spsm(cover_lab *l, const cover_cell *c)
{
    size_t size;

    return spblasSpSM_bufferSize(l->handle, c->op_a, c->op_b, NULL, sparse(l, c, 0),
                                 dnmat(l, c, 1), dnmat(l, c, 2), c->type[3],
                                 SPBLAS_SPSM_ALG_DEFAULT, l->sm, &size);
}

/* What a scalar needs to be there, and is not looked at. */
static const double scalar[2] = {1, 0};

static spblasStatus_t
ask_spgemm(cover_lab *l, const cover_cell *c)
{
    size_t size;

    return spblasSpGEMM_workEstimation(
        l->handle, c->op_a, c->op_b, scalar, sparse(l, c, 0), sparse(l, c, 1), scalar,
        sparse(l, c, 2), c->type[3], SPBLAS_SPGEMM_DEFAULT, l->gemm, &size, NULL);
}

static spblasStatus_t
ask_spgemm_reuse(cover_lab *l, const cover_cell *c)
{
    size_t size;

    return spblasSpGEMMreuse_workEstimation(
        l->handle, c->op_a, c->op_b, sparse(l, c, 0), sparse(l, c, 1), sparse(l, c, 2),
        SPBLAS_SPGEMM_DEFAULT, l->gemm, &size, NULL);
}

static spblasStatus_t
ask_spgeam(cover_lab *l, const cover_cell *c)
{
    size_t size;

    return spblasSpGEAM_bufferSize(l->handle, c->op_a, c->op_b, NULL, sparse(l, c, 0),
                                   NULL, sparse(l, c, 1), sparse(l, c, 2), c->type[3],
                                   SPBLAS_SPGEAM_ALG_DEFAULT, l->geam, &size);
}

static spblasStatus_t
ask_to_dense(cover_lab *l, const cover_cell *c)
{
    size_t size;

    return spblasSparseToDense_bufferSize(l->handle, sparse(l, c, 0), dnmat(l, c, 1),
                                          SPBLAS_SPARSETODENSE_ALG_DEFAULT, &size);
}

static spblasStatus_t
ask_to_sparse(cover_lab *l, const cover_cell *c)
{
    size_t size;

    return spblasDenseToSparse_bufferSize(l->handle, dnmat(l, c, 0), sparse(l, c, 1),
                                          SPBLAS_DENSETOSPARSE_ALG_DEFAULT, &size);
}

static spblasStatus_t
ask_axpby(cover_lab *l, const cover_cell *c)
{
    return spblasAxpby(l->handle, scalar, spvec(l, c), scalar, dnvec(l, c, 1));
}

static spblasStatus_t
ask_gather(cover_lab *l, const cover_cell *c)
{
    return spblasGather(l->handle, dnvec(l, c, 1), spvec(l, c));
}

static spblasStatus_t
ask_scatter(cover_lab *l, const cover_cell *c)
{
    return spblasScatter(l->handle, spvec(l, c), dnvec(l, c, 1));
}

static spblasStatus_t
ask_rot(cover_lab *l, const cover_cell *c)
{
    return spblasRot(l->handle, scalar, scalar, spvec(l, c), dnvec(l, c, 1));
}

static spblasStatus_t
ask_spvv(cover_lab *l, const cover_cell *c)
{
    size_t size;

    return spblasSpVV_bufferSize(l->handle, c->op_a, spvec(l, c), dnvec(l, c, 1), NULL,
                                 c->type[2], &size);
}

#define MATRICES ((1u << COVER_SPVEC) - 1)
#define VECTORS (1u << COVER_SPVEC)
#define ABC                   \
    {                         \
        "A", "B", "C", "sums" \
    }
#define AXY                   \
    {                         \
        "A", "x", "y", "sums" \
    }
#define XY       \
    {            \
        "X", "Y" \
    }

const cover_routine cover_routines[] = {
    {"SpMV", AXY, MATRICES, 1, ask_spmv, cover_run_spmv},
    {"SpMM", ABC, MATRICES, 2, ask_spmm, cover_run_spmm},
    {"SpMMOp", ABC, MATRICES, 2, ask_spmm_op, cover_run_spmm_op},
    {"SDDMM", ABC, MATRICES, 2, ask_sddmm, cover_run_sddmm},
    {"SpSV", AXY, MATRICES, 1, ask_spsv, cover_run_spsv},
    {"SpSM", ABC, MATRICES, 2, ask_spsm, cover_run_spsm},
    {"SpGEMM", ABC, MATRICES, 2, ask_spgemm, cover_run_spgemm},
    {"SpGEMMreuse",
     {"A", "B", "C"},
     MATRICES,
     2,
     ask_spgemm_reuse,
     cover_run_spgemm_reuse},
    {"SpGEAM", ABC, MATRICES, 2, ask_spgeam, cover_run_spgeam},
    {"SparseToDense", {"A", "B"}, MATRICES, 0, ask_to_dense, cover_run_to_dense},
    {"DenseToSparse", {"A", "B"}, MATRICES, 0, ask_to_sparse, cover_run_to_sparse},
    {"Axpby", XY, VECTORS, 0, ask_axpby, cover_run_axpby},
    {"Gather", XY, VECTORS, 0, ask_gather, cover_run_gather},
    {"Scatter", XY, VECTORS, 0, ask_scatter, cover_run_scatter},
    {"Rot", XY, VECTORS, 0, ask_rot, cover_run_rot},
    {"SpVV", {"X", "Y", "sums"}, VECTORS, 1, ask_spvv, cover_run_spvv},
};
const int cover_routine_count = COUNT(cover_routines);

/* ---- cells --------------------------------------------------------------------------- */

static int
operands_of(const cover_routine *r)
{
    int n = 0;

    while (n < COVER_OPERANDS && r->operand[n])
        n++;
    return n;
}

static bool
accepted(cover_lab *l, const cover_routine *r, const cover_cell *c)
{
    return r->ask(l, c) == SPBLAS_STATUS_SUCCESS;
}

/* The k-th combination of types; false past the last. */
static bool
set_types(cover_cell *c, const cover_routine *r, int k)
{
    for (int q = 0; q < operands_of(r); q++, k /= COVER_TYPES)
        c->type[q] = types[k % COVER_TYPES].code;
    return k == 0;
}

/* Operations and indices as bits that are accepted (or, without lab, exist). */
static uint64_t
variants(cover_lab *l, const cover_routine *r, const cover_cell *at, cover_visit fn)
{
    const int oa = r->ops > 0 ? COVER_OPS : 1, ob = r->ops > 1 ? COVER_OPS : 1;
    uint64_t bits = 0, bit = 1;
    cover_cell c = *at;

    for (int i = 0; i < COVER_INDICES; i++)
        for (int a = 0; a < oa; a++)
            for (int b = 0; b < ob; b++, bit <<= 1) {
                c.index = (cover_index)i;
                c.op_a = (spblasOperation_t)a;
                c.op_b = (spblasOperation_t)b;
                if (!has_index(c.format, c.index) || (l && !accepted(l, r, &c)))
                    continue;
                bits |= bit;
                if (fn)
                    fn(r, &c);
            }
    return bits;
}

/* Some format takes these types, without transposing. */
static bool
types_exist(cover_lab *l, const cover_routine *r, cover_cell c)
{
    c.index = COVER_32;
    c.op_a = c.op_b = SPBLAS_OPERATION_NON_TRANSPOSE;
    for (int f = 0; f < COVER_FORMATS; f++) {
        c.format = (cover_format)f;
        if (r->formats >> f & 1 && accepted(l, r, &c))
            return true;
    }
    return false;
}

static int
population(uint64_t bits)
{
    int n = 0;

    for (; bits; bits &= bits - 1)
        n++;
    return n;
}

int64_t
cover_each(cover_lab *l, const cover_routine *r, cover_visit fn)
{
    cover_cell c = {0};
    int64_t n = 0;

    for (int k = 0; set_types(&c, r, k); k++) {
        if (!types_exist(l, r, c))
            continue;
        for (int f = 0; f < COVER_FORMATS; f++) {
            c.format = (cover_format)f;
            if (r->formats >> f & 1)
                n += population(variants(l, r, &c, fn));
        }
    }
    return n;
}

/* ---- text ---------------------------------------------------------------------------- */

static void
print_cell(sb_strbuf *out, uint64_t bits, uint64_t all, int ops)
{
    uint64_t plain = 0; /* without transposition */

    for (int i = 0; i < COVER_INDICES; i++)
        plain |= all & (uint64_t)1 << i * ops;
    if (bits == all || bits == plain || bits == 0)
        sb_strbuf_puts(out, bits == all ? " all |" : bits ? " N |" : " - |");
    else
        sb_strbuf_printf(out, " %d of %d |", population(bits), population(all));
}

static void
print_row(sb_strbuf *out, cover_lab *l, const cover_routine *r, const cover_cell *at)
{
    const int ops = r->ops == 2 ? COVER_OPS * COVER_OPS : r->ops ? COVER_OPS : 1;
    cover_cell c = *at;

    for (int q = 0; q < operands_of(r); q++)
        sb_strbuf_printf(out, "| %s ", cover_type_name(c.type[q]));
    sb_strbuf_puts(out, "|");
    for (int f = 0; f < COVER_FORMATS; f++) {
        c.format = (cover_format)f;
        if (r->formats >> f & 1)
            print_cell(out, variants(l, r, &c, NULL), variants(NULL, r, &c, NULL), ops);
    }
    sb_strbuf_putc(out, '\n');
}

static void
print_routine(sb_strbuf *out, cover_lab *l, const cover_routine *r)
{
    int columns = 0;
    cover_cell c = {0};

    sb_strbuf_printf(out, "\n## %s\n\n", r->name);
    for (int q = 0; q < operands_of(r); q++, columns++)
        sb_strbuf_printf(out, "| %s ", r->operand[q]);
    for (int f = 0; f < COVER_FORMATS; f++)
        if (r->formats >> f & 1) {
            sb_strbuf_printf(out, "| %s ", format_names[f]);
            columns++;
        }
    sb_strbuf_puts(out, "|\n");
    for (int q = 0; q < columns; q++)
        sb_strbuf_puts(out, "|---");
    sb_strbuf_puts(out, "|\n");
    for (int k = 0; set_types(&c, r, k); k++)
        if (types_exist(l, r, c))
            print_row(out, l, r, &c);
}

void
cover_print(sb_strbuf *out, cover_lab *l)
{
    sb_strbuf_puts(
        out,
        "# Coverage\n\n"
        "What each routine computes, as the library answers when it is asked: every\n"
        "combination of ten element types, formats, operations and index types.\n"
        "`tests/api/coverage_test.c` writes this page (`api_coverage --write`), fails "
        "when it\n"
        "is out of date, and runs every combination that is accepted once, on small "
        "integers\n"
        "whose result is known.\n\n"
        "A cell says which operations are taken, with every type of indices: `all` is "
        "N, T\n"
        "and H of each operand that has one, `N` no transposition, `-` none. Index "
        "types\n"
        "are 32 bits, 64, 64-bit offsets with 32-bit indices, and the reverse (COO,\n"
        "Blocked-ELL and CUSTOM have one type). Other sparse operands have the same "
        "format\n"
        "and index types. CUSTOM is any other format of the language; a DIA was asked\n"
        "about.\n");
    for (int q = 0; q < cover_routine_count; q++)
        print_routine(out, l, &cover_routines[q]);
}
