/*
 * Schedules: every primitive keeps the meaning, makes the shape docs/schedules.md says,
 * and what does not fit is refused with a reason and changes nothing.
 */
#include "irworld.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

/* The program after rules, ready for stage `stage`. */
static const sb_prog *
prepare(ir_bench *b, const char *text, const char *rules, int stage)
{
    const sb_prog *p = ir_bench_parse(b, text);

    if (rules && sb_pass_decompose(&p, &b->ir, p, rules, false) != SB_OK)
        fail_msg("%s", b->diag.text);
    if (stage == 2 && p->stage == 1 && sb_pass_lower_iter(&p, &b->ir, p) != SB_OK)
        fail_msg("%s", b->diag.text);
    return p;
}

static const sb_prog *
apply(ir_bench *b, const sb_prog *p, const char *schedule)
{
    const sb_prog *q = NULL;

    if (sb_schedule_apply(&q, &b->ir, p, schedule) != SB_OK ||
        sb_prog_verify(q, &b->diag) != SB_OK)
        fail_msg("%s\n%s", schedule, b->diag.text);
    return q;
}

/* Equal results before and after, on stage II and flattened. */
static void
check_meaning(ir_bench *b, const sb_prog *before, const sb_prog *after)
{
    const sb_prog *flat = NULL;

    if (sb_pass_lower_buf(&flat, &b->ir, after) != SB_OK ||
        sb_pass_hoist(&flat, &b->ir, flat) != SB_OK ||
        sb_pass_narrow(&flat, &b->ir, flat) != SB_OK ||
        sb_prog_verify(flat, &b->diag) != SB_OK)
        fail_msg("%s", b->diag.text);
    for (uint64_t seed = 0; seed < 16; seed++) {
        ir_world w;

        ir_world_make(&w, seed, 1 + (int64_t)(seed % 6), (int64_t)(seed * 3 % 14),
                      1 + (int64_t)(seed % 7), 2);
        assert_true(ir_world_same(&w, before, after));
        assert_true(ir_world_same(&w, before, flat));
        ir_world_free(&w);
    }
}

static void
assert_in_order(const sb_prog *p, const char *lines)
{
    sb_strbuf text = ir_text(p);
    const char *at = text.s;
    char line[200];

    while (*lines) {
        const size_t n = strcspn(lines, "|");
        const char *found;

        memcpy(line, lines, n);
        line[n] = '\0';
        found = strstr(at, line);
        if (!found)
            fail_msg("no '%s' in the rest of\n%s", line, text.s);
        at = found + 1;
        lines += n + (lines[n] == '|');
    }
    sb_strbuf_free(&text);
}

typedef struct good {
    const char *program, *rules, *schedule;
    const char *shape; /* lines in this order, separated by | */
} good;

