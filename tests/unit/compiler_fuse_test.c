/*
 * Horizontal fusion: programs over parts as one tile walk, shared and own names,
 * tile_base, refusals.
 */
#include "irworld.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

static const char schedule_csr[] = "reorder %i %c %pj\nsplit %c 4 -> %c0 %c1 tail\n"
                                   "cache_write $C at %c0 as $acc\nreorder %pj %c1\n"
                                   "vectorize %c1\nparallel %i\n";
static const char schedule_rows[] = "reorder %pr %c %pe\nparallel %pr\n";

static const sb_prog *
part(ir_bench *b, const char *text, const char *rules, const char *schedule)
{
    const sb_prog *p = ir_bench_parse(b, text), *q = NULL;

    if ((rules && sb_pass_decompose(&p, &b->ir, p, rules, false) != SB_OK) ||
        sb_pipeline_run(&q, &b->ir, p, schedule, NULL, NULL) != SB_OK)
        fail_msg("%s", b->diag.text);
    return q;
}

/* Rows [0, cut) by one kind, the others by lists, which run backwards. */
static void
cut_tiles(ir_world *w, int64_t cut)
{
    const int64_t tiles[3][4] = {
        {1, 0, w->m - cut, 0}, {0, 0, cut / 2, 0}, {0, cut / 2, cut, 0}};

    memcpy(w->tile, tiles, sizeof tiles);
    w->ntile = 3;
}

static void
test_two_parts(void **state)
{
    const sb_prog *in[2], *fused = NULL, *whole;
    sb_strbuf text;
    ir_bench b;

    (void)state;
    ir_bench_open(&b);
    whole = ir_bench_parse(&b, ir_spmm);
    in[0] = part(&b, ir_spmm, NULL, schedule_csr);
    in[1] = part(&b, ir_spmm, ir_rule_rows, schedule_rows);
    assert_int_equal(sb_pass_fuse(&fused, &b.ir, "both", 2, in), SB_OK);
    if (sb_prog_verify(fused, &b.diag) != SB_OK)
        fail_msg("%s", b.diag.text);
    assert_string_equal(fused->name, "both");
    assert_string_equal(fused->param[fused->nparam - 2]->name, "t0");
    assert_string_equal(fused->param[fused->nparam - 1]->name, "t1");
    assert_string_equal(fused->buf[fused->nbuf - 1]->name, "tile");
    assert_int_equal(fused->nbuf, 5 + 3 + 1); /* shared ones once */
    text = ir_text(fused);
    assert_non_null(strstr(text.s, "for %t in %t0 .. %t1 parallel"));
    assert_non_null(strstr(text.s, "if %tile_kind == 0"));
    assert_null(strstr(text.s, "tile_base"));
    sb_strbuf_free(&text);
    for (uint64_t seed = 0; seed < 20; seed++) {
        ir_world w;

        ir_world_make(&w, seed, 4 + (int64_t)(seed % 5), (int64_t)(seed % 11), 6, 1);
        cut_tiles(&w, (int64_t)(seed % 5));
        assert_true(ir_world_same(&w, whole, fused));
        ir_world_free(&w);
    }
    ir_bench_close(&b);
}

static const char shifted[] = "prog @shifted stage 3 {\n"
                              "  param %m : i64\n"
                              "  param %tile_base : i64\n"
                              "  buf $C : f32[%m] inout\n"
                              "  for %i in 0 .. %m parallel {\n"
                              "    $C[%i] = cast(f32, %tile_base + %i)\n"
                              "  }\n"
                              "}\n";

static void
test_tile_base(void **state)
{
    const sb_prog *p, *fused = NULL;
    const int64_t tiles[2][4] = {{0, 0, 2, 10}, {0, 2, 4, 20}};
    ir_result r;
    ir_world w;
    ir_bench b;

    (void)state;
    ir_bench_open(&b);
    p = ir_bench_parse(&b, shifted);
    assert_int_equal(sb_pass_fuse(&fused, &b.ir, "one", 1, &p), SB_OK);
    assert_int_equal(fused->nparam, 3);
    ir_world_make(&w, 1, 4, 1, 4, 1);
    memcpy(w.tile, tiles, sizeof tiles);
    w.ntile = 2;
    r = ir_world_run(&w, fused);
    assert_int_equal(r.st, SB_OK);
    assert_true(r.v[0] == 10 && r.v[1] == 11 && r.v[2] == 22 && r.v[3] == 23);
    ir_result_free(&r);
    ir_world_free(&w);
    ir_bench_close(&b);
}

static void
test_refusals(void **state)
{
    static const char two_loops[] = "prog @two stage 3 {\n  param %m : i64\n"
                                    "  buf $C : f32[%m] inout\n"
                                    "  for %i in 0 .. %m {\n    $C[%i] = 1.0\n  }\n"
                                    "  for %i in 0 .. %m {\n    $C[%i] = 2.0\n  }\n}\n";
    static const char other_type[] =
        "prog @other stage 3 {\n  param %m : i64\n"
        "  buf $C : f64[%m] inout\n"
        "  for %i in 0 .. %m {\n    $C[%i] = 1.0\n  }\n}\n";
    const sb_prog *in[2], *out;
    ir_bench b;

    (void)state;
    ir_bench_open(&b);
    in[0] = ir_bench_parse(&b, shifted);
    in[1] = ir_bench_parse(&b, two_loops);
    assert_int_equal(sb_pass_fuse(&out, &b.ir, "x", 2, in), SB_EINVAL);
    assert_null(out);
    assert_non_null(strstr(b.diag.text, "outermost loop"));
    sb_diag_clear(&b.diag);
    in[1] = ir_bench_parse(&b, other_type);
    assert_int_equal(sb_pass_fuse(&out, &b.ir, "x", 2, in), SB_EINVAL);
    assert_non_null(strstr(b.diag.text, "$C"));
    sb_diag_clear(&b.diag);
    assert_int_equal(sb_pass_fuse(&out, &b.ir, "x", 0, in), SB_EINVAL);
    sb_diag_clear(&b.diag);
    in[1] = ir_bench_parse(&b, ir_spmm);
    assert_int_equal(sb_pass_fuse(&out, &b.ir, "x", 2, in), SB_EINVAL);
    ir_bench_close(&b);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_two_parts),
        cmocka_unit_test(test_tile_base),
        cmocka_unit_test(test_refusals),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
