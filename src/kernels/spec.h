/*
 * Which kernel: the handful of facts a kernel is specialised by. Everything else (sizes,
 * strides, widths, scalars) arrives at run time. A spec prints to one line, which names
 * the kernel in every cache, and builds the program the compiler turns into C.
 */
#ifndef SB_KERNELS_SPEC_H
#define SB_KERNELS_SPEC_H

#include "base/diag.h"
#include "base/dtype.h"
#include "base/gpu_shape.h"
#include "base/status.h"
#include "compiler/compiler.h"

#include <stdbool.h>

typedef enum sb_kernel_op { SB_KOP_SPMM, SB_KOP_SPMV, SB_KOP_SDDMM } sb_kernel_op;

/* GPU: what multiplies. */
typedef enum sb_mma {
    SB_MMA_NONE,
    SB_MMA_HALF,  /* tensor cores, exact products of f16 or bf16 */
    SB_MMA_TF32,  /* of f32, of which ten bits of the fraction are left */
    SB_MMA_TF32X3 /* of f32 as sums of two such; only when asked for, as the one above */
} sb_mma;

enum {
    SB_SPEC_BLOCK_MAX = 64,
    SB_SPEC_THREADS = 128, /* of a block of a GPU */
    SB_SPEC_FAR = 9,       /* `prefetch`: of rows of A behind this one too */
    SB_SPEC_FLOW =
        4, /* `unroll` of groups of SpMV whose vectors go on from row to row */
    SB_SPEC_FEW = 8,     /* `unroll` of rows whose last entries are masked */
    SB_SPEC_JOIN = 16,   /* ... by fours, rows one after the other */
    SB_SPEC_HALVES = 32, /* ... by fours, two and one, no masks */
    SB_SPEC_EIGHTS = 64, /* ... by eights, the last ones masked */
    SB_SPEC_SLIM =
        128, /* ... as HALVES, by registers of 32 bytes where there are wider */
    SB_SPEC_FOURS =
        256 /* ... as HALVES, of rows of B of any width; entries in turn have sums apart */
};

typedef struct sb_spec {
    sb_kernel_op op;
    unsigned kinds; /* set of part kinds fused, bit q = kind q of registry.def */
    sb_dtype a, b, c, compute;   /* element types */
    sb_dtype ptr, idx;           /* offset and column types */
    bool b_col, c_col;           /* dense operands column-major as seen after op() */
    bool a_conj, b_conj, c_conj; /* c_conj: SDDMM */
    int block; /* BSR, BLOCKS: block size (BLOCKS: 1: any, at run time), WIN, SHARE, MASK, UBCSR: rows
                     of a window; HDIA: ranges that values are looked up in, 0: none; 0
                     without them */
    bool turned; /* BLOCKS of a known size: columns of a block one after another */
    bool
        packed; /* ELL, BSR, DIA, SHARE ...: values in the part's own array (the promise was given);
                     BLOCKS: in the order of the blocks; else read by position */
    bool narrow; /* SELL: columns are i16, counted from one of the slice's own */
    bool one;    /* SELL, packed: all values are the same, and the array has one */
    int tile;    /* columns of C (SDDMM: of the reduction) per register tile */
    bool exact;  /* SpMM: C has exactly `tile` columns; SDDMM: so long are the dots */
    int prefetch; /* rows of B ahead, 0 none: of this row of A into L1, from SB_SPEC_FAR on
                     of the rows behind it too, first lines alone, from SB_PREFETCH_WHOLE on
                     all lines, from SB_PREFETCH_FAR on into L2 */
    int unroll; /* SpMM: entries of a row taken together; 0 is 1; MASK: 4: sums of all rows of
                     a window are made together; SEG: 2: eight lanes for four, 4: vectors
                     that go on from row to row; WIN,
                   SpMV: 2: eight for sixteen; UBCSR: columns of a block */
    bool stream; /* non-temporal stores to C */
    int lanes;   /* GPU: threads that work at a row together; 0: for the CPU */
    int vec;     /* GPU, SpMM: columns of C beside each other that a lane has; 0 is 1 */
    int stage; /* GPU, SHARE: shared columns of a window staged in shared memory at a time;
                  0 none */
    sb_mma mma;
    bool
        even; /* GPU: tiles are equal pieces of what the caller's arrays list, without a
                * table; csr, blocks, list, range, carry or whole alone */
} sb_spec;

/* Whether it has ranges of HDIA that there are: registers hold 12 to 16 vectors of values. */
bool sb_spec_ranged(const sb_spec *s);

/* "spmm csr+rows f32f32f32/f32 i32i32 rr t32 p0 u2"; at most SB_SPEC_MAX bytes with NUL. */
sb_status sb_spec_print(char *out, size_t size, const sb_spec *s);
sb_status sb_spec_parse(sb_spec *out, const char *text, sb_diag *diag);

/*
 * From a spec to a program. `source` is one kind's program before its schedule (stage I,
 * rewritten by the kind's rule, or stage II for kinds that write their loops), `lowered`
 * the scheduled stage III program of one kind, `program` all kinds fused over tiles.
 */
sb_status sb_spec_source(const sb_prog **out, sb_ir *ir, const sb_spec *s, int kind);
sb_status sb_spec_schedule(sb_strbuf *out, const sb_spec *s, int kind);
sb_status sb_spec_lowered(const sb_prog **out, sb_ir *ir, const sb_spec *s, int kind);
sb_status sb_spec_program(const sb_prog **out, sb_ir *ir, const sb_spec *s);

/* C text, signature and key of a spec: the maker that sb_kernel_get takes is a thin
 * wrapper over this (src/planner/maker.c: it puts sb_emit_prelude() before the text). The
 * symbol given to sb_emit_c is "sbk_" and the 32 hex digits of the key. */
sb_status sb_spec_emit(sb_strbuf *text, sb_strbuf *signature, sb_hash *key,
                       const char *spec_text, sb_diag *diag);

/* The same of a spec with lanes: CUDA text that stands alone (spblas_gpu.h in place; with
 * SBG_EMULATE defined it is C), and what a launch needs to know. */
sb_status sb_spec_emit_gpu(sb_strbuf *text, sb_strbuf *signature, sb_hash *key,
                           sb_gpu_shape *shape, const char *spec_text, sb_diag *diag);

/* The specs compiled into the library, by index; NULL past the end. */
const char *sb_spec_builtin(int index);

#endif
