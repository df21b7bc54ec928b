/*
 * See cc.h. The compiler's own temporary files go beside the object (TMPDIR), so nothing
 * is left elsewhere; its messages go to a file there.
 */
#include "cpu/cc.h"

#include "base/alloc.h"
#include "base/clock.h"
#include "base/strbuf.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { MORE_OPTIONS = 4, MOST_WORDS = 24 }; /* command() has 21 at most */
enum { COMPLAINT_LINES = 1000 }; /* looked at; it may have printed anything */
enum { TIMED_OUT = -1, SIGNALLED = -2 };

static double patience = 60;
static const char *const *options;

extern char **environ;

double
sb_cc_patience(double seconds)
{
    const double before = patience;

    patience = seconds;
    return before;
}

const char *const *
sb_cc_options(const char *const *more)
{
    const char *const *before = options;

    options = more;
    return before;
}

static bool
is_program(const char *path)
{
    struct stat s;

    return stat(path, &s) == 0 && S_ISREG(s.st_mode) && access(path, X_OK) == 0;
}

/* Full path of a program named with or without one. */
static bool
search_path(sb_strbuf *out, const char *name)
{
    const char *at = getenv("PATH");

    sb_strbuf_clear(out);
    if (strchr(name, '/')) {
        sb_strbuf_puts(out, name);
        return sb_strbuf_status(out) == SB_OK && is_program(out->s);
    }
    while (at && *at) {
        const size_t n = strcspn(at, ":");

        if (at[0] == '/') { /* never the current directory */
            sb_strbuf_clear(out);
            sb_strbuf_putn(out, at, n);
            sb_strbuf_printf(out, "/%s", name);
            if (sb_strbuf_status(out) == SB_OK && is_program(out->s))
                return true;
        }
        at += n + (at[n] == ':');
    }
    return false;
}

sb_status
sb_cc_find(sb_strbuf *out, sb_diag *diag)
{
    static const char *const names[] = {"cc", "gcc", "clang"};
    const char *own = getenv("SPBLAS_CC");

    if (own && own[0])
        return search_path(out, own)
                   ? SB_OK
                   : sb_diag_set(diag, SB_ENOKERNEL, "SPBLAS_CC: no program %s", own);
    for (size_t q = 0; q < sizeof names / sizeof names[0]; q++)
        if (search_path(out, names[q]))
            return SB_OK;
    return sb_diag_set(diag, SB_ENOKERNEL, "no C compiler on PATH");
}

/* Our environment with TMPDIR replaced; the strings are ours, the array is the caller's
 * to free. */
static char **
environment(char *tmpdir)
{
    static char c_locale[] = "LC_ALL=C";
    int64_t n = 0, used = 0;
    char **env;

    while (environ && environ[n])
        n++;
    env = sb_alloc_array(n + 3, sizeof *env);
    if (!env)
        return NULL;
    for (int64_t q = 0; q < n; q++)
        if (strncmp(environ[q], "TMPDIR=", 7) != 0 &&
            strncmp(environ[q], "LC_ALL=", 7) != 0)
            env[used++] = environ[q];
    env[used++] = tmpdir;
    env[used++] = c_locale;
    env[used] = NULL;
    return env;
}

/* Its exit status, TIMED_OUT or SIGNALLED. */
static int
wait_for(pid_t pid)
{
    const double end = sb_clock() + patience;
    struct timespec pause = {0, 1000000};
    int status = 0;

    for (;;) {
        const pid_t r = waitpid(pid, &status, WNOHANG);

        if (r == pid)
            return WIFEXITED(status) ? WEXITSTATUS(status) : SIGNALLED;
        if (r < 0 && errno != EINTR)
            return 0; /* someone else reaps children: the object tells */
        if (sb_clock() > end)
            break;
        (void)nanosleep(&pause, NULL);
        if (pause.tv_nsec < 16000000)
            pause.tv_nsec *= 2;
    }
    (void)kill(-pid, SIGKILL);
    (void)kill(pid, SIGKILL); /* it may have left its group */
    (void)waitpid(pid, &status, 0);
    return TIMED_OUT;
}

/* First line in the file of messages that names an error, or the first of all; what no
 * terminal should be sent becomes '?'. */
static void
complaint(char *out, size_t size, const char *path)
{
    FILE *f = fopen(path, "r");
    char text[256];
    bool found = false;

    (void)snprintf(out, size, "no message");
    for (int q = 0; f && !found && q < COMPLAINT_LINES && fgets(text, sizeof text, f);
         q++) {
        text[strcspn(text, "\n")] = '\0';
        found = strstr(text, "error") != NULL;
        if (found || q == 0)
            (void)snprintf(out, size, "%s", text);
    }
    if (f)
        (void)fclose(f);
    for (; *out; out++)
        if ((unsigned char)*out < ' ' || (unsigned char)*out > '~')
            *out = '?';
}

