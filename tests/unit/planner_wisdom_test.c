/*
 * Wisdom as tables, text and files: what is kept, under which key, what is refused and
 * why, short memory, and several processes that write one file.
 */
#include "planner/wisdom.h"

#include "base/alloc.h"
#include "base/hash.h"
#include "gen.h"
#include "runtime/cache.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#define HASH "0123456789abcdef0123456789abcdef"
#define REST " v3/2/1/2/3 spmm/nn/f32"
#define PLAN "(plan spmm (part csr))"

/* ---- helpers ------------------------------------------------------------------------ */

static void
key_of(char out[100], int n)
{
    (void)snprintf(out, 100, "%032x" REST, (unsigned)n);
}

static void
put(sb_wisdom *w, int n, const char *plan, sb_effort effort, double seconds)
{
    sb_wisdom one;
    char key[100];

    key_of(key, n);
    assert_int_equal(sb_wisdom_single(&one, key, plan, effort, seconds), SB_OK);
    assert_int_equal(sb_wisdom_merge_take(w, &one), SB_OK);
}

static const sb_wisdom_entry *
find(const sb_wisdom *w, int n)
{
    char key[100];

    key_of(key, n);
    return sb_wisdom_find(w, key);
}

/* Lines with a greeting and their checksum. */
static void
seal(sb_strbuf *out, const char *lines)
{
    const sb_hash none = {0, 0};
    char hex[33];

    sb_strbuf_printf(out, "spblas wisdom 2\n%s", lines);
    sb_hash_text(sb_hash_bytes(out->s, out->len, none), hex);
    sb_strbuf_printf(out, "checksum %s\n", hex);
    assert_int_equal(sb_strbuf_status(out), SB_OK);
}

/* ---- tables ------------------------------------------------------------------------- */

static void
test_table(void **state)
{
    sb_wisdom w = {0}, back;
    sb_strbuf text, twice;
    sb_diag diag = {0};

    (void)state;
    for (int n = 0; n < 200; n++)
        put(&w, n * 77 % 200, PLAN, SB_EFFORT_MEASURE, 1e-6 * (n + 1));
    assert_int_equal(w.n, 200);
    for (int k = 1; k < 200; k++)
        assert_true(strcmp(w.at[k - 1].key, w.at[k].key) < 0);
    /* faster stays, more effort stays */
    put(&w, 5, "(plan spmm (part seg))", SB_EFFORT_MEASURE, 1);
    assert_string_equal(find(&w, 5)->plan, PLAN);
    put(&w, 5, "(plan spmm (part seg))", SB_EFFORT_MEASURE, 1e-9);
    assert_string_equal(find(&w, 5)->plan, "(plan spmm (part seg))");
    put(&w, 5, PLAN, SB_EFFORT_EXHAUSTIVE, 2);
    put(&w, 5, PLAN, SB_EFFORT_MEASURE, 1e-9);
    assert_true(find(&w, 5)->seconds == 2);
    assert_null(find(&w, 201));

    sb_strbuf_init(&text);
    sb_strbuf_init(&twice);
    sb_wisdom_print(&text, &w);
    if (sb_wisdom_parse(&back, text.s, text.len, &diag) != SB_OK)
        fail_msg("%s", diag.text);
    sb_wisdom_print(&twice, &back);
    assert_string_equal(text.s, twice.s);
    assert_true(find(&back, 5)->effort == SB_EFFORT_EXHAUSTIVE);
    sb_strbuf_free(&text);
    sb_strbuf_free(&twice);
    sb_wisdom_free(&w);
    sb_wisdom_free(&back);
}

static void
test_full(void **state)
{
    sb_wisdom w = {0};

    (void)state;
    for (int n = 0; n < SB_WISDOM_MAX + 3; n++)
        put(&w, n, PLAN, SB_EFFORT_MEASURE, 1);
    assert_int_equal(w.n, SB_WISDOM_MAX);
    assert_null(find(&w, 2));
    assert_non_null(find(&w, 3));
    assert_non_null(find(&w, SB_WISDOM_MAX + 2));
    sb_wisdom_free(&w);
}

/* ---- text --------------------------------------------------------------------------- */

static void
refused(const char *lines, const char *why)
{
    sb_strbuf text;
    sb_wisdom w;
    sb_diag diag = {0};

    sb_strbuf_init(&text);
    seal(&text, lines);
    assert_int_equal(sb_wisdom_parse(&w, text.s, text.len, &diag), SB_EINVAL);
    if (!strstr(diag.text, why))
        fail_msg("%s: %s", lines, diag.text);
    assert_null(w.at);
    sb_strbuf_free(&text);
}

