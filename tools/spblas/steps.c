/* A conversion done once more by the library's own functions, which write down what
 * they do. */
#include "steps.h"

#include "formats/tensor.h"

#include <stdio.h>
#include <string.h>

static sb_status
convert(sb_strbuf *steps, const mm_matrix *m, const sb_fmt *from, const sb_fmt *to,
        sb_diag *diag)
{
    const sb_matrix a = {.format = SB_FORMAT_CSR,
                         .rows = m->rows,
                         .cols = m->cols,
                         .nnz = m->nnz,
                         .ptr = m->ptr,
                         .idx = m->col,
                         .val = m->val,
                         .ptr_type = SB_I64,
                         .idx_type = SB_I64,
                         .val_type = m->field == MM_COMPLEX ? SB_C64 : SB_F64,
                         .block = 1,
                         .batch = 1};
    sb_tensor in = {0}, out = {0};
    sb_status st = sb_tensor_from_matrix(&in, from, &a, NULL, diag);

    if (st == SB_OK)
        st = sb_tensor_convert_general(&out, &in, to, NULL, steps, diag);
    sb_tensor_free(&in);
    sb_tensor_free(&out);
    return st == SB_OK ? sb_strbuf_status(steps) : st;
}

char *
steps_of(const mm_matrix *m, const char *from, const char *to, char *fault,
         size_t fault_size)
{
    const sb_fmt *source, *target;
    sb_diag diag = {SB_OK, ""};
    sb_strbuf steps;
    char *text = NULL;
    sb_arena ar;
    sb_status st;

    sb_arena_init(&ar);
    sb_strbuf_init(&steps);
    st = sb_fmt_parse(&source, &ar, from, &diag);
    if (st == SB_OK)
        st = sb_fmt_parse(&target, &ar, to, &diag);
    if (st == SB_OK)
        st = convert(&steps, m, source, target, &diag);
    if (st == SB_OK)
        text = strdup(steps.s);
    else
        snprintf(fault, fault_size, "%s",
                 diag.text[0] ? diag.text : sb_status_text(st));
    sb_strbuf_free(&steps);
    sb_arena_free(&ar);
    return text;
}
