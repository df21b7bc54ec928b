/*
 * Plan text: any bytes end in a choice or in EPARSE, and an accepted text prints and
 * reads back to the same choice and the same text.
 */
#include "planner/choice.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    sb_diag diag = {0};
    sb_choice ch, again;
    sb_strbuf one, two;
    const sb_status st = sb_choice_parse(&ch, (const char *)data, size, &diag);

    if (st != SB_OK) {
        if (st != SB_EPARSE || diag.st != SB_EPARSE || !strchr(diag.text, '^'))
            abort();
        return 0;
    }
    sb_strbuf_init(&one);
    sb_strbuf_init(&two);
    sb_choice_print(&one, &ch);
    if (sb_choice_parse(&again, one.s, one.len, NULL) != SB_OK ||
        !sb_choice_equal(&ch, &again))
        abort();
    sb_choice_print(&two, &again);
    if (one.len != two.len || memcmp(one.s, two.s, one.len) != 0)
        abort();
    sb_strbuf_free(&one);
    sb_strbuf_free(&two);
    return 0;
}
