/*
 * What a device computes without a plan, on arrays in its memory: vectors, conversions,
 * triangular solves, products of sparse matrices. Each call puts kernels (native/text.h) on
 * the stream; those that wait for a number say so.
 *
 * Errors   ENOTSUP: a kernel is neither stored nor can be compiled, or would have to be made
 *          while the stream is captured, or the call would wait then; EIO: the driver's
 *          words; ENOMEM
 * Threads  as the device
 */
#ifndef SB_NATIVE_NATIVE_H
#define SB_NATIVE_NATIVE_H

#include "formats/matrix.h"
#include "runtime/device.h"
#include "runtime/geam.h"
#include "runtime/legacy.h"
#include "runtime/problem.h"
#include "runtime/spgemm.h"
#include "runtime/tri.h"
#include "runtime/vector.h"

/* Where a call's work goes; diag may be NULL. */
typedef struct sb_native {
    sb_device *device;
    void *stream;
    sb_diag *diag;
    bool only_load; /* kernels are made ready, nothing is put on the stream */
} sb_native;

/*
 * A scalar: by value, or where it lies in memory that the device reads. An operation on
 * vectors: alpha and beta of `job` are not looked at, its result is not written.
 */
typedef struct sb_native_scalar {
    sb_value value;
    const void *at; /* NULL: the value */
} sb_native_scalar;

/* ENOTSUP while the stream is captured: "WHAT, which cannot be ...". */
sb_status sb_native_may_wait(const sb_native *n, const char *what);

/* Bytes of `buffer` for SPVV; 0 for the others, which want none. */
size_t sb_native_vector_bytes(const sb_vector *job);

/*
 * The indices are distinct. SPVV writes the result's bytes to `result`, memory of the
 * device, or waits and writes them to the host's. The sum is the same every time, but not
 * the host's. Buffers: of the size above, at any address.
 */
sb_status sb_native_vector(const sb_native *n, const sb_vector *job,
                           sb_native_scalar alpha, sb_native_scalar beta, void *buffer,
                           void *result, bool result_on_host);

/*
 * formats/dense.h on a device. B = A, where entries of a COO at the same place add up only
 * if they come one after another; values of A's structure from B (take).
 */
sb_status sb_native_dense_place(const sb_native *n, const sb_dense *b,
                                const sb_matrix *a, bool take);

/* Bytes of `buffer` for the two below. */
size_t sb_native_dense_bytes(const sb_dense *a, const sb_matrix *b);
/* Waits for *nnz; offsets of a CSR or CSC are written if their type can count so far (else
 * EINVAL). */
sb_status sb_native_dense_count(const sb_native *n, int64_t *nnz, const sb_dense *a,
                                const sb_matrix *b, void *buffer);
/* Reads CSR's and CSC's offsets. Where A has other non-zeros than were counted, the structure
 * is left as it comes, but nothing outside it is written. */
sb_status sb_native_dense_fill(const sb_native *n, const sb_dense *a,
                               const sb_matrix *b, void *buffer);

/*
 * Triangular solves: a triangle that the host has analysed, on the device, its rows by
 * levels. A level with many rows is a launch, small ones after each other are one.
 */
typedef struct sb_native_tri sb_native_tri;

/*
 * Of a host's triangle, whose values are not looked at, and the caller's values, as the
 * device has them. Holds the device. Waits. *out NULL on failure, else all kernels of a solve
 * are loaded.
 */
sb_status sb_native_tri_create(sb_native_tri **out, const sb_native *n, const sb_tri *t,
                               const void *values);
/*
 * The same of a matrix of blocks, where t has a block for an entry. Blocks are read where the
 * caller has them at each solve: nothing to update.
 *
 *   solve   as below, with the blocks; wants no kernels that create has not loaded
 *   first   waits for the first block row that the last solve found without a pivot, -1: none
 */
typedef struct sb_native_blocks {
    int64_t rows, down, across; /* of a block of op(A); steps along it */
    bool lower;                 /* op(A) */
} sb_native_blocks;
sb_status sb_native_tri_create_blocks(sb_native_tri **out, const sb_native *n,
                                      const sb_tri *t, const sb_native_blocks *b);
sb_status sb_native_tri_solve_blocks(const sb_native_tri *t, const sb_native *n,
                                     const sb_tri_solve *s, sb_native_scalar alpha,
                                     const void *values);
