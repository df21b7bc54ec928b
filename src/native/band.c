/*
 * Tridiagonal and pentadiagonal systems.
 */
#include "base/checked.h"
#include "native/run.h"

enum { LINE = 64 };

/* Bytes of all factors, on lines; false: too many. */
static bool
factors(const sb_band *b, size_t *bytes)
{
    const size_t row = (size_t)(3 * b->width + 1) * sb_dtype_size(b->type);
    size_t one;

    if (!sb_bytes(b->m, row, &one) || !sb_bytes(b->systems, one, bytes) ||
        *bytes > SIZE_MAX / 4)
        return false;
    *bytes = (*bytes + LINE - 1) & ~(size_t)(LINE - 1);
    return true;
}

bool
sb_native_band_scratch(const sb_band *b, size_t *bytes)
{
    if (!factors(b, bytes))
        return false;
    *bytes += (size_t)b->m * (size_t)b->systems + LINE;
    return true;
}

sb_status
sb_native_band(const sb_native *n, const sb_band *b)
{
    char *const at =
        (char *)(((uintptr_t)b->scratch + LINE - 1) & ~(uintptr_t)(LINE - 1));
    sb_native_job j =
        sb_native_job_of("eliminate", b->type, b->type, SB_DTYPE_COUNT, SB_DTYPE_COUNT);
    size_t bytes;

    if (!factors(b, &bytes))
        return SB_ERESOURCES;
    sb_native_int(&j, b->m);
    sb_native_int(&j, b->systems);
    sb_native_int(&j, b->sides);
    sb_native_int(&j, b->width);
    sb_native_int(&j, b->step);
    sb_native_int(&j, b->shift);
    sb_native_int(&j, b->column);
    for (int q = 0; q < 5; q++)
        sb_native_array(&j, b->diag[q]);
    sb_native_array(&j, b->x);
    sb_native_array(&j, at);
    sb_native_array(&j, at + bytes);
    SB_TRY(sb_native_threads(n, &j, b->systems));
    j.op = "backward";
    return sb_native_threads(n, &j, b->systems * b->sides);
}
