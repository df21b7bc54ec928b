/*
 * The kernels compiled into the library: what calls without analysis and ESTIMATE can
 * use. Tiles and prefetch are the planner's rules (docs/kernels.md); everything else is
 * compiled when it is first asked for. Each line costs compile time for each of the
 * x86 levels, so each must earn its place.
 */
#include "kernels/spec.h"

#include <stddef.h>

/* SpMM, row-major operands: every width class of C. */
#define WIDTHS(kind, types)                                                  \
    "spmm " kind " " types " rr t8 p0", "spmm " kind " " types " rr t16 p0", \
        "spmm " kind " " types " rr t32 p0", "spmm " kind " " types " rr t64 p0"
/* Rows long enough to take two entries together, and the widths that deserve kernels of their
 * own. */
#define LONG(kind, types)                                                          \
    "spmm " kind " " types " rr t8 p0 u2", "spmm " kind " " types " rr t16 p0 u2", \
        "spmm " kind " " types " rr t32 p0 u2"
#define EXACT(kind, types)                                                   \
    "spmm " kind " " types " rr x8 p0", "spmm " kind " " types " rr x16 p0", \
        "spmm " kind " " types " rr x32 p0", "spmm " kind " " types " rr x64 p0"
#define EXACT_LONG(kind, types)                                                    \
    "spmm " kind " " types " rr x8 p0 u2", "spmm " kind " " types " rr x16 p0 u2", \
        "spmm " kind " " types " rr x32 p0 u2", "spmm " kind " " types " rr x64 p0 u2"
/* Rows of B of a line or less: long rows of A by fours. */
#define FEW(kind, types)                                                           \
    "spmm " kind " " types " rr x2 p0", "spmm " kind " " types " rr x2 p0 u4",     \
        "spmm " kind " " types " rr x4 p0", "spmm " kind " " types " rr x4 p0 u4", \
        "spmm " kind " " types " rr t4 p0", "spmm " kind " " types " rr t4 p0 u4", \
        "spmm " kind " " types " rr x8 p0 u4", "spmm " kind " " types " rr t8 p0 u4"
/* Eight entries together, the last ones masked: rows of B of 16 and 32 bytes. */
#define EIGHTS(kind, types, half, whole)         \
    "spmm " kind " " types " rr " half " p0 u8", \
        "spmm " kind " " types " rr " whole " p0 u8"
/* Fours, the last ones masked or two and one, rows one after the other. */
#define JOINED(kind, types, width)                 \
    "spmm " kind " " types " rr " width " p0 u16", \
        "spmm " kind " " types " rr " width " p0 u32"
/* Fours, two and one by registers of 32 bytes. */
#define SLIM(types, half, whole)                   \
    "spmm csr " types " rr " half " p0 u128",      \
        "spmm csr " types " rr " whole " p0 u128", \
        "spmm csr " types " rr " whole " p0 u128 nt"
/* Fours, two and one, rows of B of any width; entries in turn have sums of their own. */
#define FOURS(types, tile) "spmm csr " types " rr " tile " p0 u256"
/* Eights, the last ones masked, rows one after the other: rows of B of 16, 32 and 64 bytes. */
#define MASKED_EIGHTS(types, quarter, half, whole) \
    "spmm csr " types " rr " quarter " p0 u64",    \
        "spmm csr " types " rr " half " p0 u64",   \
        "spmm csr " types " rr " whole " p0 u64"
/* The same of rows of B whose last columns are missing. */
#define CUT_EIGHTS(types, tile) "spmm csr " types " rr " tile " p0 u64"
/* The refinements for a B, or a C, that leaves the caches. */
#define LARGE(kind, types)                                                       \
    "spmm " kind " " types " rr t32 p8", "spmm " kind " " types " rr t32 p0 nt", \
        "spmm " kind " " types " rr t64 p8", "spmm " kind " " types " rr t64 p0 nt"
/* The other layouts. */
#define LAYOUTS(kind, types)                                                \
    "spmm " kind " " types " rc t8 p0", "spmm " kind " " types " cr t8 p0", \
        "spmm " kind " " types " cc t8 p0"
#define VECTOR(kind, types) \
    "spmv " kind " " types " rr t4 p0", "spmv " kind " " types " rr t8 p0"
