/*
 * Wisdom: plans whose speed has been measured, kept as text and found again for the same
 * structure, problem and machine (the model is FFTW's). An entry is
 *
 *   structure  128-bit hash of the sparse operand's whole structure
 *   machine    x86-64 level, threads, caches: "v4g/2/49152/2097152/110100480"
 *   problem    operation, transposition, types, layouts, sizes, batch, whether values may
 *              be packed: "spmm/nn/f32f32f32f32/i32i32/rr/128/64/1/open"
 *   effort     that of the analysis that measured
 *   seconds    of one run
 *   plan       plan text
 *
 * A plan is built anew from its text on the matrix at hand, as a forced one is, so an
 * entry that does not fit costs time and never a wrong result.
 *
 * The text has a line of greeting, a line an entry in order of their keys, and a checksum
 * of all before it:
 *
 *   spblas wisdom 2
 *   STRUCTURE MACHINE PROBLEM measure|exhaustive SECONDS PLAN
 *   checksum 32 hexadecimal digits
 */
#ifndef SB_PLANNER_WISDOM_H
#define SB_PLANNER_WISDOM_H

#include "planner/planner.h"

/* More entries than that are not kept: the oldest leaves. */
enum { SB_WISDOM_MAX = 16384 };

typedef struct sb_wisdom_entry {
    char *key, *plan; /* "STRUCTURE MACHINE PROBLEM"; owned */
    sb_effort effort;
    double seconds;
    int64_t age; /* counts up with each entry put into a table */
} sb_wisdom_entry;

/* Entries in order of their keys, each key once. All zero is empty. */
typedef struct sb_wisdom {
    sb_wisdom_entry *at;
    int64_t n, cap, born;
} sb_wisdom;

/* ---- wisdom.c: tables and their text ---- */

void sb_wisdom_free(sb_wisdom *w);
/* NULL where there is none. */
const sb_wisdom_entry *sb_wisdom_find(const sb_wisdom *w, const char *key);
/* The entries of `from`, which is empty afterwards; of two with one key the one of the
 * larger effort stays, or else the faster. ENOMEM leaves both as they are. */
sb_status sb_wisdom_merge_take(sb_wisdom *w, sb_wisdom *from);
/* A table of one entry; copies. */
sb_status sb_wisdom_single(sb_wisdom *w, const char *key, const char *plan,
                           sb_effort effort, double seconds);
void sb_wisdom_print(sb_strbuf *out, const sb_wisdom *w);
/* All of the text or nothing: EINVAL with the line and the reason. */
sb_status sb_wisdom_parse(sb_wisdom *w, const char *text, size_t len, sb_diag *diag);

/* ---- wisdom_key.c ---- */

/* Reads the whole structure of pb->a, which is in no format of the language. */
void sb_wisdom_key(sb_strbuf *out, const sb_problem *pb, const sb_options *opt,
                   int threads);

/* ---- wisdom_store.c: that of the process, for any thread ---- */

/* Whether an analysis of this effort may find or leave something. The first call reads
 * the file that SPBLAS_WISDOM names. */
bool sb_wisdom_wanted(sb_effort effort);
/* A plan text for the key that was measured with this effort or more; false without. */
bool sb_wisdom_recall(sb_strbuf *plan, double *seconds, const char *key,
                      sb_effort effort);
/* Keeps a measured plan, in the file of SPBLAS_WISDOM too. What goes wrong is logged. */
void sb_wisdom_remember(const char *key, const char *plan, sb_effort effort,
                        double seconds);
sb_status sb_wisdom_export(sb_strbuf *out);
sb_status sb_wisdom_import(const char *text, size_t len, sb_diag *diag);
void sb_wisdom_forget(void);
/*
 * A file shared by processes: only a file of ours that no other user can write is read
 * (EIO); exporting adds to what is there, under a lock beside it, and replaces the file
 * at once. A file that is there and is no wisdom is left alone (EINVAL). Importing one
 * that is not there: EIO.
 */
sb_status sb_wisdom_export_file(const char *path, sb_diag *diag);
sb_status sb_wisdom_import_file(const char *path, sb_diag *diag);

#endif
