#ifndef SPBLAS_KERNEL_H
#include "spblas_kernel.h"
#endif

void kernel(void *const *buf, const sb_kparam *param, int64_t t0, int64_t t1);

void
kernel(void *const *buf, const sb_kparam *param, int64_t t0, int64_t t1)
{
    const int32_t *restrict J_indptr = buf[0];
    const int32_t *restrict J_indices = buf[1];
    const int32_t *restrict indptr_2 = buf[2];
    const int32_t *restrict indices_2 = buf[3];
    const int32_t *restrict indices_ell = buf[4];
    const float *restrict A = buf[5];
    const float *restrict B = buf[6];
    float *restrict C = buf[7];
    float *restrict A_bsr_2 = buf[8];
    float *restrict A_ell_2 = buf[9];
    const int64_t m = param[0].i;
    const int64_t feat_size = param[3].i;
    (void)t0;
    (void)t1;

    for (int64_t io_2 = 0, io_2_hi_ = (m >> 1); io_2 < io_2_hi_; io_2++) {
        for (int64_t pjo_2 = (int64_t)indptr_2[io_2], pjo_2_hi_ = (int64_t)indptr_2[io_2 + 1]; pjo_2 < pjo_2_hi_; pjo_2++) {
            const int32_t jo_2 = indices_2[pjo_2];
            for (int64_t ii_2 = 0; ii_2 < 2; ii_2++) {
                for (int64_t ji_2 = 0; ji_2 < 2; ji_2++) {
                    const int64_t fJ0 = sbk_find_i32(J_indices, (int64_t)J_indptr[io_2 * 2 + ii_2], (int64_t)J_indptr[io_2 * 2 + ii_2 + 1], (int64_t)jo_2 * 2 + ji_2);
                    A_bsr_2[pjo_2 * 4 + ii_2 * 2 + ji_2] = (fJ0 < 0 ? 0.0f : A[fJ0]);
                }
            }
        }
    }
    for (int64_t i2 = 0, i2_hi_ = m; i2 < i2_hi_; i2++) {
        for (int64_t pj2 = 0; pj2 < 2; pj2++) {
            if ((int64_t)indices_ell[i2 * 2 + pj2] >= 0) {
                const int32_t j2 = indices_ell[i2 * 2 + pj2];
                const int64_t fJ0 = sbk_find_i32(J_indices, (int64_t)J_indptr[i2], (int64_t)J_indptr[i2 + 1], (int64_t)j2);
                A_ell_2[i2 * 2 + pj2] = (fJ0 < 0 ? 0.0f : A[fJ0]);
            }
        }
    }
    for (int64_t i = 0, i_hi_ = m; i < i_hi_; i++) {
        for (int64_t k = 0, k_hi_ = feat_size; k < k_hi_; k++) {
            C[i * feat_size + k] = 0.0f;
        }
    }
    for (int64_t io_2 = 0, io_2_hi_ = (m >> 1); io_2 < io_2_hi_; io_2++) {
        for (int64_t ii_2 = 0; ii_2 < 2; ii_2++) {
            for (int64_t pjo_2 = (int64_t)indptr_2[io_2], pjo_2_hi_ = (int64_t)indptr_2[io_2 + 1]; pjo_2 < pjo_2_hi_; pjo_2++) {
                const int32_t jo_2 = indices_2[pjo_2];
                for (int64_t ji_2 = 0; ji_2 < 2; ji_2++) {
                    for (int64_t k = 0, k_hi_ = feat_size; k < k_hi_; k++) {
                        C[(io_2 * 2 + ii_2) * feat_size + k] += A_bsr_2[pjo_2 * 4 + ii_2 * 2 + ji_2] * B[((int64_t)jo_2 * 2 + ji_2) * feat_size + k];
                    }
                }
            }
        }
    }
    for (int64_t i2 = 0, i2_hi_ = m; i2 < i2_hi_; i2++) {
        for (int64_t pj2 = 0; pj2 < 2; pj2++) {
            if ((int64_t)indices_ell[i2 * 2 + pj2] >= 0) {
                const int32_t j2 = indices_ell[i2 * 2 + pj2];
                for (int64_t k = 0, k_hi_ = feat_size; k < k_hi_; k++) {
                    C[i2 * feat_size + k] += A_ell_2[i2 * 2 + pj2] * B[(int64_t)j2 * feat_size + k];
                }
            }
        }
    }
}
