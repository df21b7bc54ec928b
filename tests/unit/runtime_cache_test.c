/*
 * The kernel cache: each way a kernel is found, every artefact that must be refused, and
 * what happens without a compiler or a place to write.
 */
#include "runtime/cache.h"

#include "base/alloc.h"
#include "compiler/spblas_kernel.h"
#include "cpu/cc.h"
#include "runtime/backend.h"
#include "runtime/kernel.h"

#include <dirent.h>
#include <ftw.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

static int compiles;     /* times the compiler was asked */
static int slow;         /* the compiler dawdles */
static uint64_t edition; /* part of the key: another edition is another kernel */
static bool broken;      /* the source does not compile */
static char root[256], old_path[4096];

static sb_status
compile(const char *source, const char *object, sb_isa isa, sb_diag *diag)
{
    const struct timespec pause = {0, 50000000};

    __atomic_fetch_add(&compiles, 1, __ATOMIC_RELAXED);
    if (slow)
        (void)nanosleep(&pause, NULL);
    return sb_cc_compile(source, object, isa, diag);
}

static const sb_backend backend = {.name = "test", .compile = compile};

/* buf[0][0] = 7 + edition */
static sb_status
make(sb_kernel_source *out, const char *spec, const void *user)
{
    char symbol[SB_KERNEL_SYMBOL_MAX];

    (void)user;
    out->key = (sb_hash){strlen(spec), edition};
    sb_kernel_symbol(out->key, symbol);
    sb_strbuf_puts(&out->signature, "m n;A tile");
    sb_strbuf_printf(&out->text,
                     "void %s(void *const *b, const void *p, long t0, long t1)\n"
                     "{ (void)p; (void)t0; (void)t1; *(int *)b[0] = 7 + %d%s; }\n",
                     symbol, (int)edition, broken ? " oops" : "");
    return sb_strbuf_status(&out->text);
}

static int
value_of(const sb_kernel *k)
{
    int value = 0;
    void *buf[1] = {&value};

    k->fn(buf, NULL, 0, 0);
    return value;
}

static const sb_kernel_maker maker = {make, NULL};

static sb_status
get(const sb_kernel **k, const char *spec, sb_kernel_effort effort)
{
    return sb_kernel_get(k, spec, maker, effort);
}

/* Files in a directory, -1 if there is none. */
static int
entries(const char *dir)
{
    DIR *d = opendir(dir);
    const struct dirent *e;
    int n = 0;

    if (!d)
        return -1;
    while ((e = readdir(d)) != NULL)
        n += e->d_name[0] != '.';
    (void)closedir(d);
    return n;
}

/* Path of the only artefact. */
static void
artefact(char *out, size_t size)
{
    DIR *d = opendir(getenv("SPBLAS_CACHE_DIR"));
    const struct dirent *e;

    out[0] = '\0';
    assert_non_null(d);
    while ((e = readdir(d)) != NULL)
        if (e->d_name[0] != '.')
            (void)snprintf(out, size, "%s/%s", getenv("SPBLAS_CACHE_DIR"), e->d_name);
    (void)closedir(d);
    assert_true(out[0] != '\0');
}

static bool
have_compiler(void)
{
    static const char *const names[] = {"cc", "gcc", "clang"};
    char path[4400];

    for (size_t q = 0; q < 3; q++) {
        char copy[4096];
        char *save = NULL;

        (void)snprintf(copy, sizeof copy, "%s", getenv("PATH"));
        for (char *s = strtok_r(copy, ":", &save); s; s = strtok_r(NULL, ":", &save)) {
            (void)snprintf(path, sizeof path, "%s/%s", s, names[q]);
            if (access(path, X_OK) == 0)
                return true;
        }
    }
    return false;
}

