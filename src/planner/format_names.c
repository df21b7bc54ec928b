/*
 * Names of levels: what a program may ask for of each, whether it does or not.
 */
#include "planner/format_names.h"

#include "base/fault.h"

#include <stdio.h>

/* Length of a level whose indices have no known end; parameters are exact up to here. */
#define NO_END ((int64_t)1 << 52)

static void
put_int(sb_format_names *n, int level, const char *what, int64_t value)
{
    sb_plan_int *i = &n->integer[n->nint++];

    (void)snprintf(i->name, sizeof i->name, "L%d_%s", level, what);
    i->value = value;
}

static void
put_array(sb_format_names *n, int level, const char *what, sb_dtype type, int64_t count,
          void *data)
{
    sb_plan_array *a = &n->array[n->narray++];

    *a = (sb_plan_array){.type = type, .count = count, .data = data};
    (void)snprintf(a->name, sizeof a->name, "L%d_%s", level, what);
}

/* Elements from the first entry to the last. */
static int64_t
reach(const sb_tensor_array *a, int64_t count)
{
    return count > 0 ? (count - 1) * a->stride + 1 : 0;
}

static void
put_level(sb_format_names *n, const sb_tensor *t, int q)
{
    const int64_t above = q > 0 ? t->count[q - 1] : 1;
    int64_t lo, hi, size = t->size[q];

    if (t->idx[q].data || t->ptr[q].data) {
        sb_fmt_range(&lo, &hi, t->fmt, q, t->extent);
        size = hi > lo && hi < NO_END && lo > -NO_END && q >= t->fmt->trim_lo &&
                       q <= t->fmt->trim_hi
                   ? hi - lo
                   : NO_END;
    } else {
        lo = t->lo[q];
    }
    put_int(n, q, "size", size);
    put_int(n, q, "lo", SB_FAULT(FORMAT_BASE) ? 0 : lo);
    put_int(n, q, "count", t->count[q]);
    put_int(n, q, "width", above > 0 ? t->count[q] / above : 0);
    put_int(n, q, "step", t->idx[q].stride);
    put_array(n, q, "idx", t->idx_type, reach(&t->idx[q], t->count[q]), t->idx[q].data);
    put_array(n, q, "ptr", t->ptr_type, above + 1, t->ptr[q].data);
    put_array(n, q, "end", t->ptr_type, above,
              t->ptr[q].data ? (char *)t->ptr[q].data + sb_dtype_size(t->ptr_type)
                             : NULL);
}

void
sb_format_names_of(sb_format_names *out, const sb_tensor *t)
{
    out->narray = out->nint = 0;
    if (!t)
        return;
    for (int q = 0; q < t->fmt->nlevel; q++)
        put_level(out, t, q);
    out->integer[out->nint++] = (sb_plan_int){"A_step", t->val.stride};
}
