/*
 * Running steps: every name in a kernel's signature is looked up in the plan, then in
 * the problem. The plan comes first, so a plan may replace A_ptr or base by its own
 * (a transposed structure). Nothing is allocated.
 */
#include "runtime/plan.h"

#include "base/alloc.h"
#include "base/fault.h"
#include "runtime/backend.h"
#include "runtime/slab.h"

#include <string.h>

/* What a name is looked up in. */
typedef struct scope {
    const sb_launch *launch;
    const sb_problem *pb;
    int64_t m, n, k;
    int64_t member; /* of the batch */
    bool add;
    int level; /* of the step */
} scope;

typedef struct name {
    const char *s;
    size_t len;
} name;

static bool
is(name n, const char *text)
{
    return strlen(text) == n.len && memcmp(text, n.s, n.len) == 0;
}

/* The same, and NAME@L in steps of level L. */
static bool
is_own(const scope *sc, name n, const char *text)
{
    const size_t len = strlen(text);

    if (sc->level > 0 && len == n.len + 2 && text[n.len] == '@')
        return memcmp(text, n.s, n.len) == 0 && text[n.len + 1] == '0' + sc->level;
    return is(n, text);
}

/* Next name of a list that ends at ';' or the end. */
static bool
next_name(const char **at, name *out)
{
    const char *s = *at;

    while (*s == ' ')
        s++;
    out->s = s;
    while (*s && *s != ' ' && *s != ';')
        s++;
    out->len = (size_t)(s - out->s);
    *at = s;
    return out->len > 0;
}

/* ---- integers and scalars ------------------------------------------------------------- */

/* Elements of A's arrays: of compressed rows or columns in the host's memory what their offsets
 * say, as kernels may read up to there and a caller may have declared more than he filled. */
static int64_t
elements(const scope *sc)
{
    const sb_matrix *a = &sc->pb->a;
    const int64_t lines = a->format == SB_FORMAT_CSR   ? a->rows
                          : a->format == SB_FORMAT_CSC ? a->cols
                                                       : 0;
    const int64_t b = sb_matrix_block(a), own = a->batch > 1 ? sc->member : 0;
    int64_t filled;

    if (lines == 0 || sc->pb->device)
        return a->nnz * b * b;
    filled = sb_index(a->ptr, a->ptr_type, a->ptr_stride * own + lines) - a->base;
    return filled < a->nnz ? filled : a->nnz;
}

static bool
problem_int(const scope *sc, name n, int64_t *out)
{
    const sb_problem *pb = sc->pb;
    const bool sampled = pb->op == SB_OP_SDDMM;
    const int64_t b = sb_matrix_block(&pb->a);
    const bool turned = sb_problem_turns_blocks(pb);
    const struct {
        const char *text;
        int64_t value;
    } row[] = {
        {"m", sc->m},
        {"n", sc->n},
        {"k", sc->k},
        {"base", pb->a.base},
        {"lda", pb->b.ld}, /* SDDMM: X */
        {"ldb", sampled ? pb->c.ld : pb->b.ld},
        {"ldc", pb->c.ld},
        {"ldx", pb->b.ld},
        {"ldy", pb->c.ld},
        {"block_size", b},
        {"block_row", turned ? 1 : b}, /* elements of a block apart */
        {"block_col", turned ? b : 1},
        {"t0", 0}, /* given with the call */
        {"t1", 0},
    };

    for (size_t q = 0; q < sizeof row / sizeof row[0]; q++) {
        if (is(n, row[q].text)) {
            *out = row[q].value;
            return true;
        }
    }
    if (!is(n, "nnz"))
        return false;
    *out = elements(sc); /* looks at A's offsets, which plans of lists need not have */
    return true;
}

static void
bind_scalar(const scope *sc, bool beta, sb_binding *b, sb_param *out)
{
    const sb_problem *pb = sc->pb;
    const bool is_one = beta && sc->add && !SB_FAULT(BETA_TWICE);
    const void *far = is_one ? NULL : beta ? pb->far_beta : pb->far_alpha;
    const sb_value one = {1, 0};

    if (far) {
        out->i = (int64_t)(uintptr_t)far;
        b->far |= SB_FAULT(GPU_FAR) ? 0 : beta ? 2 : 1;
        return;
    }
    sb_value_store(pb->compute, out, 0, is_one ? one : beta ? pb->beta : pb->alpha);
}

