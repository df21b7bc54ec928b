/*
 * Commands of spblasc that live in files of their own.
 */
#ifndef SPBLASC_H
#define SPBLASC_H

/* spblasc builtin DIR: see spblasc_builtin.c. */
int spblasc_builtin(int argc, char **argv);

#endif
