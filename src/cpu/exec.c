/*
 * Splitting a range over the team. Every thread begins with its own share, the same on
 * each call, because rows of C that move between cores between two calls cost 1.1 to
 * 1.6 times the time while they fit the caches (docs/measured/spmm-rows.md, Same rows
 * to the same thread). A thread that is done takes pieces from the far end of another's
 * share, which evens out what cost estimates missed. Who runs a piece never changes its
 * result.
 *
 * Threads that wait turn for some milliseconds and sleep then. To wake them takes 30 to
 * 150 us. The system may wake them on the core that waits for them, as seen on virtual
 * machines: until its next tick, some milliseconds, that core turns for the thread that it
 * keeps from running. So after a pause the caller makes way for who has not come, who then
 * leaves his core (docs/measured/analysis.md, A team that sleeps). And short work after a
 * pause is the caller's alone until a team would have saved as much, and the team's from
 * then on.
 */
#include "cpu/exec.h"

#include "base/clock.h"
#include "base/sync.h"
#include "runtime/quota.h"

#include <sched.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/stat.h>

#ifdef _OPENMP
#include <omp.h>
#endif

#ifdef _OPENMP
/* GCC's runtime believes in a forked child that its threads, which stayed with the
 * parent, are there, and the first region waits for them for ever. So a child of a
 * process with several threads, whoever made them, has no team. LLVM's runtime begins
 * anew in a child. */
static bool alone;

#ifndef __clang__ /* which stands for whose runtime it is */
static bool crowd;

static void
before_fork(void)
{
    struct stat tasks; /* a link for each thread, and the two of any folder */

    crowd = stat("/proc/self/task", &tasks) != 0 || tasks.st_nlink != 3;
}

static void
in_child(void)
{
    alone = alone || crowd;
}

__attribute__((constructor)) static void
watch_forks(void)
{
    sb_at_fork(before_fork, in_child);
}
#endif

int
sb_exec_threads(void)
{
    return alone || omp_in_parallel() ? 1 : sb_quota_threads(omp_get_max_threads());
}
#else
int
sb_exec_threads(void)
{
    return 1;
}
#endif

/* Seconds: that threads turn (GCC's 8 ms, those of LLVM, with which clang builds, 200) or the system's
 * clock stands still, 10 ms, and that waking them costs, between 0.1 ms where they have cores of their own and
 * some milliseconds where they have not. */
#ifdef __clang__
#define TURN 0.2
#else
#define TURN 0.011
#endif
#define WAKE 60e-6

/* When the caller's team last ran here and he last did without it, and what it would have saved him since
 * his last pause. */
static _Thread_local struct {
    double ran, alone, saved;
} idle = {-TURN, -TURN, 0};

/* Whether somebody said how long threads turn: not at all, and they are as fast to wake at any time, or for
 * long, and they are awake. */
static bool
told(void)
{
    static int answer; /* 0: not asked yet; 1: no; 2: yes */
    int known = __atomic_load_n(&answer, __ATOMIC_RELAXED);

    if (known == 0) {
        known = 1 + (getenv("OMP_WAIT_POLICY") || getenv("GOMP_SPINCOUNT") ||
                     getenv("KMP_BLOCKTIME"));
        __atomic_store_n(&answer, known, __ATOMIC_RELAXED);
    }
    return known == 2;
}

bool
sb_exec_rest(double seconds)
{
    const double now = sb_clock_tick();
    double saved;

    if (now - idle.ran < TURN || told())
        return false;
    saved = seconds - seconds / sb_exec_threads();
    if (saved <= 0 || saved >= WAKE)
        return false;
    if (now - idle.alone >= TURN)
        idle.saved = 0;
    idle.alone = now;
    idle.saved += saved;
    return idle.saved < WAKE;
}

void
sb_exec_leave(int core, int team)
{
    cpu_set_t all, others;

    if (core < 0 || sched_getcpu() != core ||
        sched_getaffinity(0, sizeof all, &all) != 0 || CPU_COUNT(&all) < team)
        return;
    others = all;
    CPU_CLR(core, &others);
    if (sched_setaffinity(0, sizeof others, &others) == 0)
        (void)sched_setaffinity(0, sizeof all, &all);
}

/* Seconds since the team last ran after which threads may sleep; as often as the system's
 * clock moves a call takes it for a pause that was none. */
#define NAP 0.004

/* How often the caller makes way for threads that are not here: before he begins, which
 * runs who lies on his core, and when he is done. */
