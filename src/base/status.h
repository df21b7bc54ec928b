/*
 * How every internal function ends. Mapped to the public codes in src/api only.
 */
#ifndef SB_BASE_STATUS_H
#define SB_BASE_STATUS_H

typedef enum sb_status {
#define X(name, text) SB_##name,
#include "base/status.def"
#undef X
    SB_STATUS_COUNT
} sb_status;

/* "ENOMEM", "out of memory"; never NULL, also for codes out of range. */
const char *sb_status_name(sb_status st);
const char *sb_status_text(sb_status st);

/* Return from the calling function unless `call` is SB_OK. For functions whose
 * storage lives in an arena; all others use one cleanup label. */
#define SB_TRY(call)                       \
    do {                                   \
        sb_status sb_try_status_ = (call); \
        if (sb_try_status_ != SB_OK)       \
            return sb_try_status_;         \
    } while (0)

#endif
