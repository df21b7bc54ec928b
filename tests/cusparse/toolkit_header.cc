/*
 * NVIDIA's header against our tables, at compile time: every prototype has our types,
 * every enumerator our value. In C++, where it declares the functions on binary16 too.
 */
#include <cusparse.h>

#include <type_traits>

#define SPBLAS_CUSPARSE_HALF __half
#include "spblas_cusparse/expand.h"

#if !defined(CUSPARSE_VER_BUILD)
#error "this is our own header"
#endif

#define SB_ENUM_BEGIN
#define SB_VALUE(name, value) static_assert(name == (value), #name);
#define SB_ENUM_END(type) static_assert(sizeof(type) == sizeof(int), #type);
#include "spblas_cusparse/enums.def"

static_assert(sizeof(cuComplex) == 8 && alignof(cuComplex) == 8, "float2");
static_assert(sizeof(cuDoubleComplex) == 16 && alignof(cuDoubleComplex) == 16,
              "double2");
static_assert(CUSPARSE_VERSION == 12603, "the version whose interface the tables are");

#define SB_FUNCTION(type, name, ...)                                            \
    static_assert(std::is_same<decltype(&cusparse##name),                       \
                               type (*)(SB_EACH(SB_DECL, __VA_ARGS__))>::value, \
                  #name);
#include "spblas_cusparse/functions.def"
