/*
 * Inside the C emitter. emit_scan.c decides how loops and locals are represented,
 * emit_lane.c how an expression changes from lane to lane, emit_expr.c and emit_vec.c
 * write scalar and vector expressions, emit_chunk.c vector loops, emit_base.c the
 * addresses these start from, emit_tensor.c, emit_few.c, emit_join.c, emit_rows.c and
 * emit_diags.c calls of intrinsics, emit_tail.c tiles cut short, emit_stmt.c other
 * statements, emit_c.c the function.
 */
#ifndef SB_COMPILER_EMIT_H
#define SB_COMPILER_EMIT_H

#include "base/arena.h"
#include "base/strbuf.h"
#include "compiler/compiler.h"
#include "compiler/ir.h"

#define SB_EMIT_MAX 256  /* locals, lane loops, variables: bounds of one kernel */
#define SB_EMIT_DEPTH 48 /* nested loops */
#define SB_EMIT_BASES 4  /* named addresses of a vector loop */

/* How a value changes along the lanes of a vector loop. */
typedef enum sb_lane {
    SB_LANE_UNIFORM, /* the same in all */
    SB_LANE_LINEAR,  /* an integer growing by a uniform step */
    SB_LANE_VARY
} sb_lane;

/* Lanes of a vector: as many as fit with elements of `bytes`, at most `lanes`, a power
 * of two; spelled SBK_N<bytes>_<lanes> in C. */
typedef struct sb_emit_class {
    int bytes, lanes;
} sb_emit_class;

typedef struct sb_emit_local {
    const sb_buf *buf;
    sb_emit_class cls;
    bool in_lanes;     /* some vector loop touches it */
    bool vector;       /* an array of vectors, kept in registers; else of elements */
    bool mixed;        /* lanes missing in one loop are seen by another */
    bool owned;        /* GPU: elements are touched by the lane that has them alone */
    const sb_expr *hi; /* bound of the masked loops over it */
} sb_emit_local;

typedef struct sb_emit_loop {
    const sb_stmt *st;
    const sb_expr
        *guard;   /* the body is `if guard { .. }` with this uniform condition */
    sb_body body; /* what is left of the body without it */
    sb_emit_class cls;
    bool vector; /* else written as a scalar loop */
    bool masked; /* the last lanes may be missing */
    bool global; /* touches memory, so missing lanes matter */
    int fold;    /* h: the loop is `for l in 0 .. h { x[l] += x[l + h] }` */
} sb_emit_loop;

typedef struct sb_emit_let {
    const sb_var *var;
    const sb_expr *value;
    sb_lane lane;
} sb_emit_let;

typedef struct sb_emit_simt sb_emit_simt;

typedef struct sb_emit {
    sb_strbuf *out;
    sb_ir *ir; /* for expressions made here */
    const sb_prog *prog;
    sb_diag *diag;
    sb_status st; /* first failure: a program outside what the emitter takes */
    int indent;
    bool tiled;                 /* t0 and t1 are the last two parameters */
    const sb_emit_usual *usual; /* parameters that are the function's own */
    int nusual;
    bool within;  /* the copy for parameters within bounds is written */
    int bytes;    /* ... of a vector in it at most; 0: of any */
    bool cut;     /* the copy is one of SBK_CUTS: w_ vectors, tail_ bytes of the last */
    bool streams; /* a fence is due at the end */
    const sb_stmt *joined,
        *rows;                /* emit_join.c: a loop over entries and that over rows */
    const sb_emit_loop *tail; /* emit_tail.c: as long as the masked loops are */
    int width;                /* lanes a vector has at most */
    sb_emit_simt *simt;       /* of the GPU's dialect; NULL for C */

    int nlocal, nloop, nused, nunroll;
    sb_emit_local local[SB_EMIT_MAX];
    sb_emit_loop loop[SB_EMIT_MAX];
    const void *used[2 * SB_EMIT_MAX]; /* variables and buffers that are read */
    const sb_stmt
        *unroll[SB_EMIT_MAX]; /* serial loops whose variable picks a register */

    /* The vector loop being looked at or written; cur is NULL outside. */
    const sb_emit_loop *cur;
    bool masking; /* writing the masked variant */
    bool open;    /* ... whose lanes are all read, and the sum alone is masked */
    bool at_zero; /* writing an index without its lane variable */
    int nlet;
    sb_emit_let let[SB_EMIT_MAX];
    int nbase; /* addresses of lane 0 that have a name: loads of the loop */
    struct {
        const sb_buf *buf;
        const sb_expr *idx;
    } base[SB_EMIT_BASES];
} sb_emit;

