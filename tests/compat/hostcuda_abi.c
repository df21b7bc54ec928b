/* The tables of hostcuda against the toolkit's header: compiling this file is the test. */
#include <stddef.h>

#include <cuda_runtime_api.h>

#define ERROR(code, name, text) _Static_assert((int)name == code, "value of " #name);
#include "errors.def"

#define ATTRIBUTE(code, name, value) \
    _Static_assert((int)cudaDevAttr##name == code, "value of cudaDevAttr" #name);
#include "attributes.def"

#if CUDART_VERSION >= 13000
#define BOTH(type, name, dim, ...) type name dim;
#define ONLY12(type, name, dim, ...)
#define ONLY13(type, name, dim, ...) type name dim;
#else
#define BOTH(type, name, dim, ...) type name dim;
#define ONLY12(type, name, dim, ...) type name dim;
#define ONLY13(type, name, dim, ...)
#endif
struct ours {
#include "properties.def"
};
#undef BOTH
#undef ONLY12
#undef ONLY13

/* reserved12 is a name of ours for the older layout's reserved fields. */
#define BOTH(type, name, dim, ...)                                 \
    _Static_assert(offsetof(struct ours, name) ==                  \
                       offsetof(struct cudaDeviceProp, name),      \
                   "place of " #name);                             \
    _Static_assert(sizeof(((struct ours *)0)->name) ==             \
                       sizeof(((struct cudaDeviceProp *)0)->name), \
                   "size of " #name);
#define ONLY12(type, name, dim, ...)
#if CUDART_VERSION >= 13000
#define ONLY13 BOTH
#else
#define ONLY13(type, name, dim, ...)
#endif
#include "properties.def"
_Static_assert(sizeof(struct ours) == sizeof(struct cudaDeviceProp), "cudaDeviceProp");

int
main(void)
{
    return 0;
}
