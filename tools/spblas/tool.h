/*
 * What the subcommands of the tool share: exit codes, options, random numbers, time,
 * progress. The tool may print and exit; the library never does.
 */
#ifndef SPBLAS_TOOL_H
#define SPBLAS_TOOL_H

#include "mm.h"

#include <stdbool.h>
#include <stdint.h>

enum { TOOL_OK = 0, TOOL_WRONG = 1, TOOL_USAGE = 2 };

int tool_run(int argc, char **argv);
int tool_convert(int argc, char **argv);
int tool_gen(int argc, char **argv);
int tool_inspect(int argc, char **argv);
int tool_tune(int argc, char **argv);

/* "spblas: ..." on stderr; returns TOOL_USAGE. */
int tool_complain(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Memory or the end of the program with exit code TOOL_USAGE and a sentence. Aligned to
 * 64 bytes, zeroed. */
void *tool_memory(int64_t count, size_t size);

/* ---- Options --------------------------------------------------------------------- */

typedef enum arg_kind { ARG_FLAG, ARG_INT, ARG_REAL, ARG_TEXT } arg_kind;
typedef struct arg_spec {
    const char *name; /* "--n"; ends the table when NULL */
    arg_kind kind;
    void *to; /* bool, int64_t, double, const char * */
    const char *help;
} arg_spec;

/* Reads argv[1 ..]; words that are no option go to words[0 .. max), their number to
 * *count. `--x V` and `--x=V`. TOOL_OK or TOOL_USAGE, having complained. */
int arg_parse(int argc, char **argv, const arg_spec *specs, const char **words, int max,
              int *count);
void arg_help(const arg_spec *specs);

/* ---- Random numbers (SplitMix64), the same everywhere ---------------------------- */

typedef struct tool_rng {
    uint64_t state;
} tool_rng;
uint64_t rng_next(tool_rng *r);
double rng_unit(tool_rng *r);                  /* [0, 1) */
int64_t rng_below(tool_rng *r, int64_t limit); /* [0, limit) */
double rng_normal(tool_rng *r);

/* ---- Time and progress ----------------------------------------------------------- */

double tool_seconds(void);
double tool_median(double *x, int n); /* sorts x */

/* A line on stderr that overwrites itself; silent unless stderr is a terminal. */
void tool_progress(const char *what, double done, double total);
void tool_progress_end(void);
/* For mm_options.progress; user is the text before the bar. */
void tool_read_progress(void *user, int64_t done, int64_t total);

/* Reads a matrix with progress; TOOL_OK or TOOL_USAGE, having complained. */
int tool_read(mm_matrix *out, const char *path);

#endif
