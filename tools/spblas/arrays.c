/* Walks over parts and levels. Names of levels come from the format's own text of its
 * arrays: "i: size; j: ptr idx". */
#include "arrays.h"

#include "report.h"
#include "tool.h"

#include <stdlib.h>
#include <string.h>

enum { LEVELS_MAX = 16 };

/* One part as the interface gives it. */
typedef struct part {
    elem type;
    int levels;
    spblasLevelInfo_t level[LEVELS_MAX];
    const void *values;
    int64_t count, stride;
    char *names; /* of the levels, each ended by NUL */
} part;

static void
must(spblasStatus_t st)
{
    if (st)
        exit(tool_complain("%s", spblasGetLastErrorMessage(NULL)));
}

char *
arrays_format(spblasConstSpMatDescr_t a, int k)
{
    size_t size = 0;
    char *text;

    must(spblasSpMatGetFormatText(a, k, NULL, &size));
    text = tool_memory((int64_t)size, 1);
    must(spblasSpMatGetFormatText(a, k, text, &size));
    return text;
}

/* What stands before ": " of each level, one after the other. */
static char *
level_names(spblasConstSpMatDescr_t a, int k)
{
    char *format = arrays_format(a, k), *text, *to;
    const char *at;
    spblasFormatDescr_t f;
    size_t size = 0;

    must(spblasCreateFormat(&f, format));
    free(format);
    must(spblasFormatGetArrays(f, NULL, &size));
    text = to = tool_memory((int64_t)size + 1, 1);
    must(spblasFormatGetArrays(f, text, &size));
    must(spblasDestroyFormat(f));
    for (at = text; *at;) {
        const char *stop = strstr(at, ": ");
        const char *next = strstr(at, "; ");

        memmove(to, at, (size_t)(stop - at));
        to += stop - at;
        at = next ? next + 2 : at + strlen(at);
        *to++ = '\0';
    }
    return text;
}

static void
open_part(part *p, spblasConstSpMatDescr_t a, elem type, int k)
{
    int q;

    *p = (part){.type = type, .levels = 1, .names = level_names(a, k)};
    for (q = 0; q < p->levels && q < LEVELS_MAX; q++) {
        p->level[q].structSize = sizeof p->level[q];
        must(spblasSpMatGetPartLevel(a, k, q, &p->level[q]));
        p->levels = p->level[q].levels;
    }
    must(spblasSpMatGetPartValues(a, k, &p->values, &p->count, &p->stride));
}

static int
part_count(spblasConstSpMatDescr_t a)
{
    int n;

    must(spblasSpMatGetPartCount(a, &n));
    return n;
}

/* ---- Counting -------------------------------------------------------------------- */

static double
index_size(spblasIndexType_t t)
{
    return t == SPBLAS_INDEX_64I ? 8.0 : t == SPBLAS_INDEX_32I ? 4.0 : 2.0;
}

/* Bytes of count entries; those of records belong to the first array of them. */
static double
array_bytes(int64_t count, int64_t stride, double size, bool *records)
{
    const bool first = stride > 1 && !*records;

    *records = *records || stride > 1;
    return stride <= 1 || first
               ? size * (double)count * (double)(stride < 1 ? 1 : stride)
               : 0.0;
}

void
arrays_count(spblasConstSpMatDescr_t a, elem type, int64_t *numbers, double *bytes)
{
    const int parts = part_count(a);
    int k, q;

    *numbers = 0;
    *bytes = 0.0;
    for (k = 0; k < parts; k++) {
        bool records = false;
        part p;

        open_part(&p, a, type, k);
        *bytes += array_bytes(p.count, p.stride, (double)elem_size(type), &records);
        *numbers += p.count;
        for (q = 0; q < p.levels; q++) {
            const spblasLevelInfo_t *l = &p.level[q];

            if (l->idx) {
                *numbers += l->count;
                *bytes += array_bytes(l->count, l->idxStride, index_size(l->idxType),
                                      &records);
            }
            if (l->ptr) {
                *numbers += l->ptrCount;
                *bytes += index_size(l->ptrType) * (double)l->ptrCount;
            }
        }
        free(p.names);
    }
}