enum { TEAM_MAX = 256, BEFORE = 1, AFTER = 200 };

/* Pieces [lo, hi) of one thread not yet claimed, both ends in one word. */
typedef struct share {
    _Alignas(64) uint64_t ends; /* lo in the upper half, hi in the lower; atomic */
    int begun;                  /* whether the thread is here; atomic */
} share;

/* A range to be run by fn in pieces of `chunk`. */
typedef struct job {
    sb_range_fn fn;
    void *user;
    int64_t lo, hi, chunk, pieces;
    int core; /* of the caller, where threads may sleep; -1: they are awake */
} job;

#ifdef _OPENMP
static uint64_t
pack(int64_t lo, int64_t hi)
{
    return (uint64_t)lo << 32 | (uint64_t)hi;
}

static void
run_piece(const job *j, int64_t piece)
{
    const int64_t at = j->lo + piece * j->chunk;

    j->fn(j->user, at, piece + 1 == j->pieces ? j->hi : at + j->chunk);
}

/* One piece of the share, from its front or its back; -1 when none is left. */
static int64_t
claim(share *s, bool front)
{
    uint64_t ends = __atomic_load_n(&s->ends, __ATOMIC_RELAXED);

    for (;;) {
        const int64_t lo = (int64_t)(ends >> 32), hi = (int64_t)(ends & UINT32_MAX);
        const uint64_t left = front ? pack(lo + 1, hi) : pack(lo, hi - 1);

        if (lo >= hi)
            return -1;
        if (__atomic_compare_exchange_n(&s->ends, &ends, left, true, __ATOMIC_RELAXED,
                                        __ATOMIC_RELAXED))
            return front ? lo : hi - 1;
    }
}

static void
work(const job *j, share *shares, int team, int me)
{
    int64_t piece;

    while ((piece = claim(&shares[me], true)) >= 0)
        run_piece(j, piece);
    for (int q = 1; q < team; q++)
        while ((piece = claim(&shares[(me + q) % team], false)) >= 0)
            run_piece(j, piece);
}

/* The caller's yield runs a thread that was woken on his core; one that is on its way to
 * another core comes by itself. */
static void
make_way(const share *shares, int team, int tries)
{
    for (int q = 1; q < team && tries > 0;)
        if (__atomic_load_n(&shares[q].begun, __ATOMIC_RELAXED)) {
            q++;
        } else {
            tries--;
            sched_yield();
        }
}

/* The whole team takes part even in a few pieces: teams of changing size make the
 * OpenMP runtime end and start threads. */
static void
run(const job *j, int team)
{
    share shares[TEAM_MAX];

    for (int q = 0; q < team; q++)
        shares[q] = (share){pack(j->pieces * q / team, j->pieces * (q + 1) / team), 0};
#pragma omp parallel num_threads(team)
    {
        const int me = omp_get_thread_num();

        for (int q = me; q < team; q += omp_get_num_threads())
            __atomic_store_n(&shares[q].begun, 1, __ATOMIC_RELAXED);
        if (me > 0)
            sb_exec_leave(j->core, team);
        else if (j->core >= 0)
            make_way(shares, team, BEFORE);
        for (int q = me; q < team; q += omp_get_num_threads())
            work(j, shares, team, q);
        if (me == 0 && j->core >= 0)
            make_way(shares, team, AFTER);
    }
    idle.ran = sb_clock_tick();
}
#else
static void
run(const job *j, int team)
{
    (void)team;
    j->fn(j->user, j->lo, j->hi);
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
    const int team = sb_exec_threads();
    job j = {fn, user, lo, hi, grain > 0 ? grain : 1, 0, -1};

    if (lo >= hi)
        return;
    if ((hi - lo - 1) / INT32_MAX >= j.chunk)
        j.chunk = (hi - lo - 1) / INT32_MAX + 1;
    j.pieces = (hi - lo - 1) / j.chunk + 1;
    if (team == 1 || j.pieces == 1)
        fn(user, lo, hi);
    else {
        if (sb_clock_tick() - idle.ran >= NAP)
            j.core = sched_getcpu();
        run(&j, team > TEAM_MAX ? TEAM_MAX : team);
    }
}

void
sb_exec_tiles(const sb_kernel *k, void *const *buf, const sb_param *param, int64_t lo,
              int64_t hi)
{
    call c = {k, buf, param};
    const int64_t claims = 64 * (int64_t)sb_exec_threads();

    sb_exec_parallel(run_kernel, &c, lo, hi, (hi - lo) / claims);
}
