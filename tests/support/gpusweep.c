/*
 * See gpusweep.h. What a kernel depends on, and the values that tell its cases apart: the
 * operation and types (problems.h), where the entries are (rows in place or by position,
 * sorted coordinates, blocks), both orders and the conjugates of the operands, offsets and
 * columns, columns of C, entries of a row, what may become of f32, values packed or not.
 */
#include "gpusweep.h"

#include "base/macro.h"
#include "kernels/byhand.h"
#include "kernels/recipe.h"
#include "planner/build.h"
#include "planner/candidates.h"
#include "planner/even.h"
#include "planner/rules.h"
#include "problems.h"
#include "runtime/device.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

enum { SEEN = 1 << 23, ROWS = 1 << 10, LONG = 128 };

/* ---- the device ----------------------------------------------------------------------------- */

static gpusweep *now;

static bool
seen_before(const char *spec)
{
    const uint64_t h = sb_hash_bytes(spec, strlen(spec), (sb_hash){0, 0}).a | 1;
    uint64_t at = h % SEEN;

    while (now->seen[at] && now->seen[at] != h)
        at = (at + 1) % SEEN;
    if (now->seen[at])
        return true;
    now->seen[at] = h;
    return false;
}

/* A kernel of several kinds is not to be had, so that those of each are asked for too. */
static sb_status
note(const sb_kernel **out, sb_device *d, const char *spec, sb_kernel_maker maker,
     sb_kernel_effort effort, sb_diag *diag)
{
    static const sb_kernel any;

    (void)d;
    (void)maker;
    (void)effort;
    (void)diag;
    if (!seen_before(spec)) {
        if (now->n == now->room) {
            now->room = now->room ? 2 * now->room : 4096;
            now->spec = realloc(now->spec, (size_t)now->room * sizeof *now->spec);
            assert_non_null(now->spec);
            assert_true(now->room < SEEN / 2);
        }
        (void)strcpy(now->spec[now->n++], spec);
    }
    *out = &any;
    return strchr(spec, '+') ? SB_ENOKERNEL : SB_OK;
}

static bool
never(sb_device *d, void *stream)
{
    (void)d;
    (void)stream;
    return false;
}

/* ---- the problems --------------------------------------------------------------------------- */

/* The compositions of an analysis, and the path without one. */
static void
ask(const sb_problem *pb, double mean, sb_dtype slot)
{
    const bool in = sb_problem_in_place(pb);
    static sb_planner pl;
    sb_choice ch;
    sb_build b = {.pl = &pl, .effort = SB_KERNEL_RESIDENT};

    pl.pb = pb;
    sb_work_of(&pl.work, pb);
    pl.stats = (sb_stats){.mean = mean};
    pl.view.block = sb_matrix_block(&pb->a);
    pl.view.slot_type = slot;
    pl.view.crd_type = pb->a.idx_type;
    for (int q = 0; sb_candidate(&ch, pb, in, true, 1, q); q++) {
        sb_rule_gpu_rest(&ch, &pl.stats);
        if (sb_rule_gpu_suits(&ch))
            (void)sb_build_kernels_exist(&b, &ch);
    }
    sb_even_prepare(pb);
}

/* Columns of C, or of the reduction, and entries of a row: all tiles, both unrolls. */
static void
ask_widths(sb_problem *pb, sb_dtype slot)
{
    const bool listed = pb->a.format == SB_FORMAT_COO; /* whose arrays would be read */

    for (int64_t n = 4; n <= LONG; n *= 2)
        for (int64_t mean = 2; mean <= 32; mean *= 4) {
            sb_problem p = *pb;
            const int64_t wide = pb->op == SB_OP_SPMV ? 1 : n;
            const int64_t entries = pb->op == SB_OP_SPMV ? n : mean;

            p.a.rows = p.a.cols = ROWS * sb_matrix_block(&p.a);
            p.a.nnz = listed ? 0 : ROWS * entries;
            p.b.rows = p.b.cols = p.c.rows = p.c.cols = ROWS;
            if (p.op == SB_OP_SDDMM)
                *(p.trans_a ? &p.b.rows : &p.b.cols) = wide;
            else
                p.c.cols = wide;
            ask(&p, (double)entries, slot);
        }
}

/* Offsets and columns of both widths, and what may become of f32. */
static void
ask_indices(sb_problem *pb)
{
    static const sb_dtype pair[][2] = {
        {SB_I32, SB_I32}, {SB_I64, SB_I64}, {SB_I64, SB_I32}, {SB_I32, SB_I64}};
    const int math = pb->b.type == SB_F32 && pb->compute == SB_F32 ? SB_MATH_TF32 : 0;

    for (int q = 0; q < SB_COUNT(pair); q++)
        for (pb->math = SB_MATH_EXACT; (int)pb->math <= math; pb->math++) {
            pb->a.ptr_type = pair[q][0];
            pb->a.idx_type = pair[q][1];
            ask_widths(pb, pair[q][0]);
        }
}

/* Every order and, of complex types, conjugate of both dense operands. */
static void
ask_operands(sb_problem *pb)
{
    const bool sampled = pb->op == SB_OP_SDDMM;
    const int conjugates = sb_dtype_is_complex(pb->compute) ? 2 : 1;
    sb_trans *const of_b = sampled ? &pb->trans_a : &pb->trans_b;
    sb_trans *const of_c = sampled ? &pb->trans_b : NULL;

    for (int q = 0; q < 4 * conjugates * (sampled ? conjugates : 1); q++) {
        pb->b.col_major = q & 1;
        pb->c.col_major = q >> 1 & 1;
        *of_b = q >> 2 & 1 ? SB_TRANS_H : SB_TRANS_N;
        if (of_c)
            *of_c = q >> 3 & 1 ? SB_TRANS_H : SB_TRANS_N;
        if (pb->op != SB_OP_SPMV || (q & 3) == 0)
            ask_indices(pb);
    }
}

