#ifndef SPBLAS_KERNEL_H
#include "spblas_kernel.h"
#endif

void kernel(void *const *buf, const sb_kparam *param, int64_t t0, int64_t t1);

void
kernel(void *const *buf, const sb_kparam *param, int64_t t0, int64_t t1)
{
    const int32_t *restrict bsr_ptr = buf[0];
    const int32_t *restrict bsr_crd = buf[1];
    const int32_t *restrict bsr_pos = buf[2];
    const float *restrict A = buf[3];
    const float *restrict B = buf[4];
    float *restrict C = buf[5];
    const int64_t m = param[0].i;
    const int64_t n = param[1].i;
    const int64_t ldb = param[5].i;
    const int64_t ldc = param[6].i;
    const float alpha = param[7].f[0];
    const float beta = param[8].f[0];
    (void)t0;
    (void)t1;

    for (int64_t io = 0, io_hi_ = (m >> 2); io < io_hi_; io++) {
        for (int64_t c0 = 0, c0_hi_ = (n >> 5); c0 < c0_hi_; c0++) {
            SBK_V(f32, SBK_N4_16) acc[128 / SBK_N4_16];
            {
                const int64_t ii = 0;
                SBK_UNROLL
                for (int64_t c1 = 0; c1 < 32; c1 += SBK_N4_16) {
                    acc[(ii * 32 + c1) / SBK_N4_16] = SBK_V(splat_f32, SBK_N4_16)(0.0f);
                }
            }
            {
                const int64_t ii = 1;
                SBK_UNROLL
                for (int64_t c1 = 0; c1 < 32; c1 += SBK_N4_16) {
                    acc[(ii * 32 + c1) / SBK_N4_16] = SBK_V(splat_f32, SBK_N4_16)(0.0f);
                }
            }
            {
                const int64_t ii = 2;
                SBK_UNROLL
                for (int64_t c1 = 0; c1 < 32; c1 += SBK_N4_16) {
                    acc[(ii * 32 + c1) / SBK_N4_16] = SBK_V(splat_f32, SBK_N4_16)(0.0f);
                }
            }
            {
                const int64_t ii = 3;
                SBK_UNROLL
                for (int64_t c1 = 0; c1 < 32; c1 += SBK_N4_16) {
                    acc[(ii * 32 + c1) / SBK_N4_16] = SBK_V(splat_f32, SBK_N4_16)(0.0f);
                }
            }
            for (int64_t pjo = (int64_t)bsr_ptr[io], pjo_hi_ = (int64_t)bsr_ptr[io + 1]; pjo < pjo_hi_; pjo++) {
                const int32_t jo = bsr_crd[pjo];
                for (int64_t ji = 0; ji < 4; ji++) {
                    {
                        const int64_t ii = 0;
                        {
                            const float *const b0_ = SBK_BASE(B + (((int64_t)jo * 4 + ji) * ldb + c0 * 32));
                            SBK_UNROLL
                            for (int64_t c1 = 0; c1 < 32; c1 += SBK_N4_16) {
                                acc[(ii * 32 + c1) / SBK_N4_16] += SBK_V(splat_f32, SBK_N4_16)(A[(int64_t)bsr_pos[pjo * 16 + ii * 4 + ji]]) * SBK_V(ld_f32, SBK_N4_16)(b0_ + c1);
                            }
                        }
                    }
                    {
                        const int64_t ii = 1;
                        {
                            const float *const b0_ = SBK_BASE(B + (((int64_t)jo * 4 + ji) * ldb + c0 * 32));
                            SBK_UNROLL
                            for (int64_t c1 = 0; c1 < 32; c1 += SBK_N4_16) {
                                acc[(ii * 32 + c1) / SBK_N4_16] += SBK_V(splat_f32, SBK_N4_16)(A[(int64_t)bsr_pos[pjo * 16 + ii * 4 + ji]]) * SBK_V(ld_f32, SBK_N4_16)(b0_ + c1);
                            }
                        }
                    }
                    {
                        const int64_t ii = 2;
                        {
                            const float *const b0_ = SBK_BASE(B + (((int64_t)jo * 4 + ji) * ldb + c0 * 32));
                            SBK_UNROLL
                            for (int64_t c1 = 0; c1 < 32; c1 += SBK_N4_16) {
                                acc[(ii * 32 + c1) / SBK_N4_16] += SBK_V(splat_f32, SBK_N4_16)(A[(int64_t)bsr_pos[pjo * 16 + ii * 4 + ji]]) * SBK_V(ld_f32, SBK_N4_16)(b0_ + c1);
                            }
                        }
                    }
                    {
                        const int64_t ii = 3;
                        {
                            const float *const b0_ = SBK_BASE(B + (((int64_t)jo * 4 + ji) * ldb + c0 * 32));
                            SBK_UNROLL
                            for (int64_t c1 = 0; c1 < 32; c1 += SBK_N4_16) {
                                acc[(ii * 32 + c1) / SBK_N4_16] += SBK_V(splat_f32, SBK_N4_16)(A[(int64_t)bsr_pos[pjo * 16 + ii * 4 + ji]]) * SBK_V(ld_f32, SBK_N4_16)(b0_ + c1);
                            }
                        }
                    }
                }
            }
            {
                const int64_t ii = 0;
                SBK_UNROLL
                for (int64_t c1 = 0; c1 < 32; c1 += SBK_N4_16) {
                    SBK_V(st_f32, SBK_N4_16)(C + ((io * 4 + ii) * ldc + c0 * 32) + c1, SBK_V(splat_f32, SBK_N4_16)(alpha) * acc[(ii * 32 + c1) / SBK_N4_16] + (beta == 0.0f ? SBK_V(splat_f32, SBK_N4_16)(0.0f) : SBK_V(splat_f32, SBK_N4_16)(beta) * SBK_V(ld_f32, SBK_N4_16)(C + ((io * 4 + ii) * ldc + c0 * 32) + c1)));
                }
            }
            {
                const int64_t ii = 1;
                SBK_UNROLL
                for (int64_t c1 = 0; c1 < 32; c1 += SBK_N4_16) {
                    SBK_V(st_f32, SBK_N4_16)(C + ((io * 4 + ii) * ldc + c0 * 32) + c1, SBK_V(splat_f32, SBK_N4_16)(alpha) * acc[(ii * 32 + c1) / SBK_N4_16] + (beta == 0.0f ? SBK_V(splat_f32, SBK_N4_16)(0.0f) : SBK_V(splat_f32, SBK_N4_16)(beta) * SBK_V(ld_f32, SBK_N4_16)(C + ((io * 4 + ii) * ldc + c0 * 32) + c1)));
                }
            }
            {
                const int64_t ii = 2;
                SBK_UNROLL
                for (int64_t c1 = 0; c1 < 32; c1 += SBK_N4_16) {
                    SBK_V(st_f32, SBK_N4_16)(C + ((io * 4 + ii) * ldc + c0 * 32) + c1, SBK_V(splat_f32, SBK_N4_16)(alpha) * acc[(ii * 32 + c1) / SBK_N4_16] + (beta == 0.0f ? SBK_V(splat_f32, SBK_N4_16)(0.0f) : SBK_V(splat_f32, SBK_N4_16)(beta) * SBK_V(ld_f32, SBK_N4_16)(C + ((io * 4 + ii) * ldc + c0 * 32) + c1)));
                }
            }
            {
                const int64_t ii = 3;
                SBK_UNROLL
                for (int64_t c1 = 0; c1 < 32; c1 += SBK_N4_16) {
                    SBK_V(st_f32, SBK_N4_16)(C + ((io * 4 + ii) * ldc + c0 * 32) + c1, SBK_V(splat_f32, SBK_N4_16)(alpha) * acc[(ii * 32 + c1) / SBK_N4_16] + (beta == 0.0f ? SBK_V(splat_f32, SBK_N4_16)(0.0f) : SBK_V(splat_f32, SBK_N4_16)(beta) * SBK_V(ld_f32, SBK_N4_16)(C + ((io * 4 + ii) * ldc + c0 * 32) + c1)));
                }
            }
        }
        for (int64_t c0 = (n >> 5), c0_hi_ = ((n + 31) >> 5); c0 < c0_hi_; c0++) {
            SBK_UNROLL
            for (int w_ = SBK_TAIL_STEP(32 / SBK_N4_16); w_ <= 32 / SBK_N4_16; w_ += SBK_TAIL_STEP(32 / SBK_N4_16)) {
                if (!SBK_TAIL((n & 31), SBK_N4_16, w_, SBK_TAIL_STEP(32 / SBK_N4_16)))
                    continue;
                SBK_V(f32, SBK_N4_16) acc[128 / SBK_N4_16];
                {
                    const int64_t ii = 0;
                    SBK_UNROLL
                    for (int64_t c1 = 0; c1 < 32; c1 += SBK_N4_16) {
                        acc[(ii * 32 + c1) / SBK_N4_16] = SBK_V(splat_f32, SBK_N4_16)(0.0f);
                    }
                }
                {
                    const int64_t ii = 1;
                    SBK_UNROLL
                    for (int64_t c1 = 0; c1 < 32; c1 += SBK_N4_16) {
                        acc[(ii * 32 + c1) / SBK_N4_16] = SBK_V(splat_f32, SBK_N4_16)(0.0f);
                    }
                }
                {
                    const int64_t ii = 2;
                    SBK_UNROLL
                    for (int64_t c1 = 0; c1 < 32; c1 += SBK_N4_16) {
                        acc[(ii * 32 + c1) / SBK_N4_16] = SBK_V(splat_f32, SBK_N4_16)(0.0f);
                    }
                }
                {
                    const int64_t ii = 3;
                    SBK_UNROLL
                    for (int64_t c1 = 0; c1 < 32; c1 += SBK_N4_16) {
                        acc[(ii * 32 + c1) / SBK_N4_16] = SBK_V(splat_f32, SBK_N4_16)(0.0f);
                    }
                }
                for (int64_t pjo = (int64_t)bsr_ptr[io], pjo_hi_ = (int64_t)bsr_ptr[io + 1]; pjo < pjo_hi_; pjo++) {
                    const int32_t jo = bsr_crd[pjo];
                    for (int64_t ji = 0; ji < 4; ji++) {
                        {
                            const int64_t ii = 0;
                            {
                                const int64_t c1_hi_ = (n & 31);
                                const int c1_m_ SBK_UNUSED = 1 + (int)((c1_hi_ - 1) & (SBK_N4_16 - 1));
                                {
                                    const float *const b0_ = SBK_BASE(B + (((int64_t)jo * 4 + ji) * ldb + c0 * 32));
                                    SBK_UNROLL
                                    for (int64_t c1 = 0; c1 < 32; c1 += SBK_N4_16) {
                                        if (SBK_TAIL_WHOLE(c1, c1_hi_, SBK_N4_16, w_, SBK_TAIL_STEP(32 / SBK_N4_16))) {
                                            acc[(ii * 32 + c1) / SBK_N4_16] += SBK_V(splat_f32, SBK_N4_16)(A[(int64_t)bsr_pos[pjo * 16 + ii * 4 + ji]]) * SBK_V(ld_f32, SBK_N4_16)(b0_ + c1);
                                        } else if (SBK_TAIL_PART(c1, c1_hi_, SBK_N4_16, w_, SBK_TAIL_STEP(32 / SBK_N4_16))) {
                                            acc[(ii * 32 + c1) / SBK_N4_16] += SBK_V(splat_f32, SBK_N4_16)(A[(int64_t)bsr_pos[pjo * 16 + ii * 4 + ji]]) * SBK_V(ldm_f32, SBK_N4_16)(b0_ + c1, c1_m_);
                                        }
                                    }
                                }
                            }
                        }
                        {
                            const int64_t ii = 1;
                            {
                                const int64_t c1_hi_ = (n & 31);
                                const int c1_m_ SBK_UNUSED = 1 + (int)((c1_hi_ - 1) & (SBK_N4_16 - 1));
                                {
                                    const float *const b0_ = SBK_BASE(B + (((int64_t)jo * 4 + ji) * ldb + c0 * 32));
                                    SBK_UNROLL
                                    for (int64_t c1 = 0; c1 < 32; c1 += SBK_N4_16) {
                                        if (SBK_TAIL_WHOLE(c1, c1_hi_, SBK_N4_16, w_, SBK_TAIL_STEP(32 / SBK_N4_16))) {
                                            acc[(ii * 32 + c1) / SBK_N4_16] += SBK_V(splat_f32, SBK_N4_16)(A[(int64_t)bsr_pos[pjo * 16 + ii * 4 + ji]]) * SBK_V(ld_f32, SBK_N4_16)(b0_ + c1);
                                        } else if (SBK_TAIL_PART(c1, c1_hi_, SBK_N4_16, w_, SBK_TAIL_STEP(32 / SBK_N4_16))) {
                                            acc[(ii * 32 + c1) / SBK_N4_16] += SBK_V(splat_f32, SBK_N4_16)(A[(int64_t)bsr_pos[pjo * 16 + ii * 4 + ji]]) * SBK_V(ldm_f32, SBK_N4_16)(b0_ + c1, c1_m_);
                                        }
                                    }
                                }
                            }
                        }
                        {
                            const int64_t ii = 2;
                            {
                                const int64_t c1_hi_ = (n & 31);
                                const int c1_m_ SBK_UNUSED = 1 + (int)((c1_hi_ - 1) & (SBK_N4_16 - 1));
                                {
                                    const float *const b0_ = SBK_BASE(B + (((int64_t)jo * 4 + ji) * ldb + c0 * 32));
                                    SBK_UNROLL
                                    for (int64_t c1 = 0; c1 < 32; c1 += SBK_N4_16) {
                                        if (SBK_TAIL_WHOLE(c1, c1_hi_, SBK_N4_16, w_, SBK_TAIL_STEP(32 / SBK_N4_16))) {
                                            acc[(ii * 32 + c1) / SBK_N4_16] += SBK_V(splat_f32, SBK_N4_16)(A[(int64_t)bsr_pos[pjo * 16 + ii * 4 + ji]]) * SBK_V(ld_f32, SBK_N4_16)(b0_ + c1);
                                        } else if (SBK_TAIL_PART(c1, c1_hi_, SBK_N4_16, w_, SBK_TAIL_STEP(32 / SBK_N4_16))) {
                                            acc[(ii * 32 + c1) / SBK_N4_16] += SBK_V(splat_f32, SBK_N4_16)(A[(int64_t)bsr_pos[pjo * 16 + ii * 4 + ji]]) * SBK_V(ldm_f32, SBK_N4_16)(b0_ + c1, c1_m_);
                                        }
                                    }
                                }
                            }
                        }
                        {
                            const int64_t ii = 3;
                            {
                                const int64_t c1_hi_ = (n & 31);
                                const int c1_m_ SBK_UNUSED = 1 + (int)((c1_hi_ - 1) & (SBK_N4_16 - 1));
                                {
                                    const float *const b0_ = SBK_BASE(B + (((int64_t)jo * 4 + ji) * ldb + c0 * 32));
                                    SBK_UNROLL
                                    for (int64_t c1 = 0; c1 < 32; c1 += SBK_N4_16) {
                                        if (SBK_TAIL_WHOLE(c1, c1_hi_, SBK_N4_16, w_, SBK_TAIL_STEP(32 / SBK_N4_16))) {
                                            acc[(ii * 32 + c1) / SBK_N4_16] += SBK_V(splat_f32, SBK_N4_16)(A[(int64_t)bsr_pos[pjo * 16 + ii * 4 + ji]]) * SBK_V(ld_f32, SBK_N4_16)(b0_ + c1);
                                        } else if (SBK_TAIL_PART(c1, c1_hi_, SBK_N4_16, w_, SBK_TAIL_STEP(32 / SBK_N4_16))) {
                                            acc[(ii * 32 + c1) / SBK_N4_16] += SBK_V(splat_f32, SBK_N4_16)(A[(int64_t)bsr_pos[pjo * 16 + ii * 4 + ji]]) * SBK_V(ldm_f32, SBK_N4_16)(b0_ + c1, c1_m_);
                                        }
                                    }
                                }
                            }
                        }
                    }
                }
                {
                    const int64_t ii = 0;
                    {
                        const int64_t c1_hi_ = (n & 31);
                        const int c1_m_ SBK_UNUSED = 1 + (int)((c1_hi_ - 1) & (SBK_N4_16 - 1));
                        SBK_UNROLL
                        for (int64_t c1 = 0; c1 < 32; c1 += SBK_N4_16) {
                            if (SBK_TAIL_WHOLE(c1, c1_hi_, SBK_N4_16, w_, SBK_TAIL_STEP(32 / SBK_N4_16))) {
                                SBK_V(st_f32, SBK_N4_16)(C + ((io * 4 + ii) * ldc + c0 * 32) + c1, SBK_V(splat_f32, SBK_N4_16)(alpha) * acc[(ii * 32 + c1) / SBK_N4_16] + (beta == 0.0f ? SBK_V(splat_f32, SBK_N4_16)(0.0f) : SBK_V(splat_f32, SBK_N4_16)(beta) * SBK_V(ld_f32, SBK_N4_16)(C + ((io * 4 + ii) * ldc + c0 * 32) + c1)));
                            } else if (SBK_TAIL_PART(c1, c1_hi_, SBK_N4_16, w_, SBK_TAIL_STEP(32 / SBK_N4_16))) {
                                SBK_V(stm_f32, SBK_N4_16)(C + ((io * 4 + ii) * ldc + c0 * 32) + c1, SBK_V(splat_f32, SBK_N4_16)(alpha) * acc[(ii * 32 + c1) / SBK_N4_16] + (beta == 0.0f ? SBK_V(splat_f32, SBK_N4_16)(0.0f) : SBK_V(splat_f32, SBK_N4_16)(beta) * SBK_V(ldm_f32, SBK_N4_16)(C + ((io * 4 + ii) * ldc + c0 * 32) + c1, c1_m_)), c1_m_);
                            }
                        }
                    }
                }
                {
                    const int64_t ii = 1;
                    {
                        const int64_t c1_hi_ = (n & 31);
                        const int c1_m_ SBK_UNUSED = 1 + (int)((c1_hi_ - 1) & (SBK_N4_16 - 1));
                        SBK_UNROLL
                        for (int64_t c1 = 0; c1 < 32; c1 += SBK_N4_16) {
                            if (SBK_TAIL_WHOLE(c1, c1_hi_, SBK_N4_16, w_, SBK_TAIL_STEP(32 / SBK_N4_16))) {
                                SBK_V(st_f32, SBK_N4_16)(C + ((io * 4 + ii) * ldc + c0 * 32) + c1, SBK_V(splat_f32, SBK_N4_16)(alpha) * acc[(ii * 32 + c1) / SBK_N4_16] + (beta == 0.0f ? SBK_V(splat_f32, SBK_N4_16)(0.0f) : SBK_V(splat_f32, SBK_N4_16)(beta) * SBK_V(ld_f32, SBK_N4_16)(C + ((io * 4 + ii) * ldc + c0 * 32) + c1)));
                            } else if (SBK_TAIL_PART(c1, c1_hi_, SBK_N4_16, w_, SBK_TAIL_STEP(32 / SBK_N4_16))) {
                                SBK_V(stm_f32, SBK_N4_16)(C + ((io * 4 + ii) * ldc + c0 * 32) + c1, SBK_V(splat_f32, SBK_N4_16)(alpha) * acc[(ii * 32 + c1) / SBK_N4_16] + (beta == 0.0f ? SBK_V(splat_f32, SBK_N4_16)(0.0f) : SBK_V(splat_f32, SBK_N4_16)(beta) * SBK_V(ldm_f32, SBK_N4_16)(C + ((io * 4 + ii) * ldc + c0 * 32) + c1, c1_m_)), c1_m_);
                            }
                        }
                    }
                }
                {
                    const int64_t ii = 2;
                    {
                        const int64_t c1_hi_ = (n & 31);
                        const int c1_m_ SBK_UNUSED = 1 + (int)((c1_hi_ - 1) & (SBK_N4_16 - 1));
                        SBK_UNROLL
                        for (int64_t c1 = 0; c1 < 32; c1 += SBK_N4_16) {
                            if (SBK_TAIL_WHOLE(c1, c1_hi_, SBK_N4_16, w_, SBK_TAIL_STEP(32 / SBK_N4_16))) {
                                SBK_V(st_f32, SBK_N4_16)(C + ((io * 4 + ii) * ldc + c0 * 32) + c1, SBK_V(splat_f32, SBK_N4_16)(alpha) * acc[(ii * 32 + c1) / SBK_N4_16] + (beta == 0.0f ? SBK_V(splat_f32, SBK_N4_16)(0.0f) : SBK_V(splat_f32, SBK_N4_16)(beta) * SBK_V(ld_f32, SBK_N4_16)(C + ((io * 4 + ii) * ldc + c0 * 32) + c1)));
                            } else if (SBK_TAIL_PART(c1, c1_hi_, SBK_N4_16, w_, SBK_TAIL_STEP(32 / SBK_N4_16))) {
                                SBK_V(stm_f32, SBK_N4_16)(C + ((io * 4 + ii) * ldc + c0 * 32) + c1, SBK_V(splat_f32, SBK_N4_16)(alpha) * acc[(ii * 32 + c1) / SBK_N4_16] + (beta == 0.0f ? SBK_V(splat_f32, SBK_N4_16)(0.0f) : SBK_V(splat_f32, SBK_N4_16)(beta) * SBK_V(ldm_f32, SBK_N4_16)(C + ((io * 4 + ii) * ldc + c0 * 32) + c1, c1_m_)), c1_m_);
                            }
                        }
                    }
                }
                {
                    const int64_t ii = 3;
                    {
                        const int64_t c1_hi_ = (n & 31);
                        const int c1_m_ SBK_UNUSED = 1 + (int)((c1_hi_ - 1) & (SBK_N4_16 - 1));
                        SBK_UNROLL
                        for (int64_t c1 = 0; c1 < 32; c1 += SBK_N4_16) {
                            if (SBK_TAIL_WHOLE(c1, c1_hi_, SBK_N4_16, w_, SBK_TAIL_STEP(32 / SBK_N4_16))) {
                                SBK_V(st_f32, SBK_N4_16)(C + ((io * 4 + ii) * ldc + c0 * 32) + c1, SBK_V(splat_f32, SBK_N4_16)(alpha) * acc[(ii * 32 + c1) / SBK_N4_16] + (beta == 0.0f ? SBK_V(splat_f32, SBK_N4_16)(0.0f) : SBK_V(splat_f32, SBK_N4_16)(beta) * SBK_V(ld_f32, SBK_N4_16)(C + ((io * 4 + ii) * ldc + c0 * 32) + c1)));
                            } else if (SBK_TAIL_PART(c1, c1_hi_, SBK_N4_16, w_, SBK_TAIL_STEP(32 / SBK_N4_16))) {
                                SBK_V(stm_f32, SBK_N4_16)(C + ((io * 4 + ii) * ldc + c0 * 32) + c1, SBK_V(splat_f32, SBK_N4_16)(alpha) * acc[(ii * 32 + c1) / SBK_N4_16] + (beta == 0.0f ? SBK_V(splat_f32, SBK_N4_16)(0.0f) : SBK_V(splat_f32, SBK_N4_16)(beta) * SBK_V(ldm_f32, SBK_N4_16)(C + ((io * 4 + ii) * ldc + c0 * 32) + c1, c1_m_)), c1_m_);
                            }
                        }
                    }
                }
            }
        }
    }
}
