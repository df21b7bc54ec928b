/*
 * The format language: a format is text, and everything else follows from the text
 * (Liu et al., UniSparse, OOPSLA 2024, section 4; grammar and worked examples in
 * docs/formats.md):
 *
 *   format csr     (i, j) -> (i, j)                       merge(0) trim(1,1)
 *   format bdia<b> (i, j) -> (i/b, j - i, i%b)            merge(0) trim(1,1)
 *   format ell     (i, j) -> (@slot(j), i, j)             merge(0) trim(0,0)
 *     where @slot = { n: sum(value) groupBy (i, j) -> (i) with value ne 0 -> 1 | otherwise -> 0;
 *                     enum(value) groupBy (i, j) -> (i) traverseBy (i, j) -> (j)
 *                         with value eq 0 -> n | otherwise -> 0 }
 *   hybrid bdia_csr<b, t> = { bdia<b>, csr }
 *     by sum(value) groupBy (i, j) -> (i/b, j - i) with value ne 0 -> 1 | otherwise -> 0
 *     threshold t
 *
 * A tensor in a format is a metadata tree: level 0 at the top, one index expression a
 * level, values at the leaves.
 *   trim(S,E)   subtensors at level E that hold only zeros are gone, and with them the
 *               nodes of levels S..E left without children; levels above S and below E
 *               keep every index of their range (padding where no element is)
 *   merge(L..)  equal paths from the root down to L are one path; without merge a node
 *               of a level above E has one copy per child. merge(1) implies merge(0)
 *   fill(L..)   in a trimmed level, the gaps before a parent's last index are filled, so
 *               that only the length of the run of indices is stored (ragged rows)
 *   pack(S,E)   the levels S..E with one node per node of level E are stored as records,
 *               with the values where E is the last level
 *   partition(L) each node of level L has arrays of its own
 *
 * Everything here is immutable once made and lives in the caller's arena.
 */
#ifndef SB_FORMATS_FMT_H
#define SB_FORMATS_FMT_H

#include "base/arena.h"
#include "base/diag.h"
#include "base/status.h"
#include "base/strbuf.h"

#include <stdbool.h>
#include <stdint.h>

enum {
    SB_FMT_DIMS = 4,    /* logical dimensions */
    SB_FMT_LEVELS = 8,  /* physical levels */
    SB_FMT_PARAMS = 4,  /* b of bsr<b> */
    SB_FMT_QUERIES = 4, /* steps of one indirect function */
    SB_FMT_CASES = 4,   /* conditions of one value map */
    SB_FMT_PARTS = 16   /* formats of a hybrid */
};

typedef enum sb_fmt_op {
    SB_FMT_CONST, /* value; parameters are constants once instantiated */
    SB_FMT_DIM,   /* logical dimension `value` */
    SB_FMT_ADD,
    SB_FMT_SUB,
    SB_FMT_MUL,
    SB_FMT_DIV, /* rounds towards minus infinity, b a positive constant */
    SB_FMT_MOD,
    SB_FMT_INDIRECT /* function fmt->fn[value] of the expressions arg[] */
} sb_fmt_op;

typedef struct sb_fmt_expr {
    sb_fmt_op op;
    int64_t value;
    const struct sb_fmt_expr *a, *b;
    int narg;
    const struct sb_fmt_expr *arg[SB_FMT_DIMS];
} sb_fmt_expr;

/* (i, j) -> (e0, e1, ...) over the format's dimensions. */
typedef struct sb_fmt_map {
    int n;
    const sb_fmt_expr *e[SB_FMT_LEVELS];
} sb_fmt_map;

/*
 * A step of an indirect function answers one number for each of its units, and so for
 * every element, zero ones included:
 *   sum       groupBy G [traverseBy T]: a unit is a group of G; the sum over its elements
 *             (with T: over its distinct keys of T) of the value map
 *   enum      groupBy G traverseBy T: a unit is a key of T within a group of G. Units are
 *             counted in ascending order of T; each arm of the value map has a counter,
 *             which starts at the arm's result
 *   reorder   of dimension d [groupBy G] [traverseBy T]: a unit is an index of d (within
 *             its group). Its rank, the largest answer of the last sum before it first;
 *             ties in ascending order of T, then of d
 *   schedule  of dimension d into n buckets: units as in reorder, taken in the order of
 *             the reorder right before it, if any (largest first, its ties), else of T,
 *             then of d. Each goes to the bucket with the least load so far, the lowest
 *             among equals; the load of a unit is the answer of the last sum before it
 * A key of several elements has the value of its first non-zero element, zero if none.
 */
typedef enum sb_fmt_query_op {
    SB_FMT_SUM,
    SB_FMT_ENUM,
    SB_FMT_REORDER,
    SB_FMT_SCHEDULE
} sb_fmt_query_op;

typedef enum sb_fmt_cond {
    SB_FMT_NE,
    SB_FMT_EQ,
    SB_FMT_GT, /* "bt" in the paper's grammar is accepted too */
    SB_FMT_GE,
    SB_FMT_LT,
    SB_FMT_LE
} sb_fmt_cond;

/* One arm of a value map: subject `cond` literal -> result. The subject is the element's
 * value (dim < 0) or a dimension; the result a literal (step < 0, never negative) or the
 * answer of an earlier step for the element. */
typedef struct sb_fmt_case {
    int dim;
    sb_fmt_cond cond;
    int64_t literal;
    int64_t result;
    int step;
} sb_fmt_case;

