/*
 * The log and its six functions. Lines go to the sink (stdout at first) and, besides, to
 * the callback; both are called with the lock held, so they come one at a time.
 */
#include "log.h"

#include "own.h"
#include "spblas.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static pthread_once_t once = PTHREAD_ONCE_INIT;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static _Atomic int mask; /* bit level - 1 */
static bool disabled;    /* for good */
static FILE *sink;
static bool sink_owned;
static char pending[4096]; /* path of the sink, which is opened for its first line */
static cusparseLoggerCallback_t callback;

static _Thread_local const char *refusal;

static int
mask_of_level(int level)
{
    return (1 << level) - 1;
}

static void
use_sink(FILE *file, bool owned)
{
    if (sink_owned)
        (void)fclose(sink);
    sink = file;
    sink_owned = owned && file;
    pending[0] = '\0';
}

static void
read_environment(void)
{
    const char *const level = getenv("CUSPARSE_LOG_LEVEL");
    const char *const bits = getenv("CUSPARSE_LOG_MASK");
    const char *const path = getenv("CUSPARSE_LOG_FILE");

    sink = stdout;
    if (path && strlen(path) < sizeof pending)
        memcpy(pending, path, strlen(path) + 1);
    if (bits)
        atomic_store(&mask, atoi(bits));
    if (level && atoi(level) >= 0 && atoi(level) <= SB_LOG_LEVEL_MAX)
        atomic_store(&mask, mask_of_level(atoi(level)));
}

bool
sb_log_wants(int level)
{
    (void)pthread_once(&once, read_environment);
    return atomic_load(&mask) >> (level - 1) & 1;
}

void
sb_log_line(int level, const char *function, const char *message)
{
    static const char *const words[] = {"Error", "Trace", "Hint", "Info", "Api"};
    const time_t now = time(NULL);
    char date[32];
    struct tm local;

    if (!sb_log_wants(level))
        return;
    (void)strftime(date, sizeof date, "%Y-%m-%d %H:%M:%S", localtime_r(&now, &local));
    (void)pthread_mutex_lock(&lock);
    if (!disabled) {
        if (pending[0])
            use_sink(fopen(pending, "w"), true);
        if (callback)
            callback(level, function, message);
        if (sink) {
            (void)fprintf(sink, "[%s][CUSPARSE][%ld][%s][%s] %s\n", date,
                          (long)getpid(), words[level - 1], function, message);
            (void)fflush(sink);
        }
    }
    (void)pthread_mutex_unlock(&lock);
}

/* ---- How calls end ------------------------------------------------------------------ */

cusparseStatus_t
sb_refuse(cusparseStatus_t status, const char *sentence)
{
    refusal = sentence;
    return status;
}

cusparseStatus_t
sb_refused(cusparseStatus_t status)
{
    if (status != CUSPARSE_STATUS_SUCCESS && !refusal) {
        const char *const said = spblasGetLastErrorMessage(NULL);
        const char *const colon = strstr(said, ": "); /* behind its own name for it */

        refusal = colon ? colon + 2 : said;
    }
    return status;
}

static int
show(char *text, size_t room, const sb_shown *a)
{
    const float *const f = a->value;
    const double *const d = a->value;

    switch (a->kind) {
    case 'i':
        return snprintf(text, room, "%s=%d", a->name, *(const int *)a->value);
    case 'l':
        return snprintf(text, room, "%s=%lld", a->name,
                        (long long)*(const int64_t *)a->value);
    case 'f':
        return snprintf(text, room, "%s=%g", a->name, (double)*f);
    case 'd':
        return snprintf(text, room, "%s=%g", a->name, *d);
    case 'c':
        return snprintf(text, room, "%s=(%g, %g)", a->name, (double)f[0], (double)f[1]);
    case 'z':
        return snprintf(text, room, "%s=(%g, %g)", a->name, d[0], d[1]);
    default:
        return snprintf(text, room, "%s=%p", a->name, *(void *const *)a->value);
    }
}

static void
log_arguments(const char *function, int count, const sb_shown *arguments)
{
    char text[1024];
    size_t n = 0;

    text[0] = '\0';
    for (int i = 0; i < count && n + 2 < sizeof text; i++) {
        if (i)
            n += (size_t)snprintf(text + n, sizeof text - n, ", ");
        n += (size_t)show(text + n, sizeof text - n, &arguments[i]);
    }
    sb_log_line(SB_LOG_API, function, text);
}

cusparseStatus_t
sb_log_end(const char *function, cusparseStatus_t status, int count,
           const sb_shown *arguments)
{
    const char *const why = refusal;

    refusal = NULL;
    if (status == CUSPARSE_STATUS_SUCCESS) {
        if (sb_log_wants(SB_LOG_API))
            log_arguments(function, count, arguments);
    } else if (why) {
        (void)fprintf(stderr, " ** On entry to %s(): %s\n\n", function, why);
        sb_log_line(SB_LOG_ERROR, function, why);
    }
    return status;
}

/* ---- Public functions --------------------------------------------------------------- */

cusparseStatus_t
sb_cusparse_LoggerSetCallback(cusparseLoggerCallback_t function)
{
    (void)pthread_once(&once, read_environment);
    (void)pthread_mutex_lock(&lock);
    callback = function;
    (void)pthread_mutex_unlock(&lock);
    return CUSPARSE_STATUS_SUCCESS;
}

cusparseStatus_t
sb_cusparse_LoggerSetFile(FILE *file)
{
    (void)pthread_once(&once, read_environment);
    (void)pthread_mutex_lock(&lock);
    use_sink(file, false);
    (void)pthread_mutex_unlock(&lock);
    return CUSPARSE_STATUS_SUCCESS;
}

cusparseStatus_t
sb_cusparse_LoggerOpenFile(const char *logFile)
{
    FILE *const file = logFile ? fopen(logFile, "w") : NULL;

    if (logFile && !file)
        return sb_refuse(CUSPARSE_STATUS_INVALID_VALUE, "the file cannot be opened");
    (void)pthread_once(&once, read_environment);
    (void)pthread_mutex_lock(&lock);
    use_sink(file, true);
    (void)pthread_mutex_unlock(&lock);
    return CUSPARSE_STATUS_SUCCESS;
}

cusparseStatus_t
sb_cusparse_LoggerSetLevel(int level)
{
    if (level < 0 || level > SB_LOG_LEVEL_MAX)
        return sb_refuse(CUSPARSE_STATUS_INVALID_VALUE, "level is not one of 0 to 6");
    (void)pthread_once(&once, read_environment);
    atomic_store(&mask, mask_of_level(level));
    return CUSPARSE_STATUS_SUCCESS;
}

cusparseStatus_t
sb_cusparse_LoggerSetMask(int bits)
{
    (void)pthread_once(&once, read_environment);
    atomic_store(&mask, bits);
    return CUSPARSE_STATUS_SUCCESS;
}

cusparseStatus_t
sb_cusparse_LoggerForceDisable(void)
{
    (void)pthread_mutex_lock(&lock);
    disabled = true;
    (void)pthread_mutex_unlock(&lock);
    return CUSPARSE_STATUS_SUCCESS;
}
