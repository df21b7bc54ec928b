/*
 * The file of kernels made with the library: which image a GPU takes, and what is refused.
 * ctest-labels: quick
 */
#include "base/macro.h"
#include "cachebox.h"
#include "gpu/archive.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static char file[320];

static void
item(sb_archive_item *i, const char *text, const char *arch, const char *image)
{
    sb_strbuf t;

    sb_strbuf_init(&t);
    sb_strbuf_puts(&t, text);
    i->text = sb_archive_key(&t);
    (void)snprintf(i->arch, sizeof i->arch, "%s", arch);
    sb_strbuf_init(&i->image);
    sb_strbuf_puts(&i->image, image);
    sb_strbuf_free(&t);
}

static void
finds(const sb_archive *a, const char *text, const char *arch, bool ptx,
      const char *expect)
{
    sb_strbuf t, image;
    sb_status st;

    sb_strbuf_init(&t);
    sb_strbuf_init(&image);
    sb_strbuf_puts(&t, text);
    st = sb_archive_for(&image, a, sb_archive_key(&t), arch, ptx, NULL);
    assert_int_equal(st, expect ? SB_OK : SB_SKIP);
    assert_string_equal(image.s, expect ? expect : "");
    sb_strbuf_free(&t);
    sb_strbuf_free(&image);
}

/* A GPU takes the code of its generation that is not newer, and PTX that is not newer. */
static void
test_architectures(void **state)
{
    sb_archive_item i[6];
    sb_archive *a;
    sb_diag diag = {SB_OK, ""};

    (void)state;
    item(&i[0], "k", "sm_90", "k 90");
    item(&i[1], "k", "sm_80", "k 80");
    item(&i[2], "k", "sm_86", "k 86");
    item(&i[3], "k", "compute_75", "k ptx 75");
    item(&i[4], "k", "compute_120", "k ptx 120");
    item(&i[5], "l", "sm_90", "l 90");
    assert_int_equal(sb_archive_write(file, "NVRTC 1.2", i, SB_COUNT(i), &diag), SB_OK);
    assert_int_equal(sb_archive_open(&a, file, &diag), SB_OK);
    assert_string_equal(sb_archive_writer(a), "NVRTC 1.2");
    assert_int_equal(sb_archive_count(a), SB_COUNT(i));
    finds(a, "k", "sm_90", false, "k 90");
    finds(a, "l", "sm_90", false, "l 90");
    finds(a, "m", "sm_90", false, NULL); /* another text */
    finds(a, "k", "sm_89", false, "k 86");
    finds(a, "k", "sm_87", false, "k 86");
    finds(a, "k", "sm_82", false, "k 80");
    finds(a, "k", "sm_100", false, NULL);
    finds(a, "k", "sm_75", false, NULL);
    finds(a, "k", "sm_100", true, "k ptx 75");
    finds(a, "k", "sm_120", true, "k ptx 120");
    finds(a, "k", "sm_210", true, "k ptx 120");
    finds(a, "k", "sm_70", true, NULL);
    finds(a, "k", "emu", false, NULL);
    sb_archive_close(a);
    for (int q = 0; q < SB_COUNT(i); q++)
        sb_strbuf_free(&i[q].image);
}

/* Every byte of the file, changed: it is refused, or what is read is right or refused. */
static void
test_damaged_file(void **state)
{
    sb_archive_item i[2];
    unsigned char bytes[600];
    size_t n;
    FILE *f;

    (void)state;
    item(&i[0], "k", "sm_90", "an image, an image, an image");
    item(&i[1], "k", "sm_80", "another");
    assert_int_equal(sb_archive_write(file, "NVRTC 1.2", i, 2, NULL), SB_OK);
    f = fopen(file, "rb");
    n = fread(bytes, 1, sizeof bytes, f);
    (void)fclose(f);
    assert_in_range(n, 100, sizeof bytes - 1);
    for (size_t q = 0; q < n; q++) {
        sb_archive *a;
        sb_strbuf image;
        sb_status st;

        bytes[q] ^= 0x11;
        f = fopen(file, "wb");
        assert_int_equal(fwrite(bytes, 1, q % 7 ? n : q, f), q % 7 ? n : q); /* short */
        (void)fclose(f);
        bytes[q] ^= 0x11;
        if (sb_archive_open(&a, file, NULL) != SB_OK)
            continue;
        sb_strbuf_init(&image);
        st = sb_archive_read(&image, a, i[0].text, "sm_90", NULL);
        assert_true(
            st == SB_EIO ||
            (st == SB_OK && strcmp(image.s, "an image, an image, an image") == 0));
        sb_strbuf_free(&image);
        sb_archive_close(a);
    }
    sb_strbuf_free(&i[0].image);
    sb_strbuf_free(&i[1].image);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_architectures),
                                       cmocka_unit_test(test_damaged_file)};
    int failed;

    if (!sb_box_open(SB_BINARY_DIR))
        return 1;
    (void)snprintf(file, sizeof file, "%s/kernels.gpu", sb_box.root);
    failed = cmocka_run_group_tests(tests, NULL, NULL);
    sb_box_close();
    return failed;
}
