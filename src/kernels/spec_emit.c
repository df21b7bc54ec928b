/*
 * C text, signature and key of a program or of a spec. The key is made of the program
 * and the emitter's version, so whatever changes the code changes the key, and nothing
 * else does.
 */
#include "kernels/lower.h"
#include "kernels/spec.h"

#include <string.h>

void
sb_lower_signature(sb_strbuf *out, const sb_prog *p)
{
    for (int i = 0; i < p->nparam; i++)
        sb_strbuf_printf(out, i ? " %s" : "%s", p->param[i]->name);
    sb_strbuf_putc(out, ';');
    for (int i = 0; i < p->nbuf; i++)
        sb_strbuf_printf(out, i ? " %s" : "%s", p->buf[i]->name);
}

sb_status
sb_lower_emit(sb_strbuf *text, sb_strbuf *signature, sb_hash *key, const sb_prog *p,
              const char *name)
{
    char symbol[40] = "sbk_";
    sb_hash h;

    SB_TRY(sb_prog_hash(&h, p));
    h = sb_hash_bytes(sb_emit_version(), strlen(sb_emit_version()), h);
    sb_hash_text(h, symbol + strlen(symbol));
    SB_TRY(sb_emit_c(text, p, symbol, name));
    sb_lower_signature(signature, p);
    *key = h;
    return sb_strbuf_status(signature);
}

static sb_status
emit(sb_strbuf *text, sb_strbuf *signature, sb_hash *key, sb_ir *ir,
     const char *spec_text)
{
    const sb_prog *p = NULL;
    sb_spec spec;

    SB_TRY(sb_spec_parse(&spec, spec_text, ir->diag));
    SB_TRY(sb_spec_program(&p, ir, &spec));
    return sb_lower_emit(text, signature, key, p, spec_text);
}

sb_status
sb_spec_emit(sb_strbuf *text, sb_strbuf *signature, sb_hash *key, const char *spec_text,
             sb_diag *diag)
{
    sb_arena arena;
    sb_ir ir;
    sb_status st;

    sb_arena_init(&arena);
    sb_ir_init(&ir, &arena, diag);
    st = emit(text, signature, key, &ir, spec_text);
    sb_arena_free(&arena);
    return st;
}
