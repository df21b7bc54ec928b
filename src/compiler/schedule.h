/*
 * One schedule primitive from inside: the parsed line, the program before it, and the
 * few helpers primitives share. The table of primitives is in schedule.c; what each
 * means is docs/schedules.md.
 */
#ifndef SB_COMPILER_SCHEDULE_H
#define SB_COMPILER_SCHEDULE_H

#include "compiler/ir.h"
#include "compiler/rewrite.h"

#define SB_SCHED_WORDS 16

typedef struct sb_sched {
    sb_ir *ir;
    const sb_prog *in;
    const char *primitive;
    int line;
    int nname; /* names without their sigils, in order */
    const char *name[SB_SCHED_WORDS];
    int64_t number;
    bool option;     /* the optional word was given */
    int hits;        /* places changed */
    sb_status st;    /* first refusal */
    bool nested;     /* parallel: a loop of that name lies inside another statement;
                        prefetch_last: what stands between depends on the outer loop */
    bool found;      /* tensorize: a loop of that name is such a nest */
    const char *why; /* tensorize: why the last one is not */
    const sb_var *var[2]; /* for the primitive's own use, as the next */
    const sb_expr *at;
} sb_sched;

typedef sb_status (*sb_primitive_fn)(const sb_prog **out, sb_sched *sc);

sb_status sb_sched_sparse_reorder(const sb_prog **out, sb_sched *sc);
sb_status sb_sched_sparse_fuse(const sb_prog **out, sb_sched *sc);
sb_status sb_sched_reorder(const sb_prog **out, sb_sched *sc);
sb_status sb_sched_split(const sb_prog **out, sb_sched *sc);
sb_status sb_sched_fuse(const sb_prog **out, sb_sched *sc);
sb_status sb_sched_unroll(const sb_prog **out, sb_sched *sc);
sb_status sb_sched_vectorize(const sb_prog **out, sb_sched *sc);
sb_status sb_sched_parallel(const sb_prog **out, sb_sched *sc);
sb_status sb_sched_stream(const sb_prog **out, sb_sched *sc);
sb_status sb_sched_cache_write(const sb_prog **out, sb_sched *sc);
sb_status sb_sched_rfactor(const sb_prog **out, sb_sched *sc);
/* rfactor of a loop around loops: sets of sums, at most SB_RFACTOR_SETS. */
enum { SB_RFACTOR_SETS = 8 };
void sb_sched_rfactor_nest(sb_sched *sc, sb_list *out, const sb_stmt *loop);
sb_status sb_sched_jam(const sb_prog **out, sb_sched *sc);
sb_status sb_sched_prefetch(const sb_prog **out, sb_sched *sc);
sb_status sb_sched_prefetch_list(const sb_prog **out, sb_sched *sc);
sb_status sb_sched_prefetch_last(const sb_prog **out, sb_sched *sc);
sb_status sb_sched_sparse_merge(const sb_prog **out, sb_sched *sc);
sb_status sb_sched_cache_read(const sb_prog **out, sb_sched *sc);
sb_status sb_sched_ahead(const sb_prog **out, sb_sched *sc);
sb_status sb_sched_compute_at(const sb_prog **out, sb_sched *sc);
sb_status sb_sched_tensorize(const sb_prog **out, sb_sched *sc);
sb_status sb_sched_bind(const sb_prog **out, sb_sched *sc);
sb_status sb_sched_annotate(const sb_prog **out, sb_sched *sc);
sb_status sb_sched_atomic(const sb_prog **out, sb_sched *sc);

/* Records why the line does not fit; the first reason stays. Returns EINVAL. */
sb_status sb_sched_refuse(sb_sched *sc, const char *fmt, ...) SB_PRINTF(2, 3);

/* The program with every loop called `name` replaced by what fn pushes. Refused when
 * there is none. fn sees the loop with its inside already mapped. */
typedef void (*sb_loop_fn)(sb_sched *sc, sb_list *out, const sb_stmt *loop);
sb_status sb_sched_each_loop(const sb_prog **out, sb_sched *sc, const char *name,
                             sb_loop_fn fn);
/* The program with another body; EINVAL if something was refused on the way. */
sb_status sb_sched_finish(const sb_prog **out, sb_sched *sc, sb_body body);

/* Is a name of a parameter, loop, let, buffer or local already in use? */
bool sb_sched_taken(const sb_sched *sc, const char *name);
/* A new variable or a refusal when the name is taken. */
const sb_var *sb_sched_new_var(sb_sched *sc, const char *name);
/* Parameter or local buffer called so, or NULL and a refusal. */
const sb_buf *sb_sched_find_buf(sb_sched *sc, const char *name);
/* A local array of the given extents. */
const sb_buf *sb_sched_local(sb_sched *sc, const char *name, sb_dtype type, int rank,
                             const int64_t *extent);

/* hi - lo, simplified. */
const sb_expr *sb_loop_extent(sb_ir *ir, const sb_stmt *loop);
/* Constant bound of an extent, SB_NO_BOUND without; of `x mod d` it is d. */
int64_t sb_extent_bound(const sb_expr *extent);
/* Body with a variable replaced and sums put in order. */
sb_body sb_body_replace(sb_ir *ir, sb_body b, const sb_var *v, const sb_expr *by);

#endif
