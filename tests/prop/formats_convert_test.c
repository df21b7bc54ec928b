/*
 * Property: every format of the registry into every other and back. Arrays are what the
 * formats say, values lie where the dense tensor has them, there and back is the
 * identity, and a fast path gives what the general one gives.
 */
#include "base/alloc.h"
#include "fmtcheck.h"
#include "gen.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { FORMATS = 64, CASES = 40 };

/* A quick run takes each pair on some matrices, `--more` on a quarter of them, `--all` on all. */
static uint64_t share = 16;

/* Registry formats with parameters that make small matrices interesting, and formats
 * nobody hard-coded. */
static const char *const instances[] = {
    "csb<4, 8>",
    "bsr<2, 3>",
    "sell<c=4>",
    "ell_rows<w=8, r=2>",
    "hyb<w=16, k=2>",
    "sr_bcrs<t=2, g=3>",
    "c2sr<p=3>",
    "cisr<p=3>",
    "cisr_plus<p=3>",
    "serpens<p=3, t=2>",
    "format dia_in_bsr (i, j) -> (i/4, j/4, j%4 - i%4, i%4) merge(0, 1, 2) trim(1, 2)",
    "format cisr_by_columns (i, j) -> (@bank(j), j, i) merge(0, 1) trim(1, 2) "
    "partition(0) where @bank = { sum(value) groupBy (j) with value ne 0 -> 1 | "
    "otherwise -> 0; schedule(j, 3) }",
    "format skew (i, j) -> (i + j, j - i) merge(0) trim(0, 1)",
    "format skewed3 (i, j) -> (2*i + j, i) merge(0) trim(0, 1)",
    "format twice (i, j) -> (i/2, j, i) merge(0, 1) trim(0, 2)",
    "format deep (i, j) -> (i/8, j/8, i/4%2, j/4%2, i%4, j%4) merge(0, 2) trim(1, 3)",
    /* Levels that follow from those above: below trim, above it, with copies, at its
     * start, in a block, in a record, filled, said twice. */
    "format dia_both (i, j) -> (j - i, i, j) merge(0) trim(0, 0)",
    "format dense_both (i, j) -> (i, j, j - i)",
    "format row_block (i, j) -> (i, i/4, j) merge(0, 1) trim(2, 2)",
    "format row_copies (i, j) -> (i, i/4, j) merge(0) trim(1, 2)",
    "format row_lists (i, j) -> (i, i/4, j) trim(0, 2)",
    "format row_start (i, j) -> (i, i%2, j) merge(0, 1) trim(1, 2)",
    "format bdia_both (i, j) -> (i/4, j - i, i%4, j/2, j) merge(0) trim(1, 1)",
    "format dia_records (i, j) -> (j - i, i, j) merge(0) trim(0, 0) pack(1, 2)",
    "format sum_runs (i, j) -> (i, j, i + j) merge(0, 1) trim(1, 2) fill(2)",
    "format banks (i, j) -> (i%3, i, j/2, i%2, j, j - i) merge(0, 1) trim(1, 2) "
    "partition(0)",
    "format ell_both (i, j) -> (@slot(j), i, j, j/3) merge(0) trim(0, 0)\n"
    "where @slot = { n: sum(value) groupBy (i) with value ne 0 -> 1 | otherwise -> 0; "
    "enum(value) groupBy (i) traverseBy (j) with value eq 0 -> n | otherwise -> 0 }",
    "format sums (i, j) -> (i/2, j, i%2 + j, i%2) pack(0, 3)",
    "format late (i, j) -> (i/2, j/2/4, i%2 + j, j%2, j/2%4) merge(2) trim(1, 3)",
    "format constant (i, j) -> (i, j/3, j%3/4 + j/3, j%3%4) merge(1) trim(0, 3)",
    "format jagged (i, j) -> (@rank(i), i, j) merge(0, 1) trim(2, 2)\n"
    "where @rank = { sum(value) groupBy (i) with value ne 0 -> 1 | otherwise -> 0; "
    "reorder(i) }",
};

typedef struct world {
    sb_arena ar;
    const sb_fmt *fmt[FORMATS];
    int n;
} world;

static void
add(world *w, const char *text)
{
    sb_diag diag = {0};

    assert_in_range(w->n, 0, FORMATS - 1);
    if (sb_fmt_parse(&w->fmt[w->n++], &w->ar, text, &diag) != SB_OK)
        fail_msg("%s\n%s", text, diag.text);
}

static int
make_world(void **state)
{
    static world w;

    sb_arena_init(&w.ar);
    for (int k = 0; sb_fmt_registry(k); k++)
        add(&w, sb_fmt_registry(k)->name);
    for (size_t k = 0; k < sizeof instances / sizeof instances[0]; k++)
        add(&w, instances[k]);
    *state = &w;
    return 0;
}

static int
free_world(void **state)
{
    sb_arena_free(&((world *)*state)->ar);
    return 0;
}

