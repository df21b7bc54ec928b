/*
 * What a kind of part must say to become a kernel: how A is rewritten into it and how
 * its loops are scheduled, both as text for the compiler. One file per kind, the same
 * order in each: banner, rule, schedules, the table.
 */
#ifndef SB_KERNELS_RECIPE_H
#define SB_KERNELS_RECIPE_H

#include "base/diag.h"
#include "base/status.h"
#include "base/strbuf.h"
#include "kernels/spec.h"

typedef enum sb_kind {
#define X(name, text, doc) SB_KIND_##name,
#include "kernels/registry.def"
#undef X
    SB_KIND_COUNT
} sb_kind;

/*
 * name      as in registry.def, and in the names of the part's arrays
 * ops       set of operations it can compute, bit per sb_kernel_op
 * tensor    those it can compute on tensor cores
 * rule      format rewrite rule for $A of the stage I program; NULL: as it is
 * program   instead of a rule: the operation over the part's arrays as stage II loops,
 *           where the format's storage is not one of axes
 * sample    SDDMM of several entries at once (kernels/sample.h), for specs that say so:
 *           instead of rule, program and schedule; NULL where there is none
 * schedule  primitives for the loops
 * unit      the outermost loop, over rows or what stands for them, per operation
 * ordered   set of operations in which units of one tile share elements of the output
 * column    SpMM: the loop over tiles of columns of C; NULL without
 * All append to `out`; only memory can fail, which the buffer remembers.
 */
typedef struct sb_recipe {
    const char *name;
    unsigned ops, tensor;
    void (*rule)(sb_strbuf *out, const sb_spec *s);
    void (*program)(sb_strbuf *out, const sb_spec *s);
    void (*sample)(sb_strbuf *out, const sb_spec *s);
    void (*schedule)(sb_strbuf *out, const sb_spec *s);
    const char *unit[3];
    unsigned ordered;
    const char *column;
} sb_recipe;

#define X(name, text, doc) extern const sb_recipe sb_recipe_##name;
#include "kernels/registry.def"
#undef X

/* By bit number; kind must be in [0, SB_KIND_COUNT). */
const sb_recipe *sb_recipe_get(int kind);

/* OK when a kernel can be made from the spec; EINVAL or ENOTSUP with the reason. */
sb_status sb_spec_check(const sb_spec *s, sb_diag *diag);

#endif
