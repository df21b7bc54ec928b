/* The list of peers and opening their libraries. */
#include "peers.h"

#include <dlfcn.h>
#include <stdio.h>

const bench_peer *const bench_peers[] = {
    &peer_ours_direct,
    &peer_ours_plan,
    &peer_ours_frozen,
    &peer_ours_measure,
    &peer_ours_measure_frozen,
    &peer_ours_direct_i64,
    &peer_ours_plan_i64,
    &peer_ours_frozen_i64,
    &peer_naive,
    &peer_mkl,
    &peer_mkl_opt,
    &peer_graphblas,
    &peer_rsb,
#ifdef BENCH_HAS_XSMM
    &peer_xsmm,
#endif
#ifdef BENCH_HAS_EIGEN
    &peer_eigen,
#endif
};
const int bench_peer_count = (int)(sizeof bench_peers / sizeof *bench_peers);

const char *
peers_open(const char *const *libraries, const char *const *symbols, void **table,
           int count)
{
    static char why[256];
    void *library = NULL;
    int k;

    snprintf(why, sizeof why, "no library named");
    for (; !library && *libraries; libraries++)
        if (!(library = dlopen(*libraries, RTLD_NOW | RTLD_LOCAL)))
            snprintf(why, sizeof why, "%.200s", dlerror());
    if (!library)
        return why;
    for (k = 0; k < count; k++)
        if (!(table[k] = dlsym(library, symbols[k]))) {
            snprintf(why, sizeof why, "it lacks %s", symbols[k]);
            return why;
        }
    return NULL;
}
