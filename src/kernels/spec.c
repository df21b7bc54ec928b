/*
 * A spec as one line of text, both ways, and the rules a spec must keep. The line names
 * a kernel in every cache, so one spec has exactly one spelling: the reader accepts
 * what the printer writes and nothing else.
 *
 *   OP KIND[+KIND...] AABBCC/COMPUTE PTRIDX LL [ca] [cb] [cc] [bN] [turned] [packed]
 *   [narrow] [one] tN|xN pN [uN] [nt] [gN] [vN] [sN] [mma|tf32|tf32x3] [even]
 */
#include "kernels/spec.h"

#include "kernels/ops.h"
#include "kernels/recipe.h"
#include "kernels/sample.h"

#include <stdio.h>
#include <string.h>

enum {
    TILE_MAX = 1024,
    PREFETCH_MAX = 64,
    UNROLL_MAX = 256,
    LANES_MAX = 32,
    VEC_MAX = 8,
    WINDOW_MAX = 8,
    UBCSR_ROWS = 4, /* as src/formats/part.h: SB_UBCSR_ROWS */
    STAGE_MAX = 64,
    MMA_SUMS = 512, /* of a warp; more do not fit its registers */
    OP_COUNT = 3
};

static const char *const mma_text[] = {"", " mma", " tf32", " tf32x3"};

/* ---- printing ------------------------------------------------------------------- */

/* Appends to a fixed array; `full` is set when something did not fit. */
typedef struct line {
    char *s;
    size_t len, size;
    bool full;
} line;

static void
put(line *l, const char *text)
{
    const size_t n = strlen(text);

    if (l->full || l->len + n >= l->size) {
        l->full = true;
        return;
    }
    memcpy(l->s + l->len, text, n + 1);
    l->len += n;
}

static void
put_number(line *l, const char *prefix, int v)
{
    char text[32];

    (void)snprintf(text, sizeof text, " %s%d", prefix, v);
    put(l, text);
}

static void
put_kinds(line *l, unsigned kinds)
{
    const char *sep = " ";

    for (int q = 0; q < SB_KIND_COUNT; q++) {
        if (!(kinds >> q & 1U))
            continue;
        put(l, sep);
        put(l, sb_recipe_get(q)->name);
        sep = "+";
    }
}

static void
put_types(line *l, const sb_spec *s)
{
    put(l, " ");
    put(l, sb_dtype_name(s->a));
    put(l, sb_dtype_name(s->b));
    put(l, sb_dtype_name(s->c));
    put(l, "/");
    put(l, sb_dtype_name(s->compute));
    put(l, " ");
    put(l, sb_dtype_name(s->ptr));
    put(l, sb_dtype_name(s->idx));
}

sb_status
sb_spec_print(char *out, size_t size, const sb_spec *s)
{
    line l = {out, 0, size, false};
    const sb_status st = sb_spec_check(s, NULL);

    if (st != SB_OK)
        return st;
    put(&l, sb_ops_name(s->op));
    put_kinds(&l, s->kinds);
    put_types(&l, s);
    put(&l, s->b_col ? " c" : " r");
    put(&l, s->c_col ? "c" : "r");
    put(&l, s->a_conj ? " ca" : "");
    put(&l, s->b_conj ? " cb" : "");
    put(&l, s->c_conj ? " cc" : "");
    if (s->block > 0)
        put_number(&l, "b", s->block);
    put(&l, s->turned ? " turned" : "");
    put(&l, s->packed ? " packed" : "");
    put(&l, s->narrow ? " narrow" : "");
    put(&l, s->one ? " one" : "");
    put_number(&l, s->exact ? "x" : "t", s->tile);
    put_number(&l, "p", s->prefetch);
    if (s->unroll > 1)
        put_number(&l, "u", s->unroll);
    put(&l, s->stream ? " nt" : "");
    if (s->lanes > 0)
        put_number(&l, "g", s->lanes);
    if (s->vec > 1)
        put_number(&l, "v", s->vec);
    if (s->stage > 0)
        put_number(&l, "s", s->stage);
    put(&l, mma_text[s->mma]);
    put(&l, s->even ? " even" : "");
    return l.full ? SB_EINVAL : SB_OK;
}

/* ---- the rules ------------------------------------------------------------------ */

/* Operands go into the computation without losing their kind: complex needs complex,
 * integers may be summed as integers or as reals, reals never as integers. */
