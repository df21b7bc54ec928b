/*
 * Where a call's arrays lie, and so who computes. A handle of the CPU never asks.
 */
#ifndef SB_API_PLACE_H
#define SB_API_PLACE_H

#include "api/object.h"
#include "native/native.h"
#include "runtime/problem.h"

/* Gives a problem to the handle's device and stream, unless its arrays are the host's
 * alone: those are computed on the host. EINVAL when some are the host's alone and some
 * the device's. */
sb_status sb_place_problem(spblasHandle_t h, sb_problem *pb, sb_diag *diag);

/* For routines that only the host has. Waits for the handle's stream where one of the
 * arrays (NULL ones are no matter) may be the device's too; ENOTSUP where the host cannot
 * read it. */
sb_status sb_place_on_host(spblasHandle_t h, const void *const *array, int count,
                           sb_diag *diag);
sb_status sb_place_sparse_on_host(spblasHandle_t h, const sb_matrix *a, sb_diag *diag);

/* Whether the device computes: *yes when one of the arrays (NULL ones are no matter) lies
 * in its memory alone. EINVAL when others then are the host's alone. */
sb_status sb_place_on_device(bool *yes, spblasHandle_t h, const void *const *array,
                             int count, sb_diag *diag);
sb_status sb_place_sparse_on_device(bool *yes, spblasHandle_t h, const sb_matrix *a,
                                    const void *dense, sb_diag *diag);
/* sb_matrix_check of a device's matrix, brought to the host: waits. */
sb_status sb_place_check(spblasHandle_t h, const sb_matrix *a, sb_diag *diag);
/* EINVAL unless the device can use it, with the argument's name. */
sb_status sb_place_buffer(spblasHandle_t h, const void *buffer, const char *name,
                          sb_diag *diag);
/* Whether the device reads or writes a scalar: the host cannot, or it lies on both sides and
 * the pointer mode says so. */
bool sb_place_by_device(spblasHandle_t h, const void *scalar);

/* A scalar for the device, which reads it itself where it can. */
sb_native_scalar sb_place_native_scalar(spblasHandle_t h, const void *scalar,
                                        sb_dtype type);
/* Whether a scalar, by the handle's pointer mode, is where its device can read it. */
bool sb_place_is_far(spblasHandle_t h, const void *scalar);

/* A scalar of `bytes` to `out`, by the handle's pointer mode. */
sb_status sb_place_scalar(void *out, spblasHandle_t h, const void *scalar, size_t bytes,
                          sb_diag *diag);

#endif
