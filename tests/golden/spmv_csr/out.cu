#define SBG_MAX_PARAM 6
#define SBG_MAX_BUF 5
#include "spblas_gpu.h"

SBG_KERNEL(kernel, 128)(SBG_ARGS args)
{
    const int32_t *restrict A_ptr = (const int32_t *)args.buf[0];
    const int32_t *restrict A_crd = (const int32_t *)args.buf[1];
    const float *restrict A = (const float *)args.buf[2];
    const float *restrict B = (const float *)args.buf[3];
    float *restrict C = (float *)args.buf[4];
    const int64_t m = args.param[0].i;
    const int64_t base = args.param[3].i;
    const sb_kparam alpha_ = sbg_scalar_f32(args.param[4], args.far & 1);
    const float alpha = alpha_.f[0];
    const sb_kparam beta_ = sbg_scalar_f32(args.param[5], args.far & 2);
    const float beta = beta_.f[0];
    const int x_ = SBG_TID % 8, y_ = SBG_TID / 8;
    (void)x_, (void)y_;

    for (int64_t i = SBG_BX * 16 + y_; i < m; i += SBG_GX * 16) {
        float acc[1];
        acc[0] = 0.0f;
        float part[1];
        {
            const int64_t l SBK_UNUSED = x_;
            part[0] = 0.0f;
        }
        const int32_t A_ptr0 = A_ptr[i + 1];
        const int32_t A_ptr1 = A_ptr[i];
        for (int64_t pj = 0, pj_hi_ = (((int64_t)A_ptr0 - (int64_t)A_ptr1) >> 3); pj < pj_hi_; pj++) {
            {
                const int64_t l SBK_UNUSED = x_;
                const int64_t j = (int64_t)A_crd[(int64_t)A_ptr1 + pj * 8 + l - base] - base;
                part[0] += A[(int64_t)A_ptr1 + pj * 8 + l - base] * B[j];
            }
        }
        {
            const int64_t l SBK_UNUSED = x_;
            if (l < (((int64_t)A_ptr0 - (int64_t)A_ptr1) & 7)) {
                const int64_t j = (int64_t)A_crd[(int64_t)A_ptr1 + (((int64_t)A_ptr0 - (int64_t)A_ptr1) >> 3) * 8 + l - base] - base;
                part[0] += A[(int64_t)A_ptr1 + (((int64_t)A_ptr0 - (int64_t)A_ptr1) >> 3) * 8 + l - base] * B[j];
            }
        }
        {
            const float other_ = SBG_DOWN(f32, part[0], 4, 8);
            if (x_ < 4) part[0] += other_;
        }
        {
            const float other_ = SBG_DOWN(f32, part[0], 2, 8);
            if (x_ < 2) part[0] += other_;
        }
        acc[0] += SBG_SHFL(f32, part[0 / 8], (int)(0 % 8), 8) + SBG_SHFL(f32, part[1 / 8], (int)(1 % 8), 8);
        {
            if (x_ == 0) {
                C[i] = alpha * acc[0] + (beta == 0.0f ? 0.0f : beta * C[i]);
            }
        }
    }
}
