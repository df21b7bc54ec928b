/*
 * What kernels are called with. Every name in a signature is looked up in the plan, then in the
 * problem: the plan comes first, so a plan may replace A_ptr or base by its own (a transposed
 * structure). Found once, a name is a number: looking them up took half of a small product's
 * time (docs/design.md).
 */
#include "base/alloc.h"
#include "base/fault.h"
#include "runtime/plan.h"
#include "runtime/target.h"

#include <string.h>

/* ---- names ------------------------------------------------------------------------------ */

/* Parameters of a problem, by the names below; those of the launch follow. */
enum {
    OF_ALPHA,
    OF_BETA,
    OF_M,
    OF_N,
    OF_K,
    OF_NNZ,
    OF_BASE,
    OF_LDA, /* SDDMM: X */
    OF_LDB,
    OF_LDC,
    OF_LDX,
    OF_LDY,
    OF_BLOCK_SIZE,
    OF_BLOCK_ROW, /* elements of a block apart */
    OF_BLOCK_COL,
    OF_LAST,  /* the launch's */
    OF_AHEAD, /* entries of A that kernels ask for ahead, 0: none */
    OF_T0,    /* given with the call */
    OF_T1,
    OWN_INT
};
static const char *const params[OWN_INT] = {
    "alpha",     "beta", "m",     "n",   "k",   "nnz",        "base",
    "lda",       "ldb",  "ldc",   "ldx", "ldy", "block_size", "block_row",
    "block_col", "last", "ahead", "t0",  "t1"};

/* The same of arrays. */
enum { OF_PTR, OF_CRD, OF_ROW, OF_A, OF_B, OF_X, OF_C, OF_Y, OF_TILE, OWN_ARRAY };
static const char *const arrays[OWN_ARRAY] = {"A_ptr", "A_crd", "A_row", "A",   "B",
                                              "X",     "C",     "Y",     "tile"};