sb_status sb_native_tri_first(const sb_native_tri *t, const sb_native *n, int64_t *at);
void sb_native_tri_release(sb_native_tri *t); /* NULL is fine */
const sb_device *sb_native_tri_device(const sb_native_tri *t);

/* As sb_tri_steps, in the stream's order: no waiting, no allocation. s->alpha: not looked at;
 * arrays are the device's. */
sb_status sb_native_tri_update(const sb_native_tri *t, const sb_native *n,
                               const void *values, bool diagonal);
sb_status sb_native_tri_solve(const sb_native_tri *t, const sb_native *n,
                              const sb_tri_solve *s, sb_native_scalar alpha);

/*
 * The steps of a product of sparse matrices (runtime/spgemm.h) with all arrays of `g`, those
 * between the steps too, the device's. Sums are in the order of A's entries.
 *
 *   work      wait; write g->work, g->table and g's numbers of the latter, *products; `sums`
 *             as sb_native_scan_bytes says for the rows
 *   slot      bytes of scratch for the row that wants most, and how many times that is worth
 *             having: rows whose scratch does not fit go one batch after another, for which
 *             steps wait
 *   count     waits; writes g->ptr, sums as above and *nnz
 */
sb_status sb_native_spgemm_work(const sb_native *n, sb_spgemm *g, int64_t *sums,
                                int64_t *products);
sb_status sb_native_spgemm_slot(const sb_spgemm *g, size_t *bytes, int *slots);
sb_status sb_native_spgemm_count(const sb_native *n, const sb_spgemm *g, int64_t *sums,
                                 int64_t *nnz);
sb_status sb_native_spgemm_columns(const sb_native *n, const sb_spgemm *g);
sb_status sb_native_spgemm_values(const sb_native *n, const sb_spgemm *g,
                                  sb_native_scalar alpha, sb_native_scalar beta);
/* g->work and g->table to other memory, of twice rows + 1 numbers, whose they are then. */
sb_status sb_native_spgemm_keep(const sb_native *n, sb_spgemm *g, int64_t *to);
/* Bytes of the sums of count and work. */
size_t sb_native_spgemm_sums(const sb_spgemm *g);

/*
 * The steps of a sum of sparse matrices (runtime/geam.h), whatever the order of columns.
 * count waits; its buffer is of the bytes for the rows. g's scalars are not looked at.
 */
size_t sb_native_geam_bytes(int64_t rows);
sb_status sb_native_geam_count(const sb_native *n, const sb_geam *g, void *buffer,
                               int64_t *nnz);
sb_status sb_native_geam_fill(const sb_native *n, const sb_geam *g,
                              sb_native_scalar alpha, sb_native_scalar beta);

/*
 * Orders of entries (runtime/legacy.h), all arrays the device's; no waiting. Scratch of the
 * bytes that `scratch` says for nnz entries.
 */
size_t sb_native_order_scratch(int64_t nnz);
sb_status sb_native_flip(const sb_native *n, const sb_flip *f);
sb_status sb_native_order(const sb_native *n, const sb_order *o);
sb_status sb_native_offsets(const sb_native *n, int32_t *ptr, const int32_t *row,
                            int64_t nnz, int64_t m, int base);
sb_status sb_native_rows(const sb_native *n, int32_t *row, const int32_t *ptr,
                         int64_t nnz, int64_t m, int base);
sb_status sb_native_identity(const sb_native *n, int32_t *p, int64_t count);
/* Elements of at most 16 bytes. */
sb_status sb_native_copy(const sb_native *n, void *to, const void *from, int64_t count,
                         size_t size);
/* Numbers that are known to fit. */
sb_status sb_native_narrow(const sb_native *n, int32_t *to, const int64_t *from,
                           int64_t count);
/* array[q] becomes array[perm[q]], or the way back, elements of at most 16 bytes; `spare` is the
 * scratch of so many entries. */
sb_status sb_native_permute(const sb_native *n, void *array, void *spare,
                            const int32_t *perm, int64_t count, size_t size, bool back);

/*
 * CSR, CSC and COO of 32-bit indices from 0 on into each other: offsets (or rows), indices and
 * values in memory of the device, which is the caller's then. Waits. SKIP: A is another matrix,
 * empty, or not in order (places outside the matrix, or twice, too). All NULL unless OK.
 */
