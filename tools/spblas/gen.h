/*
 * Kinds of generated matrices. A kind is a row in gen_kinds: defaults and a function
 * that marks places; values are drawn afterwards. The same options give the same
 * matrix on every machine.
 */
#ifndef SPBLAS_TOOL_GEN_H
#define SPBLAS_TOOL_GEN_H

#include "tool.h"

/* Numbers a kind may use; 0 or negative in the call means the kind's default. */
typedef struct gen_options {
    int64_t rows, cols; /* cols 0: rows */
    int64_t degree;     /* entries a row */
    int64_t block, window, global, random;
    int64_t unknowns; /* of a node, which each entry is a block of then; 0: 1 */
    double density, scale;
    int64_t seed;
    int64_t edges; /* of a table 1 graph, before scale */
    int64_t top;   /* largest degree of a graph, before scale */
} gen_options;

typedef struct gen_kind {
    const char *name, *help;
    gen_options defaults;
    mm_field field; /* PATTERN or REAL unless the call says otherwise */
    /* Adds entries with value 1 (or its own). opt has rows and cols set and may
     * change them. NULL, or a sentence about an option that does not fit. */
    const char *(*make)(gen_options *opt, tool_rng *r, mm_builder *to);
} gen_kind;

const char *gen_power_graph(gen_options *opt, tool_rng *r, mm_builder *to);
const char *gen_rmat(gen_options *opt, tool_rng *r, mm_builder *to);
const char *gen_uniform(gen_options *opt, tool_rng *r, mm_builder *to);
const char *gen_knn(gen_options *opt, tool_rng *r, mm_builder *to);
const char *gen_banded(gen_options *opt, tool_rng *r, mm_builder *to);
const char *gen_block_pruned(gen_options *opt, tool_rng *r, mm_builder *to);
const char *gen_movement_pruned(gen_options *opt, tool_rng *r, mm_builder *to);
const char *gen_longformer(gen_options *opt, tool_rng *r, mm_builder *to);
const char *gen_bigbird(gen_options *opt, tool_rng *r, mm_builder *to);
const char *gen_strided(gen_options *opt, tool_rng *r, mm_builder *to);
const char *gen_logsparse(gen_options *opt, tool_rng *r, mm_builder *to);
const char *gen_butterfly(gen_options *opt, tool_rng *r, mm_builder *to);
const char *gen_crossed(gen_options *opt, tool_rng *r, mm_builder *to);
const char *gen_stencil(gen_options *opt, tool_rng *r, mm_builder *to);

/* A matrix of a kind in memory, as `spblas gen` writes it. TOOL_OK, or TOOL_USAGE, having
 * complained. */
int gen_make(mm_matrix *out, const char *name, gen_options opt);

/* Keys sorted ascending and made distinct; the new count. tmp has room for all. */
int64_t gen_distinct(uint64_t *key, uint64_t *tmp, int64_t count);

#endif
