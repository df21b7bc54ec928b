/*
 * spblasc: the compiler as a program. Text in (files or standard input), passes, text or
 * C out. `spblasc --help` prints the usage below.
 */
#include "spblasc.h"
#include "base/arena.h"
#include "base/diag.h"
#include "base/strbuf.h"
#include "compiler/compiler.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char usage[] =
    "usage: spblasc [options] [FILE ...]     one stage I, II or III program per FILE; "
    "no\n"
    "                                        FILE or - is standard input\n"
    "  --rules FILE       decompose by these format rewrite rules first\n"
    "  --copy             ... and keep the iterations that copy the values\n"
    "  --schedule FILE    schedule of the FILEs that follow\n"
    "  --passes A,B,...   only these passes (default: all that the program's stage "
    "needs)\n"
    "  --stop-after PASS  print the program as it is after PASS\n"
    "  --dump-each DIR    write every intermediate program to DIR/<n>_<pass>.sb\n"
    "  --dump             print every intermediate program\n"
    "  --fuse NAME        fuse the FILEs' results into one program that walks tiles\n"
    "  --emit c|cuda      print C or CUDA C instead of the program\n"
    "  --symbol NAME      name of the C function (default: the program's name)\n"
    "       spblasc --verify [FILE ...]      only read and verify\n"
    "       spblasc builtin DIR              C of the built-in kernels to DIR\n";

enum { FILES_MAX = 16, PASSES_MAX = 16 };

typedef struct options {
    const char *rules, *schedule, *passes, *stop_after, *dump_dir, *fuse, *symbol;
    bool copy, dump, verify_only;
    sb_status (*emit)(sb_strbuf *out, const sb_prog *p, const char *symbol);
} options;

typedef struct driver {
    options opt;
    sb_arena arena;
    sb_ir ir;
    sb_diag diag;
    int ndump;
    const sb_prog *result[FILES_MAX];
    int nresult;
} driver;

/* ---- files ----------------------------------------------------------------------------------- */

static sb_status
read_stream(sb_strbuf *out, FILE *f)
{
    char block[4096];
    size_t n;

    while ((n = fread(block, 1, sizeof block, f)) > 0)
        sb_strbuf_putn(out, block, n);
    return ferror(f) ? SB_EIO : sb_strbuf_status(out);
}

static sb_status
read_file(driver *dr, sb_strbuf *out, const char *path)
{
    FILE *f = strcmp(path, "-") == 0 ? stdin : fopen(path, "rb");
    sb_status st;

    if (!f)
        return sb_diag_set(&dr->diag, SB_EIO, "cannot open %s", path);
    st = read_stream(out, f);
    if (f != stdin)
        (void)fclose(f);
    return st == SB_OK ? st : sb_diag_set(&dr->diag, st, "cannot read %s", path);
}

/* Text of an optional file; NULL path gives "". */
static sb_status
read_optional(driver *dr, sb_strbuf *out, const char *path)
{
    sb_strbuf_init(out);
    return path ? read_file(dr, out, path) : SB_OK;
}

static sb_status
print_prog(driver *dr, FILE *f, const sb_prog *p)
{
    sb_strbuf text;
    sb_status st;

    sb_strbuf_init(&text);
    st = sb_prog_print(&text, p);
    if (st == SB_OK && fwrite(text.s, 1, text.len, f) != text.len)
        st = sb_diag_set(&dr->diag, SB_EIO, "cannot write");
    sb_strbuf_free(&text);
    return st;
}

static sb_status
dump_prog(driver *dr, const char *pass, const sb_prog *p)
{
    char path[1024];
    sb_status st;
    FILE *f;

    if (dr->opt.dump) {
        (void)printf("; ---- after %s\n", pass);
        if ((st = print_prog(dr, stdout, p)) != SB_OK)
            return st;
    }
    if (!dr->opt.dump_dir)
        return SB_OK;
    if (snprintf(path, sizeof path, "%s/%02d_%s.sb", dr->opt.dump_dir, dr->ndump++,
                 pass) >= (int)sizeof path)
        return sb_diag_set(&dr->diag, SB_EIO, "the path %s is too long",
                           dr->opt.dump_dir);
    if (!(f = fopen(path, "wb")))
        return sb_diag_set(&dr->diag, SB_EIO, "cannot open %s", path);
    st = print_prog(dr, f, p);
    if (fclose(f) != 0 && st == SB_OK)
        st = sb_diag_set(&dr->diag, SB_EIO, "cannot write %s", path);
    return st;
}

/* ---- passes ---------------------------------------------------------------------------------- */

