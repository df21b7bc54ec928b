/*
 * A sparse matrix as a dense table of what is stored where, to compare matrices whose
 * arrays have nothing in common. From malloc.
 */
#ifndef SB_TEST_PLACES_H
#define SB_TEST_PLACES_H

#include "formats/matrix.h"

#include "spblas.h"

typedef struct places {
    int64_t rows, cols, nnz;
    bool *stored; /* [i * cols + j] */
    sb_value *value;
} places;

/* Of one member, zeros included. */
places places_of(const sb_matrix *a);
/* Of any matrix, through a conversion to CSR by the public calls; fails the running test
 * when one fails. */
places places_read(spblasHandle_t h, spblasConstSpMatDescr_t a);
void places_free(places *p);

/* True when both have the same elements; else message says where not. zeros: a stored
 * zero and nothing are the same. */
bool places_equal(const places *a, const places *b, bool zeros, char *message,
                  size_t size);

#endif
