/*
 * Mutants of a program, declared in irgen.h: whole tokens change, so that most get past
 * the lexer. What lies between tokens becomes one blank.
 */
#include "compiler/lex.h"
#include "gen.h"
#include "irgen.h"

void
irgen_mutate(sb_strbuf *out, const char *text, size_t len, uint64_t seed)
{
    static const char *const odd[] = {
        "(",  ")",     "{",       "}",   "[",   "]",  "init", ",",    "-",
        "..", ":",     "$",       "mod", "1e9", "%m", "=",    "min=", "in",
        "if", "min()", "0.5:f64", "\"",  "!",   "#I", ";",    "\1",   "7:i32:i8"};
    gen_rng r = {seed};
    sb_lex lx;

    sb_lex_init(&lx, text, len);
    for (sb_token t = sb_lex_next(&lx); t.kind != SB_TOKEN_END; t = sb_lex_next(&lx)) {
        const int64_t what = gen_below(&r, 160);

        if (what == 0)
            continue;
        if (what == 1)
            sb_strbuf_puts(out,
                           odd[gen_below(&r, (int64_t)(sizeof odd / sizeof *odd))]);
        else
            sb_strbuf_putn(out, text + t.at, t.len);
        if (what == 2)
            sb_strbuf_putn(out, text + t.at, t.len);
        sb_strbuf_putc(out, ' ');
    }
}
