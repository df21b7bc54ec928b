#define SBG_MAX_PARAM 12
#define SBG_MAX_BUF 12
#include "spblas_gpu.h"

SBG_KERNEL(kernel, 128)(SBG_ARGS args)
{
    const int32_t *restrict A_crd = (const int32_t *)args.buf[0];
    const int32_t *restrict rows_row = (const int32_t *)args.buf[1];
    const int32_t *restrict rows_lo = (const int32_t *)args.buf[2];
    const int32_t *restrict rows_hi = (const int32_t *)args.buf[3];
    const float *restrict A = (const float *)args.buf[4];
    const float *restrict B = (const float *)args.buf[5];
    float *restrict C = (float *)args.buf[6];
    const int32_t *restrict ell_row = (const int32_t *)args.buf[7];
    const int32_t *restrict ell_len = (const int32_t *)args.buf[8];
    const int32_t *restrict ell_crd = (const int32_t *)args.buf[9];
    const int32_t *restrict ell_pos = (const int32_t *)args.buf[10];
    const int64_t *restrict tile = (const int64_t *)args.buf[11];
    const int64_t n = args.param[1].i;
    const int64_t base = args.param[4].i;
    const int64_t ldb = args.param[5].i;
    const int64_t ldc = args.param[6].i;
    const sb_kparam alpha_ = sbg_scalar_f32(args.param[7], args.far & 1);
    const float alpha = alpha_.f[0];
    const sb_kparam beta_ = sbg_scalar_f32(args.param[8], args.far & 2);
    const float beta = beta_.f[0];
    const int64_t ell_width = args.param[11].i;
    const int64_t t0 = args.t0, t1 = args.t1;
    const int x_ = SBG_TID % 32, y_ = SBG_TID / 32;
    (void)x_, (void)y_;

    for (int64_t t = t0 + SBG_BX; t < t1; t += SBG_GX) {
        const int64_t tile_kind = tile[t * 4];
        const int64_t tile_lo = tile[t * 4 + 1];
        const int64_t tile_hi = tile[t * 4 + 2];
        if (tile_kind == 0) {
            for (int64_t pr = tile_lo, pr_hi_ = tile_hi; pr < pr_hi_; pr++) {
                const int32_t r = rows_row[pr];
                for (int64_t c0 = 0, c0_hi_ = (n >> 5); c0 < c0_hi_; c0++) {
                    float acc[1];
                    {
                        const int64_t c1 SBK_UNUSED = x_;
                        acc[0] = 0.0f;
                    }
                    const int32_t rows_hi0 = rows_hi[pr];
                    for (int64_t pe = (int64_t)rows_lo[pr], pe_hi_ = (int64_t)rows_hi0; pe < pe_hi_; pe++) {
                        const int64_t e = (int64_t)A_crd[pe] - base;
                        {
                            const int64_t c1 SBK_UNUSED = x_;
                            acc[0] += A[pe] * B[e * ldb + c0 * 32 + c1];
                        }
                    }
                    {
                        const int64_t c1 SBK_UNUSED = x_;
                        {
                            if (y_ == 0) {
                                C[(int64_t)r * ldc + c0 * 32 + c1] = alpha * acc[0] + (beta == 0.0f ? 0.0f : beta * C[(int64_t)r * ldc + c0 * 32 + c1]);
                            }
                        }
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
                    const int32_t rows_hi1 = rows_hi[pr];
                    for (int64_t pe = (int64_t)rows_lo[pr], pe_hi_ = (int64_t)rows_hi1; pe < pe_hi_; pe++) {
                        const int64_t e = (int64_t)A_crd[pe] - base;
                        {
                            const int64_t c1 SBK_UNUSED = x_;
                            if (c1 < (n & 31)) {
                                acc[0] += A[pe] * B[e * ldb + c0 * 32 + c1];
                            }
                        }
                    }
                    {
                        const int64_t c1 SBK_UNUSED = x_;
                        if (c1 < (n & 31)) {
                            {
                                if (y_ == 0) {
                                    C[(int64_t)r * ldc + c0 * 32 + c1] = alpha * acc[0] + (beta == 0.0f ? 0.0f : beta * C[(int64_t)r * ldc + c0 * 32 + c1]);
                                }
                            }
                        }
                    }
                }
            }
        } else {
            if (tile_kind == 1) {
                for (int64_t pr = tile_lo, pr_hi_ = tile_hi; pr < pr_hi_; pr++) {
                    const int32_t r = ell_row[pr];
                    for (int64_t c0 = 0, c0_hi_ = (n >> 5); c0 < c0_hi_; c0++) {
                        float acc[1];
                        {
                            const int64_t c1 SBK_UNUSED = x_;
                            acc[0] = 0.0f;
                        }
                        const int32_t ell_len0 = ell_len[pr];
                        for (int64_t pe = 0, pe_hi_ = (int64_t)ell_len0; pe < pe_hi_; pe++) {
                            const int32_t e = ell_crd[pr * ell_width + pe];
                            {
                                const int64_t c1 SBK_UNUSED = x_;
                                acc[0] += A[(int64_t)ell_pos[pr * ell_width + pe]] * B[(int64_t)e * ldb + c0 * 32 + c1];
                            }
                        }
                        {
                            const int64_t c1 SBK_UNUSED = x_;
                            {
                                if (y_ == 0) {
                                    C[(int64_t)r * ldc + c0 * 32 + c1] = alpha * acc[0] + (beta == 0.0f ? 0.0f : beta * C[(int64_t)r * ldc + c0 * 32 + c1]);
                                }
                            }
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
                        const int32_t ell_len1 = ell_len[pr];
                        for (int64_t pe = 0, pe_hi_ = (int64_t)ell_len1; pe < pe_hi_; pe++) {
                            const int32_t e = ell_crd[pr * ell_width + pe];
                            {
                                const int64_t c1 SBK_UNUSED = x_;
                                if (c1 < (n & 31)) {
                                    acc[0] += A[(int64_t)ell_pos[pr * ell_width + pe]] * B[(int64_t)e * ldb + c0 * 32 + c1];
                                }
                            }
                        }
                        {
                            const int64_t c1 SBK_UNUSED = x_;
                            if (c1 < (n & 31)) {
                                {
                                    if (y_ == 0) {
                                        C[(int64_t)r * ldc + c0 * 32 + c1] = alpha * acc[0] + (beta == 0.0f ? 0.0f : beta * C[(int64_t)r * ldc + c0 * 32 + c1]);
                                    }
                                }
                            }
                        }
                    }
                }
            }
        }
    }
}