static const good accepted[] = {
    {ir_spmm, NULL, "reorder %i %c %pj\n",
     "for %i in|for %c in|$C[%i, %c] = |for %pj in|let %j|$C[%i, %c] +="},
    {ir_spmm, NULL, "split %c 4 -> %c0 %c1\n",
     "for %c0 in 0 .. (%n + 3) / 4|for %c1 in 0 .. min(4, %n - %c0 * 4)"},
    {ir_spmm, NULL, "split %c 4 -> %c0 %c1 tail\n",
     "for %c0 in 0 .. %n / 4|for %c1 in 0 .. 4 {|for %c0 in %n / 4 .. (%n + 3) / 4|for "
     "%c1 in 0 .. %n mod 4"},
    {ir_spmm, NULL, "split %pj 2 -> %p0 %p1\n",
     "for %p0 in 0 .. |reduce|for %p1 in|min("},
    {ir_spmm, NULL, "split %i 1 -> %i0 %i1\nunroll %i1\n", "for %i1 in 0 .. 1 unroll"},
    {ir_spmm, ir_rule_bsr, "fuse %ji %c -> %f\n",
     "for %f in 0 .. 2 * %n reduce|let %ji|= %f / %n|let %c|= %f mod %n"},
    {ir_spmm, ir_rule_bsr, "split %ji 2 -> %a %b tail\nunroll %b\n",
     "for %a in 0 .. 1 reduce|for %b in 0 .. 2 unroll reduce"},
    {ir_spmm, NULL, "split %c 4 -> %c0 %c1\nvectorize %c1\n",
     "vector(4)|reduce|vector(4)"},
    {ir_spmm, NULL, "parallel %i\n", "for %i in 0 .. %m parallel"},
    {ir_spmm, NULL,
     "reorder %i %c %pj\nsplit %c 4 -> %c0 %c1 tail\ncache_write $C at %c0 as $acc\n"
     "reorder %pj %c1\nvectorize %c1\nprefetch $B at %pj ahead 3\nstream $C\n"
     "parallel %i\n",
     "for %i in 0 .. %m parallel|for %c0 in|local $acc : f32[4]|vector(4)|$acc[%c1] = "
     "0.0|for %pj in|reduce|prefetch $B[|let %j|for %c1 in 0 .. 4 vector(4)|$acc[%c1] "
     "+= $A[%i, %pj] * $B[|%alpha * $acc[%c1] + select(|for %c0 in|local $acc : "
     "f32[4]"},
    {ir_spmm, NULL,
     "reorder %i %c %pj\nsplit %c 4 -> %c0 %c1 tail\ncache_write $C at %c0 as $acc\n"
     "reorder %pj %c1\nprefetch $B at %pj ahead 3\nrfactor %pj 2 -> %u as $part\n"
     "unroll %u\nvectorize %c1\nparallel %i\n",
     "local $acc : f32[4]|local $part : f32[2, 4]|for %u in 0 .. 2 unroll|$part[%u, "
     "%c1] = 0.0|/ 2 reduce|for %u in 0 .. 2 unroll|prefetch $B[|let %j|vector(4)|"
     "$part[%u, %c1] += |reduce|$part[0, %c1] += |$acc[%c1] += $part[0, %c1] + "
     "$part[1, %c1]|%alpha * $acc[%c1]"},
    {ir_spmm, NULL,
     "reorder %i %c %pj\nsplit %c 2 -> %c0 %c1\ncache_write $C at %c0 as $acc\n"
     "reorder %pj %c1\nrfactor %pj 8 -> %u as $part\n",
     "local $part : f32[8, 2]|/ 8 reduce|$acc[%c1] += $part[0, %c1] + $part[4, %c1] + "
     "($part[2, %c1] + $part[6, %c1]) + ("},
    {ir_spmm, NULL,
     "reorder %i %c %pj\nsplit %c 4 -> %c0 %c1 tail\ncache_write $C at %c0 as $acc\n"
     "reorder %pj %c1\nprefetch $B at %pj ahead 3\nrfactor %pj 2 -> %u as $part\n"
     "vectorize %c1\njam %u\nparallel %i\n",
     "$part[0, %c1] = 0.0|$part[1, %c1] = 0.0|/ 2 reduce|prefetch $B[|let "
     "%j_0|prefetch "
     "$B[|let %j_1|vector(4)|$part[0, %c1] += |$part[1, %c1] += |reduce|let %j "},
    {ir_spmm, NULL,
     "reorder %i %c %pj\nsplit %c 4 -> %c0 %c1 tail\ncache_write $C at %c0 as $acc\n"
     "reorder %pj %c1\nsplit %pj 3 -> %p0 %u tail\nvectorize %c1\njam %u\n",
     "for %p0 in|let %j_0|let %j_1|let %j_2|for %c1 in 0 .. 4 vector(4)|$acc[%c1] += |"
     "$acc[%c1] += |$acc[%c1] += |for %p0 in|for %u in"},
    {ir_spmm, NULL, "reorder %i %c %pj\ncache_write $C at %c as $acc\n",
     "local $acc : f32[1]|$acc[0] = 0.0|for %pj|$acc[0] +=|%alpha * $acc[0] + select"},
    {ir_spmm, NULL,
     "reorder %i %c %pj\nsplit %pj 3 -> %p0 %p1\ncache_write $C at %p0 as $acc\n",
     "for %p0|local $acc|$acc[0] = 0.0|for %p1|$acc[0] +=|$C[%i, %c] += %alpha * $acc"},
    {ir_spmv, NULL,
     "cache_write $C at %i as $acc\nrfactor %pj 4 -> %l as $part\nvectorize %l\n"
     "parallel %i\n",
     "local $acc|local $part : f64[4]|vector(4)|/ 4 reduce|vector(4)|mod 4 "
     "vector(4)|for %l in 0 .. 2 vector(2)|$acc[0] += $part[0] + $part[1]"},
    {ir_spmv, NULL, "rfactor %pj 8 -> %l as $part\nprefetch $B at %pj ahead 2\n",
     "prefetch $B|$C[%i] += $part[0] + $part[1]"},
    {ir_spmm, NULL, "prefetch $B at %pj ahead 3\n",
     "for %pj in|prefetch $B[cast(i64, $A_crd[min(cast(i64, $A_ptr[%i]) + %pj + 3, "
     "cast(i64, $A_ptr[%i + 1]) - 1)"},
    {ir_spmm, NULL, "prefetch $B at %pj ahead 64 far\n",
     "for %pj in|prefetch far $B[cast(i64, $A_crd[min(cast(i64, $A_ptr[%i]) + %pj + "
     "64 - %base, %nnz - 1)"},
    {ir_spmm, NULL, "prefetch $B at %pj ahead 63 far\n", /* into L1 */
     "for %pj in|prefetch $B[cast(i64, $A_crd[min(cast(i64, $A_ptr[%i]) + %pj + 63 "
     "- %base, %nnz - 1)"},
    {ir_spmm, NULL,
     "reorder %i %c %pj\nsplit %c 32 -> %c0 %c1 tail\nreorder %pj %c1\n"
     "prefetch_last $B at %pj of %i ahead %ldb\n",
     "for %c0 in|if 0 < %ldb {|if 0 < cast(i64, $A_ptr[min(%i + %ldb, %m - 1) + 1]) - "
     "cast(i64, $A_ptr[min(%i + %ldb, %m - 1)]) {|prefetch $B[cast(i64, "
     "$A_crd[cast(i64, $A_ptr[min(%i + %ldb, %m - 1) + 1]) - %base - 1]) - %base, %c0 "
     "* "
     "32]|prefetch $B[|%c0 * 32 + 16]|}|for %pj in|for %c0 in|if 0 < %ldb|for %pj in"},
    {ir_spmm, NULL,
     "prefetch_list $A at %pj ahead %ldb\nprefetch_list $A_crd at %pj ahead %ldb\n",
     "if 0 < %ldb {|for %ask_A in 0 .. (|+ 15 - |) / 16 {|prefetch $A[%i, %ask_A * 16 "
     "+ "
     "%ldb]|}|if 0 < %ldb {|for %ask_A_crd in|prefetch $A_crd[|}|for %pj in"},
    {ir_sddmm, NULL,
     "cache_write $A at %pj as $acc\nrfactor %c 4 -> %l as $part\nvectorize %l\n"
     "parallel %i\n",
     "parallel|for %pj|local $acc|$part[%l] += $X[%i, |%alpha * $acc[0] + select("},
    {ir_spmm, ir_rule_rows,
     "reorder %pr %c %pe\nsplit %c 4 -> %c0 %c1 tail\ncache_write $C at %c0 as $acc\n"
     "reorder %pe %c1\nvectorize %c1\nparallel %pr\n",
     "for %pr in 0 .. %rows_count parallel|let %r|for %c0"},
    {ir_spmv, ir_rule_rows, "cache_write $C at %pr as $acc\nparallel %pr\n", NULL},
    {ir_spmm, ir_rule_pad,
     "reorder %pr %c %pe\nsplit %c 4 -> %c0 %c1\ncache_write $C at %c0 as $acc\n"
     "reorder %pe %c1\nvectorize %c1\n",
     "if cast(i64, $ell_crd["},
    {ir_spmm, ir_rule_bsr,
     "reorder %io %c %ii %pjo %ji\nsplit %c 4 -> %c0 %c1 tail\nreorder %ii %c1\n"
     "cache_write $C at %c0 as $acc\nreorder %pjo %ji %ii %c1\nvectorize %c1\n"
     "unroll %ii\nunroll %ji\nparallel %io\n",
     "for %io in 0 .. %m / 2 parallel|local $acc : f32[2, "
     "4]|unroll|vector(4)|reduce|for "
     "%ji in 0 .. 2 unroll reduce|for %ii in 0 .. 2 unroll|for %c1 in 0 .. 4 "
     "vector(4)"},
    {ir_spmm_dia, NULL,
     "reorder %i %c %d\nsplit %c 4 -> %c0 %c1 tail\ncache_write $C at %c0 as $acc\n"
     "reorder %d %c1\nvectorize %c1\nparallel %i\n",
     "if cast(i64, $dia_pos["},
    {ir_spmm_coo, NULL, "split %c 4 -> %c0 %c1\nvectorize %c1\n", NULL},
};

