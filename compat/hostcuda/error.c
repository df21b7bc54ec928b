/* Names and texts of errors, the last error of each thread, the log. */
#include "internal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static _Thread_local cudaError_t last_error;

static const struct {
    cudaError_t code;
    const char *name, *text;
} errors[] = {
#define ERROR(code, name, text) {name, #name, text},
#include "errors.def"
#undef ERROR
};

enum { ERRORS = sizeof errors / sizeof *errors };

static int
find(cudaError_t error)
{
    int i = 0;

    while (i < ERRORS && errors[i].code != error)
        i++;
    return i;
}

const char *
cudaGetErrorName(cudaError_t error)
{
    const int i = find(error);

    return i < ERRORS ? errors[i].name : "unrecognized error code";
}

const char *
cudaGetErrorString(cudaError_t error)
{
    const int i = find(error);

    return i < ERRORS ? errors[i].text : "unrecognized error code";
}

cudaError_t
hc_result(cudaError_t error)
{
    if (error)
        last_error = error;
    return error;
}

cudaError_t
cudaPeekAtLastError(void)
{
    return last_error;
}

cudaError_t
cudaGetLastError(void)
{
    const cudaError_t error = last_error;

    last_error = cudaSuccess;
    return error;
}

void
hc_log(int level, const char *text, const char *name)
{
    static const char *const names[] = {"off", "error", "warn", "info", "debug"};
    const char *wanted = getenv("SPBLAS_LOG");
    int upto = HC_LOG_ERROR;
    char line[256];
    int n;

    for (int i = 0; wanted && i < (int)(sizeof names / sizeof *names); i++) {
        if (strcmp(wanted, names[i]) == 0)
            upto = i;
    }
    if (level > upto)
        return;
    n = snprintf(line, sizeof line, "spblas %s: hostcuda: %s: %s\n", names[level], name,
                 text);
    /* A lost log line is no reason to fail. */
    if (n > 0 && write(STDERR_FILENO, line,
                       (size_t)n < sizeof line ? (size_t)n : sizeof line - 1) < 0)
        return;
}

cudaError_t
hc_unsupported(const char *name)
{
    hc_log(HC_LOG_WARN, "needs a GPU", name);
    return hc_result(cudaErrorNotSupported);
}
