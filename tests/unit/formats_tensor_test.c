/*
 * Tensors in formats: the papers' matrix in every format as golden files
 * (tests/golden/formats, rewritten with SB_GOLDEN_WRITE=1), the operators a conversion
 * takes, what is refused, zeros, memory.
 */
#include "formats/tensor.h"

#include "base/alloc.h"
#include "fmtcheck.h"
#include "formats/conv.h"
#include "gen.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* UniSparse, figure 1a: d0 and d1 of format B in section 4.2. */
static const int64_t row[] = {0, 1, 2, 2, 2, 4}, col[] = {0, 1, 1, 2, 3, 3};
static const double val[] = {1, 2, 3, 4, 5, 6};
static const sb_tensor_coo figure = {.ndim = 2,
                                     .extent = {5, 4},
                                     .nnz = 6,
                                     .coord = {row, col},
                                     .val = val,
                                     .val_type = SB_F64};

static sb_tensor
make(const char *format, const sb_tensor_coo *coo)
{
    sb_tensor t;
    sb_diag diag = {0};

    if (sb_tensor_from_coo(&t, fmt_of(format), coo, false, NULL, &diag) != SB_OK)
        fail_msg("%s: %s", format, diag.text);
    return t;
}

/* ---- Golden files --------------------------------------------------------------- */

/* The registry's formats with the parameters of the figures. */
static const char *const figures[] = {
    "dense",
    "coo",
    "dok",
    "csr",
    "csc",
    "dcsr",
    "dcsc",
    "lil",
    "dia",
    "dia_variant",
    "bsr<2>",
    "dbsr<2>",
    "csb<2>",
    "ell",
    "sell<c=2>",
    "ell_rows<w=2, r=2>",
    "hyb<w=2, k=1>",
    "sr_bcrs<t=2, g=2>",
    "ragged",
    "c2sr<p=2>",
    "cisr<p=2>",
    "cisr_plus<p=2>",
    "serpens<p=2, t=2>",
    "bdia<b=3>",
    "bdia_csr<b=3, t=2>",
    "bell<b=2>",
    "bell_coo<b=2, t=2>",
};

static char *
read_file(const char *name)
{
    FILE *f = fopen(name, "rb");
    char *text = calloc(1, 1 << 16);

    if (f) {
        (void)!fread(text, 1, (1 << 16) - 1, f);
        fclose(f);
    }
    return text;
}

static void
golden(const char *format)
{
    const sb_fmt *f = fmt_of(format);
    sb_tensor list = make("coo", &figure), t;
    sb_strbuf text, steps;
    char name[300], *want, *arrays;
    sb_diag diag = {0};

    sb_strbuf_init(&text);
    sb_strbuf_init(&steps);
    assert_int_equal(sb_tensor_convert(&t, &list, f, NULL, &steps, &diag), SB_OK);
    arrays = fmt_show(&t);
    sb_fmt_print(&text, f);
    sb_strbuf_printf(&text, "\nfrom coo:\n%s\narrays:\n%s", steps.s, arrays);
    snprintf(name, sizeof name, "%s/tests/golden/formats/%s.txt", SB_SOURCE_DIR,
             f->name);
    if (getenv("SB_GOLDEN_WRITE")) {
        FILE *out = fopen(name, "wb");

        assert_non_null(out);
        fputs(text.s, out);
        fclose(out);
    }
    want = read_file(name);
    assert_string_equal(text.s, want);
    free(want);
    free(arrays);
    sb_strbuf_free(&text);
    sb_strbuf_free(&steps);
    sb_tensor_free(&list);
    sb_tensor_free(&t);
}

static void
golden_files(void **state)
{
    (void)state;
    for (size_t k = 0; k < sizeof figures / sizeof figures[0]; k++)
        golden(figures[k]);
    for (int k = 0; sb_fmt_registry(k); k++) {
        const char *name = sb_fmt_registry(k)->name;
        bool found = fmt_of(name)->ndim != 2;

        for (size_t q = 0; q < sizeof figures / sizeof figures[0]; q++)
            found |= strncmp(figures[q], name, strlen(name)) == 0;
        if (!found)
            fail_msg("%s has no golden file", name);
    }
}

static void
expect_indices(const sb_tensor_array *a, int64_t n, const int64_t *want)
{
    for (int64_t p = 0; p < n; p++)
        assert_int_equal(sb_tensor_at(a, SB_I32, p), want[p]);
}