#define SAMPLED(kind, types, form)                    \
    "sddmm " kind " " types " rr" form " t32 p0",     \
        "sddmm " kind " " types " rc" form " t32 p0", \
        "sddmm " kind " " types " cr" form " t32 p0", \
        "sddmm " kind " " types " cc" form " t32 p0"
/* Both factors along the dots: their length is known; several entries are taken together. */
#define DOTS(kind, types, together)                    \
    "sddmm " kind " " types " rc x32 p0" together,     \
        "sddmm " kind " " types " rc x64 p0" together, \
        "sddmm " kind " " types " rc x128 p0" together
#define SHARED_DOTS(types, tile)                    \
    "sddmm win " types " rc b3 " tile " p0 u4",     \
        "sddmm win " types " rc b4 " tile " p0 u4", \
        "sddmm win " types " rc b6 " tile " p0 u4"
#define TOGETHER(types)                                                             \
    DOTS("csr", types, " u4"), DOTS("csr", types, " u8"),                           \
        "sddmm csr " types " rc t32 p0 u4", "sddmm csr " types " rc t32 p0 u8",     \
        "sddmm rows " types " rc t32 p0 u4", "sddmm rows " types " rc t32 p0 u8",   \
        DOTS("rows", types, " u8"), SHARED_DOTS(types, "t32"),                      \
        "sddmm csr " types " rc x128 p64 u4", "sddmm csr " types " rc x128 p64 u8", \
        "sddmm csr " types " rc t32 p64 u4", DOTS("rows", types, " u4"),            \
        SHARED_DOTS(types, "x32"), SHARED_DOTS(types, "x64"),                       \
        SHARED_DOTS(types, "x128")
/* Parts an analysis makes. Tall register tiles cost most to compile and gain least where
 * registers are narrow, so only pairs of rows get 64 columns, and three of floats, which gain. */
#define BLOCKED(kind, block, types)                \
    "spmm " kind " " types " rr " block " t16 p0", \
        "spmm " kind " " types " rr " block " t32 p0"
/* Windows of narrow products, where a wider tile is masks; of just so many columns, without any. */
#define NARROW_WINDOWS(types, tile)                                                 \
    "spmm win " types " rr b3 " tile " p0", "spmm win " types " rr b4 " tile " p0", \
        "spmm win " types " rr b8 " tile " p0"
#define NARROW(types, tile) NARROW_WINDOWS(types, tile), NARROW_PACKED(types, tile)
#define NARROW_PACKED(types, tile)                       \
    "spmm share " types " rr b3 packed " tile " p0",     \
        "spmm share " types " rr b4 packed " tile " p0", \
        "spmm share " types " rr b8 packed " tile " p0"
#define PAIRED(kind, types) \
    "spmm " kind " " types " rr b2 t32 p0", "spmm " kind " " types " rr b2 t64 p0"
#define LISTED(kind, types) \
    "spmm " kind " " types " rr t16 p0", "spmm " kind " " types " rr t32 p0"

/* The caller's blocks: b1 serves any size and order, also transposed; then the usual sizes
 * by themselves. */
#define BLOCKS(types, form)                     \
    "spmm blocks " types " rr " form " t32 p0", \
        "spmv blocks " types " rr " form " t4 p0"
#define ANY_BLOCK(types)                                                          \
    BLOCKS(types, "b1"), BLOCKS(types, "b1 packed"),                              \
        "spmm blocks " types " rr b1 t64 p0",                                     \
        "spmm blocks " types " rr b1 packed t16 p0",                              \
        "spmm blocks " types " rr b1 packed t64 p0",                              \
        "spmm blocks " types " rc b1 t8 p0", "spmm blocks " types " cr b1 t8 p0", \
        "spmm blocks " types " cc b1 t8 p0",                                      \
        "spmm blocks " types " rc b1 packed t8 p0",                               \
        "spmm blocks " types " cr b1 packed t8 p0",                               \
        "spmm blocks " types " cc b1 packed t8 p0"
#define BOTH_ORDERS(types, block)                                   \
    BLOCKS(types, block " packed"), BLOCKS(types, block " turned"), \
        BLOCKS(types, block " turned packed")

/* Columns that rows share, values by position and packed. */
#define SHARED(types, block, tile)                   \
    "spmm share " types " rr " block " " tile " p0", \
        "spmm share " types " rr " block " packed " tile " p0"

