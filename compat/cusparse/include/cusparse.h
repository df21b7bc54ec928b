/*
 * cuSPARSE's interface, version 12.6.3, as libspblas's stand-in for libcusparse.so.12
 * has it: for compiling programs on machines without the CUDA toolkit. With the toolkit
 * use its own header: types, values and symbols are the same.
 *
 * What each function does is NVIDIA's documentation; what differs here is in
 * docs/cusparse.md. Functions expand from spblas_cusparse/functions.def, enumerations
 * from spblas_cusparse/enums.def.
 */
#if !defined(CUSPARSE_H_)
#define CUSPARSE_H_

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#define CUSPARSE_VER_MAJOR 12
#define CUSPARSE_VER_MINOR 6
#define CUSPARSE_VER_PATCH 3
#define CUSPARSE_VERSION \
    (CUSPARSE_VER_MAJOR * 1000 + CUSPARSE_VER_MINOR * 100 + CUSPARSE_VER_PATCH)

#include "spblas_cusparse/cuda_types.h"
#include "spblas_cusparse/expand.h"

#if defined(__cplusplus)
extern "C" {
#endif

/* ---- Objects, all opaque ----------------------------------------------------------- */

typedef struct cusparseContext *cusparseHandle_t;
typedef struct cusparseMatDescr *cusparseMatDescr_t;

typedef struct bsrsv2Info *bsrsv2Info_t;
typedef struct bsrsm2Info *bsrsm2Info_t;
typedef struct csric02Info *csric02Info_t;
typedef struct bsric02Info *bsric02Info_t;
typedef struct csrilu02Info *csrilu02Info_t;
typedef struct bsrilu02Info *bsrilu02Info_t;
typedef struct csru2csrInfo *csru2csrInfo_t;
typedef struct cusparseColorInfo *cusparseColorInfo_t;
typedef struct pruneInfo *pruneInfo_t;

typedef struct cusparseSpVecDescr *cusparseSpVecDescr_t;
typedef struct cusparseDnVecDescr *cusparseDnVecDescr_t;
typedef struct cusparseSpMatDescr *cusparseSpMatDescr_t;
typedef struct cusparseDnMatDescr *cusparseDnMatDescr_t;
typedef const struct cusparseSpVecDescr *cusparseConstSpVecDescr_t;
typedef const struct cusparseDnVecDescr *cusparseConstDnVecDescr_t;
typedef const struct cusparseSpMatDescr *cusparseConstSpMatDescr_t;
typedef const struct cusparseDnMatDescr *cusparseConstDnMatDescr_t;

typedef struct cusparseSpSVDescr *cusparseSpSVDescr_t;
typedef struct cusparseSpSMDescr *cusparseSpSMDescr_t;
typedef struct cusparseSpGEMMDescr *cusparseSpGEMMDescr_t;
typedef struct cusparseSpMMOpPlan *cusparseSpMMOpPlan_t;

typedef void (*cusparseLoggerCallback_t)(int logLevel, const char *functionName,
                                         const char *message);

/* ---- Enumerations ------------------------------------------------------------------ */

/* clang-format off */
#define SB_ENUM_BEGIN typedef enum {
#define SB_VALUE(name, value) name = value,
#define SB_ENUM_END(type) } type;
/* clang-format on */
#include "spblas_cusparse/enums.def"

/* ---- Functions --------------------------------------------------------------------- */

#define SB_FUNCTION(type, name, ...) type cusparse##name(SB_EACH(SB_DECL, __VA_ARGS__));
#include "spblas_cusparse/functions.def"

#if defined(__cplusplus)
}
#endif

#endif
