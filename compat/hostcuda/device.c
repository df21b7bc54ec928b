/* The one device: the host's processor. Properties and attributes come from one table. */
#include "internal.h"

#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#if HC_CUDA >= 13
enum { VERSION = 13000 };
typedef struct hc_properties_13 properties;
#else
enum { VERSION = 12090 };
typedef struct hc_properties_12 properties;
#endif

enum { LIMITS = 7 };

static hc_machine the_machine;
static size_t limits[LIMITS] = {1024, 1 << 20, 8 << 20};
static unsigned device_flags;

static void
read_name(char *out, size_t size)
{
    char line[256];
    char model[160] = "unknown processor";
    FILE *f = fopen("/proc/cpuinfo", "r");

    while (f && fgets(line, sizeof line, f)) {
        const char *colon = strchr(line, ':');

        if (strncmp(line, "model name", 10) == 0 && colon) {
            (void)snprintf(model, sizeof model, "%.*s", (int)strcspn(colon + 2, "\n"),
                           colon + 2);
            break;
        }
    }
    if (f)
        (void)fclose(f);
    (void)snprintf(out, size, "host CPU, no GPU (%s)", model);
}

static void
read_machine(void)
{
    const long cores = sysconf(_SC_NPROCESSORS_ONLN);
    const long pages = sysconf(_SC_PHYS_PAGES);
    const long page = sysconf(_SC_PAGESIZE);
    const long l2 = sysconf(_SC_LEVEL2_CACHE_SIZE);

    the_machine.cores = cores > 0 ? (int)cores : 1;
    the_machine.l2 = l2 > 0 ? (int)l2 : 0;
    the_machine.memory = pages > 0 && page > 0 ? (size_t)pages * (size_t)page : 0;
    read_name(the_machine.name, sizeof the_machine.name);
}

const hc_machine *
hc_machine_get(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;

    (void)pthread_once(&once, read_machine);
    return &the_machine;
}

bool
hc_device_ok(int device)
{
    return device == 0;
}

static cudaError_t
check(const void *out, int device)
{
    if (!out)
        return hc_result(cudaErrorInvalidValue);
    return hc_result(hc_device_ok(device) ? cudaSuccess : cudaErrorInvalidDevice);
}

cudaError_t
cudaGetDeviceCount(int *count)
{
    const cudaError_t st = check(count, 0);

    if (!st)
        *count = 1;
    return st;
}

cudaError_t
cudaGetDevice(int *device)
{
    const cudaError_t st = check(device, 0);

    if (!st)
        *device = 0;
    return st;
}

cudaError_t
cudaSetDevice(int device)
{
    return check(&device, device);
}

cudaError_t
cudaInitDevice(int device, unsigned deviceFlags, unsigned flags)
{
    if (flags > 1 || deviceFlags & ~(unsigned)cudaDeviceMask)
        return hc_result(cudaErrorInvalidValue);
    return check(&device, device);
}

cudaError_t
cudaSetValidDevices(int *devices, int count)
{
    if (count < 0 || (count > 0 && !devices))
        return hc_result(cudaErrorInvalidValue);
    for (int i = 0; i < count; i++) {
        if (!hc_device_ok(devices[i]))
            return hc_result(cudaErrorInvalidDevice);
    }
    return cudaSuccess;
}

cudaError_t
cudaSetDeviceFlags(unsigned flags)
{
    if (flags & ~(unsigned)cudaDeviceMask)
        return hc_result(cudaErrorInvalidValue);
    hc_lock();
    device_flags = flags;
    hc_unlock();
    return cudaSuccess;
}

cudaError_t
cudaGetDeviceFlags(unsigned *flags)
{
    enum { MAP_HOST = 8 }; /* always so */
    const cudaError_t st = check(flags, 0);

    hc_lock();
    if (!st)
        *flags = device_flags | MAP_HOST;
    hc_unlock();
    return st;
}

cudaError_t
cudaChooseDevice(int *device, const void *prop)
{
    const cudaError_t st = check(prop ? device : NULL, 0);

    if (!st)
        *device = 0;
    return st;
}

/* An attribute's value; false: no such attribute. */
static bool
attribute(int *value, enum cudaDeviceAttr attr)
{
    const hc_machine *machine = hc_machine_get();

    switch ((int)attr) {
#define ATTRIBUTE(code, name, number) \
    case code:                        \
        *value = number;              \
        return true;
#include "attributes.def"
#undef ATTRIBUTE
    default:
        (void)machine;
        return false;
    }
}

static int
attribute_value(enum cudaDeviceAttr attr)
{
    int value = 0;

    (void)attribute(&value, attr);
    return value;
}

cudaError_t
cudaDeviceGetAttribute(int *value, enum cudaDeviceAttr attr, int device)
{
    int found;
    const cudaError_t st = check(value, device);

    if (st)
        return st;
    if (!attribute(&found, attr))
        return hc_result(cudaErrorInvalidValue);
    *value = found;
    return cudaSuccess;
}

static void
fill(properties *out)
{
    const hc_machine *machine = hc_machine_get();

#define A(name) attribute_value(cudaDevAttr##name)
#define BOTH(type, name, dim, ...) .name = __VA_ARGS__,
#if HC_CUDA >= 13
#define ONLY13(type, name, dim, ...) .name = __VA_ARGS__,
#define ONLY12(type, name, dim, ...)
#else
#define ONLY13(type, name, dim, ...)
#define ONLY12(type, name, dim, ...) .name = __VA_ARGS__,
#endif
    *out = (properties){
#include "properties.def"
    };
#undef A
#undef BOTH
#undef ONLY12
#undef ONLY13
    memcpy(out->name, machine->name, sizeof out->name);
    memcpy(out->uuid, "spblas host CPU" /* 16 bytes with its end */, sizeof out->uuid);
}

