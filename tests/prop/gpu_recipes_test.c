/*
 * ctest-labels: quick gpu-emu once
 *
 * Every GPU kernel on the host: its text, run by the SIMT shim with lanes and blocks in
 * four orders, gives exactly what the definition says (data are small integers) on
 * matrices that break sparse code, in tiles as a launch would cut them, with the grid's y
 * too small, fitting and too large; once more with infinities and NaN in B, or X and Y. A few kernels;
 * with --rest, the others, each matrix in the first order and one of the others in turn
 * (prop.gpu_recipes_all), with --all these few, too; with --watch, all once on every other matrix, and no group of lanes uses
 * what another stores (prop.gpu_recipes_watched).
 */
#include "base/macro.h"
#include "cpu/cpu.h"
#include "emulab.h"
#include "kernels/recipe.h"
#include "recipelab.h"
#include "runtime/backend.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct {
    const char *text;
    bool quick;
} specs[] = {
#define X(spec) {spec, false},
#define Q(spec) {spec, true},
#define AFTER(spec)
#include "gpu_recipes.def"
#undef X
#undef Q
#undef AFTER
};

enum { TILES_MAX = 4096, SEVERAL = 5 };

static bool watched, all, rest;

typedef struct gpu_kernel {
    emu_kernel run;
    emu_watch watch; /* NULL: not watched */
    char symbol[SB_KERNEL_SYMBOL_MAX];
    sb_strbuf signature;
    sb_gpu_shape shape;
} gpu_kernel;

/* A step's tile in pieces of as many units as keep a block busy; whole where units of a
 * tile follow each other. */
static int
cut(const recipe_fixture *fx, sb_tile whole, int rows, sb_tile *out)
{
    int rank = 0, n = 0;

    for (int q = 0; q < SB_KIND_COUNT; q++) {
        if (!(fx->spec.kinds >> q & 1U))
            continue;
        if (rank++ == whole.kind && sb_recipe_get(q)->ordered >> fx->spec.op & 1U)
            rows = INT32_MAX;
    }
    for (int64_t lo = whole.lo; lo < whole.hi || n == 0; lo += rows, n++) {
        assert_true(n < TILES_MAX);
        out[n] = whole;
        out[n].lo = lo;
        out[n].hi = whole.hi - lo < rows ? whole.hi : lo + rows;
    }
    return n;
}

/* param[], buf[], t0, t1, far as sbg_args has them; the caller frees. */
static char *
pack(const sb_binding *b, int64_t t1)
{
    const int nparam = b->nparam - 2; /* without t0 and t1 */
    const size_t head = (size_t)nparam * sizeof *b->param;
    const size_t mid = (size_t)b->nbuf * sizeof *b->buf;
    const int64_t tiles[3] = {0, t1, b->far};
    char *args = calloc(1, head + mid + sizeof tiles);

    assert_non_null(args);
    memcpy(args, b->param, head);
    memcpy(args + head, b->buf, mid);
    memcpy(args + head + mid, tiles, sizeof tiles);
    return args;
}

static void
run_steps(recipe_fixture *fx, const gpu_kernel *k, int order)
{
    static sb_tile tile[TILES_MAX];
    const int64_t columns = k->shape.grid_y_columns;
    int64_t gy = columns ? (fx->mc.n + columns - 1) / columns : 1;
    char what[256];

    if (columns && order > 0)
        gy = order == 1 ? gy + 1 : gy > 1 ? gy - 1 : 1;
    (void)snprintf(what, sizeof what, "\"%s\" on %s", fx->text,
                   gen_family_name(fx->mc.family));
    for (int q = 0; q < fx->nstep; q++) {
        const int n = cut(fx, fx->tile[q], k->shape.rows_per_tile, tile);
        const sb_step step = {.add = fx->add[q]};
        const sb_launch l = {.step = &step,
                             .tile = tile,
                             .narray = fx->narray,
                             .nint = fx->nint,
                             .array = fx->array,
                             .integer = fx->integer};
        sb_binding b;
        sb_diag diag = {SB_OK, ""};
        char *args;

        if (sb_launch_bind(&b, &l, &fx->pb, fx->text, k->signature.s, 0, 0, &diag) !=
            SB_OK)
            fail_msg("%s: %s", what, diag.text);
        args = pack(&b, n);
        if (k->watch)
            k->watch(fx->repeats[q] ? 0 : fx->spec.lanes);
        emu_run(k->run, what, args, n, gy, order);
        free(args);
    }
}

static void
make(gpu_kernel *k, const char *spec)
{
    sb_diag diag = {SB_OK, ""};
    sb_strbuf text;
    sb_hash key;

    sb_strbuf_init(&text);
    sb_strbuf_init(&k->signature);
    if (sb_spec_emit_gpu(&text, &k->signature, &key, &k->shape, spec, &diag) != SB_OK)
        fail_msg("%s: %s", spec, diag.text);
    sb_kernel_symbol(key, k->symbol);
    k->run = emu_load_watched(text.s, k->symbol, watched ? &k->watch : NULL);
    sb_strbuf_free(&text);
}

