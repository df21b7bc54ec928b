/*
 * Tables of wisdom, and their text.
 */
#include "planner/wisdom.h"

#include "base/alloc.h"
#include "base/fault.h"
#include "base/hash.h"
#include "planner/choice.h"

#include <math.h>
#include <string.h>

static const char greeting[] = "spblas wisdom 2\n", checksum[] = "checksum ";
static const char *const efforts[] = {
    [SB_EFFORT_ESTIMATE] = "estimate",
    [SB_EFFORT_MEASURE] = "measure",
    [SB_EFFORT_EXHAUSTIVE] = "exhaustive",
};

/* ---- Tables ------------------------------------------------------------------------- */

static void
free_entry(sb_wisdom_entry *e)
{
    sb_free(e->key);
    sb_free(e->plan);
}

void
sb_wisdom_free(sb_wisdom *w)
{
    for (int64_t k = 0; k < w->n; k++)
        free_entry(&w->at[k]);
    sb_free(w->at);
    memset(w, 0, sizeof *w);
}

/* The first entry whose key is not below. */
static int64_t
place_of(const sb_wisdom *w, const char *key)
{
    int64_t lo = 0, hi = w->n;

    while (lo < hi) {
        const int64_t mid = lo + (hi - lo) / 2;

        if (strcmp(w->at[mid].key, key) < 0)
            lo = mid + 1;
        else
            hi = mid;
    }
    return lo;
}

static bool
is_at(const sb_wisdom *w, int64_t k, const char *key)
{
    return k < w->n && strcmp(w->at[k].key, key) == 0;
}

const sb_wisdom_entry *
sb_wisdom_find(const sb_wisdom *w, const char *key)
{
    const int64_t k = place_of(w, key);

    return is_at(w, k, key) ? &w->at[k] : NULL;
}

static bool
better(const sb_wisdom_entry *a, const sb_wisdom_entry *b)
{
    return a->effort != b->effort ? a->effort > b->effort : a->seconds < b->seconds;
}

static void
drop_oldest(sb_wisdom *w)
{
    int64_t oldest = 0;

    for (int64_t k = 1; k < w->n; k++)
        if (w->at[k].age < w->at[oldest].age)
            oldest = k;
    free_entry(&w->at[oldest]);
    w->n--;
    memmove(&w->at[oldest], &w->at[oldest + 1],
            (size_t)(w->n - oldest) * sizeof *w->at);
}

/* There is room for one more. */
static void
put_take(sb_wisdom *w, sb_wisdom_entry e)
{
    int64_t k = place_of(w, e.key);

    e.age = w->born++;
    if (is_at(w, k, e.key)) {
        sb_wisdom_entry worse = better(&e, &w->at[k]) ? w->at[k] : e;

        if (worse.key != e.key)
            w->at[k] = e;
        free_entry(&worse);
        return;
    }
    if (w->n == SB_WISDOM_MAX) {
        drop_oldest(w);
        k = place_of(w, e.key);
    }
    memmove(&w->at[k + 1], &w->at[k], (size_t)(w->n - k) * sizeof *w->at);
    w->at[k] = e;
    w->n++;
}

static sb_status
reserve(sb_wisdom *w, int64_t more)
{
    const int64_t want = w->n + more < SB_WISDOM_MAX ? w->n + more : SB_WISDOM_MAX;
    const int64_t cap = want > 2 * w->cap ? want : 2 * w->cap;
    sb_wisdom_entry *at;

    if (want <= w->cap)
        return SB_OK;
    at = sb_alloc_array(cap, sizeof *at);
    if (!at)
        return SB_ENOMEM;
    if (w->n)
        memcpy(at, w->at, (size_t)w->n * sizeof *at);
    sb_free(w->at);
    w->at = at;
    w->cap = cap;
    return SB_OK;
}

sb_status
sb_wisdom_merge_take(sb_wisdom *w, sb_wisdom *from)
{
    SB_TRY(reserve(w, from->n));
    for (int64_t k = 0; k < from->n; k++)
        put_take(w, from->at[k]);
    from->n = 0;
    sb_wisdom_free(from);
    return SB_OK;
}

static char *
copy_text(const char *s, size_t len)
{
    char *out = sb_alloc(len + 1);

    if (out) {
        memcpy(out, s, len);
        out[len] = '\0';
    }
    return out;
}

/* Adds a line's entry. */
static sb_status
put_copy(sb_wisdom *w, const char *key, size_t key_len, const char *plan,
         size_t plan_len, sb_effort effort, double seconds)
{
    sb_wisdom_entry e = {.effort = effort, .seconds = seconds};

    SB_TRY(reserve(w, 1));
    e.key = copy_text(key, key_len);
    e.plan = copy_text(plan, plan_len);
    if (!e.key || !e.plan) {
        free_entry(&e);
        return SB_ENOMEM;
    }
    put_take(w, e);
    return SB_OK;
}

sb_status
sb_wisdom_single(sb_wisdom *w, const char *key, const char *plan, sb_effort effort,
                 double seconds)
{
    sb_status st;

    memset(w, 0, sizeof *w);
    st = put_copy(w, key, strlen(key), plan, strlen(plan), effort, seconds);
    if (st != SB_OK)
        sb_wisdom_free(w);
    return st;
}

/* ---- Text --------------------------------------------------------------------------- */

static void
put_checksum(sb_strbuf *out, const char *text, size_t len)
{
    const sb_hash none = {0, 0};
    char hex[33];

    sb_hash_text(sb_hash_bytes(text, len, none), hex);
    sb_strbuf_printf(out, "%s%s\n", checksum, hex);
}

