/*
 * Stage I programs of SpMM, SpMV and SDDMM, types and strides filled in. beta == 0 is a
 * selection, so what lies in C (SDDMM: in A) is then not read.
 */
#include "kernels/ops.h"

#include "kernels/schedule.h"

#include <stdio.h>

const char *
sb_ops_name(sb_kernel_op op)
{
    static const char *const name[] = {"spmm", "spmv", "sddmm"};

    return name[op];
}

void
sb_ops_lane(char *out, size_t size, sb_dtype type, const char *bits, const char *load)
{
    (void)snprintf(out, size, "select(ones(%s, %%l + 1) > ones(%s, %%l), %s, %s:%s)",
                   bits, bits, load, sb_dtype_is_int(type) ? "0" : "0.0",
                   sb_dtype_name(type));
}

void
sb_ops_pairs(sb_strbuf *out, const sb_spec *s, const char *from, int have, int n)
{
    char sums[16];

    for (int half = have / 2; half >= n; half /= 2) {
        sb_strbuf_printf(out,
                         "    local $sum%d : %s[%d]\n    for %%l in 0 .. %d {\n"
                         "      $sum%d[%%l] = $%s[%%l * 2] + $%s[%%l * 2 + 1]\n    }\n",
                         half, sb_dtype_name(s->compute), half, half, half, from, from);
        (void)snprintf(sums, sizeof sums, "sum%d", half);
        from = sums;
    }
}

void
sb_ops_fold(sb_strbuf *out, const char *array, int lanes)
{
    for (int h = lanes / 2; h > 0; h /= 2)
        sb_strbuf_printf(out,
                         "    for %%l in 0 .. %d {\n"
                         "      $%s[%%l] += $%s[%%l + %d]\n    }\n",
                         h, array, array, h);
}

void
sb_ops_zero(sb_strbuf *out, const sb_spec *s)
{
    const char *literal = sb_dtype_is_int(s->compute) ? "0" : "0.0";

    sb_strbuf_printf(out, "%s:%s", literal, sb_dtype_name(s->compute));
}

void
sb_ops_operand(sb_strbuf *out, const sb_spec *s, const char *expr, sb_dtype from,
               bool conj)
{
    const char *open = conj ? "conj(" : "", *close = conj ? ")" : "";

    if (from == s->compute)
        sb_strbuf_printf(out, "%s%s%s", open, expr, close);
    else
        sb_strbuf_printf(out, "%scast(%s, %s)%s", open, sb_dtype_name(s->compute), expr,
                         close);
}

/* Opens and closes the conversion of a result to the type it is stored in. */
static const char *
store_open(sb_strbuf *out, const sb_spec *s, sb_dtype to)
{
    if (to == s->compute)
        return "";
    sb_strbuf_printf(out, "cast(%s, ", sb_dtype_name(to));
    return ")";
}

static void
put_param(sb_strbuf *out, const char *name, const char *type)
{
    sb_strbuf_printf(out, "  param %%%s : %s\n", name, type);
}

/* A's structure: rows #I, columns #J of length `cols`. */
static void
put_structure(sb_strbuf *out, const sb_spec *s, const char *cols)
{
    sb_strbuf_printf(out, "  buf $A_ptr : %s[%%m + 1] aux\n", sb_dtype_name(s->ptr));
    sb_strbuf_printf(out, "  buf $A_crd : %s[%%nnz] aux\n", sb_dtype_name(s->idx));
    sb_strbuf_puts(out, "  axis #I = dense_fixed(%m)\n");
    sb_strbuf_printf(out,
                     "  axis #J = sparse_variable(#I, %%%s, nnz %%nnz, ptr $A_ptr, "
                     "crd $A_crd) base %%base\n",
                     cols);
}

/* A matrix over two dense axes whose rows (columns) are `ld` apart. */
static void
put_dense(sb_strbuf *out, const char *name, sb_dtype type, const char *axes,
          const char *role, const char *ld, bool col)
{
    sb_strbuf_printf(out, "  buf $%s : %s[%s] %s strides(", name, sb_dtype_name(type),
                     axes, role);
    sb_strbuf_printf(out, col ? "1, %%%s)\n" : "%%%s, 1)\n", ld);
}

/* Sizes and scalars, by operation. */
static void
put_params(sb_strbuf *out, const sb_spec *s)
{
    static const char *const sizes[3][7] = {
        {"m", "n", "k", "nnz", "base", "ldb", "ldc"},
        {"m", "k", "nnz", "base"},
        {"m", "n", "k", "nnz", "base", "lda", "ldb"}};

    for (int i = 0; i < 7 && sizes[s->op][i]; i++)
        put_param(out, sizes[s->op][i], "i64");
    put_param(out, "alpha", sb_dtype_name(s->compute));
    put_param(out, "beta", sb_dtype_name(s->compute));
    if (sb_schedule_asks_last(s))
        put_param(out, "last", "i64");
    if (sb_schedule_asks_list(s))
        put_param(out, "ahead", "i64");
}