typedef struct sb_fmt_query {
    sb_fmt_query_op op;
    const char *label; /* NULL, or the name later steps use */
    int dim;           /* subject: -1 the values (sum, enum), else a dimension */
    int64_t buckets;   /* schedule(subject, buckets); else 0 */
    sb_fmt_map group, traverse; /* n == 0: none given */
    int ncase;
    sb_fmt_case when[SB_FMT_CASES];
    int64_t otherwise;
    int otherwise_step; /* < 0: the literal above */
} sb_fmt_query;

/* An indirect function: its steps in order, the last one is the answer. The arguments in
 * an index map name the unit: enum's traverseBy, sum's groupBy, the subject else. */
typedef struct sb_fmt_fn {
    const char *name;
    int nstep;
    const sb_fmt_query *step[SB_FMT_QUERIES];
} sb_fmt_fn;

typedef struct sb_fmt {
    const char *name;
    int nparam;
    const char *param_name[SB_FMT_PARAMS];
    int64_t param[SB_FMT_PARAMS];
    int ndim, nlevel;
    const char *dim_name[SB_FMT_DIMS];
    const sb_fmt_expr *level[SB_FMT_LEVELS];
    unsigned merge, fill; /* sets of levels, bit q for level q */
    int trim_lo, trim_hi; /* trim(S,E); -1, -1: none */
    int pack_lo, pack_hi; /* -1: none */
    int partition;        /* -1: none */
    int nfn;
    const sb_fmt_fn *fn[SB_FMT_QUERIES];
    /* A hybrid has parts instead of levels: element e goes to part q, the first for
     * which the query's answer at e is >= threshold[q]; the last part takes the rest. */
    int npart;
    const struct sb_fmt *part[SB_FMT_PARTS];
    const sb_fmt_query *query;
    int64_t threshold[SB_FMT_PARTS];
} sb_fmt;

/*
 * Parses one definition, whose parameters have values ("format bsr<b=4> ..."), or a name
 * of the registry with arguments ("bsr<8>", "sell<c=32>", "csr"). EPARSE with line, column
 * and a caret; EINVAL with a reason for a format that says nothing storable (a map
 * without an inverse, levels out of range, an unmerged dense level above a trimmed one).
 */
sb_status sb_fmt_parse(const sb_fmt **out, sb_arena *ar, const char *text,
                       sb_diag *diag);
/* Canonical text; parsing it gives the same tree, printing that the same bytes. */
void sb_fmt_print(sb_strbuf *out, const sb_fmt *f);
/* f NULL: an expression over levels, which are e0, e1, .. */
void sb_fmt_print_expr(sb_strbuf *out, const sb_fmt *f, const sb_fmt_expr *e);

/* The formats of the papers (fmt_registry.def), by index; NULL past the end. */
typedef struct sb_fmt_entry {
    const char *name, *text, *source; /* source: paper and figure */
} sb_fmt_entry;
const sb_fmt_entry *sb_fmt_registry(int index);

/*
 * The inverse of a map, derived: out[q] is dimension q of an element as an expression over
 * the levels (SB_FMT_DIM then means level). Levels behind indirect functions do not
 * appear in it. Parsed formats all have one; hybrids only in their parts.
 */
sb_status sb_fmt_inverse(const sb_fmt_expr **out, sb_arena *ar, const sb_fmt *f,
                         sb_diag *diag);

/* Range [lo, hi) of a level's index for a tensor of these extents: tight for a level that
 * names each dimension once, never too small. [0, 0) where only the data says (indirect
 * levels but schedules, whole permutations and remainders); [INT64_MIN, INT64_MAX) where
 * it does not fit. */
void sb_fmt_range(int64_t *lo, int64_t *hi, const sb_fmt *f, int level,
                  const int64_t *extent);
/* Value of a direct expression at a point. */
int64_t sb_fmt_eval(const sb_fmt_expr *e, const int64_t *at);

/*
 * Inference (section 5.1): what a level stores, and the SparseTIR axis it is.
 *   neither    every index of the range, in order (a size)
 *   idx        explicit indices
 *   ptr        first child of each node of the level above
 */
typedef enum sb_fmt_axis {
    SB_FMT_DENSE_FIXED,
    SB_FMT_DENSE_VARIABLE,
    SB_FMT_SPARSE_FIXED,
    SB_FMT_SPARSE_VARIABLE
} sb_fmt_axis;

typedef struct sb_fmt_level {
    bool idx, ptr;
    bool one;    /* exactly one node per node above (COO's columns): same count */
    bool run;    /* no idx, but the last index comes from the data: from lo (0 for an
                    indirect level) to the largest that holds something, under each
                    parent where the level has ptr, else in the whole tensor */
    bool record; /* idx is a field of the records of pack */
    bool banked; /* below partition: one array per node of the partitioned level */
    sb_fmt_axis axis;
    bool sorted, unique; /* of idx under one parent */
} sb_fmt_level;

/* level[nlevel] of a format that is no hybrid. */
void sb_fmt_infer(sb_fmt_level *level, const sb_fmt *f);
/* Whether the values are a field of the records of pack. */
bool sb_fmt_packs_values(const sb_fmt *f);
/* The arrays as text, a level each: "(i, j) i: size; j: ptr idx". */
void sb_fmt_print_arrays(sb_strbuf *out, const sb_fmt *f);

#endif
