/*
 * Random programs: each parses, verifies, prints canonically and runs without touching
 * what it must not; each mutant ends in a program or in EPARSE.
 */
#include "gen.h"
#include "irgen.h"
#include "irprog.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

enum { PROGRAMS = 3000, MUTANTS = 3, COUNT = 40 };

/* The canonical text reads back to itself and to an equal verdict. */
static void
check_round_trip(ir_lab *lab, const sb_prog *p, uint64_t seed)
{
    const char *once = ir_lab_print(lab, p), *twice;
    const sb_prog *again = NULL;
    const sb_status st = sb_prog_parse(&again, &lab->ir, once, strlen(once));
    sb_diag quiet;

    if (st != SB_OK)
        fail_msg("seed %llu: %s\n%s", (unsigned long long)seed, lab->diag.text, once);
    twice = ir_lab_print(lab, again);
    if (strcmp(once, twice) != 0)
        fail_msg("seed %llu:\n%s\nbecomes\n%s", (unsigned long long)seed, once, twice);
    sb_diag_clear(&quiet);
    assert_int_equal(sb_prog_verify(p, &quiet), sb_prog_verify(again, NULL));
}

/* Runs with small arguments; whatever happens is OK or an error with a message. */
static sb_status
run(ir_lab *lab, const sb_prog *p, uint64_t seed)
{
    sb_value param[32];
    sb_arg buf[64];
    const sb_interp_args args = {param, buf};
    gen_rng r = {seed};
    sb_status st;

    assert_true(p->nparam <= 32 && p->nbuf <= 64);
    for (int q = 0; q < p->nparam; q++) {
        param[q].re = (double)gen_between(&r, 1, 4);
        param[q].im = 0.0;
    }
    for (int q = 0; q < p->nbuf; q++) {
        const sb_dtype t = p->buf[q]->type;

        buf[q].count = COUNT;
        buf[q].data = sb_arena_array(&lab->arena, COUNT, sb_dtype_size(t));
        assert_non_null(buf[q].data);
        for (int64_t e = 0; e < COUNT; e++) {
            const sb_value v = {(double)gen_below(&r, 4), 0.0};

            sb_value_store(t, buf[q].data, e, v);
        }
    }
    sb_diag_clear(&lab->diag);
    st = sb_interp(p, &args, &lab->diag);
    if (st != SB_OK &&
        (lab->diag.text[0] == '\0' || (st != SB_EINVAL && st != SB_ENOTSUP)))
        fail_msg("seed %llu: %s %s", (unsigned long long)seed, sb_status_name(st),
                 lab->diag.text);
    return st;
}

static void
programs_round_trip_and_run(void **state)
{
    int finished = 0;

    (void)state;
    for (uint64_t seed = 1; seed <= PROGRAMS; seed++) {
        sb_strbuf text;
        const sb_prog *p;
        ir_lab lab;

        ir_lab_init(&lab);
        sb_strbuf_init(&text);
        irgen_program(&text, seed);
        assert_int_equal(sb_strbuf_status(&text), SB_OK);
        p = ir_lab_parse(&lab, text.s, true);
        check_round_trip(&lab, p, seed);
        finished += run(&lab, p, seed) == SB_OK;
        sb_strbuf_free(&text);
        ir_lab_free(&lab);
    }
    assert_true(finished > PROGRAMS / 50); /* else the generator has lost its point */
}

static void
mutants_end_in_a_program_or_a_message(void **state)
{
    int survivors = 0;

    (void)state;
    for (uint64_t seed = 1; seed <= PROGRAMS * MUTANTS; seed++) {
        sb_strbuf text, mutant;
        const sb_prog *p = NULL;
        sb_status st;
        ir_lab lab;

        ir_lab_init(&lab);
        sb_strbuf_init(&text);
        sb_strbuf_init(&mutant);
        irgen_program(&text, seed / MUTANTS);
        irgen_mutate(&mutant, text.s, text.len, seed);
        st = sb_prog_parse(&p, &lab.ir, mutant.s, mutant.len);
        if (st == SB_OK)
            check_round_trip(&lab, p, seed);
        else if (st != SB_EPARSE || lab.diag.text[0] == '\0')
            fail_msg("seed %llu: %s", (unsigned long long)seed, sb_status_name(st));
        survivors += st == SB_OK;
        sb_strbuf_free(&mutant);
        sb_strbuf_free(&text);
        ir_lab_free(&lab);
    }
    assert_in_range(survivors, 1, PROGRAMS * MUTANTS - 1);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(programs_round_trip_and_run),
        cmocka_unit_test(mutants_end_in_a_program_or_a_message),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
