/*
 * Random computations for schedules to be tried on: a stage I program over random sparse
 * formats (levels of every kind, bases, padding, interleaved dimensions), affine and
 * gathered indices, searched operands, one or two iterations; and data that fits its
 * axes. Values are small integers, so sums are exact in any order.
 */
#ifndef SB_TEST_IRRAND_H
#define SB_TEST_IRRAND_H

#include "compiler/compiler.h"
#include "runtime/kernel.h"

#include <stdint.h>

#define IR_RAND_AXES 16
#define IR_RAND_BUFS 24

typedef struct ir_rand_axis {
    char name[8];
    const char *kind; /* as in the text */
    int parent;       /* -1 at a root */
    char length[8];   /* parameter, or a number */
    int64_t plus;     /* ... and so much more */
    bool base, sorted, unique, padded, end;
} ir_rand_axis;

typedef struct ir_rand_buf {
    char name[8];
    sb_dtype type;
    int rank, axis[8];
    bool written;
} ir_rand_buf;

typedef struct ir_rand {
    sb_strbuf text; /* the program */
    sb_dtype type;  /* of its values */
    int naxis, nbuf;
    ir_rand_axis axis[IR_RAND_AXES];
    ir_rand_buf buf[IR_RAND_BUFS];
} ir_rand;

/* The same seed gives the same program. ir_rand_free it. */
void ir_rand_make(ir_rand *r, uint64_t seed);
void ir_rand_free(ir_rand *r);
/* Runs both programs, made from r, on the data of that seed; compares everything that is
 * written with ==. A failure prints both programs. */
bool ir_rand_same(const ir_rand *r, uint64_t seed, const sb_prog *a, const sb_prog *b);

/* The kernel emitted from p, the last two parameters aside, leaves what the interpreter
 * leaves. */
bool ir_rand_kernel_same(const ir_rand *r, uint64_t seed, const sb_prog *p,
                         sb_kernel_fn fn);

#endif
