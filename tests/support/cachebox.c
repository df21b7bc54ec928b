#include "cachebox.h"

#include "cpu/cc.h"
#include "runtime/backend.h"

#include <dirent.h>
#include <ftw.h>
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

struct sb_box sb_box;

static sb_status
compile(const char *source, const char *object, sb_isa isa, sb_diag *diag)
{
    const struct timespec pause = {0, 50000000};

    __atomic_fetch_add(&sb_box.compiles, 1, __ATOMIC_RELAXED);
    if (sb_box.slow)
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
    out->key = (sb_hash){strlen(spec), sb_box.edition};
    sb_kernel_symbol(out->key, symbol);
    sb_strbuf_puts(&out->signature, "m n;A tile");
    sb_strbuf_printf(&out->text,
                     "void %s(void *const *b, const void *p, long t0, long t1)\n"
                     "{ (void)p; (void)t0; (void)t1; *(int *)b[0] = 7 + %d%s; }\n",
                     symbol, (int)sb_box.edition, sb_box.broken ? " oops" : "");
    return sb_strbuf_status(&out->text);
}

int
sb_box_value(const sb_kernel *k)
{
    int value = 0;
    void *buf[1] = {&value};

    k->fn(buf, NULL, 0, 0);
    return value;
}

static const sb_kernel_maker maker = {make, NULL};

sb_status
sb_box_get(const sb_kernel **k, const char *spec, sb_kernel_effort effort)
{
    return sb_kernel_get(k, spec, maker, effort);
}

/* Files in a directory, -1 if there is none. */
int
sb_box_entries(const char *dir)
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
void
sb_box_artefact(char *out, size_t size)
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

bool
sb_box_compiler(void)
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

int
sb_box_setup(void **state)
{
    static int number;
    char dir[300];

    (void)state;
    (void)snprintf(dir, sizeof dir, "%s/cache%d", sb_box.root, number);
    assert_int_equal(setenv("SPBLAS_CACHE_DIR", dir, 1), 0);
    (void)snprintf(dir, sizeof dir, "%s/tmp%d", sb_box.root, number++);
    assert_int_equal(mkdir(dir, 0700), 0);
    assert_int_equal(setenv("TMPDIR", dir, 1), 0);
    (void)unsetenv("SPBLAS_JIT");
    (void)unsetenv("SPBLAS_CC");
    assert_int_equal(setenv("PATH", sb_box.path, 1), 0);
    sb_backend_set(&backend);
    sb_kernel_forget();
    sb_box.compiles = 0;
    sb_box.slow = 0;
    sb_box.edition = 1;
    sb_box.broken = false;
    return 0;
}

bool
sb_box_open(const char *folder)
{
    (void)snprintf(sb_box.root, sizeof sb_box.root, "%s/cache-test.XXXXXX", folder);
    if (!mkdtemp(sb_box.root) || chdir(sb_box.root) != 0)
        return false;
    (void)snprintf(sb_box.path, sizeof sb_box.path, "%s", getenv("PATH"));
    (void)umask(002);
    return true;
}

static int
remove_one(const char *path, const struct stat *s, int type, struct FTW *at)
{
    (void)s;
    (void)type;
    (void)at;
    return remove(path);
}

void
sb_box_close(void)
{
    (void)nftw(sb_box.root, remove_one, 16, FTW_DEPTH | FTW_PHYS);
}
