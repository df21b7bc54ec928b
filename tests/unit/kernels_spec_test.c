/*
 * Specs: one spelling each, rules kept; and every kernel compiled into the library can be
 * made from its line.
 */
#include "kernels/spec.h"

#include "base/macro.h"
#include "compiler/spblas_kernel.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void
round_trip(const char *text)
{
    char out[192];
    sb_spec s;

    assert_int_equal(sb_spec_parse(&s, text, NULL), SB_OK);
    assert_int_equal(sb_spec_print(out, sizeof out, &s), SB_OK);
    assert_string_equal(out, text);
}

static void
fields_survive(void **state)
{
    const char *text =
        "spmm csr+rows+bsr c32c32c64/c64 i64i32 rr ca cb b12 packed t48 p7 nt";
    sb_spec s;

    (void)state;
    round_trip(text);
    round_trip("spmv sell f32f32f32/f32 i64i32 rr packed narrow one t4 p0");
    round_trip("spmv seg f64f64f64/f64 i32i32 rr t4 p0 u2");
    round_trip("spmv seg f64f64f32/f64 i64i32 rr t4 p0 u4");
    round_trip("spmv ubcsr f64f64f64/f64 i32i32 rr b3 packed t4 p0 u8");
    assert_int_equal(sb_spec_parse(&s, text, NULL), SB_OK);
    assert_int_equal(s.op, SB_KOP_SPMM);
    assert_int_equal(s.kinds, 1 | 2 | 8);
    assert_int_equal(s.a, SB_C32);
    assert_int_equal(s.c, SB_C64);
    assert_int_equal(s.ptr, SB_I64);
    assert_int_equal(s.idx, SB_I32);
    assert_true(s.a_conj && s.b_conj && s.packed && s.stream);
    assert_int_equal(s.block, 12);
    assert_int_equal(s.tile, 48);
    assert_int_equal(s.prefetch, 7);
    assert_int_equal(
        sb_spec_parse(&s, "sddmm coo f32f16bf16/f32 i32i64 cr t1 p0", NULL), SB_OK);
    assert_true(s.b_col && !s.c_col);
    round_trip("spmm csr f32f32f32/f32 i32i32 rr x32 p8 u2 nt");
    assert_int_equal(
        sb_spec_parse(&s, "spmm csr f32f32f32/f32 i32i32 rr x32 p0 u4", NULL), SB_OK);
    assert_true(s.exact && s.tile == 32 && s.unroll == 4);
}

static void
other_spellings_are_refused(void **state)
{
    static const char *const bad[] = {
        "",
        "spmm",
        "spmm  csr f32f32f32/f32 i32i32 rr t8 p0",
        "spmm rows+csr f32f32f32/f32 i32i32 rr t8 p0",
        "spmm csr+csr f32f32f32/f32 i32i32 rr t8 p0",
        "spmm csr+ f32f32f32/f32 i32i32 rr t8 p0",
        "spmm csr f32f32f32/f32 i32i32 rr t08 p0",
        "spmm csr f32f32f32/f32 i32i32 rr t8",
        "spmm csr f32f32f32/f32 i32i32 rr t8 p0 ",
        "spmm csr f32f32f32/f32 i32i32 rr b0 t8 p0",
        "spmm csr f32f32f32/f32 i32i32 rr t8 p0 nt nt",
        "spmm csr f32f32f32/f32 i32i32 rr t8 p0 u1",
        "spmm csr f32f32f32/f32 i32i32 rr x08 p0",
        "spmm csr f32f32/f32 i32i32 rr t8 p0",
        "spmm csr f32f32f32/f32 i32i32 rx t8 p0",
    };
    sb_spec s;

    (void)state;
    for (int i = 0; i < SB_COUNT(bad); i++)
        assert_int_equal(sb_spec_parse(&s, bad[i], NULL), SB_EPARSE);
}

