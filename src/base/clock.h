/*
 * Monotonic seconds.
 */
#ifndef SB_BASE_CLOCK_H
#define SB_BASE_CLOCK_H

double sb_clock(void);
/* The same by the system's last tick, up to 10 ms old, in a tenth of the time. */
double sb_clock_tick(void);

#endif
