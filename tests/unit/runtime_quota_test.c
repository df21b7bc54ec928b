/*
 * Quotas of control groups of both versions, as hosts and containers have them, read
 * from trees of files of the test's own.
 */
#include "runtime/quota.h"

#include <ftw.h>
#include <limits.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

static char root[256];

/* A file below the root, and the folders above it. */
static void
put(const char *path, const char *text)
{
    char name[1024];
    FILE *f;

    (void)snprintf(name, sizeof name, "%s%s", root, path);
    for (char *at = strchr(name + strlen(root) + 1, '/'); at;
         at = strchr(at + 1, '/')) {
        *at = '\0';
        (void)mkdir(name, 0700);
        *at = '/';
    }
    f = fopen(name, "w");
    assert_non_null(f);
    assert_true(fputs(text, f) >= 0);
    assert_int_equal(fclose(f), 0);
}

static int
take_away(const char *name, const struct stat *s, int kind, struct FTW *at)
{
    (void)s, (void)kind, (void)at;
    return remove(name);
}

static int
setup(void **state)
{
    (void)state;
    (void)snprintf(root, sizeof root, "%s/quota-XXXXXX", SB_BINARY_DIR);
    return mkdtemp(root) ? 0 : -1;
}

static int
teardown(void **state)
{
    (void)state;
    return nftw(root, take_away, 8, FTW_DEPTH | FTW_PHYS);
}

static void
test_none(void **state)
{
    (void)state;
    assert_int_equal(sb_quota_cpus(root), INT_MAX);
    put("/proc/self/cgroup", "");
    assert_int_equal(sb_quota_cpus(root), INT_MAX);
    put("/proc/self/cgroup", "0::/\n");
    assert_int_equal(sb_quota_cpus(root), INT_MAX);
    put("/sys/fs/cgroup/cpu.max", "max 100000\n");
    assert_int_equal(sb_quota_cpus(root), INT_MAX);
    put("/proc/self/cgroup", "rubbish\n0:\n::\n0::none\n1:cpu\n:::/\n");
    assert_int_equal(sb_quota_cpus(root), INT_MAX);
}

/* Version 2: whole CPUs, one at least, the least of all groups around. */
static void
test_second(void **state)
{
    (void)state;
    put("/proc/self/cgroup", "0::/a.slice/b\n");
    put("/sys/fs/cgroup/a.slice/b/cpu.max", "350000 100000\n");
    assert_int_equal(sb_quota_cpus(root), 3);
    put("/sys/fs/cgroup/a.slice/cpu.max", "40000 20000\n");
    assert_int_equal(sb_quota_cpus(root), 2);
    put("/sys/fs/cgroup/a.slice/cpu.max", "max 20000\n");
    put("/sys/fs/cgroup/a.slice/b/cpu.max", "50000 100000\n");
    assert_int_equal(sb_quota_cpus(root), 1);
    put("/sys/fs/cgroup/a.slice/b/cpu.max", "50000\n");
    assert_int_equal(sb_quota_cpus(root), INT_MAX);
    put("/sys/fs/cgroup/a.slice/b/cpu.max", "50000 0\n");
    assert_int_equal(sb_quota_cpus(root), INT_MAX);
    put("/sys/fs/cgroup/a.slice/b/cpu.max", "9223372036854775807 1\n");
    assert_int_equal(sb_quota_cpus(root), INT_MAX);
}

/* Inside a container: a path of the host's, and the container's group at the top. */
static void
test_container(void **state)
{
    (void)state;
    put("/proc/self/cgroup", "0::/kubepods/pod1/c2\n");
    put("/sys/fs/cgroup/cpu.max", "400000 100000\n");
    assert_int_equal(sb_quota_cpus(root), 4);
}

static void
test_first(void **state)
{
    (void)state;
    put("/proc/self/cgroup",
        "3:cpuset:/x\n2:cpuacct,cpu:/docker/c1\n1:name=systemd:/y\n0::/\n");
    put("/sys/fs/cgroup/cpu/docker/c1/cpu.cfs_quota_us", "-1\n");
    put("/sys/fs/cgroup/cpu/docker/c1/cpu.cfs_period_us", "100000\n");
    assert_int_equal(sb_quota_cpus(root), INT_MAX);
    put("/sys/fs/cgroup/cpu/docker/c1/cpu.cfs_quota_us", "250000\n");
    assert_int_equal(sb_quota_cpus(root), 2);
    put("/sys/fs/cgroup/cpu/docker/cpu.cfs_quota_us", "100000\n");
    put("/sys/fs/cgroup/cpu/docker/cpu.cfs_period_us", "100000\n");
    assert_int_equal(sb_quota_cpus(root), 1);
    put("/proc/self/cgroup", "3:cpuset:/docker/c1\n2:cpuacct:/docker/c1\n");
    assert_int_equal(sb_quota_cpus(root), INT_MAX);
}

static void
test_long(void **state)
{
    char line[3000] = "0::";

    (void)state;
    for (int q = 0; q < 400; q++)
        (void)strcat(line, "/group");
    put("/proc/self/cgroup", line);
    put("/sys/fs/cgroup/cpu.max", "100000 100000\n");
    assert_int_equal(sb_quota_cpus(root), INT_MAX);
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int
main(void)
{
    const struct CMUnitTest tests[] = {CASE(test_none), CASE(test_second),
                                       CASE(test_container), CASE(test_first),
                                       CASE(test_long)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
