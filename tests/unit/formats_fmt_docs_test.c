/*
 * docs/formats.md: every ```format block does what its "=>" lines say, the ```c block is
 * part of the example that tests/install runs, and the table of registered formats is
 * what the registry gives. SPBLAS_DOCS_WRITE=1 rewrites the table.
 */
#include "fmtlab.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const char page[] = SB_SOURCE_DIR "/docs/formats.md";
static const char begin[] = "<!-- registry: begin -->\n";
static const char end[] = "<!-- registry: end -->\n";
static const char example[] = SB_SOURCE_DIR "/examples/consumer/formats.c";
static char text[200000], program[20000];

static void
read_file(const char *path, char *to, size_t size)
{
    FILE *f = fopen(path, "rb");
    size_t n;

    assert_non_null(f);
    n = fread(to, 1, size - 1, f);
    assert_true(n < size - 1);
    to[n] = '\0';
    (void)fclose(f);
}

static void
read_page(void)
{
    read_file(page, text, sizeof text);
}

static void
expect(const char *block, const char *got, const char *want)
{
    if (strcmp(got, want) != 0)
        fail_msg("in docs/formats.md:\n%s\ngives  %s\nwanted %s", block, got, want);
}

/* One line after "=> ". */
static void
check_claim(fmt_lab *lab, const char *block, const sb_fmt *f, char *claim)
{
    char *what = strchr(claim, ' ');

    assert_non_null(what);
    *what++ = '\0';
    if (strcmp(claim, "refused") == 0) {
        if (f || !strstr(lab->diag.text, what))
            fail_msg("in docs/formats.md:\n%s\nsays %s\nnot  %s", block, lab->diag.text,
                     what);
        return;
    }
    if (!f)
        fail_msg("in docs/formats.md:\n%s\n%s", block, lab->diag.text);
    if (strcmp(claim, "arrays") == 0)
        expect(block, fmt_lab_arrays(lab, f), what);
    else if (strcmp(claim, "inverse") == 0)
        expect(block, fmt_lab_inverse(lab, f), what);
    else if (strcmp(claim, "prints") == 0)
        expect(block, fmt_lab_print(lab, f), what);
    else
        fail_msg("docs/formats.md: => %s?", claim);
}

static void
check_block(char *block)
{
    char *claims = strstr(block, "\n=> ");
    const sb_fmt *f;
    fmt_lab lab;

    fmt_lab_open(&lab);
    if (!claims)
        fail_msg("nothing is said about:\n%s", block);
    *claims = '\0';
    claims += 4;
    (void)fmt_lab_try(&f, &lab, block);
    while (claims) {
        char *next = strstr(claims, "\n=> "),
             *stop = next ? next : strchr(claims, '\n');

        if (stop)
            *stop = '\0';
        check_claim(&lab, block, f, claims);
        claims = next ? next + 4 : NULL;
    }
    fmt_lab_close(&lab);
}

static void
test_blocks(void **state)
{
    static const char fence[] = "\n```format\n";
    int n = 0;
    char *at;

    (void)state;
    read_page();
    at = text;
    while ((at = strstr(at, fence))) {
        char *block = at + strlen(fence), *stop = strstr(block, "\n```");

        assert_non_null(stop);
        *stop = '\0';
        check_block(block);
        at = stop + 1;
        n++;
    }
    assert_true(n >= 20);
}

static void
test_program(void **state)
{
    static const char fence[] = "\n```c\n";
    char *block, *stop;

    (void)state;
    read_page();
    read_file(example, program, sizeof program);
    block = strstr(text, fence);
    assert_non_null(block);
    block += strlen(fence);
    stop = strstr(block, "```");
    assert_non_null(stop);
    *stop = '\0';
    if (!strstr(program, block))
        fail_msg("the program of docs/formats.md is no part of %s", example);
}

/* Text of one table cell: on one line, bars escaped. */
static void
put_cell(sb_strbuf *b, const char *s)
{
    sb_strbuf_putc(b, '`');
    for (; *s; s++) {
        if (*s == '\n') {
            sb_strbuf_putc(b, ' ');
            while (s[1] == ' ')
                s++;
        } else {
            sb_strbuf_puts(b, *s == '|' ? "\\" : "");
            sb_strbuf_putc(b, *s);
        }
    }
    sb_strbuf_putc(b, '`');
}

/* The last column of a row that is there: " .. |\n", or empty. */
static void
put_kept(sb_strbuf *b, const char *table, const char *name)
{
    const char *row, *stop, *cell;
    char head[60];

    (void)snprintf(head, sizeof head, "\n| %s |", name);
    row = strstr(table, head);
    stop = row ? strchr(row + 1, '\n') : NULL;
    if (!stop || stop[-1] != '|') {
        sb_strbuf_puts(b, "  |\n");
        return;
    }
    cell = stop - 1;
    while (cell[-1] != '|')
        cell--;
    sb_strbuf_putn(b, cell, (size_t)(stop - cell) + 1);
}

static void
write_table(sb_strbuf *b, const char *old)
{
    sb_strbuf_puts(
        b, "| name | text | arrays | source | tested |\n|---|---|---|---|---|\n");
    for (int q = 0; sb_fmt_registry(q); q++) {
        const sb_fmt_entry *e = sb_fmt_registry(q);
        fmt_lab lab;

        fmt_lab_open(&lab);
        sb_strbuf_printf(b, "| %s | ", e->name);
        put_cell(b, e->text);
        sb_strbuf_puts(b, " | ");
        put_cell(b, fmt_lab_arrays(&lab, fmt_lab_parse(&lab, e->text)));
        sb_strbuf_printf(b, " | %s |", e->source);
        put_kept(b, old, e->name);
        fmt_lab_close(&lab);
    }
}

static void
test_table(void **state)
{
    char *from, *to, *old;
    sb_strbuf b;

    (void)state;
    read_page();
    from = strstr(text, begin);
    to = strstr(text, end);
    assert_true(from && to && from < to);
    from += strlen(begin);
    sb_strbuf_init(&b);
    sb_strbuf_putn(&b, text, (size_t)(from - text));
    old = strndup(from, (size_t)(to - from));
    assert_non_null(old);
    write_table(&b, old);
    free(old);
    sb_strbuf_puts(&b, to);
    if (getenv("SPBLAS_DOCS_WRITE")) {
        FILE *f = fopen(page, "wb");

        assert_non_null(f);
        assert_int_equal(fwrite(b.s, 1, b.len, f), b.len);
        assert_int_equal(fclose(f), 0);
    } else if (strcmp(b.s, text) != 0) {
        fail_msg("the table of docs/formats.md is stale: SPBLAS_DOCS_WRITE=1 %s",
                 "unit_formats_fmt_docs rewrites it");
    }
    sb_strbuf_free(&b);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_blocks),
        cmocka_unit_test(test_program),
        cmocka_unit_test(test_table),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
