/*
 * Kernels made when the library was built: one file of images beside it, found by the
 * hash of a kernel's text, so that an image of another text is never taken. An
 * architecture is "sm_90" for machine code, "compute_75" for PTX.
 */
#ifndef SB_GPU_ARCHIVE_H
#define SB_GPU_ARCHIVE_H

#include "base/diag.h"
#include "base/hash.h"
#include "base/strbuf.h"

#include <stdbool.h>

enum { SB_ARCH_MAX = 16 };

typedef struct sb_archive sb_archive;

/* SKIP: no such file; EIO with a sentence: not one of ours, or damaged; ENOMEM. */
sb_status sb_archive_open(sb_archive **out, const char *path, sb_diag *diag);
void sb_archive_close(sb_archive *a);

/* "NVRTC 13.0": who wrote it. */
const char *sb_archive_writer(const sb_archive *a);
int sb_archive_count(const sb_archive *a);

/* Appends the image. SKIP: there is none; EIO: damaged; ENOMEM. Thread-safe. */
sb_status sb_archive_read(sb_strbuf *out, const sb_archive *a, sb_hash text,
                          const char *arch, sb_diag *diag);

/*
 * Machine code for the GPU `arch`: its own, else that of its generation's closest older
 * GPU, which it runs too. With `ptx`, the PTX of the closest older GPU instead, which
 * the driver compiles. Status as above.
 */
sb_status sb_archive_for(sb_strbuf *out, const sb_archive *a, sb_hash text,
                         const char *arch, bool ptx, sb_diag *diag);

/* One to be written. */
typedef struct sb_archive_item {
    sb_hash text;
    char arch[SB_ARCH_MAX];
    sb_strbuf image; /* owned by who has the list */
} sb_archive_item;
/* Sorts the items and makes the file anew; the same items give the same bytes. */
sb_status sb_archive_write(const char *path, const char *writer, sb_archive_item *item,
                           int n, sb_diag *diag);

/* The library's own: SPBLAS_GPU_KERNELS ("off": none), else spblas-kernels.gpu in the
 * library's folder. Opened once; NULL where there is none. */
const sb_archive *sb_archive_installed(void);
/* For tests: looks again, as a new process would. No other thread may be at it. */
void sb_archive_forget(void);

sb_hash sb_archive_key(const sb_strbuf *text);

#endif
