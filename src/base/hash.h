/*
 * 128-bit content hash for kernel keys, plan signatures and structure fingerprints.
 * Stable across runs and machines; not cryptographic.
 */
#ifndef SB_BASE_HASH_H
#define SB_BASE_HASH_H

#include <stddef.h>
#include <stdint.h>

typedef struct sb_hash {
    uint64_t a, b;
} sb_hash;

sb_hash sb_hash_bytes(const void *p, size_t n, sb_hash seed);
int sb_hash_equal(sb_hash x, sb_hash y);
/* 32 lower-case hex digits and a NUL. */
void sb_hash_text(sb_hash h, char out[33]);

#endif
