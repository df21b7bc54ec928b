/*
 * Names and sentences of the statuses, expanded from status.def.
 */
#include "base/status.h"

static const char *const names[] = {
#define X(name, text) #name,
#include "base/status.def"
#undef X
};

static const char *const texts[] = {
#define X(name, text) text,
#include "base/status.def"
#undef X
};

const char *
sb_status_name(sb_status st)
{
    return (unsigned)st < SB_STATUS_COUNT ? names[st] : "EUNKNOWN";
}

const char *
sb_status_text(sb_status st)
{
    return (unsigned)st < SB_STATUS_COUNT ? texts[st] : "unknown status";
}
