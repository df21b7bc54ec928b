/*
 * What the kernels of a sweep need of a GPU, kept in a file: a line a compilation, by the
 * hash of the kernel's text and the version of NVRTC. Several processes may add to a file.
 */
#ifndef SB_TEST_SWEEPCACHE_H
#define SB_TEST_SWEEPCACHE_H

#include "base/hash.h"
#include "base/strbuf.h"
#include "gpusweep.h"
#include "nvrtclab.h"

typedef struct sweep_entry {
    sb_hash text;               /* of those below; 0: none yet */
    nvrtc_use use[NVRTC_ARCHS]; /* registers 0: not compiled */
} sweep_entry;

/* Reads the file, if there is one; NULL: nothing is kept. nvrtc_open() comes before. */
void sweep_open(const gpusweep *g, const char *path);
void sweep_close(void);

/* The text of a spec and what is known of it, which is nothing of another text; NULL with a
 * reason when the emitter refuses it. */
sweep_entry *sweep_text(sb_strbuf *text, const char *spec, char why[NVRTC_WHY]);
/* Fills e->use[arch]; false with a reason when the text does not compile. */
bool sweep_compile(sweep_entry *e, const sb_strbuf *text, int arch,
                   char why[NVRTC_WHY]);
/* What the file says of a spec whose text is still the same; else NULL. */
const sweep_entry *sweep_known(const char *spec);

#endif
