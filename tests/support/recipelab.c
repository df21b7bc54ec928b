/*
 * See recipelab.h.
 */
#include "recipelab.h"

#include "base/macro.h"
#include "kernels/recipe.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const recipe_case recipe_cases[RECIPE_CASES] = {
    {GEN_ROW_RUNS, 23, 31, 5, 1, 1, 0},     {GEN_BLOCKS, 48, 24, 37, 0, 2, 3},
    {GEN_POWER_LAW, 40, 33, 1, 1, 0, 2},    {GEN_BANDED, 29, 29, 70, 0, -1, 1},
    {GEN_DIAGONALS, 17, 36, 16, 1, 3, 0},   {GEN_FULL, 12, 24, 64, 0, 1, 0},
    {GEN_DENSE_ROW, 30, 200, 33, 0, 1, -2}, {GEN_EMPTY, 7, 25, 9, 1, 2, 0},
    {GEN_FULL, 70, 130, 3, 1, -1, 2},       {GEN_UNIFORM, 150, 60, 2, 0, 1, 0},
};

static gen_dense_spec
dense(int64_t rows, int64_t cols, int64_t gap, sb_dtype t, bool col, uint64_t seed)
{
    return (gen_dense_spec){.rows = rows,
                            .cols = cols,
                            .ld = (col ? rows : cols) + gap,
                            .col_major = col,
                            .type = t,
                            .seed = seed,
                            .integer = true};
}

/* What H of it then has the shape and layout of. */
static void
turn(gen_dense_spec *d)
{
    const int64_t rows = d->rows;

    d->rows = d->cols;
    d->cols = rows;
    d->col_major = !d->col_major;
}

static void
make_operands(recipe_fixture *fx, const recipe_case *mc)
{
    const sb_spec *s = &fx->spec;
    const bool sampled = s->op == SB_KOP_SDDMM, vector = s->op == SB_KOP_SPMV;
    const bool blocks = s->kinds >> SB_KIND_BLOCKS & 1U;
    const bool flip_a = s->a_conj || (blocks && !s->packed), flip_b = s->b_conj;
    const int64_t size = !blocks ? 1 : s->block > 1 ? s->block : 5;
    const int64_t m = (mc->rows + size - 1) / size * size;
    const int64_t k = (mc->cols + size - 1) / size * size, n = vector ? 1 : mc->n;
    const int64_t gap = mc->rows % 2 * 3; /* kernels may know of rows without one */
    const bool poison = mc->beta == 0;
    gen_dense_spec b = dense(sampled ? m : k, n, gap, s->b, s->b_col, 5);
    gen_dense_spec c = dense(sampled ? n : m, sampled ? k : n, gap, s->c, s->c_col, 6);
    const gen_spec a = {.family = mc->family,
                        .format = blocks                          ? SB_FORMAT_BSR
                                  : s->kinds >> SB_KIND_LIST & 1U ? SB_FORMAT_COO
                                                                  : SB_FORMAT_CSR,
                        .block_col_major =
                            s->block > 1 ? s->turned == s->packed : mc->n % 2,
                        .rows = flip_a ? k : m,
                        .cols = flip_a ? m : k,
                        .density = 0.2,
                        .seed = 7,
                        .ptr_type = s->ptr,
                        .idx_type = s->idx,
                        .val_type = s->a,
                        .base = mc->base,
                        .block = blocks ? size : s->block,
                        .unsorted = s->kinds >> SB_KIND_LIST & 1U,
                        .integer = true};

    if (flip_b)
        turn(&b);
    if (s->c_conj)
        turn(&c);
    if (vector) {
        b = (gen_dense_spec){.rows = k, .cols = 1, .ld = 1, .type = s->b, .seed = 5};
        c = (gen_dense_spec){.rows = m, .cols = 1, .ld = 1, .type = s->c, .seed = 6};
        b.integer = c.integer = true;
    }
    c.poison = poison && !sampled && !sb_dtype_is_int(s->c);
    fx->pb = (sb_problem){
        .op = (sb_op)s->op,
        .a = gen_matrix(&a),
        .b = gen_dense(&b),
        .c = gen_dense(&c),
        .trans_a = s->a_conj ? SB_TRANS_H
                   : flip_a  ? SB_TRANS_T
                             : SB_TRANS_N,
        .trans_b = flip_b ? SB_TRANS_H : SB_TRANS_N,
        .compute = s->compute,
        .alpha = {mc->alpha, sb_dtype_is_complex(s->compute) ? mc->alpha : 0},
        .beta = {mc->beta, 0},
        .batch = 1};
    for (int64_t q = 0; s->one && q < fx->pb.a.nnz; q++)
        sb_value_store(s->a, (void *)fx->pb.a.val, q, (sb_value){3, 0});
    if (sampled) {
        fx->pb.trans_a = s->b_conj ? SB_TRANS_H : SB_TRANS_N;
        fx->pb.trans_b = s->c_conj ? SB_TRANS_H : SB_TRANS_N;
    }
    if (sampled && poison)
        for (int64_t q = 0; q < gen_value_count(&fx->pb.a); q++)
            sb_value_store(s->a, fx->pb.a.val, q, (sb_value){NAN, 0});
}

