/*
 * Rows one after the other: of a loop over rows whose entries are taken by `few 16` to `few 256`
 * (emit_few.c) a row begins where the one before it ends, which is in a register. Of `few 16` (64)
 * it is written twice, for the rows behind which four (eight) more entries lie, so that nothing is
 * asked about them, and for the last ones.
 *
 *   for %i in lo .. hi { .. for %p in $ptr[%i] .. $ptr[%i + 1] note(few, 16) { .. } .. }
 *   -> int64_t i_at_ = ptr[lo], i_top_ = hi;
 *      for (i = hi - 1; i >= lo && ptr[i + 1] + 4 > nnz; i--) i_top_ = i;
 *      for (i = lo; i < i_top_; i++) { i_next_ = ptr[i + 1]; .. join(.. i_at_, i_next_ ..); ..
 *                                      i_at_ = i_next_; }
 *      for (i = i_top_; i < hi; i++) { .. join_end(.. ptr[i], ptr[i + 1] ..); .. }
 */
#include "base/macro.h"
#include "compiler/emit.h"

#include "compiler/affine.h"
#include "compiler/rewrite.h"

/* The loop over entries in the body of a loop over rows, which one call a row writes: of a tile
 * that is cut short the last one. */
static const sb_stmt *
entries(const sb_emit *cx, sb_body body)
{
    const sb_stmt *found = NULL;
    int64_t lo, hi;

    for (int q = 0; q < body.n && (!found || cx->cut); q++) {
        const sb_stmt *st = body.at[q], *in = NULL;

        if (st->kind != SB_STMT_FOR)
            continue;
        if (sb_emit_few_of(st) > SB_EMIT_FEW)
            in = st;
        else if (cx->cut || (sb_emit_const_trip(st, &lo, &hi) && hi - lo == 1))
            in = entries(cx, st->u.loop.body);
        found = in ? in : found;
    }
    return found;
}

static const sb_expr *
at(sb_emit *cx, const sb_expr *e, const sb_var *v, int64_t value)
{
    const sb_expr *x =
        sb_expr_subst(cx->ir, e, v, sb_expr_int_typed(cx->ir, v->type, value));

    return x ? sb_expr_simplify(cx->ir, x) : NULL;
}

/* Whether a row begins where the one before it ends: places are affine in the row. */
static bool
follows(sb_emit *cx, const sb_stmt *rows, const sb_expr *lo, const sb_expr *hi)
{
    const sb_var *i = rows->u.loop.var;
    const int64_t some[] = {0, 1, 12345};

    for (int q = 0; q < SB_COUNT(some); q++) {
        const sb_expr *begin = at(cx, lo, i, some[q] + 1);

        if (!begin || begin != at(cx, hi, i, some[q]))
            return false;
    }
    return true;
}

static void
name(sb_emit *cx, const char *before, const sb_stmt *rows, const char *after)
{
    sb_strbuf_puts(cx->out, before);
    sb_emit_var(cx, rows->u.loop.var);
    sb_strbuf_puts(cx->out, after);
}

static void
value(sb_emit *cx, const sb_expr *e, int prec)
{
    e = e ? sb_expr_simplify(cx->ir, sb_expr_i64(cx->ir, e)) : NULL;
    if (e)
        sb_emit_expr(cx, e, prec);
    else
        cx->st = SB_ENOMEM;
}

/* One of a loop's own variables. */
static void
put_int(sb_emit *cx, const char *type, const sb_stmt *rows, const char *is,
        const sb_expr *e)
{
    sb_emit_line(cx);
    name(cx, type, rows, is);
    value(cx, e, 0);
    sb_strbuf_puts(cx->out, ";\n");
}

/* i_top_: the first row that the arrays may end too early for. */
static void
put_top(sb_emit *cx, const sb_stmt *rows, const sb_expr *hi, const sb_expr *end,
        int reads)
{
    sb_emit_line(cx);
    name(cx, "for (int64_t ", rows, " = ");
    name(cx, "", rows, "_top_ - 1; ");
    name(cx, "", rows, " >= ");
    value(cx, rows->u.loop.lo, 5);
    sb_strbuf_puts(cx->out, " && ");
    value(cx, hi, 7);
    sb_strbuf_printf(cx->out, " + %d > ", reads);
    value(cx, end, 5);
    name(cx, "; ", rows, "--)\n");
    cx->indent++;
    sb_emit_line(cx);
    cx->indent--;
    name(cx, "", rows, "_top_ = ");
    name(cx, "", rows, ";\n");
}

/* One of the two loops. Where the next row begins has a name, for compilers would read it
 * again behind the store to C. */
static void
put_rows(sb_emit *cx, const sb_stmt *rows, const sb_expr *next)
{
    sb_emit_line(cx);
    name(cx, "for (int64_t ", rows, " = ");
    if (cx->joined)
        value(cx, rows->u.loop.lo, 0);
    else
        name(cx, "", rows, "_top_");
    name(cx, ", ", rows, "_hi_ = ");
    if (cx->joined)
        name(cx, "", rows, "_top_");
    else
        value(cx, rows->u.loop.hi, 0);
    name(cx, "; ", rows, " < ");
    name(cx, "", rows, "_hi_; ");
    name(cx, "", rows, "++) {\n");
    cx->indent++;
    if (next)
        put_int(cx, "const int64_t ", rows, "_next_ = ", next);
    sb_emit_body(cx, rows->u.loop.body);
    if (next) {
        sb_emit_line(cx);
        name(cx, "", rows, "_at_ = ");
        name(cx, "", rows, "_next_;\n");
    }
    cx->indent--;
    sb_emit_line(cx);
    sb_strbuf_puts(cx->out, "}\n");
}

bool
sb_emit_join(sb_emit *cx, const sb_stmt *rows)
{
    const sb_stmt *st = cx->joined ? NULL : entries(cx, rows->u.loop.body);
    const sb_var *i = rows->u.loop.var;
    const sb_expr *lo, *hi;
    int reads;

    if (!st || rows->u.loop.how == SB_LOOP_VECTOR ||
        rows->u.loop.how == SB_LOOP_UNROLL || i->type != SB_I64 ||
        !sb_emit_few_ends(cx, st, &lo, &hi) || !follows(cx, rows, lo, hi))
        return false;
    put_int(cx, "int64_t ", rows, "_top_ = ", rows->u.loop.hi);
    reads = sb_emit_few_reads(sb_emit_few_of(st));
    if (reads)
        put_top(cx, rows, hi, sb_emit_few_end(st), reads);
    put_int(cx, "int64_t ", rows,
            "_at_ = ", sb_expr_subst(cx->ir, lo, i, rows->u.loop.lo));
    cx->joined = st;
    cx->rows = rows;
    put_rows(cx, rows, hi);
    cx->joined = cx->rows = NULL;
    if (reads)
        put_rows(cx, rows, NULL);
    return true;
}
