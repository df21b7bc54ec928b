/*
 * The SIMT shim: GPU kernel text as C on the host. One fiber per thread of a block, block
 * after block. A collective is complete when all threads it names stand at the same line
 * of the text; anything else is an error with a sentence. Lanes and blocks run forward,
 * backward or shuffled, so a result that depends on their order shows. Shared memory
 * holds NaN when a block starts.
 *
 *   void NAME_run(const sbg_args *args, const sbg_grid *grid)
 *
 * It cannot show: time, races between blocks that a sequence of whole blocks does not
 * have, and what a real machine does with its memory model.
 */
#ifndef SPBLAS_SIMT_H
#define SPBLAS_SIMT_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#if !defined(__x86_64__)
#include <ucontext.h>
#endif

#include "compiler/spblas_scalar.h"

/* order: 0 lanes and blocks forward, 1 backward, more: shuffled by that seed. error: the
 * first thing that went wrong, "" when nothing did; a run that failed is cut short. */
typedef struct sbg_grid {
    int64_t gx, gy, gz;
    int order;
    char *error;
    size_t error_size;
} sbg_grid;

typedef void (*sbg_body)(const void *args);

enum { SBG_COPIES_MAX = 256, SBG_STACK = 1 << 16, SBG_READY = 0, SBG_WAITS, SBG_DONE };

typedef struct sbg_fiber {
    char *stack;
#if defined(__x86_64__)
    void *sp;
#else
    ucontext_t context;
#endif
    int state;
    int line, first, count; /* waits at `line` for threads first .. first + count */
    int meets, barriers; /* waits behind it after which memory is seen; of the block */
    union {
        double d[2];
        int64_t i;
        const void *p;
    } slot;    /* what it offers in an exchange */
    int ncopy; /* under way */
    struct {
        void *to;
        const void *from;
        int bytes;
    } copy[SBG_COPIES_MAX];
} sbg_fiber;

typedef struct sbg_machine {
    int threads, self;
    sbg_fiber *fiber;
    sbg_fiber host;
    sbg_body body;
    const void *args;
    const sbg_grid *grid;
    int64_t bx, by;
    uint64_t seed;
    int *turn;
    unsigned char *shared; /* of the block */
    size_t shared_bytes;
    int failed;
} sbg_machine;

static _Thread_local sbg_machine *sbg_now __attribute__((unused));

#if !defined(SBG_SHARED_BYTES)
#define SBG_SHARED_BYTES 0
#endif
#if !defined(SBG_LAUNCHED) /* for who watches */
#define SBG_LAUNCHED()
#endif
#define SBK_UNROLL
#define SBG_UNROLL
#define SBG_UNROLL_4
#define SBG_ROLLED
#define SBG_TID (sbg_now->self)
#define SBG_BX (sbg_now->bx)
#define SBG_BY (sbg_now->by)
#define SBG_GX (sbg_now->grid->gx)
#define SBG_GY (sbg_now->grid->gy)

SBK_FN void
sbg_fail(const char *what, int line, int thread)
{
    if (!sbg_now->failed && sbg_now->grid->error)
        (void)snprintf(sbg_now->grid->error, sbg_now->grid->error_size,
                       "%s: line %d, thread %d of block %lld, %lld", what, line, thread,
                       (long long)sbg_now->bx, (long long)sbg_now->by);
    sbg_now->failed = 1;
}

/* ---- fibers ------------------------------------------------------------------------ */

#if defined(__x86_64__)
/* Callee-saved registers, then the stack. */
static __attribute__((naked, noinline)) void
sbg_jump(void **save __attribute__((unused)), void *load __attribute__((unused)))
{
    __asm__("pushq %rbp\n\tpushq %rbx\n\tpushq %r12\n\t"
            "pushq %r13\n\tpushq %r14\n\tpushq %r15\n\t"
            "movq %rsp, (%rdi)\n\tmovq %rsi, %rsp\n\t"
            "popq %r15\n\tpopq %r14\n\tpopq %r13\n\t"
            "popq %r12\n\tpopq %rbx\n\tpopq %rbp\n\tret");
}

