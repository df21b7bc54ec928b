/*
 * Which backend a new handle gets.
 */
#ifndef SB_API_BACKEND_SELECT_H
#define SB_API_BACKEND_SELECT_H

#include "runtime/backend.h"

/* Reads SPBLAS_BACKEND. EINVAL for an unknown name, ENOTSUP for one this build lacks.
 */
sb_status sb_backend_select(const sb_backend **out, sb_diag *diag);

#endif
