/*
 * Type codes and the table of legal combinations.
 */
#include "api/types.h"

#include "base/macro.h"

typedef struct code_row {
    size_t bytes;
    sb_dtype type;
} code_row;

/* By cudaDataType code; codes without a line are unknown (bytes 0). */
static const code_row codes[] = {
    [SPBLAS_R_32F] = {4, SB_F32},   [SPBLAS_R_64F] = {8, SB_F64},
    [SPBLAS_R_16F] = {2, SB_F16},   [SPBLAS_R_8I] = {1, SB_I8},
    [SPBLAS_C_32F] = {8, SB_C32},   [SPBLAS_C_64F] = {16, SB_C64},
    [SPBLAS_C_16F] = {4, SB_C16},   [SPBLAS_R_32I] = {4, SB_I32},
    [SPBLAS_R_16BF] = {2, SB_BF16}, [SPBLAS_C_16BF] = {4, SB_CBF16},
};

size_t
sb_public_size(spblasDataType_t t)
{
    return (unsigned)t < SB_COUNT(codes) ? codes[t].bytes : 0;
}

sb_dtype
sb_public_dtype(spblasDataType_t t)
{
    return sb_public_size(t) ? codes[t].type : SB_DTYPE_COUNT;
}

size_t
sb_public_index_size(spblasIndexType_t t)
{
    return t == SPBLAS_INDEX_64I   ? 8
           : t == SPBLAS_INDEX_32I ? 4
           : t == SPBLAS_INDEX_16U ? 2
                                   : 0;
}

sb_dtype
sb_public_index_dtype(spblasIndexType_t t)
{
    return t == SPBLAS_INDEX_64I   ? SB_I64
           : t == SPBLAS_INDEX_32I ? SB_I32
                                   : SB_DTYPE_COUNT;
}

bool
sb_is_aligned(const void *p, size_t bytes)
{
    return bytes == 0 || (uintptr_t)p % bytes == 0;
}

enum { MM = 1, MV = 2, SD = 4, ALL = MM | MV | SD };

typedef struct combination {
    unsigned ops;
    sb_dtype a, x, y, c;
} combination;

static const combination table[] = {
    {ALL, SB_F32, SB_F32, SB_F32, SB_F32},
    {ALL, SB_F64, SB_F64, SB_F64, SB_F64},
    {ALL, SB_C32, SB_C32, SB_C32, SB_C32},
    {ALL, SB_C64, SB_C64, SB_C64, SB_C64},
    {ALL, SB_F16, SB_F16, SB_F16, SB_F32},
    {ALL, SB_F16, SB_F16, SB_F32, SB_F32},
    {ALL, SB_BF16, SB_BF16, SB_BF16, SB_F32},
    {ALL, SB_BF16, SB_BF16, SB_F32, SB_F32},
    {MM | MV, SB_C16, SB_C16, SB_C16, SB_C32},
    {MM | MV, SB_CBF16, SB_CBF16, SB_CBF16, SB_C32},
    {MM | MV, SB_I8, SB_I8, SB_I32, SB_I32},
    {MM | MV, SB_I8, SB_I8, SB_F32, SB_F32},
    {MV, SB_F32, SB_F64, SB_F64, SB_F64},
    {MV, SB_F32, SB_C32, SB_C32, SB_C32},
    {MV, SB_F64, SB_C64, SB_C64, SB_C64},
};

bool
sb_types_supported(sb_op op, sb_dtype a, sb_dtype x, sb_dtype y, sb_dtype c)
{
    const unsigned bit = op == SB_OP_SPMM ? MM : op == SB_OP_SPMV ? MV : SD;

    for (int i = 0; i < SB_COUNT(table); i++) {
        const combination *t = &table[i];

        if ((t->ops & bit) && (op == SB_OP_SDDMM || t->a == a) && t->x == x &&
            t->y == y && t->c == c)
            return true;
    }
    return false;
}
