/*
 * Prints the x86-64 levels of kernels that this machine runs, as a CMake list; see builtin.cmake.
 * v3 always: our other presets link it, and tests ask for it by name. The levels are those of
 * src/runtime/target.c.
 */
#include <cpuid.h>
#include <stdio.h>

static int
is_v3(void)
{
    const unsigned movbe_f16c = 1U << 22 | 1U << 29, lzcnt = 1U << 5;
    unsigned a, b, c, d;

    if (!__get_cpuid(1, &a, &b, &c, &d) || (c & movbe_f16c) != movbe_f16c ||
        !__get_cpuid(0x80000001, &a, &b, &c, &d) || !(c & lzcnt))
        return 0;
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
           __builtin_cpu_supports("bmi") && __builtin_cpu_supports("bmi2");
}

static int
is_v4(void)
{
    return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
           __builtin_cpu_supports("avx512cd") && __builtin_cpu_supports("avx512dq") &&
           __builtin_cpu_supports("avx512vl");
}

int
main(void)
{
    __builtin_cpu_init();
    if (!is_v3())
        (void)puts("v2;v3");
    else if (!is_v4())
        (void)puts("v3");
    else
        (void)puts(__builtin_cpu_is("intel") ? "v3;v4;v4g" : "v3;v4");
    return 0;
}
