/*
 * Headers compiled once: when they are made, that they are used, and that a kernel is
 * compiled all the same where they are not to be had.
 */
#include "cpu/headers.h"

#include "cachebox.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

static char place[300]; /* of the compiler's stand-in, its log, sources and objects */

static void
path_of(char *out, size_t size, const char *name)
{
    (void)snprintf(out, size, "%s/%s", place, name);
}

static void
write_file(const char *name, const char *text, mode_t mode)
{
    char path[400];
    FILE *f;

    path_of(path, sizeof path, name);
    f = fopen(path, "w");
    assert_non_null(f);
    assert_true(fputs(text, f) >= 0);
    assert_int_equal(fclose(f), 0);
    assert_int_equal(chmod(path, mode), 0);
}

/* A compiler that writes down its words, a line a call; `first` comes before the real one. */
static void
stand_in(const char *first)
{
    char text[1500], path[400];

    path_of(path, sizeof path, "log");
    (void)snprintf(text, sizeof text,
                   "#!/bin/sh\necho \"$@\" >>'%s'\n%s\nexec cc \"$@\"\n", path, first);
    write_file("stand-in", text, 0700);
    path_of(path, sizeof path, "stand-in");
    assert_int_equal(setenv("SPBLAS_CC", path, 1), 0);
}

/* Calls so far, and how many had this word. */
static int
calls(const char *word)
{
    char path[400], line[4000];
    int n = 0;
    FILE *f;

    path_of(path, sizeof path, "log");
    f = fopen(path, "r");
    while (f && fgets(line, sizeof line, f))
        n += !word || strstr(line, word) != NULL;
    if (f)
        (void)fclose(f);
    return n;
}

static int
setup(void **state)
{
    static int boxes;

    if (sb_box_setup(state) != 0)
        return -1;
    (void)snprintf(place, sizeof place, "%s/place%d", sb_box.root, boxes++);
    (void)sb_headers_used(true);
    return mkdir(place, 0700);
}

static int
teardown(void **state)
{
    (void)state;
    return unsetenv("SPBLAS_CC");
}

static const char *prelude =
    ""; /* in front of the kernel, behind the compiler's headers */

static sb_status
compile(const char *body, sb_diag *diag)
{
    char source[400], object[400], text[500];
    sb_status st;

    (void)snprintf(text, sizeof text,
                   "#ifndef SPBLAS_KERNEL_H\n#define SPBLAS_KERNEL_H\n"
                   "#include <immintrin.h>\n%s"
                   "#endif /* SPBLAS_KERNEL_H */\n%s\n",
                   prelude, body);
    write_file("kernel.c", text, 0600);
    path_of(source, sizeof source, "kernel.c");
    path_of(object, sizeof object, "kernel.so");
    (void)unlink(object);
    st = sb_headers_compile(source, object, SB_ISA_V3, diag);
    if (st == SB_OK)
        assert_int_equal(access(object, R_OK), 0);
    return st;
}

#define GOOD "__m256 twice(__m256 x) { return _mm256_add_ps(x, x); }"

static void
compiles(void)
{
    sb_diag diag = {SB_OK, ""};

    if (compile(GOOD, &diag) != SB_OK)
        fail_msg("%s", diag.text);
}

#if defined(__x86_64__)

static void
test_made_once(void **state)
{
    (void)state;
    NEED_COMPILER();
    stand_in("");
    compiles();
    assert_int_equal(calls(NULL), 2);
    assert_int_equal(calls("c-header"), 1);
    assert_int_equal(calls("-include"), 1);
    assert_int_equal(sb_box_entries(getenv("SPBLAS_CACHE_DIR")), 2);
    compiles();
    assert_int_equal(calls(NULL), 3);
    assert_int_equal(calls("-include"), 2);
    assert_true(sb_headers_used(true));
}

static void
test_what_comes_first(void **state)
{
    (void)state;
    NEED_COMPILER();
    stand_in("");
    prelude = "static inline int one(void) { return 1; }\n";
    compiles();
    assert_int_equal(sb_box_entries(getenv("SPBLAS_CACHE_DIR")), 2);
    (void)sb_headers_used(true);
    prelude = "static inline int two(void) { return 2; }\n";
    compiles(); /* as if by another version of the library, beside the first */
    assert_int_equal(sb_box_entries(getenv("SPBLAS_CACHE_DIR")), 4);
    assert_int_equal(calls("c-header"), 2);
    prelude = "";
}

