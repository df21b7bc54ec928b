/*
 * One level and one sink for the process. The sink is called without the lock held, so
 * it may itself log or replace the sink.
 */
#include "base/log.h"

#include "base/sync.h"

#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char *const level_names[] = {"off", "error", "warn", "info", "debug"};

static sb_once env_once = SB_ONCE_INIT;
static sb_mutex lock = SB_MUTEX_INIT;
static _Atomic int current = SB_LOG_OFF;
static sb_log_sink current_sink;
static void *current_user;

static void
write_stderr(sb_log_level level, const char *text, void *user)
{
    char line[640];
    const int n =
        snprintf(line, sizeof line, "spblas %s: %s\n", level_names[level], text);
    const size_t len = n < (int)sizeof line ? (size_t)n : sizeof line - 1;

    (void)user;
    /* A lost log line is no reason to fail. */
    if (n > 0 && write(STDERR_FILENO, line, len) < 0)
        return;
}

static void
read_env(void)
{
    const char *s = getenv("SPBLAS_LOG");

    for (int i = 0; s && i < SB_COUNT(level_names); i++) {
        if (strcmp(s, level_names[i]) == 0) {
            current_sink = write_stderr;
            atomic_store(&current, i);
        }
    }
}

__attribute__((constructor)) static void
watch_forks(void)
{
    sb_fork_keep(&lock);
}

void
sb_log_set(sb_log_level level, sb_log_sink sink, void *user)
{
    sb_once_run(&env_once, read_env);
    sb_mutex_lock(&lock);
    current_sink = sink ? sink : write_stderr;
    current_user = user;
    atomic_store(&current, (int)level);
    sb_mutex_unlock(&lock);
}

sb_log_level
sb_log_get_level(void)
{
    sb_once_run(&env_once, read_env);
    return (sb_log_level)atomic_load(&current);
}

void
sb_log(sb_log_level level, const char *fmt, ...)
{
    char text[512];
    sb_log_sink sink;
    void *user;
    va_list ap;

    if (level == SB_LOG_OFF || level > sb_log_get_level())
        return;
    va_start(ap, fmt);
    (void)vsnprintf(text, sizeof text, fmt, ap);
    va_end(ap);
    sb_mutex_lock(&lock);
    sink = current_sink;
    user = current_user;
    sb_mutex_unlock(&lock);
    if (sink)
        sink(level, text, user);
}