static bool
bind_param(const scope *sc, name n, sb_binding *b, sb_param *out)
{
    const sb_launch *l = sc->launch;

    if (is(n, "alpha") || is(n, "beta")) {
        bind_scalar(sc, n.s[0] == 'b', b, out);
        return true;
    }
    for (int q = 0; q < l->nint; q++) {
        if (is_own(sc, n, l->integer[q].name)) {
            out->i = l->integer[q].value;
            return true;
        }
    }
    return problem_int(sc, n, &out->i);
}

/* ---- arrays -------------------------------------------------------------------------- */

static void *
member_of(const void *data, sb_dtype t, int64_t stride, int64_t member)
{
    return data ? (char *)(uintptr_t)data + stride * member * (int64_t)sb_dtype_size(t)
                : NULL;
}

static void *
dense_member(const sb_dense *d, int64_t member)
{
    return member_of(d->data, d->type, d->batch > 1 ? d->stride : 0, member);
}

static bool
problem_array(const scope *sc, name n, void **out)
{
    const sb_matrix *a = &sc->pb->a;
    const int64_t q = a->batch > 1 ? sc->member : 0;

    if (is(n, "A_ptr"))
        *out = member_of(a->ptr, a->ptr_type, a->ptr_stride, q);
    else if (is(n, "A_crd"))
        *out = member_of(a->idx, a->idx_type, a->idx_stride, q);
    else if (is(n, "A_row"))
        *out = member_of(a->row, a->idx_type, a->idx_stride, q);
    else if (is(n, "A"))
        *out = member_of(a->val, a->val_type, a->val_stride, q);
    else if (is(n, "B") || is(n, "X"))
        *out = dense_member(&sc->pb->b, sc->member);
    else if (is(n, "C") || is(n, "Y"))
        *out = dense_member(&sc->pb->c, sc->member);
    else if (is(n, "tile"))
        *out = (void *)(uintptr_t)sc->launch->tile;
    else
        return false;
    return true;
}

static bool
bind_array(const scope *sc, name n, void **out)
{
    const sb_launch *l = sc->launch;

    for (int q = 0; q < l->narray; q++) {
        if (is_own(sc, n, l->array[q].name)) {
            *out = l->array[q].data;
            return true;
        }
    }
    return problem_array(sc, n, out);
}

static sb_status
bind(sb_binding *b, const scope *sc, const char *spec, const char *at, sb_diag *diag)
{
    name n;

    b->nparam = b->nbuf = 0;
    b->far = 0;
    while (next_name(&at, &n)) {
        if (b->nparam == SB_BIND_MAX || !bind_param(sc, n, b, &b->param[b->nparam++]))
            return sb_diag_set(diag, SB_ENOTSUP,
                               "kernel \"%s\" asks for parameter \"%.*s\", which "
                               "neither plan nor problem has",
                               spec, (int)n.len, n.s);
    }
    if (*at == ';')
        at++;
    while (next_name(&at, &n)) {
        if (b->nbuf == SB_BIND_MAX || !bind_array(sc, n, &b->buf[b->nbuf++]))
            return sb_diag_set(diag, SB_ENOTSUP,
                               "kernel \"%s\" asks for buffer \"%.*s\", which neither "
                               "plan nor problem has",
                               spec, (int)n.len, n.s);
    }
    return SB_OK;
}

/* ---- running --------------------------------------------------------------------------- */

static sb_status
run_step(scope *sc, const sb_step *step, sb_diag *diag)
{
    int64_t hi = step->tile_hi;
    sb_binding b;
    sb_status st;

    sc->add = step->add;
    st = bind(&b, sc, step->kernel->spec, step->kernel->signature, diag);
    if (st != SB_OK)
        return st;
    if (SB_FAULT(LOST_TILE))
        hi--;
    if (hi > step->tile_lo)
        sb_backend_get()->run_tiles(step->kernel, b.buf, b.param, step->tile_lo, hi);
    return SB_OK;
}

