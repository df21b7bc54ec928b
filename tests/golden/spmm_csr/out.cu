#define SBG_MAX_PARAM 9
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
    const int64_t n = args.param[1].i;
    const int64_t base = args.param[4].i;
    const int64_t ldb = args.param[5].i;
    const int64_t ldc = args.param[6].i;
    const sb_kparam alpha_ = sbg_scalar_f32(args.param[7], args.far & 1);
    const float alpha = alpha_.f[0];
    const sb_kparam beta_ = sbg_scalar_f32(args.param[8], args.far & 2);
    const float beta = beta_.f[0];
    const int x_ = SBG_TID % 32, y_ = SBG_TID / 32;
    (void)x_, (void)y_;

    for (int64_t i = SBG_BX * 4 + y_; i < m; i += SBG_GX * 4) {
        for (int64_t c0 = 0, c0_hi_ = (n >> 5); c0 < c0_hi_; c0++) {
            float acc[1];
            {
                const int64_t c1 SBK_UNUSED = x_;
                acc[0] = 0.0f;
            }
            const int32_t A_ptr0 = A_ptr[i + 1];
            for (int64_t pj = (int64_t)A_ptr[i] - base, pj_hi_ = (int64_t)A_ptr0 - base; pj < pj_hi_; pj++) {
                const int64_t j = (int64_t)A_crd[pj] - base;
                {
                    const int64_t c1 SBK_UNUSED = x_;
                    acc[0] += A[pj] * B[j * ldb + c0 * 32 + c1];
                }
            }
            {
                const int64_t c1 SBK_UNUSED = x_;
                C[i * ldc + c0 * 32 + c1] = alpha * acc[0] + (beta == 0.0f ? 0.0f : beta * C[i * ldc + c0 * 32 + c1]);
            }
        }
        for (int64_t c0 = (n >> 5), c0_hi_ = ((n + 31) >> 5); c0 < c0_hi_; c0++) {
            float acc[1];
            {
                const int64_t c1 SBK_UNUSED = x_;
                if (c1 < (n & 31)) {
                    acc[0] = 0.0f;
                }
            }
            const int32_t A_ptr1 = A_ptr[i + 1];
            for (int64_t pj = (int64_t)A_ptr[i] - base, pj_hi_ = (int64_t)A_ptr1 - base; pj < pj_hi_; pj++) {
                const int64_t j = (int64_t)A_crd[pj] - base;
                {
                    const int64_t c1 SBK_UNUSED = x_;
                    if (c1 < (n & 31)) {
                        acc[0] += A[pj] * B[j * ldb + c0 * 32 + c1];
                    }
                }
            }
            {
                const int64_t c1 SBK_UNUSED = x_;
                if (c1 < (n & 31)) {
                    C[i * ldc + c0 * 32 + c1] = alpha * acc[0] + (beta == 0.0f ? 0.0f : beta * C[i * ldc + c0 * 32 + c1]);
                }
            }
        }
    }
}
