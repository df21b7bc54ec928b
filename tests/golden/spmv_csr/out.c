#ifndef SPBLAS_KERNEL_H
#include "spblas_kernel.h"
#endif

void kernel(void *const *buf, const sb_kparam *param, int64_t t0, int64_t t1);

void
kernel(void *const *buf, const sb_kparam *param, int64_t t0, int64_t t1)
{
    const int32_t *restrict A_ptr = buf[0];
    const int32_t *restrict A_crd = buf[1];
    const float *restrict A = buf[2];
    const float *restrict B = buf[3];
    float *restrict C = buf[4];
    const int64_t m = param[0].i;
    const int64_t base = param[3].i;
    const float alpha = param[4].f[0];
    const float beta = param[5].f[0];
    (void)t0;
    (void)t1;

    for (int64_t i = 0, i_hi_ = m; i < i_hi_; i++) {
        float acc[1];
        acc[0] = 0.0f;
        SBK_V(f32, SBK_N4_8) part[8 / SBK_N4_8];
        SBK_UNROLL
        for (int64_t l = 0; l < 8; l += SBK_N4_8) {
            part[l / SBK_N4_8] = SBK_V(splat_f32, SBK_N4_8)(0.0f);
        }
        const int32_t A_ptr0 = A_ptr[i + 1];
        const int32_t A_ptr1 = A_ptr[i];
        for (int64_t pj = 0, pj_hi_ = (((int64_t)A_ptr0 - (int64_t)A_ptr1) >> 3); pj < pj_hi_; pj++) {
            SBK_UNROLL
            for (int64_t l = 0; l < 8; l += SBK_N4_8) {
                part[l / SBK_N4_8] += SBK_V(ld_f32, SBK_N4_8)(A + ((int64_t)A_ptr1 + pj * 8 - base) + l) * SBK_V(ga_f32, SBK_N4_8)(B - base, A_crd + ((int64_t)A_ptr1 + pj * 8 - base) + l);
            }
        }
        {
            const int64_t l_hi_ = (((int64_t)A_ptr0 - (int64_t)A_ptr1) & 7);
            const int l_m_ SBK_UNUSED = (int)((l_hi_ - 0) & (SBK_N4_8 - 1));
            SBK_UNROLL
            for (int64_t l = 0; l < 8; l += SBK_N4_8) {
                if (l + SBK_N4_8 <= l_hi_) {
                    part[l / SBK_N4_8] += SBK_V(ld_f32, SBK_N4_8)(A + ((int64_t)A_ptr1 + (((int64_t)A_ptr0 - (int64_t)A_ptr1) >> 3) * 8 - base) + l) * SBK_V(ga_f32, SBK_N4_8)(B - base, A_crd + ((int64_t)A_ptr1 + (((int64_t)A_ptr0 - (int64_t)A_ptr1) >> 3) * 8 - base) + l);
                } else if (l < l_hi_) {
                    part[l / SBK_N4_8] += SBK_V(ldm_f32, SBK_N4_8)(A + ((int64_t)A_ptr1 + (((int64_t)A_ptr0 - (int64_t)A_ptr1) >> 3) * 8 - base) + l, l_m_) * SBK_V(gam_f32, SBK_N4_8)(B - base, A_crd + ((int64_t)A_ptr1 + (((int64_t)A_ptr0 - (int64_t)A_ptr1) >> 3) * 8 - base) + l, l_m_);
                }
            }
        }
        SBK_UNROLL
        for (int64_t l = 0; l < 4; l += SBK_N4_8) {
            part[l / SBK_N4_8] += 4 % SBK_N4_8 == 0 ? part[(l + 4) / SBK_N4_8] : SBK_V(down_f32, SBK_N4_8)(part[0], 4 % SBK_N4_8);
        }
        SBK_UNROLL
        for (int64_t l = 0; l < 2; l += SBK_N4_8) {
            part[l / SBK_N4_8] += 2 % SBK_N4_8 == 0 ? part[(l + 2) / SBK_N4_8] : SBK_V(down_f32, SBK_N4_8)(part[0], 2 % SBK_N4_8);
        }
        acc[0] += part[0 / SBK_N4_8][0 % SBK_N4_8] + part[1 / SBK_N4_8][1 % SBK_N4_8];
        C[i] = alpha * acc[0] + (beta == 0.0f ? 0.0f : beta * C[i]);
    }
}
