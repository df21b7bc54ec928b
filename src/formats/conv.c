/*
 * Conversion between any two formats (UniSparse, figure 8): align the index maps, change
 * the structure by rewrite rules until it is the target's, lay it out.
 *
 * The paper applies operators on index maps to the source's structure as it is; we take
 * it to a coordinate list first wherever the maps differ, because what Trim, Fill and
 * Merge did to old levels says nothing about new ones. A level is filled or made from a
 * vector only once its parents are there once (rule 10 runs before), and vectors move
 * whole, so the Devectorize and Vectorize around rules 8 and 9 are not needed.
 */
#include "formats/conv_ops.h"

#include "base/alloc.h"
#include "formats/fmt_expr.h"

#include <string.h>

/* ---- Operators ------------------------------------------------------------------ */

typedef struct operator_entry {
    const char *name;
    int nargs;
    sb_status (*run)(sb_conv *cx, const sb_conv_op *op);
} operator_entry;

static const operator_entry operators[] = {
#define X(kind, name, nargs, fn) [SB_CONV_##kind] = {name, nargs, sb_conv_##fn},
#include "formats/conv.def"
#undef X
};

static void
record(sb_conv *cx, const sb_conv_op *op)
{
    const operator_entry *e = &operators[op->kind];

    if (!cx->steps)
        return;
    sb_strbuf_puts(cx->steps, e->name);
    for (int k = 0; k < e->nargs; k++) {
        sb_strbuf_puts(cx->steps, k == 0 ? "(" : ", ");
        if (op->kind == SB_CONV_SCALE && k == 1 && op->arg[2])
            sb_strbuf_puts(cx->steps, "1/");
        sb_strbuf_i64(cx->steps, op->arg[k]);
    }
    sb_strbuf_puts(cx->steps, e->nargs > 0 ? ")\n" : "\n");
}

sb_status
sb_conv_apply(sb_conv *cx, sb_conv_op op)
{
    record(cx, &op);
    return operators[op.kind].run(cx, &op);
}

static sb_status
apply(sb_conv *cx, sb_conv_kind kind, int64_t a, int64_t b)
{
    return sb_conv_apply(cx, (sb_conv_op){.kind = kind, .arg = {a, b, 0}});
}

/* ---- Step 2: structure ---------------------------------------------------------- */

typedef struct goal {
    int start, end, merged;
    unsigned filled;
} goal;

static goal
goal_of(const sb_fmt *f)
{
    goal g = {.start = f->trim_lo, .end = f->trim_hi, .filled = f->fill};

    for (int q = 0; q < f->nlevel; q++)
        if (f->merge >> q & 1)
            g.merged = q + 1;
    if (g.merged < g.start)
        g.merged = g.start;
    return g;
}

/* Rules 6 to 11 of table 2, and two for filled levels, in order of precedence. `moves`
 * answers whether the rule applies; its operators take the level where `at` points plus
 * a distance. */
typedef struct rule {
    const char *name;
    bool (*moves)(const sb_tree *t, const goal *g);
    int noperator;
    struct {
        sb_conv_kind kind;
        int (*at)(const sb_tree *t, const goal *g);
        int distance, gaps;
    } op[2];
} rule;

static int
at_start(const sb_tree *t, const goal *g)
{
    (void)g;
    return t->start;
}

static int
at_end(const sb_tree *t, const goal *g)
{
    (void)g;
    return t->end;
}

static int
at_merged(const sb_tree *t, const goal *g)
{
    (void)g;
    return t->merged;
}

static bool
unfills(const sb_tree *t, const goal *g)
{
    return (t->filled & ~g->filled) != 0;
}

static bool
trims_inner(const sb_tree *t, const goal *g)
{
    return t->end < g->end && t->merged >= t->end;
}

static bool
trims_outer(const sb_tree *t, const goal *g)
{
    return t->start > g->start && g->start >= 0;
}

static bool
fills_outer(const sb_tree *t, const goal *g)
{
    return t->start < g->start && t->merged >= t->start;
}

