/*
 * The conversion operators of table 2 one by one, on the matrix of UniSparse's figure 1
 * as a coordinate list.
 */
#include "formats/conv_ops.h"

#include "base/alloc.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

enum { N = 6 };
static const int64_t row[] = {0, 1, 2, 2, 2, 4}, col[] = {0, 1, 1, 2, 3, 3};
static const double val[] = {1, 2, 3, 4, 5, 6};

static sb_arena ar;

static sb_conv
begin(const char *target)
{
    const sb_tensor_coo coo = {.ndim = 2,
                               .extent = {5, 4},
                               .nnz = N,
                               .coord = {row, col},
                               .val = val,
                               .val_type = SB_F64};
    const sb_tensor list = sb_tensor_borrow_coo(&coo);
    sb_conv cx = {0};

    sb_arena_init(&ar);
    assert_int_equal(sb_fmt_parse(&cx.target, &ar, target, NULL), SB_OK);
    sb_fmt_infer(cx.level, cx.target);
    assert_int_equal(sb_tree_open(&cx.t, &list), SB_OK);
    return cx;
}

static void
end(sb_conv *cx)
{
    sb_tree_free(&cx->t);
    sb_arena_free(&ar);
}

static void
apply(sb_conv *cx, sb_conv_kind kind, int64_t a, int64_t b, int64_t c)
{
    assert_int_equal(sb_conv_apply(cx, (sb_conv_op){.kind = kind, .arg = {a, b, c}}),
                     SB_OK);
}

static void
expect(const int64_t *got, int64_t n, const int64_t *want)
{
    for (int64_t p = 0; p < n; p++)
        assert_int_equal(got[p], want[p]);
}

#define INDICES(cx, level, ...)                                                 \
    do {                                                                        \
        const int64_t want_[] = {__VA_ARGS__};                                  \
        assert_int_equal((cx).t.at[level].count, sizeof want_ / sizeof *want_); \
        expect((cx).t.at[level].idx, (cx).t.at[level].count, want_);            \
    } while (0)

#define POINTERS(cx, level, ...)                                           \
    do {                                                                   \
        const int64_t want_[] = {__VA_ARGS__};                             \
        expect((cx).t.at[level].ptr, sizeof want_ / sizeof *want_, want_); \
    } while (0)

#define VALUES(cx, ...)                                       \
    do {                                                      \
        const double want_[] = {__VA_ARGS__};                 \
        assert_memory_equal((cx).t.val, want_, sizeof want_); \
    } while (0)

static void
index_maps(void **state)
{
    sb_conv cx = begin("coo");

    (void)state;
    apply(&cx, SB_CONV_SWAP, 0, 1, 0);
    INDICES(cx, 0, 0, 1, 1, 2, 3, 3);
    INDICES(cx, 1, 0, 1, 2, 2, 2, 4);
    apply(&cx, SB_CONV_SWAP, 1, 0, 0);
    apply(&cx, SB_CONV_SKEW, 0, 1, -1); /* j - i */
    INDICES(cx, 1, 0, 0, -1, 0, 1, -1);
    apply(&cx, SB_CONV_SCALE, 1, 3, 0);
    INDICES(cx, 1, 0, 0, -3, 0, 3, -3);
    apply(&cx, SB_CONV_SCALE, 1, 3, 1); /* by 1/3 */
    apply(&cx, SB_CONV_SHIFT, 1, 5, 0);
    INDICES(cx, 1, 5, 5, 4, 5, 6, 4);
    apply(&cx, SB_CONV_SHIFT, 1, -5, 0);
    apply(&cx, SB_CONV_TILE_SPLIT, 1, 2, 0); /* of negatives too: floor */
    assert_int_equal(cx.t.n, 3);
    INDICES(cx, 1, 0, 0, -1, 0, 0, -1);
    INDICES(cx, 2, 0, 0, 1, 0, 1, 1);
    apply(&cx, SB_CONV_TILE_UNION, 1, 2, 0);
    assert_int_equal(cx.t.n, 2);
    INDICES(cx, 1, 0, 0, -1, 0, 1, -1);
    apply(&cx, SB_CONV_DROP, 0, 0, 0);
    assert_int_equal(cx.t.n, 1);
    INDICES(cx, 0, 0, 0, -1, 0, 1, -1);
    end(&cx);
}