/* emit_c.c */
sb_status sb_emit_fail(sb_emit *cx, const char *why);
void sb_emit_comment(sb_strbuf *out, const char *key);
/* Whether t0 and t1 are the last two parameters, as sb_pass_fuse makes them. */
bool sb_emit_is_tiled(const sb_prog *p);
/* Declares what the program uses of its arguments; how many of each. */
void sb_emit_unpack(sb_emit *cx, int *nparam, int *nbuf);

/* emit_lane.c: valid between sb_emit_enter and sb_emit_leave. */
void sb_emit_enter(sb_emit *cx, const sb_emit_loop *loop);
void sb_emit_leave(sb_emit *cx);
sb_lane sb_emit_lane(const sb_emit *cx, const sb_expr *e);
/* The step of a linear expression if it is a constant; else false. */
bool sb_emit_step(const sb_emit *cx, const sb_expr *e, int64_t *step);
/* True if the linear expression is a multiple of d wherever the lane variable is. */
bool sb_emit_multiple(const sb_emit *cx, const sb_expr *e, int64_t d);
/* Writes the step of a linear expression. */
void sb_emit_step_text(sb_emit *cx, const sb_expr *e);
const sb_emit_let *sb_emit_find_let(const sb_emit *cx, const sb_var *v);

/* emit_scan.c */
void sb_emit_scan(sb_emit *cx);
sb_emit_local *sb_emit_find_local(const sb_emit *cx, const sb_buf *b);
sb_emit_loop *sb_emit_find_loop(const sb_emit *cx, const sb_stmt *st);
bool sb_emit_forced_unroll(const sb_emit *cx, const sb_stmt *st);
bool sb_emit_const_trip(const sb_stmt *loop, int64_t *lo, int64_t *hi);

/* emit_use.c */
void sb_emit_mark_uses(sb_emit *cx);
bool sb_emit_is_used(const sb_emit *cx, const void *var_or_buf);
bool sb_emit_expr_has(const sb_expr *e, const sb_var *v);

/* emit_expr.c; prec as in expr.def: parentheses when the expression binds looser. */
const char *sb_emit_ctype(sb_dtype t);
void sb_emit_buf(sb_emit *cx, const sb_buf *b); /* names in C */
void sb_emit_var(sb_emit *cx, const sb_var *v);
void sb_emit_expr(sb_emit *cx, const sb_expr *e, int prec);
void sb_emit_element(sb_emit *cx, const sb_buf *b, const sb_expr *idx);

/* emit_vec.c */
void sb_emit_vec(sb_emit *cx, const sb_expr *e, int prec);
/* A product of two reals loaded side by side or gathered: masked, any number of lanes. */
bool sb_emit_product(const sb_emit *cx, const sb_expr *e);
/* A load of reals that lie side by side; whether loads of b read memory, not registers. */
bool sb_emit_side_by_side(const sb_emit *cx, const sb_expr *e);
bool sb_emit_from_memory(const sb_emit *cx, const sb_buf *b);
/* x if e is x[l * 2] + x[l * 2 + 1], x a local of f32 or f64 and l the lane; else NULL. */
const sb_buf *sb_emit_pair(const sb_emit *cx, const sb_expr *e);
/* Widest element among what sb_emit_vec would hold in registers for e. */
int sb_emit_vec_bytes(const sb_emit *cx, const sb_expr *e);
void sb_emit_lanes(sb_emit *cx, sb_emit_class c);           /* SBK_N4_16 */
void sb_emit_call(sb_emit *cx, const char *fn, sb_dtype t); /* SBK_V(ld_f32, N) */
void sb_emit_lane_var(sb_emit *cx);
void sb_emit_chunk(sb_emit *cx, const sb_buf *b, const sb_expr *idx);   /* acc[i / N] */
void sb_emit_address(sb_emit *cx, const sb_buf *b, const sb_expr *idx); /* in a loop */
/* Opens a brace and names in it the addresses of lane 0 that the loop's loads start from;
 * false when there are none. Kernels with one register to address by, rather than two,
 * keep twice the loads in flight (docs/measured/spmm-rows.md, Rows on Sapphire
 * Rapids). */
