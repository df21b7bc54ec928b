/*
 * Tables of marks, declared in mark.h.
 */
#include "compiler/mark.h"

#include "base/macro.h"
#include "compiler/lex.h"

#include <string.h>

bool
sb_bind_known(const char *name)
{
    static const char *const known[] = {"block_x",  "block_y",  "block_z", "thread_x",
                                        "thread_y", "thread_z", "warp",    "lane"};

    for (int q = 0; q < SB_COUNT(known); q++) {
        if (strcmp(known[q], name) == 0)
            return true;
    }
    return false;
}

bool
sb_atomic_type(sb_dtype t)
{
    return t == SB_I32 || t == SB_I64 || t == SB_F32 || t == SB_F64 || t == SB_C32 ||
           t == SB_C64;
}

bool
sb_note_word(const char *s, bool number)
{
    sb_lex lx;
    sb_token t;

    sb_lex_init(&lx, s, strlen(s));
    t = sb_lex_next(&lx);
    return (t.kind == SB_TOKEN_WORD || (number && t.kind == SB_TOKEN_INT)) &&
           t.len == strlen(s);
}

bool
sb_loop_marked(const sb_stmt *loop)
{
    return loop->u.loop.how != SB_LOOP_SERIAL || loop->u.loop.bind ||
           loop->u.loop.nnote > 0;
}
