/*
 * The objects of the stand-in. Descriptors of the generic interface are libspblas's own;
 * the rest begins with a mark that says what it is and is wiped when it is destroyed.
 *
 * `real` is the same object of NVIDIA's library, made when a call is forwarded for the
 * first time (forward.c), NULL before.
 */
#ifndef SB_COMPAT_OBJECT_H
#define SB_COMPAT_OBJECT_H

#include "cusparse.h"
#include "spblas_legacy.h"

#include <stdbool.h>

enum { SB_MARK_HANDLE = 0x53624861, SB_MARK_DESCR = 0x53624465 };

struct cusparseContext {
    int mark;
    spblasHandle_t core; /* has the stream and the pointer mode */
    cusparseHandle_t real;
};

struct cusparseMatDescr {
    int mark;
    cusparseMatrixType_t type; /* the four as spblasMatDescr_t has them */
    cusparseFillMode_t fill;
    cusparseDiagType_t diag;
    cusparseIndexBase_t base;
    cusparseMatDescr_t real;
    bool told; /* `real` has the four settings */
};

/* The kinds of state that the older families keep between calls. */
typedef enum {
#define SB_INFO(kind, type) SB_INFO_##kind,
#include "info.def"
    SB_INFO_KINDS
} sb_info_kind;

/* Every csrilu02Info_t, bsrsv2Info_t, ... points at one of these. */
typedef struct sb_info {
    int mark; /* SB_MARK_DESCR + 1 + kind */
    void *state;
    void (*release)(void *state); /* ends `state`; NULL while there is none */
    void *real;
} sb_info;

bool sb_handle_live(cusparseHandle_t handle);
bool sb_descr_live(cusparseMatDescr_t descr);
bool sb_info_live(const void *info, sb_info_kind kind);

/* What an older function answers without a handle. */
cusparseStatus_t sb_no_handle(const char *function);

/* libspblas's handle, NULL of what is no handle. */
spblasHandle_t sb_core(cusparseHandle_t handle);

/* The state object behind an info handle of that kind, NULL of what is none. */
sb_info *sb_info_of(void *info, sb_info_kind kind);

/* libspblas's descriptions and states, NULL of what is none. A state is made when it is
 * asked for first, and is NULL too when memory is short. */
const spblasMatDescr_t *sb_core_descr(cusparseMatDescr_t descr);
spblasLegacyInfo_t sb_core_info(void *info, sb_info_kind kind);

#endif
