/*
 * Blocks cut anew, against dense matrices: CSR to blocks, blocks to CSR and to others, of
 * every shape and base, whole and cut at the edges; from rows to columns of blocks;
 * colours; bad arguments and short memory.
 */
#include "legacylab.h"
#include "objects.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* Blocks, or a CSR of blocks of one element. */
typedef struct blocks {
    int mb, nb, nnzb, down, across, base;
    int *ptr, *idx;
    char *val;
} blocks;

static void
drop(blocks *b)
{
    free(b->ptr), free(b->idx), free(b->val);
}

/* Room for all blocks that a matrix of m x n can have. */
static blocks
room(int m, int n, int down, int across, int base)
{
    blocks b = {.mb = (m + down - 1) / down,
                .nb = (n + across - 1) / across,
                .down = down,
                .across = across,
                .base = base};
    const size_t all = (size_t)b.mb * (size_t)b.nb;

    b.ptr = malloc(((size_t)b.mb + 1) * sizeof *b.ptr);
    b.idx = malloc(all * sizeof *b.idx + 1);
    b.val = malloc(all * (size_t)(down * across) * 16 + 1);
    memset(b.val, 0xff, all * (size_t)(down * across) * 16 + 1);
    return b;
}

static int64_t
element(const blocks *b, int dir, int p, int i, int j)
{
    const int r = i % b->down, c = j % b->across;

    return (int64_t)p * b->down * b->across +
           (dir ? c * b->down + r : r * b->across + c);
}

/* The value and how often it is stored, at (i, j). */
static sb_value
at(const blocks *b, sb_dtype t, int dir, int i, int j, int *stored)
{
    sb_value v = {0, 0};

    *stored = 0;
    for (int p = b->ptr[i / b->down] - b->base; p < b->ptr[i / b->down + 1] - b->base;
         p++)
        if (b->idx[p] - b->base == j / b->across) {
            v = sb_value_load(t, b->val, element(b, dir, p, i, j));
            ++*stored;
        }
    return v;
}

/* Same elements; a block of C is stored if one of A's elements lies in it, and only then;
 * columns ascend. */
static void
is_regridded(const blocks *c, const blocks *a, sb_dtype t, int dir, int m, int n)
{
    int stored = 0;

    assert_int_equal(c->ptr[0], c->base);
    assert_int_equal(c->ptr[c->mb], c->base + c->nnzb);
    for (int i = 0; i < c->mb; i++) {
        int found = 0;

        for (int j = 0; j < c->nb; j++) {
            int wanted = 0, there;

            for (int x = i * c->down; x < (i + 1) * c->down; x++)
                for (int y = j * c->across; y < (j + 1) * c->across; y++) {
                    const bool inside = x < m && y < n;
                    const sb_value v = at(c, t, dir, x, y, &there);
                    const sb_value w =
                        inside ? at(a, t, dir, x, y, &stored) : (sb_value){0, 0};

                    wanted |= inside && stored;
                    assert_true(lab_equal(v, w));
                }
            (void)at(c, t, dir, i * c->down, j * c->across, &there);
            assert_int_equal(there, wanted);
            if (wanted)
                assert_int_equal(c->idx[c->ptr[i] - c->base + found++], j + c->base);
        }
    }
}

/* ---- To blocks ---------------------------------------------------------------------- */

typedef struct source {
    sb_matrix a;
    blocks csr; /* the same arrays */
    spblasDataType_t type;
    spblasMatDescr_t d;
    int m, n;
} source;

static source
make(uint64_t k)
{
    source s = {.a = lab_csr(k, lab_dtypes[k % LAB_TYPES], -1, -1, (int)(k / 2 % 2)),
                .type = lab_types[k % LAB_TYPES]};

    s.m = (int)s.a.rows;
    s.n = (int)s.a.cols;
    s.d = lab_descr(s.a.base);
    s.csr = (blocks){s.m,
                     s.n,
                     (int)s.a.nnz,
                     1,
                     1,
                     s.a.base,
                     (int *)(uintptr_t)s.a.ptr,
                     (int *)(uintptr_t)s.a.idx,
                     s.a.val};
    return s;
}

