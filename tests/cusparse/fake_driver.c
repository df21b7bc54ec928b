/* A CUDA driver with one device and nothing else, for the tests of forwarding. */
__attribute__((visibility("default"))) int
cuInit(unsigned flags)
{
    return flags != 0;
}

__attribute__((visibility("default"))) int
cuDeviceGetCount(int *count)
{
    *count = 1;
    return 0;
}