static void
sbg_switch(sbg_fiber *from, sbg_fiber *to)
{
    __asm__ volatile("" : : : "memory"); /* what others store, too */
    sbg_jump(&from->sp, to->sp);
    __asm__ volatile("" : : : "memory");
}
#else
static void
sbg_switch(sbg_fiber *from, sbg_fiber *to)
{
    (void)swapcontext(&from->context, &to->context);
}
#endif

static void
sbg_start(void)
{
    sbg_machine *const m = sbg_now;
    const int self = m->self;

    m->body(m->args);
    m->fiber[self].state = SBG_DONE;
    sbg_switch(&m->fiber[self], &m->host);
}

static void
sbg_prepare(sbg_fiber *f)
{
#if defined(__x86_64__)
    void **top = (void **)(void *)(f->stack + SBG_STACK);

    *--top = NULL; /* as if called: the stack is 8 off a multiple of 16 */
    *--top = (void *)(uintptr_t)sbg_start;
    for (int q = 0; q < 6; q++)
        *--top = NULL;
    f->sp = top;
#else
    (void)getcontext(&f->context);
    f->context.uc_stack.ss_sp = f->stack;
    f->context.uc_stack.ss_size = SBG_STACK;
    f->context.uc_link = NULL;
    makecontext(&f->context, sbg_start, 0);
#endif
    f->state = SBG_READY;
    f->ncopy = f->meets = f->barriers = 0;
}

/* ---- collectives ------------------------------------------------------------------- */

/* Until threads first .. first + count stand here. */
SBK_FN void
sbg_wait(int line, int first, int count)
{
    sbg_machine *const m = sbg_now;
    sbg_fiber *const f = &m->fiber[m->self];

    f->line = line;
    f->first = first;
    f->count = count;
    f->state = SBG_WAITS;
    sbg_switch(f, &m->host);
}

/* The same, and what one of them has stored the others see from now on: other collectives
 * say nothing of memory. */
SBK_FN void
sbg_meet(int line, int first, int count)
{
    sbg_fiber *const f = &sbg_now->fiber[SBG_TID];

    sbg_wait(line, first, count);
    f->meets++;
    f->barriers += count == sbg_now->threads;
}

/* Twice, so that nobody's offer is replaced before all have read. */
#define SBG_EXCHANGES(t, type)                                          \
    SBK_FN type sbg_shfl_##t(type v, int from, int width, int line)     \
    {                                                                   \
        const int first = SBG_TID & -width;                             \
        sbg_fiber *const f = sbg_now->fiber;                            \
        memcpy(&f[SBG_TID].slot, &v, sizeof v);                         \
        sbg_wait(line, first, width);                                   \
        memcpy(&v, &f[first + (from & (width - 1))].slot, sizeof v);    \
        sbg_wait(line, first, width);                                   \
        return v;                                                       \
    }                                                                   \
    SBK_FN type sbg_down_##t(type v, int by, int width, int line)       \
    {                                                                   \
        const int to = (SBG_TID & (width - 1)) + by;                    \
        return sbg_shfl_##t(v, to < width ? to : to - by, width, line); \
    }
SBG_EXCHANGES(i32, int32_t)
SBG_EXCHANGES(i64, int64_t)
SBG_EXCHANGES(f32, float)
SBG_EXCHANGES(f64, double)
SBG_EXCHANGES(c32, sbk_c32)
SBG_EXCHANGES(c64, sbk_c64)
#define SBG_SYNC(width) sbg_meet(__LINE__, SBG_TID & -(width), width)