#define STRIPES(types)                                                  \
    "spmv win " types " rr b2 t4 p0", "spmv win " types " rr b3 t4 p0", \
        "spmv win " types " rr b4 t4 p0"
/* Windows, and the rows behind the last, whose C is stored past the caches; rows of B asked for or
 * not. */
#define PAST(kind, types, tile)                  \
    "spmm " kind " " types " rr " tile " p0 nt", \
        "spmm " kind " " types " rr " tile " p32 nt"
/* Eight lanes a row, of windows that leave sixteen too few registers. */
#define HALVED(types) \
    "spmv win " types " rr b3 t4 p0 u2", "spmv win " types " rr b4 t4 p0 u2"

/* Columns that rows share, packed, a lane a row. */
#define LANED(types)                               \
    "spmv share " types " rr b3 packed t4 p0",     \
        "spmv share " types " rr b4 packed t4 p0", \
        "spmv share " types " rr b6 packed t4 p0", \
        "spmv share " types " rr b8 packed t4 p0"

/* Unaligned blocks. */
#define UNALIGNED(types, columns)                           \
    "spmv ubcsr " types " rr b1 packed t4 p0 " columns,     \
        "spmv ubcsr " types " rr b2 packed t4 p0 " columns, \
        "spmv ubcsr " types " rr b3 packed t4 p0 " columns, \
        "spmv ubcsr " types " rr b4 packed t4 p0 " columns

#define MASKED(types)                                                         \
    "spmv mask " types " rr b1 t4 p0", "spmv mask " types " rr b2 t4 p0",     \
        "spmv mask " types " rr b3 t4 p0", "spmv mask " types " rr b4 t4 p0", \
        "spmv mask " types " rr b6 t4 p0"
/* Sums of a window's rows made together. */
#define SUMMED                                                              \
    "spmv mask " F32 " rr b3 t4 p0 u4", "spmv mask " F32 " rr b4 t4 p0 u4", \
        "spmv mask " F32 " rr b6 t4 p0 u4"
#define SLICED(types)                                                      \
    "spmv sell " types " rr t4 p0", "spmv sell " types " rr packed t4 p0", \
        "spmv sell " types " rr narrow t4 p0",                             \
        "spmv sell " types " rr packed narrow t4 p0",                      \
        "spmv sell " types " rr packed one t4 p0",                         \
        "spmv sell " types " rr packed narrow one t4 p0",                  \
        "spmv hdia " types " rr t4 p0", "spmv hdia " types " rr packed t4 p0"
/* Slices by diagonals, values looked up in ranges. */
#define RANGED                                                            \
    "spmv hdia " F32 " rr b3 t4 p0", "spmv hdia " F32 " rr b4 t4 p0",     \
        "spmv hdia " F32 " rr b6 t4 p0", "spmv hdia " F64 " rr b6 t4 p0", \
        "spmv hdia " F64 " rr b8 t4 p0"

#define F32 "f32f32f32/f32 i32i32"
#define F64 "f64f64f64/f64 i32i32"
#define F32L "f32f32f32/f32 i64i64"
#define F64L "f64f64f64/f64 i64i64"
#define REAL(kind) WIDTHS(kind, F32), WIDTHS(kind, F64)

/* Panels of B: long rows, wide tiles. */
#define PANELS(types)                                                              \
    "spmm panel " types " rr x32 p0 u2", "spmm panel " types " rr t32 p0 u2",      \
        "spmm panel " types " rr t64 p0", "spmm panel " types " rr packed t64 p0", \
        "spmm panel " types " rr packed x32 p0 u2",                                \
        "spmm panel " types " rr packed t32 p0 u2",                                \
        "spmm panel " types " rr packed x32 p0", "spmm panel " types " rr x32 p0", \
        "spmm panel " types " rr packed t32 p0", "spmm panel " types " rr t32 p0"

/* Slices of complex numbers, columns of 32 and 16 bits. */
#define PAIR_SLICES(types)                                                 \
    "spmv sell " types " rr t4 p0", "spmv sell " types " rr packed t4 p0", \
        "spmv sell " types " rr narrow t4 p0",                             \
        "spmv sell " types " rr packed narrow t4 p0"

