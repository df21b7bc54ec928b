/*
 * What lies on disk and is no kernel, and compilers that make none: neither may hang or
 * end the process. Each is tried in a process of its own.
 */
#include "cachebox.h"
#include "cpu/cc.h"
#include "runtime/cache.h"

#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

/* get() in a process of its own, which a signal or a minute ends: whether it gave st. */
static bool
child_gets(const char *spec, sb_kernel_effort effort, sb_status st)
{
    const sb_kernel *k;
    const pid_t pid = fork();
    int status = 0;

    assert_true(pid >= 0);
    if (pid == 0) {
        (void)signal(SIGSEGV, SIG_DFL); /* cmocka's handler would stay in here */
        (void)signal(SIGBUS, SIG_DFL);
        (void)signal(SIGILL, SIG_DFL);
        (void)signal(SIGFPE, SIG_DFL);
        (void)alarm(60);
        _exit(sb_box_get(&k, spec, effort) == st ? 0 : 1);
    }
    assert_int_equal(waitpid(pid, &status, 0), pid);
    if (WIFSIGNALED(status))
        print_message("ended by signal %d\n", WTERMSIG(status));
    return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

static char bytes[1 << 20];

static size_t
read_artefact(void)
{
    char path[600];
    size_t n;
    FILE *f;

    sb_box_artefact(path, sizeof path);
    f = fopen(path, "rb");
    assert_non_null(f);
    n = fread(bytes, 1, sizeof bytes, f);
    assert_int_equal(fclose(f), 0);
    assert_true(n > 1000);
    return n;
}

static void
write_bytes(const char *path, size_t n)
{
    FILE *f = fopen(path, "wb");

    assert_non_null(f);
    assert_int_equal(chmod(path, 0700), 0);
    assert_int_equal(fwrite(bytes, 1, n, f), n);
    assert_int_equal(fclose(f), 0);
}

/* Leaves the first `keep` bytes and changes the one at `flip`. */
static void
damage(long keep, long flip)
{
    const size_t n = read_artefact();
    char path[600];

    sb_box_artefact(path, sizeof path);
    if (flip >= 0)
        bytes[flip] ^= 1;
    assert_int_equal(unlink(path), 0); /* the old file is mapped: leave it alone */
    write_bytes(path, keep < 0 ? n : (size_t)keep);
}

static void
test_damaged_artefacts(void **state)
{
    static const long keep[] = {-1, 0, 10, 700, -1};
    static const long flip[] = {0, -1, -1, -1, 900};
    const sb_kernel *k;

    (void)state;
    NEED_COMPILER();
    assert_int_equal(sb_box_get(&k, "x d", SB_KERNEL_COMPILE), SB_OK);
    for (size_t q = 0; q < sizeof keep / sizeof keep[0]; q++) {
        damage(keep[q], flip[q]);
        sb_kernel_forget();
        assert_true(child_gets("x d", SB_KERNEL_STORED, SB_ENOKERNEL));
        assert_int_equal(sb_box_get(&k, "x d", SB_KERNEL_STORED), SB_ENOKERNEL);
        assert_int_equal(sb_box_get(&k, "x d", SB_KERNEL_COMPILE), SB_OK);
        assert_int_equal(sb_box_value(k), 8);
        assert_int_equal(sb_box.compiles, 2 + q);
    }
    assert_int_equal(sb_box_entries(getenv("SPBLAS_CACHE_DIR")), 1);
}

/* What is no file at all, or could not be read into memory, in an artefact's place. */
static void
test_no_file_in_place(void **state)
{
    const sb_kernel *k;
    char path[600];

    (void)state;
    NEED_COMPILER();
    assert_int_equal(sb_box_get(&k, "x f", SB_KERNEL_COMPILE), SB_OK);
    sb_box_artefact(path, sizeof path);
    for (int q = 0; q < 3; q++) {
        assert_int_equal(remove(path), 0);
        if (q == 0)
            assert_int_equal(mkfifo(path, 0600), 0);
        else if (q == 1)
            assert_int_equal(mkdir(path, 0700), 0);
        else
            write_bytes(path, 1);
        if (q == 2)
            assert_int_equal(truncate(path, (off_t)1 << 40), 0);
        sb_kernel_forget();
        assert_true(child_gets("x f", SB_KERNEL_STORED, SB_ENOKERNEL));
        assert_true(child_gets("x f", SB_KERNEL_COMPILE, SB_OK));
    }
}

/* ---- compilers that are not ----------------------------------------------------------- */

/* Makes a shell script the compiler; $out is the object. */
static void
compiler_is(const char *script)
{
    char path[600];
    FILE *f;

    (void)snprintf(path, sizeof path, "%s/fake-cc", sb_box.root);
    (void)unlink(path);
    f = fopen(path, "w");
    assert_non_null(f);
    assert_true(fprintf(f,
                        "#!/bin/sh\nwhile [ $# -gt 0 ]; do\n"
                        "  [ \"$1\" = -o ] && out=$2\n  shift\ndone\n%s\n",
                        script) > 0);
    assert_int_equal(fclose(f), 0);
    assert_int_equal(chmod(path, 0700), 0);
    assert_int_equal(setenv("SPBLAS_CC", path, 1), 0);
}

static void
test_compilers_that_are_not(void **state)
{
    static const char *const scripts[] = {
        "while :; do :; done",
        ("printf '\\001\\377garbage\\n' > \"$out\"; printf '\\377\\033[2Jerror\\n'; "
         "exit 1"),
        "exit 0",
        ": > \"$out\"",
        "echo garbage, and a lot of it, to be no object at all > \"$out\"",
        "mkdir \"$out\"",
        "PATH=$PATH:/bin:/usr/bin ln -s /proc/self/exe \"$out\" || exit 1",
        "kill -11 $$",
    };
    const double before = sb_cc_patience(0.5);

    (void)state;
    for (size_t q = 0; q < sizeof scripts / sizeof scripts[0]; q++) {
        compiler_is(scripts[q]);
        assert_true(child_gets("x z", SB_KERNEL_COMPILE, SB_ENOKERNEL));
    }
    (void)sb_cc_patience(before);
    assert_int_equal(sb_box_entries(getenv("SPBLAS_CACHE_DIR")), 0);
    assert_int_equal(sb_box_entries(getenv("TMPDIR")), 0);
}

/* A disk that is full, a linker that was killed: the beginning of an object, and success.
 * The loader would map it and die of a signal. */
static void
test_truncated_object(void **state)
{
    static const char magic[] = "spblas artefact ";
    const sb_kernel *k;
    size_t n, cut[5];
    char path[600], script[1300];

    (void)state;
    NEED_COMPILER();
    assert_int_equal(sb_box_get(&k, "x y", SB_KERNEL_COMPILE), SB_OK);
    n = read_artefact() - (sizeof magic - 1 + 33);
    assert_memory_equal(bytes + n, magic, sizeof magic - 1);
    cut[0] = 40;
    cut[1] = 100;
    cut[2] = 700;
    cut[3] = n / 2;
    cut[4] = n - 1;
    for (size_t q = 0; q <= 5; q++) {
        (void)snprintf(path, sizeof path, "%s/object", sb_box.root);
        write_bytes(path, q < 5 ? cut[q] : n);
        (void)snprintf(script, sizeof script, "cat '%s' > \"$out\"", path);
        compiler_is(script);
        sb_box_artefact(path, sizeof path);
        (void)unlink(path);
        sb_kernel_forget();
        assert_true(child_gets("x y", SB_KERNEL_COMPILE, q < 5 ? SB_ENOKERNEL : SB_OK));
        assert_int_equal(sb_box_entries(getenv("SPBLAS_CACHE_DIR")), q == 5);
        assert_int_equal(sb_box_entries(getenv("TMPDIR")), 0);
        if (q < 5) { /* something for the next round to remove */
            (void)snprintf(path, sizeof path, "%s/empty", getenv("SPBLAS_CACHE_DIR"));
            write_bytes(path, 1);
        }
    }
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(test_damaged_artefacts, sb_box_setup),
        cmocka_unit_test_setup(test_no_file_in_place, sb_box_setup),
        cmocka_unit_test_setup(test_compilers_that_are_not, sb_box_setup),
        cmocka_unit_test_setup(test_truncated_object, sb_box_setup),
    };
    int failed;

    if (!sb_box_open(SB_BINARY_DIR))
        return 1;
    failed = cmocka_run_group_tests(tests, NULL, NULL);
    sb_box_close();
    return failed;
}