static bool
types_fit(const sb_spec *s)
{
    const sb_dtype t[3] = {s->a, s->b, s->c};

    for (int i = 0; i < 3; i++) {
        if (sb_dtype_is_complex(t[i]) != sb_dtype_is_complex(s->compute))
            return false;
        if (sb_dtype_is_int(s->compute) && !sb_dtype_is_int(t[i]))
            return false;
        if (t[i] == SB_BOOL || t[i] == SB_I16 || t[i] == SB_I64)
            return false;
    }
    switch (s->compute) {
    case SB_I32:
    case SB_F32:
    case SB_F64:
    case SB_C32:
    case SB_C64:
        return true;
    default:
        return false;
    }
}

bool
sb_spec_ranged(const sb_spec *s)
{
    const int most = s->a == SB_F32 ? 6 : s->a == SB_F64 ? 8 : 0;

    return s->kinds == 1U << SB_KIND_HDIA && !s->packed && s->a == s->compute &&
           s->block >= most / 2 && s->block <= most &&
           (s->a == SB_F32 || s->block % 2 == 0);
}

/* Masks of several rows, whose sums are made together: as many lanes as the longest register
 * has, which of doubles gains nothing (docs/measured/spmv-masks.md, Masks on Zen 4). */
static bool
joined(const sb_spec *s)
{
    return s->kinds == 1U << SB_KIND_MASK && s->block > 1 && s->unroll == 4 &&
           s->compute == SB_F32;
}

/* Groups whose rows have eight lanes and read beyond their last entry, or whose vectors go on from
 * row to row: sums of 32 and 64 bits, those of operands that are computed with as they are. */
static bool
doubled(const sb_spec *s)
{
    const bool real = s->compute == SB_F32 || s->compute == SB_F64;

    return s->kinds == 1U << SB_KIND_SEG && s->tile == 4 && real &&
           (s->unroll == 2 || (s->unroll == SB_SPEC_FLOW && s->a == s->compute &&
                               s->b == s->compute && s->lanes == 0));
}

/* Windows whose rows have eight lanes for sixteen, and listed rows, which do not ask. */
static bool
halved(const sb_spec *s)
{
    return (s->kinds & ~(1U << SB_KIND_ROWS)) == 1U << SB_KIND_WIN && s->unroll == 2 &&
           sb_dtype_is_real(s->compute) && s->lanes == 0;
}

/* Unaligned blocks, whose columns are `unroll`. */
static bool
unaligned(const sb_spec *s)
{
    return s->kinds == 1U << SB_KIND_UBCSR && s->packed && s->lanes == 0 &&
           !sb_dtype_is_complex(s->compute) && (s->unroll == 4 || s->unroll == 8) &&
           s->block <= UBCSR_ROWS;
}

static sb_status
check_kinds(const sb_spec *s, sb_diag *diag)
{
    const unsigned packable =
        1U << SB_KIND_ELL | 1U << SB_KIND_BSR | 1U << SB_KIND_DIA | 1U << SB_KIND_SELL |
        1U << SB_KIND_PANEL | 1U << SB_KIND_BLOCKS | 1U << SB_KIND_SHARE |
        1U << SB_KIND_HDIA | 1U << SB_KIND_PICK | 1U << SB_KIND_UBCSR;
    const bool bsr = s->kinds >> SB_KIND_BSR & 1U, win = s->kinds >> SB_KIND_WIN & 1U;
    const bool mask = s->kinds >> SB_KIND_MASK & 1U,
               share = s->kinds >> SB_KIND_SHARE & 1U;
    const bool blocks = s->kinds >> SB_KIND_BLOCKS & 1U;
    const bool ubcsr = s->kinds >> SB_KIND_UBCSR & 1U;
    const bool looked = s->kinds == 1U << SB_KIND_HDIA && s->block > 0;
    const int most = win || share || mask || ubcsr ? WINDOW_MAX : SB_SPEC_BLOCK_MAX;

    if (s->kinds == 0 || s->kinds >> SB_KIND_COUNT)
        return sb_diag_set(diag, SB_EINVAL, "spec: no such set of part kinds");
    for (int q = 0; q < SB_KIND_COUNT; q++) {
        const sb_recipe *r = sb_recipe_get(q);

        if ((s->kinds >> q & 1U) && !(sb_sample_grouped(s) && r->sample) &&
            !((s->mma ? r->ops | r->tensor : r->ops) >> s->op & 1U))
            return sb_diag_set(diag, SB_ENOTSUP, "spec: %s has no %s kernel", r->name,
                               sb_ops_name(s->op));
    }
    if (bsr + win + share + mask + blocks + ubcsr > 1)
        return sb_diag_set(
            diag, SB_EINVAL,
            "spec: of bsr, win, share, mask, blocks and ubcsr a set holds one");
    if (looked && !sb_spec_ranged(s))
        return sb_diag_set(
            diag, SB_EINVAL,
            "spec: hdia in place looks values up in 3 to 6 ranges of f32 "
            "or 4, 6 or 8 of f64");
    if ((bsr || win || share || mask || blocks || ubcsr || looked) != (s->block > 0) ||
        s->block < 0 || s->block > most)
        return sb_diag_set(diag, SB_EINVAL,
                           "spec: block size %d; bsr, win, share, mask, blocks and "
                           "ubcsr need 1 to %d, "
                           "others none",
                           s->block, most);
    if (share && s->op == SB_KOP_SPMV &&
        (!s->packed || s->lanes > 0 || sb_dtype_is_complex(s->compute)))
        return sb_diag_set(
            diag, SB_ENOTSUP,
            "spec: share has SpMV packed, on a CPU, not of complex types");
    if (ubcsr && !unaligned(s))
        return sb_diag_set(
            diag, SB_ENOTSUP,
            "spec: ubcsr has SpMV packed, on a CPU, not of complex types, "
            "in blocks of 4 or 8 columns and up to 4 rows");
    if (s->turned && !(blocks && s->block > 1))
        return sb_diag_set(diag, SB_EINVAL,
                           "spec: turned blocks need a size, 2 or more");
    if (s->packed && !(s->kinds & packable))
        return sb_diag_set(diag, SB_EINVAL, "spec: no kind of the set packs values");
    if ((s->narrow || s->one) && s->kinds != 1U << SB_KIND_SELL)
        return sb_diag_set(diag, SB_EINVAL,
                           "spec: narrow columns and one value are sell's");
    if (s->one && !s->packed)
        return sb_diag_set(diag, SB_EINVAL, "spec: one value is a packed one");
    return SB_OK;
}