static void
test_without_them(void **state)
{
    char source[400], object[400];

    (void)state;
    NEED_COMPILER();
    stand_in("");
    write_file("kernel.c", "int f(int x) { return x; }\n", 0600);
    path_of(source, sizeof source, "kernel.c");
    path_of(object, sizeof object, "kernel.so");
    assert_int_equal(sb_headers_compile(source, object, SB_ISA_V3, NULL), SB_OK);
    assert_int_equal(calls(NULL), 1);
    assert_true(sb_headers_used(true));
    compiles();
    assert_int_equal(calls("c-header"), 1);
}

static void
test_newer_compiler(void **state)
{
    (void)state;
    NEED_COMPILER();
    stand_in("");
    compiles();
    stand_in("# another");
    compiles(); /* without: making is begun once */
    assert_int_equal(calls("c-header"), 1);
    assert_int_equal(calls("-include"), 1);
    assert_true(sb_headers_used(true));
    compiles();
    assert_int_equal(calls("-include"), 2);
    assert_int_equal(calls("c-header"), 2);
    assert_int_equal(sb_box_entries(getenv("SPBLAS_CACHE_DIR")), 2);
}

static void
test_own_faults(void **state)
{
    sb_diag diag = {SB_OK, ""};

    (void)state;
    NEED_COMPILER();
    stand_in("");
    assert_int_equal(compile("int f(int x) { return y; }", &diag), SB_EIO);
    assert_non_null(strstr(diag.text, "error"));
    assert_true(sb_headers_used(true));
    compiles();
    assert_int_equal(calls("c-header"), 1);
}

static void
test_refused(void **state)
{
    (void)state;
    NEED_COMPILER();
    stand_in("for w in \"$@\"; do [ \"$w\" = -include ] && exit 1; done");
    compiles();
    assert_int_equal(calls(NULL), 3);
    assert_false(sb_headers_used(false));
    compiles();
    assert_int_equal(calls(NULL), 4);
}

static void
test_cannot_be_made(void **state)
{
    (void)state;
    NEED_COMPILER();
    stand_in("for w in \"$@\"; do [ \"$w\" = c-header ] && exit 1; done");
    compiles();
    assert_false(sb_headers_used(false));
    compiles();
    assert_int_equal(calls("c-header"), 1);
    assert_int_equal(calls("-include"), 0);
}

static void
test_damaged(void **state)
{
    (void)state;
    NEED_COMPILER();
    stand_in("case \"$*\" in *c-header*) p=; for w in \"$@\"; do [ \"$p\" = -o ] && "
             "echo damaged >\"$w\" && exit 0; p=$w; done;; esac");
    compiles();
    compiles();
}

static void
test_nowhere(void **state)
{
    (void)state;
    NEED_COMPILER();
    stand_in("");
    assert_int_equal(setenv("SPBLAS_CACHE_DIR", "relative", 1), 0);
    compiles();
    assert_int_equal(calls(NULL), 1);
}

#else

static void
test_elsewhere(void **state)
{
    (void)state;
    skip();
}

#endif

static int
open_box(void **state)
{
    (void)state;
    return sb_box_open(SB_BINARY_DIR) ? 0 : -1;
}

static int
close_box(void **state)
{
    (void)state;
    sb_box_close();
    return 0;
}

int
main(void)
{
#define CASE(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
    const struct CMUnitTest tests[] = {
#if defined(__x86_64__)
        CASE(test_made_once),
        CASE(test_what_comes_first),
        CASE(test_without_them),
        CASE(test_newer_compiler),
        CASE(test_own_faults),
        CASE(test_refused),
        CASE(test_cannot_be_made),
        CASE(test_damaged),
        CASE(test_nowhere),
#else
        CASE(test_elsewhere),
#endif
    };

    return cmocka_run_group_tests(tests, open_box, close_box);
}