static void
rules_are_kept(void **state)
{
    static const struct {
        const char *text;
        sb_status st;
    } bad[] = {
        {"spmm csr f32f32f32/f32 i32i32 rr b4 t8 p0", SB_EINVAL},
        {"spmm bsr f32f32f32/f32 i32i32 rr t8 p0", SB_EINVAL},
        {"spmm bsr+win f32f32f32/f32 i32i32 rr b4 t8 p0", SB_EINVAL},
        {"spmm win f32f32f32/f32 i32i32 rr b9 t8 p0", SB_EINVAL},
        {"spmm csr f32f32f32/f32 i32i32 rr packed t8 p0", SB_EINVAL},
        {"sddmm bsr f32f32f32/f32 i32i32 rr b2 t8 p0", SB_ENOTSUP},
        {"spmm csr f32f32f32/f16 i32i32 rr t8 p0", SB_ENOTSUP},
        {"spmm csr f32c32c32/c32 i32i32 rr t8 p0", SB_ENOTSUP},
        {"spmm csr f32f32f32/i32 i32i32 rr t8 p0", SB_ENOTSUP},
        {"spmm csr f32f32f32/f32 f32i32 rr t8 p0", SB_EINVAL},
        {"spmm csr f32f32f32/f32 i32i32 rr ca t8 p0", SB_EINVAL},
        {"spmm csr f32f32f32/f32 i32i32 rr t0 p0", SB_EINVAL},
        {"spmm csr f32f32f32/f32 i32i32 rr t2000 p0", SB_EINVAL},
        {"spmm csr f32f32f32/f32 i32i32 rr t8 p65", SB_EINVAL},
        {"spmm csr f32f32f32/f32 i32i32 cr t8 p1", SB_EINVAL},
        {"spmm csr f32f32f32/f32 i32i32 rr t8 p0 u3", SB_EINVAL},
        {"spmm csr f32f32f32/f32 i32i32 rr t8 p0 u512", SB_EINVAL},
        {"sddmm csr f32f32f32/f32 i32i32 rc t8 p0 u16", SB_EINVAL},
        {"sddmm csr f32f32f32/f32 i32i32 rr t8 p0 u2", SB_EINVAL},
        {"sddmm csr c32c32c32/c32 i32i32 rc t8 p0 u2", SB_EINVAL},
        {"sddmm coo f32f32f32/f32 i32i32 rc t8 p0 u2", SB_EINVAL},
        {"sddmm win f32f32f32/f32 i32i32 rc b4 t8 p0", SB_ENOTSUP},
        {"sddmm win f32f32f32/f32 i32i32 rc b6 t8 p0 u8", SB_EINVAL},
        {"sddmm win f32f32f32/f32 i32i32 rc b4 t8 p15 u4", SB_EINVAL},
        {"spmv csr f32f32f32/f32 i32i32 rr x8 p0", SB_EINVAL},
        {"spmv seg f32f32f32/f32 i32i32 rr t8 p0 u2", SB_EINVAL},
        {"spmv seg f32f32f32/f32 i32i32 rr t8 p0 u4", SB_EINVAL},
        {"spmv seg f32f32f32/f32 i32i32 rr t4 p0 u8", SB_EINVAL},
        {"spmv seg f16f32f32/f32 i32i32 rr t4 p0 u4", SB_EINVAL},
        {"spmv seg f32f32f32/f64 i32i32 rr t4 p0 u4", SB_EINVAL},
        {"spmv seg i32i32i32/i32 i32i32 rr t4 p0 u4", SB_EINVAL},
        {"spmv seg f32f32f32/f32 i32i32 rr t4 p0 u4 g8", SB_EINVAL},
        {"spmv seg c32c32c32/c32 i32i32 rr t4 p0 u2", SB_EINVAL},
        {"spmv prod f32f32f32/f32 i32i32 rr t4 p0 u2", SB_EINVAL},
        {"spmv share f32f32f32/f32 i32i32 rr b4 t4 p0", SB_ENOTSUP},
        {"spmv share c32c32c32/c32 i32i32 rr b4 packed t4 p0", SB_ENOTSUP},
        {"spmv ubcsr f32f32f32/f32 i32i32 rr b3 t4 p0 u4", SB_ENOTSUP},
        {"spmv ubcsr f32f32f32/f32 i32i32 rr b3 packed t4 p0", SB_ENOTSUP},
        {"spmv ubcsr f32f32f32/f32 i32i32 rr b5 packed t4 p0 u4", SB_ENOTSUP},
        {"spmv ubcsr f32f32f32/f32 i32i32 rr b2 packed t4 p0 u16", SB_ENOTSUP},
        {"spmv ubcsr f32f32f32/f32 i32i32 rr packed t4 p0 u4", SB_EINVAL},
        {"spmv ubcsr c32c32c32/c32 i32i32 rr b2 packed t4 p0 u4", SB_ENOTSUP},
        {"spmv rows+ubcsr f32f32f32/f32 i32i32 rr b2 packed t4 p0 u4", SB_ENOTSUP},
        {"spmm ubcsr f32f32f32/f32 i32i32 rr b2 packed t4 p0 u4", SB_ENOTSUP},
        {"spmv csr f32f32f32/f32 i32i32 rr t8 p0 nt", SB_EINVAL},
        {"spmv csr f32f32f32/f32 i32i32 rr narrow t8 p0", SB_EINVAL},
        {"spmv sell f32f32f32/f32 i32i32 rr one t4 p0", SB_EINVAL},
        {"spmv hdia f32f32f32/f32 i32i32 rr packed one t4 p0", SB_EINVAL},
        {"spmv csr i16i16i32/i32 i32i32 rr t8 p0", SB_ENOTSUP},
    };
    sb_diag diag;
    sb_spec s;

    (void)state;
    for (int i = 0; i < SB_COUNT(bad); i++) {
        sb_diag_clear(&diag);
        assert_int_equal(sb_spec_parse(&s, bad[i].text, &diag), bad[i].st);
        assert_true(strlen(diag.text) > 10);
    }
}

