/*
 * The Matrix Market reader and writer, in memory and through files: what is accepted,
 * what is refused with which line and sentence, round trips, a comma locale, lies about
 * sizes.
 */
#include "mm.h"
#include "mm_number.h"

#include <locale.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

#include <cmocka.h>

static mm_status
read_as(mm_matrix *m, const char *name, const char *text, mm_error *err)
{
    return mm_read_memory(m, name, text, strlen(text), NULL, err);
}

static mm_matrix
must_read(const char *text)
{
    mm_matrix m;
    mm_error err = {0};

    if (read_as(&m, "t.mtx", text, &err) != MM_OK)
        fail_msg("%s", err.text);
    return m;
}

static void
check_row(const mm_matrix *m, int64_t i, int64_t n, const int64_t *col,
          const double *val)
{
    int64_t p;

    assert_int_equal(m->ptr[i + 1] - m->ptr[i], n);
    for (p = 0; p < n; p++) {
        assert_int_equal(m->col[m->ptr[i] + p], col[p]);
        assert_true(m->val[m->ptr[i] + p] == val[p]);
    }
}

#define HEAD "%%MatrixMarket matrix coordinate "

static void
test_general(void **state)
{
    mm_matrix m = must_read(HEAD "real general\r\n% a comment\r\n\r\n3 4 4\r\n"
                                 "3 4 -1.5e2\r\n1 2  .5\r\n  1\t1 +2\r\n3 1 1d1\r\n");

    (void)state;
    assert_int_equal(m.rows, 3);
    assert_int_equal(m.cols, 4);
    assert_int_equal(m.nnz, 4);
    check_row(&m, 0, 2, (int64_t[]){0, 1}, (double[]){2.0, 0.5});
    check_row(&m, 1, 0, NULL, NULL);
    check_row(&m, 2, 2, (int64_t[]){0, 3}, (double[]){10.0, -150.0});
    mm_free(&m);
}

static void
test_symmetries(void **state)
{
    mm_matrix m = must_read(HEAD "real symmetric\n2 2 2\n1 1 3\n2 1 4");

    (void)state;
    assert_int_equal(m.nnz, 3);
    assert_int_equal(m.stored, 2);
    check_row(&m, 0, 2, (int64_t[]){0, 1}, (double[]){3.0, 4.0});
    mm_free(&m);
    m = must_read(HEAD "integer skew-symmetric\n2 2 1\n2 1 4\n");
    check_row(&m, 0, 1, (int64_t[]){1}, (double[]){-4.0});
    check_row(&m, 1, 1, (int64_t[]){0}, (double[]){4.0});
    mm_free(&m);
    m = must_read(HEAD "complex hermitian\n2 2 2\n1 1 5 0\n2 1 1 2\n");
    assert_int_equal(m.nnz, 3);
    assert_true(m.val[2] == 1.0 && m.val[3] == -2.0); /* (1, 2): conjugate */
    assert_true(m.val[4] == 1.0 && m.val[5] == 2.0);  /* (2, 1) */
    mm_free(&m);
    m = must_read(HEAD "pattern symmetric\n2 2 1\n2 1\n");
    check_row(&m, 0, 1, (int64_t[]){1}, (double[]){1.0});
    mm_free(&m);
}

static void
test_array(void **state)
{
    mm_matrix m = must_read("%%matrixmarket MATRIX Array Real General\n"
                            "2 3\n1\n0\n2 3\n4\n5\n");

    (void)state;
    assert_int_equal(m.nnz, 5);
    check_row(&m, 0, 3, (int64_t[]){0, 1, 2}, (double[]){1.0, 2.0, 4.0});
    check_row(&m, 1, 2, (int64_t[]){1, 2}, (double[]){3.0, 5.0});
    mm_free(&m);
    m = must_read("%%MatrixMarket matrix array real symmetric\n2 2\n1\n2\n3\n");
    check_row(&m, 0, 2, (int64_t[]){0, 1}, (double[]){1.0, 2.0});
    check_row(&m, 1, 2, (int64_t[]){0, 1}, (double[]){2.0, 3.0});
    mm_free(&m);
    m = must_read("%%MatrixMarket matrix array real general\n0 3\n");
    assert_int_equal(m.nnz, 0);
    mm_free(&m);
}

static void
test_duplicates(void **state)
{
    mm_matrix m = must_read(HEAD "real general\n2 2 4\n1 2 1\n2 1 5\n1 2 2\n1 2 4\n");

    (void)state;
    assert_int_equal(m.nnz, 2);
    assert_int_equal(m.duplicates, 2);
    check_row(&m, 0, 1, (int64_t[]){1}, (double[]){7.0});
    check_row(&m, 1, 1, (int64_t[]){0}, (double[]){5.0});
    mm_free(&m);
    m = must_read(HEAD "pattern general\n1 1 2\n1 1\n1 1\n");
    assert_int_equal(m.field, MM_INTEGER);
    check_row(&m, 0, 1, (int64_t[]){0}, (double[]){2.0});
    mm_free(&m);
}

