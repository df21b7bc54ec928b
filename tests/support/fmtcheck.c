/*
 * A walk down the levels: each node's children by pointer, size or one; each index by
 * array or position; dimensions by the derived inverse.
 */
#include "fmtcheck.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void *
take(size_t bytes)
{
    void *p = calloc(bytes ? bytes : 1, 1);

    if (!p)
        exit(99);
    return p;
}

fmt_dense
fmt_dense_of(const sb_tensor_coo *coo)
{
    fmt_dense d = {.ndim = coo->ndim, .count = 1};

    for (int k = 0; k < coo->ndim; k++)
        d.count *= d.extent[k] = coo->extent[k];
    d.val = take((size_t)d.count * sizeof *d.val);
    for (int64_t e = 0; e < coo->nnz; e++) {
        int64_t at = 0;

        for (int k = 0; k < coo->ndim; k++)
            at = at * coo->extent[k] + coo->coord[k][e];
        d.val[at] = sb_value_load(coo->val_type, coo->val, e).re;
    }
    return d;
}

void
fmt_dense_free(fmt_dense *d)
{
    free(d->val);
    memset(d, 0, sizeof *d);
}

typedef struct walker {
    const sb_tensor *t;
    const fmt_dense *d;
    sb_fmt_level level[SB_FMT_LEVELS];
    const sb_fmt_expr *inverse[SB_FMT_DIMS];
    int64_t at[SB_FMT_LEVELS];
    double *seen; /* value stored for each place, over all banks */
    char *message;
    size_t size;
    bool ok;
} walker;

static void
wrong(walker *w, const char *what, ...)
{
    va_list args;
    int used;

    if (!w->ok)
        return;
    w->ok = false;
    used = snprintf(w->message, w->size, "%s: ", w->t->fmt->name);
    va_start(args, what);
    vsnprintf(w->message + used, w->size - (size_t)used, what, args);
    va_end(args);
}

/* False for padding. */
static bool
leaf(walker *w, int64_t p)
{
    const sb_tensor *t = w->t;
    const double v = sb_value_load(t->val_type, t->val.data, p * t->val.stride).re;
    int64_t place = 0, dim[SB_FMT_DIMS];

    if (v == 0.0)
        return false;
    for (int k = 0; k < t->fmt->ndim; k++) {
        dim[k] = sb_fmt_eval(w->inverse[k], w->at);
        if (dim[k] < 0 || dim[k] >= t->extent[k]) {
            wrong(w, "value %g at %lld in dimension %d", v, (long long)dim[k], k);
            return true;
        }
        place = place * t->extent[k] + dim[k];
    }
    if (w->d->val[place] != v)
        wrong(w, "value %g where %g is", v, w->d->val[place]);
    if (w->seen[place] != 0.0)
        wrong(w, "place %lld is stored twice", (long long)place);
    w->seen[place] = v;
    return true;
}

/* Direct expressions only: functions are checked by the order and the inverse. */
static bool
direct(const sb_fmt_expr *e)
{
    return !e || (e->op != SB_FMT_INDIRECT && direct(e->a) && direct(e->b));
}

static void
children(walker *w, int q, int64_t parent, int64_t *lo, int64_t *hi)
{
    const sb_tensor *t = w->t;
    const sb_fmt_level *l = &w->level[q];
    const int64_t up = q == 0 ? 1 : t->count[q - 1];

    if (t->ptr[q].data) {
        *lo = sb_tensor_at(&t->ptr[q], t->ptr_type, parent);
        *hi = sb_tensor_at(&t->ptr[q], t->ptr_type, parent + 1);
        if (*lo > *hi || *lo < 0 || *hi > t->count[q] || (parent == 0 && *lo != 0) ||
            (parent == up - 1 && *hi != t->count[q])) {
            wrong(w, "pointers of level %d at %lld", q, (long long)parent);
            *hi = *lo;
        }
    } else if (l->one) {
        *lo = parent;
        *hi = parent + 1;
    } else if (q == 0) {
        *lo = 0;
        *hi = t->count[0];
    } else {
        *lo = parent * t->size[q];
        *hi = *lo + t->size[q];
    }
    if (l->ptr != (t->ptr[q].data != NULL) || l->idx != (t->idx[q].data != NULL))
        wrong(w, "level %d has arrays it should not have, or lacks one", q);
    if (*hi > t->count[q])
        wrong(w, "level %d has fewer nodes than its parents say", q);
}