static void
test_refused(void **state)
{
    static const char good[] = HASH REST " measure 1e-5 " PLAN "\n";
    char two[400];

    (void)state;
    (void)snprintf(two, sizeof two, "%s%s", good, "\n");
    refused(two, "line 3: a structure is 32");
    refused("0123 v3 spmm/ measure 1 " PLAN "\n", "line 2: a structure is 32");
    refused("G" HASH REST " measure 1 " PLAN "\n", "line 2: a structure is 32");
    refused(HASH "\n", "line 2: a structure is 32");
    refused(HASH " v3\n", "machine and a problem");
    refused(HASH "  v3 spmm/ measure 1 " PLAN "\n", "machine and a problem");
    refused(HASH REST " estimate 1 " PLAN "\n", "effort");
    refused(HASH REST " measure " PLAN "\n", "seconds");
    refused(HASH REST " measure 0 " PLAN "\n", "seconds");
    refused(HASH REST " measure -1 " PLAN "\n", "seconds");
    refused(HASH REST " measure nan " PLAN "\n", "seconds");
    refused(HASH REST " measure inf " PLAN "\n", "seconds");
    refused(HASH REST " measure 1x " PLAN "\n", "seconds");
    refused(HASH REST " measure 1 \n", "no plan");
    refused(HASH REST " measure 1 (plan spmv (part csr))\n", "no plan of the problem");
    refused(HASH REST " measure 1 (plan spmm (part csr)\n", "no plan");
}

/* No byte can change, none be left out at the end. */
static void
test_damage(void **state)
{
    sb_strbuf text;
    sb_wisdom w;
    sb_diag diag;

    (void)state;
    sb_strbuf_init(&text);
    seal(&text, HASH REST " measure 1e-5 " PLAN "\n");
    assert_int_equal(sb_wisdom_parse(&w, text.s, text.len, NULL), SB_OK);
    sb_wisdom_free(&w);
    for (size_t at = 0; at < text.len; at++)
        for (int bit = 0; bit < 8; bit++) {
            text.s[at] ^= (char)(1 << bit);
            diag = (sb_diag){0};
            assert_int_equal(sb_wisdom_parse(&w, text.s, text.len, &diag), SB_EINVAL);
            assert_non_null(strstr(diag.text, "line "));
            text.s[at] ^= (char)(1 << bit);
        }
    for (size_t len = 0; len < text.len; len++) {
        diag = (sb_diag){0};
        assert_int_equal(sb_wisdom_parse(&w, text.s, len, &diag), SB_EINVAL);
        assert_non_null(
            strstr(diag.text, len < 16 ? "line 1: wisdom begins" : "cut off"));
    }
    sb_strbuf_free(&text);
}

/* ---- memory ------------------------------------------------------------------------- */

static void
test_out_of_memory(void **state)
{
    const int64_t live = sb_alloc_live();
    bool enough = false;
    sb_wisdom w = {0}, more;
    sb_strbuf text, after;

    (void)state;
    put(&w, 1, PLAN, SB_EFFORT_MEASURE, 1);
    sb_strbuf_init(&text);
    for (int n = 2; n < 9; n++)
        sb_strbuf_printf(&text, "%032x" REST " measure 1 " PLAN "\n", (unsigned)n);
    sb_strbuf_init(&after);
    seal(&after, text.s);
    for (int64_t n = 0; !enough; n++) {
        sb_status st;

        (void)sb_alloc_fail_after(n);
        st = sb_wisdom_parse(&more, after.s, after.len, NULL);
        if (st == SB_OK)
            st = sb_wisdom_merge_take(&w, &more);
        enough = sb_alloc_fail_after(-1) <= n;
        assert_true(st == SB_OK || st == SB_ENOMEM);
        assert_int_equal(w.n, st == SB_OK ? 8 : 1);
        sb_wisdom_free(&more);
    }
    sb_wisdom_free(&w);
    sb_strbuf_free(&text);
    sb_strbuf_free(&after);
    assert_int_equal(sb_alloc_live(), live);
}

/* ---- keys --------------------------------------------------------------------------- */

static void
same_key(const sb_problem *a, const sb_problem *b, const sb_options *opt, int threads,
         bool same)
{
    static const sb_options none = {0};
    sb_strbuf x, y;

    sb_strbuf_init(&x);
    sb_strbuf_init(&y);
    sb_wisdom_key(&x, a, &none, 1);
    sb_wisdom_key(&y, b, opt ? opt : &none, threads);
    if ((strcmp(x.s, y.s) == 0) != same)
        fail_msg("%s\n%s", x.s, y.s);
    sb_strbuf_free(&x);
    sb_strbuf_free(&y);
}