/* Is name one of the comma-separated words of list? */
static bool
listed(const char *list, const char *name)
{
    const size_t n = strlen(name);

    for (const char *s = list; s; s = strchr(s, ',')) {
        s += *s == ',';
        if (strncmp(s, name, n) == 0 && (s[n] == ',' || s[n] == '\0'))
            return true;
    }
    return false;
}

/* Stage a pass takes: by its place in the pipeline. */
static bool
applies(const driver *dr, const char *pass, const sb_prog *p)
{
    if (dr->opt.passes)
        return listed(dr->opt.passes, pass);
    if (strcmp(pass, "schedule1") == 0 || strcmp(pass, "lower_iter") == 0)
        return p->stage == 1;
    if (strcmp(pass, "schedule2") == 0 || strcmp(pass, "lower_buf") == 0)
        return p->stage == 2;
    return p->stage == 3;
}

static sb_status
check_passes(driver *dr)
{
    const char *name[2] = {dr->opt.passes, dr->opt.stop_after};

    for (int q = 0; q < 2; q++) {
        for (const char *s = name[q]; s && *s;) {
            const size_t n = strcspn(s, ",");
            int r = 0;

            while (sb_pass_name(r) && (strlen(sb_pass_name(r)) != n ||
                                       strncmp(sb_pass_name(r), s, n) != 0))
                r++;
            if (!sb_pass_name(r) && !(n == 9 && strncmp(s, "decompose", n) == 0))
                return sb_diag_set(&dr->diag, SB_EINVAL, "there is no pass %.*s",
                                   (int)n, s);
            s += n + (s[n] == ',');
        }
    }
    return SB_OK;
}

static bool
stops(const driver *dr, const char *pass)
{
    return dr->opt.stop_after && strcmp(dr->opt.stop_after, pass) == 0;
}

static sb_status
run_passes(driver *dr, const sb_prog **prog, const char *rules, const char *schedule)
{
    sb_status st = sb_prog_verify(*prog, &dr->diag);
    const sb_prog *next;

    if (st != SB_OK || dr->opt.verify_only)
        return st;
    if (dr->opt.rules) {
        if ((st = sb_pass_decompose(&next, &dr->ir, *prog, rules, dr->opt.copy)) !=
                SB_OK ||
            (st = sb_prog_verify(next, &dr->diag)) != SB_OK ||
            (st = dump_prog(dr, "decompose", next)) != SB_OK)
            return st;
        *prog = next;
        if (stops(dr, "decompose"))
            return SB_OK;
    }
    for (int q = 0; sb_pass_name(q); q++) {
        const char *pass = sb_pass_name(q);

        if (applies(dr, pass, *prog)) {
            if ((st = sb_pass_run(&next, &dr->ir, *prog, pass, schedule)) != SB_OK ||
                (st = dump_prog(dr, pass, next)) != SB_OK)
                return st;
            *prog = next;
        }
        if (stops(dr, pass))
            break;
    }
    return SB_OK;
}

static sb_status
run_file(driver *dr, const char *path)
{
    sb_strbuf text, rules, schedule;
    const sb_prog *p = NULL;
    sb_status st;

    sb_strbuf_init(&text);
    sb_strbuf_init(&schedule);
    if ((st = read_optional(dr, &rules, dr->opt.rules)) == SB_OK &&
        (st = read_optional(dr, &schedule, dr->opt.schedule)) == SB_OK &&
        (st = read_file(dr, &text, path)) == SB_OK &&
        (st = sb_prog_parse(&p, &dr->ir, text.s, text.len)) == SB_OK)
        st = run_passes(dr, &p, rules.s, schedule.s);
    if (st == SB_OK && dr->nresult == FILES_MAX)
        st = sb_diag_set(&dr->diag, SB_EINVAL, "more than %d files", FILES_MAX);
    if (st == SB_OK)
        dr->result[dr->nresult++] = p;
    sb_strbuf_free(&schedule);
    sb_strbuf_free(&rules);
    sb_strbuf_free(&text);
    return st;
}

/* ---- output ---------------------------------------------------------------------------------- */

static sb_status
emit_c(sb_strbuf *out, const sb_prog *p, const char *symbol)
{
    return sb_emit_c(out, p, symbol, NULL);
}

static sb_status
emit_cuda(sb_strbuf *out, const sb_prog *p, const char *symbol)
{
    return sb_emit_cuda(out, p, symbol, NULL, NULL);
}

static sb_status
emit(driver *dr, const sb_prog *p)
{
    sb_strbuf text;
    sb_status st;

    if (!dr->opt.emit)
        return print_prog(dr, stdout, p);
    sb_strbuf_init(&text);
    st = dr->opt.emit(&text, p, dr->opt.symbol ? dr->opt.symbol : p->name);
    if (st == SB_OK)
        (void)fwrite(text.s, 1, text.len, stdout);
    sb_strbuf_free(&text);
    return st;
}

