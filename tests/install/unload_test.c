/*
 * The library as a part of a plug-in: loaded, used by a team, unloaded and loaded
 * again, by a program that is linked with neither it nor OpenMP. Argument:
 * libspblas.so.
 */
#include "spblas.h"

#include <dlfcn.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <time.h>

#include <cmocka.h>

enum { ROWS = 20000, EACH = 8, TIMES = 10 };

static const char *path;

/* Every function by its own type. */
#define GET(lib, name)                      \
    __typeof__(&(name)) name##_ = NULL;     \
    *(void **)&name##_ = dlsym(lib, #name); \
    assert_non_null(name##_)

static void
multiply(void *lib)
{
    static int32_t ptr[ROWS + 1], idx[ROWS * EACH];
    static float val[ROWS * EACH], x[ROWS], y[ROWS];
    const float alpha = 1, beta = 0;
    spblasHandle_t h = NULL;
    spblasSpMatDescr_t a = NULL;
    spblasDnVecDescr_t dx = NULL, dy = NULL;

    GET(lib, spblasCreate);
    GET(lib, spblasDestroy);
    GET(lib, spblasCreateCsr);
    GET(lib, spblasDestroySpMat);
    GET(lib, spblasCreateDnVec);
    GET(lib, spblasDestroyDnVec);
    GET(lib, spblasSpMV);
    for (int i = 0; i < ROWS; i++) {
        ptr[i + 1] = (i + 1) * EACH;
        x[i] = 1;
        for (int q = 0; q < EACH; q++) {
            idx[i * EACH + q] = i / EACH * EACH + q;
            val[i * EACH + q] = 1;
        }
    }
    assert_int_equal(spblasCreate_(&h), SPBLAS_STATUS_SUCCESS);
    assert_int_equal(spblasCreateCsr_(&a, ROWS, ROWS, ROWS * EACH, ptr, idx, val,
                                      SPBLAS_INDEX_32I, SPBLAS_INDEX_32I,
                                      SPBLAS_INDEX_BASE_ZERO, SPBLAS_R_32F),
                     SPBLAS_STATUS_SUCCESS);
    assert_int_equal(spblasCreateDnVec_(&dx, ROWS, x, SPBLAS_R_32F),
                     SPBLAS_STATUS_SUCCESS);
    assert_int_equal(spblasCreateDnVec_(&dy, ROWS, y, SPBLAS_R_32F),
                     SPBLAS_STATUS_SUCCESS);
    for (int q = 0; q < 20; q++) /* until a team is worth waking */
        assert_int_equal(spblasSpMV_(h, SPBLAS_OPERATION_NON_TRANSPOSE, &alpha, a, dx,
                                     &beta, dy, SPBLAS_R_32F, SPBLAS_SPMV_ALG_DEFAULT,
                                     NULL),
                         SPBLAS_STATUS_SUCCESS);
    for (int i = 0; i < ROWS; i++)
        assert_true(y[i] == EACH);
    assert_int_equal(spblasDestroyDnVec_(dx), SPBLAS_STATUS_SUCCESS);
    assert_int_equal(spblasDestroyDnVec_(dy), SPBLAS_STATUS_SUCCESS);
    assert_int_equal(spblasDestroySpMat_(a), SPBLAS_STATUS_SUCCESS);
    assert_int_equal(spblasDestroy_(h), SPBLAS_STATUS_SUCCESS);
}

static void
test_unload(void **state)
{
    const struct timespec pause = {0, 2000000};

    (void)state;
    for (int q = 0; q < TIMES; q++) {
        void *lib = dlopen(path, RTLD_NOW | RTLD_LOCAL);

        assert_non_null(lib);
        multiply(lib);
        assert_int_equal(dlclose(lib), 0);
        (void)nanosleep(&pause, NULL); /* threads that wait turn meanwhile */
    }
}

int
main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_unload)};

    path = argc > 1 ? argv[1] : "libspblas.so.0";
    return cmocka_run_group_tests(tests, NULL, NULL);
}
