/*
 * Levels of a format as axes of a program. Levels become axes by their inference:
 *
 *   neither idx nor ptr   dense_fixed: a root of its own behind the last level that has
 *                         a list, else under the level above
 *   idx alone             sparse_fixed; with one child a node fused with the level above
 *   ptr                   dense_variable, with idx sparse_variable
 *
 * A field of records is a dense axis whose index is a gathered load, $L1_idx[.., %e1, 0],
 * the distance of two records being one more dense axis of that buffer. Indices that may
 * be negative count from the level's first one.
 */
#include "kernels/format_writer.h"

#include "formats/fmt_expr.h"

/* ---- facts about levels -------------------------------------------------------------- */

/* The one node of a partitioned level may be any index of it. */
bool
sb_format_level_shifted(const sb_fmt *f, int level)
{
    /* Large and different, so that no quotient or difference is 0 by accident. */
    static const int64_t shape[2] = {(INT64_C(1) << 31) + 11, (INT64_C(1) << 32) + 7};

    if (sb_fmt_expr_indirect(f->level[level]))
        return false;
    for (int q = 0; q < 2; q++) {
        int64_t extent[SB_FMT_DIMS], lo, hi;

        for (int d = 0; d < SB_FMT_DIMS; d++)
            extent[d] = shape[(q + d) % 2];
        sb_fmt_range(&lo, &hi, f, level, extent);
        if (lo != 0)
            return true;
    }
    return level <= f->partition;
}

bool
sb_level_is_plain(const sb_format_writer *w, int q)
{
    return !w->level[q].idx && (!w->level[q].ptr || q == 0);
}

bool
sb_level_has_field(const sb_format_writer *w, int q)
{
    return w->level[q].idx && w->level[q].record;
}

static bool
has_ptr(const sb_format_writer *w, int q)
{
    return w->level[q].ptr && q > 0;
}

/* Explicit, the same number of children everywhere, not one. */
static bool
has_width(const sb_format_writer *w, int q)
{
    return w->level[q].idx && !has_ptr(w, q) && !w->level[q].one && q > 0;
}

bool
sb_level_is_sparse(const sb_format_writer *w, int q)
{
    return w->level[q].idx && !sb_level_has_field(w, q);
}

/* With a base, the ends of a range are given as two lists, because then they count from
 * 0 all the same. */
static bool
has_end(const sb_format_writer *w, int q)
{
    return has_ptr(w, q) && sb_level_is_sparse(w, q) &&
           sb_format_level_shifted(w->f, q);
}

bool
sb_level_is_padded(const sb_format_writer *w, int q)
{
    return w->level[q].idx && (q < w->f->trim_lo || q > w->f->trim_hi);
}

/* Its marks are negative indices, so that the axis can say so. */
static bool
has_padded_axis(const sb_format_writer *w, int q)
{
    return sb_level_is_padded(w, q) && sb_level_is_sparse(w, q) &&
           !sb_format_level_shifted(w->f, q);
}

bool
sb_format_is_exact(const sb_format_writer *w)
{
    const int last = w->f->nlevel - 1;

    return (w->f->trim_hi == last && !(w->f->fill >> last & 1U)) ||
           sb_level_is_padded(w, last);
}

/* The last level of the loop that level q begins. */
int
sb_level_group_end(const sb_format_writer *w, int q)
{
    while (q + 1 < w->f->nlevel && w->level[q + 1].one && w->level[q + 1].idx)
        q++;
    return q;
}

/* Indices of a level of constant size, else 0: a parameter. Level 0 is a parameter, as
 * the tiled loop must be one. */
static int64_t
constant_size(const sb_format_writer *w, int q)
{
    return q > 0 && q > w->f->partition && !w->level[q].run
               ? sb_format_top(w->f->level[q]) + 1
               : 0;
}

/* Is dimension `dim` the index of one level as it is, and which? */
int
sb_format_level_of(const sb_format_writer *w, int dim)
{
    const sb_fmt_expr *e = w->inverse[dim];
    const sb_fmt_expr *l = e->op == SB_FMT_DIM ? w->f->level[e->value] : NULL;

    return l && l->op == SB_FMT_DIM && l->value == dim ? (int)e->value : -1;
}

/* Never below zero, whatever the levels hold. */
bool
sb_format_is_natural(const sb_format_writer *w, const sb_fmt_expr *e)
{
    switch (e->op) {
    case SB_FMT_CONST:
        return e->value >= 0;
    case SB_FMT_DIM:
        return !sb_format_level_shifted(w->f, (int)e->value);
    case SB_FMT_ADD:
    case SB_FMT_MUL:
        return sb_format_is_natural(w, e->a) && sb_format_is_natural(w, e->b);
    case SB_FMT_DIV:
        return sb_format_is_natural(w, e->a);
    case SB_FMT_MOD:
        return true;
    case SB_FMT_SUB:
    case SB_FMT_INDIRECT:
        break;
    }
    return false;
}

