/*
 * GPU kernels whose text is written by hand (*.inc beside this file) in place of what the
 * emitter makes of the spec's program. The program stays what says what such a kernel
 * computes: same parameters, buffers and tiles, and tests hold the text against it.
 */
#ifndef SB_KERNELS_BYHAND_H
#define SB_KERNELS_BYHAND_H

#include "compiler/ir.h"
#include "kernels/spec.h"

typedef struct sb_byhand sb_byhand;

/* NULL: the emitter's. */
const sb_byhand *sb_byhand_of(const sb_spec *s);

/* Rows and entries that a group of lanes takes. */
int sb_byhand_strip(const sb_byhand *h, const sb_spec *s);
/* Rows and entries that a block takes together, at most; 0: its groups have strips. */
int sb_byhand_items(const sb_byhand *h);
int sb_byhand_threads(const sb_byhand *h, const sb_spec *s);

/* As sb_emit_cuda, for program `p` of the spec. */
sb_status sb_byhand_emit(sb_strbuf *out, const sb_byhand *h, const sb_prog *p,
                         const sb_spec *s, const char *symbol, const char *name);

/* Changes with the text. */
sb_hash sb_byhand_hash(const sb_byhand *h, sb_hash key);

/* The texts, embedded. */
const char *sb_byhand_text_strips(void);
const char *sb_byhand_text_samples(void);
const char *sb_byhand_text_products(void);

#endif
