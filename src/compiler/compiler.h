/*
 * The compiler from outside: text in, passes, text or C out. Everything made lives in
 * the arena given; nothing global, no files. spblasc is this header as a program.
 */
#ifndef SB_COMPILER_COMPILER_H
#define SB_COMPILER_COMPILER_H

#include "base/arena.h"
#include "base/diag.h"
#include "base/hash.h"
#include "base/status.h"
#include "base/strbuf.h"
#include "compiler/ir.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* ---- text ---------------------------------------------------------------------- */

/* Reads one program. Depth, lengths and counts are bounded; any input ends in a program
 * or in EPARSE with a caret diagnostic. */
sb_status sb_prog_parse(const sb_prog **out, sb_ir *ir, const char *text, size_t len);
/* Canonical text: parse(print(p)) prints the same bytes. */
sb_status sb_prog_print(sb_strbuf *out, const sb_prog *p);
/* Content hash of the canonical text. */
sb_status sb_prog_hash(sb_hash *out, const sb_prog *p);

/* The invariants of the program's stage (conventions.md 1.1); EVERIFY with a sentence. */
sb_status sb_prog_verify(const sb_prog *p, sb_diag *diag);

/* ---- meaning --------------------------------------------------------------------- */

/* Arguments of a run: one entry per program parameter and buffer, in program order.
 * count is the number of elements behind data, the bound the interpreter checks. */
typedef struct sb_arg {
    void *data;
    int64_t count;
} sb_arg;
typedef struct sb_interp_args {
    const sb_value *param; /* integers in .re, exact to 2^53 */
    const sb_arg *buf;
} sb_interp_args;

/* Runs any stage; stage I by coordinates (each access looks its coordinate up), II and
 * III by positions. Arithmetic is in the node's type (f32 rounds after each operation,
 * 16-bit floats are storage: cast first). An access out of bounds is EINVAL naming buffer,
 * index and extent. */
sb_status sb_interp(const sb_prog *p, const sb_interp_args *args, sb_diag *diag);

/* ---- passes ---------------------------------------------------------------------- */

/*
 * Format rewrite rules (SparseTIR 3.2.1), as data. `rules` is text, one or more of
 *
 *   rule ell for $A {
 *     param %rows : i64
 *     buf $R_crd : i32[%rows] aux            ; new arrays, parameters and axes
 *     axis #O = dense_fixed(1)
 *     axis #R = sparse_fixed(#O, %m, width %rows, crd $R_crd)
 *     axis #E = sparse_variable(#R, %n, nnz %nnz, ptr $lo, end $hi, crd $J_crd)
 *     map (%i, %j) -> (0, %i, %j)
 *     inv (%o, %r, %e) -> (%r, %e)
 *     axes #I -> #O, #R ; #J -> #E
 *   }
 *
 * The result holds, per rule, an iteration copying $A to $A_ell (copy = true) and the
 * computation over $A_ell; `name_rule` names each. `rule ell for $A as $ell_val` names
 * the new buffer itself; `rule ell for $A same` has none: the values stay in $A
 * (zero-copy; no copy iteration). init stays with the compute iteration of a single
 * rule; several rules have an iteration `name_init` before theirs. Every element of $A
 * must belong to one rule: what two formats hold is summed twice.
 */
sb_status sb_pass_decompose(const sb_prog **out, sb_ir *ir, const sb_prog *in,
                            const char *rules, bool copy);

/* Stage I -> II: auxiliary buffers, nested loops, coordinate translation (SparseTIR
 * 3.3.1 steps 1-5). */
sb_status sb_pass_lower_iter(const sb_prog **out, sb_ir *ir, const sb_prog *in);

/* Stage II -> III: flat buffers by the paper's equations 6-8. */
sb_status sb_pass_lower_buf(const sb_prog **out, sb_ir *ir, const sb_prog *in);

/*
 * A schedule: one primitive a line, `;` comments. Loops are named by their variable,
 * buffers and iterations by name. Stage I lines (sparse_reorder, sparse_fuse) first.
 * docs/schedules.md lists the primitives. A refused primitive says why and changes nothing.
 */
sb_status sb_schedule_apply(const sb_prog **out, sb_ir *ir, const sb_prog *in,
                            const char *schedule);

/* Stage III clean-ups: loop-invariant lets out of loops; i64 -> i32 where the program's
 * assumptions prove it. */
sb_status sb_pass_hoist(const sb_prog **out, sb_ir *ir, const sb_prog *in);
sb_status sb_pass_narrow(const sb_prog **out, sb_ir *ir, const sb_prog *in);

