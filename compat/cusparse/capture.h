/*
 * Calls on a stream that captures. Computing here happens at once, so a call that a CUDA
 * graph should contain is kept instead: its operands are copied (descriptors, not arrays;
 * scalars of the host), and a node that computes with them is added to the graph, through
 * the CUDA run time that the program uses (cudaLaunchHostFunc). What cannot be kept so is
 * refused, and the capture is broken, so that no graph lacks it.
 *
 * Kept: SB_KEEP rows over CSR, CSC, COO and Blocked-ELL matrices without a batch.
 */
#ifndef SB_COMPAT_CAPTURE_H
#define SB_COMPAT_CAPTURE_H

#include "cusparse.h"

#include <stdbool.h>

/* Whether the handle's stream captures, or, for the default stream, another one that it
 * would have to wait for. */
bool sb_capturing(cusparseHandle_t handle);

/* Breaks the capture; NOT_SUPPORTED. */
cusparseStatus_t sb_capture_refuse(cusparseHandle_t handle);

/* For a row SB_KEEP of `name`: checks the arguments as far as can be, and keeps the call. */
#define SB_SAME(...)
#define SB_OWN(...)
#define SB_OWN_AS(...)
#define SB_KEEP(family, name, ...) \
    cusparseStatus_t sb_keep_##name(SB_EACH(SB_DECL, __VA_ARGS__));
#include "spblas_cusparse/functions.def"

#endif
