/*
 * The compiler as a program: what it makes, what it says, where it writes.
 */
#include "cpu/cc.h"

#include "base/clock.h"

#include <dirent.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
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

/* Compiles with a shell script in the compiler's place; $out is the object. */
static sb_status
compile_with(const char *script, sb_diag *diag)
{
    char path[300], text[1000];
    sb_status st;

    (void)snprintf(path, sizeof path, "%s/fake cc; exit", dir);
    (void)snprintf(text, sizeof text,
                   "#!/bin/sh\nwhile [ $# -gt 0 ]; do\n"
                   "  [ \"$1\" = -o ] && out=$2\n  shift\ndone\n%s\n",
                   script);
    (void)unlink(path);
    write_file(path, text, 0700);
    assert_int_equal(setenv("SPBLAS_CC", path, 1), 0);
    *diag = (sb_diag){SB_OK, ""};
    st = compile("", diag);
    (void)unsetenv("SPBLAS_CC");
    return st;
}

/* How it is called. */
static void
test_environment(void **state)
{
    char text[1000];
    sb_diag diag;
    FILE *f;

    (void)state;
    assert_int_equal(compile_with("echo \"$TMPDIR $LC_ALL\" > \"$out\"", &diag), SB_OK);
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
    sb_diag diag;

    (void)state;
    assert_int_equal(compile_with("kill -9 $$", &diag), SB_EIO);
    assert_non_null(strstr(diag.text, "was ended by a signal: no message"));
}

/* Whether the process runs: not when it is gone or waits to be buried. */
static bool
runs(const char *pid)
{
    char path[64], state = 'Z';
    FILE *f;

    (void)snprintf(path, sizeof path, "/proc/%s/stat", pid);
    f = fopen(path, "r");
    if (!f)
        return false;
    if (fscanf(f, "%*d (%*[^)]) %c", &state) != 1)
        state = 'Z';
    (void)fclose(f);
    return state != 'Z' && state != 'X';
}

/* It and what it started are ended. */
static void
test_endless(void **state)
{
    const double before = sb_cc_patience(0.3), begin = sb_clock();
    char pid[2][32] = {"", ""};
    sb_diag diag;
    FILE *f;

    (void)state;
    assert_int_equal(compile_with("trap '' TERM INT HUP\n"
                                  "echo half > \"$out\"\n"
                                  "(while :; do :; done) &\n"
                                  "echo $$ $! > \"$TMPDIR/pids\"\n"
                                  "while :; do :; done",
                                  &diag),
                     SB_EIO);
    (void)sb_cc_patience(before);
    assert_true(sb_clock() - begin < 60);
    assert_non_null(strstr(diag.text, "did not end in time"));
    (void)snprintf(source, sizeof source, "%s/pids", dir);
    f = fopen(source, "r");
    (void)snprintf(source, sizeof source, "%s/k.c", dir);
    if (!f)
        return; /* ended before it could say who it is: this machine is very busy */
    assert_int_equal(fscanf(f, "%31s %31s", pid[0], pid[1]), 2);
    (void)fclose(f);
    for (int q = 0; q < 1000 && runs(pid[1]); q++)
        (void)usleep(10000);
    assert_false(runs(pid[0]));
    assert_false(runs(pid[1]));
}

/* Messages reach the caller as one line that a terminal can show. */
static void
test_garbage(void **state)
{
    static const char script[] =
        "printf '\\377\\001\\033[31m\\200 what\\t\\n\\000rest\\n'\n"
        "i=0\nwhile [ $i -lt 3000 ]; do\n"
        "  printf '\\033]0;\\007\\n'; i=$((i + 1))\ndone\nexit 3";
    sb_diag diag;

    (void)state;
    assert_int_equal(compile_with(script, &diag), SB_EIO);
    assert_non_null(strstr(diag.text, "failed: "));
    assert_non_null(strstr(diag.text, "???[31m? what?"));
    for (const char *s = diag.text; *s; s++)
        assert_in_range((unsigned char)*s, ' ', '~');
}

/* To end well is all that is asked of it here; who loads the object looks at it. */
static void
test_nothing_written(void **state)
{
    sb_diag diag;

    (void)state;
    assert_int_equal(compile_with("exit 0", &diag), SB_OK);
    assert_int_not_equal(access(object, F_OK), 0);
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
        cmocka_unit_test(test_object),          cmocka_unit_test(test_message),
        cmocka_unit_test(test_environment),     cmocka_unit_test(test_killed),
        cmocka_unit_test(test_endless),         cmocka_unit_test(test_garbage),
        cmocka_unit_test(test_nothing_written), cmocka_unit_test(test_none),
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
