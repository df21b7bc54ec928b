/*
 * The state conversion works on, and its operators.
 *
 * A sb_tree is the paper's conservative metadata tree: every level has explicit indices
 * and, where a node can have other than one child, explicit pointers. Levels past `end`
 * are vectors: each node of level `end` (the root, if end < 0) holds one dense block of
 * size[end + 1] * ... * size[n - 1] values.
 *
 *   levels < start        complete: every index of the range is there
 *   levels start .. end   only nodes with elements below, and the gaps of `filled` ones
 *   levels < merged       each path is there once; below, a node has one copy per child
 *
 * start = 0, end = n - 1, merged = 0 is a coordinate list (the paper's reference format
 * R). Operators on index maps and queries need that state; the others lead to and from
 * it. Nodes are in lexicographic order after Sort.
 */
#ifndef SB_FORMATS_CONV_H
#define SB_FORMATS_CONV_H

#include "formats/tensor.h"

#define SB_TREE_HOLE INT64_MIN
enum { SB_TREE_LEVELS = 2 * SB_FMT_LEVELS + SB_FMT_QUERIES };

/* idx[count], or NULL in vectors; ptr[count of the level above + 1], or NULL where each
 * node above has one child. In vectors idx is given only for a level that those above
 * determine (the column of an ELL slot): SB_TREE_HOLE where no element is. */
typedef struct sb_tree_level {
    int64_t count, lo, size;
    int64_t *idx, *ptr;
} sb_tree_level;

typedef struct sb_tree {
    int n, start, end, merged;
    unsigned filled;
    bool marks; /* the last level has holes: every other leaf is an element */
    sb_tree_level at[SB_TREE_LEVELS];
    sb_dtype type;
    void *val;
    int64_t elements; /* bounds what padding may be asked for */
    int ndim;
    int64_t extent[SB_FMT_DIMS];
} sb_tree;

typedef enum sb_conv_kind {
#define X(kind, name, nargs, fn) SB_CONV_##kind,
#include "formats/conv.def"
#undef X
    SB_CONV_COUNT
} sb_conv_kind;

/*
 * arg: levels and factors in the order of the text; beyond the text's, arg[2] of Scale:
 * divide, arg[1] of Fill: only gaps. Map's expression reads the columns: dimension q is
 * column q, function q column ndim + q. Queries answer function `fn`.
 */
typedef struct sb_conv_op {
    sb_conv_kind kind;
    int64_t arg[3];
    const sb_fmt_expr *expr;
    int ndim;
    const sb_fmt_fn *fn;
} sb_conv_op;

/* Operators on index maps in order. Before them, the answers of the target's functions
 * fn[] are put in as levels fn_level[], one after the other. */
enum { SB_PLAN_OPS = 96 };
typedef struct sb_conv_plan {
    int n, nfn;
    int fn[SB_FMT_QUERIES], fn_level[SB_FMT_QUERIES];
    sb_conv_op op[SB_PLAN_OPS];
} sb_conv_plan;

/* One conversion under way. */
typedef struct sb_conv {
    sb_tree t;
    const sb_fmt *target;
    sb_fmt_level level[SB_FMT_LEVELS]; /* of the target, on the way to its levels */
    bool wide;
    const sb_par *par;
    sb_strbuf *steps;
    sb_diag *diag;
    int64_t *answer[SB_FMT_QUERIES]; /* of the function being answered, by step */
    const sb_tree *whole;            /* Decompose: all elements, and the part of each */
    const int64_t *part;
    sb_tensor *out; /* Pack, Partition */
} sb_conv;

/* conv.c: one operator, with its text; the general path; the elements of a tensor that
 * is no list, as a coordinate list of its dimensions. */
sb_status sb_conv_apply(sb_conv *cx, sb_conv_op op);
sb_status sb_conv_general(sb_tensor *out, const sb_tensor *in, const sb_fmt *target,
                          bool wide, const sb_par *par, sb_strbuf *steps,
                          sb_diag *diag);
sb_status sb_conv_to_coords(sb_tree *t, const sb_tensor *in);

/* tensor.c: a coordinate list as a tensor whose arrays are the caller's; whether a tensor
 * asks for I64; its elements, padding not counted. */
sb_tensor sb_tensor_borrow_coo(const sb_tensor_coo *coo);
bool sb_tensor_wide(const sb_tensor *t);
int64_t sb_tensor_count(const sb_tensor *t);

/*
 * conv_map.c: index maps as operators on a coordinate list. `dims` turns the levels of f
 * into its dimensions in order, `levels` the reverse; `cancel` takes out what the end of
 * one does and the begin of the other undoes. Expressions live in ar.
 */
sb_status sb_conv_plan_dims(sb_conv_plan *p, sb_arena *ar, const sb_fmt *f,
                            sb_diag *diag);
void sb_conv_plan_levels(sb_conv_plan *p, const sb_fmt *f);
void sb_conv_plan_cancel(sb_conv_plan *before, sb_conv_plan *after);
bool sb_fmt_same_map(const sb_fmt *a, const sb_fmt *b);

/* conv_tree.c */
sb_status sb_tree_open(sb_tree *t, const sb_tensor *in);
void sb_tree_free(sb_tree *t);
/* Turns the tree into the arrays that `level` says; takes what it can. */
sb_status sb_tree_store(sb_tensor *out, sb_tree *t, const sb_fmt *f,
                        const sb_fmt_level *level, bool wide, const sb_par *par);
/* Nodes of a level, in vectors too (which sb_tree_bound has passed). */
int64_t sb_tree_nodes(const sb_tree *t, int level);
/* Values of one vector. False on overflow. */
bool sb_tree_vector(const sb_tree *t, int64_t *slots);
/* SB_OK, or EINVAL with a sentence when `slots` of anything are too many. */
sb_status sb_tree_bound(const sb_tree *t, int64_t slots, const char *what,
                        sb_diag *diag);
/* First node of level q below node p of the level above; p may be its count. */
static inline int64_t
sb_tree_first(const sb_tree *t, int q, int64_t p)
{
    const sb_tree_level *l = &t->at[q];

    return l->ptr ? l->ptr[p] : q == 0 ? (p ? l->count : 0) : p;
}

/* conv_sort.c: order of the nodes of a coordinate list by levels [0, levels); NULL in
 * *order when they are in order. `twice` gets a position that equals its predecessor,
 * or -1. */
sb_status sb_conv_order(int64_t **order, int64_t *twice, const sb_tree *t, int levels,
                        const sb_par *par);
/* Puts order[] so that key[order[p]] rises; stable. Keys are below 2^bits. */
sb_status sb_sort_keys(int64_t *order, const uint64_t *key, int64_t n, int bits,
                       const sb_par *par);

/* conv_query.c: the answer of an indirect function for every element of a coordinate
 * list whose columns are the dimensions. Owned by the caller. */
sb_status sb_conv_query(int64_t **answer, sb_conv *cx, const sb_fmt_fn *fn);

/* conv_fast.c: SB_SKIP when no fast path fits. */
sb_status sb_conv_fast(sb_tensor *out, const sb_tensor *in, const sb_fmt *target,
                       bool wide, const sb_par *par, sb_diag *diag);

#endif