/* Returns whether something other than zero lies below. */
static bool
below(walker *w, int q, int64_t parent)
{
    const sb_tensor *t = w->t;
    const sb_fmt *f = t->fmt;
    const sb_fmt_level *l = &w->level[q];
    const bool trimmed = q >= f->trim_lo && q <= f->trim_hi;
    const bool sparse = trimmed && !(f->fill >> q & 1);
    int64_t lo, hi, before = 0;
    bool any = false;

    children(w, q, parent, &lo, &hi);
    for (int64_t p = lo; p < hi && w->ok; p++) {
        bool some, marked;

        w->at[q] =
            l->idx ? sb_tensor_at(&t->idx[q], t->idx_type, p) : t->lo[q] + p - lo;
        if (l->idx && p > lo && (l->unique ? w->at[q] <= before : w->at[q] < before))
            wrong(w, "index %lld of level %d is not in order", (long long)p, q);
        marked = l->idx && !trimmed && w->at[q] == t->lo[q] - 1;
        if (direct(f->level[q]) && !marked) {
            int64_t from, to;

            sb_fmt_range(&from, &to, f, q, t->extent);
            if (w->at[q] < from || w->at[q] >= to)
                wrong(w, "index %lld of level %d is out of range", (long long)p, q);
        }
        before = w->at[q];
        some = q + 1 < f->nlevel ? below(w, q + 1, p) : leaf(w, p);
        if (sparse && !some && q > f->partition) /* a bank has one of the children */
            wrong(w, "node %lld of trimmed level %d is empty", (long long)p, q);
        if (l->idx && !trimmed && (some ? marked : !marked && q > f->partition))
            wrong(w, "node %lld of level %d is marked as empty when it is not, or not",
                  (long long)p, q);
        if (q == f->nlevel - 1 && some)
            for (int k = 0; k < f->nlevel; k++) {
                int64_t dim[SB_FMT_DIMS];

                for (int d = 0; d < f->ndim; d++)
                    dim[d] = sb_fmt_eval(w->inverse[d], w->at);
                if (direct(f->level[k]) && sb_fmt_eval(f->level[k], dim) != w->at[k])
                    wrong(w, "level %d is not what its expression says", k);
            }
        any |= some;
    }
    return any;
}

/* What follows from a format is asked once: the last few are kept. */
static struct {
    const sb_fmt *f;
    sb_fmt_level level[SB_FMT_LEVELS];
    const sb_fmt_expr *inverse[SB_FMT_DIMS];
    sb_arena ar;
} known[128];

void
fmt_check_forget(void)
{
    for (size_t k = 0; k < sizeof known / sizeof known[0]; k++)
        sb_arena_free(&known[k].ar);
    memset(known, 0, sizeof known);
}

static bool
learn(walker *w, const sb_fmt *f)
{
    const size_t at = ((uintptr_t)f >> 4) % 128;

    if (known[at].f != f) {
        sb_arena_free(&known[at].ar);
        sb_arena_init(&known[at].ar);
        known[at].f = f;
        sb_fmt_infer(known[at].level, f);
        if (sb_fmt_inverse(known[at].inverse, &known[at].ar, f, NULL) != SB_OK)
            return false;
    }
    memcpy(w->level, known[at].level, sizeof w->level);
    memcpy(w->inverse, known[at].inverse, sizeof w->inverse);
    return true;
}