_Static_assert(OWN_INT + SB_PLAN_MAX_INTS <= UINT8_MAX &&
                   OWN_ARRAY + SB_PLAN_MAX_ARRAYS <= UINT8_MAX,
               "a source is a byte");

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
is_own(int level, name n, const char *text)
{
    const size_t len = strlen(text);

    if (level > 0 && len == n.len + 2 && text[n.len] == '@')
        return memcmp(text, n.s, n.len) == 0 && text[n.len + 1] == '0' + level;
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

/* -1: nowhere. alpha and beta are never the launch's. */
static int
param_source(const sb_launch *l, int level, name n)
{
    if (is(n, params[OF_ALPHA]) || is(n, params[OF_BETA]))
        return n.s[0] == 'b' ? OF_BETA : OF_ALPHA;
    for (int q = 0; q < l->nint; q++)
        if (is_own(level, n, l->integer[q].name))
            return OWN_INT + q;
    for (int q = 0; q < OWN_INT; q++)
        if (is(n, params[q]))
            return q;
    return -1;
}

static int
array_source(const sb_launch *l, int level, name n)
{
    for (int q = 0; q < l->narray; q++)
        if (is_own(level, n, l->array[q].name))
            return OWN_ARRAY + q;
    for (int q = 0; q < OWN_ARRAY; q++)
        if (is(n, arrays[q]))
            return q;
    return -1;
}

static sb_status
unknown(const char *spec, const char *what, name n, sb_diag *diag)
{
    return sb_diag_set(diag, SB_ENOTSUP,
                       "kernel \"%s\" asks for %s \"%.*s\", which neither plan nor "
                       "problem has",
                       spec, what, (int)n.len, n.s);
}

/* Sources of a signature's names in a step of that level. */
static sb_status
look_up(sb_sources *out, const sb_launch *l, int level, const char *spec,
        const char *at, sb_diag *diag)
{
    name n;

    out->nparam = out->nbuf = 0;
    while (next_name(&at, &n)) {
        const int from = param_source(l, level, n);

        if (from < 0 || out->nparam == SB_BIND_MAX)
            return unknown(spec, "parameter", n, diag);
        out->param[out->nparam++] = (uint8_t)from;
    }
    if (*at == ';')
        at++;
    while (next_name(&at, &n)) {
        const int from = array_source(l, level, n);

        if (from < 0 || out->nbuf == SB_BIND_MAX)
            return unknown(spec, "buffer", n, diag);
        out->buf[out->nbuf++] = (uint8_t)from;
    }
    return SB_OK;
}

/* ---- values ----------------------------------------------------------------------------- */

/* What sources are read from. */
typedef struct scope {
    const sb_launch *launch;
    const sb_problem *pb;
    int64_t m, n, k;
    int64_t member; /* of the batch */
    bool add;
} scope;

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

static int64_t
ahead(const scope *sc)
{
    const sb_matrix *a = &sc->pb->a;
    const size_t value = sb_dtype_size(a->val_type);
    const size_t entry = value + sb_dtype_size(a->idx_type);
    const size_t x = sb_dtype_size(sc->pb->b.type);

    return sb_target_ahead(sb_target_get(), (double)elements(sc) * (double)entry, value,
                           sc->pb->op == SB_OP_SPMV ? (double)sc->k * (double)x : 0);
}

static int64_t
integer(const scope *sc, int from)
{
    const sb_problem *pb = sc->pb;

    switch (from) {
    case OF_M:
        return sc->m;
    case OF_N:
        return sc->n;
    case OF_K:
        return sc->k;
    case OF_NNZ: /* looks at A's offsets, as OF_AHEAD does, which plans of lists need not have */
        return elements(sc);
    case OF_BASE:
        return pb->a.base;
    case OF_LDA:
    case OF_LDX:
        return pb->b.ld;
    case OF_LDB:
        return pb->op == SB_OP_SDDMM ? pb->c.ld : pb->b.ld;
    case OF_LDC:
    case OF_LDY:
        return pb->c.ld;
    case OF_BLOCK_SIZE:
        return sb_matrix_block(&pb->a);
    case OF_BLOCK_ROW:
        return sb_problem_turns_blocks(pb) ? 1 : sb_matrix_block(&pb->a);
    case OF_BLOCK_COL:
        return sb_problem_turns_blocks(pb) ? sb_matrix_block(&pb->a) : 1;
    case OF_LAST:
        return sc->launch->last;
    case OF_AHEAD:
        return ahead(sc);
    case OF_T0:
    case OF_T1:
        return 0;
    default:
        return sc->launch->integer[from - OWN_INT].value;
    }
}

static void
scalar(const scope *sc, bool beta, sb_binding *b, sb_param *out)
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

static void *
array(const scope *sc, int from)
{
    const sb_matrix *a = &sc->pb->a;
    const int64_t q = a->batch > 1 ? sc->member : 0;

    switch (from) {
    case OF_PTR:
        return member_of(a->ptr, a->ptr_type, a->ptr_stride, q);
    case OF_CRD:
        return member_of(a->idx, a->idx_type, a->idx_stride, q);
    case OF_ROW:
        return member_of(a->row, a->idx_type, a->idx_stride, q);
    case OF_A:
        return member_of(a->val, a->val_type, a->val_stride, q);
    case OF_B:
    case OF_X:
        return dense_member(&sc->pb->b, sc->member);
    case OF_C:
    case OF_Y:
        return dense_member(&sc->pb->c, sc->member);
    case OF_TILE:
        return (void *)(uintptr_t)sc->launch->tile;
    default:
        return sc->launch->array[from - OWN_ARRAY].data;
    }
}

static void
read_all(sb_binding *b, const scope *sc, const sb_sources *from)
{
    b->nparam = from->nparam;
    b->nbuf = from->nbuf;
    b->far = 0;
    for (int q = 0; q < from->nparam; q++)
        if (from->param[q] <= OF_BETA)
            scalar(sc, from->param[q] == OF_BETA, b, &b->param[q]);
        else
            b->param[q].i = integer(sc, from->param[q]);
    for (int q = 0; q < from->nbuf; q++)
        b->buf[q] = array(sc, from->buf[q]);
}

/* ---- what is known already ---------------------------------------------------------------- */

void
sb_plan_name_sources(sb_plan *plan)
{
    const sb_launch l = sb_plan_launch(plan);

    sb_free(plan->source);
    plan->source = sb_alloc_array(plan->nstep, sizeof *plan->source);
    for (int q = 0; plan->source && q < plan->nstep; q++) {
        const sb_kernel *k = plan->step[q].kernel;

        if (look_up(&plan->source[q], &l, plan->level[q], k->spec, k->signature,
                    NULL) != SB_OK) {
            sb_free(plan->source);
            plan->source = NULL;
        }
    }
}

/* Of kernels that calls without a plan use, by each thread. */
enum { RECENT = 8 };
typedef struct recent {
    const sb_kernel *kernel; /* with this key and this signature */
    sb_hash key;
    const char *signature;
    sb_sources source;
} recent;

static const sb_sources *
recent_sources(const sb_launch *l, const sb_kernel *k)
{
    static _Thread_local recent table[RECENT];
    recent *r = &table[k->key.a % RECENT];

    if (r->kernel == k && sb_hash_equal(r->key, k->key) && r->signature == k->signature)
        return &r->source;
    r->kernel = NULL;
    if (look_up(&r->source, l, 0, k->spec, k->signature, NULL) != SB_OK)
        return NULL;
    r->kernel = k;
    r->key = k->key;
    r->signature = k->signature;
    return &r->source;
}

sb_status
sb_launch_bind(sb_binding *out, const sb_launch *l, const sb_problem *pb,
               const char *spec, const char *signature, int step, int64_t member,
               sb_diag *diag)
{
    const sb_kernel *k = l->step[step].kernel;
    const bool by_kernel = k && k->signature == signature;
    const sb_sources *from = NULL;
    sb_sources found;
    scope sc = {.launch = l, .pb = pb, .member = member, .add = l->step[step].add};

    sb_problem_shape(pb, &sc.m, &sc.n, &sc.k);
    if (by_kernel && l->source)
        from = &l->source[step];
    else if (by_kernel && l->nint == 0 && l->narray == 0)
        from = recent_sources(l, k);
    if (!from) {
        SB_TRY(
            look_up(&found, l, l->level ? l->level[step] : 0, spec, signature, diag));
        from = &found;
    }
    read_all(out, &sc, from);
    return SB_OK;
}
