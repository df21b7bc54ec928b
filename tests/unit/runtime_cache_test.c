/*
 * The kernel cache: each way a kernel is found, every artefact that must be refused, and
 * what happens without a compiler or a place to write.
 */
#include "runtime/cache.h"

#include "base/alloc.h"
#include "base/sync.h"
#include "cachebox.h"
#include "compiler/spblas_kernel.h"

#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

static void
test_layout(void **state)
{
    (void)state;
    assert_int_equal(sizeof(sb_param), sizeof(sb_kparam));
    assert_int_equal(offsetof(sb_param, i), offsetof(sb_kparam, i));
    assert_int_equal(offsetof(sb_param, i32), offsetof(sb_kparam, i32));
    assert_int_equal(offsetof(sb_param, f), offsetof(sb_kparam, f));
    assert_int_equal(offsetof(sb_param, d), offsetof(sb_kparam, d));
}

static void
test_levels(void **state)
{
    const sb_kernel_stats before = sb_kernel_get_stats();
    const sb_kernel *k, *again;
    sb_kernel_stats s;

    (void)state;
    NEED_COMPILER();
    assert_int_equal(sb_box_get(&k, "x a", SB_KERNEL_RESIDENT), SB_ENOKERNEL);
    assert_null(k);
    assert_int_equal(sb_box_get(&k, "x a", SB_KERNEL_STORED), SB_ENOKERNEL);
    assert_int_equal(sb_box.compiles, 0);
    assert_int_equal(sb_box_get(&k, "x a", SB_KERNEL_COMPILE), SB_OK);
    assert_int_equal(sb_box_value(k), 8);
    assert_string_equal(k->spec, "x a");
    assert_string_equal(k->signature, "m n;A tile");
    assert_int_equal(sb_box_get(&again, "x a", SB_KERNEL_RESIDENT), SB_OK);
    assert_ptr_equal(again, k);
    sb_kernel_forget();
    assert_int_equal(sb_box_get(&k, "x a", SB_KERNEL_RESIDENT), SB_ENOKERNEL);
    assert_int_equal(sb_box_get(&k, "x a", SB_KERNEL_STORED), SB_OK);
    assert_int_equal(sb_box_value(k), 8);
    assert_int_equal(sb_box.compiles, 1);
    s = sb_kernel_get_stats();
    assert_int_equal(s.compiled - before.compiled, 1);
    assert_int_equal(s.disk_hits - before.disk_hits, 1);
    assert_int_equal(s.memory_hits - before.memory_hits, 1);
    assert_int_equal(sb_box_entries(getenv("SPBLAS_CACHE_DIR")), 1);
    assert_int_equal(sb_box_entries(getenv("TMPDIR")), 0);
}

static void
test_files_are_private(void **state)
{
    const sb_kernel *k;
    char path[600];
    struct stat s;

    (void)state;
    NEED_COMPILER();
    assert_int_equal(sb_box_get(&k, "x p", SB_KERNEL_COMPILE), SB_OK);
    assert_int_equal(stat(getenv("SPBLAS_CACHE_DIR"), &s), 0);
    assert_int_equal(s.st_mode & 0777, 0700);
    sb_box_artefact(path, sizeof path);
    assert_int_equal(stat(path, &s), 0);
    assert_int_equal(s.st_mode & 0077, 0);
}

static void
test_resident_allocates_nothing(void **state)
{
    const sb_kernel *k;
    int64_t asked;

    (void)state;
    (void)sb_box_get(&k, "x r", SB_KERNEL_RESIDENT);
    (void)sb_alloc_fail_after(-1);
    assert_int_equal(sb_box_get(&k, "x r", SB_KERNEL_RESIDENT), SB_ENOKERNEL);
    asked = sb_alloc_fail_after(-1);
    assert_int_equal(asked, 0);
    assert_int_equal(sb_box_entries(getenv("SPBLAS_CACHE_DIR")), -1);
}

static void
test_jit_off(void **state)
{
    const sb_kernel *k;

    (void)state;
    assert_int_equal(setenv("SPBLAS_JIT", "off", 1), 0);
    assert_int_equal(sb_box_get(&k, "x j", SB_KERNEL_COMPILE), SB_ENOKERNEL);
    assert_null(k);
    assert_int_equal(sb_box.compiles, 0);
    assert_true(sb_box_entries(getenv("SPBLAS_CACHE_DIR")) <= 0);
    NEED_COMPILER();
    (void)unsetenv("SPBLAS_JIT");
    assert_int_equal(sb_box_get(&k, "x j", SB_KERNEL_COMPILE), SB_OK);
}

