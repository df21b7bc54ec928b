/*
 * Data for random computations, declared in irrand.h: lists that fit the axes, small
 * integers everywhere else.
 */
#include "irrand.h"

#include "base/alloc.h"
#include "gen.h"
#include "irworld.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { SLOTS = 4096 };

typedef struct level {
    int64_t length, width, slots;
    int64_t ptr[SLOTS + 1], end[SLOTS + 1], crd[SLOTS];
} level;

typedef struct data {
    const ir_rand *r;
    gen_rng rng;
    uint64_t seed;
    int64_t m, k, n, l, base;
    level at[IR_RAND_AXES];
} data;

static int
ascending(const void *a, const void *b)
{
    const int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

    return (x > y) - (x < y);
}

/* n coordinates below length, as the axis promises. */
static void
fill_row(data *w, const ir_rand_axis *x, int64_t length, int64_t n, int64_t *crd)
{
    int64_t left = length, want = n;

    for (int64_t c = 0, q = 0; c < length && x->unique; c++, left--) {
        if (gen_below(&w->rng, left) < want) {
            crd[q++] = c;
            want--;
        }
    }
    for (int64_t q = 0; q < n && !x->unique; q++)
        crd[q] = gen_below(&w->rng, length);
    if (x->sorted)
        qsort(crd, (size_t)n, sizeof *crd, ascending);
}

static int64_t
size_named(const data *w, const char *name)
{
    const int64_t all[] = {w->m, w->k, w->n, w->l};
    const char *at = strchr("mknl", name[0]);

    return at ? all[at - "mknl"] : strtoll(name, NULL, 10);
}

static int64_t
at_most(data *w, int64_t length)
{
    const int64_t n = length < 4 ? length : 4;

    return gen_below(&w->rng, n + 1);
}

/* A row of the axis under parent slot q begins at slot `at`; returns its length. */
static int64_t
make_row(data *w, const ir_rand_axis *x, level *l, int64_t at, int64_t room)
{
    const bool fixed = strstr(x->kind, "fixed") != NULL;
    int64_t n = fixed ? room : at_most(w, l->length);

    if ((x->padded || x->end) && fixed)
        n = gen_below(&w->rng, room + 1);
    if (x->kind[0] == 's') {
        fill_row(w, x, l->length, n, l->crd + at);
        for (int64_t q = at; q < at + n; q++)
            l->crd[q] += x->base ? w->base : 0;
        for (int64_t q = at + n; fixed && q < at + room; q++)
            l->crd[q] = x->padded ? -1 : 0;
    }
    return n;
}

static void
make_level(data *w, int which)
{
    const ir_rand_axis *x = &w->r->axis[which];
    level *l = &w->at[which];
    const bool fixed = strstr(x->kind, "fixed") != NULL;
    const int64_t parents = x->parent >= 0 ? w->at[x->parent].slots : 1;
    int64_t at = 0;

    l->length = size_named(w, x->length) + x->plus;
    l->width = at_most(w, l->length);
    l->slots = l->length;
    if (x->parent < 0)
        return;
    for (int64_t q = 0; q < parents; q++) {
        /* With ends rows lie backwards, so that their order is not the parents'. */
        const int64_t p = x->end && !fixed ? parents - 1 - q : q;
        const int64_t n = make_row(w, x, l, at, l->width);

        l->ptr[p] = at + (x->end || !x->base ? 0 : w->base);
        l->end[p] = fixed ? n : at + n;
        at += fixed ? l->width : n;
    }
    if (!x->end)
        l->ptr[parents] = at + (x->base ? w->base : 0);
    l->slots = at;
}

static void
make_data(data *w, const ir_rand *r, uint64_t seed)
{
    memset(w, 0, sizeof *w);
    w->r = r;
    w->seed = seed;
    w->rng.state = seed;
    w->m = gen_below(&w->rng, 6);
    w->k = 1 + gen_below(&w->rng, 6);
    w->n = gen_below(&w->rng, 10);
    w->l = 1 + gen_below(&w->rng, 4);
    w->base = gen_below(&w->rng, 2);
    for (int q = 0; q < r->naxis; q++)
        make_level(w, q);
}

/* ---- by name --------------------------------------------------------------------------------- */

static int
axis_named(const ir_rand *r, const char *name)
{
    for (int q = 0; q < r->naxis; q++) {
        if (strcmp(r->axis[q].name, name) == 0)
            return q;
    }
    return -1;
}

static double
parameter(const data *w, const char *name)
{
    const int x = axis_named(w->r, name + 1);

    if (strcmp(name, "alpha") == 0)
        return 2;
    if (strcmp(name, "beta") == 0)
        return (double)(w->seed % 3) - 1;
    if (strcmp(name, "base") == 0)
        return (double)w->base;
    if (x < 0)
        return (double)size_named(w, name);
    return (double)(name[0] == 'w' ? w->at[x].width : w->at[x].slots);
}

/* The last axis of the tree of dimension d, as far as the buffer goes. */
static int64_t
elements_of(const data *w, const ir_rand_buf *b)
{
    int64_t n = 1;

    for (int d = 0; d < b->rank; d++) {
        int last = b->axis[d];

        if (w->r->axis[last].parent >= 0)
            continue;
        for (int e = d + 1; e < b->rank; e++)
            last = w->r->axis[b->axis[e]].parent == last ? b->axis[e] : last;
        n *= w->at[last].slots;
    }
    return n;
}

