/* A matrix and operands for a case, and the check of a result. */
#ifndef SPBLAS_BENCH_PROBLEM_H
#define SPBLAS_BENCH_PROBLEM_H

#include "peer.h"

typedef struct problem_matrix {
    char name[64];
    int64_t rows, cols, nnz;
    int32_t *ptr, *col;
    double *val; /* NULL: random ones */
} problem_matrix;

/* Reads a file, its values (1 in a pattern) where `own`; false having complained on stderr. */
bool problem_read(problem_matrix *out, const char *path, bool own);
/* The columns of each row become 0 to 7 in turns: as many entries, as much of C, and a B whose
 * rows come from the nearest cache. What a kernel takes row by row then, no order of rows,
 * partition or asking ahead makes less. */
void problem_near(problem_matrix *m);
void problem_free_matrix(problem_matrix *m);

/* Operands, random ones with values in [-1, 1). False when memory is short. */
bool problem_make(bench_problem *out, const problem_matrix *m, bench_op op, elem type,
                  int64_t n, bool by_columns, bool transposed, int threads);
/* Rows of c and of b. */
int64_t problem_rows(const bench_problem *pb);
int64_t problem_depth(const bench_problem *pb);
void problem_free(bench_problem *pb);

/* The largest |error| / bound of c against sums in higher precision; at most 1 when c
 * is right. The bound is that of tools/spblas/oracle.h. `most` > 0: a sample of the places,
 * spread evenly, that takes about so many products. */
double problem_error(const bench_problem *pb, int64_t most);
/* Overwrites c, so that a peer that writes nothing is seen. */
void problem_spoil(bench_problem *pb);

double problem_flops(const bench_problem *pb);
/* Bytes that must move at least: structure, values, both dense operands once, c. */
double problem_bytes(const bench_problem *pb);

#endif