static void
test_accepted(void **state)
{
    (void)state;
    for (int q = 0; q < SB_COUNT(accepted); q++) {
        const good *g = &accepted[q];
        const sb_prog *p, *s;
        ir_bench b;

        ir_bench_open(&b);
        p = prepare(&b, g->program, g->rules, 2);
        s = apply(&b, p, g->schedule);
        check_meaning(&b, p, s);
        if (g->shape)
            assert_in_order(s, g->shape);
        ir_bench_close(&b);
    }
}

/* A sum into a type that is only stored. */
static const char half[] = "prog @half stage 1 {\n"
                           "  param %n : i64\n"
                           "  axis #O = dense_fixed(2)\n"
                           "  axis #I = dense_fixed(%n)\n"
                           "  buf $x : f16[#I] in\n"
                           "  buf $y : f16[#O] inout\n"
                           "  iter sum (%o : S #O, %i : R #I) {\n"
                           "    $y[%o] += $x[%i]\n"
                           "  }\n"
                           "}\n";

/* Lists that no later place can be read of: the first is read from its end, the second names
 * places of itself. */
#define LISTS(at)                                                                  \
    "prog @lists stage 2 {\nparam %n : i64\nbuf $list : i64[%n] aux\nbuf $B : "    \
    "f32[%n] "                                                                     \
    "in\nbuf $C : f32[1] inout\nfor %q in 0 .. %n reduce {\n$C[0] += $B[$list[" at \
    "]]\n}\n}\n"