static bool
fills_inner(const sb_tree *t, const goal *g)
{
    return t->end > g->end && t->merged >= t->end;
}

static bool
merges(const sb_tree *t, const goal *g)
{
    const int want = g->merged < t->end ? g->merged : t->end;

    return t->merged < want || (t->end != g->end && t->merged < t->end) ||
           (t->start < g->start && t->merged < t->start);
}

static bool
splits(const sb_tree *t, const goal *g)
{
    return t->merged > g->merged && t->merged > 0;
}

static int
gap_level(const sb_tree *t, const goal *g)
{
    const unsigned todo = g->filled & ~t->filled;
    int q = 0;

    while (q < t->n && !(todo >> q & 1))
        q++;
    return q;
}

static bool
fills_gaps(const sb_tree *t, const goal *g)
{
    return gap_level(t, g) < t->n;
}

static const rule rules[] = {
    {"gaps", unfills, 1, {{SB_CONV_TRIM, at_end, 0, 0}}},
    {"8",
     trims_inner,
     2,
     {{SB_CONV_DEVECTORIZE, at_end, 1, 0}, {SB_CONV_TRIM, at_end, 0, 0}}},
    {"6", trims_outer, 1, {{SB_CONV_TRIM, at_start, -1, 0}}},
    {"7", fills_outer, 1, {{SB_CONV_FILL, at_start, 0, 0}}},
    {"9",
     fills_inner,
     2,
     {{SB_CONV_FILL, at_end, 0, 0}, {SB_CONV_VECTORIZE, at_end, 0, 0}}},
    {"10", merges, 1, {{SB_CONV_MERGE, at_merged, 0, 0}}},
    {"11", splits, 1, {{SB_CONV_SPLIT, at_merged, -1, 0}}},
    {"gaps", fills_gaps, 1, {{SB_CONV_FILL, gap_level, 0, 1}}},
};

static const rule *
next_rule(const sb_tree *t, const goal *g)
{
    for (int k = 0; k < SB_COUNT(rules); k++)
        if (rules[k].moves(t, g))
            return &rules[k];
    return NULL;
}

static sb_status
reach(sb_conv *cx, const goal *g)
{
    for (const rule *r; (r = next_rule(&cx->t, g)) != NULL;)
        for (int k = 0; k < r->noperator; k++) {
            const int level = r->op[k].at(&cx->t, g) + r->op[k].distance;

            SB_TRY(apply(cx, r->op[k].kind, level, r->op[k].gaps));
        }
    return SB_OK;
}

static sb_status
reach_reference(sb_conv *cx)
{
    const goal g = {.end = cx->t.n - 1};

    return reach(cx, &g);
}

/* ---- Step 1: index maps --------------------------------------------------------- */

static sb_status
run_plan(sb_conv *cx, const sb_conv_plan *p)
{
    int64_t *answer[SB_FMT_QUERIES] = {0};
    sb_status st = SB_OK;

    for (int k = 0; k < p->nfn && st == SB_OK; k++)
        st = sb_conv_query(&answer[k], cx, cx->target->fn[p->fn[k]]);
    for (int k = 0; k < p->nfn; k++) {
        if (st == SB_OK)
            sb_conv_insert(&cx->t, p->fn_level[k], answer[k]);
        else
            sb_free(answer[k]);
    }
    for (int k = 0; k < p->n && st == SB_OK; k++)
        st = sb_conv_apply(cx, p->op[k]);
    return st;
}

/* Ranges of the target's levels; where only the data says, from 0 to the largest. Levels
 * without indices are those of a source of the same map and stay. */
