/*
 * The decompositions of the papers, as in tests/golden/sparsetir_*: on a matrix cut into
 * their parts the decomposed program, its copies included, means what the first one does,
 * at every stage; and it has as many iterations as they say.
 */
#include "gen.h"
#include "irprog.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { SIDE = 64, FEATURES = 3, BINDS = 80, BYTES = 1 << 16 };

/* Everything bound by name; the matrix, and which of its entries a part has taken. */
typedef struct setting {
    ir_lab lab;
    gen_rng rng;
    ir_bind bind[BINDS + 1];
    int n;
    float value[SIDE][SIDE];
    bool taken[SIDE][SIDE];
    float *c;
} setting;

static char *
read_golden(setting *st, const char *folder, const char *name)
{
    char path[1024], *text = sb_arena_alloc_zero(&st->lab.arena, BYTES);
    FILE *f;

    (void)snprintf(path, sizeof path, "%s/tests/golden/%s/%s", SB_SOURCE_DIR, folder,
                   name);
    f = fopen(path, "rb");
    assert_non_null(f);
    assert_non_null(text);
    assert_true(fread(text, 1, BYTES - 1, f) > 0);
    assert_int_equal(fclose(f), 0);
    return text;
}

static const char *
keep_name(setting *st, const char *stem, const char *tag)
{
    char name[64];

    (void)snprintf(name, sizeof name, "%s%s", stem, tag);
    return sb_arena_strndup(&st->lab.arena, name, strlen(name));
}

static void
add_param(setting *st, const char *stem, const char *tag, int64_t v)
{
    const ir_bind b = IR_PARAM(keep_name(st, stem, tag), v);

    assert_true(st->n < BINDS);
    st->bind[st->n++] = b;
}

/* An array of four-byte elements, all zero. */
static void *
add_array(setting *st, const char *stem, const char *tag, int64_t count)
{
    void *data = sb_arena_alloc_zero(&st->lab.arena, (size_t)count * 4 + 4);
    const ir_bind b = IR_ARRAY(keep_name(st, stem, tag), data, count);

    assert_non_null(data);
    assert_true(st->n < BINDS);
    st->bind[st->n++] = b;
    return data;
}

/* ---- parts ----------------------------------------------------------------------------------- */

/* Entries of a block that no other part has, about one in two. */
static void
fill_block(setting *st, int64_t r0, int64_t c0, int64_t b)
{
    for (int64_t r = r0; r < r0 + b; r++) {
        for (int64_t c = c0; c < c0 + b; c++) {
            st->taken[r][c] = true;
            if (gen_below(&st->rng, 2))
                st->value[r][c] = (float)(1 + gen_below(&st->rng, 4));
        }
    }
}

static bool
is_free(const setting *st, int64_t r0, int64_t c0, int64_t b)
{
    for (int64_t r = r0; r < r0 + b; r++) {
        for (int64_t c = c0; c < c0 + b; c++) {
            if (st->taken[r][c])
                return false;
        }
    }
    return true;
}

/* A part in blocks of b: some of the blocks that are free. */
static void
add_bsr(setting *st, int64_t b, const char *tag, int64_t one_in)
{
    const int64_t side = SIDE / b;
    int32_t *ptr = add_array(st, "indptr_", tag, side + 1);
    int32_t *idx = sb_arena_alloc_zero(&st->lab.arena, (size_t)(side * side + 1) * 4);
    int32_t n = 0, *kept;

    assert_non_null(idx);
    for (int64_t r = 0; r < side; r++) {
        for (int64_t c = 0; c < side; c++) {
            if (gen_below(&st->rng, one_in) || !is_free(st, r * b, c * b, b))
                continue;
            fill_block(st, r * b, c * b, b);
            idx[n++] = (int32_t)c;
        }
        ptr[r + 1] = n;
    }
    kept = add_array(st, "indices_", tag, n);
    memcpy(kept, idx, (size_t)n * sizeof *idx);
    add_param(st, "nnzb_", tag, n);
    (void)add_array(st, "A_bsr_", tag, n * b * b);
}

/* Entry (r, c), which no part has, becomes one. */
static void
take_entry(setting *st, int64_t r, int64_t c)
{
    st->taken[r][c] = true;
    st->value[r][c] = (float)(1 + gen_below(&st->rng, 4));
}

/* Two entries a row, fewer in some. */
static void
add_ell(setting *st)
{
    int32_t *crd = add_array(st, "indices_ell", "", 2 * SIDE);

    (void)add_array(st, "A_ell_2", "", 2 * SIDE);
    for (int64_t r = 0; r < SIDE; r++) {
        int64_t n = gen_below(&st->rng, 3), k = 0;

        for (int64_t c = r % 7; c < SIDE && k < n; c += 5) {
            if (st->taken[r][c])
                continue;
            take_entry(st, r, c);
            crd[2 * r + k++] = (int32_t)c;
        }
        for (; k < 2; k++)
            crd[2 * r + k] = -1;
    }
}