/* Read along %p, but not one element behind the other. */
#define SLIDE(at)                                                                  \
    "prog @slide stage 2 {\n  param %n : i64\n  param %d : i64\n"                  \
    "  buf $a : f32[2 * %n] in\n  buf $c : f32[%n] inout\n  for %p in 0 .. %n {\n" \
    "    for %q in 0 .. 4 reduce { $c[%p] += $a[" at "] }\n  }\n}\n"
static const char ir_backwards[] = LISTS("%n - 1 - %q"),
                  ir_two_lists[] = LISTS("$list[%q]"), ir_sliding[] = SLIDE("%p + %q"),
                  ir_winding[] = SLIDE("%p + %p mod 3");

static const struct {
    const char *program;
    int stage;
    const char *schedule, *why;
} refused[] = {
    {half, 2, "rfactor %i 4 -> %l as $part", "would be computed in f16"},
    {ir_spmm, 2, "frobnicate %i", "no primitive"},
    {ir_spmm, 2, "split %c 4 -> %c0", "must read"},
    {ir_spmm, 2, "split %c four -> %c0 %c1", "must read"},
    {ir_spmm, 2, "split $C 4 -> %c0 %c1", "must read"},
    {ir_spmm, 2, "split %c 4 -> %c0 %c1 tails", "must read"},
    {ir_spmm, 2, "split %x 4 -> %c0 %c1", "no loop %x"},
    {ir_spmm, 2, "split %c 0 -> %c0 %c1", "factor"},
    {ir_spmm, 2, "split %c 4 -> %i %c1", "in use"},
    {ir_spmm, 2, "split %c 4 -> %c0 %c1\nvectorize %c1\nsplit %c1 2 -> %a %b",
     "marked"},
    {ir_spmm, 2, "sparse_reorder spmm %i %c %j", "stage 1"},
    {ir_spmm, 1, "split %c 4 -> %c0 %c1", "stage 2"},
    {ir_spmm, 1, "sparse_reorder spmm %j %i %c", "before its parent"},
    {ir_spmm, 1, "sparse_reorder spmm %i %c", "must be named"},
    {ir_spmm, 1, "sparse_reorder spmm %i %c %c", "no (other) iterator"},
    {ir_spmm, 1, "sparse_reorder nothing %i %c %j", "no iteration"},
    {ir_spmm, 1, "sparse_fuse spmm %i %j", "stay apart"},
    {ir_spmm, 1, "sparse_fuse spmm %j %c", "parent"},
    {ir_spmm, 2, "reorder %pj %i", "depend on %i"},
    {ir_spmm, 2, "reorder %c", "at least two"},
    {ir_spmm, 2, "reorder %c %c", "twice"},
    {ir_spmm, 2, "reorder %i %zz", "no nest"},
    {ir_spmm, 2, "fuse %i %pj -> %f", "not alone"},
    {ir_spmm, 2, "reorder %i %c %pj\nsplit %c 3 -> %c0 %c1\nfuse %c0 %c1 -> %f",
     "use %c0"},
    {ir_spmm, 2, "unroll %c", "constant trip count"},
    {ir_spmm, 2, "vectorize %c", "constant bound"},
    {ir_spmm, 2, "vectorize %i", "not innermost"},
    {ir_spmm, 2, "split %pj 4 -> %p0 %p1\nreorder %c %p1\nvectorize %p1", "could meet"},
    {ir_spmm, 2, "parallel %pj", "not outermost"},
    {ir_spmm, 2, "parallel %i\nparallel %i", "marked"},
    {ir_spmm_coo, 2, "parallel %pr", "could meet"},
    {ir_spmm, 2, "cache_write $D at %i as $acc", "no buffer"},
    {ir_spmm, 2, "cache_write $A at %i as $acc", "is read"},
    {ir_spmv, 2, "cache_write $A_ptr at %i as $acc", "is read"},
    {ir_spmm, 2, "reorder %c %i", "not one nest"},
    {ir_spmm, 2, "cache_write $C at %i as $B", "in use"},
    {ir_spmm, 2, "split %i 2 -> %i0 %i1\ncache_write $C at %i0 as $acc",
     "not a constant"},
    {ir_spmm, 2, "cache_write $C at %i as $acc", "not a constant"},
    {ir_spmm, 2, "rfactor %pj 4 -> %l as $part", "not one sum"},
    {ir_spmm, 2, "rfactor %c 4 -> %l as $part", "not one sum"},
    {ir_spmv, 2, "rfactor %i 4 -> %l as $part", "not one sum"},
    {ir_spmv, 2, "rfactor %pj 6 -> %l as $part", "power of two"},
    {ir_spmm, 2,
     "split %c 4 -> %c0 %c1\nreorder %i %c0 %pj %c1\ncache_write $C at %c0 as $acc\n"
     "reorder %pj %c1\nrfactor %pj 16 -> %u as $part",
     "at most 8 sets"},
    {ir_spmv, 2, "split %pj 4 -> %a %b tail\nrfactor %a 2 -> %u as $part",
     "not one sum"},
    {ir_spmv, 2,
     "cache_write $C at %i as $acc\nsplit %pj 4 -> %a %b tail\nrfactor %a 2 -> %u as "
     "$p",
     "again"},
    {ir_spmm, 2,
     "split %c 4 -> %c0 %c1\nreorder %i %c0 %pj %c1\ncache_write $C at %c0 as $acc\n"
     "reorder %pj %c1\nrfactor %pj 2 -> %u as $part\nrfactor %pj 2 -> %w as $more",
     "side by side"},
    {ir_spmm, 2,
     "split %c 4 -> %c0 %c1\nreorder %i %c0 %pj %c1\ncache_write $C at %c0 as $acc\n"
     "rfactor %c0 2 -> %u as $part",
     "not one sum"},
    {ir_spmm, 2, "split %c 4 -> %c0 %c1 tail\njam %c1", "not one vector loop"},
    {ir_spmm, 2,
     "reorder %i %c %pj\nsplit %c 4 -> %c0 %c1 tail\ncache_write $C at %c0 as $acc\n"
     "reorder %pj %c1\nsplit %pj 2 -> %p %u tail\nvectorize %c1\nannotate %u team 2\n"
     "jam %u",
     "marked already"},
    {ir_spmm, 2, "jam %c", "no loop"},
    {ir_spmm, 2,
     "reorder %i %c %pj\nsplit %c 4 -> %c0 %c1\nreorder %pj %c1\nsplit %pj 2 -> %p %u "
     "tail\nvectorize %c1\njam %u",
     "lane by lane"},
    {ir_spmm, 2,
     "reorder %i %c %pj\nsplit %c 4 -> %c0 %c1 tail\ncache_write $C at %c0 as $acc\n"
     "reorder %pj %c1\nsplit %pj 16 -> %p %u tail\nvectorize %c1\njam %u",
     "1 to 8 times"},
    {ir_spmm, 2, "stream $C", "updated in place"},
    {ir_spmm, 2, "stream $B", "nothing is stored"},
    {ir_spmm, 2, "prefetch $C at %pj ahead 4", "not loaded"},
    {ir_spmm, 2, "prefetch $B at %pj ahead 0", "distance"},
    {ir_spmm, 2, "prefetch_last $B at %pj of %i ahead %none", "no parameter"},
    {ir_spmm, 2, "prefetch_last $B at %pj of %i ahead %alpha", "no parameter"},
    {ir_spmm, 2, "prefetch_last $B at %i of %pj ahead %ldb", "no loop %i in %pj"},
    {ir_spmm, 2, "prefetch_last $B at %none of %i ahead %ldb", "no loop %none in %i"},
    {ir_spmm, 2, "prefetch_last $B at %pj of %none ahead %ldb", "no loop %none"},
    {ir_spmm, 2, "prefetch_last $C at %pj of %i ahead %ldb", "not loaded"},
    {ir_spmm, 2, "prefetch_last $B at %pj of %i ahead 8", "must read"},
    {ir_spmm, 2, "prefetch_list $A at %pj ahead %none", "no parameter"},
    {ir_spmm, 2, "prefetch_list $C at %pj ahead %ldb", "not loaded"},
    {ir_spmm, 2, "prefetch_list $B at %pj ahead %ldb", "does not lie along"},
    {ir_spmm, 2, "prefetch_list $A at %c ahead %ldb", "not loaded"},
    {ir_spmm, 2, "prefetch_list $A at %none ahead %ldb", "no loop %none"},
    {ir_sliding, 2, "prefetch_list $a at %p ahead %d", "does not lie along"},
    {ir_winding, 2, "prefetch_list $a at %p ahead %d", "does not lie along"},
    {ir_spmm, 2,
     "prefetch_list $A at %pj ahead %ldb\nprefetch_list $A at %pj ahead %ldb",
     "in use"},
    {ir_backwards, 2, "prefetch $B at %q ahead 2 far", "follows no list"},
    {ir_two_lists, 2, "prefetch $B at %q ahead 2 far", "follows no list"},
};

