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

/* By ptxas; bytes but for registers. Spills are stores and loads
 * together, and arrays that are not in registers. */
typedef struct nvrtc_use {
    int registers, spills, shared;
} nvrtc_use;

/* False when the machine has no NVRTC. SPBLAS_NVRTC names one. */
bool nvrtc_open(void);
/* "13.0" */
const char *nvrtc_version(void);
enum { NVRTC_WHY = 800 };
/* False with the compiler's first complaints when it refuses the text. Any thread. */
bool nvrtc_try(nvrtc_use *use, const char *text, int arch, char why[NVRTC_WHY]);
/* The same; then the test fails. */
nvrtc_use nvrtc_compile(const char *text, const char *what, int arch);

#endif
