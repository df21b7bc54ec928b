/*
 * Files of the kernel cache. What we load we execute, so directories and files that
 * somebody else could have written are refused.
 */
#include "runtime/cache.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* No artefact is nearly as large; what is, is not one. */
static const off_t largest_file = (off_t)64 << 20;

static bool
only_ours(const struct stat *s)
{
    return s->st_uid == geteuid() && (s->st_mode & (S_IWGRP | S_IWOTH)) == 0;
}

/* mkdir -p, every new level 0700. */
static bool
make_dirs(char *path)
{
    for (char *s = path + 1; *s; s++) {
        if (*s != '/')
            continue;
        *s = '\0';
        if (mkdir(path, 0700) != 0 && errno != EEXIST && errno != EROFS &&
            errno != EACCES) {
            *s = '/';
            return false;
        }
        *s = '/';
    }
    return mkdir(path, 0700) == 0 || errno == EEXIST;
}

sb_status
sb_cache_place(sb_strbuf *out, sb_diag *diag)
{
    const char *own = getenv("SPBLAS_CACHE_DIR"), *xdg = getenv("XDG_CACHE_HOME");
    const char *home = getenv("HOME");

    sb_strbuf_clear(out);
    if (own && own[0] == '/')
        sb_strbuf_puts(out, own);
    else if (own && own[0])
        return sb_diag_set(diag, SB_EIO, "SPBLAS_CACHE_DIR is not an absolute path");
    else if (xdg && xdg[0] == '/')
        sb_strbuf_printf(out, "%s/spblas", xdg);
    else if (home && home[0] == '/')
        sb_strbuf_printf(out, "%s/.cache/spblas", home);
    else
        return sb_diag_set(diag, SB_EIO, "no home for a kernel cache");
    return sb_strbuf_status(out);
}

sb_status
sb_cache_dir(sb_strbuf *out, sb_diag *diag)
{
    struct stat s;

    SB_TRY(sb_cache_place(out, diag));
    if (!make_dirs(out->s) || lstat(out->s, &s) != 0)
        return sb_diag_set(diag, SB_EIO, "cannot make the directory %s: %s", out->s,
                           strerror(errno));
    if (!S_ISDIR(s.st_mode) || !only_ours(&s))
        return sb_diag_set(diag, SB_EIO,
                           "%s is not a directory that only this user can write",
                           out->s);
    if (access(out->s, W_OK | X_OK) != 0)
        return sb_diag_set(diag, SB_EIO, "%s is not writable", out->s);
    return SB_OK;
}

sb_status
sb_cache_temp(sb_strbuf *out, const char *dir, sb_diag *diag)
{
    const char *tmp = getenv("TMPDIR");

    sb_strbuf_clear(out);
    if (dir)
        sb_strbuf_printf(out, "%s/tmp.XXXXXX", dir);
    else
        sb_strbuf_printf(out, "%s/spblas.XXXXXX", tmp && tmp[0] == '/' ? tmp : "/tmp");
    SB_TRY(sb_strbuf_status(out));
    if (!mkdtemp(out->s))
        return sb_diag_set(diag, SB_EIO, "cannot make a directory like %s: %s", out->s,
                           strerror(errno));
    return SB_OK;
}

void
sb_cache_remove(const char *dir)
{
    DIR *d = opendir(dir);
    const struct dirent *e;

    if (d) {
        while ((e = readdir(d)) != NULL)
            if (strcmp(e->d_name, ".") != 0 && strcmp(e->d_name, "..") != 0 &&
                unlinkat(dirfd(d), e->d_name, 0) != 0)
                (void)unlinkat(dirfd(d), e->d_name, AT_REMOVEDIR);
        (void)closedir(d);
    }
    (void)rmdir(dir);
}

static sb_status
read_all(sb_strbuf *out, int fd, const char *path, sb_diag *diag)
{
    char block[16384];
    ssize_t n;

    while ((n = read(fd, block, sizeof block)) != 0) {
        if (n < 0 && errno != EINTR)
            return sb_diag_set(diag, SB_EIO, "cannot read %s: %s", path,
                               strerror(errno));
        if (n > 0)
            sb_strbuf_putn(out, block, (size_t)n);
    }
    return sb_strbuf_status(out);
}

sb_status
sb_cache_read(sb_strbuf *out, const char *path, sb_diag *diag)
{
    /* NONBLOCK: a pipe in place of the file would wait for a writer. */
    const int fd = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    struct stat s;
    sb_status st;

    sb_strbuf_clear(out);
    if (fd < 0)
        return errno == ENOENT ? SB_SKIP
                               : sb_diag_set(diag, SB_EIO, "cannot open %s: %s", path,
                                             strerror(errno));
    if (fstat(fd, &s) != 0 || !S_ISREG(s.st_mode) || !only_ours(&s))
        st = sb_diag_set(diag, SB_EIO, "%s is not a file that only this user can write",
                         path);
    else if (s.st_size > largest_file)
        st = sb_diag_set(diag, SB_EIO, "%s is too large for a kernel", path);
    else
        st = read_all(out, fd, path, diag);
    (void)close(fd);
    return st;
}

sb_status
sb_cache_write(const char *path, const char *text, size_t len, sb_diag *diag)
{
    const int fd =
        open(path, O_WRONLY | O_CREAT | O_APPEND | O_NOFOLLOW | O_CLOEXEC, 0600);
    size_t done = 0;

    if (fd < 0)
        return sb_diag_set(diag, SB_EIO, "cannot write %s: %s", path, strerror(errno));
    while (done < len) {
        const ssize_t n = write(fd, text + done, len - done);

        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0) {
            (void)sb_diag_set(diag, SB_EIO, "cannot write %s: %s", path,
                              strerror(errno));
            (void)close(fd);
            return SB_EIO;
        }
        done += (size_t)n;
    }
    if (close(fd) != 0)
        return sb_diag_set(diag, SB_EIO, "cannot write %s: %s", path, strerror(errno));
    return SB_OK;
}