static void
short_buffer_is_an_error(void **state)
{
    char out[192];
    sb_spec s;

    (void)state;
    assert_int_equal(sb_spec_parse(&s, "spmm csr f32f32f32/f32 i32i32 rr t8 p0", NULL),
                     SB_OK);
    assert_int_equal(sb_spec_print(out, 39, &s), SB_OK);
    assert_int_equal(sb_spec_print(out, 38, &s), SB_EINVAL);
}

static int
compare(const void *x, const void *y)
{
    return strcmp(*(const char *const *)x, *(const char *const *)y);
}

static void
builtins_are_distinct(void **state)
{
    const char *all[2048];
    int n = 0;

    (void)state;
    for (; sb_spec_builtin(n); n++) {
        assert_true(n < SB_COUNT(all));
        all[n] = sb_spec_builtin(n);
    }
    assert_null(sb_spec_builtin(-1));
    qsort(all, (size_t)n, sizeof *all, compare);
    for (int i = 1; i < n; i++)
        assert_string_not_equal(all[i - 1], all[i]);
}

static void
builtins_can_be_made(void **state)
{
    sb_strbuf text, signature;
    char symbol[40];

    (void)state;
    sb_strbuf_init(&text);
    sb_strbuf_init(&signature);
    for (int i = 0; sb_spec_builtin(i); i++) {
        sb_diag diag;
        sb_hash key;

        round_trip(sb_spec_builtin(i));
        sb_diag_clear(&diag);
        sb_strbuf_clear(&text);
        sb_strbuf_clear(&signature);
        if (sb_spec_emit(&text, &signature, &key, sb_spec_builtin(i), &diag) != SB_OK)
            fail_msg("%s: %s", sb_spec_builtin(i), diag.text);
        memcpy(symbol, "\nsbk_", 5);
        sb_hash_text(key, symbol + 5);
        assert_non_null(strstr(text.s, symbol));
        assert_null(strstr(text.s, "sbk_0000000000000000"));
        assert_non_null(strstr(signature.s, " t0 t1;"));
        assert_non_null(strstr(signature.s, " tile"));
    }
    sb_strbuf_free(&text);
    sb_strbuf_free(&signature);
}

/* A kernel's key is of its text and the prelude, so nothing that is kept under it outlives a
 * change of either. */
