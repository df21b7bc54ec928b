/*
 * The Matrix Market reader: banner, size line, entries. Every complaint names the line,
 * what stands there and what was expected.
 */
#include "mm_read.h"
#include "mm_number.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

typedef struct banner {
    mm_field field;
    mm_symmetry symmetry;
    bool array;
} banner;

/* The next line that is neither blank nor a comment: 1, 0 at the end, -1 failure. */
static int
data_line(mm_source *s, const char **at, const char **end)
{
    int got;

    while ((got = mm_source_line(s, at, end, "%")) > 0) {
        while (*at < *end && mm_is_blank(**at))
            ++*at;
        if (*at < *end && **at != '%')
            return 1;
    }
    return got;
}

#define FAIL(...) mm_fail(s->name, s->err, s->line, __VA_ARGS__)

/* Which of `names` the next word is, in any case; -1 for none. */
static int
read_keyword(const char **at, const char *end, const char *const *names, char *word)
{
    int k;

    while (*at < end && mm_is_blank(**at))
        ++*at;
    mm_word(*at, end, word, 32);
    while (*at < end && !mm_is_blank(**at))
        ++*at;
    for (k = 0; names[k]; k++)
        if (strcasecmp(word, names[k]) == 0)
            return k;
    return -1;
}

static mm_status
read_banner(mm_source *s, banner *out)
{
    static const char *const heads[] = {"%%MatrixMarket", NULL};
    static const char *const objects[] = {"matrix", NULL};
    static const char *const formats[] = {"coordinate", "array", NULL};
    static const char *const fields[] = {"real",    "integer", "pattern",
                                         "complex", "double",  NULL};
    static const char *const symmetries[] = {"general", "symmetric", "skew-symmetric",
                                             "hermitian", NULL};
    const char *at, *end;
    char word[32];
    int k, got = mm_source_line(s, &at, &end, "%");

    if (got < 0)
        return MM_EFILE;
    if (got == 0)
        return mm_fail(s->name, s->err, 1,
                       "the file is empty; expected %%%%MatrixMarket");
    if (read_keyword(&at, end, heads, word) < 0)
        return FAIL("starts with '%s'; expected %%%%MatrixMarket", word);
    if (read_keyword(&at, end, objects, word) < 0)
        return FAIL("object '%s'; expected matrix", word);
    if ((k = read_keyword(&at, end, formats, word)) < 0)
        return FAIL("format '%s'; expected coordinate or array", word);
    out->array = k == 1;
    if ((k = read_keyword(&at, end, fields, word)) < 0)
        return FAIL("field '%s'; expected real, integer, pattern or complex", word);
    out->field = k == 4 ? MM_REAL : (mm_field)k;
    if ((k = read_keyword(&at, end, symmetries, word)) < 0)
        return FAIL("symmetry '%s'; expected general, symmetric, skew-symmetric or "
                    "hermitian",
                    word);
    out->symmetry = (mm_symmetry)k;
    if (out->field == MM_PATTERN && (out->array || out->symmetry > MM_SYMMETRIC))
        return FAIL("pattern with %s; expected coordinate, general or symmetric",
                    out->array ? "array" : symmetries[k]);
    if (out->symmetry == MM_HERMITIAN && out->field != MM_COMPLEX)
        return FAIL("hermitian without complex; expected field complex");
    return MM_OK;
}

mm_status
mm_read_line_end(mm_source *s, const char *at, const char *end, const char *after)
{
    char word[32];

    mm_word(at, end, word, sizeof word);
    if (word[0])
        return FAIL("'%s' after %s; expected the end of the line", word, after);
    return MM_OK;
}

mm_status
mm_read_count(mm_source *s, const char **at, const char *end, const char *what,
              int64_t *out)
{
    const mm_number got = mm_number_int(at, end, out);
    char word[32];

    if (got == MM_NUMBER_OK && *out >= 0)
        return MM_OK;
    if (got == MM_NUMBER_END)
        return FAIL("ends early; expected %s", what);
    if (got == MM_NUMBER_OK)
        return FAIL("%lld is negative; expected %s", (long long)*out, what);
    mm_word(*at, end, word, sizeof word);
    if (got == MM_NUMBER_RANGE)
        return FAIL("%s is too large; expected %s", word, what);
    return FAIL("'%s' is not a whole number; expected %s", word, what);
}

