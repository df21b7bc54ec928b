/*
 * What samples.inc is compiled with: SDDMM by ranges of entries where a dot's terms lie side
 * by side in both operands.
 */
#ifndef SB_KERNELS_BYHAND_SAMPLES_H
#define SB_KERNELS_BYHAND_SAMPLES_H

#include "base/strbuf.h"
#include "kernels/spec.h"

/* Whether the text is there for such layouts and shapes; types are the caller's business. */
bool sb_samples_fit(const sb_spec *s);

/* Its macros, threads of a block and of a multiprocessor among them. */
void sb_samples_macros(sb_strbuf *out, const sb_spec *s);
int sb_samples_threads(const sb_spec *s);

/* Entries of a range: multiples of so many keep all lanes busy. */
int sb_samples_least(const sb_spec *s);

/* Its text, with a seeded fault where one is active. */
void sb_samples_put(sb_strbuf *out, const char *text);

#endif
