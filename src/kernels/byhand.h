/*
 * GPU kernels whose text is written by hand (*.inc beside this file) in place of what the
 * emitter makes of the spec's program. The program stays what says what such a kernel
 * computes: same parameters, buffers and tiles, and tests hold the text against it.
 */
#ifndef SB_KERNELS_BYHAND_H
#define SB_KERNELS_BYHAND_H

#include "base/gpu_shape.h"
#include "compiler/ir.h"
#include "kernels/spec.h"

typedef struct sb_byhand sb_byhand;

/* NULL: the emitter's. */
const sb_byhand *sb_byhand_of(const sb_spec *s);

/* How such a kernel's work is cut. */
typedef struct sb_byhand_cut {
    int threads; /* of a block */
    int tiles;   /* what rows_per_tile of the launch is; 0: as for other kernels */
    int strip; /* rows and entries that a group of lanes takes; 0: blocks take items */
    int resident; /* threads on a multiprocessor of 9.0 */
    int items;    /* rows and entries that a block takes together, at most; 0: strips */
    int least; /* entries of a range: multiples of so many keep all lanes busy; 0: any */
} sb_byhand_cut;

sb_byhand_cut sb_byhand_cut_of(const sb_byhand *h, const sb_spec *s);

/* Puts that into the shape of its launch. */
void sb_byhand_shape(sb_gpu_shape *shape, const sb_byhand *h, const sb_spec *s);

/* As sb_emit_cuda, for program `p` of the spec. */
sb_status sb_byhand_emit(sb_strbuf *out, const sb_byhand *h, const sb_prog *p,
                         const sb_spec *s, const char *symbol, const char *name);

#endif