static sb_status
set_ranges(sb_conv *cx)
{
    sb_tree *t = &cx->t;

    for (int q = 0; q < t->n; q++) {
        sb_tree_level *l = &t->at[q];
        int64_t hi;

        sb_fmt_range(&l->lo, &hi, cx->target, q, t->extent);
        if (l->lo == INT64_MIN)
            return sb_diag_set(cx->diag, SB_EINVAL,
                               "level %d has indices beyond 64 bits", q);
        if (hi == 0 && l->lo == 0 && sb_fmt_expr_indirect(cx->target->level[q])) {
            hi = l->idx ? 0 : l->size;
            for (int64_t p = 0; l->idx && p < l->count; p++)
                hi = l->idx[p] >= hi ? l->idx[p] + 1 : hi;
        }
        l->size = hi - l->lo;
    }
    return SB_OK;
}

static sb_status
to_dims(sb_conv *cx, const sb_conv_plan *p)
{
    SB_TRY(reach_reference(cx));
    cx->t.marks = false;
    return run_plan(cx, p);
}

static sb_status
to_levels(sb_conv *cx, const sb_conv_plan *p)
{
    sb_fmt_infer(cx->level, cx->target);
    SB_TRY(run_plan(cx, p));
    SB_TRY(set_ranges(cx));
    return apply(cx, SB_CONV_SORT, 1, 0);
}

/* ---- Step 3: layout ------------------------------------------------------------- */

int64_t
sb_tensor_count(const sb_tensor *t)
{
    const sb_fmt *f = t->fmt;
    const int last = f->nlevel - 1;
    const int64_t n = t->count[last];
    int64_t count = 0;

    if (f->trim_hi == last && !f->fill)
        return n;
    if (!sb_tensor_marks(t, last))
        return sb_tree_nonzeros(t->val.data, t->val.stride, n, t->val_type);
    for (int64_t p = 0; p < n; p++)
        count += sb_tensor_at(&t->idx[last], t->idx_type, p) != sb_tensor_mark(t, last);
    return count;
}

/* From target's levels in any structure to its arrays. */
static sb_status
finish(sb_tensor *out, sb_conv *cx)
{
    const sb_fmt *f = cx->target;
    const goal g = goal_of(f);

    SB_TRY(reach(cx, &g));
    SB_TRY(sb_tree_store(out, &cx->t, f, cx->level, cx->wide, cx->par));
    out->nnz = sb_tensor_count(out);
    cx->out = out;
    if (f->partition >= 0)
        SB_TRY(apply(cx, SB_CONV_PARTITION, f->partition, 0));
    return f->pack_lo >= 0 ? apply(cx, SB_CONV_PACK, f->pack_lo, f->pack_hi) : SB_OK;
}

/* ---- Hybrids -------------------------------------------------------------------- */

/* cx->t: the elements of part arg[0] of cx->whole. */
sb_status
sb_conv_decompose(sb_conv *cx, const sb_conv_op *op)
{
    const sb_tree *w = cx->whole;
    const int64_t n = w->at[0].count;
    const size_t size = sb_dtype_size(w->type);
    sb_tree *t = &cx->t;
    int64_t count = 0, k = 0;

    for (int64_t p = 0; p < n; p++)
        count += cx->part[p] == op->arg[0];
    *t = *w;
    t->elements = count;
    t->val = sb_alloc_array(count, size);
    for (int q = 0; q < t->n; q++) {
        t->at[q].count = count;
        t->at[q].idx = sb_alloc_array(count, sizeof(int64_t));
    }
    for (int q = 0; q < t->n; q++)
        if (!t->at[q].idx || !t->val)
            return SB_ENOMEM;
    for (int64_t p = 0; p < n; p++) {
        if (cx->part[p] != op->arg[0])
            continue;
        for (int q = 0; q < t->n; q++)
            t->at[q].idx[k] = w->at[q].idx[p];
        memcpy((char *)t->val + (size_t)k++ * size, (char *)w->val + (size_t)p * size,
               size);
    }
    return SB_OK;
}

/* Answers become part numbers. */
static void
choose_parts(int64_t *answer, int64_t n, const sb_fmt *f)
{
    for (int64_t p = 0; p < n; p++) {
        int q = 0;

        while (q < f->npart - 1 && answer[p] < f->threshold[q])
            q++;
        answer[p] = q;
    }
}

