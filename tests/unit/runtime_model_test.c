/*
 * Coefficients as text and as a file: what is written reads back, and nothing else is
 * believed.
 */
#include "runtime/model.h"

#include "cachebox.h"
#include "runtime/cache.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

/* This machine with coefficients of its own. */
static sb_target
tuned(void)
{
    sb_target t = *sb_target_get();

    t.flops = 123.5e9;
    t.gather_mem = 1e10 / 3;
    t.step_seconds = 0;
    t.factor[SB_OP_SPMM][SB_PART_CSR] = (sb_factor){0.1, 0, 3};
    t.factor[SB_OP_SDDMM][SB_CLASS_HYB] = (sb_factor){7, 8, 9e-3};
    return t;
}

static sb_strbuf
text_of(const sb_target *t)
{
    sb_strbuf out;

    sb_strbuf_init(&out);
    sb_model_print(&out, t);
    assert_int_equal(sb_strbuf_status(&out), SB_OK);
    return out;
}

static void
test_round_trip(void **state)
{
    const sb_target t = tuned();
    sb_target back = *sb_target_get();
    sb_strbuf text = text_of(&t);

    (void)state;
    assert_int_equal(sb_model_parse(&back, text.s, text.len, NULL), SB_OK);
    assert_memory_equal(&back, &t, sizeof t);
    sb_strbuf_free(&text);
}

/* One byte changed anywhere, or the text cut anywhere. */
static void
test_damage(void **state)
{
    const sb_target t = tuned(), before = *sb_target_get();
    sb_target back = before;
    sb_strbuf text = text_of(&t);

    (void)state;
    for (size_t q = 0; q < text.len; q++) {
        sb_diag why = {SB_OK, ""};

        text.s[q] ^= 4;
        assert_int_not_equal(sb_model_parse(&back, text.s, text.len, &why), SB_OK);
        assert_true(why.text[0]);
        text.s[q] ^= 4;
        assert_int_not_equal(sb_model_parse(&back, text.s, q, NULL), SB_OK);
    }
    assert_memory_equal(&back, &before, sizeof back);
    sb_strbuf_free(&text);
}

/* A sound seal does not make a number plausible. */
static void
refuse(void (*spoil)(sb_target *t))
{
    const sb_target before = *sb_target_get();
    sb_target t = tuned(), back = before;
    sb_strbuf text;

    spoil(&t);
    text = text_of(&t);
    assert_int_equal(sb_model_parse(&back, text.s, text.len, NULL), SB_EPARSE);
    assert_memory_equal(&back, &before, sizeof back);
    sb_strbuf_free(&text);
}

static void
spoil_rate(sb_target *t)
{
    t->bw_l2 = 0;
}

static void
spoil_factor(sb_target *t)
{
    t->factor[SB_OP_SPMV][SB_PART_SELL].entry = -1;
}

static void
spoil_nan(sb_target *t)
{
    t->tile_seconds = 0.0 / (t->flops - t->flops);
}

static void
test_implausible(void **state)
{
    (void)state;
    refuse(spoil_rate);
    refuse(spoil_factor);
    refuse(spoil_nan);
}

static void
test_other_machine(void **state)
{
    const sb_target before = *sb_target_get();
    sb_target t = tuned(), back = before;
    sb_diag why = {SB_OK, ""};
    sb_strbuf text;

    (void)state;
    t.threads++;
    text = text_of(&t);
    assert_int_equal(sb_model_parse(&back, text.s, text.len, &why), SB_SKIP);
    assert_non_null(strstr(why.text, "another machine"));
    assert_memory_equal(&back, &before, sizeof back);
    sb_strbuf_free(&text);
}

/* ---- file ------------------------------------------------------------------------- */

static void
store(char *path, size_t size)
{
    const sb_target t = tuned();
    sb_strbuf name;

    sb_strbuf_init(&name);
    assert_int_equal(sb_model_store(&t, &name, NULL), SB_OK);
    assert_true(name.len < size);
    memcpy(path, name.s, name.len + 1);
    sb_strbuf_free(&name);
}

static bool
loads(void)
{
    sb_target t = *sb_target_get();

    sb_model_load(&t);
    return t.flops == 123.5e9;
}

static void
test_file(void **state)
{
    char path[512];

    (void)state;
    assert_false(loads()); /* and makes no folder */
    assert_int_equal(sb_box_entries(getenv("SPBLAS_CACHE_DIR")), -1);
    store(path, sizeof path);
    assert_true(loads());
    store(path, sizeof path);
    assert_true(loads());
    assert_int_equal(sb_box_entries(getenv("SPBLAS_CACHE_DIR")), 1);
}

static void
test_foreign_file(void **state)
{
    char path[512], moved[600];
    FILE *f;

    (void)state;
    store(path, sizeof path);
    assert_int_equal(chmod(path, 0660), 0);
    assert_false(loads());
    assert_int_equal(chmod(path, 0600), 0);
    assert_true(loads());
    (void)snprintf(moved, sizeof moved, "%s.moved", path);
    assert_int_equal(rename(path, moved), 0);
    assert_int_equal(symlink(moved, path), 0);
    assert_false(loads());
    assert_int_equal(unlink(path), 0);
    assert_int_equal(mkdir(path, 0700), 0);
    assert_false(loads());
    assert_int_equal(rmdir(path), 0);
    assert_int_equal(rename(moved, path), 0);
    f = fopen(path, "a");
    assert_non_null(f);
    assert_true(fputc('x', f) == 'x');
    assert_int_equal(fclose(f), 0);
    assert_false(loads());
}

static void
test_environment(void **state)
{
    char path[512], named[600];

    (void)state;
    store(path, sizeof path);
    assert_int_equal(setenv("SPBLAS_MODEL", "off", 1), 0);
    assert_false(loads());
    assert_int_equal(setenv("SPBLAS_MODEL", "model.txt", 1), 0);
    assert_false(loads());
    (void)snprintf(named, sizeof named, "%s/named.txt", sb_box.root);
    assert_int_equal(setenv("SPBLAS_MODEL", named, 1), 0);
    assert_false(loads());
    store(path, sizeof path);
    assert_string_equal(path, named);
    assert_true(loads());
    assert_int_equal(unsetenv("SPBLAS_MODEL"), 0);
    assert_true(loads());
}

/* The machine as shipped is looked at first, whatever the user's own cache holds. */
static int
set_up(void **state)
{
    (void)unsetenv("SPBLAS_MODEL");
    return sb_box_setup(state);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_round_trip),
        cmocka_unit_test(test_damage),
        cmocka_unit_test(test_implausible),
        cmocka_unit_test(test_other_machine),
        cmocka_unit_test_setup(test_file, set_up),
        cmocka_unit_test_setup(test_foreign_file, set_up),
        cmocka_unit_test_setup(test_environment, set_up),
    };
    int failed;

    if (setenv("SPBLAS_MODEL", "off", 1) != 0 || !sb_target_get() ||
        !sb_box_open(SB_BINARY_DIR))
        return 1;
    failed = cmocka_run_group_tests(tests, NULL, NULL);
    sb_box_close();
    return failed;
}