/* The numbers printed in section 4.2 and figures 1c and 1d. */
static void
numbers_of_the_paper(void **state)
{
    sb_tensor b = make("coo", &figure), c = make("csr", &figure),
              d = make("dcsr", &figure), dok = make("dok", &figure);

    (void)state;
    expect_indices(&b.idx[0], 6, (int64_t[]){0, 1, 2, 2, 2, 4});
    expect_indices(&b.idx[1], 6, (int64_t[]){0, 1, 1, 2, 3, 3});
    expect_indices(&c.ptr[1], 6, (int64_t[]){0, 1, 2, 5, 5, 6});
    expect_indices(&c.idx[1], 6, (int64_t[]){0, 1, 1, 2, 3, 3});
    expect_indices(&d.idx[0], 4, (int64_t[]){0, 1, 2, 4});
    expect_indices(&d.ptr[1], 5, (int64_t[]){0, 1, 2, 5, 6});
    for (int k = 0; k < 6; k++) {
        assert_true(((double *)b.val.data)[k] == k + 1);
        /* [{d0, d1, val}, ..]: two int32 and a double are 16 bytes */
        assert_int_equal(((int32_t *)dok.block)[4 * k], row[k]);
        assert_int_equal(((int32_t *)dok.block)[4 * k + 1], col[k]);
        assert_true(((double *)dok.block)[2 * k + 1] == k + 1);
    }
    assert_int_equal(dok.idx[0].stride, 4);
    assert_int_equal(dok.val.stride, 2);
    assert_int_equal(sb_tensor_bytes(&dok), 96);
    assert_int_equal(sb_tensor_bytes(&c), (6 + 6) * 4 + 6 * 8);
    sb_tensor_free(&b);
    sb_tensor_free(&c);
    sb_tensor_free(&d);
    sb_tensor_free(&dok);
}

/* ---- Steps ---------------------------------------------------------------------- */

static void
operators(void **state)
{
    static const char *const steps[][3] = {
        {"coo", "csr", "Fill(0)\nMerge(0)\n"},
        {"coo", "bdia<3>",
         "Skew(0, 1, -1)\nTileSplit(0, 3)\nSort\nFill(0)\nMerge(0)\n"},
        {"csr", "coo", "Trim(0)\nSplit(0)\n"},
        {"csr", "dcsr", "Trim(0)\n"},
        {"dcsr", "csr", "Fill(0)\n"},
        {"coo", "dok", "Pack(0, 1)\n"},
        {"csr", "csc", "Trim(0)\nSplit(0)\nSwap(0, 1)\nSort\nFill(0)\nMerge(0)\n"},
        {"coo", "dia",
         "Skew(0, 1, -1)\nSwap(0, 1)\nSort\nMerge(0)\nFill(1)\nVectorize(1)\n"},
        {"bsr<2>", "csb<2>",
         "Devectorize(2)\nTrim(2)\nDevectorize(3)\nTrim(3)\nFill(1)\nSplit(2)\n"},
        {"bsr<2>", "coo",
         "Devectorize(2)\nTrim(2)\nDevectorize(3)\nTrim(3)\nTrim(0)\nSplit(2)\n"
         "Split(1)\nSplit(0)\nTileUnion(1, 2)\nTileUnion(0, 2)\nSort\n"},
        {"coo", "c2sr<2>",
         "TileSplit(0, 2)\nSwap(0, 2)\nSwap(1, 2)\nSort\nFill(0)\nMerge(0)\nFill(1)\n"
         "Merge(1)\nPartition(0)\n"},
        {"coo", "ell",
         "Sum\nEnumerate\nSort\nMerge(0)\nMerge(1)\nFill(2)\nVectorize(2)\nFill(1)\n"
         "Vectorize(1)\n"},
        {"coo", "cisr_plus<2>",
         "Sum\nReorder\nSchedule\nSort\nFill(0)\nMerge(0)\nMerge(1)\nPartition(0)\n"},
        {"coo", "format skew (i, j) -> (i + j, j - i) trim(0, 1)",
         "Skew(1, 0, 1)\nScale(1, 2)\nSkew(0, 1, -1)\nSort\n"},
        {"coo", "format shift (i, j) -> (i + 1, j) trim(0, 1)", "Shift(0, 1)\nSort\n"},
        {"coo", "format twice (i, j) -> (i/2, i, j) trim(0, 2)",
         "Map(0)\nMap(1)\nMap(2)\nDrop(0)\nDrop(0)\nSort\n"},
    };

    (void)state;
    for (size_t k = 0; k < sizeof steps / sizeof steps[0]; k++) {
        sb_tensor a = make(steps[k][0], &figure), b;
        sb_strbuf text;
        sb_diag diag = {0};

        sb_strbuf_init(&text);
        if (sb_tensor_convert(&b, &a, fmt_of(steps[k][1]), NULL, &text, &diag) != SB_OK)
            fail_msg("%s to %s: %s", steps[k][0], steps[k][1], diag.text);
        if (strcmp(text.s, steps[k][2]) != 0)
            fail_msg("%s to %s:\n%s", steps[k][0], steps[k][1], text.s);
        sb_strbuf_free(&text);
        sb_tensor_free(&a);
        sb_tensor_free(&b);
    }
}