/* A^T of compressed rows: rows whose values are read by position, or packed. */
#define TURNED(types, form)                         \
    "spmm pick " types " rr " form "t8 p0 u2",      \
        "spmm pick " types " rr " form "t32 p0",    \
        "spmm pick " types " rr " form "t32 p0 u2", \
        "spmm pick " types " rr " form "t64 p0 u2"
#define TURNED_EXACT(types, form)                   \
    "spmm pick " types " rr " form "x32 p0",        \
        "spmm pick " types " rr " form "x32 p0 u2", \
        "spmm pick " types " rr " form "x64 p0 u2"

/* Types that are rarer: what is not compressed by rows (coordinates, columns, A^T). */
#define TURNED_RARE(types, tile)                     \
    "spmm rows " types " i32i32 rr " tile " p0",     \
        "spmm pick " types " i32i32 rr " tile " p0", \
        "spmv rows " types " i32i32 rr t4 p0", "spmv pick " types " i32i32 rr t4 p0"

/* A tile for each width of B. */
#define WIDER(types)                                                \
    "spmm csr " types " rr t32 p0", "spmm csr " types " rr t64 p0", \
        "spmm csr " types " rr t128 p0"

/* 64-bit indices, of calls without an analysis; plans have 32-bit ones (planner/indices.h). */
#define WIDE(types)                                                             \
    "spmv seg " types " rr t4 p0", "spmv seg " types " rr t4 p0 u4",            \
        "spmv prod " types " rr t4 p0", "spmm csr " types " rr x16 p0",         \
        "spmm csr " types " rr x32 p0", "spmm csr " types " rr t64 p0",         \
        "spmm csr " types " rr t64 p0 nt", "sddmm csr " types " rc t32 p0 u4",  \
        "sddmm csr " types " rc t32 p0 u8", "sddmm csr " types " rc x32 p0 u4", \
        "sddmm csr " types " rc x32 p0 u8"
#define WIDE_F32                                                             \
    WIDE(F32L), JOINED("csr", F32L, "x4"), "spmm csr " F32L " rr x4 p0 u8",  \
        "spmm csr " F32L " rr t8 p0", "spmm csr " F32L " rr t8 p0 u2",       \
        "spmm csr " F32L " rr t8 p0 u4", JOINED("csr", F32L, "x16"),         \
        "spmm csr " F32L " rr x32 p0 u32", "spmm csr " F32L " rr t64 p0 u2", \
        "spmm csr " F32L " rr t128 p0", "spmm csr " F32L " rr t128 p0 nt",   \
        "spmm csr " F32L " rr x128 p0", "spmm csr " F32L " rr x128 p0 nt",   \
        "sddmm csr " F32L " rc x128 p0 u4", "sddmm csr " F32L " rc x128 p0 u8"
#define WIDE_F64                                                              \
    WIDE(F64L), JOINED("csr", F64L, "x8"), "spmm csr " F64L " rr x16 p0 u32", \
        "spmm csr " F64L " rr x32 p0 nt", "spmm csr " F64L " rr t16 p0 nt",   \
        "spmm csr " F64L " rr t32 p0 nt"

