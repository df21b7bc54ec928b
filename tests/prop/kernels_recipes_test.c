/*
 * ctest-labels: full
 * ctest-cost: 60
 *
 * Every recipe means what its operation means: for a list of specs that holds each kind
 * with each of its operations and a sample of types and layouts, and for matrices that
 * break sparse code, the definition (oracle), the interpreter on the program before its
 * schedule, the interpreter on the fused program and the compiled C agree, entry by
 * entry, exactly (data are small integers). beta == 0 finds NaN in the output.
 */
#include "base/macro.h"
#include "cpu/cpu.h"
#include "planner/context.h"
#include "recipelab.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <stdint.h>

static const char *const specs[] = {
#include "recipes.def"
};

static void
run_launch(recipe_fixture *fx, const sb_kernel *k)
{
    sb_step step[RECIPE_STEPS];
    const sb_launch l = {.nstep = fx->nstep,
                         .step = step,
                         .tile = fx->tile,
                         .narray = fx->narray,
                         .nint = fx->nint,
                         .array = fx->array,
                         .integer = fx->integer};

    for (int q = 0; q < fx->nstep; q++)
        step[q] =
            (sb_step){.kernel = k, .tile_lo = q, .tile_hi = q + 1, .add = fx->add[q]};
    assert_int_equal(sb_launch_run(&l, &fx->pb, NULL), SB_OK);
}

static void
one_case(sb_ir *ir, const char *text, const sb_prog *fused, const sb_kernel *k,
         const recipe_case *mc)
{
    recipe_fixture fx;

    recipe_make(&fx, text, mc);
    /* One part that owns every row at once: its program needs no tiles. */
    if (fx.npart == 1 && fx.nstep == 1 && fx.part[0].kind != SB_PART_COO &&
        !fx.spec.packed && fx.spec.c != SB_BF16 && fx.spec.c != SB_CBF16) {
        const sb_prog *source = NULL;

        assert_int_equal(
            sb_spec_source(&source, ir, &fx.spec, recipe_kind(&fx.part[0])), SB_OK);
        recipe_interpret(&fx, source, NULL, fx.pb.beta);
        recipe_check(&fx, "before the schedule");
    }
    for (int q = 0; q < fx.nstep; q++)
        recipe_interpret(&fx, fused, &fx.tile[q],
                         fx.add[q] ? (sb_value){1, 0} : fx.pb.beta);
    recipe_check(&fx, "stage III");
    recipe_add_absent(&fx, fused);
    run_launch(&fx, k);
    recipe_check(&fx, "compiled");
    recipe_free(&fx);
}

static void
agree(void **state)
{
    const char *text = *state;
    const sb_kernel *k = NULL;
    const sb_prog *fused = NULL;
    sb_arena arena;
    sb_diag diag;
    sb_spec spec;
    sb_ir ir;

    sb_diag_clear(&diag);
    sb_arena_init(&arena);
    sb_ir_init(&ir, &arena, &diag);
    assert_int_equal(sb_spec_parse(&spec, text, NULL), SB_OK);
    if (sb_spec_program(&fused, &ir, &spec) != SB_OK)
        fail_msg("%s: %s", text, diag.text);
    assert_int_equal(sb_kernel_get(&k, text, sb_planner_maker, SB_KERNEL_COMPILE),
                     SB_OK);
    for (int q = 0; q < RECIPE_CASES; q++)
        one_case(&ir, text, fused, k, &recipe_cases[q]);
    sb_arena_free(&arena);
}

int
main(void)
{
    struct CMUnitTest tests[SB_COUNT(specs)];

    sb_backend_set(&sb_cpu_backend);
    for (int q = 0; q < SB_COUNT(specs); q++)
        tests[q] = (struct CMUnitTest){.name = specs[q],
                                       .test_func = agree,
                                       .initial_state = (void *)(uintptr_t)specs[q]};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