static sb_status
make_part(sb_tensor *out, const sb_conv *cx, const int64_t *part, int q)
{
    sb_conv sub = {.target = cx->target->part[q],
                   .wide = cx->wide,
                   .par = cx->par,
                   .steps = cx->steps,
                   .diag = cx->diag,
                   .whole = &cx->t,
                   .part = part};
    sb_conv_plan plan;
    sb_status st;

    sb_conv_plan_levels(&plan, sub.target);
    st = apply(&sub, SB_CONV_DECOMPOSE, q, 0);
    if (st == SB_OK)
        st = to_levels(&sub, &plan);
    if (st == SB_OK)
        st = finish(out, &sub);
    sb_tree_free(&sub.t);
    return st;
}

/* From dimensions to the parts of a hybrid. */
static sb_status
make_hybrid(sb_tensor *out, sb_conv *cx)
{
    const sb_fmt *f = cx->target;
    const sb_fmt_fn fn = {.nstep = 1, .step = {f->query}};
    int64_t *part = NULL;
    sb_status st;

    SB_TRY(sb_conv_query(&part, cx, &fn));
    choose_parts(part, cx->t.at[0].count, f);
    memset(out, 0, sizeof *out);
    out->fmt = f;
    out->val_type = cx->t.type;
    memcpy(out->extent, cx->t.extent, sizeof out->extent);
    out->bank = sb_alloc_zero((size_t)f->npart * sizeof *out->bank);
    st = out->bank ? SB_OK : SB_ENOMEM;
    for (int q = 0; q < f->npart && st == SB_OK; q++) {
        out->nbank++;
        st = make_part(&out->bank[q], cx, part, q);
        out->nnz += out->bank[q].nnz;
    }
    if (st == SB_OK) {
        out->idx_type = out->bank[0].idx_type;
        out->ptr_type = out->bank[0].ptr_type;
    }
    sb_free(part);
    return st;
}

/* ---- The algorithm -------------------------------------------------------------- */

/* Elements that are in the right levels, perhaps not in order. */
static sb_status
sort_if_needed(sb_conv *cx)
{
    const sb_tree *t = &cx->t;
    int64_t *order = NULL, twice = -1;

    if (t->merged > 0 || t->start > 0 || t->end < t->n - 1)
        return SB_OK;
    SB_TRY(sb_conv_order(&order, &twice, t, t->n, cx->par));
    sb_free(order);
    return order || twice >= 0 ? apply(cx, SB_CONV_SORT, 0, 0) : SB_OK;
}

/* Every slot is an element, but for marked ones. */
static bool
is_exact(const sb_tree *t, const sb_fmt *f)
{
    const int last = f->nlevel - 1;

    return t->marks || (f->trim_hi == last && !(f->fill >> last & 1));
}

/* Levels stay as they are. */
static sb_status
convert_shape(sb_tensor *out, sb_conv *cx)
{
    sb_fmt_infer(cx->level, cx->target);
    SB_TRY(set_ranges(cx));
    SB_TRY(sort_if_needed(cx));
    return finish(out, cx);
}

/* By way of the dimensions. What is written outside of the tensor is found there. */
static sb_status
convert_elements(sb_tensor *out, sb_conv *cx, const sb_fmt *source, sb_arena *ar)
{
    const bool exact = is_exact(&cx->t, source);
    sb_conv_plan *plan = sb_arena_array(ar, 2, sizeof *plan);

    if (!plan)
        return SB_ENOMEM;
    SB_TRY(sb_conv_plan_dims(&plan[0], ar, source, cx->diag));
    if (cx->target->npart == 0) {
        sb_conv_plan_levels(&plan[1], cx->target);
        if (exact)
            sb_conv_plan_cancel(&plan[0], &plan[1]);
    }
    SB_TRY(to_dims(cx, &plan[0]));
    if (!exact)
        sb_tree_drop_outside(&cx->t);
    if (cx->target->npart > 0)
        return make_hybrid(out, cx);
    SB_TRY(to_levels(cx, &plan[1]));
    return finish(out, cx);
}

