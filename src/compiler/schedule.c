/*
 * Schedules as text: the table of primitives, their argument patterns, and the helpers
 * of schedule.h. A primitive is a function from program to program; a refused one leaves
 * the program as it was, because programs never change.
 *
 * Patterns: % loop or iterator, $ buffer, ^ axis (#name), @ word, # number, * one or
 * more %, ?word optional word; anything else stands for itself.
 */
#include "compiler/schedule.h"

#include "compiler/affine.h"
#include "compiler/compiler.h"
#include "compiler/schedule_text.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

typedef struct primitive {
    const char *name;
    int stage;
    const char *pattern;
    sb_primitive_fn run;
} primitive;

static const primitive table[] = {
    {"sparse_reorder", 1, "@ *", sb_sched_sparse_reorder},
    {"sparse_fuse", 1, "@ *", sb_sched_sparse_fuse},
    {"sparse_merge", 1, "@ % ^", sb_sched_sparse_merge},
    {"reorder", 2, "*", sb_sched_reorder},
    {"split", 2, "% # -> % % ?tail", sb_sched_split},
    {"fuse", 2, "% % -> %", sb_sched_fuse},
    {"unroll", 2, "%", sb_sched_unroll},
    {"vectorize", 2, "%", sb_sched_vectorize},
    {"parallel", 2, "%", sb_sched_parallel},
    {"cache_write", 2, "$ at % as $", sb_sched_cache_write},
    {"rfactor", 2, "% # -> % as $", sb_sched_rfactor},
    {"jam", 2, "%", sb_sched_jam},
    {"prefetch", 2, "$ at % ahead # ?far", sb_sched_prefetch},
    {"prefetch_list", 2, "$ at % ahead %", sb_sched_prefetch_list},
    {"prefetch_last", 2, "$ at % of % ahead %", sb_sched_prefetch_last},
    {"stream", 2, "$", sb_sched_stream},
    {"cache_read", 2, "$ at % as $ ?always", sb_sched_cache_read},
    {"stage", 2, "$ at % as $", sb_sched_cache_read},
    {"ahead", 2, "% -> %", sb_sched_ahead},
    {"compute_at", 2, "% at %", sb_sched_compute_at},
    {"tensorize", 2, "% @", sb_sched_tensorize},
    {"bind", 2, "% @", sb_sched_bind},
    {"annotate", 2, "% @ @", sb_sched_annotate},
    {"atomic", 2, "$", sb_sched_atomic},
};

/* ---- helpers of primitives ---------------------------------------------------------------- */

sb_status
sb_sched_refuse(sb_sched *sc, const char *fmt, ...)
{
    char why[320];
    va_list ap;

    if (sc->st != SB_OK)
        return sc->st;
    va_start(ap, fmt);
    (void)vsnprintf(why, sizeof why, fmt, ap);
    va_end(ap);
    sc->st = sb_diag_set(sc->ir->diag, SB_EINVAL, "schedule line %d: %s: %s", sc->line,
                         sc->primitive, why);
    return sc->st;
}

sb_status
sb_sched_finish(const sb_prog **out, sb_sched *sc, sb_body body)
{
    sb_prog *p;

    if (sc->st != SB_OK)
        return sc->st;
    p = sb_prog_copy(sc->ir, sc->in);
    if (!p || sb_ir_status(sc->ir) != SB_OK)
        return sb_ir_status(sc->ir) != SB_OK ? sb_ir_status(sc->ir) : SB_ENOMEM;
    p->body = body;
    *out = p;
    return SB_OK;
}

typedef struct each_loop {
    sb_sched *sc;
    const char *name;
    sb_loop_fn fn;
    const sb_stmt *tensor; /* the intrinsic around, NULL outside */
} each_loop;

static bool
visit_loop(sb_mapper *m, sb_list *out, const sb_stmt *s)
{
    each_loop *e = m->user;

    if (s->kind == SB_STMT_BLOCK && s->u.block.tensor) {
        e->tensor = s;
        s = sb_map_parts(m, s);
        e->tensor = NULL;
        sb_list_push(out, s);
        return true;
    }
    if (s->kind != SB_STMT_FOR || strcmp(s->u.loop.var->name, e->name) != 0)
        return false;
    if (e->tensor)
        sb_sched_refuse(e->sc, "loop %%%s is part of tensor %s", e->name,
                        e->tensor->u.block.name);
    s = sb_map_parts(m, s);
    e->sc->hits++;
    if (s && e->sc->st == SB_OK)
        e->fn(e->sc, out, s);
    return true;
}

