/*
 * Kernels of the GPU that are written by hand: the source of one, by its name
 *
 *   native OP E C I P [X Y]
 *
 * of an operation of the texts beside this file (*.inc), what it stores, what it computes
 * with, its index and its offset type, and those of two dense operands; "-" where it has none.
 */
#ifndef SB_NATIVE_TEXT_H
#define SB_NATIVE_TEXT_H

#include "base/dtype.h"
#include "runtime/kernel.h"

/* The last: rows of a block that a lane has in a product. */
enum { SB_NATIVE_THREADS = 256, SB_NATIVE_LANES = 32, SB_NATIVE_BRICK_ROWS = 8 };

/* log2 of the elements that a block of sides.inc turns at once, which are of `size` bytes. */
static inline int
sb_native_piece_bits(size_t size)
{
    return size > 8 ? 10 : 11;
}

/* The types in the order above, SB_DTYPE_COUNT: it has none. */
void sb_native_name(char spec[SB_SPEC_MAX], const char *op, const sb_dtype type[6]);

/* EINVAL: no such kernel. */
extern const sb_kernel_maker sb_native_maker;

/* Calls each kernel once that is worth making with the library, in a fixed order: those of
 * the usual types, with 32-bit indices. */
void sb_native_stock(void (*each)(void *user, const char spec[SB_SPEC_MAX]),
                     void *user);

/* The texts, embedded. */
const char *sb_native_text_head(void);
const char *sb_native_text_scan(void);
const char *sb_native_text_vector(void);
const char *sb_native_text_dense(void);
const char *sb_native_text_tri(void);
const char *sb_native_text_tri_block(void);
const char *sb_native_text_spgemm(void);
const char *sb_native_text_order(void);
const char *sb_native_text_geam(void);
const char *sb_native_text_filter(void);
const char *sb_native_text_band(void);
const char *sb_native_text_grid(void);
const char *sb_native_text_factor(void);
const char *sb_native_text_product(void);
const char *sb_native_text_slots(void);
const char *sb_native_text_sides(void);
const char *sb_native_text_canon(void);

#endif
