#ifndef SPBLAS_KERNEL_H
#include "spblas_kernel.h"
#endif

void kernel(void *const *buf, const sb_kparam *param, int64_t t0, int64_t t1);

void
kernel(void *const *buf, const sb_kparam *param, int64_t t0, int64_t t1)
{
    const int32_t *restrict J_indptr = buf[0];
    const int32_t *restrict J_indices = buf[1];
    const int32_t *restrict row_11 = buf[2];
    const int32_t *restrict col_11 = buf[3];
    const int32_t *restrict row_12 = buf[4];
    const int32_t *restrict col_12 = buf[5];
    const int32_t *restrict row_14 = buf[6];
    const int32_t *restrict col_14 = buf[7];
    const int32_t *restrict row_21 = buf[8];
    const int32_t *restrict col_21 = buf[9];
    const int32_t *restrict row_22 = buf[10];
    const int32_t *restrict col_22 = buf[11];
    const int32_t *restrict row_24 = buf[12];
    const int32_t *restrict col_24 = buf[13];
    const float *restrict A = buf[14];
    const float *restrict B = buf[15];
    float *restrict C = buf[16];
    float *restrict A_p1w1 = buf[17];
    float *restrict A_p1w2 = buf[18];
    float *restrict A_p1w4 = buf[19];
    float *restrict A_p2w1 = buf[20];
    float *restrict A_p2w2 = buf[21];
    float *restrict A_p2w4 = buf[22];
    const int64_t m = param[0].i;
    const int64_t feat_size = param[3].i;
    const int64_t rows_11 = param[4].i;
    const int64_t rows_12 = param[5].i;
    const int64_t rows_14 = param[6].i;
    const int64_t rows_21 = param[7].i;
    const int64_t rows_22 = param[8].i;
    const int64_t rows_24 = param[9].i;
    (void)t0;
    (void)t1;

    for (int64_t pr_11 = 0, pr_11_hi_ = rows_11; pr_11 < pr_11_hi_; pr_11++) {
        const int32_t r_11 = row_11[pr_11];
        if ((int64_t)col_11[pr_11] >= 0) {
            const int32_t e_11 = col_11[pr_11];
            const int64_t fJ0 = sbk_find_i32(J_indices, (int64_t)J_indptr[(int64_t)r_11], (int64_t)J_indptr[(int64_t)r_11 + 1], (int64_t)e_11);
            A_p1w1[pr_11] = (fJ0 < 0 ? 0.0f : A[fJ0]);
        }
    }
    for (int64_t pr_12 = 0, pr_12_hi_ = rows_12; pr_12 < pr_12_hi_; pr_12++) {
        const int32_t r_12 = row_12[pr_12];
        for (int64_t pe_12 = 0; pe_12 < 2; pe_12++) {
            if ((int64_t)col_12[pr_12 * 2 + pe_12] >= 0) {
                const int32_t e_12 = col_12[pr_12 * 2 + pe_12];
                const int64_t fJ0 = sbk_find_i32(J_indices, (int64_t)J_indptr[(int64_t)r_12], (int64_t)J_indptr[(int64_t)r_12 + 1], (int64_t)e_12);
                A_p1w2[pr_12 * 2 + pe_12] = (fJ0 < 0 ? 0.0f : A[fJ0]);
            }
        }
    }
    for (int64_t pr_14 = 0, pr_14_hi_ = rows_14; pr_14 < pr_14_hi_; pr_14++) {
        const int32_t r_14 = row_14[pr_14];
        for (int64_t pe_14 = 0; pe_14 < 4; pe_14++) {
            if ((int64_t)col_14[pr_14 * 4 + pe_14] >= 0) {
                const int32_t e_14 = col_14[pr_14 * 4 + pe_14];
                const int64_t fJ0 = sbk_find_i32(J_indices, (int64_t)J_indptr[(int64_t)r_14], (int64_t)J_indptr[(int64_t)r_14 + 1], (int64_t)e_14);
                A_p1w4[pr_14 * 4 + pe_14] = (fJ0 < 0 ? 0.0f : A[fJ0]);
            }
        }
    }
    for (int64_t pr_21 = 0, pr_21_hi_ = rows_21; pr_21 < pr_21_hi_; pr_21++) {
        const int32_t r_21 = row_21[pr_21];
        if ((int64_t)col_21[pr_21] >= 0) {
            const int32_t e_21 = col_21[pr_21];
            const int64_t fJ0 = sbk_find_i32(J_indices, (int64_t)J_indptr[(int64_t)r_21], (int64_t)J_indptr[(int64_t)r_21 + 1], (int64_t)e_21);
            A_p2w1[pr_21] = (fJ0 < 0 ? 0.0f : A[fJ0]);
        }
    }
    for (int64_t pr_22 = 0, pr_22_hi_ = rows_22; pr_22 < pr_22_hi_; pr_22++) {
        const int32_t r_22 = row_22[pr_22];
        for (int64_t pe_22 = 0; pe_22 < 2; pe_22++) {
            if ((int64_t)col_22[pr_22 * 2 + pe_22] >= 0) {
                const int32_t e_22 = col_22[pr_22 * 2 + pe_22];
                const int64_t fJ0 = sbk_find_i32(J_indices, (int64_t)J_indptr[(int64_t)r_22], (int64_t)J_indptr[(int64_t)r_22 + 1], (int64_t)e_22);
                A_p2w2[pr_22 * 2 + pe_22] = (fJ0 < 0 ? 0.0f : A[fJ0]);
            }
        }
    }
    for (int64_t pr_24 = 0, pr_24_hi_ = rows_24; pr_24 < pr_24_hi_; pr_24++) {
        const int32_t r_24 = row_24[pr_24];
        for (int64_t pe_24 = 0; pe_24 < 4; pe_24++) {
            if ((int64_t)col_24[pr_24 * 4 + pe_24] >= 0) {
                const int32_t e_24 = col_24[pr_24 * 4 + pe_24];
                const int64_t fJ0 = sbk_find_i32(J_indices, (int64_t)J_indptr[(int64_t)r_24], (int64_t)J_indptr[(int64_t)r_24 + 1], (int64_t)e_24);
                A_p2w4[pr_24 * 4 + pe_24] = (fJ0 < 0 ? 0.0f : A[fJ0]);
            }
        }
    }
    for (int64_t i = 0, i_hi_ = m; i < i_hi_; i++) {
        for (int64_t k = 0, k_hi_ = feat_size; k < k_hi_; k++) {
            C[i * feat_size + k] = 0.0f;
        }
    }
    for (int64_t pr_11 = 0, pr_11_hi_ = rows_11; pr_11 < pr_11_hi_; pr_11++) {
        const int32_t r_11 = row_11[pr_11];
        if ((int64_t)col_11[pr_11] >= 0) {
            const int32_t e_11 = col_11[pr_11];
            for (int64_t k = 0, k_hi_ = feat_size; k < k_hi_; k++) {
                C[(int64_t)r_11 * feat_size + k] += A_p1w1[pr_11] * B[(int64_t)e_11 * feat_size + k];
            }
        }
    }
    for (int64_t pr_12 = 0, pr_12_hi_ = rows_12; pr_12 < pr_12_hi_; pr_12++) {
        const int32_t r_12 = row_12[pr_12];
        for (int64_t pe_12 = 0; pe_12 < 2; pe_12++) {
            if ((int64_t)col_12[pr_12 * 2 + pe_12] >= 0) {
                const int32_t e_12 = col_12[pr_12 * 2 + pe_12];
                for (int64_t k = 0, k_hi_ = feat_size; k < k_hi_; k++) {
                    C[(int64_t)r_12 * feat_size + k] += A_p1w2[pr_12 * 2 + pe_12] * B[(int64_t)e_12 * feat_size + k];
                }
            }
        }
    }
    for (int64_t pr_14 = 0, pr_14_hi_ = rows_14; pr_14 < pr_14_hi_; pr_14++) {
        const int32_t r_14 = row_14[pr_14];
        for (int64_t pe_14 = 0; pe_14 < 4; pe_14++) {
            if ((int64_t)col_14[pr_14 * 4 + pe_14] >= 0) {
                const int32_t e_14 = col_14[pr_14 * 4 + pe_14];
                for (int64_t k = 0, k_hi_ = feat_size; k < k_hi_; k++) {
                    C[(int64_t)r_14 * feat_size + k] += A_p1w4[pr_14 * 4 + pe_14] * B[(int64_t)e_14 * feat_size + k];
                }
            }
        }
    }
    for (int64_t pr_21 = 0, pr_21_hi_ = rows_21; pr_21 < pr_21_hi_; pr_21++) {
        const int32_t r_21 = row_21[pr_21];
        if ((int64_t)col_21[pr_21] >= 0) {
            const int32_t e_21 = col_21[pr_21];
            for (int64_t k = 0, k_hi_ = feat_size; k < k_hi_; k++) {
                C[(int64_t)r_21 * feat_size + k] += A_p2w1[pr_21] * B[(int64_t)e_21 * feat_size + k];
            }
        }
    }
    for (int64_t pr_22 = 0, pr_22_hi_ = rows_22; pr_22 < pr_22_hi_; pr_22++) {
        const int32_t r_22 = row_22[pr_22];
        for (int64_t pe_22 = 0; pe_22 < 2; pe_22++) {
            if ((int64_t)col_22[pr_22 * 2 + pe_22] >= 0) {
                const int32_t e_22 = col_22[pr_22 * 2 + pe_22];
                for (int64_t k = 0, k_hi_ = feat_size; k < k_hi_; k++) {
                    C[(int64_t)r_22 * feat_size + k] += A_p2w2[pr_22 * 2 + pe_22] * B[(int64_t)e_22 * feat_size + k];
                }
            }
        }
    }
    for (int64_t pr_24 = 0, pr_24_hi_ = rows_24; pr_24 < pr_24_hi_; pr_24++) {
        const int32_t r_24 = row_24[pr_24];
        for (int64_t pe_24 = 0; pe_24 < 4; pe_24++) {
            if ((int64_t)col_24[pr_24 * 4 + pe_24] >= 0) {
                const int32_t e_24 = col_24[pr_24 * 4 + pe_24];
                for (int64_t k = 0, k_hi_ = feat_size; k < k_hi_; k++) {
                    C[(int64_t)r_24 * feat_size + k] += A_p2w4[pr_24 * 4 + pe_24] * B[(int64_t)e_24 * feat_size + k];
                }
            }
        }
    }
}
