/*
 * Contestants of gpu_bench: a product by one algorithm of one library, on operands in the
 * GPU's memory. Ours and cuSPARSE have the same binary interface, so one table of
 * functions serves both.
 */
#ifndef BENCH_GPU_CONTEST_H
#define BENCH_GPU_CONTEST_H

#include "elem.h"
#include "gpu_lab.h"
#include "lab.h"

#include "spblas.h"

typedef enum contest_op { CONTEST_SPMM, CONTEST_SPMV, CONTEST_SDDMM } contest_op;

/* What is computed: C = A B + beta C, y = A x + beta y, or A's places of X Y + beta A. */
typedef struct contest {
    contest_op op;
    elem type;
    bool col; /* B and C by columns; SDDMM: X by rows and Y by columns */
    int beta; /* 0 or 1 */
    int n;    /* columns of B and C, of X */
    const char
        *plan; /* for the contestant that is given one; NULL: it does not take part */
    const lab_csr *m;
    /* On the host, as doubles that the type holds: A's values, B or x or X, Y, and what C
     * or y or A's places hold before. */
    double *val, *b, *y, *before;
    int64_t nb, ny, nc; /* elements of b, y, before */
    /* On the GPU. */
    sb_cu_mem ptr, idx, row, a, at_b, at_y, at_c;
    sb_cu_mem bsr_ptr, bsr_idx, bsr_val;
    int64_t blocks; /* of 4 by 4; 0: too empty, or not divisible */
} contest;

typedef struct contest_library contest_library;

/* Ours is of libspblas; cuSPARSE is whatever the loader finds; NULL where it does not. */
contest_library *contest_ours(bool emulated);
contest_library *contest_cusparse(int *version);
void contest_close(contest_library *l);

enum { CONTEST_ROUNDS = 15 };

typedef enum contest_form { FORM_CSR, FORM_COO, FORM_BSR } contest_form;

/* What ours does before its first product: an analysis, which may measure, or take a plan that
 * is given, or none. */
typedef enum contest_effort { ESTIMATED, MEASURED, FORCED, DIRECT } contest_effort;

typedef struct contestant {
    const char *name;
    contest_library *lib;
    int alg;
    contest_form form;
    contest_effort effort;
    const contest *of;
    spblasSpMatDescr_t a;
    spblasDnMatDescr_t b, c;
    spblasDnVecDescr_t x, y;
    sb_cu_mem buffer;
    size_t bytes;
    /* captured: whether a graph can have it, same: whether it gave the same bits each time;
     * both of ours alone */
    bool takes_part, right, captured, same;
    double cold, warm[CONTEST_ROUNDS], flushed[CONTEST_ROUNDS], graph; /* seconds */
    double worst;   /* error over its bound */
    char plan[512]; /* of ours; no characters without one */
} contestant;

/* gpu_operands.c: operands of `m`; exits where memory is short. */
void contest_begin(contest *c, const lab_csr *m);
void contest_end(contest *c);
/* C as it is before a product: not numbers where beta is 0. */
void contest_refill(const contest *c);
/* Of C's bytes. */
uint64_t contest_hash(const contest *c);
/* The largest error of some rows of C over its bound. */
double contest_error(const contest *c);

/* The contestants of an operation: ours first; a list that ends with a NULL name. */
const contestant *contest_list(contest_op op);

/* Descriptors, buffer, preprocessing and the first product, which is checked. Leaves
 * takes_part false where anything fails, and where ours is not computed on the GPU: why is
 * on stderr for ours. */
void contestant_prepare(contestant *k, const contest *of);
bool contestant_multiply(void *k);
/* Why ours has this plan, added to a file. */
void contestant_explain(const contestant *k, const char *file);
/* Some products more, of ours: whether all have the bits of the first. */
void contestant_repeat(contestant *k, int times);
void contestant_end(contestant *k);

#endif
