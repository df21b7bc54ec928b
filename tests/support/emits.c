/*
 * See emits.h.
 */
#include "emits.h"

#include "compiler/compiler.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

bool
emits(const char *head, const char *loop, const char *foot, const char *what)
{
    sb_arena arena = {0};
    sb_diag diag = {SB_OK, ""};
    sb_ir ir;
    const sb_prog *prog;
    sb_strbuf text, c;
    bool found;

    sb_ir_init(&ir, &arena, &diag);
    sb_strbuf_init(&text);
    sb_strbuf_init(&c);
    sb_strbuf_printf(&text, "%s%s%s", head, loop, foot);
    if (sb_prog_parse(&prog, &ir, text.s, text.len) != SB_OK)
        fail_msg("%s\n%s", diag.text, text.s);
    assert_int_equal(sb_emit_c(&c, prog, "f", NULL), SB_OK);
    found = strstr(c.s, what) != NULL;
    sb_strbuf_free(&c);
    sb_strbuf_free(&text);
    sb_arena_free(&arena);
    return found;
}
