/*
 * What a call says about itself. A failure is a line on stderr and, where the log is on,
 * an Error line; a success an Api line with the arguments. Format, levels and the
 * environment variables CUSPARSE_LOG_LEVEL, _MASK and _FILE are NVIDIA's.
 */
#ifndef SB_COMPAT_LOG_H
#define SB_COMPAT_LOG_H

#include "cusparse.h"

#include <stdbool.h>

/* Levels, as LoggerSetLevel takes them: each includes those before. */
enum { SB_LOG_ERROR = 1, SB_LOG_TRACE, SB_LOG_HINT, SB_LOG_INFO, SB_LOG_API };
enum { SB_LOG_LEVEL_MAX = 6 };

/* An argument for the log: what is at `value` is told by `kind`, see SB_SHOW. */
typedef struct {
    const char *name;
    const void *value;
    char kind;
} sb_shown;

/* clang-format off */
#define SB_SHOW(pair) SB_SHOW_ pair
#define SB_SHOW_(type, name) {#name, &(name), SB_KIND(name)}
#define SB_KIND(a) _Generic((a), \
    int: 'i',                    \
    unsigned: 'i',               \
    int64_t: 'l',                \
    size_t: 'l',                 \
    float: 'f',                  \
    double: 'd',                 \
    cuComplex: 'c',              \
    cuDoubleComplex: 'z',        \
    default: 'p')
/* clang-format on */

/* Whether a line of the level would go anywhere. */
bool sb_log_wants(int level);

/* A line of the log. */
void sb_log_line(int level, const char *function, const char *message);

/* A failure in words, for the next sb_log_end of this thread. Returns the status. */
cusparseStatus_t sb_refuse(cusparseStatus_t status, const char *sentence);

/* The same in libspblas's words, if the status is a failure and there are none yet. */
cusparseStatus_t sb_refused(cusparseStatus_t status);

/* Ends a call: a failure says why, if there are words for it; a success says its `count`
 * arguments. Returns the status. */
cusparseStatus_t sb_log_end(const char *function, cusparseStatus_t status, int count,
                            const sb_shown *arguments);

#endif
