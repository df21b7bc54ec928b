/*
 * See archive.h. A file is a head, an index sorted by text and architecture, the images,
 * packed. The index has a checksum, which is looked at once, and so has each image, when
 * it is read.
 */
#include "gpu/archive.h"

#include "base/alloc.h"
#include "base/checked.h"
#include "base/fault.h"
#include "base/log.h"
#include "base/pack.h"
#include "base/sync.h"
#include "runtime/cache.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAGIC "spblas kernels 1"

enum { WRITER_MAX = 48, ITEMS_MAX = 1 << 20, IMAGE_MAX = 1 << 28 };

typedef struct head {
    char magic[sizeof MAGIC - 1];
    char writer[WRITER_MAX];
    int64_t count;
    sb_hash index; /* checksum */
} head;

typedef struct entry {
    sb_hash text;
    char arch[SB_ARCH_MAX];
    uint64_t at, packed, bytes;
    sb_hash sum; /* of the image */
} entry;

struct sb_archive {
    head head;
    entry *entry;
    char *path;
};

static const sb_hash none = {0, 0};

sb_hash
sb_archive_key(const sb_strbuf *text)
{
    return sb_hash_bytes(text->s, text->len, none);
}

/* ---- reading ------------------------------------------------------------------------------ */

static sb_status
damaged(const char *path, sb_diag *diag)
{
    return sb_diag_set(diag, SB_EIO, "%s is no archive of GPU kernels, or damaged",
                       path);
}

static sb_status
read_index(sb_archive *a, FILE *f, sb_diag *diag)
{
    head *h = &a->head;
    size_t bytes;

    if (fread(h, sizeof *h, 1, f) != 1 ||
        memcmp(h->magic, MAGIC, sizeof h->magic) != 0 || h->count < 0 ||
        h->count > ITEMS_MAX || !sb_bytes(h->count, sizeof *a->entry, &bytes))
        return damaged(a->path, diag);
    h->writer[WRITER_MAX - 1] = '\0';
    a->entry = sb_alloc(bytes);
    if (!a->entry)
        return SB_ENOMEM;
    if (fread(a->entry, 1, bytes, f) != bytes ||
        !sb_hash_equal(sb_hash_bytes(a->entry, bytes, none), h->index))
        return damaged(a->path, diag);
    return SB_OK;
}

sb_status
sb_archive_open(sb_archive **out, const char *path, sb_diag *diag)
{
    FILE *f = fopen(path, "rbe");
    sb_archive *a;
    sb_status st;

    *out = NULL;
    if (!f)
        return SB_SKIP;
    a = sb_alloc_zero(sizeof *a);
    if (a)
        a->path = sb_alloc(strlen(path) + 1);
    st = a && a->path ? SB_OK : SB_ENOMEM;
    if (st == SB_OK) {
        memcpy(a->path, path, strlen(path) + 1);
        st = read_index(a, f, diag);
    }
    (void)fclose(f);
    if (st == SB_OK)
        *out = a;
    else
        sb_archive_close(a);
    return st;
}

void
sb_archive_close(sb_archive *a)
{
    if (!a)
        return;
    sb_free(a->entry);
    sb_free(a->path);
    sb_free(a);
}

const char *
sb_archive_writer(const sb_archive *a)
{
    return a->head.writer;
}

int
sb_archive_count(const sb_archive *a)
{
    return (int)a->head.count;
}

static int
compare(sb_hash x, const char *x_arch, sb_hash y, const char *y_arch)
{
    if (x.a != y.a && !SB_FAULT(GPU_STALE))
        return x.a < y.a ? -1 : 1;
    if (x.b != y.b && !SB_FAULT(GPU_STALE))
        return x.b < y.b ? -1 : 1;
    return strncmp(x_arch, y_arch, SB_ARCH_MAX);
}

static const entry *
find(const sb_archive *a, sb_hash text, const char *arch)
{
    int64_t lo = 0, hi = a->head.count;

    while (lo < hi) {
        const int64_t mid = lo + (hi - lo) / 2;
        const entry *e = &a->entry[mid];
        const int way = compare(text, arch, e->text, e->arch);

        if (way == 0)
            return e;
        if (way < 0)
            hi = mid;
        else
            lo = mid + 1;
    }
    return NULL;
}

/* The image from the open file. */
static bool
read_image(char *image, char *packed, const entry *e, FILE *f)
{
    return fseeko(f, (off_t)e->at, SEEK_SET) == 0 &&
           fread(packed, 1, e->packed, f) == e->packed &&
           sb_unpack(image, e->bytes, packed, e->packed) &&
           sb_hash_equal(sb_hash_bytes(image, e->bytes, none), e->sum);
}

sb_status
sb_archive_read(sb_strbuf *out, const sb_archive *a, sb_hash text, const char *arch,
                sb_diag *diag)
{
    const entry *e = find(a, text, arch);
    char *image = NULL, *packed = NULL;
    sb_status st = SB_ENOMEM;
    FILE *f;

    if (!e)
        return SB_SKIP;
    f = fopen(a->path, "rbe");
    if (f && e->bytes <= IMAGE_MAX && e->packed <= IMAGE_MAX) {
        image = sb_alloc(e->bytes);
        packed = sb_alloc(e->packed);
        if (image && packed)
            st = read_image(image, packed, e, f) ? SB_OK : SB_EIO;
    } else {
        st = SB_EIO;
    }
    if (f)
        (void)fclose(f);
    if (st == SB_OK) {
        sb_strbuf_putn(out, image, e->bytes);
        st = sb_strbuf_status(out);
    }
    sb_free(image);
    sb_free(packed);
    return st == SB_EIO ? damaged(a->path, diag) : st;
}

