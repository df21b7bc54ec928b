/*
 * A tensor stored in a format of the language, and conversion between formats.
 *
 * Storage follows inference (fmt.h): level q has count[q] nodes,
 *   idx[q][count[q]]        index of each node             (where the level stores idx)
 *   ptr[q][count[q-1] + 1]  first child of a parent node   (where the level stores ptr;
 *                           the root counts as one node)
 *   val[count[nlevel-1]]    one value a leaf; padding holds zero
 * A level with neither has every index lo[q] .. lo[q] + size[q] under each parent, so
 * count[q] = count[q-1] * size[q]. A level that is `one` has count[q] = count[q-1].
 *
 * pack: records of one array; the arrays above point into it with `stride` elements from
 * one entry to the next (a C struct: fields in level order, then the value, naturally
 * aligned). partition(L): `bank` holds one tensor per node of level L, each with arrays
 * of its own, levels 0..L of which are those of the one node; the tensor itself then has
 * no arrays. A hybrid has one tensor per part in `bank`.
 *
 * All memory belongs to the tensor.
 */
#ifndef SB_FORMATS_TENSOR_H
#define SB_FORMATS_TENSOR_H

#include "base/diag.h"
#include "base/dtype.h"
#include "base/status.h"
#include "formats/fmt.h"
#include "formats/par.h"
#include "formats/view.h"

typedef struct sb_tensor_array {
    void *data;     /* NULL: the level does not store it */
    int64_t stride; /* elements between entries; 1 unless packed */
} sb_tensor_array;

typedef struct sb_tensor {
    const sb_fmt *fmt; /* outlives the tensor */
    int64_t extent[SB_FMT_DIMS];
    sb_dtype val_type, idx_type, ptr_type; /* indices I32 or I64, counted from 0 */
    int64_t count[SB_FMT_LEVELS], lo[SB_FMT_LEVELS], size[SB_FMT_LEVELS];
    sb_tensor_array idx[SB_FMT_LEVELS], ptr[SB_FMT_LEVELS], val;
    int64_t nnz; /* elements stored, padding not counted */
    void *block; /* packed records, or NULL */
    size_t block_bytes;
    int nbank;
    struct sb_tensor *bank;
} sb_tensor;

/*
 * A coordinate list as source: coord[q][e] of dimension q, values val[e], any order, no
 * duplicates (EINVAL where the target shows them). Owned by the caller.
 */
typedef struct sb_tensor_coo {
    int ndim;
    int64_t extent[SB_FMT_DIMS], nnz;
    const int64_t *coord[SB_FMT_DIMS];
    const void *val;
    sb_dtype val_type;
} sb_tensor_coo;

/*
 * Making tensors. All fail with ENOMEM, or EINVAL and a sentence (coordinates out of
 * range, dimensions that do not agree, a result that would be almost only padding: more
 * than 2^26 slots and more than 256 for each element), and then leave *out empty. Index
 * types: I32 where every count and index fits, unless `wide` or the source has I64.
 * `par` may be NULL; results do not depend on it.
 *
 * A stored element counts as one even if its value is zero, except in dense levels below
 * trim(S,E), where it cannot be told from padding: reading such a format, or trimming
 * its levels, drops zeros. nnz counts what reading gives.
 */
sb_status sb_tensor_from_coo(sb_tensor *out, const sb_fmt *f, const sb_tensor_coo *coo,
                             bool wide, const sb_par *par, sb_diag *diag);
/* From a matrix as the caller gives it; values are copied. EINVAL also where offsets or
 * columns are not those of a matrix with v->nnz entries. */
sb_status sb_tensor_from_view(sb_tensor *out, const sb_fmt *f, const sb_view *v,
                              const void *val, sb_dtype type, bool wide,
                              const sb_par *par, sb_diag *diag);
/* By a fast path (conv_fast.c) where there is one and `steps` is NULL, else by
 * sb_tensor_convert_general. */
sb_status sb_tensor_convert(sb_tensor *out, const sb_tensor *in, const sb_fmt *target,
                            const sb_par *par, sb_strbuf *steps, sb_diag *diag);
