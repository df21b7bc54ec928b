/*
 * A group may run for so many microseconds in each period; all its threads stop when
 * they are spent. /proc/self/cgroup has a line for each hierarchy,
 * "number:controllers:path": version 2 names no controllers and keeps a group's files
 * in /sys/fs/cgroup/path, version 1 those of its controller cpu in
 * /sys/fs/cgroup/cpu/path. Groups around a group limit it too. In a container the path
 * may be the host's, which is not there: then the group at the top is its own.
 */
#include "runtime/quota.h"

#include "base/strbuf.h"

#include <limits.h>
#include <sched.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LINE = 1024 /* bytes of a path or line; longer ones are no groups */ };

/* The first number of a file in a folder and, where there are two, the second; 0:
 * none, as "max". */
static int64_t
read_number(const char *dir, const char *file, int64_t *second)
{
    char path[LINE + 32], text[64] = "";
    const char *end;
    int64_t first = 0;
    FILE *f;

    (void)snprintf(path, sizeof path, "%s/%s", dir, file);
    f = fopen(path, "r");
    if (!f)
        return 0;
    if (!fgets(text, (int)sizeof text, f) || sb_parse_i64(text, &end, &first) != SB_OK)
        first = 0;
    else if (second && sb_parse_i64(end + (*end == ' '), &end, second) != SB_OK)
        *second = 0;
    (void)fclose(f);
    return first;
}

/* CPUs of the group whose files lie in `dir`. */
static int
group_cpus(const char *dir)
{
    int64_t period = 0, quota = read_number(dir, "cpu.max", &period);

    if (quota <= 0) {
        quota = read_number(dir, "cpu.cfs_quota_us", NULL);
        period = read_number(dir, "cpu.cfs_period_us", NULL);
    }
    if (quota <= 0 || period <= 0 || quota / period >= INT_MAX)
        return INT_MAX;
    return quota < period ? 1 : (int)(quota / period);
}

/* The least of the group at top/path and of those around it. */
static int
least_cpus(const char *root, const char *top, const char *path)
{
    char dir[LINE];
    const int above = snprintf(dir, sizeof dir, "%s/sys/fs/cgroup%s", root, top);
    int least = INT_MAX, cpus;

    if (above < 0 || (size_t)above + strlen(path) >= sizeof dir)
        return INT_MAX;
    memcpy(dir + above, path, strlen(path) + 1);
    do {
        cpus = group_cpus(dir);
        least = cpus < least ? cpus : least;
        *strrchr(dir, '/') = '\0';
    } while (strlen(dir) >= (size_t)above);
    return least;
}

/* Whether a list of controllers, "cpu,cpuacct", has cpu. */
static bool
has_cpu(const char *list)
{
    for (; *list; list += strcspn(list, ","), list += *list == ',')
        if (strcspn(list, ",") == 3 && strncmp(list, "cpu", 3) == 0)
            return true;
    return false;
}

int
sb_quota_cpus(const char *root)
{
    char line[LINE];
    int least = INT_MAX, cpus;
    FILE *f;

    (void)snprintf(line, sizeof line, "%s/proc/self/cgroup", root);
    f = fopen(line, "r");
    while (f && fgets(line, sizeof line, f)) {
        char *const list = strchr(line, ':');
        char *const path = list ? strchr(list + 1, ':') : NULL;

        if (!path || path[1] != '/')
            continue;
        path[1 + strcspn(path + 1, "\n")] = '\0';
        *path = '\0';
        if (list[1] == '\0')
            cpus = least_cpus(root, "", path + 1);
        else
            cpus = has_cpu(list + 1) ? least_cpus(root, "/cpu", path + 1) : INT_MAX;
        least = cpus < least ? cpus : least;
    }
    if (f)
        (void)fclose(f);
    return least;
}

/* OpenMP itself is not asked: LLVM's would begin, before the program has set its
 * environment. */
static int all, most = INT_MAX;

__attribute__((constructor)) static void
look_around(void)
{
    cpu_set_t set;

    all = sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : 0;
    if (!getenv("OMP_NUM_THREADS"))
        most = sb_quota_cpus("");
}

int
sb_quota_threads(int threads)
{
    return threads == all && threads > most ? most : threads;
}
