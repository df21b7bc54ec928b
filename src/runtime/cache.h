/*
 * Inside the kernel cache: the disk store below the table in memory.
 *
 * An artefact is a shared object named by spec and level in the user's cache directory.
 * It ends in a checksum of its bytes, so a damaged file is never mapped, and exports
 * what it was made from; both are checked before its kernel is used. Before an object is
 * given its checksum it must be as long as its own headers say.
 */
#ifndef SB_RUNTIME_CACHE_H
#define SB_RUNTIME_CACHE_H

#include "base/diag.h"
#include "runtime/kernel.h"
#include "runtime/target.h"

#include <stdbool.h>
#include <stddef.h>

/* A kernel from an artefact; the strings are owned by whoever gets it. */
typedef struct sb_loaded {
    sb_kernel_fn fn;
    char *signature;
    sb_hash key;
    bool compiled; /* now, not found */
} sb_loaded;

/*
 * Loads the spec's artefact, or makes it when effort allows. ENOKERNEL: there is none
 * and none can be made here (no compiler, SPBLAS_JIT=off, only lookups wanted); other
 * errors: making it went wrong.
 */
sb_status sb_store_get(sb_loaded *out, const char *spec, sb_kernel_maker maker,
                       sb_kernel_effort effort, sb_diag *diag);

/* Where the user's cache lies, whether it exists or not: SPBLAS_CACHE_DIR, else
 * XDG_CACHE_HOME/spblas, else HOME/.cache/spblas. EIO: nowhere. */
sb_status sb_cache_place(sb_strbuf *out, sb_diag *diag);
/* The same, made if need be: it exists, is ours and is writable by us alone. EIO
 * otherwise. */
sb_status sb_cache_dir(sb_strbuf *out, sb_diag *diag);
/* Appends the path of a new private directory: in `dir`, or where temporary files go
 * when dir is NULL. */
sb_status sb_cache_temp(sb_strbuf *out, const char *dir, sb_diag *diag);
/* Removes a directory of plain files and empty directories. */
void sb_cache_remove(const char *dir);

/* Whether the bytes begin as a shared object of this machine does and reach as far as
 * its headers say. The loader does not ask: it maps a file that was cut short and dies
 * of a signal, so nothing may be loaded that a compiler left half written. */
bool sb_cache_whole(const char *data, size_t len);

/* Whole-file access for artefacts. Reading refuses what is not a regular file of ours,
 * is writable by others or is absurdly large (SB_EIO), and never waits; a file that is
 * not there is SB_SKIP. */
sb_status sb_cache_read(sb_strbuf *out, const char *path, sb_diag *diag);
/* Appends to the file, made 0600 if new. */
sb_status sb_cache_write(const char *path, const char *text, size_t len, sb_diag *diag);

/* A file that is used only if it is as it was written: `seal` appends its checksum,
 * `sealed` says how many bytes were there before, 0 for a damaged file. */
void sb_cache_seal(sb_strbuf *file);
size_t sb_cache_sealed(const sb_strbuf *file);

/* cache_shared.c: one process at a time between lock and unlock, which take turns at
 * `path`.lock (EIO after five seconds of waiting); and a file made anew: whoever reads it
 * sees all of the old one or all of the new one. */
sb_status sb_cache_lock(int *held, const char *path, sb_diag *diag);
void sb_cache_unlock(int held);
sb_status sb_cache_replace(const char *path, const char *text, size_t len,
                           sb_diag *diag);

#endif
