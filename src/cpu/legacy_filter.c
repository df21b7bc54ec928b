/*
 * Elements by their magnitude: counted, copied, and the one at a rank. Magnitudes are
 * not negative, so their bits as integers have their order: the rank is found digit by
 * digit without a copy of them.
 */
#include "base/fault.h"
#include "cpu/balance.h"
#include "cpu/exec.h"
#include "cpu/legacy.h"
#include "cpu/sum.h"

#include <string.h>

enum { BAND = 16, DIGIT = 16, DIGITS = 1 << DIGIT };

typedef struct job {
    const sb_filter *f;
    int32_t *count;
    sb_target_rows to;
} job;

typedef struct kernels {
    sb_range_fn count_rows, fill_rows, count_bands, fill_bands;
    void (*count_digits)(const sb_filter *f, int64_t count, uint64_t above, int shift,
                         int64_t *digit);
} kernels;

static bool
kept(const sb_filter *f, double magnitude)
{
    return SB_FAULT(FILTER_EDGE) ? magnitude >= f->bound : !(magnitude <= f->bound);
}

static uint64_t
bits_of(double magnitude)
{
    uint64_t x;

    memcpy(&x, &magnitude, sizeof x);
    return x;
}

#define EACH "cpu/legacy_filter.inc"
#include "cpu/each_type.inc"

static const kernels *
kernels_of(sb_dtype t)
{
    static const kernels *const table[SB_DTYPE_COUNT] = {
        [SB_F32] = &f32_kernels, [SB_F64] = &f64_kernels, [SB_C32] = &c32_kernels,
        [SB_C64] = &c64_kernels, [SB_F16] = &f16_kernels, [SB_BF16] = &bf16_kernels,
    };

    return table[t];
}

static void
run(job *k, sb_range_fn rows, sb_range_fn bands)
{
    const sb_filter *f = k->f;

    if (f->ptr) {
        const sb_balance b = sb_balance_rows(f->m, f->ptr);

        sb_balance_run(&b, rows, k);
    } else {
        sb_exec_parallel(bands, k, 0, (f->m + BAND - 1) / BAND, 1);
    }
}

void
sb_filter_count(const sb_filter *f, int32_t *count)
{
    const kernels *kernel = kernels_of(f->type);
    job k = {f, count, {0}};

    run(&k, kernel->count_rows, kernel->count_bands);
}

void
sb_filter_fill(const sb_filter *f, const sb_target_rows *to)
{
    const kernels *kernel = kernels_of(f->type);
    job k = {f, NULL, *to};

    run(&k, kernel->fill_rows, kernel->fill_bands);
}

size_t
sb_filter_scratch(void)
{
    return DIGITS * sizeof(int64_t);
}

double
sb_filter_rank(const sb_filter *f, int64_t count, int64_t rank, void *scratch)
{
    int64_t *digit = scratch;
    uint64_t above = 0;
    double bound;

    for (int shift = 64 - DIGIT; shift >= 0; shift -= DIGIT) {
        uint64_t d = 0;

        memset(digit, 0, sb_filter_scratch());
        kernels_of(f->type)->count_digits(f, count, above, shift, digit);
        while (rank >= digit[d])
            rank -= digit[d++];
        above |= d << shift;
    }
    memcpy(&bound, &above, sizeof bound);
    return bound;
}