/* Square ones through csr2bsr, others through csr2gebsr. */
static blocks
cut(const source *s, int dir, int down, int across, int base)
{
    blocks c = room(s->m, s->n, down, across, base);
    const spblasMatDescr_t d = lab_descr(base);
    const spblasDirection_t way = (spblasDirection_t)dir;
    int bytes = -1;

    if (down == across) {
        lab_ok(spblasXcsr2bsrNnz(lab_handle, way, s->m, s->n, &s->d, s->csr.ptr,
                                 s->csr.idx, down, &d, c.ptr, &c.nnzb));
        lab_ok(spblasXcsr2bsr(lab_handle, s->type, way, s->m, s->n, &s->d, s->csr.val,
                              s->csr.ptr, s->csr.idx, down, &d, c.val, c.ptr, c.idx));
        return c;
    }
    lab_ok(spblasXcsr2gebsr_bufferSize(lab_handle, s->type, way, s->m, s->n, &s->d,
                                       s->csr.val, s->csr.ptr, s->csr.idx, down, across,
                                       &bytes));
    assert_int_equal(bytes, 0);
    lab_ok(spblasXcsr2gebsrNnz(lab_handle, way, s->m, s->n, &s->d, s->csr.ptr,
                               s->csr.idx, &d, c.ptr, down, across, &c.nnzb, NULL));
    lab_ok(spblasXcsr2gebsr(lab_handle, s->type, way, s->m, s->n, &s->d, s->csr.val,
                            s->csr.ptr, s->csr.idx, &d, c.val, c.ptr, c.idx, down,
                            across, NULL));
    return c;
}

/* Back to CSR, and to other blocks. */
static void
cut_again(const source *s, const blocks *a, int dir, int base, int down, int across)
{
    const int m = a->mb * a->down, n = a->nb * a->across;
    const spblasMatDescr_t da = lab_descr(a->base), d = lab_descr(base);
    const spblasDirection_t way = (spblasDirection_t)dir;
    blocks c = room(m, n, 1, 1, base);
    int bytes = -1;

    if (a->down == a->across)
        lab_ok(spblasXbsr2csr(lab_handle, s->type, way, a->mb, a->nb, &da, a->val,
                              a->ptr, a->idx, a->down, &d, c.val, c.ptr, c.idx));
    else
        lab_ok(spblasXgebsr2csr(lab_handle, s->type, way, a->mb, a->nb, &da, a->val,
                                a->ptr, a->idx, a->down, a->across, &d, c.val, c.ptr,
                                c.idx));
    c.nnzb = a->nnzb * a->down * a->across;
    is_regridded(&c, a, s->a.val_type, dir, m, n);
    drop(&c);
    c = room(m, n, down, across, base);
    lab_ok(spblasXgebsr2gebsr_bufferSize(lab_handle, s->type, way, a->mb, a->nb,
                                         a->nnzb, &da, a->val, a->ptr, a->idx, a->down,
                                         a->across, down, across, &bytes));
    assert_int_equal(bytes, 0);
    lab_ok(spblasXgebsr2gebsrNnz(lab_handle, way, a->mb, a->nb, a->nnzb, &da, a->ptr,
                                 a->idx, a->down, a->across, &d, c.ptr, down, across,
                                 &c.nnzb, NULL));
    lab_ok(spblasXgebsr2gebsr(lab_handle, s->type, way, a->mb, a->nb, a->nnzb, &da,
                              a->val, a->ptr, a->idx, a->down, a->across, &d, c.val,
                              c.ptr, c.idx, down, across, NULL));
    is_regridded(&c, a, s->a.val_type, dir, m, n);
    drop(&c);
}

