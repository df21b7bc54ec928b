/*
 * One vocabulary for the three stages of SparseTIR: coordinate space (I), position
 * space loops (II), flat loops (III). Nodes live in the arena of one compile and never
 * change; expressions are interned, so equal expressions are equal pointers. A pass
 * builds a new program that shares what it keeps. docs/ir.md is the grammar and the
 * meaning; expr.def lists the operators.
 */
#ifndef SB_COMPILER_IR_H
#define SB_COMPILER_IR_H

#include "base/arena.h"
#include "base/diag.h"
#include "base/dtype.h"
#include "base/status.h"

#include <stdbool.h>
#include <stdint.h>

/* Iterations ahead, across loops: from which all of a row is asked for, not its first line alone, which
 * the core's prefetchers follow; and from which into the second cache. */
#define SB_PREFETCH_WHOLE 16
#define SB_PREFETCH_FAR 64

#define SB_MAXRANK 9 /* a tensor of 8 levels whose values are fields of records */

typedef struct sb_expr sb_expr;
typedef struct sb_stmt sb_stmt;
typedef struct sb_axis sb_axis;
typedef struct sb_buf sb_buf;
typedef struct sb_var sb_var;

/* A scalar: parameter, iterator, loop variable or let. Text: %name */
struct sb_var {
    const char *name;
    sb_dtype type;
    uint32_t id;
};

typedef enum sb_buf_role {
    SB_BUF_IN,    /* values read */
    SB_BUF_OUT,   /* values written, never read before */
    SB_BUF_INOUT, /* values read and written */
    SB_BUF_AUX,   /* structure: offsets, coordinates, positions, tiles; read only */
    SB_BUF_LOCAL  /* storage of the kernel itself, declared in a body */
} sb_buf_role;

/*
 * A tensor. Over axes (stages I, II: coordinates, then positions) or over extents
 * (aux buffers and stage III). A dense buffer over axes may have strides, one per
 * dimension, in elements (leading dimensions, transposed layouts); without strides it is
 * packed, row-major. Text:
 *   buf $A : f32[#I, #J] in
 *   buf $B : f32[#Jd, #K] in strides(%ldb, 1)
 *   buf $J_ptr : i32[%m + 1] aux
 */
struct sb_buf {
    const char *name;
    sb_dtype type;
    sb_buf_role role;
    uint8_t rank;
    bool
        shared; /* a local that lanes of a GPU's group fill together; else means nothing */
    uint32_t id;
    const sb_axis *axis[SB_MAXRANK];   /* NULL when over extents */
    const sb_expr *extent[SB_MAXRANK]; /* NULL when over axes */
    const sb_expr *stride[SB_MAXRANK]; /* all NULL or all set */
};

typedef enum sb_axis_kind {
    SB_AXIS_DENSE_FIXED,
    SB_AXIS_DENSE_VARIABLE,
    SB_AXIS_SPARSE_FIXED,
    SB_AXIS_SPARSE_VARIABLE
} sb_axis_kind;

/*
 * One level of a coordinate tree. Slots under parent position q:
 *   fixed     [q * width, (q + 1) * width), with `end` only the first end[q] of them
 *   variable  [ptr[q] - base, ptr[q + 1] - base), or with `end` [ptr[q], end[q]): ranges
 *             that do not tile the array, as rows of an ELL bucket read in place
 * `base` is that of crd and of ptr; with `end`, ptr and end count from 0 (lists are ours).
 * A sparse axis has coordinate crd[slot] - base; a dense one counts from 0. In stage II
 * a buffer is indexed by positions under the parent, from 0: slot minus the range's start.
 * padded: a slot may be empty, marked by crd < 0 (dense axes: val < 0), and then takes
 *      no part in any computation.
 * val: where not NULL, the value at flat packed offset s of the buffer whose last axis
 *      this is is element val[s] of the caller's array of nnz elements (position mode).
 * Text:
 *   axis #I = dense_fixed(%m)
 *   axis #J = sparse_variable(#I, %n, nnz %nnz, ptr $J_ptr, crd $J_crd) base %base sorted unique
 *   axis #J = sparse_variable(#R, %n, nnz %nnz, ptr $lo, end $hi, crd $crd)
 *   axis #E = sparse_fixed(#R, %n, width %w, crd $E_crd, val $E_pos) padded
 */