static void
add_int(recipe_fixture *fx, const char *name, int64_t value)
{
    sb_plan_int *i = &fx->integer[fx->nint++];

    (void)snprintf(i->name, sizeof i->name, "%s", name);
    i->value = value;
}

static int
kind_of(sb_part_kind kind)
{
    int q = 0;

    while (q < SB_KIND_COUNT &&
           strcmp(sb_recipe_get(q)->name, sb_part_names[kind]) != 0)
        q++;
    assert_true(q < SB_KIND_COUNT);
    return q;
}

int
recipe_kind(const sb_part *p)
{
    return kind_of(p->kind);
}

/* The arrays, counts and groups of a part that has just been built. */
static void
adopt(recipe_fixture *fx)
{
    const sb_part *p = &fx->part[fx->npart++];
    const char *kind = sb_part_names[p->kind];
    int64_t count = 0;
    char name[24];
    int rank = 0;

    for (int q = 0; q < p->narray; q++) {
        sb_plan_array *a = &fx->array[fx->narray++];

        (void)snprintf(a->name, sizeof a->name, "%s", p->array[q].name);
        a->type = p->array[q].type;
        a->count = p->array[q].count;
        a->data = p->array[q].data;
        if (strstr(a->name, "_row") || strstr(a->name, "bsr_crd") ||
            strstr(a->name, "mask_crd") || strstr(a->name, "hdia_bits") ||
            strstr(a->name, "ubcsr_crd"))
            count = a->count;
        if (strstr(a->name, "win_off") || strstr(a->name, "alike_row"))
            count = a->count - 1;
    }
    (void)snprintf(name, sizeof name, "%s_count", kind);
    add_int(fx, name, p->kind == SB_PART_DIA ? p->width : count);
    if (p->kind == SB_PART_BLOCKS) {
        const bool turned = fx->pb.a.block_col_major != sb_problem_transposes(&fx->pb);

        add_int(fx, "block_size", p->width);
        add_int(fx, "block_row", turned ? 1 : p->width);
        add_int(fx, "block_col", turned ? p->width : 1);
        if (p->narray > 0)
            add_int(fx, "base", 0);
    }
    if (p->kind == SB_PART_ELL || p->kind == SB_PART_SELL)
        add_int(fx, p->kind == SB_PART_ELL ? "ell_width" : "sell_cols", p->width);
    if (p->kind == SB_PART_WIN) {
        add_int(fx, "win_slots", sb_part_total(p, "win_off"));
        add_int(fx, "win_left_over", sb_part_find(p, "win_rest")->count);
    }
    if (p->kind == SB_PART_SHARE) {
        fx->integer[fx->nint - 1].value = sb_part_total(p, "share_seg");
        add_int(fx, "share_most", sb_part_total(p, "share_some"));
        add_int(fx, "share_rest", sb_part_total(p, "share_left"));
    }
    if (p->kind == SB_PART_HDIA && fx->spec.packed) {
        add_int(fx, "hdia_rest", sb_part_find(p, "hdia_crd")->count);
        add_int(fx, "hdia_slots", p->slots);
    }
    if (p->kind == SB_PART_PICK)
        add_int(fx, "pick_entries", p->nnz);
    if (p->kind == SB_PART_PANEL)
        add_int(fx, "panel_blocks", p->array[0].count - 1);
    if (p->kind == SB_PART_SELL)
        fx->integer[fx->nint - 2].value = p->group[0].hi;
    for (int q = 0; q < recipe_kind(p); q++)
        rank += fx->spec.kinds >> q & 1;
    for (int g = 0; g < p->ngroup; g++) {
        assert_true(fx->nstep < RECIPE_STEPS);
        fx->add[fx->nstep] = p->group[g].add && fx->pb.op != SB_OP_SDDMM;
        fx->repeats[fx->nstep] = sb_part_repeats(p, &p->group[g]);
        fx->tile[fx->nstep++] = (sb_tile){rank, p->group[g].lo, p->group[g].hi, 0};
    }
}

