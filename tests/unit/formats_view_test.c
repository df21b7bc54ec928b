/*
 * A view holds the same entries as the matrix, whatever the format, base, index width
 * and order (block matrices: the same blocks); it copies only when it must; bad coordinates are refused before they can
 * be followed.
 */
#include "formats/view.h"
#include "gen.h"
#include "oracle.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* Where each stored place of the matrix is, by value index. */
typedef struct places {
    int64_t *row, *col, n;
} places;

static void
note(void *user, int64_t i, int64_t j, int64_t slot)
{
    places *p = user;

    p->row[slot] = i;
    p->col[slot] = j;
    p->n++;
}

static void
same_entries(const sb_view *v, const sb_matrix *a, bool transpose)
{
    const size_t n = (size_t)gen_value_count(a) + 1;
    places p = {malloc(n * sizeof *p.row), malloc(n * sizeof *p.col), 0};
    char *seen = calloc(n, 1);
    const int64_t b = v->block, b2 = b * b;

    oracle_for_each(a, 0, note, &p);
    assert_int_equal(v->nnz * b2, p.n);
    assert_int_equal(sb_view_lo(v, 0), 0);
    assert_int_equal(sb_view_lo(v, v->rows), v->nnz);
    for (int64_t i = 0; i < v->rows; i++)
        for (int64_t s = sb_view_lo(v, i); s < sb_view_lo(v, i + 1); s++) {
            const int64_t at = sb_view_pos(v, s);

            assert_in_range(at, 0, (int64_t)n / b2 - 1);
            assert_false(seen[at]);
            seen[at] = 1;
            assert_int_equal(i * b, transpose ? p.col[at * b2] : p.row[at * b2]);
            assert_int_equal(sb_view_col(v, s) * b,
                             transpose ? p.row[at * b2] : p.col[at * b2]);
        }
    free(p.row);
    free(p.col);
    free(seen);
}

static void
test_every_format(void **state)
{
    static const sb_format formats[] = {SB_FORMAT_CSR, SB_FORMAT_CSC,  SB_FORMAT_COO,
                                        SB_FORMAT_BSR, SB_FORMAT_BELL, SB_FORMAT_SELL};

    (void)state;
    for (uint64_t k = 0; k < 600; k++) {
        gen_spec spec = gen_case(k);
        const bool transpose = k / 6 % 2;
        sb_matrix a;
        sb_view v;

        spec.format = formats[k % 6];
        spec.ptr_type = k % 3 ? SB_I32 : SB_I64;
        spec.idx_type = k % 5 ? SB_I32 : SB_I64;
        spec.val_type = SB_F64;
        spec.block_col_major = k % 2;
        a = gen_matrix(&spec);
        assert_int_equal(sb_view_make(&v, &a, transpose, NULL), SB_OK);
        assert_int_equal(v.block, spec.format == SB_FORMAT_BSR ? a.block : 1);
        assert_int_equal(v.rows * v.block, transpose ? a.cols : a.rows);
        assert_int_equal(v.cols * v.block, transpose ? a.rows : a.cols);
        if (v.nnz > 0)
            same_entries(&v, &a, transpose);
        if (((spec.format == SB_FORMAT_CSR || spec.format == SB_FORMAT_BSR) &&
             !transpose) ||
            (spec.format == SB_FORMAT_CSC && transpose)) {
            assert_ptr_equal(v.ptr, a.ptr);
            assert_ptr_equal(v.crd, a.idx);
            assert_null(v.pos);
        }
        sb_view_free(&v);
        gen_free_matrix(&a);
    }
}

