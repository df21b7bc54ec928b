/*
 * Whether the C of a program has some text.
 */
#ifndef SB_TESTS_EMITS_H
#define SB_TESTS_EMITS_H

#include <stdbool.h>

/* The program is head, loop and foot, one behind the other. */
bool emits(const char *head, const char *loop, const char *foot, const char *what);

#endif
