/*
 * Sparse matrices from and to files: Matrix Market (.mtx, .mtx.gz; coordinate and
 * array; real, integer, pattern, complex; general, symmetric, skew-symmetric,
 * hermitian) and tab-separated triples head, relation, tail (.tsv, .tsv.gz), whose
 * relations are merged into one matrix.
 *
 * All mm*.c files together need libc and zlib only; tests, the fuzz target and the
 * benchmarks compile them as they are. Nothing here prints or exits. Numbers are read
 * and written with a decimal point under every locale.
 *
 * Source   Boisvert, Pozo, Remington: The Matrix Market Exchange Formats (NIST 1996)
 */
#ifndef SPBLAS_TOOL_MM_H
#define SPBLAS_TOOL_MM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum mm_status {
    MM_OK,
    MM_EFILE,   /* cannot be opened, read or written; damaged gzip data */
    MM_EFORMAT, /* the text breaks a rule of the format */
    MM_EMEMORY  /* more than the memory limit */
} mm_status;

typedef enum mm_field { MM_REAL, MM_INTEGER, MM_PATTERN, MM_COMPLEX } mm_field;
typedef enum mm_symmetry {
    MM_GENERAL,
    MM_SYMMETRIC,
    MM_SKEW_SYMMETRIC,
    MM_HERMITIAN
} mm_symmetry;

/*
 * A matrix as CSR, base 0, all entries (a symmetric file is expanded), columns of a row
 * ascending and distinct. Zeroed is a valid empty matrix.
 */
typedef struct mm_matrix {
    int64_t rows, cols, nnz;
    int64_t *ptr; /* rows + 1 */
    int64_t *col; /* nnz */
    double *val; /* nnz, or 2 nnz (real, imaginary) when field is COMPLEX; PATTERN: 1 */
    mm_field field; /* of the file; a pattern that names places twice is INTEGER */
    mm_symmetry symmetry; /* of the file */
    bool array;           /* file in array format: its zeros are not kept */
    int64_t stored;       /* entries in the file */
    int64_t duplicates;   /* entries added to an earlier one at the same place */
    int64_t relations;    /* of a file of triples; else 0 */
} mm_matrix;

/* What went wrong, as "FILE: line N: found; expected". line is 0 where no line is to
 * blame. */
typedef struct mm_error {
    int64_t line;
    char text[512];
} mm_error;

typedef struct mm_options {
    int64_t max_bytes; /* no array grows beyond this; 0: the machine's memory */
    /* Called now and then with bytes of the file done and in all; may be NULL. */
    void (*progress)(void *user, int64_t done, int64_t total);
    void *user;
} mm_options;

/*
 * Reads a file, or bytes in memory that may be gzip data too. The kind comes from the
 * name: *.tsv and *.tsv.gz hold triples, all else is Matrix Market. Entries at the same
 * place are added and counted. A header's counts are believed only as far as entries
 * really come, so a lying one allocates nothing.
 *
 * Writes   *out, released by mm_free; zeroed on failure. *err on failure
 */
mm_status mm_read(mm_matrix *out, const char *path, const mm_options *opt,
                  mm_error *err);
mm_status mm_read_memory(mm_matrix *out, const char *name, const void *data,
                         size_t size, const mm_options *opt, mm_error *err);
void mm_free(mm_matrix *m);

/*
 * Writes Matrix Market coordinate text, gzipped when the name ends in .gz, sorted by
 * row. field and symmetry are m's; of a symmetric matrix only the lower triangle is
 * written. Each line of comment (may be NULL) becomes a comment line. Values read back
 * bit for bit. A file that could not be written whole is removed.
 */
mm_status mm_write(const mm_matrix *m, const char *path, const char *comment,
                   mm_error *err);

/* ---- Building a matrix entry by entry -------------------------------------------- */

typedef struct mm_builder {
    int64_t count, cap, max_bytes;
    int64_t *row, *col;
    double *val; /* two a entry when complex */
    bool complex;
    bool failed; /* memory was short: entries were lost and finish will say so */
} mm_builder;

void mm_builder_init(mm_builder *b, bool complex, int64_t max_bytes);
/* Base 0. */
void mm_builder_add(mm_builder *b, int64_t row, int64_t col, double re, double im);
/*
 * Makes rows x cols CSR of the entries and empties the builder, also on failure. Every
 * entry must lie inside.
 */
mm_status mm_builder_finish(mm_builder *b, int64_t rows, int64_t cols, mm_matrix *out,
                            mm_error *err);
void mm_builder_free(mm_builder *b);

#endif
