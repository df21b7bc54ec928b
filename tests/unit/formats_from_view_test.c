/*
 * Tensors from a matrix as the caller gives it: any order, any type, counted from 0 or 1;
 * offsets and columns that no matrix has.
 */
#include "base/alloc.h"
#include "fmtcheck.h"
#include "gen.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static void
views(void **state)
{
    (void)state;
    for (uint64_t k = 0; k < 60; k++) {
        gen_spec s = gen_case(k);
        sb_matrix m;
        sb_view v;
        sb_tensor a, b;

        s.val_type = SB_F64;
        s.duplicates = false;
        s.format = (sb_format)(k % 6);
        m = gen_matrix(&s);
        assert_int_equal(sb_view_make(&v, &m, k / 6 & 1, NULL), SB_OK);
        assert_int_equal(sb_tensor_from_view(&a, fmt_of("csr"), &v, m.val, SB_F64,
                                             false, NULL, NULL),
                         SB_OK);
        assert_int_equal(sb_tensor_from_view(&b, fmt_of("csc"), &v, m.val, SB_F64,
                                             false, NULL, NULL),
                         SB_OK);
        for (int64_t i = 0; i < v.rows; i++) {
            assert_int_equal(sb_tensor_at(&a.ptr[1], a.ptr_type, i), sb_view_lo(&v, i));
            for (int64_t p = sb_view_lo(&v, i); p < sb_view_lo(&v, i + 1); p++) {
                int64_t at = sb_view_lo(&v, i); /* the same column */

                while (sb_tensor_at(&a.idx[1], a.idx_type, at) != sb_view_col(&v, p))
                    at++;
                assert_true(((double *)a.val.data)[at] ==
                            ((double *)m.val)[sb_view_pos(&v, p)]);
            }
        }
        sb_tensor_free(&a);
        assert_int_equal(sb_tensor_convert(&a, &b, fmt_of("csr"), NULL, NULL, NULL),
                         SB_OK);
        assert_int_equal(a.nnz, v.nnz);
        sb_tensor_free(&a);
        sb_tensor_free(&b);
        sb_view_free(&v);
        gen_free_matrix(&m);
    }
}

/* Offsets and columns that no matrix has; in the last rows, past other threads' pieces. */
static void
broken_views(void **state)
{
    enum { ROWS = 9001 };
    static int32_t ptr[ROWS + 1], crd[ROWS];
    static double some[ROWS];
    static const char gap[] =
        "the offsets do not lead from the first to the last of 9001 entries";
    static const struct {
        int64_t at;
        bool offset;
        int32_t value;
        const char *why;
    } cases[] = {
        {ROWS - 1, false, 5, "column 9000 of the sparse matrix is 5, outside [0, 5)"},
        {ROWS - 2, false, -1, "column 8999 of the sparse matrix is -1, outside [0, 5)"},
        {ROWS - 1, true, ROWS + 1, "offsets of row 8999 are out of order"},
        {4200, true, 7, "offsets of row 4199 are out of order"},
        {0, true, -1, "offsets of row 0 are out of order"},
        {0, true, 1, gap},
        {ROWS, true, ROWS - 1, gap},
    };
    const sb_view v = {.rows = ROWS,
                       .cols = 5,
                       .nnz = ROWS,
                       .ptr = ptr,
                       .crd = crd,
                       .ptr_type = SB_I32,
                       .crd_type = SB_I32};
    const sb_par team = {fmt_backwards, 3};

    (void)state;
    for (int32_t i = 0; i <= ROWS; i++)
        ptr[i] = i;
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
        int32_t *at = (cases[k].offset ? ptr : crd) + cases[k].at;
        const int32_t before = *at;
        sb_diag diag = {0};
        sb_tensor t;

        *at = cases[k].value;
        assert_int_equal(sb_tensor_from_view(&t, fmt_of("csc"), &v, some, SB_F64, false,
                                             k % 2 ? &team : NULL, &diag),
                         SB_EINVAL);
        assert_string_equal(diag.text, cases[k].why);
        *at = before;
    }
}

/* Arrays that count from 1 give what those from 0 give, in any mixture, or ENOMEM. */
static void
views_from_1(void **state)
{
    static const int32_t ptr[2][4] = {{0, 2, 2, 5}, {1, 3, 3, 6}},
                         crd[2][5] = {{0, 3, 1, 2, 3}, {1, 4, 2, 3, 4}};
    static const double some[5] = {1, 2, 3, 4, 5};
    const sb_fmt *f = fmt_of("csc");

    (void)state;
    for (int k = 0; k < 4; k++) {
        const sb_view v = {.rows = 3,
                           .cols = 4,
                           .nnz = 5,
                           .ptr = ptr[k & 1],
                           .crd = crd[k >> 1],
                           .ptr_base = k & 1,
                           .crd_base = k >> 1,
                           .ptr_type = SB_I32,
                           .crd_type = SB_I32};
        const sb_view w = {.rows = 3,
                           .cols = 4,
                           .nnz = 5,
                           .ptr = ptr[0],
                           .crd = crd[0],
                           .ptr_type = SB_I32,
                           .crd_type = SB_I32};
        const int64_t live = sb_alloc_live();
        sb_tensor a, b;
        char message[200];
        bool enough = false;

        assert_int_equal(
            sb_tensor_from_view(&b, f, &w, some, SB_F64, false, NULL, NULL), SB_OK);
        for (int64_t allowed = 0; !enough; allowed++) {
            sb_status st;

            (void)sb_alloc_fail_after(allowed);
            st = sb_tensor_from_view(&a, f, &v, some, SB_F64, false, NULL, NULL);
            enough = sb_alloc_fail_after(-1) <= allowed;
            assert_int_equal(st, enough ? SB_OK : SB_ENOMEM);
        }
        assert_true(fmt_equal(&a, &b, message, sizeof message));
        sb_tensor_free(&a);
        sb_tensor_free(&b);
        assert_int_equal(sb_alloc_live(), live);
    }
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(views),
        cmocka_unit_test(broken_views),
        cmocka_unit_test(views_from_1),
    };

    return cmocka_run_group_tests(tests, fmt_begin, fmt_end);
}