/* Columns of blocks: walking A by rows, every block is the next of its column. */
static void
flip(const source *s, const blocks *a)
{
    const size_t size = sb_dtype_size(s->a.val_type) * (size_t)(a->down * a->across);
    const spblasIndexBase_t base = a->base ? ONE : Z;
    int *ptr = malloc(((size_t)a->nb + 1) * sizeof *ptr), bytes = -1;
    int *row = malloc((size_t)a->nnzb * sizeof *row + 1);
    char *val = malloc((size_t)a->nnzb * size + 1);
    void *buffer;

    lab_ok(spblasXgebsr2gebsc_bufferSize(lab_handle, s->type, a->mb, a->nb, a->nnzb,
                                         a->val, a->ptr, a->idx, a->down, a->across,
                                         &bytes));
    buffer = lab_buffer((size_t)bytes);
    lab_ok(spblasXgebsr2gebsc(lab_handle, s->type, a->mb, a->nb, a->nnzb, a->val,
                              a->ptr, a->idx, a->down, a->across, val, row, ptr,
                              SPBLAS_ACTION_NUMERIC, base, buffer));
    for (int j = 0, q = 0; j < a->nb; j++) {
        assert_int_equal(ptr[j], q + a->base);
        for (int i = 0; i < a->mb; i++)
            for (int p = a->ptr[i] - a->base; p < a->ptr[i + 1] - a->base; p++)
                if (a->idx[p] - a->base == j) {
                    assert_int_equal(row[q], i + a->base);
                    assert_memory_equal(val + (size_t)q++ * size,
                                        a->val + (size_t)p * size, size);
                }
    }
    free(ptr), free(row), free(val), free(buffer);
}

static void
grids(void **state)
{
    (void)state;
    for (uint64_t k = 0; k < 90; k++) {
        const int dir = (int)(k / 2 % 2), down = (int)(k / 3 % 4) + 1;
        const int across = k % 2 ? down : (int)(k / 5 % 4) + 1, base = (int)(k / 3 % 2);
        source s = make(k);
        blocks c;

        lab_threads((int)(k % 4) + 1);
        c = cut(&s, dir, down, across, base);
        is_regridded(&c, &s.csr, s.a.val_type, dir, s.m, s.n);
        cut_again(&s, &c, dir, (int)(k % 2), (int)(k % 3) + 1, (int)(k % 5) + 1);
        flip(&s, &c);
        drop(&c);
        gen_free_matrix(&s.a);
    }
}

/* ---- Colours ------------------------------------------------------------------------ */

typedef struct colours {
    int ptr[7], idx[12], color[6], order[6], n;
    spblasLegacyInfo_t info;
} colours;

/* A ring of six, base 1. */
static colours
ring(void)
{
    colours c = {0};

    for (int i = 0; i < 6; i++) {
        c.ptr[i] = 2 * i + 1;
        c.idx[2 * i] = (i + 5) % 6 + 1;
        c.idx[2 * i + 1] = (i + 1) % 6 + 1;
    }
    c.ptr[6] = 13;
    lab_ok(spblasCreateLegacyInfo(&c.info));
    return c;
}

static spblasStatus_t
color(void *user)
{
    colours *c = user;
    const spblasMatDescr_t d = lab_descr(1);

    return spblasXcsrcolor(lab_handle, F32, 6, 12, &d, val, c->ptr, c->idx, &one, &c->n,
                           c->color, c->order, c->info);
}

static void
rings(void **state)
{
    colours c = ring();

    (void)state;
    lab_ok(color(&c));
    assert_int_equal(c.n, 2);
    assert_memory_equal(c.color, ((int[]){0, 1, 0, 1, 0, 1}), sizeof c.color);
    assert_memory_equal(c.order, ((int[]){0, 2, 4, 1, 3, 5}), sizeof c.order);
    lab_sweep(color, NULL, &c);
    lab_ok(spblasDestroyLegacyInfo(c.info));
}

/* A ring of NODES with chords. */
enum { NODES = 61, CHORD = 7 };

typedef struct chords {
    int ptr[NODES + 1], idx[4 * NODES], color[NODES], order[NODES], n;
} chords;

static void
color_chords(chords *c, double fraction, bool ordered)
{
    static const int step[] = {1, CHORD, NODES - CHORD, NODES - 1};
    const spblasMatDescr_t d = lab_descr(0);
    spblasLegacyInfo_t info;

    for (int p = 0; p < 4 * NODES; p++)
        c->idx[p] = (p / 4 + step[p % 4]) % NODES;
    for (int i = 0; i <= NODES; i++)
        c->ptr[i] = 4 * i;
    lab_ok(spblasCreateLegacyInfo(&info));
    lab_ok(spblasXcsrcolor(lab_handle, SPBLAS_R_64F, NODES, 4 * NODES, &d, val, c->ptr,
                           c->idx, &fraction, &c->n, c->color,
                           ordered ? c->order : NULL, info));
    lab_ok(spblasDestroyLegacyInfo(info));
}