static sb_status
finish(driver *dr)
{
    const sb_prog *fused;
    sb_status st = SB_OK;

    if (dr->opt.verify_only || (dr->opt.dump && !dr->opt.fuse && !dr->opt.emit))
        return SB_OK;
    if (dr->opt.fuse) {
        st = sb_pass_fuse(&fused, &dr->ir, dr->opt.fuse, dr->nresult, dr->result);
        if (st == SB_OK)
            st = sb_prog_verify(fused, &dr->diag);
        return st == SB_OK ? emit(dr, fused) : st;
    }
    for (int q = 0; q < dr->nresult && st == SB_OK; q++)
        st = emit(dr, dr->result[q]);
    return st;
}

/* ---- arguments --------------------------------------------------------------------------------- */

/* An option with a value; NULL when arg is none. */
static const char **
valued(options *o, const char *arg)
{
    const struct {
        const char *name;
        const char **to;
    } table[] = {{"--rules", &o->rules},        {"--schedule", &o->schedule},
                 {"--passes", &o->passes},      {"--stop-after", &o->stop_after},
                 {"--dump-each", &o->dump_dir}, {"--fuse", &o->fuse},
                 {"--symbol", &o->symbol}};

    for (int q = 0; q < SB_COUNT(table); q++) {
        if (strcmp(table[q].name, arg) == 0)
            return table[q].to;
    }
    return NULL;
}

static bool *
flag(options *o, const char *arg)
{
    return strcmp(arg, "--copy") == 0     ? &o->copy
           : strcmp(arg, "--dump") == 0   ? &o->dump
           : strcmp(arg, "--verify") == 0 ? &o->verify_only
                                          : NULL;
}

/* Options and files in order, so that --schedule applies to the files after it. */
static sb_status
run_arguments(driver *dr, int argc, char **argv)
{
    sb_status st = SB_OK;
    int files = 0;

    for (int q = 0; q < argc && st == SB_OK; q++) {
        const char *arg = argv[q];
        const char **to = valued(&dr->opt, arg);
        const bool emits = strcmp(arg, "--emit") == 0;

        if (flag(&dr->opt, arg)) {
            *flag(&dr->opt, arg) = true;
        } else if (to || emits) {
            if (++q == argc)
                return sb_diag_set(&dr->diag, SB_EINVAL, "%s needs a value", arg);
            if (to)
                *to = argv[q];
            else if (strcmp(argv[q], "c") == 0)
                dr->opt.emit = emit_c;
            else if (strcmp(argv[q], "cuda") == 0)
                dr->opt.emit = emit_cuda;
            else
                return sb_diag_set(&dr->diag, SB_EINVAL,
                                   "--emit takes c or cuda, not %s", argv[q]);
            st = check_passes(dr);
        } else if (arg[0] == '-' && arg[1]) {
            st = sb_diag_set(&dr->diag, SB_EINVAL, "unknown option %s (see --help)",
                             arg);
        } else {
            files++;
            st = run_file(dr, arg);
        }
    }
    return st == SB_OK && files == 0 ? run_file(dr, "-") : st;
}

static int
cmd_compile(int argc, char **argv)
{
    driver dr;
    sb_status st;

    memset(&dr, 0, sizeof dr);
    sb_arena_init(&dr.arena);
    sb_diag_clear(&dr.diag);
    sb_ir_init(&dr.ir, &dr.arena, &dr.diag);
    if ((st = run_arguments(&dr, argc, argv)) == SB_OK)
        st = finish(&dr);
    if (st != SB_OK)
        (void)fprintf(stderr, "spblasc: %s\n",
                      dr.diag.text[0] ? dr.diag.text : sb_status_text(st));
    sb_arena_free(&dr.arena);
    return st == SB_OK ? EXIT_SUCCESS : EXIT_FAILURE;
}

static int
cmd_help(int argc, char **argv)
{
    (void)argc;
    (void)argv;
    (void)fputs(usage, stdout);
    return EXIT_SUCCESS;
}

/* What the first argument selects; everything else compiles. argv starts behind it. */
static const struct {
    const char *name;
    int (*run)(int argc, char **argv);
} commands[] = {
    {"--help", cmd_help},
    {"builtin", spblasc_builtin},
};

int
main(int argc, char **argv)
{
    for (int q = 0; argc > 1 && q < SB_COUNT(commands); q++) {
        if (strcmp(commands[q].name, argv[1]) == 0)
            return commands[q].run(argc - 2, argv + 2);
    }
    return cmd_compile(argc - 1, argv + 1);
}
