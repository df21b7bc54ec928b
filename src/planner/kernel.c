/*
 * The kernel that some kinds of parts want under a choice, on the host or on a device.
 */
#include "base/log.h"
#include "planner/context.h"
#include "planner/recent.h"
#include "planner/rules.h"
#include "runtime/device.h"

/* One that the emitter or the compiler refuses is not at hand. The device has warned of it
 * once; here it would come with every product. */
sb_status
sb_planner_device_kernel(const sb_kernel **out, struct sb_device *d, sb_spec *spec,
                         sb_kernel_effort effort)
{
    sb_diag why = {SB_OK, ""};
    char text[SB_SPEC_MAX];
    sb_status st;

    sb_rule_lanes(spec);
    spec->exact = false;
    if (sb_spec_print(text, sizeof text, spec) != SB_OK)
        return SB_ENOKERNEL;
    st = d->ops->kernel(out, d, text, sb_planner_gpu_maker, effort, &why);
    if (st == SB_OK || st == SB_ENOMEM)
        return st;
    sb_log(st != SB_ENOKERNEL            ? SB_LOG_WARN
           : effort == SB_KERNEL_COMPILE ? SB_LOG_INFO
                                         : SB_LOG_DEBUG,
           "no GPU kernel \"%s\": %s", text,
           why.text[0] ? why.text : sb_status_text(st));
    return SB_ENOKERNEL;
}

static sb_status
host_kernel(const sb_kernel **out, const sb_spec *spec, sb_kernel_effort effort)
{
    char text[SB_SPEC_MAX];

    if (effort == SB_KERNEL_RESIDENT)
        return sb_recent_kernel(out, spec);
    if (sb_spec_print(text, sizeof text, spec) != SB_OK)
        return SB_ENOTSUP;
    return sb_kernel_get(out, text, sb_planner_maker, effort);
}

sb_status
sb_planner_kernel(const sb_kernel **out, const sb_problem *pb, const sb_choice *ch,
                  unsigned kinds, sb_dtype ptr, sb_dtype idx, sb_kernel_effort effort)
{
    sb_spec spec;
    sb_status st;

    *out = NULL;
    sb_spec_of(&spec, pb, ch, kinds, ptr, idx);
    if (pb->device)
        return sb_planner_device_kernel(out, pb->device, &spec, effort);
    /* one made for just this width knows its loops' ends */
    for (spec.exact = sb_spec_exact(&spec, pb, ch->slab);; spec.exact = false) {
        st = host_kernel(out, &spec, effort);
        if (st == SB_OK || st == SB_ENOTSUP)
            return st;
        if (!spec.exact && !(kinds >> SB_PART_BLOCKS & 1 && spec.block > 1))
            return st;
        if (!spec.exact)
            spec.block = 1, spec.turned = false; /* one for any block */
    }
}