static void
check_one(walker *w, const sb_tensor *t)
{
    w->t = t;
    if (!learn(w, t->fmt))
        wrong(w, "no inverse");
    else
        (void)below(w, 0, 0);
}

static void
check_list(walker *w, const sb_tensor *t)
{
    const bool list = t->fmt->npart > 0 || (t->fmt->partition >= 0 && !t->val.data);
    int64_t nnz = 0;

    w->t = t;
    if (!list) {
        check_one(w, t);
        return;
    }
    if (t->fmt->npart > 0 && t->nbank != t->fmt->npart)
        wrong(w, "%d parts", t->nbank);
    for (int k = 0; k < t->nbank; k++) {
        if (t->fmt->npart > 0 && t->bank[k].fmt != t->fmt->part[k])
            wrong(w, "part %d has another format", k);
        check_list(w, &t->bank[k]);
        nnz += t->bank[k].nnz;
    }
    w->t = t;
    if (nnz != t->nnz)
        wrong(w, "%lld elements in banks, %lld said", (long long)nnz,
              (long long)t->nnz);
}

bool
fmt_check(const sb_tensor *t, const fmt_dense *d, char *message, size_t size)
{
    walker w = {.d = d, .message = message, .size = size, .ok = true};
    int64_t nnz = 0;

    w.seen = take((size_t)d->count * sizeof *w.seen);
    check_list(&w, t);
    w.t = t;
    for (int64_t p = 0; p < d->count; p++) {
        nnz += d->val[p] != 0.0;
        if (w.seen[p] != d->val[p])
            wrong(&w, "place %lld holds %g, not %g", (long long)p, w.seen[p],
                  d->val[p]);
    }
    if (t->nnz != nnz)
        wrong(&w, "nnz %lld of %lld", (long long)t->nnz, (long long)nnz);
    free(w.seen);
    return w.ok;
}

/* ---- Equality, text -----------------------------------------------------------------
 */

static bool
same_index(const sb_tensor *a, const sb_tensor_array *x, sb_dtype xt,
           const sb_tensor *b, const sb_tensor_array *y, sb_dtype yt, int64_t n)
{
    (void)a, (void)b;
    if (!x->data != !y->data)
        return false;
    for (int64_t p = 0; x->data && p < n; p++)
        if (sb_tensor_at(x, xt, p) != sb_tensor_at(y, yt, p))
            return false;
    return true;
}

bool
fmt_equal(const sb_tensor *a, const sb_tensor *b, char *message, size_t size)
{
    const char *what = NULL;
    int level = 0;

    if (a->fmt != b->fmt || a->nbank != b->nbank || a->nnz != b->nnz ||
        a->idx_type != b->idx_type || a->ptr_type != b->ptr_type)
        what = "format, types, banks or nnz";
    for (int k = 0; k < a->nbank && !what; k++)
        if (!fmt_equal(&a->bank[k], &b->bank[k], message, size))
            return false;
    if (!what && (a->nbank > 0 || a->fmt->npart > 0 || !a->val.data || !b->val.data))
        return true;
    for (int q = 0; q < a->fmt->nlevel && !what; q++) {
        level = q;
        if (a->count[q] != b->count[q] || a->lo[q] != b->lo[q] ||
            a->size[q] != b->size[q])
            what = "count or range";
        else if (!same_index(a, &a->idx[q], a->idx_type, b, &b->idx[q], b->idx_type,
                             a->count[q]))
            what = "indices";
        else if (!same_index(a, &a->ptr[q], a->ptr_type, b, &b->ptr[q], b->ptr_type,
                             q == 0 ? 2 : a->count[q - 1] + 1))
            what = "pointers";
        else if (a->idx[q].stride != b->idx[q].stride)
            what = "stride";
    }
    for (int64_t p = 0; !what && p < a->count[a->fmt->nlevel - 1]; p++) {
        const sb_value x = sb_value_load(a->val_type, a->val.data, p * a->val.stride);
        const sb_value y = sb_value_load(b->val_type, b->val.data, p * b->val.stride);

        if (x.re != y.re || x.im != y.im)
            what = "values";
    }
    if (what)
        snprintf(message, size, "%s: %s of level %d differ", a->fmt->name, what, level);
    return what == NULL;
}

