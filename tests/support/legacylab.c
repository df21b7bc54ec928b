/*
 * What tests of the legacy routines share.
 */
#include "legacylab.h"

#include "objects.h"

#include "base/alloc.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#ifdef _OPENMP
#include <omp.h>
#endif

const sb_dtype lab_dtypes[LAB_TYPES] = {SB_F32, SB_F64, SB_C32,
                                        SB_C64, SB_F16, SB_BF16};
const spblasDataType_t lab_types[LAB_TYPES] = {SPBLAS_R_32F, SPBLAS_R_64F,
                                               SPBLAS_C_32F, SPBLAS_C_64F,
                                               SPBLAS_R_16F, SPBLAS_R_16BF};
spblasHandle_t lab_handle;

int
lab_begin(void **state)
{
    lab_ok(spblasCreate(&lab_handle));
    return objects_make(state);
}

int
lab_end(void **state)
{
    lab_ok(spblasDestroy(lab_handle));
    return objects_end(state);
}

void
lab_ok(spblasStatus_t st)
{
    if (st != SPBLAS_STATUS_SUCCESS)
        fail_msg("%s", spblasGetLastErrorMessage(NULL));
}

spblasMatDescr_t
lab_descr(int base)
{
    return (spblasMatDescr_t){.base = base ? SPBLAS_INDEX_BASE_ONE
                                           : SPBLAS_INDEX_BASE_ZERO};
}

sb_matrix
lab_csr(uint64_t k, sb_dtype t, int64_t rows, int64_t cols, int base)
{
    gen_spec spec = gen_case(k);

    spec.format = SB_FORMAT_CSR;
    spec.ptr_type = SB_I32;
    spec.idx_type = SB_I32;
    spec.val_type = t;
    spec.base = base;
    spec.rows = rows < 0 ? spec.rows : rows;
    spec.cols = cols < 0 ? spec.cols : cols;
    spec.unsorted = false;
    spec.duplicates = false;
    spec.integer = true;
    spec.batch = 1;
    return gen_matrix(&spec);
}

static void *
zeros(int64_t count, size_t size)
{
    void *p = calloc((size_t)count + 1, size);

    assert_non_null(p);
    return p;
}

sb_value *
lab_dense(const sb_matrix *a)
{
    sb_value *d = zeros(a->rows * a->cols, sizeof *d);

    for (int64_t i = 0; i < a->rows; i++) {
        const sb_slots s = sb_matrix_slots(a, i);

        for (int64_t p = s.lo; p < s.hi; p++) {
            const int64_t j = sb_index(a->idx, a->idx_type, p) - a->base;
            const sb_value v = sb_value_load(a->val_type, a->val, p);

            assert_in_range(j, 0, a->cols - 1);
            d[i * a->cols + j].re += v.re;
            d[i * a->cols + j].im += v.im;
        }
    }
    return d;
}

int *
lab_stored(const sb_matrix *a)
{
    int *d = zeros(a->rows * a->cols, sizeof *d);

    for (int64_t i = 0; i < a->rows; i++) {
        const sb_slots s = sb_matrix_slots(a, i);

        for (int64_t p = s.lo; p < s.hi; p++)
            d[i * a->cols + sb_index(a->idx, a->idx_type, p) - a->base]++;
    }
    return d;
}

bool
lab_equal(sb_value a, sb_value b)
{
    return a.re == b.re && a.im == b.im;
}

sb_value
lab_mul(sb_value a, sb_value b)
{
    return (sb_value){a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
}

sb_value
lab_combine(sb_value alpha, sb_value x, sb_value beta, sb_value y)
{
    const sb_value u = lab_mul(alpha, x), v = lab_mul(beta, y);

    return (sb_value){u.re + v.re, u.im + v.im};
}

const void *
lab_scalar(sb_dtype t, double *bytes, sb_value v)
{
    sb_value_store(sb_dtype_sum(t), bytes, 0, v);
    return bytes;
}

void *
lab_buffer(size_t bytes)
{
    void *p = bytes ? malloc(bytes) : NULL;

    assert_true(bytes == 0 || p);
    return p;
}

void
lab_threads(int n)
{
#ifdef _OPENMP
    omp_set_num_threads(n);
#else
    (void)n;
#endif
}

void
lab_sweep(spblasStatus_t (*call)(void *user), void (*undo)(void *user), void *user)
{
    const int64_t live = sb_alloc_live();
    spblasStatus_t st = SPBLAS_STATUS_ALLOC_FAILED;

    for (int allowed = 0; st != SPBLAS_STATUS_SUCCESS; allowed++) {
        (void)sb_alloc_fail_after(allowed);
        st = call(user);
        (void)sb_alloc_fail_after(-1);
        if (st != SPBLAS_STATUS_SUCCESS) {
            assert_int_equal(st, SPBLAS_STATUS_ALLOC_FAILED);
            assert_true(strlen(spblasGetLastErrorMessage(NULL)) > 10);
            assert_int_equal(sb_alloc_live(), live);
        } else {
            assert_true(allowed > 0);
            if (undo)
                undo(user);
        }
    }
    assert_int_equal(sb_alloc_live(), live);
}