/* Rows of colours below k. */
static int
rows_below(const chords *c, int k)
{
    int n = 0;

    for (int i = 0; i < NODES; i++)
        n += c->color[i] < k;
    return n;
}

/* The lowest colours that have the fraction of the rows are those of the whole colouring,
 * and no more of them than that takes; other rows count on from them. */
static void
is_cut_short(const chords *c, const chords *whole, double fraction)
{
    int stay = 0, next;

    while (rows_below(whole, stay) < fraction * NODES)
        stay++;
    next = stay;
    for (int i = 0; i < NODES; i++)
        assert_int_equal(c->color[i],
                         whole->color[i] < stay ? whole->color[i] : next++);
    assert_int_equal(c->n, next);
}

static void
fractions(void **state)
{
    chords whole;

    (void)state;
    color_chords(&whole, 1.0, false);
    assert_in_range(whole.n, 3, 5);
    assert_int_equal(rows_below(&whole, whole.n), NODES);
    assert_true(rows_below(&whole, whole.n - 1) < NODES);
    for (int p = 0; p < 4 * NODES; p++)
        assert_int_not_equal(whole.color[p / 4], whole.color[whole.idx[p]]);
    for (int k = 0; k <= 10; k++) {
        chords c;

        color_chords(&c, k / 10.0, true);
        is_cut_short(&c, &whole, k / 10.0);
        for (int q = 1; q < NODES; q++)
            assert_true(c.color[c.order[q - 1]] * NODES + c.order[q - 1] <
                        c.color[c.order[q]] * NODES + c.order[q]);
    }
}

/* ---- Memory, arguments -------------------------------------------------------------- */

static spblasStatus_t
cut_user(void *user)
{
    const source *s = user;
    blocks c = room(s->m, s->n, 2, 2, 0);
    const spblasMatDescr_t d = lab_descr(0);
    const spblasStatus_t st =
        spblasXcsr2bsrNnz(lab_handle, SPBLAS_DIRECTION_ROW, s->m, s->n, &s->d,
                          s->csr.ptr, s->csr.idx, 2, &d, c.ptr, &c.nnzb);
    const spblasStatus_t then =
        st ? st
           : spblasXbsr2csr(lab_handle, s->type, SPBLAS_DIRECTION_ROW, s->m, s->n,
                            &s->d, s->csr.val, s->csr.ptr, s->csr.idx, 1, &d, c.val,
                            (int[64]){0}, c.idx);

    drop(&c);
    return then;
}

static void
short_memory(void **state)
{
    source s = make(13);

    (void)state;
    assert_in_range(s.m, 2, 60);
    lab_sweep(cut_user, NULL, &s);
    gen_free_matrix(&s.a);
}