static void
show_array(sb_strbuf *b, const char *name, const sb_tensor_array *a, sb_dtype type,
           int64_t n)
{
    if (!a->data)
        return;
    sb_strbuf_printf(b, " %s [", name);
    for (int64_t p = 0; p < n; p++) {
        sb_strbuf_puts(b, p ? " " : "");
        if (sb_dtype_is_int(type))
            sb_strbuf_i64(b, sb_tensor_at(a, type, p));
        else
            sb_strbuf_printf(b, "%lld",
                             (long long)sb_value_load(type, a->data, p * a->stride).re);
    }
    sb_strbuf_puts(b, "]");
}

static void
show(sb_strbuf *b, const sb_tensor *t, const char *indent)
{
    const bool list = t->fmt->npart > 0 || (t->fmt->partition >= 0 && !t->val.data);
    const sb_fmt *f = t->fmt;

    for (int k = 0; k < t->nbank; k++) {
        sb_strbuf_printf(b, "%s%s %d\n", indent, f->npart ? "part" : "bank", k);
        show(b, &t->bank[k], "    ");
    }
    for (int q = 0; q < f->nlevel && !list; q++) {
        sb_strbuf_printf(b, "%s", indent);
        sb_fmt_print_expr(b, f, f->level[q]);
        sb_strbuf_puts(b, ":");
        if (!t->idx[q].data && !t->ptr[q].data)
            sb_strbuf_printf(b, " size %lld", (long long)t->size[q]);
        if (!t->idx[q].data && t->lo[q] != 0)
            sb_strbuf_printf(b, " from %lld", (long long)t->lo[q]);
        show_array(b, "ptr", &t->ptr[q], t->ptr_type, (q ? t->count[q - 1] : 1) + 1);
        show_array(b, t->idx[q].stride > 1 ? "idx, record" : "idx", &t->idx[q],
                   t->idx_type, t->count[q]);
        sb_strbuf_puts(b, "\n");
    }
    if (!list) {
        sb_strbuf_printf(b, "%svalue:", indent);
        show_array(b, t->val.stride > 1 ? "val, record" : "val", &t->val, t->val_type,
                   t->count[f->nlevel - 1]);
        sb_strbuf_puts(b, "\n");
    }
}

char *
fmt_show(const sb_tensor *t)
{
    sb_strbuf b;
    char *out;

    sb_strbuf_init(&b);
    show(&b, t, "  ");
    out = take(b.len + 1);
    memcpy(out, b.s, b.len);
    sb_strbuf_free(&b);
    return out;
}

void
fmt_backwards(sb_par_fn fn, void *user, int64_t lo, int64_t hi, int64_t grain)
{
    int64_t at = hi;

    while (at - grain > lo) {
        fn(user, at - grain, at);
        at -= grain;
    }
    fn(user, lo, at);
}

/* ---- a group of tests ------------------------------------------------------------- */

sb_arena fmt_arena;

int
fmt_begin(void **state)
{
    (void)state;
    sb_arena_init(&fmt_arena);
    return 0;
}

int
fmt_end(void **state)
{
    (void)state;
    fmt_check_forget();
    sb_arena_free(&fmt_arena);
    return 0;
}

const sb_fmt *
fmt_of(const char *text)
{
    const sb_fmt *f;
    sb_diag diag = {0};

    if (sb_fmt_parse(&f, &fmt_arena, text, &diag) != SB_OK) {
        fprintf(stderr, "%s\n", diag.text);
        exit(99);
    }
    return f;
}
