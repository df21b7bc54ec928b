/*
 * See gpu_contest.h.
 */
#include "gpu_contest.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- libraries ------------------------------------------------------------------------------ */

/* The functions both have, with ours' types. */
#define FUNCTIONS(X)     \
    X(SetStream);        \
    X(CreateCsr);        \
    X(CreateCoo);        \
    X(CreateBsr);        \
    X(DestroySpMat);     \
    X(CreateDnMat);      \
    X(DestroyDnMat);     \
    X(CreateDnVec);      \
    X(DestroyDnVec);     \
    X(SpMM_bufferSize);  \
    X(SpMM_preprocess);  \
    X(SpMM);             \
    X(SpMV_bufferSize);  \
    X(SpMV_preprocess);  \
    X(SpMV);             \
    X(SDDMM_bufferSize); \
    X(SDDMM_preprocess); \
    X(SDDMM);            \
    X(Destroy);          \
    X(GetVersion);

struct contest_library {
    spblasHandle_t handle;
#define X(name) __typeof__(spblas##name) *name
    FUNCTIONS(X)
#undef X
};

contest_library *
contest_ours(bool emulated)
{
    contest_library *l = calloc(1, sizeof *l);

    if (!l)
        return NULL;
#define X(name) l->name = spblas##name
    FUNCTIONS(X)
#undef X
    if (spblasCreateOn(&l->handle, emulated ? "emu" : "gpu") == SPBLAS_STATUS_SUCCESS)
        return l;
    (void)fprintf(stderr, "%s\n", spblasGetLastErrorMessage(NULL));
    free(l);
    return NULL;
}

static bool
symbol(void *lib, const char *name, void *to)
{
    void *at = dlsym(lib, name);

    memcpy(to, &at, sizeof at);
    return at != NULL;
}

