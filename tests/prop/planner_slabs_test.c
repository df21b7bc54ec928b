/*
 * Property: a plan by slabs of B gives the bits of its own steps in place, whatever its parts,
 * for any number of threads and any buffer: one that holds all slabs, one alone, none. Where B
 * or C lies by columns the bits are the same for any buffer that holds a slab. Buffer, B and C
 * end where memory does, so nothing is read or written past them, and what is between rows or
 * columns of C stays.
 *
 * ctest-labels: quick tsan
 */
#include "cpu/cpu.h"
#include "gen.h"
#include "oracle.h"
#include "planner/planner.h"
#include "planner/slabs.h"
#include "runtime/backend.h"
#include "runtime/slab.h"

#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#ifdef _OPENMP
#include <omp.h>
#endif

#include <cmocka.h>

enum { PAGE = 4096 };

/* So many threads; without OpenMP one. */
static void
team(int threads)
{
#ifdef _OPENMP
    omp_set_num_threads(threads);
#else
    (void)threads;
#endif
}

/* Bytes that end at a page nobody may touch. */
typedef struct fenced {
    char *map, *at;
    size_t size, bytes;
} fenced;

static fenced
fenced_new(size_t bytes, int fill)
{
    const size_t size = (bytes + PAGE - 1) / PAGE * PAGE + PAGE;
    fenced f = {.size = size, .bytes = bytes};

    f.map =
        mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    assert_true(f.map != MAP_FAILED);
    f.at = f.map + size - PAGE - bytes;
    memset(f.map, fill, size - PAGE);
    assert_int_equal(mprotect(f.map + size - PAGE, PAGE, PROT_NONE), 0);
    return f;
}

static void
fenced_free(fenced *f)
{
    (void)munmap(f->map, f->size);
}

/* The operand's elements once more, where the last one ends at the fence. */
static fenced
fence(sb_dense *d)
{
    const int64_t lines = d->col_major ? d->cols : d->rows;
    const int64_t line = d->col_major ? d->rows : d->cols;
    const int64_t apart = d->batch > 1 ? (d->batch - 1) * d->stride : 0;
    fenced f = fenced_new(
        (size_t)(apart + (lines - 1) * d->ld + line) * sb_dtype_size(d->type), 0xff);

    memcpy(f.at, d->data, f.bytes);
    d->data = f.at;
    return f;
}

/* One kind of problem. */
typedef struct series {
    sb_format format;
    sb_trans trans_a, trans_b;
    sb_dtype value, c_type, compute, index;
    int base, batch;
    int64_t n;
    bool b_columns, c_columns; /* op(B) and C lie by them */
} series;

typedef struct subject {
    sb_problem pb;
    sb_dense roomy_b, roomy_c; /* as they were made, with a gap after the last row */
    fenced b, c;
    char *before, *want; /* C's bytes */
    size_t reach; /* bytes of the last buffer that were written, from its begin on */
} subject;

static sb_dense
operand(int64_t rows, int64_t cols, bool flip, bool columns, sb_dtype type,
        int64_t batch, uint64_t seed)
{
    const gen_dense_spec d = {.rows = flip ? cols : rows,
                              .cols = flip ? rows : cols,
                              .ld = (columns ? rows : cols) + 3,
                              .col_major = flip != columns,
                              .type = type,
                              .seed = seed,
                              .batch = batch};

    return gen_dense(&d);
}

static void
subject_open(subject *s, const series *sr, uint64_t seed)
{
    const bool flip = sr->trans_a != SB_TRANS_N;
    const gen_spec spec = {.family = seed % 2 ? GEN_BLOCKS : GEN_POWER_LAW,
                           .rows = 60,
                           .cols = 44,
                           .density = 0.1,
                           .seed = seed,
                           .format = sr->format,
                           .ptr_type = sr->index,
                           .idx_type = sr->index,
                           .val_type = sr->value,
                           .base = sr->base,
                           .block = 4,
                           .batch = sr->batch};
    gen_rng rng = {seed};
    sb_problem *pb = &s->pb;

    *pb = (sb_problem){.op = SB_OP_SPMM,
                       .a = gen_matrix(&spec),
                       .trans_a = sr->trans_a,
                       .trans_b = sr->trans_b,
                       .compute = sr->compute,
                       .alpha = gen_scalar(&rng, sr->compute),
                       .batch = sr->batch ? sr->batch : 1};
    pb->beta = seed % 3 ? gen_scalar(&rng, sr->compute) : (sb_value){0, 0};
    pb->b = operand(flip ? pb->a.rows : pb->a.cols, sr->n, sr->trans_b != SB_TRANS_N,
                    sr->b_columns, sr->value, sr->batch, seed + 1);
    pb->c = operand(flip ? pb->a.cols : pb->a.rows, sr->n, false, sr->c_columns,
                    sr->c_type, sr->batch, seed + 2);
    s->roomy_b = pb->b;
    s->roomy_c = pb->c;
    s->b = fence(&pb->b);
    s->c = fence(&pb->c);
    s->before = gen_copy_bytes(s->c.at, s->c.bytes);
    s->want = NULL;
}