static sb_status
spawn(char *const *argv, const char *log, char *const *env, int *code, sb_diag *diag)
{
    posix_spawn_file_actions_t files;
    posix_spawnattr_t attr;
    pid_t pid;
    int err;

    (void)posix_spawn_file_actions_init(&files);
    (void)posix_spawnattr_init(&attr);
    (void)posix_spawn_file_actions_addopen(&files, 0, "/dev/null", O_RDONLY, 0);
    (void)posix_spawn_file_actions_addopen(
        &files, 1, log, O_WRONLY | O_CREAT | O_TRUNC | O_APPEND, 0600);
    (void)posix_spawn_file_actions_adddup2(&files, 1, 2);
    (void)posix_spawnattr_setflags(&attr, POSIX_SPAWN_SETPGROUP);
    (void)posix_spawnattr_setpgroup(&attr, 0);
    err = posix_spawn(&pid, argv[0], &files, &attr, argv, env);
    (void)posix_spawn_file_actions_destroy(&files);
    (void)posix_spawnattr_destroy(&attr);
    if (err)
        return sb_diag_set(diag, SB_ENOKERNEL, "cannot start %s: %s", argv[0],
                           strerror(err));
    *code = wait_for(pid);
    return SB_OK;
}

/* To a list that ends in NULL and has room; nothing for NULL. */
static void
append(const char **argv, const char *word)
{
    int n = 0;

    while (argv[n])
        n++;
    if (word && n < MOST_WORDS)
        argv[n] = word;
}

/* The options, the same for kernels and for the headers before them. */
static void
command(const char **argv, const char *cc, const sb_cc_job *job)
{
    static const char *const own[] = {"-std=c11",
                                      "-O3",
                                      "-w",
                                      "-fPIC",
                                      "-ffp-contract=fast",
                                      "-fno-math-errno",
                                      "-fno-trapping-math"};
    static const char *const march[SB_ISA_COUNT] = {
        NULL, "-march=x86-64-v2", "-march=x86-64-v3", "-march=x86-64-v4",
        "-march=x86-64-v4"};

    append(argv, cc);
    for (size_t q = 0; q < sizeof own / sizeof own[0]; q++)
        append(argv, own[q]);
    append(argv, march[job->isa]);
    append(argv, job->isa == SB_ISA_V4G ? "-DSBK_FAST_GATHER" : NULL);
    append(argv, job->header ? "-x" : "-shared");
    append(argv, job->header ? "c-header" : NULL);
    append(argv, job->include ? "-include" : NULL);
    append(argv, job->include);
    append(argv, "-o");
    append(argv, job->object);
    append(argv, job->source);
    for (int q = 0; options && options[q] && q < MORE_OPTIONS; q++)
        append(argv, options[q]); /* libraries want what uses them first */
}

static sb_status
run(const char *cc, const sb_cc_job *job, const char *log, char *tmpdir, sb_diag *diag)
{
    const char *argv[MOST_WORDS + 1] = {NULL};
    char **env = environment(tmpdir);
    char text[256];
    int code = -1;
    sb_status st;

    if (!env)
        return SB_ENOMEM;
    command(argv, cc, job);
    st = spawn((char *const *)argv, log, env, &code, diag);
    sb_free(env);
    if (st != SB_OK || code == 0)
        return st;
    complaint(text, sizeof text, log);
    return sb_diag_set(diag, SB_EIO, "%s %s: %s", cc,
                       code == TIMED_OUT   ? "did not end in time"
                       : code == SIGNALLED ? "was ended by a signal"
                                           : "failed",
                       text);
}

sb_status
sb_cc_run(const sb_cc_job *job, sb_diag *diag)
{
    const char *slash = strrchr(job->object, '/');
    const int dir = slash ? (int)(slash - job->object) : 0;
    sb_strbuf cc, log, tmpdir;
    sb_status st;

    sb_strbuf_init(&cc);
    sb_strbuf_init(&log);
    sb_strbuf_init(&tmpdir);
    sb_strbuf_printf(&log, "%s.log", job->object);
    sb_strbuf_printf(&tmpdir, "TMPDIR=%.*s", dir ? dir : 1, dir ? job->object : ".");
    st = sb_cc_find(&cc, diag);
    if (st == SB_OK)
        st = sb_strbuf_status(&log);
    if (st == SB_OK)
        st = sb_strbuf_status(&tmpdir);
    if (st == SB_OK)
        st = run(cc.s, job, log.s, tmpdir.s, diag);
    sb_strbuf_free(&cc);
    sb_strbuf_free(&log);
    sb_strbuf_free(&tmpdir);
    return st;
}

sb_status
sb_cc_compile(const char *source_path, const char *object_path, sb_isa isa,
              sb_diag *diag)
{
    const sb_cc_job job = {.source = source_path, .object = object_path, .isa = isa};

    return sb_cc_run(&job, diag);
}
