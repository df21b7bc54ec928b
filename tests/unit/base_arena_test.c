/*
 * base/arena: alignment, growth over chunks, mark and reset, running out of memory.
 */
#include "base/arena.h"

#include "base/alloc.h"
#include "base/tiny.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static void
blocks_are_aligned_and_disjoint(void **state)
{
    unsigned char *p[200];
    sb_arena ar;

    (void)state;
    sb_arena_init(&ar);
    for (int i = 0; i < 200; i++) {
        p[i] = sb_arena_alloc(&ar, (size_t)i);
        assert_non_null(p[i]);
        assert_int_equal((uintptr_t)p[i] % 16, 0);
        memset(p[i], i, (size_t)i);
    }
    for (int i = 0; i < 200; i++)
        for (int b = 0; b < i; b++)
            assert_int_equal(p[i][b], i);
    sb_arena_free(&ar);
}

static void
a_block_larger_than_a_chunk_fits(void **state)
{
    const size_t big = 3 * (size_t)SB_ARENA_CHUNK + 5;
    sb_arena ar;
    unsigned char *p;

    (void)state;
    sb_arena_init(&ar);
    assert_int_equal(sb_arena_bytes(&ar), 0);
    assert_non_null(sb_arena_alloc(&ar, 1));
    assert_int_equal(sb_arena_bytes(&ar), SB_ARENA_CHUNK);
    p = sb_arena_alloc_zero(&ar, big);
    assert_non_null(p);
    assert_in_range(sb_arena_bytes(&ar), SB_ARENA_CHUNK + big,
                    SB_ARENA_CHUNK + big + 64);
    for (size_t i = 0; i < big; i++)
        assert_int_equal(p[i], 0);
    sb_arena_free(&ar);
}

static void
copies_carry_their_bytes(void **state)
{
    const char text[] = "row, column";
    sb_arena ar;
    int64_t *a;
    char *s;

    (void)state;
    sb_arena_init(&ar);
    s = sb_arena_strndup(&ar, text, 3);
    assert_string_equal(s, "row");
    assert_string_equal(sb_arena_strndup(&ar, NULL, 0), "");
    assert_memory_equal(sb_arena_copy(&ar, text, sizeof text), text, sizeof text);
    a = sb_arena_array(&ar, 3, sizeof *a);
    assert_non_null(a);
    a[2] = 1;
    assert_null(sb_arena_array(&ar, -1, 8));
    assert_null(sb_arena_array(&ar, INT64_MAX, 16));
    assert_null(sb_arena_alloc(&ar, SIZE_MAX));
    assert_null(sb_arena_strndup(&ar, text, SIZE_MAX));
    sb_arena_free(&ar);
}

static void
reset_returns_to_the_mark(void **state)
{
    const int64_t before = sb_alloc_live();
    sb_arena_pos start, pos;
    sb_arena ar;
    char *kept;
    void *next;
    int64_t at_mark;

    (void)state;
    sb_arena_init(&ar);
    start = sb_arena_mark(&ar);
    kept = sb_arena_strndup(&ar, "kept", 4);
    pos = sb_arena_mark(&ar);
    at_mark = sb_alloc_live();
    next = sb_arena_alloc(&ar, 16);
    for (int i = 0; i < 10; i++)
        assert_non_null(sb_arena_alloc(&ar, SB_ARENA_CHUNK));
    sb_arena_reset(&ar, pos);
    assert_int_equal(sb_alloc_live(), at_mark);
    assert_string_equal(kept, "kept");
    assert_ptr_equal(sb_arena_alloc(&ar, 16), next);
    sb_arena_reset(&ar, start);
    assert_int_equal(sb_alloc_live(), before);
    sb_arena_free(&ar);
}

static void
out_of_memory_leaves_the_arena_usable(void **state)
{
    const int64_t before = sb_alloc_live();
    sb_arena ar;

    (void)state;
    sb_arena_init(&ar);
    sb_alloc_fail_after(0);
    assert_null(sb_arena_alloc(&ar, 8));
    assert_null(sb_arena_alloc_zero(&ar, 8));
    assert_null(sb_arena_copy(&ar, "x", 1));
    assert_null(sb_arena_strndup(&ar, "x", 1));
    sb_alloc_fail_after(-1);
    assert_non_null(sb_arena_alloc(&ar, 8));
    sb_arena_free(&ar);
    sb_arena_free(&ar);
    assert_int_equal(sb_alloc_live(), before);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(blocks_are_aligned_and_disjoint),
        cmocka_unit_test(a_block_larger_than_a_chunk_fits),
        cmocka_unit_test(copies_carry_their_bytes),
        cmocka_unit_test(reset_returns_to_the_mark),
        cmocka_unit_test(out_of_memory_leaves_the_arena_usable),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
