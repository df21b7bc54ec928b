/*
 * docs/kernels-howto.md does what it says: each of its blocks is run.
 */
#include "base/alloc.h"
#include "base/macro.h"
#include "cpu/cpu.h"
#include "gen.h"
#include "kernels/format_program.h"
#include "kernels/lower.h"
#include "kernels/operations.h"
#include "named.h"
#include "planner/format_plan.h"
#include "runtime/backend.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- the page ------------------------------------------------------------------------- */

enum { BLOCKS = 32 };

typedef struct block {
    char kind[24];
    const char *text;
    size_t len;
    int line;
} block;

static char *page;
static block blocks[BLOCKS];
static int nblock;

static void
read_page(void)
{
    FILE *in = fopen(SB_SOURCE_DIR "/docs/kernels-howto.md", "rb");
    size_t n = 0, got;
    int line = 1;
    char *s;

    assert_non_null(in);
    page = NULL;
    do {
        page = realloc(page, n + 4097);
        assert_non_null(page);
        got = fread(page + n, 1, 4096, in);
        n += got;
    } while (got > 0);
    (void)fclose(in);
    page[n] = '\0';
    for (s = page; *s;) {
        char *end = strchr(s, '\n');
        block *b = &blocks[nblock];

        line++;
        if (strncmp(s, "```", 3) == 0) {
            assert_true(++nblock <= BLOCKS && end);
            (void)snprintf(b->kind, sizeof b->kind, "%.*s", (int)(end - s - 3), s + 3);
            b->text = end + 1;
            b->line = line;
            s = strstr(b->text, "\n```\n");
            assert_non_null(s);
            b->len = (size_t)(s + 1 - b->text);
            for (const char *c = b->text; c < s + 1; c++)
                line += *c == '\n';
            line++;
            end = s + 4;
        }
        s = end ? end + 1 : s + strlen(s);
    }
}

static const block *
next_block(int q, const char *kind)
{
    if (q + 1 >= nblock || strcmp(blocks[q + 1].kind, kind) != 0)
        fail_msg("line %d: a block %s should follow", blocks[q].line, kind);
    return &blocks[q + 1];
}

static void
check_text(const block *b, const sb_prog *p)
{
    sb_strbuf text;

    sb_strbuf_init(&text);
    assert_int_equal(sb_prog_print(&text, p), SB_OK);
    if (text.len != b->len || memcmp(text.s, b->text, b->len) != 0)
        fail_msg("the block at line %d should be\n%s", b->line, text.s);
    sb_strbuf_free(&text);
}

static const sb_prog *
parse(sb_ir *ir, const char *text, size_t len)
{
    const sb_prog *p = NULL;

    if (sb_prog_parse(&p, ir, text, len) != SB_OK ||
        sb_prog_verify(p, ir->diag) != SB_OK)
        fail_msg("%s\n%.*s", ir->diag->text, (int)len, text);
    return p;
}

/* ---- operation ------------------------------------------------------------------------- */

/* The line "key: value" of a block, or the first line for key NULL. */
static char *
value_of(const block *b, const char *key)
{
    char text[512], *line, *rest = text, *out = NULL;

    (void)snprintf(text, sizeof text, "%.*s", (int)b->len, b->text);
    while (!out && (line = strtok_r(rest, "\n", &rest)) != NULL) {
        const size_t n = key ? strlen(key) : 0;

        if (!key)
            out = strdup(line);
        else if (strncmp(line, key, n) == 0 && line[n] == ':')
            out = strdup(line + n + 2);
    }
    return out;
}

static void
run_operation(int q, sb_ir *ir)
{
    char *name = value_of(&blocks[q], NULL), *add = value_of(&blocks[q], "sum"),
         *mul = value_of(&blocks[q], "product"), *map = value_of(&blocks[q], "element");
    const sb_operation_args args = {SB_F32, SB_I32, SB_I32, add, mul, map};
    sb_strbuf text;

    sb_strbuf_init(&text);
    if (sb_operation_text(&text, name, &args, ir->diag) != SB_OK)
        fail_msg("line %d: %s", blocks[q].line, ir->diag->text);
    check_text(next_block(q, "sb"), parse(ir, text.s, text.len));
    sb_strbuf_free(&text);
    free(name);
    free(add);
    free(mul);
    free(map);
}