/* Figure 6: B -> A -> C and back, B -> D -> C. */
static void
figure_6(void **state)
{
    sb_conv cx = begin("csr");

    (void)state;
    apply(&cx, SB_CONV_FILL, 0, 0, 0); /* A */
    INDICES(cx, 0, 0, 1, 2, 2, 2, 3, 4);
    POINTERS(cx, 1, 0, 1, 2, 3, 4, 5, 5, 6);
    assert_int_equal(cx.t.start, 1);
    apply(&cx, SB_CONV_MERGE, 0, 0, 0); /* C */
    INDICES(cx, 0, 0, 1, 2, 3, 4);
    POINTERS(cx, 1, 0, 1, 2, 5, 5, 6);
    apply(&cx, SB_CONV_TRIM, 0, 0, 0); /* D */
    INDICES(cx, 0, 0, 1, 2, 4);
    POINTERS(cx, 1, 0, 1, 2, 5, 6);
    apply(&cx, SB_CONV_SPLIT, 0, 0, 0); /* B */
    INDICES(cx, 0, 0, 1, 2, 2, 2, 4);
    INDICES(cx, 1, 0, 1, 1, 2, 3, 3);
    assert_null(cx.t.at[1].ptr);
    assert_int_equal(cx.t.merged, 0);
    apply(&cx, SB_CONV_MERGE, 0, 0, 0); /* D */
    INDICES(cx, 0, 0, 1, 2, 4);
    apply(&cx, SB_CONV_FILL, 0, 0, 0); /* C */
    POINTERS(cx, 1, 0, 1, 2, 5, 5, 6);
    VALUES(cx, 1, 2, 3, 4, 5, 6);
    end(&cx);
}

/* Rows without empty ones become vectors and nodes again. */
static void
vectors(void **state)
{
    sb_conv cx = begin("format rows (i, j) -> (i, j) trim(0, 0)");

    (void)state;
    apply(&cx, SB_CONV_MERGE, 0, 0, 0);
    apply(&cx, SB_CONV_FILL, 1, 0, 0);
    assert_int_equal(cx.t.at[1].count, 16);
    apply(&cx, SB_CONV_VECTORIZE, 1, 0, 0);
    assert_int_equal(cx.t.end, 0);
    INDICES(cx, 0, 0, 1, 2, 4);
    VALUES(cx, 1, 0, 0, 0, 0, 2, 0, 0, 0, 3, 4, 5, 0, 0, 0, 6);
    apply(&cx, SB_CONV_DEVECTORIZE, 1, 0, 0);
    assert_int_equal(cx.t.at[1].count, 16);
    ((double *)cx.t.val)[0] = -0.0; /* row 0 holds only zeros now */
    apply(&cx, SB_CONV_TRIM, 1, 0, 0);
    INDICES(cx, 0, 1, 2, 4);
    INDICES(cx, 1, 1, 1, 2, 3, 3);
    POINTERS(cx, 1, 0, 1, 4, 5);
    VALUES(cx, 2, 3, 4, 5, 6);
    end(&cx);
}

/* Gaps before the last index only (ragged rows). */
static void
gaps(void **state)
{
    sb_conv cx = begin("ragged");

    (void)state;
    apply(&cx, SB_CONV_FILL, 0, 0, 0);
    apply(&cx, SB_CONV_MERGE, 0, 0, 0);
    apply(&cx, SB_CONV_FILL, 1, 1, 0);
    INDICES(cx, 1, 0, 0, 1, 0, 1, 2, 3, 0, 1, 2, 3);
    POINTERS(cx, 1, 0, 1, 3, 7, 7, 11);
    VALUES(cx, 1, 0, 2, 0, 3, 4, 5, 0, 0, 0, 6);
    end(&cx);
}

static void
sorting(void **state)
{
    sb_conv cx = begin("bdia<b=3>");
    const sb_fmt *f = cx.target;

    (void)state;
    apply(&cx, SB_CONV_SKEW, 0, 1, -1);
    apply(&cx, SB_CONV_TILE_SPLIT, 0, 3, 0);
    for (int q = 0; q < 3; q++) {
        int64_t hi;

        sb_fmt_range(&cx.t.at[q].lo, &hi, f, q, cx.t.extent);
        cx.t.at[q].size = hi - cx.t.at[q].lo;
    }
    apply(&cx, SB_CONV_SORT, 1, 0, 0); /* the remainder is a vector at once */
    assert_int_equal(cx.t.end, 1);
    INDICES(cx, 0, 0, 0, 0, 1);
    INDICES(cx, 1, -1, 0, 1, -1);
    VALUES(cx, 0, 0, 3, 1, 2, 4, 0, 0, 5, 0, 6, 0);
    end(&cx);
}

