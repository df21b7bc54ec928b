/*
 * Prints the x86-64 levels of kernels that this machine runs, as a CMake list; see builtin.cmake.
 * v3 always: tests ask for it by name. The library itself asks the processor (src/runtime/target.c).
 */
#include <stdio.h>

int
main(void)
{
    __builtin_cpu_init();
    if (!__builtin_cpu_supports("avx2") || !__builtin_cpu_supports("fma") ||
        !__builtin_cpu_supports("bmi2"))
        (void)puts("v2;v3");
    else if (!__builtin_cpu_supports("avx512f") ||
             !__builtin_cpu_supports("avx512bw") ||
             !__builtin_cpu_supports("avx512dq") || !__builtin_cpu_supports("avx512vl"))
        (void)puts("v3");
    else
        (void)puts(__builtin_cpu_is("intel") ? "v3;v4;v4g" : "v3;v4");
    return 0;
}
