/* Axpby, Gather, Scatter, Rot and SpVV. */
#include "numeric.h"

enum { LENGTH = 10, STORED = 4 };

/* One sparse and one dense vector, as numbers and as objects. */
typedef struct {
    number x[STORED], y[LENGTH];
    int at[STORED];
    void *xs, *ys;
    cusparseSpVecDescr_t vx;
    cusparseDnVecDescr_t vy;
} vectors;

static vectors
make(cudaDataType type)
{
    vectors v = {0};
    const int base = below(2), wide = below(2);
    int32_t narrow[STORED];
    int64_t broad[STORED];

    for (int p = 0; p < STORED; p++) {
        v.at[p] = (p * 7 + 2) % LENGTH; /* distinct, not sorted */
        narrow[p] = v.at[p] + base;
        broad[p] = v.at[p] + base;
        v.x[p] = draw(type);
    }
    for (int i = 0; i < LENGTH; i++)
        v.y[i] = draw(type);
    v.xs = array_of(type, v.x, STORED);
    v.ys = array_of(type, v.y, LENGTH);
    (void)cusparseCreateSpVec(&v.vx, LENGTH, STORED,
                              wide ? memory_new(broad, sizeof broad)
                                   : memory_new(narrow, sizeof narrow),
                              v.xs, wide ? CUSPARSE_INDEX_64I : CUSPARSE_INDEX_32I,
                              (cusparseIndexBase_t)base, type);
    (void)cusparseCreateDnVec(&v.vy, LENGTH, v.ys, type);
    return v;
}

/* Whether the objects hold what the numbers say now; then their end. */
static void
finish(const char *routine, cudaDataType type, vectors *v, bool done)
{
    number x[STORED], y[LENGTH];
    bool right = true;

    if (done) {
        array_read(type, x, v->xs, STORED);
        array_read(type, y, v->ys, LENGTH);
        for (int p = 0; p < STORED; p++)
            right = right && x[p] == v->x[p];
        for (int i = 0; i < LENGTH; i++)
            right = right && y[i] == v->y[i];
        verdict(routine, right, "type %d", (int)type);
    }
    (void)cusparseDestroySpVec(v->vx);
    (void)cusparseDestroyDnVec(v->vy);
    memory_reset();
}

static void
moves(cudaDataType type)
{
    vectors v = make(type);
    bool done = worked("Gather", cusparseGather(handle, v.vy, v.vx));

    for (int p = 0; p < STORED; p++)
        v.x[p] = v.y[v.at[p]];
    finish("Gather", type, &v, done);
    v = make(type);
    done = worked("Scatter", cusparseScatter(handle, v.vx, v.vy));
    for (int p = 0; p < STORED; p++)
        v.y[v.at[p]] = v.x[p];
    finish("Scatter", type, &v, done);
}

static void
sums(cudaDataType type, cudaDataType sum)
{
    vectors v = make(type);
    bool done = worked("Axpby", cusparseAxpby(handle, scalar_of(sum, 2), v.vx,
                                              scalar_of(sum, 3), v.vy));

    for (int i = 0; i < LENGTH; i++)
        v.y[i] *= 3;
    for (int p = 0; p < STORED; p++)
        v.y[v.at[p]] += 2 * v.x[p];
    finish("Axpby", type, &v, done);
    v = make(type);
    done = worked(
        "Rot", cusparseRot(handle, scalar_of(sum, 2), scalar_of(sum, 3), v.vx, v.vy));
    for (int p = 0; p < STORED; p++) {
        const number x = v.x[p], y = v.y[v.at[p]];

        v.x[p] = 2 * x + 3 * y;
        v.y[v.at[p]] = 2 * y - 3 * x;
    }
    finish("Rot", type, &v, done);
}

static void
dots(cudaDataType type, cudaDataType sum, cusparseOperation_t op)
{
    vectors v = make(type);
    void *const place = scalar_of(sum, 0);
    size_t size = 0;
    number want = 0, got = 0;
    cusparsePointerMode_t mode;

    (void)cusparseGetPointerMode(handle, &mode);
    for (int p = 0; p < STORED; p++)
        want += (op == CUSPARSE_OPERATION_CONJUGATE_TRANSPOSE ? conj(v.x[p]) : v.x[p]) *
                v.y[v.at[p]];
    if (worked("SpVV_bufferSize",
               cusparseSpVV_bufferSize(handle, op, v.vx, v.vy, place, sum, &size)) &&
        worked("SpVV", cusparseSpVV(handle, op, v.vx, v.vy, place, sum,
                                    memory_new(NULL, size + 1)))) {
        if (mode == CUSPARSE_POINTER_MODE_HOST)
            got = get(sum, place, 0);
        else
            array_read(sum, &got, place, 1);
        verdict("SpVV", got == want, "type %d op %d", (int)type, (int)op);
    }
    finish("SpVV", type, &v, false);
}

void
numeric_vectors(void)
{
    static const struct {
        cudaDataType type, sum;
    } lists[] = {{CUDA_R_32F, CUDA_R_32F}, {CUDA_R_64F, CUDA_R_64F},
                 {CUDA_C_32F, CUDA_C_32F}, {CUDA_C_64F, CUDA_C_64F},
                 {CUDA_R_16F, CUDA_R_32F}, {CUDA_R_16BF, CUDA_R_32F},
                 {CUDA_C_16F, CUDA_C_32F}, {CUDA_C_16BF, CUDA_C_32F}};

    for (int t = 0; t < 8; t++) {
        const cudaDataType type = lists[t].type, sum = lists[t].sum;

        for (int round = 0; round < 4; round++) {
            if (case_begin("vectors of type %d round %d", (int)type, round)) {
                moves(type);
                sums(type, sum);
                dots(type, sum, CUSPARSE_OPERATION_NON_TRANSPOSE);
                if (type_complex(type))
                    dots(type, sum, CUSPARSE_OPERATION_CONJUGATE_TRANSPOSE);
            }
        }
    }
    if (case_begin("SpVV of bytes")) {
        dots(CUDA_R_8I, CUDA_R_32I, CUSPARSE_OPERATION_NON_TRANSPOSE);
        dots(CUDA_R_8I, CUDA_R_32F, CUSPARSE_OPERATION_NON_TRANSPOSE);
    }
}
