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
    assert_int_equal(sb_part_pack(&p, val, SB_F64, NULL), SB_OK);
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
        assert_int_equal(sb_part_pack(&p, val, SB_F64, NULL), SB_SKIP);
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
    assert_int_equal(sb_part_pack(&p, val, SB_C32, NULL), SB_OK);
    close_part(&p, &v, &cv);
    val[7] = 0;
    open_part(&p, &v, &cv);
    assert_int_equal(sb_part_pack(&p, val, SB_C32, NULL), SB_SKIP);
    close_part(&p, &v, &cv);
}

static sb_status
make(sb_part *p, sb_cover *cv, int kind)
{
    static const int8_t values[6] = {1, 2, 3, 4, 5, 6};

    switch (kind) {
    case 0:
        return sb_part_dia(p, cv, 1, true);
    case 1:
        return sb_part_rows(p, cv, SB_PART_MAXC, -1, true);
    case 2:
        return sb_part_rows(p, cv, SB_PART_MAXC, 30, true);
    case 3:
        return sb_part_ell(p, cv, 2);
    case 4:
        return sb_part_ell(p, cv, 1);
    case 5:
        return sb_part_coo(p, cv);
    case 6:
        return sb_part_bsr(p, cv, 2, true, NULL);
    case 7:
        return sb_part_win(p, cv, 2, true, NULL);
    case 12:
        return sb_part_share(p, cv, 2, true, true, NULL);
    case 8:
        return sb_part_panel(p, cv, 16, 4, true, NULL);
    case 13:
        return sb_part_hdia(p, cv, SB_HDIA_PACKED, true, NULL);
    case 14:
        return sb_part_pick(p, cv);
    case 9:
        return sb_part_mask(p, cv, 2, true, NULL);
    case 15:
        return sb_part_ubcsr(p, cv, &(sb_ubcsr){2, 4, values, SB_I8}, true, NULL);
    default:
        return sb_part_sell(p, cv, kind == 10, kind == 10, NULL);
    }
}

/* Columns that no array holds: builders answer, and write nothing outside their arrays
 * (sanitizers watch). */
static void
test_countless_columns(void **state)
{
    static const int64_t large[] = {INT64_C(1) << 47,       INT64_C(1) << 60,
                                    (INT64_C(1) << 61) - 1, (INT64_C(1) << 61) + 3,
                                    (INT64_C(1) << 62) - 1, INT64_C(1) << 62,
                                    (INT64_C(1) << 62) + 5, INT64_MAX - 1};
    int64_t off[3] = {0, 3, 6}, col[6] = {0, 1, 0, 0, 1, 0};

    (void)state;
    for (size_t q = 0; q < sizeof large / sizeof *large; q++)
        for (int kind = 0; kind < 16; kind++)
            for (int64_t rows = 1; rows <= 2; rows++) {
                const sb_matrix a = {.format = SB_FORMAT_CSR,
                                     .rows = rows,
                                     .cols = large[q],
                                     .nnz = 3 * rows,
                                     .ptr = off,
                                     .idx = col,
                                     .ptr_type = SB_I64,
                                     .idx_type = SB_I64,
                                     .val_type = SB_I8,
                                     .batch = 1};
                sb_status st;
                sb_cover cv;
                sb_part p;
                sb_view v;

                col[2] = col[5] = large[q] - 1;
                assert_int_equal(sb_view_make(&v, &a, false, NULL), SB_OK);
                sb_cover_init(&cv, &v);
                st = make(&p, &cv, kind);
                assert_true(st == SB_OK || st == SB_SKIP || st == SB_ENOMEM);
                if (st == SB_OK && kind == 5)
                    assert_int_equal(p.nnz, 3 * rows);
                close_part(&p, &v, &cv);
            }
}

/* Blocks begin at any column, the last ones where all of their columns exist; what a row lacks is zero,
 * and a bit that is not set whatever its values are. */
