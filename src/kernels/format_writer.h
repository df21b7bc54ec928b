/*
 * What the files that write a format's program share: its levels as the writer sees
 * them, and the pieces of text made of them.
 */
#ifndef SB_KERNELS_FORMAT_WRITER_H
#define SB_KERNELS_FORMAT_WRITER_H

#include "kernels/format_program.h"

typedef struct sb_format_writer {
    const sb_format_op *op;
    const sb_fmt *f;
    sb_diag *diag;
    sb_strbuf *out;
    sb_fmt_level level[SB_FMT_LEVELS];
    const sb_fmt_expr *inverse[SB_FMT_DIMS];
    int solid;     /* last level that is not plain dense; dense ones behind are roots */
    int row_level; /* plain dense level that is the row of C and may go first; or -1 */
    sb_strbuf row, col, at; /* coordinates as seen by the product; indices of $A */
} sb_format_writer;

/* ---- facts ---- */

/* Every index of a range, or of a run whose end the data says: no list. */
bool sb_level_is_plain(const sb_format_writer *w, int q);
/* Its indices are a field of records. */
bool sb_level_has_field(const sb_format_writer *w, int q);
/* Its indices are a list of their own. */
bool sb_level_is_sparse(const sb_format_writer *w, int q);
/* Slots may be empty, marked by a negative index. */
bool sb_level_is_padded(const sb_format_writer *w, int q);
/* The last level of the loop that level q begins. */
int sb_level_group_end(const sb_format_writer *w, int q);
/* The level whose index is dimension `dim` as it is; -1 without. */
int sb_format_level_of(const sb_format_writer *w, int dim);
/* Never below zero, whatever the levels hold. */
bool sb_format_is_natural(const sb_format_writer *w, const sb_fmt_expr *e);
/* Whether the loop of `level` must be open where the expression stands. */
bool sb_format_uses(const sb_format_writer *w, const sb_fmt_expr *e, int level);
/* Some slots may be there only to fill up; they hold zero. */
bool sb_format_pads(const sb_format_writer *w);
/* Zeros are trimmed down to the leaves: a slot is an element, always. */
bool sb_format_is_trimmed(const sb_fmt *f);
/* The dimension of A that is the row of C. */
int sb_format_row_dim(const sb_format_writer *w);
/* The level whose loop visits every row of C once, so that init may stand in it; -1. */
int sb_format_row_level(const sb_format_writer *w);

/* ---- text ---- */

/* An expression over levels, at the indices they stand at. */
void sb_format_put_expr(sb_strbuf *out, const sb_format_writer *w,
                        const sb_fmt_expr *e);
/* Sizes and scalars of the operation. */
void sb_format_put_scalars(sb_strbuf *out, const sb_spec *s);
/* Parameters, lists, axes and operands. */
void sb_format_put_declarations(const sb_format_writer *w);

#endif