/* Columns [c0, c0 + 32) of all rows in buckets of 1, 2 and 4 entries. */
static void
add_hyb_columns(setting *st, int partition)
{
    const int64_t c0 = SIDE / 2 * (partition - 1);
    int32_t *row[5], *col[5];
    int64_t rows[5] = {0};
    char tag[32];

    for (int w = 1; w <= 4; w *= 2) {
        row[w] = sb_arena_alloc_zero(&st->lab.arena, (size_t)SIDE * 16 * 4);
        col[w] = sb_arena_alloc_zero(&st->lab.arena, (size_t)SIDE * 16 * 4 * 4);
        assert_true(row[w] && col[w]);
    }
    for (int64_t r = 0; r < SIDE; r++) {
        int64_t left = gen_below(&st->rng, 8), c = c0 + r % 3;

        while (left > 0) {
            const int64_t take = left < 4 ? left : 4;
            const int w = take > 2 ? 4 : (int)take;

            row[w][rows[w]] = (int32_t)r;
            for (int64_t k = 0; k < w; k++, c += 2) {
                col[w][rows[w] * w + k] = k < take ? (int32_t)c : -1;
                if (k < take)
                    take_entry(st, r, c);
            }
            rows[w]++;
            left -= take;
        }
    }
    for (int w = 1; w <= 4; w *= 2) {
        (void)snprintf(tag, sizeof tag, "%d%d", partition, w);
        add_param(st, "rows_", tag, rows[w]);
        memcpy(add_array(st, "row_", tag, rows[w]), row[w], (size_t)rows[w] * 4);
        memcpy(add_array(st, "col_", tag, rows[w] * w), col[w],
               (size_t)(rows[w] * w) * 4);
        (void)snprintf(tag, sizeof tag, "p%dw%d", partition, w);
        (void)add_array(st, "A_", tag, rows[w] * w);
    }
}

/* ---- the whole ------------------------------------------------------------------------------- */

/* Compressed rows of all that the parts took, and the dense operands. */
static void
add_whole(setting *st)
{
    int32_t *ptr = add_array(st, "J_indptr", "", SIDE + 1), *crd, n = 0;
    float *a, *b;

    for (int r = 0; r < SIDE; r++) {
        for (int c = 0; c < SIDE; c++)
            n += st->value[r][c] != 0;
        ptr[r + 1] = n;
    }
    crd = add_array(st, "J_indices", "", n);
    a = add_array(st, "A", "", n);
    b = add_array(st, "B", "", SIDE * FEATURES);
    st->c = add_array(st, "C", "", SIDE * FEATURES);
    n = 0;
    for (int r = 0; r < SIDE; r++) {
        for (int c = 0; c < SIDE; c++) {
            if (st->value[r][c] == 0)
                continue;
            crd[n] = c;
            a[n++] = st->value[r][c];
        }
    }
    for (int q = 0; q < SIDE * FEATURES; q++)
        b[q] = (float)(q % 7 - 3);
    add_param(st, "m", "", SIDE);
    add_param(st, "n", "", SIDE);
    add_param(st, "nnz", "", n);
    add_param(st, "feat_size", "", FEATURES);
}

static void
run(setting *st, const sb_prog *p, float *out)
{
    for (int q = 0; q < SIDE * FEATURES; q++)
        st->c[q] = 99;
    if (ir_run(&st->lab, p, st->bind) != SB_OK)
        fail_msg("%s", st->lab.diag.text);
    memcpy(out, st->c, SIDE * FEATURES * sizeof *out);
}

static int
count(const sb_prog *p, const char *stem)
{
    int n = 0;

    for (int q = 0; q < p->body.n; q++)
        n += strncmp(p->body.at[q]->u.iter.name, stem, strlen(stem)) == 0;
    return n;
}

static void
check(setting *st, const char *folder, int parts)
{
    static float want[SIDE * FEATURES], got[SIDE * FEATURES];
    const sb_prog *p[5] = {NULL};
    ir_lab *lab = &st->lab;

    p[0] = ir_lab_parse(lab, read_golden(st, folder, "1.sb"), true);
    if (sb_pass_decompose(&p[1], &lab->ir, p[0], read_golden(st, folder, "rules"),
                          true) != SB_OK ||
        sb_prog_verify(p[1], &lab->diag) != SB_OK ||
        sb_pass_lower_iter(&p[2], &lab->ir, p[1]) != SB_OK ||
        sb_pass_lower_buf(&p[3], &lab->ir, p[2]) != SB_OK)
        fail_msg("%s: %s", folder, lab->diag.text);
    p[4] = ir_lab_parse(lab, read_golden(st, folder, "3.sb"), true);
    assert_int_equal(p[1]->body.n, 2 * parts + 1);
    assert_int_equal(count(p[1], "copy_"), parts);
    assert_int_equal(count(p[1], "csrmm_init"), 1);
    assert_int_equal(count(p[1], "csrmm_"), parts + 1);
    run(st, p[0], want);
    for (int q = 1; q < 5; q++) {
        run(st, p[q], got);
        assert_memory_equal(want, got, sizeof want);
    }
}

static setting *
open_setting(uint64_t seed)
{
    setting *st = calloc(1, sizeof *st);

    assert_non_null(st);
    ir_lab_init(&st->lab);
    st->rng.state = seed;
    return st;
}

static void
close_setting(setting *st)
{
    ir_lab_free(&st->lab);
    free(st);
}

static void
test_three_block_sizes(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 3; seed++) {
        setting *st = open_setting(seed);

        add_bsr(st, 32, "32", 3);
        add_bsr(st, 16, "16", 4);
        add_bsr(st, 4, "4", 6);
        add_whole(st);
        check(st, "sparsetir_rfc_bsr", 3);
        close_setting(st);
    }
}

static void
test_blocks_and_rows(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 3; seed++) {
        setting *st = open_setting(seed);

        add_bsr(st, 2, "2", 8);
        add_ell(st);
        add_whole(st);
        check(st, "sparsetir_fig5", 2);
        close_setting(st);
    }
}

static void
test_hyb(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 3; seed++) {
        setting *st = open_setting(seed);

        add_hyb_columns(st, 1);
        add_hyb_columns(st, 2);
        add_whole(st);
        check(st, "sparsetir_hyb22", 6);
        close_setting(st);
    }
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_three_block_sizes),
        cmocka_unit_test(test_blocks_and_rows),
        cmocka_unit_test(test_hyb),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
