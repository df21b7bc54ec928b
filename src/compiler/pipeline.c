/*
 * The passes in order, the verifier around each. Read top to bottom: this is the road of
 * a stage I program to the text of a kernel (decomposition comes before, fusion after,
 * because they work on several parts).
 */
#include "compiler/compiler.h"
#include "compiler/schedule_text.h"

#include <string.h>

typedef sb_status (*pass_fn)(const sb_prog **out, sb_ir *ir, const sb_prog *in,
                             const char *schedule);

static sb_status
own_lines(const sb_prog **out, sb_ir *ir, const sb_prog *in, const char *schedule)
{
    return sb_schedule_apply_lines(out, ir, in, schedule, SB_SCHED_OWN_STAGE);
}

static sb_status
lower_iter(const sb_prog **out, sb_ir *ir, const sb_prog *in, const char *schedule)
{
    (void)schedule;
    return sb_pass_lower_iter(out, ir, in);
}

static sb_status
lower_buf(const sb_prog **out, sb_ir *ir, const sb_prog *in, const char *schedule)
{
    (void)schedule;
    return sb_pass_lower_buf(out, ir, in);
}

static sb_status
hoist(const sb_prog **out, sb_ir *ir, const sb_prog *in, const char *schedule)
{
    (void)schedule;
    return sb_pass_hoist(out, ir, in);
}

static sb_status
narrow(const sb_prog **out, sb_ir *ir, const sb_prog *in, const char *schedule)
{
    (void)schedule;
    return sb_pass_narrow(out, ir, in);
}

static const struct {
    const char *name;
    pass_fn run;
} table[] = {
    {"schedule1", own_lines}, {"lower_iter", lower_iter}, {"schedule2", own_lines},
    {"lower_buf", lower_buf}, {"hoist", hoist},           {"narrow", narrow},
};

const char *
sb_pass_name(int index)
{
    return index >= 0 && index < SB_COUNT(table) ? table[index].name : NULL;
}

sb_status
sb_pass_run(const sb_prog **out, sb_ir *ir, const sb_prog *in, const char *name,
            const char *schedule)
{
    sb_status st = sb_prog_verify(in, ir->diag);
    const sb_prog *p = NULL;
    int q = 0;

    *out = NULL;
    while (q < SB_COUNT(table) && strcmp(table[q].name, name) != 0)
        q++;
    if (q == SB_COUNT(table))
        return sb_diag_set(ir->diag, SB_EINVAL, "there is no pass %.60s", name);
    if (st != SB_OK || (st = table[q].run(&p, ir, in, schedule)) != SB_OK ||
        (st = sb_prog_verify(p, ir->diag)) != SB_OK)
        return st;
    *out = p;
    return SB_OK;
}

sb_status
sb_pipeline_run(const sb_prog **out, sb_ir *ir, const sb_prog *stage1,
                const char *schedule, sb_dump_fn dump, void *user)
{
    const sb_prog *p = stage1;

    *out = NULL;
    for (int q = 0; q < SB_COUNT(table); q++) {
        const sb_prog *next = NULL;
        const sb_status st = sb_pass_run(&next, ir, p, table[q].name, schedule);

        if (st != SB_OK)
            return st;
        p = next;
        if (dump)
            dump(user, table[q].name, p);
    }
    *out = p;
    return SB_OK;
}
