/*
 * Conformance of a cuSPARSE library: programs against its public names only, which print
 * what every call answered, a line each, so that two libraries are compared by comparing
 * their output.
 *
 * A case is a function that picks each argument from a list whose first value is the
 * ordinary one. conform_explore runs it with the ordinary values, then with each other
 * value of each argument, then with all pairs of these.
 *
 *     static void
 *     create_vector(void)
 *     {
 *         const int64_t size = PICK("size", 5, -1, 0, INT64_MAX);
 *         ...
 *         conform_status("cusparseCreateDnVec", CALL(cusparseCreateDnVec(&v, size, ...)));
 *     }
 */
#ifndef CONFORM_H
#define CONFORM_H

#include <cusparse.h>

#include <setjmp.h>
#include <stdbool.h>
#include <stdint.h>

/* The status of a call as a number, or CONFORM_CRASHED when it ended in a signal, as some
 * of the real library's do. */
#define CALL(call) (sigsetjmp(conform_return, 1) ? CONFORM_CRASHED : (int)(call))
enum { CONFORM_CRASHED = -100, CONFORM_SKIPPED = -101 };
extern sigjmp_buf conform_return;

/* One of the values; all picks of a case are made in each run, in one order. */
#define PICK(name, ...)                                \
    conform_pick(name, (const int64_t[]){__VA_ARGS__}, \
                 (int)(sizeof((const int64_t[]){__VA_ARGS__}) / sizeof(int64_t)))
int64_t conform_pick(const char *name, const int64_t *values, int count);

/* An array: 16-byte aligned, NULL, or 1, 2, 4 or 8 bytes further on. */
void *conform_array(const char *name);

/* `out`, or NULL. */
void *conform_out(const char *name, void *out);

/* Lists that many functions share. */
int64_t conform_size(const char *name, int64_t ordinary);
cudaDataType conform_type(void);
cusparseIndexType_t conform_index(const char *name);
cusparseIndexBase_t conform_base(void);

void conform_explore(void (*body)(void));

/* Prints function, case, status, and a text of outputs as printf would make it. */
void conform_row(const char *function, int status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* The same for a call without outputs. */
#define conform_status(function, status) conform_row(function, status, "%s", "")

/* A pointer as text: its place in the arrays above, "NULL", "kept" (what an output held
 * before the call) or "object". The text is good until the fourth call after this. */
extern char conform_kept[];
const char *conform_pointer(const void *p);

/* ---- Objects in their ordinary form; ended by conform_end ---------------------------- */

enum conform_kind {
    CONFORM_CSR,
    CONFORM_CSC,
    CONFORM_COO,
    CONFORM_BSR,
    CONFORM_BELL,
    CONFORM_SELL,
    CONFORM_DNMAT,
    CONFORM_DNVEC,
    CONFORM_SPVEC,
    CONFORM_NONE
};
void *conform_make(enum conform_kind kind);
void conform_end(enum conform_kind kind, void *object);

/* The groups, one source each. */
void conform_vectors(void);
void conform_dense(void);
void conform_create(void);
void conform_getters(void);
void conform_setters(void);
void conform_management(void);
void conform_nulls(void);

#endif
