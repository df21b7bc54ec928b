/* Printing for people. */
#include "report.h"

#include "tool.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char *
next_buffer(size_t *size)
{
    static char text[4][32];
    static int at;

    at = (at + 1) % 4;
    *size = sizeof text[at];
    return text[at];
}

const char *
show_seconds(double s)
{
    size_t size;
    char *text = next_buffer(&size);

    if (s >= 1.0)
        snprintf(text, size, "%.2f s", s);
    else if (s >= 1e-3)
        snprintf(text, size, "%.3g ms", 1e3 * s);
    else
        snprintf(text, size, "%.3g us", 1e6 * s);
    return text;
}

const char *
show_bytes(double bytes)
{
    static const char *const units[] = {"B", "KiB", "MiB", "GiB", "TiB"};
    size_t size;
    char *text = next_buffer(&size);
    int u = 0;

    for (; bytes >= 1024.0 && u < 4; u++)
        bytes /= 1024.0;
    snprintf(text, size, "%.3g %s", bytes, units[u]);
    return text;
}

void
show_matrix(const char *path, const mm_matrix *m)
{
    static const char *const fields[] = {"real", "integer", "pattern", "complex"};
    static const char *const symmetries[] = {"general", "symmetric", "skew-symmetric",
                                             "hermitian"};
    int64_t i, p, longest = 0, empty = 0, shortest = INT64_MAX, band = 0;
    double mean = m->rows ? (double)m->nnz / (double)m->rows : 0.0, square = 0.0;

    for (i = 0; i < m->rows; i++) {
        const int64_t len = m->ptr[i + 1] - m->ptr[i];

        longest = len > longest ? len : longest;
        shortest = len < shortest ? len : shortest;
        empty += len == 0;
        square += ((double)len - mean) * ((double)len - mean);
        for (p = m->ptr[i]; p < m->ptr[i + 1]; p++)
            band = llabs(m->col[p] - i) > band ? llabs(m->col[p] - i) : band;
    }
    printf("matrix    %s: %lld x %lld, %lld entries, %.3g %% of all places\n", path,
           (long long)m->rows, (long long)m->cols, (long long)m->nnz,
           m->rows && m->cols ? 100.0 * mean / (double)m->cols : 0.0);
    printf("          %s %s %s, %lld stored", fields[m->field], symmetries[m->symmetry],
           m->relations ? "triples"
           : m->array   ? "array"
                        : "coordinates",
           (long long)m->stored);
    if (m->relations)
        printf(" in %lld relations", (long long)m->relations);
    if (m->duplicates)
        printf(", %lld added to others at the same place", (long long)m->duplicates);
    printf("\n          rows of %lld .. %lld entries, mean %.3g, deviation %.3g, %lld "
           "empty; bandwidth %lld\n",
           (long long)(m->rows ? shortest : 0), (long long)longest, mean,
           m->rows ? sqrt(square / (double)m->rows) : 0.0, (long long)empty,
           (long long)band);
}

typedef spblasStatus_t (*text_query)(spblasConstSpMatDescr_t, int, char *, size_t *);

static char *
ask(text_query query, spblasConstSpMatDescr_t a)
{
    size_t size = 0;
    char *text;

    if (query(a, 0, NULL, &size) || size == 0)
        return NULL;
    text = tool_memory((int64_t)size, 1);
    if (query(a, 0, text, &size) == SPBLAS_STATUS_SUCCESS)
        return text;
    free(text);
    return NULL;
}

char *
plan_text(spblasConstSpMatDescr_t a)
{
    return ask(spblasSpMatGetPlanText, a);
}

char *
plan_explanation(spblasConstSpMatDescr_t a)
{
    return ask(spblasSpMatGetPlanExplanation, a);
}

void
show_indented(const char *indent, const char *text)
{
    while (*text) {
        const size_t n = strcspn(text, "\n");

        printf("%s%.*s\n", indent, (int)n, text);
        text += n + (text[n] == '\n');
    }
}
