/*
 * Random programs by grammar: what blind bytes never reach. The same seed gives the
 * same text.
 */
#ifndef SB_TEST_IRGEN_H
#define SB_TEST_IRGEN_H

#include "base/strbuf.h"

/* A program of any stage that parses and verifies; blanks, comments and parentheses at
 * random. Loops run at most a few times when parameters are at most 4. */
void irgen_program(sb_strbuf *out, uint64_t seed);
/* The text with a few tokens dropped, doubled, exchanged or replaced. */
void irgen_mutate(sb_strbuf *out, const char *text, size_t len, uint64_t seed);

#endif
