/*
 * See model.h. The file is data, not code, yet it steers every choice: it is believed
 * only if it is ours, undamaged, of this machine, and every number is plausible.
 */
#include "runtime/model.h"

#include "base/hash.h"
#include "base/log.h"
#include "runtime/cache.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The number changes with the terms (planner/cost.c) that coefficients were fitted to. */
#define HEAD "spblas model 11\n"
#define SEAL "seal "
enum { SEAL_SIZE = sizeof SEAL - 1 + 33 };

static const char *const op_names[SB_OP_COUNT] = {
    [SB_OP_SPMM] = "spmm", [SB_OP_SPMV] = "spmv", [SB_OP_SDDMM] = "sddmm"};

/* Coefficients of the machine, by name. */
typedef struct rate {
    const char *name;
    size_t at; /* in sb_target */
} rate;
#define RATE(field)                        \
    {                                      \
#field, offsetof(sb_target, field) \
    }
static const rate rates[] = {RATE(flops),       RATE(bw_l2),      RATE(bw_l3),
                             RATE(bw_mem),      RATE(gather_l1),  RATE(gather_l2),
                             RATE(gather_l3),   RATE(gather_mem), RATE(tile_seconds),
                             RATE(step_seconds)};

const char *
sb_class_name(int class_)
{
    return class_ == SB_CLASS_HYB ? "hyb" : sb_part_names[class_];
}

static double *
rate_of(sb_target *t, const rate *r)
{
    return (double *)(void *)((char *)t + r->at);
}

/* ---- text ------------------------------------------------------------------------------- */

/* What the coefficients depend on. */
static void
put_machine(sb_strbuf *out, const sb_target *t)
{
    sb_strbuf_puts(out, "machine ");
    sb_target_cpu(out);
    sb_strbuf_printf(out, "; %s; caches %lld %lld %lld; %d threads\n",
                     sb_isa_name(t->isa), (long long)t->l1, (long long)t->l2,
                     (long long)t->l3, t->threads);
}

static void
put_seal(sb_strbuf *out, const char *text, size_t len)
{
    const sb_hash none = {0, 0};
    char hex[33];

    sb_hash_text(sb_hash_bytes(text, len, none), hex);
    sb_strbuf_printf(out, SEAL "%s\n", hex);
}

void
sb_model_print(sb_strbuf *out, const sb_target *t)
{
    const size_t begin = out->len;

    sb_strbuf_puts(out, HEAD);
    put_machine(out, t);
    for (int q = 0; q < SB_COUNT(rates); q++) {
        sb_strbuf_printf(out, "%s ", rates[q].name);
        sb_strbuf_f64(out, *rate_of((sb_target *)t, &rates[q]));
        sb_strbuf_putc(out, '\n');
    }
    for (int op = 0; op < SB_OP_COUNT; op++)
        for (int q = 0; q < SB_CLASS_COUNT; q++) {
            const sb_factor *f = &t->factor[op][q];

            sb_strbuf_printf(out, "%s %s ", op_names[op], sb_class_name(q));
            sb_strbuf_f64(out, f->roof);
            sb_strbuf_putc(out, ' ');
            sb_strbuf_f64(out, f->unit);
            sb_strbuf_putc(out, ' ');
            sb_strbuf_f64(out, f->entry);
            sb_strbuf_putc(out, '\n');
        }
    if (sb_strbuf_status(out) == SB_OK)
        put_seal(out, out->s + begin, out->len - begin);
}

typedef struct reader {
    const char *at, *end; /* NUL-terminated at end */
} reader;

static bool
take(reader *r, const char *word)
{
    const size_t n = strlen(word);

    if ((size_t)(r->end - r->at) < n || memcmp(r->at, word, n) != 0)
        return false;
    r->at += n;
    return true;
}

static const char *
op_name(int op)
{
    return op_names[op];
}

/* Whose name comes next, with the blank behind it, or -1. */
static int
take_name(reader *r, const char *(*name)(int), int count)
{
    const reader before = *r;

    for (int q = 0; q < count; q++) {
        if (take(r, name(q)) && take(r, " "))
            return q;
        *r = before;
    }
    return -1;
}

static bool
take_number(reader *r, double least, double most, char behind, double *out)
{
    const char *end;

    if (sb_parse_f64(r->at, &end, out) != SB_OK || !(*out >= least && *out <= most) ||
        *end != behind)
        return false;
    r->at = end + 1;
    return true;
}

static bool
take_factors(reader *r, sb_target *t)
{
    const int op = take_name(r, op_name, SB_OP_COUNT);
    const int q = op < 0 ? -1 : take_name(r, sb_class_name, SB_CLASS_COUNT);
    sb_factor f;

    if (q < 0 || !take_number(r, 0, 1e3, ' ', &f.roof) ||
        !take_number(r, 0, 1e3, ' ', &f.unit) ||
        !take_number(r, 0, 1e3, '\n', &f.entry))
        return false;
    t->factor[op][q] = f;
    return true;
}

static bool
take_rate(reader *r, sb_target *t)
{
    for (int q = 0; q < SB_COUNT(rates); q++) {
        const bool seconds = strstr(rates[q].name, "seconds") != NULL;
        const reader before = *r;

        if (take(r, rates[q].name) && take(r, " "))
            return take_number(r, seconds ? 0 : 1e6, seconds ? 1 : 1e18, '\n',
                               rate_of(t, &rates[q]));
        *r = before;
    }
    return false;
}