/* The operators of the paper's table 2 in the order of its figure 8. `steps`, if given,
 * receives them as text, one a line: "Skew(0, 1, -1)". */
sb_status sb_tensor_convert_general(sb_tensor *out, const sb_tensor *in,
                                    const sb_fmt *target, const sb_par *par,
                                    sb_strbuf *steps, sb_diag *diag);
/*
 * Between tensors and matrices as callers give them. The format that a matrix's arrays
 * are in, in the caller's arena (ENOTSUP: blocks larger than a parameter may be); the
 * arrays as they are, base not removed, as a tensor of that format that owns nothing; a
 * matrix converted: its structure is checked first (EINVAL), its base removed, columns
 * in any order. And the reverse question: whose arrays a format asks for; false: those
 * of no sb_format, else *block is BSR's, by rows inside.
 */
sb_status sb_fmt_of_matrix(const sb_fmt **out, sb_arena *ar, const sb_matrix *a,
                           sb_diag *diag);
sb_tensor sb_tensor_borrow_matrix(const sb_fmt *f, const sb_matrix *a);
sb_status sb_tensor_from_matrix(sb_tensor *out, const sb_fmt *f, const sb_matrix *a,
                                const sb_par *par, sb_diag *diag);
bool sb_fmt_is_matrix(const sb_fmt *f, sb_format *format, int64_t *block);

/*
 * A tensor over the caller's arrays, which owns nothing: of a format without parts or
 * banks (else ENOTSUP). A level's count is looked at where neither offsets nor the levels
 * above say it (0 is fine elsewhere). EINVAL with the level: arrays missing or too many,
 * or that do not hold what the format says (sb_tensor_check). Do not free it.
 */
typedef struct sb_tensor_level {
    int64_t count;
    const void *idx, *ptr;
    int64_t idx_stride;
} sb_tensor_level;
typedef struct sb_tensor_arrays {
    const sb_fmt *fmt;
    int64_t extent[SB_FMT_DIMS];
    sb_dtype val_type, idx_type, ptr_type;
    sb_tensor_level level[SB_FMT_LEVELS];
    void *val;
    int64_t val_stride;
} sb_tensor_arrays;
sb_status sb_tensor_borrow(sb_tensor *out, const sb_tensor_arrays *from, sb_diag *diag);

/* Offsets, counts, ranges and order of all arrays, and that every element lies in the
 * tensor where its levels say. Values are not read. EINVAL with the first fault; ENOMEM. */
sb_status sb_tensor_check(const sb_tensor *t, sb_diag *diag);

/* Whether a tensor is banks only. Its leaves are the tensors with arrays, in order: parts
 * of a hybrid, banks of a partition, nested depth first; of no list the tensor itself;
 * NULL past the end. slots: values a leaf has room for, padding counted. */
bool sb_tensor_is_list(const sb_tensor *t);
int64_t sb_tensor_leaves(const sb_tensor *t);
const sb_tensor *sb_tensor_leaf(const sb_tensor *t, int64_t index);
int64_t sb_tensor_slots(const sb_tensor *leaf);

/* Elements in the order of the levels; coord[fmt->ndim] and *val from the heap, freed
 * with sb_free. */
sb_status sb_tensor_coords(int64_t **coord, void **val, int64_t *nnz,
                           const sb_tensor *t);
/* Bytes of all arrays. */
size_t sb_tensor_bytes(const sb_tensor *t);
void sb_tensor_free(sb_tensor *t); /* an all-zero tensor is fine */

static inline int64_t
sb_tensor_at(const sb_tensor_array *a, sb_dtype type, int64_t p)
{
    return sb_index(a->data, type, p * a->stride);
}

/* A level that is not trimmed and yet stores indices (ELL's columns) marks its empty
 * nodes, those without an element below, with an index before the first. */
static inline bool
sb_tensor_marks(const sb_tensor *t, int level)
{
    return t->idx[level].data && (level < t->fmt->trim_lo || level > t->fmt->trim_hi);
}

static inline int64_t
sb_tensor_mark(const sb_tensor *t, int level)
{
    return t->lo[level] - 1;
}

#endif
