/*
 * Whether a tensor's arrays say what its format says: read straight from the definition
 * in fmt.h and tensor.h, without the library's own reader.
 */
#ifndef SB_TEST_FMTCHECK_H
#define SB_TEST_FMTCHECK_H

#include "formats/tensor.h"

#include <stddef.h>

/* A dense tensor in double precision, last dimension fastest; from malloc. */
typedef struct fmt_dense {
    int ndim;
    int64_t extent[SB_FMT_DIMS], count;
    double *val;
} fmt_dense;
fmt_dense fmt_dense_of(const sb_tensor_coo *coo);
void fmt_dense_free(fmt_dense *d);

/* True when every stored element lies where `d` has its value, every non-zero of d is
 * stored once, counts agree with sizes and pointers, indices are in range and in order,
 * levels hold what their index expressions say, and nothing trimmed is empty. Else
 * message says what is wrong. */
bool fmt_check(const sb_tensor *t, const fmt_dense *d, char *message, size_t size);

/* For a group of tests: one arena for formats, from text that parses. */
extern sb_arena fmt_arena;
int fmt_begin(void **state);
int fmt_end(void **state);
const sb_fmt *fmt_of(const char *text);

/* What fmt_check keeps about formats; to be called before their arena is freed. */
void fmt_check_forget(void);

/* True when both have the same arrays. */
bool fmt_equal(const sb_tensor *a, const sb_tensor *b, char *message, size_t size);

/* For sb_par: pieces from the last to the first, as a team may run them. */
void fmt_backwards(sb_par_fn fn, void *user, int64_t lo, int64_t hi, int64_t grain);

/* All arrays as text, a level a line; released with free. */
char *fmt_show(const sb_tensor *t);

#endif
