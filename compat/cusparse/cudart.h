/*
 * The few functions of the program's CUDA run time that captures need, found in the
 * process; nothing is linked, and nothing found means that nothing captures.
 */
#ifndef SB_COMPAT_CUDART_H
#define SB_COMPAT_CUDART_H

#include <stddef.h>

enum { SB_CUDA_CAPTURE_IMPLICIT = 906 }; /* the default stream beside a capture */

typedef struct {
    int (*is_capturing)(void *stream, int *status);
    int (*query)(void *stream);
    int (*launch_host)(void *stream, void (*fn)(void *), void *data);
    int (*object_create)(void **object, void *data, void (*end)(void *), unsigned refs,
                         unsigned flags);
    int (*object_release)(void *object, unsigned count);
    int (*graph_retain)(void *graph, void *object, unsigned count, unsigned flags);
    /* CUDA 13's, and CUDA 12's under its name there; one of them. */
    int (*info)(void *stream, int *status, unsigned long long *id, void **graph,
                const void **deps, const void **edges, size_t *count);
    int (*info_v2)(void *stream, int *status, unsigned long long *id, void **graph,
                   const void **deps, size_t *count);
} sb_cudart;

/* NULL: no run time, or one that lacks a function. */
const sb_cudart *sb_cudart_get(void);

#endif
