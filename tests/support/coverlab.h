/*
 * What the library computes, found by asking it: routines over formats, element types,
 * operations and index types, each combination a cell. docs/coverage.md is written from the
 * answers; cover_run shows that a cell the library accepts is also right.
 */
#ifndef SB_TEST_COVERLAB_H
#define SB_TEST_COVERLAB_H

#include "base/strbuf.h"
#include "gen.h"

#include "spblas.h"

/* CUSTOM is a DIA; SPVEC the sparse vectors. */
typedef enum cover_format {
    COVER_CSR,
    COVER_CSC,
    COVER_COO,
    COVER_BSR,
    COVER_BELL,
    COVER_SELL,
    COVER_CUSTOM,
    COVER_SPVEC,
    COVER_FORMATS
} cover_format;

/* Types of offsets and of indices; 32 and 64 are both. */
typedef enum cover_index {
    COVER_32,
    COVER_64,
    COVER_64_32,
    COVER_32_64,
    COVER_INDICES
} cover_index;

enum { COVER_TYPES = 10, COVER_OPS = 3, COVER_OPERANDS = 4 };

/* Types in the order of the routine's operands. */
typedef struct cover_cell {
    cover_format format;
    cover_index index;
    spblasOperation_t op_a, op_b;
    spblasDataType_t type[COVER_OPERANDS];
} cover_cell;

/* A handle, and every matrix and vector a call may ask about: 12 rows, no entries. */
typedef struct cover_lab {
    spblasHandle_t handle;
    spblasSpMatDescr_t sparse[COVER_FORMATS][COVER_INDICES][COVER_TYPES];
    spblasSpVecDescr_t spvec[COVER_INDICES][COVER_TYPES];
    spblasDnMatDescr_t dnmat[COVER_TYPES];
    spblasDnVecDescr_t dnvec[COVER_TYPES];
    spblasSpSVDescr_t sv;
    spblasSpSMDescr_t sm;
    spblasSpGEMMDescr_t gemm;
    spblasSpGEAMDescr_t geam;
} cover_lab;

/*
 * operand  what has a type of its own, NULL behind the last
 * formats  those worth asking for, as a set
 * ops      how many operations it has
 * ask      the status of the cheapest call that checks its arguments
 * run      computes on small integers and fails the running test if that is wrong
 */
typedef struct cover_routine {
    const char *name;
    const char *operand[COVER_OPERANDS];
    unsigned formats;
    int ops;
    spblasStatus_t (*ask)(cover_lab *l, const cover_cell *c);
    void (*run)(const cover_cell *c);
} cover_routine;

extern const cover_routine cover_routines[];
extern const int cover_routine_count;

void cover_begin(cover_lab *l);
void cover_end(cover_lab *l);

/* fn for every cell of the routine that the library accepts; returns their number. */
typedef void (*cover_visit)(const cover_routine *r, const cover_cell *c);
int64_t cover_each(cover_lab *l, const cover_routine *r, cover_visit fn);

/* docs/coverage.md. */
void cover_print(sb_strbuf *out, cover_lab *l);

/* Words for messages. */
const char *cover_type_name(spblasDataType_t t);
sb_dtype cover_dtype(spblasDataType_t t);
const char *cover_format_name(cover_format f);

/* coverrun.c: 12 rows in the cell's format and index types, with the operand's type; and for
 * CUSTOM the matrix converted, the one it was made of returned (else NULL). */
gen_spec cover_spec(const cover_cell *c, int operand, uint64_t seed);
spblasSpMatDescr_t cover_dress(const cover_cell *c, spblasHandle_t handle,
                               spblasSpMatDescr_t *a);

/* coverrun.c, coverrun_copy.c, by routine. */
void cover_run_spmv(const cover_cell *c);
void cover_run_spmm(const cover_cell *c);
void cover_run_spmm_op(const cover_cell *c);
void cover_run_sddmm(const cover_cell *c);
void cover_run_spsv(const cover_cell *c);
void cover_run_spsm(const cover_cell *c);
void cover_run_spgemm(const cover_cell *c);
void cover_run_spgemm_reuse(const cover_cell *c);
void cover_run_spgeam(const cover_cell *c);
void cover_run_to_dense(const cover_cell *c);
void cover_run_to_sparse(const cover_cell *c);
void cover_run_axpby(const cover_cell *c);
void cover_run_gather(const cover_cell *c);
void cover_run_scatter(const cover_cell *c);
void cover_run_rot(const cover_cell *c);
void cover_run_spvv(const cover_cell *c);

#endif
