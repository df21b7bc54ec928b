/*
 * Text to image by NVRTC, or by whatever stands in its place in the table.
 */
#ifndef SB_GPU_NVRTC_H
#define SB_GPU_NVRTC_H

#include "base/strbuf.h"
#include "gpu/driver.h"

enum { SB_NVRTC_NAME = 32 };

/* "NVRTC 13.0", and behind it the one option more that SPBLAS_NVRTC_OPTION names. */
void sb_nvrtc_name(const sb_driver *d, char out[SB_NVRTC_NAME]);

/* Appends the image of a text for "sm_90" (machine code) or "compute_75" (PTX). EIO with
 * the compiler's first complaint, ENOMEM. Needs no device; any thread. */
sb_status sb_nvrtc_compile(sb_strbuf *out, const sb_driver *d, const char *arch,
                           const char *text, sb_diag *diag);

#endif
