/*
 * Formats held by more than one owner.
 */
#ifndef SB_API_FORMAT_H
#define SB_API_FORMAT_H

#include "api/object.h"

/* One more owner of a live format; the last unhold frees it. NULL is fine. */
struct spblasFormatDescr *sb_format_hold(spblasConstFormatDescr_t f);
void sb_format_unhold(struct spblasFormatDescr *f);

/* The canonical text of a format under the two-call protocol. */
spblasStatus_t sb_format_give_text(const char *function, const sb_fmt *fmt, char *text,
                                   size_t *size);

#endif