static const char *const builtin[] = {
    REAL("csr"),
    REAL("rows"),
    LONG("csr", F32),
    LONG("csr", F64),
    EXACT("csr", F32),
    EXACT("csr", F64),
    EXACT_LONG("csr", F32),
    EXACT_LONG("csr", F64),
    FEW("csr", F32),
    FEW("csr", F64),
    EIGHTS("csr", F32, "x4", "x8"),
    EIGHTS("csr", F64, "x2", "x4"),
    JOINED("csr", F32, "x4"),
    JOINED("csr", F32, "x8"),
    JOINED("csr", F32, "x16"),
    JOINED("csr", F64, "x2"),
    JOINED("csr", F64, "x4"),
    JOINED("csr", F64, "x8"),
    SLIM(F32, "x16", "x32"),
    SLIM(F64, "x8", "x16"),
    FOURS(F32, "t4"),
    FOURS(F32, "t8"),
    FOURS(F32, "t16"),
    FOURS(F32, "t32"),
    FOURS(F32, "x32"),
    FOURS(F32, "t64"),
    FOURS(F32, "t128"),
    FOURS(F64, "t4"),
    FOURS(F64, "t8"),
    FOURS(F64, "t16"),
    FOURS(F64, "x16"),
    FOURS(F64, "t32"),
    FOURS(F64, "t64"),
    "spmm csr " F32 " rr t256 p0",
    "spmm csr " F32 " rr t256 p0 nt",
    FOURS(F32L, "t4"),
    FOURS(F32L, "t8"),
    FOURS(F32L, "t16"),
    FOURS(F32L, "t32"),
    FOURS(F32L, "t64"),
    FOURS(F32L, "t128"),
    FOURS(F64L, "t8"),
    FOURS(F64L, "t16"),
    FOURS(F64L, "t32"),
    MASKED_EIGHTS(F32, "x4", "x8", "x16"),
    MASKED_EIGHTS(F64, "x2", "x4", "x8"),
    MASKED_EIGHTS(F32L, "x4", "x8", "x16"),
    MASKED_EIGHTS(F64L, "x2", "x4", "x8"),
    CUT_EIGHTS(F32, "t4"),
    CUT_EIGHTS(F32, "t8"),
    CUT_EIGHTS(F32, "t16"),
    CUT_EIGHTS(F64, "t4"),
    CUT_EIGHTS(F64, "t8"),
    CUT_EIGHTS(F32L, "t4"),
    CUT_EIGHTS(F32L, "t8"),
    CUT_EIGHTS(F32L, "t16"),
    CUT_EIGHTS(F64L, "t4"),
    CUT_EIGHTS(F64L, "t8"),
    "spmm csr " F32L " rr x8 p0 u8",
    "spmm csr " F64L " rr x4 p0 u8",
    "spmm csr " F32 " rr x32 p0 u32",
    "spmm csr " F64 " rr x16 p0 u32",
    "spmm csr " F32 " rr x32 p0 u32 nt",
    "spmm csr " F64 " rr x16 p0 u32 nt",
    "spmm csr " F64 " rr x16 p0 nt",
    JOINED("csr", F32L, "x8"),
    JOINED("csr", F64L, "x4"),
    "spmm csr " F32 " rr x16 p0 u4",
    "spmm csr " F32 " rr t16 p0 u4",
    "spmm csr " F32 " rr t64 p0 u2",
    "spmm csr " F64 " rr t64 p0 u2",
    "spmm csr " F32 " rr t128 p0 u2",
    "spmm csr " F32 " rr x128 p0 u2",
    "spmm csr " F32 " rr x128 p0 u2 nt",
    "spmm csr " F32 " rr x32 p0 u2 nt",
    "spmm csr " F32 " rr t128 p0",
    "spmm csr " F32 " rr t128 p0 nt",
    "spmm csr " F32 " rr t128 p8",
    "spmm csr " F32 " rr x128 p0",
    "spmm csr " F32 " rr x128 p0 nt",
    "spmm csr " F32 " rr x128 p8",
    "spmm csr " F32 " rr x32 p0 nt",
    "spmm csr " F32 " rr x32 p8",
    "spmm csr " F64 " rr x32 p0 nt",
    LARGE("csr", F32),
    LARGE("csr", F64),
    "spmm csr " F64 " rr t128 p0",
    "spmm csr " F64 " rr t128 p0 nt",
    "spmm csr " F64 " rr x128 p0",
    "spmm csr " F64 " rr x128 p0 nt",
    "spmm csr " F64 " rr x128 p0 u2",
    "spmm csr " F32 " rr x256 p0 u2",
    "spmm pick " F32 " rr t128 p0 nt",
    "spmm pick " F64 " rr t128 p0 nt",
    /* sixteen registers of 32 bytes */
    "spmm win " F32 " rr b6 t16 p0",
    "spmm win " F64 " rr b6 t8 p0",
    "spmm share " F32 " rr b6 packed t16 p0",
    "spmm share " F64 " rr b6 packed t8 p0",
    "spmm csr " F64 " rr t16 p0 nt",
    "spmm pick " F32 " rr t64 p0 nt",
    "spmm pick " F64 " rr t32 p0 nt",
    "spmm pick " F32 " rr packed t128 p0 nt",
    "spmm pick " F64 " rr packed t128 p0 nt",
    "spmm pick " F64 " rr t64 p0 nt",
    "spmm pick " F64 " rr packed t64 p0 nt",
    "spmm pick " F32 " rr packed t64 p0 nt",
    "spmm pick " F64 " rr packed t32 p0 nt",
    LISTED("csr", F32L),
    LISTED("csr", F64L),
    LAYOUTS("csr", F32),
    LAYOUTS("csr", F64),
    VECTOR("csr", F32),
    VECTOR("csr", F64),
    VECTOR("rows", F32),
    VECTOR("rows", F64),
    SLICED(F32),
    SLICED(F64),
    RANGED,
    SUMMED,
    MASKED(F32),
    MASKED(F64),
    UNALIGNED(F32, "u4"),
    UNALIGNED(F32, "u8"),
    UNALIGNED(F64, "u4"),
    UNALIGNED(F64, "u8"),
    "spmv seg " F32 " rr t4 p0",
    "spmv seg " F64 " rr t4 p0",
    "spmv seg " F32 " rr t4 p0 u2",
    "spmv seg " F64 " rr t4 p0 u2",
    "spmv seg " F32 " rr t4 p0 u4",
    "spmv seg " F64 " rr t4 p0 u4",
    "spmv seg " F32 " rr t8 p0",
    "spmv seg " F64 " rr t8 p0",
    "spmv alike " F32 " rr t4 p0",
    "spmv alike " F64 " rr t4 p0",
    "spmv prod " F32 " rr t4 p0",
    "spmv prod " F64 " rr t4 p0",
    "spmv prod " F32 " rr t8 p0",
    "spmv prod " F64 " rr t8 p0",
    WIDE_F32,
    WIDE_F64,
#include "kernels/builtin_asking.inc"
    VECTOR("csr", F32L),
    VECTOR("csr", F64L),
    TOGETHER(F32),
    TOGETHER(F64),
    DOTS("list", F32, ""),
    SAMPLED("csr", F32, ""),
    SAMPLED("csr", F64, ""),
    SAMPLED("list", F32, ""),
    SAMPLED("list", F64, ""),
    "sddmm csr " F32L " rc t32 p0",
    "sddmm csr " F64L " rc t32 p0",
    "sddmm list " F32L " rc t32 p0",
    "sddmm list " F64L " rc t32 p0",
    SAMPLED("blocks", F32, " b1 packed"),
    SAMPLED("blocks", F64, " b1 packed"),
    ANY_BLOCK(F32),
    ANY_BLOCK(F64),
    BOTH_ORDERS(F32, "b2"),
    BOTH_ORDERS(F32, "b3"),
    BOTH_ORDERS(F32, "b4"),
    BOTH_ORDERS(F32, "b8"),
    BLOCKS(F32, "b16 packed"),
    BLOCKS(F64, "b2 packed"),
    BLOCKS(F64, "b3 packed"),
    BLOCKS(F64, "b4 packed"),
    "spmm blocks " F32 " rr b2 packed t64 p0",
    "spmm blocks " F32 " rr b3 packed t64 p0",
    "spmm blocks " F32 " rr b4 packed t64 p0",
    PANELS(F32),
    PANELS(F64),
    SHARED(F32, "b2", "t32"),
    SHARED(F32, "b2", "x32"),
    SHARED(F32, "b2", "t64"),
    SHARED(F32, "b3", "t32"),
    SHARED(F32, "b3", "x32"),
    SHARED(F32, "b3", "t64"),
    SHARED(F32, "b4", "t32"),
    SHARED(F32, "b4", "t64"),
    SHARED(F64, "b2", "t16"),
    SHARED(F64, "b2", "t32"),
    SHARED(F64, "b3", "t16"),
    SHARED(F64, "b3", "t32"),
    "spmm share " F32 " rr b4 packed x32 p0",
    SHARED(F32, "b8", "t32"),
    SHARED(F32, "b6", "x32"),
    SHARED(F32, "b6", "t32"),
    SHARED(F32, "b6", "t64"),
    SHARED(F64, "b6", "t32"),
    SHARED(F64, "b4", "t32"),
    "spmm share " F32 " rr b3 t64 p0 nt",
    "spmm share " F64 " rr b3 t32 p0 nt",
    SHARED(F64, "b3", "t64"),
    "spmm share " F64 " rr b3 t64 p0 nt",
    "spmm share " F32 " rr b8 t8 p0",
    "spmm share " F64 " rr b8 t8 p0",
    "spmm share " F64 " rr b8 packed t16 p0",
    "spmm win " F32 " rr b8 t16 p0",
    "spmm win " F32 " rr b8 t32 p0",
    "spmm win " F64 " rr b8 t16 p0",
    "spmm share " F64 " rr b4 packed t16 p0",
    "spmm panel " F32 " rr x64 p0",
    "spmm panel " F32 " rr packed x64 p0",
    "spmm panel " F32 " rr x64 p0 u2",
    "spmm panel " F32 " rr packed x64 p0 u2",
    "spmm panel " F32 " rr x128 p0",
    "spmm panel " F32 " rr t128 p0",
    "spmm panel " F32 " rr packed x128 p0",
    "spmm panel " F32 " rr packed t128 p0",
    PAIRED("win", F32),
    BLOCKED("win", "b3", F32),
    BLOCKED("win", "b4", F32),
    "spmm win " F32 " rr b3 t64 p0",
    "spmm win " F32 " rr b4 t64 p0",
    "spmm win " F64 " rr b3 t64 p0",
    "spmm win " F32 " rr b2 x32 p0",
    "spmm win " F32 " rr b3 x32 p0",
    "spmm win " F32 " rr b4 x32 p0",
    "spmm win " F32 " rr b6 x32 p0",
    "spmm win " F32 " rr b6 t32 p0",
    "spmm win " F32 " rr b6 t64 p0",
    "spmm rows " F32 " rr x32 p0",
    "spmm rows " F32 " rr t128 p0",
    NARROW(F32, "t4"),
    "spmm rows " F32 " rr t4 p0",
    NARROW(F32, "t8"),
    NARROW_WINDOWS(F32, "x4"),
    NARROW_WINDOWS(F32, "x8"),
    NARROW_WINDOWS(F64, "x4"),
    "spmm rows " F64 " rr t4 p0",
    NARROW(F64, "t8"),
    NARROW_PACKED(F32, "t16"),
    STRIPES(F32),
    LANED(F32),
    LANED(F64),
    STRIPES(F64),
    HALVED(F32),
    HALVED(F64),
    PAIRED("bsr", F32),
    BLOCKED("bsr", "b3", F32),
    "spmm bsr " F32 " rr b3 t64 p0",
    BLOCKED("bsr", "b4", F32),
    "spmm bsr " F32 " rr b8 t16 p0",
    "spmm win " F64 " rr b2 t16 p0",
    PAIRED("win", F64),
    BLOCKED("win", "b3", F64),
    BLOCKED("win", "b4", F64),
    "spmm rows " F64 " rr t32 p32",
    "spmm win " F64 " rr b2 t32 p32",
    "spmm win " F64 " rr b3 t32 p32",
    "spmm win " F64 " rr b4 t32 p32",
    PAST("rows", F32, "t32"),
    PAST("rows", F32, "t64"),
    PAST("rows", F64, "t32"),
    PAST("rows", F64, "t64"),
    PAST("win", F32, "b2 t32"),
    PAST("win", F32, "b2 t64"),
    PAST("win", F32, "b3 t32"),
    PAST("win", F32, "b3 t64"),
    PAST("win", F32, "b4 t32"),
    PAST("win", F32, "b4 t64"),
    PAST("win", F64, "b2 t32"),
    PAST("win", F64, "b2 t64"),
    PAST("win", F64, "b3 t32"),
    PAST("win", F64, "b3 t64"),
    PAST("win", F64, "b4 t32"),
    "spmm bsr " F64 " rr b2 t16 p0",
    PAIRED("bsr", F64),
    BLOCKED("bsr", "b3", F64),
    BLOCKED("bsr", "b4", F64),
    TURNED(F32, ""),
    TURNED(F32, "packed "),
    TURNED(F64, ""),
    TURNED(F64, "packed "),
    TURNED_EXACT(F32, ""),
    TURNED_EXACT(F32, "packed "),
    TURNED_EXACT(F64, ""),
    "spmm pick " F32 " rr t8 p0",
    "spmm pick " F64 " rr t8 p0",
    "spmm pick " F32 " rr packed t8 p0",
    "spmm pick " F64 " rr packed t8 p0",
    "spmm pick " F32 " rr x128 p0 u2",
    "spmm pick " F32 " rr t128 p0 u2",
    VECTOR("pick", F32),
    VECTOR("pick", F64),
    "spmm ell " F32 " rr t32 p0",
    "spmm ell " F64 " rr t16 p0",
    "spmm dia " F32 " rr t32 p0",
    "spmv coo " F32 " rr t4 p0",
    "spmv coo " F64 " rr t4 p0",
    "spmm coo " F32 " rr t8 p0",
    "spmm coo " F64 " rr t8 p0",
    LISTED("coo", F32),
    LISTED("coo", F64),
    "spmv ell " F32 " rr t4 p0",
    "spmv ell " F64 " rr t4 p0",
    "spmv bsr " F32 " rr b2 t4 p0",
    "spmv bsr " F32 " rr b4 t4 p0",
    "spmv bsr " F32 " rr b4 packed t4 p0",
    "spmv bsr " F32 " rr b8 packed t4 p0",
    WIDER("f16f16f32/f32 i32i32"),
    WIDER("bf16bf16f32/f32 i32i32"),
    WIDER("f16f16f16/f32 i32i32"),
    WIDER("bf16bf16bf16/f32 i32i32"),
    "spmm csr i8i8i32/i32 i32i32 rr t32 p0",
    "spmm csr i8i8f32/f32 i32i32 rr t32 p0",
    "spmm csr c32c32c32/c32 i32i32 rr t16 p0",
    "spmm csr c32c32c32/c32 i32i32 rr t32 p0",
    "spmm csr c32c32c32/c32 i32i32 rr t64 p0",
    "spmm csr c64c64c64/c64 i32i32 rr t8 p0",
    "spmm csr c64c64c64/c64 i32i32 rr t16 p0",
    "spmm csr c64c64c64/c64 i32i32 rr t32 p0",
    /* ... of slabs of columns that are turned */
    "spmm csr f16f16f16/f32 i32i32 rr t8 p0",
    "spmm csr bf16bf16bf16/f32 i32i32 rr t8 p0",
    "spmm csr c32c32c32/c32 i32i32 rr t8 p0",
    "spmm csr c64c64c64/c64 i32i32 rr t4 p0",
    "spmv csr f16f16f32/f32 i32i32 rr t4 p0",
    "spmv csr bf16bf16f32/f32 i32i32 rr t4 p0",
    "spmv csr f16f16f16/f32 i32i32 rr t4 p0",
    "spmv csr bf16bf16bf16/f32 i32i32 rr t4 p0",
    "spmv csr i8i8i32/i32 i32i32 rr t4 p0",
    "spmv csr i8i8f32/f32 i32i32 rr t4 p0",
    "spmv csr c32c32c32/c32 i32i32 rr t4 p0",
    "spmv csr c64c64c64/c64 i32i32 rr t4 p0",
    PAIR_SLICES("c32c32c32/c32 i32i32"),
    PAIR_SLICES("c64c64c64/c64 i32i32"),
    TURNED_RARE("f16f16f32/f32", "t32"),
    TURNED_RARE("bf16bf16f32/f32", "t32"),
    TURNED_RARE("f16f16f16/f32", "t32"),
    TURNED_RARE("bf16bf16bf16/f32", "t32"),
    TURNED_RARE("c32c32c32/c32", "t16"),
    TURNED_RARE("c64c64c64/c64", "t8"),
    "sddmm csr f16f16f32/f32 i32i32 rc t32 p0",
    "sddmm csr bf16bf16f32/f32 i32i32 rc t32 p0",
    "sddmm rows f16f16f32/f32 i32i32 rc t32 p0",
    "sddmm rows bf16bf16f32/f32 i32i32 rc t32 p0",
    "sddmm rows f16f16f16/f32 i32i32 rc t32 p0",
    "sddmm rows bf16bf16bf16/f32 i32i32 rc t32 p0",
    "sddmm rows c32c32c32/c32 i32i32 rc t8 p0",
    "sddmm rows c64c64c64/c64 i32i32 rc t4 p0",
    "sddmm csr f16f16f16/f32 i32i32 rc t32 p0",
    "sddmm csr bf16bf16bf16/f32 i32i32 rc t32 p0",
    "sddmm csr c32c32c32/c32 i32i32 rc t8 p0",
    "sddmm csr c64c64c64/c64 i32i32 rc t4 p0",
};

const char *
sb_spec_builtin(int index)
{
    const int count = (int)(sizeof builtin / sizeof *builtin);

    return index >= 0 && index < count ? builtin[index] : NULL;
}