static cudaError_t
get_properties(void *prop, size_t size, int device)
{
    const cudaError_t st = check(prop, device);
    properties all;

    if (st)
        return st;
    fill(&all);
    memcpy(prop, &all, size);
    return cudaSuccess;
}

#if HC_CUDA >= 13
cudaError_t
cudaGetDeviceProperties(void *prop, int device)
{
    return get_properties(prop, sizeof(properties), device);
}
#else
/* A program of CUDA 11 has room for that version's fields only. */
cudaError_t
cudaGetDeviceProperties(void *prop, int device)
{
    return get_properties(prop, offsetof(properties, hostRegisterSupported), device);
}

cudaError_t
cudaGetDeviceProperties_v2(void *prop, int device)
{
    return get_properties(prop, sizeof(properties), device);
}
#endif

cudaError_t
cudaDeviceSynchronize(void)
{
    return hc_result(hc_refuse_unsafe());
}

/* All memory is given back; handles stay valid until they are destroyed. */
cudaError_t
cudaDeviceReset(void)
{
    const cudaError_t st = hc_refuse_unsafe();

    if (!st)
        hc_memory_reset();
    return hc_result(st);
}

#if HC_CUDA < 13
extern __typeof__(cudaDeviceSynchronize) cudaThreadSynchronize
    __attribute__((alias("cudaDeviceSynchronize")));
extern __typeof__(cudaDeviceReset) cudaThreadExit
    __attribute__((alias("cudaDeviceReset")));
#endif

static cudaError_t
get_version(int *version)
{
    const cudaError_t st = check(version, 0);

    if (!st)
        *version = VERSION;
    return st;
}

cudaError_t
cudaDriverGetVersion(int *version)
{
    return get_version(version);
}

cudaError_t
cudaRuntimeGetVersion(int *version)
{
    return get_version(version);
}

cudaError_t
cudaMemGetInfo(size_t *free, size_t *total)
{
    const size_t all = hc_machine_get()->memory;
    const size_t used = hc_memory_used();
    unsigned long long kib = 0;
    size_t left = all > used ? all - used : 0;
    char line[128];
    FILE *f;

    if (!free || !total)
        return hc_result(cudaErrorInvalidValue);
    f = fopen("/proc/meminfo", "r");
    while (f && fgets(line, sizeof line, f)) {
        if (sscanf(line, "MemAvailable: %llu kB", &kib) == 1)
            break;
    }
    if (f)
        (void)fclose(f);
    if (kib && kib * 1024 < left)
        left = (size_t)(kib * 1024);
    *free = left;
    *total = all;
    return cudaSuccess;
}

/* Limits are remembered; nothing reads them. */
cudaError_t
cudaDeviceGetLimit(size_t *value, enum cudaLimit limit)
{
    if (!value)
        return hc_result(cudaErrorInvalidValue);
    if ((unsigned)limit >= LIMITS)
        return hc_result(cudaErrorUnsupportedLimit);
    hc_lock();
    *value = limits[limit];
    hc_unlock();
    return cudaSuccess;
}

cudaError_t
cudaDeviceSetLimit(enum cudaLimit limit, size_t value)
{
    if ((unsigned)limit >= LIMITS)
        return hc_result(cudaErrorUnsupportedLimit);
    hc_lock();
    limits[limit] = value;
    hc_unlock();
    return cudaSuccess;
}

cudaError_t
cudaDeviceGetCacheConfig(int *config)
{
    const cudaError_t st = check(config, 0);

    if (!st)
        *config = 0;
    return st;
}

cudaError_t
cudaDeviceSetCacheConfig(int config)
{
    return hc_result((unsigned)config <= 3 ? cudaSuccess : cudaErrorInvalidValue);
}

static const char bus_id[] = "0000:00:00.0";

cudaError_t
cudaDeviceGetPCIBusId(char *text, int len, int device)
{
    const cudaError_t st = check(text, device);

    if (st)
        return st;
    if (len < (int)sizeof bus_id)
        return hc_result(cudaErrorInvalidValue);
    memcpy(text, bus_id, sizeof bus_id);
    return cudaSuccess;
}

cudaError_t
cudaDeviceGetByPCIBusId(int *device, const char *text)
{
    if (!device || !text)
        return hc_result(cudaErrorInvalidValue);
    if (strcmp(text, bus_id) != 0)
        return hc_result(cudaErrorInvalidDevice);
    *device = 0;
    return cudaSuccess;
}

cudaError_t
cudaDeviceCanAccessPeer(int *can, int device, int peer)
{
    const cudaError_t st = check(can, device);

    if (st || !hc_device_ok(peer))
        return hc_result(st ? st : cudaErrorInvalidDevice);
    *can = 0; /* a device is not its own peer */
    return cudaSuccess;
}

cudaError_t
cudaDeviceEnablePeerAccess(int peer, unsigned flags)
{
    (void)peer;
    return hc_result(flags ? cudaErrorInvalidValue : cudaErrorInvalidDevice);
}

cudaError_t
cudaDeviceDisablePeerAccess(int peer)
{
    return hc_result(hc_device_ok(peer) ? cudaErrorPeerAccessNotEnabled
                                        : cudaErrorInvalidDevice);
}

cudaError_t
cudaProfilerStart(void)
{
    return cudaSuccess;
}

cudaError_t
cudaProfilerStop(void)
{
    return cudaSuccess;
}
