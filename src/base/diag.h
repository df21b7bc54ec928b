/*
 * Why something failed, as one sentence (parsers: with line, column and a caret line).
 * The first message wins; a NULL diag swallows it.
 */
#ifndef SB_BASE_DIAG_H
#define SB_BASE_DIAG_H

#include "base/macro.h"
#include "base/status.h"

#include <stddef.h>

typedef struct sb_diag {
    sb_status st;
    char text[480];
} sb_diag;

void sb_diag_clear(sb_diag *d);
/* Records the sentence if none is recorded yet; returns st so that
 * `return sb_diag_set(d, SB_EINVAL, "...")` reads well. */
sb_status sb_diag_set(sb_diag *d, sb_status st, const char *fmt, ...) SB_PRINTF(3, 4);
/* The same with "line L, column C: ", the source line and a caret below it. */
sb_status sb_diag_at(sb_diag *d, sb_status st, const char *src, size_t len, size_t at,
                     const char *fmt, ...) SB_PRINTF(6, 7);

#endif
