/*
 * The compiler as a program: what it makes, what it says, where it writes.
 */
#include "cpu/cc.h"

#include <dirent.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

static char dir[256], source[300], object[300];

static void
write_file(const char *path, const char *text, mode_t mode)
{
    FILE *f = fopen(path, "w");

    assert_non_null(f);
    assert_true(fputs(text, f) >= 0);
    assert_int_equal(fclose(f), 0);
    assert_int_equal(chmod(path, mode), 0);
}

static sb_status
compile(const char *text, sb_diag *diag)
{
    write_file(source, text, 0600);
    (void)unlink(object);
    return sb_cc_compile(source, object, SB_ISA_GENERIC, diag);
}

static void
test_object(void **state)
{
    sb_diag diag = {SB_OK, ""};

    (void)state;
    if (compile("int f(int x) { return x + 1; }\n", &diag) == SB_ENOKERNEL)
        skip();
    assert_int_equal(access(object, R_OK), 0);
    assert_string_equal(diag.text, "");
}

static void
test_message(void **state)
{
    sb_diag diag = {SB_OK, ""};
    const sb_status st = compile("int f(int x) { return y; }\n", &diag);

    (void)state;
    if (st == SB_ENOKERNEL)
        skip();
    assert_int_equal(st, SB_EIO);
    assert_non_null(strstr(diag.text, "error"));
    assert_int_not_equal(access(object, F_OK), 0);
}

/* A stand-in compiler that shows how it was called. */
static void
test_environment(void **state)
{
    char text[1000], path[300];
    sb_diag diag = {SB_OK, ""};
    FILE *f;

    (void)state;
    (void)snprintf(path, sizeof path, "%s/fake cc; exit", dir);
    write_file(path,
               "#!/bin/sh\nwhile [ $# -gt 0 ]; do\n"
               "  [ \"$1\" = -o ] && out=$2\n  shift\ndone\n"
               "echo \"$TMPDIR $LC_ALL\" > \"$out\"\n",
               0700);
    assert_int_equal(setenv("SPBLAS_CC", path, 1), 0);
    assert_int_equal(compile("", &diag), SB_OK);
    (void)unsetenv("SPBLAS_CC");
    f = fopen(object, "r");
    assert_non_null(f);
    assert_non_null(fgets(text, sizeof text, f));
    (void)fclose(f);
    assert_memory_equal(text, dir, strlen(dir));
    assert_string_equal(text + strlen(dir), " C\n");
}

static void
test_killed(void **state)
{
    char path[300];
    sb_diag diag = {SB_OK, ""};

    (void)state;
    (void)snprintf(path, sizeof path, "%s/dies", dir);
    write_file(path, "#!/bin/sh\nkill -9 $$\n", 0700);
    assert_int_equal(setenv("SPBLAS_CC", path, 1), 0);
    assert_int_equal(compile("", &diag), SB_EIO);
    assert_non_null(strstr(diag.text, "did not end"));
    (void)unsetenv("SPBLAS_CC");
}

static void
test_none(void **state)
{
    static char path[4096];
    sb_diag diag = {SB_OK, ""};

    (void)state;
    (void)snprintf(path, sizeof path, "%s", getenv("PATH"));
    assert_int_equal(setenv("PATH", ".:relative:", 1), 0);
    assert_int_equal(compile("", &diag), SB_ENOKERNEL);
    assert_non_null(strstr(diag.text, "no C compiler"));
    assert_int_equal(setenv("PATH", path, 1), 0);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_object),      cmocka_unit_test(test_message),
        cmocka_unit_test(test_environment), cmocka_unit_test(test_killed),
        cmocka_unit_test(test_none),
    };
    struct dirent *e;
    int failed;
    DIR *d;

    (void)snprintf(dir, sizeof dir, "%s/cc-test.XXXXXX", SB_BINARY_DIR);
    if (!mkdtemp(dir))
        return 1;
    (void)snprintf(source, sizeof source, "%s/k.c", dir);
    (void)snprintf(object, sizeof object, "%s/k.so", dir);
    failed = cmocka_run_group_tests(tests, NULL, NULL);
    d = opendir(dir);
    while (d && (e = readdir(d)) != NULL)
        if (e->d_name[0] != '.')
            (void)unlinkat(dirfd(d), e->d_name, 0);
    if (d)
        (void)closedir(d);
    (void)rmdir(dir);
    return failed;
}