void
sb_ops_output(sb_strbuf *out, const sb_spec *s)
{
    if (s->op == SB_KOP_SPMM)
        put_dense(out, "C", s->c, "#I, #N", "inout", "ldc", s->c_col);
    else
        sb_strbuf_printf(out, "  buf $C : %s[#I] inout\n", sb_dtype_name(s->c));
}

void
sb_ops_operands(sb_strbuf *out, const sb_spec *s, const char *over)
{
    const char *role = s->op == SB_KOP_SDDMM ? "inout" : "in";

    sb_strbuf_puts(out, "  axis #K = dense_fixed(");
    sb_ops_depth(out, s);
    sb_strbuf_puts(out, ")\n");
    if (s->op != SB_KOP_SPMV) {
        sb_strbuf_puts(out, "  axis #N = dense_fixed(");
        sb_ops_width(out, s);
        sb_strbuf_puts(out, ")\n");
    }
    sb_strbuf_printf(out, "  buf $A : %s[%s] %s\n", sb_dtype_name(s->a), over, role);
    switch (s->op) {
    case SB_KOP_SPMM:
        put_dense(out, "B", s->b, "#K, #N", "in", "ldb", s->b_col);
        sb_ops_output(out, s);
        break;
    case SB_KOP_SPMV:
        sb_strbuf_printf(out, "  buf $B : %s[#K] in\n", sb_dtype_name(s->b));
        sb_ops_output(out, s);
        break;
    case SB_KOP_SDDMM:
        put_dense(out, "X", s->b, "#I, #K", "in", "lda", s->b_col);
        put_dense(out, "Y", s->c, "#K, #N", "in", "ldb", s->c_col);
        break;
    }
}

void
sb_ops_init(sb_strbuf *out, const sb_spec *s, const char *target)
{
    const sb_dtype type = s->op == SB_KOP_SDDMM ? s->a : s->c;
    const char *close = store_open(out, s, type);

    sb_strbuf_puts(out, "select(%beta == ");
    sb_ops_zero(out, s);
    sb_strbuf_puts(out, ", ");
    sb_ops_zero(out, s);
    sb_strbuf_puts(out, ", %beta * ");
    sb_ops_operand(out, s, target, type, false);
    sb_strbuf_printf(out, ")%s", close);
}

void
sb_ops_ask(sb_strbuf *out, const sb_spec *s, const char *array, const char *at,
           int count)
{
    for (int q = 0; q < count; q += 64 / (int)sb_dtype_size(s->a))
        sb_strbuf_printf(out, "        prefetch $%s[%s + %d]\n", array, at, q);
}

void
sb_ops_ask_window(sb_strbuf *out, const sb_spec *s, const char *array, const char *at,
                  const char *count, const char *ahead)
{
    const int line = 64 / (int)sb_dtype_size(s->a);

    sb_strbuf_printf(out,
                     "    if (%%%s > 0) {\n"
                     "      for %%ask in 0 .. ((%s) * %d + %d) / %d {\n"
                     "        prefetch $%s[%s + %%ask * %d + %%%s]\n"
                     "      }\n    }\n",
                     ahead, count, s->block, line - 1, line, array, at, line, ahead);
}

void
sb_ops_product(sb_strbuf *out, const sb_spec *s, const char *a, const char *b)
{
    const bool sddmm = s->op == SB_KOP_SDDMM;

    sb_ops_operand(out, s, a, sddmm ? s->b : s->a, sddmm ? s->b_conj : s->a_conj);
    sb_strbuf_puts(out, " * ");
    sb_ops_operand(out, s, b, sddmm ? s->c : s->b, sddmm ? s->c_conj : s->b_conj);
}

/* What a stored result has of beta: if it is not 0, as it is known not to be, or to be. */
typedef enum beta_of { BETA_ASKED, BETA_ADDED, BETA_NONE } beta_of;

static void
put_result(sb_strbuf *out, const sb_spec *s, const char *target, const char *value,
           beta_of beta)
{
    const sb_dtype type = s->op == SB_KOP_SDDMM ? s->a : s->c;
    const char *close = store_open(out, s, type);

    sb_strbuf_printf(out, "%%alpha * %s + ", value);
    if (beta == BETA_ASKED) {
        sb_strbuf_puts(out, "select(%beta == ");
        sb_ops_zero(out, s);
        sb_strbuf_puts(out, ", ");
    }
    if (beta != BETA_ADDED)
        sb_ops_zero(out, s);
    if (beta == BETA_ASKED)
        sb_strbuf_puts(out, ", ");
    if (beta != BETA_NONE) {
        sb_strbuf_puts(out, "%beta * ");
        sb_ops_operand(out, s, target, type, false);
    }
    sb_strbuf_printf(out, "%s%s", beta == BETA_ASKED ? ")" : "", close);
}

