/*
 * Random matrices for IR programs, declared in irworld.h.
 */
#include "irworld.h"

#include "base/alloc.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

static uint64_t
next(uint64_t *s)
{
    *s += 0x9e3779b97f4a7c15u;
    uint64_t z = *s;

    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

/* ---- the matrix ------------------------------------------------------------------------------ */

static void
fill_pattern(ir_world *w)
{
    uint64_t s = w->seed;
    const int64_t b = w->block, mb = w->m / b, kb = w->k / b;
    bool *full = sb_alloc_array(mb * kb + 1, sizeof *full);

    for (int64_t q = 0; q < mb * kb; q++)
        full[q] = next(&s) % 3 == 0;
    w->row = sb_alloc_array(w->m * w->k + 1, sizeof *w->row);
    w->col = sb_alloc_array(w->m * w->k + 1, sizeof *w->col);
    w->ptr = sb_alloc_array(w->m + 1, sizeof *w->ptr);
    w->dia = sb_alloc_array(w->m + w->k + 1, sizeof *w->dia);
    w->nnz = w->dia_count = w->ell_width = 0;
    for (int64_t i = 0; i < w->m; i++) {
        w->ptr[i] = w->nnz;
        for (int64_t j = 0; j < w->k; j++) {
            if (!full[i / b * kb + j / b])
                continue;
            w->row[w->nnz] = i;
            w->col[w->nnz++] = j;
        }
        if (w->nnz - w->ptr[i] > w->ell_width)
            w->ell_width = w->nnz - w->ptr[i];
    }
    w->ptr[w->m] = w->nnz;
    for (int64_t d = -w->m; d <= w->k; d++) {
        bool used = false;

        for (int64_t p = 0; p < w->nnz; p++)
            used = used || w->col[p] - w->row[p] == d;
        if (used)
            w->dia[w->dia_count++] = d;
    }
    sb_free(full);
}

void
ir_world_make(ir_world *w, uint64_t seed, int64_t m, int64_t n, int64_t k,
              int64_t block)
{
    static const double scalars[] = {0, 1, 2, -1};
    uint64_t s = seed ^ 77;

    memset(w, 0, sizeof *w);
    w->seed = seed;
    w->block = block;
    w->m = (m + block - 1) / block * block;
    w->k = (k + block - 1) / block * block;
    w->n = n;
    w->base = (int64_t)(next(&s) % 2);
    w->ldb = (n > w->k ? n : w->k) + (int64_t)(next(&s) % 3);
    w->ldc = n + (int64_t)(next(&s) % 3);
    w->lda = w->k + (int64_t)(next(&s) % 3);
    w->alpha = scalars[next(&s) % 4];
    w->beta = scalars[next(&s) % 4];
    fill_pattern(w);
}

void
ir_world_free(ir_world *w)
{
    sb_free(w->row);
    sb_free(w->col);
    sb_free(w->ptr);
    sb_free(w->dia);
}

/* ---- contents by name -------------------------------------------------------------------------- */

static int64_t
row_at(const ir_world *w, int64_t unit)
{
    return w->m - 1 - unit; /* lists run backwards, so that order matters */
}

static int64_t
find_slot(const ir_world *w, int64_t i, int64_t j)
{
    for (int64_t p = 0; p < w->nnz; p++) {
        if (w->row[p] == i && w->col[p] == j)
            return p;
    }
    return -1;
}

/* Column (or with `slot` the position) in slot q of a packed row; -1 past its length. */
static int64_t
ell_at(const ir_world *w, int64_t q, bool slot)
{
    const int64_t i = row_at(w, q / w->ell_width), p = w->ptr[i] + q % w->ell_width;

    return p >= w->ptr[i + 1] ? -1 : slot ? p : w->col[p];
}

/* Blocks in order: fills (block row, block column) of block q; returns their number. */
static int64_t
block_at(const ir_world *w, int64_t q, int64_t *br, int64_t *bc)
{
    const int64_t b = w->block;
    int64_t n = 0;

    for (int64_t p = 0; p < w->nnz; p++) {
        if (w->row[p] % b || w->col[p] % b)
            continue;
        if (n == q) {
            *br = w->row[p] / b;
            *bc = w->col[p] / b;
        }
        n++;
    }
    return n;
}

static int64_t
bsr_value(const ir_world *w, const char *what, int64_t q)
{
    const int64_t b = w->block;
    int64_t br = 0, bc = 0, below = 0;

    if (strcmp(what, "ptr") == 0) {
        const int64_t all = block_at(w, -1, &br, &bc);

        for (int64_t s = 0; s < all; s++) {
            block_at(w, s, &br, &bc);
            below += br < q;
        }
        return below;
    }
    if (strcmp(what, "crd") == 0) {
        block_at(w, q, &br, &bc);
        return bc;
    }
    block_at(w, q / (b * b), &br, &bc);
    return find_slot(w, br * b + q % (b * b) / b, bc * b + q % b);
}

static double
random_value(const ir_world *w, const char *name, int64_t q)
{
    uint64_t s = w->seed * 31 + (uint64_t)name[0] * 1009 + (uint64_t)q;

    return (double)((int64_t)(next(&s) % 9) - 4);
}

static double
content(const ir_world *w, const char *name, int64_t q)
{
    const char *tail = strchr(name, '_');

    if (strcmp(name, "tile") == 0)
        return (double)w->tile[q];
    if (!tail || strcmp(name, "A_ell") == 0)
        return random_value(w, name, q);
    tail++;
    switch (name[0]) {
    case 'A':
        return (double)(w->base + (strcmp(tail, "ptr") == 0 ? w->ptr[q] : w->col[q]));
    case 'r':
        if (strcmp(tail, "row") == 0)
            return (double)row_at(w, q);
        return (double)w->ptr[row_at(w, q) + (strcmp(tail, "hi") == 0)];
    case 'e':
        if (strcmp(tail, "row") == 0)
            return (double)row_at(w, q);
        if (strcmp(tail, "len") == 0)
            return (double)(w->ptr[row_at(w, q) + 1] - w->ptr[row_at(w, q)]);
        return (double)ell_at(w, q, strcmp(tail, "pos") == 0);
    case 'b':
        return (double)bsr_value(w, tail, q);
    case 'd':
        if (strcmp(tail, "off") == 0)
            return (double)w->dia[q];
        return (double)find_slot(w, q / w->dia_count,
                                 q / w->dia_count + w->dia[q % w->dia_count]);
    default:
        return (double)(strcmp(tail, "row") == 0   ? w->row[q]
                        : strcmp(tail, "crd") == 0 ? w->col[q]
                                                   : q);
    }
}

static int64_t
elements(const ir_world *w, const char *name)
{
    int64_t br, bc;
    const int64_t blocks = block_at(w, -1, &br, &bc);
    const struct {
        const char *name;
        int64_t n;
    } table[] = {{"A_ptr", w->m + 1},
                 {"A_crd", w->nnz},
                 {"A", w->nnz},
                 {"A_ell", w->m * w->ell_width},
                 {"B", w->k * w->ldb},
                 {"C", w->m * (w->ldc > 0 ? w->ldc : 1)},
                 {"X", w->m * w->ldb},
                 {"rows_row", w->m},
                 {"rows_lo", w->m},
                 {"rows_hi", w->m},
                 {"ell_row", w->m},
                 {"ell_len", w->m},
                 {"ell_crd", w->m * w->ell_width},
                 {"ell_pos", w->m * w->ell_width},
                 {"bsr_ptr", w->m / w->block + 1},
                 {"bsr_crd", blocks},
                 {"bsr_pos", blocks * w->block * w->block},
                 {"dia_off", w->dia_count},
                 {"dia_pos", w->m * w->dia_count},
                 {"coo_row", w->nnz},
                 {"coo_crd", w->nnz},
                 {"coo_pos", w->nnz},
                 {"tile", 4 * w->ntile}};

    for (int q = 0; q < SB_COUNT(table); q++) {
        if (strcmp(table[q].name, name) == 0)
            return table[q].n;
    }
    fail_msg("the test world has no buffer $%s", name);
    return 0;
}

static double
parameter(const ir_world *w, const char *name)
{
    int64_t br, bc;
    const struct {
        const char *name;
        double v;
    } table[] = {{"m", (double)w->m},
                 {"n", (double)w->n},
                 {"k", (double)w->k},
                 {"nnz", (double)w->nnz},
                 {"base", (double)w->base},
                 {"ldb", (double)w->ldb},
                 {"ldc", (double)w->ldc},
                 {"lda", (double)w->lda},
                 {"alpha", w->alpha},
                 {"beta", w->beta},
                 {"rows_count", (double)w->m},
                 {"ell_count", (double)w->m},
                 {"ell_width", (double)w->ell_width},
                 {"bsr_count", (double)block_at(w, -1, &br, &bc)},
                 {"dia_count", (double)w->dia_count},
                 {"coo_count", (double)w->nnz},
                 {"t0", 0},
                 {"t1", (double)w->ntile}};

    for (int q = 0; q < SB_COUNT(table); q++) {
        if (strcmp(table[q].name, name) == 0)
            return table[q].v;
    }
    fail_msg("the test world has no parameter %%%s", name);
    return 0;
}

/* ---- running ----------------------------------------------------------------------------------- */

static bool
written(const sb_buf *b)
{
    return b->role == SB_BUF_OUT || b->role == SB_BUF_INOUT;
}

ir_result
ir_world_run(const ir_world *w, const sb_prog *p)
{
    sb_value *param = sb_alloc_array(p->nparam + 1, sizeof *param);
    sb_arg *arg = sb_alloc_array(p->nbuf + 1, sizeof *arg);
    sb_interp_args args = {param, arg};
    ir_result r = {.n = 0};
    sb_diag diag;

    sb_diag_clear(&diag);
    for (int q = 0; q < p->nparam; q++) {
        param[q].re = parameter(w, p->param[q]->name);
        param[q].im = 0;
    }
    for (int q = 0; q < p->nbuf; q++) {
        const sb_buf *b = p->buf[q];

        arg[q].count = elements(w, b->name);
        arg[q].data = sb_alloc_array(arg[q].count + 1, sb_dtype_size(b->type));
        for (int64_t s = 0; s < arg[q].count; s++) {
            const sb_value v = {content(w, b->name, s), 0};

            sb_value_store(b->type, arg[q].data, s, v);
        }
        r.n += written(b) ? arg[q].count : 0;
    }
    r.st = sb_interp(p, &args, &diag);
    (void)snprintf(r.why, sizeof r.why, "%s", diag.text);
    r.v = sb_alloc_array(r.n + 1, sizeof *r.v);
    r.n = 0;
    for (int q = 0; q < p->nbuf; q++) {
        /* New arrays of a copying decomposition are not results. */
        const bool own = written(p->buf[q]) && strcmp(p->buf[q]->name, "A_ell") != 0;

        for (int64_t s = 0; own && s < arg[q].count; s++)
            r.v[r.n++] = sb_value_load(p->buf[q]->type, arg[q].data, s).re;
        sb_free(arg[q].data);
    }
    sb_free(arg);
    sb_free(param);
    return r;
}

void
ir_result_free(ir_result *r)
{
    sb_free(r->v);
}

bool
ir_world_same(const ir_world *w, const sb_prog *a, const sb_prog *b)
{
    ir_result ra = ir_world_run(w, a), rb = ir_world_run(w, b);
    bool same = ra.st == SB_OK && rb.st == SB_OK && ra.n == rb.n;

    for (int64_t q = 0; same && q < ra.n; q++)
        same = ra.v[q] == rb.v[q];
    if (!same) {
        sb_strbuf ta = ir_text(a), tb = ir_text(b);

        print_message(
            "seed %llu m %lld n %lld k %lld block %lld nnz %lld: %s / %s\n%s%s",
            (unsigned long long)w->seed, (long long)w->m, (long long)w->n,
            (long long)w->k, (long long)w->block, (long long)w->nnz, ra.why, rb.why,
            ta.s, tb.s);
        sb_strbuf_free(&ta);
        sb_strbuf_free(&tb);
    }
    ir_result_free(&ra);
    ir_result_free(&rb);
    return same;
}

/* ---- programs ------------------------------------------------------------------------------------ */

void
ir_bench_open(ir_bench *b)
{
    sb_arena_init(&b->arena);
    sb_diag_clear(&b->diag);
    sb_ir_init(&b->ir, &b->arena, &b->diag);
}

void
ir_bench_close(ir_bench *b)
{
    sb_arena_free(&b->arena);
}

const sb_prog *
ir_bench_parse(ir_bench *b, const char *text)
{
    const sb_prog *p = NULL;

    if (sb_prog_parse(&p, &b->ir, text, strlen(text)) != SB_OK ||
        sb_prog_verify(p, &b->diag) != SB_OK)
        fail_msg("%s", b->diag.text);
    return p;
}

sb_strbuf
ir_text(const sb_prog *p)
{
    sb_strbuf text;

    sb_strbuf_init(&text);
    assert_int_equal(sb_prog_print(&text, p), SB_OK);
    return text;
}

#define STRUCTURE                      \
    "  buf $A_ptr : i32[%m + 1] aux\n" \
    "  buf $A_crd : i32[%nnz] aux\n"   \
    "  axis #I = dense_fixed(%m)\n"

#define SPMM_PARAMS                                                              \
    "  param %m : i64\n  param %n : i64\n  param %k : i64\n  param %nnz : i64\n" \
    "  param %base : i64\n  param %ldb : i64\n  param %ldc : i64\n"              \
    "  param %alpha : f32\n  param %beta : f32\n"

#define SPMM_DENSE                                 \
    "  axis #K = dense_fixed(%k)\n"                \
    "  axis #N = dense_fixed(%n)\n"                \
    "  buf $B : f32[#K, #N] in strides(%ldb, 1)\n" \
    "  buf $C : f32[#I, #N] inout strides(%ldc, 1)\n"

const char ir_spmm[] =
    "prog @spmm stage 1 {\n" SPMM_PARAMS STRUCTURE
    "  axis #J = sparse_variable(#I, %k, nnz %nnz, ptr $A_ptr, crd $A_crd) base %base "
    "sorted unique\n" SPMM_DENSE "  buf $A : f32[#I, #J] in\n"
    "  iter spmm (%i : S #I, %j : R #J, %c : S #N) {\n"
    "    init $C[%i, %c] = select(%beta == 0.0, 0.0, %beta * $C[%i, %c])\n"
    "    $C[%i, %c] += %alpha * $A[%i, %j] * $B[%j, %c]\n"
    "  }\n"
    "}\n";

const char ir_spmv[] =
    "prog @spmv stage 1 {\n"
    "  param %m : i64\n  param %k : i64\n  param %nnz : i64\n  param %base : i64\n"
    "  param %alpha : f64\n  param %beta : f64\n" STRUCTURE
    "  axis #J = sparse_variable(#I, %k, nnz %nnz, ptr $A_ptr, crd $A_crd) base %base\n"
    "  axis #K = dense_fixed(%k)\n"
    "  buf $A : f64[#I, #J] in\n"
    "  buf $B : f64[#K] in\n"
    "  buf $C : f64[#I] inout\n"
    "  iter spmv (%i : S #I, %j : R #J) {\n"
    "    init $C[%i] = select(%beta == 0.0, 0.0, %beta * $C[%i])\n"
    "    $C[%i] += %alpha * $A[%i, %j] * $B[%j]\n"
    "  }\n"
    "}\n";

const char ir_sddmm[] =
    "prog @sddmm stage 1 {\n"
    "  param %m : i64\n  param %n : i64\n  param %k : i64\n  param %nnz : i64\n"
    "  param %base : i64\n  param %ldb : i64\n"
    "  param %alpha : f32\n  param %beta : f32\n" STRUCTURE
    "  axis #J = sparse_variable(#I, %k, nnz %nnz, ptr $A_ptr, crd $A_crd) base %base\n"
    "  axis #K = dense_fixed(%k)\n"
    "  axis #N = dense_fixed(%n)\n"
    "  buf $X : f32[#I, #N] in strides(%ldb, 1)\n"
    "  buf $B : f32[#K, #N] in strides(%ldb, 1)\n"
    "  buf $A : f32[#I, #J] inout\n"
    "  iter sddmm (%i : S #I, %j : S #J, %c : R #N) {\n"
    "    init $A[%i, %j] = select(%beta == 0.0, 0.0, %beta * $A[%i, %j])\n"
    "    $A[%i, %j] += %alpha * $X[%i, %c] * $B[%j, %c]\n"
    "  }\n"
    "}\n";

const char ir_spmm_coo[] =
    "prog @spmm_coo stage 1 {\n" SPMM_PARAMS "  param %coo_count : i64\n"
    "  buf $coo_row : i32[%coo_count] aux\n"
    "  buf $coo_crd : i32[%coo_count] aux\n"
    "  buf $coo_pos : i32[%coo_count] aux\n"
    "  axis #I = dense_fixed(%m)\n"
    "  axis #O = dense_fixed(1)\n"
    "  axis #R = sparse_fixed(#O, %m, width %coo_count, crd $coo_row)\n"
    "  axis #J = sparse_fixed(#R, %k, width 1, nnz %nnz, crd $coo_crd, val "
    "$coo_pos)\n" SPMM_DENSE "  buf $A : f32[#O, #R, #J] in\n"
    "  iter spmm (%o : S #O, %r : S #R, %j : R #J, %c : S #N) {\n"
    "    $C[%r, %c] += %alpha * $A[%o, %r, %j] * $B[%j, %c]\n"
    "  }\n"
    "}\n";

const char ir_spmm_dia[] =
    "prog @spmm_dia stage 1 {\n" SPMM_PARAMS "  param %dia_count : i64\n"
    "  buf $dia_off : i64[%dia_count] aux\n"
    "  buf $dia_pos : i32[%m * %dia_count] aux\n"
    "  axis #I = dense_fixed(%m)\n"
    "  axis #D = dense_fixed(%dia_count, nnz %nnz, val $dia_pos) padded\n" SPMM_DENSE
    "  buf $A : f32[#I, #D] in\n"
    "  iter spmm (%i : S #I, %d : R #D, %c : S #N) {\n"
    "    init $C[%i, %c] = select(%beta == 0.0, 0.0, %beta * $C[%i, %c])\n"
    "    $C[%i, %c] += %alpha * $A[%i, %d] * $B[%i + $dia_off[%d], %c]\n"
    "  }\n"
    "}\n";

const char ir_rule_rows[] =
    "rule rows for $A same {\n"
    "  param %rows_count : i64\n"
    "  buf $rows_row : i32[%rows_count] aux\n"
    "  buf $rows_lo : i32[%rows_count] aux\n"
    "  buf $rows_hi : i32[%rows_count] aux\n"
    "  axis #O = dense_fixed(1)\n"
    "  axis #R = sparse_fixed(#O, %m, width %rows_count, crd $rows_row) unique\n"
    "  axis #E = sparse_variable(#R, %k, nnz %nnz, ptr $rows_lo, end $rows_hi, "
    "crd $A_crd) base %base\n"
    "  map (%i, %j) -> (0, %i, %j)\n"
    "  inv (%o, %r, %e) -> (%r, %e)\n"
    "  axes #I -> #O, #R ; #J -> #E\n"
    "}\n";

#define ELL_HEAD                                           \
    "  param %ell_count : i64\n  param %ell_width : i64\n" \
    "  buf $ell_row : i32[%ell_count] aux\n"               \
    "  buf $ell_crd : i32[%ell_count * %ell_width] aux\n"  \
    "  axis #O = dense_fixed(1)\n"                         \
    "  axis #R = sparse_fixed(#O, %m, width %ell_count, crd $ell_row) unique\n"

#define ELL_MAPS                       \
    "  map (%i, %j) -> (0, %i, %j)\n"  \
    "  inv (%o, %r, %e) -> (%r, %e)\n" \
    "  axes #I -> #O, #R ; #J -> #E\n" \
    "}\n"

const char ir_rule_ell[] =
    "rule ell for $A same {\n" ELL_HEAD "  buf $ell_len : i32[%ell_count] aux\n"
    "  buf $ell_pos : i32[%ell_count * %ell_width] aux\n"
    "  axis #E = sparse_fixed(#R, %k, width %ell_width, end $ell_len, crd $ell_crd, "
    "val $ell_pos)\n" ELL_MAPS;

const char ir_rule_pad[] =
    "rule pad for $A same {\n" ELL_HEAD
    "  buf $ell_pos : i32[%ell_count * %ell_width] aux\n"
    "  axis #E = sparse_fixed(#R, %k, width %ell_width, crd $ell_crd, val $ell_pos) "
    "padded\n" ELL_MAPS;

const char ir_rule_ell_copy[] =
    "rule ell for $A {\n" ELL_HEAD "  buf $ell_len : i32[%ell_count] aux\n"
    "  axis #E = sparse_fixed(#R, %k, width %ell_width, end $ell_len, crd "
    "$ell_crd)\n" ELL_MAPS;

const char ir_rule_bsr[] =
    "rule bsr for $A same {\n"
    "  param %bsr_count : i64\n"
    "  buf $bsr_ptr : i32[%m / 2 + 1] aux\n"
    "  buf $bsr_crd : i32[%bsr_count] aux\n"
    "  buf $bsr_pos : i32[%bsr_count * 4] aux\n"
    "  axis #IO = dense_fixed(%m / 2)\n"
    "  axis #JO = sparse_variable(#IO, %k / 2, nnz %bsr_count, ptr $bsr_ptr, "
    "crd $bsr_crd)\n"
    "  axis #II = dense_fixed(2)\n"
    "  axis #JI = dense_fixed(2, val $bsr_pos)\n"
    "  map (%i, %j) -> (%i / 2, %j / 2, %i mod 2, %j mod 2)\n"
    "  inv (%io, %jo, %ii, %ji) -> (%io * 2 + %ii, %jo * 2 + %ji)\n"
    "  axes #I -> #IO, #II ; #J -> #JO, #JI\n"
    "}\n";