static int
setup(void **state)
{
    static int number;
    char dir[300];

    (void)state;
    (void)snprintf(dir, sizeof dir, "%s/cache%d", root, number);
    assert_int_equal(setenv("SPBLAS_CACHE_DIR", dir, 1), 0);
    (void)snprintf(dir, sizeof dir, "%s/tmp%d", root, number++);
    assert_int_equal(mkdir(dir, 0700), 0);
    assert_int_equal(setenv("TMPDIR", dir, 1), 0);
    (void)unsetenv("SPBLAS_JIT");
    (void)unsetenv("SPBLAS_CC");
    assert_int_equal(setenv("PATH", old_path, 1), 0);
    sb_backend_set(&backend);
    sb_kernel_forget();
    compiles = 0;
    slow = 0;
    edition = 1;
    broken = false;
    return 0;
}

#define NEED_COMPILER()       \
    do {                      \
        if (!have_compiler()) \
            skip();           \
    } while (0)

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
    assert_int_equal(get(&k, "x a", SB_KERNEL_RESIDENT), SB_ENOKERNEL);
    assert_null(k);
    assert_int_equal(get(&k, "x a", SB_KERNEL_STORED), SB_ENOKERNEL);
    assert_int_equal(compiles, 0);
    assert_int_equal(get(&k, "x a", SB_KERNEL_COMPILE), SB_OK);
    assert_int_equal(value_of(k), 8);
    assert_string_equal(k->spec, "x a");
    assert_string_equal(k->signature, "m n;A tile");
    assert_int_equal(get(&again, "x a", SB_KERNEL_RESIDENT), SB_OK);
    assert_ptr_equal(again, k);
    sb_kernel_forget();
    assert_int_equal(get(&k, "x a", SB_KERNEL_RESIDENT), SB_ENOKERNEL);
    assert_int_equal(get(&k, "x a", SB_KERNEL_STORED), SB_OK);
    assert_int_equal(value_of(k), 8);
    assert_int_equal(compiles, 1);
    s = sb_kernel_get_stats();
    assert_int_equal(s.compiled - before.compiled, 1);
    assert_int_equal(s.disk_hits - before.disk_hits, 1);
    assert_int_equal(s.memory_hits - before.memory_hits, 1);
    assert_int_equal(entries(getenv("SPBLAS_CACHE_DIR")), 1);
    assert_int_equal(entries(getenv("TMPDIR")), 0);
}

static void
test_files_are_private(void **state)
{
    const sb_kernel *k;
    char path[600];
    struct stat s;

    (void)state;
    NEED_COMPILER();
    assert_int_equal(get(&k, "x p", SB_KERNEL_COMPILE), SB_OK);
    assert_int_equal(stat(getenv("SPBLAS_CACHE_DIR"), &s), 0);
    assert_int_equal(s.st_mode & 0777, 0700);
    artefact(path, sizeof path);
    assert_int_equal(stat(path, &s), 0);
    assert_int_equal(s.st_mode & 0077, 0);
}

static void
test_resident_allocates_nothing(void **state)
{
    const sb_kernel *k;
    int64_t asked;

    (void)state;
    (void)get(&k, "x r", SB_KERNEL_RESIDENT);
    (void)sb_alloc_fail_after(-1);
    assert_int_equal(get(&k, "x r", SB_KERNEL_RESIDENT), SB_ENOKERNEL);
    asked = sb_alloc_fail_after(-1);
    assert_int_equal(asked, 0);
    assert_int_equal(entries(getenv("SPBLAS_CACHE_DIR")), -1);
}

static void
test_jit_off(void **state)
{
    const sb_kernel *k;

    (void)state;
    assert_int_equal(setenv("SPBLAS_JIT", "off", 1), 0);
    assert_int_equal(get(&k, "x j", SB_KERNEL_COMPILE), SB_ENOKERNEL);
    assert_null(k);
    assert_int_equal(compiles, 0);
    assert_true(entries(getenv("SPBLAS_CACHE_DIR")) <= 0);
    NEED_COMPILER();
    (void)unsetenv("SPBLAS_JIT");
    assert_int_equal(get(&k, "x j", SB_KERNEL_COMPILE), SB_OK);
}