static void
test_no_compiler(void **state)
{
    const sb_kernel *k;

    (void)state;
    assert_int_equal(setenv("PATH", "/nonexistent", 1), 0);
    assert_int_equal(sb_box_get(&k, "x n", SB_KERNEL_COMPILE), SB_ENOKERNEL);
    assert_int_equal(sb_box_entries(getenv("SPBLAS_CACHE_DIR")), 0);
    assert_int_equal(setenv("SPBLAS_CC", "no-such-compiler", 1), 0);
    assert_int_equal(setenv("PATH", sb_box.path, 1), 0);
    assert_int_equal(sb_box_get(&k, "x n", SB_KERNEL_COMPILE), SB_ENOKERNEL);
    NEED_COMPILER();
    (void)unsetenv("SPBLAS_CC");
    assert_int_equal(sb_box_get(&k, "x n", SB_KERNEL_COMPILE), SB_OK);
}

static void
test_source_that_does_not_compile(void **state)
{
    const sb_kernel *k;

    (void)state;
    NEED_COMPILER();
    sb_box.broken = true;
    assert_int_equal(sb_box_get(&k, "x b", SB_KERNEL_COMPILE), SB_ENOKERNEL);
    assert_int_equal(sb_box_get(&k, "x b", SB_KERNEL_COMPILE), SB_ENOKERNEL);
    assert_int_equal(sb_box.compiles, 1); /* not asked again */
    assert_int_equal(sb_box_entries(getenv("SPBLAS_CACHE_DIR")), 0);
}

/* The emitter changed: what lies on disk was made from other source. */
static void
test_other_key(void **state)
{
    const sb_kernel *k;

    (void)state;
    NEED_COMPILER();
    assert_int_equal(sb_box_get(&k, "x k", SB_KERNEL_COMPILE), SB_OK);
    assert_int_equal(sb_box_value(k), 8);
    sb_kernel_forget();
    sb_box.edition = 2;
    assert_int_equal(sb_box_get(&k, "x k", SB_KERNEL_STORED), SB_ENOKERNEL);
    assert_int_equal(sb_box_get(&k, "x k", SB_KERNEL_COMPILE), SB_OK);
    assert_int_equal(sb_box_value(k), 9);
    assert_int_equal(sb_box.compiles, 2);
}

/* Two specs, one key of source: only the recorded names tell the artefacts apart. */
static void
test_other_spec_in_place(void **state)
{
    const sb_kernel *k;
    char first[600], second[600];

    (void)state;
    NEED_COMPILER();
    assert_int_equal(sb_box_get(&k, "x s1", SB_KERNEL_COMPILE), SB_OK);
    sb_box_artefact(first, sizeof first);
    assert_int_equal(rename(first, "moved.so.test"), 0);
    assert_int_equal(sb_box_get(&k, "x s2", SB_KERNEL_COMPILE), SB_OK);
    sb_box_artefact(second, sizeof second);
    assert_int_equal(rename("moved.so.test", second), 0);
    sb_kernel_forget();
    assert_int_equal(sb_box_get(&k, "x s2", SB_KERNEL_STORED), SB_ENOKERNEL);
}

static void
test_writable_by_others(void **state)
{
    const sb_kernel *k;
    char path[600];

    (void)state;
    NEED_COMPILER();
    assert_int_equal(sb_box_get(&k, "x w", SB_KERNEL_COMPILE), SB_OK);
    sb_box_artefact(path, sizeof path);
    assert_int_equal(chmod(path, 0720), 0);
    sb_kernel_forget();
    assert_int_equal(sb_box_get(&k, "x w", SB_KERNEL_STORED), SB_ENOKERNEL);
    assert_int_equal(chmod(path, 0700), 0);
    assert_int_equal(sb_box_get(&k, "x w", SB_KERNEL_STORED), SB_OK);
    sb_kernel_forget();
    assert_int_equal(chmod(getenv("SPBLAS_CACHE_DIR"), 0770), 0);
    assert_int_equal(sb_box_get(&k, "x w", SB_KERNEL_STORED), SB_ENOKERNEL);
    assert_int_equal(chmod(getenv("SPBLAS_CACHE_DIR"), 0700), 0);
    assert_int_equal(sb_box_get(&k, "x w", SB_KERNEL_STORED), SB_OK);
}

