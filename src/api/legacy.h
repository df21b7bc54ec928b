/*
 * What the legacy routines share: a call's arguments as a list to be checked, and plain
 * arrays as matrices.
 */
#ifndef SB_API_LEGACY_H
#define SB_API_LEGACY_H

#include "api/object.h"
#include "formats/matrix.h"

#include "spblas_legacy.h"

typedef enum sb_arg_kind {
    SB_ARG_END,
    SB_ARG_HANDLE_,
    SB_ARG_TYPE_,
    SB_ARG_MIN_,   /* value >= limit */
    SB_ARG_ENUM_,  /* 0 .. limit */
    SB_ARG_ARRAY_, /* there if limit > 0 */
    SB_ARG_DESCR_
} sb_arg_kind;

typedef struct sb_arg {
    sb_arg_kind kind;
    const char *name;
    int64_t value, limit;
    const void *at;
} sb_arg;

#define SB_ARG_HANDLE                          \
    {                                          \
        SB_ARG_HANDLE_, "handle", 0, 0, handle \
    }
#define SB_ARG_TYPE                                  \
    {                                                \
        SB_ARG_TYPE_, "type", (int64_t)type, 0, NULL \
    }
#define SB_ARG_MIN(x, least)            \
    {                                   \
        SB_ARG_MIN_, #x, x, least, NULL \
    }
#define SB_ARG_COUNT(x) SB_ARG_MIN(x, 0)
#define SB_ARG_ENUM(x, last)                       \
    {                                              \
        SB_ARG_ENUM_, #x, (int64_t)(x), last, NULL \
    }
#define SB_ARG_ARRAY(p, count)         \
    {                                  \
        SB_ARG_ARRAY_, #p, 0, count, p \
    }
#define SB_ARG_THERE(p) SB_ARG_ARRAY(p, 1)
#define SB_ARG_DESCR(p)            \
    {                              \
        SB_ARG_DESCR_, #p, 0, 0, p \
    }

/* The first argument of the list that breaks its rule ends the call. */
spblasStatus_t sb_legacy_check(spblasHandle_t handle, const char *function,
                               const sb_arg *args);
#define SB_LEGACY_CHECK(...) \
    sb_legacy_check(handle, __func__, (const sb_arg[]){__VA_ARGS__, {0}})

/* The scalar at p for values of that type. */
sb_value sb_legacy_scalar(sb_dtype type, const void *p);

/* CSR of 32-bit indices. Arrays are written only where a step says so. */
sb_matrix sb_legacy_csr(sb_dtype type, int m, int n, int nnz,
                        const spblasMatDescr_t *descr, const void *val, const int *ptr,
                        const int *ind);

#endif