/* A refused line, also after good ones, leaves the given program as it was. */
static void
test_refused(void **state)
{
    (void)state;
    for (int q = 0; q < SB_COUNT(refused); q++) {
        const sb_prog *p, *out;
        sb_strbuf before, after;
        ir_bench b;

        ir_bench_open(&b);
        p = out = prepare(&b, refused[q].program, NULL, refused[q].stage);
        before = ir_text(p);
        if (sb_schedule_apply(&out, &b.ir, p, refused[q].schedule) != SB_EINVAL)
            fail_msg("accepted: %s", refused[q].schedule);
        assert_null(out);
        if (!strstr(b.diag.text, refused[q].why) ||
            !strstr(b.diag.text, "schedule line"))
            fail_msg("%s: %s", refused[q].schedule, b.diag.text);
        after = ir_text(p);
        assert_string_equal(before.s, after.s);
        sb_strbuf_free(&before);
        sb_strbuf_free(&after);
        ir_bench_close(&b);
    }
}

static void
test_text(void **state)
{
    const sb_prog *p, *q = NULL;
    ir_bench b;

    (void)state;
    ir_bench_open(&b);
    p = prepare(&b, ir_spmm, NULL, 2);
    assert_ptr_equal(apply(&b, p, "; nothing\n\n  \t ; here\n"), p);
    assert_int_equal(
        sb_schedule_apply(&q, &b.ir, p, "\n; two\n  split %c 4 -> %c0 ; no\n"),
        SB_EINVAL);
    assert_non_null(strstr(b.diag.text, "line 3"));
    ir_bench_close(&b);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_accepted),
        cmocka_unit_test(test_refused),
        cmocka_unit_test(test_text),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
