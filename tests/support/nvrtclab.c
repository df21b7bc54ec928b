/*
 * See nvrtclab.h.
 */
#include "nvrtclab.h"

#include "base/macro.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const int nvrtc_archs[NVRTC_ARCHS] = {75, 80, 86, 90, 100, 120};

/* The functions used here, nvrtc.h's. */
#define FUNCTIONS(X)                                                  \
    X(nvrtcVersion, (int *, int *))                                   \
    X(nvrtcCreateProgram, (void **, const char *, const char *, int,  \
                           const char *const *, const char *const *)) \
    X(nvrtcCompileProgram, (void *, int, const char *const *))        \
    X(nvrtcGetProgramLogSize, (void *, size_t *))                     \
    X(nvrtcGetProgramLog, (void *, char *))                           \
    X(nvrtcDestroyProgram, (void **))

static struct {
#define X(name, parameters) int(*name) parameters;
    FUNCTIONS(X)
#undef X
} rtc;

static bool
bind_all(void *module)
{
    bool whole = true;

#define X(name, parameters)                    \
    {                                          \
        void *const at = dlsym(module, #name); \
        memcpy(&rtc.name, &at, sizeof at);     \
        whole = whole && at;                   \
    }
    FUNCTIONS(X)
#undef X
    return whole;
}

bool
nvrtc_open(void)
{
    static const char *const names[] = {
        "libnvrtc.so", "libnvrtc.so.13", "libnvrtc.so.12",
        "/usr/local/cuda/lib64/libnvrtc.so", "/usr/local/cuda-13.0/lib/libnvrtc.so.13"};
    const char *given = getenv("SPBLAS_NVRTC");
    void *module = given ? dlopen(given, RTLD_NOW) : NULL;

    for (int q = 0; q < SB_COUNT(names) && !given && !module; q++)
        module = dlopen(names[q], RTLD_NOW);
    return module && bind_all(module);
}

const char *
nvrtc_version(void)
{
    static char text[24];
    int major = 0, minor = 0;

    (void)rtc.nvrtcVersion(&major, &minor);
    (void)snprintf(text, sizeof text, "%d.%d", major, minor);
    return text;
}

/* The number before `after`, summed over all places; 0 without. */
static int
number_before(const char *log, const char *after)
{
    int sum = 0;

    for (const char *at = strstr(log, after); at; at = strstr(at + 1, after)) {
        const char *s = at;

        while (s > log && s[-1] >= '0' && s[-1] <= '9')
            s--;
        sum += atoi(s);
    }
    return sum;
}

static bool
compiled(nvrtc_use *use, const char *text, int arch, const char *more,
         char why[NVRTC_WHY])
{
    char option[40];
    const char *const options[] = {option, "--ptxas-options=-v", "-w", more};
    void *program = NULL;
    size_t n = 0;
    char *log;
    int code;

    (void)snprintf(option, sizeof option, "--gpu-architecture=sm_%d", arch);
    assert_int_equal(rtc.nvrtcCreateProgram(&program, text, "k.cu", 0, NULL, NULL), 0);
    code = rtc.nvrtcCompileProgram(program, SB_COUNT(options) - !more, options);
    assert_int_equal(rtc.nvrtcGetProgramLogSize(program, &n), 0);
    log = calloc(1, n + 1);
    assert_non_null(log);
    assert_int_equal(rtc.nvrtcGetProgramLog(program, log), 0);
    (void)rtc.nvrtcDestroyProgram(&program);
    (void)snprintf(why, NVRTC_WHY, "%s", log);
    use->registers = number_before(log, " registers");
    use->spills =
        number_before(log, " bytes spill") + number_before(log, " bytes stack frame");
    use->shared = number_before(log, " bytes smem");
    free(log);
    return code == 0;
}

/* Ways that few calls take may spill a little, where the kernel has a plain one that does not
 * by itself. */
bool
nvrtc_try(nvrtc_use *use, const char *text, int arch, char why[NVRTC_WHY])
{
    enum { LITTLE = 512 };
    nvrtc_use plain;

    if (!compiled(use, text, arch, NULL, why))
        return false;
    if (use->spills == 0 || use->spills > LITTLE || !strstr(text, "SBG_PLAIN_ALONE"))
        return true;
    if (!compiled(&plain, text, arch, "-DSBG_PLAIN_ALONE", why))
        return false;
    use->spills = plain.spills;
    return true;
}

nvrtc_use
nvrtc_compile(const char *text, const char *what, int arch)
{
    char why[NVRTC_WHY];
    nvrtc_use use;

    if (!nvrtc_try(&use, text, arch, why))
        fail_msg("%s for sm_%d: %s", what, arch, why);
    return use;
}