/* The factors are B and A, of SDDMM X and Y. */
static bool
mma_types(const sb_spec *s)
{
    const sb_dtype other = s->op == SB_KOP_SDDMM ? s->c : s->a;
    const bool half = s->b == SB_F16 || s->b == SB_BF16;

    return s->b == other && s->compute == SB_F32 &&
           (s->mma == SB_MMA_HALF ? half : s->b == SB_F32);
}

/* Blocks, and columns that all rows of a window hold: nothing there is padding. */
static sb_status
check_mma(const sb_spec *s, sb_diag *diag)
{
    const bool share = s->kinds >> SB_KIND_SHARE & 1U,
               bsr = s->kinds >> SB_KIND_BSR & 1U, sddmm = s->op == SB_KOP_SDDMM;
    const int most = s->b_col ? MMA_SUMS / 2 : MMA_SUMS;

    if (s->mma == SB_MMA_NONE)
        return SB_OK;
    if (!mma_types(s))
        return sb_diag_set(diag, SB_EINVAL,
                           "spec: tensor cores multiply f16 or bf16, tf32 f32, and sum "
                           "in f32");
    if (s->lanes != 32 || s->op == SB_KOP_SPMV || s->exact ||
        (s->tile != 16 && s->tile != 32 && s->tile != 64) ||
        (!sddmm && s->tile * s->block > most) || (sddmm && s->packed))
        return sb_diag_set(diag, SB_EINVAL,
                           "spec: tensor cores take 32 lanes and 16, 32 or 64 columns "
                           "of SpMM, up to %d sums, or SDDMM",
                           most);
    if (!(share && s->block == 8) &&
        !(bsr && (s->block == 8 || s->block == 16 || s->block == 32)))
        return sb_diag_set(diag, SB_EINVAL,
                           "spec: tensor cores take share b8 and bsr b8, b16 or b32");
    return SB_OK;
}

