/*
 * Products of sparse matrices under test: operands, descriptors, C's arrays, lent memory,
 * and the calls of SpGEMM and SpGEMMreuse on them.
 */
#ifndef SB_TEST_SPGEMMLAB_H
#define SB_TEST_SPGEMMLAB_H

#include "gen.h"

#include "spblas.h"

/* A product under test: operands, descriptors, C's arrays, lent memory. */
typedef struct spgemm_lab {
    sb_matrix a, b, c;
    spblasHandle_t handle;
    spblasSpMatDescr_t A, B, C;
    spblasSpGEMMDescr_t d;
    spblasDataType_t compute;
    double alpha[2], beta[2]; /* of the compute type */
    sb_value alpha_value, beta_value;
    void *buffer[6];
    size_t size[6];
    void *(*take)(size_t bytes); /* memory of buffers and C; NULL: malloc's */
    void (*give)(void *);
} spgemm_lab;

void spgemm_ok(spblasStatus_t st);
void *spgemm_plain(const void *p);
spblasSpMatDescr_t spgemm_describe(const sb_matrix *a);
sb_dtype spgemm_sum_type(sb_dtype t);
void spgemm_set_scalars(spgemm_lab *l, sb_value alpha, sb_value beta);

/* A, B and an empty C with those index types and base. */
spgemm_lab spgemm_begin(const gen_spec *a, const gen_spec *b, sb_dtype ptr,
                        sb_dtype idx, int base);
void spgemm_end(spgemm_lab *l);
/* Overwrites and frees a buffer; makes one of exactly the size that was answered. */
void spgemm_drop(spgemm_lab *l, int buffer);
void spgemm_lend(spgemm_lab *l, int buffer);
/* C's arrays, as large as its descriptor says and full of rubbish. */
void spgemm_make_c(spgemm_lab *l);

spblasStatus_t spgemm_estimate(spgemm_lab *l, void *buffer);
spblasStatus_t spgemm_compute(spgemm_lab *l, void *buffer);
spblasStatus_t spgemm_copy(spgemm_lab *l);
spblasStatus_t spgemm_reuse_nnz(spgemm_lab *l);
spblasStatus_t spgemm_reuse_compute(spgemm_lab *l);
/* All calls up to C's values; up to SpGEMMreuse_compute, buffers dropped where free. */
void spgemm_multiply(spgemm_lab *l);
void spgemm_prepare_reuse(spgemm_lab *l);

/* spgemmlab_check.c. Offsets and columns from 0. */
int64_t spgemm_slot(const sb_matrix *a, int64_t i);
int64_t spgemm_column(const sb_matrix *a, int64_t p);
/* Offsets, ascending columns, and exactly the places that products fall on. */
void spgemm_check_pattern(const spgemm_lab *l);
/* `run` writes C's values, as spgemm_copy does; beta's C is what is there before. */
void spgemm_check_values(spgemm_lab *l, spblasStatus_t (*run)(spgemm_lab *),
                         bool exact);

#endif