/* What goes with `spmm range ..`: `spmm carry ..`; a sampled product has no sums. */
static bool
second_pass(char out[SB_SPEC_MAX], const char *spec)
{
    const char *at = strstr(spec, " range ");

    at = strncmp(spec, "sddmm", 5) == 0 ? NULL : at;
    if (at)
        (void)snprintf(out, SB_SPEC_MAX, "%.*s carry %s", (int)(at - spec), spec,
                       at + 7);
    return at;
}

static void
poison_every(sb_dense *d, int64_t step)
{
    const int64_t n = gen_dense_extent(d);

    for (int64_t q = 3; q < n; q += step)
        sb_value_store(d->type, d->data, q, (sb_value){q % 2 ? INFINITY : NAN, 0});
}

/* Infinities and NaN in every fifth element of B, in a few of X and Y: they reach what the
 * definition says and nothing else, so no kernel multiplies a slot that is not there. */
static void
poison(recipe_fixture *fx)
{
    if (fx->pb.op == SB_OP_SDDMM) {
        poison_every(&fx->pb.b, gen_dense_extent(&fx->pb.b) / 4 + 1);
        poison_every(&fx->pb.c, gen_dense_extent(&fx->pb.c) / 4 + 1);
    } else {
        poison_every(&fx->pb.b, 5);
    }
    oracle_free(&fx->want);
    fx->want = oracle_make(&fx->pb);
}

/* Whether kernel number `kernel` is run on matrix q in an order: which it is not, its neighbours
 * in the table are, which do the same for other types and sizes. */
static bool
due(int kernel, int q, int order)
{
    if (watched)
        return order == 0 && (kernel + q) % 2 == 0;
    return !all || order == 0 || (kernel + q) % (EMU_ORDERS - 1) == order - 1;
}

/* Rows without entries, dozens at a time: for kernels that look for the row of an entry. */
static const recipe_case gaps = {GEN_DENSE_ROW, 400, 1, 3, 1, 1, 0};

static void
agree(void **state)
{
    const char *spec = specs[(intptr_t)*state].text;
    const int number = (int)(intptr_t)*state;
    const int cases = RECIPE_CASES + (strstr(spec, " range ") ? 1 : 0);
    const sb_prog *p = NULL;
    char second[SB_SPEC_MAX];
    gpu_kernel k = {0}, carry = {0};
    sb_arena arena;
    int ranges; /* of a block */
    sb_ir ir;

    make(&k, spec);
    if (second_pass(second, spec))
        make(&carry, second);
    ranges = strncmp(spec, "spmm", 4) == 0 ? k.shape.rows_per_tile : 0;
    sb_arena_init(&arena);
    sb_ir_init(&ir, &arena, NULL);
    for (int q = 0; q < cases && k.run; q++) {
        recipe_fixture fx;

        if (!due(number, q, 0))
            continue;
        recipe_make(&fx, spec, q < RECIPE_CASES ? &recipe_cases[q] : &gaps);
        if (carry.run && ranges == 1) /* of SpMM a block has several at times */
            k.shape.rows_per_tile = carry.shape.rows_per_tile = q % 2 ? SEVERAL : 1;
        if (fx.spec.even)
            fx.integer[fx.nint++] = (sb_plan_int){"tile_units", k.shape.rows_per_tile};
        if (!p)
            assert_int_equal(sb_spec_program(&p, &ir, &fx.spec), SB_OK);
        recipe_add_absent(&fx, p);
        for (int o = 0; o < EMU_ORDERS; o++) {
            if (!due(number, q, o))
                continue;
            run_steps(&fx, &k, emu_orders[o]);
            if (carry.run)
                run_steps(&fx, &carry, emu_orders[o]);
            recipe_check(&fx, "emulated");
        }
        if (sb_dtype_is_real(fx.pb.b.type) && !watched) {
            poison(&fx);
            run_steps(&fx, &k, 0);
            if (carry.run)
                run_steps(&fx, &carry, 0);
            recipe_check(&fx, "emulated, poisoned");
        }
        recipe_free(&fx);
    }
    sb_arena_free(&arena);
    sb_strbuf_free(&k.signature);
    if (carry.run)
        sb_strbuf_free(&carry.signature);
    if (!k.run)
        skip();
}

int
main(int argc, char **argv)
{
    const char *how = argc > 1 ? argv[1] : "";
    struct CMUnitTest tests[SB_COUNT(specs)] = {{0}};
    int n = 0;

    rest = strcmp(how, "--rest") == 0;
    all = rest || strcmp(how, "--all") == 0;
    watched = strcmp(how, "--watch") == 0;
    sb_backend_set(&sb_cpu_backend);
    cmocka_set_test_filter(getenv("SB_CASES")); /* tests/mutation */
    for (int q = 0; q < SB_COUNT(specs); q++)
        if (all || watched ? !rest || !specs[q].quick : specs[q].quick)
            tests[n++] = (struct CMUnitTest){.name = specs[q].text,
                                             .test_func = agree,
                                             .initial_state = (void *)(intptr_t)q};
    return _cmocka_run_group_tests("gpu_recipes", tests, (size_t)n, NULL, NULL);
}
