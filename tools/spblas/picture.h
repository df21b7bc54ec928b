/* A matrix as a PNG: how dense each pixel's place is, coloured by part, with a legend. */
#ifndef SPBLAS_TOOL_PICTURE_H
#define SPBLAS_TOOL_PICTURE_H

#include "parts.h"

/* The matrix's longer side takes about `edge` pixels. NULL, or a sentence. */
const char *picture_write(const char *path, const mm_matrix *m, const parts_map *parts,
                          int64_t edge);

#endif
