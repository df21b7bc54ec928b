/*
 * Files that several processes change: one at a time, under a lock beside the file, and
 * seen by readers as before or as after.
 */
#include "runtime/cache.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { TRIES = 500, PAUSE = 10000000 }; /* nanoseconds: 5 s in all */

sb_status
sb_cache_lock(int *held, const char *path, sb_diag *diag)
{
    const struct timespec pause = {0, PAUSE};
    sb_strbuf name;
    sb_status st;
    int fd = -1, tries = 0;

    *held = -1;
    sb_strbuf_init(&name);
    sb_strbuf_printf(&name, "%s.lock", path);
    st = sb_strbuf_status(&name);
    if (st == SB_OK)
        fd = open(name.s, O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0600);
    if (st == SB_OK && fd < 0)
        st = sb_diag_set(diag, SB_EIO, "cannot open %s: %s", name.s, strerror(errno));
    while (st == SB_OK && flock(fd, LOCK_EX | LOCK_NB) != 0) {
        if ((errno != EWOULDBLOCK && errno != EINTR) || ++tries == TRIES)
            st = sb_diag_set(diag, SB_EIO, "cannot lock %s: %s", name.s,
                             strerror(errno));
        else
            (void)nanosleep(&pause, NULL);
    }
    sb_strbuf_free(&name);
    if (st == SB_OK)
        *held = fd;
    else if (fd >= 0)
        (void)close(fd);
    return st;
}

void
sb_cache_unlock(int held)
{
    /* a forked child may have the file open, and the lock, for as long as it lives */
    (void)flock(held, LOCK_UN);
    (void)close(held);
}

sb_status
sb_cache_replace(const char *path, const char *text, size_t len, sb_diag *diag)
{
    sb_strbuf temp;
    sb_status st;
    int fd = -1;

    sb_strbuf_init(&temp);
    sb_strbuf_printf(&temp, "%s.XXXXXX", path);
    st = sb_strbuf_status(&temp);
    if (st == SB_OK && (fd = mkstemp(temp.s)) < 0)
        st = sb_diag_set(diag, SB_EIO, "cannot make a file like %s: %s", temp.s,
                         strerror(errno));
    if (fd >= 0)
        (void)close(fd); /* 0600, ours */
    if (st == SB_OK)
        st = sb_cache_write(temp.s, text, len, diag);
    if (st == SB_OK && rename(temp.s, path) != 0)
        st = sb_diag_set(diag, SB_EIO, "cannot replace %s: %s", path, strerror(errno));
    if (st != SB_OK && fd >= 0)
        (void)unlink(temp.s);
    sb_strbuf_free(&temp);
    return st;
}