bool
sb_format_uses(const sb_format_writer *w, const sb_fmt_expr *e, int level)
{
    if (!e)
        return false;
    if (e->op == SB_FMT_DIM)
        return e->value == level ||
               (sb_level_has_field(w, (int)e->value) && level < e->value);
    return sb_format_uses(w, e->a, level) || sb_format_uses(w, e->b, level);
}

int
sb_format_row_level(const sb_format_writer *w, int dim)
{
    const int q = sb_format_level_of(w, dim);
    const bool loose = q == 0 || q > w->solid;

    return q >= 0 && loose && sb_level_is_plain(w, q) && !w->level[q].run &&
                   w->f->partition < 0 && sb_level_group_end(w, q) == q
               ? q
               : -1;
}

/* ---- expressions --------------------------------------------------------------------- */

/* The index a level stands at. */
static void
put_level(sb_strbuf *out, const sb_format_writer *w, int q)
{
    if (sb_level_has_field(w, q)) {
        sb_strbuf_printf(out, "cast(i64, $L%d_idx[", q);
        for (int p = 0; p <= q; p++)
            sb_strbuf_printf(out, "%%e%d, ", p);
        sb_strbuf_puts(out, "0])");
    } else if (sb_format_level_shifted(w->f, q)) {
        sb_strbuf_printf(out, "(%%e%d + %%L%d_lo)", q, q);
    } else {
        sb_strbuf_printf(out, "%%e%d", q);
    }
}

typedef void (*put_fn)(sb_strbuf *out, const sb_format_writer *w, const sb_fmt_expr *e);

/* Constants and operators; `put` writes the operands. */
static void
put_tree(sb_strbuf *out, const sb_format_writer *w, const sb_fmt_expr *e, put_fn put)
{
    static const char *const text[] = {[SB_FMT_ADD] = " + ",
                                       [SB_FMT_SUB] = " - ",
                                       [SB_FMT_MUL] = " * ",
                                       [SB_FMT_DIV] = " / ",
                                       [SB_FMT_MOD] = " mod "};

    if (e->op == SB_FMT_CONST) {
        sb_strbuf_i64(out, e->value);
        return;
    }
    sb_strbuf_putc(out, '(');
    put(out, w, e->a);
    sb_strbuf_puts(out, text[e->op]);
    put(out, w, e->b);
    sb_strbuf_putc(out, ')');
}

void
sb_format_put_expr(sb_strbuf *out, const sb_format_writer *w, const sb_fmt_expr *e)
{
    if (e->op == SB_FMT_DIM)
        put_level(out, w, (int)e->value);
    else
        put_tree(out, w, e, sb_format_put_expr);
}

/* A level's expression at the slot's coordinates. */
static void
put_forward(sb_strbuf *out, const sb_format_writer *w, const sb_fmt_expr *e)
{
    if (e->op == SB_FMT_DIM)
        sb_strbuf_puts(out, w->coord[e->value].s);
    else
        put_tree(out, w, e, put_forward);
}

static void
put_size(sb_strbuf *out, const sb_format_writer *w, int q)
{
    if (constant_size(w, q) > 0)
        sb_strbuf_i64(out, constant_size(w, q));
    else
        sb_strbuf_printf(out, "%%L%d_size", q);
}

/* Nodes of a level. */
static void
put_nodes(sb_strbuf *out, const sb_format_writer *w, int q)
{
    if (!sb_level_is_plain(w, q)) {
        sb_strbuf_printf(out, "%%L%d_count", q);
        return;
    }
    if (q > 0) {
        put_nodes(out, w, q - 1);
        sb_strbuf_puts(out, " * ");
    }
    put_size(out, w, q);
}

/* ---- declarations -------------------------------------------------------------------- */

static void
put_param(sb_strbuf *out, int q, const char *what)
{
    sb_strbuf_printf(out, "  param %%L%d_%s : i64\n", q, what);
}

static void
put_level_params(const sb_format_writer *w, int q)
{
    if (constant_size(w, q) == 0 &&
        (sb_level_is_plain(w, q) || sb_level_is_sparse(w, q)))
        put_param(w->out, q, "size");
    if (sb_format_level_shifted(w->f, q) &&
        (!sb_level_has_field(w, q) || sb_level_is_padded(w, q)))
        put_param(w->out, q, "lo");
    if (!sb_level_is_plain(w, q))
        put_param(w->out, q, "count");
    if (has_width(w, q))
        put_param(w->out, q, "width");
    if (sb_level_has_field(w, q))
        put_param(w->out, q, "step");
}