static void
test_no_compiler(void **state)
{
    const sb_kernel *k;

    (void)state;
    assert_int_equal(setenv("PATH", "/nonexistent", 1), 0);
    assert_int_equal(get(&k, "x n", SB_KERNEL_COMPILE), SB_ENOKERNEL);
    assert_int_equal(entries(getenv("SPBLAS_CACHE_DIR")), 0);
    assert_int_equal(setenv("SPBLAS_CC", "no-such-compiler", 1), 0);
    assert_int_equal(setenv("PATH", old_path, 1), 0);
    assert_int_equal(get(&k, "x n", SB_KERNEL_COMPILE), SB_ENOKERNEL);
    NEED_COMPILER();
    (void)unsetenv("SPBLAS_CC");
    assert_int_equal(get(&k, "x n", SB_KERNEL_COMPILE), SB_OK);
}

static void
test_source_that_does_not_compile(void **state)
{
    const sb_kernel *k;

    (void)state;
    NEED_COMPILER();
    broken = true;
    assert_int_equal(get(&k, "x b", SB_KERNEL_COMPILE), SB_ENOKERNEL);
    assert_int_equal(get(&k, "x b", SB_KERNEL_COMPILE), SB_ENOKERNEL);
    assert_int_equal(compiles, 1); /* not asked again */
    assert_int_equal(entries(getenv("SPBLAS_CACHE_DIR")), 0);
}

/* Leaves the first `keep` bytes and changes the one at `flip`. */
static void
damage(long keep, long flip)
{
    static char text[1 << 20];
    char path[600];
    size_t n;
    FILE *f;

    artefact(path, sizeof path);
    f = fopen(path, "rb");
    assert_non_null(f);
    n = fread(text, 1, sizeof text, f);
    assert_int_equal(fclose(f), 0);
    assert_true(n > 1000);
    if (flip >= 0)
        text[flip] ^= 1;
    assert_int_equal(unlink(path), 0); /* the old file is mapped: leave it alone */
    f = fopen(path, "wb");
    assert_non_null(f);
    assert_int_equal(chmod(path, 0700), 0);
    assert_int_equal(fwrite(text, 1, keep < 0 ? n : (size_t)keep, f),
                     keep < 0 ? n : (size_t)keep);
    assert_int_equal(fclose(f), 0);
}

static void
test_damaged_artefacts(void **state)
{
    static const long keep[] = {-1, 0, 10, 700, -1};
    static const long flip[] = {0, -1, -1, -1, 900};
    const sb_kernel *k;

    (void)state;
    NEED_COMPILER();
    assert_int_equal(get(&k, "x d", SB_KERNEL_COMPILE), SB_OK);
    for (size_t q = 0; q < sizeof keep / sizeof keep[0]; q++) {
        damage(keep[q], flip[q]);
        sb_kernel_forget();
        assert_int_equal(get(&k, "x d", SB_KERNEL_STORED), SB_ENOKERNEL);
        assert_int_equal(get(&k, "x d", SB_KERNEL_COMPILE), SB_OK);
        assert_int_equal(value_of(k), 8);
        assert_int_equal(compiles, 2 + q);
    }
    assert_int_equal(entries(getenv("SPBLAS_CACHE_DIR")), 1);
}

/* The emitter changed: what lies on disk was made from other source. */
static void
test_other_key(void **state)
{
    const sb_kernel *k;

    (void)state;
    NEED_COMPILER();
    assert_int_equal(get(&k, "x k", SB_KERNEL_COMPILE), SB_OK);
    assert_int_equal(value_of(k), 8);
    sb_kernel_forget();
    edition = 2;
    assert_int_equal(get(&k, "x k", SB_KERNEL_STORED), SB_ENOKERNEL);
    assert_int_equal(get(&k, "x k", SB_KERNEL_COMPILE), SB_OK);
    assert_int_equal(value_of(k), 9);
    assert_int_equal(compiles, 2);
}

