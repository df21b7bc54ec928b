/*
 * The interpreter: the meaning of the language. Runs loops one after the other, checks
 * every access, rounds after every operation. Slow on purpose.
 */
#include "compiler/interp.h"

#include "compiler/print.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void
sb_machine_fail(sb_machine *m, sb_status st, const char *fmt, ...)
{
    char text[320];
    va_list ap;

    if (m->st != SB_OK)
        return;
    va_start(ap, fmt);
    (void)vsnprintf(text, sizeof text, fmt, ap);
    va_end(ap);
    m->st = sb_diag_set(m->diag, st, "@%s: %s", m->prog->name, text);
}

bool
sb_machine_ok(const sb_machine *m)
{
    return m->st == SB_OK;
}

/* ---- bindings ------------------------------------------------------------------------ */

void
sb_machine_bind(sb_machine *m, const sb_var *v, sb_num value)
{
    if (m->nvar == SB_INTERP_NAMES) {
        sb_machine_fail(m, SB_ENOTSUP, "more than %d variables", m->nvar);
        return;
    }
    m->var[m->nvar].var = v;
    m->var[m->nvar++].value = value;
}

void
sb_machine_rebind(sb_machine *m, int at, int64_t value)
{
    m->var[at].value.i = value;
}

void
sb_machine_add_buf(sb_machine *m, const sb_buf *b, void *data, int64_t count)
{
    sb_storage *s = &m->buf[m->nbuf];

    if (m->nbuf == SB_INTERP_NAMES) {
        sb_machine_fail(m, SB_ENOTSUP, "more than %d buffers", m->nbuf);
        return;
    }
    s->buf = b;
    s->data = data;
    s->count = data ? count : 0;
    m->nbuf++;
    sb_machine_measure_buf(m, s);
}

const sb_storage *
sb_machine_storage(sb_machine *m, const sb_buf *b)
{
    int q = m->nbuf - 1;

    while (q > 0 && m->buf[q].buf != b)
        q--;
    return &m->buf[q]; /* the verifier saw the declaration */
}

/* ---- statements ---------------------------------------------------------------------- */

static void
run_local(sb_machine *m, const sb_stmt *s)
{
    const sb_buf *b = s->u.local.buf;
    int64_t count = 1;
    size_t bytes;
    void *data;

    for (int d = 0; d < b->rank; d++)
        count = sb_machine_mul(m, count, b->extent[d]->u.i);
    if (!sb_machine_ok(m))
        return;
    data = sb_arena_array(&m->arena, count, sb_dtype_size(b->type));
    if (!data) {
        sb_machine_fail(m, SB_ENOMEM, "no memory for local $%s", b->name);
        return;
    }
    bytes = (size_t)count * sb_dtype_size(b->type);
    memset(data, b->type == SB_BOOL ? 0 : 0xff, bytes); /* NaN: reading it shows */
    sb_machine_add_buf(m, b, data, count);
}

static sb_expr_kind
store_operator(sb_store_op op)
{
    return op == SB_STORE_ADD   ? SB_EXPR_ADD
           : op == SB_STORE_MIN ? SB_EXPR_MIN
                                : SB_EXPR_MAX;
}

static void
run_store(sb_machine *m, const sb_stmt *s)
{
    const sb_storage *to = sb_machine_storage(m, s->u.store.buf);
    const sb_dtype type = to->buf->type;
    sb_num v = sb_machine_eval(m, s->u.store.value);
    const int64_t at = sb_machine_place(m, to, s->u.store.n, s->u.store.idx);

    if (at < 0 || !sb_machine_ok(m))
        return;
    if (s->u.store.op != SB_STORE_SET)
        v = sb_machine_combine(m, store_operator((sb_store_op)s->u.store.op), type,
                               sb_num_load(to, at), v);
    if (sb_machine_ok(m))
        sb_num_store(to, at, v);
}

static void
run_for(sb_machine *m, const sb_stmt *s)
{
    const int64_t lo = sb_machine_int(m, s->u.loop.lo);
    const int64_t hi = sb_machine_int(m, s->u.loop.hi);
    const int at = m->nvar;
    const sb_num start = {lo, 0.0, 0.0};

    if (!sb_machine_ok(m))
        return;
    if (s->u.loop.how == SB_LOOP_VECTOR && lo < hi &&
        (uint64_t)hi - (uint64_t)lo > (uint64_t)s->u.loop.lanes) {
        sb_machine_fail(
            m, SB_EINVAL, "vector loop %%%s runs from %lld to %lld in %d lanes",
            s->u.loop.var->name, (long long)lo, (long long)hi, s->u.loop.lanes);
        return;
    }
    sb_machine_bind(m, s->u.loop.var, start);
    for (int64_t q = lo; q < hi && sb_machine_ok(m); q++) {
        sb_machine_rebind(m, at, q);
        sb_machine_body(m, s->u.loop.body);
    }
    m->nvar = at;
}

