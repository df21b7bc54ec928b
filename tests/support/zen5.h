/*
 * Zen 5 as rules see it, its caches among it.
 */
#ifndef SB_TEST_ZEN5_H
#define SB_TEST_ZEN5_H

#include "runtime/target.h"

static const sb_target zen5 = {.isa = SB_ISA_V4,
                               .wide = true,
                               .threads = 2,
                               .l1 = 48 << 10,
                               .l2 = 1 << 20,
                               .l3 = 32 << 20};

#endif
