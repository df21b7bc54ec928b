/*
 * See fence.h.
 */
#include "fence.h"

#include "base/macro.h"

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
fence_product(fenced_product *p, sb_op op, int64_t rows, int64_t cols, int64_t n,
              int64_t nnz, sb_dtype type, sb_dtype index)
{
    const size_t size = sb_dtype_size(type), wide = sb_dtype_size(index);

    p->ptr = fence((size_t)(rows + 1) * wide);
    p->crd = fence((size_t)nnz * wide);
    p->val = fence((size_t)nnz * size);
    p->b = fence((size_t)(cols * n) * size);
    p->c = fence((size_t)(rows * n) * size);
    p->pb = (sb_problem){.op = op,
                         .a = {.format = SB_FORMAT_CSR,
                               .rows = rows,
                               .cols = cols,
                               .nnz = nnz,
                               .ptr_type = index,
                               .idx_type = index,
                               .val_type = type,
                               .ptr = p->ptr.at,
                               .idx = p->crd.at,
                               .val = p->val.at},
                         .b = {.data = p->b.at,
                               .rows = cols,
                               .cols = n,
                               .ld = n,
                               .type = type,
                               .batch = 1},
                         .c = {.data = p->c.at,
                               .rows = rows,
                               .cols = n,
                               .ld = n,
                               .type = type,
                               .batch = 1},
                         .compute = type,
                         .alpha = {1, 0},
                         .batch = 1};
}

void
unfence_product(const fenced_product *p)
{
    const fenced *all[] = {&p->ptr, &p->crd, &p->val, &p->b, &p->c};

    for (int q = 0; q < SB_COUNT(all); q++)
        unfence(all[q]);
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
    case SB_C32:
    case SB_C64:
        sb_value_store(type, at, q, (sb_value){value, 0});
        break;
    default:
        ((double *)at)[q] = value;
    }
}

double
get_element(const void *at, sb_dtype type, int64_t q)
{
    const int64_t real = sb_dtype_is_complex(type) ? 2 * q : q;

    return type == SB_F32 || type == SB_C32 ? ((const float *)at)[real]
                                            : ((const double *)at)[real];
}
