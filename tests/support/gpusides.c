/*
 * See gpusides.h.
 */
#include "gpusides.h"

#include "base/macro.h"
#include "cachebox.h"
#include "gpu/emu.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static spblasHandle_t gpu, cpu;

bool
sides_open(const char *folder)
{
    return sb_box_open(folder) && spblasCreateOn(&gpu, "emu") == 0 &&
           spblasCreateOn(&cpu, "cpu") == 0;
}

int
sides_close(void)
{
    const int wrong = (spblasDestroy(gpu) != 0) + (spblasDestroy(cpu) != 0) +
                      (sb_emu_count().blocks != 0);

    sb_box_close();
    return wrong;
}

void
side_order(uint64_t k)
{
    static const char *const orders[] = {"forward", "reverse", "random:7"};

    assert_int_equal(setenv("SPBLAS_EMU_ORDER", orders[k % 3], 1), 0);
}

void *
side_copy(side_pool *p, const void *from, size_t bytes)
{
    void *padded = calloc(bytes + 1, 1), *at = padded;

    if (from)
        memcpy(padded, from, bytes);
    else
        memset(padded, 0x5a, bytes);
    if (p->side) {
        at = world_device(padded, bytes + 1);
        free(padded);
    }
    assert_true(p->n < SB_COUNT(p->at));
    return p->at[p->n++] = at;
}

void
side_drop(side_pool *p)
{
    while (p->n > 0)
        (p->side ? world_free : (void (*)(const void *))free)(p->at[--p->n]);
}

spblasHandle_t
side_handle(const side_pool *p)
{
    return p->side ? gpu : cpu;
}

void *
side_scalar(side_pool *p, bool far, void *value, size_t bytes)
{
    world_must(spblasSetPointerMode(side_handle(p), p->side && far
                                                        ? SPBLAS_POINTER_MODE_DEVICE
                                                        : SPBLAS_POINTER_MODE_HOST));
    return p->side && far ? side_copy(p, value, bytes) : value;
}