/* Owned by somebody else: only root can arrange that. */
static void
test_other_owner(void **state)
{
    const sb_kernel *k;
    char path[600];

    (void)state;
    if (geteuid() != 0)
        skip();
    NEED_COMPILER();
    assert_int_equal(sb_box_get(&k, "x o", SB_KERNEL_COMPILE), SB_OK);
    sb_box_artefact(path, sizeof path);
    assert_int_equal(chown(path, 12345, (gid_t)-1), 0);
    sb_kernel_forget();
    assert_int_equal(sb_box_get(&k, "x o", SB_KERNEL_STORED), SB_ENOKERNEL);
}

/* A link in place of the artefact is not followed. */
static void
test_link(void **state)
{
    const sb_kernel *k;
    char path[600], moved[600];

    (void)state;
    NEED_COMPILER();
    assert_int_equal(sb_box_get(&k, "x l", SB_KERNEL_COMPILE), SB_OK);
    sb_box_artefact(path, sizeof path);
    (void)snprintf(moved, sizeof moved, "%s/elsewhere.so", getenv("TMPDIR"));
    assert_int_equal(rename(path, moved), 0);
    assert_int_equal(symlink(moved, path), 0);
    sb_kernel_forget();
    assert_int_equal(sb_box_get(&k, "x l", SB_KERNEL_STORED), SB_ENOKERNEL);
}

/* No place to keep it: compiled for this process, nothing left behind. */
static void
test_unwritable(void **state)
{
    const sb_kernel *k;

    (void)state;
    NEED_COMPILER();
    assert_int_equal(setenv("SPBLAS_CACHE_DIR", "/dev/null/cache", 1), 0);
    assert_int_equal(sb_box_get(&k, "x u", SB_KERNEL_COMPILE), SB_OK);
    assert_int_equal(sb_box_value(k), 8);
    assert_int_equal(sb_box_entries(getenv("TMPDIR")), 0);
    sb_kernel_forget();
    assert_int_equal(sb_box_get(&k, "x u", SB_KERNEL_STORED), SB_ENOKERNEL);
    assert_int_equal(setenv("SPBLAS_CACHE_DIR", "relative", 1), 0);
    assert_int_equal(sb_box_get(&k, "x u", SB_KERNEL_COMPILE), SB_OK);
    assert_int_equal(sb_box_entries("relative"), -1);
}

static void *
ask(void *out)
{
    const sb_kernel **k = out;

    return sb_box_get(k, "x t", SB_KERNEL_COMPILE) == SB_OK ? out : NULL;
}

static void
test_threads(void **state)
{
    const sb_kernel *k[4] = {NULL};
    pthread_t id[4];

    (void)state;
    NEED_COMPILER();
    sb_box.slow = 1;
    for (int q = 0; q < 4; q++)
        assert_int_equal(pthread_create(&id[q], NULL, ask, &k[q]), 0);
    for (int q = 0; q < 4; q++) {
        void *ok;

        assert_int_equal(pthread_join(id[q], &ok), 0);
        assert_non_null(ok);
    }
    assert_int_equal(sb_box.compiles, 1);
    for (int q = 1; q < 4; q++)
        assert_ptr_equal(k[q], k[0]);
}

/* A child of a process one thread of which compiles, while another waits for it. */
static void
test_child(void **state)
{
    const struct timespec pause = {0, 10000000};
    const sb_kernel *k[3] = {NULL};
    pthread_t id[2];
    pid_t child;
    int status;

    (void)state;
    NEED_COMPILER();
    sb_box.slow = 1;
    for (int q = 0; q < 2; q++)
        assert_int_equal(pthread_create(&id[q], NULL, ask, &k[q]), 0);
    while (__atomic_load_n(&sb_box.compiles, __ATOMIC_RELAXED) == 0)
        sb_yield();
    (void)nanosleep(&pause, NULL);
    child = fork();
    if (child == 0) {
        (void)alarm(30);
        for (int q = 0; q < 3; q++) {
            const char *spec = q == 0 ? "x t" : q == 1 ? "x child" : "x grown";

            if (sb_box_get(&k[2], spec, SB_KERNEL_COMPILE) != SB_OK ||
                sb_box_value(k[2]) != 8)
                _exit(1);
        }
        _exit(0);
    }
    for (int q = 0; q < 2; q++)
        assert_int_equal(pthread_join(id[q], NULL), 0);
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    assert_int_equal(sb_box.compiles, 1);
}