static mm_status
read_size(mm_source *s, const banner *b, mm_matrix *m)
{
    const char *at, *end;
    mm_status st;
    int got = data_line(s, &at, &end);

    if (got < 0)
        return MM_EFILE;
    if (got == 0)
        return mm_fail(s->name, s->err, s->line + 1,
                       "the file ends before its sizes; expected %s",
                       b->array ? "rows and columns" : "rows, columns and entries");
    if ((st = mm_read_count(s, &at, end, "the number of rows", &m->rows)) ||
        (st = mm_read_count(s, &at, end, "the number of columns", &m->cols)))
        return st;
    if (!b->array &&
        (st = mm_read_count(s, &at, end, "the number of entries", &m->stored)))
        return st;
    if ((st = mm_read_line_end(s, at, end, "the sizes")))
        return st;
    if (m->rows > INT64_MAX - 1 || m->cols > INT64_MAX - 1)
        return FAIL("sizes at the limit of 64 bits; expected smaller ones");
    if (b->symmetry != MM_GENERAL && m->rows != m->cols)
        return FAIL("%lld x %lld; expected a square matrix, because only those are "
                    "symmetric",
                    (long long)m->rows, (long long)m->cols);
    return MM_OK;
}

static mm_status
read_index(mm_source *s, const char **at, const char *end, const char *what,
           int64_t limit, int64_t *out)
{
    const mm_number got = mm_number_int(at, end, out);
    char word[32];

    if (got == MM_NUMBER_OK && *out >= 1 && *out <= limit) {
        --*out;
        return MM_OK;
    }
    if (got == MM_NUMBER_END)
        return FAIL("ends early; expected a %s", what);
    mm_word(got == MM_NUMBER_OK ? *at - 1 : *at, end, word, sizeof word);
    if (got == MM_NUMBER_OK)
        return FAIL("%s %lld; expected 1 .. %lld", what, (long long)*out,
                    (long long)limit);
    return FAIL("'%s' is not a %s; expected 1 .. %lld", word, what, (long long)limit);
}

static mm_status
read_value(mm_source *s, const char **at, const char *end, const banner *b, double *v)
{
    const char *what = b->field == MM_INTEGER   ? "an integer"
                       : b->field == MM_COMPLEX ? "a real and an imaginary number"
                                                : "a number";
    const int count = b->field == MM_PATTERN ? 0 : b->field == MM_COMPLEX ? 2 : 1;
    mm_number got = MM_NUMBER_OK;
    char word[32];
    int64_t whole;
    int k;

    v[0] = 1.0;
    v[1] = 0.0;
    for (k = 0; k < count && got == MM_NUMBER_OK; k++) {
        if (b->field == MM_INTEGER) {
            if ((got = mm_number_int(at, end, &whole)) == MM_NUMBER_OK)
                v[0] = (double)whole;
        } else {
            got = mm_number_real(at, end, &v[k]);
        }
    }
    if (got == MM_NUMBER_OK)
        return MM_OK;
    if (got == MM_NUMBER_END)
        return FAIL("the value is missing; expected %s", what);
    mm_word(*at, end, word, sizeof word);
    if (got == MM_NUMBER_RANGE)
        return FAIL("%s is too large; expected %s", word, what);
    return FAIL("'%s' is not a number; expected %s", word, what);
}

/* Adds an entry and its mirror image. */
static mm_status
add_entry(mm_source *s, mm_builder *to, const banner *b, int64_t i, int64_t j,
          const double *v)
{
    const double sign = b->symmetry == MM_SKEW_SYMMETRIC ? -1.0 : 1.0;
    const double conj = b->symmetry == MM_HERMITIAN ? -1.0 : sign;

    if (b->symmetry != MM_GENERAL && i < j)
        return FAIL("entry (%lld, %lld) above the diagonal; expected row >= column "
                    "in a symmetric file",
                    (long long)i + 1, (long long)j + 1);
    if (b->symmetry == MM_SKEW_SYMMETRIC && i == j)
        return FAIL("entry (%lld, %lld) on the diagonal; expected row > column in a "
                    "skew-symmetric file",
                    (long long)i + 1, (long long)j + 1);
    if (b->symmetry == MM_HERMITIAN && i == j && v[1] != 0.0)
        return FAIL("diagonal entry (%lld, %lld) with an imaginary part; expected 0 "
                    "in a hermitian file",
                    (long long)i + 1, (long long)j + 1);
    mm_builder_add(to, i, j, v[0], v[1]);
    if (b->symmetry != MM_GENERAL && i != j)
        mm_builder_add(to, j, i, sign * v[0], conj * v[1]);
    return MM_OK;
}

static mm_status
read_coordinates(mm_source *s, const banner *b, mm_matrix *m, mm_builder *to)
{
    const char *at, *end;
    int64_t p, i, j;
    double v[2];
    mm_status st;
    int got = 0;

    for (p = 0; p < m->stored && !to->failed; p++) {
        if ((got = data_line(s, &at, &end)) < 0)
            return MM_EFILE;
        if (got == 0)
            return mm_fail(s->name, s->err, s->line + 1,
                           "the file ends after %lld entries; expected %lld",
                           (long long)p, (long long)m->stored);
        if ((st = read_index(s, &at, end, "row", m->rows, &i)) ||
            (st = read_index(s, &at, end, "column", m->cols, &j)) ||
            (st = read_value(s, &at, end, b, v)) ||
            (st = mm_read_line_end(s, at, end, "the entry")) ||
            (st = add_entry(s, to, b, i, j, v)))
            return st;
    }
    if (!to->failed && (got = data_line(s, &at, &end)) < 0)
        return MM_EFILE;
    if (!to->failed && got > 0)
        return FAIL("another entry; expected the end after %lld", (long long)m->stored);
    return MM_OK;
}

