/*
 * Every function of the table with zero for each argument: which status says so. Left out
 * is what does not return a status, and SpMMOp_destroyPlan, in which the real library
 * crashes. Needs our header: NVIDIA's has the functions on binary16 in C++ only.
 */
#include "conform.h"

#include <string.h>

#include <spblas_cusparse/expand.h>

#ifndef SPBLAS_CUSPARSE_HALF
#define SPBLAS_CUSPARSE_HALF void
#endif

#define ZERO(pair) ZERO_ pair
#define ZERO_(type, name) \
    (type)                \
    {                     \
        0                 \
    }

#define SB_OWN_AS(...)
#define SB_OWN(family, name, ...) OWN_##family(name, __VA_ARGS__)
#define OWN_management(name, ...) SB_FUNCTION(cusparseStatus_t, name, __VA_ARGS__)
#define OWN_matdescr(name, ...) SB_FUNCTION(cusparseStatus_t, name, __VA_ARGS__)
#define OWN_info(name, ...) SB_FUNCTION(cusparseStatus_t, name, __VA_ARGS__)
#define OWN_logger(...)
#define OWN_spmmop(...)
#define SB_FUNCTION(type, name, ...) \
    conform_status("cusparse" #name, CALL(cusparse##name(SB_EACH(ZERO, __VA_ARGS__))));

static void
nulls(void)
{
#include <spblas_cusparse/functions.def>
}

void
conform_nulls(void)
{
    conform_explore(nulls);
}
