/*
 * The formats of the papers, by name.
 */
#include "formats/fmt_text.h"

#include <string.h>

static const sb_fmt_entry entries[] = {
#define X(name, source, text) {#name, text, source},
#include "formats/fmt_registry.def"
#undef X
};

const sb_fmt_entry *
sb_fmt_registry(int index)
{
    return index >= 0 && index < SB_COUNT(entries) ? &entries[index] : NULL;
}

const char *
sb_fmt_registered(const char *name, size_t n)
{
    for (int q = 0; q < SB_COUNT(entries); q++) {
        if (strlen(entries[q].name) == n && memcmp(entries[q].name, name, n) == 0)
            return entries[q].text;
    }
    return NULL;
}