/*
 * Horizontal fusion: n stage III programs, each one outermost loop, become one that
 * walks tile descriptors; program q's loop body runs for tiles of kind q. Equal
 * parameters and buffers (name, type, role) are shared; others must have distinct names.
 * Adds params %t0, %t1 (tile range, last two parameters) and the last buffer
 * $tile : i64[%t1 * 4], rows of { kind, lo, hi, base }: the parallel loop of program
 * `kind` runs over [lo, hi); a program that has a parameter %tile_base gets `base`.
 */
sb_status sb_pass_fuse(const sb_prog **out, sb_ir *ir, const char *name, int n,
                       const sb_prog *const *in);

/*
 * One program in equal tiles that no table lists: tile t is %tile_units iterations of its
 * outermost loop, which begins at 0, from t * %tile_units on. Adds params %tile_units, %t0
 * and %t1.
 */
sb_status sb_pass_even(const sb_prog **out, sb_ir *ir, const char *name,
                       const sb_prog *in);

/* lower_iter, schedule, lower_buf, hoist, narrow, with the verifier before and after
 * each; `dump` (may be NULL) is called with each pass's name and its result. */
typedef void (*sb_dump_fn)(void *user, const char *pass, const sb_prog *p);
sb_status sb_pipeline_run(const sb_prog **out, sb_ir *ir, const sb_prog *stage1,
                          const char *schedule, sb_dump_fn dump, void *user);

/* The pipeline's passes one at a time: schedule1 (the sparse_* lines), lower_iter,
 * schedule2 (the others), lower_buf, hoist, narrow; the verifier before and after. NULL
 * past the last name. */
const char *sb_pass_name(int index);
sb_status sb_pass_run(const sb_prog **out, sb_ir *ir, const sb_prog *in,
                      const char *name, const char *schedule);

/* ---- emission --------------------------------------------------------------------- */

/*
 * C11 text of a stage III program: one exported function
 *
 *   void NAME(void *const *buf, const sb_kparam *param, int64_t t0, int64_t t1)
 *
 * with buffers and parameters in program order (a tiled program: t0 and t1 are its last
 * two parameters and come from the arguments; an untiled one runs its outer loop whole
 * and ignores them). The text includes "spblas_kernel.h" (src/compiler/spblas_kernel.h:
 * vectors, masked tails, conversions; embedded into the library as text) and nothing
 * else. Vector loops become explicit vector code for whatever width the C compiler's
 * target has. First comment: `key`, may be NULL.
 */
sb_status sb_emit_c(sb_strbuf *out, const sb_prog *p, const char *symbol,
                    const char *key);
/*
 * The same, with more copies of the code for parameters (i64, f32, f64) that have the values
 * they usually have, which the compiler then knows: rows of 8 columns without a gap are found
 * by a shift, and C is neither read nor scaled. One copy knows all of them, one
 * those that are not `either`, one the i64 ones of these. Parameters that the program lacks are passed over. Of an i64 with `below`, which the
 * program has, it is known that it is greater than `value` and less than that: which chunks
 * of a row are full, cut short or not there. Then there is one copy, which knows all and whose
 * vectors have at most `bytes` bytes, unless that is 0; or, with `cut`, copies for each number of
 * vectors and size of the last, where `below` is the tile's width and `value` half of it, and for
 * what else is usual or not.
 */
typedef struct sb_emit_usual {
    const char *param;
    int64_t value, below;
    int bytes;
    bool cut, either;
} sb_emit_usual;
sb_status sb_emit_c_usual(sb_strbuf *out, const sb_prog *p, const char *symbol,
                          const char *key, const sb_emit_usual *usual, int n);
/* The header emitted C includes, as text. */
const char *sb_emit_prelude(void);

/*
 * The same for a GPU: CUDA C that is C11 too, one kernel NAME of `threads` threads a
 * block, called with sbg_args by value (spblas_gpu.h). Grid x has the tiles (a program
 * without tiles: its outermost loop), grid y the loop bound to block_y; any grid is
 * right. Loops bound to thread_y, or noted as, go to groups of lanes, vector loops to the
 * lanes (emit_simt.h). Notes of any loop give their numbers, powers of two:
 * note(lanes, n) up to 32, else those of the widest vector loop, note(vec, n), else 1,
 * note(threads, n) up to 1024, else 128; note(resident, n), threads that a multiprocessor
 * should hold and so the registers of each, whole warps, else 512.
 * `prelude` is put in where the header belongs; NULL: an #include. ENOTSUP for programs in
 * which one thread would need what another stores to memory, or whose notes make no block.
 */
sb_status sb_emit_cuda(sb_strbuf *out, const sb_prog *p, const char *symbol,
                       const char *key, const char *prelude);
/* spblas_gpu.h as text, with the shim that runs it on the host. */
const char *sb_emit_gpu_prelude(void);

#endif