static void
run_stmt(sb_machine *m, const sb_stmt *s)
{
    switch ((sb_stmt_kind)s->kind) {
    case SB_STMT_ITER:
        sb_machine_iter(m, s);
        break;
    case SB_STMT_BLOCK:
        sb_machine_body(m, s->u.block.body);
        break;
    case SB_STMT_FOR:
        run_for(m, s);
        break;
    case SB_STMT_LET:
        sb_machine_bind(m, s->u.let.var, sb_machine_eval(m, s->u.let.value));
        break;
    case SB_STMT_LOCAL:
        run_local(m, s);
        break;
    case SB_STMT_STORE:
        run_store(m, s);
        break;
    case SB_STMT_IF:
        if (sb_machine_eval(m, s->u.cond.cond).i)
            sb_machine_body(m, s->u.cond.then);
        else
            sb_machine_body(m, s->u.cond.els);
        break;
    case SB_STMT_PREFETCH: /* the indices are read, the place need not exist */
        for (int d = 0; d < s->u.prefetch.n; d++)
            (void)sb_machine_eval(m, s->u.prefetch.idx[d]);
        break;
    }
}

void
sb_machine_body(sb_machine *m, sb_body b)
{
    const int nvar = m->nvar, nbuf = m->nbuf;
    const sb_arena_pos mark = sb_arena_mark(&m->arena);

    for (int q = 0; q < b.n && sb_machine_ok(m); q++)
        run_stmt(m, b.at[q]);
    m->nvar = nvar;
    m->nbuf = nbuf;
    sb_arena_reset(&m->arena, mark);
}

/* ---- program ------------------------------------------------------------------------- */

static void
bind_param(sb_machine *m, const sb_var *v, sb_value given)
{
    const sb_num as_f64 = {0, given.re, given.im};
    sb_num x = as_f64;

    if (v->type == SB_BOOL)
        x.i = given.re != 0.0;
    else if (!sb_dtype_is_complex(v->type))
        x = sb_machine_cast(m, as_f64, SB_F64, v->type);
    else
        x = sb_machine_cast(m, as_f64, SB_C64, v->type);
    sb_machine_bind(m, v, x);
}

static void
check_assumptions(sb_machine *m)
{
    for (int q = 0; q < m->prog->nassume && sb_machine_ok(m); q++) {
        sb_strbuf text;

        if (sb_machine_eval(m, m->prog->assume[q]).i || !sb_machine_ok(m))
            continue;
        sb_strbuf_init(&text);
        sb_expr_print(&text, m->prog->assume[q]);
        sb_machine_fail(m, SB_EINVAL, "assume %s does not hold", text.s);
        sb_strbuf_free(&text);
    }
}

static void
run(sb_machine *m, const sb_interp_args *args)
{
    const sb_prog *p = m->prog;

    for (int q = 0; q < p->nparam; q++)
        bind_param(m, p->param[q], args->param[q]);
    sb_machine_measure_axes(m);
    for (int q = 0; q < p->nbuf && sb_machine_ok(m); q++)
        sb_machine_add_buf(m, p->buf[q], args->buf[q].data, args->buf[q].count);
    check_assumptions(m);
    sb_machine_body(m, p->body);
}

sb_status
sb_interp(const sb_prog *p, const sb_interp_args *args, sb_diag *diag)
{
    sb_status st = sb_prog_verify(p, diag);
    sb_arena arena;
    sb_machine *m;

    if (st != SB_OK)
        return st;
    sb_arena_init(&arena);
    m = sb_arena_alloc_zero(&arena, sizeof *m);
    if (!m) {
        sb_arena_free(&arena);
        return SB_ENOMEM;
    }
    m->prog = p;
    m->diag = diag;
    sb_arena_init(&m->arena);
    run(m, args);
    st = m->st;
    sb_arena_free(&m->arena);
    sb_arena_free(&arena);
    return st;
}
