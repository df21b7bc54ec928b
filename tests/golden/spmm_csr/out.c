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
    const int64_t n = param[1].i;
    const int64_t base = param[4].i;
    const int64_t ldb = param[5].i;
    const int64_t ldc = param[6].i;
    const float alpha = param[7].f[0];
    const float beta = param[8].f[0];
    (void)t0;
    (void)t1;

    for (int64_t i = 0, i_hi_ = m; i < i_hi_; i++) {
        for (int64_t c0 = 0, c0_hi_ = (n >> 5); c0 < c0_hi_; c0++) {
            SBK_V(f32, SBK_N4_16) acc[32 / SBK_N4_16];
            SBK_UNROLL
            for (int64_t c1 = 0; c1 < 32; c1 += SBK_N4_16) {
                acc[c1 / SBK_N4_16] = SBK_V(splat_f32, SBK_N4_16)(0.0f);
            }
            const int32_t A_ptr0 = A_ptr[i + 1];
            for (int64_t pj = (int64_t)A_ptr[i] - base, pj_hi_ = (int64_t)A_ptr0 - base; pj < pj_hi_; pj++) {
                __builtin_prefetch(B + (((int64_t)A_crd[sbk_min_i64(pj + 8, (int64_t)A_ptr0 - base - 1)] - base) * ldb + c0 * 32));
                __builtin_prefetch(B + (((int64_t)A_crd[sbk_min_i64(pj + 8, (int64_t)A_ptr0 - base - 1)] - base) * ldb + c0 * 32 + 16));
                const int64_t j = (int64_t)A_crd[pj] - base;
                {
                    const float *const b0_ = SBK_BASE(B + (j * ldb + c0 * 32));
                    SBK_UNROLL
                    for (int64_t c1 = 0; c1 < 32; c1 += SBK_N4_16) {
                        acc[c1 / SBK_N4_16] += SBK_V(splat_f32, SBK_N4_16)(A[pj]) * SBK_V(ld_f32, SBK_N4_16)(b0_ + c1);
                    }
                }
            }
            SBK_UNROLL
            for (int64_t c1 = 0; c1 < 32; c1 += SBK_N4_16) {
                SBK_V(st_f32, SBK_N4_16)(C + (i * ldc + c0 * 32) + c1, SBK_V(splat_f32, SBK_N4_16)(alpha) * acc[c1 / SBK_N4_16] + (beta == 0.0f ? SBK_V(splat_f32, SBK_N4_16)(0.0f) : SBK_V(splat_f32, SBK_N4_16)(beta) * SBK_V(ld_f32, SBK_N4_16)(C + (i * ldc + c0 * 32) + c1)));
            }
        }
        for (int64_t c0 = (n >> 5), c0_hi_ = ((n + 31) >> 5); c0 < c0_hi_; c0++) {
            SBK_UNROLL
            for (int w_ = SBK_TAIL_STEP(32 / SBK_N4_16); w_ <= 32 / SBK_N4_16; w_ += SBK_TAIL_STEP(32 / SBK_N4_16)) {
                if (!SBK_TAIL((n & 31), SBK_N4_16, w_, SBK_TAIL_STEP(32 / SBK_N4_16)))
                    continue;
                SBK_V(f32, SBK_N4_16) acc[32 / SBK_N4_16];
                SBK_UNROLL
                for (int64_t c1 = 0; c1 < 32; c1 += SBK_N4_16) {
                    acc[c1 / SBK_N4_16] = SBK_V(splat_f32, SBK_N4_16)(0.0f);
                }
                const int32_t A_ptr1 = A_ptr[i + 1];
                for (int64_t pj = (int64_t)A_ptr[i] - base, pj_hi_ = (int64_t)A_ptr1 - base; pj < pj_hi_; pj++) {
                    __builtin_prefetch(B + (((int64_t)A_crd[sbk_min_i64(pj + 8, (int64_t)A_ptr1 - base - 1)] - base) * ldb + c0 * 32));
                    __builtin_prefetch(B + (((int64_t)A_crd[sbk_min_i64(pj + 8, (int64_t)A_ptr1 - base - 1)] - base) * ldb + c0 * 32 + 16));
                    const int64_t j = (int64_t)A_crd[pj] - base;
                    {
                        const int64_t c1_hi_ = (n & 31);
                        const int c1_m_ SBK_UNUSED = 1 + (int)((c1_hi_ - 1) & (SBK_N4_16 - 1));
                        {
                            const float *const b0_ = SBK_BASE(B + (j * ldb + c0 * 32));
                            SBK_UNROLL
                            for (int64_t c1 = 0; c1 < 32; c1 += SBK_N4_16) {
                                if (SBK_TAIL_WHOLE(c1, c1_hi_, SBK_N4_16, w_, SBK_TAIL_STEP(32 / SBK_N4_16))) {
                                    acc[c1 / SBK_N4_16] += SBK_V(splat_f32, SBK_N4_16)(A[pj]) * SBK_V(ld_f32, SBK_N4_16)(b0_ + c1);
                                } else if (SBK_TAIL_PART(c1, c1_hi_, SBK_N4_16, w_, SBK_TAIL_STEP(32 / SBK_N4_16))) {
                                    acc[c1 / SBK_N4_16] += SBK_V(splat_f32, SBK_N4_16)(A[pj]) * SBK_V(ldm_f32, SBK_N4_16)(b0_ + c1, c1_m_);
                                }
                            }
                        }
                    }
                }
                {
                    const int64_t c1_hi_ = (n & 31);
                    const int c1_m_ SBK_UNUSED = 1 + (int)((c1_hi_ - 1) & (SBK_N4_16 - 1));
                    SBK_UNROLL
                    for (int64_t c1 = 0; c1 < 32; c1 += SBK_N4_16) {
                        if (SBK_TAIL_WHOLE(c1, c1_hi_, SBK_N4_16, w_, SBK_TAIL_STEP(32 / SBK_N4_16))) {
                            SBK_V(st_f32, SBK_N4_16)(C + (i * ldc + c0 * 32) + c1, SBK_V(splat_f32, SBK_N4_16)(alpha) * acc[c1 / SBK_N4_16] + (beta == 0.0f ? SBK_V(splat_f32, SBK_N4_16)(0.0f) : SBK_V(splat_f32, SBK_N4_16)(beta) * SBK_V(ld_f32, SBK_N4_16)(C + (i * ldc + c0 * 32) + c1)));
                        } else if (SBK_TAIL_PART(c1, c1_hi_, SBK_N4_16, w_, SBK_TAIL_STEP(32 / SBK_N4_16))) {
                            SBK_V(stm_f32, SBK_N4_16)(C + (i * ldc + c0 * 32) + c1, SBK_V(splat_f32, SBK_N4_16)(alpha) * acc[c1 / SBK_N4_16] + (beta == 0.0f ? SBK_V(splat_f32, SBK_N4_16)(0.0f) : SBK_V(splat_f32, SBK_N4_16)(beta) * SBK_V(ldm_f32, SBK_N4_16)(C + (i * ldc + c0 * 32) + c1, c1_m_)), c1_m_);
                        }
                    }
                }
            }
        }
    }
}
