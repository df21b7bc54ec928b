/*
 * Sample programs and the runner, declared in irprog.h.
 */
#include "irprog.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#define SIZES            \
    "  param %m : i64\n" \
    "  param %n : i64\n" \
    "  param %k : i64\n" \
    "  param %nnz : i64\n"
#define SCALARS              \
    "  param %alpha : f32\n" \
    "  param %beta : f32\n"
#define CSR                                                                       \
    "  param %base : i64\n"                                                       \
    "  buf $A_ptr : i32[%m + 1] aux\n"                                            \
    "  buf $A_crd : i32[%nnz] aux\n"                                              \
    "  axis #I = dense_fixed(%m)\n"                                               \
    "  axis #J = sparse_variable(#I, %k, nnz %nnz, ptr $A_ptr, crd $A_crd) base " \
    "%base sorted unique\n"
#define DENSE                       \
    "  axis #K = dense_fixed(%k)\n" \
    "  axis #N = dense_fixed(%n)\n"
#define INIT(place) "select(%beta == 0.0, 0.0, %beta * " place ")\n"

static const char spmm_csr[] =
    "prog @spmm_csr stage 1 {\n" SIZES SCALARS CSR DENSE "  buf $A : f32[#I, #J] in\n"
    "  buf $B : f32[#K, #N] in strides(%n, 1)\n"
    "  buf $C : f32[#I, #N] inout strides(%n, 1)\n"
    "  assume %nnz < 2147483648\n"
    "  iter spmm (%i : S #I, %j : R #J, %c : S #N) {\n"
    "    init $C[%i, %c] = " INIT(
        "$C[%i, %c]") "    $C[%i, %c] += %alpha * $A[%i, %j] * $B[%j, %c]\n"
                      "  }\n"
                      "}\n";

static const char spmv_csr[] =
    "prog @spmv_csr stage 1 {\n" SIZES SCALARS CSR DENSE "  buf $A : f32[#I, #J] in\n"
    "  buf $x : f32[#K] in\n"
    "  buf $y : f32[#I] inout\n"
    "  iter spmv (%i : S #I, %j : R #J) {\n"
    "    init {\n"
    "      if %beta == 0.0 {\n"
    "        $y[%i] = 0.0\n"
    "      } else {\n"
    "        $y[%i] = %beta * $y[%i]\n"
    "      }\n"
    "    }\n"
    "    $y[%i] += %alpha * $A[%i, %j] * $x[%j]\n"
    "  }\n"
    "}\n";

static const char sddmm_csr[] =
    "prog @sddmm_csr stage 1 {\n" SIZES SCALARS CSR DENSE
    "  buf $A : f32[#I, #J] inout\n"
    "  buf $X : f32[#I, #N] in\n"
    "  buf $Y : f32[#N, #K] in\n"
    "  iter sddmm ({%i : S #I, %j : S #J}, %c : R #N) {\n"
    "    init $A[%i, %j] = " INIT(
        "$A[%i, %j]") "    $A[%i, %j] += %alpha * $X[%i, %c] * $Y[%c, %j]\n"
                      "  }\n"
                      "}\n";

/* Two sparse operands: the second is searched. */
static const char add_csr[] =
    "prog @add_csr stage 1 {\n" SIZES CSR "  axis #K = dense_fixed(%k)\n"
    "  buf $A : f32[#I, #J] in\n"
    "  buf $D : f32[#I, #K] inout\n"
    "  iter add (%i : S #I, %c : S #K) {\n"
    "    $D[%i, %c] = $D[%i, %c] + $A[%i, %c]\n"
    "  }\n"
    "}\n";

static const char spmm_ell[] =
    "prog @spmm_ell stage 1 {\n" SIZES SCALARS "  param %width : i64\n"
    "  buf $E_crd : i32[%m * %width] aux\n"
    "  buf $E_pos : i64[%m * %width] aux\n"
    "  axis #I = dense_fixed(%m)\n"
    "  axis #E = sparse_fixed(#I, %k, width %width, nnz %nnz, crd $E_crd, val $E_pos) "
    "padded\n" DENSE "  buf $A : f32[#I, #E] in\n"
    "  buf $B : f32[#K, #N] in\n"
    "  buf $C : f32[#I, #N] inout\n"
    "  iter spmm (%i : S #I, %j : R #E, %c : S #N) {\n"
    "    init $C[%i, %c] = " INIT(
        "$C[%i, %c]") "    $C[%i, %c] += %alpha * $A[%i, %j] * $B[%j, %c]\n"
                      "  }\n"
                      "}\n";