/* Levels too wide for one key, negative ones, and many. */
static void
sorting_wide(void **state)
{
    enum { MANY = 100000 };
    sb_tree t = {.n = 3, .end = 2};
    int64_t *order, twice, *column[3];
    uint64_t seed = 1;

    (void)state;
    for (int q = 0; q < 3; q++) {
        column[q] = sb_alloc_array(MANY, sizeof **column);
        t.at[q] = (sb_tree_level){.count = MANY, .idx = column[q]};
        for (int64_t p = 0; p < MANY; p++) {
            seed = seed * UINT64_C(6364136223846793005) + 1442695040888963407;
            column[q][p] = q == 0 ? (int64_t)(seed >> 60) - 8 : (int64_t)seed;
        }
    }
    for (int q = 0; q < 3; q++)
        column[q][500] = column[q][70000];
    assert_int_equal(sb_conv_order(&order, &twice, &t, 3, NULL), SB_OK);
    assert_int_equal(twice, 70000);
    for (int64_t p = 1; p < MANY; p++)
        for (int q = 0; q < 3; q++) {
            const int64_t a = column[q][order[p - 1]], b = column[q][order[p]];

            assert_true(a <= b);
            if (a < b)
                break;
        }
    sb_free(order);
    for (int q = 0; q < 3; q++)
        sb_free(column[q]);
}

static void
answers(const char *format, const int64_t *want)
{
    sb_conv cx = begin(format);
    int64_t *answer;

    assert_int_equal(sb_conv_query(&answer, &cx, cx.target->fn[0]), SB_OK);
    expect(answer, N, want);
    sb_free(answer);
    end(&cx);
}

#define COUNT "sum(value) groupBy (i) with value ne 0 -> 1 | otherwise -> 0"

static void
queries(void **state)
{
    (void)state;
    answers("format s (i, j) -> (@n(i), i, j) merge(0, 1) trim(0, 2) where @n = "
            "{ " COUNT " }",
            (int64_t[]){1, 1, 3, 3, 3, 1});
    answers("format v (i, j) -> (@n(i), i, j) merge(0, 1) trim(0, 2) where @n = "
            "{ sum(value) groupBy (i) with value gt 4 -> 10 | otherwise -> 0 }",
            (int64_t[]){0, 0, 10, 10, 10, 10});
    answers("ell", (int64_t[]){0, 0, 0, 1, 2, 0});
    /* blocks of a block row; elements of a block share a slot */
    answers("bell<b=2>", (int64_t[]){0, 0, 0, 1, 1, 0});
    /* longest row first, then as they come, empty rows last */
    answers("format r (i, j) -> (@n(i), i, j) merge(0, 1) trim(0, 2) where @n = "
            "{ " COUNT "; reorder(i) }",
            (int64_t[]){1, 2, 0, 0, 0, 3});
    /* loads 1 and 1, then 4 and 1, then the empty row and the last to the lighter */
    answers("cisr<p=2>", (int64_t[]){0, 1, 0, 0, 0, 1});
    answers("cisr_plus<p=2>", (int64_t[]){1, 1, 0, 0, 0, 1});
}

static void
layouts(void **state)
{
    sb_conv cx = begin("csr");
    sb_tensor t;
    sb_fmt f = *cx.target;

    (void)state;
    apply(&cx, SB_CONV_FILL, 0, 0, 0);
    apply(&cx, SB_CONV_MERGE, 0, 0, 0);
    assert_int_equal(sb_tree_store(&t, &cx.t, &f, cx.level, false, NULL), SB_OK);
    cx.out = &t;
    f.partition = 0;
    apply(&cx, SB_CONV_PARTITION, 0, 0, 0);
    assert_int_equal(t.nbank, 5);
    assert_null(t.val.data);
    assert_int_equal(t.bank[2].count[1], 3);
    assert_int_equal(t.bank[2].lo[0], 2);
    assert_int_equal(t.bank[2].size[0], 1);
    assert_int_equal(sb_tensor_at(&t.bank[2].ptr[1], SB_I32, 1), 3);
    assert_true(((double *)t.bank[2].val.data)[1] == 4);
    f.pack_lo = 0;
    f.pack_hi = 1;
    cx.level[1].record = true;
    apply(&cx, SB_CONV_PACK, 0, 1, 0);
    assert_int_equal(t.bank[2].block_bytes, 3 * 16);
    assert_int_equal(t.bank[2].idx[1].stride, 4);
    assert_int_equal(((int32_t *)t.bank[2].block)[4], 2);
    assert_true(((double *)t.bank[2].block)[3] == 4);
    sb_tensor_free(&t);
    end(&cx);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(index_maps), cmocka_unit_test(figure_6),
        cmocka_unit_test(vectors),    cmocka_unit_test(gaps),
        cmocka_unit_test(sorting),    cmocka_unit_test(sorting_wide),
        cmocka_unit_test(queries),    cmocka_unit_test(layouts),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