sb_status sb_native_convert(const sb_native *n, void *out[3], const sb_matrix *a,
                            sb_format to);

/*
 * Elements by their magnitude (runtime/legacy.h). count waits for *total; it writes numbers
 * of lines and offsets from `base` on where those are wanted. Without values the numbers are
 * there. A NULL buffer, else of the bytes for the lines: memory is taken for the time of the
 * call. ERESOURCES: more than 32 bits count.
 */
size_t sb_native_filter_bytes(int64_t lines);
sb_status sb_native_filter_count(const sb_native *n, const sb_filter *f, void *buffer,
                                 int32_t *number, int32_t *ptr, int base,
                                 int64_t *total);
sb_status sb_native_filter_fill(const sb_native *n, const sb_filter *f,
                                const sb_target_rows *to);

/* The magnitude at place `rank` (from 0) of the `count` there are; waits. Buffer of the bytes
 * for any number of them. */
size_t sb_native_rank_bytes(void);
sb_status sb_native_filter_rank(const sb_native *n, const sb_filter *f, int64_t count,
                                int64_t rank, void *buffer, double *bound);

/* Blocks cut anew (runtime/legacy.h). count writes C's offsets, takes memory for the time of
 * the call and waits for *total; ERESOURCES as above. */
sb_status sb_native_regrid_count(const sb_native *n, const sb_regrid *g,
                                 int64_t *total);
sb_status sb_native_regrid_fill(const sb_native *n, const sb_regrid *g);

/*
 * Incomplete factors (runtime/legacy.h), block rows by levels.
 * create: of the structure, copied to the host (f's ptr and idx); holds the device, waits;
 * *out NULL on failure. run: no waiting, no allocation; f's arrays are the device's. first
 * waits for the first row that the last run left without a pivot, -1: all have one.
 */
typedef struct sb_native_factor sb_native_factor;
sb_status sb_native_factor_create(sb_native_factor **out, const sb_native *n,
                                  const sb_incomplete *f);
void sb_native_factor_release(sb_native_factor *f); /* NULL is fine */
const sb_device *sb_native_factor_device(const sb_native_factor *f);
sb_status sb_native_factor_run(const sb_native_factor *f, const sb_native *n,
                               const sb_incomplete *job);
sb_status sb_native_factor_first(const sb_native_factor *f, const sb_native *n,
                                 int64_t *at);

/* Products (runtime/legacy.h) whose scalars are not looked at; no waiting. */
sb_status sb_native_gemvi(const sb_native *n, const sb_gemvi *k, sb_native_scalar alpha,
                          sb_native_scalar beta);
sb_status sb_native_masked(const sb_native *n, const sb_masked *k,
                           sb_native_scalar alpha, sb_native_scalar beta);

/*
 * Products and sampled products (runtime/problem.h) with blocks and slots as the caller has
 * them, where no plan's kernel does that: Blocked-ELL, Sliced-ELL, A^T of BSR, and A of a BSR
 * with so few block rows that whole ones would leave a GPU idle. Members of a batch after each
 * other; no waiting.
 *
 *   serves   whether it is one of those
 *   bytes    of pb->scratch: A^T is sorted there, long lines leave sums of their ranges. Without
 *            (NULL) a line is one group's work; SKIP for A^T and for BSR
 */
bool sb_native_slots_serves(const sb_problem *pb);
size_t sb_native_slots_bytes(const sb_problem *pb);
sb_status sb_native_slots_run(const sb_native *n, const sb_problem *pb);

/*
 * Dense operands by columns (runtime/sides.h): what `part`, which sb_sides_part made of columns
 * from `from` on, has copies of is put there by rows, and its C put back. No waiting.
 */
sb_status sb_native_sides_take(const sb_native *n, const sb_problem *pb, int64_t from,
                               const sb_problem *part);
sb_status sb_native_sides_give(const sb_native *n, const sb_problem *pb, int64_t from,
                               const sb_problem *part);

/* Systems of few diagonals (runtime/legacy.h), a thread each; no waiting. */
bool sb_native_band_scratch(const sb_band *b, size_t *bytes);
sb_status sb_native_band(const sb_native *n, const sb_band *b);

#endif
