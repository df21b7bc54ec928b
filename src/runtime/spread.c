/*
 * See spread.h.
 */
#include "runtime/spread.h"

#include "base/checked.h"

enum {
    LINE = 64,
    PARTS = 8,
    EACH = 16,    /* entries of a part for each row of C */
    SMALL = 20000 /* entries: one thread is as fast */
};

int
sb_spread_parts(const sb_problem *pb)
{
    const sb_format format = pb->a.format;
    const bool rows_of_c = (pb->trans_a != SB_TRANS_N) == (format == SB_FORMAT_CSC);
    const int64_t m = pb->c.rows, nnz = pb->a.nnz;
    const int64_t parts = m > 0 ? nnz / EACH / m : 0;

    if (pb->device || pb->op == SB_OP_SDDMM || pb->c.cols != 1 || rows_of_c ||
        (format != SB_FORMAT_CSR && format != SB_FORMAT_CSC && format != SB_FORMAT_COO))
        return 0;
    if (nnz < SMALL || nnz / 2 < m)
        return 0;
    return parts < 2 ? 2 : parts < PARTS ? (int)parts : PARTS;
}

size_t
sb_spread_part_bytes(const sb_problem *pb)
{
    size_t bytes;

    if (sb_spread_parts(pb) == 0 ||
        !sb_bytes(pb->c.rows, sb_dtype_size(pb->compute), &bytes) ||
        bytes > SIZE_MAX / (PARTS + 1) - LINE)
        return 0;
    return (bytes + LINE - 1) / LINE * LINE;
}

size_t
sb_spread_bytes(const sb_problem *pb)
{
    const size_t bytes = sb_spread_part_bytes(pb);

    return bytes > 0 ? (size_t)sb_spread_parts(pb) * bytes + LINE : 0;
}

void *
sb_spread_sums(const sb_problem *pb)
{
    const size_t bytes = sb_spread_bytes(pb);
    const size_t skip = (LINE - (uintptr_t)pb->scratch % LINE) % LINE;

    return bytes > 0 && pb->scratch && pb->room >= bytes ? (char *)pb->scratch + skip
                                                         : NULL;
}