static void
test_unaligned_blocks(void **state)
{
    static const int32_t first[] = {0, 1, 2}, bits[] = {3, 7, 5, 14, 12, 12};
    static const int32_t pos[] = {0,  1, -1, -1, 2,  3,  4,  -1, 5,  -1, 6,  -1,
                                  -1, 7, 8,  9,  -1, -1, 10, 11, -1, -1, 12, 13};
    double val[ENTRIES];
    const sb_ubcsr as = {2, 4, val, SB_F64}, tall = {4, 4, val, SB_F64};
    const sb_part_array *a;
    sb_cover cv;
    sb_part p;
    sb_view v;

    (void)state;
    for (int q = 0; q < ENTRIES; q++)
        val[q] = q % 3;
    open_part(&p, &v, &cv);
    sb_part_free(&p);
    sb_cover_free(&cv);
    sb_cover_init(&cv, &v);
    assert_int_equal(sb_part_ubcsr(&p, &cv, &as, true, NULL), SB_OK);
    assert_memory_equal(sb_part_find(&p, "ubcsr_crd")->data, first, sizeof first);
    assert_memory_equal(sb_part_find(&p, "ubcsr_bits")->data, bits, sizeof bits);
    assert_int_equal(p.slots, 24);
    assert_int_equal(sb_parts_check(&p, 1, &v, NULL), SB_OK);
    a = sb_part_find(&p, "ubcsr_val");
    assert_int_equal(a->count, 24);
    for (int q = 0; q < 24; q++)
        assert_true(((double *)a->data)[q] == (pos[q] < 0 ? 0 : pos[q] % 3));
    sb_part_free(&p);
    sb_cover_free(&cv);
    sb_cover_init(&cv, &v);
    /* rows that the last window lacks are zeros, too (sanitizers fill what nobody writes) */
    assert_int_equal(sb_part_ubcsr(&p, &cv, &tall, true, NULL), SB_OK);
    a = sb_part_find(&p, "ubcsr_val");
    for (int64_t q = a->count - 8; q < a->count; q++)
        assert_true(((double *)a->data)[q] == 0);
    close_part(&p, &v, &cv);
}

/* Columns that are too few, in no order, or so far apart that slots are mostly holes. */
static void
test_unaligned_refused(void **state)
{
    static const int32_t at[] = {0, 1, 2, 3, 4}, far[] = {0, 16, 32, 48};
    static const float val[] = {1, 2, 3, 4};
    const sb_matrix a = {.format = SB_FORMAT_CSR,
                         .rows = 4,
                         .cols = 64,
                         .nnz = 4,
                         .ptr = at,
                         .idx = far,
                         .ptr_type = SB_I32,
                         .idx_type = SB_I32,
                         .val_type = SB_F32,
                         .batch = 1};
    sb_matrix narrow = a;
    sb_cover cv;
    sb_part p;
    sb_view v;

    (void)state;
    assert_int_equal(sb_view_make(&v, &a, false, NULL), SB_OK);
    sb_cover_init(&cv, &v);
    assert_int_equal(sb_part_ubcsr(&p, &cv, &(sb_ubcsr){4, 8, val, SB_F32}, true, NULL),
                     SB_SKIP);
    assert_int_equal(p.narray, 0);
    assert_int_equal(
        sb_part_ubcsr(&p, &cv, &(sb_ubcsr){1, 8, val, SB_F32}, false, NULL), SB_SKIP);
    assert_int_equal(sb_part_ubcsr(&p, &cv, &(sb_ubcsr){1, 8, val, SB_F32}, true, NULL),
                     SB_OK);
    close_part(&p, &v, &cv);
    narrow.rows = narrow.nnz = 1;
    narrow.cols = 7;
    assert_int_equal(sb_view_make(&v, &narrow, false, NULL), SB_OK);
    sb_cover_init(&cv, &v);
    assert_int_equal(sb_part_ubcsr(&p, &cv, &(sb_ubcsr){1, 8, val, SB_F32}, true, NULL),
                     SB_SKIP);
    assert_int_equal(sb_part_ubcsr(&p, &cv, &(sb_ubcsr){1, 4, val, SB_F32}, true, NULL),
                     SB_OK);
    close_part(&p, &v, &cv);
}