/* ---- Refusals ------------------------------------------------------------------- */

static void
refused(const char *format, const sb_tensor_coo *coo, sb_status st,
        const char *sentence)
{
    const sb_fmt *f = fmt_of(format);
    const int64_t live = sb_alloc_live();
    sb_diag diag = {0};
    sb_tensor t;

    assert_int_equal(sb_tensor_from_coo(&t, f, coo, false, NULL, &diag), st);
    if (!strstr(diag.text, sentence))
        fail_msg("%s: \"%s\"", format, diag.text);
    assert_null(t.val.data);
    assert_int_equal(sb_alloc_live(), live);
}

static void
refusals(void **state)
{
    static const int64_t i[] = {0, 7}, j[] = {3, 3}, far[] = {0, 999999999};
    sb_tensor_coo coo = {.ndim = 2,
                         .extent = {8, 8},
                         .nnz = 2,
                         .coord = {i, j},
                         .val = val,
                         .val_type = SB_F64};
    sb_tensor t;
    sb_diag diag = {0};

    (void)state;
    coo.coord[0] = j; /* (3, 3) twice */
    refused("csr", &coo, SB_EINVAL, "has the place of another");
    refused("bsr<2>", &coo, SB_EINVAL, "has the place of another");
    coo.coord[0] = i;
    coo.extent[0] = 7;
    refused("csr", &coo, SB_EINVAL, "coordinate 0 of entry 1 is 7, outside [0, 7)");
    coo.extent[0] = coo.extent[1] = 1000000000;
    coo.coord[0] = coo.coord[1] = far;
    refused("dense", &coo, SB_EINVAL, "2000000000 slots for 2 elements");
    refused("csr", &coo, SB_EINVAL, "1000000000 slots for 2 elements");
    refused("dia", &coo, SB_EINVAL, "1000000000 slots for 2 elements");
    coo.extent[0] = coo.extent[1] = INT64_MAX / 2;
    refused("dia", &coo, SB_EINVAL, "slots for 2 elements");
    refused("format wide (i, j) -> (4 * i, j) trim(0, 1)", &coo, SB_EINVAL,
            "level 0 has indices beyond 64 bits");
    assert_int_equal(sb_tensor_from_coo(&t, fmt_of("csf"), &coo, false, NULL, &diag),
                     SB_EINVAL);
    assert_string_equal(diag.text, "a tensor of 2 dimensions in a format of 3");
    t = make("dcsr", &coo); /* fits */
    assert_int_equal(t.idx_type, SB_I64);
    sb_tensor_free(&t);
    refused("format counts (i, j) -> (@n(i), i, j) merge(0, 1) trim(0, 2)\n"
            "where @n = { sum(value) groupBy (i) with value ne 0 -> 1 | otherwise -> 1;"
            " reorder(i) }",
            &figure, SB_ENOTSUP, "counts zeros");
}

/* ---- Zeros, widths, types ------------------------------------------------------- */

static void
stored_zeros(void **state)
{
    static const char *const keep[] = {"csc",     "dcsr",    "coo", "dok", "csb<2>",
                                       "c2sr<2>", "cisr<2>", "lil", "ell"},
                             *const drop[] = {"bsr<2>", "dia", "bell", "ragged",
                                              "dense"};
    static const double zeros[] = {1, 0, -0.0, 4, 5, 0};
    sb_tensor_coo coo = figure;
    sb_tensor a;

    (void)state;
    coo.val = zeros;
    a = make("csr", &coo);
    assert_int_equal(a.nnz, 6);
    for (size_t k = 0; k < 14; k++) {
        const char *name = k < 9 ? keep[k] : drop[k - 9];
        sb_tensor b, c;
        char message[200];

        assert_int_equal(sb_tensor_convert(&b, &a, fmt_of(name), NULL, NULL, NULL),
                         SB_OK);
        assert_int_equal(sb_tensor_convert(&c, &b, a.fmt, NULL, NULL, NULL), SB_OK);
        assert_int_equal(b.nnz, k < 9 ? 6 : 3);
        assert_int_equal(c.nnz, b.nnz);
        if (fmt_equal(&a, &c, message, sizeof message) != (k < 9))
            fail_msg("%s", name);
        sb_tensor_free(&b);
        sb_tensor_free(&c);
    }
    sb_tensor_free(&a);
}