/* Two specs, one key of source: only the recorded names tell the artefacts apart. */
static void
test_other_spec_in_place(void **state)
{
    const sb_kernel *k;
    char first[600], second[600];

    (void)state;
    NEED_COMPILER();
    assert_int_equal(get(&k, "x s1", SB_KERNEL_COMPILE), SB_OK);
    artefact(first, sizeof first);
    assert_int_equal(rename(first, "moved.so.test"), 0);
    assert_int_equal(get(&k, "x s2", SB_KERNEL_COMPILE), SB_OK);
    artefact(second, sizeof second);
    assert_int_equal(rename("moved.so.test", second), 0);
    sb_kernel_forget();
    assert_int_equal(get(&k, "x s2", SB_KERNEL_STORED), SB_ENOKERNEL);
}

static void
test_writable_by_others(void **state)
{
    const sb_kernel *k;
    char path[600];

    (void)state;
    NEED_COMPILER();
    assert_int_equal(get(&k, "x w", SB_KERNEL_COMPILE), SB_OK);
    artefact(path, sizeof path);
    assert_int_equal(chmod(path, 0720), 0);
    sb_kernel_forget();
    assert_int_equal(get(&k, "x w", SB_KERNEL_STORED), SB_ENOKERNEL);
    assert_int_equal(chmod(path, 0700), 0);
    assert_int_equal(get(&k, "x w", SB_KERNEL_STORED), SB_OK);
    sb_kernel_forget();
    assert_int_equal(chmod(getenv("SPBLAS_CACHE_DIR"), 0770), 0);
    assert_int_equal(get(&k, "x w", SB_KERNEL_STORED), SB_ENOKERNEL);
    assert_int_equal(chmod(getenv("SPBLAS_CACHE_DIR"), 0700), 0);
    assert_int_equal(get(&k, "x w", SB_KERNEL_STORED), SB_OK);
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
    assert_int_equal(get(&k, "x o", SB_KERNEL_COMPILE), SB_OK);
    artefact(path, sizeof path);
    assert_int_equal(chown(path, 12345, (gid_t)-1), 0);
    sb_kernel_forget();
    assert_int_equal(get(&k, "x o", SB_KERNEL_STORED), SB_ENOKERNEL);
}

/* A link in place of the artefact is not followed. */
static void
test_link(void **state)
{
    const sb_kernel *k;
    char path[600], moved[600];

    (void)state;
    NEED_COMPILER();
    assert_int_equal(get(&k, "x l", SB_KERNEL_COMPILE), SB_OK);
    artefact(path, sizeof path);
    (void)snprintf(moved, sizeof moved, "%s/elsewhere.so", getenv("TMPDIR"));
    assert_int_equal(rename(path, moved), 0);
    assert_int_equal(symlink(moved, path), 0);
    sb_kernel_forget();
    assert_int_equal(get(&k, "x l", SB_KERNEL_STORED), SB_ENOKERNEL);
}

/* No place to keep it: compiled for this process, nothing left behind. */
static void
test_unwritable(void **state)
{
    const sb_kernel *k;

    (void)state;
    NEED_COMPILER();
    assert_int_equal(setenv("SPBLAS_CACHE_DIR", "/dev/null/cache", 1), 0);
    assert_int_equal(get(&k, "x u", SB_KERNEL_COMPILE), SB_OK);
    assert_int_equal(value_of(k), 8);
    assert_int_equal(entries(getenv("TMPDIR")), 0);
    sb_kernel_forget();
    assert_int_equal(get(&k, "x u", SB_KERNEL_STORED), SB_ENOKERNEL);
    assert_int_equal(setenv("SPBLAS_CACHE_DIR", "relative", 1), 0);
    assert_int_equal(get(&k, "x u", SB_KERNEL_COMPILE), SB_OK);
    assert_int_equal(entries("relative"), -1);
}