struct sb_axis {
    sb_axis_kind kind;
    const char *name;
    uint32_t id;
    const sb_axis *parent; /* NULL at a root */
    const sb_expr *length; /* coordinates run in [0, length) */
    const sb_expr *width;  /* fixed kinds under a parent: slots per parent position */
    const sb_expr *nnz;    /* variable kinds: length of crd */
    const sb_buf *ptr, *end, *crd, *val;
    const sb_expr *base; /* index base of crd, and of ptr without end; NULL is 0 */
    bool sorted, unique, padded;
};

typedef enum sb_expr_kind {
#define X(kind, text, form, arity, prec, typing, doc) SB_EXPR_##kind,
#include "compiler/expr.def"
#undef X
    SB_EXPR_COUNT
} sb_expr_kind;

struct sb_expr {
    uint8_t kind; /* sb_expr_kind */
    uint8_t type; /* sb_dtype */
    uint16_t nargs;
    uint32_t id;
    union {
        int64_t i;         /* INT */
        double f;          /* FLOAT */
        const sb_var *var; /* VAR */
        const sb_buf *buf; /* LOAD; FIND, SEEK, REACH (their list) */
    } u;
    const sb_expr *const *arg;
};

typedef struct sb_body {
    int n;
    const sb_stmt *const *at;
} sb_body;

/* One iterator of a sparse iteration: %i : S #I. Spatial or reduction. `group` numbers
 * fused iterators: equal non-zero numbers form one loop over all their positions.
 * `with`: an axis that is iterated together with it, %j : R #JA & #JB; only coordinates
 * stored in both are visited, and both are open then. NULL without. */
typedef struct sb_iter {
    const sb_var *var;
    const sb_axis *axis;
    bool reduce;
    int group;
    const sb_axis *with;
} sb_iter;

/* What a schedule wrote beside a loop for later stages: note(key, value). No meaning. */
typedef struct sb_note {
    const char *key, *value;
} sb_note;

typedef enum sb_stmt_kind {
    SB_STMT_ITER,    /* I */
    SB_STMT_BLOCK,   /* schedules do not move loops across it; III: tensor only */
    SB_STMT_FOR,     /* II, III */
    SB_STMT_LET,     /* II, III: rest of the body sees it */
    SB_STMT_LOCAL,   /* II, III: rest of the body sees the buffer; constant extents */
    SB_STMT_STORE,   /* all */
    SB_STMT_IF,      /* all */
    SB_STMT_PREFETCH /* II, III: no meaning, only speed */
} sb_stmt_kind;

typedef enum sb_loop_how {
    SB_LOOP_SERIAL,
    SB_LOOP_PARALLEL, /* iterations independent; outermost only */
    SB_LOOP_UNROLL,   /* constant trip count */
    SB_LOOP_VECTOR /* independent lanes, at most `lanes` iterations, constant lanes */
} sb_loop_how;

typedef enum sb_store_op {
    SB_STORE_SET,
    SB_STORE_ADD,
    SB_STORE_MIN,
    SB_STORE_MAX
} sb_store_op;

