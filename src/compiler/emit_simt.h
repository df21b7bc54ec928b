/*
 * Where the C and the GPU emitter part. The GPU's text is the C emitter's scalar text
 * with the loops spread over the machine:
 *
 *   over tiles                    blocks, grid x
 *   bound to block_y              blocks, grid y
 *   bound to thread_y             groups of lanes within a block
 *   vector                        lanes of a group, lane x has elements x, x + lanes, ..
 *
 * A local that vector loops walk lane by lane lies in registers of the lanes, element e
 * with lane e mod lanes. With note(vec, v) a lane has v elements beside each other, and
 * what it reads of them is loaded at once where the address allows. Everything else is
 * computed by all lanes of a group alike; a store to memory outside such a loop is made
 * by its first index only. See docs/gpu.md.
 *
 * A local marked `shared` lies in shared memory, one for each group; the group, which is
 * part of a warp, waits for its lanes between stores and loads. No wait is a whole
 * block's, so groups may go different ways.
 *
 * A loop over all lanes bound to `lane` is the same said by hand: iteration x is lane x's,
 * with loops inside. Of a local from outside it may touch what is its own alone: element
 * (q / vec * lanes + x) * vec + q mod vec, which is register q. Tensor cores (tensor.h) sum
 * into such locals, whose elements then lie as the machine's fragments do (emit_mma.c).
 */
#ifndef SB_COMPILER_EMIT_SIMT_H
#define SB_COMPILER_EMIT_SIMT_H

#include "compiler/emit.h"

#define SB_SIMT_GETS 16  /* elements of other lanes that one store reads */
#define SB_SIMT_LOADS 16 /* vector loads of one loop */
#define SB_SIMT_SHARED 8
#define SB_SIMT_SYNCS 64
#define SB_SIMT_FITS 16

/* What the kernel asks before all else: arrays whose addresses are multiples of what a lane
 * moves of them at once, numbers that are multiples of how many elements that is. */
typedef struct sb_simt_fit {
    int nbuf, nexpr;
    struct {
        const sb_buf *is;
        int bytes;
    } buf[SB_SIMT_FITS];
    struct {
        const sb_expr *is;
        int by;
    } expr[SB_SIMT_FITS];
} sb_simt_fit;

/* n neighbours from b[idx] on, where v, if any, is a multiple of n; with a bound those
 * that are `first` .. bound. */
typedef struct sb_simt_run {
    const sb_buf *b;
    const sb_expr *idx;
    int n;
    const sb_var *v;
    const sb_expr *first, *bound;
    const char *local; /* where they come to or from, or */
    const sb_buf *to;  /* a local and an index */
    const sb_expr *at;
} sb_simt_run;

struct sb_emit_simt {
    int threads, lanes, vec; /* of a block, of a group */
    int resident;            /* threads a multiprocessor should hold, 0: 512 */
    int widest;              /* lanes of the widest vector loop, 32 at most */
    int slots;               /* of each lane in the vector loop being written */
    bool column_loops;       /* some loop runs over grid y */
    bool in_block, in_row, in_column; /* inside a loop over grid x, or one of those */
    bool guarded;                     /* the store being written is not everyone's */
    const sb_stmt *own;               /* it is by the lane that has the element */
    const sb_stmt *lane;              /* the loop over lanes being written */
    /* Arrays in shared memory, one of each name and size, and the bytes before each;
     * whether copies under way fill them; statements a group waits before. */
    int nshared, nsync;
    const sb_buf *shared[SB_SIMT_SHARED];
    int64_t shared_at[SB_SIMT_SHARED + 1];
    bool async;
    const sb_stmt *sync[SB_SIMT_SYNCS];
    sb_simt_fit fit;
    bool tested;         /* no: addresses are tested one by one, by a note */
    bool vectors;        /* the text is a function of fit_ */
    const sb_stmt *kept; /* the store whose elements are in st_ until all are made */
    int nload;           /* loads that are in ld0_, ld1_ .. */
    const sb_expr *load[SB_SIMT_LOADS];
    int ngot; /* elements of locals that have a name: got0_, .. */
    struct {
        const sb_buf *buf;
        const sb_expr *idx;
    } got[SB_SIMT_GETS];
};

/* The index a loop is bound to: proved by `bind`, or promised by a note of that name,
 * where rows are listed and only the list's maker knows that no row is listed twice. */
bool sb_simt_bound_to(const sb_stmt *loop, const char *name);

/* How many iterations the compiler may take together, where a note says so: 1, as they are
 * taken together already, or 4; else NULL. */
