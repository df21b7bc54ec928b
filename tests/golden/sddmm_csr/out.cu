#define SBG_MAX_PARAM 9
#define SBG_MAX_BUF 5
#include "spblas_gpu.h"

SBG_KERNEL(kernel, 128)(SBG_ARGS args)
{
    const int32_t *restrict A_ptr = (const int32_t *)args.buf[0];
    const int32_t *restrict A_crd = (const int32_t *)args.buf[1];
    const float *restrict X = (const float *)args.buf[2];
    const float *restrict Y = (const float *)args.buf[3];
    float *restrict A = (float *)args.buf[4];
    const int64_t m = args.param[0].i;
    const int64_t k = args.param[2].i;
    const int64_t base = args.param[4].i;
    const int64_t lda = args.param[5].i;
    const int64_t ldb = args.param[6].i;
    const sb_kparam alpha_ = sbg_scalar_f32(args.param[7], args.far & 1);
    const float alpha = alpha_.f[0];
    const sb_kparam beta_ = sbg_scalar_f32(args.param[8], args.far & 2);
    const float beta = beta_.f[0];
    const int x_ = SBG_TID % 16, y_ = SBG_TID / 16;
    (void)x_, (void)y_;

    for (int64_t i = SBG_BX * 8 + y_; i < m; i += SBG_GX * 8) {
        for (int64_t pj = (int64_t)A_ptr[i] - base, pj_hi_ = (int64_t)A_ptr[i + 1] - base; pj < pj_hi_; pj++) {
            const int64_t j = (int64_t)A_crd[pj] - base;
            float acc[1];
            acc[0] = 0.0f;
            float part[1];
            {
                const int64_t l SBK_UNUSED = x_;
                part[0] = 0.0f;
            }
            for (int64_t c = 0, c_hi_ = (k >> 4); c < c_hi_; c++) {
                {
                    const int64_t l SBK_UNUSED = x_;
                    part[0] += X[i * lda + c * 16 + l] * Y[j * ldb + c * 16 + l];
                }
            }
            {
                const int64_t l SBK_UNUSED = x_;
                if (l < (k & 15)) {
                    part[0] += X[i * lda + (k >> 4) * 16 + l] * Y[j * ldb + (k >> 4) * 16 + l];
                }
            }
            {
                const float other_ = SBG_DOWN(f32, part[0], 8, 16);
                if (x_ < 8) part[0] += other_;
            }
            {
                const float other_ = SBG_DOWN(f32, part[0], 4, 16);
                if (x_ < 4) part[0] += other_;
            }
            {
                const float other_ = SBG_DOWN(f32, part[0], 2, 16);
                if (x_ < 2) part[0] += other_;
            }
            acc[0] += SBG_SHFL(f32, part[0 / 16], (int)(0 % 16), 16) + SBG_SHFL(f32, part[1 / 16], (int)(1 % 16), 16);
            {
                if (x_ == 0) {
                    A[pj] = alpha * acc[0] + (beta == 0.0f ? 0.0f : beta * A[pj]);
                }
            }
        }
    }
}
