/*
 * Any bytes to the parser: a program or EPARSE with a message. A program prints, the
 * verifier ends, and its text reads back to itself, unless it declares a parameter
 * twice: in the text all stand before the assumptions, which read the last.
 */
#include "compiler/compiler.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void
must(int condition)
{
    if (!condition)
        abort();
}

static int
declares_twice(const sb_prog *p)
{
    for (int q = 0; q < p->nparam; q++)
        for (int k = 0; k < q; k++)
            if (strcmp(p->param[q]->name, p->param[k]->name) == 0)
                return 1;
    return 0;
}

static void
check_again(sb_ir *ir, const sb_prog *p)
{
    const sb_prog *again = NULL;
    sb_strbuf once, twice;

    sb_strbuf_init(&once);
    sb_strbuf_init(&twice);
    must(sb_prog_print(&once, p) == SB_OK);
    must(sb_prog_parse(&again, ir, once.s, once.len) == SB_OK);
    must(sb_prog_print(&twice, again) == SB_OK);
    must(once.len == twice.len && memcmp(once.s, twice.s, once.len) == 0);
    must(sb_prog_verify(p, NULL) == sb_prog_verify(again, NULL));
    sb_strbuf_free(&once);
    sb_strbuf_free(&twice);
}

static void
check_program(sb_ir *ir, const sb_prog *p)
{
    sb_strbuf text;

    if (!declares_twice(p)) {
        check_again(ir, p);
        return;
    }
    sb_strbuf_init(&text);
    must(sb_prog_print(&text, p) == SB_OK);
    must(sb_prog_verify(p, NULL) != SB_OK);
    sb_strbuf_free(&text);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const sb_prog *p = NULL;
    sb_arena arena;
    sb_diag diag;
    sb_ir ir;
    sb_status st;

    sb_arena_init(&arena);
    sb_diag_clear(&diag);
    sb_ir_init(&ir, &arena, &diag);
    st = sb_prog_parse(&p, &ir, (const char *)data, size);
    if (st == SB_OK)
        check_program(&ir, p);
    else
        must(st == SB_EPARSE && diag.text[0] != '\0' && !p);
    sb_arena_free(&arena);
    return 0;
}