/* Chunks of all slices, thin diagonals among them or left over. */
static int64_t
chunks_of(const sb_view *v, bool thin)
{
    int64_t sum = 0;

    for (int64_t g = 0; g * SB_HDIA_ROWS < v->rows; g++) {
        sb_hdia_slice one;

        sb_part_hdia_count(&one, v, &g, 1);
        sum += one.full + one.some + (thin ? one.thin : one.rest);
    }
    return sum;
}

/*
 * Slices take diagonals of four rows and more, leave others over as long as there is
 * room for them, and say so in sizes that the model reads.
 */
static void
test_diagonals_of_slices(void **state)
{
    enum { WIDE = 600, MANY = 20 };
    static int32_t at[MANY + 1], col[MANY * WIDE];
    static const struct {
        int rows, step;
        sb_hdia_slice want;
        bool taken; /* thin diagonals, where that is asked for */
    } cases[] = {
        {MANY, 1, {WIDE - 15, 24, 3, 12, 6}, true}, /* all columns: two triangles */
        {3,
         1,
         {0, 430, 171, SB_HDIA_LEFT, 172},
         false}, /* more slots than four an entry */
        {3, 300, {0, 0, 2, 6, 6}, false},
        {MANY, 40, {0, 0, 15, 240, 240}, false}};

    (void)state;
    for (int q = 0; q < SB_COUNT(cases); q++) {
        sb_matrix a = {.format = SB_FORMAT_CSR,
                       .rows = cases[q].rows,
                       .cols = WIDE,
                       .ptr = at,
                       .idx = col,
                       .ptr_type = SB_I32,
                       .idx_type = SB_I32,
                       .val_type = SB_F32,
                       .batch = 1};
        sb_hdia_slice have;
        sb_cover cv;
        sb_part p;
        sb_view v;

        for (int i = 0; i < cases[q].rows; i++) {
            at[i] = (int32_t)a.nnz;
            for (int j = 0; j < WIDE; j += cases[q].step)
                col[a.nnz++] = j;
        }
        at[cases[q].rows] = (int32_t)a.nnz;
        assert_int_equal(sb_view_make(&v, &a, false, NULL), SB_OK);
        sb_part_hdia_count(&have, &v, &(int64_t){0}, 1);
        print_message("%d: full %d, some %d, rest %d, left %d\n", q, (int)have.full,
                      (int)have.some, (int)have.rest, (int)have.left);
        assert_memory_equal(&have, &cases[q].want, sizeof have);
        sb_cover_init(&cv, &v);
        assert_int_equal(sb_part_hdia(&p, &cv, SB_HDIA_PACKED, true, NULL), SB_OK);
        assert_int_equal(sb_parts_check(&p, 1, &v, NULL), SB_OK);
        sb_part_free(&p);
        sb_cover_free(&cv);
        sb_cover_init(&cv, &v);
        assert_int_equal(sb_part_hdia(&p, &cv, SB_HDIA_THIN, true, NULL), SB_OK);
        assert_int_equal(sb_parts_check(&p, 1, &v, NULL), SB_OK);
        assert_int_equal(p.width, chunks_of(&v, cases[q].taken));
        assert_int_equal(sb_part_find(&p, "hdia_crd")->count > 0, !cases[q].taken);
        sb_part_free(&p);
        sb_cover_free(&cv);
        sb_cover_init(&cv, &v);
        assert_int_equal(sb_part_hdia(&p, &cv, SB_HDIA_IN_PLACE, true, NULL), SB_OK);
        assert_int_equal(sb_parts_check(&p, 1, &v, NULL), SB_OK);
        assert_true(p.width >= have.full + have.some + have.thin);
        close_part(&p, &v, &cv);
    }
}

static void
check_array(const sb_part *p, const char *name, const int32_t *want, int n)
{
    const sb_part_array *a = sb_part_find(p, name);

    assert_non_null(a);
    assert_int_equal(a->type, SB_I32);
    assert_int_equal(a->count, n);
    assert_memory_equal(a->data, want, (size_t)n * sizeof *want);
}

/* Sixteen rows of three entries, sixteen of which one has ten, sixteen behind whose last range
 * the matrix ends: only the first look values up in ranges. */
