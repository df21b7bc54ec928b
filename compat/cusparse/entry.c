/*
 * The exported functions, all 423, expanded from the table: each goes to NVIDIA's library
 * where the route says so, else to libspblas (SAME), to a function here (OWN, NATIVE), or
 * answers NOT_SUPPORTED (STUB); and logs how it ended.
 */
#include "capture.h"
#include "forward.h"
#include "log.h"
#include "object.h"
#include "own.h"

#include <string.h>

#define SB_EXPORT __attribute__((visibility("default")))

/* ---- Arguments of ours as libspblas takes them -------------------------------------- */

static inline void *
pointer_at(const void *argument)
{
    void *p;

    memcpy(&p, argument, sizeof p);
    return p;
}

static inline int
int_at(const void *argument)
{
    int value;

    memcpy(&value, argument, sizeof value);
    return value;
}

/* The real part of a complex number of that many bytes. */
static inline double
real_at(const void *argument, size_t bytes)
{
    float single;
    double real;

    if (bytes == 2 * sizeof real) {
        memcpy(&real, argument, sizeof real);
        return real;
    }
    memcpy(&single, argument, sizeof single);
    return (double)single;
}

/* Numbers go as they are, enumerations (unsigned to the compiler) by value, thresholds
 * by their real part, handles, descriptions and states as libspblas's own, every other pointer by address: both sides have the same layouts. */
#define SB_CORE(a)                                                                   \
    _Generic((a), int                                                                \
             : (a), int64_t                                                          \
             : (a), size_t                                                           \
             : (a), float                                                            \
             : (a), unsigned                                                         \
             : int_at(&(a)), cusparseHandle_t                                        \
             : sb_core(pointer_at(&(a))), cusparseMatDescr_t                         \
             : sb_core_descr(pointer_at(&(a))), csric02Info_t                        \
             : sb_core_info(pointer_at(&(a)), SB_INFO_Csric02), bsric02Info_t        \
             : sb_core_info(pointer_at(&(a)), SB_INFO_Bsric02), csrilu02Info_t       \
             : sb_core_info(pointer_at(&(a)), SB_INFO_Csrilu02), bsrilu02Info_t      \
             : sb_core_info(pointer_at(&(a)), SB_INFO_Bsrilu02), bsrsv2Info_t        \
             : sb_core_info(pointer_at(&(a)), SB_INFO_Bsrsv2), bsrsm2Info_t          \
             : sb_core_info(pointer_at(&(a)), SB_INFO_Bsrsm2), csru2csrInfo_t        \
             : sb_core_info(pointer_at(&(a)), SB_INFO_Csru2csr), cusparseColorInfo_t \
             : sb_core_info(pointer_at(&(a)), SB_INFO_Color), pruneInfo_t            \
             : sb_core_info(pointer_at(&(a)), SB_INFO_Prune), double                 \
             : (a), cuComplex                                                        \
             : real_at(&(a), sizeof(a)), cuDoubleComplex                             \
             : real_at(&(a), sizeof(a)), default                                     \
             : pointer_at(&(a)))
#define SB_TO_CORE(pair) SB_CORE(SB_ARG(pair))

/* ---- Arguments of ours as NVIDIA's library takes them ------------------------------- */

/* clang-format off */
#define SB_REAL(a) _Generic((a),                         \
    cusparseHandle_t: sb_real_handle(pointer_at(&(a))),  \
    cusparseMatDescr_t: sb_real_descr(pointer_at(&(a))), \
    csric02Info_t: sb_real_info(pointer_at(&(a))),       \
    bsric02Info_t: sb_real_info(pointer_at(&(a))),       \
    csrilu02Info_t: sb_real_info(pointer_at(&(a))),      \
    bsrilu02Info_t: sb_real_info(pointer_at(&(a))),      \
    bsrsv2Info_t: sb_real_info(pointer_at(&(a))),        \
    bsrsm2Info_t: sb_real_info(pointer_at(&(a))),        \
    csru2csrInfo_t: sb_real_info(pointer_at(&(a))),      \
    cusparseColorInfo_t: sb_real_info(pointer_at(&(a))), \
    pruneInfo_t: sb_real_info(pointer_at(&(a))),         \
    default: (a))
/* clang-format on */
#define SB_TO_REAL(pair) SB_REAL(SB_ARG(pair))

/* ---- Functions ---------------------------------------------------------------------- */

#define SB_QUOTE(name) "cusparse" #name

