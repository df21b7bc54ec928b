#ifndef SPBLAS_KERNEL_H
#include "spblas_kernel.h"
#endif

void kernel(void *const *buf, const sb_kparam *param, int64_t t0, int64_t t1);

void
kernel(void *const *buf, const sb_kparam *param, int64_t t0, int64_t t1)
{
    const int32_t *restrict A_ptr = buf[0];
    const int32_t *restrict A_crd = buf[1];
    const float *restrict X = buf[2];
    const float *restrict Y = buf[3];
    float *restrict A = buf[4];
    const int64_t m = param[0].i;
    const int64_t k = param[2].i;
    const int64_t base = param[4].i;
    const int64_t lda = param[5].i;
    const int64_t ldb = param[6].i;
    const float alpha = param[7].f[0];
    const float beta = param[8].f[0];
    (void)t0;
    (void)t1;

    for (int64_t i = 0, i_hi_ = m; i < i_hi_; i++) {
        for (int64_t pj = (int64_t)A_ptr[i] - base, pj_hi_ = (int64_t)A_ptr[i + 1] - base; pj < pj_hi_; pj++) {
            const int64_t j = (int64_t)A_crd[pj] - base;
            float acc[1];
            acc[0] = 0.0f;
            SBK_V(f32, SBK_N4_16) part[16 / SBK_N4_16];
            SBK_UNROLL
            for (int64_t l = 0; l < 16; l += SBK_N4_16) {
                part[l / SBK_N4_16] = SBK_V(splat_f32, SBK_N4_16)(0.0f);
            }
            for (int64_t c = 0, c_hi_ = (k >> 4); c < c_hi_; c++) {
                SBK_UNROLL
                for (int64_t l = 0; l < 16; l += SBK_N4_16) {
                    part[l / SBK_N4_16] += SBK_V(ld_f32, SBK_N4_16)(X + (i * lda + c * 16) + l) * SBK_V(ld_f32, SBK_N4_16)(Y + (j * ldb + c * 16) + l);
                }
            }
            {
                const int64_t l_hi_ = (k & 15);
                const int l_m_ SBK_UNUSED = (int)((l_hi_ - 0) & (SBK_N4_16 - 1));
                SBK_UNROLL
                for (int64_t l = 0; l < 16; l += SBK_N4_16) {
                    if (l + SBK_N4_16 <= l_hi_) {
                        part[l / SBK_N4_16] += SBK_V(ld_f32, SBK_N4_16)(X + (i * lda + (k >> 4) * 16) + l) * SBK_V(ld_f32, SBK_N4_16)(Y + (j * ldb + (k >> 4) * 16) + l);
                    } else if (l < l_hi_) {
                        part[l / SBK_N4_16] += SBK_V(ldm_f32, SBK_N4_16)(X + (i * lda + (k >> 4) * 16) + l, l_m_) * SBK_V(ldm_f32, SBK_N4_16)(Y + (j * ldb + (k >> 4) * 16) + l, l_m_);
                    }
                }
            }
            SBK_UNROLL
            for (int64_t l = 0; l < 8; l += SBK_N4_16) {
                part[l / SBK_N4_16] += 8 % SBK_N4_16 == 0 ? part[(l + 8) / SBK_N4_16] : SBK_V(down_f32, SBK_N4_16)(part[0], 8 % SBK_N4_16);
            }
            SBK_UNROLL
            for (int64_t l = 0; l < 4; l += SBK_N4_16) {
                part[l / SBK_N4_16] += 4 % SBK_N4_16 == 0 ? part[(l + 4) / SBK_N4_16] : SBK_V(down_f32, SBK_N4_16)(part[0], 4 % SBK_N4_16);
            }
            SBK_UNROLL
            for (int64_t l = 0; l < 2; l += SBK_N4_16) {
                part[l / SBK_N4_16] += 2 % SBK_N4_16 == 0 ? part[(l + 2) / SBK_N4_16] : SBK_V(down_f32, SBK_N4_16)(part[0], 2 % SBK_N4_16);
            }
            acc[0] += part[0 / SBK_N4_16][0 % SBK_N4_16] + part[1 / SBK_N4_16][1 % SBK_N4_16];
            A[pj] = alpha * acc[0] + (beta == 0.0f ? 0.0f : beta * A[pj]);
        }
    }
}
