/*
 * Artefacts: found on disk, or made by the backend's compiler in a private directory and
 * renamed into place. See cache.h.
 */
#include "runtime/cache.h"

#include "base/alloc.h"
#include "base/fault.h"
#include "base/log.h"
#include "runtime/backend.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Raised when the layout of artefacts or the flags they are compiled with change. */
#define ARTEFACT_VERSION "1"
#define SEAL_MAGIC "spblas artefact "
#define SEAL_SIZE (sizeof SEAL_MAGIC - 1 + 33) /* magic, 32 digits, newline */

void
sb_kernel_symbol(sb_hash key, char out[SB_KERNEL_SYMBOL_MAX])
{
    char hex[33];

    sb_hash_text(key, hex);
    (void)snprintf(out, SB_KERNEL_SYMBOL_MAX, "sbk_%s", hex);
}

/* What an artefact must have been made from: source, level, flags. */
static sb_hash
artefact_key(sb_hash source)
{
    const char *isa = sb_isa_name(sb_target_get()->isa);

    return sb_hash_bytes(isa, strlen(isa) + 1, source);
}

static sb_status
artefact_path(sb_strbuf *out, const char *dir, const char *spec)
{
    const sb_hash none = {0, 0};
    char hex[33];

    sb_hash_text(artefact_key(sb_hash_bytes(spec, strlen(spec), none)), hex);
    sb_strbuf_clear(out);
    sb_strbuf_printf(out, "%s/%s.so", dir, hex);
    return sb_strbuf_status(out);
}

/* ---- seal: checksum at the end of the file ------------------------------------------------ */

static void
seal_text(const char *data, size_t len, char out[SEAL_SIZE + 1])
{
    const sb_hash none = {0, 0};
    char hex[33];

    sb_hash_text(sb_hash_bytes(data, len, none), hex);
    (void)snprintf(out, SEAL_SIZE + 1, "%s%s\n", SEAL_MAGIC, hex);
}

size_t
sb_cache_sealed(const sb_strbuf *file)
{
    const size_t len = file->len > SEAL_SIZE ? file->len - SEAL_SIZE : 0;
    char seal[SEAL_SIZE + 1];

    if (SB_FAULT(SEAL_IGNORED))
        return file->len;
    if (len == 0)
        return 0;
    seal_text(file->s, len, seal);
    return memcmp(file->s + len, seal, SEAL_SIZE) == 0 ? len : 0;
}

void
sb_cache_seal(sb_strbuf *file)
{
    char seal[SEAL_SIZE + 1];

    seal_text(file->s, file->len, seal);
    sb_strbuf_putn(file, seal, SEAL_SIZE);
}

static sb_status
seal(const char *path, sb_diag *diag)
{
    char text[SEAL_SIZE + 1];
    struct stat s;
    sb_strbuf file;
    sb_status st;

    sb_strbuf_init(&file);
    if (lstat(path, &s) != 0 || !S_ISREG(s.st_mode) || chmod(path, 0700) != 0)
        st = sb_diag_set(diag, SB_EIO, "the compiler wrote no %s", path);
    else
        st = sb_cache_read(&file, path, diag);
    if (st == SB_OK && !sb_cache_whole(file.s, file.len))
        st = sb_diag_set(diag, SB_EIO, "what the compiler wrote is no shared object");
    if (st == SB_OK) {
        seal_text(file.s, file.len, text);
        st = sb_cache_write(path, text, SEAL_SIZE, diag);
    }
    sb_strbuf_free(&file);
    return st == SB_SKIP ? SB_EIO : st;
}

/* ---- loading ---------------------------------------------------------------------------- */

static bool
exports(void *lib, const char *symbol, const char *text)
{
    const char *found = dlsym(lib, symbol);

    return found && strcmp(found, text) == 0;
}

/* Maps an artefact and takes its kernel if it says it is what we want. It stays mapped
 * for the life of the process. */
