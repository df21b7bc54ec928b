/* Every other entry point of the library, so that programs load: each answers
 * cudaErrorNotSupported, whatever its arguments. */
#include "internal.h"

#define UNSUPPORTED(name)             \
    cudaError_t name(void);           \
    cudaError_t name(void)            \
    {                                 \
        return hc_unsupported(#name); \
    }
#include "unsupported.def"