static void
every_index(sb_problem *pb, const void *array, sb_dtype type, int64_t n)
{
    sb_problem was = *pb;
    const size_t size = sb_dtype_size(type);
    void *copy = malloc((size_t)n * size);
    const void **at = array == pb->a.ptr   ? &was.a.ptr
                      : array == pb->a.row ? &was.a.row
                                           : &was.a.idx;

    assert_non_null(copy);
    memcpy(copy, array, (size_t)n * size);
    *at = copy;
    same_key(pb, &was, NULL, 1, true);
    for (int64_t p = 0; p < n; p++) {
        ((char *)copy)[(size_t)p * size] ^= 1;
        same_key(pb, &was, NULL, 1, false);
        ((char *)copy)[(size_t)p * size] ^= 1;
    }
    free(copy);
}

static void
test_keys(void **state)
{
    static const sb_format formats[] = {SB_FORMAT_CSR, SB_FORMAT_CSC, SB_FORMAT_COO,
                                        SB_FORMAT_BSR};
    const sb_options frozen = {.values_frozen = true};

    (void)state;
    for (size_t q = 0; q < 4; q++) {
        const gen_spec spec = {.family = GEN_UNIFORM,
                               .rows = 12,
                               .cols = 18,
                               .density = 0.3,
                               .format = formats[q],
                               .block = 3,
                               .ptr_type = SB_I64,
                               .idx_type = SB_I32,
                               .val_type = SB_F32};
        sb_problem pb = {.op = SB_OP_SPMM, .a = gen_matrix(&spec), .compute = SB_F32};
        const int64_t majors = formats[q] == SB_FORMAT_CSC   ? 18
                               : formats[q] == SB_FORMAT_BSR ? 4
                                                             : 12;
        sb_problem x;

        pb.batch = 1;
        pb.b = (sb_dense){18, 8, 8, false, SB_F32, NULL, 1, 0};
        pb.c = (sb_dense){12, 8, 8, false, SB_F32, NULL, 1, 0};
        every_index(&pb, pb.a.idx, SB_I32, pb.a.nnz);
        if (formats[q] == SB_FORMAT_COO)
            every_index(&pb, pb.a.row, SB_I32, pb.a.nnz);
        else
            every_index(&pb, pb.a.ptr, SB_I64, majors + 1);
#define OTHER(change) \
    x = pb;           \
    change;           \
    same_key(&pb, &x, NULL, 1, false)
        OTHER(x.a.rows--);
        OTHER(x.a.cols--);
        OTHER(x.a.base = 1);
        OTHER(x.a.val_type = SB_F64);
        OTHER(x.b.cols = x.c.cols = 9);
        OTHER(x.b.col_major = true);
        OTHER(x.c.col_major = true);
        OTHER(x.b.type = SB_F64);
        OTHER(x.c.type = SB_F64);
        OTHER(x.compute = SB_F64);
        OTHER(x.trans_b = SB_TRANS_T);
        OTHER(x.op = SB_OP_SPMV);
        OTHER(x.batch = 2);
        same_key(&pb, &pb, &frozen, 1, false);
        same_key(&pb, &pb, NULL, 2, false);
        x = pb;
        x.alpha.re = 3;
        x.b.ld = 11;
        x.a.val = NULL;
        same_key(&pb, &x, NULL, 1, true);
        gen_free_matrix(&pb.a);
    }
}

/* ---- files -------------------------------------------------------------------------- */

static char folder[64], path[100], lock_path[110];

static int
make_folder(void **state)
{
    (void)state;
    strcpy(folder, "/tmp/wisdom.XXXXXX");
    if (!mkdtemp(folder))
        return 1;
    (void)snprintf(path, sizeof path, "%s/file", folder);
    (void)snprintf(lock_path, sizeof lock_path, "%s.lock", path);
    sb_wisdom_forget();
    return 0;
}

static int
remove_folder(void **state)
{
    (void)state;
    (void)unlink(path);
    (void)unlink(lock_path);
    sb_wisdom_forget();
    return rmdir(folder); /* nothing else was left there */
}

static void
learn(int n)
{
    char key[100];

    key_of(key, n);
    sb_wisdom_remember(key, PLAN, SB_EFFORT_MEASURE, 1);
}

