/*
 * What the legacy routines share: a call's arguments as a list to be checked, and plain
 * arrays as matrices.
 */
#ifndef SB_API_LEGACY_H
#define SB_API_LEGACY_H

#include "api/object.h"
#include "formats/matrix.h"
#include "native/native.h"

#include "spblas_legacy.h"

typedef enum sb_arg_kind {
    SB_ARG_END,
    SB_ARG_HANDLE_,
    SB_ARG_TYPE_,
    SB_ARG_VALUE_,
    SB_ARG_WIDE_,
    SB_ARG_MIN_,    /* value >= limit */
    SB_ARG_ENUM_,   /* 0 .. limit */
    SB_ARG_ARRAY_,  /* there if limit > 0 */
    SB_ARG_BUFFER_, /* and divisible by 8 */
    SB_ARG_SCALAR_, /* there, on either side */
    SB_ARG_NUMBER_, /* there, on either side, whoever computes: sb_legacy_give */
    SB_ARG_DESCR_,
    SB_ARG_INFO_
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
/* Any element type. */
#define SB_ARG_VALUE(t)                          \
    {                                            \
        SB_ARG_VALUE_, #t, (int64_t)(t), 0, NULL \
    }
/* Scratch of that many bytes. */
#define SB_ARG_BUFFER(bytes)                                  \
    {                                                         \
        SB_ARG_BUFFER_, "buffer", 0, (int64_t)(bytes), buffer \
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
#define SB_ARG_SCALAR(p)            \
    {                               \
        SB_ARG_SCALAR_, #p, 0, 1, p \
    }
#define SB_ARG_NUMBER(p)            \
    {                               \
        SB_ARG_NUMBER_, #p, 0, 1, p \
    }
#define SB_ARG_DESCR(p)            \
    {                              \
        SB_ARG_DESCR_, #p, 0, 0, p \
    }

/* The four of 32 and 64 bits. */
#define SB_ARG_WIDE                                  \
    {                                                \
        SB_ARG_WIDE_, "type", (int64_t)type, 0, NULL \
    }
#define SB_ARG_INFO                      \
    {                                    \
        SB_ARG_INFO_, "info", 0, 0, info \
    }

/* The first argument of the list that breaks its rule ends the call. */
spblasStatus_t sb_legacy_check(spblasHandle_t handle, const char *function,
                               const sb_arg *args);
/* The same for a routine that a GPU has: *device when one of the arrays lies in its memory
 * alone; others must not be the host's then. */
spblasStatus_t sb_legacy_check_place(bool *device, spblasHandle_t handle,
                                     const char *function, const sb_arg *args);
#define SB_LEGACY_PLACE(device, ...) \
    sb_legacy_check_place(device, handle, __func__, (const sb_arg[]){__VA_ARGS__, {0}})
#define SB_LEGACY_CHECK(...) \
    sb_legacy_check(handle, __func__, (const sb_arg[]){__VA_ARGS__, {0}})

/* The scalar at p for values of that type; for the device, which reads it where it can. */
sb_value sb_legacy_scalar(sb_dtype type, const void *p);
sb_native_scalar sb_legacy_native_scalar(spblasHandle_t h, sb_dtype type,
                                         const void *p);
/* A scalar that the host wants, from either side; waits for the GPU's, ENOTSUP while its stream
 * is captured. */
sb_status sb_legacy_read(void *out, spblasHandle_t h, const void *scalar, size_t bytes,
                         sb_diag *diag);
/* A number to where the caller wants it, on either side; waits for the GPU's. */
sb_status sb_legacy_give(spblasHandle_t h, int *to, int64_t number, sb_diag *diag);

/* What a call leaves for another. */
struct spblasLegacyInfo {
    uint32_t tag;
    int32_t *perm; /* csru2csr: owned, nperm places, in the memory of */
    int64_t nperm;
    sb_device *perm_on; /* held; NULL: the host's */
    bool ranked;        /* prune: bound is set */
    double bound;
    struct sb_solve_shape { /* of the analysis of a solve or a factor */
        enum {
            SB_ROUTINE_NONE,
            SB_ROUTINE_SOLVE,
            SB_ROUTINE_ILU,
            SB_ROUTINE_IC
        } routine;
        int type, trans, mb, nnzb, block, fill, diag, by_columns, policy;
    } shape;
    bool boosts; /* ilu02 */
    double tol;
    sb_value boost;
    sb_tri *tri;              /* owned, of the host's arrays, as of the device's: */
    sb_native_tri *blocks;    /* owned */
    sb_native_factor *factor; /* owned */
    int position;             /* of the zero pivot, in the matrix's base; -1: none */
    bool there; /* it is the device's, of the last run of blocks or factor, */
    int base;   /* whose rows begin there */
};

/* A new order, taken over with the hold on its device, for the one before. */
void sb_legacy_keep(struct spblasLegacyInfo *info, int32_t *perm, int64_t nperm,
                    sb_device *on);
/* Drops the analysis. */
void sb_legacy_forget(struct spblasLegacyInfo *info);

/* Whether info has an analysis of that shape, with a policy no less. */
bool sb_legacy_analysed(const struct spblasLegacyInfo *info,
                        struct sb_solve_shape shape);

/* CSR of 32-bit indices. Arrays are written only where a step says so. */
sb_matrix sb_legacy_csr(sb_dtype type, int m, int n, int nnz,
                        const spblasMatDescr_t *descr, const void *val, const int *ptr,
                        const int *ind);

#endif