/* Whole warps, whatever the width. */
SBK_FN uint32_t
sbg_votes(int yes, int width, int line)
{
    const int warp = SBG_TID & -32, first = SBG_TID & -width;
    sbg_fiber *const f = sbg_now->fiber;
    uint32_t votes = 0;

    f[SBG_TID].slot.i = yes != 0;
    sbg_wait(line, warp, 32);
    for (int q = 0; q < width; q++)
        votes |= (uint32_t)f[first + q].slot.i << q;
    sbg_wait(line, warp, 32);
    return votes;
}
#define SBG_WARP_EXCHANGES(t, type)                                      \
    SBK_FN type sbg_warp_shfl_##t(type v, int from, int width, int line) \
    {                                                                    \
        const int warp = SBG_TID & -32, first = SBG_TID & -width;        \
        sbg_fiber *const f = sbg_now->fiber;                             \
        memcpy(&f[SBG_TID].slot, &v, sizeof v);                          \
        sbg_wait(line, warp, 32);                                        \
        memcpy(&v, &f[first + (from & (width - 1))].slot, sizeof v);     \
        sbg_wait(line, warp, 32);                                        \
        return v;                                                        \
    }
SBG_WARP_EXCHANGES(i32, int32_t)
SBG_WARP_EXCHANGES(i64, int64_t)
SBG_WARP_EXCHANGES(f32, float)
SBG_WARP_EXCHANGES(f64, double)
SBG_WARP_EXCHANGES(c32, sbk_c32)
SBG_WARP_EXCHANGES(c64, sbk_c64)
#define SBG_VOTES(yes, width) sbg_votes(yes, width, __LINE__)
#define SBG_ANY(yes) (sbg_votes(yes, 32, __LINE__) != 0)
#define SBG_WARP_SHFL(t, v, from, width) sbg_warp_shfl_##t(v, from, width, __LINE__)
#define SBG_WARP_XOR(t, v, bits) SBG_WARP_SHFL(t, v, (SBG_TID & 31) ^ (bits), 32)
#define SBG_BARRIER() sbg_meet(__LINE__, 0, sbg_now->threads)
#define SBG_SHARED(type, name, n, at) \
    type *const name = (type *)(void *)(sbg_now->shared + (at))
#define SBG_SHFL(t, v, from, width) sbg_shfl_##t(v, from, width, __LINE__)
#define SBG_DOWN(t, v, by, width) sbg_down_##t(v, by, width, __LINE__)

/* ---- memory and tensor cores --------------------------------------------------------- */

/* As the machine: an address that is not a multiple of the size is an error. */
#define SBG_AT_ONCE(bytes)                                                 \
    SBK_FN void sbg_ld##bytes(void *to, const void *from)                  \
    {                                                                      \
        if ((uintptr_t)from % bytes)                                       \
            sbg_fail("an address that is not aligned", __LINE__, SBG_TID); \
        memcpy(to, from, bytes);                                           \
    }                                                                      \
    SBK_FN void sbg_st##bytes(void *to, const void *from)                  \
    {                                                                      \
        if ((uintptr_t)to % bytes)                                         \
            sbg_fail("an address that is not aligned", __LINE__, SBG_TID); \
        memcpy(to, from, bytes);                                           \
    }
SBG_AT_ONCE(16)
SBG_AT_ONCE(8)
SBG_AT_ONCE(4)

/* Copies are made when they are waited for, not before. */
SBK_FN void
sbg_copy(void *to, const void *from, int bytes)
{
    sbg_fiber *const f = &sbg_now->fiber[SBG_TID];

    if (f->ncopy == SBG_COPIES_MAX) {
        sbg_fail("too many copies under way", __LINE__, SBG_TID);
        return;
    }
    if ((uintptr_t)to % (unsigned)bytes || (uintptr_t)from % (unsigned)bytes)
        sbg_fail("an address that is not aligned", __LINE__, SBG_TID);
    f->copy[f->ncopy].to = to;
    f->copy[f->ncopy].from = from;
    f->copy[f->ncopy++].bytes = bytes;
}
#define sbg_copy4(to, from) sbg_copy(to, from, 4)
#define sbg_copy8(to, from) sbg_copy(to, from, 8)
#define sbg_copy16(to, from) sbg_copy(to, from, 16)

SBK_FN void
sbg_copied(void)
{
    sbg_fiber *const f = &sbg_now->fiber[SBG_TID];

    for (int q = 0; q < f->ncopy; q++)
        memcpy(f->copy[q].to, f->copy[q].from, (size_t)f->copy[q].bytes);
    f->ncopy = 0;
}
#define SBG_COPIED() sbg_copied()