/* A generated matrix as coordinates, or with a third dimension cut from its rows. */
typedef struct list {
    sb_tensor_coo coo;
    int64_t *coord[3];
    double *val;
} list;

static list
make_list(uint64_t k, int ndim)
{
    gen_spec s = gen_case(k);
    sb_matrix a;
    list l = {0};
    int64_t slices;

    s.format = SB_FORMAT_COO;
    s.val_type = SB_F64;
    s.idx_type = s.ptr_type = SB_I64;
    s.base = 0;
    s.duplicates = false;
    s.integer = true;
    if (ndim == 3 && s.rows > 12)
        s.rows = 12;
    a = gen_matrix(&s);
    slices = ndim == 3 ? 3 : 1;
    for (int d = 0; d < ndim; d++)
        l.coord[d] = malloc((size_t)(a.nnz + 1) * sizeof(int64_t));
    l.val = malloc((size_t)(a.nnz + 1) * sizeof(double));
    for (int64_t e = 0; e < a.nnz; e++) {
        const int64_t i = sb_index(a.row, SB_I64, e), j = sb_index(a.idx, SB_I64, e);

        if (ndim == 3)
            l.coord[0][e] = i % slices;
        l.coord[ndim - 2][e] = ndim == 3 ? i / slices : i;
        l.coord[ndim - 1][e] = j;
        l.val[e] = ((double *)a.val)[e];
    }
    l.coo = (sb_tensor_coo){.ndim = ndim,
                            .nnz = a.nnz,
                            .coord = {l.coord[0], l.coord[1], l.coord[2]},
                            .val = l.val,
                            .val_type = SB_F64};
    l.coo.extent[0] = slices;
    l.coo.extent[ndim - 2] = ndim == 3 ? (a.rows + slices - 1) / slices : a.rows;
    l.coo.extent[ndim - 1] = a.cols;
    gen_free_matrix(&a);
    return l;
}

static void
free_list(list *l)
{
    for (int d = 0; d < 3; d++)
        free(l->coord[d]);
    free(l->val);
}

static void
pair(const sb_tensor *a, const sb_fmt *target, const fmt_dense *d, uint64_t k)
{
    sb_tensor there = {0}, fast = {0}, back = {0};
    char message[300];
    sb_diag diag = {0};

    if (sb_tensor_convert_general(&there, a, target, NULL, NULL, &diag) != SB_OK)
        fail_msg("case %d, %s to %s: %s", (int)k, a->fmt->name, target->name,
                 diag.text);
    if (!fmt_check(&there, d, message, sizeof message))
        fail_msg("case %d, %s to %s: %s", (int)k, a->fmt->name, target->name, message);
    if (sb_tensor_convert(&fast, a, target, NULL, NULL, &diag) != SB_OK ||
        !fmt_equal(&fast, &there, message, sizeof message))
        fail_msg("case %d, fast %s to %s: %s", (int)k, a->fmt->name, target->name,
                 message);
    if (sb_tensor_convert(&back, &there, a->fmt, NULL, NULL, &diag) != SB_OK ||
        !fmt_equal(&back, a, message, sizeof message))
        fail_msg("case %d, %s to %s and back: %s", (int)k, a->fmt->name, target->name,
                 message);
    sb_tensor_free(&there);
    sb_tensor_free(&fast);
    sb_tensor_free(&back);
}

static void
every_pair(const world *w, int ndim)
{
    const int64_t live = sb_alloc_live();

    for (uint64_t k = 0; k < CASES; k++) {
        list l = make_list(k, ndim);
        fmt_dense d = fmt_dense_of(&l.coo);

        for (int p = 0; p < w->n; p++) {
            sb_tensor a;
            char message[300];
            sb_diag diag = {0};

            if (w->fmt[p]->ndim != ndim)
                continue;
            if (sb_tensor_from_coo(&a, w->fmt[p], &l.coo, false, NULL, &diag) != SB_OK)
                fail_msg("case %d, %s: %s", (int)k, w->fmt[p]->name, diag.text);
            if (!fmt_check(&a, &d, message, sizeof message))
                fail_msg("case %d: %s", (int)k, message);
            for (int q = 0; q < w->n; q++)
                if (w->fmt[q]->ndim == ndim &&
                    (k * 5 + (uint64_t)(p * 7 + q)) % share == 0)
                    pair(&a, w->fmt[q], &d, k);
            sb_tensor_free(&a);
        }
        fmt_dense_free(&d);
        free_list(&l);
    }
    fmt_check_forget();
    assert_int_equal(sb_alloc_live(), live);
}

static void
matrices(void **state)
{
    every_pair(*state, 2);
}

static void
tensors(void **state)
{
    every_pair(*state, 3);
}

int
main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(matrices),
        cmocka_unit_test(tensors),
    };

    if (argc > 1 && strcmp(argv[1], "--more") == 0)
        share = 4;
    if (argc > 1 && strcmp(argv[1], "--all") == 0)
        share = 1;
    return cmocka_run_group_tests(tests, make_world, free_world);
}
