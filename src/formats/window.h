/*
 * A window of b neighbouring rows, walked over the columns that all of them hold. Columns
 * strictly increase in every row. Entries that other parts have taken are passed over.
 */
#ifndef SB_FORMATS_WINDOW_H
#define SB_FORMATS_WINDOW_H

#include "formats/part.h"

enum { SB_WINDOW_MAX = 8 };

typedef struct sb_window {
    const sb_view *v;
    const uint8_t *taken; /* by slot, or NULL */
    int b;
    int64_t at[SB_WINDOW_MAX], end[SB_WINDOW_MAX]; /* slots, by row */
} sb_window;

static inline void
sb_window_begin(sb_window *sc, const sb_view *v, const uint8_t *taken, int64_t window,
                int b)
{
    sc->v = v;
    sc->taken = taken;
    sc->b = b;
    for (int r = 0; r < b; r++) {
        sc->at[r] = sb_view_lo(v, window * b + r);
        sc->end[r] = sb_view_lo(v, window * b + r + 1);
    }
}

/* Moves every row to the next column that all rows hold; false at the end. */
static inline bool
sb_window_align(sb_window *sc)
{
    int64_t want = -1;
    int agree = 0;

    for (int r = 0; agree < sc->b; r = r + 1 == sc->b ? 0 : r + 1) {
        int64_t j = -1;

        while (sc->at[r] < sc->end[r] && ((j = sb_view_col(sc->v, sc->at[r])) < want ||
                                          (sc->taken && sc->taken[sc->at[r]])))
            sc->at[r]++;
        if (sc->at[r] >= sc->end[r])
            return false;
        agree = j == want ? agree + 1 : 1;
        want = j;
    }
    return true;
}

#endif
