/*
 * NVRTC without a GPU: found at run time, compiles for any architecture and says what a
 * kernel needs of the machine.
 */
#ifndef SB_TEST_NVRTCLAB_H
#define SB_TEST_NVRTCLAB_H

#include <stdbool.h>

/* Architectures every kernel must compile for. */
enum { NVRTC_ARCHS = 6 };
extern const int nvrtc_archs[NVRTC_ARCHS];

/* By ptxas; bytes but for registers. Spills are stores and loads together. */
typedef struct nvrtc_use {
    int registers, spills, shared;
} nvrtc_use;

/* False when the machine has no NVRTC. SPBLAS_NVRTC names one. */
bool nvrtc_open(void);
/* "13.0" */
const char *nvrtc_version(void);
/* Fails the test with the compiler's first complaint. */
nvrtc_use nvrtc_compile(const char *text, const char *what, int arch);

#endif