/* Rows of a common width of which only the first slots are used. */
static const char spmv_ell_len[] =
    "prog @spmv_ell_len stage 1 {\n" SIZES SCALARS "  param %width : i64\n"
    "  buf $E_len : i32[%m] aux\n"
    "  buf $E_crd : i32[%m * %width] aux\n"
    "  buf $E_pos : i64[%m * %width] aux\n"
    "  axis #I = dense_fixed(%m)\n"
    "  axis #E = sparse_fixed(#I, %k, width %width, nnz %nnz, end $E_len, crd $E_crd, "
    "val "
    "$E_pos)\n"
    "  axis #K = dense_fixed(%k)\n"
    "  buf $A : f32[#I, #E] in\n"
    "  buf $x : f32[#K] in\n"
    "  buf $y : f32[#I] inout\n"
    "  iter spmv (%i : S #I, %j : R #E) {\n"
    "    init $y[%i] = " INIT("$y[%i]") "    $y[%i] += %alpha * $A[%i, %j] * $x[%j]\n"
                                        "  }\n"
                                        "}\n";

static const char spmm_rows[] =
    "prog @spmm_rows stage 1 {\n" SIZES SCALARS "  param %base : i64\n"
    "  param %rows : i64\n"
    "  buf $row : i32[%rows] aux\n"
    "  buf $lo : i32[%rows] aux\n"
    "  buf $hi : i32[%rows] aux\n"
    "  buf $A_crd : i32[%nnz] aux\n"
    "  axis #O = dense_fixed(1)\n"
    "  axis #R = sparse_fixed(#O, %m, width %rows, crd $row)\n"
    "  axis #E = sparse_variable(#R, %k, nnz %nnz, ptr $lo, end $hi, crd $A_crd) base "
    "%base\n"
    "  axis #I = dense_fixed(%m)\n" DENSE "  buf $A : f32[#O, #R, #E] in\n"
    "  buf $B : f32[#K, #N] in\n"
    "  buf $C : f32[#I, #N] inout\n"
    "  iter spmm (%o : S #O, %i : S #R, %j : R #E, %c : S #N) {\n"
    "    init $C[%i, %c] = " INIT(
        "$C[%i, %c]") "    $C[%i, %c] += %alpha * $A[%o, %i, %j] * $B[%j, %c]\n"
                      "  }\n"
                      "}\n";

static const char spmm_bsr[] =
    "prog @spmm_bsr stage 1 {\n" SIZES SCALARS "  param %blocks : i64\n"
    "  buf $P_ptr : i32[%m / 2 + 1] aux\n"
    "  buf $P_crd : i32[%blocks] aux\n"
    "  axis #IO = dense_fixed(%m / 2)\n"
    "  axis #JO = sparse_variable(#IO, %k / 2, nnz %blocks, ptr $P_ptr, crd $P_crd)\n"
    "  axis #II = dense_fixed(2)\n"
    "  axis #JI = dense_fixed(2)\n"
    "  axis #I = dense_fixed(%m)\n" DENSE "  buf $A : f32[#IO, #JO, #II, #JI] in\n"
    "  buf $B : f32[#K, #N] in\n"
    "  buf $C : f32[#I, #N] inout\n"
    "  iter spmm (%io : S #IO, %ii : S #II, %jo : R #JO, %ji : R #JI, %c : S #N) {\n"
    "    init $C[%io * 2 + %ii, %c] = " INIT(
        "$C[%io * 2 + %ii, %c]") "    $C[%io * 2 + %ii, %c] += %alpha * $A[%io, %jo, "
                                 "%ii, %ji] * "
                                 "$B[%jo * 2 + %ji, %c]\n"
                                 "  }\n"
                                 "}\n";

