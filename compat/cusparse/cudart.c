/* Finding the program's CUDA run time, once. */
#include "cudart.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdbool.h>
#include <string.h>

static sb_cudart found;
static bool usable;

/* Stores the function at *pointer, a function pointer. */
static bool
look(void *library, const char *name, void *pointer)
{
    void *symbol = dlsym(library, name);

    memcpy(pointer, &symbol, sizeof symbol);
    return symbol != NULL;
}

/* A library that a plug-in loaded for itself is not among the global names. */
static void *
library_in_process(void)
{
    static const char *const names[] = {"libcudart.so.13", "libcudart.so.12"};
    void *library = NULL;

    if (dlsym(RTLD_DEFAULT, "cudaStreamIsCapturing"))
        return RTLD_DEFAULT;
    for (int i = 0; i < 2 && !library; i++)
        library = dlopen(names[i], RTLD_LAZY | RTLD_NOLOAD);
    return library;
}

static void
find(void)
{
    void *library = library_in_process();

    usable = look(library, "cudaStreamIsCapturing", &found.is_capturing) &&
             look(library, "cudaStreamQuery", &found.query) &&
             look(library, "cudaLaunchHostFunc", &found.launch_host) &&
             look(library, "cudaUserObjectCreate", &found.object_create) &&
             look(library, "cudaUserObjectRelease", &found.object_release) &&
             look(library, "cudaGraphRetainUserObject", &found.graph_retain) &&
             (look(library, "cudaStreamGetCaptureInfo_v2", &found.info_v2) ||
              look(library, "cudaStreamGetCaptureInfo", &found.info));
}

const sb_cudart *
sb_cudart_get(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;

    (void)pthread_once(&once, find);
    return usable ? &found : NULL;
}
