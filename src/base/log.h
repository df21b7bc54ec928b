/*
 * Leveled messages to a sink the application may replace; silent by default.
 * SPBLAS_LOG=error|warn|info|debug in the environment sends them to stderr.
 */
#ifndef SB_BASE_LOG_H
#define SB_BASE_LOG_H

#include "base/macro.h"

typedef enum sb_log_level {
    SB_LOG_OFF,
    SB_LOG_ERROR,
    SB_LOG_WARN,
    SB_LOG_INFO,
    SB_LOG_DEBUG
} sb_log_level;

typedef void (*sb_log_sink)(sb_log_level level, const char *text, void *user);

void sb_log_set(sb_log_level level, sb_log_sink sink, void *user);
sb_log_level sb_log_get_level(void);
void sb_log(sb_log_level level, const char *fmt, ...) SB_PRINTF(2, 3);

#endif