static sb_status
hdia_part(sb_part *p, sb_cover *cv, const recipe_fixture *fx)
{
    const sb_spec *s = &fx->spec;
    const int entries = 128 / (int)sb_dtype_size(s->a);
    sb_status st =
        sb_part_hdia(p, cv, s->packed ? SB_HDIA_PACKED : SB_HDIA_IN_PLACE, true, NULL);

    return st == SB_OK && s->block > 0
               ? sb_part_hdia_ranges(p, cv->v, s->block, entries)
               : st;
}

/* Where kernels take a list of them, from the last to the first. */
static sb_status
windows(sb_part *p, sb_cover *cv, const recipe_fixture *fx)
{
    const bool listed = fx->spec.op == SB_KOP_SPMM && fx->spec.lanes == 0;
    const int64_t n = (cv->v->rows + fx->spec.block - 1) / fx->spec.block;
    int32_t *order = listed ? malloc((size_t)(n + 1) * sizeof *order) : NULL;
    sb_status st;

    for (int64_t q = 0; order && q < n; q++)
        order[q] = (int32_t)(n - 1 - q);
    st = sb_part_win_by(p, cv, fx->spec.block, true, order, NULL);
    free(order);
    return st;
}

static sb_status
build_part(recipe_fixture *fx, sb_cover *cv, int kind)
{
    sb_part *p = &fx->part[fx->npart];

    switch (kind) {
    case SB_PART_CSR:
        return sb_part_csr(p, cv);
    case SB_PART_ROWS:
        return sb_part_rows(p, cv, 2, 2, true);
    case SB_PART_ELL:
        return sb_part_ell(p, cv, 4);
    case SB_PART_BSR:
        return sb_part_bsr(p, cv, fx->spec.block, true, NULL);
    case SB_PART_DIA:
        return sb_part_dia(p, cv, 50, true);
    case SB_PART_COO:
        return sb_part_coo(p, cv);
    case SB_PART_PICK:
        return sb_part_pick(p, cv);
    case SB_PART_PANEL:
        return sb_part_panel(p, cv, 7, 3, false, NULL);
    case SB_PART_SELL:
        return sb_part_sell(p, cv, !fx->spec.packed, fx->spec.narrow, NULL);
    case SB_PART_MASK:
        return sb_part_mask(p, cv, fx->spec.block, true, NULL);
    case SB_PART_HDIA:
        return hdia_part(p, cv, fx);
    case SB_PART_UBCSR:
        return sb_part_ubcsr(
            p, cv,
            &(sb_ubcsr){fx->spec.block, fx->spec.unroll, fx->pb.a.val, fx->spec.a},
            true, NULL);
    case SB_PART_BLOCKS:
        return sb_part_blocks(p, cv);
    case SB_PART_LIST:
        return sb_part_list(p, cv);
    case SB_PART_SHARE:
        return sb_part_share(p, cv, fx->spec.block, fx->spec.lanes == 0, true, NULL);
    default:
        return windows(p, cv, fx);
    }
}