typedef struct sbg_fragments {
    const uint32_t *a, *b;
} sbg_fragments;

/* mma.sync.aligned.m16n8k8 and k16 on 16-bit floats, the fragments of the 32 lanes of a
 * warp as the PTX ISA has them: A's row is that of four lanes, or eight below in every
 * other register; two k to a register; B's column that of four lanes; C's rows as A's, two
 * columns side by side. */
SBK_FN void
sbg_ptx_half(float *d, const uint32_t *a, const uint32_t *b, int k,
             float (*value)(uint16_t), int line)
{
    const int first = SBG_TID & -32, lane = SBG_TID & 31;
    const sbg_fragments mine = {a, b};
    sbg_fiber *const f = sbg_now->fiber + first;
    float sum[4];

    f[lane].slot.p = &mine;
    sbg_wait(line, first, 32);
    for (int q = 0; q < 4; q++) {
        const int row = lane / 4 + q / 2 * 8, col = lane % 4 * 2 + q % 2;

        sum[q] = d[q];
        for (int i = 0; i < k; i++) {
            const sbg_fragments *fa = f[row % 8 * 4 + i % 8 / 2].slot.p;
            const sbg_fragments *fb = f[col * 4 + i % 8 / 2].slot.p;
            const uint32_t ra = fa->a[row / 8 + i / 8 * 2], rb = fb->b[i / 8];

            sum[q] += value((uint16_t)(ra >> i % 2 * 16)) *
                      value((uint16_t)(rb >> i % 2 * 16));
        }
    }
    sbg_wait(line, first, 32);
    memcpy(d, sum, sizeof sum);
}

/* m16n8k8 on tf32: one k to a register, k and k + 4 with one lane; the bits below ten of
 * the fraction are not looked at. */
SBK_FN void
sbg_ptx_tf32(float *d, const uint32_t *a, const uint32_t *b, int line)
{
    const int first = SBG_TID & -32, lane = SBG_TID & 31;
    const sbg_fragments mine = {a, b};
    sbg_fiber *const f = sbg_now->fiber + first;
    float sum[4];

    f[lane].slot.p = &mine;
    sbg_wait(line, first, 32);
    for (int q = 0; q < 4; q++) {
        const int row = lane / 4 + q / 2 * 8, col = lane % 4 * 2 + q % 2;

        sum[q] = d[q];
        for (int i = 0; i < 8; i++) {
            const sbg_fragments *fa = f[row % 8 * 4 + i % 4].slot.p;
            const sbg_fragments *fb = f[col * 4 + i % 4].slot.p;
            const uint32_t ua = fa->a[row / 8 + i / 4 * 2] & 0xffffe000u;
            const uint32_t ub = fb->b[i / 4] & 0xffffe000u;
            float va, vb;

            memcpy(&va, &ua, sizeof va);
            memcpy(&vb, &ub, sizeof vb);
            sum[q] += va * vb;
        }
    }
    sbg_wait(line, first, 32);
    memcpy(d, sum, sizeof sum);
}

/* ---- blocks ------------------------------------------------------------------------ */

/* 0 .. n in the order of the run. */
static void
sbg_shuffle(sbg_machine *m, int *at, int n)
{
    for (int q = 0; q < n; q++)
        at[q] = m->grid->order == 1 ? n - 1 - q : q;
    for (int q = n - 1; q > 0 && m->grid->order > 1; q--) {
        int r, was = at[q];

        m->seed = m->seed * UINT64_C(6364136223846793005) + 1442695040888963407u;
        r = (int)((m->seed >> 33) % (uint64_t)(q + 1));
        at[q] = at[r];
        at[r] = was;
    }
}

static int
sbg_complete(const sbg_machine *m, const sbg_fiber *f)
{
    for (int q = f->first; q < f->first + f->count; q++)
        if (q >= m->threads || m->fiber[q].state != SBG_WAITS ||
            m->fiber[q].line != f->line || m->fiber[q].first != f->first ||
            m->fiber[q].count != f->count)
            return 0;
    return 1;
}

