/* The peers, one file each, and what their adapters share. */
#ifndef SPBLAS_BENCH_PEERS_H
#define SPBLAS_BENCH_PEERS_H

#include "peer.h"

extern const bench_peer peer_naive, peer_ours_direct, peer_ours_plan, peer_ours_frozen,
    peer_ours_measure, peer_ours_measure_frozen, peer_ours_direct_i64,
    peer_ours_plan_i64, peer_ours_frozen_i64, peer_mkl, peer_mkl_opt, peer_graphblas,
    peer_rsb;
#ifdef BENCH_HAS_XSMM
extern const bench_peer peer_xsmm;
#endif
#ifdef BENCH_HAS_EIGEN
extern const bench_peer peer_eigen;
#endif

/* Fills *table, an array of `count` function pointers, with the symbols of these names
 * from the first library of a NULL-ended list that opens. NULL or the reason. */
const char *peers_open(const char *const *libraries, const char *const *symbols,
                       void **table, int count);

#endif
