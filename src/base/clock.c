/*
 * The monotonic clock of POSIX.
 */
#include "base/clock.h"

#include <time.h>

#ifdef CLOCK_MONOTONIC_COARSE /* Linux */
#define TICK CLOCK_MONOTONIC_COARSE
#else
#define TICK CLOCK_MONOTONIC
#endif

static double
seconds(clockid_t clock)
{
    struct timespec t;

    if (clock_gettime(clock, &t) != 0)
        return 0.0;
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

double
sb_clock(void)
{
    return seconds(CLOCK_MONOTONIC);
}

double
sb_clock_tick(void)
{
    return seconds(TICK);
}
