/*
 * base/alloc: alignment, the failure hook, the live counter.
 */
#include "base/alloc.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static void
blocks_are_aligned(void **state)
{
    static const size_t sizes[] = {0, 1, 63, 64, 4096, ((size_t)4 << 20) - 1};

    (void)state;
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        void *p = sb_alloc(sizes[i]);
        assert_non_null(p);
        assert_int_equal((uintptr_t)p % 64, 0);
        sb_free(p);
    }
}

static void
large_blocks_start_at_a_huge_page(void **state)
{
    unsigned char *p = sb_alloc((size_t)5 << 20);

    (void)state;
    assert_non_null(p);
    assert_int_equal((uintptr_t)p % ((size_t)2 << 20), 0);
    p[0] = 1;
    p[((size_t)5 << 20) - 1] = 2;
    sb_free(p);
}

static void
size_zero_gives_distinct_blocks(void **state)
{
    void *p = sb_alloc(0), *q = sb_alloc(0);

    (void)state;
    assert_non_null(p);
    assert_non_null(q);
    assert_ptr_not_equal(p, q);
    sb_free(p);
    sb_free(q);
}

static void
zeroed_is_zero(void **state)
{
    unsigned char *p = sb_alloc(257);

    (void)state;
    assert_non_null(p);
    for (int i = 0; i < 257; i++)
        p[i] = 0xff;
    sb_free(p);
    p = sb_alloc_zero(257);
    assert_non_null(p);
    for (int i = 0; i < 257; i++)
        assert_int_equal(p[i], 0);
    sb_free(p);
}

/* Also where the heap hands out again what somebody has written. */
static void
blank_is_zero(void **state)
{
    static const size_t sizes[] = {
        0, 1, 100, SB_ALLOC_FRESH - 1, SB_ALLOC_FRESH, SB_ALLOC_FRESH + 4097};

    (void)state;
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        unsigned char *p = sb_alloc(sizes[i]);
        size_t set = 0;

        assert_non_null(p);
        memset(p, 0xff, sizes[i]);
        sb_free(p);
        p = sb_alloc_blank(sizes[i]);
        assert_non_null(p);
        for (size_t k = 0; k < sizes[i]; k++)
            set += p[k] != 0;
        assert_int_equal(set, 0);
        sb_free(p);
    }
    assert_null(sb_alloc_blank(SIZE_MAX));
    sb_alloc_fail_after(0);
    assert_null(sb_alloc_blank(SB_ALLOC_FRESH));
    sb_alloc_fail_after(-1);
}

static void
impossible_sizes_are_refused(void **state)
{
    (void)state;
    assert_null(sb_alloc(SIZE_MAX));
    assert_null(sb_alloc_zero(SIZE_MAX));
    assert_null(sb_alloc_array(-1, 8));
    assert_null(sb_alloc_array(INT64_MAX, 8));
    assert_null(sb_alloc_array(INT64_MAX, 2));
}

static void
hook_fails_after_n(void **state)
{
    void *p[3];

    (void)state;
    sb_alloc_fail_after(2);
    p[0] = sb_alloc(8);
    p[1] = sb_alloc_zero(8);
    p[2] = sb_alloc_array(1, 8);
    assert_non_null(p[0]);
    assert_non_null(p[1]);
    assert_null(p[2]);
    assert_null(sb_alloc(8));
    assert_int_equal(sb_alloc_fail_after(-1), 4);
    assert_int_equal(sb_alloc_fail_after(-1), 0);
    sb_free(p[0]);
    sb_free(p[1]);
    p[2] = sb_alloc(8);
    assert_non_null(p[2]);
    sb_free(p[2]);
}

static void
live_counts_blocks(void **state)
{
    const int64_t before = sb_alloc_live();
    void *p = sb_alloc(10), *q = sb_alloc_zero(10);

    (void)state;
    assert_int_equal(sb_alloc_live(), before + 2);
    sb_alloc_fail_after(0);
    assert_null(sb_alloc(10));
    sb_alloc_fail_after(-1);
    assert_int_equal(sb_alloc_live(), before + 2);
    sb_free(p);
    sb_free(NULL);
    assert_int_equal(sb_alloc_live(), before + 1);
    sb_free(q);
    assert_int_equal(sb_alloc_live(), before);
}

/* Room for one more, whatever came before; where memory is short all of it is still there. */
static void
lists_grow(void **state)
{
    void *list = NULL;
    int64_t room = 0, n = 0;
    const int64_t before = sb_alloc_live();

    (void)state;
    for (; n < 1000; n++) {
        assert_true(sb_alloc_room(&list, &room, n, sizeof(int32_t)));
        assert_true(n < room && room < 2048);
        ((int32_t *)list)[n] = (int32_t)(3 * n);
    }
    assert_int_equal(sb_alloc_live(), before + 1);
    (void)sb_alloc_fail_after(0);
    while (sb_alloc_room(&list, &room, n, sizeof(int32_t)))
        ((int32_t *)list)[n] = (int32_t)(3 * n), n++;
    (void)sb_alloc_fail_after(-1);
    assert_int_equal(n, room);
    for (int64_t i = 0; i < n; i++)
        assert_int_equal(((int32_t *)list)[i], 3 * i);
    room = INT64_MAX;
    assert_false(sb_alloc_room(&list, &room, INT64_MAX, 8));
    sb_free(list);
    assert_int_equal(sb_alloc_live(), before);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(blocks_are_aligned),
        cmocka_unit_test(large_blocks_start_at_a_huge_page),
        cmocka_unit_test(size_zero_gives_distinct_blocks),
        cmocka_unit_test(zeroed_is_zero),
        cmocka_unit_test(lists_grow),
        cmocka_unit_test(blank_is_zero),
        cmocka_unit_test(impossible_sizes_are_refused),
        cmocka_unit_test(hook_fails_after_n),
        cmocka_unit_test(live_counts_blocks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
