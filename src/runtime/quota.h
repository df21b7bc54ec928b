/*
 * The share of the CPUs that Linux's control groups give a process: what containers
 * limit by.
 */
#ifndef SB_RUNTIME_QUOTA_H
#define SB_RUNTIME_QUOTA_H

/* CPUs in whole, 1 at least, that the groups of this process, or any around them,
 * may keep busy; INT_MAX: no quota, or none that can be read. Files below `root`, ""
 * but in tests. */
int sb_quota_cpus(const char *root);

/* So many threads; where that is OpenMP's default, one for each CPU, no more than
 * the quota was when the library was loaded. Allocates and reads nothing. */
int sb_quota_threads(int threads);

#endif