/* Pointers and indices that are plain lists. */
static void
put_lists(const sb_format_writer *w, int q)
{
    const char *p = sb_dtype_name(w->ptr), *i = sb_dtype_name(w->idx);

    for (int end = 0; has_ptr(w, q) && end <= has_end(w, q); end++) {
        sb_strbuf_printf(w->out, "  buf $L%d_%s : %s[", q, end ? "end" : "ptr", p);
        put_nodes(w->out, w, q - 1);
        sb_strbuf_puts(w->out, end ? "] aux\n" : " + 1] aux\n");
    }
    if (sb_level_is_sparse(w, q))
        sb_strbuf_printf(w->out, "  buf $L%d_idx : %s[%%L%d_count] aux\n", q, i, q);
}

/* The axis of a level: kind, parent, length. */
static void
put_axis(const sb_format_writer *w, int q)
{
    sb_strbuf *out = w->out;
    const bool sparse = sb_level_is_sparse(w, q), ptr = has_ptr(w, q);
    const bool root = q == 0 || (sb_level_is_plain(w, q) && q > w->solid);

    sb_strbuf_printf(out, "  axis #L%d = %s_%s(", q, sparse ? "sparse" : "dense",
                     ptr ? "variable" : "fixed");
    if (!root)
        sb_strbuf_printf(out, "#L%d, ", q - 1);
    if (sparse || sb_level_is_plain(w, q))
        put_size(out, w, q);
    else
        sb_strbuf_printf(out,
                         w->level[q].one   ? "1"
                         : has_width(w, q) ? "%%L%d_width"
                                           : "%%L%d_count",
                         q);
    if (ptr)
        sb_strbuf_printf(out, ", nnz %%L%d_count, ptr $L%d_ptr", q, q);
    if (has_end(w, q))
        sb_strbuf_printf(out, ", end $L%d_end", q);
    if (!ptr && (sparse || !root)) {
        sb_strbuf_puts(out, ", width ");
        if (sb_level_is_plain(w, q))
            put_size(out, w, q);
        else
            sb_strbuf_printf(out,
                             q == 0            ? "%%L%d_count"
                             : w->level[q].one ? "1"
                                               : "%%L%d_width",
                             q);
    }
    if (sparse)
        sb_strbuf_printf(out, ", crd $L%d_idx", q);
    sb_strbuf_putc(out, ')');
    if (sparse && sb_format_level_shifted(w->f, q))
        sb_strbuf_printf(out, " base %%L%d_lo", q);
    if (sparse && !sb_level_is_padded(w, q)) {
        sb_strbuf_puts(out, w->level[q].sorted ? " sorted" : "");
        sb_strbuf_puts(out, w->level[q].unique ? " unique" : "");
    }
    sb_strbuf_puts(out, has_padded_axis(w, q) ? " padded\n" : "\n");
}

/* A field of the records: all axes so far, and the step between records. */
static void
put_field(const sb_format_writer *w, int q)
{
    sb_strbuf_printf(w->out, "  axis #F%d = dense_fixed(%%L%d_step)\n", q, q);
    sb_strbuf_printf(w->out, "  buf $L%d_idx : %s[", q, sb_dtype_name(w->idx));
    for (int p = 0; p <= q; p++)
        sb_strbuf_printf(w->out, "#L%d, ", p);
    sb_strbuf_printf(w->out, "#F%d] aux\n", q);
}

void
sb_format_put_levels(const sb_format_writer *w, sb_strbuf *over)
{
    const int n = w->f->nlevel;
    const bool packed = sb_fmt_packs_values(w->f);

    for (int q = 0; q < n; q++)
        put_level_params(w, q);
    sb_strbuf_puts(w->out, packed ? "  param %A_step : i64\n" : "");
    for (int q = 0; q < n; q++)
        put_lists(w, q);
    for (int q = 0; q < n; q++) {
        put_axis(w, q);
        if (sb_level_has_field(w, q))
            put_field(w, q);
        sb_strbuf_printf(over, q ? ", #L%d" : "#L%d", q);
    }
    sb_strbuf_puts(w->out, packed ? "  axis #F = dense_fixed(%A_step)\n" : "");
    sb_strbuf_puts(over, packed ? ", #F" : "");
}

/* ---- the iteration ------------------------------------------------------------------- */