static void
subject_close(subject *s)
{
    gen_free_matrix(&s->pb.a);
    gen_free_dense(&s->roomy_b);
    gen_free_dense(&s->roomy_c);
    fenced_free(&s->b);
    fenced_free(&s->c);
    free(s->before);
    free(s->want);
}

/* Runs in a buffer of so many bytes; C must come out as in place. Returns whether the buffer
 * was written to. */
static bool
run(subject *s, const sb_plan *plan, size_t bytes, const char *text)
{
    fenced f = fenced_new(bytes, 0xff);
    bool used = false;
    sb_diag diag = {0};

    memcpy(s->c.at, s->before, s->c.bytes);
    s->pb.scratch = bytes > 0 ? f.at : NULL;
    s->pb.room = bytes;
    if (sb_execute(plan, &s->pb, &diag) != SB_OK)
        fail_msg("%s: %s", text, diag.text);
    if (!s->want)
        s->want = gen_copy_bytes(s->c.at, s->c.bytes);
    if (memcmp(s->want, s->c.at, s->c.bytes) != 0)
        fail_msg("%s: %zu bytes of buffer give another C", text, bytes);
    s->reach = 0;
    for (size_t q = 0; q < bytes; q++)
        if (f.at[q] != (char)0xff)
            s->reach = q + 1;
    used = s->reach > 0;
    for (char *q = f.map; q < f.at; q++)
        assert_true(*q == (char)0xff);
    fenced_free(&f);
    return used;
}

static int tried; /* plans that were more than the reference kernel */

/* Runs and compares with the oracle; what comes out is what is wanted from then on. */
static bool
run_right(subject *s, const sb_plan *plan, size_t bytes, const char *text)
{
    char message[256];
    sb_problem roomy = s->pb;
    oracle o;
    bool used;

    roomy.b = s->roomy_b;
    roomy.c = gen_copy_dense(&s->roomy_c);
    o = oracle_make(&roomy);
    free(s->want);
    s->want = NULL;
    used = run(s, plan, bytes, text);
    memcpy(roomy.c.data, s->c.at, s->c.bytes);
    if (!oracle_check(&o, &roomy, false, message, sizeof message))
        fail_msg("%s: %s", text, message);
    oracle_free(&o);
    gen_free_dense(&roomy.c);
    return used;
}

/* In place right by the oracle, then by slabs in every kind of buffer. */
static void
try_plan(subject *s, const sb_plan *plan, int64_t width, const char *text)
{
    const size_t all = sb_slab_bytes(&s->pb, width);
    const size_t one = (all - 64) / (size_t)((s->pb.c.cols - 1) / width + 1);
    sb_plan together = *plan; /* threads share each slab */

    together.together = true;
    assert_false(run_right(s, plan, 0, text));
    if (sb_slab_turns(&s->pb)) { /* without a plan narrower slabs may fit */
        (void)run_right(s, plan, one - 1, text);
        assert_true(run_right(s, plan, all, text));
    } else if (run(s, plan, one - 1, text)) {
        fail_msg("%s: too small a buffer was used", text);
    }
    for (int threads = 1; threads <= (tried % 5 ? 2 : 3); threads++) {
        team(threads);
        if (!run(s, plan, all, text) || !run(s, plan, one + 63, text))
            fail_msg("%s: the buffer was not used", text);
        (void)run(s, &together, all, text);
        if (s->reach == 0 || s->reach > one + 64)
            fail_msg("%s: threads that share a slab used %zu bytes", text, s->reach);
    }
}

/* Builds the plan; with no compiler at hand it may be the reference kernel. */
static sb_plan *
forced(subject *s, const char *text)
{
    const sb_options opt = {.plan = text, .memory_limit = (int64_t)1 << 30};
    sb_diag diag = {0};
    sb_plan *plan;

    if (sb_plan_create(&plan, &s->pb, &opt, &diag) != SB_OK)
        fail_msg("%s: %s", text, diag.text);
    return plan;
}

