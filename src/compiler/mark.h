/*
 * Marks that schedules put on loops and stores beside parallel, unroll and vector: what
 * a loop is bound to on the hardware, notes, atomic updates. mark.c has the tables.
 */
#ifndef SB_COMPILER_MARK_H
#define SB_COMPILER_MARK_H

#include "compiler/ir.h"

/* Is this the name of an index of the hardware (block_x, thread_x, lane, ...)? */
bool sb_bind_known(const char *name);
/* Can elements of this type be updated atomically? */
bool sb_atomic_type(sb_dtype t);
/* Can a word stand in note(key, value)? Keys and values are names, values numbers too. */
bool sb_note_word(const char *s, bool number);

/* Does the loop carry a mark that another loop in its place would not have? */
bool sb_loop_marked(const sb_stmt *loop);

#endif