/* Calls NVIDIA's function, its arguments made by `pass`, when the route is `from` on. */
#define SB_FORWARD(type, name, from, pass, ...)      \
    if (sb_route_now() >= from) {                    \
        type (*real)(SB_EACH(SB_TYPE, __VA_ARGS__)); \
                                                     \
        sb_real_function(SB_FN_##name, &real);       \
        if (real)                                    \
            return real(SB_EACH(pass, __VA_ARGS__)); \
    }

#define SB_ARGUMENTS(...) ((const sb_shown[]){SB_EACH(SB_SHOW, __VA_ARGS__)})
#define SB_END(name, status, ...)                                          \
    sb_log_end(SB_QUOTE(name), status,                                     \
               (int)(sizeof SB_ARGUMENTS(__VA_ARGS__) / sizeof(sb_shown)), \
               SB_ARGUMENTS(__VA_ARGS__))

/* A function that says by its status how it ended. */
#define SB_EXPORTED(name, answer, ...)                                        \
    SB_EXPORT cusparseStatus_t cusparse##name(SB_EACH(SB_DECL, __VA_ARGS__))  \
    {                                                                         \
        SB_FORWARD(cusparseStatus_t, name, SB_ROUTE_ALL, SB_ARG, __VA_ARGS__) \
        return SB_END(name, answer, __VA_ARGS__);                             \
    }

/* A function of libspblas, or one here. */
#define SB_CALL_CORE(name, ...) \
    sb_refused((int)spblas##name(SB_EACH(SB_TO_CORE, __VA_ARGS__)))
#define SB_CALL(name, ...) sb_cusparse_##name(SB_EACH(SB_ARG, __VA_ARGS__))

#define SB_SAME(family, name, ...) \
    SB_EXPORTED(name, SB_CALL_CORE(name, __VA_ARGS__), __VA_ARGS__)

/* On a capturing stream: kept for the graph, without effect, or refused. */
#define SB_UNLESS_CAPTURED(captured, name, ...)                                        \
    SB_EXPORTED(name,                                                                  \
                sb_capturing(SB_FIRST(__VA_ARGS__)) ? captured                         \
                                                    : SB_CALL_CORE(name, __VA_ARGS__), \
                __VA_ARGS__)
#define SB_KEEP(family, name, ...) \
    SB_UNLESS_CAPTURED(sb_keep_##name(SB_EACH(SB_ARG, __VA_ARGS__)), name, __VA_ARGS__)
#define SB_HINT(family, name, ...) \
    SB_UNLESS_CAPTURED(CUSPARSE_STATUS_SUCCESS, name, __VA_ARGS__)
#define SB_NOW(family, name, ...) \
    SB_UNLESS_CAPTURED(sb_capture_refuse(SB_FIRST(__VA_ARGS__)), name, __VA_ARGS__)

#define SB_OWN(family, name, ...) \
    SB_EXPORTED(name, SB_CALL(name, __VA_ARGS__), __VA_ARGS__)

/* libspblas answers NULL where it made nothing, NVIDIA's library does not answer. */
#define SB_MAKE(family, name, ...)                                            \
    SB_EXPORT cusparseStatus_t cusparse##name(SB_EACH(SB_DECL, __VA_ARGS__))  \
    {                                                                         \
        void **const out = pointer_at(&SB_FIRST(__VA_ARGS__));                \
        void *const before = out ? *out : NULL;                               \
        cusparseStatus_t st;                                                  \
                                                                              \
        SB_FORWARD(cusparseStatus_t, name, SB_ROUTE_ALL, SB_ARG, __VA_ARGS__) \
        st = SB_CALL_CORE(name, __VA_ARGS__);                                 \
        if (st != CUSPARSE_STATUS_SUCCESS && out)                             \
            *out = before;                                                    \
        return SB_END(name, st, __VA_ARGS__);                                 \
    }

#define SB_OWN_AS(type, family, name, ...)                        \
    SB_EXPORT type cusparse##name(SB_EACH(SB_DECL, __VA_ARGS__))  \
    {                                                             \
        SB_FORWARD(type, name, SB_ROUTE_ALL, SB_ARG, __VA_ARGS__) \
        return SB_CALL(name, __VA_ARGS__);                        \
    }

#define SB_LEGACY(name, answer, ...)                                                 \
    SB_EXPORT cusparseStatus_t cusparse##name(SB_EACH(SB_DECL, __VA_ARGS__))         \
    {                                                                                \
        SB_FORWARD(cusparseStatus_t, name, SB_ROUTE_ALL, SB_ARG, __VA_ARGS__)        \
        if (!sb_handle_live(SB_FIRST(__VA_ARGS__)))                                  \
            return sb_no_handle(SB_QUOTE(name));                                     \
        SB_FORWARD(cusparseStatus_t, name, SB_ROUTE_LEGACY, SB_TO_REAL, __VA_ARGS__) \
        if (sb_capturing(SB_FIRST(__VA_ARGS__)))                                     \
            return SB_END(name, sb_capture_refuse(SB_FIRST(__VA_ARGS__)),            \
                          __VA_ARGS__);                                              \
        return SB_END(name, answer, __VA_ARGS__);                                    \
    }

/* Of libspblas as well: one of its functions, or one of a type and the rest. */
#define SB_OLDER(family, name, ...) \
    SB_LEGACY(name, SB_CALL_CORE(name, __VA_ARGS__), __VA_ARGS__)
#define SB_TYPED(family, name, ...) SB_TYPED_NAMED(SB_X(name), name, __VA_ARGS__)
#define SB_TYPED_NAMED(as, name, ...) \
    SB_LEGACY(as, SB_CALL_TYPED(name, __VA_ARGS__), __VA_ARGS__)
#define SB_CALL_TYPED(name, handle, ...)                                         \
    sb_refused((int)spblasX##name(SB_TO_CORE(handle), (spblasDataType_t)SB_CODE, \
                                  SB_EACH(SB_TO_CORE, __VA_ARGS__)))

#include "spblas_cusparse/functions.def"