static void
try_text(const series *sr, uint64_t seed, const char *parts, int64_t width)
{
    char text[160];
    sb_plan *plan;
    subject s;

    (void)snprintf(text, sizeof text, "(plan spmm %s (slab %d))", parts, (int)width);
    subject_open(&s, sr, seed);
    plan = forced(&s, text);
    if (plan->nstep > 0) {
        assert_int_equal(plan->slab, width);
        assert_non_null(strstr(plan->text, "(slab "));
        try_plan(&s, plan, width, text);
        tried++;
    }
    sb_plan_release(plan);
    subject_close(&s);
}

#define F32 SB_F32, SB_F32, SB_F32, SB_I32
#define F64L SB_F64, SB_F64, SB_F64, SB_I64
#define C32 SB_C32, SB_C32, SB_C32, SB_I32
#define C64 SB_C64, SB_C64, SB_C64, SB_I64
#define HALF SB_F16, SB_F32, SB_F32, SB_I32
#define N SB_TRANS_N
#define T SB_TRANS_T
#define H SB_TRANS_H

/* The last slab may be narrow, or a single column. */
static void
test_rows(void **state)
{
    static const series all[] = {
        {SB_FORMAT_CSR, N, N, F32, 0, 0, 100, false, false},
        {SB_FORMAT_CSR, N, T, F64L, 1, 0, 64, false, false},
        {SB_FORMAT_CSC, T, N, F32, 1, 3, 33, false, false},
        {SB_FORMAT_CSR, N, H, C32, 0, 2, 40, false, false},
        {SB_FORMAT_CSR, N, N, HALF, 1, 0, 50, false, false},
        {SB_FORMAT_CSC, H, N, C32, 0, 0, 65, false, false},
        {SB_FORMAT_CSR, N, N, F32, 0, 2, 257, false, false},
    };

    (void)state;
    for (int q = 0; q < SB_COUNT(all); q++) {
        try_text(&all[q], (uint64_t)q, "(part csr)", 32);
        try_text(&all[q], (uint64_t)q + 7, "(part csr)", q % 2 ? 8 : 16);
    }
}

static void
test_parts(void **state)
{
    static const series csr = {SB_FORMAT_CSR, N, N, F32, 1, 0, 100, false, false};
    static const series turned = {SB_FORMAT_CSR, T, N, F32, 0, 0, 70, false, false};
    static const series coo = {SB_FORMAT_COO, N, N, F32, 1, 0, 70, false, false};
    static const series bsr = {SB_FORMAT_BSR, N, N, F32, 0, 2, 70, false, false};
    static const char *const parts[] = {
        "(part rows flat 2)",
        "(part rows hyb 2 3)",
        "(part ell 2)",
        "(part pick)",
        "(part panel 16)",
        "(part win 4) (part rows flat 1)",
        "(part share 3) (part rows flat 1)",
        "(part bsr 2) (part rows flat 1)",
        "(part bsr 4) (part bsr 2) (part rows flat 1)",
        "(part dia 60) (part coo)",
    };
    const char *path = getenv("PATH");

    (void)state;
    for (int q = 0; q < SB_COUNT(parts); q++)
        try_text(&csr, 2 * (uint64_t)q + 1, parts[q], 32);
    try_text(&turned, 4, "(part pick)", 32);
    try_text(&turned, 5, "(part ell 3)", 16);
    try_text(&coo, 6, "(part rows flat 1)", 32);
    try_text(&bsr, 9, "(part blocks)", 32);
    /* with a compiler at hand, all of them must have been kernels */
    if (path && strchr(path, '/'))
        assert_true(tried == 28 || sb_kernel_get_stats().failed > 0);
}

/* What lies by columns is turned: B, C or both, widths above n too. */
static void
test_columns(void **state)
{
    static const series all[] = {
        {SB_FORMAT_CSR, N, N, F32, 0, 0, 100, true, true},
        {SB_FORMAT_CSR, N, T, F64L, 1, 0, 64, true, true},
        {SB_FORMAT_CSC, T, N, F32, 1, 0, 48, true, false},
        {SB_FORMAT_CSR, N, H, C32, 0, 2, 40, true, true},
        {SB_FORMAT_CSR, N, N, HALF, 1, 0, 50, false, true},
        {SB_FORMAT_CSC, H, N, C64, 0, 0, 19, true, true},
        {SB_FORMAT_CSR, N, N, F32, 0, 2, 5, true, true},
        {SB_FORMAT_CSR, T, N, F32, 0, 0, 30, true, true},
        {SB_FORMAT_BSR, N, N, F32, 0, 2, 30, true, true},
    };
    const char *const parts[] = {"(part csr)", "(part rows flat 1)",
                                 "(part win 4) (part rows flat 1)"};

    (void)state;
    for (int q = 0; q < SB_COUNT(all); q++) {
        const char *some = all[q].format == SB_FORMAT_BSR ? "(part blocks)"
                           : all[q].batch > 0             ? "(part csr)"
                           : all[q].trans_a == T && all[q].format == SB_FORMAT_CSR
                               ? "(part pick)"
                               : parts[q % 3];

        try_text(&all[q], (uint64_t)q, some, 16);
        try_text(&all[q], (uint64_t)q + 5, some, q % 2 ? 8 : 64);
    }
}