static sb_status
check_lanes(const sb_spec *s, sb_diag *diag)
{
    if (s->lanes < 0 || s->lanes > LANES_MAX || (s->lanes & (s->lanes - 1)) != 0)
        return sb_diag_set(diag, SB_EINVAL, "spec: lanes %d: a power of two to %d",
                           s->lanes, (int)LANES_MAX);
    if (s->vec < 0 || s->vec > VEC_MAX || (s->vec & (s->vec - 1)) != 0 ||
        (s->vec > 1 && (s->op != SB_KOP_SPMM || s->lanes == 0 ||
                        (s->tile % (s->lanes * s->vec) != 0 && !s->mma))))
        return sb_diag_set(
            diag, SB_EINVAL,
            "spec: vectors of %d: a power of two to %d, of SpMM on a GPU, "
            "tiles of whole ones",
            s->vec, (int)VEC_MAX);
    if (s->even && (s->lanes == 0 || (s->kinds & (s->kinds - 1)) != 0 ||
                    !(s->kinds & (1U << SB_KIND_CSR | 1U << SB_KIND_BLOCKS |
                                  1U << SB_KIND_LIST | 1U << SB_KIND_RANGE |
                                  1U << SB_KIND_CARRY | 1U << SB_KIND_WHOLE))))
        return sb_diag_set(
            diag, SB_EINVAL,
            "spec: even tiles are a GPU's, of csr, blocks, list, range, carry "
            "or whole alone");
    if (s->lanes > 0 && (s->prefetch || s->stream))
        return sb_diag_set(diag, SB_EINVAL,
                           "spec: prefetch and streaming are the CPU's");
    if (s->stage < 0 || s->stage > STAGE_MAX || (s->stage & (s->stage - 1)) != 0 ||
        (s->stage > 0 &&
         (s->lanes == 0 || s->mma || !(s->kinds >> SB_KIND_SHARE & 1U))))
        return sb_diag_set(
            diag, SB_EINVAL,
            "spec: stages of %d: a power of two to %d, of share on a GPU "
            "without tensor cores",
            s->stage, (int)STAGE_MAX);
    return check_mma(s, diag);
}

/* SDDMM in groups writes its own, of rows and of windows: a list of columns says what comes. */
static bool
asks_ahead(const sb_spec *s)
{
    return sb_sample_grouped(s) && !s->stream &&
           (s->kinds == 1U << SB_KIND_CSR || s->kinds >> SB_KIND_WIN & 1) &&
           s->prefetch >= SB_PREFETCH_WHOLE;
}

sb_status
sb_spec_check(const sb_spec *s, sb_diag *diag)
{
    const sb_status st = (unsigned)s->op < OP_COUNT
                             ? check_kinds(s, diag)
                             : sb_diag_set(diag, SB_EINVAL, "spec: no such operation");

    if (st != SB_OK)
        return st;
    if (!types_fit(s))
        return sb_diag_set(diag, SB_ENOTSUP,
                           "spec: element types do not go with compute type %s",
                           sb_dtype_name(s->compute));
    if ((s->ptr != SB_I32 && s->ptr != SB_I64) ||
        (s->idx != SB_I32 && s->idx != SB_I64))
        return sb_diag_set(diag, SB_EINVAL, "spec: index types are i32 or i64");
    if ((s->a_conj || s->b_conj || s->c_conj) && !sb_dtype_is_complex(s->compute))
        return sb_diag_set(diag, SB_EINVAL, "spec: conjugation needs complex types");
    if (s->op == SB_KOP_SDDMM ? s->a_conj : s->c_conj)
        return sb_diag_set(diag, SB_EINVAL, "spec: what is written is not conjugated");
    if (s->tile < 1 || s->tile > TILE_MAX)
        return sb_diag_set(diag, SB_EINVAL, "spec: tile %d is not in 1 to %d", s->tile,
                           (int)TILE_MAX);
    if (s->prefetch < 0 || s->prefetch > PREFETCH_MAX)
        return sb_diag_set(diag, SB_EINVAL, "spec: prefetch %d is not in 0 to %d",
                           s->prefetch, (int)PREFETCH_MAX);
    if (s->unroll < 0 || s->unroll > UNROLL_MAX || (s->unroll & (s->unroll - 1)) != 0)
        return sb_diag_set(diag, SB_EINVAL, "spec: unroll %d: a power of two to %d",
                           s->unroll, (int)UNROLL_MAX);
    if (s->op == SB_KOP_SDDMM && s->unroll > SB_SPEC_FEW)
        return sb_diag_set(diag, SB_EINVAL, "spec: unroll %d: sddmm takes up to %d",
                           s->unroll, (int)SB_SPEC_FEW);
    if (s->op == SB_KOP_SPMV &&
        (s->exact ||
         (s->unroll > 1 && !joined(s) && !doubled(s) && !halved(s) && !unaligned(s))))
        return sb_diag_set(
            diag, SB_EINVAL,
            "spec: exact widths and entries taken together are SpMM's and "
            "SDDMM's");
    if (sb_sample_grouped(s) && !sb_sample_can(s))
        return sb_diag_set(
            diag, SB_EINVAL,
            "spec: SDDMM takes entries together on the CPU, both factors "
            "along the dots, summed in f32 or f64, of rows and windows");
    if ((s->prefetch || s->stream) && !asks_ahead(s) &&
        (s->op != SB_KOP_SPMM || s->b_col || s->c_col))
        return sb_diag_set(diag, SB_EINVAL,
                           "spec: prefetch and streaming need SpMM with row-major "
                           "operands; SDDMM of csr and of windows that takes entries "
                           "together asks for whole columns");
    return check_lanes(s, diag);
}

