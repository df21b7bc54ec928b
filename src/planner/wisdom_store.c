/*
 * The wisdom of this process, and files of it. The lock guards the table alone: files are
 * read and written without it.
 */
#include "planner/wisdom.h"

#include "base/log.h"
#include "base/sync.h"
#include "runtime/cache.h"

#include <stdlib.h>
#include <string.h>

static sb_wisdom store;
static sb_mutex lock = SB_MUTEX_INIT;
static sb_once loaded = SB_ONCE_INIT;

__attribute__((constructor)) static void
watch_forks(void)
{
    sb_fork_keep(&lock);
}

/* The file that wisdom is kept in by itself, or NULL. */
static const char *
own_file(void)
{
    const char *path = getenv("SPBLAS_WISDOM");

    return path && path[0] && strcmp(path, "off") != 0 ? path : NULL;
}

/* Wisdom of a file; SKIP: there is none. */
static sb_status
read_file(sb_wisdom *w, const char *path, sb_diag *diag)
{
    sb_strbuf text;
    sb_status st;

    memset(w, 0, sizeof *w);
    sb_strbuf_init(&text);
    st = sb_cache_read(&text, path, diag);
    if (st == SB_OK)
        st = sb_wisdom_parse(w, text.s, text.len, diag);
    sb_strbuf_free(&text);
    return st;
}

static sb_status
take(sb_wisdom *w)
{
    sb_status st;

    sb_mutex_lock(&lock);
    st = sb_wisdom_merge_take(&store, w);
    sb_mutex_unlock(&lock);
    return st;
}

static void
load_own_file(void)
{
    const char *path = own_file();
    sb_diag why = {SB_OK, ""};
    sb_wisdom w = {0};
    sb_status st = path ? read_file(&w, path, &why) : SB_SKIP;

    if (st == SB_OK)
        st = take(&w);
    if (st != SB_OK && st != SB_SKIP)
        sb_log(SB_LOG_WARN, "no wisdom from %s: %s", path,
               why.text[0] ? why.text : sb_status_text(st));
    sb_wisdom_free(&w);
}

bool
sb_wisdom_wanted(sb_effort effort)
{
    bool some;

    sb_once_run(&loaded, load_own_file);
    sb_mutex_lock(&lock);
    some = store.n > 0;
    sb_mutex_unlock(&lock);
    return some || effort != SB_EFFORT_ESTIMATE;
}

bool
sb_wisdom_recall(sb_strbuf *plan, double *seconds, const char *key, sb_effort effort)
{
    const sb_wisdom_entry *e;
    bool found;

    sb_mutex_lock(&lock);
    e = sb_wisdom_find(&store, key);
    found = e && e->effort >= effort;
    if (found) {
        sb_strbuf_puts(plan, e->plan);
        *seconds = e->seconds;
    }
    sb_mutex_unlock(&lock);
    return found && sb_strbuf_status(plan) == SB_OK;
}

void
sb_wisdom_remember(const char *key, const char *plan, sb_effort effort, double seconds)
{
    const char *path = own_file();
    sb_diag why = {SB_OK, ""};
    sb_wisdom one;
    sb_status st = sb_wisdom_single(&one, key, plan, effort, seconds);

    if (st == SB_OK)
        st = take(&one);
    if (st == SB_OK && path)
        st = sb_wisdom_export_file(path, &why);
    if (st != SB_OK)
        sb_log(SB_LOG_WARN, "a measured plan is not kept: %s",
               why.text[0] ? why.text : sb_status_text(st));
    sb_wisdom_free(&one);
}

sb_status
sb_wisdom_export(sb_strbuf *out)
{
    sb_mutex_lock(&lock);
    sb_wisdom_print(out, &store);
    sb_mutex_unlock(&lock);
    return sb_strbuf_status(out);
}

sb_status
sb_wisdom_import(const char *text, size_t len, sb_diag *diag)
{
    sb_wisdom w;
    sb_status st = sb_wisdom_parse(&w, text, len, diag);

    if (st == SB_OK)
        st = take(&w);
    sb_wisdom_free(&w);
    return st;
}

void
sb_wisdom_forget(void)
{
    sb_once_run(&loaded, load_own_file); /* what is forgotten is not read later */
    sb_mutex_lock(&lock);
    sb_wisdom_free(&store);
    sb_mutex_unlock(&lock);
}

sb_status
sb_wisdom_import_file(const char *path, sb_diag *diag)
{
    sb_wisdom w;
    sb_status st = read_file(&w, path, diag);

    if (st == SB_SKIP)
        return sb_diag_set(diag, SB_EIO, "there is no file %s", path);
    if (st == SB_OK)
        st = take(&w);
    sb_wisdom_free(&w);
    return st;
}

/* `mine` and what the file has, into the file. */
static sb_status
merge_into(const char *path, const sb_strbuf *mine, sb_diag *diag)
{
    sb_wisdom there, w = {0};
    sb_strbuf text;
    sb_status st = read_file(&there, path, diag);

    sb_strbuf_init(&text);
    if (st == SB_OK || st == SB_SKIP)
        st = sb_wisdom_parse(&w, mine->s, mine->len, diag);
    if (st == SB_OK)
        st = sb_wisdom_merge_take(&there, &w);
    if (st == SB_OK) {
        sb_wisdom_print(&text, &there);
        st = sb_strbuf_status(&text);
    }
    if (st == SB_OK)
        st = sb_cache_replace(path, text.s, text.len, diag);
    sb_strbuf_free(&text);
    sb_wisdom_free(&there);
    sb_wisdom_free(&w);
    return st;
}

sb_status
sb_wisdom_export_file(const char *path, sb_diag *diag)
{
    sb_strbuf mine;
    sb_status st;
    int held;

    sb_strbuf_init(&mine);
    st = sb_wisdom_export(&mine);
    if (st == SB_OK)
        st = sb_cache_lock(&held, path, diag);
    if (st == SB_OK) {
        st = merge_into(path, &mine, diag);
        sb_cache_unlock(held);
    }
    sb_strbuf_free(&mine);
    return st;
}