/* ---- schedule -------------------------------------------------------------------------- */

/* One matrix and dense operands under every name the page uses. */
static void
make_operands(named *s)
{
    enum { M = 21, N = 17, K = 17, LEN = 19 };
    gen_rng r = {5};
    int64_t nnz = 0;
    int32_t *ptr = named_new(s, "A_ptr", SB_I32, M + 1);
    int32_t *crd = named_new(s, "A_crd", SB_I32, M * N);
    static const struct {
        const char *name;
        int64_t count;
    } dense[] = {{"A", M * N}, {"B", K},       {"C", M},
                 {"S", M * N}, {"X", M * LEN}, {"Y", LEN * N}};

    for (int64_t i = 0; i < M; i++) {
        for (int32_t j = 0; j < N; j++)
            if (gen_below(&r, 3) == 0)
                crd[nnz++] = j;
        ptr[i + 1] = (int32_t)nnz;
    }
    for (int q = 0; q < SB_COUNT(dense); q++) {
        float *v = named_new(s, dense[q].name, SB_F32, dense[q].count);

        for (int64_t p = 0; p < dense[q].count; p++)
            v[p] = (float)gen_between(&r, -3, 3);
    }
    named_put(s, "m", M);
    named_put(s, "n", N);
    named_put(s, "k", K);
    named_put(s, "nnz", nnz);
}

/* What stands in the buffers a program writes. */
static sb_strbuf
outputs(const named *s, const sb_prog *p)
{
    sb_strbuf out;

    sb_strbuf_init(&out);
    for (int q = 0; q < p->nbuf; q++) {
        const named_array *a = named_find(s, p->buf[q]->name);

        if (p->buf[q]->role == SB_BUF_OUT)
            sb_strbuf_putn(&out, a->data, (size_t)a->count * sb_dtype_size(a->type));
    }
    return out;
}

static void
check_outputs(const named *s, const sb_prog *p, const sb_strbuf *want, const char *what)
{
    sb_strbuf got = outputs(s, p);

    if (got.len != want->len || memcmp(got.s, want->s, got.len) != 0)
        fail_msg("@%s: %s differs", p->name, what);
    sb_strbuf_free(&got);
}

static void
run_schedule(int q, sb_ir *ir)
{
    const block *sb = q > 0 ? &blocks[q - 1] : NULL, *b = &blocks[q];
    const sb_prog *p, *flat;
    char *schedule = strndup(b->text, b->len);
    sb_strbuf want, taken;
    named s = {0};

    assert_true(sb && strcmp(sb->kind, "sb") == 0 && schedule);
    p = parse(ir, sb->text, sb->len);
    sb_strbuf_init(&taken);
    assert_int_equal(sb_lower_wished(&flat, ir, p, schedule, &taken), SB_OK);
    assert_string_equal(taken.s, schedule);
    make_operands(&s);
    named_interpret(&s, p);
    want = outputs(&s, p);
    assert_true(want.len > 0);
    for (int r = 0; r < p->nbuf; r++)
        if (p->buf[r]->role == SB_BUF_OUT)
            memset(named_find(&s, p->buf[r]->name)->data, 0, 1);
    named_interpret(&s, flat);
    check_outputs(&s, p, &want, "the lowered program");
    if (named_compile_run(&s, flat))
        check_outputs(&s, p, &want, "its C");
    sb_strbuf_free(&want);
    sb_strbuf_free(&taken);
    named_free(&s);
    free(schedule);
}

/* ---- format ------------------------------------------------------------------------------ */

