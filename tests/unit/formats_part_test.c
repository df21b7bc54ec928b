/*
 * What parts share: arrays by name, and values packed in place of positions.
 */
#include "formats/part.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

enum { ROWS = 6, ENTRIES = 14 };

/* Tridiagonal, with a hole at (2, 2) and one at (4, 3). */
static const int32_t ptr[ROWS + 1] = {0, 2, 5, 7, 10, 12, 14};
static const int32_t idx[ENTRIES] = {0, 1, 0, 1, 2, 1, 3, 2, 3, 4, 4, 5, 4, 5};

static void
open_part(sb_part *p, sb_view *v, sb_cover *cv)
{
    const sb_matrix a = {.format = SB_FORMAT_CSR,
                         .rows = ROWS,
                         .cols = ROWS,
                         .nnz = ENTRIES,
                         .ptr = ptr,
                         .idx = idx,
                         .ptr_type = SB_I32,
                         .idx_type = SB_I32,
                         .val_type = SB_F64,
                         .batch = 1};

    assert_int_equal(sb_view_make(v, &a, false, NULL), SB_OK);
    sb_cover_init(cv, v);
    assert_int_equal(sb_part_dia(p, cv, 50, true), SB_OK);
    assert_int_equal(p->width, 3);
    assert_int_equal(p->nnz, ENTRIES);
}

static void
close_part(sb_part *p, sb_view *v, sb_cover *cv)
{
    sb_part_free(p);
    sb_cover_free(cv);
    sb_view_free(v);
}

static void
test_packed_diagonals(void **state)
{
    double val[ENTRIES];
    const sb_part_array *a;
    sb_cover cv;
    sb_part p;
    sb_view v;

    (void)state;
    for (int q = 0; q < ENTRIES; q++)
        val[q] = q + 1;
    open_part(&p, &v, &cv);
    assert_int_equal(sb_part_pack(&p, val, SB_F64), SB_OK);
    assert_null(sb_part_find(&p, "dia_pos"));
    a = sb_part_find(&p, "dia_val");
    assert_non_null(a);
    assert_int_equal(a->type, SB_F64);
    assert_int_equal(a->count, ROWS * 3);
    assert_true(((double *)a->data)[2 * 3 + 0] == 6);
    assert_true(((double *)a->data)[2 * 3 + 1] == 0);
    assert_true(((double *)a->data)[2 * 3 + 2] == 7);
    close_part(&p, &v, &cv);
}

/* Zeros of either sign would be taken for holes. */
static void
test_stored_zero_is_not_packed(void **state)
{
    double val[ENTRIES];
    sb_cover cv;
    sb_part p;
    sb_view v;

    (void)state;
    for (int negative = 0; negative < 2; negative++) {
        for (int q = 0; q < ENTRIES; q++)
            val[q] = q + 1;
        val[ENTRIES - 1] = negative ? -0.0 : 0.0;
        open_part(&p, &v, &cv);
        assert_int_equal(sb_part_pack(&p, val, SB_F64), SB_SKIP);
        assert_non_null(sb_part_find(&p, "dia_pos"));
        assert_null(sb_part_find(&p, "dia_val"));
        close_part(&p, &v, &cv);
    }
}

/* Half of a complex number may be zero. */
static void
test_complex_zero(void **state)
{
    float val[2 * ENTRIES];
    sb_cover cv;
    sb_part p;
    sb_view v;

    (void)state;
    for (int q = 0; q < 2 * ENTRIES; q++)
        val[q] = (float)(q % 2);
    open_part(&p, &v, &cv);
    assert_int_equal(sb_part_pack(&p, val, SB_C32), SB_OK);
    close_part(&p, &v, &cv);
    val[7] = 0;
    open_part(&p, &v, &cv);
    assert_int_equal(sb_part_pack(&p, val, SB_C32), SB_SKIP);
    close_part(&p, &v, &cv);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_packed_diagonals),
        cmocka_unit_test(test_stored_zero_is_not_packed),
        cmocka_unit_test(test_complex_zero),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