/* Rows without an entry, for which coordinates do nothing: listed with empty ranges. */
static sb_status
cover_bare(sb_part *p, const sb_cover *cv)
{
    const sb_view *v = cv->v;
    int64_t u = 0, bare = 0;
    void *row, *lo, *hi;

    for (int64_t i = 0; i < v->rows; i++)
        bare += !(cv->touched && cv->touched[i]);
    if (bare == 0)
        return SB_SKIP;
    p->kind = SB_PART_ROWS;
    row = sb_part_array_new(p, "rows_row", v->crd_type, bare);
    lo = sb_part_array_new(p, "rows_lo", v->slot_type, bare);
    hi = sb_part_array_new(p, "rows_hi", v->slot_type, bare);
    assert_true(row && lo && hi);
    memset(lo, 0, (size_t)bare * sb_dtype_size(v->slot_type));
    memset(hi, 0, (size_t)bare * sb_dtype_size(v->slot_type));
    for (int64_t i = 0; i < v->rows; i++)
        if (!(cv->touched && cv->touched[i]))
            sb_index_store(row, v->crd_type, u++, i);
    p->ngroup = 1;
    p->group[0] = (sb_part_group){0, bare, 0, 0, false};
    return SB_OK;
}

/* The caller's arrays in ranges so short that rows cross several, or of entries, a few or so
 * many that a warp takes them in several steps; no part. */
static void
make_ranges(recipe_fixture *fx)
{
    const bool sampled = fx->pb.op == SB_OP_SDDMM;
    const int64_t items = fx->view.nnz + (sampled ? 0 : fx->view.rows);
    const int64_t size = sampled && items % 2 ? 75 : 7;
    const int64_t count = items > 0 ? (items + size - 1) / size : 1;
    const int64_t sums = 2 * count * (fx->pb.op == SB_OP_SPMM ? fx->mc.n : 1);
    sb_plan_array *a = &fx->array[fx->narray++];

    add_int(fx, "range_count", count);
    add_int(fx, "range_size", size);
    fx->scratch = malloc((size_t)(sums + 1) * sb_dtype_size(fx->spec.compute));
    assert_non_null(fx->scratch);
    memset(fx->scratch, 0xff, (size_t)(sums + 1) * sb_dtype_size(fx->spec.compute));
    (void)snprintf(a->name, sizeof a->name, "range_sum");
    a->type = fx->spec.compute;
    a->count = sums;
    a->data = fx->scratch;
    a = &fx->array[fx->narray++];
    fx->scratch_row = malloc((size_t)(count + 1) * sizeof(int64_t));
    assert_non_null(fx->scratch_row);
    memset(fx->scratch_row, 0xff, (size_t)(count + 1) * sizeof(int64_t));
    (void)snprintf(a->name, sizeof a->name, "range_row");
    a->type = SB_I64;
    a->count = count;
    a->data = fx->scratch_row;
    fx->tile[fx->nstep++] = (sb_tile){0, 0, count, 0};
}

/* Selecting parts first, listed rows last. */
static void
make_parts(recipe_fixture *fx)
{
    static const int order[] = {
        SB_PART_CSR,    SB_PART_BSR,  SB_PART_DIA,  SB_PART_WIN,
        SB_PART_SHARE,  SB_PART_COO,  SB_PART_ELL,  SB_PART_ROWS,
        SB_PART_PANEL,  SB_PART_SELL, SB_PART_MASK, SB_PART_HDIA,
        SB_PART_BLOCKS, SB_PART_LIST, SB_PART_PICK, SB_PART_UBCSR};
    sb_cover cv;

    assert_int_equal(
        sb_view_make(&fx->view, &fx->pb.a,
                     fx->pb.op != SB_OP_SDDMM && fx->pb.trans_a != SB_TRANS_N, NULL),
        SB_OK);
    if (fx->spec.kinds & (1U << SB_KIND_SEG | 1U << SB_KIND_PROD)) {
        /* no arrays: the caller's, some rows a unit */
        const int64_t rows = sb_part_rows_of_unit(
            fx->spec.kinds >> SB_KIND_SEG & 1U ? SB_PART_SEG : SB_PART_PROD);

        fx->tile[fx->nstep++] = (sb_tile){0, 0, (fx->view.rows + rows - 1) / rows, 0};
        return;
    }
    if (fx->spec.kinds & (1U << SB_KIND_RANGE | 1U << SB_KIND_WHOLE)) {
        make_ranges(fx);
        return;
    }
    sb_cover_init(&cv, &fx->view);
    if (fx->spec.kinds & 1U << SB_KIND_ALIKE) {
        assert_int_equal(sb_part_alike(&fx->part[fx->npart], &cv, NULL), SB_OK);
        adopt(fx);
        sb_cover_free(&cv);
        return;
    }
    for (int q = 0; q < SB_COUNT(order); q++) {
        sb_status st;

        if (!(fx->spec.kinds >> kind_of((sb_part_kind)order[q]) & 1U))
            continue;
        if (fx->npart > 0 && order[q] == SB_PART_ROWS &&
            fx->part[0].kind == SB_PART_CSR)
            continue; /* csr has taken all: rows is in the kernel, not in the plan */
        st = order[q] == SB_PART_ROWS && (fx->spec.kinds >> SB_PART_COO & 1U)
                 ? cover_bare(&fx->part[fx->npart], &cv)
                 : build_part(fx, &cv, order[q]);
        if (st == SB_SKIP)
            continue;
        assert_int_equal(st, SB_OK);
        if (fx->spec.packed && order[q] != SB_PART_ROWS && order[q] != SB_PART_BLOCKS)
            assert_int_equal(
                sb_part_pack(&fx->part[fx->npart], fx->pb.a.val, fx->spec.a, NULL),
                SB_OK);
        if (fx->spec.one && fx->pb.a.nnz > 0)
            assert_int_equal(sb_part_sell_one(&fx->part[fx->npart]), SB_OK);
        adopt(fx);
    }
    assert_int_equal(cv.rest, 0);
    sb_cover_free(&cv);
}

