/*
 * How a public function ends: internal status to public one, sentence to the thread
 * and, where the call had one, to the handle.
 */
#ifndef SB_API_ERROR_H
#define SB_API_ERROR_H

#include "base/diag.h"

#include "spblas.h"

spblasStatus_t sb_public_status(sb_status st);

/* Ends a call: SB_OK is SUCCESS, all else records "<function>: <sentence of diag, or
 * the status in words>". handle may be NULL or no handle at all. */
spblasStatus_t sb_api_end(spblasHandle_t handle, const char *function, sb_status st,
                          const sb_diag *diag);

/* A failed call without a handle, in one sentence. */
spblasStatus_t sb_api_fail(const char *function, sb_status st, const char *sentence);

/* Copies a text out under the two-call protocol: *size becomes the bytes of the text
 * with its NUL; text may be NULL, else *size says what it has room for. */
spblasStatus_t sb_api_text(const char *function, const char *from, char *text,
                           size_t *size);

#endif
