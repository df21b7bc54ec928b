/*
 * Arguments of IR programs by name: a test fills a set of integers and arrays once and
 * runs any program on it, interpreted or compiled. A name the program has and the set
 * has not fails the test.
 */
#ifndef SB_TEST_NAMED_H
#define SB_TEST_NAMED_H

#include "compiler/compiler.h"

#include <stdbool.h>

enum { NAMED_MAX = 96 };

typedef struct named_array {
    char name[24];
    sb_dtype type;
    int64_t count;
    void *data; /* malloc */
} named_array;

typedef struct named_int {
    char name[24];
    int64_t value;
} named_int;

typedef struct named {
    int nint, narray;
    named_int integer[NAMED_MAX];
    named_array array[NAMED_MAX];
} named;

void named_free(named *s);
void named_put(named *s, const char *name, int64_t value);
/* Zeroed; count 0 is fine. */
void *named_new(named *s, const char *name, sb_dtype type, int64_t count);
/* With these values: f32, f64, i32, i64. */
void *named_values(named *s, const char *name, sb_dtype type, int64_t count,
                   const double *values);
const named_array *named_find(const named *s, const char *name);
double named_get(const named *s, const char *name, int64_t at);
/* Overwrites with NaN (integers: -1), to see that a run writes everything. */
void named_poison(named *s, const char *name);

/* The interpreter on any stage; a failure prints the program and fails the test. */
void named_interpret(const named *s, const sb_prog *p);
/* The emitted C of a stage III program, by way of the kernel cache; false where no
 * kernel can be made here. */
bool named_compile_run(const named *s, const sb_prog *p);

#endif
