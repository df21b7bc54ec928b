/*
 * Tridiagonal and pentadiagonal systems: one system is factored once, and its right sides
 * are shared; of several, each is one thread's from its factors to its solution.
 */
#include "base/checked.h"
#include "base/fault.h"
#include "cpu/exec.h"
#include "cpu/legacy.h"
#include "cpu/sum.h"

enum {
    SLOTS = 16, /* systems at once, at most */
    SIDES = 8   /* right sides at once */
};

typedef struct job {
    const sb_band *b;
    char *slots; /* factors of a system and where its pivots were, `bytes` each */
    size_t bytes;
    int64_t count;
} job;

typedef struct kernels {
    void (*factor)(const job *j, int64_t slot, int64_t system);
    void (*solve)(const job *j, int64_t slot, int64_t system, int64_t lo, int64_t hi);
} kernels;

#define EACH "cpu/legacy_band.inc"
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

/* The largest sum is of 16 bytes. */
static bool
layout(job *j)
{
    const sb_band *b = j->b;
    const size_t row = (size_t)(3 * b->width + 1) * 16 + 1;

    j->count = b->systems < SLOTS ? b->systems : SLOTS;
    if (!sb_bytes(b->m, row, &j->bytes) || j->bytes > SIZE_MAX / SLOTS / 2)
        return false;
    j->bytes = (j->bytes + 63) & ~(size_t)63;
    return true;
}

bool
sb_band_scratch(const sb_band *b, size_t *bytes)
{
    job j = {.b = b};

    if (!layout(&j))
        return false;
    *bytes = (size_t)j.count * j.bytes;
    return true;
}

static void
run_sides(void *user, int64_t lo, int64_t hi)
{
    const job *j = user;

    kernels_of(j->b->type)->solve(j, 0, 0, lo, hi);
}

/* Slot q has systems q, q + count, ... */
static void
run_slots(void *user, int64_t lo, int64_t hi)
{
    const job *j = user;
    const kernels *k = kernels_of(j->b->type);

    for (int64_t slot = lo; slot < hi; slot++)
        for (int64_t s = slot; s < j->b->systems; s += j->count) {
            k->factor(j, slot, s);
            k->solve(j, slot, s, 0, j->b->sides);
        }
}

void
sb_band_run(const sb_band *b)
{
    job j = {.b = b, .slots = b->scratch};

    (void)layout(&j);
    if (b->systems == 1) {
        kernels_of(b->type)->factor(&j, 0, 0);
        sb_exec_parallel(run_sides, &j, 0, b->sides, SIDES);
    } else {
        sb_exec_parallel(run_slots, &j, 0, j.count, 1);
    }
}
