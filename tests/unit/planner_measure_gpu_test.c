/*
 * MEASURE on a device of which the test decides what kernels are at hand and how long each
 * runs: what is at hand is timed, of the rest as much is compiled as the model, corrected by
 * the clock, promises to gain back, and that side by side.
 */
#include "planner/search.h"
#include "planner/wisdom.h"

#include "base/macro.h"
#include "gen.h"
#include "runtime/backend.h"
#include "runtime/device.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { MADE_MAX = 32 };

/* ---- the device -------------------------------------------------------------------------- */

static bool all_at_hand;         /* else plain rows alone */
static double rows_take, others; /* seconds of a run of plain rows, and of windows */
static sb_kernel made[MADE_MAX]; /* each once */
static char names[MADE_MAX][SB_SPEC_MAX];
static int kernels, compiled, alone; /* alone: compiled by no team */
static int in_team;

static sb_status
kernel(const sb_kernel **out, sb_device *d, const char *spec, sb_kernel_maker maker,
       sb_kernel_effort effort, sb_diag *diag)
{
    const bool rows = strstr(spec, " csr ") != NULL;
    int q = 0;

    (void)d;
    (void)maker;
    (void)diag;
    while (q < kernels && strcmp(names[q], spec) != 0)
        q++;
    if (q == kernels) {
        if (!rows && !all_at_hand && effort != SB_KERNEL_COMPILE)
            return SB_ENOKERNEL;
        compiled += !rows && !all_at_hand;
        alone += !rows && !all_at_hand && !in_team;
        assert_true(kernels < MADE_MAX);
        (void)strcpy(names[q], spec);
        made[q] = (sb_kernel){.spec = names[q], .signature = ""};
        kernels++;
    }
    *out = &made[q];
    return SB_OK;
}

static sb_status
take_time(sb_device *d, double *seconds, const sb_plan *plan, const sb_problem *pb,
          sb_diag *diag)
{
    (void)d;
    (void)pb;
    (void)diag;
    *seconds = strstr(plan->step[0].kernel->spec, " csr ") ? rows_take : others;
    return SB_OK;
}

static void
hold(sb_device *d)
{
    (void)d;
}

static bool
capturing(sb_device *d, void *stream)
{
    (void)d;
    (void)stream;
    return false;
}

static sb_status
download(sb_device *d, void *stream, void *to, const void *from, size_t bytes,
         sb_diag *diag)
{
    (void)d;
    (void)stream;
    (void)diag;
    memcpy(to, from, bytes);
    return SB_OK;
}

static sb_gpu_shape
shape(const sb_kernel *k)
{
    (void)k;
    return (sb_gpu_shape){.threads = 128, .rows_per_tile = 16};
}

static void
facts(sb_device *d, sb_gpu_facts *out)
{
    (void)d;
    *out = (sb_gpu_facts){"NVIDIA H100", "sm_90", 132, 50 << 20, 3.35e12, 90, 1.98e9};
}

static sb_status
alloc(sb_device *d, void **out, size_t bytes, sb_diag *diag)
{
    (void)d;
    (void)diag;
    *out = malloc(bytes + 1);
    return *out ? SB_OK : SB_ENOMEM;
}

static void
give_back(sb_device *d, void *memory)
{
    (void)d;
    free(memory);
}

static sb_status
clear(sb_device *d, void *stream, void *memory, size_t bytes, sb_diag *diag)
{
    (void)d;
    (void)stream;
    (void)diag;
    memset(memory, 0, bytes);
    return SB_OK;
}

static sb_status
settle(sb_device *d, sb_plan *plan, sb_diag *diag)
{
    (void)d;
    (void)plan;
    (void)diag;
    return SB_OK;
}

static const sb_device_ops ops = {.hold = hold,
                                  .release = hold,
                                  .capturing = capturing,
                                  .download = download,
                                  .kernel = kernel,
                                  .shape = shape,
                                  .facts = facts,
                                  .alloc = alloc,
                                  .free = give_back,
                                  .clear = clear,
                                  .time = take_time,
                                  .settle = settle};

/* ---- the host ------------------------------------------------------------------------------ */

static int
threads(void)
{
    return 4;
}

static void
team(sb_range_fn fn, void *user, int64_t lo, int64_t hi, int64_t grain)
{
    (void)grain;
    in_team++;
    for (int64_t q = lo; q < hi; q++)
        fn(user, q, q + 1);
    in_team--;
}

static sb_status
reference(const sb_problem *pb, sb_diag *diag)
{
    (void)pb;
    (void)diag;
    return SB_OK;
}

static const sb_backend backend = {
    .name = "test", .threads = threads, .parallel = team, .reference = reference};

/* ---- a matrix of which windows promise much ------------------------------------------------- */

static sb_plan *
measured(bool at_hand, double rows, double windows)
{
    const gen_spec spec = {
        .family = GEN_BLOCKS, .rows = 2048, .cols = 2048, .seed = 3, .block = 16};
    const sb_options opt = {.effort = SB_EFFORT_MEASURE};
    sb_device device = {.ops = &ops};
    sb_problem pb = {.op = SB_OP_SPMM,
                     .a = gen_matrix(&spec),
                     .compute = SB_F32,
                     .alpha = {1, 0},
                     .batch = 1,
                     .device = &device};
    sb_diag diag = {SB_OK, ""};
    sb_plan *plan;

    pb.b = (sb_dense){.rows = 2048,
                      .cols = 32,
                      .ld = 2048,
                      .type = SB_F32,
                      .col_major = true,
                      .batch = 1};
    pb.c = pb.b;
    all_at_hand = at_hand;
    rows_take = rows;
    others = windows;
    kernels = compiled = alone = 0;
    sb_wisdom_forget();
    if (sb_plan_create(&plan, &pb, &opt, &diag) != SB_OK)
        fail_msg("%s", diag.text);
    gen_free_matrix(&pb.a);
    assert_true(plan->measured > 0);
    return plan;
}

