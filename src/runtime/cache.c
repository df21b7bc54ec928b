/*
 * The kernel cache: built-in tables, then a hash table of what this process has loaded,
 * then the store. An entry once made stays; its kernel is published by its state. The
 * lock is never held while something is looked up on disk or compiled.
 */
#include "runtime/cache.h"
#include "base/alloc.h"
#include "base/log.h"
#include "base/sync.h"
#include "base/tiny.h"

#include <string.h>

typedef enum state {
    ABSENT,  /* looked for with less effort than may come */
    PENDING, /* somebody is looking or compiling */
    READY,
    FAILED /* a compiler refused it: do not ask again */
} state;

typedef struct entry {
    sb_kernel kernel;
    state state;
    char *signature;
    char spec[SB_SPEC_MAX];
} entry;

static sb_mutex lock = SB_MUTEX_INIT;
static sb_cond settled = SB_COND_INIT;
static entry **table; /* open addressing, size a power of two */
static size_t size, used;
static sb_kernel_stats stats;
static int64_t changes = 1; /* written under the lock, read without */

static void
changed(void)
{
    __atomic_add_fetch(&changes, 1, __ATOMIC_RELEASE);
}

int64_t
sb_kernel_changes(void)
{
    return __atomic_load_n(&changes, __ATOMIC_ACQUIRE);
}

/* Who was looking stayed with the parent. */
static void
in_child(void)
{
    for (size_t q = 0; q < size; q++)
        if (table[q] && table[q]->state == PENDING)
            table[q]->state = ABSENT;
    settled = (sb_cond)SB_COND_INIT;
}

__attribute__((constructor)) static void
watch_forks(void)
{
    sb_fork_keep(&lock);
    sb_at_fork(NULL, in_child);
}

/* ---- built in ----------------------------------------------------------------------------- */

static size_t builtins[SB_ISA_COUNT]; /* entries of each table */
static sb_once counted = SB_ONCE_INIT;

static void
count_builtins(void)
{
    for (int isa = 0; isa < SB_ISA_COUNT; isa++)
        while (sb_builtin_tables[isa] && sb_builtin_tables[isa][builtins[isa]].spec)
            builtins[isa]++;
}

static const sb_kernel *
search(const sb_kernel *k, size_t n, const char *spec)
{
    size_t lo = 0, hi = n;

    while (lo < hi) {
        const size_t mid = lo + (hi - lo) / 2;
        const int c = strcmp(k[mid].spec, spec);

        if (c == 0)
            return &k[mid];
        if (c < 0)
            lo = mid + 1;
        else
            hi = mid;
    }
    return NULL;
}

/* The best level this CPU can run that has the spec. */
static const sb_kernel *
find_builtin(const char *spec)
{
    sb_once_run(&counted, count_builtins);
    for (int isa = (int)sb_target_get()->isa; isa >= 0; isa--) {
        const sb_kernel *k = search(sb_builtin_tables[isa], builtins[isa], spec);

        if (k)
            return k;
    }
    return NULL;
}

/* ---- the table; the lock is held ------------------------------------------------------------ */

static size_t
slot_of(entry *const *t, size_t n, const char *spec)
{
    const sb_hash none = {0, 0};
    size_t at = sb_hash_bytes(spec, strlen(spec), none).a & (n - 1);

    while (t[at] && strcmp(t[at]->spec, spec) != 0)
        at = (at + 1) & (n - 1);
    return at;
}

static entry *
find_entry(const char *spec)
{
    return size ? table[slot_of(table, size, spec)] : NULL;
}

static bool
grow(void)
{
    const size_t n = size ? 2 * size : SB_TABLE_FIRST;
    entry **t = sb_alloc_zero(n * sizeof *t);

    if (!t)
        return false;
    for (size_t q = 0; q < size; q++)
        if (table[q])
            t[slot_of(t, n, table[q]->spec)] = table[q];
    sb_free(table);
    table = t;
    size = n;
    return true;
}