static void
test_ranges_of_slices(void **state)
{
    enum { N = 48, ROWS = 16, RANGES = 6, ENTRIES = 12 };
    static int32_t at[N + 1], col[4 * N];
    static const int32_t want[3 * RANGES] = {0,  9,  18, 24, 33, 42, -1, -1, -1,
                                             -1, -1, -1, -1, -1, -1, -1, -1, -1};
    sb_matrix a = {.format = SB_FORMAT_CSR,
                   .rows = N,
                   .cols = 2 * N,
                   .ptr = at,
                   .idx = col,
                   .ptr_type = SB_I32,
                   .idx_type = SB_I32,
                   .val_type = SB_F64,
                   .batch = 1};
    int32_t *first;
    sb_cover cv;
    sb_part p;
    sb_view v;

    (void)state;
    for (int i = 0; i < N; i++) {
        at[i] = (int32_t)a.nnz;
        for (int j = i; j < i + (i == 20 ? 10 : 3); j++)
            col[a.nnz++] = j;
    }
    at[N] = (int32_t)a.nnz;
    assert_int_equal(sb_view_make(&v, &a, false, NULL), SB_OK);
    sb_cover_init(&cv, &v);
    assert_int_equal(sb_part_hdia(&p, &cv, SB_HDIA_IN_PLACE, true, NULL), SB_OK);
    assert_int_equal(sb_part_hdia_ranges(&p, &v, RANGES, ENTRIES), SB_OK);
    check_array(&p, "hdia_range", want, 3 * RANGES);
    assert_int_equal(sb_parts_check(&p, 1, &v, NULL), SB_OK);
    first = sb_part_find(&p, "hdia_at")->data;
    assert_int_equal(first[3], 0); /* where the second range begins */
    assert_int_equal(first[5], 6);
    assert_int_equal(first[ROWS + 3], 9); /* of the slice */
    first[5]++;
    assert_int_not_equal(sb_parts_check(&p, 1, &v, NULL), SB_OK);
    close_part(&p, &v, &cv);
}

/* Columns of all rows, then of half of them by the rows that hold them, then the rest of
 * each row; where holes are not asked for, columns of all rows and the rest. */
static void
test_rows_with_holes(void **state)
{
    static const int32_t at[] = {0, 5, 10, 14},
                         col[] = {0, 1, 2, 3, 5, 0, 2, 3, 4, 6, 0, 1, 2, 4};
    static const int32_t crd[] = {0, 2, 3, 1, 4, 5, 6}, bits[] = {3, 5, 6},
                         pos[] = {0,  5,  10, 2, 6,  12, 3, 7,  -1, 1,
                                  -1, 11, -1, 8, 13, 4,  9, -1, -1, -1},
                         left[] = {0, 1, 2, 2};
    static const int32_t full[] = {0, 2, 1, 3, 5, 3, 4, 6, 1, 4}, more[] = {0, 3, 6, 8};
    const sb_matrix a = {.format = SB_FORMAT_CSR,
                         .rows = 3,
                         .cols = 8,
                         .nnz = 14,
                         .ptr = at,
                         .idx = col,
                         .ptr_type = SB_I32,
                         .idx_type = SB_I32,
                         .val_type = SB_F32,
                         .batch = 1};

    (void)state;
    for (int holes = 0; holes < 2; holes++) {
        int64_t all = 0, held = 0;
        sb_cover cv;
        sb_part p;
        sb_view v;

        assert_int_equal(sb_view_make(&v, &a, false, NULL), SB_OK);
        sb_part_share_columns(&v, &(int64_t){0}, 1, 3, &all, &held);
        assert_int_equal(all, 2);
        assert_int_equal(held, 9); /* six, and three columns of two */
        sb_cover_init(&cv, &v);
        assert_int_equal(sb_part_share(&p, &cv, 3, holes, true, NULL), SB_OK);
        assert_int_equal(sb_parts_check(&p, 1, &v, NULL), SB_OK);
        check_array(&p, "share_crd", holes ? crd : full, holes ? 7 : 10);
        check_array(&p, "share_left", holes ? left : more, 4);
        if (holes) {
            check_array(&p, "share_bits", bits, 3);
            check_array(&p, "share_pos", pos, 20);
        }
        assert_int_equal(sb_part_find(&p, "share_some") != NULL, holes);
        assert_int_equal(p.nnz, 14);
        assert_int_equal(p.slots, holes ? 17 : 14);
        close_part(&p, &v, &cv);
    }
}