void
sb_wisdom_print(sb_strbuf *out, const sb_wisdom *w)
{
    const size_t begin = out->len;

    sb_strbuf_puts(out, greeting);
    for (int64_t k = 0; k < w->n; k++) {
        const sb_wisdom_entry *e = &w->at[k];

        sb_strbuf_printf(out, "%s %s ", e->key, efforts[e->effort]);
        sb_strbuf_f64(out, e->seconds);
        sb_strbuf_printf(out, " %s\n", e->plan);
    }
    if (out->st == SB_OK)
        put_checksum(out, out->s + begin, out->len - begin);
}

static size_t
word_length(const char *s, const char *end)
{
    size_t n = 0;

    while (s + n < end && s[n] > ' ' && s[n] < 127)
        n++;
    return n;
}

/* The word at *s, with the blank behind it passed over. */
static size_t
take_word(const char **s, const char *end, const char **word)
{
    const size_t n = word_length(*s, end);

    *word = *s;
    *s += n;
    if (*s == end || **s != ' ')
        return 0;
    (*s)++;
    return n;
}

static bool
is_hash(const char *s, size_t n)
{
    for (size_t k = 0; k < n; k++)
        if (!((s[k] >= '0' && s[k] <= '9') || (s[k] >= 'a' && s[k] <= 'f')))
            return false;
    return n == 32;
}

static bool
find_effort(sb_effort *out, const char *s, size_t n)
{
    for (int k = SB_EFFORT_MEASURE; k < SB_COUNT(efforts); k++)
        if (strlen(efforts[k]) == n && memcmp(efforts[k], s, n) == 0) {
            *out = (sb_effort)k;
            return true;
        }
    return false;
}

/* Whether the text is a plan of the problem's operation. */
static bool
is_plan(const char *plan, size_t len, const char *problem)
{
    static const char *const names[] = {
        [SB_OP_SPMM] = "spmm/", [SB_OP_SPMV] = "spmv/", [SB_OP_SDDMM] = "sddmm/"};
    sb_choice choice;

    return sb_choice_parse(&choice, plan, len, NULL) == SB_OK &&
           strncmp(problem, names[choice.op], strlen(names[choice.op])) == 0;
}

/* One entry in [s, end); *why says what is wrong with it. */
static sb_status
parse_entry(sb_wisdom *w, const char *s, const char *end, const char **why)
{
    const char *begin = s, *structure, *machine, *problem, *effort_word, *number;
    const size_t hash = take_word(&s, end, &structure);
    const size_t nmachine = take_word(&s, end, &machine);
    const size_t nproblem = take_word(&s, end, &problem);
    const size_t key = (size_t)(problem + nproblem - begin);
    const size_t neffort = take_word(&s, end, &effort_word);
    const size_t nnumber = take_word(&s, end, &number);
    const char *behind = number;
    sb_effort effort;
    double seconds;

    if (!is_hash(structure, hash))
        *why = "a structure is 32 hexadecimal digits";
    else if (nmachine == 0 || nproblem == 0)
        *why = "a machine and a problem must follow";
    else if (neffort == 0 || !find_effort(&effort, effort_word, neffort))
        *why = "the effort must be measure or exhaustive";
    else if (nnumber == 0 || sb_parse_f64(number, &behind, &seconds) != SB_OK ||
             behind != number + nnumber || !(seconds > 0) || isinf(seconds))
        *why = "the seconds must be a positive number";
    else if (!is_plan(s, (size_t)(end - s), problem))
        *why = "this is no plan of the problem's operation";
    else
        return put_copy(w, begin, key, s, (size_t)(end - s), effort, seconds);
    return SB_EINVAL;
}

static sb_status
refuse(sb_diag *diag, int line, const char *why)
{
    return sb_diag_set(diag, SB_EINVAL, "wisdom, line %d: %s", line, why);
}

static int
count_lines(const char *s, size_t len)
{
    int n = 1;

    for (size_t k = 0; k + 1 < len; k++)
        n += s[k] == '\n';
    return n;
}

/* The last line is the right checksum; *entries: bytes before it. */
static sb_status
check_sum(size_t *entries, const char *text, size_t len, sb_diag *diag)
{
    const int line = count_lines(text, len);
    size_t at = len - 1;
    sb_strbuf want;
    sb_status st;

    if (text[len - 1] != '\n')
        return refuse(diag, line, "it has no end: the text was cut off");
    while (at > 0 && text[at - 1] != '\n')
        at--;
    if (strncmp(text + at, checksum, sizeof checksum - 1) != 0)
        return refuse(diag, line, "no checksum at the end: the text was cut off");
    sb_strbuf_init(&want);
    put_checksum(&want, text, at);
    st = sb_strbuf_status(&want);
    if (st == SB_OK && !SB_FAULT(WISDOM_SUM) &&
        (want.len != len - at || memcmp(want.s, text + at, want.len) != 0))
        st = refuse(diag, line, "the checksum is wrong: the text was changed");
    sb_strbuf_free(&want);
    *entries = at;
    return st;
}

sb_status
sb_wisdom_parse(sb_wisdom *w, const char *text, size_t len, sb_diag *diag)
{
    size_t at = sizeof greeting - 1, entries = 0;
    const char *why = NULL;
    int line = 2;
    sb_status st;

    memset(w, 0, sizeof *w);
    if (len < at || memcmp(text, greeting, at) != 0)
        return refuse(diag, 1, "wisdom begins with \"spblas wisdom 2\"");
    SB_TRY(check_sum(&entries, text, len, diag));
    for (st = SB_OK; st == SB_OK && at < entries; line++) {
        const char *end = memchr(text + at, '\n', entries - at);

        st = parse_entry(w, text + at, end, &why);
        if (st == SB_EINVAL)
            (void)refuse(diag, line, why);
        at = (size_t)(end - text) + 1;
    }
    if (st != SB_OK)
        sb_wisdom_free(w);
    return st;
}