static void
test_triples(void **state)
{
    mm_matrix m;
    mm_error err;

    (void)state;
    assert_int_equal(
        read_as(&m, "a.tsv", "# name: x\n0\t0\t2\n1\t3\t0\n0\t1\t2\n", &err), MM_OK);
    assert_int_equal(m.rows, 2);
    assert_int_equal(m.cols, 3);
    assert_int_equal(m.relations, 4);
    assert_int_equal(m.duplicates, 1);
    check_row(&m, 0, 1, (int64_t[]){2}, (double[]){2.0});
    mm_free(&m);
    assert_int_equal(
        read_as(&m, "a.tsv", "# entities: 9 relations: 1\n0\t0\t2\n", &err), MM_OK);
    assert_int_equal(m.rows, 9);
    assert_int_equal(m.cols, 9);
    mm_free(&m);
    assert_int_equal(read_as(&m, "a.tsv", "0\t0\t2\n0\t-1\t2\n", &err), MM_EFORMAT);
    assert_non_null(strstr(err.text, "line 2: -1 is negative; expected the relation"));
    assert_int_equal(read_as(&m, "a.voxels.tsv.gz", "0\t0\t2\n", &err), MM_EFORMAT);
}

typedef struct refusal {
    const char *text;
    int64_t line;
    const char *found, *expected;
} refusal;

static const refusal refusals[] = {
    {"", 1, "empty", "expected %%MatrixMarket"},
    {"1 2 3\n", 1, "starts with '1'", "expected %%MatrixMarket"},
    {"%%MatrixMarket vector coordinate real general\n", 1, "'vector'", "matrix"},
    {"%%MatrixMarket matrix dense real general\n", 1, "'dense'", "coordinate or array"},
    {HEAD "quaternion general\n", 1, "'quaternion'", "expected real, integer"},
    {HEAD "real lower\n", 1, "symmetry 'lower'", "expected general"},
    {HEAD "real\n", 1, "symmetry ''", "expected general"},
    {HEAD "real hermitian\n", 1, "hermitian without complex", "expected field complex"},
    {HEAD "pattern skew-symmetric\n", 1, "pattern with skew", "general or symmetric"},
    {"%%MatrixMarket matrix array pattern general\n", 1, "pattern with array", "coord"},
    {HEAD "real general\n% x\n", 3, "ends before its sizes",
     "rows, columns and entries"},
    {HEAD "real general\n2 2\n", 2, "ends early", "the number of entries"},
    {HEAD "real general\n2 x 1\n", 2, "'x' is not a whole number", "number of columns"},
    {HEAD "real general\n2 2.5 1\n", 2, "'2.5' is not a whole", "number of columns"},
    {HEAD "real general\n-2 2 1\n", 2, "-2 is negative", "number of rows"},
    {HEAD "real general\n2 2 1 9\n", 2, "'9' after the sizes", "end of the line"},
    {HEAD "real general\n2 99999999999999999999 1\n", 2, "too large", "columns"},
    {HEAD "real general\n9223372036854775807 1 0\n", 2, "limit of 64 bits", "smaller"},
    {HEAD "real symmetric\n2 3 1\n1 1 1\n", 2, "2 x 3", "square"},
    {HEAD "real general\n2 2 1\n0 1 1\n", 3, "row 0", "expected 1 .. 2"},
    {HEAD "real general\n2 2 1\n3 1 1\n", 3, "row 3", "expected 1 .. 2"},
    {HEAD "real general\n2 2 1\n1 -1 1\n", 3, "column -1", "expected 1 .. 2"},
    {HEAD "real general\n2 2 1\n1 1.0 1\n", 3, "'1.0' is not a column", "1 .. 2"},
    {HEAD "real general\n2 2 1\n1 2\n", 3, "value is missing", "expected a number"},
    {HEAD "real general\n2 2 1\n1 2 abc\n", 3, "'abc' is not a number", "a number"},
    {HEAD "real general\n2 2 1\n1 2 0x10\n", 3, "'0x10' is not a number", "a number"},
    {HEAD "real general\n2 2 1\n1 2 1e999\n", 3, "1e999 is too large", "a number"},
    {HEAD "real general\n2 2 1\n1 2 1,5\n", 3, "'1,5' is not a number", "a number"},
    {HEAD "integer general\n2 2 1\n1 2 1.5\n", 3, "'1.5' is not a number", "integer"},
    {HEAD "complex general\n2 2 1\n1 2 1\n", 3, "missing", "imaginary"},
    {HEAD "pattern general\n2 2 1\n1 2 1\n", 3, "'1' after the entry", "end of the"},
    {HEAD "real general\n2 2 2\n1 2 1\n", 4, "ends after 1 entries", "expected 2"},
    {HEAD "real general\n2 2 1\n1 2 1\n\n2 2 1\n", 5, "another entry", "after 1"},
    {HEAD "real general\n2 2 1000000000000000000\n1 2 1\n", 4, "ends after 1", "10000"},
    {HEAD "real symmetric\n2 2 1\n1 2 1\n", 3, "(1, 2) above the diagonal", "row >="},
    {HEAD "real skew-symmetric\n2 2 1\n2 2 1\n", 3, "on the diagonal", "row > column"},
    {HEAD "complex hermitian\n2 2 1\n2 2 1 1\n", 3, "imaginary part", "expected 0"},
    {"%%MatrixMarket matrix array real general\n2 2\n1\n2\n3\n", 6, "value (2, 2)",
     "2 x 2 values"},
    {"%%MatrixMarket matrix array real general\n1 1\n1\n2\n", 4, "another value",
     "end"},
    {"%%MatrixMarket matrix array real general\n1 1\n1 2\n", 3, "'2' after", "end of"},
};