/* Two of four rows are half of them. */
static void
test_half_of_the_rows(void **state)
{
    static const int32_t at[] = {0, 2, 4, 5, 6}, col[] = {0, 1, 0, 1, 0, 0},
                         bits[] = {3};
    const sb_matrix a = {.format = SB_FORMAT_CSR,
                         .rows = 4,
                         .cols = 2,
                         .nnz = 6,
                         .ptr = at,
                         .idx = col,
                         .ptr_type = SB_I32,
                         .idx_type = SB_I32,
                         .val_type = SB_F32,
                         .batch = 1};
    sb_cover cv;
    sb_part p;
    sb_view v;

    (void)state;
    assert_int_equal(sb_view_make(&v, &a, false, NULL), SB_OK);
    sb_cover_init(&cv, &v);
    assert_int_equal(sb_part_share(&p, &cv, 4, true, true, NULL), SB_OK);
    assert_int_equal(sb_parts_check(&p, 1, &v, NULL), SB_OK);
    check_array(&p, "share_bits", bits, 1);
    assert_int_equal(p.slots, 8);
    close_part(&p, &v, &cv);
}

/* Windows of two rows in the order in which rows of them come, the seventh row in none; as they lie. */
static void
test_window_order(void **state)
{
    static const int32_t at[] = {0, 2, 4, 4, 4, 6, 8, 9},
                         col[] = {0, 1, 0, 1, 2, 3, 2, 3, 4};
    static const int32_t order[] = {3, 2, 0, 1}, listed[] = {2, 0, 1},
                         as_is[] = {0, 1, 2}, crd[] = {2, 3, 0, 1},
                         plain[] = {0, 1, 2, 3};
    const sb_matrix a = {.format = SB_FORMAT_CSR,
                         .rows = 7,
                         .cols = 7,
                         .nnz = 9,
                         .ptr = at,
                         .idx = col,
                         .ptr_type = SB_I32,
                         .idx_type = SB_I32,
                         .val_type = SB_F32,
                         .batch = 1};

    (void)state;
    for (int turned = 0; turned < 2; turned++) {
        sb_cover cv;
        sb_part p[2];
        sb_view v;
        int32_t *row;

        assert_int_equal(sb_view_make(&v, &a, false, NULL), SB_OK);
        sb_cover_init(&cv, &v);
        assert_int_equal(
            sb_part_win_by(&p[0], &cv, 2, true, turned ? order : NULL, NULL), SB_OK);
        assert_int_equal(sb_part_rows(&p[1], &cv, 1, 1, true), SB_OK);
        assert_int_equal(sb_parts_check(p, 2, &v, NULL), SB_OK);
        check_array(&p[0], "win_row", turned ? listed : as_is, 3);
        check_array(&p[0], "win_crd", turned ? crd : plain, 4);
        row = sb_part_find(&p[0], "win_row")->data;
        row[turned ? 2 : 1] = 0; /* of the window without entries */
        assert_int_not_equal(sb_parts_check(p, 2, &v, NULL), SB_OK);
        sb_part_free(&p[1]);
        close_part(&p[0], &v, &cv);
    }
}

/* An allocation of 2^60 bytes is a failure here, not an error of the program. */
const char *__asan_default_options(void);
const char *
__asan_default_options(void)
{
    return "allocator_may_return_null=1";
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_packed_diagonals),
        cmocka_unit_test(test_stored_zero_is_not_packed),
        cmocka_unit_test(test_complex_zero),
        cmocka_unit_test(test_unaligned_blocks),
        cmocka_unit_test(test_unaligned_refused),
        cmocka_unit_test(test_countless_columns),
        cmocka_unit_test(test_diagonals_of_slices),
        cmocka_unit_test(test_ranges_of_slices),
        cmocka_unit_test(test_rows_with_holes),
        cmocka_unit_test(test_half_of_the_rows),
        cmocka_unit_test(test_window_order),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
