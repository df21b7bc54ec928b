/*
 * Short memory: each constructor with its first, second, ... allocation failing answers
 * ALLOC_FAILED and leaves its output alone, until it succeeds. The allocators here take
 * libc's place for the whole program.
 */
#include <cusparse.h>

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t count, size_t size);
extern void *__libc_memalign(size_t alignment, size_t size);

static _Thread_local int until = -1; /* allocations that still work; -1: all */

static bool
fails(void)
{
    if (until < 0)
        return false;
    return until-- == 0;
}

void *
malloc(size_t size)
{
    return fails() ? NULL : __libc_malloc(size);
}

void *
calloc(size_t count, size_t size)
{
    return fails() ? NULL : __libc_calloc(count, size);
}

int
posix_memalign(void **out, size_t alignment, size_t size)
{
    *out = fails() ? NULL : __libc_memalign(alignment, size);
    return *out ? 0 : 12; /* ENOMEM */
}

static int wrong, refused;

/* `made` is a pointer variable that create fills and destroy ends. */
#define SWEEP(type, create, destroy)                                              \
    do {                                                                          \
        char mark;                                                                \
        cusparseStatus_t st = CUSPARSE_STATUS_ALLOC_FAILED;                       \
                                                                                  \
        for (int k = 0; k < 50 && st != CUSPARSE_STATUS_SUCCESS; k++) {           \
            type made = (type)(void *)&mark;                                      \
                                                                                  \
            until = k;                                                            \
            st = (create);                                                        \
            until = -1;                                                           \
            refused += st == CUSPARSE_STATUS_ALLOC_FAILED;                        \
            if (st == CUSPARSE_STATUS_SUCCESS)                                    \
                st = (destroy);                                                   \
            else if (st != CUSPARSE_STATUS_ALLOC_FAILED || made != (void *)&mark) \
                wrong++;                                                          \
        }                                                                         \
        if (st != CUSPARSE_STATUS_SUCCESS) {                                      \
            (void)fprintf(stderr, "%s never succeeds\n", #create);                \
            wrong++;                                                              \
        }                                                                         \
    } while (0)

int
main(void)
{
    static int index[4];
    static double value[4];
    const cusparseIndexType_t i = CUSPARSE_INDEX_32I;
    const cusparseIndexBase_t base = CUSPARSE_INDEX_BASE_ZERO;
    const cudaDataType type = CUDA_R_64F;

    SWEEP(cusparseHandle_t, cusparseCreate(&made), cusparseDestroy(made));
    SWEEP(cusparseMatDescr_t, cusparseCreateMatDescr(&made),
          cusparseDestroyMatDescr(made));
    SWEEP(csrilu02Info_t, cusparseCreateCsrilu02Info(&made),
          cusparseDestroyCsrilu02Info(made));
    SWEEP(pruneInfo_t, cusparseCreatePruneInfo(&made), cusparseDestroyPruneInfo(made));
    SWEEP(cusparseDnVecDescr_t, cusparseCreateDnVec(&made, 4, value, type),
          cusparseDestroyDnVec(made));
    SWEEP(cusparseDnMatDescr_t,
          cusparseCreateDnMat(&made, 2, 2, 2, value, type, CUSPARSE_ORDER_ROW),
          cusparseDestroyDnMat(made));
    SWEEP(cusparseSpVecDescr_t,
          cusparseCreateSpVec(&made, 9, 4, index, value, i, base, type),
          cusparseDestroySpVec(made));
    SWEEP(cusparseSpMatDescr_t,
          cusparseCreateCsr(&made, 3, 3, 4, index, index, value, i, i, base, type),
          cusparseDestroySpMat(made));
    SWEEP(cusparseSpMatDescr_t,
          cusparseCreateCoo(&made, 3, 3, 4, index, index, value, i, base, type),
          cusparseDestroySpMat(made));
    (void)printf("%d refusals, %d wrong\n", refused, wrong);
    return wrong || refused < 9; /* each at least once */
}
