/*
 * The tool works out which part of a plan an entry belongs to from the plan's text; the
 * library decides when it builds the parts. Here both are asked about the same matrices.
 */
#include "parts.h"

#include "base/macro.h"
#include "formats/part.h"
#include "gen.h"
#include "tool.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* The tool's own ends the program. */
void *
tool_memory(int64_t count, size_t size)
{
    void *p = calloc((size_t)count + 1, size);

    assert_non_null(p);
    return p;
}

static const struct {
    sb_part_kind kind;
    int size;
} parts[] = {{SB_PART_BSR, 2},   {SB_PART_BSR, 3},   {SB_PART_BSR, 4},
             {SB_PART_BSR, 8},   {SB_PART_WIN, 2},   {SB_PART_WIN, 3},
             {SB_PART_WIN, 4},   {SB_PART_WIN, 8},   {SB_PART_SHARE, 2},
             {SB_PART_SHARE, 3}, {SB_PART_SHARE, 8}, {SB_PART_DIA, 20},
             {SB_PART_DIA, 50},  {SB_PART_DIA, 90}};
static const char *const kinds[SB_PART_COUNT] = {[SB_PART_BSR] = "bsr",
                                                 [SB_PART_WIN] = "win",
                                                 [SB_PART_SHARE] = "share",
                                                 [SB_PART_DIA] = "dia"};

static mm_matrix
as_read(const sb_matrix *a)
{
    mm_matrix m = {.rows = a->rows, .cols = a->cols, .nnz = a->nnz};

    m.ptr = tool_memory(a->rows + 1, sizeof *m.ptr);
    m.col = tool_memory(a->nnz, sizeof *m.col);
    for (int64_t i = 0; i <= a->rows; i++)
        m.ptr[i] = sb_index(a->ptr, a->ptr_type, i);
    for (int64_t p = 0; p < a->nnz; p++)
        m.col[p] = sb_index(a->idx, a->idx_type, p);
    return m;
}

/* Entries the library's part takes, one byte each; NULL: there is no such part. */
static const uint8_t *
taken_by(sb_part *p, sb_cover *cv, sb_part_kind kind, int size)
{
    const sb_status st = kind == SB_PART_BSR   ? sb_part_bsr(p, cv, size, true, NULL)
                         : kind == SB_PART_WIN ? sb_part_win(p, cv, size, true, NULL)
                         : kind == SB_PART_SHARE
                             ? sb_part_share(p, cv, size, true, true, NULL)
                             : sb_part_dia(p, cv, size, true);

    assert_true(st == SB_OK || st == SB_SKIP);
    if (st == SB_OK)
        assert_int_equal(sb_cover_open(cv), SB_OK); /* marks, too, what is whole */
    return st == SB_OK ? cv->taken : NULL;
}

/* Returns how many entries the part holds. */
static int64_t
compare(const sb_matrix *a, const mm_matrix *m, int q)
{
    int64_t held = 0;
    const uint8_t *taken;
    parts_map map;
    char text[80];
    sb_cover cv;
    sb_part p;
    sb_view v;

    (void)snprintf(text, sizeof text, "(plan spmm (part %s %d) (part rows flat 1))",
                   kinds[parts[q].kind], parts[q].size);
    parts_assign(&map, m, text);
    assert_int_equal(sb_view_make(&v, a, false, NULL), SB_OK);
    sb_cover_init(&cv, &v);
    taken = taken_by(&p, &cv, parts[q].kind, parts[q].size);
    /* a part that is not built is not in the text of the finished plan either */
    for (int64_t e = 0; taken && e < a->nnz; e++) {
        const bool in = taken[e];

        if (in != (map.of[e] == 0))
            fail_msg("%s: entry %d of %d x %d is%s in the part", text, (int)e,
                     (int)a->rows, (int)a->cols, in ? "" : " not");
        held += in;
    }
    if (taken)
        assert_int_equal(map.entries[0], held);
    parts_free(&map);
    sb_part_free(&p);
    sb_cover_free(&cv);
    sb_view_free(&v);
    return held;
}

/* Several parts that select, one after the other, and what is left. */
static const struct {
    int n, part[3]; /* lines of `parts` */
} levels[] = {{2, {3, 2}},  {2, {2, 0}}, {2, {1, 0}}, {3, {3, 2, 0}},  {2, {12, 0}},
              {2, {0, 11}}, {2, {2, 4}}, {2, {0, 9}}, {3, {2, 12, 0}}, {3, {1, 12, 9}}};

/* The library's part of each entry: its rank, or one more for the rest. */
static int64_t
compare_levels(const sb_matrix *a, const mm_matrix *m, int q)
{
    uint8_t *of = tool_memory(a->nnz, 1);
    int64_t later = 0;
    char text[160] = "(plan spmm", one[40];
    parts_map map;
    sb_cover cv;
    sb_view v;
    int built = 0;

    assert_int_equal(sb_view_make(&v, a, false, NULL), SB_OK);
    sb_cover_init(&cv, &v);
    for (int t = 0; t < levels[q].n; t++) {
        const int id = levels[q].part[t];
        sb_part p;
        const uint8_t *taken = taken_by(&p, &cv, parts[id].kind, parts[id].size);

        if (!taken)
            continue; /* nor is it in the text of the finished plan */
        built++;
        (void)snprintf(one, sizeof one, " (part %s %d)", kinds[parts[id].kind],
                       parts[id].size);
        strncat(text, one, sizeof text - strlen(text) - 1);
        for (int64_t e = 0; e < a->nnz; e++)
            if (taken[e] && of[e] == 0) {
                of[e] = (uint8_t)built;
                later += built > 1;
            }
        sb_part_free(&p);
    }
    strncat(text, " (part rows flat 1))", sizeof text - strlen(text) - 1);
    parts_assign(&map, m, text);
    for (int64_t e = 0; e < a->nnz; e++)
        if (map.of[e] != (of[e] ? of[e] - 1 : built))
            fail_msg("%s: entry %d of %d x %d is in part %d, not %d", text, (int)e,
                     (int)a->rows, (int)a->cols, map.of[e], of[e]);
    parts_free(&map);
    sb_cover_free(&cv);
    sb_view_free(&v);
    free(of);
    return later;
}

static void
test_same_parts(void **state)
{
    int64_t held[SB_PART_COUNT] = {0}, later = 0;

    (void)state;
    for (uint64_t k = 0; k < 60; k++) {
        gen_spec spec = gen_case(k);
        sb_matrix a;
        mm_matrix m;

        spec.ptr_type = spec.idx_type = SB_I32;
        spec.val_type = SB_F32;
        spec.format = SB_FORMAT_CSR;
        spec.base = 0;
        spec.batch = 0;
        spec.unsorted = spec.duplicates = false; /* files are read sorted and merged */
        a = gen_matrix(&spec);
        m = as_read(&a);
        for (int q = 0; q < SB_COUNT(parts); q++)
            held[parts[q].kind] += compare(&a, &m, q);
        for (int q = 0; q < SB_COUNT(levels); q++)
            later += compare_levels(&a, &m, q);
        free(m.ptr);
        free(m.col);
        gen_free_matrix(&a);
    }
    assert_true(held[SB_PART_BSR] > 100 && held[SB_PART_WIN] > 100 &&
                held[SB_PART_SHARE] > 100 && held[SB_PART_DIA] > 100 && later > 100);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_same_parts),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
