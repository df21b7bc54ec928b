/*
 * The blocks of docs/ir.md and docs/schedules.md do what the text around them says:
 *   sb        a program; it verifies, lowers as far as it can and means the same as before
 *   schedule  lines that are applied to the last program
 *   result    what came out, to the letter
 *   refused   lines of which one is refused, and a comment with what the sentence says
 *   again     the program of that name once more
 */
#include "irprog.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { PROGRAMS = 32, BYTES = 1 << 18 };

typedef struct page {
    ir_lab lab;
    const sb_prog *program[PROGRAMS], *current, *result;
    int n, blocks;
} page;

static const sb_prog *
run_pass(page *pg, const sb_prog *p, const char *name, const char *schedule)
{
    const sb_prog *out = NULL;

    sb_diag_clear(&pg->lab.diag);
    if (sb_pass_run(&out, &pg->lab.ir, p, name, schedule) != SB_OK)
        fail_msg("%s\n%s", schedule ? schedule : name, pg->lab.diag.text);
    return out;
}

/* Down to C. */
static void
lower_all(page *pg, const sb_prog *p)
{
    sb_strbuf c;

    if (p->stage == 1)
        p = run_pass(pg, p, "lower_iter", NULL);
    if (p->stage == 2)
        p = run_pass(pg, p, "lower_buf", NULL);
    p = run_pass(pg, run_pass(pg, p, "hoist", NULL), "narrow", NULL);
    sb_strbuf_init(&c);
    assert_int_equal(sb_emit_c(&c, p, "kernel", NULL), SB_OK);
    sb_strbuf_free(&c);
}

static void
run_program(page *pg, const char *text)
{
    const sb_prog *p = ir_lab_parse(&pg->lab, text, true);

    assert_string_equal(ir_lab_print(&pg->lab, p), text);
    assert_true(pg->n < PROGRAMS);
    pg->program[pg->n++] = pg->current = p;
    pg->result = NULL;
    lower_all(pg, p);
}

static const sb_prog *
schedule(page *pg, const char *lines)
{
    const sb_prog *p = pg->current;

    if (p->stage == 1)
        p = run_pass(pg, run_pass(pg, p, "schedule1", lines), "lower_iter", NULL);
    return run_pass(pg, p, "schedule2", lines);
}

static void
run_refused(page *pg, char *lines)
{
    const sb_prog *p = pg->current, *out = NULL;
    char *why = strstr(lines, "; ");

    assert_non_null(why);
    why[strcspn(why, "\n")] = '\0';
    if (p->stage == 1 && strncmp(lines, "sparse_", 7) != 0)
        p = run_pass(pg, p, "lower_iter", NULL);
    sb_diag_clear(&pg->lab.diag);
    assert_int_equal(sb_schedule_apply(&out, &pg->lab.ir, p, lines), SB_EINVAL);
    if (!strstr(pg->lab.diag.text, why + 2))
        fail_msg("'%s' is not in: %s", why + 2, pg->lab.diag.text);
}

static void
run_again(page *pg, const char *name)
{
    int q = pg->n - 1;

    while (q >= 0 && strcmp(pg->program[q]->name, name) != 0)
        q--;
    if (q < 0)
        fail_msg("there is no program %s before", name);
    pg->current = pg->program[q];
}

static void
run_block(page *pg, const char *kind, char *text)
{
    pg->blocks++;
    if (strcmp(kind, "sb") == 0) {
        run_program(pg, text);
    } else if (strcmp(kind, "schedule") == 0) {
        pg->result = schedule(pg, text);
        lower_all(pg, pg->result);
    } else if (strcmp(kind, "result") == 0) {
        assert_non_null(pg->result);
        assert_string_equal(ir_lab_print(&pg->lab, pg->result), text);
    } else if (strcmp(kind, "refused") == 0) {
        run_refused(pg, text);
    } else if (strncmp(kind, "again ", 6) == 0) {
        run_again(pg, kind + 6);
    } else {
        fail_msg("a block of an unknown kind: %s", kind);
    }
}

static void
run_page(const char *name, int blocks)
{
    char path[1024], *text = calloc(1, BYTES), *at = text;
    page *pg = calloc(1, sizeof *pg);
    FILE *f;

    assert_non_null(text);
    assert_non_null(pg);
    (void)snprintf(path, sizeof path, "%s/docs/%s", SB_SOURCE_DIR, name);
    f = fopen(path, "rb");
    assert_non_null(f);
    assert_true(fread(text, 1, BYTES - 1, f) > 0);
    (void)fclose(f);
    ir_lab_init(&pg->lab);
    while ((at = strstr(at, "\n```")) != NULL) {
        char *kind = at + 4, *body = strchr(kind, '\n'), *end;

        assert_non_null(body);
        *body++ = '\0';
        end = strncmp(body, "```", 3) == 0 ? body : strstr(body, "\n```");
        assert_non_null(end);
        at = end + (end == body ? 3 : 4);
        end[end != body] = '\0';
        run_block(pg, kind, body);
    }
    assert_true(pg->blocks >= blocks);
    ir_lab_free(&pg->lab);
    free(pg);
    free(text);
}

static void
test_ir(void **state)
{
    (void)state;
    run_page("ir.md", 4);
}

static void
test_schedules(void **state)
{
    (void)state;
    run_page("schedules.md", 30);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_ir),
        cmocka_unit_test(test_schedules),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
