/*
 * The older families through cuSPARSE's names: that each letter reaches libspblas with its
 * own type, that descriptions, states, by-value thresholds and two kinds of buffer sizes
 * arrive, and what comes back for missing handles, descriptions and states. What they
 * compute is tested in tests/api/legacy_*.
 */
#include "cusparse.h"

#include <stdio.h>
#include <stdlib.h>

static int failures;

#define CHECK(condition)                                         \
    do {                                                         \
        if (!(condition)) {                                      \
            (void)printf("line %d: %s\n", __LINE__, #condition); \
            failures++;                                          \
        }                                                        \
    } while (0)
#define OK(call) CHECK((call) == CUSPARSE_STATUS_SUCCESS)

static cusparseHandle_t handle;
static cusparseMatDescr_t one; /* base 1 */

/* [2 1; 0 4] of base 1 for one letter: sums, filters, products, factors, systems. */
#define LETTER(L, T, NUMBER, IS)                                                       \
    static void test_##L(void)                                                         \
    {                                                                                  \
        const int ptr[] = {1, 3, 4}, ind[] = {1, 2, 2};                                \
        const T val[] = {NUMBER(2), NUMBER(1), NUMBER(4)}, alpha = NUMBER(3),          \
                beta = NUMBER(0), tol = NUMBER(1);                                     \
        T c[4] = {NUMBER(0)}, lu[] = {NUMBER(2), NUMBER(1), NUMBER(4)},                \
          x[] = {NUMBER(1), NUMBER(2)}, y[] = {NUMBER(7), NUMBER(7)},                  \
          b[] = {NUMBER(4), NUMBER(8)}, d[] = {NUMBER(2), NUMBER(4)},                  \
          dl[] = {NUMBER(0), NUMBER(0)}, du[] = {NUMBER(1), NUMBER(0)};                \
        double room[64] = {0};                                                         \
        int at[3] = {0}, col[4] = {0}, count[2], nnz = -1, bytes = -1, pivot = 5;      \
        size_t size = 99;                                                              \
        csrilu02Info_t ilu;                                                            \
                                                                                       \
        OK(cusparse##L##csrgeam2_bufferSizeExt(handle, 2, 2, &alpha, one, 3, val, ptr, \
                                               ind, &alpha, one, 3, val, ptr, ind,     \
                                               one, c, at, col, &size));               \
        CHECK(size == 0);                                                              \
        OK(cusparseXcsrgeam2Nnz(handle, 2, 2, one, 3, ptr, ind, one, 3, ptr, ind, one, \
                                at, &nnz, room));                                      \
        CHECK(nnz == 3 && at[0] == 1 && at[2] == 4);                                   \
        OK(cusparse##L##csrgeam2(handle, 2, 2, &alpha, one, 3, val, ptr, ind, &alpha,  \
                                 one, 3, val, ptr, ind, one, c, at, col, room));       \
        CHECK(IS(c[0], 12) && IS(c[1], 6) && IS(c[2], 24) && col[2] == 2);             \
        OK(cusparse##L##nnz_compress(handle, 2, one, val, ptr, count, &nnz, tol));     \
        CHECK(nnz == 2 && count[0] == 1 && count[1] == 1);                             \
        OK(cusparse##L##csr2csr_compress(handle, 2, 2, one, val, ind, ptr, 3, count,   \
                                         c, col, at, tol));                            \
        CHECK(IS(c[0], 2) && IS(c[1], 4) && col[0] == 1 && at[1] == 2);                \
        OK(cusparse##L##bsrmv(handle, CUSPARSE_DIRECTION_ROW,                          \
                              CUSPARSE_OPERATION_NON_TRANSPOSE, 2, 2, 3, &alpha, one,  \
                              val, ptr, ind, 1, x, &beta, y));                         \
        CHECK(IS(y[0], 12) && IS(y[1], 24));                                           \
        OK(cusparseCreateCsrilu02Info(&ilu));                                          \
        OK(cusparse##L##csrilu02_bufferSize(handle, 2, 3, one, lu, ptr, ind, ilu,      \
                                            &bytes));                                  \
        CHECK(bytes >= 0 && bytes <= (int)sizeof room);                                \
        CHECK(cusparse##L##csrilu02(handle, 2, 3, one, lu, ptr, ind, ilu,              \
                                    CUSPARSE_SOLVE_POLICY_NO_LEVEL,                    \
                                    room) == CUSPARSE_STATUS_INVALID_VALUE);           \
        OK(cusparse##L##csrilu02_analysis(handle, 2, 3, one, lu, ptr, ind, ilu,        \
                                          CUSPARSE_SOLVE_POLICY_NO_LEVEL, room));      \
        OK(cusparse##L##csrilu02(handle, 2, 3, one, lu, ptr, ind, ilu,                 \
                                 CUSPARSE_SOLVE_POLICY_NO_LEVEL, room));               \
        OK(cusparseXcsrilu02_zeroPivot(handle, ilu, &pivot));                          \
        CHECK(pivot == -1 && IS(lu[0], 2) && IS(lu[2], 4));                            \
        OK(cusparseDestroyCsrilu02Info(ilu));                                          \
        OK(cusparse##L##gtsv2_bufferSizeExt(handle, 2, 1, dl, d, du, b, 2, &size));    \
        CHECK(size > 0 && size <= sizeof room);                                        \
        OK(cusparse##L##gtsv2(handle, 2, 1, dl, d, du, b, 2, room));                   \
        CHECK(IS(b[0], 1) && IS(b[1], 2));                                             \
        OK(cusparseXcsr2bsrNnz(handle, CUSPARSE_DIRECTION_ROW, 2, 2, one, ptr, ind, 2, \
                               one, at, &nnz));                                        \
        OK(cusparse##L##csr2bsr(handle, CUSPARSE_DIRECTION_ROW, 2, 2, one, val, ptr,   \
                                ind, 2, one, c, at, col));                             \
        CHECK(nnz == 1 && col[0] == 1 && IS(c[1], 1) && IS(c[2], 0) && IS(c[3], 4));   \
    }

