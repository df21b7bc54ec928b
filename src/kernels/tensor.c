/*
 * Text of what the kinds on tensor cores have in common. Where an element of $sums lies is
 * told by compiler/emit_mma.c, which proves it.
 */
#include "kernels/tensor.h"

#include "base/fault.h"
#include "kernels/ops.h"

#include <stdio.h>

enum { LANES = 32, SAMPLES = 16 };

int
sb_tensor_depth(const sb_spec *s)
{
    return s->mma == SB_MMA_HALF ? 16 : 8;
}

/* Columns of C, of SDDMM listed columns of A, that a group takes at a time. */
static int
width(const sb_spec *s)
{
    return s->op == SB_KOP_SDDMM ? SAMPLES : s->tile;
}

/* How many of them, beside each other, a lane has. */
static int
run(const sb_spec *s)
{
    return width(s) / 8;
}

/* $sums[..]: element `slot` of lane `lane`. */
static void
put_element(sb_strbuf *out, const sb_spec *s, const char *slot, const char *lane)
{
    if (s->vec <= 1)
        sb_strbuf_printf(out, "$sums[(%s) * %d + %s]", slot, LANES, lane);
    else
        sb_strbuf_printf(out, "$sums[((%s) / %d * %d + %s) * %d + (%s) mod %d]", slot,
                         s->vec, LANES, lane, s->vec, slot, s->vec);
}

/* That of column %cb + %s and row %r of a lane. */
static void
put_own(sb_strbuf *out, const sb_spec *s)
{
    char slot[48];

    (void)snprintf(slot, sizeof slot, "%%d * %d + %%s * 2 + %%e", 2 * run(s));
    put_element(out, s, slot, "%x");
}

void
sb_tensor_clear(sb_strbuf *out, const sb_spec *s, const char *columns, int rows)
{
    const int w = width(s);

    sb_strbuf_printf(out,
                     "  for %%c0 in 0 .. (%s + %d) / %d {\n"
                     "    local $sums : f32[%d]\n"
                     "    for %%x in 0 .. %d bind(lane) {\n"
                     "      for %%s in 0 .. %d unroll {\n        ",
                     columns, w - 1, w, w * rows, LANES, w * rows / LANES);
    put_element(out, s, "%s", "%x");
    sb_strbuf_puts(out, " = 0.0\n      }\n    }\n");
}

void
sb_tensor_begin(sb_strbuf *out, const sb_spec *s, int rows, int deep)
{
    static const char *const name[] = {"", "tc", "tf32", "tf32x3"};
    const int v = run(s), w = width(s);
    char slot[96], lane[64];

    sb_strbuf_printf(out,
                     "      tensor %s_%dx%dx%d {\n"
                     "        for %%i in 0 .. %d {\n          for %%j in 0 .. %d {\n"
                     "            for %%u in 0 .. %d reduce {\n              ",
                     name[s->mma], w, rows, deep, w, rows, deep);
    (void)snprintf(slot, sizeof slot, "%%j / 8 * %d + %%i mod %d * 2 + %%j mod 2",
                   2 * v, v);
    (void)snprintf(lane, sizeof lane, "(%%i / %d * 4 + %%j mod 8 / 2)", v);
    put_element(out, s, slot, lane);
    sb_strbuf_puts(out, " += ");
}

void
sb_tensor_end(sb_strbuf *out)
{
    sb_strbuf_puts(out, "\n            }\n          }\n        }\n      }\n");
}

void
sb_tensor_rows(sb_strbuf *out, const sb_spec *s, const char *when, const char *a,
               const char *b, const char *c)
{
    char text[256];

    (void)snprintf(text, sizeof text, "$B[%s%s%s, %%c0 * %d + %%i]", a, b, c, s->tile);
    sb_strbuf_printf(out, "%sselect(%%c0 * %d + %%i < %%n, ", when, s->tile);
    sb_ops_operand(out, s, text, s->b, false);
    sb_strbuf_puts(out, when[0] ? ", 0.0), 0.0)" : ", 0.0)");
}

void
sb_tensor_lanes(sb_strbuf *out, const sb_spec *s, const char *first, int rows)
{
    sb_strbuf_printf(out,
                     "    for %%x in 0 .. %d bind(lane) {\n"
                     "      let %%cb = %%c0 * %d + %%x / 4 * %d\n"
                     "      for %%d in 0 .. %d unroll {\n"
                     "      for %%e in 0 .. 2 unroll {\n"
                     "        let %%r = %s + (%%d * 8 + %%x mod 4 * 2 + %%e)\n",
                     LANES, width(s), run(s), rows / 8, first);
}

