/*
 * Tables of calls that must fail: live objects for their lines, and the judge of a
 * finished table. A line is
 *
 *     TRY(status, "argument", call);
 *
 * and the call must answer that status and a sentence naming the argument.
 */
#ifndef SB_TEST_OBJECTS_H
#define SB_TEST_OBJECTS_H

#include "spblas.h"

/* A 3 x 4 (CSR), O the same as COO, R 4 x 3 (CSC), Q 6 x 8 (BSR, block 2), H16 A with
 * 16-bit indices, S 3 x 2 (CSR); B and Y 4 x 2, C 3 x 2, X 3 x 4, D64 4 x 2 of f64; x 4
 * and y 3 elements. The no_* stay NULL. */
extern spblasHandle_t h, no_h;
extern spblasSpMatDescr_t A, O, R, Q, S, H16, no_sp;
extern spblasDnMatDescr_t B, C, X, Y, D64, no_dm;
extern spblasDnVecDescr_t x, y, no_dv;

/* The arrays behind them; odd is aligned to nothing. */
extern int32_t ptr[4], idx[3], rows[3];
extern float val[12], dense[64];
extern double wide[64];
extern void *const odd;
extern const float one;

/* Short names of the codes that lines repeat. */
#define I32 SPBLAS_INDEX_32I
#define I64 SPBLAS_INDEX_64I
#define U16 SPBLAS_INDEX_16U
#define Z SPBLAS_INDEX_BASE_ZERO
#define ONE SPBLAS_INDEX_BASE_ONE
#define F32 SPBLAS_R_32F
#define F64 SPBLAS_R_64F
#define COL SPBLAS_ORDER_COL
#define ROW SPBLAS_ORDER_ROW
#define N SPBLAS_OPERATION_NON_TRANSPOSE
#define T SPBLAS_OPERATION_TRANSPOSE
#define BAD 3  /* INVALID_VALUE */
#define UNS 10 /* NOT_SUPPORTED */
#define MM SPBLAS_SPMM_ALG_DEFAULT
#define MV SPBLAS_SPMV_ALG_DEFAULT
#define SD SPBLAS_SDDMM_ALG_DEFAULT
#define MAX INT64_MAX
#define OP3 ((spblasOperation_t)3)
#define TYPE9 ((spblasDataType_t)9)

#define TRY(expect, named, call) objects_record(call, expect, #call, named)
void objects_record(spblasStatus_t status, int expect, const char *call,
                    const char *named);
/* Fails the test at the first line that is wrong, and empties the table. */
void objects_judge(void);
/* Fails the test unless SUCCESS. */
void objects_ok(spblasStatus_t st);

/* Group set-up and tear-down. */
int objects_make(void **state);
int objects_end(void **state);

#define OBJECTS_CASE(name, fill)   \
    static void name(void **state) \
    {                              \
        (void)state;               \
        fill();                    \
        objects_judge();           \
    }

#endif
