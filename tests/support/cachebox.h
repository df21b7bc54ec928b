/*
 * A kernel cache in a folder of its own, and kernels of one line to keep there. One
 * sandbox per process: the cache and the environment are the process's.
 */
#ifndef SB_SUPPORT_CACHEBOX_H
#define SB_SUPPORT_CACHEBOX_H

#include "runtime/kernel.h"

struct sb_box {
    int compiles;     /* times the compiler was asked */
    int slow;         /* the compiler dawdles */
    uint64_t edition; /* part of the key: another edition is another kernel */
    bool broken;      /* the source does not compile */
    char root[256];   /* everything lies here, also the current directory */
    char path[4096];  /* PATH as it was */
};
extern struct sb_box sb_box;

/* Makes a folder inside `folder`; false: it cannot. */
bool sb_box_open(const char *folder);
void sb_box_close(void);
/* For cmocka: new folders in SPBLAS_CACHE_DIR and TMPDIR, nothing loaded, counters 0. */
int sb_box_setup(void **state);

/* A kernel that writes 7 + edition, and what the one at hand writes. */
sb_status sb_box_get(const sb_kernel **k, const char *spec, sb_kernel_effort effort);
int sb_box_value(const sb_kernel *k);

/* Files in a directory, -1 if there is none. */
int sb_box_entries(const char *dir);
/* Path of the only artefact. */
void sb_box_artefact(char *out, size_t size);
/* Whether PATH names a C compiler. */
bool sb_box_compiler(void);

#define NEED_COMPILER()         \
    do {                        \
        if (!sb_box_compiler()) \
            skip();             \
    } while (0)

#endif
