/*
 * Input by lines. zlib's inflate is used directly instead of gzread because the same
 * code then reads from memory, and because gzread cannot tell damaged data at the very
 * end from a file that just stops.
 */
#include "mm_source.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { IN_SIZE = 1 << 16, BUF_SIZE = 1 << 18, LINE_MAX_BYTES = 1 << 16 };

mm_status
mm_fail(const char *name, mm_error *err, int64_t line, const char *format, ...)
{
    va_list ap;
    int n;

    err->line = line;
    if (line > 0)
        n = snprintf(err->text, sizeof err->text, "%.200s: line %lld: ", name,
                     (long long)line);
    else
        n = snprintf(err->text, sizeof err->text, "%.200s: ", name);
    va_start(ap, format);
    vsnprintf(err->text + n, sizeof err->text - (size_t)n, format, ap);
    va_end(ap);
    return MM_EFORMAT;
}

/* Next bytes of the file or memory into `to`; -1 on a read error. */
static ssize_t
raw_read(mm_source *s, void *to, size_t size)
{
    ssize_t n;

    if (s->fd < 0) {
        n = (ssize_t)(s->mem_left < size ? s->mem_left : size);
        if (n)
            memcpy(to, s->mem, (size_t)n);
        s->mem += n;
        s->mem_left -= (size_t)n;
    } else {
        do
            n = read(s->fd, to, size);
        while (n < 0 && errno == EINTR);
        if (n < 0)
            mm_fail(s->name, s->err, 0, "cannot be read: %s", strerror(errno));
    }
    s->done += n > 0 ? n : 0;
    if (n > 0 && s->opt && s->opt->progress)
        s->opt->progress(s->opt->user, s->done, s->total);
    return n;
}

/* More packed input for zlib, or the end of it. */
static int
feed(mm_source *s)
{
    ssize_t n = raw_read(s, s->in, IN_SIZE);

    if (n < 0)
        return -1;
    if (n == 0) {
        mm_fail(s->name, s->err, s->line + 1,
                "the gzip data ends early; expected the rest of the file");
        return -1;
    }
    s->z.next_in = s->in;
    s->z.avail_in = (uInt)n;
    return 0;
}

/* After the end of a gzip member: 1 if another follows. */
static int
next_member(mm_source *s)
{
    ssize_t n;

    if (s->z.avail_in == 0) {
        if ((n = raw_read(s, s->in, IN_SIZE)) <= 0)
            return (int)n;
        s->z.next_in = s->in;
        s->z.avail_in = (uInt)n;
    }
    return *s->z.next_in == 0x1f && inflateReset(&s->z) == Z_OK;
}

static ssize_t
unpack(mm_source *s, char *to, size_t size)
{
    int code, more;

    s->z.next_out = (Bytef *)to;
    s->z.avail_out = (uInt)size;
    while (s->z.avail_out == size) {
        if (s->z.avail_in == 0 && feed(s))
            return -1;
        code = inflate(&s->z, Z_NO_FLUSH);
        if (code == Z_STREAM_END) {
            if ((more = next_member(s)) < 0)
                return -1;
            if (more)
                continue;
            s->ended = true;
            break;
        }
        if (code != Z_OK && code != Z_BUF_ERROR) {
            mm_fail(s->name, s->err, s->line + 1, "the gzip data is damaged (%s)",
                    s->z.msg ? s->z.msg : "inflate failed");
            return -1;
        }
    }
    return (ssize_t)(size - s->z.avail_out);
}

/* Moves what is unread to the front and adds input. -1: failure. */
static int
refill(mm_source *s)
{
    ssize_t n;

    if (s->lo)
        memmove(s->buf, s->buf + s->lo, s->hi - s->lo);
    s->hi -= s->lo;
    s->lo = 0;
    if (s->packed) {
        n = unpack(s, s->buf + s->hi, BUF_SIZE - s->hi);
    } else {
        n = raw_read(s, s->buf + s->hi, BUF_SIZE - s->hi);
        s->ended = n == 0;
    }
    if (n < 0)
        return -1;
    s->hi += (size_t)n;
    return 0;
}

mm_status
mm_source_open(mm_source *s, const char *name, int fd, const void *data, size_t size,
               const mm_options *opt, mm_error *err)
{
    struct stat info;

    memset(s, 0, sizeof *s);
    s->name = name;
    s->fd = fd;
    s->mem = data;
    s->mem_left = size;
    s->opt = opt;
    s->err = err;
    s->total = fd < 0 ? (int64_t)size : fstat(fd, &info) == 0 ? info.st_size : 0;
    s->in = malloc(IN_SIZE);
    s->buf = malloc(BUF_SIZE);
    if (!s->in || !s->buf) {
        mm_fail(name, err, 0, "no memory for a read buffer");
        return MM_EMEMORY;
    }
    if (refill(s))
        return MM_EFILE;
    if (s->hi < 2 || (unsigned char)s->buf[0] != 0x1f ||
        (unsigned char)s->buf[1] != 0x8b)
        return MM_OK;
    /* gzip: hand the bytes back, in order, to be unpacked. IN_SIZE < BUF_SIZE, so the
     * first refill may have read more than fits into `in`; keep them as memory. */
    if (inflateInit2(&s->z, 15 + 16) != Z_OK) {
        mm_fail(name, err, 0, "zlib cannot start");
        return MM_EMEMORY;
    }
    s->packed = true;
    free(s->in);
    s->in = (unsigned char *)s->buf;
    s->z.next_in = s->in;
    s->z.avail_in = (uInt)s->hi;
    s->lo = s->hi = 0;
    s->ended = false;
    if (!(s->buf = malloc(BUF_SIZE))) {
        mm_fail(name, err, 0, "no memory for a read buffer");
        return MM_EMEMORY;
    }
    return MM_OK;
}

void
mm_source_close(mm_source *s)
{
    if (s->packed)
        inflateEnd(&s->z);
    if (s->fd >= 0)
        close(s->fd);
    free(s->in);
    free(s->buf);
    memset(s, 0, sizeof *s);
    s->fd = -1;
}

/* Drops the rest of a line that did not fit. */
static int
drop_line(mm_source *s)
{
    char *end;

    for (;;) {
        end = memchr(s->buf + s->lo, '\n', s->hi - s->lo);
        s->lo = end ? (size_t)(end - s->buf) + 1 : s->hi;
        if (end || s->ended)
            return 0;
        if (refill(s))
            return -1;
    }
}

int
mm_source_line(mm_source *s, const char **lo, const char **hi, const char *skip)
{
    static const char cut[] = "%";
    char *end;

    while (!(end = memchr(s->buf + s->lo, '\n', s->hi - s->lo)) && !s->ended &&
           s->hi - s->lo < LINE_MAX_BYTES)
        if (refill(s))
            return -1;
    if (s->lo == s->hi)
        return 0;
    s->line++;
    if (!end && !s->ended) {
        if (!strchr(skip, s->buf[s->lo])) {
            mm_fail(s->name, s->err, s->line, "longer than %d bytes; expected numbers",
                    LINE_MAX_BYTES);
            return -1;
        }
        *lo = cut;
        *hi = cut + 1;
        return drop_line(s) ? -1 : 1;
    }
    *lo = s->buf + s->lo;
    *hi = end ? end : s->buf + s->hi;
    s->lo = (size_t)(*hi - s->buf) + (end ? 1 : 0);
    if (*hi > *lo && (*hi)[-1] == '\r')
        --*hi;
    return 1;
}
