/*
 * Splitting a range over the team. Few pieces are dealt out evenly; many are claimed one
 * chunk after the other, which costs one atomic addition each and evens out what the
 * planner's cost estimates missed. Who runs a piece never changes its result.
 */
#include "cpu/exec.h"

#ifdef _OPENMP
#include <omp.h>
#endif

int
sb_exec_threads(void)
{
#ifdef _OPENMP
    return omp_in_parallel() ? 1 : omp_get_max_threads();
#else
    return 1;
#endif
}

/* A range to be run by fn in pieces of at least `chunk`. */
typedef struct share {
    sb_range_fn fn;
    void *user;
    int64_t lo, hi, chunk;
    int64_t next; /* first unclaimed, atomic */
} share;

#ifdef _OPENMP
static void
claim(share *s)
{
    for (;;) {
        const int64_t at = __atomic_fetch_add(&s->next, s->chunk, __ATOMIC_RELAXED);

        if (at >= s->hi)
            return;
        s->fn(s->user, at, s->hi - at < s->chunk ? s->hi : at + s->chunk);
    }
}

static void
deal(share *s, int64_t pieces, int64_t team, int64_t me)
{
    const int64_t first = pieces * me / team, last = pieces * (me + 1) / team;
    const int64_t lo = s->lo + first * s->chunk;
    const int64_t hi = me + 1 == team ? s->hi : s->lo + last * s->chunk;

    if (lo < hi)
        s->fn(s->user, lo, hi);
}

static void
run(share *s, int team)
{
    const int64_t pieces = (s->hi - s->lo + s->chunk - 1) / s->chunk;

    if (team > pieces)
        team = (int)pieces;
#pragma omp parallel num_threads(team)
    {
        if (pieces > 2 * (int64_t)team)
            claim(s);
        else
            deal(s, pieces, omp_get_num_threads(), omp_get_thread_num());
    }
}
#else
static void
run(share *s, int team)
{
    (void)team;
    s->fn(s->user, s->lo, s->hi);
}
#endif

typedef struct call {
    const sb_kernel *k;
    void *const *buf;
    const sb_param *param;
} call;

static void
run_kernel(void *user, int64_t lo, int64_t hi)
{
    const call *c = user;

    c->k->fn(c->buf, c->param, lo, hi);
}

void
sb_exec_parallel(sb_range_fn fn, void *user, int64_t lo, int64_t hi, int64_t grain)
{
    share s = {fn, user, lo, hi, grain > 0 ? grain : 1, lo};
    const int team = sb_exec_threads();

    if (lo >= hi)
        return;
    if (team == 1 || hi - lo <= s.chunk)
        fn(user, lo, hi);
    else
        run(&s, team);
}

void
sb_exec_tiles(const sb_kernel *k, void *const *buf, const sb_param *param, int64_t lo,
              int64_t hi)
{
    call c = {k, buf, param};
    const int64_t claims = 64 * (int64_t)sb_exec_threads();

    sb_exec_parallel(run_kernel, &c, lo, hi, (hi - lo) / claims);
}