static void
keys_are_of_texts(void **state)
{
    static const char unnamed[] = "sbk_00000000000000000000000000000000";
    const sb_hash none = {0, 0};
    sb_strbuf text, signature;
    sb_hash key, want;
    char symbol[37];

    (void)state;
    sb_strbuf_init(&text);
    sb_strbuf_init(&signature);
    assert_int_equal(sb_spec_emit(&text, &signature, &key,
                                  "spmv csr f32f32f32/f32 i32i32 rr t8 p0", NULL),
                     SB_OK);
    memcpy(symbol, "sbk_", 4);
    sb_hash_text(key, symbol + 4);
    for (char *at = text.s; (at = strstr(at, symbol)); at++)
        memcpy(at, unnamed, strlen(unnamed));
    want = sb_hash_bytes(sb_emit_prelude(), strlen(sb_emit_prelude()), none);
    want = sb_hash_bytes(text.s, text.len, want);
    assert_true(sb_hash_equal(key, want));
    sb_strbuf_free(&text);
    sb_strbuf_free(&signature);
}

/* Rows in place have a copy for each number of vectors that B may end within, in vectors of 32
 * bytes where it has 64 or less, of eights in one; an exact one and one too wide for registers none. */
static void
cut_tiles_know_vectors(void **state)
{
    static const struct {
        const char *spec, *cuts;
    } some[] = {
        {"spmm csr f32f32f32/f32 i32i32 rr t4 p0 u256",
         "param[1].i, 4, SBK_N4_4, 4, 1)"},
        {"spmm csr f32f32f32/f32 i32i32 rr t8 p0 u256",
         "param[1].i, 8, SBK_N4_8, 4, 1)"},
        {"spmm csr f32f32f32/f32 i32i32 rr t8 p0 u64", "8, SBK_N4_8, 4, 1)"},
        {"spmm csr f32f32f32/f32 i32i32 rr t16 p0 u64", "16, SBK_N4_16, 4, 1)"},
        {"spmm csr f64f64f64/f64 i32i64 rr t8 p0 u64", "8, SBK_N8_8, 8, 0)"},
        {"spmm csr f32f32f32/f32 i32i32 rr t32 p0 u64", NULL},
        {"spmm csr f32f32f32/f32 i32i32 rr x8 p0 u64", NULL},
        {"spmm csr f32f32f32/f32 i32i32 rr t8 p0", NULL},
        {"spmm csr f32f32f32/f32 i32i32 rr t16 p0", "param[1].i, 16, SBK_N4_8, 4, 1)"},
        {"spmm csr f32f32f32/f32 i32i64 rr t16 p0 u256", "16, SBK_N4_8, 4, 1)"},
        {"spmm csr f64f64f64/f64 i32i32 rr t32 p64 nt", "32, SBK_N8_16, 8, 0)"},
        {"spmm csr f32f32f32/f32 i32i32 rr t256 p0", "256, SBK_N4_16, 4, 0)"},
        {"spmm csr f32f32f32/f32 i32i32 rr t512 p0", NULL},
        {"spmm csr f32f32f32/f32 i32i32 rr x32 p0 u256", NULL},
        {"spmm csr f16f16f32/f32 i32i32 rr t32 p0", NULL},
        {"spmm pick f32f32f32/f32 i32i32 rr t32 p0", NULL},
    };
    sb_strbuf text, signature;
    sb_hash key;

    (void)state;
    for (int q = 0; q < SB_COUNT(some); q++) {
        sb_strbuf_init(&text);
        sb_strbuf_init(&signature);
        assert_int_equal(sb_spec_emit(&text, &signature, &key, some[q].spec, NULL),
                         SB_OK);
        if (some[q].cuts)
            assert_non_null(strstr(text.s, some[q].cuts));
        else
            assert_null(strstr(text.s, "SBK_CUTS"));
        sb_strbuf_free(&text);
        sb_strbuf_free(&signature);
    }
}

/* A tile of pairs that B may end within has a copy of its code that knows the bounds, in vectors of
 * 32 bytes; an exact one none. */