static void
widths_and_types(void **state)
{
    static const sb_dtype types[] = {SB_BOOL, SB_I8, SB_I32, SB_F16, SB_F32, SB_C64};

    (void)state;
    for (int wide = 0; wide < 2; wide++)
        for (size_t k = 0; k < sizeof types / sizeof types[0]; k++)
            for (size_t q = 0; q < sizeof figures / sizeof figures[0]; q++) {
                char mem[6 * 16], message[200];
                sb_tensor_coo coo = figure;
                sb_tensor a, b;
                fmt_dense d;

                for (int e = 0; e < 6; e++)
                    sb_value_store(types[k], mem, e, (sb_value){val[e], 0});
                coo.val = mem;
                coo.val_type = types[k];
                d = fmt_dense_of(&coo);
                assert_int_equal(
                    sb_tensor_from_coo(&a, fmt_of(figures[q]), &coo, wide, NULL, NULL),
                    SB_OK);
                assert_int_equal(a.idx_type, wide ? SB_I64 : SB_I32);
                if (!fmt_check(&a, &d, message, sizeof message))
                    fail_msg("%s", message);
                assert_int_equal(
                    sb_tensor_convert(&b, &a, fmt_of("csr"), NULL, NULL, NULL), SB_OK);
                assert_int_equal(b.idx_type, wide ? SB_I64 : SB_I32);
                if (!fmt_check(&b, &d, message, sizeof message))
                    fail_msg("%s", message);
                sb_tensor_free(&a);
                sb_tensor_free(&b);
                fmt_dense_free(&d);
            }
}

/* ---- Memory --------------------------------------------------------------------- */

static void
sweep(const sb_tensor *a, const sb_fmt *to, bool general)
{
    const int64_t live = sb_alloc_live();
    bool enough = false;

    for (int64_t allowed = 0; !enough; allowed++) {
        sb_diag diag = {0};
        sb_tensor t;
        sb_status st;

        assert_in_range(allowed, 0, 2000);
        (void)sb_alloc_fail_after(allowed);
        st = general ? sb_tensor_convert_general(&t, a, to, NULL, NULL, &diag)
                     : sb_tensor_convert(&t, a, to, NULL, NULL, &diag);
        enough = sb_alloc_fail_after(-1) <= allowed;
        if (st != (enough ? SB_OK : SB_ENOMEM))
            fail_msg("%s to %s with %d allocations: %s, %s", a->fmt->name, to->name,
                     (int)allowed, sb_status_name(st), diag.text);
        sb_tensor_free(&t);
        if (sb_alloc_live() != live)
            fail_msg("%s to %s with %d allocations leaks", a->fmt->name, to->name,
                     (int)allowed);
    }
}

static void
memory_runs_out(void **state)
{
    static const char *const others[] = {
        "csr",
        "coo",
        "format twice (i, j) -> (i/2, i, j) trim(0, 2)",
    };

    (void)state;
    for (size_t k = 0; k < sizeof figures / sizeof figures[0]; k++)
        for (size_t q = 0; q < sizeof others / sizeof others[0]; q++) {
            const sb_fmt *f = fmt_of(figures[k]), *other = fmt_of(others[q]);
            sb_tensor a = make(figures[k], &figure), b = make(others[q], &figure);

            for (int general = 0; general < 2; general++) {
                sweep(&a, other, general);
                sweep(&b, f, general);
            }
            sb_tensor_free(&a);
            sb_tensor_free(&b);
        }
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(golden_files),    cmocka_unit_test(numbers_of_the_paper),
        cmocka_unit_test(operators),       cmocka_unit_test(refusals),
        cmocka_unit_test(stored_zeros),    cmocka_unit_test(widths_and_types),

        cmocka_unit_test(memory_runs_out),
    };

    return cmocka_run_group_tests(tests, fmt_begin, fmt_end);
}
