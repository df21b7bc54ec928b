#ifndef SPBLAS_KERNEL_H
#include "spblas_kernel.h"
#endif

void kernel(void *const *buf, const sb_kparam *param, int64_t t0, int64_t t1);

void
kernel(void *const *buf, const sb_kparam *param, int64_t t0, int64_t t1)
{
    const int32_t *restrict J_indptr = buf[0];
    const int32_t *restrict J_indices = buf[1];
    const int32_t *restrict indptr_4 = buf[2];
    const int32_t *restrict indices_4 = buf[3];
    const int32_t *restrict indptr_16 = buf[4];
    const int32_t *restrict indices_16 = buf[5];
    const int32_t *restrict indptr_32 = buf[6];
    const int32_t *restrict indices_32 = buf[7];
    const float *restrict A = buf[8];
    const float *restrict B = buf[9];
    float *restrict C = buf[10];
    float *restrict A_bsr_4 = buf[11];
    float *restrict A_bsr_16 = buf[12];
    float *restrict A_bsr_32 = buf[13];
    const int64_t m = param[0].i;
    const int64_t feat_size = param[3].i;
    (void)t0;
    (void)t1;

    for (int64_t io_4 = 0, io_4_hi_ = (m >> 2); io_4 < io_4_hi_; io_4++) {
        for (int64_t pjo_4 = (int64_t)indptr_4[io_4], pjo_4_hi_ = (int64_t)indptr_4[io_4 + 1]; pjo_4 < pjo_4_hi_; pjo_4++) {
            const int32_t jo_4 = indices_4[pjo_4];
            for (int64_t ii_4 = 0; ii_4 < 4; ii_4++) {
                for (int64_t ji_4 = 0; ji_4 < 4; ji_4++) {
                    const int64_t fJ0 = sbk_find_i32(J_indices, (int64_t)J_indptr[io_4 * 4 + ii_4], (int64_t)J_indptr[io_4 * 4 + ii_4 + 1], (int64_t)jo_4 * 4 + ji_4);
                    A_bsr_4[pjo_4 * 16 + ii_4 * 4 + ji_4] = (fJ0 < 0 ? 0.0f : A[fJ0]);
                }
            }
        }
    }
    for (int64_t io_16 = 0, io_16_hi_ = (m >> 4); io_16 < io_16_hi_; io_16++) {
        for (int64_t pjo_16 = (int64_t)indptr_16[io_16], pjo_16_hi_ = (int64_t)indptr_16[io_16 + 1]; pjo_16 < pjo_16_hi_; pjo_16++) {
            const int32_t jo_16 = indices_16[pjo_16];
            for (int64_t ii_16 = 0; ii_16 < 16; ii_16++) {
                for (int64_t ji_16 = 0; ji_16 < 16; ji_16++) {
                    const int64_t fJ0 = sbk_find_i32(J_indices, (int64_t)J_indptr[io_16 * 16 + ii_16], (int64_t)J_indptr[io_16 * 16 + ii_16 + 1], (int64_t)jo_16 * 16 + ji_16);
                    A_bsr_16[pjo_16 * 256 + ii_16 * 16 + ji_16] = (fJ0 < 0 ? 0.0f : A[fJ0]);
                }
            }
        }
    }
    for (int64_t io_32 = 0, io_32_hi_ = (m >> 5); io_32 < io_32_hi_; io_32++) {
        for (int64_t pjo_32 = (int64_t)indptr_32[io_32], pjo_32_hi_ = (int64_t)indptr_32[io_32 + 1]; pjo_32 < pjo_32_hi_; pjo_32++) {
            const int32_t jo_32 = indices_32[pjo_32];
            for (int64_t ii_32 = 0; ii_32 < 32; ii_32++) {
                for (int64_t ji_32 = 0; ji_32 < 32; ji_32++) {
                    const int64_t fJ0 = sbk_find_i32(J_indices, (int64_t)J_indptr[io_32 * 32 + ii_32], (int64_t)J_indptr[io_32 * 32 + ii_32 + 1], (int64_t)jo_32 * 32 + ji_32);
                    A_bsr_32[pjo_32 * 1024 + ii_32 * 32 + ji_32] = (fJ0 < 0 ? 0.0f : A[fJ0]);
                }
            }
        }
    }
    for (int64_t i = 0, i_hi_ = m; i < i_hi_; i++) {
        for (int64_t k = 0, k_hi_ = feat_size; k < k_hi_; k++) {
            C[i * feat_size + k] = 0.0f;
        }
    }
    for (int64_t io_4 = 0, io_4_hi_ = (m >> 2); io_4 < io_4_hi_; io_4++) {
        for (int64_t ii_4 = 0; ii_4 < 4; ii_4++) {
            for (int64_t pjo_4 = (int64_t)indptr_4[io_4], pjo_4_hi_ = (int64_t)indptr_4[io_4 + 1]; pjo_4 < pjo_4_hi_; pjo_4++) {
                const int32_t jo_4 = indices_4[pjo_4];
                for (int64_t ji_4 = 0; ji_4 < 4; ji_4++) {
                    for (int64_t k = 0, k_hi_ = feat_size; k < k_hi_; k++) {
                        C[(io_4 * 4 + ii_4) * feat_size + k] += A_bsr_4[pjo_4 * 16 + ii_4 * 4 + ji_4] * B[((int64_t)jo_4 * 4 + ji_4) * feat_size + k];
                    }
                }
            }
        }
    }
    for (int64_t io_16 = 0, io_16_hi_ = (m >> 4); io_16 < io_16_hi_; io_16++) {
        for (int64_t ii_16 = 0; ii_16 < 16; ii_16++) {
            for (int64_t pjo_16 = (int64_t)indptr_16[io_16], pjo_16_hi_ = (int64_t)indptr_16[io_16 + 1]; pjo_16 < pjo_16_hi_; pjo_16++) {
                const int32_t jo_16 = indices_16[pjo_16];
                for (int64_t ji_16 = 0; ji_16 < 16; ji_16++) {
                    for (int64_t k = 0, k_hi_ = feat_size; k < k_hi_; k++) {
                        C[(io_16 * 16 + ii_16) * feat_size + k] += A_bsr_16[pjo_16 * 256 + ii_16 * 16 + ji_16] * B[((int64_t)jo_16 * 16 + ji_16) * feat_size + k];
                    }
                }
            }
        }
    }
    for (int64_t io_32 = 0, io_32_hi_ = (m >> 5); io_32 < io_32_hi_; io_32++) {
        for (int64_t ii_32 = 0; ii_32 < 32; ii_32++) {
            for (int64_t pjo_32 = (int64_t)indptr_32[io_32], pjo_32_hi_ = (int64_t)indptr_32[io_32 + 1]; pjo_32 < pjo_32_hi_; pjo_32++) {
                const int32_t jo_32 = indices_32[pjo_32];
                for (int64_t ji_32 = 0; ji_32 < 32; ji_32++) {
                    for (int64_t k = 0, k_hi_ = feat_size; k < k_hi_; k++) {
                        C[(io_32 * 32 + ii_32) * feat_size + k] += A_bsr_32[pjo_32 * 1024 + ii_32 * 32 + ji_32] * B[((int64_t)jo_32 * 32 + ji_32) * feat_size + k];
                    }
                }
            }
        }
    }
}
