/*
 * MKL's vendor check. On a CPU of another maker MKL falls back to kernels without AVX. The
 * two functions here take the place of its check, as a program's own symbols come first
 * (CMake's ENABLE_EXPORTS), so MKL runs what the same library runs on an Intel CPU with
 * these instructions.
 */
static int
yes(void)
{
    return 1;
}

/* MKL up to 2020: the check itself. */
__attribute__((visibility("default"))) int mkl_serv_intel_cpu_true(void);
int
mkl_serv_intel_cpu_true(void)
{
    return 1;
}

/* Later ones: a function that returns the check. */
__attribute__((visibility("default"))) int (*mkl_serv_get_cpu_true(void))(void);
int (*mkl_serv_get_cpu_true(void))(void)
{
    return yes;
}