/* Rows in place, rows by position, coordinates, blocks of sizes known and not. */
static void
ask_formats(sb_problem *pb)
{
    static const int block[] = {2, 3, 4, 7, 8, 16, 32, 65};
    const bool complex = sb_dtype_is_complex(pb->compute);
    const int trans = pb->op == SB_OP_SDDMM ? 0 : complex ? SB_TRANS_H : SB_TRANS_T;

    for (int t = 0; t <= trans; t++) {
        pb->a.format = SB_FORMAT_CSR;
        pb->a.block = 1;
        pb->trans_a = (sb_trans)t;
        ask_operands(pb);
        pb->a.format = SB_FORMAT_COO;
        ask_operands(pb);
        pb->a.format = SB_FORMAT_BSR;
        for (int q = 0; q < 2 * SB_COUNT(block); q++) {
            pb->a.block = block[q / 2];
            pb->a.block_col_major = q % 2;
            ask_operands(pb);
        }
    }
}

static int
by_text(const void *x, const void *y)
{
    return strcmp(x, y);
}

void
gpusweep_make(gpusweep *g)
{
    static const sb_device_ops ops = {.kernel = note, .capturing = never};
    sb_device device = {.ops = &ops};

    *g = (gpusweep){.seen = calloc(SEEN, sizeof *g->seen)};
    assert_non_null(g->seen);
    now = g;
    for (int t = 0; t < problem_type_count; t++)
        for (int op = SB_OP_SPMM; op <= SB_OP_SDDMM; op++) {
            const problem_types *types = &problem_type_table[t];
            sb_problem pb = {.op = (sb_op)op,
                             .a = {.val_type = types->a, .batch = 1},
                             .b = {.type = types->x, .batch = 1},
                             .c = {.type = types->y, .batch = 1},
                             .compute = types->c,
                             .batch = 1,
                             .device = &device};

            if (types->ops >> op & 1)
                ask_formats(&pb);
        }
    free(g->seen);
    g->seen = NULL;
    qsort(g->spec, (size_t)g->n, sizeof *g->spec, by_text);
}

void
gpusweep_free(gpusweep *g)
{
    free(g->spec);
    *g = (gpusweep){0};
}

/* ---- those that stand for others ------------------------------------------------------------ */

static bool
usual_types(const sb_spec *s)
{
    const bool same = s->a == s->b && s->b == s->c;
    const bool f32 = s->b == SB_F32 && s->compute == SB_F32;

    if (!same || s->ptr != s->idx ||
        (!f32 && s->tile != 32 && s->op == SB_KOP_SPMM && !s->mma))
        return false;
    return s->idx == SB_I32 ? f32 || s->b == SB_F64 || s->b == SB_F16 || s->b == SB_C32
                            : f32 && s->tile == 32 && !s->mma;
}

static bool
usual_layout(const sb_spec *s)
{
    const bool alone = (s->kinds & (s->kinds - 1)) == 0;

    if (s->a_conj || s->b_conj || s->c_conj || s->turned || s->narrow)
        return false;
    if (s->op == SB_KOP_SDDMM)
        return !s->b_col && s->c_col;
    return s->b_col == s->c_col &&
           (!s->b_col || (alone && s->b == SB_F32 && s->idx == SB_I32));
}

static bool
usual_kinds(const sb_spec *s)
{
    const unsigned whole = 1U << SB_KIND_CSR | 1U << SB_KIND_ELL | 1U << SB_KIND_PICK |
                           1U << SB_KIND_COO | 1U << SB_KIND_LIST,
                   packed = 1U << SB_KIND_BLOCKS | 1U << SB_KIND_SELL,
                   even = 1U << SB_KIND_RANGE | 1U << SB_KIND_CARRY |
                          1U << SB_KIND_WHOLE | 1U << SB_KIND_LIST |
                          1U << SB_KIND_BLOCKS,
                   slices = 1U << SB_KIND_SELL | 1U << SB_KIND_MASK;
    const int n = __builtin_popcount(s->kinds);

    if (s->packed != ((s->kinds & packed) != 0) || s->even != ((s->kinds & even) != 0))
        return false;
    return n == 2 || (n == 1 && (s->kinds & (whole | even | slices)));
}

static bool
usual_sizes(const sb_spec *s)
{
    const bool together =
        s->op == SB_KOP_SPMM && !s->b_col && !(s->kinds & 1U << SB_KIND_BLOCKS);

    if ((s->block && s->block != (s->mma ? 8 : 4)) || s->mma == SB_MMA_TF32 ||
        (together && s->unroll < 2 && !sb_byhand_of(s)))
        return false;
    if (s->kinds & 1U << SB_KIND_SELL)
        return true;
    return s->tile == 32 || (s->op == SB_KOP_SPMM && !s->b_col &&
                             (s->mma ? s->tile == 64 : s->tile == 8 || s->tile == 128));
}

bool
gpusweep_default(const char *spec)
{
    sb_spec s;

    assert_int_equal(sb_spec_parse(&s, spec, NULL), SB_OK);
    return usual_types(&s) && usual_layout(&s) && usual_kinds(&s) && usual_sizes(&s);
}