static bool
knows(int n)
{
    sb_strbuf plan;
    double seconds;
    char key[100];
    bool yes;

    key_of(key, n);
    sb_strbuf_init(&plan);
    yes = sb_wisdom_recall(&plan, &seconds, key, SB_EFFORT_MEASURE);
    sb_strbuf_free(&plan);
    return yes;
}

static void
write_text(const char *text)
{
    FILE *f = fopen(path, "w");

    assert_non_null(f);
    assert_true(fputs(text, f) >= 0 && fclose(f) == 0);
    assert_int_equal(chmod(path, 0600), 0);
}

static void
test_file(void **state)
{
    struct stat s;
    sb_diag diag = {0};

    (void)state;
    assert_int_equal(sb_wisdom_import_file(path, &diag), SB_EIO);
    assert_non_null(strstr(diag.text, "no file"));
    learn(1);
    assert_int_equal(sb_wisdom_export_file(path, NULL), SB_OK);
    assert_int_equal(stat(path, &s), 0);
    assert_int_equal(s.st_mode & 0777, 0600);
    sb_wisdom_forget();
    assert_false(knows(1));
    learn(2);
    assert_int_equal(sb_wisdom_export_file(path, NULL), SB_OK); /* adds */
    sb_wisdom_forget();
    assert_int_equal(sb_wisdom_import_file(path, NULL), SB_OK);
    assert_true(knows(1) && knows(2) && !knows(3));
    /* what is no wisdom is not touched */
    write_text("my thesis\n");
    diag = (sb_diag){0};
    assert_int_equal(sb_wisdom_export_file(path, &diag), SB_EINVAL);
    assert_non_null(strstr(diag.text, "line 1"));
    assert_int_equal(stat(path, &s), 0);
    assert_int_equal(s.st_size, 10);
    assert_int_equal(chmod(path, 0666), 0);
    assert_int_equal(sb_wisdom_import_file(path, NULL), SB_EIO);
    assert_int_equal(sb_wisdom_export_file("/nowhere/at/all", NULL), SB_EIO);
}

/* Short memory leaves the file as it was, and no other beside it. */
static void
test_file_memory(void **state)
{
    bool enough = false;

    (void)state;
    learn(1);
    assert_int_equal(sb_wisdom_export_file(path, NULL), SB_OK);
    sb_wisdom_forget();
    learn(2);
    for (int64_t n = 0; !enough; n++) {
        sb_wisdom back;
        sb_strbuf text;
        sb_status st;

        (void)sb_alloc_fail_after(n);
        st = sb_wisdom_export_file(path, NULL);
        enough = sb_alloc_fail_after(-1) <= n;
        assert_true(st == SB_OK || st == SB_ENOMEM);
        sb_strbuf_init(&text);
        assert_int_equal(sb_cache_read(&text, path, NULL), SB_OK);
        assert_int_equal(sb_wisdom_parse(&back, text.s, text.len, NULL), SB_OK);
        assert_int_equal(back.n, st == SB_OK ? 2 : 1);
        sb_strbuf_free(&text);
        sb_wisdom_free(&back);
    }
}

/* Processes that add an entry each at the same time lose none. */
static void
test_processes(void **state)
{
    enum { CHILDREN = 4, EACH = 25 };
    pid_t child[CHILDREN];

    (void)state;
    for (int k = 0; k < CHILDREN; k++) {
        child[k] = fork();
        assert_true(child[k] >= 0);
        if (child[k] > 0)
            continue;
        for (int n = 0; n < EACH; n++) {
            sb_wisdom_forget();
            learn(k * EACH + n);
            if (sb_wisdom_export_file(path, NULL) != SB_OK)
                _exit(1);
        }
        _exit(0);
    }
    for (int k = 0; k < CHILDREN; k++) {
        int how = 1;

        assert_int_equal(waitpid(child[k], &how, 0), child[k]);
        assert_int_equal(how, 0);
    }
    assert_int_equal(sb_wisdom_import_file(path, NULL), SB_OK);
    for (int n = 0; n < CHILDREN * EACH; n++)
        assert_true(knows(n));
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_table),
        cmocka_unit_test(test_full),
        cmocka_unit_test(test_refused),
        cmocka_unit_test(test_damage),
        cmocka_unit_test(test_out_of_memory),
        cmocka_unit_test(test_keys),
        cmocka_unit_test_setup_teardown(test_file, make_folder, remove_folder),
        cmocka_unit_test_setup_teardown(test_file_memory, make_folder, remove_folder),
        cmocka_unit_test_setup_teardown(test_processes, make_folder, remove_folder),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