#define PLAIN(v) (v)
#define PLAIN_IS(a, v) ((a) == (v))
#define PAIR(v) \
    {           \
        v, 0    \
    }
#define PAIR_IS(a, v) ((a).x == (v) && (a).y == 0)
LETTER(S, float, PLAIN, PLAIN_IS)
LETTER(D, double, PLAIN, PLAIN_IS)
LETTER(C, cuComplex, PAIR, PAIR_IS)
LETTER(Z, cuDoubleComplex, PAIR, PAIR_IS)

/* The real part of a threshold is what counts, and pruning has H. */
static void
test_half(void)
{
    const unsigned short dense[] = {0x3c00, 0x4000, 0xc200, 0},
                         two = 0x3c00; /* 1 2 -3 0 */
    int at[3], nnz = -1;
    size_t size = 9;

    OK(cusparseHpruneDense2csr_bufferSizeExt(handle, 2, 2, (const void *)dense, 2,
                                             (const void *)&two, one, NULL, at, NULL,
                                             &size));
    CHECK(size == 0);
    OK(cusparseHpruneDense2csrNnz(handle, 2, 2, (const void *)dense, 2,
                                  (const void *)&two, one, at, &nnz, NULL));
    CHECK(nnz == 2 && at[0] == 1 && at[1] == 2 && at[2] == 3);
}

static void
test_mistakes(void)
{
    const int ptr[] = {0, 1}, ind[] = {0};
    const float val[] = {1};
    int at[2], position, nnz;
    bsrsv2Info_t other;

    CHECK(cusparseXcoo2csr(NULL, ind, 1, 1, at, CUSPARSE_INDEX_BASE_ZERO) ==
          CUSPARSE_STATUS_NOT_INITIALIZED);
    CHECK(cusparseSnnz_compress(handle, 1, NULL, val, ptr, at, &nnz, 1) ==
          CUSPARSE_STATUS_INVALID_VALUE);
    CHECK(cusparseXcsrilu02_zeroPivot(handle, NULL, &position) ==
          CUSPARSE_STATUS_INVALID_VALUE);
    OK(cusparseCreateBsrsv2Info(&other));
    CHECK(cusparseXcsrilu02_zeroPivot(handle, (csrilu02Info_t)(void *)other,
                                      &position) == CUSPARSE_STATUS_INVALID_VALUE);
    OK(cusparseDestroyBsrsv2Info(other));
    OK(cusparseSetMatType(one, CUSPARSE_MATRIX_TYPE_SYMMETRIC));
    CHECK(cusparseSnnz_compress(handle, 1, one, val, ptr, at, &nnz, 1) ==
          CUSPARSE_STATUS_MATRIX_TYPE_NOT_SUPPORTED);
}

int
main(void)
{
    OK(cusparseCreate(&handle));
    OK(cusparseCreateMatDescr(&one));
    OK(cusparseSetMatIndexBase(one, CUSPARSE_INDEX_BASE_ONE));
    test_S();
    test_D();
    test_C();
    test_Z();
    test_half();
    test_mistakes();
    OK(cusparseDestroyMatDescr(one));
    OK(cusparseDestroy(handle));
    return failures ? EXIT_FAILURE : EXIT_SUCCESS;
}