/* A file's lock is given back while a child has the file open. */
static void
test_lock_and_child(void **state)
{
    sb_diag diag = {0};
    pid_t child;
    int held;

    (void)state;
    assert_int_equal(sb_cache_lock(&held, "shared", &diag), SB_OK);
    child = fork();
    if (child == 0) {
        (void)alarm(30);
        (void)pause();
        _exit(0);
    }
    sb_cache_unlock(held);
    assert_int_equal(sb_cache_lock(&held, "shared", &diag), SB_OK);
    sb_cache_unlock(held);
    assert_int_equal(kill(child, SIGKILL), 0);
    assert_int_equal(waitpid(child, NULL, 0), child);
}

static void
test_many_specs(void **state)
{
    const sb_kernel *k;
    char spec[16];

    (void)state;
    assert_int_equal(setenv("SPBLAS_JIT", "off", 1), 0);
    for (int q = 0; q < 300; q++) {
        (void)snprintf(spec, sizeof spec, "many %d", q);
        assert_int_equal(sb_box_get(&k, spec, SB_KERNEL_COMPILE), SB_ENOKERNEL);
    }
}

static void
test_long_spec(void **state)
{
    const sb_kernel *k;
    char spec[SB_SPEC_MAX + 1];

    (void)state;
    memset(spec, 'a', SB_SPEC_MAX);
    spec[SB_SPEC_MAX] = '\0';
    assert_int_equal(sb_box_get(&k, spec, SB_KERNEL_COMPILE), SB_EINVAL);
}

static void
test_out_of_memory(void **state)
{
    const sb_kernel *k;
    sb_status st = SB_ENOMEM;
    int n = 0;

    (void)state;
    NEED_COMPILER();
    assert_int_equal(sb_box_get(&k, "x m", SB_KERNEL_COMPILE), SB_OK);
    for (; st == SB_ENOMEM; n++) {
        sb_kernel_forget();
        (void)sb_alloc_fail_after(n);
        st = sb_box_get(&k, "x m", SB_KERNEL_STORED);
        (void)sb_alloc_fail_after(-1);
        assert_true(n < 200);
    }
    assert_int_equal(st, SB_OK);
    assert_true(n > 3);
    assert_int_equal(sb_box_value(k), 8);
}

static void
test_builtin(void **state)
{
    const sb_kernel_stats before = sb_kernel_get_stats();
    const sb_kernel *t = NULL, *k;

    (void)state;
    for (int isa = 0; isa <= (int)sb_target_get()->isa; isa++)
        t = sb_builtin_tables[isa] ? sb_builtin_tables[isa] : t;
    if (!t || !t->spec)
        skip();
    assert_int_equal(setenv("SPBLAS_JIT", "off", 1), 0);
    for (; t->spec; t++) {
        assert_int_equal(sb_box_get(&k, t->spec, SB_KERNEL_RESIDENT), SB_OK);
        assert_string_equal(k->spec, t->spec);
    }
    assert_true(sb_kernel_get_stats().builtin_hits > before.builtin_hits);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(test_layout, sb_box_setup),
        cmocka_unit_test_setup(test_levels, sb_box_setup),
        cmocka_unit_test_setup(test_files_are_private, sb_box_setup),
        cmocka_unit_test_setup(test_resident_allocates_nothing, sb_box_setup),
        cmocka_unit_test_setup(test_jit_off, sb_box_setup),
        cmocka_unit_test_setup(test_no_compiler, sb_box_setup),
        cmocka_unit_test_setup(test_source_that_does_not_compile, sb_box_setup),
        cmocka_unit_test_setup(test_other_key, sb_box_setup),
        cmocka_unit_test_setup(test_other_spec_in_place, sb_box_setup),
        cmocka_unit_test_setup(test_writable_by_others, sb_box_setup),
        cmocka_unit_test_setup(test_other_owner, sb_box_setup),
        cmocka_unit_test_setup(test_link, sb_box_setup),
        cmocka_unit_test_setup(test_unwritable, sb_box_setup),
        cmocka_unit_test_setup(test_threads, sb_box_setup),
        cmocka_unit_test_setup(test_child, sb_box_setup),
        cmocka_unit_test_setup(test_lock_and_child, sb_box_setup),
        cmocka_unit_test_setup(test_many_specs, sb_box_setup),
        cmocka_unit_test_setup(test_long_spec, sb_box_setup),
        cmocka_unit_test_setup(test_out_of_memory, sb_box_setup),
        cmocka_unit_test_setup(test_builtin, sb_box_setup),
    };
    int failed;

    if (!sb_box_open(SB_BINARY_DIR))
        return 1;
    failed = cmocka_run_group_tests(tests, NULL, NULL);
    sb_box_close();
    return failed;
}