/* Rows of a transposed or sorted copy come in column order. */
static void
test_copies_are_sorted(void **state)
{
    gen_spec spec = gen_case(11);
    sb_matrix a;
    sb_view v;

    (void)state;
    spec.family = GEN_UNIFORM;
    spec.rows = spec.cols = 30;
    spec.density = 0.3;
    spec.format = SB_FORMAT_COO;
    spec.ptr_type = spec.idx_type = SB_I32;
    spec.val_type = SB_F32;
    spec.unsorted = true;
    spec.duplicates = false;
    a = gen_matrix(&spec);
    assert_int_equal(sb_view_make(&v, &a, false, NULL), SB_OK);
    for (int64_t i = 0; i < v.rows; i++)
        for (int64_t s = sb_view_lo(&v, i) + 1; s < sb_view_lo(&v, i + 1); s++)
            assert_true(sb_view_col(&v, s - 1) < sb_view_col(&v, s));
    sb_view_free(&v);
    gen_free_matrix(&a);
}

/* A loop of so many pieces, the last first. */
static void
backwards(sb_par_fn fn, void *user, int64_t lo, int64_t hi, int64_t grain)
{
    for (int64_t end = hi; end > lo; end -= grain)
        fn(user, end - grain > lo ? end - grain : lo, end);
}

/* Lines turned by threads: the view of one. */
static void
test_turned_by_threads(void **state)
{
    const sb_par par = {backwards, 3};
    gen_spec spec = gen_case(11);

    (void)state;
    spec.family = GEN_UNIFORM;
    spec.rows = 900;
    spec.cols = 300;
    spec.density = 0.5;
    spec.ptr_type = spec.idx_type = SB_I32;
    spec.val_type = SB_F32;
    for (int k = 0; k < 4; k++) {
        sb_view one, many;
        sb_matrix a;

        spec.format = k % 2 ? SB_FORMAT_CSR : SB_FORMAT_CSC;
        spec.idx_type = k / 2 ? SB_I64 : SB_I32;
        a = gen_matrix(&spec);
        assert_int_equal(sb_view_make(&one, &a, k % 2, NULL), SB_OK);
        assert_int_equal(sb_view_make_on(&many, &a, k % 2, &par, NULL), SB_OK);
        assert_true(one.nnz > 100000);
        assert_memory_equal(one.ptr, many.ptr, (size_t)(one.rows + 1) * 8);
        assert_memory_equal(one.crd, many.crd,
                            (size_t)one.nnz * sb_dtype_size(one.crd_type));
        assert_memory_equal(one.pos, many.pos, (size_t)one.nnz * 8);
        sb_view_free(&one);
        sb_view_free(&many);
        gen_free_matrix(&a);
    }
}

static void
test_bad_structure(void **state)
{
    int32_t ptr[] = {0, 2, 3}, idx[] = {0, 5, 1}, row[] = {0, 0, 7};
    sb_matrix a = {.format = SB_FORMAT_CSR,
                   .rows = 2,
                   .cols = 3,
                   .nnz = 3,
                   .ptr = ptr,
                   .idx = idx,
                   .row = row,
                   .ptr_type = SB_I32,
                   .idx_type = SB_I32,
                   .val_type = SB_F32,
                   .batch = 1};
    sb_diag diag = {0};
    sb_view v;

    (void)state;
    assert_int_equal(sb_view_make(&v, &a, true, &diag), SB_EINVAL);
    assert_non_null(strstr(diag.text, "coordinate 1"));
    idx[1] = 2;
    ptr[1] = 9;
    assert_int_equal(sb_view_make(&v, &a, true, NULL), SB_EINVAL);
    ptr[1] = 2;
    assert_int_equal(sb_view_make(&v, &a, true, NULL), SB_OK);
    sb_view_free(&v);
    a.format = SB_FORMAT_COO;
    sb_diag_clear(&diag);
    assert_int_equal(sb_view_make(&v, &a, false, &diag), SB_EINVAL);
    assert_non_null(strstr(diag.text, "row 2"));
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_format),
        cmocka_unit_test(test_copies_are_sorted),
        cmocka_unit_test(test_turned_by_threads),
        cmocka_unit_test(test_bad_structure),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
