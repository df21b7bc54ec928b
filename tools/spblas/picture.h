/* A matrix as a PNG: how dense each pixel's place is, coloured by part, with a legend. */
#ifndef SPBLAS_TOOL_PICTURE_H
#define SPBLAS_TOOL_PICTURE_H

#include "parts.h"

/* Longest edge of the matrix's picture, in pixels: at most `edge`, enlarged to at least
 * half of it. NULL, or a sentence. */
const char *picture_write(const char *path, const mm_matrix *m, const parts_map *parts,
                          int64_t edge);

#endif
