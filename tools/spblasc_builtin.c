/*
 * spblasc builtin DIR: the C of every built-in kernel, for cmake/builtin.cmake. Writes
 * builtin_0.c .. builtin_7.c and builtin_table.c; the table, sorted by spec, is what the
 * kernel cache searches. Compiled once per level with SB_LEVEL set, so the functions of
 * two levels can be linked together. Kernels with more than SB_SUMS bytes of sums are left
 * out where that is set: they would spill, and cost most of all to compile. So are, where
 * SB_GATHERS is defined, those that the level below has the same code of.
 */
#include "spblasc.h"

#include "base/alloc.h"
#include "base/strbuf.h"
#include "kernels/recipe.h"
#include "kernels/spec.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SHARDS = 8, SIXTEEN_REGISTERS = 512, WIDE_REGISTERS = 1024 };

static const char prologue[] = "/* Made by spblasc builtin. */\n"
                               "#define SB_PASTE_(name, level) name##_##level\n"
                               "#define SB_PASTE(name, level) SB_PASTE_(name, level)\n";

static int
by_text(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static void
symbol_of(sb_hash key, char out[40])
{
    char hex[33];

    sb_hash_text(key, hex);
    (void)snprintf(out, 40, "sbk_%s", hex);
}

/* Rows of B asked for into L1, of whatever row of A: rules of registers of 64 bytes alone. */
static bool
asks_near(const sb_spec *s)
{
    return s->prefetch >= SB_SPEC_FAR && s->prefetch < SB_PREFETCH_FAR;
}

/* Compiles to other code where gathers are fast (SBK_FAST_GATHER). */
static bool
gathers(const sb_spec *s)
{
    return s->op == SB_KOP_SPMV || (s->op == SB_KOP_SPMM && s->unroll == SB_SPEC_FEW);
}

/* Bytes of the sums that a kernel keeps in registers. Dots and the caller's blocks have no
 * other kernel, so only the narrowest level goes without; windows of dots want registers of 64 bytes. */
static int
sums(const sb_spec *s, const char *text)
{
    int bytes;

    if (s->unroll >= SB_SPEC_SLIM || asks_near(s) || /* are another's, else */
        (s->op == SB_KOP_SDDMM && s->kinds >> SB_KIND_WIN & 1))
        return WIDE_REGISTERS;
    bytes = s->tile * (s->block > 1 ? s->block : 1) * (int)sb_dtype_size(s->compute);
    if ((s->op == SB_KOP_SDDMM || strstr(text, " blocks ")) &&
        bytes > SIXTEEN_REGISTERS)
        bytes = SIXTEEN_REGISTERS;
    return bytes;
}

static void
begin_fitting(sb_strbuf *out, const sb_spec *s, const char *text)
{
    sb_strbuf_printf(out, "#if (!defined(SB_SUMS) || SB_SUMS >= %d)%s\n", sums(s, text),
                     gathers(s) ? "" : " && !defined(SB_GATHERS)");
}

/* One kernel: its text to the shard, its row to the table. */
static sb_status
add(sb_strbuf *shard, sb_strbuf *externs, sb_strbuf *rows, const char *spec,
    sb_diag *diag)
{
    sb_strbuf text, signature;
    char symbol[40];
    sb_hash key;
    sb_spec s;
    sb_status st = sb_spec_parse(&s, spec, diag);

    sb_strbuf_init(&text);
    sb_strbuf_init(&signature);
    if (st == SB_OK)
        st = sb_spec_emit(&text, &signature, &key, spec, diag);
    if (st == SB_OK) {
        symbol_of(key, symbol);
        begin_fitting(shard, &s, spec);
        begin_fitting(externs, &s, spec);
        begin_fitting(rows, &s, spec);
        sb_strbuf_printf(shard, "\n#define %s SB_PASTE(%s, SB_LEVEL)\n", symbol,
                         symbol);
        sb_strbuf_putn(shard, text.s, text.len);
        sb_strbuf_printf(externs,
                         "extern void SB_PASTE(%s, SB_LEVEL)(void *const *, "
                         "const sb_param *, int64_t, int64_t);\n",
                         symbol);
        sb_strbuf_printf(
            rows, "    {\"%s\", \"%s\", {UINT64_C(0x%llx), UINT64_C(0x%llx)}, ", spec,
            signature.s, (unsigned long long)key.a, (unsigned long long)key.b);
        sb_strbuf_printf(rows, "SB_PASTE(%s, SB_LEVEL)},\n", symbol);
        sb_strbuf_puts(shard, "#endif\n");
        sb_strbuf_puts(externs, "#endif\n");
        sb_strbuf_puts(rows, "#endif\n");
    }
    sb_strbuf_free(&text);
    sb_strbuf_free(&signature);
    return st;
}

/* A file that already says it keeps its time, so that nothing is compiled again. */
static bool
says(const char *path, const sb_strbuf *text)
{
    FILE *f = fopen(path, "r");
    size_t at = 0;
    int c = EOF;

    while (f && at < text->len && (c = getc(f)) == (unsigned char)text->s[at])
        at++;
    if (f && at == text->len)
        c = getc(f);
    if (f)
        (void)fclose(f);
    return f && at == text->len && c == EOF;
}

static int
write_file(const char *dir, const char *name, const sb_strbuf *text)
{
    char path[4096];
    FILE *f;
    int bad;

    if (sb_strbuf_status(text) != SB_OK ||
        snprintf(path, sizeof path, "%s/%s", dir, name) >= (int)sizeof path)
        return 1;
    if (says(path, text))
        return 0;
    f = fopen(path, "w");
    if (!f) {
        perror(path);
        return 1;
    }
    bad = fwrite(text->s, 1, text->len, f) != text->len;
    bad |= fclose(f) != 0;
    return bad;
}

static int
write_all(const char *dir, const sb_strbuf *shard, const sb_strbuf *externs,
          const sb_strbuf *rows)
{
    sb_strbuf table;
    char name[32];
    int bad = 0;

    for (int q = 0; q < SHARDS; q++) {
        (void)snprintf(name, sizeof name, "builtin_%d.c", q);
        bad |= write_file(dir, name, &shard[q]);
    }
    sb_strbuf_init(&table);
    sb_strbuf_printf(&table, "%s#include \"runtime/kernel.h\"\n#include <stddef.h>\n\n",
                     prologue);
    sb_strbuf_puts(&table, externs->s);
    sb_strbuf_puts(&table,
                   "\nextern const sb_kernel SB_PASTE(sb_builtin, SB_LEVEL)[];\n"
                   "const sb_kernel SB_PASTE(sb_builtin, SB_LEVEL)[] = {\n");
    sb_strbuf_puts(&table, rows->s);
    sb_strbuf_puts(&table, "    {NULL, NULL, {0, 0}, NULL},\n};\n");
    bad |= write_file(dir, "builtin_table.c", &table);
    sb_strbuf_free(&table);
    return bad;
}

static int
emit_all(const char *dir, const char *const *spec, int n)
{
    sb_strbuf shard[SHARDS], externs, rows;
    sb_diag diag = {SB_OK, ""};
    int bad = 0;

    sb_strbuf_init(&externs);
    sb_strbuf_init(&rows);
    for (int q = 0; q < SHARDS; q++) {
        sb_strbuf_init(&shard[q]);
        sb_strbuf_puts(&shard[q], prologue);
        sb_strbuf_puts(&shard[q], "#include \"spblas_kernel.h\"\n");
    }
    for (int q = 0; q < n && !bad; q++) {
        const sb_status st = add(&shard[q % SHARDS], &externs, &rows, spec[q], &diag);

        if (st != SB_OK) {
            fprintf(stderr, "spblasc: built-in \"%s\": %s\n", spec[q],
                    diag.text[0] ? diag.text : sb_status_text(st));
            bad = 1;
        }
    }
    bad = bad || write_all(dir, shard, &externs, &rows);
    for (int q = 0; q < SHARDS; q++)
        sb_strbuf_free(&shard[q]);
    sb_strbuf_free(&externs);
    sb_strbuf_free(&rows);
    return bad;
}

int
spblasc_builtin(int argc, char **argv)
{
    const char **spec;
    int n = 0, bad;

    if (argc != 1) {
        (void)fprintf(stderr, "usage: spblasc builtin DIR\n");
        return EXIT_FAILURE;
    }
    while (sb_spec_builtin(n))
        n++;
    spec = sb_alloc_array(n + 1, sizeof *spec);
    if (!spec)
        return EXIT_FAILURE;
    for (int q = 0; q < n; q++)
        spec[q] = sb_spec_builtin(q);
    qsort(spec, (size_t)n, sizeof *spec, by_text);
    bad = emit_all(argv[0], spec, n);
    sb_free(spec);
    return bad ? EXIT_FAILURE : EXIT_SUCCESS;
}
