/*
 * How the passes over a matrix spread over threads without knowing who runs them: the
 * caller lends a loop. Work is cut into chunks by the caller of sb_par_run, never by
 * the team, so results do not depend on the number of threads.
 */
#ifndef SB_FORMATS_PAR_H
#define SB_FORMATS_PAR_H

#include <stdint.h>

typedef void (*sb_par_fn)(void *user, int64_t lo, int64_t hi);

/* run: fn over all of [lo, hi) in pieces of about grain; NULL runs in the caller. */
typedef struct sb_par {
    void (*run)(sb_par_fn fn, void *user, int64_t lo, int64_t hi, int64_t grain);
    int threads;
} sb_par;

/* How many of so many units one of the pieces has in which threads share a matrix: a few thousand entries, but
 * not so many units that their own cost is no longer shared, `most`. */
static inline int64_t
sb_par_piece(int64_t entries, int64_t units, int64_t most)
{
    const int64_t each = units > 0 ? entries / units : 0, n = 8192 / (each + 1);

    return n < 1 ? 1 : n < most ? n : most;
}

static inline void
sb_par_run(const sb_par *par, sb_par_fn fn, void *user, int64_t lo, int64_t hi,
           int64_t grain)
{
    if (lo >= hi)
        return;
    if (par && par->run && par->threads > 1 && hi - lo > grain)
        par->run(fn, user, lo, hi, grain);
    else
        fn(user, lo, hi);
}

#endif