sb_status
sb_launch_bind(sb_binding *out, const sb_launch *l, const sb_problem *pb,
               const char *spec, const char *signature, int step, int64_t member,
               sb_diag *diag)
{
    scope sc = {.launch = l,
                .pb = pb,
                .member = member,
                .add = l->step[step].add,
                .level = l->level ? l->level[step] : 0};

    sb_problem_shape(pb, &sc.m, &sc.n, &sc.k);
    return bind(out, &sc, spec, signature, diag);
}

/* Without a buffer: kernels may be for a slab's width alone. */
static sb_status
run_slabs_in_place(const sb_launch *l, const sb_problem *pb, sb_diag *diag)
{
    sb_launch whole = *l;

    whole.slab = 0;
    for (int64_t from = 0; from < pb->c.cols; from += l->slab) {
        const sb_problem one = sb_slab_in_place(pb, from, l->slab);

        SB_TRY(sb_launch_run(&whole, &one, diag));
    }
    return SB_OK;
}

sb_status
sb_launch_run(const sb_launch *l, const sb_problem *pb, sb_diag *diag)
{
    const int64_t batch = pb->batch > 1 ? pb->batch : 1;
    scope sc = {.launch = l, .pb = pb};

    if (l->slab > 0 && sb_slab_fits(pb, l->slab))
        return sb_slab_run(l, pb, diag);
    if (l->slab > 0 && sb_slab_even(pb, l->slab))
        return run_slabs_in_place(l, pb, diag);
    sb_problem_shape(pb, &sc.m, &sc.n, &sc.k);
    for (sc.member = 0; sc.member < batch; sc.member++) {
        for (int q = 0; q < l->nstep; q++) {
            sc.level = l->level ? l->level[q] : 0;
            SB_TRY(run_step(&sc, &l->step[q], diag));
        }
    }
    return SB_OK;
}

sb_status
sb_plan_run(const sb_plan *plan, const sb_problem *pb, sb_diag *diag)
{
    const sb_launch l = {plan->nstep,   plan->step,  plan->tile,
                         plan->narray,  plan->nint,  plan->array,
                         plan->integer, plan->level, plan->slab};

    if (plan->engine)
        return plan->engine->run(plan->state, pb, diag);
    if (plan->nstep == 0)
        return sb_backend_get()->reference(pb, diag);
    return sb_launch_run(&l, pb, diag);
}

void
sb_plan_release(sb_plan *plan)
{
    if (!plan)
        return;
    for (int q = 0; q < plan->narray; q++)
        sb_free(plan->array[q].data);
    if (plan->engine)
        plan->engine->release(plan->state);
    sb_free(plan->tile);
    sb_free(plan->text);
    sb_free(plan->explain);
    sb_free(plan);
}

/* ---- matching ---------------------------------------------------------------------------- */

static bool
same_structure(const sb_matrix *x, const sb_matrix *y)
{
    if (x->ptr != y->ptr || x->idx != y->idx || x->row != y->row ||
        x->tensor != y->tensor)
        return SB_FAULT(STALE_PLAN) != 0;
    return true;
}

static bool
same_matrix(const sb_matrix *x, const sb_matrix *y)
{
    return x->format == y->format && x->rows == y->rows && x->cols == y->cols &&
           x->nnz == y->nnz && x->ptr_type == y->ptr_type &&
           x->idx_type == y->idx_type && x->val_type == y->val_type &&
           x->base == y->base && x->block == y->block && x->width == y->width &&
           x->block_col_major == y->block_col_major && x->batch == y->batch &&
           x->ptr_stride == y->ptr_stride && x->idx_stride == y->idx_stride &&
           x->val_stride == y->val_stride && same_structure(x, y);
}

static bool
same_dense(const sb_dense *x, const sb_dense *y)
{
    return x->rows == y->rows && x->cols == y->cols && x->type == y->type &&
           x->col_major == y->col_major;
}

bool
sb_plan_matches(const sb_plan *plan, const sb_problem *pb)
{
    const sb_problem *key = &plan->key;

    return key->op == pb->op && key->device == pb->device &&
           key->trans_a == pb->trans_a && key->trans_b == pb->trans_b &&
           key->compute == pb->compute && key->batch == pb->batch &&
           same_matrix(&key->a, &pb->a) && same_dense(&key->b, &pb->b) &&
           same_dense(&key->c, &pb->c) &&
           sb_problem_one_column(key) == sb_problem_one_column(pb) &&
           (!plan->values_frozen || key->a.val == pb->a.val);
}
