/*
 * The structure check: every format's legal structures pass, every single broken entry
 * is named, and nothing beyond the stated lengths is read.
 */
#include "formats/check.h"
#include "gen.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void
generated_structures_pass(void **state)
{
    (void)state;
    for (uint64_t k = 0; k < 600; k++) {
        gen_spec s = gen_case(k);
        sb_diag diag = {0};
        sb_matrix a;

        s.format = (sb_format)(k % 6);
        s.idx_type = k % 3 ? SB_I32 : SB_I64;
        s.ptr_type = k % 5 ? s.idx_type : SB_I64;
        s.batch = k % 7 == 0 ? 3 : 1;
        a = gen_matrix(&s);
        if (sb_matrix_check(&a, &diag) != SB_OK)
            fail_msg("case %llu: %s", (unsigned long long)k, diag.text);
        gen_free_matrix(&a);
    }
}

/* 3 x 4, base 1: rows {1, 4}, {}, {2}. */
static int32_t ptr[4], idx[3], row[3];

static sb_matrix
small(sb_format format)
{
    static const int32_t good_ptr[] = {1, 3, 3, 4}, good_idx[] = {1, 4, 2};
    static const int32_t good_row[] = {1, 1, 3};

    memcpy(ptr, good_ptr, sizeof ptr);
    memcpy(idx, good_idx, sizeof idx);
    memcpy(row, good_row, sizeof row);
    return (sb_matrix){.format = format,
                       .rows = format == SB_FORMAT_CSC ? 4 : 3,
                       .cols = format == SB_FORMAT_CSC ? 3 : 4,
                       .nnz = 3,
                       .ptr = ptr,
                       .idx = idx,
                       .row = row,
                       .ptr_type = SB_I32,
                       .idx_type = SB_I32,
                       .val_type = SB_F32,
                       .base = 1,
                       .block = 1,
                       .batch = 1};
}

static void
expect(const sb_matrix *a, const char *part)
{
    sb_diag diag = {0};

    assert_int_equal(sb_matrix_check(a, &diag), SB_EINVAL);
    if (!strstr(diag.text, part))
        fail_msg("\"%s\" does not contain \"%s\"", diag.text, part);
}

static void
each_broken_offset_is_named(void **state)
{
    sb_matrix a = small(SB_FORMAT_CSR);

    (void)state;
    assert_int_equal(sb_matrix_check(&a, NULL), SB_OK);
    ptr[0] = 0;
    expect(&a, "row offsets[0] is 0");
    a = small(SB_FORMAT_CSR);
    ptr[2] = 2;
    expect(&a, "row offsets[2] is 2");
    a = small(SB_FORMAT_CSR);
    ptr[1] = 5;
    expect(&a, "row offsets[1] is 5");
    a = small(SB_FORMAT_CSR);
    ptr[3] = 3;
    expect(&a, "row offsets[3] is 3");
    a = small(SB_FORMAT_CSR);
    ptr[1] = INT32_MIN;
    expect(&a, "row offsets[1]");
    a = small(SB_FORMAT_CSC);
    ptr[3] = INT32_MAX;
    expect(&a, "column offsets[3]");
}

static void
each_broken_index_is_named(void **state)
{
    sb_matrix a = small(SB_FORMAT_CSR);

    (void)state;
    idx[1] = 5;
    expect(&a, "column index[1] is 5");
    a = small(SB_FORMAT_CSR);
    idx[2] = 0;
    expect(&a, "column index[2] is 0");
    a = small(SB_FORMAT_CSC);
    idx[0] = -7;
    expect(&a, "row index[0] is -7");
    a = small(SB_FORMAT_COO);
    row[2] = 4;
    expect(&a, "row index[2] is 4");
    a = small(SB_FORMAT_COO);
    idx[0] = INT32_MAX;
    expect(&a, "column index[0]");
    a = small(SB_FORMAT_BSR);
    a.block = 2;
    a.rows *= 2;
    a.cols *= 2;
    assert_int_equal(sb_matrix_check(&a, NULL), SB_OK);
    idx[2] = 5;
    expect(&a, "block column index[2] is 5");
}

/* Rows of a list may come in any order unless somebody promised one. */
static void
broken_promise_is_named(void **state)
{
    sb_matrix a = small(SB_FORMAT_COO);

    (void)state;
    a.rows_ascend = true;
    assert_int_equal(sb_matrix_check(&a, NULL), SB_OK);
    row[0] = 2;
    expect(&a, "row index[1] is 1, but it must be at least 2");
    a.rows_ascend = false;
    assert_int_equal(sb_matrix_check(&a, NULL), SB_OK);
}

/* 4 x 6 in blocks of 2 and in slices of 2, base 1: negative is empty, 0 is not. */
static void
empty_slots_pass(void **state)
{
    int32_t blocks[] = {1, -1, -9, 3}, slices[] = {1, 3, 7};
    int32_t columns[] = {6, -1, 1, 2, -3, 6};
    sb_matrix a = small(SB_FORMAT_BELL), b;

    (void)state;
    a.rows = 4;
    a.cols = 6;
    a.nnz = 4;
    a.block = a.width = 2;
    a.idx = blocks;
    assert_int_equal(sb_matrix_check(&a, NULL), SB_OK);
    blocks[1] = 0;
    expect(&a, "block column index[1] is 0");
    blocks[1] = 4;
    expect(&a, "block column index[1] is 4");
    b = a;
    b.format = SB_FORMAT_SELL;
    b.nnz = 6;
    b.ptr = slices;
    b.idx = columns;
    assert_int_equal(sb_matrix_check(&b, NULL), SB_OK);
    columns[4] = 0;
    expect(&b, "column index[4] is 0");
    columns[4] = -3;
    slices[1] = 4;
    expect(&b, "slice offsets[1] is 4");
    slices[1] = 3;
    slices[2] = 5;
    expect(&b, "slice offsets[2] is 5");
}

static void
members_are_numbered(void **state)
{
    int32_t two[6] = {1, 4, 2, 1, 9, 2};
    sb_matrix a = small(SB_FORMAT_CSR);

    (void)state;
    a.idx = two;
    a.batch = 2;
    a.idx_stride = 3;
    expect(&a, "batch member 1: column index[1] is 9");
}

/* Without majors, or without entries, arrays may be NULL. */
static void
absent_arrays_of_length_zero(void **state)
{
    sb_matrix a = small(SB_FORMAT_CSR);

    (void)state;
    a.rows = a.cols = a.nnz = 0;
    a.ptr = a.idx = NULL;
    assert_int_equal(sb_matrix_check(&a, NULL), SB_OK);
    a.format = SB_FORMAT_COO;
    a.rows = a.cols = 5;
    a.row = NULL;
    assert_int_equal(sb_matrix_check(&a, NULL), SB_OK);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(generated_structures_pass),
        cmocka_unit_test(each_broken_offset_is_named),
        cmocka_unit_test(each_broken_index_is_named),
        cmocka_unit_test(broken_promise_is_named),
        cmocka_unit_test(empty_slots_pass),
        cmocka_unit_test(members_are_numbered),
        cmocka_unit_test(absent_arrays_of_length_zero),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
