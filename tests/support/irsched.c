/*
 * Random lines of schedules, declared in irsched.h.
 */
#include "irsched.h"

#include "compiler/rewrite.h"

#include <stdio.h>
#include <string.h>

uint64_t
ir_roll(uint64_t *s, uint64_t n)
{
    *s = *s * 6364136223846793005u + 1442695040888963407u;
    return (*s >> 33) % n;
}

/* Names of all loops, each once. */
typedef struct names {
    const char *loop[64];
    int n;
    const char *inner;   /* a loop without loops inside */
    const char *pair[2]; /* loops side by side */
} names;

static void
collect(names *out, sb_body b)
{
    const sb_stmt *last = NULL;

    for (int q = 0; q < b.n; q++) {
        const sb_stmt *s = b.at[q];
        sb_body in[2];
        const int n = sb_stmt_bodies(s, in);
        bool known = s->kind != SB_STMT_FOR;

        for (int r = 0; r < out->n && !known; r++)
            known = strcmp(out->loop[r], s->u.loop.var->name) == 0;
        if (!known && out->n < 64)
            out->loop[out->n++] = s->u.loop.var->name;
        if (s->kind == SB_STMT_FOR) {
            out->inner = s->u.loop.var->name;
            if (last) {
                out->pair[0] = last->u.loop.var->name;
                out->pair[1] = s->u.loop.var->name;
            }
            last = s;
        }
        for (int r = 0; r < n; r++)
            collect(out, in[r]);
    }
}

static const char *
any_loop(const names *nm, uint64_t *s)
{
    return nm->n ? nm->loop[ir_roll(s, (uint64_t)nm->n)] : "none";
}

static const char *
any_buf(const sb_prog *p, uint64_t *s, bool written)
{
    for (int tries = 0; tries < 16; tries++) {
        const sb_buf *b = p->buf[ir_roll(s, (uint64_t)p->nbuf)];

        if (b->role != SB_BUF_AUX && (!written || b->role != SB_BUF_IN))
            return b->name;
    }
    return p->buf[0]->name;
}

typedef struct trips {
    const char *loop;
    int64_t n[3];
    int depth;
} trips;

/* Constant trip counts of the nest that starts at the loop called so. */
static void
find_trips(void *user, const sb_stmt *s)
{
    trips *t = user;

    if (s->kind != SB_STMT_FOR || t->depth == 3 ||
        (t->depth == 0 && strcmp(s->u.loop.var->name, t->loop) != 0) ||
        s->u.loop.hi->kind != SB_EXPR_INT)
        return;
    t->n[t->depth++] = s->u.loop.hi->u.i;
}

static void
tensor_line(char *out, size_t size, const sb_prog *p, const names *nm, const char *loop,
            uint64_t *s)
{
    trips t = {loop, {4, 4, 2}, 0};

    sb_body_stmts(p->body, find_trips, &t);
    for (int q = 0; q < nm->n && t.depth < 3; q++) {
        t.loop = nm->loop[q];
        t.depth = 0;
        sb_body_stmts(p->body, find_trips, &t);
    }
    for (int q = 2; q > 0; q--) { /* any of the three may be m, n or k */
        const int r = (int)ir_roll(s, (uint64_t)q + 1);
        const int64_t was = t.n[q];

        t.n[q] = t.n[r];
        t.n[r] = was;
    }
    (void)snprintf(out, size, "tensorize %%%s mma_%dx%dx%d", t.loop, (int)t.n[0],
                   (int)t.n[1], (int)t.n[2]);
}

static void
mark_line(char *out, size_t size, const sb_prog *p, const char *a, uint64_t *s,
          int line)
{
    static const char *const bound[] = {"block_x", "thread_x", "lane", "sky"};

    switch (ir_roll(s, 6)) {
    case 0:
        (void)snprintf(out, size, "unroll %%%s", a);
        break;
    case 1:
        (void)snprintf(out, size, "parallel %%%s", a);
        break;
    case 2:
        (void)snprintf(out, size, "bind %%%s %s", a, bound[ir_roll(s, 4)]);
        break;
    case 3:
        if (line % 4 == 3)
            (void)snprintf(out, size, "jam %%%s", a);
        else
            (void)snprintf(out, size, "annotate %%%s %s %d", a,
                           ir_roll(s, 9) ? "key" : "9", line);
        break;
    case 4:
        (void)snprintf(out, size, "%s $%s", ir_roll(s, 4) ? "stream" : "atomic",
                       any_buf(p, s, true));
        break;
    default:
        (void)snprintf(out, size, "vectorize %%%s", a);
    }
}

