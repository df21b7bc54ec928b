/*
 * What the files that write a format's program share: its levels as the writer sees
 * them, and the pieces of text made of them.
 */
#ifndef SB_KERNELS_FORMAT_WRITER_H
#define SB_KERNELS_FORMAT_WRITER_H

#include "kernels/format_program.h"

/* The result has a place for every slot. */
#define SB_FORMAT_EVERY (~0U)

typedef struct sb_format_writer {
    const sb_format_op *op; /* NULL in a contraction */
    const sb_fmt *f;
    sb_dtype value, ptr, idx;
    sb_diag *diag;
    sb_strbuf *out;
    sb_fmt_level level[SB_FMT_LEVELS];
    const sb_fmt_expr *inverse[SB_FMT_DIMS];
    int solid;     /* last level that is not plain dense; dense ones behind are roots */
    int row_level; /* plain dense level that is the row of C and may go first; or -1 */
    unsigned
        spatial; /* dimensions that say where the result goes, as a set, or EVERY */
    const char *extent[SB_FMT_DIMS]; /* parameters that bound the dimensions */
    sb_strbuf coord[SB_FMT_DIMS];    /* the coordinates of a slot */
    sb_strbuf at;                    /* indices of $A */
} sb_format_writer;

/* ---- facts ---- */

/* Every index of a range, or of a run whose end the data says: no list. */
bool sb_level_is_plain(const sb_format_writer *w, int q);
/* Its indices are a field of records. */
bool sb_level_has_field(const sb_format_writer *w, int q);
/* Its indices are a list of their own. */
bool sb_level_is_sparse(const sb_format_writer *w, int q);
/* Not trimmed and yet a list: nodes may be empty, marked by an index before the first. */
bool sb_level_is_padded(const sb_format_writer *w, int q);
/* The last level of the loop that level q begins. */
int sb_level_group_end(const sb_format_writer *w, int q);
/* The level whose index is dimension `dim` as it is; -1 without. */
int sb_format_level_of(const sb_format_writer *w, int dim);
/* Never below zero, whatever the levels hold. */
bool sb_format_is_natural(const sb_format_writer *w, const sb_fmt_expr *e);
/* Whether the loop of `level` must be open where the expression stands. */
bool sb_format_uses(const sb_format_writer *w, const sb_fmt_expr *e, int level);
/* The largest value of x mod b, x mod b / c: they start at 0; -1: not known from the text. */
int64_t sb_format_top(const sb_fmt_expr *e);
/* The level's expression at a slot's coordinates is always the index the slot stands at
 * (format_image.c); else the slot may be the image of no element. */
bool sb_format_comes_back(const sb_format_writer *w, int level);
/* Every slot that is not marked as empty is an element. */
bool sb_format_is_exact(const sb_format_writer *w);
/* The level whose loop visits every index of dimension `dim` once; -1 without. */
int sb_format_row_level(const sb_format_writer *w, int dim);

/* ---- text ---- */

/* An expression over levels, at the indices they stand at. */
void sb_format_put_expr(sb_strbuf *out, const sb_format_writer *w,
                        const sb_fmt_expr *e);
/* Parameters, lists and axes of the levels. `over`: the dimensions of $A. */
void sb_format_put_levels(const sb_format_writer *w, sb_strbuf *over);
/* Levels q .. sb_level_group_end(q) as iterators, fused where there are several. */
void sb_format_put_group(const sb_format_writer *w, int q);
/* "if TESTS {" that a slot must pass to be an element; false: none. zeros: also that its
 * value is not zero. */
bool sb_format_put_guard(const sb_format_writer *w, bool zeros);

/* ---- the writer ---- */

/* Inference, inverse and coordinates of f; the other fields are set before. EINVAL for a
 * hybrid. The buffers are freed by close either way. */
sb_status sb_format_writer_open(sb_format_writer *w, sb_arena *ar);
/* The first failure of its buffers and of `out`. */
sb_status sb_format_writer_close(sb_format_writer *w);

#endif
