/*
 * The pipeline of sb_pipeline_run with a schedule that may be refused line by line.
 */
#include "kernels/lower.h"

#include <string.h>

/* Applies what fits of the lines that belong to p's stage. */
static sb_status
wish(const sb_prog **out, sb_ir *ir, const sb_prog *p, const char *lines,
     sb_strbuf *taken)
{
    sb_diag *const diag = ir->diag;
    sb_status st = SB_OK;

    while (*lines && st == SB_OK) {
        const size_t n = strcspn(lines, "\n");
        const bool sparse = strncmp(lines, "sparse_", 7) == 0;
        char *line = sb_arena_strndup(ir->arena, lines, n);
        const sb_prog *next = NULL;
        sb_diag refusal = {SB_OK, ""};

        if (!line)
            return SB_ENOMEM;
        if (n > 0 && sparse == (p->stage == 1)) {
            ir->diag = &refusal;
            st = sb_schedule_apply(&next, ir, p, line);
            ir->diag = diag;
        }
        if (next) {
            p = next;
            if (taken)
                sb_strbuf_printf(taken, "%s\n", line);
        }
        st = sb_ir_status(ir); /* short memory is no refusal */
        lines += n + (lines[n] == '\n');
    }
    *out = p;
    return st;
}

sb_status
sb_lower_wished(const sb_prog **out, sb_ir *ir, const sb_prog *stage1,
                const char *wishes, sb_strbuf *taken)
{
    const sb_prog *p = stage1;

    *out = NULL;
    SB_TRY(sb_prog_verify(p, ir->diag));
    SB_TRY(wish(&p, ir, p, wishes, taken));
    SB_TRY(sb_pass_lower_iter(&p, ir, p));
    SB_TRY(wish(&p, ir, p, wishes, taken));
    SB_TRY(sb_pass_lower_buf(&p, ir, p));
    SB_TRY(sb_pass_hoist(&p, ir, p));
    SB_TRY(sb_pass_narrow(&p, ir, p));
    SB_TRY(sb_prog_verify(p, ir->diag));
    *out = p;
    return SB_OK;
}