const char *sb_simt_together(const sb_stmt *loop);

/* emit_simt_scan.c: threads and lanes from the notes of the program's loops, then which loops and locals
 * are spread over lanes. Fails for programs that need more than shuffles. */
void sb_simt_scan(sb_emit *cx);

/* The dialect's own form of a loop; false: as C writes it. */
bool sb_simt_loop(sb_emit *cx, const sb_stmt *st);
/* A local in registers of the lanes: its declaration, one of its elements. */
void sb_simt_local(sb_emit *cx, const sb_emit_local *l);
void sb_simt_element(sb_emit *cx, const sb_emit_local *l, const sb_expr *idx);

/* emit_simt_lane.c: loops over lanes. Finds the locals whose elements are lanes' own and
 * proves that they are, or fails. */
void sb_simt_lane_scan(sb_emit *cx);
void sb_simt_lane_loop(sb_emit *cx, const sb_stmt *st);
/* An unrolled loop in one that moves neighbours between memory and a lane's local, as
 * one call; false: as C writes it. */
bool sb_simt_move(sb_emit *cx, const sb_stmt *st);
/* Register of a lane's own element. */
void sb_simt_own_element(sb_emit *cx, const sb_emit_local *l, const sb_expr *idx);
/* e is v and terms without it. */
bool sb_simt_unit(const sb_expr *e, const sb_var *v);
/* The value of integer arithmetic over n variables; false for anything else. */
bool sb_simt_eval(const sb_expr *e, int n, const sb_var *const *var, const int64_t *is,
                  int64_t *out);

/* emit_simt_shared.c: locals in shared memory, which belong to a group. Finds where the
 * group has to wait: between a store and a load of one array, either way, that no wait
 * divides yet. */
void sb_simt_shared_scan(sb_emit *cx);
void sb_simt_shared_arrays(sb_emit *cx); /* of the kernel */
void sb_simt_shared_local(sb_emit *cx, const sb_buf *b);
/* A store that moves an element of memory to shared memory, as copies need: else false. */
bool sb_simt_copies(const sb_stmt *st);
void sb_simt_copy(sb_emit *cx, const sb_stmt *st);
void sb_simt_sync(sb_emit *cx, const sb_stmt *st); /* where one is due before st */

/* emit_mma.c: a nest for tensor cores; false when the loops must be written. */
bool sb_simt_tensor(sb_emit *cx, const sb_stmt *st);
/* Whether the sum's places are those of fragments; fails if not. */
bool sb_simt_tensor_places(sb_emit *cx, const sb_stmt *st, const sb_buf **sum);

/* emit_simt_fit.c: vectors of a lane. In a loop over lanes: the element's index of slot q_,
 * `first`: of its vector; the loop over slots; whether e is the lane variable and terms
 * that are uniform. */
void sb_simt_iteration(sb_emit *cx, const sb_stmt *st, bool first);
void sb_simt_slots(sb_emit *cx, int step);
bool sb_simt_lane_term(const sb_emit *cx, const sb_expr *e);
/* The call that moves a run: where all that is asked for fits its neighbours go at once, up
 * to 16 bytes. What is not there is 0 (get) or stays (put). */
void sb_simt_get(sb_emit *cx, const sb_simt_run *r);
void sb_simt_put(sb_emit *cx, const sb_simt_run *r);
/* Whether the bound of st leaves whole vectors where all fits. */
bool sb_simt_parts(sb_emit *cx, const sb_stmt *st);
/* Loads of whole vectors to ld0_ .. before the loop's body; a load that is one of these,
 * else false. */
void sb_simt_loads(sb_emit *cx, sb_body body, bool part);
bool sb_simt_loaded(sb_emit *cx, const sb_expr *load);
/* A body that is one store of neighbours stores to st_, as _kept writes it; _give stores
 * that after the loop. */
void sb_simt_keep(sb_emit *cx, sb_body body, bool part);
bool sb_simt_kept(sb_emit *cx, const sb_stmt *st);
void sb_simt_give(sb_emit *cx, bool part);
/* int fit = ..: what was noted of the body. */
void sb_simt_ask(sb_emit *cx);

void sb_simt_open(sb_emit *cx); /* braces */
void sb_simt_close(sb_emit *cx);
bool sb_simt_zero(const sb_expr *e);
/* Around the text of a store: opens what says whose it is. */
void sb_simt_store_begin(sb_emit *cx, const sb_stmt *st);
void sb_simt_store_end(sb_emit *cx);

#endif