static const char spmv_dia[] =
    "prog @spmv_dia stage 1 {\n" SIZES SCALARS "  param %dia : i64\n"
    "  buf $off : i64[%dia] aux\n"
    "  buf $pos : i32[%dia * %m] aux\n"
    "  axis #D = dense_fixed(%dia)\n"
    "  axis #I = dense_fixed(%m, nnz %nnz, val $pos) padded\n"
    "  axis #M = dense_fixed(%m)\n"
    "  axis #K = dense_fixed(%k)\n"
    "  buf $A : f32[#D, #I] in\n"
    "  buf $x : f32[#K] in\n"
    "  buf $y : f32[#M] inout\n"
    "  iter spmv (%d : R #D, %i : S #I) {\n"
    "    init $y[%i] = " INIT(
        "$y[%i]") "    $y[%i] += %alpha * $A[%d, %i] * $x[%i + $off[%d]]\n"
                  "  }\n"
                  "}\n";

static const char spmm_csr2[] =
    "prog @spmm_csr2 stage 2 {\n" SIZES SCALARS CSR DENSE "  buf $A : f32[#I, #J] in\n"
    "  buf $B : f32[#K, #N] in strides(%n, 1)\n"
    "  buf $C : f32[#I, #N] inout strides(%n, 1)\n"
    "  for %i in 0 .. %m {\n"
    "    for %c in 0 .. %n {\n"
    "      $C[%i, %c] = " INIT(
        "$C[%i, %c]") "    }\n"
                      "    block spmm0 {\n"
                      "      for %pj in 0 .. cast(i64, $A_ptr[%i + 1] - $A_ptr[%i]) "
                      "reduce {\n"
                      "        let %j : i64 = $A_crd[$A_ptr[%i] - %base + %pj] - "
                      "%base\n"
                      "        for %c in 0 .. %n {\n"
                      "          $C[%i, %c] += %alpha * $A[%i, %pj] * $B[%j, %c]\n"
                      "        }\n"
                      "      }\n"
                      "    }\n"
                      "  }\n"
                      "}\n";

static const char spmm_csr3[] =
    "prog @spmm_csr3 stage 3 {\n" SIZES SCALARS "  param %base : i64\n"
    "  buf $A_ptr : i32[%m + 1] aux\n"
    "  buf $A_crd : i32[%nnz] aux\n"
    "  buf $A : f32[%nnz] in\n"
    "  buf $B : f32[%k * %n] in\n"
    "  buf $C : f32[%m * %n] inout\n"
    "  for %i in 0 .. %m parallel {\n"
    "    for %c0 in 0 .. (%n + 1) / 2 {\n"
    "      local $acc : f32[2]\n"
    "      let %w : i64 = min(2, %n - %c0 * 2)\n"
    "      for %c1 in 0 .. 2 vector(2) {\n"
    "        $acc[%c1] = 0.0\n"
    "      }\n"
    "      for %p in $A_ptr[%i] - %base .. $A_ptr[%i + 1] - %base reduce {\n"
    "        let %j : i64 = $A_crd[%p] - %base\n"
    "        let %a : f32 = $A[%p]\n"
    "        prefetch $B[%j * %n + 4]\n"
    "        for %c1 in 0 .. %w vector(2) {\n"
    "          $acc[%c1] += %a * $B[%j * %n + (%c0 * 2 + %c1)]\n"
    "        }\n"
    "      }\n"
    "      for %c1 in 0 .. %w vector(2) {\n"
    "        $C[%i * %n + (%c0 * 2 + %c1)] = %alpha * $acc[%c1] + select(%beta == 0.0, "
    "0.0, %beta * $C[%i * %n + (%c0 * 2 + %c1)]) stream\n"
    "      }\n"
    "    }\n"
    "  }\n"
    "}\n";

