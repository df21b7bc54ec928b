/*
 * Random lines of schedules, for the loops, buffers and axes a program has. Most do not
 * fit; those that do reach every primitive.
 */
#ifndef SB_TEST_IRSCHED_H
#define SB_TEST_IRSCHED_H

#include "compiler/compiler.h"

#include <stddef.h>
#include <stdint.h>

/* [0, n), from a state that is moved on. */
uint64_t ir_roll(uint64_t *s, uint64_t n);
/* A line for a stage II program; names it makes end in the number `line`. */
void ir_random_line(char *out, size_t size, const sb_prog *p, uint64_t *s, int line);
/* A line for a stage I program. */
void ir_random_line1(char *out, size_t size, const sb_prog *p, uint64_t *s);

#endif
