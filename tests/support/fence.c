/*
 * See fence.h.
 */
#include "fence.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <sys/mman.h>

#include <cmocka.h>

enum { PAGE = 4096 };

static fenced
map(size_t bytes, bool before)
{
    const size_t size = (bytes + PAGE - 1) / PAGE * PAGE;
    fenced f = {.size = size + PAGE};

    f.map =
        mmap(NULL, f.size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    assert_true(f.map != MAP_FAILED);
    assert_int_equal(mprotect(before ? f.map : f.map + size, PAGE, PROT_NONE), 0);
    f.at = before ? f.map + PAGE : f.map + size - bytes;
    return f;
}

fenced
fence(size_t bytes)
{
    return map(bytes, false);
}

fenced
fence_before(size_t bytes)
{
    return map(bytes, true);
}

void
unfence(const fenced *f)
{
    assert_int_equal(munmap(f->map, f->size), 0);
}

void
put_element(void *at, sb_dtype type, int64_t q, double value)
{
    switch (type) {
    case SB_I32:
        ((int32_t *)at)[q] = (int32_t)value;
        break;
    case SB_I64:
        ((int64_t *)at)[q] = (int64_t)value;
        break;
    case SB_F32:
        ((float *)at)[q] = (float)value;
        break;
    default:
        ((double *)at)[q] = value;
    }
}

double
get_element(const void *at, sb_dtype type, int64_t q)
{
    return type == SB_F32 ? ((const float *)at)[q] : ((const double *)at)[q];
}