static int
times_in(const char *text, const char *what)
{
    int n = 0;

    for (const char *at = strstr(text, what); at; at = strstr(at + 1, what))
        n++;
    return n;
}

static const char left_out[] = "too little to gain for compiling it";

/* All five and the rows as they are. */
static void
test_at_hand(void **state)
{
    sb_plan *plan = measured(true, 1e-3, 3e-3);

    (void)state;
    assert_int_equal(compiled, 0);
    assert_int_equal(times_in(plan->explain, "considered") >= 5, 1);
    assert_int_equal(times_in(plan->explain, left_out), 0);
    assert_true(times_in(plan->explain, ", measured ") >= 6);
    sb_plan_release(plan);
}

/* One of a kind shows that its like are no faster. */
static void
test_one_of_a_kind(void **state)
{
    sb_plan *plan = measured(false, 1e-3, 3e-3);

    (void)state;
    if (times_in(plan->explain, left_out) < 2 || compiled < 1)
        fail_msg("%d compiled\n%s", compiled, plan->explain);
    assert_non_null(strstr(plan->text, "(part csr)"));
    sb_plan_release(plan);
}

/* Side by side, where there are several, and none that the plan does not need. */
static void
test_side_by_side(void **state)
{
    sb_plan *plan = measured(false, 1e-3, 3e-3);

    (void)state;
    if (compiled - alone < 2)
        fail_msg("%d of %d compiled alone\n%s", alone, compiled, plan->explain);
    for (int q = 0; q < kernels; q++)
        assert_null(strstr(names[q], "rows+win"));
    sb_plan_release(plan);
}

/* A product of microseconds gains no compiling back. */
static void
test_too_short(void **state)
{
    sb_plan *plan = measured(false, 4e-6, 2e-6);

    (void)state;
    if (compiled != 0)
        fail_msg("%d compiled\n%s", compiled, plan->explain);
    assert_true(times_in(plan->explain, left_out) >= 4);
    assert_non_null(strstr(plan->text, "(part csr)"));
    sb_plan_release(plan);
}

/* What was compiled and is faster wins. */
static void
test_faster(void **state)
{
    sb_plan *plan = measured(false, 1e-3, 5e-4);

    (void)state;
    assert_true(compiled > 0);
    assert_null(strstr(plan->text, "(part csr)"));
    assert_non_null(strstr(plan->explain, "fastest of the measured candidates"));
    sb_plan_release(plan);
}

/* Sampled rows in place are shared out by entries, whatever lists of them promise. */
static void
test_sampled(void **state)
{
    static const struct {
        gen_family family;
        sb_format format;
        const char *expect;
    } all[] = {{GEN_BANDED, SB_FORMAT_CSR, "(part csr)"},
               {GEN_DIAGONALS, SB_FORMAT_CSR, "(part csr)"},
               {GEN_ROW_RUNS, SB_FORMAT_CSR, "(part csr)"},
               {GEN_BLOCKS, SB_FORMAT_CSR, "(part csr)"},
               {GEN_BANDED, SB_FORMAT_COO, "(part list)"},
               {GEN_BLOCKS, SB_FORMAT_BSR, "(part blocks)"}};
    const sb_options opt = {.effort = SB_EFFORT_ESTIMATE};
    sb_device device = {.ops = &ops};
    sb_diag diag = {SB_OK, ""};
    sb_plan *plan;

    (void)state;
    all_at_hand = true;
    for (int q = 0; q < SB_COUNT(all); q++) {
        const gen_spec spec = {.family = all[q].family,
                               .rows = 4096,
                               .cols = 4096,
                               .seed = 3,
                               .format = all[q].format};
        sb_problem pb = {.op = SB_OP_SDDMM,
                         .a = gen_matrix(&spec),
                         .compute = SB_F32,
                         .alpha = {1, 0},
                         .batch = 1,
                         .device = &device};

        kernels = compiled = alone = 0;
        pb.b = (sb_dense){
            .rows = 4096, .cols = 128, .ld = 128, .type = SB_F32, .batch = 1};
        pb.c = (sb_dense){.rows = 128,
                          .cols = 4096,
                          .ld = 128,
                          .type = SB_F32,
                          .col_major = true,
                          .batch = 1};
        sb_wisdom_forget();
        if (sb_plan_create(&plan, &pb, &opt, &diag) != SB_OK)
            fail_msg("%s", diag.text);
        gen_free_matrix(&pb.a);
        if (!strstr(plan->text, all[q].expect))
            fail_msg("%s: %s", gen_family_name(all[q].family), plan->explain);
        sb_plan_release(plan);
    }
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_at_hand),      cmocka_unit_test(test_one_of_a_kind),
        cmocka_unit_test(test_side_by_side), cmocka_unit_test(test_too_short),
        cmocka_unit_test(test_faster),       cmocka_unit_test(test_sampled)};

    if (setenv("SPBLAS_COLUMNS_ROOM", "0", 1) !=
        0) /* plans for columns where they lie */
        return 1;
    sb_backend_set(&backend);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
