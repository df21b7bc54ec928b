/* The Matrix Market writer. */
#include "mm_number.h"
#include "mm_source.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static const char *const fields[] = {"real", "integer", "pattern", "complex"};
static const char *const symmetries[] = {"general", "symmetric", "skew-symmetric",
                                         "hermitian"};

/* Decimal digits of v >= 0 at `to`; returns the end. */
static char *
put_int(char *to, int64_t v)
{
    char digits[20];
    int n = 0;

    do
        digits[n++] = (char)('0' + v % 10);
    while ((v /= 10) > 0);
    while (n)
        *to++ = digits[--n];
    return to;
}

/* One value with a blank before it. */
static char *
put_value(char *to, const mm_matrix *m, int64_t p)
{
    *to++ = ' ';
    if (m->field == MM_INTEGER) {
        to += snprintf(to, 32, "%lld", (long long)m->val[p]);
    } else if (m->field == MM_COMPLEX) {
        to += mm_number_print(m->val[2 * p], to);
        *to++ = ' ';
        to += mm_number_print(m->val[2 * p + 1], to);
    } else {
        to += mm_number_print(m->val[p], to);
    }
    return to;
}

static bool
is_written(const mm_matrix *m, int64_t i, int64_t j)
{
    return m->symmetry == MM_GENERAL || j < i ||
           (j == i && m->symmetry != MM_SKEW_SYMMETRIC);
}

static bool
write_comment(gzFile f, const char *comment)
{
    while (comment && *comment) {
        const size_t n = strcspn(comment, "\n");

        if (gzprintf(f, "%% %.*s\n", (int)n, comment) <= 0)
            return false;
        comment += n + (comment[n] == '\n');
    }
    return true;
}

static bool
write_all(gzFile f, const mm_matrix *m, const char *comment)
{
    int64_t i, p, count = 0;
    char line[160], *to;

    for (i = 0; i < m->rows; i++)
        for (p = m->ptr[i]; p < m->ptr[i + 1]; p++)
            count += is_written(m, i, m->col[p]);
    if (gzprintf(f, "%%%%MatrixMarket matrix coordinate %s %s\n", fields[m->field],
                 symmetries[m->symmetry]) <= 0 ||
        !write_comment(f, comment) ||
        gzprintf(f, "%lld %lld %lld\n", (long long)m->rows, (long long)m->cols,
                 (long long)count) <= 0)
        return false;
    for (i = 0; i < m->rows; i++)
        for (p = m->ptr[i]; p < m->ptr[i + 1]; p++) {
            if (!is_written(m, i, m->col[p]))
                continue;
            to = put_int(line, i + 1);
            *to++ = ' ';
            to = put_int(to, m->col[p] + 1);
            if (m->field != MM_PATTERN)
                to = put_value(to, m, p);
            *to++ = '\n';
            if (gzwrite(f, line, (unsigned)(to - line)) <= 0)
                return false;
        }
    return true;
}

mm_status
mm_write(const mm_matrix *m, const char *path, const char *comment, mm_error *err)
{
    const size_t n = strlen(path);
    const bool packed = n > 3 && strcmp(path + n - 3, ".gz") == 0;
    gzFile f;
    bool good;

    errno = 0;
    f = gzopen(path, packed ? "wb6" : "wbT");
    if (!f) {
        mm_fail(path, err, 0, "cannot be written: %s",
                errno ? strerror(errno) : "no memory");
        return MM_EFILE;
    }
    gzbuffer(f, 1 << 17);
    good = write_all(f, m, comment);
    if (gzclose(f) != Z_OK || !good) {
        mm_fail(path, err, 0, "cannot be written whole: %s",
                errno ? strerror(errno) : "write failed");
        unlink(path);
        return MM_EFILE;
    }
    return MM_OK;
}
