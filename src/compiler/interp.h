/*
 * What the files of the interpreter share: values, bindings, the open levels of a sparse
 * iteration, the first error. After an error every step returns at once.
 */
#ifndef SB_COMPILER_INTERP_H
#define SB_COMPILER_INTERP_H

#include "base/macro.h"
#include "compiler/compiler.h"

#define SB_INTERP_NAMES 2048
#define SB_INTERP_LEVELS 12

/* A value of any type: integers and bool in i, others in re and im. */
typedef struct sb_num {
    int64_t i;
    double re, im;
} sb_num;

/* A buffer with what lies behind it. */
typedef struct sb_storage {
    const sb_buf *buf;
    void *data;
    int64_t count;                  /* elements behind data */
    int64_t size[SB_MAXRANK];       /* extents, or lengths of the axes */
    int64_t stride[SB_MAXRANK + 1]; /* strides, or equation 8 of the paper */
} sb_storage;

typedef struct sb_axis_size {
    const sb_axis *axis;
    int64_t length, width, base, slots;
} sb_axis_size;

/* One iterator of the running iteration, while its loop runs. */
typedef struct sb_open_level {
    const sb_iter *it;
    bool open;
    /* of the iterator's axis and of the one iterated with it */
    struct {
        const sb_axis *axis; /* NULL without */
        int64_t pos, slot;
    } at[2];
} sb_open_level;

typedef struct sb_machine {
    const sb_prog *prog;
    sb_diag *diag;
    sb_status st;
    sb_arena arena; /* locals */
    int nvar, nbuf, naxis, nlevel;
    const sb_stmt *iter;
    struct {
        const sb_var *var;
        sb_num value;
    } var[SB_INTERP_NAMES];
    sb_storage buf[SB_INTERP_NAMES];
    sb_axis_size *axis;
    sb_open_level level[SB_INTERP_LEVELS];
} sb_machine;

/* Records the first error. */
void sb_machine_fail(sb_machine *m, sb_status st, const char *fmt, ...) SB_PRINTF(3, 4);
bool sb_machine_ok(const sb_machine *m);
void sb_machine_bind(sb_machine *m, const sb_var *v, sb_num value);
void sb_machine_rebind(sb_machine *m, int at, int64_t value);
void sb_machine_add_buf(sb_machine *m, const sb_buf *b, void *data, int64_t count);
const sb_storage *sb_machine_storage(sb_machine *m, const sb_buf *b);

/* Overflow is an error of the program; the result is then 0. */
int64_t sb_machine_add(sb_machine *m, int64_t a, int64_t b);
int64_t sb_machine_mul(sb_machine *m, int64_t a, int64_t b);

/* ---- values (interp_expr.c) ---- */
sb_num sb_machine_eval(sb_machine *m, const sb_expr *e);
int64_t sb_machine_int(sb_machine *m, const sb_expr *e); /* 0 for NULL */
/* a op b in type t, rounded to t. */
sb_num sb_machine_combine(sb_machine *m, sb_expr_kind k, sb_dtype t, sb_num a,
                          sb_num b);
sb_num sb_machine_cast(sb_machine *m, sb_num x, sb_dtype from, sb_dtype to);
sb_num sb_num_load(const sb_storage *s, int64_t at);
void sb_num_store(const sb_storage *s, int64_t at, sb_num v);

/* ---- places (interp_place.c) ---- */
/* Sizes of all axes; strides of a buffer. */
void sb_machine_measure_axes(sb_machine *m);
void sb_machine_measure_buf(sb_machine *m, sb_storage *s);
const sb_axis_size *sb_machine_axis(sb_machine *m, const sb_axis *x);
/* First slot and number of slots under parent slot q. */
int64_t sb_machine_first(sb_machine *m, const sb_axis *x, int64_t q);
int64_t sb_machine_extent(sb_machine *m, const sb_axis *x, int64_t q);
/* Element `at` of a list of integers, bounds checked. */
int64_t sb_machine_entry(sb_machine *m, const sb_buf *b, int64_t at);
/* Element that indices reach, or -1: out of bounds (an error) or, in stage I, not
 * stored. */
int64_t sb_machine_place(sb_machine *m, const sb_storage *s, int n,
                         const sb_expr *const *idx);
/* Slot at which axis x is open in the nearest level before `below`, or -1. */
int64_t sb_machine_open_slot(const sb_machine *m, const sb_axis *x, int below);
/* Position of a coordinate under parent slot q, -1 when it is not stored. */
int64_t sb_machine_position(sb_machine *m, const sb_axis *x, int64_t q, int64_t coord);
/* Flat offset of b where all its axes are open; -1 when one is not. */
int64_t sb_machine_open_offset(sb_machine *m, const sb_storage *s, int last);

/* ---- statements (interp.c, interp_iter.c) ---- */
void sb_machine_body(sb_machine *m, sb_body b);
void sb_machine_iter(sb_machine *m, const sb_stmt *s);

#endif
