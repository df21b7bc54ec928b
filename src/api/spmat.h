/*
 * What the files about sparse descriptors share: the argument table, making, changing.
 */
#ifndef SB_API_SPMAT_H
#define SB_API_SPMAT_H

#include "api/object.h"

typedef struct spblasSpMatDescr sb_spmat;

/* Checks a draft's sizes, types, arrays and batch against the table; SUCCESS or the
 * recorded failure of `function`. */
spblasStatus_t sb_spmat_check(const char *function, const sb_spmat *draft);

/* Makes a descriptor of a draft that has format, sizes, types and arrays. *out is NULL
 * unless SUCCESS. */
spblasStatus_t sb_spmat_create(const char *function, spblasSpMatDescr_t *out,
                               sb_spmat draft);

/* Keeps a changed draft if it passes the table; drops the plans on request. */
spblasStatus_t sb_spmat_change(const char *function, spblasSpMatDescr_t descr,
                               const sb_spmat *draft, bool drop_plans);

/* SUCCESS when descr is a live sparse matrix, of `format` unless that is 0, and no output
 * is NULL. CSR also admits CSC where `or_csc` says so. */
spblasStatus_t sb_spmat_usable(const char *function, spblasConstSpMatDescr_t descr,
                               spblasFormat_t format, bool or_csc, bool outputs);

/* convert.c: frees what a conversion made; NULL is fine. A matrix of it, which takes it
 * over, also on failure. */
void sb_made_release(sb_made *made);
spblasStatus_t sb_made_matrix_take(const char *function, spblasSpMatDescr_t *out,
                                   sb_made *made, spblasDataType_t type);

/* Lengths of the descriptor's arrays for one member. They fit: the table saw to it. */
int64_t sb_spmat_ptr_count(const sb_spmat *d); /* 0 for COO and Blocked-ELL */
int64_t sb_spmat_idx_count(const sb_spmat *d);
int64_t sb_spmat_val_count(const sb_spmat *d);

#endif