static bool
fill_table(contest_library *l, void *lib)
{
#define X(name)                                           \
    if (!symbol(lib, "cusparse" #name, (void *)&l->name)) \
    return false
    FUNCTIONS(X)
#undef X
    return true;
}

contest_library *
contest_cusparse(int *version)
{
    static const char *const names[] = {"libcusparse.so.12", "libcusparse.so.13",
                                        "libcusparse.so"};
    __typeof__(spblasCreate) *create;
    contest_library *l = calloc(1, sizeof *l);
    void *lib = NULL;

    *version = 0;
    for (size_t q = 0; q < sizeof names / sizeof *names && !lib; q++)
        lib = dlopen(names[q], RTLD_NOW | RTLD_LOCAL);
    if (l && lib && symbol(lib, "cusparseCreate", (void *)&create) &&
        fill_table(l, lib) && create(&l->handle) == SPBLAS_STATUS_SUCCESS) {
        (void)l->GetVersion(l->handle, version);
        return l;
    }
    free(l);
    return NULL;
}

void
contest_close(contest_library *l)
{
    if (l)
        (void)l->Destroy(l->handle);
    free(l);
}

const contestant *
contest_list(contest_op op)
{
    static const contestant spmm[] = {
        {.name = "ours", .alg = SPBLAS_SPMM_ALG_DEFAULT},
        {.name = "ours deterministic", .alg = SPBLAS_SPMM_CSR_ALG3},
        {.name = "ours measured", .alg = SPBLAS_SPMM_ALG_DEFAULT, .effort = MEASURED},
        {.name = "ours direct", .alg = SPBLAS_SPMM_ALG_DEFAULT, .effort = DIRECT},
        {.name = "cusparse default", .alg = SPBLAS_SPMM_ALG_DEFAULT},
        {.name = "cusparse csr1", .alg = SPBLAS_SPMM_CSR_ALG1},
        {.name = "cusparse csr2", .alg = SPBLAS_SPMM_CSR_ALG2},
        {.name = "cusparse csr3", .alg = SPBLAS_SPMM_CSR_ALG3},
        {.name = "cusparse coo4", .alg = SPBLAS_SPMM_COO_ALG4, .form = FORM_COO},
        {.name = "cusparse bsr1", .alg = SPBLAS_SPMM_BSR_ALG1, .form = FORM_BSR},
        {0}};
    static const contestant spmv[] = {
        {.name = "ours", .alg = SPBLAS_SPMV_ALG_DEFAULT},
        {.name = "ours measured", .alg = SPBLAS_SPMV_ALG_DEFAULT, .effort = MEASURED},
        {.name = "ours direct", .alg = SPBLAS_SPMV_ALG_DEFAULT, .effort = DIRECT},
        {.name = "cusparse csr1", .alg = SPBLAS_SPMV_CSR_ALG1},
        {.name = "cusparse csr2", .alg = SPBLAS_SPMV_CSR_ALG2},
        {.name = "cusparse coo1", .alg = SPBLAS_SPMV_COO_ALG1, .form = FORM_COO},
        {.name = "cusparse coo2", .alg = SPBLAS_SPMV_COO_ALG2, .form = FORM_COO},
        {0}};
    static const contestant sddmm[] = {
        {.name = "ours", .alg = SPBLAS_SDDMM_ALG_DEFAULT},
        {.name = "ours measured", .alg = SPBLAS_SDDMM_ALG_DEFAULT, .effort = MEASURED},
        {.name = "ours direct", .alg = SPBLAS_SDDMM_ALG_DEFAULT, .effort = DIRECT},
        {.name = "cusparse default", .alg = SPBLAS_SDDMM_ALG_DEFAULT},
        {0}};

    return op == CONTEST_SPMM ? spmm : op == CONTEST_SPMV ? spmv : sddmm;
}

/* ---- one contestant --------------------------------------------------------------------------- */

/* Scalars of the type that sums have. */
static const float one32 = 1, zero32 = 0;
static const double one64 = 1, zero64 = 0;
static const int none = SPBLAS_OPERATION_NON_TRANSPOSE;

static const void *
scalar(const contest *c, bool is_one)
{
    if (elem_compute(c->type) == ELEM_F64)
        return is_one ? &one64 : &zero64;
    return is_one ? &one32 : &zero32;
}

static void *
pointer(sb_cu_mem m)
{
    return (void *)(uintptr_t)m;
}

static spblasStatus_t
create_matrix(contestant *k)
{
    const contest *c = k->of;
    const lab_csr *m = c->m;
    const spblasDataType_t type = elem_type(c->type);
    contest_library *l = k->lib;
    /* SDDMM writes A's places */
    const sb_cu_mem val = c->op == CONTEST_SDDMM ? c->at_c : c->a;

    if (k->form == FORM_COO)
        return l->CreateCoo(&k->a, m->rows, m->cols, m->nnz, pointer(c->row),
                            pointer(c->idx), pointer(val), SPBLAS_INDEX_32I,
                            SPBLAS_INDEX_BASE_ZERO, type);
    if (k->form == FORM_BSR)
        return c->blocks > 0
                   ? l->CreateBsr(&k->a, m->rows / 4, m->cols / 4, c->blocks, 4, 4,
                                  pointer(c->bsr_ptr), pointer(c->bsr_idx),
                                  pointer(c->bsr_val), SPBLAS_INDEX_32I,
                                  SPBLAS_INDEX_32I, SPBLAS_INDEX_BASE_ZERO, type,
                                  SPBLAS_ORDER_ROW)
                   : SPBLAS_STATUS_NOT_SUPPORTED;
    return l->CreateCsr(&k->a, m->rows, m->cols, m->nnz, pointer(c->ptr),
                        pointer(c->idx), pointer(val), SPBLAS_INDEX_32I,
                        SPBLAS_INDEX_32I, SPBLAS_INDEX_BASE_ZERO, type);
}

static bool
create_dense(contestant *k)
{
    const contest *c = k->of;
    const lab_csr *m = c->m;
    const spblasDataType_t type = elem_type(c->type);
    const int order = c->col ? SPBLAS_ORDER_COL : SPBLAS_ORDER_ROW;
    contest_library *l = k->lib;

    if (c->op == CONTEST_SPMV)
        return l->CreateDnVec(&k->x, m->cols, pointer(c->at_b), type) == 0 &&
               l->CreateDnVec(&k->y, m->rows, pointer(c->at_c), type) == 0;
    if (c->op == CONTEST_SDDMM)
        return l->CreateDnMat(&k->b, m->rows, c->n, c->n, pointer(c->at_b), type,
                              SPBLAS_ORDER_ROW) == 0 &&
               l->CreateDnMat(&k->c, c->n, m->cols, c->n, pointer(c->at_y), type,
                              SPBLAS_ORDER_COL) == 0;
    return l->CreateDnMat(&k->b, m->cols, c->n, c->col ? m->cols : c->n,
                          pointer(c->at_b), type, order) == 0 &&
           l->CreateDnMat(&k->c, m->rows, c->n, c->col ? m->rows : c->n,
                          pointer(c->at_c), type, order) == 0;
}

bool
contestant_multiply(void *of)
{
    contestant *k = of;
    const contest *c = k->of;
    contest_library *l = k->lib;
    const void *alpha = scalar(c, true), *beta = scalar(c, c->beta == 1);
    const spblasDataType_t compute = elem_type(elem_compute(c->type));
    void *buffer = pointer(k->buffer);

    switch (c->op) {
    case CONTEST_SPMV:
        return l->SpMV(l->handle, none, alpha, k->a, k->x, beta, k->y, compute, k->alg,
                       buffer) == 0;
    case CONTEST_SDDMM:
        return l->SDDMM(l->handle, none, none, alpha, k->b, k->c, beta, k->a, compute,
                        k->alg, buffer) == 0;
    default:
        return l->SpMM(l->handle, none, none, alpha, k->a, k->b, beta, k->c, compute,
                       k->alg, buffer) == 0;
    }
}

/* Buffer and preprocessing; what an algorithm does not preprocess it says, and goes
 * without. */
static bool
preprocess(contestant *k)
{
    const contest *c = k->of;
    contest_library *l = k->lib;
    const void *alpha = scalar(c, true), *beta = scalar(c, c->beta == 1);
    const spblasDataType_t compute = elem_type(elem_compute(c->type));
    const spblasEffort_t measure = SPBLAS_EFFORT_MEASURE;
    spblasStatus_t st;

    switch (c->op) {
    case CONTEST_SPMV:
        st = l->SpMV_bufferSize(l->handle, none, alpha, k->a, k->x, beta, k->y, compute,
                                k->alg, &k->bytes);
        break;
    case CONTEST_SDDMM:
        st = l->SDDMM_bufferSize(l->handle, none, none, alpha, k->b, k->c, beta, k->a,
                                 compute, k->alg, &k->bytes);
        break;
    default:
        st = l->SpMM_bufferSize(l->handle, none, none, alpha, k->a, k->b, beta, k->c,
                                compute, k->alg, &k->bytes);
    }
    if (st != SPBLAS_STATUS_SUCCESS ||
        (k->bytes && gpu.d->alloc(&k->buffer, k->bytes) != 0))
        return false;
    if (k->effort == DIRECT)
        return true;
    if (k->effort == MEASURED)
        (void)spblasSpMatSetAttribute(k->a, SPBLAS_SPMAT_EFFORT, &measure,
                                      sizeof measure);
    if (c->op == CONTEST_SPMV)
        (void)l->SpMV_preprocess(l->handle, none, alpha, k->a, k->x, beta, k->y,
                                 compute, k->alg, pointer(k->buffer));
    else if (c->op == CONTEST_SDDMM)
        (void)l->SDDMM_preprocess(l->handle, none, none, alpha, k->b, k->c, beta, k->a,
                                  compute, k->alg, pointer(k->buffer));
    else
        (void)l->SpMM_preprocess(l->handle, none, none, alpha, k->a, k->b, beta, k->c,
                                 compute, k->alg, pointer(k->buffer));
    return true;
}

void
contestant_explain(const contestant *k, const char *file)
{
    char text[16384];
    size_t size = sizeof text;
    FILE *to;

    if (!k->plan[0] ||
        spblasSpMatGetPlanExplanation(k->a, 0, text, &size) != SPBLAS_STATUS_SUCCESS)
        return;
    to = fopen(file, "a");
    if (!to)
        return;
    (void)fprintf(to, "%s: %s\n%s\n", gpu.doing, k->name, text);
    (void)fclose(to);
}

/* Ours has to be right, and to be computed on the GPU: why it is not. */
static void
judge_ours(contestant *k, bool computed)
{
    size_t size = sizeof k->plan;

    if (strncmp(k->name, "ours", 4) != 0)
        return;
    if (!k->a ||
        spblasSpMatGetPlanText(k->a, 0, k->plan, &size) != SPBLAS_STATUS_SUCCESS)
        k->plan[0] = '\0';
    k->captured = computed && gpu_captures(contestant_multiply, k);
    if (!computed)
        (void)fprintf(stderr, "%s: %s: %s\n", gpu.doing, k->name,
                      spblasGetLastErrorMessage(NULL));
    else if (!k->right)
        (void)fprintf(stderr, "%s: %s: wrong, %.3g times the bound\n", gpu.doing,
                      k->name, k->worst);
    else if (!k->captured)
        (void)fprintf(stderr, "%s: %s: not on the GPU alone: %s\n", gpu.doing, k->name,
                      spblasGetLastErrorMessage(NULL));
    k->takes_part &= k->captured;
}

void
contestant_prepare(contestant *k, const contest *of)
{
    double begin;
    bool fine;

    k->of = of;
    k->takes_part = k->right = k->captured = false;
    if (!k->lib)
        return;
    contest_refill(of);
    begin = gpu_now();
    fine = k->lib->SetStream(k->lib->handle, gpu.stream) == SPBLAS_STATUS_SUCCESS &&
           create_matrix(k) == SPBLAS_STATUS_SUCCESS && create_dense(k) &&
           preprocess(k) && contestant_multiply(k) &&
           gpu.d->stream_wait(gpu.stream) == 0;
    k->cold = gpu_now() - begin;
    if (fine) {
        k->worst = contest_error(of);
        k->takes_part = k->right = k->worst <= 2;
    }
    judge_ours(k, fine);
}

void
contestant_end(contestant *k)
{
    if (k->a)
        (void)k->lib->DestroySpMat(k->a);
    if (k->b)
        (void)k->lib->DestroyDnMat(k->b);
    if (k->c)
        (void)k->lib->DestroyDnMat(k->c);
    if (k->x)
        (void)k->lib->DestroyDnVec(k->x);
    if (k->y)
        (void)k->lib->DestroyDnVec(k->y);
    (void)gpu.d->free(k->buffer);
}
