/* Words of the command line to a job_spec. */
#include "spec.h"

#include "form.h"

#include <string.h>

void
spec_defaults(spec_words *w)
{
    *w = (spec_words){.op = "spmm",
                      .format = "csr",
                      .type = "f32",
                      .layout = "row",
                      .trans = "N",
                      .effort = "estimate",
                      .index = 32,
                      .alpha = 1.0};
}

/* Which of the words, or -1, having complained. */
static int
which(const char *option, const char *word, const char *const *words, int count)
{
    int k;

    for (k = 0; k < count; k++)
        if (strcmp(word, words[k]) == 0)
            return k;
    tool_complain("%s %s: see --help for what it may be", option, word);
    return -1;
}

int
spec_read(const spec_words *w, job_spec *out)
{
    static const char *const ops[] = {"spmv", "spmm", "sddmm"};
    static const char *const layouts[] = {"row", "col"};
    static const char *const transes[] = {"N", "T", "H"};
    static const char *const efforts[] = {"estimate", "measure", "exhaustive"};
    const int op = which("--op", w->op, ops, 3);
    const int layout = which("--layout", w->layout, layouts, 2);
    const int trans = which("--trans", w->trans, transes, 3);
    const int effort = which("--effort", w->effort, efforts, 3);

    if (op < 0 || layout < 0 || trans < 0 || effort < 0)
        return TOOL_USAGE;
    *out = (job_spec){.op = (job_op)op,
                      .col_major = layout == 1,
                      .trans = (spblasOperation_t)trans,
                      .effort = (spblasEffort_t)effort,
                      .frozen = w->frozen,
                      .plan = w->plan,
                      .limit = w->limit,
                      .alpha = w->alpha,
                      .beta = w->beta,
                      .wide = w->index == 64};
    if (!elem_parse(w->type, &out->type))
        return tool_complain("--type %s: f32, f64, f16, bf16, c32 or c64", w->type);
    if (!form_parse(w->format, &out->format, &out->block))
        return tool_complain("--format %s: csr, csc, coo or bsr1 to bsr1024",
                             w->format);
    if (!(w->limit >= 0))
        return tool_complain("--limit %g: seconds, 0 for no limit", w->limit);
    if (w->index != 32 && w->index != 64)
        return tool_complain("--index %lld: 32 or 64", (long long)w->index);
    out->n = w->n == 0 ? 32 : w->n;
    if (op == JOB_SPMV) {
        if (w->n > 1)
            return tool_complain("--n %lld: spmv has one column", (long long)w->n);
        out->n = 1;
    }
    if (out->n < 1)
        return tool_complain("--n %lld: at least 1", (long long)w->n);
    return TOOL_OK;
}
