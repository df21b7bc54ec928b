/*
 * Monotonic seconds.
 */
#ifndef SB_BASE_CLOCK_H
#define SB_BASE_CLOCK_H

double sb_clock(void);

#endif
