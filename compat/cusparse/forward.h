/*
 * NVIDIA's own library behind the stand-in: found by a full path (SPBLAS_CUSPARSE, or the
 * usual places), never by name, because that name is ours. Decided once per process.
 *
 *   SB_ROUTE_HERE     every call is computed here
 *   SB_ROUTE_LEGACY   older families go to NVIDIA's library, with objects of its own
 *   SB_ROUTE_ALL      everything does; all objects are that library's
 */
#ifndef SB_COMPAT_FORWARD_H
#define SB_COMPAT_FORWARD_H

#include "cusparse.h"

/* A number for each function of the table. */
typedef enum {
#define SB_FUNCTION(type, name, ...) SB_FN_##name,
#include "spblas_cusparse/functions.def"
    SB_FN_COUNT
} sb_function;

typedef enum { SB_ROUTE_HERE, SB_ROUTE_LEGACY, SB_ROUTE_ALL } sb_route;

sb_route sb_route_now(void);

/* Stores NVIDIA's function at *pointer, a function pointer of its type; NULL where that
 * library lacks it. */
void sb_real_function(sb_function function, void *pointer);

/* NVIDIA's object beside ours, made now if there is none yet, with our settings; NULL of
 * NULL and where it cannot be made. */
cusparseHandle_t sb_real_handle(cusparseHandle_t handle);
cusparseMatDescr_t sb_real_descr(cusparseMatDescr_t descr);
void *sb_real_info(void *info);

/* Ends NVIDIA's object, if there is one. */
void sb_real_release(sb_function destroy, void *real);

#endif
