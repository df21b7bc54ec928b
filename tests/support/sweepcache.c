/*
 * See sweepcache.h. A line: "TEXT ARCH REGISTERS SPILLS SHARED SPEC". What the file says of a
 * spec counts when the text that it names is the one that the spec has now.
 */
#include "sweepcache.h"

#include "base/macro.h"
#include "kernels/spec.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const gpusweep *sweep;
static sweep_entry *entries; /* one a spec */
static int file = -1;

static int
by_text(const void *x, const void *y)
{
    return strcmp(x, y);
}

static sweep_entry *
entry_of(const char *spec)
{
    const char(*at)[SB_SPEC_MAX] =
        bsearch(spec, sweep->spec, (size_t)sweep->n, sizeof *sweep->spec, by_text);

    return at ? &entries[at - (const char(*)[SB_SPEC_MAX])sweep->spec] : NULL;
}

static bool
same(const sweep_entry *e, sb_hash h)
{
    return sb_hash_equal(e->text, h);
}

static void
read_line(char *line)
{
    sweep_entry *e;
    nvrtc_use use;
    sb_hash h;
    unsigned long long a, b;
    int arch, spec = 0;

    line[strcspn(line, "\n")] = '\0';
    if (sscanf(line, "%16llx%16llx %d %d %d %d %n", &a, &b, &arch, &use.registers,
               &use.spills, &use.shared, &spec) != 6 ||
        !spec)
        return;
    e = entry_of(line + spec);
    h = (sb_hash){a, b};
    if (!e)
        return;
    if (!same(e, h))
        *e = (sweep_entry){.text = h}; /* the last text of a spec is the newest */
    for (int q = 0; q < NVRTC_ARCHS; q++)
        if (nvrtc_archs[q] == arch)
            e->use[q] = use;
}

void
sweep_open(const gpusweep *g, const char *path)
{
    char line[400];
    FILE *f = path ? fopen(path, "r") : NULL;

    sweep = g;
    entries = calloc((size_t)g->n, sizeof *entries);
    assert_non_null(entries);
    while (f && fgets(line, sizeof line, f))
        read_line(line);
    if (f)
        (void)fclose(f);
    if (path) {
        file = open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0600);
        assert_true(file >= 0);
    }
}

void
sweep_close(void)
{
    if (file >= 0)
        (void)close(file);
    free(entries);
}

/* The same text is another for another NVRTC. */
static sb_hash
hash_of(const sb_strbuf *text)
{
    const char *version = nvrtc_version();
    const sb_hash none = {0, 0};

    return sb_hash_bytes(text->s, text->len,
                         sb_hash_bytes(version, strlen(version), none));
}

sweep_entry *
sweep_text(sb_strbuf *text, const char *spec, char why[NVRTC_WHY])
{
    sweep_entry *e = entry_of(spec);
    sb_diag diag = {SB_OK, ""};
    sb_strbuf signature;
    sb_gpu_shape shape;
    sb_status st;
    sb_hash key;

    assert_non_null(e);
    sb_strbuf_init(&signature);
    st = sb_spec_emit_gpu(text, &signature, &key, &shape, spec, &diag);
    sb_strbuf_free(&signature);
    (void)snprintf(why, NVRTC_WHY, "%s", diag.text);
    if (st != SB_OK)
        return NULL;
    if (!same(e, hash_of(text)))
        *e = (sweep_entry){.text = hash_of(text)};
    return e;
}

bool
sweep_compile(sweep_entry *e, const sb_strbuf *text, int arch, char why[NVRTC_WHY])
{
    const nvrtc_use *use = &e->use[arch];
    const char *spec = sweep->spec[e - entries];
    char line[400];
    int n;

    if (use->registers)
        return true;
    if (!nvrtc_try(&e->use[arch], text->s, nvrtc_archs[arch], why))
        return false;
    n = snprintf(line, sizeof line, "%016llx%016llx %d %d %d %d %s\n",
                 (unsigned long long)e->text.a, (unsigned long long)e->text.b,
                 nvrtc_archs[arch], use->registers, use->spills, use->shared, spec);
    if (file >= 0)
        assert_int_equal(write(file, line, (size_t)n), n);
    return true;
}

const sweep_entry *
sweep_known(const char *spec)
{
    sweep_entry *e = entry_of(spec);
    const sb_hash was = e->text;
    char why[NVRTC_WHY];
    sb_strbuf text;

    if (!was.a && !was.b)
        return NULL;
    sb_strbuf_init(&text);
    if (!sweep_text(&text, spec, why) || !same(e, was))
        e = NULL;
    sb_strbuf_free(&text);
    return e;
}
