/*
 * The monotonic clock of POSIX.
 */
#include "base/clock.h"

#include <time.h>

double
sb_clock(void)
{
    struct timespec t;

    if (clock_gettime(CLOCK_MONOTONIC, &t) != 0)
        return 0.0;
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}
