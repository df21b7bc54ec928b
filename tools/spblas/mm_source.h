/*
 * Lines of a file or of memory, unpacked by zlib where the data is gzip. A line is a
 * span of the buffer, without its end ("\n" or "\r\n"); it stays valid until the next
 * one is asked for.
 */
#ifndef SPBLAS_TOOL_MM_SOURCE_H
#define SPBLAS_TOOL_MM_SOURCE_H

#include "mm.h"

#include <zlib.h>

typedef struct mm_source {
    const char *name;
    int fd;
    const unsigned char *mem; /* memory source: what is not read yet */
    size_t mem_left;
    z_stream z;
    bool packed, ended; /* gzip data; no more input */
    unsigned char *in;
    char *buf;
    size_t lo, hi; /* unread part of buf */
    int64_t line;  /* of the span given last, from 1 */
    int64_t done, total;
    const mm_options *opt;
    mm_error *err;
} mm_source;

/* fd < 0: memory. Takes the descriptor. */
mm_status mm_source_open(mm_source *s, const char *name, int fd, const void *data,
                         size_t size, const mm_options *opt, mm_error *err);
void mm_source_close(mm_source *s);

/* 1 and the span, 0 at the end, -1 on failure (the error is written). A line longer
 * than 64 KiB is cut when it begins with one of `skip`, else a failure. */
int mm_source_line(mm_source *s, const char **lo, const char **hi, const char *skip);

/* Fills the error with "NAME: line N: ..." (N = 0: no line) and returns MM_EFORMAT. */
mm_status mm_fail(const char *name, mm_error *err, int64_t line, const char *format,
                  ...) __attribute__((format(printf, 4, 5)));

#endif
