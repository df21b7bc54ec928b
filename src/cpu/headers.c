/*
 * See headers.h. The source stays as it is: a header named before it holds the same lines, whose
 * guard then leaves nothing of them. Compilers take the compiled form beside
 * a header for the header if it fits their version and options, else they read the header
 * (gcc) or refuse (clang: the kernel is compiled again without).
 */
#include "cpu/headers.h"

#include "cpu/cc.h"
#include "runtime/cache.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* The last line of spblas_kernel.h. */
static const char last[] = "#endif /* SPBLAS_KERNEL_H */\n";

/* Set once they could not be made or used: this process does without; once it has begun to make
 * them: not again, whatever clocks say. */
static int hopeless, begun;

static void
give_up(void)
{
    __atomic_store_n(&hopeless, 1, __ATOMIC_RELAXED);
}

bool
sb_headers_used(bool on)
{
    __atomic_store_n(&begun, 0, __ATOMIC_RELAXED);
    return !__atomic_exchange_n(&hopeless, !on, __ATOMIC_RELAXED);
}

/* The lines that all kernels begin with; SKIP: it begins with others. */
static sb_status
beginning(sb_strbuf *out, const char *source_path)
{
    sb_strbuf source;
    sb_status st;

    sb_strbuf_init(&source);
    st = sb_cache_read(&source, source_path, NULL);
    if (st == SB_OK) {
        const char *end = strstr(source.s, last);

        if (end)
            sb_strbuf_putn(out, source.s, (size_t)(end - source.s) + sizeof last - 1);
        st = end ? sb_strbuf_status(out) : SB_SKIP;
    }
    sb_strbuf_free(&source);
    return st;
}

/* <folder>/headers-<level>-<hash of the compiler's path and the lines>.h */
static sb_status
name(sb_strbuf *out, const char *dir, const char *cc, sb_isa isa,
     const sb_strbuf *lines)
{
    const sb_hash none = {0, 0};
    char hex[33];

    sb_hash_text(
        sb_hash_bytes(lines->s, lines->len, sb_hash_bytes(cc, strlen(cc), none)), hex);
    sb_strbuf_printf(out, "%s/headers-%s-%.16s.h", dir, sb_isa_name(isa), hex);
    return sb_strbuf_status(out);
}

static bool
later(const struct timespec *a, const struct timespec *b)
{
    return a->tv_sec != b->tv_sec ? a->tv_sec > b->tv_sec : a->tv_nsec > b->tv_nsec;
}

/* Whether the compiled form is there, ours, and newer than the compiler. */
static bool
fresh(const char *compiled, const char *cc)
{
    struct stat c, of;

    return stat(cc, &c) == 0 && lstat(compiled, &of) == 0 && S_ISREG(of.st_mode) &&
           of.st_uid == geteuid() && (of.st_mode & (S_IWGRP | S_IWOTH)) == 0 &&
           later(&of.st_mtim, &c.st_mtim) && later(&of.st_mtim, &c.st_ctim);
}

/* Where there is none yet: clang refuses a compiled form that is older than its header. */
static bool
put(const char *from, const char *header)
{
    return link(from, header) == 0 || errno == EEXIST || rename(from, header) == 0;
}

/* The header first, compiled where it stays: clang looks at it again. */
static sb_status
make_in(const char *temp, const char *header, const char *compiled, sb_isa isa,
        const sb_strbuf *lines, sb_diag *diag)
{
    sb_strbuf from, to;
    sb_cc_job job = {.source = header, .header = true, .isa = isa};
    sb_status st;

    sb_strbuf_init(&from);
    sb_strbuf_init(&to);
    sb_strbuf_printf(&from, "%s/headers.h", temp);
    sb_strbuf_printf(&to, "%s/headers.h.gch", temp);
    job.object = to.s;
    if ((st = sb_strbuf_status(&from)) == SB_OK &&
        (st = sb_strbuf_status(&to)) == SB_OK &&
        (st = sb_cache_write(from.s, lines->s, lines->len, diag)) == SB_OK &&
        (st = put(from.s, header) ? SB_OK : SB_EIO) == SB_OK &&
        (st = sb_cc_run(&job, diag)) == SB_OK &&
        (chmod(to.s, 0600) != 0 || rename(to.s, compiled) != 0))
        st = SB_EIO;
    sb_strbuf_free(&from);
    sb_strbuf_free(&to);
    return st;
}

static sb_status
make(const char *dir, const char *header, const char *compiled, sb_isa isa,
     const sb_strbuf *lines, sb_diag *diag)
{
    sb_strbuf temp;
    sb_status st;

    sb_strbuf_init(&temp);
    st = sb_cache_temp(&temp, dir, diag);
    if (st == SB_OK) {
        st = make_in(temp.s, header, compiled, isa, lines, diag);
        sb_cache_remove(temp.s);
    }
    sb_strbuf_free(&temp);
    return st;
}

/* The header to name, in `out`. SKIP: not now; other errors: never. */
static sb_status
ready(sb_strbuf *out, const char *source_path, sb_isa isa)
{
    sb_strbuf dir, cc, lines, compiled;
    sb_diag why = {SB_OK, ""};
    sb_status st;

    sb_strbuf_init(&dir);
    sb_strbuf_init(&cc);
    sb_strbuf_init(&lines);
    sb_strbuf_init(&compiled);
    if ((st = beginning(&lines, source_path)) == SB_OK &&
        (st = sb_cache_dir(&dir, &why)) == SB_OK &&
        (st = sb_cc_find(&cc, &why)) == SB_OK &&
        (st = name(out, dir.s, cc.s, isa, &lines)) == SB_OK) {
        sb_strbuf_printf(&compiled, "%s.gch", out->s);
        st = sb_strbuf_status(&compiled);
        if (st == SB_OK && !fresh(compiled.s, cc.s))
            st = __atomic_exchange_n(&begun, 1, __ATOMIC_RELAXED)
                     ? SB_SKIP
                     : make(dir.s, out->s, compiled.s, isa, &lines, &why);
    }
    sb_strbuf_free(&dir);
    sb_strbuf_free(&cc);
    sb_strbuf_free(&lines);
    sb_strbuf_free(&compiled);
    return st;
}

sb_status
sb_headers_compile(const char *source_path, const char *object_path, sb_isa isa,
                   sb_diag *diag)
{
    sb_cc_job job = {.source = source_path, .object = object_path, .isa = isa};
    sb_diag why = {SB_OK, ""};
    sb_strbuf header;
    sb_status found, st = SB_EIO;

    if (isa == SB_ISA_GENERIC || __atomic_load_n(&hopeless, __ATOMIC_RELAXED))
        return sb_cc_run(&job, diag);
    sb_strbuf_init(&header);
    found = ready(&header, source_path, isa);
    if (found == SB_OK) {
        job.include = header.s;
        st = sb_cc_run(&job, &why);
        job.include = NULL;
    } else if (found != SB_SKIP) {
        give_up();
    }
    if (st == SB_EIO) { /* the kernel's fault or the headers' */
        st = sb_cc_run(&job, diag);
        if (st == SB_OK && found == SB_OK)
            give_up();
    } else if (st != SB_OK) {
        st = sb_diag_set(diag, st, "%s", why.text);
    }
    sb_strbuf_free(&header);
    return st;
}
