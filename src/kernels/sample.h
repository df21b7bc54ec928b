/*
 * SDDMM in groups: the dots of several rows of X with several columns of Y at once. Every
 * loaded vector serves all dots it belongs to, and the sums across lanes are made
 * together (compiler/tensor.h, sums_). Both factors lie along the dots.
 */
#ifndef SB_KERNELS_SAMPLE_H
#define SB_KERNELS_SAMPLE_H

#include "base/strbuf.h"
#include "kernels/spec.h"

enum { SB_SAMPLE_DOTS = 32 }; /* of a group, at most: registers */

/* Whether the spec asks for groups, else entries are made one by one; and whether there
 * are any for its kinds, types and layouts. */
bool sb_sample_grouped(const sb_spec *s);
bool sb_sample_can(const sb_spec *s);

/*
 * A list of entries, %lo .. %hi, that `rows` neighbouring rows of X from %i on have, taken
 * `together` at a time. In the texts %p is the place in the list at which a group begins.
 *
 * column  the group's %d-th column
 * ahead   the column %d places on, to ask for; NULL: nothing is asked for
 * place   where in $A the dot of the %d-th row with column %e of the group goes; `listed`,
 *         of one row: the dot with the %d-th column
 */
typedef struct sb_samples {
    int rows, together;
    bool listed;
    const char *column, *ahead, *place;
} sb_samples;

/* The list by groups, and what is left one by one; of several rows by halves of a group first. */
void sb_sample_list(sb_strbuf *out, const sb_spec *s, const sb_samples *of);

/* Entries %lo .. %hi of the caller's arrays, all of row %i. */
void sb_sample_row(sb_strbuf *out, const sb_spec *s);

/* The schedule of a program made of these. */
void sb_sample_schedule(sb_strbuf *out, const sb_spec *s);

#endif
