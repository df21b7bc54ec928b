/*
 * What the log says at each level and mask, to the callback and to each sink, and what the
 * environment variables do: lines of two calls, one that works and one that is refused.
 */
#include <cusparse.h>

#include <dlfcn.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static char told[256]; /* by the callback: level and function of each line */

static void
callback(int level, const char *function, const char *message)
{
    const size_t n = strlen(told);

    /* The switches log themselves, each library at another moment. */
    if (message && strncmp(function, "cusparseLogger", 14) != 0)
        (void)snprintf(told + n, sizeof told - n, "%d:%s ", level, function);
}

/* The file's lines about the two calls, without date and process; "?" for another form. */
static void
file_lines(const char *path, char *text, size_t room)
{
    FILE *const f = fopen(path, "r");
    char line[1024], word[16], function[64];

    text[0] = '\0';
    while (f && fgets(line, sizeof line, f)) {
        const size_t n = strlen(text);
        int y, mo, d, h, mi, s;
        long pid;

        if (sscanf(line, "[%d-%d-%d %d:%d:%d][CUSPARSE][%ld][%15[^]]][%63[^]]] ", &y,
                   &mo, &d, &h, &mi, &s, &pid, word, function) != 9 ||
            pid != (long)getpid())
            (void)snprintf(text + n, room - n, "? ");
        else if (strncmp(function, "cusparseLogger", 14) != 0)
            (void)snprintf(text + n, room - n, "%s:%s ", word, function);
    }
    if (f)
        (void)fclose(f);
}

static void
two_calls(void)
{
    static double v[4];
    cusparseDnVecDescr_t x = NULL;

    if (cusparseCreateDnVec(&x, 4, v, CUDA_R_64F) == CUSPARSE_STATUS_SUCCESS)
        (void)cusparseDestroyDnVec(x);
    (void)cusparseCreateDnVec(&x, -4, v, CUDA_R_64F);
}

/* A row: what was switched, the callback's lines, the file's. */
static void
row(const char *what, int value, const char *path)
{
    char lines[256];

    two_calls();
    file_lines(path, lines, sizeof lines);
    (void)printf("%s\tvalue=%d\t0\tcallback %s file %s\n", what, value, told, lines);
    told[0] = '\0';
}

static void
switches(const char *path)
{
    (void)cusparseLoggerSetCallback(callback);
    for (int level = 0; level <= 6; level++) {
        (void)cusparseLoggerOpenFile(path);
        (void)cusparseLoggerSetLevel(level);
        row("cusparseLoggerSetLevel", level, path);
    }
    for (int bits = 0; bits < 64; bits = bits ? 2 * bits : 1) {
        (void)cusparseLoggerOpenFile(path);
        (void)cusparseLoggerSetMask(bits);
        row("cusparseLoggerSetMask", bits, path);
    }
    (void)cusparseLoggerSetMask(31);
    (void)cusparseLoggerOpenFile(path);
    (void)cusparseLoggerOpenFile(NULL); /* the callback alone */
    row("cusparseLoggerOpenFile", 0, path);
    (void)cusparseLoggerOpenFile(path);
    (void)cusparseLoggerSetFile(NULL);
    row("cusparseLoggerSetFile", 0, path);
    (void)cusparseLoggerOpenFile(path);
    (void)cusparseLoggerSetCallback(NULL);
    row("cusparseLoggerSetCallback", 0, path);
    (void)cusparseLoggerSetCallback(callback);
    (void)cusparseLoggerForceDisable();
    (void)cusparseLoggerSetLevel(5);
    (void)cusparseLoggerOpenFile(path);
    row("cusparseLoggerForceDisable", 0, path);
}

/* This program again, as "calls", with environment variables set. */
static void
environment(const char *self, const char *path, const char *level, const char *bits)
{
    pid_t child;
    int status = -1;

    (void)fflush(stdout);
    child = fork();
    if (child == 0) {
        (void)setenv("CUSPARSE_LOG_FILE", path, 1);
        if (level)
            (void)setenv("CUSPARSE_LOG_LEVEL", level, 1);
        if (bits)
            (void)setenv("CUSPARSE_LOG_MASK", bits, 1);
        (void)execl(self, self, "calls", path, level ? level : "none",
                    bits ? bits : "none", (char *)NULL);
        _exit(127);
    }
    (void)waitpid(child, &status, 0);
    if (status)
        (void)printf("the child ended with %d\n", status);
}

int
main(int argc, char **argv)
{
    char path[] = "conform-log-XXXXXX";
    char lines[256];
    Dl_info info;
    int fd;

    if (argc == 5) {
        two_calls();
        file_lines(argv[2], lines, sizeof lines);
        (void)printf("environment\tlevel=%s mask=%s\t0\t%s\n", argv[3], argv[4], lines);
        return 0;
    }
    if (dladdr((void *)(size_t)&cusparseCreate, &info))
        (void)fprintf(stderr, "library: %s\n", info.dli_fname);
    fd = mkstemp(path);
    if (fd < 0)
        return 2;
    (void)close(fd);
    environment("/proc/self/exe", path, NULL, NULL);
    environment("/proc/self/exe", path, "0", NULL);
    environment("/proc/self/exe", path, "1", NULL);
    environment("/proc/self/exe", path, "5", NULL);
    environment("/proc/self/exe", path, "6", NULL);
    environment("/proc/self/exe", path, "7", NULL);
    environment("/proc/self/exe", path, "-1", NULL);
    environment("/proc/self/exe", path, "x", NULL);
    environment("/proc/self/exe", path, NULL, "1");
    environment("/proc/self/exe", path, NULL, "16");
    environment("/proc/self/exe", path, "1", "16");
    environment("/proc/self/exe", path, "5", "1");
    environment("/proc/self/exe", path, "0", "16");
    environment("/proc/self/exe", "/nonexistent/log", "5", NULL);
    switches(path);
    (void)unlink(path);
    return 0;
}
