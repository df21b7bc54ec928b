/*
 * docs/coverage.md says what the library answers when it is asked for every combination,
 * and every combination that is accepted computes what it should.
 *
 *     api_coverage --write      writes the page anew
 */
#include "coverlab.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define PAGE SB_SOURCE_DIR "/docs/coverage.md"

static sb_strbuf
page(void)
{
    cover_lab l;
    sb_strbuf out;

    sb_strbuf_init(&out);
    cover_begin(&l);
    cover_print(&out, &l);
    cover_end(&l);
    assert_int_equal(sb_strbuf_status(&out), SB_OK);
    return out;
}

static void
test_page_is_up_to_date(void **state)
{
    sb_strbuf now = page();
    char *was = calloc(1, now.len + 2);
    FILE *f = fopen(PAGE, "rb");

    (void)state;
    assert_non_null(f);
    assert_non_null(was);
    (void)fread(was, 1, now.len + 1, f);
    (void)fclose(f);
    if (strcmp(was, now.s) != 0)
        fail_msg("docs/coverage.md is out of date: run api_coverage --write");
    free(was);
    sb_strbuf_free(&now);
}

static void
run_cell(const cover_routine *r, const cover_cell *c)
{
    r->run(c);
}

static void
test_cells_compute(void **state)
{
    cover_lab l;

    (void)state;
    cover_begin(&l);
    for (int q = 0; q < cover_routine_count; q++) {
        const int64_t n = cover_each(&l, &cover_routines[q], run_cell);

        printf("%s: %d cells\n", cover_routines[q].name, (int)n);
        assert_true(n > 0);
    }
    cover_end(&l);
}

int
main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_page_is_up_to_date),
        cmocka_unit_test(test_cells_compute),
    };

    setenv("SPBLAS_JIT", "off", 1); /* programs of CUSTOM and SpMMOp are interpreted */
    if (argc == 2 && strcmp(argv[1], "--write") == 0) {
        sb_strbuf now = page();
        FILE *f = fopen(PAGE, "wb");
        const bool done = f && fwrite(now.s, 1, now.len, f) == now.len;

        sb_strbuf_free(&now);
        return f && fclose(f) == 0 && done ? 0 : 1;
    }
    return cmocka_run_group_tests(tests, NULL, NULL);
}