void
sb_ops_result(sb_strbuf *out, const sb_spec *s, const char *target, const char *value)
{
    put_result(out, s, target, value, BETA_ASKED);
}

void
sb_ops_result_known(sb_strbuf *out, const sb_spec *s, const char *target,
                    const char *value, bool added)
{
    put_result(out, s, target, value, added ? BETA_ADDED : BETA_NONE);
}

void
sb_ops_term(sb_strbuf *out, const sb_spec *s, const char *a, const char *b)
{
    const char *close = store_open(out, s, s->op == SB_KOP_SDDMM ? s->a : s->c);

    sb_strbuf_puts(out, "%alpha * ");
    sb_ops_product(out, s, a, b);
    sb_strbuf_puts(out, close);
}

void
sb_ops_add(sb_strbuf *out, const sb_spec *s, const char *target, const char *a,
           const char *b)
{
    const char *close;

    if (s->c != SB_F16 && s->c != SB_BF16) {
        sb_strbuf_printf(out, "%s += ", target);
        sb_ops_term(out, s, a, b);
        return;
    }
    sb_strbuf_printf(out, "%s = ", target);
    close = store_open(out, s, s->c);
    sb_ops_operand(out, s, target, s->c, false);
    sb_strbuf_puts(out, " + %alpha * ");
    sb_ops_product(out, s, a, b);
    sb_strbuf_puts(out, close);
}

void
sb_ops_width(sb_strbuf *out, const sb_spec *s)
{
    if (s->exact && s->op == SB_KOP_SPMM)
        sb_strbuf_printf(out, "%d", s->tile);
    else
        sb_strbuf_puts(out, "%n");
}

void
sb_ops_depth(sb_strbuf *out, const sb_spec *s)
{
    if (s->exact && s->op == SB_KOP_SDDMM)
        sb_strbuf_printf(out, "%d", s->tile);
    else
        sb_strbuf_puts(out, "%k");
}

void
sb_ops_columns(sb_strbuf *out, const sb_spec *s, const char *indent)
{
    if (s->op != SB_KOP_SPMM)
        return;
    sb_strbuf_printf(out, "%sfor %%c in 0 .. ", indent);
    sb_ops_width(out, s);
    sb_strbuf_puts(out, " {\n");
}

void
sb_ops_stage1(sb_strbuf *out, const sb_spec *s)
{
    static const char *const iter[] = {
        "  iter spmm (%i : S #I, %j : R #J, %c : S #N) {\n",
        "  iter spmv (%i : S #I, %j : R #J) {\n",
        "  iter sddmm (%i : S #I, %j : S #J, %c : R #K) {\n"};
    static const char *const target[] = {"$C[%i, %c]", "$C[%i]", "$A[%i, %j]"};
    static const char *const left[] = {"$A[%i, %j]", "$A[%i, %j]", "$X[%i, %c]"};
    static const char *const right[] = {"$B[%j, %c]", "$B[%j]", "$Y[%c, %j]"};

    sb_strbuf_printf(out, "prog @%s stage 1 {\n", sb_ops_name(s->op));
    put_params(out, s);
    put_structure(out, s, s->op == SB_KOP_SDDMM ? "n" : "k");
    sb_ops_operands(out, s, "#I, #J");
    sb_strbuf_puts(out, iter[s->op]);
    sb_strbuf_printf(out, "    init %s = ", target[s->op]);
    sb_ops_init(out, s, target[s->op]);
    sb_strbuf_printf(out, "\n    %s += ", target[s->op]);
    sb_ops_term(out, s, left[s->op], right[s->op]);
    sb_strbuf_puts(out, "\n  }\n}\n");
}

void
sb_ops_stage2_begin(sb_strbuf *out, const sb_spec *s, const char *kind,
                    const char *const *params, const char *const *buffers)
{
    sb_strbuf_printf(out, "prog @%s_%s stage 2 {\n", sb_ops_name(s->op), kind);
    put_params(out, s);
    for (; *params; params++)
        put_param(out, *params, "i64");
    for (; *buffers; buffers += 3)
        sb_strbuf_printf(out, "  buf $%s : %s[%s] aux\n", buffers[0],
                         buffers[1][0] == 'P'   ? sb_dtype_name(s->ptr)
                         : buffers[1][0] == 'I' ? sb_dtype_name(s->idx)
                         : buffers[1][0] == 'V' ? sb_dtype_name(s->a)
                                                : buffers[1],
                         buffers[2]);
    sb_strbuf_puts(out, "  axis #I = dense_fixed(%m)\n");
    sb_ops_operands(out, s, "%nnz");
}
