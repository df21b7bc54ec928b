/*
 * See gpulab.h.
 */
#include "gpulab.h"

const char gpulab_signature[] = "m n ldb ldc alpha beta base;A_ptr A_crd A B C tile";

static const char before[] =
    "#ifdef SBG_EMULATE\n"
    "#include <stdint.h>\n"
    "#define FN static void\n"
    "#else\n"
    "typedef long long int64_t;\n"
    "#define FN static __device__ void\n"
    "#endif\n"
    "typedef union { int64_t i; int i32; float f[2]; double d[2]; } param;\n"
    "typedef struct { param p[7]; void *b[6]; int64_t t0, t1; } sbg_args;\n"
    "typedef struct { int64_t kind, lo, hi, base; } tile;\n"
    "FN body(const sbg_args *a, int64_t block, int column, int thread)\n"
    "{\n"
    "    const tile t = ((const tile *)a->b[5])[a->t0 + block];\n"
    "    const int *ptr = (const int *)a->b[0], *crd = (const int *)a->b[1];\n"
    "    const float *A = (const float *)a->b[2], *B = (const float *)a->b[3];\n"
    "    const float alpha = a->p[4].f[0], beta = a->p[5].f[0];\n"
    "    const int64_t ldb = a->p[2].i, base = a->p[6].i;\n"
    "    for (int64_t i = t.lo + thread; i < t.hi; i += 32) {\n"
    "        float *C = (float *)a->b[4] + i * a->p[3].i;\n"
    "        for (int64_t c = column * 8; c < column * 8 + 8 && c < a->p[1].i; c++) {\n"
    "            float sum = 0;\n"
    "            for (int64_t p = ptr[i] - base; p < ptr[i + 1] - base; p++)\n"
    "                sum += A[p] * B[(crd[p] - base) * ldb + c];\n"
    "            C[c] = alpha * sum + (beta == 0 ? 0 : beta * C[c]);\n"
    "        }\n"
    "        if (WRONG && i == a->p[0].i - 1)\n"
    "            C[a->p[3].i] = 1;\n"
    "    }\n"
    "}\n";

static const char after[] =
    "#ifdef SBG_EMULATE\n"
    "typedef struct { int64_t gx, gy, gz; int order; char *error; unsigned long n; }\n"
    "    sbg_grid;\n"
    "void RUN(const sbg_args *a, const sbg_grid *g)\n"
    "{\n"
    "    const int64_t n = g->gx * g->gy * 32;\n"
    "    for (int64_t q = 0; q < n; q++) {\n"
    "        const int64_t at = g->order ? n - 1 - q : q;\n"
    "        body(a, at / 32 % g->gx, (int)(at / 32 / g->gx), (int)(at % 32));\n"
    "    }\n"
    "}\n"
    "#else\n"
    "extern \"C\" __global__ void RUN(const sbg_args a)\n"
    "{\n"
    "    body(&a, blockIdx.x, blockIdx.y, threadIdx.x);\n"
    "}\n"
    "#endif\n";

void
gpulab_text(sb_strbuf *out, const char *symbol, bool wrong)
{
    sb_strbuf_printf(out, "#define WRONG %d\n", wrong);
    sb_strbuf_printf(out, "#ifdef SBG_EMULATE\n#define RUN %s_run\n#else\n", symbol);
    sb_strbuf_printf(out, "#define RUN %s\n#endif\n", symbol);
    sb_strbuf_puts(out, before);
    sb_strbuf_puts(out, after);
}