/* Lets go who is complete; false when nobody is and somebody waits. */
static int
sbg_release(sbg_machine *m)
{
    int waits = 0, freed = 0;

    for (int q = 0; q < m->threads; q++) {
        sbg_fiber *const f = &m->fiber[q];

        waits += f->state == SBG_WAITS;
        if (f->state != SBG_WAITS || q != f->first || !sbg_complete(m, f))
            continue;
        for (int r = q; r < q + f->count; r++, freed++)
            m->fiber[r].state = SBG_READY;
    }
    for (int q = 0; q < m->threads && waits && !freed; q++)
        if (m->fiber[q].state == SBG_WAITS) {
            sbg_fail("not all threads of a collective came to it", m->fiber[q].line, q);
            break;
        }
    return freed;
}

static void
sbg_block(sbg_machine *m)
{
    memset(m->shared, 0xff, m->shared_bytes);
    for (int q = 0; q < m->threads; q++)
        sbg_prepare(&m->fiber[q]);
    do {
        sbg_shuffle(m, m->turn, m->threads);
        for (int q = 0; q < m->threads && !m->failed; q++) {
            m->self = m->turn[q];
            if (m->fiber[m->self].state == SBG_READY)
                sbg_switch(&m->host, &m->fiber[m->self]);
        }
    } while (!m->failed && sbg_release(m));
}

/* Blocks by x and y, in the order of the run; z is not used. */
static void
sbg_blocks(sbg_machine *m)
{
    const int64_t n = m->grid->gx * m->grid->gy;
    int *order = n > 0 && n <= INT32_MAX ? malloc((size_t)n * sizeof *order) : NULL;

    if (n > 0 && !order) {
        sbg_fail("no memory for the order of the blocks", 0, 0);
        return;
    }
    if (n > 0)
        sbg_shuffle(m, order, (int)n);
    for (int64_t q = 0; q < n && !m->failed; q++) {
        m->bx = order[q] % m->grid->gx;
        m->by = order[q] / m->grid->gx;
        sbg_block(m);
    }
    free(order);
}

SBK_FN void
sbg_run(sbg_body body, int threads, size_t shared, const void *args,
        const sbg_grid *grid)
{
    sbg_machine m = {.threads = threads, .body = body, .args = args, .grid = grid};
    sbg_machine *const outer = sbg_now;
    char *stacks = malloc((size_t)threads * SBG_STACK);

    m.seed = (uint64_t)grid->order;
    m.fiber = calloc((size_t)threads, sizeof *m.fiber);
    m.turn = malloc((size_t)threads * sizeof *m.turn);
    m.shared = malloc(shared + 16);
    m.shared_bytes = shared;
    sbg_now = &m;
    SBG_LAUNCHED();
    if (grid->error && grid->error_size > 0)
        grid->error[0] = '\0';
    if (stacks && m.fiber && m.turn && m.shared) {
        for (int q = 0; q < threads; q++)
            m.fiber[q].stack = stacks + (size_t)q * SBG_STACK;
        sbg_blocks(&m);
    } else {
        sbg_fail("no memory for the threads of a block", 0, 0);
    }
    sbg_now = outer;
    free(m.shared);
    free(m.turn);
    free(m.fiber);
    free(stacks);
}

#define SBG_KERNEL(name, threads)                                       \
    struct sbg_args;                                                    \
    static void name##_thread(const struct sbg_args args);              \
    static void name##_body(const void *args)                           \
    {                                                                   \
        name##_thread(*(const struct sbg_args *)args);                  \
    }                                                                   \
    void name##_run(const struct sbg_args *args, const sbg_grid *grid); \
    void name##_run(const struct sbg_args *args, const sbg_grid *grid)  \
    {                                                                   \
        sbg_run(name##_body, threads, SBG_SHARED_BYTES, args, grid);    \
    }                                                                   \
    static void name##_thread

#endif