/* Kernels that ask for what last entries name know the vectors of a cut tile, too. */
static void
asking_leaves_tails(void **state)
{
    static const char *const some[] = {"spmm csr f32f32f32/f32 i32i32 rr t64 p0",
                                       "spmm csr f32f32f32/f32 i32i32 rr t128 p0 u256",
                                       "spmm csr f64f64f64/f64 i64i64 rr t64 p0 nt",
                                       "spmm csr f64f64f64/f64 i32i32 rr t32 p0 u2"};

    (void)state;
    for (int q = 0; q < SB_COUNT(some); q++) {
        sb_strbuf text, signature;
        sb_hash key;

        sb_strbuf_init(&text);
        sb_strbuf_init(&signature);
        assert_int_equal(sb_spec_emit(&text, &signature, &key, some[q], NULL), SB_OK);
        assert_non_null(strstr(text.s, "__builtin_prefetch("));
        assert_non_null(strstr(text.s, "SBK_TAIL_WHOLE("));
        assert_non_null(strstr(signature.s, " last"));
        sb_strbuf_free(&text);
        sb_strbuf_free(&signature);
    }
}

static void
cut_tiles_know_bounds(void **state)
{
    sb_strbuf text, signature;
    const char *rest;
    sb_hash key;

    (void)state;
    sb_strbuf_init(&text);
    sb_strbuf_init(&signature);
    assert_int_equal(sb_spec_emit(&text, &signature, &key,
                                  "spmm csr f32f32f32/f32 i32i32 rr t16 p0 u2", NULL),
                     SB_OK);
    assert_non_null(strstr(text.s, "if (param[1].i > 8 && param[1].i < 16 && "
                                   "__builtin_expect(param["));
    rest = strstr(text.s, "}\n\nvoid\nsbk_");
    assert_non_null(rest);
    assert_non_null(strstr(rest, " base = param["));
    assert_non_null(strstr(rest, "SBK_N4_16"));
    assert_null(strstr(rest, "SBK_N4_8"));
    text.s[rest - text.s] = '\0';
    assert_non_null(strstr(text.s, " base = 0;"));
    assert_non_null(strstr(text.s, "SBK_N4_8"));
    assert_null(strstr(text.s, "SBK_N4_16"));
    sb_strbuf_clear(&text);
    assert_int_equal(sb_spec_emit(&text, &signature, &key,
                                  "spmm csr f32f32f32/f32 i32i32 rr x16 p0", NULL),
                     SB_OK);
    assert_null(strstr(text.s, "_within("));
    sb_strbuf_clear(&text);
    assert_int_equal(sb_spec_emit(&text, &signature, &key,
                                  "spmm rows f64f64f64/f64 i32i32 rr t32 p0", NULL),
                     SB_OK);
    assert_non_null(strstr(text.s, "_within("));
    assert_null(strstr(text.s, "SBK_N8_4")); /* rows of B of several lines */
    sb_strbuf_free(&text);
    sb_strbuf_free(&signature);
}

/* What the sums of sixteen rows read behind their products is the buffer's. */
static void
products_have_room_behind(void **state)
{
    char room[64];
    sb_strbuf text, signature;
    sb_hash key;

    (void)state;
    sb_strbuf_init(&text);
    sb_strbuf_init(&signature);
    assert_int_equal(sb_spec_emit(&text, &signature, &key,
                                  "spmv prod f32f32f32/f32 i32i32 rr t4 p0", NULL),
                     SB_OK);
    assert_non_null(strstr(text.s, " - p0 <= 1024) {"));
    (void)snprintf(room, sizeof room, "float prod[%d];", 1024 + SBK_ROWS_BEHIND);
    assert_non_null(strstr(text.s, room));
    assert_true(SBK_ROWS_BEHIND >= SBK_ROWS_LONG);
    sb_strbuf_free(&text);
    sb_strbuf_free(&signature);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fields_survive),
        cmocka_unit_test(other_spellings_are_refused),
        cmocka_unit_test(rules_are_kept),
        cmocka_unit_test(short_buffer_is_an_error),
        cmocka_unit_test(builtins_are_distinct),
        cmocka_unit_test(builtins_can_be_made),
        cmocka_unit_test(keys_are_of_texts),
        cmocka_unit_test(cut_tiles_know_vectors),
        cmocka_unit_test(cut_tiles_know_bounds),
        cmocka_unit_test(asking_leaves_tails),
        cmocka_unit_test(products_have_room_behind),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
