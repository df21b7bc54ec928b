#ifndef SPBLAS_KERNEL_H
#include "spblas_kernel.h"
#endif

void kernel(void *const *buf, const sb_kparam *param, int64_t t0, int64_t t1);

void
kernel(void *const *buf, const sb_kparam *param, int64_t t0, int64_t t1)
{
    const int32_t *restrict ell_row = buf[0];
    const int32_t *restrict ell_len = buf[1];
    const int32_t *restrict ell_crd = buf[2];
    const int32_t *restrict ell_pos = buf[3];
    const float *restrict A = buf[4];
    const float *restrict B = buf[5];
    float *restrict C = buf[6];
    const int64_t n = param[1].i;
    const int64_t ldb = param[5].i;
    const int64_t ldc = param[6].i;
    const float alpha = param[7].f[0];
    const float beta = param[8].f[0];
    const int64_t ell_count = param[9].i;
    const int64_t ell_width = param[10].i;
    (void)t0;
    (void)t1;

    for (int64_t pr = 0, pr_hi_ = ell_count; pr < pr_hi_; pr++) {
        const int32_t r = ell_row[pr];
        for (int64_t c0 = 0, c0_hi_ = (n >> 5); c0 < c0_hi_; c0++) {
            SBK_V(f32, SBK_N4_16) acc[32 / SBK_N4_16];
            SBK_UNROLL
            for (int64_t c1 = 0; c1 < 32; c1 += SBK_N4_16) {
                acc[c1 / SBK_N4_16] = SBK_V(splat_f32, SBK_N4_16)(0.0f);
            }
            const int32_t ell_len0 = ell_len[pr];
            for (int64_t pe = 0, pe_hi_ = (int64_t)ell_len0; pe < pe_hi_; pe++) {
                __builtin_prefetch(B + ((int64_t)ell_crd[pr * ell_width + sbk_min_i64(pe + 8, (int64_t)ell_len0 - 1)] * ldb + c0 * 32));
                __builtin_prefetch(B + ((int64_t)ell_crd[pr * ell_width + sbk_min_i64(pe + 8, (int64_t)ell_len0 - 1)] * ldb + c0 * 32 + 16));
                const int32_t e = ell_crd[pr * ell_width + pe];
                {
                    const float *const b0_ = SBK_BASE(B + ((int64_t)e * ldb + c0 * 32));
                    SBK_UNROLL
                    for (int64_t c1 = 0; c1 < 32; c1 += SBK_N4_16) {
                        acc[c1 / SBK_N4_16] += SBK_V(splat_f32, SBK_N4_16)(A[(int64_t)ell_pos[pr * ell_width + pe]]) * SBK_V(ld_f32, SBK_N4_16)(b0_ + c1);
                    }
                }
            }
            SBK_UNROLL
            for (int64_t c1 = 0; c1 < 32; c1 += SBK_N4_16) {
                SBK_V(st_f32, SBK_N4_16)(C + ((int64_t)r * ldc + c0 * 32) + c1, SBK_V(splat_f32, SBK_N4_16)(alpha) * acc[c1 / SBK_N4_16] + (beta == 0.0f ? SBK_V(splat_f32, SBK_N4_16)(0.0f) : SBK_V(splat_f32, SBK_N4_16)(beta) * SBK_V(ld_f32, SBK_N4_16)(C + ((int64_t)r * ldc + c0 * 32) + c1)));
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
                const int32_t ell_len1 = ell_len[pr];
                for (int64_t pe = 0, pe_hi_ = (int64_t)ell_len1; pe < pe_hi_; pe++) {
                    __builtin_prefetch(B + ((int64_t)ell_crd[pr * ell_width + sbk_min_i64(pe + 8, (int64_t)ell_len1 - 1)] * ldb + c0 * 32));
                    __builtin_prefetch(B + ((int64_t)ell_crd[pr * ell_width + sbk_min_i64(pe + 8, (int64_t)ell_len1 - 1)] * ldb + c0 * 32 + 16));
                    const int32_t e = ell_crd[pr * ell_width + pe];
                    {
                        const int64_t c1_hi_ = (n & 31);
                        const int c1_m_ SBK_UNUSED = 1 + (int)((c1_hi_ - 1) & (SBK_N4_16 - 1));
                        {
                            const float *const b0_ = SBK_BASE(B + ((int64_t)e * ldb + c0 * 32));
                            SBK_UNROLL
                            for (int64_t c1 = 0; c1 < 32; c1 += SBK_N4_16) {
                                if (SBK_TAIL_WHOLE(c1, c1_hi_, SBK_N4_16, w_, SBK_TAIL_STEP(32 / SBK_N4_16))) {
                                    acc[c1 / SBK_N4_16] += SBK_V(splat_f32, SBK_N4_16)(A[(int64_t)ell_pos[pr * ell_width + pe]]) * SBK_V(ld_f32, SBK_N4_16)(b0_ + c1);
                                } else if (SBK_TAIL_PART(c1, c1_hi_, SBK_N4_16, w_, SBK_TAIL_STEP(32 / SBK_N4_16))) {
                                    acc[c1 / SBK_N4_16] += SBK_V(splat_f32, SBK_N4_16)(A[(int64_t)ell_pos[pr * ell_width + pe]]) * SBK_V(ldm_f32, SBK_N4_16)(b0_ + c1, c1_m_);
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
                            SBK_V(st_f32, SBK_N4_16)(C + ((int64_t)r * ldc + c0 * 32) + c1, SBK_V(splat_f32, SBK_N4_16)(alpha) * acc[c1 / SBK_N4_16] + (beta == 0.0f ? SBK_V(splat_f32, SBK_N4_16)(0.0f) : SBK_V(splat_f32, SBK_N4_16)(beta) * SBK_V(ld_f32, SBK_N4_16)(C + ((int64_t)r * ldc + c0 * 32) + c1)));
                        } else if (SBK_TAIL_PART(c1, c1_hi_, SBK_N4_16, w_, SBK_TAIL_STEP(32 / SBK_N4_16))) {
                            SBK_V(stm_f32, SBK_N4_16)(C + ((int64_t)r * ldc + c0 * 32) + c1, SBK_V(splat_f32, SBK_N4_16)(alpha) * acc[c1 / SBK_N4_16] + (beta == 0.0f ? SBK_V(splat_f32, SBK_N4_16)(0.0f) : SBK_V(splat_f32, SBK_N4_16)(beta) * SBK_V(ldm_f32, SBK_N4_16)(C + ((int64_t)r * ldc + c0 * 32) + c1, c1_m_)), c1_m_);
                        }
                    }
                }
            }
        }
    }
}