static int64_t
elements(const data *w, const char *name)
{
    const int x = axis_named(w->r, name + 1);

    for (int q = 0; q < w->r->nbuf; q++) {
        if (strcmp(w->r->buf[q].name, name) == 0)
            return elements_of(w, &w->r->buf[q]);
    }
    if (name[0] == 'g')
        return size_named(w, name + 1);
    assert_true(x >= 0);
    return name[0] == 'c' ? w->at[x].slots : w->at[w->r->axis[x].parent].slots + 1;
}

static double
content(const data *w, const char *name, int64_t q)
{
    const int x = axis_named(w->r, name + 1);
    gen_rng rng = {w->seed * 31 + (uint64_t)name[0] * 1009 + (uint64_t)q};
    bool value = false;

    for (int b = 0; b < w->r->nbuf; b++)
        value = value || strcmp(w->r->buf[b].name, name) == 0;
    if (value)
        return (double)(gen_below(&rng, 7) - 3);
    if (name[0] == 'g')
        return (double)gen_below(&rng, size_named(w, name + 1));
    return (double)(name[0] == 'p'   ? w->at[x].ptr[q]
                    : name[0] == 'e' ? w->at[x].end[q]
                                     : w->at[x].crd[q]);
}

/* ---- runs ------------------------------------------------------------------------------------ */

/* Runs the kernel, or with NULL the interpreter. */
static ir_result
run(const data *w, const sb_prog *p, sb_kernel_fn fn)
{
    sb_value *param = sb_alloc_array(p->nparam + 1, sizeof *param);
    sb_param *kparam = sb_alloc_array(p->nparam + 1, sizeof *kparam);
    sb_arg *arg = sb_alloc_array(p->nbuf + 1, sizeof *arg);
    void **buf = sb_alloc_array(p->nbuf + 1, sizeof *buf);
    const sb_interp_args args = {param, arg};
    ir_result r = {.n = 0};
    sb_diag diag;

    sb_diag_clear(&diag);
    for (int q = 0; q < p->nparam; q++) {
        param[q].re = parameter(w, p->param[q]->name);
        param[q].im = 0;
        if (p->param[q]->type == SB_I64)
            kparam[q].i = (int64_t)param[q].re;
        else
            sb_value_store(p->param[q]->type, &kparam[q], 0, param[q]);
    }
    for (int q = 0; q < p->nbuf; q++) {
        const sb_buf *b = p->buf[q];

        arg[q].count = elements(w, b->name);
        arg[q].data = sb_alloc_array(arg[q].count + 64, sb_dtype_size(b->type));
        buf[q] = arg[q].data;
        for (int64_t s = 0; s < arg[q].count; s++) {
            const sb_value v = {content(w, b->name, s), 0};

            sb_value_store(b->type, arg[q].data, s, v);
        }
        r.n += b->role == SB_BUF_INOUT ? arg[q].count : 0;
    }
    if (fn)
        fn(buf, kparam, 0, 0);
    else
        r.st = sb_interp(p, &args, &diag);
    (void)snprintf(r.why, sizeof r.why, "%s", diag.text);
    r.v = sb_alloc_array(r.n + 1, sizeof *r.v);
    r.n = 0;
    for (int q = 0; q < p->nbuf; q++) {
        for (int64_t s = 0; p->buf[q]->role == SB_BUF_INOUT && s < arg[q].count; s++)
            r.v[r.n++] = sb_value_load(p->buf[q]->type, arg[q].data, s).re;
        sb_free(arg[q].data);
    }
    sb_free(buf);
    sb_free(arg);
    sb_free(kparam);
    sb_free(param);
    return r;
}

/* cmocka cuts long messages. */
static void
print_lines(const char *text)
{
    while (*text) {
        const size_t n = strcspn(text, "\n");

        print_message("%.*s\n", (int)n, text);
        text += n + (text[n] == '\n');
    }
}

/* a's result is that of b, or of the kernel made from it. */
static bool
same(const ir_rand *r, uint64_t seed, const sb_prog *a, const sb_prog *b,
     sb_kernel_fn fn)
{
    data *w = sb_alloc_array(1, sizeof *w);
    ir_result ra, rb;
    bool good;

    make_data(w, r, seed);
    ra = run(w, a, NULL);
    rb = run(w, b, fn);
    good = ra.st == SB_OK && rb.st == SB_OK && ra.n == rb.n;
    for (int64_t q = 0; good && q < ra.n; q++)
        good = ra.v[q] == rb.v[q];
    if (!good) {
        sb_strbuf ta = ir_text(a), tb = ir_text(b);

        print_message("data %llu m %lld k %lld n %lld: %s / %s\n",
                      (unsigned long long)seed, (long long)w->m, (long long)w->k,
                      (long long)w->n, ra.why, rb.why);
        print_lines(ta.s);
        print_lines(tb.s);
        sb_strbuf_free(&ta);
        sb_strbuf_free(&tb);
    }
    ir_result_free(&ra);
    ir_result_free(&rb);
    sb_free(w);
    return good;
}

bool
ir_rand_same(const ir_rand *r, uint64_t seed, const sb_prog *a, const sb_prog *b)
{
    return same(r, seed, a, b, NULL);
}

bool
ir_rand_kernel_same(const ir_rand *r, uint64_t seed, const sb_prog *p, sb_kernel_fn fn)
{
    return same(r, seed, p, p, fn);
}
