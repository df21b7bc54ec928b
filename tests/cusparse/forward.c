/*
 * Forwarding, proved with a library in NVIDIA's place (fake_real.c), named by
 * SPBLAS_CUSPARSE. One argument says what the environment should bring about, because it is
 * decided once per process:
 *
 *   here      nothing is forwarded
 *   legacy    the older routine is, with that library's own objects
 *   all       objects are that library's from the start
 */
#include "fake_real.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int failures;

#define CHECK(what) check(what, #what, __LINE__)
static void
check(bool ok, const char *what, int line)
{
    if (!ok) {
        (void)fprintf(stderr, "line %d: %s\n", line, what);
        failures++;
    }
}

static struct fake_seen (*seen)(void);

struct objects {
    cusparseHandle_t handle;
    cusparseMatDescr_t descr;
    csrilu02Info_t info;
};

static struct objects
make(void)
{
    struct objects o = {0};

    CHECK(cusparseCreate(&o.handle) == CUSPARSE_STATUS_SUCCESS);
    CHECK(cusparseCreateMatDescr(&o.descr) == CUSPARSE_STATUS_SUCCESS);
    CHECK(cusparseCreateCsrilu02Info(&o.info) == CUSPARSE_STATUS_SUCCESS);
    return o;
}

static void
end(struct objects *o)
{
    CHECK(cusparseDestroyCsrilu02Info(o->info) == CUSPARSE_STATUS_SUCCESS);
    CHECK(cusparseDestroyMatDescr(o->descr) == CUSPARSE_STATUS_SUCCESS);
    CHECK(cusparseDestroy(o->handle) == CUSPARSE_STATUS_SUCCESS);
    CHECK(seen().live == 0);
}

static cusparseStatus_t
call(const struct objects *o, const double *value, const int *row, const int *column,
     void *buffer)
{
    return cusparseDcsrilu02_analysis(o->handle, 3, 5, o->descr, value, row, column,
                                      o->info, CUSPARSE_SOLVE_POLICY_USE_LEVEL, buffer);
}

static void
here(void)
{
    struct objects o = make();
    cusparseDnVecDescr_t x = NULL;
    static double v[3];

    CHECK(call(&o, NULL, NULL, NULL, NULL) != CUSPARSE_STATUS_ZERO_PIVOT);
    CHECK(cusparseCreateDnVec(&x, 3, v, CUDA_R_64F) == CUSPARSE_STATUS_SUCCESS);
    CHECK(cusparseDestroyDnVec(x) == CUSPARSE_STATUS_SUCCESS);
    CHECK(seen().live == 0 && seen().calls == 0);
    end(&o);
}

static void
legacy(void)
{
    struct objects o = make(), none = {0};
    cusparseStatus_t st;
    static double v[5];
    static int p[4], q[5];
    char buffer[8];
    struct fake_seen at;

    CHECK(seen().live == 0); /* its objects come with the first call that needs them */
    (void)cusparseSetStream(o.handle, (cudaStream_t)(void *)buffer);
    (void)cusparseSetPointerMode(o.handle, CUSPARSE_POINTER_MODE_DEVICE);
    (void)cusparseSetMatType(o.descr, CUSPARSE_MATRIX_TYPE_TRIANGULAR);
    (void)cusparseSetMatFillMode(o.descr, CUSPARSE_FILL_MODE_UPPER);
    (void)cusparseSetMatDiagType(o.descr, CUSPARSE_DIAG_TYPE_UNIT);
    (void)cusparseSetMatIndexBase(o.descr, CUSPARSE_INDEX_BASE_ONE);
    st = call(&o, v, p, q, buffer);
    at = seen();
    CHECK(st == CUSPARSE_STATUS_ZERO_PIVOT && at.own && at.live == 3 && at.calls == 1);
    CHECK(at.stream == (cudaStream_t)(void *)buffer && at.mode == 1);
    CHECK(at.field[0] == 3 && at.field[1] == 1 && at.field[2] == 1 && at.field[3] == 1);
    CHECK(at.m == 3 && at.nnz == 5 && at.policy == 1 && at.buffer == buffer);
    CHECK(at.value == v && at.row == p && at.column == q);

    /* The same objects again, with what has changed since. */
    (void)cusparseSetPointerMode(o.handle, CUSPARSE_POINTER_MODE_HOST);
    (void)cusparseSetMatFillMode(o.descr, CUSPARSE_FILL_MODE_LOWER);
    st = call(&o, v, p, q, buffer);
    at = seen();
    CHECK(st == CUSPARSE_STATUS_ZERO_PIVOT && at.live == 3);
    CHECK(at.mode == 0 && at.field[1] == 0);

    /* No handle: ours answers. No description: theirs sees that. */
    CHECK(call(&none, v, p, q, buffer) == CUSPARSE_STATUS_NOT_INITIALIZED);
    none.handle = o.handle;
    CHECK(call(&none, v, p, q, buffer) == CUSPARSE_STATUS_INTERNAL_ERROR);
    end(&o);
}

static void
all(void)
{
    struct objects o = make();
    cusparseDnVecDescr_t x = NULL;
    static double v[3];

    CHECK(seen().live == 3);
    CHECK(call(&o, NULL, NULL, NULL, NULL) == CUSPARSE_STATUS_ZERO_PIVOT && seen().own);
    /* What that library lacks stays here. */
    CHECK(cusparseCreateDnVec(&x, 3, v, CUDA_R_64F) == CUSPARSE_STATUS_SUCCESS);
    CHECK(cusparseDestroyDnVec(x) == CUSPARSE_STATUS_SUCCESS);
    end(&o);
}

int
main(int argc, char **argv)
{
    void *const fake = argc == 3 ? dlopen(argv[2], RTLD_NOW | RTLD_LOCAL) : NULL;

    if (!fake) {
        (void)fprintf(stderr, "usage: forward here|legacy|all LIBRARY\n");
        return 2;
    }
    *(void **)&seen = dlsym(fake, "fake_seen");
    if (strcmp(argv[1], "here") == 0)
        here();
    else if (strcmp(argv[1], "legacy") == 0)
        legacy();
    else
        all();
    return failures != 0;
}