/* ---- Report ---------------------------------------------------------------------- */

static void
report_level(FILE *to, const char *name, const spblasLevelInfo_t *l)
{
    fprintf(to, "          %-14s", name);
    if (!l->idx && !l->ptr)
        fprintf(to, " %lld indices from %lld", (long long)l->size, (long long)l->lo);
    if (l->ptr)
        fprintf(to, " ptr %lld (%s)", (long long)l->ptrCount,
                show_bytes(index_size(l->ptrType) * (double)l->ptrCount));
    if (l->idx)
        fprintf(to, "%s idx %lld (%s%s)", l->ptr ? "," : "", (long long)l->count,
                show_bytes(index_size(l->idxType) * (double)l->count),
                l->idxStride > 1 ? ", in records" : "");
    else if (l->ptr)
        fprintf(to, ", %lld indices in runs", (long long)l->count);
    fputc('\n', to);
}

void
arrays_report(FILE *to, spblasConstSpMatDescr_t a, elem type, int max)
{
    const int parts = part_count(a);
    int k, q;

    for (k = 0; k < parts && k < max; k++) {
        const char *name;
        part p;

        open_part(&p, a, type, k);
        if (parts > 1) {
            char *text = arrays_format(a, k);

            fprintf(to, "part %-4d %.*s\n", k, (int)strcspn(text, "\n"), text);
            free(text);
        } else {
            fputs("arrays\n", to);
        }
        for (q = 0, name = p.names; q < p.levels; q++, name += strlen(name) + 1)
            report_level(to, name, &p.level[q]);
        fprintf(to, "          %-14s %lld (%s%s)\n", "values", (long long)p.count,
                show_bytes((double)elem_size(type) * (double)p.count),
                p.stride > 1 ? ", in records" : "");
        free(p.names);
    }
    if (parts > max)
        fprintf(to, "          and %d parts more\n", parts - max);
}

/* ---- Numbers --------------------------------------------------------------------- */

static void
print_indices(FILE *to, const char *what, const void *array, spblasIndexType_t type,
              int64_t count, int64_t stride)
{
    int64_t p;

    if (!array)
        return;
    fprintf(to, "    %s", what);
    for (p = 0; p < count; p++)
        fprintf(to, " %lld",
                type == SPBLAS_INDEX_64I
                    ? (long long)((const int64_t *)array)[p * stride]
                    : (long long)((const int32_t *)array)[p * stride]);
    fputc('\n', to);
}

static void
print_values(FILE *to, const part *p)
{
    int64_t q;
    double re, im;

    fputs("  values\n   ", to);
    for (q = 0; q < p->count; q++) {
        elem_get(p->type, p->values, q * p->stride, &re, &im);
        fprintf(to, elem_is_complex(p->type) ? " %g%+gi" : " %g", re, im);
    }
    fputc('\n', to);
}

void
arrays_print(FILE *to, spblasConstSpMatDescr_t a, elem type)
{
    const int parts = part_count(a);
    int k, q;

    for (k = 0; k < parts; k++) {
        const char *name;
        part p;

        open_part(&p, a, type, k);
        fprintf(to, "part %d\n", k);
        for (q = 0, name = p.names; q < p.levels; q++, name += strlen(name) + 1) {
            const spblasLevelInfo_t *l = &p.level[q];

            fprintf(to, "  %s: %lld nodes\n", name, (long long)l->count);
            print_indices(to, "ptr", l->ptr, l->ptrType, l->ptrCount, l->ptrStride);
            print_indices(to, "idx", l->idx, l->idxType, l->count, l->idxStride);
        }
        print_values(to, &p);
        free(p.names);
    }
}