void
ir_random_line(char *out, size_t size, const sb_prog *p, uint64_t *s, int line)
{
    names nm = {{NULL}, 0, NULL, {NULL, NULL}};
    const char *a, *b, *c;
    int ahead;

    collect(&nm, p->body);
    a = any_loop(&nm, s);
    b = any_loop(&nm, s);
    c = any_loop(&nm, s);
    switch (ir_roll(s, 14)) {
    case 0:
    case 1:
        (void)snprintf(out, size, "split %%%s %d -> %%x%d %%y%d%s", a,
                       1 << ir_roll(s, 3) | (int)ir_roll(s, 2), line, line,
                       ir_roll(s, 2) ? " tail" : "");
        break;
    case 2:
    case 3:
        (void)snprintf(out, size, "reorder %%%s %%%s", a, b);
        break;
    case 4:
        (void)snprintf(out, size, "reorder %%%s %%%s %%%s", a, b, c);
        break;
    case 5:
        (void)snprintf(out, size, "cache_write $%s at %%%s as $acc%d",
                       any_buf(p, s, true), a, line);
        break;
    case 6:
        (void)snprintf(out, size, "rfactor %%%s %d -> %%l%d as $part%d", a,
                       2 << ir_roll(s, 2), line, line);
        break;
    case 7:
        (void)snprintf(out, size, "cache_read $%s at %%%s as $read%d",
                       any_buf(p, s, false), a, line);
        break;
    case 8:
        (void)snprintf(out, size, "fuse %%%s %%%s -> %%f%d", a, b, line);
        break;
    case 9:
        (void)snprintf(out, size, "compute_at %%%s at %%%s",
                       nm.pair[0] ? nm.pair[0] : a, nm.pair[0] ? nm.pair[1] : b);
        break;
    case 10:
        tensor_line(out, size, p, &nm, a, s);
        break;
    case 11:
        (void)snprintf(out, size, "%s %%%s", ir_roll(s, 4) ? "vectorize" : "parallel",
                       nm.inner ? nm.inner : a);
        break;
    case 12:
        mark_line(out, size, p, a, s, line);
        break;
    default:
        ahead = (int)ir_roll(s, 12);
        if (ahead >= 11) {
            (void)snprintf(out, size, "prefetch_list $%s at %%%s ahead %%%s",
                           any_buf(p, s, false), a,
                           p->param[ir_roll(s, (uint64_t)p->nparam)]->name);
            break;
        }
        if (ahead >= 10) {
            (void)snprintf(out, size, "prefetch_last $%s at %%%s of %%%s ahead %%%s",
                           any_buf(p, s, false), a, any_loop(&nm, s),
                           p->param[ir_roll(s, (uint64_t)p->nparam)]->name);
            break;
        }
        (void)snprintf(out, size, "prefetch $%s at %%%s ahead %d%s",
                       any_buf(p, s, false), a, 1 + ahead / 2, ahead % 2 ? " far" : "");
    }
}

/* Mostly a sparse iterator and another sparse axis. */
static void
merge_line(char *out, size_t size, const sb_prog *p, const sb_stmt *it, uint64_t *s)
{
    const sb_iter *iter = it->u.iter.it;
    const sb_axis *x = p->axis[0];

    for (int tries = 0; tries < 4 && !iter->axis->crd; tries++)
        iter = &it->u.iter.it[ir_roll(s, (uint64_t)it->u.iter.n)];
    for (int tries = 0; tries < 8 && (!x->crd || x == iter->axis); tries++)
        x = p->axis[ir_roll(s, (uint64_t)p->naxis)];
    (void)snprintf(out, size, "sparse_merge %s %%%s #%s", it->u.iter.name,
                   iter->var->name, x->name);
}

void
ir_random_line1(char *out, size_t size, const sb_prog *p, uint64_t *s)
{
    const sb_stmt *it = p->body.at[ir_roll(s, (uint64_t)p->body.n)];
    const int n = it->u.iter.n;
    int at[16] = {0};

    for (int q = 0; q < n; q++) {
        const int r = (int)ir_roll(s, (uint64_t)q + 1);

        at[q] = at[r];
        at[r] = q;
    }
    switch (ir_roll(s, 3)) {
    case 0:
        merge_line(out, size, p, it, s);
        return;
    case 1:
        (void)snprintf(out, size, "sparse_reorder %s", it->u.iter.name);
        break;
    default:
        (void)snprintf(out, size, "sparse_fuse %s", it->u.iter.name);
        for (int q = 0; q < n; q++)
            at[q] = q;
        at[n] = (int)ir_roll(s, (uint64_t)n);
        for (int q = at[n]; q < at[n] + 1 + (int)ir_roll(s, 3) && q < n; q++) {
            (void)strncat(out, " %", size - strlen(out) - 1);
            (void)strncat(out, it->u.iter.it[q].var->name, size - strlen(out) - 1);
        }
        return;
    }
    for (int q = 0; q < n; q++) {
        (void)strncat(out, " %", size - strlen(out) - 1);
        (void)strncat(out, it->u.iter.it[at[q]].var->name, size - strlen(out) - 1);
    }
}