static sb_status
open_artefact(sb_loaded *out, const char *path, const char *spec,
              const sb_kernel_source *src, sb_diag *diag)
{
    char symbol[SB_KERNEL_SYMBOL_MAX], hex[33];
    void *lib = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    void *fn;

    if (!lib)
        return sb_diag_set(diag, SB_EIO, "cannot load %s: %s", path, dlerror());
    sb_kernel_symbol(src->key, symbol);
    sb_hash_text(artefact_key(src->key), hex);
    fn = dlsym(lib, symbol);
    if (!fn || !exports(lib, "sb_artefact_version", ARTEFACT_VERSION) ||
        !exports(lib, "sb_artefact_spec", spec) ||
        !exports(lib, "sb_artefact_signature", src->signature.s) ||
        !exports(lib, "sb_artefact_key", hex)) {
        (void)dlclose(lib);
        return sb_diag_set(diag, SB_EIO, "%s was made from something else", path);
    }
    out->signature = sb_alloc(src->signature.len + 1);
    if (!out->signature) {
        (void)dlclose(lib);
        return SB_ENOMEM;
    }
    memcpy(out->signature, src->signature.s, src->signature.len + 1);
    memcpy(&out->fn, &fn, sizeof fn); /* ISO C has no cast between the two */
    out->key = artefact_key(src->key);
    return SB_OK;
}

/* ---- making ------------------------------------------------------------------------------- */

static void
put_string(sb_strbuf *out, const char *name, const char *text)
{
    sb_strbuf_printf(out, "\nextern const char %s[];\nconst char %s[] = \"", name,
                     name);
    for (; *text; text++) {
        if (*text == '"' || *text == '\\')
            sb_strbuf_putc(out, '\\');
        sb_strbuf_putc(out, *text);
    }
    sb_strbuf_puts(out, "\";");
}

static sb_status
write_source(const char *path, const char *spec, const sb_kernel_source *src,
             sb_diag *diag)
{
    sb_strbuf text;
    char hex[33];
    sb_status st;

    sb_strbuf_init(&text);
    sb_hash_text(artefact_key(src->key), hex);
    sb_strbuf_putn(&text, src->text.s, src->text.len);
    put_string(&text, "sb_artefact_version", ARTEFACT_VERSION);
    put_string(&text, "sb_artefact_spec", spec);
    put_string(&text, "sb_artefact_signature", src->signature.s);
    put_string(&text, "sb_artefact_key", hex);
    sb_strbuf_putc(&text, '\n');
    st = sb_strbuf_status(&text);
    if (st == SB_OK)
        st = sb_cache_write(path, text.s, text.len, diag);
    sb_strbuf_free(&text);
    return st;
}

/* Compiles in `temp`, loads from there, then moves the artefact to `path` (NULL: the
 * kernel is for this process only). */
static sb_status
make_in(sb_loaded *out, const char *temp, const char *path, const char *spec,
        const sb_kernel_source *src, sb_diag *diag)
{
    sb_strbuf source, object;
    sb_status st;

    sb_strbuf_init(&source);
    sb_strbuf_init(&object);
    sb_strbuf_printf(&source, "%s/kernel.c", temp);
    sb_strbuf_printf(&object, "%s/kernel.so", temp);
    if ((st = sb_strbuf_status(&source)) == SB_OK &&
        (st = sb_strbuf_status(&object)) == SB_OK &&
        (st = write_source(source.s, spec, src, diag)) == SB_OK &&
        (st = sb_backend_get()->compile(source.s, object.s, sb_target_get()->isa,
                                        diag)) == SB_OK &&
        (st = seal(object.s, diag)) == SB_OK &&
        (st = open_artefact(out, object.s, spec, src, diag)) == SB_OK && path &&
        rename(object.s, path) != 0)
        sb_log(SB_LOG_WARN, "kernel \"%s\" is not kept: cannot write %s", spec, path);
    out->compiled = st == SB_OK;
    sb_strbuf_free(&source);
    sb_strbuf_free(&object);
    return st;
}

static sb_status
make(sb_loaded *out, const char *dir, const char *path, const char *spec,
     const sb_kernel_source *src, sb_diag *diag)
{
    sb_strbuf temp;
    sb_status st;

    sb_strbuf_init(&temp);
    st = sb_cache_temp(&temp, dir, diag);
    if (st == SB_OK) {
        st = make_in(out, temp.s, path, spec, src, diag);
        sb_cache_remove(temp.s);
    }
    sb_strbuf_free(&temp);
    return st;
}

