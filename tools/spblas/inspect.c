/*
 * `spblas inspect`: what a matrix looks like, what the planner makes of it, and a
 * picture of both.
 */
#include "picture.h"
#include "report.h"
#include "spec.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { EDGE = 900 };

/* Rows by length: buckets of powers of two, as hyb uses them. */
static void
show_lengths(const mm_matrix *m)
{
    int64_t rows[64] = {0}, entries[64] = {0}, i;
    int l, last = 0;

    for (i = 0; i < m->rows; i++) {
        const int64_t len = m->ptr[i + 1] - m->ptr[i];

        for (l = 0; len > 0 && (INT64_C(1) << l) < len; l++)
            ;
        l += len > 0;
        rows[l]++;
        entries[l] += len;
        last = l > last ? l : last;
    }
    puts("rows      length        rows      share of entries");
    for (l = 0; l <= last; l++)
        if (rows[l])
            printf("          up to %-7lld %-9lld %.1f %%\n",
                   l ? (long long)(INT64_C(1) << (l - 1)) : 0LL, (long long)rows[l],
                   m->nnz ? 100.0 * (double)entries[l] / (double)m->nnz : 0.0);
}

/* Share of entries in completely full aligned blocks, and on nearly full diagonals. */
static void
show_structure(const mm_matrix *m)
{
    static const char *const texts[] = {"(part bsr 2)", "(part bsr 4)", "(part bsr 8)",
                                        "(part dia 90)", "(part win 4)"};
    static const char *const names[] = {"full 2 x 2 blocks", "full 4 x 4 blocks",
                                        "full 8 x 8 blocks", "diagonals 90 % full",
                                        "runs shared by 4 rows"};
    parts_map parts;
    size_t k;

    for (k = 0; k < sizeof texts / sizeof *texts; k++) {
        parts_assign(&parts, m, texts[k]);
        printf("%-10s%-24s %.1f %% of the entries\n", k ? "" : "structure", names[k],
               m->nnz ? 100.0 * (double)parts.entries[0] / (double)m->nnz : 0.0);
        parts_free(&parts);
    }
}

/* The plan that the analysis makes; NULL text when it makes none. */
static int
ask_plan(const mm_matrix *m, const job_spec *spec, char **text)
{
    char *why;
    job j;
    int code = job_make(&j, spec, m);

    *text = NULL;
    if (code == TOOL_OK && job_analyse(&j))
        code = TOOL_USAGE;
    if (code == TOOL_OK) {
        *text = plan_text(j.a);
        why = plan_explanation(j.a);
        if (why)
            show_indented("", why);
        free(why);
    }
    job_free(&j);
    return code;
}

static int
inspect(const char *path, const job_spec *spec, const char *png)
{
    parts_map parts;
    mm_matrix m;
    const char *fault = NULL;
    char *text;
    int code, k;

    if (tool_read(&m, path))
        return TOOL_USAGE;
    show_matrix(path, &m);
    show_lengths(&m);
    show_structure(&m);
    code = ask_plan(&m, spec, &text);
    if (code == TOOL_OK) {
        parts_assign(&parts, &m, text);
        for (k = 0; k < parts.count; k++)
            printf("%-10s%-24s %.1f %% of the entries\n", k ? "" : "parts",
                   parts.name[k],
                   m.nnz ? 100.0 * (double)parts.entries[k] / (double)m.nnz : 0.0);
        if (png && (fault = picture_write(png, &m, &parts, EDGE)))
            code = tool_complain("%s: %s", png, fault);
        else if (png)
            printf("picture   %s\n", png);
        parts_free(&parts);
    }
    free(text);
    mm_free(&m);
    return code;
}

int
tool_inspect(int argc, char **argv)
{
    const char *png = NULL, *file[1] = {NULL};
    spec_words words;
    bool help = false;
    const arg_spec specs[] = {
        {"--png", ARG_TEXT, &png, "draw the matrix and the parts into this file"},
        SPEC_ARGS(&words),
        {"--help", ARG_FLAG, &help, "this text"},
        {NULL, ARG_FLAG, NULL, NULL},
    };
    job_spec spec;
    int count;

    spec_defaults(&words);
    if (arg_parse(argc, argv, specs, file, 1, &count))
        return TOOL_USAGE;
    if (help) {
        puts("usage: spblas inspect FILE.mtx[.gz] [options]");
        arg_help(specs);
        return TOOL_OK;
    }
    if (count == 0)
        return tool_complain("inspect wants a matrix file");
    if (spec_read(&words, &spec))
        return TOOL_USAGE;
    return inspect(file[0], &spec, png);
}