sb_status
sb_archive_for(sb_strbuf *out, const sb_archive *a, sb_hash text, const char *arch,
               bool ptx, sb_diag *diag)
{
    int version, least;
    char name[SB_ARCH_MAX];

    if (strncmp(arch, "sm_", 3) != 0)
        return ptx ? SB_SKIP : sb_archive_read(out, a, text, arch, diag);
    version = (int)strtol(arch + 3, NULL, 10);
    least = ptx ? 10 : version / 10 * 10;
    for (; version >= least; version--) {
        sb_status st;

        (void)snprintf(name, sizeof name, ptx ? "compute_%d" : "sm_%d", version);
        st = sb_archive_read(out, a, text, name, diag);
        if (st != SB_SKIP)
            return st;
    }
    return SB_SKIP;
}

/* ---- writing ------------------------------------------------------------------------------ */

static int
by_key(const void *x, const void *y)
{
    const sb_archive_item *a = x, *b = y;

    return compare(a->text, a->arch, b->text, b->arch);
}

sb_status
sb_archive_write(const char *path, const char *writer, sb_archive_item *item, int n,
                 sb_diag *diag)
{
    head h = {.count = n};
    const size_t bytes = (size_t)n * sizeof(entry);
    entry *index = sb_alloc_zero(bytes);
    sb_strbuf images, file;
    sb_status st;

    if (!index)
        return SB_ENOMEM;
    sb_strbuf_init(&images);
    sb_strbuf_init(&file);
    qsort(item, (size_t)n, sizeof *item, by_key);
    for (int q = 0; q < n; q++) {
        const sb_strbuf *image = &item[q].image;

        index[q] = (entry){.text = item[q].text,
                           .at = sizeof h + bytes + images.len,
                           .bytes = image->len,
                           .sum = sb_hash_bytes(image->s, image->len, none)};
        (void)snprintf(index[q].arch, SB_ARCH_MAX, "%s", item[q].arch);
        sb_pack(&images, image->s, image->len);
        index[q].packed = sizeof h + bytes + images.len - index[q].at;
    }
    memcpy(h.magic, MAGIC, sizeof h.magic);
    (void)snprintf(h.writer, sizeof h.writer, "%s", writer);
    h.index = sb_hash_bytes(index, bytes, none);
    sb_strbuf_putn(&file, (const char *)&h, sizeof h);
    sb_strbuf_putn(&file, (const char *)index, bytes);
    sb_strbuf_putn(&file, images.s, images.len);
    st = sb_strbuf_status(&images);
    if (st == SB_OK)
        st = sb_strbuf_status(&file);
    if (st == SB_OK)
        st = sb_cache_replace(path, file.s, file.len, diag);
    sb_strbuf_free(&images);
    sb_strbuf_free(&file);
    sb_free(index);
    return st;
}

/* ---- the library's own -------------------------------------------------------------------- */

static sb_mutex lock = SB_MUTEX_INIT;
static sb_archive *installed;
static bool looked;

/* Beside the file that this is part of. */
static sb_status
default_path(sb_strbuf *out)
{
    Dl_info info;
    const char *slash;

    if (dladdr(&looked, &info) == 0 || !info.dli_fname)
        return SB_SKIP;
    slash = strrchr(info.dli_fname, '/');
    if (slash)
        sb_strbuf_putn(out, info.dli_fname, (size_t)(slash - info.dli_fname) + 1);
    sb_strbuf_puts(out, "spblas-kernels.gpu");
    return sb_strbuf_status(out);
}

static void
look(void)
{
    const char *given = getenv("SPBLAS_GPU_KERNELS");
    sb_diag why = {SB_OK, ""};
    sb_strbuf path;
    sb_status st = SB_SKIP;

    sb_strbuf_init(&path);
    if (given) {
        sb_strbuf_puts(&path, given);
        st = strcmp(given, "off") == 0 ? SB_SKIP : sb_strbuf_status(&path);
    } else {
        st = default_path(&path);
    }
    if (st == SB_OK)
        st = sb_archive_open(&installed, path.s, &why);
    if (st == SB_EIO || (st == SB_SKIP && given && strcmp(given, "off") != 0))
        sb_log(SB_LOG_WARN, "built-in GPU kernels: %s",
               st == SB_EIO ? why.text : "SPBLAS_GPU_KERNELS names no file");
    sb_strbuf_free(&path);
}

const sb_archive *
sb_archive_installed(void)
{
    const sb_archive *a;

    sb_mutex_lock(&lock);
    if (!looked)
        look();
    looked = true;
    a = installed;
    sb_mutex_unlock(&lock);
    return a;
}

void
sb_archive_forget(void)
{
    sb_mutex_lock(&lock);
    sb_archive_close(installed);
    installed = NULL;
    looked = false;
    sb_mutex_unlock(&lock);
}