static void
test_refusals(void **state)
{
    char line[32];
    mm_matrix m;
    mm_error err;
    size_t k;

    (void)state;
    for (k = 0; k < sizeof refusals / sizeof *refusals; k++) {
        const refusal *r = &refusals[k];

        memset(&err, 0, sizeof err);
        if (read_as(&m, "t.mtx", r->text, &err) != MM_EFORMAT)
            fail_msg("case %zu accepted", k);
        snprintf(line, sizeof line, "t.mtx: line %lld: ", (long long)r->line);
        if (err.line != r->line || strncmp(err.text, line, strlen(line)) != 0 ||
            !strstr(err.text, r->found) || !strstr(err.text, r->expected) ||
            !strstr(err.text, "expected"))
            fail_msg("case %zu: %s", k, err.text);
        assert_int_equal(m.nnz, 0);
        assert_null(m.ptr);
    }
}

static void
test_memory_limit(void **state)
{
    const mm_options opt = {.max_bytes = 1 << 20};
    const char *const texts[] = {
        HEAD "real general\n1000000000000 1 0\n",
        HEAD "real general\n9223372036854775806 1 0\n",
        "%%MatrixMarket matrix array real general\n1000000 1000000\n",
    };
    mm_matrix m;
    mm_error err;
    size_t k;

    (void)state;
    for (k = 0; k < sizeof texts / sizeof *texts; k++) {
        const mm_status st =
            mm_read_memory(&m, "t.mtx", texts[k], strlen(texts[k]), &opt, &err);

        assert_int_equal(st, k < 2 ? MM_EMEMORY : MM_EFORMAT);
        assert_null(m.ptr);
    }
}

static void
test_long_lines(void **state)
{
    const size_t n = 1 << 20;
    char *text = malloc(n + 256);
    mm_matrix m;
    mm_error err;
    int k;

    (void)state;
    assert_non_null(text);
    k = sprintf(text, "%s", HEAD "real general\n%");
    memset(text + k, 'x', n);
    strcpy(text + k + n, "\n1 1 1\n1 1 7\n");
    m = must_read(text);
    assert_true(m.val[0] == 7.0);
    mm_free(&m);
    k = sprintf(text, "%s", HEAD "real general\n1 1 1\n");
    memset(text + k, ' ', n);
    strcpy(text + k + n, "1 1 7\n");
    assert_int_equal(read_as(&m, "t.mtx", text, &err), MM_EFILE);
    assert_non_null(strstr(err.text, "line 3: longer than"));
    free(text);
}

/* ---- Files ----------------------------------------------------------------------- */

static void
temporary(char *path, const char *tail)
{
    const char *folder = getenv("TMPDIR");

    snprintf(path, 256, "%s/spblas-mm-%ld%s", folder ? folder : "/tmp", (long)getpid(),
             tail);
}

static void
round_trip(const char *text, const char *tail)
{
    mm_matrix m = must_read(text), back;
    const int width = m.field == MM_COMPLEX ? 2 : 1;
    char path[256];
    mm_error err;

    temporary(path, tail);
    if (mm_write(&m, path, "one\ntwo", &err) != MM_OK ||
        mm_read(&back, path, NULL, &err) != MM_OK)
        fail_msg("%s", err.text);
    unlink(path);
    assert_int_equal(back.rows, m.rows);
    assert_int_equal(back.cols, m.cols);
    assert_int_equal(back.nnz, m.nnz);
    assert_int_equal(back.field, m.field);
    assert_int_equal(back.symmetry, m.symmetry);
    assert_memory_equal(back.ptr, m.ptr, (size_t)(m.rows + 1) * sizeof *m.ptr);
    assert_memory_equal(back.col, m.col, (size_t)m.nnz * sizeof *m.col);
    assert_memory_equal(back.val, m.val, (size_t)(m.nnz * width) * sizeof *m.val);
    mm_free(&m);
    mm_free(&back);
}

