/* Helpers of the subcommands. */
#include "tool.h"

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

int
tool_complain(const char *format, ...)
{
    va_list ap;

    tool_progress_end();
    fputs("spblas: ", stderr);
    va_start(ap, format);
    vfprintf(stderr, format, ap);
    va_end(ap);
    fputc('\n', stderr);
    return TOOL_USAGE;
}

void *
tool_memory(int64_t count, size_t size)
{
    void *p = NULL;
    size_t bytes;

    if (count < 0 || __builtin_mul_overflow((size_t)count, size, &bytes) ||
        posix_memalign(&p, 64, bytes ? bytes : 1)) {
        exit(tool_complain("no memory for %lld x %zu bytes", (long long)count, size));
    }
    memset(p, 0, bytes);
    return p;
}

/* ---- Options --------------------------------------------------------------------- */

static const arg_spec *
find_spec(const arg_spec *specs, const char *word)
{
    const size_t n = strcspn(word, "=");

    for (; specs->name; specs++)
        if (strlen(specs->name) == n && memcmp(specs->name, word, n) == 0)
            return specs;
    return NULL;
}

static int
store(const arg_spec *spec, const char *text)
{
    char *end = NULL;

    errno = 0;
    if (spec->kind == ARG_INT)
        *(int64_t *)spec->to = strtoll(text, &end, 10);
    else if (spec->kind == ARG_REAL)
        *(double *)spec->to = strtod(text, &end);
    else
        *(const char **)spec->to = text;
    if (end && (end == text || *end || errno))
        return tool_complain("%s: '%s' is not a number", spec->name, text);
    return TOOL_OK;
}

int
arg_parse(int argc, char **argv, const arg_spec *specs, const char **words, int max,
          int *count)
{
    const arg_spec *spec;
    const char *value;
    int i, code;

    *count = 0;
    for (i = 1; i < argc; i++) {
        if (argv[i][0] != '-' || !argv[i][1]) {
            if (*count == max)
                return tool_complain("'%s' is one word too many", argv[i]);
            words[(*count)++] = argv[i];
            continue;
        }
        if (!(spec = find_spec(specs, argv[i])))
            return tool_complain("unknown option %s", argv[i]);
        value = strchr(argv[i], '=');
        if (spec->kind == ARG_FLAG) {
            if (value)
                return tool_complain("%s takes no value", spec->name);
            *(bool *)spec->to = true;
            continue;
        }
        if (value)
            value++;
        else if (i + 1 < argc)
            value = argv[++i];
        else
            return tool_complain("%s wants a value", spec->name);
        if ((code = store(spec, value)) != TOOL_OK)
            return code;
    }
    return TOOL_OK;
}

void
arg_help(const arg_spec *specs)
{
    for (; specs->name; specs++)
        if (specs->help)
            printf("  %-12s %s\n", specs->name, specs->help);
}

/* ---- Random numbers -------------------------------------------------------------- */

uint64_t
rng_next(tool_rng *r)
{
    uint64_t z = (r->state += UINT64_C(0x9e3779b97f4a7c15));

    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return z ^ z >> 31;
}

double
rng_unit(tool_rng *r)
{
    return (double)(rng_next(r) >> 11) * 0x1p-53;
}

int64_t
rng_below(tool_rng *r, int64_t limit)
{
    return limit > 1 ? (int64_t)(rng_unit(r) * (double)limit) : 0;
}

double
rng_normal(tool_rng *r)
{
    const double u = 1.0 - rng_unit(r), v = rng_unit(r);

    return sqrt(-2.0 * log(u)) * cos(6.283185307179586 * v);
}

/* ---- Time and progress ----------------------------------------------------------- */

double
tool_seconds(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static int
compare_doubles(const void *x, const void *y)
{
    const double a = *(const double *)x, b = *(const double *)y;

    return (a > b) - (a < b);
}

double
tool_median(double *x, int n)
{
    if (n < 1)
        return 0.0;
    qsort(x, (size_t)n, sizeof *x, compare_doubles);
    return n % 2 ? x[n / 2] : 0.5 * (x[n / 2 - 1] + x[n / 2]);
}

static bool progress_shown;

void
tool_progress(const char *what, double done, double total)
{
    static double last, first;
    const double now = tool_seconds();

    if (!isatty(STDERR_FILENO))
        return;
    if (!progress_shown) {
        if (first == 0.0)
            first = now;
        if (now - first < 0.3)
            return;
    }
    if (now - last < 0.1)
        return;
    last = now;
    progress_shown = true;
    fprintf(stderr, "\r\033[K%s %3.0f%%", what,
            total > 0.0 ? 100.0 * (done < total ? done : total) / total : 0.0);
    fflush(stderr);
}

void
tool_progress_end(void)
{
    if (progress_shown) {
        fputs("\r\033[K", stderr);
        fflush(stderr);
    }
    progress_shown = false;
}

void
tool_read_progress(void *user, int64_t done, int64_t total)
{
    tool_progress(user, (double)done, (double)total);
}

int
tool_read(mm_matrix *out, const char *path)
{
    static char what[] = "reading";
    const mm_options opt = {.progress = tool_read_progress, .user = what};
    mm_error err;

    if (mm_read(out, path, &opt, &err) != MM_OK)
        return tool_complain("%s", err.text);
    tool_progress_end();
    return TOOL_OK;
}