static entry *
add_entry(const char *spec)
{
    entry *e;

    if (2 * (used + 1) > size && !grow())
        return NULL;
    e = sb_alloc_zero(sizeof *e);
    if (!e)
        return NULL;
    memcpy(e->spec, spec, strlen(spec) + 1);
    e->kernel.spec = e->spec;
    table[slot_of(table, size, spec)] = e;
    used++;
    return e;
}

/* ---- lookup ------------------------------------------------------------------------------------ */

/* Looks and compiles without the lock; returns with it held again. */
static sb_status
settle(entry *e, sb_kernel_maker maker, sb_kernel_effort effort)
{
    sb_diag why = {SB_OK, ""};
    sb_loaded got;
    sb_status st;

    sb_mutex_unlock(&lock);
    st = sb_store_get(&got, e->spec, maker, effort, &why);
    if (st != SB_OK)
        sb_log(st == SB_ENOKERNEL && effort != SB_KERNEL_COMPILE ? SB_LOG_DEBUG
                                                                 : SB_LOG_WARN,
               "no kernel \"%s\": %s", e->spec,
               why.text[0] ? why.text : sb_status_text(st));
    sb_mutex_lock(&lock);
    if (st == SB_OK) {
        e->signature = got.signature;
        e->kernel.signature = got.signature;
        e->kernel.key = got.key;
        e->kernel.fn = got.fn;
        e->state = READY;
        changed();
        stats.compiled += got.compiled;
        stats.disk_hits += !got.compiled;
    } else {
        e->state = st == SB_ENOKERNEL || st == SB_ENOMEM ? ABSENT : FAILED;
        stats.failed += effort == SB_KERNEL_COMPILE;
    }
    sb_cond_broadcast(&settled);
    return st == SB_ENOMEM ? st : SB_OK;
}

static sb_status
get_loaded(const sb_kernel **out, const char *spec, sb_kernel_maker maker,
           sb_kernel_effort effort)
{
    bool looked = false;
    entry *e = find_entry(spec);

    if (effort == SB_KERNEL_RESIDENT && (!e || e->state != READY))
        return SB_ENOKERNEL;
    if (!e && !(e = add_entry(spec)))
        return SB_ENOMEM;
    for (;;) {
        switch (e->state) {
        case READY:
            stats.memory_hits += !looked;
            *out = &e->kernel;
            return SB_OK;
        case FAILED:
            return SB_ENOKERNEL;
        case PENDING:
            sb_cond_wait(&settled, &lock);
            break;
        case ABSENT:
            if (looked)
                return SB_ENOKERNEL;
            looked = true;
            e->state = PENDING;
            SB_TRY(settle(e, maker, effort));
            break;
        }
    }
}

sb_status
sb_kernel_get(const sb_kernel **out, const char *spec, sb_kernel_maker maker,
              sb_kernel_effort effort)
{
    const sb_kernel *k = find_builtin(spec);
    sb_status st = SB_OK;

    *out = NULL;
    if (strlen(spec) >= SB_SPEC_MAX)
        return SB_EINVAL;
    sb_mutex_lock(&lock);
    if (k) {
        stats.builtin_hits++;
        *out = k;
    } else {
        st = get_loaded(out, spec, maker, effort);
    }
    sb_mutex_unlock(&lock);
    return st;
}

sb_kernel_stats
sb_kernel_get_stats(void)
{
    sb_kernel_stats s;

    sb_mutex_lock(&lock);
    s = stats;
    sb_mutex_unlock(&lock);
    return s;
}

void
sb_kernel_forget(void)
{
    sb_mutex_lock(&lock);
    for (size_t q = 0; q < size; q++) {
        if (table[q])
            sb_free(table[q]->signature);
        sb_free(table[q]);
    }
    sb_free(table);
    table = NULL;
    size = used = 0;
    changed();
    sb_mutex_unlock(&lock);
}