/* Column-major values; of a symmetric matrix the lower triangle. Any number of them in
 * a line. */
static mm_status
read_array(mm_source *s, const banner *b, mm_matrix *m, mm_builder *to)
{
    const int64_t skip = b->symmetry == MM_SKEW_SYMMETRIC ? 1 : 0;
    const char *at = NULL, *end = NULL;
    int64_t i, j;
    double v[2];
    mm_status st;
    int got;

    for (j = 0; j < m->cols; j++) {
        for (i = b->symmetry == MM_GENERAL ? 0 : j + skip; i < m->rows; i++) {
            while (at < end && mm_is_blank(*at))
                at++;
            if (at == end && (got = data_line(s, &at, &end)) <= 0)
                return got < 0 ? MM_EFILE
                               : mm_fail(s->name, s->err, s->line + 1,
                                         "the file ends before value (%lld, %lld); "
                                         "expected %lld x %lld values by columns",
                                         (long long)i + 1, (long long)j + 1,
                                         (long long)m->rows, (long long)m->cols);
            if ((st = read_value(s, &at, end, b, v)))
                return st;
            m->stored++;
            if ((v[0] != 0.0 || v[1] != 0.0) && (st = add_entry(s, to, b, i, j, v)))
                return st;
            if (to->failed)
                return MM_OK;
        }
        if (m->rows == 0)
            break;
    }
    if ((st = mm_read_line_end(s, at ? at : "",
                               end  ? end
                               : at ? at
                                    : "",
                               "the last "
                               "value")))
        return st;
    if ((got = data_line(s, &at, &end)) < 0)
        return MM_EFILE;
    return got ? FAIL("another value; expected the end") : MM_OK;
}

mm_status
mm_read_market(mm_source *s, mm_matrix *m, mm_builder *to)
{
    banner b;
    mm_status st;

    if ((st = read_banner(s, &b)) || (st = read_size(s, &b, m)))
        return st;
    m->field = b.field;
    m->symmetry = b.symmetry;
    m->array = b.array;
    to->complex = b.field == MM_COMPLEX;
    return b.array ? read_array(s, &b, m, to) : read_coordinates(s, &b, m, to);
}

static bool
ends_with(const char *name, const char *tail)
{
    const size_t n = strlen(name), k = strlen(tail);

    return n >= k && strcmp(name + n - k, tail) == 0;
}

/* Reads an open source of either kind and closes it. */
static mm_status
read_source(mm_source *s, mm_matrix *out)
{
    const bool triples = ends_with(s->name, ".tsv") || ends_with(s->name, ".tsv.gz");
    mm_matrix facts = {0};
    mm_builder b;
    mm_status st;

    mm_builder_init(&b, false, s->opt ? s->opt->max_bytes : 0);
    if (ends_with(s->name, ".voxels.tsv.gz") || ends_with(s->name, ".xyz.tsv.gz"))
        st = mm_fail(s->name, s->err, 0,
                     "a list of points; expected triples head, relation, tail");
    else
        st = triples ? mm_read_triples(s, &facts, &b) : mm_read_market(s, &facts, &b);
    if (st == MM_OK)
        st = mm_builder_finish(&b, facts.rows, facts.cols, out, s->err);
    mm_builder_free(&b);
    mm_source_close(s);
    if (st != MM_OK)
        return st;
    out->field =
        facts.field == MM_PATTERN && out->duplicates ? MM_INTEGER : facts.field;
    out->symmetry = facts.symmetry;
    out->array = facts.array;
    out->stored = facts.stored;
    out->relations = facts.relations;
    return MM_OK;
}

mm_status
mm_read(mm_matrix *out, const char *path, const mm_options *opt, mm_error *err)
{
    const int fd = open(path, O_RDONLY | O_CLOEXEC);
    mm_source s;
    mm_status st;

    memset(out, 0, sizeof *out);
    if (fd < 0) {
        mm_fail(path, err, 0, "cannot be opened: %s", strerror(errno));
        return MM_EFILE;
    }
    if ((st = mm_source_open(&s, path, fd, NULL, 0, opt, err)) != MM_OK) {
        mm_source_close(&s);
        return st;
    }
    return read_source(&s, out);
}

mm_status
mm_read_memory(mm_matrix *out, const char *name, const void *data, size_t size,
               const mm_options *opt, mm_error *err)
{
    mm_source s;
    mm_status st;

    memset(out, 0, sizeof *out);
    if ((st = mm_source_open(&s, name, -1, data, size, opt, err)) != MM_OK) {
        mm_source_close(&s);
        return st;
    }
    return read_source(&s, out);
}
