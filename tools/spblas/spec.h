/* The options that `run` and `inspect` share: which product, how planned. */
#ifndef SPBLAS_TOOL_SPEC_H
#define SPBLAS_TOOL_SPEC_H

#include "job.h"
#include "tool.h"

typedef struct spec_words {
    const char *op, *format, *type, *layout, *trans, *effort, *plan;
    int64_t n, index;
    double alpha, beta, limit;
    bool frozen;
} spec_words;

void spec_defaults(spec_words *w);
/* Words to values; TOOL_OK or TOOL_USAGE, having complained. */
int spec_read(const spec_words *w, job_spec *out);

/* Rows of an arg_spec table for these words. */
#define SPEC_ARGS(w)                                                                  \
    {"--op", ARG_TEXT, &(w)->op, "spmm, spmv or sddmm (spmm)"},                       \
        {"--format", ARG_TEXT, &(w)->format,                                          \
         "csr, csc, coo or bsrB (blocks of B x B): what the library gets (csr)"},     \
        {"--n", ARG_INT, &(w)->n, "columns of B, or length of SDDMM's dots (32)"},    \
        {"--type", ARG_TEXT, &(w)->type, "f32, f64, f16, bf16, c32, c64 (f32)"},      \
        {"--index", ARG_INT, &(w)->index, "32 or 64 bits (32)"},                      \
        {"--layout", ARG_TEXT, &(w)->layout, "row or col (row)"},                     \
        {"--trans", ARG_TEXT, &(w)->trans,                                            \
         "N, T or H: op of the sparse matrix, in SDDMM of the second factor"},        \
        {"--alpha", ARG_REAL, &(w)->alpha, "(1)"},                                    \
        {"--beta", ARG_REAL, &(w)->beta, "(0)"},                                      \
        {"--effort", ARG_TEXT, &(w)->effort,                                          \
         "estimate, measure or exhaustive (estimate)"},                               \
        {"--limit", ARG_REAL, &(w)->limit, "seconds of an exhaustive search (none)"}, \
        {"--frozen", ARG_FLAG, &(w)->frozen, "promise that values stay as they are"}, \
    {                                                                                 \
        "--plan", ARG_TEXT, &(w)->plan, "force this plan, e.g. \"(plan spmm ...)\""   \
    }

#endif