sb_status
sb_sched_each_loop(const sb_prog **out, sb_sched *sc, const char *name, sb_loop_fn fn)
{
    each_loop e = {sc, name, fn, NULL};
    sb_mapper m = {sc->ir, &e, NULL, visit_loop};
    const sb_body b = sb_map_body(&m, sc->in->body);

    if (sc->hits == 0)
        sb_sched_refuse(sc, "there is no loop %%%s", name);
    return sb_sched_finish(out, sc, b);
}

typedef struct name_query {
    const char *name;
    const sb_buf *local;
    bool found;
} name_query;

static void
ask_name(void *user, const sb_stmt *s)
{
    name_query *q = user;
    const char *name = s->kind == SB_STMT_FOR     ? s->u.loop.var->name
                       : s->kind == SB_STMT_LET   ? s->u.let.var->name
                       : s->kind == SB_STMT_LOCAL ? s->u.local.buf->name
                                                  : NULL;

    if (!name || strcmp(name, q->name) != 0)
        return;
    q->found = true;
    if (s->kind == SB_STMT_LOCAL)
        q->local = s->u.local.buf;
}

bool
sb_sched_taken(const sb_sched *sc, const char *name)
{
    name_query q = {name, NULL, false};

    for (int i = 0; i < sc->in->nparam; i++)
        q.found = q.found || strcmp(sc->in->param[i]->name, name) == 0;
    for (int i = 0; i < sc->in->nbuf; i++)
        q.found = q.found || strcmp(sc->in->buf[i]->name, name) == 0;
    sb_body_stmts(sc->in->body, ask_name, &q);
    return q.found;
}

const sb_var *
sb_sched_new_var(sb_sched *sc, const char *name)
{
    if (sb_sched_taken(sc, name)) {
        sb_sched_refuse(sc, "the name %%%s is in use", name);
        return NULL;
    }
    return sb_var_new(sc->ir, name, SB_I64);
}

const sb_buf *
sb_sched_find_buf(sb_sched *sc, const char *name)
{
    name_query q = {name, NULL, false};

    for (int i = 0; i < sc->in->nbuf; i++) {
        if (strcmp(sc->in->buf[i]->name, name) == 0)
            return sc->in->buf[i];
    }
    sb_body_stmts(sc->in->body, ask_name, &q);
    if (!q.local)
        sb_sched_refuse(sc, "there is no buffer $%s", name);
    return q.local;
}

const sb_buf *
sb_sched_local(sb_sched *sc, const char *name, sb_dtype type, int rank,
               const int64_t *extent)
{
    sb_buf *b = sb_arena_alloc_zero(sc->ir->arena, sizeof *b);

    if (!b) {
        sc->ir->failed = true;
        return NULL;
    }
    b->name = sb_arena_strndup(sc->ir->arena, name, strlen(name));
    b->type = type;
    b->role = SB_BUF_LOCAL;
    b->rank = (uint8_t)rank;
    b->id = sc->ir->next_id++;
    for (int d = 0; d < rank; d++)
        b->extent[d] = sb_expr_int(sc->ir, extent[d]);
    return b;
}

const sb_expr *
sb_loop_extent(sb_ir *ir, const sb_stmt *loop)
{
    return sb_expr_simplify(ir, sb_expr_sub(ir, loop->u.loop.hi, loop->u.loop.lo));
}

int64_t
sb_extent_bound(const sb_expr *e)
{
    if (e && e->kind == SB_EXPR_MOD && e->arg[1]->kind == SB_EXPR_INT)
        return e->arg[1]->u.i;
    return e ? sb_expr_upper(e) : SB_NO_BOUND;
}

static const sb_expr *
simplify_node(sb_mapper *m, const sb_expr *e)
{
    return e->type == SB_I64 ? sb_expr_simplify(m->ir, e) : e;
}

sb_body
sb_body_replace(sb_ir *ir, sb_body b, const sb_var *v, const sb_expr *by)
{
    sb_mapper m = {ir, NULL, simplify_node, NULL};

    return sb_map_body(&m, sb_body_subst(ir, b, v, by));
}

/* ---- text ---------------------------------------------------------------------------------- */

enum { LINE_MAX_BYTES = 512, LINES_MAX = 1000 };

/* Splits a line at blanks; false when it is too long or has too many words. */
static bool
split_words(sb_ir *ir, const char *s, size_t len, int *n, const char **word)
{
    size_t at = 0;

    *n = 0;
    while (at < len && s[at] != ';') {
        const size_t start = at;

        while (at < len && s[at] != ' ' && s[at] != '\t' && s[at] != '\r' &&
               s[at] != ';')
            at++;
        if (at > start) {
            if (*n == SB_SCHED_WORDS)
                return false;
            word[(*n)++] = sb_arena_strndup(ir->arena, s + start, at - start);
            if (!word[*n - 1])
                ir->failed = true;
        }
        while (at < len && (s[at] == ' ' || s[at] == '\t' || s[at] == '\r'))
            at++;
    }
    return len <= LINE_MAX_BYTES && !ir->failed;
}