static void *
ask(void *out)
{
    const sb_kernel **k = out;

    return get(k, "x t", SB_KERNEL_COMPILE) == SB_OK ? out : NULL;
}

static void
test_threads(void **state)
{
    const sb_kernel *k[4] = {NULL};
    pthread_t id[4];

    (void)state;
    NEED_COMPILER();
    slow = 1;
    for (int q = 0; q < 4; q++)
        assert_int_equal(pthread_create(&id[q], NULL, ask, &k[q]), 0);
    for (int q = 0; q < 4; q++) {
        void *ok;

        assert_int_equal(pthread_join(id[q], &ok), 0);
        assert_non_null(ok);
    }
    assert_int_equal(compiles, 1);
    for (int q = 1; q < 4; q++)
        assert_ptr_equal(k[q], k[0]);
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
        assert_int_equal(get(&k, spec, SB_KERNEL_COMPILE), SB_ENOKERNEL);
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
    assert_int_equal(get(&k, spec, SB_KERNEL_COMPILE), SB_EINVAL);
}

static void
test_out_of_memory(void **state)
{
    const sb_kernel *k;
    sb_status st = SB_ENOMEM;
    int n = 0;

    (void)state;
    NEED_COMPILER();
    assert_int_equal(get(&k, "x m", SB_KERNEL_COMPILE), SB_OK);
    for (; st == SB_ENOMEM; n++) {
        sb_kernel_forget();
        (void)sb_alloc_fail_after(n);
        st = get(&k, "x m", SB_KERNEL_STORED);
        (void)sb_alloc_fail_after(-1);
        assert_true(n < 200);
    }
    assert_int_equal(st, SB_OK);
    assert_true(n > 3);
    assert_int_equal(value_of(k), 8);
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
        assert_int_equal(get(&k, t->spec, SB_KERNEL_RESIDENT), SB_OK);
        assert_string_equal(k->spec, t->spec);
    }
    assert_true(sb_kernel_get_stats().builtin_hits > before.builtin_hits);
}

static int
remove_one(const char *path, const struct stat *s, int type, struct FTW *at)
{
    (void)s;
    (void)type;
    (void)at;
    return remove(path);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(test_layout, setup),
        cmocka_unit_test_setup(test_levels, setup),
        cmocka_unit_test_setup(test_files_are_private, setup),
        cmocka_unit_test_setup(test_resident_allocates_nothing, setup),
        cmocka_unit_test_setup(test_jit_off, setup),
        cmocka_unit_test_setup(test_no_compiler, setup),
        cmocka_unit_test_setup(test_source_that_does_not_compile, setup),
        cmocka_unit_test_setup(test_damaged_artefacts, setup),
        cmocka_unit_test_setup(test_other_key, setup),
        cmocka_unit_test_setup(test_other_spec_in_place, setup),
        cmocka_unit_test_setup(test_writable_by_others, setup),
        cmocka_unit_test_setup(test_other_owner, setup),
        cmocka_unit_test_setup(test_link, setup),
        cmocka_unit_test_setup(test_unwritable, setup),
        cmocka_unit_test_setup(test_threads, setup),
        cmocka_unit_test_setup(test_many_specs, setup),
        cmocka_unit_test_setup(test_long_spec, setup),
        cmocka_unit_test_setup(test_out_of_memory, setup),
        cmocka_unit_test_setup(test_builtin, setup),
    };

    int failed;

    (void)snprintf(root, sizeof root, "%s/cache-test.XXXXXX", SB_BINARY_DIR);
    if (!mkdtemp(root) || chdir(root) != 0)
        return 1;
    (void)snprintf(old_path, sizeof old_path, "%s", getenv("PATH"));
    (void)umask(002);
    failed = cmocka_run_group_tests(tests, NULL, NULL);
    (void)nftw(root, remove_one, 16, FTW_DEPTH | FTW_PHYS);
    return failed;
}
