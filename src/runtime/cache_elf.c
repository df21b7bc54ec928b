/*
 * As much of an ELF file as tells whether its end is there: linkers write the table of
 * sections last.
 */
#include "runtime/cache.h"

#include <link.h>
#include <string.h>

/* Whether `count` records of `each` bytes from `at` on lie in len bytes. */
static bool
inside(uint64_t at, uint64_t count, uint64_t each, size_t len)
{
    return at <= len && (each == 0 || count <= (len - at) / each);
}

bool
sb_cache_whole(const char *data, size_t len)
{
    ElfW(Ehdr) h;
    ElfW(Phdr) p;

    if (len < sizeof h)
        return false;
    memcpy(&h, data, sizeof h);
    if (memcmp(h.e_ident, ELFMAG, SELFMAG) != 0 ||
        h.e_ident[EI_CLASS] != (sizeof(void *) == 8 ? ELFCLASS64 : ELFCLASS32) ||
        h.e_type != ET_DYN || h.e_phentsize != sizeof p ||
        !inside(h.e_phoff, h.e_phnum, sizeof p, len) ||
        !inside(h.e_shoff, h.e_shnum, h.e_shentsize, len))
        return false;
    for (size_t q = 0; q < h.e_phnum; q++) {
        memcpy(&p, data + h.e_phoff + q * sizeof p, sizeof p);
        if (p.p_type == PT_LOAD && !inside(p.p_offset, p.p_filesz, 1, len))
            return false;
    }
    return true;
}
