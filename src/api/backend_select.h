/*
 * Which backend a new handle gets.
 */
#ifndef SB_API_BACKEND_SELECT_H
#define SB_API_BACKEND_SELECT_H

#include "runtime/backend.h"
#include "runtime/device.h"

/* The host's table, and the device of the backend called `name` (NULL: SPBLAS_BACKEND, else
 * the GPU if one answers), held; NULL for the CPU. EINVAL for an unknown name, ENOTSUP for
 * one that this machine lacks. */
sb_status sb_backend_select(const sb_backend **host, sb_device **device,
                            const char *name, sb_diag *diag);

#endif