void
sb_tensor_lanes_end(sb_strbuf *out)
{
    sb_strbuf_puts(out, "      }\n      }\n    }\n");
}

void
sb_tensor_add(sb_strbuf *out, const sb_spec *s, const char *row, const char *value)
{
    sb_strbuf_printf(out,
                     "\n          local $row : %s[%d]\n"
                     "          for %%s in 0 .. %d unroll {\n"
                     "            if %%cb + %%s < %%n {\n"
                     "              $row[%%s] = $B[%s, %%cb + %%s]\n"
                     "            } else {\n"
                     "              $row[%%s] = 0.0:%s\n"
                     "            }\n          }\n"
                     "          for %%s in 0 .. %d unroll {\n            ",
                     sb_dtype_name(s->b), run(s), run(s), row, sb_dtype_name(s->b),
                     run(s));
    put_own(out, s);
    sb_strbuf_printf(out, " += %s * ", value);
    sb_ops_operand(out, s, "$row[%s]", s->b, false);
    sb_strbuf_puts(out, "\n          }\n");
}

void
sb_tensor_write(sb_strbuf *out, const sb_spec *s, const char *first, int rows)
{
    sb_strbuf value;

    sb_strbuf_init(&value);
    put_own(&value, s);
    sb_tensor_lanes(out, s, first, rows);
    sb_strbuf_printf(out,
                     "        for %%s in 0 .. %d unroll {\n"
                     "          if %%cb + %%s < %%n {\n"
                     "            $C[%%r, %%cb + %%s] = ",
                     run(s));
    if (sb_strbuf_status(&value) == SB_OK)
        sb_ops_result(out, s, "$C[%r, %cb + %s]", value.s);
    sb_strbuf_puts(out, "\n          }\n        }\n");
    sb_tensor_lanes_end(out);
    sb_strbuf_puts(out, "  }\n");
    sb_strbuf_free(&value);
}

void
sb_tensor_sample(sb_strbuf *out, const sb_spec *s, int rows, const char *column,
                 const char *place)
{
    const char *less = SB_FAULT(GPU_SAMPLE_TAIL) ? "<=" : "<";
    const int deep = sb_tensor_depth(s);
    char text[320], depth[48];
    sb_strbuf sum;

    (void)snprintf(depth, sizeof depth, "%%t * %d + %%u", deep);
    sb_tensor_clear(out, s, "%count", rows);
    sb_strbuf_printf(out, "    for %%t in 0 .. (%%k + %d) / %d reduce {\n", deep - 1,
                     deep);
    sb_tensor_begin(out, s, rows, deep);
    (void)snprintf(text, sizeof text, "$Y[%s, %s]", depth, column);
    sb_strbuf_printf(out, "select(%%c0 * %d + %%i < %%count, select(%s %s %%k, ",
                     SAMPLES, depth, less);
    sb_ops_operand(out, s, text, s->c, false);
    (void)snprintf(text, sizeof text, "$X[%%w * %d + %%j, %s]", rows, depth);
    sb_strbuf_printf(out, ", 0.0), 0.0) * select(%s %s %%k, ", depth, less);
    sb_ops_operand(out, s, text, s->b, false);
    sb_strbuf_puts(out, ", 0.0)");
    sb_tensor_end(out);
    sb_strbuf_puts(out, "    }\n");
    sb_tensor_lanes(out, s, "0", rows);
    sb_strbuf_printf(out,
                     "        for %%s in 0 .. %d unroll {\n"
                     "          if %%cb + %%s < %%count {\n"
                     "            let %%at = cast(i64, %s)\n            $A[%%at] = ",
                     run(s), place);
    sb_strbuf_init(&sum);
    put_own(&sum, s);
    if (sb_strbuf_status(&sum) == SB_OK)
        sb_ops_result(out, s, "$A[%at]", sum.s);
    sb_strbuf_free(&sum);
    sb_strbuf_puts(out, "\n          }\n        }\n");
    sb_tensor_lanes_end(out);
    sb_strbuf_puts(out, "  }\n");
}
