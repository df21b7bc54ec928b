/*
 * A table of a thread's own, a slot for each value of a hash: printing a spec and finding
 * its text took half of a small product's time (docs/design.md).
 */
#include "planner/recent.h"

#include "planner/context.h"

#include <string.h>

enum { SLOTS = 16 };

typedef struct slot {
    sb_spec spec;
    const sb_kernel *kernel; /* NULL: none at hand */
    sb_status status;
    int64_t changes; /* sb_kernel_changes() when it was looked up; 0: empty */
} slot;

/* By what the attempts of one call and calls of one program differ in. */
static slot *
slot_of(const sb_spec *s)
{
    static _Thread_local slot slots[SLOTS];
    unsigned h = s->kinds ^ (unsigned)s->op << 5 ^ (unsigned)s->tile << 1;

    h ^=
        (unsigned)s->unroll << 7 ^ (unsigned)s->prefetch << 3 ^ (unsigned)s->exact << 2;
    h ^= (unsigned)s->stream << 1 ^ (unsigned)s->compute << 6;
    return &slots[(h ^ h >> 4 ^ h >> 8) % SLOTS];
}

sb_status
sb_recent_kernel(const sb_kernel **out, const sb_spec *spec)
{
    slot *at = slot_of(spec);
    const int64_t changes = sb_kernel_changes();

    /* padding that differs costs a search, no more */
    if (at->changes != changes || memcmp(&at->spec, spec, sizeof *spec) != 0) {
        char text[SB_SPEC_MAX];

        at->changes = changes;
        at->spec = *spec;
        at->kernel = NULL;
        at->status = sb_spec_print(text, sizeof text, spec);
        at->status = at->status != SB_OK
                         ? SB_ENOTSUP
                         : sb_kernel_get(&at->kernel, text, sb_planner_maker,
                                         SB_KERNEL_RESIDENT);
    }
    *out = at->kernel;
    return at->status;
}
