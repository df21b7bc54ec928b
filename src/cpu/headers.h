/*
 * What every kernel begins with, compiled once: the compiler's headers of vector instructions and
 * the functions of spblas_kernel.h, which take it several times as long to read as the kernel
 * behind them.
 */
#ifndef SB_CPU_HEADERS_H
#define SB_CPU_HEADERS_H

#include "base/diag.h"
#include "runtime/target.h"

#include <stdbool.h>

/*
 * As sb_cc_compile, with the lines to the end of spblas_kernel.h kept compiled in the folder of
 * kernels: two files a level, compiler and text of that header, up to 35 MB; a source without them is
 * compiled as it is. The first kernel of a folder makes them. Where they cannot be made, kept or
 * used, the kernel is compiled without; what the compiler keeps is its own affair, and one
 * that has become newer than they are gets new ones.
 */
sb_status sb_headers_compile(const char *source_path, const char *object_path,
                             sb_isa isa, sb_diag *diag);

/* For tests: whether this process tries, as if for the first time; returns whether it did. */
bool sb_headers_used(bool on);

#endif