struct sb_stmt {
    uint8_t kind; /* sb_stmt_kind */
    uint32_t id;  /* unique in the compile */
    union {
        struct {
            const char *name;
            int n;
            const sb_iter *it;
            sb_body init; /* run once per spatial point before its reduction */
            sb_body body;
        } iter;
        struct {
            const char *name; /* tensor: of the intrinsic (tensor.h) */
            bool tensor;      /* the body is what that intrinsic does */
            sb_body body;
        } block;
        struct {
            const sb_var *var;
            const sb_expr *lo, *hi;
            uint8_t how; /* sb_loop_how */
            bool reduce;
            int lanes; /* VECTOR: constant upper bound of hi - lo */
            const char
                *bind; /* name of the hardware's index it is mapped to, or NULL */
            int nnote;
            const sb_note *note;
            sb_body body;
        } loop;
        struct {
            const sb_var *var;
            const sb_expr *value;
        } let;
        struct {
            const sb_buf *buf;
        } local;
        struct {
            const sb_buf *buf;
            int n;
            const sb_expr *const *idx;
            const sb_expr *value;
            uint8_t op;  /* sb_store_op */
            bool stream; /* may bypass the cache */
            bool atomic; /* an update that iterations of a parallel loop may share */
        } store;
        struct {
            const sb_expr *cond;
            sb_body then, els;
        } cond;
        struct {
            const sb_buf *buf;
            int n;
            const sb_expr *const *idx;
            bool far; /* into the second cache: it is wanted much later */
        } prefetch;
    } u;
};

typedef struct sb_prog {
    const char *name;
    int stage; /* 1, 2, 3 */
    int nparam, nbuf, naxis, nassume;
    const sb_var *const *param;
    const sb_buf *const *buf; /* in call order; locals are not listed */
    const sb_axis *const *axis;
    const sb_expr *const *assume; /* facts the caller guarantees; checked when bound */
    sb_body body;
} sb_prog;

/* Where nodes of one compile are made. */
typedef struct sb_ir sb_ir;
struct sb_ir {
    sb_arena *arena; /* nodes; not owned */
    sb_diag *diag;   /* may be NULL */
    uint32_t next_id;
    const sb_expr **table; /* interned expressions, open addressing, in the arena */
    int64_t used, cap;
    bool failed; /* an allocation failed; constructors then return NULL */
};

void sb_ir_init(sb_ir *ir, sb_arena *arena, sb_diag *diag);

/* Constructors. NULL only when memory is short (ir->failed stays set), and NULL operands
 * give NULL, so a chain is checked once with sb_ir_status. Types follow expr.def; an
 * ill-typed combination is recorded in diag and gives NULL. Literals are folded. */
const sb_var *sb_var_new(sb_ir *ir, const char *name, sb_dtype type);
const sb_expr *sb_expr_int(sb_ir *ir, int64_t v); /* i64 */
const sb_expr *sb_expr_int_typed(sb_ir *ir, sb_dtype type, int64_t v);
const sb_expr *sb_expr_float(sb_ir *ir, sb_dtype type, double v);
const sb_expr *sb_expr_var(sb_ir *ir, const sb_var *v);
const sb_expr *sb_expr_load(sb_ir *ir, const sb_buf *b, int n,
                            const sb_expr *const *idx);
/* kind: FIND, SEEK or REACH. */
const sb_expr *sb_expr_search(sb_ir *ir, sb_expr_kind kind, const sb_buf *crd,
                              const sb_expr *lo, const sb_expr *hi, const sb_expr *x);
const sb_expr *sb_expr_cast(sb_ir *ir, sb_dtype type, const sb_expr *x);
const sb_expr *sb_expr_un(sb_ir *ir, sb_expr_kind k, const sb_expr *x);
const sb_expr *sb_expr_bin(sb_ir *ir, sb_expr_kind k, const sb_expr *a,
                           const sb_expr *b);
const sb_expr *sb_expr_select(sb_ir *ir, const sb_expr *c, const sb_expr *a,
                              const sb_expr *b);
/* An empty statement of the kind, to be filled before it is published. */
sb_stmt *sb_stmt_new(sb_ir *ir, sb_stmt_kind kind);
sb_body sb_body_copy(sb_ir *ir, int n, const sb_stmt *const *at);
sb_status sb_ir_status(const sb_ir *ir);

/* Facts of expr.def by kind. */
const char *sb_expr_kind_text(sb_expr_kind k);
int sb_expr_kind_arity(sb_expr_kind k);
int sb_expr_kind_prec(sb_expr_kind k);
/* FIND, SEEK or REACH: reads the list u.buf beside its operands. */
bool sb_expr_is_search(const sb_expr *e);

#endif
