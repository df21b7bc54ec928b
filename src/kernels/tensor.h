/*
 * Pieces of programs for a GPU's tensor cores (compiler/tensor.h), shared by the kinds that
 * have them. A group, a warp, sums `rows` rows of C, a multiple of 8, times the spec's tile
 * of columns in $sums, whose elements lie as the machine's fragments do; the machine's rows
 * are columns of C. All in tiles %c0 of columns, each with its tail.
 */
#ifndef SB_KERNELS_TENSOR_H
#define SB_KERNELS_TENSOR_H

#include "base/strbuf.h"
#include "kernels/spec.h"

/* Summed indices of one product. */
int sb_tensor_depth(const sb_spec *s);

/* Opens the loop over %c0, of so many columns, declares $sums and clears it. */
void sb_tensor_clear(sb_strbuf *out, const sb_spec *s, const char *columns, int rows);

/* "tensor .. $sums[..] +=", for column %i of the tile, row %j, summed index %u; the two
 * factors are said between these. */
void sb_tensor_begin(sb_strbuf *out, const sb_spec *s, int rows, int deep);
void sb_tensor_end(sb_strbuf *out);

/* The factor of B: row a b c, three texts put together, under the selects that `when`
 * opens, each with one more ", 0.0)" at the end. */
void sb_tensor_rows(sb_strbuf *out, const sb_spec *s, const char *when, const char *a,
                    const char *b, const char *c);

/* Opens loops over lanes %x and their rows %r of `first` + 0 .. rows, and says from which
 * column %cb on a lane has tile / 8 of them. */
void sb_tensor_lanes(sb_strbuf *out, const sb_spec *s, const char *first, int rows);
void sb_tensor_lanes_end(sb_strbuf *out);
/* In those: sums += VALUE times the lane's columns of row `row` of B. */
void sb_tensor_add(sb_strbuf *out, const sb_spec *s, const char *row,
                   const char *value);

/* Writes C from row `first` on and closes the loop over %c0. */
void sb_tensor_write(sb_strbuf *out, const sb_spec *s, const char *first, int rows);

/*
 * SDDMM of %count columns of `rows` rows of A from %w * rows on, 16 columns at a time; the
 * machine's rows are those columns. column: which, of the one at %c0 * 16 + %i; place: where
 * in $A the element of the column at %cb + %s in row %r of them lies. Beyond %count nothing
 * is stored, beyond %k both factors are 0.
 */
void sb_tensor_sample(sb_strbuf *out, const sb_spec *s, int rows, const char *column,
                      const char *place);

#endif
