/*
 * The worker team: OpenMP threads where the build has them, else the caller alone. A
 * caller that is itself inside a parallel region is not given another team.
 */
#ifndef SB_CPU_EXEC_H
#define SB_CPU_EXEC_H

#include "runtime/backend.h"

int sb_exec_threads(void);
bool sb_exec_rest(double seconds);
/* Moves the calling thread of a team to another core if it is on this one (-1: none), where
 * the caller waits for it, and it may be on as many as there are threads: for a moment it
 * may not be on this one, then on all again that there are. */
void sb_exec_leave(int core, int team);
void sb_exec_tiles(const sb_kernel *k, void *const *buf, const sb_param *param,
                   int64_t lo, int64_t hi);
void sb_exec_parallel(sb_range_fn fn, void *user, int64_t lo, int64_t hi,
                      int64_t grain);

#endif