void
sb_format_put_group(const sb_format_writer *w, int q)
{
    const int last = sb_level_group_end(w, q);

    sb_strbuf_puts(w->out, last > q ? "{" : "");
    for (int p = q; p <= last; p++) {
        bool spatial = w->spatial == SB_FORMAT_EVERY;

        for (int d = 0; d < w->f->ndim; d++)
            spatial = spatial ||
                      ((w->spatial >> d & 1U) && sb_format_uses(w, w->inverse[d], p));
        sb_strbuf_printf(w->out, "%s%%e%d : %c #L%d", p > q ? ", " : "", p,
                         spatial ? 'S' : 'R', p);
    }
    sb_strbuf_puts(w->out, last > q ? "}" : "");
}

/* "if" before the first test, "&&" before the others. */
static void
begin_test(const sb_format_writer *w, int *tests)
{
    sb_strbuf_puts(w->out, (*tests)++ ? " && " : "    if ");
}

/* The slot is not marked as empty. */
static void
put_mark_tests(const sb_format_writer *w, int *tests)
{
    for (int q = 0; q < w->f->nlevel; q++) {
        if (!sb_level_is_padded(w, q) || has_padded_axis(w, q))
            continue;
        begin_test(w, tests);
        put_level(w->out, w, q);
        if (sb_format_level_shifted(w->f, q))
            sb_strbuf_printf(w->out, " >= %%L%d_lo", q);
        else
            sb_strbuf_puts(w->out, " >= 0");
    }
}

/* The slot lies in the tensor. */
static void
put_extent_tests(const sb_format_writer *w, int *tests)
{
    for (int d = 0; d < w->f->ndim; d++) {
        const char *at = w->coord[d].s;

        if (sb_format_level_of(w, d) >= 0)
            continue;
        begin_test(w, tests);
        sb_strbuf_printf(w->out, "%s < %%%s", at, w->extent[d]);
        if (!sb_format_is_natural(w, w->inverse[d]))
            sb_strbuf_printf(w->out, " && %s >= 0", at);
    }
}

/* The slot is the image of an element. */
static void
put_image_tests(const sb_format_writer *w, int *tests)
{
    for (int q = 0; q < w->f->nlevel; q++) {
        if (sb_fmt_expr_indirect(w->f->level[q]) || sb_format_comes_back(w, q))
            continue;
        begin_test(w, tests);
        put_forward(w->out, w, w->f->level[q]);
        sb_strbuf_puts(w->out, " == ");
        put_level(w->out, w, q);
    }
}

bool
sb_format_put_guard(const sb_format_writer *w, bool zeros)
{
    int tests = 0;

    put_mark_tests(w, &tests);
    if (!sb_format_is_exact(w)) {
        put_extent_tests(w, &tests);
        if (!zeros)
            put_image_tests(w, &tests);
    }
    if (zeros) {
        begin_test(w, &tests);
        sb_strbuf_printf(w->out, "$A[%s] != %s:%s", w->at.s,
                         sb_dtype_is_int(w->value) ? "0" : "0.0",
                         sb_dtype_name(w->value));
    }
    sb_strbuf_puts(w->out, tests ? " {\n" : "");
    return tests > 0;
}

/* ---- the writer ---------------------------------------------------------------------- */

/* The levels, and the step between records. */
_Static_assert(SB_FMT_LEVELS + 1 <= SB_MAXRANK,
               "a tensor's values have that many axes");

sb_status
sb_format_writer_open(sb_format_writer *w, sb_arena *ar)
{
    const sb_fmt *f = w->f;

    for (int d = 0; d < SB_FMT_DIMS; d++)
        sb_strbuf_init(&w->coord[d]);
    sb_strbuf_init(&w->at);
    if (f->npart > 0)
        return sb_diag_set(w->diag, SB_EINVAL,
                           "format %s is a hybrid: its parts have programs", f->name);
    SB_TRY(sb_fmt_inverse(w->inverse, ar, f, w->diag));
    sb_fmt_infer(w->level, f);
    w->solid = f->nlevel - 1;
    while (w->solid >= 0 && sb_level_is_plain(w, w->solid))
        w->solid--;
    for (int d = 0; d < f->ndim; d++)
        sb_format_put_expr(&w->coord[d], w, w->inverse[d]);
    for (int q = 0; q < f->nlevel; q++)
        sb_strbuf_printf(&w->at, q ? ", %%e%d" : "%%e%d", q);
    sb_strbuf_puts(&w->at, sb_fmt_packs_values(f) ? ", 0" : "");
    return SB_OK;
}

sb_status
sb_format_writer_close(sb_format_writer *w)
{
    sb_status st = w->at.st;

    for (int d = 0; d < SB_FMT_DIMS; d++) {
        st = st != SB_OK ? st : w->coord[d].st;
        sb_strbuf_free(&w->coord[d]);
    }
    sb_strbuf_free(&w->at);
    return st != SB_OK ? st : sb_strbuf_status(w->out);
}
