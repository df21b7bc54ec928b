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
static cusparseLoggerCallback_t callback;

static _Thread_local const char *refusal;

static int
mask_of_level(int level)
{
    return level >= SB_LOG_API ? (1 << SB_LOG_API) - 1 : (1 << level) - 1;
}

static void
use_sink(FILE *file, bool owned)
{
    if (sink_owned)
        (void)fclose(sink);
    sink = file;
    sink_owned = owned;
}

static void
read_environment(void)
{
    const char *level = getenv("CUSPARSE_LOG_LEVEL");
    const char *bits = getenv("CUSPARSE_LOG_MASK");
    const char *path = getenv("CUSPARSE_LOG_FILE");
    FILE *file = path ? fopen(path, "w") : NULL;

    use_sink(file ? file : stdout, file != NULL);
    if (level && atoi(level) > 0)
        atomic_store(&mask, mask_of_level(atoi(level)));
    if (bits)
        atomic_store(&mask, atoi(bits));
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
        (void)fprintf(sink, "[%s][CUSPARSE][%ld][%s][%s] %s\n", date, (long)getpid(),
                      words[level - 1], function, message);
        (void)fflush(sink);
        if (callback)
            callback(level, function, message);
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
sb_log_end(const char *function, cusparseStatus_t status)
{
    const char *const said = refusal ? refusal : spblasGetLastErrorMessage(NULL);
    const char *const colon = strstr(said, ": "); /* after libspblas's name for it */
    const char *const why = refusal || !colon ? said : colon + 2;

    refusal = NULL;
    if (status == CUSPARSE_STATUS_SUCCESS) {
        sb_log_line(SB_LOG_API, function, "");
        return status;
    }
    (void)fprintf(stderr, " ** On entry to %s(): %s\n\n", function, why);
    sb_log_line(SB_LOG_ERROR, function, why);
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
    use_sink(file ? file : stdout, false);
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
    use_sink(file ? file : stdout, file != NULL);
    (void)pthread_mutex_unlock(&lock);
    return CUSPARSE_STATUS_SUCCESS;
}

cusparseStatus_t
sb_cusparse_LoggerSetLevel(int level)
{
    if (level < 0)
        return sb_refuse(CUSPARSE_STATUS_INVALID_VALUE, "level is negative");
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