static sb_status
convert_tree(sb_tensor *out, sb_conv *cx, const sb_tensor *in, sb_arena *ar)
{
    const bool exact = is_exact(&cx->t, in->fmt);
    sb_status st;

    if (!sb_fmt_same_map(in->fmt, cx->target))
        return convert_elements(out, cx, in->fmt, ar);
    st = convert_shape(out, cx);
    /* Slots that are trimmed now were padding perhaps, with something written into it. */
    if (st != SB_OK || exact || cx->target->trim_hi <= in->fmt->trim_hi)
        return st;
    st = sb_tensor_check(out, NULL);
    if (st != SB_EINVAL)
        return st;
    sb_tensor_free(out);
    sb_tree_free(&cx->t);
    SB_TRY(sb_tree_open(&cx->t, in));
    return convert_elements(out, cx, in->fmt, ar);
}

/* `in` is one tensor, not a list of banks. */
static sb_status
convert_one(sb_tensor *out, const sb_tensor *in, sb_conv *cx)
{
    sb_arena ar;
    sb_status st;

    sb_arena_init(&ar);
    st = sb_tree_open(&cx->t, in);
    if (st == SB_OK)
        st = convert_tree(out, cx, in, &ar);
    sb_tree_free(&cx->t);
    sb_arena_free(&ar);
    if (st == SB_ENOMEM)
        sb_diag_set(cx->diag, st, "out of memory while converting");
    if (st != SB_OK)
        sb_tensor_free(out);
    return st;
}

sb_status
sb_conv_general(sb_tensor *out, const sb_tensor *in, const sb_fmt *target, bool wide,
                const sb_par *par, sb_strbuf *steps, sb_diag *diag)
{
    sb_conv cx = {
        .target = target, .wide = wide, .par = par, .steps = steps, .diag = diag};
    int64_t *coord[SB_FMT_DIMS] = {0}, nnz;
    void *val = NULL;
    sb_status st;

    memset(out, 0, sizeof *out);
    if (in->fmt->ndim != target->ndim)
        return sb_diag_set(diag, SB_EINVAL,
                           "a tensor of %d dimensions in a format of %d", in->fmt->ndim,
                           target->ndim);
    if (!sb_tensor_is_list(in))
        return convert_one(out, in, &cx);
    st = sb_tensor_coords(coord, &val, &nnz, in);
    if (st == SB_OK) {
        sb_tensor_coo coo = {.ndim = target->ndim,
                             .nnz = nnz,
                             .coord = {coord[0], coord[1], coord[2], coord[3]},
                             .val = val,
                             .val_type = in->val_type};
        sb_tensor list;

        memcpy(coo.extent, in->extent, sizeof coo.extent);
        list = sb_tensor_borrow_coo(&coo);
        st = convert_one(out, &list, &cx);
    }
    for (int d = 0; d < SB_FMT_DIMS; d++)
        sb_free(coord[d]);
    sb_free(val);
    return st;
}

sb_status
sb_conv_to_coords(sb_tree *t, const sb_tensor *in)
{
    sb_conv cx = {.target = in->fmt};
    sb_conv_plan *plan;
    sb_arena ar;
    sb_status st = sb_tree_open(&cx.t, in);

    sb_arena_init(&ar);
    plan = sb_arena_alloc(&ar, sizeof *plan);
    if (st == SB_OK)
        st = plan ? sb_conv_plan_dims(plan, &ar, in->fmt, NULL) : SB_ENOMEM;
    if (st == SB_OK)
        st = to_dims(&cx, plan);
    if (st == SB_OK)
        sb_tree_drop_outside(&cx.t);
    else
        sb_tree_free(&cx.t);
    *t = cx.t;
    sb_arena_free(&ar);
    return st;
}
