/*
 * A small random matrix in every format at once, for tests that run IR programs: buffers
 * and parameters are bound by name (m n k nnz base ld*, A_ptr A_crd A B C X Y, rows_*,
 * ell_*, bsr_*, dia_*, coo_*, tile), all values are small integers, so sums are exact in
 * any order. Also the stage I programs and rewrite rules that most compiler tests use.
 */
#ifndef SB_TEST_IRWORLD_H
#define SB_TEST_IRWORLD_H

#include "compiler/compiler.h"

#include <stdint.h>

#define IR_TILES 16

typedef struct ir_world {
    uint64_t seed;
    int64_t m, n, k, nnz, base, ldb, ldc, lda;
    int64_t block; /* the pattern is made of full block x block blocks */
    int64_t ell_width, dia_count, ntile;
    double alpha, beta;
    int64_t *row, *col, *ptr; /* sorted by row and column; counting from 0 */
    int64_t *dia;             /* offsets */
    int64_t tile[4 * IR_TILES];
} ir_world;

/* m and k are rounded up to multiples of block. */
void ir_world_make(ir_world *w, uint64_t seed, int64_t m, int64_t n, int64_t k,
                   int64_t block);
void ir_world_free(ir_world *w);

/* What a run leaves in the buffers that are written, all buffers after each other. */
typedef struct ir_result {
    sb_status st;
    int64_t n;
    double *v;
    char why[480];
} ir_result;
/* Interprets p; everything starts from the same contents each time. */
ir_result ir_world_run(const ir_world *w, const sb_prog *p);
void ir_result_free(ir_result *r);
/* Runs both, compares all results with ==. A failure prints both programs. */
bool ir_world_same(const ir_world *w, const sb_prog *a, const sb_prog *b);

/* An arena, an ir and a diag for one test. */
typedef struct ir_bench {
    sb_arena arena;
    sb_ir ir;
    sb_diag diag;
} ir_bench;
void ir_bench_open(ir_bench *b);
void ir_bench_close(ir_bench *b);
/* Parse and verify, or the test fails. */
const sb_prog *ir_bench_parse(ir_bench *b, const char *text);
/* The canonical text; sb_strbuf_free it. */
sb_strbuf ir_text(const sb_prog *p);

/* Stage I over compressed rows. */
extern const char ir_spmm[], ir_spmv[], ir_sddmm[];
/* SpMM over coordinates: no init, so C is only added to. */
extern const char ir_spmm_coo[];
/* SpMM over diagonals with holes. */
extern const char ir_spmm_dia[];
/* Rules for the three above; bsr is for block = 2. `ell` keeps values by position and
 * counts slots by length, `pad` marks empty slots by a negative column. */
extern const char ir_rule_rows[], ir_rule_ell[], ir_rule_pad[], ir_rule_bsr[];
/* ELL with a new array of values (decompose with copy). */
extern const char ir_rule_ell_copy[];

#endif