static sb_status
expected(sb_sched *sc, const char *pattern)
{
    return sb_sched_refuse(sc, "the line must read: %s %s", sc->primitive, pattern);
}

static bool
take_name(sb_sched *sc, const char *word, char sigil)
{
    if (!word || word[0] != sigil || !word[1])
        return false;
    sc->name[sc->nname++] = word + 1;
    return true;
}

static bool
take_number(sb_sched *sc, const char *word)
{
    const char *end;

    return word && sb_parse_i64(word, &end, &sc->number) == SB_OK && *end == '\0';
}

/* Matches word[at] against one element of a pattern, moves at. */
static bool
take(sb_sched *sc, const char *item, size_t len, int n, const char *const *word,
     int *at)
{
    const char *w = *at < n ? word[*at] : NULL;

    switch (item[0]) {
    case '?':
        if (w && strlen(w) == len - 1 && strncmp(w, item + 1, len - 1) == 0) {
            sc->option = true;
            (*at)++;
        }
        return true;
    case '*':
        if (!take_name(sc, w, '%'))
            return false;
        for ((*at)++; *at < n && take_name(sc, word[*at], '%');)
            (*at)++;
        return true;
    case '%':
    case '$':
        (*at)++;
        return take_name(sc, w, item[0]);
    case '^':
        (*at)++;
        return take_name(sc, w, '#');
    case '@':
        (*at)++;
        if (w)
            sc->name[sc->nname++] = w;
        return w != NULL;
    case '#':
        (*at)++;
        return take_number(sc, w);
    default:
        (*at)++;
        return w && strlen(w) == len && strncmp(w, item, len) == 0;
    }
}

static sb_status
match(sb_sched *sc, const char *pattern, int n, const char *const *word)
{
    const char *p = pattern;
    int at = 1;

    while (*p) {
        const size_t len = strcspn(p, " ");

        if (!take(sc, p, len, n, word, &at))
            return expected(sc, pattern);
        p += len + (p[len] == ' ');
    }
    return at == n ? SB_OK : expected(sc, pattern);
}

static const primitive *
find_primitive(const char *name)
{
    for (int q = 0; q < SB_COUNT(table); q++) {
        if (strcmp(table[q].name, name) == 0)
            return &table[q];
    }
    return NULL;
}

/* One line on *prog. */
static sb_status
apply_line(const sb_prog **prog, sb_ir *ir, const char *s, size_t len, int line,
           sb_sched_lines lines)
{
    sb_sched sc = {.ir = ir, .in = *prog, .primitive = "schedule", .line = line};
    const char *word[SB_SCHED_WORDS];
    const sb_prog *next = NULL;
    const primitive *pr;
    sb_status st;
    int n;

    if (!split_words(ir, s, len, &n, word))
        return sb_sched_refuse(&sc, "the line is too long");
    if (n == 0)
        return SB_OK;
    if (!(pr = find_primitive(word[0])))
        return sb_sched_refuse(&sc, "there is no primitive %.60s", word[0]);
    sc.primitive = pr->name;
    if (pr->stage != (*prog)->stage) {
        if (lines == SB_SCHED_OWN_STAGE)
            return SB_OK;
        return sb_sched_refuse(&sc, "needs a program of stage %d", pr->stage);
    }
    if ((st = match(&sc, pr->pattern, n, word)) != SB_OK ||
        (st = pr->run(&next, &sc)) != SB_OK)
        return st;
    *prog = next;
    return SB_OK;
}

sb_status
sb_schedule_apply_lines(const sb_prog **out, sb_ir *ir, const sb_prog *in,
                        const char *schedule, sb_sched_lines lines)
{
    const sb_prog *p = in;
    int line = 1;

    *out = NULL;
    for (const char *s = schedule ? schedule : ""; *s; line++) {
        const size_t len = strcspn(s, "\n");
        const sb_status st = apply_line(&p, ir, s, len, line, lines);

        if (st != SB_OK)
            return st;
        if (line == LINES_MAX)
            return sb_diag_set(ir->diag, SB_EINVAL, "the schedule is too long");
        s += len + (s[len] == '\n');
    }
    *out = p;
    return SB_OK;
}

sb_status
sb_schedule_apply(const sb_prog **out, sb_ir *ir, const sb_prog *in,
                  const char *schedule)
{
    return sb_schedule_apply_lines(out, ir, in, schedule, SB_SCHED_ALL_LINES);
}