/* SpMV of a random matrix in the format against its rows. */
static void
run_product(const sb_fmt *f, const gen_spec *spec)
{
    sb_matrix a = gen_matrix(spec);
    const gen_dense_spec x = {
        .rows = a.cols, .cols = 1, .type = SB_F32, .integer = true};
    const gen_dense_spec y = {
        .rows = a.rows, .cols = 1, .type = SB_F32, .poison = true};
    sb_problem pb = {.op = SB_OP_SPMV,
                     .a = a,
                     .b = gen_dense(&x),
                     .c = gen_dense(&y),
                     .compute = SB_F32,
                     .alpha = {2, 0},
                     .batch = 1};
    float *want = calloc((size_t)a.rows + 1, sizeof *want);
    sb_diag diag = {SB_OK, ""};
    sb_tensor t;
    sb_view v;

    assert_non_null(want);
    assert_int_equal(sb_view_make(&v, &a, false, NULL), SB_OK);
    if (sb_tensor_from_view(&t, f, &v, a.val, SB_F32, false, NULL, &diag) != SB_OK ||
        sb_format_compute(&t, &pb, &diag) != SB_OK)
        fail_msg("%s: %s", f->name, diag.text);
    for (int64_t i = 0; i < a.rows; i++)
        for (int64_t p = sb_view_lo(&v, i); p < sb_view_lo(&v, i + 1); p++)
            want[i] +=
                2 * ((float *)a.val)[p] * ((float *)pb.b.data)[sb_view_col(&v, p)];
    for (int64_t i = 0; i < a.rows; i++)
        if (((float *)pb.c.data)[i] != want[i])
            fail_msg("%s: row %lld is %g, not %g", f->name, (long long)i,
                     ((float *)pb.c.data)[i], want[i]);
    sb_tensor_free(&t);
    sb_view_free(&v);
    gen_free_matrix(&a);
    gen_free_dense(&pb.b);
    gen_free_dense(&pb.c);
    free(want);
}

static void
run_format(int q, sb_ir *ir)
{
    static const gen_spec specs[] = {
        {.family = GEN_UNIFORM,
         .rows = 23,
         .cols = 14,
         .density = 0.2,
         .integer = true},
        {.family = GEN_BANDED, .rows = 9, .cols = 30, .integer = true},
        {.family = GEN_EMPTY, .rows = 4, .cols = 3, .integer = true}};
    char *line = strndup(blocks[q].text, blocks[q].len);
    sb_format_op op = {.spec = {.op = SB_KOP_SPMV,
                                .a = SB_F32,
                                .b = SB_F32,
                                .c = SB_F32,
                                .compute = SB_F32,
                                .ptr = SB_I32,
                                .idx = SB_I32}};
    sb_format_facts facts;
    sb_strbuf text, wishes;

    if (sb_fmt_parse(&op.fmt, ir->arena, line, ir->diag) != SB_OK)
        fail_msg("line %d: %s", blocks[q].line, ir->diag->text);
    sb_strbuf_init(&text);
    sb_strbuf_init(&wishes);
    assert_int_equal(sb_format_text(&text, &wishes, &facts, &op, ir->diag), SB_OK);
    check_text(next_block(q, "sb"), parse(ir, text.s, text.len));
    for (int k = 0; k < SB_COUNT(specs); k++)
        run_product(op.fmt, &specs[k]);
    sb_strbuf_free(&text);
    sb_strbuf_free(&wishes);
    free(line);
}

/* ---- all ------------------------------------------------------------------------------- */

static void
test_blocks(void **state)
{
    int ran[4] = {0};

    (void)state;
    sb_backend_set(&sb_cpu_backend);
    read_page();
    for (int q = 0; q < nblock; q++) {
        sb_diag diag = {SB_OK, ""};
        sb_arena ar;
        sb_ir ir;

        sb_arena_init(&ar);
        sb_ir_init(&ir, &ar, &diag);
        if (strcmp(blocks[q].kind, "operation") == 0)
            run_operation(q, &ir), ran[0]++;
        else if (strcmp(blocks[q].kind, "sb") == 0)
            check_text(&blocks[q], parse(&ir, blocks[q].text, blocks[q].len)), ran[1]++;
        else if (strcmp(blocks[q].kind, "schedule") == 0)
            run_schedule(q, &ir), ran[2]++;
        else if (strcmp(blocks[q].kind, "format") == 0)
            run_format(q, &ir), ran[3]++;
        else
            fail_msg("line %d: a block %s", blocks[q].line, blocks[q].kind);
        sb_arena_free(&ar);
    }
    for (int q = 0; q < 4; q++)
        assert_true(ran[q] > 0);
    free(page);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_blocks)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