static void
test_round_trips(void **state)
{
    static const char *const texts[] = {
        HEAD "real general\n3 3 5\n1 1 0.1\n1 2 1e-300\n2 1 -3.3333333333333335\n"
             "3 1 6.02214076e23\n3 3 4.9e-324\n",
        HEAD "integer general\n2 2 2\n1 1 -7\n2 2 9007199254740991\n",
        HEAD "pattern symmetric\n4 4 3\n2 1\n3 3\n4 2\n",
        HEAD "complex hermitian\n2 2 2\n1 1 5 0\n2 1 0.1 -0.2\n",
        HEAD "real skew-symmetric\n3 3 2\n2 1 1.5\n3 1 -2\n",
        HEAD "real general\n0 5 0\n",
    };
    size_t k;

    (void)state;
    for (k = 0; k < sizeof texts / sizeof *texts; k++) {
        round_trip(texts[k], ".mtx");
        round_trip(texts[k], ".mtx.gz");
    }
}

static void
test_comma_locale(void **state)
{
    (void)state;
    if (!setlocale(LC_ALL, "de_DE.UTF-8"))
        skip();
    round_trip(HEAD "real general\n1 1 1\n1 1 1.00000000000000012345e-7\n", ".mtx");
    setlocale(LC_ALL, "C");
}

static void
test_damaged_gzip(void **state)
{
    static const char text[] = HEAD "real general\n1 1 1\n1 1 1\n";
    unsigned char packed[512];
    z_stream z = {0};
    mm_matrix m;
    mm_error err;
    size_t n;

    (void)state;
    assert_int_equal(deflateInit2(&z, 6, Z_DEFLATED, 31, 8, Z_DEFAULT_STRATEGY), Z_OK);
    z.next_in = (unsigned char *)text;
    z.avail_in = sizeof text - 1;
    z.next_out = packed;
    z.avail_out = sizeof packed / 2;
    assert_int_equal(deflate(&z, Z_FINISH), Z_STREAM_END);
    n = z.total_out;
    deflateEnd(&z);
    assert_int_equal(mm_read_memory(&m, "t", packed, n, NULL, &err), MM_OK);
    mm_free(&m);
    assert_int_equal(mm_read_memory(&m, "t", packed, n - 9, NULL, &err), MM_EFILE);
    assert_non_null(strstr(err.text, "ends early"));
    packed[n - 6] ^= 1; /* the checksum */
    assert_int_equal(mm_read_memory(&m, "t", packed, n, NULL, &err), MM_EFILE);
    assert_non_null(strstr(err.text, "damaged"));
    assert_int_equal(mm_read(&m, "/nowhere/at/all.mtx", NULL, &err), MM_EFILE);
    assert_non_null(strstr(err.text, "cannot be opened"));
}

/* Every number as the C library reads it. */
static void
test_numbers(void **state)
{
    static const char *const words[] = {
        "0",
        "-0",
        "1",
        "123456789012345678",
        "0.000001",
        "1e22",
        "1e23",
        "9007199254740993",
        "1.7976931348623157e308",
        "2.2250738585072011e-308",
        "5e-324",
        "1e-400",
        "inf",
        "-Infinity",
        "NaN",
        "00012.50",
        "1.",
        ".5",
        "3e+05",
        "179769313486231570000",
        "0.1000000000000000055511151231257827021181583404541015625"};
    size_t k;

    (void)state;
    for (k = 0; k < sizeof words / sizeof *words; k++) {
        const char *at = words[k], *end = at + strlen(at);
        const double want = strtod(words[k], NULL);
        double got = -77.0;

        assert_int_equal(mm_number_real(&at, end, &got), MM_NUMBER_OK);
        if (!(got == want || (isnan(got) && isnan(want))))
            fail_msg("%s: %.17g", words[k], got);
        assert_int_equal(signbit(got) != 0, words[k][0] == '-');
        assert_ptr_equal(at, end);
    }
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_general),      cmocka_unit_test(test_symmetries),
        cmocka_unit_test(test_array),        cmocka_unit_test(test_duplicates),
        cmocka_unit_test(test_triples),      cmocka_unit_test(test_refusals),
        cmocka_unit_test(test_memory_limit), cmocka_unit_test(test_long_lines),
        cmocka_unit_test(test_round_trips),  cmocka_unit_test(test_comma_locale),
        cmocka_unit_test(test_damaged_gzip), cmocka_unit_test(test_numbers),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