static bool
sealed(const char *text, size_t len)
{
    sb_strbuf seal;
    bool same;

    if (len < SEAL_SIZE)
        return false;
    sb_strbuf_init(&seal);
    put_seal(&seal, text, len - SEAL_SIZE);
    same = sb_strbuf_status(&seal) == SB_OK && seal.len == SEAL_SIZE &&
           memcmp(text + len - SEAL_SIZE, seal.s, SEAL_SIZE) == 0;
    sb_strbuf_free(&seal);
    return same;
}

/* SKIP unless the text is of this machine. */
static sb_status
take_machine(reader *r, const sb_target *t, sb_diag *diag)
{
    sb_strbuf own;
    sb_status st;

    sb_strbuf_init(&own);
    put_machine(&own, t);
    st = sb_strbuf_status(&own);
    if (st == SB_OK && !take(r, own.s))
        st = sb_diag_set(diag, SB_SKIP,
                         "fitted on another machine, or for other threads");
    sb_strbuf_free(&own);
    return st;
}

sb_status
sb_model_parse(sb_target *t, const char *text, size_t len, sb_diag *diag)
{
    reader r = {text, text + len};
    sb_target found = *t;

    if (!sealed(text, len) || !take(&r, HEAD))
        return sb_diag_set(diag, SB_EPARSE, "damaged, or not a model of this version");
    SB_TRY(take_machine(&r, t, diag));
    r.end -= SEAL_SIZE;
    while (r.at < r.end)
        if (!take_rate(&r, &found) && !take_factors(&r, &found))
            return sb_diag_set(diag, SB_EPARSE, "not a coefficient: %.*s",
                               (int)strcspn(r.at, "\n"), r.at);
    *t = found;
    return SB_OK;
}

/* ---- file ------------------------------------------------------------------------------- */

sb_status
sb_model_path(sb_strbuf *out, const sb_target *t, sb_diag *diag)
{
    const char *want = getenv("SPBLAS_MODEL");
    const sb_hash none = {0, 0};
    char hex[33];
    sb_strbuf machine;
    sb_status st;

    sb_strbuf_clear(out);
    if (want && strcmp(want, "off") == 0)
        return sb_diag_set(diag, SB_SKIP, "SPBLAS_MODEL is off");
    if (want && want[0] == '/')
        sb_strbuf_puts(out, want);
    else if (want && want[0])
        return sb_diag_set(diag, SB_EIO,
                           "SPBLAS_MODEL is neither \"off\" nor an absolute path");
    else {
        SB_TRY(sb_cache_place(out, diag));
        sb_strbuf_init(&machine);
        put_machine(&machine, t);
        st = sb_strbuf_status(&machine);
        sb_hash_text(sb_hash_bytes(machine.s, machine.len, none), hex);
        sb_strbuf_free(&machine);
        SB_TRY(st);
        sb_strbuf_printf(out, "/model-%.16s.txt", hex);
    }
    return sb_strbuf_status(out);
}

void
sb_model_load(sb_target *t)
{
    sb_diag why = {SB_OK, ""};
    sb_strbuf path, text;
    sb_status st;

    sb_strbuf_init(&path);
    sb_strbuf_init(&text);
    st = sb_model_path(&path, t, &why);
    if (st == SB_OK) {
        st = sb_cache_read(&text, path.s, &why);
        if (st == SB_OK)
            st = sb_model_parse(t, text.s, text.len, &why);
        if (st == SB_OK)
            sb_log(SB_LOG_INFO, "cost model: %s", path.s);
    }
    if (st != SB_OK && why.text[0])
        sb_log(st == SB_SKIP ? SB_LOG_INFO : SB_LOG_WARN,
               "cost model as shipped: %s%s%s", path.s, path.len ? ": " : "", why.text);
    sb_strbuf_free(&path);
    sb_strbuf_free(&text);
}

/* The folder of the file: where its temporary neighbour goes. */
static sb_status
folder_of(sb_strbuf *out, const sb_strbuf *path, sb_diag *diag)
{
    const char *slash = strrchr(path->s, '/');

    if (!getenv("SPBLAS_MODEL") || !getenv("SPBLAS_MODEL")[0])
        return sb_cache_dir(out, diag);
    sb_strbuf_putn(out, path->s, slash > path->s ? (size_t)(slash - path->s) : 1);
    return sb_strbuf_status(out);
}

static sb_status
write_in(const char *temp, const char *path, const sb_strbuf *text, sb_diag *diag)
{
    sb_strbuf file;
    sb_status st;

    sb_strbuf_init(&file);
    sb_strbuf_printf(&file, "%s/model", temp);
    st = sb_strbuf_status(&file);
    if (st == SB_OK)
        st = sb_cache_write(file.s, text->s, text->len, diag);
    if (st == SB_OK && rename(file.s, path) != 0)
        st = sb_diag_set(diag, SB_EIO, "cannot write %s: %s", path, strerror(errno));
    sb_strbuf_free(&file);
    return st;
}

sb_status
sb_model_store(const sb_target *t, sb_strbuf *path, sb_diag *diag)
{
    sb_strbuf text, dir, temp;
    sb_status st;

    sb_strbuf_init(&text);
    sb_strbuf_init(&dir);
    sb_strbuf_init(&temp);
    sb_model_print(&text, t);
    st = sb_strbuf_status(&text);
    if (st == SB_OK && (st = sb_model_path(path, t, diag)) == SB_OK &&
        (st = folder_of(&dir, path, diag)) == SB_OK &&
        (st = sb_cache_temp(&temp, dir.s, diag)) == SB_OK) {
        st = write_in(temp.s, path->s, &text, diag);
        sb_cache_remove(temp.s);
    }
    sb_strbuf_free(&text);
    sb_strbuf_free(&dir);
    sb_strbuf_free(&temp);
    return st;
}