/* ---- reading -------------------------------------------------------------------- */

/* Where the reader stands; every take_* moves on only when it matched. */
static bool
take(const char **p, const char *text)
{
    const size_t n = strlen(text);

    if (strncmp(*p, text, n) != 0)
        return false;
    *p += n;
    return true;
}

static bool
take_number(const char **p, const char *prefix, int *out)
{
    const char *q = *p;
    int v = 0, digits = 0;

    if (!take(&q, prefix))
        return false;
    for (; *q >= '0' && *q <= '9' && digits < 6; q++, digits++)
        v = v * 10 + (*q - '0');
    if (digits == 0)
        return false;
    *p = q;
    *out = v;
    return true;
}

/* No type's name is the beginning of another's. */
static bool
take_type(const char **p, sb_dtype *out)
{
    for (int t = 0; t < SB_DTYPE_COUNT; t++) {
        if (take(p, sb_dtype_name((sb_dtype)t))) {
            *out = (sb_dtype)t;
            return true;
        }
    }
    return false;
}

/* Kinds in bit order, each once. */
static bool
take_kinds(const char **p, unsigned *out)
{
    unsigned kinds = 0;

    for (int q = 0; q < SB_KIND_COUNT; q++) {
        if (kinds && **p != '+')
            break;
        if (take(p, kinds ? "+" : "") && take(p, sb_recipe_get(q)->name))
            kinds |= 1U << q;
        else if (kinds)
            (*p)--;
    }
    *out = kinds;
    return kinds != 0;
}

static bool
take_op(const char **p, sb_kernel_op *out)
{
    for (int i = 0; i < OP_COUNT; i++) {
        if (take(p, sb_ops_name((sb_kernel_op)i))) {
            *out = (sb_kernel_op)i;
            return true;
        }
    }
    return false;
}

static bool
take_layout(const char **p, bool *col)
{
    *col = **p == 'c';
    return take(p, *col ? "c" : "r");
}

static bool
take_spec(const char **p, sb_spec *s)
{
    if (!take_op(p, &s->op) || !take(p, " ") || !take_kinds(p, &s->kinds))
        return false;
    if (!take(p, " ") || !take_type(p, &s->a) || !take_type(p, &s->b) ||
        !take_type(p, &s->c) || !take(p, "/") || !take_type(p, &s->compute))
        return false;
    if (!take(p, " ") || !take_type(p, &s->ptr) || !take_type(p, &s->idx))
        return false;
    if (!take(p, " ") || !take_layout(p, &s->b_col) || !take_layout(p, &s->c_col))
        return false;
    s->a_conj = take(p, " ca");
    s->b_conj = take(p, " cb");
    s->c_conj = take(p, " cc");
    (void)take_number(p, " b", &s->block);
    s->turned = take(p, " turned");
    s->packed = take(p, " packed");
    s->narrow = take(p, " narrow");
    s->one = take(p, " one");
    s->exact = !take_number(p, " t", &s->tile);
    if (s->exact && !take_number(p, " x", &s->tile))
        return false;
    if (!take_number(p, " p", &s->prefetch))
        return false;
    (void)take_number(p, " u", &s->unroll);
    s->stream = take(p, " nt");
    (void)take_number(p, " g", &s->lanes);
    (void)take_number(p, " v", &s->vec);
    (void)take_number(p, " s", &s->stage);
    for (int q = SB_MMA_TF32X3; q > SB_MMA_NONE && s->mma == SB_MMA_NONE; q--)
        if (take(p, mma_text[q]))
            s->mma = (sb_mma)q;
    s->even = take(p, " even");
    return **p == '\0';
}

sb_status
sb_spec_parse(sb_spec *out, const char *text, sb_diag *diag)
{
    sb_spec s = {0};
    const char *p = text;
    char again[192];
    sb_status st;

    if (!take_spec(&p, &s))
        return sb_diag_at(diag, SB_EPARSE, text, strlen(text), (size_t)(p - text),
                          "not the spec of a kernel");
    st = sb_spec_check(&s, diag);
    if (st != SB_OK)
        return st;
    st = sb_spec_print(again, sizeof again, &s);
    if (st != SB_OK || strcmp(again, text) != 0)
        return sb_diag_set(diag, SB_EPARSE, "spec: \"%s\" is spelled \"%s\"", text,
                           st == SB_OK ? again : "?");
    *out = s;
    return SB_OK;
}
