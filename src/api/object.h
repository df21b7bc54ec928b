/*
 * The public objects from inside. A descriptor is a plain record of what the caller
 * said, in the caller's words (public enumerators); src/api/view.h turns it into
 * sb_matrix and sb_dense. Only its own noun's file writes a field. The first word tells
 * the kinds apart and is cleared on destroy.
 */
#ifndef SB_API_OBJECT_H
#define SB_API_OBJECT_H

#include "api/planlist.h"
#include "formats/tensor.h"
#include "runtime/backend.h"
#include "runtime/device.h"

#include "spblas.h"

#include <stdatomic.h>
#include <stdbool.h>

typedef enum sb_tag {
    SB_TAG_HANDLE = 0x5b1a5001,
    SB_TAG_DNVEC = 0x5b1a5002,
    SB_TAG_DNMAT = 0x5b1a5003,
    SB_TAG_SPMAT = 0x5b1a5004,
    SB_TAG_FORMAT = 0x5b1a5005,
    SB_TAG_SPVEC = 0x5b1a5006,
    SB_TAG_SPGEMM = 0x5b1a5007,
    SB_TAG_SPSV = 0x5b1a5008,
    SB_TAG_SPSM = 0x5b1a5009,
    SB_TAG_SPMMOP = 0x5b1a500a,
    SB_TAG_SPGEAM = 0x5b1a500b,
    SB_TAG_LEGACY = 0x5b1a500c
} sb_tag;

enum { SB_SENTENCE_MAX = 640 };

struct spblasContext {
    uint32_t tag;
    spblasPointerMode_t mode;
    void *stream;
    const sb_backend *backend;     /* the host's */
    sb_device *device;             /* NULL: a handle of the CPU; held */
    char message[SB_SENTENCE_MAX]; /* of the last call that failed */
};

struct spblasDnVecDescr {
    uint32_t tag;
    spblasDataType_t type;
    int64_t size;
    void *values;
};

struct spblasSpVecDescr {
    uint32_t tag;
    spblasDataType_t type;
    spblasIndexType_t idx_type;
    spblasIndexBase_t base;
    int64_t size, nnz;
    void *idx, *values;
};

struct spblasDnMatDescr {
    uint32_t tag;
    spblasDataType_t type;
    spblasOrder_t order;
    int batch;
    int64_t rows, cols, ld, stride;
    void *values;
};

/* Immutable but for the count: the caller holds it once, and so does each matrix that was
 * made with it. */
struct spblasFormatDescr {
    uint32_t tag; /* 0 once the caller gave it up */
    atomic_int holders;
    sb_arena arena;
    const sb_fmt *fmt;
};

/* Storage of a matrix that a conversion made. */
typedef struct sb_made {
    struct spblasFormatDescr *format; /* held */
    sb_tensor tensor;
    void *values;  /* of the tensor at first; SetValues puts others in their place */
    bool borrowed; /* the arrays are the caller's */
    /* Where its source lay: NULL, or a device, held. An ordinary format's arrays are in its
     * memory then, the tensor's as well as `there`; others stay on the host. */
    sb_device *device;
    void *there[3];
} sb_made;

/* What spblasSpMatSetAttribute stores. plan_text is owned, NULL when not set. */
typedef struct sb_attributes {
    int fill, diag; /* any value the caller stored */
    spblasEffort_t effort;
    int frozen;
    spblasDeterminism_t determinism;
    int64_t memory_limit;
    char *plan_text;
    int validate;
    double time_limit;
    spblasSearchHook_t hook;
    spblasMathMode_t math;
    int rows_ascend;
} sb_attributes;

struct spblasSpMatDescr {
    uint32_t tag;
    spblasFormat_t format;
    spblasDataType_t type;
    spblasIndexType_t ptr_type, idx_type; /* COO: both the one type it has */
    spblasIndexBase_t base;
    spblasOrder_t order; /* inside BSR blocks */
    int batch;
    int64_t rows, cols, nnz;      /* BSR: in blocks, as the caller gave them */
    int64_t row_block, col_block; /* BSR; else 1 */
    int64_t ell_block;            /* Blocked-ELL, whose rows and cols count elements */
    int64_t width;               /* Blocked-ELL: ellCols; Sliced-ELL: rows of a slice */
    int64_t slots;               /* Sliced-ELL: sellValuesSize */
    void *ptr, *idx, *row, *val; /* row: COO only; ptr: all others */
    int64_t ptr_stride, idx_stride, val_stride;
    sb_made
        *made; /* owned; NULL: the arrays are the caller's. CUSTOM: nothing above but
                      sizes, types and (of one part, not in records) val */
    sb_attributes at;
    sb_planlist *plans; /* owned; has its own lock, so const descriptors gain plans */
};

static inline bool
sb_is_handle(spblasHandle_t h)
{
    return h && h->tag == SB_TAG_HANDLE;
}

static inline bool
sb_is_dnvec(spblasConstDnVecDescr_t d)
{
    return d && d->tag == SB_TAG_DNVEC;
}

static inline bool
sb_is_spvec(spblasConstSpVecDescr_t d)
{
    return d && d->tag == SB_TAG_SPVEC;
}

static inline bool
sb_is_dnmat(spblasConstDnMatDescr_t d)
{
    return d && d->tag == SB_TAG_DNMAT;
}

static inline bool
sb_is_format(spblasConstFormatDescr_t f)
{
    return f && f->tag == SB_TAG_FORMAT;
}

static inline bool
sb_is_spmat(spblasConstSpMatDescr_t d)
{
    return d && d->tag == SB_TAG_SPMAT;
}

#endif