static void
arguments(void)
{
    static int out[16], total;
    static double buffer[64];
    const spblasMatDescr_t d = {0}, sym = {.type = SPBLAS_MATRIX_TYPE_SYMMETRIC};
    const spblasDirection_t way = SPBLAS_DIRECTION_ROW;
    const float two = 2;
    spblasLegacyInfo_t info, none = NULL;

    objects_ok(spblasCreateLegacyInfo(&info));
#define CUT(expect, named, hh, dir, m, n, da, p, i, b, dc, pc)                         \
    TRY(expect, named, spblasXcsr2bsrNnz(hh, dir, m, n, da, p, i, b, dc, pc, &total)); \
    TRY(expect, named,                                                                 \
        spblasXcsr2bsr(hh, F32, dir, m, n, da, val, p, i, b, dc, dense, pc, out));     \
    TRY(expect, named,                                                                 \
        spblasXcsr2gebsrNnz(hh, dir, m, n, da, p, i, dc, pc, b, b, &total, NULL))
    CUT(BAD, "handle", no_h, way, 3, 4, &d, ptr, idx, 2, &d, out);
    CUT(BAD, "dirA", h, (spblasDirection_t)2, 3, 4, &d, ptr, idx, 2, &d, out);
    CUT(BAD, "mb", h, way, -3, 4, &d, ptr, idx, 2, &d, out);
    CUT(BAD, "nb", h, way, 3, -4, &d, ptr, idx, 2, &d, out);
    CUT(BAD, "descrA", h, way, 3, 4, NULL, ptr, idx, 2, &d, out);
    CUT(8, "descrC", h, way, 3, 4, &d, ptr, idx, 2, &sym, out);
    CUT(BAD, "ptrA", h, way, 3, 4, &d, NULL, idx, 2, &d, out);
    CUT(BAD, "indA", h, way, 3, 4, &d, ptr, NULL, 2, &d, out);
    CUT(BAD, "BlockDim", h, way, 3, 4, &d, ptr, idx, 0, &d, out);
    CUT(BAD, "ptrC", h, way, 3, 4, &d, ptr, idx, 2, &d, NULL);
    TRY(BAD, "nnzTotal",
        spblasXcsr2bsrNnz(h, way, 3, 4, &d, ptr, idx, 2, &d, out, NULL));
    TRY(BAD, "type",
        spblasXcsr2bsr(h, TYPE9, way, 3, 4, &d, val, ptr, idx, 2, &d, dense, out, out));
    TRY(BAD, "valA",
        spblasXcsr2bsr(h, F32, way, 3, 4, &d, NULL, ptr, idx, 2, &d, dense, out, out));
    TRY(BAD, "bufferSize",
        spblasXcsr2gebsr_bufferSize(h, F32, way, 3, 4, &d, val, ptr, idx, 2, 2, NULL));
    TRY(BAD, "valC",
        spblasXbsr2csr(h, F32, way, 3, 4, &d, val, ptr, idx, 2, &d, NULL, out, out));
    TRY(11, "",
        spblasXbsr2csr(h, F32, way, 3, 4, &d, val, ptr, idx, INT32_MAX, &d, dense, out,
                       out));
    TRY(BAD, "nnzb",
        spblasXgebsr2gebsr(h, F32, way, 3, 4, -3, &d, val, ptr, idx, 2, 2, &d, dense,
                           out, out, 2, 2, NULL));
    TRY(BAD, "nnzb",
        spblasXgebsr2gebsc(h, F32, 3, 4, -3, val, ptr, idx, 1, 1, dense, out, out,
                           SPBLAS_ACTION_NUMERIC, Z, buffer));
    TRY(BAD, "bscVal",
        spblasXgebsr2gebsc(h, F32, 3, 4, 3, val, ptr, idx, 1, 1, NULL, out, out,
                           SPBLAS_ACTION_NUMERIC, Z, buffer));
    TRY(BAD, "rowBlockDim",
        spblasXgebsr2gebsc(h, F32, 3, 4, 3, val, ptr, idx, 0, 1, dense, out, out,
                           SPBLAS_ACTION_NUMERIC, Z, buffer));
    TRY(BAD, "buffer",
        spblasXgebsr2gebsc(h, F32, 3, 4, 3, val, ptr, idx, 1, 1, dense, out, out,
                           SPBLAS_ACTION_NUMERIC, Z, NULL));
#define COLOR(named, hh, m, p, i, f, nc, col, inf) \
    TRY(BAD, named,                                \
        spblasXcsrcolor(hh, F32, m, 3, &d, val, p, i, f, nc, col, NULL, inf))
    COLOR("handle", no_h, 3, ptr, idx, &one, &total, out, info);
    COLOR("m", h, -3, ptr, idx, &one, &total, out, info);
    COLOR("csrRowPtrA", h, 3, NULL, idx, &one, &total, out, info);
    COLOR("csrColIndA", h, 3, ptr, NULL, &one, &total, out, info);
    COLOR("fractionToColor", h, 3, ptr, idx, NULL, &total, out, info);
    COLOR("fractionToColor", h, 3, ptr, idx, &two, &total, out, info);
    COLOR("ncolors", h, 3, ptr, idx, &one, NULL, out, info);
    COLOR("coloring", h, 3, ptr, idx, &one, &total, NULL, info);
    COLOR("info", h, 3, ptr, idx, &one, &total, out, none);
    objects_ok(spblasDestroyLegacyInfo(info));
}
OBJECTS_CASE(bad_arguments, arguments)

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(grids),         cmocka_unit_test(rings),
        cmocka_unit_test(fractions),     cmocka_unit_test(short_memory),
        cmocka_unit_test(bad_arguments),
    };

    return cmocka_run_group_tests_name("api.legacy_grid", tests, lab_begin, lab_end);
}