size_t
recipe_output_bytes(const recipe_fixture *fx)
{
    return fx->pb.op == SB_OP_SDDMM
               ? (size_t)gen_value_count(&fx->pb.a) * sb_dtype_size(fx->pb.a.val_type)
               : (size_t)gen_dense_extent(&fx->pb.c) * sb_dtype_size(fx->pb.c.type);
}

void *
recipe_output(const recipe_fixture *fx)
{
    return fx->pb.op == SB_OP_SDDMM ? fx->pb.a.val : fx->pb.c.data;
}

void
recipe_free(recipe_fixture *fx)
{
    for (int q = 0; q < fx->npart; q++)
        sb_part_free(&fx->part[q]);
    oracle_free(&fx->want);
    sb_view_free(&fx->view);
    gen_free_matrix(&fx->pb.a);
    gen_free_dense(&fx->pb.b);
    gen_free_dense(&fx->pb.c);
    free(fx->scratch);
    free(fx->scratch_row);
    free(fx->start);
}

void
recipe_make(recipe_fixture *fx, const char *spec, const recipe_case *mc)
{
    *fx = (recipe_fixture){.text = spec, .mc = *mc};
    assert_int_equal(sb_spec_parse(&fx->spec, spec, NULL), SB_OK);
    if (fx->spec.exact)
        fx->mc.n = fx->spec.tile;
    make_operands(fx, &fx->mc);
    fx->start = gen_copy_bytes(recipe_output(fx), recipe_output_bytes(fx));
    fx->want = oracle_make(&fx->pb);
    make_parts(fx);
}

/* ---- the interpreter -------------------------------------------------------------- */

/* Values for a program's parameters and buffers, looked up by name. */
typedef struct binding {
    sb_value param[40];
    sb_arg buf[40];
} binding;

static sb_value
parameter(const recipe_fixture *fx, const char *name, const sb_tile *t, sb_value beta)
{
    const sb_problem *pb = &fx->pb;
    int64_t m, n, k;
    const bool sampled = pb->op == SB_OP_SDDMM;

    sb_problem_shape(pb, &m, &n, &k);
    const struct {
        const char *name;
        double value;
    } known[] = {{"m", (double)m},
                 {"n", (double)n},
                 {"k", (double)k},
                 {"nnz", (double)gen_value_count(&pb->a)},
                 {"base", pb->a.base},
                 {"lda", (double)pb->b.ld},
                 {"ldb", (double)(sampled ? pb->c.ld : pb->b.ld)},
                 {"ldc", (double)pb->c.ld},
                 {"t0", t ? (double)(t - fx->tile) : 0},
                 {"t1", t ? (double)(t - fx->tile) + 1 : 0},
                 {"last", RECIPE_LAST},
                 {"ahead", RECIPE_LAST},
                 {"alike_ahead", RECIPE_LAST},
                 {"hdia_ahead", RECIPE_LAST},
                 {"sell_ahead", RECIPE_LAST},
                 {"mask_each", RECIPE_LAST},
                 {"win_ahead", RECIPE_LAST},
                 {"share_ahead", RECIPE_LAST},
                 {"ntile", (double)fx->nstep}};

    if (strcmp(name, "alpha") == 0)
        return pb->alpha;
    if (strcmp(name, "beta") == 0)
        return beta;
    for (int q = 0; q < fx->nint; q++)
        if (strcmp(fx->integer[q].name, name) == 0)
            return (sb_value){(double)fx->integer[q].value, 0};
    for (int q = 0; q < SB_COUNT(known); q++)
        if (strcmp(known[q].name, name) == 0)
            return (sb_value){known[q].value, 0};
    /* Kinds of the kernel that found nothing in this matrix. */
    assert_non_null(strchr(name, '_'));
    return (sb_value){0, 0};
}

