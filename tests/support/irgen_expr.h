/*
 * What the files of the random program generator share: names in scope, expressions.
 */
#ifndef SB_TEST_IRGEN_EXPR_H
#define SB_TEST_IRGEN_EXPR_H

#include "base/dtype.h"
#include "gen.h"
#include "irgen.h"

enum { NAMES = 64, AXES = 8, DEPTH = 4 };

typedef struct name {
    char text[12];
    sb_dtype type;
    bool reduced; /* a reduction iterator */
    bool writable;
    int rank;
} name;

typedef struct axis {
    char text[8];
    int parent; /* -1 at a root */
    bool dense;
} axis;

typedef struct generator {
    gen_rng rng;
    sb_strbuf *out;
    int stage, nvar, nbuf, naxis, fresh;
    bool spatial; /* reduction iterators must not be used now */
    bool vector;  /* inside a vector loop */
    name var[NAMES], buf[NAMES];
    axis axis[AXES];
} generator;

/* [0, n) */
int64_t irgen_pick(generator *g, int64_t n);
/* Text, sometimes with blanks or a comment behind. */
void irgen_put(generator *g, const char *s);
void irgen_expr(generator *g, sb_dtype t, int depth);
/* [i, ...] */
void irgen_index(generator *g, int rank, int depth);

#endif