/* One of everything the grammar has for flat programs. */
static const char zoo[] =
    "prog @zoo stage 3 {\n"
    "  param %n : i64\n"
    "  param %q : i32\n"
    "  param %on : bool\n"
    "  param %z : c64\n"
    "  buf $h : f16[%n] in\n"
    "  buf $list : i32[%n] aux\n"
    "  buf $d : f64[%n] out\n"
    "  buf $w : c64[%n] inout\n"
    "  buf $s : i64[%n] out\n"
    "  assume %n >= 4 && %n mod 2 == 0\n"
    "  assume !(%q < 0:i32) || %on\n"
    "  for %i : i32 in 0:i32 .. 4:i32 unroll {\n"
    "    let %f : f64 = cast(f64, $h[%i])\n"
    "    if %f != 0.5 && %on {\n"
    "      $d[%i] = -%f / (%f - 2.0 * (%f + 1.5))\n"
    "      $d[%i] max= select(%on, %f, -0.0)\n"
    "    } else {\n"
    "      $d[%i] min= max(%f, min(%f, 1e+300:f64))\n"
    "    }\n"
    "    $w[%i] += conj(%z) * $w[%i] - 2.5\n"
    "    $s[%i] = find($list, 0, %n, %q) + (%n - (%i - 3)) * -(%n / 2)\n"
    "  }\n"
    "}\n";

const ir_sample ir_samples[] = {
    {"spmm_csr", spmm_csr},
    {"spmv_csr", spmv_csr},
    {"sddmm_csr", sddmm_csr},
    {"add_csr", add_csr},
    {"spmm_ell", spmm_ell},
    {"spmv_ell_len", spmv_ell_len},
    {"spmm_rows", spmm_rows},
    {"spmm_bsr", spmm_bsr},
    {"spmv_dia", spmv_dia},
    {"spmm_csr2", spmm_csr2},
    {"spmm_csr3", spmm_csr3},
    {"zoo", zoo},
    {NULL, NULL},
};

const char *
ir_sample_text(const char *name)
{
    int q = 0;

    while (ir_samples[q].name && strcmp(ir_samples[q].name, name) != 0)
        q++;
    assert_non_null(ir_samples[q].name);
    return ir_samples[q].text;
}

/* ---- lab ----------------------------------------------------------------------------- */

void
ir_lab_init(ir_lab *lab)
{
    sb_arena_init(&lab->arena);
    sb_diag_clear(&lab->diag);
    sb_ir_init(&lab->ir, &lab->arena, &lab->diag);
}

void
ir_lab_free(ir_lab *lab)
{
    sb_arena_free(&lab->arena);
}

const sb_prog *
ir_lab_parse(ir_lab *lab, const char *text, bool verify)
{
    const sb_prog *p = NULL;
    sb_status st = sb_prog_parse(&p, &lab->ir, text, strlen(text));

    if (st == SB_OK && verify)
        st = sb_prog_verify(p, &lab->diag);
    if (st != SB_OK)
        fail_msg("%s: %s\n%s", sb_status_name(st), lab->diag.text, text);
    return p;
}

const char *
ir_lab_print(ir_lab *lab, const sb_prog *p)
{
    sb_strbuf text;
    const char *copy;

    sb_strbuf_init(&text);
    assert_int_equal(sb_prog_print(&text, p), SB_OK);
    copy = sb_arena_strndup(&lab->arena, text.s, text.len);
    assert_non_null(copy);
    sb_strbuf_free(&text);
    return copy;
}

static const ir_bind *
bound(const ir_bind *bind, const char *name)
{
    while (bind->name && strcmp(bind->name, name) != 0)
        bind++;
    if (!bind->name)
        fail_msg("%s is not bound", name);
    return bind;
}

sb_status
ir_run(ir_lab *lab, const sb_prog *p, const ir_bind *bind)
{
    sb_value *param = sb_arena_array(&lab->arena, p->nparam + 1, sizeof *param);
    sb_arg *buf = sb_arena_array(&lab->arena, p->nbuf + 1, sizeof *buf);
    const sb_interp_args args = {param, buf};

    assert_non_null(param);
    assert_non_null(buf);
    for (int q = 0; q < p->nparam; q++) {
        param[q].re = bound(bind, p->param[q]->name)->value;
        param[q].im = 0.0;
    }
    for (int q = 0; q < p->nbuf; q++) {
        const ir_bind *b = bound(bind, p->buf[q]->name);

        buf[q].data = b->data;
        buf[q].count = b->count;
    }
    sb_diag_clear(&lab->diag);
    return sb_interp(p, &args, &lab->diag);
}