static sb_arg
buffer(recipe_fixture *fx, const char *name)
{
    const sb_problem *pb = &fx->pb;
    const sb_matrix *a = &pb->a;
    const sb_dense *b = &pb->b, *c = &pb->c;

    for (int q = 0; q < fx->narray; q++)
        if (strcmp(fx->array[q].name, name) == 0)
            return (sb_arg){fx->array[q].data, fx->array[q].count};
    if (strcmp(name, "A_ptr") == 0)
        return (sb_arg){(void *)(uintptr_t)a->ptr, a->rows / a->block + 1};
    if (strcmp(name, "A_crd") == 0)
        return (sb_arg){(void *)(uintptr_t)a->idx, a->nnz};
    if (strcmp(name, "A_row") == 0)
        return (sb_arg){(void *)(uintptr_t)a->row, a->nnz};
    if (strcmp(name, "A") == 0)
        return (sb_arg){a->val, gen_value_count(a)};
    if (strcmp(name, "B") == 0 || strcmp(name, "X") == 0)
        return (sb_arg){b->data, gen_dense_extent(b)};
    if (strcmp(name, "C") == 0 || strcmp(name, "Y") == 0)
        return (sb_arg){c->data, gen_dense_extent(c)};
    if (strcmp(name, "tile") == 0)
        return (sb_arg){fx->tile, 4 * (int64_t)fx->nstep};
    return (sb_arg){fx->tile, 0};
}

void
recipe_interpret(recipe_fixture *fx, const sb_prog *p, const sb_tile *tile,
                 sb_value beta)
{
    binding bd;
    const sb_interp_args args = {bd.param, bd.buf};
    sb_diag diag;

    assert_true(p->nparam <= SB_COUNT(bd.param) && p->nbuf <= SB_COUNT(bd.buf));
    for (int q = 0; q < p->nparam; q++)
        bd.param[q] = parameter(fx, p->param[q]->name, tile, beta);
    for (int q = 0; q < p->nbuf; q++)
        bd.buf[q] = buffer(fx, p->buf[q]->name);
    sb_diag_clear(&diag);
    if (sb_interp(p, &args, &diag) != SB_OK)
        fail_msg("interpreter: %s", diag.text);
}

void
recipe_add_absent(recipe_fixture *fx, const sb_prog *p)
{
    for (int q = 0; q < p->nbuf; q++) {
        if (buffer(fx, p->buf[q]->name).count != 0 || !strchr(p->buf[q]->name, '_'))
            continue;
        (void)snprintf(fx->array[fx->narray].name, sizeof fx->array->name, "%s",
                       p->buf[q]->name);
        fx->array[fx->narray++].data = fx->tile;
    }
    for (int q = 0; q < p->nparam; q++) {
        const char *name = p->param[q]->name;
        bool known = !strchr(name, '_');

        for (int i = 0; i < fx->nint; i++)
            known |= strcmp(fx->integer[i].name, name) == 0;
        if (!known)
            add_int(fx, name, 0);
    }
}

void
recipe_check(const recipe_fixture *fx, const char *how)
{
    char why[256];

    if (!oracle_check(&fx->want, &fx->pb, true, why, sizeof why))
        fail_msg("%s, \"%s\" on %s %lldx%lld n=%lld beta=%g: %s", how, fx->text,
                 gen_family_name(fx->mc.family), (long long)fx->mc.rows,
                 (long long)fx->mc.cols, (long long)fx->mc.n, fx->mc.beta, why);
    memcpy(recipe_output(fx), fx->start, recipe_output_bytes(fx));
}
