#ifndef SPBLAS_KERNEL_H
#include "spblas_kernel.h"
#endif

void kernel(void *const *buf, const sb_kparam *param, int64_t t0, int64_t t1);

void
kernel(void *const *buf, const sb_kparam *param, int64_t t0, int64_t t1)
{
    const int32_t *restrict J_indptr = buf[0];
    const int32_t *restrict J_indices = buf[1];
    const float *restrict A = buf[2];
    const float *restrict B = buf[3];
    const float *restrict X = buf[4];
    float *restrict Y = buf[5];
    const int64_t m = param[0].i;
    const int64_t feat_size = param[3].i;
    (void)t0;
    (void)t1;

    for (int64_t i = 0, i_hi_ = m; i < i_hi_; i++) {
        for (int64_t pj = (int64_t)J_indptr[i], pj_hi_ = (int64_t)J_indptr[i + 1]; pj < pj_hi_; pj++) {
            const int32_t j = J_indices[pj];
            Y[pj] = 0.0f;
            for (int64_t k = 0, k_hi_ = feat_size; k < k_hi_; k++) {
                Y[pj] += A[i * feat_size + k] * B[(int64_t)j * feat_size + k] * X[pj];
            }
        }
    }
}
