/*
 * Inside src/native: one launch, and offsets from counts.
 */
#ifndef SB_NATIVE_RUN_H
#define SB_NATIVE_RUN_H

#include "native/native.h"
#include "runtime/plan.h"

/* A kernel by its parts, and its arguments. The types are SB_DTYPE_COUNT where the text has
 * none. */
typedef struct sb_native_job {
    const char *op;
    sb_dtype e, c, i, p, x, y;
    sb_binding args;
} sb_native_job;

/* x and y, which few have, are the caller's to set. */
sb_native_job sb_native_job_of(const char *op, sb_dtype e, sb_dtype c, sb_dtype i,
                               sb_dtype p);
/* Append in the order of the text's comment. */
void sb_native_int(sb_native_job *j, int64_t v);
void sb_native_scalar_of(sb_native_job *j, sb_dtype t, sb_value v);
void sb_native_array(sb_native_job *j, const void *array);

/* A type for elements that are only copied, by their size. */
sb_dtype sb_native_carrier(size_t bytes);

/* Looked up, or made, and put on the stream: `items` of them for the threads (each its own),
 * or for groups of lanes. None: nothing is done. */
sb_status sb_native_threads(const sb_native *n, const sb_native_job *j, int64_t items);
sb_status sb_native_groups(const sb_native *n, const sb_native_job *j, int64_t items);

/* Loads the kernel, so that a later launch need not. */
sb_status sb_native_load(const sb_native *n, const sb_native_job *j);

/* Bytes of the sums for n counts. */
size_t sb_native_scan_bytes(int64_t n);
/*
 * Offsets from n counts in two halves, so that a caller may look at the total first: the
 * first leaves it in sums[total_at], the second writes n + 1 offsets of type p from `base`
 * on; `out` may be the counts if p is I64.
 */
int64_t sb_native_scan_total(int64_t n);
sb_status sb_native_scan_sums(const sb_native *n, const int64_t *count, int64_t items,
                              int64_t *sums);
sb_status sb_native_scan_write(const sb_native *n, const int64_t *count, int64_t items,
                               int64_t *sums, void *out, sb_dtype p, int base);
/* The largest count, to sums[total_at]. */
sb_status sb_native_scan_most(const sb_native *n, const int64_t *count, int64_t items,
                              int64_t *sums);
/*
 * A buffer of counts, 64 bits each and one more, and their sums: its bytes, wherever it
 * begins; where the counts are. `offsets` turns counts into offsets of type p from `base`
 * on (out NULL: nothing is written); it waits for the total, ERESOURCES when they cannot
 * count so far.
 */
size_t sb_native_counts_bytes(int64_t items);
int64_t *sb_native_counts_in(void *buffer);
/* The same where there may be no buffer: then in memory for the time of the call, *own, for
 * the device's free. ENOTSUP as below: such calls wait. */
sb_status sb_native_counts_begin(const sb_native *n, int64_t items, void *buffer,
                                 void **own, int64_t **at);
sb_status sb_native_counts_offsets(const sb_native *n, int64_t *count, int64_t items,
                                   void *out, sb_dtype p, int base, int64_t *total);
/* Where rows have left a number each, rows - i for a bad row i or else 0: the first bad one,
 * -1: none. Waits; sums as above. Its kernel is loaded by the second. */
sb_status sb_native_first(const sb_native *n, const int64_t *bad, int64_t rows,
                          int64_t *sums, int64_t *at);
sb_status sb_native_first_load(const sb_native *n);
/* Waits for a number that the device has computed. */
sb_status sb_native_read(const sb_native *n, int64_t *out, const int64_t *at);

#endif
