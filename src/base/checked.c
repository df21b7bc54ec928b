/*
 * Overflow-checked arithmetic on the compiler's built-ins.
 */
#include "base/checked.h"

bool
sb_mul_i64(int64_t a, int64_t b, int64_t *out)
{
    int64_t r;

    if (__builtin_mul_overflow(a, b, &r))
        return false;
    *out = r;
    return true;
}

bool
sb_add_i64(int64_t a, int64_t b, int64_t *out)
{
    int64_t r;

    if (__builtin_add_overflow(a, b, &r))
        return false;
    *out = r;
    return true;
}

bool
sb_bytes(int64_t count, size_t size, size_t *out)
{
    size_t r;

    if (count < 0 || __builtin_mul_overflow(count, size, &r))
        return false;
    *out = r;
    return true;
}

bool
sb_strided_extent(int64_t major, int64_t minor, int64_t ld, int64_t *out)
{
    int64_t r;

    if (major < 0 || minor < 0 || ld < 0)
        return false;
    if (major == 0 || minor == 0) {
        *out = 0;
        return true;
    }
    if (!sb_mul_i64(major - 1, ld, &r) || !sb_add_i64(r, minor, &r))
        return false;
    *out = r;
    return true;
}
