/*
 * Which iterations of a loop can meet in one element. Conservative: "may" when the
 * indices are not of a form it understands.
 */
#ifndef SB_COMPILER_DEPEND_H
#define SB_COMPILER_DEPEND_H

#include "compiler/ir.h"

/*
 * True when different iterations of the loop touch different elements of everything the
 * loop stores to (arrays declared inside aside). The index of every access to a stored
 * buffer must have, in one dimension or flat, the form step * t + inner + rest, with t
 * the loop variable or the coordinate of a unique axis at it, inner spanning less than
 * step, and step and rest the same for all accesses. Where all a loop does to a buffer
 * is one kind of atomic update, its iterations may meet. *bad: a buffer for which it is
 * not known.
 */
bool sb_loop_distinct(sb_ir *ir, const sb_prog *p, const sb_stmt *loop,
                      const sb_buf **bad);

/* True when all the body does to stored buffers is one kind of update (+=, min, max)
 * per buffer, none of which is read: the order of its iterations is free. */
bool sb_body_only_updates(sb_body b);

/* The body with its lets replaced by their values; only for looking at. */
sb_body sb_body_inline(sb_ir *ir, sb_body b);

#endif