bool sb_emit_bases(sb_emit *cx);
/* Start and end of a memory operation: SBK_V(st_f32, N)(C + index[, step] .. [, m[, tail]]);
 * and whether its missing lanes are left out by a register no wider than what is there; gathers,
 * whose b and idx are NULL, have none. */
bool sb_emit_by_tail(const sb_emit *cx, const sb_buf *b, const sb_expr *idx);
void sb_emit_open_memory(sb_emit *cx, const char *op, const sb_buf *b,
                         const sb_expr *idx);
void sb_emit_close_memory(sb_emit *cx, const sb_buf *b, const sb_expr *idx, bool store);
void sb_emit_vec_load(sb_emit *cx, const sb_buf *b, const sb_expr *idx);

/* emit_gather.c */
/* A load gathered by an i32 array in memory, and its text. */
bool sb_emit_gathered(const sb_emit *cx, const sb_expr *e);
void sb_emit_gather(sb_emit *cx, const sb_expr *e);
/* The rank ones(m, l) when c is ones(m, l + 1) > ones(m, l), bit l of m; else NULL. */
const sb_expr *sb_emit_tested(const sb_expr *c);
/* The rank ones(m, l) when e is select(ones(m, l + 1) > ones(m, l), .., 0), which is
 * zero in lanes whose bit of m is not set; else NULL. Its mask for a chunk: m >> l. */
const sb_expr *sb_emit_bit(const sb_emit *cx, const sb_expr *e);
void sb_emit_mask(sb_emit *cx, const sb_expr *rank);
/* select(bit, x, 0) with an x that has a form by mask (spblas_bits.h), and its text. */
bool sb_emit_by_bits(const sb_emit *cx, const sb_expr *e);
void sb_emit_bits(sb_emit *cx, const sb_expr *e);

/* emit_chunk.c */
void sb_emit_vector_loop(sb_emit *cx, const sb_emit_loop *loop);

/* emit_stmt.c */
void sb_emit_line(sb_emit *cx); /* a new line's indentation */
void sb_emit_body(sb_emit *cx, sb_body body);
void sb_emit_prefetch(sb_emit *cx, const sb_stmt *st);

/* emit_tensor.c: the call of an intrinsic; false when the loops must be written. */
bool sb_emit_tensor(sb_emit *cx, const sb_stmt *st);

/* emit_few.c: the same of a loop with the note `few`; the length of the arrays that its call
 * names beside what the loop reads, or NULL. */
bool sb_emit_few(sb_emit *cx, const sb_stmt *st);
/* Which call the note asks for; 0: none. */
enum {
    SB_EMIT_FEW = 1,
    SB_EMIT_JOIN,
    SB_EMIT_HALVES,
    SB_EMIT_EIGHTS,
    SB_EMIT_SLIM,
    SB_EMIT_FOURS
};
int sb_emit_few_of(const sb_stmt *st);
/* Entries that a call for joined rows reads from where a row's last ones begin; 0: its own. */
int sb_emit_few_reads(int which);
/* The places of a row's entries; false where the loop is no call. */
bool sb_emit_few_ends(sb_emit *cx, const sb_stmt *st, const sb_expr **lo,
                      const sb_expr **hi);
const sb_expr *sb_emit_few_end(const sb_stmt *st);
/* emit_rows.c, emit_diags.c: the same of a loop with the note `rows` or `flow`, or `diags`; what
 * calls of `flow` keep for the next one, declared. */
bool sb_emit_rows(sb_emit *cx, const sb_stmt *st);
void sb_emit_flow_state(sb_emit *cx);
bool sb_emit_diags(sb_emit *cx, const sb_stmt *st);
/* Whether a loop has this note; what a sum begins with: cast(i64, $ptr[..]) of a bound; an
 * argument of a call, NULL: out of memory. */
bool sb_emit_noted(const sb_stmt *loop, const char *key);
const sb_expr *sb_emit_offset_of(const sb_expr *e);
void sb_emit_offset(sb_emit *cx, const char *before, const sb_expr *e, int prec);

/* emit_tail.c: a body once for each number of vectors that its lanes are; false when it is
 * written as it stands. */
bool sb_emit_tail(sb_emit *cx, sb_body body);
/* Of a chunk in it: whether it is whole, or else at least begun. */
void sb_emit_tail_test(sb_emit *cx, bool whole);
/* emit_join.c: a loop over rows taken by join; false when it is written as it stands. */
bool sb_emit_join(sb_emit *cx, const sb_stmt *rows);

#endif
