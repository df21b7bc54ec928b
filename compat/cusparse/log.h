/*
 * What a call says about itself. A failure is always one line on stderr and, where the
 * log is on, an Error line; a success is an Api line. Format, levels and the environment
 * variables CUSPARSE_LOG_LEVEL, _MASK and _FILE are NVIDIA's.
 */
#ifndef SB_COMPAT_LOG_H
#define SB_COMPAT_LOG_H

#include "cusparse.h"

#include <stdbool.h>

/* Levels, as LoggerSetLevel takes them: each includes those before. */
enum {
    SB_LOG_ERROR = 1,
    SB_LOG_TRACE = 2,
    SB_LOG_HINT = 3,
    SB_LOG_INFO = 4,
    SB_LOG_API = 5
};

/* Whether a line of the level would go anywhere. */
bool sb_log_wants(int level);

/* A line of the log. */
void sb_log_line(int level, const char *function, const char *message);

/* A failure that libspblas did not word: the sentence is for the next sb_log_end of this
 * thread. Returns the status. */
cusparseStatus_t sb_refuse(cusparseStatus_t status, const char *sentence);

/* Ends a call: says on stderr and in the log why it failed, in the words of sb_refuse or
 * else of libspblas, or that it was made. Returns the status. */
cusparseStatus_t sb_log_end(const char *function, cusparseStatus_t status);

#endif