/* ---- the way of a lookup --------------------------------------------------------------------- */

sb_jit
sb_jit_mode(void)
{
    const char *jit = getenv("SPBLAS_JIT");

    if (jit && (strcmp(jit, "off") == 0 || strcmp(jit, "0") == 0))
        return SB_JIT_OFF;
    return jit && strcmp(jit, "background") == 0 ? SB_JIT_BACKGROUND : SB_JIT_ON;
}

static bool
may_compile(sb_kernel_effort effort)
{
    return effort == SB_KERNEL_COMPILE && sb_backend_get() &&
           sb_jit_mode() != SB_JIT_OFF;
}

/* OK if an undamaged artefact lies at path, SKIP if not; logs why one that is there is
 * unfit. */
static sb_status
stored(const char *path, const char *spec)
{
    sb_diag why = {SB_OK, ""};
    sb_strbuf file;
    sb_status st;

    sb_strbuf_init(&file);
    st = sb_cache_read(&file, path, &why);
    if (st == SB_OK && !sb_cache_sealed(&file))
        st = sb_diag_set(&why, SB_EIO, "%s is damaged", path);
    sb_strbuf_free(&file);
    if (st == SB_OK || st == SB_SKIP || st == SB_ENOMEM)
        return st;
    sb_log(SB_LOG_WARN, "kernel \"%s\": %s", spec, why.text);
    return SB_SKIP;
}

static sb_status
get_from(sb_loaded *out, const char *dir, const char *path, const char *spec,
         sb_kernel_maker maker, sb_kernel_effort effort, sb_diag *diag)
{
    sb_status st = path ? stored(path, spec) : SB_SKIP;
    const bool found = st == SB_OK, compile = may_compile(effort);
    sb_diag why = {SB_OK, ""};
    sb_kernel_source src = {.key = {0, 0}};

    if (st == SB_ENOMEM)
        return st;
    if (!found && !compile)
        return sb_diag_set(diag, SB_ENOKERNEL, "no stored kernel, and compiling is %s",
                           effort == SB_KERNEL_COMPILE ? "off" : "not wanted here");
    sb_strbuf_init(&src.text);
    sb_strbuf_init(&src.signature);
    st = maker.make(&src, spec, maker.user);
    if (st == SB_OK && found) {
        st = open_artefact(out, path, spec, &src, &why);
        if (st != SB_OK) {
            sb_log(SB_LOG_INFO, "kernel \"%s\": %s", spec, why.text);
            st = st == SB_ENOMEM || compile
                     ? st
                     : sb_diag_set(diag, SB_ENOKERNEL, "%s", why.text);
        }
    }
    if (st == SB_EIO || (st == SB_OK && !out->fn))
        st = make(out, dir, path, spec, &src, diag);
    sb_strbuf_free(&src.text);
    sb_strbuf_free(&src.signature);
    return st;
}

sb_status
sb_store_get(sb_loaded *out, const char *spec, sb_kernel_maker maker,
             sb_kernel_effort effort, sb_diag *diag)
{
    sb_strbuf dir, path;
    sb_diag why = {SB_OK, ""};
    sb_status st;

    memset(out, 0, sizeof *out);
    sb_strbuf_init(&dir);
    sb_strbuf_init(&path);
    st = sb_cache_dir(&dir, &why);
    if (st == SB_OK)
        st = artefact_path(&path, dir.s, spec);
    if (st == SB_EIO)
        sb_log(SB_LOG_WARN, "kernels are not kept: %s", why.text);
    if (st == SB_ENOMEM)
        (void)sb_diag_set(diag, st, "out of memory");
    else
        st = get_from(out, st == SB_OK ? dir.s : NULL, st == SB_OK ? path.s : NULL,
                      spec, maker, effort, diag);
    sb_strbuf_free(&dir);
    sb_strbuf_free(&path);
    return st;
}
