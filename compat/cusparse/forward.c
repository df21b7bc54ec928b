/*
 * Finding NVIDIA's library and a GPU, and the objects that go there.
 */
#include "forward.h"

#include "object.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static const char *const names[] = {
#define SB_FUNCTION(type, name, ...) "cusparse" #name,
#include "spblas_cusparse/functions.def"
};

static pthread_once_t once = PTHREAD_ONCE_INIT;
static sb_route route;
/* Descriptions and states may be shared by threads that only use them. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static void *functions[SB_FN_COUNT];

/* ---- The library -------------------------------------------------------------------- */

/* Whether the path is the file this code was loaded from: NVIDIA's library and ours have
 * one name, and forwarding to oneself never ends. */
static bool
is_this_file(const char *path)
{
    struct stat a, b;
    Dl_info info;

    return dladdr((void *)(size_t)&names, &info) && stat(info.dli_fname, &a) == 0 &&
           stat(path, &b) == 0 && a.st_dev == b.st_dev && a.st_ino == b.st_ino;
}

static void *
open_real(void)
{
    static const char *const usual[] = {
        "/usr/local/cuda/lib64/libcusparse.so.12",
        "/usr/lib/x86_64-linux-gnu/libcusparse.so.12",
        "/usr/lib64/libcusparse.so.12",
        "/opt/cuda/lib64/libcusparse.so.12",
    };
    const char *const named = getenv("SPBLAS_CUSPARSE");
    void *library = NULL;

    if (named && *named)
        return is_this_file(named) ? NULL : dlopen(named, RTLD_NOW | RTLD_LOCAL);
    for (size_t i = 0; !library && i < sizeof usual / sizeof *usual; i++) {
        if (!is_this_file(usual[i]))
            library = dlopen(usual[i], RTLD_NOW | RTLD_LOCAL);
    }
    return library;
}

/* Whether a CUDA driver answers and has a device. */
static bool
gpu_answers(void)
{
    void *const driver = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
    int (*init)(unsigned), (*count)(int *);
    int devices = 0;

    if (!driver)
        return false;
    *(void **)&init = dlsym(driver, "cuInit");
    *(void **)&count = dlsym(driver, "cuDeviceGetCount");
    return init && count && init(0) == 0 && count(&devices) == 0 && devices > 0;
}

/* What SPBLAS_CUSPARSE_FORWARD asks for. By itself NVIDIA's library gets everything where
 * a GPU is: libspblas lacks most older families for arrays of a device, and what it has
 * has not been tried on one. */
static sb_route
wanted_route(void)
{
    const char *const ask = getenv("SPBLAS_CUSPARSE_FORWARD");
    const char *const backend = getenv("SPBLAS_BACKEND");

    if (ask && strcmp(ask, "all") == 0)
        return SB_ROUTE_ALL;
    if (ask && strcmp(ask, "legacy") == 0)
        return SB_ROUTE_LEGACY;
    if (ask && strcmp(ask, "none") == 0)
        return SB_ROUTE_HERE;
    if (backend && (strcmp(backend, "cpu") == 0 || strcmp(backend, "emu") == 0))
        return SB_ROUTE_HERE;
    return gpu_answers() ? SB_ROUTE_ALL : SB_ROUTE_HERE;
}

static void
decide(void)
{
    const sb_route wanted = wanted_route();
    void *const library = wanted == SB_ROUTE_HERE ? NULL : open_real();

    if (!library)
        return;
    for (int i = 0; i < SB_FN_COUNT; i++)
        functions[i] = dlsym(library, names[i]);
    route = wanted;
}

sb_route
sb_route_now(void)
{
    (void)pthread_once(&once, decide);
    return route;
}

void
sb_real_function(sb_function function, void *pointer)
{
    memcpy(pointer, &functions[function], sizeof functions[function]);
}

/* ---- Objects ------------------------------------------------------------------------ */

cusparseHandle_t
sb_real_handle(cusparseHandle_t handle)
{
    cusparseStatus_t (*create)(cusparseHandle_t *);
    cusparseStatus_t (*set_stream)(cusparseHandle_t, cudaStream_t);
    cusparseStatus_t (*set_mode)(cusparseHandle_t, cusparsePointerMode_t);
    spblasPointerMode_t mode = SPBLAS_POINTER_MODE_HOST;
    void *stream = NULL;

    if (!sb_handle_live(handle))
        return NULL;
    sb_real_function(SB_FN_Create, &create);
    sb_real_function(SB_FN_SetStream, &set_stream);
    sb_real_function(SB_FN_SetPointerMode, &set_mode);
    if (!create || !set_stream || !set_mode)
        return NULL;
    if (!handle->real && create(&handle->real) != CUSPARSE_STATUS_SUCCESS)
        handle->real = NULL;
    if (handle->real) {
        (void)spblasGetStream(handle->core, &stream);
        (void)spblasGetPointerMode(handle->core, &mode);
        (void)set_stream(handle->real, stream);
        (void)set_mode(handle->real, (int)mode);
    }
    return handle->real;
}

static void
tell(cusparseMatDescr_t descr)
{
    static const sb_function setters[] = {SB_FN_SetMatType, SB_FN_SetMatFillMode,
                                          SB_FN_SetMatDiagType, SB_FN_SetMatIndexBase};
    const int value[] = {(int)descr->type, (int)descr->fill, (int)descr->diag,
                         (int)descr->base};
    cusparseStatus_t (*set)(cusparseMatDescr_t, int);

    for (int i = 0; i < 4; i++) {
        sb_real_function(setters[i], &set);
        if (set)
            (void)set(descr->real, value[i]);
    }
    descr->told = true;
}

cusparseMatDescr_t
sb_real_descr(cusparseMatDescr_t descr)
{
    cusparseStatus_t (*create)(cusparseMatDescr_t *);

    if (!sb_descr_live(descr))
        return NULL;
    sb_real_function(SB_FN_CreateMatDescr, &create);
    (void)pthread_mutex_lock(&lock);
    if (!descr->real && create && create(&descr->real) != CUSPARSE_STATUS_SUCCESS)
        descr->real = NULL;
    if (descr->real && !descr->told)
        tell(descr);
    (void)pthread_mutex_unlock(&lock);
    return descr->real;
}

void *
sb_real_info(void *handle)
{
    static const sb_function creators[] = {
#define SB_INFO(kind, type) SB_FN_Create##kind##Info,
#include "info.def"
    };
    sb_info *const info = handle;
    cusparseStatus_t (*create)(void **);

    if (!info || info->mark <= SB_MARK_DESCR ||
        info->mark > SB_MARK_DESCR + SB_INFO_KINDS)
        return NULL;
    sb_real_function(creators[info->mark - SB_MARK_DESCR - 1], &create);
    (void)pthread_mutex_lock(&lock);
    if (!info->real && create && create(&info->real) != CUSPARSE_STATUS_SUCCESS)
        info->real = NULL;
    (void)pthread_mutex_unlock(&lock);
    return info->real;
}

void
sb_real_release(sb_function destroy, void *real)
{
    cusparseStatus_t (*end)(void *);

    sb_real_function(destroy, &end);
    if (real && end)
        (void)end(real);
}