/* Four columns are one slab: its plan's text gives the same plan again. */
static void
test_narrow_text(void **state)
{
    const series sr = {SB_FORMAT_CSR, N, N, F32, 0, 0, 4, true, true};
    const sb_options none = {0};
    sb_plan *plan, *again;
    subject s;

    (void)state;
    subject_open(&s, &sr, 3);
    assert_int_equal(sb_slab_turning(&s.pb, NULL), 4);
    assert_int_equal(sb_plan_create(&plan, &s.pb, &none, NULL), SB_OK);
    if (plan->nstep > 0) {
        again = forced(&s, plan->text);
        assert_int_equal(plan->slab, 4);
        assert_string_equal(again->text, plan->text);
        sb_plan_release(again);
    }
    sb_plan_release(plan);
    subject_close(&s);
}

/* One slab's width has none. */
static void
test_where_there_are_none(void **state)
{
    const series sr = {SB_FORMAT_CSR, N, N, F32, 0, 0, 40, false, false};
    sb_plan *plan;
    subject s;

    (void)state;
    subject_open(&s, &sr, 3);
    plan = forced(&s, "(plan spmm (part csr) (slab 40))");
    assert_int_equal(plan->slab, 0);
    assert_null(strstr(plan->text, "slab"));
    assert_int_equal(sb_slab_bytes(&s.pb, 40), 0);
    sb_plan_release(plan);
    s.pb.a.cols = s.pb.b.rows = INT64_MAX / 8;
    assert_int_equal(sb_slab_bytes(&s.pb, 32), 0);
    s.pb.a.cols = s.pb.b.rows = 44;
    assert_int_equal(sb_slab_bytes(&s.pb, 32), 2 * 44 * 32 * sizeof(float) + 64);
    subject_close(&s);
}

/* ---- several threads of the caller's, one plan, a buffer each ------------------------------- */

typedef struct caller {
    const sb_plan *plan;
    sb_problem pb;
    bool failed;
} caller;

static void *
work(void *user)
{
    caller *c = user;

    for (int q = 0; q < 20; q++)
        c->failed |= sb_execute(c->plan, &c->pb, NULL) != SB_OK;
    return NULL;
}

static void
test_callers_share_a_plan(void **state)
{
    enum { CALLERS = 3 };
    const series sr = {SB_FORMAT_CSR, N, N, F32, 0, 0, 100, false, false};
    caller caller[CALLERS];
    pthread_t id[CALLERS];
    sb_plan *plan;
    size_t bytes;
    subject s;

    (void)state;
    team(2);
    subject_open(&s, &sr, 0); /* beta 0: C may be computed again and again */
    plan = forced(&s, "(plan spmm (part csr) (slab 32))");
    bytes = sb_slab_bytes(&s.pb, 32);
    assert_int_equal(sb_execute(plan, &s.pb, NULL), SB_OK);
    for (int q = 0; q < CALLERS; q++) {
        caller[q] = (struct caller){plan, s.pb, false};
        caller[q].pb.c.data = gen_copy_bytes(s.before, s.c.bytes);
        caller[q].pb.scratch = malloc(bytes);
        caller[q].pb.room = bytes;
        assert_int_equal(pthread_create(&id[q], NULL, work, &caller[q]), 0);
    }
    for (int q = 0; q < CALLERS; q++) {
        assert_int_equal(pthread_join(id[q], NULL), 0);
        assert_false(caller[q].failed);
        assert_memory_equal(caller[q].pb.c.data, s.c.at, s.c.bytes);
        free(caller[q].pb.c.data);
        free(caller[q].pb.scratch);
    }
    sb_plan_release(plan);
    subject_close(&s);
}

/* ---- rules ---------------------------------------------------------------------------------- */

static int
start(void **state)
{
    (void)state;
    sb_backend_set(&sb_cpu_backend);
    return 0;
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rows),
        cmocka_unit_test(test_parts),
        cmocka_unit_test(test_columns),
        cmocka_unit_test(test_narrow_text),
        cmocka_unit_test(test_where_there_are_none),
        cmocka_unit_test(test_callers_share_a_plan),
    };

    return cmocka_run_group_tests(tests, start, NULL);
}
